//! What forces of another contact model are worth as impulses of the rigid problem of the same step.

use std::collections::HashMap;

use stiction_constraints::{Criterion, ResidualEvaluator};
use stiction_scenes::{Options, build};
use stiction_sim::contact::tangents;
use stiction_sim::{ContactForce, Snapshot, World};

use crate::error::{ExperimentError, Result};

/// A world like another one, but with rigid contacts: from the same state it makes the problem (8) with the laws (5),
/// which is what the paper's residual is about.
///
/// A solver whose contacts give way is asked a problem of its own; measured on that, it is as good as its arithmetic.
pub(super) struct RigidTwin {
    world: World,
    evaluator: ResidualEvaluator,
}

impl RigidTwin {
    /// Of a built-in scene whose contacts are all that constrains it.
    pub(super) fn of(scene: &str, options: &Options) -> Result<Self> {
        let mut world = build(scene, options)?.world;
        let mut settings = world.settings().clone();
        settings.islands = false;
        world.set_settings(settings)?;
        Ok(Self {
            world,
            evaluator: ResidualEvaluator::default(),
        })
    }

    /// Residuals by the paper's measure and by the scaled one (m/s) of contact forces, over a step from a state;
    /// `None` where nothing is near anything.
    pub(super) fn judge(
        &mut self,
        before: &Snapshot,
        forces: &[ContactForce],
    ) -> Result<Option<[f64; 2]>> {
        self.world.restore(before)?;
        self.world.step()?;
        let dt = self.world.settings().time_step;
        let known: HashMap<_, _> = forces.iter().map(|one| (key(one), one.force)).collect();
        let own = self.world.contact_forces();
        let impulse: Vec<f64> = own
            .iter()
            .flat_map(|contact| {
                let [t1, t2] = tangents(&contact.normal, None);
                // What the other model leaves out has no force.
                let force = known.get(&key(contact)).copied().unwrap_or_default();
                [t1, t2, contact.normal].map(|axis| dt * axis.dot(&force))
            })
            .collect();
        let Some(solved) = self.world.problems().next() else {
            return Ok(None);
        };
        let problem = solved.problem;
        if problem.row_count() != impulse.len() || self.evaluator.update(problem).is_err() {
            return Err(ExperimentError::NothingTouches(
                "a step of contacts alone, which this is not",
            ));
        }
        let mut measure = |criterion| self.evaluator.measure(problem, &impulse, criterion);
        Ok(Some(
            [Criterion::Paper, Criterion::Scaled].map(&mut measure),
        ))
    }
}

/// The same contact in two worlds of one state: where it is, to the last bit.
fn key(contact: &ContactForce) -> [u64; 3] {
    let at = contact.point.coords;
    [at.x, at.y, at.z].map(f64::to_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forces of a rigid solver have its own residual, those of a soft one do not.
    #[test]
    fn forces_are_judged_by_the_rigid_problem() {
        let mut found = [0.0_f64; 2];
        for (solver, found) in ["canal", "mujoco-like"].into_iter().zip(&mut found) {
            let options = Options::default();
            let mut world = build("dish-sliding", &options).unwrap().world;
            world.set_solver(solver).unwrap();
            let mut twin = RigidTwin::of("dish-sliding", &options).unwrap();
            for step in 0..140 {
                let before = world.snapshot();
                world.step().unwrap();
                if step > 125 {
                    let forces = world.contact_forces();
                    let [_, scaled] = twin.judge(&before, forces).unwrap().unwrap();
                    *found = found.max(scaled);
                }
            }
        }
        assert!(found[0] < 2e-8, "{found:?}");
        assert!(found[1] > 1e-3, "{found:?}");
    }
}
