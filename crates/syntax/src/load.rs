//! Rule files, those they include, and those they use.

use super::ast::{InputTable, Item, Name, Program, Statement, Use};
use super::facts::read_facts;
use super::uses::Scope;
use super::{FactFile, Facts, Files, StatementMemory, Syntax, Unreadable, parse_again, split};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Severity, SourceId, Sources, Span};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The path of standard input.
const STANDARD_INPUT: &str = "-";

/// Several files read as one program: from [`load`] without errors, yet perhaps with warnings.
#[derive(Clone, Debug, Default)]
pub struct LoadedProgram {
    /// The statements of all files.
    pub program: Program,
    /// The facts of the tables that they name.
    pub facts: Facts,
    /// What is wrong or odd.
    pub diagnostics: Diagnostics,
}

impl LoadedProgram {
    /// The same with the facts of the tables as statements of the program.
    pub fn with_facts_stated(mut self) -> Self {
        let facts = std::mem::take(&mut self.facts).into_atoms();
        self.program.items.extend(facts.into_iter().map(Item::fact));
        self
    }
}

/// A file that was read and is a text.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The text.
    pub source: SourceId,
    /// The syntax that its extension or the caller names.
    pub syntax: Syntax,
    /// Warnings.
    pub diagnostics: Diagnostics,
}

/// Reads rule files, one after the other, into one program. Included files are read in place of the statement that
/// names them, each file once; tables that an input names are read besides. The path `-` is standard input. `syntax` is
/// for paths whose extension names none.
///
/// # Errors
///
/// Everything that is wrong in any of the files.
///
/// # Panics
///
/// Never: without limits, nothing stops early.
pub fn load<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
) -> Result<LoadedProgram, Diagnostics> {
    load_within(files, paths, syntax, sources, &Budget::unlimited()).expect("nothing stops reading without limits")
}

/// [`load`] within a budget.
///
/// # Errors
///
/// [`Stopped`], when the budget ends first. Otherwise the inner result is that of [`load`].
pub fn load_within<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<LoadedProgram, Diagnostics>, Stopped> {
    let loaded = load_sound(files, paths, syntax, sources, budget)?;
    Ok(if loaded.diagnostics.has_errors() { Err(loaded.diagnostics) } else { Ok(loaded) })
}

/// [`load_within`] of texts that are perhaps not finished: the statements that are sound, whatever else is wrong.
///
/// # Errors
///
/// [`Stopped`], when the budget ends first.
pub fn load_sound<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<LoadedProgram, Stopped> {
    Loader::new(files, syntax, sources, budget).load(paths)
}

/// [`load_sound`] of texts that change: statements that were read before are taken from a memory, and those of these texts added
/// to it.
///
/// # Errors
///
/// [`Stopped`], when the budget ends first.
pub fn load_again<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    memory: &mut StatementMemory,
    budget: &Budget,
) -> Result<LoadedProgram, Stopped> {
    let mut loader = Loader::new(files, syntax, sources, budget);
    loader.memory = Some(memory);
    loader.load(paths)
}

/// Most uses of files in one program: those of used files count each time.
const MOST_USES: usize = 1000;

/// Most files that use each other in a row.
const DEEPEST_USE: usize = 50;

struct Loader<'a> {
    files: &'a dyn Files,
    syntax: Option<Syntax>,
    sources: &'a mut Sources,
    budget: &'a Budget,
    /// Statements that were read before.
    memory: Option<&'a mut StatementMemory>,
    /// The statements of the files that uses have read so far, by identity; those of a file that cannot be read are none.
    known: HashMap<PathBuf, Rc<[Item]>>,
    /// The uses that are being read, outermost first.
    open: Vec<OpenUse>,
    /// The number of uses so far.
    uses: usize,
    loaded: LoadedProgram,
}

/// A file whose statements are being read, for the program or for a use.
struct OpenUse {
    identity: Option<PathBuf>,
    /// The names of its predicates outside, where they are others.
    renamed: Vec<(Name, Name)>,
}

/// Names that files share, and the identities of these files.
#[derive(Default)]
struct ScopeOfFiles {
    scope: Scope,
    seen: HashSet<PathBuf>,
}

/// The statements of a file that are left to read.
enum Statements {
    /// Of one that is read once.
    Once(std::vec::IntoIter<Item>),
    /// Of one that may be used again, from a number on.
    Shared(Rc<[Item]>, usize),
}

impl Iterator for Statements {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        match self {
            Statements::Once(items) => items.next(),
            Statements::Shared(items, next) => {
                let item = items.get(*next).cloned();
                *next += 1;
                item
            }
        }
    }
}

