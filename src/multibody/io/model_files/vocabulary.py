"""The words of model files: the classes of ``multibody.model`` by section, with their arguments, found by inspection.

A class that is added to the vocabulary of models can be used in files at once, as long as its arguments are annotated
as those of other classes are.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from multibody import model
from multibody.model import Constraint, ExplicitLoop, Friction, JointKind, Load, Mesh, Sensor, Shape

VERSION = 1
"""Of the format."""

BASES: MappingProxyType[str, type] = MappingProxyType({
    "joints": JointKind, "loops": ExplicitLoop, "constraints": Constraint, "sensors": Sensor, "loads": Load,
    "drawings": Shape,
})  # fmt: skip
"""The class whose subclasses a section consists of."""

KINDS = {
    "Frame": "frame", "Frame | None": "frame", "Body": "frames", "Sequence[Body] | None": "frames",
    "Frame | str | None": "frame or com", "Point": "point", "Joint": "joint", "OneMovement": "movement",
    "LawLike": "law", "Function | None": "function of 1", "Callable[[Expr, Expr], Any] | None": "function of 2",
    "Surface": "function of 3", "Field | None": "field", "Direction": "direction", "str": "text",
    "str | Sequence[str]": "movements", "int": "whole number", "bool": "truth", "Any": "value", "Expr | float": "value",
}  # fmt: skip
"""What a file has in the place of an argument, by the argument's annotation. See ``values`` for what they look like."""

_SPECIAL = {"independent": "coordinates", "coulomb": "law", "colour": "colour", "path": "path"}  # more than annotated
_HIDDEN: dict[type, tuple[str, ...]] = {Mesh: ("uri", "folder")}  # a file names a mesh by its path alone


@dataclass(frozen=True)
class Argument:
    """An argument of a class.

    Attributes:
        name: of the argument, which is its key in a file.
        kind: what stands there; see ``KINDS``.
        required: whether it has no default.
        spread: whether it is given as ``*bodies``.
    """

    name: str
    kind: str
    required: bool
    spread: bool


@cache
def words(section: str) -> MappingProxyType[str, type]:
    """The classes that a section can use, by name.

    Example:
        >>> list(words("joints"))[:3]
        ['Cylindrical', 'Elementary', 'Free']
    """
    public = {name: getattr(model, name) for name in model.__all__}
    base = BASES[section]
    chosen = (pair for pair in public.items() if inspect.isclass(pair[1]) and issubclass(pair[1], base))
    return MappingProxyType({name: kind for name, kind in chosen if not inspect.isabstract(kind) and kind is not base})


LAWS: MappingProxyType[str, type] = MappingProxyType({"Friction": Friction})
"""Classes whose objects can be arguments of others."""


@cache
def arguments(word: type) -> MappingProxyType[str, Argument]:
    """The arguments of a class.

    Example:
        >>> [(one.name, one.kind) for one in arguments(model.Damper).values()]
        [('a', 'frame'), ('b', 'frame'), ('damping', 'law')]
    """
    found = inspect.signature(word).parameters.values()
    return MappingProxyType(
        {argument.name: _argument(argument) for argument in found if argument.name not in _HIDDEN.get(word, ())}
    )


def _argument(one: inspect.Parameter) -> Argument:
    spread = one.kind is inspect.Parameter.VAR_POSITIONAL
    kind = _SPECIAL.get(one.name) or KINDS[str(one.annotation)]
    return Argument(one.name, kind, one.default is inspect.Parameter.empty and not spread, spread)


SECTIONS: MappingProxyType[str, MappingProxyType[str, str] | None] = MappingProxyType({
    name: None if keys is None else MappingProxyType(keys)
    for name, keys in {
        "parameters": {"value": "value", "unit": "text", "description": "text"},
        "inputs": {"shape": "shape", "unit": "text", "description": "text", "limits": "range", "slider": "range"},
        "tables": {
            "x": "numbers", "y": "numbers", "interpolation": "text", "outside": "text", "breaks": "numbers",
            "coefficients": "number rows",
        },
        "bodies": {"mass": "value", "com": "value", "inertia": "value", "about": "point of body", "frames": "places"},
        "frames": {"on": "frame", "position": "value", "rotation": "rotation"},
        "joints": {
            "parent": "frame", "child": "frame", "kind": "joint kind", "q": "start", "u": "start", "limits": "ranges",
            "prescribed": "value", "cut": "truth", "guess": "start",
        },
        "loops": None, "constraints": None, "sensors": None, "loads": None,
        "drawings": {
            "frame": "frame", "shape": "shape object", "to": "frame", "position": "value", "rotation": "rotation",
        },
    }.items()
})  # fmt: skip
"""The sections of things with names, in the order in which they are read: the keys of a thing and what stands there;
None where a thing is an object of a class, ``{ClassName: {argument: value}}``."""

REQUIRED = MappingProxyType({
    "joints": ("parent", "child", "kind"), "drawings": ("frame", "shape"), "tables": (), "bodies": (), "frames": (),
    "parameters": (), "inputs": (),
})  # fmt: skip

HEAD = MappingProxyType({
    "multibody": "whole number", "name": "text", "description": "text", "include": "paths", "gravity": "value",
    "recognise_loops": "truth",
})  # fmt: skip
"""The keys at the top of a file that are not sections of named things."""

COUPLED = MappingProxyType({
    "system": ("label", "system", "variables", "kinematics", "constraints", "independent"),
    "copy": ("label", "copy", "names", "suffix", "shared", "start"),
    "subsystems": (
        "label", "description", "subsystems", "variables", "kinematics", "dynamics", "constraints", "independent",
        "parameters", "inputs", "energy", "quaternions", "start", "reference", "identities", "redundant",
    ),
})  # fmt: skip
"""The keys of a subsystem, by the key that says how it is made; without one, it is made as with ``subsystems``."""

OF_COUPLED = ("multibody", "name", "include", "subsystems")
"""The keys at the top of a file that describes subsystems, and of what it includes."""

OF_PARTS = (*(key for key in HEAD if key not in ("multibody", "include")), *SECTIONS, "start")
"""The keys of the system of a subsystem."""

TOP = (*HEAD, *SECTIONS, "start", "subsystems")
"""All keys at the top of a file, in the order of writing."""


def kind_of_subsystem(keys: Iterable[str]) -> str:
    """The key that says how a subsystem is made.

    Example:
        >>> kind_of_subsystem(["label", "copy"]), kind_of_subsystem(["variables"])
        ('copy', 'subsystems')
    """
    return next((kind for kind in COUPLED if kind in keys), "subsystems")
