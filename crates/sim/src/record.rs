//! What a recording shows of a world.

use nalgebra::Isometry3;
use stiction_collision::{Outline, Shape};
use stiction_recording::{
    Body, Contact, ContactState, Deformable, Frame, Geometry, Header, Mesh, Pose, Statistics,
    Visual,
};

use stiction_modeling::Motion;

#[cfg(feature = "deformable")]
use crate::body::BodyHandle;
use crate::robot::Robot;
#[cfg(feature = "deformable")]
use crate::soft::SoftHandle;
use crate::step::{ContactForce, ContactMode};
use crate::world::{ColliderHandle, World};

/// Colours of bodies that have none of their own, in turn.
const COLORS: [[f32; 4]; 8] = [
    [0.36, 0.56, 0.80, 1.0],
    [0.89, 0.55, 0.27, 1.0],
    [0.45, 0.70, 0.45, 1.0],
    [0.80, 0.43, 0.47, 1.0],
    [0.60, 0.51, 0.74, 1.0],
    [0.87, 0.74, 0.38, 1.0],
    [0.36, 0.67, 0.70, 1.0],
    [0.66, 0.56, 0.48, 1.0],
];
/// Colour of what does not move.
const STILL: [f32; 4] = [0.55, 0.57, 0.60, 1.0];

impl World {
    /// What does not change in a recording; `scene` names it, frames are `interval` s apart.
    pub fn recording_header(&self, scene: &str, interval: f64) -> Header {
        let mut meshes = Vec::new();
        let mut bodies: Vec<Body> = self
            .tables
            .bodies
            .iter()
            .zip(&self.places.frames.motion)
            .map(|(body, motion)| Body {
                name: body.name.clone(),
                mass: body.mass,
                fixed: *motion == Motion::Fixed,
                ..Body::default()
            })
            .collect();
        for drawn in self.drawn_shapes() {
            let index = drawn.body.index();
            let color = drawn
                .color
                .unwrap_or(match self.places.frames.motion[index] {
                    Motion::Fixed => STILL,
                    _ => COLORS[index % COLORS.len()],
                });
            let visuals = &mut bodies[index].visuals;
            draw(drawn.shape, drawn.pose, color, visuals, &mut meshes);
        }
        Header {
            scene: scene.to_owned(),
            solver: self.solver_name.clone(),
            time_step: self.settings.time_step,
            frame_interval: interval,
            gravity: self.settings.gravity.into(),
            bodies,
            meshes,
            deformables: self.recorded_deformables(),
            joints: self.coordinate_names(),
        }
    }

    /// Names of the coordinates of robots in the order of a frame: `robot/joint`, with what is measured
    /// where a joint has several.
    fn coordinate_names(&self) -> Vec<String> {
        let robots = self.robots.iter();
        let robots = robots.filter_map(|robot| self.mechanisms.typed::<Robot>(robot.index));
        let mut names = Vec::new();
        for robot in robots {
            let first = names.len();
            names.resize(first + robot.model.nq(), String::new());
            for joint in robot.model.joints() {
                let parts = coordinates_of(joint.q.len());
                for (at, part) in joint.q.clone().zip(parts) {
                    names[first + at] = format!("{}/{}{part}", robot.name, joint.name);
                }
            }
        }
        names
    }

    /// The world as it is now, for a recording.
    pub fn record(&self) -> Frame {
        let report = &self.report;
        Frame {
            time: self.state.time,
            poses: self.places.frames.pose.iter().map(pose_of).collect(),
            velocities: self
                .places
                .frames
                .twist
                .iter()
                .map(|twist| {
                    let (l, a) = (twist.linear, twist.angular);
                    [l.x, l.y, l.z, a.x, a.y, a.z]
                })
                .collect(),
            joints: self
                .robots
                .iter()
                .filter_map(|robot| self.mechanisms.typed::<Robot>(robot.index))
                .flat_map(|robot| self.state.q[robot.q.clone()].iter().copied())
                .collect(),
            nodes: self.recorded_nodes(),
            stress: self.recorded_stress(),
            contacts: self
                .contact_forces
                .iter()
                .map(|contact| Contact {
                    position: contact.point.coords.into(),
                    normal: contact.normal.into(),
                    force: contact.force.into(),
                    gap: contact.gap,
                    slip: contact.slip,
                    state: match contact.mode {
                        ContactMode::Open => ContactState::Open,
                        ContactMode::Stick => ContactState::Stick,
                        ContactMode::Slip => ContactState::Slip,
                    },
                    bodies: self.recorded_sides(contact),
                })
                .collect(),
            statistics: Statistics {
                step_time: report.stages.total(),
                iterations: report.iterations as u32,
                contacts: report.contacts as u32,
                rows: report.rows as u32,
                islands: report.islands as u32,
                residual: report.residual,
                penetration: report.penetration,
                kinetic_energy: report.kinetic_energy,
                potential_energy: report.potential_energy,
                converged: report.unconverged == 0,
                joint_error: report.joints.distance,
                joint_angle_error: report.joints.angle,
                work_given: report.energy.given(),
                work_of_constraints: report.energy.of_constraints(),
                energy_error: report.energy.integration,
            },
        }
    }
}

