//! How robot files become scenes.

use std::path::PathBuf;

/// How a URDF or MJCF file is read.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOptions {
    /// How the root of a URDF robot stands in the world. MJCF files say it themselves.
    pub base: Base,
    /// What meshes collide as.
    pub meshes: MeshUse,
    /// Folders in which `package://NAME/…` is looked for, before those around the file.
    pub packages: Vec<PathBuf>,
    /// How long the scene is simulated, s.
    pub seconds: f64,
}

impl Default for ModelOptions {
    fn default() -> Self {
        Self {
            base: Base::default(),
            meshes: MeshUse::default(),
            packages: Vec::new(),
            seconds: 5.0,
        }
    }
}

/// How the root of a robot stands in the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Base {
    /// It does not move.
    #[default]
    Fixed,
    /// It moves freely.
    Free,
}

/// What a mesh of a robot collides as.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum MeshUse {
    /// Its convex hull, as in MuJoCo.
    #[default]
    Hull,
    /// Its triangles, as they are.
    Exact,
    /// A grid of signed distances.
    SignedDistance {
        /// Grid cells along the longest side.
        cells: usize,
    },
    /// Convex parts.
    Decomposition {
        /// Most parts.
        parts: usize,
    },
}
