//! The page in headless Chromium: it loads, draws, and its controls respond.

#[path = "common/browser.rs"]
mod browser;
#[path = "../examples/demo/scene.rs"]
mod scene;

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use browser::{Browser, difference, new_folder};
use serde_json::json;
use stiction_recording::{Frame, Header, Recording};
use stiction_test_support::outside;
use stiction_viewer::{Server, page, serve_recording};

/// One browser at a time: software rendering takes all cores.
static TURN: Mutex<()> = Mutex::new(());

struct Fixture {
    browser: Browser,
    folder: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Fixture {
    fn new(chromium: &Path, width: u32, height: u32) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        Self {
            browser: Browser::start(chromium, width, height),
            folder: new_folder(),
            _turn: turn,
        }
    }

    /// Opens the page of a recording as a file, with `hash` behind the #. The best quality is for the eye and
    /// takes software long.
    fn open(&mut self, recording: &Recording, hash: &str) {
        let path = self.folder.join("page.html");
        fs::write(&path, page(recording).unwrap()).unwrap();
        self.browser
            .go(&format!("file://{}#{hash}&quality=3", path.display()));
    }

    fn no_errors(&self) {
        assert!(self.browser.errors.is_empty(), "{:?}", self.browser.errors);
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn loopback() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// The demo without its bodies and deformables: ground and nothing else.
fn empty_scene() -> Recording {
    let full = scene::everything(0.1);
    let mut header = full.header;
    header.bodies.truncate(1);
    header.deformables.clear();
    let frames = vec![Frame::resting(&header)];
    Recording { header, frames }
}

#[test]
fn the_page_draws_and_scrubbing_changes_the_picture() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    // The same camera for both, so that only the bodies make the difference.
    let view = "theme=dark&distance=5&target=0,0,0.4&contacts=0";
    f.open(&empty_scene(), &format!("{view}&t=0"));
    let empty = f.browser.picture();
    f.open(&scene::everything(2.0), &format!("{view}&t=0"));
    let first = f.browser.picture();
    let drawn = difference(&empty, &first);
    assert!(
        drawn > 200,
        "{drawn} of 5760 pixels differ from the empty scene"
    );

    let again = f.browser.picture();
    assert_eq!(difference(&first, &again), 0, "nothing moved");
    f.browser.evaluate(
        "(() => { const s = document.getElementById('scrub'); s.value = 0.5;
                  s.dispatchEvent(new Event('input')); })()",
    );
    let clock = f.browser.evaluate("stiction.timeline.time");
    assert_eq!(clock.as_f64(), Some(1.0));
    let later = f.browser.picture();
    let moved = difference(&first, &later);
    assert!(moved > 100, "{moved} pixels changed by scrubbing");
    f.no_errors();
}

