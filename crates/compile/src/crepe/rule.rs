//! A rule as rules of crepe.
//!
//! crepe binds variables of relations and of `let`; what a `for` binds counts as unbound, so a `let` follows. A variable that stands
//! twice in an atom, and what stands within a compound, is bound under another name and then compared. So are the constants of an atom
//! that is looked at only once: crepe would make an index for them.

use super::expression::Expressions;
use super::{ColumnType, Crate, reserved_variables};
use crate::condition::check_terms;
use crate::names;
use crate::sorts::computed;
use ludolog_logic::analysis::clause::{Aggregation, Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Term};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashSet;

/// A construct that crepe cannot say, with its place.
type Refused = (Span, &'static str);

/// Writes one rule.
pub(super) struct RuleWriter<'r> {
    names: &'r Crate<'r>,
    /// The number of the rule.
    number: usize,
    /// Whether the rule runs in one round.
    runs_once: bool,
    bound: FxHashSet<Name>,
    /// The number of intermediate variables.
    fresh: usize,
    clauses: Vec<String>,
}

impl<'r> RuleWriter<'r> {
    pub(super) fn new(names: &'r Crate<'r>, number: usize) -> Self {
        let rule = &names.program.rules[number];
        let runs_once = !names.program.has_recursive(rule, &rule.body);
        RuleWriter { names, number, runs_once, bound: FxHashSet::default(), fresh: 0, clauses: Vec::new() }
    }

    /// The rules of crepe. An aggregate that has a value of nothing is one rule for groups with tuples, and one for the others.
    pub(super) fn write(mut self, rule: &Clause) -> Result<Vec<String>, Refused> {
        let variables =
            names::of_variables(rule, &reserved_variables(), |_| false, |name| names::identifier(name).to_lowercase());
        let sorts = self.names.sorts.rule(self.number);
        let expressions = Expressions { variables: &variables, sorts, symbols: &self.names.symbols };
        let empties: Vec<usize> =
            rule.body.iter().enumerate().filter(|(_, one)| has_value_of_nothing(one)).map(|(i, _)| i).collect();
        let mut texts = Vec::new();
        for choice in 0..1usize << empties.len().min(8) {
            (self.bound, self.fresh, self.clauses) = Default::default();
            for (place, literal) in self.ordered(rule) {
                let is_empty =
                    empties.iter().position(|other| *other == place).is_some_and(|bit| choice >> bit & 1 == 1);
                self.literal(literal, place, is_empty, &expressions).map_err(|what| (literal.span(), what))?;
            }
            let predicate = rule.head.signature();
            let args = rule.head.args.iter().enumerate();
            let args: Vec<String> = args
                .map(|(i, arg)| expressions.term(arg, ColumnType::of(self.names.sorts.column(&predicate, i))))
                .collect();
            let head = format!("{}({})", self.names.relations[&predicate], args.join(", "));
            texts.push(super::layout::rule(&head, &self.clauses));
        }
        if empties.len() > 8 { Err((rule.span, "so many aggregates in one rule")) } else { Ok(texts) }
    }

