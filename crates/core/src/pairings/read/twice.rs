//! Tables of Swiss-Manager and chess-results: titles above, a line with the round, and the columns of a player twice, White's
//! before the result and Black's behind it; in the language of whoever exported them.

use csv::StringRecord;

use super::csv::Column;
use super::field::{self, Field};

/// What a column of such a table is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Board,
    Name,
    Result,
    Of(Field),
}

/// The names of columns in English, German, Greek, Finnish and Spanish, as [`plain`] writes them. What is not among them,
/// such as the number of a player in the list and his points, is nothing that a pairing has.
const KINDS: [(Kind, &[&str]); 8] = [
    (
        Kind::Board,
        &[
            "bo",
            "board",
            "table",
            "br",
            "brett",
            "tisch",
            "σκ",
            "σκακιερα",
            "τρ",
            "τραπεζι",
            "pöytä",
            "lauta",
            "m",
            "mesa",
        ],
    ),
    (
        Kind::Name,
        &[
            "name",
            "player",
            "spieler",
            "ονομα",
            "ονοματεπωνυμο",
            "παικτησ",
            "nimi",
            "pelaaja",
            "nombre",
            "jugador",
        ],
    ),
    (Kind::Result, &["result", "res", "ergebnis", "erg", "αποτελεσμα", "αποτ", "tulos", "resultado"]),
    (Kind::Of(Field::Title), &["title", "titel", "τιτλοσ", "titteli", "título", "titulo"]),
    (
        Kind::Of(Field::Elo),
        &["rtg", "rating", "elo", "rtgi", "eloi", "βαθμολογια", "ελο", "vahvuusluku", "vahvuus", "selo"],
    ),
    (Kind::Of(Field::Federation), &["fed", "land", "ομοσπονδια", "ομοσπ", "maa", "país", "pais"]),
    (Kind::Of(Field::FideId), &["fideid"]),
    (
        Kind::Of(Field::Team),
        &["club", "clubcity", "vereinort", "verein", "συλλογοσ", "σωματειο", "seura", "equipo", "team"],
    ),
];

/// A round, in the same languages.
const ROUND: [&str; 6] = ["round", "runde", "γυροσ", "kierros", "ronda", "rd"];

/// Lower case, letters and digits alone, Greek without accents and with one kind of sigma.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase);
    let simple = letters.map(|letter| match letter {
        'ά' => 'α',
        'έ' => 'ε',
        'ή' => 'η',
        'ί' | 'ϊ' | 'ΐ' => 'ι',
        'ό' => 'ο',
        'ύ' | 'ϋ' | 'ΰ' => 'υ',
        'ώ' => 'ω',
        'ς' => 'σ',
        other => other,
    });
    simple.collect()
}

fn kind(name: &str) -> Option<Kind> {
    let name = plain(name);
    KINDS.iter().find(|(_, names)| names.contains(&name.as_str())).map(|(kind, _)| *kind)
}

/// The columns, if those are their names.
pub(super) fn columns<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<Column>> {
    let names: Vec<&str> = names.collect();
    let kinds: Vec<Option<Kind>> = names.iter().map(|name| kind(name)).collect();
    let places = |wanted: Kind| kinds.iter().enumerate().filter(move |(_, kind)| **kind == Some(wanted));
    let players: Vec<usize> = places(Kind::Name).map(|(at, _)| at).collect();
    let results: Vec<usize> = places(Kind::Result).map(|(at, _)| at).collect();
    let (&[white, black], &[result]) = (players.as_slice(), results.as_slice()) else { return None };
    if !(white..black).contains(&result) {
        return None;
    }
    let column = |at: usize| {
        let side = usize::from(at > result);
        // Of two ratings the first one counts.
        let of_side = if side == 0 { 0..at } else { result..at };
        match kinds[at] {
            kind @ Some(Kind::Of(_)) if kinds[of_side].contains(&kind) => Column::Other,
            Some(Kind::Name) => Column::Player(side, Field::Name),
            Some(Kind::Result) => Column::Result,
            Some(Kind::Board) if at < white => Column::Board,
            Some(Kind::Of(field)) => Column::Player(side, field),
            // The titles of the players have no name above them.
            None if names[at].is_empty() && (at + 1 == white || at + 1 == black) => {
                Column::Player(side, Field::Title)
            }
            _ => Column::Other,
        }
    };
    Some((0..names.len()).map(column).collect())
}

