//! A game as it is played: whose turn it is, what was played, and the inputs that go on with it. Knows no terminal.

use super::hand::MoveSender;
use super::input::{FoundMoves, PlayCommand, PlayInput, classify, find, help, is_numbered, words};
use super::reasons::{LedTo, Reasons};
use crate::cli::game::explain;
use crate::cli::matches::{Arena, Contestant, fault_text, result_text};
use crate::cli::progress::ProgressLine;
use crate::cli::scene::{state_text, width};
use crate::cli::{Failure, case, counted, interrupt, limits, print, print_styled};
use ludolog::analysis::is_random;
use ludolog::engine::Budget;
use ludolog::game::scene::Scene;
use ludolog::game::{Draw, GameError, LegalMoves, Move, PlayoutEnd, Role, State, StateMachineExt, canonical};
use ludolog::picture::text::columns;
use ludolog::player::matches::{Nature, SeatFault, Seats, ToldMove};
use ludolog::player::{Clocks, Game, MatchRecord, Options, Seat};
use ludolog::protocol::About;
use ludolog::syntax::ast::Term;
use ludolog::syntax::{ColdSort, Syntax, print_term};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The answer to an empty prompt: no move is needed, and the game is not over.
const GO_ON: &str = "an empty line goes on\n";

/// Most lines of moves that are listed without being asked for.
const MOST_LINES: usize = 12;

/// Most moves in a message.
const MOST_IN_MESSAGE: usize = 8;

/// What a session is made of.
pub struct PlaySetup {
    pub arena: Arena,
    pub game: Game,
    pub scene: Scene,
    pub reasons: Reasons,
    /// By role; `None` is played by hand.
    pub players: Vec<Option<Contestant>>,
    /// Who gives hints.
    pub adviser: Contestant,
    pub clocks: Clocks,
    pub max_steps: usize,
    /// The time of each question that is no player's.
    pub timeout: Duration,
    pub seed: u64,
}

/// A game under way.
pub struct PlaySession<'o> {
    setup: PlaySetup,
    options: &'o dyn Fn(u32) -> Options,
    about: About,
    seats: Vec<Box<dyn Seat>>,
    /// By role: where it is played by hand.
    hands: Vec<Option<MoveSender>>,
    /// By role: who gives it hints.
    advisers: BTreeMap<usize, Box<dyn Seat>>,
    record: MatchRecord,
    /// The states of the record, as the machine has them.
    states: Vec<State>,
    /// By role: what the seat has not been told of.
    told: Vec<ToldMove>,
    /// The legal moves; none after the end, and while they are not known.
    legal: LegalMoves,
    /// By role: the move chosen by hand for the next joint move.
    chosen: Vec<Option<Move>>,
    draw: Draw,
    clock: Budget,
}

impl<'o> PlaySession<'o> {
    /// Begins a game: all players get ready within the start clock.
    pub fn start(mut setup: PlaySetup, options: &'o dyn Fn(u32) -> Options) -> Result<Self, Failure> {
        let about = About::new(&setup.arena.name);
        let mut seats = Vec::<Box<dyn Seat>>::new();
        let mut hands = Vec::new();
        for (role, player) in (0..).zip(&setup.players) {
            let (hand, seat) = MoveSender::new();
            hands.push(player.is_none().then_some(hand));
            seats.push(match player {
                Some(_) if is_random(&setup.arena.roles[role as usize]) => Box::new(Nature),
                Some(player) => setup.arena.seat(&about, role, player, options(role)),
                None => Box::new(seat),
            });
        }
        let record = MatchRecord::new(setup.game.machine(), &seats, setup.clocks);
        let told = record.told(setup.arena.hides);
        let states = vec![setup.game.machine().initial_state().clone()];
        let chosen = vec![None; seats.len()];
        let draw = Draw::new(setup.seed);
        let clock = limits::memory().with_timeout(Duration::MAX);
        let legal = Vec::new();
        let advisers = BTreeMap::new();
        let mut session = PlaySession {
            setup,
            options,
            about,
            seats,
            hands,
            advisers,
            record,
            states,
            told,
            legal,
            chosen,
            draw,
            clock,
        };
        session.introduce()?;
        let progress = ProgressLine::new("the players are getting ready");
        let budget = session.thinking();
        (session.record.preparations, session.record.unready) = session.table().start(&budget);
        drop(progress);
        session.check_ready(&budget)?;
        // Who is interrupted while getting ready is as ready as can be.
        session.resume();
        session.go_on()?;
        Ok(session)
    }

