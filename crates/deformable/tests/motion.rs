//! Free motion: momentum and energy.
#![expect(clippy::print_stdout, reason = "figures are shown with --nocapture")]

mod common;

use common::{Noise, Run, five_tet_box, moved, with_policy};
use nalgebra::Vector3;
use stiction_deformable::TetMesh;
use stiction_deformable::fem::{FemSettings, HessianPolicy, Material};

fn bar() -> TetMesh {
    five_tet_box([0.4, 0.05, 0.05], [16, 2, 2])
}

fn rubber(young: f64) -> Material {
    Material::corotational(young, 0.45, 1e3)
}

/// A bar that starts bent, deformed, or spinning, by name.
fn begin(case: &str, material: fn(f64) -> Material, settings: FemSettings, time_step: f64) -> Run {
    let young = if matches!(case, "crush" | "slow spin") {
        5e4
    } else {
        5e5
    };
    let mut run = Run::new(&bar(), material(young), settings, time_step);
    let mut noise = Noise(17);
    match case {
        "bend" => {
            run.x = moved(&run.x, |x| {
                let angle = 2.0 * x.x / 0.4;
                let radius = 0.2 + x.z;
                Vector3::new(radius * angle.sin(), x.y, 0.2 - radius * angle.cos())
            });
        }
        "crush" => {
            run.x = moved(&run.x, |x| Vector3::new(0.6 * x.x, x.y, x.z));
            for x in &mut run.x {
                *x += 0.004 * noise.next();
            }
        }
        "slow spin" => run.spin(0.021 / time_step),
        _ => run.spin(0.067 / time_step),
    }
    run
}

/// No step gains energy with the strict ledger, whatever the policy, and 1e-9 of the initial energy is
/// not exceeded in sum.
#[test]
fn the_strict_ledger_never_gains() {
    let policies = [HessianPolicy::Psd, HessianPolicy::CoRotated];
    for case in ["bend", "crush", "slow spin", "spin"] {
        for policy in policies {
            let mut run = begin(case, rubber, with_policy(policy, true), 0.01);
            let initial = run.energy();
            let (mut highest, mut solves, mut shortened) = (0.0_f64, 0, 0);
            let mut gained = 0.0;
            for _ in 0..100 {
                let report = run.step();
                highest = highest.max(report.ledger.balance());
                gained += report.ledger.balance().max(0.0);
                solves += report.solves;
                shortened += usize::from(report.share < 1.0);
            }
            let left = run.energy() / initial;
            println!(
                "{case:10} {:4} up {:9.1e} solves {:.2} shortened {shortened} left {left:.2e}",
                policy.name(),
                highest / initial,
                solves as f64 / 100.0
            );
            assert!(
                gained < 1e-9 * initial,
                "{case} {}: {:e}",
                policy.name(),
                gained / initial
            );
            assert!(left <= 1.0 + 1e-9);
        }
    }
}

/// θ = 1/2: `maj` passes the ledger by itself but for large rotations; Newton's method with `psd` needs it.
#[test]
fn half_theta_never_gains() {
    for (case, policy, linearizations) in [
        ("bend", HessianPolicy::Majorizing, 1),
        ("crush", HessianPolicy::Majorizing, 1),
        ("bend", HessianPolicy::Psd, 3),
        ("crush", HessianPolicy::Psd, 3),
        ("spin", HessianPolicy::Psd, 3),
    ] {
        let settings = FemSettings {
            linearizations,
            ..with_policy(policy, true)
        };
        let mut run = begin(case, rubber, settings, 0.01);
        run.theta = 0.5;
        let initial = run.energy();
        let (mut gained, mut euler, mut shortened) = (0.0, 0, 0);
        for _ in 0..60 {
            let report = run.step();
            gained += report.ledger.balance().max(0.0);
            euler += usize::from(report.theta == 0.0);
            shortened += usize::from(report.share < 1.0);
        }
        let left = run.energy() / initial;
        println!(
            "{case:6} {:4} Euler steps {euler} shortened {shortened} left {left:.2e}",
            policy.name()
        );
        assert!(
            gained < 1e-9 * initial,
            "{case} {}: {gained:e}",
            policy.name()
        );
        if policy == HessianPolicy::Majorizing {
            assert!(euler < 4, "{case}: {euler}");
        }
    }
}

