//! The ground rules of a game as a graph.

use super::Symmetry;
use super::automorphisms::ColoredGraph;
use crate::ground::{AtomId, GroundGame, GroundLiteral, Keyword};
use crate::net::Net;
use ludolog_engine::value::Value;
use ludolog_game::Move;
use ludolog_syntax::ast::Term;
use ludolog_syntax::content::mix;
use rustc_hash::{FxHashMap, FxHashSet};

/// Passes in which rules are replaced by their bodies: conjunctions that nest twice as deep take one more.
const MAX_NESTING: usize = 5;

/// Most literals of a body after that.
const MAX_BODY: usize = 64;

/// The graph of a game; the vertices that matter are its facts, then its moves, as the net numbers them.
pub struct GameGraph {
    pub graph: ColoredGraph,
    facts: usize,
    /// By vertex that matters: the number of its fact or move.
    number: FxHashMap<u32, u32>,
}

/// Kinds of vertices; goals have values and roles besides, moves roles.
const ATOM: u64 = 1;
const RULE: u64 = 2;
const FACT: u64 = 3;
const INITIAL: u64 = 4;
const MOVE: u64 = 5;
const TERMINAL: u64 = 6;
const GOAL: u64 = 7;
const IDLE_FACT: u64 = 8;

/// Kinds of edges.
const HEAD: u8 = 0;
const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;
const NOW: u8 = 3;
const NEXT: u8 = 4;
const LEGAL: u8 = 5;
const DOES: u8 = 6;

impl GameGraph {
    /// The graph of a game, of which the net is made.
    pub fn new(game: &GroundGame, net: &Net) -> GameGraph {
        let mut colors: Vec<u64> = Vec::new();
        let mut edges: Vec<(u32, u8, u32)> = Vec::new();
        let mut vertices: FxHashMap<(Option<Value>, Value), u32> = FxHashMap::default();
        let initial: FxHashSet<Value> = game.initial.iter().copied().collect();
        let numbers: FxHashMap<&Term, u32> = (0..).zip(&net.facts).map(|(number, fact)| (&fact.term, number)).collect();
        let mut names: FxHashMap<(usize, &Term), u32> = FxHashMap::default();
        let mut count = 0;
        for (place, role) in net.roles.iter().enumerate() {
            for made in &role.moves {
                names.insert((place, &made.term), count);
                count += 1;
            }
        }
        // All get their vertices: facts are initial or come next, moves are legal.
        let mut facts = vec![0; net.facts.len()];
        let mut moves = vec![0; count as usize];
        let mut number: FxHashMap<u32, u32> = FxHashMap::default();
        let bodies = flattened(game);
        let mut atoms: Vec<Option<u32>> = vec![None; game.len()];
        for atom in read(game, &bodies) {
            atoms[atom as usize] = Some(colors.len() as u32);
            colors.push(ATOM);
        }
        // A fact or a move is one vertex for all atoms that are about it.
        let mut vertex = |colors: &mut Vec<u64>, role: Option<Value>, value: Value| {
            *vertices.entry((role, value)).or_insert_with(|| {
                let vertex = colors.len() as u32;
                let term = game.term(value);
                let place = role.and_then(|role| game.roles.iter().position(|other| *other == role));
                let known = match (role, place) {
                    (None, _) => numbers.get(&term).map(|&number| (&mut facts, number)),
                    (Some(_), place) => {
                        place.and_then(|place| names.get(&(place, &term))).map(|&number| (&mut moves, number))
                    }
                };
                colors.push(match (role, known.is_some()) {
                    (None, _) if initial.contains(&value) => INITIAL,
                    (None, true) => FACT,
                    (None, false) => IDLE_FACT,
                    (Some(_), is_known) => {
                        mix(mix(MOVE, u64::from(is_known)), place.map_or(0, |place| place as u64 + 1))
                    }
                });
                if let Some((of, known)) = known {
                    of[known as usize] = vertex;
                    number.insert(vertex, known);
                }
                vertex
            })
        };
        for &fact in &game.initial {
            vertex(&mut colors, None, fact);
        }
        // Also those that no rule reads.
        for atom in 0..game.len() as AtomId {
            if let (Some(Keyword::Next), &[fact]) = game.keyword(atom) {
                vertex(&mut colors, None, fact);
            }
        }
        for atom in 0..game.len() as AtomId {
            let Some(there) = atoms[atom as usize] else { continue };
            match game.keyword(atom) {
                (Some(Keyword::Terminal), _) => colors[there as usize] = TERMINAL,
                (Some(Keyword::Goal), &[role, value]) => {
                    let value = match game.term(value) {
                        Term::Integer(value) => value as u64,
                        // Goals that are no numbers count as one.
                        _ => u64::MAX,
                    };
                    let place = game.roles.iter().position(|other| *other == role).map_or(0, |place| place as u64 + 1);
                    colors[there as usize] = mix(mix(GOAL, value), place);
                }
                (Some(Keyword::True), &[fact]) => edges.push((vertex(&mut colors, None, fact), NOW, there)),
                (Some(Keyword::Next), &[fact]) => edges.push((vertex(&mut colors, None, fact), NEXT, there)),
                (Some(Keyword::Legal), &[role, made]) => {
                    edges.push((vertex(&mut colors, Some(role), made), LEGAL, there));
                }
                (Some(Keyword::Does), &[role, made]) => {
                    edges.push((vertex(&mut colors, Some(role), made), DOES, there))
                }
                _ => {}
            }
            for body in &bodies[atom as usize] {
                let rule = colors.len() as u32;
                colors.push(RULE);
                edges.push((there, HEAD, rule));
                for literal in body {
                    let kind = if literal.is_negated() { NEGATIVE } else { POSITIVE };
                    edges.push((rule, kind, atoms[literal.atom() as usize].expect("what is read is there")));
                }
            }
        }
        let count = facts.len();
        facts.append(&mut moves);
        GameGraph { graph: ColoredGraph::new(colors, &edges, facts), facts: count, number }
    }

