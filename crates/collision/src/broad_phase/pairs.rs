//! Sorted lists of pairs.

/// Merges two sorted lists.
pub(super) fn merge(a: &[(u32, u32)], b: &[(u32, u32)], out: &mut Vec<(u32, u32)>) {
    out.clear();
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i] <= b[j] {
            out.push(a[i]);
            i += 1;
        } else {
            out.push(b[j]);
            j += 1;
        }
    }
    out.extend_from_slice(&a[i..]);
    out.extend_from_slice(&b[j..]);
}

/// Sorts pairs in linear time: by counting over the first body, the few of each then among themselves.
#[derive(Debug, Clone, Default)]
pub(super) struct PairSorter {
    starts: Vec<u32>,
    seconds: Vec<u32>,
}

impl PairSorter {
    pub(super) fn sort(&mut self, n_bodies: usize, pairs: &mut [(u32, u32)]) {
        self.starts.clear();
        self.starts.resize(n_bodies + 1, 0);
        for &(i, _) in pairs.iter() {
            self.starts[i as usize] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.seconds.clear();
        self.seconds.resize(pairs.len(), 0);
        for &(i, j) in pairs.iter() {
            let start = &mut self.starts[i as usize];
            *start -= 1;
            self.seconds[*start as usize] = j;
        }
        for i in 0..n_bodies {
            let (from, to) = (self.starts[i] as usize, self.starts[i + 1] as usize);
            self.seconds[from..to].sort_unstable();
            for k in from..to {
                pairs[k] = (i as u32, self.seconds[k]);
            }
        }
    }
}
