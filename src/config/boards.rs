//! The boards of a configuration, as the hall opens them.

use super::{Board, Config, settings};
use crate::link::Port;
use adoube_core::station::Open;
use adoube_rules::Family;
use adoube_rules::laws::FOUR_PLAYER;

impl Config {
    /// How a board is opened of which nothing else is said.
    #[must_use]
    pub fn usual_board(&self, name: &str, port: &Port) -> Open {
        let tournament = &self.tournament;
        let mut open = Open::new(name, "dgt", &port.to_string());
        open.time_control.clone_from(&tournament.time_control);
        open.profile.clone_from(&tournament.profile);
        open.regulations.clone_from(&tournament.regulations);
        open.set = settings(&tournament.laws);
        open.announce = tournament.announce;
        open.publish_at = tournament.publish_at;
        open.board_results = tournament.board_results;
        open.setup_lamps = tournament.setup_lamps;
        open
    }

    /// Its boards, and where they are.
    #[must_use]
    pub fn open_boards(&self) -> Vec<(Open, Port)> {
        self.boards.iter().map(|board| (self.open_board(board), board.port.clone())).collect()
    }

    pub(super) fn open_board(&self, board: &Board) -> Open {
        let mut open = self.usual_board(&board.id, &board.port);
        open.protocol = board.protocol.clone().unwrap_or(open.protocol);
        open.variant = board.variant.unwrap_or_default();
        // What the tournament says of the four-player game concerns no other board.
        if open.variant.family() != Family::FourPlayer {
            open.set.retain(|(key, _)| !FOUR_PLAYER.contains(&key.as_str()));
        }
        open.start.clone_from(&board.start);
        open.set.extend(settings(&board.laws));
        open.clock_side = board.lever_map;
        open.turned = board.turned.map(|turned| if turned { 180 } else { 0 });
        (open.linked, open.pair) = self.neighbours(&board.id);
        open
    }

    /// Boards that are linked or paired are so both ways, whichever says it.
    fn neighbours(&self, id: &str) -> (Vec<String>, Option<String>) {
        let others = |key: fn(&Board) -> Option<&String>| -> Vec<String> {
            let mut others: Vec<String> = Vec::new();
            for board in &self.boards {
                let Some(other) = key(board) else { continue };
                let found =
                    if board.id == id { Some(other) } else { Some(&board.id).filter(|_| other == id) };
                others.extend(found.filter(|found| !others.contains(found)).cloned());
            }
            others
        };
        (others(|board| board.linked.as_ref()), others(|board| board.pair.as_ref()).into_iter().next())
    }

    /// What is set otherwise than in `after`, and has no effect before the daemon is started again.
    #[must_use]
    pub fn needs_restart(&self, after: &Self) -> Vec<&'static str> {
        let (one, other) = (&self.tournament, &after.tournament);
        let delays = |config: &Self| -> Vec<(String, u32)> {
            let own = |board: &Board| Some((board.id.clone(), board.feed_delay_s?));
            let mut delays: Vec<_> = config.boards.iter().filter_map(own).collect();
            delays.sort();
            delays
        };
        [
            (one.name != other.name, "[tournament] name"),
            (one.site != other.site, "[tournament] site"),
            (one.rounds != other.rounds, "[tournament] rounds"),
            (one.publish_pairings != other.publish_pairings, "[tournament] publish_pairings"),
            (one.feed_delay_s != other.feed_delay_s, "[tournament] feed_delay_s"),
            (one.live_pgn != other.live_pgn, "[tournament] live_pgn"),
            (one.operator_results != other.operator_results, "[tournament] operator_results"),
            (delays(self) != delays(after), "[[board]] feed_delay_s"),
            (self.discovery != after.discovery, "[discovery]"),
            (self.web != after.web, "[web]"),
            (self.feeds != after.feeds, "[feeds]"),
            (self.journal != after.journal, "[journal]"),
        ]
        .into_iter()
        .filter_map(|(is_other, key)| is_other.then_some(key))
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adoube_rules::sensor::Side;

    #[test]
    fn a_clock_may_lie_the_other_way_round() {
        let parse = |text: &str| Config::parse("test.toml", text);
        let text = "[[board]]\nid = \"1\"\nport = \"tcp://h:1\"\nlever_map = \"black\"\n";
        assert_eq!(parse(text).unwrap().open_boards()[0].0.clock_side, Some(Side::Black));
        let error = parse(&text.replace("black", "left")).unwrap_err().to_string();
        assert_eq!(error, "test.toml:4: unknown value \"left\"; use one of \"white\", \"black\"");
    }

    #[test]
    fn keys_that_need_a_restart_are_named_and_no_others() {
        let parse = |text: &str| Config::parse("test.toml", text).unwrap();
        let before = parse("[[board]]\nid = \"1\"\nport = \"tcp://h:1\"\n");
        let after = parse(
            "[tournament]\nname = \"A\"\ntime_control = \"60\"\n[journal]\npath = \"/x\"\n\
             [[board]]\nid = \"1\"\nport = \"tcp://h:2\"\nfeed_delay_s = 5\n[[board]]\nid = \"2\"\nport = \"tcp://h:3\"\n",
        );
        let keys = ["[tournament] name", "[[board]] feed_delay_s", "[journal]"];
        assert_eq!(before.needs_restart(&after), keys);
        assert_eq!(after.needs_restart(&after), [""; 0]);
    }
}
