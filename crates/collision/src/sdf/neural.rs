//! Neural signed distance: a small multilayer perceptron with its exact gradient.
//!
//! φ(p) = scale · W_L a(W_{L−1} … a(W_1 (p − center)/scale + b_1) …) + b_L, times the scale.
//! The gradient is the product of the layers' Jacobians, carried along with the value (forward mode,
//! three tangents), so it is exact, not a difference.
//!
//! A network with two inputs is a thread's: it sees the point turned back along the helix, (x cos a + y sin a,
//! y cos a − x sin a) with a = z/lead, so that what it has learnt of one section is true of all of them.

mod bolt;
#[cfg(feature = "sdf-files")]
mod file;

pub use bolt::NeuralBolt;

use nalgebra::{DMatrix, DVector, Point3, Vector3};

use super::{Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, positive};

/// Widest layer a network may have: samples use buffers of this size on the stack.
const MAX_WIDTH: usize = 256;

/// Non-linearity between layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Activation {
    /// ln(1 + e^{βx})/β.
    Softplus(f64),
    /// tanh(βx).
    Tanh(f64),
    /// sin(ωx).
    Sine(f64),
    /// max(x, 0).
    Relu,
}

impl Activation {
    /// Value and derivative.
    fn apply(self, x: f64) -> (f64, f64) {
        match self {
            Self::Softplus(beta) => {
                let t = beta * x;
                let value = (t.max(0.0) + (-t.abs()).exp().ln_1p()) / beta;
                (value, 1.0 / (1.0 + (-t).exp()))
            }
            Self::Tanh(beta) => {
                let t = (beta * x).tanh();
                (t, beta * (1.0 - t * t))
            }
            Self::Sine(omega) => ((omega * x).sin(), omega * (omega * x).cos()),
            Self::Relu => (x.max(0.0), if x > 0.0 { 1.0 } else { 0.0 }),
        }
    }

    /// Largest slope.
    fn lipschitz(self) -> f64 {
        match self {
            Self::Softplus(_) | Self::Relu => 1.0,
            Self::Tanh(s) | Self::Sine(s) => s.abs(),
        }
    }

    fn name_and_scale(self) -> (&'static str, f64) {
        match self {
            Self::Softplus(s) => ("softplus", s),
            Self::Tanh(s) => ("tanh", s),
            Self::Sine(s) => ("sine", s),
            Self::Relu => ("relu", 1.0),
        }
    }
}

/// One affine layer.
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    /// Weights, outputs × inputs.
    pub weight: DMatrix<f64>,
    /// Biases, outputs.
    pub bias: DVector<f64>,
}

/// Multilayer perceptron read as a signed distance.
#[derive(Debug, Clone, PartialEq)]
pub struct NeuralSdf {
    layers: Vec<Layer>,
    activation: Activation,
    center: Point3<f64>,
    scale: f64,
    bounds: Aabb,
    feature_size: f64,
    lipschitz: f64,
    /// Advance of a thread for each radian, m: then the network has two inputs.
    lead: Option<f64>,
}

/// Distance from the axis up to which a thread's network is asked, over its scale; beyond, the way is added.
const REACH: f64 = 1.5;

impl NeuralSdf {
    /// Network of `layers`; the input is (p − center)/scale and the output is multiplied by `scale`
    /// (m). `bounds` is the box of the solid, m.
    pub fn new(
        name: &str,
        layers: Vec<Layer>,
        activation: Activation,
        center: Point3<f64>,
        scale: f64,
        bounds: Aabb,
    ) -> Result<Self> {
        positive(name, "scale", scale)?;
        positive(name, "activation scale", activation.name_and_scale().1)?;
        let wrong = |reason: String| CollisionError::File {
            path: name.to_owned(),
            reason,
        };
        let inputs = match layers.first().map(|first| first.weight.ncols()) {
            Some(2) => 2,
            _ => 3,
        };
        let mut width = inputs;
        for (i, layer) in layers.iter().enumerate() {
            if layer.weight.ncols() != width || layer.bias.len() != layer.weight.nrows() {
                return Err(wrong(format!(
                    "layer {i} is {}×{} with {} biases, but its input has {width} numbers",
                    layer.weight.nrows(),
                    layer.weight.ncols(),
                    layer.bias.len()
                )));
            }
            if !layer
                .weight
                .iter()
                .chain(layer.bias.iter())
                .all(|x| x.is_finite())
            {
                return Err(wrong(format!("layer {i} has a number that is not finite")));
            }
            width = layer.weight.nrows();
            if width > MAX_WIDTH {
                return Err(wrong(format!("layer {i} is wider than {MAX_WIDTH}")));
            }
        }
        if width != 1 || layers.is_empty() {
            return Err(wrong(format!("the last layer has {width} outputs, not 1")));
        }
        if !bounds.is_finite() || !center.iter().all(|x| x.is_finite()) {
            return Err(wrong("center or bounds are not finite".to_owned()));
        }
        let slopes = activation.lipschitz().powi(layers.len() as i32 - 1);
        let lipschitz = slopes
            * layers
                .iter()
                .map(|l| spectral_norm(&l.weight))
                .product::<f64>();
        Ok(Self {
            layers,
            activation,
            center,
            scale,
            bounds,
            feature_size: 0.1 * scale,
            lipschitz: lipschitz.max(1.0),
            // Until it is told: no turn at all.
            lead: (inputs == 2).then_some(f64::INFINITY),
        })
    }

