//! What `check --fix` makes of small programs in which one token is wrong, or spelled as in another language.
//!
//! A change that is made without the author keeps what the author has said: an error that is mended leads back to the program, or a warning tells
//! of it. The facts are those of the engine, before and after.

use ludolog::diagnostic::{Applicability, Diagnostics, Severity, Sources};
use ludolog::engine::{Budget, Session};
use ludolog::files::FileSystem;
use ludolog::hex::random::Random;
use ludolog::syntax::{self, Syntax, print_atom};
use ludolog::workspace::fix_all::fix_all;
use ludolog::workspace::{self, Texts};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Programs besides those of `tests/programs`: with texts, decimals, lists, aggregates, constraints and lattice columns.
const PROGRAMS: [&str; 4] = [
    "edge(a, b). edge(b, c). edge(c, d).\nw(a, 3). w(b, 10). w(c, 7).\npath(X, Y) :- edge(X, Y).\n\
     path(X, Z) :- path(X, Y) & edge(Y, Z).\nbig(X) :- w(X, N) & N > 5.\ntotal(S) :- S = sum { N, X : w(X, N) }.\n",
    "price(milk, 1.25). price(bread, 2.5).\nname(1, 'Ann Lee'). name(2, 'Bob').\n\
     cost(X, C) :- price(X, P) & C is P * 2.0 + 0.5.\nlong(I) :- name(I, S) & length(S) > 3 & ~(I = 2).\n\
     first(I, F) :- name(I, S), F is substring(S, 0, 3).\n",
    "e(1, 2). e(2, 3). e(3, 1). e(3, 4).\nwin(X) :- e(X, Y) & ~lost(Y).\nlost(X) :- e(_, X) & ~e(X, _).\n\
     dist(1, min 0).\ndist(Y, min D) :- dist(X, C) & e(X, Y) & D is C + 1.\n:- e(X, X).\n?- dist(X, D) & D in 1..2.\n",
    "item(a, [1, 2, 3]). item(b, []).\nhas(X, N) :- item(X, L) & member(N, L).\nodd(X) :- has(X, N) & N mod 2 = 1.\n\
     none(X) :- item(X, _) & ~has(X, _).\ncnt(X, N) :- item(X, _) & N = count { M : has(X, M) }.\n",
];

/// Marks of the language that are made of several characters, the longer ones first.
const MARKS: [&str; 13] = ["==>", "=:=", "=\\=", ":-", "?-", "!=", "\\=", "<=", ">=", "=<", "==", "..", "\\+"];

/// Tokens with other spellings of them, which have no other reading.
const SPELLINGS: [(&str, &[&str]); 6] = [
    ("&", &["&&", "∧", " and ", " AND "]),
    ("~", &["¬"]),
    ("!=", &["<>", "≠", "\\==", "!=="]),
    ("<=", &["≤", "@=<"]),
    (">=", &["≥", "@>="]),
    (":-", &["←"]),
];

/// Longest text of a program, in bytes.
const LONGEST: usize = 650;

/// Mutations of each program.
const MUTATIONS: usize = 40;

/// The tokens of a text, with what stands between them.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length_while = |is_part: fn(char) -> bool| rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let length = match first {
            '%' => rest.find('\n').unwrap_or(rest.len()),
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if first.is_whitespace() => length_while(char::is_whitespace),
            _ if first.is_ascii_digit() => {
                let whole = length_while(|c| c.is_ascii_digit());
                let fraction = rest[whole..].strip_prefix('.').map(|rest| rest.bytes().take_while(u8::is_ascii_digit));
                whole + fraction.map(Iterator::count).filter(|digits| *digits > 0).map_or(0, |digits| digits + 1)
            }
            _ if first.is_alphabetic() || first == '_' => length_while(|c| c.is_alphanumeric() || c == '_'),
            _ => MARKS.iter().find(|mark| rest.starts_with(**mark)).map_or(first.len_utf8(), |mark| mark.len()),
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token);
        rest = behind;
    }
    tokens
}

/// The text with one token left out, doubled, exchanged with the next one or replaced by another one of the text.
fn mutated(tokens: &[&str], random: &mut Random) -> String {
    let is_token = |i: &usize| !tokens[*i].starts_with(|c: char| c.is_whitespace() || c == '%');
    let places: Vec<usize> = (0..tokens.len()).filter(is_token).collect();
    let at = random.below(places.len() - 1);
    let [place, next, other] = [at, at + 1, random.below(places.len())].map(|at| places[at]);
    let mut changed = tokens.to_vec();
    match random.below(4) {
        0 => changed[place] = "",
        1 => changed.insert(place, tokens[place]),
        2 => changed.swap(place, next),
        _ => changed[place] = tokens[other],
    }
    changed.concat()
}

