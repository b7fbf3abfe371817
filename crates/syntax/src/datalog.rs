//! Reading `.dl`: infix rules (grammar in `grammar/datalog.pest`).
//!
//! The grammar yields flat expressions, operands between operators; pest's Pratt parser makes trees of them.
//! The root of a tree decides whether it is a condition, a term, or, as `p(X)`, either.

use self::expression::{
    Expression, StatementKind, aggregate_alone, apply, best_alone, combine, conjuncts, disjunctive_head, formula,
    range_alone, term, variable_condition,
};
use self::grammar::{DatalogGrammar, Rule as G};
use super::aggregate::ValueVariables;
use super::ast::*;
use super::split::{self, Piece};
use super::{MAX_NESTING, Parsed, StatementMemory, Syntax, read_pieces};
use super::{directive, foreign, name, remark};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Replacement, SourceId, Span};
use pest::Parser;
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, ConstPrattParser, Op};
use std::collections::HashSet;

mod elsewhere;
mod expression;
mod operands;
mod statement;
mod unexpected;
mod words;

pub(super) use words::words;

/// The parser that pest derives from the grammar.
mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "../grammar/quote.pest"]
    #[grammar = "../grammar/datalog.pest"]
    pub struct DatalogGrammar;
}

type Token<'i> = Pair<'i, G>;
type DatalogResult<T> = Result<T, Diagnostic>;

/// Reads a whole file.
pub(super) fn parse(
    text: &str,
    source: SourceId,
    mut memory: Option<&mut StatementMemory>,
    budget: &Budget,
) -> Result<Parsed, Stopped> {
    let pieces = split::split_within(text, source, Syntax::Datalog, budget)?;
    let operations = remark::operations(text, source, &pieces.comment_ranges);
    let mut parsed = read_pieces(pieces, source, budget, |piece| match &mut memory {
        Some(memory) => memory.statement(piece, source, |piece| statement(piece, source)),
        None => statement(piece, source),
    })?;
    operations.into_iter().for_each(|operation| parsed.diagnostics.push(operation));
    Ok(parsed)
}

/// Reads a piece as a goal.
pub(super) fn parse_goal(piece: &Piece, source: SourceId) -> DatalogResult<Query> {
    let tokens =
        DatalogGrammar::parse(G::goal, &piece.text).map_err(|error| unexpected::explain(error, piece, source))?;
    let mut reader = DatalogReader::new(piece, source, &tokens);
    let conditions = tokens.into_iter().find(|token| token.as_rule() == G::conditions);
    Ok(Query { body: reader.body(conditions.expect("a goal has conditions"))? })
}

/// Reads a piece as a term.
pub(super) fn parse_term(piece: &Piece, source: SourceId) -> DatalogResult<Term> {
    let (mut reader, expression) = lone(piece, source)?;
    term(reader.expression(expression, 0)?)
}

/// Reads a piece as an atom.
pub(super) fn parse_atom(piece: &Piece, source: SourceId) -> DatalogResult<Atom> {
    let (mut reader, expression) = lone(piece, source)?;
    match formula(reader.expression(expression, 0)?)? {
        Formula::Atom(atom) => Ok(atom),
        other => {
            Err(Diagnostic::error(Code::Syntax, "this is no atom")
                .at(other.span(), "expected an atom, as `p` or `p(X)`"))
        }
    }
}

/// The flat expression that a piece is.
fn lone<'i>(piece: &'i Piece, source: SourceId) -> DatalogResult<(DatalogReader, Token<'i>)> {
    let mut tokens =
        DatalogGrammar::parse(G::lone, &piece.text).map_err(|error| unexpected::explain(error, piece, source))?;
    let reader = DatalogReader::new(piece, source, &tokens);
    Ok((reader, tokens.next().expect("an expression")))
}

