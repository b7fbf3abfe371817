//! Builds the crate again when a file comes or goes, which the macro that reads the folders does not tell.

fn main() {
    for folder in ["rules", "bench-positions"] {
        println!("cargo::rerun-if-changed={folder}");
    }
}
