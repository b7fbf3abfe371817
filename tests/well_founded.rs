//! Negation through recursion: the well-founded model against its definition, against SWI-Prolog, against solved games, and
//! by hand.

use crate::binary::{self, run};
use crate::engines::program;
use crate::games;
use crate::oracle::well_founded::{Fact, Model, model};
use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, ENGINES, Session, Setting, Stopped, WhyNot};
use ludolog::game::{Draw, StateMachine, StateMachineExt};
use ludolog::optimize::{Optimization, PASSES};
use ludolog::propnet::NetMachine;
use ludolog::solve::solve;
use ludolog::syntax::ast::{Atom, Formula, Predicate, Term};
use ludolog::syntax::{self, Syntax};
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::num::NonZero;
use std::process::{Command, Stdio};

/// One of these.
fn one_of<T: Copy>(random: &mut Draw, choices: &[T]) -> T {
    choices[random.below(choices.len())]
}

const GIVEN: [(&str, usize); 2] = [("n", 1), ("e", 2)];
/// Two groups of predicates, each with negative cycles, and one above them that is stratified.
const GROUPS: [&[(&str, usize)]; 3] = [&[("p", 1), ("q", 1), ("r", 2)], &[("s", 1), ("t", 2)], &[("u", 1), ("v", 2)]];
const CONSTANTS: [&str; 5] = ["1", "2", "3", "a", "f(1)"];
const VARIABLES: [&str; 3] = ["X", "Y", "Z"];

/// A random ground atom.
fn fact(random: &mut Draw, (name, arity): (&str, usize)) -> String {
    let args: Vec<&str> = (0..arity).map(|_| one_of(random, &CONSTANTS)).collect();
    format!("{name}({})", args.join(", "))
}

/// A random body, and the variables that it binds.
fn body(random: &mut Draw, group: usize) -> (String, Vec<&'static str>) {
    let below: Vec<_> = GIVEN.into_iter().chain(GROUPS[..group].iter().copied().flatten().copied()).collect();
    let own = GROUPS.get(group).copied().unwrap_or_default();
    let mut literals = Vec::new();
    let mut bound = Vec::new();
    for place in 0..1 + random.below(2) {
        let positive = if place > 0 && random.below(3) == 0 && !own.is_empty() { own } else { &below };
        let (name, arity) = one_of(random, positive);
        let arg = |random: &mut Draw, bound: &mut Vec<&str>| match random.below(9) {
            0 => one_of(random, &CONSTANTS).to_owned(),
            kind => {
                let variable = one_of(random, &VARIABLES);
                bound.push(variable);
                if kind == 1 { format!("f({variable})") } else { variable.to_owned() }
            }
        };
        let args: Vec<String> = (0..arity).map(|_| arg(random, &mut bound)).collect();
        literals.push(format!("{name}({})", args.join(", ")));
    }
    if !bound.is_empty() && random.below(4) == 0 {
        let variable = one_of(random, &bound);
        match random.below(3) {
            0 => literals.push(format!("{variable} != {}", one_of(random, &CONSTANTS))),
            1 => literals.push(format!("{variable} < 3")),
            _ => {
                literals.push(format!("W is {variable} + 1 & n(W)"));
                bound.push("W");
            }
        }
    }
    // The group above is stratified: it negates what is below.
    let negated: Vec<_> = if group < 2 { own.iter().chain(&below).copied().collect() } else { below };
    for _ in 0..random.below(3) {
        let (name, arity) = one_of(random, &negated);
        let arg = |random: &mut Draw| match random.below(6) {
            0 => "_".to_owned(),
            1 => one_of(random, &CONSTANTS).to_owned(),
            2 if !bound.is_empty() => format!("f({})", one_of(random, &bound)),
            _ if !bound.is_empty() => one_of(random, &bound).to_owned(),
            _ => one_of(random, &CONSTANTS).to_owned(),
        };
        let args: Vec<String> = (0..arity).map(|_| arg(random)).collect();
        literals.push(format!("~{name}({})", args.join(", ")));
    }
    (literals.join(" & "), bound)
}

