//! "Did you mean …?"

use strsim::levenshtein;

/// The known word closest to a mistyped one, if it is close enough to be meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    /// Nobody mistypes more than this.
    const LONGEST: usize = 64;
    if word.chars().nth(LONGEST).is_some() {
        return None;
    }
    let (best, edits) = known
        .into_iter()
        .map(|candidate| (candidate, levenshtein(word, candidate)))
        .min_by_key(|&(_, edits)| edits)?;
    let longest = word.chars().count().max(best.chars().count());
    (edits <= 1.max(longest / 2)).then_some(best)
}

/// The known word that a word differs from by two letters at most, or by one where either has three or less.
pub(crate) fn within_two<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let length = word.chars().count();
    let near = known.into_iter().filter_map(|candidate| {
        let other = candidate.chars().count();
        if length.abs_diff(other) > 2 {
            return None;
        }
        let most = if length.min(other) <= 3 { 1 } else { 2 };
        let edits = levenshtein(word, candidate);
        (edits <= most).then_some((edits, candidate))
    });
    near.min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// `did you mean "x"? …` if there is such a word, else the list of what there is.
pub(crate) fn advice<'a>(
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
        assert_eq!(within_two("limits", ["limit", "axis"]), Some("limit"));
        assert_eq!(within_two("mas", ["mass"]), Some("mass"));
        assert_eq!(within_two("foo", ["box"]), None);
        assert_eq!(within_two("transmission", ["limit", "axis"]), None);
        assert!(advice("keys", "radus", known).starts_with("did you mean \"radius\"?"));
        assert_eq!(advice("materials", "x", []), "there are no materials");
    }
}
