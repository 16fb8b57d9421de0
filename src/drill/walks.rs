//! What happens, and what an arbiter would do about it (`docs/hall.md`, section 7).

use futures_util::future::BoxFuture;

use super::scene::{Scene, until};
use crate::feed::view::GameView;
use adoube_core::event::Status;
use adoube_core::station::Open;
use adoube_rules::laws::Name;
use adoube_rules::sensor::Side;

/// One thing that goes wrong.
pub(super) struct Walk {
    /// What it is called.
    pub(super) name: &'static str,
    /// What happens.
    pub(super) what: &'static str,
    /// What a good ruling is, and where it is made.
    pub(super) good: &'static str,
    /// How many boards it takes.
    pub(super) boards: usize,
    /// The last of them is a spare.
    has_spare: bool,
    /// They lie turned, a1 at Black's right hand.
    pub(super) is_turned: bool,
    /// The position from which it is played, if not from the array.
    pub(super) start: Option<&'static str>,
    pub(super) time_control: &'static str,
    /// What else the event has announced.
    pub(super) open: fn(&mut Open),
    /// Plays it; was it ruled well?
    pub(super) play: for<'a> fn(&'a mut Scene) -> BoxFuture<'a, anyhow::Result<bool>>,
}

const USUAL: Walk = Walk {
    name: "",
    what: "",
    good: "",
    boards: 1,
    has_spare: false,
    is_turned: false,
    start: None,
    time_control: "5400+30",
    open: |_| (),
    play: |_| Box::pin(async { Ok(true) }),
};

impl Walk {
    /// How many pairs play.
    pub(super) fn pairs(&self) -> usize {
        self.boards - usize::from(self.has_spare)
    }
}

