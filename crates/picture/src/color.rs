//! Colors that the color-blind can tell apart: those of Okabe and Ito (*Color Universal Design*, 2008), with a darker
//! yellow for thin lines, besides black and white.

use anstyle::AnsiColor;

/// The color of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// Blue.
    Blue,
    /// Vermilion, the red that differs from green for all.
    Red,
    /// Bluish green.
    Green,
    /// Reddish purple.
    Purple,
    /// Orange.
    Orange,
    /// Sky blue.
    Sky,
    /// Yellow, darkened.
    Olive,
    /// Yellow.
    Yellow,
    /// Black.
    Black,
    /// White.
    White,
}

/// The colors that take turns.
pub(crate) const TURNS: [Color; 7] =
    [Color::Blue, Color::Red, Color::Green, Color::Purple, Color::Orange, Color::Sky, Color::Olive];

impl Color {
    /// The color at a place among those that take turns.
    pub fn turn(place: usize) -> Color {
        TURNS[place % TURNS.len()]
    }

    /// The color of a name in English.
    pub fn named(name: &str) -> Option<Color> {
        Some(match &*name.to_lowercase() {
            "blue" => Color::Blue,
            "red" => Color::Red,
            "green" => Color::Green,
            "purple" | "pink" | "violet" | "magenta" => Color::Purple,
            "orange" => Color::Orange,
            "cyan" | "sky" | "teal" => Color::Sky,
            "yellow" => Color::Yellow,
            "black" => Color::Black,
            "white" => Color::White,
            _ => return None,
        })
    }

    /// The color as SVG has it.
    pub fn hex(self) -> &'static str {
        match self {
            Color::Blue => "#0072b2",
            Color::Red => "#d55e00",
            Color::Green => "#009e73",
            Color::Purple => "#cc79a7",
            Color::Orange => "#e69f00",
            Color::Sky => "#56b4e9",
            Color::Olive => "#7a7a00",
            Color::Yellow => "#f0e442",
            Color::Black => "#222222",
            Color::White => "#ffffff",
        }
    }

    /// The color of text on this one.
    pub fn ink(self) -> &'static str {
        match self {
            Color::Blue | Color::Red | Color::Green | Color::Olive | Color::Black => "#ffffff",
            Color::Purple | Color::Orange | Color::Sky | Color::Yellow | Color::White => "#222222",
        }
    }

    /// The color of a terminal that is nearest.
    pub fn ansi(self) -> Option<AnsiColor> {
        Some(match self {
            Color::Blue => AnsiColor::Blue,
            Color::Red => AnsiColor::Red,
            Color::Green => AnsiColor::Green,
            Color::Purple => AnsiColor::Magenta,
            Color::Sky => AnsiColor::Cyan,
            Color::Orange | Color::Olive | Color::Yellow => AnsiColor::Yellow,
            // Either may be the color of the ground.
            Color::Black | Color::White => return None,
        })
    }
}

/// The pale color of a kind of content.
pub fn tint(number: usize) -> &'static str {
    const TINTS: [&str; 8] = ["#cfe3ff", "#ffd9cc", "#d6f2d0", "#f3e0ff", "#fff0b8", "#cdf1ef", "#ffd3e4", "#e3e3e3"];
    TINTS[number % TINTS.len()]
}

/// The color of a shade of heat: from that of plain cells to a strong orange.
pub fn heat(level: u8) -> [u8; 3] {
    const COLD: [u8; 3] = [0xf4, 0xef, 0xe4];
    const HOT: [u8; 3] = [0xe6, 0x7a, 0x00];
    let part = f64::from(level.min(super::LEVELS - 1)) / f64::from(super::LEVELS - 1);
    std::array::from_fn(|i| (f64::from(COLD[i]) * (1.0 - part) + f64::from(HOT[i]) * part).round() as u8)
}
