//! States and moves as text, in one order, and their digests: how game managers and other reasoners compare notes.
//!
//! A term is written as KIF with single spaces; lines are sorted by bytes and joined by a line feed, without one at the
//! end. The digest is SHA-256, in hexadecimal.

use ludolog_syntax::ast::{Formula, Term};
use ludolog_syntax::diagnostic::Sources;
use ludolog_syntax::{ColdSort, Syntax, parse_goal, print_term};

/// A term as KIF.
pub fn text(term: &Term) -> String {
    print_term(term, Syntax::Kif)
}

/// Reads ground terms in KIF, one after the other; `None` if the text is something else.
pub fn terms(text: &str) -> Option<Vec<Term>> {
    let goal = parse_goal(&format!("(terms {text}\n)"), &mut Sources::new(), Some(Syntax::Kif)).ok()?;
    match <[Formula; 1]>::try_from(goal.body) {
        Ok([Formula::Atom(atom)]) if atom.predicate == "terms" && atom.is_ground() => Some(atom.args),
        _ => None,
    }
}

/// Reads one ground term in KIF; `None` if the text is something else.
pub fn term(text: &str) -> Option<Term> {
    let mut terms = terms(text)?;
    terms.pop().filter(|_| terms.is_empty())
}

/// The facts of a state, one a line.
pub fn state_text(facts: &[Term]) -> String {
    sorted_lines(facts.iter().map(text).collect())
}

/// The legal moves of several roles together, `role move` on each line.
pub fn moves_text(legal: &[(Term, Vec<Term>)]) -> String {
    let lines = legal.iter().flat_map(|(role, moves)| moves.iter().map(move |made| move_text(role, made)));
    sorted_lines(lines.collect())
}

/// A move and who makes it.
pub fn move_text(role: &Term, made: &Term) -> String {
    format!("{} {}", text(role), text(made))
}

/// The SHA-256 of a text in hexadecimal.
#[cfg(feature = "digest")]
pub fn digest(text: &str) -> String {
    use sha2::{Digest, Sha256};

    let digits = b"0123456789abcdef";
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().flat_map(|&byte| [byte >> 4, byte & 15]).map(|digit| char::from(digits[digit as usize])).collect()
}

fn sorted_lines(mut lines: Vec<String>) -> String {
    lines.cold_sort();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_sorted_by_bytes() {
        let cell = |n| Term::compound("cell", vec![Term::Integer(n), Term::symbol("b")]);
        let state = [cell(10), cell(2), Term::symbol("over")];
        assert_eq!(state_text(&state), "(cell 10 b)\n(cell 2 b)\nover");
    }

    #[test]
    fn terms_are_read_alone_and_in_lists() {
        let mark = Term::compound("mark", vec![Term::Integer(1), Term::Integer(2)]);
        assert_eq!(term("( mark 1 2 )"), Some(mark.clone()));
        assert_eq!(terms("( mark 1 2 ) noop"), Some(vec![mark, Term::symbol("noop")]));
        assert_eq!(term("noop ; a comment"), Some(Term::symbol("noop")));
        assert_eq!(term("a b"), None);
        assert_eq!(term("<html>(</html>"), None);
        assert_eq!(term(") (x"), None);
        assert_eq!(terms(""), Some(vec![]));
    }

    #[cfg(feature = "digest")]
    #[test]
    fn digest_is_sha_256() {
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
