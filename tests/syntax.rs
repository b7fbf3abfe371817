//! The two syntaxes: what is printed reads back the same, in either; what is wrong is said.

use ludolog::diagnostic::{Code, Sources, render};
use ludolog::engine::Budget;
use ludolog::files::FileSystem;
use ludolog::syntax::ast::*;
use ludolog::syntax::{self, Files, Syntax, Unreadable};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Parses a text that must be sound.
fn parse(text: &str, syntax: Syntax) -> Program {
    let mut sources = Sources::new();
    let source = sources.add("text", text);
    let parsed = syntax::parse(source, &sources, syntax);
    assert!(!parsed.diagnostics.has_errors(), "{}\n{text}", render::to_text(&parsed.diagnostics, &sources, false));
    parsed.program
}

fn assert_round_trips(program: &Program) {
    for syntax in [Syntax::Kif, Syntax::Datalog] {
        let text = syntax::print(program, syntax);
        let again = parse(&text, syntax);
        assert_eq!(&again, program, "{text}");
        assert_eq!(syntax::print(&again, syntax), text);
    }
}

// Random programs in the normal form of the parsers: conjunctions and disjunctions have at least two parts and hold no
// part of their own kind.

/// Names that one of the syntaxes reads as an operator, a connective, a mark or a list, unless they are quoted or stand
/// elsewhere.
const RESERVED: [&str; 36] = [
    "<=", "==>", "?-", ":-", "not", "and", "or", "distinct", "include", "is", "mod", "=", "==", "=:=", "!=", "\\=",
    "=\\=", "<", "=<", ">", ">=", "+", "-", "*", "/", "~", "!", "\\+", "&", "|", ",", ";", "nil", "cons", "[]", "_",
];

fn reserved() -> impl Strategy<Value = Name> {
    prop::sample::select(RESERVED.as_slice()).prop_map(Name::from)
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        6 => "[a-e]".prop_map(Name::from),
        2 => "[a-z][a-z0-9_]{0,4}".prop_map(Name::from),
        1 => "[A-Za-z0-9_+*/<>=?#!.:-]{1,5}".prop_map(Name::from),
        2 => reserved(),
        1 => prop::sample::select(vec![
            "true", "member", "", "01", "7", "-0", "it's", "a|b", "\"", "\\", "\n\t\r\u{7}", "é", "É", "ß", "İ", "日本",
            "\u{feff}", "#|", "%", "//", ".", "Not", "NOT", "Include", "<=>", "?", "?x", "X",
        ]).prop_map(Name::from),
    ]
}

fn variable() -> impl Strategy<Value = Term> {
    prop_oneof![
        4 => "[x-z]".prop_map(|name| Term::variable(&name)),
        3 => "_[1-4]".prop_map(|name| Term::variable(&name)),
        1 => "_[A-Za-z0-9_]{0,3}".prop_map(|name| Term::variable(&name)),
        1 => "[a-zA-Z][A-Za-z0-9_]{0,3}".prop_map(|name| Term::variable(&name)),
        1 => name().prop_map(Term::Variable),
    ]
}

fn term() -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![
        variable(),
        prop_oneof![-9..9i64, Just(i64::MIN), Just(i64::MAX)].prop_map(Term::Integer),
        float().prop_map(Term::Float),
        name().prop_map(Term::Symbol),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        prop_oneof![
            (name(), prop::collection::vec(inner.clone(), 0..4)).prop_map(|(name, args)| Term::Compound(name, args)),
            (prop::sample::select(vec!["+", "-", "*", "/", "mod", "cons"]), inner.clone(), inner.clone())
                .prop_map(|(functor, left, right)| Term::compound(functor, vec![left, right])),
            inner.prop_map(|arg| Term::compound("-", vec![arg])),
        ]
    })
}

fn float() -> impl Strategy<Value = Float> {
    let number = prop_oneof![-9.0..9.0f64, any::<f64>(), Just(f64::MIN_POSITIVE), Just(1e16)];
    number.prop_filter_map("floats are finite", Float::new)
}

fn atom() -> impl Strategy<Value = Atom> {
    (name(), prop::collection::vec(term(), 0..4)).prop_map(|(predicate, args)| Atom::new(&predicate, args))
}

const COMPARATORS: [Comparator; 9] = [
    Comparator::Is,
    Comparator::Equal,
    Comparator::NotEqual,
    Comparator::SameValue,
    Comparator::OtherValue,
    Comparator::Less,
    Comparator::LessOrEqual,
    Comparator::Greater,
    Comparator::GreaterOrEqual,
];

fn compare((comparator, left, right): (Comparator, Term, Term)) -> Formula {
    Formula::Compare(Comparison { comparator, left, right, span: ludolog::diagnostic::Span::NONE })
}

