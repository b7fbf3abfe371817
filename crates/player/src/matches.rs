//! Matches: the referee asks the seats for moves, keeps their clocks, and records what happens.
//!
//! A [`Seat`] is whoever plays a role, near or far: it is told joint moves as terms and answers with a term. [`Local`]
//! seats a [`Player`] of this process. An answer that is late, illegal or missing is replaced by a random legal move.
//! Where the game hides its states, a seat is told its own move and what its role sees, and nothing else. Chance has the
//! seat [`Nature`], for which the referee draws.

use crate::game::{Game, GameReasoner};
use crate::hidden::belief::Observation;
use crate::player::{Choice, Player, SearchReport, settled};
use crate::registry::{Options, PlayerKind, Unfit};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{
    Draw, GameError, JointMove, LegalMoves, Move, PlayoutEnd, Role, State, StateMachine, StateMachineExt,
};
use ludolog_syntax::ast::Term;
use ludolog_syntax::budget::Stopwatch;
use std::panic::resume_unwind;
use std::time::Duration;

/// The time that players have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Before the first move.
    pub start: Duration,
    /// For each move.
    pub play: Duration,
}

/// The part of a clock that a seat does not think, so that its answer arrives in time.
const MARGIN: f64 = 0.045;

/// The least margin: some slices of time that a busy system gives to others.
const LEAST_MARGIN: Duration = Duration::from_millis(15);

/// The time to think within a clock: what is left after a margin, and half of a clock that is hardly longer than that.
pub fn thinking_time(clock: Duration) -> Duration {
    clock.saturating_sub(clock.mul_f64(MARGIN).max(LEAST_MARGIN)).max(clock / 2)
}

/// The thoughts of a seat, in terms.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thought {
    /// The report of the player.
    pub report: SearchReport,
    /// The joint moves that it expects.
    pub line: Vec<Vec<Term>>,
}

/// Why a seat has no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum SeatFault {
    /// It came after this time.
    Late(Duration),
    /// The move is not legal.
    Illegal(Term),
    /// There was none, for this reason.
    Failed(String),
}

/// What a seat is told of the match since it was asked before.
#[derive(Clone, Debug, PartialEq)]
pub enum ToldMove {
    /// No move was made.
    Nothing,
    /// A move for each role.
    Joint(Vec<Term>),
    /// Its own move and what it sees (GDL-II).
    Percepts {
        /// The number of joint moves made.
        turn: u64,
        /// Its own move; `None` at first.
        own: Option<Term>,
        /// The percepts.
        percepts: Vec<Term>,
    },
}

/// What a role knows of its match.
#[derive(Clone, Debug)]
pub enum Position {
    /// The state.
    Known(State),
    /// What it has done and seen since the first state.
    Hidden(Vec<Observation>),
}

impl Position {
    /// The first one of a game.
    pub fn first(machine: &dyn StateMachine) -> Position {
        if machine.hides() { Position::Hidden(Vec::new()) } else { Position::Known(machine.initial_state().clone()) }
    }

    /// The choice of a player.
    ///
    /// # Errors
    ///
    /// As [`Player::play`].
    pub fn choose(&self, player: &mut dyn Player, budget: &Budget) -> Result<Choice, GameError> {
        match self {
            Position::Known(state) => player.play(state, budget),
            Position::Hidden(seen) => player.play_hidden(seen, budget),
        }
    }
}

/// Whoever plays a role. The seats of a match are asked at the same time, each on a thread of its own.
pub trait Seat: Send {
    /// The name of the player.
    fn name(&self) -> &str;

    /// Tells that the match begins; the seat answers when it is ready.
    ///
    /// # Errors
    ///
    /// The reason why the seat cannot play.
    fn start(&mut self, clocks: Clocks, budget: &Budget) -> Result<Thought, String>;

    /// Tells the last joint move, or what the role sees of it, and asks for the next move.
    ///
    /// # Errors
    ///
    /// The reason why there is no move.
    fn play(&mut self, told: &ToldMove, clocks: Clocks, budget: &Budget) -> Result<(Term, Thought), String>;

