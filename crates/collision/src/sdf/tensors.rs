//! What the files of sampled and of neural distances share.

use std::path::Path;

use safetensors::tensor::{Dtype, TensorView};

use crate::error::CollisionError;

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