fn comparison() -> impl Strategy<Value = Formula> {
    (prop::sample::select(COMPARATORS.as_slice()), term(), term()).prop_map(compare)
}

fn and(parts: Vec<Formula>) -> Formula {
    let flat: Vec<Formula> =
        parts.into_iter().flat_map(|part| if let Formula::And(list) = part { list } else { vec![part] }).collect();
    Formula::And(flat)
}

fn or(parts: Vec<Formula>) -> Formula {
    let flat: Vec<Formula> =
        parts.into_iter().flat_map(|part| if let Formula::Or(list) = part { list } else { vec![part] }).collect();
    Formula::Or(flat)
}

fn range() -> impl Strategy<Value = Formula> {
    let element = prop_oneof![name().prop_map(Term::Variable), any::<i64>().prop_map(Term::Integer)];
    let span = ludolog::diagnostic::Span::NONE;
    (element, term(), term()).prop_map(move |(element, from, to)| Formula::Range(Range { element, from, to, span }))
}

fn aggregate(body: impl Strategy<Value = Vec<Formula>>) -> impl Strategy<Value = Formula> {
    let function = prop::sample::select(AggregateFunction::ALL.map(|(function, _)| function).to_vec());
    let span = ludolog::diagnostic::Span::NONE;
    (term(), function, prop::collection::vec(term(), 1..3), body).prop_map(move |(result, function, template, body)| {
        Formula::Aggregate(Aggregate { result, function, template, body, span })
    })
}

fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![3 => atom().prop_map(Formula::Atom), 1 => comparison(), 1 => range()];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| Formula::Not(Box::new(inner))),
            prop::collection::vec(inner.clone(), 2..4).prop_map(and),
            prop::collection::vec(inner.clone(), 2..4).prop_map(or),
            aggregate(prop::collection::vec(inner, 1..3).prop_map(|parts| {
                if let Formula::And(list) = and(parts) { list } else { unreachable!("built as a conjunction") }
            })),
        ]
    })
}

fn body() -> impl Strategy<Value = Vec<Formula>> {
    prop::collection::vec(formula(), 1..4).prop_map(|parts| {
        if let Formula::And(list) = and(parts) { list } else { unreachable!("built as a conjunction") }
    })
}

fn statement() -> impl Strategy<Value = Statement> {
    let effect = prop_oneof![atom().prop_map(Effect::Add), atom().prop_map(Effect::Delete)];
    prop_oneof![
        2 => atom().prop_map(|head| Statement::Rule(Rule::new(head, Vec::new()))),
        4 => (atom(), body()).prop_map(|(head, body)| Statement::Rule(Rule::new(head, body))),
        1 => (atom(), lattice_value(), any::<bool>(), prop::option::of(body()))
            .prop_map(|(head, column, first, body)| Statement::Rule(with_lattice(head, column, first, body))),
        1 => (body(), prop::collection::vec(effect, 1..4))
            .prop_map(|(conditions, effects)| Statement::Transition(Transition { conditions, effects })),
        1 => body().prop_map(|body| Statement::Query(Query { body })),
        1 => body().prop_map(|body| Statement::Constraint(Query { body })),
        1 => name().prop_map(Statement::Include),
        1 => (name(), prop::collection::vec((name(), name()), 0..3))
            .prop_map(|(path, renamed)| Statement::Use(Use { path, renamed })),
        1 => (name(), name(), any::<bool>())
            .prop_map(|(predicate, path, header)| Statement::Input(InputTable { predicate, path, header })),
        1 => name().prop_map(Statement::Output),
        1 => (name(), prop::collection::vec(0..ColumnType::ALL.len(), 1..4)).prop_map(|(name, columns)| {
            let columns = columns.into_iter().map(|number| ColumnType::ALL[number].0.clone()).collect();
            Statement::Type(ColumnTypes { predicate: (&*name).into(), columns })
        }),
        1 => (name(), prop::collection::vec(name(), 1..4))
            .prop_map(|(name, values)| Statement::Define(TypeDefinition { name, values: TypeValues::Symbols(values) })),
        1 => (name(), prop::collection::vec(name(), 1..4)).prop_map(|(name, fields)| {
            let values = TypeValues::Record(fields.iter().map(|field| ColumnType::of(field)).collect());
            Statement::Define(TypeDefinition { name, values })
        }),
    ]
}

/// A value of a lattice column with its join: an order has terms of all kinds.
fn lattice_value() -> impl Strategy<Value = (Join, Term)> {
    let function = prop::sample::select(vec![AggregateFunction::Minimum, AggregateFunction::Maximum]);
    let number = prop_oneof![
        any::<i64>().prop_map(Term::Integer),
        float().prop_map(Term::Float),
        name().prop_map(Term::Variable)
    ];
    let order = name().prop_map(|name| Join::by(name, ludolog::diagnostic::Span::NONE));
    prop_oneof![(function.prop_map(Join::Function), number), (order, term())]
}

