//! Certificates for people and for scripts: what they rest on and how much, or the whole.

use serde_json::{Map, Value, json};
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, Chess, EnPassantMode, Piece};

use adoube_rules::mate::{Certificate, Closed, Fence, Fenced, Material, Roamed, Roamer, Scene};

/// The kind of proof and its numbers; `is_whole`: all that somebody needs to check it.
pub(super) fn json(certificate: &Certificate, is_whole: bool) -> Value {
    let mut proof = Map::new();
    let mut put = |key: &str, value: Value| proof.insert(key.to_owned(), value);
    match certificate {
        Certificate::GameOver => {
            put("kind", "game-over".into());
        }
        Certificate::Material(material) => {
            put("kind", "material".into());
            put("material", name(*material).into());
        }
        Certificate::Fence(fence) => {
            put("kind", "fence".into());
            put("men", if is_whole { men(fence) } else { fence.men.len().into() });
        }
        Certificate::Roamed(roamed) => {
            put("kind", "roamed".into());
            put("roamers", if is_whole { roamers(roamed) } else { roamed.roamers.len().into() });
            put("scenes", if is_whole { scenes(roamed) } else { roamed.scenes.len().into() });
        }
        Certificate::Closed(closed) => {
            let positions = || -> Value { closed.positions.iter().map(fen).collect() };
            let leaf = |(chess, certificate): &(Chess, Certificate)| json!({"fen": fen(chess), "proof": json(certificate, true)});
            let leaves = || -> Value { closed.leaves.iter().map(leaf).collect() };
            put("kind", "closed".into());
            put("positions", if is_whole { positions() } else { closed.positions.len().into() });
            put("leaves", if is_whole { leaves() } else { closed.leaves.len().into() });
        }
    }
    Value::Object(proof)
}

/// The whole proof in lines; what needs no more words than the reason has none.
pub(super) fn lines(certificate: &Certificate) -> Vec<String> {
    match certificate {
        Certificate::GameOver | Certificate::Material(_) => Vec::new(),
        Certificate::Fence(fence) => fence.men.iter().map(line).collect(),
        Certificate::Roamed(roamed) => roamed.scenes.iter().map(|scene| scene_line(roamed, scene)).collect(),
        Certificate::Closed(closed) => closed_lines(closed),
    }
}

fn name(material: Material) -> &'static str {
    match material {
        Material::BareKing => "bare-king",
        Material::LoneKnight => "lone-knight",
        Material::OneColouredBishops => "one-coloured-bishops",
    }
}

fn men(fence: &Fence) -> Value {
    let man = |man: &Fenced| {
        json!({
            "man": letter(man), "origin": man.origin.to_string(), "squares": squares(man.squares),
            "promoted": squares(man.promoted), "may_be_taken": man.may_be_taken,
        })
    };
    fence.men.iter().map(man).collect()
}

fn letter(man: &Fenced) -> String {
    Piece { color: man.color, role: man.role }.char().to_string()
}

fn squares(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

/// A man and where it may ever stand: `K e1: d1 e1 f1`.
fn line(man: &Fenced) -> String {
    let taken = if man.may_be_taken { ", or taken" } else { "" };
    let promoted = match squares(man.promoted).join(" ") {
        none if none.is_empty() => String::new(),
        squares => format!(", promoted on {squares}"),
    };
    format!("{} {}: {}{promoted}{taken}", letter(man), man.origin, squares(man.squares).join(" "))
}

fn roamers(roamed: &Roamed) -> Value {
    roamed
        .roamers
        .iter()
        .map(|roamer| json!({"man": roamer_letter(roamer), "origin": roamer.origin.to_string()}))
        .collect()
}

fn scenes(roamed: &Roamed) -> Value {
    let scene = |scene: &Scene| {
        let realms: Value = scene.realms.iter().map(|&realm| Value::from(squares(realm))).collect();
        json!({
            "placed": scene.board.to_string(), "turn": scene.turn.to_string(), "has_promoted": scene.has_promoted,
            "passed": scene.passed.map(|square| square.to_string()),
            "landed": scene.landed.map(|(_, square)| square.to_string()),
            "left": scene.left.map(|square| square.to_string()), "realms": realms,
        })
    };
    roamed.scenes.iter().map(scene).collect()
}

/// A placement, whose turn it is, and where the roamers may be: `8/8/8/8/8/8/k7/7K w; b c1: a3 b2`.
fn scene_line(roamed: &Roamed, scene: &Scene) -> String {
    let turn = if scene.turn.is_white() { "w" } else { "b" };
    let passed = scene.passed.map_or(String::new(), |square| format!(" {square}"));
    let promoted = if scene.has_promoted { " promoted" } else { "" };
    let landed = scene.landed.map_or(String::new(), |(_, square)| format!(" landed {square}"));
    let left = scene.left.map_or(String::new(), |square| format!(" left {square}"));
    let realm = |(roamer, &realm): (&Roamer, &Bitboard)| {
        format!("; {} {}: {}", roamer_letter(roamer), roamer.origin, squares(realm).join(" "))
    };
    let realms: String = roamed.roamers.iter().zip(&scene.realms).map(realm).collect();
    format!("{} {turn}{passed}{promoted}{landed}{left}{realms}", scene.board)
}

fn roamer_letter(roamer: &Roamer) -> String {
    Piece { color: roamer.color, role: roamer.role }.char().to_string()
}

fn closed_lines(closed: &Closed) -> Vec<String> {
    let mut all: Vec<String> = closed.positions.iter().map(fen).collect();
    for (chess, certificate) in &closed.leaves {
        all.push(format!("{}: {}", fen(chess), certificate.reason().text()));
        all.extend(lines(certificate).into_iter().map(|line| format!("  {line}")));
    }
    all
}

/// As the moves from it need it: an en passant field only where somebody can take.
fn fen(chess: &Chess) -> String {
    Fen::from_position(chess, EnPassantMode::Legal).to_string()
}
