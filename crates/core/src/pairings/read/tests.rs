//! Small files of each format, and what cannot be read.

use proptest::prelude::*;

use super::*;
use crate::event::TeamMatch;
use crate::pairings::Pairing;

/// A pairing in a line: `1-2 match 1.2 at 7: GM Player, One (GRE 2500 #12, Team) – …  result`.
fn line(pairing: &Pairing) -> String {
    let player = |player: &Player| {
        let title = player.title.iter().map(|title| format!("{title} "));
        let name = player.name.clone().unwrap_or_else(|| "?".to_owned());
        let rest = [
            player.federation.clone(),
            player.elo.map(|elo| elo.to_string()),
            player.fide_id.map(|id| format!("#{id}")),
            player.team.clone(),
        ];
        let rest: Vec<String> = rest.into_iter().flatten().collect();
        let rest = if rest.is_empty() { String::new() } else { format!(" ({})", rest.join(" ")) };
        title.chain([name, rest]).collect::<String>()
    };
    let place = pairing
        .team_match
        .map(|TeamMatch { number, board }| format!(" match {number}.{board}"))
        .unwrap_or_default();
    let board = pairing.board.as_ref().map(|board| format!(" at {board}")).unwrap_or_default();
    let result = pairing.result.as_ref().map(|result| format!("  {result}")).unwrap_or_default();
    let (white, black) = (player(&pairing.white), player(&pairing.black));
    if let Some((red, blue)) = pairing.red.as_ref().zip(pairing.blue.as_ref()) {
        let (red, blue) = (player(red), player(blue));
        return format!("{}{place}{board}: {red} + {blue} – {white} + {black}{result}", pairing.game());
    }
    format!("{}{place}{board}: {white} – {black}{result}", pairing.game())
}

/// All that was read, for people.
fn told(pairings: &Pairings) -> String {
    let mut lines = vec![format!("{:?} {:?} {:?}", pairings.event, pairings.site, pairings.time_control)];
    lines.extend(pairings.dates.iter().map(|(round, date)| format!("round {round}: {date}")));
    lines.extend(pairings.iter().map(line));
    lines.extend(pairings.remarks.iter().map(|remark| format!("({remark})")));
    lines.join("\n")
}

fn of(text: &str) -> String {
    told(&read("file", text.as_bytes()).unwrap())
}

/// The errors of `texts`, one a line.
fn errors(texts: &[&str]) -> String {
    let errors = texts.iter().map(|text| read("file", text.as_bytes()).unwrap_err().to_string());
    errors.collect::<Vec<_>>().join("\n")
}

