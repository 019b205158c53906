"""Sizes of coordinates, speeds and equations at a point, in the units of the model: what "small" is compared with.

A pendulum of 10 µm and a bridge of 1 km obey the same verdicts, in meters, millimeters or micrometers. Therefore
nothing is compared with a fixed number of a unit. Angles and quaternions have the size 1, lengths that of the bodies
and their distances, and an equation that of the terms that balance in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.errors import MultibodyError
from multibody.graph import Expr, evaluate, topological
from multibody.linearization.tolerances import DIFFERENCE_STEP, EPS, SLOW_SPEED
from multibody.mechanics.assembly.assembly import Vector

LENGTH, ANGLE = "m", "rad"


def coordinate_sizes(eom: EquationsOfMotion, q: Vector, p: Vector) -> Vector:
    """The size of each coordinate: 1 for angles and quaternions; for a length, that of its part of the mechanism.

    Coupled lengths share the largest of them. Where no equation couples two lengths, they have different sizes: a train
    7000 km along its rail does not make the travel of a suspension larger.

    Args:
        eom: equations of motion.
        q: coordinates.
        p: values of the parameters.

    Example:
        >>> import multibody as mb
        >>> crane = mb.System("crane")
        >>> crab, load = crane.body("crab", mass=10), crane.body("load", mass=1, com=(0, 0, -0.002))
        >>> joints = crane.joint("x", crane.world, crab, "Tx"), crane.joint("swing", crab, load, "Ry")
        >>> coordinate_sizes(mb.derive(crane), np.zeros(2), np.zeros(0)).tolist()
        [0.002, 1.0]
    """
    kinds = coordinate_units(eom)
    values = np.abs(np.where(np.isfinite(q), q, 0.0))
    turning = np.array([kind == ANGLE for kind in kinds], dtype=bool)
    for places in eom.model.quaternions:
        turning[places] = True
    lengths = np.array([kind == LENGTH for kind in kinds], dtype=bool) & ~turning
    parts = _parts(eom)
    shared = [float(values[lengths & (parts == part)].max(initial=0.0)) for part in parts]
    own = np.maximum(shared, typical_length(eom, p))
    others = np.where(values > 0, values, 1.0)
    return np.where(turning, 1.0, np.where(lengths, np.where(own > 0, own, mechanism_length(eom, q, p)), others))


def law_sizes(
    slopes: Callable[[Vector], Sequence[Vector]], sizes: Vector, values: Vector, places: Iterable[int]
) -> Vector:  # fmt: skip
    """Sizes of states by the laws of forces and outputs, where these change within much less than the usual sizes.

    A body of 0.1 m on a spring k·x³ with a travel of 1 nm is compared with 1 nm. If slopes change by more than they are
    within ``DIFFERENCE_STEP``, the size of a state is the distance within which they do not; at least the state's
    value, and at most its usual size.

    Args:
        slopes: groups of rows at states that are moved by so much; the rows of a group have comparable units.
        sizes: the usual ones, in the mechanism.
        values: of the states.
        places: those that are looked at; others keep their sizes.

    Example:
        >>> cubic = lambda step: [np.array([[3e18 * (1e-6 + step[0]) ** 2]])]
        >>> law_sizes(cubic, np.array([1.0]), np.array([1e-6]), [0])
        array([1.e-06])
    """
    found, here = np.array(sizes, dtype=float), slopes(np.zeros(len(sizes)))
    for k in places:

        def keeps(distance: float, k: int = k) -> bool:
            steps = (side * distance * np.eye(len(sizes))[k] for side in (1.0, -1.0))
            pairs = (pair for step in steps for pair in zip(here, slopes(step), strict=True))
            return not any(changes_much(rows, near, k) for rows, near in pairs)

        first = distance = DIFFERENCE_STEP * found[k]
        while distance > EPS * first and not keeps(distance):
            distance /= 10
        if distance < first:
            found[k] = min(found[k], max(distance, abs(values[k])))
    return found


def changes_much(rows: Vector, near: Vector, k: int) -> bool:
    """Whether a column of slopes is another one nearby; one that is zero, or not finite, does not tell."""
    column = float(np.abs(rows[:, k]).max(initial=0.0))
    return 0 < column < np.inf and not np.abs(near[:, k] - rows[:, k]).max() <= column


def _parts(eom: EquationsOfMotion) -> NDArray[np.int_]:
    """A label for each coordinate, the same for those that equations of motion or constraints couple."""

    def found() -> NDArray[np.int_]:
        rows = [*eom.kinetics.residual(), *eom.phi]
        masks: dict[Any, int] = {coordinate: 1 << k for k, coordinate in enumerate(eom.coordinates)}
        for node in topological(rows):
            mask = masks.get(node, 0)
            for arg in node.args:
                mask |= masks[arg]
            masks[node] = mask
        labels: NDArray[np.int_] = np.arange(len(eom.coordinates))
        for mask in {masks[row] for row in rows} - {0}:
            members = [k for k in range(len(labels)) if mask >> k & 1]
            labels[np.isin(labels, labels[members])] = labels[members[0]]
        return labels

    return eom.once("parts with coordinates of their own", found)


def mechanism_length(eom: EquationsOfMotion, q: Vector, p: Vector) -> float:
    """The size of a mechanism: the largest of its distances and of its coordinates that are lengths; 1 without any."""
    lengths = [abs(x) for x, kind in zip(q, coordinate_units(eom), strict=True) if kind == LENGTH and np.isfinite(x)]
    return max([typical_length(eom, p), *lengths]) or 1.0


def coordinate_units(eom: EquationsOfMotion) -> tuple[str, ...]:
    """The SI unit of each coordinate; empty where it is not known."""

    def found() -> tuple[str, ...]:
        units = {entry.name: entry.unit for entry in eom.symbol_table().entries}
        return tuple(units.get(coordinate.name, "") for coordinate in eom.coordinates)

    return eom.once("units of coordinates", found)


def typical_length(eom: EquationsOfMotion, p: Vector) -> float:
    """The largest distance between joints, or of a mass from its joint; 0 for points without any distance."""
    last: dict[bytes, float] = eom.once("typical length", dict)  # of the last parameters: it is needed often
    key = np.asarray(p, dtype=float).tobytes()
    if key not in last:
        last.clear()
        last[key] = _largest_distance(eom, p)
    return last[key]


def _largest_distance(eom: EquationsOfMotion, p: Vector) -> float:
    model = eom.model
    offsets = [part for link in model.links for part in link.before.position.components()]
    offsets += [part for _, place in model.attachments.values() for part in place.position.components()]
    known: dict[Any, float] = dict(zip(eom.parameters, map(float, p), strict=True))
    distances = [abs(number) for number in _numbers(offsets, known)]
    for _, parts in model.inertias:
        numbers = _numbers(parts, known)
        if len(numbers) == len(parts) and numbers[0] > 0:
            mass, *rest = numbers
            distances += [abs(moment) / mass for moment in rest[:3]]
            distances += [np.sqrt(abs(moment) / mass) for moment in rest[3:6]]
    return float(np.max(distances, initial=0.0))


def _numbers(parts: Sequence[Any], known: Mapping[Any, float]) -> list[float]:
    """Those that have a finite value; what depends on other symbols has none."""
    found = []
    for part in parts:
        try:
            number = float(evaluate(part, known)) if isinstance(part, Expr) else float(part)
        except MultibodyError:
            continue
        if np.isfinite(number):
            found.append(number)
    return found


def speed_sizes(eom: EquationsOfMotion, u: Vector, lengths: float) -> Vector:
    """For each speed the largest of its kind; and at least a small share of the fastest one of any kind.

    Args:
        eom: equations of motion.
        u: speeds.
        lengths: the size of the mechanism, by which speeds in m/s become comparable with those in rad/s.
    """
    sizes = speed_lengths(eom, lengths)
    fastest = float((np.abs(u) / sizes).max(initial=0.0)) if len(u) else 0.0
    return np.maximum(shared_sizes(u, _speed_units(eom)), SLOW_SPEED * fastest * sizes)


def speed_lengths(eom: EquationsOfMotion, length: float) -> Vector:
    """What each speed is the rate of, in its unit: the length of the mechanism for m/s, 1 for rad/s and others."""
    return np.array([length if kind.startswith(f"{LENGTH}/") else 1.0 for kind in _speed_units(eom)], dtype=float)


def _speed_units(eom: EquationsOfMotion) -> tuple[str, ...]:
    def found() -> tuple[str, ...]:
        units = {entry.name: entry.unit for entry in eom.symbol_table().entries}
        return tuple(units.get(speed.name) or speed.name for speed in eom.speeds)

    return eom.once("units of speeds", found)


def shared_sizes(numbers: Vector, kinds: Sequence[str]) -> Vector:
    """For each number the largest of its kind, such as of all speeds in m/s; zero where all of a kind are zero."""
    sizes = np.abs(np.asarray(numbers, dtype=float))
    groups = np.array(kinds, dtype=object)
    return np.array([sizes[groups == kind].max(initial=0.0) for kind in groups], dtype=float)
