//! The language of `events` and `before` (scenario-format.md; laws-scenarios.md, notation).

use super::cross;
use super::duration;
use super::fault::{Fault, unknown};
use super::hands::{self, Written};
use super::order;
use adoube_core::capture::pieces_frame;
use adoube_core::ruling::Ruling;
use adoube_rules::Family;
use adoube_rules::sensor::{Content, Frame, Role, Side};
use adoube_rules::square::Square;

/// A token with its place in the text and the board that it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placed {
    /// Bytes from the beginning of the text.
    pub(super) at: usize,
    /// The board named by `@N`.
    pub(super) board: Option<String>,
    /// What happens.
    pub(super) token: Token,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// Pieces lifted and placed, all in one scan; `~` stands behind a placement that does not last.
    Touch(Vec<Touch>),
    /// A player presses.
    Press(Side),
    /// That end of the lever goes down.
    Lever(End),
    /// Both clocks are stopped by a player or, `None`, the arbiter.
    Halt(Option<Side>),
    /// That side's clock runs again.
    Run(Side),
    /// Flags fall, all in one message.
    Flag(Vec<Side>),
    /// A hand sets the clock.
    Clock(Vec<(Side, Setting)>),
    /// The clock's cable is pulled out, or put in again.
    Plug(bool),
    /// Time passes, milliseconds.
    Wait(u64),
    /// A whole position stands on the board.
    Frame(Picture),
    /// Clean moves.
    Play(Vec<Written>),
    /// A ruling or an entry.
    Order(Ruling),
    /// Parameters.
    Configure(Vec<(String, String)>),
}

/// A man as a token names him.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Man {
    /// Of that army.
    Of(Content),
    /// Of that kind, from the army of the player to move.
    Movers(Role),
}

/// A hand on a square.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Touch {
    /// What stands there is taken.
    Lift(Square),
    /// A man is put there; without a letter the one that was lifted last.
    Place {
        /// Where.
        square: Square,
        /// Who.
        man: Option<Man>,
        /// Shorter than a released piece stands.
        brief: bool,
    },
}

/// An end of the clock's lever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// What a hand does to a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Setting {
    /// Shows this, milliseconds.
    To(u64),
    /// Shows so much more or less, milliseconds.
    By(i64),
}

/// A position that is reported whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Picture {
    /// A FEN placement.
    Men(Vec<Content>),
    /// The position after these moves from the agreed one.
    After(Vec<Written>),
}

const FORMS: &str = "tokens are like -e2, +e4=P, +e4=P~, {-e1 -h1}, PW, LEVER:left, HALT:W, RUN:B, FLAG:W, \
                     clock(…), wait(…), frame(…), play(…), arb(…), op(…), cfg(…)";

/// Reads a script.
pub(super) fn parse(text: &str, family: Family) -> Result<Vec<Placed>, Fault> {
    let mut placed = Vec::new();
    let mut board: Option<(usize, String)> = None;
    for (at, word) in split(text)? {
        if let Some(name) = word.strip_prefix('@') {
            if name.is_empty() || board.is_some() {
                return Err(Fault::new(at, format!("\"{word}\": write @ and a board before one token")));
            }
            board = Some((at, name.to_owned()));
            continue;
        }
        let board = board.take().map(|(_, name)| name);
        // Said of the claim before it.
        let claims = placed.iter().rev().filter_map(|placed: &Placed| match &placed.token {
            Token::Order(order) if order.name().starts_with("claim-") => Some(order.name()),
            _ => None,
        });
        let rejected = claims.into_iter().next().map(|claim| format!("arb(reject {claim})"));
        let word = match &rejected {
            Some(rejected) if word == "arb(rejected)" => rejected,
            _ => word,
        };
        for token in token(word, family).map_err(|fault| fault.inside(at))? {
            placed.push(Placed { at, board: board.clone(), token });
        }
    }
    match board {
        Some((at, name)) => Err(Fault::new(at, format!("@{name} stands before no token"))),
        None => Ok(placed),
    }
}

