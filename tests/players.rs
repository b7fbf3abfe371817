//! Players: exact values against theorems, searches against labelled trees, matches against their rules.

use crate::binary::ludolog;
use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::{Draw, PlayoutEnd, Role, State, StateMachine, StateMachineExt, canonical};
use ludolog::player::alpha_beta;
use ludolog::player::matches::{SeatFault, Thought, ToldMove};
use ludolog::player::mcts;
use ludolog::player::registry::UnknownPlayer;
use ludolog::player::zermelo::NoTree;
use ludolog::player::{
    AlphaBeta, Clocks, Game, GameReasoner, GameTree, Local, Match, MatchRecord, Mcts, OnePlayer, Options, PLAYERS,
    Player, PlayerKind, Seat,
};
use ludolog::syntax::ast::Term;
use ludolog::syntax::budget::ThreadClock;
use ludolog::syntax::{self, Syntax};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const TIC_TAC_TOE: &str = include_str!("../rules/games/tic-tac-toe.kif");
/// The rules of Nim with the heaps of `rules/games/nim.kif`.
pub const NIM: &str = concat!(
    include_str!("../rules/lib/nim.kif"),
    "(after 0 1) (after 1 2) (after 2 3) (after 3 4) (after 4 5) (heap small 1) (heap middle 3) (heap large 5)"
);
const CONNECT_FOUR: &str = concat!(include_str!("../rules/lib/connect-four.kif"), "(width 7) (height 6)");
const HEX: &str = concat!(
    include_str!("../rules/lib/hex.kif"),
    include_str!("../rules/lib/hex-reachability.kif"),
    "(columns 3) (rows 3)"
);

/// Players keep the clock of their thread on a busy machine, too.
fn clocked(time: Duration) -> Budget {
    Budget::unlimited().with_clock(Arc::new(ThreadClock)).with_time(time)
}

fn ample() -> Budget {
    clocked(Duration::from_secs(60))
}

fn rules(rulesheet: &str) -> GameReasoner {
    let mut sources = Sources::new();
    let source = sources.add("test.kif", rulesheet);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    let program = analysis::analyze(&program).expect("the rulesheet is sound").stratified;
    GameReasoner::new(&program, &ample()).expect("nothing stops it")
}

fn game(rulesheet: &str) -> Game {
    rules(rulesheet).game(&ample()).expect("the rulesheet is a game")
}

fn tree(game: &mut Game) -> GameTree {
    let initial = game.machine().initial_state().clone();
    GameTree::new(game.machine(), &initial, 1_000_000, &ample()).expect("the game is small")
}

/// Hex on a board of two by two.
fn hex_2x2() -> String {
    HEX.replace("(columns 3) (rows 3)", "(columns 2) (rows 2)")
}

/// Some states that random play comes to, with no end among them.
fn states(machine: &mut dyn StateMachine, count: usize, seed: u64) -> Vec<State> {
    let initial = machine.initial_state().clone();
    let mut draw = Draw::new(seed);
    let mut states = Vec::new();
    while states.len() < count {
        let steps = draw.below(8);
        let played = machine.playout(&initial, steps, |_, moves| moves[draw.below(moves.len())]).expect("no limit");
        if played.end == PlayoutEnd::MaxSteps {
            states.push(played.state);
        }
    }
    states
}

#[test]
fn tic_tac_toe_is_a_draw_and_has_as_many_states_as_known() {
    let tree = tree(&mut game(TIC_TAC_TOE));
    assert_eq!(tree.len(), 5478);
    assert_eq!(tree.at(0).goals, [50, 50]);
    assert_eq!(tree.at(0).steps, 9);
}

/// The first player wins, since the second one could not profit from a further stone (Nash).
#[test]
fn who_begins_wins_hex() {
    for rulesheet in [HEX.to_owned(), hex_2x2()] {
        let tree = tree(&mut game(&rulesheet));
        assert_eq!(tree.at(0).goals, [100, 0]);
    }
}

