//! The keywords: how many arguments they take, and where they may stand.

use super::{heads, is_gdl_ii, read};
use crate::analysis::clause::{CheckedProgram, Literal};
use crate::analysis::names;
use crate::analysis::report::arguments;
use ludolog_syntax::ast::{Atom, Predicate};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use rustc_hash::FxHashSet;

/// The names that GDL keeps for itself, with their arities.
const KEYWORDS: [(&str, usize); 10] = [
    ("role", 1),
    ("init", 1),
    ("true", 1),
    ("next", 1),
    ("legal", 2),
    ("does", 2),
    ("goal", 2),
    ("terminal", 0),
    ("base", 1),
    ("input", 2),
];

/// The keyword that GDL-II adds. In GDL, a rulesheet may have a relation of this name that its rules read.
const SEES: (&str, usize) = ("sees", 2);

/// The keywords of a game with their arities, of GDL or GDL-II.
pub(in crate::analysis) fn keywords(program: &CheckedProgram) -> impl Iterator<Item = (&'static str, usize)> + Clone {
    KEYWORDS.into_iter().chain(is_gdl_ii(program).then_some(SEES))
}

pub(super) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    check_arities(program, found);
    let is_gdl_ii = is_gdl_ii(program);
    let mut reported = FxHashSet::default();
    // The last argument has the keywords that may be meant.
    let mut report = |atom: &Atom, message: String, label: &str, way_out: &str, meant: &[&str]| {
        if reported.insert(atom.span) || atom.span == Span::NONE {
            let warning = Diagnostic::warning(Code::MisusedKeyword, message).at(atom.span, label).help(way_out);
            let name = atom.predicate.text();
            found.push(meant.iter().fold(warning, |warning, meant| warning.respelled(atom.span, name, *meant)));
        }
    };
    for (head, body) in heads_with_bodies(program) {
        let (way_out, meant): (_, &[&str]) = match head.predicate.written() {
            Some("true") if is(head, ("true", 1)) && body.iter().any(reads_state) => {
                ("say `next` for what holds after the moves", &["next"])
            }
            Some("true") if is(head, ("true", 1)) => {
                ("say `init` for the first state, `next` for later ones", &["init", "next"])
            }
            Some("does") if is(head, ("does", 2)) => ("say `legal` for what a role may do", &["legal"]),
            _ => continue,
        };
        let message = format!("`{}` is given by the game, not by rules", head.predicate);
        report(head, message, "stands in a head", way_out, meant);
    }
    for head in program.rules.iter().map(|rule| &rule.head).filter(|head| is(head, ("role", 1))) {
        report(head, "roles are facts, not rules".to_owned(), "a rule for `role`", "name each role by a fact", &[]);
    }
    for atom in read(program) {
        let (way_out, meant): (_, &[&str]) = match atom.predicate.written() {
            Some("init") if is(atom, ("init", 1)) => {
                ("read the state by `true`, or give what both read a name of its own", &["true"])
            }
            Some("next") if is(atom, ("next", 1)) => ("give what both read a name of its own", &[]),
            Some("sees") if is_gdl_ii && is(atom, SEES) => ("give what both read a name of its own", &[]),
            _ => continue,
        };
        let message = format!("`{}` is for the game to read, not for rules", atom.predicate);
        report(atom, message, "stands in a body", way_out, meant);
    }
}

/// Reports each relation that nothing reads and that is spelled nearly as a keyword of the same arity which heads may have, as
/// `nxt`.
pub(in crate::analysis) fn check_misspelled(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let meant: Vec<Predicate> = KEYWORDS
        .into_iter()
        .chain(is_gdl_ii(program).then_some(SEES))
        .filter(|(name, _)| !matches!(*name, "true" | "does"))
        .map(|(name, arity)| Predicate::new(name, arity))
        .collect();
    let mut known: FxHashSet<Predicate> = read(program).map(Atom::signature).collect();
    known.extend(keywords(program).map(|(name, arity)| Predicate::new(name, arity)));
    let asked = program.goals().flat_map(|goal| &goal.body).filter_map(|literal| literal.atom());
    known.extend(asked.map(Atom::signature));
    for head in heads(program).filter(|head| !head.signature().is_auxiliary()) {
        let of_arity = meant.iter().filter(|keyword| keyword.arity == head.args.len());
        if known.insert(head.signature())
            && let Some(keyword) = names::closest(head.predicate.text(), of_arity)
        {
            let [name, meant] = [&head.predicate, &keyword.name].map(|name| name.text());
            let warning = names::unread_slip(&head.signature(), head.span, meant);
            found.push(warning.respelled(head.span, name, meant));
        }
    }
}

/// All facts and heads of rules with the conditions of each.
pub(super) fn heads_with_bodies(program: &CheckedProgram) -> impl Iterator<Item = (&Atom, &[Literal])> {
    let rules = program.rules.iter().map(|rule| (&rule.head, &rule.body[..]));
    program.facts.iter().map(|fact| (fact, &[][..])).chain(rules)
}

/// Whether a condition reads the state or the moves, which the first state depends on neither of.
pub(super) fn reads_state(condition: &Literal) -> bool {
    condition.atom().is_some_and(|atom| is(atom, ("true", 1)) || is(atom, ("does", 2)))
}

fn is(atom: &Atom, (name, arity): (&str, usize)) -> bool {
    atom.predicate == name && atom.args.len() == arity
}

fn check_arities(program: &CheckedProgram, found: &mut Vec<Diagnostic>) {
    let mut reported = FxHashSet::default();
    let keywords = keywords(program);
    program.for_each_atom(&mut |atom| {
        let keyword = keywords.clone().find(|(name, _)| atom.predicate == *name);
        if let Some((name, arity)) = keyword
            && arity != atom.args.len()
            && reported.insert(atom.signature())
        {
            let given = arguments(atom.args.len());
            let message = format!("GDL's `{name}` takes {}, not {given}", arguments(arity));
            found.push(
                Diagnostic::warning(Code::MisusedKeyword, message)
                    .at(atom.span, format!("{given} here"))
                    .help("give the keyword its arguments, or this relation another name"),
            );
        }
    });
}
