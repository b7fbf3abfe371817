//! Programs for Soufflé.
//!
//! A column of integers is a `number`, one of symbols a `symbol`, and one of both or of compounds an algebraic data type `Term`, with a
//! branch for integers, one for symbols and one for each functor. Division is written out, since Soufflé's rounds towards zero, and a
//! divisor is held against zero before. Soufflé's integers wrap; they have 32 bits unless it is built for 64.
//!
//! Soufflé compiles each fact of a program into code, a hundred thousand in minutes: many are written into a fact file, which it reads.
//!
//! * `contents`: what terms are unpacked to; `reserved`: words that are no names.

mod contents;
mod reserved;

use crate::condition::{Condition, alternatives};
use crate::elements::{without_members, without_negated_patterns};
use crate::names::{self, VariableNames};
use crate::sorts::{RuleSorts, Sort, Sorts, computed};
use crate::translatable::Translatable;
use crate::{Refusals, Translation};
use contents::is_aliased;
use ludolog_logic::analysis::clause::{Aggregation, Clause, Literal};
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparator, Name, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::Span;
use reserved::RESERVED;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Fewer facts stay in the program.
const MANY_FACTS: usize = 1000;

/// Translates a program. What has no translation is added to the refusals.
pub(crate) fn translate(program: &Translatable, refusals: &mut Refusals) -> Translation {
    let program = without_negated_patterns(&without_members(program, refusals));
    let sorts = Sorts::of(&program);
    let predicates = program.predicates();
    let names = names::of_predicates(&predicates, RESERVED, names::identifier);
    let functors = functors(&program);
    let mut writer = Writer {
        names: &names,
        functors: &functors,
        sorts: &sorts,
        refusals,
        out: String::new(),
        intermediate: 0,
        contents: BTreeMap::new(),
        unpacked: BTreeMap::new(),
        relations: 0,
        is_aliased: false,
        subgoals: Vec::new(),
        before: Vec::new(),
    };
    writer.out.push_str("// Integers wrap where they have too few bits: build Soufflé for 64.\n");
    writer.types();
    for predicate in &predicates {
        writer.declaration(predicate);
    }
    let tables = if program.has_files { writer.tables(&program) } else { BTreeMap::new() };
    for predicate in program.undefined.iter().chain(tables.keys()) {
        let _ = writeln!(writer.out, ".input {}", names[predicate]);
    }
    for predicate in &program.outputs {
        let _ = writeln!(writer.out, ".output {}", names[predicate]);
    }
    for fact in program.all_facts().filter(|fact| !tables.contains_key(&fact.signature())) {
        let text = writer.atom(fact, &VariableNames::default());
        writer.out.push_str(&(text + ".\n"));
    }
    for (number, rule) in program.rules.iter().enumerate() {
        writer.rule(rule, sorts.rule(number));
    }
    let program = ("program.dl".to_owned(), writer.out);
    let tables = tables.into_iter().map(|(predicate, rows)| (format!("{}.facts", names[&predicate]), rows));
    Translation { files: [program].into_iter().chain(tables).collect(), names }
}

/// The type of what stands in one place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Number,
    Symbol,
    Term,
}

impl Type {
    fn of(sort: Sort) -> Type {
        match sort {
            Sort::INTEGER => Type::Number,
            Sort::SYMBOL | Sort::NONE => Type::Symbol,
            _ => Type::Term,
        }
    }
}

/// The branch of each functor and arity.
fn functors(program: &Translatable) -> BTreeMap<(Name, usize), String> {
    fn collect(term: &Term, found: &mut BTreeSet<(Name, usize)>) {
        if let Term::Compound(functor, args) = term {
            found.insert((functor.clone(), args.len()));
            args.iter().for_each(|arg| collect(arg, found));
        }
    }
    let mut found = BTreeSet::new();
    let mut sides = |terms: &[&Term], comparator: Comparator| {
        terms.iter().filter(|side| computed(side, comparator).is_none()).for_each(|side| collect(side, &mut found));
    };
    for literal in program.rules.iter().flat_map(|rule| &rule.body) {
        if let Literal::Compare(comparison) | Literal::NotCompare(comparison) = literal {
            sides(&[&comparison.left, &comparison.right], comparison.comparator);
        }
    }
    let literals = program.rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom);
    let atoms = program.all_facts().chain(program.rules.iter().map(|rule| &rule.head)).chain(literals);
    atoms.flat_map(|atom| &atom.args).for_each(|arg| collect(arg, &mut found));
    let named = found.into_iter().enumerate();
    named
        .map(|(i, (functor, arity))| {
            let name = format!("{}_{arity}_{i}", names::upper(&functor));
            ((functor, arity), name)
        })
        .collect()
}

