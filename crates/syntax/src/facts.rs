//! Ground facts from files: rule files that hold nothing else, or tables.

#[cfg(feature = "tables")]
use super::DatabaseFormat;
#[cfg(feature = "tables")]
use super::Unreadable;
use super::ast::{Atom, Name, Predicate, Program, Statement};
#[cfg(feature = "tables")]
use super::table::{self, ColumnLayout, DatabaseTable, TableFile};
use super::{Files, Syntax, Table, load_within};
use crate::budget::{Budget, Stopped};
use crate::diagnostic::{Code, Diagnostic, Diagnostics, Sources};
use std::convert::Infallible;
#[cfg(feature = "tables")]
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The extension of compressed tables, behind that of the table.
#[cfg(feature = "tables")]
const COMPRESSED: &str = "gz";

/// The extensions of JSON lines.
#[cfg(feature = "tables")]
const JSON_LINES: [&str; 2] = ["jsonl", "ndjson"];

/// The mark between the path of a database and the name of a table.
#[cfg(feature = "tables")]
const TABLE_MARK: char = '#';

/// A file of facts, as named on a command line: `edge.tsv`, or `edge=graph.csv` for a table with another predicate; of a database,
/// `edge=graph.sqlite` and `edge=graph.sqlite#roads`; `edge.parquet` and `edge=graph.parquet`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactFile {
    /// The path; `-` is standard input.
    pub path: PathBuf,
    /// The predicate of a table, if it is not the file's name.
    pub predicate: Option<Name>,
    /// Whether the first row of a table is a header.
    pub header: bool,
    /// The table of a database whose path names none; otherwise it has the name of the predicate.
    pub table: Option<Name>,
}

impl<P: Into<PathBuf>> From<P> for FactFile {
    fn from(path: P) -> Self {
        FactFile { path: path.into(), predicate: None, header: false, table: None }
    }
}

impl FromStr for FactFile {
    type Err = Infallible;

    /// The text before the first `=` is a predicate unless it looks like a part of a path.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(match text.split_once('=') {
            Some((predicate, path)) if !predicate.is_empty() && !predicate.contains(['/', '\\', '.', ':']) => {
                FactFile { predicate: Some(predicate.into()), ..path.into() }
            }
            _ => text.into(),
        })
    }
}

/// The contents of a file of facts.
enum FileContent {
    Rules,
    /// A document of JSON, which is no table.
    #[cfg(feature = "tables")]
    Json,
    #[cfg(feature = "tables")]
    Table {
        layout: ColumnLayout,
        compressed: bool,
        predicate: Name,
    },
    /// A table of the database at a path.
    #[cfg(feature = "tables")]
    Database {
        path: PathBuf,
        table: Option<Name>,
    },
}

impl FactFile {
    /// The path of a database, and the name of the table in it, if one is known; `None` of other files.
    #[cfg(feature = "tables")]
    fn database(&self) -> Option<(PathBuf, Option<Name>)> {
        match DatabaseFormat::of(&self.path) {
            // The only table, whatever its predicate is.
            Some(DatabaseFormat::Parquet) => Some((self.path.clone(), None)),
            Some(DatabaseFormat::Sqlite) => {
                Some((self.path.clone(), self.table.clone().or_else(|| self.predicate.clone())))
            }
            None => {
                let (path, table) = self.path.to_str()?.split_once(TABLE_MARK)?;
                DatabaseFormat::of(Path::new(path)).map(|_| (path.into(), Some(table.into())))
            }
        }
    }

    /// Whether it is read as a table.
    pub fn is_table(&self) -> bool {
        match self.kind() {
            FileContent::Rules => false,
            #[cfg(feature = "tables")]
            FileContent::Json => false,
            #[cfg(feature = "tables")]
            FileContent::Table { .. } | FileContent::Database { .. } => true,
        }
    }

