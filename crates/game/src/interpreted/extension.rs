//! The answers that an engine has given about the state that it holds.

use super::rows;
use ludolog_engine::value::Value;
use ludolog_engine::{Budget, Engine, Stopped};
use ludolog_syntax::ast::Predicate;

/// The facts that answer a question about the state and joint move that the engine holds.
#[derive(Default)]
pub struct Extension {
    pub is_known: bool,
    pub count: usize,
    /// Their arguments, one after the other.
    pub cells: Vec<Value>,
}

impl Extension {
    /// Reads the facts of a predicate.
    pub fn read(
        &mut self,
        engine: &mut Box<dyn Engine>,
        predicate: &Predicate,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let Self { count, cells, .. } = self;
        *count = 0;
        cells.clear();
        rows(engine).for_each_row(predicate, budget, &mut |row| {
            cells.extend_from_slice(row);
            *count += 1;
        })?;
        self.is_known = true;
        Ok(())
    }

    /// The second arguments of the facts whose first one is this role.
    pub fn of_role(&self, role: Value) -> impl Iterator<Item = Value> {
        self.cells.chunks_exact(2).filter(move |row| row[0] == role).map(|row| row[1])
    }
}
