//! The answer to the benchmark's question, in words, from its figures.

use super::rates::{LANES, NET};
use super::{Kind, Pairing, Rate, Report};
use crate::report::format;
use std::cmp::Ordering;

/// The smallest factor between rates that is told as a difference: what runs differ by otherwise.
const NOTABLE: f64 = 1.2;

/// The answer.
pub(super) fn answer(report: &Report) -> String {
    let parts = [by_rules(report), by_nets(report), matches(report), optimizer(report)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        "Nothing was measured.".to_owned()
    } else {
        format!("{} {}", headline(report), parts.join(" "))
    }
}

/// Wordings with a rate each, the fastest first.
type Ranked<'r> = Vec<(&'r str, f64)>;

/// The wordings by the best rate that each has among some.
fn ranked(report: &Report, counts: impl Fn(&Rate) -> bool) -> Ranked<'_> {
    let rate = |name: &str| {
        let rates = report.rates.iter().filter(|rate| rate.formulation == name && counts(rate));
        rates.filter_map(Rate::median).max_by(f64::total_cmp)
    };
    let names = report.formulations.iter().map(|row| row.formulation);
    let mut ranked: Ranked<'_> = names.filter_map(|name| Some((name, rate(name)?))).collect();
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    ranked
}

fn is_interpreted(rate: &Rate) -> bool {
    rate.optimization.is_some()
}

/// The factor between the fastest and the slowest; `None` for less than two.
fn factor(ranked: &Ranked<'_>) -> Option<f64> {
    match &ranked[..] {
        [(_, fastest), .., (_, slowest)] => Some(fastest / slowest),
        _ => None,
    }
}

fn headline(report: &Report) -> String {
    let factors = [factor(&ranked(report, is_interpreted)), factor(&ranked(report, |rate| rate.reasoner == LANES))];
    let Some(most) = factors.into_iter().flatten().max_by(f64::total_cmp) else {
        return "There are too few figures for a comparison.".to_owned();
    };
    let pairs: Vec<&Pairing> =
        report.pairings.iter().filter(|pairing| pairing.kind != Kind::Optimizer && pairing.mean.is_some()).collect();
    let decided = pairs.iter().filter(|pairing| pairing.is_decided()).count();
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
    format!("{speed} on a board of {}{playing}.", report.board)
}

fn by_rules(report: &Report) -> Option<String> {
    let ranked = ranked(report, is_interpreted);
    let [(fastest, high), .., (slowest, low)] = &ranked[..] else { return None };
    let stuck: Vec<&str> = report.formulations.iter().map(|row| row.formulation).collect();
    let stuck: Vec<&str> = stuck
        .into_iter()
        .filter(|name| {
            let mut rates =
                report.rates.iter().filter(|rate| rate.formulation == *name && is_interpreted(rate)).peekable();
            rates.peek().is_some() && rates.all(|rate| rate.median().is_none())
        })
        .collect();
    let stuck = if stuck.is_empty() { String::new() } else { format!("; {} did not play at all", stuck.join(" and ")) };
    Some(format!(
        "Interpreted, each under its best optimization, {fastest} is fastest with {} playouts a second and {slowest} slowest with {}{stuck}.",
        format::count(*high),
        format::count(*low)
    ))
}

fn by_nets(report: &Report) -> Option<String> {
    let ranked = ranked(report, |rate| rate.reasoner == LANES);
    let (fastest, high) = ranked.first()?;
    let slowest = match &ranked[..] {
        [_, .., (slowest, low)] => format!(" and {slowest} slowest with {}", format::count(*low)),
        _ => String::new(),
    };
    let none: Vec<&str> =
        report.formulations.iter().filter(|row| row.no_net.is_some()).map(|row| row.formulation).collect();
    let none = if none.is_empty() { String::new() } else { format!("; {} has no net", none.join(" and ")) };
    let alone = self::ranked(report, |rate| rate.reasoner == NET);
    let alone = match factor(&alone) {
        Some(factor) => format!(" Asked state by state, nets differ by a factor of {}.", format::count(factor)),
        None => String::new(),
    };
    Some(format!("As nets, {fastest} is fastest with {}{slowest}{none}.{alone}", format::count(*high)))
}

