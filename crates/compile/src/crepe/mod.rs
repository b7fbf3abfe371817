//! Programs as crates with crepe.
//!
//! crepe derives relations of `Copy` types stratum by stratum, but has no aggregates. So the predicates fall into stages: what aggregates
//! read is of an earlier stage than what they are read for, each stage is one `crepe!`, and Rust aggregates in between:
//!
//! ```text
//! inputs and facts ─stage 0→ relations ─groups, values→ ─stage 1→ … ─→ outputs
//! ```
//!
//! A column of integers is an `Integer`, one of symbols a `Symbol`, any other a `Term`. Symbols and compounds are kept once each, for as
//! long as the program runs, so that they are words in rows. `stage` writes a stage, `rule` its rules, `expression` what they compute,
//! `layout` the lines; `template/` are the files that all crates share.

mod expression;
mod layout;
mod rule;
mod stage;

use crate::elements::without_negated_patterns;
use crate::names;
use crate::sorts::{Sort, Sorts};
use crate::translatable::Translatable;
use crate::{Refusals, Translation};
use ludolog_logic::analysis::clause::{Aggregation, Literal};
use ludolog_syntax::ast::{Atom, Predicate};
use rustc_hash::FxHashMap;
use stage::Stage;
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
    "power", "band", "bor", "bxor", "bnot", "bshl", "bshr", "number", "part", "parts", "value", "order", "elements",
    "range", "within", "compound", "symbol", "column", "grouped", "count", "sum", "average", "least", "greatest",
    "run", "inputs", "crepe", "runtime", "term", "std", "core", "option", "result", "vec", "string", "some", "none",
    "ok", "err", "default", "ordering", "bool", "str", "integer", "sorted",
];

/// Types of the program. crepe makes variables of relations, so these may not be called like keywords either.
const TYPES: &[&str] = &[
    "Term", "Integer", "Symbol", "RowSet", "LazyLock", "Crepe", "Some", "None", "Ok", "Err", "Vec", "String", "Option",
    "Result", "Default", "Self",
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
    let names = items.filter_map(|item| item.split(|c: char| !c.is_ascii_alphanumeric()).next()).chain(["Integer"]);
    let spoken = names_in(text);
    let named: BTreeSet<&str> = names.filter(|name| spoken.contains(*name)).collect();
    named.into_iter().collect::<Vec<_>>().join(", ")
}

/// The names in a text that belong to nothing else, as fields, methods and variants do.
fn names_in(text: &str) -> BTreeSet<String> {
    let code = without_literals(text);
    let words = code.split_inclusive(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut free = BTreeSet::new();
    let mut before = "";
    for word in words {
        if !before.ends_with(['.', ':']) {
            free.insert(word.trim_end_matches(|c: char| !c.is_ascii_alphanumeric() && c != '_').to_owned());
        }
        before = word;
    }
    free
}

/// Names to be imported, in braces if there are several.
fn braced(names: &str) -> String {
    if names.contains(',') { format!("{{{names}}}") } else { names.to_owned() }
}

/// A text of Rust without the contents of its string literals.
fn without_literals(text: &str) -> String {
    let mut in_literal = false;
    let mut is_escaped = false;
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
            ColumnType::Integer => "Integer",
            ColumnType::Symbol => "Symbol",
            ColumnType::Term => "Term",
        }
    }
}

