//! Faces of tetrahedra, and the surface that they leave.

/// Corners of the faces of (a, b, c, d), counter-clockwise seen from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// One side of a triangle between nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Face {
    /// Its nodes, rising.
    pub(super) key: [u32; 3],
    /// The tetrahedron it is a face of.
    pub(super) tet: u32,
    /// Its nodes, counter-clockwise seen from outside of the tetrahedron.
    pub(super) corners: [u32; 3],
    /// Whether these are an even permutation of the rising ones.
    pub(super) is_even: bool,
}

/// The faces of all tetrahedra; those between the same nodes beside each other.
pub(super) fn sorted_faces(tets: &[[u32; 4]]) -> Vec<Face> {
    let mut faces = Vec::with_capacity(4 * tets.len());
    for (tet, nodes) in tets.iter().enumerate() {
        for face in FACES {
            let corners = face.map(|corner| nodes[corner]);
            let mut key = corners;
            key.sort_unstable();
            let [a, b, c] = key;
            faces.push(Face {
                key,
                tet: tet as u32,
                corners,
                is_even: [[a, b, c], [b, c, a], [c, a, b]].contains(&corners),
            });
        }
    }
    faces.sort_unstable();
    faces
}

/// The surface of a mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary {
    /// Nodes of its triangles, counter-clockwise seen from outside, each from its smallest node on, in
    /// the order of the tetrahedra.
    pub triangles: Vec<[u32; 3]>,
    /// The tetrahedron behind each triangle.
    pub tets: Vec<u32>,
    /// Numbers of the nodes on it, rising.
    pub nodes: Vec<u32>,
}

impl Boundary {
    pub(super) fn of(tets: &[[u32; 4]]) -> Self {
        let faces = sorted_faces(tets);
        let mut outer: Vec<Face> = faces
            .chunk_by(|a, b| a.key == b.key)
            .filter(|same| same.len() == 1)
            .map(|same| same[0])
            .collect();
        outer.sort_unstable_by_key(|face| (face.tet, face.key));
        let from_smallest = |[a, b, c]: [u32; 3]| match a.min(b).min(c) {
            least if least == a => [a, b, c],
            least if least == b => [b, c, a],
            _ => [c, a, b],
        };
        let mut nodes: Vec<u32> = outer.iter().flat_map(|face| face.key).collect();
        nodes.sort_unstable();
        nodes.dedup();
        Self {
            triangles: (outer.iter())
                .map(|face| from_smallest(face.corners))
                .collect(),
            tets: outer.iter().map(|face| face.tet).collect(),
            nodes,
        }
    }

    /// An edge at which more than two triangles meet, or a node at which two sheets touch: there the
    /// surface is not a surface. `None` for one that is closed and touches itself nowhere.
    pub fn pinch(&self) -> Option<Pinch> {
        let mut edges: Vec<[u32; 2]> = (self.triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
            .map(|[a, b]| [a.min(b), a.max(b)])
            .collect();
        edges.sort_unstable();
        for same in edges.chunk_by(|a, b| a == b) {
            if same.len() != 2 {
                return Some(Pinch::Edge(same[0]));
            }
        }
        let fans = Fans::of(&self.triangles);
        fans.first_split().map(Pinch::Node)
    }
}

/// Where a surface touches itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinch {
    /// At this edge between nodes.
    Edge([u32; 2]),
    /// At this node.
    Node(u32),
}

/// The directed edges opposite to each corner, by corner.
struct Fans {
    /// (corner, from, to), sorted.
    spokes: Vec<[u32; 3]>,
}

impl Fans {
    fn of(triangles: &[[u32; 3]]) -> Self {
        let mut spokes: Vec<[u32; 3]> = (triangles.iter())
            .flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]])
            .collect();
        spokes.sort_unstable();
        Self { spokes }
    }

    /// The first node whose triangles are not one closed fan, given that every edge has two triangles.
    fn first_split(&self) -> Option<u32> {
        for fan in self.spokes.chunk_by(|a, b| a[0] == b[0]) {
            let mut at = fan[0][1];
            let mut steps = 0;
            loop {
                let next = fan.binary_search_by_key(&at, |spoke| spoke[1]);
                let Ok(next) = next else {
                    return Some(fan[0][0]);
                };
                at = fan[next][2];
                steps += 1;
                if at == fan[0][1] || steps > fan.len() {
                    break;
                }
            }
            if steps != fan.len() {
                return Some(fan[0][0]);
            }
        }
        None
    }
}

/// The first node at which the triangles of a surface, two at each edge, are not one closed fan.
pub(super) fn split_node(triangles: &[[u32; 3]]) -> Option<u32> {
    Fans::of(triangles).first_split()
}
