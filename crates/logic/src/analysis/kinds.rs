//! The kinds of the values that columns and variables may have: integers, floats, symbols, compounds; of symbols, whether they are decimals of
//! a table.
//!
//! The least sets of kinds that the rules close, from the kinds in facts: a rule brings into the columns of its head what its variables
//! may be, and a variable may be what all columns that it stands in may be. That is the least fixpoint of a monotone operator on a finite
//! lattice; each column gets larger five times at most, so rules are looked at a number of times linear in the length of the program.

use super::clause::{Aggregation, CheckedProgram, Clause, Elements, Literal};
use super::given::{GivenColumns, for_each_run, spells_integer};
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparator, Comparison, Name, Operation, Predicate, Term};
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use ludolog_syntax::is_decimal;
use rustc_hash::FxHashMap;
use std::ops::{BitAnd, BitOr};

/// Rules between two checks of the budget.
const POLL_EVERY: u32 = 256;

/// A set of kinds of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// No kind.
    pub const NONE: Kinds = Kinds(0);
    /// Integers.
    pub const INTEGER: Kinds = Kinds(1);
    /// Floats.
    pub const FLOAT: Kinds = Kinds(2);
    /// Symbols.
    pub const SYMBOL: Kinds = Kinds(4);
    /// Compound terms.
    pub const COMPOUND: Kinds = Kinds(8);
    /// Integers and floats.
    pub const NUMBER: Kinds = Kinds(3);
    /// Symbols of tables that spell a number with a fraction or an exponent, in columns that are not declared. They are symbols as well.
    pub const DECIMAL: Kinds = Kinds(32);
    /// Symbols of tables that spell an integer in a way of their own, as `007` or `1,000`: a mark of one table, that is in no column of a program.
    pub(super) const SPELLED: Kinds = Kinds(16);
    /// All kinds, since nothing is known.
    pub const UNKNOWN: Kinds = Kinds(63);

    /// The kind of a ground term, or all of a variable.
    pub fn of(term: &Term) -> Kinds {
        match term {
            Term::Variable(_) => Kinds::UNKNOWN,
            Term::Integer(_) => Kinds::INTEGER,
            Term::Float(_) => Kinds::FLOAT,
            Term::Symbol(_) => Kinds::SYMBOL,
            Term::Compound(..) => Kinds::COMPOUND,
        }
    }

    /// The names of the types that the values may have, as `integer or symbol`; `any` if nothing is known.
    pub fn text(self) -> String {
        let of = [
            (Kinds::INTEGER, "integer"),
            (Kinds::FLOAT, "float"),
            (Kinds::SYMBOL, "symbol"),
            (Kinds::COMPOUND, "compound"),
        ];
        let names: Vec<&str> = of.into_iter().filter(|(kind, _)| self.meets(*kind)).map(|(_, name)| name).collect();
        match names.len() {
            0 => "no value".to_owned(),
            _ if self.is_unknown() => "any".to_owned(),
            _ => names.join(" or "),
        }
    }

    /// The kind of a value of a table.
    pub(super) fn of_table(term: &Term) -> Kinds {
        match term {
            Term::Symbol(text) if is_decimal(text) => Kinds::SYMBOL | Kinds::DECIMAL,
            Term::Symbol(text) if spells_integer(text) => Kinds::SYMBOL | Kinds::SPELLED,
            other => Kinds::of(other),
        }
    }

    /// The kinds without the mark of how integers are spelled.
    pub(super) fn of_program(self) -> Kinds {
        Kinds(self.0 & !Kinds::SPELLED.0)
    }

    /// Whether decimals of a table are among them, as far as something is known.
    pub fn has_decimals(self) -> bool {
        self.meets(Kinds::DECIMAL) && !self.is_unknown()
    }

    /// Whether a kind is in both.
    pub fn meets(self, other: Kinds) -> bool {
        self & other != Kinds::NONE
    }

    /// Whether nothing is known of the values.
    pub fn is_unknown(self) -> bool {
        self == Kinds::UNKNOWN
    }
}

