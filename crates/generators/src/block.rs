//! A cube on the ground, with the answer.

use nalgebra::{Vector3, Vector6};
use stiction_constraints::{Law, Problem, ProblemError};

use crate::geometry::{contact_frame, push_box, push_contact};
use crate::{GRAVITY, TIME_STEP};

/// What the block does in the step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockMode {
    /// Friction stops a velocity of μ g Δt / 2.
    Stick,
    /// Slides on, slower by μ g Δt.
    Slip,
    /// Flies up: no contact impulse.
    Open,
    /// Falls on the ground at 1 m/s and comes back with the restitution.
    Bounce,
}

impl BlockMode {
    /// All modes.
    pub const ALL: [BlockMode; 4] = [Self::Stick, Self::Slip, Self::Open, Self::Bounce];
}

/// A cube with its four bottom corners on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockParams {
    /// What it does.
    pub mode: BlockMode,
    /// Mass in kg.
    pub mass: f64,
    /// Half edge in m.
    pub half_size: f64,
    /// Friction coefficient; at most 1, so that a sliding cube does not tip.
    pub friction: f64,
    /// Restitution coefficient of [`BlockMode::Bounce`].
    pub restitution: f64,
}

impl Default for BlockParams {
    fn default() -> Self {
        Self {
            mode: BlockMode::Stick,
            mass: 1.0,
            half_size: 0.1,
            friction: 0.5,
            restitution: 0.5,
        }
    }
}

/// A problem with its exact answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Block {
    /// One free body, four contacts.
    pub problem: Problem,
    /// The only velocity that solves it, (linear, angular) in m/s and rad/s.
    pub velocity: [f64; 6],
    /// Sum of the contact impulses on the block in N·s, world axes.
    pub total_impulse: [f64; 3],
    /// One λ that solves it; how the corners share the sum is not unique.
    pub impulse: Vec<f64>,
}

/// Signs of x and y of the bottom corners, in the order of the contacts.
const CORNERS: [(f64, f64); 4] = [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)];

/// A cube on the ground that sticks, slips, lifts off or bounces.
///
/// # Errors
/// A mass, size or friction coefficient that makes no sense.
pub fn block(params: &BlockParams) -> Result<Block, ProblemError> {
    let fall = GRAVITY * TIME_STEP;
    let drag = params.friction * fall;
    let (before, after) = match params.mode {
        BlockMode::Stick => (Vector3::new(0.5 * drag, 0.0, 0.0), Vector3::zeros()),
        BlockMode::Slip => {
            let direction = Vector3::new(0.6, 0.8, 0.0);
            let speed = 1.0 + drag;
            (direction * speed, direction * (speed - drag))
        }
        BlockMode::Open => (
            Vector3::new(0.0, 0.0, 1.0 + fall),
            Vector3::new(0.0, 0.0, 1.0),
        ),
        BlockMode::Bounce => (
            Vector3::new(0.0, 0.0, -1.0),
            Vector3::new(0.0, 0.0, params.restitution),
        ),
    };
    let half = Vector3::repeat(params.half_size);
    let center = Vector3::new(0.0, 0.0, params.half_size);
    let mut problem = Problem::new();
    let moving = Vector6::new(before.x, before.y, before.z, 0.0, 0.0, 0.0);
    let body = push_box(&mut problem, params.mass, &half, &moving, &Vector6::zeros())?;
    let gap_velocity = match params.mode {
        BlockMode::Bounce => params.restitution * before.z,
        _ => 0.0,
    };
    let law = Law::Contact {
        friction: params.friction,
    };
    for (x, y) in CORNERS {
        let corner = Vector3::new(x * half.x, y * half.y, 0.0);
        let side = (body, 0, center);
        push_contact(
            &mut problem,
            law,
            side,
            None,
            &corner,
            &Vector3::z(),
            gap_velocity,
        )?;
    }
    let total = (after - before + Vector3::new(0.0, 0.0, fall)) * params.mass;
    Ok(Block {
        problem,
        velocity: [after.x, after.y, after.z, 0.0, 0.0, 0.0],
        total_impulse: [total.x, total.y, total.z],
        impulse: share(&total),
    })
}

/// Splits the total impulse among the corners so that it has no torque about the centre: the
/// tangential part pulls at the bottom, so the normal part's centre of pressure moves by as much
/// the other way.
fn share(total: &Vector3<f64>) -> Vec<f64> {
    let frame = contact_frame(&Vector3::z());
    let mut impulse = Vec::with_capacity(12);
    for (x, y) in CORNERS {
        let part = if total.z > 0.0 {
            0.25 * (1.0 - x * total.x / total.z) * (1.0 - y * total.y / total.z)
        } else {
            0.0
        };
        impulse.extend_from_slice((frame * total * part).as_slice());
    }
    impulse
}
