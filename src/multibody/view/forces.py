"""Forces as arrows: where they act and what they are, in the world's axes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Vec3
from multibody.compile import Function
from multibody.equations import EquationsOfMotion
from multibody.model import Frame
from multibody.simulate.samples import Samples

Vector = NDArray[np.float64]


class Acting(NamedTuple):
    """A force: what it is called, the point where it acts, and its vector, in the world's coordinates."""

    name: str
    point: Vec3
    force: Vec3


class Forces(NamedTuple):
    """Forces at some instants.

    Attributes:
        names: of weights, loads or joints, one for each force.
        points: where they act, instants × forces × 3, in m.
        vectors: instants × forces × 3, in N.
    """

    names: tuple[str, ...]
    points: Vector
    vectors: Vector


def load_forces(samples: Samples) -> Forces:
    """Weights and all loads that push or pull at frames.

    Args:
        samples: a run, or single states.

    Example:
        >>> import multibody as mb
        >>> lamp = mb.System("lamp", gravity=(0, 0, -10))
        >>> hook = lamp.joint("hook", lamp.world, lamp.body("bulb", 2, (0, 0, -1)), "Ry")
        >>> found = load_forces(mb.simulate(mb.derive(lamp), duration=1.0, samples=2))
        >>> found.names, found.vectors[0, 0].tolist()
        (('bulb',), [0.0, 0.0, -20.0])
    """
    return _evaluated(samples, "arrows of loads", _loads)


def reaction_forces(samples: Samples) -> Forces:
    """The forces that joints transmit to their child frames; see ``EquationsOfMotion.reaction``.

    Args:
        samples: a run, or single states.

    Example:
        >>> import multibody as mb
        >>> lamp = mb.System("lamp", gravity=(0, 0, -10))
        >>> hook = lamp.joint("hook", lamp.world, lamp.body("bulb", 2, (0, 0, -1)), "Ry")
        >>> found = reaction_forces(mb.simulate(mb.derive(lamp), duration=1.0, samples=2))
        >>> found.names, found.vectors[0, 0].tolist()
        (('hook',), [0.0, 0.0, 20.0])
    """
    return _evaluated(samples, "arrows of joints", _reactions)


def _evaluated(samples: Samples, kind: str, collect: Any) -> Forces:
    """All forces of a kind; the compiled function is kept with the equations."""
    eom = samples.eom
    names, function = eom.once(kind, lambda: _compiled(eom, list(collect(eom))))
    if function is None:
        none = np.zeros((len(samples.t), 0, 3))
        return Forces((), none, none)
    state = (samples.t, samples.q, samples.u, samples.r, samples.p, samples.accelerations, samples.multipliers)
    found = function.batch(*state)
    return Forces(names, found.points, found.vectors)


def _compiled(eom: EquationsOfMotion, acting: list[Acting]) -> tuple[tuple[str, ...], Function | None]:
    """Names, and (t, q, u, r, p, u̇, λ) → points and vectors."""
    if not acting:
        return (), None
    ports = {"t": eom.model.time, "q": eom.coordinates, "u": eom.speeds, "r": eom.inputs, "p": eom.parameters}
    ports |= {"a": eom.model.accelerations, "multipliers": eom.multipliers}
    outputs = {"points": [list(one.point) for one in acting], "vectors": [list(one.force) for one in acting]}
    return tuple(one.name for one in acting), Function(f"{eom.model.name}_arrows", ports, outputs)


def _loads(eom: EquationsOfMotion) -> Iterator[Acting]:
    kinetics, model = eom.kinetics, eom.model
    for body in model.bodies:
        weight = model.gravity.symbolic() * body.mass
        if _pulls(weight):
            yield Acting(body.name, kinetics.pose(body).point_to_parent(body.com), weight)
    for name, load in model.loads.items():
        for frame, force in load.forces(kinetics):
            if _pulls(force.resultant):
                yield _at(eom, name, frame, force.resultant)


def _reactions(eom: EquationsOfMotion) -> Iterator[Acting]:
    for name, force in eom.reactions.items():
        joint = next(one for one in (*eom.model.joints, *eom.model.cuts) if one.name == name)
        if _pulls(force.resultant):
            yield _at(eom, name, joint.child, force.resultant)


def _at(eom: EquationsOfMotion, name: str, frame: Frame, force: Vec3) -> Acting:
    pose = eom.kinetics.pose(frame)
    return Acting(name, pose.position, pose.vector_to_parent(force))


def _pulls(force: Vec3) -> bool:
    return any(part.fp != 0 for part in force.symbolic())
