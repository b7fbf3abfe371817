//! Predicates that nothing defines, and what was probably meant.
//!
//! Such a predicate holds of nothing, unless the case has facts of it; so who knows the case decides whether to warn.
//! What a transition rule reads may be an event, and is reported only if a defined predicate of the same arity is
//! spelled nearly the same. A game has no inputs but its state and moves.

use super::clause::{CheckedProgram, Literal, StratifiedProgram};
use super::report::{arguments, symbol};
use super::{built_in, elsewhere, gdl};
use ludolog_syntax::ast::{Atom, Effect, Item, Name, Predicate, Program, Statement, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use ludolog_syntax::{ColdSort, Content, Syntax, Table};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most names of about the same length that one is compared with. Programs with more are generated, and near names are
/// no slips.
const MOST_CANDIDATES: usize = 1000;

/// A predicate that a program reads and that nothing defines.
#[derive(Clone, Debug)]
pub struct Undefined {
    /// The predicate.
    pub predicate: Predicate,
    /// Whether its name is probably a slip of one that is defined.
    pub is_slip: bool,
    /// The warning, at the first place that reads it.
    pub warning: Diagnostic,
}

/// The predicates that nothing defines, each once, in the order of the program.
pub(super) fn undefined(
    program: &CheckedProgram,
    is_game: bool,
    syntax_at: impl Fn(Span) -> Syntax,
    budget: &Budget,
) -> Result<Vec<Undefined>, Stopped> {
    let defined: FxHashSet<Predicate> = definable(program, is_game);
    let names = NamesBySize::of(&defined);
    let keywords: FxHashSet<&str> = gdl::keywords(program).map(|(name, _)| name).filter(|_| is_game).collect();
    let conditions = program.transitions.iter().flat_map(|transition| &transition.conditions);
    let events: FxHashSet<Predicate> = conditions.clone().filter_map(Literal::atom).map(Atom::signature).collect();
    let bare = is_game.then(|| gdl::BareWords::of(program));
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    let read = program.bodies().flatten().filter_map(Literal::atom);
    for atom in read.chain(program.orders().into_iter().map(|(_, order)| order)) {
        let predicate = atom.signature();
        if defined.contains(&predicate) || !seen.insert(predicate.clone()) {
            continue;
        }
        budget.check()?;
        let syntax = syntax_at(atom.span);
        let of_game = bare.as_ref().and_then(|bare| bare.advice(atom, syntax));
        let meant = names.meant(&predicate).filter(|_| of_game.is_none());
        let is_keyword = predicate.name.written().is_some_and(|name| keywords.contains(name));
        let is_slip = meant.is_some() || of_game.is_some();
        if !is_slip && (is_keyword || events.contains(&predicate)) {
            continue;
        }
        let warning = Diagnostic::warning(Code::UnknownPredicate, format!("nothing defines `{predicate}`"))
            .at(atom.span, "no fact or rule has this head")
            .missing(predicate.name.text());
        let warning = match (of_game, meant) {
            (Some((help, change)), _) => warning.help(help).repair(change),
            (None, Some(meant)) => warning.help(format!("did you mean `{}`?", meant.name)).respelled(
                atom.span,
                predicate.name.text(),
                meant.name.text(),
            ),
            (None, None) => elsewhere::told(warning, atom, syntax),
        };
        found.push(Undefined { predicate, is_slip, warning });
    }
    Ok(found)
}

/// The names that a program declares as results, each once. One that neither the rules nor an input mention is an
/// error.
pub(super) fn outputs(program: &Program, checked: &CheckedProgram, found: &mut Vec<Diagnostic>) -> Vec<Name> {
    let declared = |item: &Item| matches!(item.statement, Statement::Output(_));
    if !program.items.iter().any(declared) {
        return Vec::new();
    }
    let mut known: Vec<Predicate> = mentioned(checked).into_iter().collect();
    known.extend(program.items.iter().filter_map(|item| match &item.statement {
        // The number of columns is that of the table.
        Statement::Input(input) => Some(Predicate::new(&input.predicate, 0)),
        _ => None,
    }));
    known.cold_sort();
    let mut outputs: Vec<Name> = Vec::new();
    for item in &program.items {
        let Statement::Output(name) = &item.statement else { continue };
        if !known.iter().any(|predicate| predicate.name == **name) {
            let error = Diagnostic::error(Code::UnknownPredicate, format!("there is no predicate `{name}`"))
                .at(item.span, "declared as a result")
                .missing(&**name);
            found.push(match closest(name, known.iter()) {
                Some(meant) => error.help(format!("did you mean `{}`?", meant.name)).respelled(
                    item.span,
                    &**name,
                    meant.name.text(),
                ),
                None => error.help("name a predicate of the rules, without its arguments"),
            });
        } else if !outputs.contains(name) {
            outputs.push(name.clone());
        }
    }
    outputs
}

/// The names that a program declares as results, as they are written.
pub(super) fn declared_outputs(program: &Program) -> FxHashSet<&Name> {
    let outputs = program.items.iter().filter_map(|item| match &item.statement {
        Statement::Output(name) => Some(name),
        _ => None,
    });
    outputs.collect()
}

/// Reports declared types of a predicate that neither the program mentions nor the case has, and whose name is nearly that of one.
pub(super) fn check_typed(
    program: &Program,
    checked: &CheckedProgram,
    given: &[Predicate],
    found: &mut Vec<Diagnostic>,
) {
    let typed = program.items.iter().filter_map(|item| match &item.statement {
        Statement::Type(types) => Some((types.signature(), item.span)),
        _ => None,
    });
    let typed: Vec<(Predicate, Span)> = typed.collect();
    if typed.is_empty() {
        return;
    }
    let known: FxHashSet<Predicate> = mentioned(checked).into_iter().chain(given.iter().cloned()).collect();
    let names = NamesBySize::of(&known);
    for (predicate, place) in typed.into_iter().filter(|(predicate, _)| !known.contains(predicate)) {
        if let Some(meant) = names.meant(&predicate) {
            let message = format!("types are declared of `{predicate}`, which has no facts and no rules");
            let warning = Diagnostic::warning(Code::UnknownPredicate, message).at(place, "says nothing of any fact");
            found.push(warning.help(format!("did you mean `{}`?", meant.name)).respelled(
                place,
                predicate.name.text(),
                meant.name.text(),
            ));
        }
    }
}

/// Predicates by the size of their names, so that a name is compared with those alone that it may be a slip of: at most
/// a thousand, however many predicates there are.
pub struct NamesBySize<'a> {
    /// By arity and length.
    by_size: FxHashMap<(usize, usize), Vec<&'a Predicate>>,
}

