//! Nets and lanes: random playouts against exact distributions, and reasoners against each other.

use crate::binary;
use ludolog::analysis;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::trace::StateCounts;
use ludolog::game::{Draw, Interpreted, JointMove, Move, PlayoutEnd, Role, State, StateMachine, StateMachineExt};
use ludolog::propnet::{
    GroundGame, Lanes, Lockstep, MoveFinder, MoveUse, Net, NetMachine, PlayoutPolicy, PlyGroup, ReplyDifference, Said,
    Tally,
};
use ludolog::syntax::ast::Term;
use ludolog::syntax::budget::Clock;
use ludolog::syntax::{self, Syntax};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn program(rulesheet: &str) -> StratifiedProgram {
    let mut sources = Sources::new();
    let source = sources.add("test.kif", rulesheet);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    analysis::analyze(&program).expect("the rulesheet is sound").stratified
}

pub fn net(rulesheet: &str) -> Net {
    let ground = GroundGame::new(&program(rulesheet), &Budget::unlimited()).expect("the rulesheet grounds");
    Net::new(&ground, &Budget::unlimited()).expect("the rulesheet has a net")
}

/// A clock that counts how often it is read.
#[derive(Default)]
struct Looks(AtomicU64);

impl Clock for Looks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Looks at the clock of a run. A run that ends while games last has seen more of the short ones than of the long ones:
/// in the thousands of rounds between so many looks by a few hundredths of a percent, however busy the machine is.
const LOOKS: u64 = 500;

/// What comes of playing in a mode, on lanes of this many words, until so many playouts have ended.
fn played<const N: usize>(net: &Net, mode: PlyGroup, least: u64) -> Tally {
    played_by::<N>(net, mode, PlayoutPolicy::Uniform, least)
}

/// The same with moves chosen by a policy.
fn played_by<const N: usize>(net: &Net, mode: PlyGroup, policy: PlayoutPolicy, least: u64) -> Tally {
    let lanes = Lanes::new(net, mode, policy, &Budget::unlimited()).expect("nothing stops it");
    let mut tally = Tally::default();
    for seed in 1.. {
        let budget = Budget::unlimited().with_clock(Arc::new(Looks::default()));
        tally.add(&lanes.play::<N>(seed, &budget.with_time(Duration::from_millis(LOOKS))));
        if tally.playouts >= least {
            break;
        }
    }
    tally
}

/// A game of one move, whose number is the goal.
fn one_move(moves: usize) -> String {
    let numbers = |text: &dyn Fn(usize) -> String| (0..moves).map(text).collect::<String>();
    let legal = numbers(&|i| format!("(legal robot (pick {i})) "));
    let goals = numbers(&|i| format!("(<= (goal robot {i}) (true (picked {i}))) "));
    format!(
        "(role robot) (init start) {legal} (<= (next (picked ?x)) (does robot (pick ?x))) (<= terminal (not (true start))) {goals}"
    )
}

/// Pearson's statistic stays below the 0.9999 quantile of its distribution.
#[test]
fn moves_are_chosen_uniformly() {
    for (moves, quantile) in [(2, 15.1), (3, 18.4), (5, 23.5), (7, 27.9), (10, 33.7), (13, 39.1)] {
        let net = net(&one_move(moves));
        for mode in PlyGroup::ALL {
            let tally = played::<4>(&net, mode, 100_000);
            let counts: Vec<f64> = tally.goals[0].iter().map(|(_, count)| *count as f64).collect();
            let expected = counts.iter().sum::<f64>() / moves as f64;
            let statistic: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
            assert_eq!((counts.len(), tally.without_goal[0]), (moves, 0));
            assert!(statistic < quantile, "{moves} moves {mode:?}: {statistic} of {counts:?}");
        }
    }
}

/// Of random games, X wins 737/1260, O wins 121/420 and 8/63 are drawn: counted over all games, each with its chance.
#[test]
fn tic_tac_toe_ends_as_often_as_it_must() {
    let net = net(TIC_TAC_TOE);
    let share = [(0, 121.0 / 420.0), (50, 8.0 / 63.0), (100, 737.0 / 1260.0)];
    for mode in PlyGroup::ALL {
        let tallies =
            [played::<4>(&net, mode, 200_000), played::<8>(&net, mode, 200_000), played::<16>(&net, mode, 200_000)];
        for tally in tallies {
            let playouts = tally.playouts as f64;
            for ((value, count), (expected_value, share)) in tally.goals[0].iter().zip(share) {
                assert_eq!(*value, expected_value);
                let deviation = (*count as f64 - playouts * share) / (playouts * share * (1.0 - share)).sqrt();
                assert!(deviation.abs() < 4.5, "{mode:?}: {value} in {count} of {playouts}, {deviation} deviations");
            }
        }
    }
}

/// The chances of the goals of the first role where moves are chosen by a policy, by its definition, state by state.
struct Chances<'m> {
    machine: &'m mut NetMachine,
    policy: PlayoutPolicy,
    known: HashMap<State, BTreeMap<i64, f64>>,
}

