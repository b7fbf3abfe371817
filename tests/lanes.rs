//! States in lanes: playouts from given states, moves that are drawn by what they brought, decisive turns, states that are
//! stepped together.

use crate::propnet::net;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{Draw, Move, PlayoutEnd, PlayoutOutcome, Role, State, StateMachine};
use ludolog::propnet::{
    EndedPlayouts, Lanes, Lockstep, MoveFinder, MoveUse, NetMachine, PlayoutFeed, PlayoutPolicy, PlayoutStart,
    PlyGroup, SteppedStates,
};
use ludolog::syntax::ast::Term;
use std::collections::BTreeSet;
use std::slice;
use std::sync::Arc;

/// The lanes of a block of [`SteppedStates`].
const BLOCK: usize = 256;

fn machine(rules: &str) -> NetMachine {
    NetMachine::new(&Arc::new(net(rules)), Budget::unlimited())
}

/// Two take one or two things of three in turn; who takes the last has won.
const PILE: &str = "(role left) (role right) (init (pile 3)) (init (control left)) (other left right)
    (other right left) (minus 3 1 2) (minus 3 2 1) (minus 2 1 1) (minus 2 2 0) (minus 1 1 0)
    (<= (legal ?p (take ?k)) (true (control ?p)) (true (pile ?n)) (minus ?n ?k ?m))
    (<= (legal ?p wait) (true (control ?q)) (other ?p ?q))
    (<= (next (pile ?m)) (true (pile ?n)) (does ?p (take ?k)) (minus ?n ?k ?m))
    (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
    (<= terminal (true (pile 0)))
    (<= (goal ?p 100) (true (control ?q)) (other ?p ?q)) (<= (goal ?p 0) (true (control ?p)))";

/// All states with something in the pile, with the role that has the turn.
fn states(machine: &mut NetMachine) -> Vec<(State, usize)> {
    let mut states = vec![(machine.initial_state().clone(), 0)];
    let mut at = 0;
    while at < states.len() {
        let (state, role) = states[at].clone();
        at += 1;
        let legal = machine.all_legal_moves(slice::from_ref(&state)).expect("there is no limit").swap_remove(0);
        let mut joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
        for &made in &legal[role] {
            joint[role] = made;
            let next = machine.next_state(&state, &joint).expect("there is no limit");
            let is_over = machine.is_terminal(&next).expect("there is no limit");
            if !is_over && states.iter().all(|(known, _)| *known != next) {
                states.push((next, 1 - role));
            }
        }
    }
    states
}

/// Who makes the last move has won: the one who has the turn, if the moves are odd.
fn check(outcome: &PlayoutOutcome, role: usize) {
    assert_eq!(outcome.end, PlayoutEnd::Terminal);
    let winner = if outcome.steps % 2 == 1 { role } else { 1 - role };
    assert_eq!(outcome.goals, [0, 1].map(|role| Some(if role == winner { 100 } else { 0 })));
}

#[test]
fn playouts_begin_in_the_turn_of_either_role() {
    let mut machine = machine(PILE);
    let states = states(&mut machine);
    assert_eq!(states.len(), 4, "3, 2 and 1 after one move, 1 after two");
    let starts: Vec<State> = (0..1_000).map(|i| states[i % states.len()].0.clone()).collect();
    let played = machine.random_playouts(&starts, 10, 1).expect("there is no limit");
    let mut steps = [0; 4];
    for (i, outcome) in played.iter().enumerate() {
        check(outcome, states[i % states.len()].1);
        steps[outcome.steps] += 1;
    }
    // Of 3: a third move in a quarter of the playouts. Of 2: a second one in half.
    assert!(steps[1] > 500 && steps[2] > 200 && (30..100).contains(&steps[3]), "{steps:?}");
}

#[test]
fn lanes_know_whose_turn_it_is() {
    let mut machine = machine(PILE);
    let states = states(&mut machine);
    let unlimited = Budget::unlimited();
    let uses = MoveUse::default();
    let lanes = Lanes::for_states(machine.net(), PlayoutPolicy::Uniform, uses, &unlimited).expect("nothing stops it");
    let of_any =
        Lanes::for_any_states(machine.net(), PlayoutPolicy::Uniform, uses, &unlimited).expect("nothing stops it");
    assert_eq!((lanes.plies(), of_any.plies()), (2, 1));
    assert!(lanes.instructions() < of_any.instructions());
    let starts: Vec<State> = states.iter().map(|(state, _)| state.clone()).collect();
    let played = of_any.play_from::<1>(&starts, 10, 1, &unlimited).expect("there is no limit");
    played.iter().zip(&states).for_each(|(outcome, (_, role))| check(outcome, *role));
}

#[test]
fn a_feed_gets_each_playout_once_and_ends_them() {
    let mut machine = machine(PILE);
    let states = states(&mut machine);
    let stream = machine.playout_stream();
    let mut given = 0;
    let mut ended = vec![0; 2_000];
    // Of each state another number of playouts.
    let playouts = |number: usize| 1 + number % 5;
    let root = machine.initial_state().clone();
    stream
        .run(&root, 10, 1, &Budget::unlimited(), &mut |done, free, starts| {
            for playout in done.iter() {
                check(&playout.outcome(), states[playout.number % states.len()].1);
                ended[playout.number] += 1;
            }
            let more = given..(given + free / 3).min(ended.len());
            given = more.end;
            let state = |number: usize| states[number % states.len()].0.clone();
            let start = |number| PlayoutStart { number, state: state(number), playouts: playouts(number) };
            starts.extend(more.map(start));
            true
        })
        .expect("there is no limit");
    assert!((0..).zip(&ended).all(|(number, &times)| times == playouts(number)));
    let mut calls = 0;
    let mut once = |_: &EndedPlayouts, _: usize, starts: &mut Vec<PlayoutStart>| {
        calls += 1;
        starts.push(PlayoutStart { number: 0, state: root.clone(), playouts: 1 });
        calls < 3
    };
    stream.run(&root, 10, 1, &Budget::unlimited(), &mut once).expect("there is no limit");
    assert_eq!(calls, 3);
}

/// Two make a number grow in turns of two moves: who has the turn adds one or two, and doubles the sum or keeps it. Who comes
/// to eight has won; beyond eight nobody has.
fn eight() -> String {
    let plus: String = (0..8).flat_map(|n| [1, 2].map(|k| format!("(plus {n} {k} {}) ", n + k))).collect();
    let twice: String = (1..10).map(|n| format!("(twice {n} {}) ", 2 * n)).collect();
    let large: String = (8..19).map(|n| format!("(large {n}) ")).collect();
    format!(
        "(role left) (role right) (other left right) (other right left) {plus} {twice} {large}
         (init (number 0)) (init (adds left))
         (<= (legal ?p (add ?k)) (true (adds ?p)) (true (number ?n)) (plus ?n ?k ?m))
         (<= (legal ?p double) (true (doubles ?p))) (<= (legal ?p keep) (true (doubles ?p)))
         (<= (legal ?q wait) (true (adds ?p)) (other ?p ?q)) (<= (legal ?q wait) (true (doubles ?p)) (other ?p ?q))
         (<= (next (number ?m)) (does ?p (add ?k)) (true (number ?n)) (plus ?n ?k ?m))
         (<= (next (number ?m)) (does ?p double) (true (number ?n)) (twice ?n ?m))
         (<= (next (number ?n)) (does ?p keep) (true (number ?n)))
         (<= (next (doubles ?p)) (true (adds ?p))) (<= (next (adds ?q)) (true (doubles ?p)) (other ?p ?q))
         (<= over (true (number ?n)) (large ?n)) (<= terminal over (true (adds ?p))) (<= won (true (number 8)))
         (<= (goal ?p 100) won (true (adds ?q)) (other ?p ?q)) (<= (goal ?q 0) won (true (adds ?q)))
         (<= (goal ?p 50) (role ?p) (not won))"
    )
}

/// All states that are not terminal, as their facts, with the role that wins by a decisive turn of at most so many moves.
fn decisive_turns(rules: &str, moves: usize) -> Vec<(String, Option<usize>)> {
    let mut machine = machine(rules);
    machine.find_decisive_turns(&Budget::unlimited()).expect("there is no limit");
    let mut states = vec![machine.initial_state().clone()];
    let mut counts = Vec::new();
    while let Some(state) = states.get(counts.len()).cloned() {
        let legal = machine.all_legal_moves(slice::from_ref(&state)).expect("there is no limit").swap_remove(0);
        counts.push(legal.iter().map(Vec::len).max().unwrap_or(0));
        let joints = legal[0].iter().flat_map(|&left| legal[1].iter().map(move |&right| [left, right]));
        for joint in joints {
            let next = machine.next_state(&state, &joint).expect("there is no limit");
            if !machine.is_terminal(&next).expect("there is no limit") && !states.contains(&next) {
                states.push(next);
            }
        }
    }
    let asked: Vec<(&State, usize)> = states.iter().zip(counts).collect();
    let stream = machine.playout_stream();
    let mut turns = stream.decisive_turns(1).expect("whose turn it is is known");
    assert_eq!(turns.moves(), moves);
    let found = turns.find(&asked);
    let winner = |goals: &[Option<i64>]| match goals {
        [Some(100), Some(0)] => 0,
        [Some(0), Some(100)] => 1,
        _ => panic!("nobody wins: {goals:?}"),
    };
    let text = |state: &State| machine.facts(state).iter().map(Term::to_string).collect::<Vec<_>>().join(" ");
    let of = |place: usize| found.iter().find(|(found, _)| *found == place).map(|(_, goals)| winner(goals));
    states.iter().enumerate().map(|(place, state)| (text(state), of(place))).collect()
}

#[test]
fn turns_of_one_move_and_of_two_are_decisive() {
    // Who takes the last things has won: of two by taking both.
    let piles = ["control(left) pile(1)", "control(right) pile(1)", "control(right) pile(2)"];
    // Eight is what six and seven come to, and twice what two and three do.
    let eights = [2, 3, 6, 7].map(|n| format!("number({n})"));
    let halves = [4, 8].map(|n| format!("number({n})"));
    let comes_to_eight = |text: &str| {
        let (turn, number) = text.split_once(' ').expect("two facts");
        let winning = if turn.starts_with("adds") { &eights[..] } else { &halves[..] };
        winning.iter().any(|winning| winning == number)
    };
    let takes_all = |text: &str| piles.contains(&text);
    let games = [(PILE, 1, &takes_all as &dyn Fn(&str) -> bool, 4), (&eight(), 2, &comes_to_eight, 31)];
    for (rules, moves, is_won, count) in games {
        let found = decisive_turns(rules, moves);
        assert_eq!(found.len(), count);
        for (text, winner) in found {
            let mover = usize::from(text.contains("right"));
            assert_eq!(winner, is_won(&text).then_some(mover), "{text}");
        }
    }
}

#[test]
fn questions_that_find_nothing_are_followed_by_a_pause() {
    let mut machine = machine(PILE);
    machine.find_decisive_turns(&Budget::unlimited()).expect("there is no limit");
    let states = states(&mut machine);
    let stream = machine.playout_stream();
    let mut turns = stream.decisive_turns(1).expect("whose turn it is is known");
    let mut find = |place: usize| turns.find(&[(&states[place].0, 2)]).len();
    // The first state has three in the pile, the next one two or one.
    assert_eq!([0, 1, 1, 0, 1, 1].map(&mut find), [0, 0, 1, 0, 0, 1]);
}

/// Two take twelve things in turn; who has taken the first of them has won.
fn things() -> String {
    let things: String = (1..=12).map(|thing| format!("(thing {thing}) ")).collect();
    format!(
        "(role left) (role right) (init (control left)) (other left right) (other right left) {things}
         (<= (legal ?p (take ?t)) (true (control ?p)) (thing ?t) (not (taken ?t)))
         (<= (taken ?t) (true (has ?p ?t)))
         (<= (legal ?q wait) (true (control ?p)) (other ?p ?q))
         (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))
         (<= (next (has ?p ?t)) (does ?p (take ?t))) (<= (next (has ?p ?t)) (true (has ?p ?t)))
         (<= open (thing ?t) (not (taken ?t))) (<= terminal (not open))
         (<= (goal ?p 100) (true (has ?p 1))) (<= (goal ?q 0) (true (has ?p 1)) (other ?p ?q))"
    )
}