/// Who is to move loses exactly if the heaps cancel out in binary (Bouton).
#[test]
fn nim_is_as_bouton_says() {
    let mut game = game(NIM);
    let tree = tree(&mut game);
    for number in 0..tree.len() {
        let facts: Vec<String> = game.machine().facts(tree.state(number)).iter().map(canonical::text).collect();
        let sizes = facts.iter().filter(|fact| fact.starts_with("(size "));
        let size = |fact: &String| fact[..fact.len() - 1].rsplit(' ').next().and_then(|size| size.parse::<u32>().ok());
        let sum = sizes.fold(0, |sum, fact| sum ^ size(fact).expect("a size is a number"));
        let first = facts.iter().any(|fact| fact == "(turn first)");
        let first_wins = (sum != 0) == first;
        assert_eq!(tree.at(number).goals[0], if first_wins { 100 } else { 0 }, "{facts:?}");
    }
}

#[test]
fn no_tree_where_roles_choose_at_once_or_states_come_again() {
    let no_tree = |rulesheet: &str, most: usize| {
        let mut game = game(rulesheet);
        let initial = game.machine().initial_state().clone();
        GameTree::new(game.machine(), &initial, most, &ample()).expect_err("there is none")
    };
    assert!(matches!(no_tree(DILEMMA, 100), NoTree::Simultaneous));
    let to_and_fro = "(role walker) (init (at left)) (legal walker go)
        (<= (next (at right)) (true (at left))) (<= (next (at left)) (true (at right)))
        (<= terminal (true (at middle))) (<= (goal walker 100) (true (at middle)))";
    assert!(matches!(no_tree(to_and_fro, 100), NoTree::Cyclic));
    assert!(matches!(no_tree(TIC_TAC_TOE, 100), NoTree::TooManyStates(100)));
}

/// Alpha-beta and tree search, when they prove a value, prove that of the labelled tree; and they do prove it.
#[test]
fn searches_prove_what_the_tree_says() {
    for (rulesheet, seed) in [(TIC_TAC_TOE, 1), (NIM, 2), (HEX, 3)] {
        let rules = rules(rulesheet);
        let mut game = rules.game(&ample()).expect("a game");
        let tree = tree(&mut game);
        for (number, state) in states(game.machine(), 12, seed).iter().enumerate() {
            let role = Role(number as u32 % 2);
            let expected = tree.get(state).expect("the state can be reached").goals[role.0 as usize] as f64;
            let facts = game.machine().facts(state);
            let other = || {
                let mut game = rules.game(&ample()).expect("a game");
                let state = game.machine().state_of(facts.clone()).expect("the state can be reached");
                (game, state)
            };
            let (machines, state) = other();
            let settings = alpha_beta::AlphaBetaSettings { memory: 1 << 22, ..Default::default() };
            let report = AlphaBeta::new(machines, role, settings).search(&state, &ample()).expect("nothing stops it");
            assert_eq!((report.value, report.proven), (Some(expected), true), "alpha-beta");
            let (machines, state) = other();
            let settings =
                mcts::SearchSettings { decisive: Some(1), simulations: Some(300_000), seed, ..Default::default() };
            let mut player = Mcts::new(machines, role, settings);
            // Half of the searches find turns that end the game won beforehand.
            if number % 2 == 0 {
                player.prepare(&ample());
            }
            let report = player.search(&state, &ample()).expect("nothing stops it");
            assert_eq!((report.value, report.proven), (Some(expected), true), "mcts");
        }
    }
}

