//! Which lines belong together, and whether they are statements, a goal or a command.
//!
//! A command is one line that begins with its name, and then ends or goes on after a blank. No statement does so: after
//! a name, `.dl` has a parenthesis, a period or an operator, and `.kif` puts everything in parentheses but facts
//! without arguments. So a line with an operator behind the name is no command, and what bears a command's name is
//! written `rules.`, `?- rules.` or `(rules)`.
//!
//! All other text is a program text: it goes on until its last statement has its end. In `.dl`, a text without a period
//! that is a goal as it stands is asked. In `.kif`, goals follow `?-`.

use ludolog::diagnostic::Sources;
use ludolog::syntax::{OpenText, Syntax, ends_statement, parse_goal};

/// A command, or its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplCommand {
    Engine,
    Facts,
    Help,
    Load,
    Optimize,
    Plan,
    Quit,
    Retract,
    Rules,
    Time,
    Why,
    WhyNot,
}

/// The commands: what they are called, what follows, what they do.
pub const COMMANDS: [(&str, ReplCommand, &str, &str); 12] = [
    ("engine", ReplCommand::Engine, "[NAME]", "show the engine, or run another"),
    ("facts", ReplCommand::Facts, "[P/N]", "print all facts, or those of a predicate"),
    ("help", ReplCommand::Help, "", "print this"),
    (
        "load",
        ReplCommand::Load,
        "FILE",
        "add the statements of a rule file, the facts of a table or of a board position",
    ),
    ("optimize", ReplCommand::Optimize, "[O]", "show the optimization, or select another"),
    ("plan", ReplCommand::Plan, "[GOAL]", "show what the optimizer makes of the rules"),
    ("quit", ReplCommand::Quit, "", "end"),
    (
        "retract",
        ReplCommand::Retract,
        "STATEMENT",
        "remove a fact or a rule, given as it was or by its number in `rules`",
    ),
    ("rules", ReplCommand::Rules, "", "print the rules, with numbers"),
    ("time", ReplCommand::Time, "[on|off]", "show the time and the probes of each answer"),
    ("why", ReplCommand::Why, "FACT", "show why a fact holds"),
    ("why not", ReplCommand::WhyNot, "FACT", "show why a fact does not hold"),
];

/// What people write for a command besides its name.
const OTHER_NAMES: [(&str, ReplCommand); 3] =
    [("why-not", ReplCommand::WhyNot), ("whynot", ReplCommand::WhyNot), ("exit", ReplCommand::Quit)];

/// What can follow an atom without arguments in `.dl`.
const OPERATORS: [&str; 12] = [":-", "==>", "&", ",", "|", ";", "=", "!=", "\\=", "<", ">", "is "];

/// Most lines of one input: what follows a statement that is never ended is read all the same. Longer ones can be
/// loaded.
const MAX_LINES: usize = 1000;

