"""Base of constraints between two frames; reading of their arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from multibody.algebra import Vec3
from multibody.errors import ModelError, MultibodyError
from multibody.graph import Constant, Expr, as_expr, free_symbols, is_zero
from multibody.model.body import Frame
from multibody.model.constraints.contract import Constraint
from multibody.model.joints.axis import Axis, Direction, axis
from multibody.model.joints.elementary import slide_direction
from multibody.model.kinematics import Kinematics
from multibody.model.sensors.contract import resolved


class BetweenFrames(Constraint):
    """A constraint between two frames on different bodies.

    Args:
        base: the frame to hold on to; what is fixed to it (a line, a plane) may move with its body.
        frame: the frame that is held.
    """

    def __init__(self, base: Frame, frame: Frame) -> None:
        self.base = base
        self.frame = frame
        if all(isinstance(side, Frame) for side in (base, frame)) and base.body is frame.body:
            raise ModelError(
                f"Both frames are on the body '{base.body.name}', so nothing can move between them.",
                code="frames-on-one-body",
                where=repr(self),
                remedy="Give frames on two different bodies; system.world is a body too.",
                name=base.body.name,
            )

    @property
    def touches(self) -> tuple[object, ...]:
        """Both frames."""
        return self.base, self.frame


def axis_of(direction: Direction, owner: Constraint) -> Axis | Vec3:
    """The axis ``"x"``, ``"-y"`` … or along three components; errors name the constraint."""
    try:
        return axis(direction)
    except MultibodyError as error:
        error.where = repr(owner)
        raise


def unit_vector(direction: Direction, owner: Constraint) -> Vec3:
    """The vector of length one along such an axis."""
    return slide_direction(axis_of(direction, owner)).symbolic()


def fixed_vector(direction: Direction, owner: Constraint) -> Vec3:
    """The same for an axis that is fixed to its frame: the rate of one that turns there would be missing."""
    found = unit_vector(direction, owner)
    others = [symbol.name for symbol in free_symbols(list(found)) if symbol.kind not in CONSTANT]
    if others:
        raise ModelError(
            f"The direction depends on {', '.join(others)}.",
            code="direction-changing",
            where=repr(owner),
            cause="It is fixed to its frame, so that only parameters may occur in it.",
            remedy="Turn a frame by a joint with prescribed motion, and give a direction that is fixed in that frame.",
            names=tuple(others),
        )
    return found


def positive(value: Any, what: str, owner: Constraint, remedy: str) -> Expr:
    """A length as an expression; a number must be greater than zero."""
    expression = as_expr(value)
    if is_zero(expression) or (isinstance(expression, Constant) and float(expression.value) < 0):
        raise ModelError(
            f"The {what} is {expression}, not positive.", code="length-not-positive", where=repr(owner), remedy=remedy
        )
    return expression


CONSTANT = ("parameter",)
CHANGING = ("parameter", "input", "time")


def given(value: Expr, kinematics: Kinematics, owner: Constraint, kinds: Sequence[str] = CHANGING) -> Expr:
    """What the user gave, with the motion of prescribed joints put in.

    Args:
        value: an expression.
        kinematics: of the model.
        owner: what it was given to, for errors.
        kinds: of the symbols that it may depend on. It never depends on the state: the forces of a constraint act where
            its geometry says, and not on what moves that geometry.
    """
    found = resolved(value, Kinematics(kinematics.model))
    others = [symbol.name for symbol in free_symbols(found) if symbol.kind not in kinds]
    if others:
        raise ModelError(
            f"{value} depends on {', '.join(others)}.",
            code="constraint-geometry-moving",
            where=repr(owner),
            cause=f"Only {_listed(kinds)} may occur here.",
            remedy="Write other equations as an ExpressionConstraint.",
            names=tuple(others),
        )
    return as_expr(found)


def _listed(kinds: Sequence[str]) -> str:
    *first, last = [kind if kind == "time" else f"{kind}s" for kind in kinds]
    return f"{', '.join(first)} and {last}" if first else last
