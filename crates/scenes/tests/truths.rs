//! What physics says about the built-in scenes, with a number each.

use stiction_scenes::{Options, build};

#[test]
fn a_sliding_block_stops_where_friction_says_and_does_not_glide() {
    let mut last = f64::INFINITY;
    for (time_step, tolerance) in [(1.0 / 120.0, 1e-10), (1.0 / 240.0, 1e-10), (1.0 / 480.0, 1e-10)] {
        let options = Options {
            time_step: Some(time_step),
            tolerance: Some(tolerance),
            ..Options::default()
        };
        let mut world = build("box-slide", &options).unwrap().world;
        let block = world.find_body("block").unwrap();
        while world.time() < 1.0 {
            world.step().unwrap();
            let height = world.pose(block).unwrap().translation.z;
            assert!((height - 0.05).abs() < 1e-8, "height {height} at {}", world.time());
        }
        let way = world.pose(block).unwrap().translation.x;
        let error = (way - 1.0 / (2.0 * 0.2 * 9.81)).abs();
        println!("dt {time_step}: way {way}, error {error}");
        assert!(error < 1.0 * time_step, "stops after {way} m");
        assert!(error < 0.7 * last, "first order in dt: {error} after {last}");
        last = error;
    }
}
