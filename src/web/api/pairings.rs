//! Pairings: who plays whom at which board, imported, put right, moved to other boards.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::problem::{
    Arguments, Closing, FileTooLarge, Forbidden, LogIn, Malformed, Refused, TooLarge, Unknown,
};
use super::{Desk, Done, Json, Path, Problem, Query, rounds, spreadsheet};
use crate::auth::{Entry, Role, Visitor};
use crate::feed::view::{GameView, HallView};
use crate::hall::Hall;
use crate::web::identify::From;
use adoube_core::event::Player;
use adoube_core::pairings::{Change, FILE_BYTES, Pairing, Pairings, checked, encoding, read_round};

/// All pairings.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct PairingsShown {
    /// Name of the event, as the files have it.
    event: Option<String>,
    /// Where it is.
    site: Option<String>,
    /// Its time control.
    time_control: Option<String>,
    /// Days of the rounds, `YYYY-MM-DD`, by round.
    dates: BTreeMap<u32, String>,
    /// The pairings of each round, by number.
    rounds: BTreeMap<u32, Vec<PairingShown>>,
}

/// A pairing, and how far its game is.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct PairingShown {
    /// The pairing, with the board at which it is played.
    #[serde(flatten)]
    pairing: Pairing,
    /// Name of its game.
    #[schema(example = "5-12")]
    game: String,
    /// `waiting`, `postponed`, `playing`, `finished`, or `closed` without a result.
    #[schema(example = "playing")]
    state: &'static str,
}

/// How a file is imported.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(in crate::web) struct Asked {
    /// Say what it would change, and change nothing.
    #[serde(default)]
    #[param(example = true)]
    preview: bool,
    /// Name of the file, for messages.
    #[param(example = "round-5.pgn")]
    name: Option<String>,
    /// Only this round; what does not say its round is of this one.
    #[param(example = 5)]
    round: Option<u32>,
    /// What it is written in, if it is neither UTF-8 nor says so, and it is not clear.
    #[param(example = "windows-1253")]
    encoding: Option<String>,
}

/// What an import changes.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::web) struct Imported {
    /// Game by game, in order.
    changes: Vec<Change>,
    /// What has to be known of the file beside that.
    remarks: Vec<String>,
    /// False: this was a preview.
    imported: bool,
}

/// The players of a game, as they should be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct Players {
    /// White.
    white: Player,
    /// Black.
    black: Player,
    /// Red, in a game of four players.
    #[serde(default)]
    red: Option<Player>,
    /// Blue, in a game of four players.
    #[serde(default)]
    blue: Option<Player>,
}

/// List the pairings
#[utoipa::path(
    get,
    path = "/api/v1/pairings",
    tag = "pairings",
    responses((status = 200, description = "All that are known", body = PairingsShown), LogIn, Closing),
)]
pub(in crate::web) async fn pairings(State(desk): State<Desk>) -> Result<Json<PairingsShown>, Problem> {
    let hall = desk.hall()?;
    let Pairings { event, site, time_control, dates, rounds, .. } = hall.pairings();
    let rounds = hall.desk.with_view(|view| {
        let games = games(view);
        let shown = |round: Vec<Pairing>| round.into_iter().map(|pairing| show(&games, pairing)).collect();
        rounds.into_iter().map(|(number, round)| (number, shown(round))).collect()
    });
    Ok(Json(PairingsShown { event, site, time_control, dates, rounds }))
}

/// The last game of each pairing: it may have been played more than once, or begun under another name.
type Games<'a> = BTreeMap<(u32, u32), &'a GameView>;

fn games(view: &HallView) -> Games<'_> {
    let mut games = Games::new();
    for game in view.games() {
        let Some(round) = game.round else { continue };
        // What was played and counts comes before what was not.
        let rank = |game: &GameView| (!game.annulled && has_begun(game), game.opened_at.clone());
        let last = games.entry((round, game.number)).or_insert(game);
        if rank(game) > rank(last) {
            *last = game;
        }
    }
    games
}

fn has_begun(game: &GameView) -> bool {
    !game.moves.is_empty() || game.result != "*"
}

fn has_changed_sides(game: &GameView, pairing: &Pairing) -> bool {
    match &pairing.red {
        Some(red) => &game.white == red && game.red.as_ref() == Some(&pairing.white),
        None => (&game.white, &game.black) == (&pairing.black, &pairing.white),
    }
}

