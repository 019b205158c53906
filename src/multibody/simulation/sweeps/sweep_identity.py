"""The identification of a sweep before it begins: it tells whether a stored one is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import StorageError
from multibody.graph import as_expr
from multibody.graph.number import is_number
from multibody.simulation.events.events import Event
from multibody.simulation.events.impacts import Impact
from multibody.simulation.problem.given_expressions import written
from multibody.simulation.results.digests import different, digest
from multibody.simulation.results.model_identity import DEFAULT, SENSOR, START, equation_parts, unidentified_parts
from multibody.simulation.results.object_identity import REMEDY, UnidentifiedError
from multibody.simulation.sweeps.cases import SweepPlan
from multibody.simulation.sweeps.runner import Measure, Runner
from multibody.simulation.sweeps.sweep_store import Store

EQUATIONS, START_VALUES, INPUTS = "equations", "start values or defaults of the model", "inputs"
_OTHER_PATH = "Choose another path for the new sweep, or change back what is different to go on with the old one."


def facts_of(runner: Runner, plan: SweepPlan, identified: bool) -> dict[str, Any]:
    """Everything to read a sweep again; and, where it is stored in a file, a digest of each part of it."""
    return {
        "parts": _parts(runner, plan) if identified else {},
        "system": runner.eom.model.name,
        "impacts": [event.name for event in runner.events if isinstance(event, Impact)],
        "integrator": repr(runner.integrator),
        "inputs": [quantity.name for quantity in runner.prepared.eom.inputs],
        "kinds": dict(plan.kinds),
        "common": dict(plan.common),
        "names": plan.names,
        "dimensions": plan.dimensions,
        "shape": plan.shape,
        "table": plan.table,
        "times": runner.times,
    }


def measure_digests(measures: Mapping[str, Measure], identified: bool) -> dict[str, str]:
    """The digest of each measure, by name; empty texts for a sweep in memory.

    Raises:
        UnidentifiedError: for a function of the user whose state cannot be read.
    """
    return {name: digest(law, what=f"measure '{name}'") if identified else "" for name, law in measures.items()}


def _parts(runner: Runner, plan: SweepPlan) -> dict[str, Any]:
    """A digest, or digests by name, of each part of a sweep.

    Raises:
        UnidentifiedError: for an object of the user whose state cannot be read.
    """
    parts = _identified_parts(runner.eom)
    return {
        EQUATIONS: {name: part for name, part in parts.items() if not name.startswith((DEFAULT, START))},
        START_VALUES: {name: part for name, part in parts.items() if name.startswith((DEFAULT, START))},
        "parameters, initial values, cases or seed": digest(
            plan.kinds, plan.common, plan.names, plan.dimensions, plan.table
        ),
        "duration or times": digest(runner.times),
        INPUTS: _input_digests(runner.eom, runner.inputs),
        "events": _event_digests(runner.events),
        "fixed": digest(sorted(runner.fixed)),
        "integrator": digest(runner.integrator, what="The integrator"),
    }


def _identified_parts(eom: EquationsOfMotion) -> dict[str, str]:
    unknown = unidentified_parts(eom)
    if unknown:
        raise UnidentifiedError(
            f"Parts of the model cannot be identified: {', '.join(unknown)}.",
            where=f"system '{eom.model.name}'",
            cause="They hold objects whose state cannot be read.",
            remedy=REMEDY,
            names=tuple(unknown),
        )
    return equation_parts(eom)


def _input_digests(eom: EquationsOfMotion, inputs: Mapping[str, Any] | None) -> dict[str, str]:
    """The digest of what each input does, by name; inputs that are not given are zero."""
    given = {quantity.name: 0.0 for quantity in eom.inputs} | eom.model.inputs_by_element(inputs)
    return {name: digest(_law(eom, name, value), what=f"input '{name}'") for name, value in given.items()}


def _law(eom: EquationsOfMotion, name: str, value: Any) -> Any:
    """What an input does, written in one way only: texts as expressions, numbers as constants of these."""
    if isinstance(value, str):
        return written(value, eom, f"input '{name}'")
    return as_expr(float(value)) if is_number(value) or (isinstance(value, np.ndarray) and not value.ndim) else value


def _event_digests(events: Sequence[Event | Impact]) -> dict[str, str]:
    """The digest of each event, by its name and its place, since simultaneous events happen in their order."""
    return {
        f"{k}: {event.name or 'event'}": digest(event, what=f"event '{event.name or k + 1}'")
        for k, event in enumerate(events)
    }


def plan_of(facts: Mapping[str, Any]) -> SweepPlan:
    """The plan of a stored sweep."""
    names, dimensions, shape = (tuple(facts[key]) for key in ("names", "dimensions", "shape"))
    return SweepPlan(facts["kinds"], facts["common"], names, facts["table"], dimensions, shape)


@contextmanager
def opened(
    path: str | PathLike[str] | None, facts: Mapping[str, Any], measures: Mapping[str, str]
) -> Iterator[Store]:  # fmt: skip
    """A store for a sweep: a new one, or that of the same sweep, to go on. Meanwhile no other sweep can write to it.

    Args:
        path: of its file; None for memory.
        facts: what is known about the sweep.
        measures: digests of its measures; those that the file does not know are added.

    Raises:
        StorageError: if there is something else.
    """
    store = Store(path)
    try:
        store.reserve()
        if store.empty:
            store.create(facts)
        else:
            known = store.facts()["parts"]
            _require_same(store, {**known, "measures": store.measure_digests()}, facts["parts"], measures)
        if {*measures} - {*store.measure_digests()}:
            store.define_measures(measures)
        yield store
        store.release()
    except BaseException:
        store.close()
        raise


def _require_same(
    store: Store, stored: Mapping[str, Any], wanted: Mapping[str, Any], measures: Mapping[str, str]
) -> None:  # fmt: skip
    known = stored["measures"]
    others = [part for name in wanted if (part := _other(name, stored.get(name), wanted[name]))]
    changed = [name for name, text in measures.items() if known.get(name, text) != text]
    others += [f"measures ({', '.join(changed)})"] if changed else []
    if others:
        raise StorageError(
            f"The file holds another sweep; different: {' and '.join(others)}.",
            code="sweep-differs",
            where=store.where,
            cause="The script was changed since it was stored.",
            remedy="To measure the stored runs in another way, write read_sweep(path, eom).measure({…}, replace=True)."
            if others == [f"measures ({', '.join(changed)})"]
            else _OTHER_PATH,
            parts=tuple(others),
        )


def _other(name: str, stored: Any, wanted: Any) -> str:
    """The name of a part that is different, with those of its own parts; empty if it is the same."""
    if stored == wanted:
        return ""
    if not isinstance(stored, Mapping) or not isinstance(wanted, Mapping):
        return name
    others = [line.partition(": ")[2] or line for line in different(stored, wanted)]
    return f"{name} ({', '.join(others[:8])}{' …' if others[8:] else ''})"


def require_equations(
    store: Store, facts: Mapping[str, Any], eom: EquationsOfMotion, events: Sequence[Event | Impact]
) -> None:  # fmt: skip
    """A stored sweep must be read with its own model and impacts; only sensors may be added or left out."""
    others = _differing_parts({**facts["parts"][EQUATIONS], **facts["parts"][START_VALUES]}, equation_parts(eom))
    if others:
        raise StorageError(
            f"The sweep was run with other equations, of system '{facts['system']}'; different: "
            f"{', '.join(others[:8])}{' …' if others[8:] else ''}.",
            code="sweep-equations-differ",
            where=store.where,
            cause=f"These are those of system '{eom.model.name}', or the model was changed.",
            remedy="Derive the equations of the same model.",
            parts=tuple(others),
        )
    _require_events(store, facts, events)


def _differing_parts(stored: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    """The names of parts that differ; sensors that only one of both has follow from the stored motion."""
    names = [name for name in {**stored, **given} if not name.startswith(SENSOR) or (name in stored and name in given)]
    return [name for name in names if stored.get(name) != given.get(name)]


def _require_events(store: Store, facts: Mapping[str, Any], events: Sequence[Event | Impact]) -> None:
    """The events must be those of the sweep; they need not be given where there were no impacts."""
    stored, given = facts["parts"]["events"], _event_digests(events)
    if stored != given and (given or facts["impacts"]):
        raise StorageError(
            "The sweep was run with other impacts or events.",
            code="sweep-events-differ",
            where=store.where,
            cause=f"Events of the sweep: {', '.join(stored) or 'none'}; events given: {', '.join(given) or 'none'}.",
            remedy="Give read_sweep its events, too: read_sweep(path, eom, events).",
        )
