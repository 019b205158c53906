"""``multibody new``: a model file to begin with."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from multibody.cli import starters
from multibody.cli.answer import Answer
from multibody.cli.app import command
from multibody.cli.exit_codes import CommandError, on_command_line
from multibody.cli.sources import PYTHON, YAML, known_models
from multibody.errors import StorageError
from multibody.graph.names import check as check_name
from multibody.support.files import atomic_file

Origin = Annotated[
    str | None,
    typer.Option("--from", metavar="MODEL", show_default=False, autocompletion=known_models,
                 help="Begin with this library model, robot.urdf or model.yaml instead of a pendulum."),
]  # fmt: skip
Empty = Annotated[bool, typer.Option("--empty", help="Nothing but the name and gravity.")]
File = Annotated[
    Path | None, typer.Argument(metavar="[FILE]", show_default=False, help="Where to; NAME.yaml by default.")
]
Name = Annotated[
    str,
    typer.Argument(metavar="NAME", show_default=False,
                   help="Of the system; or of the file, such as crane.yaml or crane.py."),
]  # fmt: skip


@command("new", panel="Models")
def new(name: Name, file: File = None, origin: Origin = None, empty: Empty = False) -> Answer:
    """Write a model file to begin with, with comments that explain it. A file that is there is never replaced.

    Examples:
    - `multibody new crane.yaml`
    - `multibody new crane crane_model.py`
    - `multibody new my_linkage.yaml --from four_bar`
    - `multibody new my_robot.yaml --from robot.urdf`
    """
    if origin is not None and empty:
        raise CommandError(
            "--from and --empty contradict each other.", remedy="Give one of them.", code="options-contradict"
        )
    suffixes = (*YAML, *PYTHON)
    path = file or Path(name if name.lower().endswith(suffixes) else f"{name}.yaml")
    if path.suffix.lower() not in suffixes:
        raise CommandError(
            f"'{path}' is not a model file.",
            where="FILE",
            remedy=f"Let it end in {', '.join(suffixes)}.",
            code="file-format-unknown",
        )
    with on_command_line("NAME"):
        title = check_name(Path(name).stem if name.lower().endswith(suffixes) else name, "system")
    text = starters.text(title, path, origin, empty=empty)
    if path.exists():
        raise StorageError(
            "The file exists already.", where=str(path), remedy="Choose another name, or remove it.", code="file-exists"
        )
    with atomic_file(path, overwrite=False) as stream:
        stream.write(text.encode())
    steps = [f"multibody {verb} {quote(str(path))}" for verb in ("check", "derive", "simulate", "show")]
    data = {"file": str(path), "system": title, "from": origin or ""}
    return Answer(data, [f"wrote {path}", "next:\n  " + "\n  ".join(steps)])
