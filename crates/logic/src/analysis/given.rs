//! What a case gives to a program: the kinds in the columns of its facts and tables, and what is odd in them.

use super::clause::{Aggregation, CheckedProgram, Literal};
use super::kinds::Kinds;
use ludolog_syntax::ast::{AggregateFunction, Atom, Formula, Name, Predicate, PredicateName, Term};
use ludolog_syntax::{Content, Table, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// The predicates that a case has facts of, their terms, and the kinds in their columns.
#[derive(Clone, Debug, Default)]
pub struct GivenColumns<'f> {
    facts: Vec<&'f Atom>,
    tables: Vec<&'f Table>,
    columns: FxHashMap<Predicate, Vec<Kinds>>,
    /// Predicates whose columns have types that the program declares.
    declared: FxHashSet<Predicate>,
    /// Predicates that may have facts besides these.
    others: FxHashSet<Predicate>,
    /// What is odd in tables, with the names of their files and their predicates.
    pub(super) odd: Vec<(String, Predicate, TableOddity)>,
    /// Where rows that aggregates count are equal to earlier ones.
    pub(super) repeated: Vec<Repeated>,
}

/// A column of a predicate, counted from 0.
pub(super) type Column = (Predicate, usize);

/// Rows or facts of a predicate that are equal to earlier ones, and so no facts of their own.
#[derive(Clone, Debug)]
pub(super) struct Repeated {
    /// The predicate.
    pub predicate: Predicate,
    /// The name of the table; `None` of facts.
    pub table: Option<String>,
    /// How many they are.
    pub count: usize,
}

/// Marks of missing values, as `NA`, in a column of a table that has integers.
pub(super) struct MissingValues<'t> {
    /// The name of the table.
    pub table: &'t str,
    /// The marks, each once.
    pub marks: Vec<&'t Term>,
    /// The number of rows that have one.
    pub rows: usize,
}

/// A sign that a table is not read as it is meant.
#[derive(Clone, Debug)]
pub(super) enum TableOddity {
    /// A column, counted from 0, has integers and decimals.
    MixedNumbers { column: usize },
    /// A column, counted from 0, has integers and symbols that spell integers, of which this is the first.
    SpelledNumbers { column: usize, first: Term },
    /// The first row has texts alone, and a column has numbers in all others.
    HeaderRow,
    /// The first row, which is left out as a header, is like the others.
    RowAsHeader { row: Vec<Term> },
    /// Commas stand within numbers alone, and semicolons between columns, as in this first row.
    DecimalCommas { row: Vec<String> },
    /// The only column has symbols with as many semicolons as this first one.
    Semicolons { row: String },
    /// All values of a column, counted from 0, stand in quotation marks, as this one does.
    QuotedValues { column: usize, value: Term },
}

