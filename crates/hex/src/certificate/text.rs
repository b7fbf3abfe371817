//! The file of a certificate.
//!
//! ```text
//! ludolog certificate 1
//! board 3x3
//! red b2
//! blue
//! to-move blue
//! winner red
//! bridge top b2 b1 c1
//! bridge bottom b2 a3 b3
//! and 7 8
//! win 9
//! sha256 …
//! ```
//!
//! Six lines say what is claimed: the version of the format, the board (`hex-cylinder-3x3` and `y-3` are some too), the stones of each player row by row, who is to
//! move (`red`, `blue` or `any`), who wins. Then come the lines of the proof, which refer to others by their number in
//! the file, and `win`. A pairing has lines `pair X Y` instead, and `win pairs`. The last line is the SHA-256 of all
//! before it. Words are separated by one space, and there is one way only to write a certificate.

use super::{Inference, Proof, ProofLine, WinCertificate};
use crate::board::{Board, Cell, Player};
use crate::connection::{ConnectionBoard, ConnectionEnd};
use crate::position::Position;
use ludolog_certificate::{Calculus, Certificate, Refusal};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::counted;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The line of the header, from 1, with the size of the board.
pub const BOARD: usize = 2;
/// The line of the header that says who is to move.
pub const TO_MOVE: usize = 5;

/// The line with the stones of a player.
pub fn stones(player: Player) -> usize {
    match player {
        Player::Red => 3,
        Player::Blue => 4,
    }
}

impl Certificate for WinCertificate {
    const CALCULUS: Calculus = Calculus { name: "ludolog certificate", version: 1 };

    fn to_text(&self) -> String {
        let board = self.board();
        let Calculus { name, version } = Self::CALCULUS;
        let mut text = format!("{name} {version}\nboard {board}\n");
        for player in Player::BOTH {
            text += player.name();
            self.position.stones_of(player).for_each(|cell| {
                text.push(' ');
                text += &board.name(cell);
            });
            text.push('\n');
        }
        let to_move = self.position.to_move.map_or("any", Player::name);
        let _ = writeln!(text, "to-move {to_move}\nwinner {}", self.winner);
        match &self.proof {
            Proof::Connections { steps, win } => {
                for step in steps {
                    text += &step.to_text(board, self.winner);
                    text.push('\n');
                }
                let _ = writeln!(text, "win {win}");
            }
            Proof::Pairing(pairs) => {
                for &[a, b] in pairs {
                    let _ = writeln!(text, "pair {} {}", board.name(a), board.name(b));
                }
                text += "win pairs\n";
            }
        }
        let _ = writeln!(text, "sha256 {}", digest(text.as_bytes()));
        text
    }

    /// Takes time in proportion to the file, whatever the budget. The first line is told that cannot be read; if all can, the
    /// first that does not follow; if all do, whether the digest differs.
    fn check(file: &[u8], _: &Budget) -> Result<Result<WinCertificate, Refusal>, Stopped> {
        Ok(read(file).and_then(|(certificate, seal)| {
            certificate.verify()?;
            seal?;
            Ok(certificate)
        }))
    }

    fn claim(&self) -> String {
        let to_move = match self.position.to_move {
            None => "whoever is to move".to_owned(),
            Some(player) => format!("with {player} to move"),
        };
        let stones = counted(self.position.stones().count(), "stone");
        format!("{} wins on {} with {stones}, {to_move}", self.winner, self.board())
    }
}

impl WinCertificate {
    /// Reads a file without checking the proof; [`Certificate::check`] does both.
    ///
    /// # Errors
    ///
    /// The first line that cannot be read, or the last one where the digest differs.
    pub fn parse(text: &str) -> Result<WinCertificate, Refusal> {
        let (certificate, seal) = read(text.as_bytes())?;
        seal.map(|()| certificate)
    }
}

