"""Writes MuJoCo's values for the models beside this file, for tests/mujoco_reference.rs.

    pip install mujoco==4.0.0 && python write.py
"""

import json
import pathlib

import mujoco
import numpy as np

HERE = pathlib.Path(__file__).parent


def rounded(values):
    return [float(f"{value:.15g}") for value in np.ravel(values)]


def rows(matrix):
    return [rounded(row) for row in matrix]


def random_state(model, data, rng):
    mujoco.mj_resetData(model, data)
    data.qvel[:] = rng.uniform(-1, 1, model.nv)
    velocity = rng.uniform(-1, 1, model.nv)
    mujoco.mj_integratePos(model, data.qpos, velocity, 1.0)


def free_motion(path):
    """0.2 s of MuJoCo's RK4 from a random state, without contacts, limits and dry friction."""
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.timestep = 1e-4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    random_state(model, data, np.random.default_rng(2))
    samples = []
    for count in (0, 500, 1500):
        for _ in range(count):
            mujoco.mj_step(model, data)
        samples.append({"t": round(data.time, 9), "qpos": rounded(data.qpos), "qvel": rounded(data.qvel)})
    return samples


def write(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(1)
    bodies = []
    for index in range(1, model.nbody):
        axes = np.zeros(9)
        mujoco.mju_quat2Mat(axes, model.body_iquat[index])
        axes = axes.reshape(3, 3)
        inertia = axes @ np.diag(model.body_inertia[index]) @ axes.T
        bodies.append(
            {
                "name": model.body(index).name,
                "parent": model.body(model.body_parentid[index]).name,
                "mass": float(model.body_mass[index]),
                "com": rounded(model.body_ipos[index]),
                "inertia_at_com_body_axes": rows(inertia),
            }
        )
    joints = [
        {
            "name": model.joint(index).name,
            "type": int(model.jnt_type[index]),
            "limited": bool(model.jnt_limited[index]),
            "range": rounded(model.jnt_range[index]),
            "qposadr": int(model.jnt_qposadr[index]),
            "dofadr": int(model.jnt_dofadr[index]),
        }
        for index in range(model.njnt)
    ]
    states = []
    for _ in range(2):
        random_state(model, data, rng)
        mujoco.mj_forward(model, data)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, mass)
        states.append(
            {
                "qpos": rounded(data.qpos),
                "qvel": rounded(data.qvel),
                "mass_matrix": rows(mass),
                "bias": rounded(data.qfrc_bias),
                "passive": rounded(data.qfrc_spring + data.qfrc_damper),
                "xpos": rows(data.xpos),
                "xquat_wxyz": rows(data.xquat),
            }
        )
    out = {
        "name": path.stem,
        "mujoco": mujoco.__version__,
        "bodies": bodies,
        "joints": joints,
        "dof": {
            "armature": rounded(model.dof_armature),
            "damping": rounded(np.ravel(model.dof_damping)[: model.nv]),
            "frictionloss": rounded(model.dof_frictionloss),
        },
        "states": states,
        "free_motion": free_motion(path),
    }
    path.with_suffix(".json").write_text(json.dumps(out) + "\n")


for path in sorted(HERE.glob("*.xml")):
    write(path)
