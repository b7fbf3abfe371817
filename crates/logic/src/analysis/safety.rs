//! Safety: every variable is bound before it is needed.
//!
//! Positive literals bind their variables; `X is E` and `X = T` bind `X` once the other side is bound; `member(X, L)`
//! binds `X` once `L` is. Negative literals and all other comparisons only filter. Rule texts often put filters too
//! early (`(distinct ?a ?b)` before what binds `?b`): such a literal, and no other, is moved behind the first one
//! after which all that it needs is bound. Cost: each literal is looked at once for each of its variables.

use super::clause::Literal;
use ludolog_syntax::ast::{Atom, Comparator, Formula, Name, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// One statement while its clauses are put in order: what is local to its negative literals, and what is unsafe.
pub(super) struct Statement {
    /// The syntax in which to spell its variables.
    syntax: Syntax,
    /// Variables named with a leading `_` that occur once in the whole statement.
    locals: FxHashSet<Name>,
    reported: FxHashSet<(Name, Span)>,
    diagnostics: Vec<Diagnostic>,
}

impl Statement {
    pub(super) fn new(heads: &[&Atom], body: &[Formula], syntax: Syntax) -> Self {
        let mut counts: FxHashMap<&Name, usize> = FxHashMap::default();
        let mut count = |name| *counts.entry(name).or_default() += 1;
        for head in heads {
            head.args.iter().for_each(|arg| arg.for_each_variable(&mut count));
        }
        super::formula::for_each_variable(body, &mut count);
        let locals = counts.into_iter().filter(|(name, count)| *count == 1 && name.starts_with('_'));
        Self {
            syntax,
            locals: locals.map(|(name, _)| name.clone()).collect(),
            reported: FxHashSet::default(),
            diagnostics: Vec::new(),
        }
    }

    pub(super) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Puts the literals of one clause into a safe order. Reports every variable of `heads` and of filters that nothing
    /// binds; filters that stay unsafe come last.
    pub(super) fn arrange(&mut self, heads: &[&Atom], body: Vec<Literal>) -> Vec<Literal> {
        let mut order = Order::new(body.len());
        let mut body: Vec<Option<Literal>> = body.into_iter().map(Some).collect();
        let mut arranged = Vec::with_capacity(body.len());
        for next in 0..body.len() {
            let mut candidates = BTreeSet::from([next]);
            while let Some(i) = candidates.pop_first() {
                let Some(literal) = &body[i] else { continue };
                if order.try_place(i, literal, &self.locals, &mut candidates) {
                    arranged.extend(body[i].take());
                }
            }
        }
        let unsafe_literals: Vec<Literal> = body.into_iter().flatten().collect();
        for head in heads {
            let mut unbound = Vec::new();
            for arg in &head.args {
                arg.for_each_variable(&mut |name| {
                    if !order.bound.contains(name) {
                        unbound.push(name.clone());
                    }
                });
            }
            for name in unbound {
                self.report(name, head.span, "is in the head, but no positive literal of the body binds it", false);
            }
        }
        for literal in &unsafe_literals {
            let mut unbound = Vec::new();
            literal.for_each_variable(&mut |name| {
                if !order.bound.contains(name) {
                    unbound.push(name.clone());
                }
            });
            let (cause, negative) = match literal {
                Literal::Compare(_) | Literal::NotCompare(_) => {
                    ("is compared, but no positive literal of the body binds it", false)
                }
                Literal::Member { negated: false, .. } => {
                    ("is in a list to search, but no positive literal of the body binds it", false)
                }
                _ => ("is in a negative literal, but no positive literal of the body binds it", true),
            };
            for name in unbound {
                self.report(name, literal.span(), cause, negative);
            }
        }
        arranged.extend(unsafe_literals);
        arranged
    }

    fn report(&mut self, name: Name, span: Span, cause: &str, negative: bool) {
        if !self.reported.insert((name.clone(), span)) {
            return;
        }
        let numbered = name.strip_prefix('_').is_some_and(|number| number.parse::<u32>().is_ok());
        let anonymous = self.syntax == Syntax::Datalog && numbered;
        let variable = if anonymous { "_".to_owned() } else { print_term(&Term::Variable(name), self.syntax) };
        let help = if negative {
            format!(
                "add a literal that says where `{variable}` comes from; for \"there is no such\", use a variable that \
                 begins with `_` and occurs nowhere else"
            )
        } else {
            format!("add a literal that says where `{variable}` comes from")
        };
        self.diagnostics.push(
            Diagnostic::error(Code::UnsafeVariable, format!("the variable `{variable}` {cause}"))
                .at(span, format!("`{variable}` is not bound"))
                .help(help),
        );
    }
}

/// The variables that a body in safe order binds, in the order in which it does.
pub(super) fn bound_in_order(body: &[Literal]) -> Vec<Name> {
    let mut seen = FxHashSet::default();
    let mut bound = Vec::new();
    for literal in body {
        let binds = matches!(literal, Literal::Positive(_) | Literal::Compare(_))
            || matches!(literal, Literal::Member { negated: false, .. });
        if binds {
            literal.for_each_variable(&mut |name| {
                if seen.insert(name.clone()) {
                    bound.push(name.clone());
                }
            });
        }
    }
    bound
}

struct Order {
    bound: FxHashSet<Name>,
    /// Literals put off, under each variable that they still miss.
    waiting: FxHashMap<Name, Vec<usize>>,
    put_off: Vec<bool>,
}

impl Order {
    fn new(literals: usize) -> Self {
        Self { bound: FxHashSet::default(), waiting: FxHashMap::default(), put_off: vec![false; literals] }
    }

    /// Whether literal `i` can stand here. If so, adds to `candidates` those put off that may follow now.
    fn try_place(
        &mut self,
        i: usize,
        literal: &Literal,
        locals: &FxHashSet<Name>,
        candidates: &mut BTreeSet<usize>,
    ) -> bool {
        let missing = missing(literal, &self.bound, locals);
        if !missing.is_empty() {
            if !std::mem::replace(&mut self.put_off[i], true) {
                for name in missing {
                    self.waiting.entry(name.clone()).or_default().push(i);
                }
            }
            return false;
        }
        if let Literal::Negative(_) | Literal::NotCompare(_) | Literal::Member { negated: true, .. } = literal {
            return true;
        }
        literal.for_each_variable(&mut |name| {
            if self.bound.insert(name.clone()) {
                candidates.extend(self.waiting.remove(name).unwrap_or_default());
            }
        });
        true
    }
}

/// The unbound variables in the way of a literal; none when it can stand here.
fn missing<'a>(literal: &'a Literal, bound: &FxHashSet<Name>, locals: &FxHashSet<Name>) -> Vec<&'a Name> {
    let unbound = |term: &'a Term| {
        let mut names = Vec::new();
        term.for_each_variable(&mut |name| {
            if !bound.contains(name) {
                names.push(name);
            }
        });
        names
    };
    match literal {
        Literal::Positive(_) => Vec::new(),
        Literal::Negative(atom) => {
            let names = atom.args.iter().flat_map(unbound);
            names.filter(|name| !locals.contains(*name)).collect()
        }
        Literal::Compare(comparison) => {
            let (left, right) = (unbound(&comparison.left), unbound(&comparison.right));
            let binds = |side: &Term, other: &[&Name]| matches!(side, Term::Variable(_)) && other.is_empty();
            let computed = match comparison.comparator {
                Comparator::Is => binds(&comparison.left, &right),
                Comparator::Equal => binds(&comparison.left, &right) || binds(&comparison.right, &left),
                _ => false,
            };
            if computed { Vec::new() } else { [left, right].concat() }
        }
        Literal::NotCompare(comparison) => [unbound(&comparison.left), unbound(&comparison.right)].concat(),
        Literal::Member { list, negated: false, .. } => unbound(list),
        Literal::Member { element, list, .. } => {
            let names = unbound(element).into_iter().chain(unbound(list));
            names.filter(|name| !locals.contains(*name)).collect()
        }
    }
}
