"""``multibody check``: is this model what its author meant, and does it give the published numbers?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multibody.cli.answer import Answer, AnswerTable
from multibody.cli.app import command
from multibody.cli.choices import formalism as formalism_of
from multibody.cli.exit_codes import ExitCode
from multibody.cli.options import Formalism, ModelName
from multibody.cli.sources import NamedModel, find_model
from multibody.model import System
from multibody.support.text_tables import counted

if TYPE_CHECKING:
    from multibody.library import CheckResult


@command("check", panel="Models")
def check(
    ctx: typer.Context, model: ModelName, formalism: Formalism = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
) -> Answer:  # fmt: skip
    """Look for mistakes in a model, and compare a library model with published numbers.

    Exit code 1 if there is an error, or if a number is not reproduced.

    Examples:
    - `multibody check my_crane.yaml`
    - `multibody check bicycle --json`
    """
    source = find_model(model)
    with ctx.obj.working(f"checking {source.name}"):
        found, findings, text = _findings(source)
        numbers = () if source.model is None else source.model.check(formalism=formalism_of(formalism))
    ok = found["ok"] and all(number.ok for number in numbers) and not (strict and findings)
    data = {"model": source.name, "kind": source.kind, **found, "ok": ok, "messages": list(source.messages),
            "checks": [asdict(number) for number in numbers]}  # fmt: skip
    shown: list[str | AnswerTable] = [text, *(["\n".join(source.messages)] if source.messages else [])]
    shown += [_table(numbers)] if numbers else []
    return Answer(data, shown, ExitCode.OK if ok else ExitCode.FINDING)


def _findings(source: NamedModel) -> tuple[dict[str, Any], list[Any], str]:
    """What the system says of itself; equations that were derived already have nothing to check but themselves."""
    if not isinstance(source.thing, System):
        eom = source.equations()
        constraints = counted(len(eom.constraints), "constraint equation")
        text = f"{eom.model.name}: {counted(len(eom.speeds), 'speed')}, {constraints}"
        return {"system": eom.model.name, "findings": [], "ok": True}, [], text
    report = source.thing.check()
    counts = {key: getattr(report, key) for key in ("system", "bodies", "joints", "loops", "degrees_of_freedom", "ok")}
    return {**counts, "findings": [asdict(finding) for finding in report.findings]}, list(report.findings), str(report)


def _table(results: Sequence[CheckResult]) -> AnswerTable:
    rows = [
        [result.what, result.unit, f"{result.ours:.9g}", f"{result.reference:.9g}", f"{result.error:.1e}",
         "ok" if result.ok else "WRONG", result.source]
        for result in results
    ]  # fmt: skip
    head = ["number", "unit", "ours", "published", "error", "", "source"]
    return AnswerTable(head, rows, "published numbers", right=(2, 3, 4))
