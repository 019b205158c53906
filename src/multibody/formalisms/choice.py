"""``derive``: the user's door to all formalisms."""

from __future__ import annotations

from multibody.equations import EquationsOfMotion
from multibody.formalisms.articulated_body import ArticulatedBody
from multibody.formalisms.contract import Formalism
from multibody.formalisms.recursive import Recursive
from multibody.graph import isolated, topological
from multibody.model import Model, System

DEEP = 8
"""Links in a row from which on the articulated-body algorithm is worth trying, and twice that it is taken unseen."""


def derive(system: System | Model, formalism: Formalism | None = None) -> EquationsOfMotion:
    """The equations of motion of a system.

    Args:
        system: a system, which is frozen first, or a model.
        formalism: how to derive them; without it, the cheaper of the recursive ones is chosen by operation count.

    Example:
        >>> from multibody.model import System
        >>> pendulum = System("pendulum", gravity=(0, 0, -9.81))
        >>> bob = pendulum.body("bob", mass=2, com=(0, 0, -1))
        >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry")
        >>> derive(pendulum).acceleration
        (-9.81*sin(angle),)
    """
    model = system.freeze() if isinstance(system, System) else system
    if formalism is not None:
        return _derived(model, formalism)
    deepest = depth(model)
    if deepest < DEEP or deepest >= 2 * DEEP:
        return _derived(model, Recursive() if deepest < DEEP else ArticulatedBody())
    both = [_derived(model, Recursive()), _derived(model, ArticulatedBody())]
    return min(both, key=lambda eom: sum(eom.forward_dynamics.operations.values()))


def _derived(model: Model, formalism: Formalism) -> EquationsOfMotion:
    """Derive apart from all other expressions, so that the result does not depend on what was derived before."""
    with isolated(*topological(model.expressions())):
        return formalism.derive(model)


def depth(model: Model) -> int:
    """The largest number of moving links in a row."""
    depths = {-1: 0}
    for link in model.links:
        depths[link.index] = depths[link.parent] + 1
    return max(depths.values())
