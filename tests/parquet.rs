//! Parquet files, in and out: those of pyarrow (`tests/files/parquet/write.py` wrote them), round trips of random tables, damaged files.

use crate::binary::run;
use ludolog::engine::Budget;
use ludolog::files::FileSystem;
use ludolog::files::parquet::ParquetWriter;
use ludolog::syntax::ast::{Float, Term};
use ludolog::syntax::{DatabaseFault, DatabaseValue, Files, Unreadable};
use parquet::basic::Compression;
use parquet::data_type::Int32Type;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;
use std::fs::{self, File};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

/// The file of this name that pyarrow wrote.
fn of_pyarrow(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files/parquet").join(name)
}

/// A folder with files of pyarrow, and rules.
fn folder(files: &[&str], rules: &str) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in files {
        fs::copy(of_pyarrow(name), directory.path().join(name)).unwrap();
    }
    fs::write(directory.path().join("r.dl"), rules).unwrap();
    directory
}

/// The names of the files of a folder.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// All rows of a file, in their order.
fn rows(path: &Path) -> Result<Vec<Vec<Term>>, DatabaseFault> {
    let mut database = FileSystem.database(path, &Budget::unlimited()).unwrap();
    let tables = database.tables()?;
    let columns = database.columns(&tables[0])?;
    let mut rows = Vec::new();
    let mut take = |values: &[DatabaseValue]| {
        assert_eq!(values.len(), columns.len());
        rows.push(values.iter().map(term).collect());
        ControlFlow::Continue(())
    };
    database.rows(&tables[0], &mut take)?;
    Ok(rows)
}

/// The term of a value; of one that has none, a symbol that says so.
fn term(value: &DatabaseValue) -> Term {
    match value {
        DatabaseValue::Integer(integer) => Term::Integer(*integer),
        DatabaseValue::Real(real) => Float::new(*real).map_or(Term::symbol("no float"), Term::Float),
        DatabaseValue::Text(text) => Term::symbol(&String::from_utf8_lossy(text)),
        DatabaseValue::Null | DatabaseValue::Bytes | DatabaseValue::LongNumber => Term::symbol("no value"),
    }
}

fn write(path: &Path, rows: &[Vec<Term>], columns: usize) -> Result<(), DatabaseFault> {
    let mut writer = ParquetWriter::new(File::create(path).unwrap(), columns);
    rows.iter().try_for_each(|row| writer.push(row))?;
    writer.finish()
}

#[test]
fn each_type_of_another_program_has_its_values() {
    let variables: Vec<String> = (0..22).map(|column| format!("X{column}")).collect();
    let variables = variables.join(", ");
    let files = folder(&["types.parquet", "int96.parquet"], &format!("p({variables}) :- types({variables}).\n"));
    let expected = "p(false, 127, 32767, 2147483647, 9223372036854775807, 255, 65535, 4294967295, 9223372036854775807, \
                    -0.25, 1e300, 'x y', b, ef, '1.10', '0.000000000000000000000000000000', 9223372036854775807, \
                    '2026-11-27', '23:59:59.999', '23:59:59.999999', '2026-11-27T12:30:01.500', '2000-02-29T00:00:00.000000Z').\n\
                    p(true, -128, -32768, -2147483648, -9223372036854775808, 0, 0, 0, 0, \
                    1.5, 0.1, 'ü', a, cd, '-0.05', '-1.000000000000000000000000000001', -7, \
                    '1969-12-31', '00:00:00.000', '00:00:00.000000', '1900-01-01T00:00:00.000', '2000-02-29T00:00:00.000000Z').\n";
    for table in ["types.parquet", "types=types.parquet"] {
        let told = run(&files, &["facts", "r.dl", "--facts", table], "");
        assert_eq!(told, (0, expected.to_owned(), String::new()), "{table}");
    }
    fs::write(files.path().join("d.kif"), "(input \"t\" \"int96.parquet\")\n(<= (p ?x) (t ?x))\n").unwrap();
    let times = "p('1970-01-01T00:00:00.000000000').\np('1970-01-01T00:00:00.000000001').\n";
    assert_eq!(run(&files, &["facts", "d.kif", "--format", "dl"], ""), (0, times.to_owned(), String::new()));
}

