"""What somebody wants to see: a system, a model, equations, a robot, a run; and what is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.linear import LinearizedSystem
from multibody.model import Model, System
from multibody.simulate import Trajectory


@dataclass(frozen=True, eq=False)
class Subject:
    """What is shown.

    Attributes:
        model: that moves.
        eom: its equations, where they are known; forces, energies and new runs need them.
    """

    model: Model
    eom: EquationsOfMotion | None = None


def subject(thing: Any) -> Subject:
    """The model, and the equations if there are any, behind whatever the user has.

    Raises:
        ModelError: if there is no model in it.
    """
    match thing:
        case Subject():
            return thing
        case System():
            return Subject(thing.freeze())
        case Model():
            return Subject(thing)
        case EquationsOfMotion():
            return Subject(thing.model, thing)
        case Trajectory():
            return Subject(thing.eom.model, thing.eom)
        case LinearizedSystem():
            return Subject(thing.point.model)
    inner = getattr(thing, "system", None)  # a robot that was read from a file
    if isinstance(inner, System):
        return Subject(inner.freeze())
    made = thing.equations() if hasattr(thing, "levels") and callable(getattr(thing, "equations", None)) else None
    if isinstance(made, EquationsOfMotion):  # of a subsystem
        return Subject(made.model, made)
    raise ModelError(
        f"{thing!r:.100} cannot be shown.",
        cause="It is not a mechanical system, nor anything that was made from one.",
        remedy="Give a System, a robot from read_urdf, equations from derive, or a run from simulate.",
    )


def with_run(thing: Any, run: Trajectory | None) -> Subject:
    """The subject of a run, after a check that the run belongs to it.

    Raises:
        ModelError: if the run is that of another system.
    """
    shown = subject(thing)
    if run is None:
        return shown
    if not isinstance(run, Trajectory):
        raise ModelError(f"{run!r:.100} is not a run.", remedy="Give what simulate returns, or leave it out.")
    ours, theirs = ([one.name for one in model.coordinates] for model in (shown.model, run.eom.model))
    if ours != theirs and shown.model.unreduced is not None:  # equations may be those of open loops
        ours = [one.name for one in shown.model.unreduced.coordinates]
    bodies = [[body.name for body in model.bodies] for model in (shown.model, run.eom.model)]
    if ours != theirs or bodies[0] != bodies[1]:
        raise ModelError(
            "The run belongs to another system.",
            where=f"system '{shown.model.name}', run of '{run.eom.model.name}'",
            cause=f"The system has the coordinates {_listed(ours)}, the run has {_listed(theirs)}.",
            remedy="Show the run with the system that its equations were derived from, or simulate this one anew.",
        )
    return Subject(run.eom.model, run.eom)


def values_for(run: Trajectory | None, given: Any) -> Mapping[str, float] | None:
    """Values of parameters by name: those of the run, or what was given.

    Raises:
        ModelError: if both are there, or if they are not given by name.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(
            f"{given!r:.100} are no parameters.", remedy="Give values by name, such as parameters={'m': 2.0}."
        )
    if run is not None and given:
        raise ModelError(
            "A run brings its own parameters.", remedy="Leave out 'parameters'; simulate with others first."
        )
    return given if run is None else run.parameters


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:8]) or 'none'}{' …' if len(names) > 8 else ''}"
