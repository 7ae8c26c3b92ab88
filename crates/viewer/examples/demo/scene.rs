//! Recordings to look at, made without a simulator: bodies fall, bounce and slide one by one, without
//! touching each other, by formulas simple enough to check by eye.

use stiction_recording::{
    Body, Contact, ContactState, Deformable, DeformableKind, Frame, Geometry, Header, Mesh, Pose,
    Recording, Statistics, Visual,
};

const GRAVITY: f64 = 9.81;
const BOUNCE: f64 = 0.45;
const FRICTION: f64 = 0.4;
const FRAME_INTERVAL: f64 = 1.0 / 60.0;
const CABLE_NODES: usize = 40;
const JELLY_CELLS: usize = 8;

const COLORS: [[f32; 4]; 8] = [
    [0.90, 0.36, 0.31, 1.0],
    [0.26, 0.55, 0.85, 1.0],
    [0.97, 0.73, 0.28, 1.0],
    [0.36, 0.70, 0.50, 1.0],
    [0.62, 0.45, 0.80, 1.0],
    [0.93, 0.55, 0.28, 1.0],
    [0.33, 0.72, 0.76, 1.0],
    [0.80, 0.42, 0.60, 1.0],
];

/// A body that falls, bounces and slides along x.
struct Faller {
    start: [f64; 3],
    height: f64, // of the body's origin above the ground at rest
    mass: f64,
    speed: f64,
    spin: f64,
}

impl Faller {
    /// Height above the rest position, vertical speed and sliding time after `time`.
    fn fall(&self, time: f64) -> (f64, f64, f64) {
        let drop = (self.start[2] - self.height).max(0.0);
        let mut begin = (2.0 * drop / GRAVITY).sqrt();
        let landing = begin;
        if time < begin {
            return (drop - 0.5 * GRAVITY * time * time, -GRAVITY * time, 0.0);
        }
        let mut up = BOUNCE * GRAVITY * begin;
        while up > 0.15 {
            let flight = 2.0 * up / GRAVITY;
            if time < begin + flight {
                let t = time - begin;
                return (
                    t * (up - 0.5 * GRAVITY * t),
                    up - GRAVITY * t,
                    time - landing,
                );
            }
            begin += flight;
            up *= BOUNCE;
        }
        (0.0, 0.0, time - landing)
    }

    fn state(&self, time: f64) -> (Pose, [f64; 6], Option<Contact>) {
        let (above, rise, sliding) = self.fall(time);
        let stop = self.speed / (FRICTION * GRAVITY);
        let t = sliding.min(stop);
        let slip = self.speed - FRICTION * GRAVITY * t;
        let way = self.speed * (time - sliding) + self.speed * t - 0.5 * FRICTION * GRAVITY * t * t;
        let angle = self.spin * way;
        let position = [self.start[0] + way, self.start[1], self.height + above];
        let pose = Pose {
            position,
            rotation: [0.0, 0.0, (angle / 2.0).sin(), (angle / 2.0).cos()],
        };
        let contact = (above < 0.02).then(|| {
            let load = if above > 0.0 {
                0.0
            } else {
                self.mass * GRAVITY
            };
            let slipping = slip > 1e-9;
            let drag = if slipping { -FRICTION * load } else { 0.0 };
            Contact {
                position: [position[0], position[1], 0.0],
                normal: [0.0, 0.0, 1.0],
                force: [drag, 0.0, load],
                gap: above,
                slip,
                state: match (load > 0.0, slipping) {
                    (false, _) => ContactState::Open,
                    (true, false) => ContactState::Stick,
                    (true, true) => ContactState::Slip,
                },
                bodies: [0, 0],
            }
        });
        (pose, [slip, 0.0, rise, 0.0, 0.0, self.spin * slip], contact)
    }
}

fn torus(large: f32, small: f32) -> Mesh {
    let (around, across) = (48_u32, 20_u32);
    let mut mesh = Mesh::default();
    for i in 0..around {
        for j in 0..across {
            let u = std::f32::consts::TAU * i as f32 / around as f32;
            let v = std::f32::consts::TAU * j as f32 / across as f32;
            let r = large + small * v.cos();
            mesh.vertices
                .push([r * u.cos(), r * u.sin(), small * v.sin()]);
            let (i1, j1) = ((i + 1) % around, (j + 1) % across);
            let at = |i: u32, j: u32| i * across + j;
            mesh.triangles.push([at(i, j), at(i1, j), at(i1, j1)]);
            mesh.triangles.push([at(i, j), at(i1, j1), at(i, j1)]);
        }
    }
    mesh
}

