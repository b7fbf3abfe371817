//! Rows of a dataflow. All collections of a program have rows of one type, as wide as its widest row, since operators
//! are compiled for each type: two cells for a graph, and a boxed slice for what is wider than any array.

use crate::terms::{decode, encode, hash_cells, with_terms};
use differential_dataflow::ExchangeData;
use ludolog_engine::value::Value;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeTuple, Serializer};
use std::fmt;
use std::hash::{Hash, Hasher};

/// A row of ids of the worker's terms. Order, equality and hashes are those of ids.
pub trait Row: ExchangeData + Hash {
    /// The row of these cells, at most as many as the type has.
    fn of(cells: impl Iterator<Item = Value>) -> Self;

    /// The cells, and perhaps padding behind them.
    fn cells(&self) -> &[Value];

    /// The hash of the contents without padding, the same in all processes: it says who owns a row.
    fn owner(&self) -> u64 {
        let cells = self.cells();
        let count = cells.iter().rposition(|&cell| cell != PADDING).map_or(0, |last| last + 1);
        hash_cells(&cells[..count])
    }
}

/// A row of at most `N` cells, an even number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Narrow<const N: usize>([Value; N]);

/// The cell behind the last one of a row.
const PADDING: Value = Value(1 << 31);

impl<const N: usize> Row for Narrow<N> {
    #[inline]
    fn of(cells: impl Iterator<Item = Value>) -> Self {
        let mut row = [PADDING; N];
        row.iter_mut().zip(cells).for_each(|(place, cell)| *place = cell);
        Narrow(row)
    }

    #[inline]
    fn cells(&self) -> &[Value] {
        &self.0
    }
}

impl<const N: usize> Hash for Narrow<N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|cell| state.write_u32(cell.0));
    }
}

impl<const N: usize> Serialize for Narrow<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(1 + N)?;
        if self.0.iter().all(|cell| cell.as_small_integer().is_some()) {
            let mut words = self.0.chunks_exact(2).map(|pair| u64::from(pair[0].0) | u64::from(pair[1].0) << 32);
            words.try_for_each(|word| tuple.serialize_element(&word))?;
        } else {
            tuple.serialize_element(&CELLS)?;
            self.0.iter().try_for_each(|&cell| tuple.serialize_element(&SentCell(cell)))?;
        }
        tuple.end()
    }
}

impl<'de, const N: usize> Deserialize<'de> for Narrow<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut row = [PADDING; N];
        deserializer.deserialize_tuple(1 + N, RowCells(&mut row))?;
        Ok(Narrow(row))
    }
}

/// A row of any number of cells.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wide(Box<[Value]>);

impl Row for Wide {
    fn of(cells: impl Iterator<Item = Value>) -> Self {
        Wide(cells.collect())
    }

    fn cells(&self) -> &[Value] {
        &self.0
    }
}

impl Serialize for Wide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(1 + self.0.len())?;
        tuple.serialize_element(&(self.0.len() as u32))?;
        self.0.iter().try_for_each(|&cell| tuple.serialize_element(&SentCell(cell)))?;
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for Wide {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountedRow;
        impl<'de> Visitor<'de> for CountedRow {
            type Value = Vec<Value>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a row")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut cells: A) -> Result<Vec<Value>, A::Error> {
                let count: u32 = cells.next_element()?.ok_or_else(|| A::Error::custom("no row"))?;
                (0..count).map(|_| next(&mut cells)).collect()
            }
        }
        Ok(Wide(deserializer.deserialize_tuple(usize::MAX, CountedRow)?.into()))
    }
}

/// The next cell of a row.
fn next<'de, A: SeqAccess<'de>>(cells: &mut A) -> Result<Value, A::Error> {
    cells.next_element::<SentCell>()?.map(|SentCell(value)| value).ok_or_else(|| A::Error::custom("a row ends early"))
}

/// The next two cells of a row.
fn next_word<'de, A: SeqAccess<'de>>(parts: &mut A) -> Result<u64, A::Error> {
    parts.next_element()?.ok_or_else(|| A::Error::custom("a row ends early"))
}

/// No two ids of small integers: cells follow one by one.
const CELLS: u64 = 0;

/// The cells of a row, to be filled: a word for two small integers each, where all are.
struct RowCells<'r>(&'r mut [Value]);

impl<'de> Visitor<'de> for RowCells<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a row")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<(), A::Error> {
        let mut word = next_word(&mut parts)?;
        if word == CELLS {
            return self.0.iter_mut().try_for_each(|place| {
                *place = next(&mut parts)?;
                Ok(())
            });
        }
        for (number, pair) in self.0.chunks_exact_mut(2).enumerate() {
            if number > 0 {
                word = next_word(&mut parts)?;
            }
            pair.copy_from_slice(&[Value(word as u32), Value((word >> 32) as u32)]);
        }
        Ok(())
    }
}

/// A cell on its way to another worker: a small integer as its id, which is the same everywhere, or [`CONTENT`] and the
/// content.
struct SentCell(Value);

/// No id of a small integer.
const CONTENT: u32 = 0;

impl Serialize for SentCell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.as_small_integer().is_some() {
            return serializer.serialize_u32(self.0.0);
        }
        let mut bytes = Vec::new();
        with_terms(|terms| encode(self.0, &terms.interner, &mut bytes));
        let mut tuple = serializer.serialize_tuple(2)?;
        tuple.serialize_element(&CONTENT)?;
        tuple.serialize_element(&Bytes(bytes))?;
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for SentCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneCell;
        impl<'de> Visitor<'de> for OneCell {
            type Value = SentCell;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a cell")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<SentCell, A::Error> {
                let id: u32 = parts.next_element()?.ok_or_else(|| A::Error::custom("no cell"))?;
                if id != CONTENT {
                    return Ok(SentCell(Value(id)));
                }
                let Bytes(bytes) = parts.next_element()?.ok_or_else(|| A::Error::custom("no content"))?;
                Ok(SentCell(with_terms(|terms| decode(&mut &bytes[..], &mut terms.interner))))
            }
        }
        deserializer.deserialize_tuple(2, OneCell)
    }
}

/// Bytes, which serde would write one by one.
struct Bytes(Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AllBytes;
        impl Visitor<'_> for AllBytes {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(AllBytes)
    }
}
