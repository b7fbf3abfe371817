//! Rule texts: two surfaces, one abstract syntax, convertible both ways without loss.
//!
//! A text is split into statements (`split`), each is parsed by a pest grammar and read into the [`ast`]; so one
//! mistake costs one statement, all mistakes of a file are found at once, and time is linear in the length of the text.
//!
//! * [`ast`]: the abstract syntax; `predicate`: names of predicates, written or made.
//! * [`budget`]: when to stop, as every phase takes it.
//! * [`diagnostic`]: messages to the user: code, place, cause, way out.
//! * `split`: statements, comments, and the limit on nesting.
//! * `kif`, `datalog`: grammar to tree; `directive`: the statements that name files and results, in both.
//! * `name`: how names, variables and integers are spelled.
//! * `allow`: comments that allow warnings; `remark`: comments that are probably operations.
//! * `foreign`: what other languages have, recognized to say what to write instead.
//! * `tokens`: the words of a text with their places, for editors; `memory`: what was read of a text before it changed.
//! * `print`: tree to text, which reads back as the same tree; `text`: the standard traits `FromStr` and `Display`.
//! * `files`: where files come from; `load`, `facts`: reading them, and those they include; `uses`: those they use under other names; `table`: large fact files, of `value`s.
//! * `cold_sort`: sorting in little machine code.
//! * [`content`]: hashes of terms that mean the same to all processes; `share`: the facts that one of them holds.

mod aggregate;
mod allow;
pub mod ast;
pub mod budget;
mod cold_sort;
pub mod content;
mod database;
mod datalog;
pub mod diagnostic;
mod directive;
mod facts;
mod files;
mod float;
mod foreign;
pub mod functions;
mod kif;
mod load;
mod memory;
mod name;
mod predicate;
mod print;
mod remark;
mod share;
mod spelling;
mod split;
mod table;
mod text;
mod tokens;
mod types;
mod uses;
mod value;

pub use cold_sort::ColdSort;
pub use database::{Database, DatabaseFault, DatabaseFormat, DatabaseValue};
pub use facts::{FactFile, Facts, load_facts};
pub use files::{Files, Unreadable};
pub use foreign::quantifier;
pub use load::{LoadedProgram, Opened, load, load_again, load_sound, load_within, open};
pub use memory::StatementMemory;
pub use name::{as_symbols, is_decimal, is_integer};
pub use print::{print, print_atom, print_formula, print_statement, print_term};
pub use share::{Share, SharedFiles};
pub use table::{FileStatistics, Table};
pub use text::{ParseError, UnknownSyntax};
pub use tokens::{Token, TokenKind, keywords, tokens};
pub use value::{Content, Value};

use crate::budget::{Budget, Poll, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity, SourceId, Sources, Span};
use ast::{Item, Program, Query, Statement};
use split::{Piece, Pieces};
use std::path::Path;

/// The deepest nesting of terms and formulas, as written or as read. No honest program comes near it, and code may
/// recurse over trees. A list of n elements nests n deep.
pub const MAX_NESTING: usize = 200;

/// Statements read between two checks of the budget.
const POLL_EVERY: u32 = 64;

/// Reading of a text ends after this many mistakes.
const MAX_DIAGNOSTICS: usize = 1000;

/// A surface syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// GDL's parenthesized prefix form: `(<= (win ?p) (line ?p))`.
    Kif,
    /// Infix rules: `win(P) :- line(P).`
    Datalog,
}

impl Syntax {
    /// The syntax that a file's extension names: `.kif` and `.gdl`, or `.dl`.
    pub fn of(path: &Path) -> Option<Syntax> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "kif" | "gdl" => Some(Syntax::Kif),
            "dl" => Some(Syntax::Datalog),
            _ => None,
        }
    }

    /// Both syntaxes.
    pub const ALL: [Syntax; 2] = [Syntax::Kif, Syntax::Datalog];

    /// The short name: the extension of files in it.
    pub fn name(self) -> &'static str {
        self.names()[0]
    }

    /// All names, the short one first.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Syntax::Kif => &["kif", "gdl"],
            Syntax::Datalog => &["dl", "datalog"],
        }
    }

    /// The other one.
    pub fn other(self) -> Syntax {
        match self {
            Syntax::Kif => Syntax::Datalog,
            Syntax::Datalog => Syntax::Kif,
        }
    }
}

/// The result of reading one text: every statement that is sound, and a diagnostic for every other.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The statements that are sound.
    pub program: Program,
    /// The mistakes.
    pub diagnostics: Diagnostics,
}

impl Parsed {
    /// Whether the printed program says what the text says: it has no errors, and no comment that is probably an operation, which would be
    /// taken away from its operand.
    pub fn may_be_printed(&self) -> bool {
        let loses = |one: &Diagnostic| one.severity == Severity::Error || one.code == Code::UncomputedFunction;
        !self.diagnostics.iter().any(loses)
    }

