//! A place at which a row acts.

use nalgebra::{Point3, Vector3};

use crate::places::{Motion, Places};

/// A place at which a row acts in this pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Site {
    /// A point of a frame.
    Frame {
        /// Index of the frame.
        frame: u32,
        /// World position, m.
        at: Point3<f64>,
    },
    /// A point between two frames, such as the surface of a rope: at Σ wᵢ xᵢ + offset with the origins
    /// xᵢ, where the offset turns with the frames: its velocity is Σ wᵢ (vᵢ + ωᵢ × offset).
    Between {
        /// Indices of the two frames.
        frames: [u32; 2],
        /// Their weights.
        weights: [f64; 2],
        /// World axes, m.
        offset: Vector3<f64>,
    },
    /// A weighted sum of nodes, of one subsystem or several: a point inside an edge, a face or a
    /// tetrahedron.
    Nodes {
        /// Indices of the nodes, each named once; the first `count` count.
        nodes: [u32; 4],
        /// Their weights.
        weights: [f64; 4],
        /// How many there are, 1 to 4.
        count: u8,
    },
}

impl Site {
    /// One node.
    pub fn node(node: u32) -> Self {
        Self::weighted(&[(node, 1.0)])
    }

    /// A weighted sum of one to four nodes; further ones are not taken.
    pub fn weighted(terms: &[(u32, f64)]) -> Self {
        let (mut nodes, mut weights) = ([0; 4], [0.0; 4]);
        for (at, &(node, weight)) in terms.iter().take(4).enumerate() {
            (nodes[at], weights[at]) = (node, weight);
        }
        Self::Nodes {
            nodes,
            weights,
            count: terms.len().min(4) as u8,
        }
    }

    /// Calls `visit` with every subsystem that moves the site; one may come several times.
    pub fn touches(&self, places: &Places, mut visit: impl FnMut(usize)) {
        let mut see = |motion: Motion| {
            if let Some(subsystem) = motion.subsystem() {
                visit(subsystem);
            }
        };
        match *self {
            Site::Frame { frame, .. } => see(places.frames.motion[frame as usize]),
            Site::Between { frames, .. } => {
                for frame in frames {
                    see(places.frames.motion[frame as usize]);
                }
            }
            Site::Nodes { .. } => {
                for (node, _) in self.terms() {
                    see(places.nodes.motion[node]);
                }
            }
        }
    }

    /// Nodes and weights; none for frames.
    pub fn terms(&self) -> impl Iterator<Item = (usize, f64)> + Clone + '_ {
        let (nodes, weights, count) = match self {
            Site::Frame { .. } | Site::Between { .. } => (&[][..], &[][..], 0),
            Site::Nodes {
                nodes,
                weights,
                count,
            } => (&nodes[..], &weights[..], *count as usize),
        };
        let both = nodes.iter().zip(weights).take(count);
        both.map(|(&node, &weight)| (node as usize, weight))
    }

    /// Velocity of the site at the start of the step, m/s.
    pub fn velocity(&self, places: &Places) -> Vector3<f64> {
        match self {
            Site::Frame { frame, at } => places.velocity_at(*frame, at),
            Site::Between {
                frames,
                weights,
                offset,
            } => frames
                .iter()
                .zip(weights)
                .map(|(&frame, weight)| {
                    let at = Point3::from(places.origin(frame) + offset);
                    places.velocity_at(frame, &at) * *weight
                })
                .sum(),
            Site::Nodes { .. } => self
                .terms()
                .map(|(node, weight)| places.nodes.velocity[node] * weight)
                .sum(),
        }
    }
}