    /// Checks that all are ready, late or not.
    fn check_ready(&self, budget: &Budget) -> Result<(), Failure> {
        let Some(role) = self.record.preparations.iter().position(Option::is_none) else { return Ok(()) };
        budget.check().map_err(|stopped| case::explain(&stopped))?;
        let reason = self.record.unready[role].as_ref().map(|fault| fault_text(fault, self.syntax()));
        let advice = match self.setup.players[role] {
            Some(Contestant::Here(_)) => "; --start-clock gives it more time",
            _ => "",
        };
        let player = &self.record.players[role];
        let role = self.role(role);
        let reason = reason.unwrap_or_default();
        Err(Failure::Message(format!("{player} is not ready to play {role}: {reason}{advice}")))
    }

    /// Says who plays.
    fn introduce(&self) -> Result<(), Failure> {
        let of_role = |role: usize| match self.hands[role] {
            Some(_) => format!("you are {}", self.role(role)),
            None => format!("{} is {}", self.role(role), self.record.players[role]),
        };
        let parts: Vec<String> = (0..self.seats.len()).map(of_role).collect();
        print(&format!("{}: {}\n", self.setup.arena.name, parts.join(", ")))
    }

    /// The match so far.
    pub fn about(&self) -> (&About, &MatchRecord) {
        (&self.about, &self.record)
    }

    /// The scene that the rulesheet states.
    pub fn stated(&self) -> Option<&Scene> {
        self.setup.arena.scene.as_ref()
    }

    /// The prompt: the role that is to move by hand.
    pub fn prompt(&self) -> String {
        match self.to_move() {
            Some(role) => format!("{}> ", self.role(role)),
            None if self.is_over() => "over> ".to_owned(),
            None => "> ".to_owned(),
        }
    }

    /// What the editor completes lines by: the legal moves of the role that is to move.
    pub fn moves(&self) -> Vec<String> {
        self.to_move().map(|role| self.spelled(&self.legal[role])).unwrap_or_default()
    }

    /// Carries out a line. After an error, the game is as it was.
    pub fn carry_out(&mut self, line: &str) -> Result<ControlFlow<()>, Failure> {
        // An interrupt that came while nothing ran is over.
        self.resume();
        let lower = line.to_lowercase();
        match classify(if self.syntax() == Syntax::Kif { &lower } else { line }) {
            PlayInput::Nothing if self.to_move().is_none() => self.go_on()?,
            PlayInput::Nothing => {}
            PlayInput::Move(text) => self.choose(text)?,
            PlayInput::Command(PlayCommand::Quit, _) => return Ok(ControlFlow::Break(())),
            PlayInput::Command(PlayCommand::Help, _) => print(&help())?,
            PlayInput::Command(PlayCommand::Moves, text) => self.list(text)?,
            PlayInput::Command(command, _) if self.is_hidden(command) => {
                let reason = "the game hides its states: you know your moves and what you saw until it is over";
                return Err(Failure::Message(reason.to_owned()));
            }
            PlayInput::Command(PlayCommand::Facts, _) => self.facts()?,
            PlayInput::Command(PlayCommand::Hint, _) => self.hint()?,
            PlayInput::Command(PlayCommand::State, _) => self.show()?,
            PlayInput::Command(PlayCommand::Undo, _) => self.undo()?,
            PlayInput::Command(PlayCommand::Why, text) => self.why(text)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Ends the session: players are told how the match ended.
    pub fn leave(&mut self) -> Result<(), Failure> {
        let told = self.record.told(self.hides());
        let is_over = self.is_over() && !self.record.plies.is_empty();
        let budget = self.thinking();
        self.table().stop(is_over.then_some(&*told), &budget);
        if self.is_over() {
            Ok(())
        } else {
            print(&format!("left after {}\n", counted(self.record.plies.len(), "joint move")))
        }
    }

    /// Whether the game hides its states.
    fn hides(&self) -> bool {
        self.setup.arena.hides
    }

    /// Whether a command would show what is hidden. The end shows all; what was seen is not taken back.
    fn is_hidden(&self, command: PlayCommand) -> bool {
        self.hides() && (!self.is_over() || matches!(command, PlayCommand::Undo))
    }

    fn syntax(&self) -> Syntax {
        self.setup.arena.syntax
    }

    fn role(&self, role: usize) -> String {
        print_term(&self.setup.arena.roles[role], self.syntax())
    }

    fn spell(&self, made: Move) -> String {
        print_term(self.setup.game.reader().move_term(made), self.syntax())
    }

    fn spelled(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|&made| self.spell(made)).collect()
    }

    fn is_over(&self) -> bool {
        self.record.end.is_some()
    }

    /// The first role that has a choice by hand which it has not made.
    fn to_move(&self) -> Option<usize> {
        let waits = |role: &usize| {
            self.hands[*role].is_some()
                && self.chosen[*role].is_none()
                && self.legal.get(*role).is_some_and(|moves| moves.len() > 1)
        };
        (0..self.seats.len()).find(waits)
    }

    fn state(&self) -> &State {
        self.states.last().expect("there is a first state")
    }

    fn facts_now(&self) -> &[Term] {
        self.record.states.last().expect("there is a first state")
    }

    fn table(&mut self) -> Seats<'_> {
        // Nobody who waits for a move minds a late one.
        Seats { seats: &mut self.seats, clocks: self.setup.clocks, latest: Duration::MAX }
    }

