//! Whole games solved: against theorems, published counts, and searches that share no code with the solver.

use crate::binary::ludolog;
use crate::{games, players};
use ludolog::analysis;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::{Draw, Move, Role, State, StateMachine, StateMachineExt, canonical};
use ludolog::player::{GameReasoner, Options, PlayerKind};
use ludolog::propnet::{GroundGame, Net, NetMachine, Symmetries};
use ludolog::solve::database::NoDatabase;
use ludolog::solve::{Checkpoint, Database, SolvedStates, StateValue, Unsolved, solve};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{self, Syntax};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

fn shipped(name: &str) -> NetMachine {
    NetMachine::new(&games::net(&format!("std:games/{name}.kif")), Budget::unlimited())
}

fn program_of(rulesheet: &str) -> StratifiedProgram {
    let mut sources = Sources::new();
    let source = sources.add("test.kif", rulesheet);
    let program = syntax::parse(source, &sources, Syntax::Kif).into_result().expect("the rulesheet parses");
    analysis::analyze(&program).expect("the rulesheet is sound").stratified
}

fn net_of(rulesheet: &str) -> Net {
    let ground = GroundGame::new(&program_of(rulesheet), &Budget::unlimited()).expect("the rulesheet grounds");
    Net::new(&ground, &Budget::unlimited()).expect("the rulesheet has a net")
}

fn solved(machine: &NetMachine, threads: usize) -> SolvedStates {
    let threads = NonZero::new(threads).expect("a thread");
    solve(machine, threads, None, &Budget::unlimited(), &mut |_| {})
}

/// All reachable states, by the machine's single questions.
fn reachable(machine: &mut NetMachine) -> Vec<State> {
    let mut states = vec![machine.initial_state().clone()];
    let mut seen: HashSet<State> = states.iter().cloned().collect();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        next += 1;
        if !machine.is_terminal(&state).expect("there is no limit") {
            for joint in machine.legal_joint_moves(&state).expect("there is no limit") {
                let state = machine.next_state(&state, &joint).expect("there is no limit");
                if seen.insert(state.clone()) {
                    states.push(state);
                }
            }
        }
    }
    states
}

/// The first player wins a position of Nim if and only if the heaps do not cancel out (Bouton, 1901).
#[test]
fn nim_is_solved_as_the_theorem_says() {
    let mut machine = shipped("nim");
    let solution = solved(&machine, 2);
    let states = reachable(&mut machine);
    assert_eq!((solution.states(), states.len()), (88, 88));
    for state in states {
        let facts = machine.facts(&state);
        let sizes = facts.iter().filter_map(|fact| match fact {
            Term::Compound(name, args) if &**name == "size" => Some(&args[1]),
            _ => None,
        });
        let sum = sizes.fold(0, |sum, size| if let Term::Integer(size) = size { sum ^ size } else { sum });
        let first_moves = facts.iter().any(|fact| canonical::text(fact).contains("first"));
        let value = solution.label(&machine, &state).expect("it is reachable").value;
        assert_eq!(value, Some(if (sum != 0) == first_moves { 100 } else { 0 }), "{facts:?}");
    }
}

#[test]
fn small_boards_are_solved_as_known() {
    for (name, states, value) in [("tic-tac-toe", Some(5478), 50), ("hex-3x3", None, 100), ("reversi-4x4", None, 0)] {
        let solution = solved(&shipped(name), 2);
        assert_eq!(solution.ended, None);
        assert_eq!(solution.initial().and_then(|label| label.value), Some(value), "{name}");
        assert!(states.is_none_or(|states| states == solution.states()), "{name}: {}", solution.states());
    }
}

/// Connect four with pieces as bits, a column after the other with an empty cell on top.
struct ConnectFour {
    width: u32,
    height: u32,
    /// By pieces of the player to move and of the other: won for who moves (1), drawn (0) or lost (-1), and in how many
    /// moves.
    known: HashMap<(u64, u64), (i8, u32)>,
}

impl ConnectFour {
    fn has_four(&self, pieces: u64) -> bool {
        [1, self.height, self.height + 1, self.height + 2].iter().any(|shift| {
            let two = pieces & pieces >> shift;
            two & two >> (2 * shift) != 0
        })
    }

    /// A win is hurried and a loss delayed; a draw has no length.
    fn value(&mut self, mine: u64, others: u64) -> (i8, u32) {
        if let Some(&known) = self.known.get(&(mine, others)) {
            return known;
        }
        let mut values = Vec::new();
        if self.has_four(others) {
            values.push((-1, 0));
        } else {
            for column in 0..self.width {
                let place = (0..self.height).map(|row| 1 << (column * (self.height + 1) + row));
                if let Some(piece) = place.into_iter().find(|piece| (mine | others) & piece == 0) {
                    let (value, length) = self.value(others, mine | piece);
                    values.push((-value, if value == 0 { 0 } else { length + 1 }));
                }
            }
        }
        let rank = |&(value, length): &(i8, u32)| (value, if value > 0 { -i64::from(length) } else { length.into() });
        let best = values.into_iter().max_by_key(rank).unwrap_or((0, 0));
        self.known.insert((mine, others), best);
        best
    }
}

