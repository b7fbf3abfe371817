//! Membership of rows of three columns and more, and of many pairs, each packed into one number: the ids of a column above its least one are
//! a digit, and a row is the number of these digits in a mixed radix.
//!
//! Ids of one kind are dense, so the digits of most rows fit into 64 bits, and often into 32. The number tells rows apart by
//! itself: a look-up does not go on to the cells of a row, as it must where the table holds row numbers. Where the possible
//! numbers are few beside the rows, the set is one bit for each of them; where rows are many, it is in [lines](super::lines).

use super::lines::{LongLines, ShortLines};
use super::members::{FIRST_CONSIDERED_AT, FIRST_ROOM, hash_number};
use super::pair_bits::most_bits;
use crate::value::Value;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// Rows as numbers.
pub struct PackedRows {
    digits: Box<[Digit]>,
    numbers: Numbers,
    /// The rows to make room for when the first of them tells the digits.
    reserved: usize,
    /// The number of rows at which to consider bits next.
    reconsider_at: usize,
    /// How often a row was out of the range of lines.
    outgrown_lines: u32,
}

/// The ids that a column has room for, and the weight of their place in the number of a row.
#[derive(Clone, Copy)]
struct Digit {
    base: u32,
    /// The greatest id less the base.
    last: u32,
    weight: u64,
    /// How often an id was out of the range.
    outgrown: u32,
}

/// The numbers of the rows that are in the set.
enum Numbers {
    Bits(Vec<u64>),
    ShortLines(ShortLines),
    LongLines(LongLines),
    Short(HashTable<u32>),
    Long(HashTable<u64>),
}

/// The least and the greatest id of a column.
#[derive(Clone, Copy)]
struct Extent {
    low: u32,
    high: u32,
    /// How often it was more than there was room for.
    outgrown: u32,
}

impl Extent {
    /// The number of ids.
    fn width(self) -> u64 {
        u64::from(self.high - self.low) + 1
    }

    /// Takes an id in.
    #[inline]
    fn include(&mut self, id: u32) {
        self.low = self.low.min(id);
        self.high = self.high.max(id);
    }

    /// With so many ids more on either side, as far as there are.
    fn widened(self, by: u64) -> Extent {
        let by = u32::try_from(by).unwrap_or(u32::MAX);
        Extent { low: self.low.saturating_sub(by), high: self.high.saturating_add(by), ..self }
    }
}

/// Shorter rows have other sets too, so that this one does not choose among its own.
pub const FEWEST_COLUMNS: usize = 3;

/// Bits reserve this fraction of a column's range on either side, so that a slowly widening range does not rebuild them with
/// each row.
const SPARE_RANGE: u64 = 8;

/// Numbers of 32 bits take the place of longer ones where each column has room for so many bits more: it may grow.
const FEWEST_SPARE_BITS: u32 = 2;

/// So many rows have most of the ids that will come.
const MANY_ROWS: usize = 1 << 17;

/// So many rows are in lines of the cache.
const FEWEST_LINED: usize = 1 << 16;

/// The bits more that each column of so many rows has room for, if a set of numbers that none has outgrown takes 32.
fn fewest_spare_bits(rows: usize) -> u32 {
    if rows < MANY_ROWS { FEWEST_SPARE_BITS } else { 0 }
}

/// The bits more that each column has room for in lines that were outgrown so often, and `least` at least. What grows on and on is no lines soon, so
/// that it is not made anew time and again.
fn spare_bits_of_lines(least: u32, outgrown: u32) -> u32 {
    least.max(4 * outgrown)
}

/// The rows that are looked at before all are.
const SAMPLED: usize = 256;

/// Columns that change about as often keep their order.
const LEVELS: usize = 16;

/// Each id of many rows is compared with that of so many rows before: a loop over the ids of that many rows runs in vectors.
const ROWS_AT_ONCE: usize = 16;

impl PackedRows {
    /// No rows, and no room.
    pub fn new() -> Self {
        let numbers = Numbers::Long(HashTable::new());
        PackedRows {
            digits: Box::default(),
            numbers,
            reserved: 0,
            reconsider_at: FIRST_CONSIDERED_AT,
            outgrown_lines: 0,
        }
    }

