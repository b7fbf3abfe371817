//! Splitting a text into its statements, before any grammar sees it.
//!
//! One pass over the bytes that knows only quotes, comments, parentheses and what ends a statement. Because the pieces
//! are parsed one by one, an error costs its own statement and no other, and because parentheses are counted here,
//! without recursion, a hostile text cannot drive the recursive parsers deeper than [`MAX_NESTING`].
//!
//! Comments are collected for the statement that they stand before, within, or behind on the same line.

use super::{MAX_DIAGNOSTICS, MAX_NESTING, Syntax, foreign};
use crate::budget::{Budget, Poll, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Replacement, SourceId, Span};
use std::borrow::Cow;
use std::ops::Range;

/// The most returns to an earlier line; see [`Splitter::returns`]. Each costs a pass over the text.
const MAX_RETURNS: usize = 16;

/// Tokens read between two checks of the budget.
const POLL_EVERY: u32 = 4096;

/// One statement's text.
pub(super) struct Piece<'a> {
    pub start: usize,
    /// The text with its comments blanked out; positions in it are those of the source less `start`.
    pub text: Cow<'a, str>,
    pub comments: Vec<String>,
    /// Whether the end of the statement was found, and not only that of the file (`.dl`).
    pub ended: bool,
}

#[derive(Default)]
pub(super) struct Pieces<'a> {
    pub list: Vec<Piece<'a>>,
    /// The comments after the last piece.
    pub trailing: Vec<String>,
    /// The places of the comments.
    pub comment_ranges: Vec<Range<usize>>,
    /// Whether the text ends within a statement or a comment.
    pub unfinished: bool,
    pub diagnostics: Diagnostics,
    /// The place of the first diagnostic that is one too many, and that is not told.
    pub stop: Option<Span>,
}

/// Splits `text`. Statements that nest too deep or whose parentheses do not match are reported and left out.
pub(super) fn split(text: &str, source: SourceId, syntax: Syntax) -> Pieces<'_> {
    split_within(text, source, syntax, &Budget::unlimited()).expect("nothing stops splitting without limits")
}

/// [`split`] within a budget.
pub(super) fn split_within<'t>(
    text: &'t str,
    source: SourceId,
    syntax: Syntax,
    budget: &Budget,
) -> Result<Pieces<'t>, Stopped> {
    Splitter::new(text, source, syntax).run(budget)
}

/// What a text ends within.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OpenBracket {
    /// The parentheses that are open.
    pub parentheses: usize,
    /// Whether a statement has begun.
    pub statement: bool,
    /// Whether a comment has begun.
    pub comment: bool,
    /// The parentheses that are open in a directive of Soufflé.
    pub directive: usize,
    /// The first character of the last token of the statement.
    pub last: Option<char>,
}

impl OpenBracket {
    /// What the text ends within after one more line, which is read alone.
    pub fn after(self, line: &str, syntax: Syntax) -> OpenBracket {
        if self.directive > 0 {
            return OpenBracket { directive: directive_end(line, self.directive).1, ..self };
        }
        let mut splitter = Splitter::new(line, SourceId(0), syntax);
        if self.comment {
            let close = if syntax == Syntax::Kif { "|#" } else { "*/" };
            let Some(end) = line.find(close) else { return self };
            splitter.at = end + close.len();
        }
        splitter.start = self.statement.then_some(splitter.at);
        splitter.opens = vec![splitter.at; self.parentheses];
        splitter.last = self.last;
        splitter.scan(&mut Poll::new(&Budget::unlimited(), POLL_EVERY)).expect("nothing stops it without limits");
        let statement = splitter.start.is_some();
        let last = splitter.last.filter(|_| statement);
        let directive = splitter.open_directive;
        let comment = splitter.pieces.unfinished && directive == 0;
        OpenBracket { parentheses: splitter.opens.len(), statement, comment, directive, last }
    }
}

/// The length of a directive of Soufflé in a text that begins within `open` parentheses of it: up to the end of the line on
/// which they are closed; and the parentheses that are open there, if the text ends before.
fn directive_end(text: &str, mut open: usize) -> (usize, usize) {
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => open += 1,
            ')' | '}' | ']' => open = open.saturating_sub(1),
            '\n' if open == 0 => return (at, 0),
            _ => {}
        }
    }
    (text.len(), open)
}

