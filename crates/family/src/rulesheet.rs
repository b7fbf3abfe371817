//! The text of a rulesheet: a title, includes, and facts.

use std::fmt::Write;

/// Most characters of a line of facts.
const WIDE: usize = 110;

/// A rulesheet as it is written; without a title, a part of one.
#[derive(Clone, Debug, Default)]
pub struct Rulesheet {
    text: String,
}

impl Rulesheet {
    /// A rulesheet with a title, which may have several lines.
    pub fn new(title: &str) -> Rulesheet {
        let mut sheet = Rulesheet::default();
        sheet.comment(title);
        sheet
    }

    fn comment(&mut self, text: &str) {
        for line in text.lines() {
            _ = writeln!(self.text, "; {line}");
        }
    }

    /// Includes files of `rules/lib`, by their names without extension.
    #[must_use]
    pub fn includes(mut self, names: &[&str]) -> Self {
        self.text.push('\n');
        for name in names {
            _ = writeln!(self.text, "(include \"../lib/{name}.kif\")");
        }
        self
    }

    /// Begins a paragraph with a comment.
    #[must_use]
    pub fn paragraph(mut self, comment: &str) -> Self {
        self.text.push('\n');
        self.comment(comment);
        self
    }

    /// Facts of one predicate, as many on a line as fit, each as its arguments.
    #[must_use]
    pub fn facts<T: AsRef<str>>(mut self, predicate: &str, arguments: impl IntoIterator<Item = T>) -> Self {
        let mut column = 0;
        for arguments in arguments {
            let fact = format!("({predicate} {})", arguments.as_ref());
            if column > 0 {
                self.text.push(if column + fact.len() >= WIDE { '\n' } else { ' ' });
                column = if column + fact.len() >= WIDE { 0 } else { column + 1 };
            }
            column += fact.len();
            self.text.push_str(&fact);
        }
        if column > 0 {
            self.text.push('\n');
        }
        self
    }

    /// Rules, a line each.
    #[must_use]
    pub fn rules<T: AsRef<str>>(mut self, rules: impl IntoIterator<Item = T>) -> Self {
        for rule in rules {
            _ = writeln!(self.text, "{}", rule.as_ref());
        }
        self
    }

    /// The text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}
