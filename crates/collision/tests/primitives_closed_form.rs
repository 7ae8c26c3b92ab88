//! Gaps and normals of primitive pairs against closed forms, to 1e-9.

mod common;

use std::f64::consts::{FRAC_1_SQRT_2, PI};

use common::{contacts, cube_points, deepest, translation};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use stiction_collision::Shape;
use stiction_collision::sdf::{EllipsoidSdf, Sdf};

fn sphere() -> Shape {
    Shape::sphere("sphere", 0.3).unwrap()
}
fn cuboid() -> Shape {
    Shape::cuboid("box", Vector3::new(0.5, 0.4, 0.3)).unwrap()
}
fn capsule() -> Shape {
    Shape::capsule("capsule", 0.5, 0.2).unwrap()
}
fn cylinder() -> Shape {
    Shape::cylinder("cylinder", 0.5, 0.2).unwrap()
}
fn cone() -> Shape {
    Shape::cone("cone", 0.5, 0.4).unwrap()
}
fn ellipsoid() -> Shape {
    Shape::ellipsoid("ellipsoid", Vector3::new(0.5, 0.3, 0.2)).unwrap()
}
fn hull() -> Shape {
    Shape::convex_hull("hull", &cube_points(0.4)).unwrap()
}
fn ground() -> Shape {
    Shape::half_space("ground")
}

fn turned(axis_angle: Vector3<f64>, x: f64, y: f64, z: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(x, y, z), axis_angle)
}

/// Checks the closest contact both ways round.
fn check(a: &Shape, b: &Shape, pose: &Isometry3<f64>, gap: f64, normal: Vector3<f64>) {
    let found = deepest(&contacts(a, b, pose, 10.0));
    let what = format!("{} – {}", a.name(), b.name());
    assert!(
        (found.gap - gap).abs() < 1e-9,
        "{what}: gap {} not {gap}",
        found.gap
    );
    assert!(
        (found.normal - normal).norm() < 1e-9,
        "{what}: normal {} not {normal}",
        found.normal
    );
    let back = deepest(&contacts(b, a, &pose.inverse(), 10.0));
    assert!(
        (back.gap - gap).abs() < 1e-9,
        "{what} reversed: gap {}",
        back.gap
    );
    let in_a = pose.rotation * back.normal;
    assert!(
        (in_a + normal).norm() < 1e-9,
        "{what} reversed: normal {in_a}"
    );
}

#[test]
fn spheres() {
    let x = Vector3::x();
    let z = Vector3::z();
    check(&sphere(), &sphere(), &translation(0.7, 0.0, 0.0), 0.1, x);
    check(&sphere(), &sphere(), &translation(0.4, 0.0, 0.0), -0.2, x);
    check(&sphere(), &cuboid(), &translation(0.9, 0.1, 0.1), 0.1, x);
    // sphere centre at a corner's diagonal
    let d = Vector3::new(1.0, 1.0, 1.0).normalize();
    let corner = Vector3::new(0.5, 0.4, 0.3) + d * 0.35;
    check(
        &sphere(),
        &cuboid(),
        &translation(corner.x, corner.y, corner.z),
        0.05,
        d,
    );
    // deep: the shallowest way out of the box is z
    check(&sphere(), &cuboid(), &translation(0.0, 0.0, 0.1), -0.5, z);
    check(&sphere(), &capsule(), &translation(0.6, 0.0, 0.3), 0.1, x);
    check(&sphere(), &capsule(), &translation(0.0, 0.0, 1.1), 0.1, z);
    check(&sphere(), &cylinder(), &translation(0.0, 0.1, 0.9), 0.1, z);
    check(&sphere(), &cylinder(), &translation(0.6, 0.0, 0.2), 0.1, x);
    let rim = Vector3::new(0.2 + 0.3, 0.0, 0.5 + 0.4);
    check(
        &sphere(),
        &cylinder(),
        &translation(rim.x, 0.0, rim.z),
        0.2,
        Vector3::new(0.6, 0.0, 0.8),
    );
    // cone: base below, and the slanted side
    check(&sphere(), &cone(), &translation(0.0, 0.1, 0.9), 0.1, z);
    let slant = Vector3::new(1.0, 0.0, 0.4).normalize();
    let side = Vector3::new(0.2, 0.0, 0.0) + slant * 0.35;
    check(
        &sphere(),
        &cone(),
        &translation(-side.x, 0.0, -side.z),
        0.05,
        -slant,
    );
    check(&sphere(), &ellipsoid(), &translation(0.9, 0.0, 0.0), 0.1, x);
    check(
        &sphere(),
        &ellipsoid(),
        &translation(0.0, 0.7, 0.0),
        0.1,
        Vector3::y(),
    );
    check(&sphere(), &hull(), &translation(0.8, 0.1, -0.2), 0.1, x);
    check(&ground(), &sphere(), &translation(3.0, 1.0, 0.35), 0.05, z);
}

