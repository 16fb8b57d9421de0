use std::collections::BTreeMap;
use std::ops::Range;

use super::super::act::Surface;
use super::super::{random_play, samples};
use super::*;
use adoube_rules::four::FourPlayer;
use adoube_rules::square::Square;
use adoube_rules::stamp::MS;

const LEVELS: [Noise; 3] = [Noise::Clean, Noise::Light, Noise::Heavy];

fn manner(noise: Noise, seed: u64) -> Manner {
    Manner { noise, seed, clock: true, signal_result: false }
}

/// How often each tag comes in many random games.
fn tags(noise: Noise) -> (BTreeMap<&'static str, usize>, usize) {
    let mut counts = BTreeMap::new();
    let mut plies = 0;
    for seed in 0..60 {
        let performance = perform(&samples::random_game(seed, 200), manner(noise, seed));
        plies += performance.truth.len();
        for tag in performance.truth.iter().flat_map(|truth| &truth.tags) {
            *counts.entry(*tag).or_insert(0) += 1;
        }
    }
    (counts, plies)
}

#[test]
fn the_same_seed_gives_the_same_acts() {
    let game = samples::game(samples::CASTLES_AND_PROMOTES);
    assert_eq!(perform(&game, manner(Noise::Heavy, 7)), perform(&game, manner(Noise::Heavy, 7)));
    assert_ne!(perform(&game, manner(Noise::Heavy, 7)).acts, perform(&game, manner(Noise::Heavy, 8)).acts);
}

/// Plays `game` at every level, and compares the board with the position after each ply.
fn stands_as_the_positions_say<V: Variant>(game: &Game<V>, seeds: Range<u64>) {
    for (noise, seed) in LEVELS.into_iter().flat_map(|noise| seeds.clone().map(move |seed| (noise, seed))) {
        let performance = perform(game, manner(noise, seed));
        let mut position = game.start.clone();
        let mut surface = Surface::new(&game.men());
        // Sorted by ply, and within one by time: a reply may begin before the release.
        let mut acts = performance.acts.clone();
        acts.sort_by_key(|act| act.ply);
        let mut acts = acts.into_iter().peekable();
        for (ply, &mv) in (1u32..).zip(&game.moves) {
            position = position.play(mv);
            while let Some(act) = acts.next_if(|act| act.ply <= ply) {
                surface.apply(act.act, act.at_ns);
            }
            let tags = &performance.truth[ply as usize - 1].tags;
            let men: Vec<Content> =
                (0..V::SQUARES as u8).map(|square| position.content(Square::new(square))).collect();
            assert_eq!(surface.standing(), men, "{mv:?} {tags:?}");
        }
    }
}

#[test]
fn after_each_ply_the_board_stands_as_the_position_says() {
    for game in samples::games() {
        stands_as_the_positions_say(&game, 1..4);
    }
}

#[test]
fn on_160_squares_it_does_so_too() {
    for seed in 0..4 {
        stands_as_the_positions_say(&random_play::<FourPlayer>(seed, 160), seed..seed + 1);
    }
}

/// Hands of four players do all that those of two do, but for what is rare.
#[test]
fn four_players_have_the_same_habits() {
    let mut counts = BTreeMap::new();
    for seed in 0..6 {
        let game = random_play::<FourPlayer>(seed, 200);
        for tag in perform(&game, manner(Noise::Heavy, seed)).truth.iter().flat_map(|truth| &truth.tags) {
            *counts.entry(*tag).or_insert(0) += 1;
        }
    }
    for tag in ["slide", "adjust:own", "adjust:opp", "halfway:touch", "pushed", "capture:swap", "bounce"] {
        assert!(counts.contains_key(tag), "{tag}: {counts:?}");
    }
    assert!(counts.keys().any(|tag| tag.starts_with("castle:")), "{counts:?}");
}

