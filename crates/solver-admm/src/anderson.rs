//! Anderson's acceleration of a fixed-point iteration, of type II.

use stiction_constraints::linear::{cholesky_in_place, cholesky_solve, dot};

/// Makes of x_k and F(x_k) an x_{k+1} nearer to the fixed point: the combination of the last images whose steps
/// F(x) − x add up to the least. Keeps work space alone between iterations of one solve.
#[derive(Debug, Default)]
pub(crate) struct Anderson {
    /// Differences of steps and of images, one after the other, the newest last.
    steps: Vec<f64>,
    images: Vec<f64>,
    last_step: Vec<f64>,
    last_image: Vec<f64>,
    matrix: Vec<f64>,
    share: Vec<f64>,
    last_length: f64,
}

/// Share of its diagonal that is added to the matrix of the least squares, which is singular when steps repeat.
const REGULARIZATION: f64 = 1e-12;
/// A step that is longer than the last one by this factor says that the past misleads.
const GROWTH: f64 = 2.0;

impl Anderson {
    /// Forgets the past.
    pub(crate) fn clear(&mut self) {
        self.steps.clear();
        self.images.clear();
        self.last_step.clear();
        self.last_image.clear();
        self.last_length = f64::INFINITY;
    }

    /// x ← the next x, from its image, remembering at most `memory` differences.
    pub(crate) fn next(&mut self, memory: usize, x: &mut [f64], image: &[f64]) {
        let n = x.len();
        for (x, image) in x.iter_mut().zip(image) {
            *x = image - *x;
        }
        // From here on x is the step.
        let length = dot(x, x).sqrt();
        if length > GROWTH * self.last_length {
            self.clear();
        }
        self.last_length = length;
        if self.last_step.len() == n && memory > 0 {
            if self.steps.len() >= memory * n {
                self.steps.drain(..n);
                self.images.drain(..n);
            }
            let change = |(now, last): (&f64, &f64)| now - last;
            self.steps.extend(x.iter().zip(&self.last_step).map(change));
            self.images
                .extend(image.iter().zip(&self.last_image).map(change));
        }
        self.last_step.clear();
        self.last_step.extend_from_slice(x);
        self.last_image.clear();
        self.last_image.extend_from_slice(image);
        let count = self.steps.len() / n.max(1);
        let difference = |k: usize| &self.steps[k * n..(k + 1) * n];
        self.matrix.clear();
        self.share.clear();
        for i in 0..count {
            for j in 0..count {
                let product = dot(difference(i), difference(j));
                self.matrix.push(match i == j {
                    true => product * (1.0 + REGULARIZATION),
                    false => product,
                });
            }
            self.share.push(dot(difference(i), x));
        }
        x.copy_from_slice(image);
        if count == 0 || !cholesky_in_place(count, &mut self.matrix) {
            return;
        }
        cholesky_solve(&self.matrix, &mut self.share);
        for (share, images) in self.share.iter().zip(self.images.chunks_exact(n)) {
            for (x, image) in x.iter_mut().zip(images) {
                *x -= share * image;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// x ← B x + c with three eigenvalues: as many steps suffice, and one to begin with.
    #[test]
    fn linear_maps_are_done_after_as_many_steps_as_they_have_eigenvalues() {
        let eigenvalues = [0.9, -0.7, 0.5, 0.5, 0.9];
        let map = |x: &[f64]| -> Vec<f64> {
            x.iter()
                .zip(eigenvalues)
                .map(|(x, b)| b * x + 1.0)
                .collect()
        };
        let mut x = vec![0.0; 5];
        let mut anderson = Anderson::default();
        anderson.clear();
        for _ in 0..5 {
            let image = map(&x);
            anderson.next(5, &mut x, &image);
        }
        for (x, b) in x.iter().zip(eigenvalues) {
            assert!((x - 1.0 / (1.0 - b)).abs() < 1e-6, "{x}");
        }
        // Without memory it is the plain iteration.
        let mut plain = vec![0.0; 5];
        anderson.clear();
        let image = map(&plain);
        anderson.next(0, &mut plain, &image);
        assert_eq!(plain, image);
    }
}
