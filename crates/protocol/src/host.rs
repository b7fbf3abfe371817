//! The player's side of matches: answers messages, whatever carries them.
//!
//! A match begins with START and ends with STOP, ABORT, or long after its last message. Each has a player of its own;
//! matches that think at the same time have the same number of threads each, so that the system shares the cores among them
//! equally. Clocks run from the arrival of a message. Players think on threads of their own: one that is late or panics costs
//! its match, and no other.

use crate::message::{Made, Message, Refusal, Reply};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{GameError, JointMove, Role, State, StateMachine, StateMachineExt, canonical};
use ludolog_logic::analysis;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_player::matches::{Clocks, thinking_time};
use ludolog_player::{Options, Player, PlayerKind, Rules};
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Statement, Term};
use ludolog_syntax::diagnostic::{Diagnostics, Severity, Sources, render};
use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// How matches are played.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The player.
    pub player: PlayerKind,
    /// The options of each player.
    pub options: Options,
    /// Most matches at once.
    pub matches: usize,
}

/// The circumstances of a message.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// When it arrived.
    pub at: Instant,
    /// Set when nobody waits for the reply any more.
    pub gone: Arc<AtomicBool>,
}

impl Arrival {
    /// A message that arrives, with somebody who waits for the reply.
    pub fn new() -> Self {
        Arrival { at: Instant::now(), gone: Arc::default() }
    }

    /// The time to think within a clock that runs since the arrival.
    fn budget(&self, clock: Duration) -> Budget {
        let left = thinking_time(clock).saturating_sub(self.at.elapsed());
        Budget::unlimited().with_timeout(left).with_interrupt(self.gone.clone())
    }

    fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }
}

impl Default for Arrival {
    fn default() -> Self {
        Self::new()
    }
}

/// A match whose manager is silent for so many of its clocks has no manager.
const SILENT_CLOCKS: u32 = 3;

/// Besides, the time that the other players and the network may take.
const SILENT_MARGIN: Duration = Duration::from_secs(30);

/// The stack of a thread that thinks: as much as the main thread has.
pub const STACK: usize = 8 << 20;

/// The time between two looks at a player who has been told to stop thinking.
const LOOK: Duration = Duration::from_millis(1);

/// The matches that are being played, by name.
pub struct Host {
    settings: Settings,
    tables: Mutex<HashMap<String, Arc<Table>>>,
}

/// A match.
struct Table {
    clocks: Clocks,
    last: Mutex<Last>,
    /// Whether START is answered.
    begun: AtomicBool,
    /// Locked while the player thinks.
    desk: Mutex<Place>,
}

/// The player of a match.
enum Place {
    /// It gets ready, perhaps longer than the start clock.
    GettingReady,
    Ready(Box<Desk>),
    Failed(Refusal),
}

/// The last message of a match.
struct Last {
    at: Instant,
    /// Interrupts the thinking about it.
    interrupt: Arc<AtomicBool>,
}

/// A player in a state of its match.
struct Desk {
    player: Box<dyn Player>,
    role: usize,
    state: State,
    /// The number of joint moves made.
    steps: u64,
    /// The last message, if its sender left without a reply, and so may send it again.
    unanswered: Option<Made>,
    /// The joint moves that the player expects from here.
    expected: VecDeque<JointMove>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Table {
    /// Notes a message.
    fn note(&self, arrival: &Arrival) {
        *lock(&self.last) = Last { at: Instant::now(), interrupt: arrival.gone.clone() };
    }

    fn is_abandoned(&self) -> bool {
        let silence = (self.clocks.start.max(self.clocks.play) * SILENT_CLOCKS).saturating_add(SILENT_MARGIN);
        lock(&self.last).at.elapsed() > silence
    }

    /// Stops the thinking about the last message.
    fn interrupt(&self) {
        lock(&self.last).interrupt.store(true, Ordering::Relaxed);
    }

    /// The player, as soon as it is ready and does not think about a message whose sender has left.
    ///
    /// # Errors
    ///
    /// It thinks for somebody who waits, or time is over.
    fn desk(&self, budget: &Budget) -> Result<MutexGuard<'_, Place>, Refusal> {
        loop {
            let is_waited_for = match self.desk.try_lock() {
                Ok(place) if !matches!(*place, Place::GettingReady) => return Ok(place),
                Ok(_) => !self.begun.load(Ordering::Relaxed),
                Err(TryLockError::Poisoned(place)) => return Ok(place.into_inner()),
                Err(TryLockError::WouldBlock) => !lock(&self.last).interrupt.load(Ordering::Relaxed),
            };
            if is_waited_for {
                return Err(Refusal::Untimely("another message of this match is not answered yet".to_owned()));
            }
            budget.check().map_err(|stopped| refusal(stopped.into()))?;
            std::thread::sleep(LOOK);
        }
    }
}

