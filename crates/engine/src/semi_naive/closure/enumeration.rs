//! Pairs that are looked up, and those that agree with what is bound, one after the other.

use super::sources::Sources;
use super::{ClosureRelation, ClosureShape};
use crate::semi_naive::index::KeyedRow;
use crate::semi_naive::plan::PairEnds;
use crate::value::Value;

/// A key of at most so many values is looked up without an allocation.
const FEW_VALUES: usize = 8;

/// So many sources are gone through, though fewer may reach a target.
const FEW_SOURCES: usize = 16;

/// The state of an enumeration of pairs.
#[derive(Default)]
pub struct Cursor {
    /// The bound values of columns.
    pub(super) bound: Vec<Option<Value>>,
    pub(super) sources: RemainingSources,
    /// The source whose targets are being enumerated.
    pub(super) source: Option<u32>,
    /// The target, if it is bound.
    pub(super) target: Option<u32>,
    pub(in crate::semi_naive) ends: PairEnds,
    /// The targets, where they alone are enumerated.
    targets: Vec<u32>,
    /// The position of the component of the current target among those that the source reaches.
    pub(super) position: usize,
    pub(super) member: usize,
}

/// The sources still to be enumerated.
#[derive(Default)]
pub(super) enum RemainingSources {
    #[default]
    None,
    One(u32),
    /// All sources from this index on.
    All(usize),
    /// The sources with the bound value of a column, from this index on, that agree with what else is bound.
    Having(usize, usize),
    /// The members of a component from this index on.
    Component(u32, usize),
    /// Those from this index on that reach a component, and agree with what else is bound.
    Reaching(u32, usize),
}

impl Cursor {
    /// Enumerates the pairs of one source, which are rows of this arity.
    pub(super) fn of_source(source: u32, arity: usize) -> Cursor {
        Cursor { bound: vec![None; arity], sources: RemainingSources::One(source), ..Cursor::default() }
    }
}

impl ClosureRelation {
    /// The node of a value in a context.
    fn find_node(&self, context: impl Iterator<Item = Value>, value: Value) -> Option<u32> {
        find(self.context + 1, context.chain([value]), |key| self.nodes.find(key))
    }

    pub fn contains(&self, row: &[Value]) -> bool {
        let [key @ .., target] = row else { return false };
        let Some(source) = self.sources.find(key, &self.nodes) else { return false };
        let target = self.find_node(key[..self.context].iter().copied(), *target);
        target.is_some_and(|target| self.reaches(source, target))
    }

    fn reaches(&self, source: u32, target: u32) -> bool {
        match &self.shape {
            ClosureShape::Undirected { components, .. } => {
                self.sources.node(source).is_some_and(|node| components.equiv(node, target))
            }
            ClosureShape::Directed(condensed) => condensed.reaches(source, target),
        }
    }

    /// Starts an enumeration of the rows that agree with `bound`, in the place of the one of `cursor`.
    pub fn begin(&self, bound: impl Iterator<Item = Option<Value>>, cursor: &mut Cursor) {
        let mut values = std::mem::take(&mut cursor.bound);
        values.clear();
        values.extend(bound);
        *cursor = Cursor { bound: values, sources: RemainingSources::All(0), ..Cursor::default() };
        let [ref key @ .., target] = cursor.bound[..] else { return };
        let (context, anchors) = key.split_at(self.context);
        if context.contains(&None) {
            return;
        }
        if !anchors.contains(&None) {
            let source = find(key.len(), all_bound(key), |key| self.sources.find(key, &self.nodes));
            cursor.sources = source.map_or(RemainingSources::None, RemainingSources::One);
            return;
        }
        if let Some(target) = target {
            cursor.target = self.find_node(all_bound(context), target);
            if cursor.target.is_none() {
                cursor.sources = RemainingSources::None;
                return;
            }
        }
        let bound = (self.context..key.len()).filter_map(|column| Some((column, key[column]?)));
        let with_length = bound.map(|(column, value)| (self.sources.having(column, value).len(), column));
        cursor.sources = match (with_length.min(), cursor.target, &self.shape) {
            (None, None, _) => RemainingSources::All(0),
            (None, Some(target), ClosureShape::Undirected { components, .. }) => {
                RemainingSources::Component(components.find(target), 0)
            }
            (fewest, Some(target), ClosureShape::Directed(condensed))
                if fewest.is_none_or(|(count, _)| {
                    count > FEW_SOURCES && condensed.most_sources_of(condensed.component(target)) < count
                }) =>
            {
                RemainingSources::Reaching(condensed.component(target), 0)
            }
            (fewest, ..) => fewest.map_or(RemainingSources::All(0), |(_, column)| RemainingSources::Having(column, 0)),
        };
    }

