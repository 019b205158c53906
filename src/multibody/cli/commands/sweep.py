"""``multibody sweep``: many runs, with other values each time."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from multibody.cli.answer import Answer, AnswerTable, shown_number
from multibody.cli.app import command
from multibody.cli.assignments import (
    input_laws,
    pairs,
    require_parameters,
    require_quantities,
    spread,
    state_values,
)
from multibody.cli.choices import formalism as formalism_of, solver as solver_of
from multibody.cli.exit_codes import CommandError, ExitCode
from multibody.cli.options import Duration, Force, Formalism, Inputs, ModelName, Rtol, Samples, Solver, Step
from multibody.cli.outputs import require_writable
from multibody.cli.sources import find_model
from multibody.graph.names import element_name
from multibody.model.freeze.inertia_checks import possible_values
from multibody.simulation.results.recording import component
from multibody.support.files import atomic_file

if TYPE_CHECKING:
    from multibody.equations import EquationsOfMotion
    from multibody.simulation import Sweep, Trajectory

MAX_ROWS_SHOWN = 30
"""Runs in the table on the terminal."""

MEASURES: dict[str, Callable[[Any], Any]] = {
    "last": lambda values: values[-1], "min": np.min, "max": np.max, "mean": np.mean,
    "rms": lambda values: np.sqrt(np.mean(np.square(values))), "amax": lambda values: np.max(np.abs(values)),
}  # fmt: skip

Spread = Annotated[
    list[str] | None,
    typer.Option("--parameter", "-p", metavar="NAME=VALUES", show_default=False,
                 help="A number; a list 1,2,5; a range FROM:TO:COUNT; uniform(low,high) or normal(mean,deviation)."),
]  # fmt: skip
SpreadStart = Annotated[
    list[str] | None,
    typer.Option("--start", "-s", metavar="NAME=VALUES", show_default=False,
                 help="Where coordinates and speeds start, in the same way."),
]  # fmt: skip
Measures = Annotated[
    list[str] | None,
    typer.Option("--measure", "-m", metavar="KIND(NAME)", show_default=False,
                 help=f"What is kept of each run, such as max(angle); KIND is one of {', '.join(MEASURES)}. By default "
                      "the last value of each coordinate."),
]  # fmt: skip
Draws = Annotated[int, typer.Option(min=1, help="How many times values of distributions are drawn.")]
Seed = Annotated[int, typer.Option(help="Of the random values.")]
Workers = Annotated[int | None, typer.Option(min=1, show_default=False, help="Threads; all processors by default.")]
Stored = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", show_default=False,
                 help="Keep the runs in this file; a sweep that was stopped goes on from there."),
]  # fmt: skip
Csv = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", show_default=False, help="A .csv file with a row for each run."),
]


@command("sweep", panel="Motion")
def sweep(
    model: ModelName, duration: Duration = 10.0, parameter: Spread = None, start: SpreadStart = None,
    input_: Inputs = None, measure: Measures = None, draws: Draws = 1, seed: Seed = 0, samples: Samples = 101,
    solver: Solver = None, rtol: Rtol = None, step: Step = None, formalism: Formalism = None, workers: Workers = None,
    store: Stored = None, output: Csv = None, force: Force = False,
) -> Answer:  # fmt: skip
    """Run a model many times: over a grid of values, or with random ones.

    Exit code 4 if some runs failed; the table says which, and why.

    Examples:
    - `multibody sweep pendulum -d 2 -p length=0.5:2:7 -s angle=0.1,0.5,1 -m 'max(angle)'`
    - `multibody sweep my_crane.yaml -p 'm2=normal(1, 0.05)' --draws 100 -o runs.csv`
    """
    from multibody.simulation import sweep as swept

    require_writable([] if output is None else [output], force, (".csv",))
    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    initial = {name: spread(text, f"--start {name}") for name, text in pairs(start, "--start").items()}
    state_values(eom, initial)
    values = {name: spread(text, f"--parameter {name}") for name, text in pairs(parameter, "--parameter").items()}
    require_parameters(eom, values)
    possible_values(eom.model, {name: value for name, value in values.items() if isinstance(value, float)})
    runs = swept(
        eom, duration, parameters=values, initial=initial, inputs=input_laws(eom, input_), draws=draws,
        seed=seed, samples=samples, integrator=solver_of(solver, rtol, step), measures=_measures(eom, measure),
        workers=workers, path=store,
    )  # fmt: skip
    rows = _rows(runs)
    if output is not None:
        _write(rows, output, force)
    return Answer(_data(source.name, runs, output), _shown(runs, rows, output), _code(runs))


def _measures(eom: EquationsOfMotion, texts: list[str] | None) -> dict[str, Callable[[Trajectory], Any]]:
    """What is measured, by what was written."""
    wanted = texts or [f"last({coordinate.name})" for coordinate in eom.coordinates]
    return {text.strip(): _measure(text, eom) for text in wanted}


def _measure(text: str, eom: EquationsOfMotion) -> Callable[[Trajectory], Any]:
    """What is measured of a run; a name that no run will know is found out before the first one."""
    match = re.fullmatch(r"\s*(\w+)\s*\((.+)\)\s*", text)
    if match is None or match[1] not in MEASURES:
        raise CommandError(
            f"'{text}' is not a measure.", where="--measure",
            remedy=f"Write KIND(NAME), such as max(angle); KIND is one of {', '.join(MEASURES)}.",
            code="measure-invalid", value=text,
        )  # fmt: skip
    kind, name = MEASURES[match[1]], match[2].strip()
    require_quantities(eom, [name], "--measure")
    return lambda run: kind(run[name])


def _rows(runs: Sweep) -> list[list[Any]]:
    """A head, and a row for each run: what varies, how it went, what was measured."""
    varied, measured = runs.cases, dict(_columns(runs.measures))
    head = ["number", *varied, "status", *measured]
    columns = [range(len(runs)), *varied.values(), runs.status, *measured.values()]
    return [head, *(list(row) for row in zip(*columns, strict=True))]


def _columns(measures: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Measures of arrays, such as the last place of a point, as one column for each number."""
    for name, values in measures.items():
        for place in np.ndindex(np.shape(values)[1:]):
            yield element_name(name, place), component(values, place)