    /// The rows of `cells`, as numbers in lines or of 32 bits, with room for so many of them and for the ids of one more row and others;
    /// `None` if they do not fit.
    /// Lines have room for more ids the more often they were outgrown.
    pub fn short(row: &[Value], rows: usize, cells: &[Value], room: usize, outgrown_lines: u32) -> Option<Self> {
        let known = &cells[..rows * row.len()];
        let extents = extents_with(row, known);
        let short = || spread(&extents, u32::BITS, 1).map(|wide| (wide, Kind::Short));
        let (columns, kind) = lined(&extents, rows, spare_bits_of_lines(1, outgrown_lines)).or_else(short)?;
        let numbers = Numbers::empty(kind, room);
        let mut packed = PackedRows {
            digits: digits(&columns, known),
            numbers,
            reserved: 0,
            reconsider_at: 2 * rows,
            outgrown_lines,
        };
        for row in known.chunks_exact(row.len()) {
            let number = packed.number(row)?;
            packed.numbers.insert(number);
        }
        Some(packed)
    }

    /// Considers other sets at this number of rows next, if there is room for the ids of a row.
    pub fn keeps(&mut self, row: &[Value], reconsider_at: usize) -> bool {
        let has_room = self.number(row).is_some();
        if has_room {
            self.reconsider_at = reconsider_at;
        }
        has_room
    }

    /// The number of a row; `None` if an id is out of the range of its column.
    #[inline]
    fn number(&self, row: &[Value]) -> Option<u64> {
        if self.digits.len() == row.len() { number_of(&self.digits, row) } else { None }
    }

    #[inline]
    pub fn contains(&self, row: &[Value]) -> bool {
        self.number(row).is_some_and(|number| self.numbers.contains(number))
    }

    /// The rows, a bit each, that are members; they stand one after the other, at most 64.
    #[inline]
    pub fn contains_each(&self, rows: &[Value], arity: usize) -> u64 {
        // A row of a fixed length is a number without a loop.
        match (&*self.digits, arity) {
            (digits @ [_, _], 2) => self.find_each(rows.as_chunks::<2>().0.iter().map(|row| number_of(digits, row))),
            (digits @ [_, _, _], 3) => self.find_each(rows.as_chunks::<3>().0.iter().map(|row| number_of(digits, row))),
            (digits @ [_, _, _, _], 4) => {
                self.find_each(rows.as_chunks::<4>().0.iter().map(|row| number_of(digits, row)))
            }
            _ => self.find_each(rows.chunks_exact(arity).map(|row| self.number(row))),
        }
    }

    /// The rows, a bit each, whose numbers are in the set: at most 64. All numbers are known before the first look-up, so that the look-ups
    /// overlap.
    #[inline(always)]
    fn find_each(&self, rows: impl Iterator<Item = Option<u64>>) -> u64 {
        let mut numbers = [0; u64::BITS as usize];
        let mut fitting = 0;
        for (bit, number) in rows.enumerate() {
            numbers[bit] = number.unwrap_or_default();
            fitting |= u64::from(number.is_some()) << bit;
        }
        self.numbers.contains_each(&numbers, fitting)
    }

    /// Adds a row after the `rows` rows of `cells`: whether it is new, or `None` if rows do not fit into numbers, and if it is time to
    /// consider other sets of pairs.
    #[inline]
    pub fn insert(&mut self, row: &[Value], rows: usize, cells: &[Value]) -> Option<bool> {
        match self.number(row) {
            Some(number) if rows < self.reconsider_at => Some(self.numbers.insert(number)),
            number => self.insert_slow(number, row, rows, cells),
        }
    }