/// What the page has unpacked is what was recorded, to the bit of an f32.
#[test]
fn the_page_holds_the_numbers_of_the_recording() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 640, 480);
    let recording = scene::everything(2.0);
    f.open(&recording, "t=0");
    let count = f.browser.evaluate("stiction.run.frames.length");
    assert_eq!(count, json!(recording.frames.len()));
    let single =
        |values: &[f64]| -> Vec<f64> { values.iter().map(|&x| f64::from(x as f32)).collect() };
    for (index, frame) in recording.frames.iter().enumerate().step_by(7) {
        let unpacked = f.browser.evaluate(&format!(
            "(() => {{
               const run = stiction.run, frame = run.frames[{index}], s = run.statistics({index});
               const contacts = Array.from({{ length: frame.contacts }}, (_, k) => run.contact(frame, k));
               return {{
                 time: frame.time,
                 poses: Array.from(frame.floats.subarray(15, 15 + 7 * run.bodies)),
                 spin: Array.from({{ length: run.bodies }}, (_, b) => run.velocity(frame, b).angular[2]),
                 nodes: Array.from(frame.floats.subarray(run.nodesAt, run.stressAt)),
                 stress: Array.from(frame.floats.subarray(run.stressAt, run.contactsAt)).filter(isFinite),
                 forces: contacts.flatMap((c) => Array.from(c.force)),
                 bodies: contacts.map((c) => c.b), states: contacts.map((c) => c.state),
                 residual: s.residual, joint: s.jointError, potential: s.potential, iterations: s.iterations,
               }};
             }})()"
        ));
        let numbers = |name: &str| -> Vec<f64> {
            let list = unpacked[name].as_array().unwrap();
            list.iter().map(|x| x.as_f64().unwrap()).collect()
        };
        assert_eq!(unpacked["time"].as_f64(), Some(frame.time));
        let poses: Vec<f64> = frame
            .poses
            .iter()
            .flat_map(|pose| pose.position.into_iter().chain(pose.rotation))
            .collect();
        assert_eq!(numbers("poses"), single(&poses));
        let spin: Vec<f64> = frame.velocities.iter().map(|v| v[5]).collect();
        assert_eq!(numbers("spin"), single(&spin));
        let nodes: Vec<f64> = frame.nodes.iter().flatten().flatten().copied().collect();
        assert_eq!(numbers("nodes"), single(&nodes));
        let stress: Vec<f64> = frame.stress.iter().flatten().copied().collect();
        assert_eq!(numbers("stress"), single(&stress));
        let forces: Vec<f64> = frame.contacts.iter().flat_map(|c| c.force).collect();
        assert_eq!(numbers("forces"), single(&forces));
        let bodies: Vec<f64> = frame
            .contacts
            .iter()
            .map(|c| f64::from(c.bodies[1]))
            .collect();
        assert_eq!(numbers("bodies"), bodies);
        let states: Vec<f64> = frame
            .contacts
            .iter()
            .map(|c| f64::from(c.state as u8))
            .collect();
        assert_eq!(numbers("states"), states);
        let s = &frame.statistics;
        assert_eq!(
            unpacked["residual"].as_f64(),
            Some(f64::from(s.residual as f32))
        );
        assert_eq!(
            unpacked["joint"].as_f64(),
            Some(f64::from(s.joint_error as f32))
        );
        assert_eq!(
            unpacked["potential"].as_f64(),
            Some(f64::from(s.potential_energy as f32))
        );
        assert_eq!(
            unpacked["iterations"].as_u64(),
            Some(u64::from(s.iterations))
        );
    }
    f.no_errors();
}

#[test]
fn every_toggle_changes_the_picture_and_comes_back() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    f.open(
        &scene::everything(2.0),
        "t=1.5&contacts=0&theme=dark&plots=0",
    );
    let plain = f.browser.picture();
    for (key, option) in [
        ("c", "contacts"),
        ("f", "forces"),
        ("w", "wireframe"),
        ("k", "colliders"),
        ("s", "stress"),
        ("g", "grid"),
    ] {
        f.browser.press(key);
        let was_on = ["grid", "stress"].contains(&option);
        assert_eq!(
            f.browser.evaluate(&format!("stiction.options.{option}")),
            json!(!was_on)
        );
        let pressed = f.browser.evaluate(&format!(
            "document.getElementById('tool-{option}').getAttribute('aria-pressed')"
        ));
        assert_eq!(pressed, json!(if was_on { "false" } else { "true" }));
        let changed = f.browser.picture();
        assert!(difference(&plain, &changed) > 0, "{option} changes nothing");
        f.browser
            .evaluate(&format!("document.getElementById('tool-{option}').click()"));
        let back = f.browser.picture();
        assert_eq!(difference(&plain, &back), 0, "{option} does not go away");
    }
    f.browser.press("t");
    assert_eq!(
        f.browser.evaluate("document.documentElement.dataset.theme"),
        json!("light")
    );
    let light = f.browser.picture();
    assert!(difference(&plain, &light) > 3000);
    f.browser.press("p");
    assert_eq!(
        f.browser
            .evaluate("document.getElementById('plots').hidden"),
        json!(false)
    );
    f.no_errors();
}

