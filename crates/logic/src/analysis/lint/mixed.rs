//! Facts with an integer and facts with a float in one column, where its values are held against others: `1` and `1.0` never meet.

use super::{numbers, shown};
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::given::Column;
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Atom, Comparator, Name, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

/// Reports the first integer of each column of a `.dl` text that has floats too, if a body joins the column, or asks for one of its values.
pub(super) fn check(checked: &CheckedProgram, syntax_at: impl Fn(Span) -> Syntax, found: &mut Vec<Diagnostic>) {
    let mut integers: FxHashMap<Column, &Atom> = FxHashMap::default();
    let mut floats: FxHashSet<Column> = FxHashSet::default();
    for fact in checked.facts.iter().filter(|fact| syntax_at(fact.span) == Syntax::Datalog) {
        for (column, arg) in fact.args.iter().enumerate() {
            match arg {
                Term::Integer(_) => _ = integers.entry((fact.signature(), column)).or_insert(fact),
                Term::Float(_) => _ = floats.insert((fact.signature(), column)),
                _ => {}
            }
        }
    }
    integers.retain(|column, _| floats.contains(column));
    if integers.is_empty() {
        return;
    }
    let mut told: FxHashSet<Column> = FxHashSet::default();
    for asked in checked.bodies().flat_map(|body| held_against_others(body, &integers)) {
        if told.insert(asked.clone())
            && let Some(fact) = integers.get(&asked)
        {
            let (predicate, column) = asked;
            let [integer, float] = [shown(&fact.args[column]), numbers::float_of(&fact.args[column])];
            let message = format!("`{integer}` is an integer, where other facts have floats");
            let place = format!("in column {} of `{}`, of which equal values are asked", column + 1, predicate.name);
            let help = format!(
                "write `{float}`, since `1` and `1.0` are two terms; if both are meant, say so in a comment: `ludolog: allow mixed-numbers`"
            );
            found.push(Diagnostic::warning(Code::MixedNumbers, message).at(fact.span, place).help(help));
        }
    }
}

/// The columns of which a body asks for values that are equal to others.
fn held_against_others(body: &[Literal], mixed: &FxHashMap<Column, &Atom>) -> Vec<Column> {
    let mut uses: FxHashMap<&Name, usize> = FxHashMap::default();
    let mut values: Vec<(Column, &Term)> = Vec::new();
    for literal in body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                for (column, arg) in atom.args.iter().enumerate() {
                    count(arg, &mut uses);
                    values.extend(
                        Some(((atom.signature(), column), arg)).filter(|(column, _)| mixed.contains_key(column)),
                    );
                }
            }
            Literal::Compare(comparison) | Literal::NotCompare(comparison)
                if matches!(comparison.comparator, Comparator::Equal | Comparator::NotEqual) =>
            {
                [&comparison.left, &comparison.right].into_iter().for_each(|side| count(side, &mut uses));
            }
            Literal::Member { element, .. } => count(element, &mut uses),
            // Tuples with equal values are one group.
            Literal::Aggregate(aggregation) => aggregation.group().iter().for_each(|value| count(value, &mut uses)),
            _ => {}
        }
    }
    let is_held = |value: &Term| match value {
        Term::Variable(name) => uses.get(name).is_some_and(|&uses| uses > 1),
        value => matches!(value, Term::Integer(_) | Term::Float(_)),
    };
    values.into_iter().filter(|(_, value)| is_held(value)).map(|(column, _)| column).collect()
}

fn count<'t>(term: &'t Term, uses: &mut FxHashMap<&'t Name, usize>) {
    if let Term::Variable(name) = term {
        *uses.entry(name).or_default() += 1;
    }
}
