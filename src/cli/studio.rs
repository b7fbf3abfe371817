//! `ludolog studio`: rules written, asked and played in a browser.

use super::{FILES, Failure, Outcome, file, interrupt, limits, print};
use clap::Args;
use ludolog::formulation::LIBRARY;
use ludolog::lsp::Settings;
use ludolog::studio::server::{self, ASSETS, WORKER};
use ludolog::syntax::Files;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct StudioArgs {
    /// A rule file to begin with, or a std: name
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// The port to listen on, on this machine alone; 0 takes a free one
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Write the page as a folder of files that any web host serves, with the engine in it; needs --package
    #[arg(long, value_name = "PATH", requires = "package", conflicts_with_all = ["file", "port"])]
    export: Option<PathBuf>,
    /// The npm package that the page runs on, made by crates/web/build
    #[arg(long, value_name = "PATH", requires = "export")]
    package: Option<PathBuf>,
}

/// The files of the npm package that a page needs.
const PACKAGE: [&str; 2] = ["ludolog.js", "ludolog_bg.wasm"];

/// Serves until Ctrl-C, or writes the page.
pub fn run(args: &StudioArgs) -> Result<Outcome, Failure> {
    if let (Some(folder), Some(package)) = (&args.export, &args.package) {
        return export(folder, package);
    }
    let first = args.file.as_deref().map(first_text).transpose()?;
    let taken =
        |error| Failure::Message(format!("cannot listen on port {}: {error}; choose another --port", args.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(taken)?;
    let bound = listener.local_addr().map_err(taken)?;
    let token = token();
    print(&format!("the studio is at http://{bound}/?token={token} (Ctrl-C ends it)\n"))?;
    let settings = Settings { files: Arc::new(FILES), library: LIBRARY, limits: limits::memory() };
    let served = server::serve(listener, settings, token, first, &interrupt::flag());
    served.map_err(|error| Failure::Message(format!("the studio has stopped: {error}")))?;
    Ok(Outcome::Success)
}

/// The name and the text of a file.
fn first_text(path: &Path) -> Result<(String, String), Failure> {
    let told = |reason: String| Failure::Message(format!("`{}`: {reason}", path.display()));
    let bytes = FILES.read(path).map_err(|unreadable| told(unreadable.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| told("it is not in UTF-8".to_owned()))?;
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    Ok((name.into_owned(), text))
}

/// 128 bits that nobody guesses: hashes with keys of the system's.
fn token() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// Writes the page with the engine.
fn export(folder: &Path, package: &Path) -> Result<Outcome, Failure> {
    let mut parts = Vec::new();
    for name in PACKAGE {
        let path = package.join(name);
        let read = std::fs::read(&path);
        parts.push((
            name,
            read.map_err(|error| {
                Failure::Message(format!("{}: {error}; crates/web/build makes the package", path.display()))
            })?,
        ));
    }
    std::fs::create_dir_all(folder).map_err(|error| Failure::Message(format!("{}: {error}", folder.display())))?;
    let own = ASSETS.iter().map(|(name, _, text)| (*name, text.as_bytes().to_vec()));
    for (name, bytes) in own.chain([("worker.js", WORKER.as_bytes().to_vec())]).chain(parts) {
        file::write(&folder.join(name), &bytes)?;
    }
    print(&format!("the page is in {}: any web host can serve it\n", folder.display()))?;
    Ok(Outcome::Success)
}
