//! One stage of a program: a `crepe!` and the function that runs it.

use super::rule::RuleWriter;
use super::{AggregateKey, Crate, braced, columns, imports, layout, names_in, tuple};
use crate::Refusals;
use ludolog_logic::analysis::clause::{Aggregation, Literal};
use ludolog_syntax::ast::{Atom, Predicate};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// One `crepe!` with its inputs and results.
pub(super) struct Stage<'s> {
    names: &'s Crate<'s>,
    pub(super) number: usize,
    rules: Vec<usize>,
    pub(super) aggregates: BTreeMap<AggregateKey, &'s Aggregation>,
    /// The predicates that come from outside: facts, and relations of earlier stages.
    read: BTreeSet<Predicate>,
    /// The predicates of this stage.
    own: BTreeSet<Predicate>,
    /// Those of them that are asked for outside.
    pub(super) results: Vec<Predicate>,
}

impl<'s> Stage<'s> {
    pub(super) fn new(names: &'s Crate, number: usize) -> Self {
        let is_own = |predicate: &Predicate| names.stage_of.get(predicate) == Some(&number);
        let own: BTreeSet<Predicate> = names.stage_of.keys().filter(|predicate| is_own(predicate)).cloned().collect();
        let later = names.program.rules.iter().filter(|rule| names.stage_of[&rule.head.signature()] > number);
        let asked: BTreeSet<Predicate> =
            later.flat_map(|rule| &rule.body).filter_map(Literal::atom).map(Atom::signature).collect();
        let is_asked = |predicate: &&Predicate| asked.contains(predicate) || names.program.outputs.contains(predicate);
        let results = own.iter().filter(is_asked).cloned().collect();
        let rules = Vec::new();
        let aggregates = BTreeMap::new();
        let read = BTreeSet::new();
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

    /// The parameters of the stage's function, with their row types.
    fn parameters(&self) -> Vec<(String, String)> {
        let names = self.names;
        let rows = self.rows().map(|predicate| (names.fields[predicate].clone(), tuple(&names.types(predicate))));
        let aggregates = self.aggregates.iter().flat_map(|((number, place), aggregation)| {
            let group = tuple(&self.group_types(aggregation));
            let value = self.value_type(aggregation);
            [
                (format!("groups_{number}_{place}"), group.clone()),
                (format!("values_{number}_{place}"), format!("({group}, {value})")),
            ]
        });
        rows.chain(aggregates).collect()
    }

    /// The predicates whose rows the stage takes: those that it reads, and its own that are given.
    fn rows(&self) -> impl Iterator<Item = &Predicate> {
        let given = self.own.iter().filter(|predicate| self.names.is_given(predicate));
        self.read.iter().chain(given)
    }

    /// The arguments of the stage's function, as they stand outside.
    pub(super) fn arguments(&self) -> Vec<String> {
        let read = self.read.iter().map(|predicate| {
            if self.names.derived.contains(predicate) {
                format!("&{}", self.names.fields[predicate])
            } else {
                self.names.given(predicate)
            }
        });
        let given = self.own.iter().filter(|predicate| self.names.is_given(predicate));
        let given = given.map(|predicate| self.names.given(predicate));
        let aggregates = self
            .aggregates
            .keys()
            .flat_map(|(number, place)| ["groups", "values"].map(|kind| format!("&{kind}_{number}_{place}")));
        read.chain(given).chain(aggregates).collect()
    }

    fn group_types(&self, aggregation: &Aggregation) -> Vec<&'static str> {
        self.names.types(&aggregation.atom.signature())[..aggregation.bound].to_vec()
    }