/// A file that is being read.
struct OpenFile {
    statements: Statements,
    /// The paths of its includes are relative to this.
    directory: PathBuf,
}

impl<'a> Loader<'a> {
    fn new(files: &'a dyn Files, syntax: Option<Syntax>, sources: &'a mut Sources, budget: &'a Budget) -> Self {
        let loaded = LoadedProgram::default();
        let memory = None;
        Loader { files, syntax, sources, budget, memory, known: HashMap::new(), open: Vec::new(), uses: 0, loaded }
    }

    /// Reads files with all that they include.
    fn load<P: AsRef<Path>>(mut self, paths: &[P]) -> Result<LoadedProgram, Stopped> {
        let mut scope = ScopeOfFiles::default();
        for path in paths {
            self.read(path.as_ref(), None, &mut scope)?;
        }
        scope.scope.clashes().into_iter().for_each(|wrong| self.loaded.diagnostics.push(wrong));
        self.loaded.program.items = scope.scope.items;
        let mistyped = self.loaded.facts.hold_to_types(&self.loaded.program.items);
        self.loaded.diagnostics.extend(mistyped);
        Ok(self.loaded)
    }

    /// Reads a file, which a statement at `span` names, and those that it includes into a scope.
    fn read(&mut self, path: &Path, span: Option<Span>, files: &mut ScopeOfFiles) -> Result<(), Stopped> {
        let is_root = self.open.is_empty();
        if is_root {
            self.open.push(OpenUse { identity: self.files.identity(path), renamed: Vec::new() });
        }
        let mut stack = Vec::from_iter(self.enter(path, span, files)?);
        while let Some(frame) = stack.last_mut() {
            let Some(item) = frame.statements.next() else {
                stack.pop();
                continue;
            };
            let item_span = item.span;
            match &item.statement {
                Statement::Include(path) => match self.files.included(&frame.directory, path) {
                    Ok(path) => stack.extend(self.enter(&path, Some(item_span), files)?),
                    Err(reason) => {
                        self.loaded.diagnostics.push(unreadable(path, &reason).at(item_span, "included here"));
                    }
                },
                Statement::Use(used) => match self.files.included(&frame.directory, &used.path) {
                    Ok(path) => self.read_used(&path, used, item_span, &mut files.scope)?,
                    Err(reason) => {
                        self.loaded.diagnostics.push(unreadable(&used.path, &reason).at(item_span, "used here"));
                    }
                },
                statement => {
                    if let Statement::Input(input) = statement {
                        let path = self.files.included(&frame.directory, &input.path);
                        self.read_table(path, input, item_span)?;
                    }
                    files.scope.add(item);
                }
            }
        }
        if is_root {
            self.open.pop();
        }
        Ok(())
    }

    /// Reads a file that is used at `span` into a scope of its own, and adds that to the scope.
    fn read_used(&mut self, path: &Path, used: &Use, span: Span, scope: &mut Scope) -> Result<(), Stopped> {
        self.budget.check()?;
        let identity = self.files.identity(path);
        self.uses += 1;
        if self.uses > MOST_USES + 1 {
            return Ok(());
        }
        if let Some(wrong) = self.check_use(identity.as_deref(), path, span) {
            self.loaded.diagnostics.push(wrong);
            return Ok(());
        }
        let errors = self.loaded.diagnostics.iter().count();
        let number = self.uses;
        self.open.push(OpenUse { identity, renamed: used.renamed.clone() });
        let mut part = ScopeOfFiles::default();
        self.read(path, Some(span), &mut part)?;
        self.open.pop();
        // What a file with mistakes has is not known.
        let is_whole = !self.loaded.diagnostics.iter().skip(errors).any(|one| one.severity == Severity::Error);
        let clashes = part.scope.clashes();
        let wrong = scope.add_used(part.scope, used, span, number);
        let found = clashes.into_iter().chain(wrong).filter(|_| is_whole);
        found.for_each(|wrong| self.loaded.diagnostics.push(wrong));
        Ok(())
    }

