//! A game in some state, as JSON.

#[cfg(feature = "server")]
use crate::tournament::TournamentGame;
use ludolog_engine::Session;
use ludolog_game::grid::FactPlaces;
use ludolog_game::scene::Scene;
use ludolog_game::{Move, Role, State, StateMachine, StateMachineExt};
use ludolog_picture::svg;
use ludolog_player::{Game, GameReasoner, Options, Player, PlayerKind};
use ludolog_syntax::ast::{Atom, Term};
use ludolog_syntax::budget::Budget;
use ludolog_syntax::{ColdSort, Syntax, print_term};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// States of one batch of playouts.
const BATCH: usize = 1024;

/// Joint moves of a playout at most.
const MAX_STEPS: usize = 10_000;

/// The clock of a move that a player is told of before the first one.
const PLAY_CLOCK: Duration = Duration::from_secs(1);

/// A game and the states so far.
pub struct PlayedGame {
    rules: GameReasoner,
    machine: Game,
    scene: Scene,
    /// The states so far, the last one the present.
    states: Vec<State>,
    /// The joint moves between them.
    moves: Vec<Vec<String>>,
    players: HashMap<(usize, String), Box<dyn Player>>,
    syntax: Syntax,
    seed: u64,
}

impl PlayedGame {
    /// The game of a program in its first state; its net is made in half of the time.
    ///
    /// # Errors
    ///
    /// The program is no game, or the time does not suffice.
    pub fn new(session: &Session, syntax: Syntax, budget: &Budget) -> Result<PlayedGame, String> {
        let program = session.program();
        let rules = GameReasoner::new(program, budget).map_err(words)?;
        let mut machine = rules.game(budget).map_err(words)?;
        let possible = machine.possible_facts();
        let board = machine.machine();
        let (layout, states) = FactPlaces::sample(board, &possible, &budget.part_of_rest(|left| left / 4));
        let stated = Scene::stated(&program.program, board.roles()).unwrap_or_default();
        let scene = stated.unwrap_or_else(|| Scene::of_grids(layout, board.roles())).of_states(&states);
        let states = vec![board.initial_state().clone()];
        let players = HashMap::new();
        Ok(PlayedGame { rules, machine, scene, states, moves: Vec::new(), players, syntax, seed: 1 })
    }

    /// The game for matches, under a name.
    #[cfg(feature = "server")]
    pub(crate) fn arena(&self, name: &str) -> TournamentGame {
        let machine = self.machine.reader();
        let roles = machine.roles().to_vec();
        TournamentGame {
            name: name.to_owned(),
            rules: self.rules.clone(),
            scene: self.scene.clone(),
            hides: machine.hides(),
            roles,
        }
    }

    /// The names of the roles.
    pub fn roles(&self) -> Vec<String> {
        self.machine.reader().roles().iter().map(|role| self.text(role)).collect()
    }

    /// Whether the game runs on a net of gates, and not on its rules alone.
    pub fn has_net(&self) -> bool {
        self.rules.net().is_some()
    }

    /// The facts of the state, sorted.
    pub fn facts(&self) -> Vec<String> {
        let facts = self.machine.reader().facts(self.state());
        let mut facts: Vec<String> = facts.iter().map(|fact| self.text(fact)).collect();
        facts.cold_sort();
        facts
    }

    /// The state as facts of `true`, by which goals are asked of it.
    pub fn state_facts(&self) -> Vec<Atom> {
        let facts = self.machine.reader().facts(self.state());
        facts.into_iter().map(|fact| Atom::new("true", vec![fact])).collect()
    }

    /// The legal moves of each role; none when the game is over.
    ///
    /// # Errors
    ///
    /// The rules do not answer.
    pub fn legal(&mut self) -> Result<Vec<Vec<String>>, String> {
        if self.is_over()? {
            return Ok(vec![Vec::new(); self.machine.reader().roles().len()]);
        }
        let state = self.state().clone();
        let legal = self.machine().legal_terms(&state).map_err(words)?;
        Ok(legal.iter().map(|(_, moves)| moves.iter().map(|made| self.text(made)).collect()).collect())
    }

    /// Makes a move for each role, as [`legal`](Self::legal) writes them.
    ///
    /// # Errors
    ///
    /// One of them is not legal, or there are more or fewer; nothing changes then.
    pub fn play(&mut self, moves: Vec<String>) -> Result<(), String> {
        let roles = self.machine.reader().roles().len();
        if moves.len() != roles {
            return Err(format!("{} moves for {roles} roles", moves.len()));
        }
        if self.is_over()? {
            return Err("the game is over".to_owned());
        }
        let state = self.state().clone();
        let legal = self.machine().legal_terms(&state).map_err(words)?;
        let mut joint = Vec::new();
        for ((role, of_role), wanted) in legal.iter().zip(&moves) {
            let found = of_role.iter().find(|made| self.text(made) == *wanted);
            let role = self.text(role);
            joint.push(found.ok_or_else(|| format!("`{wanted}` is not a legal move of {role}"))?.clone());
        }
        let joint = self.machine().joint_move(&state, &joint).map_err(words)?;
        let next = self.machine().next_state(&state, &joint).map_err(words)?;
        self.states.push(next);
        self.moves.push(moves);
        Ok(())
    }

    /// Takes back the last moves; `false` in the first state.
    pub fn undo(&mut self) -> bool {
        let has_moves = self.moves.pop().is_some();
        if has_moves {
            self.states.pop();
        }
        has_moves
    }

