//! Every command of the README prints the output that the README shows.

#[test]
fn readme_commands() {
    trycmd::TestCases::new().case("README.md");
}
