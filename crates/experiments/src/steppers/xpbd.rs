//! Position-based dynamics of a rod in small steps, \[XPBD\] with the substeps and contacts of [DRB].
//!
//! A step is cut into substeps of h, each with one sweep: links move freely, every joint corrects the poses of its two links by one
//! block of XPBD, Δλ = −(J M⁻¹ Jᵀ + α/h²)⁻¹ C with C its strains and α one over their stiffness, contacts push links out of what
//! they are in, friction takes the motion along the surface up to μ times the push, and velocities are what the poses did. It
//! solves no contact problem: nothing in it is complementary, and stiffness depends on the substep.
//!
//! \[XPBD\] M. Macklin, M. Müller, N. Chentanez, "XPBD: position-based simulation of compliant constrained dynamics", 2016.
//! [DRB] M. Müller, M. Macklin, N. Chentanez, S. Jeschke, T. Kim, "Detailed rigid body simulation with extended position based
//! dynamics", 2020.

use stiction_sim::deformable::rod::{Rod, RodError};
use stiction_sim::nalgebra::{Matrix6, SMatrix, Vector6};
use stiction_sim::{Isometry3, UnitQuaternion, Vector3};

/// What a link touches: how deep the point of its centre line is inside (m, its radius included), and the outward normal.
pub type Touch<'a> = &'a dyn Fn(&Vector3<f64>) -> Option<(f64, Vector3<f64>)>;

/// How a step is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct XpbdSettings {
    /// Substeps of a step, at least 1.
    pub substeps: usize,
    /// Gravity, m/s².
    pub gravity: Vector3<f64>,
    /// Friction coefficient of contacts.
    pub friction: f64,
}

/// A rod of links with masses, some of them led by somebody else.
#[derive(Debug, Clone)]
pub struct XpbdRod {
    rod: Rod,
    poses: Vec<Isometry3<f64>>,
    velocity: Vec<Vector3<f64>>,
    spin: Vec<Vector3<f64>>,
    /// 1/mass and 1/moments of each link; zero for those that are led.
    inverse: Vec<(f64, Vector3<f64>)>,
    before: Vec<Isometry3<f64>>,
}

impl XpbdRod {
    /// A rod at rest at these poses.
    ///
    /// # Errors
    /// Poses of another number than links.
    pub fn new(rod: Rod, poses: Vec<Isometry3<f64>>) -> Result<Self, RodError> {
        let mut inverse = Vec::new();
        for link in 0..poses.len() {
            let (mass, moments) = rod.link_inertia(link)?;
            inverse.push((1.0 / mass, moments.map(|moment| 1.0 / moment)));
        }
        let links = poses.len();
        Ok(Self {
            before: poses.clone(),
            rod,
            poses,
            velocity: vec![Vector3::zeros(); links],
            spin: vec![Vector3::zeros(); links],
            inverse,
        })
    }

    /// Poses of the links.
    pub fn poses(&self) -> &[Isometry3<f64>] {
        &self.poses
    }

    /// From now on a link goes where [`step`](Self::step) is told. Links that there are not are let be.
    pub fn lead(&mut self, link: usize) {
        if let Some(inverse) = self.inverse.get_mut(link) {
            *inverse = (0.0, Vector3::zeros());
        }
    }

    /// One step of `dt` s; `led` has the pose at its end of links that are led, which go there evenly. Returns the impulse
    /// that each of them had to give to the rod, N·s.
    ///
    /// # Errors
    /// A joint that folds.
    pub fn step(
        &mut self,
        settings: &XpbdSettings,
        dt: f64,
        led: &[(usize, Isometry3<f64>)],
        touch: Touch<'_>,
    ) -> Result<Vec<Vector3<f64>>, RodError> {
        let starts: Vec<_> = led.iter().map(|&(link, _)| self.poses[link]).collect();
        let mut given = vec![Vector3::zeros(); led.len()];
        let substeps = settings.substeps.max(1);
        let h = dt / substeps as f64;
        for substep in 1..=substeps {
            self.before.clone_from(&self.poses);
            self.move_freely(settings, h);
            let share = substep as f64 / substeps as f64;
            for (&(link, end), start) in led.iter().zip(&starts) {
                self.poses[link] = Isometry3::from_parts(
                    (start
                        .translation
                        .vector
                        .lerp(&end.translation.vector, share))
                    .into(),
                    start.rotation.slerp(&end.rotation, share),
                );
            }
            for joint in 0..self.rod.joint_count() {
                let forces = self.correct_joint(joint, h)?;
                for (given, &(link, _)) in given.iter_mut().zip(led) {
                    // λ/h² is a force, which acts for h.
                    if link == joint {
                        *given -= forces.0 / h;
                    } else if link == joint + 1 {
                        *given -= forces.1 / h;
                    }
                }
            }
            self.push_out(settings, touch);
            self.find_velocities(h);
        }
        Ok(given)
    }

    fn move_freely(&mut self, settings: &XpbdSettings, h: f64) {
        for link in 0..self.poses.len() {
            if self.inverse[link].0 == 0.0 {
                continue;
            }
            self.velocity[link] += settings.gravity * h;
            self.poses[link].translation.vector += self.velocity[link] * h;
            let turn = UnitQuaternion::from_scaled_axis(self.spin[link] * h);
            self.poses[link].rotation = turn * self.poses[link].rotation;
        }
    }

