//! The whole tree of a small game in which roles take turns, each state labelled with what best play comes to.
//!
//! Labels go from the ends to the first state (Zermelo, *Über eine Anwendung der Mengenlehre auf die Theorie des
//! Schachspiels*, 1913): whoever is to move makes the move that is best for itself. Among moves that are equally good
//! it makes the one that ends the game soonest if its goal is at least half of the greatest, and else the one that ends
//! it latest. With two roles whose goals have a constant sum the labels are the values of the game; with others they
//! are those of one equilibrium (max^n: Luckhardt and Irani, *An algorithmic solution of N-person games*, 1986), and moves
//! that are equally good for one role may decide between others. So with more roles than two each state also has what each
//! role can force alone, though all others play against it: among moves of the same value that which forces most is made,
//! and a value is proven where it is forced.

use crate::game::Game;
use crate::player::{Choice, Player, SearchReport, is_stop, legal_moves, place, settled};
use indexmap::IndexMap;
use ludolog_engine::Budget;
use ludolog_game::{GameError, JointMove, JointMoves, Role, State, StateMachine};
use ludolog_solve::Unsolved;
use ludolog_syntax::budget::Stopwatch;
use rustc_hash::FxBuildHasher;
use std::fmt;
use std::mem::size_of;
use std::time::Duration;

/// A goal that counts as a win when moves are equally good.
const WIN: i64 = 50;

/// The result of best play from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestPlay {
    /// The goals of all roles at the end. Where one role alone has none it gets what the others leave of 100; else what is
    /// no goal counts 0.
    pub goals: Vec<i64>,
    /// With more than two roles, the goal that each can force against all others; else empty.
    pub forced: Vec<i64>,
    /// The number of joint moves until then.
    pub steps: usize,
    /// The joint moves with the numbers of the states that they lead to; none at the end.
    pub children: Vec<(JointMove, usize)>,
    /// The place of the best of them.
    pub best: usize,
    /// The role to move: the only one with a choice, or the first if none has one.
    pub to_move: Role,
}

/// Why a game has no labelled tree.
#[derive(Debug)]
pub enum NoTree {
    /// The game hides its states (GDL-II), so that states have no values of their own.
    Hidden,
    /// A role moves at random.
    Chance,
    /// Several roles choose at once.
    Simultaneous,
    /// A state can come again.
    Cyclic,
    /// There are more states than were allowed.
    TooManyStates(usize),
    /// The machine failed, or its budget ended.
    Game(GameError),
}