/// A random program; the last predicate is that of a goal, whose body is returned, too.
fn random_program(random: &mut Draw) -> (String, String) {
    let mut text = String::new();
    for (group, predicates) in GROUPS.iter().enumerate() {
        for _ in 0..3 + random.below(3) {
            let (name, arity) = one_of(random, predicates);
            let (body, bound) = body(random, group);
            let arg =
                |random: &mut Draw| if bound.is_empty() { one_of(random, &CONSTANTS) } else { one_of(random, &bound) };
            let args: Vec<&str> = (0..arity).map(|_| arg(random)).collect();
            writeln!(text, "{name}({}) :- {body}.", args.join(", ")).unwrap();
        }
        if random.below(3) == 0 {
            writeln!(text, "{}.", fact(random, predicates[0])).unwrap();
        }
    }
    for _ in 0..4 + random.below(6) {
        let given = one_of(random, &GIVEN);
        writeln!(text, "{}.", fact(random, given)).unwrap();
    }
    let (goal, bound) = body(random, GROUPS.len());
    let bound: BTreeSet<&str> = bound.into_iter().collect();
    let args: Vec<&str> = bound.into_iter().collect();
    let head = if args.is_empty() { "goal".to_owned() } else { format!("goal({})", args.join(", ")) };
    writeln!(text, "{head} :- {goal}.").unwrap();
    (text, goal)
}

fn atom(text: &str) -> Atom {
    let query = syntax::parse_goal(text, &mut Sources::new(), Some(Syntax::Datalog));
    match query.expect("the goal parses").body.remove(0) {
        Formula::Atom(atom) => atom,
        other => panic!("no atom: {other:?}"),
    }
}

/// The selections of passes that are compared, and numbers of threads.
fn settings() -> Vec<Setting> {
    let alone = PASSES.map(|pass| Optimization::Passes(vec![pass]));
    let named = [Optimization::None, Optimization::Auto, Optimization::Passes(PASSES.to_vec())];
    let settings = named.into_iter().chain(alone).enumerate().map(|(number, optimization)| {
        let threads = NonZero::new(1 + number % 3).expect("at least one");
        Setting { optimization, threads, ..Setting::default() }
    });
    settings.collect()
}

/// The model as a session derives it.
fn derived(session: &mut Session) -> Model {
    let facts = |(facts, stopped): (Vec<Atom>, Option<_>)| -> BTreeSet<Fact> {
        assert!(stopped.is_none());
        facts.into_iter().map(|fact| (fact.signature(), fact.args)).collect()
    };
    let truths = facts(session.facts(|_| true).expect("no limits"));
    let undefined: Vec<Atom> = session.undefined_listing(|_| true).expect("no limits").atoms().collect();
    assert_eq!(session.undefined_count(|_| true), Ok(undefined.len() as u64));
    Model { truths, undefined: facts((undefined, None)) }
}

/// The facts of predicates that rules have not made up.
fn shown(model: Model) -> Model {
    let is_shown = |(predicate, _): &Fact| !predicate.is_auxiliary();
    let keep = |facts: BTreeSet<Fact>| facts.into_iter().filter(is_shown).collect();
    Model { truths: keep(model.truths), undefined: keep(model.undefined) }
}

/// How many random programs a test tries: so many, or as many as `LUDOLOG_RANDOM` says.
fn count(usual: u64) -> u64 {
    std::env::var("LUDOLOG_RANDOM").map_or(usual, |count| count.parse().expect("a number"))
}

