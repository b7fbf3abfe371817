//! Why a game could not be asked.

use ludolog_engine::{Refused, Stopped};
use ludolog_syntax::ast::{Predicate, Term};
use ludolog_syntax::{ColdSort, Syntax, print_term};
use std::fmt;

/// Why a game could not be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum GameError {
    /// The program does not say who plays.
    NoRoles,
    /// A joint move has one move for each role.
    WrongCount {
        /// The number of moves given.
        given: usize,
        /// The roles in order.
        roles: Vec<Term>,
    },
    /// A role may not make this move.
    IllegalMove {
        /// The role.
        role: Term,
        /// The move given.
        given: Term,
        /// The legal moves, sorted.
        legal: Vec<Term>,
    },
    /// The budget ended, or the engine cannot run the program.
    Stopped(Stopped),
    /// A limit or the budget ended what one predicate had grown by most.
    Grown {
        /// The predicate that has the most facts, or the deepest terms if they are the reason.
        predicate: Predicate,
        /// Its facts.
        facts: u64,
        /// The reason for its end.
        stopped: Stopped,
    },
}

impl GameError {
    /// The reason for the stop of the question, if it was not wrong.
    pub fn stopped(&self) -> Option<&Stopped> {
        match self {
            GameError::Stopped(stopped) | GameError::Grown { stopped, .. } => Some(stopped),
            _ => None,
        }
    }

    /// The error in words, with terms in this syntax.
    pub fn text(&self, syntax: Syntax) -> String {
        let spell = |terms: &[Term]| terms.iter().map(|term| print_term(term, syntax)).collect::<Vec<_>>();
        match self {
            GameError::NoRoles => {
                "this is no game: the rules do not say who plays (`role`); state it, as in `(role red)`".to_owned()
            }
            GameError::WrongCount { given, roles } => {
                let plural = if roles.len() == 1 { "" } else { "s" };
                let count = roles.len();
                let roles = spell(roles).join(", ");
                format!("a joint move has {count} move{plural}, in this order: {roles}; {given} given")
            }
            GameError::IllegalMove { role, given, legal } => {
                let [role, given] = [role, given].map(|term| print_term(term, syntax));
                let mut legal = spell(legal);
                legal.cold_sort();
                if legal.is_empty() {
                    format!("`{given}` is not legal for {role}, and nothing is")
                } else {
                    format!("`{given}` is not legal for {role}; legal are:\n  {}", legal.join("\n  "))
                }
            }
            GameError::Stopped(stopped) => stopped.to_string(),
            GameError::Grown { predicate, stopped: Stopped::TermTooLarge(excess), .. } => {
                format!("a term of `{predicate}` {excess}")
            }
            GameError::Grown { predicate, facts, stopped } => {
                format!("{stopped}, when `{predicate}` had grown to {facts} facts")
            }
        }
    }
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Syntax::Kif))
    }
}

impl std::error::Error for GameError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.stopped().map(|stopped| stopped as &(dyn std::error::Error + 'static))
    }
}

impl From<Stopped> for GameError {
    fn from(stopped: Stopped) -> Self {
        GameError::Stopped(stopped)
    }
}

impl From<Refused> for GameError {
    fn from(refused: Refused) -> Self {
        GameError::Stopped(refused.into())
    }
}
