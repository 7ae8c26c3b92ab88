"""Writes the problems of this folder: A, b, J, laws, and the one velocity that solves each.

    python write.py

Every solution is known by hand, not from a solver; what is written was checked here against
A v = b + Jᵀλ and the laws. Bodies have v = (linear, angular) at their centre, contact rows are
(tangent 1, tangent 2, normal). The format is the matrices JSON of stiction-problem-files.
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
GRAVITY = 9.81
STEP = 0.01


def body(mass, half):
    """A of a box with half sides `half`."""
    x, y, z = (4 * h * h for h in half)
    return np.diag([mass] * 3 + [mass / 12 * s for s in (y + z, z + x, x + y)])


def point(at, normal=(0, 0, 1), first=(1, 0, 0)):
    """Rows of a contact at `at` from the centre."""
    n, t = np.array(normal, float), np.array(first, float)
    frame = np.array([t, np.cross(n, t), n])
    x, y, z = at
    cross = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
    return np.hstack([frame, frame @ cross])


class Vector:
    def __init__(self, name):
        self.name, self.blocks, self.rows, self.laws = name, [], [], []

    def subsystem(self, a, b):
        self.blocks.append((np.array(a, float), np.array(b, float)))
        return len(self.blocks) - 1

    def constraint(self, kind, terms, e, impulse, **law):
        self.rows.append((kind, [(i, np.array(j, float)) for i, j in terms], e, law))
        self.laws.append(impulse)

    def contact(self, terms, friction, impulse, gap_speed=0.0):
        self.constraint("contact", terms, [0.0, 0.0, gap_speed], impulse, mu=friction)

    def check(self, velocities):
        """A v = b + Jᵀλ, and every law."""
        forces = [b.copy() for _, b in self.blocks]
        for (kind, terms, e, law), impulse in zip(self.rows, self.laws):
            impulse = np.array(impulse, float)
            speed = np.array(e, float)
            for subsystem, j in terms:
                forces[subsystem] += j.T @ impulse
                speed = speed + j @ velocities[subsystem]
            close = lambda a, b: np.allclose(a, b, atol=1e-12)
            if kind == "contact":
                friction, slip = impulse[:2], speed[:2]
                assert impulse[2] >= 0 and speed[2] > -1e-12 and close(impulse[2] * speed[2], 0)
                bound = law["mu"] * impulse[2]
                if np.linalg.norm(slip) > 1e-12:
                    assert close(friction, -bound * slip / np.linalg.norm(slip)), self.name
                assert np.linalg.norm(friction) <= bound + 1e-12
            elif kind == "hard":
                assert (impulse >= 0).all() and (speed > -1e-12).all() and close(impulse * speed, 0)
            elif kind == "eq":
                assert close(speed, 0), self.name
            elif kind == "soft":
                assert close(impulse, -law["k"] * np.array(e) - law["b"] * (speed - e)), self.name
            elif kind == "jfric":
                assert (abs(impulse) <= law["mu"] + 1e-12).all()
                assert close(impulse * speed, -law["mu"] * abs(speed))
            elif kind == "jlimit":
                assert (speed >= law["lo"] - 1e-12).all() and (speed <= law["hi"] + 1e-12).all()
                assert ((impulse <= 0) | (abs(speed - law["lo"]) < 1e-12)).all()
                assert ((impulse >= 0) | (abs(speed - law["hi"]) < 1e-12)).all()
        for (a, _), v, force in zip(self.blocks, velocities, forces):
            assert np.allclose(a @ v, force, atol=1e-11), self.name

    def write(self, velocities):
        """With the solution, or with `None` as one that has none."""
        solution = None
        if velocities is not None:
            self.check(velocities)
            solution = {
                "v": np.concatenate(velocities).tolist(),
                "lam": [float(x) for impulse in self.laws for x in impulse],
                "v_unique": True,
                "v_tol": 1e-9,
            }
        out = {
            "schema": "stiction-matrices/1",
            "name": self.name,
            "subsystems": [{"A": a.tolist(), "b": b.tolist()} for a, b in self.blocks],
            "constraints": [
                {"kind": kind, "terms": [{"sub": i, "J": j.tolist()} for i, j in terms], "e": e, **law}
                for kind, terms, e, law in self.rows
            ],
            "solution": solution,
        }
        (HERE / f"{self.name}.json").write_text(json.dumps(out) + "\n")


def no_constraints():
    vector = Vector("no_constraints")
    a = np.array([[2.0, 0.5], [0.5, 1.0]])
    v = np.array([0.25, -1.5])
    vector.subsystem(a, a @ v)
    vector.write([v])


def plate(name, per_side, friction, push, lift=0.0, gap_speed=0.0):
    """A plate on per_side² contacts, pushed along x: normal forces balance the friction's torque."""
    half = (0.1, 0.1, 0.05)
    mass = 2.0
    a = body(mass, half)
    at = np.linspace(-0.1, 0.1, per_side)
    places = [(x, y, -half[2]) for x in at for y in at]
    before = np.array([push, 0, lift - GRAVITY * STEP, 0, 0, 0])
    normal = max(mass * (-gap_speed - before[2]), 0.0)
    rub = min(friction * normal, mass * push)
    slope = rub * half[2] / sum(x * x for x, _, _ in places)
    vector = Vector(name)
    vector.subsystem(a, a @ before)
    for x, y, z in places:
        n = normal / len(places) + slope * x
        t = -rub * n / normal if normal else 0.0
        vector.contact([(0, point((x, y, z)))], friction, [t, 0.0, n], gap_speed)
    after = before.copy()
    after[0] -= rub / mass
    after[2] += normal / mass
    vector.write([after])


