//! Matches read from JSON: those that [`record`](crate::record) writes, and those of other managers of the field, whose
//! records have the same shape without what only we know.
//!
//! A fault of a record has the path of the value that is wrong, from which [`RecordFault::diagnostic`] finds the place in
//! the text: files of matches are long, and mostly one line.

use crate::record::About;
use ludolog_game::canonical::{self, terms};
use ludolog_game::{GameError, JointMove, PlayoutEnd, Role, State, StateMachine, StateMachineExt};
use ludolog_player::matches::{Clocks, RecordedPly, SeatFault, Thought};
use ludolog_player::{MatchRecord, SearchReport};
use ludolog_syntax::ast::Term;
use ludolog_syntax::diagnostic::{Code, Diagnostic, SourceId, Span};
use serde_json::Value;
use std::fmt;
use std::ops::Range;
use std::time::Duration;

/// A step from a value of JSON to one inside it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum JsonStep {
    Key(&'static str),
    Place(usize),
}

/// Why a text is no record of a match, or none of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordFault {
    path: Vec<JsonStep>,
    /// The line and column of JSON that cannot be read, from 1.
    unreadable: Option<[usize; 2]>,
    reason: String,
    help: &'static str,
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for RecordFault {}

/// The way out of most faults.
const SHAPE: &str =
    "`match --record FILE` writes such records; those of other managers need `moves`, a list of joint moves";

/// The way out where record and game part.
const OTHER_GAME: &str = "give the rulesheet that the match was played with";

impl RecordFault {
    fn at(path: &[JsonStep], reason: impl Into<String>, help: &'static str) -> RecordFault {
        RecordFault { path: path.to_vec(), unreadable: None, reason: reason.into(), help }
    }

    /// The fault with its place in the text that was read, which is this source.
    pub fn diagnostic(&self, source: SourceId, text: &str) -> Diagnostic {
        let range = match self.unreadable {
            Some([line, column]) => {
                let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
                let told = (start + column).saturating_sub(1).min(text.len());
                let at = (0..=told).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
                at..text[at..].chars().next().map_or(at, |c| at + c.len_utf8())
            }
            None => value_range(text, &self.path),
        };
        let label = if self.unreadable.is_some() { "reading ends here" } else { "this" };
        let span = Span::new(source, range.start, range.end);
        Diagnostic::error(Code::GameRecord, &*self.reason).at(span, label).help(self.help)
    }
}

/// The bytes of the value at a path of well-formed JSON; those of the last value on the path that is there.
fn value_range(text: &str, path: &[JsonStep]) -> Range<usize> {
    let mut at = skip_space(text, 0);
    for step in path {
        let Some(inner) = inside(text, at, step) else { break };
        at = inner;
    }
    at..value_end(text, at)
}

fn skip_space(text: &str, at: usize) -> usize {
    text[at..].find(|c: char| !c.is_ascii_whitespace()).map_or(text.len(), |space| at + space)
}

/// The byte behind the string that begins at `at`.
fn string_end(text: &str, at: usize) -> usize {
    let mut escaped = false;
    let end = text.bytes().enumerate().skip(at + 1).find(|&(_, byte)| {
        let is_end = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        is_end
    });
    end.map_or(text.len(), |(end, _)| end + 1)
}

/// The byte behind the value that begins at `at`.
fn value_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = string_end(text, at) - 1,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth == 0 => return at,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => return at,
            _ if depth == 0 => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
                return at + bytes[at..].iter().take_while(|byte| is_word(byte)).count().max(1);
            }
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return at;
        }
    }
    at
}