struct Splitter<'a> {
    text: &'a str,
    source: SourceId,
    syntax: Syntax,
    at: usize,
    /// The start of the statement that is being read.
    start: Option<usize>,
    /// The parentheses that are open.
    opens: Vec<usize>,
    /// The first parenthesis that was one too many.
    too_deep: Option<usize>,
    /// Whether the statement has been reported already.
    broken: bool,
    /// Up to here, quotation marks are read as ordinary characters.
    unquoted_before: usize,
    /// The comments within the statement that is being read.
    inner_comments: Vec<Range<usize>>,
    comments: Vec<String>,
    /// Whether a statement ended on this line.
    same_line: bool,
    /// Times that reading has gone back to a parenthesis at the start of a line, because the text ended within a
    /// statement. The last time, every such parenthesis begins a statement, so that time stays linear.
    returns: usize,
    /// The first character of the last token.
    last: Option<char>,
    /// The parentheses that are open in a directive of Soufflé at the end of the text.
    open_directive: usize,
    pieces: Pieces<'a>,
}

impl<'a> Splitter<'a> {
    fn new(text: &'a str, source: SourceId, syntax: Syntax) -> Self {
        Splitter {
            text,
            source,
            syntax,
            at: 0,
            start: None,
            opens: Vec::new(),
            too_deep: None,
            broken: false,
            unquoted_before: 0,
            inner_comments: Vec::new(),
            comments: Vec::new(),
            same_line: false,
            returns: 0,
            last: None,
            open_directive: 0,
            pieces: Pieces::default(),
        }
    }

