"""Writes chain_mujoco.json: how MuJoCo's RK4 moves chain.xml, which this script writes too.

A chain of hinges about three axes with a slide in it, sampled every 0.1 s to 1 s: with one
RK4 step in 1/240 s, and at 1/15360 s. Needs `pip install mujoco` (written with 4.0.0); run it in this folder.
"""

import json
import pathlib

import mujoco

JOINTS = [
    'type="hinge" axis="0 1 0"',
    'type="hinge" axis="0 0 1"',
    'type="hinge" axis="0 1 0"',
    'type="slide" axis="0.6 0.8 0"',
    'type="hinge" axis="0 1 0"',
    'type="hinge" axis="1 0 0"',
]


def chain():
    body = ""
    for number in reversed(range(len(JOINTS))):
        place = "0 0 0" if number == 0 else "0.15 0.02 0.01"
        body = (
            f'<body name="l{number}" pos="{place}"><joint name="j{number}" {JOINTS[number]}/>'
            f'<geom type="capsule" fromto="0 0 0 0.15 0 0" size="0.02" mass="{0.1 + 0.02 * number}" '
            f'contype="0" conaffinity="0"/>\n{body}</body>'
        )
    return (
        '<mujoco model="chain">\n<compiler angle="radian"/>\n'
        '<option gravity="0 0 -9.81" integrator="RK4"/>\n'
        f"<worldbody>\n{body}\n</worldbody>\n</mujoco>\n"
    )


def run(model, per_second):
    model.opt.timestep = 1.0 / per_second
    data = mujoco.MjData(model)
    samples = {"qpos": [], "qvel": []}
    for sample in range(11):
        samples["qpos"].append(data.qpos.tolist())
        samples["qvel"].append(data.qvel.tolist())
        for _ in range(per_second // 10 if sample < 10 else 0):
            mujoco.mj_step(model, data)
    return samples


pathlib.Path("chain.xml").write_text(chain())
MODEL = mujoco.MjModel.from_xml_path("chain.xml")
REFERENCE = {
    "mujoco": mujoco.__version__,
    "t": [round(0.1 * sample, 1) for sample in range(11)],
    "rk4_240": run(MODEL, 240),
    "fine": run(MODEL, 15360),
}
pathlib.Path("chain_mujoco.json").write_text(json.dumps(REFERENCE, indent=1) + "\n")