impl<'a> NamesBySize<'a> {
    /// The names of these predicates.
    pub fn of(predicates: impl IntoIterator<Item = &'a Predicate>) -> NamesBySize<'a> {
        let mut by_size: FxHashMap<_, Vec<_>> = FxHashMap::default();
        for predicate in predicates.into_iter().filter(|predicate| !predicate.is_auxiliary()) {
            by_size.entry((predicate.arity, predicate.name.text().chars().count())).or_default().push(predicate);
        }
        NamesBySize { by_size }
    }

    /// The predicate of the same arity that is spelled nearly as this one, and otherwise.
    pub fn meant(&self, predicate: &Predicate) -> Option<&'a Predicate> {
        let length = predicate.name.text().chars().count();
        let allowed = allowed_slips(length);
        let sizes = length.saturating_sub(allowed)..=length + allowed;
        let candidates = sizes.filter_map(|size| self.by_size.get(&(predicate.arity, size)));
        nearest(predicate.name.text(), allowed, candidates.flatten().copied())
    }
}

/// The predicates that a program may have facts of: those of its facts, heads and effects, and in a game also those
/// that the game gives.
pub fn definable(program: &CheckedProgram, is_game: bool) -> FxHashSet<Predicate> {
    let effects = program.transitions.iter().flat_map(|transition| &transition.effects);
    let mut defined = program.defined();
    defined.extend(effects.map(|(Effect::Add(atom) | Effect::Delete(atom))| atom.signature()));
    if is_game {
        defined.extend([Predicate::new("true", 1), Predicate::new("does", 2)]);
    }
    defined
}

/// Whether all predicates that the bodies of a program without moves read are defined by it, or given.
pub(super) fn all_defined(program: &CheckedProgram, given: &[Predicate]) -> bool {
    let defined = definable(program, false);
    let mut read = program.bodies().flatten().filter_map(Literal::atom).map(Atom::signature);
    read.all(|predicate| defined.contains(&predicate) || given.contains(&predicate))
}

