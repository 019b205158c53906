"""``multibody report``: a model on paper, or on a page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.answer import Answer
from multibody.cli.app import command
from multibody.cli.assignments import parameter_values
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.options import Folder, Force, Formalism, ModelName, Parameters
from multibody.cli.sources import find_model
from multibody.graph.names import escape

if TYPE_CHECKING:
    from multibody.codegen.writing import Exported
    from multibody.equations import EquationsOfMotion


class Format(StrEnum):
    """What a report is written in."""

    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


Formats = Annotated[
    Format, typer.Option("--format", case_sensitive=False, help="HTML is one page, with sliders that move the model.")
]


@command("report", panel="Equations")
def report(
    model: ModelName, format_: Formats = Format.MARKDOWN, output: Folder = Path(), parameter: Parameters = None,
    formalism: Formalism = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time limit for simplification, in seconds.")] = 20.0,
    force: Force = False,
) -> Answer:  # fmt: skip
    """Write a report of a model: symbols, topology, equations, operation counts.

    Files that you have changed stay as they are, unless you say `--force`; a new text goes beside them, as `name.new`.

    Examples:
    - `multibody report crane_crab -o out`
    - `multibody report my_crane.yaml --format latex`
    """
    from multibody.codegen import export as exported
    from multibody.report import Latex, Markdown

    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    values = parameter_values(eom, parameter)
    if format_ is Format.HTML:
        done = _page(eom, output, values, force)
    else:
        target = Markdown(seconds=seconds) if format_ is Format.MARKDOWN else Latex(seconds=seconds)
        done = exported(eom, target, output, parameters=values, overwrite=force)
    data = {"model": source.name, "format": format_.value, "files": [str(path) for path in done.files]}
    lines = [f"wrote {path}" for path in sorted([*done.written, *done.replaced, *done.proposed])]
    kept = [f"{path} is as it was" for path in sorted([*done.unchanged, *done.kept])]
    return Answer(data, ["\n".join([*lines, *kept])])


def _page(eom: EquationsOfMotion, folder: Path, parameters: dict[str, float], force: bool) -> Exported:
    from multibody.codegen.writing import Exported
    from multibody.view import write_page

    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{escape(eom.model.name, 'c')}.html"
    return Exported(folder, written=(write_page(eom, path, parameters=parameters or None, overwrite=force),))
