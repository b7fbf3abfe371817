//! The player's side of matches: answers messages, whatever carries them.
//!
//! A match begins with START and ends with STOP, ABORT, or long after its last message. Each has a player of its own;
//! matches that think at the same time have the same number of threads each, so that the system shares the cores among
//! them equally. Clocks run from the arrival of a message. Players think on threads of their own: for one that is late
//! or panics its stand-in makes any legal move.

use crate::message::{Message, MessageRefusal, PlayerReply};
use crate::stand_in::{Course, StandIn, Transcript, refusal};
use ludolog_engine::{Budget, Stopped};
use ludolog_game::{JointMove, Role};
use ludolog_logic::analysis;
use ludolog_logic::analysis::clause::StratifiedProgram;
use ludolog_player::matches::{Clocks, Position, ToldMove, thinking_time};
use ludolog_player::{GameReasoner, Options, Player, PlayerKind};
use ludolog_syntax::Syntax;
use ludolog_syntax::ast::{Statement, Term};
use ludolog_syntax::diagnostic::{Diagnostics, Severity, Sources, render};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// The settings of matches.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The player.
    pub player: PlayerKind,
    /// The options of each player.
    pub options: Options,
    /// Most matches at once.
    pub matches: usize,
    /// The limit of thinking besides clocks: the memory of the process.
    pub limits: Budget,
}

/// The circumstances of a message.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// When it arrived.
    pub at: Instant,
    /// Set when nobody waits for the reply any more.
    pub gone: Arc<AtomicBool>,
    /// Oddities of the reply, for those who watch.
    pub remark: Arc<OnceLock<Remark>>,
}

/// An oddity of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The move is the first legal one by the rules alone, since the player was not ready.
    StoodIn,
    /// The move is a legal one that the player has not chosen, since it gave up; why.
    GaveUp(String),
    /// The move comes after its clock.
    Late,
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::StoodIn => write!(f, "the player was not ready: any legal move"),
            Remark::GaveUp(reason) => write!(f, "{reason}: any legal move"),
            Remark::Late => write!(f, "late: the clock was too short for a move"),
        }
    }
}

impl Arrival {
    /// A message that arrives, with somebody who waits for the reply.
    pub fn new() -> Self {
        Arrival { at: Instant::now(), gone: Arc::default(), remark: Arc::default() }
    }

    /// The time to think within a clock that runs since the arrival, and within these limits.
    fn budget(&self, clock: Duration, limits: &Budget) -> Budget {
        let left = thinking_time(clock).saturating_sub(self.at.elapsed());
        limits.clone().with_timeout(left).with_interrupt(self.gone.clone())
    }

