"""``addLoop``: loops that are solved in closed form.

The steering linkage with the two settings of PyMbs' program, ``setUpH`` and ``setUpS``.

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
from multibody.compat.pymbs.command import Value, command
from multibody.compat.pymbs.frames import PymbsFrame, scalar
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase
from multibody.graph import Expr, Symbol, as_expr, evaluate
from multibody.graph.number import is_number
from multibody.mechanics.coordinate_kinds import angles_of
from multibody.model import Kinematics, Model, Parameter
from multibody.model.loops.way import Passage, Way
from multibody.model.quantity import defaults


class AddLoop:
    """Commands for loops. Without a name, a loop is called ``loop_1``, ``loop_2`` ….

    CS1 and CS2 are the two frames that meet at the closing joint, in any order.
    """

    def __init__(self, mbs: WorldBase) -> None:
        self._mbs = mbs

    @command("CS1 CS2 name posture", "name CS1 CS2 posture")
    def FourBar(self, CS1: PymbsFrame, CS2: PymbsFrame, posture: int = 1, name: str | None = None) -> Any:
        """Four hinges: the crank stays independent; the posture, 1 or -1, says whether the beams are crossed."""
        return self._add(model.FourBar(CS1.made, CS2.made, int(posture)), name)

    @command("CS1 CS2 name posture", "name CS1 CS2 posture")
    def FourBarTrans(self, CS1: PymbsFrame, CS2: PymbsFrame, posture: int = 1, name: str | None = None) -> Any:
        """A four-bar with a cylinder for one of its bars: its crank and coupler stay independent, as in PyMbs.

        So there is one solution only, and the posture is not needed.
        """
        return self._add(PymbsFourBarTrans(CS1.made, CS2.made), name)

    @command("CS1 CS2 name setUp", "name CS1 CS2 setUp", "CS1 CS2 setUpH setUpS name")
    def Steering(
        self, CS1: PymbsFrame, CS2: PymbsFrame, setUp: int = 1, name: str | None = None, setUpH: int | None = None,
        setUpS: int | None = None,
    ) -> Any:  # fmt: skip
        """A rack that moves a tie rod and an arm: the rack stays independent.

        Args:
            CS1: the frame at the closing hinge, on the body that carries the rack.
            CS2: the frame at the closing hinge, on the arm.
            setUp: which solution, 1 or -1, as in the manual.
            name: of the loop.
            setUpH: in place of ``setUp``, as the program has it: on which side of the rack the closing hinge lies.
            setUpS: likewise: 1 if the tie rod points along the rack, -1 if it points against it.
        """
        if setUpH is None and setUpS is None:
            return self._add(model.Steering(CS1.made, CS2.made, int(setUp)), name)
        return self._add(steering(self._mbs, CS1, CS2, int(setUpH or 1), int(setUpS or 1)), name)

    @command("name CS1 CS2")
    def CrankSlider(self, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None) -> Any:
        """A crank, a rod and a piston: the crank stays independent.

        Of the two solutions, that is taken which start values of rod and piston are nearer to. Without such values it
        is that of PyMbs, if the rod hangs on the piston as it must there: the smaller coordinate of the piston.
        """
        return self._add(PymbsCrankSlider(CS1.made, CS2.made), name)

    @command("name CS1 CS2")
    def ThreeBarTrans(self, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None) -> Any:
        """A lever and a cylinder that pushes it: the lever stays independent."""
        return self._add(model.ThreeBarTrans(CS1.made, CS2.made), name)

    @command("name CS1 CS2")
    def Hexapod(self, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None) -> Any:
        """A leg of a Stewart platform: two hinges at right angles, a cylinder, and a closing ball joint."""
        return self._add(model.Hexapod(CS1.made, CS2.made), name)

    @command("name CS1 CS2")
    def Hexapod_m_AV(self, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None) -> Any:
        """A leg with offset axes. It has no closed form: the closing hinge, about y, becomes a constraint."""
        closing = model.HexapodWithOffset(CS1.made, CS2.made)
        return self._mbs.system.constraint(closing, name=self._mbs.part_name(name, "loop"))

    @command("name j1 j2 ratio")
    def Transmission(self, j1: PymbsJoint, j2: PymbsJoint, ratio: Value = 1, name: str | None = None) -> Any:
        """Two joints in a fixed ratio, q₁ = ratio·q₂; a ratio of zero holds the first one fast.

        As in PyMbs the second joint follows, so that one may lead several; with a ratio of zero, or one that is a
        parameter, the first does. With ``world.conventions = "program"`` it is q₂ = ratio·q₁.
        """
        first, second = (joint.single("addLoop.Transmission") for joint in (j1, j2))
        factor = scalar(ratio)
        same_in_both = is_number(factor) and abs(factor) == 1
        if not same_in_both and self._mbs.follows_program("addLoop.Transmission"):
            return self._follow(second, factor, first, name)
        if is_number(factor) and factor != 0:
            first, second, factor = second, first, 1 / as_expr(factor)
        return self._follow(first, factor, second, name)

    def _follow(self, follower: PymbsJoint, factor: Any, leader: PymbsJoint, name: str | None) -> Any:
        """q of the follower = factor·q of the leader."""
        if follower.whole and leader.whole:
            return self._add(model.Transmission(follower.made, leader.made, factor), name)
        return self._add(_following(follower, factor * leader.coord), name)

    @command("name j exp")
    def ExpJoint(self, j: PymbsJoint, exp: Value, name: str | None = None) -> Any:
        """A joint whose coordinate is an expression; here for the dynamics as well.

        If the expression contains inputs, their rates are inputs, too: ``<input>_dot`` and ``<input>_ddot``.
        """
        return self._add(_following(j.single("addLoop.ExpJoint"), scalar(exp)), name)

    def _add(self, loop: model.ExplicitLoop, name: str | None) -> model.ExplicitLoop:
        return self._mbs.system.loop(loop, self._mbs.part_name(name, "loop"))


class PymbsFourBarTrans(model.FourBarTrans):
    """A four-bar with a cylinder whose length follows from the angles of crank and coupler."""

    def drives(self, way: Way) -> list[Passage]:
        """Both hinges of the side without the cylinder, if they are all there."""
        plain = [side for side in way.sides if not any(passage.slides for passage in side)]
        return plain[0] if plain and len(plain[0]) == 2 else super().drives(way)


def _following(joint: PymbsJoint, value: Any) -> model.ExpJoint:
    """A joint, or one of its movements, whose coordinate is an expression."""
    return model.ExpJoint(joint.made, value) if joint.whole else ExpMovement(joint.made, joint.numbers[0], value)


class ExpMovement(model.ExpJoint):
    """One of several movements of a joint, whose coordinate is an expression."""

    def __init__(self, joint: model.Joint, number: int, value: Any) -> None:
        self.number = number
        super().__init__(joint, value)

    @property
    def coordinate(self) -> Symbol:
        """The coordinate of the movement."""
        return self.joint.coordinates[self.number]


class PymbsCrankSlider(model.CrankSlider):
    """A crank and slider that chooses its posture by the start values of its dependent joints."""

    def solution(self, kinematics: Kinematics) -> Mapping[Symbol, Expr]:
        """That solution which is nearer to the start values that were given."""
        near, far = self.way(kinematics.model).sides
        rod_on_piston = any(len(side) == 2 and side[0].slides for side in (near, far))
        postures = (-1, 1) if rod_on_piston else (1, -1)
        made = [model.CrankSlider(self.first, self.second, posture).solution(kinematics) for posture in postures]
        return min(made, key=lambda solution: distance(solution, kinematics.model, _written(kinematics.model)))


def _written(model: Model) -> dict[Symbol, float]:
    """Start values that were given."""
    return {symbol: value for symbol, value in model.start.items() if symbol.name in model.written}


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