impl Inference {
    /// Reads the line that [`to_text`](Inference::to_text) writes.
    ///
    /// # Errors
    ///
    /// Why it cannot be read, in words.
    pub fn parse<B: ConnectionBoard>(line: &str, board: B, winner: Player) -> Result<Inference, String> {
        let (rule, rest) = line.split_once(' ').unwrap_or((line, ""));
        let words: Vec<&str> = rest.split(' ').collect();
        let cell = |name: &str| cell(board, name);
        let end = |name: &str| {
            let end = ConnectionEnd::from_name(name, board, winner).filter(|end| end.name(board, winner) == name);
            end.ok_or_else(|| format!("`{}` is no cell of {board} and no edge of {winner}", shortened(name)))
        };
        let lines = |words: &[&str]| words.iter().map(|word| number(word)).collect::<Result<Vec<ProofLine>, String>>();
        Ok(match (rule, &words[..]) {
            ("touch", &[x, y]) => Inference::Touch(end(x)?, end(y)?),
            ("bridge", &[x, y, c, d]) => Inference::Bridge(end(x)?, end(y)?, cell(c)?, cell(d)?),
            ("and", words) => Inference::And(lines(words)?),
            ("move", &[at, line]) => Inference::Move(cell(at)?, number(line)?),
            ("three", &[i, j, k]) => Inference::Three([number(i)?, number(j)?, number(k)?]),
            ("or", words) => Inference::Or(lines(words)?),
            ("given", &[ref cells @ .., line]) => {
                Inference::Given(cells.iter().map(|name| cell(name)).collect::<Result<_, String>>()?, number(line)?)
            }
            ("captured", &[c, d, line]) => Inference::Captured(cell(c)?, cell(d)?, number(line)?),
            _ => return Err(format!("`{}` is no line of a proof", shortened(line))),
        })
    }

