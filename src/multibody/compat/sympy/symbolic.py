"""Equations of motion as SymPy's ``SymbolicSystem``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from multibody.equations import EquationsOfMotion
from multibody.graph import Symbol, array, product, rank, to_sympy
from multibody.graph.sympy.reader import time_symbol
from multibody.graph.sympy.system import ConstrainedForm, symbolic_system
from multibody.graph.workspace import alone
from multibody.model.quantity import rate_name

if TYPE_CHECKING:
    from sympy.physics.mechanics import SymbolicSystem


@alone
def written_equations(eom: EquationsOfMotion) -> SymbolicSystem:
    """q̇ and M·u̇ = f - h + Bᵀ·λ with λ put in; (q̇, u̇) explicitly if M is singular, as bodies without mass make it.

    Constraints are kept beside it, so that ``from_sympy`` finds them again.
    """
    known = written_inputs(eom.inputs) | _signed(eom)
    parts = (eom.coordinates, eom.speeds, eom.rates, eom.acceleration)
    q, u, rates, acceleration = (_column(part, known) for part in parts)
    right, mass = eom.f - eom.h, to_sympy(eom.M, known)
    constraints = {name: to_sympy(equation, known) for name, equation in eom.constraints.written.items()}
    quaternions = tuple(tuple(group) for group in eom.model.quaternions)
    motion = ConstrainedForm(mass, _column(right, known), constraints, quaternions)
    if len(eom.speeds) and rank(eom.M) < len(eom.speeds):
        return symbolic_system(q, u, rates, acceleration, None, motion)
    if len(eom.constraints):
        right = right + product(eom.B.T, array(list(eom.multiplier_values)))
    return symbolic_system(q, u, rates, acceleration, (mass, _column(right, known)), motion)


def written_inputs(inputs: Iterable[Symbol]) -> dict[Symbol, Any]:
    """A function of time for every input; for one that is called like the rate of another, the derivative."""
    import sympy

    by_name = {input_.name: input_ for input_ in inputs}
    known = {symbol: sympy.Function(name)(time_symbol()) for name, symbol in by_name.items()}
    for name in sorted(by_name, key=len):
        rate = by_name.get(rate_name(name))
        if rate is not None:
            known[rate] = known[by_name[name]].diff(time_symbol())
    return known


def _signed(eom: EquationsOfMotion) -> dict[Symbol, Any]:
    """SymPy's symbols of parameters whose signs are known, with these as assumptions."""
    import sympy

    known = {symbol: sign for symbol, sign in eom.model.signs.items() if symbol.kind == "parameter"}
    return {symbol: sympy.Symbol(symbol.name, **{sign: True}) for symbol, sign in known.items()}


def _column(entries: Any, known: Mapping[Symbol, Any]) -> Any:
    return to_sympy([[entry] for entry in entries], known)
