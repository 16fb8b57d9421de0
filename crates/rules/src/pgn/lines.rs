//! What PGN and the records of other games are made of when they are written: tags, and words in lines.

/// Lines are not longer than this, as the PGN standard asks; a comment is never broken.
const WIDTH: usize = 80;

/// A tag on a line of its own: quotes and backslashes of its value escaped, control characters left out.
pub fn tag(name: &str, value: &str, text: &mut String) {
    text.extend(["[", name, " \""]);
    for letter in value.chars().filter(|letter| !letter.is_control()) {
        if matches!(letter, '"' | '\\') {
            text.push('\\');
        }
        text.push(letter);
    }
    text.push_str("\"]\n");
}

/// Movetext, word by word.
#[derive(Debug)]
pub struct Words<'a> {
    text: &'a mut String,
    column: usize,
}

impl<'a> Words<'a> {
    /// Words at the end of `text`, on a line of their own.
    pub fn new(text: &'a mut String) -> Self {
        Self { text, column: 0 }
    }

    /// One more, after a blank or on the next line.
    pub fn put(&mut self, word: &str) {
        if self.column > 0 && self.column + 1 + word.len() > WIDTH {
            self.text.push('\n');
            self.column = 0;
        }
        if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += word.len();
    }

    /// The end of the last line.
    pub fn end(self) {
        self.text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_fill_lines_and_none_is_broken() {
        let mut text = String::new();
        let mut words = Words::new(&mut text);
        let long = format!("{{{}}}", "x y ".repeat(30));
        for word in ["1. e4", &"a".repeat(74), "b", &long, "*"] {
            words.put(word);
        }
        words.end();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines, [&format!("1. e4 {}", "a".repeat(74)), "b", &long, "*"]);
    }

    #[test]
    fn a_tag_is_one_line_whatever_its_value() {
        let mut text = String::new();
        tag("White", "A \"B\"\n\\C", &mut text);
        assert_eq!(text, "[White \"A \\\"B\\\"\\\\C\"]\n");
    }
}
