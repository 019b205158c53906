"""What is known about a sweep before it begins: it tells whether a stored one is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import StorageError
from multibody.simulate.cases import Plan
from multibody.simulate.runner import Runner
from multibody.simulate.saturation import limits_of_inputs
from multibody.simulate.sweep_digest import digest, equations_digest, start_digest
from multibody.simulate.sweep_store import Store


def facts_of(runner: Runner, plan: Plan) -> dict[str, Any]:
    """Everything to read a sweep again, and a digest of each part of it."""
    limits = dict(limits_of_inputs(runner.eom))
    parts = {
        "equations": equations_digest(runner.eom),
        "start values or defaults of the model": start_digest(runner.eom),
        "parameters, initial values, cases or seed": digest(
            plan.kinds, plan.common, plan.names, plan.dimensions, plan.table
        ),
        "duration or times": digest(runner.times),
        "inputs": digest(runner.inputs or {}, *([limits] if limits else [])),
        "events": digest(runner.events),
        "fixed": digest(runner.fixed),
        "integrator": digest(runner.integrator),
        "measures": digest(runner.measures),
    }
    return {
        "parts": parts,
        "system": runner.eom.model.name,
        "integrator": repr(runner.integrator),
        "inputs": [one.name for one in runner.prepared.eom.inputs],
        "measures": list(runner.measures),
        "kinds": dict(plan.kinds),
        "common": dict(plan.common),
        "names": plan.names,
        "dimensions": plan.dimensions,
        "shape": plan.shape,
        "table": plan.table,
        "times": runner.times,
    }


def plan_of(facts: Mapping[str, Any]) -> Plan:
    """The plan of a stored sweep."""
    names, dimensions, shape = (tuple(facts[one]) for one in ("names", "dimensions", "shape"))
    return Plan(facts["kinds"], facts["common"], names, facts["table"], dimensions, shape)


@contextmanager
def opened(path: str | PathLike[str] | None, facts: Mapping[str, Any]) -> Iterator[Store]:
    """A store for a sweep: a new one, or that of the same sweep, to go on. Meanwhile nobody else can use it.

    Raises:
        StorageError: if there is something else.
    """
    store = Store(path)
    try:
        if store.empty:
            store.create(facts)
        else:
            _require_same(store, store.facts()["parts"], facts["parts"])
        store.reserve()
        yield store
        store.release()
    except BaseException:
        store.close()
        raise


def _require_same(store: Store, stored: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    other = [part for part, text in wanted.items() if stored.get(part) != text]
    if other:
        raise StorageError(
            f"The file holds another sweep; different: {'; '.join(other)}.",
            where=store.where,
            cause="The script was changed since it was stored.",
            remedy="Choose another path for the new sweep, or change back what is different to go on with the old one.",
        )


def require_equations(
    store: Store, facts: Mapping[str, Any], eom: EquationsOfMotion, moving: EquationsOfMotion
) -> None:  # fmt: skip
    """A stored sweep must be read with its own equations; ``moving`` are those with the inputs of contacts."""
    if facts["parts"]["equations"] != equations_digest(eom):
        raise StorageError(
            f"The sweep was run with other equations, of system '{facts['system']}'.",
            where=store.where,
            cause=f"These are those of system '{eom.model.name}', or the model was changed.",
            remedy="Derive the equations of the same model.",
        )
    if facts["inputs"] != [one.name for one in moving.inputs]:
        raise StorageError(
            "The sweep was run with other impacts.", where=store.where, remedy="Give read_sweep its events, too."
        )