/// The beginning of the value at a step into the one that begins at `at`.
fn inside(text: &str, at: usize, step: &JsonStep) -> Option<usize> {
    let bytes = text.as_bytes();
    let opening = if matches!(step, JsonStep::Key(_)) { b'{' } else { b'[' };
    if bytes.get(at) != Some(&opening) {
        return None;
    }
    let mut number = 0;
    let mut at = skip_space(text, at + 1);
    while at < bytes.len() && !b"]}".contains(&bytes[at]) {
        let mut is_found = *step == JsonStep::Place(number);
        if let JsonStep::Key(key) = step {
            let end = string_end(text, at);
            is_found = text.get(at + 1..end - 1) == Some(*key);
            at = skip_space(text, skip_space(text, end) + 1);
        }
        if is_found {
            return Some(at);
        }
        at = skip_space(text, value_end(text, at));
        at = skip_space(text, at + usize::from(bytes.get(at) == Some(&b',')));
        number += 1;
    }
    None
}

/// A value of JSON with its path.
#[derive(Clone)]
struct Placed<'v> {
    value: &'v Value,
    path: Vec<JsonStep>,
}

impl<'v> Placed<'v> {
    fn fault<T>(&self, reason: impl Into<String>) -> Result<T, RecordFault> {
        Err(RecordFault::at(&self.path, reason, SHAPE))
    }

