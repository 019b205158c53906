"""The JSON schema of model files, made from the vocabulary; editors use it to complete and to check what is typed."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from multibody.io.model_files.expressions.rotations import FORMS
from multibody.io.model_files.vocabulary import (
    BASES,
    COUPLED,
    HEAD,
    LAWS,
    OF_PARTS,
    REQUIRED,
    SECTIONS,
    VERSION,
    Argument,
    arguments,
    words,
)  # fmt: skip

Schema = dict[str, Any]

_NAME = {"type": "string", "pattern": r"^[^\x00-@\[-^`{-\x7f][^\x00-/:-@\[-^`{-\x7f]*$"}  # all letters of Unicode
_FORMULA: Schema = {"type": ["number", "string"], "description": "a number, or a formula as text"}


def schema() -> Schema:
    """The JSON schema (draft 2020-12) of model files, as it is published with the package.

    Example:
        >>> schema()["properties"]["multibody"]
        {'const': 1}
    """
    return json.loads(files("multibody.io.model_files").joinpath("schema.json").read_text("utf-8"))


def made_schema() -> Schema:
    """The schema, made anew from the vocabulary."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "multibody model file",
        "type": "object",
        "properties": {
            **{key: _ref(kind) for key, kind in HEAD.items()},
            "multibody": {"const": VERSION},
            "name": _NAME,
            **{section: _section(section) for section in SECTIONS},
            "start": _nullable(_mapping(_FORMULA)),
            "subsystems": _nullable(_mapping({"anyOf": list(map(_subsystem, COUPLED))})),
        },
        "required": ["multibody"],
        "additionalProperties": False,
        "$defs": _definitions(),
    }


def schema_text() -> str:
    """The content of the file ``schema.json``."""
    return json.dumps(made_schema(), indent=1, ensure_ascii=False) + "\n"


def _subsystem(kind: str) -> Schema:
    """The keys of a subsystem that is made in one of the ways."""
    inner: Schema = {key: _ref(kind) for key, kind in HEAD.items() if key in OF_PARTS} | {"name": _NAME}
    inner |= {section: _section(section) for section in SECTIONS} | {"start": _nullable(_mapping(_FORMULA))}
    known = {"system": _closed(inner, ["name"]), "start": _nullable(_mapping(_FORMULA))}
    properties = {key: known[key] if key in known else _ref(_OF_SUBSYSTEMS[key]) for key in COUPLED[kind]}
    return _closed(properties, [] if kind == "subsystems" else [kind])


def _section(section: str) -> Schema:
    keys = SECTIONS[section]
    item = _ref(section) if keys is None else _item(section, dict(keys))
    return _nullable(_mapping(item))


def _item(section: str, keys: dict[str, str]) -> Schema:
    thing = _closed({key: _ref(kind) for key, kind in keys.items()}, list(REQUIRED[section]))
    if section == "parameters":
        return {"anyOf": [_ref("value"), thing, {"type": "null"}]}
    return thing if REQUIRED[section] else _nullable(thing)


def _definitions() -> Schema:
    own = {section: _one_of_words(words(section)) for section in BASES} | {"laws": _one_of_words(LAWS)}
    classes = {name: _word(word) for group in (*map(words, BASES), LAWS) for name, word in group.items()}
    return {_slug(name): definition for name, definition in {**_KINDS, **own, **classes}.items()}


def _one_of_words(known: Any) -> Schema:
    """``{ClassName: {…}}``, or the name alone where no argument is needed."""
    objects = {"type": "object", "properties": {name: _ref(name) for name in known}, "additionalProperties": False}
    objects |= {"minProperties": 1, "maxProperties": 1}
    bare = [name for name, word in known.items() if not any(argument.required for argument in arguments(word).values())]
    return {"anyOf": [objects, {"enum": bare}]} if bare else objects


def _word(word: type) -> Schema:
    expected = arguments(word)
    said = (word.__doc__ or "").strip().split("\n")[0]
    inner = _closed(
        {argument.name: _argument(argument) for argument in expected.values()},
        [argument.name for argument in expected.values() if argument.required],
    )
    return {"description": said} | (inner if inner["required"] else _nullable(inner))


def _argument(one: Argument) -> Schema:
    return _ref(one.kind) if one.required else {"anyOf": [_ref(one.kind), {"type": "null"}]}


