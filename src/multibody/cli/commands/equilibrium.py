"""``multibody equilibrium``: where a mechanism stays as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import command
from multibody.cli.assignments import at_values, number, pair, parameter_values, require_known
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.exit_codes import CommandError
from multibody.cli.options import At, Formalism, ModelName, Parameters
from multibody.cli.sources import find_model

if TYPE_CHECKING:
    from multibody.equations import EquationsOfMotion
    from multibody.linearization import Equilibrium

Fixed = Annotated[
    list[str] | None,
    typer.Option("--fix", metavar="NAME[=VALUE]", show_default=False,
                 help="A coordinate or speed that keeps this value, or its start value."),
]  # fmt: skip
Free = Annotated[
    list[str] | None,
    typer.Option("--free", metavar="NAME", show_default=False,
                 help="An input or parameter that is looked for as well."),
]  # fmt: skip
Moving = Annotated[
    list[str] | None,
    typer.Option("--moving", metavar="NAME", show_default=False,
                 help="A coordinate that may go on at its speed, as a wheel does: a steady motion."),
]  # fmt: skip
Every = Annotated[bool, typer.Option("--all", help="All that are found from random starts.")]


@command("equilibrium", panel="Small motions")
def equilibrium(
    model: ModelName, at: At = None, fix: Fixed = None, free: Free = None, moving: Moving = None,
    every: Every = False, parameter: Parameters = None, formalism: Formalism = None,
) -> Answer:  # fmt: skip
    """Find an equilibrium or a steady motion, and tell whether it is stable. Exit code 4 if there is none.

    Examples:
    - `multibody equilibrium pendulum --all`
    - `multibody equilibrium my_crane.yaml --fix swing=0.2 --free F`
    """
    from multibody import linearization

    source = find_model(model)
    eom = source.equations(formalism_of(formalism))
    guess = at_values(eom, at)
    _require_names(eom, fix or [], free or [], moving or [])
    question: dict[str, Any] = {
        "fixed": _fixed(eom, fix or [], guess), "free": tuple(free or ()), "at": guess, "moving": tuple(moving or ()),
        "parameters": parameter_values(eom, parameter),
    }  # fmt: skip
    found: Sequence[Equilibrium] = (
        linearization.equilibria(eom, **question) if every else [linearization.equilibrium(eom, **question)]
    )
    data = {"model": source.name, "system": eom.model.name, "equilibria": [_data(equilibrium) for equilibrium in found]}
    table = [_table(found)] if len(found) > 1 else []
    return Answer(data, [*table, *(str(equilibrium) for equilibrium in found)])


def _require_names(eom: EquationsOfMotion, fix: list[str], free: list[str], moving: list[str]) -> None:
    """An error for names behind --fix, --free and --moving that the model does not have."""
    states = [symbol.name for symbol in (*eom.coordinates, *eom.speeds)]
    others = [symbol.name for symbol in (*eom.inputs, *eom.parameters)]
    where = f"system '{eom.model.name}'"
    fixed = [text.partition("=")[0].strip() for text in fix]
    require_known(fixed, [*states, *others], "coordinate, speed, input or parameter", f"--fix, {where}")
    require_known(free, [*states, *others], "coordinate, speed, input or parameter", f"--free, {where}")
    require_known(moving, states, "coordinate or speed", f"--moving, {where}")
    both = sorted({*fixed} & {*free})
    if both:
        raise CommandError(
            f"{', '.join(both)} cannot be both fixed and free.",
            code="name-fixed-and-free",
            where=f"--fix and --free, {where}",
            remedy="Name it once.",
            names=tuple(both),
        )


def _fixed(eom: EquationsOfMotion, texts: list[str], at: dict[str, float]) -> Any:
    """Values by name, or names alone; where only some have a value, the others keep theirs at the start."""
    if not any("=" in text for text in texts):
        return tuple(texts)
    start = {symbol.name: float(value) for symbol, value in eom.model.start.items()} | at
    named = [pair(text, "--fix") if "=" in text else (text, "") for text in texts]
    return {name: number(value, f"--fix {name}") if value else start.get(name, 0.0) for name, value in named}


def _data(one: Equilibrium) -> dict[str, Any]:
    return {
        "state": one.state, "inputs": one.inputs, "parameters": one.parameters, "multipliers": one.multipliers,
        "stability": one.stability, "poles": one.poles, "residual": one.residual, "freedom": one.freedom,
    }  # fmt: skip


def _table(found: Any) -> AnswerTable:
    head, *rows = found.rows()
    return AnswerTable(head, rows, f"{len(found)} equilibria")
