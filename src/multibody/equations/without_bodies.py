"""Equations that were given, not derived from bodies and joints: what other packages need of them all the same.

Subsystems, and models that were written with other tools, have names, values, constraints, a mass matrix and forces,
but no tree of links. Here is what they share; each kind of them says where its M, h and f come from.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Self

from multibody.algebra import Transform, Vec3
from multibody.equations.equations import EquationsOfMotion
from multibody.equations.kinetics import Kinetics
from multibody.errors import ModelError
from multibody.graph import Expr, array, product
from multibody.graph.linear_algebra import Matrix
from multibody.graph.workspace import in_own_table
from multibody.model import Model, System
from multibody.model.shapes.shapes import Shape


@dataclass(frozen=True, eq=False)
class ModelWithoutBodies(Model):
    """A model without bodies: variables, parameters, inputs, constraints.

    Attributes:
        unit: groups of coordinates of unit length, by their numbers.
    """

    unit: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def made(cls, name: str, **content: Any) -> Self:
        """An empty model, with this content in place of its own."""
        empty = System(name).freeze()
        return cls(**{field.name: getattr(empty, field.name) for field in fields(empty)} | content)

    @cached_property
    def quaternions(self) -> list[list[int]]:
        """The numbers of coordinates that form unit quaternions."""
        return [list(group) for group in self.unit]


def require_bodies(model: Model) -> None:
    """An error for a model whose equations were given: nothing can be derived from what it has."""
    if isinstance(model, ModelWithoutBodies):
        raise ModelError(
            f"The model '{model.name}' has no bodies and joints from which equations could be derived.",
            code="model-without-bodies",
            where=f"system '{model.name}'",
            cause="It belongs to equations that were coupled from subsystems, or taken from SymPy.",
            remedy="Use these equations as they are, or the Subsystem that they come from.",
            name=model.name,
        )


@in_own_table
class KineticsWithoutBodies(Kinetics):
    """Constraints, mass matrix and forces that do not come from a tree of links."""

    @property
    @abstractmethod
    def parts(self) -> tuple[Matrix, Matrix, Matrix]:
        """M, h and f."""

    def residual(self) -> list[Expr]:
        """M·u̇ + h - f."""
        M, h, f = self.parts
        return list(product(M, array(list(self.model.accelerations))) + h - f) if len(h) else []

    def bias(self) -> list[Expr]:
        """h - f."""
        return list(self.parts[1] - self.parts[2])

    def inertia_bias(self) -> list[Expr]:
        """h."""
        return list(self.parts[1])


@dataclass(frozen=True)
class BodyPlace:
    """Where a body is that given equations belong to, as expressions of the state.

    Attributes:
        name: of the body.
        position: of its centre of mass, in the world's axes.
        rotation: the nine entries of the matrix that maps components in its frame to those in the world, row by row.
        mass: of the body.
    """

    name: str
    position: tuple[Expr, ...]
    rotation: tuple[Expr, ...]
    mass: Expr


@dataclass(frozen=True)
class PlacedDrawing:
    """A shape on a body whose place is known.

    Attributes:
        name: of the drawing.
        body: the name of the body; "world" for what stands still.
        pose: from coordinates of the shape to the axes of the body, with the origin in its center of mass.
        shape: what is drawn.
        sizes: of the shape, by name.
        to: the name of the body to which it is stretched; empty for a rigid shape.
        end: where it ends on that body, from its center of mass; None for a rigid shape.
    """

    name: str
    body: str
    pose: Transform
    shape: Shape
    sizes: Mapping[str, Expr]
    to: str = ""
    end: Vec3 | None = None


@in_own_table
class EquationsWithoutBodies(EquationsOfMotion):
    """Equations of motion without bodies and joints: momentum and forces in joints are not known."""

    @property
    def described(self) -> tuple[str, str]:
        """What they belong to, with an article and with its name, for messages."""
        return "what is given by equations", f"equations of '{self.model.name}'"

    @property
    def places(self) -> tuple[BodyPlace, ...]:
        """Where bodies are, for a picture; empty if that is not known."""
        return ()

    @property
    def drawings(self) -> tuple[PlacedDrawing, ...]:
        """What bodies look like; empty if that is not known."""
        return ()

    @property
    def linear_momentum(self) -> Any:
        """Not known."""
        raise self._without("The momentum")

    @property
    def angular_momentum(self) -> Any:
        """Not known."""
        raise self._without("The angular momentum")

    def reaction(self, joint: Any) -> Any:
        """Not known: the constraint forces are the multipliers."""
        raise self._without("The force in a joint")

    def _without(self, what: str) -> ModelError:
        kind, where = self.described
        return ModelError(
            f"{what} is not known, because {kind} has no bodies and joints.",
            code="bodies-unknown",
            where=where,
            remedy="Use constraint_forces, or build the machine as a System.",
        )
