//! Terms, and what rules compute of them. What cannot be computed is `None`.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::fmt;

/// A symbol.
pub type Symbol = &'static str;

/// A value of a column that holds more than integers or more than symbols.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    Integer(i64),
    Symbol(Symbol),
    Compound(&'static Compound),
}

/// A functor with its arguments.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Compound {
    pub functor: Symbol,
    pub args: Box<[Term]>,
}

thread_local! {
    static COMPOUNDS: RefCell<HashSet<&'static Compound>> = RefCell::default();
    static SYMBOLS: RefCell<HashSet<Symbol>> = RefCell::default();
}

/// A compound, which stays in memory until the program ends.
pub fn compound(functor: Symbol, args: &[Term]) -> Term {
    let compound = Compound { functor, args: args.into() };
    COMPOUNDS.with_borrow_mut(|known| match known.get(&compound) {
        Some(known) => Term::Compound(known),
        None => {
            let compound: &'static Compound = Box::leak(Box::new(compound));
            known.insert(compound);
            Term::Compound(compound)
        }
    })
}

/// A symbol, which stays in memory until the program ends.
pub fn symbol(text: &str) -> Symbol {
    SYMBOLS.with_borrow_mut(|known| match known.get(text) {
        Some(known) => *known,
        None => {
            let symbol: Symbol = Box::leak(text.into());
            known.insert(symbol);
            symbol
        }
    })
}

impl Term {
    pub fn integer(self) -> Option<i64> {
        if let Term::Integer(integer) = self { Some(integer) } else { None }
    }

    pub fn symbol(self) -> Option<Symbol> {
        if let Term::Symbol(symbol) = self { Some(symbol) } else { None }
    }
}

impl From<i64> for Term {
    fn from(integer: i64) -> Term {
        Term::Integer(integer)
    }
}

impl From<Symbol> for Term {
    fn from(symbol: Symbol) -> Term {
        Term::Symbol(symbol)
    }
}

/// The types of columns.
pub trait Column: Copy + Into<Term> {
    const NAME: &'static str;
    fn of_term(term: Term) -> Option<Self>;
}

impl Column for i64 {
    const NAME: &'static str = "an integer";
    fn of_term(term: Term) -> Option<i64> {
        term.integer()
    }
}

impl Column for Symbol {
    const NAME: &'static str = "a symbol";
    fn of_term(term: Term) -> Option<Symbol> {
        term.symbol()
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
pub fn parts<const N: usize>(term: Term, functor: &str) -> Option<[Term; N]> {
    match term {
        Term::Compound(compound) if compound.functor == functor => compound.args[..].try_into().ok(),
        _ => None,
    }
}

/// The elements of a list.
pub fn elements(mut list: Term) -> Vec<Term> {
    let mut found = Vec::new();
    while let Some([element, rest]) = parts(list, "cons") {
        found.push(element);
        list = rest;
    }
    found
}

/// The integers between two bounds.
pub fn range(from: Option<i64>, to: Option<i64>) -> std::ops::RangeInclusive<i64> {
    if let (Some(from), Some(to)) = (from, to) { from..=to } else { 1..=0 }
}

pub fn within(element: Option<i64>, from: Option<i64>, to: Option<i64>) -> bool {
    element.is_some_and(|element| range(from, to).contains(&element))
}

pub fn add(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_add(b?)
}

pub fn subtract(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_sub(b?)
}

pub fn multiply(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    a?.checked_mul(b?)
}

/// Rounded down.
pub fn divide(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    let a = a?;
    let b = b?;
    let quotient = a.checked_div(b)?;
    Some(if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// With the sign of the divisor.
pub fn modulo(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    let a = a?;
    let b = b?;
    let remainder = if b == 0 { return None } else { a.wrapping_rem(b) };
    Some(if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder })
}

pub fn negate(a: Option<i64>) -> Option<i64> {
    a?.checked_neg()
}

pub fn minimum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    Some(a?.min(b?))
}

pub fn maximum(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    Some(a?.max(b?))
}

pub fn absolute(a: Option<i64>) -> Option<i64> {
    a?.checked_abs()
}

pub fn length(text: Option<Symbol>) -> Option<i64> {
    i64::try_from(text?.chars().count()).ok()
}

/// Symbols and integers as one symbol.
pub fn join(values: &[Option<Term>]) -> Option<Symbol> {
    let mut text = String::new();
    for value in values {
        match (*value)? {
            Term::Integer(integer) => text.push_str(&integer.to_string()),
            Term::Symbol(symbol) => text.push_str(symbol),
            Term::Compound(_) => return None,
        }
    }
    (text.len() <= 1 << 20).then(|| symbol(&text))
}

/// The characters from one on, counted from 0.
pub fn part(text: Option<Symbol>, start: Option<i64>, length: Option<i64>) -> Option<Symbol> {
    let text = text?;
    let start = usize::try_from(start?).ok()?;
    let length = usize::try_from(length?).ok()?;
    let part: String = text.chars().skip(start).take(length).collect();
    (text.chars().count() >= start.checked_add(length)?).then(|| symbol(&part))
}

/// A value that comparisons compute: no compound.
pub fn value(term: Option<Term>) -> Option<Term> {
    term.filter(|term| !matches!(term, Term::Compound(_)))
}

/// The order of two integers or two symbols.
pub fn order(a: Option<Term>, b: Option<Term>) -> Option<Ordering> {
    match (a?, b?) {
        (Term::Integer(a), Term::Integer(b)) => Some(a.cmp(&b)),
        (Term::Symbol(a), Term::Symbol(b)) => Some(a.cmp(b)),
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

pub fn count<C: Column>(firsts: &[C]) -> Option<i64> {
    i64::try_from(firsts.len()).ok()
}

fn total<C: Column>(firsts: &[C]) -> Option<i128> {
    firsts.iter().try_fold(0i128, |sum, first| Some(sum + i128::from((*first).into().integer()?)))
}

pub fn sum<C: Column>(firsts: &[C]) -> Option<i64> {
    total(firsts)?.try_into().ok()
}

pub fn average<C: Column>(firsts: &[C]) -> Option<i64> {
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
    order(Some((*first).into()), Some((*first).into()))?;
    rest.iter().try_fold(*first, |best, other| {
        let order = order(Some((*other).into()), Some(best.into()))?;
        Some(if order == wanted { *other } else { best })
    })
}

/// As rule files state terms.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Integer(integer) => integer.fmt(f),
            Term::Symbol("nil") => f.write_str("[]"),
            Term::Symbol(symbol) => write_name(f, symbol),
            Term::Compound(Compound { functor: "cons", args }) if args.len() == 2 => {
                write!(f, "[{}", args[0])?;
                let mut rest = args[1];
                while let Some([element, tail]) = parts(rest, "cons") {
                    write!(f, ", {element}")?;
                    rest = tail;
                }
                if rest == Term::Symbol("nil") { f.write_str("]") } else { write!(f, " | {rest}]") }
            }
            Term::Compound(compound) => {
                write_name(f, compound.functor)?;
                f.write_str("(")?;
                for (i, arg) in compound.args.iter().enumerate() {
                    write!(f, "{}{arg}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
    }
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
