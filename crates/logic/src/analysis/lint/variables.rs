//! Variables that occur once, and constants that look like variables.
//!
//! Both are for `.dl` only: rulesheets of GDL bind many a variable that they do not use, and mark all variables.

use super::{MOST_TERMS, shown};
use crate::analysis::clause::CheckedProgram;
use crate::analysis::formula::{self, for_each_condition, symbols, symbols_of_atom, symbols_of_term};
use crate::analysis::given::{Column, GivenColumns};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Comparison, Effect, Formula, Item, Name, Program, Statement, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Replacement, SourceId, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// The heads or effects, and the conditions of a rule.
struct RuleParts<'a> {
    heads: Vec<&'a Atom>,
    body: &'a [Formula],
}

impl<'a> RuleParts<'a> {
    /// The parts of a rule or transition rule with conditions.
    fn of(item: &'a Item) -> Option<RuleParts<'a>> {
        match &item.statement {
            Statement::Rule(rule) if !rule.body.is_empty() => {
                Some(RuleParts { heads: vec![&rule.head], body: &rule.body })
            }
            Statement::Transition(transition) => {
                let heads = transition.effects.iter().map(Effect::atom).collect();
                Some(RuleParts { heads, body: &transition.conditions })
            }
            _ => None,
        }
    }

    /// Calls `visit` with each symbol in a term, and the place of its atom or condition.
    fn for_each_symbol(&self, visit: &mut impl FnMut(&'a Name, Span)) {
        self.heads.iter().for_each(|head| symbols_of_atom(head, &mut |name| visit(name, head.span)));
        for_each_condition(self.body, &mut |condition, span| {
            symbols(std::slice::from_ref(condition), &mut |name| visit(name, span));
        });
    }

    /// The names that both a constant and a variable of one atom or condition have, as of `(cell ?x x)`.
    fn shared_names(&self) -> FxHashSet<&'a Name> {
        let mut symbols_by_place: FxHashSet<(&Name, Span)> = FxHashSet::default();
        self.for_each_symbol(&mut |name, span| _ = symbols_by_place.insert((name, span)));
        let mut shared = FxHashSet::default();
        let mut note = |name: &'a Name, span| {
            if symbols_by_place.contains(&(name, span)) {
                shared.insert(name);
            }
        };
        for head in &self.heads {
            head.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| note(name, head.span)));
        }
        for_each_condition(self.body, &mut |condition, span| {
            formula::for_each_variable(std::slice::from_ref(condition), &mut |name| note(name, span));
        });
        shared
    }

    fn for_each_variable(&self, visit: &mut impl FnMut(&'a Name)) {
        self.heads.iter().flat_map(|head| &head.args).for_each(|arg| arg.for_each_variable(visit));
        self.body.iter().for_each(|formula| formula.for_each_variable(visit));
    }
}

/// A variable that occurs once in its rule, and does not begin with `_`.
struct SingleVariable {
    /// The name as it is written.
    name: String,
    /// The place of its atom or condition.
    place: Span,
    /// The columns in which it stands, or the variable that it is compared with.
    columns: Vec<Column>,
}

impl SingleVariable {
    /// The single variables in the conditions of a rule.
    fn all_of(parts: &RuleParts) -> Vec<SingleVariable> {
        let mut counts: FxHashMap<&Name, usize> = FxHashMap::default();
        parts.for_each_variable(&mut |name| *counts.entry(name).or_default() += 1);
        counts.retain(|name, count| *count == 1 && !name.starts_with('_'));
        let mut single = Vec::new();
        if counts.is_empty() {
            return single;
        }
        for_each_condition(parts.body, &mut |condition, place| {
            formula::for_each_variable(std::slice::from_ref(condition), &mut |variable| {
                if counts.contains_key(variable) {
                    let name = print_term(&Term::Variable(variable.clone()), Syntax::Datalog);
                    single.push(SingleVariable { name, place, columns: columns_of(variable, condition, parts.body) });
                }
            });
        });
        single
    }

