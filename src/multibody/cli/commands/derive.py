"""``multibody derive``: the equations of motion, to be read."""

from __future__ import annotations

from enum import StrEnum
from time import perf_counter
from typing import Annotated, Any

import typer

from multibody.cli.answer import Answer
from multibody.cli.app import command
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.options import Formalism, ModelName
from multibody.cli.sources import find_model
from multibody.equations import EquationsOfMotion


class PrintedForm(StrEnum):
    """How equations are printed."""

    TEXT = "text"
    LATEX = "latex"
    SYMBOLS = "symbols"


@command("derive", panel="Equations")
def derive(
    ctx: typer.Context, model: ModelName, formalism: Formalism = None,
    form: Annotated[
        PrintedForm, typer.Option("--form", case_sensitive=False, help="Text, LaTeX, or the table of symbols.")
    ] = PrintedForm.TEXT,
    seconds: Annotated[float, typer.Option(min=0.0, help="Time limit for simplification, in seconds.")] = 4.0,
) -> Answer:  # fmt: skip
    """Derive the equations of motion, and print them.

    Examples:
    - `multibody derive crane_crab --formalism kane`
    - `multibody derive my_crane.yaml --form latex > equations.tex`
    """
    source = find_model(model)
    begun = perf_counter()
    eom = source.equations(formalism_of(formalism))
    taken = perf_counter() - begun
    readable = eom.readable(seconds=seconds)
    if ctx.obj.as_json:  # every entry by itself, which takes longer than all of them together
        return Answer({"model": source.name, **facts(eom), "seconds": taken, **_formulas(eom, readable)})
    texts = {
        PrintedForm.TEXT: readable.__str__,
        PrintedForm.LATEX: readable.to_latex,
        PrintedForm.SYMBOLS: eom.symbol_table().__str__,
    }
    return Answer({}, [texts[form]()])


def facts(eom: EquationsOfMotion) -> dict[str, Any]:
    """What the equations are about: names in their order."""
    return {
        "system": eom.model.name,
        "formalism": eom.formalism,
        **{kind: [symbol.name for symbol in getattr(eom, kind)]
           for kind in ("coordinates", "speeds", "inputs", "parameters", "multipliers")},
        "outputs": list(eom.outputs),
        "operations": sum(eom.forward_dynamics.operations.values()),
    }  # fmt: skip


def _formulas(eom: EquationsOfMotion, readable: Any) -> dict[str, Any]:
    """Formulas as texts that ``multibody.graph.text.parser`` reads."""
    return {
        "rates": dict(zip([coordinate.name for coordinate in eom.coordinates], map(str, readable.rates), strict=True)),
        "accelerations": dict(zip([speed.name for speed in eom.speeds], map(str, readable.acceleration), strict=True)),
        "mass_matrix": [[str(entry) for entry in row] for row in readable.M],
        "bias": [str(entry) for entry in readable.h],
        "forces": [str(entry) for entry in readable.f],
        "constraints": [str(entry) for entry in readable.phi],
    }
