//! Trains a small network on a signed distance function and writes it as safetensors.
//!
//! ```sh
//! cargo run --release -p stiction-collision --example train_neural_sdf -- torus torus.safetensors
//! cargo run --release -p stiction-collision --example train_neural_sdf -- bolt bolt.safetensors
//! ```
//!
//! What it does: samples φ and ∇φ of the target, half of the points near the surface; minimises
//! Σ (φ_net − φ)² + 0.1 |∇φ_net − ∇φ|² with Adam; the gradient of the gradient term comes from
//! forward tangents run backwards, written out by hand below. To train on your own part, replace
//! `target` by any `Sdf`, for example a `GridSdf` of your mesh. Any other tool works as well as long
//! as it writes the tensors and the metadata named in the documentation of `NeuralSdf`.
#![expect(clippy::print_stdout, reason = "an example reports to the terminal")]

use std::path::Path;

use nalgebra::{DMatrix, DVector, Point3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_collision::Aabb;
use stiction_collision::sdf::{
    Activation, BoltSdf, Layer, MetricThread, NeuralSdf, Sdf, SdfRef, ThreadEnd, TorusSdf,
};

/// Slope of the softplus at its bend.
const BETA: f64 = 8.0;
const BATCH: usize = 256;
/// Weight of the gradient's error against the value's.
const GRADIENT_WEIGHT: f64 = 0.1;

fn target(name: &str) -> Result<(SdfRef, usize, i32), Box<dyn std::error::Error>> {
    Ok(match name {
        "torus" => (std::sync::Arc::new(TorusSdf::new(0.5, 0.2)?), 24, 3000),
        "bolt" => {
            let thread = MetricThread::coarse(48)?;
            let bolt = BoltSdf::rod(thread, 0.01, ThreadEnd::Flat)?;
            (std::sync::Arc::new(bolt), 48, 4000)
        }
        other => return Err(format!("no target \"{other}\": torus or bolt").into()),
    })
}

fn softplus(x: f64) -> f64 {
    let t = BETA * x;
    (t.max(0.0) + (-t.abs()).exp().ln_1p()) / BETA
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-BETA * x).exp())
}

/// Weights with Adam's two moments beside them.
struct Network {
    layers: Vec<Layer>,
    first: Vec<Layer>,
    second: Vec<Layer>,
    step: i32,
}

fn zeros(layers: &[Layer]) -> Vec<Layer> {
    layers
        .iter()
        .map(|l| Layer {
            weight: DMatrix::zeros(l.weight.nrows(), l.weight.ncols()),
            bias: DVector::zeros(l.bias.len()),
        })
        .collect()
}

impl Network {
    fn new(widths: &[usize], rng: &mut ChaCha8Rng) -> Self {
        let layers: Vec<Layer> = widths
            .windows(2)
            .map(|w| {
                let bound = (3.0 / w[0] as f64).sqrt();
                Layer {
                    weight: DMatrix::from_fn(w[1], w[0], |_, _| rng.random_range(-bound..bound)),
                    bias: DVector::from_fn(w[1], |_, _| rng.random_range(-0.1..0.1)),
                }
            })
            .collect();
        Self {
            first: zeros(&layers),
            second: zeros(&layers),
            layers,
            step: 0,
        }
    }

    /// Adds the loss gradient of one sample to `sum` and returns the loss.
    fn backward(
        &self,
        x: &Vector3<f64>,
        value: f64,
        slope: &Vector3<f64>,
        sum: &mut [Layer],
    ) -> f64 {
        // forward: value and three tangents of every layer, columns (value, ∂x, ∂y, ∂z)
        let mut inputs = Vec::with_capacity(self.layers.len());
        let mut sums = Vec::with_capacity(self.layers.len());
        let mut h = DMatrix::zeros(3, 4);
        h.set_column(0, x);
        for i in 0..3 {
            h[(i, i + 1)] = 1.0;
        }
        for (k, layer) in self.layers.iter().enumerate() {
            let mut z = &layer.weight * &h;
            z.column_mut(0).axpy(1.0, &layer.bias, 1.0);
            inputs.push(h);
            h = z.clone();
            if k + 1 < self.layers.len() {
                for r in 0..z.nrows() {
                    let s = sigmoid(z[(r, 0)]);
                    h[(r, 0)] = softplus(z[(r, 0)]);
                    for c in 1..4 {
                        h[(r, c)] = s * z[(r, c)];
                    }
                }
            }
            sums.push(z);
        }
        let error = h[(0, 0)] - value;
        let tilt = Vector3::new(h[(0, 1)], h[(0, 2)], h[(0, 3)]) - slope;
        // backward through values and tangents alike
        let mut g = DMatrix::zeros(1, 4);
        g[(0, 0)] = 2.0 * error;
        for c in 0..3 {
            g[(0, c + 1)] = 2.0 * GRADIENT_WEIGHT * tilt[c];
        }
        for k in (0..self.layers.len()).rev() {
            if k + 1 < self.layers.len() {
                let z = &sums[k];
                for r in 0..z.nrows() {
                    let s = sigmoid(z[(r, 0)]);
                    let bend = BETA * s * (1.0 - s);
                    let mut at_value = s * g[(r, 0)];
                    for c in 1..4 {
                        at_value += bend * z[(r, c)] * g[(r, c)];
                        g[(r, c)] *= s;
                    }
                    g[(r, 0)] = at_value;
                }
            }
            sum[k].weight += &g * inputs[k].transpose();
            sum[k].bias += g.column(0);
            g = self.layers[k].weight.transpose() * &g;
        }
        error * error + GRADIENT_WEIGHT * tilt.norm_squared()
    }

