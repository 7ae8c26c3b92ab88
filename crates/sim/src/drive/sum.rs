//! What acts on one joint or tendon adds up.

use stiction_modeling::Tracking;

/// Σ of implicit forces: force + Σ stiffness (position − q) + Σ damping (velocity − v).
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    /// Whether something was added in this step.
    is_begun: bool,
    force: f64,
    stiffness: f64,
    damping: f64,
    /// Σ stiffness · position and Σ damping · velocity.
    weighted: [f64; 2],
}

impl Sum {
    fn add(&mut self, tracking: &Tracking) {
        self.force += tracking.feed_forward;
        self.stiffness += tracking.stiffness;
        self.damping += tracking.damping;
        self.weighted[0] += tracking.stiffness * tracking.position;
        self.weighted[1] += tracking.damping * tracking.velocity;
    }

    fn tracking(&self) -> Tracking {
        let mean = |weighted: f64, gain: f64| if gain > 0.0 { weighted / gain } else { 0.0 };
        Tracking {
            position: mean(self.weighted[0], self.stiffness),
            velocity: mean(self.weighted[1], self.damping),
            stiffness: self.stiffness,
            damping: self.damping,
            feed_forward: self.force,
        }
    }
}

/// Sums over coordinates to which something is added; kept so that a step allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Sums {
    sums: Vec<Sum>,
    /// Coordinates to which something was added, in that order.
    touched: Vec<usize>,
}

impl Sums {
    /// Adds `additions` (coordinate and drive, in order) to what `drives` holds of each coordinate.
    pub(super) fn add_to<'a>(
        &mut self,
        drives: &mut [Tracking],
        additions: impl Iterator<Item = (usize, &'a Tracking)>,
    ) {
        for (coordinate, tracking) in additions {
            if self.sums.len() < drives.len() {
                self.sums.resize(drives.len(), Sum::default());
            }
            let sum = &mut self.sums[coordinate];
            if !sum.is_begun {
                sum.is_begun = true;
                sum.add(&drives[coordinate]);
                self.touched.push(coordinate);
            }
            sum.add(tracking);
        }
        for coordinate in self.touched.drain(..) {
            let sum = std::mem::take(&mut self.sums[coordinate]);
            drives[coordinate] = sum.tracking();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drives_of_one_coordinate_add_up_and_others_stay() {
        let servo = |position: f64, stiffness: f64| Tracking {
            position,
            stiffness,
            feed_forward: 1.0,
            ..Tracking::default()
        };
        let mut sums = Sums::default();
        // A second step finds nothing of the first.
        for _ in 0..2 {
            let mut drives = [servo(0.3, 7.0), servo(0.1, 2.0)];
            let more = servo(0.4, 4.0);
            sums.add_to(&mut drives, [(1, &more)].into_iter());
            assert_eq!(drives[0], servo(0.3, 7.0));
            assert!((drives[1].position - (0.2 + 1.6) / 6.0).abs() < 1e-15);
            assert_eq!(drives[1].stiffness, 6.0);
            assert_eq!(drives[1].feed_forward, 2.0);
        }
    }
}
