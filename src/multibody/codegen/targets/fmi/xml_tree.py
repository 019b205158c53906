"""XML that nothing can break out of: a tree is built, and the library writes it."""

from __future__ import annotations

import unicodedata
from typing import Any
from xml.etree import ElementTree

Element = ElementTree.Element


def element(tag: str, *children: Element | None, **attributes: Any) -> Element:
    """An element; attributes and children that are None are left out.

    Example:
        >>> text(element("Unit", name='a<b"', factor=0.5, offset=None)).splitlines()[1]
        '<Unit name="a&lt;b&quot;" factor="0.5" />'
    """
    made = Element(tag, {name: _value(value) for name, value in attributes.items() if value is not None})
    made.extend([child for child in children if child is not None])
    return made


def _value(value: Any) -> str:
    """Numbers so that they can be read back exactly; users' text in one line, without control characters."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    return "".join(" " if unicodedata.category(letter)[0] == "C" else letter for letter in str(value))


def text(root: Element) -> str:
    """The whole document."""
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
