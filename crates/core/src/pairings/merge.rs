//! What an import changes.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Pairing, Pairings};
use crate::event::Player;

/// What an import does to one game.
#[derive(utoipa::ToSchema, Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Round.
    pub round: u32,
    /// Number in the round, as it is afterwards.
    pub number: u32,
    /// Name of the game, as it is afterwards.
    pub game: String,
    /// What is done.
    pub kind: ChangeKind,
    /// The same for people: `White's Elo: 2500 → 2510`.
    pub what: String,
    /// The pairing before; none if it is new.
    pub before: Option<Pairing>,
    /// The pairing afterwards; none if it is withdrawn.
    pub after: Option<Pairing>,
}

/// Kinds of change.
#[derive(utoipa::ToSchema, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A pairing that there was not.
    Added,
    /// A pairing that says something else.
    Changed,
    /// The import does not have it, and it goes.
    Withdrawn,
    /// The import does not have it, but its game has begun: it stays.
    Kept,
}

impl ChangeKind {
    /// As JSON writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::Withdrawn => "withdrawn",
            Self::Kept => "kept",
        }
    }
}

impl Pairings {
    /// Takes `imported` over where no game has begun; says what that changes.
    pub fn merge(&mut self, imported: Self) -> Vec<Change> {
        self.merge_while(imported, |_| false)
    }

    /// Takes `imported` over; says what that changes, by round and number.
    ///
    /// It replaces the rounds that it contains and leaves the others. A pair whose game `has_begun` keeps its
    /// number, and stays even if the import does not have it. A board that was chosen for a number is kept
    /// unless the import names another one.
    pub(crate) fn merge_while(
        &mut self,
        imported: Self,
        has_begun: impl Fn(&Pairing) -> bool,
    ) -> Vec<Change> {
        self.event = imported.event.or_else(|| self.event.take());
        self.site = imported.site.or_else(|| self.site.take());
        self.time_control = imported.time_control.or_else(|| self.time_control.take());
        self.dates.extend(imported.dates);
        let mut changes = Vec::new();
        for (round, imported_round) in imported.rounds {
            let before = self.rounds.remove(&round).unwrap_or_default();
            let merged = Merged::new(&before, imported_round, imported.numbers_guessed, &has_begun);
            changes.extend(merged.changes);
            if !merged.round.is_empty() {
                self.rounds.insert(round, merged.round);
            }
        }
        changes
    }
}

/// A round after an import.
struct Merged {
    round: Vec<Pairing>,
    changes: Vec<Change>,
}

impl Merged {
    fn new(
        before: &[Pairing],
        mut imported: Vec<Pairing>,
        is_guess: bool,
        has_begun: impl Fn(&Pairing) -> bool,
    ) -> Self {
        imported.sort_by_key(|pairing| pairing.number);
        let former = partners(before, &imported, is_guess, &has_begun);
        let gone: Vec<&Pairing> = (0..before.len())
            .filter(|place| !former.contains(&Some(*place)))
            .map(|place| &before[place])
            .collect();
        let (kept, withdrawn): (Vec<&Pairing>, Vec<&Pairing>) =
            gone.into_iter().partition(|pairing| has_begun(pairing));
        let mut taken: BTreeSet<u32> = kept.iter().map(|pairing| pairing.number).collect();
        let former: Vec<Option<&Pairing>> = former.into_iter().map(|place| Some(&before[place?])).collect();
        let holds = |former: &Pairing| is_guess || has_begun(former);
        taken.extend(former.iter().flatten().filter(|former| holds(former)).map(|former| former.number));

        // What the import wants where it can be had, before others make do with what is left.
        let numbers: Vec<Option<u32>> = imported
            .iter()
            .zip(&former)
            .map(|(pairing, former)| match former {
                Some(former) if holds(former) => Some(former.number),
                _ => taken.insert(pairing.number).then_some(pairing.number),
            })
            .collect();

        let mut changes: Vec<Change> = Vec::new();
        let mut round: Vec<Pairing> = Vec::new();
        for ((mut pairing, former), number) in imported.into_iter().zip(former).zip(numbers) {
            let wanted = pairing.number;
            pairing.number = number.unwrap_or_else(|| free(&mut taken, former.map(|former| former.number)));
            // No file knows of it.
            let same = former.filter(|former| shares_a_player(former, &pairing));
            pairing.postponed = same.and_then(|former| former.postponed.clone());
            if let Some(former) = former
                && former.number == pairing.number
            {
                pairing.board = pairing.board.or_else(|| former.board.clone());
            }
            changes.extend(change(former, &pairing, wanted, is_guess));
            round.push(pairing);
        }
        for pairing in kept {
            changes.push(Change {
                kind: ChangeKind::Kept,
                what: format!("{}: not in the file, but the game has begun", pairing.title()),
                before: Some(pairing.clone()),
                ..Change::of(pairing)
            });
            round.push(pairing.clone());
        }
        for pairing in withdrawn {
            changes.push(Change {
                kind: ChangeKind::Withdrawn,
                before: Some(pairing.clone()),
                after: None,
                ..Change::of(pairing)
            });
        }
        round.sort_by_key(|pairing| pairing.number);
        changes.sort_by_key(|change| (change.number, change.kind));
        Self { round, changes }
    }
}

