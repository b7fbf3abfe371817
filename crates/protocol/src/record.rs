//! Matches as JSON, in the shape that the field's servers and viewers share, with what only we know under `ludolog`.

use ludolog_game::{PlayoutEnd, canonical};
use ludolog_player::MatchRecord;
use ludolog_player::analysis::{ExpectedGoal, MatchAnalysis, StateAnalysis};
use ludolog_player::matches::{SeatFault, Thought};
use ludolog_syntax::ColdSort;
use ludolog_syntax::ast::Term;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The name of a match, and the time of its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The name of the match.
    pub id: String,
    /// The name of the game.
    pub game: String,
    /// When the match began, since 1970.
    pub start: Duration,
    /// The joint moves from the first state of the rulesheet to that in which the match began.
    pub opening: Vec<Vec<Term>>,
}

impl About {
    /// A match that begins. Its name is unlike those of all other matches of the machine.
    pub fn new(game: &str) -> About {
        let start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let word: String = game.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
        let id = format!("ludolog.{word}.{}.{}", start.as_nanos(), std::process::id());
        About { id, game: game.to_owned(), start, opening: Vec::new() }
    }
}

/// A number of seconds: an integer where it can be.
fn seconds(time: Duration) -> Value {
    match time.subsec_nanos() {
        0 => json!(time.as_secs()),
        _ => json!(time.as_secs_f64()),
    }
}

fn terms(terms: &[Term]) -> Vec<String> {
    terms.iter().map(canonical::text).collect()
}

/// A fault in words.
pub fn fault_text(fault: &SeatFault) -> String {
    match fault {
        SeatFault::Late(took) => format!("late, after {:.3} s", took.as_secs_f64()),
        SeatFault::Illegal(term) => format!("{} is not legal", canonical::text(term)),
        SeatFault::Failed(reason) => reason.clone(),
    }
}

/// The faults of all roles at one time; empty where there is none.
fn errors(faults: &[Option<SeatFault>]) -> Vec<String> {
    faults.iter().map(|fault| fault.as_ref().map_or(String::new(), fault_text)).collect()
}

fn thought(thought: &Option<Thought>) -> Value {
    match thought {
        None => Value::Null,
        Some(Thought { report, line }) => json!({
            "playouts": report.playouts,
            "batches": report.batches,
            "choosing_seconds": report.times.choosing.as_secs_f64(),
            "playing_seconds": report.times.playing.as_secs_f64(),
            "entering_seconds": report.times.entering.as_secs_f64(),
            "nodes": report.nodes,
            "depth": report.depth,
            "value": report.value,
            "proven": report.proven,
            "seconds": report.time.as_secs_f64(),
            "note": report.note,
            "line": line.iter().map(|joint| terms(joint)).collect::<Vec<_>>(),
        }),
    }
}

/// Why a match ended, in a word.
pub fn end_name(record: &MatchRecord) -> &'static str {
    match record.end {
        Some(PlayoutEnd::Terminal) => "terminal",
        Some(PlayoutEnd::MaxSteps) => "max_steps",
        Some(PlayoutEnd::Stuck(_)) => "stuck",
        None => "interrupted",
    }
}

/// A match as JSON.
pub fn to_json(about: &About, record: &MatchRecord) -> Value {
    let state = |facts: &Vec<Term>| {
        let mut facts = terms(facts);
        facts.cold_sort();
        format!("({})", facts.join(" "))
    };
    let time = |time: &Duration| about.start.saturating_add(*time).as_millis() as u64;
    json!({
        "matchId": about.id,
        "startTime": about.start.as_millis() as u64,
        "gameName": about.game,
        "gameRoleNames": terms(&record.roles),
        "playerNamesFromHost": record.players,
        "startClock": seconds(record.clocks.start),
        "playClock": seconds(record.clocks.play),
        "isCompleted": record.end == Some(PlayoutEnd::Terminal),
        "isAborted": record.end.is_none(),
        "states": record.states.iter().map(state).collect::<Vec<_>>(),
        "stateTimes": record.state_times.iter().map(time).collect::<Vec<_>>(),
        "moves": record.plies.iter().map(|ply| terms(&ply.joint)).collect::<Vec<_>>(),
        "errors": record.plies.iter().map(|ply| errors(&ply.faults)).collect::<Vec<_>>(),
        "goalValues": record.goals,
        "ludolog": {
            "version": env!("CARGO_PKG_VERSION"),
            "end": end_name(record),
            "opening": about.opening.iter().map(|joint| terms(joint)).collect::<Vec<_>>(),
            "startErrors": errors(&record.unready),
            "startThoughts": record.preparations.iter().map(thought).collect::<Vec<_>>(),
            "percepts": record.plies.iter()
                .map(|ply| ply.percepts.as_ref().map(|seen| seen.iter().map(|seen| terms(seen)).collect::<Vec<_>>()))
                .collect::<Option<Vec<_>>>(),
            "seconds": record.plies.iter()
                .map(|ply| ply.times.iter().map(Duration::as_secs_f64).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
            "thoughts": record.plies.iter()
                .map(|ply| ply.thoughts.iter().map(thought).collect::<Vec<_>>())
                .collect::<Vec<_>>(),
        },
    })
}

/// A match as JSON, with the analysis of a longer search as `analysis` of `ludolog`.
pub fn analyzed_to_json(about: &About, record: &MatchRecord, analysis: &MatchAnalysis) -> Value {
    let mut document = to_json(about, record);
    document["ludolog"]["analysis"] = json!({
        "player": analysis.player,
        "seconds": analysis.time.as_secs_f64(),
        "notes": analysis.notes,
        "states": analysis.states.iter().map(|state| state.as_ref().map(analyzed_state)).collect::<Vec<_>>(),
        "losses": analysis.losses,
        "mistakes": analysis.mistakes().iter().map(|mistake| json!({
            "step": mistake.ply,
            "role": canonical::text(&record.roles[mistake.role]),
            "move": canonical::text(&record.plies[mistake.ply].joint[mistake.role]),
            "loss": mistake.loss,
            "better": analysis.better(*mistake).map(canonical::text),
        })).collect::<Vec<_>>(),
    });
    document
}

fn analyzed_state(state: &StateAnalysis) -> Value {
    let values = |value: fn(&ExpectedGoal) -> Value| -> Vec<Value> {
        state.goals.iter().map(|goal| goal.as_ref().map_or(Value::Null, value)).collect()
    };
    json!({
        "values": values(|goal| json!(goal.value)),
        "proven": values(|goal| json!(goal.proven)),
        "best": state.best.iter().map(|made| made.as_ref().map(canonical::text)).collect::<Vec<_>>(),
        "line": state.line.iter().map(|joint| terms(joint)).collect::<Vec<_>>(),
        "depth": state.depth,
        "nodes": state.nodes,
        "playouts": state.playouts,
    })
}
