//! The vectors and traps of localisation.md, the scenarios of appendix C, and round trips.

use proptest::prelude::*;

use super::*;
use crate::GameResult;

const ENGLISH: Notation = Notation::new(Locale::English, Form::Short);
const FINNISH: Notation = Notation::new(Locale::Finnish, Form::Short);
const GREEK: Notation = Notation::new(Locale::Greek, Form::Short);

/// The sample game of the appendix (C.13), as each language prints it.
const SAMPLES: [(Notation, &str); 3] = [
    (
        ENGLISH,
        "1.e4 e5 2.Nf3 Nf6 3.d4 exd4 4.e5 Ne4 5.Qxd4 d5 6.exd6 e.p. Nxd6 7.Bg5 Nc6 8.Qe3+ Be7 9.Nbd2 0-0 \
         10.0-0-0 Re8 11.Kb1 (=)",
    ),
    (
        FINNISH,
        "1.e4 e5 2.Rf3 Rf6 3.d4 exd4 4.e5 Re4 5.Dxd4 d5 6.exd6 o.l. Rxd6 7.Lg5 Rc6 8.De3+ Le7 9.Rbd2 0-0 \
         10.0-0-0 Te8 11.Kb1 (=)",
    ),
    (
        GREEK,
        "1.ε4 ε5 2.Ιζ3 Ιζ6 3.δ4 εxδ4 4.ε5 Ιε4 5.Βxδ4 δ5 6.εxδ6 e.p. Ιxδ6 7.Αη5 Ιγ6 8.Βε3+ Αε7 9.Ιβδ2 0-0 \
         10.0-0-0 Πε8 11.Ρβ1 (=)",
    ),
];

const SAMPLE_END: &str = "r1bqr1k1/ppp1bppp/2nn4/6B1/8/4QN2/PPPN1PPP/1K1R1B1R b - - 9 11";

fn position(fen: &str) -> ChessPosition {
    ChessPosition::from_fen(fen, false).unwrap()
}

fn start() -> ChessPosition {
    ChessPosition::default()
}

/// The SAN of what `text` means.
fn san(notation: Notation, position: &ChessPosition, text: &str) -> Result<String, String> {
    notation
        .read(position, text)
        .map(|mv| Notation::SAN.write(position, mv))
        .map_err(|error| error.to_string())
}

fn end(start: &ChessPosition, game: &Movetext) -> ChessPosition {
    game.entries.iter().fold(start.clone(), |position, entry| position.play(entry.mv))
}

#[test]
fn the_sample_game_reads_and_writes_in_every_language() {
    for (notation, text) in SAMPLES {
        let game = notation.read_game(&start(), text).unwrap();
        assert_eq!(end(&start(), &game).fen(), SAMPLE_END);
        assert!(game.entries[20].draw_offer);
        assert_eq!(game.entries.iter().filter(|entry| entry.draw_offer).count(), 1);
        assert_eq!(notation.write_game(&start(), &game), text);
        assert_eq!(
            Notation::SAN.write_game(&start(), &game),
            "1. e4 e5 2. Nf3 Nf6 3. d4 exd4 4. e5 Ne4 5. Qxd4 d5 6. exd6 Nxd6 7. Bg5 Nc6 8. Qe3+ Be7 9. Nbd2 O-O \
             10. O-O-O Re8 11. Kb1 {(=)}"
        );
        for form in Form::ALL {
            let other = Notation { form, ..notation };
            let read = other.read_game(&start(), &other.write_game(&start(), &game)).unwrap();
            assert_eq!(end(&start(), &read), end(&start(), &game));
            assert_eq!(read == game, form != Form::Uci, "only UCI has no draw offers");
        }
    }
}

