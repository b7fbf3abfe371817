//! Peers that are workers of timely dataflow, in one process or in several, on one machine or on many.
//!
//! ```text
//! input ─exchange by receiver→ inbox        a round is a timestamp; it is over when no worker is before it
//! ```
//!
//! Timely dataflow (Murray and others, *Naiad: a timely dataflow system*, 2013) carries the words and tells when a round is
//! over everywhere; what is done in a round is that of threads.

use crate::checkpoint::Checkpoint;
use crate::exchange::{Exchange, Note, add};
use crate::solution::Solution;
use crate::solver::{Part, Peer, Progress, Unsolved};
use ludolog_propnet::NetMachine;
use ludolog_syntax::budget::{Budget, Stopped};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::NonZero;
use std::rc::Rc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::container::CapacityContainerBuilder;
use timely::dataflow::channels::pact::Pipeline;
use timely::dataflow::operators::generic::Operator;
use timely::dataflow::operators::{Exchange as _, Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::execute::execute_from;
use timely::worker::Worker;

/// Most time that a worker waits before it looks for words by itself.
const PARK: Duration = Duration::from_millis(1);

/// Time between two looks at the budget by the thread that waits for the workers.
const LOOK: Duration = Duration::from_millis(50);

/// Looks that the workers of all processes have to agree that the budget has ended. A process that does not answer, or is not
/// there, must not keep the others.
const GRACE: usize = 100;

/// The processes that solve a game together.
#[derive(Clone, Debug)]
pub struct Processes {
    /// The workers of each process.
    pub workers: NonZero<usize>,
    /// The addresses of all processes, as `host:port`, the same for all; none, if this is the only process.
    pub hosts: Vec<String>,
    /// The place of this process among them.
    pub process: usize,
}

impl Processes {
    /// The workers of all processes.
    pub fn peers(&self) -> usize {
        self.workers.get() * self.hosts.len().max(1)
    }

    /// Connects this process with all others: with those before it as a client, for those after it as a server. (Timely would
    /// wait without end, and speak on standard output meanwhile.)
    fn connect(&self, budget: &Budget) -> Result<Vec<Option<TcpStream>>, Unconnected> {
        let mut sockets: Vec<Option<TcpStream>> = self.hosts.iter().map(|_| None).collect();
        let Some(here) = self.hosts.get(self.process) else { return Ok(sockets) };
        let failed = |error: io::Error| Unconnected::Failed(format!("{here}: {error}"));
        let listener = TcpListener::bind(here).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let is_open = |sockets: &[Option<TcpStream>], place: usize| place != self.process && sockets[place].is_none();
        while (0..sockets.len()).any(|place| is_open(&sockets, place)) {
            budget.check()?;
            for place in 0..self.process {
                if is_open(&sockets, place)
                    && let Ok(mut socket) = TcpStream::connect(&self.hosts[place])
                {
                    socket.write_all(&(self.process as u64).to_le_bytes()).map_err(failed)?;
                    sockets[place] = Some(socket);
                }
            }
            while let Ok((mut socket, _)) = listener.accept() {
                let mut number = [0; 8];
                let read = socket.set_nonblocking(false).and_then(|()| socket.set_read_timeout(Some(GREETING)));
                let read = read.and_then(|()| socket.read_exact(&mut number));
                let place = u64::from_le_bytes(number) as usize;
                // Others may knock at the port as well.
                if read.is_ok() && place > self.process && place < sockets.len() {
                    socket.set_read_timeout(None).map_err(failed)?;
                    sockets[place] = Some(socket);
                }
            }
            std::thread::sleep(LOOK);
        }
        for socket in sockets.iter().flatten() {
            socket.set_nodelay(true).map_err(failed)?;
        }
        Ok(sockets)
    }
}

/// Most time for a process that has connected to say which it is.
const GREETING: Duration = Duration::from_secs(1);

/// Why processes are not connected.
enum Unconnected {
    Stopped(Stopped),
    Failed(String),
}

impl From<Stopped> for Unconnected {
    fn from(stopped: Stopped) -> Self {
        Unconnected::Stopped(stopped)
    }
}

/// Words for a peer.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Message {
    to: u64,
    from: u64,
    round: u64,
    note: Note,
    words: Words,
}

/// Words that travel as one array of bytes: one by one they would take longer than their way.
#[derive(Clone, Debug)]
struct Words(Vec<u64>);

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytemuck::cast_slice(&self.0))
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Words, D::Error> {
        struct OfBytes;
        impl Visitor<'_> for OfBytes {
            type Value = Words;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("words of eight bytes")
            }

            fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Words, E> {
                Ok(Words(bytemuck::pod_collect_to_vec(bytes)))
            }
        }
        deserializer.deserialize_bytes(OfBytes)
    }
}

/// A worker as a peer of the others.
struct Dataflow<'w> {
    worker: &'w mut Worker,
    input: InputHandle<u64, CapacityContainerBuilder<Vec<Message>>>,
    probe: ProbeHandle<u64>,
    /// What has come. Peers may be a round ahead.
    received: Rc<RefCell<Vec<Message>>>,
}