fn kinds() -> [(&'static str, Geometry, f64); 7] {
    [
        ("ball", Geometry::Sphere { radius: 0.16 }, 0.16),
        (
            "box",
            Geometry::Box {
                half_extents: [0.2, 0.14, 0.12],
            },
            0.12,
        ),
        (
            "capsule",
            Geometry::Capsule {
                radius: 0.1,
                half_length: 0.14,
            },
            0.24,
        ),
        (
            "cylinder",
            Geometry::Cylinder {
                radius: 0.14,
                half_length: 0.16,
            },
            0.16,
        ),
        (
            "ellipsoid",
            Geometry::Ellipsoid {
                radii: [0.22, 0.14, 0.11],
            },
            0.11,
        ),
        (
            "cone",
            Geometry::Cone {
                radius: 0.16,
                half_height: 0.18,
            },
            0.18,
        ),
        ("ring", Geometry::Mesh { mesh: 0 }, 0.06),
    ]
}

fn body(name: &str, mass: f64, geometry: Geometry, color: [f32; 4]) -> Body {
    Body {
        name: name.into(),
        mass,
        visuals: vec![Visual::new(geometry, Pose::IDENTITY).with_color(color)],
        ..Body::default()
    }
}

fn ground() -> Body {
    let color = [0.62, 0.64, 0.67, 1.0];
    Body {
        fixed: true,
        ..body("ground", 0.0, Geometry::Plane, color)
    }
}

/// Surface of a box of `JELLY_CELLS`³ cells: nodes in the unit cube and triangles facing outward.
fn jelly() -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let n = JELLY_CELLS;
    let mut nodes = Vec::new();
    let mut triangles = Vec::new();
    for axis in 0..3 {
        for side in [0.0, 1.0] {
            let first = nodes.len() as u32;
            for i in 0..=n {
                for j in 0..=n {
                    let mut node = [side; 3];
                    node[(axis + 1) % 3] = i as f64 / n as f64;
                    node[(axis + 2) % 3] = j as f64 / n as f64;
                    nodes.push(node);
                }
            }
            let row = n as u32 + 1;
            for i in 0..n as u32 {
                for j in 0..n as u32 {
                    let a = first + i * row + j;
                    let (b, c, d) = (a + row, a + row + 1, a + 1);
                    if side > 0.5 {
                        triangles.extend([[a, b, c], [a, c, d]]);
                    } else {
                        triangles.extend([[a, c, b], [a, d, c]]);
                    }
                }
            }
        }
    }
    (nodes, triangles)
}

fn statistics(frame: &Frame, masses: &[f64], index: usize) -> Statistics {
    let mut kinetic = 0.0;
    let mut potential = 0.0;
    for ((pose, v), mass) in frame.poses.iter().zip(&frame.velocities).zip(masses) {
        kinetic += 0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        potential += mass * GRAVITY * pose.position[2];
    }
    let contacts = frame.contacts.len() as u32;
    // Numbers that go up and down as those of a solver would; they mean nothing.
    let t = index as f64 * FRAME_INTERVAL;
    let noise =
        (0.5 + 0.3 * (7.0 * t).sin() * (1.3 * t).cos() + 0.2 * (41.0 * t).sin()).clamp(0.0, 1.0);
    Statistics {
        step_time: 2e-4 + 5e-5 * f64::from(contacts),
        iterations: 4 + contacts + (6.0 * noise) as u32,
        contacts,
        rows: 3 * contacts,
        islands: contacts.max(1),
        residual: 10.0_f64.powf(-9.0 + 2.5 * noise),
        penetration: 2e-6 * noise * f64::from(contacts.min(1)),
        kinetic_energy: kinetic,
        potential_energy: potential,
        converged: noise < 0.98,
        joint_error: 1e-7 * noise,
        joint_angle_error: 1e-6 * noise,
        ..Statistics::default()
    }
}

