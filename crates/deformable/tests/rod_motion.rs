//! Rods through time: energy, rest shapes, damping, supports.

mod rod_common;

use nalgebra::{UnitQuaternion, Vector3};
use rod_common::{Numbers, cable, moving, without_gravity};
use stiction_deformable::rod::{
    Damping, EquilibriumSettings, Profile, Rod, RodMaterial, RodShape, RodState, RodStepSettings,
    RodStepper, Supports, equilibrium,
};

/// Steps and checks that no step gains energy; what is left at the end.
fn steps_losing_energy(
    rod: &Rod,
    state: &mut RodState,
    supports: &Supports,
    settings: &RodStepSettings,
    steps: usize,
) -> f64 {
    let energy = |state: &RodState| {
        let energy = rod.energy(&state.poses, &state.velocity, &settings.gravity);
        energy.unwrap().total()
    };
    // What rounding may add, of what the rod can store.
    let start = energy(state);
    let scale = start.abs() + rod.mass() * settings.gravity.norm() * rod.rest().length();
    let mut stepper = RodStepper::default();
    let mut last = start;
    for step in 0..steps {
        stepper
            .step(rod, state, supports, &[], settings)
            .unwrap_or_else(|error| panic!("step {step}: {error}"));
        let now = energy(state);
        let gain = (now - last) / scale;
        assert!(gain < 1e-12, "step {step} gains {gain:e}");
        last = now;
    }
    last - start
}

fn swing(links: usize, steps: usize) {
    let rod = cable(links);
    let mut supports = Supports::free(links);
    supports.clamp(0).unwrap();
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let settings = RodStepSettings::default();
    let lost = steps_losing_energy(&rod, &mut state, &supports, &settings, steps);
    assert!(lost < 0.0);
    let tip = state.poses[links - 1].translation.vector;
    assert!(tip.z < -0.3, "it fell: {tip}");
}

/// Every link moved and turned at random, as a cable that was crumpled by hand: released.
fn crumple(links: usize, steps: usize) {
    let rod = cable(links);
    let mut numbers = Numbers(11);
    let mut poses = rod.rest().poses.clone();
    let spacing = rod.rest().lengths[0];
    for pose in &mut poses {
        pose.translation.vector.x *= 0.6;
        pose.translation.vector += numbers.vector() * spacing;
        pose.rotation = UnitQuaternion::from_scaled_axis(numbers.vector() * 0.6) * pose.rotation;
    }
    let mut state = RodState::at_rest(poses);
    let supports = Supports::free(links);
    let settings = without_gravity(0.01);
    let lost = steps_losing_energy(&rod, &mut state, &supports, &settings, steps);
    assert!(lost < 0.0);
}

#[test]
fn a_swinging_cable_never_gains_energy() {
    swing(80, 80);
}

#[test]
fn a_crumpled_cable_never_gains_energy() {
    crumple(80, 50);
}

/// Bars of other sizes and materials, from rubber to steel.
#[test]
fn stiff_and_soft_rods_never_gain_energy() {
    for (young, radius, length) in [(1e5, 0.004, 1.2), (2e9, 0.002, 0.4), (2e11, 0.001, 1.0)] {
        let material = RodMaterial {
            young,
            poisson: 0.3,
            density: 2000.0,
        };
        let profile = Profile::round(radius, &material).unwrap();
        let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * length, 41).unwrap();
        let rod = Rod::new(shape, profile).unwrap();
        let mut supports = Supports::free(41);
        supports.pin(0).unwrap();
        let mut state = RodState::at_rest(rod.rest().poses.clone());
        let settings = RodStepSettings::default();
        steps_losing_energy(&rod, &mut state, &supports, &settings, 80);
    }
}

#[test]
fn a_long_cable_never_gains_energy() {
    swing(320, 150);
    crumple(320, 150);
}

#[test]
fn a_helix_stays_a_helix() {
    let profile = *cable(2).profile();
    let helix = |angle: f64| Vector3::new(0.1 * angle.cos(), 0.1 * angle.sin(), 0.02 * angle);
    let shape = RodShape::along_curve(helix, 0.0..12.0, 40).unwrap();
    let rod = Rod::new(shape, profile).unwrap();
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let supports = Supports::free(40);
    let mut stepper = RodStepper::default();
    for _ in 0..500 {
        let settings = without_gravity(0.01);
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
    }
    for (now, rest) in state.poses.iter().zip(&rod.rest().poses) {
        assert!((now.translation.vector - rest.translation.vector).norm() < 1e-12);
        assert!(now.rotation.angle_to(&rest.rotation) < 1e-7);
    }
}

