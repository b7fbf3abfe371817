//! The engine over differential dataflow, on threads and on processes.
//!
//! What it derives from all programs of `tests/programs` is compared in [`engines`](crate::engines), with that of all other
//! engines.

use crate::engines::{agree, program};
use crate::oracle::Oracle;
use crate::random;
use ludolog::analysis::clause::StratifiedProgram;
use ludolog::cluster::Processes;
use ludolog::dataflow::on;
use ludolog::engine::{Budget, Engine};
use ludolog::optimize::OptimizedProgram;
use proptest::prelude::*;
use std::num::NonZero;

/// The engine on one worker and on three, by name.
pub fn engines(program: &StratifiedProgram) -> [(&'static str, Box<dyn Engine>); 2] {
    [("dataflow", 1), ("dataflow on three workers", 3)].map(|(name, workers)| {
        let processes = Processes { workers: NonZero::new(workers).expect("a worker"), ..Processes::default() };
        let engine = on(processes).load(&OptimizedProgram::from(program.clone()), false, &Budget::unlimited());
        (name, engine.expect("nothing stops it"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// After each random insertion, retraction and event of a random program.
    #[test]
    fn agrees_with_the_oracle(case in random::case()) {
        let program = program(&case.text);
        let oracle: (&str, Box<dyn Engine>) = ("oracle", Box::new(Oracle::new(&program)));
        agree(&case, &program, [oracle].into_iter().chain(engines(&program)).collect())?;
    }
}