/// Random programs on every selection of passes and one to three threads, while facts come and go.
#[test]
fn random_programs_have_the_model_of_the_definition() {
    let mut with_undefined = 0;
    for seed in 1..=count(80) {
        let random = &mut Draw::new(seed);
        let (text, goal) = random_program(random);
        let program = program(&text);
        // What analysis has split by its constants is split again with facts of a case.
        let is_split = analysis::split_predicates(&program.program).contains(&Predicate::new("p", 1));
        let changes: Vec<(bool, Atom)> = (0..6)
            .map(|_| {
                let of = if random.below(3) == 0 { ("p", 1) } else { one_of(random, &GIVEN) };
                (random.below(3) > 0, atom(&fact(random, of)))
            })
            .collect();
        let mut case: BTreeSet<Fact> = BTreeSet::new();
        let as_atoms = |case: &BTreeSet<Fact>| {
            case.iter().map(|(predicate, args)| Atom::new(&predicate.name, args.clone())).collect::<Vec<_>>()
        };
        let mut expected = vec![shown(model(&program, []))];
        for (comes, fact) in &changes {
            let fact = (fact.signature(), fact.args.clone());
            if *comes {
                case.insert(fact)
            } else {
                case.remove(&fact)
            };
            let given = as_atoms(&case);
            let whole = |facts: &[Atom]| {
                let facts = facts.iter().map(|fact| syntax::print_atom(fact, Syntax::Datalog) + ". ");
                self::program(&(text.clone() + &facts.collect::<String>()))
            };
            let model = if is_split { model(&whole(&given), []) } else { model(&program, given) };
            expected.push(shown(model));
        }
        with_undefined += u64::from(expected.iter().any(|model| !model.undefined.is_empty()));
        for setting in settings() {
            let how = format!("seed {seed}, {}, {} threads\n{text}", setting.optimization, setting.threads);
            let mut session = Session::of_text(&text, Syntax::Datalog).expect("sound").with_setting(setting);
            assert_eq!(derived(&mut session), expected[0], "{how}");
            let answers = session.query(&goal).expect("no limits");
            let of_goal = |facts: &BTreeSet<Fact>| facts.iter().filter(|(p, _)| p.name == "goal").count();
            assert_eq!(answers.count(), of_goal(&expected[0].truths), "{how}");
            let undefined = answers.undefined.map_or(0, |undefined| undefined.count());
            assert_eq!(undefined, of_goal(&expected[0].undefined), "{how}");
            for ((comes, fact), expected) in changes.iter().zip(&expected[1..]) {
                if *comes {
                    session.insert_fact(fact.clone())
                } else {
                    session.retract_fact(fact)
                };
                assert_eq!(derived(&mut session), *expected, "{how}\n{comes} {fact:?}");
            }
        }
    }
    assert!(with_undefined > count(80) / 5, "{with_undefined} programs have undefined facts");
}

