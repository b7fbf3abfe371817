//! Commands, and moves by number or by text.
//!
//! A command is its name alone or with an argument; all else is a move. The text of a move may be KIF, `(mark 1 1)`,
//! infix, `mark(1, 1)`, or its words alone, `mark 1 1`; words may be missing at its end, and the last one may be cut
//! off, as long as one legal move remains. Where no move begins so, the cells of a board may be written by a letter and
//! a number: `c3` is `(place 3 3)` or `(place c3)`, and `a2 b3` is `(move 1 2 2 3)`.

/// A command, or its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayCommand {
    Facts,
    Help,
    Hint,
    Moves,
    Quit,
    State,
    Undo,
    Why,
}

/// The commands: what they are called, what follows, what they do.
pub const COMMANDS: [(&str, PlayCommand, &str, &str); 8] = [
    ("facts", PlayCommand::Facts, "", "print the facts of the state"),
    ("help", PlayCommand::Help, "", "print this"),
    ("hint", PlayCommand::Hint, "", "show what a player would do, and the goal that it expects"),
    ("moves", PlayCommand::Moves, "[TEXT]", "list the legal moves, or those with this text in them"),
    ("quit", PlayCommand::Quit, "", "end"),
    ("state", PlayCommand::State, "", "draw the state"),
    ("undo", PlayCommand::Undo, "", "go back to your turn before"),
    (
        "why",
        PlayCommand::Why,
        "[MOVE|FACT]",
        "show why a move is legal or is not, why the game is over, why a fact holds or does not",
    ),
];

/// What can be entered.
pub fn help() -> String {
    let width = COMMANDS.iter().map(|(name, _, argument, _)| name.len() + argument.len()).max().unwrap_or(0);
    let lines = COMMANDS.iter().map(|(name, _, argument, does)| {
        let usage = format!("{name} {argument}");
        format!("  {usage:0$}  {does}\n", width + 1)
    });
    HELP.to_owned() + &lines.collect::<String>()
}

/// The first lines of the help.
const HELP: &str = "\
A move is its number, or its text: (mark 1 1), mark(1, 1), mark 1 1, or so much of that as no other move begins with.
Cells of a board may be written by a letter and a number: c3 for (place 3 3), a2 b3 for (move 1 2 2 3).

";

/// A whole line.
#[derive(Debug, PartialEq, Eq)]
pub enum PlayInput<'t> {
    /// A command and what follows its name.
    Command(PlayCommand, &'t str),
    /// A move.
    Move(&'t str),
    /// Blanks.
    Nothing,
}

/// Tells what a line is.
pub fn classify(line: &str) -> PlayInput<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match COMMANDS.iter().find(|(name, ..)| *name == word) {
        Some((_, command, argument, _)) if rest.is_empty() || !argument.is_empty() => {
            PlayInput::Command(*command, rest.trim())
        }
        _ if line.is_empty() => PlayInput::Nothing,
        _ => PlayInput::Move(line),
    }
}

/// What a text says about legal moves.
#[derive(Debug, PartialEq, Eq)]
pub enum FoundMoves {
    /// It is one of them: its place.
    One(usize),
    /// It begins several of them: their places.
    Several(Vec<usize>),
    /// It is none of them.
    None,
    /// It is a number, and there are fewer moves.
    TooLarge(usize),
}

/// Finds the move that a text stands for, by its number from 1 or by its words.
pub fn find(text: &str, moves: &[String]) -> FoundMoves {
    let wanted = words(text);
    let begins = |of_move: &[&str]| match wanted.split_last() {
        Some((last, before)) => {
            let next = of_move
                .get(before.len())
                .is_some_and(|word| word.starts_with(last) && (*word == *last || is_open(text)));
            next && of_move.starts_with(before)
        }
        None => false,
    };
    let of_moves: Vec<Vec<&str>> = moves.iter().map(|made| words(made)).collect();
    if let Some(at) = of_moves.iter().position(|of_move| *of_move == wanted) {
        // A number that is a move itself is that move; such moves are listed without numbers.
        return FoundMoves::One(at);
    }
    if let ([_], Ok(number)) = (&wanted[..], text.trim().parse::<usize>()) {
        return match number.checked_sub(1).filter(|&at| at < moves.len() && is_numbered(moves)) {
            Some(at) => FoundMoves::One(at),
            None => FoundMoves::TooLarge(number),
        };
    }
    let mut found: Vec<usize> = (0..moves.len()).filter(|&at| begins(&of_moves[at])).collect();
    if found.is_empty()
        && let Some(cells) = cells(text)
    {
        let coordinates = |of_move: &[&str]| of_move.iter().flat_map(|word| coordinates(word)).collect::<Vec<_>>();
        found = (0..moves.len()).filter(|&at| coordinates(&of_moves[at]).ends_with(&cells)).collect();
    }
    match found[..] {
        [] => FoundMoves::None,
        [at] => FoundMoves::One(at),
        _ => FoundMoves::Several(found),
    }
}

/// The columns and rows of a text of cells, as in `a2 b3` or `a2-b3`; `None` if it is another.
fn cells(text: &str) -> Option<Vec<String>> {
    let words = text.split(|c: char| is_punctuation(c) || c == '-').filter(|word| !word.is_empty());
    let cells: Vec<Vec<String>> = words.map(coordinates).collect();
    let is_board = !cells.is_empty() && cells.iter().all(|cell| cell.len() == 2);
    is_board.then(|| cells.concat())
}

