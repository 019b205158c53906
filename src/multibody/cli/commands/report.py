"""``multibody report``: a model on paper, or on a page."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multibody.cli.answer import Answer
from multibody.cli.app import command
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.options import Folder, Force, Formalism, ModelName
from multibody.cli.sources import find_model
from multibody.graph.names import escape

if TYPE_CHECKING:
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
    model: ModelName, format_: Formats = Format.MARKDOWN, output: Folder = Path(), formalism: Formalism = None,
    seconds: Annotated[float, typer.Option(min=0.0, help="How long short forms are looked for.")] = 20.0,
    force: Force = False,
) -> Answer:  # fmt: skip
    """Write a report of a model: symbols, topology, equations, operation counts.

    Examples:
    - `multibody report crane_crab -o out`
    - `multibody report my_crane.yaml --format latex`
    """
    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    files = _page(eom, output, force) if format_ is Format.HTML else _document(eom, format_, output, seconds, force)
    data = {"model": source.name, "format": format_.value, "files": [str(path) for path in files]}
    return Answer(data, ["\n".join(f"wrote {path}" for path in files)])


def _document(eom: EquationsOfMotion, form: Format, folder: Path, seconds: float, force: bool) -> list[Path]:
    from multibody.export import Latex, Markdown, export

    target = Markdown(seconds=seconds) if form is Format.MARKDOWN else Latex(seconds=seconds)
    return list(export(eom, target, folder, overwrite=force).files)


def _page(eom: EquationsOfMotion, folder: Path, force: bool) -> list[Path]:
    from multibody.view import write_page

    folder.mkdir(parents=True, exist_ok=True)
    return [write_page(eom, folder / f"{escape(eom.model.name, 'c')}.html", overwrite=force)]
