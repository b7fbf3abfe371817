//! GroundProgram programs: atoms and rules by number.

/// An atom of a ground program, by number.
pub type AtomNumber = u32;

/// A rule of a ground program, by number.
pub type RuleNumber = u32;

/// A ground program. Each atom is the head of a rule, and follows from the rules if all negative literals are left out.
#[derive(Default)]
pub struct GroundProgram {
    /// The number of atoms.
    pub atoms: usize,
    /// By rule: its head.
    pub heads: Vec<AtomNumber>,
    /// By rule: the number of its literals, those included that are never true.
    pub literals: Vec<u32>,
    /// The positive literals, each with its rule.
    pub positive: Vec<(AtomNumber, RuleNumber)>,
    /// The negative literals, each with its rule.
    pub negative: Vec<(AtomNumber, RuleNumber)>,
}

impl GroundProgram {
    /// Adds a rule without literals.
    pub fn rule(&mut self, head: AtomNumber) -> RuleNumber {
        self.heads.push(head);
        self.literals.push(0);
        (self.heads.len() - 1) as RuleNumber
    }

    /// Adds a positive literal to a rule.
    pub fn add_positive(&mut self, rule: RuleNumber, atom: AtomNumber) {
        self.literals[rule as usize] += 1;
        self.positive.push((atom, rule));
    }

    /// Adds a negative literal to a rule.
    pub fn add_negative(&mut self, rule: RuleNumber, atom: AtomNumber) {
        self.literals[rule as usize] += 1;
        self.negative.push((atom, rule));
    }

    /// Adds a literal that is never true and never false to a rule.
    pub fn add_undefined(&mut self, rule: RuleNumber) {
        self.literals[rule as usize] += 1;
    }
}

/// Numbers by atom, those of each atom one after the other.
pub struct Grouped {
    /// By atom: where its numbers end.
    ends: Vec<u32>,
    numbers: Vec<u32>,
}

impl Grouped {
    /// Groups pairs of an atom and a number, in O(atoms + pairs).
    pub fn new(atoms: usize, pairs: impl Iterator<Item = (AtomNumber, u32)> + Clone) -> Self {
        let mut ends = vec![0u32; atoms];
        pairs.clone().for_each(|(atom, _)| ends[atom as usize] += 1);
        let mut sum = 0;
        for end in &mut ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        let mut numbers = vec![0; sum as usize];
        for (atom, number) in pairs {
            let end = &mut ends[atom as usize];
            numbers[*end as usize] = number;
            *end += 1;
        }
        Self { ends, numbers }
    }

    /// The numbers of an atom.
    #[inline]
    pub fn of(&self, atom: AtomNumber) -> &[u32] {
        let start = if atom == 0 { 0 } else { self.ends[atom as usize - 1] };
        &self.numbers[start as usize..self.ends[atom as usize] as usize]
    }
}
