//! Decimals, dates and times as texts, each of a column with the same number of digits behind the point, so that times of one column
//! are in the order of their texts.

use parquet::basic::TimeUnit;

const SECONDS_PER_DAY: i64 = 86_400;

/// The Julian day of 1970-01-01.
const JULIAN_1970: i64 = 2_440_588;

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

impl From<TimeUnit> for Unit {
    fn from(unit: TimeUnit) -> Unit {
        match unit {
            TimeUnit::MILLIS => Unit::Milliseconds,
            TimeUnit::MICROS => Unit::Microseconds,
            TimeUnit::NANOS => Unit::Nanoseconds,
        }
    }
}

impl Unit {
    /// The digits behind the point of a second.
    fn digits(self) -> u32 {
        match self {
            Unit::Milliseconds => 3,
            Unit::Microseconds => 6,
            Unit::Nanoseconds => 9,
        }
    }

    fn per_second(self) -> i64 {
        10_i64.pow(self.digits())
    }
}

/// A number of so many units behind the point: `-0.05` of -5 and 2.
pub fn decimal(n: i128, scale: u32) -> String {
    let scale = scale as usize;
    let digits = format!("{:0>width$}", n.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if n < 0 { "-" } else { "" };
    format!("{sign}{whole}.{fraction}")
}

/// The date of a day since 1970, in the Gregorian calendar, as `2026-11-27`. The computation counts days in eras of 400 years that begin
/// with March (Hinnant, *chrono-Compatible Low-Level Date Algorithms*, `civil_from_days`).
pub fn date(day: i64) -> String {
    let from_march = day + 719_468;
    let era = from_march.div_euclid(146_097);
    let day_of_era = from_march.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day_of_month:02}")
}

/// The time of a day, as `23:59:59.999`.
pub fn time(units: i64, unit: Unit) -> String {
    let seconds = units.div_euclid(unit.per_second());
    let fraction = units.rem_euclid(unit.per_second());
    let minutes = seconds.div_euclid(60);
    let hours = minutes.div_euclid(60);
    let width = unit.digits() as usize;
    format!("{hours:02}:{:02}:{:02}.{fraction:0width$}", minutes.rem_euclid(60), seconds.rem_euclid(60))
}

/// A time since 1970, as `2026-11-27T23:59:59.999`, with a `Z` behind it if it is that of UTC.
pub fn timestamp(units: i64, unit: Unit, is_utc: bool) -> String {
    let per_day = SECONDS_PER_DAY * unit.per_second();
    let zone = if is_utc { "Z" } else { "" };
    format!("{}T{}{zone}", date(units.div_euclid(per_day)), time(units.rem_euclid(per_day), unit))
}

/// The time of a Julian day and nanoseconds since its midnight.
pub fn julian(day: u32, nanoseconds: u64) -> String {
    let per_day = SECONDS_PER_DAY as u64 * Unit::Nanoseconds.per_second() as u64;
    let days = (nanoseconds / per_day) as i64 + i64::from(day) - JULIAN_1970;
    format!("{}T{}", date(days), time((nanoseconds % per_day) as i64, Unit::Nanoseconds))
}

/// Sixteen bytes in hexadecimal digits, in groups.
pub fn uuid(bytes: &[u8]) -> String {
    let hex = |byte: &u8| format!("{byte:02x}");
    let mut text: String = bytes.iter().map(hex).collect();
    for at in [20, 16, 12, 8] {
        if text.len() > at {
            text.insert(at, '-');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the calendar, day by day.
    #[test]
    fn dates_follow_each_other() {
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = |year, month| match month {
            2 => 28 + i64::from(is_leap(year)),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        // 1582-10-15 is 141,427 days before 1970.
        let mut expected = (1582, 10, 15);
        for day in -141_427..100_000 {
            let (year, month, of_month) = expected;
            assert_eq!(date(day), format!("{year:04}-{month:02}-{of_month:02}"), "{day}");
            expected = match (month, of_month) {
                (12, 31) => (year + 1, 1, 1),
                (_, last) if last == length(year, month) => (year, month + 1, 1),
                _ => (year, month, of_month + 1),
            };
        }
        assert_eq!((date(0), date(-1)), ("1970-01-01".to_owned(), "1969-12-31".to_owned()));
    }

    #[test]
    fn numbers_and_times_have_their_digits() {
        let decimals = [(5, 2, "0.05"), (-5, 2, "-0.05"), (110, 2, "1.10"), (-1234, 3, "-1.234"), (0, 1, "0.0")];
        for (n, scale, expected) in decimals {
            assert_eq!(decimal(n, scale), expected);
        }
        assert_eq!(decimal(i128::MIN, 38), "-1.70141183460469231731687303715884105728");
        assert_eq!(timestamp(-1, Unit::Milliseconds, true), "1969-12-31T23:59:59.999Z");
        assert_eq!(timestamp(951_782_400_000_001, Unit::Microseconds, false), "2000-02-29T00:00:00.000001");
        assert_eq!(time(86_399_999_999_999, Unit::Nanoseconds), "23:59:59.999999999");
        assert_eq!(julian(2_440_589, 1), "1970-01-02T00:00:00.000000001");
        assert_eq!(timestamp(i64::MIN, Unit::Milliseconds, false), "-292275055-05-16T16:47:04.192");
        assert_eq!(uuid(&[0xAB; 16]), "abababab-abab-abab-abab-abababababab");
    }
}
