//! Sampled distances as safetensors files.

use std::collections::HashMap;
use std::path::Path;

use nalgebra::Point3;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::GridSdf;
use crate::error::Result;
use crate::sdf::tensors::{file_error, tensor_values};

impl GridSdf {
    /// Writes a safetensors file with `values` (f64, z slowest), `origin` and `spacing` (f64).
    pub fn save(&self, path: &Path) -> Result<()> {
        let fail = |reason: String| file_error(path, reason);
        let bytes = |v: &[f64]| v.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
        let values = bytes(&self.values);
        let origin = bytes(self.origin.coords.as_slice());
        let spacing = bytes(&[self.spacing]);
        let view = |shape: Vec<usize>, data| {
            TensorView::new(Dtype::F64, shape, data).map_err(|e| fail(e.to_string()))
        };
        let [nx, ny, nz] = self.size;
        let tensors = HashMap::from([
            ("values", view(vec![nz, ny, nx], &values)?),
            ("origin", view(vec![3], &origin)?),
            ("spacing", view(vec![1], &spacing)?),
        ]);
        let file = safetensors::serialize(tensors, None).map_err(|e| fail(e.to_string()))?;
        std::fs::write(path, file).map_err(|e| fail(e.to_string()))
    }

    /// Reads what [`save`](Self::save) wrote.
    pub fn load(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|e| file_error(path, e.to_string()))?;
        Self::from_bytes(&path.display().to_string(), &bytes)
    }

    /// Reads the bytes of what [`save`](Self::save) wrote.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self> {
        let fail = |reason: String| file_error(Path::new(name), reason);
        let file = SafeTensors::deserialize(bytes).map_err(|e| fail(e.to_string()))?;
        let read = |name: &str| -> Result<(Vec<usize>, Vec<f64>)> {
            let t = file.tensor(name).map_err(|e| fail(e.to_string()))?;
            let values = tensor_values(&t)
                .ok_or_else(|| fail(format!("tensor {name} is neither f32 nor f64")))?;
            Ok((t.shape().to_vec(), values))
        };
        let (shape, values) = read("values")?;
        let (_, origin) = read("origin")?;
        let (_, spacing) = read("spacing")?;
        let (&[nz, ny, nx], &[x, y, z], &[h]) = (&shape[..], &origin[..], &spacing[..]) else {
            return Err(fail(
                "values must have 3 axes, origin 3 numbers, spacing 1".to_owned(),
            ));
        };
        Self::from_samples(name, Point3::new(x, y, z), h, [nx, ny, nz], values)
    }
}