/// Every kind of geometry, contacts, a cable and a soft body, for `seconds` at 60 frames a second.
pub(crate) fn everything(seconds: f64) -> Recording {
    let mut bodies = vec![ground()];
    let mut fallers = Vec::new();
    for (k, (name, geometry, height)) in kinds().into_iter().enumerate() {
        let mass = 0.4 + 0.3 * k as f64;
        bodies.push(body(name, mass, geometry, COLORS[k]));
        fallers.push(Faller {
            start: [
                -1.0 + 0.12 * k as f64,
                -1.2 + 0.4 * k as f64,
                0.5 + 0.16 * ((k * 5) % 7) as f64,
            ],
            height,
            mass,
            speed: 0.9 + 0.25 * ((k * 3) % 5) as f64,
            spin: 1.5,
        });
    }
    // A body of two shapes with a simpler collision shape, and one that can be looked through.
    let mut hammer = body(
        "hammer",
        1.2,
        Geometry::Cylinder {
            radius: 0.035,
            half_length: 0.28,
        },
        [0.72, 0.56, 0.40, 1.0],
    );
    let across = [
        std::f64::consts::FRAC_1_SQRT_2,
        0.0,
        0.0,
        std::f64::consts::FRAC_1_SQRT_2,
    ];
    hammer.visuals.push(
        Visual::new(
            Geometry::Box {
                half_extents: [0.07, 0.16, 0.07],
            },
            Pose {
                position: [0.0, 0.0, 0.28],
                rotation: [0.0, 0.0, 0.0, 1.0],
            },
        )
        .with_color([0.35, 0.38, 0.42, 1.0]),
    );
    hammer.colliders.push(
        Visual::new(
            Geometry::Capsule {
                radius: 0.1,
                half_length: 0.26,
            },
            Pose::at([0.0, 0.0, 0.05]),
        )
        .with_color([0.95, 0.85, 0.30, 1.0]),
    );
    hammer.visuals[0].pose.rotation = [0.0, 0.0, across[0], across[3]];
    bodies.push(hammer);
    fallers.push(Faller {
        start: [1.25, 0.75, 0.28],
        height: 0.28,
        mass: 1.2,
        speed: 0.0,
        spin: 0.0,
    });
    let glass = [0.55, 0.80, 0.95, 0.35];
    let half_extents = [0.22, 0.22, 0.22];
    bodies.push(body("glass", 2.0, Geometry::Box { half_extents }, glass));
    fallers.push(Faller {
        start: [1.2, -0.85, 0.22],
        height: 0.22,
        mass: 2.0,
        speed: 0.0,
        spin: 0.0,
    });

    let (jelly_nodes, triangles) = jelly();
    let header = Header {
        scene: "every shape".into(),
        solver: "none, made by formulas".into(),
        frame_interval: FRAME_INTERVAL,
        bodies,
        meshes: vec![torus(0.18, 0.06)],
        deformables: vec![
            Deformable {
                name: "jelly".into(),
                kind: DeformableKind::Soft { triangles },
                nodes: jelly_nodes.len(),
            },
            Deformable {
                name: "cable".into(),
                kind: DeformableKind::Rod {
                    radius: 0.025,
                    links: Vec::new(),
                },
                nodes: CABLE_NODES,
            },
        ],
        ..Header::default()
    };
    let masses: Vec<f64> = header.bodies.iter().map(|b| b.mass).collect();
    let frames = (0..frame_count(seconds))
        .map(|index| {
            let mut frame = frame_of(&header, &fallers, index);
            frame.nodes[0] = jelly_nodes
                .iter()
                .map(|node| wobbling(node, frame.time))
                .collect();
            frame.stress[0] = jelly_nodes
                .iter()
                .map(|[_, _, z]| 1e4 * (1.0 - z))
                .collect();
            frame.nodes[1] = (0..CABLE_NODES)
                .map(|k| swinging(k as f64 / (CABLE_NODES - 1) as f64, frame.time))
                .collect();
            frame.statistics = statistics(&frame, &masses, index);
            frame
        })
        .collect();
    Recording { header, frames }
}

fn frame_count(seconds: f64) -> usize {
    (seconds / FRAME_INTERVAL).round() as usize + 1
}

