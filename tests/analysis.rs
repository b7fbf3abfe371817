//! The diagnostics of the analysis: each file of `tests/rejected/analysis` has a snapshot of its own.

use ludolog::analysis;
use ludolog::diagnostic::{Sources, render};
use ludolog::files::FileSystem;
use ludolog::syntax;

#[test]
fn what_is_wrong_is_said() {
    insta::glob!("rejected/analysis/*", |path| {
        let file = format!("tests/rejected/analysis/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut sources = Sources::new();
        let loaded =
            syntax::load(&FileSystem, &[&file], None, &mut sources).unwrap_or_else(|found| panic!("{file}: {found:?}"));
        let found = match analysis::analyze(&loaded.program) {
            Ok(_) => panic!("{file} is accepted"),
            Err(found) => found,
        };
        insta::assert_snapshot!(render::to_text(&found, &sources, false));
    });
}

#[test]
fn what_is_odd_is_said() {
    insta::glob!("odd/*", |path| {
        let file = format!("tests/odd/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let mut sources = Sources::new();
        let loaded =
            syntax::load(&FileSystem, &[&file], None, &mut sources).unwrap_or_else(|found| panic!("{file}: {found:?}"));
        let analyzed = analysis::analyze(&loaded.program).unwrap_or_else(|found| panic!("{file}: {found:?}"));
        assert!(!analyzed.warnings.is_empty(), "{file} is not odd");
        insta::assert_snapshot!(render::to_text(&analyzed.warnings, &sources, false));
    });
}
