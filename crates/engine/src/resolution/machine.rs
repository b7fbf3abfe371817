//! The machine that runs [code](super::code): a stack of frames, one of slots, one of choices.
//!
//! A frame is one call; its slots hold the arguments and variables of the current clause. A choice records where to
//! continue after a failure, and the height of the frames. Frames below the height of the last choice are kept when
//! their call returns, since backtracking may reenter them; others are popped at once, by a last call even before the
//! callee runs. A call without results drops its choices as soon as it is proved, since a second proof adds nothing.
//!
//! The leading tests of a clause run before the next clause becomes a choice ([`ClauseOp::Commit`]), so that trying
//! clauses until the tests of one succeed costs no more than the tests.

use super::code::{Address, ClauseCode, ClauseOp, Guard, MatchingRows, ProcedureId};
use super::compile::CompiledQuery;
use super::database::Database;
use super::endless::{CallChain, LOOP_CHECK, LoopDetector};
use super::frame::CallFrame;
use super::table::RowId;
use crate::aggregate::Total;
use crate::contract::Work;
use crate::term::{Pattern, Template, is_in_range};
use crate::value::Value;
use indexmap::IndexSet;
use ludolog_syntax::budget::{Budget, Stopped};
use rustc_hash::FxBuildHasher;

/// Most frames at a time. Together with the bounds on slots and choices, it limits memory to 0.5 GB.
pub const MAX_FRAMES: usize = 1 << 22;
/// Most slots at a time, of all frames together.
const MAX_SLOTS: usize = 1 << 26;
/// Most choices at a time.
const MAX_CHOICES: usize = 1 << 22;

/// The number of rows and clauses tried between two checks of the budget.
const POLL_INTERVAL: u64 = 1024;

/// The number of answers between two looks at whether the budget is due.
const ANSWERS_PER_POLL: u64 = 64;

/// The reason why a run returned.
pub enum Event {
    /// An answer of the goal, in [`ResolutionMachine::answer`]. Running again finds the next.
    Answer,
    /// There are no more answers.
    Exhausted,
    /// The first call of a procedure: compile it and run again.
    Compile(ProcedureId),
}

#[derive(Clone, Copy)]
enum Resume {
    /// The clause of this number and those after it.
    Clause(u32),
    /// The scan at the address, from this row on.
    Row(RowId),
    /// The list walk at the address, with this list.
    Element(Value),
    /// The range at the address, from this integer on.
    Integer(Value),
    /// The operation at the address.
    Proceed,
}

#[derive(Clone, Copy)]
struct ChoicePoint {
    resume: Resume,
    address: Address,
    frame: u32,
    /// The number of frames to keep.
    frames: u32,
}

/// The number of no clause: none is left to try.
const NO_CLAUSE: u32 = u32::MAX;

#[derive(Clone, Default)]
pub struct ResolutionMachine {
    slots: Vec<Value>,
    frames: Vec<CallFrame>,
    choices: Vec<ChoicePoint>,
    address: Address,
    frame: u32,
    base: usize,
    /// The clause to try if the leading tests of the current one fail.
    next_clause: u32,
    key: Vec<Value>,
    pub answer: Vec<Value>,
    pub work: Work,
    next_poll: u64,
    /// The number of frames at which to search for loops next.
    loop_check: usize,
    loops: LoopDetector,
    /// The tuples of the aggregates that are being computed, the innermost last.
    gathered: Vec<IndexSet<Box<[Value]>, FxBuildHasher>>,
    answered: bool,
    /// The number of answers since the start of the goal.
    answers: u64,
}

#[inline]
fn values(templates: &[Template], slots: &[Value], database: &mut Database, into: &mut Vec<Value>) {
    into.clear();
    for template in templates {
        into.push(template.value(slots, &mut database.interner));
    }
}