    /// Adds a row that is out of range, or when it is time to consider bits.
    #[cold]
    fn insert_slow(&mut self, number: Option<u64>, row: &[Value], rows: usize, cells: &[Value]) -> Option<bool> {
        if row.len() < FEWEST_COLUMNS {
            return None;
        }
        if rows >= self.reconsider_at {
            self.reconsider_at = rows * 2;
            if let Some(number) = number
                && !self.may_be_smaller(rows, cells, row.len())
            {
                return Some(self.numbers.insert(number));
            }
        }
        let extents = self.extents(row, rows, cells);
        // Where a column has grown, all get room to double: columns that grow in turns would rebuild the set with each row.
        let least = if number.is_none() { 1 } else { fewest_spare_bits(rows) };
        self.outgrown_lines = self.outgrown_lines_with(number.is_none());
        let (columns, kind) = fitting(&extents, rows, least, self.outgrown_lines)?;
        if number.is_none() || kind.is_smaller_than(&self.numbers) {
            let room = rows.max(FIRST_ROOM).max(self.room());
            let known = &cells[..rows * row.len()];
            self.digits = digits(&columns, known);
            self.numbers = Numbers::empty(kind, room);
            for row in known.chunks_exact(row.len()) {
                self.numbers.insert(self.number(row)?);
            }
        }
        Some(self.numbers.insert(self.number(row)?))
    }

    /// Makes room for the ids of these rows, which stand one after the other, if it has none yet.
    pub fn expect(&mut self, rows: &[Value], arity: usize) {
        let count = rows.len() / arity;
        if self.digits.is_empty()
            && let Some((columns, kind)) = fitting(&extents_of(rows, arity), count, 0, 0)
        {
            self.digits = digits(&columns, rows);
            self.numbers = Numbers::empty(kind, count.max(self.room()));
            self.reconsider_at = count.max(FIRST_CONSIDERED_AT) * 2;
        }
    }

    /// How often lines were outgrown, if a row is out of range now.
    pub fn outgrown_lines_with(&self, is_outgrown: bool) -> u32 {
        let are_lines = matches!(self.numbers, Numbers::ShortLines(_) | Numbers::LongLines(_));
        self.outgrown_lines + u32::from(is_outgrown && are_lines)
    }

    /// Whether some of the rows leave it open that a smaller set holds all.
    fn may_be_smaller(&self, rows: usize, cells: &[Value], arity: usize) -> bool {
        let some = cells[..rows * arity].chunks_exact(arity).step_by(rows / SAMPLED + 1);
        let extents = extents_of(&some.collect::<Vec<_>>().concat(), arity);
        fitting(&extents, rows, fewest_spare_bits(rows), self.outgrown_lines)
            .is_some_and(|(_, kind)| kind.is_smaller_than(&self.numbers))
    }

    /// The ids of each column in the `rows` rows of `cells` and in one more.
    fn extents(&self, row: &[Value], rows: usize, cells: &[Value]) -> Vec<Extent> {
        let mut extents = extents_with(row, &cells[..rows * row.len()]);
        // A range that has become too small is doubled, so that rebuilding takes amortized constant time.
        for (extent, digit) in extents.iter_mut().zip(&self.digits) {
            let width = extent.width();
            let is_outgrown = if extent.low < digit.base {
                extent.low = extent.low.saturating_sub(u32::try_from(width).unwrap_or(u32::MAX));
                true
            } else if extent.high - digit.base > digit.last {
                extent.high = extent.high.saturating_add(u32::try_from(width).unwrap_or(u32::MAX));
                true
            } else {
                false
            };
            extent.outgrown = digit.outgrown + u32::from(is_outgrown);
        }
        extents
    }

    /// The rows that there is room for, or that room is to be made for.
    fn room(&self) -> usize {
        self.numbers.capacity().max(self.reserved)
    }

    /// Makes room for this many more rows, where they are hashed.
    pub fn reserve(&mut self, rows: usize) {
        match &mut self.numbers {
            _ if self.digits.is_empty() => self.reserved = rows,
            // Lines take room in place.
            Numbers::Bits(_) | Numbers::ShortLines(_) | Numbers::LongLines(_) => {}
            Numbers::Short(table) => table.reserve(rows, |&number| hash_number(u64::from(number))),
            Numbers::Long(table) => table.reserve(rows, |&number| hash_number(number)),
        }
    }

    /// Removes a row.
    pub fn forget(&mut self, row: &[Value]) {
        if let Some(number) = self.number(row) {
            self.numbers.remove(number);
        }
    }

