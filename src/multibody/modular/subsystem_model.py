"""A subsystem as a model without bodies: its names, values and invariants, for the rooms that need a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from multibody.equations.without_bodies import KineticsWithoutBodies, ModelWithoutBodies
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, isolated, jacobian, substitute
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import in_own_table
from multibody.model import Constraint, Equation, Model
from multibody.model.kinematics import Kinematics
from multibody.model.sensors import Expression
from multibody.modular.explicit import accelerations, multipliers
from multibody.modular.invariant import Invariant
from multibody.modular.reduction import own_dynamics
from multibody.modular.starting import start_values
from multibody.modular.subsystem import Subsystem
from multibody.modular.vocabulary import TIME, rate_symbol


class Kept(Constraint):
    """One invariant as a constraint of a model."""

    def __init__(self, invariant: Invariant) -> None:
        self.invariant = invariant

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """The invariant at the levels of velocity and, where there is one, position."""
        assert self.invariant.velocity is not None
        positions = self.invariant.positions
        return [Equation("", self.invariant.velocity, positions[-1] if positions else None)]

    @property
    def touches(self) -> tuple[object, ...]:
        """Nothing that has a name of its own."""
        return (self.invariant.title,)


@dataclass(frozen=True, eq=False)
class SubsystemModel(ModelWithoutBodies):
    """A model without bodies: variables, parameters, inputs, invariants.

    Attributes:
        system: the subsystem.
    """

    system: Subsystem | None = None

    def require_values(self, values: Mapping[Symbol, float]) -> None:
        """An error for values for which the reference of a linear subsystem is not a motion."""
        if self.system is not None:
            self.system.require_values(values)

    @cached_property
    def given_mass_matrix(self) -> Matrix | None:
        """M of all levels before coupling."""
        assert self.system is not None
        with isolated():
            return mass_and_bias(self.system)[0]


def mass_and_bias(system: Subsystem) -> tuple[Matrix, Matrix]:
    """M and k of all levels before coupling: their rows are -(M·u̇ + k)."""
    places = {one: k for k, one in enumerate(system.top)}
    count = len(places)
    M, k = np.full((count, count), ZERO, dtype=object), np.full(count, ZERO, dtype=object)
    for level in system.levels():
        if level.rows:
            own, bias = own_dynamics(level.top, level.rows)
            rows, columns = [places[one] for one in level.rows], [places[one] for one in level.top]
            M[np.ix_(rows, columns)] = M[np.ix_(rows, columns)] + own
            k[rows] = k[rows] + bias
    return M, k


def model_of(system: Subsystem) -> SubsystemModel:
    """A model with the names, values and invariants of a subsystem."""
    _require_two_levels(system)
    places = {one: k for k, one in enumerate(system.coordinates)}
    shown = {title: Kept(one) for title, one in _titled(shown_invariants(system)).items()}
    content: dict[str, Any] = {
        "time": TIME,
        "coordinates": system.coordinates,
        "speeds": system.top,
        "accelerations": tuple(rate_symbol(one) for one in system.top),
        "rates": tuple(system.rates.values()),
        "start": _start(system),
        "parameters": system.parameters,
        "inputs": system.inputs,
        "constraints": shown,
        "sensors": {name: Expression(value) for name, value in system.aliases.items()}
        | dict(system.whole_appearance().sensors),
        "written": frozenset(one.name for one in system.start),
        "unit": tuple(tuple(places[one] for one in group) for group in system.quaternions),
        "system": system,
    }
    return SubsystemModel.made(system.label, **content)


def shown_invariants(system: Subsystem) -> list[Invariant]:
    """The invariants that restrict velocities; also those that follow from others now, but may be independent later."""
    everything = [one for level in system.levels() for one in (*level.invariants, *level.redundant)]
    return [one for one in everything if one.velocity is not None]


def _titled(invariants: Sequence[Invariant]) -> dict[str, Invariant]:
    """Invariants by names that are all different, also where parts of parts have the same labels."""
    found: dict[str, Invariant] = {}
    for one in invariants:
        number = 1 + sum(other.title == one.title for other in found.values())
        found[one.title if number == 1 else f"{one.title}__{number}"] = one
    return found


def _require_two_levels(system: Subsystem) -> None:
    deep = [one.title for one in system.all_invariants() if len(one.positions) > 1]
    if deep:
        raise ModelError(
            f"The constraint {deep[0]} restricts variables two orders below the highest ones.",
            where=f"subsystem '{system.label}'",
            cause="Equations of motion know positions and velocities; here rates of accelerations are the unknowns.",
            remedy="Use the explicit form, or write the subsystem with quasi-velocities as its highest variables.",
        )


def _start(system: Subsystem) -> dict[Symbol, float]:
    known = start_values(system.orders, system.start, system.reference, system.parameters)
    return {one: float(known.get(one, 0.0)) for one in (*system.coordinates, *system.top)}


@in_own_table
class SubsystemKinetics(KineticsWithoutBodies):
    """What equations of motion need of a subsystem: constraints, mass matrix, forces."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        assert isinstance(model, SubsystemModel)
        assert model.system is not None
        self.system = model.system

    @cached_property
    def rates(self) -> dict[Symbol, Expr]:
        """u̇ from the reduced equations."""
        return accelerations(self.system)

    @cached_property
    def forces(self) -> dict[Invariant, Expr]:
        """λ of all invariants."""
        return multipliers(self.system, self.rates)

    @cached_property
    def parts(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, h and f of all levels before coupling; f has what follows inputs, and forces of order-two invariants."""
        M, k = mass_and_bias(self.system)
        h = array(substitute(list(k), dict.fromkeys(self.model.input_symbols, ZERO))) if len(k) else k
        return M, h, h - k + self._hidden_forces()

    def _hidden_forces(self) -> Matrix:
        """Aᵀ·λ of invariants that restrict only rates, and have no place among the constraints."""
        total = np.full(len(self.system.top), ZERO, dtype=object)
        rates = [rate_symbol(one) for one in self.system.top]
        for one in self.system.all_invariants():
            if one.velocity is None:
                row = jacobian([one.acceleration], rates)[0]
                total = total + np.array([entry * self.forces[one] for entry in row], dtype=object)
        return total
