//! The program that engines run.

use crate::analysis::clause::{Clause, Literal, StratifiedProgram};
use crate::analysis::split_predicates;
use crate::analysis::well_founded::rewritten;
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::FxHashSet;

/// The program that engines run: the rewritten text, and how to run it where the text cannot say.
///
/// Every predicate is *open* or *closed*. Inserting or removing facts of an open predicate changes the answers to the
/// goal (without a goal, to any) as it would in the program as written. The rewritten program relies on the facts of a
/// closed one as they are; with others it would give wrong answers.
#[derive(Clone, Debug, Default)]
pub struct OptimizedProgram {
    /// The rewritten program.
    pub stratified: StratifiedProgram,
    /// Predicates to be run as a closure instead of by their rules; empty unless the closure pass ran.
    pub closures: Vec<Closure>,
    /// The predicates that are not open.
    pub closed: FxHashSet<Predicate>,
    /// Whether bodies may be joined in another order than theirs: set unless the reordering pass was left out.
    pub any_order: bool,
}

/// `predicate = base ∘ step*`: its rules are `p(C.., X.., Y) :- base(C.., X.., Y).` and
/// `p(C.., X.., Z) :- p(C.., X.., Y) & step(C.., Y, Z).`, where the last column is a node, `X..`, one column at least, are anchors that steps know
/// nothing of, and `C..` the context that all steps share. `base` has the arity of `predicate`, `step` two columns more than the context.
/// Both are predicates of earlier strata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closure {
    /// The closure itself.
    pub predicate: Predicate,
    /// The pairs that it starts from.
    pub base: Predicate,
    /// The pairs that extend it.
    pub step: Predicate,
}

impl Closure {
    /// The rules that define it.
    pub fn rules(&self) -> [Clause; 2] {
        let numbered = |letter, count| (1..=count).map(move |i| Term::variable(&format!("{letter}{i}")));
        let context: Vec<Term> = numbered("c", self.step.arity - 2).collect();
        let [x, y, z] = ["x", "y", "z"].map(Term::variable);
        let anchors = match self.base.arity - self.step.arity + 1 {
            1 => vec![x],
            several => numbered("x", several).collect(),
        };
        let atom = |predicate: &Predicate, ends: &[Term]| Atom::new(&predicate.name, [&context, ends].concat());
        let pair = |predicate, node: &Term| atom(predicate, &[&anchors[..], std::slice::from_ref(node)].concat());
        let rule = |head, body: Vec<Atom>| {
            let body = body.into_iter().map(Literal::Positive).collect();
            Clause { head, body, span: Span::NONE }
        };
        [
            rule(pair(&self.predicate, &y), vec![pair(&self.base, &y)]),
            rule(pair(&self.predicate, &z), vec![pair(&self.predicate, &y), atom(&self.step, &[y, z.clone()])]),
        ]
    }
}

impl OptimizedProgram {
    /// Whether facts of the predicate may be inserted and removed.
    ///
    /// [Inputs](super::Inputs) are open, except those that analysis has split by their constants.
    pub fn is_open(&self, predicate: &Predicate) -> bool {
        !self.closed.contains(predicate)
    }
}

/// The program as written, but for negative cycles, which are [rewritten]. All predicates are open, except those that analysis
/// has split by their constants: facts that come later would not reach the parts.
impl From<StratifiedProgram> for OptimizedProgram {
    fn from(stratified: StratifiedProgram) -> Self {
        let stratified = rewritten(stratified);
        let closed = split_predicates(&stratified.program);
        Self { stratified, closures: Vec::new(), closed, any_order: false }
    }
}