/// In the order in which they happen.
pub(super) const WALKS: [Walk; 19] = [
    Walk {
        name: "illegal-move",
        what: "White plays a knight from g1 to g5 and presses the clock",
        good: "confirm the illegal move (c, Enter): the position before it, and two minutes for Black (7.5)",
        play: |scene| Box::pin(illegal_move(scene)),
        ..USUAL
    },
    Walk {
        name: "second-illegal-move",
        what: "White completes an illegal move for the second time",
        good: "confirm the loss (c, Enter): Black can mate (7.5.5)",
        open: |open| open.illegal = [1, 0],
        play: |scene| Box::pin(second_illegal_move(scene)),
        ..USUAL
    },
    Walk {
        name: "touch-move",
        what: "White touches the knight on g1, puts it back and moves a pawn",
        good: "ask both players, then confirm (c, Enter): the knight moves, with the times that are proposed (4.3.1)",
        play: |scene| Box::pin(touch_move(scene)),
        ..USUAL
    },
    Walk {
        name: "threefold",
        what: "Black has written a move down and claims a draw",
        good: "enter the claim with the move Ng8, and confirm it: the position comes for the third time (9.2.1)",
        play: |scene| Box::pin(threefold(scene)),
        ..USUAL
    },
    Walk {
        name: "fifty-moves",
        what: "White has written a move down and claims a draw",
        good: "enter the claim with the move Ra3, and confirm it: fifty moves without a pawn or a capture (9.3.1)",
        start: Some("8/8/4k3/8/8/4K3/R7/8 w - - 97 80"),
        play: |scene| Box::pin(fifty_moves(scene)),
        ..USUAL
    },
    Walk {
        name: "flag",
        what: "White's flag falls, and Black can mate",
        good: "confirm the loss on time (c, Enter) (6.9)",
        time_control: "20",
        play: |scene| Box::pin(flag(scene, "e2e4 e7e5", Name::TimeForfeit, "0-1")),
        ..USUAL
    },
    Walk {
        name: "flag-bare-king",
        what: "White's flag falls, and Black has nothing but the king",
        good: "confirm the draw (c, Enter): Black cannot mate by any series of moves (6.9)",
        start: Some("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"),
        time_control: "20",
        play: |scene| Box::pin(flag(scene, "a1a7 e8d8", Name::TimeDraw, "1/2-1/2")),
        ..USUAL
    },
    Walk {
        name: "wrong-claim",
        what: "Black claims that the position has come for the third time",
        good: "enter the claim and reject it: it is wrong, and White gets two minutes with it (9.5.3)",
        play: |scene| Box::pin(wrong_claim(scene)),
        ..USUAL
    },
    Walk {
        name: "displaced",
        what: "Two of Black's pieces fall over while he thinks, and are put right",
        good: "nothing: it closes by itself as soon as they stand (7.4.1)",
        play: |scene| Box::pin(displaced(scene)),
        ..USUAL
    },
    Walk {
        name: "dead-board",
        what: "The cable of a board breaks in the middle of a game",
        good: "move the game to the spare board, which is the next one",
        boards: 2,
        has_spare: true,
        play: |scene| Box::pin(dead_board(scene)),
        ..USUAL
    },
    Walk {
        name: "boards-exchanged",
        what: "Two pairs have sat down at each other's boards, and play",
        good: "exchange the two boards, at either game",
        boards: 2,
        play: |scene| Box::pin(boards_exchanged(scene)),
        ..USUAL
    },
    Walk {
        name: "pairing-changed",
        what: "Before the start a player asks for the table by the door",
        good: "give the game the other board (Pairings, Correct)",
        boards: 2,
        play: |scene| Box::pin(pairing_changed(scene)),
        ..USUAL
    },
    Walk {
        name: "postponed",
        what: "Black telephones that the train stands still",
        good: "postpone the game (Pairings, Correct)",
        play: |scene| Box::pin(postponed(scene)),
        ..USUAL
    },
    Walk {
        name: "adjourned",
        what: "White adjourns, and seals a move",
        good: "rule that White adjourns, enter the sealed move, and resume the game when the players are back (I.1)",
        open: |open| open.regulations = vec!["adjournment".to_owned()],
        play: |scene| Box::pin(adjourned(scene)),
        ..USUAL
    },
    Walk {
        name: "wrong-result",
        what: "The kings said that White had won; afterwards both players say that it was Black",
        good: "change the result of the game to 0-1",
        start: Some("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"),
        play: |scene| Box::pin(wrong_result(scene)),
        ..USUAL
    },
    Walk {
        name: "cable-out",
        what: "Somebody pulls a cable out, and puts it in again two moves later",
        good: "nothing: the board comes back by itself, and the moves are found again",
        play: |scene| Box::pin(cable_out(scene)),
        ..USUAL
    },
    Walk {
        name: "dead-square",
        what: "The sensor below the rook on a1 fails",
        good: "nothing while they play: the game goes on without the square",
        play: |scene| Box::pin(dead_square(scene)),
        ..USUAL
    },
    Walk {
        name: "clock-out",
        what: "The lead of the clock slips out, and is put in again two moves later",
        good: "nothing: moves are seen without presses, and the times are right again with the clock",
        play: |scene| Box::pin(clock_out(scene)),
        ..USUAL
    },
    Walk {
        name: "board-turned",
        what: "The board was laid down the wrong way round",
        good: "nothing: adoube sees by the pieces how it lies, and says so before the round",
        is_turned: true,
        play: |scene| Box::pin(board_turned(scene)),
        ..USUAL
    },
];

async fn illegal_move(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5").await?;
    scene.boards[0].play("g1g5", Side::White).await;
    let illegal = scene.opens(0, Name::IllegalMoveCompleted).await?;
    scene.stops(0);
    if scene.decided(&illegal).await != Some(Status::Confirmed) {
        return Ok(false);
    }
    scene.carries_out(0, &["g5g1"]).await?;
    scene.play(0, "g1f3 b8c6").await?;
    Ok(scene.has_confirmed(0, Name::AddTimeOpponent))
}

async fn second_illegal_move(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5").await?;
    scene.boards[0].play("g1g5", Side::White).await;
    let loss = scene.opens(0, Name::IllegalMoveForfeit).await?;
    scene.stops(0);
    scene.decided(&loss).await;
    Ok(scene.comes_to(&scene.pairing(0)).await == "0-1")
}

