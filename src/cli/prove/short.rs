//! `ludolog prove short`: that Short wins Shannon switching on edges.

use crate::cli::output::{Format, print_json};
use crate::cli::rulesheet;
use crate::cli::{Failure, Outcome, counted, print};
use clap::Args;
use ludolog::family::games::shannon::{self, SIDES};
use ludolog::family::switching::{self, Strategy, Switching, TreeCertificate};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct ShortArgs {
    /// The graph, as facts: edge(a, b), source(a) and target(b), and begins(cut) if Cut moves first; several edges between
    /// two nodes have names, as in edge(e1, a, b)
    #[arg(long, value_name = "FILE", required_unless_present = "bridg_it")]
    graph: Option<PathBuf>,
    /// Bridg-it of this size: red is Short on the grid of red's dots
    #[arg(long, value_name = "N", conflicts_with = "graph", value_parser = clap::value_parser!(u64).range(1..=shannon::MOST_BRIDGIT as u64))]
    bridg_it: Option<u64>,
    /// Let this side, short or cut, move first [default: as the graph says, else short]
    #[arg(long, value_name = "SIDE", value_parser = SIDES)]
    begins: Option<String>,
    /// Write a certificate, which `ludolog verify` checks
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &ShortArgs) -> Result<Outcome, Failure> {
    let (mut graph, told) = match (&args.graph, args.bridg_it) {
        (Some(path), _) => (rulesheet::graph(path, true)?, path.display().to_string()),
        (None, size) => (shannon::bridgit_graph(size.unwrap_or(1) as usize), "Bridg-it".to_owned()),
    };
    graph.begins = args.begins.as_deref().map(Into::into).or(graph.begins);
    let refused = |error| Failure::Message(format!("{told}: {error}"));
    let begins = graph.first_of(&SIDES).map_err(refused)?;
    let game = Switching::of_graph(&graph).map_err(refused)?;
    let [as_second, as_first] = [false, true].map(|begins| game.trees(begins));
    let outcome = switching::SwitchingWinner::of(as_second.as_ref(), as_first.as_ref());
    let trees = if begins == SIDES[0] { as_first } else { as_second };
    let certificate = trees.map(|trees| TreeCertificate { game, trees });
    let proof = args.proof.as_deref().filter(|_| certificate.is_some());
    if let (Some(path), Some(certificate)) = (proof, &certificate) {
        super::write(path, certificate)?;
    }
    match args.format {
        Format::Text => print(&text(outcome, begins, certificate.as_ref(), proof))?,
        Format::Json => print_json(&document(outcome, begins, certificate.as_ref(), proof))?,
    }
    Ok(if certificate.is_some() { Outcome::Success } else { Outcome::Negative })
}

fn text(
    outcome: switching::SwitchingWinner,
    begins: &str,
    certificate: Option<&TreeCertificate>,
    proof: Option<&Path>,
) -> String {
    let mut text = match outcome {
        switching::SwitchingWinner::Short => "Short wins, whoever begins\n".to_owned(),
        switching::SwitchingWinner::Cut => {
            "Cut wins, whoever begins: no two trees without a common edge span source and target\n".to_owned()
        }
        switching::SwitchingWinner::First => format!("who begins wins, and {begins} begins\n"),
    };
    let Some(certificate) = certificate else { return text };
    if let Some(first) = first_move(certificate) {
        text += &format!("Short begins with {first}\n");
    }
    for (number, edges) in (1..).zip(certificate.edges_of_trees()) {
        text += &format!("tree {number}, {}: {}\n", counted(edges.len(), "edge"), edges.join(" "));
    }
    if let Some(path) = proof {
        text += &format!("proof: {}\n", path.display());
    }
    text
}

fn first_move(certificate: &TreeCertificate) -> Option<&str> {
    let first = Strategy::new(&certificate.game, certificate.trees.clone()).first_move()?;
    Some(&certificate.game.names[first])
}

fn document(
    outcome: switching::SwitchingWinner,
    begins: &str,
    certificate: Option<&TreeCertificate>,
    proof: Option<&Path>,
) -> Value {
    json!({
        "wins": match outcome {
            switching::SwitchingWinner::Short => "short",
            switching::SwitchingWinner::Cut => "cut",
            switching::SwitchingWinner::First => begins,
        },
        "whoever_begins": outcome != switching::SwitchingWinner::First,
        "begins": begins,
        "first_move": certificate.and_then(first_move),
        "trees": certificate.map(TreeCertificate::edges_of_trees),
        "proof": proof.map(|path| path.display().to_string()),
    })
}
