//! `ludolog hex templates`.

use crate::cli::case::{duration, explain};
use crate::cli::output::{Format, print_json};
use crate::cli::progress::ProgressLine;
use crate::cli::{Failure, Outcome, counted, file, has_color, limits, print};
use clap::Args;
use ludolog::hex::board::{Board, Cell};
use ludolog::hex::certificate::ProofLine;
use ludolog::hex::draw;
use ludolog::hex::position::Position;
use ludolog::hex::survey::names;
use ludolog::hex::template::find::{self, NotFound, TemplateQuestion};
use ludolog::hex::template::{EdgeTemplate, catalogue, file as catalogue_file};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct TemplatesArgs {
    /// The template to show with its proof, by its number in the list
    #[arg(value_name = "NUMBER", conflicts_with = "find")]
    number: Option<usize>,
    /// Find templates by exact search instead of listing those that come with Ludolog
    #[arg(long)]
    find: bool,
    /// The region to find them in, columns and rows up from the edge, as in 7x4; the stone is in its upper row [default:
    /// all regions of the templates that come with Ludolog]
    #[arg(long, value_name = "SIZE", requires = "find")]
    size: Option<Board>,
    /// Stop searching after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "10m", value_parser = duration, requires = "find")]
    timeout: Duration,
    /// Write what is found to this file too, as Ludolog keeps it
    #[arg(long, short, value_name = "FILE", requires = "find")]
    output: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the picture of the template as SVG to this file too
    #[arg(long, value_name = "FILE", requires = "number")]
    svg: Option<PathBuf>,
}

pub fn run(args: &TemplatesArgs) -> Result<Outcome, Failure> {
    args.output.iter().chain(&args.svg).try_for_each(|path| file::check(path))?;
    let found = if args.find { Some(found(args)?) } else { None };
    let templates = found.as_deref().unwrap_or(catalogue());
    let shown: Vec<(usize, &EdgeTemplate)> = match args.number {
        None => (1..).zip(templates).collect(),
        Some(number) => {
            let template = number.checked_sub(1).and_then(|index| templates.get(index)).ok_or_else(|| {
                Failure::Message(format!(
                    "there is no template {number}; they are numbered from 1 to {}",
                    templates.len()
                ))
            })?;
            vec![(number, template)]
        }
    };
    if let (Some(path), [(_, template)]) = (&args.svg, &shown[..]) {
        let carrier: Vec<Cell> = template.carrier().iter().collect();
        file::write(path, draw::to_svg(&position(template), &carrier).as_bytes())?;
    }
    if let Some(path) = &args.output {
        file::write(path, catalogue_file::to_text(templates).as_bytes())?;
    }
    match args.format {
        Format::Json => {
            let templates: Vec<Value> = shown.iter().map(|&(number, template)| to_json(number, template)).collect();
            print_json(&json!({ "templates": templates }))?;
        }
        Format::Text => {
            let texts: Vec<String> =
                shown.iter().map(|&(number, template)| to_text(number, template, args.number.is_some())).collect();
            print(&texts.join("\n"))?;
        }
    }
    Ok(Outcome::Success)
}

/// The templates of the regions that are asked for.
fn found(args: &TemplatesArgs) -> Result<Vec<EdgeTemplate>, Failure> {
    let budget = limits::budget().with_timeout(args.timeout);
    let progress = ProgressLine::new("templates");
    let mut proved = 0;
    let questions = match args.size {
        None => find::CATALOGUE.to_vec(),
        Some(region) => vec![TemplateQuestion::OfCells { width: region.width(), rows: region.height() }],
    };
    let found = find::find(&questions, &budget, &mut |_| {
        proved += 1;
        progress.say(|| format!("{} proved", counted(proved, "template")));
    });
    found.map_err(|why| match why {
        NotFound::Stopped(stopped) => explain(&stopped),
        NotFound::Unproved(reason) => Failure::Message(format!("a template has no proof: {reason}")),
    })
}

/// The stones of a template on its board.
fn position(template: &EdgeTemplate) -> Position {
    let mut position = Position::new(template.board());
    for cell in template.needs().iter().chain(template.end().cell()) {
        position.place(EdgeTemplate::PLAYER, cell);
    }
    position
}

fn proof(template: &EdgeTemplate) -> Vec<String> {
    template.steps().iter().map(|step| step.to_text(template.board(), EdgeTemplate::PLAYER)).collect()
}

fn to_json(number: usize, template: &EdgeTemplate) -> Value {
    let board = template.board();
    json!({
        "number": number,
        "board": board.to_string(),
        "row": template.row(),
        "end": template.end().name(board, EdgeTemplate::PLAYER),
        "needs": names(board, template.needs()),
        "carrier": names(board, template.carrier()),
        "proof": proof(template),
    })
}

/// The picture with the carrier marked; the proof too, its lines numbered as in a certificate, if it is asked for.
fn to_text(number: usize, template: &EdgeTemplate, has_proof: bool) -> String {
    let board = template.board();
    let carrier: Vec<Cell> = template.carrier().iter().collect();
    let mut text = format!(
        "template {number}: {} to bottom in {}, {}\n",
        template.end().name(board, EdgeTemplate::PLAYER),
        counted(carrier.len(), "cell"),
        counted(template.steps().len(), "line")
    );
    text += &draw::to_text(&position(template), &carrier, has_color());
    if has_proof {
        let _ = writeln!(text, "carrier: {}", names(board, template.carrier()).join(" "));
        for (line, step) in (ProofLine::HEADER + 1..).zip(proof(template)) {
            let _ = writeln!(text, "{line:>4} {step}");
        }
    }
    text
}