impl Host {
    /// A host without matches.
    pub fn new(settings: Settings) -> Self {
        Host { settings, tables: Mutex::default() }
    }

    /// The names of the matches.
    pub fn matches(&self) -> Vec<String> {
        lock(&self.tables).keys().cloned().collect()
    }

    /// Answers a message in time, or refuses it.
    pub fn answer(&self, message: &Message, arrival: &Arrival) -> Reply {
        let id = match message {
            Message::Info => return self.info(),
            Message::Ping => return Reply::Ready,
            Message::Preview { rules, clock } => {
                return match read(rules, &arrival.budget(*clock)) {
                    Ok(_) => Reply::Ready,
                    Err(refusal) => Reply::Refused(refusal),
                };
            }
            Message::Start { id, .. } | Message::Play { id, .. } | Message::Stop { id, .. } | Message::Abort { id } => {
                id
            }
        };
        let reply = match message {
            Message::Start { role, rules, start_clock, play_clock, .. } => {
                self.start(id, role, rules, Clocks { start: *start_clock, play: *play_clock }, arrival)
            }
            Message::Play { made, .. } => self.play(id, made, arrival),
            Message::Stop { .. } => self.end(id).map(|()| Reply::Done),
            _ => self.end(id).map(|()| Reply::Aborted),
        };
        reply.unwrap_or_else(Reply::Refused)
    }

