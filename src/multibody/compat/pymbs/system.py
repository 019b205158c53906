"""The world of a PyMbs script, and its commands as functions, which PyMbs has kept from its first versions."""

from __future__ import annotations

from typing import Any

from multibody.compat.pymbs.command import Value, command
from multibody.compat.pymbs.frames import PymbsFrame, vector
from multibody.compat.pymbs.generation.code import GenCode
from multibody.compat.pymbs.generation.equations import GenEquations
from multibody.compat.pymbs.generation.results import ResultCommands
from multibody.compat.pymbs.joints import PymbsJoint
from multibody.compat.pymbs.loads import AddLoad, Macros
from multibody.compat.pymbs.loops import AddLoop
from multibody.compat.pymbs.parts import PartCommands
from multibody.compat.pymbs.quantities import QuantityCommands
from multibody.compat.pymbs.refusals import UsageError
from multibody.compat.pymbs.sensors import AddSensor
from multibody.compat.pymbs.visualisation import AddVisualisation
from multibody.model import Load


class MbsSystem(QuantityCommands, PartCommands, Macros, ResultCommands):
    """The world: a body that does not move, and all the commands that build a system.

    Args:
        gravity_vect: the direction of gravity; its acceleration is 9.81 m/s², see ``setGravity``.
        name: of the system.

    Attributes:
        system: the ``multibody.System`` that is built, for all that PyMbs has no command for.
        equations: the ``multibody.EquationsOfMotion``, after ``genEquations``.

    Example:
        >>> world = MbsSystem([0, 0, -1])
        >>> m, l = world.addParam("m", 2.0), world.addParam("l", 0.5)
        >>> bob = world.addBody(m, cg=[0, 0, -l], name="bob")
        >>> swing = world.addJoint(world, bob, "Ry", 0.3, name="swing")
        >>> angle = world.addSensor.Joint("angle", swing)
        >>> damper = world.addLoad.Joint(-0.1 * angle[1], swing)
        >>> world.genEquations(explicit=True).readable().acceleration[0]
        -(9.81*l*m*sin(swing) + 0.1*swing_dot)/(l**2*m)
    """

    def __init__(self, gravity_vect: Any = (0, 0, -1), name: str = "world") -> None:
        super().__init__(vector(gravity_vect), name)
        self.addLoad = AddLoad(self)
        self.addLoop = AddLoop(self)
        self.addSensor = AddSensor(self)
        self.addVisualisation = AddVisualisation(self)
        self.genEquations = GenEquations(self)
        self.genCode = GenCode(self)

    @command("thejoint loadSymb name", "name thejoint loadSymb")
    def addJointLoad(self, loadSymb: Value, thejoint: PymbsJoint, name: str | None = None) -> Load:
        """The same as ``addLoad.Joint``."""
        return self.addLoad.Joint(loadSymb, thejoint, name)

    @command("CS1 CS2 c d name", "name CS1 CS2 c d l0")
    def addSpringDamper(
        self, CS1: PymbsFrame, CS2: PymbsFrame, c: Value, d: Value = 0, l0: Value = 0, name: str | None = None
    ) -> Load:
        """The same as ``addLoad.SpringDamper``: a pull of c·(l - l0) + d·l̇ on the line between two frames."""
        return self.addLoad.SpringDamper(CS1, CS2, c, d, l0, name)

    @property
    def time(self) -> Any:
        """The symbol of time."""
        return self.system.time


def genEquations(world: MbsSystem, *args: Any, **named: Any) -> Any:
    """The same as ``world.genEquations(…)``."""
    return _required(world, "genEquations").genEquations(*args, **named)


def genCode(world: MbsSystem, *args: Any, **named: Any) -> Any:
    """The same as ``world.genCode(…)``."""
    return _required(world, "genCode").genCode(*args, **named)


def genMatlabAnimation(world: MbsSystem, *args: Any, **named: Any) -> Any:
    """The same as ``world.genMatlabAnimation(…)``."""
    return _required(world, "genMatlabAnimation").genMatlabAnimation(*args, **named)


def genSarturisXml(world: MbsSystem, *args: Any, **named: Any) -> Any:
    """The same as ``world.genSarturisXml(…)``: not supported."""
    return _required(world, "genSarturisXml").genSarturisXml(*args, **named)


def show(world: MbsSystem, *args: Any, **named: Any) -> Any:
    """The same as ``world.show(…)``."""
    return _required(world, "show").show(*args, **named)


def _required(world: Any, command: str) -> MbsSystem:
    if not isinstance(world, MbsSystem):
        raise UsageError(
            f"{command} needs the world, not {world!r:.100}.",
            where=f"PyMbs' {command}",
            remedy=f"Write world.{command}(), with the other arguments between the parentheses.",
            code="value-of-wrong-type",
        )
    return world
