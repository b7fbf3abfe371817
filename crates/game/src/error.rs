//! Why a game could not be asked.

use ludolog_engine::{Refused, Stopped};
use ludolog_syntax::ast::Term;
use ludolog_syntax::{Syntax, print_term};
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
}

impl GameError {
    /// The error in words, with terms in this syntax.
    pub fn text(&self, syntax: Syntax) -> String {
        let spell = |terms: &[Term]| terms.iter().map(|term| print_term(term, syntax)).collect::<Vec<_>>();
        match self {
            GameError::NoRoles => "this is no game: the rules do not say who plays (`role`)".to_owned(),
            GameError::WrongCount { given, roles } => {
                let plural = if roles.len() == 1 { "" } else { "s" };
                let (count, roles) = (roles.len(), spell(roles).join(", "));
                format!("a joint move has {count} move{plural}, in this order: {roles}; {given} given")
            }
            GameError::IllegalMove { role, given, legal } => {
                let [role, given] = [role, given].map(|term| print_term(term, syntax));
                let mut legal = spell(legal);
                legal.sort();
                match legal.is_empty() {
                    true => format!("`{given}` is not legal for {role}, and nothing is"),
                    false => format!("`{given}` is not legal for {role}; legal are:\n  {}", legal.join("\n  ")),
                }
            }
            GameError::Stopped(stopped) => stopped.to_string(),
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
        match self {
            GameError::Stopped(stopped) => Some(stopped),
            _ => None,
        }
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
