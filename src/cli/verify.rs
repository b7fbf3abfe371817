//! `ludolog verify`: certificates of all kinds.

use super::case::duration;
use super::hex::board_or_position_argument;
use super::output::{Format, print_json};
use super::{Failure, Outcome, counted, file, limits, print};
use clap::Args;
use ludolog::certificate::{Calculus, Certificate, Envelope, Refusal, RefusedAt, is_json};
use ludolog::family::switching::TreeCertificate;
use ludolog::hex::board::Player;
use ludolog::hex::certificate::{Proof, WinCertificate, page};
use ludolog::hex::position::Position;
use ludolog::positional;
use ludolog::positional::certificate::DrawCertificate;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
pub struct VerifyArgs {
    /// A certificate, as `prove --proof` and `hex solve --proof` write it
    certificate: PathBuf,
    /// Refuse a certificate for another position of Hex than this: a file, a HexWorld link, or an empty board, NxM,
    /// hex-cylinder-NxM or y-N
    #[arg(long)]
    position: Option<String>,
    /// Write a proof of Hex to this file too, as a page to walk through with a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Stop after this time (seconds, or as in 500ms, 5s, 15m)
    #[arg(long, value_name = "T", default_value = "60s", value_parser = duration)]
    timeout: Duration,
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A calculus, and what checks a file of it.
type Verifier = (Calculus, fn(&[u8], &VerifyArgs) -> Result<Outcome, Failure>);

/// All calculi.
const VERIFIERS: [Verifier; 3] = [
    (WinCertificate::CALCULUS, verify::<WinCertificate>),
    (DrawCertificate::CALCULUS, verify::<DrawCertificate>),
    (TreeCertificate::CALCULUS, verify::<TreeCertificate>),
];

pub fn run(args: &VerifyArgs) -> Result<Outcome, Failure> {
    let file = file::read(&args.certificate)?;
    let calculus = Envelope::of(&file).map(|envelope| envelope.calculus);
    let named = VERIFIERS.iter().find(|(known, _)| calculus.as_deref() == Some(known.name));
    match named {
        Some((_, verify)) => verify(&file, args),
        // What names no calculus is refused as what it looks like.
        None if is_json(&file) => verify::<DrawCertificate>(&file, args),
        None => verify::<WinCertificate>(&file, args),
    }
}

/// A certificate as the command tells of it.
trait Told: Certificate {
    /// The size of the proof, in words.
    fn size(&self, bytes: usize) -> Option<String>;

    /// The fields of an accepted one in JSON.
    fn fields(&self, bytes: usize) -> Value;

    /// The fields of a refusal in JSON.
    fn refused(refusal: &Refusal) -> Value;

    /// Checks that the claim is about a position of Hex.
    fn is_about(&self, _: &Position) -> Result<(), Refusal> {
        Err(Refusal::new("it is about no position of Hex"))
    }

    /// The proof as a page; `None` if there are no pages of its kind.
    fn page(&self) -> Option<String> {
        None
    }
}

fn verify<C: Told>(file: &[u8], args: &VerifyArgs) -> Result<Outcome, Failure> {
    let position = args.position.as_deref().map(board_or_position_argument).transpose()?;
    let budget = limits::budget().with_timeout(args.timeout);
    let checked = C::check(file, &budget).map_err(|stopped| Failure::Message(stopped.to_string()))?;
    let checked = checked.and_then(|certificate| {
        position.map_or(Ok(()), |position| certificate.is_about(&position))?;
        Ok(certificate)
    });
    if let (Ok(certificate), Some(path)) = (&checked, &args.html) {
        let no_page = || Failure::Message("--html has pages of proofs of Hex only".to_owned());
        file::write(path, certificate.page().ok_or_else(no_page)?.as_bytes())?;
    }
    match (&checked, args.format) {
        (Ok(certificate), Format::Json) => print_json(&answer(true, certificate.fields(file.len())))?,
        (Err(refusal), Format::Json) => print_json(&answer(false, C::refused(refusal)))?,
        (Ok(certificate), Format::Text) => {
            let size = certificate.size(file.len()).map_or(String::new(), |size| format!(" ({size})"));
            print(&format!("accepted: {}{size}\n", certificate.claim()))?;
        }
        (Err(refusal), Format::Text) => print(&format!("refused: {}, {refusal}\n", args.certificate.display()))?,
    }
    Ok(if checked.is_ok() { Outcome::Success } else { Outcome::Negative })
}

/// The JSON of an answer: whether the certificate is accepted, then the other fields.
fn answer(accepted: bool, fields: Value) -> Value {
    let mut answer = json!({ "accepted": accepted });
    if let (Value::Object(answer), Value::Object(fields)) = (&mut answer, fields) {
        answer.extend(fields);
    }
    answer
}

impl Told for WinCertificate {
    fn size(&self, bytes: usize) -> Option<String> {
        Some(format!("{}, {bytes} bytes", counted(self.len(), "line")))
    }

    fn fields(&self, bytes: usize) -> Value {
        json!({
            "winner": self.winner().name(),
            "board": self.board().to_string(),
            "to_move": self.position().to_move.map_or("any", Player::name),
            "proof": match self.proof() {
                Proof::Connections { .. } => "connections",
                Proof::Pairing(_) => "pairing",
            },
            "lines": self.len(),
            "bytes": bytes,
        })
    }

    fn refused(refusal: &Refusal) -> Value {
        let line = match refusal.at {
            Some(RefusedAt::Line(line)) => Some(line),
            _ => None,
        };
        json!({ "line": line, "reason": refusal.reason })
    }

    fn is_about(&self, position: &Position) -> Result<(), Refusal> {
        self.is_for(position)
    }

    fn page(&self) -> Option<String> {
        Some(page::to_html(self))
    }
}

impl Told for DrawCertificate {
    fn size(&self, _: usize) -> Option<String> {
        Some(counted(self.len(), "step"))
    }

    fn fields(&self, _: usize) -> Value {
        let players = self.claims.iter().map(|claim| claim.player);
        json!({
            "draw": self.is_draw(),
            "cannot_win": players.map(positional::Player::name).collect::<Vec<_>>(),
            "to_move": self.position.to_move.name(),
            "steps": self.len(),
        })
    }

    fn refused(refusal: &Refusal) -> Value {
        let (player, step) = match &refusal.at {
            Some(RefusedAt::Step { player, step }) => (Some(player.to_lowercase()), Some(*step)),
            _ => (None, None),
        };
        json!({ "player": player, "step": step, "reason": refusal.reason })
    }
}

impl Told for TreeCertificate {
    fn size(&self, _: usize) -> Option<String> {
        None
    }

    fn fields(&self, _: usize) -> Value {
        json!({ "begins": self.trees.begins, "edges": self.game.edges.len() })
    }

    fn refused(refusal: &Refusal) -> Value {
        json!({ "reason": refusal.reason })
    }
}
