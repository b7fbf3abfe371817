//! *Closure*: recognizes predicates that are a transitive closure, for the engine to run as one.
//!
//! A predicate `p` is a closure when its recursive rules all go on at the same end:
//!
//! ```text
//! p(C.., X.., Y) :- …base….
//! p(C.., X.., Z) :- p(C.., X.., Y) & …step from Y to Z, in which no X occurs….
//! ```
//!
//! `X..` are the anchors, one at least, `Y` and `Z` are the frontier, `C..` the context that all steps share; they may stand in any
//! columns. Of several anchors a step knows nothing: it has two columns besides the context. A body that joins some of them and leaves others
//! free reads the rows of an index faster than sources of a closure, and a copy with columns in another order takes as long as the rules: there the
//! predicate stays as it is. A recursion that goes on at the other end (`p(X, Z) :- e(X, Y) & p(Y, Z)`) is the same with anchor and
//! frontier changed over, and `p(X, Z) :- p(X, Y) & p(Y, Z)` is the closure whose step is its base. With the rule `p(X,
//! Y) :- p(Y, X)` besides, the step goes both ways: an equivalence. Where step and base are no single predicates of the
//! right columns, `p@step` and `p@base` are made for them; where the columns of `p` stand in another order, `p@closure`
//! is the closure and `p` is defined by it. The rewritten rules mean the same to an engine that runs them as rules.
//!
//! Recognizing costs one look at each rule. A recursion in whose step all columns occur
//! (`reach(P, Y) :- reach(P, X) & touches(P, X, Y)`) has no anchor: it costs linear time as it is and stays.

use super::binding;
use super::change::{ProgramChange, ProgramPart};
use super::pass::{Pass, PassContext, PassProgram, PassReport};
use super::program::Closure;
use crate::analysis::body::Body;
use crate::analysis::clause::{Clause, Literal, mentions};
use indexmap::IndexMap;
use ludolog_syntax::ast::{Atom, Name, Predicate, PredicateName, Purpose, Term};
use ludolog_syntax::budget::Stopped;
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// The pass. It pays whenever a closure is recognized, for the engine that can run one. It closes the closures, which
/// are not told of facts of their own that come later; base and step stay open.
pub struct Closures;

impl Pass for Closures {
    fn name(&self) -> &'static str {
        "closure"
    }

    fn run(&self, work: &mut PassProgram, context: &PassContext) -> Result<PassReport, Stopped> {
        let mut report = PassReport::default();
        if !context.cost_model.closures {
            return Ok(report.note(&format!("{} runs a closure as any other rules", context.cost_model.name)));
        }
        let program = &work.program.stratified.program;
        let by_head = program.rules_by_head();
        let mut facts_of: FxHashMap<Predicate, Vec<&Atom>> = FxHashMap::default();
        for fact in program.facts.iter().filter(|fact| by_head.contains_key(&fact.signature())) {
            facts_of.entry(fact.signature()).or_default().push(fact);
        }
        let selective = work.program.stratified.selective();
        // These are read row by row.
        let kept: FxHashSet<Predicate> = program.three_valued.derivations().flat_map(|(_, read)| read).collect();
        let mut recognized: IndexMap<Predicate, Recognized, FxBuildHasher> = IndexMap::default();
        for component in &work.program.stratified.strata {
            context.budget.check()?;
            if let [predicate] = &component[..]
                && !context.inputs.predicates.contains(predicate)
                && !kept.contains(predicate)
                && !selective.contains(predicate)
                && let Some(rules) = by_head.get(predicate)
            {
                let facts = facts_of.get(predicate).map_or(&[][..], Vec::as_slice);
                let known = recognized.values().map(|found| &found.closure).chain(&work.program.closures);
                let known = KnownClosures {
                    closures: known.map(|closure| (&closure.predicate, closure)).collect(),
                    selective: &selective,
                };
                let found = recognize(predicate, rules, facts, &known);
                let found = found.filter(|found| found.anchors.len() == 1 || pays_with_anchors(found, predicate, work));
                recognized.extend(found.map(|found| (predicate.clone(), found)));
            }
        }
        let program = &mut work.program.stratified.program;
        let mut old: FxHashMap<Predicate, Vec<Clause>> = FxHashMap::default();
        let is_old = |rule: &mut Clause| recognized.contains_key(&rule.head.signature());
        for rule in program.rules.extract_if(.., is_old) {
            old.entry(rule.head.signature()).or_default().push(rule);
        }
        program.facts.retain(|fact| !recognized.contains_key(&fact.signature()));
        for (predicate, found) in recognized {
            let made = found.rules.iter().map(|rule| rule.head.signature());
            work.program.closed.extend(made);
            program.facts.extend(found.facts);
            program.rules.extend(found.rules.iter().cloned());
            let Closure { predicate: closure, base, step } = &found.closure;
            let reason = Some(format!("`{closure}` is the closure of `{base}` under `{step}`"));
            let before = ProgramPart::rules(old.remove(&predicate).unwrap_or_default());
            work.program.closed.insert(predicate);
            report.changes.push(ProgramChange { before, after: ProgramPart::rules(found.rules), reason });
            work.program.closures.push(found.closure);
        }
        work.restratify()?;
        Ok(report)
    }

    fn run_if_it_pays(&self, work: &mut PassProgram, context: &PassContext) -> Result<Option<PassReport>, Stopped> {
        if context.cost_model.closures { self.run(work, context).map(Some) } else { Ok(None) }
    }
}