def tower(name, masses):
    """Boxes on top of each other in one step of gravity: all stand."""
    half = (0.1, 0.1, 0.1)
    vector = Vector(name)
    for mass in masses:
        a = body(mass, half)
        vector.subsystem(a, a @ np.array([0, 0, -GRAVITY * STEP, 0, 0, 0]))
    for index in range(len(masses)):
        load = sum(masses[index:]) * GRAVITY * STEP
        for x in (-0.1, 0.1):
            for y in (-0.1, 0.1):
                terms = [(index, point((x, y, -0.1)))]
                if index > 0:
                    terms.append((index - 1, -point((x, y, 0.1))))
                vector.contact(terms, 0.5, [0.0, 0.0, load / 4])
    vector.write([np.zeros(6)] * len(masses))


def groove():
    """A ball between two walls at 45°, pressed into the corner: both carry, and nothing turns."""
    vector = Vector("groove")
    a = np.diag([0.5] * 3 + [0.5 * 0.4 * 0.05**2] * 3)
    vector.subsystem(a, a @ np.array([0, 0, -0.3, 0, 0, 0]))
    half = np.sqrt(0.5)
    press = 0.5 * 0.3 / (2 * half)
    for side in (-1, 1):
        normal = np.array([side * half, 0, half])
        rows = point(-0.05 * normal, normal, (0, 1, 0))
        vector.contact([(0, rows)], 0.2, [0.0, 0.0, press])
    vector.write([np.zeros(6)])


def oblique():
    """A particle that slides obliquely over a plane."""
    vector = Vector("oblique")
    vector.subsystem(np.eye(3) * 0.3, 0.3 * np.array([0.6, 0.8, -0.5]))
    vector.contact([(0, np.eye(3))], 0.4, [-0.6 * 0.4 * 0.15, -0.8 * 0.4 * 0.15, 0.15])
    vector.write([np.array([0.6 * 0.8, 0.8 * 0.8, 0.0])])


