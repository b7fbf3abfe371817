//! The answer to the benchmark's question, in words, from its figures.

use super::rates::{LANES, NET};
use super::*;
use crate::report::format;
use ludolog_syntax::ColdSort;
use std::cmp::Ordering;

/// The smallest factor between rates that is told as a difference: what runs differ by otherwise.
const NOTABLE: f64 = 1.2;

/// The answer.
pub(super) fn answer(results: &Record) -> String {
    let parts = [by_rules(results), by_nets(results), matches(results), optimizer(results)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "Nothing was measured.".to_owned()
    } else {
        format!("{} {}", headline(results), parts.join(" "))
    }
}

/// Wordings with a rate each, the fastest first.
type Ranked<'r> = Vec<(&'r str, f64)>;

/// The wordings by the best rate that each has among some.
fn ranked(results: &Record, counts: impl Fn(&Record) -> bool) -> Ranked<'_> {
    let rate = |name: &str| {
        let rates = results.records(RATES).filter(|rate| rate.text(FORMULATION) == name && counts(rate));
        rates.filter_map(median).max_by(f64::total_cmp)
    };
    let mut ranked: Ranked<'_> = names(results).filter_map(|name| Some((name, rate(name)?))).collect();
    ranked.cold_sort_by(|(_, one), (_, other)| other.total_cmp(one));
    ranked
}

fn names(results: &Record) -> impl Iterator<Item = &str> {
    results.records(FORMULATIONS).map(|row| row.text(FORMULATION))
}

fn is_interpreted(rate: &Record) -> bool {
    rate.has(OPTIMIZATION)
}

/// The factor between the fastest and the slowest; `None` for less than two.
fn factor(ranked: &Ranked<'_>) -> Option<f64> {
    match &ranked[..] {
        [(_, fastest), .., (_, slowest)] => Some(fastest / slowest),
        _ => None,
    }
}

fn headline(results: &Record) -> String {
    let factors =
        [factor(&ranked(results, is_interpreted)), factor(&ranked(results, |rate| rate.text(REASONER) == LANES))];
    let Some(most) = factors.into_iter().flatten().max_by(f64::total_cmp) else {
        return "There are too few figures for a comparison.".to_owned();
    };
    let pairs = results.records(PAIRINGS).filter(|pairing| pairing.text(KIND) != OPTIMIZER && pairing.has(MEAN));
    let pairs: Vec<&Record> = pairs.collect();
    let decided = pairs.iter().filter(|pairing| is_decided(pairing)).count();
    let playing = match (pairs.len(), decided) {
        (0, _) => String::new(),
        (_, 0) => ", but matches at equal clock do not tell the wordings apart".to_owned(),
        (all, decided) => {
            format!(", and it decides matches: in {decided} of {all} pairs of wordings one player is better")
        }
    };
    let speed = if most >= NOTABLE {
        format!("The wording of the rules matters to a player: by up to a factor of {} in speed", format::count(most))
    } else {
        "The wording of the rules hardly matters to a player's speed".to_owned()
    };
    format!("{speed} on a board of {}{playing}.", results.text(BOARD))
}

fn by_rules(results: &Record) -> Option<String> {
    let ranked = ranked(results, is_interpreted);
    let [(fastest, high), .., (slowest, low)] = &ranked[..] else { return None };
    let is_stuck = |name: &&str| {
        let mut rates =
            results.records(RATES).filter(|rate| rate.text(FORMULATION) == *name && is_interpreted(rate)).peekable();
        rates.peek().is_some() && rates.all(|rate| median(rate).is_none())
    };
    let stuck: Vec<&str> = names(results).filter(is_stuck).collect();
    let stuck = if stuck.is_empty() { String::new() } else { format!("; {} did not play at all", stuck.join(" and ")) };
    Some(format!(
        "Interpreted, each under its best optimization, {fastest} is fastest with {} playouts a second and {slowest} slowest with {}{stuck}.",
        format::count(*high),
        format::count(*low)
    ))
}