/// The share of so many playouts from the first state that the first role wins. All moves are told, each once.
fn share_of_wins(uses: MoveUse, playouts: usize) -> f64 {
    let mut machine = machine(&things());
    machine.use_moves(uses, &Budget::unlimited()).expect("there is no limit");
    let root = machine.initial_state().clone();
    let mut given = 0;
    let mut wins = 0;
    let feed: &mut PlayoutFeed = &mut |done, free, starts| {
        for playout in done.iter() {
            wins += usize::from(playout.goals[0] == Some(100));
            let taken: BTreeSet<&Term> = playout.moves.iter().map(|&made| machine.move_term(made)).collect();
            assert_eq!((playout.steps, taken.len()), (12, 12));
        }
        let more = free.min(playouts - given);
        given += more;
        starts.extend((more > 0).then(|| PlayoutStart { number: 0, state: root.clone(), playouts: more }));
        true
    };
    machine.playout_stream().run(&root, 20, 1, &Budget::unlimited(), feed).expect("there is no limit");
    wins as f64 / playouts as f64
}

#[test]
fn moves_that_bring_more_are_made_more_often() {
    let told = MoveUse { told: true, guiding: false };
    let uniform = share_of_wins(told, 20_000);
    assert!((uniform - 0.5).abs() < 0.02, "each takes half of the things: {uniform}");
    // The first thing is among the best two and the better six of both roles, whose other ones are any. A program that draws from
    // the best in a quarter of the turns, from the better in another, and else from all, lets the first role win 0.562 of 200,000.
    let guided = share_of_wins(MoveUse { guiding: true, ..told }, 20_000);
    assert!((guided - 0.562).abs() < 0.012, "{guided}");
}