fn statement(piece: &Piece, source: SourceId) -> DatalogResult<Statement> {
    // A comment of another language has no end.
    if !piece.ended && !piece.text.starts_with('#') {
        let end = piece.start + piece.text.len();
        let unended = Diagnostic::error(Code::Syntax, "the last statement is not ended")
            .at(Span::new(source, end, end), "a period is missing here");
        let has_period = |comment: &String| comment.trim_end().ends_with('.');
        return Err(if piece.comments.last().is_some_and(has_period) {
            unended.help(foreign::COMMENT_MARKS)
        } else {
            let unended =
                unended.help("end every statement with a period").replacement(Span::new(source, end, end), ".");
            // Words may be a remark, and a comment the rest of the statement.
            let is_complete = piece.comments.is_empty() && piece.text.ends_with(')');
            if is_complete { unended.certain() } else { unended }
        });
    }
    let foreign_of = [foreign::prolog_directive, foreign::clingo_directive, foreign::foreign_beginning];
    if let Some(directive) = foreign_of.iter().find_map(|of| of(&piece.text, source, piece.start)) {
        return Err(directive);
    }
    let mut tokens =
        DatalogGrammar::parse(G::statement, &piece.text).map_err(|error| unexpected::explain(error, piece, source))?;
    let mut reader = DatalogReader::new(piece, source, &tokens);
    let token = tokens.next().expect("a statement begins with its kind");
    let rule = token.as_rule();
    let mut parts = token.into_inner();
    let first = parts.next().expect("a statement is not empty");
    match (rule, parts.next().map(|mark| mark.as_rule())) {
        (G::directive, _) => reader.directive(first),
        (G::query, _) => Ok(Statement::Query(Query { body: reader.body(first)? })),
        (_, None) => Ok(Statement::Rule(reader.head(first, "")?)),
        (_, Some(mark)) => {
            let second = parts.next().expect("a mark has two sides");
            match mark {
                G::neck => {
                    let rest = piece.text[first.as_span().end()..].trim_end_matches('.').trim();
                    let head = reader.head(first, rest)?;
                    Ok(Statement::Rule(Rule { body: reader.body(second)?, ..head }))
                }
                _ => Ok(Statement::Transition(Transition {
                    conditions: reader.body(first)?,
                    effects: reader.effects(second)?,
                })),
            }
        }
    }
}

/// Reads one piece.
struct DatalogReader {
    source: SourceId,
    start: usize,
    /// The last number given to an anonymous variable.
    anonymous: usize,
    /// The numbers that are taken: of variables written `_1`.
    taken: HashSet<usize>,
    /// The variables for the values of aggregates.
    values: ValueVariables,
}

impl DatalogReader {
    fn new(piece: &Piece, source: SourceId, tokens: &Pairs<G>) -> DatalogReader {
        let taken = if piece.text.contains('_') {
            tokens.clone().flatten().filter_map(|token| numbered(&token)).collect()
        } else {
            HashSet::new()
        };
        let mut values = ValueVariables::default();
        if piece.text.contains('{') {
            tokens.clone().flatten().filter_map(|token| variable_name(&token)).for_each(|name| values.note(name));
        }
        DatalogReader { source, start: piece.start, anonymous: 0, taken, values }
    }

    fn span(&self, token: &Token) -> Span {
        span_in(self.source, self.start, token)
    }

    /// A directive, or else a constraint. One condition alone with the name of a directive is a directive.
    fn directive(&mut self, token: Token) -> DatalogResult<Statement> {
        let words = self.directive_words(token.clone())?;
        let words: Vec<&str> = words.iter().map(|word| &**word).collect();
        if let Some(statement) = directive::statement(&words) {
            return Ok(statement);
        }
        let span = self.span(&token);
        let mut parts = token.as_str().split(|c: char| !c.is_ascii_alphanumeric());
        let name = parts.next().filter(|name| directive::NAMES.contains(name));
        // `use(X, Y)` may be a condition of a constraint; a file stands in quotes.
        let is_other = match name {
            Some(directive::USE) => !token.as_str().contains(['\'', '"']),
            Some(directive::TYPE | directive::ENUMERATION | directive::RECORD) => {
                words.is_empty() && has_variable(&token)
            }
            _ => false,
        };
        if token.clone().into_inner().count() == 1 && name.is_some() && !is_other {
            let help = match name {
                Some(directive::TYPE) => {
                    "write `:- type(price, symbol, float).`; types are `any`, `integer`, `float`, `symbol`, `compound` and those that the program defines"
                }
                Some(directive::ENUMERATION) => "write `:- enumeration(color, red, green).`",
                Some(directive::RECORD) => "write `:- record(point, integer, integer).`",
                _ => {
                    "write `:- include('rules.dl').`, `:- use('rules.dl', edge = link).`, `:- input(edge, 'edge.csv').` or `:- output(path).`; a query begins with `?-`"
                }
            };
            let wrong =
                Diagnostic::error(Code::Syntax, "this directive has other arguments").at(span, "not as in the help");
            // A result is named without its number of columns.
            let result = token.as_str().strip_prefix("output(").and_then(|rest| rest.split_once('/'));
            let is_number = |rest: &str| rest.trim_end_matches(')').parse::<u8>().is_ok();
            return Err(match result.filter(|(_, rest)| is_number(rest)) {
                Some((result, _)) => {
                    let help = format!("write `:- output({result}).`: a result is named without its number of columns");
                    wrong.help(help).replacement(span, format!("output({result})"))
                }
                None => wrong.help(help),
            });
        }
        Ok(Statement::Constraint(Query { body: self.body(token)? }))
    }

