"""How far a result in double precision may be from the truth: the classical first-order analysis of rounding errors.

Every operation rounds its result (half a unit in the last place, one or two for library functions), and passes on the
errors of its operands, each multiplied by the partial derivative. A result outside the bound is wrong, not rounded.
"""

from collections.abc import Mapping
from typing import Any

import mpmath
from tests.graph.recipes import COMPARISONS, OPERATIONS, UndefinedError, exact

from multibody.graph import Constant, Expr, Symbol, topological

EPS = mpmath.mpf(2) ** -52
ULPS = {"add": 0.5, "sub": 0.5, "mul": 0.5, "recip": 1, "neg": 0, "abs": 0, "min": 0, "max": 0, "sign": 0, "sqrt": 0.5}

_SLOPES = {
    "add": lambda a, b: (1, 1),
    "sub": lambda a, b: (1, 1),
    "mul": lambda a, b: (b, a),
    "neg": lambda a: (1,),
    "recip": lambda a: (1 / a**2,),
    "sqrt": lambda a: (0.5 / mpmath.sqrt(a),),
    "abs": lambda a: (1,),
    "sign": lambda a: (0,),
    "min": lambda a, b: (1, 1),
    "max": lambda a, b: (1, 1),
    "pow": lambda a, b: (b * a ** (b - 1), a**b * mpmath.log(a)),
    "sin": lambda a: (mpmath.cos(a),),
    "cos": lambda a: (mpmath.sin(a),),
    "tan": lambda a: (1 + mpmath.tan(a) ** 2,),
    "asin": lambda a: (1 / mpmath.sqrt(1 - a * a),),
    "acos": lambda a: (1 / mpmath.sqrt(1 - a * a),),
    "atan": lambda a: (1 / (1 + a * a),),
    "atan2": lambda a, b: (b / (a * a + b * b), a / (a * a + b * b)),
    "exp": lambda a: (mpmath.exp(a),),
    "log": lambda a: (1 / a,),
    "sinh": lambda a: (mpmath.cosh(a),),
    "cosh": lambda a: (mpmath.sinh(a),),
    "tanh": lambda a: (1,),
}


def truth_and_bound(output: Expr, point: Mapping[str, float]) -> tuple[Any, Any] | None:
    """The value to 50 digits and the error that doubles may make, or None where a comparison hangs on rounding."""
    known: dict[Any, Any] = {}
    with mpmath.workdps(50):
        try:
            for node in topological([output]):
                known[node] = _step(node, known, point)
        except UndefinedError:
            return None
    return known[output]


def _step(node: Any, known: Mapping[Any, Any], point: Mapping[str, float]) -> tuple[Any, Any]:
    if isinstance(node, Symbol):
        return mpmath.mpf(point[node.name]), mpmath.mpf(0)
    if isinstance(node, Constant):
        value = exact(node.value)
        return value, EPS * abs(value) / 2
    if node.op in COMPARISONS:
        (a, da), (b, db) = (known[arg] for arg in node.args)
        if abs(a - b) <= 4 * (da + db):
            raise UndefinedError
        return COMPARISONS[node.op][1](a, b), None
    if node.op == "where":
        return known[node.args[1]] if known[node.args[0]][0] else known[node.args[2]]
    values, errors = zip(*[known[arg] for arg in node.args], strict=True)
    _refuse_edges(node.op, values, errors)
    value = OPERATIONS[node.op].number(*values)
    passed_on = sum(abs(slope) * error for slope, error in zip(_SLOPES[node.op](*values), errors, strict=True))
    return value, passed_on + EPS * abs(value) * ULPS.get(node.op, 2)


def _refuse_edges(op: str, values: tuple[Any, ...], errors: tuple[Any, ...]) -> None:
    """First order is not enough close to a pole, a branch point or a jump."""
    a, da = values[0], errors[0]
    if op in ("recip", "sqrt", "log", "sign", "pow") and abs(a) <= 1e3 * da:
        raise UndefinedError
    if op in ("asin", "acos") and 1 - abs(a) <= 1e3 * da:
        raise UndefinedError
    if op == "tan" and abs(mpmath.cos(a)) <= 1e3 * da:
        raise UndefinedError
    if op == "atan2" and abs(a) <= 1e3 * da and values[1] <= 1e3 * errors[1]:
        raise UndefinedError
    if op in ("exp", "sinh", "cosh", "sin", "cos") and da > 1e-6:
        raise UndefinedError
