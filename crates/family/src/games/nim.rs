//! Nim.

use super::{FamilyGame, GameSources};
use crate::rulesheet::Rulesheet;
use crate::size::{MOST_NUMBERS, Parameter, SizeForm};

/// The names of the heaps.
const HEAPS: [&str; MOST_NUMBERS] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Nim with any heaps.
pub const NIM: FamilyGame = FamilyGame {
    name: "nim",
    about: "Nim: who takes the last one wins",
    form: SizeForm {
        parameters: &[Parameter { name: "heap", least: 1, most: 15 }],
        usual: &[1, 3, 5],
        separator: '-',
        repeats: true,
    },
    rules: |size| {
        let largest = size.iter().max().copied().unwrap_or(0);
        let heaps: Vec<String> = size.iter().map(usize::to_string).collect();
        let sheet = Rulesheet::new(&format!("Nim with heaps of {}: who takes the last one wins.", heaps.join(", ")))
            .includes(&["nim"])
            .paragraph("The heaps, and numbers up to the largest.")
            .facts("heap", size.iter().zip(HEAPS).map(|(&size, heap)| (heap, size)))
            .facts("after", (0..largest).map(|number| [number, number + 1]));
        Ok(sheet.into_text())
    },
    given: GameSources::Nothing,
};