    /// The line as a file about this board and winner has it.
    pub fn to_text<B: ConnectionBoard>(&self, board: B, winner: Player) -> String {
        let end = |end: ConnectionEnd| end.name(board, winner);
        let cell = |cell: Cell| board.cell_name(cell);
        let lines = |lines: &[ProofLine]| lines.iter().map(|line| format!(" {line}")).collect::<String>();
        match self {
            &Inference::Touch(x, y) => format!("touch {} {}", end(x), end(y)),
            &Inference::Bridge(x, y, c, d) => format!("bridge {} {} {} {}", end(x), end(y), cell(c), cell(d)),
            Inference::And(parts) => format!("and{}", lines(parts)),
            &Inference::Move(c, line) => format!("move {} {line}", cell(c)),
            Inference::Three(parts) => format!("three{}", lines(parts)),
            Inference::Or(parts) => format!("or{}", lines(parts)),
            Inference::Given(cells, line) => {
                let names: Vec<String> = cells.iter().copied().map(cell).collect();
                format!("given {} {line}", names.join(" "))
            }
            &Inference::Captured(c, d, line) => format!("captured {} {} {line}", cell(c), cell(d)),
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The certificate, and whether its last line is right.
fn read(file: &[u8]) -> Result<(WinCertificate, Result<(), Refusal>), Refusal> {
    let text = std::str::from_utf8(file).map_err(|error| {
        let line = 1 + file[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count();
        Refusal::of_line(line, "this is no text")
    })?;
    let mut reader = CertificateReader { text, at: 0, line: 0 };
    let certificate = reader.certificate().map_err(|reason| reader.refusal(reason))?;
    let sum = digest(&text.as_bytes()[..reader.at]);
    let seal = reader.seal(&sum).map_err(|reason| reader.refusal(reason));
    Ok((certificate, seal))
}

struct CertificateReader<'t> {
    text: &'t str,
    /// The beginning of the next line in the text.
    at: usize,
    /// The line read last, from 1.
    line: usize,
}

impl<'t> CertificateReader<'t> {
    fn refusal(&self, reason: String) -> Refusal {
        Refusal::of_line(self.line, reason)
    }

    /// The next line; the file breaks off where it does not end.
    fn next(&mut self) -> Result<&'t str, String> {
        self.line += 1;
        let rest = &self.text[self.at..];
        let (line, _) = rest.split_once('\n').ok_or("the file breaks off here")?;
        self.at += line.len() + 1;
        Ok(line)
    }

    /// The rest of the next line, which has to begin with the word `key`.
    fn value(&mut self, key: &str) -> Result<&'t str, String> {
        let line = self.next()?;
        let value = match line.strip_prefix(key) {
            Some("") => Some(""),
            Some(rest) => rest.strip_prefix(' ').filter(|value| !value.is_empty()),
            None => None,
        };
        value.ok_or_else(|| format!("`{key} …` should stand here, not `{}`", shortened(line)))
    }

    fn certificate(&mut self) -> Result<WinCertificate, String> {
        let Calculus { name, version } = WinCertificate::CALCULUS;
        let first = self.next()?;
        if first != format!("{name} {version}") {
            return Err(format!("`{name} {version}` should stand here, not `{}`", shortened(first)));
        }
        let size = self.value("board")?;
        let board = Board::from_name(size).ok_or_else(|| format!("`{}` is no board size", shortened(size)))?;
        let mut position = Position::new(board);
        for player in Player::BOTH {
            let mut before = None;
            let value = self.value(player.name())?;
            for name in value.split(' ').filter(|_| !value.is_empty()) {
                let cell = cell(board, name)?;
                if before >= Some(cell) {
                    return Err(format!("{name} is out of order: stones are listed row by row"));
                }
                if !position.place(player, cell) {
                    return Err(format!("{name} has a stone of {} already", player.opponent()));
                }
                before = Some(cell);
            }
        }
        position.to_move = match self.value("to-move")? {
            "any" => None,
            name => Some(player(name)?),
        };
        let winner = player(self.value("winner")?)?;
        let proof = self.proof(board, winner)?;
        Ok(WinCertificate { position, winner, proof })
    }

    fn proof<B: ConnectionBoard>(&mut self, board: B, winner: Player) -> Result<Proof, String> {
        let mut steps = Vec::new();
        let mut pairs = Vec::new();
        loop {
            let line = self.next()?;
            match line.split(' ').collect::<Vec<&str>>()[..] {
                ["win", "pairs"] if steps.is_empty() => return Ok(Proof::Pairing(pairs)),
                ["win", win] if pairs.is_empty() => return Ok(Proof::Connections { steps, win: number(win)? }),
                ["pair", a, b] if steps.is_empty() => pairs.push([cell(board, a)?, cell(board, b)?]),
                ["pair" | "win", ..] => return Err(format!("`{}` does not fit here", shortened(line))),
                _ if !pairs.is_empty() => return Err("a pairing has no other lines".to_owned()),
                _ => steps.push(Inference::parse(line, board, winner)?),
            }
        }
    }

    fn seal(&mut self, sum: &str) -> Result<(), String> {
        if self.value("sha256")? != sum {
            return Err("the file is not as it was written: its digest differs".to_owned());
        }
        if self.at < self.text.len() {
            self.line += 1;
            return Err("nothing may follow the digest".to_owned());
        }
        Ok(())
    }
}

fn cell<B: ConnectionBoard>(board: B, name: &str) -> Result<Cell, String> {
    let cell = board.cell_of_name(name).filter(|&cell| board.cell_name(cell) == name);
    cell.ok_or_else(|| format!("`{}` is no cell of {board}", shortened(name)))
}

fn player(name: &str) -> Result<Player, String> {
    name.parse().map_err(|_| format!("`{}` is no player", shortened(name)))
}

/// The line of the proof with that number in the file.
fn number(word: &str) -> Result<ProofLine, String> {
    let number = word.parse().ok().filter(|number: &u32| number.to_string() == word);
    let index = number.and_then(|number| number.checked_sub(ProofLine::HEADER as u32 + 1));
    index.map(ProofLine).ok_or_else(|| format!("`{}` is no line of a proof", shortened(word)))
}

/// Enough of a text to know it by.
fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}