fn show(games: &Games<'_>, mut pairing: Pairing) -> PairingShown {
    let game = games.get(&(pairing.round, pairing.number));
    // The players may have changed sides, and the result is that of those of the game (7.3).
    if let Some(game) = game.filter(|game| has_changed_sides(game, &pairing)) {
        (pairing.white, pairing.black) = (game.white.clone(), game.black.clone());
        (pairing.red, pairing.blue) = (game.red.clone(), game.blue.clone());
    }
    // A result is a fact of the game (DESIGN 2.6): what a file said, or was told before, is not another one.
    if let Some(game) = game.filter(|game| game.result != "*") {
        pairing.result = Some(game.result.clone());
    }
    let state = match game {
        Some(game) if game.result != "*" => "finished",
        _ if pairing.postponed.is_some() => "postponed",
        Some(game) if game.closed && !game.annulled => "closed",
        Some(game) if !game.moves.is_empty() => "playing",
        _ if pairing.result.is_some() => "finished",
        _ => "waiting",
    };
    // The board at which it is or was played; it may have gone there from its own.
    let begun = game.filter(|game| !game.moves.is_empty());
    pairing.board = Some(begun.map_or_else(|| pairing.board_name(), |game| game.board.clone()));
    let game = pairing.game();
    PairingShown { pairing, game, state }
}

