//! The engines of this crate.

use crate::contract::EngineDescription;
use crate::resolution::RESOLUTION;
use crate::semi_naive::SEMI_NAIVE;

/// The engines of this crate, in the order in which they are listed to users. An engine is one line here.
pub static ENGINES: [&EngineDescription; 2] = [&RESOLUTION, &SEMI_NAIVE];
