//! Can White still mate? `cargo run -p adoube-winnable --example fen -- "4k3/8/8/8/8/8/8/4K1NN w - - 0 1"`

use adoube_winnable::{CanMate, can_mate};
use shakmaty::{CastlingMode, Chess, Color, fen::Fen};

fn answer(fen: &str) -> Result<&'static str, Box<dyn std::error::Error>> {
    let position: Chess = fen.parse::<Fen>()?.into_position(CastlingMode::Standard)?;
    Ok(match can_mate(&position, Color::White, 200_000) {
        CanMate::Yes(_) => "yes",
        CanMate::No(_) => "no",
        CanMate::Unknown(_) => "unknown",
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("{}", answer(&std::env::args().nth(1).ok_or("which position? a FEN")?)?);
    Ok(())
}

#[test]
fn it_answers() {
    assert_eq!(answer("4k3/8/8/8/8/8/8/4K1NN w - - 0 1").ok(), Some("yes"));
    assert_eq!(answer("4k3/8/8/8/8/8/8/4KB2 w - - 0 1").ok(), Some("no"));
    assert!(answer("8/8").is_err());
}
