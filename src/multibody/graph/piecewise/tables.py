"""Tabulated functions: piecewise polynomials through given points, with exact derivatives."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from multibody.errors import ExpressionError
from multibody.graph import names
from multibody.graph.expr import Constant, Expr, as_expr, constant
from multibody.graph.field import scramble
from multibody.graph.node import find, intern

Interpolation = Literal["linear", "cubic"]
Outside = Literal["warn", "error", "hold", "extrapolate"]

OUTSIDE = {
    "warn": "continues along a straight line; multibody reports runs that get there",
    "error": "must not be used: it continues along a straight line; in multibody such runs fail",
    "hold": "keeps its first and last value",
    "extrapolate": "continues along a straight line",
}
"""What a table does outside its points, by the value of ``outside``."""


class Table:
    """A function of one variable given by points (x, y), interpolated linearly or by a cubic spline.

    Call it with an expression. Outside its points, ``outside`` decides. A run that leaves a table says so, unless you
    ask for a table that holds its end values or extrapolates.

    Args:
        name: for printouts and generated code.
        x: the arguments, strictly increasing.
        y: the values.
        interpolation: ``"linear"``, or ``"cubic"`` for a twice differentiable natural spline.
        outside: ``"warn"``, the default: the function continues along a straight line with the slope of the end, and
            every run that gets there reports it in ``run.table_exits`` and in the log. ``"error"``: such a run fails.
            ``"hold"``: the function keeps its first and last value. ``"extrapolate"``: it continues along a straight
            line, without a report. ``linearize`` and ``equilibrium`` refuse operating points outside, but for
            ``"hold"`` and ``"extrapolate"``.

    Example:
        >>> from multibody.graph import evaluate, symbols
        >>> (s,) = symbols("s")
        >>> spring = Table("spring", [0.0, 0.1, 0.3], [0.0, 50.0, 400.0])
        >>> round(evaluate(spring(s), {s: 0.2}), 9)
        225.0
        >>> stop = Table("stop", [0.0, 0.1], [0.0, 50.0], outside="hold")
        >>> evaluate(stop(s), {s: 0.2})
        50.0
    """

    def __init__(
        self, name: str, x: ArrayLike, y: ArrayLike, interpolation: Interpolation = "linear", outside: Outside = "warn"
    ) -> None:
        points, values = _checked(names.check(name, "table"), x, y)
        if interpolation == "linear":
            coefficients = np.array([values[:-1], np.diff(values) / np.diff(points)])
        elif interpolation == "cubic":
            coefficients = _natural_spline(points, values)
        else:
            raise ExpressionError(
                f"'{interpolation}' is not a way to interpolate.",
                code="option-unknown",
                where=f"table '{name}'",
                remedy="Use 'linear' or 'cubic'.",
                name=name,
                value=repr(interpolation)[:80],
            )
        ends = _with_ends(points, coefficients, hold=checked_outside(outside, name) == "hold")
        self._fill(name, points, ends, outside=outside)

    def _fill(
        self, name: str, breaks: NDArray[np.float64], coefficients: NDArray[np.float64], *, smooth: bool = False,
        outside: Outside = "warn", origin: str = "",
    ) -> None:  # fmt: skip
        self.name = name
        self.origin = origin or name  # of the table that this one is the derivative or the integral of
        self.outside: Outside = outside
        self.smooth = smooth  # whether its points are root functions of runs
        self.breaks = breaks  # n points, hence n + 1 intervals with the two outer ones
        self.coefficients = coefficients  # [power, interval], in powers of x - start of the interval
        self.digest = blake2b(breaks.tobytes() + coefficients.tobytes(), digest_size=16).hexdigest()
        self.digest += (" smooth" if smooth else "") + ("" if outside == "warn" else f" {outside}")
        for array in (breaks, coefficients):
            array.setflags(write=False)

    @property
    def starts(self) -> NDArray[np.float64]:
        """The point from which each interval's polynomial is measured."""
        return np.concatenate([self.breaks[:1], self.breaks])

    @property
    def identifier(self) -> str:
        """A name for machine code, which tells it from all other tables."""
        return f"table_{self.digest}".replace(" ", "_")

    @property
    def range(self) -> tuple[float, float]:
        """Its first and its last point."""
        return float(self.breaks[0]), float(self.breaks[-1])

    @property
    def rule(self) -> str:
        """What it does outside its points, as a sentence for generated code."""
        low, high = self.range
        return f"Outside [{low:.6g}, {high:.6g}] the table {OUTSIDE[self.outside]}."

    def derived(self, suffix: str, coefficients: NDArray[np.float64]) -> Table:
        """A table with the same points that follows from this one, such as its integral."""
        result = object.__new__(Table)
        result._fill(
            f"{self.name}{suffix}", self.breaks, coefficients, smooth=self.smooth, outside=self.outside,
            origin=self.origin,
        )  # fmt: skip
        return result

    def derivative(self) -> Table:
        """The table of the first derivative."""
        powers = np.arange(1, len(self.coefficients))
        slopes = powers[:, None] * self.coefficients[1:] if len(powers) else np.zeros((1, len(self.breaks) + 1))
        return self.derived("_slope", slopes)

    def marked_smooth(self) -> Table:
        """The same table; steps of a run do not end at its points."""
        result = object.__new__(Table)
        result._fill(
            self.name, self.breaks, self.coefficients, smooth=True, outside=self.outside, origin=self.origin
        )  # fmt: skip
        return result

    def evaluate(self, x: Any) -> Any:
        """The values at a number or an array of numbers."""
        interval = np.searchsorted(self.breaks, x, side="right")
        offset = x - self.starts[interval]
        highest, *others = self.coefficients[::-1]
        result = highest[interval] + 0.0 * np.where(np.isfinite(offset), offset, np.where(np.isnan(x), x, 0.0))
        for row in others:
            with np.errstate(invalid="ignore"):
                product = np.where(result == 0, 0.0, result * offset)  # beyond the ends, higher powers are absent
            result = product + row[interval]
        return np.where(np.isnan(x), x, result)

    def __call__(self, x: Any) -> Expr:
        """The table applied to an expression or a number.

        Raises:
            ExpressionError: for a number outside its points, but for tables that hold or extrapolate.
        """
        argument = as_expr(x)
        if isinstance(argument, Constant):
            self._require_inside(float(argument.value))
        return self.applied(argument)

    def applied(self, argument: Expr) -> Expr:
        """The table applied to an expression, also where operands have become constant."""
        if isinstance(argument, Constant):
            return constant(float(self.evaluate(float(argument.value))))
        if not self.coefficients.any():
            return constant(0)
        fp = scramble(0, "table", self.digest, argument.fp)
        node = find(fp, argument.guards)
        return intern(Tabulated(self, argument, fp)) if node is None else node

    def _require_inside(self, x: float) -> None:
        low, high = self.range
        if self.outside in ("warn", "error") and self.name == self.origin and not low <= x <= high:
            raise ExpressionError(
                f"{x:.6g} is outside the table '{self.name}', whose points cover {low:.6g} to {high:.6g}.",
                code="argument-outside-table",
                remedy="Add points, or say outside='hold' or outside='extrapolate' when you make the table.",
                name=self.name,
                value=x,
            )

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {len(self.breaks)} points, degree {len(self.coefficients) - 1})"


