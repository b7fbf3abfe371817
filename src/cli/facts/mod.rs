//! `ludolog facts`: prints or writes the facts that rule files derive, in canonical order.
//!
//! * `write`: the notations; `database`: tables of SQLite and Parquet files.

mod database;
mod write;

use super::case::{CaseArgs, LoadedCase, warn_of_broken};
use super::output::{RowFormat, Unwritten, print_with};
use super::processes::ProcessArgs;
use super::watch::{self, WatchArgs};
use super::{Failure, Outcome, constraints, file, limits};
use clap::Args;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::engine::{Budget, Listed, Listing, Stopped};
use ludolog::syntax::ast::{Effect, Name, Predicate};
use ludolog::syntax::{DatabaseFormat, Syntax};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use write::Speller;

pub use write::FactNotation;

#[derive(Args)]
pub struct FactsArgs {
    /// Rule files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Only the facts of this predicate, as in reach/2, given facts too; otherwise those of the predicates that the
    /// rules declare as results by `:- output(reach).`, or all that rules and events make
    #[arg(long, value_name = "P/N", value_parser = predicate)]
    predicate: Vec<Predicate>,
    /// The given facts too, not only those that rules and events make
    #[arg(long, conflicts_with = "predicate")]
    all: bool,
    /// The undefined facts instead: those that are neither true nor false, since they depend on their own negation
    #[arg(long)]
    undefined: bool,
    #[arg(long, value_enum, default_value_t)]
    format: RowFormat,
    /// Write the facts of each predicate to a file of this directory, named after it, instead of printing them; of a database, as
    /// out.sqlite, to a table of it; those of one predicate to out.parquet, out.csv or out.tsv; all to out.dl, out.kif or out.jsonl
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    case: CaseArgs,
    #[command(flatten)]
    processes: ProcessArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

/// The notation of facts in a format.
fn notation(format: RowFormat, syntax: Syntax) -> FactNotation {
    match format {
        RowFormat::Text => FactNotation::Rules(syntax),
        RowFormat::Dl => FactNotation::Rules(Syntax::Datalog),
        RowFormat::Kif => FactNotation::Rules(Syntax::Kif),
        RowFormat::Csv => FactNotation::Csv,
        RowFormat::Tsv => FactNotation::Tsv,
        RowFormat::Jsonl => FactNotation::JsonLines(syntax),
        RowFormat::Json => FactNotation::JsonArray(syntax),
    }
}

/// The format that the name of a file says; `None` of other names, and of a folder.
fn names_file(path: &Path) -> Option<RowFormat> {
    let extension = path.extension().filter(|_| !path.is_dir())?.to_str()?;
    let named = [
        (RowFormat::Dl, "dl"),
        (RowFormat::Kif, "kif"),
        (RowFormat::Csv, "csv"),
        (RowFormat::Tsv, "tsv"),
        (RowFormat::Jsonl, "jsonl"),
    ];
    named.into_iter().find(|(_, name)| extension.eq_ignore_ascii_case(name)).map(|(format, _)| format)
}

/// The format in which a file of such a name is written.
fn named_format(named: RowFormat, asked: RowFormat, path: &Path) -> Result<RowFormat, Failure> {
    if asked == RowFormat::Text || asked == named {
        return Ok(named);
    }
    let path = path.display();
    Err(Failure::Message(format!("{path} is a name of another format than --format asks for; change one of them")))
}

/// Prints the facts of the selection.
pub fn run(args: &FactsArgs) -> Result<Outcome, Failure> {
    watch::run(&args.watch, args.format == RowFormat::Json, || list(args))
}

fn list(args: &FactsArgs) -> Result<Outcome, Failure> {
    let mut loaded = args.case.load_from(&args.processes.files()?, &args.files)?;
    loaded.ask_once();
    args.processes.apply(&mut loaded.session, "")?;
    let mut format = args.format;
    if let Some(path) = &args.output {
        database::check(path)?;
        if let Some(named) = names_file(path) {
            file::check(path)?;
            format = named_format(named, format, path)?;
        }
    }
    loaded.check_known(&args.predicate)?;
    let selection = match (args.all, &args.predicate[..]) {
        (true, _) => Selection::All,
        (false, []) => Selection::of(&loaded),
        (false, wanted) => Selection::These(wanted.to_vec()),
    };
    match &selection {
        Selection::These(wanted) => loaded.note_case(wanted.clone()),
        Selection::Named(names) => {
            let given = loaded.session.case().predicates();
            let known = derived_predicates(loaded.session.program()).into_iter().chain(given);
            loaded.note_case(known.filter(|predicate| names.iter().any(|name| predicate.name == **name)));
        }
        Selection::Derived => loaded.note_case(derived_predicates(loaded.session.program())),
        Selection::All => {
            let given = loaded.session.case().table_predicates();
            loaded.note_case(derived_predicates(loaded.session.program()).into_iter().chain(given));
        }
    }
    let kept = constraints::check(&mut loaded, &args.case);
    let notation = notation(format, loaded.syntax);
    let listing = if args.undefined {
        loaded.session.undefined_listing(wanted(&selection, loaded.session.program()))
    } else {
        collect(&mut loaded, &selection)
    };
    let listing = match listing {
        Ok(listing) => listing,
        Err(stopped) => return Err(args.case.explain(&loaded.session, &stopped, None)),
    };
    // To write facts takes more memory, of which there is none.
    if !matches!(listing.stopped, Some(Stopped::TooMuchMemory { .. })) {
        deliver(args, &listing, notation, kept.is_ok())?;
    }
    let stopped = listing.stopped.clone();
    warn_of_broken(loaded.session.broken_passes());
    match &stopped {
        Some(stopped) => Err(args.case.explain(&loaded.session, stopped, None)),
        None => {
            if !args.undefined {
                note_given(&loaded, &selection);
                note_undefined(&mut loaded, &selection);
            }
            kept.map(|()| Outcome::Success)
        }
    }
}

/// Writes or prints a listing; `are_kept` says whether the constraints of the program are.
fn deliver(args: &FactsArgs, listing: &Listing, notation: FactNotation, are_kept: bool) -> Result<(), Failure> {
    match (&args.output, args.format) {
        (Some(path), format) if DatabaseFormat::of(path).is_some() => {
            if format != RowFormat::Text {
                return Err(Failure::Message(
                    "--output of a database has values as they are: leave --format out".to_owned(),
                ));
            }
            // Half of the facts are no result, and a database does not say so.
            if listing.stopped.is_none() && are_kept {
                database::write(listing, path)?;
            }
        }
        (Some(_), RowFormat::Json) => {
            return Err(Failure::Message(
                "--output writes a file for each predicate; --format jsonl is its JSON".to_owned(),
            ));
        }
        (Some(path), _) if names_file(path).is_some() => write_file(listing, notation, path)?,
        (Some(directory), _) => write_files(listing, notation, directory)?,
        // An array has no place for the reason why it is not complete.
        (None, RowFormat::Json) if listing.stopped.is_some() || !are_kept => {}
        (None, _) => print_listing(listing, notation)?,
    }
    Ok(())
}

/// Tells that there are facts and no rules, where those are asked for that rules make.
fn note_given(loaded: &LoadedCase, selection: &Selection) {
    let session = &loaded.session;
    let is_given = || !session.program().program.facts.is_empty() || !session.case().predicates().is_empty();
    if matches!(selection, Selection::Derived) && derived_predicates(session.program()).is_empty() && is_given() {
        anstream::eprintln!("note: there are no rules, and so no derived facts; --all lists the given ones");
    }
}

/// Tells how many facts are missing since they are neither true nor false.
fn note_undefined(loaded: &mut LoadedCase, selection: &Selection) {
    let count = loaded.session.undefined_count(wanted(selection, loaded.session.program())).unwrap_or_default();
    if count > 0 {
        let are = if count == 1 { "fact is" } else { "facts are" };
        anstream::eprintln!("note: {count} {are} undefined, neither true nor false; `facts --undefined` lists them");
    }
}

/// The facts to print.
pub enum Selection {
    /// Facts of predicates that rules or transition rules derive.
    Derived,
    /// All facts.
    All,
    /// Facts of these predicates.
    These(Vec<Predicate>),
    /// Facts of the predicates of these names.
    Named(Vec<Name>),
}

impl Selection {
    /// The results that the program declares, or else all that it derives.
    pub fn of(loaded: &LoadedCase) -> Selection {
        match &loaded.outputs[..] {
            [] => Selection::Derived,
            names => Selection::Named(names.to_vec()),
        }
    }
}

/// The facts of a loaded case. If the run stopped early, though in time, the facts found before the stop, with the
/// reason.
pub fn collect<'l>(loaded: &'l mut LoadedCase, selection: &Selection) -> Result<Listing<'l>, Stopped> {
    loaded.session.listing(wanted(selection, loaded.session.program()))
}