    fn info(&self) -> Reply {
        let mut tables = lock(&self.tables);
        tables.retain(|_, table| !table.is_abandoned());
        let properties = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("player", self.settings.player.0.name.to_owned()),
            ("matches", tables.len().to_string()),
        ];
        Reply::Info {
            available: tables.len() < self.settings.matches,
            properties: properties.map(|(name, value)| (name.to_owned(), value)).into(),
        }
    }

    fn table(&self, id: &str) -> Result<Arc<Table>, Refusal> {
        lock(&self.tables).get(id).cloned().ok_or_else(|| Refusal::UnknownMatch(id.to_owned()))
    }

    fn end(&self, id: &str) -> Result<(), Refusal> {
        let table = lock(&self.tables).remove(id);
        table.ok_or_else(|| Refusal::UnknownMatch(id.to_owned()))?.interrupt();
        Ok(())
    }

    fn start(&self, id: &str, role: &Term, rules: &str, clocks: Clocks, arrival: &Arrival) -> Result<Reply, Refusal> {
        let last = Mutex::new(Last { at: Instant::now(), interrupt: arrival.gone.clone() });
        let desk = Mutex::new(Place::GettingReady);
        let table = Arc::new(Table { clocks, last, begun: AtomicBool::new(false), desk });
        {
            let mut tables = lock(&self.tables);
            tables.retain(|_, table| !table.is_abandoned());
            if tables.contains_key(id) {
                return Err(Refusal::Untimely(format!("match {id} has begun already")));
            }
            if tables.len() >= self.settings.matches {
                return Ok(Reply::Busy);
            }
            tables.insert(id.to_owned(), table.clone());
        }
        // On a thread of its own: a player that needs longer than the start clock gets ready while the clock of the first
        // move runs.
        let (sender, receiver) = channel();
        let (settings, role, rules) = (self.settings.clone(), role.clone(), rules.to_owned());
        let (its_table, its_arrival) = (table.clone(), arrival.clone());
        let get_ready = move || {
            let seated = catch_unwind(|| seat(&settings, &role, &rules, clocks, &its_arrival));
            let seated = seated.unwrap_or_else(|_| Err(Refusal::Wrong(FAILED.to_owned())));
            let result = seated.as_ref().map(|_| ()).map_err(Refusal::clone);
            *lock(&its_table.desk) = match seated {
                Ok(desk) => Place::Ready(Box::new(desk)),
                Err(refusal) => Place::Failed(refusal),
            };
            // The answer may have been given.
            _ = sender.send(result);
        };
        spawn(get_ready).inspect_err(|_| _ = self.end(id))?;
        let patience = clocks.start - (clocks.start - thinking_time(clocks.start)) / ANSWER_SHARE;
        let result = receiver.recv_timeout(patience.saturating_sub(arrival.at.elapsed())).unwrap_or(Ok(()));
        if result.is_err() || arrival.is_gone() {
            _ = self.end(id);
        }
        table.begun.store(true, Ordering::Relaxed);
        lock(&table.last).at = Instant::now();
        result.map(|()| Reply::Ready)
    }

    /// Thinks on a thread of its own, so that there is a move in time also if the player is not: the one that it expected to
    /// make, or else any legal one.
    fn play(&self, id: &str, made: &Made, arrival: &Arrival) -> Result<Reply, Refusal> {
        let table = self.table(id)?;
        let (sender, receiver) = channel();
        let answered = Arc::new(AtomicBool::new(false));
        let think = {
            let (table, made, arrival, answered) = (table.clone(), made.clone(), arrival.clone(), answered.clone());
            move || {
                let panicked = sender.clone();
                let thought = catch_unwind(AssertUnwindSafe(|| {
                    let result =
                        table.play(&made, &arrival, &answered, |move_in_time| _ = sender.send(Ok(move_in_time)));
                    // The answer may have been given.
                    _ = sender.send(result);
                }));
                if thought.is_err() {
                    *lock(&table.desk) = Place::Failed(Refusal::Wrong(FAILED.to_owned()));
                    _ = panicked.send(Err(Refusal::Wrong(FAILED.to_owned())));
                }
            }
        };
        spawn(think)?;
        let clock = table.clocks.play;
        let patience = clock - (clock - thinking_time(clock)) / ANSWER_SHARE;
        let mut best = Err(Refusal::Late("there was not enough time".to_owned()));
        let reply = loop {
            match receiver.recv_timeout(patience.saturating_sub(arrival.at.elapsed())) {
                Ok(Ok(Found::Fallback(made))) => best = Ok(Reply::Move(made)),
                Ok(Ok(Found::Chosen(made))) => break Ok(Reply::Move(made)),
                Ok(Err(refusal)) => break if matches!(refusal, Refusal::Late(_)) { best } else { Err(refusal) },
                Err(_) => break best,
            }
        };
        answered.store(true, Ordering::Relaxed);
        // Whoever still thinks about it may stop.
        arrival.gone.store(true, Ordering::Relaxed);
        lock(&table.last).at = Instant::now();
        reply
    }
}

/// A move of a player.
enum Found {
    /// One to make if time is over.
    Fallback(Term),
    /// The one that it has chosen.
    Chosen(Term),
}

/// What is said of a player that panics.
const FAILED: &str = "the player has failed; the match is over";

/// The part of the margin of a clock in which an answer is on its way: one in so many.
const ANSWER_SHARE: u32 = 2;

/// Runs on a thread that may think.
fn spawn(run: impl FnOnce() + Send + 'static) -> Result<(), Refusal> {
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(run);
    spawned.map(drop).map_err(|error| Refusal::Wrong(format!("there is no thread for the player: {error}")))
}

