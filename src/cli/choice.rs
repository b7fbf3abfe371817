//! Options whose value is one name of a fixed list.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use ludolog::engine::EngineDescription;
use ludolog::hex::notation::GameNotation;
use ludolog::syntax::Syntax;

/// A library type that an option takes by name. Its help is here, since the library knows no command line.
pub trait Choice: Clone + Send + Sync + 'static {
    /// Each value with its names, the main one first, and its help, which is empty if the name says all.
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)>;
}

/// Parses a choice by any of its names.
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let values = T::choices().into_iter().map(|(_, names, help)| {
        let value = PossibleValue::new(names[0]).aliases(&names[1..]);
        if help.is_empty() { value } else { value.help(help) }
    });
    PossibleValuesParser::new(values).map(|name: String| {
        let named = T::choices().into_iter().find(|(_, names, _)| names.contains(&name.as_str()));
        named.expect("clap takes no other name").0
    })
}

impl Choice for Syntax {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        let help = |syntax| match syntax {
            Syntax::Kif => "GDL's parenthesized prefix form: `(<= (win ?p) (line ?p))`",
            Syntax::Datalog => "Infix rules: `win(P) :- line(P).`",
        };
        Syntax::ALL.map(|syntax| (syntax, syntax.names().to_vec(), help(syntax))).into()
    }
}

impl Choice for GameNotation {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        let help = |notation| match notation {
            GameNotation::Position => "The position format, as of std:positions/p9.txt",
            GameNotation::Sgf => "The Smart Game Format",
            GameNotation::HexWorld => "A link to hexworld.org",
        };
        GameNotation::ALL.map(|notation| (notation, vec![notation.name()], help(notation))).into()
    }
}

impl Choice for &'static EngineDescription {
    fn choices() -> Vec<(Self, Vec<&'static str>, &'static str)> {
        ludolog::engines().map(|engine| (engine, vec![engine.name], engine.summary)).collect()
    }
}