#[test]
fn the_greek_text_of_2005_has_latin_files_and_letters_of_both_alphabets() {
    let text = "1.e4 e5 2.Ιf3 If6 3.d4 exd4 4.e5 Ie4 5.Bxd4 d5 6.exd6 e.p. Ixd6 7.Ag5 Ιc6 8.Βe3+ Ae7 9.Ibd2 0-0 \
                10.0-0-0 Πe8 11.Pb1 (=)";
    let notation = Notation::of_2005(Locale::Greek, Form::Short);
    let game = notation.read_game(&start(), text).unwrap();
    assert_eq!(end(&start(), &game).fen(), SAMPLE_END);
    assert!(notation.write_game(&start(), &game).contains("4.e5 Ιe4 5.Βxd4 d5 6.exd6 e.p. Ιxd6"));
    let strict = Notation { look_alikes: false, ..notation };
    let error = strict.read_game(&start(), text).unwrap_err();
    assert_eq!(error.number, "2...");
    assert_eq!(
        error.to_string(),
        "move 2...: \"If6\" is not a move in Greek notation: \"I\" is no piece and no file; pieces are Ρ Β Π Α Ι"
    );
}

/// S-122 and localisation.md 3.
#[test]
fn a_piece_is_told_from_others_by_file_then_rank_then_both() {
    for (fen, moves) in [
        ("4k3/8/8/8/8/8/8/K3N1N1 w - - 0 1", [("e1f3", "Nef3"), ("g1f3", "Ngf3")].as_slice()),
        ("4k3/8/8/6N1/8/8/8/K5N1 w - - 0 1", &[("g5f3", "N5f3"), ("g1f3", "N1f3")]),
        ("4k3/8/8/8/3N4/8/7N/K7 w - - 0 1", &[("d4f3", "Ndf3"), ("h2f3", "Nhf3")]),
        ("4k3/8/8/8/8/5p2/8/K3N1N1 w - - 0 1", &[("e1f3", "Nexf3"), ("g1f3", "Ngxf3")]),
        ("4k3/8/8/6N1/8/5p2/8/K5N1 w - - 0 1", &[("g5f3", "N5xf3"), ("g1f3", "N1xf3")]),
        ("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", &[("e4e1", "Qee1"), ("h1e1", "Q1e1"), ("h4e1", "Qh4e1")]),
    ] {
        let position = position(fen);
        for (uci, expected) in moves {
            let mv = Notation::UCI.read(&position, uci).unwrap();
            assert_eq!(Notation::SAN.write(&position, mv), *expected);
            assert_eq!(Notation::SAN.read(&position, expected), Ok(mv));
            assert_eq!(ENGLISH.read(&position, &expected.replace('x', "")), Ok(mv));
        }
    }
    let error = san(Notation::SAN, &position("6k1/8/8/8/4Q2Q/8/8/K6Q w - - 0 1"), "Qhe1");
    assert_eq!(error, Err("\"Qhe1\" may be Q1e1 or Qh4e1".to_owned()));
}

/// A pinned rival cannot move and needs no telling apart.
#[test]
fn only_legal_rivals_count() {
    let position = position("4k3/4r3/8/8/8/4N3/8/4K1N1 w - - 0 1");
    let mv = Notation::UCI.read(&position, "g1e2").unwrap();
    assert_eq!(Notation::SAN.write(&position, mv), "Ne2");
}

/// S-123 and the traps of promotion letters.
#[test]
fn a_promotion_is_read_in_every_way_that_texts_have() {
    let position = position("8/3P1k2/8/8/8/8/5p2/K3R3 w - - 0 1");
    for (notation, texts) in [
        (Notation::SAN, ["d8Q", "d8=Q", "d8=q", "d7d8=Q"].as_slice()),
        (ENGLISH, &["d8Q", "d8=Q", "d8q", "d7-d8Q", "d8♕"]),
        (FINNISH, &["d8Q", "d8=Q", "d8D", "d8d", "d8=D", "d7-d8D"]),
        (GREEK, &["δ8Β", "d8Β", "d8β", "d8=Β", "d8B", "d8Q", "δ7-δ8Β"]),
    ] {
        for text in texts {
            assert_eq!(san(notation, &position, text), Ok("d8=Q".to_owned()), "{text}");
        }
    }
    let mv = Notation::SAN.read(&position, "d8=Q").unwrap();
    let written = [ENGLISH, FINNISH, GREEK].map(|notation| notation.write(&position, mv));
    assert_eq!(written, ["d8Q", "d8D", "δ8Β"]);
    for (text, expected) in [("d8r", "d8=N+"), ("d8t", "d8=R"), ("d8l", "d8=B")] {
        assert_eq!(san(FINNISH, &position, text), Ok(expected.to_owned()), "{text}");
    }
    for (text, expected) in [("d8ι", "d8=N+"), ("d8π", "d8=R"), ("d8α", "d8=B")] {
        assert_eq!(san(GREEK, &position, text), Ok(expected.to_owned()), "{text}");
    }
    assert_eq!(
        san(ENGLISH, &position, "d8"),
        Err("\"d8\" is not a legal move here; did you mean \"d8Q\"?".to_owned())
    );
    assert_eq!(
        san(ENGLISH, &position, "d8W"),
        Err("\"d8W\" is not a move in English notation: \"W\" is no rank and no promotion; pieces are K Q R B N"
            .to_owned())
    );
}

