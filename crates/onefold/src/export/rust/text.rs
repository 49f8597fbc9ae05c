
/// A text without spaces around it; none where it is missing.
fn present<'a>(text: Option<&'a str>, marks: &[&str]) -> Option<&'a str> {
    let text = text?.trim();
    let is_mark = |mark: &&str| mark.eq_ignore_ascii_case(text);
    if EMPTY.iter().any(is_mark) || marks.iter().any(is_mark) { None } else { Some(text) }
}
