//! Sessions that are saved and resumed, against simulated boards.

use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::{Value, json};

use adoube_core::wire::*;
use adoube_rules::pgn::read_games;
use adoube_rules::sensor::{Content, Side};
use adoube_rules::square::Square;
use adoube_rules::stamp::{MS, SECOND};
use adoube_sim::{BoardConfig, ClockSetting, Game, Noise, VirtualBoard};

/// En passant, a promotion with a capture, castling: what a session learns of its men it learns here.
const GAME: &str = "1. e4 a6 2. e5 d5 3. exd6 Bf5 4. dxc7 Nc6 5. cxd8=Q+ Rxd8 6. Nf3 e6 7. Bd3 Bxd3 8. O-O *";
/// How long a conversation is: every timer but the slowest fires in it.
const LENGTH_NS: u64 = 30 * SECOND;
/// The number of the board, and its address on a bus.
const SERIAL: u16 = 1;
/// A bus is silent but for its master, which asks so often.
const MASTER_NS: u64 = 500 * MS;

/// What happens to a session.
#[derive(Debug, Clone)]
enum Happening {
    Up,
    Down,
    Bytes(Vec<u8>),
    Wake,
    Announce(Announcement),
}

/// What happens beside the game.
#[derive(Debug, Clone)]
enum Disturbance {
    /// These bytes come besides.
    Noise(Vec<u8>),
    /// What the board says is not heard so long.
    Silence(u64),
    /// The link is down so long.
    Break(u64),
    Announce(Announcement),
}

/// How a conversation goes, and when one of the two that hold it is saved and resumed.
#[derive(Debug, Clone)]
struct Plan {
    config: BoardConfig,
    /// What comes at once is cut into pieces so long.
    piece: usize,
    disturbances: Vec<(u64, Disturbance)>,
    first: usize,
    every: usize,
}

fn plan() -> impl Strategy<Value = Plan> {
    let noise = prop::sample::select(vec![Noise::Clean, Noise::Light, Noise::Heavy]);
    let fault_rate = prop::sample::select(vec![0.0, 0.001]);
    let board = (any::<u64>(), noise, fault_rate, any::<[bool; 3]>()).prop_map(
        |(seed, noise, fault_rate, [has_clock, occupancy, turned])| {
            let clock = has_clock.then(|| ClockSetting::equal(60, 1));
            let serial = u32::from(SERIAL);
            BoardConfig {
                noise,
                seed,
                serial,
                turned,
                clock,
                occupancy,
                fault_rate,
                ..BoardConfig::default()
            }
        },
    );
    let disturbances = prop::collection::vec((0..LENGTH_NS, disturbance()), 0..12);
    (board, 1usize..400, disturbances, 0usize..400, 1usize..100).prop_map(
        |(config, piece, mut disturbances, first, every)| {
            disturbances.sort_by_key(|(at_ns, _)| *at_ns);
            Plan { config, piece, disturbances, first, every }
        },
    )
}

fn disturbance() -> impl Strategy<Value = Disturbance> {
    prop_oneof![
        3 => prop::sample::select(words()).prop_map(Disturbance::Noise),
        2 => prop::collection::vec(any::<u8>(), 0..40).prop_map(Disturbance::Noise),
        // More than a sender can say that makes no sense.
        1 => Just(Disturbance::Noise(vec![0x55; 9_000])),
        1 => (0..25 * SECOND).prop_map(Disturbance::Silence),
        2 => (0..3 * SECOND).prop_map(Disturbance::Break),
        4 => announcement().prop_map(Disturbance::Announce),
    ]
}

fn announcement() -> impl Strategy<Value = Announcement> {
    let squares = || prop::collection::vec((0..64_u8).prop_map(Square::new), 0..6);
    let running = prop::option::of(prop::sample::select(Side::BOTH.to_vec()));
    prop_oneof![
        squares().prop_map(|squares| Announcement::Move { squares, text: "e7-e5".to_owned() }),
        Just(Announcement::Text("check".to_owned())),
        squares().prop_map(Announcement::Squares),
        Just(Announcement::Clear),
        (0u64..9_000_000, 0u64..9_000_000, running)
            .prop_map(|(left, right, running)| Announcement::Times { left_ms: [left, right], running }),
    ]
}

