//! Refinement of answers to local problems against W as given, where the primal form leaves
//! something of W out.

pub(crate) mod fixed_point;
pub(crate) mod newton;
