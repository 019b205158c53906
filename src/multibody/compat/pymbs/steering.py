"""The steering linkage with the two settings of PyMbs' program, ``setUpH`` and ``setUpS``.

PyMbs' closed form (its manual, section 3.2.1, has one setting only) is for a rack along y and a closing hinge D, with
the lengths L₁ to the tie rod, R₂ of the tie rod and R₃ of the arm, and the offsets H₀ = setUpH·|x| and L₀ = |y| of D
from the rack. With k₀ = L₀ - L₁ - setUpS·q and k₁ = (R₂² - H₀² - R₃² - k₀²)/(2·R₃), the angle of the arm is
φ = 2·atan((H₀ - setUpH·√(H₀² + k₀² - k₁²))/(k₀ + k₁)), and the joints are at
b = -setUpS·asin((H₀ + R₃·sin φ)/R₂) and c = -setUpS·(π/2 + φ) - b.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from multibody import model
from multibody.compat.pymbs.frames import PymbsFrame
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase
from multibody.graph import Expr, Symbol, evaluate
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model import Kinematics, Model, Parameter
from multibody.model.quantity import defaults


def distance(solution: Mapping[Symbol, Expr], model: Model, wanted: Mapping[Symbol, float]) -> float:
    """How far a solution is from wanted values at the start; angles count modulo one turn."""
    zero = dict.fromkeys([model.time, *model.input_symbols], 0.0)
    known: dict[Any, float] = {**zero, **model.start, **model.parameter_values()}
    given = [coordinate for coordinate in solution if coordinate in wanted]
    found = np.array([evaluate(solution[coordinate], known) for coordinate in given], dtype=float)
    apart = found - np.array([wanted[coordinate] for coordinate in given])
    turns = np.array([coordinate in angles_of(model) for coordinate in given], dtype=bool)
    apart[turns] = np.angle(np.exp(1j * apart[turns]))
    return float(np.nan_to_num(abs(apart), nan=np.inf).sum())


_log = logging.getLogger("multibody")

MAX_POINT_DISTANCE = 1e-6
"""How far PyMbs' angles may be from a solution of the loop, in radians."""


class SteeringOfProgram(model.Steering):
    """A steering linkage whose posture is the one nearer to angles that PyMbs computes."""

    def __init__(self, first: model.Frame, second: model.Frame, wanted: Mapping[Symbol, float]) -> None:
        super().__init__(first, second)
        self.wanted = wanted

    def solution(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """That of the two solutions."""
        made = [model.Steering(self.first, self.second, posture).solution(kinematics) for posture in (1, -1)]
        apart = [distance(solution, kinematics.model, self.wanted) for solution in made]
        if min(apart) > MAX_POINT_DISTANCE:
            _log.warning(
                "addLoop.Steering: PyMbs' closed form does not close this loop with these settings: its angles differ "
                "by %.3g rad from the nearer solution, which is used.", min(apart),
            )  # fmt: skip
        return made[apart.index(min(apart))]


def steering(mbs: WorldBase, base: PymbsFrame, arm: PymbsFrame, side_h: int, side_s: int) -> SteeringOfProgram:
    """The loop with the posture of PyMbs' program.

    Raises:
        UsageError: if a setting is neither 1 nor -1, or if the loop is not the one that PyMbs knows.
    """
    for name, value in (("setUpH", side_h), ("setUpS", side_s)):
        if value not in (1, -1):
            raise UsageError(
                f"{name} = {value} is not a setting.", remedy="Write 1 or -1.", code="option-unknown", name=name
            )
    rack, tie, last = _joints(mbs, base, arm)
    known: dict[Any, float] = dict(defaults(mbs.system.all(Parameter)))

    def place(frame: model.Frame) -> list[float]:
        return [float(evaluate(component, known)) for component in frame.pose.position]

    away = [component - other for component, other in zip(place(rack.parent), place(base.made), strict=True)]
    length, rod, lever = (math.hypot(*place(frame)[:2]) for frame in (tie.parent, last.parent, arm.made))
    h, k0 = side_h * abs(away[0]), abs(away[1]) - length - side_s * rack.q[0]
    k1 = (rod**2 - h**2 - lever**2 - k0**2) / (2 * lever) if lever else math.nan
    try:
        angle = 2 * math.atan((h - side_h * math.sqrt(h * h + k0 * k0 - k1 * k1)) / (k0 + k1))
        b = -side_s * math.asin((h + lever * math.sin(angle)) / rod)
    except (ValueError, ZeroDivisionError) as error:
        raise UsageError(
            "PyMbs' closed form has no solution at the start values.",
            cause="The lengths do not reach from the rack to the closing hinge.",
            remedy="Check the frames and the start value of the rack, or write setUp=1 or setUp=-1.",
            code="loop-cannot-close",
        ) from error
    c = -side_s * (math.pi / 2 + angle) - b
    return SteeringOfProgram(base.made, arm.made, {tie.coordinates[0]: b, last.coordinates[0]: c})


def _joints(mbs: WorldBase, base: PymbsFrame, arm: PymbsFrame) -> tuple[model.Joint, model.Joint, model.Joint]:
    """The joints of rack, tie rod and arm, from the frame on the arm back to the base."""
    by_child = {joint.child.body: joint for joint in mbs.system.all(model.Joint)}
    found: list[Any] = []
    body = arm.made.body
    while len(found) < 3 and body in by_child:
        found.insert(0, by_child[body])
        body = found[0].parent.body
    moves = [repr(joint.kind) for joint in found]
    plain = len(found) == 3 and body is base.made.body and all(len(joint.coordinates) == 1 for joint in found)
    if not plain or found[0].angles or not (found[1].angles and found[2].angles):
        raise UsageError(
            f"The loop is not the steering of PyMbs: its joints are {', '.join(moves) or 'none'}.",
            cause="It has a rack 'Ty', a tie rod 'Rz' and an arm 'Rz', and CS1 is on the body that carries the rack.",
            remedy="Give CS1 on that body and CS2 on the arm, or write setUp=1 or setUp=-1.",
            code="steering-not-recognized",
        )
    return found[0], found[1], found[2]
