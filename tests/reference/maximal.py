"""Reference simulator in maximal coordinates: every body moves freely, and joints are equations between bodies.

Only NumPy and SciPy are used, and no method that the package uses: Newton–Euler for each body, all constraint rows, the
least change of acceleration in the norm of the mass matrix by singular values (redundant rows are harmless), DOP853
with the state projected after every step. Slow and plain on purpose. Velocities and spins are in world axes.

Singular positions are passed by momentum: with ``project_stages`` every stage is evaluated on the constraints, where
the accelerations stay bounded. ``Undecided`` is raised where energy or a second run with other steps contradicts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

WORLD = -1
AXES = {"x": 0, "y": 1, "z": 2}


class Undecided(Exception):
    """The reference cannot say what the motion is."""


@dataclass(frozen=True)
class Body:
    """A rigid body: inertia about its center of mass in its own axes, and the start state of that point."""

    mass: float
    inertia: np.ndarray
    position: np.ndarray = field(default_factory=lambda: np.zeros(3))
    rotation: np.ndarray = field(default_factory=lambda: np.eye(3))
    velocity: np.ndarray = field(default_factory=lambda: np.zeros(3))
    spin: np.ndarray = field(default_factory=lambda: np.zeros(3))


@dataclass(frozen=True)
class Frame:
    """A point of a body, from its center of mass, and three axes; of the world if ``body`` is WORLD."""

    body: int
    point: np.ndarray = field(default_factory=lambda: np.zeros(3))
    axes: np.ndarray = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True)
class Joint:
    """A joint of a kind, such as "revolute", about or along one axis of its parent frame."""

    kind: str
    parent: Frame
    child: Frame
    axis: str = "z"


@dataclass(frozen=True)
class Stop:
    """A limit of a coordinate that is never passed: sign·(coordinate - limit) ≥ 0, with restitution."""

    coordinate: int
    limit: float
    sign: float
    restitution: float


@dataclass(frozen=True)
class Motion:
    """Values of the coordinates and their rates, bodies and impacts over the wanted times."""

    t: np.ndarray
    values: np.ndarray
    rates: np.ndarray
    positions: np.ndarray
    impacts: list[tuple[float, int]]
    energy_change: float


def rotation_matrices(Q: np.ndarray) -> np.ndarray:
    """Matrices of unit quaternions, scalar first, one row each."""
    w, x, y, z = Q.T
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]).transpose(2, 0, 1)  # fmt: skip


def quaternion(R: np.ndarray) -> np.ndarray:
    """The unit quaternion of a matrix, from its largest component."""
    K = np.array([
        [R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
        [0, R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
        [0, 0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1]],
        [0, 0, 0, R[2, 2] - R[0, 0] - R[1, 1]],
    ])  # fmt: skip
    _, vectors = np.linalg.eigh((K + np.triu(K, 1).T) / 3)
    return vectors[:, -1]


def quaternion_rates(Q: np.ndarray, w: np.ndarray) -> np.ndarray:
    """½ (0, w) Q, with w in world axes."""
    scalar, vector = Q[:, :1], Q[:, 1:]
    return 0.5 * np.hstack([-np.sum(w * vector, 1, keepdims=True), scalar * w + np.cross(w, vector)])


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scalar products of rows."""
    return np.einsum("ij,ij->i", a, b)


def constraint_rows(joint: Joint) -> tuple[list[np.ndarray], list[tuple[np.ndarray, np.ndarray]]]:
    """Directions in which the child's point stays at the parent's, and pairs of axes that stay perpendicular."""
    k = AXES[joint.axis]
    i, j = (k + 1) % 3, (k + 2) % 3
    a, b = joint.parent.axes.T, joint.child.axes.T
    parallel = [(a[i], b[k]), (a[j], b[k])]
    fixed = [(a[i], b[j]), (a[j], b[k]), (a[k], b[i])]
    return {
        "revolute": ([*a], parallel),
        "prismatic": ([a[i], a[j]], fixed),
        "cylindrical": ([a[i], a[j]], parallel),
        "spherical": ([*a], []),
        "universal": ([*a], [(a[i], b[j])]),
        "weld": ([*a], fixed),
        "planar": ([a[k]], parallel),
        "free": ([], []),
    }[joint.kind]


