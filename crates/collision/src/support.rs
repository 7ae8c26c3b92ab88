//! What a contact stands on.

/// What carries the surface point of one side of a contact, by index in the world, so that the
/// point's velocity follows from it alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Support {
    /// Fixed to one frame: it moves as a point of that frame.
    Frame(u32),
    /// Between two frames of a chain. The axis is at Σ wᵢ xᵢ of their origins; what is left from
    /// there to the surface point, o, turns with them: its velocity is Σ wᵢ (vᵢ + ωᵢ × o).
    Frames {
        /// The two frames.
        frames: [u32; 2],
        /// Their weights; they sum to 1.
        weights: [f64; 2],
    },
    /// At Σ wᵢ xᵢ of nodes (balls around nodes: of their centres, and nothing turns).
    Nodes {
        /// The nodes; those from `count` on repeat the first with weight 0.
        nodes: [u32; 3],
        /// Their weights; they sum to 1.
        weights: [f64; 3],
        /// How many there are, 1 to 3.
        count: u8,
    },
}

impl Support {
    /// On one node.
    pub fn node(node: u32) -> Self {
        Self::Nodes {
            nodes: [node; 3],
            weights: [1.0, 0.0, 0.0],
            count: 1,
        }
    }

    /// On the corners of a triangle with these weights; corners of weight 0 are left out.
    pub fn triangle(corners: [u32; 3], corner_weights: [f64; 3]) -> Self {
        let mut used = (0..3).filter(|&k| corner_weights[k] != 0.0);
        let first = used.next().unwrap_or(0);
        let (mut nodes, mut weights) = ([corners[first]; 3], [0.0; 3]);
        weights[0] = corner_weights[first];
        let mut count = 1;
        for k in used {
            nodes[count] = corners[k];
            weights[count] = corner_weights[k];
            count += 1;
        }
        Self::Nodes {
            nodes,
            weights,
            count: count as u8,
        }
    }

    /// At `fraction` of the way from the first frame to the second.
    pub fn between(frames: [u32; 2], fraction: f64) -> Self {
        if fraction <= 0.0 {
            Self::Frame(frames[0])
        } else if fraction >= 1.0 {
            Self::Frame(frames[1])
        } else {
            Self::Frames {
                frames,
                weights: [1.0 - fraction, fraction],
            }
        }
    }

    /// The frame, if one alone carries it.
    pub fn frame(&self) -> Option<u32> {
        match self {
            Self::Frame(frame) => Some(*frame),
            _ => None,
        }
    }

    /// The frames and their weights; none where nodes carry it.
    pub fn frames(&self) -> impl Iterator<Item = (u32, f64)> + use<> {
        let (frames, weights, count) = match *self {
            Self::Frame(frame) => ([frame; 2], [1.0, 0.0], 1),
            Self::Frames { frames, weights } => (frames, weights, 2),
            Self::Nodes { .. } => ([0; 2], [0.0; 2], 0),
        };
        frames.into_iter().zip(weights).take(count)
    }

    /// The nodes and their weights; none where frames carry it.
    pub fn nodes(&self) -> impl Iterator<Item = (u32, f64)> + use<> {
        let (nodes, weights, count) = match *self {
            Self::Nodes {
                nodes,
                weights,
                count,
            } => (nodes, weights, count),
            Self::Frame(_) | Self::Frames { .. } => ([0; 3], [0.0; 3], 0),
        };
        nodes.into_iter().zip(weights).take(usize::from(count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supports_list_what_carries_them() {
        let edge = Support::triangle([4, 7, 9], [0.25, 0.0, 0.75]);
        assert_eq!(edge.nodes().collect::<Vec<_>>(), [(4, 0.25), (9, 0.75)]);
        assert_eq!(
            edge.frames().count() + usize::from(edge.frame().is_some()),
            0
        );
        let corner = Support::triangle([4, 7, 9], [0.0, 1.0, 0.0]);
        assert_eq!(corner, Support::node(7));
        assert_eq!(Support::between([2, 3], 0.0), Support::Frame(2));
        assert_eq!(Support::between([2, 3], 1.0).frame(), Some(3));
        let middle = Support::between([2, 3], 0.25);
        assert_eq!(middle.frames().collect::<Vec<_>>(), [(2, 0.75), (3, 0.25)]);
        assert_eq!(middle.nodes().count(), 0);
    }
}
