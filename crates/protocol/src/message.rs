//! Messages of game managers and the replies of players, as texts: no network here.
//!
//! A message is one S-expression, whose first word is the verb, in any case (Genesereth and Thielscher, *General Game
//! Playing*, 2014, chapter 3; for games of imperfect information, Thielscher, *A general game description language for
//! incomplete information games*, 2010):
//!
//! | message | reply |
//! | --- | --- |
//! | `(info)` | `((name N) (status available) …)` or `busy` |
//! | `(ping)` | `ready` |
//! | `(preview (rule…) clock)` | `ready` |
//! | `(start id role (rule…) startclock playclock)` | `ready` |
//! | `(play id nil)`, `(play id (move…))`, `(play id turn move percepts)` | the move |
//! | `(stop id (move…))`, `(stop id turn move percepts)` | `done` |
//! | `(abort id)` | `aborted` |
//!
//! Who cannot do as asked replies `(error "reason")`.

use ludolog_game::canonical::terms;
use ludolog_player::matches::ToldMove;
use ludolog_syntax::ast::Term;
use ludolog_syntax::{Syntax, print_term};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::time::Duration;

/// A message of a manager to a player.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// Who are you, and are you free?
    Info,
    /// Are you there?
    Ping,
    /// These rules will be played.
    Preview {
        /// The rulesheet, in KIF.
        rules: String,
        /// The time to look at it.
        clock: Duration,
    },
    /// A match begins.
    Start {
        /// The name of the match.
        id: String,
        /// The role to play.
        role: Term,
        /// The rulesheet, in KIF.
        rules: String,
        /// The time until the reply.
        start_clock: Duration,
        /// The time for each move.
        play_clock: Duration,
    },
    /// Make a move.
    Play {
        /// The name of the match.
        id: String,
        /// The events before.
        made: ToldMove,
    },
    /// The match is over.
    Stop {
        /// The name of the match.
        id: String,
        /// The events before.
        made: ToldMove,
    },
    /// The match is over without a result.
    Abort {
        /// The name of the match.
        id: String,
    },
}

/// A reply of a player.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayerReply {
    /// The name of the player, whether it is free, and other properties.
    Info {
        /// Whether another match may begin.
        available: bool,
        /// Further properties by name.
        properties: Vec<(String, String)>,
    },
    /// Ready.
    Ready,
    /// No match can begin before another one ends.
    Busy,
    /// The move.
    Move(Term),
    /// The match is over.
    Done,
    /// The match is over without a result.
    Aborted,
    /// Why there is no other reply.
    Refused(MessageRefusal),
}

/// Why a message is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageRefusal {
    /// The text is no message.
    Malformed(Malformed),
    /// The rules or a move in it are wrong.
    Wrong(String),
    /// There is no match of this name.
    UnknownMatch(String),
    /// The message does not fit the state of the match.
    Untimely(String),
    /// Time was over before there was an answer.
    Late(String),
}

impl fmt::Display for MessageRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageRefusal::Malformed(malformed) => malformed.fmt(f),
            MessageRefusal::Wrong(reason) | MessageRefusal::Untimely(reason) | MessageRefusal::Late(reason) => {
                f.write_str(reason)
            }
            MessageRefusal::UnknownMatch(id) => write!(f, "there is no match {id}"),
        }
    }
}

/// Why a text is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The place in the text, in bytes.
    pub at: Range<usize>,
    /// The fault there.
    pub reason: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.reason, self.at.start)
    }
}

impl std::error::Error for Malformed {}

/// The parts of a parenthesized form, in order.
struct FormParts<'t> {
    text: &'t str,
    list: Vec<Range<usize>>,
    whole: Range<usize>,
}

fn malformed<T>(at: Range<usize>, reason: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { at, reason: reason.into() })
}

