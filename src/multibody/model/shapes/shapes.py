"""Shapes of parts: boxes, cylinders, spheres, lines, arrows, axes, coils, planes, meshes from files.

Sizes are in metres, numbers or expressions of parameters. A shape is described in a frame of its own, which
``System.draw`` places: a box has its centre there, a cylinder stands along z, a line and an arrow start there and run
along x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Constant, Expr, as_expr, free_symbols
from multibody.model.shapes.colors import as_colour

SIZE = {"size": True}
"""Marks a field that holds a length."""


@dataclass(frozen=True, eq=False)
class Shape:
    """Something to look at; its subclasses say what.

    Attributes:
        colour: a name such as ``"steelblue"``, ``"#4682b4"``, or red, green, blue and perhaps opacity from 0 to 1;
            without it, a colour is chosen.
    """

    colour: Any = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.colour is not None:
            object.__setattr__(self, "colour", as_colour(self.colour, repr(type(self).__name__)))
        for name, value in self.sizes.items():
            object.__setattr__(self, name, _size(value, name, type(self).__name__))

    @property
    def sizes(self) -> dict[str, Any]:
        """Its lengths, by name, in the order of writing."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.metadata.get("size")}

    @property
    def stretches(self) -> bool:
        """Whether it can be laid from one frame to another."""
        return False

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, field.name) == getattr(other, field.name) for field in fields(self))

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, field.name) for field in fields(self))))


@dataclass(frozen=True, eq=False)
class Box(Shape):
    """A box with its centre at the origin.

    Example:
        >>> Box(1, 0.5, 0.1, colour="orange").sizes
        {'x': 1, 'y': 0.5, 'z': 0.1}
    """

    x: Any = field(default=1, metadata=SIZE)
    y: Any = field(default=1, metadata=SIZE)
    z: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A sphere about the origin."""

    radius: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """An ellipsoid about the origin, by its half axes."""

    x: Any = field(default=1, metadata=SIZE)
    y: Any = field(default=1, metadata=SIZE)
    z: Any = field(default=1, metadata=SIZE)


class Stretching(Shape):
    """A shape along an axis, which can be laid from one frame to another."""

    @property
    def stretches(self) -> bool:
        """Yes."""
        return True


@dataclass(frozen=True, eq=False)
class Cylinder(Stretching):
    """A cylinder about z with its centre at the origin; or from frame to frame."""

    radius: Any = field(default=1, metadata=SIZE)
    length: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Cone(Stretching):
    """A cone about z with its centre at half of its height, the tip in the direction of z; or from frame to frame."""

    radius: Any = field(default=1, metadata=SIZE)
    length: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Capsule(Stretching):
    """A cylinder about z with a half sphere at each end; ``length`` is that of the cylinder."""

    radius: Any = field(default=1, metadata=SIZE)
    length: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Line(Stretching):
    """A line from the origin along x; or from frame to frame."""

    length: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Arrow(Stretching):
    """An arrow from the origin along x; or from frame to frame."""

    length: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Coil(Stretching):
    """A helical spring about z with its centre at the origin; or from frame to frame.

    Attributes:
        radius: of the helix.
        length: of the whole.
        turns: how many.
        wire: the radius of the wire; a twelfth of the helix' without it.
    """

    radius: Any = field(default=0.1, metadata=SIZE)
    length: Any = field(default=1, metadata=SIZE)
    turns: int = 8
    wire: Any = field(default=None, metadata=SIZE)

    def __post_init__(self) -> None:
        if self.wire is None:
            object.__setattr__(self, "wire", self.radius / 12)
        super().__post_init__()
        if not 1 <= self.turns <= 200:
            raise ModelError(
                f"A coil of {self.turns!r} turns cannot be drawn.",
                code="coil-turns-invalid",
                remedy="Give a number from 1 to 200.",
            )


@dataclass(frozen=True, eq=False)
class Axes(Shape):
    """A coordinate system: x red, y green, z blue."""

    length: Any = field(default=1, metadata=SIZE)


@dataclass(frozen=True, eq=False)
class Plane(Shape):
    """A rectangle in the plane of x and y about the origin, such as a floor."""

    x: Any = field(default=10, metadata=SIZE)
    y: Any = field(default=10, metadata=SIZE)


MESH_KINDS = (".stl", ".obj", ".ply", ".glb", ".gltf", ".dae", ".off")
"""How the names of mesh files end."""


@dataclass(frozen=True, eq=False)
class Mesh(Shape):
    """A surface from a file: STL, OBJ, PLY, GLB, DAE.

    Attributes:
        path: the file; None if it is known to be missing, and a box is drawn in its place.
        scale: one factor, or one along each axis: 0.001 for a file in millimetres.
        uri: how the file was named, for messages.
        folder: files that the mesh refers to, such as textures, are looked for below this folder only; by default the
            file's own.
    """

    path: Path | None
    scale: Any = 1.0
    uri: str = ""
    folder: Path | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        factors = self.scale if isinstance(self.scale, list | tuple) else (self.scale,) * 3
        if len(factors) != 3:
            raise ModelError(
                f"{self.scale!r} does not scale a mesh.", code="mesh-scale-invalid", remedy="Give one number or three."
            )
        object.__setattr__(self, "scale", tuple(_factor(factor) for factor in factors))
        if self.path is not None:
            object.__setattr__(self, "path", Path(self.path))
            object.__setattr__(self, "uri", self.uri or str(self.path))

    @property
    def label(self) -> str:
        """Its name, for messages."""
        return self.uri or "mesh"


def _factor(value: Any) -> float:
    number = as_expr(value)
    if not isinstance(number, Constant) or not number.value:
        raise ModelError(
            f"{value!r} does not scale a mesh.", code="mesh-scale-invalid", remedy="Give a number that is not zero."
        )
    return float(number.value)


def _size(value: Any, name: str, shape: str) -> Expr | float | int:
    """A length: a positive number, or an expression of parameters."""
    expr = as_expr(value)
    if isinstance(expr, Constant):
        number = float(expr.value)
        if not number >= 0:
            raise ModelError(
                f"The {name} of a {shape} is {number:g}.",
                code="shape-size-invalid",
                remedy="A length is positive.",
                value=number,
            )
        return value if isinstance(value, int | float) else number
    moving = moving_symbols([expr])
    if moving:
        raise ModelError(
            f"The {name} of a {shape} depends on {', '.join(moving)}.",
            code="shape-moving",
            cause="Shapes are rigid; their sizes may depend on parameters only.",
            remedy="For a shape whose length changes, draw a Line, Cylinder or Coil from one frame `to` another.",
            names=tuple(moving),
        )
    return expr


def moving_symbols(parts: Sequence[Any]) -> list[str]:
    """The names of symbols that are not parameters: of what changes while a model moves."""
    return [symbol.name for symbol in free_symbols(list(map(as_expr, parts))) if symbol.kind != "parameter"]
