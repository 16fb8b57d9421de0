//! What docs/four-player.md shows is read by the program that it describes.

use adoube_rules::four::record::read;
use adoube_rules::four::{FourPosition, FourRules};

const DOC: &str = include_str!("../../docs/four-player.md");

/// The contents of the blocks of that kind.
fn blocks(kind: &str) -> Vec<&'static str> {
    let fences = DOC.split("\n```").filter_map(|block| block.strip_prefix(kind)?.strip_prefix('\n'));
    fences.collect()
}

#[test]
fn positions_and_records_are_read() {
    let positions: Vec<&str> = blocks("four position").into_iter().flat_map(str::lines).collect();
    assert!(positions.len() >= 2);
    for text in positions {
        FourPosition::read(text, FourRules::default()).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
    let records: Vec<_> = blocks("four record").into_iter().flat_map(|text| read(text).unwrap()).collect();
    assert_eq!(records.iter().map(|record| record.moves.len()).collect::<Vec<_>>(), [8]);
}

#[test]
fn the_table_of_pairings_is_read() {
    let table = blocks("csv").concat();
    let read = adoube_core::pairings::read("table", table.as_bytes()).unwrap();
    assert_eq!(
        read.iter().next().unwrap().title(),
        "Player, One + Player, Three – Player, Two + Player, Four"
    );
}