/// Whether the facts of a predicate are selected.
pub fn wanted<'s>(selection: &'s Selection, program: &StratifiedProgram) -> impl Fn(&Predicate) -> bool + use<'s> {
    let derived = derived_predicates(program);
    move |predicate| match selection {
        Selection::Derived => derived.contains(predicate),
        Selection::All => true,
        Selection::These(wanted) => wanted.contains(predicate),
        Selection::Named(names) => names.iter().any(|name| predicate.name == **name),
    }
}

/// The predicates that rules or transition rules derive.
pub fn derived_predicates(program: &StratifiedProgram) -> BTreeSet<Predicate> {
    let program = &program.program;
    let heads = program.rules.iter().map(|rule| rule.head.signature());
    let effects = program.transitions.iter().flat_map(|transition| &transition.effects);
    heads.chain(effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature())).collect()
}

/// Prints facts. A reader that closes the pipe early is no failure.
pub fn print_listing(listing: &Listing, notation: FactNotation) -> Result<(), Failure> {
    check_table(listing, notation)?;
    print_with(|out| {
        check_terms(listing, notation)?;
        write_relations(listing, notation, listing.relations(), out)
    })
}

/// Checks that one table holds all facts, where the notation is that of tables.
fn check_table(listing: &Listing, notation: FactNotation) -> Result<(), Failure> {
    if notation.is_table() {
        let mut held = listing.relations().iter().filter(|listed| listed.count() > 0).map(Listed::predicate);
        if let (Some(first), Some(second)) = (held.next(), held.next()) {
            return Err(Failure::Message(format!(
                "a table holds the facts of one predicate, and there are `{first}` and `{second}`; choose one with \
                 --predicate, or write a file for each with --output"
            )));
        }
    }
    Ok(())
}

