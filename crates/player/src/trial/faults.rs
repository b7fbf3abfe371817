//! Warnings of what should not come up in a game.

use super::MAX_STEPS;
use super::playouts::{LongPlayout, Moves, PlayoutCounts, function};
use super::reached;
use ludolog_engine::Budget;
use ludolog_game::{Interpreted, Role, StateMachine};
use ludolog_logic::analysis::clause::{Literal, StratifiedProgram};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use ludolog_syntax::{ColdSort, Syntax, print_term};
use rustc_hash::FxHashSet;

/// The most joint moves that a message shows, the last ones.
const SHOWN: usize = 6;

/// The most joint moves between the last choice and the loss of a fact that is told as its cause.
const LATE: usize = 4;

/// Moves that lead to a terminal state in which a role has these goals.
type Ends = Vec<(Role, Vec<Term>, Moves)>;

impl PlayoutCounts {
    /// The faults of a game that the playouts tell. `rules` say what goals are where there is not exactly one; no such
    /// state is told without them. Of each role, the states after the fewest moves are told.
    pub fn report(
        self,
        program: &StratifiedProgram,
        rules: Option<Interpreted>,
        syntax: Syntax,
        budget: &Budget,
    ) -> Diagnostics {
        let mut found = Diagnostics::new();
        let print = |term: &Term| print_term(term, syntax);
        let warning = |message| Diagnostic::warning(Code::IncompleteGame, message);
        let roles: Vec<Term> = rules.as_ref().map(|rules| rules.roles().to_vec()).unwrap_or_else(|| roles(program));
        for (role, moves) in &self.stuck {
            let role = &roles[role.0 as usize];
            found.push(
                warning(format!("`{}` has no legal move {}", print(role), after(moves, syntax)))
                    .at(place(program, "role", Some(role)), "a role")
                    .help("each role needs a legal move in every state that is not terminal, as `noop` while another moves"),
            );
        }
        for (role, values, moves) in rules.map(|rules| ends(&self, rules, budget)).unwrap_or_default() {
            let role = &roles[role.0 as usize];
            let of = match &values[..] {
                [] => "no goal".to_owned(),
                values => {
                    let values: Vec<String> = values.iter().map(print).collect();
                    format!("{} goals, {},", values.len(), values.join(" and "))
                }
            };
            found.push(
                warning(format!("`{}` has {of} where the game is over {}", print(role), after(&moves, syntax)))
                    .at(place(program, "goal", Some(role)), "a goal of it")
                    .help("give each role exactly one goal in every terminal state"),
            );
        }
        let endless = self.longest.as_ref().and_then(|longest| self.endless(longest, program, syntax));
        endless.into_iter().for_each(|warning| found.push(warning));
        if self.is_over_at_first {
            let holds = reached::fired(&self, program, "terminal");
            found.push(
                warning("the game is over in the first state".to_owned())
                    .at(holds.unwrap_or_else(|| place(program, "terminal", None)), "the game is over where this holds")
                    .help("correct this condition, or the facts of `init`"),
            );
        }
        // Much is not reached because games go no further.
        if self.stuck.is_empty() && self.any_ended && !self.is_over_at_first {
            found.extend(reached::notes(&self, program, syntax));
        }
        found
    }
}

impl PlayoutCounts {
    /// A warning where no playout ends, or where some do not since the state lost what the end asks for, or since nobody has a choice any more; `None`
    /// where play just goes on, as it may where nothing counts moves.
    fn endless(&self, longest: &LongPlayout, program: &StratifiedProgram, syntax: Syntax) -> Option<Diagnostic> {
        let asked = asked_by(program, &[("terminal", 0)]);
        let lost = longest.lost.iter().filter(|(function, _)| asked.contains(function)).min_by_key(|(_, at)| *at);
        let within = format!("ended within {MAX_STEPS} joint moves");
        let warning = |message| {
            Diagnostic::warning(Code::IncompleteGame, message)
                .at(place(program, "terminal", None), "the game is over only if this holds")
        };
        let playouts = if self.any_ended {
            format!("{} of {} playouts of random moves have not {within}", self.endless, self.playouts())
        } else {
            format!("no playout of random moves {within}")
        };
        if let Some((function, at)) = lost {
            let after = after(&longest.moves[..(*at).min(longest.moves.len())], syntax);
            return Some(
                warning(format!("{playouts}: in one no state has a fact `{function}` any more {after}"))
                    .help(format!("see that `next` gives a fact `{function}` after all moves that are legal there")),
            );
        }
        if let Some(number) = longest.without_choice {
            let after = after(&longest.moves[..number.min(longest.moves.len())], syntax);
            let asked = asked_by(program, &[("legal", 2), ("next", 1)]);
            let lost = longest.lost.iter().filter(|(function, at)| asked.contains(function) && *at <= number + LATE);
            let help = match lost.min_by_key(|(_, at)| *at) {
                Some((function, _)) => {
                    format!("see that `next` gives a fact `{function}` after all moves that are legal there")
                }
                None => "let the game end there, or give a role another legal move".to_owned(),
            };
            let message = format!("{playouts}: in one no role has a choice any more {after}");
            return Some(warning(message).help(help));
        }
        let last = last(&longest.moves, syntax);
        (!self.any_ended).then(|| {
            warning(format!("no playout of random moves {within}, the last of one: {last}"))
                .help("let the game end by itself, as by a state fact that counts moves")
        })
    }
}

