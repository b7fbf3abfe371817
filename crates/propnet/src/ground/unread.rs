//! Arguments that nobody reads: a square that a line of sight may ignore, say, where no rule ever names one.
//!
//! An argument is read where a rule has a term for it, joins it with another subgoal, or hands it on to an argument of
//! its head that is read. The others are removed, because a predicate has a ground atom for each of their values.

use fixedbitset::FixedBitSet;
use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Literal};
use ludolog_syntax::ast::{Atom, Name, Predicate, Purpose, Term};
use rustc_hash::FxHashMap;

/// The predicates whose arguments are all read, by the machine or by grounding.
const ASKED: [&str; 11] =
    ["role", "init", "true", "does", "next", "legal", "goal", "terminal", "sees", "base", "input"];

/// By predicate: the arguments that are read.
type ReadArguments = FxHashMap<Predicate, FixedBitSet>;

/// Removes the arguments that nobody reads. A predicate that loses some gets another name.
pub fn remove(program: &mut CheckedProgram) {
    let read = read(program);
    let keep = |atom: &mut Atom| {
        if let Some(read) = read.get(&atom.signature()).filter(|read| !read.is_full()) {
            let args = read.ones().map(|place| atom.args[place].clone()).collect();
            *atom = Atom { span: atom.span, ..Atom::new(Purpose::Read(atom.signature()), args) };
        }
    };
    program.facts.iter_mut().for_each(keep);
    for rule in &mut program.rules {
        keep(&mut rule.head);
        rule.body.change(|literal| {
            if let Literal::Positive(atom) | Literal::Negative(atom) = literal {
                keep(atom);
            }
        });
    }
}

fn read(program: &CheckedProgram) -> ReadArguments {
    let mut read = ReadArguments::default();
    let rules = program.rules.iter();
    let heads = program.facts.iter().chain(rules.clone().map(|rule| &rule.head));
    for atom in heads.chain(rules.flat_map(|rule| rule.body.iter().filter_map(Literal::atom))) {
        let arity = atom.args.len();
        let places = read.entry(atom.signature()).or_insert_with(|| FixedBitSet::with_capacity(arity));
        if atom.predicate.written().is_some_and(|name| ASKED.contains(&name)) {
            places.insert_range(..);
        }
    }
    // Any rule that marks more starts another round.
    while program.rules.iter().any(|rule| mark(rule, &mut read)) {}
    read
}

/// Marks what a rule reads; whether that is more than was marked.
fn mark(rule: &Clause, read: &mut ReadArguments) -> bool {
    let mut uses: FxHashMap<&Name, usize> = FxHashMap::default();
    let of_head = &read[&rule.head.signature()];
    for (_, arg) in rule.head.args.iter().enumerate().filter(|(place, _)| of_head.contains(*place)) {
        arg.for_each_variable(&mut |name| *uses.entry(name).or_default() += 1);
    }
    for literal in &rule.body {
        literal.for_each_variable(&mut |name| *uses.entry(name).or_default() += 1);
    }
    let mut is_changed = false;
    for atom in rule.body.iter().filter_map(Literal::atom) {
        for (place, arg) in atom.args.iter().enumerate() {
            let is_read = !matches!(arg, Term::Variable(name) if uses[name] == 1);
            if is_read && let Some(places) = read.get_mut(&atom.signature()) {
                is_changed |= !places.put(place);
            }
        }
    }
    is_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_logic::analysis::analyze;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse};

    /// `ignored` goes round in a recursion and nobody reads it; `end` is joined, and `via` is a term in one place.
    #[test]
    fn what_only_goes_round_is_removed() {
        let text = "true(sight(1, 2)). goal(red, 100) :- line(I, V, E) & true(sight(E, E)).
            line(I, V, E) :- step(I, V, E).  line(I, V, E) :- line(I, V, F) & next(F, E). step(1, 2, 3). next(3, 4).";
        let mut sources = Sources::new();
        let source = sources.add("test.dl", text);
        let program = parse(source, &sources, Syntax::Datalog).into_result().expect("the rules parse");
        let mut program = analyze(&program).expect("the rules are sound").stratified.program;
        remove(&mut program);
        let arities = |name: &str| {
            let atoms =
                program.rules.iter().flat_map(|rule| rule.body.iter().filter_map(Literal::atom).chain([&rule.head]));
            atoms.filter(|atom| atom.predicate.text().starts_with(name)).map(|atom| atom.args.len()).collect::<Vec<_>>()
        };
        assert_eq!(arities("line"), [1, 1, 1, 1]);
        assert_eq!(arities("step"), [1]);
        assert_eq!(arities("next"), [2]);
        assert_eq!(program.facts.iter().filter(|fact| fact.to_string() == "'step@3'(3)").count(), 1);
    }
}
