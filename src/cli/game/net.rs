//! `ludolog game net`: what a rulesheet is as gates.

use super::reasoner::{PLAYS_WITHOUT, compile, without_net};
use super::{TimeArgs, explain};
use crate::cli::output::print_json;
use crate::cli::progress::ProgressLine;
use crate::cli::rulesheet::RulesheetArgs;
use crate::cli::{Failure, Outcome, print};
use clap::{Args, ValueEnum};
use ludolog::diagnostic::Sources;
use ludolog::engine::{Budget, Stopped};
use ludolog::game::canonical;
use ludolog::propnet::graph::{Node, Signal};
use ludolog::propnet::ground::GroundSizes;
use ludolog::propnet::{CompiledGame, Lanes, Net, PlayoutPolicy, PlyGroup};
use ludolog::syntax::Syntax;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// Most gates of a net that is drawn: no picture of more can be read.
const MAX_DRAWN: usize = 500;

#[derive(Args)]
pub struct NetArgs {
    #[command(flatten)]
    rulesheet: RulesheetArgs,
    #[arg(long, value_enum, default_value_t)]
    format: NetFormat,
    #[command(flatten)]
    time: TimeArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum NetFormat {
    /// Sizes, step by step
    #[default]
    Text,
    Json,
    /// The net of a small game as a picture for Graphviz
    Dot,
}

/// Prints the sizes of the net, or the net.
pub fn run(args: &NetArgs) -> Result<Outcome, Failure> {
    let budget = args.time.start();
    let program = args.rulesheet.read(&mut Sources::new(), &budget)?;
    let compiled = compile(&program, &budget).map_err(|error| without_net(&error, PLAYS_WITHOUT))?;
    let net = &compiled.net;
    if args.format == NetFormat::Dot {
        let gates = net.gates();
        if gates > MAX_DRAWN {
            return Err(Failure::Message(format!(
                "{gates} gates are too many for a picture, which may have {MAX_DRAWN}"
            )));
        }
        print(&dot(net))?;
        return Ok(Outcome::Success);
    }
    let instructions = instructions(net, &budget)?;
    match args.format {
        NetFormat::Json => print_json(&to_json(&compiled, &instructions))?,
        _ => print(&to_text(&compiled, &instructions))?,
    }
    Ok(Outcome::Success)
}

/// What the programs of a net take for a round of random moves.
struct NetInstructions {
    free: usize,
    in_step: usize,
    plies: usize,
    /// With cautious moves, and the seconds in which the program was made; `None` where that policy does not suit the game.
    cautious: Option<(usize, f64)>,
}

fn instructions(net: &Arc<Net>, budget: &Budget) -> Result<NetInstructions, Failure> {
    let _progress = ProgressLine::new("making instructions");
    let told = |stopped: Stopped| explain(&stopped.into(), Syntax::Kif);
    let uniform = |mode| Lanes::new(net, mode, PlayoutPolicy::Uniform, budget).map_err(told);
    let free = uniform(PlyGroup::Free)?.instructions();
    let in_step = uniform(PlyGroup::InStep)?;
    let start = Instant::now();
    let cautious = match Lanes::new(net, PlyGroup::Free, PlayoutPolicy::Cautious, budget) {
        Err(Stopped::Unsupported(_)) => None,
        made => Some((made.map_err(told)?.instructions(), start.elapsed().as_secs_f64())),
    };
    Ok(NetInstructions { free, in_step: in_step.instructions(), plies: in_step.plies(), cautious })
}

/// The roles with the numbers of their moves.
fn moves(net: &Net) -> impl Iterator<Item = (String, usize)> {
    net.roles.iter().map(|role| (canonical::text(&role.term), role.moves.len()))
}

fn to_json(compiled: &CompiledGame, instructions: &NetInstructions) -> Value {
    let sizes = &compiled.sizes;
    let cautious = instructions.cautious.map(|(count, seconds)| json!({ "instructions": count, "seconds": seconds }));
    json!({
        "rules": sizes.rules,
        "projected_rules": sizes.projected_rules,
        "eliminated_rules": sizes.eliminated_rules,
        "ground_rules": sizes.ground_rules,
        "atoms": sizes.atoms,
        "literals": sizes.literals,
        "grounding_seconds": compiled.grounding.as_secs_f64(),
        "facts": compiled.net.facts.len(),
        "roles": moves(&compiled.net).map(|(role, moves)| json!({ "role": role, "moves": moves })).collect::<Vec<_>>(),
        "gates": compiled.net.gates(),
        "net_seconds": compiled.building.as_secs_f64(),
        "free": { "instructions": instructions.free },
        "cautious": cautious,
        "in_step": { "plies": instructions.plies, "instructions": instructions.in_step },
    })
}

fn to_text(compiled: &CompiledGame, instructions: &NetInstructions) -> String {
    let GroundSizes { rules, projected_rules, eliminated_rules, ground_rules, atoms, literals } = compiled.sizes;
    let [grounding, building] = [compiled.grounding, compiled.building].map(|time| time.as_secs_f64());
    let NetInstructions { free, in_step, plies, cautious } = instructions;
    let mut text = format!("{rules} rules that states are asked by\n");
    _ = writeln!(text, "{projected_rules} with those for negations with variables of their own");
    _ = writeln!(text, "{eliminated_rules} with those for eliminated variables");
    _ = writeln!(text, "{ground_rules} ground rules in {grounding:.2} s");
    _ = writeln!(text, "{atoms} atoms and {literals} literals in them");
    _ = writeln!(text, "{} facts of states", compiled.net.facts.len());
    moves(&compiled.net).for_each(|(role, moves)| _ = writeln!(text, "{moves} moves of {role}"));
    _ = writeln!(text, "{} gates in {building:.2} s, equal and constant ones folded", compiled.net.gates());
    _ = writeln!(text, "{free} instructions a round with random moves");
    _ = writeln!(text, "{in_step} of them with what is known at each of {plies} plies");
    if let Some((count, seconds)) = cautious {
        _ = writeln!(text, "{count} instructions a round with cautious moves, made in {seconds:.2} s");
    }
    text
}

/// The net in the language of Graphviz: inputs above, what follows below, dotted edges for complements, double circles
/// for facts that depend on each other.
fn dot(net: &Net) -> String {
    let mut text = "digraph net {\n  node [shape=circle, fontsize=10];\n".to_owned();
    let mut outputs: Vec<(String, Signal)> = vec![("terminal".to_owned(), net.terminal)];
    for fact in &net.facts {
        let term = canonical::text(&fact.term);
        _ = writeln!(text, "  n{} [shape=box, label={:?}];", fact.now.node(), format!("true {term}"));
        outputs.push((format!("next {term}"), fact.next));
    }
    for role in &net.roles {
        let name = canonical::text(&role.term);
        for made in &role.moves {
            let term = canonical::text(&made.term);
            _ = writeln!(text, "  n{} [shape=box, label={:?}];", made.does.node(), format!("does {name} {term}"));
            outputs.push((format!("legal {name} {term}"), made.legal));
        }
        outputs.extend(role.goals.iter().map(|(value, signal)| (format!("goal {name} {value}"), *signal)));
    }
    let edge = |from: Signal, to: &str| {
        let style = if from.is_complemented() { " [style=dotted]" } else { "" };
        format!("  n{} -> {to}{style};\n", from.node())
    };
    for node in net.graph.cone(outputs.iter().map(|(_, signal)| *signal)) {
        let (label, inputs) = match net.graph.nodes()[node] {
            Node::And(a, b) => ("and", [a, b]),
            Node::Xor(a, b) => ("xor", [a, b]),
            Node::False => {
                _ = writeln!(text, "  n{node} [label=\"false\"];");
                continue;
            }
            Node::Closed(closure) => {
                let closure = &net.graph.closures()[closure as usize];
                _ = writeln!(text, "  n{node} [shape=doublecircle, label=\"or\"];");
                let member = &closure.members[node - closure.first];
                let read = member.steps.iter().flat_map(|step| step.any.iter().flatten().map(|&other| other as usize));
                read.for_each(|other| _ = writeln!(text, "  n{} -> n{node};", closure.first + other));
                let conditions = member.steps.iter().map(|step| step.guard).chain([member.base]);
                let conditions = conditions.filter(|signal| !signal.is_constant());
                conditions.for_each(|condition| text.push_str(&edge(condition, &format!("n{node}"))));
                continue;
            }
            Node::Input => continue,
        };
        _ = writeln!(text, "  n{node} [label={label:?}];");
        inputs.into_iter().for_each(|input| text.push_str(&edge(input, &format!("n{node}"))));
    }
    for (number, (label, signal)) in outputs.iter().enumerate() {
        _ = writeln!(text, "  out{number} [shape=box, style=rounded, label={label:?}];");
        text.push_str(&edge(*signal, &format!("out{number}")));
    }
    text + "}\n"
}
