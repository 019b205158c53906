"""``multibody simulate``: move a mechanism through time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from multibody.cli.answer import Answer, AnswerTable, shown_number
from multibody.cli.app import command
from multibody.cli.assignments import input_laws, numbers, pairs, parameter_values, require_quantities, state_values
from multibody.cli.choices import formalism as formalism_of, solver as solver_of
from multibody.cli.exit_codes import CommandError, ExitCode
from multibody.cli.options import (
    Duration,
    Force,
    Formalism,
    Inputs,
    ModelName,
    Parameters,
    Rtol,
    Samples,
    Solver,
    Start,
    Step,
)  # fmt: skip
from multibody.cli.outputs import require_writable, write_run
from multibody.cli.sources import NamedModel, find_model
from multibody.graph.names import element_name
from multibody.simulation.results.recording import split
from multibody.simulation.single_run import simulate as simulated

if TYPE_CHECKING:
    from multibody.equations import EquationsOfMotion
    from multibody.simulation import Trajectory

MAX_ROWS_SHOWN = 40
"""Quantities in the table of a run; larger models show their coordinates, speeds and sensors up to here."""

Files = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", metavar="FILE", show_default=False,
                 help="A file to write, by its suffix: .csv .npz .parquet (numbers), .png .svg .pdf (curves), .html "
                      "(a page that moves), .mp4 .gif .glb (animations). Any number of times."),
]  # fmt: skip
Plots = Annotated[
    list[str] | None,
    typer.Option("--plot", metavar="NAME", show_default=False,
                 help="A quantity for the curves, and for the values of --json; by default coordinates, speeds and "
                      "energies."),
]  # fmt: skip


@command("simulate", panel="Motion")
def simulate(
    model: ModelName, duration: Duration = 10.0, parameter: Parameters = None, start: Start = None,
    input_: Inputs = None, samples: Samples = 501, solver: Solver = None, rtol: Rtol = None, step: Step = None,
    formalism: Formalism = None, output: Files = None, plot: Plots = None, force: Force = False,
) -> Answer:  # fmt: skip
    """Move a mechanism through time: a summary on the terminal, numbers, curves and films in files.

    Exit code 4 if the run did not come to its end; what it reached is written all the same.

    Examples:
    - `multibody simulate pendulum -d 5 --start angle=pi/3`
    - `multibody simulate crane_crab -i F='40*(3 - TransCrab)' -o run.csv -o run.html`
    - `multibody simulate my_crane.yaml -p m1=12 --plot swing -o swing.png`
    """
    require_writable(output or (), force)
    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    require_quantities(eom, plot or (), "--plot")
    require_drives(source, eom, input_ or ())
    run = run_model(eom, duration, parameter, start, input_, samples=samples, integrator=solver_of(solver, rtol, step))
    files = [write_run(run, path, tuple(plot or ()), overwrite=force) for path in output or ()]
    data = {"model": source.name, **run_data(run, tuple(plot or ())), "files": [str(path) for path in files]}
    written = ["\n".join(f"wrote {path}" for path in files)] if files else []
    return Answer(data, [str(run), _table(run), *written], run_code(run))


def require_drives(source: NamedModel, eom: EquationsOfMotion, inputs: Iterable[str]) -> None:
    """An error that says how a robot gets inputs, if it has none and some are given."""
    given = pairs(inputs, "--input")
    if source.kind == "urdf" and given and not eom.inputs:
        raise CommandError(
            f"There is no input '{next(iter(given))}'.",
            where=f"--input, robot {source.name}",
            cause="The joints of the robot are not driven.",
            remedy=f"Write {source.name}{',' if ':' in Path(source.name).name else ':'}driven as the model; "
            "the inputs are called after the joints, such as elbow_effort.",
            code="name-unknown",
            name=next(iter(given)),
        )


def run_model(
    eom: EquationsOfMotion, duration: float, parameter: list[str] | None = None, start: list[str] | None = None,
    inputs: list[str] | None = None, **options: Any,
) -> Trajectory:  # fmt: skip
    """A run, from what stands on the command line."""
    q, u = state_values(eom, numbers(start, "--start"))
    return simulated(
        eom, duration, q=q or None, u=u or None, parameters=parameter_values(eom, parameter) or None,
        inputs=input_laws(eom, inputs) or None, on_failure="return", **options,
    )  # fmt: skip


def run_code(run: Trajectory) -> ExitCode:
    """The exit code that a run deserves."""
    if run.status.name == "INTERRUPTED":
        return ExitCode.INTERRUPTED
    return ExitCode.OK if run.status.ok else ExitCode.RUN


def run_data(run: Trajectory, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """A run for programs: how it went, and values over time; by default those of states, inputs and sensors."""
    statistics = run.statistics
    kinds = ("coordinate", "speed", "input", "sensor")
    wanted = names or tuple(name for name, quantity in run.quantities.items() if quantity.kind in kinds)
    return {
        "system": run.eom.model.name, "formalism": run.eom.formalism, "status": run.status.name,
        "message": run.message, "integrator": statistics.integrator, "steps": statistics.steps,
        "evaluations": statistics.evaluations, "seconds": statistics.seconds, "samples": statistics.samples,
        "energy_drift": statistics.energy_drift, "constraint_residual": statistics.constraint_residual,
        "parameters": dict(run.parameters), "start_changes": [change._asdict() for change in run.start_changes],
        "limit_violations": [violation._asdict() for violation in run.limit_violations],
        "saturations": [saturation._asdict() for saturation in run.saturations],
        "table_exits": [table_exit._asdict() for table_exit in run.table_exits],
        "events": [{"name": occurrence.name, "t": occurrence.t} for occurrence in run.occurrences],
        "units": {name: run.quantities[split(name, run.quantities)[0]].unit for name in wanted},
        "t": run.t, "values": {name: run[name] for name in wanted},
    }  # fmt: skip


def _table(run: Trajectory) -> AnswerTable:
    """The range of everything that the user has named."""
    wanted = [
        (name, quantity)
        for name, quantity in run.quantities.items()
        if quantity.kind in ("coordinate", "speed", "sensor")
    ]
    named = [
        (element_name(name, place), quantity.unit)
        for name, quantity in wanted
        for place in np.ndindex(run[name].shape[1:])
    ]
    rows = []
    for name, unit in named[:MAX_ROWS_SHOWN]:
        values = run[name]
        cells = (values[0], values[-1], values.min(), values.max())
        rows.append([name, unit, *(shown_number(float(value)) for value in cells)])
    title = f"the first {MAX_ROWS_SHOWN} of {len(named)} quantities" if len(named) > MAX_ROWS_SHOWN else ""
    return AnswerTable(["quantity", "unit", "start", "end", "smallest", "largest"], rows, title, right=(2, 3, 4, 5))