/// That a turn ends the game won is known of a state before its moves are in the tree; it is made there all the same.
#[test]
fn the_turn_that_ends_the_game_is_made() {
    let rules = rules(TIC_TAC_TOE);
    let mut players = [Role(0), Role(1)].map(|role| {
        let settings = mcts::SearchSettings { decisive: Some(1), simulations: Some(1_000), ..Default::default() };
        let mut player = Mcts::new(rules.game(&ample()).expect("a game"), role, settings);
        player.prepare(&ample());
        player
    });
    let mut game = rules.game(&ample()).expect("a game");
    let machine = game.machine();
    let mut wins = 0;
    for mut state in states(machine, 30, 5) {
        while !machine.is_terminal(&state).expect("no limit") {
            let legal = machine.all_legal_moves(std::slice::from_ref(&state)).expect("no limit").swap_remove(0);
            let mover = usize::from(legal[1].len() > 1);
            let made = players[mover].play(&state, &ample()).expect("nothing stops it").made;
            let mut after = |made| {
                let joint = [0, 1].map(|role| if role == mover { made } else { legal[role][0] });
                let next = machine.next_state(&state, &joint).expect("no limit");
                let goal = machine.goal(&next, Role(mover as u32)).expect("no limit");
                let is_over = machine.is_terminal(&next).expect("no limit");
                (is_over && goal == Some(100), next)
            };
            let can_win = legal[mover].iter().any(|&made| after(made).0);
            let (has_won, next) = after(made);
            assert_eq!(has_won, can_win);
            wins += usize::from(has_won);
            state = next;
        }
    }
    assert!(wins > 5, "{wins}");
}

/// The same seed makes the same search when the clock has no part in it.
#[test]
fn searches_repeat_by_seed() {
    let search = |seed| {
        let settings = mcts::SearchSettings { simulations: Some(2_000), seed, ..Default::default() };
        let mut player = Mcts::new(game(HEX), Role(0), settings);
        let state = player.machine().initial_state().clone();
        let report = player.search(&state, &Budget::unlimited()).expect("nothing stops it");
        (report.playouts, report.nodes, report.depth, report.line, report.value)
    };
    assert_eq!(search(1), search(1));
    assert_ne!(search(1), search(2));
}

/// With little memory players know less, and play on.
#[test]
fn trees_and_tables_stay_within_memory() {
    let settings = mcts::SearchSettings { memory: 100_000, simulations: Some(20_000), ..Default::default() };
    let mut player = Mcts::new(game(TIC_TAC_TOE), Role(0), settings);
    let state = player.machine().initial_state().clone();
    let report = player.search(&state, &Budget::unlimited()).expect("nothing stops it");
    assert!((100..1_000).contains(&report.nodes), "a node takes 100 bytes or more: {}", report.nodes);
    let settings = alpha_beta::AlphaBetaSettings { memory: 1_000, ..Default::default() };
    let report =
        AlphaBeta::new(game(NIM), Role(0), settings).search(&game(NIM).machine().initial_state().clone(), &ample());
    let report = report.expect("nothing stops it");
    assert_eq!((report.value, report.proven), (Some(100.0), true));
}

/// A tree that has used up its memory in the start clock, as it does in half a minute, grows again as soon as moves are made: what
/// they leave behind is freed within few simulations.
#[test]
fn a_tree_that_was_full_grows_again() {
    let settings = mcts::SearchSettings { memory: 8 << 20, simulations: Some(2_000), ..Default::default() };
    let mut player = Mcts::new(game(CONNECT_FOUR), Role(0), settings);
    let mut state = player.machine().initial_state().clone();
    let mut line = Vec::new();
    let mut nodes = 0;
    // A search from the same state goes on.
    for _ in 0..60 {
        let report = player.search(&state, &Budget::unlimited()).expect("nothing stops it");
        (line, nodes) = (report.line, report.nodes);
    }
    assert!(nodes < 200, "the tree is full: {nodes} nodes");
    for _ in 0..4 {
        state = player.machine().next_state(&state, &line[0]).expect("nothing stops it");
        let report = player.search(&state, &Budget::unlimited()).expect("nothing stops it");
        (line, nodes) = (report.line, report.nodes);
        assert!(nodes > 500, "{nodes} nodes of 2,000 simulations");
    }
}

/// Without any memory the moves of the root are still weighed.
#[test]
fn a_root_has_moves_without_memory() {
    let settings = mcts::SearchSettings { memory: 1, simulations: Some(2_000), ..Default::default() };
    let mut player = Mcts::new(game(TIC_TAC_TOE), Role(0), settings);
    let state = player.machine().initial_state().clone();
    let choice = player.play(&state, &Budget::unlimited()).expect("nothing stops it");
    assert_eq!(player.machine().move_term(choice.made).to_string(), "put(2, 2)");
}