/// A closure found, with the rules and facts that take the place of the predicate's own.
#[derive(Debug)]
struct Recognized {
    /// The closure.
    pub closure: Closure,
    /// The rules that take the place of the predicate's own.
    pub rules: Vec<Clause>,
    /// Facts under the name of the base, if there were facts of the predicate.
    pub facts: Vec<Atom>,
    /// The columns of the predicate that no step knows of.
    pub anchors: Vec<usize>,
}

/// The predicates that are no base and no step.
struct KnownClosures<'c> {
    /// The closures that are known already, of which an engine has no rows.
    closures: FxHashMap<&'c Predicate, &'c Closure>,
    /// Predicates whose rows may be replaced.
    selective: &'c FxHashSet<Predicate>,
}

impl KnownClosures<'_> {
    /// The base that this predicate is; `None` if a base has to be made.
    fn as_base(&self, predicate: Predicate) -> Option<Predicate> {
        (!self.closures.contains_key(&predicate) && !self.selective.contains(&predicate)).then_some(predicate)
    }

    /// The step that this predicate is, or that leads to the same; `None` if a step has to be made.
    fn as_step(&self, predicate: Predicate) -> Option<Predicate> {
        match self.closures.get(&predicate) {
            Some(closure) => (closure.base == closure.step).then(|| closure.step.clone()),
            None => self.as_base(predicate),
        }
    }
}

/// Whether several anchors are expected to pay: the columns stand in order, and no body joins some anchors, or has their values, and leaves others
/// free.
fn pays_with_anchors(found: &Recognized, predicate: &Predicate, work: &PassProgram) -> bool {
    if found.closure.predicate != *predicate {
        return false;
    }
    let program = &work.program.stratified.program;
    let is_read = |literal: &Literal| literal.atom().is_some_and(|atom| atom.signature() == *predicate);
    program.bodies().chain(work.goal.iter().map(|goal| &goal.body[..])).all(|body| {
        (0..body.len()).filter(|&place| is_read(&body[place])).all(|place| {
            let joined = found.anchors.iter().filter(|&&column| is_joined(body, place, column)).count();
            joined == 0 || joined == found.anchors.len()
        })
    })
}

/// Whether an argument of a literal is no variable, or one that another literal has in its atom.
fn is_joined(body: &[Literal], place: usize, column: usize) -> bool {
    let Some(Term::Variable(name)) = body[place].atom().map(|atom| &atom.args[column]) else { return true };
    let others = body.iter().enumerate().filter(|(other, _)| *other != place);
    let mut args = others.filter_map(|(_, literal)| literal.atom()).flat_map(|atom| &atom.args);
    args.any(|arg| mentions(arg, name))
}