/// Two roles in turn take one or two stones of a heap.
const HEAP: &str = "
    (role left) (role right) (init (heap 9)) (init (control left))
    (minus 9 1 8) (minus 8 1 7) (minus 7 1 6) (minus 6 1 5) (minus 5 1 4) (minus 4 1 3) (minus 3 1 2) (minus 2 1 1) (minus 1 1 0)
    (minus 9 2 7) (minus 8 2 6) (minus 7 2 5) (minus 6 2 4) (minus 5 2 3) (minus 4 2 2) (minus 3 2 1) (minus 2 2 0)
    (other left right) (other right left)
    (<= (legal ?r (take ?n)) (true (control ?r)) (true (heap ?h)) (minus ?h ?n ?rest))
    (<= (legal ?r wait) (true (control ?o)) (other ?o ?r))
    (<= (next (heap ?rest)) (does ?r (take ?n)) (true (heap ?h)) (minus ?h ?n ?rest))
    (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 0) (true (control ?r))) (<= (goal ?r 100) (true (control ?o)) (other ?o ?r))";

/// Three roles say yes or no, one after the other; the last has no choice.
const ROUND: &str = "
    (role a) (role b) (role c) (init (step 1)) (next-of 1 2) (next-of 2 3) (next-of 3 4) (turn a 1) (turn b 2) (turn c 3)
    (<= (legal ?r (say yes)) (turn ?r ?n) (true (step ?n)))
    (<= (legal ?r (say no)) (turn ?r ?n) (true (step ?n)) (distinct ?r c))
    (<= (legal ?r noop) (role ?r) (turn ?r ?n) (not (true (step ?n))))
    (<= (next (step ?n)) (true (step ?m)) (next-of ?m ?n))
    (<= terminal (true (step 4))) (<= (goal ?r 100) (role ?r))";

