//! Meshes as a few convex parts.
//!
//! The cuts are those of parry's V-HACD (Mamou and Ghorbel 2009): voxels of the mesh, halved by the
//! planes that leave the least concavity. It bounds the depth of the cuts, not the number of parts,
//! so that parts are merged afterwards, cheapest pair first.

use nalgebra::{Isometry3, Point3};
use parry3d_f64::transformation::vhacd::{VHACD, VHACDParameters};
use parry3d_f64::transformation::voxelization::{VoxelSet, VoxelValue, VoxelizedVolume};

use super::hull::Hull;
use super::mesh::check_indices;
use super::{Convex, Core, Form, Shape};
use crate::aabb::Aabb;
use crate::error::{CollisionError, Result};

/// Most parts.
const MOST: usize = 256;
/// Voxels along the longest side.
const RESOLUTION: u32 = 64;

impl Shape {
    /// Compound of at most `max_parts` convex hulls that together cover the mesh (m) closely. The
    /// mesh need not close; the same mesh always gives the same parts.
    pub fn convex_decomposition(
        name: &str,
        vertices: &[Point3<f64>],
        faces: &[[u32; 3]],
        max_parts: usize,
    ) -> Result<Self> {
        if !(1..=MOST).contains(&max_parts) {
            return Err(CollisionError::InvalidParameter {
                element: name.to_owned(),
                field: "number of parts",
                value: max_parts as f64,
                reason: "must be from 1 to 256",
            });
        }
        check_indices(name, vertices, faces)?;
        // A mesh that spans no volume is refused before it is cut.
        let whole = Hull::new(name, vertices)?;
        let parts = match max_parts {
            1 => vec![whole],
            _ => merge(name, cut(name, vertices, faces, max_parts)?, max_parts)?,
        };
        let compound = parts
            .into_iter()
            .enumerate()
            .map(|(index, hull)| {
                let convex = Convex::new(Core::Hull(std::sync::Arc::new(hull)), 0.0);
                let part = Self::new(
                    &format!("{name} part {index}"),
                    "hull",
                    Form::Convex(convex),
                );
                (Isometry3::identity(), part)
            })
            .collect();
        Self::compound(name, compound)
    }
}

/// Cuts a mesh into convex parts; there may be up to twice as many as asked for.
fn cut(
    name: &str,
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
    max_parts: usize,
) -> Result<Vec<Hull>> {
    let points: Vec<_> = vertices
        .iter()
        .map(|p| glamx::DVec3::new(p.x, p.y, p.z))
        .collect();
    // Its depth of cuts makes 2 × `max_convex_hulls` parts at most.
    let parameters = VHACDParameters {
        resolution: RESOLUTION,
        max_convex_hulls: (max_parts.next_power_of_two() / 2).max(2) as u32,
        ..VHACDParameters::default()
    };
    let volume = VoxelizedVolume::voxelize(
        &points,
        faces,
        parameters.resolution,
        parameters.fill_mode,
        false,
    );
    let [nx, ny, nz] = volume.resolution();
    let mut on_mesh = vec![false; nx as usize * ny as usize * nz as usize];
    let index = |x: u32, y: u32, z: u32| ((z * ny + y) * nx + x) as usize;
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                on_mesh[index(x, y, z)] = volume.voxel(x, y, z) == VoxelValue::PrimitiveOnSurface;
            }
        }
    }
    let of_mesh = |at: [i64; 3]| {
        let [x, y, z] = at.map(|value| u32::try_from(value).unwrap_or(u32::MAX));
        x < nx && y < ny && z < nz && on_mesh[index(x, y, z)]
    };
    let decomposition = VHACD::from_voxels(&parameters, volume.into());
    let parts = decomposition.voxel_parts().iter();
    let parts = parts.filter(|part| !part.is_empty());
    parts
        .map(|part| part_hull(name, part, vertices, faces, of_mesh))
        .collect()
}

