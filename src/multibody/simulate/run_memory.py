"""The memory of a run in the compiled loop, by what it is about: fields of ``Run``, and arrays for it to point to."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.simulate.coefficients import Tableau
from multibody.simulate.contract import Vector, Watch
from multibody.simulate.problem import Native, Problem
from multibody.simulate.run_record import PROBES, QUIET


def address(array: Vector) -> int:
    """Where an array begins."""
    return int(array.__array_interface__["data"][0])


def of_problem(problem: Problem, project: bool) -> dict[str, int]:
    """The problem's arrays and functions; the address of a function that is not there is 0."""
    fields = {"size": problem.size, "width": _width(problem.size), "coordinates": problem.n, "speeds": problem.m}
    for name in ("t", "y", "rate", "projected", "gaps", "signals"):
        fields[f"bound_{name}"] = address(getattr(problem, name))
    functions = {"rhs": problem.rhs, "projection": problem.projection if project else None, "events": problem.events}
    for name, native in functions.items():
        fields |= dict(zip((f"{name}_at", f"{name}_ports", f"{name}_more"), native or Native(0, 0, 0), strict=True))
    return fields | {"plain": _has_plain_speeds(problem)}


def _has_plain_speeds(problem: Problem) -> bool:
    """Whether speeds are nothing but the rates of coordinates."""
    rates, speeds = problem.eom.rates, problem.eom.speeds
    return len(rates) == len(speeds) and all(a is b for a, b in zip(rates, speeds, strict=True))


def of_method(method: Tableau) -> dict[str, Any]:
    """The numbers of a method."""
    fields = {key: address(one) if isinstance(one, np.ndarray) else one for key, one in method._asdict().items()}
    return fields | {"rows": len(method.c), "estimates": len(method.E), "refinements": len(method.D)}


def for_steps(method: Tableau, y0: Vector) -> dict[str, Vector]:
    """Both ends of a step, and what is between them."""
    width = _width(len(y0))
    rows = {"y": 1, "new": 1, "point": 1, "last_y": 1, "last_rate": 1, "K": len(method.c), "F": 3 + len(method.D)}
    arrays = {name: np.zeros(count * width) for name, count in rows.items()}
    arrays["y"][: len(y0)] = y0
    return arrays


def _width(size: int) -> int:
    """The width of rows: the next multiple of eight."""
    return -(-size // 8) * 8


def for_events(watch: Watch, size: int) -> dict[str, Vector]:
    """What to watch, probes of it, and room for what is found."""
    count = len(watch.directions)
    room = 2 * PROBES * count  # twice what one step can find
    sizes = {"sides": count, "last_sides": count, "roots": count, "thetas": PROBES, "probes": PROBES * count}
    sizes |= {"hit_event": room, "hit_t": room}
    arrays = {name: np.zeros(one) for name, one in sizes.items()}
    arrays["directions"], arrays["stops"] = np.array(watch.directions, float), np.array(watch.stops, float)
    arrays["sides"][list(watch.quiet)] = QUIET
    return arrays | {"hit_y": np.empty((room, size))}