    /// Tells that the match goes on from the state of these facts, an earlier one maybe: the next move asked for is one
    /// in that state.
    ///
    /// # Errors
    ///
    /// The reason why the seat cannot do so; then it stays where it is.
    fn return_to(&mut self, state: &[Term]) -> Result<(), String> {
        _ = state;
        Err(format!("{} cannot take moves back", self.name()))
    }

    /// Tells that the match is over: after this joint move, or without a result (`None`).
    fn stop(&mut self, told: Option<&ToldMove>);

    /// Whether it is the seat of chance, which is not asked: the referee draws its moves.
    fn is_nature(&self) -> bool {
        false
    }
}

/// The seat of the role `random` (GDL-II).
pub struct Nature;

impl Seat for Nature {
    fn name(&self) -> &str {
        "random"
    }

    fn start(&mut self, _: Clocks, _: &Budget) -> Result<Thought, String> {
        Ok(Thought::default())
    }

    fn play(&mut self, _: &ToldMove, _: Clocks, _: &Budget) -> Result<(Term, Thought), String> {
        Err("chance is not asked for moves".to_owned())
    }

    fn return_to(&mut self, _: &[Term]) -> Result<(), String> {
        Ok(())
    }

    fn stop(&mut self, _: Option<&ToldMove>) {}

    fn is_nature(&self) -> bool {
        true
    }
}

/// Makes the player of a role from its machines.
pub type Maker = dyn Fn(Game, Role) -> Result<Box<dyn Player>, Unfit> + Send;

/// A seat with a player of this process.
pub struct Local {
    rules: GameReasoner,
    role: Role,
    name: String,
    make: Box<Maker>,
    seated: Option<(Box<dyn Player>, Position)>,
}

impl Local {
    /// A seat for a role. The player is made when the match begins.
    pub fn new(rules: GameReasoner, role: Role, name: &str, make: Box<Maker>) -> Self {
        Local { rules, role, name: name.to_owned(), make, seated: None }
    }

    /// A seat for a role, with a player of the registry.
    pub fn of(rules: GameReasoner, role: Role, kind: PlayerKind, options: Options) -> Self {
        Self::new(rules, role, kind.0.name, Box::new(move |game, role| kind.0.player(game, role, &options)))
    }
}

fn thought(machine: &dyn StateMachine, report: SearchReport) -> Thought {
    let terms = |joint: &[Move]| joint.iter().map(|&made| machine.move_term(made).clone()).collect();
    Thought { line: report.line.iter().map(|joint| terms(joint)).collect(), report }
}

impl Seat for Local {
    fn name(&self) -> &str {
        &self.name
    }

    fn start(&mut self, clocks: Clocks, budget: &Budget) -> Result<Thought, String> {
        let budget = budget.clone().with_time(thinking_time(clocks.start));
        let game = self.rules.game(&budget).map_err(|error| error.to_string())?;
        let first = Position::first(game.reader());
        let mut player = (self.make)(game, self.role).map_err(|unfit| unfit.to_string())?;
        let report = player.start(&budget, thinking_time(clocks.play)).map_err(|error| error.to_string())?;
        let thought = thought(player.machine(), report);
        self.seated = Some((player, first));
        Ok(thought)
    }

    fn play(&mut self, told: &ToldMove, clocks: Clocks, budget: &Budget) -> Result<(Term, Thought), String> {
        let budget = budget.clone().with_time(thinking_time(clocks.play));
        let (player, position) = self.seated.as_mut().ok_or("the player is not ready")?;
        match (told, &mut *position) {
            (ToldMove::Joint(made), Position::Known(state)) => {
                *state = after(player.machine(), state, made, &budget).map_err(|error| error.to_string())?;
            }
            (ToldMove::Percepts { turn: 1.., own, percepts }, Position::Hidden(seen)) => {
                seen.push(Observation { made: own.clone(), percepts: percepts.clone() });
            }
            _ => {}
        }
        let choice = position.choose(&mut **player, &budget).map_err(|error| error.to_string())?;
        let machine = player.machine();
        Ok((machine.move_term(choice.made).clone(), thought(machine, choice.report)))
    }

