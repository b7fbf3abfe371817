//! Calls a function in Rust from rules: names that sound alike.
//!
//! Run with `cargo run --example functions`.

use ludolog::prelude::*;
use ludolog::syntax::ast::Term;
use ludolog::syntax::functions::register;

const RULES: &str = "
    alike(X, Y) :- name(X) & name(Y) & X < Y & soundex(X) =:= soundex(Y).
    name('Robert'). name('Rupert'). name('Rubin'). name('Ashcraft'). name('Ashcroft'). name(42).
";

/// The digit of a consonant; `None` of vowels and of letters that are not heard.
fn digit(letter: char) -> Option<char> {
    match letter {
        'b' | 'f' | 'p' | 'v' => Some('1'),
        'c' | 'g' | 'j' | 'k' | 'q' | 's' | 'x' | 'z' => Some('2'),
        'd' | 't' => Some('3'),
        'l' => Some('4'),
        'm' | 'n' => Some('5'),
        'r' => Some('6'),
        _ => None,
    }
}

/// The American Soundex code of a name: its first letter and three digits; `None` of what begins with no letter.
pub fn soundex(name: &str) -> Option<String> {
    let mut letters = name.chars().map(|letter| letter.to_ascii_lowercase());
    let first = letters.next().filter(char::is_ascii_alphabetic)?;
    let mut code = String::from(first.to_ascii_uppercase());
    let mut last = digit(first);
    // `h` and `w` do not part letters of one digit, vowels do.
    for letter in letters.filter(|letter| !matches!(letter, 'h' | 'w')) {
        let heard = digit(letter);
        code.extend(heard.filter(|_| heard != last));
        last = heard;
    }
    Some(code.chars().chain("000".chars()).take(4).collect())
}

/// Prints the names that sound alike.
pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    register("soundex", 1, |arguments| match arguments {
        [Term::Symbol(name)] => soundex(name).map(|code| Term::symbol(&code)),
        _ => None,
    })?;
    let mut session = Session::of_text(RULES, Syntax::Datalog)?;
    let alike = session.query("alike(X, Y)")?;
    print!("{alike}");
    assert_eq!(alike.to_string(), "X = 'Ashcraft', Y = 'Ashcroft'\nX = 'Robert', Y = 'Rupert'\n");
    Ok(())
}
