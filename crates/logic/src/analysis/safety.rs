//! Safety: every variable is bound before it is needed.
//!
//! A [`Body`] puts its literals into a safe order; reported here are the variables that no order binds, each with the
//! places that need it.

use super::alternatives::Alternatives;
use super::body::Body;
use super::built_in::MEMBER;
use super::clause::{Elements, Literal};
use super::formula::have_aggregate;
use indexmap::IndexMap;
use ludolog_syntax::ast::{
    Aggregate, AggregateFunction, Atom, Comparator, Comparison, Formula, LoweredSubject, Name, Purpose, Rule,
    Statement, Term,
};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Replacement, Span};
use ludolog_syntax::{Syntax, as_symbols, print_atom, print_formula, print_statement, print_term};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// Most places that a report of one variable shows.
const MOST_PLACES: usize = 4;

/// One statement while its clauses are put in order: what is local to its negative literals, and what is unsafe.
pub(super) struct OrderedStatement {
    /// The syntax in which to spell its variables.
    syntax: Syntax,
    /// Variables named with a leading `_` that occur once in the whole statement.
    locals: FxHashSet<Name>,
    /// The variables that are values of aggregates under a negation, where none may stand.
    misplaced: FxHashSet<Name>,
    /// The variables of a negated conjunction that stand nowhere else, with its conditions.
    conjoined: IndexMap<Name, Formula, FxBuildHasher>,
    /// Constants of `.kif` with a question mark behind them, as `x?`, which is probably meant as `?x`.
    marked_behind: FxHashSet<Name>,
    /// Whether it is a fact, which has no variables.
    is_fact: bool,
    /// The variables that nothing binds, each with the places that need it bound.
    unbound: IndexMap<Name, Vec<BindingNeed>, FxBuildHasher>,
    /// Of them, those that would be bound if others were: `X` in `X is Y + 1`. The mistake is with the others.
    computed: FxHashSet<Name>,
    /// Variables that are searched for an element that is bound, with that literal: `member(L, X)`, where `L` is the list.
    searched: FxHashMap<Name, Swapped>,
    /// The alternatives of the statement, if it has any, with the variables that each of them binds.
    alternatives: Alternatives,
    /// Other faults of the statement.
    reported: Vec<Diagnostic>,
}

/// A literal `member` whose arguments are probably exchanged, with its place.
struct Swapped {
    element: Term,
    span: Span,
}

/// A literal or head that needs a variable bound.
struct BindingNeed {
    span: Span,
    need: Need,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Need {
    Head,
    Tuple,
    Comparison,
    List,
    Group,
    Negation,
}

impl OrderedStatement {
    pub(super) fn new(heads: &[&Atom], body: &[Formula], syntax: Syntax) -> Self {
        let mut counts: FxHashMap<&Name, usize> = FxHashMap::default();
        let mut count = |name| *counts.entry(name).or_default() += 1;
        for head in heads {
            head.args.iter().for_each(|arg| arg.for_each_variable(&mut count));
        }
        super::formula::for_each_variable(body, &mut count);
        let locals = counts.iter().filter(|(name, count)| **count == 1 && name.starts_with('_'));
        let mut misplaced = FxHashSet::default();
        super::formula::for_each_aggregate(body, false, &mut |aggregate, negated| {
            if negated {
                aggregate.result.for_each_variable(&mut |name| _ = misplaced.insert(name.clone()));
            }
        });
        let mut conjoined = IndexMap::default();
        body.iter().for_each(|formula| note_conjoined(formula, &counts, &mut conjoined));
        Self {
            syntax,
            misplaced,
            conjoined,
            is_fact: body.is_empty() && syntax == Syntax::Datalog,
            locals: locals.map(|(name, _)| (*name).clone()).collect(),
            marked_behind: if syntax == Syntax::Kif { marked_behind(heads, body) } else { FxHashSet::default() },
            unbound: IndexMap::default(),
            computed: FxHashSet::default(),
            searched: FxHashMap::default(),
            alternatives: Alternatives::new(body, syntax),
            reported: Vec::new(),
        }
    }

    /// Reports something else that is wrong.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.reported.push(diagnostic);
    }

