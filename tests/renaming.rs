//! Names mean nothing: programs, rulesheets, graphs and winning sets whose names are replaced one to one by any texts
//! have the same answers, renamed.
//!
//! Names are replaced in the syntax tree, the tree is printed, and the text is run. So printing, parsing, analysis,
//! passes and engines all meet the names, and none of them is asked what a name means.

use crate::binary::ludolog;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::analysis::{analyze, goal};
use ludolog::certificate::Certificate;
use ludolog::diagnostic::{Sources, render};
use ludolog::engine::{Budget, Case, ENGINES, EngineDescription, SEMI_NAIVE, Session, Setting, WhyNot};
use ludolog::family::games::{GameSources, named};
use ludolog::family::graph::UndirectedGraph;
use ludolog::family::switching::{Switching, TreeCertificate};
use ludolog::files::FileSystem;
use ludolog::formulation::LIBRARY;
use ludolog::game::{Interpreted, StateMachine, StateMachineExt};
use ludolog::optimize::{Optimization, PASSES};
use ludolog::positional::hypergraph::Hypergraph;
use ludolog::positional::position::Position;
use ludolog::propnet::{GroundGame, Net, NetMachine};
use ludolog::syntax::ast::{
    Aggregate, Atom, Comparison, Effect, Formula, Item, Join, Lattice, Name, Operation, Predicate, Program, Query,
    Range, Rule, Statement, Term, Transition,
};
use ludolog::syntax::budget::ThreadClock;
use ludolog::syntax::{self, Syntax, print, print_atom};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

/// Texts that are something else in one of the surfaces, or look like what the pipeline makes.
const TEXTS: [&str; 96] = [
    "",
    " ",
    "New York",
    " a",
    "it's",
    "'",
    "''",
    "\"",
    "\"a\"",
    "|",
    "||",
    "|a|",
    "\\",
    "\\n",
    "\\u{41}",
    "(",
    ")",
    "()",
    "m) (terminal) (x",
    "a) :- b(",
    "A",
    "a",
    "Á",
    "á",
    "ß",
    "SS",
    "İ",
    "i̇",
    "ǆ",
    "日本",
    "e\u{301}",
    "\u{e9}",
    "\u{feff}",
    "\u{202e}",
    "\u{1f600}",
    "\u{0}",
    "\n",
    "\t",
    "\r",
    "\u{a0}",
    "\u{7f}",
    "@",
    "a@1",
    "p@bf",
    "demand@p@bf",
    "count@1",
    "query@1",
    "goal@_,100",
    "p@split1",
    "p@closure",
    "p@base",
    "p@step",
    "answer@",
    "asked@",
    "fired@",
    "part@7",
    "some@1@2",
    "instance@0",
    "not",
    "and",
    "or",
    "distinct",
    "is",
    "mod",
    "in",
    "count",
    "include",
    "input",
    "output",
    "allow",
    "<=",
    "==>",
    "?-",
    ":-",
    "->",
    "=",
    "!=",
    "<",
    "..",
    ":",
    ".",
    ",",
    ";",
    "%",
    "#",
    "//",
    "/*",
    "?",
    "?x",
    "X",
    "x1",
    "c0",
    "1",
    "-1",
    "01",
    "1.5",
];

