//! The configurations of Uiterwijk, *Set Matching*, sections 3 to 5 and table 1.
//!
//! A configuration is its winning sets, as words of markers. The coverings are not stated here:
//! [`Configuration::matching`] finds them, and [`check`](super::check()) decides whether they hold.

use super::strategy::matching_set;
use super::{MatchingPart, MatchingSet};
use crate::points::{Point, Points};
use std::fmt;

/// Winning sets that a matching set covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// The name in the literature.
    pub name: String,
    /// The winning sets, as the numbers of their markers. What a winning set has besides plays no role.
    pub groups: Vec<Vec<Point>>,
}

/// Name and winning sets.
type ConfigurationText = (&'static str, &'static [&'static str]);

/// The configurations with a name of their own, in the order of table 1.
const NAMED: [ConfigurationText; 12] = [
    ("Triangle", &["ab", "adc", "bec"]),
    ("Square", &["ab", "aed", "bfc", "cgd"]),
    ("Triangle/Line", &["ab", "adc", "bec", "dfe"]),
    ("Square/Line", &["ab", "aed", "bfc", "cgd", "ehf"]),
    ("BiTriangle", &["ab", "adc", "agf", "bec", "bhf"]),
    ("BiTriangleX", &["ab", "adc", "aef", "bec", "bgf"]),
    ("FlatStar", &["abc", "adg", "bdf", "beh", "ceg", "fgh"]),
    ("BiTriangle/Line", &["ab", "adc", "agf", "bec", "bhf", "die"]),
    ("BiTriangle/BiLine", &["ab", "adc", "agf", "bec", "bhf", "die", "gjh"]),
    ("BiTriangleX/Line", &["ab", "adc", "aef", "bec", "bgf", "dhg"]),
    ("FlatStar/Line", &["abc", "adg", "bdf", "beh", "bg", "ceg", "fgh"]),
    ("TriTriangleX", &["ab", "adc", "aef", "aih", "bec", "bgf", "bjh"]),
];

impl Configuration {
    /// The configurations with a name of their own, in the order of table 1.
    pub fn named() -> Vec<Configuration> {
        let configuration = |&(name, words): &ConfigurationText| {
            let group = |word: &&str| word.bytes().map(|letter| Point::from(letter - b'a')).collect();
            Configuration { name: name.to_owned(), groups: words.iter().map(group).collect() }
        };
        NAMED.iter().map(configuration).collect()
    }

    /// The cycle of `n` winning sets: neighbors have a common marker, and all but one have one marker of their own.
    ///
    /// # Panics
    ///
    /// If `n` is less than 3.
    pub fn cycle(n: usize) -> Configuration {
        assert!(n >= 3, "a cycle has at least three sides");
        let corner = |i: usize| (i % n) as Point;
        let edge = |i: usize| (n + i - 1) as Point;
        let side = |i: usize| match i {
            0 => vec![corner(0), corner(1)],
            _ => vec![corner(i), edge(i), corner(i + 1)],
        };
        Configuration { name: format!("C{n}"), groups: (0..n).map(side).collect() }
    }

    /// The [cycle](Self::cycle) with one more winning set, through the own markers of the two sides next to the one
    /// that has none, with one marker of its own.
    ///
    /// # Panics
    ///
    /// If `n` is less than 3.
    pub fn cycle_with_line(n: usize) -> Configuration {
        let mut cycle = Configuration::cycle(n);
        cycle.groups.push(vec![n as Point, 2 * n as Point - 2, 2 * n as Point - 1]);
        cycle.name += "/Line";
        cycle
    }

    /// All configurations that are looked for in positions: the named ones, and larger cycles.
    pub fn library() -> Vec<Configuration> {
        let larger = (5..=6).flat_map(|n| [Configuration::cycle(n), Configuration::cycle_with_line(n)]);
        Configuration::named().into_iter().chain(larger).collect()
    }

    /// The number of markers.
    pub fn markers(&self) -> usize {
        self.groups.iter().flatten().max().map_or(0, |&most| most as usize + 1)
    }

    /// The winning sets as bits.
    pub fn sets(&self) -> Vec<Points> {
        self.groups.iter().map(|group| group.iter().copied().collect()).collect()
    }

    /// The winning sets as words, for people: markers are `a`, `b`, ….
    pub fn words(&self) -> Vec<String> {
        let word = |group: &Vec<Point>| group.iter().map(|&marker| letter(marker)).collect();
        self.groups.iter().map(word).collect()
    }

    /// Replies to all markers; `None` if there are none that cover the winning sets.
    pub fn matching(&self) -> Option<MatchingSet> {
        match matching_set(&self.sets())? {
            MatchingPart::Set(set) => Some(set),
            MatchingPart::Pair(_) => None,
        }
    }
}

/// The letter of a marker.
pub fn letter(marker: Point) -> char {
    char::from_u32(u32::from('a') + marker).unwrap_or('?')
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{MatchingSize, check};
    use super::super::{Covering, MatchingPart, MatchingSet};
    use super::*;
    use crate::pairing::hales_jewett;
    use ludolog_syntax::budget::Budget;

    fn size(configuration: &Configuration) -> MatchingSize {
        let matching = [MatchingPart::Set(configuration.matching().expect(&configuration.name))];
        assert_eq!(check(&matching, &configuration.groups, |_| true), Ok(()), "{configuration}");
        MatchingSize::of(&matching, configuration.groups.len())
    }

    /// Markers, groups, reduction and coverage ratio as table 1 of the paper prints them.
    #[test]
    fn table_1_holds() {
        let expected = [
            ("Triangle", 5, 3, 1, "1.67"),
            ("Square", 7, 4, 1, "1.75"),
            ("Triangle/Line", 6, 4, 2, "1.50"),
            ("Square/Line", 8, 5, 2, "1.60"),
            ("BiTriangle", 8, 5, 2, "1.60"),
            ("BiTriangleX", 7, 5, 3, "1.40"),
            ("FlatStar", 8, 6, 4, "1.33"),
            ("BiTriangle/Line", 9, 6, 3, "1.50"),
            ("BiTriangle/BiLine", 10, 7, 4, "1.43"),
            ("BiTriangleX/Line", 8, 6, 4, "1.33"),
            ("FlatStar/Line", 8, 7, 6, "1.14"),
            ("TriTriangleX", 10, 7, 4, "1.43"),
        ];
        let rows: Vec<_> = Configuration::named()
            .into_iter()
            .map(|configuration| {
                let size = size(&configuration);
                assert_eq!(size.depth, 1, "{configuration}");
                let ratio = format!("{:.2}", size.coverage_ratio());
                (configuration.name, size.markers, size.groups, size.reduction(), ratio)
            })
            .collect();
        let rows: Vec<_> = rows.iter().map(|row| (row.0.as_str(), row.1, row.2, row.3, row.4.as_str())).collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn cycles_of_any_length_save_one_marker_and_two_with_a_line() {
        for n in 3..=9 {
            let cycle = size(&Configuration::cycle(n));
            let line = size(&Configuration::cycle_with_line(n));
            assert_eq!((cycle.markers, cycle.groups, cycle.reduction()), (2 * n - 1, n, 1));
            assert_eq!((line.markers, line.groups, line.reduction()), (2 * n, n + 1, 2));
        }
    }

    #[test]
    fn no_configuration_has_a_pairing() {
        for configuration in Configuration::library() {
            assert_eq!(hales_jewett(&configuration.groups, &Budget::unlimited()), Ok(None), "{configuration}");
        }
    }

    /// The coverings that the paper states, `ab cd fg` for a → b {(c, d), (f, g)}; of equivalent ones it states one.
    #[test]
    fn the_stated_coverings_hold() {
        let stated: [(&str, &[&str]); 9] = [
            ("Triangle", &["ab cd", "ca be", "da bc"]),
            ("Square", &["ab cg de", "ca bf dg", "ea bc dg", "ga bf cd"]),
            ("Triangle/Line", &["ab cd ef", "ca be df", "da bc ef", "fa bc de"]),
            ("Square/Line", &["ab cg de fh", "ca bf dg eh", "ea bc dg fh", "ga bf cd eh", "ha bc dg ef"]),
            ("BiTriangle", &["ab cd fg", "ca be fh", "da bc fh"]),
            ("BiTriangleX", &["ab cd ef", "ca be fg", "da bf ce", "ea bc fg"]),
            ("FlatStar", &["ab ce dg fh", "bg ac df eh", "db ag ce fh"]),
            ("FlatStar/Line", &["ab ce dg fh", "bg ac df eh", "db ag ce fh"]),
            (
                "TriTriangleX",
                &["ab cd ef hi", "ca be fg hj", "da bf ce hj", "ea bc fg hj", "ha bj ce fg", "ia bc fg hj"],
            ),
        ];
        for (name, coverings) in stated {
            let all = Configuration::named();
            let configuration = all.iter().find(|configuration| configuration.name == name).unwrap();
            for covering in coverings {
                let pairs: Vec<[Point; 2]> =
                    covering.split(' ').map(|pair| [0, 1].map(|i| Point::from(pair.as_bytes()[i] - b'a'))).collect();
                let [marker, reply] = pairs[0];
                let rest: Vec<MatchingPart> = pairs[1..].iter().map(|&pair| MatchingPart::Pair(pair)).collect();
                let left: Vec<Vec<Point>> =
                    configuration.groups.iter().filter(|group| !group.contains(&reply)).cloned().collect();
                let is_free = |point| point != marker && point != reply;
                assert_eq!(check(&rest, &left, is_free), Ok(()), "{name}: {covering}");
            }
        }
    }

    #[test]
    fn altered_matching_sets_are_refused() {
        for configuration in Configuration::named() {
            let set = configuration.matching().unwrap();
            let is_sound = |set: MatchingSet| check(&[MatchingPart::Set(set)], &configuration.groups, |_| true).is_ok();
            assert!(is_sound(set.clone()));
            for i in 0..set.coverings.len() {
                // Without a covering a marker has no reply; an unknown marker is none of the set.
                let mut shorter = set.clone();
                shorter.coverings.remove(i);
                assert!(!is_sound(shorter), "{configuration} without covering {i}");
                let mut altered = set.clone();
                altered.coverings[i].reply = 99;
                assert!(!is_sound(altered), "{configuration} with another reply {i}");
                let mut altered: MatchingSet = set.clone();
                let Covering { marker, reply, .. } = altered.coverings[i];
                altered.coverings[i].rest.push(MatchingPart::Pair([marker, reply]));
                assert!(!is_sound(altered), "{configuration} with a marker twice {i}");
            }
        }
    }
}
