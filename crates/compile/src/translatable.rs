//! The program that is translated, with what goes in and what comes out.

use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Goal, Literal, StratifiedProgram, TransitionClause};
use ludolog_logic::analysis::well_founded::{Founded, NegativeComponent, ThreeValued};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A program to be translated: facts, rules, and the predicates that go in and come out.
#[derive(Clone, Debug)]
pub struct Translatable {
    /// The facts of the program.
    pub(crate) facts: Vec<Atom>,
    /// The facts of the case.
    pub(crate) case: Vec<Atom>,
    pub(crate) rules: Vec<Clause>,
    pub(crate) transitions: Vec<TransitionClause>,
    pub(crate) constraints: Vec<Goal>,
    /// The predicates that are read and that neither facts nor rules define.
    pub(crate) undefined: BTreeSet<Predicate>,
    /// The predicates whose facts are the result.
    pub(crate) outputs: BTreeSet<Predicate>,
    /// The place of a rule of a predicate that depends on its own negation; `None` without any.
    pub(crate) well_founded: Option<Span>,
    /// The place of a head with a lattice column; `None` without any.
    pub(crate) lattice: Option<Span>,
    /// The place of a rule that chooses; `None` without any.
    pub(crate) choice: Option<Span>,
    /// The number of the stratum of each predicate that is defined.
    strata: FxHashMap<Predicate, usize>,
    /// Whether many facts may stand in files beside the program.
    pub(crate) has_files: bool,
}

impl Translatable {
    /// A program with the facts of a case and the predicates whose facts are asked for.
    pub fn new(stratified: &StratifiedProgram, case: Vec<Atom>, outputs: BTreeSet<Predicate>) -> Self {
        let program = &stratified.program;
        let needed = needed(program, &outputs);
        let is_needed = |atom: &Atom| needed.contains(&atom.signature());
        let rules: Vec<Clause> = program.rules.iter().filter(|rule| is_needed(&rule.head)).cloned().collect();
        let known: FxHashSet<Predicate> =
            program.defined().into_iter().chain(case.iter().map(Atom::signature)).collect();
        let read = rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom).map(Atom::signature);
        // A part of a split predicate that nothing defines is empty, whatever the case has.
        let is_open = |predicate: &Predicate| !known.contains(predicate) && !predicate.is_auxiliary();
        let undefined = read.chain(outputs.iter().cloned()).filter(is_open).collect();
        let numbered = stratified.strata.iter().enumerate();
        let strata = numbered.flat_map(|(i, stratum)| stratum.iter().map(move |predicate| (predicate.clone(), i)));
        let well_founded = negative_cycle(&program.three_valued, &needed);
        let heads =
            program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head)).filter(|head| is_needed(head));
        let lattice = heads.into_iter().find(|head| program.lattices.contains_key(&head.signature()));
        let choice = rules.iter().find(|rule| program.choices.contains_key(&rule.head.signature()));
        let choice = choice.map(|rule| rule.span);
        Translatable {
            well_founded,
            choice,
            lattice: lattice.map(|head| head.span),
            facts: program.facts.iter().filter(|fact| is_needed(fact)).cloned().collect(),
            case: case.into_iter().filter(is_needed).collect(),
            rules,
            transitions: program.transitions.clone(),
            constraints: program.constraints.clone(),
            strata: strata.collect(),
            undefined,
            outputs,
            has_files: false,
        }
    }

    /// The same, where facts of which there are many stand in files of their own beside the program, for systems that take long to compile them. These
    /// are read from the folder where the system is started.
    #[must_use]
    pub fn with_files(self) -> Self {
        Self { has_files: true, ..self }
    }

    /// All facts, those of the case included, each once.
    pub(crate) fn all_facts(&self) -> impl Iterator<Item = &Atom> {
        let mut seen = FxHashSet::default();
        self.facts.iter().chain(&self.case).filter(move |fact| seen.insert(*fact))
    }

    /// All predicates: those that are written before those that passes have made.
    pub(crate) fn predicates(&self) -> Vec<Predicate> {
        let literals = self.rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom);
        let atoms = self.all_facts().chain(self.rules.iter().map(|rule| &rule.head)).chain(literals);
        let all: BTreeSet<Predicate> = atoms.map(Atom::signature).chain(self.outputs.iter().cloned()).collect();
        let mut all: Vec<Predicate> = all.into_iter().collect();
        all.cold_sort_by_key(Predicate::is_auxiliary);
        all
    }

    /// Whether the atom stands for the recursion of a rule's head.
    pub(crate) fn is_recursive(&self, rule: &Clause, atom: &Atom) -> bool {
        let stratum = |atom: &Atom| self.strata.get(&atom.signature());
        stratum(atom).is_some() && stratum(atom) == stratum(&rule.head)
    }

    /// Whether one of the literals reads the recursion of a rule's head.
    pub(crate) fn has_recursive(&self, rule: &Clause, literals: &[Literal]) -> bool {
        literals.iter().filter_map(Literal::atom).any(|atom| self.is_recursive(rule, atom))
    }

    /// The predicates that depend on themselves.
    pub(crate) fn recursive(&self) -> BTreeSet<Predicate> {
        let is_recursive = |rule: &&Clause| self.has_recursive(rule, &rule.body);
        self.rules.iter().filter(is_recursive).map(|rule| rule.head.signature()).collect()
    }
}

/// The place of a rule of a needed predicate that depends on its own negation. No rule is left of such a predicate itself.
fn negative_cycle(three_valued: &ThreeValued, needed: &FxHashSet<Predicate>) -> Option<Span> {
    let has_copy = |of: &Founded| {
        let copies = three_valued.decided.iter().filter(|decided| decided.predicate == of.predicate);
        copies.map(|decided| &decided.copy).any(|copy| needed.contains(copy))
    };
    let is_read = |of: &Founded| needed.contains(&of.predicate) || needed.contains(&of.possible) || has_copy(of);
    let is_needed = |component: &&NegativeComponent| component.predicates.iter().any(is_read);
    let component = three_valued.components.iter().find(is_needed)?;
    let written = component.instances.iter().find_map(|rule| rule.written.as_ref());
    Some(written.map_or(Span::NONE, |rule| rule.span))
}

/// The predicates that the outputs depend on, and these.
fn needed(program: &CheckedProgram, outputs: &BTreeSet<Predicate>) -> FxHashSet<Predicate> {
    let rules = program.rules_by_head();
    let mut needed: FxHashSet<Predicate> = outputs.iter().cloned().collect();
    let mut open: Vec<Predicate> = outputs.iter().cloned().collect();
    while let Some(predicate) = open.pop() {
        for atom in rules.get(&predicate).into_iter().flatten().flat_map(|rule| &rule.body).filter_map(Literal::atom) {
            if needed.insert(atom.signature()) {
                open.push(atom.signature());
            }
        }
    }
    needed
}
