//! Blocks of lanes, and the loops over them that the processor's vector instructions run.
//!
//! Each function is compiled three times: for any processor, for those with AVX2, and for those with AVX-512, which are
//! asked for when the program runs. This module alone has unsafe code: slots are read and written without bounds checks,
//! which would take as long as the gates do.
#![allow(unsafe_code)]

use crate::bits::ones;
use crate::program::{Closing, GateOperation, Instructions, Port, SLOT_STRIDE, Segment};
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// `64·N` lanes, one bit each. Eight words are one vector of AVX-512, which is read at once if it does not cross a line of
/// the cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Block<const N: usize>(pub [u64; N]);

impl<const N: usize> Block<N> {
    /// No lane.
    pub const NONE: Block<N> = Block([0; N]);

    /// All lanes.
    pub const ALL: Block<N> = Block([u64::MAX; N]);

    /// The number of lanes.
    pub const LANES: usize = 64 * N;

    #[inline(always)]
    fn zip(self, other: Block<N>, f: impl Fn(u64, u64) -> u64) -> Block<N> {
        let mut result = self;
        for i in 0..N {
            result.0[i] = f(self.0[i], other.0[i]);
        }
        result
    }

    /// These lanes without others.
    #[inline(always)]
    pub fn without(self, other: Block<N>) -> Block<N> {
        self.zip(other, |a, b| a & !b)
    }

    /// The lanes, or the other ones if `complemented`.
    #[inline(always)]
    pub fn complemented(self, complemented: bool) -> Block<N> {
        if complemented { !self } else { self }
    }

    /// Whether there is no lane.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// The number of lanes.
    #[inline(always)]
    pub fn count(self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Whether a lane is among them.
    pub fn contains(&self, lane: usize) -> bool {
        self.0[lane / 64] >> (lane % 64) & 1 == 1
    }

    /// Adds a lane.
    pub fn insert(&mut self, lane: usize) {
        self.0[lane / 64] |= 1 << (lane % 64);
    }

    /// Adds or removes a lane.
    #[inline]
    pub fn set(&mut self, lane: usize, is_in: bool) {
        let word = &mut self.0[lane / 64];
        *word = *word & !(1 << (lane % 64)) | u64::from(is_in) << (lane % 64);
    }

    /// The numbers of the lanes, ascending.
    pub fn lanes(&self) -> impl Iterator<Item = usize> {
        ones(&self.0)
    }
}

impl<const N: usize> PartialEq for Block<N> {
    /// Whether both have the same lanes: what is derived calls a function that compares bytes.
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        (*self ^ *other).is_none()
    }
}

impl<const N: usize> Eq for Block<N> {}

impl<const N: usize> BitAnd for Block<N> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const N: usize> BitOr for Block<N> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const N: usize> BitXor for Block<N> {
    type Output = Self;

    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

impl<const N: usize> Not for Block<N> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        self.zip(self, |a, _| !a)
    }
}

/// Runs a program on slots, with the widest instructions that the processor has. Not inlined: rounds of lanes run several
/// programs each, and are compiled for several widths and instruction sets themselves.
///
/// # Panics
///
/// When there are fewer slots than the program needs.
pub fn run<const N: usize>(program: &Instructions, slots: &mut [Block<N>]) {
    assert!(slots.len() >= program.slots(), "too few slots for the program");
    widest(ProgramRun { program, slots });
}

/// A program and its slots, of which there are enough.
struct ProgramRun<'r, const N: usize> {
    program: &'r Instructions,
    slots: &'r mut [Block<N>],
}

impl<const N: usize> KernelWork for ProgramRun<'_, N> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for part in self.program.parts() {
            match part {
                Segment::Run(operation, code) => run_gates(*operation, &self.program.code()[code.clone()], self.slots),
                Segment::Close(closing) => close(closing, self.slots),
            }
        }
    }
}