#[test]
fn a_spinning_rod_never_gains_energy() {
    for omega in [2.0, 20.0] {
        let rod = cable(40);
        let mut state = RodState::at_rest(rod.rest().poses.clone());
        let spin = Vector3::new(0.0, 0.0, omega);
        for (pose, velocity) in state.poses.iter().zip(state.velocity.chunks_mut(6)) {
            let arm = pose.translation.vector - Vector3::x() * 0.6;
            velocity[..3].copy_from_slice(spin.cross(&arm).as_slice());
            velocity[3..].copy_from_slice(spin.as_slice());
        }
        let (supports, settings) = (Supports::free(40), without_gravity(0.01));
        let lost = steps_losing_energy(&rod, &mut state, &supports, &settings, 30);
        assert!(lost < 0.0);
    }
}

/// What supports put in is not mistaken for a gain: a driven end makes the rod move.
#[test]
fn the_work_of_driven_ends_is_counted() {
    let rod = cable(20);
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let mut supports = Supports::free(20);
    supports
        .drive(0, Vector3::z() * 0.5, Vector3::y() * 2.0)
        .unwrap();
    let settings = RodStepSettings::default();
    let mut stepper = RodStepper::default();
    let energy = |state: &RodState| {
        let energy = rod.energy(&state.poses, &state.velocity, &settings.gravity);
        energy.unwrap().total()
    };
    let start = energy(&state);
    for _ in 0..60 {
        let report = stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
        assert!(report.gain < 1e-12, "{report:?}");
        assert!(report.linearizations <= 4, "{report:?}");
    }
    assert!(energy(&state) > start, "it was lifted");
}

#[test]
fn a_free_rod_falls_freely() {
    let rod = cable(20);
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let (supports, settings) = (Supports::free(20), RodStepSettings::default());
    let mut stepper = RodStepper::default();
    for _ in 0..10 {
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
    }
    for velocity in state.velocity.chunks(6) {
        assert!((velocity[2] + 0.981).abs() < 1e-12);
    }
    let energy = rod
        .energy(&state.poses, &state.velocity, &settings.gravity)
        .unwrap();
    assert!(energy.elastic < 1e-20);
    assert!((energy.kinetic - 0.5 * rod.mass() * 0.981_f64.powi(2)).abs() < 1e-12);
}

/// Two links on a spring along their axis: the step is m v̂ = m v − h k (u + (h + τ) v̂), exactly.
#[test]
fn damping_is_what_it_says() {
    let damping = Damping {
        mass: 0.7,
        stiffness: 0.01,
        strain: [0.0, 0.0, 0.02, 0.0, 0.0, 0.0],
    };
    let rod = cable(2).with_damping(damping).unwrap();
    let length = rod.rest().length();
    let stiffness = rod.profile().stiffness.stretch / length;
    // Both ends move alike, outwards: half the spring, twice as stiff.
    let mass = rod.link_inertia(0).unwrap().0;
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let mut stretch = 0.01;
    state.poses[1].translation.vector.x += stretch;
    state.poses[0].translation.vector.x -= stretch;
    let (supports, settings) = (Supports::free(2), without_gravity(1e-3));
    let mut stepper = RodStepper::default();
    let mut speed = 0.0;
    for _ in 0..20 {
        let h = settings.time_step;
        speed = (mass * speed - h * 2.0 * stiffness * stretch)
            / (mass * (1.0 + h * 0.7) + h * 2.0 * stiffness * (h + 0.03));
        stretch += h * speed;
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
        assert!((state.velocity[6] - speed).abs() < 1e-12 * speed.abs());
    }
    assert!(stretch > 0.0 && stretch < 0.01);
}

#[test]
fn strain_damping_leaves_turning_alone() {
    let spin = |rod: &Rod| {
        let mut state = RodState::at_rest(rod.rest().poses.clone());
        // Turning about the tangent: no strain at all.
        state
            .velocity
            .iter_mut()
            .skip(3)
            .step_by(6)
            .for_each(|omega| *omega = 5.0);
        let (supports, settings) = (Supports::free(20), without_gravity(0.01));
        let mut stepper = RodStepper::default();
        for _ in 0..50 {
            stepper
                .step(rod, &mut state, &supports, &[], &settings)
                .unwrap();
        }
        state.velocity[3]
    };
    let damping = Damping {
        stiffness: 0.5,
        ..Damping::default()
    };
    let damped = cable(20).with_damping(damping).unwrap();
    assert!((spin(&damped) - 5.0).abs() < 1e-7);
}

