//! A program that has turns while another runs: a share of the other's work, so that it costs little where it is the worse one.
//!
//! The other is not interrupted. It lets the turns be taken where it looks at its budget, and stops when they have derived all. Work is
//! counted in probes, so that every machine and every number of threads comes to the same.

use super::case_engine::CaseEngine;
use crate::prepared::Prepared;
use ludolog_logic::analysis::clause::Goal;
use ludolog_syntax::budget::{Budget, Stopped};
use std::sync::{Arc, Mutex, PoisonError};

/// The factor by which the work of the other program grows from turn to turn: each may begin its last round anew.
const GROWTH: u64 = 2;

/// A program that has turns.
pub struct Beside {
    program: Waiting,
    /// Its work is at most one part in so many of the other's, besides what it did before.
    share: u64,
    before: u64,
    /// The probes of the other program at its next turn.
    next: u64,
    /// Whether it has derived all.
    is_done: bool,
    budget: Budget,
}

/// The state of the program.
enum Waiting {
    /// It is loaded at its first turn.
    Prepared { prepared: Box<Prepared>, goal: Option<Goal>, profile: bool },
    Loaded(Box<CaseEngine>),
    /// It was given up at a limit.
    GivenUp,
}

impl Beside {
    /// A program that has not run.
    pub fn new(prepared: Prepared, goal: Option<&Goal>, profile: bool, share: u64, budget: &Budget) -> Self {
        let program = Waiting::Prepared { prepared: Box::new(prepared), goal: goal.cloned(), profile };
        Beside { program, share, before: 0, next: 0, is_done: false, budget: budget.clone() }
    }

    /// A program that has run.
    pub fn of_engine(loaded: CaseEngine, share: u64, budget: &Budget) -> Self {
        let before = loaded.engine.work().probes;
        let program = Waiting::Loaded(Box::new(loaded));
        Beside { program, share, before, next: 0, is_done: false, budget: budget.clone() }
    }

    /// Updates `loaded`, after so much of whose work the first turn comes. The engine of the program that ends first, and whether it could be
    /// updated.
    pub fn race(mut self, mut loaded: CaseEngine, first: u64, budget: &Budget) -> (CaseEngine, Result<(), Stopped>) {
        self.next = first;
        let beside = Arc::new(Mutex::new(self));
        let turns = {
            let beside = beside.clone();
            Arc::new(move |probes| beside.lock().unwrap_or_else(PoisonError::into_inner).turn(probes))
        };
        let updated = loaded.update(&budget.clone().with_turns(turns));
        let mut beside = beside.lock().unwrap_or_else(PoisonError::into_inner);
        let Waiting::Loaded(other) = std::mem::replace(&mut beside.program, Waiting::GivenUp) else {
            return (loaded, updated);
        };
        // The turns were taken while it derived.
        loaded.phases.deriving = loaded.phases.deriving.saturating_sub(other.phases.total());
        let is_won = beside.is_done && updated.is_ok();
        let [mut winner, loser] = if is_won { [*other, loaded] } else { [loaded, *other] };
        winner.phases.rival = loser.phases.total();
        winner.given_up = loser.engine.work().probes;
        (winner, updated)
    }

    /// Takes a turn if it is time to; whether all is derived.
    fn turn(&mut self, probes: u64) -> bool {
        if self.is_done || probes < self.next {
            return self.is_done;
        }
        self.next = probes.saturating_mul(GROWTH);
        let loaded = match std::mem::replace(&mut self.program, Waiting::GivenUp) {
            Waiting::Prepared { prepared, goal, profile } => {
                CaseEngine::new(*prepared, goal.as_ref(), profile, &self.budget).ok().map(Box::new)
            }
            Waiting::Loaded(loaded) => Some(loaded),
            Waiting::GivenUp => None,
        };
        let Some(mut loaded) = loaded else { return false };
        let most = (self.before + probes / self.share).saturating_sub(loaded.engine.work().probes);
        let updated = loaded.update_for(most, &self.budget);
        self.is_done = updated == Some(Ok(())) && loaded.stopped.is_none();
        // Other limits than that of the turn hold for the next one too.
        if self.is_done || updated.is_none() {
            self.program = Waiting::Loaded(loaded);
        }
        self.is_done
    }
}

#[cfg(test)]
mod tests {
    use crate::prepared::Setting;
    use crate::session::Session;
    use ludolog_logic::optimize::Demand;
    use ludolog_syntax::Syntax;

    /// A session with demand, or without it.
    fn session(text: &str, with: bool) -> Session {
        let setting = Setting { left_out: if with { vec![] } else { vec![&Demand] }, ..Setting::default() };
        Session::of_text(text, Syntax::Datalog).expect("no errors").with_setting(setting)
    }

    /// A tree in which each node has three children has 3⁶ nodes of the sixth generation, of which 500 is one, and millions of pairs of
    /// all generations. Demand goes up from 500 to the root and down from there.
    #[test]
    fn demand_that_is_not_expected_to_pay_ends_first() {
        let parents: String = (1..3280).map(|node| format!("parent({node}, {}).\n", (node - 1) / 3)).collect();
        let rules = "sg(0, 0). sg(X, Y) :- parent(X, P) & sg(P, Q) & parent(Y, Q).\n";
        let solution = session(&(parents + rules), true).query("sg(500, Y)").expect("it runs");
        assert_eq!((solution.count(), solution.stopped), (729, None));
        assert!(solution.probes < 1_300_000, "{}", solution.probes);
    }

    /// Walks of so many steps on a graph of 500 nodes, and the nodes from which three steps lead to 7.
    #[test]
    fn demand_that_is_more_work_costs_little() {
        let edges: Vec<(u64, u64)> =
            (0..1200u64).map(|i| (i.pow(3) * 7919 % 99_991 % 500, i.pow(2) * 104_729 % 99_989 % 500)).collect();
        let text: String = edges.iter().map(|(from, to)| format!("edge({from}, {to}).\n")).collect();
        let text = text
            + "p(X, Y, 1) :- edge(X, Y).
               p(X, Z, N) :- p(X, Y, M) & edge(Y, Z) & M < 12 & N is M + 1.";
        let mut starts = std::collections::BTreeSet::from([7]);
        for _ in 0..3 {
            starts = edges.iter().filter(|(_, to)| starts.contains(to)).map(|(from, _)| *from).collect();
        }
        let [with, without] = [true, false].map(|with| session(&text, with).query("p(X, 7, 3)").expect("it runs"));
        for solution in [&with, &without] {
            assert_eq!((solution.count(), &solution.stopped), (starts.len(), &None));
        }
        assert!(without.probes > 2_000_000, "{}", without.probes);
        assert!(with.probes * 10 < without.probes * 11, "{} and {}", with.probes, without.probes);
    }
}