impl<'f> GivenColumns<'f> {
    /// The columns of facts and tables of a program.
    pub fn new(
        program: &CheckedProgram,
        facts: impl Iterator<Item = &'f Atom>,
        tables: impl Iterator<Item = &'f Table>,
    ) -> GivenColumns<'f> {
        let declared = program.types.kinds();
        let mut given = GivenColumns { declared: declared.keys().cloned().collect(), ..GivenColumns::default() };
        let counted = CountedPredicates::of(program);
        let facts: Vec<&Atom> = facts.collect();
        for_each_run(facts.iter().copied(), |predicate, columns| given.add(predicate, columns));
        given.repeated = counted.repeated_facts(program.facts.iter().chain(facts.iter().copied()));
        given.facts = facts;
        for table in tables {
            given.tables.push(table);
            let predicate = table.predicate();
            given.repeated.extend(counted.repeated_rows(table));
            let is_declared = declared.contains_key(predicate);
            let of = if is_declared { Kinds::of } else { Kinds::of_table };
            let mut kinds = table.columns(Kinds::INTEGER, of);
            if !is_declared {
                given.note_odd(table, &kinds);
            }
            kinds.iter_mut().for_each(|kinds| *kinds = kinds.of_program());
            given.add(predicate.clone(), kinds);
        }
        given
    }

    /// Notes what is odd in a table of these columns, of which none is declared.
    fn note_odd(&mut self, table: &Table, kinds: &[Kinds]) {
        let with_integers = kinds.iter().enumerate().filter(|(_, kinds)| kinds.meets(Kinds::INTEGER));
        let mixed = with_integers.filter_map(|(column, kinds)| {
            if kinds.has_decimals() {
                return Some(TableOddity::MixedNumbers { column });
            }
            let first = if kinds.meets(Kinds::SPELLED) { first_spelled(table, column) } else { None };
            first.map(|first| TableOddity::SpelledNumbers { column, first })
        });
        let header = has_header(table).then_some(TableOddity::HeaderRow);
        let left_out = row_as_header(table).map(|row| TableOddity::RowAsHeader { row });
        let commas = decimal_commas(table).map(|row| TableOddity::DecimalCommas { row });
        let odd = mixed
            .chain(header)
            .chain(left_out)
            .chain(commas)
            .chain(semicolons(table))
            .chain(quoted_values(table))
            .map(|oddity| (table.name().to_owned(), table.predicate().clone(), oddity));
        self.odd.extend(odd);
    }

    /// Adds predicates that have facts, or may get some.
    pub fn with_others(mut self, predicates: impl IntoIterator<Item = Predicate>) -> Self {
        self.others.extend(predicates);
        self
    }

    fn add(&mut self, predicate: Predicate, kinds: Vec<Kinds>) {
        let columns = self.columns.entry(predicate).or_insert_with_key(|predicate| vec![Kinds::NONE; predicate.arity]);
        columns.iter_mut().zip(kinds).for_each(|(column, kind)| *column = *column | kind);
    }

    /// The kinds in the columns of each predicate that has facts.
    pub(super) fn columns(&self) -> &FxHashMap<Predicate, Vec<Kinds>> {
        &self.columns
    }

    /// Whether no predicate may have facts besides these.
    pub(super) fn are_complete(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether some value may be a symbol.
    pub(super) fn have_symbols(&self) -> bool {
        self.columns.values().flatten().any(|kinds| kinds.meets(Kinds::SYMBOL))
    }

    /// The arguments of facts and the terms of tables, those of a table each once; no integers of tables.
    pub(super) fn terms(&self) -> impl Iterator<Item = &'f Term> + Clone + use<'_, 'f> {
        let of_tables = self.tables.iter().flat_map(|table| table.constants());
        self.facts.iter().flat_map(|fact| &fact.args).chain(of_tables)
    }

    /// The values of columns, in facts of a program and in these facts and tables; those of a table each once. Of columns that have values, and
    /// only such values.
    pub(super) fn values_of_columns<'t>(
        &'t self,
        columns: impl Iterator<Item = Column>,
        facts: &'t [Atom],
        is_such: impl Fn(&Term) -> bool,
    ) -> FxHashMap<Column, Vec<&'t Term>> {
        let mut values: FxHashMap<Column, Option<Vec<&Term>>> =
            columns.map(|column| (column, Some(Vec::new()))).collect();
        for fact in facts.iter().chain(self.facts.iter().copied()) {
            let predicate = fact.signature();
            for (column, arg) in fact.args.iter().enumerate() {
                if let Some(of_column) = values.get_mut(&(predicate.clone(), column)) {
                    match of_column {
                        Some(values) if is_such(arg) => values.push(arg),
                        _ => *of_column = None,
                    }
                }
            }
        }
        for table in &self.tables {
            for column in 0..table.predicate().arity {
                if let Some(of_column) = values.get_mut(&(table.predicate().clone(), column))
                    && let Some(mut known) = of_column.take()
                {
                    *of_column = values_of_table(table, column, &is_such).map(|values| {
                        known.extend(values);
                        known
                    });
                }
            }
        }
        let with_values = values.into_iter().filter_map(|(column, values)| Some((column, values?)));
        with_values.filter(|(_, values)| !values.is_empty()).collect()
    }

    /// The missing values of a column that is not declared, in the first table that has some.
    pub(super) fn missing_values(&self, (predicate, column): &Column) -> Option<MissingValues<'f>> {
        let tables = self.tables.iter().filter(|table| table.predicate() == predicate);
        tables.filter(|_| !self.declared.contains(predicate)).find_map(|table| missing_values(table, *column))
    }

    /// The tables without a header and without declared columns whose first row is of symbols that their columns have in no other row.
    pub(super) fn first_rows(&self) -> impl Iterator<Item = (&'f str, &'f Predicate, Vec<&'f str>)> {
        let undeclared = self.tables.iter().filter(|table| !self.declared.contains(table.predicate()));
        // What has a number in each other row is told of already.
        let untold = undeclared.filter(|table| !has_header(table));
        untold.filter_map(|table| Some((table.name(), table.predicate(), first_row(table)?)))
    }

    /// A value of each table whose columns are not declared that has blanks around it, and stands without them elsewhere: in facts, in tables, or among
    /// the terms of the program.
    pub(super) fn padded<'t>(&self, terms: impl Iterator<Item = &'t Term>) -> Vec<(&'f str, &'f str)> {
        let undeclared = self.tables.iter().filter(|table| !self.declared.contains(table.predicate()));
        let mut padded: Vec<(&str, &str)> = Vec::new();
        for table in undeclared {
            padded.extend(
                table.constants().iter().filter_map(symbol_text).filter(is_padded).map(|text| (table.name(), text)),
            );
        }
        if padded.is_empty() {
            return padded;
        }
        let stated: FxHashSet<&str> = terms.filter_map(symbol_text).collect();
        let given: FxHashSet<&str> = self.terms().filter_map(symbol_text).collect();
        let stands = |text: &str| stated.contains(text) || given.contains(text);
        padded.retain(|(_, text)| stands(text.trim()));
        padded.dedup_by_key(|(table, _)| *table);
        padded
    }

    /// The predicates, in no order; some twice.
    pub fn predicates(&self) -> impl Iterator<Item = &Predicate> {
        self.columns.keys().chain(&self.others)
    }
}