/// Players on several threads find what one finds.
#[test]
fn threads_share_a_tree() {
    let settings = mcts::SearchSettings { threads: 3, simulations: Some(100_000), ..Default::default() };
    let mut player = Mcts::new(game(TIC_TAC_TOE), Role(0), settings);
    let state = player.machine().initial_state().clone();
    let report = player.search(&state, &Budget::unlimited()).expect("nothing stops it");
    assert_eq!((report.value, report.proven), (Some(50.0), true));
}

/// Two prisoners: whoever talks gets more, whatever the other one does.
const DILEMMA: &str = "(role left) (role right) (init start)
    (legal left talk) (legal left hush) (legal right talk) (legal right hush)
    (<= (next (said ?p ?m)) (does ?p ?m))
    (<= terminal (true (said left ?m)))
    (<= (goal left 25) (true (said left talk)) (true (said right talk)))
    (<= (goal left 100) (true (said left talk)) (true (said right hush)))
    (<= (goal left 0) (true (said left hush)) (true (said right talk)))
    (<= (goal left 75) (true (said left hush)) (true (said right hush)))
    (<= (goal right 25) (true (said left talk)) (true (said right talk)))
    (<= (goal right 0) (true (said left talk)) (true (said right hush)))
    (<= (goal right 100) (true (said left hush)) (true (said right talk)))
    (<= (goal right 75) (true (said left hush)) (true (said right hush)))";

#[test]
fn simultaneous_choices_are_made_each_by_itself() {
    let settings = mcts::SearchSettings { simulations: Some(2_000), ..Default::default() };
    for role in [Role(0), Role(1)] {
        let mut player = Mcts::new(game(DILEMMA), role, settings.clone());
        let state = player.machine().initial_state().clone();
        let made = player.play(&state, &Budget::unlimited()).expect("nothing stops it").made;
        assert_eq!(canonical::text(player.machine().move_term(made)), "talk");
    }
}

/// Walks of eight steps on random graphs, each end with a goal of its own.
fn walk(seed: u64) -> String {
    let mut draw = Draw::new(seed);
    let mut rules = String::from("(role walker) (init (at 0)) (init (step 0))\n");
    for step in 0..8 {
        rules += &format!("(after {step} {})\n", step + 1);
    }
    for place in 0..30 {
        for _ in 0..1 + draw.below(3) {
            rules += &format!("(way {place} {})\n", draw.below(30));
        }
        rules += &format!("(worth {place} {})\n", draw.below(100));
    }
    rules
        + "(<= (legal walker (go ?b)) (true (at ?a)) (way ?a ?b))
        (<= (next (at ?b)) (does walker (go ?b)))
        (<= (next (step ?m)) (true (step ?n)) (after ?n ?m))
        (<= terminal (true (step 8)))
        (<= (goal walker ?v) (true (at ?a)) (worth ?a ?v))"
}

#[test]
fn one_player_finds_the_best_of_all_lines() {
    for seed in 1..=10 {
        let rules = rules(&walk(seed));
        let mut game = rules.game(&ample()).expect("a game");
        let best = tree(&mut game).at(0).goals[0];
        let state = game.machine().initial_state().clone();
        let mut player = OnePlayer::new(game, 1 << 26, seed);
        let report = player.search(&state, &ample()).expect("nothing stops it");
        assert_eq!((player.goal(), report.proven), (Some(best), true), "walk {seed}");
        let machine = player.machine();
        let end = report.line.iter().fold(state, |state, joint| machine.next_state(&state, joint).expect("no limit"));
        assert_eq!(machine.goal(&end, Role(0)), Ok(Some(best)), "the line leads there");
    }
}