/// Runs gates of one operation one after the other.
#[inline(always)]
fn run_gates<const N: usize>(operation: GateOperation, code: &[u32], slots: &mut [Block<N>]) {
    match operation {
        GateOperation::And => each_of_two(code, slots, |a, b| a & b),
        GateOperation::Or => each_of_two(code, slots, |a, b| a | b),
        GateOperation::Without => each_of_two(code, slots, |a, b| !a & b),
        GateOperation::Xor => each_of_two(code, slots, |a, b| a ^ b),
        GateOperation::AndAnd => each_of_three(code, slots, |a, b, c| a & b & c),
        GateOperation::OrOr => each_of_three(code, slots, |a, b, c| a | b | c),
        GateOperation::XorXor => each_of_three(code, slots, |a, b, c| a ^ b ^ c),
        GateOperation::OrAnd => each_of_three(code, slots, |a, b, c| (a | b) & c),
        GateOperation::AndOr => each_of_three(code, slots, |a, b, c| a & b | c),
        GateOperation::AndWithout => each_of_three(code, slots, |a, b, c| !a & b & c),
        GateOperation::OrWithout => each_of_three(code, slots, |a, b, c| !(a | b) & c),
    }
}

/// Finds the least solution of a closure in all lanes: members in their order forward and backward, as long as there
/// are some that read what has changed. Each uses what those before it have found, so that a chain takes a sweep more
/// only where it turns against the order.
#[inline(always)]
fn close<const N: usize>(closing: &Closing, slots: &mut [Block<N>]) {
    let mut closing =
        Closed { closing, slots: slots.as_mut_ptr(), open: vec![0; closing.members().len().div_ceil(64)] };
    for (number, member) in closing.closing.members().iter().enumerate() {
        closing.write(member.slot, closing.port(member.base));
        closing.open[number / 64] |= 1 << (number % 64);
    }
    while closing.open.iter().any(|&open| open != 0) {
        for word in 0..closing.open.len() {
            let mut ahead = u64::MAX;
            while closing.open[word] & ahead != 0 {
                let bit = (closing.open[word] & ahead).trailing_zeros();
                ahead = u64::MAX << bit << 1;
                closing.settle(word, bit);
            }
        }
        for word in (0..closing.open.len()).rev() {
            let mut ahead = u64::MAX;
            while closing.open[word] & ahead != 0 {
                let bit = 63 - (closing.open[word] & ahead).leading_zeros();
                ahead = (1 << bit) - 1;
                closing.settle(word, bit);
            }
        }
    }
}

/// A closure on its way to the least solution, in slots that `run` has seen to be enough.
struct Closed<'c, const N: usize> {
    closing: &'c Closing,
    slots: *mut Block<N>,
    /// The members to look at, a bit each.
    open: Vec<u64>,
}

impl<'c, const N: usize> Closed<'c, N> {
    #[inline(always)]
    fn slot(&self, slot: u32) -> Block<N> {
        // SAFETY: a program counts the slots that its closures name, and `run` has seen that there are as many.
        unsafe { *self.slots.add(slot as usize) }
    }

    #[inline(always)]
    fn write(&self, slot: u32, value: Block<N>) {
        // SAFETY: as above.
        unsafe { *self.slots.add(slot as usize) = value }
    }

    #[inline(always)]
    fn port(&self, port: Port) -> Block<N> {
        let complement = 0u64.wrapping_sub(u64::from(port.complemented));
        let mut value = self.slot(port.slot);
        value.0.iter_mut().for_each(|word| *word ^= complement);
        value
    }

    /// Looks at a member, and opens those that read it if it changes.
    #[inline(always)]
    fn settle(&mut self, word: usize, bit: u32) {
        self.open[word] &= !(1 << bit);
        let closing: &'c Closing = self.closing;
        let member = &closing.members()[64 * word + bit as usize];
        let before = self.slot(member.slot);
        let mut now = before;
        for step in &closing.steps()[member.steps.clone()] {
            let mut leads = self.port(step.guard);
            for list in &closing.lists()[step.any.clone()] {
                let mut any = Block::NONE;
                for &slot in &closing.slots()[list.clone()] {
                    any = any | self.slot(slot);
                }
                leads = leads & any;
            }
            now = now | leads;
        }
        if now != before {
            self.write(member.slot, now);
            for &reader in &member.readers {
                self.open[reader as usize / 64] |= 1 << (reader % 64);
            }
        }
    }
}

/// The slot that code names, without regard to how many there are.
#[inline(always)]
fn slot_at<const N: usize>(start: *mut Block<N>, scaled: u32) -> *mut Block<N> {
    start.wrapping_byte_add(scaled as usize * (size_of::<Block<N>>() / SLOT_STRIDE as usize))
}

