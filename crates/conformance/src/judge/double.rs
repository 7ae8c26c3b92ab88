//! Numbers of twice the precision: unevaluated sums of two 64-bit numbers.
//!
//! The algorithms are those of M. Joldes, J.-M. Muller, V. Popescu, "Tight and rigorous error bounds for
//! basic building blocks of double-word arithmetic", 2017; about 31 digits.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, Neg, Sub, SubAssign};

/// hi + lo with |lo| at most half a unit in the last place of hi.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Double {
    hi: f64,
    lo: f64,
}

/// a + b, exactly.
fn two_sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    let part = hi - a;
    let lo = (a - (hi - part)) + (b - part);
    Double { hi, lo }
}

/// a + b, exactly, for |a| ≥ |b|.
fn fast_two_sum(a: f64, b: f64) -> Double {
    let hi = a + b;
    Double {
        hi,
        lo: b - (hi - a),
    }
}

impl Double {
    pub(super) const ZERO: Self = Self { hi: 0.0, lo: 0.0 };

    /// a b, exactly.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let hi = a * b;
        Self {
            hi,
            lo: a.mul_add(b, -hi),
        }
    }

    /// The nearest 64-bit number.
    pub(super) fn hi(self) -> f64 {
        self.hi
    }

    /// 1/x.
    pub(super) fn recip(self) -> Self {
        Self::from(1.0) / self
    }

    /// √x for x ≥ 0.
    pub(super) fn sqrt(self) -> Self {
        if self.hi <= 0.0 {
            return Self::ZERO;
        }
        let root = self.hi.sqrt();
        let rest = self - Self::product(root, root);
        fast_two_sum(root, rest.hi / (2.0 * root))
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { hi: value, lo: 0.0 }
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self {
            hi: -self.hi,
            lo: -self.lo,
        }
    }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (high, low) = (two_sum(self.hi, other.hi), two_sum(self.lo, other.lo));
        let first = fast_two_sum(high.hi, high.lo + low.hi);
        fast_two_sum(first.hi, low.lo + first.lo)
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.hi, other.hi);
        let low = self.lo * other.lo;
        let cross = self.lo.mul_add(other.hi, self.hi.mul_add(other.lo, low));
        fast_two_sum(high.hi, high.lo + cross)
    }
}

impl Div for Double {
    type Output = Self;

    /// Three steps of long division, each by the leading number.
    fn div(self, other: Self) -> Self {
        let first = self.hi / other.hi;
        let rest = self - other * first;
        let second = rest.hi / other.hi;
        let rest = rest - other * second;
        let third = rest.hi / other.hi;
        let head = fast_two_sum(first, second);
        head + Self::from(third)
    }
}

impl AddAssign for Double {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Double {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl DivAssign for Double {
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}

impl Add<f64> for Double {
    type Output = Self;

    fn add(self, other: f64) -> Self {
        self + Self::from(other)
    }
}

impl Mul<f64> for Double {
    type Output = Self;

    fn mul(self, other: f64) -> Self {
        self * Self::from(other)
    }
}

impl Div<f64> for Double {
    type Output = Self;

    fn div(self, other: f64) -> Self {
        self / Self::from(other)
    }
}

impl PartialOrd for Double {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match self.hi.partial_cmp(&other.hi) {
            Some(Ordering::Equal) => self.lo.partial_cmp(&other.lo),
            decided => decided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Double;

    #[test]
    fn thirty_digits_are_right() {
        let third = Double::from(1.0) / Double::from(3.0);
        assert!((third * 3.0 - Double::from(1.0)).hi().abs() < 1e-31);
        let root = Double::from(2.0).sqrt();
        assert!((root * root - Double::from(2.0)).hi().abs() < 1e-30);
        let seventh = (Double::from(1e18) + 1e-3) / Double::from(7.0);
        assert!((seventh * 7.0 - Double::from(1e18)).hi() - 1e-3 < 1e-12);
        assert!(
            (Double::from(7.25).recip() * 7.25 - Double::from(1.0))
                .hi()
                .abs()
                < 1e-31
        );
    }

    #[test]
    fn what_cancels_leaves_the_rest() {
        let sum = Double::from(1e16) + 1.0 + 1e-3;
        assert!(((sum - Double::from(1e16)).hi() - 1.001).abs() < 1e-15);
        let product = Double::product(1.0 + f64::EPSILON, 1.0 - f64::EPSILON);
        assert_eq!(
            (product - Double::from(1.0)).hi(),
            -f64::EPSILON * f64::EPSILON
        );
        assert!(Double::from(1.0) + 1e-20 > Double::from(1.0));
    }
}
