"""Sections below the picture: notices, parameters, equations, and statistics of the run.

Equations are MathML where formulas are short, and text otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.errors import MissingLibraryError
from multibody.graph import Expr, Symbol, listing, to_latex, topological
from multibody.graph.linear_algebra import Matrix
from multibody.simulation import Trajectory
from multibody.support.optional_libraries import require_library
from multibody.support.text_tables import counted
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


LONG = 1600
"""LaTeX of more characters is not a formula to read; it is written as text."""
FEW = 12
"""Text of more lines is folded."""
LONGEST = 30_000
"""Text of more characters is not written at all."""
NODES = 1000
"""Of larger equations no closed forms are looked for: that might take too long, and end differently each time."""
HUGE = 5000
"""Larger equations are not written at all; already to print them would take long."""
TERMS = 300
APART = re.compile(r"(?<=[\w}|)])(?<!matrix}) (?=[A-Za-z]|\\(mathrm|d?dot|cos|sin|tan|frac|left|sqrt))")
LETTER = re.compile(r'<mi mathvariant="normal">([^<]*)</mi>')
LETTERS = re.compile(r'(<mi mathvariant="normal">[^<]*</mi>){2,}')
STYLED = re.compile(r' style="[^"]*"')

Line = tuple[str, str, Any]
"""What stands on the left, in LaTeX and as text, and its value: an expression, or an array of them."""


def formulas(eom: EquationsOfMotion) -> str:
    """All equations as HTML, under titles; only a sentence if they are too large to read."""
    count = len(topological(eom.acceleration))
    if count > HUGE:
        return f"<p>The accelerations have {count:,} parts, which is too much to read here.</p>"
    parts = [(title, _html(list(lines))) for title, lines in _groups(eom)]
    return "\n".join(f"<h4>{escape(title)}</h4>\n{part}" for title, part in parts if part)


def _groups(eom: EquationsOfMotion) -> Iterator[tuple[str, Iterable[Line]]]:
    """The parts of the contract of equations, in its order; rates that only give a speed its name are left out."""
    large = len(topological([*eom.acceleration, *eom.M.flat, *eom.h, *eom.gamma])) > NODES
    forms = eom.readable(seconds=0.0 if large else 4.0, size=TERMS)
    rates = [(q, rate) for q, rate in zip(eom.coordinates, forms.rates, strict=True) if not isinstance(rate, Symbol)]
    yield "Kinematics", ((rf"\dot{{{to_latex(q)}}}", f"d/dt {q}", rate) for q, rate in rates)
    yield "Mass matrix", _whole("M", forms.M)
    yield "Inertia forces and gravity", _whole("h", forms.h)
    yield "Loads", _whole("f", forms.f)
    yield "Constraints", (("0", f"phi[{k}]", residual) for k, residual in enumerate(forms.phi, 1) if residual.fp != 0)
    solved = zip(eom.model.accelerations, eom.speeds, forms.acceleration, strict=True)
    yield "Accelerations", ((to_latex(a), f"d/dt {u}", value) for a, u, value in solved)


def _whole(name: str, matrix: Matrix) -> list[Line]:
    zero = all(entry.fp == 0 for entry in matrix.flat)
    return [] if zero else [(name, name, matrix if matrix.ndim > 1 else matrix[:, None])]


def _html(lines: Sequence[Line]) -> str:
    """Formulas if they are all short, or else text, in which intermediate results have names."""
    named = {name: entry for _, left, value in lines for name, entry in _entries(left, value)}
    drawn = _drawn(lines) if len(topological(named.values())) < NODES else None
    if drawn is not None:
        return "\n".join(f'<div class="formula">{formula}</div>' for formula in drawn)
    text = listing(named)
    if len(text) > LONGEST:
        return f"<p>{len(text):,} characters, which is too much to read here.</p>"
    count = len(text.splitlines())
    whole = f"<pre>{escape(text)}</pre>"
    return whole if count <= FEW else f"<details><summary>{count} lines</summary>{whole}</details>"


def _drawn(lines: Sequence[Line]) -> list[str] | None:
    """Formulas in MathML; None if one of them is too long, or nothing can draw them."""
    texts = [f"{left} = {to_latex(value)}" for left, _, value in lines]
    if any(len(text) > LONG or "aligned" in text for text in texts):
        return None
    drawn = [mathml(text) for text in texts]
    return [formula for formula in drawn if formula is not None] if None not in drawn else None


def _entries(name: str, value: Any) -> Iterator[tuple[str, Expr]]:
    """The entries of a matrix that are not zero, by name; or one value."""
    if isinstance(value, Expr):
        yield name, value
        return
    for (i, j), entry in np.ndenumerate(value):
        if entry.fp != 0:
            yield f"{name}[{i + 1}]" if value.shape[1] == 1 else f"{name}[{i + 1},{j + 1}]", entry


def mathml(latex: str) -> str | None:
    """A formula for a browser; None without the library that makes it.

    Names of several letters are one word in it, and words in a product are held apart.
    """
    try:
        convert = require_library("latex2mathml.converter", "view").convert
    except MissingLibraryError:
        return None
    drawn = convert(APART.sub(r"\\,", latex), display="block")
    drawn = drawn.replace("<mo stretchy", '<mo lspace="0em" rspace="0em" stretchy')
    return LETTERS.sub(lambda word: f"<mi>{''.join(LETTER.findall(word[0]))}</mi>", STYLED.sub("", drawn))
