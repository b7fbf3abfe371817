//! Plans: clauses compiled to a sequence of operations that run with backtracking.
//!
//! Literals run in the order of the clause's body, unless another one [has been tried](super::trial); in semi-naive
//! rounds the literal that reads the delta comes first and the others in an order that fits it and the sizes of the
//! relations. The compiler knows which variables are bound at each literal:
//!
//! * a literal whose arguments are all bound becomes a membership test, any other an index look-up by its bound parts;
//! * a literal that binds no variable needed later becomes an existence check: one match suffices;
//! * literals of large relations that bind the same variables are *rivals*: each time, the one with the fewest matching rows
//!   is enumerated and the others are tested, so that a cyclic body takes no more steps than its largest possible result
//!   has rows, times a constant (Ngo, Porat, Ré and Rudra, *Worst-case optimal join algorithms*, PODS 2012); the first is
//!   enumerated where no key of its index has many rows;
//! * a literal with a column that comparisons bound, after others that bind many times, is looked up in an index that is
//!   sorted by that column; the comparisons have nothing left to test, unless they [compute](narrow) with the column;
//! * rows outside of the [windows](super::window) that comparisons leave for their columns are passed over without a step each;
//! * a look-up whose key comes again and again passes over rows that [fail later](super::reduced);
//! * a scan passes over rows that agree with an earlier one in all that is needed of them, where many do;
//! * once the head is bound, the remaining literals are one existence check: after a success the plan backtracks to the
//!   operation that bound the head, and a fact that is already known is not proved again. For a head without variables
//!   the plan stops at the first success.

mod checks;
mod filters;
mod literal;
mod lookup;
mod narrow;
mod op;
mod order;
mod repeats;
mod tuples;
mod within;

use super::closure::{ClosureId, ClosureRelation};
use super::heuristics::Heuristic;
use super::names::ClauseNames;
use super::relation::{Relation, RelationId, Relations};
use crate::term::{Pattern, Slot, Template};
use crate::value::Interner;
use indexmap::IndexMap;
use ludolog_logic::analysis::clause::{Clause, Literal};
use ludolog_syntax::ast::{Atom, Comparator, Predicate, Term};
use ludolog_syntax::diagnostic::Span;
use rustc_hash::{FxBuildHasher, FxHashMap};

pub use op::{
    AggregateRows, LiteralRows, PairEnds, Pairs, Partner, PlanOp, RowFilter, RowRange, RunningTests, SlotCheck,
    SortedLookup, TotalLookup, WindowTemplate,
};
pub use order::{JoinOrder, order_from, order_from_head, positive};

/// The `back` of an operation with no choice before it: the plan ends.
pub const EXIT: usize = usize::MAX;

/// A compiled clause.
#[derive(Debug)]
pub struct Plan {
    pub ops: Box<[PlanOp]>,
    pub slots: usize,
    /// The indices that the plan uses, with their relations. They must be up to date before it runs.
    pub indices: Box<[(RelationId, usize)]>,
    /// Whether it scans a relation for constants, which pays for one run.
    pub scans_for_constants: bool,
    /// The relations whose rows it tests.
    pub tested: Box<[RelationId]>,
    /// Those indices in which it looks for the rows before the delta alone.
    pub before_delta: Box<[(RelationId, usize)]>,
    /// Sorted indices, likewise.
    pub sorted: Box<[(RelationId, usize)]>,
    /// The relations whose totals beside the rows it reads, likewise.
    pub totals: Box<[RelationId]>,
    /// The body literals without an operation: sorted indices answer them, each for the subgoal of the second number.
    pub answered: Box<[(usize, usize)]>,
    /// The number of body literals.
    pub body: usize,
    /// The operation that enumerates the last rows, where only checks stand between it and a head that is emitted.
    pub tail: Option<usize>,
    /// Whether operations enumerate rows within windows.
    pub has_windows: bool,
    /// Whether scans pass over repeated rows.
    pub has_repeats: bool,
    /// Whether look-ups know what later operations ask of their rows.
    pub has_filters: bool,
    /// Whether no operation tests rows of the relation of the head: they may be added later in the run.
    pub heads_may_wait: bool,
    /// By operation: the body literal that it belongs to, for profiles.
    pub literals: Box<[Option<usize>]>,
    /// The sizes on which the order of the body depends.
    sizes: Box<[(RelationId, usize)]>,
    omitted: Box<[Omitted]>,
}