    fn run(mut self, budget: &Budget) -> Result<Pieces<'a>, Stopped> {
        let mut poll = Poll::new(budget, POLL_EVERY);
        self.scan(&mut poll)?;
        while self.at_end_of_text() {
            self.scan(&mut poll)?;
        }
        self.pieces.trailing = self.comments;
        Ok(self.pieces)
    }

    /// Reads to the end of the text.
    fn scan(&mut self, poll: &mut Poll) -> Result<(), Stopped> {
        let is_datalog = self.syntax == Syntax::Datalog;
        while let Some(c) = self.text[self.at..].chars().next() {
            poll.step()?;
            if let Some(end) = self.comment_end() {
                self.comment(end);
                continue;
            }
            match c {
                '\n' => {
                    self.same_line = false;
                    self.at += 1;
                }
                _ if c.is_whitespace() => self.at += c.len_utf8(),
                '(' => self.open(),
                ')' => self.close(),
                '[' | '{' if is_datalog => self.open(),
                ']' | '}' if is_datalog => self.close(),
                '|' | '"' | '\'' if c != if is_datalog { '|' } else { '\'' } => self.quotation(),
                '.' if is_datalog && self.start.is_none() && self.begins_directive() => self.directive(),
                '.' if is_datalog && self.ends_statement() => {
                    self.at_token();
                    self.at += 1;
                    self.finish(true);
                }
                _ => {
                    self.at_token();
                    self.word();
                    self.after_token();
                }
            }
        }
        Ok(())
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.pieces.diagnostics.iter().count() < MAX_DIAGNOSTICS {
            self.pieces.diagnostics.push(diagnostic);
        } else if self.pieces.stop.is_none() {
            self.pieces.stop = diagnostic.labels.first().map(|label| label.span);
        }
    }

    /// Steps over a quotation. One that is not closed on its line is reported, and what follows its mark read as if the
    /// quotation marks on this line were not there: so the statement still ends where it seems to.
    fn quotation(&mut self) {
        self.at_token();
        let bytes = self.text.as_bytes();
        match if self.at < self.unquoted_before { None } else { quotation_end(bytes, self.at) } {
            Some(end) => self.at = end,
            None => {
                if !self.broken {
                    let wrong = self.open_quotation();
                    self.report(wrong);
                }
                self.broken = true;
                if self.at >= self.unquoted_before {
                    self.unquoted_before =
                        self.text[self.at..].find('\n').map_or(bytes.len(), |length| self.at + length);
                }
                self.at += 1;
            }
        }
        self.after_token();
    }

    /// The diagnostic of a quotation that begins here, and is not closed on its line.
    fn open_quotation(&self) -> Diagnostic {
        let mark = char::from(self.text.as_bytes()[self.at]);
        let wrong = Diagnostic::error(Code::Syntax, "this quotation is not closed on its line")
            .at(Span::new(self.source, self.at, self.at + 1), "it begins here");
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let before = &self.text[..self.at];
        let start = before.trim_end_matches(is_of_name).len();
        if mark == '\'' && start < self.at {
            let behind = &self.text[self.at + 1..];
            let end = self.at + 1 + behind.find(|c| !is_of_name(c)).unwrap_or(behind.len());
            let quoted = format!("'{}\\'{}'", &before[start..], &self.text[self.at + 1..end]);
            return wrong
                .help("quote the whole name, with a backslash before the mark: `'it\\'s'`")
                .replacement(Span::new(self.source, start, end), quoted);
        }
        if self.syntax == Syntax::Kif && self.text[self.at..].starts_with("|#") {
            let end = Span::new(self.source, self.at, self.at + "|#".len());
            return Diagnostic::error(Code::Syntax, "no comment is open that `|#` could end")
                .at(end, "it ends nothing")
                .help("comments do not nest: the first `|#` ends one");
        }
        let help = format!("end it with `{mark}`; within it, `\\{mark}` and `\\n` stand for a mark and a new line");
        let name = likely_name(&self.text[self.at + 1..]);
        let end = self.at + 1 + name.len();
        let wrong = wrong.help(help);
        if name.is_empty() { wrong } else { wrong.replacement(Span::new(self.source, end, end), mark) }
    }

    /// Steps over a `.kif` word, or over one character of `.dl`.
    fn word(&mut self) {
        let rest = &self.text[self.at..];
        self.at += match self.syntax {
            Syntax::Kif => rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '|' | '"'))
                .map_or(rest.len(), |length| length.max(1)),
            Syntax::Datalog => rest.chars().next().map_or(1, char::len_utf8),
        };
    }

    /// A period ends a statement unless a digit or a period stands behind it, as in `1.5`, `.5` and `1..5`.
    fn ends_statement(&self) -> bool {
        let bytes = self.text.as_bytes();
        let next = bytes.get(self.at + 1);
        let is_inside = next.is_some_and(|byte| *byte == b'.' || byte.is_ascii_digit());
        !is_inside && (self.at == 0 || bytes[self.at - 1] != b'.')
    }

    /// Whether a directive of Soufflé begins here.
    fn begins_directive(&self) -> bool {
        self.text[self.at + 1..].starts_with(|c: char| c.is_ascii_lowercase())
    }

    /// Reports a directive of Soufflé, as `.decl edge(x: number)`, and steps over it.
    fn directive(&mut self) {
        let (length, open) = directive_end(&self.text[self.at..], 0);
        let end = self.at + length;
        (self.open_directive, self.pieces.unfinished) = (open, self.pieces.unfinished || open > 0);
        let word = self.text[self.at + 1..].split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next();
        let word = word.unwrap_or_default();
        let span = Span::new(self.source, self.at, self.at + 1 + word.len());
        self.report(foreign::souffle_directive(word, span, &self.text[self.at + 1 + word.len()..end]));
        self.at = end;
    }

    /// The end of the comment that begins here, if one does.
    fn comment_end(&self) -> Option<usize> {
        let rest = &self.text.as_bytes()[self.at..];
        let line = || self.text[self.at..].find('\n').map_or(self.text.len(), |length| self.at + length);
        let block = |close| self.text[self.at + 2..].find(close).map_or(self.text.len(), |i| self.at + 2 + i + 2);
        match self.syntax {
            Syntax::Kif if rest.starts_with(b";") => Some(line()),
            Syntax::Kif if rest.starts_with(b"#|") => Some(block("|#")),
            Syntax::Datalog if rest.starts_with(b"%") || rest.starts_with(b"//") => Some(line()),
            Syntax::Datalog if rest.starts_with(b"/*") => Some(block("*/")),
            _ => None,
        }
    }

    fn comment(&mut self, end: usize) {
        let range = self.at..end;
        self.at = end;
        let text = &self.text[range.clone()];
        let (close, help) =
            if text.starts_with("/*") { ("*/", "end it with `*/`") } else { ("|#", "end it with `|#`") };
        let is_block = text.starts_with("/*") || text.starts_with("#|");
        if is_block && (text.len() < 4 || !text.ends_with(close)) {
            self.pieces.unfinished = true;
            let span = Span::new(self.source, range.start, range.start + 2);
            // Most comments that are never closed were to be of one line.
            let line = range.start + text.lines().next().map_or(0, |line| line.trim_end().len());
            self.report(
                Diagnostic::error(Code::Syntax, "this comment is never closed")
                    .at(span, "it begins here")
                    .help(help)
                    .replacement(Span::new(self.source, line, line), format!(" {close}")),
            );
        }
        match (self.start, self.pieces.list.last_mut()) {
            (Some(_), _) => self.inner_comments.push(range.clone()),
            (None, Some(piece)) if self.same_line => comment_lines(text, &mut piece.comments),
            _ => comment_lines(text, &mut self.comments),
        }
        self.pieces.comment_ranges.push(range);
        self.same_line &= !text.contains('\n');
    }

    fn at_token(&mut self) {
        self.start.get_or_insert(self.at);
        self.last = self.text[self.at..].chars().next();
    }

    /// In `.kif`, what stands outside all parentheses is a statement of its own.
    fn after_token(&mut self) {
        if self.syntax == Syntax::Kif && self.opens.is_empty() {
            self.finish(true);
        }
    }

    fn open(&mut self) {
        let at_line_start = self.at == 0 || self.text.as_bytes()[self.at - 1] == b'\n';
        if self.returns == MAX_RETURNS && at_line_start && !self.opens.is_empty() {
            self.unclosed(Some(self.at));
        }
        self.at_token();
        self.opens.push(self.at);
        if self.opens.len() > MAX_NESTING {
            self.too_deep.get_or_insert(self.at);
        }
        self.at += 1;
    }

    fn close(&mut self) {
        let closed = self.opens.pop();
        match self.syntax {
            Syntax::Kif if closed.is_none() => {
                let start = self.at;
                while self.text.as_bytes().get(self.at) == Some(&b')') {
                    self.at += 1;
                }
                let message = match self.at - start {
                    1 => "this parenthesis closes nothing",
                    _ => "these parentheses close nothing",
                };
                let span = Span::new(self.source, start, self.at);
                self.report(
                    Diagnostic::error(Code::Syntax, message)
                        .at(span, "no parenthesis is open here")
                        .help("remove it, or see whether the statement before it was closed too early")
                        .replacement(span, ""),
                );
            }
            Syntax::Kif => {
                self.at += 1;
                self.after_token();
            }
            Syntax::Datalog => {
                self.at_token();
                self.at += 1;
            }
        }
    }

    /// Deals with an unfinished statement at the end of the text. Answers whether reading goes on from an earlier
    /// place.
    fn at_end_of_text(&mut self) -> bool {
        let Some(start) = self.start else { return false };
        self.pieces.unfinished = true;
        match self.syntax {
            Syntax::Datalog => {
                self.finish(false);
                false
            }
            Syntax::Kif => {
                let next = self.text[start..].find("\n(").map(|i| start + i + 1);
                self.unclosed(next);
                let Some(next) = next.filter(|_| self.returns < MAX_RETURNS) else { return false };
                self.returns += 1;
                self.at = next;
                self.pieces.comment_ranges.retain(|range| range.start < next);
                true
            }
        }
    }

    fn unclosed(&mut self, next: Option<usize>) {
        let start = self.opens.first().copied().unwrap_or(self.at);
        let mut diagnostic = Diagnostic::error(Code::Syntax, "this parenthesis is never closed")
            .at(Span::new(self.source, start, start + 1), "it opens here");
        if let Some(next) = next {
            diagnostic = diagnostic.at(Span::new(self.source, next, next + 1), "the next statement begins here");
        }
        let missing = match self.opens.len() {
            1 => "a closing parenthesis is missing".to_owned(),
            n => format!("{n} closing parentheses are missing"),
        };
        let end = self.end_of_statement(next.unwrap_or(self.text.len()));
        let closing = Span::new(self.source, end, end);
        self.report(
            diagnostic
                .help(format!("{missing} before the statement's end"))
                .replacement(closing, ")".repeat(self.opens.len())),
        );
        self.discard();
    }

    /// The end of what stands before `next` and is no comment.
    fn end_of_statement(&self, next: usize) -> usize {
        let mut end = self.text[..next].trim_end().len();
        while let Some(comment) = self.pieces.comment_ranges.iter().rev().find(|one| one.start < end && end <= one.end)
        {
            end = self.text[..comment.start].trim_end().len();
        }
        end
    }

    fn discard(&mut self) {
        self.start = None;
        self.opens.clear();
        self.too_deep = None;
        self.broken = false;
        self.inner_comments.clear();
    }

    /// The statement that is being read ends before `self.at`.
    fn finish(&mut self, ended: bool) {
        let Some(start) = self.start.take() else { return };
        let text = self.text[start..self.at].trim_end();
        if let Some(at) = self.too_deep {
            let span = Span::new(self.source, at, at + 1);
            self.report(nesting_too_deep(span));
        } else if !self.broken {
            let mut comments = std::mem::take(&mut self.comments);
            let mut text = Cow::Borrowed(text);
            for range in &self.inner_comments {
                comment_lines(&self.text[range.clone()], &mut comments);
                let end = (range.end - start).min(text.len());
                let blank = " ".repeat(end - (range.start - start));
                text.to_mut().replace_range(range.start - start..end, &blank);
            }
            self.pieces.list.push(Piece { start, text, comments, ended });
            self.same_line = true;
        }
        self.discard();
    }
}