/// Counts by depth, values and distances are those of a search on bits.
#[test]
fn connect_four_is_solved_as_by_a_search_on_bits() {
    let mut brute = ConnectFour { width: 4, height: 4, known: HashMap::new() };
    assert_eq!(brute.value(0, 0), (0, 0));
    let mut levels = vec![[0u64; 4]; 17];
    for (&(mine, others), &(value, _)) in &brute.known {
        let depth = (mine | others).count_ones() as usize;
        let red = if depth.is_multiple_of(2) { value } else { -value };
        levels[depth][0] += 1;
        levels[depth][(2 - red) as usize] += 1;
    }
    let machine = shipped("connect-four-4x4");
    let solution = solved(&machine, 3);
    assert_eq!(solution.values, [100, 50, 0]);
    let found = solution.levels.iter().map(|level| [level.states, level.values[0], level.values[1], level.values[2]]);
    assert_eq!(found.collect::<Vec<_>>(), levels);
    // The longest win from an early position takes as long as in the search.
    let early = brute.known.iter().filter(|((mine, others), _)| (mine | others).count_ones() == 6);
    let mut expected: Vec<u32> = early.filter(|(_, (value, _))| *value != 0).map(|(_, (_, length))| *length).collect();
    let mut machine = machine;
    let states = reachable(&mut machine);
    let count =
        |state: &State| machine.facts(state).iter().filter(|fact| canonical::text(fact).contains("piece")).count();
    let labels = states.iter().filter(|state| count(state) == 6).map(|state| solution.label(&machine, state));
    let decided = labels.flatten().filter(|label| label.value != Some(50));
    let mut lengths: Vec<u32> = decided.filter_map(|label| label.distance).collect();
    expected.sort_unstable();
    lengths.sort_unstable();
    assert_eq!(lengths, expected);
}

/// With a database, also a player that does not think keeps values, hurries wins and delays losses: against a search on
/// bits.
#[test]
fn players_play_perfectly_by_a_database() {
    let mut brute = ConnectFour { width: 4, height: 4, known: HashMap::new() };
    let net = games::net("std:games/connect-four-4x4.kif");
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let bytes = solved(&machine, 2).database(&net).expect("it is solved");
    let others = solved(&shipped("nim"), 2).database(&games::net("std:games/nim.kif")).expect("it is solved");
    let read = |bytes| Arc::new(Database::read(bytes).expect("a database"));
    // The database of another game is left alone.
    let options = Options { databases: vec![read(others), read(bytes)], ..Options::default() };
    let kind: PlayerKind = "legal".parse().expect("a player");
    let rules = GameReasoner::of_net(net.clone());
    let mut players = [Role(0), Role(1)].map(|role| {
        let game = rules.game(&Budget::unlimited()).expect("a net");
        kind.0.player(game, role, &options).expect("two roles")
    });
    let mut draw = Draw::new(5);
    let [mut won, mut drawn, mut lost] = [0; 3];
    while won + drawn + lost < 1_000 {
        let mut state = machine.initial_state().clone();
        while !machine.is_terminal(&state).expect("no limit") {
            let (to_move, mine, others) = pieces(&machine, &state);
            let (value, length) = brute.value(mine, others);
            let choice = players[to_move].play(&state, &Budget::unlimited()).expect("a move");
            let goal = [0.0, 50.0, 100.0][(value + 1) as usize];
            assert_eq!((choice.report.value, choice.report.proven), (Some(goal), true));
            let legal = machine.all_legal_moves(std::slice::from_ref(&state)).expect("no limit").swap_remove(0);
            let mut joint: Vec<_> = legal.iter().map(|moves| moves[0]).collect();
            joint[to_move] = choice.made;
            assert!(legal[to_move].contains(&choice.made));
            let next = machine.next_state(&state, &joint).expect("no limit");
            let (_, mine, others) = pieces(&machine, &next);
            let (kept, rest) = brute.value(mine, others);
            assert_eq!(-kept, value, "{:?}", machine.facts(&state));
            assert!(value == 0 || rest + 1 == length, "{:?}", machine.facts(&state));
            *[&mut lost, &mut drawn, &mut won][(value + 1) as usize] += 1;
            // Random play comes to all kinds of states.
            joint[to_move] = legal[to_move][draw.below(legal[to_move].len())];
            state = machine.next_state(&state, &joint).expect("no limit");
        }
    }
    assert!(won > 100 && drawn > 100 && lost > 20, "{won} won, {drawn} drawn, {lost} lost");
}

/// The role to move in connect four on four columns of four, its pieces, and those of the other one.
fn pieces(machine: &NetMachine, state: &State) -> (usize, u64, u64) {
    let mut of = [0u64; 2];
    let mut to_move = 0;
    for fact in machine.facts(state).iter().map(canonical::text) {
        let words: Vec<&str> = fact.trim_matches(['(', ')']).split(' ').collect();
        let role = usize::from(words.contains(&"yellow"));
        match words[..] {
            ["turn", _] => to_move = role,
            ["piece", column, row, _] => {
                let number = |text: &str| text.parse::<u32>().expect("a number") - 1;
                of[role] |= 1 << (number(column) * 5 + number(row));
            }
            _ => {}
        }
    }
    (to_move, of[to_move], of[1 - to_move])
}

