"""Scalar expressions: an interned graph whose nodes carry the fingerprint of their value.

Build expressions with Python's operators and the functions below, differentiate them, solve with them, print them, and
hand them to ``multibody.compiler``.

Example:
    >>> from multibody.graph import cos, jacobian, sin, symbols
    >>> q, l = symbols("q l")
    >>> jacobian([l * sin(q), -l * cos(q)], [q])
    array([[l*cos(q)],
           [l*sin(q)]], dtype=object)
"""

from typing import TYPE_CHECKING

from lazy_loader import attach

from multibody.graph.derivative import adjoint, directional, gradient, jacobian, time_derivative
from multibody.graph.evaluate import evaluate
from multibody.graph.expr import ONE, ZERO, Constant, Expr, Kind, Symbol, as_expr, constant
from multibody.graph.functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    log,
    maximum,
    minimum,
    pi,
    power,
    sign,
    sin,
    sinh,
    sqrt,
    symbol,
    symbols,
    tan,
    tanh,
)
from multibody.graph.identity import all_same, is_zero, rank, same
from multibody.graph.linear_algebra import (
    LDL,
    LU,
    Complement,
    ldl,
    ldl_solve,
    lu,
    orthogonal_complement,
    product,
    solve,
    solve_regular,
)
from multibody.graph.node import isolated, live_nodes, without_sharing
from multibody.graph.piecewise.conditions import Condition, equal, less, less_equal, where
from multibody.graph.piecewise.smoothness import smooth
from multibody.graph.piecewise.tables import Table
from multibody.graph.text.parser import parse
from multibody.graph.traverse import array, free_symbols, substitute, topological

__all__ = [
    "LDL", "LU", "ONE", "ZERO", "ClosedForm", "Complement", "Condition", "Constant", "Expr", "Kind", "Symbol",
    "Table", "absolute", "acos", "adjoint", "all_same", "array", "as_expr", "asin", "atan", "atan2", "closed_form",
    "closed_form_report", "constant", "cos", "cosh", "directional", "equal", "evaluate", "exp", "free_symbols",
    "from_sympy", "gradient", "is_zero", "isolated", "jacobian", "ldl", "ldl_solve", "less", "less_equal",
    "listing", "live_nodes", "log", "lu", "maximum", "minimum", "orthogonal_complement", "parse", "pi", "power",
    "product", "rank", "reduced", "same", "sign", "sin", "sinh", "smooth", "solve", "solve_regular", "sqrt",
    "substitute", "symbol", "symbols", "tan", "tanh", "time_derivative", "to_latex", "to_sympy", "to_text",
    "topological", "where", "without_sharing",
]  # fmt: skip

_LATE = {
    "closed_forms": ["ClosedForm", "closed_form", "closed_form_report", "reduced"],
    "text.latex": ["to_latex"],
    "text.plain_text": ["listing", "to_text"],
    "sympy.bridge": ["from_sympy", "to_sympy"],
}
"""What makes expressions readable is imported when it is first used: deriving and computing need none of it."""

if TYPE_CHECKING:
    from multibody.graph.closed_forms import ClosedForm, closed_form, closed_form_report
    from multibody.graph.closed_forms.ideals.reduced import reduced
    from multibody.graph.sympy.bridge import from_sympy, to_sympy
    from multibody.graph.text.latex import to_latex
    from multibody.graph.text.plain_text import listing, to_text
else:
    __getattr__, _, _ = attach(__name__, submod_attrs=_LATE)


def __dir__() -> list[str]:
    """What is public, also what is imported late."""
    return sorted(__all__)
