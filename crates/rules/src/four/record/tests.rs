//! Records read and written.

use crate::Position as _;
use proptest::prelude::*;

use super::*;
use crate::four::tests::position;

/// A random legal game from the start array of `rules`, of so many plies at most.
fn game(rules: FourRules, choices: &[u16]) -> (FourPosition, Vec<FourMove>) {
    let mut position = FourPosition::start(rules);
    let mut moves = Vec::new();
    for &choice in choices {
        let mut legal = Vec::new();
        position.legal_moves(&mut legal);
        // Captures first: so pawns come to promotion squares, and kings into the open.
        legal.sort_by_key(|mv| position.content(mv.to).is_empty());
        let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
        moves.push(mv);
        position = position.play(mv);
    }
    (position, moves)
}

fn rules() -> impl Strategy<Value = FourRules> {
    (any::<bool>(), any::<bool>()).prop_map(|(is_dark, is_black)| FourRules {
        parity: if is_dark { Parity::Dark } else { Parity::Light },
        seat_after_red: if is_black { Army::Black } else { Army::White },
        ..FourRules::default()
    })
}

fn tags() -> Vec<(String, String)> {
    let tag = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    [("Event", "A \"great\" one"), ("Red", "A"), ("White", "B"), ("Blue", "?"), ("Black", "D"), ("Time", "x")]
        .map(tag)
        .to_vec()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_written_is_read(
        rules in rules(), choices in prop::collection::vec(0_u16..40, 0..160), start in 0_usize..20, result in 0_usize..4,
    ) {
        let (_, moves) = game(rules, &choices);
        let at = start.min(moves.len());
        let start = moves[..at].iter().fold(FourPosition::start(rules), |position, &mv| position.play(mv));
        let result = [None, Some(GameResult::WhiteWins), Some(GameResult::BlackWins), Some(GameResult::Draw)][result];
        let record = Record { line: 1, tags: tags(), start: start.clone(), moves: moves[at..].to_vec(), result };
        let text = write(&record);
        prop_assert!(text.lines().filter(|line| !line.starts_with('[')).all(|line| line.len() <= 80));
        let twice = text.repeat(2);
        let read = read(&twice).unwrap();
        prop_assert_eq!(read.len(), 2);
        prop_assert_eq!(&read[0], &record);
        // Two positions are equal whatever their counters say.
        prop_assert_eq!(read[0].start.fen(), start.fen());
        prop_assert_eq!(read[1].line, 1 + text.lines().count());
        // Without tags, letters and numbers, as scenarios have them; moves also by their squares alone.
        let mut position = start.clone();
        let bare = |mv: &FourMove| {
            let text = position.uci(*mv);
            position = position.play(*mv);
            text
        };
        let bare: Vec<String> = record.moves.iter().map(bare).collect();
        prop_assert_eq!(super::moves(&start, &bare.join(" ")).unwrap(), record.moves);
    }

    #[test]
    fn no_text_is_a_panic(text in "(\\[(FEN|Seats|Result) \"[^\"]{0,9}\"\\]\n|[RWBK] |[0-9]\\. |[a-n][0-9]{1,2}-[a-n][0-9]{1,2} |[{}()\\[;\"*-]|O-O|\u{e9}|\n){0,30}") {
        let _read = read(&text);
    }
}

