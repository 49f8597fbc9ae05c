//! One tile of rows: forward pass, residuals, backward pass, and what is summed over tiles.

use crate::Topology;
use crate::kernel::{
    Block, Isa, add_gram, add_products, derivatives, earlier_deltas, last_deltas, layer, multiply_pairs,
    subtract_outputs,
};
use crate::request::Derivatives;
use crate::rows::{Source, weigh};
use std::ops::Range;

/// A network with its hidden parameters, and the rows that it is evaluated on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Network<'a> {
    pub(super) topology: &'a Topology,
    pub(super) source: Source<'a>,
    pub(super) theta: &'a [f64],
}

/// What a pass over the rows computes. Output weights are one run for each output: those of the last hidden
/// layer, those of the inputs with a linear part, and the bias or zero.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pass<'a> {
    /// Scalar products of hidden outputs and targets: the normal equations of the output layer.
    NormalEquations,
    /// Squared errors with these output weights.
    Errors(&'a [f64]),
    /// The same, and the gradient.
    Gradient(&'a [f64]),
    /// The same, and the products that the Gauss-Newton matrix consists of.
    Matrix(&'a [f64]),
    /// Cross-entropies of the probabilities with these output weights, and their gradient.
    CrossEntropy(&'a [f64]),
}

/// Sums over rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sums {
    /// Scalar products of columns and targets, upper triangle.
    pub(super) normal: Vec<f64>,
    /// Derivatives times residuals, for each parameter.
    pub(super) gradient: Vec<f64>,
    /// Products of derivatives, upper triangle, summed over outputs; with one hidden layer without the output
    /// weights, which are factors there, and of pairs where there [are](has_pairs).
    pub(super) matrix: Vec<f64>,
    /// Products of derivatives with the columns of the output layer: one matrix for each output, or a single
    /// one with one hidden layer.
    pub(super) cross: Vec<f64>,
    /// Squared errors.
    pub(super) squared: f64,
    /// Squares of the rows' squared errors.
    pub(super) fourth: f64,
    /// Columns times residuals of the probabilities, one run for each output.
    pub(super) of_outputs: Vec<f64>,
    /// Cross-entropies.
    pub(super) cross_entropy: f64,
}

impl Sums {
    pub(super) fn new(topology: &Topology, columns: usize, derivatives: Derivatives) -> Self {
        let (total, dim) = (columns + topology.outputs(), topology.dim());
        let mut sums = Self {
            normal: vec![0.0; total * total],
            gradient: vec![0.0; dim],
            of_outputs: vec![0.0; columns * topology.outputs()],
            ..Self::default()
        };
        if derivatives == Derivatives::Matrix {
            let pairs = triangle(topology.last_hidden()) * triangle(topology.inputs() + 1);
            sums.matrix.resize(if has_pairs(topology) { pairs } else { dim * dim }, 0.0);
            let crosses = if topology.hidden().len() == 1 { 1 } else { topology.outputs() };
            sums.cross.resize(crosses * dim * columns, 0.0);
        }
        sums
    }

    pub(super) fn clear(&mut self) {
        let Self { normal, gradient, matrix, cross, of_outputs, .. } = self;
        for list in [normal, gradient, matrix, cross, of_outputs] {
            list.fill(0.0);
        }
        (self.squared, self.fourth, self.cross_entropy) = (0.0, 0.0, 0.0);
    }

    pub(super) fn add(&mut self, other: &Self) {
        let lists = [
            (&mut self.normal, &other.normal),
            (&mut self.gradient, &other.gradient),
            (&mut self.matrix, &other.matrix),
            (&mut self.cross, &other.cross),
            (&mut self.of_outputs, &other.of_outputs),
        ];
        for (to, from) in lists {
            to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        }
        self.squared += other.squared;
        self.fourth += other.fourth;
        self.cross_entropy += other.cross_entropy;
    }
}

/// Whether products of derivatives are those of pairs of deltas with pairs of inputs.
///
/// With one hidden layer, a derivative is the delta of a neuron times an input, so that the product of two is
/// $(\delta_n \delta_m) (x_i x_j)$: with $N$ neurons and $p$ inputs about $N^2 p^2 / 4$ sums instead of
/// $N^2 p^2 / 2$, for which all products of two inputs are stored.
pub(super) fn has_pairs(topology: &Topology) -> bool {
    topology.hidden().len() == 1 && pairs(topology) <= MOST_PAIRS * topology.dim()
}

/// Columns of pairs, relative to those of derivatives.
const MOST_PAIRS: usize = 4;

/// Numbers of pairs of deltas and of inputs.
pub(super) fn pairs(topology: &Topology) -> usize {
    triangle(topology.last_hidden()) + triangle(topology.inputs() + 1)
}

/// Number of pairs, those of a column with itself included.
pub(super) fn triangle(columns: usize) -> usize {
    columns * (columns + 1) / 2
}

/// The buffers of one thread.
#[derive(Clone, Debug)]
pub(super) struct Tile {
    pub(super) isa: Isa,
    /// Hidden outputs, the inputs with a linear part, and the bias if there is one.
    pub(super) columns: usize,
    /// Blocks of each column in the current tile, and in the largest one.
    pub(super) blocks: usize,
    most: usize,
    /// Whether this is always the same tile: inputs are there already, and from the second pass on hidden
    /// outputs too.
    is_kept: bool,
    /// Whether the current tile is the last one, which ends in padding.
    is_last: bool,
    /// For each hidden layer, and at least once, its inputs and a column of ones behind them.
    inputs: Vec<Vec<Block>>,
    /// Outputs of the last hidden layer, the inputs with a linear part, ones if there is a bias, then
    /// targets, which become residuals.
    pub(super) matrix: Vec<Block>,
    /// Backpropagated deltas of the current and of the previous layer.
    deltas: [Vec<Block>; 2],
    /// Derivatives by all parameters.
    derived: Vec<Block>,
    /// Products of pairs of deltas and of pairs of inputs, see [`has_pairs`].
    pairs: [Vec<Block>; 2],
    /// With weights their roots, and the matrix times them; otherwise empty.
    pub(super) roots: Vec<Block>,
    pub(super) weighted: Vec<Block>,
}

impl Tile {
    /// Buffers for tiles of at most `most` blocks.
    pub(super) fn new(isa: Isa, topology: &Topology, bias: bool, most: usize) -> Self {
        let columns = topology.readout_columns() + usize::from(bias);
        let total = columns + topology.outputs();
        let widest = topology.hidden().iter().max().copied().unwrap_or(0);
        let layers = 0..topology.hidden().len().max(1);
        Self {
            isa,
            columns,
            blocks: 0,
            most,
            is_kept: false,
            is_last: false,
            inputs: layers.map(|l| vec![Block::ZERO; (topology.layer_inputs(l) + 1) * most]).collect(),
            matrix: vec![Block::ZERO; total * most],
            deltas: [widest, widest].map(|width| vec![Block::ZERO; width * most]),
            derived: Vec::new(),
            pairs: [Vec::new(), Vec::new()],
            roots: Vec::new(),
            weighted: Vec::new(),
        }
    }

    /// A tile for one range of blocks of rows, with its inputs.
    pub(super) fn kept(&self, topology: &Topology, source: Source<'_>, range: Range<usize>) -> Self {
        let bias = self.columns > topology.readout_columns();
        let mut tile = Self::new(self.isa, topology, bias, range.len());
        source.read_inputs(&range, &mut tile.inputs[0]);
        tile.is_kept = true;
        tile
    }

    /// Makes room for [`Pass::Matrix`].
    pub(super) fn make_room_for_matrix(&mut self, topology: &Topology) {
        self.derived.resize(topology.dim() * self.most, Block::ZERO);
        if has_pairs(topology) {
            let columns = [topology.last_hidden(), topology.inputs() + 1];
            for (pairs, columns) in self.pairs.iter_mut().zip(columns) {
                pairs.resize(triangle(columns) * self.most, Block::ZERO);
            }
        }
    }

    /// Adds the sums of a range of blocks of rows.
    pub(super) fn add(&mut self, network: Network<'_>, range: Range<usize>, pass: Pass<'_>, sums: &mut Sums) {
        let total = self.columns + network.topology.outputs();
        self.blocks = range.len();
        self.is_last = range.end == network.source.blocks();
        if !self.is_kept {
            network.source.read_inputs(&range, &mut self.inputs[0]);
        }
        if !self.is_kept || matches!(pass, Pass::NormalEquations | Pass::CrossEntropy(_)) {
            self.forward(network);
        }
        network.source.read_targets(&range, &mut self.matrix[self.columns * self.blocks..]);
        self.weigh(network.source, &range, total);
        let (isa, blocks, columns) = (self.isa, self.blocks, self.columns);
        let matrix = &mut self.weighted_matrix()[..total * blocks];
        match pass {
            Pass::NormalEquations => add_gram(isa, matrix, blocks, &mut sums.normal),
            Pass::Errors(weights) | Pass::Gradient(weights) | Pass::Matrix(weights) => {
                let errors = subtract_outputs(isa, matrix, blocks, columns, weights);
                sums.squared += errors.squared;
                sums.fourth += errors.fourth;
            }
            Pass::CrossEntropy(weights) => self.add_cross_entropy(network, weights, sums),
        }
        if let Pass::Gradient(weights) | Pass::Matrix(weights) | Pass::CrossEntropy(weights) = pass {
            self.add_gradient(network, weights, sums);
        }
        if let Pass::Matrix(weights) = pass {
            self.add_matrix(network, weights, sums);
        }
    }

    /// With weights, fills the weighted matrix.
    fn weigh(&mut self, source: Source<'_>, range: &Range<usize>, total: usize) {
        if source.has_weights() {
            self.roots.resize(range.len(), Block::ZERO);
            source.read_roots(range, &mut self.roots);
            self.weighted.clear();
            self.weighted.extend_from_slice(&self.matrix[..total * range.len()]);
            weigh(&self.roots, &mut self.weighted);
        }
    }

    /// Columns and targets or residuals, times the roots of the weights if there are any.
    fn weighted_matrix(&mut self) -> &mut [Block] {
        if self.roots.is_empty() { &mut self.matrix } else { &mut self.weighted }
    }

    /// Fills hidden outputs, and the inputs and ones beside them.
    fn forward(&mut self, network: Network<'_>) {
        let Network { topology, source, theta } = network;
        let (isa, blocks) = (self.isa, self.blocks);
        for (l, width) in topology.hidden().iter().enumerate() {
            let (before, after) = self.inputs.split_at_mut(l + 1);
            let (inputs, ones) = before[l].split_at_mut(topology.layer_inputs(l) * blocks);
            ones[..blocks].fill(Block::splat(1.0));
            let outputs = after.first_mut().unwrap_or(&mut self.matrix);
            layer(isa, &theta[topology.layer(l)], inputs, blocks, &mut outputs[..width * blocks]);
        }
        let columns = &mut self.matrix[..self.columns * blocks];
        let linear = topology.last_hidden() * blocks..topology.readout_columns() * blocks;
        columns[linear.end..].fill(Block::splat(1.0));
        let inputs = &self.inputs[0][..linear.len()];
        columns[linear].copy_from_slice(inputs);
        if self.is_last {
            source.clear_padding(columns, blocks);
        }
    }

    /// Adds derivatives of outputs times residuals, by one backward pass for all outputs. Residuals are zero
    /// where there is no row, and so are all deltas.
    fn add_gradient(&mut self, network: Network<'_>, weights: &[f64], sums: &mut Sums) {
        let Network { topology, theta, .. } = network;
        let Self { isa, columns, blocks, inputs, matrix, deltas: [here, before], roots, weighted, .. } = self;
        let (isa, blocks) = (*isa, *blocks);
        let (hidden, residuals) = matrix.split_at_mut(*columns * blocks);
        let hidden = &hidden[..topology.last_hidden() * blocks];
        let residuals = if roots.is_empty() { residuals } else { &mut weighted[*columns * blocks..] };
        let residuals = &mut residuals[..topology.outputs() * blocks];
        // They are times the root already.
        weigh(roots, residuals);
        earlier_deltas(isa, weights, residuals, hidden, blocks, &mut here[..hidden.len()]);
        for l in (0..topology.hidden().len()).rev() {
            let inputs = &inputs[l][..(topology.layer_inputs(l) + 1) * blocks];
            let range = topology.layer(l);
            let deltas = &here[..topology.hidden()[l] * blocks];
            add_products(isa, deltas, inputs, blocks, &mut sums.gradient[range.clone()]);
            if l > 0 {
                let outputs = &inputs[..inputs.len() - blocks];
                earlier_deltas(isa, &theta[range], deltas, outputs, blocks, &mut before[..outputs.len()]);
                std::mem::swap(here, before);
            }
        }
    }

    /// Adds products of derivatives: for each output, or once with one hidden layer, where derivatives of
    /// different outputs differ only by the weight of the neuron.
    fn add_matrix(&mut self, network: Network<'_>, weights: &[f64], sums: &mut Sums) {
        let topology = network.topology;
        let width = topology.last_hidden();
        if topology.hidden().len() > 1 {
            let size = weights.len() / topology.outputs();
            for (output, weights) in weights.chunks_exact(size).enumerate() {
                self.derive(network, &weights[..width]);
                self.add_products_of_derivatives(topology, output, sums);
            }
            return;
        }
        self.derive(network, &vec![1.0; width]);
        self.add_products_of_derivatives(topology, 0, sums);
        if has_pairs(topology) {
            let Self { isa, blocks, inputs: layers, deltas, pairs: [of_deltas, of_inputs], .. } = self;
            let (isa, blocks, inputs) = (*isa, *blocks, topology.inputs() + 1);
            let of_deltas = &mut of_deltas[..triangle(width) * blocks];
            let of_inputs = &mut of_inputs[..triangle(inputs) * blocks];
            multiply_pairs(isa, &deltas[0][..width * blocks], blocks, of_deltas);
            multiply_pairs(isa, &layers[0][..inputs * blocks], blocks, of_inputs);
            add_products(isa, of_deltas, of_inputs, blocks, &mut sums.matrix);
        }
    }

    /// Products of the derivatives with each other, unless they are made of pairs, and with hidden outputs.
    fn add_products_of_derivatives(&mut self, topology: &Topology, number: usize, sums: &mut Sums) {
        let Self { isa, columns, blocks, matrix, derived, roots, weighted, .. } = self;
        let matrix = if roots.is_empty() { matrix } else { weighted };
        let derived = &derived[..topology.dim() * *blocks];
        let size = topology.dim() * *columns;
        if !has_pairs(topology) {
            add_gram(*isa, derived, *blocks, &mut sums.matrix);
        }
        let cross = &mut sums.cross[number * size..][..size];
        add_products(*isa, derived, &matrix[..*columns * *blocks], *blocks, cross);
    }

    /// Fills `derived` with the derivatives of the sum of hidden outputs with these weights, times the roots
    /// of the rows' weights.
    fn derive(&mut self, network: Network<'_>, weights: &[f64]) {
        let Network { topology, source, theta } = network;
        let Self { isa, blocks, inputs, matrix, deltas: [here, before], derived, is_last, roots, .. } = self;
        let (isa, blocks) = (*isa, *blocks);
        let hidden = &matrix[..topology.last_hidden() * blocks];
        last_deltas(isa, weights, hidden, blocks, &mut here[..hidden.len()]);
        if *is_last {
            source.clear_padding(&mut here[..hidden.len()], blocks);
        }
        // Derivatives are linear in the deltas.
        weigh(roots, &mut here[..hidden.len()]);
        for l in (0..topology.hidden().len()).rev() {
            let outputs = &inputs[l][..topology.layer_inputs(l) * blocks];
            let range = topology.layer(l);
            let deltas = &here[..topology.hidden()[l] * blocks];
            derivatives(isa, deltas, outputs, blocks, &mut derived[range.start * blocks..range.end * blocks]);
            if l > 0 {
                earlier_deltas(isa, &theta[range], deltas, outputs, blocks, &mut before[..outputs.len()]);
                std::mem::swap(here, before);
            }
        }
    }
}
