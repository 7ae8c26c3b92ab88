//! What is known of soft bodies and rods, found again in the built-in scenes.

use stiction_scenes::{Options, Scene, build};

fn scene(name: &str) -> Scene {
    build(name, &Options::default()).unwrap()
}

fn run(scene: &mut Scene, seconds: f64) {
    let steps = (seconds / scene.world.settings().time_step).round() as usize;
    for _ in 0..steps {
        let report = scene.world.step().unwrap();
        assert_eq!(report.unconverged, 0, "at {} s: {report:?}", report.time);
    }
}

#[test]
fn a_rope_on_a_drum_obeys_the_capstan_equation() {
    let mut scene = scene("capstan");
    let rope = scene.world.find_rod("rope").unwrap();
    let joints = scene.world.rod(rope).unwrap().joint_count();
    run(&mut scene, 1.0);
    let (friction, ratio, angle): (f64, f64, f64) =
        (0.3, 5e-4 / 0.0505, 3.0 * std::f64::consts::PI);
    // a μ k² + k − μ (1 − a) = 0
    let k = ((1.0 + 4.0 * ratio * friction * friction * (1.0 - ratio)).sqrt() - 1.0)
        / (2.0 * ratio * friction);
    let expected = (k * angle).exp();
    let mut ratios = Vec::new();
    for _ in 0..10 {
        run(&mut scene, 0.1);
        let [weight, hand] =
            [4, joints - 5].map(|joint| scene.world.rod_stress(rope, joint).unwrap().tension());
        ratios.push(hand / weight / expected);
    }
    for ratio in &ratios {
        assert!((ratio - 1.0).abs() < 0.02, "{ratios:?} of {expected}");
    }
}

#[test]
fn a_cable_hangs_as_the_catenary() {
    let mut scene = scene("catenary");
    let cable = scene.world.find_rod("cable").unwrap();
    run(&mut scene, 8.0);
    let links = scene.world.rod_links(cable).unwrap();
    let sag = -scene.world.pose(links[50]).unwrap().translation.z;
    // 2 a sinh(span/2a) = length
    let (mut low, mut high) = (0.1_f64, 10.0_f64);
    for _ in 0..100 {
        let a = 0.5 * (low + high);
        match 2.0 * a * (0.5 / a).sinh() > 1.2 {
            true => low = a,
            false => high = a,
        }
    }
    let expected = low * ((0.5 / low).cosh() - 1.0);
    assert!((sag / expected - 1.0).abs() < 0.01, "{sag} {expected}");
}

#[test]
fn a_pinched_sheet_holds_up_to_its_friction_and_slips_beyond() {
    let mut scene = scene("cloth-pinch");
    let bar = scene.world.find_body("bar").unwrap();
    let weight = (0.05 + 0.06 * 0.004 * 0.1 * 1000.0) * 9.81;
    // 2 μ N less the weight is what it takes: until then it creeps not at all, beyond it falls.
    let slips_at = 0.5 + (10.0 - weight) / 4.0;
    run(&mut scene, 0.98 * slips_at);
    let velocity = scene.world.velocity(bar).unwrap().linear.z;
    assert!(velocity > -5e-3, "it only stretches: {velocity} m/s");
    run(&mut scene, 0.1 * slips_at);
    let velocity = scene.world.velocity(bar).unwrap().linear.z;
    assert!(velocity < -0.05, "it slips: {velocity} m/s");
}

#[test]
fn everything_soft_and_rigid_is_stirred_together() {
    let mut scene = scene("soft-lab");
    run(&mut scene, 1.5);
    let kinds = scene.world.contact_forces().iter();
    let soft_alone = kinds.filter(|contact| contact.body_a.is_none() || contact.body_b.is_none());
    assert!(soft_alone.count() > 10);
    assert!(scene.world.report().penetration < 2e-3);
}

/// A minute of it: `cargo test --release -p stiction-scenes --test soft -- --ignored`.
#[test]
#[ignore = "takes minutes; the test above samples it"]
fn a_minute_of_stirring() {
    let mut scene = scene("soft-lab");
    run(&mut scene, 60.0);
}
