//! `adoube demo --incidents`: the arbiter rules on everything that goes wrong in it, by clicks and keys, and each ruling is
//! carried to its end.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::browser::browser;
use crate::children::{Ended, Lines};
use crate::daemon::nowhere;
use crate::http::{get, parts};

use super::desk::Desk;
use super::movetext;

/// A walk takes half a minute of the hall; on a busy machine it may be held up.
const PATIENCE: Duration = Duration::from_secs(120);
/// What is common takes two clicks at most from the alarm to the ruling.
const COMMON: [&str; 5] = ["illegal-move", "second-illegal-move", "touch-move", "flag", "flag-bare-king"];

/// What is in the PGN of the pairing of that number afterwards.
const PGN: [(u32, &str); 21] = [
    (1, "1. e4 e5 2. Nf3 Nc6 *"),
    (2, "1. e4 e5 0-1"),
    (3, "1. e4 e5 2. Nf3 Nc6 *"),
    (4, "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 1/2-1/2"),
    (5, "80. Ra1 Ke5 1/2-1/2"),
    (6, "1. e4 e5 0-1"),
    (7, "1. Ra7 Kd8 1/2-1/2"),
    (8, "1. e4 e5 2. Nf3 Nc6 *"),
    (9, "1. e4 e5 2. Nf3 *"),
    (10, "1. e4 e5 2. Nf3 Nc6 *"),
    (12, "1. d4 d5 *"),
    (13, "1. e4 e5 2. Nf3 *"),
    (14, "*"),
    (15, "1. e4 *"),
    (16, "*"),
    (17, "1. e4 e5 2. Bc4 Nc6 *"),
    (18, "1. Re3+ Kd8 0-1"),
    (19, "1. e4 e5 2. Nf3 Nc6 *"),
    (20, "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 *"),
    (21, "1. e4 e5 2. Nf3 Nc6 *"),
    (22, "1. e4 e5 2. Nf3 *"),
];

