//! Signed distance sampled on a regular grid, with trilinear interpolation.

#[cfg(feature = "sdf-files")]
mod file;

use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::{Sdf, SdfSample};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result, positive};
use crate::shape::TriangleMesh;

/// Grid refused beyond this many samples (1 GB of f64).
const MAX_SAMPLES: f64 = 1.34e8;

/// Samples of φ on a grid.
///
/// Inside the grid the value is trilinear and the gradient is that of the interpolant, so the two
/// agree. Outside, φ(p) = √(|p − c|² + φ(c)²) with c the closest point of the grid's box: continuous,
/// with no larger slope than inside.
#[derive(Debug, Clone, PartialEq)]
pub struct GridSdf {
    origin: Point3<f64>,
    spacing: f64,
    size: [usize; 3],
    /// x fastest.
    values: Vec<f64>,
    lipschitz: f64,
    solid: Aabb,
}

impl GridSdf {
    /// Samples a watertight mesh with `spacing` m between samples and two cells of room around it.
    pub fn from_mesh(name: &str, mesh: &TriangleMesh, spacing: f64) -> Result<Self> {
        if !mesh.is_closed() {
            return Err(CollisionError::InvalidMesh {
                shape: name.to_owned(),
                reason: "an open mesh has no inside to sample".to_owned(),
            });
        }
        Self::sample_with(name, mesh.bounds(), spacing, |p| mesh.signed_distance(p).0)
    }

    /// Samples any signed distance function.
    pub fn from_sdf(name: &str, sdf: &dyn Sdf, spacing: f64) -> Result<Self> {
        Self::sample_with(name, sdf.bounds(), spacing, |p| sdf.value(p))
    }

    fn sample_with(
        name: &str,
        bounds: Aabb,
        spacing: f64,
        value: impl Fn(&Point3<f64>) -> f64 + Sync,
    ) -> Result<Self> {
        positive(name, "grid spacing", spacing)?;
        let room = bounds.grown(2.0 * spacing);
        let size = [0, 1, 2].map(|i| ((room.max[i] - room.min[i]) / spacing).ceil() + 1.0);
        let n_samples: f64 = size.iter().product();
        if n_samples.is_nan() || n_samples > MAX_SAMPLES {
            return Err(CollisionError::InvalidParameter {
                element: name.to_owned(),
                field: "grid spacing",
                value: spacing,
                reason: "gives too many samples for the size of the solid",
            });
        }
        let size = size.map(|n| n as usize);
        let origin = room.min;
        let values = (0..n_samples as usize)
            .into_par_iter()
            .map(|i| {
                let (x, y, z) = (i % size[0], i / size[0] % size[1], i / (size[0] * size[1]));
                value(&(origin + Vector3::new(x as f64, y as f64, z as f64) * spacing))
            })
            .collect();
        Self::from_samples(name, origin, spacing, size, values)
    }

    /// Grid from samples, x fastest: `values[x + nx (y + ny z)]`.
    pub fn from_samples(
        name: &str,
        origin: Point3<f64>,
        spacing: f64,
        size: [usize; 3],
        values: Vec<f64>,
    ) -> Result<Self> {
        positive(name, "grid spacing", spacing)?;
        let wrong = |reason: String| CollisionError::InvalidMesh {
            shape: name.to_owned(),
            reason,
        };
        let n_samples = size.iter().try_fold(1_usize, |n, &s| n.checked_mul(s));
        if size.iter().any(|&n| n < 2) || n_samples != Some(values.len()) {
            return Err(wrong(format!(
                "grid of {size:?} samples cannot hold {} values",
                values.len()
            )));
        }
        if let Some(i) = values.iter().position(|v| !v.is_finite()) {
            return Err(wrong(format!("grid sample {i} is not finite")));
        }
        if !origin.iter().all(|x| x.is_finite()) {
            return Err(wrong("grid origin is not finite".to_owned()));
        }
        let mut grid = Self {
            origin,
            spacing,
            size,
            values,
            lipschitz: 1.0,
            solid: Aabb::empty(),
        };
        grid.measure();
        if !grid.solid.is_finite() {
            return Err(wrong("no grid sample is inside the solid".to_owned()));
        }
        Ok(grid)
    }

