#!/usr/bin/env python3
"""Second order with remembered reactions in three dimensions, against the first-order rule.

Spheres, boxes, polyhedra and an ellipsoid on a plane and spheres on each other. Both rules solve Signorini's and
Coulomb's laws by block Gauss-Seidel with exact cones; see remembered_reactions.py for the rules. Bodies turn by the
exponential map and keep their angular momentum; gyroscopic terms are evaluated in the middle of the step.
"""

import argparse
import math

import numpy as np

GRAVITY, TOUCH = 9.81, 2e-5


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def exp(w):
    angle = np.linalg.norm(w)
    if angle < 1e-12:
        return np.eye(3) + skew(w)
    K = skew(w / angle)
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


class Body:
    """kind: "sphere" (radius), "points" (vertices with a radius), "ellipsoid" (half axes)."""

    def __init__(self, kind, size, at, mass=1.0, inertia=None, R=None, v=(0, 0, 0), w=(0, 0, 0), radius=0.0):
        self.kind, self.size, self.radius, self.mass = kind, size, radius, mass
        if inertia is None:
            inertia = np.eye(3) * 0.4 * mass * size**2
        self.inertia = inertia
        self.start = np.array(at, float), np.eye(3) if R is None else R, np.array([*v, *w], float)


def box(sides, at, **rest):
    s = np.array(sides)
    points = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * s / 2
    return Body("points", points, at, inertia=np.diag((np.sum(s**2) - s**2) / 12), **rest)


def polyhedron(count, at, seed=3, **rest):
    """Random points on a sphere of 0.15 m; the inertia of a ball."""
    dice = np.random.default_rng(seed)
    points = dice.normal(size=(count, 3))
    points *= 0.15 / np.linalg.norm(points, axis=1)[:, None]
    return Body("points", points, at, inertia=np.eye(3) * 0.4 * 0.14**2, **rest)