/// A rule whose head has a lattice column, the first one or the last one.
fn with_lattice(mut head: Atom, (join, value): (Join, Term), first: bool, body: Option<Vec<Formula>>) -> Rule {
    let column = if first { 0 } else { head.args.len() };
    head.args.insert(column, value);
    Rule { lattice: Some(Lattice { column, join }), ..Rule::new(head, body.unwrap_or_default()) }
}

fn comments() -> impl Strategy<Value = Vec<String>> {
    let text = prop_oneof!["[ -~]{0,12}", "[;%/*|# ]{0,6}", "\\PC{0,6}"];
    prop::collection::vec(text.prop_map(|text: String| text.trim_end().to_owned()), 0..3)
}

fn program() -> impl Strategy<Value = Program> {
    let item = (comments(), statement()).prop_map(|(comments, statement)| Item {
        comments,
        statement,
        span: ludolog::diagnostic::Span::NONE,
    });
    (prop::collection::vec(item, 0..5), comments()).prop_map(|(items, trailing)| Program {
        items,
        trailing,
        ..Program::default()
    })
}

/// Programs that are short, so that a reserved name often stands where it could be read as something else.
fn program_of_reserved_names() -> impl Strategy<Value = Program> {
    let keyword = || prop::sample::select(&RESERVED[..10]).prop_map(Name::from);
    let symbol = move || prop_oneof![2 => keyword(), 1 => reserved(), 1 => Just(Name::from("a"))];
    let leaf = prop_oneof![4 => symbol().prop_map(Term::Symbol), 1 => (0..3i64).prop_map(Term::Integer)];
    let term = leaf.prop_recursive(2, 4, 2, move |inner| {
        (symbol(), prop::collection::vec(inner, 0..3)).prop_map(|(functor, args)| Term::Compound(functor, args))
    });
    let atom = (symbol(), prop::collection::vec(term.clone(), 0..4))
        .prop_map(|(predicate, args)| Atom::new(&predicate, args))
        .boxed();
    let comparison = (prop::sample::select(COMPARATORS.as_slice()), term.clone(), term).prop_map(compare);
    let condition = prop_oneof![3 => atom.clone().prop_map(Formula::Atom), 1 => comparison];
    let literal = prop_oneof![
        3 => condition.clone(),
        1 => condition.prop_map(|inner| Formula::Not(Box::new(inner))),
    ];
    let conjuncts = prop::collection::vec(literal, 1..3).boxed();
    let effect = prop_oneof![atom.clone().prop_map(Effect::Add), atom.clone().prop_map(Effect::Delete)];
    let statement = prop_oneof![
        3 => atom.clone().prop_map(|head| Statement::Rule(Rule::new(head, Vec::new()))),
        3 => (atom, conjuncts.clone()).prop_map(|(head, body)| Statement::Rule(Rule::new(head, body))),
        1 => (conjuncts.clone(), prop::collection::vec(effect, 1..3))
            .prop_map(|(conditions, effects)| Statement::Transition(Transition { conditions, effects })),
        1 => conjuncts.clone().prop_map(|body| Statement::Query(Query { body })),
        1 => conjuncts.prop_map(|body| Statement::Constraint(Query { body })),
    ];
    prop::collection::vec(statement, 1..4).prop_map(|statements| program_of(statements.into_iter()))
}

fn program_of(statements: impl Iterator<Item = Statement>) -> Program {
    let span = ludolog::diagnostic::Span::NONE;
    let items = statements.map(|statement| Item { comments: Vec::new(), statement, span }).collect();
    Program { items, ..Program::default() }
}

