"""``multibody bench``: how fast is it here? A few library models, from the description to ten seconds of motion."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import typer

from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import command
from multibody.cli.options import Duration
from multibody.compiler.disk_cache import VARIABLE

STATES = 50_000
"""How many states are evaluated in a call."""

MODELS = ("pendulum", "crane_crab", "four_bar", "heavy_top", "bicycle")

Several = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", show_default=False, help="Library models; five by default.")
]


@command("bench", panel="Models")
def bench(
    ctx: typer.Context, name: Several = None,
    duration: Duration = 10.0,
) -> Answer:  # fmt: skip
    """Measure this installation: derive, compile, evaluate and simulate a few library models.

    Compiled code is not taken from the cache. A second run is faster, because it is.

    Examples:
    - `multibody bench`
    - `multibody bench bicycle --json`
    """
    found = []
    with _no_cache():
        for model_name in name or MODELS:
            with ctx.obj.working(f"measuring {model_name}"):
                found.append(measured(model_name, duration))
    head = ["model", "speeds", "operations", "derive [ms]", "compile [ms]", "evaluate [µs]", "simulate [ms]"]
    rows = [
        [one["model"], str(one["speeds"]), str(one["operations"]), *(
            f"{factor * one[key]:.3g}" for key, factor in
            (("derive", 1e3), ("compile", 1e3), ("evaluate", 1e6), ("simulate", 1e3)))]
        for one in found
    ]  # fmt: skip
    return Answer({"duration": duration, "models": found}, [AnswerTable(head, rows, right=range(1, 7))])


def measured(name: str, duration: float) -> dict[str, Any]:
    """What one model takes, in seconds."""
    from multibody import library
    from multibody.formalisms import derive
    from multibody.simulation import simulate

    system = library.find(name).build()
    deriving, eom = _timed(lambda: derive(system))
    start = eom.consistent()
    inputs, parameters = [0.0] * len(eom.inputs), list(eom.model.parameter_values().values())

    def evaluate() -> Any:
        return eom.forward_dynamics(0.0, start.q, start.u, inputs, parameters)

    compiling, _ = _timed(evaluate)
    q, u = (np.broadcast_to(values, (STATES, len(values))) for values in (start.q, start.u))

    def many() -> Any:
        return eom.forward_dynamics.batch(0.0, q, u, inputs, parameters)

    evaluating = min(_timed(many)[0] for _ in range(5)) / STATES
    simulate(eom, duration / 100)  # what is compiled for all models is not counted for this one
    simulating, run = _timed(lambda: simulate(eom, duration))
    return {
        "model": name, "speeds": len(eom.speeds), "operations": sum(eom.forward_dynamics.operations.values()),
        "derive": deriving, "compile": compiling, "evaluate": evaluating, "simulate": simulating,
        "status": run.status.name,
    }  # fmt: skip


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    begun = perf_counter()
    result = work()
    return perf_counter() - begun, result


@contextmanager
def _no_cache() -> Iterator[None]:
    """Code is compiled anew, into a folder that goes away."""
    before = os.environ.get(VARIABLE)
    with tempfile.TemporaryDirectory(prefix="multibody-bench-") as folder:
        os.environ[VARIABLE] = folder
        try:
            yield
        finally:
            os.environ.pop(VARIABLE)
            if before is not None:
                os.environ[VARIABLE] = before
