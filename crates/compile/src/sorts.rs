//! The sorts of terms that columns and variables hold.
//!
//! Columns and variables that share a value are one class (union-find), so that a variable has one sort wherever it stands, as
//! typed systems want it. The sort of a class is what constants and computations bring into it. What stands within compounds is one class
//! that holds anything.

use crate::translatable::Translatable;
use ludolog_logic::analysis::clause::{Aggregation, Clause, Elements, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Operation, Predicate, Term};
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use std::ops::{BitAnd, BitOr};

/// A set of the three kinds of terms: those that may stand in one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sort(u8);

impl Sort {
    pub(crate) const NONE: Sort = Sort(0);
    pub(crate) const INTEGER: Sort = Sort(1);
    pub(crate) const SYMBOL: Sort = Sort(2);
    pub(crate) const COMPOUND: Sort = Sort(4);
    pub(crate) const ANY: Sort = Sort(7);

    /// Whether no term of the other sort is left out.
    pub(crate) fn holds(self, other: Sort) -> bool {
        self & other == other
    }

    /// Whether both have terms in common.
    pub(crate) fn meets(self, other: Sort) -> bool {
        self & other != Sort::NONE
    }

    /// The sort of a term without variables.
    fn of_constant(term: &Term) -> Sort {
        match term {
            Term::Integer(_) | Term::Float(_) => Sort::INTEGER,
            Term::Symbol(_) => Sort::SYMBOL,
            Term::Compound(..) => Sort::COMPOUND,
            Term::Variable(_) => Sort::NONE,
        }
    }

    /// The sort of the value of an operation.
    pub(crate) fn of_value(operation: Operation) -> Sort {
        if operation.makes_symbols() { Sort::SYMBOL } else { Sort::INTEGER }
    }
}

impl BitAnd for Sort {
    type Output = Sort;

    fn bitand(self, other: Sort) -> Sort {
        Sort(self.0 & other.0)
    }
}

impl BitOr for Sort {
    type Output = Sort;

    fn bitor(self, other: Sort) -> Sort {
        Sort(self.0 | other.0)
    }
}

/// The sorts of a program's columns and variables.
pub(crate) struct Sorts {
    columns: FxHashMap<(Predicate, usize), Sort>,
    /// By rule.
    variables: Vec<FxHashMap<Name, Sort>>,
}

impl Sorts {
    /// Analyzes a program.
    pub(crate) fn of(program: &Translatable) -> Sorts {
        let mut classes = Classes::default();
        program.all_facts().for_each(|fact| classes.atom(fact, &mut FxHashMap::default()));
        let variables: Vec<FxHashMap<Name, usize>> = program.rules.iter().map(|rule| classes.rule(rule)).collect();
        program
            .outputs
            .iter()
            .for_each(|predicate| (0..predicate.arity).for_each(|i| _ = classes.column(predicate, i)));
        let columns = classes.columns.clone();
        let sorts = classes.sorts();
        Sorts {
            columns: columns.into_iter().map(|(column, node)| (column, sorts(node))).collect(),
            variables: variables
                .into_iter()
                .map(|names| names.into_iter().map(|(name, node)| (name, sorts(node))).collect())
                .collect(),
        }
    }

    /// The sort of a column; none if nothing is known of it.
    pub(crate) fn column(&self, predicate: &Predicate, i: usize) -> Sort {
        self.columns.get(&(predicate.clone(), i)).copied().unwrap_or(Sort::NONE)
    }

    /// The sorts within the rule of this number.
    pub(crate) fn rule(&self, number: usize) -> RuleSorts<'_> {
        RuleSorts(&self.variables[number])
    }
}

/// The sorts of the variables of one rule.
#[derive(Clone, Copy)]
pub(crate) struct RuleSorts<'s>(&'s FxHashMap<Name, Sort>);

impl RuleSorts<'_> {
    /// The sort of a term as it stands.
    pub(crate) fn term(self, term: &Term) -> Sort {
        match term {
            Term::Variable(name) => self.0.get(name).copied().unwrap_or(Sort::NONE),
            term => Sort::of_constant(term),
        }
    }

    /// The sort of the value of a side of a comparison, and whether it is computed there.
    pub(crate) fn side(self, side: &Term, comparator: Comparator) -> (Sort, bool) {
        match computed(side, comparator) {
            Some((operation, _)) => (Sort::of_value(operation), true),
            None => (self.term(side), false),
        }
    }
}

/// The operation that a comparator computes of a term, with its operands.
pub(crate) fn computed(term: &Term, comparator: Comparator) -> Option<(Operation, &[Term])> {
    match term {
        Term::Compound(functor, args) if comparator.computes(functor, args.len()) => {
            Some((Operation::of(functor, args.len())?, args))
        }
        _ => None,
    }
}

/// The classes while they are found.
struct Classes {
    nodes: UnionFind<usize>,
    /// The values that are brought into each node.
    brought: Vec<Sort>,
    columns: FxHashMap<(Predicate, usize), usize>,
}

