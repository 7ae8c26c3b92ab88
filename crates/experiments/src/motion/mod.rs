//! How robots move where nothing touches them: energy and momentum over a minute, model by model.

pub mod contact;
pub mod models;

use std::time::Instant;

use stiction_dynamics::{Data, kinetic_energy, potential_energy};
use stiction_sim::{Settings, World};

use crate::error::Result;
use models::{Links, MotionModel};

/// What was measured on one model.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Energy that all shares are of: the largest kinetic energy seen, J.
    pub scale: f64,
    /// Highest energy above that of the start, as a share; at least 0.
    pub gain: f64,
    /// Lowest energy below that of the start, as a share; at least 0.
    pub loss: f64,
    /// What the account took, as a share.
    pub taken: f64,
    /// Change of the angular momentum as a share of it; `None` for what hangs on the world.
    pub momentum: Option<f64>,
    /// Substeps of a step.
    pub substeps: f64,
    /// Wall-clock time of a step, s.
    pub step_time: f64,
}

/// The models that keep their energy with the default settings, those that need a tolerance of 1e-5 and 64
/// substeps for it, and long chains.
///
/// # Errors
/// None.
pub fn all_models() -> Result<Vec<(MotionModel, Settings)>> {
    let plain = Settings::default();
    let fine = Settings {
        integration_tolerance: 1e-5,
        max_substeps: 64,
        ..Settings::default()
    };
    let mut all = vec![
        (models::double_pendulum()?, plain.clone()),
        (models::tumbling_base()?, plain.clone()),
        (models::base_with_limb(30.0)?, plain.clone()),
    ];
    for ratio in [1e2, 1e4, 1e6] {
        all.push((models::ball_joint(ratio, 20.0)?, plain.clone()));
    }
    all.push((models::base_with_limb(100.0)?, fine.clone()));
    for ratio in [1e2, 1e6] {
        all.push((models::ball_joint(ratio, 200.0)?, fine.clone()));
    }
    for links in Links::ALL {
        all.push((models::chain(10, links)?, fine.clone()));
    }
    for count in [50, 200] {
        for links in Links::ALL {
            all.push((models::chain(count, links)?, plain.clone()));
        }
    }
    Ok(all)
}

/// Moves a model for `seconds` s.
///
/// # Errors
/// A step that fails.
pub fn measure(model: &MotionModel, settings: &Settings, seconds: f64) -> Result<Measured> {
    let settings = Settings {
        gravity: model.model.gravity(),
        ..settings.clone()
    };
    let steps = (seconds / settings.time_step).round().max(1.0) as usize;
    let mut world = World::new(settings)?;
    let robot = world.add_robot("robot", model.model.clone())?;
    world.set_robot_state(robot, &model.start.q, &model.start.v)?;
    let (q, v) = (&model.start.q, &model.start.v);
    let mut data = Data::new(&model.model);
    let kinetic = kinetic_energy(&model.model, &mut data, q, v)?;
    let start = kinetic + potential_energy(&model.model, &mut data, q)?;
    let momentum = world.momentum()?.1;
    let mut scale = kinetic;
    let (mut gain, mut loss, mut taken, mut substeps) = (0.0f64, 0.0f64, 0.0, 0);
    let mut time = 0.0;
    for _ in 0..steps {
        let clock = Instant::now();
        let report = world.step()?;
        time += clock.elapsed().as_secs_f64();
        let change = report.kinetic_energy + report.potential_energy - start;
        (gain, loss) = (gain.max(change), loss.max(-change));
        scale = scale.max(report.kinetic_energy);
        taken += report.energy_taken;
        substeps += report.substeps;
    }
    let is_floating = model.model.gravity().norm() == 0.0;
    let turned = (world.momentum()?.1 - momentum).norm() / momentum.norm();
    Ok(Measured {
        name: model.name.clone(),
        scale,
        gain: gain / scale,
        loss: loss / scale,
        taken: taken / scale,
        momentum: is_floating.then_some(turned),
        substeps: substeps as f64 / steps as f64,
        step_time: time / steps as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole table's first second; `stiction bench motion` has the minute.
    #[test]
    fn no_model_gains_and_short_ones_keep_their_energy() {
        for (model, settings) in all_models().unwrap() {
            let links = model.model.nv();
            let seconds = if links > 30 { 0.1 } else { 1.0 };
            let found = measure(&model, &settings, seconds).unwrap();
            assert!(found.gain < 1e-9, "{found:?}");
            assert!(links > 30 || found.loss < 1e-4, "{found:?}");
            assert!(
                found.momentum.is_none_or(|change| change < 1e-12),
                "{found:?}"
            );
        }
    }
}
