//! A file with all that it includes: read as far as it is sound, and judged.

use crate::Texts;
use crate::symbol::{Occurrence, Symbol, occurrences};
use ludolog_logic::analysis::{self, Analyzed, GivenColumns};
use ludolog_player::trial;
use ludolog_syntax::ast::{Item, Program};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Severity, SourceId, Sources};
use ludolog_syntax::{Files, LoadedProgram, Syntax, Token, TokenKind, load_again};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// All that is wrong or odd with what was read, and the program if it may run.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub fn check(loaded: &LoadedProgram, budget: &Budget) -> Result<(Diagnostics, Option<Analyzed>), Stopped> {
    let mut diagnostics = loaded.diagnostics.clone();
    match analysis::analyze_within(&loaded.program, budget)? {
        Ok(mut analyzed) => {
            analyzed.define(&loaded.facts.empty);
            let given = loaded.facts.predicates();
            diagnostics.extend(analyzed.warnings_given(&given));
            let facts = &loaded.facts;
            let checked = &analyzed.stratified.program;
            let columns = GivenColumns::new(checked, facts.atoms.iter(), facts.tables.iter());
            diagnostics.extend(analysis::lint(&loaded.program, &columns, budget)?);
            let mut notes = analysis::well_founded_notes(&analyzed.stratified);
            notes.retain(|note| !loaded.program.allows(note));
            diagnostics.extend(notes);
            Ok((diagnostics, Some(analyzed)))
        }
        Err(found) => {
            diagnostics.extend(found);
            Ok((diagnostics, None))
        }
    }
}

/// [`check`] of what is sound of a program: if some of it could not be read, nothing is said that the rest might answer.
///
/// # Errors
///
/// [`Stopped`], when the budget ends.
pub(crate) fn check_sound(
    loaded: &LoadedProgram,
    sources: &Sources,
    budget: &Budget,
) -> Result<(Diagnostics, Option<Analyzed>), Stopped> {
    let (mut diagnostics, analyzed) = check(loaded, budget)?;
    if loaded.diagnostics.has_errors() {
        let read = loaded.diagnostics.iter().cloned().collect::<Vec<_>>();
        let unread = Unread::of(loaded, sources);
        diagnostics.retain(|one| read.contains(one) || unread.leaves(one));
    }
    Ok((diagnostics, analyzed))
}

/// Warnings and notes by random playouts within the time of `budget`, of a game without errors that is not known to be incomplete;
/// `found` is what was said of it before.
///
/// # Errors
///
/// [`Stopped::Interrupted`].
pub fn try_out(
    program: &Program,
    analyzed: &Analyzed,
    found: &Diagnostics,
    budget: &Budget,
) -> Result<Diagnostics, Stopped> {
    let checked = &analyzed.stratified.program;
    let is_incomplete = found.iter().any(|one| one.code == Code::IncompleteGame);
    if !analysis::has_roles(checked) || found.has_errors() || is_incomplete {
        return Ok(Diagnostics::new());
    }
    let syntax = checked.facts.first().map_or(Syntax::Kif, |fact| program.syntax_at(fact.span));
    let mut tried = trial::try_out(&analyzed.stratified, syntax, budget)?;
    let place = |diagnostic: &Diagnostic| diagnostic.labels.first().map(|label| label.span);
    let told: Vec<_> = found.iter().map(place).collect();
    // A note of a place that something else is said of adds nothing.
    tried.retain(|one| !program.allows(one) && (one.severity != Severity::Note || !told.contains(&place(one))));
    Ok(tried)
}

/// A file as it stands, with all that it includes.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The texts that were read.
    pub sources: Sources,
    /// What was read of them: all statements that are sound.
    pub loaded: LoadedProgram,
    /// What is wrong or odd. A text with statements that are not in the language is judged without them, and nothing is said
    /// of what they might have defined or used.
    pub diagnostics: Diagnostics,
    /// The program, if it may run.
    pub analyzed: Option<Analyzed>,
    /// Whether all statements could be read.
    pub is_whole: bool,
    /// The file that was asked for.
    root: PathBuf,
    /// The file of each text.
    paths: Vec<PathBuf>,
    /// The words of all texts.
    tokens: Vec<Token>,
    /// All names and variables, by text and place.
    pub(crate) occurrences: Vec<Occurrence>,
}

