//! Trains a small network on a signed distance function and writes it as safetensors.
//!
//! ```sh
//! cargo run --release -p stiction-collision --example train_neural_sdf -- torus torus.safetensors
//! cargo run --release -p stiction-collision --example train_neural_sdf -- m48 m48_thread.safetensors
//! ```
//!
//! What it does: samples φ and ∇φ of the target, three quarters of the points near the surface; minimises
//! Σ (φ_net − φ)² + w |∇φ_net − ∇φ|² with Adam. A thread's network has two inputs, the point turned back along
//! the helix, and learns one section (see `NeuralSdf`). The gradient of the gradient term comes from
//! forward tangents run backwards, written out by hand below. To train on your own part, replace
//! `target` by any `Sdf`, for example a `GridSdf` of your mesh. Any other tool works as well as long
//! as it writes the tensors and the metadata named in the documentation of `NeuralSdf`.
#![expect(clippy::print_stdout, reason = "an example reports to the terminal")]

use std::path::Path;
use std::sync::Arc;

use nalgebra::{DMatrix, DVector, Isometry3, Point3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stiction_collision::Aabb;
use stiction_collision::sdf::{
    Activation, BoltSdf, Layer, MetricThread, NeuralSdf, Sdf, SdfRef, ThreadEnd, TorusSdf,
    Transformed,
};

/// Slope of the softplus at its bend.
const BETA: f64 = 8.0;
const BATCH: usize = 256;
/// Share of the points that are drawn near the surface.
const NEAR: f64 = 0.75;

/// What is learnt, and how.
struct Target {
    sdf: SdfRef,
    /// Advance of a thread for each radian, m: then one section is learnt.
    lead: Option<f64>,
    width: usize,
    steps: i32,
    /// How far the near points are from the surface at most, over the scale.
    band: f64,
    /// Weight of the gradient's error against the value's.
    gradient_weight: f64,
}

fn target(name: &str) -> Result<Target, Box<dyn std::error::Error>> {
    Ok(match name {
        "torus" => Target {
            sdf: Arc::new(TorusSdf::new(0.5, 0.2)?),
            lead: None,
            width: 24,
            steps: 3000,
            band: 0.05,
            gradient_weight: 0.1,
        },
        "m48" => {
            let thread = MetricThread::coarse(48)?;
            // Far enough from both ends.
            let rod = BoltSdf::rod(thread, 40.0 * thread.pitch(), ThreadEnd::Flat)?;
            let to_middle = Isometry3::translation(0.0, 0.0, -20.0 * thread.pitch());
            Target {
                sdf: Arc::new(Transformed::new(Arc::new(rod), to_middle)?),
                lead: Some(thread.lead()),
                width: 48,
                steps: 16_000,
                band: 0.06,
                gradient_weight: 0.01,
            }
        }
        other => return Err(format!("no target \"{other}\": torus or m48").into()),
    })
}

impl Target {
    /// Middle and half of the longest side of what is learnt, m.
    fn frame(&self) -> (Point3<f64>, f64) {
        let bounds = self.sdf.bounds();
        match self.lead {
            None => (bounds.center(), bounds.half_extents().max()),
            Some(_) => (Point3::origin(), bounds.half_extents().xy().max()),
        }
    }

    /// A point near the surface or anywhere.
    fn draw(&self, rng: &mut ChaCha8Rng, near: bool) -> Point3<f64> {
        let (center, scale) = self.frame();
        let half = self.sdf.bounds().half_extents();
        let p = Point3::from(Vector3::from_fn(|i, _| match self.lead {
            None => center[i] + 1.3 * half[i] * rng.random_range(-1.0..1.0),
            Some(_) if i < 2 => 1.5 * scale * rng.random_range(-1.0..1.0),
            Some(_) => 0.0,
        }));
        if !near {
            return p;
        }
        let s = self.sdf.sample(&p);
        let mut q = p - s.gradient * (s.value + self.band * scale * rng.random_range(-1.0..1.0));
        if self.lead.is_some() {
            q.z = 0.0;
        }
        q
    }

    /// Inputs of the network, φ over the scale and its slope by the inputs.
    fn sample(&self, p: &Point3<f64>) -> (DVector<f64>, f64, DVector<f64>) {
        let (center, scale) = self.frame();
        let s = self.sdf.sample(p);
        let inputs = if self.lead.is_some() { 2 } else { 3 };
        let x = (p - center) / scale;
        (
            DVector::from_fn(inputs, |i, _| x[i]),
            s.value / scale,
            DVector::from_fn(inputs, |i, _| s.gradient[i]),
        )
    }
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
        (x, value, slope): &(DVector<f64>, f64, DVector<f64>),
        weight: f64,
        sum: &mut [Layer],
    ) -> f64 {
        // forward: value and the tangents of every layer, columns (value, ∂x, ∂y, …)
        let inputs_count = x.len();
        let mut inputs = Vec::with_capacity(self.layers.len());
        let mut sums = Vec::with_capacity(self.layers.len());
        let mut h = DMatrix::zeros(inputs_count, inputs_count + 1);
        h.set_column(0, x);
        for i in 0..inputs_count {
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
                    for c in 1..=inputs_count {
                        h[(r, c)] = s * z[(r, c)];
                    }
                }
            }
            sums.push(z);
        }
        let error = h[(0, 0)] - value;
        // backward through values and tangents alike
        let mut g = DMatrix::zeros(1, inputs_count + 1);
        g[(0, 0)] = 2.0 * error;
        let mut tilt = 0.0;
        for c in 0..inputs_count {
            let off = h[(0, c + 1)] - slope[c];
            tilt += off * off;
            g[(0, c + 1)] = 2.0 * weight * off;
        }
        for k in (0..self.layers.len()).rev() {
            if k + 1 < self.layers.len() {
                let z = &sums[k];
                for r in 0..z.nrows() {
                    let s = sigmoid(z[(r, 0)]);
                    let bend = BETA * s * (1.0 - s);
                    let mut at_value = s * g[(r, 0)];
                    for c in 1..=inputs_count {
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
        error * error + weight * tilt
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
    let target = target(&name)?;
    let (center, scale) = target.frame();
    let inputs = if target.lead.is_some() { 2 } else { 3 };

    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut network = Network::new(&[inputs, target.width, target.width, 1], &mut rng);
    for step in 0..target.steps {
        let mut gradient = zeros(&network.layers);
        let mut loss = 0.0;
        for _ in 0..BATCH {
            let near = rng.random_bool(NEAR);
            let sample = target.sample(&target.draw(&mut rng, near));
            loss += network.backward(&sample, target.gradient_weight, &mut gradient);
        }
        for layer in &mut gradient {
            layer.weight /= BATCH as f64;
            layer.bias /= BATCH as f64;
        }
        let progress = f64::from(step) / f64::from(target.steps);
        network.adam(&gradient, 5e-3 * 0.002_f64.powf(progress));
        if step % (target.steps / 20) == 0 {
            println!("step {step:6}  loss {:.3e}", loss / BATCH as f64);
        }
    }
    let bounds = target.sdf.bounds();
    let solid = Aabb {
        min: bounds.min - Vector3::repeat(0.02 * scale),
        max: bounds.max + Vector3::repeat(0.02 * scale),
    };
    let mut trained = NeuralSdf::new(
        &name,
        network.layers,
        Activation::Softplus(BETA),
        center,
        scale,
        solid,
    )?
    .with_feature_size(target.sdf.feature_size())?;
    if let Some(lead) = target.lead {
        trained = trained.with_lead(lead)?;
    }
    report(&target, &trained, &mut rng);
    let from_weights = trained.lipschitz();
    let steepest = steepest(&target, &trained, &mut rng);
    println!(
        "steepest of 100 000 points: {steepest:.3}; bound from the weights: {from_weights:.1}"
    );
    // A tenth more than was found: the bound from the weights is hundreds of times what there is.
    let trained = trained.with_lipschitz((1.1 * steepest).min(from_weights))?;
    trained.save(Path::new(&path))?;
    println!("wrote {path}");
    Ok(())
}

/// Errors of value and direction near the surface.
fn report(target: &Target, trained: &NeuralSdf, rng: &mut ChaCha8Rng) {
    const POINTS: usize = 20_000;
    let (mut worst, mut mean, mut turned) = (0.0_f64, 0.0, 0.0);
    for _ in 0..POINTS {
        let p = target.draw(rng, true);
        let (found, known) = (trained.sample(&p), target.sdf.sample(&p));
        let error = (found.value - known.value).abs();
        worst = worst.max(error);
        mean += error / POINTS as f64;
        turned += found.gradient.angle(&known.gradient) / POINTS as f64;
    }
    println!(
        "near the surface: mean error {mean:.2e} m, worst {worst:.2e} m, mean angle {turned:.3} rad"
    );
}

/// Largest slope of what was learnt, where it was learnt.
fn steepest(target: &Target, trained: &NeuralSdf, rng: &mut ChaCha8Rng) -> f64 {
    let mut slopes = (0..100_000).map(|index| {
        let p = target.draw(rng, index % 2 == 0);
        trained.sample(&p).gradient.norm()
    });
    slopes.by_ref().fold(0.0, f64::max)
}
