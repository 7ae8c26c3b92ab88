"""Writes robots_mujoco.json: what MuJoCo says about the robots that come along.

For every joint with one degree of freedom, at a pose within its range: the torque that holds the robot
against gravity and the diagonal of the joint-space inertia, which includes the armature. Needs
`pip install mujoco` (written with 4.0.0); run it in this folder.
"""

import json
import pathlib

import mujoco
import numpy as np

ROBOTS = pathlib.Path("../../assets/robots")
FREE = {"laikago", "solo12"}


def model_of(path):
    spec = mujoco.MjSpec.from_file(str(path))
    # A URDF file does not say that its root is free, and its root must stay a body to be freed.
    spec.compiler.fusestatic = False
    if path.stem in FREE:
        spec.worldbody.bodies[0].add_freejoint()
    return spec.compile()


def describe(path):
    model = model_of(path)
    data = mujoco.MjData(model)
    scalar = [j for j in range(model.njnt) if model.jnt_type[j] in (2, 3)]
    for number, j in enumerate(scalar):
        low, high = model.jnt_range[j] if model.jnt_limited[j] else (-1.0, 1.0)
        # Anywhere but at a symmetric place.
        share = 0.3 + 0.4 * ((0.37 * number) % 1.0)
        data.qpos[model.jnt_qposadr[j]] = round(low + share * (high - low), 6)
    mujoco.mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    joints = {}
    for j in scalar:
        dof = model.jnt_dofadr[j]
        joints[model.joint(j).name] = {
            "position": float(data.qpos[model.jnt_qposadr[j]]),
            "gravity_torque": float(data.qfrc_bias[dof]),
            "inertia": float(full[dof, dof]),
        }
    return joints


files = sorted(p for p in ROBOTS.iterdir() if p.suffix in (".xml", ".urdf"))
result = {path.name: describe(path) for path in files}
pathlib.Path("robots_mujoco.json").write_text(json.dumps(result, indent=1) + "\n")