    fn kind(&self) -> FileContent {
        #[cfg(feature = "tables")]
        {
            if let Some((path, table)) = self.database() {
                return FileContent::Database { path, table };
            }
            let compressed = has_extension(&self.path, COMPRESSED);
            let inner = if compressed { self.path.with_extension("") } else { self.path.clone() };
            let layout = match &self.predicate {
                _ if has_extension(&inner, "tsv") => Some(ColumnLayout::Tsv),
                _ if has_extension(&inner, "csv") => Some(ColumnLayout::Csv),
                _ if JSON_LINES.iter().any(|extension| has_extension(&inner, extension)) => {
                    Some(ColumnLayout::JsonLines)
                }
                _ if has_extension(&inner, "json") => return FileContent::Json,
                Some(_) if Syntax::of(&inner).is_none() => Some(ColumnLayout::Any),
                _ => None,
            };
            if let Some(layout) = layout {
                let named = || inner.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().into();
                return FileContent::Table {
                    layout,
                    compressed,
                    predicate: self.predicate.clone().unwrap_or_else(named),
                };
            }
        }
        FileContent::Rules
    }
}

#[cfg(feature = "tables")]
fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|other| other.eq_ignore_ascii_case(extension))
}

/// The facts of files: atoms of rule files, and tables.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The facts of rule files.
    pub atoms: Vec<Atom>,
    /// The tables that have a row or a header, in the order of their files.
    pub tables: Vec<Table>,
    /// The names of the predicates of the other tables, whose number of columns is unknown.
    pub empty: Vec<Name>,
}

impl Facts {
    /// Adds other facts.
    pub fn extend(&mut self, other: Facts) {
        self.atoms.extend(other.atoms);
        self.tables.extend(other.tables);
        self.empty.extend(other.empty);
    }

    /// The predicates of the facts.
    pub fn predicates(&self) -> Vec<Predicate> {
        let atoms = self.atoms.iter().map(Atom::signature);
        atoms.chain(self.tables.iter().map(|table| table.predicate().clone())).collect()
    }

    /// All facts as atoms, those of tables last.
    pub fn into_atoms(self) -> Vec<Atom> {
        let Facts { mut atoms, tables, .. } = self;
        atoms.extend(tables.iter().flat_map(|table| table.atoms(table.rows())));
        atoms
    }
}

