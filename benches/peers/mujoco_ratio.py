#!/usr/bin/env python3
"""Step times of stiction and MuJoCo on the same MJCF files, as a ratio measured in one run."""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import scenes

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEP = 1 / 240


def stiction(program, path, keyframe, seconds):
    """What one run of `stiction run --json` says of itself."""
    command = [program, "run", str(path), "--no-output", "--json", "--threads", "1"]
    command += ["--dt", str(STEP), "--tolerance", "1e-6", "--seconds", str(seconds)]
    command += ["--keyframe", keyframe] if keyframe else []
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"stiction failed on {path}:\n{run.stderr}")
    return json.loads(run.stdout)


def mujoco_median(mujoco, model, seconds):
    """Median step time (s) of one run, and its mean number of contacts."""
    model.opt.timestep = STEP
    model.opt.solver = mujoco.mjtSolver.mjSOL_NEWTON
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    data = mujoco.MjData(model)
    if model.nkey > 0:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    times, contacts = [], 0
    for _ in range(round(seconds / STEP)):
        start = time.perf_counter()
        mujoco.mj_step(model, data)
        times.append(time.perf_counter() - start)
        contacts += data.ncon
    return statistics.median(times), contacts / len(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=pathlib.Path, help="MJCF files")
    parser.add_argument("--program", default=str(ROOT / "target/release/stiction"))
    parser.add_argument("--seconds", type=float, default=4.0, help="simulated time of each run")
    parser.add_argument("--runs", type=int, default=5, help="runs of each engine, in turns")
    arguments = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        sys.exit("the Python package mujoco is missing: pip install mujoco")
    if not pathlib.Path(arguments.program).exists():
        sys.exit(f"{arguments.program} is missing: cargo build --release")

    with tempfile.TemporaryDirectory() as folder:
        files = arguments.files or scenes.write(mujoco, ROOT, arguments.program, pathlib.Path(folder))
        print(f"MuJoCo {mujoco.__version__}, steps of 1/240 s, {arguments.runs} turns: fastest medians, median ratio of a turn")
        print(f"{'scene':<24}{'stiction µs':>12}{'MuJoCo µs':>12}{'ratio':>8}{'residual':>11}{'contacts':>16}")
        for path in files:
            model = mujoco.MjModel.from_xml_path(str(path))
            keyframe = model.key(0).name if model.nkey > 0 else None
            ours, theirs = [], []
            for _ in range(arguments.runs):
                ours.append(stiction(arguments.program, path, keyframe, arguments.seconds))
                theirs.append(mujoco_median(mujoco, model, arguments.seconds))
            best = min(ours, key=lambda run: run["step_time_s"]["median"])
            mine = best["step_time_s"]["median"]
            other, contacts = min(theirs)
            # A machine that changes its speed between two turns changes it for both.
            turns = [run["step_time_s"]["median"] / their for run, (their, _) in zip(ours, theirs)]
            print(
                f"{path.stem:<24}{mine * 1e6:>12.1f}{other * 1e6:>12.1f}{statistics.median(turns):>8.2f}"
                f"{best['residual_m_per_s']['max']:>11.1e}"
                f"{best['contacts']['mean']:>8.1f} {contacts:>7.1f}"
            )


if __name__ == "__main__":
    main()
