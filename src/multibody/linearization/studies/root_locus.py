"""Poles along a parameter or an operating condition, as branches that hang together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.errors import ModelError
from multibody.linearization.operating_points.point import At, known_point, unknown_name
from multibody.linearization.state_space.linear_system import LinearSystem
from multibody.linearization.state_space.linearized_system import LinearizedSystem, warn_unless_steady
from multibody.linearization.state_space.linearizer import linearize
from multibody.linearization.tolerances import EQUAL_POLES, POLE_SPREAD, POLE_STEP
from multibody.support.figures import COLORS, save
from multibody.support.optional_libraries import require_library

Family = Callable[[float], LinearSystem]
"""Linear systems that depend on a number."""

Poles = NDArray[np.complex128]

HALVINGS = 6


@dataclass(frozen=True, eq=False)
class RootLocus:
    """Poles along a number.

    Attributes:
        values: the numbers.
        poles: a row for each number, a column for each branch; along a branch poles change continuously.
    """

    values: NDArray[np.float64]
    poles: Poles

    def plot(self, label: str = "", path: str | PathLike[str] | None = None, *, overwrite: bool = False) -> Any:
        """A figure with the real parts as lines and the imaginary parts as dots; written to a file if one is named.

        Args:
            label: of the horizontal axis.
            path: of a .png, .svg or .pdf file.
            overwrite: whether an existing file may be replaced.
        """
        figure = _figure(self, label)
        if path is not None:
            save(figure, path, overwrite)
        return figure


class _Watched:
    """A family of linear systems that warns once if a mechanism does not stay at its operating point.

    To save time, only calls 1, 2, 4, 8, … are checked.
    """

    def __init__(self, family: Family) -> None:
        self._family, self._calls, self._warned = family, 0, False

    def __call__(self, value: float) -> LinearSystem:
        system = self._family(value)
        self._calls += 1
        if not self._warned and not self._calls & (self._calls - 1) and isinstance(system, LinearizedSystem):
            self._warned = warn_unless_steady(system, f"Poles of system '{system.name}' are computed")
        return system


def watched(family: Any) -> Any:
    """The family, with a warning if a point is not an equilibrium; one warning, however many studies use the family."""
    return family if isinstance(family, _Watched) or not callable(family) else _Watched(family)


def along(
    eom: EquationsOfMotion,
    name: str,
    at: At = None,
    *,
    parameters: Mapping[str, float] | None = None,
    t: float | None = None,
) -> Family:
    """Linear systems along a parameter, an input, a coordinate or a speed; all else stays as it is.

    If the operating point has to follow, write your own: ``lambda k: equilibrium(eom, parameters={"k": k}).linear``.

    Args:
        eom: equations of motion.
        name: of what changes.
        at: operating point by name, see ``linearize``.
        parameters: values by name.
        t: time; zero, unless ``at`` says otherwise.

    Warns:
        OperatingPointWarning: once, if the mechanism does not stay at one of the operating points.
    """
    require_equations(eom, "along")
    return _Watched(_systems_along(eom, name, at, parameters, t))


def _systems_along(
    eom: EquationsOfMotion, name: str, at: At, parameters: Mapping[str, float] | None, t: float | None
) -> Family:
    states = [symbol.name for symbol in (*eom.coordinates, *eom.speeds, *eom.inputs)]
    numbers = [parameter.name for parameter in eom.parameters]
    if name not in (*states, *numbers):
        raise unknown_name("parameter, input, coordinate or speed", [name], [*numbers, *states], eom.model)
    if name in numbers:
        return lambda value: linearize(
            eom, at, parameters={**eom.model.parameters_by_element(parameters), name: value}, t=t
        )
    if at is None or isinstance(at, Mapping):
        return lambda value: linearize(eom, {**(at or {}), name: value}, parameters=parameters, t=t)
    state, known, now = known_point(eom, at)
    numbers_given, moment = {**known, **eom.model.parameters_by_element(parameters)}, now if t is None else t
    return lambda value: linearize(eom, {**state, name: value}, parameters=numbers_given, t=moment)


def root_locus(family: Family, values: Iterable[float]) -> RootLocus:
    """The poles of linear systems along a number, branch by branch.

    Between two numbers each pole goes to the one nearest to it; where that is in doubt, the way is halved. Where two
    branches meet, as a pair becomes real, either continuation is as good as the other.

    Args:
        family: the linear system for a number: ``along(eom, "k")``, or a function of yours.
        values: numbers in the order in which branches are followed.

    Warns:
        OperatingPointWarning: once, if the mechanism does not stay at one of the operating points.

    Example:
        >>> import multibody as mb
        >>> slide = mb.System("slide")
        >>> k, d = slide.parameters(k=100.0, d=2.0)
        >>> joint = slide.joint("x", slide.world, slide.body("block", 1.0), "Tx")
        >>> pull, brake = slide.load(mb.JointSpring(joint, k)), slide.load(mb.JointDamper(joint, d))
        >>> root_locus(along(mb.derive(slide), "d"), [0.0, 12.0, 25.0]).poles
        array([[  0.+10.j,   0.-10.j],
               [ -6. +8.j,  -6. -8.j],
               [ -5. +0.j, -20. +0.j]])
    """
    numbers = np.array(list(values), dtype=float)
    if not len(numbers):
        raise ModelError(
            "There are no values.",
            code="range-empty",
            where="root_locus",
            remedy="Give numbers, such as np.linspace(0, 10).",
        )
    family = watched(family)
    return follow(lambda value: system_at(family, value).poles, numbers)


# how it is done ------------------------------------------------------------------------------------------------------


def follow(poles_at: Callable[[float], Poles], values: NDArray[np.float64]) -> RootLocus:
    """The branches of poles that are given for each number.

    Args:
        poles_at: the poles for a number, in any order.
        values: one or more numbers.
    """
    rows = [poles_at(float(values[0]))]
    for before, after in pairwise(values):
        rows.append(_followed(poles_at, (float(before), rows[-1]), float(after), HALVINGS))
    return RootLocus(values, np.array(rows))


def system_at(family: Any, value: float) -> LinearSystem:
    """The linear system for one number."""
    system = family(value) if callable(family) else family
    if not isinstance(system, LinearSystem):
        raise ModelError(
            f"{system!r:.200} is not a linear system that depends on a parameter.",
            code="not-a-linear-system",
            where="poles along a number",
            remedy="Give along(eom, 'name'), or a function that returns linearize(…) or equilibrium(…).linear.",
            kind=type(system).__name__,
        )
    return system


def _followed(poles_at: Callable[[float], Poles], before: tuple[float, Poles], value: float, halvings: int) -> Poles:
    """The poles for a value, each in the place of the one that it comes from."""
    start, old = before
    found = poles_at(value)
    if len(found) != len(old):
        raise ModelError(
            f"There are {len(old)} poles at {start:g}, and {len(found)} at {value:g}.",
            code="state-count-changes",
            where="root_locus",
            cause="The number of independent coordinates changes on the way.",
            low=start,
            high=value,
        )
    new = _matched(old, found)
    if halvings and _doubtful(old, new):
        half = (start + value) / 2
        between = _followed(poles_at, before, half, halvings - 1)
        return _matched(between, found) if halvings == 1 else _followed(poles_at, (half, between), value, halvings - 1)
    return new


def _matched(old: Poles, new: Poles) -> Poles:
    """The new poles in the order that makes the sum of the ways to them shortest."""
    from scipy.optimize import linear_sum_assignment  # late, because importing it takes long

    scales = _scales(old, new)
    order = linear_sum_assignment(np.abs(old[:, None] - new[None, :]) / (scales / scales.max(initial=0.0)))[1]
    return new[order]


def _doubtful(old: Poles, new: Poles) -> bool:
    """Whether some pole moves far compared with its distance to others; equal poles are alike."""
    apart = np.abs(old[:, None] - old[None, :])
    apart[apart <= EQUAL_POLES * _scales(old, old)] = np.inf
    return bool((np.abs(new - old) > POLE_STEP * apart.min(axis=1, initial=np.inf)).any())


def _scales(old: Poles, new: Poles) -> NDArray[np.float64]:
    """What distances are compared with: the largest pole, or both poles where slow ones would be lost beside it."""
    a, b = np.abs(old)[:, None], np.abs(new)[None, :]
    largest = float(np.maximum(a, b).max(initial=0.0))
    slowest = float(a[a > 0].min(initial=largest)) if a.size else 0.0
    if slowest > POLE_SPREAD * largest or not largest:
        return np.full((len(old), len(new)), largest or 1.0)
    return np.maximum(a + b, np.finfo(float).tiny)


# figures -------------------------------------------------------------------------------------------------------------


def _figure(locus: RootLocus, label: str = "") -> Any:
    """Real parts as lines, imaginary parts dashed, and the axis that separates stable from unstable."""
    figure = require_library("matplotlib.figure", "plot").Figure((8.0, 5.0), layout="constrained")
    axis = figure.subplots()
    axis.axhline(0.0, color="black", linewidth=0.8)
    for k, branch in enumerate(locus.poles.T):
        color = COLORS[k % len(COLORS)]
        axis.plot(locus.values, branch.real, color=color)
        axis.plot(locus.values, _where_it_turns(branch.imag), color=color, linestyle="--", linewidth=1.0)
    axis.plot([], [], color="grey", label="real part")
    axis.plot([], [], color="grey", linestyle="--", linewidth=1.0, label="imaginary part")
    axis.set_xlabel(label)
    axis.set_ylabel("poles [1/s]")
    axis.margins(x=0.0)
    axis.legend(loc="best")
    axis.grid(alpha=0.3)
    return figure


def _where_it_turns(imaginary: Any) -> Any:
    """Imaginary parts where they are not zero, and from or to the zero beside them."""
    shown = imaginary != 0
    beside = np.concatenate([shown[1:], [False]]) | np.concatenate([[False], shown[:-1]])
    return np.where(shown | beside, imaginary, np.nan)
