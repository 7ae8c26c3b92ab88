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
    /// How sharply softplus bends.
    beta: f64,
}

/// What the network is to say at a point.
struct Lesson {
    inputs: DVector<f64>,
    /// Derivatives of the inputs by the point, times the scale, inputs × 3.
    tangents: DMatrix<f64>,
    /// φ over the scale, and ∇φ.
    value: f64,
    slope: Vector3<f64>,
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
            beta: 8.0,
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
                steps: 20_000,
                band: 0.06,
                gradient_weight: 0.002,
                beta: 20.0,
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

    fn lesson(&self, p: &Point3<f64>) -> Lesson {
        let (center, scale) = self.frame();
        let s = self.sdf.sample(p);
        let x = (p - center) / scale;
        let (inputs, tangents) = match self.lead {
            None => (
                DVector::from_column_slice(x.as_slice()),
                DMatrix::identity(3, 3),
            ),
            // A step along the axis turns the section: by how much the slope along it depends on that is what
            // makes normals of a thread right.
            Some(lead) => {
                let (u, v) = (p.x / lead, p.y / lead);
                (
                    DVector::from_column_slice(&[x.x, x.y]),
                    DMatrix::from_row_slice(2, 3, &[1.0, 0.0, v, 0.0, 1.0, -u]),
                )
            }
        };
        Lesson {
            inputs,
            tangents,
            value: s.value / scale,
            slope: s.gradient,
        }
    }
}

fn softplus(x: f64, beta: f64) -> f64 {
    let t = beta * x;
    (t.max(0.0) + (-t.abs()).exp().ln_1p()) / beta
}

fn sigmoid(x: f64, beta: f64) -> f64 {
    1.0 / (1.0 + (-beta * x).exp())
}

/// Weights with Adam's two moments beside them.
struct Network {
    layers: Vec<Layer>,
    first: Vec<Layer>,
    second: Vec<Layer>,
    step: i32,
    beta: f64,
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
    fn new(widths: &[usize], beta: f64, rng: &mut ChaCha8Rng) -> Self {
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
            beta,
        }
    }

    /// Adds the loss gradient of one lesson to `sum` and returns the loss.
    fn backward(&self, lesson: &Lesson, weight: f64, sum: &mut [Layer]) -> f64 {
        // forward: value and three tangents of every layer, columns (value, ∂x, ∂y, ∂z)
        let mut inputs = Vec::with_capacity(self.layers.len());
        let mut sums = Vec::with_capacity(self.layers.len());
        let mut h = DMatrix::zeros(lesson.inputs.len(), 4);
        h.set_column(0, &lesson.inputs);
        h.columns_mut(1, 3).copy_from(&lesson.tangents);
        for (k, layer) in self.layers.iter().enumerate() {
            let mut z = &layer.weight * &h;
            z.column_mut(0).axpy(1.0, &layer.bias, 1.0);
            inputs.push(h);
            h = z.clone();
            if k + 1 < self.layers.len() {
                for r in 0..z.nrows() {
                    let s = sigmoid(z[(r, 0)], self.beta);
                    h[(r, 0)] = softplus(z[(r, 0)], self.beta);
                    for c in 1..4 {
                        h[(r, c)] = s * z[(r, c)];
                    }
                }
            }
            sums.push(z);
        }
        let error = h[(0, 0)] - lesson.value;
        let tilt = Vector3::new(h[(0, 1)], h[(0, 2)], h[(0, 3)]) - lesson.slope;
        // backward through values and tangents alike
        let mut g = DMatrix::zeros(1, 4);
        g[(0, 0)] = 2.0 * error;
        for c in 0..3 {
            g[(0, c + 1)] = 2.0 * weight * tilt[c];
        }
        for k in (0..self.layers.len()).rev() {
            if k + 1 < self.layers.len() {
                let z = &sums[k];
                for r in 0..z.nrows() {
                    let s = sigmoid(z[(r, 0)], self.beta);
                    let bend = self.beta * s * (1.0 - s);
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
        error * error + weight * tilt.norm_squared()
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
    let mut network = Network::new(
        &[inputs, target.width, target.width, 1],
        target.beta,
        &mut rng,
    );
    for step in 0..target.steps {
        let mut gradient = zeros(&network.layers);
        let mut loss = 0.0;
        for _ in 0..BATCH {
            let near = rng.random_bool(NEAR);
            let lesson = target.lesson(&target.draw(&mut rng, near));
            loss += network.backward(&lesson, target.gradient_weight, &mut gradient);
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
        Activation::Softplus(target.beta),
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