/// Names that mean something: they stay, and nothing else gets them.
const CONSTANTS: [&str; 3] = ["nil", "cons", "random"];
const OPERATIONS: [&str; 27] = [
    "+",
    "-",
    "*",
    "/",
    "mod",
    "min",
    "max",
    "abs",
    "length",
    "cat",
    "substring",
    "power",
    "band",
    "bor",
    "bxor",
    "bnot",
    "bshl",
    "bshr",
    "to_number",
    "to_string",
    "to_float",
    "floor",
    "ceiling",
    "round",
    "sqrt",
    "exp",
    "log",
];
const PREDICATES: [&str; 3] = ["member", "matches", "role"];
const KEYWORDS: [&str; 13] =
    ["role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "member", "matches"];

/// What reads the text of a constant: a program with it may have other answers by other names.
const READERS: [&str; 7] = ["length(", "cat(", "substring(", "to_number(", "to_string(", "to_float(", "matches("];

/// So many cases, or as many as `LUDOLOG_RANDOM` says.
fn cases(usual: u32) -> ProptestConfig {
    let cases = crate::random::long_run().unwrap_or(usual);
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof![
        8 => select(&TEXTS[..]).prop_map(str::to_owned),
        2 => any::<String>(),
        1 => "[a-c()|'@ ]{1,4}",
        1 => (9_990..10_010_usize).prop_map(|length| "n".repeat(length)),
    ];
    proptest::collection::vec(text, 24..60)
}

/// New names for the predicates, for constants and functors, and for variables.
#[derive(Default)]
struct Renaming {
    predicates: HashMap<Name, Name>,
    constants: HashMap<Name, Name>,
    variables: HashMap<Name, Name>,
}

impl Renaming {
    /// New names for all that a program mentions: the texts in turn, each as often as it is legal and free.
    fn of(program: &Program, texts: &[String], keeps: &[&str]) -> Renaming {
        let mut all = Renaming::default();
        let [mut predicates, mut constants, mut variables]: [BTreeSet<Name>; 3] = Default::default();
        // A renaming that notes the names, and changes none.
        let mut note = Notes { predicates: &mut predicates, constants: &mut constants, variables: &mut variables };
        map_program(program, &mut note);
        let kept: Vec<&str> = CONSTANTS.into_iter().chain(OPERATIONS).collect();
        let mut texts = texts.iter().cycle();
        choose(&mut all.predicates, predicates, &mut texts, &|name| keeps.contains(&name));
        choose(&mut all.constants, constants, &mut texts, &|name| kept.contains(&name));
        // A variable that begins with `_` is anonymous.
        choose(&mut all.variables, variables, &mut texts, &|name| name.starts_with('_'));
        all
    }
}

/// Gives each name a text of its own, unless the name is `fixed`, which no text of another may be.
fn choose<'t>(
    chosen: &mut HashMap<Name, Name>,
    names: BTreeSet<Name>,
    texts: &mut impl Iterator<Item = &'t String>,
    is_fixed: &dyn Fn(&str) -> bool,
) {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for name in names.into_iter().filter(|name| !is_fixed(name)) {
        let mut text = texts.next().expect("the texts go round").clone();
        while is_fixed(&text) || !taken.insert(text.clone()) {
            text.insert(0, '~');
        }
        chosen.insert(name, text.into());
    }
}

/// A change of names.
pub trait Names {
    fn predicate(&mut self, name: &Name) -> Name;
    fn constant(&mut self, name: &Name) -> Name;
    fn variable(&mut self, name: &Name) -> Name;
}

impl Names for &Renaming {
    fn predicate(&mut self, name: &Name) -> Name {
        self.predicates.get(name).unwrap_or(name).clone()
    }

    fn constant(&mut self, name: &Name) -> Name {
        self.constants.get(name).unwrap_or(name).clone()
    }

    fn variable(&mut self, name: &Name) -> Name {
        self.variables.get(name).unwrap_or(name).clone()
    }
}

struct Notes<'n> {
    predicates: &'n mut BTreeSet<Name>,
    constants: &'n mut BTreeSet<Name>,
    variables: &'n mut BTreeSet<Name>,
}

impl Names for Notes<'_> {
    fn predicate(&mut self, name: &Name) -> Name {
        self.predicates.insert(name.clone());
        name.clone()
    }

    fn constant(&mut self, name: &Name) -> Name {
        self.constants.insert(name.clone());
        name.clone()
    }

    fn variable(&mut self, name: &Name) -> Name {
        self.variables.insert(name.clone());
        name.clone()
    }
}

fn map_term(term: &Term, names: &mut impl Names) -> Term {
    match term {
        Term::Variable(name) => Term::Variable(names.variable(name)),
        Term::Integer(_) | Term::Float(_) => term.clone(),
        Term::Symbol(name) => Term::Symbol(names.constant(name)),
        Term::Compound(name, args) => {
            let functor = match Operation::of(name, args.len()) {
                Some(_) => name.clone(),
                None => names.constant(name),
            };
            Term::Compound(functor, map_terms(args, names))
        }
    }
}

fn map_terms(terms: &[Term], names: &mut impl Names) -> Vec<Term> {
    terms.iter().map(|term| map_term(term, names)).collect()
}

/// The atom with its names changed.
pub fn map_atom(atom: &Atom, names: &mut impl Names) -> Atom {
    let name = names.predicate(&atom.predicate.written().expect("it is of a text").into());
    Atom::new(&name, map_terms(&atom.args, names))
}

fn map_formulas(formulas: &[Formula], names: &mut impl Names) -> Vec<Formula> {
    formulas.iter().map(|formula| map_formula(formula, names)).collect()
}

