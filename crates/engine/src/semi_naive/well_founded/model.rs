//! The well-founded model of a ground program.
//!
//! Two steps alternate until neither finds anything:
//!
//! * What is decided is propagated: a rule whose literals are all true makes its head true; a rule with a false literal is
//!   dead, and an atom whose rules are all dead is false. Each rule counts its literals that are not true yet, each atom its
//!   rules that are not dead, so this is linear (W. Dowling, J. Gallier, *Linear-time algorithms for testing the satisfiability of
//!   propositional Horn formulae*, 1984).
//! * Atoms that support only each other are false: the greatest unfounded set (Van Gelder, Ross, Schlipf 1991). Each atom has a
//!   *source*, a rule that is not dead, such that following sources through positive literals ends. When a source dies, its head and
//!   what has its source through it, within the same component of positive dependencies, seek another one; those that find none are
//!   unfounded (P. Simons, I. Niemelä, T. Soininen, *Extending and implementing the stable model semantics*, 2002, section 5).
//!
//! Without positive recursion between instances all of it is linear. Otherwise a search for sources costs no more than the
//! component that it is in.

use super::ground::{AtomNumber, GroundProgram, Grouped, RuleNumber};
use crate::semi_naive::components::graph;
use ludolog_syntax::budget::{Budget, Poll, Stopped};
use petgraph::algo::kosaraju_scc;

/// Rules looked at between two checks of the budget.
const POLL_EVERY: u32 = 4096;

/// The count of a dead rule.
const DEAD: u32 = u32::MAX;

/// No rule.
const NONE: RuleNumber = RuleNumber::MAX;

/// The value of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// True in the well-founded model.
    True,
    /// False.
    False,
    /// Neither.
    Undefined,
}

/// The well-founded model.
pub struct WellFoundedModel {
    /// By atom.
    pub truth: Vec<Truth>,
    /// The true and the false atoms, in an order in which each true one follows from those before it, and each false one from those
    /// before it and from false ones that were found with it.
    pub decided: Vec<AtomNumber>,
}

/// Computes the well-founded model of a ground program.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn well_founded(ground: GroundProgram, budget: &Budget) -> Result<WellFoundedModel, Stopped> {
    let mut search = Propagation::new(ground, budget)?;
    loop {
        search.propagate()?;
        if !search.drop_unfounded()? {
            return Ok(WellFoundedModel { truth: search.truth, decided: search.decided });
        }
    }
}

struct Propagation<'b> {
    heads: Vec<AtomNumber>,
    /// By rule: its literals that are not true yet, or [`DEAD`].
    left: Vec<u32>,
    /// By atom: the rules with it as a positive literal, and as a negative one.
    positive: Grouped,
    negative: Grouped,
    /// By atom: its rules that are not dead.
    support: Vec<u32>,
    truth: Vec<Truth>,
    decided: Vec<AtomNumber>,
    /// The number of decided atoms that have been propagated.
    propagated: usize,
    sources: Option<SourcePointers>,
    poll: Poll<'b>,
}

/// The sources of atoms, where there are positive literals.
struct SourcePointers {
    rules_of: Grouped,
    /// By atom: the component of positive dependencies.
    component: Vec<u32>,
    source: Vec<RuleNumber>,
    /// By rule: its positive literals without a source.
    without: Vec<u32>,
    is_lost: Vec<bool>,
    lost: Vec<AtomNumber>,
}

impl<'b> Propagation<'b> {
    fn new(ground: GroundProgram, budget: &'b Budget) -> Result<Self, Stopped> {
        let GroundProgram { atoms, heads, literals: left, positive: positives, negative } = ground;
        budget.check()?;
        let positive = Grouped::new(atoms, positives.iter().copied());
        let negative = Grouped::new(atoms, negative.iter().copied());
        let mut support = vec![0; atoms];
        heads.iter().for_each(|&head| support[head as usize] += 1);
        budget.check()?;
        let sources = (!positives.is_empty()).then(|| SourcePointers::new(atoms, &heads, &positives, &positive));
        let mut search = Propagation {
            heads,
            left,
            positive,
            negative,
            support,
            truth: vec![Truth::Undefined; atoms],
            decided: Vec::new(),
            propagated: 0,
            sources,
            poll: Poll::new(budget, POLL_EVERY),
        };
        for rule in 0..search.heads.len() {
            search.poll.step()?;
            if search.left[rule] == 0 {
                search.decide(search.heads[rule], Truth::True);
            }
        }
        for atom in 0..atoms {
            if search.support[atom] == 0 {
                search.decide(atom as AtomNumber, Truth::False);
            }
        }
        Ok(search)
    }

    #[inline]
    fn decide(&mut self, atom: AtomNumber, truth: Truth) {
        if self.truth[atom as usize] == Truth::Undefined {
            self.truth[atom as usize] = truth;
            self.decided.push(atom);
        }
    }

