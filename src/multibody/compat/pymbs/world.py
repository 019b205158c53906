"""State of a PyMbs script: the system, names, and the equations once they are derived."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

from multibody import model
from multibody.compat.pymbs.frames import PymbsBody
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.refusals import MANUAL, PROGRAM, UsageError, tell_difference
from multibody.equations import EquationsOfMotion
from multibody.model import System

_log = logging.getLogger("multibody")

STANDARD_GRAVITY = 9.81
"""The acceleration of free fall unless ``setGravity`` says otherwise, in m/s²."""


class WorldBase(PymbsBody):
    """The world of a PyMbs script, with the system that is being built.

    In PyMbs a body may have the name of a sensor, and two bodies may have frames of the same name. Here names are
    unique; where they are not, that which comes later gets a number.

    Attributes:
        system: what is built.
        equations: the equations of motion, once they were generated.
        derive_again: generates them once more, in the same way.
        kinematics_only: whether they may be missing, because parts have no masses.
        controllers: functions of Python by the name of the input that they drive.
        bodyDict: all bodies by name.
        jointDict: all joints by name.
        conventions: ``"manual"`` or ``"program"``: what counts where the manual of PyMbs and its program differ, in
            ``addLoop.Transmission`` and in the axes of ``addSensor.ConstraintForce`` and ``ConstraintTorque``. Unless
            it is set, the manual counts, and a message says so.
    """

    def __init__(self, gravity: list[Any], name: str) -> None:
        self.system = System(_identifier(name))
        super().__init__(self, "world", self.system.world)
        self.equations: EquationsOfMotion | None = None
        self.derive_again: Callable[[], Any] | None = None
        self.kinematics_only = False
        self.controllers: dict[str, Any] = {}
        self.bodyDict: dict[str, PymbsBody] = {}
        self.jointDict: dict[str, PymbsJoint] = {}
        self._direction = gravity
        self._conventions = ""
        self._told: set[str] = set()
        self._parts_derived: set[str] = set()
        self._names = {"t": "symbol", "world": "part"}
        self.system.gravity = [STANDARD_GRAVITY * part for part in gravity]

    @property
    def conventions(self) -> str:
        """What counts where manual and program of PyMbs differ: ``"manual"`` or ``"program"``."""
        return self._conventions or MANUAL

    @conventions.setter
    def conventions(self, value: str) -> None:
        if value not in (MANUAL, PROGRAM):
            raise UsageError(
                f"{value!r:.100} is not a convention.",
                where="world.conventions",
                remedy="Write 'manual' or 'program'.",
                code="option-unknown",
            )
        self._conventions = value

    def follows_program(self, label: str) -> bool:
        """Whether the program of PyMbs counts for a command; told once, unless the script has chosen."""
        if not self._conventions and label not in self._told:
            self._told.add(label)
            tell_difference(label)
        return self.conventions == PROGRAM

    def part_name(self, wanted: str | None, kind: str = "part") -> str:
        """A free name for a part, as near to the wanted one as possible; ``kind_1`` … if none is wanted."""
        stem = kind if wanted is None else _identifier(wanted)
        name = stem if wanted is not None else f"{stem}_1"
        number = 1
        while name in self._names:
            number += 1
            name = f"{stem}_{number}"
        self._names[name] = "part"
        return name

    def symbol_name(self, wanted: str) -> str:
        """The name of a symbol, which no other symbol may have.

        Raises:
            UsageError: if one has.
        """
        if self._names.get(wanted) == "symbol":
            raise UsageError(
                f"There is a symbol '{wanted}' already.",
                remedy="Choose another one; the time is called 't'.",
                code="name-taken",
                name=wanted,
            )
        free = self.part_name(wanted) if wanted in self._names else wanted
        if free != wanted:
            _log.warning("The symbol '%s' is called '%s', because a part has its name.", wanted, free)
        self._names[free] = "symbol"
        return free

    def hold_strays(self) -> None:
        """Bodies without a joint stand still in the world; PyMbs leaves them out."""
        joined = {end.body for joint in self.system.all(model.Joint) for end in (joint.parent, joint.child)}
        for name, body in self.bodyDict.items():
            if body.made not in joined:
                _log.warning("The body '%s' has no joint; it stands still.", name)
                self.system.joint(self.part_name(f"{name}_stands"), self.system.world, body.made, model.Weld())

    def keep(self, equations: EquationsOfMotion | None, derive_again: Callable[[], Any]) -> None:
        """Equations of all parts that there are now, and how they were generated."""
        self.equations, self.derive_again, self._parts_derived = equations, derive_again, self._parts_written()

    def _parts_written(self) -> set[str]:
        """The names of all parts that equations and pictures depend on, so far."""
        system = self.system
        made = {body.name for body in system.all(model.Body)} | {joint.name for joint in system.all(model.Joint)}
        named = (system.loads, system.sensors, system.constraints, system.loops, system.drawings)
        return {f"gravity {system.gravity.components()}", *made, *(name for parts in named for name in parts)}

    def derived(self, label: str) -> EquationsOfMotion:
        """The equations of motion, for a command that needs them.

        They are generated again if parts were added after ``genEquations``, and a message says so.
        """
        late = sorted(self._parts_written() - self._parts_derived)
        if self.equations is not None and self.derive_again is not None and late:
            _log.warning("%s: the equations are generated again, with %s.", label, ", ".join(late))
            self.derive_again()
        if self.equations is None:
            raise UsageError(
                f"{label} needs equations of motion, and there are none yet.",
                where=f"PyMbs' {label}",
                cause="Parts have no masses." if self.kinematics_only else "",
                remedy="Give all parts masses." if self.kinematics_only else "Call genEquations() first.",
                code="equations-missing",
                name=label,
            )
        return self.equations


def _identifier(name: str) -> str:
    """A name with underscores in the place of blanks and the like."""
    plain = re.sub(r"\W", "_", name)
    return plain if plain[:1].isalpha() else f"x{plain}"