/// The functions of the state facts that keywords ask for, by other predicates too.
fn asked_by(program: &StratifiedProgram, keywords: &[(&str, usize)]) -> FxHashSet<Predicate> {
    let mut asked = FxHashSet::default();
    let mut open: Vec<Predicate> = keywords.iter().map(|&(name, arity)| Predicate::new(name, arity)).collect();
    let mut known: FxHashSet<Predicate> = open.iter().cloned().collect();
    while let Some(predicate) = open.pop() {
        let rules = program.program.rules.iter().filter(|rule| rule.head.signature() == predicate);
        for atom in rules.flat_map(|rule| &rule.body).filter_map(Literal::atom) {
            if atom.predicate == "true" && atom.args.len() == 1 {
                asked.extend(function(&atom.args[0]));
            } else if known.insert(atom.signature()) {
                open.push(atom.signature());
            }
        }
    }
    asked
}

/// For each role the ends after the fewest moves that leave it without a goal, and with several.
fn ends(trial: &PlayoutCounts, mut rules: Interpreted, budget: &Budget) -> Ends {
    let mut ends: Ends = Vec::new();
    let mut odd: Vec<_> = trial.goals.iter().collect();
    odd.cold_sort_by_key(|(role, _, moves)| (*role, moves.len()));
    for (role, facts, moves) in odd {
        if budget.check().is_err() {
            break;
        }
        rules.set_budget(budget.rest());
        let Ok(state) = rules.state_of(facts.clone()) else { continue };
        let Ok(values) = rules.goal_values(&state, *role) else { continue };
        let is_known = ends.iter().any(|(known, others, _)| known == role && others.is_empty() == values.is_empty());
        if !is_known && values.len() != 1 {
            ends.push((*role, values, moves.clone()));
        }
    }
    ends
}

/// The roles that are facts.
fn roles(program: &StratifiedProgram) -> Vec<Term> {
    let facts = program.program.facts.iter().filter(|fact| fact.predicate == "role" && fact.args.len() == 1);
    facts.map(|fact| fact.args[0].clone()).collect()
}

/// The moves that lead to a state, in words.
fn after(moves: &[Vec<Term>], syntax: Syntax) -> String {
    match moves.len() {
        0 => "in the first state".to_owned(),
        1 => format!("after the moves {}", last(moves, syntax)),
        n if n <= SHOWN => format!("after {n} joint moves: {}", last(moves, syntax)),
        n => format!("after {n} joint moves, the last of them: {}", last(moves, syntax)),
    }
}

/// The last joint moves.
fn last(moves: &[Vec<Term>], syntax: Syntax) -> String {
    let joint = |joint: &Vec<Term>| joint.iter().map(|made| print_term(made, syntax)).collect::<Vec<_>>().join(" ");
    moves[moves.len().saturating_sub(SHOWN)..].iter().map(joint).collect::<Vec<_>>().join("; ")
}

/// The first fact or head of a keyword, of this first argument or of a variable for it.
fn place(program: &StratifiedProgram, keyword: &str, first: Option<&Term>) -> Span {
    let program = &program.program;
    let heads = program.facts.iter().chain(program.rules.iter().map(|rule| &rule.head));
    let mut heads = heads.filter(|head| head.predicate == keyword);
    let fits =
        |head: &&Atom| first.is_none_or(|first| head.args.first().is_some_and(|arg| arg == first || !arg.is_ground()));
    heads.find(fits).map_or(Span::NONE, |head| head.span)
}
