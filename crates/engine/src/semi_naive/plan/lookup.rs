//! Literals that enumerate: the key by which an index finds their rows, and the patterns of what is left of the columns.

use super::PlanCompiler;
use super::op::{LiteralRows, PairEnds, Pairs, RowRange};
use crate::semi_naive::closure::ClosureId;
use crate::semi_naive::index::{IndexKey, RowPath};
use crate::semi_naive::relation::RelationId;
use crate::term::{Pattern, Slot, Template};
use ludolog_logic::analysis::clause::Literal;
use ludolog_syntax::ast::{Atom, Term};

/// A relation of fewer rows has an index for the constants of a subgoal that comes first: it costs little.
const FEWEST_SCANNED: usize = 1 << 15;

/// An index look-up under construction: the key and its values.
#[derive(Default)]
struct Lookup {
    key: IndexKey,
    values: Vec<Template>,
}

impl PlanCompiler<'_, '_, '_> {
    /// The pattern of a term. Its variables are bound afterwards.
    pub(super) fn pattern(&mut self, term: &Term) -> Pattern {
        match term {
            Term::Variable(name) => {
                let slot = self.names.slot(name);
                self.bind(slot)
            }
            Term::Compound(name, args) => {
                let functor = self.tables.interner.functor(name, args.len());
                Pattern::Compound(functor, args.iter().map(|arg| self.pattern(arg)).collect())
            }
            Term::Integer(_) | Term::Float(_) | Term::Symbol(_) => Pattern::Constant(self.tables.interner.ground(term)),
        }
    }

    /// The pattern of a variable, which is bound afterwards.
    pub(super) fn bind(&mut self, slot: Slot) -> Pattern {
        if std::mem::replace(&mut self.bound[slot as usize], true) { Pattern::Check(slot) } else { Pattern::Bind(slot) }
    }

    /// Splits a term into guards and key parts for an index, and the pattern of the rest. Only variables that were
    /// bound before the literal (`before`, by slot) can be part of a key.
    fn access(&mut self, term: &Term, before: &[bool], path: &mut RowPath, lookup: &mut Lookup) -> Pattern {
        match term {
            Term::Variable(name) => {
                let slot = self.names.slot(name);
                if before[slot as usize] {
                    lookup.key.parts.push(path.clone());
                    lookup.values.push(Template::Slot(slot));
                    return Pattern::Any;
                }
                self.bind(slot)
            }
            _ if self.all_bound_in(term, before) => {
                lookup.key.parts.push(path.clone());
                lookup.values.push(self.template(term, None));
                Pattern::Any
            }
            Term::Compound(name, args) => {
                let functor = self.tables.interner.functor(name, args.len());
                lookup.key.guards.push((path.clone(), functor));
                let mut patterns = Vec::with_capacity(args.len());
                for (position, arg) in args.iter().enumerate() {
                    path.push(position as u16);
                    patterns.push(self.access(arg, before, path, lookup));
                    path.pop();
                }
                Pattern::Compound(functor, patterns.into())
            }
            _ => self.pattern(term),
        }
    }

    /// Compiles an atom with unbound arguments. A delta is scanned: it is small, or it is the whole relation.
    /// Keys are of variables that were bound `before`, by slot.
    pub(super) fn rows(
        &mut self,
        atom: &Atom,
        relation: RelationId,
        range: RowRange,
        literal: usize,
        before: &[bool],
    ) -> LiteralRows {
        let mut found = Lookup::default();
        let mut path = RowPath::new();
        let mut patterns = Vec::with_capacity(atom.args.len());
        let rows = &mut self.tables.relations[relation];
        let is_large = rows.live() >= rows.begins_at(FEWEST_SCANNED);
        let has_constants = !atom.args.iter().all(|arg| matches!(arg, Term::Variable(_)));
        let is_first = self.runs_once && self.ops.is_empty();
        let scans = is_first && is_large && has_constants && rows.may_be_scanned();
        self.scans_for_constants |= scans;
        for (column, arg) in atom.args.iter().enumerate() {
            path.push(column as u16);
            let is_scanned = scans || range == RowRange::Delta;
            let pattern = if is_scanned { self.pattern(arg) } else { self.access(arg, before, &mut path, &mut found) };
            path.pop();
            let is_idle = matches!(pattern, Pattern::Bind(slot) if self.is_idle(slot, literal));
            if pattern != Pattern::Any && !is_idle {
                patterns.push((column as u16, pattern));
            }
        }
        // What an entry of an index may carry: the one value that is asked for.
        let asked = match patterns[..] {
            [(column, Pattern::Bind(slot))] => Some((column as usize, slot)),
            _ => None,
        };
        let lookup = (found.key != IndexKey::default()).then(|| {
            let index = self.tables.relations[relation].index_for(found.key);
            self.indices.push((relation, index));
            (index, found.values.into())
        });
        let carried = lookup.as_ref().zip(asked).and_then(|((index, _), (column, slot))| {
            let carried = self.tables.relations[relation].carry(*index, column);
            (carried == Some(column)).then_some(slot)
        });
        if let Some((index, _)) = &lookup {
            self.note_index(relation, *index, range, carried.is_some());
        }
        let patterns = patterns.into();
        let rivals = Box::default();
        LiteralRows {
            relation,
            range,
            lookup,
            sorted: None,
            patterns,
            carried,
            windows: Box::default(),
            partner: None,
            filters: Box::default(),
            distinct: Box::default(),
            rivals,
            once: false,
            literal,
            back: self.back,
        }
    }

    /// Whether nothing asks for the value of a variable of a positive literal.
    fn is_idle(&self, slot: Slot, literal: usize) -> bool {
        matches!(self.body[literal], Literal::Positive(_)) && self.names.is_alone(slot)
    }

    /// Notes how an index is read: up to the delta, and by row numbers unless all values that are read are those of entries.
    fn note_index(&mut self, relation: RelationId, index: usize, range: RowRange, is_carried: bool) {
        if range == RowRange::Old {
            self.before_delta.push((relation, index));
        }
        if !is_carried || self.tables.relations.must_tell_rows(relation) {
            self.tables.relations[relation].number_rows(index);
        }
    }

    /// Compiles an atom with unbound arguments whose predicate is a closure.
    pub(super) fn pairs(&mut self, atom: &Atom, closure: ClosureId) -> Pairs {
        let ends = match self.free_target(atom) {
            Some(target) if self.names.is_alone(target) => PairEnds::Sources,
            Some(_) if self.has_lone_sources(atom) => PairEnds::Targets,
            _ => PairEnds::Both,
        };
        self.pairs_of(atom, closure, ends)
    }

    /// Compiles the enumeration of the pairs of a closure, or of one of their ends.
    fn pairs_of(&mut self, atom: &Atom, closure: ClosureId, ends: PairEnds) -> Pairs {
        let before = self.bound.clone();
        let mut row = Vec::new();
        let mut patterns = Vec::new();
        let target = atom.args.len() - 1;
        for (column, arg) in atom.args.iter().enumerate() {
            let is_asked = match ends {
                PairEnds::Both => true,
                PairEnds::Sources => column < target,
                PairEnds::Targets => column == target,
            };
            if !is_asked {
                row.push(None);
                continue;
            }
            let is_bound = self.all_bound_in(arg, &before);
            row.push(is_bound.then(|| self.template(arg, None)));
            if !is_bound {
                patterns.push((column as u16, self.pattern(arg)));
            }
        }
        Pairs { closure, row: row.into(), patterns: patterns.into(), ends }
    }

    /// Compiles the enumeration of the sources of a closure that is asked for both of its ends: the targets of each are read by the block then.
    /// `None` where all columns of a source are bound, or nothing asks for the targets.
    pub(super) fn sources(&mut self, atom: &Atom, closure: ClosureId) -> Option<Pairs> {
        let target = self.free_target(atom)?;
        let [sources @ .., _] = &atom.args[..] else { return None };
        let has_free = sources.iter().any(|source| !self.all_bound(source));
        let are_both_asked = !self.names.is_alone(target) && !self.has_lone_sources(atom);
        (has_free && are_both_asked).then(|| self.pairs_of(atom, closure, PairEnds::Sources))
    }

    /// Whether nothing else asks for the sources of a closure.
    fn has_lone_sources(&mut self, atom: &Atom) -> bool {
        let [sources @ .., _] = &atom.args[..] else { return false };
        sources.iter().all(|source| match source {
            Term::Variable(source) => {
                let slot = self.names.slot(source);
                !self.bound[slot as usize] && self.names.is_alone(slot)
            }
            _ => false,
        })
    }

    /// The variable of the target of a closure, if it is not bound and stands in no source.
    fn free_target(&mut self, atom: &Atom) -> Option<Slot> {
        let [sources @ .., Term::Variable(target)] = &atom.args[..] else { return None };
        let mut is_source = false;
        sources.iter().for_each(|source| source.for_each_variable(&mut |name| is_source |= name == target));
        let slot = self.names.slot(target);
        (!is_source && !self.bound[slot as usize]).then_some(slot)
    }
}
