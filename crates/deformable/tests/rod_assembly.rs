//! Equations of a step: strains as rows, pieces, threads, memory, read-outs, refusals.

mod rod_common;

use nalgebra::{DMatrix, DVector, Isometry3, Vector3};
use rod_common::{cable, dense, moving, without_gravity};
use stiction_deformable::rod::{
    Damping, EquilibriumSettings, Profile, Rod, RodEquations, RodError, RodInput, RodMaterial,
    RodShape, RodState, RodStepSettings, RodStepper, Section, Strains, Supports, equilibrium,
    retract,
};
use stiction_test_support::allocations;

fn assembled(
    rod: &Rod,
    state: &RodState,
    supports: &Supports,
    settings: &RodStepSettings,
    strains: Strains,
) -> (DMatrix<f64>, DVector<f64>) {
    let input = RodInput {
        poses: &state.poses,
        velocity: &state.velocity,
        wrenches: &[],
        supports,
        guess: None,
    };
    let mut equations = RodEquations::default();
    equations.assemble(rod, &input, settings, strains).unwrap();
    let right = DVector::from_column_slice(equations.right_hand_side());
    (dense(equations.matrix()), right)
}

fn solved(matrix: DMatrix<f64>, right: &DVector<f64>) -> DVector<f64> {
    matrix.cholesky().unwrap().solve(right)
}

/// Adds soft rows λ = −k e − c J v̂ of every joint, k = h ℓC, c = k (h + τ), to A and b.
fn add_rows(
    rod: &Rod,
    state: &RodState,
    step: f64,
    matrix: &mut DMatrix<f64>,
    right: &mut DVector<f64>,
) {
    let damping = rod.damping();
    for joint in 0..rod.joint_count() {
        let rows = rod.joint_rows(joint, &state.poses).unwrap();
        for row in 0..6 {
            let gain = step * rows.stiffness[row];
            let resist = gain * (step + damping.stiffness + damping.strain[row]);
            let jacobian = rows.jacobian.row(row).transpose();
            let mut block = matrix.view_mut((6 * joint, 6 * joint), (12, 12));
            block += jacobian * jacobian.transpose() * resist;
            let mut part = right.rows_mut(6 * joint, 12);
            part -= jacobian * (gain * rows.strain[row]);
        }
    }
}

#[test]
fn strains_as_rows_are_the_folded_ones() {
    let damping = Damping {
        mass: 0.1,
        stiffness: 0.002,
        strain: [0.0, 0.0, 0.01, 0.003, 0.0, 0.02],
    };
    let rod = cable(12).with_damping(damping).unwrap();
    let state = moving(&rod);
    let supports = Supports::free(12);
    let settings = RodStepSettings::default();
    let (matrix, right) = assembled(&rod, &state, &supports, &settings, Strains::Folded);
    let folded = solved(matrix, &right);
    let (mut matrix, mut right) = assembled(&rod, &state, &supports, &settings, Strains::AsRows);
    add_rows(&rod, &state, settings.time_step, &mut matrix, &mut right);
    let rows = solved(matrix, &right);
    assert!((&rows - &folded).norm() < 1e-9 * folded.norm());
}

/// Rows alone, as in the papers, leave the geometric stiffness out: what that changes in a step falls
/// with the square of the step.
#[test]
fn rows_without_geometric_stiffness_agree_to_first_order() {
    let rod = cable(12);
    let state = moving(&rod);
    let supports = Supports::free(12);
    let change = |step: f64| {
        let settings = without_gravity(step);
        let (matrix, right) = assembled(&rod, &state, &supports, &settings, Strains::Folded);
        let folded = solved(matrix, &right);
        // Masses: what is left of A where nothing is strained.
        let shape = RodShape {
            poses: state.poses.clone(),
            lengths: rod.rest().lengths.clone(),
        };
        let loose = Rod::new(shape, *rod.profile()).unwrap();
        let (mut matrix, mut right) =
            assembled(&loose, &state, &supports, &settings, Strains::AsRows);
        add_rows(&rod, &state, step, &mut matrix, &mut right);
        (solved(matrix, &right) - folded).norm()
    };
    let [coarse, fine] = [2e-8, 1e-8].map(change);
    assert!(
        coarse > 0.0 && (coarse / fine - 4.0).abs() < 0.2,
        "{}",
        coarse / fine
    );
}

