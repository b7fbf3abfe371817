//! Peers that exchange words in rounds.

use std::sync::{Barrier, Mutex, PoisonError};

/// The counts that every peer tells all others in a round; each learns the sums.
pub type PeerCounts = [u64; 4];

/// One of several peers.
///
/// Rounds are collective: a round ends for a peer when all peers have sent as often. Peers send and receive by turns,
/// and may work between the two, while words travel.
pub trait Exchange {
    /// The number of peers.
    fn peers(&self) -> usize;

    /// The number of this peer, from 0.
    fn index(&self) -> usize;

    /// Begins a round: sends the words of `outboxes[p]` to each peer `p`. Outboxes are empty afterwards.
    fn send(&mut self, outboxes: &mut [Vec<u64>], note: PeerCounts);

    /// Ends the round that was begun: makes the words that came from each peer `p` those of `inboxes[p]`. Returns the
    /// sums of the notes of all peers.
    fn receive(&mut self, inboxes: &mut [Vec<u64>]) -> PeerCounts;
}

/// Adds a note to a sum.
pub(crate) fn add(sum: &mut PeerCounts, note: &PeerCounts) {
    sum.iter_mut().zip(note).for_each(|(sum, word)| *sum += word);
}

/// The state that threads of one process share.
pub struct ThreadPeers {
    count: usize,
    /// Of rounds with even and with odd numbers: a thread may send while others still receive the round before.
    rounds: [ExchangeRound; 2],
    barrier: Barrier,
}

/// The words that are sent in a round.
#[derive(Default)]
struct ExchangeRound {
    /// By sender, then by receiver.
    boxes: Vec<Mutex<Vec<u64>>>,
    notes: Vec<Mutex<PeerCounts>>,
}

impl ThreadPeers {
    /// The number of threads.
    pub fn new(count: usize) -> ThreadPeers {
        let round = |_| ExchangeRound {
            boxes: (0..count * count).map(|_| Mutex::default()).collect(),
            notes: (0..count).map(|_| Mutex::default()).collect(),
        };
        ThreadPeers { count, rounds: [0, 1].map(round), barrier: Barrier::new(count) }
    }

    /// The peer of a thread.
    pub fn peer(&self, index: usize) -> Thread<'_> {
        Thread { threads: self, index, round: 0 }
    }
}

/// A thread as a peer of the others.
pub struct Thread<'t> {
    threads: &'t ThreadPeers,
    index: usize,
    /// The rounds that have ended.
    round: usize,
}

impl Exchange for Thread<'_> {
    fn peers(&self) -> usize {
        self.threads.count
    }

    fn index(&self) -> usize {
        self.index
    }

    fn send(&mut self, outboxes: &mut [Vec<u64>], note: PeerCounts) {
        let ExchangeRound { boxes, notes } = &self.threads.rounds[self.round % 2];
        for (outbox, sent) in outboxes.iter_mut().zip(&boxes[self.threads.count * self.index..]) {
            std::mem::swap(outbox, &mut *sent.lock().unwrap_or_else(PoisonError::into_inner));
            outbox.clear();
        }
        *notes[self.index].lock().unwrap_or_else(PoisonError::into_inner) = note;
    }

    fn receive(&mut self, inboxes: &mut [Vec<u64>]) -> PeerCounts {
        self.threads.barrier.wait();
        let ExchangeRound { boxes, notes } = &self.threads.rounds[self.round % 2];
        self.round += 1;
        for (inbox, sent) in inboxes.iter_mut().zip(boxes[self.index..].iter().step_by(self.threads.count)) {
            std::mem::swap(inbox, &mut *sent.lock().unwrap_or_else(PoisonError::into_inner));
        }
        let mut sum = PeerCounts::default();
        notes.iter().for_each(|note| add(&mut sum, &note.lock().unwrap_or_else(PoisonError::into_inner)));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_go_where_they_are_sent_in_every_round() {
        let threads = ThreadPeers::new(3);
        std::thread::scope(|scope| {
            for index in 0..3u64 {
                let mut peer = threads.peer(index as usize);
                scope.spawn(move || {
                    let mut outboxes = vec![Vec::new(); 3];
                    let mut inboxes = vec![vec![7]; 3];
                    for round in 0..50 {
                        (0..3).for_each(|to| outboxes[to as usize].push(100 * round + 10 * index + to));
                        peer.send(&mut outboxes, [1, index, round, 0]);
                        let sum = peer.receive(&mut inboxes);
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