    /// What is told of atoms that a `;` at the end of a line stands between, in the place of a period; `None` if there is no such. `text` is the text
    /// of all with its place.
    fn ended_by_semicolon(&self, heads: &[Formula], (start, text): (u32, &str)) -> Option<Diagnostic> {
        let are_atoms = heads.iter().all(|head| matches!(head, Formula::Atom(_)));
        let gap = |pair: &[Formula]| {
            let from = pair[0].span().end - start;
            let gap = text.get(from as usize..(pair[1].span().start - start) as usize)?;
            let mark = gap.find(';')?;
            let blanks = gap[mark + 1..].trim_start_matches([' ', '\t', '\r']);
            let at = start as usize + from as usize + mark;
            blanks.starts_with('\n').then(|| Span::new(self.source, at, at + 1))
        };
        let marks: Vec<Span> = heads.windows(2).filter(|_| are_atoms).filter_map(gap).collect();
        let first = *marks.first()?;
        let wrong = Diagnostic::error(Code::Syntax, "a statement ends with a period, not with `;`")
            .at(first, "the line ends here, and so may the statement")
            .help("end the statement with a period");
        Some(wrong.repair(marks.into_iter().map(|mark| Replacement::new(mark, ".")).collect()))
    }

    /// The name of a directive and its arguments, which are names too; nothing if they are not.
    fn directive_words(&self, token: Token) -> DatalogResult<Vec<Name>> {
        let mut parts = token.into_inner();
        let (Some(applied), None) = (parts.next(), parts.next()) else { return Ok(Vec::new()) };
        if applied.as_rule() != G::applied {
            return Ok(Vec::new());
        }
        let mut parts = applied.into_inner();
        let mut words: Vec<Name> =
            parts.next().map(|name| self.name(&name)).into_iter().collect::<DatalogResult<_>>()?;
        let is_use = words.first().is_some_and(|name| &**name == directive::USE);
        for (i, argument) in parts.enumerate() {
            let operands: Vec<Token> = argument.into_inner().collect();
            let names: &[&Token] = match &operands[..] {
                [name] if i == 0 || !is_use => &[name],
                [inner, sign, outer] if i > 0 && is_use && sign.as_str() == "=" => &[inner, outer],
                _ => return Ok(Vec::new()),
            };
            for operand in names {
                let mut names = (*operand).clone().into_inner();
                match (operand.as_rule(), names.next(), names.next()) {
                    (G::applied, Some(name), None) => words.push(self.name(&name)?),
                    _ => return Ok(Vec::new()),
                }
            }
        }
        Ok(words)
    }

    /// Reads a head, as a rule without conditions; `rest` is what follows it in the statement, but for the period.
    fn head(&mut self, token: Token, rest: &str) -> DatalogResult<Rule> {
        let text = token.as_str();
        let token_text = (self.span(&token).start, text);
        let expression = self.expression(token, 0)?;
        let span = expression.span;
        match expression.kind {
            StatementKind::Applied(predicate, args) => {
                Ok(Rule::new(Atom { predicate: predicate.into(), args: args.unwrap_or_default(), span }, Vec::new()))
            }
            StatementKind::Head(predicate, args, lattice) => {
                let head = Atom { predicate: predicate.into(), args, span };
                Ok(Rule { head, body: Vec::new(), lattice: Some(lattice) })
            }
            StatementKind::Best(join, _) => Err(best_alone(span, &join)),
            StatementKind::Term(Term::Variable(name)) => Err(variable_condition(span, &name)),
            StatementKind::Term(term) => {
                let diagnostic = Diagnostic::error(Code::Syntax, "a term cannot be a head")
                    .at(span, "expected an atom, as `p` or `p(X)`");
                if !matches!(&term, Term::Compound(functor, _) if &**functor != "cons") {
                    return Err(diagnostic);
                }
                let diagnostic =
                    diagnostic.help("a name with other marks than letters, digits and `_` is quoted, as 'my-name'");
                let name = &text[..text.find('(').unwrap_or(text.len())];
                let is_name = name.split('-').all(|part| !part.is_empty() && part.bytes().all(name::is_word_byte));
                let place = Span { end: span.start + name.len() as u32, ..span };
                Err(if is_name { diagnostic.replacement(place, format!("'{name}'")) } else { diagnostic })
            }
            StatementKind::Range(..) => Err(range_alone(span)),
            StatementKind::Computed(..) => Err(aggregate_alone(span)),
            StatementKind::Formula(Formula::Compare(_) | Formula::Range(_) | Formula::Aggregate(_)) => {
                Err(comparison_as_head(span))
            }
            StatementKind::Formula(formula) if begins_with_arrow(&formula) && rest.is_empty() => {
                Err(comparison_as_head(span))
            }
            StatementKind::Formula(Formula::Or(heads)) => {
                Err(self.ended_by_semicolon(&heads, token_text).unwrap_or_else(|| disjunctive_head(span)))
            }
            StatementKind::Formula(formula) => Err(several_heads(&formula, span, rest)),
        }
    }

