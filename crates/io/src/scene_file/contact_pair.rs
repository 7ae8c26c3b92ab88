//! Pairs of shapes with rules of their own, as plain data.

/// Two shapes that may touch whatever their groups say and whichever bodies are excluded.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactPairDescription {
    /// The shapes, as `body/shape` or `robot/link/shape`.
    pub shapes: [String; 2],
    /// Friction between the two, along the first and second tangent; `None` for what their materials
    /// say.
    pub friction: Option<f64>,
}
