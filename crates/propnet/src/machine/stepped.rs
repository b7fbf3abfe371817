//! Many states of a game, stepped together by joint moves from outside.

use super::batch::{Batch, LANES, LaneProgram};
use super::{NetGame, NetMachine};
use ludolog_game::{Move, Role, State};
use ludolog_syntax::ast::Term;
use std::ops::Range;
use std::sync::Arc;
use std::thread;

/// Many states of a game, a lane each, with whatever the net tells of them: whether they are terminal, the legal moves, the goals.
///
/// A step takes a joint move for each lane. The net runs once for all lanes of a block, so a lane costs a fraction of a state
/// that is asked for alone. Lanes are numbered from zero and do not depend on each other, nor on the number of threads.
#[derive(Clone)]
pub struct SteppedStates {
    game: Arc<NetGame>,
    view: Arc<LaneProgram>,
    /// By role: the places of its legal moves in a row of the view.
    legal: Vec<Range<u32>>,
    /// The words of a row of the view.
    width: usize,
    lanes: usize,
    /// By block of lanes.
    blocks: Vec<LaneBlock>,
    /// By thread: the slots in which it runs the net.
    batches: Vec<Batch>,
}

/// The lanes of one run of the net.
#[derive(Clone)]
struct LaneBlock {
    /// By lane: the words of its state.
    facts: Vec<u64>,
    /// By lane: the row of the view, that is, whether the state is terminal, the legal moves of all roles, and their goals.
    view: Vec<u64>,
    /// By lane: the role that has the turn.
    turns: Vec<Option<Role>>,
}

impl NetMachine {
    /// So many lanes, each with the first state.
    pub fn stepped_states(&self, lanes: usize) -> SteppedStates {
        let net = &self.game.net;
        let moves = net.roles.iter().flat_map(|role| role.moves.iter().map(|made| made.legal));
        let goals = net.roles.iter().flat_map(|role| role.goals.iter().map(|(_, signal)| *signal));
        let signals: Vec<_> = [net.terminal].into_iter().chain(moves).chain(goals).collect();
        let width = signals.len().div_ceil(64);
        let mut states = SteppedStates {
            view: Arc::new(LaneProgram::new(net, signals.into_iter()).0),
            legal: self.game.roles.iter().map(|role| role.moves.start + 1..role.moves.end + 1).collect(),
            game: self.game.clone(),
            width,
            lanes,
            blocks: Vec::new(),
            batches: Vec::new(),
        };
        let initial: Vec<u64> = super::words(&self.game.initial).collect();
        let first = states.block(&initial);
        states.blocks = (0..lanes.div_ceil(LANES))
            .map(|number| {
                let lanes = LANES.min(lanes - LANES * number);
                first.repeat(lanes)
            })
            .collect();
        states
    }
}

impl SteppedStates {
    /// The number of lanes.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// The facts that the bits of [`facts`](Self::facts) say, in their order: without those of every state, and without those that hold
    /// where another does not.
    pub fn fact_terms(&self) -> impl ExactSizeIterator<Item = &Term> {
        self.game.net.facts.iter().map(|fact| &fact.term)
    }

    /// The moves of a role, in the order of their terms.
    pub fn moves(&self, role: Role) -> impl ExactSizeIterator<Item = Move> + DoubleEndedIterator + use<> {
        self.game.roles[role.0 as usize].moves.clone().map(Move)
    }

    /// The facts of the state of a lane, a bit each.
    pub fn facts(&self, lane: usize) -> &[u64] {
        let words = self.fact_words();
        &self.blocks[lane / LANES].facts[lane % LANES * words..][..words]
    }

    /// Whether the state of a lane is terminal.
    pub fn is_terminal(&self, lane: usize) -> bool {
        self.row(lane)[0] & 1 == 1
    }

