//! Workers of timely dataflow in one process or in several, on one machine or on many: how they find each other, run, and
//! leave each other.
//!
//! ```text
//! hosts ─connect→ sockets to all others, of which each has greeted ─run→ workers on threads ─Running→ results, or why not
//! ```
//!
//! Timely dataflow (Murray and others, *Naiad: a timely dataflow system*, 2013) carries the messages. It would wait without
//! end for a process that does not come, and take any process for one of its own. Here both sides of a connection say who
//! they are, and give up within a [`Budget`].

use ludolog_syntax::Share;
use ludolog_syntax::budget::{Budget, Stopped};
use std::fmt;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::NonZero;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;
use timely::WorkerConfig;
use timely::communication::Hooks;
use timely::communication::allocator::zero_copy::initialize::initialize_networking_from_sockets;
use timely::communication::allocator::{AllocatorBuilder, ProcessBuilder};
use timely::execute::execute_from;
use timely::worker::Worker;

/// Time between two looks at the budget by a thread that waits for others.
pub const LOOK: Duration = Duration::from_millis(50);

/// Most time that a worker waits before it looks for messages by itself.
pub const PARK: Duration = Duration::from_millis(1);

/// Most time for a process that has connected to say which it is.
const GREETING: Duration = Duration::from_secs(1);

/// The processes that work together.
#[derive(Clone, Debug)]
pub struct Processes {
    /// The workers of each process.
    pub workers: NonZero<usize>,
    /// The addresses of all processes, as `host:port`, the same for all; none, if this is the only process.
    pub hosts: Vec<String>,
    /// The place of this process among them.
    pub process: usize,
    /// The goal that all of them are asked, if any.
    pub goal: String,
}

impl Default for Processes {
    /// One process with one worker.
    fn default() -> Self {
        Processes { workers: NonZero::<usize>::MIN, hosts: Vec::new(), process: 0, goal: String::new() }
    }
}

/// The greeting of a process, in this order: its place, the number of processes,
/// the workers of each, and what they work on.
type Greeting = [u64; 4];

impl Processes {
    /// The number of processes.
    pub fn count(&self) -> usize {
        self.hosts.len().max(1)
    }

    /// The workers of all processes.
    pub fn peers(&self) -> usize {
        self.workers.get() * self.count()
    }

    /// The facts that this process holds.
    pub fn share(&self) -> Share {
        Share::new(self.process, self.count())
    }

    /// Connects this process with all others: with those before it as a client, for those after it as a server. All have
    /// to `work` on the same: a number that differs for what differs.
    ///
    /// # Errors
    ///
    /// Why the processes do not come together: the budget has ended, the address of this process is not free, or another
    /// one has other hosts, other workers or other work.
    pub fn connect(&self, work: u64, budget: &Budget) -> Result<Connected, Unconnected> {
        let mut sockets: Vec<Option<TcpStream>> = self.hosts.iter().map(|_| None).collect();
        let Some(here) = self.hosts.get(self.process) else { return Ok(Connected(sockets)) };
        let failed = |error: io::Error| Unconnected::Failed(format!("{here}: {error}"));
        let listener = TcpListener::bind(here).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let own: Greeting = [self.process as u64, sockets.len() as u64, self.workers.get() as u64, work];
        let is_open = |sockets: &[Option<TcpStream>], place: usize| place != self.process && sockets[place].is_none();
        while (0..sockets.len()).any(|place| is_open(&sockets, place)) {
            if let Err(stopped) = budget.check() {
                let missing = (0..sockets.len()).filter(|&place| is_open(&sockets, place));
                let missing = missing.map(|place| format!("{place} ({})", self.hosts[place])).collect();
                return Err(Unconnected::Stopped(stopped, missing));
            }
            for place in 0..self.process {
                // A process that has not begun to listen is tried again.
                if is_open(&sockets, place)
                    && let Ok(mut socket) = TcpStream::connect(&self.hosts[place])
                    && let Ok(theirs) = send(&mut socket, &own).and_then(|()| receive(&mut socket))
                {
                    self.check(place, &own, &theirs)?;
                    sockets[place] = Some(socket);
                }
            }
            while let Ok((mut socket, _)) = listener.accept() {
                // Others may knock at the port as well.
                let greeted = socket.set_nonblocking(false).and_then(|()| receive(&mut socket));
                let Ok(theirs) = greeted.and_then(|theirs| send(&mut socket, &own).map(|()| theirs)) else { continue };
                let place = theirs[0] as usize;
                self.check(place, &own, &theirs)?;
                if place > self.process && place < sockets.len() {
                    sockets[place] = Some(socket);
                }
            }
            std::thread::sleep(LOOK);
        }
        for socket in sockets.iter().flatten() {
            socket.set_nodelay(true).map_err(failed)?;
        }
        Ok(Connected(sockets))
    }

