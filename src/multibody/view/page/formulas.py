"""Equations of motion to read in a browser: MathML where formulas are short, text otherwise."""

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
from multibody.support.optional_libraries import require_library

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
