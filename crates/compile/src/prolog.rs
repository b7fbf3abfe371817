//! Programs for SWI-Prolog.
//!
//! Predicates that depend on themselves are tabled, so that left recursion and cycles end. Bodies keep their order, in which each literal
//! finds bound what it needs. Arithmetic goes through predicates that fail where nothing can be computed, and a negated comparison is the
//! negation of the whole computation.

use crate::Translation;
use crate::names::{self, VariableNames};
use crate::sorts::{RuleSorts, Sort, Sorts, computed};
use crate::translatable::Translatable;
use ludolog_logic::analysis::clause::{Aggregation, Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Operation, Predicate, Term};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The predicates behind the operations.
const PRELUDE: &str = include_str!("prelude.pl");

/// Names of predicates that a program may not define, or that the translation needs.
const RESERVED: &[&str] = &[
    "main",
    "true",
    "fail",
    "false",
    "call",
    "!",
    ",",
    ";",
    "->",
    "*->",
    "|",
    ":-",
    "?-",
    "-->",
    ":",
    "\\+",
    "=",
    "\\=",
    "==",
    "\\==",
    "@<",
    "@=<",
    "@>",
    "@>=",
    "is",
    "=:=",
    "=\\=",
    "<",
    "=<",
    ">",
    ">=",
    "=..",
    "var",
    "nonvar",
    "atom",
    "number",
    "integer",
    "float",
    "atomic",
    "compound",
    "callable",
    "ground",
    "is_list",
    "functor",
    "arg",
    "copy_term",
    "clause",
    "current_predicate",
    "asserta",
    "assertz",
    "assert",
    "retract",
    "abolish",
    "findall",
    "bagof",
    "setof",
    "forall",
    "catch",
    "throw",
    "once",
    "repeat",
    "halt",
    "atom_length",
    "atom_concat",
    "sub_atom",
    "atom_chars",
    "atom_codes",
    "char_code",
    "number_chars",
    "number_codes",
    "compare",
    "sort",
    "msort",
    "keysort",
    "length",
    "member",
    "last",
    "sum_list",
    "between",
    "atomic_list_concat",
    "write",
    "writeq",
    "print",
    "write_term",
    "write_canonical",
    "nl",
    "read",
    "read_term",
    "op",
    "current_op",
    "open",
    "close",
    "consult",
    "table",
    "dynamic",
    "initialization",
    "format",
    "not",
    "apply",
    "ignore",
    "get_char",
    "put_char",
    "peek_char",
    "flush_output",
    "set_prolog_flag",
    "current_prolog_flag",
    "unify_with_occurs_check",
    "subsumes_term",
    "term_variables",
    "retractall",
    "tab",
    "get_byte",
    "put_byte",
    "peek_byte",
    "get_code",
    "put_code",
    "peek_code",
    "succ",
    "plus",
    "string",
    "tnot",
    "undefined",
    "module",
    "use_module",
    "acyclic_term",
    "at_end_of_stream",
    "char_conversion",
    "current_char_conversion",
    "current_input",
    "current_output",
    "discontiguous",
    "message_queue_create",
    "message_queue_destroy",
    "message_queue_property",
    "multifile",
    "mutex_create",
    "mutex_destroy",
    "mutex_lock",
    "mutex_property",
    "mutex_trylock",
    "mutex_unlock",
    "numbervars",
    "phrase",
    "predicate_property",
    "set_input",
    "set_output",
    "set_stream_position",
    "stream_property",
    "thread_create",
    "thread_detach",
    "thread_get_message",
    "thread_peek_message",
    "thread_property",
    "thread_self",
    "thread_send_message",
    "thread_signal",
    "with_mutex",
    "portray",
    "term_expansion",
    "goal_expansion",
    "message_hook",
    "exception",
    "file_search_path",
    "prolog_load_file",
    "code_type",
    "compound_name_arguments",
];

