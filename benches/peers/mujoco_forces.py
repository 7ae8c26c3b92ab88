#!/usr/bin/env python3
"""Contact forces of `mujoco-like` beside MuJoCo's own, at the same states of the same MJCF files."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def with_state(text, data):
    """The MJCF text with the present state as its keyframe `same`."""
    key = f'<key name="same" qpos="{numbers(data.qpos)}" qvel="{numbers(data.qvel)}"'
    key += f' ctrl="{numbers(data.ctrl)}"/>' if len(data.ctrl) else "/>"
    if "<keyframe>" in text:
        return text.replace("<keyframe>", "<keyframe>" + key, 1)
    return text.replace("</mujoco>", f"<keyframe>{key}</keyframe></mujoco>", 1)


def damped_implicitly(mujoco, path):
    """The model with h D in its mass matrix: (M + h D) a = f - D v is what damping at the end of a step comes to, which
    is how stiction has it. MuJoCo's own constraint forces do not know of the damping that its integrator adds later."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    model.dof_armature += model.opt.timestep * model.dof_damping
    return model


def theirs(mujoco, model, state):
    """Sum of the contact forces by normal and friction, N, and how many contacts push."""
    import numpy

    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:], data.ctrl[:], data.time = state.qpos, state.qvel, state.ctrl, state.time
    mujoco.mj_forward(model, data)
    total, friction, count = 0.0, 0.0, 0
    for index in range(data.ncon):
        force = numpy.zeros(6)
        mujoco.mj_contactForce(model, data, index, force)
        total += force[0]
        friction += float(numpy.hypot(force[1], force[2]))
        count += force[0] > 0.0
    return total, friction, count


def ours(program, folder, text, step):
    """The same of one step of ours."""
    path = folder / "same.xml"
    path.write_text(text)
    recording = folder / "same.stiction"
    command = [program, "run", str(path), "--no-output", "--keyframe", "same", "--solver", "mujoco-like"]
    command += ["--dt", repr(step), "--seconds", repr(step), "--record", str(recording), "--fps", repr(1 / step)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"stiction failed on {path}:\n{run.stderr}")
    target = folder / "same.json"
    subprocess.run([program, "export", str(recording), "--json", str(target)], check=True, capture_output=True)
    frame = json.loads(target.read_text())["frames"][-1]
    total, friction, count = 0.0, 0.0, 0
    for contact in frame["contacts"]:
        force, normal = contact["force"], contact["normal"]
        along = sum(f * n for f, n in zip(force, normal))
        aside = [f - along * n for f, n in zip(force, normal)]
        total += along
        friction += sum(part * part for part in aside) ** 0.5
        count += along > 0.0
    return total, friction, count


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="MJCF files")
    parser.add_argument("--program", default=str(ROOT / "target/release/stiction"))
    parser.add_argument("--after", type=float, nargs="+", default=[0.1, 0.3, 1.0], help="times of the states, s")
    arguments = parser.parse_args()
    try:
        import mujoco
    except ImportError:
        sys.exit("the Python package mujoco is missing: pip install mujoco")
    worst = 0.0
    print(f"{'scene':<16} {'time':>6} {'contacts':>9} {'normal (N)':>22} {'friction (N)':>22} {'difference':>10}")
    for path in arguments.files:
        text = path.read_text()
        model = mujoco.MjModel.from_xml_path(str(path))
        model.opt.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        same = damped_implicitly(mujoco, path)
        data = mujoco.MjData(model)
        if model.nkey > 0:
            mujoco.mj_resetDataKeyframe(model, data, 0)
        for time in arguments.after:
            while data.time < time:
                mujoco.mj_step(model, data)
            with tempfile.TemporaryDirectory() as folder:
                state = with_state(text, data)
                mine = ours(arguments.program, pathlib.Path(folder), state, model.opt.timestep)
            other = theirs(mujoco, same, data)
            size = max(other[0], 1e-9)
            difference = max(abs(mine[0] - other[0]), abs(mine[1] - other[1])) / size
            worst = max(worst, difference)
            counts = f"{mine[2]}, {other[2]}"
            normal = f"{mine[0]:.4f}, {other[0]:.4f}"
            friction = f"{mine[1]:.4f}, {other[1]:.4f}"
            print(f"{path.stem:<16} {time:>6.2f} {counts:>9} {normal:>22} {friction:>22} {100 * difference:>9.2f}%")
    sys.exit(0 if worst <= 0.01 else 1)


if __name__ == "__main__":
    main()
