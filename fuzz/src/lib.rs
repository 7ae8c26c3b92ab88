//! What the fuzz targets do, as plain functions: a fuzzer calls them with bytes it evolves, the
//! tests of this crate with random ones. A wrong behaviour is a panic.

mod bytes_rng;
mod fill_surface;
mod read_mesh;
mod read_neural_sdf;
mod read_problem_file;
mod read_recording;
mod read_robot;
mod read_scene_file;
mod read_tet_mesh;
mod solve_small;

pub use bytes_rng::BytesRng;
pub use fill_surface::fill_surface;
pub use read_mesh::read_mesh;
pub use read_neural_sdf::read_neural_sdf;
pub use read_problem_file::read_problem_file;
pub use read_recording::read_recording;
pub use read_robot::{read_mjcf, read_urdf};
pub use read_scene_file::read_scene_file;
pub use read_tet_mesh::read_tet_mesh;
pub use solve_small::{solve_small, solvers};
