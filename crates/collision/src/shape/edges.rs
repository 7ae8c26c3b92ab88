//! Edges of triangles with their directions, found in a time that grows with their number.

/// The directed edges of faces, by their start.
#[derive(Debug)]
pub(super) struct DirectedEdges {
    /// Where the edges that start at a vertex begin.
    starts: Vec<u32>,
    /// End and face of every edge; those of one start are sorted.
    ends: Vec<(u32, u32)>,
}

impl DirectedEdges {
    /// Edges of faces whose indices are in range.
    pub(super) fn new(faces: &[[u32; 3]]) -> Self {
        let largest = faces.iter().flatten().max();
        let count = largest.map_or(0, |&vertex| vertex as usize + 1);
        // Edges are counted by their start, then dealt out: nothing is hashed, and neighbours lie together.
        let mut starts = vec![0_u32; count + 1];
        for &vertex in faces.iter().flatten() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 0..count {
            starts[vertex + 1] += starts[vertex];
        }
        let mut free = starts.clone();
        let mut ends = vec![(0, 0); 3 * faces.len()];
        for (face, corners) in (0..).zip(faces) {
            for k in 0..3 {
                let at = &mut free[corners[k] as usize];
                ends[*at as usize] = (corners[(k + 1) % 3], face);
                *at += 1;
            }
        }
        for vertex in 0..count {
            ends[starts[vertex] as usize..starts[vertex + 1] as usize].sort_unstable();
        }
        Self { starts, ends }
    }

    /// End and face of the edges that start at a vertex, sorted.
    fn from(&self, start: u32) -> &[(u32, u32)] {
        let start = start as usize;
        &self.ends[self.starts[start] as usize..self.starts[start + 1] as usize]
    }

    /// The face along this edge, in this direction; of several the last.
    pub(super) fn face(&self, start: u32, end: u32) -> Option<u32> {
        let edges = self.from(start);
        let after = edges.partition_point(|&(to, _)| to <= end);
        let &(to, face) = edges.get(after.checked_sub(1)?)?;
        (to == end).then_some(face)
    }

    /// Two faces that run along one edge in the same direction, and the edge: those of which the second comes first.
    pub(super) fn shared(&self) -> Option<([u32; 2], (u32, u32))> {
        let vertices = 0..self.starts.len().saturating_sub(1) as u32;
        let pairs = vertices.flat_map(|start| {
            let pairs = self.from(start).windows(2);
            let same = pairs.filter(|pair| pair[0].0 == pair[1].0);
            same.map(move |pair| ([pair[0].1, pair[1].1], (start, pair[0].0)))
        });
        pairs.min_by_key(|&([_, second], _)| second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_know_their_faces() {
        let faces = [[0, 1, 2], [2, 1, 3]];
        let edges = DirectedEdges::new(&faces);
        assert_eq!(edges.face(1, 2), Some(0));
        assert_eq!(edges.face(2, 1), Some(1));
        assert_eq!(edges.face(1, 0), None);
        assert_eq!(edges.shared(), None);
        assert_eq!(DirectedEdges::new(&[]).shared(), None);
    }

    #[test]
    fn of_faces_along_one_edge_the_first_to_repeat_it_is_named() {
        let faces = [[4, 5, 6], [0, 1, 2], [0, 1, 3], [4, 5, 7]];
        let edges = DirectedEdges::new(&faces);
        assert_eq!(edges.shared(), Some(([1, 2], (0, 1))));
        assert_eq!(edges.face(0, 1), Some(2));
    }
}
