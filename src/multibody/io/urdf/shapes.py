"""Visual and collision elements: geometry, place, colour."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from multibody.errors import ModelError, NumberError
from multibody.io.meshes import MeshFolder
from multibody.io.urdf.robot_data import NOWHERE, Geometry, LinkShape, UrdfPose
from multibody.io.xml_numbers import number, numbers, three
from multibody.io.xml_text import Element
from multibody.model import Box, Capsule, Cylinder, Mesh, Sphere

SOLIDS = {"sphere": Sphere, "cylinder": Cylinder, "capsule": Capsule}


class Material(NamedTuple):
    """Colour and texture."""

    colour: tuple[float, ...] | None
    texture: Path | None


PLAIN = Material(None, None)


class ShapeReader:
    """Reads shapes, with the materials that the file has defined so far.

    Attributes:
        definitions: the element that defines each material, by its name.
        looked_up: names of materials by which a shape has found one.
        left_out: visual and collision elements that cannot be read, by ``id``.
    """

    def __init__(self, robot: Element, meshes: MeshFolder, messages: list[str]) -> None:
        self._meshes = meshes
        self._messages = messages
        self._materials: dict[str, Material] = {}
        self.definitions: dict[str, Element] = {}
        self.looked_up: set[str] = set()
        self.left_out: set[int] = set()
        for element in robot.walk():  # a material may be used before the place where it is defined
            if element.tag == "material" and element.children:
                self._materials.setdefault(element.get("name"), self.defined(element))
                self.definitions.setdefault(element.get("name"), element)

    def shapes(self, link: Element, tag: str) -> tuple[LinkShape, ...]:
        """All shapes of one kind: ``"visual"`` or ``"collision"``."""
        found = (self._shape(element, link) for element in link.all(tag))
        return tuple(shape for shape in found if shape is not None)

    def _shape(self, element: Element, link: Element) -> LinkShape | None:
        holder = element.child("geometry")
        what = f"A {element.tag} of link '{link.get('name')}' (line {element.line})"
        try:
            geometry = self._geometry(holder) if holder is not None else None
            place = pose(element.child("origin"))
        except (ModelError, NumberError) as error:  # a negative length, a scale of zero, a word in place of a number
            self._messages.append(f"{what} is left out: {error.what}")
            self.left_out.add(id(element))
            return None
        if geometry is None:
            self._messages.append(f"{what} has no known geometry; it is left out.")
            self.left_out.add(id(element))
            return None
        material = self._material(element.child("material"))
        return LinkShape(geometry, place, element.get("name"), material.colour, material.texture)

    def _geometry(self, holder: Element) -> Geometry | None:
        element = geometry_element(holder)
        if element is None:
            return None
        if element.tag == "box":
            return Box(*three(element, "size", NOWHERE))
        if element.tag in SOLIDS:
            return SOLIDS[element.tag](**_sizes(element))
        uri = element.get("filename")
        return Mesh(self._meshes.find(uri), three(element, "scale", (1.0, 1.0, 1.0)), uri, self._meshes.root)

    def _material(self, element: Element | None) -> Material:
        if element is None:
            return PLAIN
        own = self.defined(element) if element.children else PLAIN
        if own != PLAIN:
            return own
        self.looked_up.add(element.get("name"))
        return self._materials.get(element.get("name"), PLAIN)

    def defined(self, element: Element) -> Material:
        """The color and texture that a material element holds itself."""
        colour, texture = element.child("color"), element.child("texture")
        uri = "" if texture is None else texture.get("filename")
        rgba = None if colour is None else self._colour(colour)
        return Material(rgba, self._meshes.find(uri) if uri else None)

    def _colour(self, element: Element) -> tuple[float, ...] | None:
        """Red, green, blue, opacity; what cannot be read is left open, since no motion depends on it."""
        try:
            return numbers(element, "rgba", 4)
        except NumberError as error:
            message = f"A colour (line {element.line}) is left open: {error.what}"
            if message not in self._messages:  # materials inside of links are read twice
                self._messages.append(message)
            return None


def geometry_element(holder: Element) -> Element | None:
    """The first element in a ``geometry`` that is read."""
    known = (
        child
        for child in holder.children
        if child.tag in ("box", *SOLIDS) or (child.tag == "mesh" and child.get("filename"))
    )
    return next(known, None)


def _sizes(element: Element) -> Mapping[str, float]:
    wanted = ("radius",) if element.tag == "sphere" else ("radius", "length")
    return {name: number(element, name) or 0.0 for name in wanted}


def pose(origin: Element | None) -> UrdfPose:
    """The place that an ``origin`` element gives; without one, no displacement."""
    turned = None if origin is None else numbers(origin, "quat_xyzw", 4)
    if turned is not None and any(turned):
        size = max(map(abs, turned))
        x, y, z, w = (component / size for component in turned)
        return UrdfPose(three(origin, "xyz", NOWHERE), NOWHERE, (w, x, y, z))
    return UrdfPose(three(origin, "xyz", NOWHERE), three(origin, "rpy", NOWHERE))