/// Warns of tables with facts that neither the program mentions nor anybody has `asked` for.
pub fn unread<'t>(
    program: &CheckedProgram,
    tables: impl IntoIterator<Item = &'t Table>,
    asked: impl IntoIterator<Item = Predicate>,
) -> Diagnostics {
    let mut read = mentioned(program);
    read.extend(program.goals().flat_map(|goal| &goal.body).filter_map(Literal::atom).map(Atom::signature));
    read.extend(asked);
    let names = NamesBySize::of(&read);
    let mut found = Diagnostics::new();
    for table in tables.into_iter().filter(|table| !read.contains(table.predicate())) {
        let predicate = table.predicate();
        let file = table.name();
        let of_other_arity = read.iter().filter(|other| other.name == predicate.name).min();
        let warning = match of_other_arity {
            Some(other) => Diagnostic::warning(
                Code::ArityMismatch,
                format!("`{file}` has the facts of `{predicate}`, and the rules read `{other}`"),
            )
            .help(match separator(table, other.arity) {
                Some(separator) => format!(
                    "its rows have {} if `{}` separates them: write `,`, or tabs in a `.tsv`",
                    columns(other.arity),
                    separator.escape_default()
                ),
                None => format!("its rows need {} each", columns(other.arity)),
            }),
            None if *predicate == Predicate::new(built_in::MEMBER, 2) => {
                let message =
                    format!("`{predicate}`, whose facts `{file}` has, is built in unless the rules say otherwise");
                let name = symbol(predicate.name.text());
                let path = symbol(file);
                Diagnostic::warning(Code::UnknownPredicate, message)
                    .help(format!("say it in the rules, `:- input({name}, {path}).`, in place of `--facts`"))
            }
            None => {
                let message = format!("nothing reads `{predicate}`, whose facts `{file}` has");
                let help = match names.meant(predicate) {
                    Some(meant) => format!("did you mean `{0}`? Then give it as `{0}={file}`", meant.name),
                    None => format!("if it holds the facts of another predicate, name that, as in `edge={file}`"),
                };
                Diagnostic::warning(Code::UnknownPredicate, message).help(help)
            }
        };
        found.push(warning);
    }
    found
}

/// What separates this many columns in the first row of a table of one column, where it is no comma.
fn separator(table: &Table, columns: usize) -> Option<&'static str> {
    let first = table.rows().next().filter(|row| row.len() == 1)?;
    let Content::Constant(number) = first[0].content() else { return None };
    let Term::Symbol(text) = &table.constants()[number] else { return None };
    [";", "\t", "|", " "].into_iter().find(|separator| text.split(separator).count() == columns)
}

fn columns(count: usize) -> String {
    if count == 1 { "1 column".to_owned() } else { format!("{count} columns") }
}

/// Checks that predicates named outside of the rules are known: the program mentions them, or they are among `inputs`,
/// those that only the case at hand has facts for.
///
/// # Errors
///
/// The predicates that are not, each with what may have been meant.
pub fn check_known(wanted: &[Predicate], program: &StratifiedProgram, inputs: &[Predicate]) -> Result<(), Diagnostics> {
    let known = known(&program.program, inputs);
    let mut wrong = Diagnostics::new();
    for predicate in wanted.iter().filter(|predicate| !known.contains(predicate)) {
        wrong.push(unknown(predicate, &known).0);
    }
    if wrong.has_errors() { Err(wrong) } else { Ok(()) }
}

/// The predicates that a program mentions, and its inputs.
pub(super) fn known(program: &CheckedProgram, inputs: &[Predicate]) -> FxHashSet<Predicate> {
    let mut known = mentioned(program);
    known.extend(inputs.iter().cloned());
    known.retain(|predicate| !predicate.is_auxiliary());
    known
}

