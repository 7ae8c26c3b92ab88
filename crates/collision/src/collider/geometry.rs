//! What a collider is made of: a rigid shape, or something that deforms.

use std::collections::HashSet;

use nalgebra::Isometry3;

use crate::error::{CollisionError, Result, non_negative, positive};
use crate::shape::{Shape, check_edges, pose_is_finite};

/// The geometry of a collider, by the frames and nodes that carry it.
#[derive(Debug, Clone)]
pub enum Geometry {
    /// A shape fixed to a frame.
    Rigid {
        /// Index of the frame that carries it.
        frame: u32,
        /// Pose of the shape in that frame.
        pose: Isometry3<f64>,
        /// The shape.
        shape: Shape,
    },
    /// The closed boundary of a deforming solid.
    Surface {
        /// Indices of the nodes that are its vertices, each once.
        nodes: Vec<u32>,
        /// Triangles as positions in `nodes`, counter-clockwise seen from outside.
        faces: Vec<[u32; 3]>,
        /// How far inside of it a vertex of something else is still pushed out, m.
        depth: f64,
    },
    /// A rope: capsules between the origins of consecutive frames. Closed if the first frame is
    /// also the last.
    Chain {
        /// Indices of the frames along it, two or more.
        frames: Vec<u32>,
        /// Radius, m.
        radius: f64,
    },
    /// Balls around nodes, or bare points.
    Points {
        /// Indices of the nodes, each once.
        nodes: Vec<u32>,
        /// Radius of every ball, m; 0 for bare points.
        radius: f64,
    },
}

impl Geometry {
    /// What sort of geometry this is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Rigid { shape, .. } => shape.kind(),
            Self::Surface { .. } => "surface",
            Self::Chain { .. } => "chain",
            Self::Points { .. } => "points",
        }
    }

    /// Number of its vertices that move on their own: none for a rigid shape.
    pub(crate) fn n_vertices(&self) -> usize {
        match self {
            Self::Rigid { .. } => 0,
            Self::Surface { nodes, .. } | Self::Points { nodes, .. } => nodes.len(),
            Self::Chain { frames, .. } => frames.len(),
        }
    }

    /// Refuses what no collider can be made of; `name` is put in the error.
    pub(super) fn validate(&self, name: &str) -> Result<()> {
        match self {
            Self::Rigid { pose, .. } => {
                if !pose_is_finite(pose) {
                    return Err(CollisionError::InvalidParameter {
                        element: name.to_owned(),
                        field: "pose",
                        value: f64::NAN,
                        reason: "must be finite",
                    });
                }
            }
            Self::Surface {
                nodes,
                faces,
                depth,
            } => {
                positive(name, "depth", *depth)?;
                each_once(name, nodes)?;
                check_faces(name, nodes.len(), faces)?;
            }
            Self::Chain { frames, radius } => {
                positive(name, "radius", *radius)?;
                if frames.len() < 2 {
                    let reason = "a chain needs two frames or more".to_owned();
                    return Err(invalid(name, reason));
                }
                let distinct = &frames[..frames.len() - usize::from(is_closed(frames))];
                each_once(name, distinct)?;
            }
            Self::Points { nodes, radius } => {
                non_negative(name, "radius", *radius)?;
                each_once(name, nodes)?;
            }
        }
        Ok(())
    }
}

/// Whether a chain of these frames ends where it starts.
pub(crate) fn is_closed(frames: &[u32]) -> bool {
    frames.len() > 3 && frames.first() == frames.last()
}

/// Refuses an empty list and one that names something twice.
fn each_once(name: &str, list: &[u32]) -> Result<()> {
    if list.is_empty() {
        return Err(invalid(name, "it has no nodes".to_owned()));
    }
    let mut seen = HashSet::with_capacity(list.len());
    match list.iter().find(|&&index| !seen.insert(index)) {
        Some(index) => Err(invalid(name, format!("it uses {index} twice"))),
        None => Ok(()),
    }
}

/// Refuses faces that do not close, and vertices without a face.
fn check_faces(name: &str, n_vertices: usize, faces: &[[u32; 3]]) -> Result<()> {
    let mut used = vec![false; n_vertices];
    for (i, face) in faces.iter().enumerate() {
        for &v in face {
            match used.get_mut(v as usize) {
                Some(used) => *used = true,
                None => {
                    let reason = format!("face {i} uses vertex {v} of {n_vertices}");
                    return Err(invalid(name, reason));
                }
            }
        }
        if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
            return Err(invalid(name, format!("face {i} {face:?} repeats a vertex")));
        }
    }
    if let Some(v) = used.iter().position(|used| !used) {
        return Err(invalid(name, format!("vertex {v} belongs to no face")));
    }
    check_edges(name, faces)
}

fn invalid(name: &str, reason: String) -> CollisionError {
    CollisionError::InvalidMesh {
        shape: name.to_owned(),
        reason,
    }
}
