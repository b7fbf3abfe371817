//! The spelling of names, variables and numbers in each syntax, and the quotation of those that need it.
//!
//! Both directions stand here side by side: what a printer writes bare, the parser of the same syntax reads back as the
//! same name.

use super::Syntax;
use super::ast::Name;

/// The markers and connectives of `.kif`: no predicates unless quoted. `<=` is a comparator too, and the mark of rules
/// first.
pub(super) const KIF_KEYWORDS: [&str; 7] = ["<=", "==>", "?-", "not", "and", "or", "distinct"];

/// The other comparators of `.kif`: no predicates unless quoted, or defined by the file they stand in.
pub(super) const KIF_COMPARATORS: [&str; 7] = ["=", "=:=", "=\\=", "<", ">", ">=", "is"];

/// Texts that other languages write where `.kif` has `<=`: no predicates with a list among their arguments unless
/// quoted.
pub(super) const FOREIGN_ARROWS: [&str; 7] = [":-", "<-", "=<", "=>", "->", "<==", "←"];

/// The predicates whose atoms are heads in the rulesheets of games alone.
pub(super) const GAME_HEADS: [&str; 4] = ["next", "legal", "goal", "init"];

/// The words that conditions of games begin with.
pub(super) const GAME_CONDITIONS: [&str; 4] = ["true", "does", "not", "distinct"];

/// The head of games that has no arguments.
const TERMINAL: &str = "terminal";

/// What stands behind the arrow in a word of `.kif` that is an arrow, perhaps a misspelled one, or begins with `<=`; `None` for other words and for
/// those that begin statements.
pub(super) fn behind_arrow(word: &str) -> Option<&str> {
    let is_sign = |c: char| matches!(c, '<' | '=' | '>' | ':' | '-');
    if KIF_KEYWORDS.contains(&word) {
        return None;
    }
    let rest = word.strip_prefix("<=").filter(|rest| rest.starts_with(char::is_alphanumeric));
    rest.or_else(|| word.chars().all(is_sign).then_some(""))
}

/// Whether the word of a game's end is what stands behind an arrow, `rest`, perhaps with the word behind it.
pub(super) fn is_terminal(rest: &str, next: Option<&str>) -> bool {
    let all = format!("{rest}{}", next.unwrap_or_default());
    [rest, &all].into_iter().any(|text| text.eq_ignore_ascii_case(TERMINAL))
}

/// Texts that begin a comment in `.dl`, and no word of `.kif` unless it is a functor or quoted.
const COMMENT_MARKS: [&str; 2] = ["//", "/*"];

/// The mark of a comment of `.dl` that a word begins with; `None` if it begins with none.
pub(super) fn comment_mark(word: &str) -> Option<&'static str> {
    COMMENT_MARKS.into_iter().find(|mark| word.starts_with(mark))
}

/// The functor of ranges in `.kif`, which stands for nothing else unless quoted.
pub(super) const RANGE: &str = "..";

/// The functor of the terms of an aggregate in `.kif`, which stands for nothing else unless quoted.
pub(super) const TEMPLATE: &str = ":";

/// The predicate of two arguments that tests a regular expression, unless the program defines it.
pub(super) const MATCHES: &str = "matches";

/// The operators of `.dl` that look like names.
const DATALOG_WORD_OPERATORS: [&str; 3] = ["not", "is", "mod"];

/// The symbols that a variable of `.dl` may be meant as: in small letters, or with a small first letter if not all are capitals; and quoted. None
/// where it begins with no letter.
pub fn as_symbols(variable: &str) -> Option<[String; 2]> {
    let mut letters = variable.chars();
    let first = letters.next().filter(|first| first.is_uppercase())?;
    let is_small = variable.chars().any(char::is_lowercase);
    let small = if is_small { first.to_lowercase().chain(letters).collect() } else { variable.to_lowercase() };
    Some([small, format!("'{variable}'")])
}

