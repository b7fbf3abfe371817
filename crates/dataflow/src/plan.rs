//! Plans: programs as graphs are built of them.

use crate::rules::width;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_logic::analysis::restratify;
use ludolog_logic::optimize::OptimizedProgram;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashSet;

/// A program as the graph is built of it.
#[derive(Debug)]
pub struct Plan {
    /// All predicates. Each has an input.
    pub predicates: Vec<Predicate>,
    /// The rules of each stratum that has some, in the order of evaluation.
    pub strata: Vec<Vec<Clause>>,
    /// The cells of the widest row.
    pub width: usize,
}

impl Plan {
    /// The plan of a program. Closures run by their rules.
    ///
    /// # Errors
    ///
    /// [`Stopped::Unsupported`], when the program depends on its own negation.
    pub fn of(program: &OptimizedProgram) -> Result<Plan, Stopped> {
        let mut checked = program.stratified.program.clone();
        let closures = program.closures.iter();
        checked.rules.extend(closures.flat_map(|closure| rules_of(&closure.predicate, &closure.base, &closure.step)));
        let (mut predicates, mut known) = (Vec::new(), FxHashSet::default());
        checked.for_each_atom(&mut |atom| {
            if known.insert(atom.signature()) {
                predicates.push(atom.signature());
            }
        });
        checked.facts.clear();
        let widest = predicates.iter().map(|predicate| predicate.arity);
        let width = widest.chain(checked.rules.iter().map(width)).max().unwrap_or(0);
        let stratified = restratify(checked)
            .ok_or_else(|| Stopped::Unsupported("the program depends on its own negation".to_owned()))?;
        let rules = stratified.program.rules_by_head();
        let of_stratum = |stratum: &Vec<Predicate>| -> Vec<Clause> {
            stratum.iter().filter_map(|head| rules.get(head)).flatten().map(|rule| (*rule).clone()).collect()
        };
        let strata = stratified.strata.iter().map(of_stratum).filter(|rules| !rules.is_empty()).collect();
        Ok(Plan { predicates, strata, width })
    }

    /// Whether the rules of a stratum depend on each other.
    pub fn is_recursive(stratum: &[Clause]) -> bool {
        let heads: FxHashSet<Predicate> = stratum.iter().map(|rule| rule.head.signature()).collect();
        let mut read = stratum.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom);
        read.any(|atom| heads.contains(&atom.signature()))
    }
}

/// The rules of a closure.
fn rules_of(predicate: &Predicate, base: &Predicate, step: &Predicate) -> [Clause; 2] {
    let context: Vec<Term> = (2..predicate.arity).map(|column| Term::variable(&format!("C{column}"))).collect();
    let atom = |predicate: &Predicate, from: &str, to: &str| {
        Atom::new(&predicate.name, [&context[..], &[Term::variable(from), Term::variable(to)]].concat())
    };
    let positive = Literal::Positive;
    [
        Clause { head: atom(predicate, "X", "Y"), body: vec![positive(atom(base, "X", "Y"))], span: Span::NONE },
        Clause {
            head: atom(predicate, "X", "Z"),
            body: vec![positive(atom(predicate, "X", "Y")), positive(atom(step, "Y", "Z"))],
            span: Span::NONE,
        },
    ]
}