#[test]
fn supports_hold_and_drive() {
    let rod = cable(30);
    let mut state = moving(&rod);
    let start = state.clone();
    let mut supports = Supports::free(30);
    supports.clamp(0).unwrap();
    let (linear, angular) = (Vector3::new(0.1, -0.2, 0.3), Vector3::new(0.0, 0.0, 2.0));
    supports.drive(29, linear, angular).unwrap();
    let settings = RodStepSettings::default();
    let mut stepper = RodStepper::default();
    for _ in 0..20 {
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
    }
    assert_eq!(state.poses[0].translation, start.poses[0].translation);
    assert!(state.poses[0].rotation.angle_to(&start.poses[0].rotation) < 1e-7);
    let reached = state.poses[29].translation.vector - start.poses[29].translation.vector;
    assert!((reached - linear * 0.2).norm() < 1e-14);
    // Cayley's angle: 2 atan(h ω/2) a step.
    let turned = state.poses[29].rotation.angle_to(&start.poses[29].rotation);
    assert!((turned - 20.0 * 2.0 * 0.01_f64.atan()).abs() < 1e-9);
    // A released end falls.
    supports.release(29).unwrap();
    let height = state.poses[29].translation.z;
    for _ in 0..20 {
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
    }
    assert!(state.poses[29].translation.z < height);
}

#[test]
fn motion_ends_where_the_equilibrium_is() {
    let damping = Damping {
        mass: 20.0,
        ..Damping::default()
    };
    let rod = cable(25).with_damping(damping).unwrap();
    let mut supports = Supports::free(25);
    supports.clamp(0).unwrap();
    let settings = RodStepSettings::default();
    let mut state = RodState::at_rest(rod.rest().poses.clone());
    let mut stepper = RodStepper::default();
    for _ in 0..3000 {
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
    }
    let mut poses = rod.rest().poses.clone();
    let search = EquilibriumSettings {
        gravity: settings.gravity,
        ..EquilibriumSettings::default()
    };
    let found = equilibrium(&rod, &mut poses, &supports, &[], &search).unwrap();
    assert!(found.is_stable);
    for (stepped, found) in state.poses.iter().zip(&poses) {
        assert!((stepped.translation.vector - found.translation.vector).norm() < 1e-6);
    }
}

/// A cantilever let go: its first bending frequency, 3.516 √(EI/ρA)/L² rad/s.
#[test]
fn a_cantilever_swings_at_its_frequency() {
    let profile = *cable(2).profile();
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 0.4, 31).unwrap();
    let rod = Rod::new(shape, profile).unwrap();
    let mut supports = Supports::free(31);
    supports.clamp(0).unwrap();
    let mut forces = vec![Vector3::zeros(); 31];
    forces[30] = Vector3::z() * (0.1 * profile.stiffness.bend[0] / 0.16);
    let mut poses = rod.rest().poses.clone();
    let search = EquilibriumSettings::default();
    equilibrium(&rod, &mut poses, &supports, &forces, &search).unwrap();
    let mut state = RodState::at_rest(poses);
    let settings = without_gravity(4e-3);
    let mut stepper = RodStepper::default();
    let mut crossings = Vec::new();
    let mut last = state.poses[30].translation.z;
    for step in 0..1200 {
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
        let now = state.poses[30].translation.z;
        if now * last < 0.0 {
            crossings.push((step as f64 + last / (last - now)) * settings.time_step);
        }
        last = now;
    }
    let frequency = 2.0 * std::f64::consts::PI / (crossings[2] - crossings[0]);
    let expected = 3.516 * (profile.stiffness.bend[0] / profile.mass_per_length).sqrt() / 0.16;
    let error = frequency / expected - 1.0;
    assert!(error.abs() < 0.01, "{error:e}");
}

/// Newton's method on the implicit step: its residual falls with every linearization.
#[test]
fn further_linearizations_solve_the_implicit_step() {
    let rod = cable(20);
    // Swinging about its held end.
    let mut start = RodState::at_rest(rod.rest().poses.clone());
    let omega = Vector3::new(0.0, 3.0, 1.0);
    for (pose, velocity) in start.poses.iter().zip(start.velocity.chunks_mut(6)) {
        velocity[..3].copy_from_slice(omega.cross(&pose.translation.vector).as_slice());
        velocity[3..].copy_from_slice(omega.as_slice());
    }
    let mut supports = Supports::free(20);
    supports.pin(0).unwrap();
    let after = |linearizations: usize| {
        let settings = RodStepSettings {
            linearizations,
            most_linearizations: linearizations,
            ..RodStepSettings::default()
        };
        let mut state = start.clone();
        let mut stepper = RodStepper::default();
        stepper
            .step(&rod, &mut state, &supports, &[], &settings)
            .unwrap();
        state.velocity
    };
    let apart = |a: &[f64], b: &[f64]| {
        let squares = a.iter().zip(b).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    };
    let exact = after(40);
    let errors = [1, 4, 10].map(|passes| apart(&after(passes), &exact));
    assert!(errors[0] > 1e-3, "one linearization is not exact");
    assert!(
        errors[1] < 0.5 * errors[0] && errors[2] < 0.1 * errors[0],
        "{errors:?}"
    );
}