/// A literal that has no rivals while one of the two relations is small, or no key of the index has many rows.
#[derive(Clone, Copy, Debug)]
struct Omitted {
    relation: RelationId,
    index: usize,
    rival: RelationId,
}

impl Omitted {
    /// Whether it matters by now which of the two is enumerated. Brings the index up to date.
    fn matters(self, relations: &mut Relations, interner: &Interner) -> bool {
        is_large(&relations[self.relation]) && is_large(&relations[self.rival]) && {
            let end = relations[self.relation].visible();
            relations[self.relation].catch_up(self.index, end, interner);
            relations[self.relation].index(self.index).most() > FEW_MATCHES
        }
    }
}

impl Plan {
    /// Whether relations have grown or shrunk so much that another order or a choice between rivals may be better. To
    /// be asked between rounds, so that plans are made anew at the same rows on any number of threads.
    pub fn is_outdated(&self, relations: &mut Relations, interner: &Interner) -> bool {
        if !relations.heuristics().has(Heuristic::NewPlans) {
            return false;
        }
        let has_changed = |&(relation, size): &(RelationId, usize)| {
            let now = relations[relation].live();
            now > OUTDATED * size.max(FEW_ROWS) || size > OUTDATED * now.max(FEW_ROWS)
        };
        self.sizes.iter().any(has_changed) || self.omitted.iter().any(|omitted| omitted.matters(relations, interner))
    }
}

/// A plan is made anew when a relation on whose size it depends has changed by this factor: often enough to follow the
/// growth of a fixpoint, and no more than a dozen times.
const OUTDATED: usize = 4;

/// Sizes below this count as equal: any order is fast.
const FEW_ROWS: usize = 16;

/// With relations of at most this size a rule keeps the order of its body.
const SMALL: usize = 256;

/// Rows of a literal are enumerated without a look at its rivals if no key of its index has more.
const FEW_MATCHES: u32 = 16;

/// Whether a relation has so many rows that it matters which of its rivals is enumerated.
pub fn is_large(relation: &Relation) -> bool {
    relation.live() > relation.begins_at(SMALL)
}

/// The tables of the engine that the compiler needs.
pub struct Tables<'a> {
    pub relations: &'a mut Relations,
    pub closures: &'a [ClosureRelation],
    pub closure_of: &'a IndexMap<Predicate, ClosureId, FxBuildHasher>,
    pub interner: &'a mut Interner,
}

/// Compiles `clause`. With `delta`, the body literal of that index comes first and reads the delta, and the others
/// follow in the [order of a round](round); the literals that stand before it in the clause read the old rows, those
/// after it all rows, so that no combination is tried twice.
pub fn compile(clause: &Clause, names: &ClauseNames, delta: Option<usize>, tables: &mut Tables) -> Plan {
    let order = match delta {
        Some(delta) => order_from(clause, names, delta, tables),
        None => JoinOrder::of_body(clause),
    };
    compile_in_order(clause, names, delta, order, tables)
}

/// [Compiles](compile) a clause for one run over all rows. If a large relation comes first, it is scanned: an index would take as long to make, and
/// memory.
fn compile_for_one_run(clause: &Clause, names: &ClauseNames, tables: &mut Tables) -> Plan {
    let compiler = PlanCompiler { runs_once: true, ..PlanCompiler::new(&clause.head, &clause.body, names, tables) };
    compiler.compile(None, JoinOrder::of_body(clause))
}

/// [Compiles](compile) a rule, which is to run for the first time or again.
pub fn compile_rule(
    clause: &Clause,
    names: &ClauseNames,
    delta: Option<usize>,
    is_first: bool,
    tables: &mut Tables,
) -> Plan {
    if is_first && delta.is_none() {
        compile_for_one_run(clause, names, tables)
    } else {
        compile(clause, names, delta, tables)
    }
}

