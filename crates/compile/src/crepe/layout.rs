//! Lines of Rust that fit a page, broken as rustfmt breaks them.

/// Most characters of a line.
const WIDTH: usize = 120;

/// A rule within `crepe!`: on one line if it fits, or else with its clauses on lines of their own.
pub(super) fn rule(head: &str, clauses: &[String]) -> String {
    let line = format!("        {head} <- {};", clauses.join(", "));
    if line.chars().count() <= WIDTH {
        return line;
    }
    let mut lines = vec![format!("        {head} <-")];
    let mut line = String::new();
    for (i, clause) in clauses.iter().enumerate() {
        let end = if i + 1 < clauses.len() { ',' } else { ';' };
        if !line.is_empty() && line.chars().count() + clause.chars().count() + 2 > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        line.push_str(if line.is_empty() { "            " } else { " " });
        line.push_str(clause);
        line.push(end);
    }
    lines.push(line);
    lines.join("\n")
}

/// Parts in parentheses between two texts: on one line if it fits, or else each on a line of its own.
pub(super) fn call(indent: usize, before: &str, parts: &[String], after: &str) -> String {
    let indent = " ".repeat(indent);
    let line = format!("{indent}{before}({}){after}\n", parts.join(", "));
    if line.chars().count() <= WIDTH + 1 {
        line
    } else {
        format!("{indent}{before}{}{after}\n", broken(&indent, parts))
    }
}

/// The head of a public function that returns a tuple.
pub(super) fn function(indent: usize, name: &str, parameters: &[String], results: &[String]) -> String {
    let head = call(indent, &format!("pub fn {name}"), parameters, &format!(" -> {} {{", super::tuple(results)));
    if head.lines().all(|line| line.chars().count() <= WIDTH) {
        return head;
    }
    let indent = " ".repeat(indent);
    format!("{indent}pub fn {name}{} -> {} {{\n", broken(&indent, parameters), broken(&indent, results))
}

/// Parts in parentheses, each on a line of its own.
fn broken(indent: &str, parts: &[String]) -> String {
    let lines: String = parts.iter().map(|part| format!("{indent}    {part},\n")).collect();
    format!("(\n{lines}{indent})")
}