/// 3,945,711 positions in Tromp's table of connect four.
#[test]
fn five_columns_of_four_are_drawn() {
    let solution = solved(&shipped("connect-four-5x4"), 2);
    let label = StateValue { value: Some(50), distance: None };
    assert_eq!((solution.states(), solution.initial()), (3_945_711, Some(label)));
}

/// Peg solitaire with holes as bits.
#[test]
fn pegs_are_counted_as_by_a_search_on_bits() {
    let hole = |row: i32, column: i32| 1u32 << (row * (row + 1) / 2 + column);
    let inside = |(row, column): (i32, i32)| (0..5).contains(&row) && (0..=row).contains(&column);
    let mut jumps = Vec::new();
    for (row, column) in (0..5).flat_map(|row| (0..=row).map(move |column| (row, column))) {
        for (down, right) in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, -1)] {
            let to = (row + 2 * down, column + 2 * right);
            if inside(to) {
                jumps.push((hole(row, column), hole(row + down, column + right), hole(to.0, to.1)));
            }
        }
    }
    let mut levels = vec![BTreeSet::from([0x7fff & !hole(0, 0)])];
    while let Some(last) = levels.last().filter(|level| !level.is_empty()) {
        let next = last.iter().flat_map(|&pegs| {
            let possible = jumps.iter().filter(move |&&(a, b, c)| pegs & a != 0 && pegs & b != 0 && pegs & c == 0);
            possible.map(move |(a, b, c)| pegs & !a & !b | c)
        });
        levels.push(next.collect());
    }
    let expected: Vec<u64> = levels.iter().map(|level| level.len() as u64).filter(|&count| count > 0).collect();
    let mut machine = shipped("peg-solitaire");
    let solution = solved(&machine, 2);
    assert_eq!(solution.levels.iter().map(|level| level.states).collect::<Vec<_>>(), expected);
    assert_eq!(solution.initial(), Some(StateValue { value: Some(100), distance: Some(13) }));
    assert_eq!(solution.line(&mut machine).expect("there is no limit").len(), 13);
}

/// Two roles push a token along edges, in turn: a 100 for the first role at `w`, 0 at `l`, 30 at `s`, and none
/// elsewhere.
///
/// ```text
/// first at a: to b, to l       second at b: to c, to s       first at c: to d, to e
/// second at d: back to a       second at e: to w, to f       first at f: to w
/// ```
///
/// At e the second role delays by f, so c is won in 3 and b is worth 30, in one. So a, where l is worse, is worth 30 in
/// two; d leads to a and would be worth 30, in three.
#[test]
fn values_between_are_forced_and_delayed() {
    let machine = token(
        &[
            "first a b",
            "first a l",
            "second b c",
            "second b s",
            "first c d",
            "first c e",
            "second d a",
            "second e w",
            "second e f",
            "first f w",
        ],
        &[("w", 100), ("l", 0), ("s", 30)],
    );
    let solution = solved(&machine, 2);
    let expected = [
        ("a", 30, 2),
        ("b", 30, 1),
        ("c", 100, 3),
        ("d", 30, 3),
        ("e", 100, 2),
        ("f", 100, 1),
        ("w", 100, 0),
        ("l", 0, 0),
        ("s", 30, 0),
    ];
    labels(machine, &solution, &expected.map(|(at, value, distance)| (at, Some(value), Some(distance))));
}

/// Neither leaves a cycle for a loss: without an end that is a draw, nobody knows a value.
#[test]
fn play_without_end_has_no_value_unless_there_are_draws() {
    let edges = ["first a b", "first a l", "second b a", "second b w", "first c w", "second d c", "second d a"];
    let with_start = [&edges[..], &["first z a", "first z d"]].concat();
    let machine = token(&with_start, &[("w", 100), ("l", 0)]);
    let solution = solved(&machine, 1);
    let endless = |at| (at, None, None);
    labels(machine, &solution, &[endless("z"), endless("a"), endless("b"), endless("d"), ("c", Some(100), Some(1))]);
}

/// First may end the game drawn at c and second at e; at d second has the draw or a loss. Nobody ends the circle of a and b:
/// that it could lead to an end that is drawn makes no draw of it.
#[test]
fn a_draw_is_an_end_that_somebody_can_force() {
    let edges =
        ["first z a", "first z c", "first z d", "first z e", "first a b", "second b a", "second b w", "first c s"];
    let more = ["first c a", "second d s", "second d w", "second e s", "second e a"];
    let machine = token(&[&edges[..], &more[..]].concat(), &[("w", 100), ("s", 50)]);
    let solution = solved(&machine, 2);
    let drawn = ["z", "c", "d", "e"].map(|at| (at, Some(50), None));
    let endless = ["a", "b"].map(|at| (at, None, None));
    labels(machine, &solution, &[&drawn[..], &endless[..], &[("s", Some(50), Some(0))]].concat());
}

