//! What is learnt about an input column from the training rows.

use super::super::booleans;
use super::super::calendar::DatePart;
use super::super::columns::{Column, Meaning, differs};
use super::super::{Categories, MOST_KEPT, Missing};
use super::{InputColumn, InputKind};

/// An input column as the training rows have it; none if it is the same in all of them. One value and gaps
/// are not the same where gaps become an input.
pub(in crate::data::table) fn learn(
    column: &Column,
    number: usize,
    (how, missing): (Categories, Missing),
    (train, all): (&[usize], &[usize]),
) -> Option<InputColumn> {
    let indicator = missing == Missing::Indicate && train.iter().any(|row| column.is_missing(*row));
    let kind = match &column.meaning {
        Meaning::Text => text_kind(column, how, indicator, (train, all))?,
        Meaning::Numbers(notation) => {
            let mean = mean_of_varying(column, indicator, train)?;
            let mean = fills(missing).then_some(mean);
            InputKind::Number { mean, notation: notation.clone() }
        }
        Meaning::Dates(_) => date_kind(column, missing, indicator, train)?,
    };
    Some(InputColumn { name: column.name.clone(), number, indicator, kind })
}

fn fills(missing: Missing) -> bool {
    matches!(missing, Missing::Mean | Missing::Indicate)
}

/// The mean of the numbers of these rows; none if they are all the same and there are no gaps, or only gaps.
fn mean_of_varying(column: &Column, has_gaps: bool, rows: &[usize]) -> Option<f64> {
    let (mut sum, mut count, mut first, mut varies) = (0.0, 0_usize, f64::NAN, false);
    for v in rows.iter().map(|row| column.number(*row)).filter(|v| !v.is_nan()) {
        if count == 0 {
            first = v;
        }
        varies |= differs(v, first);
        sum += v;
        count += 1;
    }
    (varies || has_gaps && count > 0).then_some(sum / count as f64)
}

/// Dates: which parts vary, and their means.
fn date_kind(column: &Column, missing: Missing, has_gaps: bool, train: &[usize]) -> Option<InputKind> {
    mean_of_varying(column, has_gaps, train)?;
    let Meaning::Dates(order) = column.meaning else { return None };
    let times = || train.iter().map(|row| column.number(*row)).filter(|v| !v.is_nan());
    let origin = times().fold(f64::INFINITY, f64::min);
    let varies = |part: &DatePart| {
        let first = times().next().map_or(f64::NAN, |v| part.key(v));
        times().any(|v| differs(part.key(v), first))
    };
    let parts: Vec<DatePart> = DatePart::ALL.into_iter().filter(varies).collect();
    let kind =
        InputKind::Date { origin, clock: column.has_clocks(), order, parts: parts.clone(), mean: None };
    let mut mean = vec![0.0; kind.width()];
    let mut inputs = Vec::new();
    for v in times() {
        inputs.clear();
        kind.push_number(v, &mut inputs);
        mean.iter_mut().zip(&inputs).for_each(|(sum, v)| *sum += v);
    }
    let count = times().count() as f64;
    mean.iter_mut().for_each(|sum| *sum /= count);
    let mean = fills(missing).then_some(mean);
    Some(InputKind::Date { origin, clock: column.has_clocks(), order, parts, mean })
}

/// Text: yes or no, the place among all categories, or one input for each of the frequent ones.
fn text_kind(
    column: &Column,
    how: Categories,
    has_gaps: bool,
    (train, all): (&[usize], &[usize]),
) -> Option<InputKind> {
    let in_train = column.counts(train);
    let least = if has_gaps { 1 } else { 2 };
    if in_train.iter().filter(|n| **n > 0).count() < least {
        return None;
    }
    let rows = in_train.iter().sum::<usize>() as f64;
    let share = |n: usize| n as f64 / rows;
    let codes = (0..in_train.len()).filter(|code| in_train[*code] > 0);
    if !column.is_declared
        && how == Categories::OneHot
        && let Some((yes, no)) = booleans::pair(codes.clone().map(|code| column.text(code)))
    {
        let is_yes = |code: &usize| booleans::place(column.text(*code), yes, no) == Some(1);
        let yes_rows = codes.filter(is_yes).map(|code| in_train[code]).sum();
        let is_same = !has_gaps && (yes_rows == 0 || share(yes_rows) >= 1.0);
        return (!is_same).then(|| InputKind::Boolean {
            yes: yes.into(),
            no: no.into(),
            share: share(yes_rows),
        });
    }
    if how == Categories::Ordinal {
        let counts = column.counts(all);
        let mut found: Vec<(String, usize)> = (0..counts.len())
            .filter(|code| counts[*code] > 0)
            .map(|code| (column.text(code).to_string(), in_train[code]))
            .collect();
        found.sort();
        let mean = found.iter().enumerate().map(|(place, (_, n))| place as f64 * share(*n)).sum();
        let categories = found.into_iter().map(|(text, _)| text).collect();
        return Some(InputKind::Ordinal { categories, mean: Some(mean) });
    }
    let mut found: Vec<(String, usize)> =
        codes.map(|code| (column.text(code).to_string(), in_train[code])).collect();
    let other = keep_frequent(&mut found).map(share);
    found.sort();
    let shares = Some(found.iter().map(|(_, n)| share(*n)).collect());
    let categories = found.into_iter().map(|(text, _)| text).collect();
    Some(InputKind::OneHot { categories, shares, other })
}

/// Of many categories keeps the frequent ones; gives the number of rows of the others, if there are such.
fn keep_frequent(found: &mut Vec<(String, usize)>) -> Option<usize> {
    if found.len() <= MOST_KEPT {
        return None;
    }
    // The same ones whatever the order of rows.
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let rare = found.split_off(MOST_KEPT);
    Some(rare.into_iter().map(|(_, n)| n).sum())
}