#[test]
fn pieces_joined_by_rows_move_as_the_whole() {
    let rod = cable(24).with_residual_bending();
    let state = moving(&rod);
    let mut supports = Supports::free(24);
    supports.clamp(0).unwrap();
    let settings = RodStepSettings::default();
    let (matrix, right) = assembled(&rod, &state, &supports, &settings, Strains::Folded);
    let whole = solved(matrix, &right);
    for links_per_piece in [2, 5, 9, 24, 100] {
        let cut = rod.cut(links_per_piece).unwrap();
        let sizes: Vec<usize> = cut.pieces.iter().map(Rod::dof_count).collect();
        assert!(sizes.iter().all(|&size| size <= 6 * links_per_piece));
        assert_eq!(cut.seams.len() + 1, cut.pieces.len());
        let mass: f64 = cut.pieces.iter().map(Rod::mass).sum();
        assert!((mass - rod.mass()).abs() < 1e-15);
        let total: usize = sizes.iter().sum();
        let size = total + 6 * cut.seams.len();
        let (mut kkt, mut known) = (DMatrix::zeros(size, size), DVector::zeros(size));
        let mut start = 0;
        let mut starts = Vec::new();
        for (piece, &first) in cut.pieces.iter().zip(&cut.first_links) {
            let links = first..first + piece.link_count();
            let part = RodState {
                poses: state.poses[links.clone()].to_vec(),
                velocity: state.velocity[6 * links.start..6 * links.end].to_vec(),
            };
            let mut held = Supports::free(piece.link_count());
            if first == 0 {
                held.clamp(0).unwrap();
            }
            let (matrix, right) = assembled(piece, &part, &held, &settings, Strains::Folded);
            let count = piece.dof_count();
            kkt.view_mut((start, start), (count, count))
                .copy_from(&matrix);
            known.rows_mut(start, count).copy_from(&right);
            starts.push(start);
            start += count;
        }
        for (at, seam) in cut.seams.iter().enumerate() {
            for axis in 0..6 {
                let row = total + 6 * at + axis;
                let ends = [
                    starts[seam.piece] + 6 * seam.link + axis,
                    starts[seam.piece + 1] + axis,
                ];
                for (end, sign) in ends.into_iter().zip([1.0, -1.0]) {
                    kkt[(row, end)] = sign;
                    kkt[(end, row)] = sign;
                }
            }
        }
        let found = kkt.full_piv_lu().solve(&known).unwrap();
        for (piece, &first) in cut.first_links.iter().enumerate() {
            let count = sizes[piece];
            let error = found.rows(starts[piece], count) - whole.rows(6 * first, count);
            assert!(
                error.norm() < 1e-9 * whole.norm(),
                "{links_per_piece}: {}",
                error.norm()
            );
        }
    }
}

/// What a seam is off by is what a velocity of the second copy takes away in time.
#[test]
fn seams_measure_what_velocities_close() {
    let cut = cable(9).cut(5).unwrap();
    let first = moving(&cable(9)).poses[4];
    let velocity = [0.1, -0.2, 0.3, 0.2, 0.1, -0.3];
    let mut second = [first];
    retract(&[first], &velocity, 1e-4, &mut second).unwrap();
    let error = cut.seams[0].error(&first, &second[0]) / 1e-4;
    for axis in 0..6 {
        assert!((error[axis] - velocity[axis]).abs() < 1e-9);
    }
}

#[test]
fn steps_are_the_same_on_any_number_of_threads() {
    let rod = cable(150);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut state = moving(&rod);
            let (supports, settings) = (Supports::free(150), RodStepSettings::default());
            let mut stepper = RodStepper::default();
            for _ in 0..5 {
                stepper
                    .step(&rod, &mut state, &supports, &[], &settings)
                    .unwrap();
            }
            state
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

#[test]
fn steps_after_the_first_allocate_nothing() {
    // One thread, on which all is counted.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        let rod = cable(60);
        let mut state = moving(&rod);
        let supports = Supports::free(60);
        let settings = RodStepSettings {
            linearizations: 2,
            ..RodStepSettings::default()
        };
        let wrenches = vec![0.01; rod.dof_count()];
        let mut stepper = RodStepper::default();
        let before = allocations();
        stepper
            .step(&rod, &mut state, &supports, &wrenches, &settings)
            .unwrap();
        assert!(allocations() > before, "the count works");
        let before = allocations();
        for _ in 0..3 {
            stepper
                .step(&rod, &mut state, &supports, &wrenches, &settings)
                .unwrap();
        }
        assert_eq!(allocations() - before, 0);
    });
}

