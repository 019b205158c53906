"""From trajectories to recordings and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingValueError, StorageError
from multibody.simulate.contract import Status, Vector
from multibody.simulate.quantities import quantities
from multibody.simulate.recording import Recording, split, unknown
from multibody.simulate.statistics import Counts

if TYPE_CHECKING:
    from multibody.simulate.trajectory import Trajectory


FORMAT = "multibody trajectory 1"
"""What files say about themselves."""


def recorded(run: Trajectory, names: Sequence[Any]) -> Recording:
    """The time and the named quantities of a run, by default all; with what is needed to restore it."""
    lists = [name for name in names if isinstance(name, list | tuple)]
    if lists:
        raise unknown(lists[0], run.quantities, run.title)
    chosen = ["t", *(name for name in names if name != "t")] if names else run.names
    units = {name: run.quantities[split(name)[0]].unit for name in chosen if split(name)[0] in run.quantities}
    about = {
        "format": FORMAT,
        "system": run.eom.model.name,
        "formalism": run.eom.formalism,
        "parameters": dict(run.parameters),
        "status": run.status.name,
        "message": run.message,
        "counts": asdict(run.counts),
        "occurrences": [[one.name, float(one.t), np.asarray(one.y).tolist()] for one in run.occurrences],
    }
    return Recording({name: run[name] for name in chosen}, units, about)


def restored(
    found: Recording, eom: EquationsOfMotion, parameters: Mapping[str, float] | None, where: str
) -> Trajectory:  # fmt: skip
    """A trajectory from what was recorded of it."""
    from multibody.simulate.trajectory import EventRecord, Trajectory  # which can read itself

    about = found.about
    if about.get("format", FORMAT) != FORMAT:
        raise StorageError(f"The format '{about['format']}' is not known.", where=where, remedy=f"Known is '{FORMAT}'.")
    states, inputs = _state_names(eom)
    _require(found, ["t", *states, *inputs], where)
    if about.get("system", eom.model.name) != eom.model.name:
        raise StorageError(
            f"The file holds a run of system '{about['system']}', and the equations are those of '{eom.model.name}'.",
            where=where,
            remedy="Give the equations that it was made with, or use read_trajectory(path) for the arrays alone.",
        )
    return Trajectory(
        eom, found["t"], _columns(found, states), _columns(found, inputs), _parameters(about, eom, parameters, where),
        Status[about.get("status", "DONE")], Counts(**about.get("counts", {})),
        [EventRecord(name, t, np.array(y)) for name, t, y in about.get("occurrences", ())], about.get("message", ""),
    )  # fmt: skip


def _state_names(eom: EquationsOfMotion) -> tuple[list[str], list[str]]:
    """The names of what y and r are made of."""
    of_kind: dict[str, list[str]] = {"coordinate": [], "speed": [], "energy": [], "input": []}
    for name, one in quantities(eom).items():
        of_kind.setdefault(one.kind, []).append(name)
    works = of_kind["energy"][3:6]
    return of_kind["coordinate"] + of_kind["speed"] + works, of_kind["input"]


def _columns(found: Recording, names: Sequence[str]) -> Vector:
    return np.stack([found[name] for name in names], axis=1) if names else np.zeros((len(found["t"]), 0))


def _require(found: Recording, names: Sequence[str], where: str) -> None:
    missing = [name for name in names if name not in found]
    if missing:
        raise MissingValueError(
            f"The file has no {', '.join(missing)}.",
            where=where,
            cause="It was saved with chosen names only, or belongs to another system.",
            remedy="Use read_trajectory(path) for the arrays that are there.",
        )


def _parameters(
    about: Mapping[str, Any], eom: EquationsOfMotion, given: Mapping[str, float] | None, where: str
) -> Vector:  # fmt: skip
    """Values in the order of the equations: those of the file, unless others are given."""
    known = about.get("parameters", {})
    missing = [one.name for one in eom.parameters if one.name not in known]
    if missing and given is None:
        raise MissingValueError(
            f"The file does not hold the values of: {', '.join(missing)}.",
            where=where,
            cause="A CSV file holds the columns only, or the equations have parameters that the run had not.",
            remedy="Give read(…, parameters={…}), or {} if these have their defaults.",
        )
    values = eom.model.parameter_values({**known, **(given or {})})
    return np.array([values[one] for one in eom.parameters])