    /// The variables that nothing binds, so far.
    pub(super) fn unbound(&self) -> impl Iterator<Item = &Name> {
        self.unbound.keys()
    }

    /// One diagnostic for each variable that nothing binds; `statement` is the place of the statement.
    pub(super) fn into_diagnostics(self, statement: Span) -> Vec<Diagnostic> {
        let all_computed = self.unbound.keys().all(|name| self.computed.contains(name));
        let causes = self.unbound.iter().filter(|(name, _)| all_computed || !self.computed.contains(*name));
        let causes = causes.map(|(name, places)| self.explain(name, places, statement));
        self.reported.iter().cloned().chain(causes).collect()
    }

    /// Puts the literals of one clause into a safe order. Reports every variable of `heads` and of filters that nothing
    /// binds; filters that stay unsafe come last.
    pub(super) fn arrange(&mut self, heads: &[&Atom], body: Vec<Literal>) -> Body {
        let body = Body::with_locals(body, &self.locals);
        let bound: FxHashSet<Name> = body.bound().into_iter().collect();
        self.alternatives.note(&body, &bound);
        for head in heads {
            let need = if is_of_aggregate(head) { Need::Tuple } else { Need::Head };
            head.args.iter().for_each(|arg| {
                arg.for_each_variable(&mut |name| self.note(name, head.span, need, &bound));
            });
        }
        for literal in body.unsafe_literals() {
            let need = match literal {
                Literal::Compare(_) | Literal::NotCompare(_) => Need::Comparison,
                Literal::Member { negated: false, .. } => Need::List,
                Literal::Aggregate(_) => Need::Group,
                _ => Need::Negation,
            };
            match literal {
                Literal::Member { element, elements, negated: true, .. } => {
                    element.for_each_variable(&mut |name| self.note(name, literal.span(), need, &bound));
                    elements.for_each_variable(&mut |name| self.note(name, literal.span(), Need::List, &bound));
                }
                Literal::Aggregate(aggregation) => aggregation.outer().for_each(|arg| {
                    arg.for_each_variable(&mut |name| self.note(name, literal.span(), need, &bound));
                }),
                _ => literal.for_each_variable(&mut |name| self.note(name, literal.span(), need, &bound)),
            }
            if let Literal::Member {
                element, elements: Elements::List(Term::Variable(list)), negated: false, span, ..
            } = literal
                && !bound.contains(list)
                && is_bound(element, &bound)
            {
                self.searched.insert(list.clone(), Swapped { element: element.clone(), span: *span });
            }
            if let Literal::Aggregate(aggregation) = literal {
                aggregation.result.for_each_variable(&mut |name| _ = self.computed.insert(name.clone()));
            }
            if let Literal::Compare(Comparison { comparator, left, right, .. }) = literal {
                let sides = [left, right];
                let assigned = match comparator {
                    Comparator::Is => &sides[..1],
                    Comparator::Equal => &sides[..],
                    _ => &[],
                };
                let names = assigned.iter().filter_map(|side| match side {
                    Term::Variable(name) if !bound.contains(name) => Some(name.clone()),
                    _ => None,
                });
                self.computed.extend(names);
            }
        }
        body
    }

    /// Notes a place that needs a variable bound, unless it is. What is local to a negative literal needs to be bound nowhere, and of the value of
    /// a misplaced aggregate enough is said.
    fn note(&mut self, name: &Name, span: Span, need: Need, bound: &FxHashSet<Name>) {
        let is_local = need == Need::Negation && self.locals.contains(name);
        if bound.contains(name) || is_local || self.misplaced.contains(name) {
            return;
        }
        let places = self.unbound.entry(name.clone()).or_default();
        if places.len() < MOST_PLACES && places.iter().all(|place| place.span != span) {
            places.push(BindingNeed { span, need });
        }
    }

    /// The ways to bind a variable, which is shown as `variable`, where these places need it.
    fn binding_advice(&self, name: &Name, variable: &str, places: &[BindingNeed]) -> String {
        let mut help = format!("add a literal that says where `{variable}` comes from");
        if places.iter().any(|place| place.need == Need::Group) {
            help =
                format!("add a literal beside the aggregate that says which values of `{variable}` it is computed for");
        }
        if places.iter().all(|place| place.need == Need::Negation) {
            help += "; for \"there is no such\", use a variable that begins with `_` and occurs nowhere else";
        }
        if variable == "_" && places.iter().all(|place| matches!(place.need, Need::Head | Need::Tuple)) {
            help = "each `_` is a variable of its own: give this one a name, here and in a literal that binds it"
                .to_owned();
        }
        self.conjoined.get(name).and_then(|conditions| self.without_conjunction(name, conditions)).unwrap_or(help)
    }