/// SWI-Prolog's tabled negation agrees, where it is installed.
#[test]
fn swi_prolog_agrees() {
    if Command::new("swipl").arg("--version").output().is_err() {
        eprintln!("skipped: there is no swipl");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let predicates: Vec<(&str, usize)> = GROUPS.concat();
    let mut prolog = PRELUDE.to_owned();
    let mut expected = String::new();
    for number in 1..=1000u64 {
        let (text, _) = random_program(&mut Draw::new(number + 7_000_000));
        // Asked top down, what builds a term from what it is asked may ask for ever.
        let text =
            VARIABLES.into_iter().chain(["W"]).fold(text, |text, name| text.replace(&format!("f({name})"), name));
        let text: Vec<&str> = text.lines().filter(|line| !line.starts_with("goal")).collect();
        let mut session = Session::of_text(&text.join("\n"), Syntax::Datalog).expect("sound");
        let found = derived(&mut session);
        prolog += &in_prolog(number, &text);
        for &(name, arity) in &predicates {
            let of = Predicate::new(name, arity);
            for (facts, value) in [(&found.truths, "true"), (&found.undefined, "undefined")] {
                for (_, args) in facts.iter().filter(|(predicate, _)| *predicate == of) {
                    let args: Vec<String> = args.iter().map(|arg| syntax::print_term(arg, Syntax::Datalog)).collect();
                    writeln!(expected, "{number} {name}({}) {value}", args.join(",").replace(' ', "")).unwrap();
                }
            }
        }
    }
    let file = folder.path().join("programs.pl");
    std::fs::write(&file, prolog).expect("a file");
    let output =
        Command::new("swipl").args(["-q", "-g", "halt"]).arg(&file).stdin(Stdio::null()).output().expect("swipl runs");
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let found = sorted(&found);
    let expected = sorted(&expected);
    let (more, less): (Vec<_>, Vec<_>) = (found.difference(&expected).collect(), expected.difference(&found).collect());
    assert!(more.is_empty() && less.is_empty(), "{more:?}\n{less:?}\n{errors}");
}

/// What the programs in Prolog have in common. Where ours is false, Prolog's comparison of a symbol raises an error.
const PRELUDE: &str = ":- set_prolog_flag(occurs_check, true).
:- style_check(-singleton). :- style_check(-discontiguous). :- style_check(-no_effect).
less(X, Y) :- integer(X), X < Y.
successor(X, Y) :- integer(X), Y is X + 1.
tell(Number, Goal, Atom) :- forall(call_delays(Goal, D), tell_value(Number, Atom, D)).
tell_value(Number, Atom, true) :- !, format('~w ~w true~n', [Number, Atom]).
tell_value(Number, Atom, _) :- format('~w ~w undefined~n', [Number, Atom]).
";

/// A program as Prolog with tables, its predicates numbered, which prints what is true and what is undefined.
fn in_prolog(number: u64, lines: &[&str]) -> String {
    let mut prolog = String::new();
    let args = |arity: usize| ["A", "B"][..arity].join(",");
    for (name, arity) in GIVEN {
        writeln!(prolog, ":- dynamic({name}{number}/{arity}).").unwrap();
    }
    for (name, arity) in GROUPS.concat() {
        writeln!(prolog, ":- table {name}{number}/{arity}.").unwrap();
        writeln!(prolog, "{name}{number}({}) :- fail.", args(arity)).unwrap();
    }
    for line in lines {
        let (head, body) =
            line.trim_end_matches('.').split_once(" :- ").unwrap_or((line.trim_end_matches('.'), "true"));
        let body: Vec<String> = body.split(" & ").map(|literal| in_prolog_literal(literal, number)).collect();
        writeln!(prolog, "{} :- {}.", in_prolog_literal(head, number), body.join(", ")).unwrap();
    }
    for (name, arity) in GROUPS.concat() {
        let args = args(arity);
        writeln!(prolog, ":- tell({number}, {name}{number}({args}), {name}({args})).").unwrap();
    }
    prolog
}

fn in_prolog_literal(literal: &str, number: u64) -> String {
    if let Some(negated) = literal.strip_prefix('~') {
        return format!("not_exists({})", in_prolog_literal(negated, number));
    }
    if let Some((left, right)) = literal.split_once(" != ") {
        return format!("{left} \\== {right}");
    }
    if let Some((left, right)) = literal.split_once(" < ") {
        return format!("less({left}, {right})");
    }
    if let Some((left, right)) = literal.split_once(" is ") {
        return format!("successor({}, {left})", right.trim_end_matches(" + 1"));
    }
    match literal.split_once('(') {
        Some((name, rest)) => format!("{name}{number}({rest}"),
        None => literal.to_owned(),
    }
}

/// Worked by hand: `a` and `b` follow each other, so that neither wins; `c` wins by going to `d`, from which no move leads.
const WIN: &str = "win(X) :- move(X, Y) & ~win(Y).
move(a, b). move(b, a). move(b, c). move(c, d).";

#[test]
fn the_shortest_solver_wins_loses_and_draws() {
    for setting in settings() {
        let mut session = Session::of_text(WIN, Syntax::Datalog).expect("sound").with_setting(setting);
        let answers = session.query("win(X)").expect("no limits");
        assert_eq!(answers.to_string(), "X = c\nX = a    undefined\nX = b    undefined\n");
        assert_eq!(session.query("win(d)").expect("no limits").to_string(), "no\n");
        assert_eq!(session.query("win(a)").expect("no limits").to_string(), "undefined\n");
        assert_eq!(session.query("~win(a)").expect("no limits").to_string(), "undefined\n");
        assert_eq!(session.query("~win(d)").expect("no limits").to_string(), "yes\n");
        session.insert("move(a, d)").expect("a fact");
        assert_eq!(session.query("win(X)").expect("no limits").to_string(), "X = a\nX = c\n");
        session.retract("move(a, d)").expect("a fact");
        session.insert("win(b)").expect("a fact");
        assert_eq!(session.query("win(X)").expect("no limits").to_string(), "X = b\nX = c\n");
    }
}

#[test]
fn engines_that_cannot_say_so() {
    for engine in ENGINES.into_iter().filter(|engine| !engine.well_founded) {
        let setting = Setting { engine: engine.clone(), ..Setting::default() };
        let mut session = Session::of_text(WIN, Syntax::Datalog).expect("sound").with_setting(setting);
        let refused = session.query("win(X)").expect_err("it cannot").to_string();
        assert!(refused.contains(engine.name) && refused.contains("semi-naive can"), "{refused}");
    }
}

/// The page's program, and its commands with what they print.
#[test]
fn the_examples_of_the_page_run() {
    let page = include_str!("../docs/well-founded.md");
    let folder = tempfile::tempdir().expect("a folder");
    let blocks = page.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    let mut commands = 0;
    for (language, text) in blocks {
        if language == "dl" {
            std::fs::write(folder.path().join("game.dl"), text).expect("a file");
            continue;
        }
        for example in text.split("$ ludolog ").skip(1) {
            let (line, rest) = example.split_once('\n').expect("a command ends its line");
            let (status, expected) = match rest.strip_prefix("? ") {
                Some(rest) => rest.split_once('\n').expect("a status ends its line"),
                None => ("0", rest),
            };
            let args: Vec<String> = line.split(' ').map(|word| word.replace('\'', "")).collect();
            let output = ludolog(folder.path(), &args);
            assert_eq!((output.0.to_string().as_str(), output.1.trim_end()), (status, expected.trim_end()), "{line}");
            commands += 1;
        }
    }
    assert!(commands >= 6);
}

#[test]
fn facts_tells_how_many_are_undefined() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("game.dl"), WIN).expect("a file");
    let facts = |options: &[&str]| binary::run(folder.path(), &[&["facts", "game.dl"], options].concat(), "");
    let note = "note: 2 facts are undefined, neither true nor false; `facts --undefined` lists them\n";
    assert_eq!(facts(&[]), (0, "win(c).\n".to_owned(), note.to_owned()));
    assert_eq!(facts(&["--undefined"]), (0, "win(a).\nwin(b).\n".to_owned(), String::new()));
    // Of predicates that are not asked for, nothing is told.
    assert_eq!(facts(&["--predicate", "move/2"]).2, "");
}

