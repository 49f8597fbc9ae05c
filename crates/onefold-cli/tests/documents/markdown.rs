//! The little of Markdown that the tests need.

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    /// What stands in the HTML comment in the line before it, such as `run` or `file main.c`.
    pub(crate) marker: Option<String>,
    /// What stands behind the fence, such as `console`.
    pub(crate) language: String,
    /// Index of its first line in the document.
    pub(crate) first_line: usize,
    pub(crate) lines: Vec<String>,
}

pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = Vec::new();
    let mut i = 0;
    while i < lines.len() {
        if let Some(language) = lines[i].strip_prefix("```") {
            let length = lines[i + 1..].iter().position(|line| *line == "```").expect("a fence is closed");
            let marker = i.checked_sub(1).and_then(|before| comment(lines[before]));
            blocks.push(Block {
                marker: marker.map(String::from),
                language: language.into(),
                first_line: i + 1,
                lines: lines[i + 1..][..length].iter().map(|line| (*line).to_owned()).collect(),
            });
            i += length + 1;
        }
        i += 1;
    }
    blocks
}

fn comment(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- ")?.strip_suffix(" -->")
}

/// The lines outside of fenced blocks.
pub(crate) fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// Inline code.
pub(crate) fn spans(text: &str) -> Vec<&str> {
    prose(text).flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Targets of links and pictures.
pub(crate) fn links(text: &str) -> Vec<&str> {
    prose(text)
        .flat_map(|line| line.split("](").skip(1))
        .filter_map(|rest| Some(rest.split_once(')')?.0))
        .collect()
}

/// Anchors of the headings, as GitHub names them.
pub(crate) fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
            kept.map(|c| if c == ' ' { '-' } else { c }).collect()
        })
        .collect()
}
