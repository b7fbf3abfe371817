//! `ludolog match`: a match between players, of this process or behind a URL; a match that was played, analyzed.

mod analyze;
mod text;

use super::case::duration;
use super::choice::Choice;
use super::game::explain;
use super::game::reasoner::rules;
use super::openings::OpeningArgs;
use super::output::{Format, print_json};
use super::players::PlayerArgs;
use super::progress::ProgressLine;
use super::rulesheet::{OpenedSheet, RulesheetArgs, one_line};
use super::{Failure, Outcome, counted, file, limits, print, scene};
use clap::Args;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser, ValueParserFactory};
use clap::error::ErrorKind;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::analysis::{self, hides, is_random};
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::beginning::beginning_at;
use ludolog::game::scene::Scene;
use ludolog::game::{Role, StateMachineExt, canonical};
use ludolog::player::matches::Nature;
use ludolog::player::{
    Clocks, Game, GameReasoner, Local, Match, MatchRecord, Opening, Options, PLAYERS, PlayerKind, Seat,
};
use ludolog::protocol::spectate::{self, Gallery};
use ludolog::protocol::{About, Remote, Url, record, replay};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{self, Syntax, print_term};
use serde_json::Value;
use std::fmt;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;
use text::{opening_text, spelled, to_text};

pub use text::{fault_text, result_text};

#[derive(Args)]
pub struct MatchArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// A player for each role but `random`, in order: one of those below, or the address of one behind HTTP, as
    /// http://localhost:9147
    ///
    /// With --analyze, the one that searches, of this process; `auto` if none is given.
    #[arg(value_name = "PLAYER", required_unless_present = "analyze")]
    players: Vec<Contestant>,
    /// Play no match, but search each state of the one in this file for longer than its players did, and tell what each
    /// move lost: a record of --record, of a tournament, or of another manager of the field
    #[arg(long, value_name = "RECORD", conflicts_with_all = ["openings", "from", "play_clock", "max_steps", "spectate"])]
    analyze: Option<PathBuf>,
    /// The time to search each state [default: four times the play clock of the match, 1s at least]
    #[arg(long, value_name = "T", requires = "analyze", value_parser = duration)]
    time: Option<Duration>,
    #[command(flatten)]
    opening: OpeningArgs,
    #[command(flatten)]
    clocks: ClockArgs,
    /// Stop after this many joint moves
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_steps: usize,
    #[command(flatten)]
    options: PlayerArgs,
    #[command(flatten)]
    files: RecordArgs,
    #[command(flatten)]
    spectate: SpectateArgs,
    /// Stop reading and grounding after this time
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The files that a match is written to.
#[derive(Args)]
pub struct RecordArgs {
    /// Write the match as JSON, in the shape that game servers share
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Write the match as a page that steps through its states
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl RecordArgs {
    /// Checks before the match that files which are there stay.
    pub fn check(&self) -> Result<(), Failure> {
        [&self.record, &self.html].into_iter().flatten().try_for_each(|path| file::check_kept(path))
    }

    /// Writes what is asked for.
    pub fn write(&self, about: &About, record: &MatchRecord, scene: Option<&Scene>) -> Result<(), Failure> {
        self.put(|| record::to_json(about, record), || replay::to_html(about, record, scene))
    }

    /// Writes what is asked for: a document, and a page.
    fn put(&self, document: impl FnOnce() -> Value, page: impl FnOnce() -> String) -> Result<(), Failure> {
        if let Some(path) = &self.record {
            file::write(path, format!("{:#}\n", document()).as_bytes())?;
        }
        if let Some(path) = &self.html {
            file::write(path, page().as_bytes())?;
        }
        Ok(())
    }
}

/// The pages that follow running matches.
#[derive(Args)]
pub struct SpectateArgs {
    /// Show running matches as pages on this machine, on a port of choice or a custom one; 0 takes a free port
    #[arg(
        long,
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = DEFAULT_SPECTATE_PORT
    )]
    spectate: Option<u16>,
}

/// The port of the pages that follow matches, the one after that of players.
const DEFAULT_SPECTATE_PORT: &str = "9148";

/// The time for which pages are served after the end, so that they show it.
const FAREWELL: Duration = Duration::from_secs(2);

