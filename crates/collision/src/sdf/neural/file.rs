//! Networks as safetensors files.

use std::collections::HashMap;
use std::path::Path;

use nalgebra::{DMatrix, DVector, Point3};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::{Activation, Layer, NeuralSdf};
use crate::aabb::Aabb;
use crate::error::Result;
use crate::sdf::tensors::{file_error, tensor_values};

impl NeuralSdf {
    /// Reads a network: safetensors with `layers.0.weight` \[out, in\], `layers.0.bias` \[out\],
    /// `layers.1.weight`, … (the names PyTorch gives a `ModuleList`), and in the metadata
    /// `activation` (`softplus`, `tanh`, `sine` or `relu`; `activation_scale` β or ω₀, default 1),
    /// `center` ("x y z", default 0), `scale` (default 1), `bounds` ("x y z x y z", required) and
    /// `feature_size` (m, default `scale`/10), `lead` (m for each radian, for a thread's network with two inputs) and
    /// `lipschitz` (a bound on the slope that is known better than from the weights). `examples/train_neural_sdf.rs` trains one and writes
    /// such a file.
    pub fn load(path: &Path) -> Result<Self> {
        let fail = |reason: String| file_error(path, reason);
        let bytes = std::fs::read(path).map_err(|e| fail(e.to_string()))?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }

    /// Reads a network from the bytes of a file, as [`load`](Self::load) describes it.
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
        let mut network = Self::new(
            name,
            layers,
            activation,
            Point3::new(x, y, z),
            scale,
            bounds,
        )?
        .with_feature_size(one("feature_size", 0.1 * scale)?)?;
        if metadata.contains_key("lead") {
            network = network.with_lead(one("lead", 0.0)?)?;
        }
        if metadata.contains_key("lipschitz") {
            network = network.with_lipschitz(one("lipschitz", 1.0)?)?;
        }
        Ok(network)
    }

    /// Writes the network with f64 weights, as [`load`](Self::load) reads it.
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
        let mut metadata = HashMap::from(
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
        if let Some(lead) = self.lead.filter(|lead| lead.is_finite()) {
            metadata.insert("lead".to_owned(), lead.to_string());
        }
        metadata.insert("lipschitz".to_owned(), self.lipschitz.to_string());
        let file =
            safetensors::serialize(tensors, Some(metadata)).map_err(|e| fail(e.to_string()))?;
        std::fs::write(path, file).map_err(|e| fail(e.to_string()))
    }
}
