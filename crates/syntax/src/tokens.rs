//! The words of a text with their places, as the grammars read them: for editors.

use super::ast::{AggregateFunction, Name};
use super::{StatementMemory, Syntax, datalog, kif, split};
use crate::ColdSort;
use crate::budget::{Budget, Poll, Stopped};
use crate::diagnostic::{SourceId, Sources, Span};

/// Statements read between two checks of the budget.
const POLL_EVERY: u32 = 64;

/// A word or sign of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Its place.
    pub span: Span,
    /// The number of the statement that it stands in, from 0; of a comment, that of the statement behind it.
    pub statement: usize,
    /// Whether it stands in the head of a rule, in a fact, or in the effects of a transition.
    pub in_head: bool,
}

/// The kinds of tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A comment, marks included.
    Comment,
    /// A variable, by the name that both syntaxes have for it.
    Variable(Name),
    /// An integer or a float.
    Number,
    /// A predicate, functor or constant, and the number of its arguments: 0 without any.
    Name(Name, usize),
    /// A connective, comparator or aggregate.
    Operator,
}

/// The tokens of a text, in order. Statements that are not in the language have none, but for their comments; parentheses,
/// commas and periods are none. Statements whose words were read before are not read again.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
///
/// ```
/// use ludolog_syntax::budget::Budget;
/// use ludolog_syntax::diagnostic::Sources;
/// use ludolog_syntax::{StatementMemory, Syntax, TokenKind, tokens};
///
/// let mut sources = Sources::new();
/// let text = sources.add("rules.dl", "win(P) :- line(P).");
/// let tokens = tokens(text, &sources, Syntax::Datalog, &mut StatementMemory::default(), &Budget::unlimited())?;
/// assert_eq!(tokens[0].kind, TokenKind::Name("win".into(), 1));
/// assert_eq!(tokens.iter().filter(|token| token.in_head).count(), 2);
/// # Ok::<(), ludolog_syntax::budget::Stopped>(())
/// ```
pub fn tokens(
    source: SourceId,
    sources: &Sources,
    syntax: Syntax,
    memory: &mut StatementMemory,
    budget: &Budget,
) -> Result<Vec<Token>, Stopped> {
    let text = sources.get(source).map_or("", |source| &source.text);
    let pieces = split::split_within(text, source, syntax, budget)?;
    let mut poll = Poll::new(budget, POLL_EVERY);
    let mut list = Vec::new();
    for (statement, piece) in pieces.list.iter().enumerate() {
        poll.step()?;
        memory.words(piece, syntax, (source, statement), &mut list, |list| match syntax {
            Syntax::Kif => kif::words(piece, &mut Words { list }),
            Syntax::Datalog => datalog::words(piece, &mut Words { list }),
        });
    }
    for range in pieces.comment_ranges {
        let statement = pieces.list.partition_point(|piece| piece.start < range.start);
        let span = Span::new(source, range.start, range.end);
        list.push(Token { kind: TokenKind::Comment, span, statement, in_head: false });
    }
    list.cold_sort_by_key(|token| token.span.start);
    Ok(list)
}

/// The tokens found so far of a statement, as if it were the only one.
pub(super) struct Words<'w> {
    list: &'w mut Vec<Token>,
}

impl Words<'_> {
    /// Adds a token at this place of the statement.
    pub fn add(&mut self, kind: TokenKind, place: pest::Span, in_head: bool) {
        let span = Span::new(SourceId(0), place.start(), place.end());
        self.list.push(Token { kind, span, statement: 0, in_head });
    }
}

/// The words that a syntax keeps for itself.
pub fn keywords(syntax: Syntax) -> Vec<&'static str> {
    let aggregates = AggregateFunction::ALL.into_iter().map(|(_, name)| name);
    match syntax {
        Syntax::Kif => ["not", "and", "or", "distinct", "is", "in"].into_iter().chain(aggregates).collect(),
        Syntax::Datalog => ["not", "is", "mod", "in"].into_iter().chain(aggregates).collect(),
    }
}
