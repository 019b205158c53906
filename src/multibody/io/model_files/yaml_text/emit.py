"""Plain values as YAML text that is pleasant to read: sections line by line, small things in one line."""

from __future__ import annotations

import math
import re
from typing import Any

from multibody.errors import ModelFileError
from multibody.io.model_files.yaml_text.scalars import resolved

WIDTH = 120

_PLAIN = re.compile(r"(?:\w|[-(](?=[\w(]))[\w+*/().^<>-]*(?: [\w+*/().^<>=-]+)*")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def emitted(document: dict[str, Any]) -> str:
    """The text of a document.

    Example:
        >>> print(emitted({"name": "crane", "bodies": {"crab": {"mass": 10, "com": [0, 0, "l/2"]}}}), end="")
        name: crane
        bodies:
          crab: {mass: 10, com: [0, 0, l/2]}
    """
    return "".join(_entry(key, value, 0) for key, value in document.items())


def _entry(key: str, value: Any, depth: int) -> str:
    """A key with its value, in one line or in several."""
    pad = "  " * depth
    named_things = depth == 0 and isinstance(value, dict)
    if not named_things or not value:
        line = f"{pad}{scalar(key)}: {flow(value)}\n"
        if len(line) <= WIDTH or not _splits(value):
            return f"{pad}{scalar(key)}: {_long(value, pad)}\n"
    if isinstance(value, dict):
        return f"{pad}{scalar(key)}:\n" + "".join(_entry(inner, item, depth + 1) for inner, item in value.items())
    return f"{pad}{scalar(key)}:\n" + "".join(f"{pad}  - {flow(item)}\n" for item in value)


def _splits(value: Any) -> bool:
    nested = isinstance(value, list) and any(isinstance(item, list | dict) for item in value)
    return nested or (isinstance(value, dict) and bool(value))


def _long(value: Any, pad: str) -> str:
    """A value that cannot be split: a text of several lines as a block, a long list over several lines."""
    if isinstance(value, str) and "\n" in value and _is_block(value):
        lines = value.removesuffix("\n").split("\n")
        sign = "|" if value.endswith("\n") else "|-"
        return "\n".join([sign, *(f"{pad}  {line}" if line else "" for line in lines)])
    if isinstance(value, list) and len(flow(value)) > WIDTH:
        return f"[\n{_wrapped([flow(item) for item in value], pad + '    ')}]"
    return flow(value)


def _is_block(text: str) -> bool:
    lines = text.removesuffix("\n").split("\n")
    return (
        lines[-1] != ""
        and all(line.isprintable() and line == line.rstrip() for line in lines)
        and lines[0][:1] not in ("", " ")
    )


def _wrapped(items: list[str], pad: str) -> str:
    lines, line = [], pad
    for item in items:
        if len(line) + len(item) > WIDTH and line != pad:
            lines.append(line.rstrip())
            line = pad
        line += f"{item}, "
    return "\n".join([*lines, line.rstrip().rstrip(",")])


def flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{scalar(key)}: {flow(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    return scalar(value)


def scalar(value: Any) -> str:
    """A scalar; a text with quotes only where it needs them.

    Example:
        >>> [scalar(value) for value in (None, True, 1e22, "-x/2", "no", "null", "a, b", "1")]
        ['null', 'true', '1e+22', '-x/2', 'no', '"null"', '"a, b"', '"1"']
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        if isinstance(value, float) and not math.isfinite(value):
            raise ModelFileError(
                f"The number {value} cannot be written.",
                remedy="Numbers in a model file are finite.",
                code="number-not-finite",
                value=value,
            )
        return repr(value)
    if not isinstance(value, str):
        raise ModelFileError(
            f"A value of type {type(value).__name__} cannot be written to a model file.",
            remedy="Give a number, a text such as a formula, True, False, None, or lists and dictionaries of these.",
            code="value-not-writable",
        )
    return value if _is_plain(value) else f'"{"".join(map(_escaped, value))}"'


def _is_plain(text: str) -> bool:
    if not _PLAIN.fullmatch(text) or not text.isprintable():
        return False
    try:
        return isinstance(resolved(text), str)
    except ValueError:
        return False


def _escaped(letter: str) -> str:
    if letter in _ESCAPES or letter.isprintable():
        return _ESCAPES.get(letter, letter)
    code = ord(letter)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