/// Exit status and standard output.
fn ludolog(folder: &std::path::Path, args: &[String]) -> (i32, String) {
    let (status, told, _) = binary::run(folder, args, "");
    (status, told)
}

/// The goals of both roles under best play; `None` if nobody can force an end.
fn solved(folder: &std::path::Path, game: &str) -> Option<(i64, i64)> {
    let args = ["game", "solve", game, "--format", "json"].map(str::to_owned);
    let (status, text) = ludolog(folder, &args);
    assert_eq!(status, 0, "{text}");
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(found["solved"], true);
    let goals = found["goals"].as_array()?;
    goals[0].as_i64().zip(goals[1].as_i64())
}

#[test]
fn nim_is_as_game_solve_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "heap(N) :- N in 0..5.
        position(A, B, C) :- heap(A) & heap(B) & heap(C).
        move(A, B, C, D, B, C) :- position(A, B, C) & heap(D) & D < A.
        move(A, B, C, A, D, C) :- position(A, B, C) & heap(D) & D < B.
        move(A, B, C, A, B, D) :- position(A, B, C) & heap(D) & D < C.
        win(A, B, C) :- move(A, B, C, D, E, F) & ~win(D, E, F).";
    let mut session = Session::of_text(rules, Syntax::Datalog).expect("sound");
    for (a, b, c) in [(1, 3, 5), (1, 2, 3), (2, 2, 1), (1, 4, 5), (3, 3, 2), (2, 4, 5), (1, 1, 1)] {
        let answer = session.query(&format!("win({a}, {b}, {c})")).expect("no limits");
        assert!(!answer.is_undefined());
        let expected = if answer.holds() { (100, 0) } else { (0, 100) };
        assert_eq!(solved(folder.path(), &format!("nim-{a}-{b}-{c}")), Some(expected), "{a} {b} {c}");
        assert_eq!(answer.holds(), a ^ b ^ c != 0, "{a} {b} {c}");
    }
}

