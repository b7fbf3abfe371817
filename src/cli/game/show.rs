//! `ludolog game show`: a state of a game, drawn.

use super::{explain, play};
use crate::cli::case::LimitArgs;
use crate::cli::output::print_json;
use crate::cli::rulesheet::{OpenedSheet, RulesheetArgs};
use crate::cli::scene::{self, SAMPLING, width};
use crate::cli::{Failure, Outcome, counted, file, print, print_styled};
use clap::{Args, ValueEnum};
use ludolog::diagnostic::Sources;
use ludolog::engine::Setting;
use ludolog::game::scene::{Scene, SceneView};
use ludolog::game::{GameError, Interpreted, State, StateMachine, StateMachineExt, canonical};
use ludolog::optimize::Optimization;
use ludolog::picture::{svg, text};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{ColdSort, Syntax, print_term};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;

#[derive(Args)]
pub struct ShowArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// A joint move: one move for each role, in order, as in '(mark 1 1) noop' or 'mark(1, 1), noop'; give it again for
    /// the next one
    #[arg(long = "move", value_name = "MOVES")]
    moves: Vec<String>,
    #[arg(long, value_enum, default_value_t)]
    format: BoardFormat,
    /// Write the picture as SVG to this file too
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    budget: LimitArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BoardFormat {
    /// For people
    #[default]
    Text,
    /// For tools
    Json,
    /// The picture alone
    Svg,
}

/// Prints a state, and writes its picture.
pub fn run(args: &ShowArgs) -> Result<Outcome, Failure> {
    let mut sources = Sources::new();
    let rulesheet = args.rulesheet.open()?;
    let syntax = rulesheet.syntax();
    let program = rulesheet.analyze(&mut sources, &args.budget.start())?.stratified;
    let explain = |error| explain(&error, syntax);
    // A few questions do not pay for optimizing.
    let setting = Setting { optimization: Optimization::None, ..Setting::default() };
    let mut game = Interpreted::with_setting(&program, setting, args.budget.start()).map_err(explain)?;
    let mut state = game.initial_state().clone();
    let initial = StateAnswers::of(&mut game, &state).map_err(explain)?;
    play(&mut game, &mut state, &args.moves, syntax, &mut sources)?;
    let reached = StateAnswers::of(&mut game, &state).map_err(explain)?;
    let is_drawn = args.format != BoardFormat::Json || args.svg.is_some();
    let scene = is_drawn.then(|| {
        let stated = scene::stated(&program.program, game.roles());
        scene::of_game(stated, &mut game, &[], &args.budget.start().with_time(SAMPLING))
    });
    let drawn = scene.as_ref().map(|scene: &Scene| scene.view(&reached.facts));
    if let (Some(path), Some(drawn)) = (&args.svg, &drawn) {
        file::write(path, picture(args, &rulesheet, drawn)?.as_bytes())?;
    }
    match (args.format, drawn) {
        (BoardFormat::Text, Some(drawn)) => print_styled(&to_text(&reached, &drawn, args.moves.len(), syntax))?,
        (BoardFormat::Svg, Some(drawn)) => print(&picture(args, &rulesheet, &drawn)?)?,
        _ => print_json(&to_json(args.moves.len(), &initial, &reached))?,
    }
    Ok(Outcome::Success)
}

/// The boards of a state as SVG.
fn picture(args: &ShowArgs, rulesheet: &OpenedSheet, drawn: &SceneView) -> Result<String, Failure> {
    if drawn.pictures.is_empty() {
        return Err(Failure::Message(
            "there is no board among the facts of this game; state one by facts as (picture_cell C X Y)".to_owned(),
        ));
    }
    Ok(svg::sheet(&drawn.pictures, &format!("{}, {}", rulesheet.name(), moment(args.moves.len()))))
}