fn matches(report: &Report) -> Option<String> {
    let clock = format::time(report.play_clock_seconds * 1e9);
    let told: Vec<String> = [(Kind::Net, "as nets where there is one"), (Kind::Interpreted, "interpreted")]
        .into_iter()
        .filter_map(|(kind, how)| {
            let pairs = report.pairings.iter().filter(|pairing| pairing.kind == kind && pairing.mean.is_some());
            let pairs: Vec<&Pairing> = pairs.collect();
            let opponent = pairs.first()?.opponent.formulation;
            let [better, worse] = [Ordering::Greater, Ordering::Less].map(|order| {
                let is = |pairing: &&&Pairing| {
                    pairing.is_decided() && pairing.mean.and_then(|mean| mean.partial_cmp(&50.0)) == Some(order)
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
        })
        .collect();
    (!told.is_empty()).then(|| format!("In matches with {clock} a move: {}.", told.join("; ")))
}

/// A wording with its score and interval.
fn score(pairing: &Pairing) -> String {
    let (Some(mean), Some([low, high])) = (pairing.mean, pairing.confidence_95) else {
        return pairing.player.formulation.to_owned();
    };
    format!("{} ({mean:.0} of 100, {low:.0} to {high:.0})", pairing.player.formulation)
}

/// The greatest gain by an optimization, and what it does in matches.
fn optimizer(report: &Report) -> Option<String> {
    let gains = report.rates.iter().filter_map(|rate| {
        let none = report.rate(rate.formulation, rate.reasoner, Some("none"))?;
        Some((rate.median()? / none.median()?, rate))
    });
    let (gain, rate) = gains.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    let first: Vec<&Rate> = report
        .rates
        .iter()
        .filter(|rate| {
            let none = report.rate(rate.formulation, rate.reasoner, Some("none"));
            rate.median().is_some() && none.is_some_and(|none| none.median().is_none())
        })
        .collect();
    let mut enabled: Vec<String> =
        first.iter().map(|rate| format!("{} on {}", rate.formulation, rate.reasoner)).collect();
    enabled.dedup();
    let gain = if gain >= NOTABLE {
        format!(
            "The optimizer gains up to a factor of {} ({} on {}, {})",
            format::count(gain),
            rate.formulation,
            rate.reasoner,
            rate.optimization.as_deref().unwrap_or_default()
        )
    } else {
        "The optimizer gains next to nothing where rules run as written".to_owned()
    };
    let enabled = if enabled.is_empty() {
        String::new()
    } else {
        format!(" and makes {} playable at all", enabled.join(" and "))
    };
    let pairs = report.pairings.iter().filter(|pairing| pairing.kind == Kind::Optimizer && pairing.is_decided());
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
    use crate::environment::Environment;
    use crate::formulations::{Row, Side};

    fn rate(
        formulation: &'static str,
        reasoner: &'static str,
        optimization: Option<&str>,
        median: Option<f64>,
    ) -> Rate {
        Rate {
            formulation,
            reasoner,
            optimization: optimization.map(str::to_owned),
            kept_as_written: false,
            playouts_per_cpu_second: median.map(|median| [median; 3]),
            samples: 5,
            work_per_move: None,
            reason: None,
        }
    }

    fn pairing(kind: Kind, formulation: &'static str, mean: f64, confidence_95: [f64; 2]) -> Pairing {
        let side = |formulation| Side { formulation, reasoner: "interpreted", optimization: None };
        Pairing {
            kind,
            player: side(formulation),
            opponent: side("reachability"),
            matches: 20,
            mean: Some(mean),
            confidence_95: Some(confidence_95),
            playouts_per_second: [Some(1.0), Some(2.0)],
            faults: [0, 0],
            reason: None,
        }
    }

    fn report() -> Report {
        let row = |formulation| Row { formulation, ..Row::default() };
        Report {
            benchmark: "formulations",
            environment: Environment::current(),
            interrupted: false,
            answer: String::new(),
            board: "4x4".to_owned(),
            seconds: 1.0,
            play_clock_seconds: 0.1,
            formulations: vec![row("power-set"), row("reachability")],
            rates: Vec::new(),
            pairings: Vec::new(),
        }
    }

    #[test]
    fn the_answer_says_what_the_figures_say() {
        let mut report = report();
        assert_eq!(answer(&report), "Nothing was measured.");
        report.rates = vec![
            rate("power-set", LANES, None, Some(8e6)),
            rate("reachability", LANES, None, Some(2e6)),
            rate("power-set", "semi-naive", Some("none"), None),
            rate("power-set", "semi-naive", Some("auto"), Some(100.0)),
            rate("reachability", "semi-naive", Some("none"), Some(1000.0)),
            rate("reachability", "semi-naive", Some("auto"), Some(1500.0)),
        ];
        report.pairings = vec![
            pairing(Kind::Interpreted, "power-set", 10.0, [0.0, 25.0]),
            pairing(Kind::Net, "power-set", 55.0, [30.0, 75.0]),
            pairing(Kind::Optimizer, "power-set", 90.0, [75.0, 100.0]),
        ];
        let told = answer(&report);
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
        report.rates.iter_mut().for_each(|rate| rate.playouts_per_cpu_second = Some([1e3; 3]));
        report.pairings.iter_mut().for_each(|pairing| pairing.confidence_95 = Some([40.0, 60.0]));
        let told = answer(&report);
        assert!(told.contains("hardly matters") && told.contains("do not tell the wordings apart"), "{told}");
        assert!(told.contains("gains next to nothing") && !told.contains("beats itself"), "{told}");
    }
}