/// A game of a token on nodes, from the first edge's node; the role named in an edge moves there.
fn token(edges: &[&str], ends: &[(&str, i64)]) -> NetMachine {
    let start = edges.iter().find(|edge| edge.contains(" z ")).unwrap_or(&edges[0]).split(' ').nth(1).expect("a node");
    let edges: String = edges.iter().map(|edge| format!("(edge {edge})")).collect();
    let ends = ends.iter().map(|(node, goal)| format!("(end {node} {goal} {})", 100 - goal)).collect::<String>();
    let rules = format!(
        "(role first) (role second) {edges} {ends} (init (at {start}))
         (<= (legal ?r (go ?y)) (true (at ?x)) (edge ?r ?x ?y))
         (<= (moves ?r) (true (at ?x)) (edge ?r ?x ?y))
         (<= (legal ?r wait) (role ?r) (not (moves ?r)))
         (<= (next (at ?y)) (does ?r (go ?y)))
         (<= terminal (true (at ?x)) (end ?x ?a ?b))
         (<= (goal first ?a) (true (at ?x)) (end ?x ?a ?b)) (<= (goal second ?b) (true (at ?x)) (end ?x ?a ?b))"
    );
    NetMachine::new(&Arc::new(net_of(&rules)), Budget::unlimited())
}

/// Asserts labels by node.
fn labels(mut machine: NetMachine, solution: &SolvedStates, expected: &[(&str, Option<i64>, Option<u32>)]) {
    assert_eq!(solution.ended, None);
    for &(node, value, distance) in expected {
        let state = machine.state_of(vec![Term::compound("at", vec![Term::symbol(node)])]).expect("a state");
        assert_eq!(solution.label(&machine, &state), Some(StateValue { value, distance }), "{node}");
    }
}

/// One role goes around in circles: it is the shortest way to the best end that counts.
#[test]
fn one_role_takes_the_shortest_way_to_the_best_end() {
    let rules = "(role mouse) (edge a b) (edge b a) (edge b c) (edge c d) (edge b x) (edge d a) (edge c e) (edge d e)
         (edge a y) (edge y y) (init (at a)) (end x 10) (end e 90)
         (<= (legal mouse (go ?y)) (true (at ?x)) (edge ?x ?y)) (<= (next (at ?y)) (does mouse (go ?y)))
         (<= terminal (true (at ?x)) (end ?x ?a)) (<= (goal mouse ?a) (true (at ?x)) (end ?x ?a))";
    let machine = NetMachine::new(&Arc::new(net_of(rules)), Budget::unlimited());
    let solution = solved(&machine, 2);
    let expected = [("a", 90, 3), ("b", 90, 2), ("c", 90, 1), ("d", 90, 1), ("x", 10, 0), ("e", 90, 0)];
    let mut all = expected.map(|(at, value, distance)| (at, Some(value), Some(distance))).to_vec();
    all.push(("y", None, None));
    labels(machine, &solution, &all);
}

#[test]
fn other_games_are_refused() {
    let ended = |machine: &NetMachine| solved(machine, 2).ended;
    assert!(matches!(ended(&shipped("goofspiel-4")), Some(Unsolved::Simultaneous(_))));
    let rest =
        "(<= (legal ?r go) (role ?r) (true start)) (<= (next end) (true start)) (init start) (<= terminal (true end))";
    let of = |rules: &str| NetMachine::new(&Arc::new(net_of(&format!("{rules} {rest}"))), Budget::unlimited());
    assert_eq!(ended(&of("(role a) (role b) (role c) (goal a 1) (goal b 1) (goal c 1)")), Some(Unsolved::Roles(3)));
    assert!(matches!(ended(&of("(role a) (goal a 1) (<= (goal a 2) (true end))")), Some(Unsolved::NoGoal(_))));
    let opposed =
        "(role a) (role b) (<= (legal a stay) (true start)) (<= (next late) (does a stay)) (<= terminal (true late))
         (<= (goal a 50) (not (true late))) (<= (goal a 60) (true late)) (goal b 50)";
    assert!(matches!(ended(&of(opposed)), Some(Unsolved::NotOpposed(..))));
    let stuck = "(role a) (init start) (<= (legal a go) (true start)) (<= (next middle) (true start)) (goal a 1)
         (<= terminal (true never))";
    let stuck = NetMachine::new(&Arc::new(net_of(stuck)), Budget::unlimited());
    assert!(matches!(ended(&stuck), Some(Unsolved::Stuck(..))));
}

/// The symmetries of a rulesheet, with its machine.
fn symmetric(program: &StratifiedProgram) -> (Symmetries, NetMachine) {
    let ground = GroundGame::new(program, &Budget::unlimited()).expect("the rulesheet grounds");
    let net = Arc::new(Net::new(&ground, &Budget::unlimited()).expect("the rulesheet has a net"));
    let symmetries = Symmetries::new(&ground, &net, &Budget::unlimited()).expect("no limit");
    (symmetries, NetMachine::new(&net, Budget::unlimited()))
}

