//! The grammar of SGF, of whatever game: trees of nodes of properties.
//!
//! Of a tree only the main line is kept, which takes the first branch everywhere. The text is read in one go with the
//! open trees on a stack of our own, as nobody says how deep variations may nest.

use super::super::{error, warning};
use ludolog_syntax::diagnostic::{Diagnostics, SourceId, Span};

/// The main line of a text's first game.
pub struct MainLine {
    /// The nodes, from the root.
    pub nodes: Vec<RawNode>,
    /// Warnings of what was left out, and errors.
    pub diagnostics: Diagnostics,
}

/// A node.
pub struct RawNode {
    /// Its semicolon.
    pub span: Span,
    /// Its properties.
    pub properties: Vec<RawProperty>,
}

/// A property.
pub struct RawProperty {
    /// Its name, in capital letters.
    pub name: String,
    /// Its name in the text.
    pub span: Span,
    /// At least one.
    pub values: Vec<RawValue>,
}

/// A value between brackets, with its escapes.
pub struct RawValue {
    /// The text as it is written.
    pub text: String,
    /// The place of that text.
    pub span: Span,
}

/// A tree that is open.
struct SgfTree {
    open: usize,
    on_main_line: bool,
    has_branch: bool,
    has_node: bool,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    source: SourceId,
    trees: Vec<SgfTree>,
    /// The first variation off the main line, and how many there are.
    left_out: Option<(usize, usize)>,
    main: MainLine,
}

/// Reads the first game of a collection.
pub fn main_line(text: &str, source: SourceId) -> MainLine {
    let main = MainLine { nodes: Vec::new(), diagnostics: Diagnostics::new() };
    let mut scanner = Scanner { text, at: 0, source, trees: Vec::new(), left_out: None, main };
    scanner.run();
    scanner.main
}

impl Scanner<'_> {
    fn run(&mut self) {
        // Some files have a letter's head or nothing before the game.
        match self.text.find('(') {
            Some(start) => self.at = start,
            None => {
                let help = "a game is written `(;GM[11]FF[4]SZ[11];B[a1];W[b2])`";
                return self.error("there is no game", self.text.len(), self.text.len(), "no `(` up to here", help);
            }
        }
        while let Some(c) = self.peek() {
            match c {
                '(' => self.open(),
                ')' => {
                    self.at += 1;
                    if self.close() {
                        return self.finish();
                    }
                }
                ';' => self.node(),
                c if c.is_ascii_alphabetic() => self.property(),
                c if c.is_whitespace() => self.at += c.len_utf8(),
                c => {
                    let help =
                        "between properties stand only `(`, `)`, `;` and spaces; a `]` in a text is written `\\]`";
                    let start = self.at;
                    let end = self.at + c.len_utf8();
                    let shown = format!("`{}` belongs to no property", c.escape_debug());
                    return self.error(shown, start, end, "unexpected", help);
                }
            }
            if self.main.diagnostics.has_errors() {
                return;
            }
        }
        if let Some(tree) = self.trees.last() {
            let open = tree.open;
            self.error("a tree is not closed", open, open + 1, "opened here", "a `)` is missing at the end");
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.source, start, end)
    }

    fn error(&mut self, message: impl Into<String>, start: usize, end: usize, label: &str, help: &str) {
        let span = self.span(start, end);
        self.main.diagnostics.push(error(message, span, label, help));
    }

    fn open(&mut self) {
        let on_main_line = match self.trees.last_mut() {
            Some(parent) => !std::mem::replace(&mut parent.has_branch, true) && parent.on_main_line,
            None => true,
        };
        if !on_main_line && self.trees.last().is_some_and(|parent| parent.on_main_line) {
            let (_, count) = self.left_out.get_or_insert((self.at, 0));
            *count += 1;
        }
        self.trees.push(SgfTree { open: self.at, on_main_line, has_branch: false, has_node: false });
        self.at += 1;
    }

    /// Closes the innermost tree; whether it was the whole game.
    fn close(&mut self) -> bool {
        let Some(tree) = self.trees.pop() else { return true };
        if !tree.has_node {
            let help = "a tree begins with a node: `(;…)`";
            self.error("a tree has no node", tree.open, self.at, "empty", help);
        }
        self.trees.is_empty()
    }

    fn finish(&mut self) {
        if let Some((at, count)) = self.left_out {
            let variations = if count == 1 { "one variation is".to_owned() } else { format!("{count} variations are") };
            let span = self.span(at, at + 1);
            let message = format!("{variations} left out; the main line is read");
            self.main.diagnostics.push(warning(message, span, "a variation begins here"));
        }
        if let Some(more) = self.text[self.at..].find('(') {
            let span = self.span(self.at + more, self.at + more + 1);
            let message = "only the first game of the file is read";
            self.main.diagnostics.push(warning(message, span, "another begins here"));
        }
    }

    fn node(&mut self) {
        let start = self.at;
        self.at += 1;
        let Some(tree) = self.trees.last_mut() else { return };
        tree.has_node = true;
        let on_main_line = tree.on_main_line;
        let has_branch = tree.has_branch;
        if has_branch {
            let help = "the nodes of a tree come before its branches";
            return self.error("a node stands behind a branch", start, start + 1, "too late here", help);
        }
        if on_main_line {
            let span = self.span(start, start + 1);
            self.main.nodes.push(RawNode { span, properties: Vec::new() });
        }
    }

    fn property(&mut self) {
        let start = self.at;
        let letters = self.text[start..].bytes().take_while(u8::is_ascii_alphabetic).count();
        let end = start + letters;
        // Before FF[4] names could be written out: `GaMe` is `GM`.
        let name: String = self.text[start..end].chars().filter(char::is_ascii_uppercase).collect();
        self.at = end;
        let mut values = Vec::new();
        loop {
            let space = self.text[self.at..].len() - self.text[self.at..].trim_start().len();
            if !self.text[self.at + space..].starts_with('[') {
                break;
            }
            self.at += space;
            let Some(value) = self.value() else { return };
            values.push(value);
        }
        if name.is_empty() || values.is_empty() {
            let help = "a property is capital letters and at least one value in brackets: `SZ[11]`";
            let what = &self.text[start..end];
            return self.error(format!("`{what}` is no property"), start, end, "no value follows", help);
        }
        let Some(tree) = self.trees.last() else { return };
        if !tree.has_node || tree.has_branch {
            let help = "properties stand in a node, behind a `;`";
            return self.error(format!("`{name}` stands in no node"), start, end, "outside", help);
        }
        let on_main_line = tree.on_main_line;
        let span = self.span(start, end);
        if let (true, Some(node)) = (on_main_line, self.main.nodes.last_mut()) {
            node.properties.push(RawProperty { name, span, values });
        }
    }

    /// The value at an opening bracket.
    fn value(&mut self) -> Option<RawValue> {
        let start = self.at + 1;
        let mut escaped = false;
        for (i, byte) in self.text[start..].bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b']' => {
                    self.at = start + i + 1;
                    let text = self.text[start..start + i].to_owned();
                    return Some(RawValue { text, span: self.span(start, start + i) });
                }
                _ => {}
            }
        }
        let help = "close it with `]`; a `]` in a text is written `\\]`";
        self.error("a value is not closed", start - 1, start, "opened here", help);
        None
    }
}