    pub fn clear(&mut self) {
        match &mut self.numbers {
            Numbers::Bits(words) => words.fill(0),
            Numbers::ShortLines(lines) => lines.clear(),
            Numbers::LongLines(lines) => lines.clear(),
            Numbers::Short(table) => table.clear(),
            Numbers::Long(table) => table.clear(),
        }
    }

    pub fn bytes(&self) -> usize {
        match &self.numbers {
            Numbers::Bits(words) => words.capacity() * 8,
            Numbers::ShortLines(lines) => lines.bytes(),
            Numbers::LongLines(lines) => lines.bytes(),
            Numbers::Short(table) => table.allocation_size(),
            Numbers::Long(table) => table.allocation_size(),
        }
    }
}

impl Numbers {
    /// An empty set with room for so many numbers.
    fn empty(kind: Kind, room: usize) -> Self {
        match kind {
            Kind::Bits(bits) => Numbers::Bits(vec![0; bits.div_ceil(64)]),
            Kind::ShortLines(bits) => Numbers::ShortLines(ShortLines::new(bits, room)),
            Kind::LongLines(bits) => Numbers::LongLines(LongLines::new(bits, room)),
            Kind::Short => Numbers::Short(HashTable::with_capacity(room)),
            Kind::Long => Numbers::Long(HashTable::with_capacity(room)),
        }
    }

    /// The place in the order of sizes.
    fn rank(&self) -> u32 {
        match self {
            Numbers::Bits(_) => 0,
            Numbers::ShortLines(_) => 1,
            Numbers::LongLines(_) => 2,
            Numbers::Short(_) => 3,
            Numbers::Long(_) => 4,
        }
    }

    /// The numbers that there is room for, where they are hashed.
    fn capacity(&self) -> usize {
        match self {
            Numbers::Bits(_) => 0,
            Numbers::ShortLines(lines) => lines.capacity(),
            Numbers::LongLines(lines) => lines.capacity(),
            Numbers::Short(table) => table.capacity(),
            Numbers::Long(table) => table.capacity(),
        }
    }

    #[inline]
    fn contains(&self, number: u64) -> bool {
        match self {
            Numbers::Bits(words) => words[(number / 64) as usize] >> (number % 64) & 1 == 1,
            Numbers::ShortLines(lines) => lines.contains(number),
            Numbers::LongLines(lines) => lines.contains(number),
            Numbers::Short(table) => table.find(hash_number(number), |&other| u64::from(other) == number).is_some(),
            Numbers::Long(table) => table.find(hash_number(number), |&other| other == number).is_some(),
        }
    }

    /// The places, a bit each, of numbers that are in the set, of those whose bits are set.
    #[inline]
    fn contains_each(&self, numbers: &[u64; u64::BITS as usize], places: u64) -> u64 {
        match self {
            Numbers::Bits(words) => {
                filter(places, numbers, |number| words[(number / 64) as usize] >> (number % 64) & 1 == 1)
            }
            Numbers::ShortLines(lines) => filter(places, numbers, |number| lines.contains(number)),
            Numbers::LongLines(lines) => filter(places, numbers, |number| lines.contains(number)),
            Numbers::Short(table) => filter(places, numbers, |number| {
                table.find(hash_number(number), |&other| u64::from(other) == number).is_some()
            }),
            Numbers::Long(table) => {
                filter(places, numbers, |number| table.find(hash_number(number), |&other| other == number).is_some())
            }
        }
    }

    /// Adds a number; `false` if it is in the set.
    #[inline]
    fn insert(&mut self, number: u64) -> bool {
        match self {
            Numbers::Bits(words) => {
                let word = &mut words[(number / 64) as usize];
                let bit = 1 << (number % 64);
                let is_new = *word & bit == 0;
                *word |= bit;
                is_new
            }
            Numbers::ShortLines(lines) => lines.insert(number),
            Numbers::LongLines(lines) => lines.insert(number),
            Numbers::Short(table) => {
                let is_same = |&other: &u32| u64::from(other) == number;
                match table.entry(hash_number(number), is_same, |&other| hash_number(u64::from(other))) {
                    Entry::Occupied(_) => false,
                    Entry::Vacant(vacant) => {
                        vacant.insert(number as u32);
                        true
                    }
                }
            }
            Numbers::Long(table) => {
                match table.entry(hash_number(number), |&other| other == number, |&other| hash_number(other)) {
                    Entry::Occupied(_) => false,
                    Entry::Vacant(vacant) => {
                        vacant.insert(number);
                        true
                    }
                }
            }
        }
    }

