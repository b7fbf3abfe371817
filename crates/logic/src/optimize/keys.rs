//! *Keys*: a subgoal that others meet where both compute the same value is derived with this value, by which it is looked up.
//!
//! ```text
//! rhyme(A, B) :- word(A) & word(B) & A < B & substring(A, 0, 3) =:= substring(B, 0, 3).
//!
//! rhyme@key1(B, Key) :- word(B) & Key is substring(B, 0, 3).
//! rhyme(A, B) :- word(A) & Key is substring(A, 0, 3) & rhyme@key1(B, Key) & A < B.
//! ```
//!
//! The body as written meets all pairs, and computes both sides of each. This is the hash join on expressions (G. Graefe, *Query evaluation techniques
//! for large databases*, ACM Computing Surveys 25, 1993), whose table is a relation here. In `K is substring(A, 0, 3) & K is substring(B, 0, 3)`, and
//! where a subgoal has `K`, the value has its name already.
//!
//! `=:=` and `is` both tell numbers and symbols alone, of which equal ones are the same term. Functions in Rust may have other values, and stay in `=:=`.

use super::binding::{ClauseVariables, LiteralShape};
use super::parts::{PartKind, PartedRule, first_head, take_parts};
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use super::selectivity::assigned;
use crate::analysis::clause::{Clause, Literal};
use crate::analysis::fresh_variable;
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Purpose, Term};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::functions;

/// The share of a rule's cost that must be left: a relation more takes memory.
const GAIN: f64 = 0.5;

/// The pass. It pays where the cost model expects less work than before. It is right whatever the facts are: it closes
/// the predicates that it makes, and no others.
pub struct Keys;

impl Pass for Keys {
    fn name(&self) -> &'static str {
        "keys"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        take_parts(work, &KEYS, f64::INFINITY, context)
    }

    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        take_parts(work, &KEYS, GAIN, context).map(PassReport::if_changed)
    }
}

const KEYS: PartKind = PartKind { ways: key_ways, needs_rows: "none is looked up by what it computes" };

/// A value that a subgoal may be derived with.
struct KeyValue<'r> {
    /// The expression that computes it of the subgoal.
    expression: &'r Term,
    /// The literal with the expression.
    literal: usize,
    /// The other expression that computes it, or the variable that has it.
    other: &'r Term,
}

/// Adds the ways to derive a subgoal of a rule with a value that is computed of it.
fn key_ways(number: usize, rule: &Clause, ways: &mut Vec<PartedRule>, made: &mut usize) {
    let values = key_values(rule);
    if values.is_empty() {
        return;
    }
    let variables = ClauseVariables::of(&rule.head.args, &rule.body);
    let shapes: Vec<LiteralShape> = rule.body.iter().map(|literal| LiteralShape::new(literal, &variables)).collect();
    for value in &values {
        let computed_of = variables.set(value.expression);
        let others = variables.set(value.other);
        for subgoal in 0..rule.body.len() {
            let of_subgoal = &shapes[subgoal].variables;
            let is_computed = matches!(rule.body[subgoal], Literal::Positive(_))
                && !computed_of.is_clear()
                && computed_of.is_subset(of_subgoal);
            let binds_other = |(i, shape): (usize, &LiteralShape)| {
                i != subgoal && i != value.literal && binds(&rule.body[i]) && !shape.variables.is_disjoint(&others)
            };
            // The subgoal binds nothing of the other side, which others bind.
            let is_met = others.is_disjoint(of_subgoal) && shapes.iter().enumerate().any(binds_other);
            if is_computed && is_met {
                let key = Key { variables: &variables, shapes: &shapes, subgoal, value };
                ways.extend(key.parted(number, rule, made));
            }
        }
    }
}

/// Whether a literal may bind variables.
fn binds(literal: &Literal) -> bool {
    matches!(literal, Literal::Positive(_) | Literal::Member { negated: false, .. } | Literal::Aggregate(_))
        || assigned(literal).is_some()
}

/// The values that equations of two expressions name, from both sides, and those of variables.
fn key_values(rule: &Clause) -> Vec<KeyValue<'_>> {
    let mut values = Vec::new();
    for (literal, comparison) in rule.body.iter().enumerate() {
        let Literal::Compare(Comparison { comparator, left, right, .. }) = comparison else { continue };
        match (comparator, left, right) {
            (Comparator::SameValue, Term::Compound(..), Term::Compound(..))
                if !has_registered(left) && !has_registered(right) =>
            {
                values.push(KeyValue { expression: left, literal, other: right });
                values.push(KeyValue { expression: right, literal, other: left });
            }
            (Comparator::Is, Term::Variable(_), Term::Compound(..)) => {
                values.push(KeyValue { expression: right, literal, other: left });
            }
            _ => {}
        }
    }
    values
}

/// Whether a function in Rust stands in an expression.
fn has_registered(expression: &Term) -> bool {
    let Term::Compound(name, terms) = expression else { return false };
    functions::find(name, terms.len()).is_some() || terms.iter().any(has_registered)
}

/// A subgoal that is derived with a value.
struct Key<'r> {
    variables: &'r ClauseVariables<'r>,
    shapes: &'r [LiteralShape],
    subgoal: usize,
    value: &'r KeyValue<'r>,
}

