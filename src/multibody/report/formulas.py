"""Equations of motion as formulas in LaTeX's notation; what is too long gets intermediate results.

Long lines are broken before a plus or a minus that is outside of parentheses and braces.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from multibody.codegen.program import Program
from multibody.graph import Expr, Symbol, as_expr, closed_form_report, topological
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import Node
from multibody.graph.text.assignments import assignments, nodes_below
from multibody.graph.text.latex import LatexPrinter
from multibody.graph.text.latex_names import latex_name, symbol_latex
from multibody.graph.text.plain_text import TextPrinter, symbol_texts
from multibody.graph.text.printer import TooLongError
from multibody.graph.traverse import flat
from multibody.report.pieces import Formula

LONG = 700
"""A formula whose plain text has more characters is written with intermediate results."""

NODES = 1000
"""Of larger equations no closed forms are looked for: that might take too long, and end differently each time."""

TERMS = 300
"""The largest polynomials on the way to closed forms."""

Equations = list[tuple[str | Symbol, Expr]]
"""What stands on the left, and its value; of a coordinate or a speed, the left side is its rate."""


class ReportFormulas:
    """All formulas of a report.

    Args:
        program: what they are about.
        seconds: how long closed forms are looked for.
        limit: how many intermediate results may be needed; with more, what needs them is left out.

    Attributes:
        symbols: how each symbol is written.
        groups: formulas by title.
        left_out: for each title the number of formulas that are too long.
        intermediates: what the formulas use.
    """

    def __init__(self, program: Program, seconds: float, limit: int) -> None:
        self._states = {state.symbol for state in program.states}
        groups = dict(_groups(program, seconds))
        values = [value for equations in groups.values() for _, value in equations]
        texts = symbol_texts([*nodes_below(values), *_symbols(program)])
        brief = TextPrinter({}, texts, LONG)
        long = dict.fromkeys(value for value in values if _is_long(value, brief))
        steps = assignments(long)
        hidden = len(steps.definitions) > limit
        shown = () if hidden else steps.definitions
        self.left_out = {
            title: sum(hidden and value in long for _, value in equations) for title, equations in groups.items()
        }
        self.symbols: Mapping[Symbol, str] = symbol_latex(texts, texts, [latex_name(name) for name, _ in shown])
        whole, parts = (self._printer(names, texts) for names in ({}, steps.names))
        self._whole = whole
        self.intermediates = tuple(Formula(latex_name(name), broken(parts.definition(node))) for name, node in shown)
        self.groups = {
            title: tuple(
                Formula(self._left(left), broken((parts if value in long else whole).text(value)))
                for left, value in equations
                if not (hidden and value in long)
            )
            for title, equations in groups.items()
        }

    def _printer(self, names: Mapping[Node, str], texts: dict[Symbol, str]) -> LatexPrinter:
        return LatexPrinter(names, self.symbols, TextPrinter(names, texts), None)

    def _left(self, left: str | Symbol) -> str:
        if isinstance(left, str):
            return left
        rate = r"\frac{\mathrm{d}}{\mathrm{d} t} " if left in self._states else ""
        return f"{rate}{self.symbols[left]}"

    def brief(self, value: Expr) -> str:
        """An expression in one line; empty if it is too long for a table."""
        text = self._whole.text(value)
        return text if width(text) <= WIDE // 2 else ""

    def vector(self, symbols: Iterable[Symbol]) -> str:
        """Symbols side by side."""
        return rf"\left({', '.join(self.symbols[symbol] for symbol in symbols)}\right)"


def _symbols(program: Program) -> Iterator[Symbol]:
    """All symbols that a report may show."""
    eom = program.eom
    yield from (eom.model.time, *eom.multipliers, *eom.model.accelerations)
    yield from (
        argument.symbol for group in program.arguments.values() for argument in group if argument.symbol is not None
    )


def _is_long(value: Expr, brief: TextPrinter) -> bool:
    try:
        brief.text(value)
    except TooLongError:
        return True
    return False


def _groups(program: Program, seconds: float) -> Iterator[tuple[str, Equations]]:
    """What a report shows, with titles, in the order of the contract of equations."""
    eom = program.eom
    large = len(topological([*eom.acceleration, *eom.M.flat, *eom.h, *eom.gamma])) > NODES
    seconds = 0.0 if large else seconds
    forms = eom.readable(seconds=seconds, size=TERMS)
    yield "Kinematics", list(zip(eom.coordinates, forms.rates, strict=True))
    yield "Mass matrix", _entries("M", forms.M, symmetric=True)
    yield "Inertia forces and gravity", _entries("h", forms.h)
    yield "Loads", _entries("f", forms.f)
    if len(eom.constraints):
        yield "Constraints", _entries(r"\varphi", forms.phi)
        yield "Constraint matrix", _entries("B", forms.B)
        yield "Drift of the constraints", _entries(r"\gamma", forms.gamma)
    yield "Accelerations", list(zip(eom.speeds, forms.acceleration, strict=True))
    if eom.multipliers:
        yield "Constraint forces", list(zip(eom.multipliers, eom.multiplier_values, strict=True))
    yield "Sensors", list(_measured(program, seconds))
    if eom.energy_known:
        energies = _closed([eom.kinetic_energy, eom.potential_energy], seconds)
        yield "Energy", list(zip(["T", "V"], energies, strict=True))


def _entries(name: str, matrix: Matrix, *, symmetric: bool = False) -> Equations:
    """The entries that are not zero; of a symmetric matrix, those of the upper half."""
    rows = matrix if matrix.ndim > 1 else matrix[:, None]
    return [
        (f"{name}_{{{i}}}" if matrix.ndim == 1 else f"{name}_{{{i},{j}}}", entry)
        for i, row in enumerate(rows, 1)
        for j, entry in enumerate(row, 1)
        if entry.fp != 0 and (j >= i or not symmetric)
    ]


def _measured(program: Program, seconds: float) -> Iterator[tuple[str, Expr]]:
    values = [as_expr(entry) for value in program.eom.outputs.values() for entry in flat(value)]
    for output, value in zip(program.outputs, _closed(values, seconds), strict=True):
        yield latex_name(output.name), value


def _closed(values: list[Expr], seconds: float) -> list[Any]:
    """Closed forms, as far as they are found."""
    return list(closed_form_report(values, seconds=seconds, size=TERMS).value) if values else []


WIDE = 78
"""So many characters fit in a line."""

_TOKEN = re.compile(r"\\left\b|\\right\b|\\begin\{\w+\}|\\end\{\w+\}|\\[A-Za-z]+|\\.|[{}]| [+-] |.", re.DOTALL)
_OPENING = ("{", "\\left", "\\begin")
_CLOSING = ("}", "\\right", "\\end")


_BETWEEN = re.compile(r"(?<=[\w})]) (?=[A-Za-z(]|\\(?!cdot|le\b|land|lor|end|\\))")


def broken(tex: str) -> tuple[str, ...]:
    r"""The lines of a formula; all but the first begin with their sign, and factors stand a little apart.

    Example:
        >>> broken("a + " + "b" * 60 + " - " + "c" * 60)[1][:5]
        '- ccc'
        >>> broken(r"\left(" + "a + " * 50 + r"a\right)") == (r"\left(" + "a + " * 50 + r"a\right)",)
        True
    """
    lines, line = [], ""
    for term in _terms(_BETWEEN.sub(r"\\, ", tex)):
        if line and width(line) + width(term) > WIDE:
            lines.append(line.strip())
            line = ""
        line += term
    return (*lines, line.strip())


def _terms(tex: str) -> list[str]:
    terms, depth = [""], 0
    for token in _TOKEN.findall(tex):
        depth += token.startswith(_OPENING) - token.startswith(_CLOSING)
        if token in (" + ", " - ") and not depth:
            terms.append("")
        terms[-1] += token
    return terms


def width(tex: str) -> int:
    r"""About how many characters a formula takes: commands for layout count nothing, Greek letters one.

    Example:
        >>> width(r"\frac{\alpha}{2} \mathrm{crab}")
        6
    """
    plain = re.sub(r"\\(left|right|mathrm|mathtt|text|operatorname|begin|end|quad|dot|ddot|frac)\b", "", tex)
    plain = re.sub(r"\\(sin|cos|tan|ln|arcsin|arccos|arctan|sinh|cosh|tanh|min|max)\b", "xxx", plain)
    return len(re.sub(r"[{}_^\s]", "", re.sub(r"\\[A-Za-z]+|\\.", "x", plain)))
