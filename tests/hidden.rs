//! Games that hide their states, and games of chance: what roles see, which states they hold possible, and how near play
//! comes to what is known of such games. Expected values are by hand, or by going through all lines of play.

use crate::binary::{self, run};
use crate::games::{net, sound};
use crate::protocol::Server;
use ludolog::engine::Budget;
use ludolog::game::{Draw, Interpreted, Move, Role, State, StateMachine, StateMachineExt, canonical};
use ludolog::player::hidden::belief::{Belief, Particle, uniform};
use ludolog::player::hidden::histories::{Histories, InformationSet};
use ludolog::player::hidden::regrets::Regrets;
use ludolog::player::matches::{Nature, Thought, ToldMove};
use ludolog::player::{Cfr, Clocks, GameReasoner, Match, Observation, Player, Seat};
use ludolog::propnet::NetMachine;
use ludolog::syntax::ast::Term;
use ludolog::syntax::{Syntax, print_term};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn machine(game: &str) -> NetMachine {
    NetMachine::new(&net(&format!("std:games/{game}.kif")), Budget::unlimited())
}

fn term(text: &str) -> Term {
    ludolog::game::canonical::term(text).expect("a term")
}

fn texts(terms: &[Term]) -> Vec<String> {
    terms.iter().map(canonical::text).collect()
}

/// The state after joint moves, with what each role saw of the last one.
fn after(machine: &mut dyn StateMachine, joints: &[&[&str]]) -> (State, Vec<Vec<String>>) {
    let mut state = machine.initial_state().clone();
    let mut seen = Vec::new();
    for joint in joints {
        let terms: Vec<Term> = joint.iter().map(|made| term(made)).collect();
        let joint = machine.joint_move(&state, &terms).expect("legal moves");
        seen = machine.percept_terms(&state, &joint).expect("no limits").iter().map(|seen| texts(seen)).collect();
        state = machine.next_state(&state, &joint).expect("no limits");
    }
    (state, seen)
}

/// A game, joint moves, and what the first two roles see of the last one.
type Told = (&'static str, &'static [&'static [&'static str]], [&'static [&'static str]; 2]);

#[test]
fn roles_see_what_the_rules_let_them_see() {
    let told: [Told; 6] = [
        ("kuhn-poker", &[&["wait", "wait", "(deal jack king)"]], [&["(card jack)"], &["(card king)"]]),
        ("kuhn-poker", &[&["wait", "wait", "(deal jack king)"], &["bet", "wait", "wait"]], [&[], &["(did first bet)"]]),
        ("monty-hall", &[&["wait", "(hide 1)"]], [&[], &[]]),
        ("monty-hall", &[&["wait", "(hide 1)"], &["(choose 1)", "wait"], &["wait", "(open 3)"]], [&["(open 3)"], &[]]),
        ("phantom-tic-tac-toe", &[&["(place b2)", "wait"]], [&["(turn nought)"], &["(turn nought)"]]),
        (
            "phantom-tic-tac-toe",
            &[&["(place b2)", "wait"], &["wait", "(place b2)"]],
            [&["(turn nought)"], &["(turn nought)"]],
        ),
    ];
    for (game, joints, expected) in told {
        let mut rules =
            Interpreted::new(&sound(&format!("std:games/{game}.kif")), Budget::unlimited()).expect("it starts");
        for machine in [&mut machine(game) as &mut dyn StateMachine, &mut rules] {
            assert!(machine.hides());
            let (_, seen) = after(machine, joints);
            assert_eq!(seen[..2], expected.map(<[_]>::to_vec), "{game} {joints:?}");
        }
    }
    let mut plain = machine("tic-tac-toe");
    assert!(!plain.hides());
    assert_eq!(after(&mut plain, &[&["(put 1 1)", "wait"]]).1, [[""; 0]; 2]);
}

/// What is refused is not tried again, and the one who is refused stays to move.
#[test]
fn a_taken_cell_is_refused() {
    let mut machine = machine("phantom-tic-tac-toe");
    let (state, _) = after(&mut machine, &[&["(place b2)", "wait"], &["wait", "(place b2)"]]);
    let legal = machine.legal_terms(&state).expect("no limits");
    assert_eq!(texts(&legal[0].1), ["wait"]);
    let cells = ["a1", "a2", "a3", "b1", "b3", "c1", "c2", "c3"].map(|cell| format!("(place {cell})"));
    assert_eq!(texts(&legal[1].1), cells);
    let facts = ["(refused nought b2)", "(stone cross b2)", "(turn nought)"];
    assert_eq!(texts(&machine.facts(&state)), facts);
}

