"""Start values in modules for NumPy, JAX and CasADi: a function that closes loops for the parameters in use.

The text needs NumPy only, also in modules for other libraries: start values are found once, in double precision.
"""

from __future__ import annotations

from multibody.codegen.code import Code, RoutineBody
from multibody.codegen.program import Program
from multibody.codegen.syntax import Syntax
from multibody.codegen.targets.python.pythonlike import (
    PLACES,
    floats,
    function,
    numpy_table,
    result_lists,
    written_functions,
)
from multibody.graph.evaluate import NUMPY

SYNTAX = Syntax(
    language="python", functions=written_functions("np", NUMPY), places=PLACES, table=numpy_table("np"), zeroed=True
)
OWN = "y np packed start closed approach warnings GUESS HELD QUATERNIONS closure".split()
"""Identifiers that the text uses for itself."""

PLAIN_PARAMETERS = "p = np.array(parameters() if p is None else p, dtype=float).ravel()"
"""For modules in which parameters are one array, of whatever library."""


def imports(code: Code) -> str:
    """The libraries that the text needs."""
    return "import numpy as np" if "closure" not in code else "import warnings\n\nimport numpy as np"


def statements(body: RoutineBody) -> list[str]:
    """The statements; where there is no value, results are NaN without a warning."""
    lines = [f"    {line}" for part in body.parts for line in SYNTAX.lines(part)]
    return ['with np.errstate(all="ignore"):', *lines] if lines else []


def start_functions(program: Program, code: Code, name: str, default: str, first: str = "") -> list[str]:
    """Functions that find start values for the parameters in use.

    Args:
        program: whose states they are.
        code: in which ``closure`` may be.
        name: of the argument for parameters.
        default: of this argument; empty if it has none.
        first: a statement that makes it what ``closure`` takes.
    """
    given = f"{name}={default}" if default else name
    head = f"def start({given}, t=0.0, r=None, /, **given):"
    lists = f"GUESS = {floats(program.guess)}  # start values as the model gives them"
    if "closure" not in code:
        return [lists, head + _FREE_START]
    lists += f"\nHELD = {list(program.levels)}  # 1 for those that are held if they can be"
    lists += f"\nQUATERNIONS = {[list(quaternion) for quaternion in program.eom.model.quaternions]}"
    return [lists, _CLOSED, head + _CLOSED_START.format(name=name, first=f"    {first}\n" if first else "")]


def closure_function(code: Code) -> list[str]:
    """What must vanish at the start, by NumPy, with parameters as one array; the tables that it needs come before."""
    if "closure" not in code:
        return []
    body = code["closure"]
    packed = ", ".join(f"np.array({result.name}).reshape({result.shape})" for result in body.routine.results)
    lines = [*result_lists(body), *statements(body), f"return {packed}"]
    return [
        *(SYNTAX.table(table, name) for name, table in code.tables.items()),
        function("closure(t, q, u, r, p)", f"{body.routine.description}, by NumPy", lines),
    ]


_START_TEXT = '''
    """Start values y = (q, u) for these parameters, at the time t and with the inputs r, which are zero by default.
'''

_NAMED = """    names = COORDINATES + SPEEDS
    unknown = sorted(given.keys() - set(names))
    if unknown:
        raise TypeError(f"There is no coordinate or speed {', '.join(unknown)}. There are: {', '.join(names)}.")
    y = np.array([given.get(name, value) for name, value in zip(names, GUESS)], dtype=float)
"""

_FREE_START = (
    _START_TEXT
    + '''
    Those that are given by name are used; the others are the model's.
    """
'''
    + _NAMED
    + "    return y"
)

_CLOSED_START = (
    _START_TEXT
    + '''
    They keep the constraints. Those that are given by name are held if they can be, then those that the model gives;
    the others follow.
    """
'''
    + _NAMED.replace("{", "{{").replace("}", "}}")
    + """{first}    n, r = len(COORDINATES), [0.0] * len(INPUTS) if r is None else r
    level = np.array([2 if name in given else known for name, known in zip(names, HELD)], dtype=int)
    for places in QUATERNIONS:  # of whatever length, it is the same rotation, unless some entries can be held
        own = [k for k in places if level[k] == 2]
        if len(own) in (0, 4) or np.linalg.norm(y[own]) > 1.0:
            y[places] /= np.linalg.norm(y[places]) or 1.0
    wanted = y.copy()
    y[:n] = closed(lambda q: closure(t, q, y[n:], r, {name})[:2], y[:n], level[:n], 0.6, 1e-10)
    y[n:] = closed(lambda u: closure(t, y[:n], u, r, {name})[2:], y[n:], level[n:], np.inf, 1e-9)
    for name in given:
        used, value = y[names.index(name)], wanted[names.index(name)]
        if abs(used - value) > 1e-3 * max(1.0, abs(value)):
            text = f"{{name}} begins at {{used:.9g}}, not at {{value:.9g}}: the constraints do not allow it."
            warnings.warn(text, stacklevel=2)
    return y"""
)

_CLOSED = '''def approach(equations, x, free, longest):
    """Newton's method with the shortest step, and the largest gap that remains."""
    gaps, slopes = equations(x)
    gap = np.abs(gaps).max(initial=0.0)
    for _ in range(60):
        if not 1e-16 < gap < np.inf or not free.any():
            break
        step = np.zeros_like(x)
        step[free] = -np.linalg.lstsq(slopes[:, free], gaps, rcond=1e-8)[0]
        step *= min(1.0, longest / max(np.abs(step).max(), 1e-300))
        for share in (1.0, 0.5, 0.25, 0.1, 0.02):
            there = equations(x + share * step)
            if np.abs(there[0]).max() < gap:
                break
        else:
            break
        x, (gaps, slopes) = x + share * step, there
        gap = np.abs(gaps).max()
    return x, gap


def closed(equations, guess, level, longest, tolerance):
    """Values near a guess for which the equations hold: first with all held that have a level, then with level 2."""
    numbers = np.random.default_rng(0)
    for hold in (1, 2, 3):
        for trial in range(24 if hold == 3 else 12):
            away = (0.02 * 1.35**trial if trial else 0.0) * numbers.normal(size=len(guess))
            x, gap = approach(equations, np.where(level < hold, guess + away, guess), level < hold, longest)
            if gap <= tolerance:
                return x
    raise ValueError("No state near the start values keeps all constraints.")'''
