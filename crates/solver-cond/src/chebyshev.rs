//! Chebyshev acceleration of the iteration, [COND, Alg. 3].

use crate::settings::{Chebyshev, Radius};

/// ν and ϱ from iteration to iteration.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Accelerator {
    iteration: usize,
    weight: f64,
    radius: f64,
    last_change: f64,
}

impl Accelerator {
    /// Begins anew: the next iterations are plain.
    pub(crate) fn restart(&mut self) {
        *self = Self::default();
    }

    /// Whether it has begun to extrapolate.
    pub(crate) fn is_on(&self, settings: &Chebyshev) -> bool {
        self.iteration > settings.start
    }

    /// ν of this iteration.
    pub(crate) fn next_weight(&mut self, settings: &Chebyshev) -> f64 {
        let square = self.radius * self.radius;
        self.iteration += 1;
        self.weight = match self.iteration.cmp(&settings.start) {
            std::cmp::Ordering::Less => 1.0,
            std::cmp::Ordering::Equal => 2.0 / (2.0 - square),
            std::cmp::Ordering::Greater => 4.0 / (4.0 - square * self.weight),
        };
        self.weight
    }

    /// Takes note of ‖v̂ˡ⁺¹ − v̂ˡ‖: ϱ is the ratio to the one before, [COND, (39)].
    pub(crate) fn note(&mut self, change: f64, settings: &Chebyshev) {
        let ratio = match self.last_change > 0.0 {
            true => (change / self.last_change).min(1.0),
            false => 0.0,
        };
        let is_measured = match settings.radius {
            Radius::Latest => true,
            Radius::Frozen => self.iteration < settings.start,
        };
        if is_measured {
            self.radius = ratio;
        }
        self.last_change = change;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a linear iteration whose radius is known the weights tend to 2/(1 + √(1 − ϱ²)).
    #[test]
    fn weights_tend_to_those_of_the_radius() {
        let settings = Chebyshev::default();
        let mut accelerator = Accelerator::default();
        let mut change = 1.0;
        let mut weight = 0.0;
        for _ in 0..200 {
            weight = accelerator.next_weight(&settings);
            change *= 0.9;
            accelerator.note(change, &settings);
        }
        assert!((weight - 2.0 / (1.0 + (1.0_f64 - 0.81).sqrt())).abs() < 1e-9);
    }
}
