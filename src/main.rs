//! The command `ludolog`.

mod cli;

fn main() -> std::process::ExitCode {
    cli::run()
}
