"""Angles of dependent joints and of joints that close loops, as expressions atan2(y, x) of the state."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from multibody.equations.contract import MotionEquations
from multibody.errors import ConversionError
from multibody.graph import Expr, topological
from multibody.model import Model


def dependent_angles(model: Model) -> dict[Hashable, tuple[str, Expr]]:
    """The angles that coordinates of dependent and cut joints are made of.

    Returns:
        For the fingerprint of each atan2(y, x) the name of its coordinate, and the expression.
    """
    angles: dict[Hashable, tuple[str, Expr]] = {}
    for coordinate, value in model.values.items():
        if coordinate.kind == "coordinate":
            for node in topological([value]):
                if node.op == "atan2":
                    angles.setdefault(node.fp, (coordinate.name, node))
    return angles


def angles_in(expressions: Iterable[Expr]) -> set[Hashable]:
    """The fingerprints of all atan2(y, x) in some expressions."""
    return {node.fp for node in topological(list(expressions)) if node.op == "atan2"}


def acting_angles(eom: MotionEquations) -> dict[Hashable, tuple[str, Expr]]:
    """Those of the dependent angles that the accelerations depend on, not their sines and cosines alone."""
    angles = dependent_angles(eom.model)
    acting = angles_in(eom.acceleration) if angles else set()
    return {fp: named for fp, named in angles.items() if fp in acting}


def require_no_acting_angles(eom: MotionEquations, where: str) -> None:
    """Refuse equations whose accelerations depend on an angle that is known between -π and π only.

    Runs of ``simulate`` keep such angles continuous. Code for other tools has no memory of the turns that were made:
    where the angle passes π, a spring on its joint would change its force by 2π times its stiffness.

    Args:
        eom: equations of motion.
        where: what the equations are used for.

    Raises:
        ConversionError: with the names of the joints' coordinates.
    """
    acting = acting_angles(eom)
    if acting:
        names = ", ".join(dict.fromkeys(repr(coordinate) for coordinate, _ in acting.values()))
        raise ConversionError(
            f"A load depends on {names}, an angle that jumps by 2π where it passes π.",
            code="angle-not-continuous",
            where=f"{where} of system '{eom.model.name}'",
            cause="The angle follows from others by a closed loop. It is computed by atan2, without a memory of turns.",
            remedy="Derive with constraints=Multipliers(), and cut the loop at a joint without a load.",
        )