    /// A budget without a limit of time that Ctrl-C ends.
    fn thinking(&self) -> Budget {
        self.clock.clone().with_interrupt(interrupt::flag())
    }

    /// The budget of a question that is no player's.
    fn question(&self) -> Budget {
        self.thinking().with_time(self.setup.timeout)
    }

    /// Forgets an interrupt.
    fn resume(&self) -> bool {
        interrupt::flag().swap(false, Ordering::Relaxed)
    }

    fn failure(&self, error: &GameError) -> Failure {
        explain(error, self.syntax())
    }

    /// Finds out what is legal in the last state, or how it is the end.
    fn look(&mut self) -> Result<(), Failure> {
        let budget = self.question();
        let state = self.state().clone();
        let steps = self.record.plies.len();
        let max_steps = self.setup.max_steps;
        self.legal.clear();
        let machine = self.setup.game.machine();
        machine.set_budget(budget);
        let found = (|| {
            let legal = machine.all_legal_moves(std::slice::from_ref(&state))?.swap_remove(0);
            let stuck = (0..).map(Role).zip(&legal).find(|(_, moves)| moves.is_empty()).map(|(role, _)| role);
            let end = match stuck {
                _ if machine.is_terminal(&state)? => Some(PlayoutEnd::Terminal),
                _ if steps >= max_steps => Some(PlayoutEnd::MaxSteps),
                stuck => stuck.map(PlayoutEnd::Stuck),
            };
            let goals = if end.is_some() { machine.goals(&state)? } else { Vec::new() };
            Ok((legal, end, goals))
        })();
        let (legal, end, goals) = found.map_err(|error: GameError| self.failure(&error))?;
        self.legal = if end.is_some() { Vec::new() } else { legal };
        (self.record.end, self.record.goals) = (end, goals);
        self.chosen.fill(None);
        Ok(())
    }

    /// Plays on until a move by hand is needed or the game is over.
    fn go_on(&mut self) -> Result<(), Failure> {
        while !self.is_over() && self.to_move().is_none() {
            let done = if self.legal.is_empty() { self.look() } else { self.ply() };
            if let Err(failure) = done {
                self.chosen.fill(None);
                return Err(failure);
            }
        }
        self.show()?;
        match self.to_move() {
            Some(_) => self.list_if_few(),
            None => print(&result_text(&self.record, self.syntax())),
        }
    }

