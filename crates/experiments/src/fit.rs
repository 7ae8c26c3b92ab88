//! Straight lines through measured points.

/// A line y = intercept + slope x.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// y at x = 0.
    pub intercept: f64,
    /// Change of y with x.
    pub slope: f64,
    /// R²: the share of the variance of y that the line explains.
    pub r_squared: f64,
}

impl Line {
    /// The line of least squares through (x, y); `None` for fewer than two different x, or for points that
    /// are not finite.
    pub fn fit(points: &[(f64, f64)]) -> Option<Self> {
        let n = points.len() as f64;
        let mean = |value: fn(&(f64, f64)) -> f64| points.iter().map(value).sum::<f64>() / n;
        let (x_mean, y_mean) = (mean(|p| p.0), mean(|p| p.1));
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for (x, y) in points {
            let (dx, dy) = (x - x_mean, y - y_mean);
            xx += dx * dx;
            xy += dx * dy;
            yy += dy * dy;
        }
        if !(xx > 0.0 && yy.is_finite()) {
            return None;
        }
        let slope = xy / xx;
        // Points on a level line leave nothing to explain.
        let r_squared = if yy > 0.0 { xy * xy / (xx * yy) } else { 1.0 };
        Some(Self {
            intercept: y_mean - slope * x_mean,
            slope,
            r_squared,
        })
    }

    /// y of the line.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_and_a_parabola_is_not_one() {
        let line: Vec<_> = (0..5)
            .map(|x| (f64::from(x), 3.0 - 2.0 * f64::from(x)))
            .collect();
        let found = Line::fit(&line).unwrap();
        assert!((found.slope + 2.0).abs() < 1e-14 && (found.r_squared - 1.0).abs() < 1e-14);
        assert!((found.at(10.0) + 17.0).abs() < 1e-13);
        // y = x² on 0, 1, 2: slope 2, intercept -1/3, residuals 1/3, -2/3, 1/3, R² = 1 - (2/3)/(26/3).
        let found = Line::fit(&[(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)]).unwrap();
        assert!((found.r_squared - 12.0 / 13.0).abs() < 1e-14);
        assert_eq!(Line::fit(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(Line::fit(&[(0.0, 2.0), (1.0, f64::NAN)]), None);
    }
}
