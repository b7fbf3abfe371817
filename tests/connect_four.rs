//! Connect four on seven columns of six cells: searches against a solver.
//!
//! The solver is alpha-beta to the end, and shares nothing with the library. Boards are bits, column by column from the lowest cell up, each
//! column with a bit above that stays empty, so that lines do not run into the next column.

use crate::games;
use ludolog::engine::Budget;
use ludolog::game::{Draw, PlayoutEnd, Role, State, StateMachine, StateMachineExt};
use ludolog::player::{Game, GameReasoner, Mcts, Player, mcts};
use ludolog::syntax::budget::ThreadClock;
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

const COLUMNS: u32 = 7;
const ROWS: u32 = 6;

/// Bits of a column.
const COLUMN_BITS: u32 = ROWS + 1;

/// The bits from a cell to the next one of a line: up, to the right, and along both diagonals.
const DIRECTIONS: [u32; 4] = [1, COLUMN_BITS, COLUMN_BITS - 1, COLUMN_BITS + 1];

/// The lowest cells.
const BOTTOM: u64 = 0x40810204081;

const BOARD: u64 = BOTTOM * ((1 << ROWS) - 1);

/// Places of the table of solved boards, a prime.
const PLACES: usize = 8_388_593;

/// The bit of a cell; columns and rows begin with 1.
fn cell(column: u32, row: u32) -> u64 {
    1 << ((column - 1) * COLUMN_BITS + row - 1)
}

/// The cells that complete a line of four with three of these stones.
fn completing(stones: u64) -> u64 {
    DIRECTIONS.iter().fold(0, |cells, &step| {
        let two_before = (stones << step) & (stones << (2 * step));
        let two_after = (stones >> step) & (stones >> (2 * step));
        cells
            | two_before & ((stones << (3 * step)) | (stones >> step))
            | two_after & ((stones >> (3 * step)) | (stones << step))
    }) & BOARD
}

/// Whether these stones have a line of four.
fn has_four(stones: u64) -> bool {
    DIRECTIONS.iter().any(|&step| {
        let pairs = stones & (stones >> step);
        pairs & (pairs >> (2 * step)) != 0
    })
}

/// Boards that were solved, with what is known of their values.
struct Solver {
    /// By place: a board, and the least and greatest value.
    known: Vec<(u64, i8, i8)>,
}

impl Solver {
    /// Nothing is known.
    fn new() -> Solver {
        Solver { known: vec![(0, -1, 1); PLACES] }
    }

    /// The value for the side to move, whose stones are `own`, where nobody has a line yet: 1 if it wins, 0 for a draw, -1 if it loses.
    fn value(&mut self, own: u64, other: u64) -> i8 {
        self.search(own, other, -1, 1)
    }

    /// The value if it lies between `low` and `high`; else a bound on the same side.
    fn search(&mut self, own: u64, other: u64, mut low: i8, mut high: i8) -> i8 {
        let stones = own | other;
        let open = (stones + BOTTOM) & BOARD;
        if open == 0 {
            return 0;
        }
        if completing(own) & open != 0 {
            return 1;
        }
        let threats = completing(other) & !stones;
        // A stone below a threat lets the other side win.
        let mut moves = open & !(threats >> 1);
        if threats & open != 0 {
            moves &= threats & open;
        }
        if moves == 0 || (threats & open).count_ones() > 1 {
            return -1;
        }
        // A board as one number: the stones of one side, with a bit above the highest stone of each column.
        let key = own + stones + BOTTOM;
        let place = (key % PLACES as u64) as usize;
        let (board, least, greatest) = self.known[place];
        if board == key {
            low = low.max(least);
            high = high.min(greatest);
            if low >= high {
                return if least >= high { least } else { greatest };
            }
        }
        let given = (low, high);
        let mut best = -1;
        for stone in ordered(own, stones, moves) {
            let value = -self.search(other, own | stone, -high, -low);
            best = best.max(value);
            low = low.max(best);
            if low >= high {
                break;
            }
        }
        let known = &mut self.known[place];
        if known.0 != key {
            *known = (key, -1, 1);
        }
        if best > given.0 {
            known.1 = known.1.max(best);
        }
        if best < given.1 {
            known.2 = known.2.min(best);
        }
        best
    }
}

/// The moves, those first that make most threats, and of these the ones in the middle.
fn ordered(own: u64, stones: u64, moves: u64) -> Vec<u64> {
    let in_column = |column: u32| moves & (((1 << ROWS) - 1) << (column * COLUMN_BITS));
    let mut columns: Vec<u32> = (0..COLUMNS).filter(|&column| in_column(column) != 0).collect();
    columns.sort_by_key(|&column| {
        let threats = completing(own | in_column(column)) & !stones;
        (Reverse(threats.count_ones()), column.abs_diff(COLUMNS / 2))
    });
    columns.into_iter().map(in_column).collect()
}

