//! Derivations: the steps by which a connection follows from smaller ones.

use super::closure::{Connections, RecordedEntry, RuleOrigin};
use super::{ConnectionBoard, ConnectionEnd, ConnectionKind, ConnectionLimits};
use crate::cells::CellSet;

/// The rule by which a connection follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionRule {
    /// The ends are neighbors.
    Adjacent,
    /// The [template](ConnectionBoard::templates) of that number on this board.
    Template(usize),
    /// Two connections meet at this end.
    And(ConnectionEnd),
    /// Three connections lead from this end to all edges, which do not [join](ConnectionBoard::edges_join).
    Three(ConnectionEnd),
    /// The opponent cannot cut all of these semi-connections at once.
    Or,
}

/// One line of a derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DerivationStep<const W: usize> {
    /// The ends that it joins.
    pub ends: (ConnectionEnd, ConnectionEnd),
    /// Full or semi.
    pub kind: ConnectionKind,
    /// The empty cells that it needs.
    pub carrier: CellSet<W>,
    /// The rule it follows by.
    pub rule: ConnectionRule,
    /// The lines that the rule is applied to, each before this one.
    pub from: Vec<usize>,
}

impl<const W: usize, B: ConnectionBoard> Connections<W, B> {
    /// Derives the connection of this kind between two ends within `carrier`; the last step is the conclusion, whose
    /// carrier may be smaller. `None` when the rules, within the limits, give none.
    ///
    /// The closure is made anew with all other cells given to the opponent, which is cheap: few connections lie within
    /// one carrier. Templates are used where the rules alone do not derive it.
    pub fn derive(
        &self,
        x: ConnectionEnd,
        y: ConnectionEnd,
        kind: ConnectionKind,
        carrier: CellSet<W>,
    ) -> Option<Vec<DerivationStep<W>>> {
        let ends: CellSet<W> = [x, y].into_iter().filter_map(ConnectionEnd::cell).collect();
        let others = CellSet::first_cells(self.board().cell_count()) - self.mine() - carrier - ends;
        let steps = |templates: bool| {
            let limits = ConnectionLimits { templates, ..self.limits() };
            let within = Connections::recording(self.board(), self.player(), self.mine(), others, limits);
            let goal = within.number_within((x, y), kind, &carrier)?;
            Some(within.steps(goal))
        };
        if self.limits().templates { steps(false).or_else(|| steps(true)) } else { steps(false) }
    }

    /// The entries that `goal` follows from, each after those that it follows from itself.
    fn steps(&self, goal: u32) -> Vec<DerivationStep<W>> {
        let mut number: Vec<Option<usize>> = vec![None; goal as usize + 1];
        let mut steps: Vec<DerivationStep<W>> = Vec::new();
        // An entry follows from entries with smaller numbers.
        let mut needed = vec![false; goal as usize + 1];
        needed[goal as usize] = true;
        for entry in (0..=goal).rev() {
            if needed[entry as usize] {
                self.premises(entry).iter().for_each(|&premise| needed[premise as usize] = true);
            }
        }
        for entry in 0..=goal {
            if !needed[entry as usize] {
                continue;
            }
            let Some(recorded) = self.recorded(entry) else { continue };
            number[entry as usize] = Some(steps.len());
            let from = self.premises(entry).iter().filter_map(|&premise| number[premise as usize]).collect();
            let rule = self.rule(&recorded.origin);
            let RecordedEntry { ends, kind, carrier, .. } = *recorded;
            steps.push(DerivationStep { ends, kind, carrier, rule, from });
        }
        steps
    }

    fn rule(&self, origin: &RuleOrigin) -> ConnectionRule {
        let ends = |number: u32| self.recorded(number).map(|entry| entry.ends);
        match *origin {
            RuleOrigin::And(one, other) => match (ends(one), ends(other)) {
                (Some((a, b)), Some((c, d))) => ConnectionRule::And(if a == c || a == d { a } else { b }),
                _ => ConnectionRule::Adjacent,
            },
            RuleOrigin::Three([first, ..]) => match ends(first) {
                Some((ConnectionEnd::Edge(_), end) | (end, ConnectionEnd::Edge(_))) => ConnectionRule::Three(end),
                _ => ConnectionRule::Adjacent,
            },
            RuleOrigin::Or(_) => ConnectionRule::Or,
            RuleOrigin::Template(index) => ConnectionRule::Template(index as usize),
            RuleOrigin::Adjacent => ConnectionRule::Adjacent,
        }
    }

    fn premises(&self, entry: u32) -> Vec<u32> {
        match self.recorded(entry).map(|recorded| &recorded.origin) {
            Some(RuleOrigin::And(one, other)) => vec![*one, *other],
            Some(RuleOrigin::Three(parts)) => parts.to_vec(),
            Some(RuleOrigin::Or(semis)) => semis.to_vec(),
            _ => Vec::new(),
        }
    }
}