    /// Makes a joint move: what was chosen by hand, or is the only move, and what the players choose.
    fn ply(&mut self) -> Result<(), Failure> {
        for (role, hand) in self.hands.iter().enumerate() {
            if let Some(hand) = hand {
                let made = self.chosen[role].unwrap_or(self.legal[role][0]);
                let term = self.setup.game.reader().move_term(made).clone();
                hand.play(term);
            }
        }
        // Who thinks is hidden, too.
        let has_choice = |role: &usize| !self.hides() && self.hands[*role].is_none() && self.legal[*role].len() > 1;
        let thinker = |role| format!("{} ({})", self.role(role), self.record.players[role]);
        let thinkers: Vec<String> = (0..self.seats.len()).filter(has_choice).map(thinker).collect();
        let progress = (!thinkers.is_empty()).then(|| ProgressLine::new(&format!("{} to move", thinkers.join(", "))));
        let budget = self.thinking();
        let mut table = Seats { seats: &mut self.seats, clocks: self.setup.clocks, latest: Duration::MAX };
        let machine = self.setup.game.machine();
        let (joint, mut ply) = table.ply(&self.told, &self.legal, machine, &mut self.draw, &budget);
        drop(progress);
        if self.resume() && ply.faults.iter().any(Option::is_some) {
            // Somebody was interrupted before there was a move. All go back to the state as it is, where they can.
            self.return_all()?;
            return Err(Failure::Interrupted);
        }
        let budget = self.question();
        let state = self.state().clone();
        let time = self.clock.now().unwrap_or_default();
        let machine = self.setup.game.machine();
        machine.set_budget(budget);
        let seen = machine.hides().then(|| machine.percept_terms(&state, &joint)).transpose();
        let next = machine.next_state(&state, &joint);
        let facts = next.as_ref().map(|next| machine.facts(next)).unwrap_or_default();
        let next = next.map_err(|error| self.failure(&error))?;
        ply.percepts = seen.map_err(|error| self.failure(&error))?;
        match &ply.percepts {
            None => self.tell(&joint, &ply.faults)?,
            Some(seen) => self.tell_seen(&joint, seen)?,
        }
        self.record.push(ply, facts, time);
        self.told = self.record.told(self.hides());
        self.states.push(next);
        self.look()
    }

    /// Prints a joint move.
    fn tell(&self, joint: &[Move], faults: &[Option<SeatFault>]) -> Result<(), Failure> {
        let of_role = |(role, &made): (usize, &Move)| {
            let is_forced = self.hands[role].is_some() && self.legal[role].len() == 1;
            let note = if is_forced { " (the only move)" } else { "" };
            format!("{} {}{note}", self.role(role), self.spell(made))
        };
        let moves: Vec<String> = joint.iter().enumerate().map(of_role).collect();
        let mut text = format!("{}. {}\n", self.record.plies.len() + 1, moves.join(", "));
        for (role, fault) in faults.iter().enumerate().filter_map(|(role, fault)| Some((role, fault.as_ref()?))) {
            let name = &self.record.players[role];
            let reason = fault_text(fault, self.syntax());
            text += &format!("   {} ({name}): {reason}, so the move is random\n", self.role(role));
        }
        print(&text)
    }

    /// Prints what those who play by hand know of a joint move.
    fn tell_seen(&self, joint: &[Move], seen: &[Vec<Term>]) -> Result<(), Failure> {
        let number = self.record.plies.len() + 1;
        let of_role = |role: usize| {
            let percepts: Vec<String> = seen[role].iter().map(|seen| print_term(seen, self.syntax())).collect();
            let percepts = if percepts.is_empty() { "nothing".to_owned() } else { percepts.join(", ") };
            format!("{number}. {} {}, and sees {percepts}\n", self.role(role), self.spell(joint[role]))
        };
        print(&(0..joint.len()).filter(|&role| self.hands[role].is_some()).map(of_role).collect::<String>())
    }

    /// Tells all seats that the game goes on from the last state.
    fn return_all(&mut self) -> Result<(), Failure> {
        let facts = self.record.states.last().expect("there is a first state");
        self.seats.iter_mut().try_for_each(|seat| seat.return_to(facts)).map_err(Failure::Message)?;
        self.told.fill(ToldMove::Nothing);
        Ok(())
    }

