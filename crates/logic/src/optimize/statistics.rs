//! Sizes of relations: counted where the facts are known, estimated where not.
//!
//! Two things are known of every relation: its number of *rows*, and for each column (and each place inside compound
//! arguments) the *universe* its values come from. Columns that share a variable in some clause share a universe
//! (a union-find over columns), and its size is the largest number of distinct values seen in one of them. The one
//! assumption is that the values of a universe are equally likely: a literal with `m` rows that match its constants,
//! entered with some variables bound, has a *fan-out* of `m / Π |universe of a bound variable|` rows. This does not
//! depend on the order of the literals before it, which makes the search for an order exact in these terms
//! (Selinger et al., *Access path selection in a relational database management system*, SIGMOD 1979, has the idea of
//! selectivities from sizes and distinct counts).
//!
//! One dependence is taken into account, because recursion and Hex live on it: when two literals draw a variable from
//! the same column of the same facts, directly or through rules (`touches(P, X, Y)` after `connected(P, X, Y)`, both
//! over the stones), the universe of that variable is no larger than this column's own values. Each column of a derived
//! relation has such columns as its *sources*, those that all of its rules agree on.
//!
//! Large relations are sampled, distinct counts of a sample scaled by the estimator of Charikar,
//! Chaudhuri, Motwani and Narasayya (*Towards estimation error guarantees for distinct values*, PODS 2000).
//! An input of which no fact is known is expected to have as many rows as its widest column has values, but at most
//! half of all that there could be. A derived relation has the rows that its rules' bodies are expected to give, and no
//! more than the product of its columns' universes, of which a rule gives no more values than a subgoal outside the
//! recursion has rows; a lattice column, which has one value for each row of the others, is no factor. Recursion is iterated a dozen times, or more if it is to go [far](RecursionDepth::Far).

use super::inputs::Inputs;
use super::samples::{KnownFacts, SAMPLE, Sample, samples};
use super::selectivity::{assigned, range, selectivity};
use super::universes::{SampledValues, Universes, ValuePlace};
use crate::analysis::clause::{Clause, Literal, StratifiedProgram, mentions};
use ludolog_syntax::ast::{Atom, Comparator, Comparison, Name, Predicate, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Rounds of improving the sizes of recursive relations; most estimates settle in a few, or grow to their bound.
const ROUNDS: usize = 12;
/// The row estimate used instead of zero, so that the rest of a body still makes a difference.
const FEWEST_ROWS: f64 = 0.01;
/// The relative change of an estimate below which it counts as settled: far finer than estimates are good for.
const SETTLED: f64 = 0.01;
/// The share of all possible rows that an input of unknown facts is expected to have at most.
const MOST_OF_ALL: f64 = 0.5;
/// The number of rows to a row that is left of them, from which on it counts as far fewer.
const FEWER: f64 = 2.0;
/// Most rows expected of anything.
const MOST_ROWS: f64 = 1e15;
/// Deepest places inside a term that are told apart.
const DEPTH: usize = 3;

/// The facts and rules of one relation, and the estimates made of them.
#[derive(Default)]
struct RelationEstimate<'p> {
    /// All facts, or a sample of them; `None` if no fact is known.
    facts: Option<KnownFacts<'p>>,
    /// The number of rows that a fact of the sample stands for.
    scale: f64,
    /// Rules with the number of rows they are expected to give.
    rules: Vec<(&'p Clause, f64)>,
    /// Whether facts may come that nobody knows yet.
    unknown: bool,
    /// For each column the columns of facts that its values are from; empty before they are known.
    sources: Vec<Vec<ColumnSize>>,
    /// The lattice column, of which there is one value for each row of the others.
    value: Option<usize>,
    /// Patterns with the number of facts that match each, as far as they have been counted.
    matching: RefCell<Vec<(Vec<Term>, usize)>>,
}

/// The sizes that the number of rows matching an atom depends on.
struct AtomSizes {
    predicate: Predicate,
    /// The matching facts.
    given: f64,
    /// The rules of the relation that may match, by number, each with the share of its rows that does.
    rules: Vec<(usize, f64)>,
    least: f64,
    most: f64,
}

/// The factors of the number of answers of a conjunction: the product of what is read, and of the share that passes.
struct Conjunction {
    share: f64,
    readings: Vec<AtomSizes>,
}

/// A column of facts (its place) with the number of its distinct values.
pub type ColumnSize = (usize, f64);

/// The depth to which recursion is expected to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecursionDepth {
    /// A dozen rounds.
    Usual,
    /// As far as it may, as along a path of thousands of nodes: to the limit of the last steps of a dozen rounds, and a
    /// dozen rounds more.
    Far,
}