/// [Compiles](compile) a clause whose body is joined in this order.
pub fn compile_in_order(
    clause: &Clause,
    names: &ClauseNames,
    delta: Option<usize>,
    order: JoinOrder,
    tables: &mut Tables,
) -> Plan {
    PlanCompiler::new(&clause.head, &order.body(clause), names, tables).compile(delta, order)
}

struct PlanCompiler<'c, 't, 'a> {
    head: &'c Atom,
    body: &'c [Literal],
    names: &'c ClauseNames,
    tables: &'t mut Tables<'a>,
    /// Whether the plan is for one run over all rows.
    runs_once: bool,
    scans_for_constants: bool,
    /// By slot.
    bound: Vec<bool>,
    ops: Vec<PlanOp>,
    literals: Vec<Option<usize>>,
    indices: Vec<(RelationId, usize)>,
    before_delta: Vec<(RelationId, usize)>,
    sorted: Vec<(RelationId, usize)>,
    totals: Vec<RelationId>,
    answered: Vec<(usize, usize)>,
    sizes: Vec<(RelationId, usize)>,
    omitted: Vec<Omitted>,
    /// The operation that the next one backtracks to.
    back: usize,
    /// The operation to backtrack to after the head was emitted; `None` until the head is bound.
    complete: Option<usize>,
    checked_known: bool,
    /// By literal: the operation that may enumerate it, and its number among its rivals there.
    enumerated: FxHashMap<usize, (usize, u32)>,
}

impl<'c, 't, 'a> PlanCompiler<'c, 't, 'a> {
    fn new(head: &'c Atom, body: &'c [Literal], names: &'c ClauseNames, tables: &'t mut Tables<'a>) -> Self {
        // Most plans have an operation for each literal, a test that the head is unknown, and the head.
        let room = body.len() + 2;
        Self {
            head,
            body,
            names,
            tables,
            runs_once: false,
            scans_for_constants: false,
            bound: vec![false; names.count()],
            ops: Vec::with_capacity(room),
            literals: Vec::with_capacity(room),
            indices: Vec::new(),
            before_delta: Vec::new(),
            sorted: Vec::new(),
            totals: Vec::new(),
            answered: Vec::new(),
            sizes: Vec::new(),
            omitted: Vec::new(),
            back: EXIT,
            complete: head.is_ground().then_some(EXIT),
            checked_known: false,
            enumerated: FxHashMap::default(),
        }
    }

    /// The plan of the clause whose body is joined in an order.
    fn compile(mut self, delta: Option<usize>, JoinOrder { literals: order, sizes, .. }: JoinOrder) -> Plan {
        let names = self.names;
        // By slot: the last position in the order that needs the variable; variables of the head are needed to the end.
        let mut needed = vec![0; names.count()];
        for (position, &place) in order.iter().enumerate() {
            names.variables(place).iter().for_each(|&slot| needed[slot as usize] = position);
        }
        names.variables_of_head().iter().for_each(|&slot| needed[slot as usize] = usize::MAX);
        let range = |place: usize| match delta {
            Some(delta) if place == delta => RowRange::Delta,
            Some(delta) if place < delta => RowRange::Old,
            _ => RowRange::Full,
        };
        let mut ranges: Vec<(usize, RowRange)> = order.iter().map(|&place| (place, range(place))).collect();
        for position in 0..ranges.len() {
            self.look_up_before_range(&mut ranges[position..]);
            let (place, range) = ranges[position];
            if self.is_answered(place) {
                continue;
            }
            self.unless_known(&ranges[position..]);
            self.literals.resize(self.ops.len(), None);
            let fresh = names.variables(place).iter().filter(|&&slot| !self.bound[slot as usize]);
            let fresh: Vec<Slot> = fresh.copied().collect();
            let rest = &ranges[position + 1..];
            if !self.rows_within(place, range, rest, &fresh) {
                let once =
                    self.has(Heuristic::ExistenceChecks) && !fresh.iter().any(|&slot| needed[slot as usize] > position);
                self.literal(place, range, rest, &fresh, once);
            }
            self.literals.resize(self.ops.len(), Some(place));
        }
        self.sizes.extend(sizes);
        self.emit()
    }

    fn has(&self, heuristic: Heuristic) -> bool {
        self.tables.relations.heuristics().has(heuristic)
    }