/// What boards say now and then, and simulated ones do not; a word of one protocol is noise in another.
fn words() -> Vec<Vec<u8>> {
    let empty = || Box::new([Content::EMPTY; 64]);
    let refusal = dgt::ClockAck { result: dgt::AckResult::Refused, about: 0x0a, value: 0, detail: 0 };
    let on_bus = |message| dgt::bus::Packet::new(SERIAL, &message).bytes().to_vec();
    // A list of pieces; a press; a start array.
    let changes = [&[0x7b, 0x43, 0x3c, 0x44, 0x3d][..], &[0x60, 0x04, 0x59], &[0x6f, 0x60, 0x04, 0x58]];
    let changes =
        changes.map(|records| on_bus(dgt::bus::Message::Changes { records: records.to_vec(), even: false }));
    let mut words = vec![
        dgt::Message::LongSerial("3.36012345".to_owned()).encode(),
        dgt::Message::Clock(dgt::ClockTimes::no_clock()).encode(),
        dgt::Message::ClockAck(refusal).encode(),
        dgt::Message::Dump(empty()).encode(),
        // The memory begins.
        vec![0x8f, 0x3e, 0x03, 0x6a, 0x40],
        on_bus(dgt::bus::Message::Dump(empty())),
        on_bus(dgt::bus::Message::StartWritten),
        chesslink::Message::Setting { address: chesslink::setting::STATUS, value: 0 }.encode(),
        chesslink::Message::Board(empty()).encode()[..40].to_vec(),
        b"L".to_vec(),
        b"D:7 0 3".to_vec(),
        b":0 0 56 0 0 255 201 7 \r\n".to_vec(),
        open::encode(
            "open/1 name=x serial=7 firmware=2 squares=160 sensing=identity can=lamps,display",
            true,
        ),
        b"open/1 squares=64 sensing=occupancy can=lamps,display,beep,touch\nsquare e2 .\nsqua".to_vec(),
    ];
    words.extend(changes);
    // A press that the clock tells of twice, and no record does.
    let clock = |lever| {
        let end = dgt::EndTime { seconds: 40, ..dgt::EndTime::default() };
        on_bus(dgt::bus::Message::Clock(dgt::ClockTimes::new(end, end, true, lever)))
    };
    words.push([dgt::ClockEnd::Left, dgt::ClockEnd::Right, dgt::ClockEnd::Right].map(clock).concat());
    words
}

/// A conversation between a session and a simulated board, as the session saw it.
fn script(protocol: &Protocol, plan: &Plan) -> Vec<(u64, Happening)> {
    let games = read_games(GAME.as_bytes()).unwrap();
    let mut board =
        VirtualBoard::new(&Game::from(&games[0]), BoardConfig { protocol: protocol.name, ..plan.config });
    let mut disturbances = VecDeque::from(plan.disturbances.clone());
    let mut session = (protocol.session)();
    let (mut script, mut now_ns, mut coming) = (Vec::new(), 0, vec![Happening::Up]);
    let (mut up_ns, mut deaf_until_ns, mut asked_ns) = (None, 0, 0);
    while now_ns < LENGTH_NS {
        for happening in coming.drain(..) {
            for output in handled(&mut *session, &happening, now_ns) {
                if let SessionOutput::Write(bytes) = output {
                    board.receive(&bytes, now_ns);
                }
            }
            script.push((now_ns, happening));
        }
        let disturbed_ns = disturbances.front().map(|(at_ns, _)| *at_ns);
        let wakes =
            [board.wake_at_ns(), session.wake_at_ns(), disturbed_ns, up_ns, Some(asked_ns + MASTER_NS)];
        now_ns = wakes.into_iter().flatten().fold(LENGTH_NS, u64::min).max(now_ns);
        if now_ns >= asked_ns + MASTER_NS {
            asked_ns = now_ns;
            if protocol.name == "dgt-bus" {
                let command = dgt::bus::Command::SendChanges;
                board.receive(&dgt::bus::Order { address: SERIAL, command }.encode(), now_ns);
            }
        }
        let mut heard = Vec::new();
        board.poll(now_ns, &mut heard);
        if up_ns.is_some() || now_ns < deaf_until_ns {
            heard.clear();
        }
        if up_ns.is_some_and(|up_ns| up_ns <= now_ns) {
            up_ns = None;
            coming.push(Happening::Up);
        }
        if disturbed_ns.is_some_and(|at_ns| at_ns <= now_ns) {
            match disturbances.pop_front().unwrap().1 {
                Disturbance::Noise(bytes) => heard.extend(bytes),
                Disturbance::Silence(length_ns) => deaf_until_ns = now_ns + length_ns,
                Disturbance::Break(length_ns) => {
                    up_ns = Some(now_ns + length_ns);
                    coming.push(Happening::Down);
                }
                Disturbance::Announce(announcement) => coming.push(Happening::Announce(announcement)),
            }
        }
        coming.extend(heard.chunks(plan.piece).map(|piece| Happening::Bytes(piece.to_vec())));
        if coming.is_empty() {
            coming.push(Happening::Wake);
        }
    }
    script
}

fn handled(session: &mut dyn Session, happening: &Happening, at_ns: u64) -> Vec<SessionOutput> {
    let mut said = Vec::new();
    let input = match happening {
        Happening::Up => SessionInput::LinkUp,
        Happening::Down => SessionInput::LinkDown,
        Happening::Bytes(bytes) => SessionInput::Bytes(bytes),
        Happening::Wake => SessionInput::Wake,
        Happening::Announce(announcement) => SessionInput::Announce(announcement),
    };
    session.handle(input, at_ns, &mut said);
    said
}

/// The session after the beginning of a conversation.
fn after(protocol: &Protocol, script: &[(u64, Happening)]) -> Box<dyn Session> {
    let mut session = (protocol.session)();
    for (at_ns, happening) in script {
        handled(&mut *session, happening, *at_ns);
    }
    session
}