impl ResolutionMachine {
    /// Resets the machine to run a goal from the start.
    pub fn start(&mut self, query: CompiledQuery) {
        self.choices.clear();
        self.frames.clear();
        self.loops.clear();
        self.gathered.clear();
        self.frames.push(CallFrame {
            base: 0,
            end: query.size,
            results: 0,
            return_to: 0,
            parent: 0,
            choices: 0,
            procedure: ProcedureId::MAX,
            last_calls: 0,
        });
        self.reserve(query.size as usize);
        (self.frame, self.base, self.address) = (0, 0, query.start);
        self.next_clause = NO_CLAUSE;
        self.loop_check = LOOP_CHECK;
        // A run may be one of many short ones: check the budget at its first poll.
        self.next_poll = self.work.probes;
        (self.answered, self.answers) = (false, 0);
    }

    fn reserve(&mut self, slots: usize) {
        if self.slots.len() < slots {
            self.slots.resize(slots.next_power_of_two(), Value::default());
        }
    }

    /// Runs until the next event.
    pub fn run(&mut self, code: &ClauseCode, database: &mut Database, budget: &Budget) -> Result<Event, Stopped> {
        if std::mem::take(&mut self.answered) {
            self.answers += 1;
            // Where all subgoals match all rows, nothing fails between two answers.
            if self.answers.is_multiple_of(ANSWERS_PER_POLL) {
                self.poll(budget, code, database)?;
            }
            if !self.go_back(code, database) {
                return Ok(Event::Exhausted);
            }
        }
        loop {
            let slots = &mut self.slots[self.base..];
            let succeeded = match &code.ops[self.address as usize] {
                ClauseOp::Match { slot, pattern } => pattern.matches(slots[*slot as usize], slots, &database.interner),
                ClauseOp::Test(test) => test.holds(slots, &mut database.interner),
                ClauseOp::Let { slot, template } => {
                    slots[*slot as usize] = template.value(slots, &mut database.interner);
                    true
                }
                ClauseOp::Compute { slot, template } => match template.computed(slots, &mut database.interner) {
                    Some(value) => {
                        slots[*slot as usize] = value;
                        true
                    }
                    None => false,
                },
                ClauseOp::Probe { rows, expected } => self.probe(rows, database) == *expected,
                ClauseOp::Contains { list, element, expected } => self.contains(list, element, database) == *expected,
                ClauseOp::Commit => {
                    self.commit();
                    true
                }
                ClauseOp::Scan(rows) => {
                    values(&rows.key, slots, database, &mut self.key);
                    let first = database.relations[rows.relation].table.first(rows.access, &self.key);
                    self.scan(rows, first, database)
                }
                ClauseOp::Each { list, pattern } => {
                    let list = list.value(slots, &mut database.interner);
                    self.each(pattern, list, database)
                }
                ClauseOp::InRange { element, bounds, expected } => {
                    is_in_range(element, bounds, slots, &database.interner) == *expected
                }
                ClauseOp::Integers { bounds: [from, _], .. } => match from.integer(slots, &database.interner) {
                    Some(from) => self.integers(code, from, database),
                    None => false,
                },
                ClauseOp::Gather { otherwise } => {
                    self.gathered.push(IndexSet::default());
                    self.push_choice(Resume::Proceed, *otherwise);
                    true
                }
                ClauseOp::Take { row } => {
                    let row: Box<[Value]> = row.iter().map(|part| part.value(slots, &mut database.interner)).collect();
                    if let Some(tuples) = self.gathered.last_mut() {
                        tuples.insert(row);
                    }
                    false
                }
                ClauseOp::Total { of, slot } => {
                    let mut total = Total::default();
                    for tuple in self.gathered.pop().unwrap_or_default() {
                        total.add(of, tuple[0], &database.interner);
                    }
                    match total.value(of, &mut database.interner) {
                        Some(value) => {
                            slots[*slot as usize] = value;
                            true
                        }
                        None => false,
                    }
                }
                ClauseOp::Not { slot, otherwise } => {
                    slots[*slot as usize] = Value(self.choices.len() as u32);
                    self.push_choice(Resume::Proceed, *otherwise);
                    true
                }
                ClauseOp::Refute { slot } => {
                    self.choices.truncate(slots[*slot as usize].0 as usize);
                    false
                }
                ClauseOp::Call { procedure, args, results } => {
                    let Some(clauses) = &code.procedures[*procedure as usize].clauses else {
                        return Ok(Event::Compile(*procedure));
                    };
                    self.poll(budget, code, database)?;
                    let results = (self.base + *results as usize) as u32;
                    self.push_frame(*procedure, args, results, code, database)?;
                    if self.enter(clauses, 0, database) {
                        continue;
                    }
                    false
                }
                ClauseOp::LastCall { procedure, args } => {
                    let Some(clauses) = &code.procedures[*procedure as usize].clauses else {
                        return Ok(Event::Compile(*procedure));
                    };
                    self.poll(budget, code, database)?;
                    let frame = self.frames[self.frame as usize];
                    if self.choices.len() <= frame.choices as usize {
                        self.replace_frame(*procedure, args, code, database)?;
                    } else {
                        self.push_frame(*procedure, args, frame.results, code, database)?;
                    }
                    if self.enter(clauses, 0, database) {
                        continue;
                    }
                    false
                }
                ClauseOp::Return { results, once } => {
                    self.give_back(results, *once, database);
                    continue;
                }
                ClauseOp::Answer { results } => {
                    values(results, slots, database, &mut self.answer);
                    self.answered = true;
                    return Ok(Event::Answer);
                }
            };
            if succeeded {
                self.address += 1;
                continue;
            }
            self.poll(budget, code, database)?;
            if !self.go_back(code, database) {
                return Ok(Event::Exhausted);
            }
        }
    }

