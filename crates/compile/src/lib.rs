//! Optimized programs as the source of other systems.
//!
//! ```text
//! StratifiedProgram ─translatable→ ─sorts→ ─names→ text of Soufflé, clingo, Prolog, or a crate with crepe
//! ```
//!
//! A translation derives the same facts as the program, or there is none: what a system cannot say is refused, with the place.
//!
//! * `translatable`: the program with its inputs and outputs; `elements`: `member` as rules, for systems without functions of lists.
//! * `tested`: aggregates that compare their tuples, as rules; `integers`: `is` of what is perhaps no integer, as a sum.
//! * `sorts`: the integers, symbols and compounds that columns and variables hold.
//! * `names`: identifiers of other systems for predicates and variables.
//! * `condition`: literals as alternatives of simple conditions, for `clingo` and `souffle`.
//! * `prolog`: SWI-Prolog, with tables for what is recursive.
//! * `crepe`: a crate of its own, with a typed function and a `main`.

mod clingo;
mod condition;
mod crepe;
mod elements;
mod integers;
mod names;
mod prolog;
mod sorts;
mod souffle;
mod tested;
mod translatable;

pub use translatable::Translatable;

use ludolog_logic::analysis::clause::Literal;
use ludolog_syntax::ast::{Comparator, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use std::collections::BTreeMap;
use std::fmt;

/// A system that programs are translated for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    /// Soufflé, a Datalog compiler.
    Souffle,
    /// clingo, a solver of answer set programs.
    Clingo,
    /// SWI-Prolog, with its tables.
    Prolog,
    /// Rust with the library crepe.
    Crepe,
}

impl System {
    /// All systems.
    pub const ALL: [System; 4] = [System::Souffle, System::Clingo, System::Prolog, System::Crepe];

    /// The name in commands.
    pub fn name(self) -> &'static str {
        match self {
            System::Souffle => "souffle",
            System::Clingo => "clingo",
            System::Prolog => "prolog",
            System::Crepe => "crepe",
        }
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A program in the language of another system.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The files by their paths within a folder, the program first; one for a system whose programs are one text, unless facts stand in
    /// [files](Translatable::with_files).
    pub files: Vec<(String, String)>,
    /// The names of the predicates in that system.
    pub names: BTreeMap<Predicate, String>,
}

/// Translates a program.
///
/// # Errors
///
/// All that the system cannot say, with its places.
pub fn translate(program: &Translatable, system: System) -> Result<Translation, Diagnostics> {
    translate_with(program, system, |program, refusals| match system {
        System::Souffle => souffle::translate(program, refusals),
        System::Clingo => clingo::translate(program, refusals),
        System::Prolog => prolog::translate(program),
        System::Crepe => crepe::translate(program, refusals),
    })
}

/// Translates the rules of a program into a module of this name for a crate that has crepe and, beside the module's parent, the module
/// `term` of the crates of [`System::Crepe`]: relations, rules, and a function `run` from rows to rows. A program whose aggregates
/// need stages becomes as many modules, with numbers behind the name.
///
/// # Errors
///
/// As [`translate`].
pub fn crepe_modules(program: &Translatable, name: &str) -> Result<String, Diagnostics> {
    translate_with(program, System::Crepe, |program, refusals| crepe::stage_modules(program, name, refusals))
}

