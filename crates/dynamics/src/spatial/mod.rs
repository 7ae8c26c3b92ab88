//! Spatial (6D) vector algebra, Featherstone's *Rigid Body Dynamics Algorithms* (2008), chapter 2.
//!
//! Every spatial vector is stored **linear part first**: motions as (v, ω), forces as (f, n).
//! The coordinates are always those of some frame: the linear part of a motion is the velocity of
//! the body-fixed point that passes through the origin of that frame, and the angular part of a
//! force is the moment about that origin.

mod articulated;
mod force;
mod inertia;
mod motion;
pub(crate) mod small;
mod symmetric;
mod transform;

pub mod lie;

pub use articulated::ArticulatedInertia;
pub use force::Force;
pub use inertia::Inertia;
pub use motion::Motion;
pub use symmetric::Symmetric3;
pub use transform::Transform;

/// Implements the vector-space operations shared by [`Motion`] and [`Force`].
macro_rules! impl_vector_space {
    ($type:ident) => {
        impl $type {
            /// A spatial vector from its linear and angular parts.
            #[inline]
            pub const fn new(linear: Vector3<f64>, angular: Vector3<f64>) -> Self {
                Self { linear, angular }
            }

            /// The zero vector.
            #[inline]
            pub fn zero() -> Self {
                Self::new(Vector3::zeros(), Vector3::zeros())
            }

            /// From six coordinates, linear part first.
            #[inline]
            pub fn from_array(x: [f64; 6]) -> Self {
                Self::new(
                    Vector3::new(x[0], x[1], x[2]),
                    Vector3::new(x[3], x[4], x[5]),
                )
            }

            /// The six coordinates, linear part first.
            #[inline]
            pub fn to_array(&self) -> [f64; 6] {
                let (l, a) = (&self.linear, &self.angular);
                [l.x, l.y, l.z, a.x, a.y, a.z]
            }

            /// The six coordinates as a column, linear part first.
            #[inline]
            pub fn to_vector(&self) -> Vector6<f64> {
                Vector6::from(self.to_array())
            }

            /// True when no coordinate is infinite or NaN.
            pub fn is_finite(&self) -> bool {
                self.to_array().iter().all(|x| x.is_finite())
            }
        }

        impl Default for $type {
            fn default() -> Self {
                Self::zero()
            }
        }

        impl std::ops::Add for $type {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self::new(self.linear + other.linear, self.angular + other.angular)
            }
        }

        impl std::ops::Sub for $type {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self::new(self.linear - other.linear, self.angular - other.angular)
            }
        }

        impl std::ops::Neg for $type {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self::new(-self.linear, -self.angular)
            }
        }

        impl std::ops::Mul<f64> for $type {
            type Output = Self;
            #[inline]
            fn mul(self, scale: f64) -> Self {
                Self::new(self.linear * scale, self.angular * scale)
            }
        }

        impl std::ops::AddAssign for $type {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                self.linear += other.linear;
                self.angular += other.angular;
            }
        }

        impl std::ops::SubAssign for $type {
            #[inline]
            fn sub_assign(&mut self, other: Self) {
                self.linear -= other.linear;
                self.angular -= other.angular;
            }
        }
    };
}
pub(crate) use impl_vector_space;