    /// The program if nothing is wrong with it.
    ///
    /// # Errors
    ///
    /// All diagnostics, if one of them is an error.
    pub fn into_result(self) -> Result<Program, Diagnostics> {
        if self.diagnostics.has_errors() { Err(self.diagnostics) } else { Ok(self.program) }
    }
}

/// Reads one text, whatever it holds. Includes stay statements; [`load`] follows them.
///
/// # Panics
///
/// Never: without limits, nothing stops early.
///
/// ```
/// use ludolog_syntax::diagnostic::Sources;
/// use ludolog_syntax::{Syntax, parse, print};
///
/// let mut sources = Sources::new();
/// let text = sources.add("rules.dl", "win(P) :- line(P) & ~lost(P).");
/// let program = parse(text, &sources, Syntax::Datalog).into_result().unwrap();
/// assert_eq!(print(&program, Syntax::Kif), "(<= (win ?p) (line ?p) (not (lost ?p)))\n");
/// ```
pub fn parse(source: SourceId, sources: &Sources, syntax: Syntax) -> Parsed {
    parse_within(source, sources, syntax, &Budget::unlimited()).expect("nothing stops reading without limits")
}

/// [`parse`] within a budget.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn parse_within(source: SourceId, sources: &Sources, syntax: Syntax, budget: &Budget) -> Result<Parsed, Stopped> {
    parse_again(source, sources, syntax, None, budget)
}

/// [`parse_within`], with statements that were read before.
fn parse_again(
    source: SourceId,
    sources: &Sources,
    syntax: Syntax,
    memory: Option<&mut StatementMemory>,
    budget: &Budget,
) -> Result<Parsed, Stopped> {
    let text = sources.get(source).map_or("", |source| &source.text);
    let mut parsed = match syntax {
        Syntax::Kif => kif::parse(text, source, budget)?,
        Syntax::Datalog => datalog::parse(text, source, memory, budget)?,
    };
    parsed.program.written.push((source, syntax));
    let (allowed, wrong) = allow::read(text, source, syntax);
    parsed.program.allowed = allowed;
    parsed.diagnostics.extend(wrong);
    parsed.diagnostics.retain(|diagnostic| !parsed.program.allows(diagnostic));
    Ok(parsed)
}

/// Reads the statements of a text, piece by piece, up to the place where there are too many mistakes: all before it are told, and none behind it.
fn read_pieces(
    pieces: Pieces,
    source: SourceId,
    budget: &Budget,
    mut statement: impl FnMut(&Piece) -> Result<Statement, Diagnostic>,
) -> Result<Parsed, Stopped> {
    let mut poll = Poll::new(budget, POLL_EVERY);
    let mut parsed = Parsed { program: Program::default(), diagnostics: Diagnostics::new() };
    let mut wrong_pieces: Vec<u32> = pieces.diagnostics.iter().map(start_of).collect();
    wrong_pieces.sort_unstable();
    let mut stop = pieces.stop;
    for piece in pieces.list {
        poll.step()?;
        let span = Span::new(source, piece.start, piece.start + piece.text.len());
        let told = wrong_pieces.partition_point(|start| *start < span.start) + parsed.diagnostics.iter().count();
        if told >= MAX_DIAGNOSTICS || stop.is_some_and(|stop| stop.start <= span.start) {
            stop = Some(span);
            break;
        }
        match statement(&piece) {
            Ok(statement) => parsed.program.items.push(Item { comments: piece.comments, statement, span }),
            Err(diagnostic) => parsed.diagnostics.push(diagnostic),
        }
    }
    let mut diagnostics = pieces.diagnostics;
    diagnostics.retain(|one| stop.is_none_or(|stop| start_of(one) < stop.start));
    diagnostics.extend(std::mem::take(&mut parsed.diagnostics));
    if let Some(stop) = stop {
        diagnostics.push(
            Diagnostic::too_many("text")
                .at(stop, "reading stops here")
                .help("mend those before it; `ludolog check --fix` makes the changes that are certain, and reads on"),
        );
    }
    parsed.diagnostics = diagnostics;
    parsed.program.trailing = pieces.trailing;
    Ok(parsed)
}

/// The start of the main place.
fn start_of(diagnostic: &Diagnostic) -> u32 {
    diagnostic.labels.first().map_or(0, |label| label.span.start)
}

/// Whether each statement and comment of a text has its end, so that more lines would begin new ones: in `.dl` the
/// period, in `.kif` the closing parenthesis.
///
/// ```
/// use ludolog_syntax::{Syntax, ends_statement};
///
/// assert!(ends_statement("win(P) :- line(P).", Syntax::Datalog));
/// assert!(!ends_statement("win(P) :- line(P) &", Syntax::Datalog));
/// assert!(!ends_statement("(<= (win ?p)", Syntax::Kif));
/// ```
pub fn ends_statement(text: &str, syntax: Syntax) -> bool {
    !split::split(text, SourceId(0), syntax).unfinished
}

