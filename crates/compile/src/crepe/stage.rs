//! One stage of a program: a `crepe!` and the function that runs it.

use super::rule::RuleWriter;
use super::{AggregateKey, Crate, braced, columns, imports, tuple};
use crate::Refusals;
use ludolog_logic::analysis::clause::{Aggregation, Literal};
use ludolog_syntax::ast::{AggregateFunction, Atom, Predicate};
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
        let is_own = |predicate: &Predicate| names.stages.get(predicate) == Some(&number);
        let own: BTreeSet<Predicate> = names.stages.keys().filter(|predicate| is_own(predicate)).cloned().collect();
        let later = names.program.rules.iter().filter(|rule| names.stages[&rule.head.signature()] > number);
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

    /// The arguments of the stage's function, with their row types.
    pub(super) fn arguments(&self) -> Vec<(String, String)> {
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
            let group = tuple(&self.group_types(aggregation));
            let value = self.value_type(aggregation);
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

    pub(super) fn write(&self, out: &mut String, refusals: &mut Refusals) {
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
            // crepe takes a visibility only behind `@input` and `@output`.
            let kind = if kind.is_empty() { String::new() } else { format!("{kind}\n        pub ") };
            let _ = writeln!(out, "        {kind}struct {name}({});", types.join(", "));
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