fn translate_with<T>(
    program: &Translatable,
    system: System,
    text: impl FnOnce(&Translatable, &mut Refusals) -> T,
) -> Result<T, Diagnostics> {
    let mut refusals = Refusals { system, found: Diagnostics::new() };
    for transition in &program.transitions {
        refusals.add(transition.span, "facts that change by transition rules");
    }
    for constraint in &program.constraints {
        refusals.add(constraint.span, "constraints, which are told with their bindings");
    }
    if let Some(span) = program.well_founded {
        refusals.add(span, "predicates that depend on their own negation");
    }
    if let Some(span) = program.lattice {
        refusals.add(span, "lattice columns");
    }
    if let Some(span) = program.choice {
        refusals.add(span, "choices, which each system makes in its own way");
    }
    for literal in program.rules.iter().flat_map(|rule| &rule.body) {
        if let Literal::Compare(test) | Literal::NotCompare(test) = literal
            && test.comparator == Comparator::Matches
        {
            refusals.add(test.span, "regular expressions, which each system reads in its own way");
        }
        if let Literal::Aggregate(aggregation) = literal
            && names::of_aggregate(aggregation.function).is_none()
        {
            refusals.add(aggregation.written.0.span, format_args!("the aggregate `{}`", aggregation.function.name()));
        }
    }
    refuse_floats(program, &mut refusals);
    refuse_functions(program, &mut refusals);
    let program = &tested::without_tests(program, &mut refusals);
    // An aggregate over a recursion has no stage in which it could run.
    if !refusals.found.is_empty() {
        return Err(refusals.found);
    }
    let translation = text(&integers::with_integers(program), &mut refusals);
    if refusals.found.is_empty() { Ok(translation) } else { Err(refusals.found) }
}

/// Refuses floats and what computes with them.
fn refuse_floats(program: &Translatable, refusals: &mut Refusals) {
    let what = "floats, which each system prints and rounds in its own way";
    for fact in program.facts.iter().filter(|fact| fact.args.iter().any(has_float)) {
        refusals.add(fact.span, what);
    }
    for rule in &program.rules {
        if rule.head.args.iter().any(has_float) {
            refusals.add(rule.head.span, what);
        }
        for literal in &rule.body {
            let has_one = match literal {
                Literal::Compare(test) | Literal::NotCompare(test) => {
                    computes_float(&test.left) || computes_float(&test.right)
                }
                Literal::Member { element, elements, .. } => {
                    has_float(element) || elements.terms().into_iter().flatten().any(has_float)
                }
                Literal::Aggregate(aggregation) => has_float(&aggregation.result),
                Literal::Positive(atom) | Literal::Negative(atom) => atom.args.iter().any(has_float),
            };
            if has_one {
                refusals.add(literal.span(), what);
            }
        }
    }
}

/// Refuses functions that are written in Rust.
fn refuse_functions(program: &Translatable, refusals: &mut Refusals) {
    for literal in program.rules.iter().flat_map(|rule| rule.body.iter()) {
        let (Literal::Compare(test) | Literal::NotCompare(test)) = literal else { continue };
        if let Some(name) = [&test.left, &test.right].into_iter().find_map(|side| called(side, test.comparator)) {
            refusals.add(literal.span(), format_args!("the function `{name}`, which is written in Rust"));
        }
    }
}

/// The name of the first function in Rust that a comparator computes of a term.
fn called(side: &Term, comparator: Comparator) -> Option<&'static str> {
    match sorts::computed(side, comparator)? {
        (Operation::Called(function), _) => Some(function.name()),
        (_, operands) => operands.iter().find_map(|operand| called(operand, comparator)),
    }
}

fn has_float(term: &Term) -> bool {
    match term {
        Term::Float(_) => true,
        Term::Compound(_, args) => args.iter().any(has_float),
        Term::Variable(_) | Term::Integer(_) | Term::Symbol(_) => false,
    }
}

/// Whether a side of a comparison has a float, or an operation that makes or rounds one.
fn computes_float(side: &Term) -> bool {
    match side {
        Term::Compound(functor, args) => {
            let operation = Operation::of(functor, args.len());
            operation.is_some_and(|operation| operation.makes_floats() || operation.rounds())
                || args.iter().any(computes_float)
        }
        other => has_float(other),
    }
}

/// A rule as all systems but crepe write it: a fact if its body is empty.
fn rule_text(head: &str, body: &[String]) -> String {
    if body.is_empty() { format!("{head}.\n") } else { format!("{head} :- {}.\n", body.join(", ")) }
}

/// All that a system cannot say of a program.
struct Refusals {
    system: System,
    found: Diagnostics,
}

impl Refusals {
    /// Adds something that the system has not, said as in *a sum of symbols*.
    fn add(&mut self, span: Span, what: impl fmt::Display) {
        let message = format!("a program for {} cannot have {what}", self.system);
        self.found.push(Diagnostic::error(Code::Untranslatable, message).at(span, "here"));
    }
}
