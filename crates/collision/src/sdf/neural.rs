//! Neural signed distance: a small multilayer perceptron with its exact gradient.
//!
//! φ(p) = scale · W_L a(W_{L−1} … a(W_1 (p − center)/scale + b_1) …) + b_L, times the scale.
//! The gradient is the product of the layers' Jacobians, carried along with the value (forward mode,
//! three tangents), so it is exact, not a difference.
//!
//! File: safetensors with `layers.0.weight` [out, in], `layers.0.bias` [out], `layers.1.weight`, …
//! (the names PyTorch gives a `ModuleList`), and in the metadata `activation` (`softplus`, `tanh`,
//! `sine` or `relu`; `activation_scale` β or ω₀, default 1), `center` ("x y z", default 0), `scale`
//! (default 1), `bounds` ("x y z x y z", required) and `feature_size` (m, default `scale`/10).
//! `examples/train_neural_sdf.rs` trains one and writes such a file.

use std::collections::HashMap;
use std::path::Path;

use nalgebra::{DMatrix, DVector, Point3, Vector3};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::grid::{file_error, tensor_values};
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
}

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
        let mut width = 3;
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
        })
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

    /// Reads a network (see the module for the format).
    pub fn load(path: &Path) -> Result<Self> {
        let fail = |reason: String| file_error(path, reason);
        let bytes = std::fs::read(path).map_err(|e| fail(e.to_string()))?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }

    /// Reads a network from the bytes of a file.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self> {
        let fail = |reason: String| file_error(Path::new(name), reason);
        let file = SafeTensors::deserialize(bytes).map_err(|e| fail(e.to_string()))?;
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| fail(e.to_string()))?;
        let metadata = header.metadata().clone().unwrap_or_default();
        let numbers = |key: &str| -> Result<Option<Vec<f64>>> {
            let Some(text) = metadata.get(key) else {
                return Ok(None);
            };
            let parsed: std::result::Result<Vec<f64>, _> =
                text.split_whitespace().map(str::parse).collect();
            parsed
                .map(Some)
                .map_err(|_| fail(format!("metadata {key} = \"{text}\" is not numbers")))
        };
        let one = |key: &str, default: f64| -> Result<f64> {
            match numbers(key)?.as_deref() {
                None => Ok(default),
                Some([x]) => Ok(*x),
                Some(_) => Err(fail(format!("metadata {key} must be one number"))),
            }
        };
        let activation_scale = one("activation_scale", 1.0)?;
        let activation = match metadata.get("activation").map(String::as_str) {
            Some("softplus") => Activation::Softplus(activation_scale),
            Some("tanh") => Activation::Tanh(activation_scale),
            Some("sine") => Activation::Sine(activation_scale),
            Some("relu") => Activation::Relu,
            other => {
                return Err(fail(format!(
                    "metadata activation = {other:?} is not softplus, tanh, sine or relu"
                )));
            }
        };
        let Some(b) = numbers("bounds")?.filter(|b| b.len() == 6) else {
            return Err(fail("metadata bounds must be six numbers".to_owned()));
        };
        let bounds = Aabb {
            min: Point3::new(b[0], b[1], b[2]),
            max: Point3::new(b[3], b[4], b[5]),
        };
        let c = numbers("center")?.unwrap_or_else(|| vec![0.0; 3]);
        let &[x, y, z] = &c[..] else {
            return Err(fail("metadata center must be three numbers".to_owned()));
        };
        let scale = one("scale", 1.0)?;
        let mut layers = Vec::new();
        while let Ok(weight) = file.tensor(&format!("layers.{}.weight", layers.len())) {
            let index = layers.len();
            let bias = file
                .tensor(&format!("layers.{index}.bias"))
                .map_err(|e| fail(e.to_string()))?;
            let (Some(w), Some(b), &[rows, columns]) =
                (tensor_values(&weight), tensor_values(&bias), weight.shape())
            else {
                return Err(fail(format!("layer {index} is not a matrix of f32 or f64")));
            };
            layers.push(Layer {
                weight: DMatrix::from_row_slice(rows, columns, &w),
                bias: DVector::from_vec(b),
            });
        }
        Self::new(
            name,
            layers,
            activation,
            Point3::new(x, y, z),
            scale,
            bounds,
        )?
        .with_feature_size(one("feature_size", 0.1 * scale)?)
    }

    /// Writes the network with f64 weights (see the module for the format).
    pub fn save(&self, path: &Path) -> Result<()> {
        let fail = |reason: String| file_error(path, reason);
        let mut data: Vec<(String, Vec<usize>, Vec<u8>)> = Vec::new();
        for (i, layer) in self.layers.iter().enumerate() {
            let (rows, columns) = layer.weight.shape();
            // the file is row-major: the transpose stored by columns
            let w = layer.weight.transpose();
            let bytes = |v: &[f64]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
            data.push((
                format!("layers.{i}.weight"),
                vec![rows, columns],
                bytes(w.as_slice()),
            ));
            data.push((
                format!("layers.{i}.bias"),
                vec![rows],
                bytes(layer.bias.as_slice()),
            ));
        }
        let mut tensors = Vec::new();
        for (name, shape, bytes) in &data {
            let view = TensorView::new(Dtype::F64, shape.clone(), bytes)
                .map_err(|e| fail(e.to_string()))?;
            tensors.push((name.as_str(), view));
        }
        let (activation, activation_scale) = self.activation.name_and_scale();
        let b = &self.bounds;
        let metadata = HashMap::from(
            [
                ("activation", activation.to_owned()),
                ("activation_scale", activation_scale.to_string()),
                (
                    "center",
                    format!("{} {} {}", self.center.x, self.center.y, self.center.z),
                ),
                ("scale", self.scale.to_string()),
                (
                    "bounds",
                    format!(
                        "{} {} {} {} {} {}",
                        b.min.x, b.min.y, b.min.z, b.max.x, b.max.y, b.max.z
                    ),
                ),
                ("feature_size", self.feature_size.to_string()),
            ]
            .map(|(k, v)| (k.to_owned(), v)),
        );
        let file =
            safetensors::serialize(tensors, Some(metadata)).map_err(|e| fail(e.to_string()))?;
        std::fs::write(path, file).map_err(|e| fail(e.to_string()))
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
        let x = (p - self.center) / self.scale;
        for i in 0..3 {
            input[i][0] = x[i];
            input[i][1 + i] = 1.0;
        }
        let mut width = 3;
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
        SdfSample {
            // the input is divided by the scale and the output multiplied: the gradient keeps
            value: value * self.scale,
            gradient: Vector3::new(x, y, z),
        }
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
