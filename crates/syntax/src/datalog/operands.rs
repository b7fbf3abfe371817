//! The operands of expressions: numbers, variables, groups, lists, aggregates, and names with or without arguments.

use super::expression::{
    Expression, StatementKind, TERMS, aggregate_alone, checked, computed, condition_as_term, conjuncts, formula, term,
};
use super::grammar::Rule as G;
use super::{DatalogReader, DatalogResult, Token, number};
use crate::MAX_NESTING;
use crate::aggregate;
use crate::ast::*;
use crate::diagnostic::{Code, Diagnostic};
use crate::foreign;

impl DatalogReader {
    /// Reads an operand that stands `depth` deep.
    pub(super) fn operand(&mut self, token: Token, depth: usize) -> DatalogResult<Expression> {
        let span = self.span(&token);
        match token.as_rule() {
            G::number => Ok(Expression { kind: StatementKind::Term(number(&token, span)?), span, depth: 1 }),
            G::variable => {
                Ok(Expression { kind: StatementKind::Term(Term::Variable(self.variable(&token)?)), span, depth: 1 })
            }
            G::group => {
                let inner = token.into_inner().next().expect("a group holds an expression");
                Ok(Expression { span, ..self.expression(inner, depth + 1)? })
            }
            G::list => self.list(token, depth),
            G::aggregate => self.aggregate(token, depth),
            G::best => self.best(token, depth),
            G::choice => self.choice(token),
            _ => self.applied(token, depth),
        }
    }

    /// A name, perhaps with arguments.
    fn applied(&mut self, token: Token, depth: usize) -> DatalogResult<Expression> {
        let span = self.span(&token);
        let parenthesized = token.as_str().ends_with(')');
        let mut parts = token.into_inner();
        let name = self.name(&parts.next().expect("an application begins with a name"))?;
        let mut deepest = 0;
        let mut args = Vec::new();
        let mut aggregates = Vec::new();
        let mut lattice = None;
        for (column, part) in parts.enumerate() {
            let argument = self.expression(part, depth + 1)?;
            deepest = deepest.max(argument.depth);
            match argument.kind {
                StatementKind::Best(join, value) if depth == 0 && lattice.is_none() => {
                    lattice = Some(Lattice { column, join });
                    args.push(value);
                }
                StatementKind::Formula(_) => {
                    let help = foreign::quantifier(&name).unwrap_or(TERMS);
                    return Err(condition_as_term(argument.span, help));
                }
                StatementKind::Best(..) if depth == 0 => return Err(aggregate::second_best(argument.span)),
                _ => args.push(computed(argument, &mut aggregates)?),
            }
        }
        let kind = match (lattice, aggregates.first()) {
            (Some(lattice), None) => StatementKind::Head(name, args, lattice),
            (None, None) => StatementKind::Applied(name, parenthesized.then_some(args)),
            (None, Some(_)) if Operation::of(&name, args.len()).is_some() => {
                StatementKind::Computed(Term::Compound(name, args), aggregates)
            }
            (_, Some(aggregate)) => return Err(aggregate_alone(aggregate.span)),
        };
        checked(kind, span, deepest + 1)
    }

    fn best(&mut self, token: Token, depth: usize) -> DatalogResult<Expression> {
        let span = self.span(&token);
        let mut parts = token.into_inner();
        let first = parts.next().expect("the value of a lattice column begins with its join");
        let join = match AggregateFunction::of(first.as_str()) {
            Some(function) => {
                aggregate::check_joins(function, span)?;
                Join::Function(function)
            }
            None => {
                let name = first.into_inner().next().expect("an order has a name");
                Join::by(self.name(&name)?, self.span(&name))
            }
        };
        let value = self.operand(parts.next().expect("and has a value"), depth)?;
        let deepest = value.depth;
        checked(StatementKind::Best(join, term(value)?), span, deepest + 1)
    }

    fn choice(&mut self, token: Token) -> DatalogResult<Expression> {
        let span = self.span(&token);
        let mut keys = Vec::new();
        let mut values = None;
        for part in token.into_inner() {
            match (part.as_rule(), &mut values) {
                (G::chosen, _) => values = Some(Vec::new()),
                (_, None) => keys.push(Term::Variable(self.variable(&part)?)),
                (_, Some(values)) => values.push(Term::Variable(self.variable(&part)?)),
            }
        }
        let atom = Atom::choice(keys, values.unwrap_or_default(), span);
        checked(StatementKind::Formula(Formula::Atom(atom)), span, 1)
    }

    fn aggregate(&mut self, token: Token, depth: usize) -> DatalogResult<Expression> {
        let span = self.span(&token);
        let mut parts = token.into_inner();
        let function = parts.next().and_then(|name| AggregateFunction::of(name.as_str()));
        let function = function.expect("an aggregate begins with its function");
        let mut template = Vec::new();
        let mut body = Vec::new();
        let mut deepest = 0;
        for part in parts {
            let is_body = part.as_rule() == G::conditions;
            let expression = self.expression(part, depth + 1)?;
            deepest = deepest.max(expression.depth);
            if is_body {
                body = conjuncts(formula(expression)?);
            } else {
                template.push(term(expression)?);
            }
        }
        let value = self.values.variable(function);
        let aggregate = Aggregate { result: value.clone(), function, template, body, span };
        checked(StatementKind::Computed(value, vec![aggregate]), span, deepest + 1)
    }

    fn list(&mut self, token: Token, depth: usize) -> DatalogResult<Expression> {
        let span = self.span(&token);
        let mut elements = Vec::new();
        let mut tail = None;
        let mut after_bar = false;
        for part in token.into_inner() {
            match part.as_rule() {
                G::bar => after_bar = true,
                _ => {
                    let element = self.expression(part, depth + 1)?;
                    if after_bar {
                        tail = Some(element);
                    } else {
                        elements.push(element);
                    }
                }
            }
        }
        let (mut list, mut height) = match tail {
            Some(tail) => {
                let height = tail.depth;
                (term(tail)?, height)
            }
            None => (Term::symbol("nil"), 1),
        };
        if elements.len() + height > MAX_NESTING {
            return Err(Diagnostic::error(Code::NestingTooDeep, format!("this list is longer than {MAX_NESTING}"))
                .at(span, format!("{} elements", elements.len()))
                .help("keep what is many as facts, one for each element"));
        }
        for element in elements.into_iter().rev() {
            height = height.max(element.depth) + 1;
            list = Term::compound("cons", vec![term(element)?, list]);
        }
        checked(StatementKind::Term(list), span, height)
    }
}