    /// The symbol of its columns that it may have been meant as: that of its name but for capitals.
    fn symbol_of_columns<'t>(&self, values: &FxHashMap<Column, Vec<&'t Term>>) -> Option<&'t Term> {
        let small = self.name.to_lowercase();
        let symbols = self.columns.iter().filter_map(|column| values.get(column)).flatten().copied();
        symbols.filter(|term| symbol(term).is_some_and(|symbol| symbol.to_lowercase() == small)).min()
    }

    /// The warning about a variable with the name of a symbol of facts.
    fn is_symbol(&self) -> Diagnostic {
        let name = &*self.name;
        let symbol = shown(&Term::symbol(name));
        let message = format!("`{name}` is a variable here, and a symbol in the facts");
        self.unused(Code::UnquotedSymbol, message, "any value, and")
            .help(format!("write `{symbol}` for the symbol, and `_` if any value will do"))
            .respelled(self.place, name, symbol)
            .respelled(self.place, name, "_")
    }

    /// The warning about a variable that may be meant as a symbol of its columns, or else as a constant.
    fn may_be(&self, of_columns: Option<&Term>, constant: Option<&Name>) -> Diagnostic {
        let name = &*self.name;
        let any = format!("if any value will do, write `_` or `_{name}`");
        let message = format!("the variable `{name}` occurs only once in this rule");
        let (warning, symbol) = if let Some(symbol) = of_columns.map(shown) {
            let message = format!("`{name}` is a variable here, and its column has the symbol `{symbol}`");
            let help = format!("write `{symbol}` for the symbol; {any}");
            (self.unused(Code::UnquotedSymbol, message, "any value, and").help(help), symbol)
        } else if let Some(constant) = constant {
            let constant = shown(&Term::Symbol(constant.clone()));
            let help = format!("did you mean the constant `{constant}`? If any value will do, write `_` or `_{name}`");
            (self.unused(Code::SingletonVariable, message, "bound and").help(help), constant)
        } else {
            return self
                .unused(Code::SingletonVariable, message, "bound and")
                .help(any)
                .respelled(self.place, name, format!("_{name}"))
                .respelled(self.place, name, "_");
        };
        let texts = [symbol, format!("_{name}"), "_".to_owned()];
        texts.into_iter().fold(warning, |warning, text| warning.respelled_perhaps(self.place, name, text))
    }

    fn unused(&self, code: Code, message: String, is: &str) -> Diagnostic {
        Diagnostic::warning(code, message).at(self.place, format!("`{}` is {is} not used", self.name))
    }
}

/// The columns of a body in which a variable of a condition stands, or the variable that the condition compares it with.
fn columns_of(variable: &Name, condition: &Formula, body: &[Formula]) -> Vec<Column> {
    let mut columns = Vec::new();
    let mut add = |atom: &Atom, variable: &Name| {
        let stands = |arg: &Term| matches!(arg, Term::Variable(name) if name == variable);
        let places = atom.args.iter().enumerate().filter(|(_, arg)| stands(arg));
        columns.extend(places.map(|(column, _)| (atom.signature(), column)));
    };
    match condition {
        Formula::Atom(atom) => add(atom, variable),
        Formula::Compare(Comparison { left: Term::Variable(left), right: Term::Variable(right), .. }) => {
            let other = if left == variable { right } else { left };
            for_each_condition(body, &mut |condition, _| {
                if let Formula::Atom(atom) = condition {
                    add(atom, other);
                }
            });
        }
        _ => {}
    }
    columns
}

/// Reports each variable that occurs once in its rule and does not begin with `_`; one that has the name of a symbol of facts, or of its column but for
/// capitals, for that reason.
pub(super) fn check_single(
    program: &Program,
    checked: &CheckedProgram,
    given: &GivenColumns,
    found: &mut Vec<Diagnostic>,
) {
    let items = program.items.iter().filter(|item| program.syntax_at(item.span) == Syntax::Datalog);
    let single: Vec<_> = items.filter_map(RuleParts::of).flat_map(|parts| SingleVariable::all_of(&parts)).collect();
    let names = || single.iter().map(|variable| &*variable.name);
    let symbols = symbols_among(names(), program, given);
    let constants = constants_among(names(), program, given);
    let has_constant = |variable: &&SingleVariable| constants.contains_key(&variable.name.to_lowercase());
    let columns = single.iter().filter(has_constant).flat_map(|variable| variable.columns.iter().cloned());
    let values = given.values_of_columns(columns, &checked.facts, |term| symbol(term).is_some());
    found.extend(single.iter().map(|variable| {
        if symbols.contains(&*variable.name) {
            return variable.is_symbol();
        }
        let constant = constants.get(&variable.name.to_lowercase()).copied();
        variable.may_be(variable.symbol_of_columns(&values), constant)
    }));
}