/// What the printed reports say of what was decided about a record.
const PRINTED: [(&str, &str); 8] = [
    (
        "illegal-move",
        "confirmed; Position after 1… e5: done; Clock of White (White 1): #: done; \
         Clock of Black (Black 1): # (+2:00 with it): done; Clock of White (White 1) runs: done",
    ),
    ("second-illegal-move", "confirmed 0–1"),
    (
        "touch-move",
        "confirmed; Position after 1… e5: done; Clock of White (White 3): #: done; \
         Clock of Black (Black 3): #: done; Clock of White (White 3) runs: done",
    ),
    ("threefold", "confirmed ½–½"),
    ("fifty-moves", "confirmed ½–½"),
    ("flag", "confirmed 0–1"),
    ("flag-bare-king", "confirmed ½–½"),
    (
        "wrong-claim",
        "rejected; Clock of White (White 8): # (+2:00 with it): done; Clock of Black (Black 8): #: done; \
         Clock of Black (Black 8) runs: done",
    ),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn everything_that_goes_wrong_is_ruled_on_to_its_end() {
    let Some(browser) = browser().await else { return };
    let runtime = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_adoube"));
    command.args(["demo", "--incidents", "--speed", "8"]);
    command.env("RUNTIME_DIRECTORY", runtime.path()).stderr(nowhere()).stdout(Stdio::piped());
    let mut drill = Ended(command.spawn().unwrap());
    let lines = Lines::of(&mut drill.0);
    let link = lines.next(PATIENCE);
    let (address, _) = parts(&link);
    let mut desk = Desk::open(browser, &link).await;
    let (mut taken, mut decided) = (Vec::new(), Vec::with_capacity(PRINTED.len()));
    for _ in 0..19 {
        let begun = lines.next(PATIENCE);
        let (name, board) =
            begun.split_once(' ').unwrap().1.trim().split_once(", board ").unwrap_or_default();
        let name = name.rsplit(' ').next().unwrap().to_owned();
        desk.board = board.split_once(':').unwrap().0.to_owned();
        desk.acts.set(0);
        if let Some(told) = tells(&name).then(|| lines.next(PATIENCE)) {
            assert!(told.starts_with("      board "), "{told}");
        }
        let record = rules(&desk, &name).await;
        taken.push((name.clone(), desk.acts.get()));
        decided.extend(record.map(|record| (name.clone(), record)));
        let verdict = lines.next(PATIENCE);
        assert!(verdict.starts_with(&format!("      ok   {name}, in ")), "{begun}\n{verdict}\n{taken:?}");
    }
    assert_eq!(lines.next(PATIENCE), "19 of 19 as they should be");
    for (name, acts) in &taken {
        assert!(*acts <= 2 || !COMMON.contains(&name.as_str()), "{taken:?}");
    }
    for (number, expected) in PGN {
        let pgn = get(address, &format!("/api/v1/games/1-{number}.pgn")).await;
        assert_eq!(movetext(&pgn.body), expected, "1-{number}: {pgn:?}");
    }
    assert_eq!(decided.len(), PRINTED.len(), "{decided:?}");
    for (record, (name, expected)) in decided.into_iter().zip(PRINTED) {
        assert_eq!((record.0.as_str(), printed(&desk, record.1).await.as_str()), (name, expected));
    }
    desk.close().await;
}

/// What the printed report says became of a record, and what was carried out for it; where times stand, `#`.
async fn printed(desk: &Desk, record: u64) -> String {
    desk.go(&format!("#/report/record/{record}"), "report").await;
    desk.sees(&format!("/No\\. {record}\\b/.test(document.querySelector('.report-view').innerText)")).await;
    let facts = desk.texts(".report-view .paper-facts.two dd").await;
    let cells = desk.texts(".report-view .carried-out td").await;
    let is_result = |fact: &&String| ["0–1", "½–½"].contains(&fact.as_str());
    let is_of_time = |word: &str| word.matches(':').count() == 2;
    let masked = |cell: &String| -> String {
        let words: Vec<&str> =
            cell.split(' ').map(|word| if is_of_time(word) { "#" } else { word }).collect();
        words.join(" ")
    };
    let decided = facts[1].clone()
        + &facts.iter().find(is_result).map_or_else(String::new, |result| format!(" {result}"));
    let done = cells.chunks(2).map(|row| format!("{}: {}", masked(&row[0]), row[1]));
    [decided].into_iter().chain(done).collect::<Vec<_>>().join("; ")
}

/// A player says something that no board can.
fn tells(name: &str) -> bool {
    let said =
        ["threefold", "fifty-moves", "wrong-claim", "boards-exchanged", "pairing-changed", "postponed"];
    said.contains(&name) || ["adjourned", "wrong-result"].contains(&name)
}

/// The number of the board after the one at which the arbiter is.
fn next(desk: &Desk) -> String {
    (desk.board.parse::<u32>().unwrap() + 1).to_string()
}

/// What a good arbiter does; gives the record that was decided, if it was one.
async fn rules(desk: &Desk, name: &str) -> Option<u64> {
    match name {
        common if COMMON.contains(&common) => return Some(desk.confirms_gravest().await),
        "threefold" => {
            return Some(
                claims(desk, "claim-threefold-intended", &[("side", "black"), ("move", "Ng8")]).await,
            );
        }
        "fifty-moves" => {
            return Some(
                claims(desk, "claim-fifty-moves-intended", &[("side", "white"), ("move", "Ra3")]).await,
            );
        }
        "wrong-claim" => {
            desk.rules("claim-threefold", &[("side", "black")]).await;
            let claim = desk.opens_gravest().await;
            desk.decides_at_once(claim, "[data-act=x]", "rejected").await;
            return Some(claim);
        }
        "displaced" | "cable-out" | "dead-square" | "clock-out" | "board-turned" => {}
        "dead-board" => {
            desk.go("#/", "list").await;
            desk.finds(&format!(".row[data-board='{}'] .badges a", desk.board)).await;
            desk.rules("move-to-board", &[("board", &next(desk))]).await;
        }
        "boards-exchanged" => desk.rules("exchange-boards", &[("board", &next(desk))]).await,
        "pairing-changed" => corrects(desk, "select", &next(desk)).await,
        "postponed" => corrects(desk, ".correction-until", "tomorrow at ten").await,
        "adjourned" => {
            desk.rules("adjourn", &[("side", "white")]).await;
            desk.rules("seal-move", &[("text", "Bc4")]).await;
            desk.rules("resume-game", &[]).await;
        }
        "wrong-result" => desk.rules("change-result", &[("value", "0-1")]).await,
        other => panic!("nobody knows what to do about {other}"),
    }
    None
}

/// Enters a claim and confirms it.
async fn claims(desk: &Desk, claim: &str, arguments: &[(&str, &str)]) -> u64 {
    desk.rules(claim, arguments).await;
    desk.confirms_gravest().await
}

/// Corrects the pairing of the board.
async fn corrects(desk: &Desk, field: &str, value: &str) {
    desk.go("#/pairings", "pairings").await;
    desk.click(&format!(".pairing[data-game='1-{}'] [data-act=correct]", desk.board)).await;
    desk.writes(&format!(".correction {field}"), value).await;
    desk.click(".correction button[type=submit]").await;
}
