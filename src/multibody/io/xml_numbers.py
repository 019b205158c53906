"""Numbers in attributes, read strictly: no NaN, no infinity, no guesses."""

from __future__ import annotations

import math
import re
from typing import NoReturn

from multibody.errors import NumberError
from multibody.io.xml_text import Element

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

MAX_NUMBER = 1e30
"""No length, mass or angle of a machine is larger; beyond it, products of such numbers overflow."""

Three = tuple[float, float, float]


def numbers(element: Element, attribute: str, count: int, largest: float = MAX_NUMBER) -> tuple[float, ...] | None:
    """So many finite numbers, separated by spaces; None if there is no such attribute.

    Args:
        element: that has the attribute.
        attribute: its name.
        count: how many numbers it must hold.
        largest: what no number's size may exceed.

    Example:
        >>> from multibody.io.xml_text import read_xml
        >>> numbers(read_xml('<origin xyz="0 .5 -1e-3"/>'), "xyz", 3)
        (0.0, 0.5, -0.001)
        >>> numbers(read_xml('<mass value="nan"/>'), "value", 1)
        Traceback (most recent call last):
            ...
        multibody.errors.NumberError: The attribute value="nan" is not a finite number. [number-invalid]
          where: <mass> in the given text, line 1
          fix: Write plain numbers, such as 0.5 or -1e-3.
    """
    text = element.attributes.get(attribute)
    if text is None:
        return None
    words = text.split()
    if len(words) != count:
        _refuse(element, attribute, f"does not hold {count} number{'s' * (count > 1)}", _hint(text))
    values = tuple(float(word) if _NUMBER.fullmatch(word) else math.nan for word in words)
    if not all(map(math.isfinite, values)):
        what = "is not a finite number" if count == 1 else f"does not hold {count} finite numbers"
        _refuse(element, attribute, what, _hint(text))
    if any(abs(value) > largest for value in values):
        _refuse(element, attribute, f"is beyond ±{largest:g}", "Lengths are in metres, masses in kilograms.")
    return values


def number(element: Element, attribute: str, largest: float = MAX_NUMBER) -> float | None:
    """One finite number, or None if there is no such attribute."""
    found = numbers(element, attribute, 1, largest)
    return None if found is None else found[0]


def three(element: Element | None, attribute: str, default: Three) -> Three:
    """Three numbers, or the default if the element or the attribute is missing."""
    found = None if element is None else numbers(element, attribute, 3)
    return default if found is None else (found[0], found[1], found[2])


def _hint(text: str) -> str:
    if "${" in text or "$(" in text:
        return "It is an expression for xacro; run xacro on the file first."
    if "," in text:
        return "Numbers are separated by spaces, not by commas, and have a decimal point."
    return "Write plain numbers, such as 0.5 or -1e-3."


def _refuse(element: Element, attribute: str, what: str, remedy: str) -> NoReturn:
    shown = element.get(attribute)[:80]
    raise NumberError(
        f'The attribute {attribute}="{shown}" {what}.',
        where=element.place,
        remedy=remedy,
        code="number-invalid",
        name=attribute,
        value=shown,
    )