/// The pairing before that each imported one stands for, by its place: the one of the same two players, else
/// the one of the same number. In a game that has begun one player may be put right, or the colours; two others
/// are another game.
///
/// Where two players meet more than once, each of their games is the one of the same number, or the one of which
/// everything else is the same: that comes first where numbers are guessed.
fn partners(
    before: &[Pairing],
    imported: &[Pairing],
    is_guess: bool,
    has_begun: impl Fn(&Pairing) -> bool,
) -> Vec<Option<usize>> {
    let mut left: BTreeMap<usize, &Pairing> = before.iter().enumerate().collect();
    let mut find = |is_it: &dyn Fn(&Pairing) -> bool| {
        let place = left.iter().find(|(_, pairing)| is_it(pairing)).map(|(place, _)| *place)?;
        left.remove(&place).map(|_| place)
    };
    let is_of_number =
        |other: &Pairing, pairing: &Pairing| other.number == pairing.number && is_same_pair(other, pairing);
    let is_same = |other: &Pairing, pairing: &Pairing| {
        let (number, postponed) = (other.number, other.postponed.clone());
        *other == Pairing { number, postponed, ..pairing.clone() }
    };
    let mut found = vec![None; imported.len()];
    for by_number in [!is_guess, is_guess] {
        let is_it = |other: &Pairing, pairing: &Pairing| {
            if by_number { is_of_number(other, pairing) } else { is_same(other, pairing) }
        };
        for (pairing, found) in imported.iter().zip(&mut found) {
            *found = found.or_else(|| find(&|other| is_it(other, pairing)));
        }
    }
    for (pairing, found) in imported.iter().zip(&mut found) {
        *found = found.or_else(|| find(&|other| is_same_pair(other, pairing)));
    }
    for (pairing, found) in imported.iter().zip(&mut found) {
        *found = found.or_else(|| {
            find(&|other| {
                other.number == pairing.number && (!has_begun(other) || shares_a_player(other, pairing))
            })
        });
    }
    found
}

fn is_same_pair(one: &Pairing, other: &Pairing) -> bool {
    let is_same = |(one, other): (&Option<Player>, &Option<Player>)| match (one, other) {
        (Some(one), Some(other)) => is_same_person(one, other),
        (None, None) => true,
        _ => false,
    };
    is_same_person(&one.white, &other.white)
        && is_same_person(&one.black, &other.black)
        && [(&one.red, &other.red), (&one.blue, &other.blue)].into_iter().all(is_same)
}

fn shares_a_player(one: &Pairing, other: &Pairing) -> bool {
    one.players().any(|(_, player)| other.players().any(|(_, other)| is_same_person(player, other)))
}

pub(super) fn is_same_person(one: &Player, other: &Player) -> bool {
    match (one.fide_id, other.fide_id) {
        (Some(one), Some(other)) => one == other,
        _ => one.name == other.name,
    }
}

