//! Messages over a pair of streams: each behind a header that tells its length.

use crossbeam_channel::{Receiver, Sender};
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest message that is read, in bytes.
const MAX_MESSAGE: u64 = 128 << 20;

/// The longest line of a header, in bytes.
const MAX_HEADER: u64 = 4 << 10;

/// What arrives.
#[derive(Debug)]
pub enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is none, in words. What follows can be read.
    Malformed(String),
}

/// Reads until the stream ends or nobody listens, and raises `edited` before it hands over a change of a text.
pub fn receive(mut input: impl BufRead, to: &Sender<Incoming>, edited: &Arc<AtomicBool>) -> io::Result<()> {
    while let Some(incoming) = read(&mut input)? {
        if let Incoming::Message(Message::Notification(notification)) = &incoming
            && notification.method == "textDocument/didChange"
        {
            edited.store(true, Ordering::Relaxed);
        }
        let is_exit = matches!(&incoming, Incoming::Message(Message::Notification(last)) if last.method == "exit");
        if to.send(incoming).is_err() || is_exit {
            break;
        }
    }
    Ok(())
}

/// Writes until nobody has more to say.
pub fn send(mut output: impl Write, from: &Receiver<Value>) -> io::Result<()> {
    for message in from {
        let text = message.to_string();
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        output.flush()?;
    }
    Ok(())
}

/// A message as it is written.
pub fn to_json(message: impl Into<Message>) -> Value {
    let mut json = json!({ "jsonrpc": "2.0" });
    if let (Value::Object(whole), Ok(Value::Object(parts))) = (&mut json, serde_json::to_value(message.into())) {
        whole.extend(parts);
    }
    json
}

/// The answer to what could not be read.
pub fn malformed(words: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": ErrorCode::ParseError as i32, "message": words } })
}

/// The next message; `None` at the end of the stream.
fn read(input: &mut impl BufRead) -> io::Result<Option<Incoming>> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        if input.by_ref().take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        match (line.split_once(':'), length) {
            (Some((name, value)), _) if name.eq_ignore_ascii_case("Content-Length") => {
                length = value.trim().parse::<u64>().ok();
                if length.is_none() {
                    return Ok(Some(Incoming::Malformed(format!("`{value}` is no length of a message"))));
                }
            }
            (None, Some(length)) if line.is_empty() => return body(input, length).map(Some),
            (None, None) if line.is_empty() => {}
            (Some(_), _) => {}
            (None, _) => {
                let words = "a line that is no header; messages begin with `Content-Length: `".to_owned();
                return Ok(Some(Incoming::Malformed(words)));
            }
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Incoming> {
    let mut part = input.by_ref().take(length);
    if length > MAX_MESSAGE {
        io::copy(&mut part, &mut io::sink())?;
        let words = format!("a message of {length} bytes; at most {MAX_MESSAGE} are read");
        return Ok(Incoming::Malformed(words));
    }
    let mut bytes = Vec::new();
    part.read_to_end(&mut bytes)?;
    Ok(match serde_json::from_slice(&bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Malformed(format!("not a message: {error}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Incoming> {
        let mut input = text.as_bytes();
        std::iter::from_fn(|| read(&mut input).unwrap()).collect()
    }

    #[test]
    fn what_is_no_message_is_told_and_the_next_one_is_read() {
        let exit = "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
        for nonsense in
            ["hello\r\n", "Content-Length: many\r\n\r\n", "Content-Length: 3\r\n\r\n{x}", "Content-Length: 2\r\n\r\n{}"]
        {
            let read = all(&format!("{nonsense}{exit}"));
            assert!(matches!(read[0], Incoming::Malformed(_)), "{nonsense}: {read:?}");
            assert!(matches!(read.last(), Some(Incoming::Message(_))), "{nonsense}: {read:?}");
        }
        assert!(all("Content-Length: 99999999999\r\n\r\nshort").len() == 1);
    }
}