impl Chances<'_> {
    fn of(&mut self, state: &State) -> BTreeMap<i64, f64> {
        if let Some(known) = self.known.get(state) {
            return known.clone();
        }
        let mut chances = BTreeMap::new();
        if self.is_terminal(state) {
            let goals = self.machine.goals(state).expect("there are goals");
            chances.insert(goals[0].expect("there is one"), 1.0);
        } else {
            let mut next = self.decisive(state);
            if next.is_empty() || self.policy == PlayoutPolicy::Uniform {
                next = self.next_states(state).into_iter().map(|(_, next)| next).collect();
            }
            if self.policy == PlayoutPolicy::Cautious {
                let safe: Vec<State> = next.iter().filter(|next| self.decisive(next).is_empty()).cloned().collect();
                next = if safe.is_empty() { next } else { safe };
            }
            for state in &next {
                for (goal, chance) in self.of(state) {
                    *chances.entry(goal).or_insert(0.0) += chance / next.len() as f64;
                }
            }
        }
        self.known.insert(state.clone(), chances.clone());
        chances
    }

    fn is_terminal(&mut self, state: &State) -> bool {
        self.machine.is_terminal(state).expect("there is an answer")
    }

    /// The next states with the role that had the choice; one of those that had none, where none had.
    fn next_states(&mut self, state: &State) -> Vec<(usize, State)> {
        if self.is_terminal(state) {
            return Vec::new();
        }
        let legal: Vec<Vec<Move>> =
            self.machine.all_legal_moves(std::slice::from_ref(state)).expect("there are moves").swap_remove(0);
        let idle: Vec<bool> =
            legal.iter().map(|moves| self.machine.move_term(moves[0]).to_string() == "wait").collect();
        let mover = idle.iter().position(|idle| !idle).expect("a role has the turn");
        let joint = self.machine.legal_joint_moves(state).expect("there are moves");
        joint.map(|joint| (mover, self.machine.next_state(state, &joint).expect("it is legal"))).collect()
    }

    /// The next states that are terminal with the best goal of the role that has the turn.
    fn decisive(&mut self, state: &State) -> Vec<State> {
        let mut decisive = self.next_states(state);
        decisive.retain(|(mover, next)| {
            self.is_terminal(next) && self.machine.goals(next).expect("there are goals")[*mover] == Some(100)
        });
        decisive.into_iter().map(|(_, next)| next).collect()
    }
}

/// Lanes against the definition of each policy, on games whose states can all be gone through.
#[test]
fn policies_choose_as_they_are_defined() {
    for rules in [TIC_TAC_TOE, crate::players::NIM] {
        let net = Arc::new(net(rules));
        let mut machine = NetMachine::new(&net, Budget::unlimited());
        let initial = machine.initial_state().clone();
        for policy in PlayoutPolicy::ALL {
            let expected = Chances { machine: &mut machine, policy, known: HashMap::new() }.of(&initial);
            for mode in PlyGroup::ALL {
                let tally = played_by::<4>(&net, mode, policy, 200_000);
                let playouts = tally.playouts as f64;
                for &(goal, count) in &tally.goals[0] {
                    let share = expected.get(&goal).copied().unwrap_or(0.0);
                    let deviation = count as f64 - playouts * share;
                    let bound = 4.5 * (playouts * share * (1.0 - share)).sqrt();
                    assert!(
                        deviation.abs() <= bound,
                        "{policy} {mode:?}: {goal} in {count} of {playouts}, not {share}"
                    );
                }
            }
        }
    }
}

/// Counted over all games, each with its chance, a random game has 3203/420 moves. Running free, a lane takes a round
/// for each move and one to begin again; in step it waits for the longest game, of nine moves.
#[test]
fn lanes_are_busy_while_games_last() {
    let net = net(include_str!("../rules/games/tic-tac-toe.kif"));
    let length = 3203.0 / 420.0;
    for (mode, expected) in [(PlyGroup::Free, length / (length + 1.0)), (PlyGroup::InStep, length / 10.0)] {
        let mut tally = played::<4>(&net, mode, 100_000);
        assert_eq!(tally.lane_rounds % 256, 0);
        let busy = tally.busy().expect("lanes played");
        assert!((busy - expected).abs() < 0.003, "{mode:?}: {busy} instead of {expected}");
        tally.add(&tally.clone());
        assert_eq!(tally.busy(), Some(busy), "{mode:?}");
    }
    assert_eq!(Tally::default().busy(), None);
}

/// A walk on `0..=top` from `start`, one step up or down at random, that ends at either end; the goal is 100 at the
/// top.
fn walk(top: usize, start: usize) -> String {
    let successors: String = (0..top).map(|i| format!("(after {i} {}) ", i + 1)).collect();
    format!(
        "(role robot) (init (at {start})) (legal robot up) (legal robot down) {successors}
         (<= (next (at ?y)) (true (at ?x)) (after ?x ?y) (does robot up))
         (<= (next (at ?x)) (true (at ?y)) (after ?x ?y) (does robot down))
         (<= terminal (true (at 0))) (<= terminal (true (at {top})))
         (<= (goal robot 100) (true (at {top}))) (<= (goal robot 0) (not (true (at {top}))))"
    )
}

/// A game that one of `moves` moves ends, with the goal 100 if that is among the first `early`.
fn patience(moves: usize, early: usize) -> String {
    let legal: String = (0..moves).map(|i| format!("(legal robot (pick {i})) ")).collect();
    let successors: String = (0..early).map(|i| format!("(after {i} {}) ", i + 1)).collect();
    format!(
        "(role robot) (init (step 0)) {legal} {successors} (after {early} {early})
         (<= (next (step ?y)) (true (step ?x)) (after ?x ?y))
         (<= (next over) (does robot (pick 0))) (<= (next late) (true (step {early}))) (<= terminal (true over))
         (<= (goal robot 0) (true late)) (<= (goal robot 100) (not (true late)))"
    )
}

/// A game of exactly so many moves, left or right; the goal is 100 if the last is left.
fn fixed(moves: usize) -> String {
    let successors: String = (0..moves).map(|i| format!("(after {i} {}) ", i + 1)).collect();
    format!(
        "(role robot) (init (step 0)) (legal robot left) (legal robot right) {successors}
         (<= (next (step ?y)) (true (step ?x)) (after ?x ?y)) (<= (next here) (does robot left))
         (<= terminal (true (step {moves}))) (<= (goal robot 100) (true here)) (<= (goal robot 0) (not (true here)))"
    )
}

