"""Equations of motion as expressions: names, matrices, constraints, energies, reactions; see ``equations``."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import InitVar, dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from multibody.algebra import ForceMotor, Vec3
from multibody.equations.kinetics import Kinetics
from multibody.errors import ModelError
from multibody.graph import ONE, ZERO, Expr, Symbol, isolated, jacobian, substitute, topological
from multibody.graph.linear_algebra import Matrix
from multibody.graph.node import NodeTable
from multibody.graph.workspace import in_own_table
from multibody.mechanics.constraints.independence import Constraints
from multibody.model import Joint, Model
from multibody.model.energy import angular_momentum, kinetic_energy, linear_momentum, potential_energy

T = TypeVar("T")

MOST_KEPT = 32
"""How many results of other packages are kept with equations of motion."""


@in_own_table
@dataclass(frozen=True, eq=False)
class EquationExpressions:
    """Equations of motion as expressions, with all their names.

    Attributes:
        model: the frozen model they belong to.
        formalism: how they were derived.
        acceleration: u̇ as an explicit function of (t, q, u, r, p).
        implicit: makes M, h and f when they are asked for; a formalism may not need them.
        multiplier_values: λ as explicit functions of (t, q, u, r, p), one for each constraint equation.
        independent: numbers of the speeds from which the others follow, where the equations were solved that way.
        auxiliary: forces that auxiliary speeds brought into evidence, by name, as expressions with u̇ and λ.
        angles: inputs from which angles of dependent joints are measured in a run, by the fingerprint of the angle;
            without them such an angle is the principal value, between -π and π.
        regularity: zero where ``acceleration`` has no meaning, because constraints are not independent; see
            ``Solution``.

    Args:
        known: values of cached properties, such as ``kinetics``, where they exist already. Equations that ``replace``
            makes do not take them over, because their model may be another one.
    """

    model: Model
    formalism: str
    acceleration: tuple[Expr, ...]
    implicit: Callable[[], tuple[Matrix, Matrix, Matrix]] = field(repr=False)
    multiplier_values: tuple[Expr, ...] = ()
    independent: tuple[int, ...] = ()
    auxiliary: Mapping[str, Expr] = field(default_factory=dict, repr=False)
    angles: Mapping[Any, Symbol] = field(default_factory=dict, repr=False)
    regularity: Expr = field(default=ONE, repr=False)
    known: InitVar[Mapping[str, Any] | None] = None

    def __post_init__(self, known: Mapping[str, Any] | None) -> None:
        self.__dict__.update(known or {})

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

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What another package makes of these equations and will need again, such as compiled functions for runs.

        Args:
            key: begins with the name of what is made, so that keys of different packages differ.
            make: makes it, the first time; what was made longest ago is forgotten when there is much of it.

        Example:
            >>> import multibody as mb
            >>> system = mb.System("cart")
            >>> slide = system.joint("x", system.world, system.body("cart", 1), "Tx")
            >>> eom = mb.derive(system)
            >>> eom.once("list", list) is eom.once("list", list)
            True
        """
        if key in self._made:
            return self._made[key]
        made: T = self._made.setdefault(key, make())  # the first of several threads counts
        for old in list(self._made)[:-MOST_KEPT]:
            self._made.pop(old, None)
        return made

    @cached_property
    def _made(self) -> dict[Hashable, Any]:
        return {}

    @cached_property
    def kinetics(self) -> Kinetics:
        """Poses, velocities, accelerations, and the forces through every joint."""
        with isolated(*topological([*self.model.expressions(), *self.acceleration, *self.multiplier_values])):
            return Kinetics(self.model)

    @property
    def table(self) -> NodeTable:
        """The table of nodes of these equations, apart from all other expressions."""
        return self.kinetics.table

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """What the sensors measure, as expressions of (t, q, u, u̇, λ, r, p)."""
        return self._measured(
            lambda kinetics: {name: sensor.measure(kinetics) for name, sensor in self.model.sensors.items()}
        )

    def _measured(self, measure: Callable[[Kinetics], T]) -> T:
        """A quantity made of the model and the accelerations, whatever else was made of these equations before."""
        with isolated(*topological([*self.model.expressions(), *self.acceleration, *self.multiplier_values])):
            return measure(type(self.kinetics)(self.model))

    @property
    def constraints_known(self) -> bool:
        """Whether it is known which constraints the motion keeps; not if equations of rates alone were given."""
        return True

    @property
    def energy_known(self) -> bool:
        """Whether kinetic and potential energy are known; they are, unless equations were given without them."""
        return True

    @cached_property
    def _energies(self) -> tuple[Expr, Expr]:
        return self._measured(lambda kinetics: (kinetic_energy(kinetics), potential_energy(kinetics)))

    @cached_property
    def kinetic_energy(self) -> Expr:
        """T."""
        return self._energies[0]

    @cached_property
    def potential_energy(self) -> Expr:
        """V, of gravity and of all loads that store energy."""
        return self._energies[1]

    @cached_property
    def linear_momentum(self) -> Vec3:
        """The momentum of all bodies, in the world's axes."""
        return self._measured(linear_momentum)

    @cached_property
    def angular_momentum(self) -> Vec3:
        """The angular momentum of all bodies about the world's origin, in the world's axes."""
        return self._measured(angular_momentum)

    def reaction(self, joint: Joint | str) -> ForceMotor:
        """What a joint transmits to its child frame, at its origin and in its axes; u̇ and λ are symbols."""
        if isinstance(joint, Joint):
            return self.kinetics.reaction(joint)
        known = {joint.name: joint for joint in (*self.model.joints, *self.model.cuts)}
        if joint not in known:
            raise ModelError(
                f"There is no joint '{joint}'.",
                code="element-unknown",
                where=f"system '{self.model.name}'",
                remedy=f"The joints are: {', '.join(known)}.",
            )
        return self.kinetics.reaction(known[joint])

    @property
    def reactions(self) -> Mapping[str, ForceMotor]:
        """What every joint transmits to its child frame, by name; see ``reaction``."""
        return {joint.name: self.reaction(joint) for joint in (*self.model.joints, *self.model.cuts)}
