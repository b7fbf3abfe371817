//! Statements and words that were read before: of a text with one change, all others are not parsed again.
//!
//! What a statement means does not depend on what stands around it, but for its place. A memory holds each tree and the words of
//! each statement by its text, and hands out copies with places moved to where the text stands: a cost of the length of the
//! statement, without its grammar. Statements of `.kif`, where names are spelled alike in a whole text, are read each time; their words are not.

use crate::Syntax;
use crate::ast::{Aggregate, Atom, Effect, Formula, Statement};
use crate::diagnostic::{Diagnostic, SourceId, Span};
use crate::split::Piece;
use crate::tokens::Token;
use std::collections::HashMap;

/// Bytes of statements that are remembered at most; their trees take some ten times as much.
const MAX_BYTES: usize = 4 << 20;

/// Statements and words by the texts of their statements. With too many of them, it begins anew.
#[derive(Debug, Default)]
pub struct StatementMemory {
    /// Statements of `.dl`, with the places where they were read.
    statements: HashMap<Box<str>, (Statement, StatementPlace)>,
    /// The words of statements, by syntax, as if the statement began its text.
    words: HashMap<Syntax, HashMap<Box<str>, Vec<Token>>>,
    bytes: usize,
    parsed: u64,
}

/// The beginning of a statement.
#[derive(Clone, Copy, Debug)]
struct StatementPlace {
    source: SourceId,
    start: usize,
}

impl StatementMemory {
    /// The number of times that a grammar was run so far, for a statement or for its words.
    pub fn parsed(&self) -> u64 {
        self.parsed
    }

    /// The statement of a piece, read as `read` does unless it is known.
    pub(crate) fn statement(
        &mut self,
        piece: &Piece,
        source: SourceId,
        read: impl FnOnce(&Piece) -> Result<Statement, Diagnostic>,
    ) -> Result<Statement, Diagnostic> {
        let place = StatementPlace { source, start: piece.start };
        if let Some((statement, from)) = self.statements.get(&*piece.text).filter(|_| piece.ended) {
            return Ok(moved(statement.clone(), *from, place));
        }
        let statement = read(piece)?;
        self.make_room(piece);
        self.statements.insert(piece.text.as_ref().into(), (statement.clone(), place));
        Ok(statement)
    }

    /// Adds the words of a piece, the statement of this number, to a list; `read` adds them as if the statement began its text.
    pub(crate) fn words(
        &mut self,
        piece: &Piece,
        syntax: Syntax,
        (source, number): (SourceId, usize),
        list: &mut Vec<Token>,
        read: impl FnOnce(&mut Vec<Token>),
    ) {
        let text = &*piece.text;
        if !self.words.get(&syntax).is_some_and(|known| known.contains_key(text)) {
            let mut words = Vec::new();
            read(&mut words);
            self.make_room(piece);
            self.words.entry(syntax).or_default().insert(text.into(), words);
        }
        let known = &self.words[&syntax][text];
        let at = |place: u32| piece.start + place as usize;
        list.extend(known.iter().map(|token| Token {
            kind: token.kind.clone(),
            span: Span::new(source, at(token.span.start), at(token.span.end)),
            statement: number,
            in_head: token.in_head,
        }));
    }

    /// Makes room for what is parsed of a piece.
    fn make_room(&mut self, piece: &Piece) {
        self.parsed += 1;
        self.bytes += piece.text.len();
        if self.bytes > MAX_BYTES {
            *self = StatementMemory { bytes: piece.text.len(), parsed: self.parsed, ..StatementMemory::default() };
        }
    }
}

/// A statement with the places of one that stands elsewhere.
fn moved(mut statement: Statement, from: StatementPlace, to: StatementPlace) -> Statement {
    let mut shift = |span: &mut Span| {
        if span.source == from.source {
            let at = |place: u32| (place as usize + to.start).saturating_sub(from.start);
            *span = Span::new(to.source, at(span.start), at(span.end));
        }
    };
    match &mut statement {
        Statement::Rule(rule) => {
            shift(&mut rule.head.span);
            if let Some(order) = rule.order_mut() {
                shift(&mut order.span);
            }
            rule.body.iter_mut().for_each(|formula| shift_formula(formula, &mut shift));
        }
        Statement::Transition(transition) => {
            transition.conditions.iter_mut().for_each(|formula| shift_formula(formula, &mut shift));
            for Effect::Add(atom) | Effect::Delete(atom) in &mut transition.effects {
                shift(&mut atom.span);
            }
        }
        Statement::Query(query) | Statement::Constraint(query) => {
            query.body.iter_mut().for_each(|formula| shift_formula(formula, &mut shift));
        }
        Statement::Include(_)
        | Statement::Use(_)
        | Statement::Input(_)
        | Statement::Output(_)
        | Statement::Type(_)
        | Statement::Define(_) => {}
    }
    statement
}

fn shift_formula(formula: &mut Formula, shift: &mut impl FnMut(&mut Span)) {
    match formula {
        Formula::Atom(Atom { span, .. }) => shift(span),
        Formula::Compare(comparison) => shift(&mut comparison.span),
        Formula::Range(range) => shift(&mut range.span),
        Formula::Aggregate(Aggregate { span, body, .. }) => {
            shift(span);
            body.iter_mut().for_each(|inner| shift_formula(inner, shift));
        }
        Formula::Not(inner) => shift_formula(inner, shift),
        Formula::And(list) | Formula::Or(list) => list.iter_mut().for_each(|inner| shift_formula(inner, shift)),
    }
}
