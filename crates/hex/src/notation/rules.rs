//! The rules of Hex, held against a record while it is read: what breaks them is read as it is written, and told.

use super::record::{Action, GameRecord, RecordNode, Turn};
use super::warning;
use crate::board::Player;
use ludolog_syntax::diagnostic::{Diagnostics, Span};

/// A rule that records break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BrokenRule {
    /// A swap is the answer to the first stone.
    Swap,
    /// Players move in turn.
    Turn,
    /// A game ends when a player gives up.
    End,
}

/// The turns of a record so far, and what was wrong with them.
#[derive(Debug, Default)]
pub struct RuleWatch {
    found: Diagnostics,
    /// The rules that have been broken: each is told once.
    broken: Vec<BrokenRule>,
    /// The place of the last stone that was played, if there was one.
    last_stone: Option<Span>,
    has_turns: bool,
    /// Whether somebody passed. Links set positions up so, in which any stone may be the last one.
    has_passes: bool,
    is_swapped: bool,
}

impl RuleWatch {
    /// Looks at a node before it is added to the record; its turn stands at `at`.
    pub fn see(&mut self, record: &GameRecord, node: &RecordNode, at: Span) {
        let Some(Turn { player, action }) = node.turn else { return };
        let is_swap = matches!(action, Action::SwapPieces | Action::SwapSides);
        let is_stone = matches!(action, Action::Play(_));
        let expected = node.to_move.or(record.to_move()).filter(|_| self.has_turns && node.setup.is_empty());
        let out_of_turn = expected.filter(|&expected| expected != player && (is_swap || is_stone));
        if let Some(loser) = record.lost() {
            self.tell(BrokenRule::End, &format!("the game goes on after {loser} has given up"), at, "after the end");
        } else if is_swap && self.is_late(record) {
            self.tell(
                BrokenRule::Swap,
                "a swap answers the first stone alone",
                at,
                "not the answer to the first stone",
            );
        } else if let Some(expected) = out_of_turn {
            let message = format!("{player} moves out of turn");
            self.tell(BrokenRule::Turn, &message, at, &format!("it is the turn of {expected}"));
        }
        self.has_turns = true;
        self.has_passes |= action == Action::Pass;
        self.is_swapped |= is_swap;
        if is_stone {
            self.last_stone = Some(at);
        }
    }

    /// Whether a swap comes too late: after another one, or where not exactly one stone stands.
    fn is_late(&self, record: &GameRecord) -> bool {
        let is_told = self.broken.contains(&BrokenRule::Swap);
        is_told
            || self.is_swapped
            || record.board().cells().filter(|&cell| record.stone(cell).is_some()).nth(1).is_some()
    }

    fn tell(&mut self, rule: BrokenRule, message: &str, at: Span, label: &str) {
        if !self.broken.contains(&rule) {
            self.broken.push(rule);
            self.found.push(warning(message, at, label));
        }
    }

    /// All that was found, with a last stone in a game that had been won without it.
    pub fn finish(mut self, record: &GameRecord) -> Diagnostics {
        if let Some(at) = self.last_stone.filter(|_| !self.has_passes)
            && let Some(winner) = won_before_last_stone(record)
        {
            self.found.push(warning(format!("stones are placed after {winner} has won"), at, "the game was over"));
        }
        self.found
    }
}

/// The player who has won before the last stone was placed.
fn won_before_last_stone(record: &GameRecord) -> Option<Player> {
    let nodes = record.nodes();
    let is_stone = |node: &RecordNode| node.turn.is_some_and(|turn| matches!(turn.action, Action::Play(_)));
    let last = nodes.iter().rposition(is_stone)?;
    // A game without a winner had none before.
    record.position().winner()?;
    let mut before = GameRecord::new(record.board());
    for node in &nodes[..last] {
        before.push(node.clone()).ok()?;
    }
    before.position().winner()
}

#[cfg(test)]
mod tests {
    use super::super::read;
    use ludolog_syntax::diagnostic::SourceId;

    /// What breaks the rules in a game on 3×3 or in a link.
    fn broken(text: &str) -> Vec<String> {
        let text = if text.starts_with(';') { format!("(;GM[11]SZ[3]{text})") } else { text.to_owned() };
        let read = read(&text, SourceId(0), None).unwrap_or_else(|errors| panic!("{errors:?}"));
        read.irregular.iter().map(|warning| warning.message.clone()).collect()
    }

    #[test]
    fn what_breaks_the_rules_is_told_once() {
        let swap = "a swap answers the first stone alone";
        let twice = |player: &str| format!("{player} moves out of turn");
        let end = |player: &str| format!("the game goes on after {player} has given up");
        for (text, expected) in [
            ("#3,a1b2c3a3:sb3", vec![swap.to_owned()]),
            ("#3,a1:s:s", vec![swap.to_owned()]),
            (";B[c3];W[b3];B[swap-pieces];W[a1]", vec![swap.to_owned()]),
            (";B[a1];B[a2];W[b1];W[b2]", vec![twice("red")]),
            ("#3,a1:rbb2", vec![end("red")]),
            (";B[b1];W[resign];B[a1];W[a2]", vec![end("blue")]),
            ("#3,b1a1b2a2b3a3", vec!["stones are placed after red has won".to_owned()]),
        ] {
            assert_eq!(broken(text), expected, "{text}");
        }
    }

    #[test]
    fn games_by_the_rules_are_told_nothing() {
        for text in [
            "#3,a1:sb3c3:rw",
            "#3,b1a1b2a2b3",
            "#3,:pa1b2",
            "#3,b1:pb2:pb3:pa1",
            ";B[a1];W[swap-sides];W[b2];B[c3]",
            ";B[a1];W[pass];B[a2]",
            ";B[a1];PL[B]B[a2]",
            ";W[b1];B[swap-pieces];W[c3]",
            "AB[a1]PL[W];W[swap-pieces];B[b2];W[resign]",
            "AB[a1][b1]AW[c1];B[a2]",
        ] {
            let text = if text.starts_with("AB") { format!("(;GM[11]SZ[3]{text})") } else { text.to_owned() };
            assert_eq!(broken(&text), [""; 0], "{text}");
        }
    }
}
