//! The engines of this crate.

use crate::contract::EngineDescription;
use crate::resolution::RESOLUTION;
use crate::semi_naive::SEMI_NAIVE;

/// The engines of this crate, in the order in which they are listed to users. An engine is one line here.
// Engines are constants: statics, with all that they refer to, are compiled into each binary of tests, whatever those test.
pub const ENGINES: [&EngineDescription; 2] = [&RESOLUTION, &SEMI_NAIVE];