/// Those of the names, as they are written, that are symbols of facts.
fn symbols_among<'a>(
    names: impl Iterator<Item = &'a str>,
    program: &Program,
    given: &GivenColumns,
) -> FxHashSet<&'a str> {
    let mut sought: FxHashSet<&str> = names.collect();
    let mut symbols = FxHashSet::default();
    let of_program = program.items.iter().filter_map(|item| match &item.statement {
        Statement::Rule(rule) if rule.body.is_empty() => Some(&rule.head.args),
        _ => None,
    });
    for term in of_program.flatten().chain(given.terms()) {
        if sought.is_empty() {
            break;
        }
        if let Term::Symbol(symbol) = term {
            symbols.extend(sought.take(&**symbol));
        }
    }
    symbols
}

/// The constants of the program and its facts that differ from one of the names by capitals alone, by their small letters: the first in the order
/// of names. A letter, perhaps with a number, is a usual name of a variable, whatever constants there are.
fn constants_among<'p>(
    names: impl Iterator<Item = &'p str>,
    program: &'p Program,
    given: &'p GivenColumns,
) -> FxHashMap<String, &'p Name> {
    let sought: FxHashSet<String> = names.map(str::to_lowercase).filter(|name| !is_short(name)).collect();
    let mut constants: FxHashMap<String, &Name> = FxHashMap::default();
    if sought.is_empty() {
        return constants;
    }
    let mut note = |constant: &'p Name| {
        let small = constant.to_lowercase();
        if sought.contains(&small) {
            let least = constants.entry(small).or_insert(constant);
            *least = constant.min(least);
        }
    };
    for item in &program.items {
        if let Statement::Rule(rule) = &item.statement {
            symbols_of_atom(&rule.head, &mut note);
            symbols(&rule.body, &mut note);
        }
    }
    given.terms().take(MOST_TERMS).for_each(|term| symbols_of_term(term, &mut note));
    constants
}

/// Reports rules as `path(x, y) :- edge(x, y).`, the first of each text, and returns the places of all: rules without
/// variables whose head and body share symbols that stand in no fact and in no rule with variables, and that are two or
/// as short as variables are.
pub(super) fn check_lowercase(program: &Program, found: &mut Vec<Diagnostic>) -> FxHashSet<Span> {
    let mut known: FxHashSet<&Name> = FxHashSet::default();
    let mut suspicious = Vec::new();
    for item in &program.items {
        let parts = RuleParts::of(item);
        let has_variables = parts.as_ref().is_some_and(|parts| {
            let mut any = false;
            parts.for_each_variable(&mut |_| any = true);
            any
        });
        match (parts, &item.statement) {
            (Some(parts), Statement::Rule(_)) if !has_variables && program.syntax_at(item.span) == Syntax::Datalog => {
                suspicious.push((item.span, parts));
            }
            // Who asks by such a constant has made the same slip.
            (_, Statement::Query(_)) => {}
            (Some(parts), _) => {
                parts.heads.iter().for_each(|head| symbols_of_atom(head, &mut |name| _ = known.insert(name)));
                symbols(parts.body, &mut |name| _ = known.insert(name));
            }
            (None, Statement::Rule(fact)) => symbols_of_atom(&fact.head, &mut |name| _ = known.insert(name)),
            (None, _) => {}
        }
    }
    let mut misspelled: IndexMap<SourceId, (Diagnostic, Vec<Vec<Replacement>>), FxBuildHasher> = IndexMap::default();
    let mut places = FxHashSet::default();
    for (span, parts) in suspicious {
        let mut in_head = BTreeSet::new();
        let mut in_body = FxHashSet::default();
        parts.heads.iter().for_each(|head| symbols_of_atom(head, &mut |name| _ = in_head.insert(name)));
        symbols(parts.body, &mut |name| _ = in_body.insert(name));
        in_head.retain(|name| in_body.contains(name));
        let is_unknown = in_head.iter().all(|name| !known.contains(*name));
        let looks_so = in_head.len() > 1 || in_head.iter().any(|name| is_short(name));
        let (Some(&name), true) = (in_head.first(), is_unknown && looks_so) else { continue };
        places.insert(span);
        let first = || {
            let message = format!("`{name}` is a constant, and probably meant as a variable");
            let diagnostic = Diagnostic::warning(Code::LowercaseVariable, message);
            (diagnostic.at(parts.heads[0].span, format!("this speaks of `{name}` itself")), Vec::new())
        };
        let capitals = in_head.into_iter().map(|name| Replacement::each(span, &**name, capitalized(name)));
        misspelled.entry(span.source).or_insert_with(first).1.push(capitals.collect());
    }
    found.extend(misspelled.into_values().map(|(diagnostic, rules)| {
        let help = "the names of variables begin upper-case, as `X`";
        let diagnostic = match rules.len() {
            1 => diagnostic.help(help),
            2 => diagnostic.help(format!("{help}; there is another rule as this")),
            n => diagnostic.help(format!("{help}; there are {} other rules as this", n - 1)),
        };
        diagnostic.repair(rules.concat())
    }));
    places
}

