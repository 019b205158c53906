"""Commands that make inputs, loads and sensors at once, where something outside acts."""

from __future__ import annotations

from typing import Any

from multibody.compat.pymbs.command import command
from multibody.compat.pymbs.frames import PymbsFrame
from multibody.compat.pymbs.quantities import VarKind, as_written
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase
from multibody.model import Orientation, Position, contact, hydraulic_cylinder, motion_platform, tyre


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
