//! Peers that are workers of timely dataflow, in one process or in several, on one machine or on many.
//!
//! ```text
//! input ─exchange by receiver→ inbox        a round is a timestamp; it is over when no worker is before it
//! ```
//!
//! Timely dataflow (Murray and others, *Naiad: a timely dataflow system*, 2013) carries the words and tells when a
//! round is over everywhere; what is done in a round is that of threads.

use crate::checkpoint::Checkpoint;
use crate::exchange::{Exchange, PeerCounts, add};
use crate::fingerprint::fingerprint;
use crate::solution::SolvedStates;
use crate::solver::{Peer, PeerProgress, Unsolved};
use ludolog_propnet::NetMachine;
use ludolog_syntax::budget::Budget;
use ludolog_workers::{LOOK, PARK, Passing, Processes, Unconnected};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::mpsc;
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Exchange as _, Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// Looks that the workers of all processes have to agree that the budget has ended. A process that does not answer, or
/// is not there, must not keep the others.
const GRACE: usize = 100;

/// Words for a peer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct PeerMessage {
    to: u64,
    from: u64,
    round: u64,
    note: PeerCounts,
    words: SentWords,
}

/// Words that travel as one array of bytes: one by one they would take longer than their way.
#[derive(Clone, Debug)]
struct SentWords(Vec<u64>);

impl Serialize for SentWords {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytemuck::cast_slice(&self.0))
    }
}

impl<'de> Deserialize<'de> for SentWords {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SentWords, D::Error> {
        struct OfBytes;
        impl Visitor<'_> for OfBytes {
            type Value = SentWords;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("words of eight bytes")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<SentWords, E> {
                let (words, rest) = bytes.as_chunks();
                if !rest.is_empty() {
                    return Err(E::invalid_length(bytes.len(), &self));
                }
                Ok(SentWords(words.iter().map(|word| u64::from_ne_bytes(*word)).collect()))
            }
        }
        deserializer.deserialize_bytes(OfBytes)
    }
}

/// A worker as a peer of the others.
struct DataflowPeer<'w> {
    worker: &'w mut Worker,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<PeerMessage>>>,
    probe: ProbeHandle<u64>,
    /// The words that have come. Peers may be a round ahead.
    received: Rc<RefCell<Vec<PeerMessage>>>,
}

impl<'w> DataflowPeer<'w> {
    fn new(worker: &'w mut Worker) -> DataflowPeer<'w> {
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let received: Rc<RefCell<Vec<PeerMessage>>> = Rc::default();
        let inbox = received.clone();
        worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .exchange(|message: &PeerMessage| message.to)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(Pipeline, "inbox", |_, _| {
                    move |messages, _| {
                        messages.for_each(|_, messages| inbox.borrow_mut().append(messages));
                    }
                })
                .probe_with(&probe);
        });
        DataflowPeer { worker, input, probe, received }
    }
}

impl Exchange for DataflowPeer<'_> {
    fn peers(&self) -> usize {
        self.worker.peers()
    }

    fn index(&self) -> usize {
        self.worker.index()
    }

    fn send(&mut self, outboxes: &mut [Vec<u64>], note: PeerCounts) {
        let from = self.worker.index() as u64;
        let round = *self.input.time();
        for (to, outbox) in (0..).zip(outboxes) {
            self.input.send(PeerMessage { to, from, round, note, words: SentWords(std::mem::take(outbox)) });
        }
        self.input.advance_to(round + 1);
        // The words leave now, not when this peer waits for those of others.
        self.worker.step();
    }

    fn receive(&mut self, inboxes: &mut [Vec<u64>]) -> PeerCounts {
        let DataflowPeer { worker, input, probe, received } = self;
        worker.step_or_park_while(Some(PARK), || probe.less_than(input.time()));
        let mut sum = PeerCounts::default();
        let is_over = |message: &mut PeerMessage| message.round < *input.time();
        for PeerMessage { from, note, words: SentWords(words), .. } in received.borrow_mut().extract_if(.., is_over) {
            add(&mut sum, &note);
            inboxes[from as usize] = words;
        }
        sum
    }
}

/// Solves a game on the workers of some processes; as [`solve`](crate::solve), except that a solution knows the labels
/// of the states that this process owns, and that a checkpoint needs a directory that all processes see.
///
/// # Errors
///
/// Why the processes do not come together.
pub fn solve_on(
    processes: &Processes,
    machine: &NetMachine,
    checkpoint: Option<&Checkpoint>,
    budget: &Budget,
    watch: &mut dyn FnMut(&PeerProgress),
) -> Result<SolvedStates, String> {
    if let Some(peers) = checkpoint.and_then(Checkpoint::peers).filter(|&peers| peers != processes.peers()) {
        return Err(format!("the checkpoint is one of {peers} workers; go on with as many"));
    }
    let connected = match processes.connect(fingerprint(machine.net()), budget) {
        Ok(connected) => connected,
        Err(Unconnected::Stopped(stopped, _)) => return Ok(SolvedStates::unsolved(Unsolved::Stopped(stopped))),
        Err(Unconnected::Failed(reason)) => return Err(reason),
    };
    let (told, progress) = mpsc::channel::<PeerProgress>();
    let of_workers = machine.clone();
    let checkpoint = checkpoint.cloned();
    let of_peers = budget.clone();
    let running = ludolog_workers::run(processes, connected, Passing::Values, move |worker: &mut Worker| {
        let told = told.clone();
        let mut watch = move |progress: &PeerProgress| _ = told.send(*progress);
        let peer = Peer::new(of_workers.clone(), DataflowPeer::new(worker), &of_peers, &mut watch);
        peer.run(checkpoint.as_ref())
    });
    let mut looks = 0;
    loop {
        if let Some(parts) = running.wait(LOOK)? {
            let first = processes.process * processes.workers.get();
            return Ok(SolvedStates::of_parts(parts, first, processes.peers()));
        }
        if let Some(latest) = progress.try_iter().last() {
            watch(&latest);
        }
        if let Err(stopped) = budget.check() {
            looks += 1;
            if looks > GRACE {
                return Ok(SolvedStates::unsolved(Unsolved::Stopped(stopped)));
            }
        }
    }
}