/// Words; what stands in brackets belongs to its word.
fn split(text: &str) -> Result<Vec<(usize, &str)>, Fault> {
    let mut words = Vec::new();
    let mut start = None;
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut is_quoted = false;
    for (at, letter) in text.char_indices() {
        match letter {
            '"' if !open.is_empty() => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' => open.push((at, ')')),
            '{' => open.push((at, '}')),
            ')' | '}' if open.pop().is_none_or(|(_, close)| close != letter) => {
                return Err(Fault::new(at, format!("\"{letter}\" closes nothing")));
            }
            _ if letter.is_whitespace() && open.is_empty() => {
                words.extend(start.take().map(|start| (start, &text[start..at])));
                continue;
            }
            _ => {}
        }
        start = start.or(Some(at));
    }
    if let Some(&(at, close)) = open.first() {
        return Err(Fault::new(at, format!("a \"{close}\" is missing")));
    }
    words.extend(start.map(|start| (start, &text[start..])));
    Ok(words)
}

fn token(word: &str, family: Family) -> Result<Vec<Token>, Fault> {
    if word.starts_with(['-', '+']) {
        return Ok(vec![Token::Touch(vec![touch(word, family)?])]);
    }
    if let Some(inner) = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        return Ok(vec![group(inner, family).map_err(|fault| fault.inside(1))?]);
    }
    if let Some((name, inner)) = word.strip_suffix(')').and_then(|rest| rest.split_once('(')) {
        return call(name, inner, family).map_err(|fault| match fault.at {
            0 => fault,
            at => Fault { at: at + name.len(), ..fault },
        });
    }
    let token = match word {
        "PW" => Token::Press(Side::White),
        "PB" => Token::Press(Side::Black),
        _ => match word.split_once(':') {
            Some(("LEVER", "left")) => Token::Lever(End::Left),
            Some(("LEVER", "right")) => Token::Lever(End::Right),
            Some(("HALT", "A")) => Token::Halt(None),
            Some(("HALT", side)) => Token::Halt(Some(letter_side(word, side)?)),
            Some(("RUN", side)) => Token::Run(letter_side(word, side)?),
            Some(("FLAG", side)) => Token::Flag(vec![letter_side(word, side)?]),
            _ => return Err(Fault::new(0, format!("\"{word}\" is no token; {FORMS}"))),
        },
    };
    Ok(vec![token])
}

fn letter_side(word: &str, letter: &str) -> Result<Side, Fault> {
    match letter {
        "W" => Ok(Side::White),
        "B" => Ok(Side::Black),
        _ => Err(Fault::new(0, format!("\"{word}\": \"{letter}\" is no side; use W or B"))),
    }
}

fn touch(word: &str, family: Family) -> Result<Touch, Fault> {
    let fault = |what: String| Fault::new(0, format!("\"{word}\": {what}"));
    let square = |name: &str| {
        let range = family.square_range();
        family.square(name).ok_or_else(|| fault(format!("\"{name}\" is no square; {range}")))
    };
    if let Some(name) = word.strip_prefix('-') {
        return Ok(Touch::Lift(square(name)?));
    }
    let rest = word.trim_start_matches('+');
    let (rest, brief) = rest.strip_suffix('~').map_or((rest, false), |rest| (rest, true));
    let (name, man) = rest.split_once('=').map_or((rest, None), |(name, man)| (name, Some(man)));
    let square = square(name)?;
    let man = match man {
        None => None,
        Some(name) => Some(
            self::man(name, family)
                .ok_or_else(|| fault(format!("\"{name}\" is no piece; {}", family.man_range())))?,
        ),
    };
    Ok(Touch::Place { square, man, brief })
}

/// `P`, `p`; in the four-player game `rP`, or `P` for a man of the player to move.
fn man(name: &str, family: Family) -> Option<Man> {
    let own = || {
        let role = cross::role(name)?;
        (family == Family::FourPlayer).then_some(Man::Movers(role))
    };
    family.man(name).map(Man::Of).or_else(own)
}

fn group(inner: &str, family: Family) -> Result<Token, Fault> {
    let mut touches = Vec::new();
    let mut flags = Vec::new();
    for (at, word) in hands::words(inner) {
        for token in token(word, family).map_err(|fault| fault.inside(at))? {
            match token {
                Token::Touch(mut touch) => touches.append(&mut touch),
                Token::Flag(mut flag) => flags.append(&mut flag),
                _ => {
                    return Err(Fault::new(
                        at,
                        format!("\"{word}\" cannot stand in {{…}}; only lifts, placements and flags can"),
                    ));
                }
            }
        }
    }
    match (touches.is_empty(), flags.is_empty()) {
        (false, true) => Ok(Token::Touch(touches)),
        (true, false) => Ok(Token::Flag(flags)),
        _ => Err(Fault::new(0, "{…} holds either lifts and placements or flags")),
    }
}

