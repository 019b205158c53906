"""``multibody demo``: a library model, from its check to a page that moves."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import command
from multibody.cli.commands.simulate import run_code
from multibody.cli.exit_codes import ExitCode
from multibody.cli.options import Folder, LibraryName, OptionalDuration
from multibody.cli.outputs import write_run

BRIEF = {"andrews": 0.05, "n_four_bar": 5.0}
"""Seconds for models that show what they have to show in another time than usual."""

Listed = Annotated[bool, typer.Option("--list", "-l", help="List the models of the library, and stop.")]


@command("demo", panel="Models")
def demo(
    ctx: typer.Context, name: LibraryName = "crane_crab", duration: OptionalDuration = None,
    output: Folder = Path("out"), listed: Listed = False,
) -> Answer:  # fmt: skip
    """Run a library model: check its published numbers, simulate it, and write a page that moves into `out/`.

    Examples:
    - `multibody demo --list`
    - `multibody demo four_bar`
    """
    if listed:
        return _list()
    from multibody import library
    from multibody.formalisms import derive
    from multibody.simulation import simulate

    model = library.find(name)
    with ctx.obj.working(f"checking {name}"):
        numbers = model.check()
    with ctx.obj.working(f"simulating {name}"):
        eom = derive(model.build())
        run = simulate(eom, BRIEF.get(name, 10.0) if duration is None else duration, on_failure="return")
    with ctx.obj.working(f"writing {output}"):
        output.mkdir(parents=True, exist_ok=True)
        wanted = [output / f"{name}{suffix}" for suffix in (".html", ".csv")]
        files = [write_run(run, path, overwrite=True) for path in wanted]
    right = sum(number.ok for number in numbers)
    data = {"model": name, "title": model.title, "checks": len(numbers), "right": right, "status": run.status.name,
            "files": [str(path) for path in files]}  # fmt: skip
    shown = [
        f"{model.title}: {model.description}", f"{right} of {len(numbers)} published numbers are reproduced", str(run),
        f"open {files[0]} in a browser; the numbers are in {files[1]}",
    ]  # fmt: skip
    return Answer(data, shown, run_code(run) if right == len(numbers) else ExitCode.FINDING)


def _list() -> Answer:
    from multibody import library

    models = [library.find(name) for name in library.names()]
    data = {
        "models": [
            {"name": model.name, "title": model.title, "description": model.description, "source": model.source}
            for model in models
        ]
    }
    table = AnswerTable(["name", "what it is", "source"], [[model.name, model.title, model.source] for model in models])
    return Answer(data, [table, "multibody demo NAME runs one of them"])