/// The same session, by way of a text as a journal keeps it.
fn again(protocol: &Protocol, session: &dyn Session) -> Box<dyn Session> {
    let state = session.state();
    let read = serde_json::from_str(&state.to_string()).unwrap();
    let again = (protocol.resume)(&read).unwrap();
    assert_eq!(again.state(), state, "{}", protocol.name);
    again
}

/// The places in a state at which something stands, itself among them; of many alike the first ones.
fn places(state: &Value) -> Vec<String> {
    let below = |key: &str, value| places(value).into_iter().map(|place| format!("/{key}{place}")).collect();
    let inner: Vec<Vec<String>> = match state {
        Value::Object(fields) => fields.iter().map(|(key, value)| below(key, value)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().take(3).map(|(n, value)| below(&n.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    std::iter::once(String::new()).chain(inner.concat()).collect()
}

/// What may stand in a spoilt state.
fn garbage() -> impl Strategy<Value = Value> {
    let number = |number: u64| Just(json!(number));
    prop_oneof![
        Just(Value::Null),
        Just(json!(true)),
        Just(json!(-1)),
        Just(json!(0.5)),
        Just(json!("Send")),
        Just(json!([])),
        Just(json!({})),
        number(0),
        number(1),
        number(4),
        number(64),
        number(255),
        number(1_000_000_000_000),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_resumed_session_goes_on_as_if_nothing_had_happened(plan in plan()) {
        for protocol in PROTOCOLS {
            let (mut session, mut other) = ((protocol.session)(), (protocol.session)());
            for (step, (at_ns, happening)) in script(protocol, &plan).iter().enumerate() {
                let said = handled(&mut *session, happening, *at_ns);
                prop_assert_eq!(handled(&mut *other, happening, *at_ns), said, "{} {}", protocol.name, step);
                prop_assert_eq!(other.wake_at_ns(), session.wake_at_ns(), "{} {}", protocol.name, step);
                if step >= plan.first && (step - plan.first).is_multiple_of(plan.every) {
                    other = again(protocol, &*other);
                    prop_assert_eq!(other.state(), session.state(), "{} {}", protocol.name, step);
                    // What is not saved shows here, whatever it may be good for.
                    prop_assert_eq!(format!("{other:?}"), format!("{session:?}"), "{}", step);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_spoilt_state_is_refused_or_gone_on_with(plan in plan(), garbage in garbage()) {
        for protocol in PROTOCOLS {
            let script = script(protocol, &plan);
            let (before, rest) = script.split_at(plan.first.min(script.len()));
            let state = after(protocol, before).state();
            for place in places(&state) {
                let mut spoilt = state.clone();
                *spoilt.pointer_mut(&place).unwrap() = garbage.clone();
                let Ok(mut session) = (protocol.resume)(&spoilt) else { continue };
                prop_assert_eq!(session.state(), spoilt, "{} {}", protocol.name, place);
                for (at_ns, happening) in rest.iter().take(100) {
                    handled(&mut *session, happening, *at_ns);
                }
            }
        }
    }
}

#[test]
fn what_is_no_state_is_refused() {
    let states = PROTOCOLS.iter().map(|protocol| after(protocol, &[(0, Happening::Up)]).state());
    let states: Vec<Value> = states.collect();
    let garbage = [json!(null), json!(7), json!("link"), json!([]), json!({}), json!({ "link": {} })];
    for (protocol, own) in PROTOCOLS.iter().zip(&states) {
        assert!((protocol.resume)(own).is_ok(), "{}", protocol.name);
        for state in garbage.iter().chain(states.iter().filter(|state| *state != own)) {
            let refusal = (protocol.resume)(state).unwrap_err();
            assert!(refusal.contains("begin a new one") && !refusal.contains('\n'), "{refusal}");
        }
        let mut more = own.clone();
        more["more"] = json!(1);
        let mut less = own.clone();
        let keys: Vec<String> = less.as_object().unwrap().keys().cloned().collect();
        less.as_object_mut().unwrap().remove(&keys[0]);
        for state in [more, less] {
            assert!((protocol.resume)(&state).is_err(), "{} {state}", protocol.name);
        }
    }
}

#[test]
fn a_packet_that_was_spoilt_while_it_was_saved_is_skipped() {
    let bus = &dgt::bus::PROTOCOL;
    let begun = [(0, Happening::Up), (0, Happening::Bytes(vec![0x85, 0, 6]))];
    let mut state = after(bus, &begun).state();
    assert_eq!(state["link"]["decoder"]["partial"], json!([0x85, 0, 6]));
    // Four bytes are no packet, even with the right sum.
    state["link"]["decoder"]["partial"][2] = json!(4);
    let mut session = (bus.resume)(&state).unwrap();
    let said = handled(&mut *session, &Happening::Bytes(vec![0x09]), 0);
    assert_eq!(said, [SessionOutput::Skipped { bytes: 4 }]);
}
