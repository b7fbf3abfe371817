//! Diagnostics for texts that the grammar refuses.

use super::G;
use crate::ast::{AggregateFunction, nearest};
use crate::diagnostic::{Code, Diagnostic, Replacement, SourceId, Span};
use crate::foreign;
use crate::name;
use crate::split::{self, Piece};
use crate::{Syntax, as_symbols};
use pest::error::{Error, ErrorVariant, InputLocation};
use std::ops::Range;

/// Marks of other languages, each before those that it begins with, with the way to write them here, and the marks that they may be replaced by.
const FOREIGN: [(&str, &str, &[&str]); 34] = [
    (":=", "write `:-` between a head and its body; numbers are computed by `is`", &[":-", "is"]),
    ("->", RULE_OR_TRANSITION, &[":-"]),
    (
        "=>",
        "\"at least\" is written `>=`, a rule `head :- body`, and what changes by an event `conditions ==> effects`",
        &["==>", ">="],
    ),
    ("←", "write `:-` between a head and its body", &[":-"]),
    ("⇐", "write `:-` between a head and its body", &[":-"]),
    ("⟸", "write `:-` between a head and its body", &[":-"]),
    ("→", RULE_OR_TRANSITION, &[":-"]),
    ("⇒", RULE_OR_TRANSITION, &["==>"]),
    ("&&", "write `&`", &["&"]),
    ("∧", "write `&`", &["&"]),
    ("||", "write `|`", &["|"]),
    ("∨", "write `|`", &["|"]),
    ("¬", "write `~`", &["~"]),
    ("<>", "write `!=`", &["!="]),
    ("=/=", "write `!=` for terms and `=\\=` for values", &["!=", "=\\="]),
    ("/=", "write `!=`", &["!="]),
    ("\\==", "write `!=`", &["!="]),
    ("!==", "write `!=`", &["!="]),
    ("===", "write `=`", &["="]),
    ("≠", "write `!=`", &["!="]),
    ("≤", "write `<=`", &["<="]),
    ("≥", "write `>=`", &[">="]),
    ("@=<", "write `<=`, which orders numbers and symbols alike", &["<="]),
    ("@<", "write `<`, which orders numbers and symbols alike", &["<"]),
    ("@>=", "write `>=`, which orders numbers and symbols alike", &[">="]),
    ("@>", "write `>`, which orders numbers and symbols alike", &[">"]),
    ("∈", "write `member(X, [a, b])`, or `X in 1..9` for a range", &[]),
    ("**", "write `power(X, 2)`", &[]),
    ("^", "write `power(X, 2)` for a power, and `bxor(A, B)` for bits", &[]),
    (":", "write `:-` between a head and its body", &[":-"]),
    ("{", "there are no sets; a list is written `[a, b]`, and one of several is chosen by `choice(X; Y)`", &[]),
    ("\\+", "write `~` for a negation", &["~"]),
    ("\\", "write `mod` for a remainder, `!=` for a difference and `~` for a negation", &["mod"]),
    ("#", "begin a comment with `%`; directives are not known", &["%"]),
];

/// The way to write an arrow from conditions to what follows from them.
const RULE_OR_TRANSITION: &str =
    "a rule is written `head :- body`; what changes by an event is written `conditions ==> effects`";

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
    let place = UnexpectedPlace { text, source, start: piece.start, at, found, before };
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => positives.as_slice(),
        ErrorVariant::CustomError { .. } => &[],
    };
    place.explain(expected)
}

/// Whether reading went on behind the template of an aggregate.
fn expected_within(text: &str, at: usize) -> bool {
    text[..at].rfind('{').is_some_and(|open| text[open..at].contains(':'))
}

struct UnexpectedPlace<'a> {
    text: &'a str,
    source: SourceId,
    start: usize,
    /// The position at which reading stopped.
    at: usize,
    /// The word or mark at that position.
    found: &'a str,
    /// The text before it, which was understood.
    before: &'a str,
}