/// Ten queens that attack each other nowhere, placed anywhere one by one: 100 squares at each step, of which most are attacked.
#[test]
fn one_player_places_queens() {
    let side = 10i64;
    let squares: Vec<[i64; 2]> = (0..side * side).map(|i| [i / side, i % side]).collect();
    let attack = |a: [i64; 2], b: [i64; 2]| {
        let [rows, columns] = [a[0] - b[0], a[1] - b[1]];
        a != b && (rows == 0 || columns == 0 || rows.abs() == columns.abs())
    };
    let name = |[row, column]: [i64; 2]| format!("s{row}{column}");
    let pairs = squares.iter().flat_map(|&a| squares.iter().map(move |&b| (a, b))).filter(|&(a, b)| attack(a, b));
    let pairs: String = pairs.map(|(a, b)| format!("(attack {} {}) ", name(a), name(b))).collect();
    let board: String = squares.iter().map(|&at| format!("(square {}) ", name(at))).collect();
    let after: String = (0..side).map(|n| format!("(after {n} {}) ", n + 1)).collect();
    let rules = rules(&format!(
        "(role placer) {board} {pairs} {after} (init (queens 0))
         (<= (legal placer (put ?s)) (square ?s) (not (true (queen ?s))))
         (<= (next (queen ?s)) (does placer (put ?s))) (<= (next (queen ?s)) (true (queen ?s)))
         (<= (next (queens ?m)) (true (queens ?n)) (after ?n ?m)) (<= terminal (true (queens {side})))
         (<= clash (attack ?a ?b) (true (queen ?a)) (true (queen ?b)))
         (<= (goal placer 100) (not clash)) (<= (goal placer 0) clash)"
    ));
    let game = rules.game(&ample()).expect("a game");
    let mut player = OnePlayer::new(game, 1 << 28, 1);
    let machine = player.machine();
    let state = machine.initial_state().clone();
    let report = player.search(&state, &ample()).expect("nothing stops it");
    assert_eq!((player.goal(), report.line.len()), (Some(100), 10));
    let machine = player.machine();
    let term = |joint: &[ludolog::game::Move]| machine.move_term(joint[0]).to_string();
    let placed: Vec<String> = report.line.iter().map(|joint| term(joint)).collect();
    let placed: Vec<[i64; 2]> =
        squares.into_iter().filter(|&at| placed.contains(&format!("put({})", name(at)))).collect();
    assert_eq!(placed.len(), 10);
    assert!(placed.iter().all(|&a| placed.iter().all(|&b| !attack(a, b))), "{placed:?}");
}

fn kind(name: &str) -> PlayerKind {
    name.parse().expect("there is such a player")
}

fn played(rules: &GameReasoner, seats: Vec<Box<dyn Seat>>, clock: Duration, seed: u64) -> MatchRecord {
    played_by(&clocked(Duration::MAX), rules, seats, clock, seed)
}

fn played_by(
    budget: &Budget,
    rules: &GameReasoner,
    mut seats: Vec<Box<dyn Seat>>,
    clock: Duration,
    seed: u64,
) -> MatchRecord {
    let mut referee = rules.game(&ample()).expect("a game");
    let clocks = Clocks { start: clock, play: clock };
    let game = Match { game: &mut referee, seats: &mut seats, clocks, max_steps: 200, seed };
    game.play(budget, |_| {}).expect("the referee has no limit")
}

fn seats(rules: &GameReasoner, names: &[&str], seed: u64) -> Vec<Box<dyn Seat>> {
    let seat = |(role, name): (u32, &&str)| -> Box<dyn Seat> {
        let options = Options { seed: seed + u64::from(role), memory: 1 << 24, ..Options::default() };
        Box::new(Local::of(rules.clone(), Role(role), kind(name), options))
    };
    (0..).zip(names).map(seat).collect()
}

