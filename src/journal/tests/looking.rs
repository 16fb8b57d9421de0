//! What is looked up in a journal of several files, while it is written.

use super::*;

/// Three boards in files of one commit each; board 2 is opened three times.
fn journal(dir: &Path) -> Bench {
    let (bench, _) = open_with(dir, Options { file_bytes: 1, ..Options::new(dir) }).unwrap();
    for second in 0..30 {
        let board = ["1", "2", "3"][usize::try_from(second).unwrap() % 3];
        let kind = if second < 3 || [13, 22].contains(&second) { InputKind::Open } else { InputKind::Bytes };
        let mut events = vec![lifted(second); usize::try_from(second % 4).unwrap()];
        if second % 5 == 0 {
            events.push(clock_read(second));
            events[0].game = None;
        }
        if second == 7 {
            events.push(finding(second, 9, Status::Open));
        }
        if second == 10 {
            events.push(finding(second, 9, Status::Confirmed));
        }
        bench.submit(input(board, second, kind, events));
        if second % 4 == 0 {
            bench.settle();
        }
    }
    bench.settle();
    assert!(files::list(dir).unwrap().len() > 3, "several files");
    bench
}

/// Everything that [`history`] gives, going on where it stopped.
fn all(dir: &Path, asked: &Asked) -> Vec<u64> {
    let (mut asked, mut found) = (asked.clone(), Vec::new());
    loop {
        let (history, errors) = history(dir, &asked);
        assert!(errors.is_empty(), "{errors:?}");
        assert!(history.events.len() <= asked.limit);
        found.extend(history.events.iter().map(|event| event.seq));
        match history.next {
            Some(next) if asked.after.is_some() => asked.after = Some(next),
            Some(next) => asked.before = Some(next),
            None => return found,
        }
    }
}

#[test]
fn history_is_what_a_reader_of_everything_finds() {
    let dir = tempfile::tempdir().unwrap();
    let bench = journal(dir.path());
    let stored: Vec<StoredEvent> = Reader::open(dir.path(), 1).map(Result::unwrap).collect();
    let one = |text: &str| Some(text.to_owned());
    for (board, game) in
        [(None, None), (one("2"), None), (None, one("1-1")), (one("3"), one("1-1")), (one("9"), None)]
    {
        for types in
            [vec![], vec!["clock-read".to_owned()], vec!["clock-read".to_owned(), "record-gap".to_owned()]]
        {
            for (after, before) in
                [(None, None), (Some(0), None), (Some(7), None), (None, Some(40)), (Some(5), Some(20))]
            {
                for limit in [3, 100] {
                    let (board, game, types) = (board.clone(), game.clone(), types.clone());
                    let is_asked = |event: &&StoredEvent| {
                        board.as_ref().is_none_or(|board| event.board == *board)
                            && (game.is_none() || event.game == game)
                            && (types.is_empty() || types.contains(&event.name))
                            && after.is_none_or(|after| event.seq > after)
                            && before.is_none_or(|before| event.seq < before)
                    };
                    let mut expected: Vec<u64> =
                        stored.iter().filter(is_asked).map(|event| event.seq).collect();
                    if after.is_none() {
                        expected.reverse();
                    }
                    let asked = Asked { board, game, types, about: None, after, before, limit };
                    assert_eq!(all(dir.path(), &asked), expected, "{asked:?}");
                }
            }
        }
    }
    bench.close();
}

#[test]
fn what_is_about_a_record_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let bench = journal(dir.path());
    let names = |event: &StoredEvent| event.name == "record-gap";
    let stored: Vec<StoredEvent> = Reader::open(dir.path(), 1).map(Result::unwrap).filter(names).collect();
    let asked = Asked {
        game: Some("1-1".to_owned()),
        about: Some(stored[0].seq),
        after: Some(0),
        limit: 100,
        ..Asked::default()
    };
    assert_eq!(stored.len(), 2);
    assert_eq!(all(dir.path(), &asked), stored.iter().map(|event| event.seq).collect::<Vec<_>>());
    let nothing = Asked { about: Some(stored[0].seq + 1), ..asked };
    assert!(all(dir.path(), &nothing).is_empty());
    bench.close();
}

#[test]
fn a_board_is_read_from_the_opening_before_an_input_to_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let bench = journal(dir.path());
    let seconds = |at_second: Option<u64>| {
        // Inputs are numbered from 1, and one comes each second.
        let stretch = since_open(dir.path(), "2", at_second.map(|second| second + 1)).unwrap().unwrap();
        let inputs = stretch.inputs().map(|input| input.unwrap().id - 1).collect::<Vec<u64>>();
        let (first, last) = (inputs[0] + 1, inputs[inputs.len() - 1] + 1);
        let events = stretch.events(first, last).unwrap();
        assert!(events.iter().all(|event| inputs.contains(&(event.input - 1))), "{events:?}");
        assert!(events.iter().all(|event| input_of(dir.path(), event.seq).unwrap() == Some(event.input)));
        let expected: u64 = inputs.iter().map(|second| second % 4 + u64::from(second % 5 == 0)).sum();
        let records = inputs.iter().filter(|second| [7, 10].contains(*second)).count();
        assert_eq!(events.len(), usize::try_from(expected).unwrap() + records, "{inputs:?}");
        inputs
    };
    assert_eq!(seconds(Some(10)), [1, 4, 7, 10]);
    assert_eq!(seconds(Some(12)), [1, 4, 7, 10]);
    assert_eq!(seconds(Some(13)), [13, 16, 19]);
    assert_eq!(seconds(Some(21)), [13, 16, 19]);
    assert_eq!(seconds(None), [22, 25, 28]);
    assert!(since_open(dir.path(), "2", Some(1)).unwrap().is_none(), "not opened yet");
    assert!(since_open(dir.path(), "9", None).unwrap().is_none());
    assert_eq!(input_of(dir.path(), 10_000).unwrap(), None);
    bench.close();
}