    fn are_bound(&self, variables: &[Slot]) -> bool {
        variables.iter().all(|&slot| self.bound[slot as usize])
    }

    fn all_bound(&self, term: &Term) -> bool {
        self.all_bound_in(term, &self.bound)
    }

    /// Whether all variables of `term` are bound in `bound`, an earlier state of `self.bound`.
    fn all_bound_in(&self, term: &Term, bound: &[bool]) -> bool {
        let mut all = true;
        term.for_each_variable(&mut |name| {
            all &= bound[self.names.slot(name) as usize];
        });
        all
    }

    fn template(&mut self, term: &Term, side_of: Option<(Comparator, Span)>) -> Template {
        Template::compile(term, side_of, self.tables.interner, &mut |name| self.names.slot(name))
    }

    fn templates(&mut self, terms: &[Term]) -> Box<[Template]> {
        terms.iter().map(|term| self.template(term, None)).collect()
    }

    /// The literals of `rest` that bind the same variables as that of the index, which found `before` bound; each from
    /// an index of its own.
    fn rivals(
        &mut self,
        (relation, index): (RelationId, usize),
        fresh: &[Slot],
        before: &[bool],
        rest: &[(usize, RowRange)],
    ) -> Box<[LiteralRows]> {
        let after = self.bound.clone();
        let mut rivals = Vec::new();
        for &(place, range) in rest {
            let Literal::Positive(atom) = &self.body[place] else { continue };
            let source = self.names.source(place);
            let free = || self.names.variables(place).iter().filter(|&&slot| !before[slot as usize]);
            let same =
                free().all(|slot| fresh.contains(slot)) && fresh.iter().all(|slot| free().any(|free| free == slot));
            if range == RowRange::Delta || !same || source.closure.is_some() {
                continue;
            }
            let omitted = Omitted { relation, index, rival: source.relation };
            if !omitted.matters(self.tables.relations, self.tables.interner) {
                self.omitted.push(omitted);
                continue;
            }
            self.bound.copy_from_slice(before);
            let rival = self.rows(atom, source.relation, range, place, before);
            self.bound.clone_from(&after);
            rivals.extend(rival.lookup.is_some().then_some(rival));
        }
        rivals.into()
    }

    /// Adds an operation with several choices: the operations after it backtrack to it.
    fn generator(&mut self, op: PlanOp) {
        self.back = self.ops.len();
        self.ops.push(op);
    }

    fn note_completeness(&mut self) {
        if self.complete.is_none() && self.are_bound(self.names.variables_of_head()) {
            self.complete = Some(self.back);
        }
    }

    /// Emits a test that the head is unknown, once the head is bound and some remaining literal enumerates.
    fn unless_known(&mut self, rest: &[(usize, RowRange)]) {
        if self.complete.is_none() || self.checked_known || !self.has(Heuristic::KnownHeads) {
            return;
        }
        let searches = rest.iter().any(|&(place, _)| match &self.body[place] {
            Literal::Positive(_) => !self.are_bound(self.names.variables(place)) && !self.is_looked_up(place, rest),
            Literal::Member { element, negated: false, .. } => !self.all_bound(element),
            _ => false,
        });
        if searches {
            self.checked_known = true;
            let row = self.templates(&self.head.args);
            self.ops.push(PlanOp::UnlessKnown { relation: self.names.head, row, back: self.back });
        }
    }

    /// Whether one look-up tells if a literal has a row: all that it binds is nobody's. To test that the head is unknown takes as long.
    fn is_looked_up(&self, place: usize, rest: &[(usize, RowRange)]) -> bool {
        let Literal::Positive(atom) = &self.body[place] else { return false };
        let is_free = |slot: &Slot| !self.bound[*slot as usize];
        let free: Vec<Slot> = self.names.variables(place).iter().copied().filter(is_free).collect();
        let is_plain = |arg: &Term| matches!(arg, Term::Variable(_)) || self.all_bound(arg);
        let open = atom.args.iter().filter(|arg| !self.all_bound(arg)).count();
        let is_needed = |slot: &Slot| {
            let others = rest.iter().filter(|(other, _)| *other != place);
            others.flat_map(|(other, _)| self.names.variables(*other)).any(|other| other == slot)
        };
        atom.args.iter().all(is_plain) && open == free.len() && !free.iter().any(is_needed)
    }

