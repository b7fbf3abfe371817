//! Positions as cases of programs.

use ludolog_engine::Case;
use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::{Position, PositionFacts};
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_syntax::ast::{Atom, Predicate, Term};

/// The case of a position for a program: the stones are events, one after the other, if the program has transition
/// rules on
/// `place/2`; otherwise they are facts.
pub fn case(position: &Position, program: &StratifiedProgram) -> Case {
    let PositionFacts { geometry, position: facts } = position.facts();
    let place = Predicate::new("place", 2);
    let conditions = program.program.transitions.iter().flat_map(|transition| &transition.conditions);
    if conditions.filter_map(|literal| literal.atom()).any(|atom| atom.signature() == place) {
        Case { geometry, events: position.events(), ..Case::default() }
    } else {
        Case { geometry, ..Case::of_facts(facts) }
    }
}

/// The position that facts and events `place(P, X)` describe, without the order of moves. `None` if they do not
/// describe a board, or if a stone is outside it or on an occupied cell.
pub(crate) fn position_of<'a>(facts: impl Iterator<Item = &'a Atom> + Clone) -> Option<Position> {
    let side = |name: &str| {
        facts.clone().find_map(|fact| match &fact.args[..] {
            [Term::Integer(side)] if fact.predicate == name => usize::try_from(*side).ok(),
            _ => None,
        })
    };
    let board = Board::new(side("columns")?, side("rows")?)?;
    let mut position = Position::new(board);
    for fact in facts.filter(|fact| matches!(fact.predicate.written(), Some("stone" | "place"))) {
        let [Term::Symbol(player), Term::Integer(number)] = &fact.args[..] else { return None };
        let cell = board.cell_of_number(usize::try_from(*number).ok()?)?;
        if !position.place(player.parse::<Player>().ok()?, cell) {
            return None;
        }
    }
    Some(position)
}

/// The predicates that describe positions.
const OF_POSITION: [(&str, usize); 7] =
    [("columns", 1), ("rows", 1), ("cell", 1), ("player", 1), ("empty", 1), ("to_move", 1), ("stone", 2)];

/// The predicates that describe positions. Some positions have no facts of some of them.
pub fn position_predicates() -> Vec<Predicate> {
    OF_POSITION.iter().map(|&(name, arity)| Predicate::new(name, arity)).collect()
}

/// Whether the predicate of a fact describes positions.
pub(crate) fn is_of_position(fact: &Atom) -> bool {
    OF_POSITION.iter().any(|&(name, arity)| fact.predicate == name && fact.args.len() == arity)
}
