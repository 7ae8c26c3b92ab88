#!/usr/bin/env python3
"""Step times of a soft box of 1000 nodes on a plane: stiction and MuJoCo flex on the same MJCF, in one run."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
# MuJoCo's default integrator is explicit for flex and diverges at these time steps.
SCENE = """<mujoco>
  <option timestep="{step}" integrator="discrete"/>
  <worldbody>
    <geom type="plane" size="1 1 .1"/>
    <flexcomp name="s" type="grid" dim="3" count="10 10 10" spacing=".01111 .01111 .01111" pos="0 0 .06"
              mass="1" radius=".001">
      <elasticity young="1e5" poisson=".3" damping=".01"/>
      <contact selfcollide="none"/>
      <edge equality="false"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


def stiction(program, path, solver, step, seconds):
    """What one run of `stiction run --json` says of itself."""
    command = [program, "run", str(path), "--no-output", "--json", "--threads", "1", "--solver", solver]
    command += ["--dt", str(step), "--tolerance", "1e-6", "--seconds", str(seconds)]
    run = subprocess.run(command, capture_output=True, text=True)
    if not run.stdout:
        sys.exit(f"stiction failed on {path}:\n{run.stderr}")
    said = json.loads(run.stdout)
    return said["step_time_s"]["median"], said["residual_m_per_s"]["max"], said["penetration_m"]["median"], said["contacts"]["median"]


def peer(mujoco, text, solver, step, seconds):
    """Median step time (s) of MuJoCo, nothing for the residual, the depth at the end, and its contacts."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.solver = getattr(mujoco.mjtSolver, f"mjSOL_{solver.upper()}")
    data = mujoco.MjData(model)
    times, contacts = [], []
    for _ in range(round(seconds / step)):
        start = time.perf_counter()
        mujoco.mj_step(model, data)
        times.append(time.perf_counter() - start)
        contacts.append(data.ncon)
    depth = max((-contact.dist for contact in data.contact), default=0.0)
    return statistics.median(times), float("nan"), depth, statistics.median(contacts)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(ROOT / "target/release/stiction"))
    parser.add_argument("--step", type=float, default=0.01, help="time step, s")
    parser.add_argument("--seconds", type=float, default=0.5, help="simulated time of each run")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, in turns")
    parser.add_argument("--solvers", default="canal,subadmm,pgs")
    arguments = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        sys.exit("the Python package mujoco is missing: pip install mujoco")
    if not pathlib.Path(arguments.program).exists():
        sys.exit(f"{arguments.program} is missing: cargo build --release")

    step, seconds = arguments.step, arguments.seconds
    text = SCENE.format(step=step)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "soft_box.xml"
        path.write_text(text)
        runs = {f"stiction {name}": lambda name=name: stiction(arguments.program, path, name, step, seconds) for name in arguments.solvers.split(",")}
        runs |= {f"MuJoCo {name}": lambda name=name: peer(mujoco, text, name, step, seconds) for name in ("Newton", "CG")}
        found = {name: [] for name in runs}
        for _ in range(arguments.runs):
            for name, run in runs.items():
                found[name].append(run())
    print(f"MuJoCo {mujoco.__version__}, soft box of 1000 nodes on a plane, {seconds} s at {1e3 * step:g} ms, {arguments.runs} turns, one thread")
    print(f"{'':<18}{'ms a step':>10}{'residual':>10}{'depth mm':>10}{'contacts':>10}{'to faster MuJoCo':>18}")
    theirs = [min(turn) for turn in zip(*([run[0] for run in found[name]] for name in runs if name.startswith("MuJoCo")))]
    for name, results in found.items():
        best = min(results)
        # A machine that changes its speed between two turns changes it for all.
        ratio = statistics.median(run[0] / their for run, their in zip(results, theirs))
        print(f"{name:<18}{1e3 * best[0]:>10.2f}{best[1]:>10.1e}{1e3 * best[2]:>10.4f}{best[3]:>10.0f}{ratio:>18.2f}")


if __name__ == "__main__":
    main()
