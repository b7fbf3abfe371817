//! Constructs of Soufflé, Prolog and answer set programming that `.dl` does not have, each with what to write instead; and
//! infix rules that are read as `.kif`.

use crate::Syntax;
use crate::ast::{AggregateFunction, Term};
use crate::diagnostic::{Code, Diagnostic, Replacement, SourceId, Span};
use crate::print::print_term;
use crate::split::{self, Piece};
use std::ops::Range;

/// The way to write rules that go on in one of two ways.
pub(super) const CASES: &str = "each case is a rule of its own: `p(X) :- q(X) & r(X).` and `p(X) :- q(X) & ~r(X).`";

/// The way to write "for all".
const FOR_ALL: &str =
    "\"for all\" is \"not one without\", as in `~exception(X)` with `exception(X) :- q(X, Y) & ~good(Y).`";

/// The way to read another file.
const INCLUDE: &str = "write `:- include('path').`";

/// The way to read facts.
const INPUT: &str = "write `:- input(edge, 'edge.tsv').`, or name the table on the command line: `--facts edge.tsv`";

/// The way to see facts.
const ASK: &str = "remove the line, and ask: `?- path(X, Y).`";

/// The advice for what has no counterpart.
const REMOVE: &str = "remove the line: it has no counterpart";

/// The advice where a comment may be meant as an operator.
pub(super) const COMMENT_MARKS: &str =
    "`%` and `//` begin a comment, and the period is in it: a remainder is `X mod 2`, a division of integers `X / 2`";

/// Most characters of the term that an aggregate is recognized with, so that a text is read in linear time.
const LONGEST_TERM: usize = 100;

/// The characters of a date.
const LONGEST_DATE: usize = "2026-11-29".len();

/// The diagnostic of a directive of Soufflé, as `.decl`; `word` is its name, `span` its place, `rest` what follows in it.
pub(super) fn souffle_directive(word: &str, span: Span, rest: &str) -> Diagnostic {
    let help = match word {
        "decl" => "remove the line, or declare the types of the columns: `:- type(edge, integer, symbol).`",
        "type" | "number_type" | "symbol_type" | "functor" => "remove the line: nothing is declared here",
        "input" => INPUT,
        "output" => "write `:- output(path).`",
        "printsize" => ASK,
        "include" => INCLUDE,
        _ => REMOVE,
    };
    let wrong = Diagnostic::error(Code::Syntax, format!("`.{word}` is a directive of Soufflé"))
        .at(span, "not known here")
        .help(help);
    let argument = rest.split(['(', ')', '/']).next().unwrap_or_default().trim();
    let is_name = !argument.is_empty() && argument.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let whole = Span::new(span.source, span.start as usize, span.end as usize + rest.trim_end().len());
    match word {
        "output" if is_name => {
            let wrong = wrong.replacement(whole, format!(":- output({argument})."));
            // What it says of a file would be lost.
            if rest.trim() == argument { wrong.certain() } else { wrong }
        }
        "input" if is_name => wrong.example(whole, format!(":- input({argument}, '{argument}.tsv').")),
        "include" => include_directive(wrong, span, rest),
        "input" | "output" => wrong,
        _ => wrong.removal(whole),
    }
}

/// The diagnostic of a directive that reads a file, with the one that reads it here; `word` is the place of its name, `rest` what follows. The
/// directive ends behind the quoted name, or with the period behind it if nothing else follows.
fn include_directive(wrong: Diagnostic, word: Span, rest: &str) -> Diagnostic {
    let begun = rest.trim_start();
    let close = match begun.chars().next() {
        Some(mark @ ('"' | '\'')) => mark,
        Some('<') => '>',
        _ => return wrong,
    };
    let Some(length) = begun[1..].find([close, '\n', '\\']).filter(|&end| begun[1 + end..].starts_with(close)) else {
        return wrong;
    };
    let behind = &begun[length + 2..];
    let period = if behind.trim() == "." { behind.trim_end().len() } else { 0 };
    let length_of_rest = rest.len() - behind.len() + period;
    let name = Term::Symbol(begun[1..1 + length].into());
    let written = format!(":- include({}).", print_term(&name, Syntax::Datalog));
    let whole = Span::new(word.source, word.start as usize, word.end as usize + length_of_rest);
    wrong.replacement(whole, written).certain()
}