    fn remove(&mut self, number: u64) {
        match self {
            Numbers::Bits(words) => words[(number / 64) as usize] &= !(1 << (number % 64)),
            Numbers::ShortLines(lines) => lines.remove(number),
            Numbers::LongLines(lines) => lines.remove(number),
            Numbers::Short(table) => {
                if let Ok(entry) = table.find_entry(hash_number(number), |&other| u64::from(other) == number) {
                    entry.remove();
                }
            }
            Numbers::Long(table) => {
                if let Ok(entry) = table.find_entry(hash_number(number), |&other| other == number) {
                    entry.remove();
                }
            }
        }
    }
}

/// The number of a row of as many columns as there are digits; `None` if an id is out of the range of its column.
#[inline(always)]
fn number_of(digits: &[Digit], row: &[Value]) -> Option<u64> {
    let mut number = 0u64;
    let mut fits = true;
    for (digit, value) in digits.iter().zip(row) {
        let offset = value.0.wrapping_sub(digit.base);
        fits &= offset <= digit.last;
        number = number.wrapping_add(u64::from(offset).wrapping_mul(digit.weight));
    }
    fits.then_some(number)
}

/// The places, a bit each, whose numbers pass a test, of those whose bits are set.
#[inline(always)]
fn filter(places: u64, numbers: &[u64; u64::BITS as usize], test: impl Fn(u64) -> bool) -> u64 {
    let mut passing = 0;
    let mut left = places;
    while left != 0 {
        let place = left.trailing_zeros();
        left &= left - 1;
        passing |= u64::from(test(numbers[place as usize])) << place;
    }
    passing
}

/// The ids of each column of rows that stand one after the other.
fn extents_of(cells: &[Value], arity: usize) -> Vec<Extent> {
    let at_once = arity * ROWS_AT_ONCE.min(cells.len() / arity).max(1);
    let mut lows = vec![u32::MAX; at_once];
    let mut highs = vec![0; at_once];
    for rows in cells.chunks(at_once) {
        for ((low, high), value) in lows.iter_mut().zip(&mut highs).zip(rows) {
            *low = value.0.min(*low);
            *high = value.0.max(*high);
        }
    }
    let least = |column| lows[column..].iter().step_by(arity).fold(u32::MAX, |least, &id| least.min(id));
    let greatest = |column| highs[column..].iter().step_by(arity).fold(0, |greatest, &id| greatest.max(id));
    (0..arity).map(|column| Extent { low: least(column), high: greatest(column), outgrown: 0 }).collect()
}

/// The ids of each column of a row and of other rows.
fn extents_with(row: &[Value], cells: &[Value]) -> Vec<Extent> {
    let mut extents = extents_of(cells, row.len());
    extents.iter_mut().zip(row).for_each(|(extent, value)| extent.include(value.0));
    extents
}

/// A kind of set.
#[derive(Clone, Copy)]
enum Kind {
    /// So many bits.
    Bits(usize),
    /// Numbers of so many bits.
    ShortLines(u32),
    LongLines(u32),
    Short,
    Long,
}

impl Kind {
    /// Whether a set of this kind is worth building in place of another one.
    fn is_smaller_than(self, other: &Numbers) -> bool {
        let rank = match self {
            Kind::Bits(_) => 0,
            Kind::ShortLines(_) => 1,
            Kind::LongLines(_) => 2,
            Kind::Short => 3,
            Kind::Long => 4,
        };
        rank < other.rank()
    }
}

