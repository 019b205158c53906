"""A scene: everything that can be seen of a model, as numbers, ready for a browser, a file or a picture."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.algebra import Transform, Vec3
from multibody.compiler import Function
from multibody.errors import UnknownNameError
from multibody.graph import Constant, Expr, as_expr, evaluate
from multibody.graph.names import require_known_names
from multibody.model import Model
from multibody.model.shapes.colors import Colour
from multibody.view.scenes.placement import NumericPose, Poses, Stretched, laid_between, quaternions
from multibody.view.scenes.triangles import Surface

Vector = NDArray[np.float64]

LAYERS = ("drawings", "skeleton", "joints", "frames", "masses", "ground")
"""What can be shown and hidden as a whole."""

PALETTE: tuple[Colour, ...] = (
    (0.27, 0.51, 0.71, 1.0), (0.90, 0.55, 0.20, 1.0), (0.36, 0.63, 0.41, 1.0), (0.72, 0.36, 0.36, 1.0),
    (0.55, 0.47, 0.70, 1.0), (0.58, 0.46, 0.40, 1.0), (0.83, 0.56, 0.72, 1.0), (0.35, 0.67, 0.72, 1.0),
)  # fmt: skip
"""Colours of bodies that have none."""


@dataclass(frozen=True, eq=False)
class Place:
    """A frame that moves.

    Attributes:
        name: of the body, or of the joint whose inner frame it is.
        pose: X_WP, from its coordinates to the world's, as expressions of coordinates, time, inputs and parameters.
        body: whether it is the frame of a body.
    """

    name: str
    pose: Transform
    body: bool = True


@dataclass(frozen=True, eq=False)
class Solid:
    """A rigid thing on a place.

    Attributes:
        name: unique in the scene.
        place: the number of its place.
        pose: where it is in the place's coordinates.
        parts: its surface.
        colour: of parts that have none of their own.
        layer: what it is shown and hidden with.
        label: text beside it; none if empty.
    """

    name: str
    place: int
    pose: NumericPose
    parts: tuple[Surface, ...]
    colour: Colour
    layer: str
    label: str = ""


@dataclass(frozen=True, eq=False)
class Tie:
    """A thing that is stretched from a point on one place to a point on another.

    Attributes:
        name: unique in the scene.
        ends: the numbers of the two places.
        points: where on them.
        parts: its surface, along z from 0 to 1.
        colour: of parts that have none of their own.
        layer: what it is shown and hidden with.
    """

    name: str
    ends: tuple[int, int]
    points: tuple[Vector, Vector]
    parts: tuple[Surface, ...]
    colour: Colour
    layer: str


@dataclass(frozen=True, eq=False)
class Scene:
    """What can be seen of a model with given parameters.

    Attributes:
        model: that is shown.
        parameters: the values of all parameters, in the model's order.
        places: frames that move; the world is the first.
        solids: what rides on them.
        ties: what is stretched between them.
        hidden: layers that are hidden by default.
        size: a length that is typical of the whole, in metres.
        messages: what could not be drawn as it was wanted, in plain sentences.
        to_png: makes the picture that a notebook shows.

    Example:
        >>> import multibody as mb
        >>> from multibody.view.scenes.build import scene
        >>> pendulum = mb.System("pendulum")
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
        >>> seen = scene(pendulum)
        >>> [place.name for place in seen.places]
        ['world', 'bob']
        >>> seen.poses(0.0, [mb.pi / 2]).quaternion[1].round(6)
        array([0.707107, 0.      , 0.707107, 0.      ])
    """

    model: Model
    parameters: Vector
    places: tuple[Place, ...]
    solids: tuple[Solid, ...]
    ties: tuple[Tie, ...]
    hidden: frozenset[str]
    size: float
    messages: tuple[str, ...] = ()
    to_png: Callable[[Scene], bytes] | None = None

    @cached_property
    def up(self) -> Vector:
        """The direction away from gravity; z without any."""
        return -self._gravity / np.linalg.norm(self._gravity) if self.heavy else np.array([0.0, 0.0, 1.0])

    @property
    def heavy(self) -> bool:
        """Whether there is gravity, and so something below."""
        return bool(self._gravity.any())

    @cached_property
    def _gravity(self) -> Vector:
        known = dict(zip((symbol.name for symbol in self.model.parameter_symbols), self.parameters, strict=True))
        return ModelNumbers(self.model, known).point(self.model.gravity)

    @property
    def start(self) -> Vector:
        """The coordinates that the model starts with; its loops may be open."""
        return np.array([self.model.start[q] for q in self.model.coordinates])

    def poses(self, t: Any, q: Any, r: Any = None) -> Poses:
        """Where all places are.

        Args:
            t: a time, or many.
            q: coordinates, or a row of them for each time.
            r: inputs likewise, for motions that follow them; zero by default.
        """
        times, many = np.atleast_1d(np.asarray(t, dtype=float)), np.atleast_2d(np.asarray(q, dtype=float))
        times = np.broadcast_to(times, len(many)) if len(times) == 1 else times
        inputs = np.zeros((len(many), len(self.model.input_symbols))) if r is None else np.atleast_2d(r)
        entries = self._pose_function.batch(times, many, inputs, self.parameters)[:, self._entries[1]]
        found = Poses(entries[..., 0], quaternions(entries[..., 1:]))
        return found if np.ndim(q) > 1 else Poses(found.position[0], found.quaternion[0])

    def stretched(self, poses: Poses) -> Stretched:
        """Where all ties are, and how long."""
        return laid_between([tie.ends for tie in self.ties], [tie.points for tie in self.ties], poses)

    @cached_property
    def _entries(self) -> tuple[list[Expr], NDArray[np.intp]]:
        """Positions and rotation matrices, 3×4 for each place: all that differ, and which of them belongs where.

        Most are 0 or 1, or occur more than once, and each that is compiled takes its time.
        """
        numbers: dict[Expr, int] = {}
        rows = [
            (position, *row)
            for place in self.places
            for position, row in zip(place.pose.position, place.pose.rotation.to_matrix().rows, strict=True)
        ]
        found = [numbers.setdefault(as_expr(entry), len(numbers)) for row in rows for entry in row]
        return list(numbers), np.array(found).reshape(len(self.places), 3, 4)

    @cached_property
    def _pose_function(self) -> Function:
        model = self.model
        ports = {
            "t": model.time, "q": model.coordinates, "r": model.input_symbols, "p": model.parameter_symbols
        }  # fmt: skip
        return Function(f"{model.name}_poses", ports, {"entries": self._entries[0]})

    def __repr__(self) -> str:
        return f"Scene('{self.model.name}', {len(self.places)} places, {len(self.solids) + len(self.ties)} things)"

    def _repr_png_(self) -> bytes | None:
        return None if self.to_png is None else self.to_png(self)


def shown_layers(scene: Scene, layers: Any) -> frozenset[str]:
    """The layers to be seen: those that are wanted, or all that the scene does not hide.

    Raises:
        UnknownNameError: for a layer that does not exist.
    """
    if layers is None:
        return frozenset(LAYERS) - scene.hidden
    wanted = list(layers) if isinstance(layers, Collection) and not isinstance(layers, str) else [layers]
    require_known_names(map(str, wanted), LAYERS, "layer", error=UnknownNameError)
    return frozenset(wanted)


class ModelNumbers:
    """Evaluates what depends on parameters alone.

    Args:
        model: whose parameters they are.
        given: values by name, where they are not the defaults.
    """

    def __init__(self, model: Model, given: Mapping[str, float] | None = None) -> None:
        self.values = model.parameter_values(given)
        self._known: dict[Any, Any] = dict(self.values)

    def __call__(self, value: Any) -> float:
        """One number."""
        expr = as_expr(value)
        return float(expr.value if isinstance(expr, Constant) else evaluate(expr, self._known))

    def point(self, vector: Vec3) -> NDArray[np.float64]:
        """Three of them."""
        return np.array([self(component) for component in vector.components()])

    def pose(self, transform: Transform) -> NumericPose:
        """A constant transform."""
        rotation = [[self(entry) for entry in row] for row in transform.rotation.to_matrix().rows]
        return NumericPose(self.point(transform.position), quaternions(np.array(rotation)))

    @staticmethod
    def constant(value: float) -> Expr:
        """A number as an expression."""
        return as_expr(value)