    /// The symmetry that takes the vertices that matter to these.
    pub fn symmetry(&self, images: &[u32]) -> Symmetry {
        let (facts, moves) = images.split_at(self.facts);
        Symmetry {
            facts: facts.iter().map(|vertex| self.number[vertex]).collect(),
            moves: moves.iter().map(|vertex| Move(self.number[vertex])).collect(),
        }
    }
}

/// The bodies of rules, by atom, where atoms that have one rule are replaced by its body: conjunctions that were
/// written in another order, or split when they were grounded, become the same.
fn flattened(game: &GroundGame) -> Vec<Vec<Vec<GroundLiteral>>> {
    let mut bodies: Vec<Vec<Vec<GroundLiteral>>> =
        (0..game.len() as AtomId).map(|atom| game.bodies(atom).iter().map(|body| body.to_vec()).collect()).collect();
    for _ in 0..MAX_NESTING {
        let only = |atom: usize| match &bodies[atom][..] {
            [body] if game.keyword(atom as AtomId).0.is_none() => Some(body.clone()),
            _ => None,
        };
        let only: Vec<Option<Vec<GroundLiteral>>> = (0..bodies.len()).map(only).collect();
        let mut is_done = true;
        for body in bodies.iter_mut().flatten() {
            let part = |literal: &GroundLiteral| match &only[literal.atom() as usize] {
                Some(body) if !literal.is_negated() => body.clone(),
                _ => vec![*literal],
            };
            let longer: Vec<GroundLiteral> = body.iter().flat_map(part).collect();
            if longer.len() <= MAX_BODY && longer != *body {
                (*body, is_done) = (longer, false);
            }
        }
        if is_done {
            break;
        }
    }
    for of_atom in &mut bodies {
        for body in of_atom.iter_mut() {
            body.sort_unstable();
            body.dedup();
        }
        of_atom.sort_unstable();
        of_atom.dedup();
    }
    bodies
}

/// The atoms that a machine asks about, and those that their rules read.
fn read(game: &GroundGame, bodies: &[Vec<Vec<GroundLiteral>>]) -> Vec<AtomId> {
    let is_asked = |atom: &AtomId| {
        matches!(game.keyword(*atom).0, Some(Keyword::Next | Keyword::Legal | Keyword::Goal | Keyword::Terminal))
    };
    let mut order: Vec<AtomId> = (0..game.len() as AtomId).filter(is_asked).collect();
    let mut is_in: FxHashSet<AtomId> = order.iter().copied().collect();
    let mut next = 0;
    while next < order.len() {
        let literals = bodies[order[next] as usize].iter().flatten();
        order.extend(literals.map(|literal| literal.atom()).filter(|atom| is_in.insert(*atom)).collect::<Vec<_>>());
        next += 1;
    }
    order
}