#[test]
fn sphere_against_ellipsoid_off_axis_satisfies_the_normal_equation() {
    // y = x + t ∇: a point built from its closest point must be found back
    let radii = Vector3::new(0.5, 0.3, 0.2);
    let on = Vector3::new(
        0.4_f64.cos() * 0.9_f64.cos() * 0.5,
        0.4_f64.sin() * 0.9_f64.cos() * 0.3,
        0.9_f64.sin() * 0.2,
    );
    let n = on.component_div(&radii).component_div(&radii).normalize();
    for t in [0.5, 0.31, -0.05] {
        let center = on + n * t;
        check(
            &ellipsoid(),
            &sphere(),
            &translation(center.x, center.y, center.z),
            t - 0.3,
            n,
        );
        let s = EllipsoidSdf::new(radii)
            .unwrap()
            .sample(&Point3::from(center));
        assert!((s.value - t).abs() < 1e-12);
    }
}

#[test]
fn everything_on_the_ground() {
    let z = Vector3::<f64>::z();
    let g = ground();
    let tilt = Vector3::<f64>::new(0.3, -0.2, 0.7);
    let rotation = UnitQuaternion::from_scaled_axis(tilt);
    let down: Vector3<f64> = rotation.inverse() * -z;
    // lowest point of each shape by its support function, written out here
    let reach = [
        (
            cuboid(),
            0.5 * down.x.abs() + 0.4 * down.y.abs() + 0.3 * down.z.abs(),
        ),
        (capsule(), 0.2 + 0.5 * down.z.abs()),
        (cylinder(), 0.2 * down.x.hypot(down.y) + 0.5 * down.z.abs()),
        (
            cone(),
            (0.4 * down.x.hypot(down.y) - 0.5 * down.z).max(0.5 * down.z),
        ),
        (
            ellipsoid(),
            Vector3::new(0.5 * down.x, 0.3 * down.y, 0.2 * down.z).norm(),
        ),
        (hull(), 0.4 * (down.x.abs() + down.y.abs() + down.z.abs())),
    ];
    for (shape, reach) in reach {
        for height in [1.0, reach, 0.1] {
            let pose = Isometry3::from_parts(Translation3::new(0.2, -3.0, height), rotation);
            check(&g, &shape, &pose, height - reach, z);
        }
    }
}