    /// The literals with their places. Of two first atoms of the same variables that of a recursive predicate is scanned: an index of
    /// it would have to be kept up in each round.
    fn ordered<'b>(&self, rule: &'b Clause) -> Vec<(usize, &'b Literal)> {
        let mut literals: Vec<(usize, &Literal)> = rule.body.iter().enumerate().collect();
        if let [(_, Literal::Positive(first)), (_, Literal::Positive(second)), ..] = literals[..] {
            let has = |atom: &Atom, arg: &Term| matches!(arg, Term::Variable(_)) && atom.args.contains(arg);
            let is_recursive = |atom: &Atom| self.names.recursive.contains(&atom.signature());
            let is_same =
                first.args.iter().all(|arg| has(second, arg)) && second.args.iter().all(|arg| has(first, arg));
            if self.runs_once && is_same && is_recursive(second) && !is_recursive(first) {
                literals.swap(0, 1);
            }
        }
        literals
    }

    fn literal(
        &mut self,
        literal: &Literal,
        place: usize,
        is_empty: bool,
        expressions: &Expressions,
    ) -> Result<(), &'static str> {
        match literal {
            Literal::Positive(atom) => self.positive(atom, expressions),
            Literal::Negative(atom) => {
                let predicate = atom.signature();
                let args = atom.args.iter().enumerate();
                let args: Vec<String> = args
                    .map(|(i, arg)| expressions.term(arg, ColumnType::of(self.names.sorts.column(&predicate, i))))
                    .collect();
                self.clauses.push(format!("!{}({})", self.names.relations[&predicate], args.join(", ")));
            }
            Literal::Compare(comparison) => self.compare(comparison, expressions)?,
            Literal::NotCompare(comparison) => {
                check(comparison, expressions)?;
                self.clauses.push(format!("(!{})", condition(comparison, expressions)));
            }
            Literal::Member { element, elements, negated: false, .. } => self.member(element, elements, expressions),
            Literal::Member { element, elements, .. } => {
                let text = match elements {
                    Elements::List(list) => {
                        let list = expressions.term(list, ColumnType::Term);
                        match self.matches("e0", element, expressions, 1) {
                            any if any == "true" => format!("(elements({list}).next().is_none())"),
                            test => format!("(!elements({list}).any(|e0| {test}))"),
                        }
                    }
                    Elements::Range(from, to) => {
                        let [from, to] = [from, to].map(|bound| expressions.integer(bound, Comparator::Is));
                        if self.is_bound(element) {
                            format!("(!within({}, {from}, {to}))", expressions.integer(element, Comparator::Is))
                        } else {
                            format!("(range({from}, {to}).is_empty())")
                        }
                    }
                };
                self.clauses.push(text);
            }
            Literal::Aggregate(aggregation) => self.aggregate(aggregation, place, is_empty, expressions),
        }
        if !matches!(literal, Literal::Negative(_)) {
            literal.for_each_variable(&mut |name| _ = self.bound.insert(name.clone()));
        }
        Ok(())
    }

    fn fresh(&mut self) -> String {
        self.fresh += 1;
        format!("e_{}", self.fresh)
    }

    fn is_bound(&self, term: &Term) -> bool {
        let mut bound = true;
        term.for_each_variable(&mut |name| bound &= self.bound.contains(name));
        bound
    }

    fn positive(&mut self, atom: &Atom, expressions: &Expressions) {
        let predicate = atom.signature();
        let mut own: FxHashSet<&Name> = FxHashSet::default();
        let is_scanned = self.runs_once && self.clauses.is_empty();
        let mut args = Vec::new();
        let mut tests = Vec::new();
        let mut after = Vec::new();
        for (i, arg) in atom.args.iter().enumerate() {
            let wanted = ColumnType::of(self.names.sorts.column(&predicate, i));
            let is_new = match arg {
                Term::Variable(name) => self.bound.contains(name) || own.insert(name),
                arg => self.is_bound(arg),
            };
            if is_new && is_scanned && !matches!(arg, Term::Variable(_)) {
                let value = self.fresh();
                tests.push(format!("({value} == {})", expressions.term(arg, wanted)));
                args.push(value);
            } else if is_new {
                args.push(expressions.term(arg, wanted));
            } else {
                let value = self.fresh();
                args.push(value.clone());
                after.push((value, arg));
            }
        }
        self.clauses.push(format!("{}({})", self.names.relations[&predicate], args.join(", ")));
        self.clauses.extend(tests);
        self.bound.extend(own.into_iter().cloned());
        for (value, arg) in after {
            self.bind(&value, arg, expressions);
        }
    }

    /// Matches a value with a term, and binds the variables of the term.
    fn bind(&mut self, value: &str, term: &Term, expressions: &Expressions) {
        match term {
            Term::Variable(name) if !self.bound.contains(name) => {
                let name_ = expressions.variable(name);
                if name_ != "_" {
                    self.clauses.push(format!("let {name_} = {value}"));
                }
                self.bound.insert(name.clone());
            }
            Term::Compound(functor, args) if !self.is_bound(term) => {
                let mut parts = Vec::new();
                let mut after = Vec::new();
                for arg in args {
                    match arg {
                        Term::Variable(name) if self.bound.insert(name.clone()) => {
                            parts.push(expressions.variable(name).to_owned());
                        }
                        arg => {
                            let part = self.fresh();
                            parts.push(part.clone());
                            after.push((part, arg));
                        }
                    }
                }
                let functor = expressions.symbol_named(functor);
                self.clauses.push(format!("let Some([{}]) = parts({value}, {functor})", parts.join(", ")));
                for (part, arg) in after {
                    self.bind(&part, arg, expressions);
                }
            }
            term => {
                let wanted =
                    if matches!(term, Term::Variable(_)) { expressions.type_of(term) } else { ColumnType::Term };
                self.clauses.push(format!("({value} == {})", expressions.term(term, wanted)));
            }
        }
    }

    /// Whether a value matches a term whose unbound variables are nobody's.
    fn matches(&self, value: &str, term: &Term, expressions: &Expressions, depth: usize) -> String {
        match term {
            Term::Variable(name) if !self.bound.contains(name) => "true".to_owned(),
            Term::Compound(functor, args) if !self.is_bound(term) => {
                let parts: Vec<String> = (0..args.len()).map(|i| format!("e{depth}_{i}")).collect();
                let tests = parts.iter().zip(args).map(|(part, arg)| self.matches(part, arg, expressions, depth + 1));
                let tests: Vec<String> = tests.filter(|test| test != "true").collect();
                let test = if tests.is_empty() { "true".to_owned() } else { tests.join(" && ") };
                let parts: Vec<String> = parts
                    .into_iter()
                    .map(|part| if test.contains(&part) { part } else { format!("_{part}") })
                    .collect();
                format!(
                    "parts({value}, {}).is_some_and(|[{}]: [Term; {}]| {test})",
                    expressions.symbol_named(functor),
                    parts.join(", "),
                    args.len()
                )
            }
            term => format!("{value} == {}", expressions.term(term, ColumnType::Term)),
        }
    }

    fn member(&mut self, element: &Term, elements: &Elements, expressions: &Expressions) {
        match elements {
            Elements::List(list) => {
                let [each, value] = [self.fresh(), self.fresh()];
                let list = expressions.term(list, ColumnType::Term);
                self.clauses.push(format!("for {each} in elements({list})"));
                self.clauses.push(format!("let {value} = {each}"));
                self.bind(&value, element, expressions);
            }
            Elements::Range(from, to) => {
                let [from, to] = [from, to].map(|bound| expressions.integer(bound, Comparator::Is));
                if self.is_bound(element) {
                    let element = expressions.integer(element, Comparator::Is);
                    return self.clauses.push(format!("(within({element}, {from}, {to}))"));
                }
                let [each, value] = [self.fresh(), self.fresh()];
                self.clauses.push(format!("for {each} in range({from}, {to})"));
                let is_term = expressions.type_of(element) == ColumnType::Term;
                let each = if is_term { format!("Term::Integer({each})") } else { each };
                self.clauses.push(format!("let {value} = {each}"));
                self.bind(&value, element, expressions);
            }
        }
    }

    fn compare(&mut self, comparison: &Comparison, expressions: &Expressions) -> Result<(), &'static str> {
        let Comparison { comparator, left, right, .. } = comparison;
        check(comparison, expressions)?;
        let binds = matches!(comparator, Comparator::Is | Comparator::Equal);
        for (side, other) in [(left, right), (right, left)] {
            let Term::Variable(name) = side else { continue };
            if !binds || self.bound.contains(name) {
                continue;
            }
            let wanted = expressions.type_of(side);
            let name = expressions.variable(name);
            let clause = match (comparator, computed(other, *comparator)) {
                (_, None) if *comparator == Comparator::Equal || wanted != ColumnType::Term => {
                    format!("let {name} = {}", expressions.term(other, wanted))
                }
                _ => format!(
                    "let Some({name}) = {}",
                    match wanted {
                        ColumnType::Integer => expressions.integer(other, *comparator),
                        ColumnType::Symbol => expressions.symbol(other, *comparator),
                        ColumnType::Term => format!("value({})", expressions.value(other, *comparator)),
                    }
                ),
            };
            self.clauses.push(clause);
            return Ok(());
        }
        let text = self.test(comparison, expressions);
        self.clauses.push(text);
        Ok(())
    }

    /// A comparison of bound sides as a condition. Sides that are both integers, or both symbols, are computed before it.
    fn test(&mut self, comparison: &Comparison, expressions: &Expressions) -> String {
        let Comparison { comparator, left, right, .. } = comparison;
        let sides = [left, right];
        let [a, b] = sides.map(|side| expressions.type_of_value(side, *comparator));
        if a != b || a == ColumnType::Term || *comparator == Comparator::NotEqual {
            return condition(comparison, expressions);
        }
        let [left, right] = sides.map(|side| {
            if computed(side, *comparator).is_none() {
                return expressions.term(side, a);
            }
            let of_side = if a == ColumnType::Integer { Expressions::integer } else { Expressions::symbol };
            let value = self.fresh();
            self.clauses.push(format!("let Some({value}) = {}", of_side(expressions, side, *comparator)));
            value
        });
        format!("({left} {} {right})", sign(*comparator))
    }

    fn aggregate(&mut self, aggregation: &Aggregation, place: usize, is_empty: bool, expressions: &Expressions) {
        let predicate = aggregation.atom.signature();
        let group = aggregation.group().iter().enumerate();
        let mut group: Vec<String> = group
            .map(|(i, arg)| expressions.term(arg, ColumnType::of(self.names.sorts.column(&predicate, i))))
            .collect();
        let number = self.number;
        let value = self.fresh();
        if is_empty {
            self.clauses.push(format!("!Groups{number}At{place}({})", group.join(", ")));
            self.clauses.push(format!("let {value} = 0"));
        } else {
            group.push(value.clone());
            self.clauses.push(format!("Values{number}At{place}({})", group.join(", ")));
        }
        let is_chosen = aggregation.function.chooses();
        let of_result = expressions.type_of(&aggregation.result);
        let is_variable = matches!(aggregation.result, Term::Variable(_));
        let value = match of_result {
            ColumnType::Term if is_variable && !is_chosen => format!("Term::Integer({value})"),
            _ if is_variable => value,
            _ => format!("Term::from({value})"),
        };
        self.bind(&value, &aggregation.result, expressions);
    }
}

