//! Fields of several benchmarks.

use super::{Field, Unit};

/// The wording of the rules, or the program.
pub const FORMULATION: Field = Field::plain("formulation");
/// The optimization of rules.
pub const OPTIMIZATION: Field = Field::plain("optimization");
/// The game.
pub const GAME: Field = Field::plain("game");
/// What plays it: the rules, or a net in some way.
pub const REASONER: Field = Field::plain("reasoner");
/// The reason why it cannot be played.
pub const ERROR: Field = Field::plain("error");
/// The reason why it has no net.
pub const NO_NET: Field = Field::plain("no_net");
/// The number of ground rules.
pub const GROUND_RULES: Field = Field::new("ground_rules", Unit::Magnitude);
/// The number of gates.
pub const GATES: Field = Field::new("gates", Unit::Magnitude);
/// The time of making the net.
pub const NET_TIME: Field = Field::new("net_seconds", Unit::Seconds);
/// The rate of playouts.
pub const RATE: Field = Field::new("playouts_per_cpu_second", Unit::Magnitude);
/// The time of measuring a rate.
pub const PLAYED_FOR: Field = Field::plain("seconds");
/// The number of samples.
pub const SAMPLES: Field = Field::plain("samples");
/// The reason why there is no figure.
pub const REASON: Field = Field::plain("reason");
/// One sentence for each wrong result. A run with failures has failed.
pub const FAILURES: Field = Field::list("failures");