impl fmt::Display for NoTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTree::Hidden => f.write_str("the game hides its states, so no state has a value of its own"),
            NoTree::Chance => f.write_str(
                "a role moves at random, so the value of a state is an expectation, which a tree does not tell",
            ),
            NoTree::Simultaneous => f.write_str("several roles choose at once, so no state has a value of its own"),
            NoTree::Cyclic => f.write_str("a state can come again, so play need not end"),
            NoTree::TooManyStates(most) => write!(f, "there are more than {most} states"),
            NoTree::Game(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoTree {}

impl From<GameError> for NoTree {
    fn from(error: GameError) -> Self {
        NoTree::Game(error)
    }
}

/// The states that can be reached from one, each with its label.
#[derive(Clone, Debug)]
pub struct GameTree {
    /// In the order in which they were reached; `None` while a label is not known.
    labels: IndexMap<State, Option<BestPlay>, FxBuildHasher>,
    flaw: Option<Unsolved>,
}

/// A state whose children are visited.
struct OpenState {
    state: usize,
    children: Vec<(JointMove, usize)>,
    to_move: Role,
    next: usize,
}

impl GameTree {
    /// Labels all states that can be reached from a state.
    ///
    /// # Errors
    ///
    /// [`NoTree`].
    pub fn new(
        machine: &mut dyn StateMachine,
        start: &State,
        max_states: usize,
        budget: &Budget,
    ) -> Result<GameTree, NoTree> {
        if machine.hides() {
            return Err(NoTree::Hidden);
        }
        if machine.has_chance() {
            return Err(NoTree::Chance);
        }
        let mut tree = GameTree { labels: IndexMap::default(), flaw: None };
        tree.labels.insert(start.clone(), None);
        let mut path: Vec<OpenState> = Vec::new();
        let mut on_path: Vec<bool> = Vec::new();
        let mut visit = Some(0);
        loop {
            if let Some(state) = visit.take() {
                budget.check().map_err(GameError::from)?;
                machine.set_budget(budget.rest());
                if let Some(open) = tree.open(machine, state, max_states)? {
                    on_path.resize(tree.labels.len(), false);
                    on_path[state] = true;
                    path.push(open);
                }
            }
            let Some(mut open) = path.pop() else { return Ok(tree) };
            let Some(&(_, child)) = open.children.get(open.next) else {
                on_path[open.state] = false;
                tree.label(open);
                continue;
            };
            open.next += 1;
            path.push(open);
            match tree.labels[child] {
                Some(_) => {}
                None if on_path.get(child).copied().unwrap_or(false) => return Err(NoTree::Cyclic),
                None => visit = Some(child),
            }
        }
    }

    /// Why the labels are guesses: a state that was found in which play cannot go on though it is not over, or in which a
    /// role has no single goal. `None` if there is no such state.
    pub fn flaw(&self) -> Option<&Unsolved> {
        self.flaw.as_ref()
    }

    /// Labels a state that play does not leave, because it is over or because a role has no legal move.
    fn close(&mut self, machine: &mut dyn StateMachine, number: usize, stuck: Option<Role>) -> Result<(), NoTree> {
        let state = self.state(number).clone();
        let goals = machine.all_goals(std::slice::from_ref(&state))?.swap_remove(0);
        if let Some(role) = stuck {
            let role = machine.roles()[place(role)].clone();
            self.flaw.get_or_insert(Unsolved::Stuck(role, state));
        } else if goals.contains(&None) {
            self.flaw.get_or_insert(Unsolved::NoGoal(state));
        }
        let goals: Vec<i64> = settled(&goals).collect();
        let forced = if goals.len() > 2 { goals.clone() } else { Vec::new() };
        self.labels[number] =
            Some(BestPlay { goals, forced, steps: 0, children: Vec::new(), best: 0, to_move: Role(0) });
        Ok(())
    }

    /// Finds the children of a state; `None` if it has none, and is labelled.
    fn open(
        &mut self,
        machine: &mut dyn StateMachine,
        number: usize,
        max_states: usize,
    ) -> Result<Option<OpenState>, NoTree> {
        let state = self.state(number).clone();
        if machine.is_terminal(&state)? {
            self.close(machine, number, None)?;
            return Ok(None);
        }
        let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
        if let Some(stuck) = legal.iter().position(Vec::is_empty) {
            self.close(machine, number, Some(Role(stuck as u32)))?;
            return Ok(None);
        }
        let mut choosers = (0..).map(Role).zip(&legal).filter(|(_, moves)| moves.len() > 1).map(|(role, _)| role);
        let to_move = choosers.next().unwrap_or(Role(0));
        if choosers.next().is_some() {
            return Err(NoTree::Simultaneous);
        }
        let joint: Vec<JointMove> = JointMoves::new(legal).collect();
        let steps: Vec<_> = joint.iter().map(|joint| (&state, &**joint)).collect();
        let next = machine.next_states(&steps)?;
        let mut children = Vec::with_capacity(joint.len());
        for (joint, next) in joint.into_iter().zip(next) {
            let entry = self.labels.entry(next);
            children.push((joint, entry.index()));
            entry.or_insert(None);
        }
        if self.labels.len() > max_states {
            return Err(NoTree::TooManyStates(max_states));
        }
        Ok(Some(OpenState { state: number, children, to_move, next: 0 }))
    }

    fn label(&mut self, open: OpenState) {
        let me = place(open.to_move);
        let rank = |&(_, child): &(JointMove, usize)| {
            let label = self.at(child);
            let goal = label.goals[me];
            let forced = label.forced.get(me).copied();
            (goal, forced, if goal >= WIN { -(label.steps as i64) } else { label.steps as i64 })
        };
        let ranks: Vec<_> = open.children.iter().map(rank).collect();
        // The first of the best.
        let best = (0..ranks.len()).rev().max_by_key(|&place| ranks[place]).unwrap_or(0);
        let label = self.at(open.children[best].1);
        let goals = label.goals.clone();
        let steps = label.steps + 1;
        let forced = (0..label.forced.len()).map(|role| {
            let after = open.children.iter().map(|&(_, child)| self.at(child).forced[role]);
            if role == me { after.max() } else { after.min() }.unwrap_or(0)
        });
        let forced = forced.collect();
        let OpenState { state, children, to_move, .. } = open;
        self.labels[state] = Some(BestPlay { goals, forced, steps, children, best, to_move });
    }

    /// Whether what a state comes to for a role is certain: no state is flawed, and the others cannot change it, who may be
    /// indifferent between moves that this role is not.
    pub fn proves(&self, label: &BestPlay, role: Role) -> bool {
        let me = place(role);
        self.flaw.is_none() && label.forced.get(me).is_none_or(|forced| *forced >= label.goals[me])
    }

    /// The number of states. The first is the one that the tree was made from.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are no states, which is never so.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// The state of a number.
    ///
    /// # Panics
    ///
    /// If there are fewer states.
    pub fn state(&self, number: usize) -> &State {
        self.labels.get_index(number).expect("the state is in the tree").0
    }

    /// The label of the state of a number.
    ///
    /// # Panics
    ///
    /// If there are fewer states.
    pub fn at(&self, number: usize) -> &BestPlay {
        self.labels[number].as_ref().expect("each state is labelled when the tree is done")
    }

    /// The label of a state; `None` if it cannot be reached.
    pub fn get(&self, state: &State) -> Option<&BestPlay> {
        self.labels.get(state)?.as_ref()
    }

    /// The joint moves of best play from a state on.
    pub fn line(&self, state: &State) -> Vec<JointMove> {
        let mut line = Vec::new();
        let mut label = self.get(state);
        while let Some((joint, next)) = label.and_then(|label| label.children.get(label.best)) {
            line.push(joint.clone());
            label = Some(self.at(*next));
        }
        line
    }
}

/// Plays by the labelled tree of the game, as far as there was time to make it.
pub struct Zermelo {
    game: Game,
    role: Role,
    max_states: usize,
    tree: Option<GameTree>,
}

impl Zermelo {
    /// A player of this role, with a tree of at most so many bytes.
    pub fn new(game: Game, role: Role, memory: usize) -> Self {
        let state = game.reader().initial_state();
        // A state has some children, each with a joint move.
        let bytes = size_of::<(State, Option<BestPlay>)>() + 4 * state.words().len() + 512;
        Zermelo { game, role, max_states: memory / bytes, tree: None }
    }

    /// Makes the tree of the whole game.
    ///
    /// # Errors
    ///
    /// [`NoTree`].
    pub fn make_tree(&mut self, budget: &Budget) -> Result<(), NoTree> {
        let initial = self.game.machine().initial_state().clone();
        self.tree = Some(GameTree::new(self.game.machine(), &initial, self.max_states, budget)?);
        Ok(())
    }

    /// The machines, for another player.
    pub fn into_game(self) -> Game {
        self.game
    }

    fn solve(&mut self, state: &State, budget: &Budget) -> Result<SearchReport, GameError> {
        let watch = Stopwatch::start(budget);
        let mut report = SearchReport::default();
        if self.tree.as_ref().is_none_or(|tree| tree.get(state).is_none()) {
            match GameTree::new(self.game.machine(), state, self.max_states, budget) {
                Ok(tree) => (report.nodes, self.tree) = (tree.len() as u64, Some(tree)),
                Err(NoTree::Game(error)) if !is_stop(&error) => return Err(error),
                Err(reason) => report.note = Some(format!("no tree: {reason}")),
            }
        }
        if let Some((tree, label)) = self.tree.as_ref().and_then(|tree| Some((tree, tree.get(state)?))) {
            report.value = Some(label.goals[place(self.role)] as f64);
            (report.depth, report.line) = (label.steps, tree.line(state));
            report.proven = tree.proves(label, self.role);
            report.note = tree.flaw().map(|flaw| format!("nothing is proven: {flaw}"));
        }
        report.time = watch.elapsed();
        Ok(report)
    }
}

impl Player for Zermelo {
    fn machine(&mut self) -> &mut dyn StateMachine {
        self.game.machine()
    }

    fn start(&mut self, budget: &Budget, _: Duration) -> Result<SearchReport, GameError> {
        let initial = self.game.machine().initial_state().clone();
        self.solve(&initial, budget)
    }

    fn play(&mut self, state: &State, budget: &Budget) -> Result<Choice, GameError> {
        let legal = legal_moves(self.game.machine(), state, self.role, budget)?;
        // Without a choice a tree is not worth its time, but one that is there tells the value.
        if legal.len() == 1 && self.tree.is_none() {
            return Ok(Choice { made: legal[0], report: SearchReport::default() });
        }
        let report = self.solve(state, budget)?;
        let best = report.line.first().map(|joint| joint[place(self.role)]);
        Ok(Choice { made: best.filter(|made| legal.contains(made)).unwrap_or(legal[0]), report })
    }
}
