//! Abstract syntax from strings and to strings, as the standard traits have it: in Datalog syntax. For the other syntax
//! there are [`parse`] and [`print`].

use super::ast::{Atom, Formula, Program, Query, Statement, Term};
use super::split::{self, Piece};
use super::{Syntax, datalog, parse, parse_goal, print};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, SourceId, Sources, Span, render};
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// A text that could not be read, and everything that is wrong with it. Displayed as one line for each mistake.
///
/// ```
/// use ludolog_syntax::ast::Program;
///
/// let error = "p(1).\nq(X) :- r(X) s(X).".parse::<Program>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "text:2:14: error[syntax]: an operator is missing before `s` \
///      - join conditions with `&` or `,`; end a statement with a period"
/// );
/// ```
#[derive(Clone, Debug)]
pub struct ParseError {
    diagnostics: Diagnostics,
    sources: Sources,
}

impl ParseError {
    /// All mistakes.
    pub fn diagnostics(&self) -> &Diagnostics {
        &self.diagnostics
    }

    /// The text, as the spans of the diagnostics need it.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&render::to_lines(&self.diagnostics, &self.sources))
    }
}

impl Error for ParseError {}

/// Reads a text of its own.
fn read<T, E: Into<Diagnostics>>(
    text: &str,
    read: impl FnOnce(SourceId, &mut Sources) -> Result<T, E>,
) -> Result<T, ParseError> {
    let mut sources = Sources::new();
    let source = sources.add("text", text);
    read(source, &mut sources).map_err(|wrong| ParseError { diagnostics: wrong.into(), sources })
}

/// Reads a text that is one piece.
fn read_piece<T>(
    text: &str,
    what: &str,
    read_one: impl FnOnce(&Piece, SourceId) -> Result<T, Diagnostic>,
) -> Result<T, ParseError> {
    read(text, |source, _| {
        let pieces = split::split(text, source, Syntax::Datalog);
        match pieces.list.as_slice() {
            _ if pieces.diagnostics.has_errors() => Err(pieces.diagnostics),
            [piece] => Ok(read_one(piece, source)?),
            [] => Err(Diagnostic::error(Code::Syntax, format!("there is no {what} in this text"))
                .at(Span::new(source, 0, 0), "nothing is written")
                .into()),
            [_, next, ..] => Err(Diagnostic::error(Code::Syntax, format!("this is more than one {what}"))
                .at(Span::new(source, next.start, next.start + next.text.len()), "a second one")
                .into()),
        }
    })
}

/// Reads a term in Datalog syntax.
///
/// ```
/// use ludolog_syntax::ast::Term;
///
/// let term: Term = "cell(X, 'Two Words', [1, 2])".parse().unwrap();
/// assert_eq!(term.to_string(), "cell(X, 'Two Words', [1, 2])");
/// ```
impl FromStr for Term {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Term, ParseError> {
        read_piece(text, "term", datalog::parse_term)
    }
}

/// Reads an atom in Datalog syntax.
///
/// ```
/// use ludolog_syntax::ast::Atom;
///
/// let atom: Atom = "stone(red, 3)".parse().unwrap();
/// assert_eq!((atom.predicate.written(), atom.args.len()), (Some("stone"), 2));
/// assert_eq!(atom.to_string(), "stone(red, 3)");
/// ```
impl FromStr for Atom {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Atom, ParseError> {
        read_piece(text, "atom", datalog::parse_atom)
    }
}

/// Reads a goal in Datalog syntax, with or without the query's marks.
///
/// ```
/// use ludolog_syntax::ast::Query;
///
/// let query: Query = "win(P) & ~lost(P)".parse().unwrap();
/// assert_eq!(query.to_string(), "?- win(P) & ~lost(P).");
/// ```
impl FromStr for Query {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Query, ParseError> {
        let mut sources = Sources::new();
        parse_goal(text, &mut sources, Some(Syntax::Datalog)).map_err(|diagnostics| ParseError { diagnostics, sources })
    }
}

/// Reads a program in Datalog syntax. Includes stay statements.
///
/// ```
/// use ludolog_syntax::ast::Program;
///
/// let program: Program = "win(P):-line(P),not lost(P).".parse().unwrap();
/// assert_eq!(program.to_string(), "win(P) :- line(P) & ~lost(P).\n");
/// ```
impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Program, ParseError> {
        read(text, |source, sources| parse(source, sources, Syntax::Datalog).into_result())
    }
}

/// Writes Datalog syntax, which reads back as the same term.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print_term(self, Syntax::Datalog))
    }
}

/// Writes Datalog syntax, which reads back as the same atom.
impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print_atom(self, Syntax::Datalog))
    }
}

/// Writes Datalog syntax.
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print_formula(self, Syntax::Datalog))
    }
}

/// Writes Datalog syntax, with the query's marks. It reads back as the same query.
impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Statement::Query(self.clone()).fmt(f)
    }
}

/// Writes Datalog syntax, without a line's end.
impl fmt::Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print_statement(self, Syntax::Datalog))
    }
}

/// Writes Datalog syntax, comments included, which reads back as the same program.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print::print(self, Syntax::Datalog))
    }
}

/// A name that no syntax has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSyntax(String);

impl fmt::Display for UnknownSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no syntax; there are `kif` and `dl`", self.0)
    }
}

impl Error for UnknownSyntax {}

/// Reads one of the [`names`](Syntax::names) of a syntax.
impl FromStr for Syntax {
    type Err = UnknownSyntax;

    fn from_str(name: &str) -> Result<Syntax, UnknownSyntax> {
        let named = Syntax::ALL.into_iter().find(|syntax| syntax.names().contains(&name));
        named.ok_or_else(|| UnknownSyntax(name.to_owned()))
    }
}

/// Writes the short name.
impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
