"""Systems with one constraint of each kind, and states that keep it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from multibody import (
    DistanceConstraint,
    Free,
    Gear,
    KnifeEdge,
    Model,
    PointOnCurve,
    PointOnLine,
    PointOnPlane,
    PointOnSurface,
    RackAndPinion,
    RollingDisc,
    RollingSphere,
    Rotation,
    System,
    derive,
)
from multibody.graph import Table, array, cos, evaluate, jacobian, sin, time_derivative
from multibody.model import Constraint, Frame, Kinematics

TABLE = Table("hill", [-2.0, -0.5, 0.4, 1.0, 2.5], [0.3, -0.1, 0.2, 0.5, 0.4], interpolation="cubic")


def arena(name="arena") -> tuple[System, Frame, Frame]:
    """A frame on a carrier that moves, and a frame away from the centre of mass of a body that flies."""
    system = System(name)
    carrier = system.body("carrier", mass=5, com=(0.1, 0, 0.2), inertia=(0.3, 0.4, 0.5))
    rider = system.body("rider", mass=2, com=(0, 0.1, 0), inertia=(0.2, 0.3, 0.4))
    system.joint("way", system.world, carrier, ["Tx", "Ry"])
    system.joint("fly", system.world, rider, Free("zyx"))
    base = carrier.frame("base", (0.1, -0.2, 0.3), Rotation.about_x(0.4))
    return system, base, rider.frame("tip", (0.3, 0.1, -0.2), Rotation.about_y(0.7))


BETWEEN = {
    "distance": lambda system, base, frame: DistanceConstraint(base, frame, system.parameter("L", 1.2)),
    "line": lambda system, base, frame: PointOnLine(base, frame, "y"),
    "skew_line": lambda system, base, frame: PointOnLine(base, frame, (0.3, -0.5, 1.1)),
    "plane": lambda system, base, frame: PointOnPlane(base, frame, "-z"),
    "skew_plane": lambda system, base, frame: PointOnPlane(base, frame, system.parameter("n", [0.1, 0.2, 0.9])),
    "ellipsoid": lambda system, base, frame: PointOnSurface(
        base, frame, lambda x, y, z: x**2 + 2 * y**2 + 3 * z**2 - system.parameter("size", 2.0)
    ),
    "helix": lambda system, base, frame: PointOnCurve(
        base, frame, lambda x, y, z: x - cos(z), lambda x, y, z: 3 * y - 3 * sin(z)
    ),
    "graph": lambda system, base, frame: PointOnCurve.graph(base, frame, y=TABLE, z=lambda x: x**2 / 3),
    "disc": lambda system, base, frame: RollingDisc(base, frame, system.parameter("r", 0.4)),
    "tyre": lambda system, base, frame: RollingDisc(base, frame, 0.4, (0.2, 1.0, 0.1), crown=0.15),
    "ball": lambda system, base, frame: RollingSphere(base, frame, system.parameter("r", 0.4)),
    "blade": lambda system, base, frame: KnifeEdge(base, frame, (1.0, 0.2, 0.1)),
}
"""Constraints between two frames that do not depend on time."""


def between(kind: str) -> tuple[System, Constraint]:
    """The arena with a constraint between its two frames."""
    system, base, frame = arena(kind)
    return system, system.constraint(BETWEEN[kind](system, base, frame), name="held")


def moved() -> System:
    """A rod whose length, and a surface whose place, change with time and with an input."""
    system, base, frame = arena("moved")
    stroke = system.input("stroke")
    system.constraint(DistanceConstraint(base, frame, 1.2 + 0.1 * sin(3 * system.time) + stroke), name="rod")
    system.constraint(
        PointOnSurface(base, frame, lambda x, y, z: x + 2 * y - stroke * cos(z + system.time)), name="wave"
    )
    return system


def geared() -> System:
    """An arm with two coordinates on the way, whose last one drives a rack and a wheel."""
    system = System("geared")
    arm = system.body("arm", mass=2, com=(0, 0.1, 0.3), inertia=(0.2, 0.3, 0.4))
    wheel = system.body("wheel", mass=1, com=(0.05, 0, 0), inertia=(0.1, 0.2, 0.3))
    rack = system.body("rack", mass=3)
    hip = system.joint("hip", system.world, arm, ["Rz", "Ry"])
    turn = system.joint("turn", arm.frame("hub", (0, 0, 0.5)), wheel, "Rx")
    slide = system.joint("slide", arm, rack, "Tz")
    system.constraint(Gear(turn, (hip, 1), system.parameter("ratio", -2.5), offset=0.3), name="mesh")
    system.constraint(RackAndPinion((hip, 0), slide, radius=0.2, offset=sin(system.time)), name="teeth")
    return system


ALL = {kind: lambda kind=kind: between(kind)[0] for kind in BETWEEN} | {"moved": moved, "geared": geared}


class State:
    """Numbers for all symbols of a model: coordinates that keep the constraints, and any speeds.

    Args:
        model: with constraints.
        seed: of the random numbers.
    """

    def __init__(self, model: Model, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.model = model
        self.equations = [e for c in model.constraints.values() for e in c.equations(Kinematics(model))]
        self.known: dict[Any, Any] = {model.time: rng.uniform(), **model.parameter_values()}
        self.known |= {r: rng.uniform(-0.1, 0.1) for r in model.input_symbols}
        self.known |= {q: rng.uniform(-0.6, 0.6) for q in model.coordinates} | {u: rng.normal() for u in model.speeds}
        phi = [e.position for e in self.equations if e.position is not None]
        for _ in range(12 if phi else 0):
            self._move(phi, model.coordinates)
        assert np.abs(self(phi)).max(initial=0) < 1e-14

    def __call__(self, expressions) -> np.ndarray:
        """The numbers for expressions of t, q, u, r, p."""
        return np.array(evaluate(array(expressions), self.known), dtype=float)

    def rate(self, expressions) -> np.ndarray:
        """The rates of expressions of t, q, r, p."""
        return self(time_derivative(list(expressions), self.model.flow()))

    def keep_velocities(self) -> None:
        """Change the speeds as little as possible so that B·u + β = 0."""
        velocities = [e.velocity for e in self.equations]
        self._move(velocities, self.model.speeds)
        assert np.abs(self(velocities)).max() < 1e-14

    def _move(self, zero, symbols) -> None:
        """One of Newton's steps, the shortest."""
        step = np.linalg.pinv(self(jacobian(zero, symbols))) @ self(zero)
        self.known |= {one: self.known[one] - change for one, change in zip(symbols, step, strict=True)}


def solved(system: System, t: float = 0.0, r: Sequence[float] = (), **start: float) -> dict[str, float]:
    """The rate of every speed and every multiplier by name, at start values that are given by name.

    The state must keep the constraints, and so must the motion.
    """
    system.start(**start)
    eom = derive(system)
    model, rows = eom.model, eom.constraints
    known: dict[Any, Any] = {model.time: t, **model.start, **model.parameter_values()}
    known |= dict(zip(model.input_symbols, r, strict=True))
    phi, velocity, B, gamma, u_dot, forces = (
        np.array(evaluate(array(list(one)), known), dtype=float)
        for one in (rows.phi, rows.velocity, rows.B, rows.gamma, eom.acceleration, eom.multiplier_values)
    )
    for level in (phi, velocity, B.reshape(len(gamma), len(u_dot)) @ u_dot + gamma):
        assert np.abs(level).max(initial=0) < 1e-11
    names = [one.name for one in (*eom.speeds, *eom.multipliers)]
    return dict(zip(names, map(float, [*u_dot, *forces]), strict=True))