/// The diagnostic of a statement that begins as a comment or a query of another language, if `text` does. `start` is its place.
pub(super) fn foreign_beginning(text: &str, source: SourceId, start: usize) -> Option<Diagnostic> {
    let (mark, meant, help) = match text {
        _ if text.starts_with("--") => ("--", "%", "begin a comment with `%`"),
        _ if text.starts_with(';') => (";", "%", "begin a comment with `%`"),
        _ if text.starts_with("? ") => ("?", "?-", "a query begins with `?-`"),
        _ => return None,
    };
    let place = Span::new(source, start, start + mark.len());
    let wrong = Diagnostic::error(Code::Syntax, format!("no statement begins with `{mark}`")).at(place, "not known");
    Some(wrong.help(help).replacement(place, meant))
}

/// The way to write what a word means that is an operator of another language, and the one that it may be replaced by.
pub(super) fn operator(word: &str) -> Option<(&'static str, Option<&'static str>)> {
    Some(match word {
        "and" => ("write `&`", Some("&")),
        "or" => ("write `|`, in parentheses beside other conditions: `p(X) & (X < 1 | X > 9)`", Some("|")),
        "xor" => ("bits are computed by `bxor(A, B)`, as in `C is bxor(A, B)`", None),
        "shl" => ("bits are moved by `bshl(A, N)`, as in `B is bshl(A, 2)`", None),
        "shr" => ("bits are moved by `bshr(A, N)`, as in `B is bshr(A, 2)`", None),
        "if" => ("write `:-`", Some(":-")),
        "rem" => ("write `mod`, whose value has the sign of the divisor", Some("mod")),
        "div" => ("write `/`, which rounds down", Some("/")),
        "like" => ("a symbol is held against a regular expression: `matches(S, 'a.*')`", None),
        "between" => ("an integer of a range is written `X in 1..9`", None),
        "order" | "limit" => ("all answers are told, in their order; the least is `N = min { X : p(X) }`", None),
        _ => return None,
    })
}

/// The way to write what a word before conditions means in other languages.
pub fn quantifier(word: &str) -> Option<&'static str> {
    Some(match word {
        "exists" | "some" | "any" => "conditions hold if there is such a thing: they stand alone, as `q(X, _)`",
        "forall" | "all" | "every" => FOR_ALL,
        _ => return None,
    })
}

/// The advice for a directive of Prolog of this name; `None` if there is none.
pub(super) fn prolog_directive_help(name: &str) -> Option<&'static str> {
    Some(match name {
        "dynamic" | "discontiguous" | "multifile" | "table" | "mode" | "style_check" | "set_prolog_flag" => {
            "remove the line: nothing is declared here, and every predicate is tabled"
        }
        "use_module" | "module" | "ensure_loaded" | "consult" | "import" => {
            "there are no modules; the rules of another file are read by `:- include('path').`"
        }
        "initialization" => "ask with a query: `?- path(a, X).`",
        "op" => "operators are fixed: write the term as `name(left, right)`",
        _ => return None,
    })
}

/// The diagnostic of a directive of Prolog, as `:- dynamic edge/2`, if the statement `text` is one. `start` is its place.
pub(super) fn prolog_directive(text: &str, source: SourceId, start: usize) -> Option<Diagnostic> {
    let rest = text.strip_prefix(":-")?.trim_start();
    let word = leading_word(rest);
    let help = prolog_directive_help(word)?;
    let at = start + text.len() - rest.len();
    let span = Span::new(source, at, at + word.len());
    let message = format!("`{word}` is a directive of Prolog");
    let wrong = Diagnostic::error(Code::Syntax, message).at(span, "not known here").help(help);
    let whole = Span::new(source, start, start + text.len());
    let argument = rest[word.len()..].trim_end_matches('.').trim().trim_matches(['(', ')']);
    // A library is one of Prolog's predicates, of which none is here.
    let is_file = argument.len() > 2 && argument.starts_with('\'') && argument.find(',').is_none();
    Some(match word {
        "initialization" | "op" => wrong,
        "use_module" | "ensure_loaded" | "consult" | "import" if is_file => {
            wrong.replacement(whole, format!(":- include({argument})."))
        }
        "use_module" | "ensure_loaded" | "import" if !argument.starts_with("library") => wrong,
        "consult" => wrong,
        _ => wrong.removal(whole),
    })
}

