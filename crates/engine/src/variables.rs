//! The variables of a clause, numbered.

use ludolog_syntax::ast::Name;
use rustc_hash::FxHashMap;

/// The names that are compared one by one, which is faster than to hash.
const FEW: usize = 16;

/// Names of variables, each with a number, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    names: Vec<Name>,
    /// The numbers of all but the first [`FEW`].
    others: FxHashMap<Name, usize>,
}

impl Variables {
    /// The number of a name; `None` if it is new.
    #[inline]
    pub fn number_of(&self, name: &Name) -> Option<usize> {
        let few = &self.names[..self.names.len().min(FEW)];
        // Most names are short and differ in their first letter, so that a call to compare them is rare.
        let initial = name.as_bytes().first();
        match few.iter().position(|other| other.as_bytes().first() == initial && other == name) {
            None if self.names.len() > FEW => self.others.get(name).copied(),
            found => found,
        }
    }

    /// The number of a name, which is added if it is new.
    pub fn number(&mut self, name: &Name) -> usize {
        self.number_of(name).unwrap_or_else(|| {
            let number = self.names.len();
            if number >= FEW {
                self.others.insert(name.clone(), number);
            }
            self.names.push(name.clone());
            number
        })
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_numbers_in_their_order_few_or_many() {
        let names: Vec<Name> = (0..3 * FEW).map(|i| format!("X{i}").into()).collect();
        let mut variables = Variables::default();
        for (number, name) in names.iter().enumerate() {
            assert_eq!(variables.number_of(name), None);
            assert_eq!(variables.number(name), number);
        }
        assert_eq!(variables.len(), names.len());
        for (number, name) in names.iter().enumerate() {
            assert_eq!((variables.number(name), variables.number_of(&name[..].into())), (number, Some(number)));
        }
    }
}
