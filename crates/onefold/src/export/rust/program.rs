//! Checks an exported network on rows with known outputs: ends with 1 where one differs by more than rounding.

#[path = FILE]
mod network;

/// A row, its outputs, and the class where there is one that rounding cannot change.
type Test = (INPUT, [f64; network::OUTPUTS], Option<usize>);

static TESTS: [Test; COUNT] = ROWS;
const TOLERANCE: [f64; network::OUTPUTS] = TOLERANCES;

fn main() {
    let (mut wrong, mut largest) = (0, 0.0_f64);
    for (n, (row, outputs, class)) in TESTS.iter().enumerate() {
        let found = PREDICT;
        let mut is_wrong = class.is_some() && CLASSIFY != *class;
        for ((y, expected), most) in found.iter().zip(outputs).zip(&TOLERANCE) {
            let difference = (f64::from(*y) - expected).abs();
            largest = largest.max(difference);
            is_wrong |= !(difference <= *most);
        }
        if is_wrong {
            println!("row {n}: {found:?} instead of {outputs:?}: {row:?}");
            wrong += 1;
        }
    }
    println!("{} of {} rows are right; largest difference {largest:.1e}", TESTS.len() - wrong, TESTS.len());
    std::process::exit(if wrong > 0 { 1 } else { 0 });
}