    /// The reason why a file may not be used at `span`; `None` if it may.
    fn check_use(&self, identity: Option<&Path>, path: &Path, span: Span) -> Option<Diagnostic> {
        let wrong = |message: String, label: &str| Diagnostic::error(Code::UsedFile, message).at(span, label);
        let name = name(path);
        if identity.is_some() && self.open.iter().any(|open| open.identity.as_deref() == identity) {
            let help = "move the rules that both need to a file of their own, and use that one";
            return Some(wrong(format!("`{name}` uses itself"), "without an end").help(help));
        }
        if self.open.len() > DEEPEST_USE {
            let message = format!("more than {DEEPEST_USE} files use each other in a row");
            return Some(wrong(message, "one too many").help("use the last ones in the first file"));
        }
        if self.uses > MOST_USES {
            let message = format!("files are used more than {MOST_USES} times");
            let help = "a file that is used twice brings all that it uses twice: include what needs no other names";
            return Some(wrong(message, "one too many").help(help));
        }
        None
    }

    /// The name that a predicate of the file at hand has in the whole program.
    fn outermost(&self, predicate: &Name) -> Name {
        self.open.iter().rev().fold(predicate.clone(), |name, used| {
            let renamed = used.renamed.iter().find(|(inner, _)| *inner == name);
            renamed.map_or(name, |(_, outer)| outer.clone())
        })
    }

    /// Reads the table of an input, which stands at `span`.
    fn read_table(&mut self, path: Result<PathBuf, Unreadable>, input: &InputTable, span: Span) -> Result<(), Stopped> {
        let InputTable { predicate, path: written, header } = input;
        let read = match path {
            Ok(path) => {
                let outermost = Some(self.outermost(predicate));
                let file = FactFile { path, predicate: outermost, header: *header, table: Some(predicate.clone()) };
                read_facts(self.files, &[file], self.syntax, self.sources, self.budget)?
            }
            Err(reason) => Err(unreadable(written, &reason).into()),
        };
        match read {
            Ok(facts) => self.loaded.facts.extend(facts),
            Err(wrong) => {
                let placed = |error: &Diagnostic| {
                    if error.labels.is_empty() { error.clone().at(span, "named here") } else { error.clone() }
                };
                wrong.iter().for_each(|error| self.loaded.diagnostics.push(placed(error)));
            }
        }
        Ok(())
    }

    /// Opens a file unless the scope has it. `span` is the statement that names it.
    fn enter(
        &mut self,
        path: &Path,
        span: Option<Span>,
        files: &mut ScopeOfFiles,
    ) -> Result<Option<OpenFile>, Stopped> {
        let identity = self.files.identity(path);
        if identity.as_ref().is_some_and(|identity| !files.seen.insert(identity.clone())) {
            return Ok(None);
        }
        let directory = path.parent().unwrap_or(Path::new("")).to_owned();
        let used = identity.filter(|_| self.open.len() > 1);
        if let Some(statements) = used.as_ref().and_then(|identity| self.known.get(identity)) {
            return Ok(Some(OpenFile { statements: Statements::Shared(statements.clone(), 0), directory }));
        }
        let statements = self.statements(path, span)?;
        let Some(identity) = used else {
            return Ok(Some(OpenFile { statements: Statements::Once(statements.into_iter()), directory }));
        };
        let statements: Rc<[Item]> = statements.into();
        self.known.insert(identity, statements.clone());
        Ok(Some(OpenFile { statements: Statements::Shared(statements, 0), directory }))
    }

    /// The statements of a file that was not read before.
    fn statements(&mut self, path: &Path, span: Option<Span>) -> Result<Vec<Item>, Stopped> {
        match open(self.files, path, self.syntax, self.sources) {
            Ok(opened) => {
                self.loaded.diagnostics.extend(opened.diagnostics);
                let memory = self.memory.as_deref_mut();
                let parsed = parse_again(opened.source, self.sources, opened.syntax, memory, self.budget)?;
                self.loaded.diagnostics.extend(parsed.diagnostics);
                self.loaded.program.trailing.extend(parsed.program.trailing);
                self.loaded.program.written.extend(parsed.program.written);
                self.loaded.program.allowed.extend(parsed.program.allowed);
                Ok(parsed.program.items)
            }
            Err(mut diagnostic) => {
                if let (Some(span), true) = (span, diagnostic.labels.is_empty()) {
                    let is_used = self.open.len() > 1;
                    diagnostic = diagnostic.at(span, if is_used { "used here" } else { "included here" });
                }
                self.loaded.diagnostics.push(diagnostic);
                Ok(Vec::new())
            }
        }
    }
}

