//! Notes of facts, moves and rules that did not come up in playouts.
//!
//! A *probe* is a rule besides each rule of the game, with the same body, that puts a state fact of its own into the
//! next state. The facts of probes are taken out of each state before the game goes on from there, so no rule of the
//! game reads them.
//!
//! Only causes are told: not a rule that waits for a fact or a move that did not come up, nor one that reads a
//! predicate of which no rule fired.

use super::playouts::PlayoutCounts;
use ludolog_game::{GameError, State, StateMachine, program};
use ludolog_logic::analysis::clause::{CheckedProgram, Clause, Literal, StratifiedProgram};
use ludolog_logic::analysis::restratify;
use ludolog_logic::optimize::statistics::matches;
use ludolog_syntax::ast::{Atom, Name, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use ludolog_syntax::{Syntax, print_term};
use rustc_hash::{FxHashMap, FxHashSet};

/// Nothing is noted of fewer playouts: too much did not come up by chance.
const ENOUGH: usize = 20;

/// The most notes of one kind.
const MOST: usize = 5;

/// The state facts of probes.
pub(super) struct Probes {
    /// A function that the game does not have; its argument is the number of a rule.
    function: Name,
}

impl Probes {
    /// The part of a game that is played, with probes. `None` if it has no strata with them.
    pub(super) fn added_to(game: &StratifiedProgram) -> Option<(StratifiedProgram, Probes)> {
        let mut checked = program::relevant(game, &[]).program;
        let function = unknown_name(&checked);
        let probes: Vec<Clause> = rules(&checked)
            .map(|(number, rule)| {
                let fact = Term::compound(&function, vec![Term::Integer(number as i64)]);
                Clause { head: Atom::new("next", vec![fact]), body: rule.body.clone(), span: Span::NONE }
            })
            .collect();
        checked.rules.extend(probes);
        Some((restratify(checked)?, Probes { function }))
    }

    /// Takes the facts of probes out of a state, and notes which rules have fired.
    ///
    /// # Errors
    ///
    /// [`GameError::Stopped`].
    pub(super) fn take(
        &self,
        machine: &mut dyn StateMachine,
        state: State,
        fired: &mut FxHashSet<usize>,
    ) -> Result<State, GameError> {
        let facts = machine.facts(&state);
        let before = facts.len();
        let (probes, facts): (Vec<Term>, Vec<Term>) =
            facts.into_iter().partition(|fact| matches!(fact, Term::Compound(name, _) if *name == self.function));
        fired.extend(probes.iter().filter_map(|probe| match probe {
            Term::Compound(_, args) => match args[..] {
                [Term::Integer(number)] => usize::try_from(number).ok(),
                _ => None,
            },
            _ => None,
        }));
        if facts.len() < before { machine.state_of(facts) } else { Ok(state) }
    }
}

/// The rules that have probes, by their numbers.
fn rules(program: &CheckedProgram) -> impl Iterator<Item = (usize, &Clause)> {
    let rules = program.rules.iter().filter(|rule| !matches!(rule.head.predicate.written(), Some("init" | "role")));
    rules.enumerate()
}

/// A name that does not occur in the program.
fn unknown_name(program: &CheckedProgram) -> Name {
    let mut known: FxHashSet<Name> = FxHashSet::default();
    program.for_each_atom(&mut |atom| atom.args.iter().for_each(|arg| names_of(arg, &mut known)));
    let mut number = 0;
    loop {
        let name: Name = format!("fired{number}").as_str().into();
        if !known.contains(&name) {
            return name;
        }
        number += 1;
    }
}

fn names_of(term: &Term, known: &mut FxHashSet<Name>) {
    if let Term::Compound(name, args) = term {
        known.insert(name.clone());
        args.iter().for_each(|arg| names_of(arg, known));
    }
}

/// The facts or moves that a rule reads or allows, and whether playouts came to it.
struct Patterns<'a> {
    trial: &'a PlayoutCounts,
    /// By pattern, whether an instance came up.
    known: FxHashMap<Vec<Term>, bool>,
}

impl<'a> Patterns<'a> {
    /// Whether a fact or legal move of this pattern came up; of other atoms `None`.
    fn came_up(&mut self, atom: &Atom) -> Option<bool> {
        let trial = self.trial;
        let (is_move, args) = match (atom.predicate.written(), &atom.args[..]) {
            (Some("true"), args @ [_]) => (false, args),
            (Some("legal" | "does"), args @ [_, _]) => (true, args),
            _ => return None,
        };
        let came_up = self.known.entry(normalized(args)).or_insert_with(|| {
            if is_move {
                trial.legal.iter().any(|(role, made)| {
                    let mut bound = Vec::new();
                    matches(&args[0], role, &mut bound) && matches(&args[1], made, &mut bound)
                })
            } else {
                trial.facts.iter().any(|fact| matches(&args[0], fact, &mut Vec::new()))
            }
        });
        Some(*came_up)
    }
}

