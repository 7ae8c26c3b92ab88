//! Soft bodies by linear tetrahedra.

mod body;
mod cholesky;
mod element;
mod error;
mod gather;
mod held;
mod ledger;
mod material;
mod merit;
mod model;
mod pattern;
mod policy;
mod readout;
mod settings;
mod stepper;
mod svd;

pub use body::{SoftBody, StepStart};
pub use error::FemError;
pub use held::HeldNodes;
pub use ledger::Ledger;
pub use material::{Law, Material, Rayleigh};
pub use model::FemModel;
pub use pattern::MatrixPattern;
pub use policy::HessianPolicy;
pub use readout::ElementState;
pub use settings::FemSettings;
pub use stepper::{FreeStepReport, Stepper};