/// Long games: the rules, the mean and the variance of the length, and the share of playouts with goal 100.
///
/// The walk is the ruin of a gambler: from `a` it takes `a(n - a)` steps in the mean, with the variance
/// `a(n - a)(a² + (n - a)² - 2)/3`, and ends at the top once in `n/a` (Feller, *An introduction to probability theory*,
/// XIV).
fn long_games() -> [(String, f64, f64, f64); 5] {
    let ruin = |top: usize, start: usize| {
        let a = start as f64;
        let b = (top - start) as f64;
        (walk(top, start), a * b, a * b * (a * a + b * b - 2.0) / 3.0, a / (a + b))
    };
    let geometric = 1.0 - (49.0_f64 / 50.0).powi(20);
    let late = (patience(50, 20), 50.0, 49.0 * 50.0, geometric);
    [ruin(10, 2), ruin(20, 3), ruin(30, 25), late, (fixed(200), 200.0, 0.0, 0.5)]
}

/// Few looks at the clock end a run in the midst of the first playouts. Those that end before are the short ones.
#[test]
fn a_deadline_prefers_no_playouts() {
    for (rules, length, variance, share) in long_games() {
        let net = net(&rules);
        for (mode, looks) in PlyGroup::ALL.into_iter().flat_map(|mode| [2, 6, 40].map(|looks| (mode, looks))) {
            let lanes = Lanes::new(&net, mode, PlayoutPolicy::Uniform, &Budget::unlimited()).expect("nothing stops it");
            let budget = Budget::unlimited().with_clock(Arc::new(Looks::default()));
            let budget = budget.with_time(Duration::from_millis(looks));
            let tally = lanes.play_out::<16>(looks, &budget, &Budget::unlimited(), || ());
            let playouts = tally.playouts as f64;
            assert!(tally.playouts >= 1024 && tally.endless == 0, "{mode:?}: {tally:?}");
            let error = tally.moves as f64 / playouts - length;
            assert!(error.abs() <= 4.5 * (variance / playouts).sqrt(), "{mode:?}, {looks} looks, {length}: {error}");
            let error = tally.goals[0][1].1 as f64 / playouts - share;
            assert!(error.abs() < 4.5 * (share * (1.0 - share) / playouts).sqrt(), "{mode:?}, {looks}: {error}");
        }
    }
}