    fn value_at(&self, x: usize, y: usize, z: usize) -> f64 {
        self.values[x + self.size[0] * (y + self.size[1] * z)]
    }

    /// Bounds the slope of the interpolant: within a cell each partial derivative is a convex
    /// combination of the differences along the four parallel edges. Also finds the solid's box.
    fn measure(&mut self) {
        let mut steepest = 1.0_f64;
        let [nx, ny, nz] = self.size;
        for z in 0..nz - 1 {
            for y in 0..ny - 1 {
                for x in 0..nx - 1 {
                    let c = |i: usize| self.value_at(x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
                    let corners: [f64; 8] = std::array::from_fn(c);
                    let slope = Vector3::from_fn(|axis, _| {
                        (0..8)
                            .filter(|i| i >> axis & 1 == 0)
                            .map(|i| (corners[i | 1 << axis] - corners[i]).abs())
                            .fold(0.0, f64::max)
                    });
                    steepest = steepest.max(slope.norm() / self.spacing);
                    if corners.iter().any(|&v| v <= 0.0) {
                        let low =
                            self.origin + Vector3::new(x as f64, y as f64, z as f64) * self.spacing;
                        self.solid.include(&low);
                        self.solid.include(&(low + Vector3::repeat(self.spacing)));
                    }
                }
            }
        }
        self.lipschitz = steepest;
    }

    /// Distance between samples, m.
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Number of samples along x, y, z.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    /// Trilinear value and gradient at a point inside the grid's box.
    fn inside(&self, p: &Point3<f64>) -> SdfSample {
        let mut cell = [0; 3];
        let mut t = Vector3::zeros();
        for i in 0..3 {
            let u = (p[i] - self.origin[i]) / self.spacing;
            let c = (u.floor().max(0.0) as usize).min(self.size[i] - 2);
            cell[i] = c;
            t[i] = (u - c as f64).clamp(0.0, 1.0);
        }
        let corner = |i: usize| {
            self.value_at(
                cell[0] + (i & 1),
                cell[1] + (i >> 1 & 1),
                cell[2] + (i >> 2),
            )
        };
        let c: [f64; 8] = std::array::from_fn(corner);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        // collapse x, then y, then z; differences on the way give the gradient
        let x = [0, 2, 4, 6].map(|i| mix(c[i], c[i + 1], t.x));
        let dx = [0, 2, 4, 6].map(|i| c[i + 1] - c[i]);
        let y = [mix(x[0], x[1], t.y), mix(x[2], x[3], t.y)];
        let gradient = Vector3::new(
            mix(mix(dx[0], dx[1], t.y), mix(dx[2], dx[3], t.y), t.z),
            mix(x[1] - x[0], x[3] - x[2], t.z),
            y[1] - y[0],
        ) / self.spacing;
        SdfSample {
            value: mix(y[0], y[1], t.z),
            gradient,
        }
    }
}

impl Sdf for GridSdf {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let far = Vector3::from_fn(|i, _| (self.size[i] - 1) as f64 * self.spacing);
        let closest = p.sup(&self.origin).inf(&(self.origin + far));
        let mut s = self.inside(&closest);
        let out = p - closest;
        if out != Vector3::zeros() {
            // along clamped axes the closest point does not move with p
            let edge = s.value.max(0.0);
            let value = (out.norm_squared() + edge * edge).sqrt();
            let tangential =
                Vector3::from_fn(|i, _| if out[i] == 0.0 { s.gradient[i] } else { 0.0 });
            s = SdfSample {
                value,
                gradient: (out + tangential * edge) / value,
            };
        }
        s
    }

    fn bounds(&self) -> Aabb {
        self.solid
    }

    fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    fn feature_size(&self) -> f64 {
        // the gradient jumps between cells, and φ can have a minimum in each
        0.25 * self.spacing
    }
}
