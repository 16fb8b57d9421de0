//! What an arbiter does with the list: one key after the other, and what he sees when it is done.

/// Keys that are no letters (WebDriver).
const ENTER: char = '\u{e007}';
const ESCAPE: char = '\u{e00c}';

/// The list is there, with the focus on one of its rows.
const LIST: &str = "document.querySelector('.list-view')?.checkVisibility()
    && document.activeElement.matches('.list-view .row a')";
/// The same, on another row than before.
const MOVED: &str =
    "document.activeElement.matches('.list-view .row a') && document.activeElement !== measured.focused";
/// A game is there with its moves.
const GAME: &str = "document.querySelector('.game-view')?.checkVisibility()
    && document.querySelectorAll('.game-view .moves .move').length >= 40";
/// An incident is there.
const RECORD: &str = "document.querySelector('.record-view .record-body')?.checkVisibility()
    && document.querySelector('.record-view h2')?.textContent";
const SEARCH: &str = "document.activeElement === document.querySelector('.list-view .search')";

/// A key, and what is seen when it has done its work.
#[derive(Debug, Clone)]
pub(crate) struct Interaction {
    pub(crate) name: &'static str,
    pub(crate) key: char,
    pub(crate) seen: String,
}

fn interaction(name: &'static str, key: char, seen: &str) -> Interaction {
    Interaction { name, key, seen: seen.to_owned() }
}

/// What is done, so many times over: 21 interactions each time.
pub(crate) fn script(rounds: usize) -> Vec<Interaction> {
    let pressed = |on: bool| {
        format!("document.querySelector('.list-view .only').getAttribute('aria-pressed') === '{on}'")
    };
    let written = |text: &str| format!("document.querySelector('.list-view .search').value === '{text}'");
    let down = || interaction("next row", 'j', MOVED);
    let round = [
        down(),
        down(),
        down(),
        down(),
        down(),
        interaction("row before", 'k', MOVED),
        interaction("row before", 'k', MOVED),
        interaction("open a board", ENTER, GAME),
        interaction("back to the list", ESCAPE, LIST),
        down(),
        interaction("next incident", 'n', MOVED),
        interaction("open an incident", 'i', RECORD),
        interaction("back to the list", ESCAPE, LIST),
        interaction("filter on", 'x', &pressed(true)),
        interaction("filter off", 'x', &pressed(false)),
        interaction("to the search", '/', SEARCH),
        interaction("write", 'a', &written("a")),
        interaction("write", 'n', &written("an")),
        interaction("write", 'd', &written("and")),
        interaction("end of the search", ESCAPE, &written("")),
        interaction("next row", 'j', LIST),
    ];
    round.iter().cycle().take(rounds * round.len()).cloned().collect()
}
