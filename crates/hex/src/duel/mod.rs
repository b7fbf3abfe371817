//! Duels of two programs over HTP, for comparing their strength.
//!
//! Each opening, a first stone of Red's, is played twice, so that each program has each side of it. A program that
//! fails, by an illegal move, by silence or by ending, loses that game and is started again for the next one.
//!
//! `program` holds a running program.

mod program;

pub use program::{GeneratedMove, HtpProgram, ProgramFault};

use crate::board::{Board, Cell, Player};
use crate::position::Position;
use crate::random::Random;
use std::time::Duration;

/// The first stones that leave a game open: on the two lines along each edge, one of each pair that a half turn of the
/// board exchanges, in an order drawn by the seed. Stones nearer to the center win, so that whoever has them would.
pub fn openings(board: Board, seed: u64) -> Vec<Cell> {
    let line = |cell: &Cell| {
        let (column, row) = (board.column(*cell), board.row(*cell));
        column.min(row).min(board.width() - 1 - column).min(board.height() - 1 - row)
    };
    let is_first_of_pair = |cell: &Cell| cell.index() <= board.len() - 1 - cell.index();
    let mut cells: Vec<Cell> = board.cells().filter(|cell| line(cell) < 2 && is_first_of_pair(cell)).collect();
    let mut random = Random::new(seed);
    for i in 0..cells.len() {
        let chosen = i + random.below(cells.len() - i);
        cells.swap(i, chosen);
    }
    cells
}

/// Two programs that play each other.
#[derive(Debug)]
pub struct Duel {
    commands: [String; 2],
    running: [Option<HtpProgram>; 2],
    board: Board,
    /// The time that a program may take for an answer before it is given up as silent.
    patience: Duration,
}

/// A game of a duel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuelGame {
    /// The program that plays Red, 0 or 1.
    pub red: usize,
    /// The program that has won.
    pub winner: usize,
    /// The cells played, the opening first, by turns; without a swap.
    pub moves: Vec<Cell>,
    /// The moves that each program was asked for.
    pub asked: [usize; 2],
    /// The processor time that each program took for the game, where the system tells it.
    pub time: [Option<Duration>; 2],
    /// The fault of the loser, if the game ended by one.
    pub fault: Option<ProgramFault>,
}

/// The end of a game: the program that has lost, and by which fault.
struct Loss(usize, Option<ProgramFault>);

impl Duel {
    /// A duel of the programs of two command lines.
    pub fn new(commands: [String; 2], board: Board, patience: Duration) -> Duel {
        Duel { commands, running: [None, None], board, patience }
    }

    /// Starts the programs, so that a command line that is wrong is known before the first game.
    ///
    /// # Errors
    ///
    /// The program, 0 or 1, that cannot be started, and why.
    pub fn ready(&mut self) -> Result<(), (usize, ProgramFault)> {
        for program in [0, 1] {
            if self.running[program].is_none() {
                let started = HtpProgram::start(&self.commands[program], self.patience);
                self.running[program] = Some(started.map_err(|fault| (program, fault))?);
            }
        }
        Ok(())
    }

    /// Plays a game that begins with a red stone on `opening`, the program `red` (0 or 1) playing Red.
    pub fn play(&mut self, opening: Cell, red: usize) -> DuelGame {
        let red = red % 2;
        let mut game = DuelGame { red, winner: red, moves: vec![opening], asked: [0; 2], time: [None; 2], fault: None };
        let before = [0, 1].map(|program| self.processor_time(program));
        let Loss(loser, fault) = match self.ready() {
            Ok(()) => self.play_out(&mut game),
            Err((program, fault)) => Loss(program, Some(fault)),
        };
        for program in [0, 1] {
            // A program that was started for this game had taken nothing before.
            let after = self.processor_time(program);
            game.time[program] = after.map(|time| time.saturating_sub(before[program].unwrap_or_default()));
        }
        game.winner = 1 - loser;
        if fault.is_some() {
            self.running[loser] = None;
        }
        DuelGame { fault, ..game }
    }

    fn processor_time(&self, program: usize) -> Option<Duration> {
        self.running[program].as_ref().and_then(HtpProgram::processor_time)
    }