def joints():
    """One law a degree of freedom."""
    vector = Vector("joints")
    masses = np.array([2.0, 3.0, 1.5, 1.0, 4.0, 2.0, 0.5, 1.0])
    b = np.array([2.0, -6.0, 0.15, -0.7, 1.0, 1.2, 0.2, 0.5])
    vector.subsystem(np.diag(masses), b)
    row = lambda k: [(0, np.eye(8)[k : k + 1])]
    vector.constraint("jfric", row(0), [0.0], [-0.5], mu=0.5)
    vector.constraint("jlimit", row(1), [0.0], [4.5], lo=-0.5, hi=0.3)
    vector.constraint("jlimit", row(2), [0.0], [0.0], lo=-0.5, hi=0.3)
    vector.constraint("hard", row(3), [0.1], [0.6])
    vector.constraint("eq", row(4), [0.2], [-1.8])
    soft = (1.2 - 3.0 * 0.1) / (2.0 + 0.7)
    vector.constraint("soft", row(5), [0.1], [-3.0 * 0.1 - 0.7 * soft], k=3.0, b=0.7)
    vector.constraint("jfric", row(6), [0.0], [-0.2], mu=0.25)
    vector.constraint("jlimit", row(7), [0.0], [-0.2], lo=-0.5, hi=0.3)
    vector.write([np.array([0.75, -0.5, 0.1, -0.1, -0.2, soft, 0.0, 0.3])])


def chain():
    """Four boxes tied corner to corner and to the world: a linear system."""
    half = (0.05, 0.05, 0.1)
    vector = Vector("chain")
    matrices = [body(mass, half) for mass in (1.0, 2.0, 0.5, 3.0)]
    before = [np.array([0.1 * k, -0.05, -0.1, 0.3, 0.2 * k, -0.4]) for k in range(4)]
    ties = []
    for k in range(4):
        tie = np.zeros((3, 24))
        tie[:, 6 * k : 6 * k + 6] = point((0.05, 0.05, 0.1))
        if k:
            tie[:, 6 * k - 6 : 6 * k] = -point((-0.05, -0.05, -0.1))
        ties.append(tie)
    a = np.zeros((24, 24))
    for k, matrix in enumerate(matrices):
        a[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = matrix
    j, b = np.vstack(ties), a @ np.concatenate(before)
    system = np.block([[a, -j.T], [j, np.zeros((12, 12))]])
    v = np.linalg.solve(system, np.concatenate([b, np.zeros(12)]))
    for k, matrix in enumerate(matrices):
        vector.subsystem(matrix, matrix @ before[k])
    for k in range(4):
        terms = [(k, point((0.05, 0.05, 0.1)))]
        if k:
            terms.append((k - 1, -point((-0.05, -0.05, -0.1))))
        vector.constraint("eq", terms, [0.0] * 3, v[24 + 3 * k : 27 + 3 * k])
    vector.write(list(v[:24].reshape(4, 6)))


def contradiction():
    """Two walls that close on a particle: no velocity keeps it out of both."""
    vector = Vector("contradiction")
    vector.subsystem(np.eye(3), np.array([0.1, 0.0, -0.2]))
    up = np.eye(3)
    vector.contact([(0, up)], 0.3, [0.0] * 3, gap_speed=-0.1)
    vector.contact([(0, np.diag([1.0, -1.0, -1.0]))], 0.3, [0.0] * 3, gap_speed=-0.1)
    vector.write(None)


no_constraints()
plate("plate_stick", 2, 0.5, 0.02)
plate("plate_slip", 2, 0.5, 0.8)
plate("plate_leaves", 2, 0.5, 0.8, lift=0.5)
plate("plate_lands", 2, 0.0, 0.8, lift=-1.0, gap_speed=0.4)
plate("plate_of_36_slips", 6, 0.3, 0.8)
tower("tower", [1.0, 1.0, 1.0])
tower("tower_heavy_on_light", [1.0, 10.0, 100.0])
groove()
oblique()
joints()
chain()
contradiction()