    fn value_type(&self, aggregation: &Aggregation) -> &'static str {
        if aggregation.function.chooses() {
            self.names.types(&aggregation.atom.signature())[aggregation.bound]
        } else {
            "Integer"
        }
    }

    /// The stage as a module of this name, whose parent has the module `term` beside it.
    pub(super) fn write(&self, name: &str, out: &mut String, refusals: &mut Refusals) {
        let mut body = String::from("    crepe! {\n");
        self.relations(&mut body);
        self.rules(&mut body, refusals);
        body.push_str("    }\n\n");
        self.function(&mut body);
        let symbols = self.names.symbols.named_in(&names_in(&body)).into_iter();
        let symbols: String = symbols
            .map(|(text, name)| format!("    static {name}: LazyLock<Symbol> = LazyLock::new(|| symbol({text:?}));\n"))
            .collect();
        let lazy = if symbols.is_empty() { "" } else { "    use std::sync::LazyLock;\n" };
        let imported = imports(&(symbols.clone() + &body));
        let gap = if symbols.is_empty() { "" } else { "\n" };
        let _ = writeln!(
            out,
            "\npub mod {name} {{\n    use super::super::term::{};\n    use crepe::crepe;\n{lazy}\n{symbols}{gap}{body}}}",
            braced(&imported)
        );
    }

    fn relations(&self, out: &mut String) {
        let names = self.names;
        let declare = |out: &mut String, kind: &str, name: &str, types: &[&str]| {
            let types = types.join(if kind == "@output" { ", pub " } else { ", " });
            let first = if kind == "@output" && !types.is_empty() { "pub " } else { "" };
            // crepe takes a visibility only behind `@input` and `@output`.
            let kind = if kind.is_empty() { String::new() } else { format!("{kind} pub ") };
            let _ = writeln!(out, "        {kind}struct {name}({first}{types});");
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
            let name = &names.relations[predicate];
            let columns = columns(predicate.arity).join(", ");
            let _ = writeln!(out, "        {name}({columns}) <- {name}Given({columns});");
        }
        for &number in &self.rules {
            let rule = &names.program.rules[number];
            match RuleWriter::new(names, number).write(rule) {
                Ok(texts) => texts.iter().for_each(|text| _ = writeln!(out, "{text}")),
                Err((span, what)) => refusals.add(if span.is_none() { rule.span } else { span }, what),
            }
        }
    }

    /// The function that runs the stage.
    fn function(&self, out: &mut String) {
        let names = self.names;
        let parameters = self.parameters();
        let texts: Vec<String> = parameters.iter().map(|(name, row)| format!("{name}: &[{row}]")).collect();
        let rows: Vec<String> =
            self.results.iter().map(|predicate| format!("RowSet<{}>", names.relations[predicate])).collect();
        out.push_str("    /// Derives the rows.\n");
        out.push_str(&layout::function(4, "run", &texts, &rows));
        let mutable = if parameters.is_empty() { "" } else { "mut " };
        let _ = writeln!(out, "        let {mutable}runtime = Crepe::new();");
        let extend = |out: &mut String, rows: &str, row: &str, relation: &str, columns: &[String]| {
            let columns = columns.join(", ");
            let _ = writeln!(out, "        runtime.extend({rows}.iter().map(|&{row}| {relation}({columns})));");
        };
        for (predicate, (rows, _)) in self.rows().zip(&parameters) {
            let given = if self.own.contains(predicate) { "Given" } else { "" };
            let columns = columns(predicate.arity);
            extend(out, rows, &tuple(&columns), &format!("{}{given}", names.relations[predicate]), &columns);
        }
        for ((number, place), aggregation) in &self.aggregates {
            let mut columns = columns(aggregation.bound);
            let row = tuple(&columns);
            extend(out, &format!("groups_{number}_{place}"), &row, &format!("Groups{number}At{place}"), &columns);
            columns.push("of_group".to_owned());
            let row = format!("({row}, of_group)");
            extend(out, &format!("values_{number}_{place}"), &row, &format!("Values{number}At{place}"), &columns);
        }
        out.push_str("        runtime.run_with_hasher()\n    }\n");
    }
}
