"""Commands of the world as functions, which PyMbs has kept from its first versions."""

from __future__ import annotations

from typing import Any

from multibody.compat.pymbs.complaints import UsageError
from multibody.compat.pymbs.system import MbsSystem


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
        )
    return world
