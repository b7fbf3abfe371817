//! Negation through recursion: the well-founded model against its definition, against SWI-Prolog, against solved games, and
//! by hand.

use crate::engines::program;
use crate::oracle::well_founded::{Fact, Model, model};
use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::{ENGINES, Session, Setting};
use ludolog::optimize::{Optimization, PASSES};
use ludolog::syntax::ast::{Atom, Formula, Predicate};
use ludolog::syntax::{self, Syntax};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::num::NonZero;
use std::process::Command;

/// Random numbers, the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        // Xorshift (G. Marsaglia, 2003).
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

const GIVEN: [(&str, usize); 2] = [("n", 1), ("e", 2)];
/// Two groups of predicates, each with negative cycles, and one above them that is stratified.
const GROUPS: [&[(&str, usize)]; 3] = [&[("p", 1), ("q", 1), ("r", 2)], &[("s", 1), ("t", 2)], &[("u", 1), ("v", 2)]];
const CONSTANTS: [&str; 5] = ["1", "2", "3", "a", "f(1)"];
const VARIABLES: [&str; 3] = ["X", "Y", "Z"];

/// A random ground atom.
fn fact(random: &mut Random, (name, arity): (&str, usize)) -> String {
    let args: Vec<&str> = (0..arity).map(|_| random.of(&CONSTANTS)).collect();
    format!("{name}({})", args.join(", "))
}