/// Writes all facts to one file, the notation of which its name says.
fn write_file(listing: &Listing, notation: FactNotation, path: &Path) -> Result<(), Failure> {
    check_table(listing, notation)?;
    file::write_with(path, |out| write_relations(listing, notation, listing.relations(), out))
        .map_err(|reason: Unwritten| reason.failure(|error| file::unwritable(path, error)))
}

/// Writes a file for each predicate, also for one without facts.
fn write_files(listing: &Listing, notation: FactNotation, directory: &Path) -> Result<(), Failure> {
    let with_path = |listed| {
        let predicate: &Predicate = Listed::predicate(listed);
        let name = with_arity(file_name(predicate.name.text()), listing, predicate);
        (listed, directory.join(format!("{name}.{}", notation.extension())))
    };
    let files: Vec<(&Listed, PathBuf)> = listing.relations().iter().map(with_path).collect();
    let failed = |reason: Unwritten, path: &Path| reason.failure(|error| file::unwritable(path, error));
    // All files or none: a table has no place for some terms, and a file that is there stays.
    files.iter().try_for_each(|(_, path)| file::check_kept(path))?;
    check_terms(listing, notation).map_err(|reason| failed(reason, directory))?;
    file::create_directory(directory)?;
    for (listed, path) in files {
        file::write_with(&path, |out| write_relations(listing, notation, std::slice::from_ref(listed), out))
            .map_err(|reason: Unwritten| failed(reason, &path))?;
    }
    Ok(())
}

/// A name for the facts of a predicate, with its arity if it shares its name with another one.
fn with_arity(name: String, listing: &Listing, predicate: &Predicate) -> String {
    let same = listing.relations().iter().filter(|other| other.predicate().name == predicate.name);
    if same.count() > 1 { format!("{name}.{}", predicate.arity) } else { name }
}

/// A predicate's name as the name of a file: bytes that mean something in paths, or nothing to people, as `%2F`.
fn file_name(predicate: &str) -> String {
    let means_something = |c: char| matches!(c, '/' | '\\' | ':' | '%' | '.' | '=') || c.is_control();
    let encode = |c: char| c.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    match predicate {
        "" => "%".to_owned(),
        _ => predicate.chars().map(|c| if means_something(c) { encode(c) } else { c.to_string() }).collect(),
    }
}

/// Writes facts within what is left of the budget but its time: what is derived in time is written whole. A JSON array
/// is written to its end also after Ctrl-C, since half of one is no document.
fn write_relations(
    listing: &Listing,
    notation: FactNotation,
    relations: &[Listed],
    out: &mut dyn Write,
) -> Result<(), Unwritten> {
    let budget = match notation {
        FactNotation::JsonArray(_) => Budget::unlimited(),
        _ => limits::budget(),
    };
    Speller::new(listing, notation).write_all(relations, out, &budget)
}

/// Checks that facts can be written: a table has no place for some terms, and half of one is not told.
fn check_terms(listing: &Listing, notation: FactNotation) -> Result<(), Unwritten> {
    if !notation.is_table() {
        return Ok(());
    }
    Speller::new(listing, notation).check(listing.relations(), &limits::budget())
}

/// Facts as statements of a rule file, one per line.
pub fn to_text(listing: &Listing, syntax: Syntax, budget: &Budget) -> Result<String, Failure> {
    let mut text = Vec::new();
    let written = Speller::new(listing, FactNotation::Rules(syntax)).write_all(listing.relations(), &mut text, budget);
    written.map_err(|reason| reason.failure(|error| Failure::Message(error.to_string())))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Parses a predicate with its arity.
pub fn predicate(text: &str) -> Result<Predicate, String> {
    let arity = |arity: &str| arity.parse::<usize>().ok();
    match text.rsplit_once('/').and_then(|(name, rest)| Some((name, arity(rest)?))) {
        Some((name, arity)) if !name.is_empty() => Ok(Predicate::new(name, arity)),
        _ => Err("a predicate with its arity, as in reach/2".to_owned()),
    }
}
