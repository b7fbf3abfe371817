//! Programs for clingo.
//!
//! clingo orders all terms: integers, `()`, symbols, compounds from `(#inf,)` on. So the sort of a term is told by two comparisons. What cannot
//! be computed has no instance there either. Its integers have 32 bits: a constraint for each operation leaves no answer at all
//! if they are too few. If one name needs quotes, all have them, since strings are ordered behind names.

use crate::condition::{Condition, alternatives};
use crate::elements::without_members;
use crate::names::{self, VariableNames};
use crate::sorts::{RuleSorts, Sort, Sorts, computed};
use crate::translatable::Translatable;
use crate::{Refusals, Translation};
use ludolog_logic::analysis::clause::{Aggregation, Clause, Elements, Literal};
use ludolog_syntax::ast::{AggregateFunction, Atom, Comparator, Operation, Predicate, Term};
use ludolog_syntax::diagnostic::Span;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The largest integer, and the largest by amount of those that may be written.
const LARGEST: i64 = i32::MAX as i64;

/// Most rules that one rule becomes.
const MOST_ALTERNATIVES: usize = 256;

/// Translates a program. What has no translation is added to the refusals.
pub(crate) fn translate(program: &Translatable, refusals: &mut Refusals) -> Translation {
    let program = without_members(program, refusals);
    let sorts = Sorts::of(&program);
    let names = names::of_predicates(&program.predicates(), &["not"], names::lower);
    let mut writer = Writer { names: &names, quoted: needs_quotes(&program), refusals, out: String::new() };
    writer.out.push_str("% Integers have 32 bits: where they are too few, there is no answer at all.\n");
    for (predicate, name) in &names {
        if !predicate.is_auxiliary() && predicate.name.text() != name {
            let _ = writeln!(writer.out, "% {name} is {}", predicate.name.text().escape_default());
        }
    }
    for predicate in &program.undefined {
        let _ = writeln!(writer.out, "#defined {}/{}.", names[predicate], predicate.arity);
    }
    for fact in program.all_facts() {
        let text = writer.atom(fact, &VariableNames::default());
        writer.out.push_str(&(text + ".\n"));
    }
    for (number, rule) in program.rules.iter().enumerate() {
        writer.rule(rule, sorts.rule(number));
    }
    writer.out.push_str("#show.\n");
    for predicate in &program.outputs {
        let _ = writeln!(writer.out, "#show {}/{}.", names[predicate], predicate.arity);
    }
    let text = writer.out;
    Translation { files: vec![("program.lp".to_owned(), text)], names }
}

/// Whether the name of a symbol is no constant of clingo.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && name != "not"
}

/// Whether a symbol of the program has to be a string.
fn needs_quotes(program: &Translatable) -> bool {
    fn within(term: &Term) -> bool {
        match term {
            Term::Symbol(name) => !is_plain(name),
            Term::Compound(_, args) => args.iter().any(within),
            _ => false,
        }
    }
    let literal = |literal: &Literal| match literal {
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
            within(&comparison.left) || within(&comparison.right)
        }
        Literal::Member { element, elements, .. } => {
            within(element) || elements.terms().into_iter().flatten().any(within)
        }
        Literal::Aggregate(aggregation) => within(&aggregation.result) || aggregation.group().iter().any(within),
        Literal::Positive(atom) | Literal::Negative(atom) => atom.args.iter().any(within),
    };
    program.all_facts().any(|fact| fact.args.iter().any(within))
        || program.rules.iter().any(|rule| rule.head.args.iter().any(within) || rule.body.iter().any(literal))
}

struct Writer<'w> {
    names: &'w BTreeMap<Predicate, String>,
    quoted: bool,
    refusals: &'w mut Refusals,
    out: String,
}

