//! What the files of sampled and of neural distances share.

use std::path::Path;
use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::{GridSdf, NeuralSdf, SdfRef};
use crate::error::{CollisionError, Result};

/// A distance from the bytes of a safetensors file: samples on a grid where it has `values`, otherwise a network.
///
/// # Errors
/// Bytes that are neither, see [`GridSdf::load`] and [`NeuralSdf::load`].
pub fn distance_from_bytes(name: &str, bytes: &[u8]) -> Result<SdfRef> {
    let file = SafeTensors::deserialize(bytes)
        .map_err(|error| file_error(Path::new(name), error.to_string()))?;
    Ok(match file.tensor("values") {
        Ok(_) => Arc::new(GridSdf::from_bytes(name, bytes)?),
        Err(_) => Arc::new(NeuralSdf::from_bytes(name, bytes)?),
    })
}

/// Numbers of an f32 or f64 tensor.
pub(super) fn tensor_values(tensor: &TensorView<'_>) -> Option<Vec<f64>> {
    let data = tensor.data();
    match tensor.dtype() {
        Dtype::F64 => Some(
            data.as_chunks::<8>()
                .0
                .iter()
                .map(|b| f64::from_le_bytes(*b))
                .collect(),
        ),
        Dtype::F32 => Some(
            data.as_chunks::<4>()
                .0
                .iter()
                .map(|b| f64::from(f32::from_le_bytes(*b)))
                .collect(),
        ),
        _ => None,
    }
}

pub(super) fn file_error(path: &Path, reason: String) -> CollisionError {
    CollisionError::File {
        path: path.display().to_string(),
        reason,
    }
}