impl Table {
    /// Waits for the player, and lets it think.
    fn play(
        &self,
        made: &Made,
        arrival: &Arrival,
        answered: &AtomicBool,
        fallback: impl FnOnce(Found),
    ) -> Result<Found, Refusal> {
        let budget = arrival.budget(self.clocks.play);
        let mut place = self.desk(&budget)?;
        let desk = match &mut *place {
            Place::Ready(desk) => desk,
            Place::Failed(refusal) => return Err(refusal.clone()),
            Place::GettingReady => return Err(Refusal::Late("the player is not ready".to_owned())),
        };
        self.note(arrival);
        let found = desk.play(made, &budget, fallback);
        let left = arrival.is_gone() && !answered.load(Ordering::Relaxed);
        desk.unanswered = left.then(|| made.clone());
        found
    }
}

impl Desk {
    fn play(&mut self, made: &Made, budget: &Budget, fallback: impl FnOnce(Found)) -> Result<Found, Refusal> {
        let machine = self.player.machine();
        machine.set_budget(budget.clone());
        let is_repeated = self.unanswered.take().is_some_and(|unanswered| unanswered == *made);
        if let Some(moves) = moves(machine, self.role, self.steps, made)?.filter(|_| !is_repeated) {
            let joint = joint_move(machine, &self.state, &moves).map_err(refusal)?;
            self.state = machine.next_state(&self.state, &joint).map_err(refusal)?;
            self.steps += 1;
            if self.expected.pop_front().is_some_and(|expected| expected != joint) {
                self.expected.clear();
            }
        }
        if machine.is_terminal(&self.state).map_err(refusal)? {
            return Err(Refusal::Untimely("the game is over".to_owned()));
        }
        let legal = machine.legal_moves(&self.state, Role(self.role as u32)).map_err(refusal)?;
        let expected = self.expected.front().map(|joint| joint[self.role]).filter(|made| legal.contains(made));
        if let Some(made) = expected.or(legal.first().copied()) {
            fallback(Found::Fallback(machine.move_term(made).clone()));
        }
        let choice = self.player.play(&self.state, budget).map_err(refusal)?;
        if !choice.report.line.is_empty() {
            self.expected = choice.report.line.into();
        }
        Ok(Found::Chosen(self.player.machine().move_term(choice.made).clone()))
    }
}

/// A player that is ready for a match.
fn seat(settings: &Settings, role: &Term, rules: &str, clocks: Clocks, arrival: &Arrival) -> Result<Desk, Refusal> {
    let budget = arrival.budget(clocks.start);
    // Without machines there is no move at all, so they may take of the clock of the first one.
    let longer = arrival.budget(clocks.start + clocks.play / 2);
    let program = read(rules, &longer)?;
    let rules = Rules::new(&program, &budget).map_err(refusal)?;
    let game = rules.game(&longer).map_err(refusal)?;
    let state = game.reader().initial_state().clone();
    let roles = game.reader().roles();
    let Some(number) = place(roles, role) else {
        let roles: Vec<String> = roles.iter().map(canonical::text).collect();
        let role = canonical::text(role);
        return Err(Refusal::Wrong(format!("there is no role {role}; there are {}", roles.join(", "))));
    };
    let player = settings.player.0.player(game, Role(number as u32), &settings.options);
    let mut player = player.map_err(|unfit| Refusal::Wrong(unfit.to_string()))?;
    player.start(&budget, thinking_time(clocks.play)).map_err(refusal)?;
    Ok(Desk { player, role: number, state, steps: 0, unanswered: None, expected: VecDeque::new() })
}