/// The diagnostic of a directive of clingo, as `#show path/2.`, if the statement `text` is one. `start` is its place.
pub(super) fn clingo_directive(text: &str, source: SourceId, start: usize) -> Option<Diagnostic> {
    let rest = text.strip_prefix('#')?;
    let word = leading_word(rest);
    let help = match word {
        "const" => "there are no names for constants: write the value wherever the name stands",
        "show" | "project" => ASK,
        "minimize" | "minimise" | "maximize" | "maximise" => {
            "there is one model, and no choice among models: the least of many values is `N = min { X : p(X) }`"
        }
        "include" => INCLUDE,
        "external" => INPUT,
        "program" | "script" | "heuristic" | "edge" | "defined" | "theory" => REMOVE,
        _ => return None,
    };
    let span = Span::new(source, start, start + 1 + word.len());
    let wrong = Diagnostic::error(Code::Syntax, format!("`#{word}` is a directive of clingo"))
        .at(span, "not known here")
        .help(help);
    let whole = Span::new(source, start, start + text.len());
    Some(match word {
        "include" => include_directive(wrong, span, &rest[word.len()..]),
        "const" | "minimize" | "minimise" | "maximize" | "maximise" | "external" => wrong,
        _ => wrong.removal(whole),
    })
}

/// The diagnostic of an aggregate, as `count : { … }` of Soufflé or `#count { … }`, if the statement `text` has one.
/// `start` is its place.
pub(super) fn aggregate(text: &str, source: SourceId, start: usize) -> Option<Diagnostic> {
    let mut from = 0;
    while let Some(found) = text[from..].find(|c: char| c.is_ascii_lowercase() || matches!(c, '\'' | '"')) {
        let at = from + found;
        if text[at..].starts_with(['\'', '"']) {
            from = split::quotation_end(text.as_bytes(), at).unwrap_or(at + 1);
            continue;
        }
        let word = leading_word(&text[at..]);
        let behind = &text[at + word.len()..];
        // A term `size(X)` is none.
        let elsewhere = || AggregateFunction::named_elsewhere(word).filter(|_| !behind.starts_with('('));
        let meant = AggregateFunction::of(word).map(AggregateFunction::name).or_else(elsewhere);
        let before = text[..at].chars().next_back();
        let begins_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        if let Some(meant) = meant
            && begins_word
            && (before == Some('#') || is_followed_by_set(behind) || is_of_variable_in_angles(behind))
        {
            let at = if before == Some('#') { at - 1 } else { at };
            let end = at + text[at..].find(word).unwrap_or(0) + word.len();
            let span = Span::new(source, start + at, start + end);
            let shown = &text[at..end];
            let message = format!("`{shown}` begins an aggregate of another language");
            let rounds = if meant == "avg" { "; of integers it rounds down" } else { "" };
            let help = format!("write `N = {meant} {{ X : p(X) }}`: terms, a colon, conditions{rounds}");
            let wrong = Diagnostic::error(Code::Syntax, message).at(span, "computed of many facts at once").help(help);
            // `#count { X : p(X) }` is the aggregate that is here, but for its mark.
            let is_same = before == Some('#') && behind.trim_start().starts_with('{');
            return Some(if is_same { wrong.replacement(span, meant).certain() } else { wrong });
        }
        from = at + word.len();
    }
    None
}

/// Whether `: {` or `: atom(` follows, perhaps behind the term that is aggregated.
fn is_followed_by_set(behind: &str) -> bool {
    let mut near = behind.char_indices().take(LONGEST_TERM);
    let Some((colon, _)) = near.find(|(_, c)| matches!(c, ':' | ',' | '.' | '{' | '&' | '|' | ';' | '=' | '<' | '>'))
    else {
        return false;
    };
    let rest = &behind[colon..];
    rest.starts_with(':') && !rest.starts_with(":-") && !rest.starts_with(":=")
}

/// Whether `<X>` follows, as in `count<X>` of other languages.
fn is_of_variable_in_angles(behind: &str) -> bool {
    let variable = behind.strip_prefix('<').filter(|inside| inside.starts_with(|c: char| c.is_ascii_uppercase()));
    variable.is_some_and(|inside| inside[leading_word(inside).len()..].starts_with('>'))
}

/// The diagnostic of a number that does not begin with a digit or a minus sign, as `.5` or `+1.5`.
pub(super) fn decimal(span: Span, number: &str) -> Diagnostic {
    let unsigned = number.strip_prefix('+').unwrap_or(number);
    let digits = unsigned.strip_prefix('-').unwrap_or(unsigned);
    let sign = &unsigned[..unsigned.len() - digits.len()];
    let zero = if digits.starts_with('.') { "0" } else { "" };
    let written = format!("{sign}{zero}{digits}");
    Diagnostic::error(Code::Syntax, format!("`{number}` is no number here"))
        .at(span, "a number begins with a digit, or with a minus sign and a digit")
        .help(format!("write `{written}`; if a symbol is meant, quote it: '{number}'"))
        .replacement(span, written)
        .replacement(span, format!("'{number}'"))
}

