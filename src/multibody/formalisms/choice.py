"""``derive``: the user's door to all formalisms."""

from __future__ import annotations

from multibody.equations import EquationsOfMotion, Handling, Multipliers
from multibody.equations.validation.argument_checks import require_own_symbols
from multibody.equations.without_bodies import require_bodies
from multibody.errors import ModelError, SingularMatrixError
from multibody.formalisms.articulated_body import ArticulatedBody, has_own_speeds
from multibody.formalisms.contract import Formalism
from multibody.formalisms.recursive import Recursive
from multibody.graph import isolated, topological
from multibody.mechanics.validation.mass import require_regular_by_default
from multibody.mechanics.validation.own_parts import require_consistent_parts
from multibody.mechanics.validation.start_values import require_quaternions
from multibody.mechanics.validation.symbols import require_different_names
from multibody.model import Model, System
from multibody.model.given import arguments, expressions_in

CLEAR = 1.25
"""If one formalism is expected to take so many times the operations of the other, they are not counted."""

CLEAR_RECURSIVE, CLEAR_ARTICULATED = 1.3, 2.0
"""The same where there are constraints: for the choice of ``Recursive``, and for that of ``ArticulatedBody``.

Both solve the same equations for the multipliers, so that the ratio of the trees alone decides. It was compared with
counts for 29 mechanisms: planar and spatial chains of 3 to 80 links with 2 to 11 equations, rows of four-bar linkages,
Andrews' mechanism, a Stewart platform and a bicycle.
"""


def derive(
    system: System | Model, formalism: Formalism | None = None, *, constraints: Handling | None = None
) -> EquationsOfMotion:
    """The equations of motion of a system.

    Args:
        system: a system, which is frozen first, or a model.
        formalism: how to derive them; without it, the cheaper of the recursive ones is chosen by operation count, also
            where there are constraints.
        constraints: how to solve for constrained motions: ``Multipliers()`` or ``IndependentSpeeds(…)``, with all loops
            as constraints; by default loops of known shapes are solved in closed form, and the rest is handled as the
            formalism does by itself.

    Raises:
        ModelError: for a model that no mechanism can have, as ``system.check()`` reports it: geometry or inertia that
            changes while it moves, masses that are impossible, a load whose potential does not belong to its force, a
            constraint whose velocity does not belong to its position.

    Example:
        >>> from multibody.model import System
        >>> pendulum = System("pendulum", gravity=(0, 0, -9.81))
        >>> bob = pendulum.body("bob", mass=2, com=(0, 0, -1))
        >>> hinge = pendulum.joint("angle", pendulum.world, bob, "Ry")
        >>> derive(pendulum).acceleration
        (-9.81*sin(angle),)
    """
    model = frozen(system, "derive")
    require_derivable(model)
    return derived(model, formalism, constraints)


def require_derivable(model: Model) -> None:
    """An error for a model that ``check`` finds wrong, although equations could be written down for it."""
    require_bodies(model)
    require_different_names(model)
    require_quaternions(model)
    require_regular_by_default(model)
    for name, load in model.loads.items():
        parts = [part for value in arguments(load) for part in expressions_in(value)]
        require_own_symbols(parts, model.name, f"load '{name}'")
    require_consistent_parts(model)


def derived(model: Model, formalism: Formalism | None, constraints: Handling | None) -> EquationsOfMotion:
    """The equations of motion of a model that can be derived; see ``derive``."""
    if constraints is not None and model.unreduced is not None:
        model = model.unreduced  # whoever says how to handle constraints wants to see them
    if formalism is not None:
        return _derived(model, formalism, constraints)
    firm = constraints is None or (isinstance(constraints, Multipliers) and not constraints.softness)
    if not firm or not has_own_speeds(model):
        return _derived(model, Recursive(), constraints)
    clear = (CLEAR_RECURSIVE, CLEAR_ARTICULATED) if model.constraints else (CLEAR, CLEAR)
    recursive, articulated = expected_operations(model)
    if recursive * clear[0] < articulated:
        return _derived(model, Recursive(), constraints)
    try:
        by_bodies = _derived(model, ArticulatedBody(), constraints)
    except SingularMatrixError:
        if not model.constraints:
            raise
        return _derived(model, Recursive(), constraints)  # a link without mass is held by constraints
    if articulated * clear[1] < recursive:
        return by_bodies
    return min(_derived(model, Recursive(), constraints), by_bodies, key=_operations)


def _operations(eom: EquationsOfMotion) -> int:
    """Operations of the accelerations, without those that depend on parameters alone."""
    return sum(eom.forward_dynamics.operations.values())


def frozen(system: object, where: str) -> Model:
    """A system is frozen first; ``where`` is the verb that asks for it."""
    model = system.freeze() if isinstance(system, System) else system
    if isinstance(model, Model):
        return model
    raise ModelError(
        f"{system!r:.80} is neither a system nor a model.",
        code="value-not-a-system",
        where=where,
        remedy="Give a System, or a Model.",
        value=type(system).__name__,
    )


def required_formalism(formalism: object, where: str) -> Formalism:
    """A formalism; an error for a name, or for a class without brackets."""
    if isinstance(formalism, Formalism):
        return formalism
    raise ModelError(
        f"{formalism!r:.80} is not a formalism.",
        code="value-not-a-formalism",
        where=where,
        remedy="Give an object such as Kane().",
        value=type(formalism).__name__,
    )


def _derived(model: Model, formalism: Formalism, constraints: Handling | None = None) -> EquationsOfMotion:
    """Derive apart from all other expressions, so that the result does not depend on what was derived before."""
    chosen = required_formalism(formalism, "derive")
    with isolated(*topological(model.expressions())):
        return chosen.derive(model, constraints)


def expected_operations(model: Model) -> tuple[float, float]:
    """Operations of forward dynamics by ``Recursive`` and by ``ArticulatedBody``, fitted to chains of 7 to 300 links.

    They are those of the tree, without what constraints add.

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