/// The position of a name: alone it could be taken for a number, before its arguments it could not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NamePosition {
    Alone,
    Functor,
}

/// The integer that `text` spells canonically: no leading zeros, no plus sign, within 64 bits.
pub(super) fn integer(text: &str) -> Option<i64> {
    if is_integer(text) { text.parse().ok() } else { None }
}

/// Whether `text` spells an integer canonically, whatever its size: no leading zeros, no plus sign.
pub fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Whether `text` spells a number with a fraction or an exponent, as `1.5`, `-.5` or `2e-3`: a float.
pub fn is_decimal(text: &str) -> bool {
    decimal_prefix(text) == Some(text)
}

/// The longest number with a fraction or an exponent that `text` begins with.
pub(super) fn decimal_prefix(text: &str) -> Option<&str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let sign = usize::from(text.starts_with(['+', '-']));
    let whole = digits(&text[sign..]);
    let rest = &text[sign + whole..];
    let fraction = match rest.strip_prefix('.').map(digits) {
        None | Some(0) => 0,
        Some(digits) => 1 + digits,
    };
    let exponent = rest[fraction..].strip_prefix(['e', 'E']).map_or(0, |rest| {
        let sign = usize::from(rest.starts_with(['+', '-']));
        match digits(&rest[sign..]) {
            0 => 0,
            digits => 1 + sign + digits,
        }
    });
    (whole + fraction > 0 && fraction + exponent > 0).then(|| &text[..sign + whole + fraction + exponent])
}

/// The name that a bare `.kif` word spells.
pub(super) fn from_kif_word(word: &str) -> Name {
    if word.bytes().any(|b| b.is_ascii_uppercase() || !b.is_ascii()) { word.to_lowercase().into() } else { word.into() }
}

/// Appends the spelling of a symbol, functor or predicate.
pub(super) fn write_name(out: &mut String, name: &str, position: NamePosition, syntax: Syntax) {
    let plain = match syntax {
        Syntax::Kif => {
            is_kif_word(name)
                && ![RANGE, TEMPLATE].contains(&name)
                && !FOREIGN_ARROWS.contains(&name)
                && comment_mark(name).is_none()
                && (position == NamePosition::Functor || integer(name).is_none() && !is_decimal(name))
        }
        Syntax::Datalog => {
            name.starts_with(|c: char| c.is_ascii_lowercase())
                && name.bytes().all(is_word_byte)
                && !DATALOG_WORD_OPERATORS.contains(&name)
        }
    };
    if plain { out.push_str(name) } else { write_quoted(out, name, quote_mark(syntax)) }
}

/// Appends the spelling of a variable. An anonymous one is the caller's matter.
pub(super) fn write_variable(out: &mut String, name: &str, syntax: Syntax) {
    match syntax {
        Syntax::Kif => {
            out.push('?');
            if is_kif_word(name) { out.push_str(name) } else { write_quoted(out, name, quote_mark(syntax)) }
        }
        Syntax::Datalog => {
            let mut chars = name.chars();
            match chars.next() {
                Some('_') if name.len() > 1 && name.bytes().all(is_word_byte) => out.push_str(name),
                Some(first @ 'a'..='z') if name.bytes().all(is_word_byte) => {
                    out.push(first.to_ascii_uppercase());
                    out.push_str(chars.as_str());
                }
                _ => {
                    out.push('?');
                    write_quoted(out, name, quote_mark(syntax));
                }
            }
        }
    }
}

/// The internal name of a bare `.dl` variable: its first letter in lower case.
pub(super) fn from_datalog_variable(text: &str) -> Name {
    let mut name = text.to_owned();
    if let Some(first) = name.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    name.into()
}

/// The k of a variable named `_k`, as `.dl` names its k-th anonymous one.
pub(super) fn anonymous_number(name: &str) -> Option<usize> {
    let digits = name.strip_prefix('_').filter(|digits| !digits.starts_with(['0', '-']))?;
    integer(digits)?.try_into().ok()
}