/// Import pairings
///
/// From a file of a pairing program: PGN, TRF16, TRF26, CSV or XLSX; its content says which. It replaces the rounds
/// that it contains. A game that has begun goes on; what is corrected in its players is corrected everywhere.
#[utoipa::path(
    post,
    path = "/api/v1/pairings",
    tag = "pairings",
    params(Asked),
    request_body(content = String, content_type = "text/plain", description = "The file, as it is"),
    responses(
        (status = 200, description = "What it changes; with `preview` nothing was done", body = Imported),
        Malformed, LogIn, Forbidden, Refused, FileTooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn import(
    State(desk): State<Desk>,
    Query(asked): Query<Asked>,
    visitor: Visitor,
    From(address): From,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<Imported>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let body = body.map_err(|rejection| unreadable(&rejection))?;
    let name = asked.name.unwrap_or_else(|| "file".to_owned());
    let entry =
        Entry::new("pairings-import", visitor.name.as_deref(), visitor.role, Some(address)).detail(&name);
    let named = asked.encoding.as_deref().map(encoding).transpose().map_err(wrong)?;
    let read = desk
        .look(move || {
            let table = spreadsheet::text(&body).map_err(wrong)?;
            let file = table.as_deref().unwrap_or(&body);
            read_round(&name, file, asked.round, named).map_err(|error| wrong(error.detail()))
        })
        .await;
    let mut imported = match read {
        Ok(imported) => imported,
        Err(problem) => {
            if !asked.preview {
                hall.auth.audit.write(&entry.refused_because(&problem));
            }
            return Err(problem);
        }
    };
    let mut remarks = std::mem::take(&mut imported.remarks);
    if asked.preview {
        let (changes, misplaced) = hall.preview(&imported);
        remarks.extend(misplaced);
        return Ok(Json(Imported { changes, remarks, imported: false }));
    }
    let rounds: Vec<u32> = imported.rounds.keys().copied().collect();
    let changes = hall.import(imported, visitor.name.as_deref()).await.map_err(rounds::problem);
    hall.auth.audit.write(&match &changes {
        Ok(_) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    let changes = changes?;
    remarks.extend(hall.misplaced_games(&rounds));
    Ok(Json(Imported { changes, remarks, imported: true }))
}

/// Correct the players of a game
///
/// At any time: a running game goes on, and shows them as they are now.
#[utoipa::path(
    put,
    path = "/api/v1/pairings/{game}",
    tag = "pairings",
    params(("game" = String, Path, description = "Name of the game", example = "5-12")),
    request_body = Players,
    responses(
        (status = 200, description = "What was changed", body = Imported),
        Malformed, LogIn, Forbidden, Unknown, Refused, TooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn correct(
    State(desk): State<Desk>,
    Path(game): Path<String>,
    visitor: Visitor,
    From(address): From,
    Json(players): Json<Players>,
) -> Result<Json<Imported>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let pairings = hall.pairings();
    let pairing = pairings.find(&game).ok_or_else(|| unknown(&game))?;
    let Players { white, black, red, blue } = players;
    let is_of_two = !pairing.is_of_four();
    if is_of_two && (red.is_some() || blue.is_some()) {
        return Err(wrong(format!("{game} is a game of two players: it has neither Red nor Blue")));
    }
    let players = [("red", red), ("white", Some(white)), ("blue", blue), ("black", Some(black))];
    let players = players
        .into_iter()
        .filter_map(|(side, player)| Some((side, player?)))
        .map(|(side, player)| match checked(player) {
            Ok(player) => Ok((side, player)),
            Err(error) => Err(wrong(format!("{side}: {error}"))),
        })
        .collect::<Result<Vec<_>, Problem>>()?;
    let entry =
        Entry::new("pairings-correct", visitor.name.as_deref(), visitor.role, Some(address)).detail(&game);
    let corrected = put_right(&hall, &game, players, &visitor).await;
    hall.auth.audit.write(&match &corrected {
        Ok(_) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    Ok(Json(Imported { changes: corrected?, remarks: Vec::new(), imported: true }))
}

/// One player after the other: with two others at once it would be another game.
async fn put_right(
    hall: &Hall,
    game: &str,
    players: Vec<(&'static str, Player)>,
    visitor: &Visitor,
) -> Result<Vec<Change>, Problem> {
    let mut all = Vec::new();
    for (side, player) in players {
        let known = hall.pairings();
        let round = known.find(game).ok_or_else(|| unknown(game))?.round;
        let mut pairings = known.rounds.get(&round).cloned().unwrap_or_default();
        for pairing in pairings.iter_mut().filter(|pairing| pairing.game() == game) {
            let place = match side {
                "white" => &mut pairing.white,
                "black" => &mut pairing.black,
                "red" => pairing.red.get_or_insert_default(),
                _ => pairing.blue.get_or_insert_default(),
            };
            place.clone_from(&player);
        }
        let corrected = Pairings { rounds: BTreeMap::from([(round, pairings)]), ..Pairings::default() };
        all.extend(hall.import(corrected, visitor.name.as_deref()).await.map_err(rounds::problem)?);
    }
    Ok(all)
}

/// Give games other boards
///
/// One game: whoever was to play at that board goes to the one that becomes free. Several: as it says, all at
/// once.
#[utoipa::path(
    put,
    path = "/api/v1/rounds/{round}/boards",
    tag = "pairings",
    params(("round" = u32, Path, description = "Number of the round", example = 5)),
    request_body(content = BTreeMap<String, String>, description = "Boards by the names of the games",
        example = json!({"5-12": "7"})),
    responses(
        (status = 200, description = "It was done and is on disk", body = Done, example = json!({"ok": true})),
        Malformed, LogIn, Forbidden, Unknown, Refused, TooLarge, Arguments, Closing,
    ),
)]
pub(in crate::web) async fn other_boards(
    State(desk): State<Desk>,
    Path(round): Path<u32>,
    visitor: Visitor,
    From(address): From,
    Json(boards): Json<BTreeMap<String, String>>,
) -> Result<Json<Done>, Problem> {
    visitor.must_be(Role::Operator)?;
    let hall = desk.hall()?;
    let known = hall.pairings();
    for (game, board) in &boards {
        if known.find(game).is_none_or(|pairing| pairing.round != round) {
            return Err(unknown(game));
        }
        if hall.opened(board).is_none() && known.iter().all(|pairing| pairing.board_name() != *board) {
            return Err(wrong(format!("no board is called \"{board}\"; /api/v1/boards lists them")));
        }
    }
    let detail = serde_json::to_string(&boards).unwrap_or_default();
    let entry =
        Entry::new("pairings-boards", visitor.name.as_deref(), visitor.role, Some(address)).detail(detail);
    let by = visitor.name.as_deref();
    let done = match boards.iter().next() {
        Some((game, board)) if boards.len() == 1 => hall.assign(board, game, by).await,
        _ => hall.reorder(round, &boards, by).await,
    };
    let done = done.map_err(rounds::problem);
    hall.auth.audit.write(&match &done {
        Ok(()) => entry,
        Err(problem) => entry.refused_because(problem),
    });
    done.map(|()| Done::answer())
}

fn unreadable(rejection: &BytesRejection) -> Problem {
    let status = rejection.status();
    let detail = if status == StatusCode::PAYLOAD_TOO_LARGE {
        format!("the file is larger than {FILE_BYTES} bytes; import one round or one event")
    } else {
        format!("the file cannot be read: {}", rejection.body_text())
    };
    Problem::new(status, detail)
}

fn wrong(detail: String) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, detail)
}

fn unknown(game: &str) -> Problem {
    let detail = format!("no pairing is called \"{game}\"; /api/v1/pairings lists them");
    Problem::new(StatusCode::NOT_FOUND, detail)
}
