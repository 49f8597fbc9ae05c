use super::*;

fn texts(svg: &str) -> Vec<&str> {
    svg.split("<text").skip(1).filter_map(|part| part.split('>').nth(1)?.split('<').next()).collect()
}

fn chart(x: Axis, y: Axis, layers: Vec<Layer>) -> String {
    Chart { x, y, layers, height: Some(LOW) }.to_svg()
}

#[test]
fn labels_are_round_numbers() {
    let svg = chart(Axis::linear("price", (0.0, 2100.0)), Axis::fraction("share"), Vec::new());
    let found = texts(&svg);
    for expected in ["0", "500", "1,000", "2,000", "price", "0 %", "100 %", "share"] {
        assert!(found.contains(&expected), "{expected} in {found:?}");
    }
    let log = chart(Axis::log("evaluations", (1e3, 1e9)), Axis::log("cost", (0.02, 0.9)), Vec::new());
    let found = texts(&log);
    assert!(found.contains(&"10³") && found.contains(&"0.1") && found.contains(&"0.5"), "{found:?}");
}

#[test]
fn every_range_has_an_axis() {
    for range in [(0.0, 1e-9), (-1e12, 1e12), (1e300, 1.1e300), (3.0, 3.0), (f64::NAN, 1.0)] {
        let svg = chart(Axis::linear("a", range), Axis::linear("b", range), Vec::new());
        assert!(svg.ends_with("</svg></svg>") && svg.len() < 20_000, "{range:?}");
    }
    assert_eq!(range_of([].into_iter(), 0.1), (0.0, 1.0));
    assert_eq!(range_of([2.0, f64::NAN, 4.0].into_iter(), 0.5), (1.0, 5.0));
}

#[test]
fn points_that_are_not_numbers_are_left_out_and_lines_interrupted() {
    let (x, y) = (Axis::linear("", (0.0, 1.0)), Axis::linear("", (0.0, 1.0)));
    let line = vec![(0.0, 0.0), (0.5, f64::NAN), (0.6, 0.5), (1.0, f64::INFINITY)];
    let svg = chart(x, y, vec![Layer::Line(Style(0), line.clone()), Layer::Cloud(Style(11), line)]);
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert!(svg.contains("class=\"line s0 d0\"") && svg.contains("class=\"dots s1 d1\""), "{svg}");
    assert_eq!(svg.matches("h0").count(), 2);
}

#[test]
fn names_are_text() {
    let hostile = "</svg><script>alert(1)</script>";
    let names = Axis::names(hostile, vec![hostile.into()], true);
    let svg = chart(Axis::linear(hostile, (0.0, 1.0)), names, Vec::new());
    assert!(!svg.contains("<script") && svg.matches("</svg>").count() == 2, "{svg}");
}