fn map_formula(formula: &Formula, names: &mut impl Names) -> Formula {
    match formula {
        Formula::Atom(atom) => Formula::Atom(map_atom(atom, names)),
        Formula::Compare(c) => Formula::Compare(Comparison {
            left: map_term(&c.left, names),
            right: map_term(&c.right, names),
            ..c.clone()
        }),
        Formula::Range(range) => {
            let [element, from, to] = [&range.element, &range.from, &range.to].map(|term| map_term(term, names));
            Formula::Range(Range { element, from, to, span: range.span })
        }
        Formula::Aggregate(aggregate) => Formula::Aggregate(Aggregate {
            result: map_term(&aggregate.result, names),
            template: map_terms(&aggregate.template, names),
            body: map_formulas(&aggregate.body, names),
            ..aggregate.clone()
        }),
        Formula::Not(inner) => Formula::Not(Box::new(map_formula(inner, names))),
        Formula::And(list) => Formula::And(map_formulas(list, names)),
        Formula::Or(list) => Formula::Or(map_formulas(list, names)),
    }
}

fn map_lattice(lattice: &Lattice, names: &mut impl Names) -> Lattice {
    let join = match &lattice.join {
        Join::Order(order) => Join::by(map_atom(order, names).predicate.text().into(), order.span),
        join => join.clone(),
    };
    Lattice { join, ..*lattice }
}

/// The program with its names changed.
pub fn map_program(program: &Program, names: &mut impl Names) -> Program {
    let items = program.items.iter().map(|item| {
        let statement = match &item.statement {
            Statement::Rule(rule) => Statement::Rule(Rule {
                head: map_atom(&rule.head, names),
                body: map_formulas(&rule.body, names),
                lattice: rule.lattice.as_ref().map(|lattice| map_lattice(lattice, names)),
            }),
            Statement::Transition(transition) => Statement::Transition(Transition {
                conditions: map_formulas(&transition.conditions, names),
                effects: transition
                    .effects
                    .iter()
                    .map(|effect| match effect {
                        Effect::Add(atom) => Effect::Add(map_atom(atom, names)),
                        Effect::Delete(atom) => Effect::Delete(map_atom(atom, names)),
                    })
                    .collect(),
            }),
            Statement::Query(query) => Statement::Query(Query { body: map_formulas(&query.body, names) }),
            Statement::Constraint(query) => Statement::Constraint(Query { body: map_formulas(&query.body, names) }),
            other => other.clone(),
        };
        Item { statement, ..item.clone() }
    });
    Program { items: items.collect(), ..Program::default() }
}

/// Parses a text.
pub fn read(text: &str, syntax: Syntax) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("renamed", text);
    let parsed = syntax::parse(source, &sources, syntax).into_result();
    parsed.unwrap_or_else(|found| panic!("{text}\n{}", render::to_text(&found, &sources, false)))
}

/// The program renamed, as it is read from its text.
fn renamed(program: &Program, renaming: &Renaming, syntax: Syntax) -> Program {
    let expected = map_program(program, &mut &*renaming);
    let text = print(&expected, syntax);
    let found = read(&text, syntax);
    assert!(
        found.items.iter().map(|item| &item.statement).eq(expected.items.iter().map(|item| &item.statement)),
        "{text}"
    );
    found
}

fn stratified(program: &Program) -> StratifiedProgram {
    let found = analyze(program);
    found.unwrap_or_else(|found| panic!("{}\n{found:?}", print(program, Syntax::Datalog))).stratified
}

/// Facts in an order that can be compared.
type Model = BTreeSet<(Predicate, Vec<Term>)>;

fn model(facts: impl IntoIterator<Item = Atom>) -> Model {
    facts.into_iter().map(|fact| (fact.signature(), fact.args)).collect()
}

/// A way to run a program.
type Way = (&'static EngineDescription, Optimization);

/// Each engine with the program as written and under `auto`.
fn usual_ways() -> Vec<Way> {
    let selections = [Optimization::None, Optimization::Auto];
    ENGINES.iter().flat_map(|engine| selections.clone().map(|optimization| (*engine, optimization))).collect()
}

/// The usual ways, each engine under all passes, and semi-naive under each pass alone.
fn all_ways() -> Vec<Way> {
    let all = ENGINES.iter().map(|engine| (*engine, Optimization::Passes(PASSES.to_vec())));
    let alone = PASSES.iter().map(|pass| (&SEMI_NAIVE, Optimization::Passes(vec![*pass])));
    usual_ways().into_iter().chain(all).chain(alone).collect()
}

/// The time of a run, and that of one that has to end because another one has: names cost time, too. It is that of the
/// thread, so that a busy machine changes nothing.
const TIMES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(120)];

