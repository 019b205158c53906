"""A part being written down: names that end with its label, parameters with or without values, and its energies.

The dynamic equations follow from the energies by Lagrange's equations, with forces Q that have no potential:

    d̄ = Q - d/dt ∂T/∂u + ∂T/∂q - ∂V/∂q        with q̇ = u

and for a quasi-velocity without a coordinate, such as an electric current, without the terms in q.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from multibody.graph import ZERO, Expr, Symbol, as_expr, gradient, substitute, symbol, time_derivative
from multibody.graph.names import check
from multibody.model.quantity import rate_name
from multibody.subsystems.arguments.vocabulary import rate_symbol, variable
from multibody.subsystems.coupling import subsystem
from multibody.subsystems.energy import PartialEnergy
from multibody.subsystems.library.quantities import PartQuantities
from multibody.subsystems.subsystem import Subsystem


class PartDraft(PartQuantities):
    """Collects the variables, parameters and inputs of one part.

    Args:
        label: of the part; all names get it as their ending.
    """

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self.coordinates: list[Symbol] = []
        self.speeds: list[Symbol] = []
        self.inputs: list[str] = []

    def coordinate(self, stem: str) -> tuple[Symbol, Symbol]:
        """A new coordinate and its rate."""
        self.coordinates.append(variable(f"{stem}_{self.label}", 0))
        return self.coordinates[-1], self.speed(rate_name(self.coordinates[-1].name))

    def speed(self, name: str) -> Symbol:
        """A new quasi-velocity; here the name is complete."""
        self.speeds.append(variable(name, 1))
        return self.speeds[-1]

    def input(self, stem: str | None) -> Expr:
        """A new input; zero if there is none."""
        if stem is None:
            return ZERO
        self.inputs.append(f"{stem}_{self.label}")
        return symbol(self.inputs[-1], "input")

    def named(self, point: str, position: Iterable[Expr]) -> dict[str, Expr]:
        """Names for the components of a position: x_A_P, y_A_P for the point A of the part P."""
        stem = f"{point}_{self.label}" if point else self.label
        return {
            check(f"{axis}_{stem}", what="point"): component for axis, component in zip("xyz", position, strict=False)
        }

    def made(
        self, kinetic: Any, potential: Any = 0, description: str = "", *, forces: Mapping[Symbol, Any] | None = None,
        constraints: Mapping[str, Expr] | None = None, points: Mapping[str, Expr] | None = None,
        as_variables: bool = False, independent: Sequence[str] | None = None,
        reference: Mapping[Symbol, Expr] | None = None,
    ) -> Subsystem:  # fmt: skip
        """The subsystem with these energies.

        Args:
            kinetic: T.
            potential: V.
            description: what it is.
            forces: Q, by quasi-velocity.
            constraints: further invariants.
            points: names for expressions that others couple to.
            as_variables: whether these names become variables with rates; otherwise they stand for expressions.
            independent: names of quasi-velocities; by default a choice is made if there are constraints.
            reference: the reference motion, where it is not zero.
        """
        T, V = as_expr(kinetic), as_expr(potential)
        still: dict[Expr, Expr] = {
            coordinate: (reference or {}).get(coordinate, ZERO) for coordinate in self.coordinates
        }
        new = dict(points or {}) if as_variables else {}
        made = subsystem(
            self.label,
            {0: [*self.coordinates, *new], 1: [*self.speeds, *map(rate_name, new)]},
            self._rows(T, V, forces or {}),
            constraints=dict(constraints or {}) | {name: variable(name, 0) - value for name, value in new.items()},
            independent=independent, parameters=self.parameters, inputs=self.inputs,
            energy=PartialEnergy(T, V),
            reference={variable.name: value for variable, value in (reference or {}).items()}
            | {name: as_expr(substitute(expression, still)) for name, expression in new.items()},
            description=description,
        )  # fmt: skip
        return made if as_variables else with_names(made, points or {})

    def _rows(self, T: Expr, V: Expr, forces: Mapping[Symbol, Any]) -> dict[str, Expr]:
        """d̄ of every quasi-velocity that has energy or forces."""
        flow: dict[Expr, Expr] = {q: variable(rate_name(q.name), 1) for q in self.coordinates}
        slopes = dict(zip(flow.values(), gradient(T - V, self.coordinates), strict=True))
        flow |= {u: rate_symbol(u) for u in self.speeds}
        rows: dict[str, Expr] = {}
        for u, momentum in zip(self.speeds, gradient(T, self.speeds), strict=True):
            row = as_expr(forces.get(u, ZERO)) - time_derivative(momentum, flow) + slopes.get(u, ZERO)
            rows |= {u.name: row} if row.fp != 0 else {}
        return rows


def with_names(made: Subsystem, names: Mapping[str, Expr]) -> Subsystem:
    """The same subsystem with names for expressions and for their rates, to be used in constraints."""
    if not names:
        return made
    rates = zip(map(rate_name, names), time_derivative(list(names.values()), made.flow), strict=True)
    return replace(made, aliases={**made.aliases, **names, **dict(rates)})
