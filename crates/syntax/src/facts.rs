//! Ground facts from files: rule files that hold nothing else, or tables.

use super::ast::{Atom, Name, Statement};
use super::{Files, MAX_DIAGNOSTICS, Syntax, load, name};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Sources, Span};
use csv::{ReaderBuilder, StringRecord, Trim};
use std::path::Path;

/// Reads the facts of files. A `.tsv` or `.csv` table holds the facts of the predicate that its file is named after, one
/// a row (`edge.tsv` holds `edge(0, 1160)`): canonical integers are integers, all else symbols. Other files are
/// rule files without rules.
///
/// # Errors
///
/// Everything that is wrong in any of the files, or no ground fact.
pub fn load_facts<P: AsRef<Path>>(
    files: &dyn Files,
    paths: &[P],
    syntax: Option<Syntax>,
    sources: &mut Sources,
) -> Result<Vec<Atom>, Diagnostics> {
    let mut facts = Vec::new();
    let mut diagnostics = Diagnostics::new();
    for path in paths.iter().map(AsRef::as_ref) {
        let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
        let read = match extension.as_deref() {
            Some("tsv") => table(files, path, b'\t', sources),
            Some("csv") => table(files, path, b',', sources),
            _ => ground_facts(files, path, syntax, sources),
        };
        match read {
            Ok(read) => facts.extend(read),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) }
}

fn ground_facts(
    files: &dyn Files,
    path: &Path,
    syntax: Option<Syntax>,
    sources: &mut Sources,
) -> Result<Vec<Atom>, Diagnostics> {
    let mut facts = Vec::new();
    let mut diagnostics = Diagnostics::new();
    for item in load(files, &[path], syntax, sources)?.program.items {
        match item.statement {
            Statement::Rule(rule) if rule.body.is_empty() && rule.head.is_ground() => facts.push(rule.head),
            Statement::Rule(rule) if rule.body.is_empty() => diagnostics.push(
                Diagnostic::error(Code::UnsafeVariable, "a fact has a variable")
                    .at(item.span, "not ground")
                    .help("constants are written lower-case in `.dl`, without `?` in `.kif`"),
            ),
            _ => diagnostics.push(
                Diagnostic::error(Code::Syntax, "this is no fact")
                    .at(item.span, "expected facts only")
                    .help("give files with rules among the rule files"),
            ),
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) }
}

fn table(files: &dyn Files, path: &Path, delimiter: u8, sources: &mut Sources) -> Result<Vec<Atom>, Diagnostics> {
    let source = super::load::open_strictly(files, path, sources)?;
    let text = sources.get(source).map_or("", |source| &source.text);
    let predicate: Name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().into();
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .quoting(delimiter != b'\t')
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut facts: Vec<Atom> = Vec::new();
    let mut diagnostics = Diagnostics::new();
    let mut record = StringRecord::new();
    let mut first: Option<(usize, Span)> = None;
    let mut count = 0;
    loop {
        let start = reader.position().byte() as usize;
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                let message = format!("the table cannot be read: {error}");
                diagnostics.push(Diagnostic::error(Code::Syntax, message).at(Span::new(source, start, start), "here"));
                break;
            }
        }
        let row = &text[start..reader.position().byte() as usize];
        let begin = start + row.len() - row.trim_start_matches(['\r', '\n']).len();
        let span = Span::new(source, begin, begin + row.trim_matches(['\r', '\n']).len());
        let (arity, first_span) = *first.get_or_insert((record.len(), span));
        if record.len() != arity {
            diagnostics.push(
                Diagnostic::error(Code::ArityMismatch, "the rows of this table differ in length")
                    .at(span, fields(record.len()))
                    .at(first_span, fields(arity))
                    .help("every row is one fact of the same predicate"),
            );
            count += 1;
            if count == MAX_DIAGNOSTICS {
                break;
            }
            continue;
        }
        facts.push(Atom { predicate: predicate.clone(), args: record.iter().map(name::constant).collect(), span });
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) }
}

fn fields(count: usize) -> String {
    match count {
        1 => "1 field".to_owned(),
        n => format!("{n} fields"),
    }
}
