//! The formulations as games: rulesheets in GDL that differ in how they tell who has joined their edges, and in nothing else that a
//! player sees. Roles, moves, ends and goals are the same.
//!
//! Board and moves are in `rules/lib/hex.kif`. A formulation that serves boards of every size is a file beside it; the text
//! of the others is generated for a board, as is the picture.

use super::{TooLarge, winning_sets};
use ludolog_family::board::hexagons::numbered_rhombus;
use ludolog_family::rulesheet::Rulesheet;
use ludolog_hex::board::{Board, Player};
use std::fmt::Write;
use std::ops::ControlFlow;

/// Most columns and rows: `rules/lib/hex.kif` counts so far.
const LARGEST: usize = 19;

/// Most winning sets of a rulesheet: games with more take minutes to load.
const MOST_SETS: usize = 10_000;

/// Most bytes of power-set rules: no reasoner runs longer ones.
const MOST_BYTES: usize = 1 << 18;

/// The beginning of the file names.
const STEM: &str = "hex";

/// The extension of the file names.
const EXTENSION: &str = ".kif";

/// A way to tell in GDL who has joined their edges.
#[derive(Debug)]
pub struct GameFormulation {
    /// The name by which users choose it.
    pub name: &'static str,
    /// Its method, in a few words.
    pub title: &'static str,
    rules: Rules,
}

#[derive(Debug)]
enum Rules {
    /// The file `rules/lib/hex-NAME.kif`.
    Included,
    Generated(fn(Board) -> Result<String, TooLarge>),
}

/// The formulation whose games have no name but that of Hex: it is the ordinary one.
pub const ORDINARY: &GameFormulation = &GAMES[3];

/// All formulations as games, from the most to the least naive.
pub const GAMES: &[GameFormulation] = &[
    GameFormulation {
        name: "winning-sets",
        title: "all minimal chains, made beforehand",
        rules: Rules::Generated(winning_sets),
    },
    GameFormulation {
        name: "power-set",
        title: "all choices of as many stones as a chain may have",
        rules: Rules::Generated(power_set),
    },
    GameFormulation {
        name: "follow-the-line",
        title: "follow the line with a list of visited cells",
        rules: Rules::Included,
    },
    GameFormulation { name: "reachability", title: "what is reached from the first edge", rules: Rules::Included },
    GameFormulation {
        name: "maker-breaker",
        title: "the opponent cannot join their edges any more",
        rules: Rules::Included,
    },
    GameFormulation { name: "cluster", title: "clusters in the state, merged move by move", rules: Rules::Included },
];

/// The formulation of that name; `None` if there is none.
pub fn named(name: &str) -> Option<&'static GameFormulation> {
    GAMES.iter().find(|formulation| formulation.name == name)
}

/// The formulation and the board of a file name, as in `hex-cluster-4x4.kif`, or `hex-4x4.kif` for the ordinary formulation.
pub fn of_file(name: &str) -> Option<(&'static GameFormulation, Board)> {
    let (stem, board) = name.strip_suffix(EXTENSION)?.rsplit_once('-')?;
    let formulation = GAMES.iter().find(|formulation| formulation.stem() == stem)?;
    Some((formulation, board.parse().ok()?))
}

/// Why no board has the size of a file name, as in `hex-0x0.kif`, with the bounds; `None` if the name is not that of a formulation and
/// columns and rows.
pub fn wrong_size(name: &str) -> Option<String> {
    let (stem, size) = name.strip_suffix(EXTENSION)?.rsplit_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_size = size.contains('x') && size.split('x').all(is_number);
    let is_wrong = is_size && of_file(name).is_none() && GAMES.iter().any(|formulation| formulation.stem() == stem);
    is_wrong.then(|| {
        format!("{stem}: `{size}` is no size of it: columns (1 to {LARGEST}) x rows (1 to {LARGEST}), as in 3x3")
    })
}

impl GameFormulation {
    fn stem(&self) -> String {
        if self.name == ORDINARY.name { STEM.to_owned() } else { format!("{STEM}-{}", self.name) }
    }

    /// The name of the game on a board of this size, as `ludolog games` takes it.
    pub fn game(&self, board: Board) -> String {
        format!("{}-{board}", self.stem())
    }

    /// The file name of the rulesheet for boards of this size.
    pub fn file_name(&self, board: Board) -> String {
        self.game(board) + EXTENSION
    }

    /// The rulesheet for boards of this size, as a file in `rules/games/` that includes what all share.
    ///
    /// # Errors
    ///
    /// [`TooLarge`], when the rules do not count so far, or their text would be too large.
    pub fn file(&self, board: Board) -> Result<String, TooLarge> {
        let columns = board.width();
        let rows = board.height();
        if columns.max(rows) > LARGEST {
            let message = format!("the rules of Hex as a game count to {LARGEST}, and a board of {board} is larger");
            return Err(TooLarge { message });
        }
        let (include, rules) = match self.rules {
            Rules::Included => (format!("(include \"../lib/hex-{}.kif\")\n", self.name), String::new()),
            Rules::Generated(generate) => (String::new(), format!("\n{}", generate(board)?)),
        };
        Ok(format!(
            "; Hex on {columns} columns and {rows} rows, won by {}: {}.\n\n\
             (include \"../lib/hex.kif\")\n{include}\n(columns {columns})\n(rows {rows})\n{rules}{}",
            self.name.replace('-', " "),
            self.title,
            numbered_rhombus(columns, rows).draw(Rulesheet::default()).into_text()
        ))
    }
}