/// Translates a program: Prolog has all that it may hold.
pub(crate) fn translate(program: &Translatable) -> Translation {
    let sorts = Sorts::of(program);
    let names = names::of_predicates(&program.predicates(), RESERVED, |name| {
        if name.starts_with("ludolog_") { format!("own_{name}") } else { name.to_owned() }
    });
    let writer = Writer { program, names: &names };
    let mut out = String::from(":- initialization(main, main).\n:- style_check(-discontiguous).\n");
    let indicator = |predicate: &Predicate| format!("{}/{}", quoted(&names[predicate]), predicate.arity);
    for predicate in program.recursive() {
        let _ = writeln!(out, ":- table {}.", indicator(&predicate));
    }
    let mut unknown: Vec<&Predicate> = program.undefined.iter().collect();
    let defined = program.all_facts().chain(program.rules.iter().map(|rule| &rule.head)).map(Atom::signature);
    let defined: std::collections::BTreeSet<Predicate> = defined.collect();
    unknown.extend(
        names.keys().filter(|predicate| !defined.contains(predicate) && !program.undefined.contains(predicate)),
    );
    for predicate in unknown {
        let _ = writeln!(out, ":- dynamic {}.", indicator(predicate));
    }
    out.push('\n');
    for fact in program.all_facts() {
        let _ = writeln!(out, "{}.", writer.atom(fact, &VariableNames::default()));
    }
    for (number, rule) in program.rules.iter().enumerate() {
        out.push_str(&writer.rule(rule, sorts.rule(number)));
    }
    out.push_str("\nmain :-\n");
    for predicate in &program.outputs {
        let stated = predicate.name.text();
        let own = Some(stated).filter(|stated| *stated != names[predicate]).map(|stated| quoted(stated) + ", ");
        let own = own.unwrap_or_default();
        let _ = writeln!(out, "    ludolog_print({}, {own}{}),", quoted(&names[predicate]), predicate.arity);
    }
    out.push_str("    true.\n");
    out.push_str(PRELUDE);
    Translation { files: vec![("program.pl".to_owned(), out)], names }
}

struct Writer<'w> {
    program: &'w Translatable,
    names: &'w BTreeMap<Predicate, String>,
}

impl Writer<'_> {
    fn rule(&self, rule: &Clause, sorts: RuleSorts) -> String {
        let variables = names::of_variables(rule, &[], |_| false, |name| format!("V_{}", names::identifier(name)));
        let mut goals = Goals { variables: &variables, sorts, list: Vec::new(), values: 0 };
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) if self.program.is_recursive(rule, atom) => self.recursive(atom, &mut goals),
                _ => self.literal(literal, &mut goals),
            }
        }
        let head = self.atom(&rule.head, &variables);
        crate::rule_text(&head, &goals.list)
    }

    /// Reads a tabled predicate. Compounds are matched behind the call: a call for each of ever larger terms would have no end.
    fn recursive(&self, atom: &Atom, goals: &mut Goals) {
        let mut matches = Vec::new();
        let mut place = |arg: &Term| {
            let text = term(arg, goals.variables);
            if !matches!(arg, Term::Compound(..)) {
                return text;
            }
            goals.values += 1;
            let value = format!("V{}", goals.values);
            matches.push(format!("{value} = {text}"));
            value
        };
        let args: Vec<String> = atom.args.iter().map(&mut place).collect();
        goals.list.push(applied(&self.names[&atom.signature()], &args));
        goals.list.extend(matches);
    }

    fn literal(&self, literal: &Literal, goals: &mut Goals) {
        match literal {
            Literal::Positive(atom) => goals.list.push(self.atom(atom, goals.variables)),
            Literal::Negative(atom) => goals.list.push(format!("\\+ {}", self.atom(atom, goals.variables))),
            Literal::Compare(comparison) => goals.compare(comparison),
            Literal::NotCompare(comparison) => goals.negate(|inner| inner.compare(comparison)),
            Literal::Member { element, elements, negated, .. } => {
                if *negated {
                    goals.negate(|inner| inner.member(element, elements));
                } else {
                    goals.member(element, elements);
                }
            }
            Literal::Aggregate(aggregation) => self.aggregate(aggregation, goals),
        }
    }

    fn aggregate(&self, aggregation: &Aggregation, goals: &mut Goals) {
        goals.values += 1;
        let number = goals.values;
        let tuple: Vec<String> =
            (1..=aggregation.atom.args.len() - aggregation.bound).map(|i| format!("T{number}_{i}")).collect();
        let mut args: Vec<String> = aggregation.group().iter().map(|arg| term(arg, goals.variables)).collect();
        args.extend(tuple.iter().cloned());
        let atom = applied(&self.names[&aggregation.atom.signature()], &args);
        let function = names::of_aggregate(aggregation.function).unwrap_or_default();
        goals.list.push(format!("ludolog_tuples([{}], {atom}, T{number})", tuple.join(", ")));
        goals.list.push(format!("ludolog_{function}(T{number}, V{number})"));
        goals.list.push(format!("V{number} = {}", term(&aggregation.result, goals.variables)));
    }

    fn atom(&self, atom: &Atom, variables: &VariableNames) -> String {
        let args: Vec<String> = atom.args.iter().map(|arg| term(arg, variables)).collect();
        applied(&self.names[&atom.signature()], &args)
    }
}

/// The goals of a body.
struct Goals<'g> {
    variables: &'g VariableNames,
    sorts: RuleSorts<'g>,
    list: Vec<String>,
    /// The number of intermediate values.
    values: usize,
}

