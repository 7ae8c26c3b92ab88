//! The function that a step with all forces implicit makes smallest.

use super::body::{SoftBody, StepStart};
use super::element::multiply;
use super::error::FemError;
use super::model::read;

impl SoftBody {
    /// The function of v̂ whose minimum a step with all forces implicit is, J:
    /// |v̂ − v|²_M/(2(1 − θ)) + ψ(x + w h v̂)/w − h f·v̂ + h/2 v̂ᵀDv̂, D as of the last linearisation.
    /// Whoever solves with impulses from outside shortens v̂ − v̂ₖ until this minus v̂ᵀJᵀλ does not grow.
    ///
    /// # Errors
    /// Lists of the wrong length or not finite.
    pub fn merit(&mut self, start: &StepStart<'_>, v_hat: &[f64]) -> Result<f64, FemError> {
        start.check(&self.model, &self.settings)?;
        self.model.check_values("velocity of the step", v_hat)?;
        let (h, share) = (start.time_step, start.share());
        let way = Some((v_hat, share * h));
        let elastic = self
            .model
            .energy_along(start.x, way, &mut self.energy_parts)
            .0;
        let mut sum = elastic / share;
        for (node, &mass) in self.model.mass.iter().enumerate() {
            let v = read(v_hat, node);
            let change = (v - read(start.v, node)).norm_squared();
            sum += 0.5 * mass * self.weights.mass * change;
            sum +=
                h * (0.5 * self.model.mass_damping[node] * v - start.force_of(node, mass)).dot(&v);
        }
        for (element, part) in self.model.elements.iter().zip(&self.parts) {
            if element.stiffness_damping > 0.0 {
                let v = element.corners(v_hat);
                let product = multiply(&part.stiffness, &v);
                let power: f64 = product.iter().zip(&v).map(|(a, b)| a.dot(b)).sum();
                sum += 0.5 * h * element.stiffness_damping * power;
            }
        }
        Ok(sum)
    }
}
