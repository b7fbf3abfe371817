//! Tells the benchmark's report which compiler built it.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    if let Ok(output) = Command::new(rustc).arg("--version").output()
        && let Ok(version) = String::from_utf8(output.stdout)
    {
        println!("cargo::rustc-env=LUDOLOG_RUSTC={}", version.trim());
    }
}
