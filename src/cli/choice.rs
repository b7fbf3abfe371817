//! Options that take one name of a fixed list.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ludolog::hex::notation::Notation;
use ludolog::pipeline::EngineKind;
use ludolog::syntax::Syntax;

/// A library type that an option takes by name; the library itself knows no command line.
pub trait Choice: Clone + Send + Sync + 'static {
    /// Each value with its name (further names behind it) and the help for it.
    const CHOICES: &'static [(Self, &'static [&'static str], &'static str)];
}

/// Parses a choice by any of its names.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let values = T::CHOICES.iter().map(|(_, names, help)| {
        let value = PossibleValue::new(names[0]).aliases(&names[1..]);
        if help.is_empty() { value } else { value.help(*help) }
    });
    PossibleValuesParser::new(values).map(|name: String| {
        let named = T::CHOICES.iter().find(|(_, names, _)| names.contains(&name.as_str()));
        named.expect("clap takes no other name").0.clone()
    })
}

impl Choice for Syntax {
    const CHOICES: &'static [(Self, &'static [&'static str], &'static str)] = &[
        (Syntax::Kif, &["kif"], "GDL's parenthesized prefix form: `(<= (win ?p) (line ?p))`"),
        (Syntax::Datalog, &["dl", "datalog"], "Infix rules: `win(P) :- line(P).`"),
    ];
}

impl Choice for Notation {
    const CHOICES: &'static [(Self, &'static [&'static str], &'static str)] = &[
        (Notation::Position, &["position"], "The position format, as in bench-positions"),
        (Notation::Sgf, &["sgf"], "The Smart Game Format"),
        (Notation::HexWorld, &["hexworld"], "A link to hexworld.org"),
    ];
}

impl Choice for EngineKind {
    const CHOICES: &'static [(Self, &'static [&'static str], &'static str)] = &[
        (EngineKind::Resolution, &["resolution"], "Top-down, left to right, without memory"),
        (EngineKind::SemiNaive, &["semi-naive"], "Bottom-up, each fact once"),
        (EngineKind::Crepe, &["crepe"], "The Hex formulations as compiled in"),
    ];
}
