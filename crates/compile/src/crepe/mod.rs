//! Programs as crates with crepe.
//!
//! crepe derives relations of `Copy` types stratum by stratum, but has no aggregates. So the predicates fall into stages: what aggregates
//! read is of an earlier stage than what they are read for, each stage is one `crepe!`, and Rust aggregates in between:
//!
//! ```text
//! inputs and facts ─stage 0→ relations ─groups, values→ ─stage 1→ … ─→ outputs
//! ```
//!
//! A column of integers is an `i64`, one of symbols a `&'static str`, any other a `Term`. Compounds are kept once each, for as long as the
//! program runs. `rule` writes the rules, `expression` what they compute; `template/` are the files that all crates share.

mod expression;
mod rule;

use crate::elements::without_negated_patterns;
use crate::names;
use crate::sorts::{Sort, Sorts};
use crate::translatable::Translatable;
use crate::{Refusals, Translation};
use ludolog_logic::analysis::clause::{Aggregation, Literal};
use ludolog_syntax::ast::{AggregateFunction, Atom, Predicate};
use rule::RuleWriter;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The manifest of a crate.
const MANIFEST: &str = "[package]\nname = \"compiled_rules\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\ncrepe = \"0.2\"\n\n[workspace]\n";

/// Keywords of Rust.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Names of what the program calls.
const CALLED: &[&str] = &[
    "add", "subtract", "multiply", "divide", "modulo", "negate", "minimum", "maximum", "absolute", "length", "join",
    "part", "parts", "value", "order", "elements", "range", "within", "compound", "symbol", "column", "grouped",
    "count", "sum", "average", "least", "greatest", "run", "inputs", "crepe", "runtime", "term", "std", "core",
    "option", "result", "vec", "string", "some", "none", "ok", "err", "default", "ordering", "i64", "bool", "str",
    "integer",
];

/// Types of the program. crepe makes variables of relations, so these may not be called like keywords either.
const TYPES: &[&str] = &[
    "Term", "Symbol", "Compound", "Column", "Crepe", "Some", "None", "Ok", "Err", "Vec", "String", "Option", "Result",
    "Default", "Self",
];

/// The names that fields and variables may not have.
fn reserved_variables() -> Vec<&'static str> {
    [KEYWORDS, CALLED].concat()
}

/// The module of terms and computations.
const TERM: &str = include_str!("template/term.rs");

/// The names of that module that a text speaks of.
fn imports(text: &str) -> String {
    let starts = ["pub fn ", "pub type ", "pub enum "];
    let items = TERM.lines().filter_map(|line| starts.iter().find_map(|start| line.strip_prefix(start)));
    let names = items.filter_map(|item| item.split(|c: char| !c.is_ascii_alphanumeric()).next());
    let code = without_literals(text);
    let words = code.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut free: BTreeSet<&str> = BTreeSet::new();
    let mut before = "";
    for word in words {
        // Fields, methods and variants belong to something else.
        if !before.ends_with(['.', ':']) {
            free.insert(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
        }
        before = word;
    }
    let named: BTreeSet<&str> = names.filter(|name| free.contains(name)).collect();
    named.into_iter().collect::<Vec<_>>().join(", ")
}

/// Names to be imported, in braces if there are several.
fn braced(names: &str) -> String {
    if names.contains(',') { format!("{{{names}}}") } else { names.to_owned() }
}

/// A text of Rust without the contents of its string literals.
fn without_literals(text: &str) -> String {
    let (mut in_literal, mut is_escaped) = (false, false);
    let code = text.chars().filter(|&c| {
        let is_mark = c == '"' && !is_escaped;
        is_escaped = in_literal && c == '\\' && !is_escaped;
        in_literal ^= is_mark;
        !in_literal && !is_mark
    });
    code.collect()
}

/// The type of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnType {
    Integer,
    Symbol,
    Term,
}

impl ColumnType {
    fn of(sort: Sort) -> ColumnType {
        match sort {
            Sort::INTEGER => ColumnType::Integer,
            Sort::SYMBOL => ColumnType::Symbol,
            _ => ColumnType::Term,
        }
    }