/// The step by which a recursion goes on.
struct Recursion {
    ends: ClosureEnds,
    step: StepRelation,
}

/// The columns of a closure that are no context.
#[derive(Clone, PartialEq, Eq)]
struct ClosureEnds {
    anchors: Vec<usize>,
    frontier: usize,
}

impl ClosureEnds {
    /// Both columns, the lower one first, if one stays.
    fn unordered(&self) -> Option<(usize, usize)> {
        let [anchor] = self.anchors[..] else { return None };
        Some((anchor.min(self.frontier), anchor.max(self.frontier)))
    }

    /// The columns of a predicate as the closure has them: context, anchors, frontier.
    fn order(&self, arity: usize) -> Vec<usize> {
        let others = (0..arity).filter(|column| *column != self.frontier && !self.anchors.contains(column));
        others.chain(self.anchors.iter().copied()).chain([self.frontier]).collect()
    }

    /// The columns that a step has, in the same order.
    fn order_of_step(&self, arity: usize) -> Vec<usize> {
        self.order(arity).into_iter().filter(|column| !self.anchors[1..].contains(column)).collect()
    }
}

/// A relation between two nodes in a context, as a body over terms for the columns of the predicate: the node that it
/// leads from in the first anchor's column, the one that it leads to in the frontier's. What stands for other anchors means nothing.
struct StepRelation {
    columns: Vec<Term>,
    body: Body,
}

/// What the rules of a closure say.
struct ClosureParts {
    ends: ClosureEnds,
    exits: Vec<StepRelation>,
    steps: Vec<StepRelation>,
    /// Whether the base is a step, too.
    steps_by_base: bool,
    /// Whether a step goes both ways.
    both_ways: bool,
}

/// Whether a predicate with these rules and facts, which is alone in its component, is a closure.
fn recognize(predicate: &Predicate, rules: &[&Clause], facts: &[&Atom], known: &KnownClosures) -> Option<Recognized> {
    let calls = |rule: &Clause| -> Vec<Atom> {
        let atoms = rule.body.iter().filter_map(Literal::atom);
        atoms.filter(|atom| atom.signature() == *predicate).cloned().collect()
    };
    let mut exits: Vec<StepRelation> = Vec::new();
    let mut steps: Vec<Recursion> = Vec::new();
    let mut joins: Vec<(usize, usize)> = Vec::new();
    let mut swaps: Vec<(usize, usize)> = Vec::new();
    for rule in rules {
        let head = distinct_variables(&rule.head);
        match &calls(rule)[..] {
            [] => exits.push(StepRelation { columns: rule.head.args.clone(), body: rule.body.clone() }),
            [call] if rule.body.len() == 1 => swaps.push(swap(&head?, &distinct_variables(call)?)?),
            [call] => steps.push(step(rule, &head?, &distinct_variables(call)?)?),
            [left, right] if rule.body.len() == 2 => {
                joins.push(join(&head?, &distinct_variables(left)?, &distinct_variables(right)?)?);
            }
            _ => return None,
        }
    }
    // A recursion that goes on by the base itself goes either way, like a join.
    let is_base = |edge: &StepRelation| facts.is_empty() && exits.len() == 1 && renamed(edge) == renamed(&exits[0]);
    if let [recursion] = &steps[..]
        && is_base(&recursion.step)
    {
        joins.push(recursion.ends.unordered()?);
        if !swaps.is_empty() && joins.len() == 1 {
            return None;
        }
        steps.clear();
    }
    let ends = match (steps.first(), joins.first()) {
        (Some(recursion), _) => recursion.ends.clone(),
        (None, Some(&(anchor, frontier))) => ClosureEnds { anchors: vec![anchor], frontier },
        (None, None) => return None,
    };
    let same_ends = steps.iter().all(|recursion| recursion.ends == ends)
        && joins.iter().chain(&swaps).all(|&other| ends.unordered() == Some(other));
    // A swap makes an equivalence only of what a join closes in both directions.
    if !same_ends
        || (exits.is_empty() && facts.is_empty())
        || (!swaps.is_empty() && (joins.is_empty() || !steps.is_empty()))
    {
        return None;
    }
    let steps = steps.into_iter().map(|recursion| recursion.step).collect();
    let parts = ClosureParts { ends, exits, steps, steps_by_base: !joins.is_empty(), both_ways: !swaps.is_empty() };
    Some(build(predicate, parts, facts, known))
}

