//! Random recordings that are valid.

use proptest::collection::vec;
use proptest::prelude::*;
use stiction_recording::{
    Body, Contact, ContactState, Deformable, DeformableKind, Frame, Geometry, Header, Mesh, Pose,
    Recording, Statistics, Visual,
};

fn size() -> impl Strategy<Value = f64> {
    1e-3..1e3
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        -1e6..1e6,
        any::<f64>().prop_filter("finite", |x| x.is_finite())
    ]
}

fn triple() -> impl Strategy<Value = [f64; 3]> {
    [number(), number(), number()]
}

fn unit() -> impl Strategy<Value = [f64; 4]> {
    let part = || -1.0..1.0;
    [part(), part(), part(), part()].prop_map(|q: [f64; 4]| {
        let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if norm > 1e-3 {
            q.map(|x| x / norm)
        } else {
            Pose::IDENTITY.rotation
        }
    })
}

fn pose() -> impl Strategy<Value = Pose> {
    (triple(), unit()).prop_map(|(position, rotation)| Pose { position, rotation })
}

fn geometry() -> impl Strategy<Value = Geometry> {
    let pair = || (size(), size());
    prop_oneof![
        size().prop_map(|radius| Geometry::Sphere { radius }),
        [size(), size(), size()].prop_map(|half_extents| Geometry::Box { half_extents }),
        pair().prop_map(|(radius, half_length)| Geometry::Capsule {
            radius,
            half_length
        }),
        pair().prop_map(|(radius, half_length)| Geometry::Cylinder {
            radius,
            half_length
        }),
        [size(), size(), size()].prop_map(|radii| Geometry::Ellipsoid { radii }),
        pair().prop_map(|(radius, half_height)| Geometry::Cone {
            radius,
            half_height
        }),
        Just(Geometry::Plane),
        Just(Geometry::Mesh { mesh: 0 }),
    ]
}

fn visual() -> impl Strategy<Value = Visual> {
    let part = || 0.0_f32..=1.0;
    (geometry(), pose(), [part(), part(), part(), part()]).prop_map(|(geometry, pose, color)| {
        Visual {
            geometry,
            pose,
            color,
        }
    })
}

fn body() -> impl Strategy<Value = Body> {
    (
        "\\PC{0,8}",
        size(),
        any::<bool>(),
        vec(visual(), 0..3),
        vec(visual(), 0..2),
    )
        .prop_map(|(name, mass, fixed, visuals, colliders)| Body {
            name,
            mass,
            fixed,
            visuals,
            colliders,
        })
}

fn header() -> impl Strategy<Value = Header> {
    (
        vec(body(), 0..4),
        size(),
        triple(),
        vec(any::<i16>().prop_map(|x| f32::from(x) / 7.0), 9),
    )
        .prop_map(|(bodies, time_step, gravity, v)| Header {
            scene: "random".into(),
            solver: "none".into(),
            time_step,
            gravity,
            bodies,
            meshes: vec![Mesh {
                vertices: v.chunks(3).map(|c| [c[0], c[1], c[2]]).collect(),
                triangles: vec![[0, 1, 2]],
            }],
            deformables: vec![
                Deformable {
                    name: "sheet".into(),
                    kind: DeformableKind::Soft {
                        triangles: vec![[0, 2, 1]],
                    },
                    nodes: 3,
                },
                Deformable {
                    name: "cable".into(),
                    kind: DeformableKind::Rod {
                        radius: 0.01,
                        links: Vec::new(),
                    },
                    nodes: 2,
                },
            ],
            ..Header::default()
        })
}

fn contact(bodies: u32) -> impl Strategy<Value = Contact> {
    let state = prop_oneof![
        Just(ContactState::Open),
        Just(ContactState::Stick),
        Just(ContactState::Slip)
    ];
    let body = || prop_oneof![0..bodies, Just(Contact::WORLD)];
    (
        triple(),
        triple(),
        triple(),
        number(),
        number(),
        state,
        [body(), body()],
    )
        .prop_map(
            |(position, normal, force, gap, slip, state, bodies)| Contact {
                position,
                normal,
                force,
                gap,
                slip,
                state,
                bodies,
            },
        )
}

fn statistics() -> impl Strategy<Value = Statistics> {
    (vec(number(), 10), any::<[u32; 4]>(), any::<bool>()).prop_map(|(f, n, converged)| Statistics {
        step_time: f[0],
        iterations: n[0],
        contacts: n[1],
        rows: n[2],
        islands: n[3],
        residual: f[1],
        penetration: f[2],
        kinetic_energy: f[3],
        potential_energy: f[4],
        converged,
        joint_error: f[5],
        joint_angle_error: f[6],
        work_given: f[7],
        work_of_constraints: f[8],
        energy_error: f[9],
    })
}

fn frame(bodies: usize, joints: usize) -> impl Strategy<Value = Frame> {
    (
        number(),
        vec(pose(), bodies),
        vec(
            [number(), number(), number(), number(), number(), number()],
            bodies,
        ),
        vec(number(), joints),
        (vec(triple(), 3), vec(triple(), 2), vec(number(), 3)),
        vec(contact(bodies as u32 + 2), 0..4),
        statistics(),
    )
        .prop_map(
            |(time, poses, velocities, joints, nodes, contacts, statistics)| Frame {
                time,
                poses,
                velocities,
                joints,
                nodes: vec![nodes.0, nodes.1],
                stress: vec![nodes.2, Vec::new()],
                contacts,
                statistics,
            },
        )
}

/// Any valid recording with up to 4 bodies and 4 frames, all numbers finite.
pub(crate) fn recording() -> impl Strategy<Value = Recording> {
    (header(), 0..3_usize)
        .prop_flat_map(|(header, joints)| {
            let frames = vec(frame(header.bodies.len(), joints), 0..5);
            (Just(header), frames)
        })
        .prop_map(|(header, frames)| Recording { header, frames })
}