/// What is said of a text.
fn diagnostics(text: &str) -> Diagnostics {
    let mut sources = Sources::new();
    let source = sources.add_rules("rules.dl", Syntax::Datalog, text);
    let parsed = syntax::parse(source, &sources, Syntax::Datalog).into_result();
    match parsed {
        Ok(program) => {
            let loaded = syntax::LoadedProgram { program, ..syntax::LoadedProgram::default() };
            workspace::check(&loaded, &Budget::unlimited()).expect("no limit").0
        }
        Err(wrong) => wrong,
    }
}

/// The facts of a program, given and derived; `None` if there are errors, or too many facts.
fn facts(text: &str) -> Option<BTreeSet<String>> {
    let budget = Budget::unlimited().with_timeout(Duration::from_secs(2));
    let mut session = Session::of_text(text, Syntax::Datalog).ok()?.with_budget(budget);
    let (derived, stopped) = session.facts(|_| true).ok()?;
    let given = &session.program().program.facts;
    let facts = derived.iter().chain(given).map(|fact| print_atom(fact, Syntax::Datalog)).collect();
    stopped.is_none().then_some(facts)
}

/// The text after the changes that are certain, if there are any.
fn fixed(text: &str) -> Option<String> {
    let path = PathBuf::from("rules.dl");
    let mut texts = Texts::new(Arc::new(FileSystem));
    texts.set(&path, text);
    let fixed = fix_all(&mut texts, std::slice::from_ref(&path), None, Applicability::Certain, &Budget::unlimited());
    assert_eq!((&fixed.stopped, fixed.taken_back), (&None, 0), "{text}");
    (!fixed.made.is_empty()).then(|| texts.get(&path).expect("an open text").to_string())
}

/// The small programs without errors, with their facts.
fn programs() -> Vec<(String, BTreeSet<String>)> {
    let files = std::fs::read_dir("tests/programs").expect("programs");
    let paths: BTreeSet<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    let datalog = paths.iter().filter(|path| path.extension().is_some_and(|end| end == "dl"));
    let texts = datalog.map(|path| std::fs::read_to_string(path).expect("a text")).filter(|text| text.len() < LONGEST);
    let all = PROGRAMS.iter().map(|text| (*text).to_owned()).chain(texts);
    all.filter_map(|text| facts(&text).map(|facts| (text, facts))).collect()
}

/// The number of mutations of each program: more of them if `LUDOLOG_MUTATIONS` says so.
fn mutations() -> usize {
    std::env::var("LUDOLOG_MUTATIONS").ok().and_then(|number| number.parse().ok()).unwrap_or(MUTATIONS)
}

#[test]
fn a_wrong_token_is_not_mended_into_other_facts() {
    let programs = programs();
    assert!(programs.len() > 15, "{} programs", programs.len());
    let mut mended = 0;
    for (number, (text, before)) in programs.iter().enumerate() {
        let tokens = tokens(text);
        let mut random = Random::new(number as u64);
        for _ in 0..mutations() {
            let wrong = mutated(&tokens, &mut random);
            let Some(fixed) = fixed(&wrong) else { continue };
            let told = diagnostics(&fixed);
            if told.has_errors() || told.count(Severity::Warning) > 0 {
                continue;
            }
            mended += 1;
            let after = facts(&fixed);
            let is_kept = after.as_ref() == Some(before) || facts(&wrong).is_some_and(|facts| Some(facts) == after);
            assert!(is_kept, "{text}\nwith one wrong token:\n{wrong}\nbecomes\n{fixed}");
        }
    }
    assert!(mended > 0);
}

#[test]
fn another_spelling_is_mended_into_the_same_program() {
    let mut respelled = 0;
    for (text, before) in programs() {
        let tokens = tokens(&text);
        for (ours, other) in SPELLINGS.iter().flat_map(|(ours, others)| others.iter().map(move |other| (*ours, other)))
        {
            let begins = |i: usize| {
                tokens[..i].iter().rev().find(|token| !token.trim().is_empty()).is_none_or(|token| *token == ".")
            };
            let is_there = |i: usize| tokens[i] == ours && !begins(i);
            let spelled = |i: usize| if is_there(i) { *other } else { tokens[i] };
            let wrong: String = (0..tokens.len()).map(spelled).collect();
            if wrong != text {
                respelled += 1;
                let fixed = fixed(&wrong).unwrap_or_else(|| panic!("{wrong}"));
                assert_eq!(facts(&fixed).as_ref(), Some(&before), "{wrong}\nbecomes\n{fixed}");
            }
        }
    }
    assert!(respelled > 40, "{respelled} texts");
}
