//! The names of the passes and of the usual selections of them.

use std::fmt;
use std::str::FromStr;

/// One pass, in the order in which they run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    Pruning,
    Grounding,
    Closure,
    Demand,
    Reordering,
}

impl Pass {
    pub const ALL: [Pass; 5] = [Pass::Pruning, Pass::Grounding, Pass::Closure, Pass::Demand, Pass::Reordering];

    pub fn name(self) -> &'static str {
        match self {
            Pass::Pruning => "pruning",
            Pass::Grounding => "grounding",
            Pass::Closure => "closure",
            Pass::Demand => "demand",
            Pass::Reordering => "reordering",
        }
    }
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What users ask for: `none`, `grounding`, `reordering`, `both`, `auto`, or passes by name (`pruning,demand`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Optimization {
    /// The program as written.
    None,
    Grounding,
    Reordering,
    /// Grounding and reordering, as in the founding paper.
    Both,
    /// What pays, by the cost model.
    #[default]
    Auto,
    /// These passes, whether they pay or not.
    Passes(Vec<Pass>),
}

impl Optimization {
    /// The five selections that benchmarks compare.
    pub const NAMED: [Optimization; 5] =
        [Optimization::None, Optimization::Grounding, Optimization::Reordering, Optimization::Both, Optimization::Auto];

    /// The passes selected, in the order in which they run; all for `auto`, which then decides on each.
    pub fn passes(&self) -> Vec<Pass> {
        match self {
            Optimization::None => vec![],
            Optimization::Grounding => vec![Pass::Grounding],
            Optimization::Reordering => vec![Pass::Reordering],
            Optimization::Both => vec![Pass::Grounding, Pass::Reordering],
            Optimization::Auto => Pass::ALL.to_vec(),
            Optimization::Passes(passes) => Pass::ALL.into_iter().filter(|pass| passes.contains(pass)).collect(),
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
            Pass::ALL.into_iter().find(|pass| pass.name() == name.trim()).ok_or_else(|| {
                format!(
                    "`{name}` is no optimization; there are none, grounding, reordering, both, auto, and the passes \
                     pruning, grounding, closure, demand, reordering, several joined by commas"
                )
            })
        };
        text.split(',').map(pass).collect::<Result<Vec<Pass>, String>>().map(Optimization::Passes)
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
        let passes = Optimization::Passes(vec![Pass::Reordering, Pass::Pruning]);
        assert_eq!("reordering,pruning".parse(), Ok(passes.clone()));
        assert_eq!(passes.passes(), [Pass::Pruning, Pass::Reordering]);
        assert!("fast".parse::<Optimization>().is_err());
        assert!("".parse::<Optimization>().is_err());
    }
}