impl UnexpectedPlace<'_> {
    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, self.start + start, self.start + end)
    }

    fn error(&self, message: impl Into<String>, label: &str, help: impl Into<String>) -> Diagnostic {
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
        if let Some((at, mark, help, meant)) = self.foreign_mark() {
            let place = self.span(at, at + mark.len());
            let wrong =
                Self { at, found: mark, ..self }.error(format!("`{mark}` means nothing here"), "not known", help);
            if help == RULE_OR_TRANSITION && self.before.contains(":-") {
                return Self { at, found: mark, ..self }.error(
                    format!("`{mark}` means nothing here"),
                    "not known",
                    foreign::CASES,
                );
            }
            // An arrow may lead either way, and one of them may be a comparison.
            let is_certain = help != RULE_OR_TRANSITION && mark != "=>";
            let meant = meant.iter();
            return meant.fold(wrong, |wrong, meant| {
                if is_certain { wrong.replacement(place, *meant) } else { wrong.example(place, *meant) }
            });
        }
        if let Some(wrong) = self.marked_variable() {
            return wrong;
        }
        if let Some((at, number)) = self.decimal() {
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

    /// What is told where reading stopped behind a variable with a question mark before its name, as `.kif` has them, or behind it.
    fn marked_variable(&self) -> Option<Diagnostic> {
        let is_behind = self.found == "?";
        let at = if is_behind { self.at } else { self.text[..self.at].strip_suffix('?')?.len() };
        let variables = marked_variables(self.text);
        let wrong = Self { at, found: "?", ..*self }.error(
            "this is no variable",
            "question marks make none",
            "variables begin upper-case or with `_`; any other name is quoted: ?'my-var'",
        );
        let respelled =
            |(range, name): (Range<usize>, String)| Replacement::new(self.span(range.start, range.end), name);
        let is_one = variables.iter().any(|(range, _)| range.contains(&at));
        Some(if is_one { wrong.repair(variables.into_iter().map(respelled).collect()) } else { wrong })
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
        let terms = variables.join(", ");
        Some(if variables.is_empty() || !conditions.contains('(') {
            wrong.help(format!("name them, as in `{name} {{ X : p(X) }}`"))
        } else {
            wrong
                .help(format!("write terms, a colon, conditions: `{name} {{ {terms} : {conditions} }}`"))
                .replacement(self.span(open + 1, open + 1), format!(" {terms} :"))
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

    /// A mark of another language that begins where reading stopped, or before and ends behind that place.
    fn foreign_mark(&self) -> Option<(usize, &'static str, &'static str, &'static [&'static str])> {
        if self.text[self.at..].starts_with(":-") {
            return None;
        }
        FOREIGN.iter().find_map(|(mark, help, meant)| {
            let begins = |at: &usize| self.text.get(*at..).is_some_and(|rest| rest.starts_with(mark));
            let at = (self.at.saturating_sub(mark.len() - 1)..=self.at).rev().find(begins)?;
            Some((at, *mark, *help, *meant))
        })
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
        if word == "if" {
            return Diagnostic::error(Code::Syntax, "`if` means nothing here")
                .at(self.span(last, self.before.len()), "not known")
                .help(foreign::CASES);
        }
        if let Some((help, mark)) = foreign::operator(self.found) {
            let wrong = self.error(format!("`{}` is no operator", self.found), "not known", help);
            let place = self.span(self.at, self.at + self.found.len());
            return mark.into_iter().fold(wrong, |wrong, mark| wrong.replacement(place, mark));
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
            ":-" | "==>" | "?-" => self
                .error(
                    format!("a second `{}` in one statement", self.found),
                    "expected an operator or the period",
                    "end the statement before it with a period",
                )
                .replacement(self.end_before(), "."),
            found if begins_operand(found) && self.text[self.before.len()..self.at].contains('\n') => {
                let end = self.before.len();
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

    /// An operand was needed.
    fn before_operand(self) -> Diagnostic {
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
            "complete the expression, or remove the mark before it",
        );
        // Without its arrow, a transition would be a fact.
        let is_operator = mark.len() < before.len() && !before.ends_with("==>");
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

/// The words of a text that have a question mark before or behind them, outside of quotations, with the variables that they are to be.
fn marked_variables(text: &str) -> Vec<(Range<usize>, String)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let before = usize::from(next == '?');
        let word = token(&text[at + before..]);
        let is_word = word.starts_with(is_word);
        let end = at + before + if is_word { word.len() } else { 0 };
        let behind = usize::from(is_word && before == 0 && text[end..].starts_with('?'));
        if is_word && before + behind > 0 {
            let mut variable = String::new();
            name::write_variable(&mut variable, word, Syntax::Datalog);
            found.push((at..end + behind, variable));
        }
        let skipped = matches!(next, '\'' | '"').then(|| split::quotation_end(text.as_bytes(), at)).flatten();
        at = skipped.unwrap_or((end + behind).max(at + next.len_utf8()));
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn begins_operand(found: &str) -> bool {
    found.starts_with(|c: char| is_word(c) || matches!(c, '\'' | '"' | '(' | '[' | '~' | '!' | '?'))
}

/// The word, mark or character that `text` begins with.
fn token(text: &str) -> &str {
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
