//! A program that answers HTP on its standard input and output.

use crate::board::{Board, Cell, Player};
use crate::htp::{RESIGN, SWAP, color_name};
use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// The longest answer in bytes; a program that writes more without end is at fault.
const LONGEST_ANSWER: usize = 1 << 20;

/// Most lines of a program that wait to be read. It has to wait itself when it writes more.
const MOST_WAITING: usize = 1 << 10;

/// A running program. It is killed when this is dropped.
#[derive(Debug)]
pub struct HtpProgram {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
    patience: Duration,
}

/// The answer to a `genmove`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeneratedMove {
    /// A stone.
    Play(Cell),
    /// A swap of the first stone.
    Swap,
    /// The program gives up.
    Resign,
}

/// The fault of a program, which loses the game by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramFault {
    /// It cannot be started; the reason.
    NotStarted(String),
    /// It has ended, or closed its input or output; the last command.
    Gone(String),
    /// It has not answered this command in this time.
    Silent(String, Duration),
    /// It answered this command with something that is no answer of the protocol.
    Garbage(String, String),
    /// It refused this command; the reason that it gave.
    Refused(String, String),
    /// It plays on a cell that is off the board or taken, or swaps where that is not allowed.
    IllegalMove(String),
}

impl fmt::Display for ProgramFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramFault::NotStarted(reason) => write!(f, "cannot be started: {reason}"),
            ProgramFault::Gone(command) => write!(f, "ended instead of answering `{command}`"),
            ProgramFault::Silent(command, time) => {
                write!(f, "has not answered `{command}` in {} s", time.as_secs())
            }
            ProgramFault::Garbage(command, text) => {
                write!(f, "answered `{command}` with {text:?}, which is no answer of HTP: = or ?, and an empty line")
            }
            ProgramFault::Refused(command, reason) => write!(f, "refused `{command}`: {reason}"),
            ProgramFault::IllegalMove(word) => write!(f, "played {word:?}, which is no legal move"),
        }
    }
}

impl HtpProgram {
    /// Starts a program that has to answer each command within `patience`; the command line is split at spaces, except
    /// within double quotes.
    ///
    /// # Errors
    ///
    /// [`ProgramFault::NotStarted`].
    pub fn start(command_line: &str, patience: Duration) -> Result<HtpProgram, ProgramFault> {
        let words = words(command_line);
        let (program, arguments) =
            words.split_first().ok_or_else(|| ProgramFault::NotStarted("the command line is empty".to_owned()))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| ProgramFault::NotStarted(error.to_string()))?;
        let closed = || ProgramFault::NotStarted("it has no input or output".to_owned());
        let input = child.stdin.take().ok_or_else(closed)?;
        let output = child.stdout.take().ok_or_else(closed)?;
        let (sender, lines) = sync_channel(MOST_WAITING);
        // Reading blocks, so a thread does it; it ends with the program, or with a line that is too long.
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = Vec::new();
            let mut next = |line: &mut Vec<u8>| output.by_ref().take(LONGEST_ANSWER as u64).read_until(b'\n', line);
            while next(&mut line).is_ok_and(|read| read > 0 && read < LONGEST_ANSWER) {
                if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        Ok(HtpProgram { child, input, lines, patience })
    }

    /// Sends a command and waits for the text of its answer.
    ///
    /// # Errors
    ///
    /// Any [`ProgramFault`] but an illegal move.
    pub fn ask(&mut self, command: &str) -> Result<String, ProgramFault> {
        let gone = || ProgramFault::Gone(command.to_owned());
        writeln!(self.input, "{command}").and_then(|()| self.input.flush()).map_err(|_| gone())?;
        let until = Instant::now() + self.patience;
        let mut text = String::new();
        loop {
            let line = match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Err(ProgramFault::Silent(command.to_owned(), self.patience)),
                Err(RecvTimeoutError::Disconnected) => return Err(gone()),
            };
            if line.is_empty() {
                // Empty lines before an answer mean nothing.
                if text.is_empty() {
                    continue;
                }
                break;
            }
            text.push_str(&line);
            text.push('\n');
            if !text.starts_with(['=', '?']) || text.len() > LONGEST_ANSWER {
                return Err(ProgramFault::Garbage(command.to_owned(), text.chars().take(80).collect()));
            }
        }
        let answer = text[1..].trim().to_owned();
        if text.starts_with('?') {
            return Err(ProgramFault::Refused(command.to_owned(), answer));
        }
        Ok(answer)
    }

    /// Begins a game.
    ///
    /// # Errors
    ///
    /// As [`ask`](HtpProgram::ask).
    pub fn begin(&mut self, board: Board) -> Result<(), ProgramFault> {
        self.ask(&format!("boardsize {} {}", board.width(), board.height()))?;
        self.ask("clear_board").map(|_| ())
    }

    /// Tells of a move.
    ///
    /// # Errors
    ///
    /// As [`ask`](HtpProgram::ask).
    pub fn play(&mut self, board: Board, player: Player, cell: Cell) -> Result<(), ProgramFault> {
        self.ask(&format!("play {} {}", color_name(player), board.name(cell))).map(|_| ())
    }

    /// Asks for a move, which the program makes on its own board.
    ///
    /// # Errors
    ///
    /// As [`ask`](HtpProgram::ask), and [`ProgramFault::IllegalMove`] for what is no cell of the board.
    pub fn generate(&mut self, board: Board, player: Player) -> Result<GeneratedMove, ProgramFault> {
        let word = self.ask(&format!("genmove {}", color_name(player)))?.to_ascii_lowercase();
        match word.as_str() {
            RESIGN => Ok(GeneratedMove::Resign),
            SWAP => Ok(GeneratedMove::Swap),
            name => board.cell_of_name(name).map(GeneratedMove::Play).ok_or(ProgramFault::IllegalMove(word)),
        }
    }

    /// The processor time that the program and its threads have taken; `None` where the system does not tell it.
    pub fn processor_time(&self) -> Option<Duration> {
        /// Ticks a second in `/proc`, on every architecture that Linux has.
        const TICKS: u64 = 100;
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        // The name, in parentheses, may hold spaces. User and system time are the 14th and 15th field.
        let (_, fields) = text.rsplit_once(')')?;
        let ticks = fields.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>().ok());
        Some(Duration::from_millis(ticks.sum::<Option<u64>>()? * 1000 / TICKS))
    }
}

impl Drop for HtpProgram {
    fn drop(&mut self) {
        // A program that has ended cannot be killed, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The words of a command line.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (i, part) in line.split('"').enumerate() {
        if i % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines() {
        assert_eq!(words("mohex  --config \"a b.htp\" "), ["mohex", "--config", "a b.htp"]);
        let not_started = HtpProgram::start("", Duration::ZERO).err();
        assert!(matches!(not_started, Some(ProgramFault::NotStarted(_))), "{not_started:?}");
    }
}