fn session(program: &Program, facts: &[Atom], events: &[Atom], (engine, optimization): Way, time: Duration) -> Session {
    let mut sources = Sources::new();
    sources.add("renamed", "");
    let case = Case { events: events.to_vec(), ..Case::of_facts(facts.iter().cloned()) };
    let setting = Setting { engine: engine.clone(), optimization, ..Setting::default() };
    let budget = Budget::unlimited().with_clock(Arc::new(ThreadClock)).with_time(time).with_max_facts(50_000);
    let analyzed = analyze(program).unwrap_or_else(|found| panic!("{}\n{found:?}", print(program, Syntax::Datalog)));
    Session::new(analyzed, sources).with_case(case).with_setting(setting).with_budget(budget)
}

/// The facts of a run that ends within its limits.
fn facts(program: &Program, facts: &[Atom], events: &[Atom], way: Way, time: Duration) -> Option<Model> {
    let (found, stopped) = session(program, facts, events, way, time).facts(|_| true).ok()?;
    stopped.is_none().then(|| model(found))
}

/// That a program, renamed, has its facts renamed in every way, answers its queries, and explains what holds and what
/// does not.
fn same_answers(
    program: &Program,
    (given, events): (&[Atom], &[Atom]),
    ways: Vec<Way>,
    texts: &[String],
    syntax: Syntax,
) {
    let renaming = Renaming::of(program, texts, &PREDICATES);
    let other = renamed(program, &renaming, syntax);
    let map = |atoms: &[Atom]| -> Vec<Atom> { atoms.iter().map(|atom| map_atom(atom, &mut &renaming)).collect() };
    let other_given = map(given);
    let other_events = map(events);
    let text = || print(&other, syntax);
    for way in ways {
        let Some(found) = facts(program, given, events, way.clone(), TIMES[0]) else { continue };
        let atoms = found.iter().map(|(predicate, args)| Atom::new(&predicate.name, args.clone()));
        let expected = model(map(&atoms.collect::<Vec<_>>()));
        let renamed = facts(&other, &other_given, &other_events, way.clone(), TIMES[1]);
        let told = format!("{} under {}", way.0.name, way.1);
        let renamed = renamed.unwrap_or_else(|| panic!("{told} stopped\n{}", text()));
        assert!(renamed == expected, "{told}: {renamed:?}, not {expected:?}\n{}", text());
        if way.1 == Optimization::None || way.1 == Optimization::Auto {
            same_queries(program, &other, &renaming, (given, &other_given), (events, &other_events), way.clone());
        }
        if way.0.make_recording.is_some() && way.1 == Optimization::Auto {
            let mut session = session(&other, &other_given, &other_events, way, TIMES[1]);
            explained(&mut session, &expected, syntax);
        }
    }
}

fn same_queries(
    program: &Program,
    other: &Program,
    renaming: &Renaming,
    (given, other_given): (&[Atom], &[Atom]),
    (events, other_events): (&[Atom], &[Atom]),
    way: Way,
) {
    let mut before = session(program, given, events, way.clone(), TIMES[0]);
    let mut after = session(other, other_given, other_events, way, TIMES[1]);
    let queries = |session: &Session| session.program().program.queries.clone();
    for (goal, other) in queries(&before).iter().zip(queries(&after)) {
        let (Ok(found), Ok(renamed)) = (before.solve(goal), after.solve(&other)) else { continue };
        if found.stopped.is_some() || renamed.stopped.is_some() {
            continue;
        }
        let rows: BTreeSet<Vec<Term>> = found.answers().map(|row| map_terms(&row, &mut &*renaming)).collect();
        assert_eq!(renamed.answers().collect::<BTreeSet<_>>(), rows, "{goal:?}");
    }
}

/// That facts are explained by facts, and what does not hold by its rules; both asked for by their texts.
fn explained(session: &mut Session, holds: &Model, syntax: Syntax) {
    for (number, (predicate, args)) in holds.iter().enumerate().filter(|(number, _)| number % 7 == 0) {
        let fact = Atom::new(&predicate.name, args.clone());
        let goal = of_text(session, &fact, syntax);
        let derivation = session.why(&goal).expect("there is time").unwrap_or_else(|| panic!("{fact} holds"));
        let premises = derivation.inferences.iter().map(|inference| &inference.fact);
        let premises = premises.filter(|fact| !fact.signature().is_auxiliary());
        assert!(model(premises.clone().cloned()).is_subset(holds), "{number}: {derivation:?}");
        assert_eq!(premises.into_iter().next(), Some(&fact));
        let absent = Atom { args: args.iter().map(|_| Term::symbol("no such constant")).collect(), ..fact };
        if !holds.contains(&(predicate.clone(), absent.args.clone())) {
            let goal = of_text(session, &absent, syntax);
            let told = session.why_not(&goal, 2).expect("there is time");
            assert!(matches!(told, WhyNot::Refuted(_)), "{absent} does not hold: {told:?}");
        }
    }
}

