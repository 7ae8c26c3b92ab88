//! A door handle: one hinge with dry friction and limits, driven by a torque.

use std::f64::consts::TAU;

use stiction_dynamics::{Data, MassMatrix, crba};
use stiction_scenes::{Options, Scene, SettingsDescription, from_scene_file};
use stiction_sim::{ActuatorHandle, RobotHandle, Settings, SimError, Vector3};

use super::SOLVERS;
use crate::Run;
use crate::chart::{Chart, Curve, Scale, grid};
use crate::error::{ExperimentError, Result};
use crate::report::{Figure, Section, Table};
use crate::statement::{How, Statement};

/// How door handles are solved.
fn how(solver: &str, tolerance: f64) -> How {
    let stop = format!("scaled residual of {tolerance:.0e} m/s");
    How::new(
        solver,
        "positions, velocities and torques of the joint",
        stop,
    )
}

/// Joint and actuator of the bundled robot.
const HANDLE: &str = "handle";

/// The bundled door handle without gravity and damping, so that its motion has a closed form.
struct DoorHandle {
    scene: Scene,
    robot: RobotHandle,
    actuator: ActuatorHandle,
    /// Rotational inertia about the hinge, kg·m².
    inertia: f64,
}

impl DoorHandle {
    /// A handle with dry friction (N·m) and symmetric limits (rad).
    fn new(solver: &str, tolerance: f64, friction: f64, limit: f64) -> Result<Self> {
        let name = "door-handle";
        let robot = stiction_scenes::robots();
        let robot = robot.iter().find(|robot| robot.name == name);
        let robot = robot.ok_or_else(|| {
            ExperimentError::Simulation(SimError::Unknown {
                what: "bundled robot",
                name: name.to_owned(),
            })
        })?;
        let mut file = robot.read()?;
        let description = &mut file.scene.robots[0];
        for joint in &mut description.joints {
            joint.properties.friction_loss = friction;
            joint.properties.damping = 0.0;
            (joint.properties.lower, joint.properties.upper) = (-limit, limit);
        }
        let robot_name = description.name.clone();
        file.scene.actuators[0].control_limits = None;
        let options = Options {
            settings: SettingsDescription {
                solver: Some(solver.to_owned()),
                tolerance: Some(tolerance),
                time_step: Some(1.0 / 240.0),
                ..SettingsDescription::default()
            },
            ..Options::default()
        };
        let mut scene = from_scene_file(&file, &options)?;
        let settings = Settings {
            gravity: Vector3::zeros(),
            ..scene.world.settings().clone()
        };
        scene.world.set_settings(settings)?;
        let robot = scene.world.find_robot(&robot_name)?;
        let actuator = scene.world.find_actuator(HANDLE)?;
        let model = scene.world.model(robot)?;
        let mut data = Data::new(model);
        let mut mass = MassMatrix::new(model);
        crba(model, &mut data, &model.neutral(), &mut mass).map_err(SimError::from)?;
        let inertia = mass.row(0)[0];
        Ok(Self {
            scene,
            robot,
            actuator,
            inertia,
        })
    }

    fn step(&mut self, torque: f64) -> Result<()> {
        self.scene.world.set_control(self.actuator, torque)?;
        self.scene.world.step()?;
        Ok(())
    }

    fn time_step(&self) -> f64 {
        self.scene.world.settings().time_step
    }

    /// Position (rad) and velocity (rad/s).
    fn state(&self) -> Result<[f64; 2]> {
        let state = self.scene.world.joint_state(self.robot, HANDLE)?;
        Ok([state.position, state.velocity])
    }

    /// Torque of dry friction against the motion, N·m.
    fn friction(&self) -> Result<f64> {
        Ok(-self.scene.world.joint_forces(self.robot, HANDLE)?.friction)
    }
}

/// Friction force against a torque that rises from zero: it follows the torque, then stays.
pub(super) fn friction(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(4.0, 0.5);
    let mut charts = Vec::new();
    let mut rows = Vec::new();
    let mut statements = Vec::new();
    let mut inertia = 0.0;
    for (index, (solver, tolerance)) in SOLVERS.into_iter().enumerate() {
        run.tell(0.5 * index as f64, "door handle, rising torque")?;
        let mut curves = Vec::new();
        let mut worst = Worst::default();
        for (color, bound) in [0.3, 0.6, 0.9].into_iter().enumerate() {
            let mut handle = DoorHandle::new(solver, tolerance, bound, f64::INFINITY)?;
            let dt = handle.time_step();
            let steps = (seconds / dt) as usize;
            let mut points = Vec::with_capacity(steps);
            let (mut largest, mut stuck_speed, mut slip_error): (f64, f64, f64) = (0.0, 0.0, 0.0);
            let mut before = 0.0;
            for step in 0..steps {
                let torque = 1.5 * (step as f64 + 0.5) / steps as f64;
                handle.step(torque)?;
                let force = handle.friction()?;
                let [_, speed] = handle.state()?;
                points.push((torque, force));
                largest = largest.max(force);
                if torque < bound {
                    stuck_speed = stuck_speed.max(speed.abs());
                } else {
                    let expected = (torque - bound) / handle.inertia;
                    slip_error = slip_error.max(((speed - before) / dt - expected).abs());
                }
                before = speed;
            }
            rows.push(vec![
                solver.to_owned(),
                format!("{bound}"),
                format!("{largest:.12}"),
                format!("{stuck_speed:.1e}"),
                format!("{slip_error:.1e}"),
            ]);
            worst.update(bound, largest, stuck_speed, slip_error);
            inertia = handle.inertia;
            curves.push(Curve {
                label: format!("{bound} N·m"),
                color,
                points,
            });
        }
        statements.push(worst.statement(solver, tolerance, inertia));
        charts.push(Chart {
            title: solver.to_owned(),
            x_label: "joint torque (N·m)".to_owned(),
            y_label: "friction torque (N·m)".to_owned(),
            scale: Scale::Linear,
            curves,
            legend: true,
        });
    }
    let header = [
        "solver",
        "friction (N·m)",
        "largest (N·m)",
        "speed while stuck (rad/s)",
        "acceleration error while slipping (rad/s²)",
    ];
    Ok(Section {
        heading: "Door handle under a rising torque".to_owned(),
        text: format!(
            "The bundled `door-handle`, {inertia:.2e} kg·m² about its hinge, is turned by a torque that rises from 0 to \
             1.5 N·m in {seconds} s, at steps of 1/240 s. Below the friction torque it must not move \
             and friction must equal the torque; above it, friction stays at its bound and the handle \
             accelerates by (torque − friction) / inertia."
        ),
        statements,
        tables: vec![Table {
            rows,
            ..Table::new("", header)
        }],
        figures: vec![Figure {
            name: "friction".to_owned(),
            caption:
                "Friction against joint torque for three friction bounds (the paper's figure 2)"
                    .to_owned(),
            svg: grid("Joint friction", &charts, 2, (1100, 420))?,
            paper: "figure 2: friction follows the torque up to its bound, and stays there; its bounds are not \
                    published"
                .to_owned(),
        }],
    })
}