    fn explain(&self, name: &Name, places: &[BindingNeed], statement: Span) -> Diagnostic {
        let numbered = name.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
        let anonymous = self.syntax == Syntax::Datalog && numbered;
        let variable = if anonymous { "_".to_owned() } else { print_term(&Term::Variable(name.clone()), self.syntax) };
        let need = match places.first().map_or(Need::Head, |place| place.need) {
            Need::Head => "in the head",
            Need::Tuple => "in an aggregate",
            Need::Comparison => "compared",
            Need::List => "in a list or range to search",
            Need::Group => "in an aggregate and outside of it",
            Need::Negation => "in a negative literal",
        };
        let mut help = self.binding_advice(name, &variable, places);
        if let Some(constant) = self.marked_behind.get(&*format!("{name}?")) {
            help = format!("`{constant}` is a constant: did you mean `{variable}`?");
        }
        // What stands nowhere else is a list that was forgotten.
        let exchanged = self.searched.get(name).filter(|_| places.len() > 1).map(|swapped| {
            let member = Atom::new(MEMBER, vec![Term::Variable(name.clone()), swapped.element.clone()]);
            (print_atom(&member, self.syntax), swapped.span)
        });
        if let Some((member, _)) = &exchanged {
            help = format!("the element comes first, and then the list: did you mean `{member}`?");
        }
        let symbols = self.is_fact.then(|| as_symbols(&variable)).flatten();
        let message = match &symbols {
            Some(_) => format!("`{variable}` is a variable, and a fact has none"),
            None => format!("the variable `{variable}` is {need}, but no positive literal of the body binds it"),
        };
        if let Some([small, quoted]) = &symbols {
            help = format!("names that begin upper-case are variables: write `{small}`, or quote it, `{quoted}`");
        }
        if let Some(unbound) = self.alternatives.unbound(name, &variable, places.iter().map(|place| place.span)) {
            return unbound;
        }
        let mut unbound = Diagnostic::error(Code::UnsafeVariable, message).help(help);
        if let (Some(symbols), [place]) = (symbols, places) {
            unbound =
                symbols.into_iter().fold(unbound, |unbound, symbol| unbound.respelled(place.span, &*variable, symbol));
        }
        if let Some(constant) = self.marked_behind.get(&*format!("{name}?")) {
            unbound = unbound.repair(vec![Replacement::each(statement, &**constant, &*variable)]);
        } else if let Some((member, span)) = exchanged {
            unbound = unbound.repair(vec![Replacement::new(span, member)]);
        } else if let [BindingNeed { span, need: Need::Negation }] = places
            && !name.starts_with('_')
        {
            let local = print_term(&Term::variable(&format!("_{}", variable.trim_start_matches('?'))), self.syntax);
            unbound = unbound.respelled(*span, &*variable, local);
        }
        places.iter().enumerate().fold(unbound, |unbound, (i, place)| {
            let label = if i == 0 { format!("`{variable}` is not bound") } else { "nor here".to_owned() };
            unbound.at(place.span, label)
        })
    }
}

