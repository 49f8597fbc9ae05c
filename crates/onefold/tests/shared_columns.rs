//! Columns that are kept elsewhere: training reads them where they are, with the same bits.

use onefold::automatic::Automatic;
use onefold::data::{Column, Numbers};
use onefold::{Cancellation, Dataset, TrainTest};
use std::sync::Arc;

/// A column of an array that is stored row by row.
#[derive(Debug)]
struct Strided {
    numbers: Arc<[f64]>,
    first: usize,
    step: usize,
}

impl Numbers for Strided {
    fn len(&self) -> usize {
        self.numbers.len() / self.step
    }

    fn get(&self, row: usize) -> f64 {
        self.numbers[self.first + row * self.step]
    }
}

const INPUTS: usize = 3;

/// More rows than are kept in memory, in columns of their own or of an array.
fn data(is_shared: bool, is_classification: bool) -> Dataset {
    let rows = 6000_u32;
    let number = |row: u32, input: u32| (f64::from((row * 7 + 1) * (input + 3) % 6007)).sin();
    let numbers: Arc<[f64]> = (0..rows).flat_map(|row| (0..3).map(move |input| number(row, input))).collect();
    let answers = (0..rows as usize).map(|row| numbers[INPUTS * row] * numbers[INPUTS * row + 1]);
    let classes = |sign: f64| answers.clone().map(|y| f64::from(u8::from(y * sign > 0.0))).collect();
    let column = |first| {
        let column = Strided { numbers: Arc::clone(&numbers), first, step: INPUTS };
        let column = Column::shared(Arc::new(column));
        if is_shared { column } else { column.to_vec().into() }
    };
    let outputs = if is_classification { vec![classes(1.0), classes(-1.0)] } else { vec![answers.collect()] };
    Dataset {
        inputs: (0..INPUTS).map(column).collect(),
        input_names: (0..INPUTS).map(|i| format!("x{i}")).collect(),
        output_names: (0..outputs.len()).map(|i| format!("y{i}")).collect(),
        outputs,
        classification: is_classification,
        weights: None,
    }
}

#[test]
fn training_does_not_copy_them() {
    for (is_classification, hidden) in
        [(false, "none+linear"), (true, "none+linear"), (false, "2"), (true, "2")]
    {
        let options =
            format!(r#"{{"hidden": "{hidden}", "decay": 1e-3, "max_evaluations": 100, "seed": 1}}"#);
        let fit = |is_shared| {
            let given =
                Automatic { overrides: serde_json::from_str(&options).unwrap(), ..Automatic::default() };
            let (train, _) = data(is_shared, is_classification).merged(None);
            let data = TrainTest { train, ..TrainTest::default() };
            let fit = given.fit("rows", &data, &Cancellation::default(), &mut |_| {}).unwrap();
            assert!(data.train.inputs.iter().all(|column| column.is_copied() != is_shared), "{options}");
            fit.fitted.model.to_json()
        };
        assert_eq!(fit(true), fit(false), "{options}");
    }
}

#[test]
fn rows_of_them_are_selected_changed_and_merged_like_others() {
    let (mut shared, mut own) = (data(true, false), data(false, false));
    assert_eq!(shared, own);
    assert_eq!(shared.select(&[5, 3, 5]), own.select(&[5, 3, 5]));
    assert_eq!(shared.select(&[5, 3, 5]).merged(None), own.select(&[5, 3, 5]).merged(None));
    assert_eq!(serde_json::to_string(&shared).unwrap(), serde_json::to_string(&own).unwrap());
    assert!(shared.inputs.iter().all(|column| !column.is_copied()));
    for data in [&mut shared, &mut own] {
        data.inputs[1][7] = 4.0;
        data.inputs[2].extend([8.0]);
    }
    assert_eq!((shared.inputs[1].get(7), shared.inputs[2].len()), (4.0, 6001));
    assert_eq!(shared, own);
    assert!(!shared.inputs[0].is_copied());
}