/// A square has eight symmetries, connect four its mirror image, and heaps of the same size change places. Hex has the
/// half turn, which its rules do not show: they go from one edge to the other. Each symmetry leads random playouts from
/// state to symmetric state, with the same goals.
#[test]
fn symmetries_are_those_of_the_boards() {
    let shipped = |name: &str| games::sound(&format!("std:games/{name}.kif"));
    let heaps = players::NIM;
    let heaps = heaps.replace("(heap middle 3)", "(heap middle 5)").replace("(heap small 1)", "(heap small 5)");
    let one_way = "(role a) (init (at 1)) (edge 1 2) (edge 2 3) (<= (legal a (go ?y)) (true (at ?x)) (edge ?x ?y))
         (<= (next (at ?y)) (does a (go ?y))) (<= terminal (true (at 3))) (goal a 100)";
    let games = [
        ("tic-tac-toe", shipped("tic-tac-toe"), 8),
        ("connect-four", shipped("connect-four"), 2),
        ("hex-3x3", shipped("hex-3x3"), 1),
        ("nim", shipped("nim"), 1),
        ("three heaps", program_of(&heaps), 6),
        ("one way", program_of(one_way), 1),
    ];
    for (name, rules, count) in games {
        let (symmetries, mut machine) = symmetric(&rules);
        assert_eq!(symmetries.count(), count, "{name}");
        let mut draw = Draw::new(3);
        for symmetry in symmetries.others() {
            let permuted = |machine: &NetMachine, state: &State| {
                let mut row = Vec::new();
                machine.push_row(state, &mut row);
                let mut there = vec![0; row.len()];
                symmetry.permute(&row, &mut there);
                machine.state_of_row(&there)
            };
            let initial = machine.initial_state().clone();
            assert_eq!(permuted(&machine, &initial), initial, "{name}");
            for _ in 0..20 {
                let mut state = initial.clone();
                while !machine.is_terminal(&state).expect("no limit") {
                    let there = permuted(&machine, &state);
                    assert!(!machine.is_terminal(&there).expect("no limit"), "{name}");
                    let legal = machine.all_legal_moves(&[state.clone(), there.clone()]).expect("no limit");
                    let mapped: Vec<BTreeSet<Move>> = legal[0]
                        .iter()
                        .map(|of| of.iter().map(|made| symmetry.moves[made.0 as usize]).collect())
                        .collect();
                    let expected: Vec<BTreeSet<Move>> =
                        legal[1].iter().map(|of| of.iter().copied().collect()).collect();
                    assert_eq!(mapped, expected, "{name}");
                    let joint: Vec<Move> = legal[0].iter().map(|of| of[draw.below(of.len())]).collect();
                    let joint_there: Vec<Move> = joint.iter().map(|made| symmetry.moves[made.0 as usize]).collect();
                    state = machine.next_state(&state, &joint).expect("no limit");
                    let next = machine.next_state(&there, &joint_there).expect("no limit");
                    assert_eq!(next, permuted(&machine, &state), "{name}");
                }
                let there = permuted(&machine, &state);
                assert!(machine.is_terminal(&there).expect("no limit"), "{name}");
                assert_eq!(machine.goals(&there), machine.goals(&state), "{name}");
            }
        }
    }
}

/// 765 positions of tic-tac-toe differ by more than a turn or a mirror image, 138 of them at the end: 91 won by who
/// began, 44 by the other one, and 3 drawn.
#[test]
fn positions_are_counted_up_to_symmetry() {
    let (symmetries, mut machine) = symmetric(&games::sound("std:games/tic-tac-toe.kif"));
    machine.up_to(Arc::new(symmetries));
    let solution = solved(&machine, 2);
    assert_eq!(solution.states(), 765);
    assert_eq!(solution.initial(), Some(StateValue { value: Some(50), distance: None }));
    assert_eq!(solution.levels.iter().map(|level| level.terminal).sum::<u64>(), 138);
    assert_eq!(solution.line(&mut machine).expect("no limit").len(), 9);

    let (symmetries, machine) = symmetric(&games::sound("std:games/connect-four-4x4.kif"));
    let whole = solved(&machine, 2);
    let mut halved = machine.clone();
    halved.up_to(Arc::new(symmetries));
    let half = solved(&halved, 2);
    // Each position and its mirror image count once, those that are their own mirror image as well.
    assert!(2 * half.states() > whole.states() && 2 * half.states() < whole.states() + whole.states() / 10);
    let mut asked = machine.clone();
    for state in reachable(&mut asked).iter().step_by(97) {
        assert_eq!(half.label(&halved, state), whole.label(&machine, state));
    }
}

/// Every label is in the database, and no state that cannot be reached.
#[test]
fn a_database_knows_all_states() {
    let net = games::net("std:games/reversi-4x4.kif");
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let solution = solved(&machine, 3);
    let bytes = solution.database(&net).expect("it is solved");
    assert!(bytes.len() < 10 * solution.states() as usize, "{} bytes", bytes.len());
    let database = Database::read(bytes.clone()).expect("it is whole");
    assert!(database.is_of(&net) && !database.is_of(&games::net("std:games/nim.kif")));
    let states = reachable(&mut machine);
    assert_eq!(database.states(), states.len() as u64);
    for state in &states {
        assert_eq!(database.label(&machine, state), solution.label(&machine, state));
    }
    let mut unknown = 0;
    for state in states.iter().take(1000) {
        let mut words = state.words().to_vec();
        words[0] ^= 1;
        let state = State::of_words(words);
        assert_eq!(database.label(&machine, &state), solution.label(&machine, &state));
        unknown += usize::from(database.label(&machine, &state).is_none());
    }
    assert!(unknown > 500, "{unknown}");

    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    assert_eq!(Database::read(damaged).err(), Some(NoDatabase::Damaged));
    assert_eq!(Database::read(bytes[..bytes.len() / 2].to_vec()).err(), Some(NoDatabase::Damaged));
    assert_eq!(Database::read(b"reversi".to_vec()).err(), Some(NoDatabase::Format));
}