/// The variables of an atom that has nothing else, each once.
fn distinct_variables(atom: &Atom) -> Option<Vec<&Name>> {
    let mut names = Vec::new();
    for arg in &atom.args {
        match arg {
            Term::Variable(name) if !names.contains(&name) => names.push(name),
            _ => return None,
        }
    }
    Some(names)
}

/// The two columns that `p(.., X, .., Y, ..) :- p(.., Y, .., X, ..)` swaps, the lower one first.
fn swap(head: &[&Name], call: &[&Name]) -> Option<(usize, usize)> {
    let different: Vec<usize> = (0..head.len()).filter(|&i| head[i] != call[i]).collect();
    match different[..] {
        [a, b] if head[a] == call[b] && head[b] == call[a] => Some((a, b)),
        _ => None,
    }
}

/// Anchor and frontier, the lower one first, of `p(C.., X, Z) :- p(C.., X, Y) & p(C.., Y, Z)`.
fn join(head: &[&Name], left: &[&Name], right: &[&Name]) -> Option<(usize, usize)> {
    let ends: Vec<usize> = (0..head.len()).filter(|&i| !(head[i] == left[i] && left[i] == right[i])).collect();
    let [a, b] = ends[..] else { return None };
    let chains = |first: &[&Name], second: &[&Name]| {
        head[a] == first[a] && first[b] == second[a] && second[b] == head[b] && !head.contains(&first[b])
    };
    (chains(left, right) || chains(right, left)).then_some((a, b))
}

/// `p(C.., X.., Z) :- p(C.., X.., Y) & …` with anchors `X..` that the rest does not mention.
fn step(rule: &Clause, head: &[&Name], call: &[&Name]) -> Option<Recursion> {
    let different: Vec<usize> = (0..head.len()).filter(|&i| head[i] != call[i]).collect();
    let [frontier] = different[..] else { return None };
    if head.contains(&call[frontier]) {
        return None;
    }
    let is_call =
        |literal: &Literal| matches!(literal, Literal::Positive(atom) if atom.signature() == rule.head.signature());
    let body: Body = rule.body.iter().filter(|literal| !is_call(literal)).cloned().collect();
    let positive = body.iter().filter(|literal| matches!(literal, Literal::Positive(_)));
    let mut bound: Vec<Name> = Vec::new();
    positive.for_each(|literal| literal.for_each_variable(&mut |name| bound.push(name.clone())));
    let mut mentioned: Vec<Name> = Vec::new();
    body.iter().for_each(|literal| literal.for_each_variable(&mut |name| mentioned.push(name.clone())));
    let anchors: Vec<usize> = (0..head.len()).filter(|&i| i != frontier && !mentioned.contains(head[i])).collect();
    let mut columns: Vec<Term> = rule.head.args.clone();
    columns[*anchors.first()?] = Term::Variable(call[frontier].clone());
    let ends = ClosureEnds { anchors, frontier };
    let of_step: Vec<Term> = ends.order_of_step(head.len()).into_iter().map(|i| columns[i].clone()).collect();
    let is_bound = |term: &Term| matches!(term, Term::Variable(name) if bound.contains(name));
    if !of_step.iter().all(is_bound) || !body.is_safe_for(&of_step) {
        return None;
    }
    Some(Recursion { ends, step: StepRelation { columns, body } })
}