impl BitAnd for Kinds {
    type Output = Kinds;

    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

/// The kinds of all columns of a program.
pub struct ColumnKinds {
    columns: FxHashMap<Predicate, Vec<Kinds>>,
    /// Those that the program declares.
    declared: FxHashMap<Predicate, Vec<Kinds>>,
}

/// The kinds of the variables of a body.
pub type VariableKinds<'c> = FxHashMap<&'c Name, Kinds>;

impl ColumnKinds {
    /// The kinds of the columns, with those of a case.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn new(checked: &CheckedProgram, given: &GivenColumns, budget: &Budget) -> Result<ColumnKinds, Stopped> {
        let mut kinds = ColumnKinds { columns: given.columns().clone(), declared: checked.types.kinds() };
        for_each_run(checked.facts.iter(), |predicate, columns| _ = kinds.bring(&predicate, columns.into_iter()));
        let changed = checked.transitions.iter().flat_map(|transition| &transition.effects);
        for effect in changed {
            let atom = effect.atom();
            kinds.bring(&atom.signature(), atom.args.iter().map(|_| Kinds::UNKNOWN));
        }
        kinds.close(&checked.rules, budget)?;
        Ok(kinds)
    }

    /// Brings kinds into the columns of a predicate; whether one is new.
    fn bring(&mut self, predicate: &Predicate, kinds: impl Iterator<Item = Kinds>) -> bool {
        if !self.columns.contains_key(predicate) {
            self.columns.insert(predicate.clone(), vec![Kinds::NONE; predicate.arity]);
        }
        let columns = self.columns.get_mut(predicate).into_iter().flatten();
        columns.zip(kinds).fold(false, |is_new, (column, kind)| {
            let before = std::mem::replace(column, *column | kind);
            is_new || before != *column
        })
    }

    /// Looks at rules until none brings a new kind into its head.
    fn close(&mut self, rules: &[Clause], budget: &Budget) -> Result<(), Stopped> {
        let mut readers: FxHashMap<Predicate, Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            let head = rule.head.signature();
            let args = rule.head.args.len();
            self.bring(&head, std::iter::repeat_n(Kinds::NONE, args));
            for atom in rule.body.iter().filter_map(Literal::atom) {
                readers.entry(atom.signature()).or_default().push(number);
            }
        }
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut open: Vec<usize> = (0..rules.len()).rev().collect();
        let mut is_open = vec![true; rules.len()];
        while let Some(number) = open.pop() {
            poll.step()?;
            is_open[number] = false;
            let rule = &rules[number];
            let Some(variables) = self.variables(&rule.body) else { continue };
            let head = rule.head.signature();
            let kinds: Vec<Kinds> = rule.head.args.iter().map(|arg| of_term(arg, &variables)).collect();
            if self.bring(&head, kinds.into_iter()) {
                for &reader in readers.get(&head).into_iter().flatten() {
                    if !std::mem::replace(&mut is_open[reader], true) {
                        open.push(reader);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether a fact has values of these kinds alone, so that kinds stay as they are when it is given.
    pub fn admit(&self, fact: &Atom) -> bool {
        let known = self.columns.get(&fact.signature());
        let is_known = |(kinds, term): (&Kinds, &Term)| kinds.meets(Kinds::of(term));
        known.is_some_and(|columns| columns.iter().zip(&fact.args).all(is_known))
    }

    /// Whether a column of a predicate has values of several kinds, of which one may be gone when a fact is.
    pub fn are_mixed(&self, predicate: &Predicate) -> bool {
        self.columns.get(predicate).is_some_and(|columns| columns.iter().any(|kinds| kinds.0.count_ones() > 1))
    }

    /// The kinds in the columns of a predicate that rules or facts define; `None` of another one.
    pub fn of(&self, predicate: &Predicate) -> Option<&[Kinds]> {
        self.columns.get(predicate).map(Vec::as_slice)
    }

    /// The kinds in a column. Of a predicate that neither rules nor facts define, those that are declared.
    pub fn column(&self, atom: &Atom, column: usize) -> Kinds {
        let predicate = atom.signature();
        let known = self.columns.get(&predicate).or_else(|| self.declared.get(&predicate));
        known.map_or(Kinds::UNKNOWN, |columns| columns[column])
    }

    /// The kinds that a column is declared to have; `None` if it is not.
    pub fn declared(&self, atom: &Atom, column: usize) -> Option<Kinds> {
        self.declared.get(&atom.signature()).map(|columns| columns[column])
    }

    /// The kinds of the variables of a body; `None` if one has no kind, so that the body never holds.
    pub fn variables<'b>(&self, body: &'b [Literal]) -> Option<VariableKinds<'b>> {
        let mut variables = VariableKinds::default();
        for literal in body {
            self.bind(literal, &mut variables);
        }
        variables.values().all(|kinds| *kinds != Kinds::NONE).then_some(variables)
    }

    /// Restricts the kinds of variables to those with which a literal may hold.
    pub fn bind<'b>(&self, literal: &'b Literal, variables: &mut VariableKinds<'b>) {
        match literal {
            Literal::Positive(atom) => {
                for (column, arg) in atom.args.iter().enumerate() {
                    restrict(arg, self.column(atom, column), variables);
                }
            }
            Literal::Compare(Comparison { comparator: Comparator::Is, left, right, .. }) => {
                let kinds = of_value(right, Comparator::Is, variables);
                restrict(left, kinds, variables);
            }
            Literal::Compare(Comparison { comparator: Comparator::Equal, left, right, .. }) => {
                let [of_left, of_right] = [left, right].map(|side| of_value(side, Comparator::Equal, variables));
                restrict(left, of_right, variables);
                restrict(right, of_left, variables);
            }
            // What is compared with an integer is one where that holds, and so with floats.
            Literal::Compare(comparison) if comparison.comparator.orders() => {
                let &Comparison { comparator, ref left, ref right, .. } = comparison;
                let [of_left, of_right] = [left, right].map(|side| of_value(side, comparator, variables));
                for (side, other) in [(left, of_right), (right, of_left)] {
                    if other == Kinds::INTEGER || other == Kinds::FLOAT {
                        restrict(side, other, variables);
                    }
                }
            }
            Literal::Aggregate(aggregation) => {
                let kinds = self.aggregate(aggregation);
                restrict(&aggregation.result, kinds, variables);
            }
            Literal::Member { element, elements: Elements::Range(..), negated: false, .. } => {
                restrict(element, Kinds::INTEGER, variables);
            }
            Literal::Negative(_) | Literal::Compare(_) | Literal::NotCompare(_) | Literal::Member { .. } => {}
        }
    }

    /// The kinds of the value of an aggregate. The sum of nothing is an integer, unless its term is written as a float.
    fn aggregate(&self, aggregation: &Aggregation) -> Kinds {
        let first = self.column(&aggregation.atom, aggregation.bound);
        let written = aggregation.written.0.template.first();
        match aggregation.function {
            AggregateFunction::Count | AggregateFunction::Union => Kinds::INTEGER,
            AggregateFunction::Minimum | AggregateFunction::Maximum => first,
            AggregateFunction::Average => first & Kinds::NUMBER,
            AggregateFunction::Sum if written.is_some_and(Term::makes_float) => Kinds::FLOAT,
            AggregateFunction::Sum => (first & Kinds::NUMBER) | Kinds::INTEGER,
        }
    }
}

/// Restricts the kinds of a term that is a variable. The variables within a compound may be anything.
fn restrict<'c>(term: &'c Term, kinds: Kinds, variables: &mut VariableKinds<'c>) {
    if let Term::Variable(name) = term {
        let known = variables.entry(name).or_insert(Kinds::UNKNOWN);
        *known = *known & kinds;
    }
}

