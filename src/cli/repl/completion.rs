//! The words that may stand at a place.

use super::input::COMMANDS;
use ludolog::formulation::ENGINES;
use ludolog::optimize::Optimization;
use ludolog::syntax::Syntax;
use ludolog::syntax::ast::Predicate;

/// The completions of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Completions {
    /// The words for the text from this place on.
    Words(usize, Vec<String>),
    /// The names of files.
    Files,
}

/// The completions at the end of `line`: commands at its beginning, what a command takes behind it, else predicates.
pub fn complete<'a>(line: &str, syntax: Syntax, predicates: impl Iterator<Item = &'a Predicate>) -> Completions {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let start =
        line.rfind(|c: char| !is_word(c)).map_or(0, |at| at + line[at..].chars().next().map_or(1, char::len_utf8));
    let (before, word) = line.split_at(start);
    let mut words: Vec<String> = match before.trim() {
        before if before.split_whitespace().next() == Some("load") => return Completions::Files,
        "engine" => ENGINES.iter().map(|engine| engine.name.to_owned()).collect(),
        "optimize" => Optimization::NAMED.iter().map(ToString::to_string).collect(),
        "time" => vec!["on".to_owned(), "off".to_owned()],
        before => {
            let commands = COMMANDS.iter().filter(|_| before.is_empty()).map(|(name, ..)| (*name).to_owned());
            let names = predicates.map(|predicate| match syntax {
                Syntax::Datalog if predicate.arity > 0 => format!("{}(", predicate.name),
                _ => predicate.name.to_string(),
            });
            commands.chain(names).collect()
        }
    };
    words.retain(|candidate| candidate.starts_with(word));
    words.sort();
    words.dedup();
    Completions::Words(start, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_predicates_and_files() {
        let predicates = [Predicate::new("path", 2), Predicate::new("plan_b", 0), Predicate::new("edge", 2)];
        let words = |line: &str, syntax| complete(line, syntax, predicates.iter());
        let expect = |at: usize, list: &[&str]| Completions::Words(at, list.iter().map(ToString::to_string).collect());
        assert_eq!(words("p", Syntax::Datalog), expect(0, &["path(", "plan", "plan_b"]));
        assert_eq!(words("why pa", Syntax::Datalog), expect(4, &["path("]));
        assert_eq!(words("why not (pa", Syntax::Kif), expect(9, &["path"]));
        assert_eq!(words("path(X, Y) :- e", Syntax::Datalog), expect(14, &["edge("]));
        assert_eq!(words("engine s", Syntax::Datalog), expect(7, &["semi-naive"]));
        assert_eq!(words("time o", Syntax::Datalog), expect(5, &["off", "on"]));
        assert_eq!(words("load ru", Syntax::Datalog), Completions::Files);
        assert_eq!(words("load rules/a", Syntax::Datalog), Completions::Files);
        assert_eq!(words("→pa", Syntax::Datalog), expect(3, &["path("]));
    }
}
