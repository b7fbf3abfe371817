//! Total orders that facts define: `above(A, B)` says that `A` is better than `B`.
//!
//! The values are those of the facts, and the order is the transitive closure of these. It is numbered as a graph is
//! sorted (A. B. Kahn, *Topological sorting of large networks*, 1962): the best value is the one that nothing is better
//! than, then comes the best of the others. Two values that could come next are not ordered, and where none can, there is
//! a cycle. Linear in the number of facts.

use crate::value::{Interner, Value};
use ludolog_syntax::budget::{Budget, OrderFault, Poll, Stopped};
use rustc_hash::FxHashMap;

/// Facts between two checks of the budget.
const POLL_EVERY: u32 = 1024;

/// Values by their positions in a total order, the best at 0.
#[derive(Debug, Default)]
pub struct TotalOrder {
    positions: FxHashMap<Value, usize>,
}

impl TotalOrder {
    /// The order that pairs of a better and a worse value define; the fault if it is none.
    ///
    /// # Errors
    ///
    /// [`Stopped`], when the budget ends.
    pub fn of(
        pairs: &[[Value; 2]],
        interner: &Interner,
        budget: &Budget,
    ) -> Result<Result<TotalOrder, OrderFault>, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        let mut values = Values::default();
        for &[better, worse] in pairs {
            poll.step()?;
            let [better, worse] = [better, worse].map(|value| values.number(value));
            values.worse[better].push(worse);
            values.better[worse].push(better);
        }
        let mut open: Vec<usize> = values.better.iter().map(Vec::len).collect();
        let mut positions = FxHashMap::default();
        let mut ready: Vec<usize> = (0..open.len()).filter(|&value| open[value] == 0).collect();
        while positions.len() < open.len() {
            let &[value] = &ready[..] else { return Ok(Err(values.fault(&ready, &open, interner))) };
            ready.clear();
            positions.insert(values.list[value], positions.len());
            for &worse in &values.worse[value] {
                poll.step()?;
                open[worse] -= 1;
                if open[worse] == 0 {
                    ready.push(worse);
                }
            }
        }
        Ok(Ok(TotalOrder { positions }))
    }

    /// The position of a value; `None` if the order does not mention it.
    pub fn position(&self, value: Value) -> Option<usize> {
        self.positions.get(&value).copied()
    }
}

/// The values of an order by number, with those that facts say to be better and worse.
#[derive(Default)]
struct Values {
    numbers: FxHashMap<Value, usize>,
    list: Vec<Value>,
    better: Vec<Vec<usize>>,
    worse: Vec<Vec<usize>>,
}

impl Values {
    fn number(&mut self, value: Value) -> usize {
        let number = *self.numbers.entry(value).or_insert(self.list.len());
        if number == self.list.len() {
            self.list.push(value);
            self.better.push(Vec::new());
            self.worse.push(Vec::new());
        }
        number
    }

    /// The reason for which none of the values left is the best of them: the least two of those that nothing left is
    /// better than, or a cycle that leads up from the least value. `open` counts the better values that are left.
    fn fault(&self, ready: &[usize], open: &[usize], interner: &Interner) -> OrderFault {
        let compare = |a: &usize, b: &usize| interner.compare(self.list[*a], self.list[*b]);
        let term = |&value: &usize| interner.term(self.list[value]);
        let mut ready = ready.to_vec();
        ready.sort_unstable_by(compare);
        if let [first, second, ..] = &ready[..] {
            return OrderFault::Unrelated(Box::new([term(first), term(second)]));
        }
        let is_left = |value: &usize| open[*value] > 0;
        let mut path = Vec::new();
        let mut places = FxHashMap::default();
        let mut next = (0..open.len()).filter(is_left).min_by(compare);
        while let Some(value) = next {
            if let Some(start) = places.insert(value, path.len()) {
                path.drain(..start);
                break;
            }
            path.push(value);
            next = self.better[value].iter().copied().filter(is_left).min_by(compare);
        }
        path.reverse();
        let first = (0..path.len()).min_by(|a, b| compare(&path[*a], &path[*b])).unwrap_or(0);
        path.rotate_left(first);
        OrderFault::Cycle(path.iter().map(term).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludolog_syntax::ast::Term;

    /// The values of `text`, a letter each, from the best on, by facts of two letters; or the fault.
    fn order(facts: &str) -> Result<String, OrderFault> {
        let mut interner = Interner::new();
        let letters: Vec<Value> =
            ('a'..='f').map(|letter| interner.ground(&Term::symbol(&letter.to_string()))).collect();
        let letter = |byte: u8| letters[usize::from(byte - b'a')];
        let pairs: Vec<[Value; 2]> =
            facts.split_whitespace().map(|fact| [0, 1].map(|at| letter(fact.as_bytes()[at]))).collect();
        let order = TotalOrder::of(&pairs, &interner, &Budget::unlimited()).expect("there is no limit")?;
        let mut mentioned: Vec<char> = ('a'..='f').filter(|&one| order.position(letter(one as u8)).is_some()).collect();
        mentioned.sort_by_key(|&one| order.position(letter(one as u8)));
        Ok(mentioned.into_iter().collect())
    }

    fn letters(text: &str) -> Vec<Term> {
        text.chars().map(|letter| Term::symbol(&letter.to_string())).collect()
    }

    #[test]
    fn chains_are_numbered_and_others_told() {
        assert_eq!(order("ba cb"), Ok("cba".to_owned()));
        assert_eq!(order("ab ac bc bd cd ad"), Ok("abcd".to_owned()));
        assert_eq!(order(""), Ok(String::new()));
        let unrelated = |a: &str| Err(OrderFault::Unrelated(Box::new(letters(a).try_into().expect("two letters"))));
        assert_eq!(order("ad ac"), unrelated("cd"));
        assert_eq!(order("fe ba"), unrelated("bf"));
        assert_eq!(order("aa"), Err(OrderFault::Cycle(letters("a"))));
        assert_eq!(order("fc cd da ac ab"), Err(OrderFault::Cycle(letters("acd"))));
        // What follows from a cycle is not on it.
        assert_eq!(order("ba cb bc"), Err(OrderFault::Cycle(letters("bc"))));
    }
}
