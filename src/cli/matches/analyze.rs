//! `ludolog match --analyze`: a match that was played, as a longer search sees it.

use super::text::{opening_text, to_text};
use super::{Arena, Contestant, MatchArgs};
use crate::cli::game::explain;
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::{Failure, Outcome, counted, file, limits, print};
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::canonical;
use ludolog::player::analysis::Analyst;
use ludolog::player::{Clocks, MatchRecord, Opening, PLAYERS, PlayerKind};
use ludolog::protocol::written::{NoReplay, RecordFault, WrittenMatch};
use ludolog::protocol::{About, record, replay};
use std::path::Path;
use std::time::Duration;

/// The time for a state, in play clocks of the match: a search that judges the players has to see more than they did.
const PLAY_CLOCKS: u32 = 4;

/// The least time for a state, also where the record tells no clock.
const LEAST_TIME: Duration = Duration::from_secs(1);

/// The file of a record.
struct RecordFile<'p> {
    path: &'p Path,
    text: String,
}

impl RecordFile<'_> {
    fn read(path: &Path) -> Result<RecordFile<'_>, Failure> {
        let not_text = |_| Failure::Message(format!("{} is no text, and so no record of a match", path.display()));
        Ok(RecordFile { path, text: String::from_utf8(file::read(path)?).map_err(not_text)? })
    }

    /// A fault with its place.
    fn refuse(&self, fault: &RecordFault) -> Failure {
        let mut sources = Sources::new();
        let source = sources.add(self.path.display().to_string(), &*self.text);
        Failure::Diagnostics(Box::new(sources), fault.diagnostic(source, &self.text).into())
    }
}

/// Analyzes the match in a file, and prints what was found.
pub fn run(args: &MatchArgs, path: &Path) -> Result<Outcome, Failure> {
    let kind = searcher(&args.players)?;
    let file = RecordFile::read(path)?;
    let written = WrittenMatch::read(&file.text).map_err(|fault| file.refuse(&fault))?;
    let ready = limits::budget().with_timeout(args.timeout);
    let arena = Arena::read(&args.rulesheet.open()?, &ready)?;
    if arena.hides {
        let reason = "hides its states, and what a move was worth depends on what its player could know";
        return Err(Failure::Message(format!("{} {reason}; such matches are not analyzed", arena.name)));
    }
    Contestant::Here(kind).check(&arena)?;
    written.check_roles(&arena.roles).map_err(|fault| file.refuse(&fault))?;
    let mut arena = begun(arena, &written, &file, &ready)?;
    let mut referee = arena.referee(&ready)?;
    let replayed = written.replay(referee.machine()).map_err(|no_replay| match no_replay {
        NoReplay::Fault(fault) => file.refuse(&fault),
        NoReplay::Game(error) => explain(&error, arena.syntax),
    });
    let (mut about, record) = replayed?;
    if about.game.is_empty() {
        about.game.clone_from(&arena.name);
    }
    if args.files.html.is_some() {
        arena.find_scene()?;
    }
    analyze(args, kind, &arena, &about, &record)
}

/// The player that searches.
fn searcher(players: &[Contestant]) -> Result<PlayerKind, Failure> {
    match players {
        [] => Ok(PlayerKind(&PLAYERS[0])),
        [Contestant::Here(kind)] => Ok(*kind),
        _ => Err(Failure::Message("--analyze takes one player of this process, as `auto` or `mcts`".to_owned())),
    }
}

/// The game from where a match began.
fn begun(arena: Arena, written: &WrittenMatch, file: &RecordFile<'_>, budget: &Budget) -> Result<Arena, Failure> {
    let Some(first) = written.first_state() else { return Ok(arena) };
    let referee = arena.referee(budget)?;
    let machine = referee.reader();
    let initial = machine.facts(machine.initial_state());
    if canonical::state_text(&initial) == canonical::state_text(first) {
        return Ok(arena);
    }
    let opening = Opening { moves: written.opening().to_vec(), state: first.to_vec() };
    arena.beginning_at(opening, budget).map_err(|failure| match failure {
        Failure::Message(reason) => file.refuse(&written.no_beginning(&reason)),
        failure => failure,
    })
}

/// Searches the states of a match, and tells what was found.
fn analyze(
    args: &MatchArgs,
    kind: PlayerKind,
    arena: &Arena,
    about: &About,
    record: &MatchRecord,
) -> Result<Outcome, Failure> {
    let options = args.options.read(std::slice::from_ref(arena))?.of(0, 0);
    let play = args.time.unwrap_or(record.clocks.play.saturating_mul(PLAY_CLOCKS).max(LEAST_TIME));
    let clocks = Clocks { start: args.clocks.start_clock, play };
    let progress = ProgressLine::new("getting ready");
    let budget = limits::budget().with_timeout(Duration::MAX);
    let states = record.states.len();
    let found = Analyst { kind, options: &options, clocks }.analyze(arena.rules(), record, &budget, |done| {
        progress.say(|| format!("{done} of {} searched, {:.1} s each", counted(states, "state"), play.as_secs_f64()));
    });
    drop(progress);
    let analysis = found.map_err(|error| explain(&error, arena.syntax))?;
    let document = || record::analyzed_to_json(about, record, &analysis);
    let page = || replay::to_analyzed_html(about, record, &analysis, arena.scene.as_ref());
    args.files.put(document, page)?;
    match args.format {
        Format::Text => print(&(opening_text(arena) + &to_text(record, Some(&analysis), arena.syntax)))?,
        Format::Json => print_json(&document())?,
    }
    Ok(if analysis.is_complete() { Outcome::Success } else { Outcome::Interrupted })
}