    fn return_to(&mut self, facts: &[Term]) -> Result<(), String> {
        let (player, position) = self.seated.as_mut().ok_or("the player is not ready")?;
        let Position::Known(state) = position else { return Err("a game with hidden states is not taken back".into()) };
        *state = player.machine().state_of(facts.to_vec()).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn stop(&mut self, _: Option<&ToldMove>) {
        self.seated = None;
    }
}

fn after(machine: &mut dyn StateMachine, state: &State, made: &[Term], budget: &Budget) -> Result<State, GameError> {
    machine.set_budget(budget.rest());
    let joint = machine.joint_move(state, made)?;
    machine.next_state(state, &joint)
}

/// One joint move of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPly {
    /// The move of each role.
    pub joint: Vec<Term>,
    /// By role: why the move is not the seat's own.
    pub faults: Vec<Option<SeatFault>>,
    /// By role: the time that the seat took.
    pub times: Vec<Duration>,
    /// By role: what the seat thought, if it answered.
    pub thoughts: Vec<Option<Thought>>,
    /// By role: what it saw of the joint move; `None` if the game hides nothing.
    pub percepts: Option<Vec<Vec<Term>>>,
}

/// A match as it was played.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchRecord {
    /// The roles.
    pub roles: Vec<Term>,
    /// By role: the name of the player.
    pub players: Vec<String>,
    /// The clocks.
    pub clocks: Clocks,
    /// By role: why the seat did not get ready.
    pub unready: Vec<Option<SeatFault>>,
    /// By role: what the seat thought before the first move.
    pub preparations: Vec<Option<Thought>>,
    /// The states in order, the first one at first; each is the set of its facts.
    pub states: Vec<Vec<Term>>,
    /// The times at which they were reached, since the match began.
    pub state_times: Vec<Duration>,
    /// The joint moves between them.
    pub plies: Vec<RecordedPly>,
    /// The goals in the last state.
    pub goals: Vec<Option<i64>>,
    /// Why it ended; `None` if it was interrupted.
    pub end: Option<PlayoutEnd>,
}

impl MatchRecord {
    /// A match of these seats that has not begun.
    pub fn new(machine: &dyn StateMachine, seats: &[Box<dyn Seat>], clocks: Clocks) -> MatchRecord {
        MatchRecord {
            roles: machine.roles().to_vec(),
            players: seats.iter().map(|seat| seat.name().to_owned()).collect(),
            clocks,
            unready: Vec::new(),
            preparations: Vec::new(),
            states: vec![machine.facts(machine.initial_state())],
            state_times: vec![Duration::ZERO],
            plies: Vec::new(),
            goals: Vec::new(),
            end: None,
        }
    }

    /// Adds a joint move with the state that it led to, and the time of that state.
    pub fn push(&mut self, ply: RecordedPly, state: Vec<Term>, time: Duration) {
        self.states.push(state);
        self.state_times.push(time);
        self.plies.push(ply);
    }

    /// Takes back all joint moves but the first ones, as many as said.
    pub fn truncate(&mut self, plies: usize) {
        self.plies.truncate(plies);
        self.states.truncate(plies + 1);
        self.state_times.truncate(plies + 1);
        (self.goals, self.end) = (Vec::new(), None);
    }

    /// The goals in the last state by which seats are scored: where one role alone has no single goal it gets what the
    /// others leave of 100, as players take it; else what is no goal counts 0.
    pub fn scores(&self) -> Vec<i64> {
        settled(&self.goals).collect()
    }

