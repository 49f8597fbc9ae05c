use super::*;

fn topology(text: &str) -> Topology {
    text.parse().unwrap()
}

#[test]
fn dimensions_of_the_paper() {
    let dims =
        ["1-3-1", "1-5-1", "1-6-1", "2-3-1-3-1", "4-3-3", "9-8-2", "4-5-1-5-3", "2-10-1-10-2", "2-9-1-9-2"]
            .map(|t| topology(t).dim());
    assert_eq!(dims, [6, 10, 12, 19, 15, 80, 41, 61, 55]);
}

#[test]
fn the_fan_in_counts_inputs_and_the_shift() {
    let t = topology("2-3-1-3-1");
    let expected: Vec<usize> = [vec![3; 9], vec![4; 4], vec![2; 6]].concat();
    assert_eq!(t.fan_in().collect::<Vec<_>>(), expected);
}

#[test]
fn text_round_trip() {
    for text in ["1-5-1", "2-3-1-3-1", "4-10-3"] {
        assert_eq!(topology(text).to_string(), text);
    }
    assert_eq!(Topology::with_hidden(2, "3-1-3", 1).unwrap(), topology("2-3-1-3-1"));
    for (hidden, text) in
        [("3-1-3", "2-3-1-3-1"), ("5+linear", "2-5-1+linear"), ("none", "2-1"), ("none+linear", "2-1+linear")]
    {
        let topology = topology(text);
        assert_eq!((topology.to_string(), topology.hidden_text()), (text.into(), hidden.into()));
        assert_eq!(Topology::with_hidden(2, hidden, 1).unwrap(), topology);
        assert_eq!(serde_json::from_str::<Topology>(&format!("\"{text}\"")).unwrap(), topology);
        assert_eq!(topology.has_linear_part(), text.ends_with("+linear"));
    }
}

#[test]
fn a_linear_part_adds_columns_and_nothing_to_search() {
    let (plain, linear) = (topology("4-5-3-2"), topology("4-5-3-2+linear"));
    assert_eq!((plain.dim(), linear.dim()), (43, 43));
    assert_eq!((plain.readout_columns(), linear.readout_columns()), (3, 7));
    assert_eq!((plain.parameters(true), linear.parameters(true)), (43 + 2 * 4, 43 + 2 * 8));
    assert_eq!(plain.symmetric_equivalents().to_bits(), linear.symmetric_equivalents().to_bits());
    assert_eq!((linear.clone().with_linear_part(false), plain.with_linear_part(true)), {
        let layers: Topology = "4-5-3-2".parse().unwrap();
        (layers, linear)
    });
    let (constant, linear) = (topology("4-2"), topology("4-2+linear"));
    assert_eq!((constant.dim(), linear.dim(), linear.last_hidden()), (0, 0, 0));
    assert_eq!((constant.readout_columns(), linear.readout_columns()), (0, 4));
    assert!(constant.hidden().is_empty() && constant.fan_in().next().is_none());
    assert_eq!(constant.symmetric_equivalents().to_bits(), 1.0_f64.to_bits());
    assert!(constant.check_columns(true).is_ok() && linear.check_columns(false).is_ok());
    assert!(
        constant.check_columns(false).unwrap_err().to_string().contains("output biases or a linear part")
    );
}

#[test]
fn blocks_of_neighbouring_layers_share_exactly_the_connecting_weights() {
    let t = topology("2-3-2-1");
    // Layer 0: 3 neurons of (2 weights, shift); layer 1: 2 neurons of (3 weights, shift).
    assert_eq!(t.neuron(0, 1), 3..6);
    assert_eq!(t.neuron(1, 1), 13..17);
    assert_eq!(t.outgoing(0, 1).collect::<Vec<_>>(), [10, 14]);
    assert_eq!(t.outgoing(1, 0).count(), 0);
    assert_eq!(t.block(0, 2).collect::<Vec<_>>(), [6, 7, 8, 11, 15]);
    // Every parameter is in one block of its own layer; connecting weights also in one of the layer before.
    let mut seen = vec![0; t.dim()];
    for (layer, width) in t.hidden().iter().enumerate() {
        for n in 0..*width {
            t.block(layer, n).for_each(|i| seen[i] += 1);
        }
    }
    let expected: Vec<i32> = (0..17).map(|i| if i >= 9 && (i - 9) % 4 < 3 { 2 } else { 1 }).collect();
    assert_eq!(seen, expected);
}

#[test]
fn bad_topologies_say_why() {
    let reason = |text: &str| text.parse::<Topology>().unwrap_err().to_string();
    assert_eq!(reason("1-0-1"), "\"1-0-1\" is no network topology: layer 2 of 3 has no neurons");
    assert!(reason("five").contains("\"five\" is not a layer width"));
    assert!(reason("5").contains("it needs inputs and outputs"));
    assert_eq!(reason("0-1"), "\"0-1\" is no network topology: layer 1 of 2 has no neurons");
    assert!(reason("1-0+linear").contains("layer 2 of 2 has no neurons"));
    for text in ["1-5-1+linear+linear", "1-5-1+", "1-5-1+lin", "1+linear-5-1", "+5"] {
        assert!(reason(text).contains("only +linear may follow the layers, and once"), "{text}");
    }
    for text in ["none-3", "3-none", "none-none+linear"] {
        let reason = Topology::with_hidden(1, text, 1).unwrap_err().to_string();
        assert!(reason.contains("none stands alone"), "{reason}");
    }
    assert!(reason("1-none-1").contains("none stands alone"));
    assert!(reason("1-99999999-1").contains("at most"));
    assert!(reason("1-1000000-1000000-1").contains("2^32"));
    assert!(reason("").contains("not a layer width"));
    assert!(reason("1--5").contains("not a layer width"));
}

#[test]
fn equivalents() {
    assert_eq!(topology("1-5-1").symmetric_equivalents().to_bits(), (32.0_f64 * 120.0).to_bits());
    assert_eq!(topology("2-3-1-3-1").symmetric_equivalents().to_bits(), (48.0_f64 * 2.0 * 48.0).to_bits());
}
