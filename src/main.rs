use std::process::ExitCode;

fn main() -> ExitCode {
    ludolog::cli::run()
}