/// A random body, and the variables that it binds.
fn body(random: &mut Random, group: usize) -> (String, Vec<&'static str>) {
    let below: Vec<_> = GIVEN.into_iter().chain(GROUPS[..group].iter().copied().flatten().copied()).collect();
    let own = GROUPS.get(group).copied().unwrap_or_default();
    let (mut literals, mut bound) = (Vec::new(), Vec::new());
    for place in 0..1 + random.below(2) {
        let positive = if place > 0 && random.below(3) == 0 && !own.is_empty() { own } else { &below };
        let (name, arity) = random.of(positive);
        let arg = |random: &mut Random, bound: &mut Vec<&str>| match random.below(9) {
            0 => random.of(&CONSTANTS).to_owned(),
            kind => {
                let variable = random.of(&VARIABLES);
                bound.push(variable);
                if kind == 1 { format!("f({variable})") } else { variable.to_owned() }
            }
        };
        let args: Vec<String> = (0..arity).map(|_| arg(random, &mut bound)).collect();
        literals.push(format!("{name}({})", args.join(", ")));
    }
    if !bound.is_empty() && random.below(4) == 0 {
        let variable = random.of(&bound);
        match random.below(3) {
            0 => literals.push(format!("{variable} != {}", random.of(&CONSTANTS))),
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
        let (name, arity) = random.of(&negated);
        let arg = |random: &mut Random| match random.below(6) {
            0 => "_".to_owned(),
            1 => random.of(&CONSTANTS).to_owned(),
            2 if !bound.is_empty() => format!("f({})", random.of(&bound)),
            _ if !bound.is_empty() => random.of(&bound).to_owned(),
            _ => random.of(&CONSTANTS).to_owned(),
        };
        let args: Vec<String> = (0..arity).map(|_| arg(random)).collect();
        literals.push(format!("~{name}({})", args.join(", ")));
    }
    (literals.join(" & "), bound)
}

/// A random program; the last predicate is that of a goal, whose body is returned, too.
fn random_program(random: &mut Random) -> (String, String) {
    let mut text = String::new();
    for (group, predicates) in GROUPS.iter().enumerate() {
        for _ in 0..3 + random.below(3) {
            let (name, arity) = random.of(predicates);
            let (body, bound) = body(random, group);
            let arg = |random: &mut Random| if bound.is_empty() { random.of(&CONSTANTS) } else { random.of(&bound) };
            let args: Vec<&str> = (0..arity).map(|_| arg(random)).collect();
            writeln!(text, "{name}({}) :- {body}.", args.join(", ")).unwrap();
        }
        if random.below(3) == 0 {
            writeln!(text, "{}.", fact(random, predicates[0])).unwrap();
        }
    }
    for _ in 0..4 + random.below(6) {
        let given = random.of(&GIVEN);
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
    let undefined = session.undefined_listing(|_| true).expect("no limits").atoms().collect();
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
    for seed in 1..=count(150) {
        let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (text, goal) = random_program(random);
        let program = program(&text);
        // What analysis has split by its constants takes no facts of a case.
        let is_split = analysis::split_predicates(&program.program).contains(&Predicate::new("p", 1));
        let changes: Vec<(bool, Atom)> = (0..6)
            .map(|_| {
                let of = if random.below(3) == 0 && !is_split { ("p", 1) } else { random.of(&GIVEN) };
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
            expected.push(shown(model(&program, as_atoms(&case))));
        }
        with_undefined += u64::from(expected.iter().any(|model| !model.undefined.is_empty()));
        for setting in settings() {
            let how = format!("seed {seed}, {}, {} threads\n{text}", setting.optimization, setting.threads);
            let mut session = Session::of_text(&text, Syntax::Datalog).expect("sound").with_setting(setting);
            assert_eq!(derived(&mut session), expected[0], "{how}");
            let answers = session.query(&goal).expect("no limits");
            let of_goal = |facts: &BTreeSet<Fact>| facts.iter().filter(|(p, _)| &*p.name == "goal").count();
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
    assert!(with_undefined > count(150) / 5, "{with_undefined} programs have undefined facts");
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
    let (mut prolog, mut expected) = (String::from(":- style_check(-singleton).\n"), String::new());
    for number in 1..=1000u64 {
        let (text, _) = random_program(&mut Random((number + 7_000_000).wrapping_mul(0x9E37_79B9_7F4A_7C15)));
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
    let output = Command::new("swipl").args(["-q", "-g", "halt"]).arg(&file).output().expect("swipl runs");
    let sorted = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    let (found, expected) = (sorted(&found), sorted(&expected));
    let (more, less): (Vec<_>, Vec<_>) = (found.difference(&expected).collect(), expected.difference(&found).collect());
    assert!(more.is_empty() && less.is_empty(), "{more:?}\n{less:?}\n{errors}");
}

/// A program as Prolog with tables, its predicates numbered, which prints what is true and what is undefined.
fn in_prolog(number: u64, lines: &[&str]) -> String {
    let mut prolog = String::new();
    for (name, arity) in GIVEN {
        writeln!(prolog, ":- dynamic({name}{number}/{arity}).").unwrap();
    }
    for (name, arity) in GROUPS.concat() {
        writeln!(prolog, ":- table {name}{number}/{arity}. :- dynamic({name}{number}/{arity}).").unwrap();
    }
    for line in lines {
        let mut rule = line.replace(" & ", ", ").replace(" != ", " \\== ");
        for (name, _) in GROUPS.concat().into_iter().chain(GIVEN) {
            rule = rule.replace(&format!("{name}("), &format!("{name}{number}("));
        }
        // Variables of its own stand under a negation; a predicate without them is asked ground.
        let rule = rule.replace('~', "\\+ ").replace("W is", "integer_is W is");
        writeln!(prolog, "{rule}").unwrap();
    }
    for (name, arity) in GROUPS.concat() {
        let args = ["A", "B"][..arity].join(",");
        let call = format!("{name}{number}({args})");
        writeln!(
            prolog,
            ":- forall(call_delays({call}, D), (D == true -> V = true ; V = undefined), print_it({number}, {name}({args}), V))."
        )
        .unwrap();
    }
    prolog
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
    for engine in ENGINES.into_iter().filter(|engine| !engine.capabilities.well_founded) {
        let setting = Setting { engine, ..Setting::default() };
        let mut session = Session::of_text(WIN, Syntax::Datalog).expect("sound").with_setting(setting);
        let refused = session.query("win(X)").expect_err("it cannot").to_string();
        assert!(refused.contains(engine.name) && refused.contains("semi-naive can"), "{refused}");
    }
}