/// The text that a value means: escapes resolved, white space made plain. In a `SimpleText` line breaks are spaces too.
pub fn unescape(raw: &str, keep_line_breaks: bool) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    while let Some(mut c) = chars.next() {
        let escaped = c == '\\';
        if escaped {
            match chars.next() {
                Some(next) => c = next,
                None => break,
            }
        }
        let is_break = matches!(c, '\n' | '\r');
        if is_break && chars.peek().is_some_and(|&next| matches!(next, '\n' | '\r') && next != c) {
            // A line break of two characters.
            chars.next();
        }
        match c {
            _ if is_break && escaped => {}
            _ if is_break && keep_line_breaks => text.push('\n'),
            c if c.is_whitespace() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// Writes a text as a value; see [`unescape`].
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | ']' | ':') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        assert_eq!(unescape(r"a\]b\\c\:d", true), r"a]b\c:d");
        assert_eq!(unescape("soft\\\nbreak\thard\r\nbreak", true), "softbreak hard\nbreak");
        assert_eq!(unescape("soft\\\r\nbreak hard\nbreak", false), "softbreak hard break");
        assert_eq!(unescape("ends in \\", true), "ends in ");
        assert_eq!(escape(r"a]b\c:d"), r"a\]b\\c\:d");
    }

    #[test]
    fn the_main_line_takes_the_first_branches() {
        let text = "(;A[1];A[2](;A[3](;A[4])(;B[5]))(;B[6](;B[7])))(;C[8])";
        let line = main_line(text, SourceId(0));
        let values: Vec<&str> = line.nodes.iter().map(|node| node.properties[0].values[0].text.as_str()).collect();
        assert_eq!(values, ["1", "2", "3", "4"]);
        assert_eq!(
            line.diagnostics.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>(),
            ["2 variations are left out; the main line is read", "only the first game of the file is read"]
        );
    }
}