#[test]
fn capsules() {
    let x = Vector3::x();
    let parallel = contacts(&capsule(), &capsule(), &translation(0.5, 0.0, 0.2), 0.2);
    assert_eq!(parallel.len(), 2, "a line contact has two points");
    let mut ends: Vec<f64> = parallel.iter().map(|c| c.point.z).collect();
    ends.sort_by(f64::total_cmp);
    assert!(
        (ends[0] + 0.3).abs() < 0.06 && (ends[1] - 0.5).abs() < 0.06,
        "{ends:?}"
    );
    check(&capsule(), &capsule(), &translation(0.5, 0.0, 0.2), 0.1, x);
    let crossed = turned(Vector3::x() * (PI / 2.0), 0.5, 0.1, 0.2);
    check(&capsule(), &capsule(), &crossed, 0.1, x);
    assert_eq!(contacts(&capsule(), &capsule(), &crossed, 0.2).len(), 1);
    let lying = turned(Vector3::y() * (PI / 2.0), 0.0, 0.0, 0.55);
    check(&cuboid(), &capsule(), &lying, 0.05, Vector3::z());
    assert_eq!(contacts(&cuboid(), &capsule(), &lying, 0.1).len(), 2);
    check(
        &cylinder(),
        &capsule(),
        &translation(0.45, 0.0, 0.0),
        0.05,
        x,
    );
    check(
        &hull(),
        &capsule(),
        &translation(0.0, 0.0, 1.2),
        0.1,
        Vector3::z(),
    );
    check(
        &cone(),
        &capsule(),
        &translation(0.0, 0.0, -1.3),
        0.1,
        -Vector3::z(),
    );
    let e = turned(Vector3::y() * (PI / 2.0), 0.0, 0.0, 0.5);
    check(&ellipsoid(), &capsule(), &e, 0.1, Vector3::z());
}

#[test]
fn boxes() {
    let x = Vector3::x();
    let side = contacts(&cuboid(), &cuboid(), &translation(1.05, 0.1, 0.0), 0.1);
    assert_eq!(side.len(), 4, "two faces share a rectangle");
    assert!(
        side.iter()
            .all(|c| (c.gap - 0.05).abs() < 1e-12 && (c.normal - x).norm() < 1e-12)
    );
    check(&cuboid(), &cuboid(), &translation(1.05, 0.1, 0.0), 0.05, x);
    check(&cuboid(), &cuboid(), &translation(0.95, 0.1, 0.0), -0.05, x);
    // turned by 45° about z: an edge against a face
    let reach = (0.5 + 0.4) * FRAC_1_SQRT_2;
    let edge = turned(Vector3::z() * (PI / 4.0), 0.5 + reach + 0.02, 0.0, 0.0);
    check(&cuboid(), &cuboid(), &edge, 0.02, x);
    assert_eq!(contacts(&cuboid(), &cuboid(), &edge, 0.03).len(), 2);
    // corner against corner
    let d = Vector3::new(1.0, 1.0, 1.0) / 3.0_f64.sqrt();
    check(
        &cuboid(),
        &cuboid(),
        &translation(1.1, 0.9, 0.7),
        0.1 * 3.0_f64.sqrt(),
        d,
    );
    // crossed edges: both turned 45°, edges along z and x meet
    let about_z = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), PI / 4.0);
    let n = about_z * Vector3::x();
    let other = about_z * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), PI / 4.0);
    let unit_cube = Shape::cuboid("cube", Vector3::repeat(0.5)).unwrap();
    let half_diagonal = 0.5_f64.sqrt();
    // A's edge along z at (½, ½); B's edge across it
    let center = n * (half_diagonal + half_diagonal + 0.03);
    let pose = Isometry3::from_parts(Translation3::from(center), other);
    check(&unit_cube, &unit_cube, &pose, 0.03, n);
    let pose = Isometry3::from_parts(Translation3::from(n * (2.0 * half_diagonal - 0.03)), other);
    check(&unit_cube, &unit_cube, &pose, -0.03, n);
}

