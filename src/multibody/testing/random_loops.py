"""Random mechanisms with closed loops that fit: any tree, closed by joints in a random configuration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from multibody.algebra import Rotation
from multibody.graph import evaluate
from multibody.model import Body, Frame, Kinematics, Revolute, Spherical, System, Universal
from multibody.model.joint import as_kind
from multibody.model.joints.contract import IDENTITY
from multibody.testing.random_models import KINDS, Kinds, random_tree
from multibody.testing.random_values import random_state

CLOSINGS: tuple[Callable[[np.random.Generator], Any], ...] = (
    lambda rng: Spherical(),
    lambda rng: Universal("x", "y"),
    lambda rng: Revolute(rng.normal(size=3)),
    lambda rng: "Rz",
    lambda rng: ["Tx", "Ry"],
    lambda rng: ["Rz", "Tx", "Ty"],
)
"""Makers of joints that close loops."""


def random_loops(
    seed: int, size: int, loops: int = 1, kinds: Kinds = KINDS, closings: Sequence[Callable[..., Any]] = CLOSINGS
) -> System:
    """A random tree with joints that close loops; its start values close them all.

    A joint is added between two bodies only if it leaves the mechanism some freedom, so there may be fewer than asked.

    Args:
        seed: the same seed gives the same system.
        size: number of bodies.
        loops: number of closing joints.
        kinds: makers of joints of the tree.
        closings: makers of the joints that close loops.

    Example:
        >>> from multibody.model import Joint
        >>> system = random_loops(3, 4)
        >>> [joint.name for joint in system.all(Joint) if joint.cut]
        ['closing1']
    """
    system = random_tree(seed, size, kinds)
    rng = np.random.default_rng([seed, 2])
    model = system.freeze()
    q, _ = random_state(model, seed)
    system.start(**{coordinate.name: float(value) for coordinate, value in zip(model.coordinates, q, strict=True)})
    freedom = len(model.speeds)
    known = dict(zip(model.coordinates, map(float, q), strict=True))
    kinematics = Kinematics(model)
    for k in range(1, loops + 1):
        kind = closings[int(rng.integers(len(closings)))](rng)
        locked = len(as_kind(kind, "closing").locks(IDENTITY))
        if freedom - locked < 1:
            continue
        freedom -= locked
        _close(system, kinematics, known, f"closing{k}", kind, rng)
    return system


def _close(
    system: System, kinematics: Kinematics, known: dict[Any, float], name: str, kind: Any, rng: np.random.Generator
) -> None:
    """Join two bodies by frames that coincide in the given configuration."""
    bodies = list(system.all(Body))
    first, second = (bodies[int(i)] for i in rng.choice(len(bodies), size=2, replace=False))
    inner = first.frame(f"{name}_inner", rng.normal(size=3), Rotation.euler("xyz", rng.normal(size=3)))
    pose = kinematics.pose(inner, second)
    position = np.array(evaluate(list(pose.position), known), dtype=float)
    matrix = np.array(evaluate([list(row) for row in pose.rotation.to_matrix().rows], known), dtype=float)
    outer: Frame = second.frame(f"{name}_outer", position, matrix)
    system.joint(name, inner, outer, kind, cut=True)