#[inline(always)]
fn each_of_two<const N: usize>(code: &[u32], slots: &mut [Block<N>], f: impl Fn(u64, u64) -> u64) {
    let start = slots.as_mut_ptr();
    for &[a, b, result] in code.as_chunks().0 {
        // SAFETY: a program counts the slots that its code names, and `run` has seen that there are as many.
        unsafe {
            let first = (*slot_at(start, a)).0;
            let second = (*slot_at(start, b)).0;
            // Words are written, not blocks: what is between blocks of few words is not copied.
            (*slot_at(start, result)).0 = std::array::from_fn(|i| f(first[i], second[i]));
        }
    }
}

#[inline(always)]
fn each_of_three<const N: usize>(code: &[u32], slots: &mut [Block<N>], f: impl Fn(u64, u64, u64) -> u64) {
    let start = slots.as_mut_ptr();
    for &[a, b, c, result] in code.as_chunks().0 {
        // SAFETY: as above.
        unsafe {
            let first = (*slot_at(start, a)).0;
            let second = (*slot_at(start, b)).0;
            let third = (*slot_at(start, c)).0;
            (*slot_at(start, result)).0 = std::array::from_fn(|i| f(first[i], second[i], third[i]));
        }
    }
}

/// Work that is compiled for several instruction sets. All of it has to be `#[inline(always)]`.
pub trait KernelWork {
    /// The result.
    type Output;

    /// Does the work.
    fn work(self) -> Self::Output;
}

/// Does work with the widest instructions that the processor has.
pub fn widest<W: KernelWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if has_avx512() {
            // SAFETY: the processor has what is asked for.
            return unsafe { avx512(work) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { avx2(work) };
        }
    }
    work.work()
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    std::arch::is_x86_feature_detected!("avx512f") && std::arch::is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl")]
fn avx512<W: KernelWork>(work: W) -> W::Output {
    work.work()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<W: KernelWork>(work: W) -> W::Output {
    work.work()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::GateGraph;
    use crate::program::Scheduler;

    /// What a program makes of slots by all instruction sets that the processor has.
    fn by_all_sets<const N: usize>(program: &Instructions, slots: &[Block<N>]) -> Vec<Vec<Block<N>>> {
        let by = |run: &dyn Fn(ProgramRun<'_, N>)| {
            let mut slots = slots.to_vec();
            run(ProgramRun { program, slots: &mut slots });
            slots
        };
        let mut done = vec![by(&|program| program.work()), by(&|program| widest(program))];
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            done.push(by(&|program| unsafe { avx2(program) }));
        }
        done
    }

    #[test]
    fn instructions_mean_what_gates_mean() {
        check_meaning::<1>();
        check_meaning::<4>();
        check_meaning::<8>();
        check_meaning::<16>();
    }

    /// All instructions give the same, and what the gates mean.
    fn check_meaning<const N: usize>() {
        let mut graph = GateGraph::default();
        let a = graph.input();
        let b = graph.input();
        let c = graph.input();
        let both = graph.and(a, !b);
        let either = graph.or(b, c);
        let roots = [both, either, graph.xor(both, either), graph.or(!both, !c), graph.and(!a, !c)];
        let mut scheduler = Scheduler::new(&graph, roots);
        let program = scheduler.program(&roots);
        let mut slots = vec![Block::NONE; scheduler.slots()];
        // Each combination of inputs in a lane of its own, in each word.
        for (place, signal) in [a, b, c].into_iter().enumerate() {
            let word = (0..8).filter(|row| row >> place & 1 == 1).fold(0u64, |word, row| word | 1 << row);
            slots[scheduler.port(signal).slot as usize] = Block([word; N]);
        }
        let done = by_all_sets(&program, &slots);
        let meaning = |a: bool, b: bool, c: bool| {
            let both = a && !b;
            let either = b || c;
            [both, either, both != either, !both || !c, !a && !c]
        };
        for row in 0..8 {
            let expected = meaning(row & 1 == 1, row >> 1 & 1 == 1, row >> 2 & 1 == 1);
            for (root, expected) in roots.iter().zip(expected) {
                let port = scheduler.port(*root);
                for slots in &done {
                    let first = slots[port.slot as usize].contains(row) != port.complemented;
                    let last = slots[port.slot as usize].contains(64 * (N - 1) + row) != port.complemented;
                    assert_eq!((first, last), (expected, expected), "row {row} of the first word and of the last");
                }
            }
        }
    }
}