/// The joint move that a message tells of; `None` if it tells of none, or of one that is made already.
fn moves(machine: &dyn StateMachine, role: usize, steps: u64, made: &Made) -> Result<Option<Vec<Term>>, Refusal> {
    match made {
        Made::Nothing if steps == 0 => Ok(None),
        Made::Nothing => Err(Refusal::Untimely("the last joint move is missing".to_owned())),
        Made::Joint(moves) => Ok(Some(moves.clone())),
        Made::Percepts { turn, .. } if *turn == steps => Ok(None),
        Made::Percepts { turn, own: Some(own), percepts } if *turn == steps + 1 => {
            let roles = machine.roles();
            let told = |(number, of): (usize, &Term)| match number == role {
                true => Some(own.clone()),
                false => percepts.iter().find_map(|percept| match percept {
                    Term::Compound(_, args) if args.len() == 2 && args[0] == *of => Some(args[1].clone()),
                    _ => None,
                }),
            };
            let joint: Option<Vec<Term>> = roles.iter().enumerate().map(told).collect();
            let reason =
                "the percepts do not tell the moves of all roles; games of imperfect information are not played";
            joint.map(Some).ok_or_else(|| Refusal::Wrong(reason.to_owned()))
        }
        Made::Percepts { turn, .. } => Err(Refusal::Untimely(format!("turn {turn} does not follow turn {steps}"))),
    }
}

/// The joint move of these terms. Managers that change the case of names are understood.
fn joint_move(machine: &mut dyn StateMachine, state: &State, terms: &[Term]) -> Result<JointMove, GameError> {
    let wrong = match machine.joint_move(state, terms) {
        Err(wrong @ GameError::IllegalMove { .. }) => wrong,
        result => return result,
    };
    let legal = machine.legal_terms(state)?;
    let respell =
        |(term, (_, moves)): (&Term, &(Term, Vec<Term>))| place(moves, term).map(|found| moves[found].clone());
    match terms.iter().zip(&legal).map(respell).collect::<Option<Vec<Term>>>() {
        Some(terms) => machine.joint_move(state, &terms),
        None => Err(wrong),
    }
}

/// The place of a term, or else of one that differs in case only.
fn place(terms: &[Term], term: &Term) -> Option<usize> {
    let text = canonical::text(term);
    let is_respelled = |other: &Term| canonical::text(other).eq_ignore_ascii_case(&text);
    terms.iter().position(|other| other == term).or_else(|| terms.iter().position(is_respelled))
}

fn refusal(error: GameError) -> Refusal {
    match &error {
        GameError::Stopped(Stopped::Timeout(_)) => Refusal::Late("there was not enough time".to_owned()),
        GameError::Stopped(Stopped::Interrupted) => Refusal::Untimely("the message was withdrawn".to_owned()),
        GameError::IllegalMove { role, given, .. } => {
            let [role, given] = [role, given].map(canonical::text);
            Refusal::Wrong(format!("{given} was not legal for {role}"))
        }
        _ => Refusal::Wrong(error.to_string()),
    }
}

/// Reads and analyzes a rulesheet.
fn read(rules: &str, budget: &Budget) -> Result<StratifiedProgram, Refusal> {
    let mut sources = Sources::new();
    let source = sources.add("rules", rules);
    let wrong = |mut diagnostics: Diagnostics, sources: &Sources| {
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        let lines = render::to_lines(&diagnostics, sources);
        let more = match diagnostics.iter().count() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        Refusal::Wrong(lines.lines().next().unwrap_or_default().to_owned() + &more)
    };
    let stopped = |stopped: Stopped| refusal(stopped.into());
    let parsed = ludolog_syntax::parse_within(source, &sources, Syntax::Kif, budget).map_err(stopped)?;
    let program = parsed.into_result().map_err(|diagnostics| wrong(diagnostics, &sources))?;
    if program.items.iter().any(|item| matches!(item.statement, Statement::Include(_) | Statement::Input(_))) {
        return Err(Refusal::Wrong("rules in messages include no files".to_owned()));
    }
    let analyzed = analysis::analyze_within(&program, budget).map_err(stopped)?;
    Ok(analyzed.map_err(|diagnostics| wrong(diagnostics, &sources))?.stratified)
}
