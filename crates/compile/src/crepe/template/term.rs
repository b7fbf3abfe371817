//! Terms, and what rules compute of them. What cannot be computed is `None`.

mod integer;

pub use integer::Integer;

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A set of rows, as crepe derives it.
pub type RowSet<R> = HashSet<R, BuildHasherDefault<RowHasher>>;

/// A multiplicative hash of the words of a row. Hashing is most of the work of a derivation, and nobody chooses rows to collide.
#[derive(Clone, Copy, Default)]
pub struct RowHasher(u64);

impl Hasher for RowHasher {
    fn finish(&self) -> u64 {
        // Tables look at the lowest bits, and a product is mixed best in its highest.
        self.0.rotate_left(32)
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_i32(&mut self, word: i32) {
        self.write_u64(word as u64);
    }

    fn write_i64(&mut self, word: i64) {
        self.write_u64(word as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

/// The one copy of a value, which stays in memory until the program ends: it is compared and hashed by its address.
#[derive(Debug)]
pub struct Shared<T: 'static>(&'static T);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

impl<T> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<T> Eq for Shared<T> {}

impl<T> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl<T: Ord> Ord for Shared<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        if self == other { Ordering::Equal } else { self.0.cmp(other.0) }
    }
}

impl<T: Ord> PartialOrd for Shared<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A symbol.
pub type Symbol = Shared<&'static str>;

/// A functor with its arguments.
pub type Compound = Shared<(Symbol, &'static [Term])>;

/// A value of a column that holds more than integers or more than symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// An integer.
    Integer(Integer),
    /// A symbol.
    Symbol(Symbol),
    /// A functor with its arguments.
    Compound(Compound),
}

impl Symbol {
    /// The characters of the symbol.
    pub fn text(self) -> &'static str {
        self.0
    }
}

impl Compound {
    /// The name in front of the arguments.
    pub fn functor(self) -> Symbol {
        self.0.0
    }

    /// The arguments.
    pub fn args(self) -> &'static [Term] {
        self.0.1
    }
}

/// The symbol of a text.
pub fn symbol(text: &str) -> Symbol {
    static KNOWN: LazyLock<Mutex<HashMap<&str, Symbol>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(symbol) = known.get(text) {
        return *symbol;
    }
    let text: &'static str = Box::leak(text.into());
    let symbol = Shared(Box::leak(Box::new(text)));
    known.insert(text, symbol);
    symbol
}

/// A compound.
pub fn compound(functor: Symbol, args: &[Term]) -> Term {
    type Args = HashMap<&'static [Term], Compound, BuildHasherDefault<RowHasher>>;
    static KNOWN: LazyLock<Mutex<HashMap<Symbol, Args, BuildHasherDefault<RowHasher>>>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.entry(functor).or_default();
    if let Some(compound) = known.get(args) {
        return Term::Compound(*compound);
    }
    let args: &'static [Term] = Box::leak(args.into());
    let compound = Shared(Box::leak(Box::new((functor, args))));
    known.insert(args, compound);
    Term::Compound(compound)
}

impl From<Integer> for Term {
    fn from(integer: Integer) -> Term {
        Term::Integer(integer)
    }
}

impl From<Symbol> for Term {
    fn from(symbol: Symbol) -> Term {
        Term::Symbol(symbol)
    }
}

/// What is computed with as an integer, as a symbol, or as either.
pub trait Operand<T> {
    /// The value; `None` if it is of another sort, or could not be computed.
    fn operand(self) -> Option<T>;
}

impl<T> Operand<T> for Option<T> {
    fn operand(self) -> Option<T> {
        self
    }
}

impl Operand<Integer> for Integer {
    fn operand(self) -> Option<Integer> {
        Some(self)
    }
}

impl Operand<Symbol> for Symbol {
    fn operand(self) -> Option<Symbol> {
        Some(self)
    }
}

impl Operand<Integer> for Term {
    fn operand(self) -> Option<Integer> {
        if let Term::Integer(integer) = self { Some(integer) } else { None }
    }
}

impl Operand<Symbol> for Term {
    fn operand(self) -> Option<Symbol> {
        if let Term::Symbol(symbol) = self { Some(symbol) } else { None }
    }
}

impl<T: Into<Term>> Operand<Term> for T {
    fn operand(self) -> Option<Term> {
        Some(self.into())
    }
}

/// The types of columns.
pub trait Column: Copy + Into<Term> {
    const NAME: &'static str;
    fn of_term(term: Term) -> Option<Self>;
}

impl Column for Integer {
    const NAME: &'static str = "an integer";
    fn of_term(term: Term) -> Option<Integer> {
        term.operand()
    }
}

impl Column for Symbol {
    const NAME: &'static str = "a symbol";
    fn of_term(term: Term) -> Option<Symbol> {
        term.operand()
    }
}

