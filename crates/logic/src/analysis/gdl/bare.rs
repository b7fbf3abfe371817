//! Words of a game that lack another one: state facts without `true`, `next` or `init`, as `(cell 1 1 b)` for `(true (cell 1 1 b))`, and keywords
//! that run into what follows, as `(goalred 100)` for `(goal red 100)`.

use super::keywords::{heads_with_bodies, keywords, reads_state};
use super::produced::OuterFunctor;
use super::{heads_of, read, roles};
use crate::analysis::clause::{CheckedProgram, Literal};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Replacement, Span};
use ludolog_syntax::{Syntax, print_atom};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// The functors of state facts, and the roles.
pub(in crate::analysis) struct BareWords {
    states: FxHashSet<Predicate>,
    roles: FxHashSet<Box<str>>,
}

impl BareWords {
    /// Those of a game.
    pub(in crate::analysis) fn of(program: &CheckedProgram) -> BareWords {
        let produced = ["init", "next"].into_iter().flat_map(|name| heads_of(program, name, 1));
        let is_read = |atom: &&Atom| atom.predicate == "true" && atom.args.len() == 1;
        let states = produced.chain(read(program).filter(is_read)).filter_map(|atom| OuterFunctor::of(&atom.args[0]));
        let named = roles(program).filter_map(|role| OuterFunctor::of(&role.args[0]));
        BareWords {
            states: states.map(|functor| functor.predicate).collect(),
            roles: named.map(|functor| functor.predicate.name.text().into()).collect(),
        }
    }

    /// The advice for a condition whose predicate nothing defines, with the change that it is; `None` if it is about no word of a game.
    pub(in crate::analysis) fn advice(&self, atom: &Atom, syntax: Syntax) -> Option<(String, Vec<Replacement>)> {
        if self.states.contains(&atom.signature()) {
            let meant = print_atom(&within("true", atom), syntax);
            let help = format!("`{}` is a fact of the state: write `{meant}`", atom.predicate);
            return Some((help, wrapped("true", atom.span, syntax)));
        }
        let predicate = atom.signature();
        let (keyword, rest) = self.joined(&predicate)?;
        let meant = format!("{keyword} {rest}");
        Some((apart(keyword, rest), vec![Replacement::first(atom.span, atom.predicate.text(), meant)]))
    }

    /// The keyword that a name begins with and what follows it, if that is a role or a variable, and the keyword lacks one argument.
    fn joined<'p>(&self, predicate: &'p Predicate) -> Option<(&'static str, &'p str)> {
        let name = predicate.name.written()?;
        let keywords = [("role", 1), ("goal", 2), ("legal", 2), ("does", 2)];
        let of_arity = keywords.into_iter().filter(|(_, arity)| *arity == predicate.arity + 1);
        let mut split = of_arity.filter_map(|(keyword, _)| Some((keyword, name.strip_prefix(keyword)?)));
        split.find(|(_, rest)| self.roles.contains(*rest) || rest.len() > 1 && rest.starts_with('?'))
    }
}

/// Reports each predicate that nothing reads, if it is a functor of state facts too, or a keyword that runs into a role.
pub(in crate::analysis) fn check(
    program: &CheckedProgram,
    words: &BareWords,
    syntax_at: impl Fn(Span) -> Syntax,
    found: &mut Vec<Diagnostic>,
) {
    let asked = program.goals().flat_map(|goal| &goal.body).filter_map(Literal::atom);
    let mut known: FxHashSet<Predicate> = read(program).chain(asked).map(Atom::signature).collect();
    known.extend(keywords(program).map(|(name, arity)| Predicate::new(name, arity)));
    let mut bare: IndexMap<Predicate, Vec<(&Atom, &[Literal])>, FxBuildHasher> = IndexMap::default();
    for (head, body) in heads_with_bodies(program).filter(|(head, _)| !known.contains(&head.signature())) {
        bare.entry(head.signature()).or_default().push((head, body));
    }
    for (predicate, heads) in &bare {
        let first = heads[0].0;
        let syntax = syntax_at(first.span);
        let unread = |code, message| Diagnostic::warning(code, message).missing(predicate.name.text());
        if words.states.contains(predicate) {
            let keyword = |(_, body): &(&Atom, &[Literal])| if body.iter().any(reads_state) { "next" } else { "init" };
            let message = format!("nothing reads `{predicate}`, which is a fact of the state elsewhere");
            let meant = print_atom(&within(keyword(&heads[0]), first), syntax);
            let all = heads.iter().flat_map(|one| wrapped(keyword(one), one.0.span, syntax)).collect();
            let warning = unread(Code::UnknownName, message).at(first.span, "this has no effect");
            found.push(warning.help(format!("did you mean `{meant}`?")).repair(all));
        } else if let Some((keyword, rest)) = words.joined(predicate) {
            let name = predicate.name.text();
            let all = heads.iter().map(|(head, _)| Replacement::first(head.span, name, format!("{keyword} {rest}")));
            let warning = unread(Code::UnknownName, format!("nothing reads `{predicate}`"));
            found.push(warning.at(first.span, "this has no effect").help(apart(keyword, rest)).repair(all.collect()));
        }
    }
}

/// The advice for two words that stand as one.
fn apart(keyword: &str, rest: &str) -> String {
    let more = if keyword == "role" { "" } else { " …" };
    format!("did you mean `({keyword} {rest}{more})`, with a blank between the words?")
}

/// The atom of a keyword about a state fact that stands as an atom.
fn within(keyword: &str, atom: &Atom) -> Atom {
    let name = atom.predicate.text();
    let fact = if atom.args.is_empty() { Term::symbol(name) } else { Term::compound(name, atom.args.clone()) };
    Atom::new(keyword, vec![fact])
}

/// The change that puts a keyword around what stands at a place.
fn wrapped(keyword: &str, place: Span, syntax: Syntax) -> Vec<Replacement> {
    let open = match syntax {
        Syntax::Kif => format!("({keyword} "),
        Syntax::Datalog => format!("{keyword}("),
    };
    vec![Replacement::new(place.before(), open), Replacement::new(place.behind(), ")")]
}
