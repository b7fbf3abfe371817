//! Links to the board of hexworld.org.
//!
//! `https://hexworld.org/board/#11r9c1,b4:sh4g8` is the size, the settings of the picture, and the moves run
//! together. `:s` swaps pieces, `:p` passes, `:rb` and `:rw` resign, `:fb` and `:fw` forfeit. A board that is not
//! square says `14x9`. Moves behind a second comma have been taken back. Links to the board of trmph.com,
//! `http://www.trmph.com/hex/board#11,b4d2`, are of the same form, without settings and special moves.

use super::record::{Action, GameRecord, Illegal, RecordNode, Turn};
use super::rules::RuleWatch;
use super::{ReadGame, error, warning};
use crate::board::{Board, Cell, Player, parse_cell_name};
use ludolog_syntax::diagnostic::{Diagnostics, SourceId, Span};

/// The address of the board.
const ADDRESS: &str = "https://hexworld.org/board/";

/// The settings of the picture in links that we write: not turned, so that rows lie as in our own pictures, and with
/// coordinates.
const SETTINGS: &str = "c1";

/// The turns that are no cells.
const SPECIAL: [&str; 6] = [":s", ":p", ":rb", ":rw", ":fb", ":fw"];

/// Whether the text is meant as a link; a `#` with a size will do.
pub fn is_link(text: &str) -> bool {
    let text = text.trim();
    let address =
        ["https://", "http://", "www.", "hexworld.org", "trmph.com"].iter().any(|start| text.starts_with(start));
    (address && text.contains('#'))
        || text.strip_prefix('#').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Reads a link, or the part behind its `#`; see [`super::read`].
///
/// # Errors
///
/// The first error in the link.
pub fn read(text: &str, source: SourceId) -> Result<ReadGame, Diagnostics> {
    let start = text.find('#').map_or(text.len() - text.trim_start().len(), |hash| hash + 1);
    let end = text.trim_end().len().max(start);
    let mut reader =
        HexWorldReader { text, at: start, end, source, warnings: Diagnostics::new(), rules: RuleWatch::default() };
    let record = reader.record()?;
    let irregular = reader.rules.finish(&record);
    Ok(ReadGame { record, warnings: reader.warnings, irregular })
}

struct HexWorldReader<'a> {
    text: &'a str,
    at: usize,
    end: usize,
    source: SourceId,
    warnings: Diagnostics,
    rules: RuleWatch,
}

impl<'a> HexWorldReader<'a> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    /// Takes the characters up to the first that is not wanted.
    fn take(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(|c| !wanted(c)).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    fn record(&mut self) -> Result<GameRecord, Diagnostics> {
        let mut record = GameRecord::new(self.board()?);
        self.settings();
        while !self.rest().is_empty() && !self.rest().starts_with(',') {
            self.turn(&mut record)?;
        }
        if self.rest().len() > 1 {
            let span = self.span(self.at, self.end);
            self.warnings.push(warning("moves that were taken back are not read", span, "behind the second comma"));
        }
        Ok(record)
    }

    fn board(&mut self) -> Result<Board, Diagnostics> {
        let start = self.at;
        let width = self.take(|c| c.is_ascii_digit());
        let height = match self.rest().strip_prefix('x') {
            Some(_) => {
                self.at += 1;
                self.take(|c| c.is_ascii_digit())
            }
            None => width,
        };
        let board = width.parse().ok().zip(height.parse().ok()).and_then(|(width, height)| Board::new(width, height));
        board.ok_or_else(|| {
            let help = format!("a link begins `{ADDRESS}#11,`, or `#14x9,` with columns and rows");
            error("this link has no board size", self.span(start, self.at), "no size", help).into()
        })
    }

    /// Skips the settings of the picture and the comma behind them.
    fn settings(&mut self) {
        let start = self.at;
        let settings = self.take(|c| c != ',');
        self.at += usize::from(!self.rest().is_empty());
        let mut letters = settings.split(|c: char| c.is_ascii_digit()).filter(|letters| !letters.is_empty());
        if letters.any(|letters| !letters.chars().all(|letter| matches!(letter, 'r' | 'c' | 'n'))) {
            let span = self.span(start, start + settings.len());
            let message = format!("the settings `{}` are not known, and skipped", settings.escape_debug());
            self.warnings.push(warning(message, span, "`r`, `c` and `n` are known"));
        }
    }

    fn turn(&mut self, record: &mut GameRecord) -> Result<(), Diagnostics> {
        let start = self.at;
        match SPECIAL.iter().find(|special| self.rest().starts_with(**special)) {
            Some(special) => self.at += special.len(),
            None => {
                self.take(|c| c.is_ascii_alphabetic());
                self.take(|c| c.is_ascii_digit());
            }
        }
        if self.at == start {
            self.at += self.rest().chars().next().map_or(0, char::len_utf8);
        }
        let name = &self.text[start..self.at];
        let span = self.span(start, self.at);
        let board = record.board();
        // Turns alternate, and the first is Red's.
        let mover = record.to_move().unwrap_or(Player::Red);
        let (player, action) = match name {
            ":s" => (mover, Action::SwapPieces),
            ":p" => (mover, Action::Pass),
            ":rb" => (Player::Red, Action::Resign),
            ":rw" => (Player::Blue, Action::Resign),
            ":fb" => (Player::Red, Action::Forfeit),
            ":fw" => (Player::Blue, Action::Forfeit),
            _ => match (board.cell_of_name(name), parse_cell_name(name)) {
                (Some(cell), _) => (mover, Action::Play(cell)),
                (None, Some(_)) => {
                    let help = "is the size of the board, before the first comma, right?";
                    return Err(error(format!("`{name}` is outside the {board} board"), span, "outside", help).into());
                }
                (None, None) => {
                    let help = "a move is a cell as in `f6`, `:s`, `:p`, `:rb`, `:rw`, `:fb` or `:fw`";
                    let message = format!("`{}` is no move", name.escape_debug());
                    return Err(error(message, span, "no move", help).into());
                }
            },
        };
        let node = RecordNode::from(Turn { player, action });
        self.rules.see(record, &node, span);
        record.push(node).map_err(|illegal| {
            let help = match illegal {
                Illegal::Occupied => "a cell holds one stone",
                Illegal::NothingToSwap => "a swap answers the first move",
                Illegal::NotSquare => "leave the swap out and write the board after it",
            };
            error(format!("this move is illegal: {illegal}"), span, "not possible here", help).into()
        })
    }
}

