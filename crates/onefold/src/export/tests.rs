use super::emulation::{double_exp, double_tanh, float_exp, float_tanh};
use super::*;
use crate::{Builtin, FitSettings, Method, fit, oracle};

/// What the texts say. Every float has been tried; for doubles, adding up the rounding errors where they
/// weigh most, just above `ln 2 / 4`, gives 3.2.
const FLOAT_MAX_ULP: f64 = 2.5;
const DOUBLE_MAX_ULP: f64 = 3.5;

#[test]
fn the_exported_tanh_is_within_its_stated_bound() {
    let mut worst: f64 = 0.0;
    let sweep = (0..40_000).map(|i| 2f64.powf(-1074.0 + 1079.0 * f64::from(i) / 40_000.0));
    for x in sweep
        .chain((0..400_000).map(|i| 0.17 + f64::from(i) * 1e-6))
        .chain((0..50_000).map(|i| f64::from(i) * 4.1e-4))
    {
        let exact = oracle::tanh(x);
        let ulp = f64::from(exact).next_up() - f64::from(exact);
        worst = worst.max(f64::from(oracle::Double::from(double_tanh(x)) - exact).abs() / ulp);
    }
    assert!((0.5..=DOUBLE_MAX_ULP).contains(&worst), "double: {worst}");
    // Every 211th of all positive floats. In double, the standard library's tanh is exact enough to judge.
    let mut worst: f64 = 0.0;
    for x in (0..f32::INFINITY.to_bits()).step_by(211).map(f32::from_bits) {
        let exact = f64::from(x).tanh();
        let ulp = f64::from((exact as f32).next_up()) - f64::from(exact as f32);
        worst = worst.max((f64::from(float_tanh(x)) - exact).abs() / ulp);
    }
    assert!((0.5..=FLOAT_MAX_ULP).contains(&worst), "float: {worst}");
}

#[test]
fn the_exported_tanh_at_special_values() {
    assert!(double_tanh(f64::NAN).is_nan() && float_tanh(f32::NAN).is_nan());
    for (x, y) in
        [(0.0, 0.0), (f64::INFINITY, 1.0), (1e300, 1.0), (20.0, 1.0), (5e-324, 5e-324), (1e-300, 1e-300)]
    {
        for sign in [1.0, -1.0] {
            assert_eq!(double_tanh(sign * x).to_bits(), (sign * y).to_bits(), "{x}");
            assert_eq!(float_tanh((sign * x) as f32).to_bits(), ((sign * y) as f32).to_bits(), "{x}");
        }
    }
}

#[test]
fn the_exported_exp_is_within_its_stated_bound() {
    let mut worst: f64 = 0.0;
    let sweep = (0..40_000).map(|i| 2f64.powf(-60.0 + 69.4 * f64::from(i) / 40_000.0));
    for x in sweep.chain((0..400_000).map(|i| f64::from(i) * 1.77e-3)).filter(|x| *x <= 708.0) {
        let exact = oracle::exp(-x);
        let ulp = f64::from(exact).next_up() - f64::from(exact);
        worst = worst.max(f64::from(oracle::Double::from(double_exp(-x)) - exact).abs() / ulp);
    }
    assert!((0.5..=1.0).contains(&worst), "double: {worst}");
    // Every 101st of all floats down to -86. In double, exp is exact enough to judge.
    let mut worst: f64 = 0.0;
    for x in (0..=86_f32.to_bits()).step_by(101).map(f32::from_bits) {
        let exact = libm::exp(f64::from(-x));
        let ulp = f64::from(exact as f32) - f64::from((exact as f32).next_down());
        worst = worst.max((f64::from(float_exp(-x)) - exact).abs() / ulp);
    }
    assert!((0.5..=1.0).contains(&worst), "float: {worst}");
}

#[test]
fn the_exported_exp_at_special_values() {
    assert!(double_exp(f64::NAN).is_nan() && float_exp(f32::NAN).is_nan());
    for (x, y) in [(0.0, 1.0), (-0.0, 1.0), (-1e-300, 1.0), (f64::NEG_INFINITY, 0.0), (-1e300, 0.0)] {
        assert_eq!(double_exp(x).to_bits(), f64::to_bits(y), "{x}");
        assert_eq!(float_exp(x as f32).to_bits(), (y as f32).to_bits(), "{x}");
    }
}

fn model() -> Model {
    with_hidden("3")
}

fn with_hidden(hidden: &str) -> Model {
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    let mut settings = FitSettings::for_builtin(Builtin::Iris, Some(hidden), Method::DE_SB).unwrap();
    settings.stop.max_generations = Some(2);
    settings.cost.output_bias = hidden == "none";
    settings.scaling = crate::Scaling::Standard;
    fit("iris", &data, &settings).unwrap().model
}

