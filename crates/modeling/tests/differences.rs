//! J v of every kind of row against differences of positions that are placed a little further on.

use nalgebra::{DMatrix, Isometry3, Matrix6, Point3, UnitQuaternion, Vector3};
use proptest::array::{uniform3, uniform6};
use proptest::prelude::*;
use stiction_constraints::{JointRows, Law, Problem};
use stiction_modeling::connection::Connector;
use stiction_modeling::contact::{Contact, Surface};
use stiction_modeling::tendon::{Branch, Path, Strand, Tendon};
use stiction_modeling::{
    ConnectionKind, Frame, Motion, Node, Places, RowWriter, Scheme, Site, Twist,
};

/// With these e of an equality is its violation.
const SCHEME: Scheme = Scheme {
    dt: 1.0,
    theta: 0.0,
    baumgarte: 1.0,
    push_out_speed: 1e9,
};
/// Which subsystem is where in the problem.
const LOCAL: [u32; 4] = [0, 1, 2, 3];
const H: f64 = 1e-6;
const BODIES: usize = 3;

/// Three free bodies, the reference points of their subsystems off their origins, and two nodes of one
/// sparse or dense subsystem; `v` is about the reference points.
#[derive(Debug, Clone)]
struct Scene {
    poses: [Isometry3<f64>; BODIES],
    references: [Vector3<f64>; BODIES],
    nodes: [Point3<f64>; 2],
    v: Vec<f64>,
}

fn vector() -> impl Strategy<Value = Vector3<f64>> {
    uniform3(-1.0..1.0f64).prop_map(Vector3::from)
}

fn scenes() -> impl Strategy<Value = Scene> {
    let pose = (vector(), vector()).prop_map(|(at, turn)| Isometry3::new(at, turn));
    (
        uniform3(pose),
        uniform3(vector()),
        [vector(), vector()],
        uniform3(uniform6(-1.0..1.0f64)),
        uniform6(-1.0..1.0f64),
    )
        .prop_map(|(poses, references, nodes, bodies, rest)| Scene {
            poses,
            references,
            nodes: nodes.map(Point3::from),
            v: bodies.into_iter().flatten().chain(rest).collect(),
        })
}

impl Scene {
    fn part(&self, first: usize) -> Vector3<f64> {
        Vector3::from_column_slice(&self.v[first..first + 3])
    }

    /// The scene a time `h` later.
    fn later(&self, h: f64) -> Self {
        let mut later = self.clone();
        for body in 0..BODIES {
            let (linear, angular) = (self.part(6 * body), self.part(6 * body + 3));
            let pose = &mut later.poses[body];
            let arm = pose.translation.vector - self.references[body];
            let turn = UnitQuaternion::from_scaled_axis(angular * h);
            pose.translation.vector = self.references[body] + linear * h + turn * arm;
            pose.rotation = turn * pose.rotation;
        }
        for node in 0..2 {
            later.nodes[node] += self.part(6 * BODIES + 3 * node) * h;
        }
        later
    }

    fn places(&self) -> Places {
        let mut places = Places::default();
        for body in 0..BODIES {
            let (linear, angular) = (self.part(6 * body), self.part(6 * body + 3));
            let arm = self.poses[body].translation.vector - self.references[body];
            places.add_frame(Frame {
                pose: self.poses[body],
                twist: Twist {
                    linear: linear + angular.cross(&arm),
                    angular,
                },
                ..Frame::moved_by(Motion::Solved {
                    subsystem: body as u32,
                    index: 0,
                })
            });
            places.references.push(self.references[body]);
        }
        for node in 0..2 {
            places.add_node(Node {
                position: self.nodes[node],
                velocity: self.part(6 * BODIES + 3 * node),
                ..Node::moved_by(Motion::Solved {
                    subsystem: BODIES as u32,
                    index: node as u32,
                })
            });
        }
        places.references.push(Vector3::zeros());
        places
    }

    fn problem(&self) -> Problem {
        let mut problem = Problem::new();
        for _ in 0..BODIES {
            problem
                .push_free_body(Matrix6::identity(), &[0.0; 6])
                .unwrap();
        }
        problem
            .push_dense(DMatrix::identity(6, 6), &[0.0; 6])
            .unwrap();
        problem
    }

    /// J v of the rows that `write` writes, and their error terms.
    fn rows(&self, rows: usize, write: impl FnOnce(RowWriter<'_>)) -> (Vec<f64>, Vec<f64>) {
        let (places, mut problem) = (self.places(), self.problem());
        write(RowWriter::new(&mut problem, rows, &LOCAL, &places));
        let mut joint_rows = JointRows::default();
        joint_rows.update(&problem);
        let mut product = vec![0.0; rows];
        joint_rows.mul(&self.v, &mut product);
        (product, problem.error(0).to_vec())
    }
}

fn assert_close(found: &[f64], expected: &[f64]) {
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() < 1e-4 * (1.0 + b.abs()),
            "{found:?} {expected:?}"
        );
    }
}

