#!/usr/bin/env python3
"""Second order with remembered reactions, against the first-order rule, on stacks, loops and changing contacts.

Boxes in the plane on a floor: the vertices of each against the floor and against the faces of the others. Both rules
solve Signorini's and Coulomb's laws to 1e-11 m/s by a semismooth Newton method.

first:      A and rows at q, J v+ >= -gap/h where open, q+ = q + h v+
remembered: the motion with the lasting reactions of the last step goes to q_f, v_f; A and rows there, total impulses,
            q+ = q_f + h A^-1 J'(kappa (l - l_prev)); what penetrates is projected out
"""

import argparse
import math

import numpy as np

GRAVITY, TOUCH = 9.81, 2e-5


class Box:
    def __init__(self, x, y, angle=0.0, sides=(0.2, 0.2), mass=1.0, v=(0.0, 0.0, 0.0)):
        self.corners = np.array([[sx * sides[0], sy * sides[1]] for sx in (-0.5, 0.5) for sy in (-0.5, 0.5)])
        self.half = np.array(sides) / 2
        self.start = [x, y, angle], list(v)
        self.mass = np.array([mass, mass, mass * (sides[0] ** 2 + sides[1] ** 2) / 12])


def turn(angle):
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def contacts(boxes, q, margin):
    """(id, gap, normal row, tangent row) of all vertices near something, as dense rows."""
    found, count = [], len(boxes)
    for a, box in enumerate(boxes):
        points = q[3 * a : 3 * a + 2] + box.corners @ turn(q[3 * a + 2]).T
        for c, point in enumerate(points):
            if point[1] < margin:
                found.append(((a, c, -1), point[1], *rows(q, count, a, None, point, np.array([0.0, 1.0]))))
            for b, other in enumerate(boxes):
                if b == a:
                    continue
                R = turn(q[3 * b + 2])
                local = R.T @ (point - q[3 * b : 3 * b + 2])
                away = np.abs(local) - other.half
                axis = int(np.argmax(away))
                # A vertex belongs to a face beside which it is, not to its corner.
                if away[axis] < margin and away[1 - axis] < 1e-9 and away[axis] > -0.05:
                    normal = R[:, axis] * math.copysign(1.0, local[axis])
                    found.append(((a, c, b, axis), away[axis], *rows(q, count, a, b, point, normal)))
    return found


def rows(q, count, a, b, point, normal):
    out = []
    for direction in (normal, np.array([normal[1], -normal[0]])):
        row = np.zeros(3 * count)
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body is not None:
                arm = point - q[3 * body : 3 * body + 2]
                row[3 * body : 3 * body + 2] = sign * direction
                row[3 * body + 2] = sign * (arm[0] * direction[1] - arm[1] * direction[0])
        out.append(row)
    return out


def solve(M, free, N, T, lower, mu, guess):
    """v+ = free + M^-1 (N'n + T't) with 0 <= n, N v+ >= lower complementary, |t| <= mu n opposed to T v+."""
    m = len(lower)
    J = np.vstack([N, T])
    W = (J / M) @ J.T + 1e-12 * np.eye(2 * m)
    c = J @ free - np.concatenate([lower, np.zeros(m)])
    rho = 1 / np.diag(W)
    x = guess.copy()
    for sweep in range(60):
        g = W @ x + c
        n, t = x[:m] - rho[:m] * g[:m], x[m:] - rho[m:] * g[m:]
        pn = np.maximum(n, 0.0)
        bound = mu * np.maximum(x[:m], 0.0)
        pt = np.clip(t, -bound, bound)
        residual = x - np.concatenate([pn, pt])
        if np.max(np.abs(residual / rho)) < 1e-11:
            return x, True
        D = np.eye(2 * m)
        I = np.eye(2 * m)
        for i in range(m):
            if n[i] > 0:
                D[i] = rho[i] * W[i]
            if abs(t[i]) < bound[i]:
                D[m + i] = rho[m + i] * W[m + i]
            elif x[i] > 0:
                D[m + i] = I[m + i] - math.copysign(mu, t[i]) * I[i]
        step = np.linalg.lstsq(D, -residual, rcond=1e-13)[0]
        x = x + (step if sweep < 40 else 0.5 * step)
    # Gauss-Seidel ends what Newton does not.
    for _ in range(300):
        for i in range(m):
            x[i] = max(x[i] - rho[i] * (W[i] @ x + c[i]), 0.0)
            k = m + i
            x[k] = min(max(x[k] - rho[k] * (W[k] @ x + c[k]), -mu * x[i]), mu * x[i])
    return x, False


