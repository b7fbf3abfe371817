//! `ludolog rules`: the rule files and positions that come with Ludolog.

use super::{Failure, Outcome, file, print};
use clap::{Args, Subcommand};
use ludolog::bench::corpus;
use ludolog::family::games;
use ludolog::formulation::{self, Formulation, LIBRARY};
use ludolog::hex::Position;
use ludolog::positional;
use ludolog::syntax::diagnostic::Sources;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub struct RulesArgs {
    #[command(subcommand)]
    command: RulesCommand,
}

#[derive(Subcommand)]
enum RulesCommand {
    /// List the files, a line each
    ///
    /// Every FILE argument takes these names, and so do includes, as in `:- include('std:lib/hex-board.dl').` Rules
    /// whose text depends on the board have WxH in their name, which stands for any columns and rows.
    List,
    /// Print one of the files; what it includes it includes by the full names
    Show {
        /// Its name, as in std:hex/reachability.dl or std:hex/power-set-5x5.dl
        name: String,
    },
    /// Write one of the files into a folder, to be changed; what it includes it includes by the full names
    Copy {
        /// Its name, as in std:hex/reachability.dl or std:hex/power-set-5x5.dl
        name: String,
        /// The folder
        #[arg(value_name = "DIR", default_value = ".")]
        folder: PathBuf,
    },
}

pub fn run(args: &RulesArgs) -> Result<Outcome, Failure> {
    match &args.command {
        RulesCommand::List => print(&list(LIBRARY.names()))?,
        RulesCommand::Show { name } => print(&full(name)?)?,
        RulesCommand::Copy { name, folder } => copy(name, &full(name)?, folder)?,
    }
    Ok(Outcome::Success)
}

/// The names of the files, but for those that stand for any board.
pub fn names() -> Vec<String> {
    LIBRARY.names().into_iter().filter(|name| !name.contains("WxH")).collect()
}

/// The text of a file as it can be read in every folder.
fn full(name: &str) -> Result<String, Failure> {
    LIBRARY.full_text(name).map_err(|reason| Failure::Message(format!("`{name}`: {reason}")))
}

pub fn text(name: &str) -> Result<String, Failure> {
    let text = LIBRARY.text(name).map_err(|reason| Failure::Message(format!("`{name}`: {reason}")))?;
    Ok(text.into_owned())
}

/// The names with what the files are about.
pub fn list(names: Vec<String>) -> String {
    let width = names.iter().map(String::len).max().unwrap_or(0);
    names.iter().fold(String::new(), |mut lines, name| {
        _ = writeln!(lines, "{name:width$}  {}", subject(name));
        lines
    })
}

/// What a shipped file is about, in a few words: the title of a formulation, the size of a position, what a game of the family
/// is, or the first sentence of a file's first comment.
fn subject(name: &str) -> String {
    let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let formulation = formulation::ALL.iter().find(|&&Formulation { name, .. }| stem.trim_end_matches("-WxH") == name);
    if let Some(formulation) = formulation.filter(|_| name.starts_with("std:hex/")) {
        return formulation.title.to_owned();
    }
    if let Some(Ok((game, _))) = games::find(&stem)
        .filter(|_| name.starts_with("std:games/") && stem.ends_with(|last: char| last.is_ascii_digit()))
    {
        return format!("{}; {}", game.about, game.form);
    }
    let text = LIBRARY.text(name).unwrap_or_default();
    if name.starts_with(corpus::STANDARD_POSITIONAL) {
        let source = Sources::new().add(name, &*text);
        return positional::Position::parse(&text, source)
            .map_or(String::new(), |position| position.name.unwrap_or_default() + ", a matching set");
    }
    if name.ends_with(".txt") {
        let source = Sources::new().add(name, &*text);
        return Position::parse(&text, source).map_or(String::new(), |position| corpus::caption(&position));
    }
    let comment = text.lines().next().unwrap_or_default().trim_start_matches(['%', ';', ' ']);
    comment.split(['.', ':']).next().unwrap_or_default().to_owned()
}

/// Writes the text of a shipped file into a folder.
pub fn copy(name: &str, text: &str, folder: &Path) -> Result<(), Failure> {
    let path = folder.join(name.rsplit(['/', ':']).next().unwrap_or(name));
    file::check_kept(&path)?;
    file::create_directory(folder)?;
    file::write(&path, text.as_bytes())?;
    print(&format!("{}\n", path.display()))
}