    /// What the seats are told of the last joint move, by role. `hides` says whether the game hides its states.
    pub fn told(&self, hides: bool) -> Vec<ToldMove> {
        let turn = self.plies.len() as u64;
        let of_role = |role: usize| match self.plies.last() {
            None if hides => ToldMove::Percepts { turn, own: None, percepts: Vec::new() },
            None => ToldMove::Nothing,
            Some(RecordedPly { joint, percepts: None, .. }) => ToldMove::Joint(joint.clone()),
            Some(RecordedPly { joint, percepts: Some(percepts), .. }) => {
                ToldMove::Percepts { turn, own: Some(joint[role].clone()), percepts: percepts[role].clone() }
            }
        };
        (0..self.roles.len()).map(of_role).collect()
    }

    /// The playouts of a role's moves, and the time that they took.
    pub fn playouts(&self, role: usize) -> (u64, Duration) {
        let thoughts = self.plies.iter().filter_map(|ply| ply.thoughts[role].as_ref());
        thoughts.fold((0, Duration::ZERO), |(playouts, time), thought| {
            (playouts + thought.report.playouts, time + thought.report.time)
        })
    }

    /// The faults of a role, in order.
    pub fn faults(&self, role: usize) -> impl Iterator<Item = &SeatFault> {
        self.unready
            .get(role)
            .into_iter()
            .flatten()
            .chain(self.plies.iter().filter_map(move |ply| ply.faults[role].as_ref()))
    }
}

/// The seats of a match, by role, which are asked together.
pub struct Seats<'s> {
    /// The seats.
    pub seats: &'s mut [Box<dyn Seat>],
    /// Their clocks.
    pub clocks: Clocks,
    /// The time after which a move is a fault.
    pub latest: Duration,
}

impl Seats<'_> {
    /// Tells all seats that the match begins: by role what they thought, and why they are not ready.
    pub fn start(&mut self, budget: &Budget) -> (Vec<Option<Thought>>, Vec<Option<SeatFault>>) {
        let clocks = self.clocks;
        let answers = ask(self.seats, budget, |_, seat| seat.start(clocks, budget)).into_iter();
        let told = answers.map(|(answer, took)| {
            let late = (took > clocks.start).then_some(SeatFault::Late(took));
            match answer {
                Ok(thought) => (Some(thought), late),
                Err(reason) => (None, late.or(Some(SeatFault::Failed(reason)))),
            }
        });
        told.unzip()
    }

    /// Tells each seat the last joint move, or what it sees of it, and asks for their next moves, of which each has one.
    /// The moves of chance are drawn; what is no legal move is replaced by one that is drawn. The percepts are left to the
    /// caller.
    pub fn ply(
        &mut self,
        told: &[ToldMove],
        legal: &LegalMoves,
        machine: &dyn StateMachine,
        draw: &mut Draw,
        budget: &Budget,
    ) -> (JointMove, RecordedPly) {
        let clocks = self.clocks;
        let answers =
            ask(self.seats, budget, |role, seat| (!seat.is_nature()).then(|| seat.play(&told[role], clocks, budget)));
        let mut ply = RecordedPly {
            joint: Vec::new(),
            faults: Vec::new(),
            times: Vec::new(),
            thoughts: Vec::new(),
            percepts: None,
        };
        let mut joint = Vec::with_capacity(legal.len());
        for ((answer, took), moves) in answers.into_iter().zip(legal) {
            let (made, thought, fault) = match answer {
                None => (None, None, None),
                Some(Ok((term, thought))) => {
                    let made = moves.iter().copied().find(|&made| *machine.move_term(made) == term);
                    match made {
                        _ if took > self.latest => (None, Some(thought), Some(SeatFault::Late(took))),
                        None => (None, Some(thought), Some(SeatFault::Illegal(term))),
                        made => (made, Some(thought), None),
                    }
                }
                Some(Err(_)) if took > self.latest => (None, None, Some(SeatFault::Late(took))),
                Some(Err(reason)) => (None, None, Some(SeatFault::Failed(reason))),
            };
            // Drawn in any case, so that the draws of one seat do not depend on the faults of another.
            let random = moves[draw.below(moves.len())];
            joint.push(made.unwrap_or(random));
            ply.times.push(took);
            ply.thoughts.push(thought);
            ply.faults.push(fault);
        }
        ply.joint = joint.iter().map(|&made| machine.move_term(made).clone()).collect();
        (joint.into(), ply)
    }

    /// Tells all seats that the match is over: after this joint move, or without a result (`None`).
    pub fn stop(&mut self, told: Option<&[ToldMove]>, budget: &Budget) {
        ask(self.seats, budget, |role, seat| seat.stop(told.map(|told| &told[role])));
    }
}