/// Sizes of the relations of a program.
pub struct Statistics<'p> {
    relations: FxHashMap<Predicate, RelationEstimate<'p>>,
    universes: Universes,
    reach: RecursionDepth,
}

/// The rows of a positive literal, as far as its constants say.
#[derive(Clone, Debug)]
pub struct LiteralRowCount<'a> {
    /// Rows that match the constants.
    pub rows: f64,
    /// Its distinct variables.
    pub variables: Vec<LiteralVariable<'a>>,
}

/// A variable of a literal.
#[derive(Clone, Debug)]
pub struct LiteralVariable<'a> {
    /// The name.
    pub name: &'a Name,
    /// The size of its universe.
    pub size: f64,
    /// The columns of facts that its values are from.
    pub sources: Vec<ColumnSize>,
}

impl RelationEstimate<'_> {
    /// The number of facts, or of those in the sample, that match a pattern.
    fn matching(&self, pattern: &[Term]) -> usize {
        if let Some((_, count)) = self.matching.borrow().iter().find(|(other, _)| other == pattern) {
            return *count;
        }
        let (ground, others): (Vec<usize>, Vec<usize>) =
            (0..pattern.len()).partition(|&column| pattern[column].is_ground());
        let is_plain = are_plain(others.iter().map(|&column| &pattern[column]));
        let is_match = |fact: &&Atom| {
            // Most facts have other constants.
            ground.iter().all(|&column| pattern[column] == fact.args[column]) && {
                let mut bound = Vec::new();
                is_plain || others.iter().all(|&column| matches(&pattern[column], &fact.args[column], &mut bound))
            }
        };
        let count = self.facts.as_ref().map_or(0, |facts| facts.count(is_match));
        self.matching.borrow_mut().push((pattern.to_vec(), count));
        count
    }
}

impl LiteralVariable<'_> {
    /// The size of the universe for a variable that was drawn from these sources before.
    pub fn size_after(&self, sources: &[ColumnSize]) -> f64 {
        let shared = sources.iter().filter(|source| self.sources.contains(source));
        shared.fold(self.size, |size, (_, distinct)| size.min(*distinct))
    }
}

