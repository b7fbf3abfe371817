//! Recursion that builds ever larger terms.

use super::clause::CheckedProgram;
use crate::diagnostic::Diagnostic;

/// Reports rules whose repeated use never ends.
pub(super) fn check(_program: &CheckedProgram, _found: &mut Vec<Diagnostic>) {}