/// The atom whose rows a count, a sum or an average takes one by one, as written: the only one, and each of its arguments is told by the tuple
/// or from outside of the braces.
pub(super) fn counted_rows(aggregation: &Aggregation) -> Option<&Atom> {
    let takes_rows =
        matches!(aggregation.function, AggregateFunction::Count | AggregateFunction::Sum | AggregateFunction::Average);
    let (written, outside) = &*aggregation.written;
    let mut told: FxHashSet<&Name> = outside.iter().collect();
    written.template.iter().for_each(|term| term.for_each_variable(&mut |name| _ = told.insert(name)));
    let mut atoms = written.body.iter().filter_map(|condition| match condition {
        Formula::Compare(_) => None,
        Formula::Atom(atom) => Some(Some(atom)),
        _ => Some(None),
    });
    let (Some(Some(atom)), None, true) = (atoms.next(), atoms.next(), takes_rows) else { return None };
    let mut are_told = true;
    atom.args.iter().for_each(|arg| arg.for_each_variable(&mut |name| are_told &= told.contains(name)));
    are_told.then_some(atom)
}

/// The predicates whose rows aggregates of a program count or sum one by one.
struct CountedPredicates(FxHashSet<Predicate>);

impl CountedPredicates {
    fn of(program: &CheckedProgram) -> CountedPredicates {
        let aggregates = program.bodies().flatten().filter_map(|literal| match literal {
            Literal::Aggregate(aggregation) => counted_rows(aggregation),
            _ => None,
        });
        CountedPredicates(aggregates.map(Atom::signature).collect())
    }

    /// Facts that are equal to earlier ones, of each predicate.
    fn repeated_facts<'f>(&self, facts: impl Iterator<Item = &'f Atom>) -> Vec<Repeated> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let mut seen: FxHashSet<(&PredicateName, &[Term])> = FxHashSet::default();
        let mut repeated: FxHashMap<Predicate, usize> = FxHashMap::default();
        for fact in facts {
            if self.0.contains(&fact.signature()) && !seen.insert((&fact.predicate, &fact.args)) {
                *repeated.entry(fact.signature()).or_default() += 1;
            }
        }
        repeated.into_iter().map(|(predicate, count)| Repeated { predicate, table: None, count }).collect()
    }

    /// Rows of a table that are equal to earlier ones.
    fn repeated_rows(&self, table: &Table) -> Option<Repeated> {
        let predicate = self.0.get(table.predicate())?.clone();
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        // Hashes take a fraction of the memory of a set of rows. Of ten million rows, two different ones have the same once in 300,000 tables.
        let mut hashes: Vec<u64> = table.rows().map(|row| hasher.hash_one(row)).collect();
        hashes.sort_unstable();
        let rows = hashes.len();
        hashes.dedup();
        let count = rows - hashes.len();
        (count > 0).then(|| Repeated { predicate, table: Some(table.name().to_owned()), count })
    }
}

fn symbol_text(term: &Term) -> Option<&str> {
    match term {
        Term::Symbol(text) => Some(text),
        _ => None,
    }
}

/// Whether a text has blanks around what is more than blanks.
fn is_padded(text: &&str) -> bool {
    !text.trim().is_empty() && text.trim().len() < text.len()
}

