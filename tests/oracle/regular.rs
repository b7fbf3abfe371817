//! Regular expressions by definition: the places at which a part of a text can end that is one of an expression.
//!
//! Characters, `.`, classes, groups, `|`, `*`, `+` and `?`, with escapes of signs: what tests use.

use std::collections::BTreeSet;

/// An expression.
enum Expression {
    /// One character of a set, or of none in it if negated.
    Character { ranges: Vec<(char, char)>, negated: bool },
    /// One after the other.
    Sequence(Vec<Expression>),
    /// One of them.
    Choice(Vec<Expression>),
    /// As often as between these, without end if there is no second.
    Repeated(Box<Expression>, usize, Option<usize>),
}

/// Whether the whole of a text is one of the pattern; `false` if that is none.
pub fn matches(pattern: &str, text: &str) -> bool {
    let characters: Vec<char> = pattern.chars().collect();
    let mut rest = &characters[..];
    let text: Vec<char> = text.chars().collect();
    let Some(expression) = choice(&mut rest) else { return false };
    rest.is_empty() && ends(&expression, &text, BTreeSet::from([0])).contains(&text.len())
}

fn choice(rest: &mut &[char]) -> Option<Expression> {
    let mut ways = vec![sequence(rest)?];
    while let ['|', after @ ..] = *rest {
        *rest = after;
        ways.push(sequence(rest)?);
    }
    Some(Expression::Choice(ways))
}

fn sequence(rest: &mut &[char]) -> Option<Expression> {
    let mut parts = Vec::new();
    while let [first, after @ ..] = *rest {
        if matches!(first, '|' | ')') {
            break;
        }
        *rest = after;
        let part = match first {
            '(' => {
                let inner = choice(rest)?;
                *rest = rest.strip_prefix(&[')'])?;
                inner
            }
            '[' => class(rest)?,
            '.' => Expression::Character { ranges: vec![('\n', '\n')], negated: true },
            '\\' => {
                let [escaped, after @ ..] = *rest else { return None };
                *rest = after;
                single(*escaped)
            }
            '*' | '+' | '?' => return None,
            plain => single(*plain),
        };
        parts.push(repeated(part, rest));
    }
    Some(Expression::Sequence(parts))
}

fn single(character: char) -> Expression {
    Expression::Character { ranges: vec![(character, character)], negated: false }
}

fn class(rest: &mut &[char]) -> Option<Expression> {
    let negated = rest.first() == Some(&'^');
    *rest = &rest[usize::from(negated)..];
    let mut ranges = Vec::new();
    loop {
        match *rest {
            [']', after @ ..] if !ranges.is_empty() => {
                *rest = after;
                return Some(Expression::Character { ranges, negated });
            }
            [from, '-', to, after @ ..] if *to != ']' => {
                ranges.push((*from, *to));
                *rest = after;
            }
            [one, after @ ..] => {
                ranges.push((*one, *one));
                *rest = after;
            }
            [] => return None,
        }
    }
}

fn repeated(part: Expression, rest: &mut &[char]) -> Expression {
    let (least, most) = match rest.first() {
        Some('*') => (0, None),
        Some('+') => (1, None),
        Some('?') => (0, Some(1)),
        _ => return part,
    };
    *rest = &rest[1..];
    Expression::Repeated(Box::new(part), least, most)
}

/// The places at which what begins at one of these places may end.
fn ends(expression: &Expression, text: &[char], starts: BTreeSet<usize>) -> BTreeSet<usize> {
    match expression {
        Expression::Character { ranges, negated } => {
            let is_in = |c: char| ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated;
            starts.into_iter().filter(|&at| text.get(at).is_some_and(|c| is_in(*c))).map(|at| at + 1).collect()
        }
        Expression::Sequence(parts) => parts.iter().fold(starts, |starts, part| ends(part, text, starts)),
        Expression::Choice(ways) => ways.iter().flat_map(|way| ends(way, text, starts.clone())).collect(),
        Expression::Repeated(part, least, most) => {
            let mut all = if *least == 0 { starts.clone() } else { BTreeSet::new() };
            let mut last = starts;
            for _ in 0..most.unwrap_or(text.len() + 1) {
                last = ends(part, text, last);
                all.extend(&last);
            }
            all
        }
    }
}
