//! JSON as LiveChess prints it for people: two blanks a level, a blank before the colon.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// `value` as text.
pub(super) fn json(value: &impl Serialize) -> String {
    let mut text = Vec::new();
    let printed = value.serialize(&mut Serializer::with_formatter(&mut text, Pretty::default()));
    // Plain texts and numbers into memory: that cannot fail.
    printed.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default()
}

/// A list stays on its line, and every member of an object has its own.
#[derive(Default)]
struct Pretty {
    level: usize,
}

impl Pretty {
    fn line<W: Write + ?Sized>(&self, writer: &mut W) -> io::Result<()> {
        write!(writer, "\n{:width$}", "", width = 2 * self.level)
    }
}

impl Formatter for Pretty {
    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        writer.write_all(if first { b" " } else { b", " })
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b" ]")
    }

    fn begin_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.level += 1;
        writer.write_all(b"{")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.line(writer)
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b" : ")
    }

    fn end_object<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.level -= 1;
        self.line(writer)?;
        writer.write_all(b"}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_looks_as_from_live_chess() {
        let board = json!({ "serialnr": "7425", "clock": { "white": 1, "run": null } });
        let text =
            "{\n  \"serialnr\" : \"7425\",\n  \"clock\" : {\n    \"white\" : 1,\n    \"run\" : null\n  }\n}";
        assert_eq!(json(&[&board]), format!("[ {text} ]"));
        assert_eq!(json(&[&board, &board]), format!("[ {text}, {text} ]"));
        assert_eq!(json(&Vec::<Value>::new()), "[ ]");
    }
}