/// The neo-Hookean body keeps its ledger too, with shortened steps.
#[test]
fn a_neo_hookean_body_never_gains() {
    for case in ["bend", "crush", "spin"] {
        let material = |young| Material::neo_hookean(young, 0.45, 1e3);
        let mut run = begin(case, material, FemSettings::default(), 0.01);
        let initial = run.energy();
        let mut gained = 0.0;
        for _ in 0..60 {
            gained += run.step().ledger.balance().max(0.0);
        }
        println!("{case:6} neo-Hookean left {:.2e}", run.energy() / initial);
        assert!(gained < 1e-9 * initial, "{case}: {:e}", gained / initial);
    }
}

/// Linear momentum is kept to rounding by every policy; angular momentum by `K`.
#[test]
fn momentum_is_kept() {
    for (policy, is_strict) in [
        (HessianPolicy::CoRotated, false),
        (HessianPolicy::CoRotated, true),
        (HessianPolicy::Psd, false),
        (HessianPolicy::Psd, true),
    ] {
        let mut run = begin("spin", rubber, with_policy(policy, is_strict), 0.01);
        for v in run.v.chunks_exact_mut(3) {
            v[0] += 0.3;
            v[2] -= 0.2;
        }
        let [linear, angular] = run.momentum();
        for _ in 0..50 {
            run.step();
        }
        let [linear_end, angular_end] = run.momentum();
        // About the centre of mass, which moved.
        let shift = linear * (50.0 * 0.01) / run.model().masses().iter().sum::<f64>();
        let spin = (angular_end - shift.cross(&linear_end)).norm() / angular.norm();
        let drift = (linear_end - linear).norm() / linear.norm();
        println!(
            "{:4} strict {is_strict}: linear off {drift:.1e}, angular left {spin:.4}",
            policy.name()
        );
        assert!(drift < 1e-12, "{}: {drift:e}", policy.name());
        if policy == HessianPolicy::CoRotated && !is_strict {
            assert!(
                (angular_end - shift.cross(&linear_end) - angular).norm() < 1e-3 * angular.norm()
            );
        }
    }
}

/// Work, damping and kinetic energy of a body that falls and is damped add up with the numerical loss.
#[test]
fn works_are_accounted_for() {
    let material = rubber(5e5).damped(0.5, 0.002);
    let mut run = Run::new(&bar(), material, FemSettings::default(), 0.001);
    run.gravity = Vector3::new(0.0, 0.0, -9.81);
    let mass: f64 = run.model().masses().iter().sum();
    let mut work = 0.0;
    for _ in 0..20 {
        let ledger = run.step().ledger;
        work += ledger.external_work;
        assert!(ledger.numerical_loss() >= -1e-12, "{ledger:?}");
        assert!(ledger.damping_loss > 0.0);
    }
    // A rigid fall with drag: no deformation, the work is that of the weight.
    let mean = run.x.chunks_exact(3).map(|x| x[2]).sum::<f64>() / (run.x.len() / 3) as f64;
    let expected = mass * 9.81 * (0.025 - mean);
    assert!(
        (work - expected).abs() < 1e-12 * expected,
        "{work} {expected}"
    );
}

/// A bar stretched by driven ends takes up the work that they do, slowly and without damping.
#[test]
fn driven_nodes_do_work() {
    for theta in [0.0, 0.5] {
        let settings = FemSettings {
            linearizations: 3,
            ..FemSettings::default()
        };
        let mut run = Run::new(&bar(), rubber(5e5), settings, 0.01);
        run.theta = theta;
        let nodes: Vec<(usize, f64)> = run.x.chunks_exact(3).map(|x| x[0]).enumerate().collect();
        for (node, x) in nodes {
            let held = run.stepper.body_mut().held_mut();
            if x < 1e-9 {
                held.pin(node).unwrap();
            } else if x > 0.4 - 1e-9 {
                held.drive(node, Vector3::new(0.02, 0.0, 0.0)).unwrap();
            }
        }
        let (mut work, mut loss, mut euler) = (0.0, 0.0, 0);
        for _ in 0..100 {
            let report = run.step();
            let ledger = report.ledger;
            euler += usize::from(report.theta == 0.0);
            assert!(!ledger.is_gain(), "{ledger:?}");
            work += ledger.driven_work;
            loss += ledger.numerical_loss();
        }
        let stored = run.energy();
        println!(
            "theta {theta}, {euler} Euler steps: work {work:.4e} stored {stored:.4e} lost {loss:.1e}"
        );
        assert!((work - stored - loss).abs() < 1e-9 * work);
        assert!(loss < 0.05 * work);
        // 5 % of strain in a bar: ½ E A L ε², clamped ends a little more.
        let expected = 0.5 * 5e5 * 0.05_f64.powi(2) * 0.4 * 0.05 * 0.05;
        assert!(
            stored > expected && stored < 1.15 * expected,
            "{stored} {expected}"
        );
    }
}