/// The hull of a part: of its share of the triangles, and of its voxels where the mesh was cut.
fn part_hull(
    name: &str,
    part: &VoxelSet,
    vertices: &[Point3<f64>],
    faces: &[[u32; 3]],
    of_mesh: impl Fn([i64; 3]) -> bool,
) -> Result<Hull> {
    // All cuts are along the axes, so that nothing of another part is in the box of this one.
    let mut all = Vec::new();
    voxel_corners(part, &mut all, |_| true);
    let bounds = all.iter().fold(Aabb::empty(), |mut bounds, corner| {
        bounds.include(corner);
        bounds
    });
    let mut corners = Vec::new();
    let mut polygon = Vec::new();
    for face in faces {
        polygon.clear();
        polygon.extend(face.map(|corner| vertices[corner as usize]));
        clip(&mut polygon, &bounds);
        corners.extend_from_slice(&polygon);
    }
    voxel_corners(part, &mut corners, |at| !of_mesh(at));
    let rounded = |grid: f64| {
        let round = |p: &Point3<f64>| p.map(|value| (value / grid).round() * grid);
        corners.iter().map(round).collect::<Vec<_>>()
    };
    // Points that are on a line but for rounding can make faces too thin for a hull: then they are
    // rounded further. Voxels never are too thin.
    Hull::new(name, &corners)
        .or_else(|_| Hull::new(name, &rounded(1e-4 * part.scale)))
        .or_else(|_| Hull::new(name, &all))
}

/// Cuts off what is outside a box (Sutherland and Hodgman 1974).
fn clip(polygon: &mut Vec<Point3<f64>>, bounds: &Aabb) {
    for axis in 0..3 {
        for (side, plane) in [(1.0, bounds.min[axis]), (-1.0, bounds.max[axis])] {
            let inside = |p: &Point3<f64>| side * (p[axis] - plane);
            let mut kept = Vec::with_capacity(polygon.len() + 1);
            for (i, b) in polygon.iter().enumerate() {
                let a = &polygon[(i + polygon.len() - 1) % polygon.len()];
                let (ha, hb) = (inside(a), inside(b));
                if (ha < 0.0) != (hb < 0.0) {
                    let mut at = a + (b - a) * (ha / (ha - hb));
                    at[axis] = plane;
                    kept.push(at);
                }
                if hb >= 0.0 {
                    kept.push(*b);
                }
            }
            *polygon = kept;
        }
    }
}

/// Adds the corners of the outer voxels of a part that are `wanted`.
fn voxel_corners(
    part: &VoxelSet,
    corners: &mut Vec<Point3<f64>>,
    wanted: impl Fn([i64; 3]) -> bool,
) {
    for voxel in part.voxels().iter().filter(|voxel| voxel.is_on_surface) {
        let at = voxel.coords;
        if !wanted([at.x, at.y, at.z].map(i64::from)) {
            continue;
        }
        let center = part.get_voxel_point(voxel);
        let half = 0.5 * part.scale;
        for corner in 0..8 {
            let side = |bit: u32| if corner >> bit & 1 == 1 { half } else { -half };
            corners.push(Point3::new(
                center.x + side(0),
                center.y + side(1),
                center.z + side(2),
            ));
        }
    }
}

