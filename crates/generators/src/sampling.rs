//! Random numbers in the shapes that the generators need.

use nalgebra::{SVector, Vector3};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The generator of all generators: the same stream on every machine.
pub(crate) fn seeded(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// One number of the standard normal distribution (Box–Muller).
pub(crate) fn normal(rng: &mut (impl Rng + ?Sized)) -> f64 {
    let radius = (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.random::<f64>()).cos()
}

/// A vector of independent standard normal numbers.
pub(crate) fn normal_vector<const N: usize>(rng: &mut (impl Rng + ?Sized)) -> SVector<f64, N> {
    SVector::from_fn(|_, _| normal(rng))
}

/// A direction, uniform on the sphere.
pub(crate) fn direction(rng: &mut (impl Rng + ?Sized)) -> Vector3<f64> {
    loop {
        let candidate: Vector3<f64> = normal_vector(rng);
        let length = candidate.norm();
        if length > 1e-3 {
            return candidate / length;
        }
    }
}

/// A positive number whose logarithm is uniform.
pub(crate) fn log_uniform(rng: &mut (impl Rng + ?Sized), low: f64, high: f64) -> f64 {
    let (low, high) = (low.ln(), high.ln());
    (low + (high - low) * rng.random::<f64>()).exp()
}

/// A number between two bounds.
pub(crate) fn uniform(rng: &mut (impl Rng + ?Sized), low: f64, high: f64) -> f64 {
    low + (high - low) * rng.random::<f64>()
}