    fn step(&self, step: JsonStep, value: &'v Value) -> Placed<'v> {
        Placed { value, path: [&self.path[..], &[step]].concat() }
    }

    /// The value of a key; `None` if there is none, or `null`.
    fn get(&self, key: &'static str) -> Option<Placed<'v>> {
        let value = self.value.get(key).filter(|value| !value.is_null())?;
        Some(self.step(JsonStep::Key(key), value))
    }

    fn list(&self, what: &str) -> Result<Vec<Placed<'v>>, RecordFault> {
        let Some(list) = self.value.as_array() else { return self.fault(format!("this is no list of {what}")) };
        Ok(list.iter().enumerate().map(|(place, value)| self.step(JsonStep::Place(place), value)).collect())
    }

    /// The list of a key; empty if there is none.
    fn list_of(&self, key: &'static str) -> Result<Vec<Placed<'v>>, RecordFault> {
        self.get(key).map_or(Ok(Vec::new()), |list| list.list(&format!("elements, as `{key}` has them")))
    }

    fn text(&self, what: &str) -> Result<&'v str, RecordFault> {
        self.value.as_str().map_or_else(|| self.fault(format!("{what} is no text")), Ok)
    }

    /// The text of a key; `default` if there is none.
    fn text_of(&self, key: &'static str, default: &str) -> Result<String, RecordFault> {
        Ok(self.get(key).map_or(Ok(default), |text| text.text(&format!("`{key}`")))?.to_owned())
    }

    /// The seconds of a key; none if there are none.
    fn seconds_of(&self, key: &'static str) -> Result<Duration, RecordFault> {
        let Some(seconds) = self.get(key) else { return Ok(Duration::ZERO) };
        let time = seconds.value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.map_or_else(|| seconds.fault(format!("`{key}` is no number of seconds")), Ok)
    }

    fn term(&self, what: &str) -> Result<Term, RecordFault> {
        let read = terms(self.text(what)?).and_then(|terms| <[Term; 1]>::try_from(terms).ok());
        read.map_or_else(|| self.fault(format!("{what} is no term without variables")), |[term]| Ok(term))
    }

    /// The terms of a list of texts.
    fn terms(&self, what: &str) -> Result<Vec<Term>, RecordFault> {
        self.list(&format!("{what}s"))?.iter().map(|term| term.term(&format!("a {what}"))).collect()
    }

    /// The facts of a state, written as one S-expression, each with or without `true` around it.
    fn state(&self) -> Result<Vec<Term>, RecordFault> {
        let text = self.text("a state")?.trim();
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let Some(facts) = inner.and_then(terms) else { return self.fault("a state is no list of facts") };
        Ok(facts.into_iter().map(fluent).collect())
    }
}

/// A fact without `true` around it.
fn fluent(fact: Term) -> Term {
    match fact {
        Term::Compound(name, args) if &*name == "true" && args.len() == 1 => args[0].clone(),
        fact => fact,
    }
}

/// A match as it was written, before it is compared with its game.
pub struct WrittenMatch {
    about: About,
    /// The roles; none if the record does not name them.
    roles: Vec<Term>,
    players: Vec<String>,
    clocks: Clocks,
    preparations: Vec<Option<Thought>>,
    /// The states; fewer than there are, or none, if the record does not have them.
    states: Vec<Vec<Term>>,
    state_times: Vec<Duration>,
    plies: Vec<RecordedPly>,
    goals: Vec<Option<i64>>,
    is_completed: bool,
    was_long: bool,
}

impl WrittenMatch {
    /// Reads a match.
    ///
    /// # Errors
    ///
    /// [`RecordFault`]: the text is no JSON, or lacks the shape of a match.
    pub fn read(text: &str) -> Result<WrittenMatch, RecordFault> {
        let value: Value = serde_json::from_str(text).map_err(|error| RecordFault {
            unreadable: Some([error.line(), error.column()]),
            ..RecordFault::at(&[], format!("this is no JSON: {error}"), SHAPE)
        })?;
        let all = Placed { value: &value, path: Vec::new() };
        if !value.is_object() {
            return all.fault("a record of a match is an object");
        }
        let Some(moves) = all.get("moves") else { return all.fault("the record has no `moves`") };
        let ours = all.get("ludolog").unwrap_or_else(|| all.clone());
        let plies = plies(&all, &ours, &moves.list("joint moves")?)?;
        let opening = ours.list_of("opening")?.iter().map(|joint| joint.terms("move")).collect::<Result<_, _>>()?;
        let millis = |time: &Placed<'_>| time.value.as_u64().map(Duration::from_millis);
        let start = all.get("startTime").as_ref().and_then(millis).unwrap_or_default();
        let state_times = all.list_of("stateTimes")?;
        let since_start = |time: &Placed<'_>| millis(time).unwrap_or_default().saturating_sub(start);
        Ok(WrittenMatch {
            about: About { id: all.text_of("matchId", "match")?, game: all.text_of("gameName", "")?, start, opening },
            roles: all.get("gameRoleNames").map_or(Ok(Vec::new()), |roles| roles.terms("role"))?,
            players: all
                .list_of("playerNamesFromHost")?
                .iter()
                .map(|name| name.value.as_str().unwrap_or("?").to_owned())
                .collect(),
            clocks: Clocks { start: all.seconds_of("startClock")?, play: all.seconds_of("playClock")? },
            preparations: ours.list_of("startThoughts")?.iter().map(thought).collect::<Result<_, _>>()?,
            states: all.list_of("states")?.iter().map(Placed::state).collect::<Result<_, _>>()?,
            state_times: state_times.iter().map(since_start).collect(),
            plies,
            goals: all.list_of("goalValues")?.iter().map(|goal| goal.value.as_i64()).collect(),
            is_completed: all.value["isCompleted"] == true,
            was_long: ours.value["end"] == "max_steps",
        })
    }

    /// Checks that the roles are those of a game, as far as the record names them.
    ///
    /// # Errors
    ///
    /// [`RecordFault`]: they are others, or in another order.
    pub fn check_roles(&self, roles: &[Term]) -> Result<(), RecordFault> {
        if self.roles.is_empty() || self.roles == roles {
            return Ok(());
        }
        let reason = format!("the roles of the game are {}", listed(roles));
        Err(RecordFault::at(&[JsonStep::Key("gameRoleNames")], reason, OTHER_GAME))
    }

    /// The fault that the match begins in a state which is none of the game, for a reason.
    pub fn no_beginning(&self, reason: &str) -> RecordFault {
        let path = [JsonStep::Key("states"), JsonStep::Place(0)];
        RecordFault::at(&path, format!("the match cannot begin in this state: {reason}"), OTHER_GAME)
    }

    /// The facts of the state that it began in; `None` if the record has no states.
    pub fn first_state(&self) -> Option<&[Term]> {
        self.states.first().map(|state| &**state)
    }

