//! How far everything that holds positions is from holding them.

use nalgebra::{Matrix3, Vector3};
use stiction_modeling::Places;
use stiction_modeling::connection::Opening;

use crate::body::{BodyHandle, Kind};
use crate::connection::{Connection, ConnectionHandle};
use crate::mechanism::{MechanismHandle, Mechanisms};
use crate::robot::{Robot, RobotHandle};
use crate::tendon::{TendonEntry, TendonHandle};
use crate::world::World;

/// Something that holds positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PositionConstraint {
    /// A ball, hinge, weld or distance between two bodies; a loop of a robot is one.
    Connection(ConnectionHandle),
    /// A coupling of joints.
    Coupling {
        /// The robot.
        robot: RobotHandle,
        /// Position among the couplings of its model.
        number: usize,
    },
    /// The limits of a tendon.
    Tendon(TendonHandle),
}

/// How far something that holds positions is from holding them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PositionError {
    /// What it is.
    pub of: PositionConstraint,
    /// Distance between points that should coincide, or length too much or too little, m.
    pub distance: f64,
    /// Angle between axes that should be parallel, or what a coupling is off by, rad (m for a
    /// coupling of slides).
    pub angle: f64,
    /// What a distance is compared with, m. Of a connection: the size of the smaller of the links that
    /// it joins, twice the larger of the way from its centre of mass to the anchor and its radius of
    /// gyration. Of a tendon: its longest limit.
    pub size: f64,
}

impl PositionError {
    /// The larger of distance over size and angle: what
    /// [`Settings::joint_tolerance`](crate::Settings::joint_tolerance) is about.
    pub fn relative(&self) -> f64 {
        (self.distance / self.size).max(self.angle)
    }
}

/// What position errors are measured on: positions `q` and the places that belong to them.
#[derive(Clone, Copy)]
pub(crate) struct HeldPositions<'a> {
    pub(crate) connections: &'a [Connection],
    /// Of each connection, m.
    pub(crate) sizes: &'a [f64],
    pub(crate) robots: &'a [MechanismHandle<Robot>],
    pub(crate) mechanisms: &'a Mechanisms,
    pub(crate) tendons: &'a [TendonEntry],
}

impl HeldPositions<'_> {
    /// Whether anything holds positions at all.
    pub(crate) fn is_empty(&self) -> bool {
        let couples = |robot: &Robot| !robot.model.couplings().is_empty();
        self.connections
            .iter()
            .all(|connection| !connection.kind.holds_positions())
            && !self.robots().any(couples)
            && !self
                .tendons
                .iter()
                .any(|tendon| tendon.model.strand.beyond(0.0).is_some())
    }

    fn robots(&self) -> impl Iterator<Item = &Robot> {
        let numbers = self.robots.iter();
        numbers.filter_map(|robot| self.mechanisms.typed::<Robot>(robot.index))
    }

    /// Calls `visit` with every error and a subsystem that what has it touches.
    pub(crate) fn for_each(
        &self,
        q: &[f64],
        places: &Places,
        mut visit: impl FnMut(PositionError, Option<usize>),
    ) {
        let poses = &places.frames.pose;
        for (index, connection) in self.connections.iter().enumerate() {
            let connector = connection.connector();
            let Some(Opening { distance, angle }) = connector.opening(poses) else {
                continue;
            };
            let mut touched = None;
            connector.touches(places, |subsystem| touched = Some(subsystem));
            let error = PositionError {
                of: PositionConstraint::Connection(ConnectionHandle(index)),
                distance,
                angle,
                size: self.sizes[index],
            };
            visit(error, touched);
        }
        for (robot, own) in self.robots().enumerate() {
            for (number, coupling) in own.model.couplings().iter().enumerate() {
                let violation = coupling.position_error(&q[own.q.clone()]);
                let of = PositionConstraint::Coupling {
                    robot: RobotHandle(robot),
                    number,
                };
                let error = PositionError {
                    of,
                    distance: 0.0,
                    angle: violation.map_or(f64::NAN, f64::abs),
                    size: 1.0,
                };
                let dof = coupling.terms.first().map(|term| term.dof);
                let place = dof.and_then(|dof| own.place_of_dof(dof));
                visit(error, place.map(|(subsystem, _)| subsystem));
            }
        }
        for (index, tendon) in self.tendons.iter().enumerate() {
            let strand = &tendon.model.strand;
            if let Some(distance) = strand.beyond(tendon.length(q, places)) {
                let finite = strand.limits.iter().filter(|limit| limit.is_finite());
                let size = finite.fold(0.0, |size: f64, limit| size.max(limit.abs()));
                let error = PositionError {
                    of: PositionConstraint::Tendon(TendonHandle(index)),
                    distance,
                    angle: 0.0,
                    size: if size > 0.0 { size } else { 1.0 },
                };
                visit(error, tendon.model.touches().next());
            }
        }
    }
}

