//! Springs with dampers between the members of a mechanism.

use nalgebra::Vector3;

use super::joint::End;
use super::mechanism::{Mechanism, dot};
use super::member::FrameAt;

/// h² k/m + h c/m of a spring at which an explicit rule is no longer precise; RK4 is stable up to 2.8.
const STIFF: f64 = 1.0;

/// A spring with a damper.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spring {
    /// Among the world's connections.
    pub(super) connection: usize,
    pub(super) ends: [End; 2],
    /// N/m, N·s/m, m.
    pub(super) stiffness: f64,
    pub(super) damping: f64,
    pub(super) rest_length: f64,
}

impl Spring {
    /// Energy that it stores, J.
    pub(super) fn energy(&self, frames: &[FrameAt]) -> f64 {
        let [a, b] = self.ends.map(|end| end.at(frames));
        let stretch = (b.point - a.point).norm() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }
}

impl Mechanism {
    /// Whether a spring, a damper or what acts in the joints of a tree is too stiff for substeps of `h` s by an
    /// explicit rule, where it was placed last.
    pub(super) fn is_stiff(&mut self, h: f64) -> bool {
        if self.members.iter().any(|member| member.is_stiff()) {
            return true;
        }
        let _ = self.members.iter_mut().all(|member| member.factorize());
        (0..self.springs.len()).any(|number| {
            let spring = self.springs[number];
            let [a, b] = spring.ends.map(|end| end.at(&self.at));
            let along = (b.point - a.point).try_normalize(0.0);
            let along = along.unwrap_or_else(Vector3::x);
            let mut mobility = 0.0;
            for (end, at) in spring.ends.iter().zip([a.point, b.point]) {
                mobility +=
                    self.respond_to(end, &at, &along, |row, response, _| dot(row, response));
            }
            h * (h * spring.stiffness + spring.damping) * mobility > STIFF
        })
    }

    /// Adds what a spring does to its members; the power of its damper, W.
    pub(super) fn pull(&mut self, number: usize, rates: &mut [f64]) -> f64 {
        let spring = self.springs[number];
        let [a, b] = spring.ends.map(|end| end.at(&self.at));
        let apart = b.point - a.point;
        let Some(along) = apart.try_normalize(0.0) else {
            return 0.0;
        };
        let rate = along.dot(&(b.velocity - a.velocity));
        let tension =
            spring.stiffness * (apart.norm() - spring.rest_length) + spring.damping * rate;
        for (end, at, sign) in [
            (&spring.ends[0], a.point, 1.0),
            (&spring.ends[1], b.point, -1.0),
        ] {
            let force = along * (sign * tension);
            self.respond_to(end, &at, &force, |_, response, own| {
                for (rate, value) in rates[own].iter_mut().zip(response) {
                    *rate += value;
                }
                0.0
            });
        }
        -spring.damping * rate * rate
    }

    /// Hands a force on an end as a row, what it does to the member's accelerations, and where these are.
    fn respond_to(
        &mut self,
        end: &End,
        at: &Vector3<f64>,
        force: &Vector3<f64>,
        mut visit: impl FnMut(&[f64], &[f64], std::ops::Range<usize>) -> f64,
    ) -> f64 {
        let Some(number) = end.frame() else {
            return 0.0;
        };
        let frame = self.frames[number];
        let own = self.places[frame.member].v.clone();
        let [row, response] = &mut self.spring_rows;
        row.clear();
        row.resize(own.len(), 0.0);
        let member = &mut self.members[frame.member];
        let on = (frame.body, &self.at[number]);
        member.add_force(on, [at, force, &Vector3::zeros()], 0.0, row);
        response.clone_from(row);
        member.respond(response);
        visit(row, response, own)
    }
}