/// The kinds of a term as it stands.
pub fn of_term(term: &Term, variables: &VariableKinds) -> Kinds {
    match term {
        Term::Variable(name) => variables.get(name).copied().unwrap_or(Kinds::UNKNOWN),
        other => Kinds::of(other),
    }
}

/// The kinds of the value of a side of a comparison.
pub fn of_value(side: &Term, comparator: Comparator, variables: &VariableKinds) -> Kinds {
    let Term::Compound(functor, args) = side else { return of_term(side, variables) };
    let Some(operation) = Operation::of(functor, args.len()).filter(|_| comparator.computes(functor, args.len()))
    else {
        return Kinds::COMPOUND;
    };
    let operands: Vec<Kinds> = args.iter().map(|arg| of_value(arg, comparator, variables)).collect();
    let computed = of_operation(operation, operands.iter().copied());
    let has_value = [Kinds::INTEGER, Kinds::FLOAT].into_iter().any(|kind| operands.iter().all(|&of| of == kind));
    let always = matches!(operation, Operation::Add | Operation::Subtract | Operation::Multiply) && has_value;
    // What cannot be computed is a term.
    if comparator == Comparator::Equal && !always { computed | Kinds::COMPOUND } else { computed }
}

/// The kinds that an operation makes of operands.
fn of_operation(operation: Operation, operands: impl Iterator<Item = Kinds>) -> Kinds {
    let common = operands.fold(Kinds::UNKNOWN, |common, kinds| common & kinds);
    match operation {
        Operation::Called(_) => Kinds::UNKNOWN,
        _ if operation.makes_floats() => Kinds::FLOAT,
        _ if operation.makes_symbols() => Kinds::SYMBOL,
        _ if operation.rounds() || operation.is_of_symbols() => Kinds::INTEGER,
        // Of what nothing is known, nothing comes that is.
        _ if operation.is_of_floats() && common.is_unknown() => common,
        _ if operation.is_of_floats() => common & Kinds::NUMBER,
        _ => common & Kinds::INTEGER,
    }
}
