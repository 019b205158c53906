"""Discriminants of loops that are solved in closed form.

The dependent coordinates of such a loop are ±√D + …, where D depends on the others and on time. Where D becomes zero,
two solutions meet: a dead point.
"""

from __future__ import annotations

from multibody.equations.equations import EquationsOfMotion
from multibody.graph import Expr, topological


def square_roots(eom: EquationsOfMotion) -> dict[Expr, tuple[str, ...]]:
    """What loops take square roots of, with the names of the coordinates that follow from it."""
    model, found = eom.model, dict[Expr, tuple[str, ...]]()
    for one in () if model.unreduced is None else model.unreduced.coordinates:
        for node in topological([model.values[one]]) if one in model.values else ():
            if node.op == "sqrt":
                found[node.args[0]] = (*found.get(node.args[0], ()), one.name)
    return found