/// Whether the literal is an aggregate that has a value of no tuples.
fn has_value_of_nothing(literal: &Literal) -> bool {
    matches!(literal, Literal::Aggregate(aggregation) if aggregation.function.has_value_of_nothing())
}

fn check(comparison: &Comparison, expressions: &Expressions) -> Result<(), &'static str> {
    match comparison.comparator {
        Comparator::Equal | Comparator::NotEqual => check_terms(comparison, expressions.sorts),
        _ => Ok(()),
    }
}

/// A comparison of bound sides as a condition, in parentheses.
fn condition(comparison: &Comparison, expressions: &Expressions) -> String {
    let Comparison { comparator, left, right, .. } = comparison;
    let computes = [left, right].into_iter().any(|side| computed(side, *comparator).is_some());
    let [a, b] = [expressions.type_of(left), expressions.type_of(right)];
    let sign = sign(*comparator);
    let compares_terms = matches!(comparator, Comparator::Equal | Comparator::NotEqual);
    if !computes && (compares_terms || a == b && a != ColumnType::Term) {
        let common = if a == b { a } else { ColumnType::Term };
        return format!("({} {sign} {})", expressions.term(left, common), expressions.term(right, common));
    }
    if compares_terms && *comparator != Comparator::Equal {
        let [left, right] = [left, right].map(|side| expressions.optional(side, *comparator));
        return format!("({left} {sign} {right})");
    }
    let [left, right] = [left, right].map(|side| expressions.value(side, *comparator));
    let method = match comparator {
        Comparator::Is | Comparator::SameValue | Comparator::Equal | Comparator::Matches => "is_eq",
        Comparator::OtherValue | Comparator::NotEqual => "is_ne",
        Comparator::Less => "is_lt",
        Comparator::LessOrEqual => "is_le",
        Comparator::Greater => "is_gt",
        Comparator::GreaterOrEqual => "is_ge",
    };
    format!("(order({left}, {right}).is_some_and(|order| order.{method}()))")
}

fn sign(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Is | Comparator::SameValue | Comparator::Equal | Comparator::Matches => "==",
        Comparator::OtherValue | Comparator::NotEqual => "!=",
        Comparator::Less => "<",
        Comparator::LessOrEqual => "<=",
        Comparator::Greater => ">",
        Comparator::GreaterOrEqual => ">=",
    }
}