    fn text(self) -> &'static str {
        match self {
            ColumnType::Integer => "i64",
            ColumnType::Symbol => "Symbol",
            ColumnType::Term => "Term",
        }
    }
}

/// Translates a program. What has no translation is added to the refusals.
pub(crate) fn translate(program: &Translatable, refusals: &mut Refusals) -> Translation {
    let (text, names) = module(program, refusals);
    let files = vec![
        ("Cargo.toml", MANIFEST.to_owned()),
        ("src/lib.rs", include_str!("template/lib.rs").to_owned()),
        ("src/main.rs", include_str!("template/main.rs").to_owned()),
        ("src/tables.rs", include_str!("template/tables.rs").to_owned()),
        ("src/term.rs", TERM.to_owned()),
        ("src/program.rs", text),
    ];
    Translation { files, names }
}

/// The module of the program, and the names of its predicates.
fn module(program: &Translatable, refusals: &mut Refusals) -> (String, BTreeMap<Predicate, String>) {
    let program = without_negated_patterns(program);
    let sorts = Sorts::of(&program);
    let predicates = program.predicates();
    let crate_ = Crate {
        fields: names::of_predicates(&predicates, &reserved_variables(), |text| names::identifier(text).to_lowercase()),
        relations: names::of_predicates(&predicates, &[KEYWORDS, TYPES].concat(), camel)
            .into_iter()
            .map(|(predicate, name)| (predicate, name.replace('_', "N")))
            .collect(),
        stages: stages(&program),
        derived: program.rules.iter().map(|rule| rule.head.signature()).collect(),
        inputs: program.undefined.iter().cloned().chain(program.case.iter().map(Atom::signature)).collect(),
        stated: program.facts.iter().map(Atom::signature).collect(),
        program: &program,
        sorts: &sorts,
    };
    let text = crate_.text(refusals);
    (text, crate_.fields)
}

/// A name as types have them, without underscores.
fn camel(text: &str) -> String {
    let name = names::identifier(text);
    let words = name.split('_').filter(|word| !word.is_empty());
    let word = |word: &str| word[..1].to_ascii_uppercase() + &word[1..];
    let joined: String = words.map(word).collect();
    if joined.starts_with(|c: char| c.is_ascii_alphabetic()) { joined } else { format!("N{joined}") }
}

/// The stage of each predicate that has rules; all others are known before.
fn stages(program: &Translatable) -> FxHashMap<Predicate, usize> {
    let mut stages: FxHashMap<Predicate, usize> = program.rules.iter().map(|rule| (rule.head.signature(), 0)).collect();
    loop {
        let mut changed = false;
        for rule in &program.rules {
            let stage = |literal: &Literal| {
                let later = usize::from(matches!(literal, Literal::Aggregate(_)));
                literal
                    .atom()
                    .map_or(0, |atom| stages.get(&atom.signature()).copied().map_or(later, |stage| stage + later))
            };
            let needed = rule.body.iter().map(stage).max().unwrap_or(0);
            let own = stages.entry(rule.head.signature()).or_insert(0);
            if *own < needed {
                *own = needed;
                changed = true;
            }
        }
        if !changed {
            return stages;
        }
    }
}

/// An aggregate within a rule, by the number of the rule and the place in its body.
type AggregateKey = (usize, usize);

/// The names and types of a program.
struct Crate<'c> {
    program: &'c Translatable,
    sorts: &'c Sorts,
    /// The names of fields and variables.
    fields: BTreeMap<Predicate, String>,
    /// The names of the relations of crepe.
    relations: BTreeMap<Predicate, String>,
    stages: FxHashMap<Predicate, usize>,
    derived: BTreeSet<Predicate>,
    inputs: BTreeSet<Predicate>,
    stated: BTreeSet<Predicate>,
}