/// The error for a predicate that is not known, and a label for its place.
pub(super) fn unknown(predicate: &Predicate, known: &FxHashSet<Predicate>) -> (Diagnostic, String) {
    if let Some(other) = known.iter().filter(|other| other.name == predicate.name).min() {
        let [has, given] = [other, predicate].map(|predicate| arguments(predicate.arity));
        let wrong = Diagnostic::error(Code::ArityMismatch, format!("`{}` has {has}, not {given}", other.name));
        return (wrong.help(format!("ask for `{other}`")), format!("{given} here"));
    }
    let wrong = Diagnostic::error(Code::UnknownPredicate, format!("there is no predicate `{predicate}`"));
    let wrong = match closest(predicate.name.text(), known.iter()) {
        Some(meant) => wrong.help(format!("did you mean `{meant}`?")),
        None => wrong,
    };
    (wrong, "neither the rules nor the facts mention it".to_owned())
}

/// The warning of a predicate that nothing reads and that is a slip for another one. The first place is one of its facts or heads.
pub(super) fn unread_slip(predicate: &Predicate, place: Span, meant: &str) -> Diagnostic {
    let message = format!("nothing reads `{predicate}`, whose name is nearly `{meant}`");
    Diagnostic::warning(Code::UnknownName, message)
        .at(place, "this has no effect")
        .help(format!("did you mean `{meant}`?"))
        .missing(predicate.name.text())
}

/// All predicates that occur, defined or read.
pub(super) fn mentioned(program: &CheckedProgram) -> FxHashSet<Predicate> {
    let mut all = FxHashSet::default();
    program.for_each_atom(&mut |atom| {
        all.insert(atom.signature());
    });
    all
}

/// The predicate whose name is nearest to `name`, if it is near: one slip in four letters, two in eight. A slip is an
/// insertion, a deletion, a replacement, or a swap of neighbors. `None` if more than [`MOST_CANDIDATES`] names are as
/// long.
pub(super) fn closest<'a>(name: &str, among: impl Iterator<Item = &'a Predicate>) -> Option<&'a Predicate> {
    let length = name.chars().count();
    let allowed = allowed_slips(length);
    let as_long = |other: &&Predicate| other.name.text().chars().count().abs_diff(length) <= allowed;
    nearest(name, allowed, among.filter(|other| as_long(other) && !other.is_auxiliary()))
}

/// The slips forgiven in a name of this length.
fn allowed_slips(length: usize) -> usize {
    length.div_ceil(4).min(2)
}

/// The nearest of predicates whose names are as long as `name`, but for the slips allowed.
fn nearest<'a>(name: &str, allowed: usize, among: impl Iterator<Item = &'a Predicate>) -> Option<&'a Predicate> {
    let candidates: Vec<&Predicate> = among.take(MOST_CANDIDATES + 1).collect();
    if candidates.len() > MOST_CANDIDATES {
        return None;
    }
    let letters = letters(name);
    candidates
        .into_iter()
        // A slip changes at most two letters, so most names need not be compared.
        .filter(|other| (letters ^ self::letters(other.name.text())).count_ones() as usize <= 2 * allowed)
        .map(|other| (strsim::osa_distance(name, other.name.text()), other))
        .filter(|&(distance, other)| (1..=allowed).contains(&distance) && distance < other.name.text().chars().count())
        .min()
        .map(|(_, other)| other)
}

/// The set of letters in a name, six bits of each told apart.
fn letters(name: &str) -> u64 {
    name.chars().fold(0, |set, letter| set | 1 << (u32::from(letter) % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_forgiven() {
        let cluster = Predicate::new("cluster", 1);
        for name in ["clutser", "clster", "cluuster", "cluxter"] {
            assert_eq!(closest(name, [&cluster].into_iter()), Some(&cluster), "{name}");
        }
        assert_eq!(closest("castle", [&cluster].into_iter()), None);
    }

    #[test]
    fn names_of_generated_programs_are_not_compared() {
        let many: Vec<Predicate> = (0..=MOST_CANDIDATES).map(|i| Predicate::new(&format!("stone{i:04}"), 1)).collect();
        assert_eq!(closest("stoen0007", many[1..].iter()), Some(&many[7]));
        assert_eq!(closest("stoen0007", many.iter()), None);
    }

    #[test]
    fn short_names_are_not_taken_for_each_other() {
        let known = [Predicate::new("q", 1), Predicate::new("stone", 2)];
        assert_eq!(closest("p", known.iter()), None);
        assert_eq!(closest("stnoe", known.iter()), Some(&known[1]));
    }
}
