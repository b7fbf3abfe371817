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

/// Games by hand go as the README shows.
#[test]
fn readme_play() {
    const COMMAND: &str = "$ ludolog ";
    let readme = std::fs::read_to_string("README.md").expect("the README");
    let transcripts = readme.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let transcripts: Vec<&str> = transcripts.filter_map(|text| text.strip_prefix(COMMAND)).collect();
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        let (command, printed) = transcript.split_once('\n').expect("a command and what it prints");
        let inputs = printed.lines().filter_map(|line| line.split_once("> "));
        let script: String = inputs.map(|(_, input)| format!("{input}\n")).collect();
        let mut ludolog = Command::cargo_bin("ludolog").expect("the binary is built");
        let output = ludolog.args(command.split(' ')).write_stdin(script).output().expect("it runs");
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.starts_with(printed), "{output}");
    }
}
