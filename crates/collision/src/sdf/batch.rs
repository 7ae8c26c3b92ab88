//! Many points at once.

use nalgebra::{Point3, Vector3};

use super::SdfSample;

/// Points of a solid's frame and φ, ∇φ there, one array for each coordinate, so that vector registers
/// can be filled. Keeps its buffers.
#[derive(Debug, Clone, Default)]
pub struct SampleBatch {
    pub(super) points: [Vec<f64>; 3],
    pub(super) values: Vec<f64>,
    pub(super) gradients: [Vec<f64>; 3],
    /// For what an implementation needs along the way.
    pub(super) work: Vec<f64>,
}

impl SampleBatch {
    /// Forgets all points.
    pub fn clear(&mut self) {
        self.points.iter_mut().for_each(Vec::clear);
    }

    /// Adds a point.
    pub fn push(&mut self, p: &Point3<f64>) {
        for (coordinates, &x) in self.points.iter_mut().zip(p.iter()) {
            coordinates.push(x);
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points[0].len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.points[0].is_empty()
    }

    /// Point `i`.
    pub fn point(&self, i: usize) -> Point3<f64> {
        Point3::new(self.points[0][i], self.points[1][i], self.points[2][i])
    }

    /// φ at point `i`, m.
    pub fn value(&self, i: usize) -> f64 {
        self.values[i]
    }

    /// φ and ∇φ at point `i`.
    pub fn sample(&self, i: usize) -> SdfSample {
        let [x, y, z] = &self.gradients;
        SdfSample {
            value: self.values[i],
            gradient: Vector3::new(x[i], y[i], z[i]),
        }
    }

    /// Makes room for a sample at each point.
    pub(super) fn make_room(&mut self) {
        let n = self.len();
        let all = [&mut self.values, &mut self.work];
        for buffer in all.into_iter().chain(&mut self.gradients) {
            buffer.resize(n, 0.0);
        }
    }

    /// Samples every point with `sample`.
    pub fn fill(&mut self, sample: impl Fn(&Point3<f64>) -> SdfSample) {
        self.make_room();
        for i in 0..self.len() {
            self.set(i, &sample(&self.point(i)));
        }
    }

    pub(super) fn set(&mut self, i: usize, s: &SdfSample) {
        self.values[i] = s.value;
        for k in 0..3 {
            self.gradients[k][i] = s.gradient[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::sdf::{BoltSdf, Dish, MetricThread, Sdf, SphereSdf, ThreadEnd};

    #[test]
    fn a_batch_gives_the_bits_of_single_samples() {
        let m8 = MetricThread::new(8e-3, 1e-3, 0.7).unwrap();
        let m48 = MetricThread::coarse(48).unwrap();
        let solids: [Box<dyn Sdf>; 6] = [
            Box::new(Dish::bowl(0.04, 0.08, 0.06, 3e-3).unwrap()),
            Box::new(Dish::pot(0.03, 0.05, 2e-3).unwrap()),
            Box::new(BoltSdf::with_head(m48, 0.12, 0.03, 0.075, ThreadEnd::Chamfered).unwrap()),
            Box::new(BoltSdf::with_head(m48, 0.05, 0.03, 0.075, ThreadEnd::Flat).unwrap()),
            Box::new(BoltSdf::rod(m8, 0.03, ThreadEnd::Chamfered).unwrap()),
            Box::new(SphereSdf::new(0.03).unwrap()),
        ];
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let mut batch = SampleBatch::default();
        for (k, sdf) in solids.iter().enumerate() {
            let bounds = sdf.bounds().grown(0.01);
            for n in [0, 1, 3, 4, 7, 2000] {
                batch.clear();
                for i in 0..n {
                    let mut p = Point3::from(Vector3::from_fn(|k, _| {
                        rng.random_range(bounds.min[k]..bounds.max[k])
                    }));
                    match i % 20 {
                        0 => p = Point3::new(0.0, 0.0, p.z),
                        1 => p.y = 0.0,
                        2 => p.x = 0.0,
                        // close to the surface, where contacts are
                        3..12 => p -= sdf.sample(&p).gradient * sdf.value(&p),
                        _ => {}
                    }
                    batch.push(&p);
                }
                batch.push(&Point3::origin());
                sdf.sample_batch(&mut batch);
                for i in 0..batch.len() {
                    let bits = |s: &SdfSample| {
                        [s.value, s.gradient.x, s.gradient.y, s.gradient.z].map(f64::to_bits)
                    };
                    let (one, many) = (sdf.sample(&batch.point(i)), batch.sample(i));
                    let p = batch.point(i);
                    assert_eq!(bits(&one), bits(&many), "solid {k}, {p}: {one:?}, {many:?}");
                }
            }
        }
    }
}
