"""Closing loops by numbers: coordinates and speeds that keep all constraints, near a rough guess.

Newton's method with the shortest step: Δq = -J⁺·φ with the pseudo-inverse J⁺ of the Jacobian of φ for the coordinates
that may move, so that as little as possible is changed and redundant equations do no harm. Speeds are corrected the
same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from multibody.errors import AssemblyError, ExpressionError
from multibody.graph import evaluate, free_symbols
from multibody.mechanics.assembly.newton import STEPS, damped_newton, gaps_or_none, largest_gap
from multibody.mechanics.constraints.equations import ConstraintEquations, PositionFunction
from multibody.mechanics.coordinate_kinds import angles_of, length_coordinates
from multibody.mechanics.tolerances import COORDINATE_ROUNDING, ROUNDED_GAP
from multibody.model.model import Model
from multibody.model.quantity import defaults

Vector = NDArray[np.float64]

TRIES = 24
LONGEST_STEP = 0.6  # in radians and lengths of the longest link: no leap to another way of assembly
LARGE = 10.0  # lengths of the longest link: beyond, steps of lengths grow in proportion

INTERPRETED_NODES = 20_000
"""The work that an assembly interprets before it uses machine code, in nodes of expressions: about 20 ms.

To make machine code takes 30 to 60 ms. The work of each assembly is counted on its own, so that its result does not
depend on what was computed before, not even in the last digits.
"""


class StartChange(NamedTuple):
    """A start value that was changed: the name of a coordinate or speed, the value given, the value used."""

    name: str
    given: float
    used: float

    @property
    def is_rounding(self) -> bool:
        """Whether the change is as small as that of a value with few digits: it is listed, without a warning."""
        return False

    def __str__(self) -> str:
        return f"{self.name} from {self.given:.6g} to {self.used:.6g}"


class RoundedStart(StartChange):
    """A change that is as small as that of a value with few digits."""

    @property
    def is_rounding(self) -> bool:
        """It is."""
        return True

    def __str__(self) -> str:
        return f"{self.name} from {self.given:.9g} by {self.used - self.given:.3g}"


@dataclass(frozen=True, eq=False)
class State:
    """Coordinates and speeds that belong together, in the order of the model; ``state["name"]`` gives one of them.

    Attributes:
        model: what it is a state of.
        q: coordinates.
        u: speeds.
        changes: values that the user gave, and that had to be changed to satisfy the constraints.
    """

    model: Model
    q: Vector
    u: Vector
    changes: tuple[StartChange, ...] = ()

    def __getitem__(self, name: str) -> float:
        names = [symbol.name for symbol in (*self.model.coordinates, *self.model.speeds)]
        return float(np.concatenate([self.q, self.u])[names.index(name)])

    def __str__(self) -> str:
        pairs = zip((*self.model.coordinates, *self.model.speeds), (*self.q, *self.u), strict=True)
        return ", ".join(f"{symbol.name}={value:.9g}" for symbol, value in pairs)


class Assembly:
    """The constraints of a model as numbers.

    Args:
        constraints: of a model.
        parameters: values by name, where they are not the defaults.
        inputs: values by name; zero where they are not given.
        t: time.
        random: values by name of parameters that have none; with them the formulas of the model need not hold.

    Attributes:
        known: values of time, inputs and parameters.
    """

    def __init__(
        self, constraints: ConstraintEquations, parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None, t: float = 0.0, *, random: Mapping[str, float] | None = None,
    ) -> None:  # fmt: skip
        self.constraints = constraints
        self.model = constraints.model
        self.known: dict[Any, Any] = {self.model.time: t}
        given = self.model.inputs_by_element(inputs)
        self.known |= {symbol: given.get(symbol.name, 0.0) for symbol in self.model.input_symbols}
        self.known |= defaults(self.model.parameters, random) if random else self.model.parameter_values(parameters)
        self._interpreted: Counter[PositionFunction] = Counter()

    # numbers -----------------------------------------------------------------------------------------------------

    @cached_property
    def scales(self) -> Vector:
        """The sizes of all constraint equations."""
        return np.array(evaluate(self.constraints.sizes.equations, self.known), dtype=float)

    @cached_property
    def length(self) -> float:
        """The longest length in the constraint equations."""
        return float(evaluate([self.constraints.sizes.length], self.known)[0])

    @cached_property
    def _gap_scales(self) -> Vector:
        holonomic, sides = self.constraints.holonomic, len(self.constraints.gaps) - len(self.constraints.holonomic)
        return np.array([*self.scales[list(holonomic)], *np.ones(sides + len(self.model.quaternions))])

    def gaps(self, q: Vector) -> Vector:
        """φ, what keeps axes from pointing the wrong way, and |quaternion|² - 1, relative to the equations' sizes."""
        phi = self._values(self.constraints.gap_function, q)
        lengths = (q[places] @ q[places] - 1 for places in self.model.quaternions)
        return np.array([*phi, *lengths], dtype=float) / self._gap_scales

    def slopes(self, q: Vector) -> Vector:
        """The derivatives of ``gaps`` by the coordinates."""
        lengths = np.zeros((len(self.model.quaternions), len(q)))
        for row, places in enumerate(self.model.quaternions):
            lengths[row, places] = 2 * q[places]
        return np.vstack([self.position_slopes(q), lengths]) / self._gap_scales[:, None]

    def position_slopes(self, q: Vector) -> Vector:
        """The derivatives of the constraints alone."""
        try:
            return self.constraints.gap_slopes.filled(self._values(self.constraints.slope_function, q))
        except ExpressionError as error:
            raise self._without_value(q, None) or error from error

    def velocity(self, q: Vector, u: Vector | None = None) -> tuple[Vector, Vector]:
        """B and β; the speeds matter only to equations that are not linear in them."""
        beta = np.asarray(self._required(list(self.constraints.beta), q, u), dtype=float)
        found = self.constraints.sparse_B
        return found.filled(self._required(found.entries, q, u)), beta

    def _scaled_velocity(self, q: Vector, u: Vector) -> tuple[Vector, Vector]:
        """B and β relative to the sizes of the equations."""
        B, beta = self.velocity(q, u)
        return B / self.scales[:, None], beta / self.scales

    def _required(self, expressions: list[Any], q: Vector, u: Vector | None = None) -> list[Any]:
        """Numbers, or an error that names the constraint that has none."""
        try:
            return self._numbers(expressions, q, u)
        except ExpressionError as error:
            raise self._without_value(q, u) or error from error

    def _without_value(self, q: Vector, u: Vector | None) -> ExpressionError | None:
        """The error for the first constraint that has no value, by its name."""
        rows = np.column_stack([self.constraints.B, self.constraints.beta])
        for owner, row in zip(self.constraints.owners, rows, strict=True):
            try:
                self._numbers(list(row), q, u)
            except ExpressionError as error:
                return ExpressionError(
                    f"The constraint '{owner}' has no value in this position.",
                    code="constraint-without-value",
                    where=f"system '{self.model.name}': {error.where}",
                    cause="It has no direction there: an axis along a normal, or points that coincide; or an argument "
                    "is outside a function's domain.",
                    remedy="Start elsewhere, or turn its frames.",
                    name=owner,
                )
        return None

    def _values(self, function: PositionFunction, q: Vector) -> Sequence[float]:
        """Interpreted at first, and by machine code after ``INTERPRETED_NODES``."""
        if self._interpreted[function] < INTERPRETED_NODES or function.compiled is None:
            self._interpreted[function] += function.nodes
            return self._numbers(function.expressions, q)
        known = (
            [self.known[symbol] for symbol in group]
            for group in (self.model.input_symbols, self.model.parameter_symbols)
        )
        values: list[float] = np.ravel(function.compiled(self.known[self.model.time], q, *known)).tolist()
        return values if np.isfinite(values).all() else self._numbers(function.expressions, q)  # which says why

    def _numbers(self, expressions: list[Any], q: Vector, u: Vector | None = None) -> list[Any]:
        known = self.known | dict(zip(self.model.coordinates, map(float, q), strict=True))
        if not self.constraints.linear:
            speeds = np.zeros(len(self.model.speeds)) if u is None else u
            known |= dict(zip(self.model.speeds, map(float, speeds), strict=True))
        return evaluate(expressions, known) if expressions else []

    # positions ---------------------------------------------------------------------------------------------------

    def closed(
        self, guess: Vector, held: Iterable[int] = (), tolerance: float = 1e-12, tries: int = 1
    ) -> Vector | None:
        """The coordinates near a guess that keep all constraints, also from around it; None if they are not found."""
        free = [k for k in range(len(guess)) if k not in set(held)]
        found = (self._approach(start, free) for start in self._around(guess, free, tries if free else 1))
        return next((q for q, error in found if self._is_closed(q, error, tolerance)), None)

    def _around(self, guess: Vector, free: list[int], tries: int) -> Iterator[Vector]:
        """A guess, and others farther and farther away from it."""
        rng = np.random.default_rng(0)
        for trial in range(tries):
            start = guess.copy()
            start[free] += (0.02 * 1.35**trial if trial else 0.0) * rng.normal(size=len(free)) * self._units[free]
            yield start

    def _is_closed(self, q: Vector, error: float, tolerance: float) -> bool:
        """Whether the gaps are within the tolerance, or nothing but the last digits of large coordinates and arms."""
        if error <= tolerance or not np.isfinite(error):
            return error <= tolerance
        digits = COORDINATE_ROUNDING * np.abs(self.slopes(q)) @ np.maximum(self._units, np.abs(q))
        return error <= float(digits.max(initial=0.0))

    def _approach(self, guess: Vector, free: list[int]) -> tuple[Vector, float]:
        """The best that Newton's method finds from a guess, with its error."""
        return damped_newton(self.gaps, self.slopes, guess, free, lambda error: self._longest_steps(guess, error))

    def _longest_steps(self, guess: Vector, error: float) -> Vector:
        """The longest step of each coordinate; lengths of a large mechanism may change by more."""
        sizes = (*np.abs(guess[self._lengths]) / self.length, error if np.isfinite(error) else 0.0)
        longest = LONGEST_STEP * self._units
        longest[self._lengths] *= max(1.0, float(max(sizes)) / LARGE)
        return longest

    @cached_property
    def _units(self) -> Vector:
        """What a change of each coordinate is measured by: 1 rad, or the longest length."""
        units = np.ones(len(self.model.coordinates))
        units[self._lengths] = self.length
        return units

    @cached_property
    def _lengths(self) -> list[int]:
        """The places of coordinates that are lengths."""
        lengths = set(length_coordinates(self.model))
        return [k for k, coordinate in enumerate(self.model.coordinates) if coordinate in lengths]

    def largest_gap(self, q: Vector) -> float:
        """The largest gap; infinite outside of the domain of a function."""
        return largest_gap(gaps_or_none(self.gaps, q))

    def assembled(self, guess: Vector, held: Iterable[int], tolerance: float) -> Vector:
        """The coordinates nearest to a guess that keep all constraints, from the guess itself or from around it.

        Raises:
            AssemblyError: if none are found; it says which loops stay open, and what came closest.
        """
        if self.largest_gap(guess) <= ROUNDED_GAP:
            return guess
        free = [k for k in range(len(guess)) if k not in set(held)]
        best, least = guess, np.inf
        for start in self._around(guess, free, TRIES):
            q, error = self._approach(start, free)
            if self._is_closed(q, error, tolerance):
                return q
            if error < least:
                best, least = q, error
        raise self._open(self._closest(best, free), [self.model.coordinates[k].name for k in held])

    def _closest(self, q: Vector, free: list[int]) -> Vector:
        """The configuration near q in which the gaps are as small as they can be."""
        from scipy.optimize import least_squares  # late, because importing it takes long

        if not free:
            return q

        def with_free(x: Vector) -> Vector:
            moved = q.copy()
            moved[free] = x
            return moved

        found = with_free(least_squares(lambda x: self.gaps(with_free(x)), q[free], max_nfev=100).x)
        turns = [
            k
            for k, coordinate in enumerate(self.model.coordinates)
            if coordinate in angles_of(self.model) and k in free
        ]
        found[turns] -= 2 * np.pi * np.round(found[turns] / (2 * np.pi))
        return found

    def modes(self, guess: Vector, held: Iterable[int], tries: int, tolerance: float) -> list[Vector]:
        """Different ways to assemble the mechanism, found from random starts; the one nearest to the guess first."""
        free = [k for k in range(len(guess)) if k not in set(held)]
        rng = np.random.default_rng(0)
        found: list[Vector] = []
        for trial in range(tries):
            start = guess.copy()
            start[free] += (0 if trial == 0 else 2.0) * rng.normal(size=len(free)) * self._units[free]
            q, error = self._approach(start, free)
            if self._is_closed(q, error, tolerance) and all(self._apart(q, other) for other in found):
                found.append(q)
        return sorted(found, key=lambda q: float(np.linalg.norm(q - guess)))

    def _apart(self, q: Vector, other: Vector) -> bool:
        """Whether two configurations differ, angles of elementary joints counted modulo one turn."""
        difference = q - other
        angles = angles_of(self.model)
        turns = [k for k, coordinate in enumerate(self.model.coordinates) if coordinate in angles]
        difference[turns] = (difference[turns] + np.pi) % (2 * np.pi) - np.pi
        return float(np.abs(difference).max(initial=0.0)) > 1e-6

    def _open(self, q: Vector, held: Sequence[str]) -> AssemblyError:
        relative = np.abs(self.gaps(q))
        phi = relative * self._gap_scales
        owners = [self.constraints.owners[row] for row in self.constraints.holonomic]
        worst = {
            owner: float(np.linalg.norm([x for x, o in zip(phi, owners, strict=False) if o == owner]))
            for owner in owners
        }
        seen = min(1e-9, float(relative.max(initial=0.0)) / 2)
        wide = {owner for owner, gap in zip(owners, relative, strict=False) if gap > seen}
        still = ", ".join(f"'{name}' by {gap:.3g}" for name, gap in worst.items() if name in wide)
        reached = ", ".join(
            f"{coordinate.name}={value:.6g}" for coordinate, value in zip(self.model.coordinates, q, strict=True)
        )
        return AssemblyError(
            f"The mechanism cannot be assembled: it stays open at {still or 'a quaternion'}.",
            code="loop-cannot-close",
            where=f"system '{self.model.name}'",
            cause="Lengths do not fit, or the coordinates that are held do not allow it"
            + (f": {', '.join(held)}." if held else ".")
            + self._inputs_then(),
            remedy="Change lengths, start from another guess, or hold fewer coordinates. "
            f"The closest configuration was {reached}.",
            names=tuple(name for name in worst if name in wide),
        )

    def _inputs_then(self) -> str:
        """The inputs that the gaps depend on, with the values that were taken for them."""
        symbols = free_symbols(list(self.constraints.gaps))
        values = [f"{symbol.name}={self.known[symbol]:.6g}" for symbol in self.model.input_symbols if symbol in symbols]
        return f" The motion of a joint follows inputs; they were {', '.join(values)}." if values else ""

    # speeds ------------------------------------------------------------------------------------------------------

    def moving(self, q: Vector, guess: Vector, held: Sequence[int], tolerance: float) -> Vector:
        """The speeds nearest to a guess that keep all constraints.

        Raises:
            AssemblyError: if the speeds that are held do not allow it.
        """
        free = [k for k in range(len(guess)) if k not in set(held)]
        u = guess.copy()
        B, beta = self._scaled_velocity(q, u)
        for _ in range(2 if self.constraints.linear else STEPS):  # the second step removes rounding
            if len(beta) and free:
                u[free] -= np.linalg.lstsq(B[:, free], B @ u + beta, rcond=1e-10)[0]
                B, beta = (B, beta) if self.constraints.linear else self._scaled_velocity(q, u)
        gap = np.abs(B @ u + beta)
        if gap.max(initial=0.0) > tolerance * max(1.0, float(np.abs(u).max(initial=0.0))) * 1e3:
            names = [name for name, distance in zip(self.constraints.names, gap, strict=True) if distance > 1e-9]
            fixed = ", ".join(self.model.speeds[k].name for k in held)
            raise AssemblyError(
                f"No speeds keep the constraints {', '.join(names)}.",
                code="speeds-cannot-keep-constraints",
                where=f"system '{self.model.name}'",
                cause=f"The speeds that are held do not allow it: {fixed}."
                if held
                else "A prescribed motion is at odds.",
                remedy="Hold fewer speeds, or other values.",
                names=tuple(names),
            )
        return u
