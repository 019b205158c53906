"""Random trees of bodies, to hold identities against: every joint kind, any frames, either direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from multibody.algebra import Rotation
from multibody.graph import Expr
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
from multibody.model.joint import as_kind
from multibody.testing.chance import Seeded
from multibody.testing.random_loads import add_internal_loads, add_random_loads
from multibody.testing.random_sensors import add_random_sensors
from multibody.testing.site import Site

Kinds = Sequence[Callable[[np.random.Generator], Any]]

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


def random_tree(seed: int, size: int, kinds: Kinds = KINDS, *, chain: bool = False, prescribed: float = 0.0) -> System:
    """A random tree of rigid bodies with generic masses, inertias and frames.

    Args:
        seed: the same seed gives the same system.
        size: number of bodies.
        kinds: makers of joints to choose from.
        chain: every body on the one before it, instead of on any.
        prescribed: how many of the joints, from 0 to 1, have a given motion, among those for which that is possible.

    Example:
        >>> len(list(random_tree(1, 4).freeze().bodies))
        4
    """
    rng = np.random.default_rng(seed)
    system = System("tree", gravity=rng.normal(size=3) * 5)
    _grow(system, [system.world], range(1, size + 1), rng, _Joints(seed, kinds, prescribed), chain=chain)
    return system


def random_system(
    seed: int, size: int, kinds: Kinds = KINDS, *, chain: bool = False, prescribed: float = 0.2,
    loads: int | None = None, sensors: int = 0,
) -> System:  # fmt: skip
    """A random tree with loads, inputs, parameters, sensors, and now and then a joint whose motion is given.

    Args:
        seed: the same seed gives the same system.
        size: number of bodies.
        kinds: makers of joints to choose from.
        chain: every body on the one before it, instead of on any.
        prescribed: how many of the joints, from 0 to 1, have a given motion.
        loads: number of loads; by default as many as bodies.
        sensors: number of sensors.

    Example:
        >>> system = random_system(2, 3, sensors=5)
        >>> len(system.loads), system.check().ok
        (3, True)
    """
    system = random_tree(seed, size, kinds, chain=chain, prescribed=prescribed)
    add_random_loads(system, seed, size if loads is None else loads)
    add_random_sensors(system, seed, sensors)
    return system


def random_floating_system(seed: int, size: int, kinds: Kinds = KINDS, *, loads: int | None = None) -> System:
    """Bodies in space: a tree whose first body flies freely, without gravity, with loads between the bodies alone.

    Momentum and angular momentum stay what they are, and any body may be taken for the first one.

    Args:
        seed: the same seed gives the same system.
        size: number of bodies.
        kinds: makers of joints to choose from.
        loads: number of loads; by default as many as bodies.

    Example:
        >>> [joint.name for joint in random_floating_system(1, 3).freeze().joints]
        ['flight', 'j2', 'j3']
    """
    rng = np.random.default_rng(seed)
    system = System("floating", gravity=(0, 0, 0))
    base = _body(system, 1, rng)
    system.joint("flight", system.world, base, Free())
    _grow(system, [base], range(2, size + 1), rng, _Joints(seed, kinds), chain=False)
    add_internal_loads(system, seed, size if loads is None else loads)
    return system


class _Joints:
    """The kinds of joints, and which of them are driven; the latter by a generator of its own."""

    def __init__(self, seed: int, kinds: Kinds, prescribed: float = 0.0) -> None:
        self._kinds = kinds
        self._share = prescribed
        self._chance = Seeded(seed, 1)

    def kind(self, rng: np.random.Generator) -> Any:
        return self._kinds[int(rng.integers(len(self._kinds)))](rng)

    def motion(self, system: System, kind: Any) -> list[Expr] | None:
        driven = self._share and self._chance.index(1000) < 1000 * self._share
        return given_motion(Site(system, self._chance), kind) if driven else None


def given_motion(site: Site, kind: Any) -> list[Expr] | None:
    """Functions of time for the coordinates of a joint; None for a joint that cannot be driven in this way."""
    motions = [step.motion for step in as_kind(kind, "driven").steps()]
    if not motions or any(motion.speeds for motion in motions):
        return None
    return [site.motion() for motion in motions for _ in motion.coordinates]


def _grow(
    system: System, bodies: list[Frame], numbers: range, rng: np.random.Generator, joints: _Joints, *, chain: bool
) -> None:
    for k in numbers:
        body = _body(system, k, rng)
        inner = bodies[-1] if chain else bodies[int(rng.integers(len(bodies)))]
        frames = [_placed(inner, f"inner{k}", rng), _placed(body, f"outer{k}", rng)]
        if rng.random() < 0.3:
            frames.reverse()
        kind = joints.kind(rng)
        system.joint(f"j{k}", frames[0], frames[1], kind, prescribed=joints.motion(system, kind))
        bodies.append(body)


def _body(system: System, k: int, rng: np.random.Generator) -> Frame:
    root = rng.normal(size=(3, 3))
    return system.body(f"b{k}", float(rng.uniform(0.5, 2)), rng.normal(size=3), root @ root.T + np.eye(3))


def _placed(frame: Frame, name: str, rng: np.random.Generator) -> Frame:
    return frame.frame(name, rng.normal(size=3), Rotation.euler("xyz", rng.normal(size=3)))