    /// Draws the state, with the changes since the one before, unless it is hidden.
    fn show(&self) -> Result<(), Failure> {
        if self.hides() && !self.is_over() {
            return Ok(());
        }
        let before = self.record.states.len().checked_sub(2).map(|at| &*self.record.states[at]);
        let view = self.setup.scene.view_after(self.facts_now(), before);
        print_styled(&format!("\n{}\n", state_text(&view, self.syntax())))
    }

    fn facts(&self) -> Result<(), Failure> {
        let mut facts: Vec<String> = self.facts_now().iter().map(|fact| print_term(fact, self.syntax())).collect();
        facts.cold_sort();
        print(&columns(&facts, "  ", width()))
    }

    /// Numbered, unless moves are numbers themselves.
    fn numbered(&self, moves: &[String], is_listed: impl Fn(&str) -> bool) -> String {
        let digits = moves.len().to_string().len();
        let entry = |(number, made): (usize, &String)| {
            if is_numbered(moves) { format!("{number:>digits$} {made}") } else { made.clone() }
        };
        let entries: Vec<String> = (1..).zip(moves).filter(|(_, made)| is_listed(made)).map(entry).collect();
        columns(&entries, "  ", width())
    }

    fn list_if_few(&self) -> Result<(), Failure> {
        let moves = self.moves();
        let listed = self.numbered(&moves, |_| true);
        match listed.lines().count() {
            0..=MOST_LINES => print(&listed),
            _ => print(&format!(
                "{} legal moves, as {}: `moves` lists them, `moves TEXT` those with a text in them\n",
                moves.len(),
                moves[0]
            )),
        }
    }

    fn list(&self, text: &str) -> Result<(), Failure> {
        let moves = self.moves();
        let listed = self.numbered(&moves, |made| made.contains(text));
        match (self.to_move(), listed.is_empty()) {
            (None, _) => self.no_turn(),
            (Some(role), true) => {
                Err(Failure::Message(format!("{} has no legal move with `{text}` in it", self.role(role))))
            }
            _ => print(&listed),
        }
    }

    /// The error where nobody is to move by hand.
    fn no_turn(&self) -> Result<(), Failure> {
        let text = if self.is_over() {
            "the game is over; `undo` takes back, `why` says why, `quit` ends".to_owned()
        } else {
            format!("nobody is to move by hand; {GO_ON}")
        };
        Err(Failure::Message(text))
    }

    /// Makes the move of a text for the role that is to move.
    fn choose(&mut self, text: &str) -> Result<(), Failure> {
        let Some(role) = self.to_move() else { return self.no_turn() };
        let at = self.found(role, text)?;
        self.chosen[role] = Some(self.legal[role][at]);
        match self.to_move() {
            // The other hand has the same state before it.
            Some(_) => self.list_if_few(),
            None => self.go_on(),
        }
    }

    /// The place of the legal move that a text stands for.
    fn found(&self, role: usize, text: &str) -> Result<usize, Failure> {
        let moves = self.moves();
        let name = self.role(role);
        Err(Failure::Message(match find(text, &moves) {
            FoundMoves::One(at) => return Ok(at),
            FoundMoves::TooLarge(number) => {
                format!("there is no move {number}: {name} has {}", counted(moves.len(), "legal move"))
            }
            FoundMoves::Several(places) => {
                let some = places.iter().take(MOST_IN_MESSAGE).map(|&at| &*moves[at]).collect::<Vec<_>>().join(", ");
                let more = match places.len().saturating_sub(MOST_IN_MESSAGE) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("`{text}` may be {some}{more}")
            }
            FoundMoves::None => {
                let known = |made: &String| words(made).first() == words(text).first();
                let is_known = moves.iter().any(known)
                    || self.record.plies.iter().any(|ply| known(&print_term(&ply.joint[role], self.syntax())));
                if is_known {
                    format!("`{text}` is not legal for {name} now; `why {text}` shows the reason")
                } else {
                    format!("`{text}` is no move of {name} now, and no command; `moves` and `help` list them")
                }
            }
        }))
    }

