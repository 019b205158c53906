"""Loops that were closed by a joint, and can be solved in closed form instead.

A joint is replaced only where nothing can go wrong: the shape is known, the dependent coordinates belong to no other
loop, the start values tell which solution is meant, and for the default parameters there is a solution, far from dead
points, wherever the independent coordinates may go. Everything else is left to multipliers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import hypot, pi, remainder, sqrt
from typing import Any

import numpy as np

from multibody.errors import ExpressionError, MissingValueError, ModelError
from multibody.graph import Expr, Symbol, evaluate, free_symbols, symbol
from multibody.model.constraints import ClosedJoint, Constraint
from multibody.model.joint import Joint
from multibody.model.joints.contract import IDENTITY
from multibody.model.kinematics import Kinematics
from multibody.model.loads import JointLoad
from multibody.model.loops.contract import ExplicitLoop
from multibody.model.loops.leg import Hexapod, is_leg, reached
from multibody.model.loops.planar import PlanarLoop
from multibody.model.loops.planar_way import check_plane, closed, plane_axes
from multibody.model.loops.way import Passage, Way, is_turn, parallel, vanishes
from multibody.model.model import Model

MARGIN = 0.02
"""sin² of the smallest transmission angle, 8 degrees."""

SHORTEST = 1e-3
"""The least square of an arm, relative to its largest."""

SAMPLES = {1: 241, 2: 61}
"""Values that are tried for each independent coordinate, by their number."""

SHAPES = {(3, 0), (2, 1), (3, 1)}
"""Numbers of hinges and translations of the loops with names, besides the closing hinge."""

NEAR = 0.5
"""How far the start values may be from a solution, in radians and relative to the size of the loop."""


def recognised(model: Model) -> dict[str, ExplicitLoop]:
    """The joints among ``model.cuts`` that closed-form loops can take the place of, by name.

    Example:
        >>> from multibody.model import System
        >>> loom = System("loom", recognise_loops=False)
        >>> crank, coupler, rocker = (
        ...     loom.body(name, 1, (1, 0, 0), (1, 1, 1)) for name in ("crank", "coupler", "rocker")
        ... )
        >>> a = loom.joint("a", loom.world, crank, "Rz", q=1.0)
        >>> b = loom.joint("b", crank.frame("B", (1, 0, 0)), coupler, "Rz", q=-0.5)
        >>> d = loom.joint("d", loom.frame("D", (3, 0, 0)), rocker, "Rz", q=1.5)
        >>> pin = loom.joint("pin", coupler.frame("C3", (3.5, 0, 0)), rocker.frame("C4", (2.5, 0, 0)), "Rz", cut=True)
        >>> recognised(loom.freeze())
        {'pin': PlanarLoop('C3', 'C4')}
    """
    if not model.cuts:
        return {}
    try:
        search = _Search(model)
    except (MissingValueError, ModelError):
        return {}
    found = {joint.name: search.loop(joint) for joint in model.cuts}
    return {name: loop for name, loop in found.items() if loop is not None}


class _Search:
    """What is known about a model while its loops are looked at."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.parameters: dict[Any, Any] = {**model.parameter_values(), model.time: 0.0}
        self.start = {**self.parameters, **dict.fromkeys(model.input_symbols, 0.0), **model.start}
        kinematics = Kinematics(model)
        self.uses = Counter(speed for each in model.constraints.values() for speed in _concerned(each, kinematics))
        loads = [load.joint for load in model.loads.values() if isinstance(load, JointLoad)]
        self.driven = {joint for joint in (*loads, *model.joints) if joint in loads or joint.prescribed is not None}

    def loop(self, joint: Joint) -> ExplicitLoop | None:
        """The loop that a joint closes, if all is well with it."""
        way = Way.between(self.model, joint.parent, joint.child)
        try:
            return self._planar(joint, way) if _is_hinge(joint) else self._leg(joint, way) if _is_ball(joint) else None
        except (ModelError, ExpressionError):  # not planar, or without a value at the start
            return None

    # planar loops ------------------------------------------------------------------------------------------------

    def _planar(self, joint: Joint, way: Way) -> ExplicitLoop | None:
        """The best choice of independent coordinates that is safe: what is driven, or next to the world, is kept."""
        check_plane(way, joint.name)
        counted = sum(passage.turns for passage in way.passages), sum(passage.slides for passage in way.passages)
        if counted not in SHAPES or not _fits_into_plane(joint, way, self.start):
            return None
        own = [
            k
            for k, passage in enumerate(way.passages)
            if passage.is_free(self.model) and self.uses[passage.link.u[0]] == 1
        ]
        pairs = [(i, j) for i, j in combinations(own, 2) if way.passages[i].turns or way.passages[j].turns]
        safe = {pair: quality for pair in pairs if (quality := self._quality(way, pair)) > MARGIN}
        if not safe:
            return None
        best = min(safe, key=lambda pair: (sorted(map(self._rank, _others(way, pair))), -safe[pair]))
        return self._in_posture(joint, way, best)

    def _rank(self, passage: Passage) -> tuple[bool, int]:
        """How little a passage suits as an independent one."""
        depth, index = 0, passage.link.parent
        while index >= 0:
            depth, index = depth + 1, self.model.links[index].parent
        return passage.joint not in self.driven, depth

    def _quality(self, way: Way, unknown: tuple[int, int]) -> float:
        """The worst transmission wherever the other passages may go; zero if that is not known."""
        kept = _others(way, unknown)
        ranges = [limits for limits in map(_range, kept) if limits is not None]
        if len(ranges) < len(kept) or len(kept) not in SAMPLES:
            return 0.0
        stand_ins = {
            coordinate: symbol(f"stand_in_{k}", "variable", self.model.name) for k, coordinate in enumerate(kept)
        }
        passages = tuple(
            passage.at(stand_ins[passage]) if passage in stand_ins else passage for passage in way.passages
        )
        solved = closed(replace(way, passages=passages), *unknown, 1)
        grid = np.meshgrid(*[np.linspace(*limits, SAMPLES[len(kept)]) for limits in ranges])
        samples: dict[Any, Any] = dict(zip(stand_ins.values(), map(np.ravel, grid), strict=True))
        transmission, arm = evaluate([solved.transmission, solved.arm], self.parameters | samples)
        reaches = np.all(arm > SHORTEST * np.max(arm)) and np.all(np.isfinite(transmission))
        return float(np.min(transmission)) if reaches else 0.0

    def _in_posture(self, joint: Joint, way: Way, unknown: tuple[int, int]) -> ExplicitLoop | None:
        solutions = {posture: closed(way, *unknown, posture) for posture in (1, -1)}
        size = sqrt(evaluate(solutions[1].arm, self.start))
        posture = self._nearest({posture: solution.values for posture, solution in solutions.items()}, way, size)
        kept = [passage.coordinate for passage in _others(way, unknown) if passage.is_free(self.model)]
        return PlanarLoop(joint.parent, joint.child, posture, independent=kept) if posture else None

    # legs --------------------------------------------------------------------------------------------------------

    def _leg(self, joint: Joint, way: Way) -> ExplicitLoop | None:
        """A leg without offsets, which reaches every point."""
        way = way if is_leg(way, self.model) else way.reversed()
        if not is_leg(way, self.model) or any(self.uses[passage.link.u[0]] > 1 for passage in way.passages[-3:]):
            return None
        solutions = {posture: reached(way, posture) for posture in (1, -1)}
        one = solutions[1]
        point = way.reversed().pose(3, len(way.passages)).position
        distance, length = evaluate([one.distance, point.norm()], self.start)
        if not (vanishes(one.sideways) and vanishes(one.transmission - 1)) or distance < MARGIN * length**2:
            return None
        posture = self._nearest({posture: solution.values for posture, solution in solutions.items()}, way, length)
        return Hexapod(joint.parent, joint.child, posture) if posture else None

    def _nearest(self, solutions: Mapping[int, Mapping[Symbol, Expr]], way: Way, size: float) -> int | None:
        """The posture whose solution is the nearest to the start values, by far; None if there is a doubt."""
        turning = {passage.coordinate for passage in way.passages if passage.turns}
        far = {}
        for posture, values in solutions.items():
            numbers = zip(values, evaluate(list(values.values()), self.start), strict=True)
            apart = {q: number - self.start[q] for q, number in numbers}
            far[posture] = hypot(*(remainder(x, 2 * pi) if q in turning else x / size for q, x in apart.items()))
        best = min(far, key=far.__getitem__)
        return best if far[best] < min(NEAR, far[-best] / 2) else None


