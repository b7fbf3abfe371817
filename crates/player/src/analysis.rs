//! Matches looked at again: each state is searched for longer than the players had, and each move is judged by that.
//!
//! States are searched from the last one back to the first, so that a search finds in its tables what the states after
//! its own have taught. A state is worth what the search promises for the best move, but what the next state is worth
//! where that is the move made: the next state was searched a move deeper. A move loses the difference between the
//! two, as in the annotation of chess games (Guid and Bratko, *Computer analysis of world chess champions*, 2006).

use crate::auto::Judgment;
use crate::game::{Game, GameReasoner};
use crate::matches::{Clocks, MatchRecord};
use crate::player::{Player, is_stop};
use crate::registry::{Options, PlayerKind};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{GameError, JointMove, Role, StateMachineExt};
use ludolog_logic::analysis::is_random;
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use std::time::Duration;

/// The part of the start clock in which random playouts tell whether one role gains what the other one loses.
const JUDGMENT_SHARE: u32 = 8;

/// The least loss, in points of goal, by which a move is a mistake. Searches of neighboring states differ by less.
pub const LEAST_MISTAKE: f64 = 8.0;

/// The sum of the goals of a game in which one role gains what the other one loses.
const CONSTANT_SUM: i64 = 100;

/// The goal that nothing exceeds.
const BEST: f64 = 100.0;

/// A goal that a role comes to under best play, as far as a search tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedGoal {
    /// The goal.
    pub value: f64,
    /// Whether it is proven.
    pub proven: bool,
}

/// A state as the search sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateAnalysis {
    /// By role: the goal; `None` if nothing is known.
    pub goals: Vec<Option<ExpectedGoal>>,
    /// By role: the best move, where the role alone has a choice.
    pub best: Vec<Option<Term>>,
    /// The joint moves that the search expects.
    pub line: Vec<Vec<Term>>,
    /// The depth that the search has come to, in joint moves.
    pub depth: usize,
    /// States looked at.
    pub nodes: u64,
    /// Playouts to the end of the game.
    pub playouts: u64,
}

/// A move that lost something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mistake {
    /// The number of joint moves before it.
    pub ply: usize,
    /// The place of the role that made it.
    pub role: usize,
    /// The goal that it lost.
    pub loss: f64,
}

/// A match as a longer search sees it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchAnalysis {
    /// The name of the player that searched.
    pub player: String,
    /// The time for each state.
    pub time: Duration,
    /// Remarks of the player, in words.
    pub notes: Vec<String>,
    /// By state of the match; `None` if the analysis ended before it.
    pub states: Vec<Option<StateAnalysis>>,
    /// By joint move and role: the goal that the move lost; `None` where a role had no choice, where others chose at the
    /// same time, or where nothing is known.
    pub losses: Vec<Vec<Option<f64>>>,
}

impl MatchAnalysis {
    /// The mistakes, the greatest first.
    pub fn mistakes(&self) -> Vec<Mistake> {
        let of_ply = |(ply, losses): (usize, &Vec<Option<f64>>)| {
            let found = losses.iter().enumerate().filter_map(move |(role, loss)| Some((role, (*loss)?)));
            found.map(|(role, loss)| Mistake { ply, role, loss }).collect::<Vec<_>>()
        };
        let mut mistakes: Vec<Mistake> = self.losses.iter().enumerate().flat_map(of_ply).collect();
        mistakes.retain(|mistake| mistake.loss >= LEAST_MISTAKE);
        mistakes.cold_sort_by(|a, b| b.loss.total_cmp(&a.loss).then(a.ply.cmp(&b.ply)));
        mistakes
    }

    /// What a role comes to in a state; `None` if nothing is known.
    pub fn goal(&self, state: usize, role: usize) -> Option<ExpectedGoal> {
        self.states.get(state)?.as_ref()?.goals[role]
    }

    /// The move that the search would have made instead of a mistake.
    pub fn better(&self, mistake: Mistake) -> Option<&Term> {
        self.states.get(mistake.ply)?.as_ref()?.best[mistake.role].as_ref()
    }

    /// Whether all states were searched.
    pub fn is_complete(&self) -> bool {
        self.states.iter().all(Option::is_some)
    }
}