    /// Takes back the last choice by hand, with all that came after it.
    fn undo(&mut self) -> Result<(), Failure> {
        if let Some(last) = (0..self.chosen.len()).rev().find(|&role| self.chosen[role].is_some()) {
            self.chosen[last] = None;
            return self.list_if_few();
        }
        if let Some(player) = self.setup.players.iter().flatten().find(|player| matches!(player, Contestant::Remote(_)))
        {
            return Err(Failure::Message(format!("{player} cannot take moves back")));
        }
        let budget = self.question();
        let states = self.states.clone();
        let machine = self.setup.game.machine();
        machine.set_budget(budget);
        let mut had_choice = |at: usize| {
            let legal = machine.all_legal_moves(std::slice::from_ref(&states[at]))?.swap_remove(0);
            Ok(legal.iter().zip(&self.hands).any(|(moves, hand)| hand.is_some() && moves.len() > 1))
        };
        let turn = (0..self.record.plies.len()).rev().map(|at| had_choice(at).map(|had| had.then_some(at)));
        let turn = turn.filter_map(Result::transpose).next().transpose();
        let turn = turn.map_err(|error: GameError| self.failure(&error))?;
        let Some(turn) = turn else {
            return Err(Failure::Message("there is no turn of yours to go back to".to_owned()));
        };
        self.record.truncate(turn);
        self.states.truncate(turn + 1);
        self.legal.clear();
        self.return_all()?;
        self.go_on()
    }

    /// Shows what a player would do for the role that is to move.
    fn hint(&mut self) -> Result<(), Failure> {
        let Some(role) = self.to_move() else { return self.no_turn() };
        let clocks = Clocks { start: self.setup.clocks.play, play: self.setup.clocks.play };
        let budget = self.thinking();
        let _progress = ProgressLine::new("looking for a hint");
        if !self.advisers.contains_key(&role) {
            let options = (self.options)(role as u32);
            let mut adviser = self.setup.arena.seat(&self.about, role as u32, &self.setup.adviser, options);
            adviser.start(clocks, &budget).map_err(Failure::Message)?;
            self.advisers.insert(role, adviser);
        }
        let adviser = self.advisers.get_mut(&role).expect("it was made");
        let facts = self.record.states.last().expect("there is a first state");
        adviser.return_to(facts).map_err(Failure::Message)?;
        let (made, thought) = adviser.play(&ToldMove::Nothing, clocks, &budget).map_err(Failure::Message)?;
        let value = match (thought.report.value, thought.report.proven) {
            (Some(value), true) => format!(", goal {value:.0} proven"),
            (Some(value), false) => format!(", goal {value:.1} expected"),
            (None, _) => String::new(),
        };
        drop(_progress);
        print(&format!("{}{value}\n", print_term(&made, self.syntax())))
    }

    fn why(&mut self, text: &str) -> Result<(), Failure> {
        let asker = self.to_move().or_else(|| self.hands.iter().position(Option::is_some)).unwrap_or(0);
        let role = self.setup.arena.roles[asker].clone();
        let moves = self.moves();
        let text = match (text, find(text, &moves)) {
            ("", _) if self.is_over() => "terminal".to_owned(),
            ("", _) => {
                return Err(Failure::Message("say what, as in `why terminal`, `why goal`, `why 1`".to_owned()));
            }
            ("goal", _) => format!("(goal {} ?value)", canonical::text(&role)),
            (_, FoundMoves::One(at)) => format!("(legal {} {})", canonical::text(&role), self.kif(asker, at)),
            _ => text.to_owned(),
        };
        let Some(atom) = self.setup.reasons.atom(&text) else {
            return Err(Failure::Message(format!("`{text}` is no fact")));
        };
        let budget = self.question();
        let last = self.record.plies.len();
        let before = last.checked_sub(1).map(|at| (&*self.record.states[at], &*self.record.plies[at].joint));
        let reached = LedTo { facts: &self.record.states[last], before };
        print(&self.setup.reasons.explain(atom, &role, &reached, budget)?)
    }

    /// A legal move in KIF.
    fn kif(&self, role: usize, at: usize) -> String {
        canonical::text(self.setup.game.reader().move_term(self.legal[role][at]))
    }
}