    /// Whether only checks stand between the operation `at`, which enumerates rows or an end of pairs, and the head.
    fn has_checks_alone(&self, at: usize) -> bool {
        let once = match self.ops.get(at) {
            Some(PlanOp::Rows(rows)) => rows.once,
            Some(PlanOp::Closure { pairs, once: false, .. }) if pairs.carried().is_some() => false,
            _ => return false,
        };
        let between = at + 1..self.ops.len() - 1;
        between.is_empty() || !once && between.clone().all(|check| self.is_check(check, at))
    }

    /// Whether an operation has one choice, and a failure of it leads back to the operation `at`.
    fn is_check(&self, number: usize, at: usize) -> bool {
        let mut number = number;
        while number > at {
            number = match &self.ops[number] {
                PlanOp::Contains { back, .. } | PlanOp::Check { back, .. } => *back,
                PlanOp::None { rows } => rows.back,
                PlanOp::Total(total) => total.back,
                PlanOp::Rows(rows) if rows.once => rows.back,
                _ => return false,
            };
        }
        number == at
    }

    /// Notes the subgoal after a scan, if a value of a row tells whether it has rows.
    fn note_partner(&mut self) {
        if !self.has(Heuristic::Partners) {
            return;
        }
        let [PlanOp::Rows(scan), PlanOp::Rows(next), ..] = &mut self.ops[..] else { return };
        let Some((index, key)) = &next.lookup else { return };
        let [Template::Slot(slot)] = **key else { return };
        if !scan.is_scan() {
            return;
        }
        let column = scan.patterns.iter().find(|(_, pattern)| *pattern == Pattern::Bind(slot));
        let partner = |column| Partner { relation: next.relation, index: *index, column };
        scan.partner = column.map(|&(column, _)| Box::new(partner(column as usize)));
    }

    fn emit(mut self) -> Plan {
        let relation = self.names.head;
        let row = self.templates(&self.head.args);
        let back = self.complete.unwrap_or(self.back);
        let head = &self.tables.relations[relation];
        self.ops.push(if head.has_lattice() {
            PlanOp::Improve { relation, row, back }
        } else if head.totals().is_some() {
            PlanOp::TakeIn { relation, row, back }
        } else {
            PlanOp::Emit { relation, row, back }
        });
        self.literals.push(None);
        let makes_rows = matches!(self.ops.last(), Some(PlanOp::Emit { .. } | PlanOp::TakeIn { .. }));
        let has_tail = makes_rows && self.has(Heuristic::BlockedChecks) && self.has_checks_alone(back);
        self.note_partner();
        self.note_repeats();
        self.note_filters();
        let tests_head = |op: &PlanOp| match op {
            PlanOp::Contains { relation: tested, .. } | PlanOp::UnlessKnown { relation: tested, .. } => {
                *tested == relation
            }
            _ => false,
        };
        let tested = self.ops.iter().filter_map(|op| match op {
            PlanOp::Contains { relation, .. } => Some(*relation),
            _ => None,
        });
        Plan {
            scans_for_constants: self.scans_for_constants,
            tested: tested.collect(),
            heads_may_wait: self.has(Heuristic::WaitingHeads)
                && !self.head.args.is_empty()
                && !self.ops.iter().any(tests_head),
            has_windows: self.ops.iter().any(|op| matches!(op, PlanOp::Rows(rows) if !rows.windows.is_empty())),
            has_repeats: self.ops.iter().any(|op| matches!(op, PlanOp::Rows(rows) if !rows.distinct.is_empty())),
            has_filters: self.ops.iter().any(|op| matches!(op, PlanOp::Rows(rows) if !rows.filters.is_empty())),
            tail: has_tail.then_some(back),
            ops: self.ops.into(),
            slots: self.names.count(),
            indices: self.indices.into(),
            before_delta: self.before_delta.into(),
            sorted: self.sorted.into(),
            totals: self.totals.into(),
            answered: self.answered.into(),
            body: self.body.len(),
            literals: self.literals.into(),
            sizes: self.sizes.into(),
            omitted: self.omitted.into(),
        }
    }
}
