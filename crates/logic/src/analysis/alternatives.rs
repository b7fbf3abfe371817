//! Statements with alternatives of which one binds a variable and another does not.
//!
//! `letter(X, f) :- grade(X, G), G < 60; G = 0.` has the alternatives `grade(X, G), G < 60` and `G = 0`, since `,` binds tighter than `;`.

use super::clause::{Literal, mentions};
use ludolog_syntax::ast::{Formula, Name};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Replacement, Span};
use ludolog_syntax::{ColdSort, Syntax, print_formula};
use rustc_hash::FxHashSet;

/// The alternatives of a statement.
pub(super) struct Alternatives {
    syntax: Syntax,
    /// The alternatives as written, if the whole body is alternatives.
    written: Vec<Formula>,
    has_any: bool,
    /// The literals of each conjunction that the alternatives come to, with the variables that it binds.
    conjunctions: Vec<(Vec<Literal>, FxHashSet<Name>)>,
}

impl Alternatives {
    /// Those of a body.
    pub(super) fn new(body: &[Formula], syntax: Syntax) -> Alternatives {
        let written = match body {
            [Formula::Or(parts)] => parts.clone(),
            _ => Vec::new(),
        };
        Alternatives { syntax, written, has_any: body.iter().any(has_alternatives), conjunctions: Vec::new() }
    }

    /// Notes the literals of one conjunction, and the variables that it binds.
    pub(super) fn note(&mut self, body: &[Literal], bound: &FxHashSet<Name>) {
        if self.has_any {
            self.conjunctions.push((body.to_vec(), bound.clone()));
        }
    }

    /// The error of a variable, shown as `variable`, that one alternative binds and another one does not; `None` if none binds it. The places need
    /// it.
    pub(super) fn unbound(
        &self,
        name: &Name,
        variable: &str,
        places: impl Iterator<Item = Span>,
    ) -> Option<Diagnostic> {
        let (binding, _) = self.conjunctions.iter().find(|(_, bound)| bound.contains(name))?;
        let (without, _) = self.conjunctions.iter().find(|(_, bound)| !bound.contains(name))?;
        let is_shared = |literal: &&Literal| !binding.iter().any(|other| other.span() == literal.span());
        let mut own: Vec<&Literal> = without.iter().filter(is_shared).collect();
        own.cold_sort_by_key(|literal| literal.span().start);
        let [Some(first), Some(last)] = [own.first(), own.last()] else { return None };
        if own.iter().any(|literal| literal.atom().is_some_and(|atom| atom.signature().is_auxiliary())) {
            return None;
        }
        let place = Span { end: last.span().end, ..first.span() };
        let parts: Vec<Formula> = own.iter().map(|literal| Formula::from(*literal)).collect();
        let shown = self.shown(&parts);
        let message = format!("the alternative `{shown}` does not bind the variable `{variable}`");
        let wrong =
            Diagnostic::error(Code::UnsafeVariable, message).at(place, format!("`{variable}` is not bound here"));
        let others = places.filter(|other| !(place.start <= other.start && other.end <= place.end)).take(1);
        let wrong = others.fold(wrong, |wrong, other| wrong.at(other, "and needed here"));
        Some(match self.grouped(name) {
            Some((meant, change)) => {
                wrong.help(format!("`,` and `&` bind tighter than `;` and `|`: did you mean `{meant}`?")).repair(change)
            }
            None => wrong.help(format!("bind `{variable}` in each alternative, or outside of them")),
        })
    }

    /// The body with its first alternative divided: all but its last condition beside alternatives of that and of the others, if this binds the
    /// variable. With the change of the text.
    fn grouped(&self, name: &Name) -> Option<(String, Vec<Replacement>)> {
        let [Formula::And(first), others @ ..] = &self.written[..] else { return None };
        let (last, front) = first.split_last()?;
        let binds = |formula: &Formula| match formula {
            Formula::Atom(atom) => atom.args.iter().any(|arg| mentions(arg, name)),
            _ => false,
        };
        if self.syntax == Syntax::Kif || !front.iter().any(binds) {
            return None;
        }
        let alternatives = Formula::Or([last].into_iter().chain(others).cloned().collect());
        let shown = format!("{} & ({})", self.shown(front), self.shown(&[alternatives]));
        let end = others.last()?.span().behind();
        Some((shown, vec![Replacement::new(last.span().before(), "("), Replacement::new(end, ")")]))
    }

    /// Conditions on one line.
    fn shown(&self, parts: &[Formula]) -> String {
        let text = match parts {
            [one] => print_formula(one, self.syntax),
            parts => print_formula(&Formula::And(parts.to_vec()), self.syntax),
        };
        text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
    }
}

/// Whether a formula has alternatives.
fn has_alternatives(formula: &Formula) -> bool {
    match formula {
        Formula::Or(_) => true,
        Formula::And(parts) => parts.iter().any(has_alternatives),
        Formula::Not(inner) => has_alternatives(inner),
        Formula::Atom(_) | Formula::Compare(_) | Formula::Range(_) | Formula::Aggregate(_) => false,
    }
}
