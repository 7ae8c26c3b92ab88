//! Bodies and surfaces to fill.

use std::f64::consts::TAU;

use stiction_deformable::mesh::{Bounds, TriangleSurface};
use stiction_deformable::nalgebra::{Rotation3, Vector3};

/// A ring around z: signed distance.
pub(crate) fn torus(place: &Vector3<f64>, large: f64, small: f64) -> f64 {
    (place.xy().norm() - large).hypot(place.z) - small
}

pub(crate) fn torus_bounds(large: f64, small: f64) -> Bounds {
    let across = large + small;
    Bounds::centred(2.0 * Vector3::new(across, across, small))
}

/// Negative inside, no distance: only its zero counts.
pub(crate) fn ellipsoid(place: &Vector3<f64>, half: &Vector3<f64>) -> f64 {
    place.component_div(half).norm() - 1.0
}

pub(crate) type Soup = (Vec<Vector3<f64>>, Vec<[u32; 3]>);

/// An icosahedron whose faces are quartered so many times, on a sphere of radius 1.
pub(crate) fn icosphere(times: usize) -> Soup {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut places = Vec::new();
    for [a, b] in [
        [-1.0, -golden],
        [-1.0, golden],
        [1.0, -golden],
        [1.0, golden],
    ] {
        places.push(Vector3::new(0.0, a, b).normalize());
        places.push(Vector3::new(a, b, 0.0).normalize());
        places.push(Vector3::new(b, 0.0, a).normalize());
    }
    // Faces of the hull: triples at the edge length from each other.
    let edge = (places[0] - places[1])
        .norm()
        .min((places[0] - places[2]).norm());
    let edge = places[1..]
        .iter()
        .map(|p| (p - places[0]).norm())
        .fold(edge, f64::min);
    let joined = |a: usize, b: usize| (places[a] - places[b]).norm() < 1.01 * edge;
    let mut faces = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if joined(a, b) && joined(b, c) && joined(c, a) {
                    let out = places[a].cross(&places[b]).dot(&places[c]) > 0.0;
                    let [b, c] = if out { [b, c] } else { [c, b] };
                    faces.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    assert_eq!(faces.len(), 20);
    for _ in 0..times {
        let mut finer = Vec::new();
        for [a, b, c] in faces {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]: [u32; 2]| {
                // The same bits from both sides; the surface joins them.
                let [from, to] = [from.min(to), from.max(to)].map(|corner| places[corner as usize]);
                places.push((from + to).normalize());
                places.len() as u32 - 1
            });
            finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        faces = finer;
    }
    (places, faces)
}

/// A polygon in the xy plane, counter-clockwise, with given triangles, drawn out along z.
pub(crate) fn extruded(outline: &[[f64; 2]], triangles: &[[u32; 3]], height: f64) -> Soup {
    let count = outline.len() as u32;
    let at = |z: f64| outline.iter().map(move |&[x, y]| Vector3::new(x, y, z));
    let places = at(0.0).chain(at(height)).collect();
    let mut faces = Vec::new();
    for &[a, b, c] in triangles {
        faces.extend([[a, c, b], [a + count, b + count, c + count]]);
    }
    for a in 0..count {
        let b = (a + 1) % count;
        faces.extend([[a, b, b + count], [a, b + count, a + count]]);
    }
    (places, faces)
}

pub(crate) fn cube(side: f64) -> Soup {
    let outline = [[0.0, 0.0], [side, 0.0], [side, side], [0.0, side]];
    extruded(&outline, &[[0, 1, 2], [0, 2, 3]], side)
}

/// An L of limbs of width 1 and length 3, of height 1.
pub(crate) fn angle_iron() -> Soup {
    let outline = [
        [0.0, 0.0],
        [3.0, 0.0],
        [3.0, 1.0],
        [1.0, 1.0],
        [1.0, 3.0],
        [0.0, 3.0],
    ];
    extruded(&outline, &[[0, 1, 2], [0, 2, 3], [0, 3, 5], [3, 4, 5]], 1.0)
}

/// A ring around z of `n` by `m` quadrilaterals.
pub(crate) fn ring(large: f64, small: f64, n: u32, m: u32) -> Soup {
    let mut places = Vec::new();
    let mut faces = Vec::new();
    for i in 0..n {
        for j in 0..m {
            let [(sin_u, cos_u), (sin_v, cos_v)] =
                [f64::from(i) / f64::from(n), f64::from(j) / f64::from(m)]
                    .map(|t| (TAU * t).sin_cos());
            let out = large + small * cos_v;
            places.push(Vector3::new(out * cos_u, out * sin_u, small * sin_v));
            let corner = |i: u32, j: u32| (i % n) * m + j % m;
            let [a, b, c, d] = [
                corner(i, j),
                corner(i + 1, j),
                corner(i + 1, j + 1),
                corner(i, j + 1),
            ];
            faces.extend([[a, b, c], [a, c, d]]);
        }
    }
    (places, faces)
}

pub(crate) fn surface((places, faces): &Soup) -> TriangleSurface {
    TriangleSurface::new(places, faces).unwrap_or_else(|error| panic!("{error}"))
}

/// Moved and turned.
pub(crate) fn placed((places, faces): Soup, shift: Vector3<f64>, turn: Vector3<f64>) -> Soup {
    let turn = Rotation3::new(turn);
    (
        places.iter().map(|place| turn * place + shift).collect(),
        faces,
    )
}