    /// The joint moves before that state.
    pub fn opening(&self) -> &[Vec<Term>] {
        &self.about.opening
    }

    /// Makes the moves of the match on a machine of its game that begins as the match did, and compares the states and
    /// goals with those of the record.
    ///
    /// # Errors
    ///
    /// [`NoReplay`].
    pub fn replay(self, machine: &mut dyn StateMachine) -> Result<(About, MatchRecord), NoReplay> {
        let fault = |path: &[JsonStep], reason| Err(NoReplay::Fault(RecordFault::at(path, reason, OTHER_GAME)));
        let roles = machine.roles().to_vec();
        let mut state = machine.initial_state().clone();
        let mut states = vec![machine.facts(&state)];
        for (number, ply) in self.plies.iter().enumerate() {
            let joint = legal(machine, &state, &ply.joint, number)?;
            state = machine.next_state(&state, &joint)?;
            states.push(machine.facts(&state));
        }
        for (number, (written, derived)) in self.states.iter().zip(&states).enumerate() {
            if let Some(difference) = difference(written, derived) {
                return fault(&[JsonStep::Key("states"), JsonStep::Place(number)], difference);
            }
        }
        let goals = machine.goals(&state)?;
        let end = self.end(machine, &state)?;
        if self.is_completed && end != Some(PlayoutEnd::Terminal) {
            return fault(&[JsonStep::Key("isCompleted")], "the game is not over after these moves".to_owned());
        }
        if self.is_completed && !self.goals.is_empty() && self.goals != goals {
            let goals: Vec<String> =
                goals.iter().map(|goal| goal.map_or("none".into(), |goal| goal.to_string())).collect();
            return fault(&[JsonStep::Key("goalValues")], format!("the goals are {} by the rules", goals.join(", ")));
        }
        let record = MatchRecord {
            players: filled(self.players, roles.len(), "?".to_owned()),
            clocks: self.clocks,
            unready: vec![None; roles.len()],
            preparations: filled(self.preparations, roles.len(), None),
            state_times: filled(self.state_times, states.len(), Duration::ZERO),
            roles,
            states,
            plies: self.plies,
            goals,
            end,
        };
        Ok((self.about, record))
    }