/// A number that nobody has: the former one, else the lowest.
fn free(taken: &mut BTreeSet<u32>, former: Option<u32>) -> u32 {
    let mut numbers = former.into_iter().chain(1..);
    let number = numbers.find(|number| taken.insert(*number));
    number.expect("there are more numbers than pairings")
}

/// What became of `before`, if anything did.
fn change(before: Option<&Pairing>, after: &Pairing, wanted: u32, is_guess: bool) -> Option<Change> {
    let elsewhere = (after.number != wanted && !is_guess)
        .then(|| format!("number {}, not {wanted}: a game has begun there", after.number));
    let Some(before) = before else {
        let what = std::iter::once(after.title()).chain(elsewhere).collect::<Vec<_>>().join("; ");
        return Some(Change { what, ..Change::of(after) });
    };
    let what: Vec<String> = differences(before, after).into_iter().chain(elsewhere).collect();
    (!what.is_empty()).then(|| Change {
        kind: ChangeKind::Changed,
        what: what.join("; "),
        before: Some(before.clone()),
        ..Change::of(after)
    })
}

impl Change {
    /// The coming of `pairing`.
    fn of(pairing: &Pairing) -> Self {
        Self {
            round: pairing.round,
            number: pairing.number,
            game: pairing.game(),
            kind: ChangeKind::Added,
            what: pairing.title(),
            before: None,
            after: Some(pairing.clone()),
        }
    }
}

/// What differs, one text a field.
fn differences(before: &Pairing, after: &Pairing) -> Vec<String> {
    let mut rows = vec![("number".to_owned(), before.number.to_string(), after.number.to_string())];
    rows.push(("board".to_owned(), before.board_name(), after.board_name()));
    let place = |pairing: &Pairing| {
        pairing.team_match.map_or_else(none, |place| format!("{}.{}", place.number, place.board))
    };
    rows.push(("match".to_owned(), place(before), place(after)));
    rows.push(("result".to_owned(), or_none(before.result.as_ref()), or_none(after.result.as_ref())));
    let or_nobody = |player: &'_ Option<Player>| player.clone().unwrap_or_default();
    for (side, before, after) in [
        ("Red", &or_nobody(&before.red), &or_nobody(&after.red)),
        ("White", &before.white, &after.white),
        ("Blue", &or_nobody(&before.blue), &or_nobody(&after.blue)),
        ("Black", &before.black, &after.black),
    ] {
        let fields = fields(before).into_iter().zip(fields(after));
        rows.extend(fields.map(|((field, before), (_, after))| (format!("{side}{field}"), before, after)));
    }
    // A number that moves takes its board along.
    let moved = before.number != after.number && before.board.is_none() && after.board.is_none();
    rows.into_iter()
        .filter(|(field, before, after)| before != after && !(moved && field == "board"))
        .map(|(field, before, after)| format!("{field}: {before} → {after}"))
        .collect()
}

