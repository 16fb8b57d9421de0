//! `docs/open-board.md` holds: its lines are read, its program runs, and boards of its kind are played on.

mod bad_lines;
mod daemon;
mod sketch;

use adoube_core::wire::open::{Command, Line, Lines, Message, Shape};

const DOCUMENT: &str = include_str!("../../../docs/open-board.md");

/// The blocks of the document that are marked so.
fn blocks(mark: &str) -> Vec<&'static str> {
    let mut parts = DOCUMENT.split("\n```");
    parts.next();
    let fenced = parts.step_by(2);
    fenced
        .filter_map(|block| block.split_once('\n').filter(|(kind, _)| *kind == mark))
        .map(|(_, text)| text)
        .collect()
}

fn lines(text: &str) -> Vec<Line> {
    let (mut lines, mut out) = (Lines::default(), Vec::new());
    lines.push(format!("{text}\n").as_bytes(), &mut out);
    out
}

#[test]
fn every_line_of_a_board_in_the_document_is_read() {
    let blocks = blocks("open board");
    assert!(blocks.len() >= 4);
    for block in blocks {
        let mut hello = None;
        for line in lines(block) {
            let Line::Text { text, .. } = line else { panic!("damaged in {block}") };
            let message = Message::read(&text, hello.as_ref());
            match message {
                Some(Message::Hello(said)) => hello = Some(said),
                Some(Message::Note) => assert!(text.starts_with("note ")),
                None | Some(Message::Unknown | Message::Newer(_)) => panic!("{text}"),
                Some(other) => {
                    let shape = hello.as_ref().unwrap().shape;
                    assert_eq!(other.text(shape), text, "written as it is read");
                }
            }
        }
        assert!(hello.is_some(), "a board introduces itself: {block}");
    }
}

#[test]
fn every_line_of_a_host_in_the_document_is_written_so() {
    let [block] = blocks("open host")[..] else { panic!("not one block") };
    for line in lines(block) {
        let Line::Text { text, .. } = line else { panic!("damaged in {block}") };
        let command = Command::read(&text, Shape::Square).unwrap_or_else(|| panic!("{text}"));
        assert_eq!(command.text(Shape::Square), text);
    }
}

#[test]
fn the_numbers_of_the_document_are_those_of_the_program() {
    for number in [
        format!("{} characters at most. A line", adoube_core::wire::open::LINE_MAX),
        format!("This is version {}.", adoube_core::wire::open::VERSION),
        "115,200 bits".to_owned(),
    ] {
        assert!(DOCUMENT.contains(&number), "{number}");
    }
    assert_eq!(adoube_core::wire::open::PROTOCOL.line.baud, 115_200);
}
