//! Commands and options that had another word: it is understood for a release, and the new one is told. Which word is for
//! what: `docs/guide/commands.md`.

use clap::{ArgMatches, Command};
use std::ffi::OsString;

/// A command, an option of it, and the word that it had.
type Renamed = (&'static [&'static str], &'static str, &'static str);

/// All of them.
const RENAMED: &[Renamed] = &[
    (&["bench", "hex"], "position", "positions"),
    (&["bench", "hex"], "timeout", "limit"),
    (&["bench", "hex"], "optimize", "optimization"),
    (&["bench", "datalog"], "timeout", "limit"),
    (&["bench", "datalog"], "optimize", "optimization"),
    (&["bench", "players"], "states", "positions"),
    (&["bench", "ggp"], "time", "seconds"),
    (&["bench", "positional"], "timeout", "limit"),
    (&["bench", "formulations"], "time", "seconds"),
    (&["bench", "formulations"], "parallel", "threads"),
    (&["game", "playouts"], "time", "seconds"),
    (&["game", "compare"], "time", "seconds"),
    (&["hex", "play"], "play-clock", "time"),
    (&["hex", "htp"], "play-clock", "time"),
    (&["match"], "html", "replay"),
    (&["play"], "html", "replay"),
    (&["tournament"], "output", "directory"),
    (&["tournament"], "player", "players"),
];

/// A word of a command that is understood still, the command that it ran, and the command that does the same.
const MOVED: &[(&str, &[&str], &str)] =
    &[("verify", &["game", "compare"], "game compare"), ("verify", &["hex", "verify"], "verify")];

/// The command, with the old words as hidden ones.
///
/// # Panics
///
/// Panics if a command or an option of the table is none.
pub fn understand(command: Command) -> Command {
    RENAMED.iter().fold(command, |command, (path, word, old)| within(command, path, word, old))
}

/// Gives an option of the command at the end of the path its old word.
fn within(command: Command, path: &'static [&'static str], word: &str, old: &'static str) -> Command {
    if let [name, path @ ..] = path {
        return command.mut_subcommand(name, |command| within(command, path, word, old));
    }
    let option =
        command.get_opts().find(|option| option.get_long() == Some(word)).map(|option| option.get_id().clone());
    let option = option.unwrap_or_else(|| panic!("{} has no --{word}", command.get_name()));
    command.mut_arg(option, |option| option.alias(old))
}

/// What to say of the old words among the words of a command line, a line each.
pub fn notes(matches: &ArgMatches, words: impl Iterator<Item = OsString>) -> Vec<String> {
    let path: Vec<&str> = std::iter::successors(matches.subcommand(), |(_, matches)| matches.subcommand())
        .map(|(name, _)| name)
        .collect();
    let options: Vec<OsString> = words.take_while(|word| word != "--").collect();
    let is_said = |old: &str| {
        let alone = format!("--{old}");
        let with_value = format!("--{old}=");
        options.iter().any(|word| *word == *alone || word.as_encoded_bytes().starts_with(with_value.as_bytes()))
    };
    // An argument of a command may be the old word of another.
    let is_command = |group: &str, old: &str| options.windows(2).any(|words| words[0] == group && words[1] == old);
    let moved = MOVED.iter().filter(|(old, command, _)| **command == *path && is_command(command[0], old));
    let moved = moved.map(|(old, command, new)| {
        format!("warning: {} {old} is {new} now; the old word goes with the next release", command[0])
    });
    let said = RENAMED.iter().filter(|(command, _, old)| **command == *path && is_said(old));
    let said =
        said.map(|(_, word, old)| format!("warning: --{old} is --{word} now; the old word goes with the next release"));
    moved.chain(said).collect()
}