    /// Tells a network with two inputs how far its thread advances for each radian, m.
    ///
    /// Until then it is the same at every height. The bound on the slope is for points up to the reach of the
    /// network, 1.5 times its scale from the axis.
    pub fn with_lead(mut self, lead: f64) -> Result<Self> {
        let refuse = |value, reason| {
            Err(CollisionError::InvalidParameter {
                element: "neural SDF".to_owned(),
                field: "lead",
                value,
                reason,
            })
        };
        if self.lead.is_none() {
            return refuse(lead, "is for networks with two inputs");
        }
        if !(lead.is_finite() && lead != 0.0) {
            return refuse(lead, "must be finite and not zero");
        }
        self.lead = Some(lead);
        self.lipschitz *= (REACH * self.scale / lead).hypot(1.0);
        Ok(self)
    }

    /// Sets the size of the smallest feature, m.
    pub fn with_feature_size(mut self, feature_size: f64) -> Result<Self> {
        self.feature_size = positive("neural SDF", "feature size", feature_size)?;
        Ok(self)
    }

    /// Replaces the bound on the slope by one known from elsewhere (for example training with a
    /// Lipschitz penalty): the product of the layers' spectral norms, which is used otherwise, is
    /// safe but often far too large, and culling gets slower with it.
    pub fn with_lipschitz(mut self, lipschitz: f64) -> Result<Self> {
        self.lipschitz = positive("neural SDF", "Lipschitz bound", lipschitz)?;
        Ok(self)
    }

    /// The layers.
    pub fn layers(&self) -> &[Layer] {
        &self.layers
    }
}

/// Largest singular value, rounded up a little.
fn spectral_norm(w: &DMatrix<f64>) -> f64 {
    w.singular_values().max() * (1.0 + 1e-12)
}

impl Sdf for NeuralSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        // value and three tangents of every unit, two layers at a time
        let mut input = [[0.0; 4]; MAX_WIDTH];
        let mut output = [[0.0; 4]; MAX_WIDTH];
        let x = p - self.center;
        let mut beyond = None;
        let mut width = match self.lead {
            None => {
                for i in 0..3 {
                    input[i][0] = x[i] / self.scale;
                    input[i][1 + i] = 1.0;
                }
                3
            }
            Some(lead) => {
                // The distance grows with the way beyond the reach of the network.
                let r = x.x.hypot(x.y);
                let inside = (REACH * self.scale / r).min(1.0);
                if inside < 1.0 {
                    beyond = Some((r * (1.0 - inside), Vector3::new(x.x, x.y, 0.0) / r));
                }
                let (sin, cos) = (x.z / lead).sin_cos();
                let (u, v) = (x.x * cos + x.y * sin, x.y * cos - x.x * sin);
                let (u, v) = (u * inside, v * inside);
                input[0] = [u / self.scale, cos, sin, v / lead];
                input[1] = [v / self.scale, -sin, cos, -u / lead];
                2
            }
        };
        for (index, layer) in self.layers.iter().enumerate() {
            let last = index + 1 == self.layers.len();
            let rows = layer.weight.nrows();
            for (row, out) in output[..rows].iter_mut().enumerate() {
                let mut sum = [layer.bias[row], 0.0, 0.0, 0.0];
                for (column, unit) in input[..width].iter().enumerate() {
                    let w = layer.weight[(row, column)];
                    for k in 0..4 {
                        sum[k] += w * unit[k];
                    }
                }
                if !last {
                    let (value, slope) = self.activation.apply(sum[0]);
                    sum = [value, slope * sum[1], slope * sum[2], slope * sum[3]];
                }
                *out = sum;
            }
            std::mem::swap(&mut input, &mut output);
            width = rows;
        }
        let [value, x, y, z] = input[0];
        let mut sample = SdfSample {
            // the input is divided by the scale and the output multiplied: the gradient keeps
            value: value * self.scale,
            gradient: Vector3::new(x, y, z),
        };
        if let Some((way, radial)) = beyond {
            sample.value += way;
            sample.gradient = radial;
        }
        sample
    }

    fn bounds(&self) -> Aabb {
        self.bounds
    }

    fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    fn feature_size(&self) -> f64 {
        self.feature_size
    }
}