#[test]
fn turns_of_three_roles() {
    let mut stepped = machine(ROUND).stepped_states(1);
    for turn in (0..3).map(Role) {
        assert_eq!(stepped.turn(0), Some(turn));
        let joint = (0..3).map(Role).map(|role| {
            let idle = stepped.idle(0, role);
            assert_eq!(idle.is_none(), role == turn);
            idle.or_else(|| stepped.moves(role).rfind(|&made| stepped.is_legal(0, role, made))).unwrap()
        });
        stepped.step(&joint.collect::<Vec<_>>(), 1);
    }
    assert!(stepped.is_terminal(0));
}

#[test]
fn lanes_are_states_that_are_stepped_alone() {
    let mut machine = machine(HEAP);
    let lanes = 2 * BLOCK + 3;
    let mut stepped = machine.stepped_states(lanes);
    let mut states = vec![machine.initial_state().clone(); lanes];
    let mut draw = Draw::new(1);
    for _ in 0..9 {
        let mut joint = Vec::new();
        for (lane, state) in states.iter_mut().enumerate() {
            assert_eq!(&stepped.state(lane), state);
            assert_eq!(stepped.is_terminal(lane), machine.is_terminal(state).unwrap());
            let goals = [Role(0), Role(1)].map(|role| machine.goal(state, role).unwrap());
            assert_eq!(stepped.goals(lane).collect::<Vec<_>>(), goals);
            if stepped.is_terminal(lane) {
                joint.extend([SteppedStates::STAY; 2]);
                continue;
            }
            let mut made = Vec::new();
            for role in [Role(0), Role(1)] {
                let legal = machine.legal_moves(state, role).unwrap();
                let told: Vec<Move> = stepped.moves(role).filter(|&made| stepped.is_legal(lane, role, made)).collect();
                assert_eq!(told, legal);
                assert_eq!(stepped.idle(lane, role).is_none(), stepped.turn(lane) == Some(role));
                made.push(legal[draw.below(legal.len())]);
            }
            *state = machine.next_state(state, &made).unwrap();
            joint.extend(made);
        }
        stepped.step(&joint, 2);
    }
    let taken: Vec<usize> = (0..lanes).rev().chain([0, 0]).collect();
    let copies = stepped.take(&taken);
    assert_eq!(copies.lanes(), lanes + 2);
    assert!(
        taken
            .iter()
            .enumerate()
            .all(|(lane, &of)| copies.state(lane) == states[of] && copies.row(lane) == stepped.row(of))
    );
    stepped.restart([1, BLOCK]);
    assert_eq!(stepped.state(BLOCK), *machine.initial_state());
    assert!((0..lanes).all(|lane| stepped.is_terminal(lane) != [1, BLOCK].contains(&lane)));
}

