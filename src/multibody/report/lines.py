r"""Long formulas in lines: broken before a plus or a minus that stands in no parentheses and no braces."""

from __future__ import annotations

import re

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