impl Crate<'_> {
    fn types(&self, predicate: &Predicate) -> Vec<&'static str> {
        (0..predicate.arity).map(|i| ColumnType::of(self.sorts.column(predicate, i)).text()).collect()
    }

    /// Whether facts of the predicate are known before the first stage.
    fn is_given(&self, predicate: &Predicate) -> bool {
        self.inputs.contains(predicate) || self.stated.contains(predicate) || !self.derived.contains(predicate)
    }

    fn text(&self, refusals: &mut Refusals) -> String {
        let mut out = String::from("/// The given facts.\n#[derive(Clone, Debug, Default)]\npub struct Inputs {");
        out.push_str(if self.inputs.is_empty() { "" } else { "\n" });
        for predicate in &self.inputs {
            let _ = writeln!(out, "    pub {}: Vec<{}>,", self.fields[predicate], tuple(&self.types(predicate)));
        }
        out.push_str("}\n\n/// The derived facts, sorted.\n#[derive(Clone, Debug, Default)]\npub struct Outputs {\n");
        for predicate in &self.program.outputs {
            let _ = writeln!(out, "    pub {}: Vec<{}>,", self.fields[predicate], tuple(&self.types(predicate)));
        }
        out.push_str("}\n\n");
        self.conversions(&mut out);
        self.facts(&mut out);
        let last = self.stages.values().max().copied().unwrap_or(0);
        let stages: Vec<Stage> = (0..=last).map(|number| Stage::new(self, number)).collect();
        self.run(&stages, &mut out);
        let head = imports(&out);
        for stage in &stages {
            stage.write(&mut out, refusals);
        }
        format!("//! The rules of the program.\n\nuse super::term::{};\n\n{out}", braced(&head))
    }

    /// The inputs from rows, and the outputs as rows.
    fn conversions(&self, out: &mut String) {
        out.push_str("impl Inputs {\n    /// Adds a fact, of a predicate by its name in the rules.\n");
        let [predicate, row] = if self.inputs.is_empty() { ["predicate", "_row"] } else { ["predicate", "row"] };
        let _ =
            writeln!(out, "    pub fn insert(&mut self, {predicate}: &str, {row}: &[Term]) -> Result<(), String> {{");
        if self.inputs.is_empty() {
            out.push_str("        Err(format!(\"`{predicate}` is no input\"))\n    }\n}\n\n");
        } else {
            out.push_str("        match (predicate, row) {\n");
            for predicate in &self.inputs {
                let names = columns(predicate.arity);
                let values: Vec<String> = names.iter().map(|name| format!("column(*{name})?")).collect();
                let (name, field) = (predicate.name.text(), &self.fields[predicate]);
                let _ = writeln!(
                    out,
                    "            ({name:?}, [{}]) => self.{field}.push({}),",
                    names.join(", "),
                    tuple(&values)
                );
            }
            out.push_str(
                "            (predicate, row) => return Err(format!(\"`{predicate}` with {} columns is no input\", row.len())),\n        \
                 }\n        Ok(())\n    }\n}\n\n",
            );
        }
        out.push_str("impl Outputs {\n    /// The rows of each predicate, by its name in the rules.\n");
        out.push_str("    pub fn tables(&self) -> Vec<(&'static str, Vec<Vec<Term>>)> {\n        vec![\n");
        for predicate in &self.program.outputs {
            let names = columns(predicate.arity);
            let terms: Vec<String> = names.iter().map(|name| format!("{name}.into()")).collect();
            let (name, field) = (predicate.name.text(), &self.fields[predicate]);
            let _ = writeln!(
                out,
                "            ({name:?}, self.{field}.iter().map(|&{}| vec![{}]).collect()),",
                tuple(&names),
                terms.join(", ")
            );
        }
        out.push_str("        ]\n    }\n}\n\n");
    }

    /// A function for the facts of each predicate that the program states.
    fn facts(&self, out: &mut String) {
        for predicate in &self.stated {
            let _ = writeln!(
                out,
                "fn {}_facts() -> Vec<{}> {{\n    vec![",
                self.fields[predicate],
                tuple(&self.types(predicate))
            );
            for fact in self.program.facts.iter().filter(|fact| fact.signature() == *predicate) {
                let args = fact.args.iter().enumerate();
                let args: Vec<String> = args
                    .map(|(i, arg)| expression::constant(arg, ColumnType::of(self.sorts.column(predicate, i))))
                    .collect();
                let _ = writeln!(out, "        {},", tuple(&args));
            }
            out.push_str("    ]\n}\n\n");
        }
    }

    /// The function from inputs to outputs.
    fn run(&self, stages: &[Stage], out: &mut String) {
        let name = if self.inputs.is_empty() { "_inputs" } else { "inputs" };
        let _ = writeln!(out, "/// Derives all facts.\npub fn run({name}: &Inputs) -> Outputs {{");
        let given = self.relations.keys().filter(|predicate| self.is_given(predicate));
        for predicate in given {
            let field = &self.fields[predicate];
            let rows = match (self.inputs.contains(predicate), self.stated.contains(predicate)) {
                (true, true) => format!("[{field}_facts(), inputs.{field}.clone()].concat()"),
                (true, false) => format!("inputs.{field}.clone()"),
                (false, true) => format!("{field}_facts()"),
                (false, false) => "Vec::new()".to_owned(),
            };
            let _ = writeln!(out, "    let {field}_given: Vec<{}> = {rows};", tuple(&self.types(predicate)));
        }
        for stage in stages {
            for (key, aggregation) in &stage.aggregates {
                self.aggregate(*key, aggregation, out);
            }
            let results: Vec<String> =
                stage.results.iter().map(|predicate| format!("{}_all", self.fields[predicate])).collect();
            let arguments: Vec<String> = stage.arguments().into_iter().map(|(name, _)| format!("&{name}")).collect();
            let _ =
                writeln!(out, "    let {} = stage_{}::run({});", tuple(&results), stage.number, arguments.join(", "));
        }
        out.push_str("    Outputs {\n");
        for predicate in &self.program.outputs {
            let field = &self.fields[predicate];
            let rows = if self.derived.contains(predicate) {
                format!("{field}_all")
            } else {
                format!("sorted({field}_given)")
            };
            let _ = writeln!(out, "        {field}: {rows},");
        }
        out.push_str(
            "    }\n}\n\nfn sorted<R: Ord>(mut rows: Vec<R>) -> Vec<R> {\n    rows.sort_unstable();\n    rows.dedup();\n    rows\n}\n",
        );
    }

    fn aggregate(&self, key: AggregateKey, aggregation: &Aggregation, out: &mut String) {
        let predicate = aggregation.atom.signature();
        let names = columns(predicate.arity);
        let row: Vec<&str> = names
            .iter()
            .enumerate()
            .map(|(i, name)| if i <= aggregation.bound { name.as_str() } else { "_" })
            .collect();
        let function = match aggregation.function {
            AggregateFunction::Count => "count",
            AggregateFunction::Sum => "sum",
            AggregateFunction::Minimum => "least",
            AggregateFunction::Maximum => "greatest",
            AggregateFunction::Average => "average",
        };
        let (number, place) = key;
        let rows = match self.derived.contains(&predicate) {
            true => format!("{}_all", self.fields[&predicate]),
            false => format!("sorted({}_given.clone())", self.fields[&predicate]),
        };
        let _ = writeln!(
            out,
            "    let (groups_{number}_{place}, values_{number}_{place}) = grouped(&{rows}, |{}| ({}, {}), {function});",
            tuple(&row),
            tuple(&names[..aggregation.bound]),
            names[aggregation.bound],
        );
    }
}

