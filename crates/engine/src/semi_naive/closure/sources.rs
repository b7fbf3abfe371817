//! The sources of a closure: what stands left of the frontier in base rows, numbered in the order in which it comes.

use super::nodes::Nodes;
use crate::semi_naive::relation::Relation;
use crate::value::Value;
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// No source.
const NONE: u32 = u32::MAX;

/// Numbered sources.
pub(super) enum Sources {
    /// Nodes, where one value stays.
    Nodes {
        /// The node of each source.
        nodes: Vec<u32>,
        /// The source of each node.
        of_node: Vec<u32>,
    },
    /// Rows of a context and the values that stay, where these are several.
    Rows(Box<SourceRows>),
}

type SourcesByValue = FxHashMap<Value, Vec<u32>>;

/// Numbered rows.
pub(super) struct SourceRows {
    rows: Relation,
    /// By column: the sources with a value there, made when they are first asked for.
    having: Box<[OnceLock<SourcesByValue>]>,
}

impl Sources {
    /// No sources. They have the values of a context and so many others.
    pub fn new(context: usize, anchors: usize) -> Self {
        if anchors == 1 {
            return Self::Nodes { nodes: Vec::new(), of_node: Vec::new() };
        }
        let mut rows = Relation::new(context + anchors);
        rows.keep_row_numbers();
        let having = (0..rows.arity()).map(|_| OnceLock::new()).collect();
        Self::Rows(Box::new(SourceRows { rows, having }))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Nodes { nodes, .. } => nodes.len(),
            Self::Rows(sources) => sources.rows.len(),
        }
    }

    /// The node that is a source.
    #[inline]
    pub fn node(&self, source: u32) -> Option<u32> {
        match self {
            Self::Nodes { nodes, .. } => nodes.get(source as usize).copied(),
            Self::Rows(_) => None,
        }
    }

    /// The source that is a node.
    #[inline]
    pub fn of_node(&self, node: u32) -> Option<u32> {
        match self {
            Self::Nodes { of_node, .. } => of_node.get(node as usize).copied().filter(|source| *source != NONE),
            Self::Rows(_) => None,
        }
    }

    /// Adds a node as a source, if it is not there; its number. Where sources are rows there is none.
    pub fn add_node(&mut self, node: u32) -> u32 {
        let Self::Nodes { nodes, of_node } = self else { return NONE };
        let place = node as usize;
        if place >= of_node.len() {
            of_node.resize(place + 1, NONE);
        }
        if of_node[place] == NONE {
            of_node[place] = nodes.len() as u32;
            nodes.push(node);
        }
        of_node[place]
    }

    /// The values of a source.
    #[inline]
    pub fn row<'a>(&'a self, source: u32, all: &'a Nodes) -> &'a [Value] {
        match self {
            Self::Nodes { nodes, .. } => all.row(nodes[source as usize] as usize),
            Self::Rows(sources) => sources.rows.row(source as usize),
        }
    }

    /// The source with these values.
    pub fn find(&self, key: &[Value], all: &Nodes) -> Option<u32> {
        match self {
            Self::Nodes { .. } => self.of_node(all.find(key)?),
            Self::Rows(sources) => sources.rows.find(key).map(|number| number as u32),
        }
    }

    /// The sources that have a value in a column, where they are rows of their own.
    pub fn having(&self, column: usize, value: Value) -> &[u32] {
        let Self::Rows(sources) = self else { return &[] };
        let having = sources.having[column].get_or_init(|| {
            let mut having = SourcesByValue::default();
            for (source, row) in (0..).zip(sources.rows.rows()) {
                having.entry(row[column]).or_default().push(source);
            }
            having
        });
        having.get(&value).map_or(&[], Vec::as_slice)
    }

    /// All values that occur in rows of their own.
    pub fn values(&self) -> &[Value] {
        match self {
            Self::Nodes { .. } => &[],
            Self::Rows(sources) => sources.rows.cells_from(0),
        }
    }

    pub fn bytes(&self) -> usize {
        match self {
            Self::Nodes { nodes, of_node } => (nodes.capacity() + of_node.capacity()) * 4,
            Self::Rows(sources) => {
                let lists = sources.having.iter().filter_map(OnceLock::get).flat_map(FxHashMap::values);
                sources.rows.bytes()
                    + lists.map(|list| list.capacity() * 4 + size_of::<(Value, Vec<u32>)>()).sum::<usize>()
            }
        }
    }
}

impl SourceRows {
    /// Adds a source, if it is not there; its number.
    pub fn add(&mut self, key: &[Value]) -> u32 {
        let number = self.rows.find(key).unwrap_or_else(|| {
            self.having.iter_mut().for_each(|having| _ = having.take());
            self.rows.insert(key);
            self.rows.len() - 1
        });
        number as u32
    }
}