/// A playout that is given up at the end is in no length.
#[test]
fn playouts_without_end_are_given_up() {
    // The first move decides: right ends at once, left never.
    let net = net("(role robot) (init start) (legal robot left) (legal robot right)
         (<= (next gone) (does robot right) (true start)) (<= (next stays) (does robot left) (true start))
         (<= (next stays) (true stays)) (<= terminal (true gone)) (goal robot 1)");
    for mode in PlyGroup::ALL {
        let lanes = Lanes::new(&net, mode, PlayoutPolicy::Uniform, &Budget::unlimited()).expect("nothing stops it");
        let budget = Budget::unlimited().with_clock(Arc::new(Looks::default())).with_time(Duration::from_millis(3));
        let tally = lanes.play_out::<4>(1, &budget, &Budget::unlimited(), || ());
        assert!(tally.playouts > 0 && tally.endless > 0, "{mode:?}: {tally:?}");
        assert_eq!(tally.moves, tally.playouts, "{mode:?}: {tally:?}");
    }
}

/// The reported interval holds the true mean, of whatever reasoner and however short the time. (Three half widths hold
/// it but once in 10⁸.)
#[test]
fn reports_of_short_runs_hold_the_true_means() {
    for (rules, length, variance, share) in long_games() {
        for reasoner in ["net", "interpreted"] {
            let output = ludolog(&rules, "playouts", &["--time", "0.2", "--reasoner", reasoner, "--format", "json"]);
            let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
            let number = |value: &serde_json::Value| value.as_f64().expect("a number");
            let error = number(&report["mean_length"]) - length;
            let playouts = number(&report["playouts"]);
            assert!(error.abs() <= 5.0 * (variance / playouts).sqrt(), "{reasoner}: {report}");
            let role = &report["roles"][0];
            let [mean, low] = [&role["mean"], &role["confidence_95"][0]].map(number);
            // Without variance in a handful of playouts the interval is a point.
            let half = (mean - low).max(196.0 * (share * (1.0 - share) / playouts).sqrt());
            assert!((mean - 100.0 * share).abs() <= 3.0 * half, "{reasoner}: {report}");
        }
    }
}

/// All reasoners agree on random playouts of a game.
fn agree(rulesheet: &str, playouts: u64) {
    let found = differences(rulesheet, rulesheet, playouts);
    assert!(found.iter().all(Option::is_none), "{found:?} in\n{rulesheet}");
}

/// As many wins of the first player as in the test above, of playouts from states that are given. A playout that may
/// have no more joint moves is cut.
#[test]
fn playouts_from_states_end_as_often_as_they_must() {
    let net = Arc::new(net(include_str!("../rules/games/tic-tac-toe.kif")));
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let start = machine.initial_state().clone();
    // 40 lanes in one word, 200 in four and 60,000 in eight, which are used again and again.
    for count in [40, 200, 60_000] {
        let starts = vec![start.clone(); count];
        let mut wins = 0;
        for seed in 0..(60_000 / count as u64) {
            let outcomes = machine.random_playouts(&starts, 9, seed).expect("there is no limit");
            assert!(
                outcomes.iter().all(|outcome| outcome.end == PlayoutEnd::Terminal && (5..=9).contains(&outcome.steps))
            );
            wins += outcomes.iter().filter(|outcome| outcome.goals == [Some(100), Some(0)]).count();
        }
        let (playouts, share): (f64, f64) = (60_000.0, 737.0 / 1260.0);
        let deviation = (wins as f64 - playouts * share) / (playouts * share * (1.0 - share)).sqrt();
        assert!(deviation.abs() < 4.5, "{wins} wins in {playouts}");
    }
    let cut = machine.random_playouts(&vec![start.clone(); 300], 4, 1).expect("there is no limit");
    assert!(cut.iter().all(|outcome| outcome.end == PlayoutEnd::MaxSteps && outcome.steps == 4));
    let none = machine.random_playouts(&[start], 0, 1).expect("there is no limit");
    assert_eq!((none[0].end, none[0].steps), (PlayoutEnd::MaxSteps, 0));
    assert!(machine.random_playouts(&[], 9, 1).expect("there is no limit").is_empty());
}

#[test]
fn playouts_from_states_tell_who_is_stuck() {
    let net = net("(role one) (role two) (init start)
         (<= (legal one go) (true start)) (<= (legal one go) (true middle)) (legal two wait)
         (<= (next middle) (true start)) (<= (next end) (true middle)) (goal one 1) (<= terminal (true never))");
    let mut machine = NetMachine::new(&Arc::new(net), Budget::unlimited());
    let start = machine.initial_state().clone();
    let outcome = machine.random_playouts(&[start], 9, 1).expect("there is no limit").swap_remove(0);
    assert_eq!((outcome.end, outcome.steps, outcome.goals), (PlayoutEnd::Stuck(Role(0)), 2, vec![Some(1), None]));
}

/// States are answered for in batches as they are one by one.
#[test]
fn batches_answer_as_single_states_do() {
    let mut machine = NetMachine::new(
        &Arc::new(net(concat!(
            include_str!("../rules/lib/hex.kif"),
            include_str!("../rules/lib/hex-reachability.kif"),
            "(columns 3) (rows 3)"
        ))),
        Budget::unlimited(),
    );
    let mut level = StateCounts::first(&machine);
    for _ in 0..4 {
        level = level.next(&mut machine, 100_000, &Budget::unlimited(), |_, _| {}).expect("there is no limit");
    }
    let states: Vec<State> = level.states().map(|(state, _)| state.clone()).collect();
    assert!(states.len() > 256 && !states.len().is_multiple_of(64), "more than one batch, the last one not full");
    let terminal = machine.are_terminal(&states).expect("there is no limit");
    let legal = machine.all_legal_moves(&states).expect("there is no limit");
    let goals = machine.all_goals(&states).expect("there is no limit");
    let joint: Vec<JointMove> =
        legal.iter().map(|moves| moves.iter().map(|moves| *moves.last().expect("a move")).collect()).collect();
    let steps: Vec<(&State, &[Move])> = states.iter().zip(&joint).map(|(state, joint)| (state, &joint[..])).collect();
    let next = machine.next_states(&steps).expect("there is no limit");
    for (i, state) in states.iter().enumerate() {
        assert_eq!(machine.is_terminal(state).as_ref(), Ok(&terminal[i]));
        for role in [Role(0), Role(1)] {
            assert_eq!(machine.legal_moves(state, role).as_ref(), Ok(&legal[i][role.0 as usize]));
            assert_eq!(machine.goal(state, role).as_ref(), Ok(&goals[i][role.0 as usize]));
        }
        assert_eq!(machine.next_state(state, &joint[i]).as_ref(), Ok(&next[i]));
    }
}

#[test]
fn facts_that_depend_on_each_other_have_a_net() {
    agree(CYCLIC, 100);
}

/// The walls never change, and what stands where is no part of the gates; pushing against one changes nothing.
#[test]
fn facts_that_never_change_are_facts_of_each_state() {
    let maze = "(role mouse) (succ 1 2) (succ 2 3) (succ 3 4)
        (init (wall 2 north)) (init (wall 3 east)) (init exit) (init (at 1)) (init (step 1))
        (<= (next (wall ?x ?d)) (true (wall ?x ?d))) (<= (next exit) (true exit))
        (<= (legal mouse (go ?d)) (true exit) (direction ?d)) (direction east) (direction north)
        (<= (next (at ?y)) (does mouse (go ?d)) (true (at ?x)) (succ ?x ?y) (not (true (wall ?x ?d))))
        (<= (next (at ?x)) (does mouse (go ?d)) (true (at ?x)) (true (wall ?x ?d)))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
        (<= terminal (true (step 4))) (<= (goal mouse ?x) (true (at ?x)))";
    agree(maze, 30);
    let net = Arc::new(net(maze));
    assert_eq!(net.constants.len(), 3);
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let mut facts = machine.facts(&machine.initial_state().clone());
    assert_eq!(facts.len(), 5);
    assert_eq!(machine.state_of(facts.clone()).as_ref(), Ok(machine.initial_state()));
    facts.retain(|fact| *fact != Term::symbol("exit"));
    assert!(machine.state_of(facts).is_err());
}

/// Without `base` the numbers have no end; the interpreted rules play on, since the game ends at two.
#[test]
fn base_bounds_what_may_hold() {
    let counting = "(role robot) (init (n zero)) (legal robot count)
        (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n (s (s zero))))) (goal robot 100)";
    let ground = |rules: &str| GroundGame::new(&program(rules), &Budget::unlimited());
    assert!(ground(counting).is_err());
    let bounded = format!("{counting} (base (n zero)) (base (n (s zero))) (base (n (s (s zero))))");
    agree(&bounded, 5);
}

