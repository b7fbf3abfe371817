//! Windows: the integers that comparisons behind a subgoal leave for its columns.
//!
//! In `p(X, L) & q(X, N, M) & L < N & M < L + 9` the limits are known before the rows of `q` are looked up. A row outside of the
//! windows is passed over in a loop over entries of the index, where a plan would take a step to bind it and another one to
//! reject it. Windows only leave rows out: a value or a limit that is no small integer is left to the comparison, which tests
//! all rows within.

use super::plan::WindowTemplate;
use crate::term::narrowed;
use crate::value::Value;

/// The integers that a column may have.
pub struct ColumnWindow {
    pub column: u16,
    /// Whether the entries of the index hold the value of the column.
    pub is_carried: bool,
    least: i64,
    greatest: i64,
}

impl ColumnWindow {
    /// The window that limits leave; `None` if none of them is an integer.
    pub fn of(template: &WindowTemplate, slots: &[Value]) -> Option<ColumnWindow> {
        let WindowTemplate { column, is_carried, ref limits, ref narrowings } = *template;
        let mut window = ColumnWindow { column, is_carried, least: i64::MIN, greatest: i64::MAX };
        let mut is_open = true;
        for limit in limits {
            let Some(value) = limit.template.integer_of_small(slots) else { continue };
            is_open = false;
            if let Some([least, greatest]) = narrowed([window.least, window.greatest], limit.comparator, value) {
                (window.least, window.greatest) = (least, greatest);
            }
        }
        for narrowing in narrowings {
            let Some([least, greatest]) = narrowing.interval(|leaf| leaf.integer_of_small(slots)) else { continue };
            is_open = false;
            window.least = window.least.max(least);
            window.greatest = window.greatest.min(greatest);
        }
        (!is_open).then_some(window)
    }

    /// Whether a value of a zone may be within the window.
    #[inline]
    pub fn meets(&self, zone: Zone) -> bool {
        zone.least <= self.greatest && self.least <= zone.greatest
    }

    /// Whether a value is within the window, or is no small integer.
    #[inline]
    pub fn admits(&self, value: Value) -> bool {
        value.as_small_integer().is_none_or(|value| self.least <= value && value <= self.greatest)
    }
}

/// The least and the greatest integers among values, which are all that there may be if one of them is no small integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zone {
    least: i64,
    greatest: i64,
}

impl Zone {
    /// The zone of values.
    pub fn of(values: impl Iterator<Item = Value>) -> Zone {
        let mut zone = Zone { least: i64::MAX, greatest: i64::MIN };
        for value in values {
            let ends = value.as_small_integer().map_or([i64::MIN, i64::MAX], |value| [value; 2]);
            zone = Zone { least: zone.least.min(ends[0]), greatest: zone.greatest.max(ends[1]) };
        }
        zone
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{LimitTemplate, Template, Test};
    use crate::value::Interner;
    use ludolog_syntax::ast::{Comparator, Term};

    /// A value passes all comparisons only within the window, and a small integer within a window of small integers passes all.
    #[test]
    fn windows_leave_out_what_comparisons_reject() {
        let mut interner = Interner::new();
        let terms = [-2, 0, 1, 3, 4, i64::MIN, i64::MAX, 1 << 40].map(Term::Integer);
        let others = [Term::symbol("a"), Term::compound("f", vec![Term::Integer(1)])];
        let values: Vec<Value> = terms.iter().chain(&others).map(|term| interner.ground(term)).collect();
        let orderings = [Comparator::Less, Comparator::LessOrEqual, Comparator::Greater, Comparator::GreaterOrEqual];
        let is_small = |value: Value| value.as_small_integer().is_some();
        for (number, (&low, &high)) in
            values.iter().flat_map(|low| values.iter().map(move |high| (low, high))).enumerate()
        {
            let sides = [(low, orderings[number % 4]), (high, orderings[number / 4 % 4])];
            let limits = sides.map(|(limit, comparator)| {
                let template = Template::Constant(limit);
                LimitTemplate { comparator, template, of_integers: false }
            });
            let template =
                WindowTemplate { column: 0, is_carried: false, limits: limits.into(), narrowings: Box::default() };
            let window = ColumnWindow::of(&template, &[]);
            assert_eq!(window.is_some(), is_small(low) || is_small(high));
            let Some(window) = window else { continue };
            for &value in &values {
                let tests = sides.map(|(limit, comparator)| {
                    let right = Template::Constant(limit);
                    Test { comparator, negated: false, left: Template::Slot(0), right }
                });
                let passes = tests.iter().all(|test| test.holds(&[value], &mut interner));
                assert!(window.admits(value) || !passes, "{value:?} {sides:?}");
                if is_small(value) && is_small(low) && is_small(high) {
                    assert_eq!(window.admits(value), passes, "{value:?} {sides:?}");
                }
            }
        }
    }
}
