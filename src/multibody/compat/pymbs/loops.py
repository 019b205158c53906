"""``addLoop``: loops that are solved in closed form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody import model
from multibody.compat.pymbs.command import Value, command
from multibody.compat.pymbs.frames import PymbsFrame, scalar
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.steering import distance, steering
from multibody.compat.pymbs.world import WorldBase
from multibody.graph import Expr, Symbol, as_expr
from multibody.graph.number import is_number
from multibody.model import Kinematics, Model
from multibody.model.loops.way import Passage, Way


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