    /// Whether a move of a role is legal in the state of a lane; `false` if the role has no such move.
    pub fn is_legal(&self, lane: usize, role: Role, made: Move) -> bool {
        let place = made.0 + 1;
        self.legal[role.0 as usize].contains(&place) && self.row(lane)[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// The bits of the legal moves of all roles in the state of a lane, from the second one on in the order of the moves' numbers. The
    /// first bit says whether the state is terminal, the bits behind the moves have no meaning here.
    pub fn row(&self, lane: usize) -> &[u64] {
        &self.blocks[lane / LANES].view[lane % LANES * self.width..][..self.width]
    }

    /// The role that has the turn in the state of a lane: see [`Net::turn`](crate::Net::turn).
    pub fn turn(&self, lane: usize) -> Option<Role> {
        self.blocks[lane / LANES].turns[lane % LANES]
    }

    /// The move that a role makes in the state of a lane if another role has the turn; `None` if it has the turn itself, or several
    /// roles move.
    pub fn idle(&self, lane: usize, role: Role) -> Option<Move> {
        self.turn(lane).filter(|turn| *turn != role).and_then(|_| self.only_move(lane, role))
    }

    /// The only legal move of a role; `None` if there are several, or none.
    fn only_move(&self, lane: usize, role: Role) -> Option<Move> {
        only_move(self.row(lane), &self.legal[role.0 as usize])
    }

    /// The goals of all roles in the state of a lane: `None` unless a role has exactly one.
    pub fn goals(&self, lane: usize) -> impl Iterator<Item = Option<i64>> {
        let row = self.row(lane);
        let mut place = self.legal.last().map_or(1, |range| range.end as usize);
        self.game.net.roles.iter().enumerate().map(move |(number, role)| {
            let start = place;
            place += role.goals.len();
            let holding = (start..place).filter(|&bit| row[bit / 64] >> (bit % 64) & 1 == 1);
            self.game.goal(number, holding.map(|bit| bit - start))
        })
    }

    /// Makes a joint move in each lane, on so many threads: as many moves as there are roles for a lane, lane by lane. A lane whose
    /// first move is [`Self::STAY`] keeps its state. Whether moves are legal is not asked here; see [`is_legal`](Self::is_legal).
    ///
    /// # Panics
    ///
    /// If there are not as many moves, or a role has no such move.
    pub fn step(&mut self, joint: &[Move], threads: usize) {
        let roles = self.legal.len();
        assert_eq!(joint.len(), self.lanes * roles, "a move for each role and lane");
        self.batches.resize_with(threads.max(1), Batch::default);
        let work: Vec<_> = self.blocks.iter_mut().zip(joint.chunks((LANES * roles).max(1))).collect();
        let seen = Seen { game: &self.game, view: &self.view, legal: &self.legal };
        share(work, &mut self.batches, |batch, (block, joint)| block.step(&seen, batch, joint));
    }

    /// Puts the first state into these lanes.
    pub fn restart(&mut self, lanes: impl IntoIterator<Item = usize>) {
        let mut lanes = lanes.into_iter().peekable();
        if lanes.peek().is_none() {
            return;
        }
        let first = self.block(&super::words(&self.game.initial).collect::<Vec<_>>());
        lanes.for_each(|lane| self.place_block(lane, &first));
    }

    /// Puts a state into a lane.
    pub fn place(&mut self, lane: usize, state: &State) {
        let block = self.block(&super::words(state).collect::<Vec<_>>());
        self.place_block(lane, &block);
    }

    /// Lanes with the states of these ones, in this order; a lane may be taken more than once.
    ///
    /// # Panics
    ///
    /// If there is no such lane.
    pub fn take(&self, lanes: &[usize]) -> SteppedStates {
        let block = |lanes: &[usize]| LaneBlock {
            facts: lanes.iter().flat_map(|&lane| self.facts(lane)).copied().collect(),
            view: lanes.iter().flat_map(|&lane| self.row(lane)).copied().collect(),
            turns: lanes.iter().map(|&lane| self.turn(lane)).collect(),
        };
        let blocks = lanes.chunks(LANES).map(block).collect();
        SteppedStates {
            game: self.game.clone(),
            view: self.view.clone(),
            legal: self.legal.clone(),
            width: self.width,
            lanes: lanes.len(),
            blocks,
            batches: Vec::new(),
        }
    }

    /// The state of a lane.
    pub fn state(&self, lane: usize) -> State {
        self.game.state(self.facts(lane))
    }

    /// The number that stands for no move.
    pub const STAY: Move = Move(u32::MAX);

    fn fact_words(&self) -> usize {
        self.game.net.facts.len().div_ceil(64)
    }

    /// Puts the state of a block of one lane into a lane.
    fn place_block(&mut self, lane: usize, one: &LaneBlock) {
        let block = &mut self.blocks[lane / LANES];
        let at = lane % LANES;
        block.facts[at * one.facts.len()..][..one.facts.len()].copy_from_slice(&one.facts);
        block.view[at * one.view.len()..][..one.view.len()].copy_from_slice(&one.view);
        block.turns[at] = one.turns[0];
    }

    /// A block of one lane.
    fn block(&self, facts: &[u64]) -> LaneBlock {
        let mut block = LaneBlock { facts: facts.to_vec(), view: vec![0; self.width], turns: vec![None] };
        let seen = Seen { game: &self.game, view: &self.view, legal: &self.legal };
        block.look(&seen, &mut Batch::default());
        block
    }
}

/// The net, and what is found of each state.
struct Seen<'s> {
    game: &'s NetGame,
    view: &'s LaneProgram,
    legal: &'s [Range<u32>],
}

/// The only legal move of a role, whose moves have these places in a row; `None` if there are several, or none.
fn only_move(row: &[u64], places: &Range<u32>) -> Option<Move> {
    let &Range { start, end } = places;
    let mut found = None;
    for word in start / 64..end.div_ceil(64) {
        let first = 64 * word;
        let after = if end - first < 64 { !(u64::MAX << (end - first)) } else { u64::MAX };
        let bits = row[word as usize] & after & u64::MAX << start.saturating_sub(first);
        if bits & bits.wrapping_sub(1) != 0 || bits != 0 && found.is_some() {
            return None;
        }
        found = (bits != 0).then(|| Move(first + bits.trailing_zeros() - 1)).or(found);
    }
    found
}

impl LaneBlock {
    /// As many lanes, each with the state of this block of one lane.
    fn repeat(&self, lanes: usize) -> LaneBlock {
        LaneBlock { facts: self.facts.repeat(lanes), view: self.view.repeat(lanes), turns: self.turns.repeat(lanes) }
    }