fn kept_file(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// Files that were written once are read by whatever comes after: a change of types, gates or the order of rules
/// orphans none.
#[test]
fn files_of_earlier_builds_are_read() {
    let net = games::net("std:games/nim.kif");
    let mut machine = NetMachine::new(&net, Budget::unlimited());
    let expected = solved(&machine, 2);
    let bytes = std::fs::read(kept_file("nim.values")).expect("the database");
    let database = Database::read(bytes.clone()).expect("a database of this version");
    assert!(database.is_of(&net), "its fingerprint is another one");
    for state in reachable(&mut machine) {
        assert_eq!(database.label(&machine, &state), expected.label(&machine, &state));
    }
    let directory = tempfile::tempdir().expect("a directory");
    for file in ["checkpoint", "peer-0", "peer-1"] {
        std::fs::copy(kept_file("nim.checkpoint").join(file), directory.path().join(file)).expect("a copy");
    }
    let checkpoint = Checkpoint::open(directory.path(), &net).expect("a checkpoint of this version and game");
    assert_eq!(checkpoint.peers(), Some(2));
    let two = NonZero::new(2).expect("two");
    let mut first = None;
    let again = solve(&machine, two, Some(&checkpoint), &Budget::unlimited(), &mut |progress| {
        first = first.or(Some(progress.depth));
    });
    assert!(first > Some(1), "it goes on from the levels that are there: {first:?}");
    assert_eq!((&again.levels, again.initial()), (&expected.levels, expected.initial()));
}

/// Files of the version before: a database is the same but for its fingerprint, which depended on the program; a
/// checkpoint is refused with the way out.
#[test]
fn files_of_the_version_before_are_read_or_refused_in_words() {
    let bytes = std::fs::read(kept_file("nim-2.values")).expect("the database");
    assert_eq!(bytes[15], 2, "the version is the last byte of the magic");
    let database = Database::read(bytes.clone()).expect("a database of the version before");
    let net = games::net("std:games/nim.kif");
    assert!(database.is_of(&net) && !database.is_of(&games::net("std:games/tic-tac-toe.kif")));
    let machine = NetMachine::new(&net, Budget::unlimited());
    let expected = solved(&machine, 2);
    let start = machine.initial_state();
    assert_eq!(database.label(&machine, start), expected.label(&machine, start));
    let mut unknown = bytes;
    unknown[15] = 1;
    let refused = Database::read(unknown).expect_err("no such version is read");
    assert_eq!(refused, NoDatabase::Version(1));
    assert!(refused.to_string().contains("`game solve --database`"), "{refused}");

    let directory = tempfile::tempdir().expect("a directory");
    let mut older = std::fs::read(kept_file("nim.checkpoint").join("checkpoint")).expect("a checkpoint");
    older[7] = 1;
    std::fs::write(directory.path().join("checkpoint"), &older).expect("a file");
    let refused = Checkpoint::open(directory.path(), &net).map(|_| ()).expect_err("another version").to_string();
    assert!(
        refused.contains("version 1 of the format, and version 2 is read; solve the game in another directory"),
        "{refused}"
    );
    assert_eq!(std::fs::read(directory.path().join("checkpoint")).expect("it stays"), older);
}

/// A database in the version before, whose fingerprint says nothing; the hash is as docs/files.md has it.
fn of_the_version_before(mut bytes: Vec<u8>) -> Vec<u8> {
    let mix = |hash: u64, word: u64| {
        let hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        let hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        hash ^ hash >> 29
    };
    let end = bytes.len() - 8;
    bytes[15] = 2;
    bytes[32..40].fill(7);
    let words =
        bytes[..end].chunks(8).map(|chunk| chunk.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)));
    let hash = words.fold(end as u64, |before, word| mix(mix(0x9e37_79b9_7f4a_7c15, before), word));
    bytes[end..].copy_from_slice(&hash.to_le_bytes());
    bytes
}

