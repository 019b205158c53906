"""Scenes of equations without joints: drawings on bodies whose places are known, or balls with axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from multibody.algebra import Rotation, Transform, Vec3
from multibody.equations.without_bodies import BodyPlace, EquationsWithoutBodies
from multibody.errors import ModelError
from multibody.graph import ZERO
from multibody.model import Axes, Mesh, Plane
from multibody.model.shapes.colors import Colour
from multibody.view.render.studio import scene_png
from multibody.view.scenes.mesh_files import mesh_parts
from multibody.view.scenes.placement import HERE
from multibody.view.scenes.scene import PALETTE, ModelNumbers, Place, Scene, Solid, Tie
from multibody.view.scenes.triangles import ball, parts, tie_parts

GREY: Colour = (0.45, 0.48, 0.52, 1.0)
"""The colour of bodies at rest."""


def scene_of_places(eom: EquationsWithoutBodies, parameters: Mapping[str, float] | None) -> Scene:
    """What can be seen of equations that know where their bodies are.

    Raises:
        ModelError: if they do not.
    """
    if not eom.places:
        raise ModelError(
            "There is nothing to see: where the bodies are is not known.",
            code="body-places-unknown",
            where=eom.described[1],
            remedy="Build the machine as a System, or its parts, for mb.modular.from_system; or give from_sympy its "
            "bodies: from_sympy(kane, bodies=[…]).",
        )
    values = np.array(list(ModelNumbers(eom.model, parameters).values.values()))
    world = Place("world", Transform(Rotation.identity(), Vec3(ZERO, ZERO, ZERO)))
    places = (world, *(_place(place) for place in eom.places))
    bare = Scene(eom.model, values, places, (), (), frozenset(), 1.0)
    size = float(np.linalg.norm(np.ptp(bare.poses(0.0, bare.start).position, axis=0))) or 1.0
    axes = parts(Axes(0.15 * size), {"length": 0.15 * size}, 0.006 * size)
    solids = [
        Solid(f"{place.name}_{what}", k, HERE, shape, PALETTE[(k - 1) % len(PALETTE)], "skeleton", label)
        for k, place in enumerate(places[1:], start=1)
        for what, shape, label in (("mass", (ball(0.04 * size),), ""), ("axes", axes, place.name))
    ]
    messages: list[str] = []
    drawn, ties = _drawings(eom, {place.name: k for k, place in enumerate(places)}, size, parameters, messages)
    hidden = frozenset({"skeleton"} if drawn or ties else ())
    return Scene(eom.model, values, places, (*solids, *drawn), tuple(ties), hidden, size, tuple(messages), scene_png)


def _drawings(
    eom: EquationsWithoutBodies, numbering: Mapping[str, int], size: float, parameters: Mapping[str, float] | None,
    messages: list[str],
) -> tuple[list[Solid], list[Tie]]:  # fmt: skip
    """What was drawn on bodies: rigid shapes, and those that are stretched between two bodies."""
    numbers, solids, ties = ModelNumbers(eom.model, parameters), [], []
    for drawing in eom.drawings:
        k, shape = numbering[drawing.body], drawing.shape
        sizes = {name: numbers(value) for name, value in drawing.sizes.items()}
        colour = shape.colour or (PALETTE[(k - 1) % len(PALETTE)] if k else GREY)
        if drawing.end is not None:
            points = numbers.point(drawing.pose.position), numbers.point(drawing.end)
            made = tie_parts(shape, sizes, 0.006 * size)
            ties.append(Tie(drawing.name, (k, numbering[drawing.to]), points, made, colour, "drawings"))
            continue
        made = mesh_parts(shape, size, messages) if isinstance(shape, Mesh) else parts(shape, sizes, 0.006 * size)
        layer = "ground" if isinstance(shape, Plane) else "drawings"
        solids.append(Solid(drawing.name, k, numbers.pose(drawing.pose), made, colour, layer, ""))
    return solids, ties


def _place(place: BodyPlace) -> Place:
    rows = [list(place.rotation[k : k + 3]) for k in (0, 3, 6)]
    return Place(place.name, Transform(Rotation.matrix(rows), Vec3(*place.position)))
