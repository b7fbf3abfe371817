//! `ludolog verify`: certificates of all kinds.

use super::case::duration;
use super::hex;
use super::output::{Format, print_json};
use super::{Failure, Outcome, counted, file, limits, print};
use clap::Args;
use ludolog::family::switching;
use ludolog::positional::Player;
use ludolog::positional::certificate::{DrawCertificate, Refusal, verify};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct VerifyArgs {
    /// A certificate, as `prove --proof` and `hex solve --proof` write it
    certificate: PathBuf,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub fn run(args: &VerifyArgs) -> Result<Outcome, Failure> {
    let shown = args.certificate.display();
    let file = file::read(&args.certificate)?;
    // Certificates of positional games are JSON, those of Hex begin with a word.
    if file.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return hex::verify::run(&hex::verify::HexVerifyArgs::of(args.certificate.clone(), args.format));
    }
    let text = String::from_utf8(file).map_err(|_| Failure::Message(format!("{shown} is not in UTF-8")))?;
    if kind(&text).is_some_and(|kind| kind == switching::certificate::KIND) {
        return switching(&text, args);
    }
    let budget = limits::budget().with_timeout(args.timeout);
    let read = DrawCertificate::parse(&text);
    let checked = match read {
        Ok(certificate) => {
            let checked = verify(&certificate, &budget).map_err(|stopped| Failure::Message(stopped.to_string()))?;
            checked.map(|()| certificate)
        }
        Err(refusal) => Err(refusal),
    };
    match (&checked, args.format) {
        (_, Format::Json) => print_json(&verdict(&checked))?,
        (Ok(certificate), Format::Text) => print(&accepted(certificate))?,
        (Err(refusal), Format::Text) => print(&format!("refused: {shown}, {refusal}\n"))?,
    }
    Ok(if checked.is_ok() { Outcome::Success } else { Outcome::Negative })
}

/// What a file says that it is.
fn kind(text: &str) -> Option<String> {
    let document: Value = serde_json::from_str(text).ok()?;
    Some(document.get("certificate")?.as_str()?.to_owned())
}

/// Checks a proof that Short wins Shannon switching.
fn switching(text: &str, args: &VerifyArgs) -> Result<Outcome, Failure> {
    let read = switching::TreeCertificate::parse(text);
    let checked = read.and_then(|certificate| certificate.verify().map(|()| certificate));
    match (&checked, args.format) {
        (Ok(certificate), Format::Json) => print_json(&json!({
            "accepted": true,
            "begins": certificate.trees.begins,
            "edges": certificate.game.edges.len(),
        }))?,
        (Err(refusal), Format::Json) => print_json(&json!({ "accepted": false, "reason": refusal.reason }))?,
        (Ok(switching::TreeCertificate { game, trees }), Format::Text) => print(&format!(
            "accepted: Short wins Shannon switching on {} as the {} player\n",
            counted(game.edges.len(), "edge"),
            if trees.begins { "first" } else { "second" },
        ))?,
        (Err(refusal), Format::Text) => print(&format!("refused: {}, {refusal}\n", args.certificate.display()))?,
    }
    Ok(if checked.is_ok() { Outcome::Success } else { Outcome::Negative })
}

fn players(certificate: &DrawCertificate) -> Vec<Player> {
    certificate.claims.iter().map(|claim| claim.player).collect()
}

fn accepted(certificate: &DrawCertificate) -> String {
    let what = match (certificate.is_draw(), &players(certificate)[..]) {
        (false, [player, ..]) => format!("{player} cannot win"),
        _ => "a draw".to_owned(),
    };
    let position = &certificate.position;
    let game = position.game();
    let marks = Player::BOTH.map(|player| position.claimed(player).count());
    let board = game.board().map_or_else(|| counted(game.sets().len(), "winning set"), |board| board.to_string());
    format!(
        "accepted: {what} on {board} with {}, {} to move ({})\n",
        counted(marks.iter().sum(), "mark"),
        position.to_move,
        counted(certificate.len(), "step"),
    )
}

fn verdict(checked: &Result<DrawCertificate, Refusal>) -> Value {
    match checked {
        Ok(certificate) => json!({
            "accepted": true,
            "draw": certificate.is_draw(),
            "cannot_win": players(certificate).into_iter().map(Player::name).collect::<Vec<_>>(),
            "to_move": certificate.position.to_move.name(),
            "steps": certificate.len(),
        }),
        Err(refusal) => json!({
            "accepted": false,
            "player": refusal.place.map(|(player, _)| player.name()),
            "step": refusal.place.map(|(_, step)| step),
            "reason": refusal.reason,
        }),
    }
}