class Tabulated(Expr):
    """A table applied to an expression."""

    __slots__ = ("table",)

    def __init__(self, table: Table, argument: Expr, fp: int) -> None:
        super().__init__("table", (argument,), fp, argument.guards)
        self.table = table

    @property
    def label(self) -> str:
        """The operation, and which table it is."""
        return f"table {self.table.digest}"


def checked_outside(outside: Any, name: str) -> Outside:
    """What a table does outside its points.

    Raises:
        ExpressionError: if it is none of ``OUTSIDE``.
    """
    if outside not in OUTSIDE:
        raise ExpressionError(
            f"{outside!r:.80} does not say what a table does outside its points.",
            code="option-unknown",
            where=f"table '{name}'",
            remedy=f"Use one of: {', '.join(map(repr, OUTSIDE))}.",
            name=name,
            value=repr(outside)[:80],
        )
    known: Outside = outside
    return known


def _checked(name: str, x: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        points, values = np.array(x, dtype=float), np.array(y, dtype=float)
    except (TypeError, ValueError) as error:
        raise ExpressionError(
            "The table cannot be used: its points are not numbers.",
            code="table-invalid",
            where=f"table '{name}'",
            cause=str(error),
            name=name,
        ) from error
    fault = (
        "x and y must be two lists of equal length" if points.ndim != 1 or points.shape != values.shape
        else "at least two points are needed" if len(points) < 2
        else "every number must be finite" if not (np.isfinite(points).all() and np.isfinite(values).all())
        else "x must increase from point to point" if not (np.diff(points) > 0).all()
        else ""
    )  # fmt: skip
    if fault:
        raise ExpressionError(
            f"The table cannot be used: {fault}.", code="table-invalid", where=f"table '{name}'", name=name
        )
    return points, values


def _natural_spline(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.interpolate import CubicSpline  # slow to import, and only this function needs it

    return np.asarray(CubicSpline(x, y, bc_type="natural").c[::-1], dtype=float)


def _with_ends(x: NDArray[np.float64], coefficients: NDArray[np.float64], *, hold: bool) -> NDArray[np.float64]:
    """Add a straight line on either side, with the value and the slope that the table has at its ends.

    Args:
        x: the points.
        coefficients: of the polynomials between them.
        hold: whether the lines are level.
    """
    last = coefficients[:, -1]
    width = x[-1] - x[-2]
    powers = np.arange(len(last))
    value = float((last * width**powers).sum())
    slope = float((powers[1:] * last[1:] * width ** powers[:-1]).sum())
    ends = np.zeros((len(last), 2))
    ends[0] = coefficients[0, 0], value
    if not hold:
        ends[1] = coefficients[1, 0], slope
    return np.concatenate([ends[:, :1], coefficients, ends[:, 1:]], axis=1)