    /// Writes the next row of an enumeration into `row`; `false` at its end.
    pub fn next(&self, cursor: &mut Cursor, row: &mut Vec<Value>) -> bool {
        if cursor.ends == PairEnds::Targets {
            return self.next_reached(cursor, row);
        }
        while let Some([source, target]) = self.next_pair(cursor) {
            row.clear();
            row.extend_from_slice(self.source_row(source));
            row.push(self.value(target));
            if agrees(row, &cursor.bound) {
                return true;
            }
        }
        false
    }

    /// Writes a row of the next target into `row`, without a source; `false` at the end.
    fn next_reached(&self, cursor: &mut Cursor, row: &mut Vec<Value>) -> bool {
        if !matches!(std::mem::take(&mut cursor.sources), RemainingSources::None) {
            cursor.targets = self.reached();
        }
        let Some(&target) = cursor.targets.get(cursor.member) else { return false };
        cursor.member += 1;
        row.clear();
        row.resize(cursor.bound.len() - 1, Value::default());
        row.push(self.value(target));
        true
    }

    /// The nodes that are reached by any source, each once. Takes a look at what each source reaches: at its components, not at their nodes.
    fn reached(&self) -> Vec<u32> {
        match &self.shape {
            ClosureShape::Undirected { components, members } => {
                let mut is_reached = vec![false; members.len()];
                let nodes = (0..self.sources.len() as u32).filter_map(|source| self.sources.node(source));
                nodes.for_each(|node| is_reached[components.find(node) as usize] = true);
                members
                    .iter()
                    .zip(is_reached)
                    .filter(|(_, reached)| *reached)
                    .flat_map(|(nodes, _)| nodes)
                    .copied()
                    .collect()
            }
            ClosureShape::Directed(condensed) => condensed.reached_nodes(),
        }
    }

    /// Copies the values of the next pairs at the end that is not bound, of an enumeration for which all else is. Their number is less than there
    /// is room for at the end only.
    pub fn read(&self, cursor: &mut Cursor, entries: &mut [KeyedRow]) -> usize {
        let mut count = 0;
        if let RemainingSources::Reaching(component, place) = &mut cursor.sources
            && let ClosureShape::Directed(condensed) = &self.shape
            && matches!(self.sources, Sources::Nodes { .. })
        {
            for (entry, (at, source)) in entries.iter_mut().zip(condensed.sources_of(*component, *place)) {
                entry.value = self.source_value(source as u32);
                cursor.source = Some(source as u32);
                *place = at + 1;
                count += 1;
            }
            return count;
        }
        while count < entries.len()
            && let Some([source, target]) = self.next_pair(cursor)
        {
            entries[count].value = if cursor.target.is_some() { self.source_value(source) } else { self.value(target) };
            count += 1;
        }
        count
    }

    /// The value of a node, without its context.
    #[inline]
    fn value(&self, node: u32) -> Value {
        self.nodes.values()[(node as usize + 1) * self.nodes.arity() - 1]
    }

    /// The last value of a source.
    #[inline]
    fn source_value(&self, source: u32) -> Value {
        let row = self.source_row(source);
        row[row.len() - 1]
    }

