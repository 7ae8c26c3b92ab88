//! Any bytes into the reader of neural distances.

use nalgebra::Point3;
use stiction_collision::sdf::{NeuralSdf, Sdf};

/// Reads bytes as a safetensors file. Whatever they are, the answer is a network that can be sampled, or
/// an error that says what is wrong.
pub fn read_neural_sdf(bytes: &[u8]) {
    match NeuralSdf::from_bytes("fuzzed", bytes) {
        Ok(network) => {
            assert!(!network.layers().is_empty());
            // Finite weights may still overflow: only a panic is wrong here.
            let _ = network.sample(&Point3::new(0.1, -0.2, 0.3));
            let _ = network.bounds();
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