#[test]
fn ends_without_a_goal_or_a_move_are_counted_apart() {
    // Turn left and there is no legal move; turn right and there are two goals.
    let net = net("(role robot) (init start)
         (<= (legal robot left) (true start)) (<= (legal robot right) (true start))
         (<= (next ?x) (does robot ?x))
         (<= terminal (true right)) (<= (goal robot 1) (true right)) (<= (goal robot 2) (true right))");
    for mode in PlyGroup::ALL {
        let tally = played::<4>(&net, mode, 10_000);
        assert_eq!(tally.without_goal[0], tally.playouts);
        let share = tally.stuck as f64 / tally.playouts as f64;
        assert!((share - 0.5).abs() < 0.03, "{mode:?}: {share}");
        assert_eq!(tally.goals[0], [(1, 0), (2, 0)]);
    }
}

const TIC_TAC_TOE: &str = include_str!("../rules/games/tic-tac-toe.kif");

/// The first difference between the rules of a game and the net of another, walked by machines in so many playouts and
/// played by lanes of each mode.
fn differences(rulesheet: &str, of_net: &str, playouts: u64) -> Vec<Option<ReplyDifference>> {
    let net = &Arc::new(net(of_net));
    let rules = || Interpreted::new(&program(rulesheet), Budget::unlimited()).expect("it is a game");
    let machine = NetMachine::new(net, Budget::unlimited());
    let mut lockstep = Lockstep::new(vec![("rules", Box::new(rules())), ("net", Box::new(machine))]);
    let walk = |seed| lockstep.walk(seed, 30, &Budget::unlimited()).expect("there is no limit");
    let mut found = vec![(1..=playouts).find_map(walk)];
    if found[0].is_none() {
        assert_eq!(lockstep.ask_again(), Ok(None));
    }
    for mode in PlyGroup::ALL {
        let mut lockstep = Lockstep::new(vec![("rules", Box::new(rules()))]);
        let lanes = Lanes::new(net, mode, PlayoutPolicy::Uniform, &Budget::unlimited()).expect("nothing stops it");
        let picked = [0, 63, 64, 255];
        let watched = lanes.watch::<4>(&MoveFinder::new(net), &picked, 1, playouts as usize, &Budget::unlimited());
        let replay = |states| lockstep.replay("lanes", net, states, &Budget::unlimited()).expect("there is no limit");
        found.push(watched.iter().map(Vec::as_slice).find_map(replay));
        let is_found = found.last().is_some_and(Option::is_some);
        assert!(is_found || lockstep.playouts > playouts / 4, "{mode:?}: {}", lockstep.playouts);
    }
    found
}

/// Each fault is in one rule of a net, and is told by the question that the rule answers.
#[test]
fn reasoners_that_part_are_told() {
    assert_eq!(differences(TIC_TAC_TOE, TIC_TAC_TOE, 200), [const { None }; 4]);
    let faults = [
        // Cross may put a second mark on a cell: its first ply has as many moves, its second two more.
        ("    (not (marked ?c ?r)))\n(<= (legal ?p wait)", ")\n(<= (legal ?p wait)", "legal"),
        // Marks vanish.
        ("(<= (next (mark ?c ?r ?p)) (true (mark ?c ?r ?p)))", "", "true (mark"),
        // One column does not win, so a game goes on.
        ("(<= (line ?p) (true (mark ?c 1 ?p)) (true (mark ?c 2 ?p)) (true (mark ?c 3 ?p)))", "", "terminal|goal"),
        // Winners get less.
        ("(<= (goal ?p 100) (line ?p))", "(<= (goal ?p 99) (line ?p))", "goal"),
        // Nought begins.
        ("(init (turn cross))", "(init (turn nought))", "true (turn cross)"),
    ];
    for (rule, instead, question) in faults {
        assert!(TIC_TAC_TOE.contains(rule), "{rule}");
        for found in differences(TIC_TAC_TOE, &TIC_TAC_TOE.replace(rule, instead), 200) {
            let found = found.unwrap_or_else(|| panic!("nobody has seen that {rule} is {instead}"));
            assert!(question.split('|').any(|question| found.question.contains(question)), "{rule}: {found}");
            assert_eq!((&*found.said[0].0, found.said.len()), ("rules", 2));
            assert_ne!(found.said[0].1, found.said[1].1, "{found}");
            assert!(found.moves.len() < 10 && found.moves.iter().all(|joint| joint.len() == 2), "{found:?}");
        }
    }
    let first =
        differences(TIC_TAC_TOE, &TIC_TAC_TOE.replace("(init (turn cross))", "(init (turn nought))"), 1).swap_remove(0);
    let said = vec![("rules".to_owned(), Said::Truth(true)), ("net".to_owned(), Said::Truth(false))];
    let expected = ReplyDifference { playout: 1, moves: Vec::new(), question: "true (turn cross)".to_owned(), said };
    assert_eq!(first, Some(expected));
}

fn ludolog(rulesheet: &str, command: &str, options: &[&str]) -> std::process::Output {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("game.kif");
    std::fs::write(&file, rulesheet).expect("the file is written");
    let mut process = binary::ludolog(".", &["game", command]);
    process.arg(&file).args(options).output().expect("it runs")
}

/// The terms of the lists have no end, and no rule for the state asks for more than one of them.
const WITHOUT_NET: &str = "(role robot) (init (list nil)) (legal robot grow)
    (<= (next (list (cons ?x))) (does robot grow) (true (list ?x))) (<= terminal (true (list (cons (cons nil)))))
    (goal robot 100)";

/// Reachability among nodes whose links are cut one by one, as they are in a circle with a chord and a link to itself.
const CYCLIC: &str =
    "(role cutter) (link a b) (link b c) (link c d) (link d a) (link b d) (link c c) (link e f) (link f e)
    (<= (init (linked ?x ?y)) (link ?x ?y)) (init (at a))
    (<= (reached ?x) (true (at ?x)))
    (<= (reached ?y) (reached ?x) (true (linked ?x ?y)))
    (<= (reached ?x) (reached ?y) (true (linked ?x ?y)))
    (<= (legal cutter (cut ?x ?y)) (true (linked ?x ?y)))
    (<= (next (linked ?x ?y)) (true (linked ?x ?y)) (not (does cutter (cut ?x ?y))))
    (<= (next (at ?x)) (true (at ?x)))
    (<= terminal (not (reached c)))
    (<= (goal cutter 100) (reached d)) (<= (goal cutter 0) (not (reached d)))";

#[test]
fn commands_play_and_compare() {
    let game = one_move(4);
    let output = ludolog(&game, "playouts", &["--time", "100ms", "--threads", "2", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["reasoner"], &report["threads"]), (&"net".into(), &2.into()));
    assert_eq!(report["mean_length"], 1.0);
    let busy = report["busy"].as_f64().expect("lanes play");
    assert!((busy - 0.5).abs() < 0.05, "a round for the move, another to begin: {busy}");
    let counted: u64 = report["roles"][0]["goals"]
        .as_array()
        .expect("goals")
        .iter()
        .filter_map(|goal| goal["playouts"].as_u64())
        .sum();
    assert_eq!(report["playouts"], counted);
    let output = ludolog(&game, "playouts", &["--time", "100ms", "--reasoner", "interpreted", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((&report["reasoner"], &report["mean_length"]), (&"interpreted".into(), &1.0.into()));
    assert!(report["busy"].is_null(), "{report}");
    let output = ludolog(&game, "compare", &["--time", "400ms", "--format", "json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let reasoners = report[0]["reasoners"].as_array().expect("a list");
    let names: Vec<&str> = reasoners.iter().filter_map(|row| row["reasoner"].as_str()).collect();
    assert_eq!(names, ["net", "lanes free", "lanes in-step", "lanes refilled"]);
    for row in reasoners {
        assert_eq!((&row["difference"], &row["error"]), (&serde_json::Value::Null, &serde_json::Value::Null));
        assert!(row["states"].as_u64() > Some(0), "{row}");
    }
    let output = ludolog(&game, "net", &["--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    // Of each move: a fact and an atom for `next`, `true`, `legal`, `does`, `goal`; besides, `start`, and `terminal`.
    let number = |field: &str| report[field].as_u64().expect("a number");
    assert_eq!((number("facts"), number("atoms")), (5, 5 * 4 + 2), "{report}");
    // `next` for all moves at once, 4 goals, `terminal`; and the 4 facts of `legal`.
    assert_eq!((number("rules"), number("ground_rules")), (6, 13), "{report}");
    let output = ludolog(&game, "net", &["--format", "dot"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("label=\"does robot (pick 3)\""), "{output:?}");
}

#[test]
fn a_game_without_a_net_is_interpreted_and_one_without_roles_is_none() {
    let output = ludolog(WITHOUT_NET, "playouts", &["--reasoner", "net"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nests more than"), "{output:?}");
    let output = ludolog(WITHOUT_NET, "playouts", &["--time", "50ms"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("interpreted"), "{output:?}");
    for reasoner in ["net", "interpreted"] {
        let output = ludolog("(init on) (legal robot wait)", "playouts", &["--reasoner", reasoner]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("(`role`)"), "{output:?}");
    }
}

/// A random game of two roles: a turn, a counter, some facts that stay or go, atoms that depend on each other, moves
/// with conditions, and rules that ask for whole facts.
fn random_game(draw: &mut Draw) -> String {
    let fact = |draw: &mut Draw| match draw.below(8) {
        0 => "(control a)".to_owned(),
        1 => "(control b)".to_owned(),
        2 => format!("(wall {})", draw.below(3)),
        n => format!("(f {})", n % 4),
    };
    let literal = |draw: &mut Draw, moves: bool| {
        let atom = match draw.below(if moves { 6 } else { 4 }) {
            0 => format!("(aux {})", draw.below(4)),
            1..=3 => format!("(true {})", fact(draw)),
            _ => {
                let role = ["a", "b", "?r"][draw.below(3)];
                format!("(does {role} (m {}))", ["0", "1", "2", "?x"][draw.below(4)])
            }
        };
        match draw.below(3) {
            0 if !atom.contains('?') && !atom.contains("aux") => format!("(not {atom})"),
            _ => atom,
        }
    };
    let body = |draw: &mut Draw, moves: bool| {
        (0..1 + draw.below(3)).map(|_| literal(draw, moves)).collect::<Vec<_>>().join(" ")
    };
    let mut text = "(role a) (role b) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (init (step 0))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 4)))\n"
        .to_owned();
    for fact in ["(control a)", "(wall 1)", "(f 0)", "(f 2)"] {
        if draw.below(4) > 0 {
            text += &format!("(init {fact}) ");
        }
    }
    if draw.below(3) > 0 {
        text += "(<= (next (control a)) (true (control b))) (<= (next (control b)) (true (control a)))\n";
    }
    match draw.below(3) {
        0 => text += "(<= (next (wall ?x)) (true (wall ?x)))\n",
        1 => text += "(<= (next (wall ?x)) (true (wall ?x)) (not (does a (m 1))))\n",
        _ => {}
    }
    for _ in 0..3 + draw.below(4) {
        text += &format!("(<= (next (f {})) {})\n", draw.below(4), body(draw, true));
    }
    if draw.below(4) == 0 {
        text += "(<= (next ?f) (true ?f) (kept ?f)) (kept (f 1)) (kept (wall 0))\n";
    }
    for _ in 0..3 + draw.below(5) {
        text += &format!("(<= (aux {}) {})\n", draw.below(4), body(draw, false));
    }
    let idle = draw.below(3) > 0;
    for (role, other) in [("a", "b"), ("b", "a")] {
        let turn = if idle { format!("(true (control {role}))") } else { String::new() };
        for made in 0..3 {
            text += &format!("(<= (legal {role} (m {made})) {turn} {})\n", body(draw, false));
        }
        text += &if idle {
            format!("(<= (legal {role} noop) (true (control {other})))\n")
        } else {
            format!("(legal {role} noop)\n")
        };
        text += &format!(
            "(<= (goal {role} {}) {})\n(<= (goal {role} 7) {})\n",
            draw.below(3),
            body(draw, false),
            body(draw, false)
        );
    }
    text
}

#[test]
fn random_games_agree() {
    for seed in 1..=150 {
        agree(&random_game(&mut Draw::new(seed)), 20);
    }
}

/// A random game about points that are reached: points and edges come and go, chains are found by rules of one
/// recursive subgoal and of two, before the moves and after them.
fn random_reachability(draw: &mut Draw) -> String {
    let points = 4 + draw.below(5);
    let mut text = "(role a) (role b) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (init (step 0))
        (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y)) (<= terminal (true (step 7))) (<= terminal (won))
        (<= (next (on ?x)) (true (on ?x)) (not (flipped ?x))) (<= (next (on ?x)) (point ?x) (flipped ?x) (not (true (on ?x))))
        (<= (flipped ?x) (does ?r (flip ?x)))
        (<= (next (edge ?x ?y)) (true (edge ?x ?y)) (not (flipped ?x)))
        (<= (next (edge ?x ?y)) (beside ?x ?y) (flipped ?x) (not (true (edge ?x ?y))))
        (<= (legal ?r (flip ?x)) (role ?r) (point ?x) (not (reach ?x))) (legal a pass) (legal b pass)
        (<= (reach ?x) (source ?x) (true (on ?x)))
        (<= (reach ?y) (reach ?x) (beside ?x ?y) (true (on ?y)))
        (<= (path ?x ?y) (true (edge ?x ?y)))
        (<= (path ?x ?z) (path ?x ?y) (path ?y ?z))
        (<= (held ?x) (does ?r (flip ?x))) (<= (held ?y) (held ?x) (true (edge ?x ?y)))
        (<= (next (mark ?x)) (held ?x))
        (<= (goal a 100) (path 0 1)) (<= (goal a 0) (not (path 0 1)))
        (<= (goal b ?x) (reach ?x) (true (mark ?x)))\n"
        .to_owned();
    text +=
        &format!("(<= (won) (reach {}) (path {} {}))\n", draw.below(points), draw.below(points), draw.below(points));
    for point in 0..points {
        text += &format!("(point {point}) ");
        for (chance, fact) in [(3, "source"), (2, "init (on")] {
            if draw.below(chance) == 0 {
                text += &format!("({fact} {point}){} ", if fact.contains('(') { ")" } else { "" });
            }
        }
        for other in (0..points).filter(|&other| other != point) {
            if draw.below(3) == 0 {
                text += &format!("(beside {point} {other}) ");
                if draw.below(2) == 0 {
                    text += &format!("(init (edge {point} {other})) ");
                }
            }
        }
    }
    text + "(source 0) (beside 0 1) (beside 1 0) (beside 1 2) (beside 2 0)"
}

#[test]
fn random_reachability_agrees() {
    for seed in 1..=60 {
        agree(&random_reachability(&mut Draw::new(seed)), 20);
    }
}

/// Rules that grow without end, each in another way, and what is told of them: by nets, and by the rules.
const GROWING: [(&str, &str, &str); 3] = [
    // States count with nested terms. The rules play on; each playout ends at the deepest term.
    (
        "(role robot) (init (n zero)) (legal robot count) (<= (next (n (s ?x))) (true (n ?x)))
         (<= terminal (true over)) (goal robot 100)",
        "no net: a term nests more than 2000 deep in (<= (next (n (s ?x))) (true (n ?x)))",
        "",
    ),
    // A relation of a billion facts.
    (
        "(<= (big ?a ?b ?c ?d ?e) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e))
         (role robot) (init (n zero)) (legal robot go) (<= (next (seen ?a ?b ?c ?d ?e)) (big ?a ?b ?c ?d ?e))
         (<= terminal (true (seen 1 2 3 4 5))) (goal robot 100)",
        "big/5",
        "`big/5` had grown to",
    ),
    // As many legal moves.
    (
        "(<= (legal robot (go ?a ?b ?c ?d ?e)) (digit ?a) (digit ?b) (digit ?c) (digit ?d) (digit ?e))
         (role robot) (init (n zero)) (<= (next ?a) (does robot (go ?a ?b ?c ?d ?e)))
         (<= terminal (true over)) (goal robot 100)",
        "(legal robot (go ?a ?b ?c ?d ?e))",
        "`legal/2` had grown to",
    ),
];

#[test]
fn what_grows_without_end_is_named() {
    let digits: String = (0..64).map(|digit| format!("(digit {digit}) ")).collect();
    for (rules, by_net, by_rules) in GROWING {
        let rules = format!("{rules} {digits}");
        let errors_within = |timeout: &str, command: &str, options: &[&str]| {
            let output = ludolog(&rules, command, &[&["--timeout", timeout], options].concat());
            let errors = String::from_utf8(output.stderr).expect("text");
            assert!(!errors.contains("--max-facts") && !errors.contains("panicked"), "{command}: {errors}");
            (output.status.code(), errors)
        };
        // On a busy machine time may be over before anything has grown.
        let errors = |command: &str, options: &[&str], expected: &str| {
            let (code, told) = errors_within("2s", command, options);
            if told.contains(expected) { (code, told) } else { errors_within("20s", command, options) }
        };
        for (command, options) in [("net", &[][..]), ("playouts", &["--reasoner", "net"])] {
            let (code, told) = errors(command, options, by_net);
            assert_eq!(code, Some(2), "{command}: {told} {by_net}");
            assert!(told.contains(by_net) && told.contains("--reasoner interpreted"), "{command}: {told}");
        }
        let interpreted = ["--reasoner", "interpreted"];
        for (command, options) in [
            ("playouts", &[&interpreted[..], &["--time", "500ms"]].concat()[..]),
            ("perft", &[&interpreted[..], &["--depth", "2"]].concat()),
            ("trace", &[&interpreted[..], &["--depth", "2", "--seeds", "1"]].concat()),
            ("show", &[]),
        ] {
            let (code, told) = errors(command, options, by_rules);
            assert_eq!(code, Some(if by_rules.is_empty() { 0 } else { 2 }), "{command}: {told}");
            assert!(told.contains(by_rules), "{command}: {told}");
        }
    }
}

#[test]
fn endless_playouts_are_an_outcome_of_their_own() {
    let output = ludolog(GROWING[0].0, "playouts", &["--time", "300ms", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &report["playouts"]), (Some(0), &0.into()));
    assert!(report["endless"].as_u64() > Some(0), "{report}");
}

/// A robot that goes in one of 30 directions, in 4 dimensions: a level has up to a million states.
#[test]
fn a_stop_leaves_one_document() {
    let directions: String = (0..30).map(|i| format!("(legal robot (go {i})) (next {i} {} ) ", (i + 1) % 30)).collect();
    let rules = format!(
        "(role robot) {directions} (init start)
         (<= (next (went ?x ?y)) (true (went ?x ?y))) (<= (next (went ?n ?x)) (does robot (go ?x)) (true (at ?n)))
         (init (at 0)) (<= (next (at ?m)) (true (at ?n)) (next ?n ?m)) (goal robot 0) (<= terminal (true never))"
    );
    for reasoner in ["net", "interpreted"] {
        let options = ["--seeds", "1", "--depth", "9", "--timeout", "2s", "--format", "json", "--reasoner", reasoner];
        let output = ludolog(&rules, "trace", &options);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains("error: "), "{output:?}");
        let row: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
        assert_ne!(row["perft_stop"], "complete");
        let levels = row["levels"].as_array().expect("levels").len();
        let perft: Vec<u128> = row["perft"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|n| n.as_str().and_then(|n| n.parse().ok()).expect("a number"))
            .collect();
        // One level more is counted than found.
        assert_eq!(perft, (0..=levels as u32).map(|depth| 30u128.pow(depth)).collect::<Vec<_>>(), "{reasoner}");
    }
}

#[cfg(unix)]
#[test]
fn interruption_prints_what_was_counted() {
    for (command, options) in [
        ("playouts", &["--time", "60s", "--reasoner", "interpreted"][..]),
        ("playouts", &["--time", "60s", "--reasoner", "net", "--mode", "free", "--lanes", "256"]),
        ("trace", &["--seeds", "100000000", "--reasoner", "net"]),
        ("compare", &["--time", "60s"]),
    ] {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/games/tic-tac-toe.kif");
        let mut process = binary::process(".", &["game", command, file, "--format", "json"]);
        process.args(options);
        let child = process.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn();
        let child = child.expect("it runs");
        std::thread::sleep(Duration::from_millis(1500));
        let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(130), "{command}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one document");
        let counted = match command {
            "playouts" => report["playouts"].as_u64(),
            "trace" => report["playouts"].as_array().map(|playouts| playouts.len() as u64),
            _ => report[0]["reasoners"][0]["states"].as_u64(),
        };
        assert!(counted > Some(0), "{command}: {report}");
    }
}

/// The lines of tic-tac-toe, by cell as `3·row + column`.
const LINES: [[usize; 3]; 8] = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// The marks that a playout tells are as many as its steps, and say who has a row.
#[test]
fn playouts_tell_the_moves_that_were_made() {
    let net = Arc::new(net(include_str!("../rules/games/tic-tac-toe.kif")));
    for policy in PlayoutPolicy::ALL {
        let mut machine = NetMachine::new(&net, Budget::unlimited());
        machine.set_playout_policy(policy);
        let initial = machine.initial_state().clone();
        let silent = machine.random_playouts(&vec![initial.clone(); 9], 100, 1).expect("nothing stops it");
        assert!(silent.iter().all(|outcome| outcome.moves.is_empty()));
        machine.use_moves(MoveUse { told: true, guiding: false }, &Budget::unlimited()).expect("nothing stops it");
        // More playouts than lanes: some begin where others have ended.
        let outcomes = machine.random_playouts(&vec![initial; 1_000], 100, 1).expect("nothing stops it");
        for outcome in outcomes {
            let mut cells = [None; 9];
            for &made in &outcome.moves {
                let role = usize::from(made.0 as usize >= net.roles[0].moves.len());
                let text = machine.move_term(made).to_string();
                let [column, row] = [1, 2].map(|place| {
                    let mut word = text.trim_matches(['(', ')']).split([' ', ',', '(']).filter(|word| !word.is_empty());
                    word.nth(place).and_then(|word| word.parse::<usize>().ok()).expect("a mark has two numbers")
                });
                assert_eq!(cells[3 * row + column - 4].replace(role), None, "{text} twice");
            }
            assert_eq!(outcome.moves.len(), outcome.steps);
            let has_line = |role| LINES.iter().any(|line| line.iter().all(|&cell| cells[cell] == Some(role)));
            let goals = match (has_line(0), has_line(1)) {
                (true, false) => [100, 0],
                (false, true) => [0, 100],
                (false, false) => [50, 50],
                (true, true) => panic!("two winners: {cells:?}"),
            };
            assert_eq!(outcome.goals, goals.map(Some));
        }
    }
}

/// Subtraction Nim from 10. Grounding forgets that what is done is legal, so that the pile sinks below 0 without end.
const UNBOUNDED_PILE: &str = "(role a) (role b) (init (pile 10)) (init (turn a))
(<= (legal ?p (take ?k)) (true (turn ?p)) (true (pile ?n)) (in ?k (.. 1 3)) (<= ?k ?n))
(<= (legal ?p noop) (role ?p) (not (true (turn ?p))))
(<= (next (pile ?m)) (true (pile ?n)) (does ?p (take ?k)) (is ?m (- ?n ?k)))
(<= (next (turn ?q)) (true (turn ?p)) (role ?q) (distinct ?p ?q))
(<= terminal (true (pile 0)))
(<= (goal ?p 0) (true (turn ?p)))
(<= (goal ?p 100) (role ?p) (not (true (turn ?p))))";

/// Whoever asks for the solution of a game without a net is told what solves it, after a sixteenth of the facts of the largest nets.
#[test]
fn a_count_without_end_is_given_up_early_with_advice_that_helps() {
    let output = ludolog(UNBOUNDED_PILE, "solve", &[]);
    let told = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("`ludolog game tree --reasoner interpreted`") && told.contains("unless it bounds them"),
        "{told}"
    );
    let instances = told.split("too many ground rules, ").nth(1).and_then(|rest| rest.split(' ').next());
    let instances: u64 = instances.and_then(|number| number.parse().ok()).expect("their number");
    assert!(instances < 1_000_000, "{told}");
    // Both ways out. Of 10 = 2 * 4 + 2 whoever begins takes 2, and wins.
    let tree = ludolog(UNBOUNDED_PILE, "tree", &["--reasoner", "interpreted", "--depth", "0"]);
    assert!(tree.status.success(), "{tree:?}");
    let bounded = UNBOUNDED_PILE.replace("(is ?m (- ?n ?k))", "(is ?m (- ?n ?k)) (>= ?m 0)");
    let solved = ludolog(&bounded, "solve", &[]);
    assert!(String::from_utf8_lossy(&solved.stdout).contains("a wins 100 to 0"), "{solved:?}");
}