/// The byte after a comment or a word that begins at `at`; comments are `; …` and `#| … |#`, quotations end on their
/// line.
fn token_end(bytes: &[u8], at: usize) -> (usize, bool) {
    let find = |from: usize, is_end: fn(u8) -> bool| {
        bytes[from..].iter().position(|&byte| is_end(byte)).map_or(bytes.len(), |offset| from + offset)
    };
    match bytes[at] {
        b';' => (find(at, |byte| byte == b'\n'), true),
        b'#' if bytes.get(at + 1) == Some(&b'|') => {
            let end = bytes[at + 2..].windows(2).position(|pair| pair == b"|#");
            (end.map_or(bytes.len(), |offset| at + 2 + offset + 2), true)
        }
        quote @ (b'|' | b'"') => {
            let mut end = at + 1;
            while end < bytes.len() && bytes[end] != b'\n' {
                match bytes[end] {
                    b'\\' => end += 1,
                    byte if byte == quote => return (end + 1, false),
                    _ => {}
                }
                end += 1;
            }
            // A mark without a counterpart is an ordinary character.
            (at + 1, false)
        }
        _ => (find(at + 1, |byte| byte.is_ascii_whitespace() || b"();|\"".contains(&byte)), false),
    }
}

impl<'t> FormParts<'t> {
    /// The parts of the form that is all of a range, but for space and comments around it.
    fn of(text: &'t str, range: Range<usize>) -> Result<Self, Malformed> {
        let bytes = &text.as_bytes()[..range.end];
        let mut at = range.start;
        let mut depth = 0_usize;
        let mut start = None;
        let mut list = Vec::new();
        let mut open = range.start;
        let mut close = None;
        while at < range.end {
            let byte = bytes[at];
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            let (end, comment) = match byte {
                b'(' | b')' => (at + 1, false),
                _ => token_end(bytes, at),
            };
            // A word may end within a character that is not ASCII; words are cut at ASCII only.
            let end = end.min(range.end);
            match byte {
                _ if comment => {}
                _ if close.is_some() => return malformed(at..end, "the message goes on behind its end"),
                b'(' => {
                    match depth {
                        0 => open = at,
                        1 => start = Some(at),
                        _ => {}
                    }
                    depth += 1;
                }
                b')' => match depth {
                    0 => return malformed(at..end, "`)` without `(`"),
                    1 => (depth, close) = (0, Some(end)),
                    _ => {
                        depth -= 1;
                        if let Some(start) = start.take_if(|_| depth == 1) {
                            list.push(start..end);
                        }
                    }
                },
                _ if depth == 0 => return malformed(at..end, "a message is a form in parentheses, as `(info)`"),
                _ if depth == 1 => match list.last_mut() {
                    // `a|b` is one word.
                    Some(last) if last.end == at && !matches!(bytes[at - 1], b'(' | b')') => last.end = end,
                    _ => list.push(at..end),
                },
                _ => {}
            }
            at = end;
        }
        match close {
            Some(close) => Ok(FormParts { text, list, whole: open..close }),
            None if depth > 0 => malformed(open..range.end, "the message ends within parentheses"),
            None => malformed(range, "the message is empty"),
        }
    }