#[test]
fn cylinders_and_cones() {
    let (x, z) = (Vector3::x(), Vector3::z());
    check(
        &cylinder(),
        &cylinder(),
        &translation(0.5, 0.0, 0.3),
        0.1,
        x,
    );
    check(
        &cylinder(),
        &cylinder(),
        &translation(0.1, 0.0, 1.1),
        0.1,
        z,
    );
    check(
        &cylinder(),
        &cylinder(),
        &translation(0.35, 0.0, 0.3),
        -0.05,
        x,
    );
    let crossed = turned(Vector3::x() * (PI / 2.0), 0.5, 0.0, 0.1);
    check(&cylinder(), &cylinder(), &crossed, 0.1, x);
    let caps = contacts(&cylinder(), &cylinder(), &translation(0.0, 0.0, 1.05), 0.1);
    assert!(caps.len() >= 8, "two discs share a disc, {}", caps.len());
    check(
        &cuboid(),
        &cylinder(),
        &translation(0.0, 0.0, 0.85),
        0.05,
        z,
    );
    let lying = turned(Vector3::y() * (PI / 2.0), 0.0, 0.0, 0.55);
    check(&cuboid(), &cylinder(), &lying, 0.05, z);
    assert_eq!(contacts(&cuboid(), &cylinder(), &lying, 0.1).len(), 2);
    check(&cuboid(), &cone(), &translation(0.0, 0.0, 0.85), 0.05, z);
    check(&cuboid(), &cone(), &translation(0.0, 0.0, -0.85), 0.05, -z);
    // cone lying with its side flat on the box: the side's normal is (1, ·, 0.4) turned down
    let slope = 0.4_f64.atan2(1.0);
    let lying = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), PI / 2.0 + slope);
    let height = 0.3 + 0.5 * 0.4 / 1.0_f64.hypot(0.4) + 0.02;
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, height), lying);
    check(&cuboid(), &cone(), &pose, 0.02, z);
    check(&hull(), &cylinder(), &translation(0.0, 0.0, 1.0), 0.1, z);
    check(&hull(), &cone(), &translation(0.0, 0.0, 1.0), 0.1, z);
    check(&cylinder(), &cone(), &translation(0.0, 0.0, 1.1), 0.1, z);
    check(
        &hull(),
        &hull(),
        &translation(0.0, 0.9, 0.1),
        0.1,
        Vector3::y(),
    );
    check(
        &hull(),
        &cuboid(),
        &translation(0.0, 0.9, 0.1),
        0.1,
        Vector3::y(),
    );
}

#[test]
fn ellipsoids() {
    let z = Vector3::z();
    check(
        &ellipsoid(),
        &ellipsoid(),
        &translation(0.0, 0.0, 0.45),
        0.05,
        z,
    );
    check(
        &ellipsoid(),
        &ellipsoid(),
        &translation(0.0, 0.0, 0.35),
        -0.05,
        z,
    );
    check(
        &cuboid(),
        &ellipsoid(),
        &translation(0.1, 0.1, 0.55),
        0.05,
        z,
    );
    check(
        &cylinder(),
        &ellipsoid(),
        &translation(0.1, 0.0, 0.75),
        0.05,
        z,
    );
    check(&hull(), &ellipsoid(), &translation(0.1, 0.0, 0.65), 0.05, z);
    check(
        &cone(),
        &ellipsoid(),
        &translation(0.0, 0.0, -0.75),
        0.05,
        -z,
    );
    // tilted ellipsoid over a face: support function in closed form
    let rotation = UnitQuaternion::from_scaled_axis(Vector3::new(0.4, 0.3, -0.8));
    let d = rotation.inverse() * z;
    let reach = Vector3::new(0.5 * d.x, 0.3 * d.y, 0.2 * d.z).norm();
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.3 + reach + 0.01), rotation);
    check(&cuboid(), &ellipsoid(), &pose, 0.01, z);
    let pose = Isometry3::from_parts(Translation3::new(0.0, 0.0, 0.3 + reach - 0.01), rotation);
    check(&cuboid(), &ellipsoid(), &pose, -0.01, z);
}

#[test]
fn boxes_on_the_ground_keep_all_corners_of_a_face() {
    let flat = contacts(&ground(), &cuboid(), &translation(0.0, 0.0, 0.3), 1e-3);
    assert_eq!(flat.len(), 4);
    let standing = contacts(&ground(), &cylinder(), &translation(0.0, 0.0, 0.5), 1e-3);
    assert_eq!(standing.len(), 8);
}