/// The place of a date, as `2026-12-01`, one of whose numbers begins at `at`.
pub(super) fn date(text: &str, at: usize) -> Option<Range<usize>> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'-';
    let (before, behind) = text.as_bytes().split_at(at);
    // Looks no farther than one character beyond a date, so that a long chain of numbers is read in linear time.
    let start = at - before.iter().rev().take(LONGEST_DATE + 1).take_while(|byte| is_part(byte)).count();
    let end = at + behind.iter().take(LONGEST_DATE + 1).take_while(|byte| is_part(byte)).count();
    let mut lengths = text[start..end].split('-').map(str::len);
    let is_date =
        [lengths.next(), lengths.next(), lengths.next()] == [Some(4), Some(2), Some(2)] && lengths.next().is_none();
    is_date.then_some(start..end)
}

/// The diagnostic of a date without quotation marks, some of whose numbers are none.
pub(super) fn unquoted_date(date: &str, span: Span) -> Diagnostic {
    let symbol = format!("'{date}'");
    Diagnostic::error(Code::Syntax, "a date stands without quotation marks")
        .at(span, "a difference, and no integer begins with 0")
        .help(format!("quote it: {symbol}"))
        .replacement(span, symbol)
}

/// The diagnostic of a float beyond the greatest; `symbol` is how a symbol is written that looks like it.
pub(super) fn too_large(span: Span, symbol: &str) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "this number is too large")
        .at(span, "floats go up to about 1.8e308")
        .help(format!("count in a larger unit; if a symbol is meant, quote it: {symbol}"))
        .replacement(span, symbol)
}

/// The diagnostic of a text in the syntax of `.dl`, if the statements that it has as `.kif` show that it is one: half of the
/// parentheses outside of all others follow a word without a blank, as in `role(red)`, and a statement is `:-` or `.`.
pub(super) fn infix(pieces: &[Piece], source: SourceId) -> Option<Diagnostic> {
    let lists = pieces.iter().filter(|piece| piece.text.starts_with('(')).count();
    let atoms = pieces.windows(2).filter(|pair| is_infix_atom(pair)).count();
    let mark = pieces.iter().find(|piece| matches!(&*piece.text, ":-" | "."))?;
    if atoms == 0 || 2 * atoms < lists {
        return None;
    }
    let span = Span::new(source, mark.start, mark.start + mark.text.len());
    Some(
        Diagnostic::error(Code::Syntax, "this text has infix rules, and is read as `.kif`")
            .at(span, "a mark of `.dl`")
            .help("name the file `.dl`, or write rules as `(<= (head …) (condition …) …)`"),
    )
}

/// Whether a word and a list stand as in the syntax of `.dl`, `role(red)`.
fn is_infix_atom(pair: &[Piece]) -> bool {
    let [word, list] = pair else { return false };
    !word.text.starts_with('(') && list.text.starts_with('(') && word.start + word.text.len() == list.start
}

/// Takes facts in the syntax of `.dl` out of the statements of a `.kif` text, and tells of each.
pub(super) fn infix_atoms(pieces: &mut Vec<Piece>, source: SourceId) -> Vec<Diagnostic> {
    let first = |at: &usize| is_infix_atom(&pieces[*at..*at + 2]);
    let firsts: Vec<usize> = (0..pieces.len().saturating_sub(1)).filter(first).collect();
    let told = |&at: &usize| {
        let [word, list] = [&pieces[at], &pieces[at + 1]];
        let place = |from: usize, to| Span::new(source, from, to);
        let gap = place(list.start, list.start + 1);
        let end = list.start + list.text.len();
        let shown = list.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Diagnostic::error(Code::Syntax, format!("`{}{shown}` is no fact in `.kif`", word.text))
            .at(place(word.start, end), "the parenthesis comes first")
            .help(format!("write `({} {}`", word.text, &shown[1..]))
            .repair(vec![Replacement::new(place(word.start, word.start), "("), Replacement::new(gap, " ")])
    };
    let wrong: Vec<Diagnostic> = firsts.iter().map(told).collect();
    for at in firsts.into_iter().rev() {
        pieces.drain(at..at + 2);
    }
    wrong
}

fn leading_word(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())]
}