    /// One block of XPBD; the positional parts of Jᵀ Δλ on its two links, kg·m.
    fn correct_joint(
        &mut self,
        joint: usize,
        h: f64,
    ) -> Result<(Vector3<f64>, Vector3<f64>), RodError> {
        let rows = self.rod.joint_rows(joint, &self.poses)?;
        let mut weighted = SMatrix::<f64, 12, 6>::zeros();
        for (place, link) in [joint, joint + 1].into_iter().enumerate() {
            let (inverse_mass, inverse_moments) = self.inverse[link];
            let rotation = &self.poses[link].rotation;
            for row in 0..6 {
                let at = 6 * place;
                for axis in 0..3 {
                    weighted[(at + axis, row)] = inverse_mass * rows.jacobian[(row, at + axis)];
                }
                let angular = Vector3::from_fn(|axis, _| rows.jacobian[(row, at + 3 + axis)]);
                let own = rotation.inverse_transform_vector(&angular);
                let turned = rotation * own.component_mul(&inverse_moments);
                for axis in 0..3 {
                    weighted[(at + 3 + axis, row)] = turned[axis];
                }
            }
        }
        let mut block: Matrix6<f64> = rows.jacobian * weighted;
        for row in 0..6 {
            block[(row, row)] += 1.0 / (rows.stiffness[row] * h * h);
        }
        let lambda: Vector6<f64> = match block.cholesky() {
            Some(factor) => -factor.solve(&rows.strain),
            None => return Ok((Vector3::zeros(), Vector3::zeros())),
        };
        let change = weighted * lambda;
        for (place, link) in [joint, joint + 1].into_iter().enumerate() {
            let part = |first: usize| Vector3::from_fn(|axis, _| change[6 * place + first + axis]);
            self.poses[link].translation.vector += part(0);
            let turn = UnitQuaternion::from_scaled_axis(part(3));
            self.poses[link].rotation = turn * self.poses[link].rotation;
        }
        let push = rows.jacobian.transpose() * lambda;
        let part = |first: usize| Vector3::from_fn(|axis, _| push[first + axis]);
        Ok((part(0), part(6)))
    }

    fn push_out(&mut self, settings: &XpbdSettings, touch: Touch<'_>) {
        for link in 0..self.poses.len() {
            if self.inverse[link].0 == 0.0 {
                continue;
            }
            let at = self.poses[link].translation.vector;
            let Some((depth, normal)) = touch(&at) else {
                continue;
            };
            let moved = at - self.before[link].translation.vector;
            let along = moved - normal * normal.dot(&moved);
            let size = along.norm();
            let taken = match size > 0.0 {
                true => along * (settings.friction * depth / size).min(1.0),
                false => along,
            };
            self.poses[link].translation.vector += normal * depth - taken;
        }
    }

    fn find_velocities(&mut self, h: f64) {
        for link in 0..self.poses.len() {
            let (now, before) = (&self.poses[link], &self.before[link]);
            self.velocity[link] = (now.translation.vector - before.translation.vector) / h;
            self.spin[link] = (now.rotation * before.rotation.inverse()).scaled_axis() / h;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_sim::deformable::rod::{Profile, RodMaterial, RodShape};

    const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

    fn rod(young: f64) -> XpbdRod {
        let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 0.2, 11).unwrap();
        let poses = shape.poses.clone();
        let material = RodMaterial {
            young,
            poisson: 0.4,
            density: 1000.0,
        };
        let profile = Profile::round(0.005, &material).unwrap();
        XpbdRod::new(Rod::new(shape, profile).unwrap(), poses).unwrap()
    }

    fn settings(substeps: usize) -> XpbdSettings {
        XpbdSettings {
            substeps,
            gravity: GRAVITY,
            friction: 0.5,
        }
    }

    #[test]
    fn a_free_rod_falls_as_one() {
        let mut rod = rod(1e6);
        for _ in 0..10 {
            rod.step(&settings(20), 0.01, &[], &|_| None).unwrap();
        }
        // Semi-implicit Euler in substeps of 0.5 ms.
        let expected = -0.5 * 9.81 * 0.1 * (0.1 + 5e-4);
        for pose in rod.poses() {
            assert!((pose.translation.vector.z - expected).abs() < 1e-9);
        }
    }

    #[test]
    fn a_clamped_rod_bends_and_its_clamp_carries_it() {
        let mut rod = rod(1e7);
        rod.lead(0);
        let clamp = rod.poses()[0];
        let mut carried = 0.0;
        let steps = 200;
        for step in 0..steps {
            let given = rod.step(&settings(40), 0.01, &[(0, clamp)], &|_| None);
            if step >= steps / 2 {
                carried += given.unwrap()[0].z / 0.01;
            } else {
                given.unwrap();
            }
        }
        let tip = rod.poses()[10].translation.vector;
        assert!(
            tip.z < -1e-3 && (tip - rod.poses()[0].translation.vector).norm() < 0.21,
            "{tip}"
        );
        // All but the led link: ten and a half of eleven links' worth at least.
        let weight: f64 = (1..11)
            .map(|link| rod.rod.link_inertia(link).unwrap().0)
            .sum::<f64>()
            * 9.81;
        let carried = carried / (steps / 2) as f64;
        assert!(
            (carried - weight).abs() < 0.2 * weight,
            "{carried} {weight}"
        );
    }

    #[test]
    fn a_rod_stays_on_a_floor() {
        let mut rod = rod(1e6);
        let floor = |at: &Vector3<f64>| (at.z < -0.02).then(|| (-0.02 - at.z, Vector3::z()));
        for _ in 0..50 {
            rod.step(&settings(20), 0.01, &[], &floor).unwrap();
        }
        for pose in rod.poses() {
            assert!((pose.translation.vector.z + 0.02).abs() < 1e-4);
        }
    }
}
