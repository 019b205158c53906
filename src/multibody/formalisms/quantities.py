"""Results of a derivation that are compared: rates, accelerations, constraint forces, sensors, energies, reactions.

All are written in the speeds of the model, also if the equations have others. Sensors and reactions are functions of
the motion, of u̇ and of λ, which stay symbols: where u̇ and λ agree, so do they. Where λ is not unique, because equations
are redundant, formalisms may share the forces out in different ways, and Bᵀ·λ agrees all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from multibody.equations import EquationsOfMotion
from multibody.graph import (
    ZERO,
    Expr,
    Symbol,
    absolute,
    array,
    isolated,
    jacobian,
    product,
    solve,
    substitute,
    topological,
)
from multibody.graph.field import Value
from multibody.graph.fingerprint import second_fingerprints
from multibody.graph.traverse import flat
from multibody.model import Model


class ComparedQuantity(NamedTuple):
    """A result with a name.

    Attributes:
        name: what a table calls it, such as "reaction of 'elbow'".
        kind: those of one kind are measured by the largest of them; a sensor or an energy is a kind of its own.
        entries: expressions of (t, q, u, u̇, λ, r, p).
    """

    name: str
    kind: str
    entries: Sequence[Expr]


@dataclass(frozen=True)
class DerivationResults:
    """What a derivation says about a model.

    Attributes:
        quantities: all that is compared; the names are the same for every derivation of the model.
        motion: u̇ and λ as functions of (t, q, u, r, p), by their symbols.
    """

    quantities: tuple[ComparedQuantity, ...]
    motion: dict[Expr, Any]

    @cached_property
    def fingerprints(self) -> list[list[tuple[Value, Value]]]:
        """The fingerprints of all quantities at both points."""
        second = second_fingerprints(topological([entry for quantity in self.quantities for entry in quantity.entries]))
        return [[(entry.fp, second[entry]) for entry in quantity.entries] for quantity in self.quantities]

    def solved(self, quantity: ComparedQuantity) -> list[Expr]:
        """A quantity as function of (t, q, u, r, p), with x/|x| for sign(x): so slopes of lengths are directions."""
        with isolated():
            solved = substitute(list(quantity.entries), self.motion)
            signs = [node for node in topological(solved) if node.op == "sign"]
            for node in signs:
                x = node.args[0]
                solved = substitute(solved, {node: x / absolute(x)})
            return list(solved)


def results(eom: EquationsOfMotion, model: Model) -> DerivationResults:
    """The results of equations of motion in the speeds of the model."""
    with isolated():
        speeds = _Speeds(eom, model)
        solved = [*speeds.accelerations, *speeds.old(eom.multiplier_values)]
        motion = _by_name((*model.accelerations, *eom.multipliers), solved)
        return DerivationResults((*_solved(speeds), *speeds.carried(_measured(eom))), motion)


class _Speeds:
    """How the speeds of the equations are related to those of the model: u = J·w + u₀, u̇ = J·ẇ + c, Q_w = Jᵀ·Q_u."""

    def __init__(self, eom: EquationsOfMotion, model: Model) -> None:
        self.eom, self.model = eom, model
        self.same = eom.model.speeds == model.speeds

    @cached_property
    def J(self) -> Any:
        return jacobian(self._values(self.model.speeds), self.eom.speeds)

    def _values(self, symbols: Sequence[Symbol]) -> list[Expr]:
        """Symbols of the model in those of the equations."""
        return [self.eom.model.values.get(symbol, symbol) for symbol in symbols]

    @cached_property
    def _w(self) -> dict[Expr, Any]:
        """w as functions of u."""
        start = substitute(self._values(self.model.speeds), dict.fromkeys(self.eom.speeds, ZERO))
        return _by_name(self.eom.speeds, solve(self.J, array(list(self.model.speeds)) - array(start)))

    @cached_property
    def _w_rates(self) -> dict[Expr, Any]:
        """ẇ as functions of w and u̇."""
        drift = substitute(self._values(self.model.accelerations), dict.fromkeys(self.eom.model.accelerations, ZERO))
        rates = solve(self.J, array(list(self.model.accelerations)) - array(drift))
        return _by_name(self.eom.model.accelerations, rates)

    def old(self, entries: Sequence[Expr]) -> list[Expr]:
        """Expressions in w as expressions in u."""
        return list(entries) if self.same or not len(entries) else list(substitute(list(entries), self._w))

    @cached_property
    def accelerations(self) -> list[Expr]:
        """u̇."""
        if self.same:
            return list(self.eom.acceleration)
        known = _by_name(self.eom.model.accelerations, self.eom.acceleration)
        return self.old(substitute(self._values(self.model.accelerations), known))

    @cached_property
    def constraint_forces(self) -> list[Expr]:
        """Bᵀ·λ; none without constraints."""
        if not len(self.eom.constraints):
            return []
        forces = product(self.eom.B.T, array(list(self.eom.multiplier_values)))
        return list(forces) if self.same else self.old(solve(self.J.T, forces))

    def carried(self, quantities: Iterator[ComparedQuantity]) -> Iterator[ComparedQuantity]:
        """Quantities in u and u̇ from those in w and ẇ."""
        for quantity in quantities:
            if self.same:
                yield quantity
            else:
                yield quantity._replace(entries=self.old(substitute(list(quantity.entries), self._w_rates)))


def _by_name(symbols: Sequence[Expr], values: Sequence[Any]) -> dict[Expr, Any]:
    return dict(zip(symbols, values, strict=True))


def _solved(speeds: _Speeds) -> Iterator[ComparedQuantity]:
    """Accelerations and constraint forces, which are functions of (t, q, u, r, p)."""
    for symbol, value in zip(speeds.model.accelerations, speeds.accelerations, strict=True):
        yield ComparedQuantity(f"acceleration {symbol.name}", "accelerations", [value])
    for symbol, value in zip(speeds.model.speeds, speeds.constraint_forces, strict=False):
        yield ComparedQuantity(f"constraint force on {symbol.name}", "constraint forces", [value])


def _measured(eom: EquationsOfMotion) -> Iterator[ComparedQuantity]:
    """Rates, sensors, energies and reactions, which follow from the motion, u̇ and λ."""
    for symbol, rate in zip(eom.coordinates, eom.rates, strict=True):
        yield ComparedQuantity(f"rate of {symbol.name}", "rates", [rate])
    if eom.energy_known:
        yield ComparedQuantity("kinetic energy", "kinetic energy", [eom.kinetic_energy])
        yield ComparedQuantity("potential energy", "potential energy", [eom.potential_energy])
    for name, value in eom.outputs.items():
        yield ComparedQuantity(f"sensor '{name}'", f"sensor '{name}'", flat(value))
    for name, motor in eom.reactions.items():
        yield ComparedQuantity(f"reaction of '{name}'", "reactions", flat([*motor.resultant, *motor.moment]))