    fn body(&mut self, token: Token) -> DatalogResult<Vec<Formula>> {
        let expression = self.expression(token, 0)?;
        Ok(conjuncts(formula(expression)?))
    }

    fn effects(&mut self, token: Token) -> DatalogResult<Vec<Effect>> {
        self.body(token)?
            .into_iter()
            .map(|formula| match formula {
                Formula::Atom(atom) => Ok(Effect::Add(atom)),
                Formula::Not(inner) if matches!(*inner, Formula::Atom(_)) => match *inner {
                    Formula::Atom(atom) => Ok(Effect::Delete(atom)),
                    _ => unreachable!("just matched"),
                },
                other => Err(Diagnostic::error(Code::Syntax, "an effect adds or deletes one fact")
                    .at(other.span(), "not an effect")
                    .help("write `p(X)` to add, `~p(X)` to delete, and conditions before `==>`")),
            })
            .collect()
    }

    /// Reads a flat expression that stands `depth` deep.
    fn expression(&mut self, token: Token, depth: usize) -> DatalogResult<Expression> {
        let mut tokens = token.into_inner();
        if tokens.len() == 1 {
            return self.operand(tokens.next().expect("just counted"), depth);
        }
        let mut prefixes = self.prefixes(tokens.clone(), depth)?.into_iter();
        let source = self.source;
        let start = self.start;
        OPERATORS
            .map_primary(|token| self.operand(token, depth + prefixes.next().unwrap_or_default()))
            .map_prefix(|mark, operand| apply(&mark, operand?, span_in(source, start, &mark)))
            .map_infix(|left, mark, right| combine(left?, mark.as_rule(), mark.as_str(), right?))
            .parse(tokens)
    }

    /// The number of prefixes that each operand of a flat expression stands under. As the operators are parsed by
    /// recursion, no operand may stand too deep before that begins.
    fn prefixes(&self, tokens: Pairs<G>, depth: usize) -> DatalogResult<Vec<usize>> {
        let mut negations = 0;
        let mut minuses = 0;
        let mut prefixes = Vec::new();
        for token in tokens {
            if depth + negations + minuses > MAX_NESTING {
                return Err(split::nesting_too_deep(self.span(&token)));
            }
            match token.as_rule() {
                G::negation => negations += 1,
                G::minus => minuses += 1,
                G::and | G::or => (negations, minuses) = (0, 0),
                G::comparator | G::range | G::additive | G::multiplicative => minuses = 0,
                _ => prefixes.push(negations + minuses),
            }
        }
        Ok(prefixes)
    }

    fn name(&self, token: &Token) -> DatalogResult<Name> {
        match token.as_rule() {
            G::plain => Ok(token.as_str().into()),
            _ => self.unquote(token, token.as_str()),
        }
    }

    fn variable(&mut self, token: &Token) -> DatalogResult<Name> {
        match token.as_str() {
            "_" => {
                self.anonymous += 1;
                while self.taken.contains(&self.anonymous) {
                    self.anonymous += 1;
                }
                Ok(format!("_{}", self.anonymous).into())
            }
            text => match text.strip_prefix('?') {
                Some(quoted) => self.unquote(token, quoted),
                None => Ok(name::from_datalog_variable(text)),
            },
        }
    }

    fn unquote(&self, token: &Token, quoted: &str) -> DatalogResult<Name> {
        name::unquote(quoted).map(Name::from).ok_or_else(|| {
            Diagnostic::error(Code::Syntax, "this escape is no character").at(self.span(token), "no such character")
        })
    }
}

