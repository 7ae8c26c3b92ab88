//! A law that this crate does not know.

use std::fmt;

/// Parameters that a constraint gives to a [`CustomLaw`].
pub type CustomParameters = [f64; 2];

/// A law of a user's own, which holds for each row by itself: a name and two functions, kept in a
/// `static` and used as [`Law::Custom`](super::Law::Custom).
///
/// Every solver takes it through its closed form, like the laws that come along. What a solver knows of
/// those beyond it, such as that an impulse cannot grow for ever, it does not know of a custom law:
/// custom laws that contradict each other end a solve as stalled, not as a named contradiction. Files
/// of problems cannot hold a custom law, and writing one is refused.
///
/// ```
/// use stiction_constraints::{CustomLaw, Law};
///
/// /// A damper, λ = −c (z + e).
/// static DAMPER: CustomLaw = CustomLaw {
///     kind: "damper",
///     // z = x̄ + λ/β solved together with λ = −c (z + e).
///     response: |&[c, _], x_bar, e, beta| {
///         let stiffness = c * beta / (c + beta);
///         (-stiffness * (x_bar + e), stiffness)
///     },
///     check: |&[c, _]| if c > 0.0 { Ok(()) } else { Err("needs a positive damping") },
/// };
///
/// let parameters = [2.0, 0.0];
/// assert_eq!(DAMPER.find_flaw(&parameters), None);
/// let law = Law::Custom { law: &DAMPER, parameters };
/// # let _ = law;
/// ```
pub struct CustomLaw {
    /// One or two words for reports and errors.
    pub kind: &'static str,
    /// Given the parameters, x̄ and e in m/s (rad/s) and β > 0 in kg (kg·m²): the impulse λ in N·s
    /// (N·m·s) for which z = x̄ + λ/β and (z, λ) obey the law, and its stiffness K = −∂λ/∂x̄ in kg.
    ///
    /// λ must not grow with x̄, and not fall faster than β: 0 ≤ K ≤ β. Which pairs (z, λ) come out must
    /// not depend on β. [`find_flaw`](CustomLaw::find_flaw) looks at both.
    pub response: fn(&CustomParameters, f64, f64, f64) -> (f64, f64),
    /// Refuses parameters that make no sense, with the reason. They are finite already.
    pub check: fn(&CustomParameters) -> Result<(), &'static str>,
}

impl CustomLaw {
    /// Tries the law on a grid of x̄, e and β from 1e-2 to 1e2, and says what makes it no law for these
    /// parameters: for tests of a law of one's own. `None` says that nothing was found.
    pub fn find_flaw(&self, parameters: &CustomParameters) -> Option<String> {
        const BETAS: [f64; 5] = [1e-2, 0.1, 1.0, 10.0, 100.0];
        /// What rounding may do to a number of size 1.
        const CLOSE: f64 = 1e-9;
        if let Err(reason) = (self.check)(parameters) {
            return Some(reason.to_owned());
        }
        let steps = || (-40..=40_i32).map(|step| 0.05 * f64::from(step));
        for (beta, e) in BETAS
            .into_iter()
            .flat_map(|beta| [(beta, 0.0), (beta, 0.3)])
        {
            let at = |x_bar: f64| (self.response)(parameters, x_bar, e, beta);
            let mut before: Option<f64> = None;
            for x_bar in steps() {
                let (lambda, stiffness) = at(x_bar);
                let place = format!("at x̄ = {x_bar}, e = {e}, β = {beta}");
                if !(lambda.is_finite() && stiffness.is_finite()) {
                    return Some(format!("λ = {lambda}, K = {stiffness} {place}: not finite"));
                }
                if !(-CLOSE * beta..=(1.0 + CLOSE) * beta).contains(&stiffness) {
                    return Some(format!("K = {stiffness} is not within 0 and β {place}"));
                }
                let size = lambda.abs().max(beta);
                if before.is_some_and(|before| lambda > before + CLOSE * size) {
                    return Some(format!("λ grows with x̄ {place}"));
                }
                before = Some(lambda);
                // The same pair (z, λ) as another β sees it.
                let z = x_bar + lambda / beta;
                for other in BETAS {
                    let (again, _) = (self.response)(parameters, z - lambda / other, e, other);
                    if (again - lambda).abs() > CLOSE * lambda.abs().max(other) {
                        return Some(format!(
                            "obeyed by z = {z}, λ = {lambda} with β = {beta} and e = {e}, but not \
                             with β = {other}"
                        ));
                    }
                }
                // Off kinks, where slopes on both sides agree, K is that slope.
                let step = 1e-6;
                let [left, right] =
                    [-1.0, 1.0].map(|side| (lambda - at(x_bar + side * step).0) / step * side);
                let differ = (left - right).abs() > 1e-4 * beta;
                if !differ && (stiffness - left).abs() > 1e-3 * beta {
                    return Some(format!("K = {stiffness}, but λ falls by {left} {place}"));
                }
            }
        }
        None
    }
}

impl fmt::Debug for CustomLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomLaw")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Two custom laws are equal when they are the same one.
impl PartialEq for CustomLaw {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINE: fn(&CustomParameters) -> Result<(), &'static str> = |_| Ok(());

    fn flaw(response: fn(&CustomParameters, f64, f64, f64) -> (f64, f64)) -> Option<String> {
        let law = CustomLaw {
            kind: "test",
            response,
            check: FINE,
        };
        law.find_flaw(&[2.0, 0.5])
    }

    #[test]
    fn laws_that_come_along_have_no_flaw() {
        assert_eq!(flaw(|_, x, e, beta| (-beta * (x + e), beta)), None);
        assert_eq!(
            flaw(|_, x, e, beta| crate::law::unilateral::hard(x, e, beta)),
            None
        );
        let soft =
            |p: &CustomParameters, x, e, beta| crate::law::soft::soft(x, e, beta, p[0], p[1]);
        assert_eq!(flaw(soft), None);
        let dry =
            |p: &CustomParameters, x, e, beta| crate::law::joint_friction::dry(x + e, beta, p[1]);
        assert_eq!(flaw(dry), None);
    }

    #[test]
    fn flaws_are_found_and_named() {
        let has = |flaw: Option<String>, words: &str| {
            let flaw = flaw.unwrap_or_default();
            assert!(flaw.contains(words), "{flaw}");
        };
        has(
            flaw(|_, x, _, _| (if x > 0.0 { 1.0 } else { 0.0 }, 0.0)),
            "grows",
        );
        has(flaw(|_, x, _, _| (-x, -1.0)), "not within 0 and β");
        // A damper that forgets that its own impulse changes z.
        has(
            flaw(|p, x, e, beta| (-p[0] * (x + e), p[0].min(beta))),
            "but not with β",
        );
        has(
            flaw(|p, x, e, beta| (-p[0] * beta / (p[0] + beta) * (x + e), 0.0)),
            "falls by",
        );
        has(flaw(|_, _, _, _| (f64::NAN, 0.0)), "not finite");
        let refused = CustomLaw {
            check: |_| Err("no"),
            response: |_, _, _, _| (0.0, 0.0),
            kind: "",
        };
        has(refused.find_flaw(&[0.0; 2]), "no");
    }
}