impl Writer<'_> {
    fn rule(&mut self, rule: &Clause, sorts: RuleSorts) {
        let variables = names::of_variables(rule, &[], names::relates_terms, names::upper);
        let mut bodies: Vec<Vec<String>> = vec![Vec::new()];
        for literal in &rule.body {
            let span = if literal.span().is_none() { rule.span } else { literal.span() };
            let found = match alternatives(literal, sorts) {
                Ok(found) => found,
                Err(what) => return self.refusals.add(span, what),
            };
            let overflows: Vec<String> = operations(literal)
                .into_iter()
                .filter_map(|(comparator, term)| self.overflow(term, comparator, &variables, span))
                .collect();
            for (body, overflow) in bodies.iter().flat_map(|body| overflows.iter().map(move |o| (body, o))) {
                let conditions = body.iter().map(String::as_str).chain([overflow.as_str()]);
                let _ = writeln!(self.out, ":- {}.", conditions.collect::<Vec<_>>().join(", "));
            }
            let found: Vec<Vec<String>> = found
                .iter()
                .map(|conjunction| {
                    conjunction.iter().flat_map(|one| self.condition(one, &variables, sorts, span)).collect()
                })
                .collect();
            bodies = bodies.iter().flat_map(|body| found.iter().map(|more| [&body[..], &more[..]].concat())).collect();
            if bodies.len() > MOST_ALTERNATIVES {
                return self.refusals.add(rule.span, "a rule whose comparisons have so many cases");
            }
        }
        let head = self.atom(&rule.head, &variables);
        for body in bodies {
            self.out.push_str(&crate::rule_text(&head, &body));
        }
    }

    fn condition(
        &mut self,
        condition: &Condition,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
    ) -> Vec<String> {
        match condition {
            Condition::Holds(atom) => vec![self.atom(atom, variables)],
            Condition::Fails(atom) => vec![format!("not {}", self.atom(atom, variables))],
            Condition::Same(left, right) => {
                vec![format!("{} = {}", self.term(left, variables, span), self.term(right, variables, span))]
            }
            Condition::Different(left, right) => {
                vec![format!("{} != {}", self.term(left, variables, span), self.term(right, variables, span))]
            }
            Condition::Related(comparator, left, right, sort) => {
                let mut conditions = vec![format!(
                    "{} {} {}",
                    self.value(left, variables, span),
                    sign(*comparator),
                    self.value(right, variables, span)
                )];
                for side in [left, right] {
                    let (known, computes) = sorts.side(side, Comparator::Is);
                    if !computes && !sort.holds(known) {
                        conditions.extend(self.is(side, *sort, variables, span));
                    }
                }
                conditions
            }
            Condition::Is(term, sort) => self.is(term, *sort, variables, span),
            Condition::Within(element, from, to) => vec![format!(
                "{} = {}..{}",
                self.term(element, variables, span),
                self.value(from, variables, span),
                self.value(to, variables, span)
            )],
            Condition::Aggregate(aggregation) => self.aggregate(aggregation, variables, sorts, span),
        }
    }

    /// The comparisons that tell the sort of a term.
    fn is(&mut self, term: &Term, sort: Sort, variables: &VariableNames, span: Span) -> Vec<String> {
        let term = self.term(term, variables, span);
        match sort {
            Sort::INTEGER => vec![format!("{term} < ()")],
            Sort::SYMBOL => vec![format!("{term} > ()"), format!("{term} < (#inf,)")],
            _ => vec![format!("{term} > (#inf,)")],
        }
    }

    fn aggregate(
        &mut self,
        aggregation: &Aggregation,
        variables: &VariableNames,
        sorts: RuleSorts,
        span: Span,
    ) -> Vec<String> {
        let tuple: Vec<String> =
            (1..=aggregation.atom.args.len() - aggregation.bound).map(|i| format!("T_{i}")).collect();
        let mut args: Vec<String> = aggregation.group().iter().map(|arg| self.term(arg, variables, span)).collect();
        args.extend(tuple.iter().cloned());
        let atom = applied(&self.names[&aggregation.atom.signature()], &args);
        let terms = tuple.join(", ");
        let count = |condition: &str| format!("#count {{ {terms} : {atom}{condition} }}");
        let result = self.term(&aggregation.result, variables, span);
        let first = sorts.term(&aggregation.atom.args[aggregation.bound]);
        let only_integers = || (!Sort::INTEGER.holds(first)).then(|| format!("{} = 0", count(", T_1 > ()")));
        let some = format!("{} > 0", count(""));
        let extreme_value = |function: &str| {
            let mut conditions = vec![format!("{result} = {function} {{ {terms} : {atom} }}"), some.clone()];
            if !Sort::INTEGER.holds(first) && !Sort::SYMBOL.holds(first) {
                conditions.push(format!("#count {{ 0 : {atom}, T_1 < (); 1 : {atom}, T_1 > () }} = 1"));
                conditions.push(format!("{} = 0", count(", T_1 > (#inf,)")));
            }
            conditions
        };
        let sum = format!("#sum {{ {terms} : {atom} }}");
        match aggregation.function {
            AggregateFunction::Count => vec![format!("{result} = {}", count(""))],
            AggregateFunction::Sum => [format!("{result} = {sum}")].into_iter().chain(only_integers()).collect(),
            AggregateFunction::Average => {
                let quotient = format!("{result} = {}", quotient("T_sum", "T_count"));
                let parts = [format!("T_sum = {sum}"), format!("T_count = {}", count("")), quotient];
                parts.into_iter().chain(only_integers()).collect()
            }
            extreme => extreme_value(&format!("#{}", extreme.name())),
        }
    }

    fn atom(&mut self, atom: &Atom, variables: &VariableNames) -> String {
        let args: Vec<String> = atom.args.iter().map(|arg| self.term(arg, variables, atom.span)).collect();
        applied(&self.names[&atom.signature()], &args)
    }

    fn term(&mut self, term: &Term, variables: &VariableNames, span: Span) -> String {
        match term {
            Term::Variable(name) => variables.get(name).cloned().unwrap_or_else(|| "_".to_owned()),
            Term::Integer(n) if (-LARGEST..=LARGEST).contains(n) => n.to_string(),
            Term::Integer(n) => {
                self.refusals.add(span, format_args!("the integer {n}, which needs more than 32 bits"));
                String::new()
            }
            Term::Float(float) => float.to_string(),
            Term::Symbol(name) if self.quoted => {
                if name.contains('\0') {
                    self.refusals.add(span, "a symbol with the character 0");
                    String::new()
                } else {
                    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
                }
            }
            Term::Symbol(name) => name.to_string(),
            Term::Compound(functor, args) => {
                if !is_plain(functor) || args.is_empty() {
                    self.refusals.add(span, format_args!("the functor `{functor}`"));
                }
                let args: Vec<String> = args.iter().map(|arg| self.term(arg, variables, span)).collect();
                format!("{functor}({})", args.join(", "))
            }
        }
    }

    /// A side of a comparison, computed.
    fn value(&mut self, side: &Term, variables: &VariableNames, span: Span) -> String {
        let Some((operation, operands)) = computed(side, Comparator::Is) else {
            return self.term(side, variables, span);
        };
        let values: Vec<String> = operands.iter().map(|operand| self.value(operand, variables, span)).collect();
        match (operation, &values[..]) {
            (Operation::Add, [a, b]) => format!("({a} + {b})"),
            (Operation::Subtract, [a, b]) => format!("({a} - {b})"),
            (Operation::Multiply, [a, b]) => format!("({a} * {b})"),
            (Operation::Divide, [a, b]) => format!("({})", quotient(a, b)),
            (Operation::Modulo, [a, b]) => format!("({})", remainder(a, b)),
            (Operation::Negate, [a]) => format!("(-{a})"),
            (Operation::Minimum, [a, b]) => format!("(({a} + {b} - |{a} - {b}|) / 2)"),
            (Operation::Maximum, [a, b]) => format!("(({a} + {b} + |{a} - {b}|) / 2)"),
            (Operation::Absolute, [a]) => format!("|{a}|"),
            (Operation::BitAnd, [a, b]) => format!("({a} & {b})"),
            (Operation::BitOr, [a, b]) => format!("({a} ? {b})"),
            (Operation::BitXor, [a, b]) => format!("({a} ^ {b})"),
            (Operation::BitNot, [a]) => format!("(-1 - {a})"),
            (Operation::Power | Operation::ShiftLeft | Operation::ShiftRight, _) => {
                self.refusals.add(span, "a power or a shift, which may need more than 32 bits");
                String::new()
            }
            _ => {
                self.refusals.add(span, "a function of symbols");
                String::new()
            }
        }
    }

    /// A condition that holds if an operation has a result of more than 32 bits; `None` for what has none, and for a constant.
    fn overflow(
        &mut self,
        term: &Term,
        comparator: Comparator,
        variables: &VariableNames,
        span: Span,
    ) -> Option<String> {
        let (operation, operands) = computed(term, comparator)?;
        let is_constant = operands.iter().all(|operand| matches!(operand, Term::Integer(_)));
        let [a, b] = operands else { return None };
        if is_constant {
            return None;
        }
        let a = self.value(a, variables, span);
        let b = self.value(b, variables, span);
        match operation {
            Operation::Add | Operation::Subtract | Operation::Minimum | Operation::Maximum => {
                Some(format!("|{a}| > {LARGEST} - |{b}|"))
            }
            Operation::Multiply => Some(format!("|{a}| > {LARGEST} / |{b}|")),
            _ => None,
        }
    }
}