/// High stress is bright, low stress dark; the legend says what the bright end is.
#[test]
fn soft_bodies_are_coloured_by_stress_and_rods_twist() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    let recording = scene::everything(1.0);
    f.open(&recording, "t=0.5&contacts=0&plots=0");
    let hidden = |f: &mut Fixture, id: &str| {
        let script = format!("document.getElementById('{id}').hidden");
        f.browser.evaluate(&script)
    };
    assert_eq!(hidden(&mut f, "stress-legend"), json!(false));
    let most = f
        .browser
        .evaluate("document.getElementById('stress-most').textContent");
    assert_eq!(most, json!("10 kPa"));
    let values = f
        .browser
        .evaluate("Array.from(stiction.renderer.deformables.batches[0].vertexValues)");
    let values: Vec<f64> = (values.as_array().unwrap().iter())
        .map(|value| value.as_f64().unwrap())
        .collect();
    for (value, stress) in values.iter().zip(&recording.frames[30].stress[0]) {
        assert!((value - stress / 1e4).abs() < 1e-6, "{value} for {stress}");
    }
    let colored = f.browser.picture();
    f.browser.press("s");
    assert_eq!(hidden(&mut f, "stress-legend"), json!(true));
    let changed = difference(&colored, &f.browser.picture());
    // The picture is 96 × 60 pixels small.
    assert!(changed > 30, "{changed} pixels show the stress");

    // Without stress there is nothing to switch; a twist of the links moves the rod's halves alone.
    f.open(&scene::twisted(2.0), "t=0&plots=0&ui=0&pitch=0");
    assert_eq!(hidden(&mut f, "tool-stress"), json!(true));
    let straight = f.browser.picture();
    f.browser.press("End");
    let turned = difference(&straight, &f.browser.picture());
    assert!(turned > 30, "{turned} pixels show the twist");
    let angle = |k: usize| {
        format!(
            "(() => {{ const p = stiction.renderer.deformables.batches[0].vertexPositions;
               return Math.atan2(p[4 * {k} + 1], p[4 * {k}]); }})()"
        )
    };
    let off_axis = "(() => { const p = stiction.renderer.deformables.batches[0].vertexPositions;
       return Array.from({ length: 600 }, (_, k) => Math.abs(Math.hypot(p[4 * (k + 10)], p[4 * (k + 10) + 1]) - 0.05))
         .reduce((most, x) => Math.max(most, x)); })()";
    assert!(
        f.browser.evaluate(off_axis).as_f64() < Some(1e-6),
        "the tube stays round"
    );
    // Ring 1 is the first link, ring 16 a quarter of the way: half a turn (15 of 59 parts of two turns).
    let first = f.browser.evaluate(&angle(10)).as_f64().unwrap();
    let later = f.browser.evaluate(&angle(10 * 16)).as_f64().unwrap();
    let expected = std::f64::consts::TAU * 2.0 * 15.0 / 59.0;
    let off = (later - first - expected).rem_euclid(std::f64::consts::TAU);
    assert!(
        !(1e-4..std::f64::consts::TAU - 1e-4).contains(&off),
        "{off}"
    );
    f.no_errors();
}

#[test]
fn keys_step_play_and_turn() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    f.open(&scene::everything(2.0), "t=0");
    let index = "stiction.run.indexAt(stiction.timeline.time + 1e-9)";
    for (key, expected) in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("PageDown", 12),
        ("ArrowLeft", 11),
        ("End", 120),
        ("ArrowRight", 120),
        ("PageUp", 110),
        ("Home", 0),
        ("ArrowLeft", 0),
    ] {
        f.browser.press(key);
        assert_eq!(f.browser.evaluate(index), json!(expected), "{key}");
    }
    f.browser.press(".");
    assert_eq!(f.browser.evaluate("stiction.timeline.speed"), json!(2));
    f.browser.press(" ");
    f.browser.wait_for("stiction.timeline.time > 0.2");
    f.browser
        .wait_for("!stiction.timeline.playing && stiction.timeline.time === stiction.run.end");

    let yaw = f.browser.evaluate("stiction.camera.yaw");
    f.browser.drag((300.0, 300.0), (360.0, 300.0));
    assert_ne!(f.browser.evaluate("stiction.camera.yaw"), yaw);
    f.browser.press("?");
    assert_eq!(
        f.browser.evaluate("document.getElementById('help').open"),
        json!(true)
    );
    f.no_errors();
}

