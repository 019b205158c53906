"""``multibody export``: code for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multibody.cli.answer import Answer, Grid
from multibody.cli.app import command
from multibody.cli.assigned import numbers
from multibody.cli.choices import TargetName
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.choices import target as target_of
from multibody.cli.options import Folder, Force, Formalism, ModelName, Parameters
from multibody.cli.sources import find_model
from multibody.graph.names import escape
from multibody.simulate.files import refuse

FATES = ("written", "replaced", "unchanged", "kept", "proposed")

Targets = Annotated[
    TargetName, typer.Argument(metavar="TARGET", case_sensitive=False, show_default=False,
                               help=f"One of: {', '.join(TargetName)}.")
]  # fmt: skip


@command("export", panel="Equations")
def export(
    model: ModelName, target: Targets, output: Folder = Path(), parameter: Parameters = None,
    formalism: Formalism = None, force: Force = False,
) -> Answer:  # fmt: skip
    """Write the equations of motion for another tool.

    Files that you have changed stay as they are, unless you say `--force`; a new text goes beside them, as `name.new`.

    Examples:
    - `multibody export crane_crab modelica -o out`
    - `multibody export robot.urdf c -o firmware/`
    - `multibody export four_bar fmu` writes an FMU that is ready to be used
    """
    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    values = numbers(parameter, "--parameter")
    if target is TargetName.FMU:
        from multibody.export import write_fmu

        path = output / f"{escape(eom.model.name, 'c')}.fmu"
        refuse(path, force)
        fates = {"written": [write_fmu(eom, path, parameters=values, overwrite=force)]}
    else:
        from multibody.export import export as exported

        found = exported(eom, target_of(target), output, parameters=values, overwrite=force)
        fates = {fate: list(getattr(found, fate)) for fate in FATES}
    data = {"model": source.name, "target": target.value, "folder": str(output),
            **{fate: [str(path) for path in fates.get(fate, ())] for fate in FATES}}  # fmt: skip
    rows = [[str(path), fate] for fate, paths in fates.items() for path in paths]
    return Answer(data, [Grid(["file", ""], sorted(rows))])
