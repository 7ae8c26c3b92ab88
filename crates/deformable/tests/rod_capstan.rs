//! A rod pulled around a drum: the ratio of its tensions.

use std::f64::consts::PI;

use nalgebra::{DMatrix, DVector, Isometry3, Vector3};
use stiction_deformable::rod::{
    BlockTridiagonal, Damping, Profile, Rod, RodEquations, RodInput, RodShape, RodStepSettings,
    Stiffness, Strains, Supports, retract,
};

/// Radius of the drum, and pull on the slack end.
const DRUM: f64 = 1.0;
const PULL: f64 = 1.0;

/// A rod of this radius around the drum about y, `wrap` rad, with a straight part before and behind.
fn wound(radius: f64, wrap: f64, links_per_turn: f64) -> (Rod, Vec<Isometry3<f64>>) {
    const TAIL: usize = 4;
    let stiffness = Stiffness {
        shear: [1e3 * PULL; 2],
        stretch: 1e3 * PULL,
        bend: [1e-4 * PULL; 2],
        twist: 1e-4 * PULL,
    };
    let profile = Profile {
        stiffness,
        mass_per_length: 1.0,
        rotary_inertia: [1e-4; 2],
    };
    let axis = DRUM + radius;
    let angle = 2.0 * PI / links_per_turn;
    let length = axis * angle;
    let around = (wrap / angle).round() as usize;
    let links = around + 1 + 2 * TAIL;
    let points: Vec<Vector3<f64>> = (0..links)
        .map(|link| {
            let at = link as f64 - TAIL as f64;
            let on_drum = at.clamp(0.0, around as f64);
            let turned = on_drum * angle;
            let along = (at - on_drum) * length;
            let (sin, cos) = turned.sin_cos();
            axis * Vector3::new(cos, 0.0, sin) + along * Vector3::new(-sin, 0.0, cos)
        })
        .collect();
    let rest = RodShape::straight(
        Vector3::zeros(),
        Vector3::x() * (length * (links - 1) as f64),
        links,
    );
    let damping = Damping {
        mass: 1.0,
        ..Damping::default()
    };
    let rod = Rod::new(rest.unwrap(), profile)
        .and_then(|rod| rod.with_damping(damping))
        .unwrap();
    let poses = RodShape::along_points(&points).unwrap();
    (rod, poses.with_normal(Vector3::y()).unwrap().poses)
}

