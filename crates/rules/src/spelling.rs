//! What a word that nobody knows was meant to be.

/// The name that differs from `given` in the fewest letters.
pub fn nearest<'a>(given: &str, names: impl Iterator<Item = &'a str>) -> &'a str {
    names.min_by_key(|name| distance(given, name)).unwrap_or("")
}

/// Insertions, deletions and exchanges of a letter from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let exchanged = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = exchanged.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[row.len() - 1]
}
