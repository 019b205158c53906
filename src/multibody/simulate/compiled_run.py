"""From an integrator's options to the compiled loop, and from its memory to a segment."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from multibody.errors import NumberError
from multibody.simulate.coefficients import Tableau
from multibody.simulate.contract import Integrator, Occurrence, Segment, Status, Vector, Watch
from multibody.simulate.problem import Native, Problem

STATUS = (
    Status.INTERRUPTED, Status.DONE, Status.EVENT, Status.STEP_TOO_SMALL, Status.NOT_FINITE, Status.TOO_MANY_STEPS,
    Status.CONSTRAINTS_LOST, Status.SOLVER_FAILED,
)  # fmt: skip
"""What the loop's answers mean; a pause that is not followed by more is an interruption."""

STIFF = "Stability, not accuracy, limits the steps: the problem looks stiff."


@dataclass(frozen=True)
class Stepping:
    """How long steps are: all the same, or as errors allow if ``step`` is 0."""

    step: float = 0.0
    rtol: float = 0.0
    atol: float = 0.0
    max_step: float = np.inf


@dataclass(frozen=True, kw_only=True)
class CompiledIntegrator(Integrator):
    """What integrators in compiled loops share.

    Attributes:
        max_steps: tries, good or not, after which a segment is given up.
        project: whether the state is brought back onto the constraints after every step.
        gap: how far positions and velocities may be off the constraints, in their own units.
        every_step: samples are the ends of all steps, instead of the given times.
    """

    max_steps: int = 1_000_000
    project: bool = True
    gap: float = 1e-10
    every_step: bool = False

    def __post_init__(self) -> None:
        require_positive(self, "max_steps", "gap")

    @property
    @abstractmethod
    def method(self) -> Tableau:
        """The numbers of the method."""

    @property
    @abstractmethod
    def stepping(self) -> Stepping:
        """How long its steps are."""

    def run(self, problem: Problem, t0: float, y0: Vector, times: Vector, step: float, watch: Watch) -> Segment:
        """From (t0, y0) to the last of the times; see ``Integrator``."""
        return _Loop(self, problem, t0, y0, _checked(times, t0), step, watch).segment()


def require_positive(integrator: CompiledIntegrator, *names: str) -> None:
    """Options that make no sense otherwise."""
    for name in names:
        value = getattr(integrator, name)
        if not value > 0:
            raise NumberError(
                f"'{name}' is {value!r}.",
                where=f"integrator {type(integrator).__name__}",
                remedy="Give a number greater than zero.",
            )


def _checked(times: Vector, t0: float) -> Vector:
    times = np.ascontiguousarray(times, dtype=float)
    if times.ndim != 1 or not len(times) or not np.isfinite(times).all() or (np.diff(times, prepend=t0) < 0).any():
        raise NumberError(
            "The times of the samples do not increase from the start.",
            where=f"a run from t = {t0}",
            remedy="Give at least one time, none of them before the start, sorted.",
        )
    return times