impl<'p> Statistics<'p> {
    /// Counts the facts and estimates what the rules make of them.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn new(
        stratified: &'p StratifiedProgram,
        inputs: &'p Inputs,
        reach: RecursionDepth,
        budget: &Budget,
    ) -> Result<Self, Stopped> {
        let mut statistics = Self { relations: FxHashMap::default(), universes: Universes::default(), reach };
        for sample in samples(stratified.program.facts.iter().chain(&inputs.sample), &inputs.counted) {
            budget.check()?;
            statistics.note(sample);
        }
        for predicate in &inputs.predicates {
            let relation = statistics.relations.entry(predicate.clone()).or_default();
            relation.unknown = relation.facts.is_none();
        }
        let founded = stratified.program.three_valued.components.iter().flat_map(|component| &component.predicates);
        let bounds = founded.map(|founded| &founded.bound);
        for rule in stratified.program.rules.iter().chain(bounds) {
            budget.check()?;
            statistics.link(rule);
            statistics.relations.entry(rule.head.signature()).or_default().rules.push((rule, 0.0));
        }
        for (predicate, lattice) in &stratified.program.lattices {
            statistics.relations.entry(predicate.clone()).or_default().value = Some(lattice.column);
        }
        for component in &stratified.strata {
            statistics.estimate(component, budget)?;
        }
        Ok(statistics)
    }

    /// Notes the facts of one relation and the distinct values of its columns.
    fn note(&mut self, Sample { facts, rows }: Sample<'p>) {
        let scale = rows as f64 / facts.len() as f64;
        let predicate = facts.predicate();
        let place = |column| ValuePlace::Column(predicate.clone(), column);
        let columns: Vec<usize> = (0..predicate.arity).map(|column| self.universes.place(place(column))).collect();
        let counted: Vec<ColumnSize> = match &facts {
            KnownFacts::Listed(facts) => {
                let mut values: FxHashMap<usize, SampledValues> = FxHashMap::default();
                for (column, &place) in columns.iter().enumerate() {
                    facts.iter().for_each(|fact| self.collect(place, &fact.args[column], 0, &mut values));
                }
                values.into_iter().map(|(place, values)| (place, values.distinct(scale))).collect()
            }
            KnownFacts::Counted(sample) => columns.iter().copied().zip(sample.distinct.iter().copied()).collect(),
        };
        let mut sources = vec![Vec::new(); predicate.arity];
        for (place, distinct) in counted {
            self.universes.note(place, distinct);
            if let Some(column) = columns.iter().position(|&column| column == place) {
                sources[column].push((place, distinct));
            }
        }
        let facts = Some(facts);
        self.relations.insert(predicate, RelationEstimate { facts, scale, sources, ..RelationEstimate::default() });
    }

    fn collect<'t>(
        &mut self,
        place: usize,
        term: &'t Term,
        depth: usize,
        values: &mut FxHashMap<usize, SampledValues<'t>>,
    ) {
        values.entry(place).or_default().count(term);
        if let Term::Compound(functor, args) = term
            && depth < DEPTH
        {
            for (i, arg) in args.iter().enumerate() {
                let inside = self.universes.place(ValuePlace::Inside(place, functor.clone(), args.len(), i));
                self.collect(inside, arg, depth + 1, values);
            }
        }
    }

    /// Makes places of a clause that share a variable share a universe.
    fn link(&mut self, clause: &'p Clause) {
        let mut seen: FxHashMap<&Name, usize> = FxHashMap::default();
        let atoms = clause.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) => Some(atom),
            _ => None,
        });
        for atom in atoms.chain([&clause.head]) {
            for (column, arg) in atom.args.iter().enumerate() {
                let place = self.universes.place(ValuePlace::Column(atom.signature(), column));
                self.link_term(place, arg, 0, &mut seen);
            }
        }
        for literal in &clause.body {
            if let Literal::Compare(Comparison {
                comparator: Comparator::Is | Comparator::Equal, left, right, ..
            }) = literal
            {
                let mut places = Vec::new();
                for term in [left, right] {
                    term.for_each_variable(&mut |name| places.extend(seen.get(name)));
                }
                places.windows(2).for_each(|pair| self.universes.union(pair[0], pair[1]));
            }
        }
    }

    fn link_term(&mut self, place: usize, term: &'p Term, depth: usize, seen: &mut FxHashMap<&'p Name, usize>) {
        match term {
            Term::Variable(name) => {
                let other = *seen.entry(name).or_insert(place);
                self.universes.union(other, place);
            }
            Term::Compound(functor, args) if depth < DEPTH => {
                for (i, arg) in args.iter().enumerate() {
                    let inside = self.universes.place(ValuePlace::Inside(place, functor.clone(), args.len(), i));
                    self.link_term(inside, arg, depth + 1, seen);
                }
            }
            _ => {}
        }
    }

    /// Estimates the rows of the rules of one component, whose callees in earlier components are done.
    fn estimate(&mut self, component: &[Predicate], budget: &Budget) -> Result<(), Stopped> {
        self.trace(component, budget)?;
        let recursive: FxHashSet<&Predicate> = component.iter().collect();
        let is_recursive =
            |literal: &Literal| matches!(literal, Literal::Positive(a) if recursive.contains(&a.signature()));
        // Each rule as the number of its relation's rule, with the most rows that it can give.
        let mut rules: Vec<(&Predicate, usize, Conjunction, f64)> = Vec::new();
        let mut recursion = false;
        for predicate in component {
            let of_predicate = self.relations.get(predicate).map_or(&[][..], |relation| &relation.rules);
            for (number, (rule, _)) in of_predicate.iter().enumerate() {
                let most = self.most_rows(rule, &recursive).min(MOST_ROWS);
                rules.push((predicate, number, self.conjunction(&rule.body, budget)?, most));
                recursion |= rule.body.iter().any(is_recursive);
            }
        }
        let is_far = self.reach == RecursionDepth::Far;
        let mut steps = vec![0.0; rules.len()];
        for round in 1..=if is_far { 2 * ROUNDS } else { ROUNDS } {
            let mut changed = false;
            for ((predicate, number, body, most), last) in rules.iter().zip(&mut steps) {
                budget.check()?;
                let mut after = self.rows_of(body).min(*most);
                let before = &mut self.relations.get_mut(*predicate).expect("it has rules").rules[*number].1;
                let step = after - *before;
                if is_far && round == ROUNDS {
                    after = limit(after, step, *last).min(*most);
                }
                *last = step;
                changed |= (after - *before).abs() > SETTLED * *before;
                *before = after;
            }
            if !(changed && recursion) {
                break;
            }
        }
        Ok(())
    }

    /// Finds the sources of the columns of one component: the common ones of all rules, where a column passed on by
    /// recursion agrees with anything.
    fn trace(&mut self, component: &[Predicate], budget: &Budget) -> Result<(), Stopped> {
        let mut traced: FxHashMap<&Predicate, Vec<Option<Vec<ColumnSize>>>> = FxHashMap::default();
        let derived = component.iter().filter(|p| self.relations.get(p).is_some_and(|r| !r.rules.is_empty()));
        for predicate in derived {
            let given = self.relations[predicate].facts.is_some() || self.relations[predicate].unknown;
            traced.insert(predicate, vec![given.then(Vec::new); predicate.arity]);
        }
        // Twice, so that what the first round left open for recursion is seen through other predicates of the
        // component.
        for _ in 0..2 {
            for predicate in component.iter().filter(|predicate| self.relations.contains_key(predicate)) {
                for (rule, _) in &self.relations[predicate].rules {
                    for (column, arg) in rule.head.args.iter().enumerate() {
                        budget.check()?;
                        let Some(of_rule) = self.sources_in_rule(rule, arg, &traced) else { continue };
                        let known = &mut traced.get_mut(predicate).expect("it has rules")[column];
                        match known {
                            Some(known) => known.retain(|source| of_rule.contains(source)),
                            None => *known = Some(of_rule),
                        }
                    }
                }
            }
        }
        for (predicate, columns) in traced {
            let sources = columns.into_iter().map(Option::unwrap_or_default).collect();
            self.relations.get_mut(predicate).expect("it has rules").sources = sources;
        }
        Ok(())
    }

    /// The sources of a head's argument in one rule; `None` when there is only recursion.
    fn sources_in_rule(
        &self,
        rule: &Clause,
        arg: &Term,
        traced: &FxHashMap<&Predicate, Vec<Option<Vec<ColumnSize>>>>,
    ) -> Option<Vec<ColumnSize>> {
        if !matches!(arg, Term::Variable(_)) {
            return Some(Vec::new());
        }
        let mut sources = Vec::new();
        let mut open = false;
        for literal in &rule.body {
            let Literal::Positive(atom) = literal else { continue };
            let signature = atom.signature();
            for (column, _) in atom.args.iter().enumerate().filter(|(_, other)| *other == arg) {
                match (traced.get(&signature), self.relations.get(&signature)) {
                    (Some(columns), _) => match &columns[column] {
                        Some(known) => sources.extend(known),
                        None => open = true,
                    },
                    (None, Some(relation)) => sources.extend(relation.sources.get(column).into_iter().flatten()),
                    (None, None) => {}
                }
            }
        }
        (!(open && sources.is_empty())).then_some(sources)
    }

    /// The expected number of answers of a conjunction.
    ///
    /// # Errors
    ///
    /// The reason, when the budget ends first.
    pub fn rows_of_body(&self, body: &[Literal], budget: &Budget) -> Result<f64, Stopped> {
        Ok(self.rows_of(&self.conjunction(body, budget)?))
    }

    /// The sizes that the answers of a conjunction depend on.
    fn conjunction(&self, body: &[Literal], budget: &Budget) -> Result<Conjunction, Stopped> {
        // The variables bound so far, with the size of the universe and the sources of each.
        let mut seen: FxHashMap<&Name, (f64, Vec<ColumnSize>)> = FxHashMap::default();
        let mut conjunction = Conjunction { share: 1.0, readings: Vec::new() };
        for literal in body {
            budget.check()?;
            match literal {
                Literal::Positive(atom) => {
                    let variables = self.variables(atom);
                    conjunction.readings.push(self.reading(atom, &variables));
                    for drawn in variables {
                        if let Some((_, sources)) = seen.get(drawn.name) {
                            conjunction.share /= drawn.size_after(sources);
                        }
                        let known = seen.entry(drawn.name).or_insert((drawn.size, Vec::new()));
                        known.0 = known.0.min(drawn.size);
                        known.1.extend(drawn.sources);
                    }
                }
                other => {
                    let set = assigned(other).and_then(|name| seen.get(name));
                    let tested = range(other).and_then(|range| Some(range.share(Some(seen.get(range.element)?.0))));
                    conjunction.share *= match (set, tested) {
                        (Some((size, _)), _) => 1.0 / size,
                        (None, Some(share)) => share,
                        (None, None) => selectivity(other),
                    }
                }
            }
        }
        Ok(conjunction)
    }

    /// The expected answers of a conjunction, as far as the rules that it reads are estimated.
    fn rows_of(&self, conjunction: &Conjunction) -> f64 {
        conjunction.readings.iter().fold(conjunction.share, |rows, reading| rows * self.rows_read(reading))
    }

    /// The most rows that a rule can give: each variable of its head has the values of its universe, and no more than a
    /// subgoal outside the recursion has rows.
    fn most_rows(&self, rule: &Clause, recursive: &FxHashSet<&Predicate>) -> f64 {
        let atoms = rule.body.iter().filter_map(|literal| match literal {
            Literal::Positive(atom) if !recursive.contains(&atom.signature()) => Some(atom),
            _ => None,
        });
        let extents: Vec<LiteralRowCount> = atoms.map(|atom| self.extent(atom)).collect();
        let values = |drawn: LiteralVariable| {
            let reads = |extent: &&LiteralRowCount| extent.variables.iter().any(|other| other.name == drawn.name);
            extents.iter().filter(reads).fold(drawn.size, |least, extent| least.min(extent.rows.max(1.0)))
        };
        self.keys(&rule.head, self.variables(&rule.head)).map(values).product()
    }

    /// Those variables of an atom that tell its rows apart. Of a lattice these are the ones outside of its column, each with no more values
    /// than the columns of facts that they are from.
    fn keys<'a>(
        &self,
        atom: &'a Atom,
        variables: Vec<LiteralVariable<'a>>,
    ) -> impl Iterator<Item = LiteralVariable<'a>> {
        let value = self.relations.get(&atom.signature()).and_then(|relation| relation.value);
        let key = move |mut drawn: LiteralVariable<'a>| {
            let Some(value) = value else { return Some(drawn) };
            let mut others = atom.args.iter().enumerate().filter(|(column, _)| *column != value);
            drawn.size = drawn.size_after(&drawn.sources);
            others.any(|(_, arg)| mentions(arg, drawn.name)).then_some(drawn)
        };
        variables.into_iter().filter_map(key)
    }

    /// The distinct variables of an atom.
    fn variables<'a>(&self, atom: &'a Atom) -> Vec<LiteralVariable<'a>> {
        let mut variables = Vec::new();
        let signature = atom.signature();
        for (column, arg) in atom.args.iter().enumerate() {
            let place = self.universes.known(&ValuePlace::Column(signature.clone(), column));
            self.variables_of_term(place, arg, &mut variables);
        }
        if let Some(relation) = self.relations.get(&signature) {
            for (arg, sources) in atom.args.iter().zip(&relation.sources) {
                if let Term::Variable(name) = arg
                    && let Some(drawn) = variables.iter_mut().find(|drawn| drawn.name == name)
                {
                    drawn.sources.extend(sources);
                }
            }
        }
        variables
    }

    fn variables_of_term<'a>(&self, place: Option<usize>, term: &'a Term, variables: &mut Vec<LiteralVariable<'a>>) {
        match term {
            Term::Variable(name) => {
                if !variables.iter().any(|drawn| drawn.name == name) {
                    let size = self.universes.size(place);
                    variables.push(LiteralVariable { name, size, sources: Vec::new() });
                }
            }
            Term::Compound(functor, args) => {
                for (i, arg) in args.iter().enumerate() {
                    let inside = place.map(|place| ValuePlace::Inside(place, functor.clone(), args.len(), i));
                    let inside = inside.and_then(|inside| self.universes.known(&inside));
                    self.variables_of_term(inside, arg, variables);
                }
            }
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => {}
        }
    }

    /// The rows of a positive literal.
    pub fn extent<'a>(&self, atom: &'a Atom) -> LiteralRowCount<'a> {
        let variables = self.variables(atom);
        LiteralRowCount { rows: self.rows_read(&self.reading(atom, &variables)), variables }
    }

    /// The sizes that the rows of a positive literal with these variables depend on.
    fn reading(&self, atom: &Atom, variables: &[LiteralVariable]) -> AtomSizes {
        let predicate = atom.signature();
        // A predicate that is no input and has neither facts nor rules is empty.
        let Some(relation) = self.relations.get(&predicate) else {
            return AtomSizes { predicate, given: FEWEST_ROWS, rules: Vec::new(), least: 0.0, most: FEWEST_ROWS };
        };
        // The share of rows that have the atom's constants, when no facts tell.
        let mut share = 1.0;
        for (column, arg) in atom.args.iter().enumerate() {
            if arg.is_ground() {
                let place = self.universes.known(&ValuePlace::Column(predicate.clone(), column));
                share /= self.universes.size(place);
            }
        }
        let all: f64 = self.keys(atom, variables.to_vec()).map(|drawn| drawn.size).product();
        let widest = variables.iter().map(|drawn| drawn.size).fold(1.0, f64::max);
        let given = match &relation.facts {
            None => 0.0,
            Some(facts) if are_plain(atom.args.iter()) => facts.len() as f64 * relation.scale,
            Some(_) => (relation.matching(&atom.args) as f64 * relation.scale).max(FEWEST_ROWS),
        };
        let rules = relation.rules.iter().enumerate().filter_map(|(number, (rule, _))| {
            let share = if rule.head.is_ground() { 1.0 } else { share };
            compatible(&atom.args, &rule.head.args).then_some((number, share))
        });
        let least = if relation.unknown { (all * MOST_OF_ALL).min(widest) } else { 0.0 };
        AtomSizes { predicate, given, rules: rules.collect(), least, most: all.max(1.0) }
    }

    /// The rows that are read, as far as the rules of the relation are estimated.
    fn rows_read(&self, reading: &AtomSizes) -> f64 {
        let rules = self.relations.get(&reading.predicate).map_or(&[][..], |relation| &relation.rules);
        let derived: f64 = reading.rules.iter().map(|&(number, share)| rules[number].1 * share).sum();
        (reading.given + derived).max(reading.least).min(reading.most)
    }

    /// Whether the predicate has a lattice column.
    pub fn is_lattice(&self, predicate: &Predicate) -> bool {
        self.relations.get(predicate).is_some_and(|relation| relation.value.is_some())
    }

    /// Whether the body of a rule gives far more rows than the rule, also if the values that a sample shows once are each other ones of all rows.
    pub fn is_projected(&self, rule: &Clause, rows: f64) -> bool {
        let most = self.rows(&rule.head.signature()) * (rows / SAMPLE as f64).max(1.0).sqrt();
        most * FEWER < rows
    }

    /// Whether neither facts nor rules of the predicate are known.
    pub fn is_unheard_of(&self, predicate: &Predicate) -> bool {
        self.relations.get(predicate).is_none_or(|relation| relation.facts.is_none() && relation.rules.is_empty())
    }

    /// The number of rows that a predicate has or is expected to have.
    pub fn rows(&self, predicate: &Predicate) -> f64 {
        let args = (0..predicate.arity).map(|i| Term::variable(&i.to_string())).collect();
        self.extent(&Atom::new(&predicate.name, args)).rows
    }
}

