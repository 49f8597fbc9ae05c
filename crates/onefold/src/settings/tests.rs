use super::overrides::*;
use super::*;
use crate::Method;
use crate::data::Scaling;
use crate::objective::Radius;
use crate::optimizer::{Reference, Weight};

fn sinc(overrides: &Overrides) -> Result<FitSettings, Error> {
    overrides.for_builtin(Builtin::Sinc, &Builtin::Sinc.load(&Default::default())?.train)
}

fn read(text: &str) -> Result<Overrides, serde_json::Error> {
    serde_json::from_str(text)
}

#[test]
fn what_is_left_out_keeps_its_default() {
    for method in Method::all() {
        let overrides = Overrides { method: Some(method), ..Overrides::default() };
        assert_eq!(sinc(&overrides).unwrap(), FitSettings::for_builtin(Builtin::Sinc, None, method).unwrap());
    }
}

#[test]
fn values_are_read_in_every_way_they_are_written() {
    let given = read(
        r#"{"hidden": 3, "max_evaluations": 1e6, "start": "-2..2", "bounds": [-3, 3], "weight": "0.4..0.9",
            "dither": "trial", "penalty_radius": 4.5, "scaling": "min-max", "reference": "mean", "method": "de-sb"}"#,
    );
    let settings = sinc(&given.unwrap()).unwrap();
    assert_eq!(settings.topology.to_string(), "1-3-1");
    assert_eq!(settings.stop.max_evaluations, Some(1_000_000));
    assert_eq!(
        (settings.method.common.start, settings.method.common.bounds),
        ((-2.0, 2.0), Some((-3.0, 3.0)))
    );
    let de = settings.method.own::<crate::DeSettings>().unwrap();
    assert_eq!((de.weight, de.align_to), (Weight::DitherTrial(0.4, 0.9), Reference::Mean));
    assert_eq!((settings.cost.penalty_radius, settings.scaling), (Radius::Fixed(4.5), Scaling::MinMax));
    let off = read(r#"{"penalty_radius": "off", "scaling": "4"}"#).unwrap();
    assert_eq!((off.penalty_radius, off.scaling), (Some(Radius::Off), Some(Scaling::DivideBy(4.0))));
    for bad in
        [r#"{"colour": 1}"#, r#"{"max_evaluations": 1.5}"#, r#"{"start": "a..b"}"#, r#"{"scaling": "huge"}"#]
    {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_linear_part_is_given_in_three_ways() {
    let topology = |text: &str| sinc(&read(text).unwrap()).map(|settings| settings.topology.to_string());
    for (text, expected) in [
        (r#"{"linear_part": true}"#, "1-5-1+linear"),
        (r#"{"linear_part": false}"#, "1-5-1"),
        (r#"{"hidden": 3, "linear_part": true}"#, "1-3-1+linear"),
        (r#"{"hidden": "3-2+linear"}"#, "1-3-2-1+linear"),
        (r#"{"hidden": "3+linear", "linear_part": true}"#, "1-3-1+linear"),
        (r#"{"topology": "1-3-1+linear"}"#, "1-3-1+linear"),
        (r#"{"topology": "1-3-1", "linear_part": true}"#, "1-3-1+linear"),
        (r#"{"hidden": "none", "linear_part": true}"#, "1-1+linear"),
        (r#"{"hidden": "none", "output_bias": true}"#, "1-1"),
        (r#"{"topology": "1-1", "output_bias": true, "max_evaluations": 1}"#, "1-1"),
    ] {
        assert_eq!(topology(text).unwrap(), expected, "{text}");
    }
    for text in [
        r#"{"hidden": "3+linear", "linear_part": false}"#,
        r#"{"topology": "1-3-1+linear", "linear_part": false}"#,
    ] {
        let message = topology(text).unwrap_err().to_string();
        assert_eq!(
            message,
            "linear_part is no, but the network 3+linear has a linear part; leave one of both out"
        );
    }
    assert!(topology(r#"{"hidden": "none"}"#).unwrap_err().to_string().starts_with("output_bias is no"));
}

#[test]
fn what_has_no_effect_is_refused() {
    let message = |text: &str| sinc(&read(text).unwrap()).unwrap_err().to_string();
    assert!(
        message(r#"{"method": "auto", "bounds": [-1, 1]}"#).starts_with("bounds is for de, de-sb, cma-es")
    );
    assert!(message(r#"{"method": "multistart", "spread": 1e-3}"#).contains("no effect with multistart"));
    assert!(
        message(r#"{"method": "de", "align": "ideal"}"#).starts_with("align is for de-sb, cma-es-sb, jade")
    );
    assert!(
        message(r#"{"method": "cma-es", "mutation": "rand1"}"#).starts_with("mutation is for de and de-sb")
    );
    assert!(message(r#"{"method": "de", "covariance": "full"}"#).starts_with("covariance is for cma-es"));
    assert!(message(r#"{"method": "de", "dither": "trial"}"#).contains("needs a weight LOW..HIGH"));
    assert!(message(r#"{"hidden": "3", "topology": "1-3-1"}"#).contains("must be left out"));
    assert!(message(r#"{"topology": "2-3-1"}"#).contains("has 2 inputs, but the data has 1"));
}

#[test]
fn descents_use_the_matrix_where_few_multiplications_make_it() {
    let data = |rows: usize, inputs: usize| Dataset {
        inputs: vec![vec![0.0; rows].into(); inputs],
        outputs: vec![vec![0.0; rows]],
        ..Dataset::default()
    };
    let steps = |data: &Dataset, hidden: &str| {
        let settings = FitSettings::for_data(data, hidden, Method::AUTO).unwrap();
        settings.method.own::<LocalSettings>().unwrap().max_steps
    };
    let (with_matrix, with_gradients) = (LocalSettings::default().max_steps, STEPS_WITH_GRADIENTS);
    let long = data(200_000, 10);
    assert_eq!(steps(&long, "8"), with_matrix);
    // Relative to an evaluation the matrix takes little more time than with eight neurons, but much in all.
    assert_eq!(steps(&long, "64"), with_gradients);
    assert_eq!(steps(&data(4000, 10), "64"), with_matrix);
    // With many inputs it takes long relative to an evaluation.
    assert_eq!(steps(&data(300, 100), "16"), with_gradients);
}
