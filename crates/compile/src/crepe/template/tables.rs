//! Tables in files: CSV with quotes, TSV without.

use crate::term::{Integer, Term, symbol};

/// The rows of a table. Canonical integers are integers, all else is a symbol; so is an integer in quotes.
pub fn read(text: &str, separator: char) -> Result<Vec<Vec<Term>>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut rows = Vec::new();
    let mut row = Vec::new();
    let mut chars = text.chars().peekable();
    while chars.peek().is_some() {
        let quoted = separator == ',' && chars.peek() == Some(&'"');
        let mut field = String::new();
        if quoted {
            chars.next();
            loop {
                match chars.next() {
                    Some('"') if chars.peek() == Some(&'"') => field.extend(chars.next()),
                    Some('"') => break,
                    Some(c) => field.push(c),
                    None => return Err(format!("row {}: a quotation mark is open", rows.len() + 1)),
                }
            }
        }
        let end = loop {
            match chars.next() {
                Some('\r') if chars.peek() == Some(&'\n') => {}
                Some(c) if c == separator || c == '\n' => break Some(c),
                Some(_) if quoted => return Err(format!("row {}: text behind a quotation", rows.len() + 1)),
                Some(c) => field.push(c),
                None => break None,
            }
        };
        let is_blank = row.is_empty() && !quoted && field.is_empty() && end != Some(separator);
        if !is_blank {
            row.push(if quoted { Term::Symbol(symbol(&field)) } else { constant(field.trim()) });
        }
        if end != Some(separator) && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
        } else if end == Some(separator) && chars.peek().is_none() {
            row.push(Term::Symbol(symbol("")));
            rows.push(std::mem::take(&mut row));
        }
    }
    Ok(rows)
}

fn constant(field: &str) -> Term {
    match field.parse::<Integer>() {
        Ok(integer) if integer.to_string() == field => Term::Integer(integer),
        _ => Term::Symbol(symbol(field)),
    }
}

/// Rows as CSV.
pub fn write(rows: &[Vec<Term>]) -> Result<String, String> {
    let mut out = String::new();
    for row in rows {
        let fields: Result<Vec<String>, String> = row.iter().map(|term| field(*term)).collect();
        out.push_str(&fields?.join(","));
        out.push('\n');
    }
    Ok(out)
}

fn field(term: Term) -> Result<String, String> {
    match term {
        Term::Integer(integer) => Ok(integer.to_string()),
        Term::Symbol(symbol) => {
            let text = symbol.text();
            let special = |c: char| c == ',' || c == '"' || c.is_whitespace() || c.is_control();
            let bare = !text.is_empty() && !text.contains(special) && !text.starts_with(|c: char| "+-.".contains(c) || c.is_ascii_digit());
            Ok(if bare { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) })
        }
        Term::Compound(_) => Err(format!("{term} has no place in a table")),
    }
}