#[test]
fn a_letter_means_what_the_fixed_locale_says() {
    // A knight on g1 and a rook on f1 both reach f3.
    let position = position("4k3/8/8/8/8/8/8/K4RN1 w - - 0 1");
    assert_eq!(san(ENGLISH, &position, "Rf3"), Ok("Rf3".to_owned()));
    assert_eq!(san(FINNISH, &position, "Rf3"), Ok("Nf3".to_owned()));
    assert_eq!(san(FINNISH, &position, "Tf3"), Ok("Rf3".to_owned()));
    assert_eq!(san(GREEK, &position, "Pb1"), Ok("Kb1".to_owned()), "a Latin P is a king in Greek");
    assert_eq!(
        san(ENGLISH, &position, "Tf3"),
        Err(
            "\"Tf3\" is not a move in English notation: \"T\" is no piece and no file; pieces are K Q R B N \
             (it is a legal move if the notation is Finnish)"
                .to_owned()
        )
    );
    let greek = san(ENGLISH, &position, "Πζ3").unwrap_err();
    assert!(greek.contains("\"Π\" (U+03A0) is no piece"), "{greek}");
    assert!(greek.ends_with("(it is a legal move if the notation is Greek)"), "{greek}");
}

#[test]
fn a_move_of_another_locale_is_named_and_not_played() {
    assert_eq!(
        san(ENGLISH, &start(), "Rf3"),
        Err("\"Rf3\" is not a legal move here; did you mean \"f3\"? (it is a legal move if the notation is Finnish)"
            .to_owned())
    );
    let (_, finnish) = SAMPLES[1];
    let error = Notation::SAN.read_game(&start(), finnish).unwrap_err();
    assert_eq!((error.number.as_str(), error.reads_in), ("2.", Some(Locale::Finnish)));
    assert_eq!(error.before.len(), 2);
    assert_eq!(
        error.to_string(),
        "move 2.: \"Rf3\" is not a legal move here; did you mean \"f3\"? \
         (the whole game can be played if the notation is Finnish)"
    );
    let (_, greek) = SAMPLES[2];
    assert_eq!(FINNISH.read_game(&start(), greek).unwrap_err().reads_in, Some(Locale::Greek));
    let (_, english) = SAMPLES[0];
    assert_eq!(FINNISH.read_game(&start(), english).unwrap_err().reads_in, Some(Locale::English));
}

/// γ is file c, η is g, θ is h: by the table, not by shape.
#[test]
fn greek_files_go_by_their_table() {
    let text = "1.γ4 η6 2.Ιγ3 Αη7 3.θ4 ζ5";
    let game = GREEK.read_game(&start(), text).unwrap();
    assert_eq!(Notation::SAN.write_game(&start(), &game), "1. c4 g6 2. Nc3 Bg7 3. h4 f5");
}

#[test]
fn a_pawn_has_no_letter() {
    for (notation, text, without) in [
        (FINNISH, "se4", "e4"),
        (ENGLISH, "Pe4", "e4"),
        (Notation::SAN, "Pe2e4", "e2e4"),
        (GREEK, "πε4", "ε4"),
    ] {
        assert_eq!(
            san(notation, &start(), text),
            Err(format!("\"{text}\" has a letter for a pawn, which has none; write \"{without}\""))
        );
    }
}