/// The largest deviations over all friction bounds.
#[derive(Default)]
struct Worst {
    plateau: f64,
    stuck_speed: f64,
    slip_error: f64,
}

impl Worst {
    fn update(&mut self, bound: f64, largest: f64, stuck_speed: f64, slip_error: f64) {
        self.plateau = self.plateau.max((largest - bound).abs());
        self.stuck_speed = self.stuck_speed.max(stuck_speed);
        self.slip_error = self.slip_error.max(slip_error);
    }

    fn statement(&self, solver: &str, tolerance: f64, inertia: f64) -> Statement {
        // A residual in m/s becomes a torque by inertia over the step.
        let allowed = (tolerance * inertia * 240.0).max(1e-12);
        Statement::judged(
            "figure 2: joint friction is enforced: a stick slope, then a plateau",
            &how(solver, tolerance),
            format!(
                "plateau within {:.1e} N·m of the bound, speed while stuck at most {:.1e} rad/s, \
                 acceleration while slipping within {:.1e} rad/s²",
                self.plateau, self.stuck_speed, self.slip_error
            ),
            self.plateau <= allowed
                && self.stuck_speed <= tolerance.max(1e-12)
                && self.slip_error <= 480.0 * tolerance.max(1e-9),
        )
    }
}

/// Position under a periodic torque: clipped at the limits.
pub(super) fn limits(run: &mut Run<'_>) -> Result<Section> {
    let seconds = run.or_quick(6.0, 1.0);
    let mut charts = Vec::new();
    let mut rows = Vec::new();
    let mut statements = Vec::new();
    for (index, (solver, tolerance)) in SOLVERS.into_iter().enumerate() {
        run.tell(0.5 * index as f64, "door handle, periodic torque")?;
        let mut curves = Vec::new();
        let mut worst: f64 = f64::NEG_INFINITY;
        for (color, limit) in [0.3, 0.6, 0.9].into_iter().enumerate() {
            let mut handle = DoorHandle::new(solver, tolerance, 0.05, limit)?;
            let dt = handle.time_step();
            let mut points = Vec::new();
            let mut farthest: f64 = 0.0;
            for step in 0..(seconds / dt) as usize {
                let time = step as f64 * dt;
                handle.step(0.4 * (TAU * time).cos())?;
                let [position, _] = handle.state()?;
                farthest = farthest.max(position.abs());
                points.push((time + dt, position));
            }
            worst = worst.max(farthest - limit);
            rows.push(vec![
                solver.to_owned(),
                format!("{limit}"),
                format!("{farthest:.12}"),
                format!("{:+.1e}", farthest - limit),
            ]);
            curves.push(Curve {
                label: format!("±{limit} rad"),
                color,
                points,
            });
        }
        // A residual in rad/s becomes an angle over a step, and a few steps may add up before the
        // joint turns round; CANAL's may not exceed 1e-9 rad.
        let allowed = (10.0 * tolerance / 240.0).max(1e-9);
        statements.push(Statement::judged(
            "figure 3: the joint is kept within its limits under periodic torque",
            &how(solver, tolerance),
            format!("the position passes its limit by {worst:.1e} rad at most"),
            worst <= allowed && worst > -1e-3,
        ));
        charts.push(Chart {
            title: solver.to_owned(),
            x_label: "time (s)".to_owned(),
            y_label: "joint position (rad)".to_owned(),
            scale: Scale::Linear,
            curves,
            legend: true,
        });
    }
    let header = [
        "solver",
        "limit (rad)",
        "farthest (rad)",
        "beyond the limit (rad)",
    ];
    Ok(Section {
        heading: "Door handle under a periodic torque with limits".to_owned(),
        text: format!(
            "The same handle, with a friction of 0.05 N·m and a torque of 0.4 N·m that changes its \
             direction once a second, for {seconds} s."
        ),
        statements,
        tables: vec![Table {
            rows,
            ..Table::new("", header)
        }],
        figures: vec![Figure {
            name: "limits".to_owned(),
            caption: "Joint position over time for three limits (the paper's figure 3)".to_owned(),
            svg: grid("Joint limits", &charts, 2, (1100, 420))?,
            paper: "figure 3: positions are cut off at their limits; torque and limits are not published"
                .to_owned(),
        }],
    })
}