    /// The next source and target of an enumeration.
    #[inline]
    fn next_pair(&self, cursor: &mut Cursor) -> Option<[u32; 2]> {
        loop {
            let source =
                cursor.source.filter(|_| cursor.ends == PairEnds::Both).or_else(|| self.next_source(cursor))?;
            let target = self.next_target(source, cursor);
            cursor.source = target.map(|_| source);
            if let Some(target) = target {
                return Some([source, target]);
            }
        }
    }

    fn next_source(&self, cursor: &mut Cursor) -> Option<u32> {
        (cursor.position, cursor.member) = (0, 0);
        match &mut cursor.sources {
            RemainingSources::None => None,
            RemainingSources::One(source) => {
                let source = *source;
                cursor.sources = RemainingSources::None;
                Some(source)
            }
            RemainingSources::All(place) => {
                *place += 1;
                (*place <= self.sources.len()).then_some(*place as u32 - 1)
            }
            RemainingSources::Having(column, place) => {
                let rest = &self.sources.having(*column, cursor.bound[*column]?)[*place..];
                let skipped = rest.iter().position(|&source| agrees(self.source_row(source), &cursor.bound))?;
                *place += skipped + 1;
                Some(rest[skipped])
            }
            RemainingSources::Component(representative, place) => {
                let ClosureShape::Undirected { members, .. } = &self.shape else { return None };
                let rest = &members[*representative as usize][*place..];
                let sources = rest.iter().map(|&node| self.sources.of_node(node)).enumerate();
                let (skipped, source) = sources.filter_map(|(at, source)| Some((at, source?))).next()?;
                *place += skipped + 1;
                Some(source)
            }
            RemainingSources::Reaching(component, place) => {
                let ClosureShape::Directed(condensed) = &self.shape else { return None };
                let of_component = condensed.sources_of(*component, *place).map(|(at, source)| (at, source as u32));
                let is_node = matches!(self.sources, Sources::Nodes { .. });
                let mut fit = of_component.filter(|&(_, of)| is_node || agrees(self.source_row(of), &cursor.bound));
                let (at, source) = fit.next()?;
                *place = at + 1;
                Some(source)
            }
        }
    }

    fn next_target(&self, source: u32, cursor: &mut Cursor) -> Option<u32> {
        if let Some(target) = cursor.target {
            cursor.member += 1;
            let is_known = matches!(cursor.sources, RemainingSources::Component(..) | RemainingSources::Reaching(..));
            return (cursor.member == 1 && (is_known || self.reaches(source, target))).then_some(target);
        }
        match &self.shape {
            ClosureShape::Undirected { components, members, .. } => {
                cursor.member += 1;
                let node = self.sources.node(source)?;
                members[components.find(node) as usize].get(cursor.member - 1).copied()
            }
            ClosureShape::Directed(condensed) => loop {
                let (position, members) = condensed.targets(source, cursor.position)?;
                if position != cursor.position {
                    (cursor.position, cursor.member) = (position, 0);
                }
                match members.get(cursor.member) {
                    Some(&target) => {
                        cursor.member += 1;
                        return Some(target);
                    }
                    None => (cursor.position, cursor.member) = (position + 1, 0),
                }
            },
        }
    }
}

/// Looks up a key of so many values.
fn find(
    count: usize,
    values: impl Iterator<Item = Value>,
    look_up: impl FnOnce(&[Value]) -> Option<u32>,
) -> Option<u32> {
    // Most have few, which need no allocation.
    if count > FEW_VALUES {
        return look_up(&values.collect::<Vec<Value>>());
    }
    let mut key = [Value::default(); FEW_VALUES];
    key.iter_mut().zip(values).for_each(|(part, value)| *part = value);
    look_up(&key[..count])
}

/// The values of columns that are all bound.
fn all_bound(columns: &[Option<Value>]) -> impl Iterator<Item = Value> {
    columns.iter().map(|value| value.unwrap_or_default())
}

/// Whether the first values of a row are those that are bound.
#[inline]
fn agrees(row: &[Value], bound: &[Option<Value>]) -> bool {
    row.iter().zip(bound).all(|(value, bound)| bound.is_none_or(|bound| bound == *value))
}
