//! Constraints: conditions of rule files that must never hold, asked of the case that a command has loaded.

use super::case::{CaseArgs, LoadedCase};
use super::{Failure, show};

/// Asks all constraints of a program, and warns of those of which it is undefined whether they are broken.
///
/// # Errors
///
/// Those that are broken, with their places, or the reason why this is not known.
pub fn check(loaded: &mut LoadedCase, args: &CaseArgs) -> Result<(), Failure> {
    let broken = loaded.session.broken_constraints();
    let broken = broken.cloned().map_err(|stopped| args.explain(&loaded.session, &stopped, None))?;
    if broken.has_errors() {
        return Err(Failure::Diagnostics(Box::new(loaded.session.sources().clone()), broken));
    }
    show(loaded.session.sources(), &broken);
    Ok(())
}
