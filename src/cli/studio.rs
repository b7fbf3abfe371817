//! `ludolog studio`: rules written, asked and played in a browser.

use super::{FILES, Failure, Outcome, file, games, interrupt, limits, print};
use clap::Args;
use ludolog::formulation::LIBRARY;
use ludolog::lsp::Settings;
use ludolog::shipped::is_name;
use ludolog::studio::Folder;
use ludolog::studio::server::{self, ASSETS, Beginning, WORKER};
use ludolog::syntax::Syntax;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Args)]
pub struct StudioArgs {
    /// A rule file to open and save, a folder of them, or a file or game that comes with Ludolog, as hex-5x5
    #[arg(value_name = "FILE|DIR|GAME")]
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
    let beginning = args.file.as_deref().map_or(Ok(Beginning::Kept), beginning)?;
    let taken =
        |error| Failure::Message(format!("cannot listen on port {}: {error}; choose another --port", args.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(taken)?;
    let bound = listener.local_addr().map_err(taken)?;
    let token = token();
    print(&format!("the studio is at http://{bound}/?token={token} (Ctrl-C ends it)\n"))?;
    let settings = Settings { files: Arc::new(FILES), library: LIBRARY, limits: limits::memory() };
    let served = server::serve(listener, settings, token, beginning, &interrupt::flag());
    served.map_err(|error| Failure::Message(format!("the studio has stopped: {error}")))?;
    Ok(Outcome::Success)
}

/// A folder or a file on this machine, or the text of one that comes with Ludolog.
fn beginning(path: &Path) -> Result<Beginning, Failure> {
    let told = |reason: String| Failure::Message(format!("`{}`: {reason}", path.display()));
    if path.exists() {
        let folder = Folder::open(path, save).map_err(|error| told(error.to_string()))?;
        let first = folder.names().next().map(|name| folder.read(name).map(|_| ()));
        return match first {
            None => Err(told("there is no rule file in this folder (.dl, .kif)".to_owned())),
            Some(read) => read.map_err(Failure::Message).map(|()| Beginning::Folder(Arc::new(folder))),
        };
    }
    let name = path.to_string_lossy();
    let name = match Syntax::of(path) {
        None => games::with_size(Path::new(&games::full_name(&name))).to_string_lossy().into_owned(),
        Some(_) if is_name(path) => name.into_owned(),
        Some(_) => return Err(told("there is no such file".to_owned())),
    };
    let text = LIBRARY.full_text(&name).map_err(|unreadable| told(unreadable.to_string()))?;
    let short = name.rsplit_once('/').map_or(&*name, |(_, short)| short);
    Ok(Beginning::Text(short.to_owned(), text))
}

/// Saves a rule file.
fn save(path: &Path, text: &str) -> Result<(), String> {
    file::update(path, text.as_bytes()).map_err(|failure| match failure {
        Failure::Message(words) => words,
        _ => format!("`{}` cannot be written", path.display()),
    })
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