/// At the time that the truth names, and not before, the position stands.
#[test]
fn the_truth_names_the_instant_at_which_the_last_man_rests() {
    let game = samples::game(samples::CASTLES_AND_PROMOTES);
    let performance = perform(&game, manner(Noise::Clean, 3));
    let mut position = game.start.clone();
    for (truth, &mv) in performance.truth.iter().zip(&game.moves) {
        position = position.play(mv);
        let stands = |until_ns: u64| {
            let mut surface = Surface::new(&game.start.contents());
            for act in performance.acts.iter().filter(|act| act.at_ns <= until_ns) {
                surface.apply(act.act, act.at_ns);
            }
            surface.standing().to_vec() == position.contents()
        };
        assert!(stands(truth.placed_ns) && !stands(truth.placed_ns - 1), "{truth:?}");
        assert!(truth.lifted_ns < truth.placed_ns);
        assert!(truth.pressed_ns.is_some_and(|pressed_ns| pressed_ns > truth.placed_ns));
    }
}

#[test]
fn captures_come_in_the_orders_of_the_recorded_boards() {
    let (counts, _) = tags(Noise::Light);
    let count = |tag| counts.get(tag).copied().unwrap_or(0) as f64;
    let orders =
        ["capture:swap", "capture:captured_first", "capture:own_first", "capture:placed_first"].map(count);
    let all: f64 = orders.iter().sum();
    assert!(all > 1_000.0, "{all}");
    for (share, wanted) in orders.map(|n| n / all).into_iter().zip([0.70, 0.20, 0.09, 0.01]) {
        assert!((share - wanted).abs() < 0.03, "{share} for {wanted}");
    }
}

#[test]
fn clean_hands_do_nothing_besides() {
    let (counts, _) = tags(Noise::Clean);
    for tag in counts.keys() {
        let ordinary =
            ["plain", "capture:", "castle:", "ep:", "promo:"].iter().any(|name| tag.starts_with(name));
        assert!(ordinary, "{tag}");
    }
}

#[test]
fn heavy_hands_do_everything() {
    let (counts, plies) = tags(Noise::Heavy);
    for tag in
        ["slide", "hesitate", "adjust:own", "adjust:opp", "halfway:touch", "halfway:air", "bounce", "pushed"]
    {
        assert!(counts.contains_key(tag), "{tag}");
    }
    for tag in ["placed_first", "reply:instant", "reply:before_press", "reply:before_release", "press:late"] {
        assert!(counts.contains_key(tag), "{tag}");
    }
    let adjusted = (counts["adjust:own"] + counts["adjust:opp"]) as f64 / plies as f64;
    assert!((adjusted - 0.12).abs() < 0.03, "{adjusted}");
}

#[test]
fn the_lever_goes_to_and_fro() {
    for noise in LEVELS {
        let performance = perform(&samples::random_game(5, 200), manner(noise, 5));
        let presses: Vec<Side> = performance
            .acts
            .iter()
            .filter_map(|act| if let Act::Press(side) = act.act { Some(side) } else { None })
            .collect();
        let pressed = performance.truth.iter().filter(|truth| truth.pressed_ns.is_some()).count();
        assert!(presses.len() == pressed && pressed > 90, "{pressed}");
        for (index, &side) in presses.iter().enumerate() {
            assert_eq!(side, Side::BOTH[index % 2], "press {index}");
        }
    }
}

#[test]
fn without_a_clock_nobody_presses() {
    let game = samples::game(samples::LONG_CASTLES);
    let performance = perform(&game, Manner { clock: false, ..manner(Noise::Light, 1) });
    assert!(
        performance
            .acts
            .iter()
            .all(|act| !matches!(act.act, Act::Press(_) | Act::StartClock | Act::StopClock))
    );
    assert!(performance.truth.iter().all(|truth| truth.pressed_ns.is_none()));
}

#[test]
fn the_kings_signal_the_result_and_are_both_lifted_first() {
    for result in [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw] {
        for seed in 0..20 {
            let game = Game { result: Some(result), ..samples::random_game(seed, 60) };
            let performance = perform(&game, Manner { signal_result: true, ..manner(Noise::Clean, seed) });
            let mut surface = Surface::new(&game.start.contents());
            for act in &performance.acts {
                surface.apply(act.act, act.at_ns);
            }
            let signal = Chess::king_signal(surface.standing()).expect("kings in the centre");
            assert_eq!(signal.result, result);
            let last = performance.acts.last().expect("some acts");
            assert!(performance.end_ns >= last.at_ns + 5_000 * MS);
        }
    }
}
