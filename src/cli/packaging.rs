//! `ludolog completions` and `ludolog man`: files for packages, generated from the definition of the arguments.

use super::{Failure, Outcome, file, print};
use clap::{Args, Command};
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

/// Prints the completion script of a shell.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<Outcome, Failure> {
    let mut script = Vec::new();
    let name = command.get_name().to_owned();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Outcome::Success)
}

/// Writes a page for each command.
pub fn man(args: &ManArgs, command: Command) -> Result<Outcome, Failure> {
    file::create_directory(&args.directory)?;
    clap_mangen::generate_to(command, &args.directory).map_err(|error| file::unwritable(&args.directory, &error))?;
    Ok(Outcome::Success)
}