#[test]
fn a_capture_may_lack_its_sign_and_a_pawn_never_its_file() {
    let position = position("rnbqkbnr/ppp1pppp/8/3pP3/2B5/8/PPPP1PPP/RNBQK1NR w KQkq d6 0 3");
    for text in ["exd6", "ed6", "exd6 e.p.", "exd6 o.l.", "exd6ep", "ed6 e.p.", "e5xd6", "e5-d6 o.l."] {
        assert_eq!(san(FINNISH, &position, text), Ok("exd6".to_owned()), "{text}");
    }
    for text in ["Lxd5", "Ld5", "Lc4xd5", "Lc4-d5", "Lc4×d5", "♗xd5", "♝\u{fe0e}xd5!?"] {
        assert_eq!(san(FINNISH, &position, text), Ok("Bxd5".to_owned()), "{text}");
    }
    let unsigned = Notation { capture_sign: false, en_passant_mark: false, ..FINNISH };
    let [bishop, pawn] = ["Bxd5", "exd6"].map(|text| Notation::SAN.read(&position, text).unwrap());
    assert_eq!(unsigned.write(&position, bishop), "Ld5");
    assert_eq!(unsigned.write(&position, pawn), "ed6");
    assert_eq!(FINNISH.write(&position, pawn), "exd6 o.l.");
    assert_eq!(Notation { form: Form::Long, ..FINNISH }.write(&position, bishop), "Lc4xd5");
    assert_eq!(Notation { form: Form::Figurine, ..FINNISH }.write(&position, bishop), "♗xd5");
    assert!(san(FINNISH, &position, "d6").is_err());
    assert!(san(FINNISH, &position, "Lxb3").is_err(), "nothing to capture");
    assert_eq!(
        san(FINNISH, &position, "Lxd5 o.l."),
        Err("\"Lxd5 o.l.\" says a capture in passing, but it is none".to_owned())
    );
}

#[test]
fn castling_is_read_with_zeros_and_with_letters() {
    let position = position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for notation in [Notation::SAN, ENGLISH, FINNISH, GREEK] {
        for text in ["0-0", "O-O", "o-o", "0–0", "O‑O", "0-0!"] {
            assert_eq!(san(notation, &position, text), Ok("O-O".to_owned()), "{text}");
        }
        assert_eq!(san(notation, &position, "0-0-0"), Ok("O-O-O".to_owned()));
    }
    assert_eq!(san(GREEK, &position, "Ο-Ο-Ο"), Ok("O-O-O".to_owned()), "Greek capital omicron");
}

#[test]
fn mate_signs_belong_to_locales_and_must_be_true() {
    let mate = position("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2");
    for (notation, text) in
        [(FINNISH, "Dh4X"), (FINNISH, "Dh4++"), (FINNISH, "Dh4#"), (FINNISH, "Dh4"), (ENGLISH, "Qh4++")]
    {
        assert_eq!(san(notation, &mate, text), Ok("Qh4#".to_owned()), "{text}");
    }
    assert!(san(ENGLISH, &mate, "Qh4X").is_err());
    assert!(san(Notation::SAN, &mate, "Qh4++").is_err(), "PGN has no such sign");
    // A discovered double check that is no mate.
    let double = position("4k3/8/8/8/4N3/8/8/4R1K1 w - - 0 1");
    assert_eq!(san(ENGLISH, &double, "Nf6+"), Ok("Nf6+".to_owned()));
    assert_eq!(
        san(ENGLISH, &double, "Nf6++"),
        Err("\"Nf6++\" says mate, but it is none; a double check is written \"+\"".to_owned())
    );
}

#[test]
fn a_score_is_read_past_what_is_no_move() {
    let text = "1. e4! {best by test} e5 $1 (1... c5 2. Nf3 (2. c3 {)} d5) d6) 2 Nf3 ; a comment\n Nc6 {(=)} 3.Bb5 a6 1/2-1/2 4.Ba4";
    let game = Notation::SAN.read_game(&start(), text).unwrap();
    assert_eq!(game.result, Some(GameResult::Draw));
    assert_eq!(Notation::SAN.write_game(&start(), &game), "1. e4 e5 2. Nf3 Nc6 {(=)} 3. Bb5 a6 1/2-1/2");
    let offered = Notation::SAN.read_game(&start(), "1. e4 {(=)} 1... e5 *").unwrap();
    assert_eq!(Notation::SAN.write_game(&start(), &offered), "1. e4 {(=)} 1... e5");
    assert!(ENGLISH.read_entry(&start(), "e4(=)").unwrap().draw_offer);
    assert_eq!(Notation::SAN.read_game(&start(), "(( { ").unwrap(), Movetext::default());
}