/// The diagnostic for a place that nests deeper than [`MAX_NESTING`].
pub(super) fn nesting_too_deep(span: Span) -> Diagnostic {
    Diagnostic::error(Code::NestingTooDeep, format!("this is nested more than {MAX_NESTING} deep"))
        .at(span, "too deep from here on")
        .help("name the parts: give an inner part a rule of its own")
}

/// The diagnostic for a quotation at `at` that the grammar refused, if there is one.
pub(super) fn bad_quotation(text: &str, at: usize, place: impl Fn(usize, usize) -> Span) -> Option<Diagnostic> {
    let end = quotation_end(text.as_bytes(), at).filter(|_| text[at..].starts_with(['|', '"', '\'']))?;
    let wrong = Diagnostic::error(Code::Syntax, "this quotation holds an unknown escape")
        .at(place(at, end), "a backslash escapes the next character")
        .help("known are `\\\\`, `\\n`, `\\r`, `\\t`, `\\u{2b}` and a backslash before a quotation mark");
    let doubled = unknown_escapes(&text[at + 1..end - 1]).map(|escape| place(at + 1 + escape, at + 1 + escape));
    Some(wrong.repair(doubled.map(|backslash| Replacement::new(backslash, "\\")).collect()))
}

/// The words behind the mark of a quotation that is not closed that are probably meant to be in it: those up to what ends a term or a
/// statement, or up to a blank behind which no word follows.
fn likely_name(behind: &str) -> &str {
    let line = behind.lines().next().unwrap_or_default();
    let ends = |&(at, c): &(usize, char)| {
        let rest = &line[at + c.len_utf8()..];
        match c {
            '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '&' => true,
            '.' => !rest.starts_with(|next: char| !next.is_whitespace()),
            c => c.is_whitespace() && !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_'),
        }
    };
    &line[..line.char_indices().find(ends).map_or(line.len(), |(at, _)| at)]
}

