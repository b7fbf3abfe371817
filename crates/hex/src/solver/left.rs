//! Connections of positions that the search left undecided.
//!
//! The search comes back to a position many times, each time to look at one child more. With the connections of the position
//! at hand, those of the child follow from them by one move; otherwise from the nearest position above that has some, which
//! is often the root.

use super::table::PositionKey;
use crate::connection::Connections;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Bytes that are kept at most, in each thread: the connections of both players in some 250 positions of 7×7.
const MAX_BYTES: usize = 32 << 20;

/// The connections of one player in a position, which the key has in the place of the player to move.
type Owned<const W: usize> = PositionKey<W>;

/// The connections that were left last.
#[derive(Default)]
pub struct LeftConnections<const W: usize> {
    by_position: FxHashMap<Owned<W>, (u64, Connections<W>)>,
    /// The positions by the time at which they were left.
    by_time: BTreeMap<u64, Owned<W>>,
    time: u64,
    bytes: usize,
}

impl<const W: usize> LeftConnections<W> {
    /// Takes the connections of a position back out.
    pub fn take(&mut self, of: &Owned<W>) -> Option<Connections<W>> {
        let (time, connections) = self.by_position.remove(of)?;
        self.by_time.remove(&time);
        self.bytes -= connections.bytes();
        Some(connections)
    }

    /// Keeps the connections of a position, and gives up those that were left longest ago, as many as are too many.
    pub fn keep(&mut self, of: Owned<W>, connections: Connections<W>, mut give_up: impl FnMut(Connections<W>)) {
        self.take(&of).into_iter().for_each(&mut give_up);
        self.bytes += connections.bytes();
        self.by_position.insert(of, (self.time, connections));
        self.by_time.insert(self.time, of);
        self.time += 1;
        while self.bytes > MAX_BYTES
            && let Some((_, oldest)) = self.by_time.first_key_value()
        {
            let oldest = *oldest;
            self.take(&oldest).into_iter().for_each(&mut give_up);
        }
    }
}
