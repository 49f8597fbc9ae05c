//! Whether the first line of a file holds names.
//!
//! A word above a column of numbers decides for names, and so does a word that its column, in which texts
//! recur, does not have again. A word that does come again in its column decides for a row. Where numbers
//! stand in the first line, too, they must look like names, as years do; where they do not, the line is a
//! row, and the word in it is reported. What is left is assumed, and said.

use super::field::{Field, read_field};
use std::collections::{HashMap, HashSet};

/// A field of one of the first lines.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) is_quoted: bool,
}

/// What the first line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) is_header: bool,
    /// Whether there is no doubt.
    pub(super) is_sure: bool,
}

impl Verdict {
    pub(super) const NAMES: Self = Self { is_header: true, is_sure: true };
    pub(super) const ROW: Self = Self { is_header: false, is_sure: true };

    /// The same, but in doubt.
    pub(super) fn in_doubt(self) -> Self {
        Self { is_sure: false, ..self }
    }
}

/// Rows needed before recurring texts count as evidence.
const ENOUGH: usize = 20;
/// Texts recur in a column where at most one row in so many has a text of its own: an estimate of how often a
/// further row would (Good and Turing).
const ROWS_PER_SINGLE: usize = 20;

/// What is below a field of the first line.
struct Below<'a> {
    numbers: Vec<f64>,
    texts: HashMap<&'a str, usize>,
    is_quoted: bool,
}

