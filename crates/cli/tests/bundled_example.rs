//! The bundled example is what `assets/README.md` says.

use nalgebra::{DMatrix, Vector3};
use stiction_constraints::{Law, Problem, ResidualEvaluator, RowBlock, Subsystem};
use stiction_problem_files::{self as problem_files, ProblemFile};

struct Cuboid {
    mass: f64,
    size: Vector3<f64>,
}

impl Cuboid {
    fn push(&self, problem: &mut Problem, velocity: Vector3<f64>, spin: Vector3<f64>) {
        let s = self.size;
        let inertia = Vector3::new(
            s.y * s.y + s.z * s.z,
            s.x * s.x + s.z * s.z,
            s.x * s.x + s.y * s.y,
        ) * (self.mass / 12.0);
        let mut matrix = DMatrix::zeros(6, 6);
        for k in 0..3 {
            matrix[(k, k)] = self.mass;
            matrix[(k + 3, k + 3)] = inertia[k];
        }
        let slope = 25f64.to_radians();
        let gravity = Vector3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
        let linear = (velocity + gravity * 0.01) * self.mass;
        let angular = inertia.component_mul(&spin);
        let b: Vec<f64> = linear.iter().chain(angular.iter()).copied().collect();
        problem.push_dense(matrix, &b).unwrap();
    }

    fn lower_corners(&self) -> Vec<Vector3<f64>> {
        let h = self.size / 2.0;
        [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)]
            .map(|(x, y)| Vector3::new(x * h.x, y * h.y, -h.z))
            .to_vec()
    }
}

/// Rows (t1, t2, n) = (x, y, z) of the velocity of a point of a body.
fn rows(point: Vector3<f64>, sign: f64) -> Vec<f64> {
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let row = |axis: &Vector3<f64>| {
        let moment = point.cross(axis);
        [axis.x, axis.y, axis.z, moment.x, moment.y, moment.z].map(|value| sign * value)
    };
    axes.iter().flat_map(row).collect()
}

fn block(values: &[f64]) -> RowBlock<'_> {
    RowBlock::Dofs {
        dofs: &[0, 1, 2, 3, 4, 5],
        values,
    }
}

#[test]
fn the_example_is_what_its_description_says() {
    let lower = Cuboid {
        mass: 2.0,
        size: Vector3::new(0.4, 0.3, 0.2),
    };
    let upper = Cuboid {
        mass: 0.5,
        size: Vector3::new(0.15, 0.1, 0.3),
    };
    let mut expected = Problem::new();
    lower.push(&mut expected, Vector3::new(0.5, 0.0, 0.0), Vector3::zeros());
    upper.push(
        &mut expected,
        Vector3::new(0.5, 0.1, 0.0),
        Vector3::new(0.0, 0.8, 0.0),
    );
    for corner in lower.lower_corners() {
        let law = Law::Contact { friction: 0.3 };
        let values = rows(corner, 1.0);
        expected
            .push_constraint(law, &[0.0; 3], &[(0, block(&values))])
            .unwrap();
    }
    for corner in upper.lower_corners() {
        let law = Law::Contact { friction: 0.5 };
        let on_lower = Vector3::new(corner.x + 0.05, corner.y, lower.size.z / 2.0);
        let (above, below) = (rows(corner, 1.0), rows(on_lower, -1.0));
        expected
            .push_constraint(law, &[0.0; 3], &[(1, block(&above)), (0, block(&below))])
            .unwrap();
    }

    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/box_on_slope.json");
    let ProblemFile::Full(bundled) = problem_files::read(path).unwrap() else {
        panic!("not a full problem");
    };
    let bundled = bundled.problem;
    assert_eq!(bundled.subsystems().len(), expected.subsystems().len());
    for pair in bundled.subsystems().iter().zip(expected.subsystems()) {
        let (Subsystem::Dense(a), Subsystem::Dense(b)) = pair else {
            panic!("not dense");
        };
        assert!((a - b).amax() < 1e-15);
    }
    for (a, b) in bundled.b().iter().zip(expected.b()) {
        assert!((a - b).abs() < 1e-15);
    }
    assert_eq!(bundled.constraints().len(), expected.constraints().len());
    for (a, b) in bundled.constraints().iter().zip(expected.constraints()) {
        assert_eq!(a.law, b.law);
    }
    assert_eq!(bundled.errors(), expected.errors());
    // Both Jacobians move the rows alike.
    let (mut a, mut b) = (ResidualEvaluator::default(), ResidualEvaluator::default());
    a.update(&bundled).unwrap();
    b.update(&expected).unwrap();
    for dof in 0..expected.dof_count() {
        let mut unit = vec![0.0; expected.dof_count()];
        unit[dof] = 1.0;
        let (mut x, mut y) = (vec![0.0; 24], vec![0.0; 24]);
        a.rows().mul(&unit, &mut x);
        b.rows().mul(&unit, &mut y);
        assert!(
            x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-15),
            "dof {dof}"
        );
    }
}
