"""Mechanisms that are written down once and built twice: as a System of the package, and for the reference.

A layout is a list of links and joints whose lengths and angles are numbers, or symbols of parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import multibody as mb

from .maximal import WORLD, Body, Frame, Joint, Mechanism

GROUND = ""
KINDS = {"R": "revolute", "T": "prismatic"}


@dataclass(frozen=True)
class Bar:
    """A link: its mass, center of mass in its own frame, and principal inertias about that point."""

    name: str
    mass: Any
    center: tuple[Any, Any, Any]
    inertia: tuple[Any, Any, Any]


@dataclass(frozen=True)
class Pair:
    """A joint of a kind such as "Rz": a point on its parent, twisted about x or turned about z, one on its child."""

    name: str
    kind: str
    parent: str
    child: str
    at: tuple[Any, Any, Any] = (0, 0, 0)
    twist: Any = 0
    child_at: tuple[Any, Any, Any] = (0, 0, 0)
    cut: bool = False
    turn: Any = 0


@dataclass(frozen=True)
class Layout:
    """Links and joints; those that are cut close loops."""

    bars: Sequence[Bar]
    pairs: Sequence[Pair]

    @property
    def tree(self) -> list[Pair]:
        """Joints that are not cut."""
        return [one for one in self.pairs if not one.cut]


def rod(name: str, length: Any, mass: Any) -> Bar:
    """A thin rod along x from its own origin."""
    across = mass * length**2 / 12
    return Bar(name, mass, (length / 2, 0, 0), (across / 50, across, across))


def system_of(
    name: str, layout: Callable[..., Layout], defaults: Mapping[str, float], gravity: Sequence[float],
    loads: Callable[..., None] | None = None, **options: Any,
) -> Any:  # fmt: skip
    """The system of the package; ``loads`` is a function of (system, joints, parameters) that adds loads."""
    system = mb.System(name, gravity=tuple(gravity), **options)
    symbols = {key: system.parameter(key, value) for key, value in defaults.items()}
    made = layout(**symbols)
    bodies = {bar.name: system.body(bar.name, bar.mass, bar.center, bar.inertia) for bar in made.bars}
    joints = {}
    for pair in made.pairs:
        parent = bodies[pair.parent] if pair.parent else system.world
        rotation = None if _is_zero(pair.twist) else mb.Rotation.about_x(pair.twist)
        rotation = rotation if _is_zero(pair.turn) else mb.Rotation.about_z(pair.turn)
        before = parent.frame(f"{pair.name}_before", pair.at, rotation)
        child = bodies[pair.child] if pair.child else system.world
        after = child.frame(f"{pair.name}_after", pair.child_at)
        joints[pair.name] = system.joint(pair.name, before, after, pair.kind, cut=True if pair.cut else None)
    if loads is not None:
        loads(system, joints, symbols)
    return system


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | float) and value == 0


def about(axis: int, angle: float) -> np.ndarray:
    """Rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    R, i, j = np.eye(3), (axis + 1) % 3, (axis + 2) % 3
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


def mechanism_of(
    layout: Layout, q: Mapping[str, float], u: Mapping[str, float], gravity: Sequence[float], **options: Any
) -> Mechanism:
    """The reference's mechanism, with poses and velocities that follow from the joints of the tree."""
    numbers = {bar.name: k for k, bar in enumerate(layout.bars)}
    bars = {bar.name: bar for bar in layout.bars}
    zero = np.zeros(3)
    poses = {GROUND: (zero, np.eye(3), zero, zero)}
    for pair in layout.tree:
        p, R, v, w = poses[pair.parent]
        axis = "xyz".index(pair.kind[1])
        before = R @ about(0, pair.twist) @ about(2, pair.turn)
        point = p + R @ np.array(pair.at, float)
        v_point = v + np.cross(w, point - p)
        turn, value, rate = pair.kind[0] == "R", q.get(pair.name, 0.0), u.get(pair.name, 0.0)
        R_child = before @ about(axis, value) if turn else before
        w_child = w + before[:, axis] * rate if turn else w
        if not turn:
            v_point = v_point + before[:, axis] * rate + np.cross(w, before[:, axis] * value)
            point = point + before[:, axis] * value
        arm = R_child @ np.array(pair.child_at, float)
        poses[pair.child] = (point - arm, R_child, v_point - np.cross(w_child, arm), w_child)
    bodies = []
    for bar in layout.bars:
        p, R, v, w = poses[bar.name]
        arm = R @ np.array(bar.center, float)
        bodies.append(Body(bar.mass, np.diag(np.array(bar.inertia, float)), p + arm, R, v + np.cross(w, arm), w))
    joints = []
    for pair in layout.pairs:
        center = np.array(bars[pair.parent].center, float) if pair.parent else zero
        before = Frame(
            numbers.get(pair.parent, WORLD),
            np.array(pair.at, float) - center,
            about(0, pair.twist) @ about(2, pair.turn),
        )
        child_center = np.array(bars[pair.child].center, float) if pair.child else zero
        after = Frame(numbers.get(pair.child, WORLD), np.array(pair.child_at, float) - child_center)
        joints.append(Joint(KINDS[pair.kind[0]], before, after, pair.kind[1]))
    return Mechanism(bodies, joints, joints, gravity, **options)


def closed_start(mechanism: Mechanism, layout: Layout) -> tuple[dict[str, float], dict[str, float]]:
    """Coordinates and rates of the joints of the tree in the reference's own start state, where loops are closed."""
    motion = mechanism.move([0.0])
    pairs = list(zip(layout.pairs, motion.values[0], motion.rates[0], strict=True))
    q = {pair.name: float(value) for pair, value, _ in pairs if not pair.cut}
    return q, {f"{pair.name}_dot": float(rate) for pair, _, rate in pairs if not pair.cut}
