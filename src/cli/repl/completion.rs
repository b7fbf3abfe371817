//! The words that may stand at a place.

use super::input::COMMANDS;
use ludolog::formulation::LIBRARY;
use ludolog::optimize::Optimization;
use ludolog::syntax::ast::{Atom, Predicate};
use ludolog::syntax::{ColdSort, Syntax, print_atom};

/// The completions of a line whose cursor is at its end: the place from which on they replace it, and the words. Commands at
/// its beginning, what a command takes behind it, else predicates.
pub fn complete<'a>(
    line: &str,
    syntax: Syntax,
    predicates: impl Iterator<Item = &'a Predicate>,
) -> (usize, Vec<String>) {
    if let Some(path) = line.trim_start().strip_prefix("load ") {
        let path = path.trim_start();
        return (line.len() - path.len(), files(path));
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let start = line.char_indices().rfind(|(_, c)| !is_word(*c)).map_or(0, |(at, c)| at + c.len_utf8());
    let (before, word) = line.split_at(start);
    let mut words: Vec<String> = match before.trim() {
        "engine" => ludolog::engines().map(|engine| engine.name.to_owned()).collect(),
        "optimize" => Optimization::NAMED.iter().map(ToString::to_string).collect(),
        "time" => vec!["on".to_owned(), "off".to_owned()],
        before => {
            let commands = COMMANDS.iter().filter(|_| before.is_empty()).map(|(name, ..)| (*name).to_owned());
            let names = predicates.map(|predicate| {
                let name = print_atom(&Atom::new(&predicate.name, Vec::new()), syntax);
                let takes_arguments = syntax == Syntax::Datalog && predicate.arity > 0;
                if takes_arguments { name + "(" } else { name }
            });
            commands.chain(names).collect()
        }
    };
    words.retain(|candidate| candidate.starts_with(word));
    words.cold_sort();
    words.dedup();
    (start, words)
}

/// The files and folders that begin with `path`, also those that come with Ludolog. Hidden ones only if asked for.
fn files(path: &str) -> Vec<String> {
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let entries = std::fs::read_dir(if folder.is_empty() { "." } else { folder }).into_iter().flatten().flatten();
    let found = entries.filter_map(|entry| {
        let found = entry.file_name().into_string().ok()?;
        let is_wanted = found.starts_with(name) && (!found.starts_with('.') || name.starts_with('.'));
        let end = if entry.path().is_dir() { "/" } else { "" };
        is_wanted.then(|| format!("{folder}{found}{end}"))
    });
    let mut files: Vec<String> =
        found.chain(LIBRARY.names().into_iter().filter(|name| name.starts_with(path))).collect();
    files.cold_sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_predicates_and_their_arguments() {
        let predicates = [Predicate::new("path", 2), Predicate::new("plan_b", 0), Predicate::new("edge", 2)];
        let expect = |line: &str, syntax, at: usize, words: &[&str]| {
            let expected = (at, words.iter().map(ToString::to_string).collect());
            assert_eq!(complete(line, syntax, predicates.iter()), expected, "{line}");
        };
        expect("p", Syntax::Datalog, 0, &["path(", "plan", "plan_b"]);
        expect("why pa", Syntax::Datalog, 4, &["path("]);
        expect("why not (pa", Syntax::Kif, 9, &["path"]);
        expect("path(X, Y) :- e", Syntax::Datalog, 14, &["edge("]);
        expect("engine s", Syntax::Datalog, 7, &["semi-naive"]);
        expect("time o", Syntax::Datalog, 5, &["off", "on"]);
        expect("→pa", Syntax::Datalog, 3, &["path("]);
    }

    #[test]
    fn files_of_a_folder_and_those_that_come_with_ludolog() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        for name in ["my rules.dl", "my.dl", ".my.dl", "other.dl"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        std::fs::create_dir(folder.path().join("my_folder")).unwrap();
        let (at, found) = complete(&format!("load {path}/my"), Syntax::Datalog, std::iter::empty());
        assert_eq!(
            (at, found),
            (5, ["my rules.dl", "my.dl", "my_folder/"].map(|name| format!("{path}/{name}")).into())
        );
        let (_, found) = complete("load std:hex/reach", Syntax::Datalog, std::iter::empty());
        assert_eq!(found, ["std:hex/reachability.dl"]);
    }
}