/// The numbers of the column and the row of a cell, as in `c3`; any other word as it is.
fn coordinates(word: &str) -> Vec<String> {
    let mut letters = word.chars();
    match (letters.next(), letters.as_str().parse::<u32>()) {
        (Some(column), Ok(row)) if column.is_ascii_alphabetic() => {
            vec![(column.to_ascii_lowercase() as u32 - 'a' as u32 + 1).to_string(), row.to_string()]
        }
        _ => vec![word.to_owned()],
    }
}

/// Whether the moves of a list are numbered: not where some are numbers themselves.
pub fn is_numbered(moves: &[String]) -> bool {
    moves.iter().all(|made| made.parse::<i64>().is_err())
}

/// The symbols and integers of a term, in order.
pub fn words(term: &str) -> Vec<&str> {
    term.split(is_punctuation).filter(|word| !word.is_empty()).collect()
}

/// Whether the last word of a text may be cut off.
fn is_open(text: &str) -> bool {
    !text.ends_with(is_punctuation)
}

fn is_punctuation(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')' | ',')
}

/// The completions of a line whose cursor is at its end: the place from which on they replace it, and the words.
/// Commands and moves at its beginning, moves behind `why` and `moves`.
pub fn complete(line: &str, moves: &[String]) -> (usize, Vec<String>) {
    let start =
        ["why ", "moves "].iter().find(|command| line.starts_with(**command)).map_or(0, |command| command.len());
    let text = &line[start..];
    // Without its parenthesis, a move in KIF is completed without it.
    let spelled = |made: &String| {
        if text.starts_with('(') {
            made.clone()
        } else {
            made.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(made).to_owned()
        }
    };
    let commands = COMMANDS.iter().filter(|_| start == 0).map(|(name, ..)| (*name).to_owned());
    let facts = ["terminal", "goal"].iter().filter(|_| line.starts_with("why ")).map(|name| (*name).to_owned());
    let all = commands.chain(facts).chain(moves.iter().map(spelled));
    let mut words: Vec<String> = all.filter(|word| word.starts_with(text)).collect();
    words.sort();
    (start, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn commands_are_no_moves() {
        assert_eq!(classify("  undo "), PlayInput::Command(PlayCommand::Undo, ""));
        assert_eq!(classify("why mark 1 1"), PlayInput::Command(PlayCommand::Why, "mark 1 1"));
        for made in ["(undo)", "undo 1", "mark(1, 1)", "3"] {
            assert_eq!(classify(made), PlayInput::Move(made));
        }
        assert_eq!(classify(" "), PlayInput::Nothing);
    }

    #[test]
    fn moves_are_found_by_number_text_and_beginning() {
        let moves = moves(&["(mark 1 1)", "(mark 1 10)", "(mark 2 3)", "noop"]);
        for text in ["3", "(mark 2 3)", "mark(2, 3)", "mark 2 3", "mark 2", "mark(2", "mark(2,"] {
            assert_eq!(find(text, &moves), FoundMoves::One(2), "{text}");
        }
        assert_eq!(find("mark 1 1", &moves), FoundMoves::One(0));
        assert_eq!(find("mark 1", &moves), FoundMoves::Several(vec![0, 1]));
        assert_eq!(find("m", &moves), FoundMoves::Several(vec![0, 1, 2]));
        assert_eq!((find("n", &moves), find("n ", &moves)), (FoundMoves::One(3), FoundMoves::None));
        assert_eq!((find("mark 3", &moves), find("", &moves)), (FoundMoves::None, FoundMoves::None));
        assert_eq!((find("0", &moves), find("5", &moves)), (FoundMoves::TooLarge(0), FoundMoves::TooLarge(5)));
    }

    #[test]
    fn cells_are_a_letter_and_a_number() {
        let moves =
            moves(&["(place 3 3)", "(place 1 12)", "(move 1 2 2 3)", "(move 1 2 1 3)", "(put x 4 3)", "(swap c5)"]);
        for (text, at) in [("c3", 0), ("C3", 0), ("a12", 1), ("a2 b3", 2), ("a2-a3", 3), ("d3", 4), ("c5", 5)] {
            assert_eq!(find(text, &moves), FoundMoves::One(at), "{text}");
        }
        assert_eq!((find("c4", &moves), find("a3", &moves)), (FoundMoves::None, FoundMoves::One(3)));
        assert_eq!(find("a2", &moves), FoundMoves::None);
    }

    #[test]
    fn moves_that_are_numbers_have_none() {
        let moves = moves(&["5", "7"]);
        assert_eq!((find("7", &moves), find("1", &moves)), (FoundMoves::One(1), FoundMoves::TooLarge(1)));
    }

    #[test]
    fn lines_are_completed() {
        let moves = moves(&["(mark 1 1)", "(mark 2 3)", "hide"]);
        assert_eq!(complete("h", &moves), (0, vec!["help".to_owned(), "hide".to_owned(), "hint".to_owned()]));
        assert_eq!(complete("mark 2", &moves), (0, vec!["mark 2 3".to_owned()]));
        assert_eq!(complete("(m", &moves).1.len(), 2);
        assert_eq!(complete("why t", &moves), (4, vec!["terminal".to_owned()]));
    }
}
