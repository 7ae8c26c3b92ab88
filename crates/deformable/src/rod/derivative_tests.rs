//! Jacobians and Hessians against differences of fourth order.

use nalgebra::{
    Isometry3, SMatrix, SVector, SymmetricEigen, Translation3, UnitQuaternion, Vector3, Vector6,
};

use super::assemble::{Hessian, RodEquations, Weights};
use super::error::RodError;
use super::joint::JointBlocks;
use super::model::Rod;
use super::section::{Profile, Stiffness};
use super::shape::RodShape;

/// A rod of two links with six different stiffnesses of about the same size, whose rest is bent.
fn rod() -> Rod {
    let profile = Profile {
        stiffness: Stiffness {
            shear: [1.3, 0.7],
            stretch: 2.1,
            bend: [0.9, 0.4],
            twist: 0.6,
        },
        mass_per_length: 1.0,
        rotary_inertia: [0.1, 0.2],
    };
    let shape = RodShape {
        poses: vec![
            Isometry3::identity(),
            Isometry3::from_parts(
                Translation3::new(0.1, 0.05, 0.4),
                UnitQuaternion::from_scaled_axis(Vector3::new(0.1, -0.3, 0.2)),
            ),
        ],
        lengths: vec![0.5],
    };
    Rod::new(shape, profile).unwrap()
}

/// Two links at this angle to each other, stretched and sheared.
fn poses(angle: f64) -> Vec<Isometry3<f64>> {
    let axis = Vector3::new(0.48, -0.6, 0.64);
    let first = UnitQuaternion::from_scaled_axis(Vector3::new(0.7, -0.2, 1.1));
    let second = first * UnitQuaternion::from_scaled_axis(axis * angle);
    vec![
        Isometry3::from_parts(Translation3::new(0.3, -0.2, 0.1), first),
        Isometry3::from_parts(Translation3::new(0.9, 0.1, 0.45), second),
    ]
}

const ANGLES: [f64; 6] = [0.0, 1e-7, 0.3, 0.6, 1.7, 2.9];

/// Poses moved by twelve velocities for a time, turning by the exponential.
fn moved(poses: &[Isometry3<f64>], velocity: &SVector<f64, 12>, time: f64) -> Vec<Isometry3<f64>> {
    let moved = poses.iter().enumerate().map(|(link, pose)| {
        let linear = velocity.fixed_rows::<3>(6 * link) * time;
        let turn = velocity.fixed_rows::<3>(6 * link + 3) * time;
        Isometry3::from_parts(
            Translation3::from(pose.translation.vector + linear),
            UnitQuaternion::from_scaled_axis(turn) * pose.rotation,
        )
    });
    moved.collect()
}

/// Derivative of a function of poses along a velocity, with an error of fourth order.
fn difference<const N: usize>(
    poses: &[Isometry3<f64>],
    dof: usize,
    value: impl Fn(&[Isometry3<f64>]) -> SVector<f64, N>,
) -> SVector<f64, N> {
    let step = 1e-3;
    let mut velocity = SVector::<f64, 12>::zeros();
    velocity[dof] = 1.0;
    let at = |time: f64| value(&moved(poses, &velocity, time));
    ((at(step) - at(-step)) * 8.0 - at(2.0 * step) + at(-2.0 * step)) / (12.0 * step)
}

fn evaluated(rod: &Rod, poses: &[Isometry3<f64>], hessian: Hessian) -> RodEquations {
    let weights = Weights {
        strain: [1.0; 6],
        geometric: 1.0,
        hessian,
    };
    let mut equations = RodEquations::default();
    equations.evaluate(rod, poses, &weights).unwrap();
    equations
}

fn whole(blocks: &JointBlocks) -> SMatrix<f64, 12, 12> {
    let mut out = SMatrix::<f64, 12, 12>::zeros();
    out.fixed_view_mut::<6, 6>(0, 0).copy_from(&blocks.first);
    out.fixed_view_mut::<6, 6>(6, 0).copy_from(&blocks.mixed);
    out.fixed_view_mut::<6, 6>(0, 6)
        .copy_from(&blocks.mixed.transpose());
    out.fixed_view_mut::<6, 6>(6, 6).copy_from(&blocks.second);
    out
}