/// What stands above a table, or below it.
#[derive(Debug, Default)]
pub(super) struct Title {
    /// `Round 3 on 2026/11/30 at 15:00`, `3. Runde`.
    pub(super) round: Option<u32>,
    pub(super) date: Option<String>,
    /// The name of the event, if it is neither of those.
    pub(super) event: Option<String>,
}

/// The line as a title; `None` if it has several cells.
pub(super) fn title(record: &StringRecord) -> Option<Title> {
    let mut cells = record.iter().filter(|cell| !cell.is_empty());
    let (text, None) = (cells.next()?, cells.next()) else { return None };
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |at: usize| {
        let digits: String = words.get(at)?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok().filter(|round| *round > 0)
    };
    let round = words.iter().position(|word| ROUND.contains(&plain(word).as_str()));
    // `3. Runde`: a number alone is that of a year.
    let before = |at: usize| at.checked_sub(1).filter(|at| words[*at].ends_with('.')).and_then(number);
    let round = round.and_then(|at| number(at + 1).or_else(|| before(at))).filter(|round| *round < 100);
    let date = words.iter().find_map(|word| field::date(word).ok().flatten()).filter(|_| round.is_some());
    let is_name = round.is_none() && !text.contains("://") && !text.to_lowercase().contains("chess-results");
    Some(Title { round, date, event: is_name.then(|| text.to_owned()) })
}

#[cfg(test)]
mod tests {
    use crate::pairings::{Pairings, read, read_round};

    fn told(pairings: &Pairings) -> Vec<String> {
        let line = |pairing: &crate::pairings::Pairing| {
            let who = |player: &crate::event::Player| {
                let name = player.name.clone().unwrap_or_default();
                let title = player.title.clone().unwrap_or_default();
                let elo = player.elo.map(|elo| elo.to_string()).unwrap_or_default();
                format!("{title} {name} {elo}").trim().to_owned()
            };
            let result = pairing.result.clone().unwrap_or_default();
            let (white, black) = (who(&pairing.white), who(&pairing.black));
            format!("{}: {white} - {black} {result}", pairing.game()).trim().to_owned()
        };
        pairings.iter().map(line).collect()
    }

    /// As it comes from a spreadsheet: titles, empty lines, columns twice, a line of the program below.
    const TABLE: &str = "From the Tournament-Database of Chess-Results https://chess-results.com;;;;;;;;;;\n\
        City Open, Athens 2026;;;;;;;;;;\n\
        \n\
        Pairings/Results;;;;;;;;;;\n\
        Round 3 on 2026/11/30 at 15:00;;;;;;;;;;\n\
        Bo.;No.;;Name;Rtg;Pts.;Result;Pts.;;Name;Rtg;No.\n\
        1;4;GM;Wit, Anna;2501;2;½ - ½;2;IM;Zwart, Bert;2440;9\n\
        2;12;;Weiss, Carl;0;1½; - ;1½;WFM;Schwarz, Dora;2100;7\n\
        3;13;;Blanc, Ed;1800;1;1;0;;bye;;\n\
        \n\
        Program: a pairing program, https://example.org;;;;;;;;;;\n";