/// A goal as users ask it.
fn of_text(session: &Session, atom: &Atom, syntax: Syntax) -> ludolog::analysis::clause::Goal {
    let text = print_atom(atom, syntax);
    let mut sources = Sources::new();
    let query = syntax::parse_goal(&text, &mut sources, Some(syntax));
    let query = query.unwrap_or_else(|found| panic!("{text}: {}", render::to_text(&found, &sources, false)));
    goal(&query, session.program(), &session.case().predicates()).unwrap_or_else(|found| panic!("{text}: {found:?}"))
}

/// The standard output of a command that succeeds, in a folder with these files.
fn told(files: &[(&str, &str)], arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("it can be written");
    }
    let output = ludolog(&folder, arguments).output();
    let output = output.expect("it runs");
    let [told, wrong] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"));
    assert!(output.status.success() && wrong.is_empty(), "{arguments:?}: {told}{wrong}");
    told
}

/// The answers to a goal, one a line.
fn answers(rules: &str, goal: &str, optimize: &str) -> String {
    let optimization = optimize.parse().expect("an optimization");
    let session = Session::of_text(rules, Syntax::Datalog).unwrap_or_else(|wrong| panic!("{wrong}"));
    let mut session = session.with_setting(Setting { optimization, ..Setting::default() });
    session.query(goal).unwrap_or_else(|wrong| panic!("{wrong}")).to_string()
}

#[test]
fn names_like_those_that_passes_make_are_ordinary_names() {
    let rules = "p(a). p(b). 'count@1'(v). 'count@1'(w). 'count@1'(x). 'p@bf'(1, 2). 'query@1'(q). 'demand@q@bf'(2).
        many(N) :- N = count { X : p(X) }.
        q(X, Y) :- 'p@bf'(X, Y) & ~'demand@q@bf'(X).
        'answer@'(X) :- p(X). 'fired@'(X) :- 'answer@'(X). 'split@split1'(X) :- 'fired@'(X).\n";
    for optimize in ["none", "auto"] {
        assert_eq!(answers(rules, "many(N)", optimize), "N = 2\n");
        assert_eq!(answers(rules, "'count@1'(X)", optimize), "X = v\nX = w\nX = x\n");
        assert_eq!(answers(rules, "'p@bf'(1, X)", optimize), "X = 2\n");
        assert_eq!(answers(rules, "'split@split1'(X)", optimize), "X = a\nX = b\n");
        assert_eq!(answers(rules, "q(1, X)", optimize), "X = 2\n");
        let facts = told(&[("rules.dl", rules)], &["facts", "rules.dl", "--all", "--optimize", optimize]);
        for fact in ["'count@1'(v).", "'p@bf'(1, 2).", "'query@1'(q).", "'fired@'(a).", "many(2).", "q(1, 2)."] {
            assert!(facts.lines().any(|line| line == fact), "{fact}: {facts}");
        }
        assert_eq!(facts.lines().filter(|line| !line.is_empty()).count(), 16, "{facts}");
    }
}

/// The example of the reference, in both surfaces.
#[test]
fn the_names_of_the_reference_derive_what_it_says() {
    let section = include_str!("../docs/language.md").split("\n## ").find(|section| section.starts_with("Names"));
    let blocks: Vec<&str> = section.expect("a section on names").split("```").skip(1).step_by(2).collect();
    let [dl, kif, expected] = blocks[..] else { panic!("{blocks:?}") };
    let files = [("a.dl", dl.strip_prefix("dl").expect("infix")), ("a.kif", kif.strip_prefix("kif").expect("prefix"))];
    for file in ["a.dl", "a.kif"] {
        let facts = told(&files, &["facts", file, "--format", "dl"]);
        assert_eq!(facts, expected.strip_prefix("text\n").expect("facts"), "{file}");
    }
}

#[test]
fn a_table_may_have_any_name() {
    let table = ("log@web1.csv", "10:00,index\n10:05,about\n");
    let files = [table, ("rules.dl", "page(P) :- 'log@web1'(_, P).\n:- output('log@web1').\n")];
    let with = |arguments: &[&str]| told(&files, &[arguments, &["--facts", "log@web1.csv"]].concat());
    let found = with(&["query", "rules.dl", "'log@web1'(T, index)", "--format", "csv"]);
    assert_eq!(found, "T\n'10:00'\n");
    let facts = "'log@web1'('10:00', index).\n'log@web1'('10:05', about).\n";
    assert_eq!(with(&["facts", "rules.dl"]), facts);
    assert_eq!(with(&["facts", "rules.dl", "--predicate", "log@web1/2"]), facts);
    let named = [table, ("rules.dl", ":- input('log@web1', 'log@web1.csv').\npage(P) :- 'log@web1'(_, P).\n")];
    assert_eq!(told(&named, &["facts", "rules.dl"]), "page(about).\npage(index).\n");
}

