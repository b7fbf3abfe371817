//! Judges: learned, kept in files, played by.

use crate::binary::run;
use ludolog::analysis;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Session};
use ludolog::game::beginning::beginning_at;
use ludolog::game::{Role, State, StateMachine, canonical};
use ludolog::player::alpha_beta::Training;
use ludolog::player::judge::Evaluator;
use ludolog::player::judge::file::JudgeFile;
use ludolog::player::{GameReasoner, Opening, Options, PLAYERS, PlayerKind};
use ludolog::propnet::NetMachine;
use ludolog::syntax::budget::ThreadClock;
use ludolog::syntax::{self, Syntax};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

const BREAKTHROUGH: &str = include_str!("../rules/games/breakthrough-5x5.kif");

fn clock(time: Duration) -> Budget {
    Budget::unlimited().with_clock(Arc::new(ThreadClock)).with_time(time)
}

fn breakthrough() -> GameReasoner {
    let session = Session::of_text(BREAKTHROUGH, Syntax::Kif).expect("the rulesheet is sound");
    GameReasoner::new(session.program(), &clock(Duration::from_secs(60))).expect("nothing stops it")
}

/// The first state without a pawn in the middle of the second line of a role.
fn without_pawn(machine: &mut NetMachine, role: &str, row: u8) -> State {
    let initial = machine.initial_state().clone();
    let mut facts = machine.facts(&initial);
    let pawn = format!("(pawn {role} 3 {row})");
    let count = facts.len();
    facts.retain(|fact| canonical::text(fact) != pawn);
    assert_eq!(facts.len(), count - 1, "{pawn} stands there at first");
    machine.state_of(facts).expect("it is a state")
}

/// A piece more is worth something, whoever has it; the judge of a file is the one that was written.
#[test]
fn pieces_are_worth_something() {
    let rules = breakthrough();
    let net = rules.net().expect("it has a net");
    let mut machine = NetMachine::new(net, Budget::unlimited());
    let mut training = Training::new(net, Role(0), 1);
    training.learn(&mut machine, &clock(Duration::from_secs(3))).expect("nothing stops it");
    let judge = training.judge();
    let mut evaluator = Evaluator::new(judge.clone());
    let all = evaluator.value(machine.initial_state());
    let fewer = evaluator.value(&without_pawn(&mut machine, "white", 2));
    let more = evaluator.value(&without_pawn(&mut machine, "black", 4));
    assert!(fewer < all && all < more, "{fewer} {all} {more}");
    let file = JudgeFile::new(&judge, net, Role(0));
    let read = JudgeFile::read(serde_json::to_string(&file).expect("it is JSON").as_bytes()).expect("it is a judge");
    assert_eq!(read.of(net, Role(0)).as_ref(), Some(&*judge));
    assert_eq!(read.of(net, Role(1)).as_ref(), Some(&judge.opposite()));
}