/// Groups, pages and encodings that the writer of Ludolog does not use.
#[test]
fn rows_of_several_groups_are_read_in_order() {
    let expected: Vec<Vec<Term>> =
        (0..40_000).map(|i| vec![Term::Integer(i * i), Term::symbol(&format!("name {}", i / 100))]).collect();
    assert!(rows(&of_pyarrow("pages.parquet")).unwrap() == expected);
    let files = folder(&["pages.parquet"], "n(N) :- N = count{ X : pages(X, _) }.\n");
    let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "pages.parquet"], "");
    assert_eq!((status, &*out, &*told), (0, "n(40000).\n", ""));
}

/// What polars compresses with unless told otherwise.
#[test]
fn zstd_is_read() {
    let expected: Vec<Vec<Term>> =
        (0..1000).map(|i| vec![Term::Integer(i), Term::symbol(&format!("name {}", i / 10))]).collect();
    assert!(rows(&of_pyarrow("zstd.parquet")).unwrap() == expected);
}

#[test]
fn what_is_no_fact_is_told_with_file_row_and_column() {
    let cases = [
        ("nulls.parquet", "row 3 of `nulls.parquet` has NULL in its column `a`"),
        ("nulls.parquet", "row 2 of `nulls.parquet` has NULL in its column `b`"),
        ("nulls.parquet", "write the file without such rows"),
        ("nested.parquet", "`nested.parquet` cannot be read: its column `tags` is nested"),
        ("nested.parquet", "a row for each element"),
        ("long.parquet", "row 2 of `long.parquet` has a number of too many digits in its column `a`"),
        ("binary.parquet", "row 2 of `binary.parquet` has a text that is not in UTF-8 in its column `a`"),
        ("half.parquet", "`half.parquet` cannot be read: its column `a` has the type Float16"),
        ("infinite.parquet", "row 1 of `infinite.parquet` has an infinite number in its column `a`"),
        ("infinite.parquet", "row 2 of `infinite.parquet` has NaN in its column `a`"),
        ("brotli.parquet", "its column `a` is compressed with brotli"),
        ("brotli.parquet", "compressed with snappy, gzip, zstd or not at all"),
        ("r.parquet", "there is no file `r.parquet`"),
        ("edge=nulls.parquet#edge", "there is no table `edge` in `nulls.parquet`"),
    ];
    let all: Vec<&str> = cases.iter().map(|(file, _)| *file).filter(|file| of_pyarrow(file).exists()).collect();
    let files = folder(&all, "p(X) :- edge(X).\n");
    for (table, expected) in cases {
        let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", table], "");
        assert!(status == 2 && out.is_empty() && told.contains(expected), "{table}: {told}");
    }
    fs::write(files.path().join("d.dl"), ":- input(edge, 'nested.parquet').\np(X) :- edge(X).\n").unwrap();
    let (_, _, told) = run(&files, &["facts", "d.dl"], "");
    assert!(told.contains(" --> d.dl:1:1"), "{told}");
}

