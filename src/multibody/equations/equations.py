"""The one contract for equations of motion, whatever formalism they come from.

    q̇ = N(q,t)·u + ν(q,t)
    M(q,t)·u̇ + h(q,u,t) = f(q,u,r,t) + Bᵀ(q,t)·λ
    φ(q,t) = 0,   B(q,t)·u + β(q,t) = 0,   B·u̇ + γ(q,u,t) = 0

M is the mass matrix, h holds inertia forces and gravity, f the loads, λ the constraint forces. Argument order is
(t, q, u, r, p) everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from multibody.algebra import ForceMotor, Vec3
from multibody.compile import Function
from multibody.equations.kinetics import Kinetics
from multibody.equations.readable import ReadableEquations, SympyEquations, readable
from multibody.equations.robust import RobustDynamics
from multibody.equations.solution import Solution
from multibody.equations.symbol_table import SymbolTable, symbol_table
from multibody.errors import ModelError
from multibody.graph import ONE, ZERO, Expr, Symbol, array, jacobian, product, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.model import Joint, Model
from multibody.model.assembly import State, Vector
from multibody.model.constraint_equations import Constraints
from multibody.model.energy import angular_momentum, kinetic_energy, linear_momentum, potential_energy
from multibody.model.regularity import margin
from multibody.model.start_state import consistent, modes


class Implicit(NamedTuple):
    """A form matrix · rates = right-hand side."""

    matrix: Matrix
    right: Matrix


@dataclass(frozen=True, eq=False)
class EquationsOfMotion:
    """Equations of motion with all their names.

    Attributes:
        model: the frozen model they belong to.
        formalism: how they were derived.
        acceleration: u̇ as an explicit function of (t, q, u, r, p).
        implicit: makes M, h and f when they are asked for; a formalism may not need them.
        multiplier_values: λ as explicit functions of (t, q, u, r, p), one for each constraint equation.
        independent: numbers of the speeds from which the others follow, where the equations were solved that way.
        auxiliary: forces that auxiliary speeds brought into evidence, by name, as expressions with u̇ and λ.
    """

    model: Model
    formalism: str
    acceleration: tuple[Expr, ...]
    implicit: Callable[[], tuple[Matrix, Matrix, Matrix]] = field(repr=False)
    multiplier_values: tuple[Expr, ...] = ()
    independent: tuple[int, ...] = ()
    auxiliary: Mapping[str, Expr] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls, kinetics: Kinetics, formalism: str, parts: Callable[[], tuple[Matrix, Matrix, Matrix]], solution: Solution,
        auxiliary: Mapping[str, Expr] | None = None,
    ) -> EquationsOfMotion:  # fmt: skip
        """Equations from what makes M, h and f, and from their solution."""
        made = cls(kinetics.model, formalism, solution.acceleration, parts, *solution[1:], auxiliary or {})
        vars(made)["kinetics"] = kinetics  # what the formalism has found out is not found out again
        return made

    # names -------------------------------------------------------------------------------------------------------

    @property
    def coordinates(self) -> tuple[Symbol, ...]:
        """The symbols q."""
        return self.model.coordinates

    @property
    def speeds(self) -> tuple[Symbol, ...]:
        """The symbols u."""
        return self.model.speeds

    @property
    def inputs(self) -> tuple[Symbol, ...]:
        """The symbols r."""
        return self.model.input_symbols

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The symbols p."""
        return self.model.parameter_symbols

    @property
    def multipliers(self) -> tuple[Symbol, ...]:
        """The symbols λ."""
        return self.constraints.multipliers

    # expressions -------------------------------------------------------------------------------------------------

    @property
    def rates(self) -> tuple[Expr, ...]:
        """q̇ as expressions of q, u and t."""
        return self.model.rates

    @cached_property
    def N(self) -> Matrix:
        """The matrix in q̇ = N·u + ν."""
        return jacobian(list(self.rates), self.speeds)

    @cached_property
    def nu(self) -> Matrix:
        """The vector ν in q̇ = N·u + ν."""
        return np.array(substitute(list(self.rates), dict.fromkeys(self.speeds, ZERO)), dtype=object)

    @property
    def M(self) -> Matrix:
        """The mass matrix."""
        return self._implicit[0]

    @property
    def h(self) -> Matrix:
        """Centrifugal, Coriolis and gyroscopic terms, and gravity."""
        return self._implicit[1]

    @property
    def f(self) -> Matrix:
        """Generalized forces of the loads."""
        return self._implicit[2]

    @cached_property
    def _implicit(self) -> tuple[Matrix, Matrix, Matrix]:
        return self.implicit()

    @property
    def constraints(self) -> Constraints:
        """φ, B, β and γ, with the names of their equations."""
        return self.kinetics.constraints

    @property
    def phi(self) -> Matrix:
        """φ of all constraints that restrict positions."""
        return self.constraints.phi

    @property
    def B(self) -> Matrix:
        """The matrix of all constraints at velocity level, B·u + β = 0."""
        return self.constraints.B

    @property
    def beta(self) -> Matrix:
        """The vector β in B·u + β = 0."""
        return self.constraints.beta

    @property
    def gamma(self) -> Matrix:
        """The vector γ in B·u̇ + γ = 0."""
        return self.constraints.gamma

    @cached_property
    def kept(self) -> dict[Any, Any]:
        """What other rooms have made of these equations and will need again, such as compiled functions for runs."""
        return {}

    @cached_property
    def kinetics(self) -> Kinetics:
        """Poses, velocities, accelerations, and the forces through every joint."""
        return Kinetics(self.model)

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """What the sensors measure, as expressions of (t, q, u, u̇, λ, r, p)."""
        return {name: sensor.measure(self.kinetics) for name, sensor in self.model.sensors.items()}

    @cached_property
    def kinetic_energy(self) -> Expr:
        """T."""
        return kinetic_energy(self.kinetics)

    @cached_property
    def potential_energy(self) -> Expr:
        """V, of gravity and of all loads that store energy."""
        return potential_energy(self.kinetics)

    @cached_property
    def linear_momentum(self) -> Vec3:
        """The momentum of all bodies, in the world's axes."""
        return linear_momentum(self.kinetics)

    @cached_property
    def angular_momentum(self) -> Vec3:
        """The angular momentum of all bodies about the world's origin, in the world's axes."""
        return angular_momentum(self.kinetics)

    def reaction(self, joint: Joint | str) -> ForceMotor:
        """What a joint transmits to its child frame, at its origin and in its axes; u̇ and λ are symbols."""
        if isinstance(joint, Joint):
            return self.kinetics.reaction(joint)
        known = {one.name: one for one in (*self.model.joints, *self.model.cuts)}
        if joint not in known:
            raise ModelError(
                f"There is no joint '{joint}'.",
                where=f"system '{self.model.name}'",
                remedy=f"The joints are: {', '.join(known)}.",
            )
        return self.kinetics.reaction(known[joint])

    @property
    def reactions(self) -> Mapping[str, ForceMotor]:
        """What every joint transmits to its child frame, by name; see ``reaction``."""
        return {joint.name: self.kinetics.reaction(joint) for joint in (*self.model.joints, *self.model.cuts)}

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
            tolerance: the largest |φ| that counts as closed.

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

    # compiled functions ------------------------------------------------------------------------------------------

    @property
    def _ports(self) -> dict[str, Any]:
        return {
            "t": self.model.time,
            "q": self.coordinates,
            "u": self.speeds,
            "r": self.inputs,
            "p": self.parameters,
        }

    def function(self, name: str, outputs: Mapping[str, Any], *, with_acceleration: bool = False) -> Function:
        """Any expressions of (t, q, u, r, p) as a compiled function; u̇ may be an input of its own, or is put in."""
        ports = self._ports
        known: dict[Expr, Any] = dict(zip(self.multipliers, self.multiplier_values, strict=True))
        if with_acceleration:
            ports = {**ports, "a": self.model.accelerations}
        else:
            known |= dict(zip(self.model.accelerations, self.acceleration, strict=True))
        if known:
            outputs = {key: substitute(value, known) for key, value in outputs.items()}
        return Function(f"{self.model.name}_{name}", ports, outputs)

    @cached_property
    def forward_dynamics(self) -> Function:
        """(t, q, u, r, p) → u̇."""
        return self.function("forward_dynamics", {"acceleration": list(self.acceleration)})

    @cached_property
    def inverse_dynamics(self) -> Function:
        """(t, q, u, r, p, a) → M·a + h - f: what must be added to the loads for the speeds to change at the rates a.

        Where there are constraints, it is the sum of what is added and of the constraint forces Bᵀ·λ.
        """
        return self.function("inverse_dynamics", {"force": self.kinetics.residual()}, with_acceleration=True)

    @cached_property
    def mass_matrix(self) -> Function:
        """(t, q, u, r, p) → M."""
        return self.function("mass_matrix", {"mass": self.M})

    @cached_property
    def bias(self) -> Function:
        """(t, q, u, r, p) → h - f."""
        return self.function("bias", {"bias": self.h - self.f})

    @cached_property
    def constraint_forces(self) -> Function:
        """(t, q, u, r, p) → λ."""
        return self.function("constraint_forces", {"multipliers": list(self.multiplier_values)})

    @cached_property
    def robust_dynamics(self) -> RobustDynamics:
        """(t, q, u, r, p) → u̇, λ by numbers, also where equations are redundant or the configuration is singular."""
        return RobustDynamics(self)

    @cached_property
    def constraint_residuals(self) -> Function:
        """(t, q, u, r, p) → φ, B·u + β and B·u̇ + γ: zero for a motion that keeps the constraints."""
        acceleration = product(self.B, array(list(self.acceleration))) + self.gamma if len(self.constraints) else []
        levels = {"position": self.phi, "velocity": self.constraints.velocity, "acceleration": acceleration}
        return self.function("constraint_residuals", levels)

    @cached_property
    def sensors(self) -> Function:
        """(t, q, u, r, p) → all outputs; a sensor that is called as a port is, such as ``q``, has the port ``q_``."""
        return self.function("sensors", _beside(self._ports, self.outputs))

    @cached_property
    def state_rate(self) -> Function:
        """(t, q, u, r, p) → q̇ and u̇."""
        return self.function("state_rate", {"q_dot": list(self.rates), "u_dot": list(self.acceleration)})

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
        return readable(self, seconds, size)

    def to_sympy(self, *, seconds: float = 4.0) -> SympyEquations:
        """Closed forms of everything as SymPy matrices."""
        return self.readable(seconds=seconds).to_sympy()

    def to_latex(self, *, seconds: float = 4.0) -> str:
        """Closed forms of everything as LaTeX."""
        return self.readable(seconds=seconds).to_latex()

    def symbol_table(self) -> SymbolTable:
        """All symbols with their units and meanings."""
        return symbol_table(self.model, self.constraints)

    def __str__(self) -> str:
        return str(self.readable())

    def _repr_latex_(self) -> str:
        return f"$$\n{self.to_latex()}\n$$"


def _beside(ports: Mapping[str, Any], outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Outputs under names that no input port has."""
    named: dict[str, Any] = {}
    for name, value in outputs.items():
        port = name
        while port in ports or (port != name and port in outputs):
            port += "_"
        named[port] = value
    return named
