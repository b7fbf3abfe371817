//! The words of a text, for those who look for names without what they mean.

use super::KifForm;
use super::grammar::{KifGrammar, Rule as G};
use crate::ast::Name;
use crate::name;
use crate::split::Piece;
use crate::tokens::{TokenKind, Words};
use pest::Parser;

/// The words of a statement.
pub fn words(piece: &Piece, words: &mut Words) {
    let Ok(forms) = KifGrammar::parse(G::statement, &piece.text) else { return };
    for form in forms.filter(|form| form.as_rule() != G::EOI) {
        let mark = form.clone().into_inner().next().map(|word| word.as_str()).filter(|_| form.as_rule() == G::list);
        match mark {
            Some("<=" | "==>" | "?-") => {
                let arrow = mark == Some("==>");
                for (i, part) in form.into_inner().enumerate() {
                    words_of_form(part, i == if arrow { 2 } else { 1 } && mark != Some("?-"), words);
                }
            }
            _ => words_of_form(form, true, words),
        }
    }
}

fn words_of_form(form: KifForm, in_head: bool, words: &mut Words) {
    if form.as_rule() != G::list {
        return word_of_form(form, 0, in_head, words);
    }
    let arguments = form.clone().into_inner().count().saturating_sub(1);
    for (i, part) in form.into_inner().enumerate() {
        match part.as_rule() {
            G::list => words_of_form(part, in_head, words),
            _ => word_of_form(part, if i == 0 { arguments } else { 0 }, in_head, words),
        }
    }
}

fn word_of_form(form: KifForm, arguments: usize, in_head: bool, words: &mut Words) {
    let word = form.as_str();
    let name = |word: &str| match word.as_bytes() {
        [b'|' | b'"', ..] => name::unquote(word).map(Name::from),
        _ => Some(name::from_kif_word(word)),
    };
    let is_kept = |list: &[&str]| list.iter().any(|kept| kept.eq_ignore_ascii_case(word));
    let kind = match form.as_rule() {
        G::variable => name(&word[1..]).map(TokenKind::Variable),
        G::word if arguments == 0 && (name::is_integer(word) || name::is_decimal(word)) => Some(TokenKind::Number),
        G::word if is_kept(&name::KIF_KEYWORDS) || is_kept(&name::KIF_COMPARATORS) => Some(TokenKind::Operator),
        _ => name(word).map(|name| TokenKind::Name(name, arguments)),
    };
    if let Some(kind) = kind {
        words.add(kind, form.as_span(), in_head);
    }
}
