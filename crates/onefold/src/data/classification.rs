//! The paper's four classification problems, written out as their sources have them, and read back with an
//! encoding.

use super::Dataset;
use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::str::FromStr;

/// How the weights and distances 1 to 5 of balance-scale become inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BalanceEncoding {
    /// `(v - 3) / 2`, which fills `[-1, 1]`.
    Centred,
    /// `v`, 1 to 5.
    #[default]
    Raw,
    /// `v - 1`, 0 to 4.
    FromZero,
}

/// Which number stands for each symbol of tic-tac-toe. Default x = 0, b = -1, o = 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SquareEncoding {
    /// For a square with x.
    pub x: f64,
    /// For a square with o.
    pub o: f64,
    /// For a blank square.
    pub b: f64,
}

impl Default for SquareEncoding {
    fn default() -> Self {
        Self { x: 0.0, o: 1.0, b: -1.0 }
    }
}

/// Reads `x=2,b=1,o=0`, in any order.
impl FromStr for SquareEncoding {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::setting(
                "encoding",
                format!("\"{text}\""),
                "tic-tac-toe wants three different numbers such as x=2,b=1,o=0",
            )
        };
        let mut values = [None; 3];
        for part in text.split(',') {
            let (symbol, value) = part.split_once('=').ok_or_else(wrong)?;
            let place = ["x", "o", "b"].iter().position(|s| *s == symbol.trim()).ok_or_else(wrong)?;
            let value: f64 = value.trim().parse().map_err(|_| wrong())?;
            if !value.is_finite() || values.contains(&Some(value)) || values[place].is_some() {
                return Err(wrong());
            }
            values[place] = Some(value);
        }
        match values {
            [Some(x), Some(o), Some(b)] => Ok(Self { x, o, b }),
            _ => Err(wrong()),
        }
    }
}

/// UCI's iris file. Fisher's paper differs in two rows.
const IRIS_UCI: &str = include_str!("iris-uci.csv");

pub(super) fn iris_text(fisher: bool) -> String {
    let mut lines: Vec<&str> = IRIS_UCI.lines().collect();
    if fisher {
        lines[34] = "4.9,3.1,1.5,0.2,Iris-setosa";
        lines[37] = "4.9,3.6,1.4,0.1,Iris-setosa";
    }
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

pub(super) fn balance_text() -> String {
    let mut text = String::new();
    for i in 0..625 {
        let [lw, ld, rw, rd] = [125, 25, 5, 1].map(|place| i / place % 5 + 1);
        let class = match (lw * ld).cmp(&(rw * rd)) {
            std::cmp::Ordering::Greater => 'L',
            std::cmp::Ordering::Equal => 'B',
            std::cmp::Ordering::Less => 'R',
        };
        let _ = writeln!(text, "{class},{lw},{ld},{rw},{rd}");
    }
    text
}

/// Final positions of tic-tac-toe, x having moved first: x has won; o has won; neither, and the board is
/// full.
pub(super) fn tic_tac_toe_text() -> String {
    const LINES: [[usize; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    let mut groups = [String::new(), String::new(), String::new()];
    for i in 0..3_usize.pow(9) {
        let board: [char; 9] =
            std::array::from_fn(|square| ['x', 'o', 'b'][i / 3_usize.pow(8 - square as u32) % 3]);
        let count = |symbol| board.iter().filter(|s| **s == symbol).count();
        let has_line = |symbol| LINES.iter().any(|line| line.iter().all(|square| board[*square] == symbol));
        let (group, label) = match (has_line('x'), has_line('o'), count('x'), count('o')) {
            (true, false, x, o) if x == o + 1 => (0, "positive"),
            (false, true, x, o) if x == o => (1, "negative"),
            (false, false, 5, 4) => (2, "negative"),
            _ => continue,
        };
        for symbol in board {
            let _ = write!(groups[group], "{symbol},");
        }
        let _ = writeln!(groups[group], "{label}");
    }
    groups.concat()
}

pub(super) fn two_spirals_text() -> String {
    let mut text = String::new();
    for i in 0..=96 {
        let angle = f64::from(i) * std::f64::consts::PI / 16.0;
        let radius = 6.5 * f64::from(104 - i) / 104.0;
        let (x, y) = (radius * libm::sin(angle), radius * libm::cos(angle));
        let number = |v: f64| format!("{v:.5}").replace("-0.00000", "0.00000");
        let _ = writeln!(text, "{},{},1\n{},{},0", number(x), number(y), number(-x), number(-y));
    }
    text
}

/// Where the class stands in a line.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum ClassColumn {
    First,
    Last,
}

/// Reads lines of fields into one-hot classes and encoded inputs.
pub(super) fn read(
    text: &str,
    class: ClassColumn,
    names: &[&str],
    classes: &[&str],
    encode: impl Fn(&str) -> f64,
) -> Dataset {
    let mut inputs = vec![Vec::new(); names.len()];
    let mut outputs = vec![Vec::new(); classes.len()];
    for line in text.lines() {
        let mut fields: Vec<&str> = line.split(',').collect();
        let label = fields.remove(if class == ClassColumn::First { 0 } else { names.len() });
        inputs.iter_mut().zip(&fields).for_each(|(column, field)| column.push(encode(field)));
        outputs.iter_mut().zip(classes).for_each(|(column, c)| column.push(f64::from(u8::from(*c == label))));
    }
    let owned = |list: &[&str]| list.iter().map(ToString::to_string).collect();
    Dataset { inputs, outputs, input_names: owned(names), output_names: owned(classes), classification: true }
}
