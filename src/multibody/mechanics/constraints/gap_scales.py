"""Sizes of constraint equations: tolerances of gaps are relative to them, so that results do not depend on units.

The size of an equation is its largest term, with 1 for sines, cosines, angles and parts of quaternions, and without
coordinates that are lengths: what remains are the lengths of the links. Equations of one constraint have one size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from multibody.graph import ONE, ZERO, Expr, absolute, less, maximum, sqrt, topological, where
from multibody.graph.expr import Symbol, recip
from multibody.graph.functions import largest
from multibody.mechanics.coordinate_kinds import length_coordinates, length_speeds
from multibody.mechanics.tolerances import SMALLEST_LINK_SHARE
from multibody.model.constraints import Equation
from multibody.model.model import Model


class EquationSizes(NamedTuple):
    """What gaps are measured by.

    Attributes:
        equations: the size of each equation: 1 rad for angles, and a length in the model's unit. Equations without any
            length, such as those of a straight guide, have that of the longest one.
        length: the longest length in the equations; 1 where there is none.
    """

    equations: list[Expr]
    length: Expr


def sizes_of(model: Model, owners: Sequence[str], equations: Sequence[Equation], units: Sequence[str]) -> EquationSizes:
    """The sizes of constraint equations as expressions of parameters.

    Args:
        model: what they belong to.
        owners: for each equation the name of its constraint.
        equations: all of them.
        units: what the multiplier of each is, "force", "torque" or "other".
    """
    known = _sizes_of_symbols(model)
    own = [
        _largest_term(equation.velocity if equation.position is None else equation.position, known)
        for equation in equations
    ]
    rows = [row for row, unit in enumerate(units) if unit != "torque"]
    of_owner = {
        owner: largest([ZERO, *(own[row] for row in rows if owners[row] == owner)]) for owner in dict.fromkeys(owners)
    }
    longest = largest([ZERO, *(size for size, unit in zip(own, units, strict=True) if unit == "force")])
    length = where(less(ZERO, longest), longest, ONE)
    sliding = set(length_coordinates(model))
    sizes: list[Expr] = [ONE] * len(equations)
    for row in rows:
        position = equations[row].position
        slides = position is None or not sliding.isdisjoint(topological([position]))
        sizes[row] = maximum(of_owner[owners[row]], length if slides else SMALLEST_LINK_SHARE * length)
    return EquationSizes(sizes, length)


def _sizes_of_symbols(model: Model) -> dict[Expr, Expr]:
    """1 for angles and angular velocities, 0 for lengths, velocities, inputs and time."""
    sizes: dict[Expr, Expr] = {model.time: ZERO, **dict.fromkeys(model.input_symbols, ZERO)}
    sizes |= dict.fromkeys(model.coordinates, ONE) | dict.fromkeys(length_coordinates(model), ZERO)
    return sizes | dict.fromkeys(model.speeds, ONE) | dict.fromkeys(length_speeds(model), ZERO)


def _largest_term(expression: Expr, sizes: dict[Expr, Expr]) -> Expr:
    """The size of an expression, from those of its symbols; parameters have their own absolute values."""
    known: dict[Expr, Expr] = {}
    for node in topological([expression]):
        rule = _RULES.get(node.op)
        if isinstance(node, Symbol):
            known[node] = sizes.get(node, absolute(node))
        elif rule is not None:
            known[node] = rule(*(known[arg] for arg in node.args))
        elif node.args:
            known[node] = largest([known[arg] for arg in node.args])
        else:
            known[node] = absolute(node)
    return known[expression]


_RULES: dict[str, Callable[..., Expr]] = {
    "add": maximum,
    "sub": maximum,
    "neg": lambda a: a,
    "mul": lambda a, b: a * b,
    "recip": lambda a: where(less(ZERO, a), recip(where(less(ZERO, a), a, ONE)), ZERO),
    "sqrt": sqrt,
    "sin": lambda a: ONE,
    "cos": lambda a: ONE,
    "atan2": lambda y, x: ONE,
    "where": lambda condition, a, b: maximum(a, b),
}
"""The size of an operation from those of its operands; for others the largest one."""