/// Translates a program. What has no translation is added to the refusals.
pub(crate) fn translate(program: &Translatable, refusals: &mut Refusals) -> Translation {
    let (text, names) = module(program, refusals);
    let files = [
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", include_str!("template/lib.rs")),
        ("src/main.rs", include_str!("template/main.rs")),
        ("src/tables.rs", include_str!("template/tables.rs")),
        ("src/term.rs", TERM),
        ("src/term/integer.rs", include_str!("template/integer.rs")),
        ("src/program.rs", &text),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
    Translation { files, names }
}

/// The module of the program, and the names of its predicates.
fn module(program: &Translatable, refusals: &mut Refusals) -> (String, BTreeMap<Predicate, String>) {
    let program = without_negated_patterns(program);
    let sorts = Sorts::of(&program);
    let crate_ = Crate::new(&program, &sorts);
    let text = crate_.text(refusals);
    (text, crate_.fields)
}

/// The stages of a program as modules, without the function from inputs to outputs. That of a single stage has the given name.
pub(crate) fn stage_modules(program: &Translatable, name: &str, refusals: &mut Refusals) -> String {
    let program = without_negated_patterns(program);
    let sorts = Sorts::of(&program);
    let crate_ = Crate::new(&program, &sorts);
    let stages = crate_.stages();
    let mut out = String::new();
    for stage in &stages {
        let numbered = if stages.len() == 1 { name.to_owned() } else { format!("{name}_{}", stage.number) };
        stage.write(&numbered, &mut out, refusals);
    }
    out
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
fn stage_of(program: &Translatable) -> FxHashMap<Predicate, usize> {
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
    /// The number of the stage of each predicate that has rules.
    stage_of: FxHashMap<Predicate, usize>,
    derived: BTreeSet<Predicate>,
    recursive: BTreeSet<Predicate>,
    inputs: BTreeSet<Predicate>,
    stated: BTreeSet<Predicate>,
    /// The names of the symbols and functors of the rules.
    symbols: names::Symbols,
}

impl<'c> Crate<'c> {
    fn new(program: &'c Translatable, sorts: &'c Sorts) -> Crate<'c> {
        let predicates = program.predicates();
        let relations = names::of_predicates(&predicates, &[KEYWORDS, TYPES].concat(), camel);
        let relations: BTreeMap<Predicate, String> =
            relations.into_iter().map(|(predicate, name)| (predicate, name.replace('_', "N"))).collect();
        Crate {
            fields: names::of_predicates(&predicates, &reserved_variables(), |text| {
                names::identifier(text).to_lowercase()
            }),
            symbols: names::Symbols::new(relations.values().map(String::as_str).chain(TYPES.iter().copied())),
            relations,
            stage_of: stage_of(program),
            derived: program.rules.iter().map(|rule| rule.head.signature()).collect(),
            recursive: program.recursive(),
            inputs: program.undefined.iter().cloned().chain(program.case.iter().map(Atom::signature)).collect(),
            stated: program.facts.iter().map(Atom::signature).collect(),
            program,
            sorts,
        }
    }

    /// The stages that have results, in their order.
    fn stages(&self) -> Vec<Stage<'_>> {
        let last = self.stage_of.values().max().copied().unwrap_or(0);
        (0..=last).map(|number| Stage::new(self, number)).filter(|stage| !stage.results.is_empty()).collect()
    }

    /// The rows of a predicate that are known before the first stage: a slice.
    fn given(&self, predicate: &Predicate) -> String {
        let field = &self.fields[predicate];
        match (self.inputs.contains(predicate), self.stated.contains(predicate)) {
            (true, true) => format!("&[{field}_facts(), inputs.{field}.clone()].concat()"),
            (true, false) => format!("&inputs.{field}"),
            (false, true) => format!("&{field}_facts()"),
            (false, false) => "&[]".to_owned(),
        }
    }

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
        let stages = self.stages();
        self.run(&stages, &mut out);
        let head = imports(&out);
        for stage in &stages {
            stage.write(&format!("stage_{}", stage.number), &mut out, refusals);
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
                let name = predicate.name.text();
                let field = &self.fields[predicate];
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
            let name = predicate.name.text();
            let field = &self.fields[predicate];
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
                    .map(|(i, arg)| {
                        let wanted = ColumnType::of(self.sorts.column(predicate, i));
                        expression::constant(arg, wanted, &|name| format!("symbol({name:?})"))
                    })
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
        for stage in stages {
            for (key, aggregation) in &stage.aggregates {
                self.aggregate(*key, aggregation, out);
            }
            let results: Vec<&String> = stage.results.iter().map(|predicate| &self.fields[predicate]).collect();
            let call = format!("let {} = stage_{}::run", tuple(&results), stage.number);
            out.push_str(&layout::call(4, &call, &stage.arguments(), ";"));
            for predicate in &stage.results {
                let field = &self.fields[predicate];
                let row = columns(predicate.arity);
                let pattern = format!("stage_{}::{}({})", stage.number, self.relations[predicate], row.join(", "));
                let _ =
                    writeln!(out, "    let {field} = sorted({field}.into_iter().map(|{pattern}| {}));", tuple(&row));
            }
        }
        out.push_str("    Outputs {\n");
        for predicate in &self.program.outputs {
            let field = &self.fields[predicate];
            if self.derived.contains(predicate) {
                let _ = writeln!(out, "        {field},");
            } else {
                let _ = writeln!(out, "        {field}: {},", self.sorted_given(predicate));
            }
        }
        out.push_str(
            "    }\n}\n\nfn sorted<R: Ord>(rows: impl IntoIterator<Item = R>) -> Vec<R> {\n    let mut rows = Vec::from_iter(rows);\n    \
             rows.sort_unstable();\n    rows.dedup();\n    rows\n}\n",
        );
    }

    /// The given rows of a predicate without rules, each once, in order.
    fn sorted_given(&self, predicate: &Predicate) -> String {
        let rows = self.given(predicate);
        let rows = rows.strip_prefix('&').unwrap_or(&rows);
        format!("sorted({rows}{})", if rows.starts_with("inputs.") { ".clone()" } else { "" })
    }

    fn aggregate(&self, key: AggregateKey, aggregation: &Aggregation, out: &mut String) {
        let predicate = aggregation.atom.signature();
        let names = columns(predicate.arity);
        let row: Vec<&str> = names
            .iter()
            .enumerate()
            .map(|(i, name)| if i <= aggregation.bound { name.as_str() } else { "_" })
            .collect();
        let function = names::of_aggregate(aggregation.function).unwrap_or_default();
        let (number, place) = key;
        let rows = if self.derived.contains(&predicate) {
            self.fields[&predicate].clone()
        } else {
            self.sorted_given(&predicate)
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
