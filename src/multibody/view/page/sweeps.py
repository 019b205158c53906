"""Motions without a run: each degree of freedom moves through its range, and dependent coordinates follow."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from multibody.equations.printed_forms.symbol_table import Entry, symbol_table
from multibody.errors import MultibodyError
from multibody.mechanics.assembly.assembly import Assembly
from multibody.mechanics.assembly.start_state import consistent
from multibody.mechanics.constraints.independence import Constraints
from multibody.model import Kinematics, Model
from multibody.view.page.motions import NUMBERS, PageMotion
from multibody.view.scenes.placement import Poses
from multibody.view.scenes.scene import Scene

Vector = NDArray[np.float64]

SAMPLES, FEWEST = 61, 16
LEAP = 0.5
"""A coordinate that changes more than this from sample to sample has not followed, but gone another way."""


def of_sweeps(scene: Scene) -> tuple[list[PageMotion], list[str]]:
    """A motion for each degree of freedom, or one that stays at the start; and what did not work, in sentences."""
    constraints = Constraints.of(Kinematics(scene.model))
    assembly = Assembly(constraints, _parameters(scene))
    messages = []
    try:
        q = consistent(constraints, parameters=_parameters(scene)).q
    except MultibodyError as error:
        q = scene.start
        messages.append(f"The mechanism is shown as it was described: {error.what}")
    entries = {entry.name: entry for entry in symbol_table(scene.model, constraints).entries}
    names = [coordinate.name for coordinate in scene.model.coordinates]
    free = [] if messages else independent(assembly, q)
    every = _stride(len(free) * len(scene.places))
    found = [_swept(scene, assembly, q, k, entries[names[k]], every) for k in free]
    moving = [motion for motion in found if len(motion.axis) > 1]
    return moving or [_still(scene, q)], messages


def _parameters(scene: Scene) -> dict[str, float]:
    names = (symbol.name for symbol in scene.model.parameter_symbols)
    return dict(zip(names, map(float, scene.parameters), strict=True))


def independent(assembly: Assembly, q: Vector) -> list[int]:
    """Coordinates from which all others follow: what is held with them leaves the constraints solvable."""
    quaternions = {k for places in assembly.model.quaternions for k in places}
    slopes = assembly.slopes(q)
    rank = _rank(slopes)
    held: list[int] = []
    for k in range(len(q)):
        free = [j for j in range(len(q)) if j not in {*held, k}]
        if k not in quaternions and _rank(slopes[:, free]) == rank:
            held.append(k)
    return held


def _rank(matrix: Vector) -> int:
    return int(np.linalg.matrix_rank(matrix, tol=1e-9)) if matrix.size else 0


def _stride(poses: int) -> int:
    """Of how many configurations one is kept, so that the page does not grow with the square of the system."""
    affordable = np.clip(NUMBERS / (7 * max(poses, 1)), FEWEST, SAMPLES)
    return int(np.ceil((SAMPLES - 1) / (affordable - 1)))


def _swept(scene: Scene, assembly: Assembly, q: Vector, k: int, entry: Entry, every: int) -> PageMotion:
    """The motion while coordinate number k goes through its range, as far as loops can be closed."""
    low, high = _limits(scene, k, np.pi if entry.unit == "rad" else scene.size / 2)
    low, high = min(low, q[k]), max(high, q[k])
    below, above = (list(_followed(assembly, q, k, _values(q[k], end, high - low))) for end in (low, high))
    rows = np.array([*reversed(below), q, *above])
    rows = rows[sorted({0, len(rows) - 1, *range(len(below) % every, len(rows), every)})]  # the start is among them
    poses = scene.poses(np.zeros(len(rows)), rows)
    return PageMotion(entry.name, entry.unit, entry.description, rows[:, k], float(q[k]), poses)


def _values(start: float, end: float, whole: float) -> Vector:
    """From the start, which is left out, to the end, in steps that divide the whole range into sixty."""
    steps = int(np.ceil((SAMPLES - 1) * abs(end - start) / whole - 1e-9)) if whole > 0 else 0
    return np.linspace(start, end, steps + 1)[1:]


def _followed(assembly: Assembly, q: Vector, k: int, values: Vector) -> Iterator[Vector]:
    """Configurations in which one coordinate has these values, until there is none near the one before."""
    last = q
    for value in values:
        guess = last.copy()
        guess[k] = value
        found = assembly.closed(guess, [k], 1e-9) if len(assembly.constraints) else guess
        if found is None or np.abs(np.delete(found - last, k)).max(initial=0.0) > LEAP:
            return
        yield found
        last = found


def _limits(scene: Scene, k: int, half: float) -> tuple[float, float]:
    """The range of a coordinate: as given, or as far to both sides of the start as is told."""
    coordinate = scene.model.coordinates[k]
    given = _given(scene.model).get(coordinate.name)
    if given is not None and np.isfinite(given).all():
        return given
    start = scene.model.start[coordinate]
    return start - half, start + half


def _given(model: Model) -> dict[str, tuple[float, float]]:
    return {
        coordinate.name: pair
        for joint in (*model.joints, *model.cuts)
        for coordinate, pair in zip(joint.coordinates, joint.limits, strict=False)
        if pair is not None
    }


def _still(scene: Scene, q: Vector) -> PageMotion:
    poses = scene.poses(0.0, q)
    return PageMotion("", "", "", np.zeros(1), 0.0, Poses(poses.position[None], poses.quaternion[None]))
