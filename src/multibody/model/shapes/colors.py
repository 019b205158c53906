"""Colours, by name or by numbers."""

from __future__ import annotations

import re
from typing import Any

from multibody.errors import ModelError
from multibody.graph import names

Colour = tuple[float, float, float, float]
"""Red, green, blue and opacity, each from 0 to 1."""

NAMED = {
    "black": "#000000", "white": "#ffffff", "grey": "#808080", "gray": "#808080", "silver": "#c0c0c0",
    "lightgrey": "#d3d3d3", "darkgrey": "#606060", "red": "#d62728", "green": "#2ca02c", "blue": "#1f77b4",
    "yellow": "#f2c80f", "orange": "#ff7f0e", "purple": "#9467bd", "brown": "#8c564b", "pink": "#e377c2",
    "cyan": "#17becf", "olive": "#bcbd22", "navy": "#1b2a5c", "teal": "#008080", "gold": "#d4a017", "steel": "#8a9ba8",
    "steelblue": "#4682b4", "wood": "#b5834a", "darkred": "#8b1a1a", "darkgreen": "#1b5e20",
}  # fmt: skip


def as_colour(colour: Any, where: str) -> Colour:
    """Four numbers from a name, ``"#rrggbb"``, ``"#rrggbbaa"``, or three or four numbers.

    Example:
        >>> as_colour("white", "crab"), as_colour((0, 0.5, 1), "crab")
        ((1.0, 1.0, 1.0, 1.0), (0.0, 0.5, 1.0, 1.0))
    """
    if isinstance(colour, str):
        text = NAMED.get(colour.lower().replace(" ", ""), colour)
        if re.fullmatch(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})", text):
            parts = [int(text[k : k + 2], 16) / 255 for k in range(1, len(text), 2)]
            return _whole(parts)
    elif isinstance(colour, list | tuple) and len(colour) in {3, 4}:
        try:
            parts = [float(number) for number in colour]
        except (TypeError, ValueError):
            parts = [-1.0]
        if all(0 <= part <= 1 for part in parts):
            return _whole(parts)
    raise ModelError(
        f"{colour!r:.100} is not a colour.",
        code="color-unknown",
        where=where,
        cause=names.suggestion([colour], NAMED) if isinstance(colour, str) else "",
        remedy=f"Use '#rrggbb', three or four numbers from 0 to 1, or a name: {', '.join(NAMED)}.",
    )


def _whole(parts: list[float]) -> Colour:
    red, green, blue, opacity = [*parts, 1.0][:4]
    return red, green, blue, opacity