/// The value by going through all lines of play.
fn brute(own: u64, other: u64) -> i8 {
    let open = ((own | other) + BOTTOM) & BOARD;
    if has_four(other) || open == 0 {
        return -i8::from(has_four(other));
    }
    let stones = (0..COLUMNS).map(|column| open & (((1 << ROWS) - 1) << (column * COLUMN_BITS)));
    stones.filter(|&stone| stone != 0).map(|stone| -brute(other, own | stone)).max().unwrap_or(0)
}

fn game() -> Game {
    let rules = GameReasoner::of_net(games::net("std:games/connect-four.kif"));
    rules.game(&Budget::unlimited()).expect("a net")
}

/// A state that random play comes to with so many stones, with no end before.
fn state(machine: &mut dyn StateMachine, stones: usize, draw: &mut Draw) -> State {
    let initial = machine.initial_state().clone();
    loop {
        let played = machine.playout(&initial, stones, |_, moves| moves[draw.below(moves.len())]).expect("no limit");
        if played.end == PlayoutEnd::MaxSteps && !machine.is_terminal(&played.state).expect("no limit") {
            return played.state;
        }
    }
}

/// The stones of red and of yellow.
fn stones(machine: &dyn StateMachine, state: &State) -> [u64; 2] {
    let mut stones = [0; 2];
    for fact in machine.facts(state) {
        let text = fact.to_string();
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        if let ["piece", column, row, role] = words[..] {
            let number = |word: &str| word.parse::<u32>().expect("columns and rows are numbers");
            stones[usize::from(role == "yellow")] |= cell(number(column), number(row));
        }
    }
    stones
}

/// The value of a state for the role that moves, by a search with the stones of that role and of the other.
fn value(machine: &dyn StateMachine, state: &State, mover: usize, search: &mut dyn FnMut(u64, u64) -> i8) -> i8 {
    let stones = stones(machine, state);
    search(stones[mover], stones[1 - mover])
}

#[test]
fn the_solver_finds_what_all_lines_of_play_come_to() {
    let mut game = game();
    let machine = game.machine();
    let mut draw = Draw::new(1);
    let mut solver = Solver::new();
    for number in 0..60 {
        let count = 31 + number % 8;
        let state = state(machine, count, &mut draw);
        let found = value(machine, &state, count % 2, &mut |own, other| solver.value(own, other));
        assert_eq!(found, value(machine, &state, count % 2, &mut brute), "{:?}", machine.facts(&state));
    }
}

/// `cargo test --test suite connect_four -- --ignored --nocapture` tells the share.
#[test]
#[ignore = "takes some ten minutes"]
fn tree_search_keeps_the_values_of_states() {
    const STATES: usize = 200;
    let clock = |time| Budget::unlimited().with_clock(Arc::new(ThreadClock)).with_time(time);
    let mut players = [0, 1].map(|role| Mcts::new(game(), Role(role), mcts::SearchSettings::default()));
    players.iter_mut().for_each(|player| player.prepare(&clock(Duration::from_secs(20))));
    let mut draw = Draw::new(1);
    let mut solver = Solver::new();
    let mut kept = 0;
    for number in 0..STATES {
        let count = 8 + number % 17;
        let mover = count % 2;
        let player = &mut players[mover];
        let state = state(player.machine(), count, &mut draw);
        let made = player.play(&state, &clock(Duration::from_secs(2))).expect("nothing stops it").made;
        let machine = player.machine();
        let joint: Vec<_> = machine.all_legal_moves(std::slice::from_ref(&state)).expect("no limit").swap_remove(0);
        let joint: Vec<_> = (0..).zip(joint).map(|(role, moves)| if role == mover { made } else { moves[0] }).collect();
        let next = machine.next_state(&state, &joint).expect("no limit");
        let mut best = |own, other| solver.value(own, other);
        let before = value(machine, &state, mover, &mut best);
        let [own, other] = [mover, 1 - mover].map(|role| stones(machine, &next)[role]);
        let after = if has_four(own) { 1 } else { -best(other, own) };
        assert!(after <= before, "no move is worth more than its state: {:?}", machine.facts(&state));
        if after == before {
            kept += 1;
        } else {
            println!("{before} and {after} after {}: {:?}", machine.move_term(made), machine.facts(&state));
        }
    }
    println!("{kept} of {STATES} values kept");
    assert!(100 * kept >= 98 * STATES, "{kept} of {STATES}");
}