#[test]
fn nonsense_is_one_clear_error() {
    for (text, expected) in [
        ("", "\"\" is not a move in PGN notation: it is empty"),
        ("--", "\"--\" is not a move in PGN notation: \"-\" is no piece and no file; pieces are K Q R B N"),
        ("e", "\"e\" is not a move in PGN notation: \"e\" is no rank and no promotion; pieces are K Q R B N"),
        ("N3", "\"N3\" is not a move in PGN notation: it has no square of arrival at its end"),
        ("Nzf3", "\"Nzf3\" is not a move in PGN notation: \"z\" before the square of arrival says nothing"),
    ] {
        assert_eq!(san(Notation::SAN, &start(), text), Err(expected.to_owned()));
    }
    assert_eq!(
        san(Notation::UCI, &start(), "e2-e4"),
        Err("\"e2-e4\" is not a move in UCI notation: it takes two squares and a promotion, such as e2e4 or e7e8q"
            .to_owned())
    );
    let stalemate = position("7k/5Q2/8/8/8/8/8/K7 b - - 0 1");
    assert_eq!(
        san(Notation::SAN, &stalemate, "Kg8"),
        Err("\"Kg8\" is not a legal move here; there is no legal move".to_owned())
    );
    assert_eq!("shrot".parse::<Form>().unwrap_err().nearest, "short");
}

#[test]
fn chess960_castles_over_its_own_rooks() {
    let position = ChessPosition::from_fen("4k3/8/8/8/8/8/8/1RK4R w BH - 0 1", true).unwrap();
    let mv = Notation::UCI.read(&position, "c1b1").unwrap();
    assert_eq!(Notation::UCI.write(&position, mv), "c1b1");
    assert_eq!(FINNISH.write(&position, mv), "0-0-0");
    assert_eq!(FINNISH.read(&position, "0-0-0"), Ok(mv));
}

/// Every way to write that there is.
fn notations() -> impl Iterator<Item = Notation> {
    Locale::ALL.into_iter().flat_map(|locale| {
        Form::ALL.into_iter().flat_map(move |form| {
            let printed = Notation::new(locale, form);
            let bare =
                Notation { capture_sign: false, en_passant_mark: false, look_alikes: false, ..printed };
            [printed, bare, Notation::of_2005(locale, form)]
        })
    })
}

/// Positions from which captures in passing, castling and promotions are near.
const STARTS: [(&str, bool); 4] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", false),
    ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", false),
    ("bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1", true),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn what_is_written_reads_as_the_same_move(
        which in 0..STARTS.len(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
    ) {
        let (fen, is_chess960) = STARTS[which];
        let mut position = ChessPosition::from_fen(fen, is_chess960).unwrap();
        for choice in choices {
            let moves = legal_moves(&position);
            if moves.is_empty() {
                break;
            }
            let mv = moves[choice.index(moves.len())];
            for notation in notations() {
                let text = notation.write(&position, mv);
                prop_assert_eq!(notation.read(&position, &text), Ok(mv), "{} {:?}", text, notation);
            }
            let san = shakmaty::san::SanPlus::from_move(position.regular().unwrap().clone(), mv).to_string();
            prop_assert_eq!(Notation::SAN.write(&position, mv), san);
            position = position.play(mv);
        }
    }

    #[test]
    fn no_text_makes_the_reader_fall(text in "[KQRBNDTLa-hαβηθΡΒΙ1-8x=+#0O.(){}; -]{0,12}|\\PC{0,12}") {
        for notation in notations() {
            if let Ok(mv) = notation.read(&start(), &text) {
                prop_assert!(legal_moves(&start()).contains(&mv));
            }
            let _unused = notation.read_game(&start(), &text);
        }
    }
}
