"""Units as Modelica writes them."""

from __future__ import annotations

import re

_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_RAISED = re.compile("[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_FACTOR = re.compile(r"([A-Za-z]+)(?:\^?\(?(-?\d+)\)?)?")


def modelica_unit(text: str) -> str:
    """A unit in the notation of the Modelica specification; empty if it cannot be written that way.

    Example:
        >>> modelica_unit("m/s^2"), modelica_unit("N*m"), modelica_unit("kg·m²/s/rad"), modelica_unit("bananas per day")
        ('m/s2', 'N.m', 'kg.m2/(s.rad)', '')
    """
    plain = _RAISED.sub(lambda match: f"^{match[0].translate(_SUPERSCRIPTS)}", text.strip()).replace("**", "^")
    above, *below = re.sub(r"\s*([*·./^])\s*", r"\1", plain).split("/")
    over = [] if above == "1" else _factors(above)
    under = [factor for part in below for factor in (_factors(_opened(part)) or [""])]
    if not plain or over is None or "" in under or not (over or above == "1"):
        return ""
    top = ".".join(over) or "1"
    bottom = ".".join(under)
    return top if not under else f"{top}/({bottom})" if len(under) > 1 else f"{top}/{bottom}"


def _opened(part: str) -> str:
    return part[1:-1] if part.startswith("(") and part.endswith(")") else part


def _factors(text: str) -> list[str] | None:
    """The factors of a product, such as ``["kg", "m2"]``; None if one of them is not a unit."""
    found = [_FACTOR.fullmatch(factor) for factor in re.split(r"[*·.]", text)]
    return [match[1] + (match[2] or "") for match in found if match] if all(found) else None