fn by_nets(results: &Record) -> Option<String> {
    let ranked = ranked(results, |rate| rate.text(REASONER) == LANES);
    let (fastest, high) = ranked.first()?;
    let slowest = match &ranked[..] {
        [_, .., (slowest, low)] => format!(" and {slowest} slowest with {}", format::count(*low)),
        _ => String::new(),
    };
    let none = results.records(FORMULATIONS).filter(|row| row.has(NO_NET));
    let none: Vec<&str> = none.map(|row| row.text(FORMULATION)).collect();
    let none = if none.is_empty() { String::new() } else { format!("; {} has no net", none.join(" and ")) };
    let alone = self::ranked(results, |rate| rate.text(REASONER) == NET);
    let alone = match factor(&alone) {
        Some(factor) => format!(" Asked state by state, nets differ by a factor of {}.", format::count(factor)),
        None => String::new(),
    };
    Some(format!("As nets, {fastest} is fastest with {}{slowest}{none}.{alone}", format::count(*high)))
}

fn matches(results: &Record) -> Option<String> {
    let clock = results.told(PLAY_CLOCK);
    let kinds = [(NETS, "as nets where there is one"), (INTERPRETED, "interpreted")];
    let told: Vec<String> = kinds.into_iter().filter_map(|(kind, how)| matches_of(results, kind, how)).collect();
    (!told.is_empty()).then(|| format!("In matches with {clock} a move: {}.", told.join("; ")))
}

/// Which wordings won and lost against the opponent as this kind of reasoner, where matches were played.
fn matches_of(results: &Record, kind: &str, how: &str) -> Option<String> {
    let pairs = results.records(PAIRINGS).filter(|pairing| pairing.text(KIND) == kind && pairing.has(MEAN));
    let pairs: Vec<&Record> = pairs.collect();
    let opponent = pairs.first()?.inner(OPPONENT)?.text(FORMULATION);
    let [better, worse] = [Ordering::Greater, Ordering::Less].map(|order| {
        let is = |pairing: &&&Record| {
            is_decided(pairing) && pairing.number(MEAN).and_then(|mean| mean.partial_cmp(&50.0)) == Some(order)
        };
        pairs.iter().filter(is).map(|pairing| score(pairing)).collect::<Vec<_>>()
    });
    let found = match (better.is_empty(), worse.is_empty()) {
        (true, true) => "no wording is told apart from it".to_owned(),
        (false, true) => format!("better is {}", better.join(", ")),
        (true, false) => format!("worse is {}", worse.join(", ")),
        (false, false) => format!("better is {}; worse is {}", better.join(", "), worse.join(", ")),
    };
    Some(format!("{how}, against {opponent}, {found}"))
}

/// A wording with its score and interval.
fn score(pairing: &Record) -> String {
    let name = pairing.inner(PLAYER).map_or("", |player| player.text(FORMULATION));
    format!("{name} ({} of 100, {})", pairing.told(MEAN), pairing.told(CONFIDENCE))
}

