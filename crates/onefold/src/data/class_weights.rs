//! Weights of classes: rows of a rare class can count more.

use super::{Dataset, winner};
use crate::error::{Error, list, short};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// How much the rows of each class count in training.
///
/// Written `balanced`, or `NAME=WEIGHT,NAME=WEIGHT`, where classes that are not named have weight 1.
///
/// ```
/// use onefold::data::ClassWeights;
/// assert_eq!("balanced".parse(), Ok(ClassWeights::Balanced));
/// let weights: ClassWeights = "rare=10,common=0.5".parse().unwrap();
/// assert_eq!(weights.to_string(), "common=0.5,rare=10");
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub enum ClassWeights {
    /// All classes together count the same: each weight is the inverse of the class's share of the training
    /// rows, divided by the number of classes.
    Balanced,
    /// These classes have these weights, the others weight 1.
    Given(BTreeMap<String, f64>),
}

/// As files have it.
#[derive(Serialize, Deserialize)]
#[serde(untagged, expecting = "expected \"balanced\", \"NAME=WEIGHT,...\" or a map of names and weights")]
enum Written {
    Text(#[serde(deserialize_with = "parsed", serialize_with = "shown")] ClassWeightsText),
    Map(BTreeMap<String, f64>),
}

/// What a text stands for.
struct ClassWeightsText(ClassWeights);

fn parsed<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<ClassWeightsText, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map(ClassWeightsText).map_err(serde::de::Error::custom)
}

fn shown<S: serde::Serializer>(text: &ClassWeightsText, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&text.0)
}

impl From<Written> for ClassWeights {
    fn from(written: Written) -> Self {
        match written {
            Written::Text(text) => text.0,
            Written::Map(weights) => Self::Given(weights),
        }
    }
}

impl From<ClassWeights> for Written {
    fn from(weights: ClassWeights) -> Self {
        match weights {
            ClassWeights::Balanced => Self::Text(ClassWeightsText(ClassWeights::Balanced)),
            ClassWeights::Given(weights) => Self::Map(weights),
        }
    }
}

impl FromStr for ClassWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "balanced" {
            return Ok(Self::Balanced);
        }
        let mut weights = BTreeMap::new();
        let mut name_so_far = String::new();
        for part in text.split(',') {
            // A comma may belong to a name.
            name_so_far.push_str(part);
            let Some((name, weight)) = name_so_far.rsplit_once('=') else {
                name_so_far.push(',');
                continue;
            };
            let weight = weight.trim().parse::<f64>().map_err(|_| {
                format!("the weight \"{}\" of \"{}\" is not a number", weight.trim(), name.trim())
            })?;
            if weights.insert(name.trim().to_string(), weight).is_some() {
                return Err(format!("the class \"{}\" is named twice", name.trim()));
            }
            name_so_far.clear();
        }
        if !name_so_far.is_empty() || weights.is_empty() {
            return Err(format!("\"{text}\" is neither balanced nor NAME=WEIGHT,NAME=WEIGHT"));
        }
        Ok(Self::Given(weights))
    }
}

impl fmt::Display for ClassWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Balanced => f.write_str("balanced"),
            Self::Given(weights) => {
                let pairs: Vec<String> = weights.iter().map(|(name, w)| format!("{name}={w}")).collect();
                f.write_str(&pairs.join(","))
            }
        }
    }
}

impl ClassWeights {
    /// The same rows, their weights multiplied by those of their classes.
    ///
    /// # Errors
    /// If the rows are no classification, a class is not among theirs, or a weight is not positive.
    pub fn apply(&self, data: Dataset) -> Result<Dataset, Error> {
        let wrong = |expected: String| Err(Error::setting("class_weight", self.to_string(), expected));
        if !data.classification {
            return wrong("must be left out of a regression, which has no classes".into());
        }
        let classes: Vec<usize> = (0..data.rows()).map(|row| winner(&data.output(row))).collect();
        let of_classes = match self {
            Self::Balanced => balanced(&data, &classes),
            Self::Given(given) => {
                let mut of_classes = vec![1.0; data.output_names.len()];
                for (name, weight) in given {
                    let Some(class) = data.output_names.iter().position(|class| class == name) else {
                        return wrong(unknown(name, &data.output_names));
                    };
                    if !(*weight > 0.0 && weight.is_finite()) {
                        return wrong(format!(
                            "the weight of \"{name}\" must be positive, not {}",
                            short(*weight)
                        ));
                    }
                    of_classes[class] = *weight;
                }
                of_classes
            }
        };
        let weights = classes.iter().enumerate().map(|(row, class)| data.weight(row) * of_classes[*class]);
        let weights = Some(weights.collect());
        Ok(Dataset { weights, ..data })
    }
}

