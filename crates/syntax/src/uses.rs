//! Rule files that are used as parts: the statements of a file with its predicates renamed, each use for itself.
//!
//! A use names predicates of the file and what they are outside. Of the others, those that the file reads and does not define are
//! taken from outside by their own names; those that it defines are exported if it states no outputs or states them
//! as such, and are otherwise made predicates, which no other text can mean.

use crate::ColdSort;
use crate::ast::{Atom, Effect, Formula, Item, Name, PredicateName, Purpose, Statement, Use};
use crate::diagnostic::{Code, Diagnostic, Span};
use std::collections::{HashMap, HashSet};

/// The statements of files that share their names.
#[derive(Default)]
pub(crate) struct Scope {
    /// The statements, those of used files renamed.
    pub(crate) items: Vec<Item>,
    /// The names of the predicates that tables give, which stay as they are.
    pub(crate) given: HashSet<Name>,
    /// The predicates that the files themselves define, each with the first place.
    defined: HashMap<Name, Span>,
    /// The predicates that used files export under their own names, with the place of the use.
    exported: HashMap<Name, Span>,
}

impl Scope {
    /// Adds a statement of one of the files themselves.
    pub(crate) fn add(&mut self, item: Item) {
        match &item.statement {
            Statement::Rule(rule) => {
                if let Some(name) = rule.head.predicate.written() {
                    let name = Name::from(name);
                    self.defined.entry(name).or_insert(rule.head.span);
                }
            }
            Statement::Input(input) => _ = self.given.insert(input.predicate.clone()),
            _ => {}
        }
        self.items.push(item);
    }

    /// Adds the statements of a used file, which stands at `span`. `number` tells uses apart.
    pub(crate) fn add_used(&mut self, part: Scope, used: &Use, span: Span, number: usize) -> Vec<Diagnostic> {
        let Part { names, given, items } = Part::new(part);
        let mut wrong = names.check(used, span);
        if !wrong.is_empty() {
            return wrong;
        }
        let renamed: HashMap<&Name, &Name> = used.renamed.iter().map(|(inner, outer)| (inner, outer)).collect();
        for name in names.exported.iter().filter(|name| !renamed.contains_key(name)) {
            if let Some(other) = self.exported.insert(name.clone(), span) {
                wrong.push(twice(name, span, other, "exported by this use, too"));
            }
        }
        let name = |name: &Name| -> PredicateName {
            match renamed.get(name) {
                Some(outer) => PredicateName::Written((*outer).clone()),
                None if names.is_private(name, &given) => Purpose::Private { of: name.clone(), used: number }.into(),
                None => PredicateName::Written(name.clone()),
            }
        };
        self.given.extend(given.iter().filter_map(|given| name(given).written().map(Name::from)));
        for mut item in items {
            let is_kept = match &mut item.statement {
                Statement::Query(_) | Statement::Output(_) => false,
                Statement::Input(input) => {
                    if let Some(outer) = name(&input.predicate).written() {
                        input.predicate = outer.into();
                    }
                    true
                }
                Statement::Type(types) => {
                    if let PredicateName::Written(written) = &types.predicate {
                        types.predicate = name(written);
                    }
                    true
                }
                _ => true,
            };
            if is_kept {
                for_each_atom(&mut item.statement, &mut |atom| {
                    if let PredicateName::Written(written) = &atom.predicate {
                        atom.predicate = name(written);
                    }
                });
                self.items.push(item);
            }
        }
        wrong
    }

    /// The predicates that the files define as well as a use that does not name them, each as a fault.
    pub(crate) fn clashes(&self) -> Vec<Diagnostic> {
        let mut found: Vec<Diagnostic> = Vec::new();
        for (name, place) in &self.exported {
            if let Some(other) = self.defined.get(name) {
                found.push(twice(name, *place, *other, "exported by this use"));
            }
        }
        found.cold_sort_by_key(|one| one.labels.first().map(|label| (label.span.source, label.span.start)));
        found
    }
}

fn twice(name: &Name, place: Span, other: Span, label: &str) -> Diagnostic {
    let message = format!("`{name}` is defined twice, though names of used files are kept apart");
    Diagnostic::error(Code::UsedFile, message).at(place, label).at(other, "and here").help(format!(
        "rename it in the use, as `{name} = other_{name}`; say `{name} = {name}` if both are meant to be one predicate"
    ))
}

/// A file that is used.
struct Part {
    names: PartNames,
    given: HashSet<Name>,
    items: Vec<Item>,
}

/// The names of the predicates of a file that is used.
struct PartNames {
    /// In the order of the file.
    all: Vec<Name>,
    defined: HashSet<Name>,
    exported: Vec<Name>,
}