#[test]
fn read_outs_balance_loads() {
    // Stiff enough to stay nearly straight.
    let material = RodMaterial {
        young: 1e11,
        poisson: 0.25,
        density: 2000.0,
    };
    let section = Section::rectangle(0.02, 0.01, material.poisson);
    let profile = Profile::new(&section, &material).unwrap();
    let shape = RodShape::straight(Vector3::zeros(), Vector3::z() * -1.0, 21).unwrap();
    let rod = Rod::new(shape, profile).unwrap();
    let mut supports = Supports::free(21);
    supports.clamp(0).unwrap();
    let gravity = Vector3::z() * -9.81;
    let settings = EquilibriumSettings {
        gravity,
        ..EquilibriumSettings::default()
    };
    let mut forces = vec![Vector3::zeros(); 21];
    forces[20] = Vector3::new(0.5, 0.0, -3.0);
    let mut poses = rod.rest().poses.clone();
    equilibrium(&rod, &mut poses, &supports, &forces, &settings).unwrap();
    let tip = poses[20].translation.vector;
    for joint in 0..20 {
        let below: f64 = (joint + 1..21)
            .map(|link| rod.link_inertia(link).unwrap().0)
            .sum();
        let stress = rod.stress(joint, &poses).unwrap();
        let wanted = Vector3::new(0.5, 0.0, -3.0 - 9.81 * below);
        assert!((stress.force_world - wanted).norm() < 1e-6, "joint {joint}");
        assert!((stress.tension() + wanted.z).abs() < 1e-3);
        let middle = 0.5 * (poses[joint].translation.vector + poses[joint + 1].translation.vector);
        let mut moment = (tip - middle).cross(&forces[20]);
        for link in joint + 1..21 {
            let weight = gravity * rod.link_inertia(link).unwrap().0;
            moment += (poses[link].translation.vector - middle).cross(&weight);
        }
        assert!(
            (stress.moment_world - moment).norm() < 1e-6,
            "joint {joint}"
        );
        assert!((stress.bending_moment() - moment.norm()).abs() < 1e-6);
    }
}

#[test]
fn frames_follow_curves_without_twist() {
    let circle = |angle: f64| Vector3::new(angle.cos(), angle.sin(), 0.0);
    let shape = RodShape::along_curve(circle, 0.0..3.0, 31).unwrap();
    assert!((shape.length() - 3.0).abs() < 1e-5);
    let shape = shape.with_normal(Vector3::z()).unwrap();
    for (link, pose) in shape.poses.iter().enumerate() {
        let angle = 0.1 * link as f64;
        let tangent = Vector3::new(-angle.sin(), angle.cos(), 0.0);
        assert!((pose.rotation * Vector3::z() - tangent).norm() < 1e-5);
        assert!((pose.rotation * Vector3::x() - Vector3::z()).norm() < 1e-9);
    }
    let along_tangent = shape.with_normal(Vector3::y());
    assert!(matches!(along_tangent, Err(RodError::BadVector { .. })));
}