async fn touch_move(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5").await?;
    let board = &scene.boards[0];
    board.lift("g1");
    board.hands(2_000).await;
    board.place("g1", 'N');
    board.hands(1_000).await;
    board.play("d2d3", Side::White).await;
    let touched = scene.opens(0, Name::TouchMoveSuspected).await?;
    scene.stops(0);
    if scene.decided(&touched).await != Some(Status::Confirmed) {
        return Ok(false);
    }
    scene.carries_out(0, &["d3d2"]).await?;
    scene.play(0, "g1f3 b8c6").await?;
    Ok(true)
}

async fn threefold(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1").await?;
    scene.stops(0);
    scene
        .tells(
            0,
            "Black claims that with Ng8, which he has written down, the position comes for the third time",
        )
        .await;
    let claim = scene.entered(0, Name::ClaimThreefoldIntended).await;
    Ok(claim == Some(Status::Confirmed) && scene.comes_to(&scene.pairing(0)).await == "1/2-1/2")
}

async fn fifty_moves(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "a2a1 e6e5").await?;
    scene.stops(0);
    scene.tells(0, "White claims that with Ra3, which he has written down, fifty moves have been made").await;
    let claim = scene.entered(0, Name::ClaimFiftyMovesIntended).await;
    Ok(claim == Some(Status::Confirmed) && scene.comes_to(&scene.pairing(0)).await == "1/2-1/2")
}

async fn flag(scene: &Scene, moves: &str, name: Name, result: &str) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, moves).await?;
    let fallen = scene.opens(0, name).await?;
    scene.stops(0);
    scene.decided(&fallen).await;
    Ok(scene.comes_to(&scene.pairing(0)).await == result)
}

async fn wrong_claim(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5 g1f3").await?;
    scene.stops(0);
    scene.tells(0, "Black claims that the position on the board has come for the third time").await;
    if scene.entered(0, Name::ClaimThreefold).await != Some(Status::Rejected) {
        return Ok(false);
    }
    let given = scene.entered(0, Name::AddTimeOpponent).await;
    scene.carries_out(0, &[]).await?;
    scene.play(0, "b8c6").await?;
    Ok(given == Some(Status::Confirmed))
}

async fn displaced(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4").await?;
    let board = &scene.boards[0];
    board.lift("d7");
    board.lift("d8");
    board.hands(500).await;
    board.place("c6", 'q');
    let displaced = scene.opens(0, Name::PieceDisplaced).await?;
    scene.boards[0].hands(5_000).await;
    scene.boards[0].carry("c6d8").await;
    scene.boards[0].place("d7", 'p');
    let is_right = scene.decided(&displaced).await == Some(Status::Corrected);
    scene.play(0, "e7e5 g1f3").await?;
    Ok(is_right)
}

async fn dead_board(scene: &mut Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5 g1f3").await?;
    scene.stops(0);
    scene.boards[0].hands(2_000).await;
    scene.boards[0].unplug();
    let game = scene.pairing(0);
    let spare = scene.name(1);
    let hall = scene.hall.clone();
    let board_of = |game: &str| hall.desk.with_view(|view| view.game(game).map(|game| game.board.clone()));
    until(|| board_of(&game).filter(|board| *board == spare)).await;
    scene.carries_out(1, &["g1f3", "e7e5", "e2e4"]).await?;
    scene.play(1, "b8c6").await?;
    Ok(true)
}

async fn boards_exchanged(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.starts(1).await?;
    scene.play(0, "e2e4 e7e5").await?;
    scene.play(1, "d2d4").await?;
    let [one, other] = [scene.pairing(0), scene.pairing(1)];
    let text =
        format!("the players of {one} sit here at board {} and those of {other} at theirs", scene.name(1));
    scene.tells(1, &text).await;
    let hall = scene.hall.clone();
    let [here, there] = [scene.name(0), scene.name(1)];
    let board_of = |game: &str| hall.desk.with_view(|view| view.game(game).map(|game| game.board.clone()));
    // Each board has its game: a move is counted in the one that is played there.
    until(|| board_of(&one).filter(|board| *board == there)).await;
    until(|| board_of(&other).filter(|board| *board == here)).await;
    scene.play(0, "g1f3").await?;
    scene.play(1, "d7d5").await?;
    Ok(true)
}