fn applied(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("{name}({})", args.join(", ")) }
}

fn sign(comparator: Comparator) -> &'static str {
    match comparator {
        Comparator::Less => "<",
        Comparator::LessOrEqual => "<=",
        Comparator::Greater => ">",
        Comparator::GreaterOrEqual => ">=",
        Comparator::NotEqual | Comparator::OtherValue => "!=",
        Comparator::Equal | Comparator::Is | Comparator::SameValue | Comparator::Matches => "=",
    }
}

/// A remainder with the sign of the divisor, of one that has the sign of the dividend.
fn remainder(a: &str, b: &str) -> String {
    format!("({a} \\ {b} + {b}) \\ {b}")
}

/// A quotient rounded down, of one rounded towards zero.
fn quotient(a: &str, b: &str) -> String {
    format!("({a} - {}) / {b}", remainder(a, b))
}

/// The operations of a literal, inner ones first, each with the comparator that computes it.
fn operations(literal: &Literal) -> Vec<(Comparator, &Term)> {
    fn collect<'a>(term: &'a Term, comparator: Comparator, found: &mut Vec<(Comparator, &'a Term)>) {
        if let Some((_, operands)) = computed(term, comparator) {
            operands.iter().for_each(|operand| collect(operand, comparator, found));
            found.push((comparator, term));
        }
    }
    let mut found = Vec::new();
    match literal {
        Literal::Compare(comparison) | Literal::NotCompare(comparison) => {
            [&comparison.left, &comparison.right]
                .into_iter()
                .for_each(|side| collect(side, comparison.comparator, &mut found));
        }
        Literal::Member { elements: Elements::Range(from, to), .. } => {
            [from, to].into_iter().for_each(|bound| collect(bound, Comparator::Is, &mut found));
        }
        _ => {}
    }
    found
}