/// The node of all that stands within compounds.
const NESTED: usize = 0;

impl Default for Classes {
    fn default() -> Self {
        Classes { nodes: UnionFind::new(1), brought: vec![Sort::ANY], columns: FxHashMap::default() }
    }
}

impl Classes {
    fn node(&mut self) -> usize {
        self.brought.push(Sort::NONE);
        self.nodes.new_set()
    }

    fn column(&mut self, predicate: &Predicate, i: usize) -> usize {
        match self.columns.get(&(predicate.clone(), i)) {
            Some(&node) => node,
            None => {
                let node = self.node();
                self.columns.insert((predicate.clone(), i), node);
                node
            }
        }
    }

    fn variable(&mut self, name: &Name, names: &mut FxHashMap<Name, usize>) -> usize {
        match names.get(name) {
            Some(&node) => node,
            None => {
                let node = self.node();
                names.insert(name.clone(), node);
                node
            }
        }
    }

    fn bring(&mut self, node: usize, sort: Sort) {
        self.brought[node] = self.brought[node] | sort;
    }

    /// A term stands in the place of a node.
    fn place(&mut self, term: &Term, node: usize, names: &mut FxHashMap<Name, usize>) {
        match term {
            Term::Variable(name) => {
                let variable = self.variable(name, names);
                self.nodes.union(variable, node);
            }
            Term::Compound(_, args) => {
                self.bring(node, Sort::COMPOUND);
                args.iter().for_each(|arg| self.place(arg, NESTED, names));
            }
            constant => self.bring(node, Sort::of_constant(constant)),
        }
    }

    fn atom(&mut self, atom: &Atom, names: &mut FxHashMap<Name, usize>) {
        let predicate = atom.signature();
        for (i, arg) in atom.args.iter().enumerate() {
            let column = self.column(&predicate, i);
            self.place(arg, column, names);
        }
    }

    fn rule(&mut self, rule: &Clause) -> FxHashMap<Name, usize> {
        let mut names = FxHashMap::default();
        self.atom(&rule.head, &mut names);
        for literal in &rule.body {
            match literal {
                Literal::Positive(atom) | Literal::Negative(atom) => self.atom(atom, &mut names),
                Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
                    self.comparison(comparison, &mut names);
                }
                Literal::Aggregate(aggregation) => self.aggregate(aggregation, &mut names),
                Literal::Member { element, elements: Elements::List(list), .. } => {
                    self.place(element, NESTED, &mut names);
                    let node = self.node();
                    self.bring(node, Sort::COMPOUND | Sort::SYMBOL);
                    self.place(list, node, &mut names);
                }
                Literal::Member { element, elements: Elements::Range(from, to), negated, .. } => {
                    let node = self.node();
                    self.place(element, node, &mut names);
                    if !negated {
                        self.bring(node, Sort::INTEGER);
                    }
                    [from, to].into_iter().for_each(|bound| self.side(bound, Comparator::Is, &mut names));
                }
            }
        }
        names
    }

    /// Makes the variables of a side known. What is computed of them brings nothing into their classes.
    fn side(&mut self, side: &Term, comparator: Comparator, names: &mut FxHashMap<Name, usize>) {
        match computed(side, comparator) {
            Some((_, operands)) => operands.iter().for_each(|operand| self.side(operand, comparator, names)),
            None => {
                let node = self.node();
                self.place(side, node, names);
            }
        }
    }

    fn comparison(&mut self, comparison: &Comparison, names: &mut FxHashMap<Name, usize>) {
        let Comparison { comparator, left, right, .. } = comparison;
        let sides = [left, right];
        if matches!(comparator, Comparator::Is | Comparator::Equal) {
            let node = self.node();
            for side in sides {
                match computed(side, *comparator) {
                    Some((operation, _)) => {
                        self.bring(node, Sort::of_value(operation));
                        self.side(side, *comparator, names);
                    }
                    None => self.place(side, node, names),
                }
            }
        } else {
            sides.into_iter().for_each(|side| self.side(side, *comparator, names));
        }
    }

    fn aggregate(&mut self, aggregation: &Aggregation, names: &mut FxHashMap<Name, usize>) {
        self.atom(&aggregation.atom, names);
        let node = if aggregation.function.chooses() {
            self.column(&aggregation.atom.signature(), aggregation.bound)
        } else {
            let node = self.node();
            self.bring(node, Sort::INTEGER);
            node
        };
        self.place(&aggregation.result, node, names);
    }

    /// The sort of each node: that of its class.
    fn sorts(self) -> impl Fn(usize) -> Sort {
        let mut sorts = vec![Sort::NONE; self.brought.len()];
        for (node, sort) in self.brought.iter().enumerate() {
            let class = self.nodes.find(node);
            sorts[class] = sorts[class] | *sort;
        }
        move |node| sorts[self.nodes.find(node)]
    }
}
