//! `ludolog completions` and `ludolog man`: files for packages, generated from the definition of the arguments.

use super::{Failure, Outcome, file, games, print, rules};
use clap::builder::PossibleValuesParser;
use clap::{Arg, Args, Command, ValueHint};
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Args)]
pub struct CompletionsArgs {
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Args)]
pub struct ManArgs {
    /// The directory to write them to, which is created
    #[arg(value_name = "DIR", default_value = ".")]
    directory: PathBuf,
}

/// Prints the completion script of a shell. It completes the names of shipped games and files as well, in bash, zsh and
/// fish.
pub fn completions(args: &CompletionsArgs, command: Command) -> Result<Outcome, Failure> {
    let games = games::names();
    let files = rules::names();
    let name = command.get_name().to_owned();
    let places = if args.shell == Shell::Fish { game_places(&command) } else { Vec::new() };
    let mut command = hinted(command, args.shell);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    let script = String::from_utf8_lossy(&script);
    // In zsh some characters of the names mean something without quotes.
    let (separator, quote) = if args.shell == Shell::Zsh { ("' '", "'") } else { (" ", "") };
    let [games, files] = [games, files].map(|names| format!("{quote}{}{quote}", names.join(separator)));
    print(&match args.shell {
        Shell::Bash => with_names_in_bash(&script, &games, &files),
        Shell::Zsh => with_names_in_zsh(&script, &games, &files),
        Shell::Fish => with_names_in_fish(&script, &places, &games, &files),
        _ => script.into_owned(),
    })?;
    Ok(Outcome::Success)
}

/// What an argument names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedThing {
    Game,
    File,
    Folder,
}

/// What an argument of a command names, by the names of its values.
fn named(command: &str, arg: &Arg) -> Option<NamedThing> {
    let values = arg.get_value_names().unwrap_or_default();
    let is = |word: &str| values.iter().any(|value| value.contains(word)) || arg.get_id() == &*word.to_lowercase();
    match command {
        "games" if is("NAME") => Some(NamedThing::Game),
        "rules" if is("NAME") => Some(NamedThing::File),
        _ if is("GAME") => Some(NamedThing::Game),
        _ if ["FILE", "FILES", "POSITION", "CERTIFICATE"].into_iter().any(is) => Some(NamedThing::File),
        _ if is("DIR") => Some(NamedThing::Folder),
        _ => None,
    }
}

/// The command with what its arguments name, as the script of a shell needs it. Scripts know no names besides files, so
/// that [`A_GAME`] stands for games in bash, which turns to files where no name fits, and [`GAME`] elsewhere.
fn hinted(command: Command, shell: Shell) -> Command {
    let name = command.get_name().to_owned();
    let hint = |arg: Arg| match named(&name, &arg) {
        Some(NamedThing::Game) if shell == Shell::Bash => arg.value_parser(PossibleValuesParser::new([A_GAME])),
        Some(NamedThing::Game) => arg.value_hint(GAME),
        Some(NamedThing::File) => arg.value_hint(ValueHint::FilePath),
        Some(NamedThing::Folder) => arg.value_hint(ValueHint::DirPath),
        None => arg,
    };
    // `list`, `show` and `copy` are of what their command is of.
    let within = |sub: Command| match &*name {
        "games" | "rules" => sub.mut_args(&hint),
        _ => hinted(sub, shell),
    };
    command.mut_args(&hint).mut_subcommands(within)
}

/// The one value of what names a game.
const A_GAME: &str = "@game@";

/// The hint of what names a game: nothing names a host.
const GAME: ValueHint = ValueHint::Hostname;

/// Bash splits words at colons, so that what begins with `std:` is completed besides.
fn with_names_in_bash(script: &str, games: &str, files: &str) -> String {
    let script = script.replace(A_GAME, games);
    let (functions, registration) = script.split_once("\nif [[").unwrap_or((&script, ""));
    let registration = registration.replace("complete -F _ludolog ", "complete -F _ludolog_or_std ");
    format!(
        r#"{functions}
_ludolog_or_std() {{
    local word="${{COMP_LINE:0:COMP_POINT}}"
    word="${{word##*[[:space:]=]}}"
    if [[ "$word" == std:* ]]; then
        COMPREPLY=( $(compgen -W "{files}" -- "$word") )
        if [[ "$COMP_WORDBREAKS" == *:* ]]; then
            COMPREPLY=( "${{COMPREPLY[@]#std:}}" )
        fi
    else
        _ludolog "$@"
    fi
}}

if [[{registration}"#
    )
}

fn with_names_in_zsh(script: &str, games: &str, files: &str) -> String {
    let (tag, functions) = script.split_once('\n').unwrap_or((script, ""));
    let functions = functions.replace(":_hosts", ":_ludolog_games").replace(":_files'", ":_ludolog_files'");
    format!(
        r#"{tag}

(( $+functions[_ludolog_games] )) ||
_ludolog_games() {{
    local -a names=({games})
    _alternative 'games:game:compadd -a names' 'files:file:_ludolog_files'
}}

(( $+functions[_ludolog_files] )) ||
_ludolog_files() {{
    local -a names=({files})
    _alternative 'files:file:_files' 'shipped:file that comes with Ludolog:compadd -a names'
}}
{functions}"#
    )
}

/// `places` are the commands that take games, as conditions.
fn with_names_in_fish(script: &str, places: &[String], games: &str, files: &str) -> String {
    let of_games = |place: &String| format!("complete -c ludolog -n \"{place}\" -a \"{games}\"\n");
    let of_games: String = places.iter().map(of_games).collect();
    format!(
        "{script}{of_games}complete -c ludolog -n \"string match -q 'std:*' -- (commandline -ct)\" -a \"{files}\"\n"
    )
}

/// The commands that take games, as conditions of fish.
fn game_places(command: &Command) -> Vec<String> {
    let takes_game = |within: &str, command: &Command| {
        command.get_positionals().any(|arg| named(within, arg) == Some(NamedThing::Game))
    };
    let mut places = Vec::new();
    for outer in command.get_subcommands() {
        let name = outer.get_name();
        let condition = format!("__fish_ludolog_using_subcommand {name}");
        if takes_game(name, outer) {
            places.push(condition.clone());
        }
        let inner = outer.get_subcommands().filter(|inner| takes_game(name, inner)).map(Command::get_name);
        places.extend(inner.map(|inner| format!("{condition}; and __fish_seen_subcommand_from {inner}")));
    }
    places
}

/// Writes a page for each command.
pub fn man(args: &ManArgs, command: Command) -> Result<Outcome, Failure> {
    file::create_directory(&args.directory)?;
    clap_mangen::generate_to(command, &args.directory).map_err(|error| file::unwritable(&args.directory, &error))?;
    Ok(Outcome::Success)
}