    /// The state after these joint moves: what is common with the moves so far is kept.
    ///
    /// # Errors
    ///
    /// One of them is not legal; the state is that before it.
    pub fn go_to(&mut self, moves: &[Vec<String>]) -> Result<(), String> {
        let common = self.moves.iter().zip(moves).take_while(|(ours, theirs)| ours == theirs).count();
        self.moves.truncate(common);
        self.states.truncate(common + 1);
        moves[common..].iter().try_for_each(|joint| self.play(joint.clone()))
    }

    /// Whether the game is over.
    ///
    /// # Errors
    ///
    /// The rules do not answer.
    pub fn is_over(&mut self) -> Result<bool, String> {
        let state = self.state().clone();
        self.machine().is_terminal(&state).map_err(words)
    }

    /// What the state is worth to each role; `None` where the rules do not say.
    ///
    /// # Errors
    ///
    /// The rules do not answer.
    pub fn goals(&mut self) -> Result<Vec<Option<i64>>, String> {
        let state = self.state().clone();
        self.machine().goals(&state).map_err(words)
    }

    /// The state as a picture in SVG; nothing if no board is stated or found.
    pub fn svg(&self) -> Option<String> {
        let facts = self.machine.reader().facts(self.state());
        let view = self.scene.view(&facts);
        (!view.pictures.is_empty()).then(|| svg::sheet(&view.pictures, "state"))
    }

    /// All that a page shows of the state.
    ///
    /// # Errors
    ///
    /// The rules do not answer.
    pub fn shown(&mut self) -> Result<Value, String> {
        let is_over = self.is_over()?;
        let goals = self.goals()?;
        Ok(json!({
            "roles": self.roles(),
            "hasNet": self.has_net(),
            "legal": self.legal()?,
            "facts": self.facts(),
            "isOver": is_over,
            "goals": goals,
            "svg": self.svg(),
        }))
    }

    /// Random playouts from the state until the budget ends: `count`, `steps`, and by role the `means` of the goals.
    ///
    /// # Errors
    ///
    /// The rules do not answer.
    pub fn playouts(&mut self, budget: &Budget) -> Result<Value, String> {
        let roles = self.machine.reader().roles().len();
        let starts = vec![self.state().clone(); BATCH];
        let mut sums = vec![(0i64, 0u64); roles];
        let mut count = 0u64;
        let mut steps = 0u64;
        while budget.check().is_ok() {
            self.seed += 1;
            let seed = self.seed;
            for outcome in self.machine().random_playouts(&starts, MAX_STEPS, seed).map_err(words)? {
                count += 1;
                steps += outcome.steps as u64;
                for ((sum, known), goal) in sums.iter_mut().zip(&outcome.goals) {
                    *sum += goal.unwrap_or_default();
                    *known += u64::from(goal.is_some());
                }
            }
        }
        let mean = |(sum, known): (i64, u64)| (known > 0).then(|| sum as f64 / known as f64);
        let means: Vec<Option<f64>> = sums.into_iter().map(mean).collect();
        Ok(json!({ "count": count, "steps": steps, "means": means }))
    }

    /// The move of a player for a role, by its number: `move`, `value`, `proven`, `playouts`, `nodes`, and `line`, the joint moves that it
    /// expects. A player keeps what it has found out for the next time.
    ///
    /// # Errors
    ///
    /// There is no such role or player, the game is over, or the player does not play it.
    pub fn choose(&mut self, role: usize, player: &str, budget: &Budget) -> Result<Value, String> {
        if role >= self.machine.reader().roles().len() {
            return Err(format!("there is no role of number {role}"));
        }
        if self.is_over()? {
            return Err("the game is over".to_owned());
        }
        let key = (role, player.to_owned());
        if !self.players.contains_key(&key) {
            let kind: PlayerKind = player.parse().map_err(words)?;
            let options = Options { threads: 1, ..Options::default() };
            let game = self.rules.game(budget).map_err(words)?;
            let mut made = kind.0.player(game, Role(role as u32), &options).map_err(words)?;
            made.start(&budget.part_of_rest(|left| left / 4), PLAY_CLOCK).map_err(words)?;
            self.players.insert(key.clone(), made);
        }
        // The machine of the player has numbers of its own.
        let facts = self.machine.reader().facts(self.state());
        let player = self.players.get_mut(&key).ok_or("there is no such player")?;
        let state = player.machine().state_of(facts).map_err(words)?;
        let choice = player.play(&state, budget).map_err(words)?;
        let syntax = self.syntax;
        let text = |made: Move, player: &mut dyn Player| print_term(player.machine().move_term(made), syntax);
        let made = text(choice.made, &mut **player);
        let line = choice.report.line.iter().map(|joint| {
            let moves = joint.iter().map(|&made| text(made, &mut **player));
            moves.collect::<Vec<String>>()
        });
        Ok(json!({
            "line": line.collect::<Vec<_>>(),
            "move": made,
            "value": choice.report.value,
            "proven": choice.report.proven,
            "playouts": choice.report.playouts,
            "nodes": choice.report.nodes,
        }))
    }

    fn state(&self) -> &State {
        // There is always the first one.
        &self.states[self.states.len() - 1]
    }

    fn machine(&mut self) -> &mut dyn StateMachine {
        self.machine.machine()
    }

    fn text(&self, term: &Term) -> String {
        print_term(term, self.syntax)
    }
}

pub(crate) fn words(error: impl ToString) -> String {
    error.to_string()
}