/// The state after so many joint moves, in words.
fn moment(steps: usize) -> String {
    match steps {
        0 => "initial state".to_owned(),
        _ => format!("after {}", counted(steps, "joint move")),
    }
}

/// The answers about one state.
struct StateAnswers {
    facts: Vec<Term>,
    terminal: bool,
    legal: Vec<(Term, Vec<Term>)>,
    goals: Vec<Option<i64>>,
}

impl StateAnswers {
    fn of(game: &mut impl StateMachine, state: &State) -> Result<Self, GameError> {
        let mut legal = game.legal_terms(state)?;
        legal.iter_mut().for_each(|(_, moves)| moves.sort_by_cached_key(canonical::text));
        Ok(Self { facts: game.facts(state), terminal: game.is_terminal(state)?, legal, goals: game.goals(state)? })
    }

    fn facts_digest(&self) -> String {
        canonical::digest(&canonical::state_text(&self.facts))
    }

    fn legal_digest(&self) -> String {
        canonical::digest(&canonical::moves_text(&self.legal))
    }

    fn legal_counts(&self) -> Vec<usize> {
        self.legal.iter().map(|(_, moves)| moves.len()).collect()
    }
}

/// Facts as text, sorted.
fn sorted<'f>(facts: impl IntoIterator<Item = &'f Term>, spell: impl Fn(&Term) -> String) -> Vec<String> {
    let mut facts: Vec<String> = facts.into_iter().map(spell).collect();
    facts.cold_sort();
    facts
}

/// The first state under the names that the corpus of rulesheets uses, then the state reached.
fn to_json(steps: usize, initial: &StateAnswers, reached: &StateAnswers) -> Value {
    let by_role = |view: &StateAnswers, value: &dyn Fn(usize) -> Value| {
        let entries = view.legal.iter().enumerate().map(|(i, (role, _))| (canonical::text(role), value(i)));
        Value::Object(entries.collect::<Map<_, _>>())
    };
    let moves = |i: usize| reached.legal[i].1.iter().map(canonical::text).collect::<Vec<_>>().into();
    json!({
        "roles": initial.legal.iter().map(|(role, _)| canonical::text(role)).collect::<Vec<_>>(),
        "init_facts": initial.facts.len(),
        "init_sha256": initial.facts_digest(),
        "init_terminal": initial.terminal,
        "init_legal_counts": initial.legal_counts(),
        "init_legal_sha256": initial.legal_digest(),
        "init_goals": initial.goals,
        "steps": steps,
        "facts": sorted(&reached.facts, canonical::text),
        "facts_sha256": reached.facts_digest(),
        "terminal": reached.terminal,
        "legal": by_role(reached, &moves),
        "legal_counts": reached.legal_counts(),
        "legal_sha256": reached.legal_digest(),
        "goals": by_role(reached, &|i| reached.goals[i].into()),
    })
}

/// The boards, the facts that stand on none, and the moves.
fn to_text(view: &StateAnswers, drawn: &SceneView, steps: usize, syntax: Syntax) -> String {
    let spell = |term: &Term| print_term(term, syntax);
    let mut text = moment(steps);
    text[..1].make_ascii_uppercase();
    let end = if view.terminal { ", terminal" } else { "" };
    _ = writeln!(text, " ({}{end})", counted(view.facts.len(), "fact"));
    if !drawn.pictures.is_empty() {
        text += &format!("\n{}\n", text::to_text(&drawn.pictures, width(), true));
    }
    for fact in sorted(drawn.others.iter().copied(), spell) {
        _ = writeln!(text, "  {fact}");
    }
    for ((role, moves), goal) in view.legal.iter().zip(&view.goals) {
        let goal = goal.map_or("no single goal".to_owned(), |goal| format!("goal {goal}"));
        _ = writeln!(text, "\n{} ({goal}, {})", spell(role), counted(moves.len(), "legal move"));
        for made in moves {
            _ = writeln!(text, "  {}", spell(made));
        }
    }
    text
}