/// An edge with its variables named by their order of occurrence.
fn renamed(edge: &StepRelation) -> (Vec<Term>, Vec<Literal>) {
    fn term(old: &Term, names: &mut FxHashMap<Name, usize>) -> Term {
        match old {
            Term::Variable(name) => {
                let next = names.len();
                Term::variable(&names.entry(name.clone()).or_insert(next).to_string())
            }
            Term::Compound(functor, args) => {
                Term::Compound(functor.clone(), args.iter().map(|arg| term(arg, names)).collect())
            }
            ground => ground.clone(),
        }
    }
    let mut names = FxHashMap::default();
    let columns = edge.columns.iter().map(|column| term(column, &mut names)).collect();
    let mut body = edge.body.to_vec();
    for literal in &mut body {
        binding::terms_mut(literal).for_each(|old| *old = term(old, &mut names));
    }
    (columns, body)
}

/// The canonical rules of a closure.
fn build(predicate: &Predicate, parts: ClosureParts, facts: &[&Atom], known: &KnownClosures) -> Recognized {
    let ClosureParts { ends, exits, steps, steps_by_base, both_ways } = parts;
    let arity = predicate.arity;
    let order = ends.order(arity);
    let of_step = ends.order_of_step(arity);
    let made = |purpose: fn(PredicateName) -> Purpose, arity| Predicate::new(purpose(predicate.name.clone()), arity);
    let is_in_order = order.iter().copied().eq(0..arity);
    let closure = if is_in_order { predicate.clone() } else { made(Purpose::Closure, arity) };
    let mut rules = Vec::new();
    let mut define = |head: &Predicate, args: Vec<Term>, body: Body| {
        rules.push(Clause { head: Atom::new(&head.name, args), body, span: Span::NONE });
    };
    let made_base = made(Purpose::Base, arity);
    let written = as_predicate(&exits, &order).filter(|_| facts.is_empty());
    let mut base = written.and_then(|base| known.as_base(base)).unwrap_or_else(|| made_base.clone());
    if base == made_base {
        exits.into_iter().for_each(|edge| define(&base, chosen(&edge.columns, &order), edge.body));
    }
    let facts: Vec<Atom> = facts.iter().map(|fact| Atom::new(&base.name, chosen(&fact.args, &order))).collect();
    let context: Vec<Term> = (1..of_step.len() - 1).map(|i| Term::variable(&format!("c{i}"))).collect();
    let with = |ends: [&Term; 2]| -> Vec<Term> { context.iter().chain(ends).cloned().collect() };
    let [x, y] = ["x", "y"].map(Term::variable);
    let written = match (steps_by_base, steps.is_empty()) {
        _ if both_ways => None,
        (true, true) => Some(base.clone()),
        (true, false) => None,
        (false, _) => as_predicate(&steps, &of_step).and_then(|step| known.as_step(step)),
    };
    let made_step = made(Purpose::Step, of_step.len());
    let step = written.unwrap_or_else(|| made_step.clone());
    if step == made_step {
        steps.into_iter().for_each(|edge| define(&step, chosen(&edge.columns, &of_step), edge.body));
        if steps_by_base {
            let pair = with([&x, &y]);
            define(&step, pair.clone(), vec![atom_of(&base, pair)].into());
        }
        if both_ways {
            define(&step, with([&x, &y]), vec![atom_of(&base, with([&y, &x]))].into());
            base = step.clone();
        }
    }
    let closure = Closure { predicate: closure, base, step };
    rules.extend(closure.rules());
    if !is_in_order {
        let columns: Vec<Term> = (0..arity).map(|i| Term::variable(&format!("c{i}"))).collect();
        let body = vec![atom_of(&closure.predicate, chosen(&columns, &order))].into();
        rules.push(Clause { head: Atom::new(&predicate.name, columns), body, span: Span::NONE });
    }
    Recognized { closure, rules, facts, anchors: ends.anchors.clone() }
}

/// The terms of some columns.
fn chosen(columns: &[Term], order: &[usize]) -> Vec<Term> {
    order.iter().map(|&i| columns[i].clone()).collect()
}

/// The predicate that a relation is, if it is one atom over these columns.
fn as_predicate(edges: &[StepRelation], order: &[usize]) -> Option<Predicate> {
    let [StepRelation { columns, body }] = edges else { return None };
    let [Literal::Positive(atom)] = &body[..] else { return None };
    let is_same = distinct_variables(atom).is_some() && atom.args == chosen(columns, order);
    is_same.then(|| atom.signature())
}