/// Variables of the user that are named as those that aggregates make up.
#[test]
fn variables_like_those_that_passes_make_are_ordinary_variables() {
    let rules = "d(1). d(2).
        n(?'count@1_0') :- d(?'count@1_0') & ?'count@1_0' + 1 = count { X : d(X) }.
        m(?'sum@2_1', S) :- d(?'sum@2_1') & S = sum { X * ?'sum@2_1' : d(X) }.\n";
    assert_eq!(answers(rules, "n(X)", "auto"), "X = 1\n");
    assert_eq!(answers(rules, "m(X, S)", "auto"), "X = 1, S = 3\nX = 2, S = 6\n");
}

/// What a disjunction of a lower stratum becomes is no part of a predicate that is split by constants.
#[test]
fn splitting_keeps_what_reads_a_long_disjunction() {
    let either = |i: usize| format!("(a{i}(X) | b{i}(X))");
    let body = (0..12).map(either).collect::<Vec<_>>().join(" & ");
    let facts: String = (0..12).map(|i| format!("a{i}(1). b{i}(2). ")).collect();
    let rules = format!("{facts}\nv(X, yes) :- {body}.\nv(X, no) :- b0(X) & ~v(X, yes).\nv(3, no).\n");
    assert_eq!(answers(&rules, "v(X, V)", "none"), "X = 1, V = yes\nX = 2, V = yes\nX = 3, V = no\n");
}

/// Aggregates, a closure and its reverse, parts of bodies that are projected, demand, a cycle that constants break, a
/// disjunction under a negation, lists, functions, and anonymous variables.
const RULES: &str = "
    node(X) :- edge(X, Y) | edge(Y, X).
    path(X, Y) :- edge(X, Y).  path(X, Z) :- path(X, Y) & edge(Y, Z).
    back(X, Y) :- edge(X, Y).  back(X, Z) :- edge(X, Y) & back(Y, Z).
    degree(X, N) :- node(X) & N = count { Y : edge(X, Y) }.
    total(N) :- N = sum { D, X : degree(X, D) }.
    far(X, W) :- edge(X, Y) & edge(Y, Z) & edge(Z, W) & X != W & ~edge(X, W).
    value(X, best) :- node(X) & ~edge(X, _).
    value(X, worst) :- node(X) & ~value(X, best).
    value(X, none) :- held(X, C) & color(C) & ~value(X, best).
    pair(f(X, Y)) :- edge(X, Y) & ~(edge(Y, X) | X = Y).
    first(X) :- l(L) & member(X, L).
    alone(X) :- node(X) & ~path(_, X).
    step(N) :- N in 1..3 & M is N * 2 & M > 2.
    go(X) & edge(X, Y) ==> ~edge(X, Y) & seen(Y).
    color(red). color(best). l([a, red, f(b, c)]). held(a, red). held(c, worst).
    edge(a, b). edge(b, c). edge(c, a). edge(c, d). edge(d, 'the end').
    ?- path(a, X). ?- back(X, d). ?- far(X, Y) & ~alone(X). ?- (path(X, b) | alone(X)). ?- value(a, X).
    ?- N = count { X, Y : path(X, Y) }. ?- pair(f(X, b)).";

proptest! {
    #![proptest_config(cases(8))]

    #[test]
    fn a_program_has_the_same_answers_by_other_names(texts in texts(), kif in any::<bool>()) {
        let syntax = if kif { Syntax::Kif } else { Syntax::Datalog };
        let events = [Atom::new("go", vec![Term::symbol("c")])];
        let given = [Atom::new("edge", vec![Term::symbol("e"), Term::symbol("a")])];
        same_answers(&read(RULES, Syntax::Datalog), (&given, &events), all_ways(), &texts, syntax);
    }

    #[test]
    fn random_programs_have_the_same_answers_by_other_names(
        case in crate::random::case(), texts in texts(), kif in any::<bool>()
    ) {
        prop_assume!(!READERS.iter().any(|reader| case.text.contains(reader)));
        let syntax = if kif { Syntax::Kif } else { Syntax::Datalog };
        let atoms = |texts: &[String]| -> Vec<Atom> { texts.iter().map(|text| text.parse().expect("an atom")).collect() };
        let given = atoms(&case.insertions.concat());
        let events = atoms(&case.events);
        same_answers(&read(&case.text, Syntax::Datalog), (&given, &events), usual_ways(), &texts, syntax);
    }
}