/// The error for a comparison in the place of a head, whose sign may be meant as that of a rule.
fn comparison_as_head(span: Span) -> Diagnostic {
    Diagnostic::error(Code::Syntax, "a comparison cannot be a head")
        .at(span, "expected an atom, as `p` or `p(X)`")
        .help("write `:-` between a head and its body; comparisons stand in the body: `p(X) :- q(X) & X < 3`")
        .respelled(span, "<-", ":-")
        .certain()
        .respelled(span, "<=", ":-")
}

/// Whether conditions begin with a comparison whose sign is meant as that of a rule, as `p(X) <- q(X), r(X)`.
fn begins_with_arrow(mut conditions: &Formula) -> bool {
    while let Formula::And(parts) | Formula::Or(parts) = conditions
        && let [first, ..] = &parts[..]
    {
        conditions = first;
    }
    let Formula::Compare(Comparison { comparator, left, .. }) = conditions else { return false };
    matches!(comparator, Comparator::Less | Comparator::LessOrEqual)
        && matches!(left, Term::Compound(..) | Term::Symbol(_))
}

/// The error for a head that is no atom. One that is several becomes as many rules, each with the `rest` of the statement.
fn several_heads(head: &Formula, span: Span, rest: &str) -> Diagnostic {
    let wrong = Diagnostic::error(Code::Syntax, "a fact or head must be one atom")
        .at(span, "not an atom")
        .help("write one rule for each head; what changes by an event is written `conditions ==> effects`");
    let Formula::And(heads) = head else { return wrong };
    if heads.iter().any(|head| !matches!(head, Formula::Atom(_))) {
        return wrong;
    }
    let between = if rest.is_empty() { ". ".to_owned() } else { format!(" {rest}. ") };
    let gaps = heads.windows(2).map(|pair| Span { end: pair[1].span().start, ..pair[0].span().behind() });
    wrong.repair(gaps.map(|gap| Replacement::new(gap, between.as_str())).collect())
}

/// The integer or float that a token spells.
fn number(token: &Token, span: Span) -> DatalogResult<Term> {
    let text = token.as_str();
    let number = name::integer(text).map(Term::Integer).or_else(|| Float::spelled(text).map(Term::Float));
    number.ok_or_else(|| {
        let symbol = format!("'{text}'");
        if name::is_decimal(text) {
            return foreign::too_large(span, &symbol);
        }
        let place = token.as_span();
        if let Some(date) = foreign::date(place.get_input(), place.start()) {
            let start = span.start as usize - place.start();
            let whole = Span::new(span.source, start + date.start, start + date.end);
            return foreign::unquoted_date(&place.get_input()[date], whole);
        }
        Diagnostic::error(Code::Syntax, "this is no integer")
            .at(span, "integers have no leading zeros and at most 64 bits")
            .help(format!("if a symbol is meant, quote it: {symbol}"))
            .replacement(span, symbol)
    })
}

/// Whether a variable occurs in a statement.
fn has_variable(token: &Token) -> bool {
    token.clone().into_inner().flatten().any(|part| part.as_rule() == G::variable)
}

/// The name of a variable that has one.
fn variable_name(token: &Token) -> Option<Name> {
    let text = (token.as_rule() == G::variable).then(|| token.as_str())?;
    match text.strip_prefix('?') {
        Some(quoted) => name::unquote(quoted).map(Name::from),
        None => Some(name::from_datalog_variable(text)),
    }
}

/// The number of a variable that is written as the anonymous ones are named.
fn numbered(token: &Token) -> Option<usize> {
    let text = (token.as_rule() == G::variable).then(|| token.as_str())?;
    match text.strip_prefix('?') {
        Some(quoted) => name::anonymous_number(&name::unquote(quoted)?),
        None => name::anonymous_number(text),
    }
}

/// The operators, from the loosest to the tightest.
static OPERATORS: ConstPrattParser<G, 8> = ConstPrattParser::new_const([
    (Op::infix(G::or, Assoc::Left), true),
    (Op::infix(G::and, Assoc::Left), true),
    (Op::prefix(G::negation), true),
    (Op::infix(G::comparator, Assoc::Left), true),
    (Op::infix(G::range, Assoc::Left), true),
    (Op::infix(G::additive, Assoc::Left), true),
    (Op::infix(G::multiplicative, Assoc::Left), true),
    (Op::prefix(G::minus), true),
]);

/// The place of a token in a piece that begins at `start`.
fn span_in(source: SourceId, start: usize, token: &Token) -> Span {
    let span = token.as_span();
    Span::new(source, start + span.start(), start + span.end())
}
