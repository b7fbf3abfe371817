//! Reading `.kif`: GDL's parenthesized forms (grammar in `grammar/kif.pest`).
//!
//! The grammar yields plain nested forms; their meaning depends on their position and is settled here. A comparator
//! such as `<` compares only as a condition, with two arguments, and in a file that defines no such predicate itself:
//! there are rulesheets that begin with `(< 1 2)`.

use self::comparators::{OwnComparators, comparator};
use self::grammar::{KifGrammar, Rule as G};
use super::aggregate::{self, ValueVariables};
use super::ast::*;
use super::spelling::Spellings;
use super::split::{self, Piece};
use super::{Parsed, Syntax, read_pieces};
use super::{directive, foreign, name};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Replacement, SourceId, Span};
use pest::Parser;
use pest::error::InputLocation;
use pest::iterators::Pair;

mod comparators;
mod computed;
mod heads;
mod words;

pub(super) use comparators::spelling;
pub(super) use words::words;

/// The parser that pest derives from the grammar.
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/quote.pest"]
    #[grammar = "../grammar/kif.pest"]
    pub struct KifGrammar;
}

type KifForm<'i> = Pair<'i, G>;
type KifResult<T> = Result<T, Diagnostic>;

/// Reads a whole file.
pub(super) fn parse(text: &str, source: SourceId, budget: &Budget) -> Result<Parsed, Stopped> {
    let mut pieces = split::split_within(text, source, Syntax::Kif, budget)?;
    if let Some(infix) = foreign::infix(&pieces.list, source) {
        return Ok(Parsed { program: Program::default(), diagnostics: infix.into() });
    }
    let infix = foreign::infix_atoms(&mut pieces.list, source);
    let mut own = OwnComparators::default();
    let mut constants = Spellings::default();
    let statement = |piece: &Piece| {
        let mut values = ValueVariables::default();
        let mut reader = KifReader { source, start: piece.start, own: &mut own, values: &mut values };
        let form = reader.form(piece)?;
        reader.note_variables(&form);
        reader.note_spellings(&form, &mut constants);
        reader.refuse_comment_marks(&form)?;
        reader.statement(form)
    };
    let mut parsed = read_pieces(pieces, source, budget, statement)?;
    infix.into_iter().for_each(|wrong| parsed.diagnostics.push(wrong));
    own.make_predicates(&mut parsed.program);
    parsed.diagnostics.extend(constants.into_diagnostics());
    Ok(parsed)
}

/// Reads the pieces of a text as the conditions of one goal.
pub(super) fn parse_goal(pieces: &[Piece], source: SourceId) -> KifResult<Query> {
    let mut own = OwnComparators::default();
    let mut values = ValueVariables::default();
    for piece in pieces {
        let mut reader = KifReader { source, start: piece.start, own: &mut own, values: &mut values };
        let form = reader.form(piece)?;
        reader.note_variables(&form);
    }
    let mut body = Vec::new();
    for piece in pieces {
        let mut reader = KifReader { source, start: piece.start, own: &mut own, values: &mut values };
        let form = reader.form(piece)?;
        match reader.statement_keyword(&form) {
            Some("?-") => body.extend(reader.conditions(form.into_inner().skip(1))?),
            _ => push_conjuncts(&mut body, reader.formula(form)?),
        }
    }
    Ok(Query { body })
}

/// Reads one piece.
struct KifReader<'a> {
    source: SourceId,
    start: usize,
    own: &'a mut OwnComparators,
    /// The variables for the values of aggregates.
    values: &'a mut ValueVariables,
}

