//! Remarks within rules: which arguments are bound where, and what the questions of the text ask of each predicate.

use crate::Analysis;
use crate::findings::questions;
use crate::symbol::Symbol;
use ludolog_logic::analysis::clause::{Goal, Literal, StratifiedProgram};
use ludolog_logic::analysis::goal;
use ludolog_syntax::ast::{Atom, Name, Predicate, Term};
use ludolog_syntax::diagnostic::{SourceId, Sources, Span};
use ludolog_syntax::parse_goal;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Binding patterns of one predicate that are followed; with more, every argument counts as unbound.
const MOST_PATTERNS: usize = 4;

/// A remark behind a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The byte behind the name.
    pub at: usize,
    /// The remark.
    pub text: String,
    /// What it means.
    pub meaning: &'static str,
}

/// What the signs behind a sub-goal mean.
const MODE: &str = "in the order as written: + an argument that is bound, - one that this sub-goal binds";

/// What the signs behind a head mean.
const DEMAND: &str = "how the questions of this text ask for it, in the order as written: + an argument that is bound when the \
                      rules are entered, - one that they find; demand derives only what is asked so";

impl Analysis {
    /// The mode of each sub-goal of a text: `+` for an argument that is bound when the sub-goals are reached in their order,
    /// `-` for one that it binds. Behind the head of a predicate's first rule stand the binding patterns in which the questions of
    /// the text, in its comments and as queries, ask for it. Of a program that may not run there are none.
    pub fn hints(&self, source: SourceId) -> Vec<Hint> {
        let Some(analyzed) = &self.analyzed else { return Vec::new() };
        let program = &analyzed.stratified.program;
        let names = self.occurrences(source).filter(|one| matches!(one.symbol, Symbol::Predicate(..)));
        let ends: BTreeMap<u32, u32> = names.map(|one| (one.span.start, one.span.end)).collect();
        // In `.kif`, the name stands behind a parenthesis.
        let end = |atom: &Atom| ends.range(atom.span.start..atom.span.end).next().map(|(_, end)| *end as usize);
        let demanded = self.demand(source, &analyzed.stratified);
        let mut hints = BTreeMap::new();
        let mut entered = HashSet::new();
        for clause in program.rules.iter().filter(|clause| clause.head.span.source == source) {
            let predicate = clause.head.signature();
            if let (Some(at), Some(patterns)) = (end(&clause.head), demanded.get(&predicate))
                && entered.insert(predicate)
            {
                let asked = patterns.iter().map(|pattern| signs(pattern)).collect::<Vec<_>>().join(", ");
                hints.entry(at).or_insert((format!("asked {asked}"), DEMAND));
            }
            modes(clause.body.iter(), &HashSet::new(), |atom, pattern| {
                if let Some(at) = end(atom) {
                    hints.entry(at).or_insert((signs(&pattern), MODE));
                }
            });
        }
        for transition in program.transitions.iter().filter(|transition| transition.span.source == source) {
            modes(transition.conditions.iter(), &HashSet::new(), |atom, pattern| {
                if let Some(at) = end(atom) {
                    hints.entry(at).or_insert((signs(&pattern), MODE));
                }
            });
        }
        hints.into_iter().map(|(at, (text, meaning))| Hint { at, text, meaning }).collect()
    }

    /// The binding patterns in which the questions of a text ask for predicates with rules, themselves and through these rules: the
    /// adornments of magic sets (Beeri and Ramakrishnan, *On the power of magic*, 1991, section 3), bindings handed on from left to
    /// right as written. Each rule is entered once for each pattern of its head.
    fn demand(&self, source: SourceId, program: &StratifiedProgram) -> HashMap<Predicate, BTreeSet<Vec<bool>>> {
        let syntax = self.loaded.program.syntax_at(Span { source, start: 0, end: 0 });
        let inputs = self.loaded.facts.predicates();
        let asked = questions(self, source).into_iter().filter_map(|question| {
            let query = parse_goal(&question.goal, &mut Sources::new(), Some(syntax)).ok()?;
            goal(&query, program, &inputs).ok()
        });
        let asked: Vec<Goal> = asked.collect();
        let stated = program.program.queries.iter();
        let rules = program.program.rules_by_head();
        let mut demanded: HashMap<Predicate, BTreeSet<Vec<bool>>> = HashMap::new();
        let mut open: Vec<(Predicate, Vec<bool>)> = Vec::new();
        let mut ask = |atom: &Atom, mut pattern: Vec<bool>, open: &mut Vec<(Predicate, Vec<bool>)>| {
            let predicate = atom.signature();
            if rules.contains_key(&predicate) {
                let patterns = demanded.entry(predicate.clone()).or_default();
                if patterns.len() >= MOST_PATTERNS {
                    pattern.fill(false);
                }
                if patterns.insert(pattern.clone()) {
                    open.push((predicate, pattern));
                }
            }
        };
        for goal in stated.chain(&asked) {
            modes(goal.body.iter(), &HashSet::new(), |atom, pattern| ask(atom, pattern, &mut open));
        }
        while let Some((predicate, pattern)) = open.pop() {
            for rule in rules.get(&predicate).into_iter().flatten() {
                let mut bound = HashSet::new();
                for (term, _) in rule.head.args.iter().zip(&pattern).filter(|(_, is_bound)| **is_bound) {
                    term.for_each_variable(&mut |name| _ = bound.insert(name));
                }
                modes(rule.body.iter(), &bound, |atom, pattern| ask(atom, pattern, &mut open));
            }
        }
        demanded
    }
}

fn signs(pattern: &[bool]) -> String {
    pattern.iter().map(|is_bound| if *is_bound { '+' } else { '-' }).collect()
}

/// Tells the positive sub-goals of a body with which of their arguments are bound, if these variables are at first.
fn modes<'b>(
    body: impl Iterator<Item = &'b Literal>,
    bound: &HashSet<&'b Name>,
    mut tell: impl FnMut(&'b Atom, Vec<bool>),
) {
    let mut bound = bound.clone();
    for literal in body {
        if let Literal::Positive(atom) = literal
            && !atom.args.is_empty()
        {
            tell(atom, atom.args.iter().map(|term| is_bound(term, &bound)).collect());
        }
        literal.for_each_variable(&mut |name| _ = bound.insert(name));
    }
}

fn is_bound(term: &Term, bound: &HashSet<&Name>) -> bool {
    let mut all = true;
    term.for_each_variable(&mut |name| all &= bound.contains(name));
    all
}