def _shown(runs: Sweep, rows: list[list[Any]], output: Path | None) -> list[str | AnswerTable]:
    head, *body = rows
    cells = [
        [value if isinstance(value, str) else shown_number(float(value)) for value in row]
        for row in body[:MAX_ROWS_SHOWN]
    ]
    title = f"the first {MAX_ROWS_SHOWN} of {len(body)} runs" if len(body) > MAX_ROWS_SHOWN else ""
    numeric = [place for place, name in enumerate(head) if name != "status"]
    return [str(runs), AnswerTable(head, cells, title, right=numeric), *([f"wrote {output}"] if output else [])]


def _data(name: str, runs: Sweep, output: Path | None) -> dict[str, Any]:
    failures = [
        {"number": failure.number, "values": failure.values, "message": failure.message} for failure in runs.failures
    ]
    return {
        "model": name, "system": runs.eom.model.name, "runs": len(runs), "dimensions": list(runs.dimensions),
        "shape": list(runs.shape), "complete": runs.complete, "cases": runs.cases, "status": runs.status,
        "measures": runs.measures, "failed": runs.failure_counts, "failures": failures,
        "files": [str(output)] if output else [],
    }  # fmt: skip


def _code(runs: Sweep) -> ExitCode:
    if not runs.complete:
        return ExitCode.INTERRUPTED
    return ExitCode.RUN if runs.failures else ExitCode.OK


def _write(rows: list[list[Any]], path: Path, overwrite: bool) -> None:
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    with atomic_file(path, overwrite) as stream:
        stream.write(text.getvalue().encode())
