//! Positions as text.

use super::*;

const START: &str = "bRbNbBbKbQbBbNbR/bPbPbPbPbPbPbPbP/8/wRwP10kPkR/wNwP10kPkN/wBwP10kPkB/wKwP10kPkQ/\
                     wQwP10kPkK/wBwP10kPkB/wNwP10kPkN/wRwP10kPkR/8/rPrPrPrPrPrPrPrP/rRrNrBrQrKrBrNrR \
                     r rKQwKQbKQkKQ - 0 1";

#[test]
fn the_start_array_is_written_and_read() {
    let start = FourPosition::start(FourRules::default());
    assert_eq!(start.fen(), START);
    for parity in [Parity::Light, Parity::Dark] {
        for seat_after_red in [Army::White, Army::Black] {
            let start = FourPosition::start(FourRules { parity, seat_after_red, ..FourRules::default() });
            let read = FourPosition::read(&start.fen(), FourRules::default()).unwrap();
            assert_eq!((&read, read.fen()), (&start, start.fen()));
        }
    }
}

#[test]
fn missing_fields_are_usual_ones() {
    let placement = START.split(' ').next().unwrap();
    let read = |text: &str| FourPosition::read(text, FourRules::default()).map(|position| position.fen());
    assert_eq!(read(placement), Ok(format!("{placement} r - - 0 1")));
    assert_eq!(read(&format!("{placement} k rKkQ")), Ok(format!("{placement} k rKkQ - 0 1")));
    // Rights without their men are dropped; so is one whose player has the move again.
    assert_eq!(read(&format!("{placement} r - h3")), Ok(format!("{placement} r - - 0 1")));
    let rules = FourRules { ep_window: EpWindow::NextPly, protect_partner: true, ..FourRules::default() };
    assert_eq!(FourPosition::read(placement, rules).unwrap().rules(), rules);
}

#[test]
fn what_is_no_position_says_where() {
    let said = |text: &str| FourPosition::read(text, FourRules::default()).unwrap_err().to_string();
    let changed = |from: &str, to: &str| said(&START.replacen(from, to, 1));
    assert_eq!(
        said(""),
        "a position has one to seven fields (men, turn, castling, en passant, half-moves, round, layout); this has 0"
    );
    assert_eq!(said("8/8"), "the board has 14 ranks; this has 2");
    assert_eq!(changed("/8/", "/9/"), "rank 12 \"9\" has 9 squares, not 8");
    assert_eq!(
        changed("wRwP10kPkR", "wRwP10kPxR"),
        "rank 11 \"wRwP10kPxR\": \"xR\" is no man; men are an army (r, w, b, k) and one of PNBRQK, empty squares are numbers"
    );
    assert!(changed("wRwP10kPkR", "wRwP0kPkR").contains("\"0\" is no man"));
    assert!(changed("wRwP10kPkR", "wRwP99999999999999999999kPkR").contains("is no man"));
    assert!(changed("wRwP10kPkR", "wRwP10kPkr").contains("\"kr\" is no man"));
    assert!(changed("wRwP10kPkR", "wRwP10kPké").contains("\"ké\" is no man"));
    assert_eq!(changed(" r ", " x "), "turn \"x\" is not r, w, b or k");
    assert_eq!(changed("rKQw", "KQw"), "castling \"KQwKQbKQkKQ\" is not - or letters like rKQwKbQkKQ");
    assert_eq!(changed("kKQ ", "k "), "castling \"rKQwKQbKQk\" is not - or letters like rKQwKbQkKQ");
    assert_eq!(changed(" - 0", " h4 0"), "en passant \"h4\" is not - or crossed squares like h3,c5");
    assert_eq!(changed(" 0 1", " +0 1"), "half-moves \"+0\" is not a number below 4294967296");
    assert_eq!(changed(" 0 1", " 0 x"), "round \"x\" is not a number below 4294967296");
    assert_eq!(
        changed(" 0 1", " 0 1 rbwk-light"),
        "layout \"rbwk-light\" is not rwbk or rkbw with -light or -dark, like rwbk-light"
    );
}

#[test]
fn in_a_game_the_layout_is_the_games() {
    let dark = FourRules { parity: Parity::Dark, seat_after_red: Army::Black, ..FourRules::default() };
    let start = FourPosition::start(dark);
    let text = start.fen();
    let (short, layout) = text.rsplit_once(' ').unwrap();
    assert_eq!(layout, "rkbw-dark");
    assert_eq!(FourPosition::read_in_game(&text, dark), Ok(start.clone()));
    assert_eq!(FourPosition::read_in_game(short, dark), Ok(start));
    let error = FourPosition::read_in_game(&text, FourRules::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "layout \"rkbw-dark\" is not that of the game, rwbk-light; write that one, or none"
    );
}
