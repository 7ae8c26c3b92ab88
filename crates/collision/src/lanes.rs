//! Loops compiled for the widest vector registers of the machine.

use pulp::{Arch, Simd, WithSimd};

/// Work that is compiled for vector registers of every width.
pub(crate) trait Kernel {
    type Output;

    /// To be inlined always, with all that shall gain.
    fn run(self) -> Self::Output;
}

/// Runs `kernel` as compiled for the widest vector registers of the machine. Nothing is regrouped or
/// fused, so that the bits are those of any machine.
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