class Run:
    def __init__(self, boxes, mu, h, rule):
        self.boxes, self.mu, self.h, self.rule = boxes, mu, h, rule
        self.q = np.concatenate([box.start[0] for box in boxes]).astype(float)
        self.v = np.concatenate([box.start[1] for box in boxes]).astype(float)
        self.M = np.concatenate([box.mass for box in boxes])
        self.g = np.tile([0.0, -GRAVITY, 0.0], len(boxes))
        self.memory, self.failed, self.penetration = {}, 0, 0.0

    def energy(self):
        return 0.5 * self.M @ self.v**2 + GRAVITY * self.M[1::3] @ self.q[1::3]

    def step(self):
        (self.first if self.rule == "first" else self.remembered)()
        deepest = min((c[1] for c in contacts(self.boxes, self.q, 1e-3)), default=0.0)
        self.penetration = max(self.penetration, -deepest)

    def first(self):
        h, free = self.h, self.v + self.h * self.g
        reach = 1e-3 + h * np.max(np.abs(free))
        found = contacts(self.boxes, self.q, reach)
        if found:
            N, T = np.array([c[2] for c in found]), np.array([c[3] for c in found])
            lower = np.array([-c[1] / h if c[1] > 0 else -0.2 * c[1] / h for c in found])
            guess = self.guess(found)
            x, good = solve(self.M, free, N, T, lower, self.mu, guess)
            self.failed += not good
            m = len(found)
            free = free + (N.T @ x[:m] + T.T @ x[m:]) / self.M
            self.memory = {c[0]: (x[i], x[m + i]) for i, c in enumerate(found)}
        self.v = free
        self.q = self.q + h * free

    def guess(self, found):
        known = [self.memory.get(c[0], (0.0, 0.0)) for c in found]
        return np.array([k[0] for k in known] + [k[1] for k in known])

    def remembered(self):
        h = self.h
        # 1. With last step's lasting reactions, at the middle of the step.
        middle = contacts(self.boxes, self.q + 0.5 * h * self.v, 1e-3)
        kept = [c for c in middle if c[0] in self.memory]
        force = sum(
            (c[2] * self.memory[c[0]][0] + c[3] * self.memory[c[0]][1] for c in kept), np.zeros_like(self.v)
        )
        a = self.g + force / self.M / h
        q_f, v_f = self.q + h * self.v + 0.5 * h * h * a, self.v + h * a
        before = {c[0]: c[1] for c in contacts(self.boxes, self.q, 0.02)}
        found = [c for c in contacts(self.boxes, q_f, 1e-3) if c[1] <= TOUCH or c[0] in self.memory]
        lasting = {}
        if found:
            N, T = np.array([c[2] for c in found]), np.array([c[3] for c in found])
            previous = np.array([self.memory.get(c[0], (0.0, 0.0)) for c in found])
            base = v_f - (N.T @ previous[:, 0] + T.T @ previous[:, 1]) / self.M
            lower, kappa, impact = np.zeros(len(found)), np.full(len(found), 0.5), False
            for i, c in enumerate(found):
                gap_before = before.get(c[0], 0.02)
                if c[0] not in self.memory and gap_before > TOUCH:
                    s = gap_before / max(gap_before - c[1], 1e-12)
                    kappa[i], impact = 1.0 - min(max(s, 0.0), 1.0), True
            x, good = solve(self.M, base, N, T, lower, self.mu, previous.T.reshape(-1))
            self.failed += not good
            m = len(found)
            change_n, change_t = x[:m] - previous[:, 0], x[m:] - previous[:, 1]
            v_f = base + (N.T @ x[:m] + T.T @ x[m:]) / self.M
            # 4. Positions.
            q_f = q_f + h * (N.T @ (kappa * change_n) + T.T @ (kappa * change_t)) / self.M
            # What an impact exerts does not last, nor what it does to other contacts.
            share = 0.0 if impact else 1.0
            lasting = {c[0]: (share * x[i], share * x[m + i]) for i, c in enumerate(found) if x[i] > 0}
        # 5. What penetrates, and what lasts, both ways.
        for _ in range(3):
            near = [c for c in contacts(self.boxes, q_f, 1e-3) if c[1] < 0 or c[0] in lasting]
            if not near:
                break
            N, gaps = np.array([c[2] for c in near]), np.array([c[1] for c in near])
            q_f = q_f + (N.T @ np.linalg.lstsq((N / self.M) @ N.T, -gaps, rcond=1e-10)[0]) / self.M
        self.q, self.v, self.memory = q_f, v_f, lasting


def tower(count):
    return [Box(0.003 * (-1) ** k, 0.1 + 0.2 * k) for k in range(count)]


SCENES = {
    "block at rest": lambda: [Box(0.0, 0.1)],
    "tower of 3": lambda: tower(3),
    "tower of 3, dropped 1 cm": lambda: [Box(0.0, 0.11 + 0.21 * k) for k in range(3)],
    "bridge (loop of 3)": lambda: [Box(-0.2, 0.1), Box(0.2, 0.1), Box(0.0, 0.25, sides=(0.7, 0.1))],
    "rocking block": lambda: [Box(0.0, 0.2 * math.cos(0.2) + 0.05 * math.sin(0.2), -0.2, sides=(0.1, 0.4))],
    "tumbling box": lambda: [Box(0.0, 0.4, 0.4, v=(1.0, 0.0, -4.0))],
    "sliding stack": lambda: [Box(0.0, 0.1, v=(1.0, 0, 0)), Box(0.02, 0.3, v=(1.0, 0, 0))],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--scene", default="")
    parser.add_argument("--dt", type=float, default=1 / 240)
    arguments = parser.parse_args()
    print(f"{'scene':<26}{'rule':<12}{'gain J':>9}{'loss J':>9}{'speed end':>11}{'deepest m':>11}{'x end':>12}{'failed':>8}")
    for name, build in SCENES.items():
        if arguments.scene not in name:
            continue
        for rule in ("first", "remembered"):
            run = Run(build(), 0.5, arguments.dt, rule)
            lowest = start = run.energy()
            gain, speeds = 0.0, []
            steps = round(arguments.seconds / arguments.dt)
            for step in range(steps):
                run.step()
                if not np.all(np.isfinite(run.v)) or np.max(np.abs(run.v)) > 1e3:
                    print(f"{name:<26}{rule:<12} comes apart at {step * arguments.dt:.3f} s")
                    break
                energy = run.energy()
                lowest = min(lowest, energy)
                gain = max(gain, energy - lowest)
                if step >= 0.9 * steps:
                    speeds.append(np.max(np.abs(run.v)))
            else:
                print(
                    f"{name:<26}{rule:<12}{gain:>9.1e}{start - run.energy():>9.1e}{max(speeds):>11.1e}"
                    f"{run.penetration:>11.1e}{run.q[-3]:>12.6f}{run.failed:>8}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