/// The greatest gain by an optimization, and what it does in matches.
fn optimizer(results: &Record) -> Option<String> {
    let as_written = |optimized: &Record| {
        Some(median(rate(results, optimized.text(FORMULATION), optimized.text(REASONER), "none")?))
    };
    let gains = results.records(RATES).filter_map(|rate| Some((median(rate)? / as_written(rate)??, rate)));
    let (gain, rate) = gains.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let first = results.records(RATES).filter(|rate| median(rate).is_some() && as_written(rate) == Some(None));
    let mut enabled: Vec<String> =
        first.map(|rate| format!("{} on {}", rate.text(FORMULATION), rate.text(REASONER))).collect();
    enabled.dedup();
    let gain = if gain >= NOTABLE {
        format!(
            "The optimizer gains up to a factor of {} ({} on {}, {})",
            format::count(gain),
            rate.text(FORMULATION),
            rate.text(REASONER),
            rate.text(OPTIMIZATION)
        )
    } else {
        "The optimizer gains next to nothing where rules run as written".to_owned()
    };
    let enabled = if enabled.is_empty() {
        String::new()
    } else {
        format!(" and makes {} playable at all", enabled.join(" and "))
    };
    let pairs = results.records(PAIRINGS).filter(|pairing| pairing.text(KIND) == OPTIMIZER && is_decided(pairing));
    let pairs: Vec<String> = pairs.map(score).collect();
    let pairs = if pairs.is_empty() {
        String::new()
    } else {
        format!("; with it the same player beats itself without it on {}", pairs.join(", "))
    };
    Some(format!("{gain}{enabled}{pairs}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formulations::{PAIRING, RATE_ROW, ROW};

    fn rate(formulation: &str, reasoner: &str, optimization: Option<&str>, median: Option<f64>) -> Record {
        let rate = Record::of(RATE_ROW).with(FORMULATION, formulation).with(REASONER, reasoner);
        rate.with(OPTIMIZATION, optimization).with(RATE, median.map(|median| [median; 3]))
    }

    fn pairing(kind: &str, formulation: &str, mean: f64, confidence: [f64; 2]) -> Record {
        let [player, opponent] = [formulation, "reachability"].map(|name| Record::default().with(FORMULATION, name));
        let pairing = Record::of(PAIRING).with(KIND, kind).with(PLAYER, player).with(OPPONENT, opponent);
        pairing.with(MEAN, mean).with(CONFIDENCE, confidence)
    }

    fn results() -> Record {
        let rows = ["power-set", "reachability"].map(|name| Record::of(ROW).with(FORMULATION, name));
        Record::of(&[RATES, PAIRINGS]).with(BOARD, "4x4").with(PLAY_CLOCK, 0.1).with(FORMULATIONS, rows)
    }

    #[test]
    fn the_answer_says_what_the_figures_say() {
        let mut results = results();
        assert_eq!(answer(&results), "Nothing was measured.");
        let rates = [
            rate("power-set", LANES, None, Some(8e6)),
            rate("reachability", LANES, None, Some(2e6)),
            rate("power-set", "semi-naive", Some("none"), None),
            rate("power-set", "semi-naive", Some("auto"), Some(100.0)),
            rate("reachability", "semi-naive", Some("none"), Some(1000.0)),
            rate("reachability", "semi-naive", Some("auto"), Some(1500.0)),
        ];
        results.set(RATES, rates.clone());
        let pairings = [
            pairing(INTERPRETED, "power-set", 10.0, [0.0, 25.0]),
            pairing(NETS, "power-set", 55.0, [30.0, 75.0]),
            pairing(OPTIMIZER, "power-set", 90.0, [75.0, 100.0]),
        ];
        results.set(PAIRINGS, pairings.clone());
        let told = answer(&results);
        for part in [
            "matters to a player: by up to a factor of 15 in speed on a board of 4x4, and it decides matches: in 1 of 2 pairs",
            "reachability is fastest with 1.50k playouts a second and power-set slowest with 100",
            "As nets, power-set is fastest with 8.00M and reachability slowest with 2.00M",
            "as nets where there is one, against reachability, no wording is told apart from it",
            "interpreted, against reachability, worse is power-set (10 of 100, 0 to 25)",
            "up to a factor of 1.50 (reachability on semi-naive, auto) and makes power-set on semi-naive playable at all",
            "beats itself without it on power-set (90 of 100, 75 to 100)",
        ] {
            assert!(told.contains(part), "{part}\n{told}");
        }
        // Other figures, another answer.
        results.set(RATES, rates.map(|rate| rate.with(RATE, [1e3; 3])));
        results.set(PAIRINGS, pairings.map(|pairing| pairing.with(CONFIDENCE, [40.0, 60.0])));
        let told = answer(&results);
        assert!(told.contains("hardly matters") && told.contains("do not tell the wordings apart"), "{told}");
        assert!(told.contains("gains next to nothing") && !told.contains("beats itself"), "{told}");
    }
}