#[test]
fn the_record_of_the_contract_is_written() {
    let start = FourPosition::start(FourRules::default());
    let moves = moves(&start, "h2-h4 b7-d7 g13-g11 m8-k8 e1f3").unwrap();
    let record = Record { line: 1, tags: tags(), start, moves, result: Some(GameResult::BlackWins) };
    insta::assert_snapshot!(write(&record), @r#"
    [Event "A \"great\" one"]
    [Red "A"]
    [White "B"]
    [Blue "?"]
    [Black "D"]
    [Result "RB 0-1 WK"]
    [Variant "4p-team"]
    [Board "160"]
    [Seats "S=Red W=White N=Blue E=Black"]
    [Parity "k1-light"]
    [Time "x"]

    1. R h2-h4 W b7-d7 B g13-g11 K m8-k8 2. R e1-f3 0-1
    "#);
}

const CROSSING: &str = "S Kd1 Ph2, W Ka7 Pg4, N Kk14, E Kn8 Pi2";

#[test]
fn moves_are_read_however_they_are_written() {
    let rules = FourRules::default();
    let last = |start: &FourPosition, text: &str| {
        let moves = moves(start, text).unwrap();
        let before = moves[..moves.len() - 1].iter().fold(start.clone(), |position, &mv| position.play(mv));
        before.san(moves[moves.len() - 1])
    };
    // In passing at the third ply.
    let crossing = position(CROSSING, false, rules);
    assert_eq!(last(&crossing, "1. R h2-h4 W a7-a8 B k14-j14 K i2xh3"), "i2xh3");
    assert_eq!(
        last(&crossing, "1.h2h4 {no letters} a7a8 ; nor numbers\nk14-j14 (K n8-n9 (2. d1-d2) {)}) $5 i2h3!?"),
        "i2xh3"
    );
    let promoting = position("S Kh1 Pb8, W Ka4 Ra9, N Kg14, E Kn7", false, rules);
    for text in ["R b8xa9=N", "b8a9n", "b8-a9=n", "b8xa9N+"] {
        assert_eq!(last(&promoting, text), "b8xa9=N");
    }
    let castling = position("S Kh1 Rd1 Rk1, W Ka7, N Kg14, E Kn8", true, rules);
    for (text, san) in [("O-O", "O-O"), ("0-0-0", "O-O-O"), ("h1j1", "O-O"), ("h1-f1", "O-O-O")] {
        assert_eq!(last(&castling, text), san);
    }
}

#[test]
fn what_cannot_be_read_says_where_and_what() {
    let said = |text: &str| read(text).unwrap_err().to_string();
    let tags = "[Red \"A\"]\n[Variant \"4p-team\"]\n";
    let said_of = |moves: &str| said(&format!("{tags}\n{moves}"));
    insta::assert_snapshot!([
        said_of("1. R h2-h4 W b7-d7\nB g13-g10 *"),
        said_of("1. R h2-h4 B g13-g11 *"),
        said_of("1. R h2-h4 W b7-d7 B g13-g11 2. R d2-d4"),
        said_of("1. R h2-h4 W b7-b15 *"),
        said_of("1. R h2-h4 W Nc3 *"),
        said_of("1. R h2-h4 {without end"),
        said_of("1. R h2-h4 (W b7-d7"),
        said("[Red \"A]\n"),
        said("[Variant \"Chess960\"]\n\n1. e4 *"),
        said("[Board \"128\"]\n\n*"),
        said("[Red \"A\"]\n[Red \"B\"]\n\n*"),
        said("[Seats \"S=White W=Red N=Blue E=Black\"]\n\n*"),
        said("[Parity \"k1-dark\"]\n[SetUp \"1\"]\n[FEN \"8/8\"]\n\n*"),
        said(&format!("[Parity \"k1-dark\"]\n[FEN \"{}\"]\n\n*", FourPosition::start(FourRules::default()).fen())),
        said("[Result \"1-0\"]\n\n*"),
        said("[Result \"RB 1-0 WK\"]\n\n1. R h2-h4 0-1"),
        said("{nothing}"),
    ].join("\n"), @r#"
    line 5: 1. B: "g13-g10" is no legal move of blue here
    line 4: 1. W: it is White's turn, not Blue's
    line 4: round 2 stands where 1. K is to move
    line 4: 1. W: "b7-b15": the board has no square b15
    line 4: 1. W: "Nc3" is no move: write h2-h4, b8xa9=Q, O-O or O-O-O
    line 4: a comment begins here and has no end; close it with }
    line 4: a variation begins here and has no end; close it with )
    line 1: [Red "A] is no tag; write [Name "value"]
    line 1: [Variant "Chess960"]: is no four-player team chess, which is "4p-team"
    line 1: [Board "128"]: the board has 160 squares
    line 2: [Red "B"]: a record has each tag once
    line 1: [Seats "S=White W=Red N=Blue E=Black"]: is not "S=Red W=White N=Blue E=Black" or the like
    line 3: [FEN "8/8"]: the board has 14 ranks; this has 2
    line 1: [Parity "k1-dark"]: the position in the tag FEN says otherwise
    line 1: [Result "1-0"]: write "RB 1-0 WK", "RB 0-1 WK", "RB 1/2-1/2 WK" or "*"
    line 1: the tag Result says 1-0, and 0-1 stands behind the moves
    line 1: no record begins here: there are neither tags nor moves
    "#);
}

#[test]
fn the_tags_say_what_the_array_is() {
    let of = |tags: &str| read(&format!("{tags}\n*")).unwrap()[0].start.fen();
    let start = |parity, seat_after_red| {
        FourPosition::start(FourRules { parity, seat_after_red, ..FourRules::default() }).fen()
    };
    assert_eq!(of("[Red \"A\"]"), start(Parity::Light, Army::White));
    assert_eq!(of("[Parity \"k1-dark\"]"), start(Parity::Dark, Army::White));
    assert_eq!(of("[Seats \"S=Red W=Black N=Blue E=White\"]"), start(Parity::Light, Army::Black));
}
