//! A network drawn with characters.

use onefold::Model;
use onefold::error::shown;

/// Names shown on a side; of more, the first ones and the number of the others.
const SHOWN: usize = 8;

/// Inputs by name on the left, hidden layers by width and the linear part, outputs by name on the right.
pub(crate) fn draw(model: &Model) -> Vec<String> {
    let (left, right) = (side(model.input_names()), side(model.output_names()));
    let rows = left.len().max(right.len());
    let hidden: Vec<String> = model.topology().hidden().iter().map(|n| format!("{n} tanh")).collect();
    let between = match (hidden.is_empty(), model.topology().has_linear_part()) {
        (false, false) => hidden.join(" ── "),
        (false, true) => hidden.join(" ── ") + " + linear",
        (true, true) => "linear".into(),
        (true, false) => "constant".into(),
    };
    let middle = format!("── {between} ──");
    let widest = left.iter().map(|name| console::measure_text_width(name)).max().unwrap_or(0);
    // The lines meet in the middle row.
    let (above_left, above_right) = ((rows - left.len()) / 2, (rows - right.len()) / 2);
    let centre = above_left + (left.len() - 1) / 2;
    let centre = if left.len() >= right.len() { centre } else { above_right + (right.len() - 1) / 2 };
    let mut lines = Vec::with_capacity(rows);
    for row in 0..rows {
        let name = row.checked_sub(above_left).and_then(|i| left.get(i)).map_or("", String::as_str);
        let mut line = console::pad_str(name, widest, console::Alignment::Right, None).into_owned();
        line.push(' ');
        line.push(joint(row, above_left, left.len(), centre, ['─', '┐', '┘', '┤', '┼']));
        let blank = " ".repeat(console::measure_text_width(&middle));
        line += if row == centre { &middle } else { &blank };
        line.push(joint(row, above_right, right.len(), centre, ['─', '┌', '└', '├', '┼']));
        if let Some(name) = row.checked_sub(above_right).and_then(|i| right.get(i)) {
            line.push(' ');
            line += name;
        }
        lines.push(line.trim_end().to_string());
    }
    lines
}

fn side(names: &[String]) -> Vec<String> {
    let first = if names.len() <= SHOWN { names.len() } else { SHOWN - 1 };
    let mut lines: Vec<String> = names[..first].iter().map(|name| shown(name).into_owned()).collect();
    if first < names.len() {
        lines.push(format!("… {} more", names.len() - first));
    }
    lines
}

/// The line that joins the names of a side: through, first, last, between, and where the layers begin.
fn joint(row: usize, above: usize, count: usize, centre: usize, signs: [char; 5]) -> char {
    let [through, first, last, between, crossing] = signs;
    if count == 1 {
        return if row == above { through } else { ' ' };
    }
    match row.checked_sub(above) {
        Some(0) if row == centre => '┬',
        Some(0) => first,
        Some(i) if i + 1 == count => {
            if row == centre {
                '┴'
            } else {
                last
            }
        }
        Some(i) if i < count => {
            if row == centre {
                crossing
            } else {
                between
            }
        }
        _ => ' ',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use onefold::{Builtin, FitSettings, Method, fit};

    #[test]
    fn lines_meet() {
        let drawn = |builtin: Builtin, hidden: &str| {
            let data = builtin.load(&Default::default()).unwrap();
            let mut settings = FitSettings::for_builtin(builtin, Some(hidden), Method::DE_SB).unwrap();
            settings.stop.max_generations = Some(1);
            settings.cost.output_bias = hidden == "none";
            let model = fit("x", &data, &settings).unwrap().model;
            draw(&model).join("\n")
        };
        assert_eq!(drawn(Builtin::Sinc, "5"), "x ─── 5 tanh ─── y");
        assert_eq!(drawn(Builtin::Sinc, "5-2+linear"), "x ─── 5 tanh ── 2 tanh + linear ─── y");
        assert_eq!(drawn(Builtin::Sinc, "none+linear"), "x ─── linear ─── y");
        assert_eq!(drawn(Builtin::Sinc, "none"), "x ─── constant ─── y");
        let iris = "\
sepal-length ┐              ┌ Iris-setosa
 sepal-width ┼── 3 tanh ──┼ Iris-versicolor
petal-length ┤              └ Iris-virginica
 petal-width ┘";
        assert_eq!(drawn(Builtin::Iris, "3"), iris.replace("              ", "            "));
        assert_eq!(drawn(Builtin::TicTacToe, "2-1").lines().count(), 8);
    }
}
