"""``derive``: the user's door to all formalisms."""

from __future__ import annotations

from multibody.equations import EquationsOfMotion, Handling
from multibody.errors import ModelError
from multibody.formalisms.articulated_body import ArticulatedBody, has_own_speeds
from multibody.formalisms.contract import Formalism
from multibody.formalisms.recursive import Recursive
from multibody.graph import isolated, topological
from multibody.model import Model, System

CLEAR = 1.25
"""If one formalism is expected to take so many times the operations of the other, they are not counted."""


def derive(
    system: System | Model, formalism: Formalism | None = None, *, constraints: Handling | None = None
) -> EquationsOfMotion:
    """The equations of motion of a system.

    Args:
        system: a system, which is frozen first, or a model.
        formalism: how to derive them; without it, the cheaper of the recursive ones is chosen by operation count.
        constraints: how to solve for constrained motions: ``Multipliers()`` or ``IndependentSpeeds(…)``, with all loops
            as constraints; by default loops of known shapes are solved in closed form, and the rest is handled as the
            formalism does by itself.

    Example:
        >>> from multibody.model import System
        >>> pendulum = System("pendulum", gravity=(0, 0, -9.81))
        >>> bob = pendulum.body("bob", mass=2, com=(0, 0, -1))
        >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry")
        >>> derive(pendulum).acceleration
        (-9.81*sin(angle),)
    """
    model = frozen(system, "derive")
    if constraints is not None and model.unreduced is not None:
        model = model.unreduced  # whoever says how to handle constraints wants to see them
    if formalism is not None:
        return _derived(model, formalism, constraints)
    if constraints is not None or model.constraints or not has_own_speeds(model):
        return _derived(model, Recursive(), constraints)
    recursive, articulated = expected_operations(model)
    if recursive * CLEAR < articulated or articulated * CLEAR < recursive:
        return _derived(model, Recursive() if recursive < articulated else ArticulatedBody())
    both = [_derived(model, Recursive()), _derived(model, ArticulatedBody())]
    return min(both, key=lambda eom: sum(eom.forward_dynamics.operations.values()))


def frozen(system: object, where: str) -> Model:
    """A system is frozen first; ``where`` is the verb that asks for it."""
    model = system.freeze() if isinstance(system, System) else system
    if isinstance(model, Model):
        return model
    raise ModelError(
        f"{system!r:.80} is neither a system nor a model.",
        where=where,
        remedy="Give a System, or a Model.",
    )


def required_formalism(formalism: object, where: str) -> Formalism:
    """A formalism; an error for a name, or for a class without brackets."""
    if isinstance(formalism, Formalism):
        return formalism
    raise ModelError(
        f"{formalism!r:.80} is no formalism.",
        where=where,
        remedy="Give an object such as Kane().",
    )


def _derived(model: Model, formalism: Formalism, constraints: Handling | None = None) -> EquationsOfMotion:
    """Derive apart from all other expressions, so that the result does not depend on what was derived before."""
    chosen = required_formalism(formalism, "derive")
    with isolated(*topological(model.expressions())):
        return chosen.derive(model, constraints)


def expected_operations(model: Model) -> tuple[float, float]:
    """Operations of forward dynamics by ``Recursive`` and by ``ArticulatedBody``, fitted to chains of 7 to 300 links.

    The first grows with the squares of the depths (how many speeds there are on the way to the world), the second with
    the number of links.
    """
    depths = {-1: 0}
    linear = squares = 0
    for link in model.links:
        depths[link.index] = depths[link.parent]
        for column in link.columns:
            if column is not None:
                depths[link.index] += 1
                linear += depths[link.index]
                squares += depths[link.index] ** 2
    recursive = 140 * len(model.speeds) + 8.4 * linear + 1.6 * squares
    return recursive, max(250.0 * len(model.links), 355.0 * len(model.links) - 600)