    /// Has a running program do something; a fault loses.
    fn with<T>(
        &mut self,
        program: usize,
        ask: impl FnOnce(&mut HtpProgram) -> Result<T, ProgramFault>,
    ) -> Result<T, Loss> {
        let gone = || ProgramFault::Gone("start".to_owned());
        let answer = self.running[program].as_mut().ok_or_else(gone).and_then(ask);
        answer.map_err(|fault| Loss(program, Some(fault)))
    }

    fn play_out(&mut self, game: &mut DuelGame) -> Loss {
        let mut position = Position::new(self.board);
        position.place(Player::Red, game.moves[0]);
        match self.turns(game, &mut position) {
            Ok(loser) => Loss(loser, None),
            Err(loss) => loss,
        }
    }

    /// Plays until one program has joined its edges or resigns; the loser.
    fn turns(&mut self, game: &mut DuelGame, position: &mut Position) -> Result<usize, Loss> {
        let board = self.board;
        let opening = game.moves[0];
        for program in [0, 1] {
            self.with(program, |program| program.begin(board))?;
            self.with(program, |program| program.play(board, Player::Red, opening))?;
        }
        let mut player = Player::Blue;
        loop {
            let program = if player == Player::Red { game.red } else { 1 - game.red };
            if position.winner().is_some() {
                return Ok(program);
            }
            game.asked[program] += 1;
            let cell = match self.with(program, |program| program.generate(board, player))? {
                GeneratedMove::Resign => return Ok(program),
                GeneratedMove::Swap => {
                    return Err(Loss(program, Some(ProgramFault::IllegalMove(crate::htp::SWAP.to_owned()))));
                }
                GeneratedMove::Play(cell) if position.stone(cell).is_some() => {
                    return Err(Loss(program, Some(ProgramFault::IllegalMove(board.name(cell)))));
                }
                GeneratedMove::Play(cell) => cell,
            };
            position.place(player, cell);
            game.moves.push(cell);
            self.with(1 - program, |program| program.play(board, player, cell))?;
            player = player.opponent();
        }
    }
}

/// The standing of a duel, from the first program's side.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DuelScore {
    /// Games won by the first program.
    pub won: u32,
    /// Games played.
    pub games: u32,
    /// Processor time that each program took, as far as the system tells it.
    pub time: [Duration; 2],
    /// Moves that each program was asked for.
    pub asked: [usize; 2],
}

impl DuelScore {
    /// Counts a game.
    pub fn add(&mut self, game: &DuelGame) {
        self.won += u32::from(game.winner == 0);
        self.games += 1;
        for program in [0, 1] {
            self.time[program] += game.time[program].unwrap_or_default();
            self.asked[program] += game.asked[program];
        }
    }

    /// The processor time that each program took for a move, in seconds; `None` where the system does not tell it.
    pub fn seconds_a_move(&self) -> Option<[f64; 2]> {
        let is_told = self.time.iter().all(|time| !time.is_zero()) && self.asked.iter().all(|&asked| asked > 0);
        is_told.then(|| [0, 1].map(|program| self.time[program].as_secs_f64() / self.asked[program] as f64))
    }

    /// The share of games that the first program won, and the 95 % interval around it (Wilson, *Probable inference, the
    /// law of succession, and statistical inference*, 1927).
    pub fn share(&self) -> (f64, [f64; 2]) {
        const Z: f64 = 1.96;
        let n = f64::from(self.games.max(1));
        let share = f64::from(self.won) / n;
        let center = (share + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt() / (1.0 + Z * Z / n);
        (share, [center - half, center + half])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn openings_are_near_the_edges_and_not_twice() {
        let board = Board::new(9, 9).unwrap();
        let cells = openings(board, 1);
        // 32 cells along the edges and 24 on the second lines, half of them.
        assert_eq!(cells.len(), 28);
        let turned = |cell: Cell| board.len() - 1 - cell.index();
        assert!(cells.iter().all(|&cell| !cells.iter().any(|other| other.index() == turned(cell))));
        assert_eq!(openings(Board::new(1, 1).unwrap(), 1).len(), 1);
    }

    #[test]
    fn intervals() {
        // Wilson's interval for 8 of 10, from the literature: 0.490 to 0.943.
        let score = DuelScore { won: 8, games: 10, ..DuelScore::default() };
        let (share, [least, most]) = score.share();
        assert!(share == 0.8 && (least - 0.490).abs() < 1e-3 && (most - 0.943).abs() < 1e-3, "{least} {most}");
    }
}