/// All states that agree with what a role did and saw, by trying all joint moves: no part of this is what it judges.
fn consistent(machine: &mut dyn StateMachine, role: usize, seen: &[(String, Vec<String>)]) -> BTreeSet<Vec<String>> {
    let mut states =
        BTreeMap::from([(texts(&machine.facts(machine.initial_state())), machine.initial_state().clone())]);
    for (made, percepts) in seen {
        let mut next = BTreeMap::new();
        for state in states.into_values() {
            for joint in machine.legal_joint_moves(&state).expect("no limits") {
                let is_own = canonical::text(machine.move_term(joint[role])) == *made;
                if is_own && texts(&machine.percept_terms(&state, &joint).expect("no limits")[role]) == *percepts {
                    let after = machine.next_state(&state, &joint).expect("no limits");
                    if !machine.is_terminal(&after).expect("no limits") {
                        next.insert(texts(&machine.facts(&after)), after);
                    }
                }
            }
        }
        states = next;
    }
    states.into_keys().collect()
}

/// Random playouts, of which the last joint move is left out: for each role what it did and saw.
fn observed(machine: &mut dyn StateMachine, seed: u64, most: usize) -> Vec<Vec<(String, Vec<String>)>> {
    let mut draw = Draw::new(seed);
    let mut state = machine.initial_state().clone();
    let mut seen = vec![Vec::new(); machine.roles().len()];
    for _ in 0..most {
        let legal = machine.all_legal_moves(std::slice::from_ref(&state)).expect("no limits").swap_remove(0);
        let joint: Vec<Move> = legal.iter().map(|moves| moves[draw.below(moves.len())]).collect();
        let next = machine.next_state(&state, &joint).expect("no limits");
        if machine.is_terminal(&next).expect("no limits") {
            break;
        }
        let percepts = machine.percept_terms(&state, &joint).expect("no limits");
        for (role, (&made, percepts)) in joint.iter().zip(&percepts).enumerate() {
            seen[role].push((canonical::text(machine.move_term(made)), texts(percepts)));
        }
        state = next;
    }
    seen
}

fn observation((made, percepts): &(String, Vec<String>)) -> Observation {
    Observation { made: Some(term(made)), percepts: percepts.iter().map(|seen| term(seen)).collect() }
}

#[test]
fn particles_are_all_states_that_agree() {
    for (game, most) in [("phantom-tic-tac-toe", 5), ("dark-hex-3x3", 4), ("kuhn-poker", 3), ("monty-hall", 3)] {
        let mut machine = machine(game);
        for seed in 1..=4 {
            let seen = observed(&mut machine, seed, most);
            for (role, seen) in seen.iter().enumerate().take(2) {
                let mut histories = Histories::default();
                let mut belief = Belief::new(&machine, Role(role as u32), &mut histories, seed);
                let observations: Vec<Observation> = seen.iter().map(observation).collect();
                let budget = Budget::unlimited();
                belief.follow(&mut machine, &mut histories, &observations, &uniform, &budget).expect("no limits");
                assert!(belief.agrees());
                let held: BTreeSet<Vec<String>> =
                    belief.particles().iter().map(|particle| texts(&machine.facts(&particle.state))).collect();
                let all = consistent(&mut machine, role, seen);
                assert!(held.is_subset(&all) && !held.is_empty(), "{game} by seed {seed}, role {role}");
                assert!(held == all || !belief.is_complete(), "{game} by seed {seed}, role {role}");
                let weight: f64 = belief.particles().iter().map(|particle| particle.weight).sum();
                assert!((weight - 1.0).abs() < 1e-9 && (belief.is_complete() || held.len() > 100));
                // Legal moves are those of all of them.
                let legal = belief.legal_moves(&mut machine).expect("no limits");
                let state = &belief.particles()[0].state;
                assert_eq!(legal, machine.legal_moves(state, Role(role as u32)).expect("no limits"));
            }
        }
    }
}

