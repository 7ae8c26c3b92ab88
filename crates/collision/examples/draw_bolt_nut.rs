//! Draws the contact points of an M48 bolt in its nut to an SVG that any browser shows.
//!
//! ```sh
//! cargo run --release -p stiction-collision --example draw_bolt_nut -- bolt_nut.svg
//! ```
//!
//! Left: seen from the side, the nut's outline in grey, the bolt's thread behind the contacts.
//! Right: seen along the axis. Dots are contacts, coloured by gap; ticks are normals.
#![expect(clippy::print_stdout, reason = "an example reports to the terminal")]

use std::fmt::Write;

use nalgebra::{Isometry3, Point3, UnitQuaternion, Vector3};
use stiction_collision::sdf::{BoltSdf, MetricThread, NutSdf, ThreadEnd};
use stiction_collision::{
    BuiltInDetector, Collider, ColliderSet, ContactPoint, DetectionSettings, Detector, Execution,
    NarrowSettings, PlacesView, Shape,
};

/// Pixels per metre.
const SCALE: f64 = 6000.0;

/// A view: which world directions are right and up, and where its middle is on the page.
struct View {
    right: Vector3<f64>,
    up: Vector3<f64>,
    center: Point3<f64>,
    page: (f64, f64),
}

impl View {
    fn project(&self, p: &Point3<f64>) -> (f64, f64) {
        let d = p - self.center;
        (
            self.page.0 + SCALE * d.dot(&self.right),
            self.page.1 - SCALE * d.dot(&self.up),
        )
    }

    /// Visible edges of a shape: those between a face towards the eye and one away from it.
    fn outline(&self, svg: &mut String, shape: &Shape, pose: &Isometry3<f64>, color: &str) {
        let Some(mesh) = shape.surface() else {
            return;
        };
        let eye = pose.rotation.inverse() * self.right.cross(&self.up);
        for (f, face) in mesh.faces().iter().enumerate() {
            for k in 0..3 {
                let Some(g) = mesh.neighbour(f, k) else {
                    continue;
                };
                let (n, m) = (mesh.normals()[f], mesh.normals()[g]);
                let sharp = n.dot(&m) < 0.8 && n.dot(&eye) > 0.0;
                let contour = n.dot(&eye) > 0.0 && m.dot(&eye) <= 0.0;
                if f < g && sharp || contour {
                    let p = self.project(&(pose * mesh.vertices()[face[k] as usize]));
                    let q = self.project(&(pose * mesh.vertices()[face[(k + 1) % 3] as usize]));
                    let _ = writeln!(
                        svg,
                        "<line x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}' stroke='{color}' \
                         stroke-width='0.7'/>",
                        p.0, p.1, q.0, q.1
                    );
                }
            }
        }
    }

    fn contacts(&self, svg: &mut String, contacts: &[ContactPoint], margin: f64) {
        for c in contacts {
            let p = self.project(&c.point);
            let q = self.project(&(c.point + c.normal * 2e-3));
            // red when touching, blue at the margin
            let t = (c.gap / margin).clamp(0.0, 1.0);
            let color = format!("rgb({},60,{})", 220.0 - 200.0 * t, 40.0 + 180.0 * t);
            let _ = writeln!(
                svg,
                "<line x1='{:.1}' y1='{:.1}' x2='{:.1}' y2='{:.1}' stroke='{color}'/>\
                 <circle cx='{:.1}' cy='{:.1}' r='3' fill='{color}'/>",
                p.0, p.1, q.0, q.1, p.0, p.1
            );
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "bolt_nut.svg".to_owned());
    let thread = MetricThread::coarse(48)?;
    let bolt = BoltSdf::with_head(thread, 0.1, 0.03, 0.075, ThreadEnd::Chamfered)?;
    let nut = NutSdf::new(thread, 0.038, 0.075, 1e-4, ThreadEnd::Chamfered)?;
    let bolt = Shape::bolt("bolt", bolt, 3e-3)?;
    let nut = Shape::nut("nut", nut, 3e-3)?;
    let margin = 1.5e-4;
    let mut detector = BuiltInDetector::new(DetectionSettings {
        narrow: NarrowSettings {
            margin,
            ..NarrowSettings::default()
        },
        execution: Execution::Serial,
    })?;
    let mut colliders = ColliderSet::new();
    colliders.add(Collider::rigid("bolt", 0, bolt.clone()))?;
    colliders.add(Collider::rigid("nut", 1, nut.clone()))?;
    // pulled up and sideways until the threads touch on one side
    let place = Isometry3::from_parts(
        Vector3::new(6e-5, 0.0, 0.025 + 6e-5).into(),
        UnitQuaternion::identity(),
    );
    let poses = [Isometry3::identity(), place];
    let mut contacts = Vec::new();
    let places = PlacesView::of_frames(&poses);
    let report = detector.detect(&colliders, &places, &mut contacts)?;
    println!(
        "{} raw contacts, {} kept",
        report.n_raw_contacts,
        contacts.len()
    );

    let mut svg = String::from(
        "<svg xmlns='http://www.w3.org/2000/svg' width='1240' height='900' \
         viewBox='0 0 1240 900'><rect width='1240' height='900' fill='white'/>\n",
    );
    let center = Point3::new(0.0, 0.0, 0.036);
    let side = View {
        right: Vector3::x(),
        up: Vector3::z(),
        center,
        page: (330.0, 450.0),
    };
    let along = View {
        right: Vector3::x(),
        up: Vector3::y(),
        center,
        page: (920.0, 450.0),
    };
    for view in [&side, &along] {
        view.outline(&mut svg, &bolt, &poses[0], "#c9b28a");
        view.outline(&mut svg, &nut, &poses[1], "#8a8f99");
        view.contacts(&mut svg, &contacts, margin);
    }
    let _ = write!(
        svg,
        "<text x='40' y='40' font-family='sans-serif' font-size='20'>M48 bolt and nut: {} contacts \
         kept of {} (red: touching, blue: {:.2} mm apart)</text></svg>",
        contacts.len(),
        report.n_raw_contacts,
        margin * 1e3
    );
    std::fs::write(&path, svg)?;
    println!("wrote {path}");
    Ok(())
}
