#!/usr/bin/env python3
"""Chains that swing freely: step times and energy of stiction beside MuJoCo's Euler and RK4, in turns."""

import argparse
import math
import pathlib
import tempfile
import time

import mujoco_ratio

# Links of 8 cm and 40 g, released from the horizontal.
LINK = '<geom type="capsule" fromto="0 0 0 0.08 0 0" size="0.005" mass="0.04" contype="0" conaffinity="0"/>'
HINGES = {"planar": ["0 1 0"], "spatial": ["0 1 0", "0 0 1"]}
INTEGRATORS = ["Euler", "RK4"]


def chain(count, axes):
    """A chain as an MJCF text."""
    opened = ""
    for link in range(count):
        place, axis = "0.08 0 0" if link else "0 0 0", axes[link % len(axes)]
        opened += f'<body name="l{link}" pos="{place}"><joint name="j{link}" type="hinge" axis="{axis}"/>{LINK}'
    option = f'<option timestep="{mujoco_ratio.STEP}" integrator="RK4"><flag energy="enable"/></option>'
    return f"<mujoco>{option}<worldbody>{opened}{'</body>' * count}</worldbody></mujoco>"


def of_mujoco(mujoco, text, integrator, seconds):
    """Mean step time (s) and the change of energy (J); None where it came apart."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    start, spent = sum(data.energy), 0.0
    for _ in range(round(seconds / mujoco_ratio.STEP)):
        clock = time.perf_counter()
        mujoco.mj_step(model, data)
        spent += time.perf_counter() - clock
        if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
            return math.inf, None
    mujoco.mj_forward(model, data)
    return spent * mujoco_ratio.STEP / seconds, sum(data.energy) - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", default=str(mujoco_ratio.ROOT / "target/release/stiction"))
    parser.add_argument("--seconds", type=float, default=4.0, help="simulated time of each run")
    parser.add_argument("--runs", type=int, default=5, help="runs of each engine, in turns")
    parser.add_argument("--links", type=int, nargs="+", default=[1, 10, 50, 150])
    arguments = parser.parse_args()
    import mujoco

    print(f"MuJoCo {mujoco.__version__}, steps of 1/240 s, smallest mean step of {arguments.runs} turns; change of energy")
    print(f"in {arguments.seconds:g} s as a share of what the chain has more than one that hangs straight down")
    heads = ["stiction", *(f"MuJoCo {name}" for name in INTEGRATORS)]
    print(f"{'chain':<16}" + "".join(f"{head + ' µs':>18}{'energy':>10}" for head in heads))
    for count in arguments.links:
        for name, axes in HINGES.items():
            text = chain(count, axes)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "chain.xml"
                path.write_text(text)
                runs = []
                for _ in range(arguments.runs):
                    ours = mujoco_ratio.stiction(arguments.program, path, None, arguments.seconds)
                    theirs = [of_mujoco(mujoco, text, integrator, arguments.seconds) for integrator in INTEGRATORS]
                    runs.append([(ours["step_time_s"]["mean"], ours["energy_change_j"]), *theirs])
            best = [min(column, key=lambda run: run[0]) for column in zip(*runs)]
            line = f"{count:>4} {name:<11}"
            # What the chain has more than one that hangs straight down.
            scale = 0.5 * count * 0.08 * count * 0.04 * 9.81
            for spent, energy in best:
                change = "apart" if energy is None else f"{energy / scale:+.1e}"
                step = "-" if energy is None else f"{1e6 * spent:.1f}"
                line += f"{step:>18}{change:>10}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