/// One `crepe!` with its inputs and results.
struct Stage<'s> {
    names: &'s Crate<'s>,
    number: usize,
    rules: Vec<usize>,
    aggregates: BTreeMap<AggregateKey, &'s Aggregation>,
    /// The predicates that come from outside: facts, and relations of earlier stages.
    read: BTreeSet<Predicate>,
    /// The predicates of this stage.
    own: BTreeSet<Predicate>,
    /// Those of them that are asked for outside.
    results: Vec<Predicate>,
}

impl<'s> Stage<'s> {
    fn new(names: &'s Crate, number: usize) -> Self {
        let is_own = |predicate: &Predicate| names.stages.get(predicate) == Some(&number);
        let own: BTreeSet<Predicate> = names.stages.keys().filter(|predicate| is_own(predicate)).cloned().collect();
        let later = names.program.rules.iter().filter(|rule| names.stages[&rule.head.signature()] > number);
        let asked: BTreeSet<Predicate> =
            later.flat_map(|rule| &rule.body).filter_map(Literal::atom).map(Atom::signature).collect();
        let is_asked = |predicate: &&Predicate| asked.contains(predicate) || names.program.outputs.contains(predicate);
        let results = own.iter().filter(is_asked).cloned().collect();
        let (rules, aggregates, read) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
        let mut stage = Stage { names, number, rules, aggregates, read, own, results };
        for (i, rule) in names.program.rules.iter().enumerate().filter(|(_, rule)| is_own(&rule.head.signature())) {
            stage.rules.push(i);
            for (place, literal) in rule.body.iter().enumerate() {
                match literal {
                    Literal::Aggregate(aggregation) => _ = stage.aggregates.insert((i, place), aggregation),
                    literal => {
                        let atom = literal.atom().map(Atom::signature);
                        stage.read.extend(atom.filter(|predicate| !is_own(predicate)));
                    }
                }
            }
        }
        stage
    }