/// The first row of a table that has none said to be a header, if it is of symbols that their columns have in no other row.
fn first_row(table: &Table) -> Option<Vec<&str>> {
    let is_first = table.whole().is_none() && table.header().is_none() && table.len() > 1;
    let first = table.rows().next().filter(|_| is_first)?;
    let number = |cell: &Value| match cell.content() {
        Content::Constant(number) => Some(number),
        Content::Integer(_) => None,
    };
    let numbers: Vec<usize> = first.iter().map(number).collect::<Option<_>>()?;
    let is_again = |row: &[Value]| row.iter().zip(&numbers).any(|(cell, of_first)| number(cell) == Some(*of_first));
    let row = numbers.iter().map(|&number| symbol_text(&table.constants()[number])).collect::<Option<_>>()?;
    (!table.rows().skip(1).any(is_again)).then_some(row)
}

/// The values of the only column of a table, if they are symbols with as many semicolons as each other: `Rome;3` is two columns where decimals have
/// commas. Lines of JSON say what their columns are.
fn semicolons(table: &Table) -> Option<TableOddity> {
    let has_separator = [".csv", ".tsv", ".csv.gz", ".tsv.gz"].iter().any(|end| table.name().ends_with(end));
    if table.predicate().arity != 1 || !has_separator {
        return None;
    }
    let count = |term: &Term| symbol_text(term).map(|text| text.matches(';').count());
    let values = values_of_table(table, 0, |term| count(term).is_some_and(|count| count > 0))?;
    let [first, others @ ..] = &values[..] else { return None };
    let is_odd = !others.is_empty() && others.iter().all(|other| count(other) == count(first));
    is_odd.then(|| Some(TableOddity::Semicolons { row: symbol_text(first)?.to_owned() })).flatten()
}

/// The first column of a table whose values all stand in quotation marks, with one of them.
fn quoted_values(table: &Table) -> Option<TableOddity> {
    (0..table.predicate().arity).find_map(|column| {
        let values = values_of_table(table, column, is_quoted)?;
        let value = (*values.first()?).clone();
        Some(TableOddity::QuotedValues { column, value })
    })
}

/// The missing values in a column of a table; `None` if there are none, or no integers.
fn missing_values(table: &Table, column: usize) -> Option<MissingValues<'_>> {
    let constants = table.constants();
    if !constants.iter().any(is_mark_of_missing) {
        return None;
    }
    let contents = || table.rows().map(|row| row[column].content());
    let marks = || {
        contents().filter_map(|content| match content {
            Content::Constant(number) => Some(&constants[number]).filter(|term| is_mark_of_missing(term)),
            Content::Integer(_) => None,
        })
    };
    marks().next()?;
    let has_integers = contents().any(|content| matches!(content, Content::Integer(_)));
    has_integers.then(|| {
        let mut each: Vec<&Term> = Vec::new();
        for mark in marks() {
            if !each.contains(&mark) {
                each.push(mark);
            }
        }
        MissingValues { table: table.name(), marks: each, rows: marks().count() }
    })
}

/// Whether a term is a symbol that tables have where a value is missing: those of R, pandas, Excel and databases, and what people write.
fn is_mark_of_missing(term: &Term) -> bool {
    const MARKS: [&str; 15] =
        ["", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "\\n", "-", "--", "?", ".", "missing", "unknown"];
    matches!(term, Term::Symbol(text) if MARKS.contains(&text.trim().to_ascii_lowercase().as_str()))
}

/// Whether a term is a symbol that begins and ends with the same marks, as texts in quotation marks do.
fn is_quoted(term: &Term) -> bool {
    const MARKS: [(char, char); 7] =
        [('\'', '\''), ('"', '"'), ('`', '`'), ('“', '”'), ('„', '“'), ('‘', '’'), ('«', '»')];
    let Term::Symbol(text) = term else { return false };
    MARKS.iter().any(|&(open, close)| text.strip_prefix(open).is_some_and(|rest| rest.ends_with(close)))
}

/// The values of a column of a table, each once; `None` if one of them is not such.
fn values_of_table(table: &Table, column: usize, is_such: impl Fn(&Term) -> bool) -> Option<Vec<&Term>> {
    let mut is_known = vec![false; table.constants().len()];
    let mut values = Vec::new();
    for row in table.rows() {
        let Content::Constant(number) = row[column].content() else { return None };
        if !std::mem::replace(&mut is_known[number], true) {
            let term = &table.constants()[number];
            if !is_such(term) {
                return None;
            }
            values.push(term);
        }
    }
    Some(values)
}

