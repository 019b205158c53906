"""From trajectories to recordings and back."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingValueError, StorageError
from multibody.model.assembly import RoundedStart, StartChange
from multibody.simulate.contract import Status, Vector
from multibody.simulate.quantities import quantities
from multibody.simulate.recording import Recording, split, unknown
from multibody.simulate.run_settings import RunSettings
from multibody.simulate.saturation import plain_saturation, saturation_from, saturations_in_samples
from multibody.simulate.statistics import Counts
from multibody.simulate.sweep_digest import different, digest, equation_digests

if TYPE_CHECKING:
    from multibody.simulate.trajectory import Trajectory


_log = logging.getLogger("multibody")

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
        "everything": not names,
        "equations": equation_digests(run.source),
        "digest": run.digest,
        "impacts": [] if run.settings is None else run.settings.impacts,
        "counts": asdict(run.counts),
        "start_changes": [[*one, "rounding"] if one.is_rounding else [*one] for one in run.start_changes],
        "saturations": [plain_saturation(one) for one in run.saturations],
        "occurrences": [[one.name, float(one.t), np.asarray(one.y).tolist()] for one in run.occurrences],
    }
    return Recording({name: run[name] for name in chosen}, units, about)


def restored(
    found: Recording, eom: EquationsOfMotion, settings: RunSettings, parameters: Mapping[str, float] | None, where: str
) -> Trajectory:  # fmt: skip
    """A trajectory from what was recorded of it.

    Args:
        found: what was recorded.
        eom: the equations with inputs for contacts.
        settings: the equations as they were given, and events.
        parameters: values by name that are not those of the file.
        where: the file.
    """
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
    _require_equations(about, settings, where)
    run = Trajectory(
        eom, found["t"], _columns(found, states), _columns(found, inputs), _parameters(about, eom, parameters, where),
        Status.named(about.get("status")), Counts(**about.get("counts", {})),
        [EventRecord(name, t, np.array(y)) for name, t, y in about.get("occurrences", ())], about.get("message", ""),
        settings=settings,
        start_changes=tuple(
            (RoundedStart if one[3:] else StartChange)(*one[:3]) for one in about.get("start_changes", ())
        ),
    )  # fmt: skip
    stored = about.get("saturations")
    known = saturations_in_samples(eom, run.t, run.r) if stored is None else tuple(map(saturation_from, stored))
    run = replace(run, saturations=known) if known else run
    _report_parameters(run, about, where)
    return run


def _require_equations(about: Mapping[str, Any], settings: RunSettings, where: str) -> None:
    """An error if the run was made with other equations or impacts; a file of an earlier version does not say."""
    others = _other_equations(about.get("equations"), equation_digests(settings.eom))
    if others:
        raise StorageError(
            f"The run was made with other equations; different: {_listed(others)}.",
            where=where,
            cause=f"The system '{settings.eom.model.name}' was changed since, or is another one.",
            remedy="Give the equations that it was made with, or use read_trajectory(path) for the arrays alone.",
        )
    impacts, given = about.get("impacts"), settings.impacts
    if isinstance(impacts, list) and set(map(str, impacts)) != set(given):
        raise StorageError(
            f"Impacts of the run: {_listed(impacts)}; impacts that it is read with: {_listed(given)}.",
            where=where,
            remedy="Give Trajectory.read(…, events=[…]) the events of the run.",
        )


def _other_equations(stored: Any, given: Mapping[str, str]) -> list[str]:
    """What is different, by name; a CSV file holds one digest for all equations."""
    if stored is None:
        return []
    if isinstance(stored, Mapping):
        return different(stored, given)
    return [] if stored == digest(given)[:16] else ["at least one equation; a CSV file does not say which"]


def _report_parameters(run: Trajectory, about: Mapping[str, Any], where: str) -> None:
    """A warning in the log if parameters are not those of the run."""
    values, given = about.get("parameters"), run.parameters
    if isinstance(values, Mapping):
        names = [name for name in different(given, values) if name in values and name in given]
        others = [f"{name} = {given[name]:.9g}, and {values[name]:.9g} in the run" for name in names]
    else:
        others = ["a CSV file does not say which"] if about.get("digest", run.digest) != run.digest else []
    if others:
        _log.warning("%s is read with parameters that are not those of the run: %s.", where, "; ".join(others))


def _listed(names: Sequence[Any]) -> str:
    return f"{', '.join(map(str, names[:8])) or 'none'}{' …' if len(names) > 8 else ''}"


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
    values = eom.model.parameter_values({**known, **eom.model.parameters_by_element(given)})
    return np.array([values[one] for one in eom.parameters])
