//! Ground terms as 32-bit ids: equal terms have equal ids, so that rows are compared and hashed as plain numbers.

mod floats;
pub mod number;
mod patterns;

use floats::Floats;
pub use floats::IdTable;
use hashbrown::HashTable;
use indexmap::IndexSet;
pub use ludolog_syntax::Value;
use ludolog_syntax::ast::{Float, Name, Term};
use ludolog_syntax::budget::Excess;
use num_bigint::{BigInt, Sign};
use number::Arithmetic;
use patterns::Patterns;
use rustc_hash::{FxBuildHasher, FxHasher};
use std::cmp::Ordering;
use std::hash::{BuildHasher, Hash, Hasher};

/// An interned term that is no float.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Entry {
    Symbol(Name),
    Integer(i64),
    /// An integer that does not fit 64 bits, where they are kept.
    Beyond(Box<BigInt>),
    /// A functor, the range of its arguments in the argument store, and its extent.
    Compound {
        functor: Functor,
        start: u32,
        arity: u32,
        extent: Extent,
    },
    /// A functor, its two arguments, and its extent. They are here so that a walk along a list reads one place a cell.
    Pair {
        functor: Functor,
        arguments: [Value; 2],
        extent: Extent,
    },
}

/// The nesting depth of a term, and the number of its symbols and integers where each occurrence counts: equal parts of a term are
/// one entry, so that few entries may be a term that no memory holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Extent {
    depth: u32,
    symbols: u32,
}

impl Extent {
    const SIMPLE: Extent = Extent { depth: 0, symbols: 1 };

    /// Of a compound with arguments of these extents.
    fn around(arguments: impl Iterator<Item = Extent>) -> Extent {
        let all = arguments.fold(Extent::SIMPLE, |all, of| Extent {
            depth: all.depth.max(of.depth),
            symbols: all.symbols.saturating_add(of.symbols),
        });
        Extent { depth: all.depth + 1, ..all }
    }

    /// The greater depth and the greater number.
    fn max(self, other: Extent) -> Extent {
        Extent { depth: self.depth.max(other.depth), symbols: self.symbols.max(other.symbols) }
    }
}

impl Entry {
    /// The functor and the arguments of a compound.
    #[inline]
    fn as_compound<'e>(&'e self, store: &'e [Value]) -> Option<(Functor, &'e [Value])> {
        match self {
            Entry::Pair { functor, arguments, .. } => Some((*functor, arguments)),
            Entry::Compound { functor, start, arity, .. } => {
                Some((*functor, &store[*start as usize..(*start + *arity) as usize]))
            }
            Entry::Symbol(_) | Entry::Integer(_) | Entry::Beyond(_) => None,
        }
    }

    fn extent(&self) -> Extent {
        match self {
            Entry::Pair { extent, .. } | Entry::Compound { extent, .. } => *extent,
            Entry::Symbol(_) | Entry::Integer(_) | Entry::Beyond(_) => Extent::SIMPLE,
        }
    }
}

/// The id of a functor: a name with an arity above zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Functor(u32);

/// The two-way table between ground terms and [`Value`]s. Grows only.
#[derive(Clone, Debug, Default)]
pub struct Interner {
    entries: Vec<Entry>,
    /// Indices in `entries` of symbols and large integers, by content.
    simple: HashTable<u32>,
    /// Indices in `entries` of compounds, by content.
    compounds: HashTable<u32>,
    functors: IndexSet<(Name, u32), FxBuildHasher>,
    arguments: Vec<Value>,
    /// The greatest extent of the compounds requested since [`Interner::forget_excess`].
    greatest: Extent,
    floats: Floats,
    /// Whether a computation makes floats.
    expects_floats: bool,
    pub(crate) numbers: Arithmetic,
    patterns: Patterns,
}

/// Gives values to terms that a run computes or builds.
pub trait Intern {
    /// The terms that have values.
    fn known(&self) -> &Interner;

    /// The value of an integer.
    fn integer(&mut self, n: i64) -> Value;

    /// The value of a float.
    fn float(&mut self, float: Float) -> Value;

    /// The value of an integer of any size, where they are kept.
    fn number(&mut self, n: &BigInt) -> Value;

    /// The value of a symbol.
    fn symbol(&mut self, name: &Name) -> Value;

    /// The value of the compound of `functor` with `args` (as many as its arity).
    fn compound(&mut self, functor: Functor, args: &[Value]) -> Value;

    /// The value of a ground term.
    fn ground(&mut self, term: &Term) -> Value;
}

/// Values of terms that several threads share: none is added.
#[derive(Clone, Debug)]
pub struct Frozen<'i> {
    interner: &'i Interner,
    lacks: bool,
}

impl<'i> Frozen<'i> {
    /// The terms of an interner.
    pub fn new(interner: &'i Interner) -> Self {
        Frozen { interner, lacks: false }
    }