impl KifReader<'_> {
    fn span(&self, form: &KifForm) -> Span {
        let span = form.as_span();
        Span::new(self.source, self.start + span.start(), self.start + span.end())
    }

    fn error(&self, form: &KifForm, message: impl Into<String>, label: &str) -> Diagnostic {
        Diagnostic::error(Code::Syntax, message).at(self.span(form), label)
    }

    fn form<'i>(&self, piece: &'i Piece) -> KifResult<KifForm<'i>> {
        let parsed = KifGrammar::parse(G::statement, &piece.text);
        // Only quotations and stray marks can be wrong here: the splitter has matched the parentheses.
        let mut forms = parsed.map_err(|error| {
            let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
            let place = |start, end| Span::new(self.source, piece.start + start, piece.start + end);
            split::bad_quotation(&piece.text, at, place).unwrap_or_else(|| {
                let end = at + piece.text[at..].chars().next().map_or(0, char::len_utf8);
                Diagnostic::error(Code::Syntax, "a name is missing here").at(place(at, end), "expected a name or `(`")
            })
        })?;
        Ok(forms.next().expect("a statement holds one form"))
    }

    /// The bare word at the front of a parenthesized form.
    fn keyword<'i>(&self, form: &KifForm<'i>) -> Option<&'i str> {
        if form.as_rule() != G::list {
            return None;
        }
        let first = form.clone().into_inner().next()?;
        matches!(first.as_rule(), G::word | G::variable).then(|| first.as_str())
    }

    fn statement_keyword<'i>(&self, form: &KifForm<'i>) -> Option<&'i str> {
        self.keyword(form).filter(|word| matches!(*word, "<=" | "==>" | "?-"))
    }

    /// Notes the spelling of every bare word: constants for the whole text, variables for this statement.
    fn note_spellings(&self, form: &KifForm, constants: &mut Spellings) {
        let mut variables = Spellings::default();
        for word in std::iter::once(form.clone()).chain(form.clone().into_inner().flatten()) {
            match word.as_rule() {
                G::word => constants.note(word.as_str(), self.span(&word)),
                G::variable if !word.as_str().starts_with("?|") => variables.note(word.as_str(), self.span(&word)),
                _ => {}
            }
        }
        constants.absorb(variables);
    }

    /// Notes the variables of a form that aggregates may stand in.
    fn note_variables(&mut self, form: &KifForm) {
        if !form.as_str().contains(name::TEMPLATE) {
            return;
        }
        for word in form.clone().into_inner().flatten().filter(|word| word.as_rule() == G::variable) {
            if let Ok(Term::Variable(name)) = self.term(word) {
                self.values.note(name);
            }
        }
    }

    /// Refuses a word that begins as a comment of `.dl` does, unless it is a functor with arguments.
    fn refuse_comment_marks(&self, form: &KifForm) -> KifResult<()> {
        let has_mark = |form: &KifForm| form.as_rule() == G::word && name::comment_mark(form.as_str()).is_some();
        let mut marked = Some(form.clone()).filter(has_mark);
        for list in std::iter::once(form.clone()).chain(form.clone().into_inner().flatten()) {
            if marked.is_some() {
                break;
            }
            marked = list.into_inner().skip(1).find(has_mark);
        }
        match marked.and_then(|word| Some((name::comment_mark(word.as_str())?, word))) {
            Some((mark, word)) => {
                let message = format!("`{mark}` begins no comment in `.kif`");
                let place = self.span(&word);
                let place = Span { end: place.start + mark.len() as u32, ..place };
                Err(self
                    .error(&word, message, "this and what follows would be read as rules")
                    .help("begin comments with `;`")
                    .replacement(place, ";"))
            }
            None => Ok(()),
        }
    }

    fn statement(&mut self, form: KifForm) -> KifResult<Statement> {
        let keyword = self.keyword(&form).unwrap_or_default();
        match keyword {
            "<=" => self.rule(form),
            "==>" => self.transition(form),
            "?-" => {
                let whole = form.clone();
                let body = self.conditions(form.into_inner().skip(1))?;
                if body.is_empty() {
                    return Err(self.error(&whole, "this query asks nothing", "a goal is missing"));
                }
                Ok(Statement::Query(Query { body }))
            }
            _ if self.is_directive(&form) => self.directive(form),
            _ => Ok(Statement::Rule(self.head(form)?)),
        }
    }

    fn rule(&mut self, form: KifForm) -> KifResult<Statement> {
        let whole = form.clone();
        let mut parts = form.into_inner().skip(1);
        let Some(head) = parts.next() else {
            return Err(self
                .error(&whole, "this rule has no head", "nothing follows `<=`")
                .help("write `(<= (head …) (condition …) …)`"));
        };
        if head.as_rule() == G::list && head.clone().into_inner().next().is_none() {
            let body = self.conditions(parts)?;
            if body.is_empty() {
                return Err(self.error(&whole, "this constraint forbids nothing", "conditions are missing"));
            }
            return Ok(Statement::Constraint(Query { body }));
        }
        let head = self.head(head)?;
        Ok(Statement::Rule(Rule { body: self.conditions(parts)?, ..head }))
    }

    fn transition(&mut self, form: KifForm) -> KifResult<Statement> {
        let shape = "write `(==> (and condition …) (and effect …))`";
        let whole = form.clone();
        let mut parts = form.into_inner().skip(1);
        let (Some(conditions), Some(effects), None) = (parts.next(), parts.next(), parts.next()) else {
            let message = "a transition has two parts, its conditions and its effects";
            return Err(self.error(&whole, message, "not two parts").help(shape));
        };
        let conditions = self.conditions([conditions].into_iter())?;
        let effects = match self.keyword(&effects) {
            Some(word) if word.eq_ignore_ascii_case("and") => {
                effects.into_inner().skip(1).map(|f| self.effect(f)).collect()
            }
            _ => self.effect(effects).map(|effect| vec![effect]),
        }?;
        if conditions.is_empty() || effects.is_empty() {
            Err(self.error(&whole, "a transition needs a condition and an effect", "one is missing").help(shape))
        } else {
            Ok(Statement::Transition(Transition { conditions, effects }))
        }
    }

    fn effect(&mut self, form: KifForm) -> KifResult<Effect> {
        match self.keyword(&form) {
            Some(word) if word.eq_ignore_ascii_case("not") => Ok(Effect::Delete(self.atom(self.only_argument(form)?)?)),
            _ => Ok(Effect::Add(self.atom(form)?)),
        }
    }

    /// Whether a form is a directive: its arguments stand in double quotes, which nothing else does.
    fn is_directive(&self, form: &KifForm) -> bool {
        let mut arguments = form.clone().into_inner().skip(1).peekable();
        let is_named = |word: &str| directive::NAMES.into_iter().any(|name| word.eq_ignore_ascii_case(name));
        self.keyword(form).is_some_and(is_named)
            && arguments.peek().is_some()
            && arguments.all(|argument| argument.as_rule() == G::double_quoted)
    }

    fn directive(&self, form: KifForm) -> KifResult<Statement> {
        let name = self.keyword(&form).unwrap_or_default().to_ascii_lowercase();
        let arguments: Vec<Name> =
            form.clone().into_inner().skip(1).map(|argument| self.unquote(&argument)).collect::<KifResult<_>>()?;
        let words: Vec<&str> = [&*name].into_iter().chain(arguments.iter().map(|argument| &**argument)).collect();
        directive::statement(&words).ok_or_else(|| {
            self.error(&form, "this directive has other arguments", "not as in the help")
                .help(
                    "write `(include \"rules.kif\")`, `(use \"rules.kif\" \"edge\" \"link\")`, `(input \"edge\" \"edge.csv\")`, `(output \"path\")`, `(type \"price\" \"symbol\" \"float\")`, `(enumeration \"color\" \"red\" \"green\")` or `(record \"point\" \"integer\" \"integer\")`",
                )
        })
    }

    fn only_argument<'i>(&self, form: KifForm<'i>) -> KifResult<KifForm<'i>> {
        let whole = form.clone();
        let mut parts = form.into_inner().skip(1);
        match (parts.next(), parts.next()) {
            (Some(part), None) => Ok(part),
            (first, _) => {
                let is_word = first.as_ref().is_some_and(|first| first.as_rule() == G::word);
                let help = if is_word {
                    "a condition stands in parentheses: `(not (p ?x))`"
                } else {
                    "group several with `(and …)`"
                };
                let wrong = self.error(&whole, "`not` takes one condition", "not one").help(help);
                let Some(first) = first else { return Err(wrong) };
                let place = self.span(&whole);
                let end = Span { start: place.end - 1, end: place.end - 1, ..place };
                // A word before what may be its arguments lacks the parentheses of an atom.
                let open = if is_word { "(" } else { "(and " };
                let group = vec![Replacement::new(self.span(&first).before(), open), Replacement::new(end, ")")];
                Err(wrong.repair(group))
            }
        }
    }

    fn conditions<'i>(&mut self, forms: impl Iterator<Item = KifForm<'i>>) -> KifResult<Vec<Formula>> {
        let mut conjuncts = Vec::new();
        for form in forms {
            push_conjuncts(&mut conjuncts, self.formula(form)?);
        }
        Ok(conjuncts)
    }

    fn formula(&mut self, form: KifForm) -> KifResult<Formula> {
        let Some(word) = self.keyword(&form) else { return Ok(Formula::Atom(self.atom(form)?)) };
        if let Some(choice) = self.choice(&form)? {
            return Ok(Formula::Atom(choice));
        }
        match word.to_ascii_lowercase().as_str() {
            "not" => Ok(Formula::Not(Box::new(self.formula(self.only_argument(form)?)?))),
            "and" => {
                let parts = self.parts(form, "and")?;
                let mut conjuncts = self.conditions(parts)?;
                Ok(if conjuncts.len() == 1 { conjuncts.remove(0) } else { Formula::And(conjuncts) })
            }
            "or" => {
                let mut alternatives = Vec::new();
                for part in self.parts(form, "or")? {
                    match self.formula(part)? {
                        Formula::Or(list) => alternatives.extend(list),
                        other => alternatives.push(other),
                    }
                }
                Ok(if alternatives.len() == 1 { alternatives.remove(0) } else { Formula::Or(alternatives) })
            }
            word => {
                if let Some(parts) = self.range_parts(&form).filter(|_| word == "in") {
                    return self.range(parts, self.span(&form));
                }
                let count = form.clone().into_inner().count() - 1;
                match comparator(word) {
                    Some(comparator) if count == 2 => {
                        let span = self.span(&form);
                        let mut aggregates = Vec::new();
                        let mut terms = form.into_inner().skip(1).map(|part| self.computed(part, &mut aggregates));
                        let left = terms.next().expect("counted")?;
                        let right = terms.next().expect("counted")?;
                        drop(terms);
                        Ok(aggregate::compared(aggregates, Comparison { comparator, left, right, span }))
                    }
                    Some(Comparator::NotEqual) => {
                        Err(self.error(&form, format!("`distinct` compares two terms, not {count}"), "not two terms"))
                    }
                    _ => Ok(Formula::Atom(self.atom(form)?)),
                }
            }
        }
    }

    /// The condition `(choice (: ?x) (: ?y))`; `None` for any other form.
    fn choice(&self, form: &KifForm) -> KifResult<Option<Atom>> {
        let mut parts = form.clone().into_inner().skip(1);
        let (Some(keys), Some(values), None) = (parts.next(), parts.next(), parts.next()) else { return Ok(None) };
        let is_named = self.keyword(form).is_some_and(|word| word.eq_ignore_ascii_case("choice"));
        if !is_named || [&keys, &values].into_iter().any(|part| self.keyword(part) != Some(name::TEMPLATE)) {
            return Ok(None);
        }
        let variables = |part: KifForm| -> KifResult<Vec<Term>> {
            let terms = part.into_inner().skip(1).map(|part| {
                let place = self.span(&part);
                match self.term(part)? {
                    variable @ Term::Variable(_) => Ok(variable),
                    _ => Err(Diagnostic::error(Code::Syntax, "a choice is between values of variables")
                        .at(place, "no variable")
                        .help("name it by a comparison, and choose for its variable")),
                }
            });
            terms.collect()
        };
        let keys = variables(keys)?;
        let values = variables(values)?;
        if values.is_empty() {
            return Err(self
                .error(form, "this choice chooses nothing", "no variables in the second part")
                .help("write `(choice (: ?x) (: ?y))`: for each `?x` one `?y`"));
        }
        Ok(Some(Atom::choice(keys, values, self.span(form))))
    }

    fn parts<'i>(&self, form: KifForm<'i>, word: &str) -> KifResult<impl Iterator<Item = KifForm<'i>> + use<'i>> {
        let mut parts = form.clone().into_inner().skip(1).peekable();
        match parts.peek() {
            Some(_) => Ok(parts),
            None => Err(self.error(&form, format!("this `{word}` is empty"), "a condition is missing")),
        }
    }

    fn atom(&self, form: KifForm) -> KifResult<Atom> {
        self.atom_of(form, |reader, part| reader.term(part))
    }

    /// The atom whose arguments `argument` reads.
    fn atom_of<'i>(
        &self,
        form: KifForm<'i>,
        argument: impl Fn(&Self, KifForm<'i>) -> KifResult<Term>,
    ) -> KifResult<Atom> {
        let span = self.span(&form);
        if form.as_rule() != G::list {
            let predicate = self.predicate(&form)?.into();
            if name::integer(form.as_str()).is_some() || name::is_decimal(form.as_str()) {
                return Err(self.error(&form, "a number says nothing that could hold", "expected an atom"));
            }
            return Ok(Atom { predicate, args: Vec::new(), span });
        }
        let whole = form.clone();
        let mut parts = form.into_inner();
        let Some(first) = parts.next() else {
            return Err(self.error(&whole, "these parentheses are empty", "a predicate is missing"));
        };
        let predicate = self.predicate(&first)?.into();
        let args = parts.map(|part| argument(self, part)).collect::<KifResult<_>>()?;
        Ok(Atom { predicate, args, span })
    }

    /// The name of a predicate or functor.
    fn predicate(&self, form: &KifForm) -> KifResult<Name> {
        match form.as_rule() {
            G::word if form.as_str() != "?" => Ok(name::from_kif_word(form.as_str())),
            G::bar_quoted => self.unquote(form),
            G::variable => Err(self
                .error(form, "a variable cannot stand for a predicate", "a variable")
                .help("name the predicate: a condition is `(predicate term …)`")),
            G::double_quoted => Err(self.string(form)),
            G::list => Err(self
                .error(form, "a predicate must be a name", "a parenthesized form")
                .help("write `(predicate term …)`; several conditions are joined by `(and …)`")),
            _ => Err(self.unnamed(form)),
        }
    }

    fn term(&self, form: KifForm) -> KifResult<Term> {
        match form.as_rule() {
            G::word if form.as_str().starts_with('?') => Err(self.unnamed(&form)),
            G::word if name::is_decimal(form.as_str()) => match Float::spelled(form.as_str()) {
                Some(float) => Ok(Term::Float(float)),
                None => Err(foreign::too_large(self.span(&form), &format!("|{}|", form.as_str()))),
            },
            G::word => Ok(match name::integer(form.as_str()) {
                Some(integer) => Term::Integer(integer),
                None => Term::Symbol(name::from_kif_word(form.as_str())),
            }),
            G::bar_quoted => Ok(Term::Symbol(self.unquote(&form)?)),
            G::variable => {
                if form.as_str().starts_with("??") {
                    Err(self.marked_twice(&form))
                } else if form.as_str()[1..].starts_with('|') {
                    Ok(Term::Variable(self.unquote(&form)?))
                } else {
                    Ok(Term::Variable(name::from_kif_word(&form.as_str()[1..])))
                }
            }
            G::list if self.aggregate_function(&form).is_some() => Err(self
                .error(&form, "an aggregate stands in a comparison alone", "not compared")
                .help("give its value a name, and go on with that: `(= ?n (count (: ?x) (p ?x))) (q ?n)`")),
            G::list if self.has_order(&form) => Err(self
                .error(&form, "the best of a lattice column is chosen in a head alone", "not an argument of a head")
                .help("conditions read the column as any other: `(level ?x ?v)`")),
            G::list => {
                let whole = form.clone();
                let mut parts = form.into_inner();
                let Some(first) = parts.next() else {
                    return Err(self
                        .error(&whole, "these parentheses are empty", "a term is missing")
                        .help("the empty list is `nil`")
                        .replacement(self.span(&whole), "nil"));
                };
                let functor = self.predicate(&first)?;
                let args = parts.map(|part| self.term(part)).collect::<KifResult<Vec<_>>>()?;
                Ok(Term::Compound(functor, args))
            }
            _ => Err(self.string(&form)),
        }
    }

    fn unquote(&self, form: &KifForm) -> KifResult<Name> {
        let text = name::unquote(form.as_str().trim_start_matches('?'));
        text.map(Name::from).ok_or_else(|| self.error(form, "this escape is no character", "no such character"))
    }

    /// The error for a variable with a second question mark, `??x`, which would be part of its name.
    fn marked_twice(&self, form: &KifForm) -> Diagnostic {
        let name = form.as_str().trim_start_matches('?');
        let wrong = self.error(form, "a variable has one question mark", "more than one");
        let help = format!("a name with question marks is quoted: `?|{}|`", &form.as_str()[1..]);
        if name.is_empty() {
            return wrong.help(help);
        }
        wrong.help(format!("write `?{name}`; {help}")).replacement(self.span(form), format!("?{name}"))
    }

    fn unnamed(&self, form: &KifForm) -> Diagnostic {
        self.error(form, "a variable needs a name", "a lone question mark")
            .help("write `?x`")
            .replacement(self.span(form), "?x")
    }

    fn string(&self, form: &KifForm) -> Diagnostic {
        self.error(form, "there are no strings here", "in double quotes")
            .help("quote a name with bars: `|like this|`; double quotes are for files, as in `(include \"path\")`")
            .replacement(self.span(form), format!("|{}|", form.as_str().trim_matches('"')))
    }
}

fn push_conjuncts(body: &mut Vec<Formula>, formula: Formula) {
    match formula {
        Formula::And(list) => body.extend(list),
        other => body.push(other),
    }
}