/// A whole input.
#[derive(Debug, PartialEq, Eq)]
pub enum ReplInput<'t> {
    /// A command and what follows its name.
    Command(ReplCommand, &'t str),
    /// Statements of a rule file.
    Statements(&'t str),
    /// A goal to be asked.
    Goal(&'t str),
}

/// Tells what a whole text is.
pub fn classify(text: &str, syntax: Syntax) -> ReplInput<'_> {
    let text = text.trim();
    if let Some((command, rest)) = command(text, syntax) {
        return ReplInput::Command(command, rest);
    }
    match (syntax, text.strip_prefix("?-")) {
        (Syntax::Kif, Some(goal)) => ReplInput::Goal(goal),
        (Syntax::Datalog, _) if !ends_statement(text, syntax) && is_goal(text) => ReplInput::Goal(text),
        _ => ReplInput::Statements(text),
    }
}

fn command(text: &str, syntax: Syntax) -> Option<(ReplCommand, &str)> {
    let after = |name: &str| {
        let rest = text.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
    };
    // `why not` comes after `why`.
    let names = COMMANDS.iter().rev().map(|(name, command, ..)| (*name, *command)).chain(OTHER_NAMES);
    let (command, rest) = names.into_iter().find_map(|(name, command)| Some((command, after(name)?)))?;
    let is_statement = syntax == Syntax::Datalog
        && (OPERATORS.iter().any(|operator| rest.starts_with(operator)) || rest == "." || text.contains('\n'));
    (!is_statement).then_some((command, rest))
}

/// Whether a `.dl` text is a goal.
fn is_goal(text: &str) -> bool {
    parse_goal(text, &mut Sources::new(), Some(Syntax::Datalog)).is_ok()
}

/// Gathers lines into whole inputs.
pub struct InputReader {
    syntax: Syntax,
    pending: String,
    /// The number of lines in `pending`.
    lines: usize,
    /// What `pending` ends within.
    open: OpenText,
}

impl InputReader {
    pub fn new(syntax: Syntax) -> Self {
        Self { syntax, pending: String::new(), lines: 0, open: OpenText::new(syntax) }
    }

    /// The input that ends with this line, if one does. Blank lines between inputs are none.
    pub fn line(&mut self, line: &str) -> Option<String> {
        if self.pending.is_empty() && line.trim().is_empty() {
            return None;
        }
        self.pending.push_str(line);
        self.pending.push('\n');
        self.lines += 1;
        self.open.line(line);
        if self.lines == MAX_LINES || self.is_whole() { self.end() } else { None }
    }

    /// Whether no further lines belong to the pending ones. A command is one line.
    fn is_whole(&self) -> bool {
        let is_command = || self.lines == 1 && command(self.pending.trim(), self.syntax).is_some();
        let is_goal = || self.syntax == Syntax::Datalog && self.open.may_be_goal() && is_goal(self.pending.trim());
        self.open.is_ended() || is_command() || is_goal()
    }

    /// What the pending lines wait for, in words; `None` if there are none.
    pub fn awaited(&self) -> Option<String> {
        self.open.awaited()
    }

    /// Whether the last of the pending lines would end the prompt, if none were before it.
    pub fn ends_with_quit(&self) -> bool {
        let last = self.pending.lines().next_back().unwrap_or_default();
        command(last.trim(), self.syntax) == Some((ReplCommand::Quit, ""))
    }

    /// The input that lines since the last whole one begin.
    pub fn end(&mut self) -> Option<String> {
        self.lines = 0;
        self.open = OpenText::new(self.syntax);
        Some(std::mem::take(&mut self.pending)).filter(|text| !text.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datalog(text: &str) -> ReplInput<'_> {
        classify(text, Syntax::Datalog)
    }

    #[test]
    fn commands_are_no_statements() {
        assert_eq!(datalog("why path(a, b)"), ReplInput::Command(ReplCommand::Why, "path(a, b)"));
        assert_eq!(datalog("why not path(a, b)."), ReplInput::Command(ReplCommand::WhyNot, "path(a, b)."));
        assert_eq!(datalog("why ~p(a)"), ReplInput::Command(ReplCommand::Why, "~p(a)"));
        assert_eq!(datalog("rules"), ReplInput::Command(ReplCommand::Rules, ""));
        assert_eq!(datalog("load ../rules.dl"), ReplInput::Command(ReplCommand::Load, "../rules.dl"));
        assert_eq!(classify("why (path a b)", Syntax::Kif), ReplInput::Command(ReplCommand::Why, "(path a b)"));
    }

    #[test]
    fn statements_with_the_name_of_a_command_are_none() {
        for text in ["rules.", "time :- clock.", "why(a).", "help & p ==> q.", "facts :-\n p.", "rules .", "?- time."] {
            assert_eq!(datalog(text), ReplInput::Statements(text));
        }
        for text in ["why(a)", "time & p", "plan | p", "?- time"] {
            assert_eq!(datalog(text), ReplInput::Goal(text));
        }
        assert_eq!(classify("(time)", Syntax::Kif), ReplInput::Statements("(time)"));
        assert_eq!(classify("?- (time)", Syntax::Kif), ReplInput::Goal(" (time)"));
    }

    #[test]
    fn lines_are_gathered_until_the_end_of_a_statement() {
        let inputs = |text: &str, syntax| {
            let mut reader = InputReader::new(syntax);
            let mut inputs: Vec<String> = text.lines().filter_map(|line| reader.line(line)).collect();
            inputs.extend(reader.end());
            inputs
        };
        let text = "p(1).\n\np(X) :-\n  q(X) &\n\n  r(X).\np(X) & q(X)\n/* a\nb */\n% c\nrules\np(";
        let expected =
            ["p(1).\n", "p(X) :-\n  q(X) &\n\n  r(X).\n", "p(X) & q(X)\n", "/* a\nb */\n", "% c\n", "rules\n", "p(\n"];
        assert_eq!(inputs(text, Syntax::Datalog), expected);
        let text = "(p 1) (p\n 2)\n?- (p\n ?x)\nrules\n";
        assert_eq!(inputs(text, Syntax::Kif), ["(p 1) (p\n 2)\n", "?- (p\n ?x)\n", "rules\n"]);
    }
}
