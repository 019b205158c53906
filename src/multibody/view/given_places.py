"""The picture of equations without joints: what was drawn on bodies whose places are known, or balls with axes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from multibody.algebra import Rotation, Transform, Vec3
from multibody.equations.without_bodies import BodyPlace, EquationsWithoutBodies
from multibody.errors import ModelError
from multibody.graph import ZERO
from multibody.model import Axes, Mesh, Plane
from multibody.model.colours import Colour
from multibody.view.mesh_files import mesh_parts
from multibody.view.numbers import Numbers
from multibody.view.placement import HERE
from multibody.view.scenes import PALETTE, Place, Scene, Solid, Tie
from multibody.view.triangles import ball, parts, tie_parts

GREY: Colour = (0.45, 0.48, 0.52, 1.0)
"""The colour of what stands still."""


def scene_of_places(eom: EquationsWithoutBodies, parameters: Mapping[str, float] | None) -> Scene:
    """What can be seen of equations that know where their bodies are.

    Raises:
        ModelError: if they do not.
    """
    if not eom.places:
        raise ModelError(
            "There is nothing to see: where the bodies are is not known.",
            where=eom.described[1],
            remedy="Build the machine as a System, or its parts, for mb.modular.from_system; or give from_sympy its "
            "bodies: from_sympy(kane, bodies=[…]).",
        )
    values = np.array(list(Numbers(eom.model, parameters).values.values()))
    world = Place("world", Transform(Rotation.identity(), Vec3(ZERO, ZERO, ZERO)))
    places = (world, *(_place(one) for one in eom.places))
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
    return Scene(eom.model, values, places, (*solids, *drawn), tuple(ties), hidden, size, tuple(messages))


def _drawings(
    eom: EquationsWithoutBodies, numbering: Mapping[str, int], size: float, parameters: Mapping[str, float] | None,
    messages: list[str],
) -> tuple[list[Solid], list[Tie]]:  # fmt: skip
    """What was drawn on bodies: rigid shapes, and those that are stretched between two bodies."""
    numbers, solids, ties = Numbers(eom.model, parameters), [], []
    for one in eom.drawings:
        k, shape = numbering[one.body], one.shape
        sizes = {name: numbers(value) for name, value in one.sizes.items()}
        colour = shape.colour or (PALETTE[(k - 1) % len(PALETTE)] if k else GREY)
        if one.end is not None:
            points = numbers.point(one.pose.position), numbers.point(one.end)
            made = tie_parts(shape, sizes, 0.006 * size)
            ties.append(Tie(one.name, (k, numbering[one.to]), points, made, colour, "drawings"))
            continue
        made = mesh_parts(shape, size, messages) if isinstance(shape, Mesh) else parts(shape, sizes, 0.006 * size)
        layer = "ground" if isinstance(shape, Plane) else "drawings"
        solids.append(Solid(one.name, k, numbers.pose(one.pose), made, colour, layer, ""))
    return solids, ties


def _place(one: BodyPlace) -> Place:
    rows = [list(one.rotation[k : k + 3]) for k in (0, 3, 6)]
    return Place(one.name, Transform(Rotation.matrix(rows), Vec3(*one.position)))