/// Columns with room for these ids and more, and the kind of set for so many rows of them; `None` if they do not fit into 64
/// bits. In numbers of 32 bits, each column has room for `least` bits more; in lines, for more the more often they were outgrown.
fn fitting(extents: &[Extent], rows: usize, least: u32, outgrown_lines: u32) -> Option<(Vec<Extent>, Kind)> {
    let spare: Vec<Extent> = extents.iter().map(|extent| extent.widened(extent.width() / SPARE_RANGE)).collect();
    // Half as many bits for each row as pairs may take, whose hash table is larger.
    let most = if rows < FIRST_CONSIDERED_AT { 0 } else { most_bits(rows / 2) };
    if let Some(bits) = count(&spare).and_then(|bits| usize::try_from(bits).ok()).filter(|&bits| bits <= most) {
        return Some((spare, Kind::Bits(bits)));
    }
    if let Some(lined) = lined(extents, rows, spare_bits_of_lines(least, outgrown_lines)) {
        return Some(lined);
    }
    // Few rows do not tell how far their columns will grow.
    let short = if rows < FIRST_CONSIDERED_AT { None } else { spread(extents, u32::BITS, least) };
    if let Some(wide) = short {
        return Some((wide, Kind::Short));
    }
    spread(extents, u64::BITS, 1).map(|wide| (wide, Kind::Long))
}

/// Columns with room for these ids and more in lines, and the kind of them for so many rows; `None` if the rows are few or do not fit.
fn lined(extents: &[Extent], rows: usize, least: u32) -> Option<(Vec<Extent>, Kind)> {
    let of_bits = |bits: u32| spread(extents, bits, least);
    let [short, long] = [ShortLines::most_bits(rows), LongLines::most_bits(rows)];
    let short_lines = || of_bits(short).map(|wide| (wide, Kind::ShortLines(short)));
    let long_lines = || of_bits(long).map(|wide| (wide, Kind::LongLines(long)));
    if rows < FEWEST_LINED { None } else { short_lines().or_else(long_lines) }
}

/// The number of rows that columns have room for, if it is a number of 64 bits.
fn count(extents: &[Extent]) -> Option<u64> {
    extents.iter().try_fold(1u64, |count, extent| count.checked_mul(extent.width()))
}

/// Columns that have room for more ids, as far as their digits together fit into so many bits; `None` if there is no room
/// for `least` bits more in each. Those that were outgrown before have the more room, so that few rows rebuild the set.
fn spread(extents: &[Extent], bits: u32, least: u32) -> Option<Vec<Extent>> {
    let of_width = |width: u64| u64::BITS - (width - 1).leading_zeros();
    let taken: u32 = extents.iter().map(|extent| of_width(extent.width())).sum();
    let left = bits.checked_sub(taken).filter(|left| left / extents.len() as u32 >= least)?;
    let share = |extent: &Extent| 1 + 2 * extent.outgrown;
    let shares: u32 = extents.iter().map(share).sum();
    // As many ids on either side as there are, twice as many, and so on: a range has `more` bits more at most.
    let widened = |extent: &Extent| {
        let more = left * share(extent) / shares;
        extent.widened(extent.width().saturating_mul((1u64 << more.min(u32::BITS)) - 1) / 2)
    };
    Some(extents.iter().map(widened).collect())
}

/// The digits of columns, whose numbers are [counted](count): the column that varies fastest in the order of these rows has the least
/// weight, so that rows that follow each other have bits near each other.
fn digits(extents: &[Extent], cells: &[Value]) -> Box<[Digit]> {
    let digit = |extent: &Extent| Digit {
        base: extent.low,
        last: extent.high - extent.low,
        weight: 0,
        outgrown: extent.outgrown,
    };
    let mut digits: Box<[Digit]> = extents.iter().map(digit).collect();
    let mut weight = 1u64;
    for column in slowest_first(cells, extents.len()).into_iter().rev() {
        digits[column].weight = weight;
        weight = weight.wrapping_mul(extents[column].width());
    }
    digits
}

