//! Shells of a surface: outer ones run counter-clockwise, those of cavities clockwise, and none lies where
//! the inside is inside already.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::check::Welded;
use super::error::SurfaceError;
use super::triangle::Triangle;

/// Most shells: each is compared with all triangles.
const MOST_SHELLS: usize = 1000;

pub(super) fn check(
    surface: &Welded,
    shapes: &[Triangle],
    across: &[[u32; 3]],
) -> Result<(), SurfaceError> {
    let (shells, firsts) = shells(across);
    if firsts.len() > MOST_SHELLS {
        let shells = firsts.len();
        return Err(SurfaceError::TooManyShells { shells });
    }
    let mut volumes = vec![0.0; firsts.len()];
    for (triangle, [a, b, c]) in shapes.iter().enumerate() {
        volumes[shells[triangle] as usize] += a.cross(b).dot(c) / 6.0;
    }
    for (shell, &first) in firsts.iter().enumerate() {
        let around = match firsts.len() {
            1 => 0.0,
            _ => {
                let others = (0..shapes.len()).filter(|&t| shells[t] as usize != shell);
                windings(&shapes[first][0], others.map(|triangle| &shapes[triangle]))
            }
        };
        let (triangle, volume) = (surface.sources[first], volumes[shell]);
        match (volume > 0.0, around) {
            (true, 0.0) | (false, 1.0) => {}
            (false, 0.0) => return Err(SurfaceError::InsideOut { triangle, volume }),
            _ => return Err(SurfaceError::Nested { triangle }),
        }
    }
    Ok(())
}

/// The shell of each triangle, and the first triangle of each shell.
fn shells(across: &[[u32; 3]]) -> (Vec<u32>, Vec<usize>) {
    let mut shells = vec![u32::MAX; across.len()];
    let mut firsts = Vec::new();
    for first in 0..across.len() {
        if shells[first] != u32::MAX {
            continue;
        }
        let shell = firsts.len() as u32;
        firsts.push(first);
        let mut stack = vec![first];
        while let Some(triangle) = stack.pop() {
            if shells[triangle] == u32::MAX {
                shells[triangle] = shell;
                stack.extend(across[triangle].map(|other| other as usize));
            }
        }
    }
    (shells, firsts)
}

/// How often closed shells wind around a point that lies on none of them: a whole number.
///
/// Each triangle's solid angle by A. van Oosterom, J. Strackee, "The solid angle of a plane triangle",
/// 1983.
fn windings<'a>(point: &Vector3<f64>, triangles: impl Iterator<Item = &'a Triangle>) -> f64 {
    let half_angle = |triangle: &Triangle| {
        let [a, b, c] = triangle.map(|corner| corner - point);
        let [na, nb, nc] = [a.norm(), b.norm(), c.norm()];
        let det = a.cross(&b).dot(&c);
        let rest = na * nb * nc + a.dot(&b) * nc + b.dot(&c) * na + c.dot(&a) * nb;
        det.atan2(rest)
    };
    let sum: f64 = triangles.map(half_angle).sum();
    // Positive zero, which a pattern of zero matches.
    (sum / TAU).round().abs()
}