impl SpectateArgs {
    /// Begins to serve the pages, and says where, if they are asked for.
    pub fn start(&self) -> Result<Spectators, Failure> {
        let Some(port) = self.spectate else { return Ok(Spectators(None)) };
        let taken =
            |error| Failure::Message(format!("cannot show matches on port {port}: {error}; choose another one"));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(taken)?;
        let address = listener.local_addr().map_err(taken)?;
        let gallery = Arc::new(Gallery::default());
        spectate::serve(listener, gallery.clone()).map_err(taken)?;
        anstream::eprintln!("matches are shown at http://{address}/");
        Ok(Spectators(Some(gallery)))
    }
}

/// Whoever looks at running matches, if anybody may.
pub struct Spectators(Option<Arc<Gallery>>);

impl Spectators {
    /// Shows a match as it stands.
    pub fn show(&self, about: &About, record: &MatchRecord, scene: Option<&Scene>, is_running: bool) {
        if let Some(gallery) = &self.0 {
            gallery.show(about, record, scene, is_running);
        }
    }

    /// Waits until the pages have had time to show the end.
    pub fn leave(&self) {
        if self.0.is_some() {
            std::thread::sleep(FAREWELL);
        }
    }
}

/// The clocks of a match.
#[derive(Args)]
pub struct ClockArgs {
    /// The time before the first move (seconds, or as in 500ms, 5s)
    #[arg(long, value_name = "T", default_value = "10s", value_parser = duration)]
    pub start_clock: Duration,
    /// The time for each move
    #[arg(long, value_name = "T", default_value = "1s", value_parser = duration)]
    pub play_clock: Duration,
}

impl ClockArgs {
    /// The clocks.
    pub fn clocks(&self) -> Clocks {
        Clocks { start: self.start_clock, play: self.play_clock }
    }
}

impl Choice for PlayerKind {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        PLAYERS.iter().map(|player| (PlayerKind(player), vec![player.name], player.summary)).collect()
    }
}

/// Whoever may play.
#[derive(Clone, Debug)]
pub enum Contestant {
    /// A player of this process.
    Here(PlayerKind),
    /// A player behind HTTP.
    Remote(Url),
}

impl Contestant {
    /// Checks that the player plays a game.
    pub fn check(&self, arena: &Arena) -> Result<(), Failure> {
        match self {
            Contestant::Here(kind) => kind
                .0
                .check(&arena.roles, arena.hides)
                .map_err(|unfit| Failure::Message(format!("{}: {unfit}", arena.name))),
            Contestant::Remote(_) => Ok(()),
        }
    }
}

impl fmt::Display for Contestant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contestant::Here(kind) => f.write_str(kind.0.name),
            Contestant::Remote(url) => url.fmt(f),
        }
    }
}

impl FromStr for Contestant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.contains("//") {
            text.parse().map(Contestant::Remote).map_err(|error: ludolog::protocol::remote::NoUrl| error.to_string())
        } else {
            text.parse().map(Contestant::Here).map_err(|unknown: ludolog::player::registry::UnknownPlayer| {
                format!("{unknown}, or an address as http://localhost:9147")
            })
        }
    }
}

/// Names and addresses, with the names in the help.
#[derive(Clone)]
pub struct ContestantParser;

impl ValueParserFactory for Contestant {
    type Parser = ContestantParser;

    fn value_parser() -> ContestantParser {
        ContestantParser
    }
}

impl TypedValueParser for ContestantParser {
    type Value = Contestant;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Contestant, clap::Error> {
        let text = StringValueParser::new().parse_ref(command, argument, value)?;
        text.parse()
            .map_err(|message| clap::Error::raw(ErrorKind::ValueValidation, format!("{message}\n")).with_cmd(command))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(PLAYERS.iter().map(|player| PossibleValue::new(player.name).help(player.summary))))
    }
}

/// A game that matches are played of.
pub struct Arena {
    /// The name of the rulesheet.
    pub name: String,
    pub syntax: Syntax,
    pub roles: Vec<Term>,
    /// Whether it hides its states (GDL-II).
    pub hides: bool,
    /// The scene that the rulesheet states, or that [`find_scene`](Self::find_scene) has found.
    pub scene: Option<Scene>,
    /// The joint moves that led to the state that it begins in.
    pub opening: Vec<Vec<Term>>,
    /// What answers for the game.
    pub rules: GameReasoner,
    /// The rulesheet for players elsewhere.
    text: String,
}