/// Random graphs with cycles: a stone moves along edges, and who cannot move has lost.
#[test]
fn graphs_with_cycles_are_as_game_solve_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "(role red) (role blue) (<= (base (at ?n)) (node ?n)) (<= (base (control ?r)) (role ?r))
        (<= (input ?r (go ?n)) (role ?r) (node ?n)) (<= (input ?r noop) (role ?r))
        (other red blue) (other blue red) (init (at 0)) (init (control red))
        (<= (legal ?r (go ?m)) (true (control ?r)) (true (at ?n)) (edge ?n ?m))
        (<= (legal ?r noop) (role ?r) (not (true (control ?r))))
        (<= (next (at ?m)) (does ?r (go ?m)))
        (<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
        (<= can_move (true (at ?n)) (edge ?n ?m))
        (<= terminal (not can_move))
        (<= (goal ?r 0) (role ?r) (true (control ?r)))
        (<= (goal ?s 100) (true (control ?r)) (other ?r ?s))\n";
    let mut seen = BTreeSet::new();
    for seed in 1..=12 {
        let random = &mut Draw::new(seed * 977);
        let edges: BTreeSet<(usize, usize)> = (0..11).map(|_| (random.below(7), random.below(7))).collect();
        let mut sheet = String::from(rules);
        let mut program = String::from("win(X) :- move(X, Y) & ~win(Y).\n");
        (0..7).for_each(|node| writeln!(sheet, "(node {node})").unwrap());
        for (from, to) in &edges {
            writeln!(sheet, "(edge {from} {to})").unwrap();
            writeln!(program, "move({from}, {to}).").unwrap();
        }
        std::fs::write(folder.path().join("graph.kif"), sheet).expect("a file");
        let mut session = Session::of_text(&program, Syntax::Datalog).expect("sound");
        let answer = session.query("win(0)").expect("no limits");
        let expected = match (answer.holds(), answer.is_undefined()) {
            (true, _) => Some((100, 0)),
            (false, true) => None,
            (false, false) => Some((0, 100)),
        };
        assert_eq!(solved(folder.path(), "graph.kif"), expected, "{edges:?}");
        seen.insert(expected);
    }
    assert_eq!(seen.len(), 3, "all outcomes come up");
}

/// Every line of three cells of a board that is numbered by rows.
const LINES: [[usize; 3]; 8] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// All positions as facts `move(S, T)`: who has let the other one complete a line has no move, and a full board without a line
/// moves to itself. The moves are made here, the values are those of the rulesheet's net.
#[test]
fn every_position_of_tic_tac_toe_is_as_the_solver_says() {
    let mut machine = NetMachine::new(&games::net("std:games/tic-tac-toe.kif"), Budget::unlimited());
    let solution = solve(&machine, NonZero::<usize>::MIN, None, &Budget::unlimited(), &mut |_| {});
    let has_line = |board: &[u8; 9]| {
        LINES.iter().any(|line| board[line[0]] > 0 && line.iter().all(|&cell| board[cell] == board[line[0]]))
    };
    let mut positions = vec![([0; 9], machine.initial_state().clone())];
    let mut numbers = HashMap::from([([0; 9], 0)]);
    let mut program = String::from("win(S) :- move(S, T) & ~win(T).\n");
    let mut number = 0;
    while let Some((board, state)) = positions.get(number).cloned() {
        let marks = board.iter().filter(|&&mark| mark > 0).count();
        if !has_line(&board) && marks == 9 {
            writeln!(program, "move({number}, {number}).").unwrap();
        }
        for cell in (0..9).filter(|&cell| board[cell] == 0 && !has_line(&board)) {
            let mut next = board;
            next[cell] = 1 + (marks % 2) as u8;
            let to = *numbers.entry(next).or_insert_with(|| {
                let place = [cell % 3, cell / 3].map(|coordinate| Term::Integer(coordinate as i64 + 1));
                let mut moves = vec![Term::compound("put", place.into()), Term::symbol("wait")];
                moves.rotate_right(marks % 2);
                let joint = machine.joint_move(&state, &moves).expect("it is legal");
                positions.push((next, machine.next_state(&state, &joint).expect("no limits")));
                positions.len() - 1
            });
            writeln!(program, "move({number}, {to}).").unwrap();
        }
        number += 1;
    }
    let mut session = Session::of_text(&program, Syntax::Datalog).expect("sound");
    let model = derived(&mut session);
    let mut counts = [0; 3];
    for (number, (board, state)) in positions.iter().enumerate() {
        let win = (Predicate::new("win", 1), vec![Term::Integer(number as i64)]);
        let (value, of_mover) = match (model.truths.contains(&win), model.undefined.contains(&win)) {
            (true, _) => (0, 100),
            (false, false) => (1, 0),
            (false, true) => (2, 50),
        };
        counts[value] += 1;
        let cross_moves = board.iter().filter(|&&mark| mark > 0).count() % 2 == 0;
        let of_cross = if cross_moves { of_mover } else { 100 - of_mover };
        let label = solution.label(&machine, state).expect("it can be reached");
        assert_eq!(label.value, Some(of_cross), "{board:?}");
    }
    // The number of positions is a published one.
    assert_eq!(counts.iter().sum::<usize>(), 5478);
    let page = include_str!("../docs/well-founded.md");
    let [won, lost, drawn] = counts;
    assert!(page.contains(&format!("{won} are won, {lost} lost and {drawn} undefined")), "{counts:?}");
}

