//! From clauses to [code](super::code).
//!
//! A clause is compiled from left to right. Clauses are safe and answers are ground, so the compiler knows which
//! variables are bound at each subgoal: each variable gets a slot at its first occurrence, and arguments are divided
//! into bound and free ones. Nothing is left to decide at run time, as in languages with declared modes.

use super::code::{ClauseCode, ClauseOp, Guard, MatchingRows, ProcedureId};
use super::database::{Database, RelationId};
use crate::aggregate::Aggregator;
use crate::term::{Pattern, Slot, Template, Test};
use crate::value::Value;
use crate::variables::Variables;
use ludolog_logic::analysis::clause::{Aggregation, Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Term};
use ludolog_syntax::diagnostic::Span;
use std::sync::Arc;

/// A compiled conjunction.
#[derive(Clone, Copy, Debug)]
pub struct CompiledQuery {
    pub start: u32,
    /// The number of slots of its frame.
    pub size: Slot,
}

/// Compiles the clauses of a procedure: its facts, then its rules.
pub fn procedure(id: ProcedureId, code: &mut ClauseCode, database: &mut Database) {
    let relation = code.procedures[id as usize].relation;
    let bound = code.procedures[id as usize].bound.clone();
    let mut clauses = Vec::new();
    let mut size = 0;
    if database.relations[relation].has_facts {
        let start = code.here();
        size = facts(relation, &bound, code, database);
        clauses.push((Guard::None, start));
    }
    for rule in database.relations[relation].rules.clone() {
        let start = code.here();
        let mut compiler = ClauseCompiler::new(code, database, ClauseScope::new(&rule.head.args, &rule.body));
        let guard = compiler.rule(&rule, &bound);
        size = size.max(compiler.size);
        clauses.push((guard, start));
    }
    let procedure = &mut code.procedures[id as usize];
    (procedure.size, procedure.clauses) = (size, Some(clauses));
}

/// Compiles a conjunction whose answers are instances of `results`.
pub fn query(body: &[Literal], results: &[Term], code: &mut ClauseCode, database: &mut Database) -> CompiledQuery {
    let start = code.here();
    let mut compiler = ClauseCompiler::new(code, database, ClauseScope::new(results, body));
    compiler.committed = true;
    body.iter().for_each(|literal| compiler.literal(literal));
    let results = compiler.templates(results);
    compiler.emit(ClauseOp::Answer { results });
    CompiledQuery { start, size: compiler.size }
}

/// Emits code for the facts of a predicate that also has rules: a clause whose body is the table.
fn facts(relation: RelationId, bound: &[bool], code: &mut ClauseCode, database: &mut Database) -> Slot {
    let mut key = vec![];
    let mut key_columns = vec![];
    let mut columns = vec![];
    let mut results = vec![];
    let arguments = bound.iter().filter(|&&bound| bound).count() as Slot;
    for (column, &bound) in bound.iter().enumerate() {
        if bound {
            key.push(Template::Slot(key.len() as Slot));
            key_columns.push(column);
        } else {
            let slot = arguments + results.len() as Slot;
            columns.push((column, Pattern::Bind(slot)));
            results.push(Template::Slot(slot));
        }
    }
    let access = database.relations[relation].table.access(&key_columns);
    let rows = MatchingRows { relation, access, key: key.into(), columns: columns.into() };
    let once = results.is_empty();
    if once {
        code.ops.push(ClauseOp::Probe { rows, expected: true });
    } else {
        code.ops.extend([ClauseOp::Commit, ClauseOp::Scan(rows)]);
    }
    code.ops.push(ClauseOp::Return { results: results.into(), once });
    bound.len() as Slot
}

/// The variables of a clause, and the slots of those that are bound.
#[derive(Default)]
struct ClauseScope {
    numbers: Variables,
    /// By number.
    variables: Vec<Variable>,
    /// The variables that are bound, in the order in which they were.
    bound: Vec<usize>,
}

#[derive(Clone, Copy, Default)]
struct Variable {
    occurrences: u32,
    slot: Option<Slot>,
}