impl World {
    /// The two sides of a contact: bodies, deformables, or the world.
    fn recorded_sides(&self, contact: &ContactForce) -> [u32; 2] {
        [(contact.body_a, 0), (contact.body_b, 1)].map(|(body, side)| {
            let deformable = self.deformable_with(contact.colliders[side]);
            let deformable = deformable.map(|number| self.tables.bodies.len() + number);
            let index = deformable.or(body.map(|body| body.0));
            index.map_or(Contact::WORLD, |index| index as u32)
        })
    }
}

/// Soft bodies first, then rods.
#[cfg(feature = "deformable")]
impl World {
    /// Number of the deformable that a collider belongs to.
    fn deformable_with(&self, collider: ColliderHandle) -> Option<usize> {
        let softs = self.softs.iter();
        let softs = softs.map(|entry| self.mechanism(entry.handle).ok()?.touches_with());
        let rods = self.rods.iter();
        let rods = rods.map(|entry| self.mechanism(entry.handle).ok()?.touches_with());
        softs.chain(rods).position(|own| own == Some(collider))
    }

    fn recorded_deformables(&self) -> Vec<Deformable> {
        let softs = self.softs.iter().filter_map(|entry| {
            let soft = self.mechanism(entry.handle).ok()?;
            Some(soft.recorded())
        });
        let rods = self.rods.iter().filter_map(|entry| {
            let rod = self.mechanism(entry.handle).ok()?;
            Some(rod.recorded())
        });
        softs.chain(rods).collect()
    }

    fn recorded_nodes(&self) -> Vec<Vec<[f64; 3]>> {
        let softs = self.softs.iter().filter_map(|entry| {
            let nodes = self.mechanism(entry.handle).ok()?.surface_nodes();
            let position = |&node: &u32| self.places.nodes.position[node as usize].coords.into();
            Some(nodes.iter().map(position).collect())
        });
        let rods = self.rods.iter().filter_map(|entry| {
            let links = self.mechanism(entry.handle).ok()?.links();
            let position = |link: &BodyHandle| {
                let pose = &self.places.frames.pose[link.0];
                pose.translation.vector.into()
            };
            Some(links.iter().map(position).collect())
        });
        softs.chain(rods).collect()
    }

    /// Stress on the surfaces of soft bodies; none where one is not finite.
    fn recorded_stress(&self) -> Vec<Vec<f64>> {
        let softs = self.softs.iter().enumerate().filter_map(|(index, entry)| {
            let nodes = self.mechanism(entry.handle).ok()?.boundary_nodes();
            let stress = self.soft_stress(SoftHandle(index)).unwrap_or_default();
            let of_node = |&node: &u32| stress.get(node as usize).copied();
            Some(nodes.iter().filter_map(of_node).collect())
        });
        let rods = self.rods.iter().map(|_| Vec::new());
        softs.chain(rods).collect()
    }
}

#[cfg(not(feature = "deformable"))]
impl World {
    fn deformable_with(&self, _: ColliderHandle) -> Option<usize> {
        None
    }

    fn recorded_deformables(&self) -> Vec<Deformable> {
        Vec::new()
    }

    fn recorded_nodes(&self) -> Vec<Vec<[f64; 3]>> {
        Vec::new()
    }

    fn recorded_stress(&self) -> Vec<Vec<f64>> {
        Vec::new()
    }
}

/// What the coordinates of a joint are called, by how many it has: one needs no name.
fn coordinates_of(count: usize) -> &'static [&'static str] {
    match count {
        0 => &[],
        1 => &[""],
        2 => &[".0", ".1"],
        3 => &[".x", ".y", ".angle"],
        4 => &[".qx", ".qy", ".qz", ".qw"],
        _ => &[".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"],
    }
}

fn pose_of(pose: &Isometry3<f64>) -> Pose {
    Pose {
        position: pose.translation.vector.into(),
        rotation: pose.rotation.coords.into(),
    }
}

/// Adds what is to be drawn of a shape.
fn draw(
    shape: &Shape,
    pose: &Isometry3<f64>,
    color: [f32; 4],
    visuals: &mut Vec<Visual>,
    meshes: &mut Vec<Mesh>,
) {
    let geometry = match shape.outline() {
        Outline::Sphere { radius } => Geometry::Sphere { radius },
        Outline::Box { half_extents } => Geometry::Box {
            half_extents: half_extents.into(),
        },
        Outline::Capsule {
            half_length,
            radius,
        } => Geometry::Capsule {
            radius,
            half_length,
        },
        Outline::Cylinder {
            half_length,
            radius,
        } => Geometry::Cylinder {
            radius,
            half_length,
        },
        Outline::Cone {
            half_length,
            radius,
        } => Geometry::Cone {
            radius,
            half_height: half_length,
        },
        Outline::Ellipsoid { radii } => Geometry::Ellipsoid {
            radii: radii.into(),
        },
        Outline::HalfSpace => Geometry::Plane,
        Outline::Mesh(mesh) => {
            let single =
                |point: &nalgebra::Point3<f64>| [point.x as f32, point.y as f32, point.z as f32];
            meshes.push(Mesh {
                vertices: mesh.vertices().iter().map(single).collect(),
                triangles: mesh.faces().to_vec(),
            });
            Geometry::Mesh {
                mesh: meshes.len() - 1,
            }
        }
        Outline::Compound(parts) => {
            for (local, part) in parts {
                draw(part, &(pose * local), color, visuals, meshes);
            }
            return;
        }
        _ => return,
    };
    visuals.push(Visual::new(geometry, pose_of(pose)).with_color(color));
}