impl Column for Term {
    const NAME: &'static str = "a term";
    fn of_term(term: Term) -> Option<Term> {
        Some(term)
    }
}

/// The value of a column.
pub fn column<C: Column>(term: Term) -> Result<C, String> {
    C::of_term(term).ok_or_else(|| format!("{term} is not {}", C::NAME))
}

/// The arguments of a compound of this functor and this many arguments.
pub fn parts<const N: usize>(term: Term, functor: Symbol) -> Option<[Term; N]> {
    match term {
        Term::Compound(compound) if compound.functor() == functor => compound.args().try_into().ok(),
        _ => None,
    }
}

/// The first element of a list, and the rest.
fn cons(list: Term) -> Option<[Term; 2]> {
    static CONS: LazyLock<Symbol> = LazyLock::new(|| symbol("cons"));
    parts(list, *CONS)
}

/// The elements of a list.
pub fn elements(mut list: Term) -> impl Iterator<Item = Term> {
    std::iter::from_fn(move || {
        let [element, rest] = cons(list)?;
        list = rest;
        Some(element)
    })
}

/// The integers between two bounds.
pub fn range(from: impl Operand<Integer>, to: impl Operand<Integer>) -> RangeInclusive<Integer> {
    if let (Some(from), Some(to)) = (from.operand(), to.operand()) { from..=to } else { RangeInclusive::new(1, 0) }
}

/// Whether an integer lies between two bounds.
pub fn within(element: impl Operand<Integer>, from: impl Operand<Integer>, to: impl Operand<Integer>) -> bool {
    element.operand().is_some_and(|element| range(from, to).contains(&element))
}

/// The sum.
pub fn add(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    a.operand()?.checked_add(b.operand()?)
}

/// The difference.
pub fn subtract(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    a.operand()?.checked_sub(b.operand()?)
}

/// The product.
pub fn multiply(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    a.operand()?.checked_mul(b.operand()?)
}