/// The places of the backslashes in a quotation that no known character follows. Those before a `u` are left, since a number may be meant.
fn unknown_escapes(quoted: &str) -> impl Iterator<Item = usize> {
    let mut is_escaped = false;
    quoted.char_indices().filter_map(move |(at, c)| {
        let was_escaped = is_escaped;
        is_escaped = c == '\\' && !was_escaped;
        let is_known = matches!(c, '\\' | 'n' | 'r' | 't' | 'u' | '\'' | '"' | '|');
        (was_escaped && !is_known).then(|| at - 1)
    })
}

/// The end of the quotation that begins at `at`, if it is closed on its line.
pub(super) fn quotation_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mark = *bytes.get(at)?;
    let mut i = at + 1;
    loop {
        match *bytes.get(i)? {
            b'\n' => return None,
            b'\\' if bytes.get(i + 1) != Some(&b'\n') => i += 2,
            byte if byte == mark => return Some(i + 1),
            _ => i += 1,
        }
    }
}

/// Appends the lines of a comment, without its marks.
fn comment_lines(comment: &str, lines: &mut Vec<String>) {
    let block = comment.strip_prefix("/*").map(|text| text.strip_suffix("*/").unwrap_or(text));
    let block = block.or_else(|| comment.strip_prefix("#|").map(|text| text.strip_suffix("|#").unwrap_or(text)));
    match block {
        Some(text) => lines.extend(text.trim().lines().map(|line| line.trim().to_owned())),
        None => {
            let text = comment.strip_prefix("//").unwrap_or_else(|| &comment[1..]);
            lines.push(text.strip_prefix(' ').unwrap_or(text).trim_end().to_owned());
        }
    }
}