fn with_probabilities() -> Model {
    let data = Builtin::Iris.load(&Default::default()).unwrap();
    let mut settings = FitSettings::for_builtin(Builtin::Iris, Some("3"), Method::DE_SB).unwrap();
    settings.stop.threshold = None;
    settings.stop.max_generations = Some(20);
    settings.cost.output_bias = true;
    settings.output_layer = crate::settings::OutputLayer::Logistic;
    fit("iris", &data, &settings).unwrap().model.with_rounding_on(&data.train)
}

/// Also on rows that were not tried, the probabilities of every way to compute differ by no more than stated.
#[test]
fn probabilities_change_by_no_more_than_is_stated() {
    let model = with_probabilities();
    let ranges = &model.training_rows().unwrap().inputs;
    for precision in [Precision::Float, Precision::Double] {
        let settings = ExportSettings { precision: Some(precision), ..Default::default() };
        let stated = model.rounding(&settings).unwrap();
        let limit = if precision == Precision::Float { 1e-3 } else { 1e-11 };
        assert!(stated.largest() < limit && !stated.is_too_much(), "{stated:?}");
        let network = Network::new(&model, &settings).unwrap();
        let mut rng = crate::rng::Rng::stream(5, crate::rng::Purpose::Data, 0, 0);
        for _ in 0..20_000 {
            let row: Vec<f64> = ranges.iter().map(|r| rng.between(r.low, r.high)).collect();
            let expected = model.predict(&row);
            let found = emulation::outputs(&network, &row);
            for found in found {
                for ((p, expected), most) in found.iter().zip(&expected).zip(&stated.max) {
                    assert!((p - expected).abs() <= *most, "{row:?}: {p} {expected} {most}");
                }
            }
        }
    }
}

fn refusal(model: &Model, settings: &ExportSettings) -> String {
    model.export(settings).unwrap_err().to_string()
}

#[test]
fn names_become_identifiers_or_are_refused() {
    for (text, expected) in [
        ("iris", "iris"),
        ("sinc-1-5-1-de-sb-7", "sinc_1_5_1_de_sb_7"),
        ("2 spirals", "model_2_spirals"),
        ("_x_", "x"),
        ("", "model"),
        ("\u{e9}t\u{e9}", "t"),
        ("\u{6f22}", "model"),
    ] {
        assert_eq!(ExportSettings::identifier(text), expected);
    }
    let model = model();
    for name in ["", "9x", "a b", "a-b", "_a", "a_", "\u{e9}", "a\n"] {
        let message = refusal(&model, &ExportSettings { name: name.into(), ..Default::default() });
        assert!(message.starts_with(&format!("name is {name:?}, but must be an identifier")), "{message}");
    }
}

#[test]
fn what_does_not_fit_the_precision_is_refused() {
    let float = ExportSettings::default();
    let double = ExportSettings { precision: Some(Precision::Double), ..Default::default() };
    let mut wide = model();
    wide.parts_mut().1[1][0] = 1e39;
    assert!(refusal(&wide, &float).contains("the model's 1e39 does not fit it; use double"));
    assert!(wide.export(&double).is_ok());
    let mut narrow = model();
    narrow.parts_mut().2.scale[0] = 1e-60;
    assert!(refusal(&narrow, &float).contains("the model's 1e-60 does not fit it; use double"));
    assert!(narrow.export(&double).is_ok());
    let mut broken = model();
    broken.parts_mut().0[0] = f64::NAN;
    assert!(refusal(&broken, &double).contains("a weight NaN"));
    let javascript = ExportSettings {
        format: ExportFormat::Javascript,
        precision: Some(Precision::Float),
        ..Default::default()
    };
    assert!(refusal(&model(), &javascript).contains("javascript computes in double"));
}

#[test]
fn numbers_give_back_every_bit() {
    let model = model();
    for precision in [Precision::Float, Precision::Double] {
        let settings = ExportSettings { precision: Some(precision), ..Default::default() };
        let network = Network::new(&model, &settings).unwrap();
        let mut bits = 1_u64;
        for _ in 0..100_000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let v = match precision {
                Precision::Float => f64::from(f32::from_bits((bits >> 32) as u32)),
                Precision::Double => f64::from_bits(bits),
            };
            if v.is_finite() {
                let text = network.number(v);
                let read: f64 = text.parse().unwrap();
                assert_eq!(network.rounded(read).to_bits(), v.to_bits(), "{text}");
                assert!(text.contains(['.', 'e']), "{text} would be an integer");
            }
        }
    }
}

