//! Certificates: claims with proofs, in files, for anybody to check.
//!
//! A certificate says in which *calculus* it proves its claim, and in which *version* of that calculus's file: its
//! [`Envelope`]. Files are JSON objects with the fields `certificate` and `version`, or texts whose first line is the
//! calculus and the version.
//!
//! Each calculus has a verifier of its own, in the crate of its games. Verifiers are what has to be trusted, so they share
//! nothing that decides: only this envelope, the [contract](Certificate) by which they are called, and the [`Refusal`].

use ludolog_syntax::budget::{Budget, Stopped};
use serde::Deserialize;
use std::fmt;

/// The rules by which a proof proves its claim, as its file names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calculus {
    /// The first words of the file.
    pub name: &'static str,
    /// The version of the file that is written, and the only one that is read.
    pub version: u32,
}

/// A claim with its proof, which may be wrong until it is checked.
pub trait Certificate: Sized {
    /// The calculus of all proofs of this type.
    const CALCULUS: Calculus;

    /// The text of the file. Reading it gives a certificate of the same claim with the same proof.
    fn to_text(&self) -> String;

    /// Reads a file and checks that its proof proves its claim.
    ///
    /// # Errors
    ///
    /// The budget ends. The inner error is the first place that cannot be read or does not follow.
    fn check(file: &[u8], budget: &Budget) -> Result<Result<Self, Refusal>, Stopped>;

    /// [Checks](Certificate::check) a file, without a limit of time.
    ///
    /// # Errors
    ///
    /// The first place that cannot be read or does not follow.
    fn accept(file: &[u8]) -> Result<Self, Refusal> {
        let checked = Self::check(file, &Budget::unlimited());
        checked.unwrap_or_else(|stopped| Err(Refusal::new(stopped.to_string())))
    }

    /// The claim, as a clause: *red wins on 3x3 with 1 stone, with blue to move*.
    fn claim(&self) -> String;
}

/// Where a file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RefusedAt {
    /// A line of the file, from 1.
    Line(usize),
    /// A step of the claim about a player, from 1.
    Step {
        /// The player, as texts say it.
        player: String,
        /// The step.
        step: usize,
    },
}

/// Why a file is no valid certificate, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The place; `None` if the file as a whole is refused.
    pub at: Option<RefusedAt>,
    /// The reason, in a sentence.
    pub reason: String,
}

impl Refusal {
    /// The refusal of the whole file.
    pub fn new(reason: impl Into<String>) -> Refusal {
        Refusal { at: None, reason: reason.into() }
    }

    /// The refusal of a line, counted from 1.
    pub fn of_line(line: usize, reason: impl Into<String>) -> Refusal {
        Refusal { at: Some(RefusedAt::Line(line)), reason: reason.into() }
    }

    /// The refusal of a step of the claim about a player, counted from 1.
    pub fn of_step(player: impl fmt::Display, step: usize, reason: impl Into<String>) -> Refusal {
        Refusal { at: Some(RefusedAt::Step { player: player.to_string(), step }), reason: reason.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            Some(RefusedAt::Line(line)) => write!(f, "line {line}: {}", self.reason),
            Some(RefusedAt::Step { player, step }) => {
                write!(f, "step {step} of the claim about {player}: {}", self.reason)
            }
            None => f.write_str(&self.reason),
        }
    }
}

impl std::error::Error for Refusal {}

/// The calculus and version that a file names.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Envelope {
    /// The name of the calculus.
    #[serde(rename = "certificate")]
    pub calculus: String,
    /// The version.
    pub version: u32,
}

impl Envelope {
    /// The envelope of a file, whatever it contains; `None` if it has none.
    ///
    /// ```
    /// use ludolog_certificate::Envelope;
    ///
    /// let json = Envelope::of(br#"{ "certificate": "ludolog switching", "version": 1, "edges": [] }"#);
    /// assert_eq!(json, Some(Envelope { calculus: "ludolog switching".into(), version: 1 }));
    /// assert_eq!(Envelope::of(b"ludolog certificate 1\nboard 3x3\n").map(|text| text.version), Some(1));
    /// assert_eq!(Envelope::of(b"red wins"), None);
    /// ```
    pub fn of(file: &[u8]) -> Option<Envelope> {
        if is_json(file) {
            return serde_json::from_slice(file).ok();
        }
        let first = file.split(|&byte| byte == b'\n').next()?;
        let (calculus, version) = std::str::from_utf8(first).ok()?.rsplit_once(' ')?;
        Some(Envelope { calculus: calculus.to_owned(), version: version.parse().ok()? })
    }

    /// Checks that a file is of a calculus, in the version that is read.
    ///
    /// # Errors
    ///
    /// It is not; it is refused as a whole.
    pub fn expect(&self, calculus: Calculus) -> Result<(), Refusal> {
        let Envelope { calculus: name, version } = self;
        if name != calculus.name {
            return Err(Refusal::new(format!("it is a certificate of another kind, `{name}`")));
        }
        if *version != calculus.version {
            let reason = format!("it has version {version}; this program reads version {}", calculus.version);
            return Err(Refusal::new(reason));
        }
        Ok(())
    }
}

/// Whether a file looks like a JSON object, and not like a text.
pub fn is_json(file: &[u8]) -> bool {
    file.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{')
}
