"""The memory of a run in the compiled loop, by what it is about: fields of its record, and arrays to point to."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from multibody.compiler.calls import MovablePorts
from multibody.simulation.contract import Vector, Watch
from multibody.simulation.events.search_constants import FINER
from multibody.simulation.integrators.butcher_tableaus import ROSENBROCK, Tableau
from multibody.simulation.kernel.run_record import PAUSE, PROBES, QUIET, RunRecord
from multibody.simulation.problem.problem import Native, Problem


def address(array: Vector) -> int:
    """Where an array begins."""
    return int(array.__array_interface__["data"][0])


FITTED_ROWS = 2
"""Rows of the dense output that follow from the rates at both ends, but for those of implicit methods."""

CACHE_LINE = 8
"""Numbers in a line of the cache: memory begins with one."""

GUARD = 8
"""Numbers between two arrays of a run, which stay zero: what is written beyond the end of an array is seen there."""


class GuardedMemory:
    """Arrays of zeros, one after the other in one piece of memory, with guards between them.

    Args:
        places: where each of them is, by name, in their order.

    Attributes:
        addresses: where they begin, by name.
    """

    def __init__(self, places: Mapping[str, slice]) -> None:
        memory = np.zeros(max(place.stop for place in places.values()) + GUARD + CACHE_LINE)
        self._memory = memory[-(address(memory) // 8) % CACHE_LINE :]
        self._places = places
        first = address(self._memory)
        self.addresses = {name: first + 8 * place.start for name, place in self._places.items()}

    def __getitem__(self, name: str) -> Vector:
        return self._memory[self._places[name]]

    def clear(self) -> None:
        """Make all numbers zero."""
        self._memory.fill(0.0)

    def overrun(self) -> tuple[str, ...]:
        """The arrays beyond whose ends something was written; for tests of compiled loops."""
        guards = {name: self._memory[place.stop : place.stop + GUARD] for name, place in self._places.items()}
        return tuple(name for name, guard in guards.items() if guard.any())


class RunMemory(GuardedMemory):
    """The arrays of a run, and the ends of steps.

    Args:
        places: where each of them is, by name, in their order.
        size: number of entries of a state.

    Attributes:
        step_t: times of the ends of steps.
        step_y: states there.
    """

    def __init__(self, places: Mapping[str, slice], size: int) -> None:
        super().__init__(places)
        self.step_t, self.step_y = np.empty(PAUSE + 1), np.empty((PAUSE + 1, size))


def begun(problem: Problem, method: Tableau, project: bool, events: int) -> tuple[RunRecord, RunMemory]:
    """A run of a problem by a method, with all that is known before it begins, and its memory; both serve again."""
    known, key = problem.native_fields, (id(method), project, events)
    if key not in known:
        memory = RunMemory(layout(method, problem.size, events), problem.size)
        fields = of_problem(problem, project) | of_jacobian(problem, method) | of_method(method)
        known[key] = RunRecord(**fields, **memory.addresses), memory, method
    first, memory, _ = known[key]
    memory.clear()
    return RunRecord.from_buffer_copy(first), memory


def of_problem(problem: Problem, project: bool) -> dict[str, int]:
    """The problem's arrays and functions; the address of a function that is not there is 0."""
    fields = {"size": problem.size, "width": _width(problem.size), "coordinates": problem.n, "speeds": problem.m}
    fields["works"] = problem.functions.counted_works
    for name in ("t", "y", "rate", "projected", "gaps", "signals"):
        fields[f"bound_{name}"] = address(getattr(problem, name))
    functions = {"projection": problem.projection if project else None, "events": problem.events}
    for name, native in functions.items():
        fields |= dict(zip((f"{name}_at", f"{name}_ports", f"{name}_more"), native or Native(0, 0, 0), strict=True))
    fields |= _rhs_fields(problem.rhs, problem.movable if problem.law is None else None)
    fields |= {f"other_{name}": value for name, value in _rhs_fields(*problem.other_rhs).items()}
    fields |= {"nodes": address(PROBE_NODES), "weights": address(PROBE_WEIGHTS)}
    fields["finer_weights"] = address(FINER_WEIGHTS)
    switchable = fields["projection_at"] != 0 and problem.functions.has_regularized and not problem.stays_regularized
    return fields | {
        "plain": _has_plain_speeds(problem), "switchable": switchable, "regularized": problem.regularized,
    }  # fmt: skip


def _rhs_fields(native: Native, movable: MovablePorts | None) -> dict[str, int]:
    """A right-hand side, and the places of the addresses that it reads and writes; 0 if they cannot be moved."""
    fields = dict(zip(("rhs_at", "rhs_ports", "rhs_more"), native, strict=True))
    places = {f"port_{name}": 0 if movable is None else movable.place(name) for name in ("q", "u", "rate")}
    return fields | places | ({} if movable is None else {"rhs_ports": movable.address})


