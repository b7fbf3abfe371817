//! The loop of a worker: commands of the engine, one after the other, until there is none to come.

use crate::graph::DataflowGraph;
use crate::incremental::Incremental;
use crate::once::Once;
use crate::operators::RowCounts;
use crate::plan::DataflowPlan;
use crate::row::{Narrow, Row, Wide};
use crate::rules::{names_in, width};
use crate::stage::BoundSlots;
use crate::terms::{PackedRows, with_terms};
use ludolog_engine::value::Value;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Predicate, Term};
use ludolog_syntax::budget::Stopped;
use ludolog_workers::PARK;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};
use timely::worker::Worker;

/// Most time that engine and workers wait for each other without sleep, which is about what it takes to wake one of
/// them.
pub const SPIN: Duration = Duration::from_micros(200);

/// A change of given rows.
#[derive(Clone, Debug)]
pub struct RowChange {
    /// The number of the predicate.
    pub predicate: usize,
    /// The rows.
    pub rows: PackedRows,
    /// Whether they come or go.
    pub comes: bool,
}

/// A task for a worker. All workers of all processes get the same tasks in the same order, with shares of the rows.
#[derive(Clone, Debug)]
pub enum WorkerTask {
    /// Derives what follows from these rows, which are all that are given.
    Derive(Vec<RowChange>),
    /// Makes changes and derives what follows; tells how the rows of this worker change if asked to. The first one
    /// begins with no rows, whatever was derived before.
    Update { changes: Vec<RowChange>, tells: bool },
    /// Hands out the rows of a derived predicate that this worker owns.
    Rows(usize),
    /// Derives the head of a rule of its own from the derived relations, and these rows of other predicates.
    Solve { rule: Arc<Clause>, others: Vec<(Predicate, PackedRows)> },
}

/// The answers of a worker, one for each command.
#[derive(Debug)]
pub enum WorkerReply {
    /// It is ready, and is this thread.
    Ready(Thread),
    /// By derived predicate, the rows that came and the rows that went.
    Updated(Vec<(usize, [PackedRows; 2])>),
    /// Rows of the worker of this number.
    Rows(usize, PackedRows),
    /// A term is too large, or an integer does not fit. Nothing more is done.
    Failed(Stopped),
}

/// The state that the engine and its workers share.
#[derive(Clone, Debug)]
pub struct WorkerShared {
    /// The program.
    pub plan: Arc<DataflowPlan>,
    /// The numbers of rows of this process.
    pub counts: RowCounts,
    /// Whether workers are to leave their work as it is.
    pub is_left: Arc<AtomicBool>,
}

/// Runs a worker, with rows that are wide enough for the program.
pub fn run(worker: &mut Worker, shared: &WorkerShared, commands: &Receiver<WorkerTask>, replies: &Sender<WorkerReply>) {
    match shared.plan.width {
        0..=2 => WorkerState::<Narrow<2>>::run(worker, shared, commands, replies),
        3..=4 => WorkerState::<Narrow<4>>::run(worker, shared, commands, replies),
        _ => WorkerState::<Wide>::run(worker, shared, commands, replies),
    }
}

/// Why a worker stops in the middle of its work.
enum Halt {
    /// The engine is gone, or will not wait.
    Left,
    Failed(Stopped),
}

struct WorkerState<'w, R: Row> {
    worker: &'w mut Worker,
    shared: &'w WorkerShared,
    graph: Current<R>,
    /// By derived predicate, its number.
    derived: FxHashMap<Predicate, usize>,
}

/// The graph that has the rows.
enum Current<R: Row> {
    None,
    Once(DataflowGraph<Once, R>),
    Incremental(DataflowGraph<Incremental, R>),
}

impl<R: Row> Current<R> {
    /// Calls `visit` with the rows of a predicate that this worker owns.
    fn for_each(&self, predicate: usize, visit: impl FnMut(&[Value])) {
        match self {
            Current::None => {}
            Current::Once(graph) => graph.for_each(predicate, visit),
            Current::Incremental(graph) => graph.for_each(predicate, visit),
        }
    }
}

impl<'w, R: Row> WorkerState<'w, R> {
    fn run(
        worker: &'w mut Worker,
        shared: &'w WorkerShared,
        commands: &Receiver<WorkerTask>,
        replies: &Sender<WorkerReply>,
    ) {
        _ = replies.send(WorkerReply::Ready(thread::current()));
        let DataflowPlan { predicates, derived, .. } = &*shared.plan;
        let numbered = predicates.iter().cloned().zip(0..).filter(|(predicate, _)| derived.contains(predicate));
        let mut work: WorkerState<R> =
            WorkerState { worker, shared, graph: Current::None, derived: numbered.collect() };
        if let Err(halt) = work.serve(commands, replies) {
            for dataflow in work.worker.installed_dataflows() {
                work.worker.drop_dataflow(dataflow);
            }
            if let Halt::Failed(stopped) = halt {
                _ = replies.send(WorkerReply::Failed(stopped));
            }
        }
    }

