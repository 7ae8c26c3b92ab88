//! A bolt whose thread is a network.

use nalgebra::{Isometry3, Point3, Vector3};

use super::NeuralSdf;
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result};
use crate::sdf::change::longest_way;
use crate::sdf::primitives::direction_or;
use crate::sdf::{BoltSdf, Sdf, SdfSample};

/// The thread of a bolt as a network has learnt it; tip and head are the bolt's own.
#[derive(Debug, Clone)]
pub struct NeuralBolt {
    thread: NeuralSdf,
    bolt: BoltSdf,
}

impl NeuralBolt {
    /// A network with two inputs, and the bolt that it stands for.
    pub fn new(thread: NeuralSdf, bolt: BoltSdf) -> Result<Self> {
        let lead = bolt.thread().lead();
        match thread.lead {
            Some(learnt) if (learnt - lead).abs() <= 1e-9 * lead => Ok(Self { thread, bolt }),
            learnt => Err(CollisionError::InvalidParameter {
                element: "neural bolt".to_owned(),
                field: "lead",
                value: learnt.unwrap_or(f64::NAN),
                reason: "must be that of the bolt's thread",
            }),
        }
    }

    /// The bolt that the network stands for.
    pub fn bolt(&self) -> &BoltSdf {
        &self.bolt
    }
}

impl Sdf for NeuralBolt {
    fn sample(&self, p: &Point3<f64>) -> SdfSample {
        let (radial, r) = direction_or(Vector3::new(p.x, p.y, 0.0), Vector3::x());
        self.bolt.with_ends(p, radial, r, self.thread.sample(p))
    }

    fn bounds(&self) -> Aabb {
        self.bolt.bounds()
    }

    fn lipschitz(&self) -> f64 {
        self.thread.lipschitz().max(self.bolt.lipschitz())
    }

    fn feature_size(&self) -> f64 {
        self.bolt.feature_size()
    }

    fn change(&self, motion: &Isometry3<f64>, region: &Aabb, reach: f64) -> f64 {
        let way = self.lipschitz() * longest_way(motion, region);
        // Both are of one helix: what the bolt says of its own thread, the network does up to its slope.
        way.min(self.thread.lipschitz() * self.bolt.change(motion, region, reach))
    }
}
