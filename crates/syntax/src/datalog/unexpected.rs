//! Diagnostics for texts that the grammar refuses.

use super::G;
use super::statement::{fresh_names, statement_before, statement_behind, with_names, words};
use crate::as_symbols;
use crate::ast::{AggregateFunction, nearest};
use crate::diagnostic::{Code, Diagnostic, Replacement, SourceId, Span};
use crate::foreign;
use crate::name;
use crate::split::{self, Piece};
use pest::error::{Error, ErrorVariant, InputLocation};

/// The mark that ends what another one begins.
fn closing(opened: &str) -> &'static str {
    match opened {
        "[" => "]",
        "{" => "}",
        _ => ")",
    }
}

/// Turns pest's error for `piece` into a diagnostic: what was found, what could stand there, a way out.
pub(super) fn explain(error: Error<G>, piece: &Piece, source: SourceId) -> Diagnostic {
    let (InputLocation::Pos(at) | InputLocation::Span((at, _))) = error.location;
    let text = &*piece.text;
    let at = at + text[at..].len() - text[at..].trim_start().len();
    let found = token(&text[at..]);
    let before = text[..at].trim_end();
    // What is wrong within an aggregate of the own form is told as anything else.
    if !expected_within(text, at)
        && let Some(aggregate) = foreign::aggregate(text, source, piece.start)
    {
        return aggregate;
    }
    let computes_in_comment = piece.comments.iter().any(|comment| is_operand_of_comment(comment));
    let place = UnexpectedPlace { text, source, start: piece.start, at, found, before, computes_in_comment };
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
        ErrorVariant::CustomError { .. } => &[],
    };
    place.explain(expected)
}

/// Whether a comment goes on as an expression does whose operator its mark is: in `Y is X % 2.`.
fn is_operand_of_comment(comment: &str) -> bool {
    comment.starts_with(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase() || c == '(')
        && comment.ends_with(['.', ',', '&', ';'])
}

/// Whether reading went on behind the template of an aggregate.
fn expected_within(text: &str, at: usize) -> bool {
    text[..at].rfind('{').is_some_and(|open| text[open..at].contains(':'))
}

pub(super) struct UnexpectedPlace<'a> {
    pub(super) text: &'a str,
    pub(super) source: SourceId,
    pub(super) start: usize,
    /// The position at which reading stopped.
    pub(super) at: usize,
    /// The word or mark at that position.
    pub(super) found: &'a str,
    /// The text before it, which was understood.
    pub(super) before: &'a str,
    /// Whether a comment within the statement may be meant as a remainder or a quotient.
    pub(super) computes_in_comment: bool,
}

