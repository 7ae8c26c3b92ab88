//! The largest pure force or torque a set of contacts can produce: a linear program.

use nalgebra::{Point3, SMatrix, SVector, Vector3};
use stiction_collision::ShapeContact;

type Row = SVector<f64, 7>;

/// A polygon of 24 sides is within 1 % of the circle.
const SIDES: u32 = 24;

/// Largest t with Σ wrenches = t · direction, unit total normal force, friction cones of [`SIDES`] sides.
/// Torques are about `center` in units of `arm`.
pub(crate) fn largest(
    contacts: &[ShapeContact],
    direction: [f64; 6],
    mu: f64,
    center: &Point3<f64>,
    arm: f64,
) -> f64 {
    let mut columns: Vec<Row> = Vec::new();
    let mut cost: Vec<f64> = Vec::new();
    for c in contacts {
        let u = c.normal.cross(&if c.normal.x.abs() < 0.6 {
            Vector3::x()
        } else {
            Vector3::y()
        });
        let u = u.normalize();
        let v = c.normal.cross(&u);
        for k in 0..SIDES {
            let (sin, cos) = (f64::from(k) * std::f64::consts::TAU / f64::from(SIDES)).sin_cos();
            let f = c.normal + (u * cos + v * sin) * mu;
            let m = (c.point - center).cross(&f) / arm;
            columns.push(Row::from([f.x, f.y, f.z, m.x, m.y, m.z, 1.0]));
            cost.push(0.0);
        }
    }
    // t, then slack of the total, then artificial columns with both signs
    let d = direction;
    columns.push(-Row::from([d[0], d[1], d[2], d[3], d[4], d[5], 0.0]));
    cost.push(1.0);
    columns.push(Row::from([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]));
    cost.push(0.0);
    let slack = columns.len() - 1;
    let mut basis = Vec::new();
    for r in 0..6 {
        let mut column = Row::zeros();
        column[r] = 1.0;
        columns.push(column);
        cost.push(-1e4);
        basis.push(columns.len() - 1);
    }
    basis.push(slack);
    // a tiny right-hand side breaks the ties of a degenerate start
    let b = Row::from([1e-9, 1.3e-9, 0.7e-9, 1.1e-9, 0.9e-9, 1.7e-9, 1.0]);
    for _ in 0..3000 {
        let matrix = SMatrix::<f64, 7, 7>::from_fn(|r, c| columns[basis[c]][r]);
        let inverse = matrix.try_inverse().expect("a basis");
        let x = inverse * b;
        let y = inverse.transpose() * Row::from_fn(|r, _| cost[basis[r]]);
        let y: [f64; 7] = y.into();
        let mut entering = (f64::NEG_INFINITY, 0);
        for (j, column) in columns.iter().enumerate() {
            let c = column.as_slice();
            let mut reduced = cost[j];
            for r in 0..7 {
                reduced -= y[r] * c[r];
            }
            if reduced > entering.0 {
                entering = (reduced, j);
            }
        }
        if entering.0 < 1e-10 {
            return basis
                .iter()
                .zip(x.iter())
                .map(|(&j, &xj)| cost[j].max(0.0) * xj)
                .sum();
        }
        let step = inverse * columns[entering.1];
        let leaving = (0..7)
            .filter(|&r| step[r] > 1e-12)
            .min_by(|&p, &q| (x[p] / step[p]).total_cmp(&(x[q] / step[q])))
            .expect("the total is bounded");
        basis[leaving] = entering.1;
    }
    panic!("the linear program did not end");
}
