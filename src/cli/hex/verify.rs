//! `ludolog hex verify`.

use super::position_argument;
use crate::cli::output::{Format, print_json};
use crate::cli::{Failure, Outcome, counted, file, print};
use clap::Args;
use ludolog::hex::board::Player;
use ludolog::hex::certificate::{self, Certificate, Proof, Refusal};
use serde_json::json;
use std::path::PathBuf;

#[derive(Args)]
pub struct HexVerifyArgs {
    /// A certificate, as `hex solve --proof` writes it
    certificate: PathBuf,
    /// Refuse a certificate for another position than this: a file, a HexWorld link, or NxM, an empty board
    #[arg(long)]
    position: Option<String>,
    /// Write the proof to this file too, as a page to walk through with a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl HexVerifyArgs {
    /// The check of a certificate for whatever position it is.
    pub fn of(certificate: PathBuf, format: Format) -> HexVerifyArgs {
        HexVerifyArgs { certificate, position: None, html: None, format }
    }
}

pub fn run(args: &HexVerifyArgs) -> Result<Outcome, Failure> {
    let position = args.position.as_deref().map(position_argument).transpose()?;
    let shown = args.certificate.display();
    let file = file::read(&args.certificate)?;

    let checked = certificate::check(&file).and_then(|certificate| {
        position.map_or(Ok(()), |position| certificate.is_for(&position))?;
        Ok(certificate)
    });
    match (&checked, args.format) {
        (_, Format::Json) => print_json(&verdict(&checked, file.len()))?,
        (Ok(certificate), Format::Text) => print(&accepted(certificate, file.len()))?,
        (Err(refusal), Format::Text) => print(&format!("refused: {shown}, {refusal}\n"))?,
    }
    if let (Ok(certificate), Some(page)) = (&checked, &args.html) {
        file::write(page, certificate::page::to_html(certificate).as_bytes())?;
    }
    Ok(if checked.is_ok() { Outcome::Success } else { Outcome::Negative })
}

/// `to move` of the claim, in words.
fn mover(certificate: &Certificate) -> &'static str {
    certificate.position().to_move.map_or("any", Player::name)
}

fn accepted(certificate: &Certificate, bytes: usize) -> String {
    let to_move = match mover(certificate) {
        "any" => "whoever is to move",
        "red" => "with red to move",
        _ => "with blue to move",
    };
    let stones = certificate.position().stones().count();
    let lines = counted(certificate.len(), "line");
    format!(
        "accepted: {} wins on {} with {}, {to_move} ({lines}, {bytes} bytes)\n",
        certificate.winner(),
        certificate.board(),
        counted(stones, "stone"),
    )
}

fn verdict(checked: &Result<Certificate, Refusal>, bytes: usize) -> serde_json::Value {
    match checked {
        Ok(certificate) => json!({
            "accepted": true,
            "winner": certificate.winner().name(),
            "board": certificate.board().to_string(),
            "to_move": mover(certificate),
            "proof": match certificate.proof() {
                Proof::Connections { .. } => "connections",
                Proof::Pairing(_) => "pairing",
            },
            "lines": certificate.len(),
            "bytes": bytes,
        }),
        Err(refusal) => json!({ "accepted": false, "line": refusal.line, "reason": refusal.reason }),
    }
}
