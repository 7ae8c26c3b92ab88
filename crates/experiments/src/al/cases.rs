//! Contact problems of single steps: configurations of a scene under random wrenches.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_constraints::Problem;
use stiction_scenes::Options;
use stiction_sim::{Vector3, World};

use crate::error::{ExperimentError, Result};
use crate::run::Run;

/// Largest components of random forces, N, and torques, N m, on the nut, and on each dish.
pub(super) const ON_NUT: [f64; 2] = [300.0, 5.0];
pub(super) const ON_DISH: [f64; 2] = [3.0, 0.05];
/// Steps between two configurations of the nut, after as many, and for how many of them it is pressed to its seat.
const APART: usize = 36;
const SEATED: usize = 12;
/// Tolerance with which the dishes come to rest, m/s, and steps until they have.
const AT_REST: f64 = 1e-8;
const STANDING: usize = 720;

/// The nut on its way down the bolt, pressed against its thread at `configurations` places, under `wrenches` random
/// wrenches at each: a nut that hangs in its clearance touches nothing, and what pushes it then makes no problem.
pub(super) fn bolt_nut(
    run: &mut Run<'_>,
    configurations: usize,
    wrenches: usize,
) -> Result<Vec<Problem>> {
    let mut world = stiction_scenes::build("bolt-nut", &Options::default())?.world;
    let nut = world.find_body("nut")?;
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut out = Vec::new();
    for configuration in 0..configurations {
        let share = 0.1 * configuration as f64 / configurations as f64;
        run.tell(share, "configurations of the nut")?;
        let (force, mut torque) = wrench(&mut random, ON_NUT);
        // About the bolt it would run off.
        torque.z = 0.0;
        for step in 0..APART {
            if step >= APART - SEATED {
                world.commands().push(nut, force, torque)?;
            }
            world.step()?;
        }
        let before = world.snapshot();
        for _ in 0..wrenches {
            world.restore(&before)?;
            let (force, torque) = wrench(&mut random, ON_NUT);
            world.commands().push(nut, force, torque)?;
            world.step()?;
            out.push(only_problem(&world)?);
        }
        world.restore(&before)?;
    }
    Ok(out)
}

/// The stacked dishes with random wrenches on each, and the largest speeds (m/s and rad/s) at which they stand before that.
pub(super) fn dishes(run: &mut Run<'_>, count: usize) -> Result<(Vec<Problem>, [f64; 2])> {
    let mut world = standing_dishes(run)?;
    let names = ["lower bowl", "upper bowl", "plate", "pot"];
    let (mut bodies, mut speed) = (Vec::new(), [0.0_f64; 2]);
    for name in names {
        let body = world.find_body(name)?;
        let twist = world.velocity(body)?;
        speed[0] = speed[0].max(twist.linear.norm());
        speed[1] = speed[1].max(twist.angular.norm());
        bodies.push(body);
    }
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let before = world.snapshot();
    let mut out = Vec::new();
    for _ in 0..count {
        world.restore(&before)?;
        for &body in &bodies {
            let (force, torque) = wrench(&mut random, ON_DISH);
            world.commands().push(body, force, torque)?;
        }
        world.step()?;
        out.push(only_problem(&world)?);
    }
    Ok((out, speed))
}

/// The four dishes of the paper, stacked and at rest.
fn standing_dishes(run: &mut Run<'_>) -> Result<World> {
    let mut world = stiction_scenes::build("dish-piling", &Options::default())?.world;
    // One problem for all of them, also where a wrench lifts one off.
    let mut settings = world.settings().clone();
    settings.islands = false;
    settings.tolerance = AT_REST;
    world.set_settings(settings)?;
    for step in 0..STANDING {
        if step % 100 == 0 {
            run.tell(0.1 * step as f64 / STANDING as f64, "dishes come to rest")?;
        }
        world.step()?;
    }
    Ok(world)
}

fn wrench(random: &mut ChaCha8Rng, [force, torque]: [f64; 2]) -> (Vector3<f64>, Vector3<f64>) {
    let mut vector = |most: f64| Vector3::from_fn(|_, _| random.random_range(-most..most));
    (vector(force), vector(torque))
}

/// The problem of the last step; the largest where there are several.
fn only_problem(world: &World) -> Result<Problem> {
    let problems = world.problems().map(|solved| solved.problem);
    let largest = problems.max_by_key(|problem| problem.row_count());
    largest
        .cloned()
        .ok_or(ExperimentError::NothingTouches("a single-step case"))
}