/// The rules of a shipped game.
fn rulesheet(name: &str) -> Program {
    let mut sources = Sources::new();
    syntax::load(&LIBRARY.with(FileSystem), &[name], None, &mut sources).expect("it loads").program
}

/// That two machines of the same game under different names agree along random play.
fn same_play(
    one: &mut dyn StateMachine,
    other: &mut dyn StateMachine,
    renaming: &Renaming,
    choices: &mut impl Iterator<Item = usize>,
) {
    let map = |terms: &[Term]| -> BTreeSet<Term> { map_terms(terms, &mut &*renaming).into_iter().collect() };
    // Derived roles are in the order of their terms, so that those of two machines are matched by name.
    let [roles, others] = [one.roles().to_vec(), other.roles().to_vec()];
    assert_eq!(map(&roles), others.iter().cloned().collect());
    let mut state = one.initial_state().clone();
    let mut renamed = other.initial_state().clone();
    for _ in 0..100 {
        assert_eq!(map(&one.facts(&state)), other.facts(&renamed).into_iter().collect());
        let ended = one.is_terminal(&state).expect("there is no limit");
        assert_eq!(ended, other.is_terminal(&renamed).expect("there is no limit"));
        let goals = |machine: &mut dyn StateMachine, state: &_| -> Vec<Option<i64>> {
            machine.all_goals(std::slice::from_ref(state)).expect("there is no limit").swap_remove(0).to_vec()
        };
        let left = goals(one, &state);
        let right = goals(other, &renamed);
        let place = |role: &Term| others.iter().position(|other| *other == map_term(role, &mut &*renaming));
        let in_order: Vec<Option<i64>> = roles.iter().map(|role| right[place(role).expect("a role")]).collect();
        assert_eq!(left, in_order);
        if ended {
            return;
        }
        let (legal, other_legal) = (
            one.legal_terms(&state).expect("there is no limit"),
            other.legal_terms(&renamed).expect("there is no limit"),
        );
        let mut joint = Vec::new();
        let mut other_joint = vec![Term::Integer(0); others.len()];
        for (role, moves) in &legal {
            let at = place(role).expect("a role");
            assert_eq!(map(moves), other_legal[at].1.iter().cloned().collect());
            let Some(made) = moves.get(choices.next().expect("choices go round") % moves.len().max(1)) else { return };
            other_joint[at] = map_term(made, &mut &*renaming);
            joint.push(made.clone());
        }
        let joint = one.joint_move(&state, &joint).expect("it is legal");
        state = one.next_state(&state, &joint).expect("there is no limit");
        let joint = other.joint_move(&renamed, &other_joint).expect("it is legal");
        renamed = other.next_state(&renamed, &joint).expect("there is no limit");
    }
}

