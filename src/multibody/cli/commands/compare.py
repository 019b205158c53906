"""``multibody compare``: one model, several formalisms, and a proof that they agree."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import command
from multibody.cli.choices import FormalismName, formalism as formalism_of
from multibody.cli.exit_codes import CommandError, ExitCode
from multibody.cli.options import ModelName
from multibody.cli.sources import find_model
from multibody.formalisms import Comparison, compare as compared
from multibody.support.text_tables import counted

Several = Annotated[
    list[FormalismName] | None,
    typer.Option("--formalism", "-F", case_sensitive=False, show_default=False,
                 help="One to compare; give at least two. By default all seven are compared."),
]  # fmt: skip


@command("compare", panel="Equations")
def compare(ctx: typer.Context, model: ModelName, formalism: Several = None) -> Answer:
    """Derive a model by several formalisms, and prove that the equations are the same.

    A formalism that does not take such a model says why. Exit code 1 if two of them differ, or fewer than two take it.

    Examples:
    - `multibody compare crane_crab`
    - `multibody compare four_bar -F kane -F lagrange --json`
    """
    if formalism is not None and 0 < len(set(formalism)) < 2:
        raise CommandError(
            f"There is nothing to compare '{formalism[0]}' with.",
            where="--formalism",
            remedy=f"Give another one, such as -F {formalism[0]} -F {_another(formalism[0])}, or none for all.",
            code="nothing-to-compare",
            name=formalism[0],
        )
    source = find_model(model)
    chosen = [made for name in dict.fromkeys(formalism or ()) if (made := formalism_of(name)) is not None] or None
    with ctx.obj.working(f"deriving {source.name} by {'all' if chosen is None else len(chosen)} formalisms"):
        found = compared(source.system, chosen)
    return Answer(_data(source.name, found), _shown(found), ExitCode.OK if found.agree() else ExitCode.FINDING)


def _another(name: FormalismName) -> FormalismName:
    return FormalismName.LAGRANGE if name is FormalismName.KANE else FormalismName.KANE


def _data(name: str, found: Comparison) -> dict[str, Any]:
    derivations = [
        {
            "formalism": derivation.name,
            "seconds": derivation.seconds,
            "operations": derivation.operations,
            "refusal": derivation.refusal,
        }
        for derivation in found.derivations
    ]
    pairs = [{"first": p.first, "second": p.second, "proved": p.proved, "difference": p.difference,
              "unproved": list(p.unproved), "reason": p.reason} for p in found.pairs]  # fmt: skip
    return {"model": name, "system": found.model.name, "proved": bool(found.proved), "agree": found.agree(),
            "derivations": derivations, "pairs": pairs, "refused": found.refused,
            "compared": list(found.compared)}  # fmt: skip


def _shown(found: Comparison) -> list[str | AnswerTable]:
    """A row for each formalism: what it took, and how it agrees with all others."""
    rows = [
        [derivation.name, *_figures(derivation), _verdict(found, derivation.name)] for derivation in found.derivations
    ]
    table = AnswerTable(["formalism", "time [ms]", "operations", "beside the others"], rows, right=(1, 2))
    proved = sum(pair.proved for pair in found.pairs)
    lines: list[str | AnswerTable] = [f"{found.model.name}: {counted(len(found.model.speeds), 'speed')}", table,
            f"{proved} of {len(found.pairs)} pairs are proved equal, for all values of all symbols"]  # fmt: skip
    if found.proved.unproved:
        lines.append(f"not proved equal: {', '.join(found.proved.unproved)}")
    return [*lines, *found.reasons]


def _figures(one: Any) -> list[str]:
    return ["", ""] if one.equations is None else [f"{1e3 * one.seconds:.1f}", str(one.operations)]


def _verdict(found: Comparison, name: str) -> str:
    refusal = next(derivation.refusal for derivation in found.derivations if derivation.name == name)
    pairs = [pair for pair in found.pairs if name in (pair.first, pair.second)]
    if refusal or not pairs:
        return f"refused: {refusal}" if refusal else "nothing to compare with"
    if all(pair.proved for pair in pairs):
        return "proved equal"
    worst = max(pairs, key=lambda pair: (not pair.proved and not pair.reason, pair.difference))
    return f"{'closed loops differ' if worst.reason else 'differs'} by {worst.difference:.1e}"
