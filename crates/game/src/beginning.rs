//! Rulesheets whose game begins in another of its states.

use ludolog_syntax::ast::{Aggregate, Atom, Formula, Item, Program, Rule, Statement, Term};
use ludolog_syntax::{Syntax, print};

/// The predicate of the facts of the first state where other rules read them; hyphens follow where it is taken.
const FORMER: &str = "first-state";

/// The rulesheet of the same game beginning in the state of these facts: its rules for `init` give way to the facts.
///
/// Rules that read `init` go on reading what it was: they are about the game, not about where a match begins. Comments
/// and statements that are no rules are kept.
pub fn beginning_at(program: &Program, state: &[Term]) -> Program {
    let is_read = program.items.iter().any(|item| match &item.statement {
        Statement::Rule(rule) => rule.body.iter().any(reads_init),
        _ => false,
    });
    let former = unused(program, FORMER);
    let mut items: Vec<Item> = Vec::with_capacity(program.items.len() + state.len());
    for item in &program.items {
        match &item.statement {
            Statement::Rule(rule) if is_init(&rule.head) && !is_read => {}
            Statement::Rule(rule) if is_read => {
                let rule =
                    Rule { head: renamed(&rule.head, &former), body: renamed_in(&rule.body, &former), ..rule.clone() };
                items.push(Item { statement: Statement::Rule(rule), ..item.clone() });
            }
            _ => items.push(item.clone()),
        }
    }
    items.extend(state.iter().map(|fact| Item::fact(Atom::new("init", vec![fact.clone()]))));
    Program { items, ..program.clone() }
}

fn is_init(atom: &Atom) -> bool {
    atom.args.len() == 1 && atom.predicate.written() == Some("init")
}

fn reads_init(formula: &Formula) -> bool {
    match formula {
        Formula::Atom(atom) => is_init(atom),
        Formula::Aggregate(Aggregate { body, .. }) | Formula::And(body) | Formula::Or(body) => {
            body.iter().any(reads_init)
        }
        Formula::Not(inner) => reads_init(inner),
        Formula::Compare(_) | Formula::Range(_) => false,
    }
}

/// The name with as many hyphens as it takes to be in no name of the program.
fn unused(program: &Program, name: &str) -> String {
    let text = print(program, Syntax::Kif);
    let mut name = name.to_owned();
    while text.contains(&name) {
        name.push('-');
    }
    name
}

/// The atom, of the former predicate where it is one of `init`.
fn renamed(atom: &Atom, former: &str) -> Atom {
    if is_init(atom) { Atom::new(former, atom.args.clone()) } else { atom.clone() }
}

fn renamed_in(body: &[Formula], former: &str) -> Vec<Formula> {
    body.iter().map(|formula| renamed_formula(formula, former)).collect()
}

fn renamed_formula(formula: &Formula, former: &str) -> Formula {
    match formula {
        Formula::Atom(atom) => Formula::Atom(renamed(atom, former)),
        Formula::Aggregate(aggregate) => {
            Formula::Aggregate(Aggregate { body: renamed_in(&aggregate.body, former), ..aggregate.clone() })
        }
        Formula::And(body) => Formula::And(renamed_in(body, former)),
        Formula::Or(body) => Formula::Or(renamed_in(body, former)),
        Formula::Not(inner) => Formula::Not(Box::new(renamed_formula(inner, former))),
        Formula::Compare(_) | Formula::Range(_) => formula.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interpreted, StateMachine, StateMachineExt};
    use ludolog_engine::Budget;
    use ludolog_logic::analysis::analyze;
    use ludolog_syntax::diagnostic::Sources;
    use ludolog_syntax::{Syntax, parse, print};

    fn read(text: &str) -> Program {
        let mut sources = Sources::new();
        let source = sources.add("test.kif", text);
        parse(source, &sources, Syntax::Kif).into_result().expect("the rules parse")
    }

    fn game(program: &Program) -> Interpreted {
        let analyzed = analyze(program).expect("the rules are sound");
        Interpreted::new(&analyzed.stratified, Budget::unlimited()).expect("there is a game")
    }

    /// A counter from three down to zero, whose goal is what the first state said.
    const COUNT: &str = "
        (role counter) (init (count 3)) (less 3 2) (less 2 1) (less 1 0)
        (<= (legal counter count) (true (count ?n)))
        (<= (next (count ?k)) (does counter count) (true (count ?n)) (less ?n ?k))
        (<= terminal (true (count 0)))";

    #[test]
    fn a_game_goes_on_from_any_of_its_states() {
        for (goal, expected) in [("(goal counter 100)", 100), ("(<= (goal counter ?n) (init (count ?n)))", 3)] {
            let program = read(&format!("{COUNT} {goal}"));
            let state = [Term::Compound("count".into(), vec![Term::Integer(1)])];
            // As it is sent to players: as text.
            let text = print(&beginning_at(&program, &state), Syntax::Kif);
            let mut game = game(&read(&text));
            let start = game.initial_state().clone();
            assert_eq!(game.facts(&start), state);
            let played = game.playout(&start, 10, |_, legal| legal[0]).expect("it ends");
            assert_eq!((played.steps, played.goals), (1, vec![Some(expected)]), "{text}");
        }
    }
}