impl<'a> Below<'a> {
    fn column(rows: &[&'a [Cell]], i: usize) -> Self {
        let (mut numbers, mut texts, mut is_quoted) = (Vec::new(), HashMap::new(), false);
        for cell in rows.iter().filter_map(|row| row.get(i)) {
            is_quoted |= cell.is_quoted;
            match read_field(&cell.text) {
                Field::Number(v) => numbers.push(v),
                Field::Disguised | Field::Word => *texts.entry(cell.text.as_str()).or_insert(0) += 1,
                Field::Mark | Field::Missing => {}
            }
        }
        Self { numbers, texts, is_quoted }
    }

    fn is_numeric(&self) -> bool {
        self.numbers.len() > self.texts.values().sum()
    }

    /// Whether its texts recur, so that one of its rows hardly has a text that no other has.
    fn recurs(&self) -> bool {
        let all: usize = self.texts.values().sum();
        let single = self.texts.values().filter(|n| **n == 1).count();
        all >= ENOUGH && single * ROWS_PER_SINGLE <= all
    }

    fn is_outside(&self, v: f64) -> bool {
        self.numbers.iter().all(|below| v < *below) || self.numbers.iter().all(|below| v > *below)
    }
}

/// Whether the first line of a table that nothing is known about holds names.
pub(super) fn detect(first: &[Cell], rows: &[Vec<Cell>]) -> Verdict {
    let kinds: Vec<Field> = first.iter().map(|cell| read_field(&cell.text)).collect();
    let is_word = |i: usize| kinds[i] == Field::Word;
    let all: Vec<&[Cell]> = rows.iter().map(Vec::as_slice).collect();
    // A line of names that comes again says nothing about the column.
    let others: Vec<&[Cell]> = all.iter().copied().filter(|row| !is_same(row, first)).collect();
    let below: Vec<Below<'_>> = (0..first.len()).map(|i| Below::column(&others, i)).collect();
    let is_numeric = |i: usize| below[i].is_numeric();
    let columns = 0..first.len();
    let quoted_names = first.iter().all(|cell| cell.is_quoted);
    if quoted_names && columns.clone().any(|i| is_numeric(i) && !below[i].is_quoted) {
        return Verdict::NAMES;
    }
    if rows.is_empty() {
        let has_number = kinds.iter().any(|k| matches!(k, Field::Number(_) | Field::Disguised));
        return if has_number || !columns.clone().any(is_word) { Verdict::ROW } else { Verdict::NAMES };
    }
    let is_value = |i: usize| matches!(kinds[i], Field::Number(_) | Field::Disguised);
    let values: Vec<usize> = columns.clone().filter(|i| is_value(*i)).collect();
    let words_above_numbers = columns.clone().filter(|i| is_word(*i) && is_numeric(*i)).count();
    let comes_again = columns
        .clone()
        .any(|i| is_word(i) && !is_numeric(i) && below[i].texts.contains_key(first[i].text.as_str()));
    let could_be_names = are_name_like(first, &values, &below, others.len());
    if words_above_numbers > 0 {
        return match values.len() {
            0 if comes_again => Verdict::ROW.in_doubt(),
            0 => Verdict::NAMES,
            n if (words_above_numbers > 1 && words_above_numbers >= n) || could_be_names => {
                Verdict::NAMES.in_doubt()
            }
            _ => Verdict::ROW.in_doubt(),
        };
    }
    if !columns.clone().any(is_word) {
        let is_doubtful = values.len() > 1 && values.len() == first.len() && could_be_names;
        return if is_doubtful { Verdict::ROW.in_doubt() } else { Verdict::ROW };
    }
    if comes_again {
        return Verdict::ROW;
    }
    let is_unlike_rows = columns.clone().any(|i| is_word(i) && below[i].recurs());
    let names = first.iter().map(|cell| cell.text.as_str()).filter(|name| !name.is_empty());
    let mut seen = HashSet::new();
    let are_different = names.into_iter().all(|name| seen.insert(name));
    let has_marks = columns.clone().any(|i| {
        matches!(kinds[i], Field::Mark) || (kinds[i] == Field::Missing && !first[i].text.is_empty())
    });
    let repeats = others.len() < all.len();
    match (values.is_empty(), is_unlike_rows) {
        (true, _) if has_marks || repeats || !are_different => Verdict::ROW.in_doubt(),
        (true, true) => Verdict::NAMES,
        (false, false) if !could_be_names => Verdict::ROW,
        _ => Verdict::NAMES.in_doubt(),
    }
}

/// Whether two lines have the same fields.
fn is_same(row: &[Cell], first: &[Cell]) -> bool {
    row.len() == first.len() && row.iter().zip(first).all(|(a, b)| a.text == b.text)
}

/// Whether the numbers of the first line look like names: years or consecutive whole numbers, in order, none
/// of which its column could have.
fn are_name_like(first: &[Cell], values: &[usize], below: &[Below<'_>], rows: usize) -> bool {
    let number = |i: &usize| {
        let text = &first[*i].text;
        let is_whole = text.len() <= 8 && text.bytes().all(|b| b.is_ascii_digit());
        text.parse::<f64>().ok().filter(|v| is_whole && below[*i].is_outside(*v))
    };
    let numbers: Option<Vec<f64>> = values.iter().map(number).collect();
    let Some(numbers) = numbers else { return false };
    let are_years = numbers.iter().all(|v| (1900.0..=2100.0).contains(v));
    let are_consecutive =
        numbers.len() > 1 && numbers.windows(2).all(|w| w[1] as i64 - w[0] as i64 == 1) && rows >= 5;
    !numbers.is_empty() && numbers.is_sorted_by(|a, b| a < b) && (are_years || are_consecutive)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(text: &str) -> Verdict {
        let cell = |field: &str| match field.strip_prefix('"').and_then(|f| f.strip_suffix('"')) {
            Some(inner) => Cell { text: inner.into(), is_quoted: true },
            None => Cell { text: field.into(), is_quoted: false },
        };
        let mut lines: Vec<Vec<Cell>> = text.lines().map(|l| l.split(',').map(cell).collect()).collect();
        let first = lines.remove(0);
        detect(&first, &lines)
    }

    #[test]
    fn names_are_told_from_rows_by_evidence() {
        let names = Verdict::NAMES;
        let row = Verdict::ROW;
        for (text, expected) in [
            ("a,b\n1,2\n", names),
            ("a,b\n1,2\na,b\n3,4\n", names),
            ("1st,2nd,y\n1,2,3\n", names),
            ("a,a,y\n1,2,3\n", names),
            (",a,b\n0,1,2\n", names),
            ("a,y\n1,2\n3,oops\n4,5\n", names),
            ("\"2020\",\"2021\"\n1,2\n", names),
            ("id,2020,2021,y\n1,2,3,4\n5,6,7,8\n", names.in_doubt()),
            ("id,2020,2021,y\n1,2000,3000,4\n5,3000,2000,8\n", names.in_doubt()),
            ("x,2018,2019,2020\n1,2,3,4\n5,6,7,8\n", names.in_doubt()),
            ("region,2020,2021,class\nnorth,1,2,u\nsouth,3,4,v\n", names.in_doubt()),
            // A first row with one wrong field is not dropped; the field is reported instead.
            ("oops,5,3\n1,2,3\n4,5,6\n", row.in_doubt()),
            ("oops,red\n1,red\n2,blue\n", row.in_doubt()),
            ("1,2\n3,4\n", row),
            ("2020,2021\n1,2\n3,4\n", row.in_doubt()),
            ("1,a\n2,b\n", row),
            ("red,a\nblue,b\nred,b\n", row),
            ("colour,kind\nred,a\nblue,b\n", names.in_doubt()),
            ("None,1\n2,3\n4,5\n", row),
            ("a,b\n", names),
            ("a,1\n", row),
        ] {
            assert_eq!(verdict(text), expected, "{text}");
        }
        let recurring = |first: &str| format!("{first}\n{}", "red,a\nblue,b\n".repeat(10));
        assert_eq!(verdict(&recurring("colour,kind")), names);
        assert_eq!(verdict(&recurring("red,kind")), row);
    }
}