    fn part(&self, number: usize, what: &str) -> Result<&'t str, Malformed> {
        match self.list.get(number) {
            Some(range) => Ok(&self.text[range.clone()]),
            None => malformed(self.whole.end - 1..self.whole.end, format!("{what} is missing")),
        }
    }

    /// The name of a match: a word.
    fn id(&self) -> Result<String, Malformed> {
        let id = self.part(1, "the name of the match")?;
        if id.starts_with('(') {
            malformed(self.list[1].clone(), "the name of a match is a word")
        } else {
            Ok(id.to_owned())
        }
    }

    fn term(&self, number: usize, what: &str) -> Result<Term, Malformed> {
        let text = self.part(number, what)?;
        let mut terms = terms(text);
        match terms.as_mut().map(|terms| (terms.pop(), terms.is_empty())) {
            Some((Some(term), true)) => Ok(term),
            _ => malformed(self.list[number].clone(), format!("{what} is no term without variables")),
        }
    }

    /// The texts between the parentheses of a part.
    fn inside(&self, number: usize, what: &str) -> Result<&'t str, Malformed> {
        let text = self.part(number, what)?;
        match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            Some(inside) => Ok(inside),
            None => malformed(self.list[number].clone(), format!("{what} is not in parentheses")),
        }
    }

    /// A list of terms; none for `nil`.
    fn terms(&self, number: usize, what: &str) -> Result<Vec<Term>, Malformed> {
        if self.part(number, what)?.eq_ignore_ascii_case(NIL) {
            return Ok(Vec::new());
        }
        let inside = self.inside(number, what)?;
        match terms(inside) {
            Some(terms) => Ok(terms),
            None => malformed(self.list[number].clone(), format!("{what} is no list of terms without variables")),
        }
    }

    fn clock(&self, number: usize, what: &str) -> Result<Duration, Malformed> {
        let text = self.part(number, what)?;
        let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match seconds.filter(|&clock| clock <= LONGEST_CLOCK) {
            Some(clock) => Ok(clock),
            None => malformed(self.list[number].clone(), format!("{what} is no number of seconds up to a day")),
        }
    }

    fn made(&self) -> Result<ToldMove, Malformed> {
        if self.list.len() <= 3 {
            let moves = self.terms(2, "the joint move")?;
            return Ok(if moves.is_empty() { ToldMove::Nothing } else { ToldMove::Joint(moves) });
        }
        let turn = match self.part(2, "the turn")?.parse() {
            Ok(turn) => turn,
            Err(_) => return malformed(self.list[2].clone(), "the turn is no number"),
        };
        let own = if self.part(3, "the last move")?.eq_ignore_ascii_case(NIL) {
            None
        } else {
            Some(self.term(3, "the last move")?)
        };
        Ok(ToldMove::Percepts { turn, own, percepts: self.terms(4, "the percepts")? })
    }
}

/// The empty list.
const NIL: &str = "nil";

/// The longest clock of a match.
const LONGEST_CLOCK: Duration = Duration::from_secs(24 * 60 * 60);

impl FromStr for Message {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Message, Malformed> {
        let parts = FormParts::of(text, 0..text.len())?;
        let verb = parts.part(0, "the verb")?;
        let (message, count) = match verb.to_ascii_lowercase().as_str() {
            "info" => (Message::Info, 1),
            "ping" => (Message::Ping, 1),
            "preview" => {
                let rules = parts.inside(1, "the rulesheet")?.to_owned();
                (Message::Preview { rules, clock: parts.clock(2, "the preview clock")? }, 3)
            }
            "start" => {
                let message = Message::Start {
                    id: parts.id()?,
                    role: parts.term(2, "the role")?,
                    rules: parts.inside(3, "the rulesheet")?.to_owned(),
                    start_clock: parts.clock(4, "the start clock")?,
                    play_clock: parts.clock(5, "the play clock")?,
                };
                // Managers may append what only some players know.
                (message, parts.list.len())
            }
            "play" => (Message::Play { id: parts.id()?, made: parts.made()? }, 5),
            "stop" => (Message::Stop { id: parts.id()?, made: parts.made()? }, 5),
            "abort" => (Message::Abort { id: parts.id()? }, 2),
            _ => {
                let known = "info, ping, preview, start, play, stop, abort";
                return malformed(parts.list[0].clone(), format!("the verb is none of {known}"));
            }
        };
        match parts.list.get(count) {
            Some(further) => malformed(further.clone(), format!("`{verb}` has too many parts")),
            None => Ok(message),
        }
    }
}

fn kif(term: &Term) -> String {
    print_term(term, Syntax::Kif)
}

fn list(terms: &[Term]) -> String {
    let terms: Vec<String> = terms.iter().map(kif).collect();
    format!("({})", terms.join(" "))
}

