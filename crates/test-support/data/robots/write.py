"""Writes Pinocchio's values for the robots of this folder, and the meshes of one of them.

    pip install pin==4.1.0 && python write.py

Conventions are Pinocchio's: joints depth first, children by name; quaternions (x, y, z, w); the velocity
of a free base in its own frame, linear part first; gravity 9.81 m/s² along −z; armature left out.
"""

import json
import pathlib
import struct

import numpy as np
import pinocchio as pin

HERE = pathlib.Path(__file__).parent


def rounded(values):
    return [float(f"{value:.15g}") for value in np.ravel(values)]


def pose(placement):
    return {"p": rounded(placement.translation), "R": rounded(placement.rotation)}


AXES = {"X": [1.0, 0.0, 0.0], "Y": [0.0, 1.0, 0.0], "Z": [0.0, 0.0, 1.0]}


def axis(joint):
    name = joint.shortname()
    if name == "JointModelFreeFlyer":
        return None
    if name[-1] in AXES:
        return AXES[name[-1]]
    data = joint.createData()
    joint.calc(data, np.zeros(joint.nq))
    s = np.ravel(data.S)
    return rounded(s[:3] if name.startswith("JointModelP") else s[3:])


def joints(model):
    out = []
    for index in range(1, model.njoints):
        joint, inertia = model.joints[index], model.inertias[index]
        out.append(
            {
                "name": model.names[index],
                "type": joint.shortname(),
                "nq": joint.nq,
                "nv": joint.nv,
                "parent": model.names[model.parents[index]],
                "axis": axis(joint),
                "placement_in_parent": pose(model.jointPlacements[index]),
                "inertia": {
                    "mass": inertia.mass,
                    "com": rounded(inertia.lever),
                    "about_com": rounded(inertia.inertia),
                },
            }
        )
    return out


def sample(model, data, frames, rng):
    lower = np.where(np.isfinite(model.lowerPositionLimit), model.lowerPositionLimit, -1.0)
    upper = np.where(np.isfinite(model.upperPositionLimit), model.upperPositionLimit, 1.0)
    q = rng.uniform(np.maximum(lower, -10), np.minimum(upper, 10))
    q = pin.normalize(model, q)
    v, a, tau = (rng.uniform(-s, s, model.nv) for s in (1, 1, 10))
    mass = pin.crba(model, data, q).copy()
    mass = np.triu(mass) + np.triu(mass, 1).T
    out = {
        "q": rounded(q),
        "v": rounded(v),
        "a": rounded(a),
        "tau": rounded(tau),
        "rnea": rounded(pin.rnea(model, data, q, v, a)),
        "aba": rounded(pin.aba(model, data, q, v, tau)),
        "nle": rounded(pin.nonLinearEffects(model, data, q, v)),
        "crba_upper": rounded(mass[np.triu_indices(model.nv)]),
        "com": rounded(pin.centerOfMass(model, data, q, v)),
        "vcom": rounded(data.vcom[0]),
        "ke": pin.computeKineticEnergy(model, data, q, v),
        "pe": pin.computePotentialEnergy(model, data, q),
        "frames": {},
    }
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    for name in frames:
        frame = model.getFrameId(name)
        jacobian = lambda reference: rounded(pin.getFrameJacobian(model, data, frame, reference))
        out["frames"][name] = {
            **pose(data.oMf[frame]),
            "J_lwa": jacobian(pin.LOCAL_WORLD_ALIGNED),
            "J_local": jacobian(pin.LOCAL),
        }
    return out


def robot(name, is_free, frames):
    path = HERE / f"{name}.urdf"
    base = [pin.JointModelFreeFlyer()] if is_free else []
    model = pin.buildModelFromUrdf(str(path), *base)
    model.armature[:] = 0
    data = model.createData()
    rng = np.random.default_rng(1)
    placements = {}
    for frame in frames:
        known = model.frames[model.getFrameId(frame)]
        placements[frame] = {"parent_joint": model.names[known.parentJoint], **pose(known.placement)}
    still = model.inertias[0]
    out = {
        "robot": name,
        "urdf": path.name,
        "source": f"Pinocchio {pin.__version__}",
        "free_flyer": is_free,
        "locked_joints_at_neutral": [],
        "nq": model.nq,
        "nv": model.nv,
        "joints": joints(model),
        "frame_placements": placements,
        "inertia_fixed_to_world": {"mass": still.mass, "com": rounded(still.lever)},
        "samples": [sample(model, data, frames, rng) for _ in range(4)],
    }
    (HERE / f"{name}.json").write_text(json.dumps(out) + "\n")


def bracket():
    """An L of 0.12 × 0.08 m, 0.02 m thick along both legs, 0.04 m wide: corners and outward triangles."""
    outline = [(0, 0), (0.12, 0), (0.12, 0.02), (0.02, 0.02), (0.02, 0.08), (0, 0.08)]
    points = [(x, y, z) for z in (0, 0.04) for x, y in outline]
    top = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)]
    faces = [(a, c, b) for a, b, c in top] + [(a + 6, b + 6, c + 6) for a, b, c in top]
    for a in range(6):
        b = (a + 1) % 6
        faces += [(a, b, b + 6), (a, b + 6, a + 6)]
    return points, faces


COLLADA = """<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="meter" meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="bracket"><mesh>
  <source id="corners"><float_array id="numbers" count="{count}">{numbers}</float_array>
    <technique_common><accessor source="#numbers" count="{points}" stride="3">
      <param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
    </accessor></technique_common></source>
  <vertices id="vertices"><input semantic="POSITION" source="#corners"/></vertices>
  <triangles count="{triangles}"><input semantic="VERTEX" source="#vertices" offset="0"/>
    <p>{indices}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene">
  <node id="bracket-node"><instance_geometry url="#bracket"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#scene"/></scene>
</COLLADA>
"""


def meshes():
    points, faces = bracket()
    folder = HERE / "meshes"
    folder.mkdir(exist_ok=True)
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in points)
    text += "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)
    (folder / "bracket.obj").write_text(text)
    numbers = " ".join(f"{x}" for point in points for x in point)
    indices = " ".join(f"{k}" for face in faces for k in face)
    counts = {"count": 3 * len(points), "points": len(points), "triangles": len(faces)}
    (folder / "bracket.dae").write_text(COLLADA.format(numbers=numbers, indices=indices, **counts))
    # Binary STL, in mm as such files are.
    out = b"bracket".ljust(80) + struct.pack("<I", len(faces))
    for face in faces:
        corners = [1000 * x for k in face for x in points[k]]
        out += struct.pack("<12fH", 0, 0, 0, *corners, 0)
    (folder / "bracket.stl").write_bytes(out)


robot("arm", False, ["tool", "hand"])
robot("crawler", True, ["left_shank", "trunk"])
meshes()
