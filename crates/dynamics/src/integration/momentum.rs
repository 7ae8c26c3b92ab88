//! Momentum and centre of mass of a floating tree are known: gravity alone changes them.

use nalgebra::Vector3;

use super::evaluation::Floating;
use super::part::TreePart;

impl Floating {
    /// Changes the base's velocity so that the momentum becomes that of `known` after `h` s of free fall.
    pub(super) fn correct(
        &mut self,
        part: &TreePart,
        known: &Floating,
        gravity: &Vector3<f64>,
        h: f64,
        v: &mut [f64],
    ) {
        let linear = known.linear + gravity * (part.mass * h);
        let turn = self.inverse * (known.angular - self.angular);
        let travel = (linear - self.linear) / part.mass + turn.cross(&self.arm);
        self.add_to_base(part, &travel, &turn, v);
        self.linear = linear;
        self.angular = known.angular;
    }

    /// How far the centre of mass is from where it falls to from `known` in `h` s, m.
    pub(super) fn center_error(
        &self,
        part: &TreePart,
        known: &Floating,
        gravity: &Vector3<f64>,
        h: f64,
    ) -> Vector3<f64> {
        let travel = known.linear * (h / part.mass) + gravity * (0.5 * h * h);
        known.center + travel - self.center
    }

    /// Adds world velocities of the base's origin to v.
    fn add_to_base(
        &self,
        part: &TreePart,
        travel: &Vector3<f64>,
        turn: &Vector3<f64>,
        v: &mut [f64],
    ) {
        let (travel, turn) = (self.rotation.tr_mul(travel), self.rotation.tr_mul(turn));
        let base = &mut v[part.v.start..part.v.start + 6];
        for axis in 0..3 {
            base[axis] += travel[axis];
            base[3 + axis] += turn[axis];
        }
    }

    /// Kinetic energy of the tree if it were rigid and had its momentum, without that of its centre of mass,
    /// J.
    pub(super) fn locked(&self) -> f64 {
        0.5 * self.angular.dot(&(self.inverse * self.angular))
    }

    /// Scales the motion relative to that of the rigid tree of equal momentum.
    pub(super) fn scale_relative(&self, part: &TreePart, factor: f64, v: &mut [f64]) {
        let turn = self.inverse * self.angular;
        let travel = self.linear / part.mass + turn.cross(&self.arm);
        self.scale_about(part, [&travel, &turn], factor, v);
    }

    /// Scales all motion but that of the centre of mass.
    pub(super) fn scale_internal(&self, part: &TreePart, factor: f64, v: &mut [f64]) {
        let travel = self.linear / part.mass;
        self.scale_about(part, [&travel, &Vector3::zeros()], factor, v);
    }

    fn scale_about(
        &self,
        part: &TreePart,
        [travel, turn]: [&Vector3<f64>; 2],
        factor: f64,
        v: &mut [f64],
    ) {
        self.add_to_base(part, &-travel, &-turn, v);
        v[part.v.clone()].iter_mut().for_each(|v| *v *= factor);
        self.add_to_base(part, travel, turn, v);
    }
}
