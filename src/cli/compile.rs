//! `ludolog compile`: writes a program for another system.

use super::case::{self, CaseArgs};
use super::facts::derived_predicates;
use super::{Failure, Outcome, file};
use clap::{Args, ValueEnum};
use ludolog::analysis::clause::{CheckedProgram, Literal};
use ludolog::compile::{System, Translatable, translate};
use ludolog::engine::Setting;
use ludolog::syntax::ast::{Atom, Predicate};
use std::collections::BTreeSet;
use std::path::PathBuf;

#[derive(Args)]
pub struct CompileArgs {
    /// Rule files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The system that shall run the program
    #[arg(long, value_enum, value_name = "SYSTEM")]
    to: SystemName,
    /// Write the files into this directory instead of printing the program; for crepe, a crate with more than one file, it has to
    /// be given; for Soufflé, which is started in this directory then, 1,000 facts of a predicate and more come in a file beside the program
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    #[command(flatten)]
    case: CaseArgs,
}

/// A system by its name in commands.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SystemName {
    /// Soufflé
    Souffle,
    /// clingo
    Clingo,
    /// SWI-Prolog
    Prolog,
    /// A crate of its own, with the library crepe; the facts of the case are read when it runs
    Crepe,
}

impl From<SystemName> for System {
    fn from(name: SystemName) -> System {
        match name {
            SystemName::Souffle => System::Souffle,
            SystemName::Clingo => System::Clingo,
            SystemName::Prolog => System::Prolog,
            SystemName::Crepe => System::Crepe,
        }
    }
}

/// Translates the program of the files, and prints or writes it.
pub fn run(args: &CompileArgs) -> Result<Outcome, Failure> {
    let mut loaded = args.case.load(&args.files)?;
    // Facts that come when the translation runs are no part of what passes may rely on.
    let inputs = undefined(&loaded.session.program().program);
    let setting = Setting { inputs, ..loaded.session.setting().clone() };
    loaded.session.set_setting(setting);
    let prepared = loaded.session.prepare(None).map_err(|stopped| case::explain(&stopped))?;
    case::warn_of_broken(&prepared.optimized.broken);
    let derived = derived_predicates(loaded.session.program());
    let outputs: BTreeSet<_> = if loaded.outputs.is_empty() {
        derived.into_iter().filter(|predicate| !predicate.is_auxiliary()).collect()
    } else {
        let known = derived.into_iter().chain(loaded.session.case().predicates());
        known.filter(|predicate| loaded.outputs.iter().any(|name| predicate.name == **name)).collect()
    };
    let case = &prepared.case;
    let optimized = &prepared.optimized.program;
    if let Some(closed) = case.predicates().into_iter().find(|predicate| !optimized.is_open(predicate)) {
        return Err(Failure::Message(format!(
            "the program splits `{closed}` by its constants, and facts of the case would not reach the parts: state them in a rule file"
        )));
    }
    let tables = case.tables.iter().flat_map(|table| table.atoms(table.rows()));
    let facts: Vec<Atom> = case.geometry.iter().chain(&case.facts).cloned().chain(tables).collect();
    let program = Translatable::new(&optimized.stratified, facts, outputs);
    let program = if args.output.is_some() { program.with_files() } else { program };
    let translation = translate(&program, args.to.into())
        .map_err(|refused| Failure::Diagnostics(Box::new(loaded.session.sources().clone()), refused))?;
    match (&args.output, &translation.files[..]) {
        (None, [(_, text)]) => super::print(text)?,
        (None, _) => {
            return Err(Failure::Message(
                "a crate is more than one file: say where to write it with --output DIR".to_owned(),
            ));
        }
        (Some(directory), files) => {
            for (name, text) in files {
                let path = directory.join(name);
                file::create_directory(path.parent().unwrap_or(directory))?;
                file::write(&path, text.as_bytes())?;
            }
        }
    }
    Ok(Outcome::Success)
}

/// The predicates that rules read and neither facts nor rules define.
fn undefined(program: &CheckedProgram) -> Vec<Predicate> {
    let defined = program.defined();
    let read = program.rules.iter().flat_map(|rule| &rule.body).filter_map(Literal::atom).map(Atom::signature);
    let undefined: BTreeSet<Predicate> = read.filter(|predicate| !defined.contains(predicate)).collect();
    undefined.into_iter().collect()
}