    /// The current call and its ancestors, for loop detection.
    fn calls<'a>(&'a self, code: &'a ClauseCode, database: &'a Database) -> CallChain<'a> {
        CallChain { frames: &self.frames, slots: &self.slots, frame: self.frame, code, database }
    }

    #[inline]
    fn poll(&mut self, budget: &Budget, code: &ClauseCode, database: &Database) -> Result<(), Stopped> {
        if let Some(excess) = database.interner.excess() {
            return Err(Stopped::TermTooLarge(excess));
        }
        if self.work.probes < self.next_poll { Ok(()) } else { self.check(budget, code, database) }
    }

    #[cold]
    #[inline(never)]
    fn check(&mut self, budget: &Budget, code: &ClauseCode, database: &Database) -> Result<(), Stopped> {
        self.next_poll = self.work.probes + POLL_INTERVAL;
        database.interner.check_overflow()?;
        if self.choices.len() > MAX_CHOICES {
            return Err(Stopped::TooDeep(self.frames.len()));
        }
        self.calls(code, database).find_repeat()?;
        budget.check_facts(self.frames.len() as u64)?;
        budget.check_probes(self.work.probes)
    }

    /// Backtracks to the last choice; `false` if there is none.
    fn go_back(&mut self, code: &ClauseCode, database: &mut Database) -> bool {
        if self.next_clause != NO_CLAUSE {
            let procedure = self.frames[self.frame as usize].procedure;
            let clauses = code.procedures[procedure as usize].clauses.as_deref().unwrap_or_default();
            return self.enter(clauses, self.next_clause, database);
        }
        while let Some(choice) = self.choices.pop() {
            self.frames.truncate(choice.frames as usize);
            self.frame = choice.frame;
            self.base = self.frames[choice.frame as usize].base as usize;
            self.address = choice.address;
            let found = match choice.resume {
                Resume::Proceed => return true,
                Resume::Clause(clause) => {
                    let procedure = self.frames[choice.frame as usize].procedure;
                    let clauses = code.procedures[procedure as usize].clauses.as_deref().unwrap_or_default();
                    return self.enter(clauses, clause, database);
                }
                Resume::Row(row) => match &code.ops[choice.address as usize] {
                    ClauseOp::Scan(rows) => self.scan(rows, Some(row), database),
                    _ => unreachable!("rows are chosen by scans only"),
                },
                Resume::Integer(next) => match database.interner.as_integer(next) {
                    Some(next) => self.integers(code, next, database),
                    None => false,
                },
                Resume::Element(list) => match &code.ops[choice.address as usize] {
                    ClauseOp::Each { pattern, .. } => self.each(pattern, list, database),
                    _ => unreachable!("elements are chosen by list walks only"),
                },
            };
            if found {
                self.address += 1;
                return true;
            }
        }
        false
    }

    fn push_choice(&mut self, resume: Resume, address: Address) {
        self.choices.push(ChoicePoint { resume, address, frame: self.frame, frames: self.frames.len() as u32 });
    }

    #[inline]
    fn commit(&mut self) {
        if self.next_clause != NO_CLAUSE {
            self.push_choice(Resume::Clause(self.next_clause), self.address);
            self.next_clause = NO_CLAUSE;
        }
    }

    /// Starts the first clause from `from` on whose guard admits the arguments, and records the next such clause.
    #[inline]
    fn enter(&mut self, clauses: &[(Guard, Address)], from: u32, database: &Database) -> bool {
        let args = &self.slots[self.base..];
        let next_from = |mut clause: usize| {
            while clause < clauses.len() && !clauses[clause].0.admits(args, &database.interner) {
                clause += 1;
            }
            clause
        };
        let clause = next_from(from as usize);
        if clause == clauses.len() {
            self.next_clause = NO_CLAUSE;
            return false;
        }
        let next = next_from(clause + 1);
        self.next_clause = if next < clauses.len() { next as u32 } else { NO_CLAUSE };
        self.address = clauses[clause].1;
        self.work.probes += 1;
        true
    }

    fn push_frame(
        &mut self,
        procedure: ProcedureId,
        args: &[Template],
        results: u32,
        code: &ClauseCode,
        database: &mut Database,
    ) -> Result<(), Stopped> {
        let top = self.frames[self.frames.len() - 1].end as usize;
        let end = top + code.procedures[procedure as usize].size as usize;
        if self.frames.len() >= MAX_FRAMES || end > MAX_SLOTS {
            return Err(Stopped::TooDeep(self.frames.len()));
        }
        self.reserve(end);
        let (below, above) = self.slots.split_at_mut(top);
        for (slot, arg) in above.iter_mut().zip(args) {
            *slot = arg.value(&below[self.base..], &mut database.interner);
        }
        self.frames.push(CallFrame {
            base: top as u32,
            end: end as u32,
            results,
            return_to: self.address + 1,
            parent: self.frame,
            choices: self.choices.len() as u32,
            procedure,
            last_calls: 0,
        });
        self.frame = self.frames.len() as u32 - 1;
        self.base = top;
        if self.frames.len() >= self.loop_check {
            self.loop_check = 2 * self.frames.len();
            self.calls(code, database).find_loop()?;
        }
        Ok(())
    }

    /// Reuses the current frame for its last call.
    fn replace_frame(
        &mut self,
        procedure: ProcedureId,
        args: &[Template],
        code: &ClauseCode,
        database: &mut Database,
    ) -> Result<(), Stopped> {
        values(args, &self.slots[self.base..], database, &mut self.key);
        let end = self.base + code.procedures[procedure as usize].size as usize;
        if end > MAX_SLOTS {
            return Err(Stopped::TooDeep(self.frames.len()));
        }
        self.reserve(end);
        self.slots[self.base..][..self.key.len()].copy_from_slice(&self.key);
        self.frames.truncate(self.frame as usize + 1);
        let frame = &mut self.frames[self.frame as usize];
        frame.end = end as u32;
        frame.procedure = procedure;
        frame.last_calls = frame.last_calls.saturating_add(1);
        if frame.last_calls as usize >= LOOP_CHECK {
            let last_calls = frame.last_calls;
            let calls = CallChain { frames: &self.frames, slots: &self.slots, frame: self.frame, code, database };
            self.loops.watch_last_calls(last_calls, calls)?;
        }
        Ok(())
    }

    #[inline]
    fn give_back(&mut self, results: &[Template], once: bool, database: &mut Database) {
        let frame = self.frames[self.frame as usize];
        self.work.derived += 1 + u64::from(frame.last_calls);
        for (i, result) in results.iter().enumerate() {
            let value = result.value(&self.slots[self.base..], &mut database.interner);
            self.slots[frame.results as usize + i] = value;
        }
        if once {
            self.next_clause = NO_CLAUSE;
            self.choices.truncate(frame.choices as usize);
        }
        if self.choices.len() <= frame.choices as usize {
            self.frames.truncate(self.frame as usize);
        }
        self.frame = frame.parent;
        self.base = self.frames[frame.parent as usize].base as usize;
        self.address = frame.return_to;
    }

    /// Binds the first matching row from `row` on, and makes a choice of those after it.
    #[inline]
    fn scan(&mut self, rows: &MatchingRows, mut row: Option<RowId>, database: &Database) -> bool {
        let table = &database.relations[rows.relation].table;
        let slots = &mut self.slots[self.base..];
        while let Some(id) = row {
            self.work.probes += 1;
            let values = table.row(id);
            row = table.next(rows.access, id);
            if rows.columns.iter().all(|(column, pattern)| pattern.matches(values[*column], slots, &database.interner))
            {
                if let Some(next) = row {
                    self.push_choice(Resume::Row(next), self.address);
                }
                return true;
            }
        }
        false
    }

    /// Whether there is a matching row.
    #[inline]
    fn probe(&mut self, rows: &MatchingRows, database: &mut Database) -> bool {
        let slots = &mut self.slots[self.base..];
        values(&rows.key, slots, database, &mut self.key);
        let table = &database.relations[rows.relation].table;
        let mut row = table.first(rows.access, &self.key);
        self.work.probes += 1;
        while let Some(id) = row {
            let values = table.row(id);
            if rows.columns.iter().all(|(column, pattern)| pattern.matches(values[*column], slots, &database.interner))
            {
                return true;
            }
            self.work.probes += 1;
            row = table.next(rows.access, id);
        }
        false
    }

    /// Binds the first matching element of a list, and makes a choice of the rest.
    fn each(&mut self, pattern: &Pattern, mut list: Value, database: &Database) -> bool {
        let slots = &mut self.slots[self.base..];
        while let Some((element, rest)) = database.as_pair(list) {
            self.work.probes += 1;
            list = rest;
            if pattern.matches(element, slots, &database.interner) {
                if database.as_pair(rest).is_some() {
                    self.push_choice(Resume::Element(rest), self.address);
                }
                return true;
            }
        }
        false
    }

    /// Binds the first matching integer of the range at the address from `next` on, and makes a choice of those after
    /// it.
    fn integers(&mut self, code: &ClauseCode, next: i64, database: &mut Database) -> bool {
        let ClauseOp::Integers { bounds: [_, to], pattern } = &code.ops[self.address as usize] else {
            unreachable!("integers are chosen by ranges only")
        };
        let slots = &mut self.slots[self.base..];
        let Some(last) = to.integer(slots, &database.interner).filter(|last| next <= *last) else { return false };
        self.work.probes += 1;
        let value = database.interner.integer(next);
        if next < last {
            let after = database.interner.integer(next + 1);
            self.push_choice(Resume::Integer(after), self.address);
        }
        let slots = &mut self.slots[self.base..];
        pattern.matches(value, slots, &database.interner)
    }

    #[inline]
    fn contains(&mut self, list: &Template, element: &Template, database: &mut Database) -> bool {
        let slots = &self.slots[self.base..];
        let element = element.value(slots, &mut database.interner);
        let mut list = list.value(slots, &mut database.interner);
        while let Some((first, rest)) = database.as_pair(list) {
            if first == element {
                return true;
            }
            list = rest;
        }
        false
    }
}