    /// Why a match ended in a state; `None` if it was interrupted.
    fn end(&self, machine: &mut dyn StateMachine, state: &State) -> Result<Option<PlayoutEnd>, GameError> {
        if machine.is_terminal(state)? {
            return Ok(Some(PlayoutEnd::Terminal));
        }
        let legal = machine.all_legal_moves(std::slice::from_ref(state))?.swap_remove(0);
        let stuck = legal.iter().position(Vec::is_empty).map(|role| PlayoutEnd::Stuck(Role(role as u32)));
        Ok(stuck.or(self.was_long.then_some(PlayoutEnd::MaxSteps)))
    }
}

/// Why a match is not one of a game.
#[derive(Debug)]
pub enum NoReplay {
    /// The record says something else than the rules.
    Fault(RecordFault),
    /// The machine failed.
    Game(GameError),
}

impl From<GameError> for NoReplay {
    fn from(error: GameError) -> Self {
        NoReplay::Game(error)
    }
}

/// The terms as KIF, with commas.
fn listed(terms: &[Term]) -> String {
    terms.iter().map(canonical::text).collect::<Vec<_>>().join(", ")
}

/// A list of this length: cut, or filled with an element.
fn filled<T: Clone>(mut list: Vec<T>, length: usize, with: T) -> Vec<T> {
    list.resize(length, with);
    list
}

/// The joint move of some terms in a state.
fn legal(machine: &mut dyn StateMachine, state: &State, joint: &[Term], number: usize) -> Result<JointMove, NoReplay> {
    let path = vec![JsonStep::Key("moves"), JsonStep::Place(number)];
    let fault = |path: &[JsonStep], reason| NoReplay::Fault(RecordFault::at(path, reason, OTHER_GAME));
    if machine.is_terminal(state)? {
        return Err(fault(&path, format!("the game is over after {number} joint moves")));
    }
    machine.joint_move(state, joint).map_err(|error| match error {
        GameError::WrongCount { roles, .. } => {
            fault(&path, format!("this is no joint move: there is one move for each of {}", listed(&roles)))
        }
        GameError::IllegalMove { role, given, legal } => {
            let place = machine.roles().iter().position(|other| *other == role).unwrap_or(0);
            let legal = if legal.is_empty() { "nothing".to_owned() } else { listed(&legal) };
            let reason =
                format!("{} is not legal for {}; legal is {legal}", canonical::text(&given), canonical::text(&role));
            fault(&[&path[..], &[JsonStep::Place(place)]].concat(), reason)
        }
        error => NoReplay::Game(error),
    })
}

/// What a state of a record has that the rules do not derive, or lacks; `None` if they agree.
fn difference(written: &[Term], derived: &[Term]) -> Option<String> {
    let only = |some: &[Term], others: &[Term]| some.iter().find(|fact| !others.contains(fact)).map(canonical::text);
    let wrong = only(written, derived).map(|fact| format!("{fact} does not hold in this state by the rules"));
    wrong.or_else(|| {
        only(derived, written).map(|fact| format!("{fact} holds in this state by the rules, and is not in it"))
    })
}

/// The elements of the list at a place; none if there is none.
fn at<'v>(lists: &[Placed<'v>], place: usize) -> Result<Vec<Placed<'v>>, RecordFault> {
    match lists.get(place) {
        Some(list) if !list.value.is_null() => list.list("elements by role"),
        _ => Ok(Vec::new()),
    }
}

/// The joint moves with what is told of them.
fn plies(all: &Placed<'_>, ours: &Placed<'_>, moves: &[Placed<'_>]) -> Result<Vec<RecordedPly>, RecordFault> {
    let errors = all.list_of("errors")?;
    let seconds = ours.list_of("seconds")?;
    let thoughts = ours.list_of("thoughts")?;
    let mut plies = Vec::with_capacity(moves.len());
    for (number, made) in moves.iter().enumerate() {
        let joint = made.terms("move")?;
        let error = |error: &Placed<'_>| error.value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let faults = at(&errors, number)?.iter().map(|text| error(text).map(SeatFault::Failed)).collect();
        let time = |time: &Placed<'_>| time.value.as_f64().and_then(|time| Duration::try_from_secs_f64(time).ok());
        let times = at(&seconds, number)?.iter().map(|seconds| time(seconds).unwrap_or_default()).collect();
        let told = at(&thoughts, number)?.iter().map(thought).collect::<Result<Vec<_>, _>>()?;
        plies.push(RecordedPly {
            faults: filled(faults, joint.len(), None),
            times: filled(times, joint.len(), Duration::ZERO),
            thoughts: filled(told, joint.len(), None),
            joint,
            percepts: None,
        });
    }
    Ok(plies)
}

/// The thought of a player; `None` if there is none.
fn thought(written: &Placed<'_>) -> Result<Option<Thought>, RecordFault> {
    if written.value.is_null() {
        return Ok(None);
    }
    if !written.value.is_object() {
        return written.fault("a thought is no object");
    }
    let number = |key: &str| written.value[key].as_u64().unwrap_or(0);
    let report = SearchReport {
        playouts: number("playouts"),
        batches: number("batches"),
        nodes: number("nodes"),
        depth: number("depth") as usize,
        value: written.value["value"].as_f64(),
        proven: written.value["proven"] == true,
        time: written.seconds_of("seconds")?,
        note: written.value["note"].as_str().map(str::to_owned),
        ..SearchReport::default()
    };
    let line = written.list_of("line")?.iter().map(|joint| joint.terms("move")).collect::<Result<_, _>>()?;
    Ok(Some(Thought { report, line }))
}