def _concerned(constraint: Constraint, kinematics: Kinematics) -> set[Expr]:
    """The speeds that a constraint restricts."""
    if isinstance(constraint, ClosedJoint):
        way = Way.between(kinematics.model, constraint.joint.parent, constraint.joint.child)
        return {speed for passage in way.passages for speed in passage.link.u}
    return set(free_symbols([equation.velocity for equation in constraint.equations(kinematics)]))


def _is_hinge(joint: Joint) -> bool:
    steps = joint.kind.steps()
    return len(steps) == 1 and is_turn(steps[0].motion, joint.coordinates)


def _is_ball(joint: Joint) -> bool:
    return sorted(lock.name for lock in joint.kind.locks(IDENTITY)) == ["fx", "fy", "fz"]


def _fits_into_plane(joint: Joint, way: Way, start: Mapping[Any, Any]) -> bool:
    """Whether the axis of the closing hinge is that of the loop, on both ends, and its frames lie in one plane."""
    (step,) = joint.kind.steps()
    axis = step.motion.axes(joint.coordinates)[0].resultant
    here, there = step.before.vector_to_parent(axis), joint.kind.end().vector_to_child(axis)
    axes = plane_axes(way)
    apart = evaluate(axes[0].dot(way.pose(0, len(way.passages)).position), start)
    return parallel(here, axes[0]) and parallel(there, axes[-1]) and abs(apart) < 1e-9


def _others(way: Way, unknown: Sequence[int]) -> list[Passage]:
    return [passage for k, passage in enumerate(way.passages) if k not in unknown]


def _range(passage: Passage) -> tuple[float, float] | None:
    """Where a coordinate may go: a whole turn unless there are limits; None if a translation has none."""
    limits: dict[Expr, Any] = dict(zip(passage.joint.coordinates, passage.joint.limits, strict=True))
    return limits.get(passage.coordinate) or ((-pi, pi) if passage.turns else None)