/// The weight of each class with which all of them count the same.
fn balanced(data: &Dataset, classes: &[usize]) -> Vec<f64> {
    let mut totals = vec![0.0; data.output_names.len()];
    classes.iter().enumerate().for_each(|(row, class)| totals[*class] += data.weight(row));
    let present = totals.iter().filter(|total| **total > 0.0).count() as f64;
    totals.iter().map(|total| data.total_weight() / (present * total)).collect()
}

fn unknown(name: &str, classes: &[String]) -> String {
    let names: Vec<&str> = classes.iter().map(String::as_str).collect();
    let nearest = names.iter().min_by_key(|class| distance(name, class)).copied().unwrap_or_default();
    format!("there is no class \"{name}\"; the nearest is \"{nearest}\" of {}", list(&names))
}

/// Number of characters to insert, delete or replace to get from one text to another.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Dataset {
        let column = |of: [f64; 5]| of.to_vec();
        Dataset {
            inputs: vec![column([1.0, 2.0, 3.0, 4.0, 5.0]).into()],
            outputs: vec![column([1.0, 1.0, 1.0, 1.0, 0.0]), column([0.0, 0.0, 0.0, 0.0, 1.0])],
            input_names: vec!["x".into()],
            output_names: vec!["common".into(), "rare".into()],
            classification: true,
            weights: None,
        }
    }

    #[test]
    fn balanced_classes_count_the_same() {
        let data = ClassWeights::Balanced.apply(rows()).unwrap();
        assert_eq!(data.weights.unwrap(), [0.625, 0.625, 0.625, 0.625, 2.5]);
        let weighted = rows().with_weights(vec![1.0, 2.0, 0.0, 1.0, 2.0]).unwrap();
        let data = ClassWeights::Balanced.apply(weighted).unwrap();
        assert_eq!(data.weights.unwrap(), [0.75, 1.5, 0.75, 3.0]);
    }

    #[test]
    fn given_weights_and_what_is_wrong_with_them() {
        let apply = |text: &str| text.parse::<ClassWeights>().unwrap().apply(rows());
        assert_eq!(apply("rare=3").unwrap().weights.unwrap(), [1.0, 1.0, 1.0, 1.0, 3.0]);
        let message = |text: &str| apply(text).unwrap_err().to_string();
        assert_eq!(
            message("Rar=3"),
            "class_weight is Rar=3, but there is no class \"Rar\"; the nearest is \"rare\" of common, rare"
        );
        assert!(message("rare=0").contains("the weight of \"rare\" must be positive, not 0"));
        let regression = Dataset { classification: false, ..rows() };
        assert!(ClassWeights::Balanced.apply(regression).unwrap_err().to_string().contains("regression"));
        for text in ["", "rare", "rare=x", "=", "rare=1,rare=2", "rare=1,", "a,b"] {
            assert!(text.parse::<ClassWeights>().is_err(), "{text}");
        }
        let with_comma: ClassWeights = "a, b=2,c=1".parse().unwrap();
        assert_eq!(with_comma.to_string(), "a, b=2,c=1");
    }

    #[test]
    fn files_have_a_text_or_a_map() {
        let read = |text: &str| serde_json::from_str::<ClassWeights>(text);
        assert_eq!(read("\"balanced\"").unwrap(), ClassWeights::Balanced);
        let map = read(r#"{"rare": 3.0}"#).unwrap();
        assert_eq!(map, "rare=3".parse().unwrap());
        assert_eq!(read("\"rare=3\"").unwrap(), map);
        for weights in [ClassWeights::Balanced, map] {
            assert_eq!(read(&serde_json::to_string(&weights).unwrap()).unwrap(), weights);
        }
        assert!(read("7").is_err());
    }
}
