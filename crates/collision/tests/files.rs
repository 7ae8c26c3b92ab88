//! Sampled grids survive their file, and files that are not what they should be are refused by name.

use std::path::PathBuf;

use nalgebra::{Point3, Vector3};
use stiction_collision::sdf::{GridSdf, NeuralSdf, Sdf, TorusSdf};
use stiction_collision::surface::surface_mesh;

/// A path in the system's folder for such things, removed when dropped.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str) -> Self {
        let name = format!("stiction-collision-{}-{name}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn grid() -> GridSdf {
    let torus = TorusSdf::new(0.3, 0.1).unwrap();
    let mesh = surface_mesh("torus", &torus, 0.06).unwrap();
    GridSdf::from_mesh("torus", &mesh, 0.08).unwrap()
}

#[test]
fn a_grid_comes_back_to_the_last_bit() {
    let (grid, file) = (grid(), TemporaryFile::new("grid.safetensors"));
    grid.save(&file.0).unwrap();
    let again = GridSdf::load(&file.0).unwrap();
    assert_eq!(
        (again.size(), again.spacing(), again.bounds()),
        (grid.size(), grid.spacing(), grid.bounds())
    );
    assert_eq!(again.lipschitz(), grid.lipschitz());
    for i in 0..500 {
        let t = f64::from(i);
        let p = Point3::from(Vector3::new(t.sin(), (1.3 * t).cos(), 0.3 * (0.7 * t).sin()) * 0.5);
        assert_eq!(again.sample(&p), grid.sample(&p));
    }
}

#[test]
fn damaged_files_are_refused_with_path_and_reason() {
    let file = TemporaryFile::new("damaged.safetensors");
    grid().save(&file.0).unwrap();
    let good = std::fs::read(&file.0).unwrap();
    let name = file.0.file_name().unwrap().to_string_lossy().into_owned();
    let refusal = |bytes: &[u8]| {
        std::fs::write(&file.0, bytes).unwrap();
        let reason = GridSdf::load(&file.0).unwrap_err().to_string();
        assert!(
            reason.contains(&name) || reason.contains("grid"),
            "{reason}"
        );
        assert!(reason.len() > name.len(), "{reason}");
        reason
    };
    refusal(b"");
    refusal(b"solid torus\n");
    // cut short in the header and in the data
    refusal(&good[..20]);
    refusal(&good[..good.len() - 9]);
    // a value that is no number: the last eight bytes belong to one of the tensors
    let header = u64::from_le_bytes(good[..8].try_into().unwrap()) as usize;
    for at in [8 + header, good.len() - 8] {
        let mut bytes = good.clone();
        bytes[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
        refusal(&bytes);
    }
    // a tensor under another name
    let mut renamed = good.clone();
    let at = renamed.windows(7).position(|w| w == b"spacing").unwrap();
    renamed[at..at + 7].copy_from_slice(b"spicing");
    assert!(refusal(&renamed).contains("spacing"));
    std::fs::remove_file(&file.0).unwrap();
    let missing = GridSdf::load(&file.0).unwrap_err().to_string();
    assert!(missing.contains(&name), "{missing}");
    let missing = NeuralSdf::load(&file.0).unwrap_err().to_string();
    assert!(missing.contains(&name), "{missing}");
    // a grid is no network
    std::fs::write(&file.0, &good).unwrap();
    assert!(NeuralSdf::load(&file.0).is_err());
}
