//! Stub.
use crate::translatable::Translatable;
use crate::{Refusals, Translation};

pub(crate) fn translate(_program: &Translatable, _refusals: &mut Refusals) -> Translation {
    Translation { files: Vec::new(), names: Default::default() }
}
