"""A shape in its place: on a frame, or stretched from one frame to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from multibody.algebra import Transform, Vec3
from multibody.errors import ModelError
from multibody.model.body import Frame, as_rotation
from multibody.model.shapes.shapes import Shape, moving_symbols


@dataclass(frozen=True, eq=False)
class Drawing:
    """A shape that rides on a frame.

    Attributes:
        frame: that carries it.
        shape: what is drawn.
        pose: X_FS, from coordinates of the shape to those of the frame.
        to: the frame to which it is stretched, from the origin of the first one; None for a rigid shape.
    """

    frame: Frame
    shape: Shape
    pose: Transform
    to: Frame | None = None

    @property
    def touches(self) -> tuple[Frame, ...]:
        """Its frames."""
        return (self.frame,) if self.to is None else (self.frame, self.to)


def drawing(frame: Frame, shape: Any, to: Frame | None, position: Any, rotation: Any, label: str) -> Drawing:
    """A drawing from what a user gives, checked."""
    if isinstance(shape, type) and issubclass(shape, Shape):
        shape = shape()
    if not isinstance(shape, Shape):
        raise ModelError(
            f"{shape!r:.100} is not a shape.",
            code="shape-unknown",
            where=label,
            remedy="Give Box, Sphere, Cylinder, Capsule, Cone, Ellipsoid, Line, Arrow, Axes, Coil, Plane or Mesh.",
        )
    if to is not None and not shape.stretches:
        raise ModelError(
            f"A {type(shape).__name__} cannot be stretched from one frame to another.",
            code="shape-not-stretchable",
            where=label,
            remedy="Use a Line, Arrow, Cylinder, Capsule, Cone or Coil, or leave out `to`.",
        )
    place = Transform(as_rotation(rotation, label), Vec3.from_any(position, what="position").symbolic())
    moving = moving_symbols(place.components())
    if moving:
        raise ModelError(
            f"The place of a {type(shape).__name__} depends on {', '.join(moving)}.",
            code="shape-moving",
            where=label,
            cause=f"It is fixed to '{frame.name}'; position and rotation may depend on parameters only.",
            remedy="Draw it on a body that moves in that way: a body without mass, on a joint with prescribed motion.",
            names=tuple(moving),
        )
    return Drawing(frame, shape, place, to)