#[test]
fn bad_input_is_refused_by_name() {
    let material = RodMaterial {
        young: 1e6,
        poisson: 0.3,
        density: 1000.0,
    };
    let says = |error: RodError, words: &str| {
        let text = error.to_string();
        assert!(text.contains(words), "{text}");
    };
    says(Profile::round(0.0, &material).unwrap_err(), "radius");
    says(Profile::round(f64::NAN, &material).unwrap_err(), "radius");
    for (bad, words) in [
        (
            RodMaterial {
                young: -1.0,
                ..material
            },
            "Young",
        ),
        (
            RodMaterial {
                poisson: 0.6,
                ..material
            },
            "Poisson",
        ),
        (
            RodMaterial {
                poisson: -1.0,
                ..material
            },
            "Poisson",
        ),
        (
            RodMaterial {
                density: f64::INFINITY,
                ..material
            },
            "density",
        ),
    ] {
        says(Profile::round(0.01, &bad).unwrap_err(), words);
    }
    let tube = Section::tube(0.01, 0.02, 0.3);
    says(Profile::new(&tube, &material).unwrap_err(), "area");

    let (zero, one) = (Vector3::zeros(), Vector3::x());
    says(
        RodShape::straight(zero, one, 1).unwrap_err(),
        "at least two",
    );
    says(RodShape::straight(zero, zero, 5).unwrap_err(), "coincide");
    says(
        RodShape::along_points(&[zero, one, zero]).unwrap_err(),
        "point 1",
    );
    says(
        RodShape::along_points(&[zero, one * f64::NAN]).unwrap_err(),
        "link 1",
    );
    says(
        RodShape::along_curve(|_| zero, 0.0..1.0, 5).unwrap_err(),
        "length of the curve",
    );

    let mut profile = Profile::round(0.01, &material).unwrap();
    profile.stiffness.bend[1] = 0.0;
    let shape = RodShape::straight(zero, one, 5).unwrap();
    says(
        Rod::new(shape.clone(), profile).unwrap_err(),
        "bending stiffness about d2",
    );
    let mut short = shape.clone();
    short.lengths.pop();
    let profile = Profile::round(0.01, &material).unwrap();
    says(Rod::new(short, profile).unwrap_err(), "lengths of joints");
    let mut folded = shape.clone();
    let turn = nalgebra::UnitQuaternion::from_scaled_axis(Vector3::y() * 3.1);
    folded.poses[3].rotation = turn * folded.poses[3].rotation;
    says(Rod::new(folded, profile).unwrap_err(), "joint 2");

    let rod = Rod::new(shape, profile).unwrap();
    let negative = Damping {
        stiffness: -1.0,
        ..Damping::default()
    };
    says(rod.clone().with_damping(negative).unwrap_err(), "damping");
    says(rod.cut(1).unwrap_err(), "at least two");
    says(rod.joint_rows(4, &rod.rest().poses).unwrap_err(), "joint 4");
    says(rod.stress(0, &rod.rest().poses[1..]).unwrap_err(), "poses");
    let mut supports = Supports::free(5);
    says(supports.clamp(5).unwrap_err(), "link 5");
    says(supports.give(0, 6, 0.0).unwrap_err(), "axis 6");
    says(supports.give(2, 0, f64::NAN).unwrap_err(), "link 2");

    let mut poses = rod.rest().poses.clone();
    let mut forces = vec![zero; 5];
    let search = EquilibriumSettings::default();
    let mut found = |forces: &[Vector3<f64>], search: &EquilibriumSettings| {
        equilibrium(&rod, &mut poses, &Supports::free(5), forces, search).unwrap_err()
    };
    says(found(&forces[1..], &search), "forces");
    forces[3] = one * f64::INFINITY;
    says(found(&forces, &search), "the force of link 3");
    forces[3] = one;
    // A free rod under a force stands still nowhere.
    says(found(&forces, &search), "equilibrium");
    let careless = EquilibriumSettings {
        tolerance: 0.0,
        ..search
    };
    says(found(&forces, &careless), "tolerance");

    let good = RodState::at_rest(rod.rest().poses.clone());
    let refused = |state: &RodState, wrenches: &[f64], settings: &RodStepSettings, words: &str| {
        let mut after = state.clone();
        let refused =
            RodStepper::default().step(&rod, &mut after, &Supports::free(5), wrenches, settings);
        says(refused.unwrap_err(), words);
        // Not a number differs from itself.
        assert_eq!(
            format!("{after:?}"),
            format!("{state:?}"),
            "the state stays"
        );
    };
    let settings = RodStepSettings::default();
    let half = RodStepSettings {
        theta: 0.5,
        ..settings
    };
    refused(&good, &[], &half, "θ = 0.5");
    refused(
        &good,
        &[],
        &RodStepSettings {
            time_step: 0.0,
            ..settings
        },
        "time step",
    );
    refused(
        &good,
        &[],
        &RodStepSettings {
            linearizations: 0,
            ..settings
        },
        "linearizations",
    );
    let pulled = RodStepSettings {
        gravity: one * f64::NAN,
        ..settings
    };
    refused(&good, &[], &pulled, "gravity");
    refused(&good, &[0.0; 7], &settings, "wrenches");
    let mut lost = good.clone();
    lost.velocity[13] = f64::NAN;
    refused(&lost, &[], &settings, "the velocity of link 2");
    let mut lost = good.clone();
    lost.poses[3] = Isometry3::translation(f64::INFINITY, 0.0, 0.0);
    refused(&lost, &[], &settings, "the position of link 3");
}