/// Reads one text into `sources`. The path `-` is standard input. `syntax` is for paths whose extension names none.
///
/// Bytes that are not UTF-8 and stand in comments are a warning, and shown as `�`.
///
/// # Errors
///
/// The file cannot be read, is no text in UTF-8 outside its comments, or neither its extension nor `syntax` names a
/// syntax.
pub fn open(
    files: &dyn Files,
    path: &Path,
    syntax: Option<Syntax>,
    sources: &mut Sources,
) -> Result<Opened, Diagnostic> {
    let is_standard_input = path == Path::new(STANDARD_INPUT);
    let name = name(path);
    // A path that cannot be read is worth more words than one that merely has no extension.
    let bytes = read_bytes(files, path, &name)?;
    let syntax = Syntax::of(path).or(syntax).ok_or_else(|| {
        if is_standard_input {
            Diagnostic::error(Code::UnknownExtension, "the syntax of standard input is not known")
                .help("say it: `--syntax dl` or `--syntax kif`")
        } else {
            Diagnostic::error(Code::UnknownExtension, format!("the extension of `{name}` names no syntax")).help(
                if FactFile::from(path).is_table() {
                    format!("a table of facts has a `--facts` of its own: `--facts {name}`")
                } else {
                    "rule files end in `.dl`, `.kif` or `.gdl`; for another, say `--syntax dl` or `--syntax kif`".into()
                },
            )
        }
    })?;
    let text = decode(&bytes);
    let outside = text.foreign.first().and_then(|_| {
        let comments = split::split(&text.text, SourceId(0), syntax).comment_ranges;
        text.foreign.iter().copied().find(|(at, _)| {
            let next = comments.partition_point(|range| range.end <= *at);
            !comments.get(next).is_some_and(|range| range.contains(at))
        })
    });
    let source = sources.add_rules(name, syntax, text.text);
    if let Some(found) = outside {
        return Err(foreign(found, source));
    }
    let mut diagnostics = Diagnostics::new();
    if let Some(found) = text.foreign.first() {
        let message = "a comment is not in UTF-8";
        diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            message: message.into(),
            ..foreign(*found, source)
        });
    }
    Ok(Opened { source, syntax, diagnostics })
}

/// `found` is where a byte was replaced, and the byte.
fn foreign((at, byte): (usize, u8), source: SourceId) -> Diagnostic {
    not_utf8(byte, Span::new(source, at, at + char::REPLACEMENT_CHARACTER.len_utf8()))
}

/// The name of a file in diagnostics.
pub(super) fn name(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) { "standard input".to_owned() } else { path.display().to_string() }
}

/// `place` is where a byte was replaced.
pub(super) fn not_utf8(byte: u8, place: Span) -> Diagnostic {
    Diagnostic::error(Code::NotText, "this text is not in UTF-8")
        .at(place, format!("the byte 0x{byte:02X}"))
        .help("save the file in UTF-8")
}

pub(super) fn binary(name: &str) -> Diagnostic {
    Diagnostic::error(Code::NotText, format!("`{name}` is binary, not text"))
        .help("give a text in UTF-8; UTF-16 has to be converted")
}

fn read_bytes(files: &dyn Files, path: &Path, name: &str) -> Result<Vec<u8>, Diagnostic> {
    let bytes = files.read(path).map_err(|reason| unreadable(name, &reason))?;
    if bytes.contains(&0) {
        return Err(binary(name));
    }
    if u32::try_from(bytes.len()).is_err() {
        return Err(Diagnostic::error(Code::UnreadableFile, format!("`{name}` is larger than four gigabytes")));
    }
    Ok(bytes)
}

pub(super) fn unreadable(name: &str, reason: &Unreadable) -> Diagnostic {
    let error = |message: String| Diagnostic::error(Code::UnreadableFile, message);
    match reason {
        Unreadable::NotFound => error(format!("there is no file `{name}`")).help("check the path"),
        Unreadable::Directory => error(format!("`{name}` is a directory, not a file")).help("name the files in it"),
        Unreadable::Denied => error(format!("`{name}` may not be read")).help("check the file's permissions"),
        Unreadable::Outside => error(format!("`{name}` is outside of the folders that may be read"))
            .help("name a file within these folders"),
        Unreadable::Other(reason) => error(format!("`{name}` cannot be read: {reason}")),
    }
}

struct Decoded {
    text: String,
    /// The places at which bytes that are not UTF-8 became `�`, with the first byte of each.
    foreign: Vec<(usize, u8)>,
}

/// Decodes UTF-8, without a byte order mark.
fn decode(bytes: &[u8]) -> Decoded {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut decoded = Decoded { text: String::with_capacity(bytes.len()), foreign: Vec::new() };
    for chunk in bytes.utf8_chunks() {
        decoded.text.push_str(chunk.valid());
        if let Some(first) = chunk.invalid().first() {
            decoded.foreign.push((decoded.text.len(), *first));
            decoded.text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    decoded
}