fn atom_of(predicate: &Predicate, args: Vec<Term>) -> Literal {
    Literal::Positive(Atom::new(&predicate.name, args))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimize::Optimization;
    use crate::optimize::testing::{program, rules_after, text};

    /// The rules of `p` as recognized, with base and step.
    fn recognized(source: &str) -> Option<(Vec<String>, String, String)> {
        let program = program(source).program;
        let rules: Vec<&Clause> = program.rules.iter().filter(|rule| rule.head.predicate == "p").collect();
        let facts: Vec<&Atom> = program.facts.iter().filter(|fact| fact.predicate == "p").collect();
        let selective = FxHashSet::default();
        let known = KnownClosures { closures: FxHashMap::default(), selective: &selective };
        let found = recognize(&rules[0].head.signature(), &rules, &facts, &known)?;
        Some((text(&found.rules), found.closure.base.to_string(), found.closure.step.to_string()))
    }

    fn canonical(base: &str, step: &str) -> Vec<String> {
        vec![format!("p(X, Y) :- {base}(X, Y)."), format!("p(X, Z) :- p(X, Y) & {step}(Y, Z).")]
    }

    #[test]
    fn three_ways_to_say_transitive() {
        for recursion in ["p(X, Y) & e(Y, Z)", "e(X, Y) & p(Y, Z)", "p(X, Y) & p(Y, Z)", "p(Y, Z) & p(X, Y)"] {
            let (rules, base, step) = recognized(&format!("p(A, B) :- e(A, B). p(X, Z) :- {recursion}.")).unwrap();
            assert_eq!((rules, &*base, &*step), (canonical("e", "e"), "e/2", "e/2"), "{recursion}");
        }
    }

    #[test]
    fn hex_groups_have_a_player_as_context() {
        let (rules, base, step) = recognized(
            "p(P, X, X) :- stone(P, X).
             p(P, X, Z) :- p(P, X, Y) & stone(P, Z) & adjacent(Y, Z).",
        )
        .unwrap();
        assert_eq!(
            rules,
            [
                "'p@base'(P, X, X) :- stone(P, X).",
                "'p@step'(P, Y, Z) :- stone(P, Z) & adjacent(Y, Z).",
                "p(C1, X, Y) :- 'p@base'(C1, X, Y).",
                "p(C1, X, Z) :- p(C1, X, Y) & 'p@step'(C1, Y, Z).",
            ]
        );
        assert_eq!((&*base, &*step), ("p@base/3", "p@step/3"));
    }

    #[test]
    fn several_columns_stay() {
        let (rules, base, step) = recognized(
            "p(S, K, X) :- source(S, K, X).
             p(S, K, Y) :- p(S, K, X) & flow(X, Y).",
        )
        .unwrap();
        assert_eq!(rules, ["p(X1, X2, Y) :- source(X1, X2, Y).", "p(X1, X2, Z) :- p(X1, X2, Y) & flow(Y, Z)."]);
        assert_eq!((&*base, &*step), ("source/3", "flow/2"));
        // What a class has it also has from above; the module is a context.
        let (rules, base, step) = recognized(
            "p(C, A, M, V) :- has(C, A, M, V).
             p(C, A, M, V) :- p(D, A, M, V) & extends(M, C, D).",
        )
        .unwrap();
        assert_eq!(
            rules,
            [
                "'p@base'(M, A, V, C) :- has(C, A, M, V).",
                "'p@step'(M, D, C) :- extends(M, C, D).",
                "'p@closure'(C1, X1, X2, Y) :- 'p@base'(C1, X1, X2, Y).",
                "'p@closure'(C1, X1, X2, Z) :- 'p@closure'(C1, X1, X2, Y) & 'p@step'(C1, Y, Z).",
                "p(C0, C1, C2, C3) :- 'p@closure'(C2, C1, C3, C0).",
            ]
        );
        assert_eq!((&*base, &*step), ("p@base/4", "p@step/3"));
    }

    #[test]
    fn a_recursion_at_the_other_end_is_turned_round() {
        let (rules, ..) = recognized("p(X, Y) :- b(X, Y). p(X, Z) :- e(X, Y) & p(Y, Z).").unwrap();
        assert_eq!(
            rules,
            [
                "'p@base'(Y, X) :- b(X, Y).",
                "'p@step'(Y, X) :- e(X, Y).",
                "'p@closure'(X, Y) :- 'p@base'(X, Y).",
                "'p@closure'(X, Z) :- 'p@closure'(X, Y) & 'p@step'(Y, Z).",
                "p(C0, C1) :- 'p@closure'(C1, C0).",
            ]
        );
    }

    #[test]
    fn a_symmetric_transitive_predicate_steps_both_ways() {
        let source = "p(X, Y) :- e(X, Y). p(X, Y) :- p(Y, X). p(X, Z) :- p(X, Y) & p(Y, Z).";
        let (rules, base, step) = recognized(source).unwrap();
        assert_eq!(rules[..2], ["'p@step'(X, Y) :- e(X, Y).", "'p@step'(X, Y) :- e(Y, X)."]);
        assert_eq!((rules[2..].to_vec(), &*base, &*step), (canonical("'p@step'", "'p@step'"), "p@step/2", "p@step/2"));
    }

    /// An engine has no rows of a closure that another one could begin or go on with.
    #[test]
    fn no_closure_is_the_base_or_the_step_of_another() {
        let cases = [
            // What steps of a closure lead to, its own steps lead to.
            ("sc(A, B) & sub(B, C)", "of(X, Y)", "sc(Y, Z)", "r(X, Z) :- r(X, Y) & sub(Y, Z)."),
            ("sc(A, B) & sc(B, C)", "of(X, Y)", "sc(Y, Z)", "r(X, Z) :- r(X, Y) & sub(Y, Z)."),
            ("sc(A, B) & up(B, C)", "of(X, Y)", "sc(Y, Z)", "'r@step'(Y, Z) :- sc(Y, Z)."),
            ("sc(A, B) & sub(B, C)", "sc(X, Y)", "up(Y, Z)", "'r@base'(X, Y) :- sc(X, Y)."),
        ];
        for (recursion, base, step, expected) in cases {
            let sc = format!("sc(A, B) :- sub(A, B). sc(A, C) :- {recursion}.");
            let source = format!("{sc} r(X, Y) :- {base}. r(X, Z) :- r(X, Y) & {step}.");
            let rules = rules_after(&source, Optimization::Passes(vec![&Closures]));
            assert!(rules.contains(&expected.to_owned()), "{rules:?}");
        }
    }

    #[test]
    fn what_is_no_closure() {
        for source in [
            // One node column: linear as it is.
            "p(P, X) :- first(P, X). p(P, Y) :- p(P, X) & adjacent(X, Y) & stone(P, Y).",
            // What one step knows of, another does not.
            "p(S, K, X) :- b(S, K, X). p(S, K, Y) :- p(S, K, X) & e(X, Y). p(S, K, Y) :- p(S, K, X) & f(K, X, Y).",
            // Same generation.
            "p(X, Y) :- s(X, Y). p(X, Y) :- e(X, U) & p(U, V) & e(Y, V).",
            // The step depends on where the path began.
            "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y) & e(Y, Z) & X != Z.",
            // Both ends grow.
            "p(X, Y) :- e(X, Y). p(X, Z) :- p(X, Y) & f(Y, Z). p(X, Z) :- g(X, Y) & p(Y, Z).",
            // Symmetric, but closed in one direction only.
            "p(X, Y) :- e(X, Y). p(X, Y) :- p(Y, X). p(X, Z) :- p(X, Y) & e(Y, Z).",
            // The context changes.
            "p(P, X, Y) :- e(P, X, Y). p(Q, X, Z) :- p(P, X, Y) & e(P, Y, Z) & other(P, Q).",
        ] {
            assert_eq!(recognized(source), None, "{source}");
        }
    }
}