impl Arena {
    /// Reads a rulesheet, and makes its net if it has one.
    pub fn read(rulesheet: &OpenedSheet, budget: &Budget) -> Result<Self, Failure> {
        Self::of(rulesheet, &rulesheet.analyze(&mut Sources::new(), budget)?.stratified, budget)
    }

    /// Makes the net of a rulesheet whose program has been read, if it has one.
    pub fn of(rulesheet: &OpenedSheet, program: &StratifiedProgram, budget: &Budget) -> Result<Self, Failure> {
        let text = rulesheet.rules_text(budget)?;
        let name = rulesheet.name();
        let syntax = rulesheet.syntax();
        let rules = rules(program, budget)?;
        let roles = Vec::new();
        let hides = hides(&program.program);
        let mut arena = Arena { name, syntax, roles, hides, scene: None, opening: Vec::new(), rules, text };
        arena.roles = arena.referee(budget)?.reader().roles().to_vec();
        arena.scene = scene::stated(&program.program, &arena.roles);
        Ok(arena)
    }

    /// The same game from the state of an opening on. Its rules are as text, too, which players elsewhere get; that
    /// they begin with that state and its legal moves is checked.
    pub fn beginning_at(&self, opening: Opening, budget: &Budget) -> Result<Self, Failure> {
        let explain = |error| explain(&error, self.syntax);
        let mut referee = self.referee(budget)?;
        let machine = referee.machine();
        let state = machine.state_of(opening.state).map_err(explain)?;
        if machine.is_terminal(&state).map_err(explain)? {
            return Err(Failure::Message("the game is over in the state that it would begin in".to_owned()));
        }
        let facts = machine.facts(&state);
        let legal = machine.legal_terms(&state).map_err(explain)?;
        let mut sources = Sources::new();
        let source = sources.add(&*self.name, &*self.text);
        let read = syntax::parse(source, &sources, Syntax::Kif).into_result();
        let begun = read.and_then(|program| {
            // A net knows its facts itself.
            let unproduced = match self.rules.net() {
                Some(_) => None,
                None => analysis::unproduced(&analysis::analyze(&program)?.stratified.program, &facts),
            };
            let program = beginning_at(&program, &facts);
            Ok((unproduced, analysis::analyze(&program)?.stratified, one_line(&program)))
        });
        let (unproduced, program, text) = begun.map_err(|wrong| Failure::Diagnostics(Box::new(sources), wrong))?;
        if let Some(fact) = unproduced {
            let fact = canonical::text(fact);
            return Err(Failure::Message(format!("the state has {fact}, which no reachable state has")));
        }
        if let Some((role, _)) = legal.iter().find(|(_, moves)| moves.is_empty()) {
            let role = canonical::text(role);
            return Err(Failure::Message(format!("{role} has no legal move in the state that it would begin in")));
        }
        let arena = Arena {
            name: self.name.clone(),
            syntax: self.syntax,
            roles: self.roles.clone(),
            hides: self.hides,
            scene: self.scene.clone(),
            opening: opening.moves,
            rules: rules(&program, budget)?,
            text,
        };
        let mut referee = arena.referee(budget)?;
        let machine = referee.machine();
        let first = machine.initial_state().clone();
        if machine.facts(&first) != facts || machine.legal_terms(&first).map_err(explain)? != legal {
            let reason = "the rules that were made to begin in this state begin in another one; please report it";
            return Err(Failure::Message(reason.to_owned()));
        }
        Ok(arena)
    }

    /// A match of this game that begins now.
    pub fn about(&self) -> About {
        About { opening: self.opening.clone(), ..About::new(&self.name) }
    }

    /// Finds the boards of a game whose rulesheet states none, by all its facts where they are known: those of one match
    /// may lack a row.
    pub fn find_scene(&mut self) -> Result<(), Failure> {
        let budget = limits::budget().with_timeout(scene::SAMPLING);
        let mut referee = self.referee(&budget)?;
        let possible = referee.possible_facts();
        self.scene = Some(scene::of_game(self.scene.take(), referee.machine(), &possible, &budget));
        Ok(())
    }

    /// The digest of the rules.
    pub fn digest(&self) -> String {
        canonical::digest(&self.text)
    }

    /// The reasoner of the game.
    pub fn rules(&self) -> &GameReasoner {
        &self.rules
    }