    /// The answer, with its remark noted.
    fn remarked(
        &self,
        found: Result<Term, MessageRefusal>,
        clock: Duration,
        remark: Option<Remark>,
    ) -> Result<Term, MessageRefusal> {
        let is_late = found.is_ok() && self.at.elapsed() > clock;
        let remark = if is_late { Some(Remark::Late) } else { remark };
        // A message has one answer.
        remark.into_iter().for_each(|remark| _ = self.remark.set(remark));
        found
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
pub(crate) const LOOK: Duration = Duration::from_millis(1);

/// The time that rules may at least take to be read, however short the clocks are.
const READ_TIME: Duration = Duration::from_secs(10);

/// The share of a play clock after which the stand-in of a player that has no move yet begins: one in so many.
const STAND_IN_SHARE: u32 = 2;

/// The time between two looks at whether somebody waits for a move that is late.
const LATE_LOOK: Duration = Duration::from_millis(50);

/// The matches that are being played, by name.
pub struct Host {
    settings: MatchSettings,
    tables: Mutex<HashMap<String, Arc<HostedMatch>>>,
}

/// A match.
struct HostedMatch {
    clocks: Clocks,
    limits: Budget,
    last: Mutex<Last>,
    /// Interrupts the getting ready.
    getting_ready: Arc<AtomicBool>,
    told: Mutex<Transcript>,
    stand_in: StandIn,
    /// Locked while the player thinks.
    desk: Mutex<SeatedPlayer>,
}

/// The player of a match.
enum SeatedPlayer {
    /// It gets ready, perhaps longer than the start clock.
    GettingReady,
    Ready(Box<Desk>),
    Failed(MessageRefusal),
}

/// The last message of a match.
struct Last {
    at: Instant,
    /// Set when nobody waits for an answer to it any more.
    gone: Arc<AtomicBool>,
}

/// A player in a state of its match.
struct Desk {
    player: Box<dyn Player>,
    course: Course,
    /// The joint moves that the player expects from here.
    expected: VecDeque<JointMove>,
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HostedMatch {
    /// Notes a PLAY and what it tells.
    ///
    /// # Errors
    ///
    /// Somebody waits for the answer to another message.
    fn accept(&self, made: &ToldMove, arrival: &Arrival) -> Result<(), MessageRefusal> {
        let mut last = lock(&self.last);
        if !last.gone.load(Ordering::Relaxed) {
            return Err(MessageRefusal::Untimely("another message of this match is not answered yet".to_owned()));
        }
        *last = Last { at: Instant::now(), gone: arrival.gone.clone() };
        lock(&self.told).note(made);
        Ok(())
    }

    fn is_abandoned(&self) -> bool {
        let silence = (self.clocks.start.max(self.clocks.play) * SILENT_CLOCKS).saturating_add(SILENT_MARGIN);
        lock(&self.last).at.elapsed() > silence
    }

    /// Stops all thinking.
    fn interrupt(&self) {
        self.getting_ready.store(true, Ordering::Relaxed);
        lock(&self.last).gone.store(true, Ordering::Relaxed);
    }

    /// The player, as soon as it is ready and thinks about nothing else.
    ///
    /// # Errors
    ///
    /// Time is over.
    fn desk(&self, budget: &Budget) -> Result<MutexGuard<'_, SeatedPlayer>, MessageRefusal> {
        loop {
            match self.desk.try_lock() {
                Ok(place) if !matches!(*place, SeatedPlayer::GettingReady) => return Ok(place),
                Err(TryLockError::Poisoned(place)) => return Ok(place.into_inner()),
                Ok(_) | Err(TryLockError::WouldBlock) => {}
            }
            budget.check().map_err(|stopped| refusal(stopped.into()))?;
            std::thread::sleep(LOOK);
        }
    }
}

impl Host {
    /// A host without matches.
    pub fn new(settings: MatchSettings) -> Self {
        Host { settings, tables: Mutex::default() }
    }

    /// The names of the matches.
    pub fn matches(&self) -> Vec<String> {
        lock(&self.tables).keys().cloned().collect()
    }

    /// Answers a message in time, or refuses it.
    pub fn answer(&self, message: &Message, arrival: &Arrival) -> PlayerReply {
        let id = match message {
            Message::Info => return self.info(),
            Message::Ping => return PlayerReply::Ready,
            Message::Preview { rules, clock } => {
                return match read(rules, &arrival.budget(*clock, &self.settings.limits)) {
                    Ok(_) => PlayerReply::Ready,
                    Err(refusal) => PlayerReply::Refused(refusal),
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
            Message::Stop { .. } => self.end(id).map(|()| PlayerReply::Done),
            _ => self.end(id).map(|()| PlayerReply::Aborted),
        };
        reply.unwrap_or_else(PlayerReply::Refused)
    }

    fn info(&self) -> PlayerReply {
        let mut tables = lock(&self.tables);
        tables.retain(|_, table| !table.is_abandoned());
        let properties = [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("player", self.settings.player.0.name.to_owned()),
            ("matches", tables.len().to_string()),
        ];
        PlayerReply::Info {
            available: tables.len() < self.settings.matches,
            properties: properties.map(|(name, value)| (name.to_owned(), value)).into(),
        }
    }

    fn table(&self, id: &str) -> Result<Arc<HostedMatch>, MessageRefusal> {
        lock(&self.tables).get(id).cloned().ok_or_else(|| MessageRefusal::UnknownMatch(id.to_owned()))
    }

    fn end(&self, id: &str) -> Result<(), MessageRefusal> {
        let table = lock(&self.tables).remove(id);
        table.ok_or_else(|| MessageRefusal::UnknownMatch(id.to_owned()))?.interrupt();
        Ok(())
    }

    fn start(
        &self,
        id: &str,
        role: &Term,
        rules: &str,
        clocks: Clocks,
        arrival: &Arrival,
    ) -> Result<PlayerReply, MessageRefusal> {
        let table = Arc::new(HostedMatch {
            clocks,
            limits: self.settings.limits.clone(),
            last: Mutex::new(Last { at: Instant::now(), gone: Arc::default() }),
            getting_ready: arrival.gone.clone(),
            told: Mutex::default(),
            stand_in: StandIn::new(role),
            desk: Mutex::new(SeatedPlayer::GettingReady),
        });
        {
            let mut tables = lock(&self.tables);
            tables.retain(|_, table| !table.is_abandoned());
            if tables.contains_key(id) {
                return Err(MessageRefusal::Untimely(format!("match {id} has begun already")));
            }
            if tables.len() >= self.settings.matches {
                return Ok(PlayerReply::Busy);
            }
            tables.insert(id.to_owned(), table.clone());
        }
        // On a thread of its own: a player that needs longer than the start clock gets ready while the clock of the
        // first move runs.
        let (sender, receiver) = channel();
        let settings = self.settings.clone();
        let role = role.clone();
        let rules = rules.to_owned();
        let its_table = table.clone();
        let its_arrival = arrival.clone();
        let get_ready = move || {
            let seated = catch_unwind(AssertUnwindSafe(|| {
                seat(&settings, &role, &rules, clocks, &its_arrival, |read| its_table.stand_in.read(read))
            }));
            let seated = seated.unwrap_or_else(|_| Err(MessageRefusal::Late(FAILED.to_owned())));
            // The stand-in waits for the rules, if it has not got them.
            its_table.stand_in.read(&Err(MessageRefusal::Wrong(FAILED.to_owned())));
            let result = seated.as_ref().map(|_| ()).map_err(MessageRefusal::clone);
            *lock(&its_table.desk) = match seated {
                Ok(desk) => SeatedPlayer::Ready(Box::new(desk)),
                Err(refusal) => SeatedPlayer::Failed(refusal),
            };
            // The answer may have been given.
            _ = sender.send(result);
        };
        spawn(get_ready).inspect_err(|_| _ = self.end(id))?;
        let patience = clocks.start - (clocks.start - thinking_time(clocks.start)) / ANSWER_SHARE;
        let result = match receiver.recv_timeout(patience.saturating_sub(arrival.at.elapsed())) {
            // A player that is not ready in time has a stand-in.
            Ok(Err(MessageRefusal::Late(_))) | Err(_) => Ok(()),
            Ok(result) => result,
        };
        if result.is_err() || arrival.is_gone() {
            _ = self.end(id);
        }
        *lock(&table.last) = Last { at: Instant::now(), gone: Arc::new(AtomicBool::new(true)) };
        result.map(|()| PlayerReply::Ready)
    }

    /// Thinks on a thread of its own, so that there is a move in time also if the player is not: the one that it
    /// expected to make, or else any legal one. Where there is none in time, the answer is late.
    fn play(&self, id: &str, made: &ToldMove, arrival: &Arrival) -> Result<PlayerReply, MessageRefusal> {
        let table = self.table(id)?;
        table.accept(made, arrival)?;
        let reply = table.clone().wait(arrival);
        if reply.is_ok() {
            lock(&table.told).answer();
        }
        // Whoever still thinks about it may stop.
        arrival.gone.store(true, Ordering::Relaxed);
        lock(&table.last).at = Instant::now();
        reply.map(PlayerReply::Move)
    }
}

/// The result of thinking.
enum ThinkingResult {
    /// A move of the player, to make if time is over.
    Fallback(Term),
    /// The move that the player has chosen, or why it has not.
    Chosen(Result<Term, MessageRefusal>),
    /// The move of the stand-in, or why there is none.
    StoodIn(Result<Term, MessageRefusal>),
}

/// The message about a player that panics.
const FAILED: &str = "the player has failed";

/// The part of the margin of a clock in which an answer is on its way: one in so many.
const ANSWER_SHARE: u32 = 2;

/// Runs on a thread that may think.
fn spawn(run: impl FnOnce() + Send + 'static) -> Result<(), MessageRefusal> {
    let spawned = std::thread::Builder::new().stack_size(STACK).spawn(run);
    spawned.map(drop).map_err(|error| MessageRefusal::Wrong(format!("there is no thread for the player: {error}")))
}

impl HostedMatch {
    /// Lets the player think, and its stand-in if it has no move soon; the best move there is when time is over, or the
    /// first one after it.
    fn wait(self: Arc<Self>, arrival: &Arrival) -> Result<Term, MessageRefusal> {
        let clock = self.clocks.play;
        let patience = clock - (clock - thinking_time(clock)) / ANSWER_SHARE;
        let (sender, receiver) = channel();
        self.clone().think(arrival, sender.clone())?;
        let mut stand_in = Some(sender);
        let mut fallback = None;
        let mut stood_in = None;
        let mut given_up = None;
        loop {
            let until = if fallback.is_none() && stand_in.is_some() { clock / STAND_IN_SHARE } else { patience };
            let wait = until.saturating_sub(arrival.at.elapsed()).max(LOOK);
            match receiver.recv_timeout(wait.min(LATE_LOOK)) {
                Ok(ThinkingResult::Fallback(made)) => fallback = Some(Ok(made)),
                Ok(ThinkingResult::StoodIn(found)) => stood_in = Some(found),
                Ok(ThinkingResult::Chosen(Err(MessageRefusal::Late(reason)))) => {
                    given_up = Some(Remark::GaveUp(reason))
                }
                Ok(ThinkingResult::Chosen(chosen)) => return arrival.remarked(chosen, clock, None),
                Err(_) => {}
            }
            let passed = arrival.at.elapsed();
            if given_up.is_some() || passed >= patience {
                // A stand-in without a move has not the last word while the player thinks.
                let is_last = |found: &Result<Term, MessageRefusal>| given_up.is_some() || found.is_ok();
                if let Some(found) = fallback.take() {
                    return arrival.remarked(found, clock, given_up);
                } else if let Some(found) = stood_in.take_if(|found| is_last(found)) {
                    return arrival.remarked(found, clock, given_up.or(Some(Remark::StoodIn)));
                }
            }
            if arrival.is_gone() {
                return Err(MessageRefusal::Untimely("the message was withdrawn".to_owned()));
            }
            let is_due = fallback.is_none() && (given_up.is_some() || passed >= clock / STAND_IN_SHARE);
            if let Some(sender) = stand_in.take_if(|_| is_due) {
                self.clone().stand_in(arrival, sender)?;
            }
        }
    }

    /// Lets the player think on a thread of its own.
    fn think(self: Arc<Self>, arrival: &Arrival, sender: Sender<ThinkingResult>) -> Result<(), MessageRefusal> {
        let arrival = arrival.clone();
        spawn(move || {
            let thought = catch_unwind(AssertUnwindSafe(|| {
                self.play(&arrival, |made| _ = sender.send(ThinkingResult::Fallback(made)))
            }));
            let thought = thought.unwrap_or_else(|_| {
                let refusal = MessageRefusal::Late(FAILED.to_owned());
                *lock(&self.desk) = SeatedPlayer::Failed(refusal.clone());
                Err(refusal)
            });
            // The answer may have been given.
            _ = sender.send(ThinkingResult::Chosen(thought));
        })
    }

    /// Looks for any legal move on a thread of its own.
    fn stand_in(self: Arc<Self>, arrival: &Arrival, sender: Sender<ThinkingResult>) -> Result<(), MessageRefusal> {
        let budget = self.limits.clone().with_interrupt(arrival.gone.clone());
        spawn(move || {
            let found = catch_unwind(AssertUnwindSafe(|| self.stand_in.legal_move(&self.told, &budget)));
            let found = found.unwrap_or_else(|_| Err(MessageRefusal::Wrong(FAILED.to_owned())));
            _ = sender.send(ThinkingResult::StoodIn(found));
        })
    }

    /// Waits for the player, and lets it think.
    fn play(&self, arrival: &Arrival, fallback: impl FnOnce(Term)) -> Result<Term, MessageRefusal> {
        let budget = arrival.budget(self.clocks.play, &self.limits);
        match &mut *self.desk(&budget)? {
            SeatedPlayer::Ready(desk) => desk.play(&self.told, &budget, fallback),
            SeatedPlayer::Failed(refusal) => Err(refusal.clone()),
            SeatedPlayer::GettingReady => Err(MessageRefusal::Late("the player is not ready".to_owned())),
        }
    }
}

impl Desk {
    fn play(
        &mut self,
        told: &Mutex<Transcript>,
        budget: &Budget,
        fallback: impl FnOnce(Term),
    ) -> Result<Term, MessageRefusal> {
        let Desk { player, course, expected } = self;
        let machine = player.machine();
        machine.set_budget(budget.clone());
        course.follow(machine, told, |joint| {
            if expected.pop_front().is_some_and(|expected| expected != *joint) {
                expected.clear();
            }
        })?;
        // Where states are hidden, legal moves take a search of their own, which is that of the stand-in.
        if let Position::Known(state) = &course.position {
            let legal = machine.legal_moves(state, Role(course.role as u32)).map_err(refusal)?;
            let own = expected.front().map(|joint| joint[course.role]).filter(|made| legal.contains(made));
            if let Some(made) = own.or(legal.first().copied()) {
                fallback(machine.move_term(made).clone());
            }
        }
        let choice = course.position.choose(&mut **player, budget).map_err(refusal)?;
        if !choice.report.line.is_empty() {
            self.expected = choice.report.line.into();
        }
        Ok(self.player.machine().move_term(choice.made).clone())
    }
}

/// A player that is ready for a match. `is_read` gets the rules as soon as they are read.
fn seat(
    settings: &MatchSettings,
    role: &Term,
    rules: &str,
    clocks: Clocks,
    arrival: &Arrival,
    is_read: impl FnOnce(&Result<StratifiedProgram, MessageRefusal>),
) -> Result<Desk, MessageRefusal> {
    let budget = arrival.budget(clocks.start, &settings.limits);
    // Without machines there is no move at all, so they may take of the clock of the first one.
    let longer = arrival.budget(clocks.start + clocks.play / 2, &settings.limits);
    let reading = longer.clone().with_time(longer.time_left().unwrap_or_default().max(READ_TIME));
    let program = read(rules, &reading);
    is_read(&program);
    let program = program?;
    let rules = GameReasoner::new(&program, &budget).map_err(refusal)?;
    let game = rules.game(&longer).map_err(refusal)?;
    let course = Course::new(game.reader(), role)?;
    let player = settings.player.0.player(game, Role(course.role as u32), &settings.options);
    let mut player = player.map_err(|unfit| MessageRefusal::Wrong(unfit.to_string()))?;
    player.start(&budget, thinking_time(clocks.play)).map_err(refusal)?;
    Ok(Desk { player, course, expected: VecDeque::new() })
}

/// Reads and analyzes a rulesheet.
fn read(rules: &str, budget: &Budget) -> Result<StratifiedProgram, MessageRefusal> {
    let mut sources = Sources::new();
    let source = sources.add("rules", rules);
    let wrong = |mut diagnostics: Diagnostics, sources: &Sources| {
        diagnostics.retain(|diagnostic| diagnostic.severity == Severity::Error);
        let lines = render::to_lines(&diagnostics, sources);
        let more = match diagnostics.iter().count() {
            0 | 1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        MessageRefusal::Wrong(lines.lines().next().unwrap_or_default().to_owned() + &more)
    };
    let stopped = |stopped: Stopped| refusal(stopped.into());
    let parsed = ludolog_syntax::parse_within(source, &sources, Syntax::Kif, budget).map_err(stopped)?;
    let program = parsed.into_result().map_err(|diagnostics| wrong(diagnostics, &sources))?;
    let reads_file =
        |statement: &Statement| matches!(statement, Statement::Include(_) | Statement::Use(_) | Statement::Input(_));
    if program.items.iter().any(|item| reads_file(&item.statement)) {
        return Err(MessageRefusal::Wrong("rules in messages include no files".to_owned()));
    }
    let analyzed = analysis::analyze_within(&program, budget).map_err(stopped)?;
    Ok(analyzed.map_err(|diagnostics| wrong(diagnostics, &sources))?.stratified)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_player::PLAYERS;

    const RULES: &str = "(role a) (init (step 0)) (succ 0 1) (succ 1 2) (<= (legal a (go ?n)) (succ ?n ?m))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m)) (<= terminal (true (step 2))) (goal a 100)";

    fn host() -> Host {
        let player = PLAYERS.iter().find(|player| player.name == "legal").map(PlayerKind).expect("it is a player");
        Host::new(MatchSettings { player, options: Options::default(), matches: 1, limits: Budget::unlimited() })
    }

    fn start(host: &Host, rules: &str) {
        let clock = Duration::from_secs(5);
        let start = Message::Start {
            id: "m".to_owned(),
            role: Term::symbol("a"),
            rules: rules.to_owned(),
            start_clock: clock,
            play_clock: clock,
        };
        assert_eq!(host.answer(&start, &Arrival::new()), PlayerReply::Ready);
    }

    fn play(host: &Host, made: ToldMove, ago: u64) -> (PlayerReply, Option<Remark>) {
        let at = Instant::now().checked_sub(Duration::from_secs(ago)).expect("the machine has run for a minute");
        let arrival = Arrival { at, ..Arrival::new() };
        let reply = host.answer(&Message::Play { id: "m".to_owned(), made }, &arrival);
        (reply, arrival.remark.get().cloned())
    }

    #[test]
    fn what_takes_more_memory_than_allowed_is_refused_in_words() {
        let Host { settings, .. } = host();
        let limits = Budget::unlimited().with_max_memory(10, || Some(11));
        let host = Host::new(MatchSettings { limits, ..settings });
        start(&host, RULES);
        let (reply, remark) = play(&host, ToldMove::Nothing, 0);
        let reason = "stopped at the limit of 10 bytes".to_owned();
        assert_eq!(reply, PlayerReply::Refused(MessageRefusal::Late(reason.clone())));
        assert_eq!(remark, Some(Remark::GaveUp(reason)));
    }

    /// Whether this game ends takes terms without end; its one move is a fact.
    #[test]
    fn a_legal_move_needs_no_answer_to_whether_the_game_is_over() {
        let host = host();
        let endless =
            "(role a) (init (n z)) (legal a go) (<= (next (n (s ?x))) (true (n ?x))) (<= (p (s ?x)) (p ?x)) (p z)
            (<= terminal (p ?x) (true ?x)) (goal a 100)";
        start(&host, endless);
        let go = || Term::symbol("go");
        for made in [ToldMove::Nothing, ToldMove::Joint(vec![go()])] {
            let (reply, remark) = play(&host, made, 0);
            assert_eq!(reply, PlayerReply::Move(go()));
            assert!(matches!(remark, Some(Remark::GaveUp(_))), "{remark:?}");
        }
    }

    #[test]
    fn a_move_is_made_late_rather_than_never_and_its_lateness_is_told() {
        let host = host();
        start(&host, RULES);
        let go = || Term::compound("go", vec![Term::Integer(0)]);
        assert_eq!(play(&host, ToldMove::Nothing, 60), (PlayerReply::Move(go()), Some(Remark::Late)));
        // The player follows the match from where it was.
        assert_eq!(play(&host, ToldMove::Joint(vec![go()]), 0), (PlayerReply::Move(go()), None));
        let (reply, _) = play(&host, ToldMove::Joint(vec![go()]), 0);
        assert_eq!(reply, PlayerReply::Refused(MessageRefusal::Untimely("the game is over".to_owned())));
    }
}
