"""Arguments and options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from multibody.cli.choices import FormalismName, SolverName, require_positive
from multibody.cli.sources import known_models


def library_names(incomplete: str) -> list[str]:
    """Library models whose names begin so; for the shell."""
    from multibody import library

    return [name for name in library.names() if name.startswith(incomplete)]


MAX_SAMPLES = 10_000_000
"""More would not fit into the memory of many a computer."""

ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        show_default=False,
        autocompletion=known_models,
        help="A library model such as crane_crab, or a file: model.yaml, robot.urdf (robot.urdf:floating if its root "
        "moves freely, robot.urdf:driven with efforts as inputs), script.py (script.py:name for one of several "
        "systems).",
    ),
]
LibraryName = Annotated[str, typer.Argument(metavar="[NAME]", autocompletion=library_names, help="A library model.")]
Formalism = Annotated[
    FormalismName | None,
    typer.Option("--formalism", "-F", case_sensitive=False, show_default=False,
                 help="How to derive the equations; by default the cheaper of the recursive ways."),
]  # fmt: skip
Parameters = Annotated[
    list[str] | None,
    typer.Option("--parameter", "-p", metavar="NAME=VALUE", show_default=False,
                 help="A parameter that is not its default: a number, or numbers such as 2*pi. Any number of times."),
]  # fmt: skip
Start = Annotated[
    list[str] | None,
    typer.Option("--start", "-s", metavar="NAME=VALUE", show_default=False,
                 help="Where a coordinate or speed starts. Loops are closed around it."),
]  # fmt: skip
Inputs = Annotated[
    list[str] | None,
    typer.Option("--input", "-i", metavar="NAME=EXPRESSION", show_default=False,
                 help="What an input does, by time t, coordinates, speeds, parameters and sensors: F='10*sin(t)'. "
                      "Zero without it."),
]  # fmt: skip


def _seconds(value: float | None) -> float | None:
    return None if value is None else require_positive(value, "--duration")


def duration_option(help_: str) -> Any:
    """The option for a duration in seconds, which is positive."""
    return typer.Option("--duration", "-d", metavar="SECONDS", callback=_seconds, show_default=False, help=help_)


Duration = Annotated[
    float, typer.Option("--duration", "-d", metavar="SECONDS", callback=_seconds, help="How long it runs.")
]
OptionalDuration = Annotated[float | None, duration_option("How long it runs.")]
Samples = Annotated[
    int, typer.Option("--samples", "-n", min=2, max=MAX_SAMPLES, help="How many instants are kept, evenly spaced.")
]
Solver = Annotated[
    SolverName | None,
    typer.Option("--solver", case_sensitive=False, show_default=False,
                 help="By default one is chosen by the stiffness of the equations."),
]  # fmt: skip
Rtol = Annotated[
    float | None, typer.Option("--rtol", show_default=False, help="Relative error of a step, such as 1e-10.")
]
Step = Annotated[
    float | None, typer.Option("--step", show_default=False, help="Length of the steps of rk4, euler and symplectic.")
]
Folder = Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where the files go.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Replace files that are there already.")]
At = Annotated[
    list[str] | None,
    typer.Option("--at", "-a", metavar="NAME=VALUE", show_default=False,
                 help="A value of a coordinate, speed or input; start values where nothing is given."),
]  # fmt: skip
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on standard output, for programs.")]
Debug = Annotated[bool, typer.Option("--debug", help="With an error, show Python's traceback, too.")]
