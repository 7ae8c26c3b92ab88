//! The three rows of a constraint in four lanes: the shape of vector registers.

use pulp::{Arch, Simd, WithSimd};

/// Lanes of a slot.
pub(crate) const LANES: usize = 4;

/// One number for each of up to three rows, zero in the lanes beyond them.
pub(crate) type Lanes = [f64; LANES];

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

/// sum + scale × x.
#[inline(always)]
pub(crate) fn plus_scaled(sum: Lanes, scale: f64, x: &Lanes) -> Lanes {
    std::array::from_fn(|lane| sum[lane] + scale * x[lane])
}

/// sum + x × y, lane by lane.
#[inline(always)]
pub(crate) fn plus_product(sum: Lanes, x: &Lanes, y: &Lanes) -> Lanes {
    std::array::from_fn(|lane| sum[lane] + x[lane] * y[lane])
}

/// Sum over lanes.
#[inline(always)]
pub(crate) fn total(x: &Lanes) -> f64 {
    (x[0] + x[2]) + (x[1] + x[3])
}

/// Σ x y.
#[inline(always)]
pub(crate) fn dot(x: &Lanes, y: &Lanes) -> f64 {
    total(&plus_product([0.0; 4], x, y))
}

/// rows × width values, by rows, as one entry a column.
#[inline]
pub(crate) fn columns_of(values: &[f64], width: usize) -> impl Iterator<Item = Lanes> + '_ {
    (0..width).map(move |column| {
        let row = |row: usize| values.get(row * width + column).copied().unwrap_or(0.0);
        [row(0), row(1), row(2), 0.0]
    })
}

/// The lanes of `rows` rows, from or to where they are stacked; a loop, because copies of unknown
/// length are calls.
#[inline(always)]
pub(crate) fn load(rows: &[f64]) -> Lanes {
    let mut lanes = [0.0; LANES];
    for (lane, &row) in lanes.iter_mut().zip(rows) {
        *lane = row;
    }
    lanes
}

/// The reverse of [`load`].
#[inline(always)]
pub(crate) fn store(lanes: &Lanes, rows: &mut [f64]) {
    if let Ok(rows) = <&mut [f64; 3]>::try_from(&mut *rows) {
        rows.copy_from_slice(&lanes[..3]);
    } else {
        for (row, &lane) in rows.iter_mut().zip(lanes) {
            *row = lane;
        }
    }
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
            let (mut sum, mut products) = ([0.0; LANES], 0.0);
            for pair in self.0.windows(2) {
                sum = plus_scaled(sum, pair[0][1], &pair[1]);
                sum = plus_product(sum, &pair[0], &pair[1]);
                products += dot(&pair[0], &pair[1]) / total(&pair[1]).abs().sqrt();
            }
            sum[3] += products;
            sum.map(f64::to_bits)
        }
    }

    #[test]
    fn wide_registers_do_not_change_a_bit() {
        let numbers: Vec<Lanes> = (0..101)
            .map(|k| [1.1, 2.3, 3.7, 0.9].map(|factor| (factor * f64::from(k)).sin()))
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
        assert_eq!(short[1], [1.0, 7.0, 0.0, 0.0]);
    }
}