/// Decimals are the texts that spell them, unless they are declared to be floats.
#[test]
fn decimals_are_what_is_declared() {
    let files = tempfile::tempdir().unwrap();
    let schema = parse_message_type("message prices { required int32 price (DECIMAL(9, 2)); }").unwrap();
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let file = File::create(files.path().join("price.parquet")).unwrap();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    column.typed::<Int32Type>().write_batch(&[250, 1005, 300], None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
    for (declared, expected) in [
        ("", "p('10.05').\np('2.50').\np('3.00').\n"),
        (":- type(price, float).\n", "p(2.5).\np(3.0).\np(10.05).\n"),
        (":- type(price, symbol).\n", "p('10.05').\np('2.50').\np('3.00').\n"),
    ] {
        let rules = format!("{declared}:- input(price, 'price.parquet').\np(X) :- price(X).\n");
        fs::write(files.path().join("r.dl"), rules).unwrap();
        let (status, out, told) = run(&files, &["facts", "r.dl"], "");
        assert_eq!((status, &*out, &*told), (0, expected, ""), "{declared}");
    }
}

#[test]
fn facts_are_written_and_read_back() {
    let rules = "p(X, Y, Z) :- q(X, Y, Z).\nq(1, 2.5, \"it's\"). q(-9223372036854775808, -0.5, ''). q(3, 1e300, '7').\n\
                 none(X) :- q(X, _, _) & X > 3.\n";
    let files = folder(&[], rules);
    let of_p = ["facts", "r.dl", "--predicate", "p/3", "-o", "out.parquet"];
    assert_eq!(run(&files, &of_p, ""), (0, String::new(), String::new()));
    let all = "p(-9223372036854775808, -0.5, '').\np(1, 2.5, 'it\\'s').\np(3, 1e300, '7').\n";
    fs::write(files.path().join("s.dl"), "p(X, Y, Z) :- out(X, Y, Z).\n").unwrap();
    assert_eq!(run(&files, &["facts", "s.dl", "--facts", "out.parquet"], ""), (0, all.to_owned(), String::new()));
    // A predicate without facts has columns; where there are several, the one that has facts is written.
    let (status, _, told) = run(&files, &["facts", "r.dl", "--predicate", "none/1", "-o", "none.parquet"], "");
    assert_eq!((status, &*told), (0, ""));
    assert_eq!(rows(&files.path().join("none.parquet")), Ok(Vec::new()));
    assert_eq!(run(&files, &["facts", "r.dl", "-o", "both.parquet"], "").0, 0);
    assert_eq!(rows(&files.path().join("both.parquet")).unwrap().len(), 3);
    // What is there is kept, unless it is forced.
    let before = fs::read(files.path().join("out.parquet")).unwrap();
    fs::write(files.path().join("r.dl"), "p(X) :- q(X).\nq(1).\n").unwrap();
    let (status, _, told) = run(&files, &["facts", "r.dl", "-o", "out.parquet"], "");
    assert!(
        status == 2 && told.contains("cannot write out.parquet: it is there already; --force replaces it"),
        "{told}"
    );
    assert!(fs::read(files.path().join("out.parquet")).unwrap() == before);
    assert_eq!(run(&files, &["facts", "r.dl", "-o", "out.parquet", "--force"], "").0, 0);
    assert_eq!(rows(&files.path().join("out.parquet")), Ok(vec![vec![Term::Integer(1)]]));
}

#[test]
fn nothing_is_written_by_half() {
    let files = folder(&[], "a(1).\n");
    let cases = [
        ("a(X) :- b(X).\nb(1). b(f(1)).\n", &[][..], "cannot write out.parquet: f(1) is no constant; --format dl"),
        ("a(X) :- b(X).\nb(1). b(x).\n", &[], "x stands in column 1, which has integers before it"),
        ("a(X) :- b(X).\nb(1). b(2.0).\n", &[], "2.0 stands in column 1, which has integers before it"),
        ("a :- b.\nb.\n", &[], "`a/0` has no arguments, and tables have columns"),
        ("a(X) :- b(X).\nc(X) :- b(X).\nb(1).\n", &[], "there are `a/1` and `c/1`; choose one with --predicate"),
        ("a(X) :- b(X).\nb(1).\n", &["--format", "csv"], "leave --format out"),
        ("a(X) :- b(X).\nb(1). b(2). b(3).\n", &["--max-facts", "1"], "facts"),
        ("a(X) :- b(X).\nb(1).\n:- b(1).\n", &[], "constraint"),
    ];
    for (rules, more, expected) in cases {
        fs::write(files.path().join("r.dl"), rules).unwrap();
        let (status, _, told) = run(&files, &[&["facts", "r.dl", "-o", "out.parquet"], more].concat(), "");
        assert!(status != 0 && told.contains(expected), "{rules}: {status} {told}");
        assert_eq!(names(&files), ["r.dl"], "{rules}");
    }
    let (status, _, told) = run(&files, &["facts", "r.dl", "-o", "nowhere/out.parquet"], "");
    assert!(status == 2 && told.contains("cannot write nowhere/out.parquet"), "{told}");
}

/// A file that ends anywhere before its end is told as such.
#[test]
fn files_cut_short_are_told_wherever_they_end() {
    let files = folder(&[], "p(X) :- cut(X).\n");
    let path = files.path().join("cut.parquet");
    let whole = fs::read(of_pyarrow("types.parquet")).unwrap();
    for length in (0..whole.len()).step_by(13).chain(whole.len() - 13..whole.len()) {
        fs::write(&path, &whole[..length]).unwrap();
        let fault = rows(&path).expect_err("it is cut short").reason;
        let expected = if length < 4 { "it is no Parquet file" } else { "it is damaged or cut short" };
        assert!(fault.contains(expected), "{length}: {fault}");
    }
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    let (status, out, told) = run(&files, &["facts", "r.dl", "--facts", "cut.parquet"], "");
    assert!(status == 2 && out.is_empty(), "{out}");
    assert!(told.contains("`cut.parquet` cannot be read: it is damaged or cut short (its end is missing)"), "{told}");
    fs::write(&path, "edge(1, 2).\n").unwrap();
    let (_, _, told) = run(&files, &["facts", "r.dl", "--facts", "cut.parquet"], "");
    assert!(told.contains("it is no Parquet file") && told.contains("is it the right file?"), "{told}");
}

/// Whatever stands in a byte, there is an answer. A long run damages more of them.
#[test]
fn damaged_files_are_told_or_read() {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("torn.parquet");
    for (name, step, long) in
        [("types.parquet", 31, 1), ("nulls.parquet", 5, 1), ("pages.parquet", 101, 23), ("zstd.parquet", 31, 1)]
    {
        let step = if crate::random::long_run().is_some() { long } else { step };
        let whole = fs::read(of_pyarrow(name)).unwrap();
        for at in (0..whole.len()).step_by(step) {
            let mut torn = whole.clone();
            torn[at] ^= [0xFF, 0x01, 0x80][at % 3];
            fs::write(&path, torn).unwrap();
            let read = std::panic::catch_unwind(|| rows(&path).map(|rows| rows.len()));
            assert!(read.is_ok(), "{name}: byte {at}");
        }
    }
}

#[test]
fn files_of_confined_folders_lie_within_them() {
    let files = folder(&["empty.parquet"], "");
    fs::create_dir(files.path().join("in")).unwrap();
    let confined = FileSystem::confined_to([files.path().join("in")]).unwrap();
    let outside = confined.database(&files.path().join("empty.parquet"), &Budget::unlimited());
    assert_eq!(outside.err(), Some(Unreadable::Outside));
    assert_eq!(FileSystem.database(files.path(), &Budget::unlimited()).err().map(|_| ()), Some(()));
    assert_eq!(rows(&files.path().join("empty.parquet")), Ok(Vec::new()));
}

/// Random tables: the type of each column, and rows.
fn tables() -> impl Strategy<Value = Vec<Vec<Term>>> {
    let value = |kind: u8| match kind {
        0 => prop_oneof![any::<i64>(), -2..2_i64].prop_map(Term::Integer).boxed(),
        1 => any::<f64>().prop_filter_map("finite", |real| Float::new(real).map(Term::Float)).boxed(),
        _ => prop_oneof![any::<String>(), "[ab]{0,2}"].prop_map(|text| Term::symbol(&text)).boxed(),
    };
    prop::collection::vec(0..3_u8, 1..5).prop_flat_map(move |kinds| {
        let row: Vec<_> = kinds.into_iter().map(value).collect();
        prop::collection::vec(row, 1..60)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::random::long_run().unwrap_or(48), failure_persistence: None, ..Default::default() })]

    /// Rows come back as they were, in their order; the crate's reader of records finds the same ones.
    #[test]
    fn tables_come_back(table in tables()) {
        let files = tempfile::tempdir().unwrap();
        let path = files.path().join("t.parquet");
        write(&path, &table, table[0].len()).unwrap();
        prop_assert_eq!(&rows(&path).unwrap(), &table);
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        let of = |field: &Field| match field {
            Field::Long(integer) => Term::Integer(*integer),
            Field::Double(real) => Term::Float(Float::new(*real).unwrap()),
            Field::Str(text) => Term::symbol(text),
            other => panic!("{other}"),
        };
        let records = reader.get_row_iter(None).unwrap().map(Result::unwrap);
        let read: Vec<Vec<Term>> = records.map(|row| row.get_column_iter().map(|(_, field)| of(field)).collect()).collect();
        prop_assert_eq!(read, table);
    }
}

/// More rows than a group has.
#[test]
fn large_tables_come_back() {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("t.parquet");
    let table: Vec<Vec<Term>> = (0..66_000).map(|i| vec![Term::Integer(i / 7)]).collect();
    write(&path, &table, 1).unwrap();
    assert_eq!(SerializedFileReader::new(File::open(&path).unwrap()).unwrap().num_row_groups(), 2);
    assert!(rows(&path).unwrap() == table);
}