/// Whether the first row of a table has texts alone where all others have numbers in some column.
fn has_header(table: &Table) -> bool {
    let is_number = |cell: &Value| match cell.content() {
        Content::Integer(_) => true,
        Content::Constant(number) => !matches!(Kinds::of_table(&table.constants()[number]), Kinds::SYMBOL),
    };
    // Of a share, the first row is not that of the file, and neither is it behind a header.
    let mut rows = table.rows();
    let is_first = table.whole().is_none() && table.header().is_none();
    let Some(first) = rows.next().filter(|_| is_first) else { return false };
    let has_others = rows.len() > 0;
    let is_numeric = |column: usize| table.rows().skip(1).all(|row| is_number(&row[column]));
    has_others && !first.iter().any(is_number) && (0..first.len()).any(is_numeric)
}

/// The first row of a table, if it is left out as a header and is like the others: each field of it is a number, or stands in its column again.
fn row_as_header(table: &Table) -> Option<Vec<Term>> {
    let header = table.header()?;
    let is_again = |column: usize, field: &Term| {
        let number = table.constants().iter().position(|constant| constant == field);
        let is_field =
            |row: &[Value]| matches!(row[column].content(), Content::Constant(other) if Some(other) == number);
        number.is_some() && table.rows().any(is_field)
    };
    let is_value = |(column, field): (usize, &Term)| Kinds::of_table(field) != Kinds::SYMBOL || is_again(column, field);
    header.iter().enumerate().all(is_value).then(|| header.to_vec())
}

/// The first row of a table in which each comma that separates stands between two digits, and which has as many semicolons as any other:
/// `Rome;3,5` is two columns to people who write decimals with commas.
fn decimal_commas(table: &Table) -> Option<Vec<String>> {
    let fields = |row: &[Value]| row.iter().map(|cell| field_text(table, cell)).collect::<Option<Vec<String>>>();
    let semicolons = |row: &[Value]| {
        let fields = fields(row)?;
        let is_decimal = |pair: &[String]| {
            let ends = |text: Option<char>| text.is_some_and(|end| end.is_ascii_digit());
            ends(pair[0].chars().next_back()) && ends(pair[1].chars().next())
        };
        fields.windows(2).all(is_decimal).then(|| fields.iter().map(|field| field.matches(';').count()).sum::<usize>())
    };
    let first = table.rows().next().filter(|row| row.len() > 1)?;
    let count = semicolons(first).filter(|&count| count > 0)?;
    if table.rows().all(|row| semicolons(row) == Some(count)) { fields(first) } else { None }
}

/// A number or a symbol as it stands in a table.
fn field_text(table: &Table, cell: &Value) -> Option<String> {
    match cell.content() {
        Content::Integer(number) => Some(number.to_string()),
        Content::Constant(number) => match &table.constants()[number] {
            Term::Symbol(text) => Some(text.to_string()),
            _ => None,
        },
    }
}

/// The first symbol of a column that spells an integer.
fn first_spelled(table: &Table, column: usize) -> Option<Term> {
    table.rows().find_map(|row| match row[column].content() {
        Content::Constant(number) => {
            let term = &table.constants()[number];
            Kinds::of_table(term).meets(Kinds::SPELLED).then(|| term.clone())
        }
        Content::Integer(_) => None,
    })
}

/// Whether a text is an integer to people, if not to the rules: with a sign, with zeros in front, with digits in groups of three.
pub(super) fn spells_integer(text: &str) -> bool {
    let are_digits = |group: &str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let mut groups = text.strip_prefix(['+', '-', '\u{2212}']).unwrap_or(text).split([',', '_']);
    groups.next().is_some_and(are_digits) && groups.all(|group| group.len() == 3 && are_digits(group))
}

/// Calls `visit` with the predicate and the kinds in the columns of each run of facts of one predicate.
pub(super) fn for_each_run<'f>(facts: impl Iterator<Item = &'f Atom>, mut visit: impl FnMut(Predicate, Vec<Kinds>)) {
    let mut run: Option<(&Atom, Vec<Kinds>)> = None;
    for fact in facts {
        match &mut run {
            Some((first, columns)) if first.predicate == fact.predicate && first.args.len() == fact.args.len() => {
                columns.iter_mut().zip(&fact.args).for_each(|(column, term)| *column = *column | Kinds::of(term));
            }
            _ => {
                let next = (fact, fact.args.iter().map(Kinds::of).collect());
                run.replace(next).into_iter().for_each(|(first, columns)| visit(first.signature(), columns));
            }
        }
    }
    run.into_iter().for_each(|(first, columns)| visit(first.signature(), columns));
}
