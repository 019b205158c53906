"""Readers of text: expressions, arguments of commands, model files, robots; and names that are spelled for others."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from multibody.cli.assignments import pairs, spread
from multibody.codegen.naming import module_name
from multibody.codegen.syntax import one_line, quoted
from multibody.codegen.targets.fmi import xml_tree
from multibody.errors import InvalidNameError, ParseError
from multibody.graph import parse, to_text
from multibody.graph.names import check, escape, unescape, unique_names
from multibody.graph.text.languages import language
from multibody.graph.text.latex_names import latex_name, literal
from multibody.graph.text.parser import parse_condition
from multibody.io import read_urdf
from multibody.io.model_files import model_text, read_model

FORMULA_WORDS = (
    "sin( cos( atan2( where( min( max( abs( sqrt( exp( log( sign( pi and or not where = == <= != ** ^ ` x y v1 v2 "
    "1/0 1e308 1e-320 9**9 __import__('os').system('true') () , 0.1 ( ) - -x"
)
ARGUMENT_WORDS = "= : , uniform( normal( pi ** 1e308 -1e308 0:1:11 nan inf"
NAME_WORDS = 'int end lambda _ __ u03c6_ φ u005f_ */ /* \\ " """ #= \u2028 \ufeff'
MODEL_WORDS = (
    "multibody: name: parameters: inputs: tables: bodies: frames: joints: constraints: sensors: loads: drawings: "
    "start: mass: com: inertia: about: position: rotation: parent: child: kind: value: unit: include: gravity: on: "
    "world Tx Ry Rz Free Revolute {of: is: table: !!python/object/apply:os.system &a *a <<: null inf measured. "
    "JointLoad: Spring: Force: Position: Distance: part.yaml ../ quaternion: euler: matrix: axis: limits: [ ] { } "
    "subsystems: system: copy: suffix: shared: variables: kinematics: dynamics: independent: identities: energy:"
)
ROBOT_WORDS = (
    "<robot <link <joint <inertial> <origin <axis <limit <mimic <visual> <mesh <material <geometry> <dynamics <child "
    'name=" type=" xyz=" rpy=" mass value=" ixx=" filename="package:// parent link=" revolute prismatic planar '
    "floating continuous fixed <!DOCTYPE <!ENTITY &amp; &#0; ]]> <![CDATA[ nan 1e308 /> </ <?xml"
)
LANGUAGES = ("python", "c", "cpp", "matlab", "modelica", "julia", "rust", "javascript", "sympy-text")


def _text(data: bytes) -> str:
    """Bytes as text; what is no text becomes single halves of pairs, which only a hostile caller would give."""
    return data.decode("utf-8", "surrogateescape")


def expression(data: bytes, folder: Path) -> None:
    """Text of an expression or a condition comes back to the same one."""
    text = _text(data)
    with suppress(ParseError):
        condition = parse_condition(text)
        if not isinstance(condition, bool):
            _comes_back(condition, parse_condition)
    _comes_back(parse(text), parse)


def _comes_back(value: Any, read: Callable[[str], Any]) -> None:
    """What is known exactly is the same as before; a number that was rounded may be another in its last digit."""
    written = to_text(value)
    again = read(written)
    exact = not re.search(r"\d\.|\de[-+]?\d|\d{15}", written)
    assert again.fp == value.fp or not exact, f"{written!r} is {again}"


def arguments(data: bytes, folder: Path) -> None:
    """Numbers and ranges of a command are finite."""
    for value in pairs(_text(data).split("\n"), "--parameter").values():
        found = spread(value, "--parameter")
        listed: Iterable[Any] = found if isinstance(found, list) else [found] if isinstance(found, float) else ()
        assert all(map(math.isfinite, listed)), found


def model_file(data: bytes, folder: Path) -> None:
    """What is read can be written, and is then read as the same."""
    part = folder / "part.yaml"
    if not part.exists():
        part.write_text("multibody: 1\nparameters: {included: 3}\n")
    path = folder / "model.yaml"
    path.write_bytes(data)
    written = model_text(read_model(path))
    assert model_text(read_model(written, folder=folder)) == written


def robot(data: bytes, folder: Path) -> None:
    """What is read can be frozen, and named files are only looked for where they may be."""
    read_urdf(data, mesh_root=folder).system.freeze()


def names(data: bytes, folder: Path) -> None:
    """Each name has a spelling of its own in every language, and any text is harmless where texts are written."""
    text = _text(data)
    _harmless(text)
    allowed = []
    for name in dict.fromkeys(text.split()):
        with suppress(InvalidNameError):
            allowed.append(check(name))
    for target in LANGUAGES:
        _spelled(allowed, target)
    for name in allowed:
        _balanced(latex_name(name))
        assert not isinstance(_value(name), str) or parse(f"`{name}`").name == name


def _value(name: str) -> Any:
    return name if "`" not in name else None


def _spelled(allowed: list[str], target: str) -> None:
    rules = language(target)
    escaped = [escape(name, target) for name in allowed]
    assert [unescape(one, target) for one in escaped] == allowed, target
    unique = unique_names(allowed, target)
    assert len({*unique.values()}) == len(allowed), target
    assert len({module_name(name, target) for name in allowed}) == len(allowed), target
    for one in (*escaped, *unique.values()):
        assert one.isidentifier(), (target, one)
        assert one not in rules.reserved, (target, one)
        assert one.isascii() or not rules.ascii_only, (target, one)
    assert all(len(one) <= rules.max_length for one in unique.values())


def _harmless(text: str) -> None:
    line = one_line(text)
    assert len(line.splitlines()) <= 1
    assert not re.search(r'\*/|/\*|=#|#=|"""|\\$', line), line
    literal_text = quoted(text)
    assert json.loads(literal_text) == ast.literal_eval(literal_text)
    assert len(json.loads(literal_text)) == len(text)
    document = xml_tree.text(xml_tree.element("Unit", name=text))
    kept = ElementTree.fromstring(document).attrib["name"]
    assert len(kept) == len(text), (kept, text)
    _balanced(literal(text))


def _balanced(latex: str) -> None:
    """Every brace is closed, and no bare character has a meaning of its own."""
    plain = re.sub(r"\\[#$%&_{}]", "", latex)
    depth = 0
    for letter in plain:
        depth += (letter == "{") - (letter == "}")
        assert depth >= 0, latex
    assert depth == 0, latex
    assert not re.search(r"[%#$&~]", plain), latex