/// The belief of Monty Hall's candidate: behind the other closed door the car is twice as likely.
#[test]
fn weights_are_chances() {
    let mut machine = machine("monty-hall");
    let mut histories = Histories::default();
    let mut belief = Belief::new(&machine, Role(0), &mut histories, 1);
    let seen = [("wait", None), ("(choose 1)", None), ("wait", Some("(open 3)"))];
    let seen =
        seen.map(|(made, seen)| Observation { made: Some(term(made)), percepts: seen.into_iter().map(term).collect() });
    belief.follow(&mut machine, &mut histories, &seen, &uniform, &Budget::unlimited()).expect("no limits");
    let chance = |car: &str| -> f64 {
        let is_there = |particle: &&Particle| machine.facts(&particle.state).contains(&term(car));
        belief.particles().iter().filter(is_there).map(|particle| particle.weight).sum()
    };
    assert!((chance("(car 2)") - 2.0 / 3.0).abs() < 1e-9 && (chance("(car 1)") - 1.0 / 3.0).abs() < 1e-9);
}

/// Percepts of no state: the belief goes on from all states.
#[test]
fn percepts_of_no_state_are_told_and_left_aside() {
    for percept in ["(open 1)", "(seen nonsense)"] {
        let mut machine = machine("monty-hall");
        let mut histories = Histories::default();
        let mut belief = Belief::new(&machine, Role(0), &mut histories, 1);
        let seen = [("wait", None), ("(choose 1)", None), ("wait", Some(percept))];
        let seen = seen
            .map(|(made, seen)| Observation { made: Some(term(made)), percepts: seen.into_iter().map(term).collect() });
        belief.follow(&mut machine, &mut histories, &seen, &uniform, &Budget::unlimited()).expect("no limits");
        assert!(!belief.agrees() && belief.particles().len() == 4, "{percept}");
        let legal = belief.legal_moves(&mut machine).expect("no limits");
        let legal: Vec<Term> = legal.iter().map(|&made| machine.move_term(made).clone()).collect();
        assert_eq!(texts(&legal), ["keep", "switch"]);
        let reasoner = GameReasoner::of_net(net("std:games/monty-hall.kif"));
        let mut player = Cfr::new(reasoner.game(&Budget::unlimited()).expect("a game"), Role(0), 1 << 24, 1);
        let choice = player.play_hidden(&seen, &Budget::unlimited().with_timeout(Duration::from_millis(20)));
        let note = choice.expect("a move").report.note.expect("a note");
        assert!(note.starts_with("no state agrees with what was seen"), "{note}");
    }
}

/// A game tree: roles that choose do so at information sets, by what they did and saw.
enum Tree {
    End(Vec<f64>),
    Chance(Vec<Tree>),
    Choice { role: usize, set: (InformationSet, String), moves: Vec<Move>, next: Vec<Tree> },
}

/// The tree of a game in which one role moves at a time.
fn tree(
    machine: &mut NetMachine,
    histories: &mut Histories,
    state: &State,
    sets: &[InformationSet],
    known: &[String],
) -> Tree {
    if machine.is_terminal(state).expect("no limits") {
        let goals = machine.goals(state).expect("no limits");
        return Tree::End(goals.into_iter().map(|goal| goal.unwrap_or(0) as f64).collect());
    }
    let legal = machine.all_legal_moves(std::slice::from_ref(state)).expect("no limits").swap_remove(0);
    let chooser = legal.iter().position(|moves| moves.len() > 1).unwrap_or(0);
    let mut next = Vec::new();
    for joint in machine.legal_joint_moves(state).expect("no limits") {
        let after = machine.next_state(state, &joint).expect("no limits");
        let seen = machine.percept_terms(state, &joint).expect("no limits");
        let told = |(role, known): (usize, &String)| {
            format!("{known} {} {:?};", canonical::text(machine.move_term(joint[role])), texts(&seen[role]))
        };
        let told: Vec<String> = known.iter().enumerate().map(told).collect();
        let then = histories.after(machine, sets, (state, &joint, &after)).expect("no limits");
        next.push(tree(machine, histories, &after, &then, &told));
    }
    if machine.roles()[chooser] == Term::symbol("random") {
        Tree::Chance(next)
    } else {
        let set = (sets[chooser], known[chooser].clone());
        Tree::Choice { role: chooser, set, moves: legal[chooser].clone(), next }
    }
}

/// The chances of the moves of a role at an information set.
type Strategies<'s> = dyn Fn(usize, &(InformationSet, String), &[Move]) -> Vec<f64> + 's;

