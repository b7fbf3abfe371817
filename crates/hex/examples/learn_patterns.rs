//! Learns the weights of the player's [patterns](ludolog_hex::player::pattern) from games of the player against itself.
//!
//! ```sh
//! cargo run --release -p ludolog-hex --example learn_patterns 9x9 300 2000 > crates/hex/src/player/pattern/weights.txt
//! ```
//!
//! The arguments are the board, the games of each round, the playouts of each move, and the seed, 1 if it is left out.
//! The games of the first round are played without weights, those of the second with the weights of the first; weights
//! are learned from the games of both. A tenth of the games is kept apart to tell how well the moves of games that were
//! not learned from are foreseen.

use ludolog_hex::player::pattern::{MoveChoice, MovePatterns, PatternWeights, learn, surprise};
use ludolog_hex::player::playout::BorderedBoard;
use ludolog_hex::player::{ChoiceReason, Effort, HexPlayer};
use ludolog_hex::random::Random;
use ludolog_hex::{Board, Cell, Player, Position};
use ludolog_syntax::budget::Budget;
use std::process::ExitCode;
use std::sync::Arc;

const ROUNDS: usize = 2;

/// Passes through the choices; more foresee no more.
const PASSES: usize = 8;

/// Each game begins with up to this many random stones.
const RANDOM_STONES: usize = 4;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(setting) = setting(&arguments) else {
        eprintln!("learn_patterns BOARD GAMES PLAYOUTS [SEED]");
        return ExitCode::FAILURE;
    };
    let mut random = Random::new(setting.seed);
    let mut weights = PatternWeights::none();
    let mut known = Vec::new();
    let mut apart = Vec::new();
    for round in 1..=ROUNDS {
        for game in 0..setting.games {
            let choices = choices(&setting, &weights, &mut random);
            if game % 10 == 0 { apart.extend(choices) } else { known.extend(choices) }
        }
        weights = learn(&known, PASSES);
        let [(before, _), (after, foreseen)] =
            [&PatternWeights::none(), &weights].map(|weights| surprise(&apart, weights));
        let foreseen = 100.0 * foreseen;
        eprintln!(
            "round {round}: {} choices, surprise {before:.2} → {after:.2}, foreseen {foreseen:.0} %",
            known.len()
        );
    }
    println!("# cargo run --release -p ludolog-hex --example learn_patterns {}", arguments.join(" "));
    print!("{}", weights.to_text());
    ExitCode::SUCCESS
}

struct Setting {
    board: Board,
    games: usize,
    effort: Effort,
    seed: u64,
}

fn setting(arguments: &[String]) -> Option<Setting> {
    let [board, games, playouts, rest @ ..] = arguments else { return None };
    let seed = match rest {
        [] => 1,
        [seed] => seed.parse().ok()?,
        _ => return None,
    };
    let effort = Effort { time: None, playouts: Some(playouts.parse().ok()?), ..Effort::default() };
    Some(Setting { board: board.parse().ok()?, games: games.parse().ok()?, effort, seed })
}

/// The choices of a game, until one of the players is known to win.
fn choices(setting: &Setting, weights: &PatternWeights, random: &mut Random) -> Vec<MoveChoice> {
    let mut position = Position::new(setting.board);
    let patterns = MovePatterns::new(&BorderedBoard::new(&position), Arc::new(weights.clone()));
    let mut players = Player::BOTH.map(|_| HexPlayer::with_weights(setting.board, weights.clone()));
    let random_stones = 1 + random.below(RANDOM_STONES);
    let mut choices = Vec::new();
    let mut last = None;
    for player in Player::BOTH.into_iter().cycle() {
        let field = BorderedBoard::new(&position);
        let cell = if position.stones().count() < random_stones {
            let empty: Vec<Cell> = position.empty_cells().collect();
            if empty.is_empty() {
                break;
            }
            empty[random.below(empty.len())]
        } else {
            let mover = &mut players[player as usize];
            let choice = mover.choose(&position, player, &setting.effort, &Budget::unlimited(), random);
            let Some(choice) = choice.filter(|choice| matches!(choice.reason, ChoiceReason::Search { .. })) else {
                break;
            };
            choices.push(patterns.choice(&field, field.place(choice.cell), player, last));
            choice.cell
        };
        position.place(player, cell);
        last = Some(field.place(cell));
    }
    choices
}
