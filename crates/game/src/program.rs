//! The part of a rulesheet that the machine runs.

use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Goal, Literal, StratifiedProgram};
use ludolog_logic::analysis::{hides, restratify};
use ludolog_logic::optimize::demand::{DemandSettings, HandedOn, Negated, demand};
use ludolog_logic::optimize::{CostModel, Inputs, Model};
use ludolog_syntax::ast::{Atom, Predicate, Purpose, Term};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The predicates that a machine asks for, with their arities.
const ASKED: [(&str, usize); 6] = [("role", 1), ("init", 1), ("next", 1), ("legal", 2), ("goal", 2), ("terminal", 0)];

/// The predicate of percepts, which a machine asks for where a game hides its states.
const SEES: (&str, usize) = ("sees", 2);

/// The predicates that a machine asks for in this game.
fn asked(program: &CheckedProgram) -> impl Iterator<Item = Predicate> {
    let asked = ASKED.into_iter().chain(hides(program).then_some(SEES));
    asked.map(|(name, arity)| Predicate::new(name, arity))
}

/// The program without what the machine does not ask for (`base` and `input`, say, which may be large), unless it is
/// asked for `also`.
pub fn relevant(program: &StratifiedProgram, also: &[Predicate]) -> StratifiedProgram {
    let mut rules_of: FxHashMap<Predicate, Vec<&Clause>> = FxHashMap::default();
    for rule in &program.program.rules {
        rules_of.entry(rule.head.signature()).or_default().push(rule);
    }
    let mut needed: FxHashSet<Predicate> = FxHashSet::default();
    let mut open: Vec<Predicate> = asked(&program.program).chain(also.iter().cloned()).collect();
    while let Some(predicate) = open.pop() {
        let rules = rules_of.get(&predicate);
        if needed.insert(predicate) {
            let bodies = rules.into_iter().flatten().flat_map(|rule| &rule.body);
            open.extend(bodies.filter_map(Literal::atom).map(Atom::signature));
        }
    }
    let facts = program.program.facts.iter().filter(|fact| needed.contains(&fact.signature()));
    let rules = program.program.rules.iter().filter(|rule| needed.contains(&rule.head.signature()));
    let strata = program.strata.iter().filter(|stratum| stratum.iter().all(|predicate| needed.contains(predicate)));
    StratifiedProgram {
        program: CheckedProgram {
            facts: facts.cloned().collect(),
            rules: rules.cloned().collect(),
            ..CheckedProgram::default()
        },
        strata: strata.cloned().collect(),
        ..StratifiedProgram::default()
    }
}

/// The program with the `large` predicates, and what depends on them, derived by demand; all else is kept whole. `None`
/// when demand does not help.
pub(super) fn demanded(
    program: &StratifiedProgram,
    large: &[Predicate],
    cost_model: CostModel,
    budget: &Budget,
) -> Result<Option<StratifiedProgram>, Stopped> {
    let inputs = Inputs::default().with_predicates(large.iter().cloned());
    let depends = inputs.dependents(program);
    let whole: Vec<Predicate> =
        program.strata.iter().flatten().filter(|predicate| !depends.contains(predicate)).cloned().collect();
    // One goal that asks for everything.
    let goal = Atom::new(Purpose::Asked, Vec::new());
    let mut checked = program.program.clone();
    for Predicate { name, arity, .. } in asked(&program.program) {
        let args = (0..arity).map(|i| Term::variable(&format!("x{i}"))).collect();
        let body = vec![Literal::Positive(Atom { predicate: name, args, span: Span::NONE })].into();
        checked.rules.push(Clause { head: goal.clone(), body, span: Span::NONE });
    }
    let Some(program) = restratify(checked) else { return Ok(None) };
    let goal = Goal { body: vec![Literal::Positive(goal)].into(), variables: Vec::new(), span: Span::NONE };
    let inputs = Inputs::of(&program);
    let model = Model::new(&program, &inputs, cost_model, budget)?;
    for negated in [Negated::Demanded, Negated::Whole] {
        let may_grow = &|_: &Predicate| false;
        let handed_on = HandedOn::Sideways;
        let settings = DemandSettings { whole: &whole, may_grow, handed_on, negated, groups: false, reorder: false };
        if let Some(demanded) = demand(&program, &goal, &settings, &model)? {
            return Ok(Some(demanded.stratified));
        }
    }
    Ok(None)
}