    fn serve(&mut self, commands: &Receiver<WorkerTask>, replies: &Sender<WorkerReply>) -> Result<(), Halt> {
        let mut last = Instant::now();
        loop {
            let command = match commands.try_recv() {
                Ok(command) => command,
                Err(TryRecvError::Disconnected) if self.shared.is_left.load(Ordering::Relaxed) => {
                    return Err(Halt::Left);
                }
                Err(TryRecvError::Disconnected) => return Ok(()),
                Err(TryRecvError::Empty) if last.elapsed() < SPIN => {
                    self.worker.step();
                    thread::yield_now();
                    continue;
                }
                // The engine wakes the thread.
                Err(TryRecvError::Empty) => {
                    self.worker.step_or_park(Some(PARK));
                    continue;
                }
            };
            let reply = match command {
                WorkerTask::Derive(given) => self.derive(&given)?,
                WorkerTask::Update { changes, tells } => self.update(&changes, tells)?,
                WorkerTask::Rows(predicate) => {
                    let mut packed = PackedRows::default();
                    with_terms(|terms| self.graph.for_each(predicate, |row| packed.push(row, &terms.interner)));
                    WorkerReply::Rows(self.worker.index(), packed)
                }
                WorkerTask::Solve { rule, others } => {
                    WorkerReply::Rows(self.worker.index(), self.solve(&rule, &others)?)
                }
            };
            if replies.send(reply).is_err() {
                return Err(Halt::Left);
            }
            last = Instant::now();
        }
    }

    fn derive(&mut self, given: &[RowChange]) -> Result<WorkerReply, Halt> {
        let mut graph = DataflowGraph::new(self.worker, &self.shared.plan, &self.shared.counts);
        given.iter().for_each(|RowChange { predicate, rows, .. }| graph.change(*predicate, rows, 1));
        graph.close();
        step_until(self.worker, self.shared, || graph.is_over())?;
        self.graph = Current::Once(graph);
        Ok(WorkerReply::Updated(Vec::new()))
    }

    fn update(&mut self, changes: &[RowChange], tells: bool) -> Result<WorkerReply, Halt> {
        if !matches!(self.graph, Current::Incremental(_)) {
            self.graph = Current::None;
            self.graph = Current::Incremental(DataflowGraph::new(self.worker, &self.shared.plan, &self.shared.counts));
        }
        let Current::Incremental(graph) = &mut self.graph else { unreachable!("it was made") };
        for RowChange { predicate, rows, comes } in changes {
            graph.change(*predicate, rows, if *comes { 1 } else { -1 });
        }
        graph.advance();
        step_until(self.worker, self.shared, || graph.is_over())?;
        Ok(WorkerReply::Updated(graph.changes(tells)))
    }

    /// The heads that follow from the rows of a predicate.
    fn matching(&self, predicate: usize, atom: &Atom, head: &Atom) -> PackedRows {
        let stage = with_terms(|terms| {
            let interner = &mut terms.interner;
            let frame = BoundSlots::of_columns(&atom.args, interner);
            let cells = head.args.iter().map(|arg| frame.template(arg, None, interner)).collect();
            frame.stage(cells, head.args.len(), interner)
        });
        let mut packed = PackedRows::default();
        let mut slots = Vec::new();
        self.graph.for_each(predicate, |row| {
            for head_row in stage.rows::<Wide>([(row, row.len()), (&[], 0), (&[], 0)], &mut slots) {
                with_terms(|terms| packed.push(head_row.cells(), &terms.interner));
            }
        });
        packed
    }

    /// The heads of a rule: by a look at the rows of this worker if each makes one of its own, else by a graph of its
    /// own.
    fn solve(&mut self, rule: &Clause, others: &[(Predicate, PackedRows)]) -> Result<PackedRows, Halt> {
        if let [Literal::Positive(atom)] = &rule.body[..]
            && let Some(&known) = self.derived.get(&atom.signature())
            && names_in(&atom.args).iter().all(|name| rule.head.args.contains(&Term::Variable(name.clone())))
        {
            return Ok(self.matching(known, atom, &rule.head));
        }
        let mut predicates: Vec<Predicate> = Vec::new();
        for atom in [&rule.head].into_iter().chain(rule.body.iter().filter_map(Literal::atom)) {
            if !predicates.contains(&atom.signature()) {
                predicates.push(atom.signature());
            }
        }
        let plan = Arc::new(DataflowPlan::new(predicates, vec![vec![rule.clone()]], width(rule)));
        // Rows are as wide as they may get: goals are not what takes time.
        let mut graph: DataflowGraph<Once, Wide> = DataflowGraph::new(self.worker, &plan, &RowCounts::default());
        for (number, predicate) in plan.predicates.iter().enumerate().skip(1) {
            if let Some(&known) = self.derived.get(predicate) {
                self.graph.for_each(known, |row: &[Value]| graph.insert(number, row));
            }
            for (_, rows) in others.iter().filter(|(other, _)| other == predicate) {
                graph.change(number, rows, 1);
            }
        }
        graph.close();
        step_until(self.worker, self.shared, || graph.is_over())?;
        let mut packed = PackedRows::default();
        with_terms(|terms| graph.for_each(0, |row| packed.push(row, &terms.interner)));
        Ok(packed)
    }
}

/// Works until something is over.
fn step_until(worker: &mut Worker, shared: &WorkerShared, is_over: impl Fn() -> bool) -> Result<(), Halt> {
    while !is_over() {
        worker.step_or_park(Some(PARK));
        if shared.is_left.load(Ordering::Relaxed) {
            return Err(Halt::Left);
        }
        with_terms(|terms| match terms.interner.excess() {
            Some(excess) => Err(Stopped::TermTooLarge(excess)),
            None => terms.interner.check_overflow(),
        })
        .map_err(Halt::Failed)?;
    }
    Ok(())
}