def _has_plain_speeds(problem: Problem) -> bool:
    """Whether speeds are nothing but the rates of coordinates."""
    rates, speeds = problem.eom.rates, problem.eom.speeds
    return len(rates) == len(speeds) and all(a is b for a, b in zip(rates, speeds, strict=True))


@cache
def of_method(method: Tableau) -> dict[str, Any]:
    """The numbers of a method."""
    fields = {key: address(one) if isinstance(one, np.ndarray) else one for key, one in vars(method).items()}
    refinements = len(method.D) - (FITTED_ROWS if method.kind == ROSENBROCK else 0)
    return fields | {"rows": len(method.c), "estimates": len(method.E), "refinements": refinements}


def of_jacobian(problem: Problem, method: Tableau) -> dict[str, int]:
    """The Jacobian for implicit methods; without an address where it is taken by differences."""
    if method.kind != ROSENBROCK:
        return {}
    fields = {"bound_slopes": address(problem.slopes), "timed": problem.law is not None or problem.functions.timed}
    exact = problem.law is None and problem.functions.derives_exactly
    native = problem.jacobian if exact else Native(0, 0, 0)
    return fields | dict(zip(("jacobian_at", "jacobian_ports", "jacobian_more"), native, strict=True))


@lru_cache(64)
def layout(method: Tableau, size: int, events: int) -> dict[str, slice]:
    """The places of all arrays of a run, for states of a size and a number of events."""
    return guarded_places(_for_steps(method, size) | _for_events(events, size))


def guarded_places(sizes: Mapping[str, int]) -> dict[str, slice]:
    """The places of arrays of these sizes, with guards between them."""
    ends = accumulate((count + GUARD for count in sizes.values()), initial=0)
    return {name: slice(first, last - GUARD) for name, (first, last) in zip(sizes, pairwise(ends), strict=True)}


def _for_steps(method: Tableau, size: int) -> dict[str, int]:
    """The sizes of arrays for both ends of a step, and what is between them."""
    rows = {"y": 1, "new": 1, "point": 1, "last_y": 1, "last_rate": 1, "K": len(method.c), "F": 3 + len(method.D)}
    rows |= {"floors": 1, "scales": 1, "noises": 1}
    sizes = {name: count * _width(size) for name, count in rows.items()}
    return sizes | ({"matrix": size * size, "pivots": size, "drift": _width(size)} if method.kind == ROSENBROCK else {})


def _width(size: int) -> int:
    """The width of rows: the next multiple of eight."""
    return -(-size // 8) * 8


def _for_events(count: int, size: int) -> dict[str, int]:
    """The sizes of arrays for what to watch, probes of it, and what is found: twice what one step can find."""
    hits = 2 * PROBES * count
    each = (
        "directions stops sides last_sides roots touches returns roundings later_roundings signal_scales armed".split()
    )
    sizes = dict.fromkeys(each, count)
    return sizes | {"thetas": PROBES, "probes": PROBES * count, "hit_event": hits, "hit_t": hits, "hit_y": hits * size}


def mark_events(memory: RunMemory, watch: Watch) -> None:
    """What to watch."""
    memory["directions"][:], memory["stops"][:] = watch.directions, watch.stops
    memory["sides"][: len(watch.sides)] = watch.sides
    memory["sides"][list(watch.quiet)] = QUIET
    memory["touches"][: len(watch.touches)] = watch.touches
    memory["returns"][: len(watch.returns)] = watch.returns


def finer_places(nodes: Vector) -> Vector:
    """Places between each node and the next one, a row for each pair."""
    return np.asarray(nodes[:-1, None] + np.outer(np.diff(nodes), np.arange(1, FINER + 1)) / (FINER + 1))


def _polynomial_weights(nodes: Vector, at: Vector) -> Vector:
    """Weights of values at nodes, in columns, for values of the polynomial through them at other places, in rows."""
    weights = np.ones((len(at), len(nodes)))
    for k, node in enumerate(nodes):
        others = np.delete(nodes, k)
        weights[:, k] = np.prod((at[:, None] - others) / (node - others), axis=1)
    return weights


PROBE_NODES = np.array([0.0, 0.1173, 0.2391, 0.3807, 0.5033, 0.6264, 0.7549, 0.8778, 1.0])
"""Where an interval is probed: uneven, so that no oscillation is seen at the same phase everywhere."""

PROBE_WEIGHTS = _polynomial_weights(PROBE_NODES[0::2], PROBE_NODES[1::2])
"""For values at every other node, the second one first, from those at the nodes between them."""

FINER_WEIGHTS = _polynomial_weights(PROBE_NODES, finer_places(PROBE_NODES).ravel())
"""For values at ``finer_places`` between all nodes, from those at all nodes."""
