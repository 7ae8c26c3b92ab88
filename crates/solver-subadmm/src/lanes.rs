//! The three rows of a constraint in four lanes: the shape of vector registers.

use std::ops::{Index, IndexMut};

use pulp::{Arch, Simd, WithSimd};

/// One number for each of up to three rows, zero in the lanes beyond them.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
#[repr(align(32))]
pub(crate) struct Lanes(pub(crate) [f64; 4]);

impl Lanes {
    pub(crate) const ZERO: Self = Self([0.0; 4]);

    /// The numbers of stacked rows; a loop, because copies of unknown length are calls.
    #[inline(always)]
    pub(crate) fn load(rows: &[f64]) -> Self {
        let mut out = Self::ZERO;
        for (lane, &row) in out.0.iter_mut().zip(rows) {
            *lane = row;
        }
        out
    }

    /// The reverse of [`load`](Self::load).
    #[inline(always)]
    pub(crate) fn store(&self, rows: &mut [f64]) {
        if let Ok(rows) = <&mut [f64; 3]>::try_from(&mut *rows) {
            rows.copy_from_slice(&self.0[..3]);
        } else {
            for (row, &lane) in rows.iter_mut().zip(&self.0) {
                *row = lane;
            }
        }
    }

    #[inline(always)]
    pub(crate) fn scaled(&self, scale: f64) -> Self {
        Self(std::array::from_fn(|lane| scale * self[lane]))
    }

    #[inline(always)]
    pub(crate) fn plus(&self, x: &Self) -> Self {
        Self(std::array::from_fn(|lane| self[lane] + x[lane]))
    }

    #[inline(always)]
    pub(crate) fn minus(&self, x: &Self) -> Self {
        Self(std::array::from_fn(|lane| self[lane] - x[lane]))
    }

    /// self + scale × x.
    #[inline(always)]
    pub(crate) fn plus_scaled(&self, scale: f64, x: &Self) -> Self {
        Self(std::array::from_fn(|lane| self[lane] + scale * x[lane]))
    }

    /// self + x × y, lane by lane.
    #[inline(always)]
    pub(crate) fn plus_product(&self, x: &Self, y: &Self) -> Self {
        Self(std::array::from_fn(|lane| self[lane] + x[lane] * y[lane]))
    }

    /// Sum over lanes.
    #[inline(always)]
    pub(crate) fn total(&self) -> f64 {
        (self[0] + self[2]) + (self[1] + self[3])
    }

    /// Σ x y.
    #[inline(always)]
    pub(crate) fn dot(&self, y: &Self) -> f64 {
        Self::ZERO.plus_product(self, y).total()
    }
}

impl Index<usize> for Lanes {
    type Output = f64;

    #[inline(always)]
    fn index(&self, lane: usize) -> &f64 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for Lanes {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut f64 {
        &mut self.0[lane]
    }
}

/// Σ x y over slots, in four interleaved sums.
#[inline(always)]
pub(crate) fn sum_of_products(x: &[Lanes], y: &[Lanes]) -> f64 {
    let (x_fours, x_rest) = x.as_chunks::<4>();
    let (y_fours, y_rest) = y.as_chunks::<4>();
    let mut sums = [Lanes::ZERO; 4];
    for (x, y) in x_fours.iter().zip(y_fours) {
        for k in 0..4 {
            sums[k] = sums[k].plus_product(&x[k], &y[k]);
        }
    }
    for (x, y) in x_rest.iter().zip(y_rest) {
        sums[0] = sums[0].plus_product(x, y);
    }
    sums[0].plus(&sums[1]).plus(&sums[2].plus(&sums[3])).total()
}

/// Work that is compiled for vector registers of every width.
pub(crate) trait Kernel {
    type Output;

    /// To be inlined always, with all that shall gain.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` as compiled for the widest vector registers of the machine. Sums are never
/// regrouped, so that the bits are those of any machine.
pub(crate) fn vectorized<K: Kernel>(kernel: K) -> K::Output {
    Arch::new().dispatch(Dispatched(kernel))
}

struct Dispatched<K>(K);

impl<K: Kernel> WithSimd for Dispatched<K> {
    type Output = K::Output;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> K::Output {
        self.0.run()
    }
}

/// rows × width values, by rows, as one entry a column.
#[inline]
pub(crate) fn columns_of(values: &[f64], width: usize) -> impl Iterator<Item = Lanes> + '_ {
    (0..width).map(move |column| {
        let row = |row: usize| values.get(row * width + column).copied().unwrap_or(0.0);
        Lanes([row(0), row(1), row(2), 0.0])
    })
}

/// The three rows of six columns.
#[inline(always)]
pub(crate) fn rows_of(columns: &[Lanes; 6]) -> [[f64; 6]; 3] {
    std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums, products and roots of all kinds that kernels have.
    struct Mixed<'a>(&'a [Lanes]);

    impl Kernel for Mixed<'_> {
        type Output = [u64; 4];

        #[inline(always)]
        fn run(self) -> [u64; 4] {
            let (mut sum, mut products) = (Lanes::ZERO, 0.0);
            for pair in self.0.windows(2) {
                sum = sum.plus_scaled(pair[0][1], &pair[1]);
                sum = sum.plus_product(&pair[0], &pair[1]);
                products += pair[0].dot(&pair[1]) / pair[1].total().abs().sqrt();
            }
            sum[3] += products + sum_of_products(self.0, self.0);
            sum.0.map(f64::to_bits)
        }
    }

    #[test]
    fn wide_registers_do_not_change_a_bit() {
        let numbers: Vec<Lanes> = (0..101)
            .map(|k| Lanes([1.1, 2.3, 3.7, 0.9].map(|factor| (factor * f64::from(k)).sin())))
            .collect();
        assert_eq!(vectorized(Mixed(&numbers)), Mixed(&numbers).run());
    }

    #[test]
    fn columns_and_rows_are_each_others_reverse() {
        let rows: [f64; 18] = std::array::from_fn(|k| k as f64);
        let columns: Vec<Lanes> = columns_of(&rows, 6).collect();
        let columns: [Lanes; 6] = columns.try_into().expect("six columns");
        assert_eq!(rows_of(&columns).as_flattened(), rows);
        // Two rows leave the third lane empty.
        let short: Vec<Lanes> = columns_of(&rows[..12], 6).collect();
        assert_eq!(short[1], Lanes([1.0, 7.0, 0.0, 0.0]));
    }
}