/// Moves at once, roles of two kinds, goals that deny each other, and a rule whose instances are projected.
const SHEET: &str = "
    (role left) (role right) (init (pile 3)) (init (open gate))
    (less 3 2) (less 2 1) (less 1 0)
    (<= (legal ?r (take ?n)) (role ?r) (true (pile ?m)) (less ?m ?n))
    (<= (legal ?r wait) (role ?r))
    (<= (next (pile ?n)) (does ?r (take ?n)) (not (blocked ?r)))
    (<= (next (pile ?n)) (true (pile ?n)) (does left wait) (does right wait))
    (<= (next (pile 0)) (does left wait) (does right (take ?n)) (blocked right))
    (<= (next (open gate)) (true (open ?g)) (does left (take ?n)))
    (<= (blocked right) (does left (take ?n)) (does right (take ?m)))
    (<= over (true (pile 0)))
    (<= over (not (some)))
    (<= (some) (true (pile ?n)) (less ?n ?m))
    (<= terminal over)
    (<= (goal ?r 100) (role ?r) over (true (open gate)) (distinct ?r right))
    (<= (goal ?r 0) (role ?r) (not (goal ?r 100)))";

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn a_game_is_the_same_by_other_names(
        which in 0..4_usize, texts in texts(), kif in any::<bool>(),
        choices in proptest::collection::vec(any::<usize>(), 40)
    ) {
        let program = match which {
            0 => read(SHEET, Syntax::Kif),
            1 => rulesheet("std:games/tic-tac-toe.kif"),
            2 => rulesheet("std:games/nim.kif"),
            _ => rulesheet("std:games/goofspiel-4.kif"),
        };
        let renaming = Renaming::of(&program, &texts, &KEYWORDS);
        let other = renamed(&program, &renaming, if kif { Syntax::Kif } else { Syntax::Datalog });
        let [program, other] = [stratified(&program), stratified(&other)];
        let unlimited = Budget::unlimited;
        let rules = |program| Interpreted::new(program, unlimited()).expect("the game starts");
        let net = |program| {
            let ground = GroundGame::new(program, &unlimited()).expect("it grounds");
            NetMachine::new(&Arc::new(Net::new(&ground, &unlimited()).expect("it has a net")), unlimited())
        };
        let mut choices = choices.iter().copied().cycle();
        same_play(&mut rules(&program), &mut rules(&other), &renaming, &mut choices);
        same_play(&mut rules(&program), &mut net(&other), &renaming, &mut choices);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    /// The winner on a graph, by trees and by all play, and proofs written and read.
    #[test]
    fn a_graph_has_the_same_winner_by_other_names(
        pairs in proptest::collection::vec((0..5_usize, 0..5_usize), 4..8), named in any::<bool>(), texts in texts()
    ) {
        let pairs: BTreeSet<(usize, usize)> =
            pairs.into_iter().map(|(a, b)| (a.min(b), a.max(b))).filter(|(a, b)| a != b).collect();
        let node = |number: usize| Term::symbol(&format!("n{number}"));
        let edge = |(number, &(from, to)): (usize, &(usize, usize))| {
            let name = named.then(|| Term::symbol(&format!("e{number}")));
            Atom::new("edge", name.into_iter().chain([node(from), node(to)]).collect())
        };
        let mut facts: Vec<Atom> = pairs.iter().enumerate().map(edge).collect();
        facts.extend((0..5).map(|number| Atom::new("node", vec![node(number)])));
        facts.extend([("source", 0), ("target", 4)].map(|(name, number)| Atom::new(name, vec![node(number)])));
        let program = Program { items: facts.into_iter().map(Item::fact).collect(), ..Program::default() };
        let renaming = Renaming::of(&program, &texts, &["node", "edge", "source", "target"]);
        let other = renamed(&program, &renaming, Syntax::Datalog);
        let [(short, game), (other_short, other_game)] = [&program, &other].map(|program| {
            let facts: Vec<Atom> = program.items.iter().filter_map(|item| match &item.statement {
                Statement::Rule(rule) => Some(rule.head.clone()),
                _ => None,
            }).collect();
            let graph = UndirectedGraph::of_facts(&facts).unwrap_or_else(|found| panic!("{found:?}\n{}", print(program, Syntax::Datalog)));
            let game = Switching::of_graph(&graph).expect("source and target are two");
            (game.outcome(), game)
        });
        prop_assert_eq!(short, other_short);
        for (game, begins) in [(&game, false), (&game, true), (&other_game, false), (&other_game, true)] {
            let Some(trees) = game.trees(begins) else { continue };
            let certificate = TreeCertificate { game: game.clone(), trees };
            let read = TreeCertificate::accept(certificate.to_text().as_bytes()).expect("it is a certificate");
            prop_assert_eq!(read.edges_of_trees(), certificate.edges_of_trees());
        }
    }

    /// The rulesheets of winning sets, which are facts of the points, whose integers are integers.
    #[test]
    fn winning_sets_have_the_same_rules_by_other_names(
        sets in proptest::collection::vec(proptest::collection::btree_set(0..6_u16, 1..4), 1..6), texts in texts()
    ) {
        let names: BTreeSet<Name> = (0..6).map(|number| format!("p{number}").into()).collect();
        let mut renaming = Renaming::default();
        let is_fixed = |name: &str| syntax::is_integer(name);
        choose(&mut renaming.constants, names.clone(), &mut texts.iter().cycle(), &is_fixed);
        let renamed: Vec<Name> = names.iter().map(|name| renaming.constants[name].clone()).collect();
        for game in ["in-a-row", "set-coloring"] {
            let GameSources::Sets(make) = named(game).expect("a game").given else { panic!("{game} takes winning sets") };
            let rules = |names: &[Name]| {
                let names = names.iter().map(ToString::to_string).collect();
                let sets = sets.iter().map(|set| set.iter().copied().map(Into::into).collect());
                let game = Hypergraph::new(names, sets.collect()).expect("the sets are sound");
                read(&make(&Position::new(game)).expect("it is small"), Syntax::Kif)
            };
            let expected = map_program(&rules(&names.iter().cloned().collect::<Vec<_>>()), &mut &renaming);
            let found = rules(&renamed);
            prop_assert_eq!(found.items.len(), expected.items.len());
            for (found, expected) in found.items.iter().zip(&expected.items) {
                prop_assert_eq!(&found.statement, &expected.statement);
            }
        }
    }
}