/// The quotient, rounded down.
pub fn divide(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    let a = a.operand()?;
    let b = b.operand()?;
    let quotient = a.checked_div(b)?;
    Some(if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// The remainder, with the sign of the divisor.
pub fn modulo(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    let a = a.operand()?;
    let b = b.operand()?;
    let remainder = if b == 0 { return None } else { a.wrapping_rem(b) };
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}

/// The integer with the other sign.
pub fn negate(a: impl Operand<Integer>) -> Option<Integer> {
    a.operand()?.checked_neg()
}

/// The smaller integer.
pub fn minimum(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    Some(a.operand()?.min(b.operand()?))
}

/// The larger integer.
pub fn maximum(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    Some(a.operand()?.max(b.operand()?))
}

/// The integer without its sign.
pub fn absolute(a: impl Operand<Integer>) -> Option<Integer> {
    a.operand()?.checked_abs()
}

/// The power, of an exponent that is not negative.
pub fn power(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    let a = a.operand()?;
    let b = b.operand()?;
    match (a, u32::try_from(b).ok().or((b > 0).then_some(u32::MAX))?) {
        (0 | 1, n) => Some(if n == 0 { 1 } else { a }),
        (-1, _) => Some(if b % 2 == 0 { 1 } else { -1 }),
        (_, n) => a.checked_pow(n),
    }
}

/// The bits that both have.
pub fn band(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    Some(a.operand()? & b.operand()?)
}

/// The bits that one of them has.
pub fn bor(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    Some(a.operand()? | b.operand()?)
}

/// The bits that just one of them has.
pub fn bxor(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    Some(a.operand()? ^ b.operand()?)
}

/// The integer with all bits changed.
pub fn bnot(a: impl Operand<Integer>) -> Option<Integer> {
    Some(!a.operand()?)
}

/// The integer times a power of two.
pub fn bshl(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    let a = a.operand()?;
    match b.operand()? {
        Integer::MIN..0 => None,
        _ if a == 0 => Some(0),
        n @ 0..63 => a.checked_mul(1 << n),
        63 if a == -1 => Some(Integer::MIN),
        _ => None,
    }
}

/// The integer divided by a power of two, rounded down.
pub fn bshr(a: impl Operand<Integer>, b: impl Operand<Integer>) -> Option<Integer> {
    let a = a.operand()?;
    match b.operand()? {
        Integer::MIN..0 => None,
        n => Some(a >> n.min(63)),
    }
}

/// The integer that a symbol spells, or that there is already.
pub fn number(value: Option<Term>) -> Option<Integer> {
    match value? {
        Term::Integer(integer) => Some(integer),
        Term::Symbol(symbol) if !symbol.text().starts_with('+') => symbol.text().parse().ok(),
        _ => None,
    }
}

/// The number of characters.
pub fn length(text: impl Operand<Symbol>) -> Option<Integer> {
    Integer::try_from(text.operand()?.text().chars().count()).ok()
}

/// Symbols and integers as one symbol.
pub fn join(values: &[Option<Term>]) -> Option<Symbol> {
    let mut text = String::new();
    for value in values {
        match (*value)? {
            Term::Integer(integer) => text.push_str(&integer.to_string()),
            Term::Symbol(symbol) => text.push_str(symbol.text()),
            Term::Compound(_) => return None,
        }
    }
    (text.len() <= 1 << 20).then(|| symbol(&text))
}

/// The characters from one on, counted from 0.
pub fn part(text: impl Operand<Symbol>, start: impl Operand<Integer>, length: impl Operand<Integer>) -> Option<Symbol> {
    let text = text.operand()?.text();
    let start = usize::try_from(start.operand()?).ok()?;
    let length = usize::try_from(length.operand()?).ok()?;
    let part: String = text.chars().skip(start).take(length).collect();
    (text.chars().count() >= start.checked_add(length)?).then(|| symbol(&part))
}

/// A value that comparisons compute: no compound.
pub fn value(term: impl Operand<Term>) -> Option<Term> {
    term.operand().filter(|term| !matches!(term, Term::Compound(_)))
}

/// The order of two integers or two symbols.
pub fn order(a: impl Operand<Term>, b: impl Operand<Term>) -> Option<Ordering> {
    match (a.operand()?, b.operand()?) {
        (Term::Integer(a), Term::Integer(b)) => Some(a.cmp(&b)),
        (Term::Symbol(a), Term::Symbol(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

/// The groups of rows, and the value of each that has one.
pub fn grouped<R: Copy, G: Copy + Ord, F, V>(
    rows: &[R],
    split: impl Fn(R) -> (G, F),
    value: impl Fn(&[F]) -> Option<V>,
) -> (Vec<G>, Vec<(G, V)>) {
    let mut groups = std::collections::BTreeMap::<G, Vec<F>>::new();
    for row in rows {
        let (group, first) = split(*row);
        groups.entry(group).or_default().push(first);
    }
    let values = groups.iter().filter_map(|(group, firsts)| value(firsts).map(|value| (*group, value))).collect();
    (groups.into_keys().collect(), values)
}

pub fn count<C: Column>(firsts: &[C]) -> Option<Integer> {
    Integer::try_from(firsts.len()).ok()
}

fn total<C: Column>(firsts: &[C]) -> Option<i128> {
    firsts.iter().try_fold(0i128, |sum, first| Some(sum + i128::from(Operand::<Integer>::operand((*first).into())?)))
}

pub fn sum<C: Column>(firsts: &[C]) -> Option<Integer> {
    total(firsts)?.try_into().ok()
}

pub fn average<C: Column>(firsts: &[C]) -> Option<Integer> {
    total(firsts)?.checked_div_euclid(i128::try_from(firsts.len()).ok()?)?.try_into().ok()
}

pub fn least<C: Column>(firsts: &[C]) -> Option<C> {
    extreme(firsts, Ordering::Less)
}

pub fn greatest<C: Column>(firsts: &[C]) -> Option<C> {
    extreme(firsts, Ordering::Greater)
}

fn extreme<C: Column>(firsts: &[C], wanted: Ordering) -> Option<C> {
    let (first, rest) = firsts.split_first()?;
    order(*first, *first)?;
    rest.iter().try_fold(*first, |best, other| {
        let order = order(*other, best)?;
        Some(if order == wanted { *other } else { best })
    })
}

/// As rule files state terms.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Integer(integer) => integer.fmt(f),
            Term::Symbol(symbol) if symbol.text() == "nil" => f.write_str("[]"),
            Term::Symbol(symbol) => write_name(f, symbol.text()),
            Term::Compound(compound) => match cons(*self) {
                Some([first, rest]) => write_list(f, first, rest),
                None => {
                    write_name(f, compound.functor().text())?;
                    f.write_str("(")?;
                    for (i, arg) in compound.args().iter().enumerate() {
                        write!(f, "{}{arg}", if i == 0 { "" } else { ", " })?;
                    }
                    f.write_str(")")
                }
            },
        }
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, first: Term, mut rest: Term) -> fmt::Result {
    write!(f, "[{first}")?;
    while let Some([element, tail]) = cons(rest) {
        write!(f, ", {element}")?;
        rest = tail;
    }
    if rest == Term::Symbol(symbol("nil")) { f.write_str("]") } else { write!(f, " | {rest}]") }
}

/// Writes the name of a symbol, functor or predicate, in quotes if it needs them.
pub fn write_name(f: &mut impl fmt::Write, name: &str) -> fmt::Result {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let plain = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.bytes().all(is_word);
    if plain && !["not", "is", "mod"].contains(&name) {
        return f.write_str(name);
    }
    f.write_char('\'')?;
    for c in name.chars() {
        match c {
            '\'' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", u32::from(c))?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('\'')
}
