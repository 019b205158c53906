"""``addSensor``: what can be measured. Each command returns a symbol, or a vector or matrix of symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from multibody import model
from multibody.compat.pymbs.command import Group, command
from multibody.compat.pymbs.frames import PymbsFrame
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.quantities import VarKind, as_written
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.world import WorldBase


class AddSensor:
    """Commands for sensors. The symbol is the name of the output; ``name`` and ``category`` are not needed here.

    Without CSref, components are along the axes of CS1.
    """

    def __init__(self, mbs: WorldBase) -> None:
        self._mbs = mbs

    def __call__(self, name: str, kind: str, *args: Any, **named: Any) -> Any:
        """The form of the first versions of PyMbs: ``addSensor('Place', 'Position', CS1, CS2, 'r')``."""
        if kind not in vars(AddSensor) or kind.startswith("_"):
            known = [attribute for attribute in vars(AddSensor) if attribute[0].isupper()]
            raise UsageError(
                f"There is no sensor {kind!r:.100}.",
                where="PyMbs' addSensor",
                remedy=f"There are: {', '.join(known)}.",
                code="name-unknown",
            )
        return getattr(self, kind)(*args, name=name, **named)

    @command("CS1 CS2 symbol name category", "name symbol CS1 CS2 category")
    def Distance(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None, category: Any = VarKind.Sensor
    ) -> Any:
        """The distance of two frames and the rate at which it grows, as a vector of two."""
        return self._add(symbol, model.DistanceAndRate(CS1.made, CS2.made))

    @command("CS1 CS2 symbol CSref name category", "CS1 CS2 symbol name category", "name symbol CS1 CS2 CSref category")
    def Position(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, CSref: PymbsFrame | None = None, name: str | None = None,
        category: Any = VarKind.Sensor,
    ) -> Any:  # fmt: skip
        """The vector from CS1 to CS2."""
        return self._add(symbol, model.Position(CS2.made, CS1.made, (CSref or CS1).made))

    @command("CS1 CS2 symbol CSref name category", "CS1 CS2 symbol name category", "name symbol CS1 CS2 CSref category")
    def Velocity(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, CSref: PymbsFrame | None = None, name: str | None = None,
        category: Any = VarKind.Sensor,
    ) -> Any:  # fmt: skip
        """The absolute velocity of CS2 minus that of CS1."""
        return self._add(symbol, model.Velocity(CS2.made, CS1.made, (CSref or CS1).made, self._world))

    @command("CS1 CS2 symbol CSref name category", "CS1 CS2 symbol name category", "name symbol CS1 CS2 CSref category")
    def Acceleration(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, CSref: PymbsFrame | None = None, name: str | None = None,
        category: Any = VarKind.Sensor,
    ) -> Any:  # fmt: skip
        """The absolute acceleration of CS2 minus that of CS1."""
        return self._add(symbol, model.Acceleration(CS2.made, CS1.made, (CSref or CS1).made, self._world))

    @command("CS1 CS2 symbol CSref name category", "CS1 CS2 symbol name category", "name symbol CS1 CS2 CSref category")
    def AngularVelocity(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, CSref: PymbsFrame | None = None, name: str | None = None,
        category: Any = VarKind.Sensor,
    ) -> Any:  # fmt: skip
        """The angular velocity of CS2 relative to CS1."""
        return self._add(symbol, model.AngularVelocity(CS2.made, CS1.made, (CSref or CS1).made))

    @command("CS1 CS2 symbol CSref name category", "CS1 CS2 symbol name category", "name symbol CS1 CS2 CSref category")
    def AngularAcceleration(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, CSref: PymbsFrame | None = None, name: str | None = None,
        category: Any = VarKind.Sensor,
    ) -> Any:  # fmt: skip
        """The absolute angular acceleration of CS2 minus that of CS1."""
        return self._add(symbol, model.AngularAcceleration(CS2.made, CS1.made, (CSref or CS1).made, self._world))

    @command("CS1 CS2 symbol name category", "name symbol CS1 CS2 category")
    def Orientation(
        self, symbol: str, CS1: PymbsFrame, CS2: PymbsFrame, name: str | None = None, category: Any = VarKind.Sensor
    ) -> Any:
        """The matrix that leads from the axes of CS2 to those of CS1; its columns are the axes of CS2."""
        return self._add(symbol, model.Orientation(CS2.made, CS1.made))

    @command("joint symbol name category", "name symbol joint category")
    def Joint(self, symbol: str, joint: PymbsJoint, name: str | None = None, category: Any = VarKind.Sensor) -> Any:
        """The coordinate of a joint and its rate, as a vector of two; first all coordinates, if there are several."""
        if joint.whole:
            return self._add(symbol, model.JointSensor(joint.made))
        return self._add(symbol, model.Expression([joint.coord, joint.vel]))

    @command("joint symbol name category", "name symbol joint category")
    def ConstraintForce(
        self, symbol: str, joint: PymbsJoint, name: str | None = None, category: Any = VarKind.Sensor
    ) -> Any:
        """The force that a joint transmits to its second frame, along the axes of that frame.

        With ``world.conventions = "program"``, along the axes of the world.
        """
        return self._reaction("addSensor.ConstraintForce", model.ConstraintForce, symbol, joint)

    @command("joint symbol name category", "name symbol joint category")
    def ConstraintTorque(
        self, symbol: str, joint: PymbsJoint, name: str | None = None, category: Any = VarKind.Sensor
    ) -> Any:
        """The torque that a joint transmits to its second frame, about the origin and along the axes of that frame.

        With ``world.conventions = "program"``, along the axes of the world.
        """
        return self._reaction("addSensor.ConstraintTorque", model.ConstraintTorque, symbol, joint)

    @command("body symbol_str name category", "name symbol_str body category")
    def Energy(self, symbol_str: str, body: PymbsFrame, name: str | None = None, category: Any = VarKind.Sensor) -> Any:
        """Kinetic and potential energy of a body together; that of all bodies for the world."""
        return self._add(symbol_str, model.Energy(body.made.body))

    @command("Bodies symbol_str name category", "name symbol_str Bodies category")
    def CenterofMass(
        self, symbol_str: str, Bodies: Group | None = None, name: str | None = None, category: Any = VarKind.Sensor
    ) -> tuple[Any, Any]:
        """Mass and centre of mass of some bodies, or of all: two symbols, ``<symbol>_Mass`` and ``<symbol>_r``."""
        given = [] if Bodies is None else Bodies if isinstance(Bodies, list | tuple) else [Bodies]
        bodies = [part.made.body for part in given]
        mass = self._add(f"{symbol_str}_Mass", model.TotalMass(*bodies))
        return mass, self._add(f"{symbol_str}_r", model.CenterOfMass(*bodies))

    def _reaction(self, label: str, kind: Callable[..., model.Sensor], symbol: str, joint: PymbsJoint) -> Any:
        made = joint.entire(label)
        axes = self._world if self._mbs.follows_program(label) else made.child
        return self._add(symbol, kind(made, axes))

    @property
    def _world(self) -> model.Body:
        return self._mbs.system.world

    def _add(self, symbol: str, sensor: model.Sensor) -> Any:
        name = self._mbs.symbol_name(symbol)
        self._mbs.system.sensor(name, sensor)
        return as_written(self._mbs.system.measured(name))
