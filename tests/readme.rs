//! Every command that the README shows prints what it shows.

#[test]
fn readme_commands() {
    trycmd::TestCases::new().case("README.md");
}
