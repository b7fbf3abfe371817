//! Every command of the README prints the output that the README shows, in any folder.

/// The commands run in an empty folder, as after `cargo install`.
#[test]
fn readme_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("README.md");
    std::fs::copy("README.md", &copy).expect("the README");
    // The folder of the same name with the extension `in` is where the commands run.
    std::fs::create_dir(copy.with_extension("in")).expect("an empty folder");
    trycmd::TestCases::new().case(&copy);
}
