//! Particles from one bottle into another.

use stiction_sim::sdf::{Dish, Sdf};
use stiction_sim::{BodyHandle, Point3, Result, World};

use super::{Task, Verdict};

/// Share of the particles that has to arrive.
const MOST: f64 = 0.9;

/// Judges whether particles are poured from one bottle into the other, and where each of them is.
///
/// A particle is in a bottle, on the table or lost. Failed is fewer than nine of ten in the other bottle, one that is
/// lost, and one whose middle comes into a wall: it would go through.
#[derive(Debug, Clone)]
pub struct Pouring {
    particles: Vec<BodyHandle>,
    radius: f64,
    /// From which and into which, with their forms.
    bottles: [(BodyHandle, Dish); 2],
    /// Height of the table, m.
    table: f64,
    /// Smallest distance of a particle's middle from a wall, m.
    closest: f64,
    /// Whether a particle has its middle in a wall now or had it before.
    through: Vec<bool>,
}

impl Pouring {
    /// Balls of a radius (m), the bottle that they are in and the one that they are to come into, and the height of
    /// the table (m).
    pub fn new(
        particles: Vec<BodyHandle>,
        radius: f64,
        bottles: [(BodyHandle, Dish); 2],
        table: f64,
    ) -> Self {
        Self {
            through: vec![false; particles.len()],
            particles,
            radius,
            bottles,
            table,
            closest: f64::INFINITY,
        }
    }

    /// Middle of a particle in the frame of a bottle.
    fn seen(&self, world: &World, particle: BodyHandle, bottle: usize) -> Result<Point3<f64>> {
        let middle = Point3::from(world.pose(particle)?.translation.vector);
        let bottle = world.pose(self.bottles[bottle].0)?;
        Ok(bottle.inverse_transform_point(&middle))
    }

    fn is_in(&self, world: &World, particle: BodyHandle, bottle: usize) -> Result<bool> {
        let (at, form) = (self.seen(world, particle, bottle)?, &self.bottles[bottle].1);
        let (foot, mouth) = (form.a(), form.b());
        let share = ((at.z - foot.y) / (mouth.y - foot.y)).clamp(0.0, 1.0);
        let wall = foot.x + share * (mouth.x - foot.x);
        Ok(at.z > 0.0 && at.z < mouth.y && at.xy().coords.norm() < wall)
    }
}

impl Task for Pouring {
    fn observe(&mut self, world: &World) -> Result<()> {
        for (index, &particle) in self.particles.iter().enumerate() {
            for (bottle, (_, form)) in self.bottles.iter().enumerate() {
                let distance = form.value(&self.seen(world, particle, bottle)?);
                self.closest = self.closest.min(distance);
                self.through[index] |= distance < 0.0;
            }
        }
        Ok(())
    }

    fn verdict(&self, world: &World) -> Result<Verdict> {
        let mut verdict = Verdict::default();
        let [mut left, mut poured, mut spilled, mut lost] = [0_usize; 4];
        for &particle in &self.particles {
            let height = world.pose(particle)?.translation.z;
            if self.is_in(world, particle, 1)? {
                poured += 1;
            } else if self.is_in(world, particle, 0)? {
                left += 1;
            } else if height > self.table && height < self.table + 1.0 {
                spilled += 1;
            } else {
                lost += 1;
            }
        }
        let through = self.through.iter().filter(|through| **through).count();
        let count = self.particles.len();
        verdict.fail_if((poured as f64) < MOST * count as f64, || {
            format!("{poured} of {count} particles are in the other bottle")
        });
        verdict.fail_if(lost > 0, || format!("{lost} particles left the table"));
        verdict.fail_if(through > 0, || {
            format!("{through} particles went into a wall")
        });
        for (name, number) in [
            ("particles poured", poured),
            ("particles left", left),
            ("particles on the table", spilled),
            ("particles lost", lost),
            ("particles through a wall", through),
        ] {
            verdict.add(name, number as f64, "1");
        }
        let deepest = (self.radius - self.closest).max(0.0);
        verdict.add("deepest penetration", deepest, "m");
        Ok(verdict)
    }
}