/// Two mark one place each at once; who has marked the first two wins. `rule` says what a mark needs.
fn marks(rule: &str) -> NetMachine {
    machine(&format!(
        "(role left) (role right) (other left right) (other right left) (init go) (base go) (next go)
         (place 1) (place 2) (place 3) (place 4) (place 5) (place 6)
         (<= (base (marked ?r ?n)) (role ?r) (place ?n)) (<= (input ?r (mark ?n)) (role ?r) (place ?n))
         (<= (legal ?r (mark ?n)) (role ?r) (place ?n)) (<= (next (marked ?r ?n)) (true (marked ?r ?n)))
         (<= (next (marked ?r ?n)) (does ?r (mark ?n)) {rule})
         (<= (won ?r) (true (marked ?r 1)) (true (marked ?r 2))) (<= terminal (won ?r))
         (<= (goal ?r 100) (won ?r)) (<= (goal ?r 0) (role ?r) (not (won ?r)))"
    ))
}

#[test]
fn roles_that_act_apart_see_ends_where_they_choose_at_once() {
    let mut machine = marks("");
    machine.set_playout_policy(PlayoutPolicy::Cautious);
    let first = machine.initial_state().clone();
    let legal = machine.all_legal_moves(slice::from_ref(&first)).expect("nothing stops it").swap_remove(0);
    let joint: Vec<Move> = legal.iter().map(|moves| moves[0]).collect();
    let both = machine.next_state(&first, &joint).expect("nothing stops it");
    let played = machine.random_playouts(&vec![both; 64], 100, 1).expect("it looks ahead");
    assert!(played.iter().all(|outcome| outcome.steps == 1 && outcome.goals == [Some(100), Some(100)]));
}