    /// Whether it was asked for a term that has no value. Then what it gave instead means nothing.
    pub fn lacks_values(&self) -> bool {
        self.lacks
    }

    fn found(&mut self, value: Option<Value>) -> Value {
        self.lacks |= value.is_none();
        value.unwrap_or_default()
    }
}

impl Intern for Frozen<'_> {
    #[inline]
    fn known(&self) -> &Interner {
        self.interner
    }

    #[inline]
    fn integer(&mut self, n: i64) -> Value {
        Value::small_integer(n).unwrap_or_else(|| self.found(self.interner.find_simple(&Entry::Integer(n))))
    }

    fn float(&mut self, float: Float) -> Value {
        self.found(self.interner.floats.find(float))
    }

    fn number(&mut self, n: &BigInt) -> Value {
        self.found(self.interner.find_simple(&Entry::Beyond(Box::new(n.clone()))))
    }

    fn symbol(&mut self, name: &Name) -> Value {
        self.found(self.interner.find_simple(&Entry::Symbol(name.clone())))
    }

    fn compound(&mut self, functor: Functor, args: &[Value]) -> Value {
        self.found(self.interner.find_compound(functor, args).map(Value))
    }

    fn ground(&mut self, term: &Term) -> Value {
        self.found(self.interner.find(term))
    }
}

impl Intern for Interner {
    #[inline]
    fn known(&self) -> &Interner {
        self
    }

    #[inline]
    fn integer(&mut self, n: i64) -> Value {
        Interner::integer(self, n)
    }

    fn float(&mut self, float: Float) -> Value {
        Interner::float(self, float)
    }

    fn number(&mut self, n: &BigInt) -> Value {
        Interner::number(self, n)
    }

    fn symbol(&mut self, name: &Name) -> Value {
        Interner::symbol(self, name)
    }

    fn compound(&mut self, functor: Functor, args: &[Value]) -> Value {
        Interner::compound(self, functor, args)
    }

    fn ground(&mut self, term: &Term) -> Value {
        Interner::ground(self, term)
    }
}

/// Maximum nesting depth of a term while a program runs; a list of n elements nests n deep. Functions that traverse a
/// term recurse, so the depth bounds their stack.
pub const MAX_DEPTH: u32 = 2000;

/// Maximum number of symbols and integers in a term while a program runs. It bounds what it takes to write the term out.
pub const MAX_SYMBOLS: u32 = 1 << 20;

impl Interner {
    /// An empty interner.
    pub fn new() -> Self {
        Self::default()
    }

    /// A table with this entry for each id of a term that is no small integer.
    pub(crate) fn table<T: Clone>(&self, entry: T) -> IdTable<T> {
        IdTable { others: vec![entry.clone(); self.entries.len()], floats: vec![entry; self.floats.len()] }
    }

    /// The order of the terms of two ids, as [`Term`] has it: integers before floats before symbols before compounds.
    #[inline]
    pub(crate) fn compare(&self, a: Value, b: Value) -> Ordering {
        match (a.as_small_integer(), b.as_small_integer()) {
            (Some(a), Some(b)) => a.cmp(&b),
            _ => self.compare_others(a, b),
        }
    }