#[test]
fn aggregates_are_exact_or_an_error() {
    let rules = "win(X) :- move(X, Y) & ~win(Y). wins(N) :- N = count { X : win(X) }. many :- wins(N) & N > 1. move(a, b). move(b, c). move(d, c).";
    let mut session = Session::of_text(rules, Syntax::Datalog).expect("sound");
    assert_eq!(session.query("wins(N)").expect("no limits").to_string(), "N = 2\n");
    assert_eq!(session.query("many").expect("no limits").to_string(), "yes\n");
    session.insert("move(e, e)").expect("a fact");
    let refused = session.query("wins(N)").expect_err("`win(e)` is undefined").to_string();
    assert!(refused.contains("undefined facts of `win/1`"), "{refused}");
    // What does not depend on it is told.
    let answers = session.query("win(X)").expect("nothing aggregates over it").to_string();
    assert_eq!(answers, "X = b\nX = d\nX = e    undefined\n");
    let goal = session.goal("win(b)").expect("a goal");
    assert!(session.why(&goal).expect("no limits").is_some());
    let goal = session.goal("win(a)").expect("a goal");
    assert!(matches!(session.why_not(&goal, 3).expect("no limits"), WhyNot::Refuted(_)));
    let goal = session.goal("win(e)").expect("a goal");
    assert!(matches!(session.why_not(&goal, 3).expect("no limits"), WhyNot::Undefined(Some(_))));
    let goal = session.goal("many").expect("a goal");
    assert!(session.why(&goal).is_err());
}

#[test]
fn an_aggregate_without_a_value_is_told_with_its_place() {
    let files = tempfile::tempdir().expect("a folder");
    let rules = "win(X) :- move(X, Y) & ~win(Y).\nmove(e, e).\nwins(N) :- N = count { X : win(X) }.\n";
    fs::write(files.path().join("r.dl"), rules).expect("a file");
    for command in [&["facts", "r.dl"][..], &["query", "r.dl", "wins(N)"]] {
        let (status, out, told) = run(&files, command, "");
        assert_eq!((status, out.as_str()), (2, ""), "{told}");
        assert!(told.contains("undefined facts of `win/1`") && told.contains("r.dl:3:12"), "{told}");
    }
    let (status, out, told) = run(&files, &["query", "r.dl", "win(X)"], "");
    assert!(out.contains("undefined") && told.is_empty(), "{status} {out} {told}");
}

