"""The model, and the equations if known, behind a system, model, equations, robot or run that is to be shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.errors import ModelError
from multibody.linearization import LinearizedSystem
from multibody.model import Model, System
from multibody.simulation import Trajectory


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
        code="subject-not-mechanical",
        cause="It is not a mechanical system, nor anything that was made from one.",
        remedy="Give a System, a robot from read_urdf, equations from derive, or a run from simulate.",
        kind=type(thing).__name__,
    )


def require_run(run: Any) -> None:
    """An error unless it is a run."""
    if not isinstance(run, Trajectory):
        raise ModelError(
            f"{run!r:.100} is not a run.",
            code="run-expected",
            remedy="Give what simulate returns.",
            kind=type(run).__name__,
        )


def with_run(thing: Any, run: Trajectory | None) -> Subject:
    """The subject of a run, after a check that the run belongs to it.

    Raises:
        ModelError: if the run is that of another system.
    """
    shown = subject(thing)
    if run is None:
        return shown
    require_run(run)
    ours, theirs = ([coordinate.name for coordinate in model.coordinates] for model in (shown.model, run.eom.model))
    if ours != theirs and shown.model.unreduced is not None:  # equations may be those of open loops
        ours = [coordinate.name for coordinate in shown.model.unreduced.coordinates]
    bodies = [[body.name for body in model.bodies] for model in (shown.model, run.eom.model)]
    if ours != theirs or bodies[0] != bodies[1]:
        raise ModelError(
            "The run belongs to another system.",
            code="run-of-another-system",
            where=f"system '{shown.model.name}', run of '{run.eom.model.name}'",
            cause=f"The system has the coordinates {_listed(ours)}, the run has {_listed(theirs)}.",
            remedy="Show the run with the system that its equations were derived from, or simulate this one anew.",
            name=shown.model.name,
            run=run.eom.model.name,
        )
    return Subject(run.eom.model, run.eom)


def values_for(run: Trajectory | None, given: Any) -> Mapping[str, float] | None:
    """Values of parameters by name: those of the run, or what was given.

    Raises:
        ModelError: if both are there, or if they are not given by name.
    """
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(
            f"{given!r:.100} are not parameter values.",
            code="parameters-not-by-name",
            remedy="Give values by name, such as parameters={'m': 2.0}.",
            kind=type(given).__name__,
        )
    if run is not None and given:
        raise ModelError(
            "A run brings its own parameters.",
            code="parameters-given-twice",
            remedy="Leave out 'parameters'; simulate with others first.",
            names=sorted(map(str, given)),
        )
    return given if run is None else run.parameters


def inputs_at(run: Trajectory, t: Any) -> NDArray[np.float64]:
    """Inputs at any times within a run, as rows; linear between samples."""
    times = np.atleast_1d(np.asarray(t, dtype=float))
    columns = [np.interp(times, run.t, column) for column in run.r.T]
    return np.stack(columns, axis=-1) if columns else np.zeros((len(times), 0))


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:8]) or 'none'}{' …' if len(names) > 8 else ''}"
