"""Units as exponents of the base units of the SI, which is how FMI defines them."""

from __future__ import annotations

import re
from fractions import Fraction
from math import pi
from typing import NamedTuple

BASE = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")
"""The base units of FMI, in the order of the standard."""


class Unit(NamedTuple):
    """A unit: ``factor`` times base units with exponents."""

    factor: float
    exponents: dict[str, int]


def _unit(factor: float = 1.0, **exponents: int) -> Unit:
    return Unit(factor, exponents)


_KNOWN = {name: _unit(**{name: 1}) for name in BASE} | {
    "1": _unit(), "N": _unit(kg=1, m=1, s=-2), "J": _unit(kg=1, m=2, s=-2), "W": _unit(kg=1, m=2, s=-3),
    "Pa": _unit(kg=1, m=-1, s=-2), "Hz": _unit(s=-1), "C": _unit(A=1, s=1), "V": _unit(kg=1, m=2, s=-3, A=-1),
    "Ohm": _unit(kg=1, m=2, s=-3, A=-2), "F": _unit(kg=-1, m=-2, s=4, A=2), "H": _unit(kg=1, m=2, s=-2, A=-2),
    "T": _unit(kg=1, s=-2, A=-1), "Wb": _unit(kg=1, m=2, s=-2, A=-1), "Nm": _unit(kg=1, m=2, s=-2),
    "g": _unit(1e-3, kg=1), "t": _unit(1e3, kg=1), "mm": _unit(1e-3, m=1), "cm": _unit(1e-2, m=1),
    "km": _unit(1e3, m=1), "ms": _unit(1e-3, s=1), "min": _unit(60.0, s=1), "h": _unit(3600.0, s=1),
    "kN": _unit(1e3, kg=1, m=1, s=-2), "deg": _unit(pi / 180, rad=1), "rev": _unit(2 * pi, rad=1),
}  # fmt: skip

_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_FACTOR = re.compile(r"([A-Za-z]+|1)(?:(?:\^|\*\*)?\(?([+-]?\d+)\)?)?")


def parsed(text: str) -> Unit | None:
    """A unit from its text; None if it is not understood.

    Example:
        >>> parsed("N*m/rad"), parsed("kg·m²").exponents, parsed("furlong")
        (Unit(factor=1.0, exponents={'kg': 1, 'm': 2, 's': -2, 'rad': -1}), {'kg': 1, 'm': 2}, None)
    """
    factor, exponents = 1.0, dict.fromkeys(BASE, 0)
    plain = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda match: "^" + match[0].translate(_SUPERSCRIPTS), text.strip())
    for sign, part in _parts(plain):
        match = _FACTOR.fullmatch(part)
        known = _KNOWN.get(match[1]) if match else None
        if match is None or known is None:
            return None
        power = sign * int(match[2] or 1)
        factor *= float(Fraction(known.factor) ** power)
        for base, exponent in known.exponents.items():
            exponents[base] += power * exponent
    return Unit(factor, {base: exponent for base, exponent in exponents.items() if exponent})


def _parts(text: str) -> list[tuple[int, str]]:
    """Factors with the sign of their exponents; what follows a slash, up to the next sign, is divided by."""
    pieces = re.split(r"\s*(/|\*(?!\*)(?<!\*\*)|·|⋅|\s)\s*", text)
    signs = [1, *(-1 if sign == "/" else 1 for sign in pieces[1::2])]
    return list(zip(signs, pieces[::2], strict=True))
