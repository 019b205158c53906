"""Python: a module that needs NumPy only, for one state or many at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from multibody.export.code import Body, Code
from multibody.export.contract import Names, Target, routine_names
from multibody.export.module_names import module_name
from multibody.export.options import check_options
from multibody.export.program import Program
from multibody.export.pythonlike import (
    LISTS,
    PLACES,
    floats,
    function,
    lists,
    module,
    numpy_functions,
    numpy_table,
    parameter_lines,
    rooms,
)
from multibody.export.syntax import Syntax, one_line

SYNTAX = Syntax(language="python", functions=numpy_functions("np"), places=PLACES, table=numpy_table("np"), zeroed=True)
OWN = [*LISTS, *"y np parameters der_state inputs packed start closed approach warnings GUESS HELD QUATERNIONS".split()]
"""Identifiers that the module uses for itself."""


@dataclass(frozen=True)
class Python(Target):
    """A module ``<name>.py`` that needs NumPy only.

    ``der_state(t, y, inputs, parameters)`` is ready for ``scipy.integrate.solve_ivp``; ``state_rate``, ``sensors`` and
    the rest take (t, q, u, r, p), where p comes from ``parameters(…)``. Arrays may have further dimensions, for many
    states at once.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.

    Example:
        >>> import multibody as mb
        >>> from multibody.export.program import Program
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> text = Python().files(Program.of(mb.derive(pendulum)))["pendulum.py"]
        >>> [line.strip() for line in text.splitlines() if "u_dot[" in line]
        ['u_dot[0] = -9.81*sin_angle']
    """

    jacobians: bool = False
    names: Names = "readable"

    def __post_init__(self) -> None:
        check_options(self, "jacobians", "names")

    def files(self, program: Program) -> Mapping[str, str]:
        """One module."""
        wanted = routine_names(jacobians=self.jacobians, closure=True)
        code = program.code(wanted, SYNTAX, taken=OWN, names=self.names)
        return {f"{module_name(program.name, 'python')}.py": _module(program, code)}


def _module(program: Program, code: Code) -> str:
    return module(
        _INTRODUCTION.format(name=one_line(program.name)),
        "import numpy as np" if "closure" not in code else "import warnings\n\nimport numpy as np",
        lists(program),
        *(SYNTAX.table(table, name) for name, table in code.tables.items()),
        _PACKED,
        _parameters(program, code),
        *(_function(body) for body in code.bodies),
        *_start(program, code),
        _der_state_head(program)
        + _DER_STATE
        + ("np.concatenate(state_rate(t, q, u, r, parameters))" if "state_rate" in code else "np.zeros(0)"),
    )


def _der_state_head(program: Program) -> str:
    """With the defaults of parameters, if all have one."""
    return (
        f"def der_state(t, y, {'inputs, parameters' if _is_open(program) else 'inputs=None, parameters=parameters()'}):"
    )


def _is_open(program: Program) -> bool:
    return any(one.is_open for one in program.parameters)


def _start(program: Program, code: Code) -> list[str]:
    """Functions that find start values for the parameters in use."""
    given = "parameters" if _is_open(program) else "parameters=parameters()"
    head = f"def start({given}, t=0.0, r=None, /, **given):"
    lists = f"GUESS = {floats(program.guess)}  # start values as the model gives them"
    if "closure" not in code:
        return [lists, head + _FREE_START]
    lists += f"\nHELD = {list(program.levels)}  # 1 for those that are held if they can be"
    lists += f"\nQUATERNIONS = {[list(one) for one in program.eom.model.quaternions]}"
    return [lists, _CLOSED, head + _CLOSED_START]


def _quiet(body: Body) -> list[str]:
    """The statements; what has no value is NaN, and nobody is warned."""
    lines = [f"    {line}" for part in body.parts for line in SYNTAX.lines(part)]
    return ['with np.errstate(all="ignore"):', *lines] if lines else []


def _parameters(program: Program, code: Code) -> str:
    text = "all parameters, with other values for some of them, and what follows from them alone"
    given = parameter_lines(program, code, SYNTAX, "np.asarray({}, dtype=float)[()]", "np.ravel({})")
    lines = [*given, f"c = [0.0] * {len(code.constants)}", *_quiet(code.prepare), "return p, c"]
    return function("parameters(**changes)", text, lines)


def _function(body: Body) -> str:
    packed = ", ".join(f"packed({result.name}, {result.shape})" for result in body.routine.results)
    lines = ["p, c = p", *rooms(body), *_quiet(body), f"return {packed}"]
    return function(f"{body.routine.name}(t, q, u, r, p)", body.routine.description, lines)


_INTRODUCTION = """{name}: equations of motion, generated by multibody. It needs NumPy only.

Functions take (t, q, u, r, p): time, coordinates, speeds, inputs, and what parameters(...) returns. SI units and
radians. Arrays may have further dimensions, for many states at once.

    from scipy.integrate import solve_ivp
    p = parameters()  # or with other values by name; start(p) has start values that keep the constraints then
    run = solve_ivp(der_state, (0, 10), start(p), args=([0.0] * len(INPUTS), p))
"""

_PACKED = '''def packed(values, shape):
    """Numbers, or arrays for many states, as one array."""
    values = np.array(np.broadcast_arrays(*values))
    return values.reshape(shape + values.shape[1:])'''

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
    + _NAMED
    + """    n, r = len(COORDINATES), [0.0] * len(INPUTS) if r is None else r
    level = np.array([2 if name in given else known for name, known in zip(names, HELD)], dtype=int)
    for places in QUATERNIONS:  # of whatever length, it is the same rotation
        y[places] /= np.linalg.norm(y[places]) or 1.0
    wanted = y.copy()
    y[:n] = closed(lambda q: closure(t, q, y[n:], r, parameters)[:2], y[:n], level[:n], 0.6, 1e-10)
    y[n:] = closed(lambda u: closure(t, y[:n], u, r, parameters)[2:], y[n:], level[n:], np.inf, 1e-9)
    for name in given:
        used, value = y[names.index(name)], wanted[names.index(name)]
        if abs(used - value) > 1e-3 * max(1.0, abs(value)):
            text = f"{name} begins at {used:.9g}, not at {value:.9g}: the constraints do not allow it."
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

_DER_STATE = '''
    """The rate of the state y = (q, u).

    inputs: a number for each input, or a function of (t, y) that returns them; zeros by default.
    """
    y = np.asarray(y, dtype=float)
    q, u = y[: len(COORDINATES)], y[len(COORDINATES) :]
    r = [0.0] * len(INPUTS) if inputs is None else inputs(t, y) if callable(inputs) else inputs
    return '''