/// A referee with the seats of one match.
pub struct Match<'m> {
    /// The machine of the referee.
    pub game: &'m mut Game,
    /// By role.
    pub seats: &'m mut [Box<dyn Seat>],
    /// The clocks.
    pub clocks: Clocks,
    /// Most joint moves.
    pub max_steps: usize,
    /// The seed of random moves.
    pub seed: u64,
}

impl Match<'_> {
    /// Plays the match. `budget` gives the clock, and interrupts; each state is told to `watch`.
    ///
    /// # Errors
    ///
    /// [`GameError`], when the referee's machine fails.
    pub fn play(self, budget: &Budget, mut watch: impl FnMut(&MatchRecord)) -> Result<MatchRecord, GameError> {
        let Match { game, seats, clocks, max_steps, seed } = self;
        let mut draw = Draw::new(seed);
        let machine = game.machine();
        machine.set_budget(budget.clone());
        let hides = machine.hides();
        let mut state = machine.initial_state().clone();
        let mut record = MatchRecord::new(machine, seats, clocks);
        let mut table = Seats { seats, clocks, latest: clocks.play };
        let clock = Stopwatch::start(budget);
        watch(&record);
        (record.preparations, record.unready) = table.start(budget);
        watch(&record);
        let end = loop {
            if machine.is_terminal(&state)? {
                break Some(PlayoutEnd::Terminal);
            }
            if record.plies.len() >= max_steps {
                break Some(PlayoutEnd::MaxSteps);
            }
            let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
            if let Some(stuck) = legal.iter().position(Vec::is_empty) {
                break Some(PlayoutEnd::Stuck(Role(stuck as u32)));
            }
            let (joint, mut ply) = table.ply(&record.told(hides), &legal, machine, &mut draw, budget);
            if let Err(Stopped::Interrupted) = budget.check() {
                break None;
            }
            if hides {
                ply.percepts = Some(machine.percept_terms(&state, &joint)?);
            }
            state = machine.next_state(&state, &joint)?;
            record.push(ply, machine.facts(&state), clock.elapsed());
            watch(&record);
        };
        record.end = end;
        record.goals = machine.goals(&state)?;
        let told = record.told(hides);
        let is_over = end.is_some() && !record.plies.is_empty();
        table.stop(is_over.then_some(&*told), budget);
        Ok(record)
    }
}

/// The stack of a thread that a seat is asked on: as much as the main thread has.
const STACK: usize = 8 << 20;

/// Asks all seats at the same time: the answers in order, with the time that each took.
fn ask<T: Send>(
    seats: &mut [Box<dyn Seat>],
    budget: &Budget,
    question: impl Fn(usize, &mut dyn Seat) -> T + Sync,
) -> Vec<(T, Duration)> {
    let timed = |(role, seat): (usize, &mut Box<dyn Seat>)| {
        let watch = Stopwatch::start(budget);
        let answer = question(role, &mut **seat);
        (answer, watch.elapsed())
    };
    match seats {
        [seat] => vec![timed((0, seat))],
        // A browser has one thread.
        seats if cfg!(target_family = "wasm") => seats.iter_mut().enumerate().map(timed).collect(),
        seats => std::thread::scope(|scope| {
            let timed = &timed;
            let spawn = seats.iter_mut().enumerate().map(|seat| {
                let thread = std::thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, move || timed(seat)).expect("the system has threads")
            });
            let asked: Vec<_> = spawn.collect();
            asked.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        }),
    }
}