class _Loop:
    """A run in the compiled loop: its memory, and what has been carried away from it."""

    def __init__(
        self, integrator: CompiledIntegrator, problem: Problem, t0: float, y0: Vector, times: Vector, step: float,
        watch: Watch,
    ) -> None:  # fmt: skip
        from multibody.simulate.advance import PAUSE, RUN, advance

        self._advance = advance
        self._problem = problem  # its machine code must live as long as this
        stepping = integrator.stepping
        self._fields: dict[str, Any] = {
            **_of_problem(problem, integrator.project), **_of_method(integrator.method),
            **_of_step(integrator.method, y0), **_of_watch(watch, problem.size),
            "end": times[-1], "rtol": stepping.rtol, "atol": stepping.atol, "fixed": stepping.step,
            "max_step": stepping.max_step, "max_steps": integrator.max_steps, "gap": integrator.gap,
            "start": t0, "t": t0, "step": stepping.step or step, "error": 1e-4,
        }  # fmt: skip
        if integrator.every_step:
            self._fields |= {"every_step": 1, **_samples(np.empty(PAUSE), problem.size)}
        else:
            self._fields |= {"wanted": len(times), **_samples(times, problem.size)}
            self._fields["samples"] = known = int(np.searchsorted(times, t0, side="right"))
            self._fields["sample_y"][:known] = y0
        self._run = np.zeros(1, dtype=RUN)
        for name, value in self._fields.items():
            self._run[name] = value.ctypes.data if isinstance(value, np.ndarray) else value
        self._parts: list[tuple[Vector, Vector]] = []
        self._occurrences: list[Occurrence] = []

    def __getitem__(self, name: str) -> Any:
        return self._run[name][0].item()

    def segment(self) -> Segment:
        """Run to the end, or as far as it goes."""
        try:
            while self["code"] == 0:
                self._advance(self._run)
                self._carry_away()
        except KeyboardInterrupt:
            self._run["code"] = 0
            self._carry_away()
        return self._result()

    def _carry_away(self) -> None:
        """Take what the loop has found, so that there is room for more."""
        fields, hits = self._fields, self["hits"]
        self._run["hits"] = 0
        found = zip(fields["hit_event"][:hits], fields["hit_t"][:hits], fields["hit_y"][:hits], strict=True)
        self._occurrences += [Occurrence(int(event), float(t), y.copy()) for event, t, y in found]
        if self["every_step"]:
            rows = self["samples"]
            self._run["samples"] = 0
            self._parts.append((fields["sample_t"][:rows].copy(), fields["sample_y"][:rows].copy()))

    def _result(self) -> Segment:
        rows = self["samples"]
        parts = self._parts if self["every_step"] else [(self._fields["sample_t"][:rows], self._fields["sample_y"][:rows])]
        return Segment(
            np.concatenate([t for t, _ in parts]), np.concatenate([y for _, y in parts]), STATUS[self["code"]],
            self["t"], self._fields["y"], self["step"], self._occurrences, self["steps"], self["rejected"],
            self["evaluations"], message=STIFF if self["stiff"] > 0.5 * self["steps"] > 50 else "",
        )  # fmt: skip


# the fields of the loop's record, by what they are about; arrays stand for their addresses -------------------------------


def _of_problem(problem: Problem, project: bool) -> dict[str, Any]:
    functions = {"rhs": problem.rhs, "projection": problem.projection if project else None, "events": problem.events}
    names = ("t", "y", "rate", "projected", "gaps", "signals")
    fields = {f"bound_{name}": getattr(problem, name) for name in names}
    for name, native in functions.items():
        fields |= dict(zip((f"{name}_at", f"{name}_ports", f"{name}_more"), native or Native(0, 0, 0), strict=True))
    rates, speeds = problem.eom.rates, problem.eom.speeds
    plain = len(rates) == len(speeds) and all(a is b for a, b in zip(rates, speeds, strict=True))
    return {**fields, "size": problem.size, "coordinates": problem.n, "speeds": problem.m, "plain": plain}


def _of_method(method: Tableau) -> dict[str, Any]:
    counts = {"rows": len(method.c), "estimates": len(method.E), "refinements": len(method.D)}
    return {**method._asdict(), **counts}


def _of_step(method: Tableau, y0: Vector) -> dict[str, Any]:
    rates, polynomial = (np.zeros((rows, len(y0))) for rows in (len(method.c), 3 + len(method.D)))
    return {"y": np.array(y0, dtype=float), "new": np.zeros(len(y0)), "point": np.zeros(len(y0)), "K": rates, "F": polynomial}


def _of_watch(watch: Watch, size: int) -> dict[str, Any]:
    from multibody.simulate.event_probes import PROBES, QUIET

    count = len(watch.directions)
    room = 2 * PROBES * count
    sides = np.zeros(count)
    sides[list(watch.quiet)] = QUIET
    return {
        "events": count, "directions": np.array(watch.directions, float), "stops": np.array(watch.stops, float),
        "sides": sides, "thetas": np.zeros(PROBES), "probes": np.zeros((PROBES, count)), "roots": np.zeros(count),
        "tolerance": watch.tolerance, "room": room, "hit_event": np.empty(room), "hit_t": np.empty(room),
        "hit_y": np.empty((room, size)),
    }  # fmt: skip


def _samples(t: Vector, size: int) -> dict[str, Any]:
    return {"sample_t": t, "sample_y": np.empty((len(t), size))}