/// Writes a record as a link. Turns alternate in a link, so whoever is out of turn gets a pass; stones that were set
/// up are moves, and where cells are set up later or cleared only the last position is written. Names and comments have
/// no place.
pub fn write(record: &GameRecord) -> String {
    let last = record.nodes().iter().rev().find_map(|node| node.turn);
    let first = record.nodes().first().map_or(&[][..], |node| &node.setup);
    let flat;
    let record = if record.nodes().iter().skip(1).any(|node| !node.setup.is_empty())
        || first.iter().any(|(_, stone)| stone.is_none())
    {
        flat = GameRecord::of_position(&record.position());
        &flat
    } else {
        record
    };
    let board = record.board();
    let mut moves = String::new();
    let mut mover = Player::Red;
    let mut turn = |player: Player, text: &str| {
        if player != mover {
            moves.push_str(":p");
        }
        moves.push_str(text);
        mover = player.opponent();
    };
    for node in record.nodes() {
        for (player, cell) in by_turns(node) {
            turn(player, &board.name(cell));
        }
        let Some(taken) = node.turn else { continue };
        match taken.action {
            Action::Play(cell) => turn(taken.player, &board.name(cell)),
            Action::SwapPieces => turn(taken.player, ":s"),
            Action::Pass => turn(taken.player, ":p"),
            // The stones stay, and who moves next is seen from the next move.
            Action::SwapSides | Action::Resign | Action::Forfeit => {}
        }
    }
    if record.to_move().is_some_and(|player| player != mover) {
        moves.push_str(":p");
    }
    moves.push_str(match last {
        Some(Turn { player: Player::Red, action: Action::Resign }) => ":rb",
        Some(Turn { player: Player::Blue, action: Action::Resign }) => ":rw",
        Some(Turn { player: Player::Red, action: Action::Forfeit }) => ":fb",
        Some(Turn { player: Player::Blue, action: Action::Forfeit }) => ":fw",
        _ => "",
    });
    let size = if board.width() == board.height() { board.width().to_string() } else { board.to_string() };
    format!("{ADDRESS}#{size}{SETTINGS},{moves}")
}

/// The stones that are set up, each player's in turn as long as both have some.
fn by_turns(node: &RecordNode) -> Vec<(Player, Cell)> {
    let setup = node.last_setup();
    let [mut red, mut blue] = Player::BOTH.map(|player| {
        setup.iter().filter(move |&(_, &stone)| stone == Some(player)).map(move |(&cell, _)| (player, cell))
    });
    let mut stones = Vec::with_capacity(setup.len());
    loop {
        let pair = [red.next(), blue.next()];
        if pair == [None, None] {
            return stones;
        }
        stones.extend(pair.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(link: &str) -> String {
        read(link, SourceId(0)).unwrap_or_else(|errors| panic!("{errors:?}")).record.position().to_string()
    }

    #[test]
    fn a_link_with_a_swap() {
        // b4 is column 2 of row 4; swapped it is Blue's d2.
        let expected = "size: 11x11\nto-move: red\nblue: d2\nmoves: h4 g8\n";
        assert_eq!(position("https://hexworld.org/board/#11r9c1,b4:sh4g8"), expected);
        assert_eq!(position("#11,b4:sh4g8,a1a2\n"), expected);
        assert_eq!(position("11,b4:sh4g8:rb"), expected);
    }

    #[test]
    fn boards_that_are_not_square_and_empty_ones() {
        assert_eq!(position("#3x2,c2"), "size: 3x2\nto-move: blue\nmoves: c2\n");
        assert_eq!(position("#2"), "to-move: red\n. .\n . .\n");
    }

    #[test]
    fn what_is_out_of_turn_is_passed_for() {
        let link = |text: &str| write(&super::super::read(text, SourceId(0), None).unwrap().record);
        assert_eq!(link("to-move: red\nR B\n . R\n"), "https://hexworld.org/board/#2c1,a1b1b2:p");
        assert_eq!(
            link("(;GM[11]SZ[3];B[a2];W[swap-sides];W[c3];B[resign])"),
            "https://hexworld.org/board/#3c1,a2c3:rb"
        );
        assert_eq!(link("(;GM[11]SZ[3];B[a2];W[swap-pieces];B[c3])"), "https://hexworld.org/board/#3c1,a2:sc3");
        assert_eq!(link("(;GM[11]SZ[3];B[a2];W[b2];AE[a2]PL[W])"), "https://hexworld.org/board/#3c1,:pb2:p");
    }
}
