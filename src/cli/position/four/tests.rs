//! What is said of a position.

use super::*;

fn answered(text: &str) -> FourAnswered {
    FourAnswered::new(text, &Side::BOTH, 2_000).unwrap()
}

/// Red is mated on the d-file by White and on the e-file by Black.
const JOINT_MATE: &str = "4bK3/8/8/14/14/4kR9/3wR9kK/wK13/14/14/14/8/8/rK7";

#[test]
fn the_board_has_a_picture() {
    let start = FourPosition::start(FourRules::default()).fen();
    insta::assert_snapshot!(answered(&start).board(), @r#"
    14          bR bN bB bK bQ bB bN bR
    13          bP bP bP bP bP bP bP bP
    12           .  .  .  .  .  .  .  .
    11 wR wP  .  .  .  .  .  .  .  .  .  . kP kR
    10 wN wP  .  .  .  .  .  .  .  .  .  . kP kN
     9 wB wP  .  .  .  .  .  .  .  .  .  . kP kB
     8 wK wP  .  .  .  .  .  .  .  .  .  . kP kQ
     7 wQ wP  .  .  .  .  .  .  .  .  .  . kP kK
     6 wB wP  .  .  .  .  .  .  .  .  .  . kP kB
     5 wN wP  .  .  .  .  .  .  .  .  .  . kP kN
     4 wR wP  .  .  .  .  .  .  .  .  .  . kP kR
     3           .  .  .  .  .  .  .  .
     2          rP rP rP rP rP rP rP rP
     1          rR rN rB rQ rK rB rN rR
        a  b  c  d  e  f  g  h  i  j  k  l  m  n
    "#);
}

#[test]
fn a_mate_is_one_when_its_turn_comes() {
    insta::assert_snapshot!(answered(&format!("{JOINT_MATE} r")).lines(false).join("\n"), @r#"
    4bK3/8/8/14/14/4kR9/3wR9kK/wK13/14/14/14/8/8/rK7 r
      legal    unknown
      turn     red, 0 legal moves
      end      checkmate
      RB       cannot mate: game-over
      WK       has mated
      dead     no
    "#);
    // With Blue to move it only threatens: he may relieve Red.
    let waiting = answered(&format!("{JOINT_MATE} b"));
    assert_eq!((waiting.end(), waiting.threatened.as_slice()), (None, &["red"][..]));
    insta::assert_snapshot!(Value::Object(waiting.json(false)), @r#"{"fen":"4bK3/8/8/14/14/4kR9/3wR9kK/wK13/14/14/14/8/8/rK7 b","legal":"unknown","reasons":[],"white_can_mate":"no","black_can_mate":"yes","dead":"no","white_reason":"bare-king","black_line":["h14g14","n8n9"],"turn":"blue","seat":"north","moves":5,"end":null,"mate_threats":["red"]}"#);
}

/// The numbers of the spec, section 10.
#[test]
fn series_of_moves_are_counted() {
    let start = answered(&FourPosition::start(FourRules::default()).fen());
    assert_eq!([1, 2, 3].map(|plies| start.perft(plies)), [20, 399, 7_960]);
}
