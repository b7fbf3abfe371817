//! Advice for a predicate that nothing defines, by its name: what other languages, GDL and functions name so is written otherwise here.

use ludolog_syntax::ast::{Atom, Comparator, Comparison, Formula, Operation, Range, Term};
use ludolog_syntax::diagnostic::{Diagnostic, Replacement};
use ludolog_syntax::{Syntax, print_formula, print_term, quantifier};

/// The advice for a predicate that is no other one.
const DEFINE_IT: &str = "define it, or correct its name; if its facts come from elsewhere, say so in a comment: \
                         `ludolog: allow unknown-predicate`";

/// The warning with the advice for a condition whose predicate nothing defines, in the syntax that it stands in, and the change where it is one.
pub(super) fn told(warning: Diagnostic, atom: &Atom, syntax: Syntax) -> Diagnostic {
    if let Some((what, meant)) = compared(atom) {
        let meant = print_formula(&meant, syntax);
        return warning.help(format!("{what} `{meant}`")).replacement(atom.span, meant);
    }
    let name = atom.predicate.written().unwrap_or_default();
    if name == "or" && atom.args.len() >= 2 && syntax == Syntax::Datalog {
        let alternatives: Vec<String> = atom.args.iter().map(|arg| print_term(arg, syntax)).collect();
        let meant = format!("({})", alternatives.join(" | "));
        return warning.help(format!("alternatives are written `{meant}`")).replacement(atom.span, meant);
    }
    if matches!(name, "~" | "!" | "\\+") && atom.args.len() == 1 {
        let help = by_syntax(syntax, "a negation is written `~p(X)`", "a negation is written `(not (p ?x))`");
        let negated = Replacement::first(atom.span, name, "not");
        let warning = warning.help(help);
        return if syntax == Syntax::Kif { warning.repair(vec![negated]) } else { warning };
    }
    warning.help(way_out(name, atom.args.len(), syntax))
}

/// The condition that an atom is meant as, if its name is that of a comparison, a range or a function, with what to say of it.
fn compared(atom: &Atom) -> Option<(String, Formula)> {
    let name = atom.predicate.written()?;
    let span = atom.span;
    let comparison = |comparator, left: &Term, right: Term| {
        Formula::Compare(Comparison { comparator, left: left.clone(), right, span })
    };
    Some(match (name, &atom.args[..]) {
        ("distinct" | "!=" | "\\=" | "/=" | "<>" | "neq", [left, right]) => {
            ("different terms are written".to_owned(), comparison(Comparator::NotEqual, left, right.clone()))
        }
        ("==" | "eq", [left, right]) => {
            ("equal terms are written".to_owned(), comparison(Comparator::Equal, left, right.clone()))
        }
        ("between", [from, to, element]) => {
            let [element, from, to] = [element, from, to].map(Term::clone);
            let range = Formula::Range(Range { element, from, to, span });
            ("this is of Prolog: an integer of a range is written".to_owned(), range)
        }
        ("plus", [left, right, value]) => {
            let sum = Term::compound("+", vec![left.clone(), right.clone()]);
            ("this is of Prolog: a sum is written".to_owned(), comparison(Comparator::Is, value, sum))
        }
        ("succ", [before, value]) => {
            let sum = Term::compound("+", vec![before.clone(), Term::Integer(1)]);
            ("this is of Prolog: the next integer is".to_owned(), comparison(Comparator::Is, value, sum))
        }
        // A function has arguments, and what is behind them is its value.
        (_, [arguments @ .., value]) if Operation::of(name, arguments.len()).is_some() && !arguments.is_empty() => {
            let call = comparison(Comparator::Is, value, Term::compound(name, arguments.to_vec()));
            (format!("`{name}` is a function, whose value is"), call)
        }
        _ => return None,
    })
}

fn by_syntax(syntax: Syntax, datalog: &'static str, kif: &'static str) -> &'static str {
    match syntax {
        Syntax::Datalog => datalog,
        Syntax::Kif => kif,
    }
}

/// The advice for a name that is no slip, with a number of arguments.
fn way_out(name: &str, arity: usize, syntax: Syntax) -> &'static str {
    let either = |datalog, kif| by_syntax(syntax, datalog, kif);
    match (name, arity) {
        ("forall" | "exists", _) if syntax == Syntax::Datalog => quantifier(name).unwrap_or(DEFINE_IT),
        ("forall", _) => {
            "\"for all\" is \"not one without\", as in `(not (exception ?x))` with \
             `(<= (exception ?x) (q ?x ?y) (not (good ?y)))`"
        }
        ("exists", _) => "conditions hold if there is such a thing: they stand alone, as `(q ?x ?y)`",
        ("true", 0) => "what always holds needs no condition: leave it out",
        ("choice", 2..) => either(
            "a choice is written with a semicolon: `choice(X; Y)`",
            "a choice is written with two templates: `(choice (: ?x) (: ?y))`",
        ),
        ("findall" | "bagof" | "setof" | "aggregate_all", _) => either(
            "this is of Prolog: an aggregate is written `N = count { X : p(X) }`, or with `sum`, `min` or `max`",
            "this is of Prolog: an aggregate is written `(= ?n (count (: ?x) (p ?x)))`, or with `sum`, `min` or `max`",
        ),
        ("count" | "sum" | "min" | "max" | "avg", _) => either(
            "an aggregate is written `N = count { X : p(X) }`",
            "an aggregate is written `(= ?n (count (: ?x) (p ?x)))`",
        ),
        ("once", 1) => "this is of Prolog: facts have no order and are found once, so that the condition stands alone",
        ("assert" | "asserta" | "assertz" | "retract" | "retractall", 1) => either(
            "this is of Prolog: facts change by transition rules, `event & conditions ==> effects`",
            "this is of Prolog: facts change by transition rules, `(==> (and event condition …) (and effect …))`",
        ),
        ("write" | "writeln" | "print" | "format" | "nl", _) => "this is of Prolog: queries print their answers",
        ("memberchk", 2) => either(
            "this is of Prolog: an element of a list is written `member(X, [a, b])`",
            "this is of Prolog: an element of a list is written `(member ?x ?list)`",
        ),
        ("atom_length" | "string_length", 2) => either(
            "this is of Prolog: the number of characters is `N is length(S)`",
            "this is of Prolog: the number of characters is `(is ?n (length ?s))`",
        ),
        ("atom_concat" | "string_concat", 3) => either(
            "this is of Prolog: symbols are joined by `Z is cat(X, Y)`",
            "this is of Prolog: symbols are joined by `(is ?z (cat ?x ?y))`",
        ),
        ("atom_number" | "number_codes", 2) => either(
            "this is of Prolog: the number that a symbol spells is `N is to_number(S)`",
            "this is of Prolog: the number that a symbol spells is `(is ?n (to_number ?s))`",
        ),
        ("atom" | "atomic" | "ground" | "integer" | "is_list" | "nonvar" | "number" | "var", 1) => either(
            "this is of Prolog: variables have values wherever a rule holds, and the types of a predicate are declared: \
             `:- type(age, symbol, integer).`",
            "this is of Prolog: variables have values wherever a rule holds, and the types of a predicate are declared: \
             `(type \"age\" \"symbol\" \"integer\")`",
        ),
        _ if Operation::of(name, arity).is_some() => either(
            "this is a function, which is computed in a comparison, as in `N is length(S)`",
            "this is a function, which is computed in a comparison, as in `(is ?n (length ?s))`",
        ),
        _ => DEFINE_IT,
    }
}