/// An adjourned game may wait for the next month; clocks tick all the time until then.
const WAIT_MAX_MS: u64 = 31 * 24 * 3_600_000;

/// Places in the error count from the bracket, which is 0: a fault of the name.
fn call(name: &str, inner: &str, family: Family) -> Result<Vec<Token>, Fault> {
    const CALLS: [&str; 7] = ["clock", "wait", "frame", "play", "arb", "op", "cfg"];
    let inside = |fault: Fault| fault.inside(1);
    match name {
        "wait" => match duration::parse(inner).and_then(|span| u64::try_from(span.ms).ok()) {
            Some(ms) if ms > WAIT_MAX_MS => {
                Err(Fault::new(0, format!("\"wait({inner})\" is longer than 31 days")))
            }
            Some(ms) => Ok(vec![Token::Wait(ms)]),
            None => Err(Fault::new(
                0,
                format!("\"wait({inner})\" is no time; times are like 800ms, 2s, 5min, 1h"),
            )),
        },
        "clock" if inner == "unplugged" => Ok(vec![Token::Plug(false)]),
        "clock" if inner == "plugged" => Ok(vec![Token::Plug(true)]),
        "clock" => Ok(vec![Token::Clock(clock(inner).map_err(inside)?)]),
        "frame" => Ok(vec![Token::Frame(frame(inner, family).map_err(inside)?)]),
        "play" => {
            let mut moves = play(inner, family).map_err(inside)?;
            // Where the move stands in the token.
            moves.iter_mut().for_each(|written| written.at += "play(".len());
            Ok(vec![Token::Play(moves)])
        }
        "arb" | "op" => order::parse(inner).map_err(inside),
        "cfg" => configure(inner).map_err(inside),
        _ => Err(unknown(0, "token", name, CALLS.into_iter())),
    }
}

/// Reads movetext.
pub(super) fn play(text: &str, family: Family) -> Result<Vec<Written>, Fault> {
    let example = match family {
        Family::Chess => "e4, Nf3, exd5, O-O, e8=Q",
        Family::FourPlayer => "h2-h4, b8xa9=Q, O-O",
    };
    hands::movetext(text, family)
        .map_err(|(at, word)| Fault::new(at, format!("\"{word}\" is no move; moves are like {example}")))
}

fn clock(inner: &str) -> Result<Vec<(Side, Setting)>, Fault> {
    let example = "write clock(W 1:20:00, B +2:00)";
    let mut settings = Vec::new();
    for part in inner.split(',') {
        let at = part.as_ptr() as usize - inner.as_ptr() as usize;
        let fault = || Fault::new(at, format!("\"{}\" sets no clock; {example}", part.trim()));
        let (side, time) = part.trim().split_once(char::is_whitespace).ok_or_else(fault)?;
        let side = letter_side(part.trim(), side).map_err(|fault| fault.inside(at))?;
        let span = duration::parse(time).ok_or_else(fault)?;
        let setting = match (span.is_signed, u64::try_from(span.ms)) {
            (true, _) => Setting::By(span.ms),
            (false, Ok(ms)) => Setting::To(ms),
            (false, Err(_)) => return Err(fault()),
        };
        settings.push((side, setting));
    }
    Ok(settings)
}

fn frame(inner: &str, family: Family) -> Result<Picture, Fault> {
    if let Some(moves) = inner.trim_start().strip_prefix("after ") {
        let at = moves.as_ptr() as usize - inner.as_ptr() as usize;
        return Ok(Picture::After(play(moves, family).map_err(|fault| fault.inside(at))?));
    }
    men(inner.trim(), family).map(Picture::Men).map_err(|what| Fault::new(0, what))
}

/// The men of a FEN, or of a four-player position, whatever its other fields say.
pub(super) fn men(fen: &str, family: Family) -> Result<Vec<Content>, String> {
    let placement = fen.split_whitespace().next().unwrap_or_default();
    match pieces_frame(placement) {
        Ok(Frame::Identity(men) | Frame::Occupancy(men)) if men.len() == family.squares() => Ok(men),
        Ok(other) => Err(format!(
            "\"{placement}\" has {} squares; the board of this game has {}",
            other.contents().len(),
            family.squares()
        )),
        Err(error) => Err(format!("\"{placement}\" is no FEN placement: {error}")),
    }
}

