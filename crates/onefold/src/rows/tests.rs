use super::*;
use crate::Dataset;
use crate::data::{Scaler, Scaling, TargetScaler, TargetScaling};

fn data(rows: u32) -> Dataset {
    let column = |k: u32| (0..rows).map(|i| f64::from(i * k % 97) - 3.0).collect::<Vec<f64>>();
    Dataset {
        inputs: vec![column(3).into(), column(5).into()],
        outputs: vec![column(7)],
        ..Dataset::default()
    }
}

#[test]
fn scaled_on_the_way_is_scaled_before() {
    let data = data(1003);
    let scaler = Scaler::learn(Scaling::Standard, &data).unwrap();
    let targets = TargetScaler::learn(TargetScaling::Standard, &data);
    let columns = Columns::scaled(&data, &scaler, targets.as_ref());
    let mut scaled = scaler.apply_all(&data);
    let targets = targets.unwrap();
    scaled.outputs[0].iter_mut().for_each(|y| *y = (*y - targets.offset[0]) / targets.scale[0]);
    assert_eq!(columns.to_dataset(), scaled);
    let samples = Samples::new(&scaled);
    let (one, other) = (Source::Samples(&samples), Source::Columns(&columns));
    assert_eq!((one.rows(), one.blocks()), (other.rows(), other.blocks()));
    for range in [0..1, 7..100, 90..one.blocks()] {
        let mut read = [Block::splat(9.0); 2].map(|block| vec![block; 2 * range.len()]);
        one.read_inputs(&range, &mut read[0]);
        other.read_inputs(&range, &mut read[1]);
        assert_eq!(read[0], read[1]);
        one.read_targets(&range, &mut read[0][..range.len()]);
        other.read_targets(&range, &mut read[1][..range.len()]);
        assert_eq!(read[0], read[1]);
    }
}

#[test]
fn samples_are_nested_parts_of_about_the_right_size() {
    let data = data(40_000);
    let columns = Columns::unscaled(&data);
    let all = columns.sample(0);
    assert_eq!((all.rows, all.inputs), (40_000, Samples::new(&data).inputs));
    let mut larger = all.rows;
    for halvings in 1..=5 {
        let sample = columns.sample(halvings);
        let expected = 40_000.0 / f64::from(1 << halvings);
        assert!((sample.rows as f64 - expected).abs() < 5.0 * expected.sqrt(), "{} rows", sample.rows);
        assert!(sample.rows < larger);
        larger = sample.rows;
    }
}
