//! Triangles that touch others than their neighbours.

use super::bvh::Bvh;
use super::check::Welded;
use super::error::SurfaceError;
use super::triangle::{Triangle, segment_is_near};
use crate::mesh::Bounds;

/// Triangles touch if they come as near as this share of the surface's extent.
const TOUCH: f64 = 1e-12;

pub(super) fn refuse_touching(
    surface: &Welded,
    shapes: &[Triangle],
    across: &[[u32; 3]],
    bvh: &Bvh,
) -> Result<(), SurfaceError> {
    let near = TOUCH * Bounds::around(&surface.vertices).sides().norm();
    for (first, shape) in shapes.iter().enumerate() {
        let bounds = Bounds::around(shape);
        let mut touched: Option<usize> = None;
        bvh.within(
            |other| bounds.is_near(other, near),
            |second| {
                let second = second as usize;
                let is_new = second > first && touched.is_none_or(|known| second < known);
                if is_new
                    && bounds.is_near(&Bounds::around(&shapes[second]), near)
                    && touch(surface, shapes, across, [first, second], near)
                {
                    touched = Some(second);
                }
            },
        );
        if let Some(second) = touched {
            let triangles = [first, second].map(|triangle| surface.sources[triangle]);
            return Err(SurfaceError::Touching { triangles });
        }
    }
    Ok(())
}

/// Whether two triangles meet elsewhere than at the corners and edges that are theirs in common.
fn touch(
    surface: &Welded,
    shapes: &[Triangle],
    across: &[[u32; 3]],
    [first, second]: [usize; 2],
    near: f64,
) -> bool {
    let [one, other] = [first, second].map(|triangle| surface.triangles[triangle]);
    let own = |corners: [u32; 3], others: [u32; 3]| {
        [0, 1, 2].map(|corner: usize| !others.contains(&corners[corner]))
    };
    let lone = own(one, other);
    match lone.iter().filter(|&&is_lone| is_lone).count() {
        0 => true,
        // Neighbours meet beyond their edge only if one lies folded onto the other.
        1 => across[first].contains(&(second as u32)) && is_folded(shapes, [first, second]),
        // They have one corner in common, or none: each edge that does not end there must keep away.
        _ => {
            let edges_near =
                |corners: [u32; 3], others: [u32; 3], shape: &Triangle, target: &Triangle| {
                    (0..3).any(|side| {
                        let next = (side + 1) % 3;
                        let is_apart =
                            !others.contains(&corners[side]) && !others.contains(&corners[next]);
                        is_apart && segment_is_near([&shape[side], &shape[next]], target, near)
                    })
                };
            edges_near(one, other, &shapes[first], &shapes[second])
                || edges_near(other, one, &shapes[second], &shapes[first])
        }
    }
}

/// Whether neighbours lie on each other: their normals are opposite.
fn is_folded(shapes: &[Triangle], pair: [usize; 2]) -> bool {
    let [n, m] = pair.map(|triangle| {
        let [a, b, c] = shapes[triangle];
        (b - a).cross(&(c - a)).normalize()
    });
    (n + m).norm() < 1e-9
}