/// Unfounded sets: `p` and `q` support each other alone; `r` has a negation besides, which is true.
#[test]
fn what_supports_only_itself_is_false() {
    let rules = "p :- q. q :- p. q :- s. r :- ~p. s :- ~r. t :- ~u. u :- ~t. t :- u.";
    for setting in settings() {
        let mut session = Session::of_text(rules, Syntax::Datalog).expect("sound").with_setting(setting);
        let model = derived(&mut session);
        let names =
            |facts: &BTreeSet<Fact>| facts.iter().map(|(p, _)| p.name.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!((names(&model.truths).as_str(), names(&model.undefined).as_str()), ("", "p q r s t u"));
        session.insert("r").expect("a fact");
        session.insert("u").expect("a fact");
        let model = derived(&mut session);
        assert_eq!((names(&model.truths).as_str(), names(&model.undefined).as_str()), ("r t u", ""));
    }
}

/// An undefined answer stays one where an integer that does not fit is met on the way, and depends on it as a true one does.
#[test]
fn undefined_answers_beside_what_does_not_fit() {
    const RULES: &str = "n(9223372036854775807). n(1).
        odd(X, Y) :- n(X) & Y is X + 1 & ~odd(X, Y).";
    for optimization in ["none", "auto"] {
        let mut session = Session::of_text(RULES, Syntax::Datalog).expect("it is accepted");
        let optimization = optimization.parse().expect("an optimization");
        session.set_setting(Setting { optimization, ..Setting::default() });
        let small = session.goal("odd(1, Y)").expect("a goal");
        let solution = session.solve(&small).expect("it does not depend on the sum");
        assert!(!solution.holds() && solution.is_undefined(), "{solution}");
        let all = session.goal("odd(X, Y)").expect("a goal");
        assert!(matches!(session.solve(&all), Err(Stopped::Overflow(_))));
    }
}

/// A predicate without rules and facts that are left is known: each of its rules needs an instance that no rule derives.
#[test]
fn a_predicate_whose_parts_are_all_empty_has_no_answers() {
    for rule in ["p(c, d) :- ~p(c, c) & p(c, b).", "p(e, b) :- p(c, b) & ~p(c, b)."] {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("r.dl"), format!("q(a).\n{rule}\nr(X) :- q(X) & ~p(X, X).\n"))
            .expect("a file");
        let asked = |goal: &str| binary::run(&folder, &["query", "r.dl", goal], "");
        let (status, out, told) = asked("p(X, Y)");
        assert_eq!((status, out.as_str()), (1, "no answers\n"), "{told}");
        let (status, out, told) = asked("r(X)");
        assert_eq!((status, out.as_str()), (0, "X\n───\na\n1 answer\n"), "{told}");
    }
}

/// The range is too large to be evaluated beforehand, the rows of the second rule are not, and there are none.
#[test]
fn empty_instances_are_no_fault_of_grounding() {
    let rules = "l(a, 1).
p(V, W) :- W in (0 - 9223372036854775807)..4 & ~p(U, 2) & p(U, 5) & p(U, U) & p(V, 2).
p(d, 0) :- l(b, _).
";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("r.dl"), rules).expect("a file");
    let (status, out, told) = binary::run(&folder, &["facts", "r.dl"], "");
    assert_eq!((status, out.as_str()), (0, ""), "{told}");
    assert!(!told.contains("faulty"), "{told}");
}

/// No fact depends on the sum that does not fit, and none is undefined.
#[test]
fn undefined_facts_do_not_depend_on_what_does_not_fit() {
    let folder = tempfile::tempdir().expect("a folder");
    let sum = "m(2, 1). p(3) :- m(2, V) & V is 9223372036854775807 + 2.\n";
    let cycle = "w(X) :- m(X, _) & ~l(X). l(X) :- m(X, _) & ~w(X).\n";
    for (rules, expected) in [(sum.to_owned(), ""), (format!("{sum}{cycle}"), "l(2).\nw(2).\n")] {
        std::fs::write(folder.path().join("r.dl"), rules).expect("a file");
        let (status, out, told) = binary::run(&folder, &["facts", "r.dl", "--undefined"], "");
        assert_eq!((status, out.as_str()), (0, expected), "{told}");
    }
}

/// `win(a)` and `win(b)` are undefined, so that `~w(a)` is what makes `p(a)` false.
#[test]
fn undefined_conditions_are_no_held_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let rules = "m(a, b). m(b, a). w(a).\nwin(X) :- m(X, Y) & ~win(Y).\np(X) :- m(X, _) & win(X) & ~w(X).\n";
    std::fs::write(folder.path().join("r.dl"), rules).expect("a file");
    let (_, out, _) = binary::run(&folder, &["why-not", "r.dl", "p(a)"], "");
    let expected = "p(a) does not hold
└─ p(X) :- m(X, _) & win(X) & ~w(X).    r.dl:3    X = a
   ├─ ✓ m(a, b)
   ├─ ? win(a)    undefined
   └─ ✗ ~w(a)    w(a) holds
";
    assert_eq!(out, expected);
    let (_, out, _) = binary::run(&folder, &["why-not", "r.dl", "p(a)", "--format", "json"], "");
    let document: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let rule = &document["denials"][0]["rules"][0];
    assert_eq!(rule["held"], serde_json::json!(["m(a, b)", "win(a)"]));
    assert_eq!(rule["held_undefined"], serde_json::json!(["win(a)"]));
}
