//! Where matches begin: in the first state, after random moves, or in a state from a file.

use super::case::explain;
use super::matches::Arena;
use super::players::PlayerArgs;
use super::{FILES, Failure};
use clap::Args;
use ludolog::diagnostic::Sources;
use ludolog::engine::Budget;
use ludolog::game::canonical;
use ludolog::player::Opening;
use ludolog::syntax::ast::{Atom, Term};
use ludolog::syntax::load_facts;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct OpeningArgs {
    /// Begin after N random joint moves, drawn by the seed: none of them ends the game, or lets the next one end it
    #[arg(long, value_name = "N", conflicts_with = "from", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    openings: Option<u64>,
    /// Begin in the state of the facts in this file, each as `(true (cell 1 1 x))` or `(cell 1 1 x)`
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

impl OpeningArgs {
    /// Checks that players who know the values of a game are not to begin elsewhere: they know its states by number.
    pub fn check(&self, players: &PlayerArgs) -> Result<(), Failure> {
        if self.are_given() && players.have_databases() {
            let reason = "--database holds the states of the whole game, and matches with --openings or --from are of \
                          another; leave one of them out";
            return Err(Failure::Message(reason.to_owned()));
        }
        Ok(())
    }

    /// The game from where a match of this seed begins; `None` if that is its first state.
    pub fn begin(&self, arena: &Arena, seed: u64, budget: &Budget) -> Result<Option<Arena>, Failure> {
        if arena.hides && self.are_given() {
            let reason = "hides its states, and all would know that in which it began; leave the opening out";
            return Err(Failure::Message(format!("{} {reason}", arena.name)));
        }
        let opening = match (self.openings, &self.from) {
            (Some(plies), _) => {
                let mut referee = arena.referee(budget)?;
                let drawn = Opening::draw(referee.machine(), plies as usize, seed);
                drawn.map_err(|none| Failure::Message(format!("{}: {none}", arena.name)))?
            }
            (None, Some(path)) => Opening { moves: Vec::new(), state: state(path)? },
            (None, None) => return Ok(None),
        };
        let begun = arena.beginning_at(opening, budget).map_err(|failure| match (failure, &self.from) {
            (Failure::Message(reason), Some(path)) => Failure::Message(format!("{}: {reason}", path.display())),
            (failure, _) => failure,
        });
        begun.map(Some)
    }

    /// Whether matches begin elsewhere than in the first state.
    pub fn are_given(&self) -> bool {
        self.openings.is_some() || self.from.is_some()
    }

    /// What tells a series with these openings from others: of a file its state, since the file may change.
    pub fn text(&self) -> Result<Option<String>, Failure> {
        Ok(match (self.openings, &self.from) {
            (Some(plies), _) => Some(format!("{plies} random joint moves")),
            (None, Some(path)) => {
                let digest = canonical::digest(&canonical::state_text(&state(path)?));
                Some(format!("the state of the digest {digest}"))
            }
            (None, None) => None,
        })
    }
}

/// The facts of a state in a file.
fn state(path: &Path) -> Result<Vec<Term>, Failure> {
    let mut sources = Sources::new();
    let facts = load_facts(&FILES, &[path.into()], None, None, &mut sources, &Budget::unlimited());
    let facts = facts.map_err(|stopped| explain(&stopped))?;
    let facts = facts.map_err(|wrong| Failure::Diagnostics(Box::new(sources), wrong))?;
    let facts: Vec<Term> = facts.into_atoms().into_iter().map(fluent).collect();
    if facts.is_empty() {
        return Err(Failure::Message(format!("{} has no facts, and so no state to begin in", path.display())));
    }
    Ok(facts)
}

/// The fluent of a fact, with or without `true` around it.
fn fluent(fact: Atom) -> Term {
    let name = fact.predicate.written().unwrap_or_default().to_owned();
    match <[Term; 1]>::try_from(fact.args) {
        Ok([inner]) if name == "true" => inner,
        Ok(args) => Term::Compound(name.into(), args.into()),
        Err(args) if args.is_empty() => Term::symbol(&name),
        Err(args) => Term::Compound(name.into(), args),
    }
}
