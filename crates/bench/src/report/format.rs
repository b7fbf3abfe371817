//! Times and counts with units, to three significant digits.

/// A time in nanoseconds, with its unit: `84 ns`, `1.20 µs`, `368 ms`, `15.0 min`.
pub fn time(ns: f64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e6, "µs"), (1e9, "ms"), (60e9, "s")];
    if ns < 999.5 {
        return format!("{ns:.0} ns");
    }
    let mut scale = 1e3;
    for (next, unit) in UNITS {
        if ns < next * 0.9995 {
            return format!("{} {unit}", digits(ns / scale));
        }
        scale = next;
    }
    format!("{} min", digits(ns / 60e9))
}

/// A count or factor with its magnitude: `7`, `12.5`, `24.6k`, `2.55M`.
pub fn count(n: f64) -> String {
    const MAGNITUDES: [(f64, &str); 3] = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    match MAGNITUDES.iter().find(|(magnitude, _)| n >= magnitude * 0.9995) {
        Some((magnitude, suffix)) => format!("{}{suffix}", digits(n / magnitude)),
        None if n.fract() == 0.0 => format!("{n:.0}"),
        None => digits(n),
    }
}

/// Three significant digits, as far as there is something behind the point.
fn digits(x: f64) -> String {
    match x {
        x if x >= 99.95 => format!("{x:.0}"),
        x if x >= 9.995 => format!("{x:.1}"),
        x => format!("{x:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_and_the_right_unit() {
        let told = [0.0, 84.4, 999.9, 1_204.0, 368e6, 999.96e6, 41e9, 900e9].map(time);
        assert_eq!(told, ["0 ns", "84 ns", "1.00 µs", "1.20 µs", "368 ms", "1.00 s", "41.0 s", "15.0 min"]);
    }

    #[test]
    fn counts_have_magnitudes() {
        assert_eq!(
            [7.0, 12.5, 1.234, 999.0, 24_640.0, 2_554_087.0].map(count),
            ["7", "12.5", "1.23", "999", "24.6k", "2.55M"]
        );
    }
}