/// Statements and goals that are printed by themselves mean the same in any company.
fn assert_parts_round_trip(program: &Program) {
    for syntax in [Syntax::Kif, Syntax::Datalog] {
        let statements = || program.items.iter().map(|item| &item.statement);
        let text = Vec::from_iter(statements().map(|statement| syntax::print_statement(statement, syntax))).join("\n");
        assert_eq!(parse(&text, syntax), program_of(statements().cloned()), "{text}");
        for body in statements().filter_map(|statement| match statement {
            Statement::Query(query) | Statement::Constraint(query) => Some(&query.body),
            Statement::Rule(rule) if !rule.body.is_empty() => Some(&rule.body),
            _ => None,
        }) {
            let goal = if body.len() == 1 { body[0].clone() } else { Formula::And(body.clone()) };
            let text = syntax::print_formula(&goal, syntax);
            let query = syntax::parse_goal(&text, &mut Sources::new(), Some(syntax));
            assert_eq!(query.as_ref().map(|query| &query.body), Ok(body), "{text}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases.max(400), ..ProptestConfig::default() })]

    #[test]
    fn what_is_printed_reads_back_the_same(program in program()) {
        assert_round_trips(&program);
        assert_parts_round_trip(&program);
    }

    #[test]
    fn what_is_displayed_reads_back_the_same(program in program(), term in term(), atom in atom(), body in body()) {
        let query = Query { body };
        assert_eq!(program.to_string().parse::<Program>().map_err(|error| error.to_string()), Ok(program));
        assert_eq!(term.to_string().parse::<Term>().map_err(|error| error.to_string()), Ok(term));
        assert_eq!(atom.to_string().parse::<Atom>().map_err(|error| error.to_string()), Ok(atom));
        assert_eq!(query.to_string().parse::<Query>().map_err(|error| error.to_string()), Ok(query));
    }

    #[test]
    fn reserved_names_stay_names(program in program_of_reserved_names()) {
        assert_round_trips(&program);
        assert_parts_round_trip(&program);
    }

    #[test]
    fn no_text_makes_the_parsers_panic(text in "[a-c X_?.,;:|&~!()\\[\\]'\"\\\\<>=+*/%#\n01-]{0,60}") {
        for syntax in [Syntax::Kif, Syntax::Datalog] {
            let mut sources = Sources::new();
            let source = sources.add("text", text.as_str());
            let parsed = syntax::parse(source, &sources, syntax);
            render::to_text(&parsed.diagnostics, &sources, false);
            assert_round_trips(&parsed.program);
        }
        let _ = syntax::parse_goal(&text, &mut Sources::new(), None);
        let _ = (text.parse::<Term>(), text.parse::<Atom>());
    }
}

/// Facts of predicates that are signs, and that would be taken for rules with a misspelled arrow, are quoted.
#[test]
fn facts_that_look_like_rules_read_back_the_same() {
    for text in ["(|=| terminal (true begun))", "(|<=t| erminal a)", "(|<| (next a) b)", "(|<=p| a (not b))", "(< 1 2)"]
    {
        let program = parse(text, Syntax::Kif);
        assert_eq!(program.items.len(), 1, "{text}");
        assert_eq!(syntax::print(&program, Syntax::Kif).trim(), text);
        assert_round_trips(&program);
    }
}

/// The rulesheets of the GDL corpus, if it is there.
fn corpus() -> Vec<PathBuf> {
    let root = std::env::var_os("LUDOLOG_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/gdl-corpus"), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(root.join("games")) else {
        eprintln!("skipped: no GDL corpus at {}", root.display());
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

#[test]
fn the_corpus_parses_and_round_trips() {
    for path in corpus() {
        let mut sources = Sources::new();
        let opened = syntax::open(&FileSystem, &path, None, &mut sources)
            .unwrap_or_else(|d| panic!("{}: {}", path.display(), d.message));
        let parsed = syntax::parse(opened.source, &sources, opened.syntax);
        let text = render::to_text(&parsed.diagnostics, &sources, false);
        assert!(parsed.diagnostics.iter().all(|found| found.code == Code::InconsistentCase), "{text}");
        assert!(!parsed.program.items.is_empty());
        assert_round_trips(&parsed.program);
    }
}

// Hostile texts: each must be read or refused in time proportional to its length, on the small stack of a test thread.

fn errors(text: &str, syntax: Syntax) -> Vec<(String, Option<(usize, usize)>)> {
    let mut sources = Sources::new();
    let source = sources.add("text", text);
    let parsed = syntax::parse(source, &sources, syntax);
    let place =
        |d: &ludolog::diagnostic::Diagnostic| d.labels.first().and_then(|label| sources.line_column(label.span));
    parsed.diagnostics.iter().map(|d| (d.code.to_string(), place(d))).collect()
}

#[test]
fn deep_nesting_is_an_error_and_costs_no_stack() {
    let too_deep = |text: &str, syntax| {
        let errors = errors(text, syntax);
        assert_eq!(errors.len(), 1, "{:.60}", text);
        assert_eq!(errors[0].0, "nesting-too-deep", "{:.60}", text);
    };
    for (depth, shapes) in [(201, 11), (10_000, 11), (1_000_000, 3)] {
        let closed = |open: &str, close: &str| format!("{}a{}", open.repeat(depth), close.repeat(depth));
        let texts = [
            (format!("p({}).", closed("f(", ")")), Syntax::Datalog),
            (format!("p :- {}.", closed("~", "")), Syntax::Datalog),
            (closed("(f ", ")"), Syntax::Kif),
            (format!("p :- {}.", closed("(", ")")), Syntax::Datalog),
            (format!("p({}).", closed("[", "]")), Syntax::Datalog),
            (format!("p :- {}.", closed("not ", "")), Syntax::Datalog),
            (format!("p :- {}.", closed("~(", ")")), Syntax::Datalog),
            (format!("p({}).", closed("- ", "")), Syntax::Datalog),
            (format!("p(X) :- X is {}.", closed("1 + ", "")), Syntax::Datalog),
            (format!("p([{}]).", closed("b, ", "")), Syntax::Datalog),
            (format!("(<= p {})", closed("(not ", ")")), Syntax::Kif),
        ];
        texts.iter().take(shapes).for_each(|(text, syntax)| too_deep(text, *syntax));
    }
    // Every operator's right side on every level of parentheses.
    let open = "(a | a & ~a = a + a * -";
    assert!(!errors(&format!("p :- {}a{}.", open.repeat(199), ")".repeat(199)), Syntax::Datalog).is_empty());
    // Unclosed as well: whatever is said, it is said soon.
    for open in
        ["(", "[", "(\n", "[\n", "(p ", "p(", "'", "\"", "|", ") ", "/*", "#|", "~", "- ", "not ", "a:-", "(f\n ("]
    {
        assert!(!errors(&open.repeat(200_000), Syntax::Datalog).is_empty(), "{open}");
        errors(&open.repeat(200_000), Syntax::Kif);
    }
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    let nested = |depth: usize| format!("p({}a{}).", "f(".repeat(depth), ")".repeat(depth));
    assert_round_trips(&parse(&nested(190), Syntax::Datalog));
    let negated = format!("p :- {}q.", "~".repeat(150));
    assert_round_trips(&parse(&negated, Syntax::Datalog));
}

#[test]
fn long_flat_texts_are_read() {
    let many = |part: &str, separator: &str| vec![part; 100_000].join(separator);
    for (text, syntax) in [
        (format!("p :- {}.", many("q(X)", " & ")), Syntax::Datalog),
        (format!("p :- {}.", many("q(_)", " | ")), Syntax::Datalog),
        (format!("p({}).", many("a", ",")), Syntax::Datalog),
        (many("p.", " "), Syntax::Datalog),
        (format!("% {}\n", many("long", "\n% ")), Syntax::Datalog),
        (format!("(<= p {})", many("(q ?x)", " ")), Syntax::Kif),
        (format!("(<= p (or {}))", many("(q ?x)", "\n")), Syntax::Kif),
        (many("(p a)", " "), Syntax::Kif),
    ] {
        let program = parse(&text, syntax);
        let printed = syntax::print(&program, syntax.other());
        assert_eq!(parse(&printed, syntax.other()), program);
    }
}

/// What is wrong in a long text is found in linear time, too: here each number may be a part of a date.
#[test]
fn long_flat_texts_are_rejected() {
    let mut sources = Sources::new();
    let source = sources.add("test.dl", format!("p({}).", vec!["01"; 100_000].join("-")));
    let parsed = syntax::parse(source, &sources, Syntax::Datalog);
    let told = parsed.diagnostics.iter().next().expect("it is rejected");
    assert_eq!(told.message, "this is no integer");
}

/// Each file in `tests/rejected/syntax` pins what is said of it.
#[test]
fn what_is_wrong_is_said() {
    insta::glob!("rejected/syntax/*", |path| {
        let file = format!("tests/rejected/syntax/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut sources = Sources::new();
        let opened = syntax::open(&FileSystem, Path::new(&file), None, &mut sources)
            .unwrap_or_else(|d| panic!("{file}: {}", d.message));
        let parsed = syntax::parse(opened.source, &sources, opened.syntax);
        assert!(parsed.diagnostics.has_errors(), "{file} is sound");
        insta::assert_snapshot!(render::to_text(&parsed.diagnostics, &sources, false));
    });
}

// Files.

fn directory(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    directory
}

fn load(directory: &tempfile::TempDir, name: &str) -> Result<(String, Vec<String>), Vec<String>> {
    let mut sources = Sources::new();
    let result = syntax::load(&FileSystem, &[directory.path().join(name)], None, &mut sources);
    let told = |diagnostics: &ludolog::diagnostic::Diagnostics| {
        let place =
            |d: &ludolog::diagnostic::Diagnostic| match d.labels.first().and_then(|l| sources.line_column(l.span)) {
                Some((line, column)) => format!("{} {line}:{column}", d.code),
                None => d.code.to_string(),
            };
        diagnostics.iter().map(place).collect::<Vec<_>>()
    };
    match result {
        Ok(loaded) => Ok((syntax::print(&loaded.program, Syntax::Datalog), told(&loaded.diagnostics))),
        Err(diagnostics) => Err(told(&diagnostics)),
    }
}

#[test]
fn includes_are_read_in_place_and_once() {
    let directory = directory(&[
        ("main.dl", b"a.\n:- include('lib/one.kif').\nd.\n:- include('lib/two.dl')."),
        ("lib/one.kif", b"(b)\n(include \"two.dl\")"),
        ("lib/two.dl", b"c.\n:- include('../main.dl').\n:- include('two.dl')."),
        (
            "broken.dl",
            b"a.\n:- include('none.dl').\n:- include('main.txt').\n:- include('lib').\n:- include('bad.dl').",
        ),
        ("main.txt", b"a."),
        ("bad.dl", b"a b.\nc."),
    ]);
    assert_eq!(load(&directory, "main.dl"), Ok(("a.\nb.\nc.\nd.\n".into(), vec![])));
    let errors = ["unreadable-file 2:1", "unknown-extension 3:1", "unreadable-file 4:1", "syntax 1:3"];
    assert_eq!(load(&directory, "broken.dl"), Err(errors.map(String::from).to_vec()));
}

/// Texts in memory of which none may be included.
struct Confined(HashMap<PathBuf, &'static str>);

impl Files for Confined {
    fn read(&self, path: &Path) -> Result<Vec<u8>, Unreadable> {
        self.0.read(path)
    }

    fn identity(&self, path: &Path) -> Option<PathBuf> {
        self.0.identity(path)
    }

    fn included(&self, _: &Path, _: &str) -> Result<PathBuf, Unreadable> {
        Err(Unreadable::Denied)
    }
}

#[test]
fn files_can_be_texts_in_memory_and_refuse_includes() {
    let files = [("a/main.dl", ":- include('../b.kif').\np."), ("b.kif", "(q) (include \"a/../b.kif\")")];
    let files = HashMap::from(files.map(|(path, text)| (PathBuf::from(path), text)));
    let load = |files: &dyn Files| {
        let mut sources = Sources::new();
        let loaded = syntax::load(files, &["a/main.dl"], None, &mut sources);
        loaded
            .map(|loaded| syntax::print(&loaded.program, Syntax::Datalog))
            .map_err(|wrong| render::to_text(&wrong, &sources, false))
    };
    assert_eq!(load(&files).as_deref(), Ok("q.\np.\n"));
    let refused = load(&Confined(files)).expect_err("the include is refused");
    assert!(refused.contains("`../b.kif` may not be read") && refused.contains("a/main.dl:1:1"), "{refused}");
}

/// What is said of an include is the same whether the file outside exists or not.
#[test]
fn includes_can_be_confined_to_folders() {
    let directory = directory(&[
        ("rules/main.dl", b":- include('lib/../lib/line.dl').\n:- include('../shared/cell.dl').\np."),
        ("rules/lib/line.dl", b"line."),
        ("rules/missing.dl", b":- include('lib/none.dl')."),
        ("shared/cell.dl", b"cell."),
        ("secret.dl", b"the secret"),
        ("rules-of-others/secret.dl", b"the secret"),
    ]);
    let at = |path: &str| directory.path().join(path);
    let files = FileSystem::confined_to([at("rules"), at("shared")]).expect("the folders exist");
    let load = |path: &Path| {
        let mut sources = Sources::new();
        let loaded = syntax::load(&files, &[path], None, &mut sources);
        loaded
            .map(|loaded| syntax::print(&loaded.program, Syntax::Datalog))
            .map_err(|wrong| render::to_text(&wrong, &sources, false))
    };
    assert_eq!(load(&at("rules/main.dl")).as_deref(), Ok("line.\ncell.\np.\n"));
    let missing = load(&at("rules/missing.dl")).expect_err("there is no such file");
    assert!(missing.contains("there is no file"), "{missing}");

    let mut outside: Vec<(String, String)> = [
        ("../secret.dl", "../absent.dl"),
        ("../rules-of-others/secret.dl", "../nobodys-rules/secret.dl"),
        ("lib/../../secret.dl", "lib/../../absent.dl"),
        ("none/../../secret.dl", "none/../../absent.dl"),
    ]
    .map(|(present, absent)| (present.to_owned(), absent.to_owned()))
    .to_vec();
    let absolute = |name: &str| at(name).to_string_lossy().replace('\\', "\\\\");
    outside.push((absolute("secret.dl"), absolute("absent.dl")));
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(directory.path(), at("rules/up")).unwrap();
        symlink("../secret.dl", at("rules/link.dl")).unwrap();
        symlink("../absent.dl", at("rules/dead.dl")).unwrap();
        symlink("../rules-of-others", at("rules/folder")).unwrap();
        symlink("../nobodys-rules", at("rules/dead")).unwrap();
        symlink("lib/line.dl", at("rules/inner.dl")).unwrap();
        let pairs = [("up/secret.dl", "up/absent.dl"), ("link.dl", "dead.dl"), ("folder/secret.dl", "dead/secret.dl")];
        outside.extend(pairs.map(|(present, absent)| (present.to_owned(), absent.to_owned())));
        std::fs::write(at("rules/linked.dl"), ":- include('inner.dl').").unwrap();
        assert_eq!(load(&at("rules/linked.dl")).as_deref(), Ok("line.\n"));
    }
    for (present, absent) in outside {
        let told = [&present, &absent].map(|path| {
            std::fs::write(at("rules/test.dl"), format!(":- include('{path}').")).unwrap();
            let refused = load(&at("rules/test.dl")).expect_err("the include is refused");
            assert!(refused.contains("is outside of the folders that may be read"), "{refused}");
            assert!(refused.contains("test.dl:1:1") && !refused.contains("the secret"), "{refused}");
            refused.replace(path.as_str(), "…").replace('^', "")
        });
        let [present, absent] = told.map(|text| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
        assert_eq!(present, absent);
    }
    assert!(load(&at("secret.dl")).is_err() && load(Path::new("-")).is_err());
    assert!(FileSystem::confined_to([at("none")]).is_err());
}

#[test]
fn files_that_are_no_text_are_refused() {
    let directory = directory(&[
        ("mark.dl", b"\xEF\xBB\xBFa.\r\nb. % c\r\n"),
        ("latin.kif", b"; caf\xE9\n(a) #| \xFF |#"),
        ("latin.dl", b"% caf\xE9\na.\n'caf\xE9'."),
        ("binary.dl", b"a.\0"),
        ("empty.kif", b""),
    ]);
    assert_eq!(load(&directory, "mark.dl"), Ok(("a.\n\n% c\nb.\n".into(), vec![])));
    assert_eq!(
        load(&directory, "latin.kif"),
        Ok(("% caf\u{fffd}\n% \u{fffd}\na.\n".into(), vec!["not-text 1:6".into()]))
    );
    assert_eq!(load(&directory, "latin.dl"), Err(vec!["not-text 3:5".into()]));
    assert_eq!(load(&directory, "binary.dl"), Err(vec!["not-text".into()]));
    assert_eq!(load(&directory, "none.dl"), Err(vec!["unreadable-file".into()]));
    assert_eq!(load(&directory, "."), Err(vec!["unreadable-file".into()]));
    assert_eq!(load(&directory, "empty.kif"), Ok((String::new(), vec![])));
}

#[test]
fn tables_are_facts() {
    let directory = directory(&[
        ("edge.tsv", b"0\t1160\n01\t-3\r\n\nA b\t\"x\"\n"),
        ("name.csv", b" 1 ,\"a, b\"\n"),
        ("ragged.csv", b"1,2\n1\n1,2\n1,2,3\n"),
        ("facts.dl", b"p(1). q(f(a))."),
        ("rules.dl", b"p(1).\np(X).\nq(X) :- p(X)."),
    ]);
    let read = |name: &str| {
        let mut sources = Sources::new();
        let path = directory.path().join(name);
        let facts = syntax::load_facts(&FileSystem, &[path.into()], None, None, &mut sources, &Budget::unlimited());
        match facts.expect("nothing stops it") {
            Ok(facts) => {
                Ok(facts.into_atoms().iter().map(|fact| syntax::print_atom(fact, Syntax::Datalog)).collect::<Vec<_>>())
            }
            Err(wrong) => Err(wrong
                .iter()
                .map(|d| (d.code.to_string(), sources.line_column(d.labels[0].span).unwrap()))
                .collect::<Vec<_>>()),
        }
    };
    assert_eq!(
        read("edge.tsv"),
        Ok(vec!["edge(0, 1160)".into(), "edge('01', -3)".into(), "edge('A b', '\"x\"')".into()])
    );
    assert_eq!(read("name.csv"), Ok(vec!["name(1, 'a, b')".into()]));
    assert_eq!(read("ragged.csv"), Err(vec![("arity-mismatch".into(), (2, 1)), ("arity-mismatch".into(), (4, 1))]));
    assert_eq!(read("facts.dl"), Ok(vec!["p(1)".into(), "q(f(a))".into()]));
    assert_eq!(read("rules.dl"), Err(vec![("unsafe-variable".into(), (2, 1)), ("syntax".into(), (3, 1))]));
}

#[test]
fn a_string_that_is_no_term_or_atom_says_why() {
    for (text, term, atom) in [
        ("", "text:1:1: error[syntax]: there is no term", "text:1:1: error[syntax]: there is no atom"),
        (
            "p. q",
            "text:1:4: error[syntax]: this is more than one term",
            "text:1:4: error[syntax]: this is more than one",
        ),
        ("1 < X", "text:1:1: error[syntax]: a condition stands", "text:1:1: error[syntax]: this is no atom"),
        ("\n p(", "text:2:4: error[syntax]", "text:2:4: error[syntax]"),
    ] {
        let no_term = text.parse::<Term>().unwrap_err();
        let no_atom = text.parse::<Atom>().unwrap_err();
        assert!(no_term.to_string().starts_with(term) && no_atom.to_string().starts_with(atom), "{no_term}\n{no_atom}");
    }
    assert!("7".parse::<Atom>().is_err() && "X".parse::<Atom>().is_err() && "p & q".parse::<Atom>().is_err());
    for syntax in [Syntax::Kif, Syntax::Datalog] {
        assert_eq!(syntax.to_string().parse(), Ok(syntax));
    }
    assert_eq!("datalog".parse(), Ok(Syntax::Datalog));
    assert_eq!("kiff".parse::<Syntax>().unwrap_err().to_string(), "`kiff` is no syntax; there are `kif` and `dl`");
}

#[test]
fn goals_are_read_in_either_syntax() {
    let read = |text: &str| {
        let query = syntax::parse_goal(text, &mut Sources::new(), None).ok()?;
        Some(syntax::print_statement(&Statement::Query(query), Syntax::Datalog))
    };
    for (goal, query) in [
        ("win(P)", "?- win(P)."),
        ("?- win(P) & X is 1 + 2 .", "?- win(P) & X is 1 + 2."),
        ("terminal", "?- terminal."),
        ("(win ?p)", "?- win(P)."),
        ("(WIN RED) (not (lost red))", "?- win(red) & ~lost(red)."),
        ("(?- (win ?p))", "?- win(P)."),
        ("(a | b) & c", "?- (a | b) & c."),
        ("p(?'my-var', X)", "?- p(?'my-var', X)."),
    ] {
        assert_eq!(read(goal).as_deref(), Some(query), "{goal}");
    }
    for goal in ["", " ", "win(", "a. b.", "p :- q", "X", "(win ?p"] {
        assert_eq!(read(goal), None, "{goal}");
    }
}

/// What the reference says of one surface, said in the other.
#[test]
fn each_syntax_says_what_the_other_does() {
    for (kif, datalog) in [
        ("(<= (p ?x) (or (q ?x) (and a b)) (distinct ?x 1) (not (r ?x)))", "p(X) :- (q(X) ; a, b), X \\= 1, \\+ r(X)."),
        ("(<= (p ?y) (q ?x) (is ?y (- (* 2 (+ ?x 1)) (mod ?x 3))))", "p(Y) :- q(X) & Y is 2 * (X + 1) - X mod 3."),
        ("(<= p (=:= ?x (- 3)) (<= ?x -3) (>= ?x (- ?y)))", "p :- X =:= -(3), X =< -3, X >= -Y."),
        ("(l (cons a (cons ?t nil)) (cons b ?t) nil)", "l([a, T], [b | T], [])."),
        ("(<= (p ?_1 ?_3) (q ?_2) (r ?_3))", "p(_, _3) :- q(_), r(_3)."),
        ("(|Foo Bar| |a'b| ?|Foo| Mixed 01)", "\"Foo Bar\"('a\\'b', ?'Foo', mixed, '01')."),
        ("(< 1 2) (<= p (< 1 2) (|is| 1 2))", "'<'(1, 2). p :- '<'(1, 2) & 'is'(1, 2)."),
        ("(<= p (|<| 1 2) (< 1 2))", "p :- '<'(1, 2), 1 < 2."),
        (
            "(==> (and (place ?p ?x) (empty ?x)) (and (not (empty ?x)) (stone ?p ?x)))",
            "place(P, X), empty(X) ==> ~empty(X), stone(P, X).",
        ),
        ("(?- (win ?p)) (include \"a b.kif\")", "?- win(P). :- include('a b.kif')."),
        ("(terminal) terminal (<= a (b) c)", "terminal. terminal. a :- b, c."),
        ("(p (f 1 (1 2) (g)))", "p(f(1, '1'(2), g()))."),
    ] {
        assert_eq!(parse(kif, Syntax::Kif), parse(datalog, Syntax::Datalog), "{kif}");
    }
}

/// The examples of the reference parse, and two that nothing stands between say the same in the two syntaxes.
#[test]
fn the_examples_of_the_reference_are_true() {
    let text = include_str!("../docs/language.md");
    let mut earlier: Option<Program> = None;
    let mut pairs = 0;
    for (number, part) in text.split("```").enumerate() {
        if number % 2 == 0 {
            earlier = earlier.filter(|_| part.trim().is_empty());
            continue;
        }
        let (language, code) = part.split_once('\n').expect("a fence ends its line");
        let example = match language {
            "kif" => parse(code, Syntax::Kif),
            "dl" => parse(code, Syntax::Datalog),
            _ => continue,
        };
        if let Some(earlier) = earlier.replace(example.clone()) {
            assert_eq!(earlier, example, "{code}");
            pairs += 1;
        }
    }
    assert_eq!(pairs, 3, "the first example, the names and the transition rule are written in both syntaxes");
}
