"""Sections below the picture: notices, parameters, equations, and statistics of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from multibody.equations import EquationsOfMotion
from multibody.simulation import Trajectory
from multibody.support.text_tables import counted
from multibody.view.page.formulas import formulas
from multibody.view.scenes.scene import Scene


def sections(scene: Scene, eom: EquationsOfMotion | None, run: Trajectory | None) -> str:
    """The sections as HTML; equations only where they are wanted."""
    facts = "\n".join(_facts(scene, run))
    parts = [f'<div class="facts">\n{facts}\n</div>'] if facts else []
    if eom is not None:
        title = f"Equations of motion, by {eom.formalism}"
        parts.append(_folded(title, eom.once("formulas of pages", lambda: formulas(eom)), kind="wide"))
    return "\n".join(parts)


def _facts(scene: Scene, run: Trajectory | None) -> Iterator[str]:
    if scene.model.parameters:
        yield _folded("Parameters", _table(_parameters(scene)))
    if run is not None:
        yield _folded("Run", _table((name, text) for name, text in run.statistics.rows()))


def _parameters(scene: Scene) -> Iterator[Sequence[str]]:
    about = {symbol: parameter for parameter in scene.model.parameters for symbol in parameter.default}
    for symbol, value in zip(scene.model.parameter_symbols, scene.parameters, strict=True):
        yield symbol.name, f"{value:.9g}", about[symbol].unit, about[symbol].description


def _table(rows: Iterable[Sequence[str]]) -> str:
    lines = []
    for name, value, *rest in rows:
        kind = "number" if rest else "text"
        cells = "".join(f'<td class="unit">{escape(text)}</td>' for text in rest)
        lines.append(f'<tr><th scope="row">{escape(name)}</th><td class="{kind}">{escape(value)}</td>{cells}</tr>')
    return f"<table><tbody>{''.join(lines)}</tbody></table>"


def _folded(title: str, inside: str, kind: str = "") -> str:
    return f'<details open class="{kind}"><summary>{escape(title)}</summary>\n{inside}\n</details>'


def notices(scene: Scene, run: Trajectory | None, others: Sequence[str]) -> str:
    """What a reader has to know before all else: what could not be drawn, and that a run has failed."""
    failed = [run.message or run.status.value] if run is not None and not run.status.ok else []
    told = [f'<p class="notice">{escape(text)}</p>' for text in (*failed, *others)]
    drawn = "".join(f"<p>{escape(text)}</p>" for text in scene.messages)
    parts = counted(len(scene.messages), "part", "parts")
    told += [f'<details class="notice"><summary>{parts} could not be drawn</summary>{drawn}</details>'] if drawn else []
    return "\n".join(told)


def summary(scene: Scene, run: Trajectory | None) -> str:
    """One line below the title."""
    model = scene.model
    names = ("speed", "speeds") if model.constraints else ("degree of freedom", "degrees of freedom")
    parts = [counted(len(model.bodies), "body", "bodies"), counted(len(model.speeds), *names)]
    parts += [counted(len(model.constraints), "constraint", "constraints")] if model.constraints else []
    parts += [f"{run.t[0]:.6g} s to {run.t[-1]:.6g} s"] if run is not None else []
    return escape(" · ".join(parts))