def _closed(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _mapping(values: Schema) -> Schema:
    return {"type": "object", "propertyNames": _NAME, "additionalProperties": values}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _ref(kind: str) -> Schema:
    return {"$ref": f"#/$defs/{_slug(kind)}"}


def _slug(kind: str) -> str:
    return kind.replace(" ", "_")


def _list(items: Schema, least: int = 0, most: int | None = None) -> Schema:
    return {"type": "array", "items": items, "minItems": least} | ({} if most is None else {"maxItems": most})


def _function(count: int) -> Schema:
    letters = _NAME if count == 1 else _list(_NAME, count, count)
    return _closed({"of": letters, "is": {"anyOf": [_FORMULA, _list(_FORMULA, 3, 3)]}}, ["of", "is"])


_TABLE = _closed({"table": _NAME}, ["table"])
_TEXT: Schema = {"type": "string"}
_END: Schema = {"anyOf": [_FORMULA, {"enum": ["inf", "-inf"]}]}
_ONE_LAW: Schema = {"anyOf": [_FORMULA, _TABLE, _function(1), _ref("laws")]}
_ONE_FUNCTION: Schema = {"anyOf": [_function(1), _TABLE, _ref("laws")]}
_TURN = {
    "about": {"anyOf": [{"enum": ["x", "y", "z"]}, _list(_FORMULA, 3, 3)]}, "angle": _FORMULA,
    "euler": {"type": "string", "pattern": "^([xyz]{3}|[XYZ]{3})$"}, "angles": _list(_FORMULA, 3, 3),
    "quaternion": _list(_FORMULA, 4, 4), "matrix": _list(_list(_FORMULA, 3, 3), 3, 3),
}  # fmt: skip

_EQUATIONS: Schema = {"anyOf": [_FORMULA, _list(_FORMULA), _mapping(_FORMULA), {"type": "null"}]}

_OF_SUBSYSTEMS = {
    "label": "text", "description": "text", "copy": "text", "suffix": "text", "subsystems": "names", "shared": "names",
    "independent": "names", "inputs": "names", "redundant": "names", "names": "new names", "variables": "variables",
    "parameters": "parameter values", "quaternions": "variables", "energy": "energies", "identities": "identities",
    "kinematics": "equations", "dynamics": "equations", "constraints": "equations", "reference": "equations",
}  # fmt: skip
"""What stands under the keys of a subsystem."""

_KINDS: dict[str, Schema] = {
    "names": {"anyOf": [_TEXT, _list(_TEXT), {"type": "null"}]},
    "new names": _nullable(_mapping(_NAME)),
    "variables": {"anyOf": [_TEXT, _list(_TEXT), _list(_list(_TEXT)), {"type": "null"}]},
    "parameter values": {"anyOf": [_TEXT, _list(_TEXT), _mapping(_nullable(_FORMULA)), {"type": "null"}]},
    "energies": _nullable(_list(_FORMULA, 2, 2)),
    "identities": _list({"anyOf": [_TEXT, _list(_FORMULA, 2, 2)]}),
    "equations": _EQUATIONS,
    "value": {"anyOf": [_FORMULA, _list(_ref("value"))]},
    "numbers": {"anyOf": [_FORMULA, _list(_FORMULA)]},
    "number rows": _list(_list(_FORMULA)),
    "start": {"anyOf": [_FORMULA, _list(_FORMULA)]},
    "text": _TEXT,
    "whole number": {"type": "integer"},
    "truth": {"type": "boolean"},
    "frame": {"anyOf": [_NAME, _closed({"frame": _NAME}, ["frame"])]},
    "frames": {"anyOf": [_NAME, _list(_NAME)]},
    "frame or com": {"anyOf": [_NAME, _closed({"frame": _NAME}, ["frame"])]},
    "point": {"anyOf": [_NAME, _closed({"frame": _NAME}, ["frame"]), _list(_FORMULA, 3, 3)]},
    "point of body": {"anyOf": [{"enum": ["com", "origin"]}, _list(_FORMULA, 3, 3)]},
    "places": _nullable(
        _mapping(_nullable(_closed({"position": _ref("value"), "rotation": _ref("rotation")}, [])))
    ),
    "joint": _NAME,
    "movement": {"anyOf": [_NAME, {"type": "array", "prefixItems": [_NAME, {"type": "integer"}], "items": False}]},
    "coordinates": {"anyOf": [_TEXT, _list(_TEXT)]},
    "direction": {"anyOf": [{"type": "string", "pattern": "^[-+]?[xyzXYZ]$"}, _list(_FORMULA, 3, 3)]},
    "movements": {"anyOf": [_ref("one movement"), _list(_ref("one movement"))]},
    "one movement": {"enum": ["Tx", "Ty", "Tz", "Rx", "Ry", "Rz"]},
    "joint kind": {"anyOf": [_ref("movements"), _ref("joints")]},
    "shape": {"anyOf": [{"type": "integer"}, _list({"type": "integer"}, 1, 2)]},
    "shape object": _ref("drawings"),
    "range": _list(_END, 2, 2),
    "ranges": {"anyOf": [_list(_END, 2, 2), _list(_nullable(_ref("range")))]},
    "colour": {"anyOf": [_TEXT, _list(_FORMULA, 3, 4)]},
    "path": _TEXT,
    "paths": {"anyOf": [_TEXT, _list(_TEXT), {"type": "null"}]},
    "law": {"anyOf": [_ONE_LAW, _list(_ONE_LAW)]},
    "function of 1": {"anyOf": [_ONE_FUNCTION, _list(_ONE_FUNCTION)]},
    "function of 2": _function(2),
    "function of 3": _function(3),
    "field": _function(3),
    "rotation": {
        "anyOf": [
            *(_closed({key: _TURN[key] for key in form}, list(form)) for form in FORMS.values()),
            _list(_ref("rotation")),
        ]
    },
}  # fmt: skip
