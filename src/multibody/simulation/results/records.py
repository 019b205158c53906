"""From trajectories to recordings and back."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypeVar

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingValueError, StorageError
from multibody.mechanics.assembly.assembly import RoundedStart, StartChange
from multibody.simulation.checks.table_exits import exit_from, plain_exit
from multibody.simulation.contract import Status, Vector
from multibody.simulation.problem.input_limits import plain_saturation, saturation_from, saturations_in_samples
from multibody.simulation.problem.run_settings import RunSettings
from multibody.simulation.results.digests import different, digest
from multibody.simulation.results.model_identity import DERIVED, motion_parts, sensor_parts
from multibody.simulation.results.named_samples import EventRecord, NamedSamples
from multibody.simulation.results.quantities import quantities
from multibody.simulation.results.recording import Recording, split, unknown
from multibody.simulation.results.statistics import Counts
from multibody.simulation.results.store import EARLIER_FORMATS, FORMAT

AnyRun = TypeVar("AnyRun", bound=NamedSamples)


_log = logging.getLogger("multibody")

_ARRAYS_ALONE = "Give the equations that it was made with, or use read_trajectory(path) for the arrays alone."


def recorded(run: NamedSamples, names: Sequence[Any]) -> Recording:
    """The time and the named quantities of a run, by default all; with what is needed to restore it."""
    lists = [name for name in names if isinstance(name, list | tuple)]
    if lists:
        raise unknown(lists[0], run.quantities, run.title)
    chosen = ["t", *(name for name in names if name != "t")] if names else run.names
    owners = {name: split(name, run.quantities)[0] for name in chosen}
    units = {name: run.quantities[owner].unit for name, owner in owners.items() if owner in run.quantities}
    motion = motion_parts(run.source)
    about = {
        "format": FORMAT,
        "system": run.eom.model.name,
        "formalism": run.eom.formalism,
        "parameters": dict(run.parameters),
        "status": run.status.name,
        "message": run.message,
        "everything": not names,
        "equations": {name: part for name, part in motion.items() if name.startswith(DERIVED)},
        "motion": motion,
        "sensors": sensor_parts(run.source),
        "contacts": {} if run.settings is None else run.settings.contacts,
        "digest": run.digest,
        "counts": asdict(run.counts),
        "start_changes": [[*change, "rounding"] if change.is_rounding else [*change] for change in run.start_changes],
        "saturations": [plain_saturation(saturation) for saturation in run.saturations],
        "table_exits": [plain_exit(table_exit) for table_exit in run.table_exits],
        "occurrences": [
            [occurrence.name, float(occurrence.t), np.asarray(occurrence.y).tolist()] for occurrence in run.occurrences
        ],
    }
    return Recording({name: run[name] for name in chosen}, units, about)


def restored(
    kind: type[AnyRun], found: Recording, eom: EquationsOfMotion, settings: RunSettings,
    parameters: Mapping[str, float] | None, where: str,
) -> AnyRun:  # fmt: skip
    """A trajectory from what was recorded of it.

    Args:
        kind: the class of the trajectory.
        found: what was recorded.
        eom: the equations with inputs for contacts.
        settings: the equations as they were given, and events.
        parameters: values by name that are not those of the file.
        where: the file.
    """
    about = found.about
    _require_format(about, where)
    states, inputs = _state_names(eom)
    _require(found, ["t", *states, *inputs], where)
    if about.get("system", eom.model.name) != eom.model.name:
        raise StorageError(
            f"The file holds a run of system '{about['system']}', and the equations are those of '{eom.model.name}'.",
            code="run-equations-differ",
            where=where,
            remedy=_ARRAYS_ALONE,
        )
    _require_equations(about, settings, where)
    _require_units(found, eom, where)
    run = kind(
        eom, found["t"], _columns(found, states), _columns(found, inputs), _parameters(about, eom, parameters, where),
        Status.named(about.get("status")), Counts(**about.get("counts", {})),
        [EventRecord(name, t, np.array(y)) for name, t, y in about.get("occurrences", ())], about.get("message", ""),
        settings=settings,
        start_changes=tuple(
            (RoundedStart if row[3:] else StartChange)(*row[:3]) for row in about.get("start_changes", ())
        ),
    )  # fmt: skip
    stored = about.get("saturations")
    known = saturations_in_samples(eom, run.t, run.r) if stored is None else tuple(map(saturation_from, stored))
    run = replace(run, saturations=known) if known else run
    run = replace(run, table_exits=tuple(map(exit_from, about.get("table_exits", ()))))
    _report_parameters(run, about, where)
    return run


def _require_format(about: Mapping[str, Any], where: str) -> None:
    """An error for a file of a format that is not known, or that does not identify the model of its run."""
    known = about.get("format", EARLIER_FORMATS[0] if "equations" in about else FORMAT)
    if known in EARLIER_FORMATS:
        raise StorageError(
            f"The file has the format '{known}' of an earlier version.",
            code="file-version-unknown",
            where=where,
            cause="It does not identify the model of its run, or identifies it in another way.",
            remedy="Use read_trajectory(path) for the arrays alone, or make the run again and save it.",
        )
    if known != FORMAT:
        raise StorageError(
            f"The format '{known}' is not known.",
            code="file-version-unknown",
            where=where,
            remedy=f"Known is '{FORMAT}'.",
        )


def _require_equations(about: Mapping[str, Any], settings: RunSettings, where: str) -> None:
    """An error if the run was made with another model, other equations or impacts."""
    if "motion" not in about:
        _log.warning("%s does not say which model its run was made with; it is read as a run of this one.", where)
        return
    others = _other_equations(about["motion"], motion_parts(settings.eom))
    stored, given = about.get("sensors", {}), sensor_parts(settings.eom)
    others += [f"sensor {name}" for name in different(stored, given) if name in stored and name in given]
    if others:
        raise StorageError(
            f"The run was made with other equations; different: {_listed(others)}.",
            code="run-equations-differ",
            where=where,
            cause=f"The system '{settings.eom.model.name}' was changed since, or is another one.",
            remedy=_ARRAYS_ALONE,
        )
    impacts = different(about.get("contacts", {}), settings.contacts)
    if impacts:
        raise StorageError(
            f"The run was made with other impacts; different: {_listed(impacts)}.",
            code="run-events-differ",
            where=where,
            cause=f"Impacts of the run: {_listed([*about.get('contacts', {})])}; given: {_listed(settings.impacts)}.",
            remedy="Give Trajectory.read(…, events=[…]) the events of the run.",
        )


def _other_equations(stored: Any, given: Mapping[str, str]) -> list[str]:
    """What is different, by name; a CSV file holds one digest for all parts."""
    if isinstance(stored, Mapping):
        return different(stored, given)
    return (
        [] if stored == digest(dict(given))[:16] else ["at least one part of the model; a CSV file does not say which"]
    )


def _require_units(found: Recording, eom: EquationsOfMotion, where: str) -> None:
    """An error for a column whose unit is not that of the model; one without a unit says nothing."""
    known = quantities(eom)
    others = [
        f"{name} in {unit}, in the model in {known[name].unit}"
        for name, unit in found.units.items()
        if unit and name in known and known[name].unit and unit != known[name].unit
    ]
    if others:
        raise StorageError(
            f"Units differ: {_listed(others)}.",
            code="units-differ",
            where=where,
            cause="The numbers are not in the units of the model.",
            remedy="Convert the numbers to the units of the model, and write these in the heads of the columns.",
        )


def _report_parameters(run: NamedSamples, about: Mapping[str, Any], where: str) -> None:
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
    for name, quantity in quantities(eom).items():
        of_kind.setdefault(quantity.kind, []).append(name)
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
    missing = [parameter.name for parameter in eom.parameters if parameter.name not in known]
    if missing and given is None:
        raise MissingValueError(
            f"The file does not hold the values of: {', '.join(missing)}.",
            where=where,
            cause="A CSV file holds the columns only, or the equations have parameters that the run had not.",
            remedy="Give read(…, parameters={…}), or {} if these have their defaults.",
        )
    values = eom.model.parameter_values({**known, **eom.model.parameters_by_element(given)})
    return np.array([values[parameter] for parameter in eom.parameters])
