//! Fields of several benchmarks.

use crate::fields;

fields! {
    FORMULATION: "formulation" Plain; // The wording of the rules, or the program.
    OPTIMIZATION: "optimization" Plain;
    GAME: "game" Plain;
    REASONER: "reasoner" Plain; // What plays it: the rules, or a net in some way.
    ERROR: "error" Plain; // Why it cannot be played.
    NO_NET: "no_net" Plain; // Why it has no net.
    GROUND_RULES: "ground_rules" Magnitude;
    GATES: "gates" Magnitude;
    NET_TIME: "net_seconds" Seconds; // The time of making the net.
    RATE: "playouts_per_cpu_second" Magnitude;
    PLAYED_FOR: "seconds" Plain; // The time of measuring a rate.
    SAMPLES: "samples" Plain;
    REASON: "reason" Plain; // Why there is no figure.
    FAILURES: "failures" List; // One sentence for each wrong result. A run with failures has failed.
}