/// The terms with their variables numbered.
fn normalized(args: &[Term]) -> Vec<Term> {
    fn rename(term: &Term, names: &mut Vec<Name>) -> Term {
        match term {
            Term::Variable(name) => {
                let number = names.iter().position(|known| known == name).unwrap_or_else(|| {
                    names.push(name.clone());
                    names.len() - 1
                });
                Term::variable(&number.to_string())
            }
            Term::Compound(name, args) => {
                Term::Compound(name.clone(), args.iter().map(|arg| rename(arg, names)).collect())
            }
            _ => term.clone(),
        }
    }
    let mut names = Vec::new();
    args.iter().map(|arg| rename(arg, &mut names)).collect()
}

/// Notes of what has not come up.
pub(super) fn notes(trial: &PlayoutCounts, game: &StratifiedProgram, syntax: Syntax) -> Diagnostics {
    let mut found = Diagnostics::new();
    if trial.playouts() < ENOUGH {
        return found;
    }
    let checked = program::relevant(game, &[]).program;
    let mut patterns = Patterns { trial, known: FxHashMap::default() };
    let print = |term: &Term| print_term(term, syntax);
    let mut facts = Vec::new();
    let mut moves = Vec::new();
    let mut told = FxHashSet::default();
    let heads = checked.facts.iter().chain(checked.rules.iter().map(|rule| &rule.head));
    let reads = checked.rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| match literal {
        Literal::Positive(atom) => Some(atom),
        _ => None,
    });
    for atom in heads.filter(|head| head.predicate == "legal").chain(reads) {
        if patterns.came_up(atom) != Some(false) || !told.insert(normalized(&atom.args)) {
            continue;
        }
        let note = |message: String, label| Diagnostic::note(Code::Unreached, message).at(atom.span, label);
        let playouts = trial.playouts();
        match &atom.args[..] {
            [fact] => facts.push(note(
                format!("no state of {playouts} random playouts has the fact `{}`", print(fact)),
                "this did not hold",
            )),
            [Term::Variable(_), made] => moves.push(note(
                format!("no state of {playouts} random playouts has the legal move `{}`", print(made)),
                "this was not legal",
            )),
            [role, made] => moves.push(note(
                format!(
                    "no state of {playouts} random playouts has the legal move `{}` of `{}`",
                    print(made),
                    print(role)
                ),
                "this was not legal",
            )),
            _ => {}
        }
    }
    let rules = if trial.probed < ENOUGH { Vec::new() } else { unfired(trial, &checked, &mut patterns) };
    for list in [facts, moves, rules] {
        some(list).into_iter().for_each(|note| found.push(note));
    }
    found
}

/// The head of the first rule for a predicate that has fired.
pub(super) fn fired(trial: &PlayoutCounts, game: &StratifiedProgram, predicate: &str) -> Option<Span> {
    let checked = program::relevant(game, &[]).program;
    let mut fired =
        rules(&checked).filter(|(number, rule)| trial.fired.contains(number) && rule.head.predicate == predicate);
    fired.next().map(|(_, rule)| rule.head.span)
}

/// Notes of the rules that have not fired though what they read came up.
fn unfired(trial: &PlayoutCounts, program: &CheckedProgram, patterns: &mut Patterns<'_>) -> Vec<Diagnostic> {
    let fired: FxHashSet<Span> =
        rules(program).filter(|(number, _)| trial.fired.contains(number)).map(|(_, rule)| rule.span).collect();
    let mut holds: FxHashSet<Predicate> = program.facts.iter().map(Atom::signature).collect();
    holds.extend(rules(program).filter(|(_, rule)| fired.contains(&rule.span)).map(|(_, rule)| rule.head.signature()));
    let mut explained = fired;
    for (_, rule) in rules(program) {
        let is_explained = rule.body.iter().any(|literal| match literal {
            Literal::Positive(atom) => {
                patterns.came_up(atom).map_or(!holds.contains(&atom.signature()), |came_up| !came_up)
            }
            _ => false,
        });
        if is_explained
            || rule.head.signature().is_auxiliary()
            || (rule.head.predicate == "legal" && patterns.came_up(&rule.head) == Some(false))
        {
            explained.insert(rule.span);
        }
    }
    let unfired = rules(program).filter(|(_, rule)| explained.insert(rule.span));
    let note = |rule: &Clause| {
        let message = format!("this rule fired in no state of {} random playouts", trial.probed);
        Diagnostic::note(Code::Unreached, message).at(rule.head.span, "this did not follow")
    };
    unfired.map(|(_, rule)| note(rule)).collect()
}

/// The first notes of a kind; the last one tells how many others there are.
fn some(mut notes: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let others = notes.len().saturating_sub(MOST);
    notes.truncate(MOST);
    if others > 0
        && let Some(last) = notes.pop()
    {
        let besides = if others == 1 { "is another".to_owned() } else { format!("are {others} others") };
        notes.push(last.help(format!("there {besides} as this")));
    }
    notes
}
