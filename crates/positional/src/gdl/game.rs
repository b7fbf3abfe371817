//! Games of two roles that take turns, with a point for each move, and what random playouts say about them.

use super::{Meaning, MeaningFacts, NotPositional, WinningSets, because, text, value, values};
use crate::hypergraph::Hypergraph;
use crate::points::Point;
use crate::position::{Player, Position};
use ludolog_game::Draw;
use ludolog_propnet::Net;
use ludolog_propnet::graph::Signal;
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Budget;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Playouts that suggest what facts say.
const PLAYOUTS: u64 = 64;

/// A net of two roles that take turns, with a point for each move.
pub struct PointGame<'n> {
    pub net: &'n Net,
    /// The role of X and that of O.
    pub roles: [usize; 2],
    /// The terms of moves.
    pub points: Vec<&'n Term>,
    /// The move of X and of O that claims a point, by its number among those of the role.
    pub moves: Vec<[usize; 2]>,
}

/// A state: the values of facts, who has claimed each point, and whether X is to move.
struct PointState {
    facts: Vec<bool>,
    claimed: Vec<Option<Player>>,
    x_moves: bool,
}

impl<'n> PointGame<'n> {
    pub fn new(net: &'n Net) -> Result<Self, NotPositional> {
        if net.roles.len() != 2 {
            return because(format!("it has {} roles, and positional games have two", net.roles.len()));
        }
        if let Some(role) = net.roles.iter().find(|role| role.idle.is_none()) {
            return because(format!("{} does not wait while the other one moves", text(&role.term)));
        }
        let initial: Vec<bool> = net.facts.iter().map(|fact| fact.initial).collect();
        let values = values(net, &initial, &[]);
        let waits = |role: usize| {
            let role = &net.roles[role];
            role.idle.is_some_and(|idle| value(&values, role.moves[idle].legal))
        };
        let roles = match (waits(0), waits(1)) {
            (false, true) => [0, 1],
            (true, false) => [1, 0],
            _ => return because("in its first state not exactly one role moves"),
        };
        let acts = |role: usize, at: &[bool]| -> Vec<usize> {
            let role = &net.roles[roles[role]];
            (0..role.moves.len()).filter(|&made| Some(made) != role.idle && value(at, role.moves[made].legal)).collect()
        };
        // A move of O claims the point of a move of X if that is why it is no longer legal.
        let legal_after = |made: usize| {
            let waits = net.roles[roles[1]].idle.expect("roles wait");
            let does = [net.roles[roles[0]].moves[made].does, net.roles[roles[1]].moves[waits].does];
            let after = self::values(net, &initial, &does);
            let facts: Vec<bool> = net.facts.iter().map(|fact| value(&after, fact.next)).collect();
            acts(1, &self::values(net, &facts, &[]))
        };
        let replies: Vec<(usize, Vec<usize>)> =
            acts(0, &values).into_iter().map(|made| (made, legal_after(made))).collect();
        let of_o: BTreeSet<usize> = replies.iter().flat_map(|(_, legal)| legal.iter().copied()).collect();
        let mut points = Vec::new();
        let mut moves = Vec::new();
        for (made, legal) in replies {
            let term = &net.roles[roles[0]].moves[made].term;
            let lost: Vec<usize> = of_o.iter().copied().filter(|other| !legal.contains(other)).collect();
            let &[other] = &lost[..] else {
                let role = text(&net.roles[roles[1]].term);
                return because(format!(
                    "{} takes {} moves from {role}, and to claim a point takes one",
                    text(term),
                    lost.len()
                ));
            };
            points.push(term);
            moves.push([made, other]);
        }
        if moves.iter().map(|made| made[1]).collect::<BTreeSet<_>>() != of_o {
            return because("the roles have different moves");
        }
        Ok(PointGame { net, roles, points, moves })
    }

    pub fn legal(&self, player: usize, point: usize) -> Signal {
        self.net.roles[self.roles[player]].moves[self.moves[point][player]].legal
    }

    pub fn does(&self, player: usize, point: usize) -> Signal {
        self.net.roles[self.roles[player]].moves[self.moves[point][player]].does
    }

    /// The signal that a player waits.
    pub fn waits(&self, player: usize) -> Signal {
        let role = &self.net.roles[self.roles[player]];
        role.moves[role.idle.expect("roles wait")].does
    }

    /// Plays at random, and calls `see` with each state and the values of its gates.
    fn playouts(&self, budget: &Budget, mut see: impl FnMut(&PointState, &[bool])) -> Result<(), NotPositional> {
        let mut draw = Draw::new(1);
        for _ in 0..PLAYOUTS {
            let facts = self.net.facts.iter().map(|fact| fact.initial).collect();
            let mut state = PointState { facts, claimed: vec![None; self.points.len()], x_moves: true };
            // A positional game ends when there are no points left.
            for ply in 0..=self.points.len() {
                budget.check()?;
                let at = values(self.net, &state.facts, &[]);
                see(&state, &at);
                if value(&at, self.net.terminal) {
                    break;
                }
                let mover = usize::from(!state.x_moves);
                let legal: Vec<usize> =
                    (0..self.points.len()).filter(|&point| value(&at, self.legal(mover, point))).collect();
                if ply == self.points.len() {
                    return because(
                        "it goes on after as many moves as there are points: moves do not claim points for ever",
                    );
                }
                if legal.is_empty() {
                    return because("a state is not terminal, and the role whose turn it is cannot claim a point");
                }
                let point = legal[draw.below(legal.len())];
                let made = [self.does(mover, point), self.waits(1 - mover)];
                let after = values(self.net, &state.facts, &made);
                state.facts = self.net.facts.iter().map(|fact| value(&after, fact.next)).collect();
                state.claimed[point] = Some(Player::BOTH[mover]);
                state.x_moves = !state.x_moves;
            }
        }
        Ok(())
    }

