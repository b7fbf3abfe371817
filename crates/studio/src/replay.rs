//! The record of a match, to be walked through: as `ludolog match --record` writes it, or another server of the field.

use ludolog_game::canonical;
use ludolog_game::grid::FactPlaces;
use ludolog_game::scene::Scene;
use ludolog_logic::analysis::clause::CheckedProgram;
use ludolog_picture::svg;
use ludolog_syntax::ast::Term;
use ludolog_syntax::{ColdSort, Syntax, print_term};
use serde_json::{Value, json};

/// The largest record that is read, in bytes.
const MAX_RECORD: usize = 16 << 20;

/// A match, with the states that it went through.
pub struct Replay {
    states: Vec<Vec<Term>>,
    scene: Scene,
    syntax: Syntax,
    about: Value,
}

impl Replay {
    /// Reads a record. Its states are drawn as the rulesheet states its board, if one of a game with the same roles is at hand, or else
    /// by the grids among their facts; terms are told in this syntax.
    ///
    /// # Errors
    ///
    /// What the text lacks as a record.
    pub fn read(text: &str, rules: Option<&CheckedProgram>, syntax: Syntax) -> Result<Replay, String> {
        if text.len() > MAX_RECORD {
            return Err(format!("a record has {} MiB at most", MAX_RECORD >> 20));
        }
        let record: Value =
            serde_json::from_str(text).map_err(|error| format!("this is no record of a match: {error}"))?;
        let parts = RecordParts(&record);
        let roles = parts.terms_of("gameRoleNames", &record["gameRoleNames"])?;
        let states = parts.list("states")?.iter().map(|state| parts.state(state));
        let states = states.collect::<Result<Vec<Vec<Term>>, String>>()?;
        let moves = parts.list("moves")?.iter().map(|joint| parts.joint(joint, roles.len()));
        let moves = moves.collect::<Result<Vec<Vec<Term>>, String>>()?;
        if states.len() != moves.len() + 1 {
            return Err(format!("the record has {} states and {} joint moves", states.len(), moves.len()));
        }
        let stated = rules.and_then(|program| Scene::stated(program, &roles).ok().flatten());
        let scene = stated.unwrap_or_else(|| Scene::of_grids(FactPlaces::of(&states, &[]), &roles)).of_states(&states);
        let mut replay = Replay { states, scene, syntax, about: Value::Null };
        let opening = record["ludolog"]["opening"].as_array().cloned().unwrap_or_default();
        let opening =
            opening.iter().map(|joint| parts.joint(joint, roles.len())).collect::<Result<Vec<_>, String>>()?;
        replay.about = json!({
            "game": record["gameName"].as_str().unwrap_or("a match"),
            "roles": replay.texts(&roles),
            "players": record["playerNamesFromHost"],
            "goals": record["goalValues"],
            "isCompleted": record["isCompleted"],
            "opening": opening.iter().map(|joint| replay.texts(joint)).collect::<Vec<_>>(),
            "moves": moves.iter().map(|joint| replay.texts(joint)).collect::<Vec<_>>(),
            "errors": record["errors"],
            "seconds": record["ludolog"]["seconds"],
            "values": values(&record),
            "states": replay.states.len(),
        });
        Ok(replay)
    }

    /// Who played what, and how it went: `game`, `roles`, `players`, `goals`, `isCompleted`, `opening` and `moves` (joint moves),
    /// `errors`, `seconds` and `values` (by joint move and role; null where they are not known), and the number of `states`.
    pub fn about(&self) -> &Value {
        &self.about
    }

    /// The state of this number: `svg` if it has a board, and the `facts` that are not on it.
    ///
    /// # Errors
    ///
    /// There is no such state.
    pub fn frame(&self, at: usize) -> Result<Value, String> {
        let facts = self.states.get(at).ok_or_else(|| format!("the match has no state {at}"))?;
        let before = at.checked_sub(1).map(|before| &*self.states[before]);
        let view = self.scene.view_after(facts, before);
        let mut others: Vec<String> = view.others.iter().map(|fact| print_term(fact, self.syntax)).collect();
        others.cold_sort();
        let svg = (!view.pictures.is_empty()).then(|| svg::sheet(&view.pictures, "replay"));
        Ok(json!({ "svg": svg, "facts": others }))
    }

    fn texts(&self, terms: &[Term]) -> Vec<String> {
        terms.iter().map(|term| print_term(term, self.syntax)).collect()
    }
}

/// The parts of a record, each with an error that names it.
struct RecordParts<'r>(&'r Value);

impl RecordParts<'_> {
    fn list(&self, name: &str) -> Result<&Vec<Value>, String> {
        self.0[name].as_array().ok_or_else(|| format!("this is no record of a match: it has no `{name}`"))
    }

    /// The terms of a list of texts.
    fn terms_of(&self, name: &str, list: &Value) -> Result<Vec<Term>, String> {
        let wrong = || format!("this is no record of a match: `{name}` has {list}, which is no list of terms");
        let texts = list.as_array().ok_or_else(wrong)?;
        texts.iter().map(|text| text.as_str().and_then(canonical::term).ok_or_else(wrong)).collect()
    }

    fn joint(&self, joint: &Value, roles: usize) -> Result<Vec<Term>, String> {
        let terms = self.terms_of("moves", joint)?;
        let found = terms.len();
        if found == roles {
            Ok(terms)
        } else {
            Err(format!("a joint move of the record has {found} moves for {roles} roles"))
        }
    }

    /// The facts of a state, which servers write with or without `true` around them.
    fn state(&self, state: &Value) -> Result<Vec<Term>, String> {
        let text = state.as_str().unwrap_or_default().trim();
        let inside = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let facts = inside.and_then(canonical::terms);
        let facts = facts.ok_or_else(|| format!("this is no record of a match: a state is {state}"))?;
        let bare = |fact| match fact {
            Term::Compound(name, args) if &*name == "true" && args.len() == 1 => args[0].clone(),
            fact => fact,
        };
        Ok(facts.into_iter().map(bare).collect())
    }
}

/// What each role expected, by joint move.
fn values(record: &Value) -> Vec<Vec<Value>> {
    let thoughts = record["ludolog"]["thoughts"].as_array().into_iter().flatten();
    let of_ply = |ply: &Value| ply.as_array().into_iter().flatten().map(|thought| thought["value"].clone()).collect();
    thoughts.map(of_ply).collect()
}
