//! One of every signed distance function, for the property tests.
#![allow(dead_code, reason = "each test file uses its own part of this module")]

use std::sync::Arc;

use nalgebra::{Isometry3, Point2, Vector3};
use stiction_collision::sdf::*;
use stiction_collision::surface::surface_mesh;

pub(crate) struct Solid {
    pub(crate) name: &'static str,
    pub(crate) sdf: SdfRef,
    /// Whether |∇φ| = 1 outside the solid.
    pub(crate) exact_outside: bool,
    /// Radius of the region worth sampling, m.
    pub(crate) reach: f64,
}

fn solid(name: &'static str, sdf: impl Sdf + 'static, exact_outside: bool, reach: f64) -> Solid {
    Solid {
        name,
        sdf: Arc::new(sdf),
        exact_outside,
        reach,
    }
}

fn ball(r: f64, x: f64) -> SdfRef {
    let moved = Isometry3::new(Vector3::new(x, 0.1, -0.1), Vector3::new(0.2, 0.5, 0.1));
    Arc::new(Transformed::new(Arc::new(SphereSdf::new(r).unwrap()), moved).unwrap())
}

fn block() -> SdfRef {
    Arc::new(BoxSdf::new(Vector3::new(0.5, 0.4, 0.3)).unwrap())
}

pub(crate) fn m48() -> (BoltSdf, NutSdf) {
    let thread = MetricThread::coarse(48).unwrap();
    let bolt = BoltSdf::with_head(thread, 0.1, 0.03, 0.075, ThreadEnd::Chamfered).unwrap();
    let nut = NutSdf::new(thread, 0.038, 0.075, 1e-4, ThreadEnd::Chamfered).unwrap();
    (bolt, nut)
}

pub(crate) fn network() -> NeuralSdf {
    NeuralSdf::from_bytes("torus", include_bytes!("../data/torus.safetensors")).unwrap()
}

/// Every analytic function.
pub(crate) fn analytic() -> Vec<Solid> {
    let (bolt, nut) = m48();
    let vase = Polygon::new(vec![
        Point2::new(0.0, -0.5),
        Point2::new(0.4, -0.5),
        Point2::new(0.2, 0.0),
        Point2::new(0.5, 0.5),
        Point2::new(0.0, 0.3),
    ])
    .unwrap();
    vec![
        solid("sphere", SphereSdf::new(0.5).unwrap(), true, 1.0),
        solid(
            "box",
            BoxSdf::new(Vector3::new(0.5, 0.4, 0.3)).unwrap(),
            true,
            1.0,
        ),
        solid("capsule", CapsuleSdf::new(0.4, 0.3).unwrap(), true, 1.0),
        solid("cylinder", CylinderSdf::new(0.4, 0.3).unwrap(), true, 1.0),
        solid("torus", TorusSdf::new(0.5, 0.2).unwrap(), true, 1.0),
        solid("half-space", HalfSpaceSdf, true, 1.0),
        solid(
            "ellipsoid",
            EllipsoidSdf::new(Vector3::new(0.5, 0.3, 0.4)).unwrap(),
            true,
            1.0,
        ),
        solid("revolution", Revolution::new(vase), true, 1.0),
        solid("rounded", Rounded::new(block(), 0.1).unwrap(), true, 1.0),
        solid("shell", Shell::new(ball(0.5, 0.0), 0.2).unwrap(), true, 1.0),
        solid(
            "union",
            Union::new(vec![ball(0.4, -0.3), block()]).unwrap(),
            true,
            1.0,
        ),
        solid(
            "smooth union",
            Union::smooth(vec![ball(0.4, -0.3), block()], 0.2).unwrap(),
            false,
            1.0,
        ),
        solid(
            "intersection",
            Intersection::new(vec![ball(0.5, 0.1), block()]).unwrap(),
            true,
            1.0,
        ),
        solid(
            "smooth intersection",
            Intersection::smooth(vec![ball(0.5, 0.1), block()], 0.1).unwrap(),
            false,
            1.0,
        ),
        solid(
            "difference",
            Difference::new(block(), ball(0.3, 0.3)),
            true,
            1.0,
        ),
        solid(
            "smooth difference",
            Difference::smooth(block(), ball(0.3, 0.3), 0.1).unwrap(),
            false,
            1.0,
        ),
        solid(
            "transformed",
            Transformed::new(
                block(),
                Isometry3::new(Vector3::new(0.1, 0.2, 0.0), Vector3::new(0.5, -0.3, 0.9)),
            )
            .unwrap(),
            true,
            1.0,
        ),
        solid("scaled", Scaled::new(block(), 1.5).unwrap(), true, 1.5),
        solid(
            "bowl",
            Dish::bowl(0.03, 0.08, 0.06, 0.003).unwrap(),
            true,
            0.12,
        ),
        solid(
            "plate",
            Dish::plate(0.07, 0.12, 0.015, 0.003).unwrap(),
            true,
            0.15,
        ),
        solid("pot", Dish::pot(0.1, 0.12, 0.004).unwrap(), true, 0.18),
        solid(
            "bottle",
            Dish::bottle(0.04, 0.015, 0.15, 0.003).unwrap(),
            true,
            0.18,
        ),
        solid("M48 bolt", bolt, false, 0.08),
        solid("M48 nut", nut, false, 0.06),
    ]
}

/// Sampled and learned functions: consistent gradients, but a Lipschitz bound of their own.
pub(crate) fn sampled() -> Vec<Solid> {
    let torus = TorusSdf::new(0.5, 0.2).unwrap();
    let mesh = surface_mesh("torus", &torus, 0.1).unwrap();
    vec![
        solid(
            "grid",
            GridSdf::from_mesh("torus", &mesh, 0.08).unwrap(),
            false,
            1.0,
        ),
        solid("network", network(), false, 0.9),
    ]
}
