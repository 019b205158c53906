"""The picture of equations that were not derived here: a ball with axes for every body whose place is known."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from multibody.algebra import Rotation, Transform, Vec3
from multibody.equations.without_bodies import BodyPlace, EquationsWithoutBodies
from multibody.errors import ModelError
from multibody.graph import ZERO
from multibody.model import Axes
from multibody.view.numbers import Numbers
from multibody.view.placement import HERE
from multibody.view.scenes import PALETTE, Place, Scene, Solid
from multibody.view.triangles import ball, parts


def scene_of_places(eom: EquationsWithoutBodies, parameters: Mapping[str, float] | None) -> Scene:
    """What can be seen of equations that know where their bodies are.

    Raises:
        ModelError: if they do not.
    """
    if not eom.places:
        raise ModelError(
            "There is nothing to see: where the bodies are is not known.",
            where=eom.described[1],
            remedy="Build the machine as a System; or give from_sympy its bodies: from_sympy(kane, bodies=[…]).",
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
    return Scene(eom.model, values, places, tuple(solids), (), frozenset(), size)


def _place(one: BodyPlace) -> Place:
    rows = [list(one.rotation[k : k + 3]) for k in (0, 3, 6)]
    return Place(one.name, Transform(Rotation.matrix(rows), Vec3(*one.position)))
