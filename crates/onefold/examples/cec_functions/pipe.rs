//! One run on a function that another program computes: candidates go to standard output, costs come from
//! standard input.
//!
//! `cec_functions --pipe METHOD DIM SEED`. A generation is the number of candidates (eight bytes,
//! little-endian), then their coordinates; the answer is one number for each. After the last one comes a 0
//! and the final error.

use super::{protocol, usage};
use onefold::optimizer::Variant;
use onefold::{Error, Evaluations, Objective, Request, search};
use std::io::{Read, Write};

struct Pipe {
    dim: usize,
    bytes: Vec<u8>,
}

impl Objective for Pipe {
    fn dim(&self) -> usize {
        self.dim
    }

    fn evaluate(&mut self, request: &Request<'_>, evaluations: &mut Evaluations) {
        let (candidates, costs) = (request.candidates, &mut evaluations.costs);
        self.bytes.clear();
        self.bytes.extend((candidates.len() as u64).to_le_bytes());
        self.bytes.extend(candidates.rows().flatten().flat_map(|v| v.to_le_bytes()));
        send(&self.bytes);
        self.bytes.resize(8 * costs.len(), 0);
        std::io::stdin().read_exact(&mut self.bytes).expect("one cost for each candidate");
        for (cost, bytes) in costs.iter_mut().zip(self.bytes.as_chunks().0) {
            *cost = f64::from_le_bytes(*bytes);
        }
    }
}

fn send(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).expect("somebody to read candidates");
}

pub(crate) fn run(args: &[String]) -> Result<(), Error> {
    let [name, dim, seed] = args else { usage() };
    let variant = Variant::ALL.into_iter().find(|v| v.name() == name).unwrap_or_else(|| usage());
    let dim = dim.parse().unwrap_or_else(|_| usage());
    let (mut optimizer, stop) = protocol(variant, dim, seed.parse().unwrap_or_else(|_| usage()))?;
    let mut pipe = Pipe { dim, bytes: Vec::new() };
    let report = search(&mut pipe, &mut optimizer, &stop)?;
    send(&[0_u64.to_le_bytes(), report.cost.to_le_bytes()].concat());
    Ok(())
}