/// The player that searches, and its time.
pub struct Analyst<'a> {
    /// The player.
    pub kind: PlayerKind,
    /// Its options.
    pub options: &'a Options,
    /// Its time to get ready, and that for each state.
    pub clocks: Clocks,
}

/// A search for one role.
struct Searcher {
    role: usize,
    player: Box<dyn Player>,
}

impl Analyst<'_> {
    /// Searches the states of a match of these rules, the last one first, and judges its moves. `watch` is told the number
    /// of states that are done before each. An interruption ends the analysis early; states before that one are `None`.
    ///
    /// # Errors
    ///
    /// [`GameError`], when a machine fails for another reason than time; [`Stopped::Unsupported`] when the
    /// player does not play the game, or the game hides its states.
    pub fn analyze(
        &self,
        rules: &GameReasoner,
        record: &MatchRecord,
        budget: &Budget,
        mut watch: impl FnMut(usize),
    ) -> Result<MatchAnalysis, GameError> {
        let mut analysis = MatchAnalysis {
            player: self.kind.0.name.to_owned(),
            time: self.clocks.play,
            states: vec![None; record.states.len()],
            losses: vec![vec![None; record.roles.len()]; record.plies.len()],
            ..MatchAnalysis::default()
        };
        let mut referee = rules.game(budget)?;
        if referee.reader().hides() {
            return Err(Stopped::Unsupported(
                "the game hides its states, and what a move was worth with them".to_owned(),
            )
            .into());
        }
        if referee.reader().has_chance() {
            return Err(Stopped::Unsupported(
                "a role moves at random, and what a move was worth is an expectation".to_owned(),
            )
            .into());
        }
        let searchers = self.searchers(rules, record, budget, &mut analysis.notes)?;
        let Some(mut searchers) = searchers else { return Ok(analysis) };
        for number in (0..record.states.len()).rev() {
            watch(record.states.len() - 1 - number);
            let found = match self.state(&mut referee, &mut searchers, &record.states[number], budget) {
                Err(error) if is_stop(&error) => None,
                found => found?,
            };
            let Some(mut found) = found else { break };
            let after = analysis.states.get(number + 1).and_then(Option::as_ref);
            if let Some((after, ply)) = after.zip(record.plies.get(number)) {
                analysis.losses[number] = judge_moves(&mut found, &ply.joint, after);
            }
            analysis.states[number] = Some(found);
        }
        Ok(analysis)
    }

    /// The searches that tell what each role comes to, which are ready; `None` if they were interrupted.
    fn searchers(
        &self,
        rules: &GameReasoner,
        record: &MatchRecord,
        budget: &Budget,
        notes: &mut Vec<String>,
    ) -> Result<Option<Vec<Searcher>>, GameError> {
        let mut game = rules.game(budget)?;
        let clock = budget.clone().with_time(self.clocks.start);
        let judged =
            Judgment::new(game.machine(), self.options.seed, &clock.part_of_rest(|left| left / JUDGMENT_SHARE))?;
        let played: Vec<usize> = (0..record.roles.len()).filter(|&role| !is_random(&record.roles[role])).collect();
        // One search tells the goals of both.
        let is_opposed = record.roles.len() == 2 && played.len() == 2 && judged.sum == Some(CONSTANT_SUM);
        let mut searchers = Vec::new();
        for &role in if is_opposed { &played[..1] } else { &played[..] } {
            let options = Options { ponder: true, ..self.options.clone() };
            let seat = Role(role as u32);
            let player = self.kind.0.player(rules.game(budget)?, seat, &options);
            let mut player = player.map_err(|unfit| Stopped::Unsupported(unfit.to_string()))?;
            if budget.check().is_err() {
                return Ok(None);
            }
            match player.start(&budget.clone().with_time(self.clocks.start), self.clocks.play) {
                Ok(report) => notes.extend(report.note),
                Err(error) if is_stop(&error) => {}
                Err(error) => return Err(error),
            }
            searchers.push(Searcher { role, player });
        }
        Ok(Some(searchers))
    }

    /// Searches one state; `None` on interruption.
    fn state(
        &self,
        referee: &mut Game,
        searchers: &mut [Searcher],
        facts: &[Term],
        budget: &Budget,
    ) -> Result<Option<StateAnalysis>, GameError> {
        let machine = referee.machine();
        machine.set_budget(budget.clone());
        let state = machine.state_of(facts.to_vec())?;
        let roles = machine.roles().len();
        let mut found = StateAnalysis { goals: vec![None; roles], best: vec![None; roles], ..StateAnalysis::default() };
        let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
        let is_over = machine.is_terminal(&state)?;
        if is_over || legal.iter().any(Vec::is_empty) {
            let goals = machine.goals(&state)?.into_iter();
            found.goals = goals.map(|goal| Some(ExpectedGoal { value: goal? as f64, proven: is_over })).collect();
            return Ok(Some(found));
        }
        let mut choosers = (0..roles).filter(|&role| legal[role].len() > 1);
        let chooser = choosers.next().filter(|_| choosers.next().is_none());
        for searcher in &mut *searchers {
            if budget.check().is_err() || !self.search(searcher, facts, chooser, budget, &mut found)? {
                return Ok(None);
            }
        }
        if let ([searcher], 2) = (&*searchers, roles) {
            let other = 1 - searcher.role;
            let opposite = |goal: ExpectedGoal| ExpectedGoal { value: BEST - goal.value, ..goal };
            found.goals[other] = found.goals[searcher.role].map(opposite);
        }
        Ok(Some(found))
    }

    /// Searches a state for one role, and enters what was found; whether it came to an end.
    fn search(
        &self,
        Searcher { role, player }: &mut Searcher,
        facts: &[Term],
        chooser: Option<usize>,
        budget: &Budget,
        found: &mut StateAnalysis,
    ) -> Result<bool, GameError> {
        player.machine().set_budget(budget.clone());
        let state = player.machine().state_of(facts.to_vec())?;
        let choice = match player.play(&state, &budget.clone().with_time(self.clocks.play)) {
            Ok(choice) => choice,
            Err(error) if is_stop(&error) => return Ok(budget.check().is_ok()),
            Err(error) => return Err(error),
        };
        if budget.check().is_err() {
            return Ok(false);
        }
        let report = choice.report;
        let machine = player.machine();
        let terms = |joint: &JointMove| joint.iter().map(|&made| machine.move_term(made).clone()).collect();
        let line: Vec<Vec<Term>> = report.line.iter().map(terms).collect();
        found.goals[*role] = report.value.map(|value| ExpectedGoal { value, proven: report.proven });
        // A search for one of two roles with opposed goals tells the best move of both.
        if let (Some(chooser), Some(first)) = (chooser, line.first())
            && (chooser == *role || found.line.is_empty())
        {
            found.best[chooser] = Some(first[chooser].clone());
        }
        if found.line.is_empty() || chooser == Some(*role) {
            found.line = line;
        }
        found.depth = found.depth.max(report.depth);
        (found.nodes, found.playouts) = (found.nodes + report.nodes, found.playouts + report.playouts);
        Ok(true)
    }
}

/// What each move of a joint move lost, where a role alone had a choice. What is known of the state after it goes into
/// the goals of the state before.
fn judge_moves(before: &mut StateAnalysis, joint: &[Term], after: &StateAnalysis) -> Vec<Option<f64>> {
    let mut losses = vec![None; joint.len()];
    let Some(chooser) = before.best.iter().position(Option::is_some) else { return losses };
    let is_best = before.best[chooser].as_ref() == Some(&joint[chooser]);
    let (Some(promised), Some(reached)) = (before.goals[chooser], after.goals[chooser]) else { return losses };
    let loss = if is_best { 0.0 } else { (promised.value - reached.value).max(0.0) };
    losses[chooser] = Some(loss);
    if reached.value > promised.value || is_best && !promised.proven {
        for (goal, after) in before.goals.iter_mut().zip(&after.goals) {
            // Another move may be better, unless this one brings all.
            let proven = |after: ExpectedGoal| after.proven && reached.proven && reached.value >= BEST;
            *goal = after.map(|after| ExpectedGoal { proven: proven(after), ..after });
        }
        before.best[chooser] = Some(joint[chooser].clone());
    }
    losses
}