    /// The arguments of the stage's function, with their row types.
    fn arguments(&self) -> Vec<(String, String)> {
        let names = self.names;
        let kept = |predicate: &Predicate| if names.derived.contains(predicate) { "all" } else { "given" };
        let row = |predicate: &Predicate| tuple(&names.types(predicate));
        let read = self
            .read
            .iter()
            .map(|predicate| (format!("{}_{}", names.fields[predicate], kept(predicate)), row(predicate)));
        let given = self.own.iter().filter(|predicate| names.is_given(predicate));
        let given = given.map(|predicate| (format!("{}_given", names.fields[predicate]), row(predicate)));
        let aggregates = self.aggregates.iter().flat_map(|((number, place), aggregation)| {
            let (group, value) = (tuple(&self.group_types(aggregation)), self.value_type(aggregation));
            [
                (format!("groups_{number}_{place}"), group.clone()),
                (format!("values_{number}_{place}"), format!("({group}, {value})")),
            ]
        });
        read.chain(given).chain(aggregates).collect()
    }

    fn group_types(&self, aggregation: &Aggregation) -> Vec<&'static str> {
        self.names.types(&aggregation.atom.signature())[..aggregation.bound].to_vec()
    }

    fn value_type(&self, aggregation: &Aggregation) -> &'static str {
        match aggregation.function {
            AggregateFunction::Minimum | AggregateFunction::Maximum => {
                self.names.types(&aggregation.atom.signature())[aggregation.bound]
            }
            AggregateFunction::Count | AggregateFunction::Sum | AggregateFunction::Average => "i64",
        }
    }

    fn write(&self, out: &mut String, refusals: &mut Refusals) {
        let mut body = String::from("    crepe! {\n");
        self.relations(&mut body);
        self.rules(&mut body, refusals);
        body.push_str("    }\n\n");
        self.function(&mut body);
        let used = imports(&body);
        let used =
            if used.is_empty() { String::new() } else { format!("    use super::super::term::{};\n", braced(&used)) };
        let _ = writeln!(out, "\nmod stage_{} {{\n{used}    use crepe::crepe;\n\n{body}}}", self.number);
    }

    fn relations(&self, out: &mut String) {
        let names = self.names;
        let declare = |out: &mut String, kind: &str, name: &str, types: &[&str]| {
            let kind = if kind.is_empty() { String::new() } else { format!("        {kind}\n") };
            let _ = writeln!(out, "{kind}        pub struct {name}({});", types.join(", "));
        };
        for predicate in &self.read {
            declare(out, "@input", &names.relations[predicate], &names.types(predicate));
        }
        for predicate in &self.own {
            let kind = if self.results.contains(predicate) { "@output" } else { "" };
            declare(out, kind, &names.relations[predicate], &names.types(predicate));
            if names.is_given(predicate) {
                declare(out, "@input", &format!("{}Given", names.relations[predicate]), &names.types(predicate));
            }
        }
        for ((number, place), aggregation) in &self.aggregates {
            let mut types = self.group_types(aggregation);
            declare(out, "@input", &format!("Groups{number}At{place}"), &types);
            types.push(self.value_type(aggregation));
            declare(out, "@input", &format!("Values{number}At{place}"), &types);
        }
        out.push('\n');
    }

    fn rules(&self, out: &mut String, refusals: &mut Refusals) {
        let names = self.names;
        for predicate in self.own.iter().filter(|predicate| names.is_given(predicate)) {
            let (name, columns) = (&names.relations[predicate], columns(predicate.arity).join(", "));
            let _ = writeln!(out, "        {name}({columns}) <- {name}Given({columns});");
        }
        for &number in &self.rules {
            let rule = &names.program.rules[number];
            match RuleWriter::new(names, number).write(rule) {
                Ok(texts) => texts.iter().for_each(|text| _ = writeln!(out, "        {text}")),
                Err((span, what)) => refusals.add(if span.is_none() { rule.span } else { span }, what),
            }
        }
    }

    /// The function that runs the stage.
    fn function(&self, out: &mut String) {
        let names = self.names;
        let arguments = self.arguments();
        let parameters: Vec<String> = arguments.iter().map(|(name, row)| format!("{name}: &[{row}]")).collect();
        let rows: Vec<String> =
            self.results.iter().map(|predicate| format!("Vec<{}>", tuple(&names.types(predicate)))).collect();
        let _ = writeln!(out, "    pub fn run({}) -> {} {{", parameters.join(", "), tuple(&rows));
        let mutable = if arguments.is_empty() { "" } else { "mut " };
        let _ = writeln!(out, "        let {mutable}runtime = Crepe::new();");
        let extend = |out: &mut String, rows: &str, row: &str, relation: &str, columns: &[String]| {
            let columns = columns.join(", ");
            let _ = writeln!(out, "        runtime.extend({rows}.iter().map(|&{row}| {relation}({columns})));");
        };
        let read = self.read.iter().map(|predicate| (predicate, names.relations[predicate].clone()));
        let given = self.own.iter().filter(|predicate| names.is_given(predicate));
        let given = given.map(|predicate| (predicate, format!("{}Given", names.relations[predicate])));
        for ((predicate, relation), (rows, _)) in read.chain(given).zip(&arguments) {
            let columns = columns(predicate.arity);
            extend(out, rows, &tuple(&columns), &relation, &columns);
        }
        for ((number, place), aggregation) in &self.aggregates {
            let mut columns = columns(aggregation.bound);
            let row = tuple(&columns);
            extend(out, &format!("groups_{number}_{place}"), &row, &format!("Groups{number}At{place}"), &columns);
            columns.push("of_group".to_owned());
            let row = format!("({row}, of_group)");
            extend(out, &format!("values_{number}_{place}"), &row, &format!("Values{number}At{place}"), &columns);
        }
        let results: Vec<&String> = self.results.iter().map(|predicate| &names.fields[predicate]).collect();
        let texts: Vec<String> = results.iter().map(|name| format!("{name}_all")).collect();
        let _ = writeln!(out, "        let {} = runtime.run();", tuple(&texts));
        let sorted = self.results.iter().zip(&texts).map(|(predicate, name)| {
            let columns = columns(predicate.arity);
            let pattern = format!("{}({})", names.relations[predicate], columns.join(", "));
            format!("super::sorted({name}.into_iter().map(|{pattern}| {}).collect())", tuple(&columns))
        });
        let _ = writeln!(out, "        {}\n    }}", tuple(&sorted.collect::<Vec<_>>()));
    }
}

fn columns(arity: usize) -> Vec<String> {
    (0..arity).map(|i| format!("x{i}")).collect()
}

/// A tuple, with its comma if there is one part.
fn tuple(parts: &[impl AsRef<str>]) -> String {
    let texts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match texts[..] {
        [one] => format!("({one},)"),
        _ => format!("({})", texts.join(", ")),
    }
}