#[test]
fn searches_do_not_lose_tic_tac_toe_and_nim() {
    let clock = Duration::from_millis(25);
    let tic_tac_toe = rules(TIC_TAC_TOE);
    for seed in 0..4 {
        for (names, place) in
            [(["mcts", "random"], 0), (["random", "mcts"], 1), (["alpha-beta", "mcts"], 1), (["mcts", "zermelo"], 0)]
        {
            let record = played(&tic_tac_toe, seats(&tic_tac_toe, &names, seed), clock, seed);
            assert_eq!(record.end, Some(PlayoutEnd::Terminal));
            assert!(record.goals[place] >= Some(50), "{names:?} {seed}: {:?}", record.goals);
        }
    }
    let nim = rules(NIM);
    for name in ["alpha-beta", "mcts", "zermelo", "auto"] {
        let record = played(&nim, seats(&nim, &[name, "random"], 7), clock, 7);
        assert_eq!(record.goals, [Some(100), Some(0)], "{name} begins, so it wins");
    }
}

#[test]
fn auto_chooses_by_the_game() {
    let games = [
        (NIM.to_owned(), "zermelo: in turns, constant sum"),
        (walk(1), "one-player:"),
        (DILEMMA.to_owned(), "mcts: moves at once, some 1 joint"),
    ];
    for (rulesheet, expected) in games {
        let mut player = kind("auto").0.player(game(&rulesheet), Role(0), &Options::default()).expect("it plays all");
        let clock = Duration::from_secs(1);
        let note = player.start(&clocked(clock), clock).expect("nothing stops it").note.expect("it says what it chose");
        assert!(note.starts_with(expected), "{note}");
    }
}

/// A seat that answers what it is told to.
struct Odd(Answer);

type Answer = fn() -> Result<Term, String>;

type Expected = fn(&SeatFault) -> bool;

impl Seat for Odd {
    fn name(&self) -> &str {
        "odd"
    }

    fn start(&mut self, _: Clocks, _: &Budget) -> Result<Thought, String> {
        Ok(Thought::default())
    }

    fn play(&mut self, _: &ToldMove, _: Clocks, _: &Budget) -> Result<(Term, Thought), String> {
        self.0().map(|term| (term, Thought::default()))
    }

    fn stop(&mut self, _: Option<&ToldMove>) {}
}

#[test]
fn moves_that_are_late_illegal_or_missing_are_replaced_and_recorded() {
    let rules = rules(NIM);
    let answers: [(Answer, Expected); 3] = [
        (
            || {
                std::thread::sleep(Duration::from_millis(60));
                Ok(Term::symbol("wait"))
            },
            |fault| matches!(fault, SeatFault::Late(took) if *took >= Duration::from_millis(60)),
        ),
        (|| Ok(Term::symbol("pass")), |fault| *fault == SeatFault::Illegal(Term::symbol("pass"))),
        (|| Err("gone".to_owned()), |fault| *fault == SeatFault::Failed("gone".to_owned())),
    ];
    for (answer, is_expected) in answers {
        let mut seats = seats(&rules, &["legal", "legal"], 1);
        seats[1] = Box::new(Odd(answer));
        // Sleep takes no time of the thread.
        let budget = Budget::unlimited().with_timeout(Duration::MAX);
        let record = played_by(&budget, &rules, seats, Duration::from_millis(50), 3);
        assert_eq!(record.end, Some(PlayoutEnd::Terminal), "the match goes on");
        assert_eq!(record.faults(0).count(), 0);
        let faults: Vec<_> = record.faults(1).collect();
        assert_eq!(faults.len(), record.plies.len());
        assert!(faults.into_iter().all(is_expected));
        assert_eq!(record.states.len(), record.plies.len() + 1);
    }
}

#[test]
fn players_have_names() {
    assert_eq!(PLAYERS[0].name, "auto");
    let unknown = "deep-blue".parse::<PlayerKind>().expect_err("it is not here");
    assert_eq!(unknown, UnknownPlayer("deep-blue".to_owned()));
    assert!(unknown.to_string().contains("alpha-beta"), "{unknown}");
    let rules = rules(NIM);
    let record = played(&rules, seats(&rules, &["one-player", "legal"], 1), Duration::from_millis(50), 1);
    let unfit = "the player `one-player` does not play games of 2 roles".to_owned();
    assert_eq!(record.unready[0], Some(SeatFault::Failed(unfit)));
}