    /// The supposed meaning of each fact.
    pub fn suggest(&self, budget: &Budget) -> Result<MeaningFacts, NotPositional> {
        let meanings: Vec<Meaning> = (0..self.points.len() as Point)
            .flat_map(|point| {
                let [x, o] = Player::BOTH.map(|player| Meaning::Claimed(player, point));
                [x, o, Meaning::Taken(point)]
            })
            .chain([Meaning::Turn])
            .collect();
        // The values in all states seen, one after the other.
        let mut of_meanings: Vec<Vec<bool>> = vec![Vec::new(); meanings.len()];
        let mut of_facts: Vec<Vec<bool>> = vec![Vec::new(); self.net.facts.len()];
        self.playouts(budget, |state, _| {
            for (seen, meaning) in of_meanings.iter_mut().zip(&meanings) {
                seen.push(match *meaning {
                    Meaning::Claimed(player, point) => state.claimed[point as usize] == Some(player),
                    Meaning::Taken(point) => state.claimed[point as usize].is_some(),
                    Meaning::Turn => state.x_moves,
                });
            }
            of_facts.iter_mut().zip(&state.facts).for_each(|(seen, &holds)| seen.push(holds));
        })?;
        let known: FxHashMap<&Vec<bool>, Meaning> = of_meanings.iter().zip(meanings.iter().copied()).collect();
        let mut facts = Vec::new();
        for (seen, fact) in of_facts.iter().zip(&self.net.facts) {
            let opposite: Vec<bool> = seen.iter().map(|holds| !holds).collect();
            match (known.get(seen), known.get(&opposite)) {
                (Some(&meaning), _) => facts.push((meaning, true)),
                (_, Some(&meaning)) => facts.push((meaning, false)),
                _ => {
                    let term = text(&fact.term);
                    if fact.initial && seen.iter().all(|&holds| holds) {
                        return because(format!(
                            "{term} holds in the first state and in all others that were seen; games are recognized from a first state \
                             in which no point is claimed"
                        ));
                    }
                    return because(format!("{term} says neither who has claimed a point nor whose turn it is"));
                }
            }
        }
        Ok(facts)
    }

    /// Compares goals with who has a winning set, at the ends of playouts.
    pub fn compare_goals(&self, sets: &WinningSets, budget: &Budget) -> Result<(), NotPositional> {
        // Goals of each player, when the player wins, at a draw, and when the other one wins.
        let mut seen: [[BTreeSet<i64>; 3]; 2] = Default::default();
        self.playouts(budget, |state, at| {
            if !value(at, self.net.terminal) {
                return;
            }
            let has_set = |player: Player| {
                let has = |&point: &Point| state.claimed[point as usize] == Some(player);
                sets[player as usize].iter().any(|set| set.iter().all(has))
            };
            let wins = Player::BOTH.map(has_set);
            for player in 0..2 {
                let kind = if wins[player] { 0 } else { 1 + usize::from(wins[1 - player]) };
                let goals = &self.net.roles[self.roles[player]].goals;
                seen[player][kind].extend(goals.iter().filter(|(_, holds)| value(at, *holds)).map(|(goal, _)| *goal));
            }
        })?;
        for (player, kinds) in seen.iter().enumerate() {
            let ordered: Vec<i64> = kinds.iter().rev().flatten().copied().collect();
            if kinds.iter().any(|goals| goals.len() > 1) || !ordered.is_sorted_by(|worse, better| worse < better) {
                let role = text(&self.net.roles[self.roles[player]].term);
                return because(format!("the goals of {role} do not depend on who has won alone, or not in its favor"));
            }
        }
        Ok(())
    }

    /// The position of the first state.
    pub fn position(&self, facts: &MeaningFacts, sets: &WinningSets) -> Result<Position, NotPositional> {
        let names: Vec<String> = self.points.iter().map(|term| name(term)).collect();
        if names.iter().collect::<FxHashSet<_>>().len() < names.len() {
            return because("two moves have the same name but for punctuation");
        }
        let game = Hypergraph::new(names, sets[0].clone()).map_err(|why| NotPositional::Because(why.to_string()))?;
        let mut position = Position::new(game);
        for (&(meaning, is_so), fact) in facts.iter().zip(&self.net.facts) {
            if let (Meaning::Claimed(player, point), true) = (meaning, fact.initial == is_so) {
                position.claim(player, point);
            }
        }
        Ok(position)
    }
}

/// The name of a point: the move without punctuation.
fn name(term: &Term) -> String {
    let text = text(term);
    let words = text.split(|c: char| c.is_whitespace() || "()[]{}#:,;".contains(c)).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-")
}
