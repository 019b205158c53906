"""Random trees of bodies, to hold identities against: every joint kind, any frames, either direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from multibody.algebra import Rotation
from multibody.model import (
    Cylindrical,
    Frame,
    Free,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    System,
    Universal,
    Weld,
)

KINDS: tuple[Callable[[np.random.Generator], Any], ...] = (
    lambda rng: rng.choice(["Rx", "Ry", "Rz"]),
    lambda rng: rng.choice(["Tx", "Ty", "Tz"]),
    lambda rng: Revolute(rng.normal(size=3)),
    lambda rng: Prismatic(rng.normal(size=3)),
    lambda rng: Cylindrical(rng.normal(size=3)),
    lambda rng: Screw(rng.choice(["x", "-y", "z"]), float(rng.normal())),
    lambda rng: Universal("x", rng.choice(["y", "-z"])),
    lambda rng: Planar(rng.choice(["x", "y", "z"])),
    lambda rng: Spherical(),
    lambda rng: Spherical("zxz"),
    lambda rng: Free(),
    lambda rng: Free("xyz"),
    lambda rng: ["Tz", "Rx", "Ry"],
    lambda rng: Weld(),
)
"""Makers of all kinds of joints."""


def random_tree(
    seed: int, size: int, kinds: Sequence[Callable[[np.random.Generator], Any]] = KINDS, *, chain: bool = False
) -> System:
    """A random tree of rigid bodies with generic masses, inertias and frames.

    Args:
        seed: the same seed gives the same system.
        size: number of bodies.
        kinds: makers of joints to choose from.
        chain: every body on the one before it, instead of on any.

    Example:
        >>> len(list(random_tree(1, 4).freeze().bodies))
        4
    """
    rng = np.random.default_rng(seed)
    system = System("tree", gravity=rng.normal(size=3) * 5)
    bodies: list[Frame] = [system.world]
    for k in range(1, size + 1):
        root = rng.normal(size=(3, 3))
        body = system.body(f"b{k}", float(rng.uniform(0.5, 2)), rng.normal(size=3), root @ root.T + np.eye(3))
        inner = bodies[-1] if chain else bodies[int(rng.integers(len(bodies)))]
        frames = [_placed(inner, f"inner{k}", rng), _placed(body, f"outer{k}", rng)]
        if rng.random() < 0.3:
            frames.reverse()
        system.joint(f"j{k}", frames[0], frames[1], kinds[int(rng.integers(len(kinds)))](rng))
        bodies.append(body)
    return system


def _placed(frame: Frame, name: str, rng: np.random.Generator) -> Frame:
    return frame.frame(name, rng.normal(size=3), Rotation.euler("xyz", rng.normal(size=3)))


def random_state(model: Any, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates and speeds; quaternions have length one."""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=len(model.coordinates))
    names = [symbol.name for symbol in model.coordinates]
    for k, name in enumerate(names):
        if name.endswith("_qw"):
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    return q, rng.normal(size=len(model.speeds))
