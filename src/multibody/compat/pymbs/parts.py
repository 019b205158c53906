"""Bodies, joints, and constraints between frames."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from multibody import model
from multibody.compat.pymbs.command import Movements, Value, command
from multibody.compat.pymbs.frames import PymbsBody, PymbsFrame, scalar, vector
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase
from multibody.graph import Expr, evaluate
from multibody.model import Parameter, Weld
from multibody.model.quantity import defaults, finite_value

_log = logging.getLogger("multibody")


class PartCommands(WorldBase):
    """Commands for bodies and for what connects them."""

    @command("name mass cg inertia")
    def addBody(
        self, mass: Value, cg: Value = (0, 0, 0), inertia: Value = (0, 0, 0), name: str | None = None
    ) -> PymbsBody:
        """A rigid body.

        Args:
            mass: in kg.
            cg: its centre of gravity, in its own frame.
            inertia: about the centre of gravity: a symmetric matrix, or [I_xx, I_xy, I_yy, I_xz, I_yz, I_zz].
            name: without it, it is called ``body_1``, ``body_2`` ….
        """
        own = self.part_name(name, "body")
        entries = np.array(inertia, dtype=object)
        tensor = entries[:, 0] if entries.shape == (6, 1) else entries
        self.bodyDict[name or own] = body = PymbsBody(
            self, name or own, self.system.body(own, mass, vector(cg), tensor)
        )
        return body

    @command("name CS1 CS2 dofList startVals startVals_d")
    def addJoint(
        self, CS1: PymbsFrame, CS2: PymbsFrame, dofList: Movements | None = None, startVals: Value | None = None,
        startVals_d: Value | None = None, name: str | None = None,
    ) -> PymbsJoint:  # fmt: skip
        """A joint between two frames, made of elementary movements, one after the other.

        Args:
            CS1: the frame on the body nearer to the world.
            CS2: the frame on the body that it moves.
            dofList: such as ``'Tx'`` or ``['Tx', 'Ry']``; nothing for a fixed joint.
            startVals: start values of the coordinates, one for each movement.
            startVals_d: start values of their rates.
            name: without it, it is called ``joint_1``, ``joint_2`` ….

        Returns:
            The joint; ``joint[k]`` is one of several movements.
        """
        self._tell_second(CS2, name)
        moves = [dofList] if isinstance(dofList, str) else list(dofList or [])
        made = self.system.joint(
            self.part_name(name, "joint"), CS1.made, CS2.made, moves or Weld(),
            q=self._numbers(startVals), u=self._numbers(startVals_d),
        )  # fmt: skip
        self.jointDict[name or made.name] = joint = PymbsJoint(self, made, tuple(range(len(moves))))
        return joint

    def _tell_second(self, moved: PymbsFrame, name: str | None) -> None:
        """A body that a joint moves already is held by a loop from then on."""
        body = moved.made.body
        first = [joint.name for joint in self.system.all(model.Joint) if joint.child.body is body]
        if first or body is self.system.world:
            held = (
                f"The body '{body.name}' is moved by joint '{first[0]}' already" if first else "The world does not move"
            )
            _log.warning(
                "addJoint: %s; joint '%s' closes a loop. PyMbs has no such joints (PyMbs manual, section 3.1.1): its "
                "scripts close loops by addConstraint or addLoop, and name the body nearer to the world first.",
                held, name or "joint",
            )  # fmt: skip

    @command("name CS1 CS2 transLock rotLock")
    def addConstraint(
        self, CS1: PymbsFrame, CS2: PymbsFrame, transLock: Value = (0, 0, 0), rotLock: Value = (0, 0, 0),
        name: str | None = None,
    ) -> Any:  # fmt: skip
        """Holds two frames together in some directions, by constraint forces; this may close a loop.

        Args:
            CS1: the frame whose axes count.
            CS2: the frame that is held.
            transLock: 1 for each of the directions x, y, z in which the origins stay together.
            rotLock: 1 for each of the axes about which the frames cannot turn against each other.
            name: without it, it is called ``constraint_1``, ``constraint_2`` ….
        """
        translation, rotation = (
            "".join(axis for axis, lock in zip("xyz", vector(locks), strict=True) if lock)
            for locks in (transLock, rotLock)
        )
        own = self.part_name(name, "constraint")
        return self.system.constraint(CS1.made, CS2.made, translation=translation, rotation=rotation, name=own)

    @command()
    def setJointRange(self, joint: PymbsJoint, minVal: Value, maxVal: Value) -> None:
        """The range of a joint's slider in ``show``; it is not a stop.

        Args:
            joint: with one movement, or one movement of a joint.
            minVal: a number, or a parameter, whose default counts.
            maxVal: likewise.
        """
        low, high = (self._numbers(scalar(bound)) for bound in (minVal, maxVal))
        if len(joint) != 1 or not low < high:
            raise UsageError(
                f"{minVal} to {maxVal} is not a range for {joint!r}.",
                remedy="Give a joint with one movement, and minVal < maxVal.",
                code="range-invalid",
            )
        limits = list(joint.made.limits)
        limits[joint.numbers[0]] = (low, high)
        object.__setattr__(joint.made, "limits", tuple(limits))  # which sliders alone look at

    def _numbers(self, value: Any) -> Any:
        """Numbers; parameters stand for their defaults."""
        if value is None or np.ndim(value):
            return (
                None if value is None else [self._numbers(number) for number in np.ravel(np.array(value, dtype=object))]
            )
        known: dict[Any, float] = dict(defaults(self.system.all(Parameter))) if isinstance(value, Expr) else {}
        return finite_value(evaluate(value, known) if isinstance(value, Expr) else value, "start value or range")