impl ClauseScope {
    /// The scope in which nothing is bound.
    fn new(results: &[Term], body: &[Literal]) -> Self {
        let mut scope = Self::default();
        let mut count = |name: &Name| scope.add(name, 1);
        results.iter().for_each(|term| term.for_each_variable(&mut count));
        body.iter().for_each(|literal| literal.for_each_variable(&mut count));
        scope
    }

    /// Adds occurrences of a variable.
    fn add(&mut self, name: &Name, occurrences: u32) {
        let number = self.numbers.number(name);
        if number == self.variables.len() {
            self.variables.push(Variable::default());
        }
        self.variables[number].occurrences += occurrences;
    }

    fn number(&self, name: &Name) -> usize {
        self.numbers.number_of(name).expect("the variable is of this clause")
    }

    #[inline]
    fn slot(&self, name: &Name) -> Option<Slot> {
        self.variables[self.number(name)].slot
    }

    fn bind(&mut self, variable: usize, slot: Slot) {
        self.variables[variable].slot = Some(slot);
        self.bound.push(variable);
    }

    /// Frees all but the variables that were bound first.
    fn keep_bound(&mut self, first: usize) {
        self.bound.drain(first..).for_each(|number| self.variables[number].slot = None);
    }
}

struct ClauseCompiler<'a> {
    code: &'a mut ClauseCode,
    database: &'a mut Database,
    scope: ClauseScope,
    size: Slot,
    /// Whether `Commit` has been emitted.
    committed: bool,
}

impl<'a> ClauseCompiler<'a> {
    fn new(code: &'a mut ClauseCode, database: &'a mut Database, scope: ClauseScope) -> Self {
        Self { code, database, scope, size: 0, committed: false }
    }

    fn emit(&mut self, op: ClauseOp) {
        self.code.ops.push(op);
    }

    /// Emits an operation that may leave a choice or a frame, after a `Commit`: the choice of the next clause has to
    /// lie below it.
    fn emit_committed(&mut self, op: ClauseOp) {
        if !self.committed {
            self.committed = true;
            self.emit(ClauseOp::Commit);
        }
        self.emit(op);
    }

    fn fresh_slots(&mut self, n: usize) -> Slot {
        let first = self.size;
        self.size += n as Slot;
        first
    }

    fn is_bound(&self, term: &Term) -> bool {
        let mut bound = true;
        term.for_each_variable(&mut |name| bound &= self.scope.slot(name).is_some());
        bound
    }

    /// Which arguments are bound.
    fn binding(&self, atom: &Atom) -> Box<[bool]> {
        atom.args.iter().map(|arg| self.is_bound(arg)).collect()
    }

    /// The variable, if `term` is a variable that is not yet bound.
    fn new_variable(&self, term: &Term) -> Option<usize> {
        match term {
            Term::Variable(name) => {
                Some(self.scope.number(name)).filter(|&number| self.scope.variables[number].slot.is_none())
            }
            _ => None,
        }
    }

    fn constant(&mut self, term: &Term) -> Option<Value> {
        self.database.interner.intern(term)
    }

    /// Compiles a term to a pattern. Its variables are bound afterwards.
    fn pattern(&mut self, term: &Term) -> Pattern {
        if let Some(value) = self.constant(term) {
            return Pattern::Constant(value);
        }
        match term {
            Term::Variable(name) => {
                let number = self.scope.number(name);
                match self.scope.variables[number] {
                    Variable { slot: Some(slot), .. } => Pattern::Check(slot),
                    Variable { occurrences: 1, .. } => Pattern::Any,
                    _ => {
                        let slot = self.fresh_slots(1);
                        self.scope.bind(number, slot);
                        Pattern::Bind(slot)
                    }
                }
            }
            Term::Compound(name, args) => {
                let functor = self.database.interner.functor(name, args.len());
                Pattern::Compound(functor, args.iter().map(|arg| self.pattern(arg)).collect())
            }
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => unreachable!("constants have been dealt with"),
        }
    }

