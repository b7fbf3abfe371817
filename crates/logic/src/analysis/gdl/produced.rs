//! State facts, moves and roles that nothing produces, or that come with two arities.
//!
//! State facts are produced by `init` and `next` and read by `true`, moves are produced by `legal` and read by `does`;
//! `base` and `input` list them. What counts is the outermost functor, with its arity: `cell/3` in `(true (cell 1 1
//! b))`.

use super::{heads_of, hides, read, roles};
use crate::analysis::clause::{CheckedProgram, Clause, Literal};
use crate::analysis::names;
use crate::analysis::report::arguments;
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Name, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// A keyword with the position of its argument that is a state fact, or a move.
type KeywordArgument = (&'static str, usize, usize);

/// The names of the functors of one kind, and their places.
struct FunctorKind {
    name: &'static str,
    produced: &'static [KeywordArgument],
    listed: KeywordArgument,
    read: KeywordArgument,
    way_out: &'static str,
}

const KINDS: [FunctorKind; 2] = [
    FunctorKind {
        name: "state fact",
        produced: &[("init", 1, 0), ("next", 1, 0), ("true", 1, 0)],
        listed: ("base", 1, 0),
        read: ("true", 1, 0),
        way_out: "produce it by `init` or `next`, or correct its name",
    },
    FunctorKind {
        name: "move",
        produced: &[("legal", 2, 1), ("does", 2, 1)],
        listed: ("input", 2, 1),
        read: ("does", 2, 1),
        way_out: "produce it by `legal`, or correct its name",
    },
];

/// The outermost part of a state fact or move. `(noop)` and `noop` are two.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct OuterFunctor {
    pub(super) predicate: Predicate,
    is_constant: bool,
}

impl OuterFunctor {
    /// `None` for a variable.
    pub(super) fn of(term: &Term) -> Option<OuterFunctor> {
        let (name, arity, is_constant): (Name, _, _) = match term {
            Term::Variable(_) => return None,
            Term::Integer(n) => (n.to_string().into(), 0, true),
            Term::Float(float) => (float.to_string().into(), 0, true),
            Term::Symbol(name) => (name.clone(), 0, true),
            Term::Compound(name, args) => (name.clone(), args.len(), false),
        };
        Some(OuterFunctor { predicate: Predicate::new(name, arity), is_constant })
    }

    /// Its written form in `.kif`, without its arguments.
    fn spelled(&self) -> String {
        if self.predicate.arity == 0 && !self.is_constant {
            format!("({})", self.predicate.name)
        } else {
            self.predicate.name.to_string()
        }
    }

    /// Its written form in a message.
    pub(super) fn text(&self) -> String {
        format!("`{}`", self.spelled())
    }

    /// The difference from another functor of the same name.
    fn difference(&self, other: &OuterFunctor) -> String {
        match (self.predicate.arity == other.predicate.arity, self.is_constant) {
            (true, true) => "no parentheses".to_owned(),
            (true, false) => "parentheses".to_owned(),
            (false, _) => arguments(self.predicate.arity),
        }
    }
}

/// Reports each name once. Returns the places of the literals that read what nothing produces.
pub(in crate::analysis) fn check(program: &CheckedProgram, found: &mut Vec<Diagnostic>) -> FxHashSet<Span> {
    let mut never = FxHashSet::default();
    KINDS.iter().for_each(|kind| check_kind(program, kind, &mut never, found));
    check_roles(program, &mut never, found);
    never
}

/// The first of these state facts that no `init` and no `next` of a program has, by name and number of arguments; `None` also where a rule may
/// produce any.
pub fn unproduced<'f>(program: &CheckedProgram, facts: &'f [Term]) -> Option<&'f Term> {
    let [kind, _] = &KINDS;
    if program.rules.iter().any(|rule| produces_any(rule, kind)) {
        return None;
    }
    let heads = kind.produced.iter().flat_map(|place| heads_at(program, *place));
    let produced: FxHashSet<OuterFunctor> = heads.filter_map(|(_, arg)| OuterFunctor::of(arg)).collect();
    facts.iter().find(|fact| OuterFunctor::of(fact).is_some_and(|functor| !produced.contains(&functor)))
}

