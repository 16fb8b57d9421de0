//! What the player says at the keyboard.

/// What the player wants, by keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// To resign.
    Resign,
    /// A draw: offers one, or accepts the one that is offered.
    Draw,
    /// No draw and no taking back.
    No,
    /// To take a move back, or let it be taken back.
    Takeback,
    /// That the game does not count.
    Abort,
    /// To know how things stand.
    Status,
    /// To leave; the game goes on without us.
    Quit,
}

impl Asked {
    /// What a word at the keyboard asks.
    #[must_use]
    pub fn read(word: &str) -> Option<Self> {
        Some(match word.trim().to_lowercase().as_str() {
            "resign" => Self::Resign,
            "draw" => Self::Draw,
            "no" => Self::No,
            "takeback" => Self::Takeback,
            "abort" => Self::Abort,
            "" | "status" => Self::Status,
            "quit" => Self::Quit,
            _ => return None,
        })
    }
}