/// A rulesheet that is laid out in another way is the same game, and one with another rule is not.
#[test]
fn a_database_is_of_a_rulesheet_not_of_its_layout() {
    let rules =
        "(role a) (role b) (init (turn a)) (init (left 3)) (less 3 2) (less 2 1) (less 1 0) (other a b) (other b a)
        (<= (legal ?r take) (true (turn ?r))) (<= (legal ?r wait) (role ?r) (not (true (turn ?r))))
        (<= (next (left ?m)) (true (left ?n)) (less ?n ?m)) (<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q))
        (<= terminal (true (left 0))) (<= (goal ?r 0) (role ?r) (true (turn ?r)))
        (<= (goal ?r 100) (role ?r) (not (true (turn ?r))))";
    let other_layout = "; b waits first\n(role a) (role b)
        (<= (goal ?r 100) (role ?r) (not (true (turn ?r)))) (<= (goal ?r 0) (role ?r) (true (turn ?r))) (<= terminal (true (left 0)))
        (<= (next (turn ?q)) (true (turn ?r)) (other ?r ?q)) (<= (next (left ?m)) (true (left ?n)) (less ?n ?m))
        (other b a) (other a b) (less 1 0) (less 2 1) (less 3 2) (init (left 3)) (init (turn a))
        (<= (legal ?r wait) (role ?r) (not (true (turn ?r)))) (<= (legal ?r take) (true (turn ?r)))";
    let net = Arc::new(net_of(rules));
    let solution = solved(&NetMachine::new(&net, Budget::unlimited()), 1);
    let bytes = solution.database(&net).expect("it is solved");
    let older = Database::read(of_the_version_before(bytes.clone())).expect("a database of the version before");
    let database = Database::read(bytes).expect("a database");
    assert!(database.is_of(&Arc::new(net_of(other_layout))));
    // The same states and moves; only who gets what has changed.
    let misere = rules
        .replace("(goal ?r 0)", "(goal ?r x)")
        .replace("(goal ?r 100)", "(goal ?r 0)")
        .replace("(goal ?r x)", "(goal ?r 100)");
    let misere = Arc::new(net_of(&misere));
    assert!(!database.is_of(&misere));
    assert!(older.is_of(&net) && !older.is_of(&misere), "what it says of the ends is wrong of the other game");
}

/// An enumeration that is interrupted again and again ends as one that is not.
#[test]
fn a_checkpoint_goes_on_where_it_stopped() {
    let directory = tempfile::tempdir().expect("a directory");
    let net = games::net("std:games/connect-four-4x4.kif");
    let machine = NetMachine::new(&net, Budget::unlimited());
    let open = || Checkpoint::open(directory.path(), &net).expect("the directory is there");
    let mut depths = Vec::new();
    for stop in [5, 6, 11] {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::unlimited().with_interrupt(flag.clone());
        let mut first = None;
        let two = NonZero::new(2).expect("two");
        let solution = solve(&machine, two, Some(&open()), &budget, &mut |progress| {
            first = first.or(Some(progress.depth));
            flag.store(progress.depth >= stop, Ordering::Relaxed);
        });
        assert_eq!(solution.ended, Some(Unsolved::Stopped(Stopped::Interrupted)));
        depths.push(first);
    }
    assert!(depths[1] >= Some(4) && depths[2] >= Some(5), "levels that were complete are not found again: {depths:?}");
    let one = NonZero::<usize>::MIN;
    let solution = solve(&machine, one, Some(&open()), &Budget::unlimited(), &mut |_| {});
    let expected = solved(&machine, 1);
    assert_eq!((&solution.levels, solution.initial()), (&expected.levels, expected.initial()));
    assert_eq!(solution.joint_moves, expected.joint_moves);

    let other = Checkpoint::open(directory.path(), &games::net("std:games/nim.kif"));
    assert!(other.is_err_and(|error| error.to_string().contains("another game")));
    let file = directory.path().join("peer-0");
    let mut bytes = std::fs::read(&file).expect("the file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).expect("the file");
    let damaged = solve(&machine, one, Some(&open()), &Budget::unlimited(), &mut |_| {}).ended;
    assert!(matches!(damaged, Some(Unsolved::Checkpoint(reason)) if reason.contains("damaged")));
}

#[test]
fn memory_is_limited() {
    let budget = Budget::unlimited().with_max_bytes(1 << 20);
    let two = NonZero::new(2).expect("two");
    let solution = solve(&shipped("connect-four-4x4"), two, None, &budget, &mut |_| {});
    assert_eq!(solution.ended, Some(Unsolved::Stopped(Stopped::TooMuchMemory { max: 1 << 20, largest: None })));
    // Levels that are complete are counted.
    assert_eq!(solution.levels.iter().take(3).map(|level| level.states).collect::<Vec<_>>(), [1, 4, 16]);
}

#[test]
fn the_command_solves_and_says_why_it_does_not() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| ludolog(directory.path(), &[&["game", "solve"], args].concat()).assert();
    let text = run(&["std:games/nim.kif"]).success().get_output().stdout.clone();
    let text = String::from_utf8(text).expect("text");
    assert!(
        text.starts_with("nim: first wins 100 to 0, in 7 joint moves\nbest play: ((take 3 large) wait) "),
        "{text}"
    );
    let args = ["std:games/tic-tac-toe.kif", "--format", "json", "--database", "values", "--threads", "2"];
    let json: Value = serde_json::from_slice(&run(&args).success().get_output().stdout).expect("JSON");
    assert_eq!((&json["goals"], &json["states"], &json["solved"]), (&vec![50, 50].into(), &5478.into(), &true.into()));
    assert_eq!(json["levels"][9]["terminal"], json["levels"][9]["states"]);
    let bytes = std::fs::read(directory.path().join("values")).expect("the database");
    assert_eq!(Database::read(bytes).expect("a database").states(), 5478);

    let args = ["std:games/tic-tac-toe.kif", "--format", "json", "--symmetry"];
    let json: Value = serde_json::from_slice(&run(&args).success().get_output().stdout).expect("JSON");
    assert_eq!((&json["symmetries"], &json["states"], &json["goals"]), (&8.into(), &765.into(), &vec![50, 50].into()));
    run(&["std:games/nim.kif", "--symmetry", "--database", "values"]).code(2);

    let refused = run(&["std:games/goofspiel-4.kif"]).code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&refused).contains("several roles have a choice in the same state"));
    let args = ["std:games/connect-four.kif", "--max-memory", "8M", "--format", "json"];
    let json: Value = serde_json::from_slice(&run(&args).code(2).get_output().stdout).expect("JSON");
    assert_eq!((&json["solved"], &json["levels"][1]["states"]), (&false.into(), &7.into()));
    assert!(json["reason"].as_str().is_some_and(|reason| reason.contains("--max-memory")), "{json}");
    run(&["std:games/nim.kif", "--max-memory", "much"]).code(2);
}

