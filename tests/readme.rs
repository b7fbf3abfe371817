//! Every command of the README prints the output that the README shows, in any folder.

use assert_cmd::Command;

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

/// The inputs behind the prompt, as a script, print the lines between them.
#[test]
fn readme_prompt() {
    const PROMPT: &str = "ludolog> ";
    let readme = std::fs::read_to_string("README.md").expect("the README");
    let transcripts = readme.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let transcripts: Vec<&str> = transcripts.filter(|text| text.contains(PROMPT)).collect();
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        let (inputs, outputs): (Vec<&str>, Vec<&str>) =
            transcript.split_inclusive('\n').partition(|line| line.starts_with(PROMPT));
        let script: String = inputs.iter().map(|line| &line[PROMPT.len()..]).collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut command = Command::cargo_bin("ludolog").expect("the binary is built");
        let output = command.current_dir(folder.path()).arg("repl").write_stdin(script).output().expect("it runs");
        assert_eq!(String::from_utf8_lossy(&output.stdout), outputs.concat());
    }
}