/// A game that begins elsewhere has another net, without the facts that cannot hold any more: the judge is that of the
/// game all the same, and values its states alike.
#[test]
fn a_judge_fits_a_game_that_begins_elsewhere() {
    let rules = breakthrough();
    let net = rules.net().expect("it has a net");
    let mut machine = NetMachine::new(net, Budget::unlimited());
    let mut training = Training::new(net, Role(0), 1);
    training.learn(&mut machine, &clock(Duration::from_secs(1))).expect("nothing stops it");
    let judge = training.judge();
    let file = JudgeFile::new(&judge, net, Role(0));
    let opening = Opening::draw(&mut machine, 6, 1).expect("there is one");
    let sources = &mut Sources::new();
    let source = sources.add("test.kif", BREAKTHROUGH);
    let program = syntax::parse(source, sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    let begun = beginning_at(&program, &opening.state);
    let begun = analysis::analyze(&begun).expect("the rulesheet is sound").stratified;
    let begun = GameReasoner::new(&begun, &clock(Duration::from_secs(60))).expect("nothing stops it");
    let begun = begun.net().expect("it has a net");
    assert!(begun.facts.len() < net.facts.len(), "facts that cannot hold any more are no facts of the net");
    let state = machine.state_of(opening.state).expect("it is a state");
    let expected = Evaluator::new(judge).value(&state);
    let read = file.of(begun, Role(0)).expect("it is a judge of the game");
    let first = NetMachine::new(begun, Budget::unlimited()).initial_state().clone();
    let found = Evaluator::new(Arc::new(read)).value(&first);
    assert!((expected - found).abs() < 0.01, "{expected} {found}");
}

/// Where the start clock suffices, `auto` lets alpha-beta play tree search, and says who won.
#[test]
fn auto_tells_of_its_contest() {
    let auto = PlayerKind(&PLAYERS[0]);
    let game = breakthrough().game(&Budget::unlimited()).expect("it is a game");
    let mut player = auto.0.player(game, Role(0), &Options::default()).expect("it plays all");
    let report = player.start(&clock(Duration::from_secs(8)), Duration::from_millis(20)).expect("nothing stops it");
    let note = report.note.expect("it says what it chose");
    assert!(note.contains(" against mcts"), "{note}");
    let game = breakthrough().game(&Budget::unlimited()).expect("it is a game");
    let mut player = auto.0.player(game, Role(0), &Options::default()).expect("it plays all");
    let report = player.start(&clock(Duration::from_secs(1)), Duration::from_millis(20)).expect("nothing stops it");
    let note = report.note.expect("it says what it chose");
    assert!(note.starts_with("mcts:") && !note.contains("against"), "{note}");
}

/// Two take two of a heap in turn; whoever finds one left has no move, and the rules forgot to end the game.
const STUCK: &str = "
    (role left) (role right) (init (heap 9)) (init (control left))
    (minus 9 7) (minus 8 6) (minus 7 5) (minus 6 4) (minus 5 3) (minus 4 2) (minus 3 1) (minus 2 0)
    (fewer 9 8) (fewer 8 7) (fewer 7 6) (fewer 6 5) (fewer 5 4) (fewer 4 3)
    (other left right) (other right left)
    (<= (legal ?r two) (true (control ?r)) (true (heap ?h)) (minus ?h ?rest))
    (<= (legal ?r one) (true (control ?r)) (true (heap ?h)) (fewer ?h ?rest))
    (<= (legal ?r wait) (true (control ?o)) (other ?o ?r))
    (<= (next (heap ?rest)) (does ?r two) (true (heap ?h)) (minus ?h ?rest))
    (<= (next (heap ?rest)) (does ?r one) (true (heap ?h)) (fewer ?h ?rest))
    (<= (next (control ?o)) (true (control ?r)) (other ?r ?o))
    (<= terminal (true (heap 0)))
    (<= (goal ?r 0) (true (control ?r))) (<= (goal ?r 100) (true (control ?o)) (other ?o ?r))";

/// Where a role may be without a move, learning and search go on.
#[test]
fn a_role_without_a_move_ends_a_game_that_is_learned_from() {
    let session = Session::of_text(STUCK, Syntax::Kif).expect("the rulesheet is sound");
    let rules = GameReasoner::new(session.program(), &clock(Duration::from_secs(60))).expect("nothing stops it");
    let net = rules.net().expect("it has a net");
    let mut machine = NetMachine::new(net, Budget::unlimited());
    let mut training = Training::new(net, Role(0), 1);
    training.learn(&mut machine, &clock(Duration::from_millis(300))).expect("nothing stops it");
    for name in ["auto", "alpha-beta"] {
        let player: PlayerKind = name.parse().expect("there is one");
        let game = rules.game(&Budget::unlimited()).expect("it is a game");
        let mut player = player.0.player(game, Role(0), &Options::default()).expect("it plays all");
        player.start(&clock(Duration::from_secs(2)), Duration::from_millis(20)).expect("nothing stops it");
        let initial = player.machine().initial_state().clone();
        player.play(&initial, &clock(Duration::from_millis(50))).expect("it has a move");
    }
}

/// `game learn` writes what `--judge` reads; files that are none are told, and the match goes on without them.
#[test]
fn a_judge_is_kept_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let learn = ["game", "learn", "std:games/breakthrough-5x5.kif", "--time", "1s", "-o", "judge.json"];
    let (status, told, error) = run(folder.path(), &learn, "");
    assert_eq!(status, 0, "{error}");
    assert!(told.contains("games against itself; weights are for white"), "{told}");
    let text = fs::read_to_string(folder.path().join("judge.json")).expect("it was written");
    fs::write(folder.path().join("short.json"), &text[..text.len() / 2]).expect("it can be written");
    fs::write(folder.path().join("newer.json"), text.replace("\"version\":1", "\"version\":2"))
        .expect("it can be written");
    let play = |game: &str, judge: &str| {
        let clocks = ["--start-clock", "100ms", "--play-clock", "10ms"];
        let args = [&["match", game, "alpha-beta", "random", "--judge", judge], &clocks[..]].concat();
        let (status, _, error) = run(folder.path(), &args, "");
        // On a busy machine a player may be late, which 1 says.
        assert!([0, 1].contains(&status), "{judge}: {error}");
        error
    };
    let game = "std:games/breakthrough-5x5.kif";
    assert!(!play(game, "judge.json").contains("left aside"));
    for (judge, reason) in
        [("short.json", "it is no judge: "), ("newer.json", "it has version 2"), ("none.json", "it cannot be read")]
    {
        let error = play(game, judge);
        assert!(error.contains(&format!("note: {judge} is left aside: {reason}")), "{error}");
    }
    let error = play("std:games/connect-four-4x4.kif", "judge.json");
    assert!(error.contains("note: a judge of white is of another game, and is left aside"), "{error}");
    let (status, _, error) = run(folder.path(), &["game", "learn", "std:games/peg-solitaire.kif", "--time", "1s"], "");
    assert_eq!((status, error.trim_end()), (2, "error: a judge is learned of games for two"));
}