/// A clock in seconds, whole where it can be: most players read integers only.
fn seconds(clock: Duration) -> String {
    match clock.subsec_nanos() {
        0 => clock.as_secs().to_string(),
        _ => clock.as_secs_f64().to_string(),
    }
}

/// What a player is told of the last joint move. Before the first one there are no percepts.
fn told_text(told: &ToldMove) -> String {
    match told {
        ToldMove::Nothing => NIL.to_owned(),
        ToldMove::Joint(moves) => list(moves),
        ToldMove::Percepts { turn, own: None, percepts } if percepts.is_empty() => format!("{turn} {NIL} {NIL}"),
        ToldMove::Percepts { turn, own, percepts } => {
            format!("{turn} {} {}", own.as_ref().map_or(NIL.to_owned(), kif), list(percepts))
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Message::Info => f.write_str("(info)"),
            Message::Ping => f.write_str("(ping)"),
            Message::Preview { rules, clock } => write!(f, "(preview ({rules}) {})", seconds(*clock)),
            Message::Start { id, role, rules, start_clock, play_clock } => {
                let start = seconds(*start_clock);
                let play = seconds(*play_clock);
                write!(f, "(start {id} {} ({rules}) {start} {play})", kif(role))
            }
            Message::Play { id, made } => write!(f, "(play {id} {})", told_text(made)),
            Message::Stop { id, made } => write!(f, "(stop {id} {})", told_text(made)),
            Message::Abort { id } => write!(f, "(abort {id})"),
        }
    }
}