    #[test]
    fn a_table_with_titles_above_and_its_columns_twice_is_read() {
        let pairings = read("round.csv", TABLE.as_bytes()).unwrap();
        assert_eq!(
            told(&pairings),
            [
                "3-1: GM Wit, Anna 2501 - IM Zwart, Bert 2440 1/2-1/2",
                "3-2: Weiss, Carl - WFM Schwarz, Dora 2100",
                "3-3: Blanc, Ed 1800 -  bye"
            ]
        );
        assert_eq!(pairings.event.as_deref(), Some("City Open, Athens 2026"));
        assert_eq!(pairings.dates[&3], "2026-11-30");
        let other = read_round("round.csv", TABLE.as_bytes(), Some(4), None).unwrap_err().to_string();
        assert!(other.contains("no pairing of round 4; it has 3"), "{other}");
    }

    #[test]
    fn the_names_of_columns_may_be_german_greek_finnish_or_spanish() {
        for (round, names) in [
            ("3. Runde am 2026/11/30", "Br.,Nr.,Titel,Name,Elo,Pkt.,Ergebnis,Pkt.,Titel,Name,Elo,Nr."),
            ("Γύρος 3", "Σκ.,Αρ.,Τίτλος,Όνομα,Βαθμολογία,Βαθ.,Αποτέλεσμα,Βαθ.,Τίτλος,Όνομα,Βαθμολογία,Αρ."),
            (
                "Kierros 3",
                "Pöytä,Nro,Titteli,Nimi,Vahvuusluku,Pist.,Tulos,Pist.,Titteli,Nimi,Vahvuusluku,Nro",
            ),
            ("Ronda 3", "M.,No.,Título,Nombre,Elo,Pts.,Resultado,Pts.,Título,Nombre,Elo,No."),
        ] {
            let table = format!(
                "Open\n{round}\n{names}\n1,4,GM,\"Wit, Anna\",2501,2,1 - 0,2,,\"Zwart, Bert\",2440,9\n"
            );
            let pairings = read("t.csv", table.as_bytes()).unwrap();
            assert_eq!(told(&pairings), ["3-1: GM Wit, Anna 2501 - Zwart, Bert 2440 1-0"], "{names}");
        }
    }

    #[test]
    fn a_year_is_no_round_and_the_first_of_two_ratings_counts() {
        let table = "Club Championship 2026 Round Robin\nRound 3\nBo.,Name,Rtg,RtgI,Result,Name,Rtg,RtgI\n1,A,2000,0,,B,1900,1800\n";
        let pairings = read("t.csv", table.as_bytes()).unwrap();
        assert_eq!(told(&pairings), ["3-1: A 2000 - B 1900"]);
        assert_eq!(pairings.event.as_deref(), Some("Club Championship 2026 Round Robin"));
        // In a table of one's own a row with one cell is a row.
        let error =
            read("t.csv", b"Open\nround,board,white,black\n1,1,A,B\nAnn,,,\n").unwrap_err().to_string();
        assert!(error.starts_with("t.csv:4: "), "{error}");
    }

    #[test]
    fn tables_of_several_rounds_may_follow_each_other() {
        let names = "Bo.\tNo.\t\tName\tRtg\tPts.\tResult\tPts.\t\tName\tRtg\tNo.";
        let row = |board: u32, result: &str| format!("{board}\t1\t\tA\t\t0\t{result}\t0\t\tB\t\t2");
        let table =
            format!("Open\nRound 1\n{names}\n{}\n\nRound 2\n{names}\n{}\n", row(1, "1 - 0"), row(1, ""));
        let pairings = read("t.txt", table.as_bytes()).unwrap();
        assert_eq!(told(&pairings), ["1-1: A - B 1-0", "2-1: A - B"]);
    }

    #[test]
    fn a_table_without_names_of_columns_is_told_so_at_its_first_line() {
        let error = read("t.csv", b"Open,\nRound 1,\n1,A\n").unwrap_err().to_string();
        assert!(error.starts_with("t.csv:1: column 1 is called \"Open\""), "{error}");
        let error = read("t.csv", b"Open\nround,board,white,blak\n1,1,A,B\n").unwrap_err().to_string();
        assert!(
            error.starts_with("t.csv:2: column 4 is called \"blak\": did you mean \"black\"?"),
            "{error}"
        );
    }
}