    fn adam(&mut self, gradient: &[Layer], rate: f64) {
        self.step += 1;
        let (b1, b2) = (0.9_f64, 0.999_f64);
        let scale = rate * (1.0 - b2.powi(self.step)).sqrt() / (1.0 - b1.powi(self.step));
        let update = |p: &mut f64, g: f64, m: &mut f64, v: &mut f64| {
            *m = b1 * *m + (1.0 - b1) * g;
            *v = b2 * *v + (1.0 - b2) * g * g;
            *p -= scale * *m / (v.sqrt() + 1e-9);
        };
        for k in 0..self.layers.len() {
            let (l, g) = (&mut self.layers[k], &gradient[k]);
            let (m, v) = (&mut self.first[k], &mut self.second[k]);
            for i in 0..l.weight.len() {
                update(
                    &mut l.weight[i],
                    g.weight[i],
                    &mut m.weight[i],
                    &mut v.weight[i],
                );
            }
            for i in 0..l.bias.len() {
                update(&mut l.bias[i], g.bias[i], &mut m.bias[i], &mut v.bias[i]);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "torus".to_owned());
    let path = arguments
        .next()
        .unwrap_or_else(|| format!("{name}.safetensors"));
    let (sdf, width, steps): (SdfRef, usize, i32) = target(&name)?;
    let bounds = sdf.bounds();
    let (center, scale) = (bounds.center(), bounds.half_extents().max());

    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut network = Network::new(&[3, width, width, 1], &mut rng);
    let draw = |rng: &mut ChaCha8Rng, near: bool| {
        let p = Point3::from(Vector3::from_fn(|i, _| {
            center[i] + 1.3 * bounds.half_extents()[i] * rng.random_range(-1.0..1.0)
        }));
        let s = sdf.sample(&p);
        if near {
            p - s.gradient * (s.value + 0.05 * scale * rng.random_range(-1.0..1.0))
        } else {
            p
        }
    };
    for step in 0..steps {
        let mut gradient = zeros(&network.layers);
        let mut loss = 0.0;
        for k in 0..BATCH {
            let p = draw(&mut rng, k % 2 == 0);
            let s = sdf.sample(&p);
            let x = (p - center) / scale;
            loss += network.backward(&x, s.value / scale, &s.gradient, &mut gradient);
        }
        for layer in &mut gradient {
            layer.weight /= BATCH as f64;
            layer.bias /= BATCH as f64;
        }
        let progress = f64::from(step) / f64::from(steps);
        network.adam(&gradient, 5e-3 * 0.01_f64.powf(progress));
        if step % (steps / 20) == 0 {
            println!("step {step:6}  loss {:.3e}", loss / BATCH as f64);
        }
    }
    let solid = Aabb {
        min: bounds.min - Vector3::repeat(0.02 * scale),
        max: bounds.max + Vector3::repeat(0.02 * scale),
    };
    let trained = NeuralSdf::new(
        &name,
        network.layers,
        Activation::Softplus(BETA),
        center,
        scale,
        solid,
    )?
    .with_feature_size(sdf.feature_size())?;
    let mut worst = 0.0_f64;
    let mut mean = 0.0;
    for _ in 0..10_000 {
        let p = draw(&mut rng, true);
        let error = (trained.value(&p) - sdf.value(&p)).abs();
        worst = worst.max(error);
        mean += error / 10_000.0;
    }
    println!("near the surface: mean error {mean:.2e} m, worst {worst:.2e} m");
    println!(
        "Lipschitz bound from the weights: {:.2}",
        trained.lipschitz()
    );
    trained.save(Path::new(&path))?;
    println!("wrote {path}");
    Ok(())
}