impl fmt::Display for PlayerReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerReply::Info { available, properties } => {
                write!(f, "((name ludolog) (status {})", if *available { "available" } else { "busy" })?;
                properties.iter().try_for_each(|(name, value)| write!(f, " ({name} {value})"))?;
                f.write_str(")")
            }
            PlayerReply::Ready => f.write_str("ready"),
            PlayerReply::Busy => f.write_str("busy"),
            PlayerReply::Move(made) => f.write_str(&kif(made)),
            PlayerReply::Done => f.write_str("done"),
            PlayerReply::Aborted => f.write_str("aborted"),
            PlayerReply::Refused(refusal) => {
                // One line, and one string: quotation marks within it would end it.
                let reason = refusal.to_string().replace(['\n', '\r'], " ").replace(['"', '\\'], "'");
                write!(f, "(error \"{}\")", reason.split_whitespace().collect::<Vec<_>>().join(" "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Message {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn mark(x: i64, y: i64) -> Term {
        Term::compound("mark", vec![Term::Integer(x), Term::Integer(y)])
    }

    #[test]
    fn messages_are_read_in_any_case_and_spacing() {
        assert_eq!(message("(INFO)"), Message::Info);
        assert_eq!(message(" ( ping ) ; said the manager\n"), Message::Ping);
        assert_eq!(message("(Abort m.1)"), Message::Abort { id: "m.1".into() });
        let start = "( START  Base.tic-1 x ( (role x) #| one |# (init (p \"a) b\")) ; two )\n (<= terminal (true |)|)) ) 30 0.5 extra)";
        let expected = Message::Start {
            id: "Base.tic-1".into(),
            role: Term::symbol("x"),
            rules: " (role x) #| one |# (init (p \"a) b\")) ; two )\n (<= terminal (true |)|)) ".into(),
            start_clock: Duration::from_secs(30),
            play_clock: Duration::from_millis(500),
        };
        assert_eq!(message(start), expected);
    }

    #[test]
    fn joint_moves_are_read_with_and_without_percepts() {
        let play = |made| Message::Play { id: "m".into(), made };
        let joint = vec![mark(1, 2), Term::symbol("noop")];
        assert_eq!(message("(play m nil)"), play(ToldMove::Nothing));
        assert_eq!(message("(PLAY m NIL)"), play(ToldMove::Nothing));
        assert_eq!(message("(play m ((mark 1 2) noop))"), play(ToldMove::Joint(joint.clone())));
        assert_eq!(
            message("(stop m ( ( mark 1 2 ) noop ) )"),
            Message::Stop { id: "m".into(), made: ToldMove::Joint(joint) }
        );
        let percepts = vec![Term::compound("sees", vec![Term::symbol("a")])];
        let made = ToldMove::Percepts { turn: 3, own: Some(mark(1, 2)), percepts };
        assert_eq!(message("(play m 3 (mark 1 2) ((sees a)))"), play(made));
        assert_eq!(message("(play m 0 nil nil)"), play(ToldMove::Percepts { turn: 0, own: None, percepts: vec![] }));
    }

    #[test]
    fn messages_are_written_as_they_are_read() {
        for text in [
            "(info)",
            "(ping)",
            "(preview ((role x)) 10)",
            "(start m x ((role x) (init (p 1))) 30 1.5)",
            "(play m nil)",
            "(play m ((mark 1 1) noop))",
            "(play m 2 noop (seen))",
            "(stop m (noop))",
            "(abort m)",
        ] {
            assert_eq!(message(text).to_string(), text);
        }
    }

    #[test]
    fn texts_that_are_no_messages_are_refused_with_their_place() {
        for (text, at, reason) in [
            ("", 0, "empty"),
            ("info", 0, "parentheses"),
            ("(info", 0, "within parentheses"),
            ("(info))", 6, "behind its end"),
            (")", 0, "without"),
            ("()", 1, "verb is missing"),
            ("(dance)", 1, "none of"),
            ("(info twice)", 6, "too many"),
            ("(play)", 5, "name of the match is missing"),
            ("(play (m) nil)", 6, "word"),
            ("(play m)", 7, "joint move is missing"),
            ("(play m noop)", 8, "not in parentheses"),
            ("(play m (?x))", 8, "without variables"),
            ("(start m x (role x) -1 1)", 20, "start clock"),
            ("(start m x (role x) 1 1e9)", 22, "play clock"),
            ("(start m x rules 1 1)", 11, "not in parentheses"),
            ("(start m x ((role x)", 0, "within parentheses"),
            ("(play m 1 2)", 11, "percepts is missing"),
        ] {
            let error = text.parse::<Message>().expect_err(text);
            assert_eq!(error.at.start, at, "{text}: {error}");
            assert!(error.reason.contains(reason), "{text}: {error}");
        }
    }

    /// Whatever comes in is read or refused, and what is deep does not end the process.
    #[test]
    fn deep_and_odd_texts_are_read_or_refused() {
        let deep = format!("(play m ({}a{}))", "(f ".repeat(100_000), ")".repeat(100_000));
        assert!(deep.parse::<Message>().is_err());
        for text in
            ["(é)", "(play é nil)", "(play m (é))", "(|a|b)", "(\"info)", "(play \\ nil)", "\u{0}", "(play m |)"]
        {
            _ = text.parse::<Message>();
        }
        let seed = "(PLAY m ((mark 1 1) |no op| \"a\\\"\") ; c\n)";
        for cut in (0..=seed.len()).filter(|&cut| seed.is_char_boundary(cut)) {
            _ = seed[..cut].parse::<Message>();
            _ = format!("{}){}", &seed[..cut], &seed[cut..]).parse::<Message>();
        }
    }

    #[test]
    fn replies_are_one_line() {
        let properties = vec![("version".to_owned(), "1".to_owned())];
        let info = PlayerReply::Info { available: true, properties };
        assert_eq!(info.to_string(), "((name ludolog) (status available) (version 1))");
        assert_eq!(PlayerReply::Move(mark(1, 2)).to_string(), "(mark 1 2)");
        let refused = PlayerReply::Refused(MessageRefusal::Wrong("two\nlines \"quoted\"".into()));
        assert_eq!(refused.to_string(), "(error \"two lines 'quoted'\")");
    }
}
