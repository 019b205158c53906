"""A subsystem as a model without bodies: its names, values and invariants."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from multibody.equations.without_bodies import KineticsWithoutBodies, ModelWithoutBodies
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, isolated, jacobian, substitute, symbol
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import in_own_table
from multibody.model import Constraint, Equation, Model
from multibody.model.kinematics import Kinematics
from multibody.model.sensors import Expression
from multibody.subsystems.appearance import Appearance
from multibody.subsystems.arguments.named_values import start_values
from multibody.subsystems.arguments.vocabulary import TIME, rate_symbol
from multibody.subsystems.constraints.invariant import Invariant
from multibody.subsystems.content import SubsystemContent
from multibody.subsystems.explicit import accelerations, multipliers
from multibody.subsystems.reduction import own_dynamics

_log = logging.getLogger("multibody")


class Kept(Constraint):
    """One invariant as a constraint of a model."""

    def __init__(self, invariant: Invariant) -> None:
        self.invariant = invariant

    def equations(self, kinematics: Kinematics) -> Sequence[Equation]:
        """The invariant at the levels of velocity and, where there is one, position."""
        assert self.invariant.velocity is not None
        positions = self.invariant.positions
        position = positions[-1] if positions else None
        return [Equation("", self.invariant.velocity, position, None, self.invariant.side, self.invariant.unit)]

    @property
    def touches(self) -> tuple[object, ...]:
        """Nothing that has a name of its own."""
        return (self.invariant.title,)


@dataclass(frozen=True, eq=False)
class SubsystemModel(ModelWithoutBodies):
    """A model without bodies: variables, parameters, inputs, invariants.

    Attributes:
        system: the subsystem.
        kept: what is known of the systems that it was made from.
    """

    system: SubsystemContent | None = None
    kept: Appearance = field(default_factory=Appearance, repr=False)

    @cached_property
    def limited_coordinates(self) -> tuple[tuple[str, Symbol, tuple[float, float]], ...]:
        """Limits of the joints of systems that the subsystem was made from."""
        known = {value.name: value for value in self.values}
        return tuple(
            (
                limit.joint,
                limit.coordinate if isinstance(limit.coordinate, Symbol) else known[limit.coordinate],
                limit.limits,
            )
            for limit in self.kept.limits
        )

    @cached_property
    def inertias(self) -> tuple[tuple[tuple[str, ...], Sequence[Expr]], ...]:
        """Those of the bodies that the subsystem was made from, so that impossible values are found."""
        return self.kept.inertias

    @property
    def twins(self) -> tuple[tuple[str, Symbol, Symbol], ...]:
        """See ``Model``."""
        return tuple((twin.body, *twin.entries) for twin in self.kept.twins)

    @property
    def closed_form_coordinates(self) -> tuple[Symbol, ...]:
        """Coordinates that follow from others by loops that are solved in closed form."""
        return tuple(value for value in self.values if self.kept.values[value.name].closed_form)

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


def mass_and_bias(system: SubsystemContent) -> tuple[Matrix, Matrix]:
    """M and k of all levels before coupling: their rows are -(M·u̇ + k)."""
    places = {variable: k for k, variable in enumerate(system.top)}
    count = len(places)
    M, k = np.full((count, count), ZERO, dtype=object), np.full(count, ZERO, dtype=object)
    for level in system.levels():
        if level.rows:
            own, bias = own_dynamics(level.top, level.rows)
            rows, columns = [places[row] for row in level.rows], [places[variable] for variable in level.top]
            M[np.ix_(rows, columns)] = M[np.ix_(rows, columns)] + own
            k[rows] = k[rows] + bias
    return M, k


def model_of(system: SubsystemContent) -> SubsystemModel:
    """A model with the names, values and invariants of a subsystem."""
    _require_two_levels(system)
    places = {coordinate: k for k, coordinate in enumerate(system.coordinates)}
    kept = system.whole_appearance()
    shown = {title: Kept(invariant) for title, invariant in _titled(shown_invariants(system)).items()}
    content: dict[str, Any] = {
        "time": TIME,
        "coordinates": system.coordinates,
        "speeds": system.top,
        "accelerations": tuple(rate_symbol(variable) for variable in system.top),
        "rates": tuple(system.rates.values()),
        "start": _start(system),
        "parameters": system.parameters,
        "inputs": system.inputs,
        "constraints": shown,
        "sensors": {name: Expression(value) for name, value in system.aliases.items()} | _sensors(system, kept),
        "values": {symbol(name, value.kind): value.value for name, value in kept.values.items()},
        "kept": kept,
        "written": frozenset(symbol.name for symbol in system.start if symbol not in system.guesses),
        "unit": tuple(tuple(places[coordinate] for coordinate in group) for group in system.quaternions),
        "system": system,
    }
    return SubsystemModel.made(system.label, **content)


def _sensors(system: SubsystemContent, kept: Appearance) -> dict[str, Expression]:
    """Those of all levels; forces in joints only where no other level acts on them."""
    if not system.parts:
        forces: dict[Expr, Expr] = {
            symbol(f"lambda_{invariant.name}", "variable"): symbol(
                f"lambda_{invariant.title}", "variable", system.label
            )
            for invariant in shown_invariants(system)
        }
        return {
            name: Expression(
                array(list(substitute(list(sensor.value.flat), forces))).reshape(sensor.shape), sensor.unit
            )
            if name in kept.reactions
            else sensor
            for name, sensor in kept.sensors.items()
        }
    if kept.reactions:
        _log.warning(
            "Forces in joints are not measured where systems are coupled: %s.\n"
            "  subsystem '%s': its constraints act on variables, and through which joints is not known.",
            ", ".join(sorted(kept.reactions)),
            system.label,
        )
    return {name: sensor for name, sensor in kept.sensors.items() if name not in kept.reactions}


def shown_invariants(system: SubsystemContent) -> list[Invariant]:
    """The invariants that restrict velocities; also those that follow from others now, but may be independent later."""
    everything = [invariant for level in system.levels() for invariant in (*level.invariants, *level.redundant)]
    return [invariant for invariant in everything if invariant.velocity is not None]


def _titled(invariants: Sequence[Invariant]) -> dict[str, Invariant]:
    """Invariants by names that are all different, also where parts of parts have the same labels."""
    found: dict[str, Invariant] = {}
    for invariant in invariants:
        number = 1 + sum(other.title == invariant.title for other in found.values())
        found[invariant.title if number == 1 else f"{invariant.title}__{number}"] = invariant
    return found


def _require_two_levels(system: SubsystemContent) -> None:
    deep = [invariant.title for invariant in system.all_invariants() if len(invariant.positions) > 1]
    if deep:
        raise ModelError(
            f"The constraint {deep[0]} restricts variables two orders below the highest ones.",
            where=f"subsystem '{system.label}'",
            cause="Equations of motion know positions and velocities; here rates of accelerations are the unknowns.",
            remedy="Use the explicit form, or write the subsystem with quasi-velocities as its highest variables.",
            code="constraint-two-orders-below",
            name=deep[0],
        )


def _start(system: SubsystemContent) -> dict[Symbol, float]:
    known = start_values(system.orders, system.start, system.reference, system.parameters)
    return {symbol: float(known.get(symbol, 0.0)) for symbol in (*system.coordinates, *system.top)}


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
        rates = [rate_symbol(variable) for variable in self.system.top]
        for invariant in self.system.all_invariants():
            if invariant.velocity is None:
                row = jacobian([invariant.acceleration], rates)[0]
                total = total + np.array([entry * self.forces[invariant] for entry in row], dtype=object)
        return total