    fn step(&mut self, seen: &Seen<'_>, batch: &mut Batch, joint: &[Move]) {
        let words = seen.game.net.facts.len().div_ceil(64);
        let moving = |(_, joint): &(usize, &[Move])| joint.first() != Some(&SteppedStates::STAY);
        let moves: Vec<(usize, &[Move])> = joint.chunks(seen.legal.len()).enumerate().filter(moving).collect();
        let steps: Vec<(&[u64], &[Move])> =
            moves.iter().map(|&(lane, joint)| (&self.facts[lane * words..][..words], joint)).collect();
        if steps.is_empty() {
            return;
        }
        let rows = batch.next(seen.game.programs(), &steps);
        for (row, (lane, _)) in moves.into_iter().enumerate() {
            self.facts[lane * words..][..words].copy_from_slice(rows.row(row));
        }
        self.look(seen, batch);
    }

    /// Finds all that is known of the states.
    fn look(&mut self, seen: &Seen<'_>, batch: &mut Batch) {
        let words = seen.game.net.facts.len().div_ceil(64);
        let states: Vec<&[u64]> = (0..self.turns.len()).map(|lane| &self.facts[lane * words..][..words]).collect();
        let rows = batch.values(seen.view, &states);
        let width = self.view.len() / states.len();
        for ((lane, view), turn) in self.view.chunks_mut(width).enumerate().zip(&mut self.turns) {
            view.copy_from_slice(rows.row(lane));
            *turn = seen.game.net.turn(|role| {
                let place = |made: Move| (made.0 - seen.game.roles[role.0 as usize].moves.start) as usize;
                only_move(view, &seen.legal[role.0 as usize]).map(place)
            });
        }
    }
}

/// Does pieces of work on as many threads as there are batches, with one each.
fn share<T: Send>(work: Vec<T>, batches: &mut [Batch], act: impl Fn(&mut Batch, T) + Sync) {
    // A page has one thread.
    if cfg!(target_family = "wasm") || batches.len() == 1 || work.len() <= 1 {
        work.into_iter().for_each(|piece| act(&mut batches[0], piece));
        return;
    }
    let each = work.len().div_ceil(batches.len());
    let mut work = work.into_iter();
    thread::scope(|scope| {
        for batch in batches {
            let part: Vec<T> = work.by_ref().take(each).collect();
            let act = &act;
            scope.spawn(move || part.into_iter().for_each(|piece| act(batch, piece)));
        }
    });
}
