//! Power-set: choose stones, then test whether they are a chain.
//!
//! The paper's section 2.2. A chain over n lines has at least n cells, so take every choice of n stones, one for each
//! line, and test whether each is adjacent to the next. The naive order chooses all stones first, in k^n ways for k
//! stones; with each test directly after the choice of its cells, it becomes a depth-first search along the chains.

use super::{INCLUDE, OF_POSITION, TooLarge};
use ludolog_hex::board::{Board, Player};
use std::fmt::Write;

/// Most bytes of a text: engines take minutes to load a longer one.
const MOST_BYTES: usize = 16 << 20;

/// The rules for chains with one cell on each line.
pub fn text(board: Board) -> String {
    let mut text = format!(
        "% Power-set of the shortest length, for boards of {board}: choose a stone for each line, all at once, then test adjacency.\n\
         % Decides positions that nobody has won, and those with a winning chain that has exactly one cell on each line.\n\
         % Cannot see a chain that turns back or runs along a line. The text is made for one size of board.\n\
         {INCLUDE}"
    );
    for (who, lines) in winners(board) {
        let cells = 1..=lines;
        let stones = cells.clone().map(|i| format!("stone({who}, C{i})"));
        let on_lines = cells.clone().map(|i| format!("line({who}, C{i}, {i})"));
        let adjacent = cells.skip(1).map(|i| format!("adjacent(C{}, C{i})", i - 1));
        rule(&mut text, who, stones.chain(on_lines).chain(adjacent));
    }
    text + OF_POSITION
}

/// The rules for chains of every length, from the number of lines to half of the cells.
///
/// # Errors
///
/// [`TooLarge`], when the text would exceed 16 MiB.
pub fn text_of_any_length(board: Board) -> Result<String, TooLarge> {
    let mut text = format!(
        "% Power-set of any length, for boards of {board}: choose different stones, all at once, then test adjacency.\n\
         % Decides positions that nobody has won, and those with a winning chain on at most half of all cells.\n\
         % Cannot see a longer chain (3x3 has some), nor be run but on the smallest boards. The text is made for one size of board.\n\
         {INCLUDE}"
    );
    for (who, player) in winners(board).into_iter().zip(Player::BOTH).map(|((who, _), player)| (who, player)) {
        for length in lengths(board, player) {
            if text.len() > MOST_BYTES {
                let message = format!(
                    "the power-set rules for a board of {board} are too long: {} MB up to chains of {length} cells",
                    text.len() >> 20
                );
                return Err(TooLarge { message });
            }
            let cells = 1..=length;
            let stones = cells.clone().map(|i| format!("stone({who}, C{i})"));
            let ends = [format!("first({who}, C1)"), format!("last({who}, C{length})")];
            let different = cells.clone().skip(1).map(|i| {
                let before: Vec<String> = (1..i).map(|j| format!("C{j}")).collect();
                format!("~member(C{i}, [{}])", before.join(", "))
            });
            let adjacent = cells.clone().skip(1).map(|i| format!("adjacent(C{}, C{i})", i - 1));
            rule(&mut text, who, stones.chain(ends).chain(different).chain(adjacent));
        }
    }
    Ok(text + OF_POSITION)
}

/// The lengths of the chains that the rules of any length look for, ascending.
pub(super) fn lengths(board: Board, player: Player) -> Vec<usize> {
    let shortest = board.lines(player);
    (shortest..=shortest.max(board.len() / 2)).collect()
}

/// The players that need rules, with their numbers of lines: one variable `P` if both have the same number.
fn winners(board: Board) -> Vec<(&'static str, usize)> {
    if board.width() == board.height() {
        vec![("P", board.width())]
    } else {
        Player::BOTH.map(|player| (player.name(), board.lines(player))).to_vec()
    }
}

fn rule(text: &mut String, who: &str, body: impl Iterator<Item = String>) {
    let _ = write!(text, "\nwin({who}) :-");
    let mut column = usize::MAX;
    let mut body = body.peekable();
    while let Some(literal) = body.next() {
        if column > 100 {
            text.push_str("\n    ");
            column = 4;
        } else {
            text.push(' ');
        }
        column += literal.len() + 3;
        text.push_str(&literal);
        text.push_str(if body.peek().is_some() { " &" } else { ".\n" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_for_each_size() {
        let rules = |text: String| {
            let rules = text.strip_suffix(OF_POSITION).unwrap().split_once(INCLUDE).unwrap().1;
            rules.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            rules(text(Board::new(2, 2).unwrap())),
            "win(P) :- stone(P, C1) & stone(P, C2) & line(P, C1, 1) & line(P, C2, 2) & adjacent(C1, C2)."
        );
        assert_eq!(
            rules(text(Board::new(1, 2).unwrap())),
            "win(red) :- stone(red, C1) & stone(red, C2) & line(red, C1, 1) & line(red, C2, 2) & adjacent(C1, C2). \
             win(blue) :- stone(blue, C1) & line(blue, C1, 1)."
        );
        assert_eq!(
            rules(text_of_any_length(Board::new(2, 2).unwrap()).unwrap()),
            "win(P) :- stone(P, C1) & stone(P, C2) & first(P, C1) & last(P, C2) & ~member(C2, [C1]) & adjacent(C1, C2)."
        );
        let lengths = |w, h, player| lengths(Board::new(w, h).unwrap(), player);
        assert_eq!(lengths(4, 4, Player::Red), [4, 5, 6, 7, 8]);
        assert_eq!(lengths(5, 2, Player::Red), [2, 3, 4, 5]);
        assert_eq!(lengths(5, 2, Player::Blue), [5]);
        assert!(text_of_any_length(Board::new(100, 100).unwrap()).is_err());
    }
}
