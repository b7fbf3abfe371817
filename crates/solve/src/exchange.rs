//! Peers that exchange words in rounds.

use std::sync::{Barrier, Mutex, PoisonError};

/// What every peer tells all others in a round; each learns the sums.
pub type Note = [u64; 4];

/// One of several peers.
///
/// Rounds are collective: a round ends for a peer when all peers have called [`exchange`](Self::exchange) as often.
pub trait Exchange {
    /// The number of peers.
    fn peers(&self) -> usize;

    /// The number of this peer, from 0.
    fn index(&self) -> usize;

    /// Sends the words of `outboxes[p]` to each peer `p`, and makes the words that came from `p` those of `inboxes[p]`.
    /// Outboxes are empty afterwards. Returns the sums of the notes of all peers.
    fn exchange(&mut self, outboxes: &mut [Vec<u64>], inboxes: &mut [Vec<u64>], note: Note) -> Note;
}

/// Adds a note to a sum.
pub(crate) fn add(sum: &mut Note, note: &Note) {
    sum.iter_mut().zip(note).for_each(|(sum, word)| *sum += word);
}

/// What threads of one process share.
pub struct Threads {
    count: usize,
    /// By sender, then by receiver.
    boxes: Vec<Mutex<Vec<u64>>>,
    notes: Vec<Mutex<Note>>,
    barrier: Barrier,
}

impl Threads {
    /// So many threads.
    pub fn new(count: usize) -> Threads {
        Threads {
            count,
            boxes: (0..count * count).map(|_| Mutex::default()).collect(),
            notes: (0..count).map(|_| Mutex::default()).collect(),
            barrier: Barrier::new(count),
        }
    }

    /// The peer of a thread.
    pub fn peer(&self, index: usize) -> Thread<'_> {
        Thread { threads: self, index }
    }
}

/// A thread as a peer of the others.
pub struct Thread<'t> {
    threads: &'t Threads,
    index: usize,
}

impl Exchange for Thread<'_> {
    fn peers(&self) -> usize {
        self.threads.count
    }

    fn index(&self) -> usize {
        self.index
    }

    fn exchange(&mut self, outboxes: &mut [Vec<u64>], inboxes: &mut [Vec<u64>], note: Note) -> Note {
        let Threads { count, boxes, notes, barrier } = self.threads;
        for (to, outbox) in outboxes.iter_mut().enumerate() {
            std::mem::swap(outbox, &mut *boxes[count * self.index + to].lock().unwrap_or_else(PoisonError::into_inner));
            outbox.clear();
        }
        *notes[self.index].lock().unwrap_or_else(PoisonError::into_inner) = note;
        barrier.wait();
        for (from, inbox) in inboxes.iter_mut().enumerate() {
            std::mem::swap(
                inbox,
                &mut *boxes[count * from + self.index].lock().unwrap_or_else(PoisonError::into_inner),
            );
        }
        let mut sum = Note::default();
        notes.iter().for_each(|note| add(&mut sum, &note.lock().unwrap_or_else(PoisonError::into_inner)));
        barrier.wait();
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_where_they_are_sent_in_every_round() {
        let threads = Threads::new(3);
        std::thread::scope(|scope| {
            for index in 0..3u64 {
                let mut peer = threads.peer(index as usize);
                scope.spawn(move || {
                    let (mut outboxes, mut inboxes) = (vec![Vec::new(); 3], vec![vec![7]; 3]);
                    for round in 0..50 {
                        (0..3).for_each(|to| outboxes[to as usize].push(100 * round + 10 * index + to));
                        let sum = peer.exchange(&mut outboxes, &mut inboxes, [1, index, round, 0]);
                        assert_eq!(sum, [3, 3, 3 * round, 0]);
                        let expected: Vec<Vec<u64>> =
                            (0..3).map(|from| vec![100 * round + 10 * from + index]).collect();
                        assert_eq!(inboxes, expected);
                    }
                });
            }
        });
    }
}