/// `two_hand_ms = 150`, `time_handicap black = 10 min`, several behind commas.
fn configure(inner: &str) -> Result<Vec<Token>, Fault> {
    if let Some(order) = order::phrase(inner) {
        return Ok(vec![Token::Order(order)]);
    }
    let mut settings = Vec::new();
    for part in inner.split(',') {
        let at = part.as_ptr() as usize - inner.as_ptr() as usize;
        let Some((key, value)) = part.split_once('=') else {
            return Err(Fault::new(
                at,
                format!("\"{}\": write KEY = VALUE, e.g. two_hand_ms = 150", part.trim()),
            ));
        };
        let key = key.split_whitespace().collect::<Vec<_>>().join(".");
        settings.push((key, value.trim().trim_matches('"').to_owned()));
    }
    Ok(vec![Token::Configure(settings)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        parse(text, Family::Chess).unwrap().into_iter().map(|placed| placed.token).collect()
    }

    fn fault(text: &str) -> (usize, String) {
        let fault = parse(text, Family::Chess).unwrap_err();
        (fault.at, fault.what)
    }

    #[test]
    fn hands_presses_and_clocks_are_read() {
        let white_pawn = Family::Chess.man("P").map(Man::Of);
        assert_eq!(
            tokens("-e2 +e4=P~ PW"),
            [
                Token::Touch(vec![Touch::Lift(Square::new(12))]),
                Token::Touch(vec![Touch::Place { square: Square::new(28), man: white_pawn, brief: true }]),
                Token::Press(Side::White),
            ]
        );
        assert_eq!(
            tokens("{-e1 -h1}"),
            [Token::Touch(vec![Touch::Lift(Square::new(4)), Touch::Lift(Square::new(7))])]
        );
        assert_eq!(tokens("{FLAG:W FLAG:B}"), [Token::Flag(vec![Side::White, Side::Black])]);
        assert_eq!(
            tokens("HALT:A HALT:B RUN:W LEVER:left wait(1min)"),
            [
                Token::Halt(None),
                Token::Halt(Some(Side::Black)),
                Token::Run(Side::White),
                Token::Lever(End::Left),
                Token::Wait(60_000),
            ]
        );
        assert_eq!(
            tokens("clock(W 1:20:00, B +2:00)"),
            [Token::Clock(vec![(Side::White, Setting::To(4_800_000)), (Side::Black, Setting::By(120_000))])]
        );
        assert_eq!(
            tokens("cfg(time_handicap black = 10 min)"),
            [Token::Configure(vec![("time_handicap.black".into(), "10 min".into())])]
        );
        assert_eq!(parse("@5 -e2 PW", Family::Chess).unwrap()[0].board.as_deref(), Some("5"));
    }

    #[test]
    fn a_bad_token_is_named_with_its_place() {
        assert_eq!(fault("-e2 -e9"), (4, "\"-e9\": \"e9\" is no square; squares are a1 to h8".into()));
        assert_eq!(
            fault("-e2 +e4=X").1,
            "\"+e4=X\": \"X\" is no piece; pieces are P N B R Q K and p n b r q k"
        );
        assert_eq!(fault("-e2 HALT:C"), (4, "\"HALT:C\": \"C\" is no side; use W or B".into()));
        assert_eq!(fault("wiat(2s)"), (0, "no token is called \"wiat\"; did you mean \"wait\"?".into()));
        assert_eq!(fault("-e2 play(1.e4 xx)").0, 14);
        assert_eq!(fault("wait(2)").1, "\"wait(2)\" is no time; times are like 800ms, 2s, 5min, 1h");
        assert_eq!(
            fault("-e2 wait(4294967296s)"),
            (4, "\"wait(4294967296s)\" is longer than 31 days".into())
        );
        assert_eq!(fault("PW {-e1"), (3, "a \"}\" is missing".into()));
        assert_eq!(fault("{-e1 PW}").0, 5);
        assert_eq!(fault("-e2 @5"), (4, "@5 stands before no token".into()));
        assert!(fault("press").1.starts_with("\"press\" is no token; tokens are like -e2"));
        assert!(fault("clock(W 5)").1.starts_with("\"W 5\" sets no clock"));
        assert!(fault("frame(8/8)").1.contains("has 2 ranks instead of eight"));
    }
}
