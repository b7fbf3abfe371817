//! The formulations to measure: those that come with Ludolog, and the user's own.

use crate::task::{Wording, WordingError};
use ludolog_formulation::Formulation;
use ludolog_hex::board::{Board, Player};
use ludolog_hex::position::Position;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_syntax::ast::Predicate;
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// A formulation of the Hex win to measure.
pub enum Subject {
    /// One that comes with Ludolog.
    Shipped(&'static Formulation),
    /// The user's own, which has to decide every position of every board.
    Own(Box<Own>),
}

/// A formulation of the user.
pub struct Own {
    name: String,
    wording: Wording,
}

impl Subject {
    /// The user's rules as a formulation of that name. They derive `win(P)` from the facts of a position, or from its
    /// stones as events `place(P, X)`.
    ///
    /// # Errors
    ///
    /// The rules do not derive `win/1`.
    pub fn own(name: &str, program: StratifiedProgram) -> Result<Subject, Diagnostics> {
        let win = Predicate::new("win", 1);
        let derived = program.program.rules.iter().map(|rule| rule.head.signature());
        let other = derived.filter(|head| head.name == win.name).min_by_key(|head| *head != win);
        let wrong = match &other {
            Some(head) if *head == win => None,
            Some(head) => Some(format!("they have `{head}`: ")),
            None => Some(String::new()),
        };
        if let Some(found) = wrong {
            let message = format!("the rules of `{name}` do not derive `{win}`");
            return Err(Diagnostic::error(Code::UnknownPredicate, message).help(format!(
                "{found}a formulation says by `win(P)` that player P has joined its edges, from the stones `stone(P, X)`; \
                 for one to begin with: ludolog rules copy std:hex/reachability.dl"
            )).into());
        }
        Ok(Subject::Own(Box::new(Own { name: name.to_owned(), wording: Wording::of_winner(program)? })))
    }

    /// The name in reports.
    pub fn name(&self) -> &str {
        match self {
            Subject::Shipped(formulation) => formulation.name,
            Subject::Own(own) => &own.name,
        }
    }

    /// The program for boards of this size.
    ///
    /// # Errors
    ///
    /// [`WordingError::TooLarge`], when the generated text would be too large for the board.
    pub fn wording(&self, board: Board) -> Result<Wording, WordingError> {
        match self {
            Subject::Shipped(formulation) => Wording::of(formulation, board),
            Subject::Own(own) => Ok(own.wording.clone()),
        }
    }

    /// The winner that it has to derive.
    pub fn sees(&self, position: &Position) -> Option<Player> {
        match self {
            Subject::Shipped(formulation) => formulation.sees(position),
            Subject::Own(_) => position.winner(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_logic::analysis::analyze;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse};

    fn own(rules: &str) -> Result<Subject, Diagnostics> {
        let mut sources = Sources::new();
        let source = sources.add("own.dl", rules);
        let program = parse(source, &sources, Syntax::Datalog).into_result().expect("the rules parse");
        Subject::own("own", analyze(&program).expect("the rules are sound").stratified)
    }

    #[test]
    fn an_own_formulation_derives_win_of_a_player() {
        assert_eq!(own("win(P) :- stone(P, 1).").expect("a formulation").name(), "own");
        let wrong = |rules| own(rules).err().expect("no formulation").iter().next().expect("an error").clone();
        assert_eq!(wrong("won(P) :- stone(P, 1).").message, "the rules of `own` do not derive `win/1`");
        let help = wrong("win :- stone(red, 1).").help.expect("help");
        assert!(help.starts_with("they have `win/0`: a formulation says by `win(P)`"), "{help}");
    }
}