/// The limit of an estimate after this last step, if each is the same share of the one before (Aitken's delta-squared
/// process).
fn limit(rows: f64, step: f64, before: f64) -> f64 {
    let share = step / before;
    match share {
        ..0.0 => rows,
        0.0..1.0 => rows + step * share / (1.0 - share),
        _ if step > 0.0 => f64::INFINITY,
        _ => rows,
    }
}

/// Whether terms are distinct variables.
pub(super) fn are_plain<'t>(terms: impl Iterator<Item = &'t Term> + Clone) -> bool {
    terms
        .clone()
        .enumerate()
        .all(|(i, term)| matches!(term, Term::Variable(_)) && !terms.clone().take(i).any(|other| other == term))
}

/// Whether a pattern matches a ground term, with what its variables are bound to before.
pub fn matches<'t>(pattern: &'t Term, value: &'t Term, bound: &mut Vec<(&'t Name, &'t Term)>) -> bool {
    match (pattern, value) {
        (Term::Variable(name), _) => match bound.iter().find(|(other, _)| *other == name) {
            Some((_, earlier)) => *earlier == value,
            None => {
                bound.push((name, value));
                true
            }
        },
        (Term::Compound(f, args), Term::Compound(g, values)) => {
            f == g && args.len() == values.len() && args.iter().zip(values).all(|(a, v)| matches(a, v, bound))
        }
        _ => pattern == value,
    }
}

/// Whether two lists of terms may have a common instance, repeated variables aside.
pub fn compatible(left: &[Term], right: &[Term]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|pair| match pair {
            (Term::Variable(_), _) | (_, Term::Variable(_)) => true,
            (Term::Compound(f, args), Term::Compound(g, others)) => f == g && compatible(args, others),
            (left, right) => left == right,
        })
}