/// A text that comes line by line: what it ends within. A line takes time proportional to its own length.
///
/// ```
/// use ludolog_syntax::{OpenText, Syntax};
///
/// let mut text = OpenText::new(Syntax::Datalog);
/// text.line("win(P) :- line(P) &");
/// assert!(!text.is_ended() && !text.may_be_goal());
/// text.line("  alive(P).");
/// assert!(text.is_ended());
/// ```
#[derive(Clone, Debug)]
pub struct OpenText {
    syntax: Syntax,
    open: split::OpenBracket,
}

/// What no goal ends with.
const OPERATORS: [char; 14] = ['&', ',', '|', ';', ':', '=', '<', '>', '+', '-', '*', '/', '\\', '~'];

impl OpenText {
    /// A text without lines.
    pub fn new(syntax: Syntax) -> Self {
        OpenText { syntax, open: split::OpenBracket::default() }
    }

    /// Reads the next line.
    pub fn line(&mut self, line: &str) {
        self.open = std::mem::take(&mut self.open).after(line, self.syntax);
    }

    /// Whether each statement and comment has its end, as [`ends_statement`] says of the whole text.
    pub fn is_ended(&self) -> bool {
        !self.open.statement && !self.open.comment && self.open.directive == 0
    }

    /// Whether the last statement can be a goal, by its parentheses and its last character.
    pub fn may_be_goal(&self) -> bool {
        self.open.parentheses == 0 && !self.open.comment && !self.open.last.is_some_and(|c| OPERATORS.contains(&c))
    }

    /// What would end the text, in words; `None` if it is ended.
    pub fn awaited(&self) -> Option<String> {
        let comment = if self.syntax == Syntax::Kif { "|#" } else { "*/" };
        match (self.syntax, self.open.parentheses) {
            _ if self.is_ended() => None,
            _ if self.open.comment => Some(format!("`{comment}`, the end of its comment")),
            _ if self.open.directive > 0 => Some("the closing parentheses of its directive".to_owned()),
            (Syntax::Datalog, 0) => Some("a period".to_owned()),
            (Syntax::Datalog, _) => Some("its closing parentheses and a period".to_owned()),
            (Syntax::Kif, 1) => Some("a closing parenthesis".to_owned()),
            (Syntax::Kif, n) => Some(format!("{n} closing parentheses")),
        }
    }
}

/// The syntax that a goal looks like: `.kif` if it begins with a parenthesis or has a variable of it.
pub fn looks_of(goal: &str) -> Syntax {
    let trimmed = goal.trim_start();
    let names_kif_variable =
        trimmed.split('?').skip(1).any(|rest| rest.starts_with(|c: char| c.is_alphanumeric() || c == '|'));
    if trimmed.starts_with('(') || names_kif_variable { Syntax::Kif } else { Syntax::Datalog }
}

/// Reads a goal as given on a command line: `win(P) & ~lost(P)` or `(win ?p)`, with or without the query's marks.
/// Without `syntax`, the goal's look decides.
///
/// # Errors
///
/// The text is no goal, or more than one.
pub fn parse_goal(text: &str, sources: &mut Sources, syntax: Option<Syntax>) -> Result<Query, Diagnostics> {
    let source = sources.add("goal", text);
    let read = |syntax| {
        let pieces = split::split(text, source, syntax);
        if pieces.diagnostics.has_errors() {
            return Err(pieces.diagnostics);
        }
        let query = match (syntax, pieces.list.as_slice()) {
            (_, []) => Err(Diagnostic::error(Code::Syntax, "the goal is empty")
                .at(Span::new(source, 0, 0), "nothing is asked")
                .help("ask as in `win(P)` or `(win ?p)`")),
            (Syntax::Kif, pieces) => kif::parse_goal(pieces, source),
            (Syntax::Datalog, [piece]) => datalog::parse_goal(piece, source),
            (Syntax::Datalog, [_, next, ..]) => Err(Diagnostic::error(Code::Syntax, "this is more than one goal")
                .at(Span::new(source, next.start, next.start + next.text.len()), "a second statement")
                .help("join conditions with `&`")),
        };
        Ok(query?)
    };
    if let Some(syntax) = syntax {
        return read(syntax);
    }
    // `.kif` takes almost any words for a goal, so it is tried on what looks like it only.
    if looks_of(text) == Syntax::Kif {
        read(Syntax::Kif).or_else(|wrong| read(Syntax::Datalog).map_err(|_| wrong))
    } else {
        read(Syntax::Datalog)
    }
}
