//! Random stratified programs with finite models, as text.
//!
//! Each predicate has a level: a rule reads its own level and lower ones, and negates lower ones only. Only rules that
//! do not read their own level build new terms (`f(X)`, `X + 1`), so models are finite.
//!
//! * [`lattices`]: programs with lattice columns.

pub mod lattices;

use ludolog::analysis::{self, clause::StratifiedProgram};
use ludolog::syntax::ast::AggregateFunction;
use proptest::prelude::*;
use std::ops::Range;

#[derive(Clone, Debug)]
pub struct Case {
    pub text: String,
    /// Facts to insert, one batch after the other.
    pub insertions: Vec<Vec<String>>,
    pub events: Vec<String>,
}

type Signature = (&'static str, usize);

const GIVEN: [Signature; 3] = [("a", 1), ("b", 2), ("l", 1)];
/// `d` reads given facts and events, and transition rules read it.
const LEVELS: [&[Signature]; 4] = [&[("d", 1)], &[("p", 1), ("q", 2)], &[("r", 1), ("s", 2)], &[("t", 0), ("u", 2)]];
const VALUES: [&str; 8] = ["0", "1", "x", "2", "f(0)", "f(x)", "1.5", "-2.0"];
const LISTS: [&str; 4] = ["[]", "[0, 1]", "[x, f(1), x]", "[1 | x]"];
const COMPARATORS: [&str; 6] = ["!=", "=", "<", "<=", ">", ">="];
const VARIABLES: [&str; 4] = ["X", "Y", "Z", "W"];

/// A closure, which random rules would hardly be, and rules that read it.
const CLOSURE: &str = "
c(X, Y) :- b(X, Y).
c(X, Z) :- c(X, Y) & b(Y, Z).
first(X) :- a(X) & ~c(_, X).
last(X) :- a(X) & ~c(X, _).
tame :- ~c(_, _).";

const QUERIES: &str = "
?- a(X). ?- b(X, Y). ?- l(X). ?- d(X). ?- p(X). ?- q(X, Y). ?- r(X). ?- s(X, Y). ?- t. ?- u(X, Y).
?- q(0, X). ?- q(X, 1). ?- q(X, X). ?- s(f(X), Y). ?- s(X, f(X)). ?- r(x). ?- u(X, 0). ?- u(X, _).
?- q(X, Y) & ~p(X) & Y != x. ?- b(X, Y) & ~(X > 0 & Y >= X). ?- b(X, Y) & ~(~(X < Y) | Y is 1 + X). ?- a(X) & ~s(X, _). ?- l(L) & member(X, L) & q(X, Y).
?- c(X, Y). ?- c(0, X). ?- c(X, X). ?- first(X). ?- last(X). ?- tame. ?- a(X) & ~c(X, f(_)).
?- l(L) & ~member(_, L). ?- l(L) & ~member(f(_), L). ?- l(L) & p(X) & ~member(f(X), L).
";

/// A small program, which shows at a glance what is wrong.
pub fn case() -> impl Strategy<Value = Case> {
    case_of(0, 1..8)
}

/// A program with many facts, so that most of its rules derive something.
pub fn rich_case() -> impl Strategy<Value = Case> {
    case_of(24, 4..12)
}

/// A program with more than so many facts, and this number of rules.
fn case_of(given: usize, rules: Range<usize>) -> impl Strategy<Value = Case> {
    use proptest::collection::vec;
    let bytes = |length| vec(any::<u8>(), length);
    (bytes(40 + 3 * given), vec(bytes(40), rules), vec(bytes(16), 0..4), vec(vec(bytes(4), 1..4), 0..3), bytes(3))
        .prop_map(move |(facts, rules, transitions, insertions, events)| {
            let mut lines = Vec::new();
            let mut choices = Choices(facts.iter());
            for _ in 0..=given + choices.pick(9) {
                lines.push(format!("{}.", fact(GIVEN[choices.pick(3)], &mut choices)));
            }
            lines.extend(rules.iter().map(|bytes| rule(&mut Choices(bytes.iter()))));
            lines.extend(transitions.iter().map(|bytes| transition(&mut Choices(bytes.iter()))));
            let insertion = |bytes: &Vec<u8>| {
                let mut choices = Choices(bytes.iter());
                let level = choices.pick(6);
                fact(if level < 3 { GIVEN[level] } else { LEVELS[level - 2][0] }, &mut choices)
            };
            let insertions = insertions.iter().map(|group| group.iter().map(insertion).collect()).collect();
            let events = events.iter().map(|byte| format!("go({})", VALUES[*byte as usize % VALUES.len()])).collect();
            Case { text: lines.join("\n") + CLOSURE + QUERIES, insertions, events }
        })
}

/// A program; `None` if it is refused.
pub fn accepted(text: &str) -> Option<StratifiedProgram> {
    Some(analysis::analyze(&text.parse().expect("the text parses")).ok()?.stratified)
}

/// So many cases, or as many as a long run has.
pub fn cases(usual: u32) -> ProptestConfig {
    ProptestConfig { cases: long_run().unwrap_or(usual), failure_persistence: None, ..ProptestConfig::default() }
}

/// The number of programs of a long run, if one is asked for.
pub fn long_run() -> Option<u32> {
    std::env::var("LUDOLOG_RANDOM").ok().map(|number| number.parse().expect("LUDOLOG_RANDOM is a number"))
}

/// A stream of choices, followed by zeros, the simplest choices.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn pick(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |&byte| byte as usize % n)
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.pick(texts.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.pick(n) == n - 1
    }
}

