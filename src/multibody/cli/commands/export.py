"""``multibody export``: code for other tools."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import command
from multibody.cli.assignments import parameter_values
from multibody.cli.choices import TargetName, formalism as formalism_of, target as target_of
from multibody.cli.exit_codes import CommandError
from multibody.cli.options import Folder, Force, Formalism, ModelName, Parameters
from multibody.cli.sources import find_model
from multibody.graph.names import escape
from multibody.support.files import refuse_existing

if TYPE_CHECKING:
    from multibody.codegen import Target

FATES = ("written", "replaced", "unchanged", "kept", "proposed")

Targets = Annotated[
    TargetName, typer.Argument(metavar="TARGET", case_sensitive=False, show_default=False,
                               help=f"One of: {', '.join(TargetName)}.")
]  # fmt: skip
Platforms = Annotated[
    list[str] | None,
    typer.Option("--platform", metavar="NAME", show_default=False,
                 help="For fmu and c: compile for this platform, such as x86_64-windows or aarch64-darwin, or all. Any "
                      "number of times; needs the extra 'cross'.")
]  # fmt: skip
Jacobians = Annotated[
    bool, typer.Option("--jacobians", help="Write derivatives by states and inputs, too (languages with functions).")
]


@command("export", panel="Equations")
def export(
    model: ModelName, target: Targets, output: Folder = Path(), parameter: Parameters = None,
    formalism: Formalism = None, force: Force = False, platform: Platforms = None, jacobians: Jacobians = False,
) -> Answer:  # fmt: skip
    """Write the equations of motion for another tool.

    Files that you have changed stay as they are, unless you say `--force`; a new text goes beside them, as `name.new`.

    Examples:
    - `multibody export crane_crab modelica -o out`
    - `multibody export robot.urdf c -o firmware/`
    - `multibody export four_bar fmu` writes an FMU that is ready to be used
    - `multibody export four_bar fmu --platform all` likewise on Windows, macOS and Linux
    """
    from multibody.codegen import C

    chosen = _target(target, jacobians)
    if platform and not (target is TargetName.FMU or isinstance(chosen, C)):
        raise CommandError(
            f"Nothing is compiled for the target '{target}'.",
            where="--platform",
            remedy="It belongs to fmu and c.",
            code="option-without-effect",
            name=target,
        )
    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    values = parameter_values(eom, parameter)
    if target is TargetName.FMU:
        from multibody.codegen import write_fmu

        path = output / f"{escape(eom.model.name, 'c')}.fmu"
        refuse_existing(path, force)
        fates = {"written": [write_fmu(eom, path, parameters=values, overwrite=force, platforms=platform or None)]}
    else:
        from multibody.codegen import export as exported, write_library

        found = exported(eom, chosen, output, parameters=values, overwrite=force)
        fates = {fate: list(getattr(found, fate)) for fate in FATES}
        if platform and isinstance(chosen, C):
            libraries = write_library(eom, output, chosen, parameters=values, platforms=platform, overwrite=force)
            fates["written"] += libraries
    data = {"model": source.name, "target": target.value, "folder": str(output),
            **{fate: [str(path) for path in fates.get(fate, ())] for fate in FATES}}  # fmt: skip
    rows = [[str(path), fate] for fate, paths in fates.items() for path in paths]
    return Answer(data, [AnswerTable(["file", ""], sorted(rows))])


def _target(name: TargetName, jacobians: bool) -> Target:
    """The target, with derivatives where they are wanted."""
    made: Any = target_of(name)
    if not jacobians:
        return made
    if not hasattr(made, "jacobians"):
        raise CommandError(
            f"The target '{name}' has no option for derivatives.",
            where="--jacobians",
            remedy="It belongs to c, cpp, python, rust, julia and javascript.",
            code="option-without-effect",
            name=name,
        )
    return replace(made, jacobians=True)
