//! "Did you mean …?"

/// The known word closest to a mistyped one, if it is close enough to be meant.
pub(super) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (best, edits) = known
        .into_iter()
        .map(|candidate| (candidate, edits(word, candidate)))
        .min_by_key(|&(_, edits)| edits)?;
    let longest = word.chars().count().max(best.chars().count());
    (edits <= 1.max(longest / 2)).then_some(best)
}

/// `did you mean "x"? …` if there is such a word, else the list of what there is.
pub(super) fn advice<'a>(
    what: &str,
    word: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> String {
    /// Longer lists help nobody.
    const LISTED: usize = 40;
    let names: Vec<&str> = known.clone().into_iter().take(LISTED).collect();
    let list = match names.len() {
        0 => format!("there are no {what}"),
        _ => format!("there are the {what} {}", names.join(", ")),
    };
    match nearest(word, known) {
        Some(nearest) => format!("did you mean \"{nearest}\"? {list}"),
        None => list,
    }
}

/// Levenshtein distance, of the first 64 letters.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_close_words_are_suggested() {
        let known = ["radius", "length"];
        assert_eq!(nearest("radus", known), Some("radius"));
        assert_eq!(nearest("halflength", known), Some("length"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("x", []), None);
        assert!(advice("keys", "radus", known).starts_with("did you mean \"radius\"?"));
        assert_eq!(advice("materials", "x", []), "there are no materials");
    }
}
