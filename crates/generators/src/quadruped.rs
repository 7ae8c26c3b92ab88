//! One four-legged robot as a kinematic tree.

use nalgebra::{Vector3, Vector6};
use rand::Rng;
use stiction_constraints::factor::TreeFactor;
use stiction_constraints::{ProblemError, Tree, TreeBody};

use crate::geometry::{box_inertia, refuse, shift_inertia};
use crate::sampling::{normal, uniform};
use crate::{GRAVITY, TIME_STEP};

/// Degrees of freedom: six of the floating base, three for each of four legs.
pub(crate) const DOFS: usize = 18;
/// Base, and hip, thigh and shank of each leg.
pub(crate) const BODIES: usize = 13;
/// The shanks.
pub(crate) const SHANKS: [usize; 4] = [3, 6, 9, 12];

/// A robot at a random posture.
pub(crate) struct Quadruped {
    pub(crate) tree: Tree,
    /// Reference point of the tree: the centre of the base, in the world.
    pub(crate) reference: Vector3<f64>,
    /// Centre of mass of every body, in the world.
    pub(crate) centers: Vec<Vector3<f64>>,
    masses: Vec<f64>,
}

/// A link as it is put on the tree.
struct Link {
    parent: usize,
    center: Vector3<f64>,
    mass: f64,
    half: Vector3<f64>,
    axis: Vector3<f64>,
    pivot: Vector3<f64>,
}

impl Quadruped {
    pub(crate) fn new(rng: &mut impl Rng, base: Vector3<f64>) -> Result<Self, ProblemError> {
        let mut links = Vec::new();
        for along in [1.0, -1.0] {
            for aside in [1.0, -1.0] {
                push_leg(rng, &mut links, base, along, aside);
            }
        }
        let trunk_mass = 12.0;
        let mut bodies = vec![TreeBody {
            parent: None,
            joint_dofs: 6,
            inertia: box_inertia(trunk_mass, &Vector3::new(0.25, 0.1, 0.06)),
        }];
        let mut columns: Vec<Vector6<f64>> = (0..6)
            .map(|dof| Vector6::from_fn(|row, _| if row == dof { 1.0 } else { 0.0 }))
            .collect();
        let (mut centers, mut masses) = (vec![base], vec![trunk_mass]);
        for link in &links {
            let inertia = box_inertia(link.mass, &link.half);
            bodies.push(TreeBody {
                parent: Some(link.parent),
                joint_dofs: 1,
                inertia: shift_inertia(&inertia, &(link.center - base)),
            });
            let linear = (link.pivot - base).cross(&link.axis);
            columns.push(Vector6::new(
                linear.x,
                linear.y,
                linear.z,
                link.axis.x,
                link.axis.y,
                link.axis.z,
            ));
            centers.push(link.center);
            masses.push(link.mass);
        }
        let diagonal = vec![0.0; columns.len()];
        let tree = Tree::new(bodies, columns, diagonal)
            .map_err(|reason| refuse("robot", "tree", &reason))?;
        Ok(Self {
            tree,
            reference: base,
            centers,
            masses,
        })
    }

    /// b = A v + (gravity + random joint torques) Δt, the base falling at 0.5 m/s.
    pub(crate) fn right_hand_side(&self, rng: &mut impl Rng) -> Result<Vec<f64>, ProblemError> {
        let mut velocity: Vec<f64> = (0..DOFS).map(|_| 0.3 * normal(rng)).collect();
        velocity[2] = -0.5;
        let mut factor = TreeFactor::default();
        factor
            .update(&self.tree)
            .map_err(|()| refuse("robot", "A", "is not positive definite"))?;
        let mut b = vec![0.0; DOFS];
        factor.mul(&velocity, &mut b);
        for (body, (center, mass)) in self.centers.iter().zip(&self.masses).enumerate() {
            let weight = Vector3::new(0.0, 0.0, -mass * GRAVITY);
            let torque = (center - self.reference).cross(&weight);
            let wrench = Vector6::new(weight.x, weight.y, weight.z, torque.x, torque.y, torque.z);
            for dof in self.tree.path(self.tree.body_dof(body)) {
                b[dof] += self.tree.columns()[dof].dot(&wrench) * TIME_STEP;
            }
        }
        for entry in &mut b[6..] {
            *entry += 3.0 * normal(rng) * TIME_STEP;
        }
        Ok(b)
    }
}

/// Hip (rolls), thigh and shank (pitch) of one leg.
fn push_leg(rng: &mut impl Rng, links: &mut Vec<Link>, base: Vector3<f64>, along: f64, aside: f64) {
    let hip = base + Vector3::new(0.22 * along, 0.1 * aside, 0.0);
    let (thigh_angle, knee_angle) = (uniform(rng, 0.4, 0.8), uniform(rng, 0.9, 1.4));
    let downward = |angle: f64| Vector3::new(-angle.sin(), 0.0, -angle.cos());
    let thigh_top = hip + Vector3::new(0.0, 0.08 * aside, 0.0);
    let thigh = downward(thigh_angle);
    let knee = thigh_top + 0.2 * thigh;
    let shank = downward(thigh_angle - knee_angle);
    // Bodies are counted from one here: the base is body 0.
    let first = links.len() + 1;
    links.push(Link {
        parent: 0,
        center: hip + Vector3::new(0.0, 0.04 * aside, 0.0),
        mass: 1.0,
        half: Vector3::repeat(0.04),
        axis: Vector3::x(),
        pivot: hip,
    });
    links.push(Link {
        parent: first,
        center: thigh_top + 0.1 * thigh,
        mass: 1.0,
        half: Vector3::new(0.03, 0.03, 0.1),
        axis: Vector3::y(),
        pivot: thigh_top,
    });
    links.push(Link {
        parent: first + 1,
        center: knee + 0.1 * shank,
        mass: 0.2,
        half: Vector3::new(0.02, 0.02, 0.1),
        axis: Vector3::y(),
        pivot: knee,
    });
}
