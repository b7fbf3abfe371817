//! The words of a text, for those who look for names without what they mean.

use super::Token;
use super::grammar::{DatalogGrammar, Rule as G};
use crate::ast::Name;
use crate::name;
use crate::split::Piece;
use crate::tokens::{TokenKind, Words};
use pest::Parser;

/// The words of a statement.
pub fn words(piece: &Piece, words: &mut Words) {
    let Ok(mut tokens) = DatalogGrammar::parse(G::statement, &piece.text) else { return };
    let Some(statement) = tokens.next() else { return };
    let parts: Vec<Token> = statement.clone().into_inner().collect();
    let is_transition = parts.get(1).is_some_and(|mark| mark.as_rule() == G::arrow);
    for (i, part) in parts.into_iter().enumerate() {
        let in_head = statement.as_rule() == G::clause && i == if is_transition { 2 } else { 0 };
        words_of(part, in_head, words);
    }
}

fn words_of(token: Token, in_head: bool, words: &mut Words) {
    let place = token.as_span();
    let word = token.as_str();
    match token.as_rule() {
        G::variable => words.add(TokenKind::Variable(name::from_datalog_variable(word)), place, in_head),
        G::number => words.add(TokenKind::Number, place, in_head),
        G::applied => {
            let mut parts = token.into_inner();
            let Some(name) = parts.next() else { return };
            let parts: Vec<Token> = parts.collect();
            add_name(&name, parts.len(), in_head, words);
            parts.into_iter().for_each(|part| words_of(part, in_head, words));
        }
        G::conditions | G::expression | G::list | G::group | G::aggregate | G::best | G::choice => {
            token.into_inner().for_each(|part| words_of(part, in_head, words));
        }
        // The name of a predicate of two arguments, which the rule reads.
        G::order => token.into_inner().for_each(|name| add_name(&name, 2, false, words)),
        G::bar => {}
        _ => words.add(TokenKind::Operator, place, in_head),
    }
}

fn add_name(name: &Token, arguments: usize, in_head: bool, words: &mut Words) {
    let spelled = match name.as_rule() {
        G::plain => Some(Name::from(name.as_str())),
        _ => name::unquote(name.as_str()).map(Name::from),
    };
    if let Some(spelled) = spelled {
        words.add(TokenKind::Name(spelled, arguments), name.as_span(), in_head);
    }
}
