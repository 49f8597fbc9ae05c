//! Texts that say yes or no.

/// What says yes, and what says no, in small letters.
const PAIRS: [(&str, &str); 5] = [("yes", "no"), ("true", "false"), ("y", "n"), ("t", "f"), ("on", "off")];

/// The pair that these texts are of, if there is one.
pub(super) fn pair<'a>(
    mut texts: impl Iterator<Item = &'a str> + Clone,
) -> Option<(&'static str, &'static str)> {
    let mut all = texts.clone();
    let first = texts.next()?.to_lowercase();
    let (yes, no) = *PAIRS.iter().find(|(yes, no)| first == *yes || first == *no)?;
    all.all(|text| place(text, yes, no).is_some()).then_some((yes, no))
}

/// 1 for yes and 0 for no, in letters of any size.
pub(super) fn place(text: &str, yes: &str, no: &str) -> Option<usize> {
    let text = text.to_lowercase();
    if text == yes { Some(1) } else { (text == no).then_some(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_found_whatever_the_size_of_letters() {
        assert_eq!(pair(["Yes", "NO", "yes"].into_iter()), Some(("yes", "no")));
        assert_eq!(pair(["F", "t"].into_iter()), Some(("t", "f")));
        assert_eq!(pair(["n"].into_iter()), Some(("y", "n")));
        assert_eq!(pair(["yes", "maybe"].into_iter()), None);
        assert_eq!(pair(["true", "no"].into_iter()), None);
        assert_eq!(pair([].into_iter()), None);
        assert_eq!((place("TRUE", "true", "false"), place("x", "true", "false")), (Some(1), None));
    }
}