fn frame_of(header: &Header, fallers: &[Faller], index: usize) -> Frame {
    let mut frame = Frame::resting(header);
    frame.time = index as f64 * FRAME_INTERVAL;
    for (k, faller) in fallers.iter().enumerate() {
        let (pose, velocity, contact) = faller.state(frame.time);
        frame.poses[k + 1] = pose;
        frame.velocities[k + 1] = velocity;
        frame.contacts.extend(contact.map(|contact| Contact {
            bodies: [0, k as u32 + 1],
            ..contact
        }));
    }
    frame
}

fn wobbling([x, y, z]: &[f64; 3], time: f64) -> [f64; 3] {
    let squeeze = 1.0 + 0.22 * (-0.5 * time).exp() * (7.0 * time).sin();
    let wide = 1.0 / squeeze.sqrt();
    let lean = 0.18 * (-0.4 * time).exp() * (5.0 * time).cos() * z * z;
    let bulge = 1.0 + 0.12 * (std::f64::consts::PI * z).sin();
    [
        -0.75 + 0.4 * ((x - 0.5) * wide * bulge + lean),
        1.75 + 0.4 * (y - 0.5) * wide * bulge,
        0.4 * z * squeeze,
    ]
}

fn swinging(s: f64, time: f64) -> [f64; 3] {
    let sag = 4.0 * s * (1.0 - s);
    let swing = 0.35 * sag * (2.6 * time).sin();
    [
        -1.3 + 2.6 * s,
        -1.65 + swing,
        1.25 - 0.85 * sag + 0.03 * (12.0 * s - 4.0 * time).sin() * sag,
    ]
}

// The test of the page uses it, the demo does not.
#[allow(dead_code, reason = "the test of the page shares this file")]
/// A straight rod that is twisted by `turns` from end to end after one second, one body a link.
pub(crate) fn twisted(turns: f64) -> Recording {
    const LINKS: u32 = 60;
    let along = |k: u32| f64::from(k) / f64::from(LINKS - 1);
    let header = Header {
        scene: "a twisted rod".into(),
        bodies: vec![Body::default(); LINKS as usize],
        deformables: vec![Deformable {
            name: "rod".into(),
            kind: DeformableKind::Rod {
                radius: 0.05,
                links: (0..LINKS).collect(),
            },
            nodes: LINKS as usize,
        }],
        ..Header::default()
    };
    let frame = |time: f64| {
        let mut frame = Frame::resting(&header);
        frame.time = time;
        for k in 0..LINKS {
            let half = std::f64::consts::PI * turns * time * along(k);
            let position = [0.0, 0.0, along(k)];
            // About the axis of the rod, z.
            frame.poses[k as usize] = Pose {
                position,
                rotation: [0.0, 0.0, half.sin(), half.cos()],
            };
            frame.nodes[0][k as usize] = position;
        }
        frame
    };
    let frames = vec![frame(0.0), frame(1.0)];
    Recording { header, frames }
}

/// `count` bodies of all kinds in layers, one fixed ground: a load for the renderer.
pub(crate) fn many(count: usize, seconds: f64) -> Recording {
    let side = ((count as f64).sqrt().ceil() as usize).max(1);
    let mut bodies = vec![ground()];
    let mut fallers = Vec::new();
    for k in 0..count {
        let (name, geometry, height) = kinds()[k % 7];
        let (i, j) = (k % side, k / side);
        bodies.push(body(
            &format!("{name} {k}"),
            0.5,
            geometry,
            COLORS[(k * 5 + j) % COLORS.len()],
        ));
        let middle = side as f64 / 2.0;
        fallers.push(Faller {
            start: [
                0.5 * (i as f64 - middle),
                0.5 * (j as f64 - middle),
                0.4 + 0.15 * ((k * 7919) % 23) as f64,
            ],
            height,
            mass: 0.5,
            speed: 0.3 + 0.1 * ((k * 31) % 7) as f64,
            spin: 2.0,
        });
    }
    let header = Header {
        scene: format!("{count} bodies"),
        solver: "none, made by formulas".into(),
        frame_interval: FRAME_INTERVAL,
        bodies,
        meshes: vec![torus(0.18, 0.06)],
        ..Header::default()
    };
    let masses: Vec<f64> = header.bodies.iter().map(|b| b.mass).collect();
    let frames = (0..frame_count(seconds))
        .map(|index| {
            let mut frame = frame_of(&header, &fallers, index);
            frame.statistics = statistics(&frame, &masses, index);
            frame
        })
        .collect();
    Recording { header, frames }
}
