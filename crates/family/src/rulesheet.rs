//! Rulesheets: a title, includes, and facts, which are built as syntax and printed as any other program is.

use ludolog_syntax::ast::{Atom, Rule, Statement, Term};
use ludolog_syntax::{Syntax, print_statement, print_term};
use std::fmt::{self, Write};

/// Most characters of a line of facts.
const WIDE: usize = 110;

/// The name of a cell, a node or an edge: the arguments by which facts name it, mostly one constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NodeName(Vec<Term>);

impl NodeName {
    /// The name of a cell that has two numbers instead of a symbol.
    pub(crate) fn numbers(numbers: [usize; 2]) -> NodeName {
        NodeName(terms(numbers))
    }

    /// The constant that it is; `None` if it has several.
    pub(crate) fn constant(&self) -> Option<&Term> {
        if let [term] = &self.0[..] { Some(term) } else { None }
    }
}

impl From<Term> for NodeName {
    fn from(term: Term) -> NodeName {
        NodeName(vec![term])
    }
}

/// A symbol, or the integer that the text spells.
impl From<&str> for NodeName {
    fn from(text: &str) -> NodeName {
        let integer = text.parse().ok().filter(|number: &i64| number.to_string() == text);
        integer.map_or_else(|| Term::symbol(text), Term::Integer).into()
    }
}

impl From<String> for NodeName {
    fn from(text: String) -> NodeName {
        text.as_str().into()
    }
}

/// The name as `.kif` spells it.
impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> = self.0.iter().map(|term| print_term(term, Syntax::Kif)).collect();
        f.write_str(&terms.join(" "))
    }
}

/// Arguments of a fact.
pub trait Arguments {
    /// Appends them to those before them.
    fn append(self, arguments: &mut Vec<Term>);
}

/// The arguments as a list.
pub fn terms(arguments: impl Arguments) -> Vec<Term> {
    let mut terms = Vec::new();
    arguments.append(&mut terms);
    terms
}

/// A symbol.
impl Arguments for &str {
    fn append(self, arguments: &mut Vec<Term>) {
        arguments.push(Term::symbol(self));
    }
}

impl Arguments for &NodeName {
    fn append(self, arguments: &mut Vec<Term>) {
        arguments.extend_from_slice(&self.0);
    }
}

impl Arguments for NodeName {
    fn append(self, arguments: &mut Vec<Term>) {
        arguments.extend(self.0);
    }
}

impl Arguments for Term {
    fn append(self, arguments: &mut Vec<Term>) {
        arguments.push(self);
    }
}

impl Arguments for usize {
    fn append(self, arguments: &mut Vec<Term>) {
        arguments.push(Term::Integer(self as i64));
    }
}

/// A coordinate, as a whole number.
impl Arguments for f64 {
    fn append(self, arguments: &mut Vec<Term>) {
        arguments.push(Term::Integer(self.round() as i64));
    }
}

impl<A: Arguments, B: Arguments> Arguments for (A, B) {
    fn append(self, arguments: &mut Vec<Term>) {
        self.0.append(arguments);
        self.1.append(arguments);
    }
}

impl<A: Arguments, B: Arguments, C: Arguments> Arguments for (A, B, C) {
    fn append(self, arguments: &mut Vec<Term>) {
        (self.0, (self.1, self.2)).append(arguments);
    }
}

impl<A: Arguments, const N: usize> Arguments for [A; N] {
    fn append(self, arguments: &mut Vec<Term>) {
        self.into_iter().for_each(|argument| argument.append(arguments));
    }
}

impl<A: Arguments> Arguments for Vec<A> {
    fn append(self, arguments: &mut Vec<Term>) {
        self.into_iter().for_each(|argument| argument.append(arguments));
    }
}

/// The term of a stone: a fact of the state.
pub(crate) fn stone(side: &str, cell: &NodeName) -> Term {
    Term::compound("stone", terms((side, cell)))
}

/// A rulesheet as it is written; without a title, a part of one.
#[derive(Clone, Debug, Default)]
pub struct Rulesheet {
    text: String,
}

impl Rulesheet {
    /// A rulesheet with a title, which may have several lines.
    pub fn new(title: &str) -> Rulesheet {
        let mut sheet = Rulesheet::default();
        sheet.comment(title);
        sheet
    }

    fn comment(&mut self, text: &str) {
        for line in text.lines() {
            _ = writeln!(self.text, "; {line}");
        }
    }

    /// Includes files of `rules/lib`, by their names without extension.
    #[must_use]
    pub fn includes(mut self, names: &[&str]) -> Self {
        self.text.push('\n');
        for name in names {
            _ = writeln!(self.text, "(include \"../lib/{name}.kif\")");
        }
        self
    }

    /// Begins a paragraph with a comment.
    #[must_use]
    pub fn paragraph(mut self, comment: &str) -> Self {
        self.text.push('\n');
        self.comment(comment);
        self
    }

    /// Facts of one predicate, as many on a line as fit, each as its arguments.
    #[must_use]
    pub fn facts(mut self, predicate: &str, facts: impl IntoIterator<Item = impl Arguments>) -> Self {
        let mut column = 0;
        for arguments in facts {
            let rule = Rule::new(Atom::new(predicate, terms(arguments)), Vec::new());
            let fact = print_statement(&Statement::Rule(rule), Syntax::Kif);
            if column > 0 {
                self.text.push(if column + fact.len() >= WIDE { '\n' } else { ' ' });
                column = if column + fact.len() >= WIDE { 0 } else { column + 1 };
            }
            column += fact.len();
            self.text.push_str(&fact);
        }
        if column > 0 {
            self.text.push('\n');
        }
        self
    }

    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}
