"""``name=value`` on the command line."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

from multibody.cli.codes import CommandError
from multibody.equations import EquationsOfMotion
from multibody.errors import ParseError
from multibody.graph import evaluate, parse
from multibody.graph.names import suggestion

MOST_VALUES = 1_000_000
"""Of a range."""


def pair(text: str, option: str) -> tuple[str, str]:
    """Name and value of ``name=value``.

    Example:
        >>> pair("F = 10*sin(t)", "--input")
        ('F', '10*sin(t)')
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise CommandError(f"'{text}' is not NAME=VALUE.", where=option, remedy=f"Write {option} name=value.")
    return name, value


def pairs(texts: Iterable[str] | None, option: str) -> dict[str, str]:
    """All of them by name, each once."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, value = pair(text, option)
        if name in found:
            raise CommandError(f"'{name}' is given twice.", where=option, remedy="Give it once.")
        found[name] = value
    return found


def number(text: str, where: str) -> float:
    """A number, or an expression of numbers.

    Example:
        >>> number("pi/2", "--start")
        1.5707963267948966
    """
    try:
        return float(evaluate(parse(text, {}), {}))
    except ParseError as error:
        place = f"{where}, {error.where}" if error.where else where
        remedy = error.remedy or "Give a number, or an expression of numbers such as pi/2."
        raise CommandError(error.what, where=place, cause=error.cause, remedy=remedy) from error


def numbers(texts: Iterable[str] | None, option: str) -> dict[str, float]:
    """Numbers by name."""
    return {name: number(value, f"{option} {name}") for name, value in pairs(texts, option).items()}


def state_values(eom: EquationsOfMotion, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start values, as coordinates and as speeds.

    Raises:
        CommandError: for a name that is neither.
    """
    coordinates, speeds = [one.name for one in eom.coordinates], [one.name for one in eom.speeds]
    strange = [name for name in given if name not in coordinates and name not in speeds]
    if strange:
        raise CommandError(
            f"There is no coordinate or speed '{strange[0]}'.",
            where=f"--start, system '{eom.model.name}'",
            cause=suggestion(strange, [*coordinates, *speeds]),
            remedy=f"The coordinates are: {', '.join(coordinates)}. The speeds are: {', '.join(speeds)}.",
        )
    q = {name: value for name, value in given.items() if name in coordinates}
    return q, {name: value for name, value in given.items() if name not in coordinates}


SPREAD = re.compile(r"^(uniform|normal)\((.*),(.*)\)$")


def spread(text: str, where: str) -> Any:
    """What a parameter of a sweep is: a number, a list ``1,2,5``, a range ``0:1:11``, or a distribution.

    Example:
        >>> spread("0:1:3", "-p"), spread("1,2", "-p"), spread("normal(5, 0.1)", "-p")
        ([0.0, 0.5, 1.0], [1.0, 2.0], Normal(mean=5.0, deviation=0.1))
    """
    if drawn := SPREAD.match(text.lower()):
        return _distribution(drawn[1], number(drawn[2], where), number(drawn[3], where))
    if ":" in text:
        return _range(text, where)
    if "," in text:
        return [number(one, where) for one in text.split(",")]
    return number(text, where)


def _distribution(kind: str, first: float, second: float) -> Any:
    from multibody.simulate import Normal, Uniform

    return Uniform(first, second) if kind == "uniform" else Normal(first, second)


def _range(text: str, where: str) -> list[float]:
    import numpy as np

    parts = text.split(":")
    count = parts[2].strip() if len(parts) == 3 else ""
    if not count.isdecimal() or not count.strip("0"):
        raise CommandError(f"'{text}' is no range.", where=where, remedy="Write FROM:TO:COUNT, such as 0:1:11.")
    if len(count) > 9 or int(count) > MOST_VALUES:
        raise CommandError(f"'{text}' has too many values.", where=where, remedy=f"Give at most {MOST_VALUES}.")
    first, last = number(parts[0], where), number(parts[1], where)
    if not math.isfinite(last - first):
        raise CommandError(f"'{text}' has ends that are too far apart.", where=where, remedy="Give smaller numbers.")
    return [float(value) for value in np.linspace(first, last, int(count))]