    /// Compiles a bound term without arithmetic.
    fn template(&mut self, term: &Term) -> Template {
        match self.constant(term) {
            Some(value) => Template::Constant(value),
            None => self.compile_template(term, None),
        }
    }

    fn templates<'t>(&mut self, terms: impl IntoIterator<Item = &'t Term>) -> Box<[Template]> {
        terms.into_iter().map(|term| self.template(term)).collect()
    }

    /// Compiles one side of a comparison.
    fn expression(&mut self, term: &Term, comparator: Comparator, span: Span) -> Template {
        self.compile_template(term, Some((comparator, span)))
    }

    fn compile_template(&mut self, term: &Term, side_of: Option<(Comparator, Span)>) -> Template {
        let scope = &self.scope;
        Template::compile(term, side_of, &mut self.database.interner, &mut |name| {
            scope.slot(name).expect("a safe clause binds its variables before they are used")
        })
    }

    fn rule(&mut self, rule: &Arc<Clause>, bound: &[bool]) -> Guard {
        let once = bound.iter().all(|&bound| bound);
        let guard = self.head(&rule.head, bound);
        let free: Vec<&Term> =
            rule.head.args.iter().zip(bound).filter(|&(_, &bound)| !bound).map(|(arg, _)| arg).collect();
        let (last, body) = match rule.body.split_last() {
            Some((Literal::Positive(atom), body)) => (Some((self.relation(atom), atom)), body),
            _ => (None, &rule.body[..]),
        };
        body.iter().for_each(|literal| self.literal(literal));
        match last {
            Some((relation, atom)) if self.is_last_call(relation, atom, &free) => {
                let (procedure, args) = self.call(relation, atom, self.binding(atom));
                self.emit_committed(ClauseOp::LastCall { procedure, args });
                self.emit(ClauseOp::Return { results: Box::default(), once });
            }
            _ => {
                last.into_iter().for_each(|(relation, atom)| self.positive(relation, atom));
                let results = self.templates(free);
                let op = ClauseOp::Return { results, once };
                // A scan that binds nothing leaves no choice.
                if once { self.emit(op) } else { self.emit_committed(op) }
            }
        }
        guard
    }

    /// Matches the bound arguments. The first constant or functor becomes the guard.
    fn head(&mut self, head: &Atom, bound: &[bool]) -> Guard {
        let args: Vec<&Term> = head.args.iter().zip(bound).filter(|&(_, &bound)| bound).map(|(arg, _)| arg).collect();
        let first = self.fresh_slots(args.len());
        let mut guard = Guard::None;
        for (slot, arg) in (first..).zip(args) {
            if let Some(variable) = self.new_variable(arg) {
                self.scope.bind(variable, slot);
                continue;
            }
            let pattern = self.pattern(arg);
            match (&guard, &pattern) {
                (Guard::None, Pattern::Constant(value)) => {
                    guard = Guard::Value(slot, *value);
                    continue;
                }
                (Guard::None, Pattern::Compound(functor, _)) => guard = Guard::Functor(slot, *functor),
                _ => {}
            }
            self.emit(ClauseOp::Match { slot, pattern });
        }
        guard
    }

    fn relation(&mut self, atom: &Atom) -> RelationId {
        self.database.relation(&atom.signature())
    }

    fn has_rules(&self, relation: RelationId) -> bool {
        !self.database.relations[relation].rules.is_empty()
    }

    /// Whether the results of the clause are those of its last subgoal.
    fn is_last_call(&self, relation: RelationId, atom: &Atom, free: &[&Term]) -> bool {
        if !self.has_rules(relation) {
            return false;
        }
        let outputs: Vec<&Term> = atom.args.iter().filter(|arg| !self.is_bound(arg)).collect();
        let distinct_variables = outputs
            .iter()
            .enumerate()
            .all(|(i, term)| matches!(term, Term::Variable(_)) && !outputs[..i].contains(term));
        distinct_variables && outputs == free
    }

    /// The procedure for a subgoal and its arguments.
    fn call(&mut self, relation: RelationId, atom: &Atom, bound: Box<[bool]>) -> (ProcedureId, Box<[Template]>) {
        let args = self.templates(atom.args.iter().zip(&bound).filter(|&(_, &bound)| bound).map(|(arg, _)| arg));
        (self.code.procedure(relation, bound), args)
    }

    fn literal(&mut self, literal: &Literal) {
        match literal {
            Literal::Positive(atom) => {
                let relation = self.relation(atom);
                self.positive(relation, atom);
            }
            Literal::Negative(atom) => self.negative(atom),
            Literal::Compare(comparison) => self.compare(comparison),
            Literal::Aggregate(aggregation) => self.aggregate(aggregation),
            Literal::NotCompare(comparison) => self.test(comparison, true),
            Literal::Member { element, elements: Elements::List(list), negated, .. } => {
                self.member(element, list, *negated);
            }
            Literal::Member { element, elements: Elements::Range(from, to), negated, span } => {
                let bounds = [from, to].map(|bound| self.expression(bound, Comparator::Is, *span));
                if self.is_bound(element) {
                    let element = self.template(element);
                    self.emit(ClauseOp::InRange { element, bounds, expected: !negated });
                } else if *negated {
                    self.refute(|compiler| compiler.integers(element, bounds));
                } else {
                    self.integers(element, bounds);
                }
            }
        }
    }

    fn positive(&mut self, relation: RelationId, atom: &Atom) {
        if self.has_rules(relation) {
            self.emit_call(relation, atom);
            return;
        }
        let rows = self.rows(relation, atom);
        if rows.columns.iter().all(|(_, pattern)| *pattern == Pattern::Any) {
            self.emit(ClauseOp::Probe { rows, expected: true });
        } else {
            self.emit_committed(ClauseOp::Scan(rows));
        }
    }

    fn negative(&mut self, atom: &Atom) {
        let relation = self.relation(atom);
        if !self.has_rules(relation) {
            let outside = self.scope.bound.len();
            let rows = self.rows(relation, atom);
            self.scope.keep_bound(outside);
            self.emit(ClauseOp::Probe { rows, expected: false });
            return;
        }
        self.refute(|compiler| compiler.emit_call(relation, atom));
    }

    /// Emits the negation of the code that `inside` emits. Variables bound inside are local to it.
    fn refute(&mut self, inside: impl FnOnce(&mut Self)) {
        let outside = self.scope.bound.len();
        let slot = self.fresh_slots(1);
        self.emit_committed(ClauseOp::Not { slot, otherwise: 0 });
        let start = self.code.ops.len() - 1;
        inside(self);
        self.emit(ClauseOp::Refute { slot });
        let end = self.code.here();
        if let ClauseOp::Not { otherwise, .. } = &mut self.code.ops[start] {
            *otherwise = end;
        }
        self.scope.keep_bound(outside);
    }

    /// Gathers all tuples, and matches the result with the value. Variables bound inside are local.
    fn aggregate(&mut self, aggregation: &Aggregation) {
        let outside = self.scope.bound.len();
        let slot = self.fresh_slots(1);
        self.emit_committed(ClauseOp::Gather { otherwise: 0 });
        let start = self.code.ops.len() - 1;
        let tests = aggregation.tests();
        // They are not for any value: those of a row count.
        let mut counts = |name: &Name| self.scope.add(name, 2);
        aggregation.atom.args[aggregation.bound..].iter().for_each(|arg| arg.for_each_variable(&mut counts));
        tests.iter().flatten().for_each(|test| test.for_each_variable(&mut counts));
        let relation = self.relation(&aggregation.atom);
        self.positive(relation, &aggregation.atom);
        match &tests[..] {
            [] => {}
            [tests] => tests.iter().for_each(|test| self.literal(test)),
            // One of them holds: not all fail.
            alternatives => self.refute(|compiler| {
                for tests in alternatives {
                    compiler.refute(|compiler| tests.iter().for_each(|test| compiler.literal(test)));
                }
            }),
        }
        let row = self.templates(aggregation.tuple());
        self.emit(ClauseOp::Take { row });
        let end = self.code.here();
        if let ClauseOp::Gather { otherwise } = &mut self.code.ops[start] {
            *otherwise = end;
        }
        self.scope.keep_bound(outside);
        let of = Aggregator::compile(aggregation, &mut self.database.interner);
        self.emit(ClauseOp::Total { of, slot });
        self.receive(&aggregation.result, slot);
    }

    fn rows(&mut self, relation: RelationId, atom: &Atom) -> MatchingRows {
        let (bound, free): (Vec<usize>, Vec<usize>) =
            (0..atom.args.len()).partition(|&column| self.is_bound(&atom.args[column]));
        let access = self.database.relations[relation].table.access(&bound);
        let key = self.templates(bound.iter().map(|&column| &atom.args[column]));
        let columns = free.into_iter().map(|column| (column, self.pattern(&atom.args[column]))).collect();
        MatchingRows { relation, access, key, columns }
    }

    fn emit_call(&mut self, relation: RelationId, atom: &Atom) {
        let bound = self.binding(atom);
        let free: Vec<&Term> = atom.args.iter().zip(&bound).filter(|&(_, &bound)| !bound).map(|(arg, _)| arg).collect();
        let (procedure, args) = self.call(relation, atom, bound);
        let results = self.fresh_slots(free.len());
        self.emit_committed(ClauseOp::Call { procedure, args, results });
        for (slot, term) in (results..).zip(free) {
            self.receive(term, slot);
        }
    }

    /// Matches the value of a slot with a term. A new variable is assigned the slot.
    fn receive(&mut self, term: &Term, slot: Slot) {
        match self.new_variable(term) {
            Some(variable) => self.scope.bind(variable, slot),
            None => {
                let pattern = self.pattern(term);
                self.emit(ClauseOp::Match { slot, pattern });
            }
        }
    }

    fn compare(&mut self, comparison: &Comparison) {
        let Comparison { comparator, left, right, span } = comparison;
        let binds = matches!(comparator, Comparator::Is | Comparator::Equal);
        match (self.is_bound(left), self.is_bound(right)) {
            (false, _) if binds => self.bind(left, right, *comparator, *span),
            (_, false) if binds => self.bind(right, left, *comparator, *span),
            _ => self.test(comparison, false),
        }
    }

    fn test(&mut self, comparison: &Comparison, negated: bool) {
        let &Comparison { comparator, ref left, ref right, span } = comparison;
        let [left, right] = [left, right].map(|side| self.expression(side, comparator, span));
        self.emit(ClauseOp::Test(Test { comparator, negated, left, right }));
    }

    /// Binds the variables of `target` by matching it with the value of `source`.
    fn bind(&mut self, target: &Term, source: &Term, comparator: Comparator, span: Span) {
        let template = self.expression(source, comparator, span);
        let slot = self.fresh_slots(1);
        self.emit(match comparator {
            Comparator::Is => ClauseOp::Compute { slot, template },
            _ => ClauseOp::Let { slot, template },
        });
        self.receive(target, slot);
    }

    fn member(&mut self, element: &Term, list: &Term, negated: bool) {
        if self.is_bound(element) {
            let element = self.template(element);
            let list = self.template(list);
            self.emit(ClauseOp::Contains { list, element, expected: !negated });
        } else if negated {
            self.refute(|compiler| compiler.each(element, list));
        } else {
            self.each(element, list);
        }
    }

    fn integers(&mut self, element: &Term, bounds: [Template; 2]) {
        let pattern = self.pattern(element);
        self.emit_committed(ClauseOp::Integers { bounds, pattern });
    }

    fn each(&mut self, element: &Term, list: &Term) {
        let list = self.template(list);
        let pattern = self.pattern(element);
        self.emit_committed(ClauseOp::Each { list, pattern });
    }
}
