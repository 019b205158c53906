"""The one contract for equations of motion, whatever formalism they come from.

    q̇ = N(q,t)·u + ν(q,t)
    M(q,t)·u̇ + h(q,u,t) = f(q,u,r,t) + Bᵀ(q,t)·λ
    φ(q,t) = 0,   B(q,t)·u + β(q,t) = 0,   B·u̇ + γ(q,u,t) = 0

M is the mass matrix, h holds inertia forces and gravity, f the loads, λ the constraint forces. Argument order is
(t, q, u, r, p) everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multibody.equations.compiled import CompiledEquations
from multibody.equations.dependent_angles import require_no_acting_angles
from multibody.equations.kinetics import Kinetics
from multibody.equations.solution import Multipliers, Solution
from multibody.equations.tolerances import FORCE_SOFTNESS
from multibody.graph import ONE, ZERO, Expr, array, isolated, topological
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import in_own_table
from multibody.mechanics.assembly.assembly import State, Vector
from multibody.mechanics.assembly.start_state import consistent, modes
from multibody.mechanics.composite_inertia import mass_matrix
from multibody.mechanics.constraints.independence import margin
from multibody.support.text_tables import counted

if TYPE_CHECKING:
    from multibody.equations.printed_forms.readable import ReadableEquations, SympyEquations
    from multibody.equations.printed_forms.symbol_table import SymbolTable


class Implicit(NamedTuple):
    """A form matrix · rates = right-hand side."""

    matrix: Matrix
    right: Matrix


@in_own_table
class EquationsOfMotion(CompiledEquations):
    """Equations of motion: expressions, compiled functions, states to start from, forms to read.

    Attributes:
        model: the frozen model they belong to.
        formalism: how they were derived.
        acceleration: u̇ as an explicit function of (t, q, u, r, p).
        implicit: makes M, h and f when they are asked for; a formalism may not need them.
        multiplier_values: λ as explicit functions of (t, q, u, r, p), one for each constraint equation.
        independent: numbers of the speeds from which the others follow, where the equations were solved that way.
        auxiliary: forces that auxiliary speeds brought into evidence, by name, as expressions with u̇ and λ.
    """

    def __deepcopy__(self, memo: object) -> EquationsOfMotion:
        """Equations do not change, and are their own copies: a controller that holds them is copied without them."""
        return self

    @classmethod
    def of(
        cls, kinetics: Kinetics, formalism: str, parts: Callable[[], tuple[Matrix, Matrix, Matrix]], solution: Solution,
        auxiliary: Mapping[str, Expr] | None = None,
    ) -> EquationsOfMotion:  # fmt: skip
        """Equations from what makes M, h and f, and from their solution."""
        return cls(
            kinetics.model, formalism, solution.acceleration, parts, solution.multipliers, solution.independent,
            auxiliary or {}, regularity=solution.regularity, known={"kinetics": kinetics},
        )  # fmt: skip

    @cached_property
    def regularized(self) -> EquationsOfMotion:
        """The same equations with constraint forces from all equations, which give way where they are dependent.

        They hold wherever the mechanism can move, also where a choice of independent speeds fails.
        """
        if not self.may_become_singular:
            return self
        with isolated(*topological([*self.acceleration, *self.M.flat, *self.h, *self.f, *self.model.expressions()])):
            found = Multipliers(FORCE_SOFTNESS).solve(self.M, list(self.h - self.f), self.constraints)
        return replace(
            self, acceleration=found.acceleration, multiplier_values=found.multipliers, independent=(), regularity=ONE,
            known={"kinetics": self.kinetics},
        )  # fmt: skip

    @property
    def known_powers(self) -> tuple[Expr, Expr, Expr] | None:
        """The powers of inputs, of what dissipates and of drives, where they do not follow from loads and joints."""
        return None

    @cached_property
    def unreduced(self) -> EquationsOfMotion | None:
        """The equations with all loops as constraints, where some of them are solved in closed form; None elsewhere.

        A closed form holds one way to assemble the mechanism. These equations hold all of them.
        """
        if self.model.unreduced is None:
            return None
        with isolated(*topological(self.model.unreduced.expressions())):
            kinetics = Kinetics(self.model.unreduced)
            mass = mass_matrix(kinetics.model, [motion.pose for motion in kinetics.drifts])

            def implicit() -> tuple[Matrix, Matrix, Matrix]:
                h = array(kinetics.inertia_bias())
                return mass, h, h - array(kinetics.bias())

            solution = Multipliers().solve(mass, kinetics.bias(), kinetics.constraints)
            return EquationsOfMotion.of(kinetics, "Recursive", implicit, solution)

    # states to start from ----------------------------------------------------------------------------------------

    def consistent(
        self, q: Any = None, u: Any = None, fixed: Iterable[str] = (), *, parameters: Mapping[str, float] | None = None,
        inputs: Mapping[str, float] | None = None, t: float = 0.0, tolerance: float = 1e-12,
    ) -> State:  # fmt: skip
        """Coordinates and speeds that keep all constraints, near a rough guess.

        Args:
            q: coordinates to start from, by name or all in order; the start values of the model where nothing is given.
                What is given by name is kept if that is possible.
            u: speeds, likewise.
            fixed: names of coordinates and speeds that keep their values in any case.
            parameters: values by name, where they are not the defaults.
            inputs: values by name; zero where they are not given.
            t: time.
            tolerance: the largest |φ| that counts as closed, relative to the size of each equation.

        Raises:
            AssemblyError: if the loops cannot be closed: which of them stay open, by how much, and what came closest.
        """
        return consistent(self.constraints, q, u, fixed, parameters, inputs, t, tolerance)

    def margin(self, q: Any, *, parameters: Mapping[str, float] | None = None, t: float = 0.0) -> float:
        """How far a configuration is from a singular one, between 1 and 0; small values warn.

        It is the smallest singular value, relative to the largest, of the constraint equations that count: for all
        speeds, or, if the equations were solved for independent speeds, for the dependent ones. These become useless
        where it is zero: derive the equations with others, by ``IndependentSpeeds``.

        Without constraints it is 1. It does not see where the axes of three hinges line up (gimbal lock), so that the
        mass matrix becomes singular: a ball joint with a quaternion, ``Spherical()``, has no such places.
        """
        return margin(self.constraints, self.independent, q, parameters, t)

    def assembly_modes(
        self, fixed: Iterable[str] = (), *, q: Mapping[str, float] | None = None, tries: int = 60,
        parameters: Mapping[str, float] | None = None, t: float = 0.0,
    ) -> list[Vector]:  # fmt: skip
        """Different ways to assemble the mechanism with the given coordinates held; found from random starts."""
        return modes(self.constraints, fixed, q, tries, parameters, t)

    # three forms -------------------------------------------------------------------------------------------------

    def explicit_form(self) -> Matrix:
        """ẋ = (q̇, u̇) as an explicit function."""
        return array([*self.rates, *self.acceleration])

    def combined_form(self) -> Implicit:
        """One matrix for all of ẋ = (q̇, u̇), followed by λ where there are constraints."""
        n = len(self.coordinates)
        separate = self.separate_form()
        size = n + len(separate.right)
        matrix = np.full((size, size), ZERO, dtype=object)
        matrix[range(n), range(n)] = ONE
        matrix[n:, n:] = separate.matrix
        return Implicit(matrix, np.concatenate([array(list(self.rates)), separate.right]))

    def separate_form(self) -> Implicit:
        """M·u̇ = f - h, or [M -Bᵀ; B 0]·(u̇, λ) = (f - h, -γ); the rates q̇ stand beside it in ``rates``."""
        if not len(self.constraints):
            return Implicit(self.M, self.f - self.h)
        m, rows = len(self.speeds), len(self.constraints)
        matrix = np.full((m + rows, m + rows), ZERO, dtype=object)
        matrix[:m, :m], matrix[:m, m:], matrix[m:, :m] = self.M, -self.B.T, self.B
        return Implicit(matrix, np.concatenate([self.f - self.h, -self.gamma]))

    # to read -----------------------------------------------------------------------------------------------------

    def readable(self, *, seconds: float = 4.0, size: int = 2000) -> ReadableEquations:
        """Closed forms of M, h, f, the accelerations and all the rest, as a textbook would print them.

        Args:
            seconds: how long the search may take; what is not found by then stays as it is.
            size: how many terms a polynomial may have on the way.

        Example:
            >>> import multibody as mb
            >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
            >>> m, l = pendulum.parameters(m=2.0, l=1.0)
            >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", m, (0, 0, -l)), "Ry")
            >>> mb.derive(pendulum).readable().M
            array([[l**2*m]], dtype=object)
        """
        from multibody.equations.printed_forms.readable import (
            readable,  # late, as the next one: only those who read need it
        )

        return readable(self, seconds, size)

    def to_sympy(self, *, seconds: float = 4.0) -> SympyEquations:
        """Closed forms of everything as SymPy matrices, in a ``SymbolicSystem`` of its mechanics package.

        Raises:
            ConversionError: if a load depends on the angle of a joint that follows from others or closes a loop: it
                would jump by 2π where it passes π.
        """
        require_no_acting_angles(self, "SymPy equations")
        return self.readable(seconds=seconds).to_sympy()

    def to_latex(self, *, seconds: float = 4.0) -> str:
        """Closed forms of everything as LaTeX."""
        return self.readable(seconds=seconds).to_latex()

    def symbol_table(self) -> SymbolTable:
        """All symbols with their units and meanings."""
        from multibody.equations.printed_forms.symbol_table import symbol_table

        return self.once("symbol table", lambda: symbol_table(self.model, self.constraints))

    def __repr__(self) -> str:
        return f"EquationsOfMotion({self.model.name!r}, {counted(len(self.speeds), 'speed')}, by {self.formalism})"

    def __str__(self) -> str:
        from multibody.equations.printed_forms.readable import PRINT_SECONDS

        return str(self.readable(seconds=PRINT_SECONDS))

    def _repr_latex_(self) -> str:
        from multibody.equations.printed_forms.readable import PRINT_SECONDS

        return f"$$\n{self.to_latex(seconds=PRINT_SECONDS)}\n$$"
