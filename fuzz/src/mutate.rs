//! Mutations of good inputs.

use crate::{Seeds, Target};
use onefold::rng::{Purpose, Rng, Streams};
use serde_json::Value;

/// Texts that readers of numbers, CSV, JSON and TOML often get wrong.
const TOKENS: [&str; 32] = [
    "",
    "0",
    "-0",
    "1",
    "-1",
    "1e400",
    "-1e308",
    "1e-320",
    "NaN",
    "inf",
    "null",
    "true",
    "99999999999999999999",
    "18446744073709551615",
    "0.1",
    "\"",
    "\"\"",
    ",",
    ";",
    "\n",
    "\r\n",
    "\t",
    "|",
    "[[[[[[[[",
    "]",
    "{",
    "}",
    "\u{feff}",
    "\0",
    "ä",
    "=",
    "#",
];

/// Good inputs, also as trees where they are JSON: one, or one a line.
pub(crate) struct Prepared {
    texts: Seeds,
    trees: Vec<Vec<Value>>,
}

impl Prepared {
    pub(crate) fn new(target: &Target) -> Self {
        let texts = (target.seeds)();
        let tree = |text: &Vec<u8>| {
            serde_json::Deserializer::from_slice(text).into_iter().collect::<Result<Vec<Value>, _>>().ok()
        };
        let trees = if target.is_json { texts.iter().filter_map(tree).collect() } else { Vec::new() };
        Self { texts, trees }
    }
}

/// Random choices for one input.
pub(crate) struct Mutator {
    rng: Rng,
    choices: usize,
}

impl Mutator {
    pub(crate) fn new(seed: u64, case: u64, target: &Target) -> Self {
        let rng = Streams::new(seed, Purpose::Data, case).of(0);
        Self { rng, choices: target.choices }
    }

    /// A damaged file, after random bytes that choose how it is read.
    pub(crate) fn input(&mut self, seeds: &Prepared) -> Vec<u8> {
        let mut input: Vec<u8> = (0..self.choices).map(|_| self.below(256) as u8).collect();
        input.extend(self.mutate(seeds));
        input
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n.max(1))
    }

    fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// One of the seeds with a few changes.
    fn mutate(&mut self, seeds: &Prepared) -> Vec<u8> {
        if !seeds.trees.is_empty() && self.coin() {
            let mut trees = seeds.trees[self.below(seeds.trees.len())].clone();
            for _ in 0..=self.below(3) {
                let i = self.below(trees.len());
                self.change(&mut trees[i]);
            }
            let lines: Vec<String> = trees.iter().map(Value::to_string).collect();
            return (lines.join("\n") + "\n").into_bytes();
        }
        let mut input = seeds.texts[self.below(seeds.texts.len())].clone();
        for _ in 0..=self.below(5) {
            self.step(&mut input, &seeds.texts);
        }
        input
    }

    fn step(&mut self, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let length = self.below(20).min(input.len() - at.min(input.len()));
        let range = at..at + length;
        match self.below(10) {
            0 if at < input.len() => input[at] ^= 1 << self.below(8),
            1 if at < input.len() => input[at] = self.below(256) as u8,
            2 if at < input.len() => input[at] = b"0123456789abcdef"[self.below(16)],
            3 => {
                input.drain(range);
            }
            4 => {
                let copy = input[range].to_vec();
                let to = self.below(input.len() + 1);
                input.splice(to..to, copy);
            }
            5 => input.truncate(at),
            6 => {
                let other = &seeds[self.below(seeds.len())];
                let from = self.below(other.len());
                let end = (from + self.below(60)).min(other.len());
                input.splice(range, other[from..end].iter().copied());
            }
            7 => {
                let digit = b"0123456789eE.+-"[self.below(15)];
                input.splice(at..at, [digit]);
            }
            _ => {
                let token = TOKENS[self.below(TOKENS.len())];
                input.splice(range, token.bytes());
            }
        }
    }

    /// Changes a random part of a tree, so that the text stays JSON.
    fn change(&mut self, node: &mut Value) {
        if self.below(4) > 0 {
            match node {
                Value::Array(items) if !items.is_empty() => {
                    let i = self.below(items.len());
                    return self.change(&mut items[i]);
                }
                Value::Object(items) if !items.is_empty() => {
                    let i = self.below(items.len());
                    if let Some((_, value)) = items.iter_mut().nth(i) {
                        self.change(value);
                    }
                    return;
                }
                _ => {}
            }
        }
        self.replace(node);
    }

    fn replace(&mut self, node: &mut Value) {
        match (node, self.below(4)) {
            (Value::Array(items), 0) => {
                items.pop();
            }
            (Value::Array(items), 1) => {
                let copy = items.first().cloned().unwrap_or(Value::Null);
                items.push(copy);
            }
            (Value::Object(items), 0 | 1) => {
                if let Some(key) = items.keys().nth(self.below(items.len())).cloned() {
                    items.remove(&key);
                }
            }
            (Value::Number(number), 0 | 1) => {
                let value = number.as_f64().unwrap_or(0.0);
                let factors = [-1.0, 0.0, 1e-300, 1e300, 0.5, 2.0];
                let changed = value * factors[self.below(factors.len())];
                *number = serde_json::Number::from_f64(changed).unwrap_or_else(|| 7.into());
            }
            (node, _) => {
                let token = TOKENS[self.below(TOKENS.len())];
                *node = serde_json::from_str(token).unwrap_or_else(|_| Value::from(token));
            }
        }
    }
}