#[test]
fn bodies_are_picked_described_and_followed() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    // Looks straight at the glass box, which rests and is the nearest thing there.
    f.open(
        &scene::everything(2.0),
        "t=2&target=1.2,-0.85,0.22&distance=2&plots=0",
    );
    f.browser.wait_for("stiction.view.clientWidth === 720");
    let height = f
        .browser
        .evaluate("stiction.view.clientHeight")
        .as_f64()
        .unwrap();
    let centre = (360.0, height / 2.0);
    f.browser.drag(centre, centre);
    let name = f
        .browser
        .evaluate("stiction.run.nameOf(stiction.inspector.selected)");
    assert_eq!(name, json!("glass"));
    f.browser
        .wait_for("document.getElementById('state').textContent.includes('2.00 kg')");
    let text = f
        .browser
        .evaluate("document.getElementById('state').textContent");
    let text = text.as_str().unwrap();
    assert!(
        text.contains("1 stick") && text.contains("19.6 N"),
        "{text}"
    );

    // Following: the camera goes where the body goes.
    f.browser.evaluate("stiction.select(1)");
    f.browser.press("o");
    f.browser.press("Home");
    f.browser.picture();
    let at = "JSON.stringify(stiction.camera.target.map((x) => x.toFixed(5)))
              === JSON.stringify(stiction.moment.position(1).map((x) => x.toFixed(5)))";
    assert_eq!(f.browser.evaluate(at), json!(true));
    f.browser.press("Escape");
    assert_eq!(
        f.browser
            .evaluate("stiction.inspector.selected === null && !stiction.following"),
        json!(true)
    );
    f.no_errors();
}

#[test]
fn a_phone_sees_everything_it_needs() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 390, 780);
    f.open(&scene::everything(1.0), "t=0.5&plots=1");
    let overflow = f.browser.evaluate(
        "document.documentElement.scrollWidth > innerWidth
         || Array.from(document.querySelectorAll('button, select, input')).filter((e) => e.offsetParent
              && !e.closest('dialog')).some((e) => { const b = e.getBoundingClientRect();
              return b.left < 0 || b.right > innerWidth + 0.5 || b.bottom > innerHeight + 0.5; })",
    );
    assert_eq!(overflow, json!(false), "a control is outside of the screen");
    let unnamed = f.browser.evaluate(
        "Array.from(document.querySelectorAll('button, select, input')).filter((e) =>
           !e.getAttribute('aria-label') && !e.textContent.trim() && !e.closest('label')).length",
    );
    assert_eq!(unnamed, json!(0), "controls without a name");

    // Two fingers that move apart come nearer, one finger turns.
    let distance = f
        .browser
        .evaluate("stiction.camera.distance")
        .as_f64()
        .unwrap();
    f.browser.touch(&[
        &[(150.0, 300.0), (240.0, 300.0)],
        &[(100.0, 300.0), (290.0, 300.0)],
    ]);
    let nearer = f
        .browser
        .evaluate("stiction.camera.distance")
        .as_f64()
        .unwrap();
    assert!(nearer < 0.6 * distance, "{distance} to {nearer}");
    let yaw = f.browser.evaluate("stiction.camera.yaw");
    f.browser.touch(&[&[(150.0, 300.0)], &[(220.0, 300.0)]]);
    assert_ne!(f.browser.evaluate("stiction.camera.yaw"), yaw);
    f.no_errors();
}

#[test]
fn strange_recordings_are_shown_or_explained() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 640, 480);
    let mut blown_up = scene::everything(0.5);
    for frame in blown_up.frames.iter_mut().skip(5) {
        frame.poses[1].position = [f64::NAN; 3];
        frame.poses[2].rotation = [f64::NAN; 4];
        frame.statistics.residual = f64::NAN;
        frame.statistics.kinetic_energy = f64::INFINITY;
        frame.nodes[1][3] = [f64::INFINITY; 3];
    }
    blown_up.header.scene = "</script><script>throw 1</script><!--{frames}-->".into();
    blown_up.header.bodies[1].name = "<img src=x onerror=alert(1)>".into();
    f.open(&blown_up, "t=0.4&plots=1&forces=1");
    let title = f
        .browser
        .evaluate("document.getElementById('scene').textContent");
    assert_eq!(title, json!(blown_up.header.scene));
    f.browser.evaluate("stiction.select(1)");
    f.browser.picture();

    f.open(&Recording::default(), "");
    let message = f
        .browser
        .evaluate("document.getElementById('message').textContent");
    assert_eq!(message, json!("This recording has no frames."));

    let nothing = Recording {
        header: Header {
            scene: "nothing at all".into(),
            ..Header::default()
        },
        frames: vec![Frame::default()],
    };
    f.open(&nothing, "");
    let title = f.browser.evaluate("document.title");
    assert_eq!(title, json!("nothing at all · stiction"));
    f.no_errors();
}

