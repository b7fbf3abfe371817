//! The nodes of a closure: rows of a context and a value, numbered in the order in which they come.

use crate::semi_naive::relation::Relation;
use crate::value::Value;

/// Numbers by id take the place of a hash table where their range has at most this many ids for each end of a row.
const IDS_PER_END: usize = 4;

/// No node.
const NONE: u32 = u32::MAX;

/// Numbered nodes.
pub(super) struct Nodes {
    rows: Relation,
    /// The numbers of nodes that are values without a context, where their ids are near each other. The rows have no set then.
    by_id: Option<NumbersById>,
}

struct NumbersById {
    base: u32,
    numbers: Vec<u32>,
}

impl Nodes {
    /// No nodes of so many values.
    pub fn new(arity: usize) -> Self {
        Nodes { rows: Relation::new(arity), by_id: None }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn arity(&self) -> usize {
        self.rows.arity()
    }

    /// The values of a node.
    #[inline]
    pub fn row(&self, node: usize) -> &[Value] {
        self.rows.row(node)
    }

    /// The values of all nodes, one node after the other.
    #[inline]
    pub fn values(&self) -> &[Value] {
        self.rows.cells_from(0)
    }

    /// Makes room for the nodes at the ends of rows, which are their last two values.
    pub fn expect<'r>(&mut self, rows: impl Iterator<Item = &'r [Value]>) {
        if self.rows.arity() != 1 || (self.by_id.is_none() && self.rows.len() > 0) {
            return self.hash();
        }
        let mut ends = self.rows.len();
        let known = self.by_id.as_ref().map(|known| (known.base, known.base + (known.numbers.len() - 1) as u32));
        let (mut low, mut high) = known.unwrap_or((u32::MAX, 0));
        for value in rows.flatten() {
            ends += 1;
            (low, high) = (low.min(value.0), high.max(value.0));
        }
        let width = high.checked_sub(low).map_or(0, |width| width as usize + 1);
        if width > IDS_PER_END * ends {
            self.hash();
        } else if width > 0 {
            let mut numbers = vec![NONE; width];
            for (number, value) in (0..).zip(self.values()) {
                numbers[(value.0 - low) as usize] = number;
            }
            self.by_id = Some(NumbersById { base: low, numbers });
        }
    }

    /// Finds nodes by hash from now on.
    fn hash(&mut self) {
        self.by_id = None;
        self.rows.keep_row_numbers();
    }

    /// The number of a node.
    #[inline]
    pub fn find(&self, key: &[Value]) -> Option<u32> {
        match (&self.by_id, key) {
            (Some(by_id), [value]) => {
                let number = by_id.numbers.get(value.0.wrapping_sub(by_id.base) as usize);
                number.copied().filter(|number| *number != NONE)
            }
            _ => self.rows.find(key).map(|number| number as u32),
        }
    }

    /// Adds a node that is not there; its number.
    pub fn add(&mut self, key: &[Value]) -> u32 {
        let node = self.rows.len() as u32;
        let place = match (&mut self.by_id, key) {
            (Some(by_id), [value]) => by_id.numbers.get_mut(value.0.wrapping_sub(by_id.base) as usize),
            _ => None,
        };
        if let Some(number) = place {
            *number = node;
            self.rows.push(key);
        } else {
            self.hash();
            self.rows.insert(key);
        }
        node
    }

    pub fn bytes(&self) -> usize {
        self.rows.bytes() + self.by_id.as_ref().map_or(0, |by_id| by_id.numbers.capacity() * 4)
    }
}
