//! The file of a certificate, JSON.
//!
//! ```json
//! {
//!   "certificate": "ludolog positional",
//!   "version": 1,
//!   "position": ["set: a b", "to-move: x"],
//!   "claims": [
//!     { "player": "x", "steps": [{ "rule": "matching", "parts": [["a", "b"]] }] },
//!     { "player": "o", "steps": [{ "rule": "stealing" }] }
//!   ]
//! }
//! ```
//!
//! The position is the lines of its [file](crate::text). Points have their names, steps are counted from 0. A part of a
//! matching is a pair of points, or `{"coverings": [{"marker": "a", "reply": "b", "rest": [["c", "d"]]}]}`.

use super::{DrawCertificate, NoWinClaim, ProofStep, verify};
use crate::position::{Player, Position};
use ludolog_certificate::{Calculus, Certificate, Envelope, Refusal};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Sources, counted};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProofFile {
    certificate: String,
    version: u32,
    position: Vec<String>,
    claims: Vec<ClaimOfFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ClaimOfFile {
    player: String,
    steps: Vec<ProofStep<String>>,
}

impl<P> ProofStep<P> {
    fn renamed<Q, E>(&self, name: &mut impl FnMut(&P) -> Result<Q, E>) -> Result<ProofStep<Q>, E> {
        Ok(match self {
            ProofStep::Matching { parts } => {
                ProofStep::Matching { parts: parts.iter().map(|part| part.renamed(name)).collect::<Result<_, E>>()? }
            }
            ProofStep::Weights => ProofStep::Weights,
            ProofStep::Stealing => ProofStep::Stealing,
            ProofStep::Move { to, then } => ProofStep::Move { to: name(to)?, then: *then },
            ProofStep::Replies { moves } => {
                let moves = moves.iter().map(|(point, then)| Ok((name(point)?, *then)));
                ProofStep::Replies { moves: moves.collect::<Result<_, E>>()? }
            }
        })
    }
}

impl Certificate for DrawCertificate {
    const CALCULUS: Calculus = Calculus { name: "ludolog positional", version: 1 };

    fn to_text(&self) -> String {
        let game = self.position.game();
        let mut name = |&point: &u32| Ok::<_, std::convert::Infallible>(game.name(point).to_owned());
        let claims = self.claims.iter().map(|claim| {
            let steps = claim.steps.iter().map(|step| match step.renamed(&mut name) {
                Ok(step) => step,
                Err(never) => match never {},
            });
            ClaimOfFile { player: claim.player.name().to_owned(), steps: steps.collect() }
        });
        let file = ProofFile {
            certificate: Self::CALCULUS.name.to_owned(),
            version: Self::CALCULUS.version,
            claims: claims.collect(),
            position: self.position.to_string().lines().map(str::to_owned).collect(),
        };
        // Names and numbers are JSON.
        serde_json::to_string(&file).unwrap_or_default() + "\n"
    }

    fn check(file: &[u8], budget: &Budget) -> Result<Result<DrawCertificate, Refusal>, Stopped> {
        match DrawCertificate::read(file) {
            Ok(certificate) => Ok(verify(&certificate, budget)?.map(|()| certificate)),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    fn claim(&self) -> String {
        let claim = match &self.claims[..] {
            [claim] => format!("{} cannot win", claim.player),
            _ => "a draw".to_owned(),
        };
        let game = self.position.game();
        let board = game.board().map_or_else(|| counted(game.sets().len(), "winning set"), |board| board.to_string());
        let marks: usize = Player::BOTH.map(|player| self.position.claimed(player).count()).iter().sum();
        format!("{claim} on {board} with {}, {} to move", counted(marks, "mark"), self.position.to_move)
    }
}

impl DrawCertificate {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It is no certificate; the reason.
    fn read(file: &[u8]) -> Result<DrawCertificate, Refusal> {
        let file: ProofFile =
            serde_json::from_slice(file).map_err(|error| Refusal::new(format!("it is no certificate: {error}")))?;
        Envelope { calculus: file.certificate, version: file.version }.expect(Self::CALCULUS)?;
        let text = file.position.join("\n");
        let mut sources = Sources::new();
        let source = sources.add("position", text.as_str());
        let position =
            Position::parse(&text, source).map_err(|wrong| Refusal::new(format!("its position is none: {wrong}")))?;
        let numbers = position.game().numbers();
        let mut number = |name: &String| match numbers.get(name.as_str()) {
            Some(&point) => Ok(point),
            None => Err(Refusal::new(format!("there is no point `{name}`"))),
        };
        let mut claims = Vec::new();
        for claim in &file.claims {
            let player = Player::of_name(&claim.player);
            let player = player.ok_or_else(|| Refusal::new(format!("there is no player `{}`", claim.player)))?;
            let steps = claim.steps.iter().map(|step| step.renamed(&mut number)).collect::<Result<_, _>>()?;
            claims.push(NoWinClaim { player, steps });
        }
        Ok(DrawCertificate { position, claims })
    }
}