#[test]
fn roles_that_act_together_see_nothing() {
    let machine = marks("(other ?r ?q) (not (does ?q (mark ?n)))");
    let cost = machine.playout_cost(PlayoutPolicy::Cautious, &Budget::unlimited());
    assert!(matches!(cost, Err(Stopped::Unsupported(_))), "{cost:?}");
}

/// Two players add a stone to a heap of their own, or wait; who first has four has won.
const RACE: &str = "(role left) (role right) (init (heap left 0)) (init (heap right 0)) (init (turn left))
    (more 0 1) (more 1 2) (more 2 3) (more 3 4) (legal left add) (legal left wait)
    (<= (legal right add) (true (turn right))) (<= (legal right wait) (not (true (turn right)))) (legal right rest)
    (<= (next (turn right)) (true (turn left))) (<= (next (turn left)) (true (turn right)))
    (<= (adds ?p) (does ?p add))
    (<= (next (heap ?p ?m)) (true (heap ?p ?n)) (adds ?p) (more ?n ?m))
    (<= (next (heap ?p ?n)) (true (heap ?p ?n)) (not (adds ?p)))
    (<= terminal (true (heap ?p 4)))
    (<= (goal ?p 100) (true (heap ?p 4))) (<= (goal ?p 0) (role ?p) (not (true (heap ?p 4))))";

/// A rule of the race, and what takes its place in the race that lanes play.
const FAULTS: [(&str, &str); 7] = [
    ("(role left)", "(role left)"),
    ("(<= terminal (true (heap ?p 4)))", "(<= terminal (true (heap ?p 3)))"),
    ("(next (turn right)) (true (turn left))", "(next (turn left)) (true (turn left))"),
    ("(init (turn left))", "(init (turn right))"),
    (
        "(<= (goal ?p 100) (true (heap ?p 4)))",
        "(<= (goal left 90) (true (heap left 4))) (<= (goal right 100) (true (heap right 4)))",
    ),
    ("(legal right add) (true (turn right))", "(legal right add) (not (true (turn right)))"),
    ("(<= (adds ?p) (does ?p add))", "(<= (adds left) (does right add)) (<= (adds right) (does left add))"),
];

/// Whatever lanes do that the rules do not say is seen, and nothing else.
#[test]
fn lanes_that_play_by_other_rules_are_seen() {
    let told = Arc::new(net(RACE));
    for (rule, other) in FAULTS {
        let played = Arc::new(net(&RACE.replace(rule, other)));
        for mode in PlyGroup::ALL {
            let budget = Budget::unlimited();
            let lanes = Lanes::new(&played, mode, PlayoutPolicy::Uniform, &budget).expect("there is no limit");
            let machine = NetMachine::new(&told, budget.clone());
            let mut lockstep = Lockstep::new(vec![("net", Box::new(machine))]);
            let watched = lanes.watch::<4>(&MoveFinder::new(&played), &[5, 250], 3, 100, &budget);
            let parts = watched
                .iter()
                .any(|states| lockstep.replay("lanes", &played, states, &budget).expect("there is no limit").is_some());
            assert_eq!(parts, rule != other, "{mode:?}: {other}");
        }
    }
}