#[test]
fn the_jacobian_is_the_derivative_of_the_strains() {
    let rod = rod();
    for angle in ANGLES {
        let poses = poses(angle);
        let rows = rod.joint_rows(0, &poses).unwrap();
        for dof in 0..12 {
            let strain = |poses: &[Isometry3<f64>]| rod.joint_rows(0, poses).unwrap().strain;
            let error = difference(&poses, dof, strain) - rows.jacobian.column(dof);
            assert!(error.amax() < 1e-8, "{angle} rad, dof {dof}: {error}");
        }
    }
}

#[test]
fn forces_are_the_derivative_of_the_energy() {
    let rod = rod();
    for angle in ANGLES {
        let poses = poses(angle);
        let equations = evaluated(&rod, &poses, Hessian::Exact);
        let energy = |poses: &[Isometry3<f64>]| {
            let energy = rod.energy(poses, &[0.0; 12], &Vector3::zeros()).unwrap();
            SVector::<f64, 1>::new(energy.elastic)
        };
        let stress = Vector6::from(rod.profile().stiffness.diagonal())
            .component_mul(&rod.joint_rows(0, &poses).unwrap().strain);
        assert!(stress.norm() > 0.1, "the joint is strained");
        for dof in 0..12 {
            let error = difference(&poses, dof, energy)[0] - equations.work[0].force[dof];
            assert!(error.abs() < 1e-8, "{angle} rad, dof {dof}: {error}");
        }
    }
}

#[test]
fn the_exact_hessian_is_the_derivative_of_the_forces() {
    let rod = rod();
    for angle in ANGLES {
        let poses = poses(angle);
        let exact = whole(&evaluated(&rod, &poses, Hessian::Exact).work[0].blocks);
        let force = |poses: &[Isometry3<f64>]| evaluated(&rod, poses, Hessian::Exact).work[0].force;
        let mut found = SMatrix::<f64, 12, 12>::zeros();
        for dof in 0..12 {
            found.set_column(dof, &difference(&poses, dof, force));
        }
        // Along a motion with held velocity only the symmetric part counts.
        let found = (found + found.transpose()) * 0.5;
        let error = (found - exact).amax();
        assert!(error < 1e-8 * exact.amax().max(1.0), "{angle} rad: {error}");
    }
}

/// The clamp in nine coordinates is the clamp of the 12×12 matrix with rotations scaled by 1/ℓ.
#[test]
fn the_clamped_hessian_is_the_nearest_one() {
    let rod = rod();
    let length = rod.rest().lengths[0];
    for angle in ANGLES {
        let poses = poses(angle);
        let rows = rod.joint_rows(0, &poses).unwrap();
        let mut weighted = rows.jacobian;
        for row in 0..6 {
            weighted.row_mut(row).scale_mut(rows.stiffness[row]);
        }
        let material = rows.jacobian.tr_mul(&weighted);
        let exact = whole(&evaluated(&rod, &poses, Hessian::Exact).work[0].blocks) - material;
        let clamped = whole(&evaluated(&rod, &poses, Hessian::Clamped).work[0].blocks) - material;
        let scale = SMatrix::<f64, 12, 12>::from_fn(|row, column| match row == column {
            true if row % 6 < 3 => 1.0,
            true => 1.0 / length,
            false => 0.0,
        });
        let mut eigen = SymmetricEigen::new(scale * exact * scale);
        assert!(
            eigen.eigenvalues.min() < -0.1,
            "there is something to clamp"
        );
        eigen.eigenvalues.apply(|value| *value = value.max(0.0));
        let unscale = scale.try_inverse().unwrap();
        let nearest = unscale * eigen.recompose() * unscale;
        let error = (nearest - clamped).amax();
        assert!(
            error < 1e-12 * exact.amax().max(1.0),
            "{angle} rad: {error}"
        );
    }
}

#[test]
fn folded_joints_are_refused() {
    let rod = rod();
    let poses = poses(3.1);
    let folded = |error: RodError| matches!(error, RodError::Folded { joint: 0, .. });
    assert!(rod.joint_rows(0, &poses).is_err_and(folded));
    let weights = Weights {
        strain: [1.0; 6],
        geometric: 1.0,
        hessian: Hessian::Clamped,
    };
    let refused = RodEquations::default().evaluate(&rod, &poses, &weights);
    assert!(refused.is_err_and(folded));
}
