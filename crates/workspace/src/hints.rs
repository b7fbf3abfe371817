//! Remarks within rules: which arguments are bound where.

use crate::Analysis;
use crate::symbol::Symbol;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Name, Term};
use ludolog_syntax::diagnostic::SourceId;
use std::collections::{BTreeMap, HashSet};

/// A remark behind a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The byte behind the name.
    pub at: usize,
    /// The remark.
    pub text: String,
    /// What it means.
    pub meaning: String,
}

impl Analysis {
    /// The mode of each sub-goal of a text: `+` for an argument that is bound when the sub-goals are reached in their order,
    /// `-` for one that it binds. Of a program that may not run there are none.
    pub fn hints(&self, source: SourceId) -> Vec<Hint> {
        let Some(analyzed) = &self.analyzed else { return Vec::new() };
        let names = self.occurrences(source).filter(|one| matches!(one.symbol, Symbol::Predicate(..)));
        let ends: BTreeMap<u32, u32> = names.map(|one| (one.span.start, one.span.end)).collect();
        let mut hints = BTreeMap::new();
        for clause in &analyzed.stratified.program.rules {
            if clause.head.span.source == source {
                for (atom, mode) in modes(clause) {
                    // In `.kif`, the name stands behind a parenthesis.
                    if let Some((_, end)) = ends.range(atom.span.start..atom.span.end).next() {
                        hints.entry(*end as usize).or_insert(mode);
                    }
                }
            }
        }
        let meaning = "in the order as written: + an argument that is bound, - one that this sub-goal binds";
        hints.into_iter().map(|(at, text)| Hint { at, text, meaning: meaning.to_owned() }).collect()
    }
}

/// The positive sub-goals of a rule with their modes.
fn modes(clause: &Clause) -> Vec<(&Atom, String)> {
    let mut bound: HashSet<&Name> = HashSet::new();
    let mut found = Vec::new();
    for literal in clause.body.iter() {
        if let Literal::Positive(atom) = literal
            && !atom.args.is_empty()
        {
            let mode = atom.args.iter().map(|term| if is_bound(term, &bound) { '+' } else { '-' });
            found.push((atom, mode.collect()));
        }
        literal.for_each_variable(&mut |name| _ = bound.insert(name));
    }
    found
}

fn is_bound(term: &Term, bound: &HashSet<&Name>) -> bool {
    let mut all = true;
    term.for_each_variable(&mut |name| all &= bound.contains(name));
    all
}