    fn compare_others(&self, a: Value, b: Value) -> Ordering {
        match (self.as_integer(a), self.as_integer(b)) {
            _ if a == b => return Ordering::Equal,
            (Some(a), Some(b)) => return a.cmp(&b),
            (Some(_), None) if self.is_below_all(b) => return Ordering::Greater,
            (None, Some(_)) if self.is_below_all(a) => return Ordering::Less,
            (Some(_), None) => return Ordering::Less,
            (None, Some(_)) => return Ordering::Greater,
            (None, None) => {}
        }
        match (self.as_float(a), self.as_float(b)) {
            (Some(a), Some(b)) => return a.cmp(&b),
            (Some(_), None) if self.as_beyond(b).is_some() => return Ordering::Greater,
            (None, Some(_)) if self.as_beyond(a).is_some() => return Ordering::Less,
            (Some(_), None) => return Ordering::Less,
            (None, Some(_)) => return Ordering::Greater,
            (None, None) => {}
        }
        match (self.as_compound(a), self.as_compound(b)) {
            (Some((f, left)), Some((g, right))) => {
                let names = self.functor_name(f).0.cmp(self.functor_name(g).0);
                let mut arguments = left.iter().zip(right).map(|(a, b)| self.compare(*a, *b));
                names
                    .then_with(|| arguments.find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
                    .then_with(|| left.len().cmp(&right.len()))
            }
            (left, right) => match (&self.entries[a.0 as usize], &self.entries[b.0 as usize]) {
                (Entry::Symbol(a), Entry::Symbol(b)) => a.cmp(b),
                (Entry::Beyond(a), Entry::Beyond(b)) => a.cmp(b),
                (Entry::Beyond(_), _) => Ordering::Less,
                (_, Entry::Beyond(_)) => Ordering::Greater,
                _ => left.is_some().cmp(&right.is_some()),
            },
        }
    }

    /// The value of a symbol.
    pub fn symbol(&mut self, name: &Name) -> Value {
        self.simple(Entry::Symbol(name.clone()))
    }

    /// The value of an integer.
    #[inline]
    pub fn integer(&mut self, n: i64) -> Value {
        Value::small_integer(n).unwrap_or_else(|| self.simple(Entry::Integer(n)))
    }

    /// The value of a float.
    pub fn float(&mut self, float: Float) -> Value {
        self.floats.value(float)
    }

    /// The float; `None` of another term.
    #[inline]
    pub fn as_float(&self, value: Value) -> Option<Float> {
        self.floats.get(value)
    }

    /// Whether a computation may have floats for operands or results.
    #[inline]
    pub(crate) fn has_floats(&self) -> bool {
        self.expects_floats || !self.floats.is_empty()
    }

    /// Notes that a computation may make floats.
    pub(crate) fn expect_floats(&mut self) {
        self.expects_floats = true;
    }

    /// The value of an integer that does not fit 64 bits.
    pub(crate) fn beyond(&mut self, n: &BigInt) -> Value {
        self.simple(Entry::Beyond(Box::new(n.clone())))
    }

    /// The integer that does not fit 64 bits; `None` of another term.
    pub(crate) fn as_beyond(&self, value: Value) -> Option<&BigInt> {
        match self.entries.get(value.0 as usize) {
            Some(Entry::Beyond(n)) => Some(n),
            _ => None,
        }
    }

    /// Whether a term is an integer below those that fit 64 bits.
    fn is_below_all(&self, value: Value) -> bool {
        self.as_beyond(value).is_some_and(|n| n.sign() == Sign::Minus)
    }

    fn simple(&mut self, entry: Entry) -> Value {
        let entries = &mut self.entries;
        let hash = FxBuildHasher.hash_one(&entry);
        let found = self.simple.entry(
            hash,
            |&i| entries[i as usize] == entry,
            |&i| FxBuildHasher.hash_one(&entries[i as usize]),
        );
        match found {
            hashbrown::hash_table::Entry::Occupied(o) => Value(*o.get()),
            hashbrown::hash_table::Entry::Vacant(v) => {
                let id = entries.len() as u32;
                v.insert(id);
                entries.push(entry);
                Value(id)
            }
        }
    }

    /// The name of a symbol; `None` of another term.
    #[inline]
    pub fn as_symbol(&self, value: Value) -> Option<&Name> {
        match self.entries.get(value.0 as usize) {
            Some(Entry::Symbol(name)) => Some(name),
            _ => None,
        }
    }

    /// The functor of a name and an arity.
    pub fn functor(&mut self, name: &Name, arity: usize) -> Functor {
        Functor(self.functors.insert_full((name.clone(), arity as u32)).0 as u32)
    }

    /// The name and arity of a functor of this interner.
    pub fn functor_name(&self, functor: Functor) -> (&Name, usize) {
        let (name, arity) = &self.functors[functor.0 as usize];
        (name, *arity as usize)
    }

    /// The value of the compound of `functor` with `args` (as many as its arity).
    pub fn compound(&mut self, functor: Functor, args: &[Value]) -> Value {
        if let Some(id) = self.find_compound(functor, args) {
            self.greatest = self.greatest.max(self.entries[id as usize].extent());
            return Value(id);
        }
        let Interner { entries, arguments, compounds, .. } = self;
        let extents = args.iter().map(|arg| entries.get(arg.0 as usize).map_or(Extent::SIMPLE, Entry::extent));
        let extent = Extent::around(extents);
        self.greatest = self.greatest.max(extent);
        let id = entries.len() as u32;
        entries.push(match *args {
            [a, b] => Entry::Pair { functor, arguments: [a, b], extent },
            _ => {
                let start = arguments.len() as u32;
                arguments.extend_from_slice(args);
                Entry::Compound { functor, start, arity: args.len() as u32, extent }
            }
        });
        compounds.insert_unique(hash_compound(functor, args), id, |&i| {
            let (functor, arguments) = compound_at(i, entries, arguments);
            hash_compound(functor, arguments)
        });
        Value(id)
    }

    fn find_compound(&self, functor: Functor, args: &[Value]) -> Option<u32> {
        let is_same = |&i: &u32| compound_at(i, &self.entries, &self.arguments) == (functor, args);
        self.compounds.find(hash_compound(functor, args), is_same).copied()
    }

    fn find_simple(&self, entry: &Entry) -> Option<Value> {
        let is_same = |&i: &u32| self.entries[i as usize] == *entry;
        self.simple.find(FxBuildHasher.hash_one(entry), is_same).map(|&id| Value(id))
    }

    /// The limit, [`MAX_DEPTH`] or [`MAX_SYMBOLS`], that a compound requested since [`forget_excess`](Self::forget_excess)
    /// exceeds. Engines stop in that case.
    #[inline]
    pub fn excess(&self) -> Option<Excess> {
        match self.greatest {
            Extent { depth, .. } if depth > MAX_DEPTH => Some(Excess::Depth(MAX_DEPTH)),
            Extent { symbols, .. } if symbols > MAX_SYMBOLS => Some(Excess::Symbols(MAX_SYMBOLS)),
            _ => None,
        }
    }

    /// Resets the recorded extent. An engine calls this once it has dropped the terms that it stopped at.
    pub fn forget_excess(&mut self) {
        self.greatest = Extent::default();
    }

    /// Functor and arguments of a compound; `None` for other values.
    #[inline]
    pub fn as_compound(&self, value: Value) -> Option<(Functor, &[Value])> {
        self.entries.get(value.0 as usize)?.as_compound(&self.arguments)
    }

    /// The integer, if `value` is one.
    #[inline]
    pub fn as_integer(&self, value: Value) -> Option<i64> {
        value.as_small_integer().or_else(|| match self.entries.get(value.0 as usize) {
            Some(Entry::Integer(n)) => Some(*n),
            _ => None,
        })
    }

    /// The value of a ground term; `None` if the term has a variable.
    pub fn intern(&mut self, term: &Term) -> Option<Value> {
        Some(match term {
            Term::Variable(_) => return None,
            Term::Integer(n) => self.integer(*n),
            Term::Float(float) => self.float(*float),
            Term::Symbol(name) => self.symbol(name),
            Term::Compound(name, args) => {
                let args = args.iter().map(|arg| self.intern(arg)).collect::<Option<Vec<_>>>()?;
                let functor = self.functor(name, args.len());
                self.compound(functor, &args)
            }
        })
    }

    /// The value of a term; `None` if it has none here.
    fn find(&self, term: &Term) -> Option<Value> {
        match term {
            Term::Variable(_) => None,
            Term::Integer(n) => Value::small_integer(*n).or_else(|| self.find_simple(&Entry::Integer(*n))),
            Term::Float(float) => self.floats.find(*float),
            Term::Symbol(name) => self.find_simple(&Entry::Symbol(name.clone())),
            Term::Compound(name, args) => {
                let functor = self.functors.get_index_of(&(name.clone(), args.len() as u32))?;
                let args = args.iter().map(|arg| self.find(arg)).collect::<Option<Vec<_>>>()?;
                self.find_compound(Functor(functor as u32), &args).map(Value)
            }
        }
    }

    /// The value of a term that is known to be ground.
    ///
    /// # Panics
    ///
    /// If it has a variable.
    pub fn ground(&mut self, term: &Term) -> Value {
        self.intern(term).expect("a ground term")
    }

    /// The values of terms that are known to be ground.
    ///
    /// # Panics
    ///
    /// If one has a variable.
    pub fn row(&mut self, terms: &[Term]) -> Vec<Value> {
        terms.iter().map(|term| self.ground(term)).collect()
    }

    /// The term that `value` stands for. There is none for an integer that does not fit 64 bits: it becomes a symbol.
    pub fn term(&self, value: Value) -> Term {
        if let Some(n) = value.as_small_integer() {
            return Term::Integer(n);
        }
        if let Some(float) = self.as_float(value) {
            return Term::Float(float);
        }
        match &self.entries[value.0 as usize] {
            Entry::Symbol(name) => Term::Symbol(name.clone()),
            Entry::Integer(n) => Term::Integer(*n),
            Entry::Beyond(n) => Term::symbol(&n.to_string()),
            Entry::Pair { .. } | Entry::Compound { .. } => {
                let (functor, args) = compound_at(value.0, &self.entries, &self.arguments);
                let (name, _) = &self.functors[functor.0 as usize];
                Term::Compound(name.clone(), args.iter().map(|&arg| self.term(arg)).collect())
            }
        }
    }
}

/// The functor and the arguments of an entry that is a compound.
#[inline]
fn compound_at<'e>(entry: u32, entries: &'e [Entry], store: &'e [Value]) -> (Functor, &'e [Value]) {
    entries[entry as usize].as_compound(store).expect("the compound table points at compounds only")
}

fn hash_compound(functor: Functor, args: &[Value]) -> u64 {
    let mut hasher = FxHasher::default();
    functor.0.hash(&mut hasher);
    for arg in args {
        arg.0.hash(&mut hasher);
    }
    hasher.finish()
}