fn check_kind(program: &CheckedProgram, kind: &FunctorKind, never: &mut FxHashSet<Span>, found: &mut Vec<Diagnostic>) {
    let mut produced: IndexMap<OuterFunctor, Span, FxBuildHasher> = IndexMap::default();
    for (head, arg) in kind.produced.iter().flat_map(|place| heads_at(program, *place)) {
        if let Some(functor) = OuterFunctor::of(arg) {
            produced.entry(functor).or_insert(head.span);
        }
    }
    let any_is_produced = program.rules.iter().any(|rule| produces_any(rule, kind));
    // The first use of each name, and the names and arities reported.
    let mut first: FxHashMap<_, (OuterFunctor, Span)> = FxHashMap::default();
    let mut reported = FxHashSet::default();
    let uses = produced.iter().map(|(functor, span)| (functor.clone(), *span, false));
    let listed =
        heads_at(program, kind.listed).filter_map(|(atom, arg)| Some((OuterFunctor::of(arg)?, atom.span, false)));
    let reads = read(program).filter_map(|atom| argument_at(atom, kind.read));
    let reads = reads.filter_map(|(atom, arg)| Some((OuterFunctor::of(arg)?, atom.span, true)));
    for (functor, span, is_read) in uses.chain(listed).chain(reads) {
        let (known, known_at) = first.entry(functor.predicate.name.clone()).or_insert((functor.clone(), span)).clone();
        let is_missing = is_read && !any_is_produced && !produced.contains_key(&functor);
        if is_missing {
            never.insert(span);
        }
        if (known == functor && !is_missing) || !reported.insert(functor.clone()) {
            continue;
        }
        let name = kind.name;
        if known != functor {
            let here = functor.difference(&known);
            let elsewhere = known.difference(&functor);
            let message = format!("the {name} {} has {here} here, but {elsewhere} elsewhere", functor.text());
            let warning = Diagnostic::warning(Code::ArityMismatch, message)
                .at(span, format!("with {here}"))
                .at(known_at, format!("with {elsewhere}"))
                .help("write both in the same way, or give one of them another name");
            let differs_by_parentheses = known.predicate.arity == functor.predicate.arity;
            found.push(if differs_by_parentheses {
                warning.respelled(span, functor.spelled(), known.spelled())
            } else {
                warning
            });
            continue;
        }
        let among = produced.keys().filter(|other| other.predicate.arity == functor.predicate.arity);
        let meant = names::closest(functor.predicate.name.text(), among.map(|functor| &functor.predicate));
        let warning = Diagnostic::warning(Code::UnknownName, format!("nothing produces the {name} {}", functor.text()))
            .at(span, format!("no such {name} comes up"))
            .missing(functor.predicate.name.text());
        found.push(match meant {
            Some(meant) => warning.help(format!("did you mean `{}`?", meant.name)).respelled(
                span,
                functor.predicate.name.text(),
                meant.name.text(),
            ),
            None => warning.help(kind.way_out),
        });
    }
}

/// Whether a rule may produce anything: its head has a variable for a state fact or move, and no condition says that
/// there is such a one already.
fn produces_any(rule: &Clause, kind: &FunctorKind) -> bool {
    let variable = kind.produced.iter().find_map(|place| argument_at(&rule.head, *place)).map(|(_, arg)| arg);
    let Some(variable @ Term::Variable(_)) = variable else { return false };
    !rule.body.iter().any(|literal| match literal {
        Literal::Positive(atom) => argument_at(atom, kind.read).is_some_and(|(_, arg)| arg == variable),
        _ => false,
    })
}

