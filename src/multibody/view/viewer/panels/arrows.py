"""Forces of loads and joints, in world coordinates, as arrows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Vec3
from multibody.compiler import Function
from multibody.equations import EquationsOfMotion
from multibody.model import Frame
from multibody.simulation.results.samples import Samples
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.moment import Moment, PlayedRun

# forces of a run or a state ------------------------------------------------------------------------------------------

Vector = NDArray[np.float64]


class AppliedForce(NamedTuple):
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


def _compiled(eom: EquationsOfMotion, acting: list[AppliedForce]) -> tuple[tuple[str, ...], Function | None]:
    """Names, and (t, q, u, r, p, u̇, λ) → points and vectors."""
    if not acting:
        return (), None
    ports = {"t": eom.model.time, "q": eom.coordinates, "u": eom.speeds, "r": eom.inputs, "p": eom.parameters}
    ports |= {"a": eom.model.accelerations, "multipliers": eom.multipliers}
    outputs = {"points": [list(force.point) for force in acting], "vectors": [list(force.force) for force in acting]}
    return tuple(force.name for force in acting), Function(f"{eom.model.name}_arrows", ports, outputs)


def _loads(eom: EquationsOfMotion) -> Iterator[AppliedForce]:
    kinetics, model = eom.kinetics, eom.model
    for body in model.bodies:
        weight = model.gravity.symbolic() * body.mass
        if _pulls(weight):
            yield AppliedForce(body.name, kinetics.pose(body).point_to_parent(body.com), weight)
    for name, load in model.loads.items():
        for frame, force in load.forces(kinetics):
            if _pulls(force.resultant):
                yield _at(eom, name, frame, force.resultant)


def _reactions(eom: EquationsOfMotion) -> Iterator[AppliedForce]:
    for name, force in eom.reactions.items():
        joint = next(joint for joint in (*eom.model.joints, *eom.model.cuts) if joint.name == name)
        if _pulls(force.resultant):
            yield _at(eom, name, joint.child, force.resultant)


def _at(eom: EquationsOfMotion, name: str, frame: Frame, force: Vec3) -> AppliedForce:
    pose = eom.kinetics.pose(frame)
    return AppliedForce(name, pose.position, pose.vector_to_parent(force))


def _pulls(force: Vec3) -> bool:
    return any(part.fp != 0 for part in force.symbolic())


# arrows in the page --------------------------------------------------------------------------------------------------

LENGTH = 0.35
"""Of a typical force, relative to the scene."""

LONGEST, SMALLEST = 4.0, 1e-3
"""Forces that are so much larger than a typical one are drawn shorter; so much smaller ones are not drawn."""


@dataclass
class Scale:
    """How long arrows are; all kinds of forces share one.

    Attributes:
        typical: a force that is large at most times, in N; peaks do not count.
        stretch: what the user makes of it.
    """

    typical: float = 0.0
    stretch: float = 1.0

    def length(self, size: float) -> float:
        """Metres for a newton, in a scene of this size."""
        return LENGTH * size * self.stretch / self.typical if self.typical else 0.0


class Arrows:
    """All weights and loads, or all forces in joints.

    Args:
        exhibit: where they act.
        kind: ``"forces"`` or ``"reactions"``.
        colour: of the arrows.
        scale: how long they are.
    """

    def __init__(self, exhibit: Exhibit, kind: str, colour: tuple[int, int, int], scale: Scale) -> None:
        self._exhibit, self._kind, self._colour = exhibit, kind, colour
        self._handle: Any = None
        self.scale = scale
        exhibit.watchers.append(self.follow)

    def switch(self, shown: bool) -> None:
        """Draw them, or take them away."""
        if shown and self._handle is None:
            self.renew()
            size = self._exhibit.scene.size
            nothing = np.zeros((1, 2, 3), dtype=np.float32)
            self._handle = self._exhibit.server.scene.add_arrows(
                f"/{self._kind}", nothing, colors=self._colour, shaft_radius=0.006 * size, head_radius=0.016 * size,
                head_length=0.05 * size, visible=False,
            )  # fmt: skip
            self.follow(self._exhibit.moment)
        elif not shown and self._handle is not None:
            self._handle.remove()
            self._handle = None

    def renew(self) -> None:
        """A run gives the scale; without one it grows with what is met."""
        motion = self._exhibit.motion
        if isinstance(motion, PlayedRun):
            self.scale.typical = max(self.scale.typical, _typical(self.of(motion.run)))

    def of(self, samples: Samples) -> Forces:
        """The forces in a run or a state."""
        return load_forces(samples) if self._kind == "forces" else reaction_forces(samples)

    def follow(self, moment: Moment) -> None:
        """Bring them to where they act now."""
        sample = self._exhibit.sample
        if self._handle is None or sample is None:
            return
        found = self.of(sample)
        if not isinstance(self._exhibit.motion, PlayedRun):
            self.scale.typical = max(self.scale.typical, _typical(found))
        pieces = self._pieces(found.points[0], found.vectors[0])
        self._handle.visible = bool(len(pieces))
        if len(pieces):
            self._handle.points = pieces

    def _pieces(self, points: Vector, forces: Vector) -> Any:
        """Tails and tips of what is large enough to be seen."""
        sizes = np.linalg.norm(forces, axis=1)
        seen = np.isfinite(sizes) & (sizes > SMALLEST * self.scale.typical)
        tails, scale = points[seen], self.scale.length(self._exhibit.scene.size)
        shorter = np.minimum(1.0, LONGEST * self.scale.typical / sizes[seen])[:, None]
        return np.stack([tails, tails + scale * shorter * forces[seen]], axis=1).astype(np.float32)


def _typical(found: Forces) -> float:
    """The median over time of the largest force at each instant."""
    sizes = np.nan_to_num(np.linalg.norm(found.vectors, axis=-1))
    return float(np.median(sizes.max(axis=1, initial=0.0)))
