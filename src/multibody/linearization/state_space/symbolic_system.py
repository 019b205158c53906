"""Linear systems with symbols in them, such as a forward speed that is left free."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from multibody.compiler import Function
from multibody.errors import AssemblyError, MissingValueError
from multibody.graph import Expr, Symbol, array, closed_form, evaluate, free_symbols, listing, to_latex, to_sympy
from multibody.graph.linear_algebra import Matrix
from multibody.graph.names import suggestion
from multibody.graph.running_error import balanced_sizes
from multibody.linearization.derivatives.elimination import Descriptor
from multibody.linearization.derivatives.independent_coordinates import IndependentChoice
from multibody.linearization.derivatives.slopes import Slopes
from multibody.linearization.operating_points.point import OperatingPoint
from multibody.linearization.state_space.linearized_system import LinearizedSystem, Terms
from multibody.linearization.tolerances import GIVEN_VALUE_GAP
from multibody.model import Model
from multibody.model.freeze.inertia_checks import require_possible


@dataclass(frozen=True, eq=False, repr=False)
class SymbolicLinearSystem:
    """A linear system whose matrices are expressions; made by ``linearize_symbolic``.

    ``system.at(v=4.6)`` is the linear system with numbers, ``system.function`` all of them as compiled code.

    Attributes:
        A: state matrix.
        B: input matrix.
        C: output matrix.
        D: feedthrough.
        states: names of the states.
        inputs: names of the inputs.
        outputs: names of the outputs.
        units: SI units by name, where they are known.
        model: what it is a picture of.
        point: the operating point: an expression for time and every coordinate, speed, input, parameter, acceleration
            and multiplier, by name.
        rates: q̇ and u̇ there.
        output_values: the outputs there.
        tangent: T in (δq, δu) = T·δx + S·δr.
        tangent_inputs: S.
        descriptor: E·(δq̇, δu̇, δλ) = F·δx + G·δr.
        choice: which coordinates and speeds are independent.
        multipliers: the names of the constraint forces in ``point``.
        gaps: what must vanish so that the coordinates keep the constraints; ``at`` checks it, ``function`` does not.
        slopes: the equations before numbers and formulas were put in; they tell what follows time.
    """

    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    units: Mapping[str, str]
    model: Model
    point: Mapping[str, Expr]
    rates: Matrix
    output_values: Matrix
    tangent: Matrix
    tangent_inputs: Matrix
    descriptor: Descriptor
    choice: IndependentChoice
    multipliers: tuple[str, ...]
    gaps: tuple[Expr, ...] = ()
    slopes: Slopes = field(kw_only=True)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """What is left free."""
        return tuple(free_symbols([*self._entries, *self.point.values()]))

    @property
    def _entries(self) -> list[Expr]:
        return [entry for matrix in (self.A, self.B, self.C, self.D) for entry in matrix.flat]

    # numbers -----------------------------------------------------------------------------------------------------

    def at(self, **values: float) -> LinearizedSystem:
        """The linear system with numbers for all symbols that are left free, by name.

        Raises:
            MissingValueError: if a symbol has no number.
            ExpressionError: where an entry has no finite value.
            ModelError: if a mass or an inertia is impossible with these numbers.
            AssemblyError: if coordinates that were left free do not keep the constraints with these numbers.
        """
        known = self._known(values)
        self._require_possible(known)
        self._require_closed(known)

        def numbers(matrix: Any) -> Any:
            return np.array(evaluate(matrix, known), dtype=float) if np.size(matrix) else np.zeros(np.shape(matrix))

        point = self._point(numbers)
        return LinearizedSystem(
            numbers(self.A), numbers(self.B), numbers(self.C), numbers(self.D), self.states, self.inputs, self.outputs,
            self.units, self.model.name, point=point, rates=numbers(self.rates),
            output_values=numbers(self.output_values), tangent=numbers(self.tangent),
            tangent_inputs=numbers(self.tangent_inputs), descriptor=Descriptor(*map(numbers, self.descriptor)),
            choice=self.choice, terms=lambda: self._terms(known),
            goes_on=lambda: self.slopes.state_lasts(point.zeros),
            lasting=lambda moving: self.slopes.linear_system_lasts(point.zeros, moving),
        )  # fmt: skip

    def _terms(self, known: Mapping[Any, float]) -> Terms:
        """Sizes of what balances in the accelerations."""
        model = self.model
        numbers = {symbol: float(value) for symbol, value in known.items() if isinstance(symbol, Symbol)}
        accelerations = balanced_sizes([self.point[acceleration.name] for acceleration in model.accelerations], numbers)
        q = np.array([abs(float(evaluate(self.point[coordinate.name], known))) for coordinate in model.coordinates])
        lengths = [self.units.get(speed.name, "").startswith("m/") for speed in model.speeds]
        angles = [self.units.get(coordinate.name, "") != "m" for coordinate in model.coordinates]
        length = float(q[np.logical_not(angles)].max(initial=0.0)) or 1.0
        return Terms(accelerations, np.where(angles, 1.0, length), np.where(lengths, length, 1.0))

    def _require_possible(self, known: Mapping[Any, float]) -> None:
        """An error for values of parameters that no mass or inertia has."""
        parameters = self.model.parameter_symbols
        require_possible(
            self.model, {parameter: float(evaluate(self.point[parameter.name], known)) for parameter in parameters}
        )

    def _require_closed(self, known: Mapping[Any, float]) -> None:
        """An error where loops are open."""
        gaps = [gap for gap in self.gaps if free_symbols(gap)]
        if not gaps:
            return
        point: dict[Any, float] = {name: float(evaluate(value, known)) for name, value in self.point.items()}
        open_by = np.abs(np.array(evaluate(gaps, known), dtype=float))
        sizes = balanced_sizes(
            gaps, {symbol: float(value) for symbol, value in known.items() if isinstance(symbol, Symbol)}
        )
        sizes = np.maximum(sizes, GIVEN_VALUE_GAP * sizes.max())
        worst = int(np.argmax(open_by / sizes))
        if open_by[worst] > GIVEN_VALUE_GAP * sizes[worst]:
            shown = ", ".join(
                f"{coordinate.name}={point[coordinate.name]:.9g}" for coordinate in self.model.coordinates
            )
            raise AssemblyError(
                f"The coordinates do not keep the constraints: a gap is {open_by[worst]:.6g}.",
                code="values-break-constraints",
                where=f"operating point of system '{self.model.name}', {shown}",
                cause="Coordinates that were left free depend on each other.",
                remedy="Give numbers that keep the constraints, such as those of eom.consistent(…), or use linearize.",
                name=self.model.name,
            )

    def _known(self, values: Mapping[str, float]) -> dict[Symbol | str, float]:
        names = [symbol.name for symbol in self.symbols]
        unknown, missing = (
            [value for value in values if value not in names],
            [name for name in names if name not in values],
        )
        if unknown or missing:
            raise MissingValueError(
                f"There is no symbol {', '.join(unknown)}." if unknown else f"No value for: {', '.join(missing)}.",
                code="name-unknown" if unknown else "value-missing",
                where=f"linear system of '{self.model.name}'",
                cause=suggestion(unknown, names),
                remedy=f"The symbols are: {', '.join(names) or 'none'}.",
                names=tuple(map(str, unknown or missing)),
            )
        return {symbol: float(values[symbol.name]) for symbol in self.symbols}

    def _point(self, numbers: Callable[[Any], Any]) -> OperatingPoint:
        model = self.model
        groups = (model.coordinates, model.speeds, model.input_symbols, model.parameter_symbols, model.accelerations)
        named = [[model.time.name], *([variable.name for variable in group] for group in groups), self.multipliers]
        t, q, u, r, p, a, forces = (numbers(array([self.point[name] for name in names])) for names in named)
        return OperatingPoint(model, float(t[0]), q, u, r, p, a, forces)

    @cached_property
    def function(self) -> Function:
        """A, B, C, D, unless empty, as a compiled function with a port for each symbol that is left free."""
        matrices = {"A": self.A, "B": self.B, "C": self.C, "D": self.D}
        taken = {symbol.name for symbol in self.symbols}
        outputs = {name + "_" * (name in taken): matrix for name, matrix in matrices.items() if matrix.size}
        return Function(f"{self.model.name}_linear", {symbol.name: symbol for symbol in self.symbols}, outputs)

    # to people ---------------------------------------------------------------------------------------------------

    def readable(self, *, seconds: float = 4.0) -> SymbolicLinearSystem:
        """The same system with its matrices in closed form, as far as that is found in the given time."""
        found = [closed_form(matrix, seconds=seconds) if matrix.size else matrix for matrix in self._matrices]
        return replace(self, A=found[0], B=found[1], C=found[2], D=found[3])

    @property
    def _matrices(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        return self.A, self.B, self.C, self.D

    def to_sympy(self) -> tuple[Any, Any, Any, Any]:
        """A, B, C, D in closed form as SymPy matrices."""
        A, B, C, D = (to_sympy(matrix) for matrix in self.readable()._matrices)
        return A, B, C, D

    def to_latex(self) -> str:
        """A, B, C, D in closed form as LaTeX."""
        found = self.readable()
        named = {"A": found.A, "B": found.B, "C": found.C, "D": found.D}
        lines = [f"{name} &= {to_latex(matrix)}" for name, matrix in named.items() if matrix.size]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$$\n{self.to_latex()}\n$$"

    def __repr__(self) -> str:
        free = ", ".join(symbol.name for symbol in self.symbols)
        return f"SymbolicLinearSystem('{self.model.name}', states {', '.join(self.states)}; free: {free})"

    def __str__(self) -> str:
        found = self.readable()
        columns = (*self.states, *self.inputs)
        upper, lower = np.hstack([found.A, found.B]), np.hstack([found.C, found.D])
        rows = [*zip([f"d/dt {name}" for name in self.states], upper, strict=True)]
        rows += [*zip(self.outputs, lower, strict=True)]
        named = {f"{row} by {c}": x for row, line in rows for c, x in zip(columns, line, strict=True) if x.fp != 0}
        return "\n".join([repr(self), *(f"  {line}" for line in listing(named).splitlines())])