    /// Refuses a process that is not one of these.
    fn check(&self, place: usize, own: &Greeting, theirs: &Greeting) -> Result<(), Unconnected> {
        let differs = |what: &str, at: usize| {
            let theirs = theirs[at];
            let own = own[at];
            Err(Unconnected::Failed(format!("process {place} has {theirs} {what}, and this one {own}")))
        };
        match () {
            () if theirs[1] != own[1] => differs("hosts", 1),
            () if theirs[2] != own[2] => differs("workers", 2),
            () if theirs[0] != place as u64 || place == self.process => {
                Err(Unconnected::Failed(format!("two processes say that they are process {}", theirs[0])))
            }
            () if theirs[3] != own[3] => Err(Unconnected::Failed(format!(
                "process {place} works on something else: all need the same files and the same arguments"
            ))),
            () => Ok(()),
        }
    }
}

fn send(socket: &mut TcpStream, greeting: &Greeting) -> io::Result<()> {
    socket.write_all(&greeting.map(u64::to_le_bytes).concat())
}

fn receive(socket: &mut TcpStream) -> io::Result<Greeting> {
    let mut greeting = Greeting::default();
    socket.set_read_timeout(Some(GREETING))?;
    for number in &mut greeting {
        let mut bytes = [0; 8];
        socket.read_exact(&mut bytes)?;
        *number = u64::from_le_bytes(bytes);
    }
    socket.set_read_timeout(None)?;
    Ok(greeting)
}

/// Why processes are not connected.
#[derive(Debug)]
pub enum Unconnected {
    /// The budget has ended; the processes that have not come.
    Stopped(Stopped, Vec<String>),
    /// The reason.
    Failed(String),
}

impl fmt::Display for Unconnected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unconnected::Stopped(stopped, missing) => {
                write!(f, "{stopped}: no connection with process {}", missing.join(", "))
            }
            Unconnected::Failed(reason) => f.write_str(reason),
        }
    }
}

/// Connections with all other processes; none, if there are none.
#[derive(Debug)]
pub struct Connected(Vec<Option<TcpStream>>);

/// The way of messages between the workers of one process. Between processes they always are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passing {
    /// As they are.
    Values,
    /// As bytes, for what means something to one worker only.
    Bytes,
}

/// Workers that run. They go on when this is dropped.
#[derive(Debug)]
pub struct Running<T> {
    results: Receiver<Result<Vec<T>, String>>,
    /// Whether there are other processes.
    has_others: bool,
}

/// Runs the workers of this process on threads of their own, so that they can be left when another process does not answer.
pub fn run<T, F>(processes: &Processes, connected: Connected, passing: Passing, work: F) -> Running<T>
where
    T: Send + 'static,
    F: Fn(&mut Worker) -> T + Send + Sync + 'static,
{
    let threads = processes.workers.get();
    let process = processes.process;
    let (done, results) = mpsc::channel();
    let work_and_wait = move || {
        let hooks = Hooks::default();
        let of_process = match passing {
            Passing::Values => ProcessBuilder::new_typed_vector(threads, hooks.refill.clone(), None),
            Passing::Bytes => ProcessBuilder::new_bytes_vector(threads, hooks.refill.clone(), None),
        };
        let Connected(sockets) = connected;
        let guards = if sockets.iter().all(Option::is_none) {
            let builders = of_process.into_iter().map(AllocatorBuilder::Process).collect();
            execute_from(builders, Box::new(()), WorkerConfig::default(), work)
        } else {
            let connected = initialize_networking_from_sockets(of_process, sockets, process, threads, hooks);
            connected.map_err(|error| error.to_string()).and_then(|(builders, guard)| {
                let builders = builders.into_iter().map(AllocatorBuilder::Tcp).collect();
                execute_from(builders, Box::new(guard), WorkerConfig::default(), work)
            })
        };
        let results = guards.and_then(|guards| guards.join().into_iter().collect::<Result<Vec<T>, String>>());
        _ = done.send(results);
    };
    // A thread that cannot be started shows when its results do not come.
    _ = std::thread::Builder::new().name("timely:run".to_owned()).spawn(work_and_wait);
    Running { results, has_others: processes.count() > 1 }
}

impl<T> Running<T> {
    /// Waits for the results of the workers of this process, at most this time; `None` if they are not there yet.
    ///
    /// # Errors
    ///
    /// Why there will be none, in words.
    pub fn wait(&self, most: Duration) -> Result<Option<Vec<T>>, String> {
        match self.results.recv_timeout(most) {
            Ok(Ok(results)) => Ok(Some(results)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            // Workers end when messages from another process end, and nobody but that process knows why.
            _ if self.has_others => Err("another process has ended before the work was done".to_owned()),
            _ => Err("the workers have ended before their work was done".to_owned()),
        }
    }
}

/// Whether the panic of a thread only says that another process is gone, which [`Running::wait`] tells in other words.
pub fn is_lost_connection(thread: Option<&str>, message: &str) -> bool {
    let is_of_connection =
        ["timely communication error", "MergeQueue poisoned", "thread panic"].iter().any(|part| message.contains(part));
    is_of_connection && thread.is_some_and(|name| name.starts_with("timely:"))
}