impl World {
    /// How far every connection, loop, coupling and hard tendon is from holding its positions, in this
    /// order.
    pub fn position_errors(&self) -> Vec<PositionError> {
        let mut errors = Vec::new();
        self.for_each_position_error(|error| errors.push(error));
        errors
    }

    /// The largest [relative](PositionError::relative) error of all; zero where nothing holds positions.
    pub fn worst_position_error(&self) -> f64 {
        let mut worst: f64 = 0.0;
        self.for_each_position_error(|error| worst = worst.max(error.relative()));
        worst
    }

    /// Calls `visit` with every error, without allocating.
    pub fn for_each_position_error(&self, mut visit: impl FnMut(PositionError)) {
        let held = self.held_positions();
        held.for_each(&self.state.q, &self.places, |error, _| visit(error));
    }

    pub(crate) fn held_positions(&self) -> HeldPositions<'_> {
        HeldPositions {
            connections: &self.connections,
            sizes: &self.connection_sizes,
            robots: &self.robots,
            mechanisms: &self.mechanisms,
            tendons: &self.tendons,
        }
    }

    /// What errors of a connection are compared with, m, see [`PositionError::size`].
    pub(crate) fn size_of(&self, connection: &Connection) -> f64 {
        let ends = [
            (connection.body_a, &connection.frame_a),
            (connection.body_b, &connection.frame_b),
        ];
        let sizes = ends.iter().filter_map(|&(body, anchor)| {
            let (center, gyration) = self.extent_of(body)?;
            let arm = (anchor.translation.vector - center).norm();
            Some(2.0 * arm.max(gyration))
        });
        let smallest = sizes
            .filter(|size| size.is_finite() && *size > 0.0)
            .fold(f64::INFINITY, f64::min);
        // Links without mass and extent have no size to compare with.
        if smallest.is_finite() { smallest } else { 1.0 }
    }

    /// Centre of mass in its frame and radius of gyration of a body that moves, m.
    fn extent_of(&self, body: BodyHandle) -> Option<(Vector3<f64>, f64)> {
        self.places.frames.motion[body.0].subsystem()?;
        match self.tables.bodies[body.0].kind {
            Kind::Free(item) => Some(self.mechanisms.free_bodies.extent(item)),
            Kind::Link { robot, link } => {
                let robot = self.robot(RobotHandle(robot)).ok()?;
                let inertia = robot.model.inertia(robot.ids[link])?;
                let about_center = inertia.about_com().to_matrix();
                let gyration = match inertia.mass > 0.0 {
                    true => radius_of_gyration(&about_center, inertia.mass),
                    false => 0.0,
                };
                Some((inertia.com(), gyration))
            }
            Kind::Scenery(_) | Kind::Other { .. } => None,
        }
    }
}

/// Radius of gyration from the rotational inertia about the centre of mass (kg·m²) and the mass, m: that
/// of a thin rod about an axis across it.
pub(crate) fn radius_of_gyration(about_center: &Matrix3<f64>, mass: f64) -> f64 {
    (about_center.trace() / (2.0 * mass)).max(0.0).sqrt()
}