/// The goal of each role when roles play so: a chance for each move of an information set.
fn value(tree: &Tree, play: &Strategies<'_>) -> Vec<f64> {
    let mixed = |next: &[Tree], chances: &[f64]| {
        let values: Vec<Vec<f64>> = next.iter().map(|next| value(next, play)).collect();
        (0..values[0].len())
            .map(|role| values.iter().zip(chances).map(|(value, chance)| value[role] * chance).sum())
            .collect()
    };
    match tree {
        Tree::End(goals) => goals.clone(),
        Tree::Chance(next) => mixed(next, &vec![1.0 / next.len() as f64; next.len()]),
        Tree::Choice { role, set, moves, next } => mixed(next, &play(*role, set, moves)),
    }
}

/// The information sets of a role, with the numbers of moves.
fn sets_of(tree: &Tree, of: usize, found: &mut BTreeMap<String, usize>) {
    match tree {
        Tree::End(_) => {}
        Tree::Chance(next) => next.iter().for_each(|next| sets_of(next, of, found)),
        Tree::Choice { role, set, moves, next } => {
            if *role == of {
                found.insert(set.1.clone(), moves.len());
            }
            next.iter().for_each(|next| sets_of(next, of, found));
        }
    }
}

/// The best goal of a role against the average strategies of the others, by trying each of its pure strategies.
fn best_response(tree: &Tree, of: usize, regrets: &Regrets) -> f64 {
    let mut sets = BTreeMap::new();
    sets_of(tree, of, &mut sets);
    let count: usize = sets.values().product();
    let places: BTreeMap<&String, usize> = sets.keys().zip(0..).collect();
    let sizes: Vec<usize> = sets.values().copied().collect();
    let pure = |number: usize, set: &String| {
        let place = places[set];
        number / sizes[..place].iter().product::<usize>() % sizes[place]
    };
    let goal = |number: usize| {
        value(tree, &|role, set, moves| {
            if role == of {
                let made = pure(number, &set.1);
                (0..moves.len()).map(|place| f64::from(place == made)).collect()
            } else {
                regrets.average(set.0, moves)
            }
        })[of]
    };
    (0..count).map(goal).fold(f64::NEG_INFINITY, f64::max)
}

/// What so many lines teach of a game.
fn learned(game: &str, lines: u64, seed: u64) -> (NetMachine, Histories, Regrets, Tree) {
    let mut machine = machine(game);
    let mut histories = Histories::default();
    let mut regrets = Regrets::default();
    let mut draw = Draw::new(seed);
    let state = machine.initial_state().clone();
    let sets = histories.first(&machine);
    let first = Particle { state: state.clone(), sets: sets.clone(), weight: 1.0 };
    while regrets.lines() < lines {
        regrets.sample(&mut machine, &mut histories, &first, &mut draw, usize::MAX).expect("no limits");
    }
    let known = vec![String::new(); machine.roles().len()];
    let tree = tree(&mut machine, &mut histories, &state, &sets, &known);
    (machine, histories, regrets, tree)
}

/// The goal of the first player of Kuhn poker by the average strategies after so many lines, and their exploitability, both
/// in chips: a chip is 25 of a goal.
fn kuhn(lines: u64) -> (f64, f64) {
    let (.., regrets, tree) = learned("kuhn-poker", lines, 1);
    let average = value(&tree, &|_, set, moves| regrets.average(set.0, moves));
    let gains = [0, 1].map(|role| (best_response(&tree, role, &regrets) - average[role]) / 25.0);
    assert!(gains.iter().all(|&gain| gain >= -1e-9), "{gains:?}");
    let exploitability = gains.iter().sum::<f64>() / 2.0;
    println!("{lines} lines: value {:.4}, exploitability {exploitability:.4}", (average[0] - 50.0) / 25.0);
    ((average[0] - 50.0) / 25.0, exploitability)
}

/// Kuhn 1950: the first player loses one in eighteen in equilibrium.
#[test]
fn kuhn_poker_comes_near_to_its_equilibrium() {
    let (_, early) = kuhn(1_000);
    let (value, late) = kuhn(40_000);
    assert!((value + 1.0 / 18.0).abs() < 0.02, "{value}");
    assert!(late < 0.02 && late < early / 3.0, "{early} {late}");
}

