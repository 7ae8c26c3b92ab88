//! What cells of a size do to a surface: creases that they chamfer, walls that they may tear.

use nalgebra::Vector3;

use super::TriangleSurface;
use super::triangle::ray;

/// Neighbouring faces whose normals differ by more than this are at a crease, degrees.
const CREASE: f64 = 30.0;
/// Walls of fewer cells may be torn.
const CELLS_OF_A_WALL: f64 = 1.5;
/// Most places along the edge of a triangle at which the wall behind it is measured.
const MOST_PLACES: usize = 12;

/// What a surface has that cells of a size do not follow.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// Edges whose faces' normals differ by more than 30°.
    pub creases: usize,
    /// Their length together, m: cells chamfer them by up to their size.
    pub crease_length: f64,
    /// The largest angle between the normals at an edge, degrees.
    pub sharpest: f64,
    /// The shortest way found straight through the body behind a triangle, m. Measured at places about a
    /// cell apart, up to twelve along an edge.
    pub thinnest_wall: f64,
    /// The triangle before it.
    pub thinnest_triangle: usize,
    /// The share of the surface, by area, before walls thinner than 1.5 cells, which may be torn.
    pub thin_share: f64,
}

impl TriangleSurface {
    /// Creases and thin walls for cells of this size, m.
    pub fn features(&self, size: f64) -> Features {
        let mut features = Features {
            creases: 0,
            crease_length: 0.0,
            sharpest: 0.0,
            thinnest_wall: f64::INFINITY,
            thinnest_triangle: 0,
            thin_share: 0.0,
        };
        self.measure_creases(&mut features);
        self.measure_walls(size, &mut features);
        features
    }

    fn measure_creases(&self, features: &mut Features) {
        for (triangle, others) in self.across.iter().enumerate() {
            let corners = self.corners(triangle);
            for (side, &other) in others.iter().enumerate() {
                // Each edge once.
                if (other as usize) < triangle {
                    continue;
                }
                let normals = [triangle, other as usize].map(|face| self.normals.faces[face]);
                let angle = normals[0].angle(&normals[1]).to_degrees();
                features.sharpest = features.sharpest.max(angle);
                if angle > CREASE {
                    features.creases += 1;
                    features.crease_length += (corners[(side + 1) % 3] - corners[side]).norm();
                }
            }
        }
    }

    fn measure_walls(&self, size: f64, features: &mut Features) {
        let (mut thin, mut all) = (0.0, 0.0);
        for triangle in 0..self.triangles.len() {
            let [a, b, c] = self.corners(triangle);
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            let places = ((longest / size).ceil() as usize).clamp(1, MOST_PLACES);
            let share = (b - a).cross(&(c - a)).norm() / (2.0 * (places * places) as f64);
            // The middles of the small triangles, upright ones and others.
            for i in 0..places {
                for j in 0..places - i {
                    let mut at = |shift: f64| {
                        let [u, v] = [i, j].map(|n| (n as f64 + shift) / places as f64);
                        let wall = self.wall(triangle, &(a + (b - a) * u + (c - a) * v));
                        if wall < features.thinnest_wall {
                            features.thinnest_wall = wall;
                            features.thinnest_triangle = triangle;
                        }
                        all += share;
                        thin += if wall < CELLS_OF_A_WALL * size {
                            share
                        } else {
                            0.0
                        };
                    };
                    at(1.0 / 3.0);
                    if i + j + 1 < places {
                        at(2.0 / 3.0);
                    }
                }
            }
        }
        features.thin_share = thin / all;
    }

    /// How far it is from a place on a triangle straight through the body to the other side, m.
    fn wall(&self, triangle: usize, from: &Vector3<f64>) -> f64 {
        let along = -self.normals.faces[triangle];
        let inverse = along.map(|value| 1.0 / value);
        let mut shortest = f64::INFINITY;
        let crosses = |bounds: &super::Bounds| {
            let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
            for axis in 0..3 {
                let low = (bounds.min[axis] - from[axis]) * inverse[axis];
                let high = (bounds.max[axis] - from[axis]) * inverse[axis];
                // NaN, where the ray runs in the plane of a side, bounds nothing.
                enter = enter.max(low.min(high));
                leave = leave.min(low.max(high));
            }
            enter <= leave
        };
        self.bvh.within(crosses, |other| {
            let faces_away = self.normals.faces[other as usize].dot(&along) > 0.0;
            if other as usize != triangle
                && faces_away
                && let Some(distance) = ray(from, &along, &self.corners(other as usize))
                && distance > 0.0
            {
                shortest = shortest.min(distance);
            }
        });
        shortest
    }
}
