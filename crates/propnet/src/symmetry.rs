//! Symmetries of a game: permutations of its facts and moves that keep the rules, the roles and the first state.
//!
//! The ground rules are a graph: a vertex for each atom, rule, fact and move; edges from heads to rules, from rules to what they
//! read, positive and negative, and from facts and moves to their atoms. An automorphism of the graph that keeps roles,
//! goals and the first state maps games to games (Schiffel, *Symmetry detection in general game playing*, AAAI 2010, with the
//! rules instead of their ground instances). Automorphisms are found by individualization and refinement (McKay, *Practical
//! graph isomorphism*, 1981): colors of vertices are refined by those of their neighbors; where that does not tell apart all, one
//! vertex gets a color of its own, and its counterpart in turn each vertex of the same color. Colors are hashes, so each
//! automorphism is checked edge by edge.
//!
//! Rules are compared after conjunctions are flattened. A symmetry that shows only by other equivalences is not found: a
//! chain that is followed from one edge of a board to the other is not its own mirror image.

use crate::ground::{AtomId, GroundGame, GroundLiteral, Keyword};
use crate::net::Net;
use ludolog_engine::value::Value;
use ludolog_engine::{Budget, Stopped};
use ludolog_game::Move;
use ludolog_syntax::ast::Term;
use rustc_hash::{FxHashMap, FxHashSet};

/// Most symmetries. Of more, those are kept that leave some facts in place.
const MAX_SYMMETRIES: usize = 1024;

/// Passes in which rules are replaced by their bodies: conjunctions that nest twice as deep take one more.
const MAX_NESTING: usize = 5;

/// Most literals of a body after that.
const MAX_BODY: usize = 64;

/// A permutation of facts and moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// By fact of the net: the one that it becomes.
    pub facts: Box<[u32]>,
    /// By move of all roles, as machines number them: the one that it becomes, of the same role.
    pub moves: Box<[Move]>,
}

impl Symmetry {
    /// Permutes a row of facts, in words of 64, to another one of as many words.
    pub fn permute(&self, row: &[u64], permuted: &mut [u64]) {
        permuted.fill(0);
        for fact in crate::bits::ones(row) {
            let there = self.facts[fact] as usize;
            permuted[there / 64] |= 1 << (there % 64);
        }
    }
}

/// A group of symmetries.
#[derive(Clone, Debug)]
pub struct Symmetries {
    /// All but the identity.
    others: Vec<Symmetry>,
}

impl Symmetries {
    /// Finds the symmetries of a game, of which the net is made.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn new(game: &GroundGame, net: &Net, budget: &Budget) -> Result<Symmetries, Stopped> {
        let rules = Rules::new(game, net);
        let mut graph = rules.graph;
        let images = loop {
            if let Some(images) = Search::new(&graph, budget)?.run()? {
                break images;
            }
            graph.fix_one();
        };
        let symmetries = images.iter().map(|image| rules.acting.symmetry(image));
        let identity = |symmetry: &Symmetry| {
            let mut facts = (0..).zip(&symmetry.facts);
            let mut moves = (0..).zip(&symmetry.moves);
            facts.all(|(number, &fact)| number == fact) && moves.all(|(number, &made)| Move(number) == made)
        };
        Ok(Symmetries { others: symmetries.filter(|symmetry| !identity(symmetry)).collect() })
    }

    /// The number of symmetries, with the identity.
    pub fn count(&self) -> usize {
        self.others.len() + 1
    }

    /// All but the identity.
    pub fn others(&self) -> &[Symmetry] {
        &self.others
    }

    /// Replaces rows of facts, of `width` words each, by the least of those that they are symmetric to: the same one for all of
    /// them.
    pub fn canonize(&self, rows: &mut [u64], width: usize) {
        if self.others.is_empty() {
            return;
        }
        let (mut least, mut permuted) = (vec![0; width], vec![0; width]);
        for row in rows.chunks_exact_mut(width) {
            least.copy_from_slice(row);
            for symmetry in &self.others {
                symmetry.permute(row, &mut permuted);
                if permuted < least {
                    std::mem::swap(&mut least, &mut permuted);
                }
            }
            row.copy_from_slice(&least);
        }
    }
}

/// The vertices that symmetries are about, by the numbers of the net.
struct Acting {
    facts: Vec<u32>,
    moves: Vec<u32>,
    /// By vertex: its fact or its move.
    number: FxHashMap<u32, u32>,
}

impl Acting {
    fn symmetry(&self, image: &[u32]) -> Symmetry {
        let there = |vertex: &u32| self.number[&image[*vertex as usize]];
        Symmetry {
            facts: self.facts.iter().map(there).collect(),
            moves: self.moves.iter().map(|vertex| Move(there(vertex))).collect(),
        }
    }
}