impl<'w> Dataflow<'w> {
    fn new(worker: &'w mut Worker) -> Dataflow<'w> {
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let received: Rc<RefCell<Vec<Message>>> = Rc::default();
        let inbox = received.clone();
        worker.dataflow(|scope| {
            scope
                .input_from(&mut input)
                .exchange(|message: &Message| message.to)
                .unary::<CapacityContainerBuilder<Vec<()>>, _, _, _>(Pipeline, "inbox", |_, _| {
                    move |messages, _| {
                        messages.for_each(|_, messages| inbox.borrow_mut().append(messages));
                    }
                })
                .probe_with(&probe);
        });
        Dataflow { worker, input, probe, received }
    }
}

impl Exchange for Dataflow<'_> {
    fn peers(&self) -> usize {
        self.worker.peers()
    }

    fn index(&self) -> usize {
        self.worker.index()
    }

    fn send(&mut self, outboxes: &mut [Vec<u64>], note: Note) {
        let from = self.worker.index() as u64;
        let round = *self.input.time();
        for (to, outbox) in (0..).zip(outboxes) {
            self.input.send(Message { to, from, round, note, words: Words(std::mem::take(outbox)) });
        }
        self.input.advance_to(round + 1);
        // The words leave now, not when this peer waits for those of others.
        self.worker.step();
    }

    fn receive(&mut self, inboxes: &mut [Vec<u64>]) -> Note {
        let Dataflow { worker, input, probe, received } = self;
        worker.step_or_park_while(Some(PARK), || probe.less_than(input.time()));
        let mut sum = Note::default();
        let is_over = |message: &mut Message| message.round < *input.time();
        for Message { from, note, words: Words(words), .. } in received.borrow_mut().extract_if(.., is_over) {
            add(&mut sum, &note);
            inboxes[from as usize] = words;
        }
        sum
    }
}

/// Solves a game on the workers of some processes; as [`solve`](crate::solve), except that a solution knows the labels of the
/// states that this process owns, and that a checkpoint needs a directory that all processes see.
///
/// # Errors
///
/// Why the processes do not come together.
pub fn solve_on(
    processes: &Processes,
    machine: &NetMachine,
    checkpoint: Option<&Checkpoint>,
    budget: &Budget,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Solution, String> {
    if let Some(peers) = checkpoint.and_then(Checkpoint::peers).filter(|&peers| peers != processes.peers()) {
        return Err(format!("the checkpoint is one of {peers} workers; go on with as many"));
    }
    // Workers have to own what they use, so that the run can be left when a process does not answer.
    let (told, progress) = mpsc::channel::<Progress>();
    let (done, parts) = mpsc::channel();
    let sockets = match processes.connect(budget) {
        Ok(sockets) => sockets,
        Err(Unconnected::Failed(reason)) => return Err(reason),
        Err(Unconnected::Stopped(stopped)) => return Ok(Solution::unsolved(Unsolved::Stopped(stopped))),
    };
    let (threads, process) = (processes.workers.get(), processes.process);
    let (of_workers, checkpoint, of_peers) = (machine.clone(), checkpoint.cloned(), budget.clone());
    std::thread::spawn(move || {
        let run = move |worker: &mut Worker| {
            let told = told.clone();
            let mut watch = move |progress: &Progress| _ = told.send(*progress);
            let peer = Peer::new(of_workers.clone(), Dataflow::new(worker), &of_peers, &mut watch);
            peer.run(checkpoint.as_ref())
        };
        let hooks = Hooks::default();
        let of_process = ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None);
        let parts = if sockets.iter().all(Option::is_none) {
            let builders = of_process.into_iter().map(AllocatorBuilder::Process).collect();
            execute_from(builders, Box::new(()), WorkerConfig::default(), run)
        } else {
            let connected = initialize_networking_from_sockets(of_process, sockets, process, threads, hooks);
            connected.map_err(|error| error.to_string()).and_then(|(builders, guard)| {
                let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
                execute_from(builders, Box::new(guard), WorkerConfig::default(), run)
            })
        };
        let parts = parts.and_then(|guards| guards.join().into_iter().collect::<Result<Vec<Part>, String>>());
        _ = done.send(parts);
    });
    let mut looks = 0;
    loop {
        match parts.recv_timeout(LOOK) {
            Ok(parts) => {
                let first = processes.process * processes.workers.get();
                return Ok(Solution::of_parts(parts?, first, processes.peers()));
            }
            Err(RecvTimeoutError::Disconnected) => return Err("the workers ended without a result".to_owned()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(latest) = progress.try_iter().last() {
            watch(&latest);
        }
        if let Err(stopped) = budget.check() {
            looks += 1;
            if looks > GRACE {
                return Ok(Solution::unsolved(Unsolved::Stopped(stopped)));
            }
        }
    }
}