/// Reads the facts of files. With the cargo feature `tables`, a `.tsv` or `.csv` table holds the facts of the predicate
/// that its file is named after, one a row (`edge.tsv` holds `edge(0, 1160)`): canonical integers are integers, all
/// else symbols. A line of a `.jsonl` or `.ndjson` table is an array, or an object whose columns have
/// the order of the keys in the first line; strings are symbols there. Behind an extension `.gz` means a compressed table. A file of another extension, or standard
/// input, is a table if a predicate is given. A `.sqlite`, `.sqlite3`, `.db` or `.parquet` file is a database. Of other tables, its columns are separated by tabs if its first line has one, otherwise by
/// commas. Other files are rule files without rules. Of tables the [share](Files::share) of these files is kept, of
/// other files all. The facts are those of the types that a program declares, if one is given.
///
/// # Errors
///
/// [`Stopped`], when the budget ends first. The inner result is an error with everything that is wrong in any of the
/// files, or no ground fact, or of another type.
pub fn load_facts(
    files: &dyn Files,
    paths: &[FactFile],
    syntax: Option<Syntax>,
    program: Option<&Program>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Facts, Diagnostics>, Stopped> {
    let read = read_facts(files, paths, syntax, sources, budget)?;
    Ok(read.and_then(|mut facts| {
        let wrong = facts.hold_to_types(program.map_or(&[], |program| &program.items));
        if wrong.has_errors() { Err(wrong) } else { Ok(facts) }
    }))
}

/// Reads files of facts, which are [held to types](Facts::hold_to_types) later.
pub(super) fn read_facts(
    files: &dyn Files,
    paths: &[FactFile],
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Facts, Diagnostics>, Stopped> {
    let mut facts = Facts::default();
    let mut diagnostics = Diagnostics::new();
    for file in paths {
        let read = match file.kind() {
            #[cfg(feature = "tables")]
            FileContent::Table { layout, compressed, predicate } => {
                read_table(files, file, (layout, compressed, predicate), sources, budget)?
            }
            #[cfg(feature = "tables")]
            FileContent::Database { path, table } => {
                read_database(files, &path, (table.as_deref(), file.predicate.clone()), budget)?
            }
            #[cfg(feature = "tables")]
            FileContent::Json if file.predicate.is_some() || syntax.is_none() => {
                let message = format!("`{}` is a document of JSON, and no table", file.path.display());
                let help =
                    "JSON lines end in `.jsonl`: one array or object a line, as `jq -c '.[]'` writes them of an array";
                Err(Diagnostic::error(Code::Syntax, message).help(help).into())
            }
            FileContent::Rules if file.predicate.is_some() => {
                let message = format!("`{}` is a rule file, whose facts name their predicates", file.path.display());
                Err(Diagnostic::error(Code::Syntax, message).help("only tables take a predicate besides").into())
            }
            FileContent::Rules => ground_facts(files, &file.path, syntax, sources, budget)?,
            #[cfg(feature = "tables")]
            FileContent::Json => ground_facts(files, &file.path, syntax, sources, budget)?,
        };
        match read {
            Ok(read) => facts.extend(read),
            Err(errors) => diagnostics.extend(errors),
        }
    }
    Ok(if diagnostics.has_errors() { Err(diagnostics) } else { Ok(facts) })
}

/// Reads a table of this layout, perhaps compressed, with the facts of this predicate.
#[cfg(feature = "tables")]
fn read_table(
    files: &dyn Files,
    file: &FactFile,
    (layout, compressed, predicate): (ColumnLayout, bool, Name),
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Facts, Diagnostics>, Stopped> {
    let name = super::load::name(&file.path);
    let reader =
        match files.open(&file.path).and_then(|reader| if compressed { decompress(reader) } else { Ok(reader) }) {
            Ok(reader) => reader,
            Err(reason) => return Ok(Err(super::load::unreadable(&name, &reason).into())),
        };
    let header = file.header;
    let share = files.share();
    let read = TableFile { reader, name: &name, predicate: predicate.clone(), layout, header, share };
    Ok(table::read(read, sources, budget)?.map(|table| match table {
        Some(table) => Facts { tables: vec![table], ..Facts::default() },
        None => Facts { empty: vec![predicate], ..Facts::default() },
    }))
}

/// The text of a compressed table.
#[cfg(all(feature = "tables", not(target_family = "wasm")))]
fn decompress<'r>(reader: Box<dyn Read + 'r>) -> Result<Box<dyn Read + 'r>, Unreadable> {
    Ok(Box::new(flate2::read::MultiGzDecoder::new(reader)))
}

/// The error of a compressed table: a page hands in texts, which cannot be compressed.
#[cfg(all(feature = "tables", target_family = "wasm"))]
fn decompress<'r>(_: Box<dyn Read + 'r>) -> Result<Box<dyn Read + 'r>, Unreadable> {
    Err(Unreadable::Other("a page has no compressed tables, which only the command reads".to_owned()))
}

/// Reads a table of a database, by its name and the name of its predicate as far as they are known.
#[cfg(feature = "tables")]
fn read_database(
    files: &dyn Files,
    path: &Path,
    (table, predicate): (Option<&str>, Option<Name>),
    budget: &Budget,
) -> Result<Result<Facts, Diagnostics>, Stopped> {
    let name = super::load::name(path);
    let mut database = match files.database(path, budget) {
        Ok(database) => database,
        Err(reason) => return Ok(Err(super::load::unreadable(&name, &reason).into())),
    };
    let format = DatabaseFormat::of(path).unwrap_or(DatabaseFormat::Sqlite);
    let wanted = DatabaseTable { name: &name, format, table, predicate, share: files.share() };
    let read = table::read_database(&mut *database, wanted, budget)?;
    Ok(read.map(|table| Facts { tables: vec![table], ..Facts::default() }))
}

fn ground_facts(
    files: &dyn Files,
    path: &Path,
    syntax: Option<Syntax>,
    sources: &mut Sources,
    budget: &Budget,
) -> Result<Result<Facts, Diagnostics>, Stopped> {
    let loaded = match load_within(files, &[path], syntax, sources, budget)? {
        Ok(loaded) => loaded,
        Err(wrong) => return Ok(Err(wrong)),
    };
    let mut facts = loaded.facts.into_atoms();
    let mut diagnostics = Diagnostics::new();
    for item in loaded.program.items {
        match item.statement {
            Statement::Rule(rule) if rule.body.is_empty() && rule.head.is_ground() => facts.push(rule.head),
            Statement::Input(_) => {}
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
    Ok(if diagnostics.has_errors() { Err(diagnostics) } else { Ok(Facts { atoms: facts, ..Facts::default() }) })
}
