//! The scenes of games, for all commands that draw states.

use super::table;
use ludolog::analysis::clause::CheckedProgram;
use ludolog::engine::Budget;
use ludolog::game::StateMachine;
use ludolog::game::grid::FactPlaces;
use ludolog::game::scene::{Scene, SceneView};
use ludolog::picture::text::{columns, to_text};
use ludolog::syntax::ast::Term;
use ludolog::syntax::{ColdSort, Syntax, print_term};
use std::time::Duration;

/// The longest time for the playouts that show what states look like.
pub const SAMPLING: Duration = Duration::from_secs(2);

/// The width of pictures where the terminal does not say it.
const WIDTH: usize = 100;

/// Most lines of facts below boards, and without boards.
const MOST_LINES: [usize; 2] = [12, 40];

/// The scene that a rulesheet states; without one that can be drawn, says why.
pub fn stated(program: &CheckedProgram, roles: &[Term]) -> Option<Scene> {
    Scene::stated(program, roles).unwrap_or_else(|wrong| {
        anstream::eprintln!("warning: the board is not drawn: {wrong}");
        None
    })
}

/// The scene of a game, by the states of some playouts, of which `possible` facts are all if there are any.
pub fn of_game(stated: Option<Scene>, machine: &mut dyn StateMachine, possible: &[Term], budget: &Budget) -> Scene {
    let (layout, states) = FactPlaces::sample(machine, possible, budget);
    stated.unwrap_or_else(|| Scene::of_grids(layout, machine.roles())).of_states(&states)
}

/// A state as text with styles: its boards, then the facts that stand on none.
pub fn state_text(view: &SceneView, syntax: Syntax) -> String {
    let text = to_text(&view.pictures, width(), true);
    let mut others: Vec<String> = view.others.iter().map(|fact| print_term(fact, syntax)).collect();
    others.cold_sort();
    let listed = columns(&others, "", width());
    if listed.lines().count() <= MOST_LINES[usize::from(view.pictures.is_empty())] {
        text + &listed
    } else {
        format!("{text}{} more facts; `facts` prints them\n", others.len())
    }
}

/// The width of the terminal.
pub fn width() -> usize {
    // A terminal that does not know its width has none.
    table::width().filter(|width| *width > 0).map_or(WIDTH, usize::from)
}