const AXES: [fn() -> Vector3<f64>; 3] = [Vector3::x, Vector3::y, Vector3::z];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn sites_move_as_their_points_do(scene in scenes(), at in vector(), weights in uniform3(-1.0..1.0f64)) {
        let axes = AXES.map(|axis| axis());
        let later = scene.later(H);
        let origins = |scene: &Scene| [0, 1].map(|body| scene.poses[body].translation.vector);
        let between = |scene: &Scene, offset: [Vector3<f64>; 2]| {
            let [a, b] = origins(scene);
            (a + offset[0]) * weights[0] + (b + offset[1]) * weights[1]
        };
        // What is fixed to the bodies of a point between them turns with them.
        let turned = [0, 1].map(|body| {
            later.poses[body].rotation * scene.poses[body].rotation.inverse() * at
        });
        let on_body = scene.poses[2].inverse() * Point3::from(at);
        let cases: [(Site, Vector3<f64>); 3] = [
            (
                Site::Frame { frame: 2, at: at.into() },
                later.poses[2] * on_body - Point3::from(at),
            ),
            (
                Site::Between { frames: [0, 1], weights: [weights[0], weights[1]], offset: at },
                between(&later, turned) - between(&scene, [at; 2]),
            ),
            (
                Site::weighted(&[(0, weights[0]), (1, weights[1])]),
                (later.nodes[0] - scene.nodes[0]) * weights[0]
                    + (later.nodes[1] - scene.nodes[1]) * weights[1],
            ),
        ];
        for (site, moved) in cases {
            let mut before = [0.0; 3];
            let (product, _) = scene.rows(3, |mut row| {
                row.point(&site, 1.0, &axes);
                before.copy_from_slice(&row.before[..3]);
                row.finish(Law::Equality, &[0.0; 3]).unwrap();
            });
            assert_close(&product, (moved / H).as_slice());
            assert_close(&before, &product);
            let velocity = site.velocity(&scene.places());
            assert_close(velocity.as_slice(), &product);
        }
    }

    #[test]
    fn gaps_change_as_normal_rows_say(scene in scenes(), direction in vector(), at in vector()) {
        let normal = direction.try_normalize(1e-3).unwrap_or_else(Vector3::z);
        let surface = Surface { friction: [0.5; 2], direction: None, restitution: 0.0, compliance: 0.0, tangential_compliance: 0.0 };
        let contact = Contact {
            sites: [
                Site::Frame { frame: 0, at: at.into() },
                Site::Frame { frame: 1, at: at.into() },
            ],
            point: at.into(),
            normal,
            gap: 10.0,
            surface,
            law: surface.law(1.0).unwrap(),
        };
        let mut frame = [Vector3::zeros(); 3];
        let (product, _) = scene.rows(3, |row| frame = contact.write(&SCHEME, row).unwrap().frame);
        let later = scene.later(H);
        let moved = |body: usize| {
            let local = scene.poses[body].inverse() * Point3::from(at);
            later.poses[body] * local - Point3::from(at)
        };
        let apart = moved(1) - moved(0);
        assert_close(&product, &frame.map(|direction| direction.dot(&apart) / H));
    }

    #[test]
    fn violations_of_connections_change_as_their_rows_say(
        scene in scenes(),
        anchor in (vector(), vector()),
        far in vector(),
    ) {
        // Both anchors at one place, so that rotation vectors are small; apart for lengths.
        let world = Isometry3::new(anchor.0, anchor.1);
        let joined = [0, 1].map(|body| scene.poses[body].inverse() * world);
        let mut apart = joined;
        apart[1] = scene.poses[1].inverse() * Isometry3::new(anchor.0 + far + Vector3::x() * 2.0, anchor.1);
        let spring = ConnectionKind::Spring { stiffness: 1.0, damping: 0.0, rest_length: 0.3 };
        for (kind, anchors) in [
            (ConnectionKind::Ball, joined),
            (ConnectionKind::Hinge, joined),
            (ConnectionKind::Weld, joined),
            (ConnectionKind::Distance { length: 0.5 }, apart),
            (spring, apart),
        ] {
            let connector = Connector { kind, frames: [0, 1], anchors };
            for (part, &rows) in kind.parts().iter().enumerate() {
                let write = |row: RowWriter<'_>| { connector.write(part, &SCHEME, row).unwrap(); };
                let (product, now) = scene.rows(rows, write);
                let (_, then) = scene.later(H).rows(rows, write);
                let change: Vec<f64> = then.iter().zip(&now).map(|(a, b)| (a - b) / H).collect();
                assert_close(&product, &change);
            }
        }
    }

    #[test]
    fn lengths_of_tendons_change_as_their_rows_say(scene in scenes(), points in uniform3(vector())) {
        let points = [(0, points[0]), (1, points[1]), (2, points[2]), (0, points[1])];
        let branch = Branch {
            divisor: 2.0,
            points: points.map(|(body, at)| (body, (at + Vector3::y() * 2.0).into())).to_vec(),
        };
        let strand = Strand { limits: [0.0, 1.0], stiffness: 0.0, damping: 0.0, rest: [0.0; 2], friction_loss: 0.0 };
        let shape = |subsystem: usize| scene.problem().subsystems()[subsystem].clone();
        let mut tendon = Tendon::new(Path::Lines(vec![branch]), strand, &scene.places(), shape);
        let places = scene.places();
        let motion = tendon.measure(&places).unwrap();
        tendon.prepare(motion, &places, &Default::default(), &SCHEME);
        let (product, _) = scene.rows(1, |row| {
            tendon.write(0, row).unwrap();
        });
        let later = tendon.measure(&scene.later(H).places()).unwrap();
        assert_close(&product, &[(later.length - motion.length) / H]);
        assert_close(&product, &[motion.before]);
    }
}