class Mechanism:
    """Bodies with joints, loads on coordinates, and stops.

    Args:
        bodies: with their start states.
        joints: between them and the world.
        coordinates: joints whose angle ("revolute", continuous over many turns) or displacement ("prismatic") loads,
            stops and results refer to; the kind says which of both is meant.
        gravity: in world axes.
        loads: function of (t, values, rates) that gives a generalized force for each coordinate.
        stops: limits of coordinates.
        conservative: whether energy, kinetic and of gravity and ``potential``, must stay as it is.
        potential: function of values of the coordinates.
    """

    def __init__(
        self, bodies: Sequence[Body], joints: Sequence[Joint], coordinates: Sequence[Joint] = (),
        gravity: Sequence[float] = (0, 0, 0), loads: Callable | None = None, stops: Sequence[Stop] = (),
        potential: Callable | None = None, conservative: bool = False, project_stages: bool = False, cut: float = 1e-7,
    ) -> None:  # fmt: skip
        self.bodies, self.joints, self.coordinates = list(bodies), list(joints), list(coordinates)
        self.n, self.gravity, self.loads, self.stops = len(self.bodies), np.array(gravity, float), loads, list(stops)
        self.potential, self.conservative = potential or (lambda values: 0.0), conservative
        self.project_stages, self.cut = project_stages, cut
        self.ratio = self.smallest_ratio = np.inf  # of singular values that were kept: how near a singular position was
        self.span = (-np.inf, np.inf)  # the times between two breakpoints: loads are evaluated inside
        self.mass = np.array([body.mass for body in self.bodies])
        self.inertia = np.array([np.asarray(body.inertia, float) for body in self.bodies])
        roots = [np.linalg.eigh(tensor) for tensor in self.inertia]
        self.root = np.array([vectors / np.sqrt(values) for values, vectors in roots])
        points, dots = [], []
        for joint in self.joints:
            directions, pairs = constraint_rows(joint)
            points += [(joint.parent, joint.child, a) for a in directions]
            dots += [(joint.parent, joint.child, a, b) for a, b in pairs]
        self.points = self._arrays([(A, B, a, a) for A, B, a in points])
        self.dots = self._arrays(dots)
        self.axes = self._arrays([(c.parent, c.child, c.parent.axes[:, AXES[c.axis]], c.child.axes[:, AXES[c.axis]])
                                  for c in self.coordinates])  # fmt: skip
        self.turning = np.array([c.kind == "revolute" for c in self.coordinates], bool)

    @staticmethod
    def _arrays(rows: list) -> tuple[np.ndarray, ...]:
        """Parents, children, points on both, directions on both."""
        A, B = [row[0] for row in rows], [row[1] for row in rows]
        vectors = [[f.point for f in A], [f.point for f in B], [row[2] for row in rows], [row[3] for row in rows]]
        indices = [np.array([f.body for f in side], int) for side in (A, B)]
        return (*indices, *(np.array(one, float).reshape(-1, 3) for one in vectors))

    def start(self) -> np.ndarray:
        """The state at the start: positions, quaternions, velocities, spins, coordinates."""
        columns = [[b.position for b in self.bodies], [quaternion(np.asarray(b.rotation)) for b in self.bodies],
                   [b.velocity for b in self.bodies], [b.spin for b in self.bodies]]  # fmt: skip
        y = np.concatenate([np.ravel(np.array(one, float)) for one in columns] + [np.zeros(len(self.coordinates))])
        return self.with_coordinates(self.projected(y))

    def _parts(self, y: np.ndarray) -> tuple[np.ndarray, ...]:
        """Positions, matrices, velocities and spins with those of the world behind, and the coordinates."""
        n = self.n
        zero = np.zeros((1, 3))
        r, Q = y[: 3 * n].reshape(n, 3), y[3 * n : 7 * n].reshape(n, 4)
        v, w = y[7 * n : 10 * n].reshape(n, 3), y[10 * n : 13 * n].reshape(n, 3)
        Q = Q / np.linalg.norm(Q, axis=1, keepdims=True)
        R = np.concatenate([rotation_matrices(Q), np.eye(3)[None]])
        return np.vstack([r, zero]), R, np.vstack([v, zero]), np.vstack([w, zero]), y[13 * n :]

    def _jacobian(self, i: np.ndarray, j: np.ndarray, blocks: Sequence[np.ndarray]) -> np.ndarray:
        """Rows over all velocities and spins, from gradients by v_i, w_i, v_j, w_j."""
        J = np.zeros((len(i), self.n + 1, 6))
        rows = np.arange(len(i))
        vi, wi, vj, wj = blocks
        J[rows, i, :3] += vi
        J[rows, i, 3:] += wi
        J[rows, j, :3] += vj
        J[rows, j, 3:] += wj
        return J[:, :-1].reshape(len(i), 6 * self.n)

    def _point_rows(self, data: tuple, parts: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """a·d, its gradient and the acceleration at constant velocities; d from the parent's point to the child's."""
        i, j, si, sj, a, _ = data
        r, R, v, w, _ = parts
        si, sj, a = (np.einsum("kij,kj->ki", R[body], x) for body, x in ((i, si), (j, sj), (i, a)))
        d = r[j] + sj - r[i] - si
        rate = v[j] + np.cross(w[j], sj) - v[i] - np.cross(w[i], si)
        wa = np.cross(w[i], a)
        J = self._jacobian(i, j, (-a, np.cross(a, d + si), a, np.cross(sj, a)))
        swing = np.cross(w[j], np.cross(w[j], sj)) - np.cross(w[i], np.cross(w[i], si))
        return dot(a, d), J, dot(np.cross(w[i], wa), d) + 2 * dot(wa, rate) + dot(a, swing)

    def _dot_rows(self, data: tuple, parts: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """a·b, its gradient and the acceleration at constant velocities."""
        i, j, _, _, a, b = data
        _, R, _, w, _ = parts
        a, b = np.einsum("kij,kj->ki", R[i], a), np.einsum("kij,kj->ki", R[j], b)
        wa, wb, zero = np.cross(w[i], a), np.cross(w[j], b), np.zeros_like(a)
        J = self._jacobian(i, j, (zero, np.cross(a, b), zero, np.cross(b, a)))
        return dot(a, b), J, dot(np.cross(w[i], wa), b) + 2 * dot(wa, wb) + dot(a, np.cross(w[j], wb))

    def _constraints(self, parts: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        first, second = self._point_rows(self.points, parts), self._dot_rows(self.dots, parts)
        return tuple(np.concatenate(pair) for pair in zip(first, second, strict=True))

    def _coordinates(self, parts: tuple) -> tuple[np.ndarray, np.ndarray]:
        """Values and gradients; an angle is the one nearest to the one that was integrated."""
        displacement, J, _ = self._point_rows(self.axes, parts)
        i, j, *_ = self.axes
        R, tracked, values = parts[1], parts[4], displacement
        axis = np.einsum("kij,kj->ki", R[i], self.axes[4])
        zero = np.zeros_like(axis)
        J = np.where(self.turning[:, None], self._jacobian(i, j, (zero, -axis, zero, axis)), J)
        for k in np.flatnonzero(self.turning):
            c = self.coordinates[k]
            m = AXES[c.axis]
            relative = (R[i[k]] @ c.parent.axes).T @ R[j[k]] @ c.child.axes
            p, s = (m + 1) % 3, (m + 2) % 3
            angle = np.arctan2(relative[s, p], relative[p, p])
            values[k] = angle + 2 * np.pi * np.round((tracked[k] - angle) / (2 * np.pi))
        return values, J

    def _roots(self, parts: tuple) -> np.ndarray:
        """L with L·Lᵀ the inverse of the mass matrix, as blocks."""
        L = np.zeros((self.n, 6, 6))
        L[:, [0, 1, 2], [0, 1, 2]] = 1 / np.sqrt(self.mass)[:, None]
        L[:, 3:, 3:] = parts[1][:-1] @ self.root
        return L

    def _times(self, L: np.ndarray, J: np.ndarray) -> np.ndarray:
        return np.einsum("mki,kij->mkj", J.reshape(len(J), self.n, 6), L).reshape(len(J), 6 * self.n)

    def _least(self, L: np.ndarray, J: np.ndarray, b: np.ndarray) -> np.ndarray:
        """The smallest change x in the norm of the mass matrix with J·x = b, as near as the rows allow."""
        if not len(b):
            return np.zeros(6 * self.n)
        rows = self._times(L, J)
        if not np.isfinite(rows).all():
            raise Undecided("the motion diverges")
        U, s, V = np.linalg.svd(rows, full_matrices=False)
        keep = s > self.cut * s[0]
        self.ratio = float(s[keep][-1] / s[0])
        x = V[keep].T @ ((U.T @ b)[keep] / s[keep])
        return np.einsum("kij,kj->ki", L, x.reshape(self.n, 6)).ravel()

    def projected(self, y: np.ndarray, tolerance: float = 1e-13) -> np.ndarray:
        """The nearest state with closed joints: positions first, then velocities."""
        n, y = self.n, y.copy()
        for _ in range(30):
            parts = self._parts(y)
            gap, J, _ = self._constraints(parts)
            if not len(gap) or np.abs(gap).max() < tolerance:
                break
            change = self._least(self._roots(parts), J, -gap).reshape(n, 6)
            Q = y[3 * n : 7 * n].reshape(n, 4)
            y[: 3 * n] += change[:, :3].ravel()
            Q = Q + quaternion_rates(Q, change[:, 3:])
            y[3 * n : 7 * n] = (Q / np.linalg.norm(Q, axis=1, keepdims=True)).ravel()
        parts = self._parts(y)
        gap, J, _ = self._constraints(parts)
        if len(gap) and np.abs(gap).max() > 1e-9:
            raise Undecided(f"the joints cannot be closed: {np.abs(gap).max():.1e}")
        return self._push(y, parts, J, -J @ self._velocity(y))

    def _velocity(self, y: np.ndarray) -> np.ndarray:
        n = self.n
        return np.hstack([y[7 * n : 10 * n].reshape(n, 3), y[10 * n : 13 * n].reshape(n, 3)]).ravel()

    def _push(self, y: np.ndarray, parts: tuple, J: np.ndarray, change: np.ndarray) -> np.ndarray:
        """The state with velocities changed by the least that changes the rates of the rows as told."""
        n, y = self.n, y.copy()
        x = self._least(self._roots(parts), J, change).reshape(n, 6)
        y[7 * n : 10 * n] += x[:, :3].ravel()
        y[10 * n : 13 * n] += x[:, 3:].ravel()
        return y

    def with_coordinates(self, y: np.ndarray) -> np.ndarray:
        """The state with the coordinates that belong to it."""
        values, _ = self._coordinates(self._parts(y))
        return np.concatenate([y[: 13 * self.n], values])

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """The time derivative of the state."""
        if self.project_stages:
            y = self.projected(y)
        n, parts = self.n, self._parts(y)
        R, w = parts[1][:-1], parts[3][:-1]
        values, J_c = self._coordinates(parts)
        velocity = self._velocity(y)
        coordinate_rates = J_c @ velocity
        force = np.zeros((n, 6))
        force[:, :3] = self.mass[:, None] * self.gravity
        local = np.einsum("kji,kj->ki", R, w)
        force[:, 3:] = -np.cross(w, np.einsum("kij,kjl,kl->ki", R, self.inertia, local))
        if self.loads is not None:
            inside = min(max(t, self.span[0]), self.span[1])
            force += (J_c.T @ np.asarray(self.loads(inside, values, coordinate_rates), float)).reshape(n, 6)
        L = self._roots(parts)
        free = np.einsum("kij,klj,kl->ki", L, L, force).ravel()
        _, J, bias = self._constraints(parts)
        acceleration = (free + self._least(L, J, -bias - J @ free)).reshape(n, 6)
        self.smallest_ratio = min(self.smallest_ratio, self.ratio)
        Q = y[3 * n : 7 * n].reshape(n, 4)
        pieces = [velocity.reshape(n, 6)[:, :3], quaternion_rates(Q, w), acceleration[:, :3], acceleration[:, 3:]]
        return np.concatenate([*(one.ravel() for one in pieces), coordinate_rates])

    def energy(self, y: np.ndarray) -> float:
        """Kinetic energy, and that of gravity and ``potential``."""
        parts = self._parts(y)
        r, R, v, w = (one[:-1] for one in parts[:4])
        local = np.einsum("kji,kj->ki", R, w)
        kinetic = self.mass @ dot(v, v) + np.einsum("ki,kij,kj->", local, self.inertia, local)
        return float(kinetic / 2 - self.mass @ r @ self.gravity + self.potential(self._coordinates(parts)[0]))

    def _gaps(self, y: np.ndarray) -> np.ndarray:
        values, _ = self._coordinates(self._parts(y))
        return np.array([s.sign * (values[s.coordinate] - s.limit) for s in self.stops])

    def _impact(self, y: np.ndarray, stop: Stop) -> np.ndarray:
        parts = self._parts(y)
        _, J, _ = self._constraints(parts)
        row = self._coordinates(parts)[1][[stop.coordinate]]
        rate = float(row[0] @ self._velocity(y))
        return self._push(y, parts, np.vstack([J, row]), np.append(np.zeros(len(J)), -(1 + stop.restitution) * rate))

    def move(
        self, times: Sequence[float], breakpoints: Sequence[float] = (), rtol: float = 1e-10, max_step: float = np.inf,
        max_impacts: int = 200,
    ) -> Motion:  # fmt: skip
        """The motion at the times; loads may jump at the breakpoints, where no step passes."""
        with np.errstate(all="ignore"):
            return self._moved(np.asarray(times, float), breakpoints, rtol, max_step, max_impacts)

    def _moved(
        self, times: np.ndarray, breakpoints: Sequence[float], rtol: float, max_step: float, max_impacts: int
    ) -> Motion:
        y, t, step = self.start(), float(times[0]), None
        before, change = self.energy(y), 0.0
        impacts: list[tuple[float, int]] = []
        kept = [y]
        marks = sorted({*times[1:].tolist(), *(b for b in breakpoints if times[0] < b < times[-1])})
        for mark in marks:
            self.span = np.nextafter(t, np.inf), np.nextafter(mark, -np.inf)
            while t < mark:
                first = None if step is None else min(step, mark - t)
                solver = DOP853(self.rates, t, y, mark, max_step=max_step, rtol=rtol, atol=rtol / 100, first_step=first)
                while solver.status == "running":
                    gaps = self._gaps(solver.y)
                    if message := solver.step():
                        raise Undecided(f"t = {solver.t:.6g}: {message}")
                    hit = self._hit(solver, gaps)
                    if hit is not None:
                        t, k, y = hit
                        y = self.with_coordinates(self._impact(self.projected(y), self.stops[k]))
                        impacts.append((t, k))
                        if len(impacts) > max_impacts:
                            raise Undecided("too many impacts")
                        step = None
                        break
                    solver.y = self.with_coordinates(self.projected(solver.y))
                    solver.f = self.rates(solver.t, solver.y)
                    t, y, step = solver.t, solver.y, solver.h_abs
                    change = max(change, abs(self.energy(y) - before))
            if mark in times:
                kept.append(y)
        if self.conservative and change > 1e-6 * max(1.0, abs(before)):
            raise Undecided(f"energy changed by {change:.1e}")
        parts = [self._parts(one) for one in kept]
        found = [self._coordinates(one) for one in parts]
        rates = np.array([J @ self._velocity(one) for (_, J), one in zip(found, kept, strict=True)])
        positions = np.array([one[0][:-1] for one in parts])
        return Motion(times, np.array([values for values, _ in found]), rates, positions, impacts, change)

    def _hit(self, solver: DOP853, gaps: np.ndarray) -> tuple[float, int, np.ndarray] | None:
        """The first stop that is passed within the last step: time, number and state."""
        if not self.stops:
            return None
        dense, fine = solver.dense_output(), np.linspace(solver.t_old, solver.t, 9)
        course = np.array([gaps, *(self._gaps(dense(t)) for t in fine[1:])])
        found = []
        for k in range(len(self.stops)):
            for m in range(8):
                a, b = course[m, k], course[m + 1, k]
                if a > 1e-12 and b < 0:
                    t = brentq(lambda t, k=k: self._gaps(dense(t))[k], fine[m], fine[m + 1], xtol=1e-14)
                    found.append((t, k, dense(t)))
                    break
                if m == 0 and a <= 1e-12 and b < -1e-12:
                    raise Undecided("a stop holds, or was passed")
        return min(found, key=lambda one: one[0]) if found else None


def checked(
    mechanism: Mechanism, times: Sequence[float], tolerance: float = 1e-6, breakpoints: Sequence[float] = (),
    rtol: float = 1e-10, max_step: float = np.inf,
) -> Motion:  # fmt: skip
    """The motion, computed twice with different steps; Undecided if the results differ by more than the tolerance."""
    motion = mechanism.move(times, breakpoints, rtol, max_step)
    other = mechanism.move(times, breakpoints, 37 * rtol, min(max_step, 0.031 * (times[-1] - times[0])))
    difference = np.abs(motion.values - other.values).max(initial=0)
    if not difference < tolerance:
        raise Undecided(f"two runs differ by {difference:.1e}")
    return motion
