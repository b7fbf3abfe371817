//! `ludolog hex evaluate`.

use super::{POSITION_HELP, position_argument};
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, counted, file, has_color, print};
use clap::Args;
use ludolog::hex::board::Player;
use ludolog::hex::draw;
use ludolog::hex::evaluation::{self, Evaluation, Measure, PlayerEvaluation};
use ludolog::hex::position::Position;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct EvaluateArgs {
    #[arg(help = POSITION_HELP)]
    position: String,
    /// Only this evaluation: distance, two-distance, flow, resistance or y-reduction; may be given several times
    #[arg(long, value_name = "NAME", value_parser = measure)]
    only: Vec<&'static Measure>,
    /// Draw what matters to this player, instead of to both together
    #[arg(long, value_name = "PLAYER")]
    player: Option<Player>,
    /// Write the heat maps as SVG: to a directory, as NAME.svg, or, for one evaluation, to a file that ends in .svg
    #[arg(long, value_name = "PATH")]
    svg: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &EvaluateArgs) -> Result<Outcome, Failure> {
    let position = position_argument(&args.position)?;
    if !evaluation::is_fit(position.board()) {
        let board = position.board();
        let most = evaluation::MAX_SIDE;
        return Err(Failure::Message(format!(
            "a board of {board} is too large to be evaluated; the limit is {most}x{most}"
        )));
    }
    let is_asked = |measure: &Measure| args.only.is_empty() || args.only.iter().any(|only| only.name == measure.name);
    let evaluations: Vec<Evaluation> =
        evaluation::ALL.iter().filter(|measure| is_asked(measure)).map(|measure| measure.evaluate(&position)).collect();
    match args.format {
        Format::Text => print(&to_text(&position, &evaluations, args.player))?,
        Format::Json => print_json(&to_json(&position, &evaluations))?,
    }
    if let Some(path) = &args.svg {
        write_svg(path, &position, &evaluations, args.player)?;
    }
    Ok(Outcome::Success)
}

fn measure(text: &str) -> Result<&'static Measure, String> {
    evaluation::named(text).ok_or_else(|| {
        let names: Vec<&str> = evaluation::ALL.iter().map(|measure| measure.name).collect();
        format!("the evaluations are {}", names.join(", "))
    })
}

fn to_text(position: &Position, evaluations: &[Evaluation], player: Option<Player>) -> String {
    let mut table = crate::cli::table::new(["evaluation", "red", "blue", "red/blue", "ahead", "unit"]);
    for evaluation in evaluations {
        let side = |side: &PlayerEvaluation| {
            if evaluation.measure.by_potential && side.value.is_finite() {
                format!("{} ({})", figure(side.value), counted(side.potential(), "cell"))
            } else {
                figure(side.value)
            }
        };
        table.add_row([
            evaluation.measure.name.to_owned(),
            side(&evaluation.red),
            side(&evaluation.blue),
            evaluation.ratio().map_or_else(|| "–".to_owned(), figure),
            evaluation.ahead().map_or("–", Player::name).to_owned(),
            evaluation.measure.unit.to_owned(),
        ]);
    }
    let mut text = String::new();
    if let Some(name) = &position.name {
        let _ = writeln!(text, "{name}");
    }
    text += &crate::cli::table::text(&table);
    let color = has_color();
    for evaluation in evaluations {
        let _ = writeln!(text, "\n{}", caption(evaluation.measure, player));
        text += &draw::heat_to_text(position, &evaluation.heat(player), color);
    }
    text
}

/// The caption of a heat map.
fn caption(measure: &Measure, player: Option<Player>) -> String {
    let whose = player.map_or("both players", Player::name);
    format!("{}, for {whose}: {}", measure.title, measure.figure)
}

/// Figures from this one on are written with three digits and an exponent.
const FIRST_ROUNDED: f64 = 1e9;

fn figure(value: f64) -> String {
    match value {
        _ if value.is_infinite() => "∞".to_owned(),
        _ if value >= FIRST_ROUNDED => format!("{value:.3e}"),
        _ if value == value.trunc() => format!("{value}"),
        _ => format!("{value:.3}"),
    }
}

/// Infinite figures are the string "infinite": JSON has no such number.
fn to_json(position: &Position, evaluations: &[Evaluation]) -> Value {
    let number = |value: f64| if value.is_finite() { json!(value) } else { json!("infinite") };
    let side = |evaluation: &Evaluation, player: Player| {
        let side = evaluation.of(player);
        let mut object = Map::from_iter([("value".to_owned(), number(side.value))]);
        if evaluation.measure.by_potential {
            object.insert("potential".to_owned(), json!(side.potential()));
        }
        let board = position.board();
        let cells = board.cells().filter_map(|cell| Some((board.name(cell), number(side.figure(cell)?))));
        object.insert("cells".to_owned(), Value::Object(cells.collect()));
        Value::Object(object)
    };
    let evaluations: Vec<Value> = evaluations
        .iter()
        .map(|evaluation| {
            json!({
                "name": evaluation.measure.name,
                "unit": evaluation.measure.unit,
                "figure": evaluation.measure.figure,
                "red": side(evaluation, Player::Red),
                "blue": side(evaluation, Player::Blue),
                "ratio": evaluation.ratio().map(number),
                "ahead": evaluation.ahead().map(Player::name),
            })
        })
        .collect();
    json!({ "board": position.board().to_string(), "evaluations": evaluations })
}

fn write_svg(
    path: &Path,
    position: &Position,
    evaluations: &[Evaluation],
    player: Option<Player>,
) -> Result<(), Failure> {
    let write = |path: &Path, evaluation: &Evaluation| {
        let picture = draw::heat_to_svg(position, &evaluation.heat(player), &caption(evaluation.measure, player));
        file::write(path, picture.as_bytes())
    };
    if path.extension().is_some_and(|extension| extension == "svg") || path.exists() && !path.is_dir() {
        let [evaluation] = evaluations else {
            let message = format!("{} is one file; name a directory, or one evaluation with --only", path.display());
            return Err(Failure::Message(message));
        };
        return write(path, evaluation);
    }
    file::create_directory(path)?;
    evaluations
        .iter()
        .try_for_each(|evaluation| write(&path.join(format!("{}.svg", evaluation.measure.name)), evaluation))
}
