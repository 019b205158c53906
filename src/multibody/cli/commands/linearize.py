"""``multibody linearize``: the linear system near an operating point."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.answer import Answer
from multibody.cli.app import command
from multibody.cli.assignments import at_values, parameter_values
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.options import At, Force, Formalism, ModelName, Parameters
from multibody.cli.outputs import require_writable
from multibody.cli.sources import find_model

if TYPE_CHECKING:
    from multibody.linearization import LinearSystem
    from multibody.linearization.spectra.controllability import Reach

Csv = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", show_default=False, help="A .csv file for [A B; C D]."),
]
Balanced = Annotated[
    bool, typer.Option("--equilibrium", "-e", help="Find an equilibrium near these values first, and take that.")
]


@command("linearize", panel="Small motions")
def linearize(
    model: ModelName, at: At = None, parameter: Parameters = None, equilibrium: Balanced = False,
    formalism: Formalism = None, output: Csv = None, force: Force = False,
) -> Answer:  # fmt: skip
    """The linear system near an operating point: matrices with names, poles, modes.

    Examples:
    - `multibody linearize cart_pole`
    - `multibody linearize crane_crab --at RotPendulum=0 -o crane.csv`
    - `multibody linearize pendulum --at angle=3 --equilibrium --json`
    """
    from multibody.linearization import equilibrium as equilibrium_of, linearize as linearized

    files = [] if output is None else [output]
    require_writable(files, force, (".csv",))
    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    values, parameters = at_values(eom, at), parameter_values(eom, parameter)
    if equilibrium:
        lin = linearized(eom, equilibrium_of(eom, at=values, parameters=parameters))
    else:
        lin = linearized(eom, values, parameters=parameters)
    for path in files:
        lin.to_csv(path, overwrite=force)
    written = [str(path) for path in files]
    data = {"model": source.name, "point": point_values(lin.point), **linear_data(lin), "files": written}
    unsteady = (
        [] if lin.steady else ["the mechanism does not stay at this point; --equilibrium finds one where it does"]
    )
    shown = [f"at {lin.point}", str(lin), _verdict(lin), *unsteady, *(f"wrote {path}" for path in written)]
    return Answer(data, shown)


def point_values(point: Any) -> dict[str, float]:
    """Coordinates, speeds and inputs by name."""
    model = point.model
    symbols = (*model.coordinates, *model.speeds, *model.input_symbols)
    return {symbol.name: float(value) for symbol, value in zip(symbols, (*point.q, *point.u, *point.r), strict=True)}


def linear_data(lin: LinearSystem) -> dict[str, Any]:
    """A linear system for programs; complex numbers are pairs."""
    modes = [
        {"pole": mode.pole, "frequency": mode.frequency, "damping": mode.damping, "participation": mode.participation}
        for mode in lin.modes
    ]
    return {
        "states": list(lin.states), "inputs": list(lin.inputs), "outputs": list(lin.outputs),
        "A": lin.A, "B": lin.B, "C": lin.C, "D": lin.D, "poles": lin.poles, "modes": modes,
        "stable": lin.stable, "stability": lin.stability,
        "controllable": lin.controllability.complete, "observable": lin.observability.complete,
    }  # fmt: skip


def _verdict(lin: LinearSystem) -> str:
    stable = "all modes decay" if lin.stable else f"not all modes decay ({lin.stability})"
    return f"{stable}; {_reach_text(lin.controllability)}; {_reach_text(lin.observability)}"


def _reach_text(judged: Reach) -> str:
    if judged.complete:
        return f"all are {judged.what}"
    undecided = len(judged.undecided) and not len(judged.missing)
    return f"whether all are {judged.what} is undecided" if undecided else f"not all are {judged.what}"