#[test]
fn a_live_run_is_followed_paused_and_kept_and_a_replay_is_served() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    let recording = scene::everything(2.0);
    let server = Server::bind(loopback(), recording.header.clone()).unwrap();
    f.browser.go(&server.url());
    for frame in &recording.frames[..30] {
        server.publish(frame).unwrap();
    }
    f.browser.wait_for("stiction.run.frames.length === 30");
    f.browser
        .wait_for("stiction.timeline.time === stiction.run.end");
    assert_eq!(
        f.browser
            .evaluate("document.getElementById('live').dataset.state"),
        json!("live")
    );
    let picture = f.browser.picture();

    // Paused: frames arrive, the picture stays.
    f.browser.press(" ");
    server.publish(&recording.frames[60]).unwrap();
    f.browser.wait_for("stiction.run.frames.length === 31");
    let paused = f.browser.picture();
    assert_eq!(difference(&picture, &paused), 0);
    f.browser.press("l");
    f.browser
        .wait_for("stiction.timeline.time === stiction.run.end");
    let newest = f.browser.picture();
    assert!(difference(&picture, &newest) > 50);

    server.shutdown();
    f.browser
        .wait_for("document.getElementById('live').dataset.state === 'ended'");
    f.browser.press("Home");
    assert_eq!(f.browser.evaluate("stiction.timeline.time"), json!(0));

    // A replay is the same page under the same content policy, with its data inside.
    let replay = serve_recording(&scene::everything(0.5), loopback()).unwrap();
    f.browser.go(&format!("{}#t=0.25", replay.url()));
    assert_eq!(f.browser.evaluate("stiction.run.frames.length"), json!(31));
    replay.shutdown();
    f.no_errors();
}

#[test]
fn two_hundred_bodies_play_and_can_be_picked() {
    let Some(chromium) = outside::chromium() else {
        return;
    };
    let mut f = Fixture::new(&chromium, 720, 540);
    f.open(&scene::many(200, 1.0), "t=0");
    assert_eq!(f.browser.evaluate("stiction.run.bodies"), json!(201));
    let before = f.browser.picture();
    f.browser.press(" ");
    f.browser.wait_for("stiction.timeline.time > 0.5");
    let after = f.browser.picture();
    assert!(difference(&before, &after) > 100);
    // The merged bodies that software gets look like the instances that a graphics card gets.
    f.browser.press(" ");
    let instances = f.browser.picture();
    let merged = f
        .browser
        .picture_at("{ scale: 1, samples: 0, shadow: 1024, soft: 1, merged: true }");
    let unlike = difference(&instances, &merged);
    let hidden = f
        .browser
        .evaluate("(stiction.renderer.sets.visuals.batches.forEach((b) => (b.count = 0)), true)");
    assert_eq!(hidden, json!(true));
    let ground = f.browser.picture();
    let bodies = difference(&instances, &ground);
    assert!(
        unlike < bodies / 3,
        "{unlike} pixels differ of {bodies} that show bodies"
    );
    f.browser.evaluate(
        "stiction.renderer.sets.visuals.batches.forEach((b) => (b.count = b.entries.length))",
    );
    // What is drawn can be picked: some of a row of points across the crowd.
    let picked = f.browser.evaluate(
        "Array.from({ length: 60 }, (_, k) => stiction.pick(60 + 10 * k, stiction.view.clientHeight / 2))
           .filter((index) => index !== null && index > 0 && index <= 200).length",
    );
    assert!(picked.as_u64() > Some(5), "{picked} of 60 points");
    f.no_errors();
}
