//! Identifiers of other systems.

use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{AggregateFunction, Name, Operation, Predicate};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The names of the variables of a rule.
pub(crate) type VariableNames = FxHashMap<Name, String>;

/// A name for each predicate: `spell` of its own, or if that is reserved or taken, also in another case, with a number behind it.
pub(crate) fn of_predicates(
    predicates: &[Predicate],
    reserved: &[&str],
    spell: impl Fn(&str) -> String,
) -> BTreeMap<Predicate, String> {
    let mut taken: FxHashSet<String> = reserved.iter().map(|name| name.to_lowercase()).collect();
    let name = |predicate: &Predicate| (predicate.clone(), free(spell(predicate.name.text()), &mut taken));
    predicates.iter().map(name).collect()
}

/// Names of symbols and functors in capital letters, each made when it is first asked for.
pub(crate) struct Symbols {
    names: RefCell<BTreeMap<String, String>>,
    taken: RefCell<FxHashSet<String>>,
}

impl Symbols {
    /// No names yet; none will be one of the reserved.
    pub(crate) fn new<'r>(reserved: impl Iterator<Item = &'r str>) -> Symbols {
        Symbols { names: RefCell::default(), taken: RefCell::new(reserved.map(str::to_lowercase).collect()) }
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, symbol: &str) -> String {
        let mut names = self.names.borrow_mut();
        let name = || free(identifier(symbol).to_uppercase(), &mut self.taken.borrow_mut());
        names.entry(symbol.to_owned()).or_insert_with(name).clone()
    }

    /// The symbols whose names are among these, with their names.
    pub(crate) fn named_in(&self, names: &BTreeSet<String>) -> Vec<(String, String)> {
        let all = self.names.borrow();
        let known = all.iter().filter(|(_, name)| names.contains(*name));
        known.map(|(symbol, name)| (symbol.clone(), name.clone())).collect()
    }
}

fn free(name: String, taken: &mut FxHashSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}_{n}"));
    let mut candidates = std::iter::once(name.clone()).chain(numbered);
    candidates.find(|name| taken.insert(name.to_lowercase())).unwrap_or(name)
}

/// The letters, digits and underscores of a text, with an underscore between other characters, behind a letter.
pub(crate) fn identifier(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let joined = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    let trimmed = joined.trim_start_matches('_');
    if trimmed.starts_with(|c: char| c.is_ascii_alphabetic()) { trimmed.to_owned() } else { format!("n{trimmed}") }
}

/// An [`identifier`] that begins with a small letter.
pub(crate) fn lower(text: &str) -> String {
    with_first(text, char::to_ascii_lowercase)
}

/// An [`identifier`] that begins with a capital letter.
pub(crate) fn upper(text: &str) -> String {
    with_first(text, char::to_ascii_uppercase)
}

fn with_first(text: &str, change: impl Fn(&char) -> char) -> String {
    let name = identifier(text);
    name.chars().enumerate().map(|(i, c)| if i == 0 { change(&c) } else { c }).collect()
}

/// The names of the variables of a rule. Those that occur once are `_`, but for those of literals that need a name.
pub(crate) fn of_variables(
    rule: &Clause,
    reserved: &[&str],
    needs_name: impl Fn(&Literal) -> bool,
    spell: impl Fn(&str) -> String,
) -> FxHashMap<Name, String> {
    let mut counts: Vec<(Name, usize)> = Vec::new();
    let mut count = |name: &Name| match counts.iter_mut().find(|(other, _)| other == name) {
        Some((_, n)) => *n += 1,
        None => counts.push((name.clone(), 1)),
    };
    rule.head.args.iter().for_each(|arg| arg.for_each_variable(&mut count));
    for literal in &rule.body {
        literal.for_each_variable(&mut count);
        if needs_name(literal) {
            literal.for_each_variable(&mut count);
        }
    }
    let mut taken: FxHashSet<String> = reserved.iter().map(|name| name.to_lowercase()).collect();
    let spelled = counts.into_iter().map(|(name, n)| {
        let text = if n == 1 { "_".to_owned() } else { free(spell(&name), &mut taken) };
        (name, text)
    });
    spelled.collect()
}

/// Whether a literal computes or compares: there, some systems have no variables without a name.
pub(crate) fn relates_terms(literal: &Literal) -> bool {
    literal.atom().is_none() || matches!(literal, Literal::Aggregate(_))
}

/// The name of what computes an operation, where it is written out.
pub(crate) fn of_operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Add => "add",
        Operation::Subtract => "subtract",
        Operation::Multiply => "multiply",
        Operation::Divide => "divide",
        Operation::Modulo => "modulo",
        Operation::Negate => "negate",
        Operation::Minimum => "minimum",
        Operation::Maximum => "maximum",
        Operation::Absolute => "absolute",
        Operation::Power => "power",
        Operation::BitAnd => "band",
        Operation::BitOr => "bor",
        Operation::BitXor => "bxor",
        Operation::BitNot => "bnot",
        Operation::ShiftLeft => "bshl",
        Operation::ShiftRight => "bshr",
        Operation::Number => "number",
        Operation::Float => "float",
        Operation::Floor => "floor",
        Operation::Ceiling => "ceiling",
        Operation::Round => "round",
        Operation::SquareRoot => "sqrt",
        Operation::Exponential => "exp",
        Operation::Logarithm => "log",
        Operation::Spelling => "spelling",
        Operation::Length => "length",
        Operation::Join => "join",
        Operation::Part => "part",
        Operation::Called(function) => function.name(),
    }
}

/// The aggregates that are translated, with the names of what computes them where that is written out.
const AGGREGATES: [(AggregateFunction, &str); 5] = [
    (AggregateFunction::Count, "count"),
    (AggregateFunction::Sum, "sum"),
    (AggregateFunction::Minimum, "least"),
    (AggregateFunction::Maximum, "greatest"),
    (AggregateFunction::Average, "average"),
];

/// The name of what computes an aggregate, where it is written out; `None` for one that is not translated.
pub(crate) fn of_aggregate(function: AggregateFunction) -> Option<&'static str> {
    AGGREGATES.into_iter().find(|(other, _)| *other == function).map(|(_, name)| name)
}