    /// A machine for a referee.
    pub fn referee(&self, budget: &Budget) -> Result<Game, Failure> {
        self.rules.game(budget).map_err(|error| explain(&error, self.syntax))
    }

    /// The numbers of the roles that players play: all but chance.
    pub fn played_roles(&self) -> Vec<usize> {
        (0..self.roles.len()).filter(|&role| !is_random(&self.roles[role])).collect()
    }

    /// Checks that there is a player for each role but chance, and that each plays such games.
    pub fn check(&self, players: &[Contestant]) -> Result<(), Failure> {
        let roles = self.played_roles();
        if roles.len() != players.len() {
            let names: Vec<String> = roles.iter().map(|&role| print_term(&self.roles[role], self.syntax)).collect();
            let given = counted(players.len(), "player");
            let needed = format!("a player for each role is needed: {}; {given} given", names.join(", "));
            return Err(Failure::Message(needed));
        }
        players.iter().try_for_each(|player| player.check(self))
    }

    /// The seats of a match, with these players in the order of the roles that they play.
    pub fn seats(&self, about: &About, players: &[Contestant], options: impl Fn(u32) -> Options) -> Vec<Box<dyn Seat>> {
        let mut seats: Vec<Box<dyn Seat>> = self.roles.iter().map(|_| Box::new(Nature) as Box<dyn Seat>).collect();
        for (role, player) in self.played_roles().into_iter().zip(players) {
            seats[role] = self.seat(about, role as u32, player, options(role as u32));
        }
        seats
    }

    /// The seat of a role in a match, with this player.
    pub fn seat(&self, about: &About, role: u32, player: &Contestant, options: Options) -> Box<dyn Seat> {
        match player {
            Contestant::Here(kind) => Box::new(Local::of(self.rules.clone(), Role(role), *kind, options)),
            Contestant::Remote(url) => {
                let name = self.roles[role as usize].clone();
                Box::new(Remote::new(url.clone(), about.id.clone(), name, self.text.clone()))
            }
        }
    }
}

/// Plays a match, and prints its record.
pub fn run(args: &MatchArgs) -> Result<Outcome, Failure> {
    args.files.check()?;
    if let Some(path) = &args.analyze {
        return analyze::run(args, path);
    }
    args.opening.check(&args.options)?;
    let ready = limits::budget().with_timeout(args.timeout);
    let arena = Arena::read(&args.rulesheet.open()?, &ready)?;
    arena.check(&args.players)?;
    let mut arena = args.opening.begin(&arena, args.options.seed(), &ready)?.unwrap_or(arena);
    if args.files.html.is_some() || args.spectate.spectate.is_some() {
        arena.find_scene()?;
    }
    let options = args.options.read(std::slice::from_ref(&arena))?;
    let mut referee = arena.referee(&ready)?;
    let spectators = args.spectate.start()?;
    let about = arena.about();
    let mut seats = arena.seats(&about, &args.players, |role| options.of(0, role));
    let progress = ProgressLine::new("getting ready");
    let budget = limits::budget().with_timeout(Duration::MAX);
    let clocks = args.clocks.clocks();
    let seed = args.options.seed();
    let played = Match { game: &mut referee, seats: &mut seats, clocks, max_steps: args.max_steps, seed };
    let record = played.play(&budget, |record| {
        if let Some(ply) = record.plies.last() {
            let last = || spelled(&ply.joint, arena.syntax);
            progress.say(|| format!("{} {}", counted(record.plies.len(), "joint move"), last()));
        }
        spectators.show(&about, record, arena.scene.as_ref(), true);
    });
    drop(progress);
    let record = record.map_err(|error| explain(&error, arena.syntax))?;
    spectators.show(&about, &record, arena.scene.as_ref(), false);
    args.files.write(&about, &record, arena.scene.as_ref())?;
    match args.format {
        Format::Text => print(&(opening_text(&arena) + &to_text(&record, None, arena.syntax)))?,
        Format::Json => print_json(&record::to_json(&about, &record))?,
    }
    spectators.leave();
    let faults = (0..record.roles.len()).any(|role| record.faults(role).next().is_some());
    Ok(match record.end {
        None => Outcome::Interrupted,
        Some(_) if faults => Outcome::Negative,
        Some(_) => Outcome::Success,
    })
}