/// Reports constants in the place of a role that are none, if all roles are facts. Of two spellings the one that is used less often is the slip.
fn check_roles(program: &CheckedProgram, never: &mut FxHashSet<Span>, found: &mut Vec<Diagnostic>) {
    let known: FxHashSet<&Term> = roles(program).map(|role| &role.args[0]).collect();
    if program.rules.iter().any(|rule| rule.head.predicate == "role") {
        return;
    }
    let heads = ["legal", "goal", "input"]
        .into_iter()
        .chain(hides(program).then_some("sees"))
        .flat_map(|name| heads_of(program, name, 2));
    let reads = read(program).filter(|atom| {
        matches!((atom.predicate.written(), atom.args.len()), (Some("does" | "legal" | "goal"), 2) | (Some("role"), 1))
    });
    let mut uses: IndexMap<&Term, Vec<Span>, FxBuildHasher> = IndexMap::default();
    for (atom, is_read) in heads.map(|atom| (atom, false)).chain(reads.map(|atom| (atom, true))) {
        let role = &atom.args[0];
        if role.is_ground() {
            uses.entry(role).or_default().push(atom.span);
        }
        if is_read && role.is_ground() && !known.contains(role) {
            never.insert(atom.span);
        }
    }
    for (role, places) in uses.iter().filter(|(role, _)| !known.contains(*role)) {
        let declared = declared_nearly(program, role);
        let uses_of_declared = declared.and_then(|fact| uses.get(&fact.args[0])).map_or(0, Vec::len);
        let is_declared_wrong = places.len() > 1 && places.len() > uses_of_declared;
        let [text, declared_text] = [Some(*role), declared.map(|fact| &fact.args[0])]
            .map(|role| role.map_or_else(String::new, |role| print_term(role, Syntax::Kif)));
        let warning = Diagnostic::warning(Code::UnknownName, format!("`{text}` is no role")).missing(&*text);
        found.push(match declared {
            Some(fact) if is_declared_wrong => warning
                .at(fact.span, format!("a role that is spelled nearly so, and used {}", times(uses_of_declared)))
                .at(places[0], format!("used {}", times(places.len())))
                .help(format!("did you mean `{text}` where the role is named?"))
                .respelled(fact.span, declared_text, text),
            Some(_) => warning
                .at(places[0], "a role stands here")
                .help(format!("did you mean `{declared_text}`?"))
                .respelled(places[0], text, declared_text),
            None => warning.at(places[0], "a role stands here").help("name it by `role`, or correct its name"),
        });
    }
}

/// The fact of the role whose name is nearly this one.
fn declared_nearly<'p>(program: &'p CheckedProgram, role: &Term) -> Option<&'p Atom> {
    let name = |role: &Term| OuterFunctor::of(role).map(|functor| functor.predicate);
    let known: Vec<Predicate> = roles(program).filter_map(|fact| name(&fact.args[0])).collect();
    let meant = names::closest(name(role)?.name.text(), known.iter())?;
    roles(program).find(|fact| name(&fact.args[0]).as_ref() == Some(meant))
}

/// A number of times, in words.
fn times(count: usize) -> String {
    match count {
        0 => "nowhere else".to_owned(),
        1 => "once".to_owned(),
        _ => format!("{count} times"),
    }
}

/// The facts and heads of a keyword with the argument at its place.
fn heads_at(program: &CheckedProgram, place: KeywordArgument) -> impl Iterator<Item = (&Atom, &Term)> {
    heads_of(program, place.0, place.1).filter_map(move |atom| argument_at(atom, place))
}

/// The argument of an atom at a place; `None` if the atom is of another predicate.
fn argument_at(atom: &Atom, (name, arity, position): KeywordArgument) -> Option<(&Atom, &Term)> {
    (atom.predicate == name && atom.args.len() == arity).then(|| (atom, &atom.args[position]))
}