/// Joins the two parts whose common hull adds the least volume, until there are few enough.
fn merge(name: &str, mut hulls: Vec<Hull>, max_parts: usize) -> Result<Vec<Hull>> {
    let joined = |a: &Hull, b: &Hull| {
        let corners: Vec<Point3<f64>> = a.vertices().iter().chain(b.vertices()).copied().collect();
        Hull::new(name, &corners)
    };
    // Added volume of each pair (row < column); a pair without a hull is never joined.
    let cost = |a: &Hull, b: &Hull| {
        joined(a, b).map_or(f64::INFINITY, |hull| {
            hull.mesh().volume() - a.mesh().volume() - b.mesh().volume()
        })
    };
    if hulls.len() <= max_parts {
        return Ok(hulls);
    }
    let mut costs: Vec<Vec<f64>> = (0..hulls.len())
        .map(|column| {
            (0..column)
                .map(|row| cost(&hulls[row], &hulls[column]))
                .collect()
        })
        .collect();
    while hulls.len() > max_parts {
        let pairs = (1..hulls.len()).flat_map(|column| (0..column).map(move |row| (row, column)));
        let Some((row, column)) =
            pairs.min_by(|&(a, b), &(c, d)| costs[b][a].total_cmp(&costs[d][c]))
        else {
            break;
        };
        hulls[row] = joined(&hulls[row], &hulls[column])?;
        hulls.remove(column);
        costs.remove(column);
        costs.iter_mut().skip(column).for_each(|costs| {
            costs.remove(column);
        });
        for other in 0..hulls.len() {
            let (low, high) = (other.min(row), other.max(row));
            if low != high {
                costs[high][low] = cost(&hulls[low], &hulls[high]);
            }
        }
    }
    Ok(hulls)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An L of two bars, 3 × 1 × 1 and 1 × 1 × 2 upon its end.
    fn corner() -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
        let outline = [
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 1.0],
            [1.0, 1.0],
            [1.0, 3.0],
            [0.0, 3.0],
        ];
        let mut vertices = Vec::new();
        for y in [0.0, 1.0] {
            vertices.extend(outline.map(|[x, z]| Point3::new(x, y, z)));
        }
        // Both ends as fans about the inner corner, and the sides.
        let mut faces = Vec::new();
        for [a, b] in [[4, 5], [5, 0], [0, 1], [1, 2]] {
            faces.push([3, a, b]);
            faces.push([9, b + 6, a + 6]);
        }
        for a in 0..6 {
            let b = (a + 1) % 6;
            faces.push([a, a + 6, b]);
            faces.push([b, a + 6, b + 6]);
        }
        (vertices, faces)
    }

    fn parts(shape: &Shape) -> Vec<(Vec<Point3<f64>>, f64)> {
        let Form::Compound(parts) = shape.form() else {
            panic!("not a compound");
        };
        let meshes = parts.iter().map(|(_, part)| part.surface().unwrap());
        meshes
            .map(|mesh| (mesh.vertices().to_vec(), mesh.volume()))
            .collect()
    }

    #[test]
    fn an_l_becomes_two_bars_that_fill_it() {
        let (vertices, faces) = corner();
        let mesh = super::super::TriangleMesh::watertight("L", vertices.clone(), faces.clone());
        assert!((mesh.unwrap().volume() - 5.0).abs() < 1e-12);
        let shape = Shape::convex_decomposition("L", &vertices, &faces, 8).unwrap();
        let found = parts(&shape);
        assert!((2..=8).contains(&found.len()), "{} parts", found.len());
        let volume: f64 = found.iter().map(|part| part.1).sum();
        // Cuts meet the notch to a voxel, which is 3 m / 63.
        assert!((volume - 5.0).abs() < 0.1, "{volume} m³");
        // The notch stays empty and every corner is covered.
        let bounds = shape.bounds();
        assert!((bounds.max - Point3::new(3.0, 1.0, 3.0)).norm() < 1e-9);
        assert!(bounds.min.coords.norm() < 1e-9);
        for (corners, _) in &found {
            let notch = corners
                .iter()
                .map(|p| (p.x - 1.0).min(p.z - 1.0))
                .fold(0.0, f64::max);
            assert!(notch < 3.0 / 63.0, "reaches {notch} m into the notch");
        }
    }

    #[test]
    fn parts_are_never_too_many_and_always_the_same() {
        let (vertices, faces) = corner();
        for most in [1, 2, 3, 5, 16] {
            let make = || Shape::convex_decomposition("L", &vertices, &faces, most).unwrap();
            let found = parts(&make());
            assert!(found.len() <= most, "{} of {most}", found.len());
            assert_eq!(found, parts(&make()));
        }
        assert!(Shape::convex_decomposition("L", &vertices, &faces, 0).is_err());
        assert!(Shape::convex_decomposition("L", &vertices, &faces, 257).is_err());
        assert!(Shape::convex_decomposition("L", &vertices, &[], 4).is_err());
        assert!(Shape::convex_decomposition("L", &vertices[..3], &[[0, 1, 2]], 4).is_err());
        assert!(Shape::convex_decomposition("L", &vertices, &[[0, 1, 99]], 4).is_err());
    }
}