impl Goals<'_> {
    /// Adds the negation of all goals that `add` adds.
    fn negate(&mut self, add: impl FnOnce(&mut Self)) {
        let before = std::mem::take(&mut self.list);
        add(self);
        let inner = std::mem::replace(&mut self.list, before);
        self.list.push(format!("\\+ ( {} )", inner.join(", ")));
    }

    fn compare(&mut self, comparison: &Comparison) {
        let Comparison { comparator, left, right, .. } = comparison;
        if matches!(comparator, Comparator::Equal | Comparator::NotEqual) {
            let sides = [left, right].map(|side| self.folded(side, *comparator));
            let sign = if *comparator == Comparator::Equal { "=" } else { "\\==" };
            return self.list.push(format!("{} {sign} {}", sides[0], sides[1]));
        }
        let all_integers = [left, right]
            .into_iter()
            .all(|side| computed(side, *comparator).is_none() && self.sorts.term(side) == Sort::INTEGER);
        let [a, b] = [left, right].map(|side| self.value(side, *comparator));
        let goal = match comparator {
            Comparator::Is if computed(right, *comparator).is_some() => format!("{a} = {b}"),
            Comparator::Is => format!("ludolog_value({b}), {a} = {b}"),
            Comparator::SameValue => format!("ludolog_same({a}, {b})"),
            Comparator::OtherValue => format!("ludolog_other({a}, {b})"),
            Comparator::Less if all_integers => format!("{a} < {b}"),
            Comparator::LessOrEqual if all_integers => format!("{a} =< {b}"),
            Comparator::Greater if all_integers => format!("{a} > {b}"),
            Comparator::GreaterOrEqual if all_integers => format!("{a} >= {b}"),
            Comparator::Less => format!("ludolog_less({a}, {b})"),
            Comparator::LessOrEqual => format!("ludolog_less_or_equal({a}, {b})"),
            Comparator::Greater => format!("ludolog_less({b}, {a})"),
            _ => format!("ludolog_less_or_equal({b}, {a})"),
        };
        self.list.push(goal);
    }

    fn member(&mut self, element: &Term, elements: &Elements) {
        let element = term(element, self.variables);
        let goal = match elements {
            Elements::List(list) => format!("ludolog_element({element}, {})", term(list, self.variables)),
            Elements::Range(from, to) => {
                let [from, to] = [from, to].map(|bound| self.value(bound, Comparator::Is));
                format!("ludolog_within({element}, {from}, {to})")
            }
        };
        self.list.push(goal);
    }

    /// A side of `is` or of an ordering: a goal for each operation, and the variable of its value.
    fn value(&mut self, side: &Term, comparator: Comparator) -> String {
        let Some((operation, operands)) = computed(side, comparator) else { return term(side, self.variables) };
        let operands: Vec<String> = operands.iter().map(|operand| self.value(operand, comparator)).collect();
        let (goal, value) = self.operation(operation, &operands);
        self.list.push(goal);
        value
    }

    fn operation(&mut self, operation: Operation, operands: &[String]) -> (String, String) {
        let name = names::of_operation(operation);
        self.values += 1;
        let value = format!("V{}", self.values);
        let operands = operands.join(", ");
        let operands =
            if matches!(operation, Operation::Join | Operation::Spelling) { format!("[{operands}]") } else { operands };
        (format!("ludolog_{name}({operands}, {value})"), value)
    }

    /// A side of `=` or `!=`: operators compute where they can, and are terms otherwise.
    fn folded(&mut self, side: &Term, comparator: Comparator) -> String {
        let Term::Compound(functor, args) = side else { return term(side, self.variables) };
        let texts: Vec<String> = args.iter().map(|arg| self.folded(arg, comparator)).collect();
        let plain = applied(functor, &texts);
        let Some((operation, _)) = computed(side, comparator) else { return plain };
        let (goal, value) = self.operation(operation, &texts);
        self.list.push(format!("( {goal} -> true ; {value} = {plain} )"));
        value
    }
}

fn term(term_: &Term, variables: &VariableNames) -> String {
    match term_ {
        Term::Variable(name) => variables.get(name).cloned().unwrap_or_else(|| "_".to_owned()),
        Term::Integer(n) => n.to_string(),
        Term::Float(float) => float.to_string(),
        Term::Symbol(name) => quoted(name),
        Term::Compound(functor, args) if args.is_empty() => format!("{}()", quoted(functor)),
        Term::Compound(functor, args) => {
            applied(functor, &args.iter().map(|arg| term(arg, variables)).collect::<Vec<_>>())
        }
    }
}

fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() { quoted(name) } else { format!("{}({})", quoted(name), args.join(", ")) }
}

/// An atom, in quotes unless its name is plain.
fn quoted(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if plain {
        return name.to_owned();
    }
    let mut out = String::from("'");
    for c in name.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => _ = write!(out, "\\x{:x}\\", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}
