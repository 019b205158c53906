"""``multibody show``: the model in the browser."""

from __future__ import annotations

from typing import Annotated

import typer

from multibody.cli.answer import Answer
from multibody.cli.app import command
from multibody.cli.assignments import parameter_values
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.commands.simulate import run_model
from multibody.cli.options import Formalism, Inputs, ModelName, Parameters, Start, duration_option
from multibody.cli.sources import find_model

Length = Annotated[float | None, duration_option("Simulate for so long first, and play the run.")]


@command("show", panel="Motion")
def show(
    ctx: typer.Context, model: ModelName, duration: Length = None, parameter: Parameters = None, start: Start = None,
    input_: Inputs = None, formalism: Formalism = None,
    host: Annotated[str, typer.Option(help="The address to listen at; others see the page only if you change it.")]
    = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The first port to try.")] = 8080,
    browser: Annotated[bool, typer.Option(help="Whether the page is opened.")] = True,
) -> Answer:  # fmt: skip
    """Show a model in the browser, with sliders, plots, forces and a play button, until Ctrl-C.

    Examples:
    - `multibody show robot.urdf`
    - `multibody show crane_crab --duration 10 --input F=5`
    """
    from multibody.view import show as shown

    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    run = None if duration is None else run_model(eom, duration, parameter, start, input_)
    parameters = None if run is not None else parameter_values(eom, parameter)
    with shown(eom, run, parameters=parameters, host=host, port=port, browser=browser, block=False) as viewer:
        data = {"model": source.name, "system": eom.model.name, "url": viewer.url}
        ctx.obj.present(Answer(data, [f"{source.name} is at {viewer.url} until Ctrl-C"]))
        ctx.obj.out.file.flush()
        viewer.wait()
    raise typer.Exit