#[test]
#[ignore = "takes a minute"]
fn kuhn_poker_comes_nearer_with_more_lines() {
    let far: Vec<f64> = [1_000, 10_000, 100_000, 1_000_000].map(|lines| kuhn(lines).1).to_vec();
    assert!(far.windows(2).all(|pair| pair[1] < pair[0]) && far[3] < 0.003, "{far:?}");
}

/// Who switches wins where the first choice was wrong: in two cases of three, counted here.
#[test]
fn the_candidate_switches() {
    let cases = (1..=3).flat_map(|car| (1..=3).map(move |chosen| (car, chosen)));
    let switched = cases.clone().filter(|(car, chosen)| car != chosen).count() as f64 / cases.count() as f64;
    assert_eq!(switched, 2.0 / 3.0);
    let (.., regrets, tree) = learned("monty-hall", 20_000, 1);
    let goal = value(&tree, &|_, set, moves| regrets.average(set.0, moves))[0];
    assert!(goal > 98.0 * switched && goal <= 100.0 * switched + 1e-9, "{goal}");
    assert!((best_response(&tree, 0, &regrets) - 100.0 * switched).abs() < 1e-9);
}

/// A die kept from the mean of the throws after it on: 3.5, then 4.25, then 14/3.
#[test]
fn a_die_is_thrown_again_as_long_as_that_is_better() {
    let better = |later: f64| (1..=6).map(|eyes| f64::from(eyes).max(later)).sum::<f64>() / 6.0;
    let best = 10.0 * better(better(3.5));
    assert!((best - 140.0 / 3.0).abs() < 1e-9);
    let (.., regrets, tree) = learned("three-throws", 40_000, 1);
    let goal = value(&tree, &|_, set, moves| regrets.average(set.0, moves))[0];
    assert!(goal > best - 0.7 && goal <= best + 1e-9, "{goal}");
}

/// A seat that notes what it is told, and answers with what a player of its own chooses.
struct Spy {
    seat: Box<dyn Seat>,
    told: Arc<Mutex<Vec<ToldMove>>>,
}

impl Seat for Spy {
    fn name(&self) -> &str {
        self.seat.name()
    }

    fn start(&mut self, clocks: Clocks, budget: &Budget) -> Result<Thought, String> {
        self.seat.start(clocks, budget)
    }

    fn play(&mut self, told: &ToldMove, clocks: Clocks, budget: &Budget) -> Result<(Term, Thought), String> {
        self.told.lock().expect("no panic").push(told.clone());
        self.seat.play(told, clocks, budget)
    }

    fn stop(&mut self, told: Option<&ToldMove>) {
        self.told.lock().expect("no panic").extend(told.cloned());
        self.seat.stop(told);
    }
}

/// A seat learns its own moves and percepts of a match, and no more.
#[test]
fn seats_are_told_what_they_see() {
    let rules = GameReasoner::of_net(net("std:games/kuhn-poker.kif"));
    let told = [Arc::<Mutex<Vec<ToldMove>>>::default(), Arc::default()];
    let seat = |role: usize| {
        let kind = "random".parse().expect("a player");
        let seat = ludolog::player::Local::of(rules.clone(), Role(role as u32), kind, Default::default());
        Box::new(Spy { seat: Box::new(seat), told: told[role].clone() }) as Box<dyn Seat>
    };
    let mut seats = vec![seat(0), seat(1), Box::new(Nature)];
    let mut game = rules.game(&Budget::unlimited()).expect("a game");
    let clocks = Clocks { start: Duration::from_secs(5), play: Duration::from_secs(5) };
    let playing = Match { game: &mut game, seats: &mut seats, clocks, max_steps: 9, seed: 3 };
    let record = playing.play(&Budget::unlimited(), |_| {}).expect("it is played");
    assert!((0..3).all(|role| record.faults(role).count() == 0));
    for (role, told) in told.iter().enumerate() {
        let percepts = |ply: usize| record.plies[ply].percepts.as_ref().expect("states are hidden")[role].clone();
        let mut expected = vec![ToldMove::Percepts { turn: 0, own: None, percepts: Vec::new() }];
        expected.extend(record.plies.iter().enumerate().map(|(ply, made)| ToldMove::Percepts {
            turn: ply as u64 + 1,
            own: Some(made.joint[role].clone()),
            percepts: percepts(ply),
        }));
        assert_eq!(*told.lock().expect("no panic"), expected);
    }
}