async fn pairing_changed(scene: &Scene) -> anyhow::Result<bool> {
    let [here, there] = [scene.name(0), scene.name(1)];
    let game = scene.pairing(0);
    scene
        .tells(0, &format!("{game} is to be played at board {there}, and the other game at board {here}"))
        .await;
    let hall = scene.hall.clone();
    let is_there = || {
        let pairings = hall.pairings();
        let board = pairings.find(&game)?.board_name();
        (board == there).then_some(())
    };
    until(is_there).await;
    scene.starts(0).await?;
    scene.play(0, "e2e4").await?;
    Ok(true)
}

async fn postponed(scene: &Scene) -> anyhow::Result<bool> {
    let game = scene.pairing(0);
    scene.tells(0, &format!("Black of {game} can play tomorrow at ten")).await;
    let hall = scene.hall.clone();
    until(|| hall.pairings().find(&game)?.postponed.clone()).await;
    Ok(true)
}

async fn adjourned(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5").await?;
    scene.tells(0, "White adjourns; in the envelope there is Bc4. Resume as soon as it is sealed").await;
    until(|| scene.stage(0)).await;
    scene.stops(0);
    let sheet = scene.entered(0, Name::AdjournmentSheet).await;
    until(|| scene.stage(0).is_none().then_some(())).await;
    scene.starts(0).await?;
    scene.play(0, "f1c4 b8c6").await?;
    Ok(sheet.is_some())
}

async fn wrong_result(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e3 e8d8").await?;
    scene.stops(0);
    scene.boards[0].carry("e1e4").await;
    scene.boards[0].carry("d8d5").await;
    let game = scene.pairing(0);
    scene.seen("the result", || (scene.result(&game) == "1-0").then_some(())).await?;
    for squares in ["d5e8", "e4e1", "e3e2"] {
        scene.boards[0].carry(squares).await;
    }
    scene.tells(0, &format!("both players of {game} bring their scoresheets: 0-1")).await;
    let hall = scene.hall.clone();
    let result = || hall.desk.with_view(|view| view.game(&game).map(|game| game.result.clone()));
    let changed = until(|| result().filter(|result| *result != "1-0")).await;
    Ok(changed == "0-1")
}

async fn cable_out(scene: &mut Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4").await?;
    scene.boards[0].unplug();
    scene.boards[0].hands(6_000).await;
    scene.boards[0].play("e7e5", Side::Black).await;
    scene.boards[0].play("g1f3", Side::White).await;
    scene.boards[0].plug_in();
    scene.seen("the moves of the gap", || scene.game(0, |game| game.moves.len() == 3)).await?;
    scene.play(0, "b8c6").await?;
    Ok(true)
}

async fn dead_square(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5").await?;
    scene.boards[0].fails("a1");
    scene.play(0, "g1f3 b8c6").await?;
    scene.opens(0, Name::SensorFault).await?;
    scene.play(0, "f1c4 f8c5").await?;
    Ok(true)
}

async fn clock_out(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4").await?;
    scene.boards[0].unplug_clock();
    scene.boards[0].hands(6_000).await;
    scene.play(0, "e7e5 g1f3").await?;
    scene.boards[0].plug_in_clock();
    scene.starts(0).await?;
    scene.play(0, "b8c6").await?;
    // Black's time stands since his press.
    let [_, black_s] = scene.boards[0].shows();
    let is_right =
        |game: &GameView| game.clock.as_ref().is_some_and(|it| it.times.black_ms / 1_000 == black_s);
    scene.seen("the times of the clock", || scene.game(0, is_right)).await?;
    Ok(true)
}

async fn board_turned(scene: &Scene) -> anyhow::Result<bool> {
    scene.starts(0).await?;
    scene.play(0, "e2e4 e7e5 g1f3").await?;
    Ok(true)
}
