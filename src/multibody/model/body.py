"""Bodies, and frames on them."""

from __future__ import annotations

from typing import Any

import numpy as np

from multibody.algebra import Rotation, Symmetric3, Transform, Vec3, exact_rotation
from multibody.errors import ModelError
from multibody.graph import ZERO, Expr, Symbol, array, as_expr
from multibody.model.description import Description
from multibody.model.error_context import concerning
from multibody.model.given import remembered
from multibody.model.joints.contract import IDENTITY


class Frame:
    """A coordinate system fixed to a body; a body is a frame too, its own.

    Attributes:
        name: unique in its system.
        body: the body that carries it.
        pose: X_BF, from frame coordinates to body coordinates.
    """

    def __init__(self, system: Description, name: str, body: Body | None, pose: Transform) -> None:
        self._system = system
        self.name = name
        self.body: Body = self if body is None else body  # type: ignore[assignment]
        self.pose = pose

    @remembered
    def frame(self, name: str, position: Any = (0, 0, 0), rotation: Any = None) -> Frame:
        """A new frame, placed relative to this one.

        Args:
            name: unique in the system.
            position: its origin in coordinates of this frame, numbers or expressions of parameters.
            rotation: a ``Rotation`` or a 3×3 matrix whose columns are its axes; None for parallel axes.
        """
        with concerning(f"frame '{name}'"):
            place = Transform(as_rotation(rotation, name), Vec3.from_any(position, what="position").symbolic())
        return self._system._register(Frame(self._system, name, self.body, self.pose @ place))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"


class Body(Frame):
    """A rigid body.

    Attributes:
        mass: in kg.
        com: centre of mass, in the body's frame.
        inertia: inertia tensor about the centre of mass, in the body's axes.
        twins: parameters that stand in the inertia for each other, because they are entries of a symmetric matrix.
    """

    def __init__(
        self, system: Description, name: str, mass: Expr, com: Vec3, inertia: Symmetric3,
        twins: tuple[tuple[Symbol, Symbol], ...] = (),
    ) -> None:  # fmt: skip
        super().__init__(system, name, None, IDENTITY)
        self.mass = mass
        self.com = com
        self.inertia = inertia
        self.twins = twins


def as_rotation(rotation: Any, name: str) -> Rotation:
    """A rotation from a rotation, a 3×3 matrix, or nothing; a rounded matrix is made exactly orthogonal."""
    if rotation is None:
        return Rotation.identity()
    if isinstance(rotation, Rotation):
        exact = any(isinstance(component, Expr) for component in rotation.components())
        return rotation.symbolic() if exact else exact_rotation(rotation.to_array())
    entries = array(rotation)
    if entries.shape != (3, 3):
        raise ModelError(
            f"A rotation cannot be made from an array of shape {entries.shape}.",
            code="array-wrong-shape",
            where=f"frame '{name}'",
            remedy="Give a Rotation, such as Rotation.about_x(pi / 2), or a 3×3 matrix.",
            name=name,
            shape=entries.shape,
        )
    if all(entry.op == "const" for entry in entries.flat):
        return exact_rotation(np.array([[float(entry) for entry in row] for row in entries]))
    return Rotation.matrix(entries)


def as_inertia(inertia: Any, mass: Expr, com: Vec3, about: Any, name: str) -> Symmetric3:
    """An inertia tensor about the centre of mass.

    Args:
        inertia: a 3×3 matrix, the six numbers (xx, xy, yy, xz, yz, zz), or three principal values.
        mass: of the body.
        com: its centre of mass.
        about: ``"com"``, ``"origin"`` or a point: what ``inertia`` refers to.
        name: of the body, for errors.
    """
    if isinstance(inertia, Symmetric3):
        tensor = inertia.symbolic()
    else:
        values = array(inertia)
        if values.shape == (3,):
            tensor = Symmetric3(values[0], values[1], values[2], ZERO, ZERO, ZERO)
        elif values.shape == (6,):
            xx, xy, yy, xz, yz, zz = values
            tensor = Symmetric3(xx, yy, zz, xy, xz, yz)
        elif values.shape == (3, 3):
            tensor = Symmetric3.from_any(values.tolist(), what="inertia")
        else:
            raise ModelError(
                f"An inertia cannot be read from an array of shape {values.shape}.",
                code="array-wrong-shape",
                where=f"body '{name}'",
                remedy="Give a 3×3 matrix, six numbers (xx, xy, yy, xz, yz, zz), or three principal values.",
                name=name,
                shape=values.shape,
            )
    if isinstance(about, str) and about == "com":
        return tensor
    if isinstance(about, str) and about != "origin":
        raise ModelError(
            f"'{about}' is not a reference point of an inertia.",
            code="inertia-reference-unknown",
            where=f"body '{name}'",
            remedy="Write about='com', about='origin', or three coordinates in the body's frame.",
            name=name,
        )
    point = Vec3(ZERO, ZERO, ZERO) if isinstance(about, str) else Vec3.from_any(about, what="point").symbolic()
    arm = com - point
    return tensor - Symmetric3.moment(arm, arm * as_expr(mass))


def diag(xx: Any, yy: Any, zz: Any) -> Symmetric3:
    """An inertia tensor along principal axes.

    Example:
        >>> diag(1, 2, 3).zz
        3
    """
    return Symmetric3.diagonal(as_expr(xx), as_expr(yy), as_expr(zz))