fn fields(player: &Player) -> [(&'static str, String); 6] {
    [
        ("", or_none(player.name.as_ref())),
        ("'s title", or_none(player.title.as_ref())),
        ("'s FIDE id", or_none(player.fide_id.as_ref())),
        ("'s federation", or_none(player.federation.as_ref())),
        ("'s Elo", or_none(player.elo.as_ref())),
        ("'s team", or_none(player.team.as_ref())),
    ]
}

fn or_none(value: Option<&impl ToString>) -> String {
    value.map_or_else(none, ToString::to_string)
}

fn none() -> String {
    "none".to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pairing(number: u32, white: &str, black: &str) -> Pairing {
        let player = |name: &str| Player { name: Some(name.to_owned()), ..Player::default() };
        Pairing { round: 5, number, white: player(white), black: player(black), ..Pairing::default() }
    }

    fn round(pairings: &[Pairing]) -> Pairings {
        Pairings { rounds: BTreeMap::from([(5, pairings.to_vec())]), ..Pairings::default() }
    }

    fn said(changes: &[Change]) -> String {
        let lines =
            changes.iter().map(|change| format!("{} {}: {}", change.game, change.kind.name(), change.what));
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn an_import_says_what_it_changes() {
        let mut pairings = Pairings::default();
        pairings.merge(round(&[pairing(1, "A", "B"), pairing(2, "C", "D"), pairing(3, "E", "F")]));
        let mut corrected = pairing(1, "A", "B");
        corrected.white.elo = Some(2400);
        corrected.board = Some("9".to_owned());
        let changes = pairings.merge(round(&[corrected, pairing(2, "D", "C"), pairing(4, "G", "H")]));
        insta::assert_snapshot!(said(&changes), @r#"
        5-1 changed: board: 1 → 9; White's Elo: none → 2400
        5-2 changed: White: C → D; Black: D → C
        5-3 withdrawn: E – F
        5-4 added: G – H
        "#);
        assert_eq!(pairings.rounds[&5].len(), 3);
    }

    #[test]
    fn a_game_that_has_begun_keeps_its_number_and_its_players() {
        let mut pairings = round(&[pairing(1, "A", "B"), pairing(2, "C", "D"), pairing(3, "E", "F")]);
        let begun = |pairing: &Pairing| pairing.number <= 2;
        // 1 and 3 change places in the file, 2 is not in it, and a new pair has its number.
        let imported = round(&[pairing(1, "E", "F"), pairing(2, "G", "H"), pairing(3, "A", "B")]);
        let changes = pairings.merge_while(imported, begun);
        insta::assert_snapshot!(said(&changes), @r#"
        5-1 changed: number 1, not 3: a game has begun there
        5-2 kept: C – D: not in the file, but the game has begun
        5-3 changed: number 3, not 1: a game has begun there
        5-4 added: G – H; number 4, not 2: a game has begun there
        "#);
        assert_eq!(pairings.rounds[&5][0], pairing(1, "A", "B"));
    }

    #[test]
    fn guessed_numbers_move_nobody() {
        let mut pairings = round(&[pairing(1, "A", "B"), pairing(2, "C", "D")]);
        let mut guess = round(&[pairing(1, "G", "H"), pairing(2, "C", "D"), pairing(3, "A", "B")]);
        guess.numbers_guessed = true;
        let changes = pairings.merge(guess);
        insta::assert_snapshot!(said(&changes), @"5-3 added: G – H");
        assert_eq!(pairings.rounds[&5][..2], [pairing(1, "A", "B"), pairing(2, "C", "D")]);
    }

    /// The same two twice in a round: a slip in the file, or a match of two games.
    #[test]
    fn games_of_the_same_two_do_not_change_places() {
        let mut pairings = round(&[pairing(2, "E", "F"), pairing(7, "E", "A")]);
        let at_board = Pairing { board: Some("1".to_owned()), ..pairing(7, "E", "F") };
        let mut guess = round(&[pairing(1, "E", "A"), pairing(3, "E", "F"), at_board]);
        guess.numbers_guessed = true;
        insta::assert_snapshot!(said(&pairings.merge(guess.clone())), @"5-1 added: E – F");
        assert_eq!(pairings.merge(guess), []);
        // A number that was guessed says less than everything else.
        let rated = |number: u32| {
            let mut rated = pairing(number, "D", "F");
            rated.white.elo = Some(2400);
            rated
        };
        let mut pairings = round(&[rated(2), pairing(6, "B", "D")]);
        let mut guess = round(&[rated(1), pairing(2, "B", "D"), pairing(6, "D", "F")]);
        guess.numbers_guessed = true;
        insta::assert_snapshot!(said(&pairings.merge(guess.clone())), @"5-1 added: D – F");
        assert_eq!(pairings.merge(guess), []);
    }

    #[test]
    fn four_players_are_compared_one_by_one() {
        let player = |name: &str| Some(Player { name: Some(name.to_owned()), ..Player::default() });
        let four =
            |red: &str, blue: &str| Pairing { red: player(red), blue: player(blue), ..pairing(1, "B", "D") };
        let mut pairings = round(&[four("A", "C")]);
        assert_eq!(pairings.merge(round(&[four("A", "C")])), []);
        let changes = pairings.merge_while(round(&[four("A", "X")]), |_| true);
        insta::assert_snapshot!(said(&changes), @"5-1 changed: Blue: C → X");
        // The partner of somebody is enough for the game to be the same; two others are another game.
        let others = Pairing { white: player("Y").unwrap(), black: player("Z").unwrap(), ..four("P", "Q") };
        let changes = pairings.merge_while(round(&[others]), |_| true);
        insta::assert_snapshot!(said(&changes), @r#"
    5-1 kept: A + X – B + D: not in the file, but the game has begun
    5-2 added: P + Q – Y + Z; number 2, not 1: a game has begun there
    "#);
    }

    #[test]
    fn a_running_game_is_put_right() {
        let mut pairings = round(&[pairing(1, "A", "B"), pairing(2, "C", "D")]);
        let changes = pairings.merge_while(round(&[pairing(1, "A", "X"), pairing(2, "D", "C")]), |_| true);
        insta::assert_snapshot!(said(&changes), @r#"
        5-1 changed: Black: B → X
        5-2 changed: White: C → D; Black: D → C
        "#);
    }

    /// A round of pairings among few players, each number once.
    fn rounds() -> impl Strategy<Value = Pairings> {
        let pair = (0_u8..6, 0_u8..6, prop::option::of(2400_u32..2403), prop::option::of("[1-3]"));
        prop::collection::btree_map(1_u32..8, pair, 0..6).prop_map(|pairs| {
            let name = |player: u8| char::from(b'A' + player).to_string();
            let all = pairs.into_iter().map(|(number, (white, black, elo, board))| {
                let mut pairing = pairing(number, &name(white), &name(black));
                (pairing.white.elo, pairing.board) = (elo, board);
                pairing
            });
            round(&all.collect::<Vec<_>>())
        })
    }

    proptest! {
        #[test]
        fn what_is_imported_twice_changes_nothing(
            before in rounds(), imported in rounds(), begun: u8, guessed: bool,
        ) {
            let imported = Pairings { numbers_guessed: guessed, ..imported };
            let has_begun = |pairing: &Pairing| begun >> pairing.number & 1 == 1;
            let mut pairings = before;
            pairings.merge(imported.clone());
            let once = pairings.clone();
            prop_assert_eq!(pairings.merge(imported.clone()), []);
            prop_assert_eq!(&pairings, &once);
            // Nor does it where games began since.
            let changes = pairings.merge_while(imported, has_begun);
            prop_assert!(changes.iter().all(|change| change.kind == ChangeKind::Kept), "{}", said(&changes));
        }

        #[test]
        fn the_order_of_pairings_does_not_matter(before in rounds(), imported in rounds(), begun: u8) {
            let has_begun = |pairing: &Pairing| begun >> pairing.number & 1 == 1;
            let mut reversed = imported.clone();
            reversed.rounds.values_mut().for_each(|round| round.reverse());
            let (mut one, mut other) = (before.clone(), before);
            let changes = one.merge_while(imported, has_begun);
            prop_assert_eq!(changes, other.merge_while(reversed, has_begun));
            prop_assert_eq!(one, other);
        }

        #[test]
        fn nothing_that_began_is_lost_and_no_number_is_there_twice(
            before in rounds(), imported in rounds(), begun: u8, guessed: bool,
        ) {
            let imported = Pairings { numbers_guessed: guessed, ..imported };
            let has_begun = |pairing: &Pairing| begun >> pairing.number & 1 == 1;
            let mut pairings = before.clone();
            pairings.merge_while(imported.clone(), has_begun);
            let numbers: Vec<u32> = pairings.iter().map(|pairing| pairing.number).collect();
            prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", numbers);
            for pairing in before.iter().filter(|pairing| has_begun(pairing)) {
                let now = pairings.find(&pairing.game());
                prop_assert!(now.is_some_and(|now| shares_a_player(now, pairing)), "{:?}", pairing);
            }
            for pairing in imported.iter() {
                prop_assert!(pairings.iter().any(|now| is_same_pair(now, pairing)), "{:?}", pairing);
            }
        }
    }
}