impl Key<'_> {
    /// The rule with the subgoal on its own; `None` if its body would not be safe without the expression.
    fn parted(&self, number: usize, rule: &Clause, made: &mut usize) -> Option<PartedRule> {
        let KeyValue { expression, literal, other } = *self.value;
        let key = match other {
            Term::Variable(_) => other.clone(),
            _ => fresh_variable("key".to_owned(), |name| self.variables.has(name)),
        };
        let of_subgoal = &self.shapes[self.subgoal].variables;
        let is_test = |i: usize| {
            let is_ready = self.shapes[i].variables.is_subset(of_subgoal) && self.shapes[i].is_ready(of_subgoal);
            i != literal && !matches!(rule.body[i], Literal::Positive(_)) && is_ready
        };
        let is_part = |i: usize| i == self.subgoal || is_test(i);
        let computed = |right: &Term| {
            let left = key.clone();
            Literal::Compare(Comparison { comparator: Comparator::Is, left, right: right.clone(), span: rule.span })
        };
        let mut needed: Vec<&Name> = Vec::new();
        let outside = (0..rule.body.len()).filter(|&i| !is_part(i) && i != literal);
        outside.for_each(|i| rule.body[i].for_each_variable(&mut |name| needed.push(name)));
        rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| needed.push(name)));
        let mut args: Vec<Term> = Vec::new();
        rule.body[self.subgoal].for_each_variable(&mut |name| {
            let variable = Term::Variable(name.clone());
            if needed.contains(&name) && !args.contains(&variable) {
                args.push(variable);
            }
        });
        args.push(key.clone());
        let head = Atom::new(Purpose::Key { of: first_head(rule), number: *made + 1 }, args);
        let mut part: Vec<Literal> =
            (0..rule.body.len()).filter(|&i| is_part(i)).map(|i| rule.body[i].clone()).collect();
        part.push(computed(expression));
        let in_place = |i: usize| match i {
            _ if i == self.subgoal => Some(Literal::Positive(head.clone())),
            _ if i == literal => matches!(other, Term::Compound(..)).then(|| computed(other)),
            _ => (!is_part(i)).then(|| rule.body[i].clone()),
        };
        let rest: Vec<Literal> = (0..rule.body.len()).filter_map(in_place).collect();
        let part = Clause { head: head.clone(), body: part.into(), span: rule.span };
        let rest = Clause { body: rest.into(), ..rule.clone() };
        let is_safe = part.is_safe() && rest.is_safe();
        *made += usize::from(is_safe);
        is_safe.then_some(PartedRule { rule: number, part, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::Optimization;
    use crate::optimize::testing::rules_after;

    fn forced(source: &str) -> Vec<String> {
        rules_after(source, Optimization::Passes(vec![&Keys]))
    }

    #[test]
    fn subgoals_are_derived_with_what_is_computed_of_them() {
        let rules = forced("p(A, B) :- a(A) & b(B, C, D) & A < B & C > 1 & A mod 7 =:= B + 2.");
        let expected = [
            "p(A, B) :- 'p@key3'(A, Key) & 'p@key2'(B, Key) & A < B.",
            "'p@key2'(B, Key) :- b(B, C, D) & C > 1 & Key is B + 2.",
            "'p@key3'(A, Key) :- a(A) & Key is A mod 7.",
        ];
        assert_eq!(sorted(rules), sorted(expected.map(str::to_owned).into()));
    }

    #[test]
    fn a_value_that_has_a_name_keeps_it() {
        let rules = forced("p(A, K) :- a(A) & K is A + 1 & b(B) & K is length(B).");
        assert!(rules.iter().any(|rule| rule.contains("& K is length(B).")), "{rules:?}");
        let rules = forced("p(A) :- p(B) & w(A) & B is substring(A, 1, 3).");
        assert!(rules.iter().any(|rule| rule == "'p@key1'(A, B) :- w(A) & B is substring(A, 1, 3)."), "{rules:?}");
    }

    #[test]
    fn what_one_subgoal_computes_for_itself_stays() {
        for stays in [
            "p(A) :- a(A, B) & A + 1 =:= B * 2.",
            "p(A, K) :- a(A) & K is A + 1.",
            "p(A, K) :- a(A) & b(B) & K is A + 1 & K > B.",
            "p(A) :- a(A) & b(B) & A + B =:= A - B.",
            "p(A) :- a(A) & ~b(A) & A mod 3 =:= 2.",
        ] {
            assert_eq!(forced(stays), [stays]);
        }
    }

    /// Of 300 and 300 rows, and of 300 and one.
    #[test]
    fn auto_makes_keys_where_many_meet_many() {
        let few = "a(7). ";
        let many: String = (0..300).map(|i| format!("a({i}). ")).collect();
        let others: String = (0..300).map(|i| format!("b({i}). ")).collect();
        let rule = "p(A, B) :- a(A) & b(B) & A * 5 mod 301 =:= B * 7 mod 301. ";
        for (facts, count) in [(&many[..], 2), (few, 1)] {
            let rules = rules_after(&format!("{rule}{facts}{others}"), Optimization::Auto);
            assert_eq!(rules.len(), count, "{rules:?}");
        }
    }

    fn sorted(mut rules: Vec<String>) -> Vec<String> {
        rules.sort();
        rules
    }
}