    /// Propagates what is decided.
    fn propagate(&mut self) -> Result<(), Stopped> {
        while let Some(&atom) = self.decided.get(self.propagated) {
            self.propagated += 1;
            self.poll.step()?;
            let is_true = self.truth[atom as usize] == Truth::True;
            for literal in 0..self.positive.of(atom).len() {
                let rule = self.positive.of(atom)[literal];
                self.settle(rule, is_true)?;
            }
            for literal in 0..self.negative.of(atom).len() {
                let rule = self.negative.of(atom)[literal];
                self.settle(rule, !is_true)?;
            }
        }
        Ok(())
    }

    /// Notes that a literal of a rule is true or false.
    #[inline]
    fn settle(&mut self, rule: RuleNumber, holds: bool) -> Result<(), Stopped> {
        self.poll.step()?;
        let left = &mut self.left[rule as usize];
        if *left == DEAD {
            return Ok(());
        }
        let head = self.heads[rule as usize];
        if holds {
            *left -= 1;
            if *left == 0 {
                self.decide(head, Truth::True);
            }
            return Ok(());
        }
        *left = DEAD;
        let support = &mut self.support[head as usize];
        *support -= 1;
        if *support == 0 {
            self.decide(head, Truth::False);
        } else if let Some(sources) = &mut self.sources
            && sources.source[head as usize] == rule
        {
            sources.lost.push(head);
        }
        Ok(())
    }

    /// Finds new sources for atoms that lost theirs; those that have none become false. Whether there are such.
    fn drop_unfounded(&mut self) -> Result<bool, Stopped> {
        let Some(sources) = &mut self.sources else { return Ok(false) };
        let Propagation { heads, left, positive, truth, poll, .. } = self;
        let mut lost = Vec::new();
        for atom in std::mem::take(&mut sources.lost) {
            if truth[atom as usize] == Truth::Undefined && !std::mem::replace(&mut sources.is_lost[atom as usize], true)
            {
                lost.push(atom);
            }
        }
        // What has its source through them may support them.
        let mut next = 0;
        while let Some(&atom) = lost.get(next) {
            next += 1;
            for &rule in positive.of(atom) {
                poll.step()?;
                sources.without[rule as usize] += 1;
                let head = heads[rule as usize] as usize;
                if sources.source[head] == rule
                    && sources.component[head] == sources.component[atom as usize]
                    && truth[head] == Truth::Undefined
                    && !std::mem::replace(&mut sources.is_lost[head], true)
                {
                    lost.push(head as AtomNumber);
                }
            }
        }
        let mut found: Vec<AtomNumber> = Vec::new();
        for &atom in &lost {
            poll.step()?;
            let is_source = |&&rule: &&RuleNumber| left[rule as usize] != DEAD && sources.without[rule as usize] == 0;
            if let Some(&rule) = sources.rules_of.of(atom).iter().find(is_source) {
                sources.source[atom as usize] = rule;
                sources.is_lost[atom as usize] = false;
                found.push(atom);
            }
        }
        while let Some(atom) = found.pop() {
            for &rule in positive.of(atom) {
                poll.step()?;
                sources.without[rule as usize] -= 1;
                let head = heads[rule as usize];
                if sources.without[rule as usize] == 0 && left[rule as usize] != DEAD && sources.is_lost[head as usize]
                {
                    sources.source[head as usize] = rule;
                    sources.is_lost[head as usize] = false;
                    found.push(head);
                }
            }
        }
        let before = self.decided.len();
        for atom in lost {
            if self.sources.as_ref().is_some_and(|sources| sources.is_lost[atom as usize]) {
                self.decide(atom, Truth::False);
            }
        }
        Ok(self.decided.len() > before)
    }
}

impl SourcePointers {
    fn new(atoms: usize, heads: &[AtomNumber], positives: &[(AtomNumber, RuleNumber)], positive: &Grouped) -> Self {
        let edges: Vec<(u32, u32)> = positives.iter().map(|&(atom, rule)| (atom, heads[rule as usize])).collect();
        let mut component = vec![0; atoms];
        for (number, nodes) in kosaraju_scc(&graph(atoms, &edges)).into_iter().enumerate() {
            nodes.into_iter().for_each(|node| component[node.index()] = number as u32);
        }
        let mut without = vec![0; heads.len()];
        positives.iter().for_each(|&(_, rule)| without[rule as usize] += 1);
        let mut source = vec![NONE; atoms];
        let mut open: Vec<RuleNumber> =
            (0..heads.len() as RuleNumber).filter(|&rule| without[rule as usize] == 0).collect();
        while let Some(rule) = open.pop() {
            let head = heads[rule as usize];
            if source[head as usize] != NONE {
                continue;
            }
            source[head as usize] = rule;
            for &rule in positive.of(head) {
                without[rule as usize] -= 1;
                if without[rule as usize] == 0 {
                    open.push(rule);
                }
            }
        }
        let rules_of = Grouped::new(atoms, heads.iter().copied().zip(0..));
        Self { rules_of, component, source, without, is_lost: vec![false; atoms], lost: Vec::new() }
    }
}