impl UnexpectedPlace<'_> {
    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, self.start + start, self.start + end)
    }

    pub(super) fn error(&self, message: impl Into<String>, label: &str, help: impl Into<String>) -> Diagnostic {
        let span = self.span(self.at, self.at + self.found.len());
        Diagnostic::error(Code::Syntax, message).at(span, label).help(help)
    }

    fn explain(self, expected: &[G]) -> Diagnostic {
        let after_operand = expected.iter().any(|rule| {
            matches!(
                rule,
                G::and | G::or | G::comparator | G::range | G::additive | G::multiplicative | G::neck | G::arrow
            )
        });
        if !after_operand
            && let Some(quotation) = split::bad_quotation(self.text, self.at, |start, end| self.span(start, end))
        {
            return quotation;
        }
        if let Some(wrong) = self.unknown_aggregate().or_else(|| self.aggregate_without_terms()) {
            return wrong;
        }
        let of_another_language = self.curly_quotation().or_else(|| self.of_foreign_mark());
        if let Some(wrong) = of_another_language.or_else(|| self.marked_variable()) {
            return wrong;
        }
        if let Some(wrong) = self.several_points() {
            return wrong;
        }
        if let Some((at, number)) = self.decimal().filter(|_| !after_operand) {
            return foreign::decimal(self.span(at, at + number.len()), number);
        }
        if let Some(open) =
            self.open_parenthesis().filter(|_| after_operand && matches!(self.found, "." | ":-" | "==>"))
        {
            return self
                .error(
                    format!("`{}` stands within parentheses that are still open", self.found),
                    "expected an operator, `,` or the closing parenthesis",
                    "close them before it",
                )
                .at(self.span(open, open + 1), "opened here")
                .replacement(self.end_before(), closing(&self.text[open..open + 1]));
        }
        if after_operand { self.after_operand() } else { self.before_operand() }
    }

    /// What is told of a name before `{` that no aggregate has.
    fn unknown_aggregate(&self) -> Option<Diagnostic> {
        let start = self.before.trim_end_matches(is_word).len();
        let word = &self.before[start..];
        if self.found != "{" || !word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        if word == "in" {
            return Some(self.set_of_values(start));
        }
        let names = AggregateFunction::ALL.map(|(_, name)| name);
        let is_near = || nearest(&word.to_ascii_lowercase(), names.into_iter());
        let meant = AggregateFunction::named_elsewhere(word).or_else(is_near);
        let place = self.span(start, self.before.len());
        if let Some(help) = foreign::quantifier(word) {
            let message = format!("`{word}` means nothing here");
            return Some(Diagnostic::error(Code::Syntax, message).at(place, "not known before `{`").help(help));
        }
        let wrong = Diagnostic::error(Code::Syntax, format!("`{word}` is no aggregate"))
            .at(place, "not known before `{`")
            .help(format!("write one of `{}`, as in `N = count {{ X : p(X) }}`", names.join("`, `")));
        Some(meant.into_iter().fold(wrong, |wrong, meant| wrong.replacement(place, meant)))
    }

    /// What is told of `count { p(X, Y) }`, which does not say what is counted.
    fn aggregate_without_terms(&self) -> Option<Diagnostic> {
        let open = self.open_parenthesis().filter(|&open| self.found == "}" && self.text[open..].starts_with('{'))?;
        let before = self.text[..open].trim_end();
        let name = &before[before.trim_end_matches(is_word).len()..];
        let conditions = self.text[open + 1..self.at].trim();
        if AggregateFunction::of(name).is_none() || conditions.is_empty() || conditions.contains([':', '\'', '"']) {
            return None;
        }
        let mut variables: Vec<&str> = Vec::new();
        for word in conditions.split(|c| !is_word(c)).filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()))
        {
            if !variables.contains(&word) {
                variables.push(word);
            }
        }
        let wrong = Diagnostic::error(Code::Syntax, format!("`{name}` does not say of which terms"))
            .at(self.span(open, self.at + 1), "conditions alone");
        let mut conditions = conditions.to_owned();
        // The variable of the value would be bound by nothing: it has a name of its own.
        let value = before[..before.len() - name.len()].trim_end().trim_end_matches('=').trim_end();
        let value = &value[value.trim_end_matches(is_word).len()..];
        // Variables that stand outside as well are the group: what is counted are the others, or else what has no name.
        let outside = [statement_before(before), statement_behind(&self.text[self.at + 1..])];
        let is_outside = |word: &str| outside.iter().any(|text| words(text).any(|other| other == word));
        let own = variables.iter().copied().filter(|&word| word == value || !is_outside(word));
        let mut terms = own.collect::<Vec<&str>>().join(", ");
        if terms.is_empty() && name == "count" {
            let unnamed = words(&conditions).filter(|&word| word == "_").count();
            let names: Vec<String> =
                fresh_names(|word| is_outside(word) || variables.contains(&word)).take(unnamed).collect();
            terms = names.join(", ");
            conditions = with_names(&conditions, names);
        }
        if terms.is_empty() {
            terms = variables.join(", ");
        }
        if variables.contains(&value) {
            let inner = (1..).map(|n| format!("{value}{n}")).find(|name| !self.text.contains(name.as_str()));
            let inner = inner.unwrap_or_default();
            [&mut terms, &mut conditions].into_iter().for_each(|text| *text = renamed(text, value, &inner));
        }
        Some(if terms.is_empty() || !conditions.contains('(') {
            wrong.help(format!("name them, as in `{name} {{ X : p(X) }}`"))
        } else {
            wrong
                .help(format!("write terms, a colon, conditions: `{name} {{ {terms} : {conditions} }}`"))
                .replacement(self.span(open + 1, self.at), format!(" {terms} : {conditions} "))
        })
    }

    /// What is told of `X in {1, 2}`, whose `in` begins at `word`.
    fn set_of_values(&self, word: usize) -> Diagnostic {
        let before = self.text[..word].trim_end();
        let element = before.trim_end_matches(is_word).len();
        let wrong = Diagnostic::error(Code::Syntax, "`in` needs a range")
            .at(self.span(word, word + "in".len()), "no range follows")
            .help("write `X in 1..9`; one of several values is written `member(X, [1, 2])`");
        let inside = self.at + 1;
        let end = self.text[inside..].find(['}', '{', '\'', '"', ':']).map(|end| inside + end);
        match end.filter(|&end| element < before.len() && self.text[end..].starts_with('}')) {
            Some(end) => wrong.repair(vec![
                Replacement::new(self.span(element, element), "member("),
                Replacement::new(self.span(before.len(), inside), ", ["),
                Replacement::new(self.span(end, end + 1), "])"),
            ]),
            None => wrong,
        }
    }

    /// The number with a fraction or an exponent, but without a digit in front, in which reading stopped, and its place.
    fn decimal(&self) -> Option<(usize, &str)> {
        let before = &self.text[..self.at];
        let at = before.strip_suffix('.').unwrap_or(before).trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let number = name::decimal_prefix(&self.text[at..])?;
        let is_whole = !self.text[at + number.len()..].starts_with(is_word);
        let is_begun = number.starts_with(|c: char| c.is_ascii_digit());
        (is_whole && !is_begun && at + number.len() > self.at).then_some((at, number))
    }

    /// The empty place behind what was understood.
    fn end_before(&self) -> Span {
        self.span(self.before.len(), self.before.len())
    }

    /// A complete operand came before: an operator, a separator or the end could follow.
    fn after_operand(&self) -> Diagnostic {
        let last = self
            .before
            .rfind(|c: char| !is_word(c))
            .map_or(0, |i| i + self.before[i..].chars().next().map_or(1, char::len_utf8));
        let word = &self.before[last..];
        let of_another_language = self.doubled_mark().or_else(|| self.arguments_in_brackets(word));
        if let Some(wrong) = of_another_language.or_else(|| self.operator_of_another_language()) {
            return wrong;
        }
        if let Some(wrong) = self.word_before_operand(last, word) {
            return wrong;
        }
        if let Some(rest) = self.text[self.at..].strip_prefix("not")
            && rest.trim_start().starts_with("in ")
        {
            return self.error(
                "`not in` is no operator",
                "not known",
                "write `~member(X, [1, 2])`, or of a range `~(X in 1..9)`",
            );
        }
        match self.found {
            "(" if word.starts_with(|c: char| c.is_ascii_uppercase() || c == '_') => {
                self.variable_as_functor(last, word)
            }
            ")" | "]" => match self.open_parenthesis() {
                Some(open) => self
                    .error(
                        format!("`{}` does not close `{}`", self.found, &self.text[open..open + 1]),
                        "does not match",
                        "close what is open first",
                    )
                    .at(self.span(open, open + 1), "opened here")
                    .replacement(self.end_before(), closing(&self.text[open..open + 1])),
                None => self
                    .error(
                        format!("`{}` closes nothing", self.found),
                        "nothing is open here",
                        "remove it, or open what it should close",
                    )
                    .replacement(self.span(self.at, self.at + self.found.len()), ""),
            },
            ";" if self.is_among_arguments() => self.error(
                "`;` cannot stand between arguments",
                "expected `,` or `)`",
                if self.text.trim_start().starts_with(":- type") {
                    "a type of symbols is declared as `:- enumeration(color, red, green).`"
                } else {
                    "write a fact or a rule for each of them: `;` stands between conditions"
                },
            ),
            "|" if self.is_behind_terms() => self
                .error(
                    "`|` cannot stand behind the terms of an aggregate",
                    "expected `:`",
                    "write `:` before the conditions",
                )
                .replacement(self.span(self.at, self.at + 1), ":"),
            ":-" | "==>" | "?-" => self.second_mark(),
            found if begins_operand(found) && self.has_line_end_before() => {
                let end = self.before.len();
                if self.computes_in_comment && self.before.ends_with(|c: char| is_word(c) || c == ')') {
                    return Diagnostic::error(Code::Syntax, "a statement is not ended, or an operator is missing")
                        .at(self.span(end, end), "a comment follows")
                        .help(foreign::COMMENT_MARKS);
                }
                Diagnostic::error(Code::Syntax, "a statement is not ended, or an operator is missing")
                    .at(self.span(end, end), "a period is missing here")
                    .at(self.span(self.at, self.at + found.len()), "before this")
                    .help("end the statement with a period, or join conditions with `&` or `,`")
                    .replacement(self.end_before(), ".")
                    .replacement(self.end_before(), " &")
            }
            found if begins_operand(found) => self.missing_operator(found),
            found => self.error(
                format!("`{found}` cannot stand here"),
                "expected an operator, `,` or the end of the statement",
                "join conditions with `&` or `,`; end a statement with a period",
            ),
        }
    }

    /// Whether the terms of an aggregate stand before it, and no colon.
    fn is_behind_terms(&self) -> bool {
        self.before.rfind(['{', '}', ':']).is_some_and(|at| self.before[at..].starts_with('{'))
    }

    /// What is told of a second `:-`: the statement before it may end at the end of a line, perhaps in place of what joins conditions.
    fn second_mark(&self) -> Diagnostic {
        let wrong = self.error(
            format!("a second `{}` in one statement", self.found),
            "expected an operator or the period",
            "end the statement before it with a period",
        );
        if self.has_line_end_before() {
            return wrong.replacement(self.end_before(), ".");
        }
        let ended = self.before.rfind('\n').map(|line| self.before[..line].trim_end().len());
        match ended.filter(|&end| self.before[..end].ends_with([',', '&'])) {
            Some(end) => wrong.replacement(self.span(end - 1, end), "."),
            None => wrong,
        }
    }

    /// What is told of a word between operands that is an operator of another language.
    fn operator_of_another_language(&self) -> Option<Diagnostic> {
        let (help, mark) = foreign::operator(&self.found.to_ascii_lowercase())?;
        let wrong = self.error(format!("`{}` is no operator", self.found), "not known", help);
        let place = self.span(self.at, self.at + self.found.len());
        let wrong = mark.into_iter().fold(wrong, |wrong, mark| wrong.replacement(place, mark));
        Some(if mark == Some("&") { wrong.certain() } else { wrong })
    }

    /// An operand was needed.
    fn before_operand(self) -> Diagnostic {
        if let Some(wrong) = self.plus_sign() {
            return wrong;
        }
        match self.found {
            "not" | "is" | "mod" => self.operator_as_name(self.at, self.found),
            ")" | "]" | "," | "." | "("
                if self.before.trim_end_matches(is_word).len() + 3 == self.before.len()
                    && self.before.ends_with("not") =>
            {
                self.operator_as_name(self.before.len() - 3, "not")
            }
            "," | "&" | "." | ";" | "|" | ")" if self.before.ends_with('!') => {
                let cut = self.before.len() - 1;
                Diagnostic::error(Code::Syntax, "a cut means nothing here")
                    .at(self.span(cut, cut + 1), "conditions have no order, and all answers are found")
                    .help("a rule that holds where another one does not says so: `& ~first(X)`; `!` is a negation, as `~`")
            }
            "." if self.before.ends_with(":-") => {
                let head = self.before.trim_end_matches(":-").trim_end().len();
                self.error(
                    "this rule has no body",
                    "expected a condition before the period",
                    "a fact is written without `:-`",
                )
                .replacement(self.span(head, self.at), "")
            }
            found if found.starts_with(|c: char| c.is_ascii_digit()) => {
                let rest = &self.text[self.at..];
                let fraction = name::decimal_prefix(rest).map_or(0, str::len);
                let length = fraction.max(found.len());
                let found = &rest[..length + rest[length..].find(|c| !is_word(c)).unwrap_or(rest.len() - length)];
                Self { found, ..self }
                    .error(
                        format!("`{found}` is neither a number nor a name"),
                        "a name cannot begin with a digit",
                        format!("if a symbol is meant, quote it: '{found}'"),
                    )
                    .replacement(self.span(self.at, self.at + found.len()), format!("'{found}'"))
            }
            found if found.starts_with(|c: char| c.is_alphabetic()) => self
                .error(
                    format!("`{found}` is no plain name"),
                    "plain names are made of a-z, A-Z, 0-9 and `_`",
                    format!("quote it: '{found}'"),
                )
                .replacement(self.span(self.at, self.at + found.len()), format!("'{found}'")),
            found => self.missing_operand(found),
        }
    }

    /// A variable `word`, which begins at `start`, with arguments behind it.
    fn variable_as_functor(&self, start: usize, word: &str) -> Diagnostic {
        let place = self.span(start, start + word.len());
        let wrong = Diagnostic::error(Code::Syntax, "a variable cannot stand for a predicate or functor")
            .at(self.span(start, self.at), "names that begin upper-case or with `_` are variables");
        match as_symbols(word) {
            Some([small, quoted]) => wrong
                .help(format!("begin the name lower-case, as `{small}`, or quote it: {quoted}"))
                .replacement(place, small)
                .replacement(place, quoted),
            None => wrong.help(format!("quote the name: '{word}'")).replacement(place, format!("'{word}'")),
        }
    }

    /// Two operands, of which `found` is the second.
    fn missing_operator(&self, found: &str) -> Diagnostic {
        let wrong = self.error(
            format!("an operator is missing before `{found}`"),
            "expected an operator, `,` or the end of the statement",
            "join conditions with `&` or `,`; end a statement with a period",
        );
        let before = self.before[self.before.trim_end_matches(is_word).len()..].chars().next();
        let is_behind_value = before.is_some_and(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let is_called = self.text[self.at + found.len()..].starts_with('(');
        let is_word_alone = found.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()) && !is_called;
        let missing: &[&str] = if self.open_parenthesis().is_some() {
            &[","]
        } else if is_behind_value && is_word_alone {
            // An operator of another language, perhaps, as in `X plus 1`.
            &[]
        } else if self.before.contains(":-") {
            &[" &", "."]
        } else if self.before.chars().all(is_word) {
            // A word alone is a remark rather than a fact.
            &[]
        } else {
            &["."]
        };
        missing.iter().fold(wrong, |wrong, mark| wrong.replacement(self.end_before(), *mark))
    }

    /// Two operators, or one at the end, of which `found` is the last.
    fn missing_operand(&self, found: &str) -> Diagnostic {
        let before = self.text[..self.at].trim_end();
        let mark = before.trim_end_matches(['&', ',', '|', ';', '+', '-', '*', '/', '<', '>', '=', '~', '!']);
        let wrong = self.error(
            format!("a condition or a term is missing before `{found}`"),
            "expected a name, a variable, a number, a list or parentheses",
            "complete the expression, or remove a mark",
        );
        // Without its arrow, a transition would be a fact, and without its negation a condition the opposite.
        let kept = ["==>", ":-", "?-", "~", "!"];
        let is_operator = mark.len() < before.len() && !kept.iter().any(|kept| before.ends_with(kept));
        if is_operator {
            wrong.replacement(self.span(mark.trim_end().len(), before.len()), "")
        } else if matches!(found, "," | "&" | "|" | ";") {
            wrong.replacement(self.span(self.at, self.at + found.len()), "")
        } else {
            wrong
        }
    }

    fn operator_as_name(&self, at: usize, word: &str) -> Diagnostic {
        Diagnostic::error(Code::Syntax, format!("`{word}` is an operator"))
            .at(self.span(at, at + word.len()), "an operand is missing")
            .help(format!("complete the expression; as a name, quote it: '{word}'"))
            .replacement(self.span(at, at + word.len()), format!("'{word}'"))
    }

    /// Whether reading stopped among the arguments of a predicate or functor. A choice has a `;` between its variables.
    fn is_among_arguments(&self) -> bool {
        let functor = self.open_parenthesis().map_or("", |open| &self.text[..open]);
        functor.ends_with(is_word) && !functor.ends_with("choice")
    }

    /// The innermost parenthesis or bracket that is open where reading stopped.
    fn open_parenthesis(&self) -> Option<usize> {
        let mut opens = Vec::new();
        let mut quote = None;
        let mut escaped = false;
        for (i, c) in self.text[..self.at].char_indices() {
            match (quote, c) {
                _ if escaped => escaped = false,
                (Some(_), '\\') => escaped = true,
                (Some(mark), _) if mark == c => quote = None,
                (Some(_), _) => {}
                (None, '\'' | '"') => quote = Some(c),
                (None, '(' | '[' | '{') => opens.push(i),
                (None, ')' | ']' | '}') => drop(opens.pop()),
                _ => {}
            }
        }
        opens.pop()
    }
}

/// A text in which a word has another name.
fn renamed(text: &str, word: &str, name: &str) -> String {
    let mut renamed = String::new();
    for part in text.split_inclusive(|c| !is_word(c)) {
        match part.strip_prefix(word) {
            Some(rest) if !rest.starts_with(is_word) => renamed.extend([name, rest]),
            _ => renamed.push_str(part),
        }
    }
    renamed
}

pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn begins_operand(found: &str) -> bool {
    found.starts_with(|c: char| is_word(c) || matches!(c, '\'' | '"' | '(' | '[' | '~' | '!' | '?'))
}

/// The word, mark or character that `text` begins with.
pub(super) fn token(text: &str) -> &str {
    let word = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let marks = [":-", "==>", "?-"];
    match word {
        0 => marks
            .into_iter()
            .find(|mark| text.starts_with(mark))
            .unwrap_or_else(|| &text[..text.chars().next().map_or(0, char::len_utf8)]),
        length => &text[..length],
    }
}