impl OrderedStatement {
    /// The ways to say that no value of a variable fulfils all of these conditions: a predicate of its own, if the conditions bind what it shares
    /// with the rest; and a count. `None` if they bind too little for either.
    fn without_conjunction(&self, name: &Name, conditions: &Formula) -> Option<String> {
        let body = match conditions {
            Formula::And(parts) => parts.clone(),
            other => vec![other.clone()],
        };
        let bound = bound_by(&body);
        let mut args = Vec::new();
        super::formula::for_each_variable(&body, &mut |other| {
            if !self.conjoined.contains_key(other) && !self.locals.contains(other) && !args.contains(other) {
                args.push(other.clone());
            }
        });
        let local = self.conjoined.keys().filter(|other| conditions_have(&body, other));
        let template: Vec<Name> = local.cloned().collect();
        if !template.iter().all(|other| bound.contains(other)) {
            return None;
        }
        let is_safe = args.iter().all(|other| bound.contains(other));
        let terms = |names: Vec<Name>| names.into_iter().map(Term::Variable).collect();
        let rule = Statement::Rule(Rule::new(Atom::new("some", terms(args)), body.clone()));
        let count = Aggregate {
            result: Term::Integer(0),
            function: AggregateFunction::Count,
            template: terms(template),
            body,
            span: Span::NONE,
        };
        let one_line = |text: String| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let rule = one_line(print_statement(&rule, self.syntax));
        let count = one_line(print_formula(&Formula::Aggregate(count), self.syntax));
        let ways = if is_safe {
            format!("give it a predicate, `{rule}`, and negate that; or count, `{count}`")
        } else {
            format!("count, `{count}`")
        };
        let variable = print_term(&Term::Variable(name.clone()), self.syntax);
        Some(format!("a negated conjunction has no variables of its own, as `{variable}`: {ways}"))
    }
}

/// Whether a head is of the tuples of an aggregate.
fn is_of_aggregate(head: &Atom) -> bool {
    matches!(head.predicate.purpose(), Some(Purpose::Definition { of: LoweredSubject::Aggregate(_), .. }))
}

/// The variables that stand where these conditions may bind them.
fn bound_by(conditions: &[Formula]) -> FxHashSet<&Name> {
    let mut bound = FxHashSet::default();
    let mut note = |name| _ = bound.insert(name);
    for formula in conditions {
        match formula {
            Formula::Atom(atom) => atom.args.iter().for_each(|arg| arg.for_each_variable(&mut note)),
            Formula::Range(range) => range.element.for_each_variable(&mut note),
            Formula::Compare(comparison) if matches!(comparison.comparator, Comparator::Is | Comparator::Equal) => {
                comparison.left.for_each_variable(&mut note);
            }
            _ => {}
        }
    }
    bound
}

/// Whether all variables of a term are bound.
fn is_bound(term: &Term, bound: &FxHashSet<Name>) -> bool {
    let mut all = true;
    term.for_each_variable(&mut |name| all &= bound.contains(name));
    all
}

/// Whether a variable stands in conditions.
fn conditions_have(conditions: &[Formula], name: &Name) -> bool {
    let mut has = false;
    super::formula::for_each_variable(conditions, &mut |other| has |= other == name);
    has
}

/// Notes the variables that stand in one negated conjunction without aggregates alone, several times, with its conditions. `counts` has how often
/// each variable stands in the statement.
fn note_conjoined(
    formula: &Formula,
    counts: &FxHashMap<&Name, usize>,
    conjoined: &mut IndexMap<Name, Formula, FxBuildHasher>,
) {
    match formula {
        Formula::Not(inner)
            if matches!(**inner, Formula::And(_)) && !have_aggregate(std::slice::from_ref(&**inner)) =>
        {
            let mut within: IndexMap<&Name, usize, FxBuildHasher> = IndexMap::default();
            super::formula::for_each_variable(std::slice::from_ref(&**inner), &mut |name| {
                *within.entry(name).or_default() += 1
            });
            let alone = within.into_iter().filter(|(name, count)| *count > 1 && counts.get(name) == Some(count));
            conjoined.extend(alone.map(|(name, _)| (name.clone(), (**inner).clone())));
        }
        Formula::Not(inner) => note_conjoined(inner, counts, conjoined),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| note_conjoined(part, counts, conjoined))
        }
        Formula::Atom(_) | Formula::Compare(_) | Formula::Range(_) | Formula::Aggregate(_) => {}
    }
}

/// The constants of a statement with a question mark behind them.
fn marked_behind(heads: &[&Atom], body: &[Formula]) -> FxHashSet<Name> {
    let mut marked = FxHashSet::default();
    let mut visit = |name: &Name| {
        if name.ends_with('?') {
            marked.insert(name.clone());
        }
    };
    heads.iter().for_each(|head| super::formula::symbols_of_atom(head, &mut visit));
    super::formula::symbols(body, &mut visit);
    marked
}
