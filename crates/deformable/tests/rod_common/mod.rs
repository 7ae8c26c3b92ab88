//! What the tests of rods share.

#![allow(dead_code, reason = "each test uses its part")]

use nalgebra::{DMatrix, Vector3};
use stiction_deformable::rod::{
    BlockTridiagonal, Profile, Rod, RodMaterial, RodShape, RodState, RodStepSettings,
};

/// A cable of 1.2 m and 8 mm as in the papers on cables, straight along x.
pub(crate) fn cable(links: usize) -> Rod {
    let material = RodMaterial {
        young: 2.954e6,
        poisson: 0.49,
        density: 1259.0,
    };
    let profile = Profile::round(4e-3, &material).unwrap();
    let shape = RodShape::straight(Vector3::zeros(), Vector3::x() * 1.2, links).unwrap();
    Rod::new(shape, profile).unwrap()
}

/// Numbers in −1…1, the same in every run.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.next())
    }
}

/// A rod bent into an arc, moving anyhow.
pub(crate) fn moving(rod: &Rod) -> RodState {
    let arc = |angle: f64| 0.5 * Vector3::new(angle.sin(), 0.3 * angle, 1.0 - angle.cos());
    let shape = RodShape::along_curve(arc, 0.0..2.0, rod.link_count()).unwrap();
    let mut state = RodState::at_rest(shape.twisted(1.0).poses);
    let mut numbers = Numbers(5);
    state.velocity.fill_with(|| numbers.next());
    state
}

pub(crate) fn without_gravity(time_step: f64) -> RodStepSettings {
    RodStepSettings {
        time_step,
        gravity: Vector3::zeros(),
        ..RodStepSettings::default()
    }
}

pub(crate) fn dense(matrix: &BlockTridiagonal) -> DMatrix<f64> {
    let dofs = 6 * matrix.diagonal().len();
    let (starts, rows) = BlockTridiagonal::pattern(matrix.diagonal().len());
    let mut values = vec![0.0; rows.len()];
    matrix.write_values(&mut values).unwrap();
    let mut out = DMatrix::zeros(dofs, dofs);
    for column in 0..dofs {
        for at in starts[column]..starts[column + 1] {
            out[(rows[at], column)] = values[at];
            out[(column, rows[at])] = values[at];
        }
    }
    out
}