/// One rule for each winning set of each player.
fn winning_sets(board: Board) -> Result<String, TooLarge> {
    let mut rules = String::new();
    let mut sets = 0;
    for player in Player::BOTH {
        let flow = winning_sets::for_each(board, player, |chain| {
            sets += 1;
            let stones = chain.iter().map(|&cell| stone(player.name(), board.column(cell) + 1, board.row(cell) + 1));
            rule(&mut rules, player.name(), stones);
            if sets > MOST_SETS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if flow.is_break() {
            return Err(TooLarge { message: format!("a board of {board} has more than {MOST_SETS} winning sets") });
        }
    }
    Ok(rules)
}

/// A rule for each number of stones that a chain may have, up to half of all cells, which is what a player gets: choose as many
/// different stones, all at once, then test whether each is adjacent to the next.
fn power_set(board: Board) -> Result<String, TooLarge> {
    let mut rules = String::new();
    let players = if board.width() == board.height() {
        vec![("?p", board.width())]
    } else {
        Player::BOTH.map(|player| (player.name(), board.lines(player))).to_vec()
    };
    for (who, shortest) in players {
        for length in shortest..=shortest.max(board.len().div_ceil(2)) {
            if rules.len() > MOST_BYTES {
                let message = format!("the power-set rules for a board of {board} are longer than {MOST_BYTES} bytes");
                return Err(TooLarge { message });
            }
            let cells = 1..=length;
            let cell = |i: usize| format!("?c{i} ?r{i}");
            let stones = cells.clone().map(|i| stone(who, format!("?c{i}"), format!("?r{i}")));
            let ends = [format!("(first {who} {})", cell(1)), format!("(last {who} {})", cell(length))];
            let pairs = cells.clone().flat_map(|i| (1..i).map(move |j| (j, i)));
            let different = pairs.map(|(j, i)| format!("(distinct (cell {}) (cell {}))", cell(j), cell(i)));
            let adjacent = cells.clone().skip(1).map(|i| format!("(adjacent {} {})", cell(i - 1), cell(i)));
            rule(&mut rules, who, stones.chain(ends).chain(different).chain(adjacent));
        }
    }
    Ok(rules)
}

fn stone(who: &str, column: impl std::fmt::Display, row: impl std::fmt::Display) -> String {
    format!("(true (stone {who} {column} {row}))")
}

/// Most characters of a line before the next condition.
const WIDE: usize = 90;

fn rule(rules: &mut String, who: &str, body: impl Iterator<Item = String>) {
    _ = write!(rules, "(<= (joined {who})");
    let mut line = usize::MAX;
    for condition in body {
        if line > WIDE {
            rules.push_str("\n    ");
            line = 4;
        } else {
            rules.push(' ');
        }
        line += condition.len() + 1;
        rules.push_str(&condition);
    }
    rules.push_str(")\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(columns: usize, rows: usize) -> Board {
        Board::new(columns, rows).unwrap()
    }

    /// The rules after the size of the board, on one line.
    fn rules(name: &str, columns: usize, rows: usize) -> String {
        let text = named(name).unwrap().file(board(columns, rows)).unwrap();
        let rules = text.split_once(&format!("(rows {rows})\n")).unwrap().1.split_once("\n; The picture").unwrap().0;
        rules.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rules_for_a_size() {
        assert_eq!(rules("reachability", 2, 2), "");
        assert_eq!(
            rules("power-set", 2, 2),
            "(<= (joined ?p) (true (stone ?p ?c1 ?r1)) (true (stone ?p ?c2 ?r2)) (first ?p ?c1 ?r1) (last ?p ?c2 ?r2) \
             (distinct (cell ?c1 ?r1) (cell ?c2 ?r2)) (adjacent ?c1 ?r1 ?c2 ?r2))"
        );
        // On one row each stone joins red's edges, and both together join blue's.
        let [one, other] = ["(true (stone blue 1 1))", "(true (stone blue 2 1))"];
        assert!(rules("winning-sets", 2, 1).ends_with(&format!("(<= (joined blue) {one} {other})")));
        // Straight ahead twice and along the short diagonal once, for each player.
        assert_eq!(rules("winning-sets", 2, 2).matches("<=").count(), 6);
    }

    #[test]
    fn names_are_those_of_files() {
        for formulation in GAMES {
            let name = formulation.file_name(board(4, 3));
            assert_eq!(
                of_file(&name).map(|(found, board)| (found.name, board.to_string())),
                Some((formulation.name, "4x3".to_owned()))
            );
        }
        assert_eq!(ORDINARY.game(board(5, 5)), "hex-5x5");
        assert!(of_file("hex-nonsense-4x4.kif").is_none() && of_file("hex-4.kif").is_none());
    }

    #[test]
    fn what_is_too_large_is_told() {
        let told = |name: &str, size: usize| named(name).unwrap().file(board(size, size)).unwrap_err().message;
        assert!(told("reachability", 20).contains("count to 19"));
        assert!(told("winning-sets", 9).contains("more than 10000 winning sets"));
        assert!(told("power-set", 9).contains("longer than"));
    }
}