/// The branches of integers and of symbols.
const INTEGER: &str = "Integer";
const SYMBOL: &str = "Symbol";

/// The branch of a sort that values have.
fn branch_of(sort: Sort) -> &'static str {
    if sort == Sort::INTEGER { INTEGER } else { SYMBOL }
}

/// Whether Soufflé has a way to write a symbol.
fn can_be_written(symbol: &str) -> bool {
    !symbol.contains(|c: char| c.is_control() || c == '"' || c == '\\')
}

/// A line of a fact file; `None` if it cannot hold a value.
fn row(fact: &Atom) -> Option<String> {
    let cell = |arg: &Term| match arg {
        Term::Integer(integer) => Some(integer.to_string()),
        Term::Symbol(symbol) => (!symbol.is_empty() && can_be_written(symbol)).then(|| symbol.to_string()),
        Term::Variable(_) | Term::Float(_) | Term::Compound(..) => None,
    };
    let cells: Vec<String> = fact.args.iter().map(cell).collect::<Option<_>>()?;
    Some(cells.join("\t") + "\n")
}

struct Writer<'w> {
    names: &'w BTreeMap<Predicate, String>,
    functors: &'w BTreeMap<(Name, usize), String>,
    sorts: &'w Sorts,
    refusals: &'w mut Refusals,
    out: String,
    /// The number of variables for the contents of terms.
    intermediate: usize,
    /// The variables for the contents of variables of the rule, by branch: Soufflé takes a second one of the same content for not grounded.
    contents: BTreeMap<(String, &'static str), String>,
    /// The subgoals that hold of variables of the rule and their contents, with the variables for these, by branch.
    unpacked: BTreeMap<(Name, &'static str), [String; 2]>,
    /// The number of relations of contents.
    relations: usize,
    /// Whether the rule says of two of its variables for terms that they are the same.
    is_aliased: bool,
    /// The positive subgoals of the rule.
    subgoals: Vec<Atom>,
    /// The conditions of the rule before the literal that is written.
    before: Vec<String>,
}

impl Writer<'_> {
    fn types(&mut self) {
        self.out.push_str(".type Term = Integer { value: number } | Symbol { value: symbol }");
        for ((_, arity), name) in self.functors {
            let fields: Vec<String> = (1..=*arity).map(|i| format!("x{i}: Term")).collect();
            let _ = write!(self.out, " | {name} {{ {} }}", fields.join(", "));
        }
        self.out.push('\n');
    }

    fn declaration(&mut self, predicate: &Predicate) {
        let columns = (0..predicate.arity).map(|i| match Type::of(self.sorts.column(predicate, i)) {
            Type::Number => format!("x{i}: number"),
            Type::Symbol => format!("x{i}: symbol"),
            Type::Term => format!("x{i}: Term"),
        });
        let columns: Vec<String> = columns.collect();
        let _ = writeln!(self.out, ".decl {}({})", self.names[predicate], columns.join(", "));
    }

    /// The rows of fact files: of predicates with many facts, whose values are all numbers, or symbols that fit into a line.
    fn tables(&self, program: &Translatable) -> BTreeMap<Predicate, String> {
        let mut facts: BTreeMap<Predicate, Vec<&Atom>> = BTreeMap::new();
        program.all_facts().for_each(|fact| facts.entry(fact.signature()).or_default().push(fact));
        let many = facts.into_iter().filter(|(predicate, facts)| predicate.arity > 0 && facts.len() >= MANY_FACTS);
        let mut tables = BTreeMap::new();
        for (predicate, facts) in many {
            let is_plain = |column| Type::of(self.sorts.column(&predicate, column)) != Type::Term;
            let rows = || facts.iter().map(|fact| row(fact)).collect::<Option<String>>();
            if let Some(rows) = (0..predicate.arity).all(is_plain).then(rows).flatten() {
                tables.insert(predicate, rows);
            }
        }
        tables
    }

    fn rule(&mut self, rule: &Clause, sorts: RuleSorts) {
        let variables = names::of_variables(rule, RESERVED, names::relates_terms, names::identifier);
        let mut body: Vec<String> = Vec::new();
        self.contents.clear();
        self.unpacked.clear();
        self.is_aliased = is_aliased(rule, sorts);
        let positive =
            |literal: &Literal| if let Literal::Positive(atom) = literal { Some(atom.clone()) } else { None };
        self.subgoals = rule.body.iter().filter_map(positive).collect();
        for literal in &rule.body {
            let span = if literal.span().is_none() { rule.span } else { literal.span() };
            let mut found = match alternatives(literal, sorts) {
                Ok(found) => found,
                Err(what) => return self.refusals.add(span, what),
            };
            found.retain(|conjunction| !conjunction.iter().any(Condition::is_never));
            // Nothing fulfills it, so the rule never fires.
            if found.is_empty() {
                return;
            }
            self.before.clone_from(&body);
            let mut texts: Vec<String> = Vec::new();
            for conjunction in &found {
                let mut stated: Vec<String> = Vec::new();
                for condition in conjunction.iter().flat_map(|one| self.condition(one, &variables, sorts, span)) {
                    if !body.contains(&condition) && !stated.contains(&condition) {
                        stated.push(condition);
                    }
                }
                if found.len() == 1 {
                    body.extend(stated);
                } else {
                    texts.push(stated.join(", "));
                }
            }
            match &texts[..] {
                _ if found.len() == 1 => {}
                several if several.iter().any(String::is_empty) => {}
                several => body.push(format!("( {} )", several.join(" ; "))),
            }
        }
        let head = self.atom(&rule.head, &variables);
        self.out.push_str(&crate::rule_text(&head, &body));
    }

    fn condition(
        &mut self,
        condition: &Condition,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
    ) -> Vec<String> {
        match condition {
            Condition::Holds(atom) => vec![self.atom(atom, variables)],
            Condition::Fails(atom) => vec![format!("!{}", self.atom(atom, variables))],
            Condition::Same(left, right) | Condition::Different(left, right) => {
                let sign = if matches!(condition, Condition::Same(..)) { "=" } else { "!=" };
                let a = Type::of(sorts.term(left));
                let b = Type::of(sorts.term(right));
                let wanted = if a == b { a } else { Type::Term };
                let text = |term: &Term, writer: &mut Self| match term {
                    // A variable of another type, in a comparison that does not bind it.
                    Term::Variable(_) if Type::of(sorts.term(term)) != wanted => {
                        let own = writer.term(term, Type::Term, variables, span);
                        let branch = if Type::of(sorts.term(term)) == Type::Number { "Integer" } else { "Symbol" };
                        format!("${branch}({own})")
                    }
                    term => writer.term(term, wanted, variables, span),
                };
                vec![format!("{} {sign} {}", text(left, self), text(right, self))]
            }
            Condition::Related(comparator, left, right, sort) => {
                self.related(*comparator, [left, right], *sort, variables, sorts, span)
            }
            Condition::Is(term, sort) => self.is(term, *sort, variables, sorts, span),
            Condition::Within(element, from, to) => {
                let mut conditions = Vec::new();
                let from = self.value(from, Sort::INTEGER, variables, sorts, span, &mut conditions);
                let to = self.value(to, Sort::INTEGER, variables, sorts, span, &mut conditions);
                let range = format!("range({from}, {to} + 1)");
                if Type::of(sorts.term(element)) == Type::Number {
                    let element = self.term(element, Type::Number, variables, span);
                    conditions.push(format!("{from} <= {to}, {element} = {range}"));
                } else {
                    let element = self.term(element, Type::Term, variables, span);
                    let number = self.fresh();
                    conditions.push(format!("{from} <= {to}, {number} = {range}, {element} = $Integer({number})"));
                }
                conditions
            }
            Condition::Aggregate(aggregation) => self.aggregate(aggregation, variables, sorts, span),
        }
    }

    fn fresh(&mut self) -> String {
        self.intermediate += 1;
        format!("v_{}", self.intermediate)
    }

    fn related(
        &mut self,
        comparator: Comparator,
        sides: [&Term; 2],
        sort: Sort,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
    ) -> Vec<String> {
        let mut conditions = Vec::new();
        // A variable of terms on one side may be bound by the value of the other.
        let binds = |side: &Term| matches!(side, Term::Variable(_)) && Type::of(sorts.term(side)) == Type::Term;
        let branch = branch_of(sort);
        for (side, other) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            if comparator == Comparator::Equal && binds(side) && !binds(other) {
                let value = self.value(other, sort, variables, sorts, span, &mut conditions);
                let side = self.term(side, Type::Term, variables, span);
                conditions.push(format!("{side} = ${branch}({value})"));
                return conditions;
            }
        }
        if let (Comparator::Equal, true, Term::Variable(name)) = (comparator, binds(sides[0]), sides[1]) {
            let [left, right] = sides.map(|side| self.term(side, Type::Term, variables, span));
            let [unpacked, _] = self.content_of(name, branch, variables);
            return vec![format!("{left} = {right}"), unpacked];
        }
        let is_unpacked = sort == Sort::SYMBOL && comparator != Comparator::Equal;
        let [left, right] = sides.map(|side| match side {
            Term::Variable(name) if is_unpacked && binds(side) => {
                let [subgoal, symbol] = self.content_in_relation(name, SYMBOL, variables);
                conditions.push(subgoal);
                symbol
            }
            side => self.value(side, sort, variables, sorts, span, &mut conditions),
        });
        let sign = match comparator {
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
            Comparator::NotEqual => "!=",
            _ => "=",
        };
        conditions.push(format!("{left} {sign} {right}"));
        conditions
    }

    fn is(&mut self, term: &Term, sort: Sort, variables: &VariableNames, sorts: RuleSorts, span: Span) -> Vec<String> {
        if Type::of(sorts.term(term)) != Type::Term {
            return Vec::new();
        }
        let text = self.term(term, Type::Term, variables, span);
        match sort {
            Sort::INTEGER => vec![format!("{text} = $Integer(_)")],
            Sort::SYMBOL => vec![format!("{text} = $Symbol(_)")],
            _ => {
                let branches = self.functors.iter().map(|((_, arity), name)| {
                    let fields = vec!["_"; *arity].join(", ");
                    format!("{text} = ${name}({fields})")
                });
                let branches: Vec<String> = branches.collect();
                if branches.is_empty() {
                    vec!["1 = 2".to_owned()]
                } else {
                    vec![format!("( {} )", branches.join(" ; "))]
                }
            }
        }
    }

    fn aggregate(
        &mut self,
        aggregation: &Aggregation,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
    ) -> Vec<String> {
        let predicate = aggregation.atom.signature();
        let first = Type::of(sorts.term(&aggregation.atom.args[aggregation.bound]));
        if aggregation.function != AggregateFunction::Count && first != Type::Number {
            self.refusals.add(span, "an aggregate of what is perhaps no integer");
        }
        let value = self.fresh();
        let group = aggregation.group().iter().enumerate();
        let mut args: Vec<String> =
            group.map(|(i, arg)| self.term(arg, Type::of(self.sorts.column(&predicate, i)), variables, span)).collect();
        args.push(value.clone());
        args.extend((aggregation.bound + 1..predicate.arity).map(|_| self.fresh()).collect::<Vec<_>>());
        let atom = format!("{}({})", self.names[&predicate], args.join(", "));
        let count = format!("count : {{ {atom} }}");
        let sum = format!("sum {value} : {{ {atom} }}");
        let number = match aggregation.function {
            AggregateFunction::Count => count,
            AggregateFunction::Sum => sum,
            AggregateFunction::Average => {
                let total = self.fresh();
                let tuples = self.fresh();
                let mut conditions =
                    vec![format!("{total} = {sum}"), format!("{tuples} = {count}"), format!("{tuples} != 0")];
                let quotient = quotient(&total, &tuples);
                conditions.push(self.result(&aggregation.result, quotient, variables, sorts, span));
                return conditions;
            }
            extreme => format!("{} {value} : {{ {atom} }}", extreme.name()),
        };
        vec![self.result(&aggregation.result, number, variables, sorts, span)]
    }

    fn result(
        &mut self,
        result: &Term,
        number: String,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
    ) -> String {
        match Type::of(sorts.term(result)) {
            Type::Term => {
                let term = self.term(result, Type::Term, variables, span);
                let value = self.fresh();
                format!("{value} = {number}, {term} = $Integer({value})")
            }
            wanted => format!("{} = {number}", self.term(result, wanted, variables, span)),
        }
    }

    fn atom(&mut self, atom: &Atom, variables: &VariableNames) -> String {
        let predicate = atom.signature();
        let args = atom.args.iter().enumerate();
        let args: Vec<String> = args
            .map(|(i, arg)| self.term(arg, Type::of(self.sorts.column(&predicate, i)), variables, atom.span))
            .collect();
        format!("{}({})", self.names[&predicate], args.join(", "))
    }

    /// A term in a place of a type.
    fn term(&mut self, term: &Term, wanted: Type, variables: &VariableNames, span: Span) -> String {
        let is_term = wanted == Type::Term;
        match term {
            Term::Variable(name) => variables.get(name).cloned().unwrap_or_else(|| "_".to_owned()),
            Term::Integer(n) if is_term => format!("$Integer({n})"),
            Term::Integer(n) => n.to_string(),
            Term::Float(float) => float.to_string(),
            Term::Symbol(name) => {
                let text = self.symbol(name, span);
                if is_term { format!("$Symbol({text})") } else { text }
            }
            Term::Compound(functor, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.term(arg, Type::Term, variables, span)).collect();
                match self.functors.get(&(functor.clone(), args.len())) {
                    Some(name) => format!("${name}({})", args.join(", ")),
                    None => {
                        self.refusals.add(span, format_args!("the functor `{functor}`"));
                        String::new()
                    }
                }
            }
        }
    }

    fn symbol(&mut self, name: &str, span: Span) -> String {
        if !can_be_written(name) {
            self.refusals.add(span, format_args!("the symbol {name:?}"));
        }
        format!("\"{name}\"")
    }

    /// A side of a comparison of values of one sort, computed. What has to hold besides is added to the conditions.
    fn value(
        &mut self,
        side: &Term,
        sort: Sort,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
        conditions: &mut Vec<String>,
    ) -> String {
        let Some((operation, operands)) = computed(side, Comparator::Is) else {
            return match side {
                Term::Variable(name) if Type::of(sorts.term(side)) == Type::Term => {
                    let [unpacked, value] = self.content_of(name, branch_of(sort), variables);
                    conditions.push(unpacked);
                    value
                }
                side => {
                    let wanted = if sort == Sort::INTEGER { Type::Number } else { Type::Symbol };
                    self.term(side, wanted, variables, span)
                }
            };
        };
        if operation.is_of_symbols() {
            self.refusals.add(span, "a function of symbols");
            return String::new();
        }
        if !operands.iter().all(|operand| sorts.side(operand, Comparator::Is).0.meets(Sort::INTEGER)) {
            conditions.push("1 = 2".to_owned());
            return "0".to_owned();
        }
        let values: Vec<String> = operands
            .iter()
            .map(|operand| self.value(operand, Sort::INTEGER, variables, sorts, span, conditions))
            .collect();
        match (operation, &values[..]) {
            (Operation::Add, [a, b]) => format!("({a} + {b})"),
            (Operation::Subtract, [a, b]) => format!("({a} - {b})"),
            (Operation::Multiply, [a, b]) => format!("({a} * {b})"),
            (Operation::Divide, [a, b]) => {
                conditions.push(format!("{b} != 0"));
                format!("({})", quotient(a, b))
            }
            (Operation::Modulo, [a, b]) => {
                conditions.push(format!("{b} != 0"));
                format!("({})", remainder(a, b))
            }
            (Operation::Negate, [a]) => format!("(-{a})"),
            (Operation::Minimum, [a, b]) => format!("min({a}, {b})"),
            (Operation::Maximum, [a, b]) => format!("max({a}, {b})"),
            (Operation::Absolute, [a]) => format!("max({a}, -{a})"),
            (Operation::BitAnd, [a, b]) => format!("({a} band {b})"),
            (Operation::BitOr, [a, b]) => format!("({a} bor {b})"),
            (Operation::BitXor, [a, b]) => format!("({a} bxor {b})"),
            (Operation::BitNot, [a]) => format!("(-1 - {a})"),
            (Operation::Power, [a, b]) => {
                conditions.push(format!("{b} >= 0"));
                format!("({a} ^ {b})")
            }
            _ => {
                self.refusals.add(span, "a shift, whose count may be more than the bits of a number");
                String::new()
            }
        }
    }
}

/// A remainder with the sign of the divisor, of one that has the sign of the dividend.
fn remainder(a: &str, b: &str) -> String {
    format!("({a} % {b} + {b}) % {b}")
}

/// A quotient rounded down, of one rounded towards zero.
fn quotient(a: &str, b: &str) -> String {
    format!("({a} - {}) / {b}", remainder(a, b))
}
