//! `stiction view`: a recording, or a scene while it is simulated, in the browser.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use stiction_scenes::{Options, Scene, SettingsDescription};
use stiction_viewer::{Server, serve_recording};

use crate::arguments::ViewArguments;
use crate::commands::export::read_recording;
use crate::simulate::{End, Interrupt, open, simulate};
use crate::{Ending, complain};

/// Frames sent per simulated second.
const RATE: f64 = 60.0;

pub(crate) fn run(arguments: &ViewArguments) -> anyhow::Result<Ending> {
    let host = if arguments.public {
        Ipv4Addr::UNSPECIFIED
    } else {
        Ipv4Addr::LOCALHOST
    };
    let address = SocketAddr::new(IpAddr::V4(host), arguments.port);
    // Nothing is written: a step that takes no notice need not be waited for.
    let interrupt = Interrupt::listen_with(Some(|_| std::process::exit(0)));
    let path = Path::new(&arguments.what);
    if path.extension().is_some_and(|ending| ending == "stic") {
        anyhow::ensure!(
            !arguments.public,
            "recordings are served on the loopback address only; send the page of `stiction export \
             --html` instead"
        );
        let loaded = read_recording(path)?;
        let replay = serve_recording(&loaded.recording, address)?;
        announce(&replay.url(), arguments.no_browser)?;
        wait(&interrupt);
        interrupt.stopped();
        replay.shutdown();
        return Ok(Ending::Fine);
    }
    let options = Options {
        settings: SettingsDescription {
            solver: arguments.solver.clone(),
            ..SettingsDescription::default()
        },
        keyframe: arguments.keyframe.clone(),
        ..Options::default()
    };
    let scene = open(&arguments.what, &options, &arguments.model)?;
    let header = scene.world.recording_header(&scene.name, 1.0 / RATE);
    let server = if arguments.public {
        Server::bind_public(address, header)?
    } else {
        Server::bind(address, header)?
    };
    announce(&server.url(), arguments.no_browser)?;
    let ending = live(scene, &server, &interrupt)?;
    // What was simulated can be looked at until Ctrl-C.
    wait(&interrupt);
    interrupt.stopped();
    server.shutdown();
    Ok(ending)
}

/// Simulates no faster than real time and sends frames.
fn live(mut scene: Scene, server: &Server, interrupt: &Interrupt) -> anyhow::Result<Ending> {
    scene.world.measure_start()?;
    server.publish(&scene.world.record())?;
    let clock = Instant::now();
    let mut frames = 1_u64;
    let end = simulate(&mut scene, interrupt, |scene| {
        let time = scene.world.time();
        if time * RATE >= frames as f64 {
            frames += 1;
            server.publish(&scene.world.record())?;
            let ahead = time - clock.elapsed().as_secs_f64();
            if ahead > 0.0 {
                std::thread::sleep(Duration::from_secs_f64(ahead));
            }
        }
        Ok(())
    })?;
    Ok(match end {
        End::Failed(error) => {
            complain(&error.to_string());
            Ending::NotConverged
        }
        End::Finished | End::Interrupted => Ending::Fine,
    })
}

fn announce(url: &str, no_browser: bool) -> anyhow::Result<()> {
    writeln!(std::io::stdout(), "{url}")?;
    if no_browser {
        return Ok(());
    }
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(target_os = "windows") {
        "explorer"
    } else {
        "xdg-open"
    };
    // Without a desktop the address on standard output has to do.
    let _ = Command::new(opener)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    Ok(())
}

fn wait(interrupt: &Interrupt) {
    while !interrupt.is_raised() {
        std::thread::sleep(Duration::from_millis(50));
    }
}