#[test]
fn games_of_a_pgn_file_are_pairings() {
    let pgn = "%\r\n[Event \"Spring Open\"]\r\n[Site \"Here HER\"]\r\n[Date \"2026.05.31\"]\r\n[Round \"2.1\"]\r\n\
               [White \"Player, One\"]\r\n[Black \"O'Player, \\\"Two\\\"\"]\r\n[Result \"*\"]\r\n\
               [WhiteTitle \"gm\"]\r\n[WhiteElo \"2500\"]\r\n[WhiteFideId \"1200\"]\r\n[WhiteFederation \"gre\"]\r\n\
               [BlackElo \"?\"]\r\n[TimeControl \"5400+30\"]\r\n\r\n1. e4 {[%clk 1:30:00] a\r\n[White \"No\"]}\r\n*\r\n\r\n\
               [Event \"Spring Open\"]\r\n[Date \"2026.??.??\"]\r\n[Round \"2.2\"]\r\n[White \"Player, Three\"]\r\n[Black \"bye\"]\r\n\
               \r\n[Event \"Spring Open\"]\r\n[Round \"2.3\"]\r\n[White \"Player, Four\"]\r\n[Black \"?\"]\r\n[Result \"1/2\"]";
    insta::assert_snapshot!(of(pgn), @r#"
    Some("Spring Open") Some("Here HER") Some("5400+30")
    round 2: 2026-05-31
    2-1: GM Player, One (GRE 2500 #1200) – O'Player, "Two"
    2-3: Player, Four – ?  1/2-1/2
    2-4: Player, Three – ?  bye
    (a player has no name in 2-3)
    "#);
}

#[test]
fn a_round_without_boards_is_numbered_as_it_stands() {
    let pgn = "[Round \"3\"]\n[White \"A\"]\n[Black \"B\"]\n\n[Round \"3\"]\n[White \"C\"]\n[Black \"A\"]\n";
    insta::assert_snapshot!(of(pgn), @r#"
    None None None
    3-1: A – B
    3-2: C – A
    (round 3 has no numbers of boards: numbered in the order of the file)
    (A is in round 3 more than once: boards 1, 2)
    "#);
}

#[test]
fn boards_of_matches_are_found() {
    let game = |round: &str, board: &str, teams: [&str; 2], players: [&str; 2]| {
        format!(
            "[Round \"{round}\"]\n[Board \"{board}\"]\n[WhiteTeam \"{}\"]\n[BlackTeam \"{}\"]\n[White \"{}\"]\n[Black \"{}\"]\n\n",
            teams[0], teams[1], players[0], players[1]
        )
    };
    // The match in the round, the board beside it; board 2 of match 1 has nobody.
    let stated = [
        game("5.2", "2", ["South", "East"], ["E", "F"]),
        game("5.1", "1", ["North", "West"], ["A", "B"]),
        game("5.2", "1", ["East", "South"], ["C", "D"]),
    ];
    // Boards that repeat.
    let repeated = [
        game("5", "1", ["North", "West"], ["A", "B"]),
        game("5", "2", ["West", "North"], ["C", "D"]),
        game("5", "1", ["East", "South"], ["E", "F"]),
    ];
    // Boards through the round, teams beside them.
    let through = [
        game("5.1", "1", ["North", "West"], ["A", "B"]),
        game("5.2", "2", ["West", "North"], ["C", "D"]),
        game("5.3", "3", ["East", "South"], ["E", "F"]),
    ];
    let three = "[Round \"5.2.1\"]\n[White \"A\"]\n[Black \"B\"]\n".to_owned();
    let all = [stated.concat(), repeated.concat(), through.concat(), three];
    insta::assert_snapshot!(all.map(|pgn| of(&pgn)).join("\n"), @r#"
    None None None
    5-1 match 1.1: A (North) – B (West)
    5-3 match 2.1: C (East) – D (South)
    5-4 match 2.2: E (South) – F (East)
    None None None
    5-1 match 1.1: A (North) – B (West)
    5-2 match 1.2: C (West) – D (North)
    5-3 match 2.1: E (East) – F (South)
    None None None
    5-1 match 1.1: A (North) – B (West)
    5-2 match 1.2: C (West) – D (North)
    5-3 match 2.1: E (East) – F (South)
    None None None
    5-2 match 2.1: A – B
    "#);
    // Clubs are no teams.
    let clubs =
        [game("5.1", "1", ["North", "West"], ["A", "B"]), game("5.2", "2", ["North", "North"], ["C", "D"])];
    assert!(!of(&clubs.concat()).contains("match"));
}

#[test]
fn a_table_has_its_columns_in_any_order() {
    let csv = "Board;Rd;White;White Elo;WhiteFideID;White_Title;Black;W Fed;Pts;black_team;Result;at board;date\n\
               2;4;\"Player; One\";2400;77;IM;\"Player, Two\";FIN;3;Club;;;\n\
               ;;;;;;;;;;;;\n\
               1;4;Player, Three;;;;Player, Four;;;;½-½;7;31.05.2026\r";
    insta::assert_snapshot!(of(csv), @r#"
    None None None
    round 4: 2026-05-31
    4-1 at 7: Player, Three – Player, Four  1/2-1/2
    4-2: IM Player; One (FIN 2400 #77) – Player, Two (Club)
    "#);
    let teams = "round,match,board,white,black,white_team,black_team\n1,2,1,A,B,North,West\n1,1,2,C,D,East,South\n1,1,1,E,F,South,East\n";
    insta::assert_snapshot!(of(teams), @r#"
    None None None
    1-1 match 1.1: E (South) – F (East)
    1-2 match 1.2: C (East) – D (South)
    1-3 match 2.1: A (North) – B (West)
    "#);
    // A spreadsheet says by a mark that it writes UTF-8, or writes Windows-1252.
    assert!(of("\u{feff}round\tboard\twhite\tblack\n1\t1\tΠαίκτης\tB\n").contains("Παίκτης – B"));
    assert!(of("\u{feff}[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n").contains("1-1: A – B"));
    let wide =
        "\u{feff}round;board;white;black\r\n1;1;Παίκτης;B\r\n".encode_utf16().flat_map(u16::to_le_bytes);
    assert!(told(&read("file", &wide.collect::<Vec<u8>>()).unwrap()).contains("Παίκτης – B"));
    assert!(of("sep=|\nround|board|white|black|white_fed\n1|2|A|B|---\n").ends_with("1-2: A – B"));
    let western = read("file", b"round,board,white,black\n1,1,M\xfcller,B\n").unwrap();
    insta::assert_snapshot!(told(&western), @r#"
    None None None
    1-1: Müller – B
    (the file is not UTF-8 and was read as windows-1252: look at the names)
    "#);
}

fn table_in(encoding: &str, names: &[&str]) -> Vec<u8> {
    let rows = names.iter().zip(1..).map(|(name, board)| format!("1,{board},\"{name}\",B{board}\n"));
    let text: String = ["round,board,white,black\n".to_owned()].into_iter().chain(rows).collect();
    Encoding::for_label(encoding.as_bytes()).unwrap().encode(&text).0.into_owned()
}

#[test]
fn names_are_read_in_the_encoding_that_they_look_like() {
    for (encoding, name) in [
        ("windows-1253", "Παπαδόπουλος, Γιάννης"),
        ("windows-1251", "Петров, Пётр"),
        ("windows-1250", "Dvořák, Jiří"),
        ("windows-1252", "Hämäläinen, Väinö"),
        ("windows-1252", "Núñez, José"),
        ("windows-1254", "Yılmaz, Şükrü"),
    ] {
        let read = read("file", &table_in(encoding, &[name])).unwrap();
        assert_eq!(read.rounds[&1][0].white.name.as_deref(), Some(name));
        assert!(read.remarks[0].contains(encoding), "{:?}", read.remarks);
    }
}

/// A few letters are not enough to tell by: nobody's name is written otherwise without a word.
#[test]
fn where_the_encoding_is_not_clear_it_has_to_be_said() {
    let table = table_in("windows-1250", &["Smith, John", "Erdős, Győző", "Szabó, László"]);
    let error = read("file", &table).unwrap_err().to_string();
    let expected = "file:3: the file is not UTF-8, and it is not clear what it is: \"Erdõs\" in windows-1252, \"Erdős\" in \
                    windows-1250; say which (--encoding windows-1250, or \"Encoding\" at the desk)";
    assert_eq!(error, expected);
    let said = encoding("cp1250").unwrap();
    let read = read_round("file", &table, None, Some(said)).unwrap();
    assert_eq!(read.rounds[&1][1].white.name.as_deref(), Some("Erdős, Győző"));
    assert_eq!(read.remarks, [""; 0]);
    let wrong = read_round("file", &table, None, encoding("utf-8").ok()).unwrap_err();
    assert_eq!(wrong.to_string(), "file:3: this is not UTF-8");
    assert!(
        encoding("windows-9999").unwrap_err().starts_with("\"windows-9999\" is no encoding; write utf-8")
    );
}

#[test]
fn a_quote_that_is_not_closed_is_said_with_its_line() {
    let told = |text: &str| read("file", text.as_bytes()).unwrap_err().to_string();
    let head = "round,board,white,black\n";
    let open = "file:3: a quote (\") opens here and is not closed; close it, or leave it out";
    assert_eq!(told(&format!("{head}1,1,A,B\n1,2,\"C, D,E\n1,3,F,G\n")), open);
    // One of a later line closes it.
    let over = "file:3: column 3 (white) goes over several lines; is a quote (\") not closed?";
    assert_eq!(told(&format!("{head}1,1,A,B\n1,2,\"C, D,E\n1,3,\"F\",G\n")), over);
    let inside = format!("{head}1,1,\"A \"\"the rook\"\" B\",C \"D\"\n");
    assert_eq!(
        read("file", inside.as_bytes()).unwrap().rounds[&1][0].white.name.as_deref(),
        Some("A \"the rook\" B")
    );
}

#[test]
fn four_players_are_two_teams() {
    let table = "round,board,red,white,blue,black,red_team,white_team,blue_elo,result\n\
                 1,1,A,B,C,D,North,South,1800,\n1,2,E,F,,H,East,West,,1-0\n";
    insta::assert_snapshot!(of(table), @r#"
    None None None
    1-1: A (North) + C (1800) – B (South) + D
    1-2: E (East) + ? – F (West) + H  1-0
    (a player has no name in 1-2 (Blue))
    "#);
    // Who is meant is said by his colour.
    insta::assert_snapshot!(of("round,board,red,white,blue,black\n1,1,A,B,A,D\n1,2,D,,,E\n"), @r#"
    None None None
    1-1: A + A – B + D
    1-2: D + ? – ? + E
    (A is in round 1 more than once: boards 1 (Red), 1 (Blue))
    (D is in round 1 more than once: boards 1 (Black), 2 (Red))
    (a player has no name in 1-2 (Blue, White))
    "#);
    // The same as records, whose board is one of 160 squares and whose result is that of Red and Blue.
    let record = "[Round \"2.3\"]\n[Red \"A\"]\n[White \"B\"]\n[Blue \"C\"]\n[Black \"D\"]\n[Result \"RB 0-1 WK\"]\n\
                  [Variant \"4p-team\"]\n[Board \"160\"]\n[Table \"3\"]\n[RedTeam \"North\"]\n\n*\n";
    insta::assert_snapshot!(of(record), @r#"
    None None None
    2-3: A (North) + C – B + D  0-1
    "#);
    // A hall of both games: who leaves Red and Blue out plays chess.
    let mixed = "round,board,white,black,red,blue\n1,1,A,B,,\n1,2,C,D,E,F\n";
    insta::assert_snapshot!(of(mixed), @r#"
    None None None
    1-1: A – B
    1-2: E + F – C + D
    "#);
    let wrong = |table: &str| read("file", table.as_bytes()).unwrap_err().to_string();
    let partners = "round,board,red,white,blue,black,red_team,blue_team\n1,1,A,B,C,D,North,South\n";
    insta::assert_snapshot!([
        wrong("round,board,red,white,black\n1,1,A,B,D\n"),
        wrong(partners),
        wrong("round,board,red,white,blue,black,result\n1,1,A,B,C,D,bye\n"),
        wrong("round,board,red,white,blue,black,red_team\n1,3,,B,,D,North\n"),
    ].join("\n"), @r#"
    file:1: there is no column "blue"; the first line names the columns: round, match, board, at_board, result, date, event, site, time_control, white, white_title, white_elo, white_fide_id, white_federation, white_team, black, black_title, black_elo, black_fide_id, black_federation, black_team; for four players also red and blue, with the same behind them
    file:2: Red and Blue are partners, but one is of "North" and the other of "South"
    file:2: a game of four players is no bye; leave it out
    file:2: Red and Blue have no name; name all four players, or leave every column of Red and Blue empty in a game of two
    "#);
}

/// Boards of a match of two teams, four players at each.
#[test]
fn a_match_of_four_players_is_one_of_their_teams() {
    let table = "round,board,red,white,blue,black,red_team,white_team\n\
                 1,1,A,B,C,D,North,South\n1,2,E,F,G,H,South,North\n";
    let read = read("file", table.as_bytes()).unwrap();
    let places: Vec<_> = read.iter().map(|pairing| pairing.team_match.unwrap()).collect();
    assert_eq!(places, [TeamMatch { number: 1, board: 1 }, TeamMatch { number: 1, board: 2 }]);
    assert_eq!(read.iter().next().unwrap().title(), "A + C – B + D");
}

const REPORT: &str = "\
### A comment, with columns
012 Spring Open
022 Here
032 HER
122 90 minutes and 30 seconds a move
132                                                                                        26/05/30  26/05/31
222 5400+30
001    1 mg   Player, One                       2500 GRE     1200    1990/01/01  1.0    1     3 w 1     2 b  
001    2 wIM  Player, Two                       2400 FIN     1300    1991/01/01  1.0    2     4 b +     1 w  
001    3 m    Player, Three                     2300 GRE               1992/01   0.0    4     1 b 0     4 w  
001    4      Player, Four                         0                             0.0    5     2 w -     3 b  
001    5      Player, Five                      2000                             1.0    3  0000 - U  0000 - Z
";

#[test]
fn a_report_has_the_order_of_points() {
    let expected = of(REPORT);
    insta::assert_snapshot!(expected, @r#"
    Some("Spring Open") Some("Here HER") Some("5400+30")
    round 1: 2026-05-30
    round 2: 2026-05-31
    1-1: GM Player, One (GRE 2500 #1200) – Player, Three (GRE 2300)  1-0
    1-2: Player, Four – IM Player, Two (FIN 2400 #1300)  -/+
    1-3: Player, Five (2000) – ?  bye
    2-1: IM Player, Two (FIN 2400 #1300) – GM Player, One (GRE 2500 #1200)
    2-2: Player, Three (GRE 2300) – Player, Four
    (a tournament report has no numbers of boards: they follow the points before the round and the starting numbers; reorder the boards if your pairing program has them otherwise)
    "#);
    assert_eq!(of(&format!("XXR 5\n{REPORT}")), expected);
    for end in ["\r", "\r\n"] {
        assert_eq!(of(&REPORT.replace('\n', end)), expected);
    }
}

#[test]
fn a_report_counts_letters_or_bytes() {
    let letters = REPORT.replace("Player, Three", "Þlayer, Þhree");
    let bytes = REPORT.replace("Player, Three  ", "Þlayer, Þhree");
    assert!(of(&letters).contains("2-2: Þlayer, Þhree (GRE 2300) – Player, Four"), "{}", of(&letters));
    assert_eq!(of(&letters), of(&bytes));
}

#[test]
fn a_report_of_teams_has_matches() {
    let players = [
        "001    1      Player, One                       2500                             1.0    1     4 w 1     3 b  ",
        "001    2      Player, Two                       2400                             0.0    2     5 b 0     6 w  ",
        "001    3      Player, Three                     2300                             1.0    3     6 w 1     1 w  ",
        "001    4      Player, Four                      2200                             0.0    4     1 b 0     5 w  ",
        "001    5      Player, Five                      2200                             1.0    5     2 w 1     4 b  ",
        "001    6      Player, Six                       2200                             0.0    6     3 b 0     2 b  ",
    ];
    let old = [
        "013 North                           2    1",
        "013 West                            4",
        "013 South                           6    3",
        "013 East                            5",
    ];
    let new = [
        "310   1 North                            NOR     2450    1.0    1.0   1     2    1",
        "310   2 West                             WES     2200    1.0    1.0   1     4",
        "310   3 South                            SOU     2250    1.0    1.0   1     6    3",
        "310   4 East                             EAS     2200    1.0    1.0   1     5",
        "300   2   1   3    1    2",
    ];
    let report = |teams: &[&str]| format!("012 Cup\n{}\n{}\n", players.join("\n"), teams.join("\n"));
    insta::assert_snapshot!(of(&report(&old)), @r#"
    Some("Cup") None None
    1-1: Player, One (2500 North) – Player, Four (2200 West)  1-0
    1-2: Player, Five (2200 East) – Player, Two (2400 North)  1-0
    1-3: Player, Three (2300 South) – Player, Six (2200 South)  1-0
    2-1 match 1.1: Player, Four (2200 West) – Player, Five (2200 East)
    2-3 match 2.1: Player, Two (2400 North) – Player, Six (2200 South)
    2-4 match 2.2: Player, Three (2300 South) – Player, One (2500 North)
    (a tournament report has no numbers of boards: they follow the points before the round and the starting numbers; reorder the boards if your pairing program has them otherwise)
    "#);
    insta::assert_snapshot!(of(&report(&new)), @r#"
    Some("Cup") None None
    1-1: Player, One (2500 North) – Player, Four (2200 West)  1-0
    1-2: Player, Five (2200 East) – Player, Two (2400 North)  1-0
    1-3: Player, Three (2300 South) – Player, Six (2200 South)  1-0
    2-1 match 1.1: Player, Four (2200 West) – Player, Five (2200 East)
    2-3 match 2.1: Player, Three (2300 South) – Player, One (2500 North)
    2-4 match 2.2: Player, Two (2400 North) – Player, Six (2200 South)
    (a tournament report has no numbers of boards: they follow the points before the round and the starting numbers; reorder the boards if your pairing program has them otherwise)
    "#);
}

#[test]
fn one_round_may_be_asked_for() {
    let pgn = b"[White \"A\"]\n[Black \"B\"]\n[Board \"4\"]\n";
    assert!(read("file", pgn).is_err());
    insta::assert_snapshot!(told(&read_round("file", pgn, Some(9), None).unwrap()), @r#"
    None None None
    9-4: A – B
    "#);
    let second = read_round("file", REPORT.as_bytes(), Some(2), None).unwrap();
    assert_eq!((second.rounds.len(), second.dates.len()), (1, 1));
    let none = read_round("file", REPORT.as_bytes(), Some(3), None).unwrap_err();
    assert_eq!(none.detail(), "line 1: the file has no pairing of round 3; it has 1, 2");
}

#[test]
fn what_is_no_pairing_file_is_named() {
    insta::assert_snapshot!(errors(&[" \n\n", "PK\u{3}\u{4}…", "<!DOCTYPE html>", "%PDF-1.7", "hello\nworld", "\nWhite Black"]), @r#"
    file:1: the file is empty
    file:1: this is a spreadsheet or an archive; save it as CSV
    file:1: this is a web page; export PGN, TRF or CSV from the pairing program
    file:1: this is a PDF; export PGN, TRF or CSV from the pairing program
    file:1: this is neither PGN (tags like [Round "5.12"]) nor TRF (lines like "001 …") nor CSV (a line with the names of columns)
    file:2: this is neither PGN (tags like [Round "5.12"]) nor TRF (lines like "001 …") nor CSV (a line with the names of columns)
    "#);
}

#[test]
fn errors_of_pgn_have_their_line() {
    insta::assert_snapshot!(errors(&[
        "[Round \"1.1\"]\n[White \"A\"]\n\n[Round \"1.2\"]\n",
        "\n[White \"A\"]\n[Black \"B\"]\n",
        "[Round \"1.1\"]\n[White \"A]\n",
        "[Round \"1-1\"]\n[White \"A\"]\n[Black \"B\"]\n",
        "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n[WhiteElo \"high\"]",
        "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n[BlackFederation \"Greece\"]",
        "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"won\"]",
        "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n[Round \"1.1\"]\n[White \"C\"]\n[Black \"D\"]\n",
        "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n[Round \"1\"]\n[White \"C\"]\n[Black \"D\"]\n",
        "[Round \"1.1\"]\n[White \"?\"]\n[Black \"?\"]\n",
        "[Round \"1.1\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 { e5\n[Round \"1.2\"]\n",
    ]), @r#"
    file:1: this game has no Black; add [Black "Last, First"] to its tags
    file:2: this game has no round; add [Round "5.12"] (round and board), or say which round it is (--round 5)
    file:2: "[White "A]" is no tag; write [Name "value"]
    file:1: Round: "1-1" is no round and board; write 5.12, or 5.3.2 for board 2 of match 3
    file:4: WhiteElo: "high" is no rating; write a number up to 4000, or nothing
    file:4: BlackFederation: "Greece" is no federation; write its three letters, e.g. GRE
    file:4: Result: "won" is not a result; use 1-0, 0-1, 1/2-1/2, +/-, -/+, -/-, 0-0, 0-1/2, 1/2-0, 1/2-1, 1-1/2 or 1-1, or * as long as there is none
    file:5: board 1 of round 1 is here and in line 1; number the boards of a round 1, 2, 3 …
    file:5: no board, but others of round 1 have one; write ROUND.BOARD, e.g. 1.12
    file:1: nobody plays here; name White and Black
    file:5: a comment begins here and has no end; close it with }
    "#);
}

#[test]
fn errors_of_a_table_have_their_line() {
    insta::assert_snapshot!(errors(&[
        "round,board,white,blak\n",
        "round,board,white,black,White,\n",
        "round,board,white\n",
        "round,board,white,black\n1,1,A,B\n\n1,2,C,D,E\n",
        "round,board,white,black\n1,x,A,B\n",
        "round,board,white,black\n,1,A,B\n",
        "round,board,white,black\n1,1,,\n",
        "round,board,white,black,at_board\n1,1,A,B,7\n1,2,C,D,7\n",
        "round,board,white,black,date\n1,1,A,B,31.02.2026\n",
        "round,board,white,black\n1,1,\"A\nB\",C\n\n\n\n1,1,A,B\n",
        "round,board,white,black\n",
    ]), @r#"
    file:1: column 4 is called "blak": did you mean "black"? The columns are round, match, board, at_board, result, date, event, site, time_control, white, white_title, white_elo, white_fide_id, white_federation, white_team, black, black_title, black_elo, black_fide_id, black_federation, black_team; for four players also red and blue, with the same behind them
    file:1: column 5 "White" says the same as "white"; leave one of them out
    file:1: there is no column "black"; the first line names the columns: round, match, board, at_board, result, date, event, site, time_control, white, white_title, white_elo, white_fide_id, white_federation, white_team, black, black_title, black_elo, black_fide_id, black_federation, black_team; for four players also red and blue, with the same behind them
    file:4: 5 cells, but 4 columns; put a text with a comma in it in quotes
    file:2: column 2 (board): "x" is no number from 1 to 9999
    file:2: this pairing has no round; add a column "round", or say which round it is (--round 5)
    file:2: nobody plays here; name White and Black
    file:3: the board called "7" of round 1 is here and in line 2; number the boards of a round 1, 2, 3 …
    file:2: column 5 (date): "31.02.2026" is no day; write it as 2026-05-31
    file:7: board 1 of round 1 is here and in line 2; number the boards of a round 1, 2, 3 …
    file:1: there is no pairing in the file
    "#);
}

#[test]
fn errors_of_a_report_have_their_line() {
    let changed = |from: &str, to: &str| REPORT.replace(from, to);
    let texts = [
        changed("001    4", "001    x"),
        changed("001    4", "001    3"),
        changed("2500 GRE", "25x0 GRE"),
        changed("     3 w 1", "     9 w 1"),
        changed("     3 w 1", "     4 w 1"),
        changed("     3 w 1", "     3 b 1"),
        changed("     3 w 1", "     3 w ?"),
        changed("     1 b 0", "     1 b 1"),
        changed("26/05/31", "26/05/32"),
        format!("{REPORT}013 North                           9    1\n"),
        changed("1     3 w 1", "1    3 w 1 "),
        "012 Open\n".to_owned(),
    ];
    insta::assert_snapshot!(errors(&texts.each_ref().map(String::as_str)), @r#"
    file:11: columns 5–8: "x" is no number
    file:11: starting number 3 is here and in line 10; each has its own
    file:8: columns 49–52: "25x0" is no rating; write a number up to 4000, or nothing
    file:8: round 1 is against 9, whom the report does not have
    file:8: round 1 is against 4, but 4 (line 11) has 2 there
    file:8: round 1: 1 and 3 have the same colour
    file:8: round 1: column 99: "?" is no result; write 1, =, 0, +, -, W, D, L, H, F, U or Z
    file:8: round 1: 1 against 3, who has 1; both cannot be
    file:6: round 2: "26/05/32" is no day; write it as 2026-05-31
    file:13: there is no player 9 in the report
    file:8: round 1: column 96 must be blank; the opponent is in columns 92–95, the colour in 97, the result in 99
    file:1: there is no pairing in the file
    "#);
}

#[test]
fn results_are_written_in_many_ways() {
    let ways = ["1-0", "1 : 0", "½–½", "0,5-0,5", "=", "+ - -", "-:+", "--", "0-1F", "bye", "*", "", "?"];
    let results: Vec<Option<String>> = ways.iter().map(|way| field::result(way).unwrap()).collect();
    let results: Vec<&str> = results.iter().map(|result| result.as_deref().unwrap_or("none")).collect();
    let expected = [
        "1-0", "1-0", "1/2-1/2", "1/2-1/2", "1/2-1/2", "+/-", "-/+", "-/-", "-/+", "bye", "none", "none",
        "none",
    ];
    assert_eq!(results, expected);
}

/// Bytes that look like files of pairings more often than chance would have it.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(vec![
        "[Round \"1.1\"]\n",
        "[White \"A\"]",
        "[Black \"B\"]\r",
        "[Board \"2\"]\n",
        "\n\n",
        "1. e4 {",
        "}",
        "\"",
        "[",
        "]",
        "001    1 mGM  Player, One                       2500 GRE     1200    1990/01/01  1.0    1     2 w 1  ",
        "001    2 mGM  Plåyer, Two                       2500 GRE     1200    1990/01/01  1.0    1     1 b 0  ",
        "013 North                           1    2\n",
        "310   1 North",
        "300   1   1   2    1    2",
        "132",
        "222 5400+30",
        "round,board,white,black",
        ";",
        ",",
        "\t",
        "1",
        "0000",
        "9999999999",
        "é",
        "\u{feff}",
    ]);
    let noise = prop::collection::vec(any::<u8>(), 0..12);
    let piece = prop_oneof![4 => pieces.prop_map(|text| text.as_bytes().to_vec()), 1 => noise];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_panic_and_errors_lie_in_the_file(bytes in bytes(), round in prop::option::of(0_u32..4)) {
        match read_round("file", &bytes, round, None) {
            Ok(pairings) => {
                prop_assert!(!pairings.is_empty());
                for (round, pairings) in &pairings.rounds {
                    let mut numbers: Vec<u32> = pairings.iter().map(|pairing| pairing.number).collect();
                    prop_assert!(pairings.iter().all(|pairing| pairing.round == *round));
                    prop_assert!(numbers.is_sorted() && numbers.iter().all(|number| *number > 0));
                    numbers.dedup();
                    prop_assert_eq!(numbers.len(), pairings.len());
                }
            }
            Err(error) => {
                let ends = bytes.iter().filter(|byte| [b'\n', b'\r'].contains(byte)).count();
                // UTF-16 has ends of lines, too, but no more than bytes.
                let is_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
                let lines = if is_wide { bytes.len() } else { ends + 1 };
                prop_assert!(error.line >= 1 && error.line as usize <= lines, "{}", error);
            }
        }
    }
}
