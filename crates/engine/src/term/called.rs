//! Templates that call functions in Rust: out of the loops that compute with numbers. Their values are any terms.

use super::Template;
use crate::value::{Interner, Value};
use ludolog_syntax::ast::{Operation, Term};

impl Template {
    /// The term that a called function has of the values of its arguments; `None` if it has none, or if an argument has none.
    #[cold]
    #[inline(never)]
    pub(super) fn called(&self, slots: &[Value], interner: &Interner) -> Option<Term> {
        let Template::Called(computation) = self else { return None };
        let Operation::Called(function) = computation.operation else { return None };
        let parts = computation.parts.iter();
        let arguments: Option<Vec<Term>> = parts.map(|part| part.computed_term(slots, interner)).collect();
        function.call(&arguments?)
    }

    /// The term that the template is, builds or computes; `None` if it computes none, or an integer that does not fit 64 bits.
    pub(super) fn computed_term(&self, slots: &[Value], interner: &Interner) -> Option<Term> {
        let known = |value: Value| interner.as_beyond(value).is_none().then(|| interner.term(value));
        match self {
            Template::Constant(value) => known(*value),
            Template::Slot(slot) => known(slots[*slot as usize]),
            Template::Called(..) => self.called(slots, interner),
            Template::Compound(functor, parts) => {
                let (name, _) = interner.functor_name(*functor);
                let parts: Option<_> = parts.iter().map(|part| part.computed_term(slots, interner)).collect();
                Some(Term::Compound(name.clone(), parts?))
            }
            Template::Text(..) => self.symbol(slots, interner).map(|text| Term::symbol(&text)),
            Template::Compute(..) | Template::Float(..) => match self.integer(slots, interner) {
                Some(integer) => Some(Term::Integer(integer)),
                None => self.float(slots, interner).map(Term::Float),
            },
        }
    }
}
