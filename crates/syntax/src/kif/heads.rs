//! Heads of rules: atoms, of which a column may be one of a lattice.

use super::grammar::Rule as G;
use super::{KifForm, KifReader, KifResult};
use crate::ast::{Join, Lattice, Rule};
use crate::diagnostic::{Code, Diagnostic, Replacement, Span};
use crate::{aggregate, name};

/// The advice for a rule that begins with another arrow.
const BEGIN_BY_ARROW: &str = "did you mean `<=`? A rule is written `(<= (head …) (condition …) …)`";

/// The advice for a rule whose head is last.
const HEAD_FIRST: &str = "the head comes first: a rule is written `(<= (head …) (condition …) …)`";

impl KifReader<'_> {
    /// Reads a head, as a rule without conditions.
    pub(super) fn head(&mut self, form: KifForm) -> KifResult<Rule> {
        if let Some(word) = self.keyword(&form) {
            if self.is_arrow(word, &form) {
                return Err(self.foreign_arrow(&form, word));
            }
            if let Some(rest) = name::behind_arrow(word).filter(|rest| self.is_like_rule(&form, rest)) {
                return Err(if rest.is_empty() {
                    self.foreign_arrow(&form, word)
                } else {
                    self.joined_arrow(&form, rest)
                });
            }
        }
        if let Some(word @ ("<=" | "==>" | "?-" | "not" | "and" | "or" | "distinct")) =
            self.keyword(&form).map(str::to_ascii_lowercase).as_deref()
            && !(word == "<=" && form.clone().into_inner().count() == 3)
        {
            if word == "or" {
                return Err(self.error(&form, "a head is one atom, without alternatives", "a disjunction").help(
                    "a rule that may derive one of several facts chooses: `(<= (color ?x ?c) (node ?x) (shade ?c) (choice (: ?x) (: ?c)))`",
                ));
            }
            let wrong = Diagnostic::error(Code::MisusedKeyword, format!("`{word}` cannot be defined"))
                .at(self.span(&form), "a fact or head must be an atom")
                .help(format!("if it is meant as a predicate's name, quote it: `|{word}|`"));
            let first = form.into_inner().next().map(|first| self.span(&first));
            return Err(match first {
                Some(first) => wrong.replacement(first, format!("|{word}|")),
                None => wrong,
            });
        }
        let quoted = form.clone().into_inner().next().is_some_and(|first| first.as_rule() == G::bar_quoted);
        let lattice = self.lattice(&form)?;
        let atom = match &lattice {
            Some(_) => self.atom_of(form, |reader, part| match reader.best(&part)? {
                Some((_, value)) => reader.term(value),
                None => reader.term(part),
            })?,
            None => self.atom(form)?,
        };
        self.own.note(&atom, quoted);
        Ok(Rule { head: atom, body: Vec::new(), lattice })
    }

    /// Whether a form is a rule that begins with an arrow of another language.
    fn is_arrow(&self, word: &str, form: &KifForm) -> bool {
        name::FOREIGN_ARROWS.contains(&word) && form.clone().into_inner().skip(1).any(|part| part.as_rule() == G::list)
    }

    /// Whether what stands in a form is that of a rule of a game: a head that only games have, or a condition of theirs. `rest` is what stands behind
    /// the arrow in the first word. The printer quotes what would be taken for one.
    fn is_like_rule(&self, form: &KifForm, rest: &str) -> bool {
        let mut parts = form.clone().into_inner().skip(1);
        let Some(first) = parts.next() else { return false };
        let begins_by = |part: &KifForm, words: &[&str]| {
            self.keyword(part).is_some_and(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
        };
        let mut conditions = parts.peekable();
        name::is_terminal(rest, Some(first.as_str()).filter(|_| first.as_rule() == G::word))
            || conditions.peek().is_some() && begins_by(&first, &name::GAME_HEADS)
            || conditions.any(|part| begins_by(&part, &name::GAME_CONDITIONS))
    }

    /// What is told of a rule whose arrow and next word stand as one; `rest` is what stands behind the arrow.
    fn joined_arrow(&self, rule: &KifForm, rest: &str) -> Diagnostic {
        let mut parts = rule.clone().into_inner();
        let [first, second] = std::array::from_fn(|_| parts.next());
        let place = first.map_or(self.span(rule), |first| self.span(&first));
        let wrong = Diagnostic::error(Code::Syntax, format!("`<={rest}` begins no rule in `.kif`"))
            .at(place, "a rule begins with `<=`");
        let broken =
            second.filter(|second| !name::is_terminal(rest, None) && name::is_terminal(rest, Some(second.as_str())));
        let (place, head) = match broken {
            Some(second) => (Span { end: self.span(&second).end, ..place }, "terminal"),
            None => (place, rest),
        };
        let meant = format!("<= {head}");
        wrong.help(format!("did you mean `{meant}`, with a blank behind the arrow?")).replacement(place, meant)
    }

    /// What is told of a rule that begins with the arrow of another language. Behind one that points from conditions to the head, the head
    /// is last.
    fn foreign_arrow(&self, rule: &KifForm, arrow: &str) -> Diagnostic {
        let mut parts = rule.clone().into_inner();
        let [first, left, right, more] = std::array::from_fn(|_| parts.next());
        let place = first.map_or(self.span(rule), |first| self.span(&first));
        let wrong = Diagnostic::error(Code::Syntax, format!("`{arrow}` begins no rule in `.kif`"))
            .at(place, "a rule begins with `<=`");
        let here = Replacement::new(place, "<=");
        match (left, right, more) {
            _ if matches!(arrow, ":-" | "<-" | "←") => wrong.help(BEGIN_BY_ARROW).repair(vec![here]).certain(),
            _ if !matches!(arrow, "=>" | "->") => wrong.help(BEGIN_BY_ARROW).repair(vec![here]),
            (Some(body), Some(head), None) if self.may_be_head(&head) => {
                let exchanged = [(&body, &head), (&head, &body)];
                let exchanged = exchanged.map(|(part, other)| Replacement::new(self.span(part), other.as_str()));
                wrong.help(HEAD_FIRST).repair([here].into_iter().chain(exchanged).collect())
            }
            (Some(head), Some(_), None) if self.may_be_head(&head) => wrong.help(BEGIN_BY_ARROW).repair(vec![here]),
            _ => wrong.help(HEAD_FIRST),
        }
    }

    /// Whether a form may be the head of a rule, and not only a condition.
    fn may_be_head(&self, form: &KifForm) -> bool {
        let word = self.keyword(form).map(str::to_ascii_lowercase);
        !matches!(word.as_deref(), Some("not" | "and" | "or" | "distinct" | "true" | "does"))
    }

    /// The lattice column of a head.
    fn lattice(&self, head: &KifForm) -> KifResult<Option<Lattice>> {
        let mut lattice = None;
        for (column, part) in head.clone().into_inner().skip(1).enumerate() {
            let Some((join, _)) = self.best(&part)? else { continue };
            if lattice.is_some() {
                return Err(aggregate::second_best(self.span(&part)));
            }
            lattice = Some(Lattice { column, join });
        }
        Ok(lattice)
    }

    /// Join and value of `(min (: ?d))` or `(best above (: ?v))`, an argument of a head; `None` for any other form, an
    /// aggregate with conditions among them.
    fn best<'i>(&self, form: &KifForm<'i>) -> KifResult<Option<(Join, KifForm<'i>)>> {
        let mut parts = form.clone().into_inner().skip(1);
        let first = parts.next();
        let (join, template) = match (self.aggregate_function(form), first, parts.next()) {
            (Some(function), Some(template), None) => {
                aggregate::check_joins(function, self.span(form))?;
                (Join::Function(function), template)
            }
            (None, Some(order), Some(template)) if self.has_order(form) => {
                (Join::by(self.predicate(&order)?, self.span(&order)), template)
            }
            _ => return Ok(None),
        };
        let mut values = template.into_inner().skip(1);
        match (values.next(), values.next()) {
            (Some(value), None) => Ok(Some((join, value))),
            _ => Err(self
                .error(form, "a lattice column has one value", "not so here")
                .help("write `(<= (dist ?y (min (: ?d))) …)`; conditions stand in the body of the rule")),
        }
    }

    /// Whether a form is `(best above (: ?v))`.
    pub(super) fn has_order(&self, form: &KifForm) -> bool {
        let mut parts = form.clone().into_inner().skip(2);
        let is_named = self.keyword(form).is_some_and(|word| word.eq_ignore_ascii_case(Join::BEST));
        let is_template = parts.next().is_some_and(|part| self.keyword(&part) == Some(name::TEMPLATE));
        is_named && is_template && parts.next().is_none()
    }
}
