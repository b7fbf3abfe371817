//! The numbers behind the name of a game, as in `y-4` or `hex-swap-5x4`, with their bounds.

use std::fmt;

/// One of the numbers that a game has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The unit that is counted, as in *columns*.
    pub name: &'static str,
    /// The least value.
    pub least: usize,
    /// The largest value.
    pub most: usize,
}

/// The numbers that a game has, and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeForm {
    /// The numbers in order.
    pub parameters: &'static [Parameter],
    /// The size of the game that is named without one.
    pub usual: &'static [usize],
    /// The text between them.
    pub separator: char,
    /// Whether the last number may be repeated, up to [`MOST_NUMBERS`] numbers in all.
    pub repeats: bool,
}

/// Most numbers of a size.
pub const MOST_NUMBERS: usize = 8;

/// The numbers of a size, as many as the [`SizeForm`] has parameters, or more if it repeats.
pub type Size = Vec<usize>;

/// Why a text is not a size of a game, or a game does not exist: a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchGame {
    /// The sentence.
    pub message: String,
}

impl fmt::Display for NoSuchGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for NoSuchGame {}

impl From<String> for NoSuchGame {
    fn from(message: String) -> Self {
        NoSuchGame { message }
    }
}

/// Columns and rows between bounds.
pub(crate) const fn columns_and_rows(least: usize, most: usize) -> [Parameter; 2] {
    [Parameter { name: "columns", least, most }, Parameter { name: "rows", least, most }]
}

impl SizeForm {
    /// The form of numbers that are written with an `x` between them.
    pub(crate) const fn of(parameters: &'static [Parameter], usual: &'static [usize]) -> SizeForm {
        SizeForm { parameters, usual, separator: 'x', repeats: false }
    }

    /// Writes a size.
    pub fn text(&self, size: &[usize]) -> String {
        let numbers: Vec<String> = size.iter().map(usize::to_string).collect();
        numbers.join(&self.separator.to_string())
    }

    /// Reads a size.
    ///
    /// # Errors
    ///
    /// [`NoSuchGame`], with the bounds, if the text has another form or a number is out of bounds.
    pub fn parse(&self, text: &str) -> Result<Size, NoSuchGame> {
        let wrong =
            || NoSuchGame { message: format!("`{text}` is no size of it: {self}, as in {}", self.text(self.usual)) };
        let numbers: Result<Size, _> = text.split(self.separator).map(parse_number).collect();
        let numbers = numbers.map_err(|()| wrong())?;
        let most = if self.repeats { MOST_NUMBERS } else { self.parameters.len() };
        let is_right = (self.parameters.len()..=most).contains(&numbers.len())
            && numbers.iter().enumerate().all(|(i, number)| {
                let parameter = self.parameters[i.min(self.parameters.len() - 1)];
                (parameter.least..=parameter.most).contains(number)
            });
        if is_right { Ok(numbers) } else { Err(wrong()) }
    }
}

/// Reads digits without a leading zero: every size has one name.
fn parse_number(text: &str) -> Result<usize, ()> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_plain { text.parse().map_err(|_| ()) } else { Err(()) }
}

/// The bounds, as in *columns (1 to 19) x rows (1 to 19)*.
impl fmt::Display for SizeForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, Parameter { name, least, most, .. }) in self.parameters.iter().enumerate() {
            let before = if i > 0 { format!(" {} ", self.separator) } else { String::new() };
            write!(f, "{before}{name} ({least} to {most})")?;
        }
        if self.repeats {
            write!(f, " {} ..., at most {MOST_NUMBERS} numbers", self.separator)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANE: SizeForm = SizeForm::of(&columns_and_rows(2, 9), &[5, 5]);
    const HEAPS: SizeForm = SizeForm {
        parameters: &[Parameter { name: "heap", least: 1, most: 9 }],
        usual: &[1, 3, 5],
        separator: '-',
        repeats: true,
    };

    #[test]
    fn sizes_are_read_within_their_bounds() {
        assert_eq!(PLANE.parse("3x9"), Ok(vec![3, 9]));
        for wrong in ["", "3", "3x", "1x3", "3x10", "3x3x3", "3-3", "03x3", "+3x3", "99999999999999999999x3"] {
            let message = PLANE.parse(wrong).expect_err(wrong).message;
            assert_eq!(message, format!("`{wrong}` is no size of it: columns (2 to 9) x rows (2 to 9), as in 5x5"));
        }
        assert_eq!(HEAPS.parse("1-3-5"), Ok(vec![1, 3, 5]));
        assert!(HEAPS.parse("1-0").is_err() && HEAPS.parse("1-1-1-1-1-1-1-1-1").is_err());
        assert_eq!(HEAPS.to_string(), "heap (1 to 9) - ..., at most 8 numbers");
    }
}
