//! The workers of this process, as the engine sees them.

use crate::operators::RowCounts;
use crate::worker::{self, SPIN, WorkerReply, WorkerShared, WorkerTask};
use ludolog_syntax::budget::{Budget, Stopped};
use ludolog_workers::{Connected, LOOK, Passing, Processes, Running};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// The workers of this process.
pub struct Crew {
    pub workers: Vec<(Sender<WorkerTask>, Thread)>,
    replies: Receiver<WorkerReply>,
    pub running: Running<()>,
    /// The replies that are to come.
    pub awaited: usize,
}

impl Crew {
    /// Starts the workers, and waits until they are there.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn start(
        processes: &Processes,
        connected: Connected,
        shared: &WorkerShared,
        budget: &Budget,
    ) -> Result<Crew, Stopped> {
        let mut senders = Vec::new();
        let mut ends = Vec::new();
        let (reply, replies) = mpsc::channel();
        for _ in 0..processes.workers.get() {
            let (sender, commands) = mpsc::channel();
            senders.push(sender);
            ends.push(Some((commands, reply.clone())));
        }
        drop(reply);
        let counts = shared.counts.clone();
        let shared = shared.clone();
        let ends = Mutex::new(ends);
        let workers = senders.len();
        // Ids mean something to one worker only.
        let passing = if workers > 1 { Passing::Bytes } else { Passing::Values };
        let running = ludolog_workers::run(processes, connected, passing, move |worker| {
            let end = ends.lock().ok().and_then(|mut ends| ends[worker.index() % workers].take());
            if let Some((commands, replies)) = end {
                worker::run(worker, &shared, &commands, &replies);
            }
        });
        let mut crew = Crew { workers: Vec::new(), replies, running, awaited: workers };
        let mut threads: Vec<Thread> = Vec::new();
        crew.wait(budget, &counts, |reply| match reply {
            WorkerReply::Ready(thread) => threads.push(thread),
            reply => unreachable!("a worker begins with its thread, not {reply:?}"),
        })?;
        // Waking the wrong one does no harm, since all are woken.
        crew.workers = senders.into_iter().zip(threads).collect();
        Ok(crew)
    }

    /// Hands each worker a command.
    pub fn send(&mut self, commands: impl Iterator<Item = WorkerTask>) {
        for ((sender, _), command) in self.workers.iter().zip(commands) {
            // That a worker is gone shows when its reply does not come.
            _ = sender.send(command);
            self.awaited += 1;
        }
        self.workers.iter().for_each(|(_, thread)| thread.unpark());
    }

    /// The next reply. Most updates are shorter than it takes to wake a thread, so it does not sleep at once.
    fn reply(&self) -> Result<WorkerReply, RecvTimeoutError> {
        let start = Instant::now();
        while start.elapsed() < SPIN {
            match self.replies.try_recv() {
                Ok(reply) => return Ok(reply),
                Err(TryRecvError::Disconnected) => return Err(RecvTimeoutError::Disconnected),
                Err(TryRecvError::Empty) => thread::yield_now(),
            }
        }
        self.replies.recv_timeout(LOOK)
    }

    /// Waits for all replies.
    pub fn wait(
        &mut self,
        budget: &Budget,
        counts: &RowCounts,
        mut take: impl FnMut(WorkerReply),
    ) -> Result<(), Stopped> {
        while self.awaited > 0 {
            match self.reply() {
                Ok(WorkerReply::Failed(stopped)) => return Err(stopped),
                Ok(reply) => {
                    self.awaited -= 1;
                    take(reply);
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    if let Err(lost) = self.running.wait(Duration::ZERO) {
                        return Err(Stopped::Unsupported(lost));
                    }
                }
            }
            budget.check_facts(counts.derived())?;
        }
        Ok(())
    }
}
