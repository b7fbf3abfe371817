//! `ludolog game tree`: the tree of a small game, labelled with what best play comes to.

use super::reasoner::{Reasoner, machine};
use super::{explain, in_state};
use crate::cli::case::duration;
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, counted, limits, print};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::explanation::tree;
use ludolog::game::{JointMove, StateMachine, canonical};
use ludolog::player::GameTree;
use ludolog::player::zermelo::NoTree;
use ludolog::syntax::{Syntax, print_term};
use serde_json::{Value, json};
use std::time::Duration;

#[derive(Args)]
pub struct TreeArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    /// Print the tree up to this many joint moves from the first state
    #[arg(long, value_name = "D", default_value_t = 1)]
    depth: usize,
    /// Print best play only: at each state the best joint move
    #[arg(long)]
    best: bool,
    /// Give up when there are more states
    #[arg(long, value_name = "N", default_value_t = 5_000_000)]
    max_states: usize,
    /// What answers
    #[arg(long, value_enum, default_value_t)]
    reasoner: Reasoner,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Labels the tree, and prints its upper part.
pub fn run(args: &TreeArgs) -> Result<Outcome, Failure> {
    let rulesheet = args.rulesheet.open()?;
    let syntax = rulesheet.syntax();
    let budget = limits::budget().with_timeout(args.timeout);
    let program = rulesheet.analyze(&mut Sources::new(), &budget)?.stratified;
    let mut machine = machine(&program, args.reasoner, &budget, &budget)?;
    let progress = ProgressLine::new("labelling all states");
    let initial = machine.initial_state().clone();
    let labelled = GameTree::new(&mut *machine, &initial, args.max_states, &budget);
    drop(progress);
    let labelled = labelled.map_err(|reason| match reason {
        NoTree::Game(error) => explain(&error, syntax),
        NoTree::TooManyStates(_) => Failure::Message(format!("no tree: {reason}; allow more with --max-states")),
        reason => Failure::Message(format!("no tree: {reason}")),
    })?;
    if let Some(flaw) = labelled.flaw() {
        let facts = flaw.state().map(|state| machine.facts(state)).unwrap_or_default();
        return Err(Failure::Message(format!("no tree: {flaw}{}", in_state(&facts))));
    }
    let shown = ShownTree { args, machine: &*machine, tree: &labelled };
    match args.format {
        Format::Text => print(&shown.text(syntax))?,
        Format::Json => print_json(&shown.json())?,
    }
    Ok(Outcome::Success)
}

/// The worth of a move for the role that makes it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Worth {
    /// It is the one made.
    Best,
    /// As good for this role, but not for all others.
    Tied,
    /// It is neither.
    Other,
}

/// The part of a tree that is printed.
struct ShownTree<'s> {
    args: &'s TreeArgs,
    machine: &'s dyn StateMachine,
    tree: &'s GameTree,
}

impl ShownTree<'_> {
    /// The joint moves of a state that are printed, with the states that they lead to and how good they are.
    fn children(&self, number: usize, level: usize) -> impl Iterator<Item = (&JointMove, usize, Worth)> {
        let label = self.tree.at(number);
        let deep = if level < self.args.depth { &label.children[..] } else { &[] };
        let me = label.to_move.0 as usize;
        let worth = move |place: usize, child: usize| {
            let goals = &self.tree.at(child).goals;
            if place == label.best {
                Worth::Best
            } else if goals.len() > 2 && goals[me] == label.goals[me] && *goals != label.goals {
                Worth::Tied
            } else {
                Worth::Other
            }
        };
        let children = deep.iter().enumerate();
        let children = children.map(move |(place, (joint, child))| (joint, *child, worth(place, *child)));
        children.filter(|(_, _, worth)| *worth == Worth::Best || !self.args.best)
    }

    fn text(&self, syntax: Syntax) -> String {
        let spell = |joint: &JointMove| {
            let terms = joint.iter().map(|&made| print_term(self.machine.move_term(made), syntax));
            terms.collect::<Vec<_>>().join(" ")
        };
        let roles = self.machine.roles();
        let by_role = |goals: &[i64]| {
            let goals = roles.iter().zip(goals).map(|(role, goal)| format!("{} {goal}", print_term(role, syntax)));
            goals.collect::<Vec<_>>().join(", ")
        };
        let drawn =
            tree::draw((None, 0, Worth::Other), |(joint, number, worth): (Option<&JointMove>, usize, Worth), level| {
                let label = self.tree.at(number);
                let goals = by_role(&label.goals);
                let end = match label.steps {
                    0 => "over".to_owned(),
                    steps => format!("in {}", counted(steps, "joint move")),
                };
                let best = match worth {
                    Worth::Best => ", best",
                    Worth::Tied => ", as good",
                    Worth::Other => "",
                };
                let joint = joint.map_or_else(String::new, |joint| format!("{}: ", spell(joint)));
                let children = self.children(number, level);
                let children = children.map(|(joint, child, worth)| (Some(joint), child, worth)).collect();
                (format!("{joint}{goals} {end}{best}"), children)
            });
        let forced = match &self.tree.at(0).forced[..] {
            [] => String::new(),
            forced => format!("against all others each can force: {}\n", by_role(forced)),
        };
        format!("{}\n{forced}{drawn}", counted(self.tree.len(), "state"))
    }

    fn json(&self) -> Value {
        json!({
            "roles": self.machine.roles().iter().map(canonical::text).collect::<Vec<_>>(),
            "states": self.tree.len(),
            "tree": self.node(0, 0),
        })
    }

    fn node(&self, number: usize, level: usize) -> Value {
        let label = self.tree.at(number);
        let moves = self.children(number, level).map(|(joint, child, worth)| {
            let terms = joint.iter().map(|&made| canonical::text(self.machine.move_term(made)));
            json!({
                "moves": terms.collect::<Vec<_>>(),
                "best": worth == Worth::Best,
                "state": self.node(child, level + 1),
            })
        });
        let mut node = json!({
            "goals": label.goals,
            "steps": label.steps,
            "to_move": canonical::text(&self.machine.roles()[label.to_move.0 as usize]),
            "children": moves.collect::<Vec<_>>(),
        });
        if !label.forced.is_empty() {
            node["forced"] = json!(label.forced);
        }
        node
    }
}