/// Wrench on a link from a unit of normal force: friction at its limit, towards the slack end, acts on
/// the rod's skin.
fn column(pose: &Isometry3<f64>, friction: f64, radius: f64) -> [f64; 6] {
    let normal = pose.translation.vector.normalize();
    // Links run from the slack end: x to z about −y.
    let back = Vector3::new(normal.z, 0.0, -normal.x) * friction;
    let (force, torque) = (normal + back, (normal * -radius).cross(&back));
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

fn dense(matrix: &BlockTridiagonal) -> DMatrix<f64> {
    let dofs = 6 * matrix.diagonal().len();
    let mut out = DMatrix::zeros(dofs, dofs);
    for (link, block) in matrix.diagonal().iter().enumerate() {
        out.fixed_view_mut::<6, 6>(6 * link, 6 * link)
            .copy_from(block);
    }
    for (link, block) in matrix.below().iter().enumerate() {
        out.fixed_view_mut::<6, 6>(6 * link + 6, 6 * link)
            .copy_from(block);
        out.fixed_view_mut::<6, 6>(6 * link, 6 * link + 6)
            .copy_from(&block.transpose());
    }
    out
}

/// Tension of the held end over the pull on the other, friction at its limit everywhere.
fn ratio(friction: f64, wrap: f64, radius: f64) -> f64 {
    let (rod, mut poses) = wound(radius, wrap, 40.0);
    let links = rod.link_count();
    let mut supports = Supports::free(links);
    for link in 0..links {
        [1, 3, 5]
            .iter()
            .for_each(|&axis| supports.give(link, axis, 0.0).unwrap());
    }
    supports.pin(links - 1).unwrap();
    let mut wrenches = vec![0.0; rod.dof_count()];
    let back = poses[0].rotation * Vector3::z() * -PULL;
    wrenches[..3].copy_from_slice(back.as_slice());
    let settings = RodStepSettings {
        time_step: 0.2,
        gravity: Vector3::zeros(),
        ..RodStepSettings::default()
    };
    let mut velocity = vec![0.0; rod.dof_count()];
    let mut equations = RodEquations::default();
    let gap = |pose: &Isometry3<f64>| pose.translation.vector.norm() - DRUM - radius;
    let mut closed: Vec<bool> = poses.iter().map(|pose| gap(pose) < 1e-9).collect();
    let mut last = 0.0;
    for step in 0..400 {
        let input = RodInput {
            poses: &poses,
            velocity: &velocity,
            wrenches: &wrenches,
            supports: &supports,
            guess: None,
        };
        equations
            .assemble(&rod, &input, &settings, Strains::Folded)
            .unwrap();
        let factor = dense(equations.matrix()).cholesky().unwrap();
        let free = factor.solve(&DVector::from_column_slice(equations.right_hand_side()));
        // Which contacts are closed: the one that pulls most is opened, the deepest is closed.
        let mut v_hat = free.clone();
        for _ in 0..links {
            let touching: Vec<usize> = (0..links).filter(|&link| closed[link]).collect();
            let mut forces = DMatrix::zeros(rod.dof_count(), touching.len());
            for (at, &link) in touching.iter().enumerate() {
                let column = column(&poses[link], friction, radius);
                forces
                    .view_mut((6 * link, at), (6, 1))
                    .copy_from_slice(&column);
                for dof in 6 * link..6 * link + 6 {
                    if supports.given()[dof] {
                        forces[(dof, at)] = 0.0;
                    }
                }
            }
            let answers = factor.solve(&forces);
            let normal = |link: usize, of: &[f64]| {
                let normal = poses[link].translation.vector.normalize();
                normal.dot(&Vector3::from_column_slice(&of[6 * link..6 * link + 3]))
            };
            let delassus = DMatrix::from_fn(touching.len(), touching.len(), |row, at| {
                normal(touching[row], answers.column(at).as_slice())
            });
            let wanted = DVector::from_fn(touching.len(), |row, _| {
                let link = touching[row];
                -gap(&poses[link]) / settings.time_step - normal(link, free.as_slice())
            });
            let impulse = delassus.lu().solve(&wanted).unwrap();
            v_hat = &free + answers * &impulse;
            let pulling = (0..touching.len()).min_by(|&a, &b| impulse[a].total_cmp(&impulse[b]));
            if let Some(at) = pulling.filter(|&at| impulse[at] < 0.0) {
                closed[touching[at]] = false;
                continue;
            }
            let next = |link: usize| {
                gap(&poses[link]) + settings.time_step * normal(link, v_hat.as_slice())
            };
            let open = (0..links).filter(|&link| !closed[link]);
            let deepest = open.min_by(|&a, &b| next(a).total_cmp(&next(b)));
            match deepest.filter(|&link| next(link) < -1e-9) {
                Some(link) => closed[link] = true,
                None => break,
            }
        }
        let start = poses.clone();
        retract(&start, v_hat.as_slice(), settings.time_step, &mut poses).unwrap();
        velocity.copy_from_slice(v_hat.as_slice());
        let tension = rod.stress(links - 2, &poses).unwrap().force.norm() / PULL;
        if step > 20 && (tension - last).abs() < 1e-7 * tension && v_hat.amax() < 1e-6 {
            return tension;
        }
        last = tension;
    }
    panic!("the rod does not come to rest: {last}");
}

/// Friction acts on the skin, tension in the axis: T₁/T₀ = e^{kΘ} with a μ k² + k − μ(1 − a) = 0,
/// a = r/(R + r).
fn expected(friction: f64, wrap: f64, radius: f64) -> f64 {
    let a = radius / (DRUM + radius);
    let square = 1.0 + 4.0 * a * friction * friction * (1.0 - a);
    let exponent = (square.sqrt() - 1.0) / (2.0 * a * friction);
    (exponent * wrap).exp()
}

#[test]
fn a_drum_multiplies_tension_as_the_capstan_equation_says() {
    for (friction, wrap, radius) in [(0.3, PI, 0.01), (0.3, PI, 0.1), (0.2, 2.0 * PI, 0.02)] {
        let found = ratio(friction, wrap, radius);
        let error = found / expected(friction, wrap, radius) - 1.0;
        assert!(
            error.abs() < 0.02,
            "μ {friction}, {wrap} rad, r {radius}: {error:e}"
        );
    }
}
