"""Forces as arrows, with lengths that fit the scene."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.simulate.samples import Samples
from multibody.view.forces import Forces, load_forces, reaction_forces
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.moment import Moment, Run

Vector = NDArray[np.float64]

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
        if isinstance(motion, Run):
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
        if not isinstance(self._exhibit.motion, Run):
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
