//! Recursion that never ends, because it builds ever larger terms or counts without a bound.
//!
//! Inside one recursive component, values travel from the argument positions of recursive subgoals to those of heads. This
//! is drawn as a graph of positions (`flow`): an edge says that a term may grow by so many levels on its way, or that a
//! number is computed from it. What a literal outside the component binds comes from a finite relation and makes no
//! edge. If no cycle of the graph grows, then all terms are of bounded depth over finitely many symbols and integers,
//! and bottom-up evaluation ends; this is weak acyclicity as data exchange knows it (R. Fagin, P. Kolaitis, R. Miller,
//! L. Popa: *Data exchange: semantics and query answering*, 2005), refined by the depth of terms.
//!
//! A lattice column keeps one value, so no edge leads to it. Whether that value gets better for ever depends on the data;
//! the limits of a run hold then.
//!
//! More reasons to end are seen: a counter that is compared with a bound in the direction that it moves, which also bounds how
//! often whatever else the rule computes is computed (`count`), also where the rule takes the number from a finite relation or a
//! range and counts down to its subgoals; a list that only takes what it does not have
//! (`~member(D, V)`); and GDL's own recursion restriction (N. Love et al., *Game
//! Description Language Specification*, 2008, definition of the recursion restriction): each argument of a recursive
//! subgoal is ground, or an argument of the head, or in a literal outside the component.
//!
//! In a program with roles it is a warning only: GDL systems derive what is asked for and no more, so that they play
//! rulesheets of which not all relations are finite, and so does the crate `ludolog-game`. Such a program is also warned of
//! recursion that ends and all the same breaks the recursion restriction: other systems may rely on it.
//!
//! A position proved bounded makes what flows from it bounded, so the graph is drawn again until nothing changes. Cost: a
//! round is linear in the rules, but for components in which terms both grow and shrink (Bellman and Ford's algorithm).

mod check;
mod count;
mod flow;
mod guard;

pub(super) use check::check;