impl Part {
    fn new(mut scope: Scope) -> Part {
        let mut names = PartNames { all: Vec::new(), defined: HashSet::new(), exported: Vec::new() };
        let mut seen = HashSet::new();
        let mut note = |name: &Name, all: &mut Vec<Name>| {
            if seen.insert(name.clone()) {
                all.push(name.clone());
            }
        };
        let mut outputs = Vec::new();
        for item in &mut scope.items {
            for_each_atom(&mut item.statement, &mut |atom| {
                if let PredicateName::Written(name) = &atom.predicate {
                    note(name, &mut names.all);
                }
            });
            match &item.statement {
                Statement::Rule(rule) => names.defined.extend(rule.head.predicate.written().map(Name::from)),
                Statement::Input(input) => note(&input.predicate, &mut names.all),
                Statement::Output(name) => {
                    note(name, &mut names.all);
                    outputs.push(name.clone());
                }
                _ => {}
            }
        }
        let is_defined = |name: &&Name| names.defined.contains(*name);
        names.exported =
            if outputs.is_empty() { names.all.iter().filter(is_defined).cloned().collect() } else { outputs };
        Part { names, given: scope.given, items: scope.items }
    }
}

impl PartNames {
    /// Whether nothing outside may mean a predicate.
    fn is_private(&self, name: &Name, given: &HashSet<Name>) -> bool {
        self.defined.contains(name) && !self.exported.contains(name) && !given.contains(name)
    }

    /// The faults of the names of a use.
    fn check(&self, used: &Use, span: Span) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for (i, (inner, outer)) in used.renamed.iter().enumerate() {
            let wrong = |message: String, label: &str| Diagnostic::error(Code::UsedFile, message).at(span, label);
            if used.renamed[..i].iter().any(|(other, _)| other == inner) {
                let help = "use the file twice: `:- use('rules.dl', p = a).` and `:- use('rules.dl', p = b).`";
                found.push(wrong(format!("`{inner}` is renamed twice"), "one file, two names").help(help));
            } else if !self.all.contains(inner) {
                let message = format!("`{}` has no predicate `{inner}`", used.path);
                found.push(wrong(message, "nothing to rename").help(self.known()));
            } else if self.all.contains(outer)
                && !used.renamed.iter().any(|(other, _)| other == outer)
                && !self.is_private(outer, &HashSet::new())
            {
                let message = format!("`{outer}` is a predicate of `{}` itself", used.path);
                let help =
                    format!("rename that one, too; say `{outer} = {outer}` if both are meant to be one predicate");
                found.push(wrong(message, "two predicates would be one").help(help));
            }
        }
        found
    }

    /// The names that a use may rename, in words.
    fn known(&self) -> String {
        let list = |names: Vec<&Name>| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let read: Vec<&Name> = self.all.iter().filter(|name| !self.defined.contains(*name)).collect();
        let defined: Vec<&Name> = self.all.iter().filter(|name| self.defined.contains(*name)).collect();
        match (read.is_empty(), defined.is_empty()) {
            (true, true) => "the file has no predicates".to_owned(),
            (true, false) => format!("it defines {}", list(defined)),
            (false, true) => format!("it reads {}", list(read)),
            (false, false) => format!("it reads {}, and defines {}", list(read), list(defined)),
        }
    }
}

/// Calls `change` with every atom of a statement.
fn for_each_atom(statement: &mut Statement, change: &mut impl FnMut(&mut Atom)) {
    match statement {
        Statement::Rule(rule) => {
            change(&mut rule.head);
            if let Some(order) = rule.order_mut() {
                change(order);
            }
            rule.body.iter_mut().for_each(|formula| atoms_of(formula, change));
        }
        Statement::Transition(transition) => {
            transition.conditions.iter_mut().for_each(|formula| atoms_of(formula, change));
            for effect in &mut transition.effects {
                let (Effect::Add(atom) | Effect::Delete(atom)) = effect;
                change(atom);
            }
        }
        Statement::Query(query) | Statement::Constraint(query) => {
            query.body.iter_mut().for_each(|formula| atoms_of(formula, change));
        }
        Statement::Include(_)
        | Statement::Use(_)
        | Statement::Input(_)
        | Statement::Output(_)
        | Statement::Type(_)
        | Statement::Define(_) => {}
    }
}

fn atoms_of(formula: &mut Formula, change: &mut impl FnMut(&mut Atom)) {
    match formula {
        Formula::Atom(atom) => change(atom),
        Formula::Compare(_) | Formula::Range(_) => {}
        Formula::Aggregate(aggregate) => aggregate.body.iter_mut().for_each(|inner| atoms_of(inner, change)),
        Formula::Not(inner) => atoms_of(inner, change),
        Formula::And(list) | Formula::Or(list) => list.iter_mut().for_each(|inner| atoms_of(inner, change)),
    }
}
