//! Variables that occur once, and constants that look like variables.
//!
//! Both are for `.dl` only: rulesheets of GDL bind many a variable that they do not use, and mark all variables.

use super::MOST_TERMS;
use crate::analysis::formula::{self, for_each_condition, symbols, symbols_of_atom, symbols_of_term};
use crate::analysis::given::GivenColumns;
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Effect, Formula, Item, Name, Program, Statement, Term};
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

/// Reports each variable that occurs once in its rule and does not begin with `_`; one that has the name of a symbol of facts, for that reason.
pub(super) fn check_single(program: &Program, given: &GivenColumns, found: &mut Vec<Diagnostic>) {
    let mut single: Vec<(String, Span)> = Vec::new();
    let items = program.items.iter().filter(|item| program.syntax_at(item.span) == Syntax::Datalog);
    for parts in items.filter_map(RuleParts::of) {
        let mut counts: FxHashMap<&Name, usize> = FxHashMap::default();
        parts.for_each_variable(&mut |name| *counts.entry(name).or_default() += 1);
        counts.retain(|name, count| *count == 1 && !name.starts_with('_'));
        if counts.is_empty() {
            continue;
        }
        for_each_condition(parts.body, &mut |condition, span| {
            formula::for_each_variable(std::slice::from_ref(condition), &mut |name| {
                if counts.contains_key(name) {
                    single.push((print_term(&Term::Variable(name.clone()), Syntax::Datalog), span));
                }
            });
        });
    }
    let symbols = symbols_among(single.iter().map(|(name, _)| &**name), program, given);
    let constants = constants_among(single.iter().map(|(name, _)| &**name), program, given);
    found.extend(single.iter().map(|(variable, span)| {
        let variable = variable.as_str();
        if symbols.contains(variable) {
            let symbol = print_term(&Term::Symbol(variable.into()), Syntax::Datalog);
            let message = format!("`{variable}` is a variable here, and a symbol in the facts");
            return Diagnostic::warning(Code::UnquotedSymbol, message)
                .at(*span, format!("`{variable}` is any value, and not used"))
                .help(format!("write `{symbol}` for the symbol, and `_` if any value will do"))
                .respelled(*span, variable, symbol)
                .respelled(*span, variable, "_");
        }
        let message = format!("the variable `{variable}` occurs only once in this rule");
        let warning = Diagnostic::warning(Code::SingletonVariable, message)
            .at(*span, format!("`{variable}` is bound and not used"));
        if let Some(constant) = constants.get(&variable.to_lowercase()) {
            let constant = print_term(&Term::Symbol((*constant).clone()), Syntax::Datalog);
            let texts = [constant.clone(), format!("_{variable}"), "_".to_owned()];
            let warning = warning.help(format!(
                "did you mean the constant `{constant}`? If any value will do, write `_` or `_{variable}`"
            ));
            return texts.into_iter().fold(warning, |warning, text| warning.respelled_perhaps(*span, variable, text));
        }
        warning
            .help(format!("if any value will do, write `_` or `_{variable}`"))
            .respelled(*span, variable, format!("_{variable}"))
            .respelled(*span, variable, "_")
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
