"""MJCF scenes made of the bundled robots, for MuJoCo and stiction alike."""

import copy
import pathlib
import subprocess
import xml.etree.ElementTree as xml

# Where a Panda holds a plate on its flange level, rad.
LEVEL = [0.0, -0.6, 0.0, -1.1, 0.0, 3.6416, 0.0]
# Abduction, flexion and knee of a standing leg, rad, and the gains of its servos.
LEG = [0.0, 0.75, -1.5]
GAINS = {"kp": "400", "kv": "12"}


def write(mujoco, root: pathlib.Path, program: str, folder: pathlib.Path) -> list[pathlib.Path]:
    """Writes the scenes into a folder and returns their paths."""
    robots = root / "crates/scenes/assets/robots"
    return [
        panda_box(mujoco, robots / "panda.xml", folder / "panda_box.xml"),
        quadrupeds(program, robots / "laikago.urdf", folder / "quadrupeds_8.xml"),
    ]


def panda_box(mujoco, robot, path):
    """A Panda that holds a plate level, with a 0.5 kg box on it."""
    tree = xml.parse(robot)
    scene = tree.getroot()
    world = scene.find("worldbody")
    hand = next(body for body in world.iter("body") if body.get("name") == "wrist_roll")
    add(hand, "geom", type="box", size="0.1 0.1 0.005", pos="0 0 0.112", mass="0.3")
    add(world, "geom", type="plane", size="5 5 0.1", friction="0.6")
    scene.remove(scene.find("keyframe"))
    # Servos this stiff need MuJoCo's implicit integrator; stiction's is implicit anyway.
    add(scene, "option", integrator="implicitfast")
    # MuJoCo says where the flange is in that posture.
    model = mujoco.MjModel.from_xml_string(text(tree))
    data = mujoco.MjData(model)
    data.qpos[:] = LEVEL
    mujoco.mj_forward(model, data)
    flange = data.site("flange")
    place = flange.xpos + flange.xmat.reshape(3, 3)[:, 2] * 0.06
    turn = data.body("wrist_roll").xquat
    box = add(world, "body", name="box", pos=numbers(place), quat=numbers(turn))
    add(box, "freejoint")
    add(box, "geom", type="box", size="0.05 0.05 0.05", mass="0.5", friction="0.5")
    start = [*LEVEL, *place, *turn]
    add(add(scene, "keyframe"), "key", name="start", qpos=numbers(start), ctrl=numbers(LEVEL))
    path.write_text(text(tree))
    return path


def quadrupeds(program, robot, path):
    """Eight quadrupeds with position servos that land on a floor."""
    one = path.with_name("quadruped.xml")
    subprocess.run([program, "convert", str(robot), str(one), "--base", "free"], check=True, capture_output=True)
    tree = xml.parse(one)
    scene = tree.getroot()
    world = scene.find("worldbody")
    body = world.find("body")
    world.remove(body)
    for part in ("actuator", "keyframe"):
        for old in scene.findall(part):
            scene.remove(old)
    add(world, "geom", type="plane", size="10 10 0.1", friction="0.8")
    for old in scene.findall("option"):
        scene.remove(old)
    add(scene, "option", integrator="implicitfast")
    actuators = add(scene, "actuator")
    start, controls = [], []
    for number in range(8):
        copied = copy.deepcopy(body)
        for element in copied.iter():
            if element.get("name"):
                element.set("name", f"{element.get('name')}.{number}")
        position = [1.2 * (number % 4), 1.0 * (number // 4), 0.40]
        copied.set("pos", numbers(position))
        world.append(copied)
        start += [*position, 1, 0, 0, 0] + LEG * 4
        controls += LEG * 4
        for joint in copied.iter("joint"):
            if joint.get("type") != "free":
                add(actuators, "position", joint=joint.get("name"), **GAINS)
    add(add(scene, "keyframe"), "key", name="start", qpos=numbers(start), ctrl=numbers(controls))
    path.write_text(text(tree))
    return path


def add(parent, tag, **attributes):
    return xml.SubElement(parent, tag, attributes)


def numbers(values):
    return " ".join(repr(float(value)) for value in values)


def text(tree):
    return xml.tostring(tree.getroot(), encoding="unicode")