class Contact:
    __slots__ = ("id", "gap", "J", "frame")

    def __init__(self, id, gap, bodies, count, point, centers, normal):
        a = np.array([0.0, 1.0, 0.0]) if abs(normal[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
        t1 = np.cross(a, normal)
        t1 /= np.linalg.norm(t1)
        self.frame = np.array([normal, t1, np.cross(normal, t1)])
        self.id, self.gap = id, gap
        self.J = np.zeros((3, 6 * count))
        for body, sign in bodies:
            arm = point - centers[body]
            self.J[:, 6 * body : 6 * body + 3] = sign * self.frame
            self.J[:, 6 * body + 3 : 6 * body + 6] = sign * self.frame @ -skew(arm)


def contacts(bodies, X, R, margin, normal):
    found, n = [], len(bodies)
    for a, body in enumerate(bodies):
        if body.kind == "points":
            points = X[a] + body.size @ R[a].T
            gaps = points @ normal - body.radius
            for c in np.nonzero(gaps < margin)[0]:
                at = points[c] - body.radius * normal
                found.append(Contact((a, int(c), -1), gaps[c], [(a, 1.0)], n, at, X, normal))
        elif body.kind == "ellipsoid":
            local = R[a].T @ normal
            support = -(body.size**2) * local / math.sqrt(np.sum((body.size * local) ** 2))
            at = X[a] + R[a] @ support
            if at @ normal < margin:
                found.append(Contact((a, 0, -1), at @ normal, [(a, 1.0)], n, at, X, normal))
        else:
            gap = X[a] @ normal - body.size
            if gap < margin:
                found.append(Contact((a, 0, -1), gap, [(a, 1.0)], n, X[a] - body.size * normal, X, normal))
            for b in range(a):
                if bodies[b].kind != "sphere":
                    continue
                d = X[a] - X[b]
                length = np.linalg.norm(d)
                gap = length - body.size - bodies[b].size
                if gap < margin:
                    way = d / length
                    at = X[b] + way * (bodies[b].size + 0.5 * gap)
                    found.append(Contact((a, 0, b), gap, [(a, 1.0), (b, -1.0)], n, at, X, way))
    return found


def solve(Minv, free, found, lower, mu, guess, sweeps=400):
    """v = free + Minv J'x, 0 <= x_n, J_n v >= lower complementary, |x_t| <= mu x_n opposed to J_t v."""
    m = len(found)
    J = np.vstack([c.J for c in found])
    W = J @ Minv @ J.T
    c = J @ free
    c[0::3] -= lower
    x = guess.copy()
    rho = np.array([0.8 / np.linalg.norm(W[3 * i : 3 * i + 3, 3 * i : 3 * i + 3], 2) for i in range(m)])
    for sweep in range(sweeps):
        worst = 0.0
        for i in range(m):
            k = slice(3 * i, 3 * i + 3)
            Wi = W[k, k]
            rest = W[k] @ x + c[k] - Wi @ x[k]
            y = x[k]
            for inner in range(30):
                g = Wi @ y + rest
                z = y - rho[i] * g
                z[0] = max(z[0], 0.0)
                bound, length = mu * z[0], math.hypot(z[1], z[2])
                if length > bound:
                    z[1:] *= bound / length
                change = np.max(np.abs(z - y))
                y = z
                if change / rho[i] < 1e-13:
                    break
            worst = max(worst, np.max(np.abs(y - x[k])) / rho[i])
            x[k] = y
        if worst < 1e-11:
            return x, True
    return x, False


class Run:
    def __init__(self, bodies, mu, h, rule, slope=0.0):
        self.bodies, self.mu, self.h, self.rule = bodies, mu, h, rule
        self.X = np.array([b.start[0] for b in bodies])
        self.R = [b.start[1] for b in bodies]
        self.v = np.concatenate([b.start[2] for b in bodies])
        self.normal = np.array([0.0, 0.0, 1.0])
        self.g = GRAVITY * np.array([math.sin(slope), 0.0, -math.cos(slope)])
        self.memory, self.failed, self.penetration = {}, 0, 0.0

    def inverse_mass(self, R):
        n = len(self.bodies)
        M = np.zeros((6 * n, 6 * n))
        for i, b in enumerate(self.bodies):
            M[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = np.eye(3) / b.mass
            M[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = R[i] @ np.linalg.inv(b.inertia) @ R[i].T
        return M

    def energy(self):
        total = 0.0
        for i, b in enumerate(self.bodies):
            w = self.R[i].T @ self.v[6 * i + 3 : 6 * i + 6]
            total += 0.5 * b.mass * np.sum(self.v[6 * i : 6 * i + 3] ** 2) + 0.5 * w @ b.inertia @ w
            total -= b.mass * self.g @ self.X[i]
        return total

    def moved(self, X, R, way):
        way = way.reshape(-1, 6)
        return X + way[:, :3], [exp(w[3:]) @ r for w, r in zip(way, R)]

    def flight(self, h, force):
        """Second order with a generalized force held: the positions and velocities after h."""
        X, R, v = self.X, self.R, self.v
        n = len(self.bodies)
        X_f, R_f, v_f = np.empty_like(X), [None] * n, np.empty_like(v)
        for i, b in enumerate(self.bodies):
            k = 6 * i
            a = self.g + force[k : k + 3] / b.mass
            X_f[i] = X[i] + h * v[k : k + 3] + 0.5 * h * h * a
            v_f[k : k + 3] = v[k : k + 3] + h * a
            w, torque = v[k + 3 : k + 6], force[k + 3 : k + 6]
            L = R[i] @ b.inertia @ R[i].T @ w
            # Middle of the step, then the whole, with momentum kept but for the torque.
            middle = w
            for _ in range(8):
                R_m = exp(0.5 * h * middle) @ R[i]
                middle = R_m @ np.linalg.inv(b.inertia) @ R_m.T @ (L + 0.5 * h * torque)
            R_f[i] = exp(h * middle) @ R[i]
            v_f[k + 3 : k + 6] = R_f[i] @ np.linalg.inv(b.inertia) @ R_f[i].T @ (L + h * torque)
        return X_f, R_f, v_f

    def step(self):
        (self.first if self.rule == "first" else self.remembered)()
        deepest = min((c.gap for c in contacts(self.bodies, self.X, self.R, 1e-3, self.normal)), default=0.0)
        self.penetration = max(self.penetration, -deepest)

    def first(self):
        h = self.h
        *_, free = self.flight(h, np.zeros_like(self.v))
        reach = 1e-3 + h * np.max(np.abs(free))
        found = contacts(self.bodies, self.X, self.R, reach, self.normal)
        if found:
            lower = np.array([-c.gap / h if c.gap > 0 else min(-0.2 * c.gap / h, 0.5) for c in found])
            guess = np.concatenate([self.memory.get(c.id, np.zeros(3)) for c in found])
            Minv = self.inverse_mass(self.R)
            x, good = solve(Minv, free, found, lower, self.mu, guess)
            self.failed += not good
            free = free + Minv @ (np.vstack([c.J for c in found]).T @ x)
            self.memory = {c.id: x[3 * i : 3 * i + 3] for i, c in enumerate(found)}
        X, R = self.moved(self.X, self.R, h * free)
        # Angular momentum goes with the body.
        for i, b in enumerate(self.bodies):
            k = 6 * i + 3
            w = free[k : k + 3]
            L = self.R[i] @ b.inertia @ self.R[i].T @ w
            free[k : k + 3] = R[i] @ np.linalg.inv(b.inertia) @ R[i].T @ L
        self.X, self.R, self.v = X, R, free

    def remembered(self):
        h, n = self.h, len(self.bodies)
        middle_X, middle_R = self.moved(self.X, self.R, 0.5 * h * self.v)
        kept = [c for c in contacts(self.bodies, middle_X, middle_R, 1e-3, self.normal) if c.id in self.memory]
        force = sum((c.J.T @ (c.frame @ self.memory[c.id]) for c in kept), np.zeros(6 * n)) / h
        X_f, R_f, v_f = self.flight(h, force)
        before = {c.id: c.gap for c in contacts(self.bodies, self.X, self.R, 0.02, self.normal)}
        near = contacts(self.bodies, X_f, R_f, 1e-3, self.normal)
        found = [c for c in near if c.gap <= TOUCH or c.id in self.memory]
        lasting = {}
        if found:
            m = len(found)
            Minv = self.inverse_mass(R_f)
            J = np.vstack([c.J for c in found])
            previous = np.concatenate([c.frame @ self.memory.get(c.id, np.zeros(3)) for c in found])
            base = v_f - Minv @ (J.T @ previous)
            kappa, impact = np.full(m, 0.5), False
            for i, c in enumerate(found):
                gap = before.get(c.id, 0.02)
                if c.id not in self.memory and gap > TOUCH:
                    s = gap / max(gap - c.gap, 1e-12)
                    kappa[i], impact = 1.0 - min(max(s, 0.0), 1.0), True
            x, good = solve(Minv, base, found, np.zeros(m), self.mu, previous)
            self.failed += not good
            v_f = base + Minv @ (J.T @ x)
            X_f, R_f = self.moved(X_f, R_f, h * Minv @ (J.T @ (np.repeat(kappa, 3) * (x - previous))))
            share = 0.0 if impact else 1.0
            lasting = {c.id: share * c.frame.T @ x[3 * i : 3 * i + 3] for i, c in enumerate(found) if x[3 * i] > 0}
        for _ in range(3):
            near = [c for c in contacts(self.bodies, X_f, R_f, 1e-3, self.normal) if c.gap < 0 or c.id in lasting]
            if not near:
                break
            N, gaps = np.array([c.J[0] for c in near]), np.array([c.gap for c in near])
            Minv = self.inverse_mass(R_f)
            X_f, R_f = self.moved(X_f, R_f, Minv @ N.T @ np.linalg.lstsq(N @ Minv @ N.T, -gaps, rcond=1e-10)[0])
        self.X, self.R, self.v, self.memory = X_f, R_f, v_f, lasting


def turned(*w):
    return exp(np.array(w, float))


RATTLE = np.array([0.2, 0.05, 0.05])


def rattleback():
    turn = turned(0, 0, 0.3)
    inertia = turn @ np.diag([0.2e-2, 1.2e-2, 1.3e-2]) @ turn.T
    return [Body("ellipsoid", RATTLE, [0, 0, 0.05], inertia=inertia, w=(0.01, 0.02, -5.0))]


def heap():
    r, d = 0.1, 0.2 / math.sqrt(3)
    low = [Body("sphere", r, [d * math.cos(a), d * math.sin(a), r]) for a in (0, 2.0943951, 4.1887902)]
    return [*low, Body("sphere", r, [0, 0, r + math.sqrt(0.04 - d * d)])]


# name: bodies, friction, slope
SCENES = {
    "block at rest": (lambda: [box([0.2, 0.3, 0.1], [0, 0, 0.05])], 0.5, 0.0),
    "block at rest, slope 17 deg": (lambda: [box([0.2, 0.3, 0.1], [0, 0, 0.05])], 0.5, 0.3),
    "block that stops": (lambda: [box([0.2, 0.3, 0.1], [0, 0, 0.05], v=(1, 0.5, 0))], 0.5, 0.0),
    "ball rolling down": (lambda: [Body("sphere", 0.1, [0, 0, 0.1])], 0.5, 0.2),
    "heap of four balls": (heap, 0.8, 0.0),
    "heap of four balls, pushed": (lambda: [*heap()[:3], Body("sphere", 0.1, heap()[3].start[0], v=(0.5, 0, 0))], 0.8, 0.0),
    "tumbling box": (lambda: [box([0.2, 0.3, 0.1], [0, 0, 0.4], R=turned(0.4, 0.3, 0), v=(1, 0, 0), w=(1, -4, 2))], 0.5, 0.0),
    "spinning box that lies": (lambda: [box([0.2, 0.3, 0.1], [0, 0, 0.05], w=(0, 0, 8))], 0.3, 0.0),
    "rolling polyhedron": (lambda: [polyhedron(24, [0, 0, 0.16], v=(1, 0, 0), w=(0, 6, 1))], 0.6, 0.0),
    "rocking box on an edge": (lambda: [box([0.1, 0.3, 0.4], [0, 0, 0.2 * math.cos(0.2) + 0.05 * math.sin(0.2)], R=turned(0, 0.2, 0))], 0.6, 0.0),
    "rattleback": (rattleback, 0.9, 0.0),
    "tilted disc (24 points)": (lambda: [disc()], 0.4, 0.0),
}


def disc():
    angles = np.arange(24) * 2 * math.pi / 24
    points = np.column_stack([0.1 * np.cos(angles), 0.1 * np.sin(angles), np.zeros(24)])
    R = turned(0.5, 0, 0)
    low = -np.min(points @ R.T @ np.array([0, 0, 1.0]))
    inertia = np.diag([0.0025, 0.0025, 0.005])
    return Body("points", points, [0, 0, low], inertia=inertia, R=R, w=tuple(R @ np.array([0, 0, 3.0])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--scene", default="")
    parser.add_argument("--dt", type=float, default=1 / 240)
    arguments = parser.parse_args()
    print(f"{'scene':<30}{'rule':<12}{'gain J':>9}{'loss J':>9}{'speed end':>11}{'deepest m':>11}{'x end':>12}{'failed':>8}")
    for name, (build, mu, slope) in SCENES.items():
        if arguments.scene not in name:
            continue
        for rule in ("first", "remembered"):
            run = Run(build(), mu, arguments.dt, rule, slope)
            lowest = start = run.energy()
            gain, speeds = 0.0, []
            steps = round(arguments.seconds / arguments.dt)
            for step in range(steps):
                run.step()
                if not np.all(np.isfinite(run.v)) or np.max(np.abs(run.v)) > 1e3:
                    print(f"{name:<30}{rule:<12} comes apart at {step * arguments.dt:.3f} s", flush=True)
                    break
                energy = run.energy()
                lowest = min(lowest, energy)
                gain = max(gain, energy - lowest)
                if step >= 0.9 * steps:
                    speeds.append(np.max(np.abs(run.v)))
            else:
                print(
                    f"{name:<30}{rule:<12}{gain:>9.1e}{start - run.energy():>9.1e}{max(speeds):>11.1e}"
                    f"{run.penetration:>11.1e}{run.X[-1][0]:>12.7f}{run.failed:>8}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
