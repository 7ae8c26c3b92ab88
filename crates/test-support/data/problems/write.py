"""Writes the contact problems of this folder and, in reference.json, what r = 0 leaves of each.

    pip install numpy && python write.py

Local problems are u = W r + q, global ones M v = H r + f, u = Hᵀ v + w; components come as
(normal, tangent 1, tangent 2). Two of them have the faults that published ones have: a W that is not
quite symmetric, and one that was rounded to seven digits and so lost its semidefiniteness.
"""

import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
FALL = np.array([0.0, 0.0, -0.0981])


def inertia(mass, half):
    x, y, z = (4 * h * h for h in half)
    return [mass] * 3 + [mass / 12 * s for s in (y + z, z + x, x + y)]


def rows(at):
    """Rows (z, x, y) of a contact at `at` from the centre."""
    x, y, z = at
    cross = np.array([[0, z, -y], [-z, 0, x], [y, -x, 0]])
    return np.hstack([np.eye(3), cross])[[2, 0, 1]]


def plate(per_side, push):
    """M, H, f of a plate on per_side² contacts, pushed obliquely."""
    half = (0.1, 0.15, 0.05)
    mass = np.diag(inertia(2.0, half))
    places = [
        (x, y, -half[2])
        for x in np.linspace(-half[0], half[0], per_side)
        for y in np.linspace(-half[1], half[1], per_side)
    ]
    h = np.vstack([rows(at) for at in places]).T
    before = np.concatenate([FALL + [push, push / 3, 0], [0, 0, 0.2]])
    return mass, h, mass @ before


def wall(layers, push):
    """M, H, f of a wall of bricks, each layer shifted by half a brick, its top row pushed."""
    half = (0.1, 0.05, 0.03)
    bricks = [
        (layer, place + (layer % 2) / 2)
        for layer in range(layers)
        for place in range(3 - layer % 2)
    ]
    n = 6 * len(bricks)
    mass = np.diag(np.concatenate([inertia(1.0 + layer, half) for layer, _ in bricks]))
    before = np.zeros(n)
    columns = []
    for index, (layer, place) in enumerate(bricks):
        before[6 * index : 6 * index + 3] = FALL
        if layer == layers - 1:
            before[6 * index + 1] += push
        below = [k for k, (l, p) in enumerate(bricks) if l == layer - 1 and abs(p - place) < 0.9]
        for other in below if layer else [None]:
            shift = 0.0 if other is None else bricks[other][1] - place
            low, high = max(-0.1, 0.2 * shift - 0.1), min(0.1, 0.2 * shift + 0.1)
            for x in (low, high):
                for y in (-half[1], half[1]):
                    block = np.zeros((3, n))
                    block[:, 6 * index : 6 * index + 6] = rows((x, y, -half[2]))
                    if other is not None:
                        at = (x - 0.2 * shift, y, half[2])
                        block[:, 6 * other : 6 * other + 6] = -rows(at)
                    columns.append(block)
    h = np.vstack(columns).T
    return mass, h, mass @ before


def csc(matrix):
    indptr, indices, data = [0], [], []
    for column in matrix.T:
        at = np.flatnonzero(column)
        indices += at.tolist()
        data += column[at].tolist()
        indptr.append(len(data))
    shape = list(matrix.shape)
    return {"format": "csc", "shape": shape, "indptr": indptr, "indices": indices, "data": data}


def projected(x, mu):
    """Each row of x on {|x_t| ≤ μ x_n}."""
    out = []
    for (n, *t), m in zip(x, mu):
        size = np.hypot(*t)
        if size <= m * n:
            out.append([n, *t])
        elif m * size <= -n:
            out.append([0.0, 0.0, 0.0])
        else:
            a = (n + m * size) / (1 + m * m)
            out.append([a, m * a * t[0] / size, m * a * t[1] / size])
    return np.array(out)


def residuals_of_zero(w, q, mu):
    u = q.reshape(-1, 3).copy()
    u[:, 0] += mu * np.hypot(u[:, 1], u[:, 2])
    size = np.linalg.norm(q)
    scale = np.sqrt(np.mean(np.diag(w)))
    natural = np.linalg.norm(projected(-u, mu)) / (1 + size)
    balanced = np.linalg.norm(projected(-u / scale, mu)) / (size / scale)
    return {"r0_nat": natural, "r0_balanced": balanced, "rank_W": int(np.linalg.matrix_rank(w, hermitian=False))}


reference = {}


def write(name, mu, w, q, fields):
    reference[name] = residuals_of_zero(w, q, mu)
    out = {
        "name": name,
        "family": "own",
        "source": "write.py beside this file",
        "kind": "global" if "M" in fields else "local",
        "dimension": 3,
        "component_order": "normal,tangent1,tangent2",
        "n_contacts": len(mu),
        "mu": mu.tolist(),
        **fields,
    }
    (HERE / f"{name}.json").write_text(json.dumps(out) + "\n")


def local(name, mu, w, q):
    write(name, mu, w, q, {"W": csc(w), "q": q.tolist()})


def delassus(mass, h, f):
    inverse = np.linalg.inv(mass)
    return h.T @ inverse @ h, h.T @ inverse @ f


def global_form(name, mu, mass, h, f):
    w, q = delassus(mass, h, f)
    fields = {"M": csc(mass), "H": csc(h), "f": f.tolist(), "w": [0.0] * len(q)}
    write(name, mu, w, q, fields)


rng = np.random.default_rng(1)
mass, h, f = plate(1, 0.3)
local("one_contact", np.array([0.4]), *delassus(mass, h, f))
mass, h, f = plate(3, 0.3)
mu = np.full(9, 0.4)
w, q = delassus(mass, h, f)
local("plate", mu, w, q)
local("plate_in_small_units", mu, w * 1e5, q * 1e-3)
skew = rng.uniform(-1e-5, 1e-5, w.shape) * np.abs(w).max()
local("plate_not_quite_symmetric", mu, w + skew - skew.T, q)
mass, h, f = plate(2, 0.1)
w, q = delassus(mass, h, f)
seven = np.vectorize(lambda x: float(f"{x:.6e}"))
local("plate_of_seven_digits", np.full(4, 0.7), seven(w), seven(q))
mass, h, f = wall(3, 0.3)
contacts = h.shape[1] // 3
global_form("wall", rng.uniform(0.2, 0.8, contacts), mass, h, f)
mass, h, f = wall(2, 0.05)
contacts = h.shape[1] // 3
global_form("wall_without_friction", np.zeros(contacts), mass, h, f)
(HERE / "reference.json").write_text(json.dumps(reference, indent=1) + "\n")
