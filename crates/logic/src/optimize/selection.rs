//! The list of passes, and the selections of them that users ask for.

use super::closure::Closures;
use super::demand::Demand;
use super::ground::Grounding;
use super::groups::Groups;
use super::keys::Keys;
use super::pass::Pass;
use super::prune::Pruning;
use super::reorder::Reordering;
use super::split::Split;
use ludolog_syntax::ColdSort;
use std::fmt;
use std::str::FromStr;

/// All passes, in the order in which they run.
pub const PASSES: [&dyn Pass; 8] = [&Pruning, &Grounding, &Closures, &Demand, &Groups, &Keys, &Split, &Reordering];

/// A selection of passes: `none`, `grounding`, `reordering`, `both`, `auto`, or passes by name (`pruning,demand`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Optimization {
    /// The program as written.
    None,
    /// Grounding alone.
    Grounding,
    /// Reordering alone.
    Reordering,
    /// Grounding and reordering, as in the founding paper.
    Both,
    /// Each pass where it pays, by the cost model.
    #[default]
    Auto,
    /// These passes, whether they pay or not.
    Passes(Vec<&'static dyn Pass>),
}

impl Optimization {
    /// The five selections that benchmarks compare.
    pub const NAMED: [Optimization; 5] =
        [Optimization::None, Optimization::Grounding, Optimization::Reordering, Optimization::Both, Optimization::Auto];

    /// The passes selected, in the order in which they run; all for `auto`, which then decides on each.
    pub fn passes(&self) -> Vec<&'static dyn Pass> {
        match self {
            Optimization::None => vec![],
            Optimization::Grounding => vec![&Grounding],
            Optimization::Reordering => vec![&Reordering],
            Optimization::Both => vec![&Grounding, &Reordering],
            Optimization::Auto => PASSES.to_vec(),
            Optimization::Passes(passes) => {
                let place = |pass: &&'static dyn Pass| PASSES.iter().position(|other| other == pass);
                let mut ordered = passes.clone();
                ordered.cold_sort_by_key(|pass| place(pass).unwrap_or(PASSES.len()));
                ordered.dedup();
                ordered
            }
        }
    }
}

impl fmt::Display for Optimization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Optimization::None => f.write_str("none"),
            Optimization::Grounding => f.write_str("grounding"),
            Optimization::Reordering => f.write_str("reordering"),
            Optimization::Both => f.write_str("both"),
            Optimization::Auto => f.write_str("auto"),
            Optimization::Passes(passes) => {
                f.write_str(&passes.iter().map(|pass| pass.name()).collect::<Vec<_>>().join(","))
            }
        }
    }
}

impl FromStr for Optimization {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(named) = Optimization::NAMED.into_iter().find(|named| named.to_string() == text) {
            return Ok(named);
        }
        let pass = |name: &str| {
            PASSES.into_iter().find(|pass| pass.name() == name.trim()).ok_or_else(|| {
                format!(
                    "`{name}` is no optimization; there are {}, and the passes {}, several joined by commas",
                    Optimization::NAMED.map(|named| named.to_string()).join(", "),
                    PASSES.map(|pass| pass.name()).join(", "),
                )
            })
        };
        text.split(',').map(pass).collect::<Result<Vec<_>, String>>().map(Optimization::Passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for named in Optimization::NAMED {
            assert_eq!(named.to_string().parse(), Ok(named));
        }
        assert_eq!("grounding".parse(), Ok(Optimization::Grounding));
        let passes = Optimization::Passes(vec![&Reordering, &Pruning]);
        assert_eq!("reordering,pruning".parse(), Ok(passes.clone()));
        assert_eq!(passes.passes(), [&Pruning as &dyn Pass, &Reordering]);
        assert!("fast".parse::<Optimization>().is_err());
        assert!("".parse::<Optimization>().is_err());
    }
}