/// A graph with colors of vertices and edges.
struct Graph {
    colors: Vec<u64>,
    /// By vertex: where its edges begin in `edges`.
    starts: Vec<u32>,
    /// The edges in both directions: kind and neighbor, sorted by vertex.
    edges: Vec<(u8, u32)>,
    /// The vertices whose images matter, first the facts.
    acting: Vec<u32>,
    /// Vertices with a color of their own.
    fixed: Vec<u32>,
}

struct Rules {
    graph: Graph,
    acting: Acting,
}

/// Kinds of vertices; goals have values and roles besides.
const ATOM: u64 = 1;
const RULE: u64 = 2;
const FACT: u64 = 3;
const INITIAL: u64 = 4;
const MOVE: u64 = 5;
const TERMINAL: u64 = 6;
const GOAL: u64 = 7;
const OWN: u64 = 8;
const IDLE_FACT: u64 = 9;

/// Kinds of edges.
const HEAD: u8 = 0;
const POSITIVE: u8 = 1;
const NEGATIVE: u8 = 2;
const NOW: u8 = 3;
const NEXT: u8 = 4;
const LEGAL: u8 = 5;
const DOES: u8 = 6;

impl Rules {
    fn new(game: &GroundGame, net: &Net) -> Rules {
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
        let mut acting = Acting {
            facts: vec![u32::MAX; net.facts.len()],
            moves: vec![u32::MAX; count as usize],
            number: FxHashMap::default(),
        };
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
                    (None, _) => numbers.get(&term).map(|&number| (&mut acting.facts, number)),
                    (Some(_), place) => {
                        place.and_then(|place| names.get(&(place, &term))).map(|&number| (&mut acting.moves, number))
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
                if let Some((of, number)) = known {
                    of[number as usize] = vertex;
                    acting.number.insert(vertex, number);
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
        let is_there = |vertex: &&u32| **vertex != u32::MAX;
        let all = acting.facts.iter().chain(&acting.moves).filter(is_there).copied().collect();
        Rules { graph: Graph::new(colors, &edges, all), acting }
    }
}

/// The bodies of rules, by atom, where atoms that have one rule are replaced by its body: conjunctions that were written in
/// another order, or split when they were grounded, become the same.
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

/// A hash of two numbers (the finish of MurmurHash3, Appleby).
fn mix(a: u64, b: u64) -> u64 {
    let mut hash = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_add(0xd1b5_4a32_d192_ed03);
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    hash ^ hash >> 33
}

impl Graph {
    fn new(colors: Vec<u64>, edges: &[(u32, u8, u32)], acting: Vec<u32>) -> Graph {
        let mut directed: Vec<(u32, (u8, u32))> = Vec::with_capacity(2 * edges.len());
        for &(from, kind, to) in edges {
            directed.push((from, (2 * kind, to)));
            directed.push((to, (2 * kind + 1, from)));
        }
        directed.sort_unstable();
        let start = |vertex: usize| directed.partition_point(|&(from, _)| (from as usize) < vertex) as u32;
        let starts = (0..=colors.len()).map(start).collect();
        let edges = directed.into_iter().map(|(_, edge)| edge).collect();
        Graph { colors, starts, edges, acting, fixed: Vec::new() }
    }

    fn neighbors(&self, vertex: usize) -> &[(u8, u32)] {
        &self.edges[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// Refines colors by those of neighbors, this many times, or as long as that makes more of them. Returns how often.
    fn refine(&self, colors: &mut Vec<u64>, rounds: Option<usize>) -> usize {
        let mut count = distinct(colors);
        for round in 0.. {
            if rounds == Some(round) {
                return round;
            }
            let sum = |vertex: usize| {
                let neighbors = self.neighbors(vertex).iter();
                neighbors
                    .fold(0u64, |sum, &(kind, other)| sum.wrapping_add(mix(colors[other as usize], u64::from(kind))))
            };
            *colors = (0..colors.len()).map(|vertex| mix(colors[vertex], sum(vertex))).collect();
            let now = distinct(colors);
            if rounds.is_none() && now == count {
                return round + 1;
            }
            count = now;
        }
        unreachable!("the number of colors has an end")
    }

    /// Gives a color of its own to the first vertex that matters and has none.
    fn fix_one(&mut self) {
        let mut colors = self.colors.clone();
        self.refine(&mut colors, None);
        if let Some(vertex) = ambiguous(&colors, &self.acting) {
            self.fixed.push(vertex);
            self.colors[vertex as usize] = mix(OWN, self.fixed.len() as u64);
        }
    }

    /// Whether a permutation of vertices keeps colors and edges.
    fn is_automorphism(&self, image: &[u32]) -> bool {
        (0..self.colors.len()).all(|vertex| {
            let there = image[vertex] as usize;
            let edges = self.neighbors(there);
            self.colors[vertex] == self.colors[there]
                && edges.len() == self.neighbors(vertex).len()
                && self
                    .neighbors(vertex)
                    .iter()
                    .all(|&(kind, other)| edges.binary_search(&(kind, image[other as usize])).is_ok())
        })
    }
}

fn distinct(colors: &[u64]) -> usize {
    colors.iter().collect::<FxHashSet<_>>().len()
}

/// The first of some vertices whose color another vertex has as well.
fn ambiguous(colors: &[u64], vertices: &[u32]) -> Option<u32> {
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    colors.iter().for_each(|&color| *counts.entry(color).or_default() += 1);
    vertices.iter().copied().find(|&vertex| counts[&colors[vertex as usize]] > 1)
}

fn sorted(colors: &[u64]) -> Vec<u64> {
    let mut colors = colors.to_vec();
    colors.sort_unstable();
    colors
}

/// A vertex that gets a color of its own, and what comes of that.
struct Step {
    vertex: u32,
    rounds: usize,
    colors: Vec<u64>,
    sorted: Vec<u64>,
}

/// The search for all automorphisms.
struct Search<'g> {
    graph: &'g Graph,
    budget: &'g Budget,
    /// The colors without any step.
    base: Vec<u64>,
    /// The steps after which each vertex has a color of its own.
    steps: Vec<Step>,
    /// The number of steps after which that is so for those that matter.
    acting: usize,
    /// By color after all steps: the vertex.
    last: FxHashMap<u64, u32>,
    images: Vec<Vec<u32>>,
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph, budget: &'g Budget) -> Result<Search<'g>, Stopped> {
        let mut base = graph.colors.clone();
        graph.refine(&mut base, None);
        let all: Vec<u32> = (0..base.len() as u32).collect();
        let (mut steps, mut acting): (Vec<Step>, usize) = (Vec::new(), 0);
        loop {
            budget.check()?;
            let colors = steps.last().map_or(&base, |step| &step.colors);
            let vertex = match ambiguous(colors, &graph.acting) {
                Some(vertex) => {
                    acting = steps.len() + 1;
                    vertex
                }
                None => match ambiguous(colors, &all) {
                    Some(vertex) => vertex,
                    None => break,
                },
            };
            let mut colors = colors.clone();
            colors[vertex as usize] = mix(OWN, colors[vertex as usize]);
            let rounds = graph.refine(&mut colors, None);
            steps.push(Step { vertex, rounds, sorted: sorted(&colors), colors });
        }
        let colors = steps.last().map_or(&base, |step| &step.colors);
        let last = (0..).zip(colors).map(|(vertex, &color)| (color, vertex)).collect();
        Ok(Search { graph, budget, base, steps, acting, last, images: Vec::new() })
    }

    /// The automorphisms, one for each way to permute what matters; `None` if there are too many.
    fn run(mut self) -> Result<Option<Vec<Vec<u32>>>, Stopped> {
        let base = self.base.clone();
        self.extend(0, base)?;
        Ok((self.images.len() <= MAX_SYMMETRIES).then_some(self.images))
    }

    /// Finds the images of the vertices of further steps. Whether there are any.
    fn extend(&mut self, depth: usize, colors: Vec<u64>) -> Result<bool, Stopped> {
        self.budget.check()?;
        let Some(step) = self.steps.get(depth) else {
            let mut image = vec![0; colors.len()];
            for (there, color) in (0..).zip(&colors) {
                let Some(&vertex) = self.last.get(color) else { return Ok(false) };
                image[vertex as usize] = there;
            }
            let is_found = self.graph.is_automorphism(&image);
            if is_found {
                self.images.push(image);
            }
            return Ok(is_found);
        };
        let before = depth.checked_sub(1).map_or(&self.base, |depth| &self.steps[depth].colors);
        let color = before[step.vertex as usize];
        let candidates: Vec<usize> = (0..colors.len()).filter(|&vertex| colors[vertex] == color).collect();
        let mut is_any = false;
        for vertex in candidates {
            let mut there = colors.clone();
            there[vertex] = mix(OWN, color);
            let step = &self.steps[depth];
            self.graph.refine(&mut there, Some(step.rounds));
            if sorted(&there) == step.sorted && self.extend(depth + 1, there)? {
                is_any = true;
                // One image of what does not matter is enough.
                if depth >= self.acting || self.images.len() > MAX_SYMMETRIES {
                    return Ok(true);
                }
            }
        }
        Ok(is_any)
    }
}
