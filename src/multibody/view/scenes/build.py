"""Building a scene from a model: places, the user's drawings, and the automatic skeleton."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from multibody.algebra import Transform, Vec3
from multibody.equations.without_bodies import EquationsWithoutBodies
from multibody.graph import ZERO, evaluate
from multibody.graph.workspace import alone
from multibody.model import Axes, Body, Drawing, Frame, Kinematics, Mesh, Model, Plane
from multibody.model.freeze.inertia_checks import possible_values
from multibody.model.membership import joint_frames
from multibody.model.shapes.colors import Colour
from multibody.view.render.studio import scene_png
from multibody.view.scenes.given_places import GREY, scene_of_places
from multibody.view.scenes.mesh_files import PLACEHOLDER, mesh_parts
from multibody.view.scenes.placement import HERE, NumericPose, turning_z_to
from multibody.view.scenes.scene import PALETTE, ModelNumbers, Place, Scene, Solid, Tie
from multibody.view.scenes.skeleton import Bone, body_bones, joint_bones, joint_points, turning_axes
from multibody.view.scenes.subject import Subject, subject
from multibody.view.scenes.triangles import Surface, ball, parts, rod, tie_parts

DARK: Colour = (0.25, 0.27, 0.30, 1.0)
MASS: Colour = (0.95, 0.75, 0.10, 1.0)
SLENDER = 5.0
"""Rods and joints are drawn as thick as a system would have them that is so many times as large as a typical body."""


@alone
def scene(thing: Any, parameters: Mapping[str, float] | None = None) -> Scene:
    """What can be seen of a system, a robot, equations or a run.

    Args:
        thing: a ``System``, ``Model``, robot, ``EquationsOfMotion`` or ``Trajectory``.
        parameters: values by name, where they are not the defaults.
    """
    shown = subject(thing)
    numbers = possible_values(shown.model, parameters)
    if shown.eom is None or _has_meshes(shown):  # files may have changed since
        return _build(shown, parameters)
    values = np.array(list(numbers.values()), dtype=float).tobytes()
    last: dict[bytes, Scene] = shown.eom.once("scene of the last parameters", dict)
    made = last.get(values) or _build(shown, parameters)
    last.clear()
    last[values] = made
    return made


def _has_meshes(shown: Subject) -> bool:
    eom = shown.eom
    drawings = eom.drawings if isinstance(eom, EquationsWithoutBodies) else shown.model.drawings.values()
    return any(isinstance(drawing.shape, Mesh) for drawing in drawings)


def _build(shown: Subject, parameters: Mapping[str, float] | None) -> Scene:
    if isinstance(shown.eom, EquationsWithoutBodies):
        return scene_of_places(shown.eom, parameters)
    return _SceneBuilder(shown.model, parameters).scene()


class _SceneBuilder:
    """Collects what there is to see."""

    def __init__(self, model: Model, parameters: Mapping[str, float] | None) -> None:
        self.model = model
        self.numbers = ModelNumbers(model, parameters)
        self.kinematics = Kinematics(model)
        self.places: list[Place] = []
        self.solids: list[Solid] = []
        self.ties: list[Tie] = []
        self.messages: list[str] = []
        self._taken: set[str] = set()

    def scene(self) -> Scene:
        bodies = (self.model.world, *self.model.bodies)
        self.places = [Place(body.name, self.kinematics.pose(body)) for body in bodies]
        self.numbering = {body: k for k, body in enumerate(bodies)}
        self.points = {body: joint_points(self.model, body, self.numbers) for body in bodies}
        self.carried = {link: (body, place) for body, (link, place) in reversed([*self.model.attachments.items()])}
        self.size = self._size()
        self.bone = min(self.size, SLENDER * self._typical_length())
        for name, drawing in self.model.drawings.items():
            self._draw(name, drawing)
        for body in bodies:
            self._skeleton(body)
        self._joints()
        self._frames()
        return self._scene(self._hidden(), self.size)

    def _scene(self, hidden: frozenset[str], size: float) -> Scene:
        """What has been collected so far."""
        values = np.array(list(self.numbers.values.values()))
        things = tuple(self.places), tuple(self.solids), tuple(self.ties)
        return Scene(self.model, values, *things, hidden, size, tuple(dict.fromkeys(self.messages)), scene_png)

    def _size(self) -> float:
        """A length that is typical of the whole: how far its joints and centres of mass are from each other."""
        spots = []
        for body, k in self.numbering.items():
            local = [Vec3(ZERO, ZERO, ZERO), *(frame.pose.position for frame in joint_frames(self.model, body))]
            local += [body.com] if k else []
            spots += [self.places[k].pose.point_to_parent(point).components() for point in local]
        known: dict[Any, Any] = {**self.numbers.values, **self.model.start, self.model.time: 0.0}
        known |= dict.fromkeys(self.model.input_symbols, 0.0)
        values = np.array(evaluate([list(spot) for spot in spots], known), dtype=float)
        spread = np.ptp(values, axis=0)
        return float(np.linalg.norm(spread)) or 1.0

    def _typical_length(self) -> float:
        """The length of a body in the middle of all, from joint to joint; of a chain of many it is a small part."""
        spans = [
            float(np.linalg.norm(np.ptp([self.numbers.point(body.com), *self.points[body]], axis=0)))
            for body in self.model.bodies
        ]
        return float(np.median([span for span in spans if span > 0] or [self.size]))

    def _hidden(self) -> frozenset[str]:
        """A skeleton hides behind what was drawn, unless nothing of that could be."""
        real = any(
            not (isinstance(drawing.shape, Mesh) and drawing.shape.path is None)
            for drawing in self.model.drawings.values()
        )
        return frozenset({"joints", "frames", "masses"} | ({"skeleton"} if real else set()))

    # what the user has drawn -------------------------------------------------------------------------------------

    def _draw(self, name: str, drawing: Drawing) -> None:
        shape = drawing.shape
        sizes = {key: self.numbers(value) for key, value in shape.sizes.items()}
        colour = shape.colour or self._colour(drawing.frame.body)
        if drawing.to is None:
            made = mesh_parts(shape, self.size, self.messages) if isinstance(shape, Mesh) else parts(
                shape, sizes, 0.006 * self.size
            )  # fmt: skip
            made = made if shape.colour is None else tuple(_painted(part) for part in made)
            layer = "ground" if isinstance(shape, Plane) else "drawings"
            self._add(name, drawing.frame, drawing.pose, made, colour, layer)
            return
        ends = self.numbering[drawing.frame.body], self.numbering[drawing.to.body]
        points = (
            self.numbers.point(drawing.frame.pose.point_to_parent(drawing.pose.position)),
            self.numbers.point(drawing.to.pose.position),
        )
        made = tie_parts(shape, sizes, 0.006 * self.size)
        self.ties.append(Tie(self._name(name), ends, points, made, colour, "drawings"))

    def _add(
        self, name: str, frame: Frame, pose: Transform, made: tuple[Surface, ...], colour: Colour, layer: str,
        label: str = "",
    ) -> None:  # fmt: skip
        place = self.numbers.pose(frame.pose @ pose)
        self.solids.append(
            Solid(self._name(name), self.numbering[frame.body], place, made, colour, layer, label)
        )  # fmt: skip

    def _colour(self, body: Body) -> Colour:
        k = self.numbering[body]
        return PALETTE[(k - 1) % len(PALETTE)] if k else GREY

    def _name(self, wanted: str) -> str:
        name, k = wanted, 1
        while name in self._taken:
            k += 1
            name = f"{wanted}_{k}"
        self._taken.add(name)
        return name

    # what is drawn by itself -------------------------------------------------------------------------------------

    def _skeleton(self, body: Body) -> None:
        if body is self.model.world:
            return
        for bone in body_bones(body, self.points[body], self.bone, self.numbers):
            self._bone(f"{body.name}_skeleton", self.numbering[body], bone, self._colour(body), "skeleton")
        if self.numbers(body.mass):
            centre = NumericPose(self.numbers.point(body.com), np.array([1.0, 0.0, 0.0, 0.0]))
            self._bone(
                f"{body.name}_com", self.numbering[body], Bone(centre, (ball(0.02 * self.bone),)), MASS, "masses"
            )

    def _bone(self, name: str, place: int, bone: Bone, colour: Colour, layer: str, label: str = "") -> None:
        self.solids.append(Solid(self._name(name), place, bone.pose, bone.parts, colour, layer, label))

    def _joints(self) -> None:
        """Joints of the skeleton, and their axes with names as a layer of its own; each on the link that it moves."""
        steps: dict[str, int] = {}
        poses = {-1: Transform.identity()}  # X from each link's frame to the world's
        for link in self.model.links:
            poses[link.index] = poses[link.parent] @ self.kinematics.pose_of_link(link.index)
            name = link.joint.name
            steps[name] = steps.get(name, 0) + 1
            bones = list(joint_bones(link, self.bone, self.numbers))
            axes = turning_axes(link, self.numbers) if len(link.motion.rest) < 6 else []
            if not bones and not axes:
                continue
            place, here = self._carrier(link.index, f"{name}_{steps[name]}", poses[link.index])
            for bone in bones:
                self._bone(f"{name}_joint", place, Bone(here @ bone.pose, bone.parts), DARK, "skeleton")
            for k, axis in enumerate(axes):
                arrow = rod(0.005 * self.bone, 0.3 * self.bone)
                label = name if k == 0 and steps[name] == 1 else ""
                self._bone(f"{name}_axis", place, Bone(here @ _along(axis), (arrow,)), DARK, "joints", label)

    def _carrier(self, link: int, name: str, pose: Transform) -> tuple[int, NumericPose]:
        """The place of a body on a link, and where the link's frame is in it; or a new place for a link without one."""
        if link in self.carried:
            body, place = self.carried[link]
            return self.numbering[body], self.numbers.pose(place.inverse())
        self.places.append(Place(name, pose, body=False))
        return len(self.places) - 1, HERE

    def _frames(self) -> None:
        """All frames that have a name: bodies', and those on bodies."""
        shown: dict[str, Frame] = {}
        for frame in self.model.frames:
            shown.setdefault(frame.name, frame)
        length = 0.12 * self.size
        for name, frame in shown.items():
            triad = parts(Axes(length), {"length": length}, 0.005 * self.size)
            self._add(f"{name}_frame", frame, Transform.identity(), triad, DARK, "frames", label=name)


@lru_cache(maxsize=1024)
def _painted(part: Surface) -> Surface:
    """A part in the colour of the whole: what the user has said counts more than what the file says."""
    return part if part.colour in {None, PLACEHOLDER} else Surface(part.vertices, part.faces, None, part.smooth)


def _along(axis: Any) -> NumericPose:
    return NumericPose(np.zeros(3), turning_z_to(axis))
