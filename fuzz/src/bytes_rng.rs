//! A fuzzer's bytes as random numbers.

use std::convert::Infallible;

use rand::{Rng, SeedableRng, TryRng};
use rand_chacha::ChaCha8Rng;

/// Hands out the bytes in order, so that a small change of the bytes is a small change of what is
/// generated; then, so that sampling by rejection always ends, the stream of a generator seeded by
/// how many bytes there were.
#[derive(Debug)]
pub struct BytesRng<'a> {
    bytes: &'a [u8],
    rest: ChaCha8Rng,
}

impl<'a> BytesRng<'a> {
    /// Random numbers from bytes.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            rest: ChaCha8Rng::seed_from_u64(bytes.len() as u64),
        }
    }
}

impl TryRng for BytesRng<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut four = [0; 4];
        self.try_fill_bytes(&mut four)?;
        Ok(u32::from_le_bytes(four))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut eight = [0; 8];
        self.try_fill_bytes(&mut eight)?;
        Ok(u64::from_le_bytes(eight))
    }

    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        let known = out.len().min(self.bytes.len());
        let (now, later) = self.bytes.split_at(known);
        out[..known].copy_from_slice(now);
        self.bytes = later;
        self.rest.fill_bytes(&mut out[known..]);
        Ok(())
    }
}