fn atom(predicate: &str, args: &[String]) -> String {
    if args.is_empty() { predicate.to_string() } else { format!("{predicate}({})", args.join(", ")) }
}

fn fact((predicate, arity): Signature, choices: &mut Choices) -> String {
    let values: &[&str] = if predicate == "l" { &LISTS } else { &VALUES };
    let args: Vec<String> = (0..arity).map(|_| choices.of(values).to_string()).collect();
    atom(predicate, &args)
}

fn rule(choices: &mut Choices) -> String {
    let level = choices.pick(LEVELS.len());
    let (head, arity) = LEVELS[level][choices.pick(LEVELS[level].len())];
    let below: Vec<Signature> = GIVEN.into_iter().chain(LEVELS[..level].iter().copied().flatten().copied()).collect();
    let mut readable = below.clone();
    if level > 0 {
        readable.extend(LEVELS[level]);
    } else {
        readable.push(("go", 1));
    }
    let mut body: Vec<String> = Vec::new();
    let mut bound: Vec<&str> = Vec::new();
    let mut recursive = false;
    for _ in 0..=choices.pick(3) {
        let (predicate, arity) = readable[choices.pick(readable.len())];
        recursive |= LEVELS[level].iter().any(|&(name, _)| name == predicate);
        let args: Vec<String> = (0..arity)
            .map(|_| match choices.pick(8) {
                0 => choices.of(&VALUES).to_string(),
                1 => "_".to_string(),
                kind => {
                    let variable = choices.of(&VARIABLES);
                    bound.push(variable);
                    if kind == 2 { format!("f({variable})") } else { variable.to_string() }
                }
            })
            .collect();
        body.push(atom(predicate, &args));
    }
    for number in 0..choices.pick(3) {
        let known = |choices: &mut Choices| {
            if bound.is_empty() || choices.one_in(3) {
                choices.of(&VALUES).to_string()
            } else {
                choices.of(&bound).to_string()
            }
        };
        let one = known(choices);
        let other = known(choices);
        let mut made = None;
        let filter = match choices.pick(20) {
            0 | 1 => {
                let (predicate, arity) = below[choices.pick(below.len())];
                let args: Vec<String> = [one, other].into_iter().take(arity).collect();
                format!("~{}", atom(predicate, &args))
            }
            2 => format!("~b({one}, _)"),
            3 => format!("{one} {} {other}", choices.of(&COMPARATORS)),
            4 => match choices.pick(3) {
                0 => format!("~member({}, {other})", choices.of(&["_", "f(_)"])),
                _ => format!("{}member({one}, [{other}, 1, f(0)])", choices.of(&["", "~"])),
            },
            5 => match choices.pick(4) {
                0 => {
                    let text = choices.of(&["A", "to_string(A)", "cat(A, B)"]).replace('A', &one).replace('B', &other);
                    let pattern = choices.of(&["'[x-z]|1+'", "'-?[0-9]*'", "'x.*'", "'(y|0)?[^x]'"]);
                    format!("{}matches({text}, {pattern})", choices.of(&["", "~"]))
                }
                _ => format!("f({one}) != {other}"),
            },
            6 => {
                made = Some(["M0", "M1"][number]);
                format!("member(M{number}, [{one}, {other}])")
            }
            7 => format!("~({one} {} {other} - 1)", choices.of(&["is", "!=", "=", "<", "<=", ">", ">="])),
            8 => {
                let first = choices.of(&COMPARATORS);
                let second = choices.of(&COMPARATORS);
                let nested = [
                    format!("~(a({one}) & {one} {first} {other})"),
                    format!("~({one} {first} 1 | {other} {second} 1)"),
                    format!("~(~({one} {first} {other}) & {one} {second} 0)"),
                ];
                nested[choices.pick(3)].clone()
            }
            10 => {
                made = Some(["M0", "M1"][number]);
                let (predicate, arity) = below[choices.pick(below.len())];
                let counted = format!("C{number}");
                let args: Vec<String> = [counted.clone(), one].into_iter().take(arity).collect();
                let function = choices.of(&["count", "sum", "min", "max"]);
                let test = choices.of(&["", " & C != 1", " & C != x"]).replace('C', &counted);
                format!("M{number} = {function} {{ {counted} : {}{test} }}", atom(predicate, &args))
            }
            11 => {
                made = Some(["M0", "M1"][number]);
                [format!("M{number} in 0..{one}"), format!("M{number} in {one}..2")][choices.pick(2)].clone()
            }
            12 if !recursive => {
                made = Some(["M0", "M1"][number]);
                let functions = [
                    "max(A, B)",
                    "min(A, 1)",
                    "abs(A - 2)",
                    "length(A)",
                    "cat(A, B)",
                    "substring(A, 0, 1)",
                    "band(A, B - 2)",
                    "bor(A, bnot(B))",
                    "bxor(A, B * 3)",
                    "power(A - 2, B)",
                    "bshl(A - 1, B)",
                    "bshr(A - 9, B)",
                    "to_number(cat(A, B))",
                    "to_string(A)",
                    "to_float(A)",
                    "A / 0.5 + to_float(B)",
                    "floor(A * 0.25)",
                    "ceiling(A) - round(B)",
                    "round(max(A, B) / 4.0)",
                    "power(A, 2.0)",
                    "sqrt(A - 0.5)",
                ];
                format!("M{number} is {}", choices.of(&functions).replace('A', &one).replace('B', &other))
            }
            13 => {
                made = Some(["M0", "M1"][number]);
                format!("(b(M{number}, {one}) | a(M{number}) & {one} != {other})")
            }
            14 => {
                let (predicate, arity) = below[choices.pick(below.len())];
                let args: Vec<String> = [one.clone(), other.clone()].into_iter().take(arity).collect();
                let nested = [
                    format!("~(~{} | {one} = 1)", atom(predicate, &args)),
                    format!("~(a({one}) & ~(b({one}, _) | {other} > 0))"),
                    format!("({one} < {other} | ~(a({one}) | {one} = {other}))"),
                ];
                nested[choices.pick(3)].clone()
            }
            // What tells the tuples apart may be compared with what is bound outside.
            15 => {
                made = Some(["M0", "M1"][number]);
                let function = choices.of(&AggregateFunction::ALL.map(|(_, name)| name));
                let term = choices.of(&["C", "C + 1", "D", "max(C, D)"]);
                let test = choices.of(&["C < O", "D != O", "~(C >= O)", "C - 1 <= O & D > 0", "~(D = O & C < 2)"]);
                let inside = format!("{term}, D : b(C, D) & {test}").replace('C', &format!("C{number}"));
                let inside = inside.replace('D', &format!("D{number}")).replace('O', &one);
                format!("M{number} = {function} {{ {inside} }}")
            }
            16 => {
                let (predicate, arity) = below[choices.pick(below.len())];
                let counted = format!("C{number}");
                let args: Vec<String> = [counted.clone(), one].into_iter().take(arity).collect();
                let ways = ["", " & (a(C) | C > 0)", " & ~a(C)", " & C in 0..2"].map(|way| way.replace('C', &counted));
                format!(
                    "count {{ {counted} : {}{} }} {} {}",
                    atom(predicate, &args),
                    ways[choices.pick(4)],
                    choices.of(&[">=", "<", "!=", "="]),
                    choices.pick(3)
                )
            }
            // Orders may know the sum before one of its terms.
            17 | 18 => {
                let sums = ["B + 1", "B - 2", "1 + B", "1 - B", "B + D", "D - B"];
                let sum = choices.of(&sums).replace('B', &other).replace('D', &format!("D{number}"));
                let range = if sum.contains('D') { format!("D{number} in -1..1 & ") } else { String::new() };
                format!("{range}{one} is {sum}")
            }
            _ if recursive => format!("{one} mod 2 != {other} - 1"),
            _ => {
                made = Some(["M0", "M1"][number]);
                let made = [format!("M{number} is {one} * 2 - 1"), format!("M{number} = f({one})")];
                made[choices.pick(2)].clone()
            }
        };
        // Any position will do: subgoals that stand too early are moved.
        body.insert(choices.pick(body.len() + 1), filter);
        bound.extend(made);
    }
    let args: Vec<String> = (0..arity)
        .map(|_| match bound.is_empty() || choices.one_in(5) {
            true => choices.of(&VALUES).to_string(),
            false if !recursive && choices.one_in(4) => format!("f({})", choices.of(&bound)),
            false => choices.of(&bound).to_string(),
        })
        .collect();
    format!("{} :- {}.", atom(head, &args), body.join(" & "))
}

fn transition(choices: &mut Choices) -> String {
    let mut conditions = vec!["go(X)".to_string(), "b(Y, Z)".to_string()];
    for _ in 0..choices.pick(3) {
        conditions
            .push(choices.of(&["a(X)", "~a(Y)", "X != Y", "d(Y)", "~d(X)", "b(X, Y)", "l(_)", "~(X < Y)"]).to_string());
    }
    let effects: Vec<&str> = (0..=choices.pick(3))
        .map(|_| choices.of(&["a(Y)", "~a(X)", "b(X, Y)", "~b(Y, Z)", "b(Z, f(X))", "~l([])", "~a(Z)", "p(X)"]))
        .collect();
    format!("{} ==> {}.", conditions.join(" & "), effects.join(" & "))
}
