//! Every command of the README and of the guide prints the output that is shown there, in any folder.

use crate::binary::run;
use std::path::{Path, PathBuf};

/// The README and the pages of the guide.
fn pages() -> Vec<PathBuf> {
    let guide = std::fs::read_dir("docs/guide").expect("the guide").map(|page| page.expect("a page").path());
    let mut pages: Vec<PathBuf> = guide.chain([PathBuf::from("README.md")]).collect();
    pages.sort();
    assert!(pages.len() > 5, "{pages:?}");
    pages
}

/// The blocks of a language on all pages.
fn blocks(language: &str) -> Vec<String> {
    let of_page = |page: &PathBuf| {
        let text = std::fs::read_to_string(page).expect("a page");
        let opening = format!("```{language}\n");
        let blocks = text.split(&opening).skip(1).filter_map(|rest| rest.split("```").next());
        blocks.map(str::to_owned).collect::<Vec<_>>()
    };
    pages().iter().flat_map(of_page).collect()
}

/// The files that `CONTRIBUTING.md` leads to are there.
#[test]
fn changes_step_by_step_lead_to_files() {
    let text = std::fs::read_to_string("CONTRIBUTING.md").expect("a page");
    let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let missing: Vec<&str> = links.clone().filter(|link| !Path::new(link).exists()).collect();
    assert!(missing.is_empty() && links.count() > 10, "{missing:?}");
}

/// The commands of each page run in an empty folder, as after `cargo install`.
#[test]
fn readme_commands() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = trycmd::TestCases::new();
    // A reader is no CI, which writes no snapshots.
    cases.env("CI", "false");
    for page in pages() {
        let copy = folder.path().join(page.file_name().expect("a page has a name"));
        std::fs::copy(&page, &copy).expect("a page");
        // The folder of the same name with the extension `in` is where the commands run.
        std::fs::create_dir(copy.with_extension("in")).expect("an empty folder");
        cases.case(&copy);
    }
    cases.run();
}

/// The inputs behind the prompt, as a script, print the lines between them.
#[test]
fn readme_prompt() {
    const PROMPT: &str = "ludolog> ";
    let transcripts: Vec<String> = blocks("text").into_iter().filter(|text| text.contains(PROMPT)).collect();
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        let (inputs, outputs): (Vec<&str>, Vec<&str>) =
            transcript.split_inclusive('\n').partition(|line| line.starts_with(PROMPT));
        let script: String = inputs.iter().map(|line| &line[PROMPT.len()..]).collect();
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(run(&folder, &["repl"], &script).1, outputs.concat());
    }
}

/// Games by hand go as the pages show.
#[test]
fn readme_play() {
    const COMMAND: &str = "$ ludolog ";
    let transcripts = blocks("text");
    let transcripts: Vec<&str> = transcripts.iter().filter_map(|text| text.strip_prefix(COMMAND)).collect();
    assert!(!transcripts.is_empty());
    for transcript in transcripts {
        let (command, printed) = transcript.split_once('\n').expect("a command and what it prints");
        let inputs = printed.lines().filter_map(|line| line.split_once("> "));
        let script: String = inputs.map(|(_, input)| format!("{input}\n")).collect();
        let (_, output, _) = run(".", &command.split(' ').collect::<Vec<_>>(), &script);
        assert!(output.starts_with(printed), "{output}");
    }
}

/// Links from page to page lead somewhere.
#[test]
fn links_lead_to_pages() {
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        let folder = page.parent().unwrap_or(Path::new("."));
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
        for target in targets.filter(|target| !target.is_empty() && !target.contains("://")) {
            assert!(folder.join(target).exists(), "{} → {target}", page.display());
        }
    }
}