/// Reports `x?` in each `.kif` rule, the first of each name: a variable is written `?x`.
pub(super) fn check_mark_behind(program: &Program, found: &mut Vec<Diagnostic>) {
    let mut reported: FxHashSet<&Name> = FxHashSet::default();
    for item in program.items.iter().filter(|item| program.syntax_at(item.span) == Syntax::Kif) {
        let Some(parts) = RuleParts::of(item) else { continue };
        let mut marked: Vec<(&Name, Span)> = Vec::new();
        parts.for_each_symbol(&mut |name, span| {
            if is_marked_behind(name) {
                marked.push((name, span));
            }
        });
        for (name, span) in marked {
            if reported.insert(name) {
                let variable = name.trim_end_matches('?');
                let message = format!("`{name}` is a constant, and probably meant as a variable");
                found.push(
                    Diagnostic::warning(Code::LowercaseVariable, message)
                        .at(span, format!("this speaks of `{name}` itself"))
                        .help(format!("did you mean `?{variable}`? Variables begin with the question mark"))
                        .repair(vec![Replacement::each(item.span, &**name, format!("?{variable}"))]),
                );
            }
        }
    }
}

/// Reports a constant of a `.kif` rule that has the name of a variable of the rule and stands in no other rule, fact or table: `u` beside `?u`.
/// Not where one atom has both, as `(cell ?x ?y x)` of a mark has.
pub(super) fn check_unmarked(program: &Program, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let mut suspicious: IndexMap<&Name, (usize, Span), FxBuildHasher> = IndexMap::default();
    for (number, item) in program.items.iter().enumerate() {
        let parts = RuleParts::of(item).filter(|_| program.syntax_at(item.span) == Syntax::Kif);
        let Some(parts) = parts else { continue };
        let mut constants: FxHashMap<&Name, Span> = FxHashMap::default();
        parts.for_each_symbol(&mut |name, span| _ = constants.entry(name).or_insert(span));
        parts.shared_names().into_iter().for_each(|name| _ = constants.remove(name));
        parts.for_each_variable(&mut |variable| {
            if let Some((name, span)) = constants.get_key_value(variable) {
                suspicious.entry(name).or_insert((number, *span));
            }
        });
    }
    if suspicious.is_empty() {
        return;
    }
    for (number, item) in program.items.iter().enumerate() {
        let mut note = |name: &Name| {
            if suspicious.get(name).is_some_and(|(of, _)| *of != number) {
                suspicious.shift_remove(name);
            }
        };
        match (RuleParts::of(item), &item.statement) {
            (Some(parts), _) => parts.for_each_symbol(&mut |name, _| note(name)),
            (None, Statement::Rule(fact)) => symbols_of_atom(&fact.head, &mut note),
            (None, _) => {}
        }
    }
    let stated: FxHashSet<&Name> =
        given.terms().filter_map(symbol).filter(|name| suspicious.contains_key(name)).collect();
    for (name, (number, span)) in suspicious.into_iter().filter(|(name, _)| !stated.contains(*name)) {
        let message = format!("`{name}` is a constant, and stands beside the variable `?{name}`");
        found.push(
            Diagnostic::warning(Code::LowercaseVariable, message)
                .at(span, format!("this speaks of `{name}` itself, which nothing else has"))
                .help(format!("did you mean `?{name}`?"))
                .repair(vec![Replacement::each(program.items[number].span, &**name, format!("?{name}"))]),
        );
    }
}

/// The name that a term is.
fn symbol(term: &Term) -> Option<&Name> {
    match term {
        Term::Symbol(name) => Some(name),
        _ => None,
    }
}

/// A name with a capital in front.
fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

/// Whether a name is a word with a question mark behind it.
fn is_marked_behind(name: &str) -> bool {
    name.strip_suffix('?').is_some_and(|word| !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

/// Whether a name is a letter, perhaps with a number.
fn is_short(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_lowercase()) && chars.all(|c| c.is_ascii_digit())
}