fn quote_mark(syntax: Syntax) -> char {
    match syntax {
        Syntax::Kif => '|',
        Syntax::Datalog => '\'',
    }
}

pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a `.kif` word spells `name`: no delimiter in it, and lower case already.
fn is_kif_word(name: &str) -> bool {
    let delimits = |c: char| matches!(c, '(' | ')' | ';' | '|' | '"') || c.is_whitespace() || c.is_control();
    !name.is_empty() && !name.starts_with(['?', '#']) && !name.contains(delimits) && *from_kif_word(name) == *name
}

/// Appends `text` between two `mark`s.
pub(super) fn write_quoted(out: &mut String, text: &str, mark: char) {
    out.push(mark);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == mark => out.extend(['\\', c]),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out.push(mark);
}

/// The name within a quotation, marks included. `None` if it escapes a number that is no character.
pub(super) fn unquote(quoted: &str) -> Option<String> {
    let mut chars = quoted[1..quoted.len() - 1].chars();
    let mut text = String::with_capacity(quoted.len());
    while let Some(c) = chars.next() {
        let c = match c {
            '\\' => match chars.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let (digits, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
                    chars = rest.chars();
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                }
                other => other,
            },
            c => c,
        };
        text.push(c);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_canonical_integers_are_integers() {
        for (text, value) in [("0", 0), ("-3", -3), ("120", 120), ("-9223372036854775808", i64::MIN)] {
            assert_eq!(integer(text), Some(value));
        }
        for text in ["", "-", "01", "-0", "+1", "1a", "9223372036854775808", "--1", "1-"] {
            assert_eq!(integer(text), None, "{text}");
        }
    }

    #[test]
    fn spellings() {
        let spell = |name: &str, syntax| {
            let mut out = String::new();
            write_name(&mut out, name, NamePosition::Alone, syntax);
            out
        };
        for (name, kif, datalog) in [
            ("cell", "cell", "cell"),
            ("fooBar", "|fooBar|", "fooBar"),
            ("foo bar", "|foo bar|", "'foo bar'"),
            ("++", "++", "'++'"),
            (":-", "|:-|", "':-'"),
            ("//a", "|//a|", "'//a'"),
            ("7", "|7|", "'7'"),
            ("01", "01", "'01'"),
            ("mod", "mod", "'mod'"),
            ("it's", "it's", "'it\\'s'"),
            ("", "||", "''"),
            ("a\nb\u{7}", "|a\\nb\\u{7}|", "'a\\nb\\u{7}'"),
        ] {
            assert_eq!(spell(name, Syntax::Kif), kif);
            assert_eq!(spell(name, Syntax::Datalog), datalog);
        }
    }

    #[test]
    fn symbols_that_look_like_variables() {
        let small = |variable| as_symbols(variable).map(|[small, _]| small);
        for (variable, symbol) in [("Bob", "bob"), ("MaxCost", "maxCost"), ("LEGAL", "legal"), ("X1", "x1")] {
            assert_eq!(small(variable).as_deref(), Some(symbol));
        }
        assert_eq!(small("_x"), None);
    }

    #[test]
    fn variables() {
        let spell = |name: &str, syntax| {
            let mut out = String::new();
            write_variable(&mut out, name, syntax);
            out
        };
        for (name, kif, datalog) in [
            ("x", "?x", "X"),
            ("fOO", "?|fOO|", "FOO"),
            ("my-var", "?my-var", "?'my-var'"),
            ("_x", "?_x", "_x"),
            ("_", "?_", "?'_'"),
            ("Foo", "?|Foo|", "?'Foo'"),
        ] {
            assert_eq!(spell(name, Syntax::Kif), kif);
            assert_eq!(spell(name, Syntax::Datalog), datalog);
        }
        assert_eq!(&*from_datalog_variable("FOO"), "fOO");
        assert_eq!(&*from_datalog_variable("_x"), "_x");
    }
}
