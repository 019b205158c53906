"""Check of the user's own joints: velocity and bias must be those of the pose.

A joint says where its child frame is and how fast it moves, apart from each other. Where the two contradict each other,
equations belong to another mechanism, and to another one for each formalism. Movements of this package are proved right
by tests; all others are compared at random states: Rᵀ·Ṙ and Rᵀ·ṗ with Σ axis·u, and the rate of the axes with the bias.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from multibody.algebra import VelocityMotor
from multibody.errors import ModelError, MultibodyError
from multibody.graph import ZERO, Expr, Symbol, as_expr, evaluate, free_symbols, isolated, symbol, time_derivative
from multibody.model.joint import Joint
from multibody.model.joints.contract import Motion
from multibody.model.model import QUATERNION

STATES = 12
TOLERANCE = 1e-8
"""Of a difference of velocities at a random state, relative to the largest of both."""

OWN = "multibody."


def require_consistent_motions(joints: Iterable[Joint]) -> None:
    """An error for the first joint whose velocity is not the rate of its pose."""
    for error in inconsistent_motions(joints):
        raise error


def inconsistent_motions(joints: Iterable[Joint]) -> Iterator[ModelError]:
    """Errors for joints with movements that contradict themselves."""
    for joint in joints:
        if type(joint.kind).__module__.startswith(OWN):
            continue
        for step in joint.kind.steps():
            wrong = "" if type(step.motion).__module__.startswith(OWN) else _contradiction(step.motion)
            if wrong:
                yield ModelError(
                    f"{type(step.motion).__name__}.{wrong} does not belong to its pose().",
                    code="joint-motion-inconsistent",
                    where=f"joint '{joint.name}'",
                    cause="At a random state, the rate of the pose is another one.",
                    remedy="axes() are the velocities of the child frame at its origin and in its axes, for each unit "
                    "speed; bias() is the sum of their rates times the speeds, None where they are constant.",
                    name=joint.name,
                )


def _contradiction(motion: Motion) -> str:
    """The method of a movement that does not fit to its pose; empty if all do, or if that cannot be computed."""
    with isolated():
        q = [symbol(f"q_{k}", "coordinate", "own motion") for k in range(len(motion.coordinates))]
        u = [symbol(f"u_{k}", "speed", "own motion") for k in range(motion.freedom)]
        try:
            velocity, bias = _compared(motion, q, u)
            used = free_symbols([part for pair in (*velocity, *bias) for part in pair])
            known = _random_states(motion, q, [*u, *(other for other in used if other not in q)])
            return "axes()" if _differ(velocity, known) else "bias()" if _differ(bias, known) else ""
        except MultibodyError:
            return ""


Pairs = list[tuple[Expr, Expr]]


def _compared(motion: Motion, q: list[Symbol], u: list[Symbol]) -> tuple[Pairs, Pairs]:
    """Velocity by the pose and by the axes; the rate of the axes and the bias."""
    flow: dict[Expr, Expr] = dict(zip(q, map(as_expr, motion.rates(q, u)), strict=True))

    def rate(part: Any) -> Expr:
        return as_expr(time_derivative(as_expr(part), flow))

    pose, axes = motion.pose(q), motion.axes(q)
    R = [[as_expr(entry) for entry in row] for row in pose.rotation.to_matrix().rows]
    p_dot = [rate(part) for part in pose.position.components()]
    W = [[sum((R[i][row] * rate(R[i][column]) for i in range(3)), ZERO) for column in range(3)] for row in range(3)]
    v = [sum((R[i][row] * p_dot[i] for i in range(3)), ZERO) for row in range(3)]
    moved = _total(axes, u)
    turning = _total([axis.map(rate) for axis in axes], u)
    bias = motion.bias(q, u)
    drift = [ZERO] * 6 if bias is None else list(map(as_expr, bias.components()))
    velocity = [W[2][1], W[0][2], W[1][0], *v]
    return list(zip(velocity, moved, strict=True)), list(zip(turning, drift, strict=True))


def _total(axes: Iterable[VelocityMotor], u: list[Symbol]) -> list[Expr]:
    """Σ axis·u, turning and moving."""
    parts = [[as_expr(part) * speed for part in axis.components()] for axis, speed in zip(axes, u, strict=True)]
    return [sum(row, ZERO) for row in zip(*parts, strict=True)] if parts else [ZERO] * 6


def _random_states(motion: Motion, q: list[Symbol], others: Iterable[Symbol]) -> dict[Any, Any]:
    """States at which velocities are compared; quaternions have length one."""
    rng = np.random.default_rng(0)
    known: dict[Any, Any] = {variable: rng.uniform(0.3, 1.2, STATES) for variable in (*q, *others)}
    parts = [coordinate for coordinate, label in zip(q, motion.coordinates, strict=True) if label in QUATERNION]
    length = np.sqrt(sum(known[part] ** 2 for part in parts)) if parts else 1.0
    return known | {part: known[part] / length for part in parts}


def _differ(pairs: Pairs, known: dict[Any, Any]) -> bool:
    for pair in pairs:
        with np.errstate(all="ignore"):
            a, b = (np.broadcast_to(evaluate(side, known), STATES) for side in pair)
            if (np.nan_to_num(np.abs(a - b)) > TOLERANCE * (1 + np.nan_to_num(np.abs(a)))).any():
                return True
    return False
