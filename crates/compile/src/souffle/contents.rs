//! The contents of variables of terms: integers and symbols, which comparisons are of.
//!
//! Soufflé tests the conditions of a rule in an order of its own, so that it may look for the symbol of an integer before it has tested the
//! branch. A comparison takes the symbols of a variable of terms from a relation that has unpacked them:
//!
//! ```text
//! symbols_0(a, v_1) :- age(_, a), a = $Symbol(v_1).          late(x) :- age(x, a), symbols_0(a, v_2), v_2 > "m".
//! ```

use super::{INTEGER, SYMBOL, Type, Writer};
use crate::condition::{Condition, alternatives};
use crate::names::VariableNames;
use crate::sorts::RuleSorts;
use ludolog_logic::analysis::clause::{Clause, mentions};
use ludolog_syntax::ast::{Atom, Comparator, Name, Term};
use ludolog_syntax::diagnostic::Span;
use std::fmt::Write;

impl Writer<'_> {
    /// The variable for the content of a variable of terms, the same in the whole rule.
    fn content(&mut self, variable: &str, branch: &'static str) -> String {
        let key = (variable.to_owned(), branch);
        let known = self.contents.get(&key).cloned();
        let content = known.unwrap_or_else(|| self.fresh());
        self.contents.insert(key, content.clone());
        content
    }

    /// A condition that holds of a variable of terms and its content, and the variable for that, the same in the whole rule.
    pub(super) fn content_of(
        &mut self,
        variable: &Name,
        branch: &'static str,
        variables: &VariableNames,
    ) -> [String; 2] {
        let text = self.term(&Term::Variable(variable.clone()), Type::Term, variables, Span::NONE);
        let other = if branch == INTEGER { SYMBOL } else { INTEGER };
        // Soufflé takes a content for not grounded where the same term is unpacked as something else, or by another name.
        let is_told_twice = self.is_aliased || self.contents.contains_key(&(text.clone(), other));
        if is_told_twice && self.subgoals.iter().any(|atom| has_variable(atom, variable)) {
            return self.content_in_relation(variable, branch, variables);
        }
        let content = self.content(&text, branch);
        [format!("{text} = ${branch}({content})"), content]
    }

    /// The same by a relation that has unpacked what a subgoal knows of the variable, or else all conditions so far.
    pub(super) fn content_in_relation(
        &mut self,
        variable: &Name,
        branch: &'static str,
        variables: &VariableNames,
    ) -> [String; 2] {
        let key = (variable.clone(), branch);
        if let Some(known) = self.unpacked.get(&key) {
            return known.clone();
        }
        let text = self.term(&Term::Variable(variable.clone()), Type::Term, variables, Span::NONE);
        let mut body = match self.subgoals.iter().find(|atom| has_variable(atom, variable)).cloned() {
            Some(subgoal) => vec![self.atom(&subgoal, &VariableNames::from_iter([(variable.clone(), text.clone())]))],
            None => self.before.clone(),
        };
        let [name, column] = if branch == INTEGER { ["integers", "number"] } else { ["symbols", "symbol"] };
        let relation = loop {
            let name = format!("{name}_{}", self.relations);
            self.relations += 1;
            if !self.names.values().any(|other| *other == name) {
                break name;
            }
        };
        let content = self.fresh();
        body.push(format!("{text} = ${branch}({content})"));
        let rule = crate::rule_text(&format!("{relation}({text}, {content})"), &body);
        let _ = write!(self.out, ".decl {relation}(x0: Term, x1: {column}) no_inline\n{rule}");
        let content = self.fresh();
        let known = [format!("{relation}({text}, {content})"), content];
        self.unpacked.insert(key, known.clone());
        known
    }
}

fn has_variable(atom: &Atom, variable: &Name) -> bool {
    atom.args.iter().any(|arg| mentions(arg, variable))
}

/// Whether a rule says of two variables for terms that they are the same.
pub(super) fn is_aliased(rule: &Clause, sorts: RuleSorts) -> bool {
    let is_term = |term: &Term| matches!(term, Term::Variable(_)) && Type::of(sorts.term(term)) == Type::Term;
    let is_alias = |condition: &Condition| match condition {
        Condition::Same(left, right) | Condition::Related(Comparator::Equal, left, right, _) => {
            is_term(left) && is_term(right)
        }
        _ => false,
    };
    let found = rule.body.iter().filter_map(|literal| alternatives(literal, sorts).ok());
    found.flatten().flatten().any(|condition| is_alias(&condition))
}