/// The columns by how often they change from one of the last rows to the next, in about [`LEVELS`] levels; those of a level in their order.
fn slowest_first(cells: &[Value], arity: usize) -> Vec<usize> {
    let from = (cells.len() / arity).saturating_sub(SAMPLED) * arity;
    let rows = cells[from..].chunks_exact(arity);
    let count = rows.len();
    let level = |column: usize| {
        let pairs = rows.clone().zip(rows.clone().skip(1));
        pairs.filter(|(before, after)| before[column] != after[column]).count() * LEVELS / count.max(1)
    };
    let mut columns: Vec<usize> = (0..arity).collect();
    columns.sort_by_cached_key(|&column| level(column));
    columns
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Rows at random whose ids come from ranges that widen, as the set and a plain one have them.
    fn compare(arity: usize, widths: &[u32], rows: usize) -> PackedRows {
        let mut packed = PackedRows::new();
        let mut expected: HashSet<Vec<Value>> = HashSet::new();
        let mut cells: Vec<Value> = Vec::new();
        let mut state = 7u64;
        let mut random = |below: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 32) as u32) % below
        };
        for step in 0..rows {
            let part = 1 + step * 8 / rows;
            let row: Vec<Value> = (0..arity)
                .map(|column| {
                    let width = (widths[column] as u64 * part as u64 / 8).max(1) as u32;
                    // The first column grows downwards.
                    if column == 0 { Value(u32::MAX - random(width)) } else { Value(1 << 31 | random(width)) }
                })
                .collect();
            let is_new = expected.insert(row.clone());
            assert_eq!(packed.contains(&row), !is_new);
            assert_eq!(packed.insert(&row, cells.len() / arity, &cells), Some(is_new));
            if is_new {
                cells.extend(&row);
            }
        }
        let rows: Vec<&[Value]> = cells.chunks_exact(arity).collect();
        for block in rows.chunks(50) {
            assert_eq!(packed.contains_each(&block.concat(), arity).count_ones() as usize, block.len());
        }
        for row in rows.iter().step_by(2) {
            packed.forget(row);
            assert!(!packed.contains(row));
        }
        for block in rows.chunks(50) {
            let every_second = (u64::MAX / 3 * 2) & (u64::MAX >> (64 - block.len()));
            assert_eq!(packed.contains_each(&block.concat(), arity), every_second);
        }
        packed
    }

    #[test]
    fn few_possible_rows_are_bits_and_others_are_numbers() {
        assert!(matches!(compare(3, &[40, 50, 6], 20_000).numbers, Numbers::Bits(_)));
        assert!(matches!(compare(4, &[30, 40, 30, 50], 6_000).numbers, Numbers::Short(_)));
        assert!(matches!(compare(3, &[1 << 17, 1 << 18, 1 << 15], 6_000).numbers, Numbers::Long(_)));
    }

    /// Rows as a join leaves them whose innermost loop binds the column given.
    #[test]
    fn the_column_that_varies_fastest_has_the_least_weight() {
        for fastest in 0..3 {
            let mut packed = PackedRows::new();
            let mut cells: Vec<Value> = Vec::new();
            for i in 0..4000 {
                let mut row = vec![Value(i / 400), Value(i / 40 % 10)];
                row.insert(fastest, Value(i % 40));
                assert_eq!(packed.insert(&row, cells.len() / 3, &cells), Some(true));
                cells.extend(row);
            }
            let weights: Vec<u64> = packed.digits.iter().map(|digit| digit.weight).collect();
            assert!(matches!(packed.numbers, Numbers::Bits(_)));
            assert_eq!(weights.iter().position(|&weight| weight == 1), Some(fastest), "{weights:?}");
        }
    }

    /// Five columns of 16 bits are more than a number holds.
    #[test]
    fn rows_that_do_not_fit_are_refused() {
        let ids = |i: u32| -> Vec<Value> { (0..5).map(|column| Value(i.wrapping_mul(column * 7 + 1))).collect() };
        let mut packed = PackedRows::new();
        let mut cells = Vec::new();
        let refused = (0..1 << 16u32).find(|&i| {
            let row = ids(i);
            let rows = cells.len() / 5;
            let is_new = packed.insert(&row, rows, &cells);
            cells.extend(row);
            is_new.is_none()
        });
        assert!(refused.is_some_and(|at| at > 100), "{refused:?}");
    }
}