#[test]
fn hidden_games_are_played_and_recorded() {
    let clocks = ["--start-clock", "300ms", "--play-clock", "200ms"];
    for (game, players) in [
        ("kuhn-poker", &["auto", "random"][..]),
        ("monty-hall", &["auto"]),
        ("three-throws", &["cfr"]),
        ("dark-hex-3x3", &["cfr", "legal"]),
    ] {
        let (code, output, errors) =
            run(".", &[&["match", game][..], players, &clocks, &["--format", "json"]].concat(), "");
        assert_eq!(errors, "", "{game}: {output}");
        let record: Value = serde_json::from_str(&output).expect("JSON");
        // A busy machine makes moves late, which is no fault of the player.
        let faults: Vec<&str> = record["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        assert!(code <= 1 && faults.iter().all(|fault| fault.is_empty() || fault.starts_with("late")), "{faults:?}");
        assert_eq!(record["isCompleted"], Value::Bool(true), "{game}");
        let [percepts, moves] = [&record["ludolog"]["percepts"], &record["moves"]].map(|list| list.as_array());
        assert_eq!(percepts.map(Vec::len), moves.map(Vec::len), "{game}: {output}");
    }
    for (args, reason) in [
        (&["match", "kuhn-poker", "mcts", "random"][..], "needs to know the state, which this game hides"),
        (
            &["match", "kuhn-poker", "auto", "auto", "auto"],
            "a player for each role is needed: first, second; 3 players",
        ),
        (&["match", "dark-hex-3x3", "auto", "auto", "--openings", "2"], "all would know that in which it began"),
        (&["game", "solve", "phantom-tic-tac-toe"], "hides its states"),
        (&["game", "solve", "three-throws"], "hides its states"),
    ] {
        let (code, _, errors) = run(".", args, "");
        assert!(code == 2 && errors.contains(reason), "{args:?}: {code} {errors}");
    }
}

/// Who plays by hand sees what the role sees, and the state at the end.
#[test]
fn by_hand_nothing_is_shown_that_is_hidden() {
    let args = ["play", "monty-hall", "--start-clock", "100ms", "--play-clock", "100ms"];
    let (code, output, errors) = run(".", &args, "facts\nhint\nchoose 1\nwhy (true (car 1))\nundo\nswitch\nfacts\n");
    assert_eq!((code, &*errors), (0, ""), "{output}");
    let (during, end) = output.split_once("candidate> switch\n").expect("the last choice");
    assert!(!during.contains("car") || during.matches("car").count() == 1, "{during}");
    assert_eq!(during.matches("the game hides its states").count(), 4, "{during}");
    assert!(
        during.contains("2. candidate (choose 1), and sees nothing\n3. candidate wait, and sees (open "),
        "{during}"
    );
    assert!(end.contains("(car ") && end.contains("over after 4 joint moves"), "{end}");
}

/// The messages of the GDL-II protocol: turn, own move, percepts. Percepts of no state do not end the match.
#[test]
fn players_behind_http_are_told_percepts() {
    let rules = fs::read_to_string("rules/games/monty-hall.kif").expect("the file is there");
    let lines = rules.lines().map(|line| line.split(';').next().unwrap_or_default());
    let rules = lines.collect::<Vec<_>>().join(" ");
    let server = Server::start(&[]);
    assert_eq!(server.ask(&format!("(START m candidate ({rules}) 1 1)")), "ready");
    assert_eq!(server.ask("(PLAY m 0 NIL NIL)"), "wait");
    let chosen = server.ask("(PLAY m 1 wait NIL)");
    assert!(chosen.starts_with("(choose "), "{chosen}");
    assert_eq!(server.ask(&format!("(PLAY m 2 {chosen} ())")), "wait");
    let opened = if chosen == "(choose 3)" { 1 } else { 3 };
    assert_eq!(server.ask(&format!("(PLAY m 3 wait ((open {opened})))")), "switch");
    assert_eq!(server.ask("(STOP m 4 switch NIL)"), "done");
    assert_eq!(server.ask(&format!("(START n candidate ({rules}) 1 1)")), "ready");
    server.ask("(PLAY n 0 NIL NIL)");
    let chosen = server.ask("(PLAY n 1 wait ((open 2)))");
    assert!(chosen.starts_with("(choose "), "{chosen}");
    let (_, refused) = server.refusal("(PLAY n (wait wait))");
    assert!(refused.contains("the game hides its states"), "{refused}");
    server.ask("(ABORT n)");
    // The manager's side, with chance as its own seat.
    let args = ["match", "monty-hall", &server.url, "--start-clock", "1s", "--play-clock", "1s", "--format", "json"];
    let (code, output, errors) = run(".", &args, "");
    assert_eq!((code, &*errors), (0, ""), "{output}");
    let record: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(record["playerNamesFromHost"][1], "random");
    assert_eq!(record["moves"][3][0], "switch", "{output}");
}

/// `sees` in both syntaxes, and what is said of it.
#[test]
fn rulesheets_say_what_is_seen() {
    let infix = "role(red). role(blue). init(step(1)). side(heads). side(tails).
        legal(red, show(S)) :- side(S). legal(blue, wait).
        next(step(2)) :- true(step(1)). sees(red, shown(S)) :- does(red, show(S)).
        terminal :- true(step(2)). goal(red, 100). goal(blue, 0).";
    let folder = tempfile::tempdir().expect("a folder");
    let check = |text: &str| {
        fs::write(folder.path().join("coin.dl"), text).expect("it is written");
        let output = binary::ludolog(folder.path(), &["check", "coin.dl"]).output().expect("it runs");
        String::from_utf8(output.stderr).expect("text")
    };
    let told = check(infix);
    assert!(told.contains("note[incomplete-game]: the role `blue` sees nothing but its own moves"), "{told}");
    assert!(
        !check(&infix.replace("sees(red, shown(S))", "sees(R, shown(S)) :- role(R) & does(red, show(S)). p(S)"))
            .contains("sees nothing")
    );
    let told = check(&infix.replace("sees(red, shown(S))", "sees(red, shown, S)"));
    assert!(!told.contains("misused-keyword"), "in GDL, `sees` is a relation as any other: {told}");
    let told = check(&infix.replace("sees(red, shown(S))", "sees(green, shown(S))"));
    assert!(told.contains("`green` is no role"), "{told}");
    let source = ludolog::syntax::parse_goal("sees(red, shown(S))", &mut Default::default(), Some(Syntax::Datalog));
    assert!(source.is_ok() && print_term(&term("(shown heads)"), Syntax::Datalog) == "shown(heads)");
}

/// A gamble of 0 or 100 that all see is worth 50, and staying safe 40. Who takes `random` for an opponent calls 40 proven.
#[test]
fn chance_is_no_opponent() {
    let rules = "role(solo). role(random). init(start).
        legal(solo, safe) :- true(start). legal(solo, gamble) :- true(start). legal(solo, noop) :- true(rolling).
        legal(random, noop) :- true(start). legal(random, lose) :- true(rolling). legal(random, win) :- true(rolling).
        next(won(40)) :- does(solo, safe). next(rolling) :- does(solo, gamble).
        next(won(0)) :- does(random, lose). next(won(100)) :- does(random, win).
        terminal :- true(won(X)). goal(solo, X) :- true(won(X)).
        goal(random, Y) :- true(won(X)) & Y is 100 - X.";
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("gamble.dl"), rules).expect("it is written");
    for command in
        ["game tree", "game solve", "game learn --time 1s", "match mcts", "match zermelo", "match alpha-beta"]
    {
        let mut args: Vec<&str> = command.split(' ').collect();
        let at = if args[0] == "match" { 1 } else { 2 };
        args.insert(at, "gamble.dl");
        let (status, _, told) = run(folder.path(), &args, "");
        assert!(status != 0 && ["random", "chance"].iter().any(|word| told.contains(word)), "{command}: {told}");
    }
    let clocks = ["match", "gamble.dl", "auto", "--start-clock", "1s", "--play-clock", "200ms", "--seed", "1"];
    let (status, printed, told) = run(folder.path(), &clocks, "");
    assert!(status == 0 && printed.contains("gamble"), "{printed}{told}");
}

/// Chance needs no goal, so that there is nothing to tell of it.
#[test]
fn playouts_tell_no_goal_of_chance() {
    let (code, told, errors) = binary::run(".", &["game", "playouts", "monty-hall", "--time", "200ms"], "");
    assert_eq!(code, 0, "{errors}");
    assert!(told.contains("candidate: goal ") && !told.contains("random"), "{told}");
}