#[test]
fn source_text_is_ascii_without_trailing_spaces() {
    for (hidden, format) in ["3", "3+linear", "none+linear", "none", "3 with probabilities"]
        .into_iter()
        .flat_map(|h| ExportFormat::ALL.map(|f| (h, f)))
    {
        let mut model =
            if hidden == "3 with probabilities" { with_probabilities() } else { with_hidden(hidden) };
        model.parts_mut().3[0] = "*/ \u{202e} ??/\n".into();
        let bytes = model.export(&ExportSettings { format, ..Default::default() }).unwrap();
        if format != ExportFormat::Onnx {
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.is_ascii() && text.ends_with('\n'), "{format:?}");
            assert!(text.lines().all(|line| line.trim_end() == line && line.len() <= 120), "{format:?}");
        }
    }
}

/// Within the bound that is stated, on rows that were not tried; and the same class but for near ties.
#[test]
fn a_network_of_integers_stays_within_its_bound() {
    for model in [
        with_hidden("3"),
        with_hidden("3-2"),
        with_hidden("3+linear"),
        with_hidden("none"),
        with_probabilities(),
    ] {
        let settings = ExportSettings { format: ExportFormat::CFixed, ..Default::default() };
        let network = Network::new(&model, &settings).unwrap();
        let fixed = network.fixed.as_ref().unwrap();
        let ranges = &model.training_rows().unwrap().inputs;
        let mut rng = crate::rng::Rng::stream(6, crate::rng::Purpose::Data, 0, 0);
        let mut largest: f64 = 0.0;
        for n in 0..5000 {
            let at_end = |r: &crate::model::InputRange, u: f64| if u < 0.5 { r.low } else { r.high };
            let value = |r: &crate::model::InputRange| {
                let u = rng.uniform();
                if n % 5 == 0 { at_end(r, u) } else { r.low + u * (r.high - r.low) }
            };
            let row: Vec<f64> = ranges.iter().map(value).collect();
            for ((y, expected), most) in fixed.outputs(&row).iter().zip(model.predict(&row)).zip(&fixed.bound)
            {
                assert!((y - expected).abs() <= *most, "{row:?}: {y} {expected} {most}");
                largest = largest.max((y - expected).abs() / most);
            }
        }
        // The bound would say nothing if it were far from what happens.
        assert!(largest > 0.01, "{largest}");
    }
}

#[test]
fn what_integers_cannot_do_is_refused() {
    let settings = ExportSettings { format: ExportFormat::CFixed, ..Default::default() };
    let mut wide = model();
    wide.parts_mut().0[0] = 1e9;
    assert!(refusal(&wide, &settings).contains("a weight of the model is too large for 16 bits"));
    let double = ExportSettings { precision: Some(Precision::Double), ..settings };
    assert!(refusal(&model(), &double).contains("c-fixed computes with integers; leave it out"));
}

mod angle {
    #![allow(clippy::unreadable_literal, clippy::excessive_precision)]
    include!("rust/angle.rs");
    pub(super) fn exported(x: f64) -> [f64; 2] {
        sincos(x)
    }
}

#[test]
fn the_exported_sine_and_cosine_are_within_their_stated_bound() {
    let mut worst: f64 = 0.0;
    for i in 0..=200_000 {
        let x = std::f64::consts::TAU * f64::from(i) / 200_000.0;
        let [sin, cos] = angle::exported(x);
        let (exact_sin, exact_cos) = libm::sincos(x);
        worst = worst.max((sin - exact_sin).abs()).max((cos - exact_cos).abs());
    }
    // The library to compare with rounds itself.
    assert!(worst <= 2.3e-16, "{worst:e}");
}

/// Names of networks that contain what templates replace.
#[test]
fn names_of_networks_are_no_part_of_templates() {
    assert_eq!(text::fill("NAME_a REAL", &[("NAME_", "FILENAME_"), ("REAL", "NAME_")]), "FILENAME_a NAME_");
    for format in [ExportFormat::C, ExportFormat::CFixed] {
        let of = |name: &str| {
            let settings = ExportSettings { format, name: name.into(), ..Default::default() };
            let header = String::from_utf8(model().export(&settings).unwrap()).unwrap();
            let program = String::from_utf8(model().export_tests(&settings, "x.h").unwrap()).unwrap();
            header + &program
        };
        let plain = of("plain");
        for name in ["realty", "filename", "phone_half", "Real_COUNT_rows"] {
            let renamed = of(name).replace(&name.to_uppercase(), "PLAIN").replace(name, "plain");
            assert_eq!(renamed.split_whitespace().count(), plain.split_whitespace().count(), "{name}");
            assert!(renamed.contains("plain_predict_row") && renamed.contains("PLAIN_OUTPUTS"), "{name}");
        }
    }
}
