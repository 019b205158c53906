"""``addLoad``: forces and torques; and commands that make inputs, loads and sensors at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody import model
from multibody.compat.pymbs.command import Value, command
from multibody.compat.pymbs.frames import PymbsFrame, scalar, vector
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.quantities import VarKind, as_written
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase
from multibody.model import (
    Force,
    JointLoad,
    Load,
    Orientation,
    PointToPointForce,
    Position,
    Torque,
    contact,
    hydraulic_cylinder,
    motion_platform,
    tyre,
)


class AddLoad:
    """Commands for loads; each returns the load. Without a name, it is called ``load_1``, ``load_2`` …."""

    def __init__(self, mbs: WorldBase) -> None:
        self._mbs = mbs

    @command("CS1 CS2 symbol name", "name CS1 CS2 symbol", "name symbol CS1 CS2")
    def PtPForce(self, symbol: Value, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None) -> Load:
        """A force along the line between two frames; a positive one pushes them apart.

        Args:
            symbol: the force, a scalar.
            CS1: one frame.
            CS2: the other.
            name: of the load.
        """
        return self._add(PointToPointForce(CS1.made, CS2.made, scalar(symbol)), name)

    @command(
        "symbol CS1 CS2 CSref name", "CS1 CS2 symbol name CSref", "CS1 CS2 symbol CSref name",
        "name CS1 CS2 symbol CSref", "name symbol CS1 CS2 CSref",
    )  # fmt: skip
    def CmpForce(
        self, symbol: Value, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None, CSref: PymbsFrame | None = None
    ) -> Load:
        """A force by its components: it acts on CS1, and its opposite on CS2, each at the frame's origin.

        Args:
            symbol: the force, a vector.
            CS1: the frame that the force acts on.
            CS2: the frame that its opposite acts on.
            name: of the load.
            CSref: the frame along whose axes the components are given; CS1 without it.
        """
        axes, other = (CSref or CS1).made, CS2.made
        force = Force(CS1.made, vector(symbol), expressed_in=axes, reaction_on=other, reaction_at=other)
        return self._add(force, name)

    @command(
        "symbol CS1 CS2 name CSref", "CS1 CS2 symbol name CSref", "CS1 CS2 symbol CSref name",
        "name CS1 CS2 symbol CSref", "name symbol CS1 CS2 CSref",
    )  # fmt: skip
    def CmpTorque(
        self, symbol: Value, CS1: PymbsFrame, CS2: PymbsFrame, CSref: PymbsFrame | None = None, name: str | None = None
    ) -> Load:
        """A torque by its components: it acts on CS1, and its opposite on CS2.

        Args:
            symbol: the torque, a vector.
            CS1: the frame that the torque acts on.
            CS2: the frame that its opposite acts on.
            CSref: the frame along whose axes the components are given; CS1 without it.
            name: of the load.
        """
        torque = Torque(CS1.made, vector(symbol), expressed_in=(CSref or CS1).made, reaction_on=CS2.made)
        return self._add(torque, name)

    @command("joint symbol name", "name joint symbol", "name symbol joint")
    def Joint(self, symbol: Value, joint: PymbsJoint, name: str | None = None) -> Load:
        """A force on a translation, or a torque on a hinge.

        Args:
            symbol: a scalar; a list for a joint with several movements.
            joint: what it acts on; ``joint[k]`` for one of several movements.
            name: of the load.
        """
        values = list(np.ravel(np.array(symbol, dtype=object)))
        if len(values) != len(joint):
            raise UsageError(
                f"{joint!r} has {len(joint)} movements, and {len(values)} loads are given.",
                remedy="Give one for each, or name one movement: joint[0], joint[1] and so on.",
                code="count-mismatch",
            )
        places = dict(zip(joint.numbers, values, strict=True))
        every = [places.get(k, 0) for k in range(len(joint.made.speeds))]
        return self._add(JointLoad(joint.made, every), name)

    @command("CS1 CS2 c d name", "name CS1 CS2 c d l0")
    def SpringDamper(
        self, CS1: PymbsFrame, CS2: PymbsFrame, c: Value, d: Value = 0, l0: Value = 0, name: str | None = None
    ) -> Load:
        """A spring and a damper on the line between two frames: they pull with c·(l - l0) + d·l̇.

        Args:
            CS1: one frame.
            CS2: the other.
            c: the stiffness, in N/m.
            d: the damping, in N·s/m.
            l0: the length without force, in m.
            name: of the load.
        """
        strut = model.SpringDamper(CS1.made, CS2.made, scalar(c), scalar(d), scalar(l0))
        return self._add(strut, name)

    def _add(self, load: Load, name: str | None) -> Load:
        made: Load = self._mbs.system.load(load, self._mbs.part_name(name, "load"))
        return made


class Macros(WorldBase):
    """Commands that end all the names that they make with one of the user."""

    @command("CS_C name")
    def addContactSensorsLoads(self, name: str, CS_C: PymbsFrame) -> None:
        """A contact: ``r_``, ``T_``, ``v_`` and ``om_`` of a frame, and force ``F_`` and torque ``M_`` on it."""
        self._reserve(name, "r T v om F M CmpForce CmpTorque")
        contact(self.system, name, CS_C.made)

    @command("CS_C CS_R name")
    def addTyreSensorsLoads(self, name: str, CS_C: PymbsFrame, CS_R: PymbsFrame) -> None:
        """A tyre: ``r_``, ``T_``, ``v_``, ``om_`` of the carrier CS_C; force ``F_`` and torque ``M_`` on the rim."""
        self._reserve(name, "r T v om F M CmpForce CmpTorque")
        tyre(self.system, name, CS_C.made, CS_R.made)

    @command("CS1 CS2 name")
    def addHydCylSensorsLoads(self, name: str, CS1: PymbsFrame, CS2: PymbsFrame) -> None:
        """A hydraulic cylinder: its length and the rate of it, ``d_``; a force ``F_`` that pushes its ends apart."""
        self._reserve(name, "d F PtPForce")
        hydraulic_cylinder(self.system, name, CS1.made, CS2.made)

    @command("name CS_D")
    def addMotionSystemSensors(self, CS_D: PymbsFrame, name: str = "BWS") -> None:
        """What a motion platform needs: ``r_``, ``T_``, ``v_``, ``om_``, ``a_`` and ``dom_`` of the driver's seat."""
        self._reserve(name, "r T v om a dom")
        motion_platform(self.system, CS_D.made, name)

    @command("name cs category")
    def addGraphicSensors(
        self, cs: PymbsFrame, name: str | None = None, category: Any = VarKind.Sensor
    ) -> tuple[Any, Any]:
        """Position ``r_`` and orientation ``T_`` of a frame in the world, as symbols."""
        end = name or self.part_name(None, "sensor")
        self._reserve(end, "r T")
        self.system.sensor(f"r_{end}", Position(cs.made))
        self.system.sensor(f"T_{end}", Orientation(cs.made))
        return as_written(self.system.measured(f"r_{end}")), as_written(self.system.measured(f"T_{end}"))

    def _reserve(self, name: str, prefixes: str) -> None:
        """All names that are going to be made, which must be free as they are."""
        for wanted in (f"{prefix}_{name}" for prefix in prefixes.split()):
            if self.symbol_name(wanted) != wanted:
                raise UsageError(
                    f"The name '{wanted}' is taken already.",
                    remedy=f"Choose another one than '{name}'.",
                    code="name-taken",
                    name=wanted,
                )