fn document(args: &[&str]) -> (Option<i32>, Value) {
    let output = ludolog(".", args).output().expect("it runs");
    let document = serde_json::from_slice(&output.stdout);
    (output.status.code(), document.unwrap_or_else(|error| panic!("{args:?}: {error}: {output:?}")))
}

#[test]
fn a_match_is_recorded_as_json() {
    let nim = "std:games/nim.kif";
    let clocks = ["--start-clock", "1s", "--play-clock", "1s"];
    let (status, record) = document(&[&["match", nim, "zermelo", "legal", "--format", "json"], &clocks[..]].concat());
    let ours = &record["ludolog"];
    assert_eq!((status, &ours["end"], &record["isCompleted"]), (Some(0), &json!("terminal"), &json!(true)));
    assert_eq!(record["playerNamesFromHost"], json!(["zermelo", "legal"]));
    assert_eq!(record["goalValues"], json!([100, 0]));
    let start = &ours["startThoughts"][0];
    assert_eq!((&start["value"], &start["proven"], &start["nodes"]), (&json!(100.0), &json!(true), &json!(88)));
    let moves = record["moves"].as_array().expect("an array");
    let lengths = ["states", "stateTimes"].map(|name| record[name].as_array().map(Vec::len));
    assert_eq!(lengths, [Some(moves.len() + 1); 2]);
    assert_eq!(moves[0], json!(["(take 3 large)", "wait"]), "1, 3 and 2 cancel out");
    assert_eq!((&record["errors"][0], &ours["startErrors"]), (&json!(["", ""]), &json!(["", ""])));
    let (again, stopped) = document(&["match", nim, "legal", "random", "--max-steps", "1", "--format", "json"]);
    assert_eq!((again, &stopped["ludolog"]["end"]), (Some(0), &json!("max_steps")));
    assert_eq!((&stopped["isCompleted"], &stopped["isAborted"]), (&json!(false), &json!(false)));
}

#[test]
fn a_labelled_tree_is_printed_as_json() {
    let (status, tree) = document(&["game", "tree", "std:games/nim.kif", "--format", "json"]);
    assert_eq!((status, &tree["states"]), (Some(0), &json!(88)));
    let root = &tree["tree"];
    assert_eq!((&root["goals"], &root["steps"], &root["to_move"]), (&json!([100, 0]), &json!(7), &json!("first")));
    let children = root["children"].as_array().expect("an array");
    let best: Vec<&Value> = children.iter().filter(|child| child["best"] == json!(true)).collect();
    assert_eq!(best.len(), 1);
    assert_eq!(best[0]["moves"], json!(["(take 3 large)", "wait"]));
    assert_eq!((children.len(), &children[0]["state"]["children"]), (9, &json!([])));
}

/// Left takes one of three things, and wins by `b`; the rule of its loss forgets to exclude that.
const BOTH_GOALS: &str = "
    (role left) (role right) (init open) (base open) (thing a) (thing b) (thing c)
    (<= (base (taken ?t)) (thing ?t)) (<= (input left (take ?t)) (thing ?t)) (input right wait)
    (<= (legal left (take ?t)) (thing ?t)) (legal right wait)
    (<= (next (taken ?t)) (does left (take ?t))) (<= terminal (not (true open)))
    (<= (goal left 100) (true (taken b))) (goal left 0)
    (<= (goal right 0) (true (taken b))) (<= (goal right 100) (not (true (taken b))))";

#[test]
fn players_win_where_the_goal_of_a_loss_holds_too() {
    let rules = rules(BOTH_GOALS);
    for name in ["auto", "mcts", "alpha-beta", "zermelo"] {
        let kind: PlayerKind = name.parse().expect("there is one");
        let game = rules.game(&ample()).expect("it is a game");
        let mut player = kind.0.player(game, Role(0), &Options::default()).expect("it plays all games for two");
        let state = player.machine().initial_state().clone();
        let choice = player.play(&state, &clocked(Duration::from_secs(2))).expect("there is a legal move");
        assert_eq!(player.machine().move_term(choice.made).to_string(), "take(b)", "{name}");
        assert_eq!(choice.report.value, Some(100.0), "{name}");
    }
}