impl Analysis {
    /// Reads a file with all that it includes, and judges it.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn new(texts: &Texts, path: &Path, budget: &Budget) -> Result<Analysis, Stopped> {
        let mut sources = Sources::new();
        let mut memory = texts.memory();
        let loaded = load_again(texts, &[path], None, &mut sources, &mut memory, budget)?;
        let is_whole = !loaded.diagnostics.has_errors();
        let (diagnostics, analyzed) = check_sound(&loaded, &sources, budget)?;
        let names = (0..).map_while(|number| sources.get(SourceId(number)));
        let paths = names.map(|source| texts.key(Path::new(&source.name))).collect();
        let mut tokens = Vec::new();
        for (source, syntax) in &loaded.program.written {
            tokens.extend(ludolog_syntax::tokens(*source, &sources, *syntax, &mut memory, budget)?);
        }
        let occurrences = occurrences(&sources, &loaded.program, &tokens);
        Ok(Analysis {
            sources,
            loaded,
            diagnostics,
            analyzed: analyzed.filter(|_| is_whole),
            is_whole,
            root: texts.key(path),
            paths,
            tokens,
            occurrences,
        })
    }

    /// The diagnostics whose main place is in a file; those that have no place belong to the file that was asked for.
    pub fn diagnostics_of<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Diagnostic> {
        self.diagnostics.iter().filter(move |diagnostic| {
            let place = diagnostic.labels.first().and_then(|label| self.path(label.span.source));
            place.unwrap_or(&self.root) == path
        })
    }

    /// The file that a text was read from.
    pub fn path(&self, source: SourceId) -> Option<&Path> {
        self.paths.get(source.0 as usize).map(PathBuf::as_path)
    }

    /// The text that was read from a file, and its syntax.
    pub fn source(&self, path: &Path) -> Option<(SourceId, Syntax)> {
        let is_of = |source: &SourceId| self.path(*source).is_some_and(|other| other == path);
        self.loaded.program.written.iter().copied().find(|(source, _)| is_of(source))
    }

    /// The files of the rule texts that were read, those that [`source`](Self::source) knows.
    pub fn read_paths(&self) -> impl Iterator<Item = &Path> {
        self.loaded.program.written.iter().filter_map(|(source, _)| self.path(*source))
    }

    /// The files of all texts.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.paths.iter().map(PathBuf::as_path)
    }

    /// The words of a text.
    pub fn tokens(&self, source: SourceId) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(move |token| token.span.source == source)
    }

    /// The comments of a text.
    pub fn comments(&self, source: SourceId) -> impl Iterator<Item = &Token> {
        self.tokens(source).filter(|token| token.kind == TokenKind::Comment)
    }

    /// All names and variables, by text and place.
    pub fn all_occurrences(&self) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter()
    }

    /// All names and variables of a text, in order.
    pub fn occurrences(&self, source: SourceId) -> impl Iterator<Item = &Occurrence> {
        self.occurrences.iter().filter(move |one| one.span.source == source)
    }

    /// The text and place of what stands at this byte of a text.
    pub fn at(&self, source: SourceId, byte: usize) -> Option<&Occurrence> {
        let byte = byte as u32;
        let is_there = |one: &&Occurrence| one.span.source == source && one.span.start <= byte && byte <= one.span.end;
        // Behind a word is the word, unless another one begins there.
        self.occurrences.iter().rev().find(is_there)
    }

    /// All places of a symbol, in the order of texts and places.
    pub fn occurrences_of<'a>(&'a self, symbol: &'a Symbol) -> impl Iterator<Item = &'a Occurrence> {
        self.occurrences.iter().filter(move |one| one.symbol == *symbol)
    }

    /// The places where a symbol is defined: heads for predicates and what stands in them, the first place for variables and all others.
    pub fn definitions<'a>(&'a self, symbol: &'a Symbol) -> Vec<&'a Occurrence> {
        let all: Vec<&Occurrence> = self.occurrences_of(symbol).collect();
        let heads: Vec<&Occurrence> = all.iter().copied().filter(|one| one.in_head).collect();
        match symbol {
            Symbol::Variable(..) => all.into_iter().take(1).collect(),
            _ if heads.is_empty() => all.into_iter().take(1).collect(),
            _ => heads,
        }
    }

    /// The file that an include, a use or an input names at this place, as the path is among `texts`.
    pub fn named_file(&self, texts: &Texts, occurrence: &Occurrence) -> Option<PathBuf> {
        let span = occurrence.span;
        let before = self.occurrences.iter().rev().find(|other| {
            other.span.source == span.source && other.statement == occurrence.statement && other.span.end <= span.start
        });
        let Symbol::Path(path) = &occurrence.symbol else { return None };
        let is_include = matches!(before.map(|one| &one.symbol), Some(Symbol::Word(..)));
        let directory = self.path(span.source)?.parent().unwrap_or(Path::new(""));
        texts.included(directory, path).ok().filter(|_| is_include)
    }

    /// The statements of a text, with their comments.
    pub fn statements(&self, source: SourceId) -> impl Iterator<Item = &Item> {
        self.loaded.program.items.iter().filter(move |item| item.span.source == source)
    }
}

/// What could not be read of a program.
struct Unread {
    /// Whether files are missing.
    is_file: bool,
    /// The words of the statements that are not in the language.
    words: HashSet<String>,
}

impl Unread {
    fn of(loaded: &LoadedProgram, sources: &Sources) -> Unread {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+');
        let mut words = HashSet::new();
        for (source, _) in &loaded.program.written {
            let text = sources.get(*source).map_or("", |source| &source.text);
            let mut at = 0;
            for item in loaded.program.items.iter().filter(|item| item.span.source == *source) {
                let between = text.get(at..item.span.start as usize).unwrap_or_default();
                words.extend(between.split(|c| !is_word(c)).map(str::to_lowercase));
                at = item.span.end as usize;
            }
            words.extend(text[at..].split(|c| !is_word(c)).map(str::to_lowercase));
        }
        let of_text = [Code::Syntax, Code::TooManyMistakes];
        let is_read = |one: &Diagnostic| of_text.contains(&one.code) || one.severity != Severity::Error;
        Unread { is_file: !loaded.diagnostics.iter().all(is_read), words }
    }

    /// Whether a diagnostic holds whatever the rest may say.
    fn leaves(&self, diagnostic: &Diagnostic) -> bool {
        use Code::*;
        match diagnostic.code {
            NeverFires | Unreached | IncompleteGame | GoalValue | InconsistentCase => false,
            UnknownPredicate | UnknownName | UnusedPredicate | UnusedArgument => {
                let missing = diagnostic.missing.as_deref().map(str::to_lowercase);
                !self.is_file && !missing.is_some_and(|name| self.words.contains(&name))
            }
            _ => true,
        }
    }
}