/// Who moves first wins this Nim, and a database is the same for the rules from a file, from elsewhere, and in a
/// tournament.
#[test]
fn commands_play_by_databases() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| ludolog(directory.path(), args).assert();
    run(&["game", "solve", "std:games/nim.kif", "--database", "nim.values"]).success();
    run(&["game", "solve", "std:games/tic-tac-toe.kif", "--database", "tic-tac-toe.values"]).success();
    let match_with = |database: &str| {
        let clocks = ["--start-clock", "1s", "--play-clock", "1s", "--format", "json"];
        run(&[&["match", "std:games/nim.kif", "random", "legal", "--database", database], &clocks[..]].concat())
    };
    let record: Value = serde_json::from_slice(&match_with("nim.values").success().get_output().stdout).expect("JSON");
    assert_eq!(record["goalValues"], serde_json::json!([100, 0]));

    let bytes = std::fs::read(directory.path().join("nim.values")).expect("the database");
    std::fs::write(directory.path().join("half"), &bytes[..bytes.len() / 2]).expect("a file");
    std::fs::write(directory.path().join("text"), "values").expect("a file");
    for (database, reason) in [
        ("tic-tac-toe.values", "tic-tac-toe.values is no database of nim"),
        ("half", "half: the database is damaged or not complete"),
        ("text", "text: this is no database of a solved game"),
        ("missing", "cannot read missing"),
    ] {
        let error = match_with(database).code(2).get_output().stdout.clone();
        let error = String::from_utf8(error).expect("text");
        assert!(error.contains(reason), "{error}");
    }
}

/// A search sees through tic-tac-toe, and what it keeps is counted.
#[test]
fn values_that_searches_keep_are_counted() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| ludolog(directory.path(), args).assert();
    run(&["game", "solve", "std:games/tic-tac-toe.kif", "--database", "values"]).success();
    let bench = |game: &str| {
        let options = ["--database", "values", "--states", "20", "--play-clock", "300ms", "--format", "json"];
        run(&[&["bench", "players", game], &options[..]].concat())
    };
    let json: Value =
        serde_json::from_slice(&bench("std:games/tic-tac-toe.kif").success().get_output().stdout).expect("JSON");
    assert_eq!((&json[0]["positions"], &json[0]["value_kept"]), (&20.into(), &100.0.into()));
    bench("std:games/nim.kif").code(2);
}

#[test]
fn games_are_listed_shown_and_copied() {
    let directory = tempfile::tempdir().expect("a directory");
    let run = |args: &[&str]| ludolog(directory.path(), &[&["games"], args].concat()).assert();
    let list = run(&["list"]).success().get_output().stdout.clone();
    let list = String::from_utf8(list).expect("text");
    assert!(
        list.lines()
            .any(|line| line.starts_with("std:games/nim.kif ")
                && line.ends_with("Nim with heaps of one, three and five")),
        "{list}"
    );
    let shown = run(&["show", "connect-four-4x4"]).success().get_output().stdout.clone();
    assert!(!String::from_utf8_lossy(&shown).contains("include \""), "other systems read it");
    run(&["copy", "connect-four-4x4"]).success().stdout("./connect-four-4x4.kif\n");
    let copy = directory.path().join("connect-four-4x4.kif");
    assert_eq!(std::fs::read(&copy).expect("the copy"), shown);
    ludolog(directory.path(), &["check", "connect-four-4x4.kif"]).assert().success();
    std::fs::write(&copy, "own").expect("a file");
    run(&["copy", "std:games/connect-four-4x4.kif"]).code(2);
    assert_eq!(std::fs::read_to_string(&copy).expect("the copy"), "own");
    run(&["copy", "connect-four-4x4", ".", "--force"]).success();
    assert_eq!(std::fs::read(&copy).expect("the copy"), shown);
    let unknown = run(&["show", "conect-four"]).code(2).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&unknown).contains("did you mean `std:games/connect-four.kif`?"));
}
