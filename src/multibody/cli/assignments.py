"""``name=value`` on the command line."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from multibody.cli.exit_codes import CommandError, on_command_line
from multibody.equations import EquationsOfMotion
from multibody.errors import ParseError
from multibody.graph import evaluate, parse
from multibody.graph.names import element_name, require_known_names

MAX_VALUES = 1_000_000
"""Of a range."""


def pair(text: str, option: str) -> tuple[str, str]:
    """Name and value of ``name=value``.

    Example:
        >>> pair("F = 10*sin(t)", "--input")
        ('F', '10*sin(t)')
    """
    name, equals, value = (part.strip() for part in text.partition("="))
    if not (name and equals and value):
        raise CommandError(
            f"'{text}' is not NAME=VALUE.",
            where=option,
            remedy=f"Write {option} name=value.",
            code="assignment-invalid",
            value=text,
        )
    return name, value


def pairs(texts: Iterable[str] | None, option: str) -> dict[str, str]:
    """All of them by name, each once."""
    found: dict[str, str] = {}
    for text in texts or ():
        name, value = pair(text, option)
        if name in found:
            raise CommandError(
                f"'{name}' is given twice.", where=option, remedy="Give it once.", code="name-repeated", name=name
            )
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
        raise CommandError.of(error, place, remedy) from error


def listed(text: str, read: Callable[[str], Any]) -> Any:
    """The value of a parameter or an input: an array if it is in brackets, otherwise one value.

    Example:
        >>> listed("[1, 2]", float), listed("[[1, 0], [0, 1]]", float), listed("3", float)
        ([1.0, 2.0], [[1.0, 0.0], [0.0, 1.0]], 3.0)
    """
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return read(text)
    parts, depth = [""], 0
    for letter in text[1:-1]:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [listed(part, read) for part in parts]


def numbers(texts: Iterable[str] | None, option: str) -> dict[str, float]:
    """Numbers by name."""
    return {name: number(value, f"{option} {name}") for name, value in pairs(texts, option).items()}


def require_known(names: Iterable[str], known: Iterable[str], what: str, where: str) -> None:
    """An error for the first name that is not known.

    Raises:
        CommandError: with what may have been meant.
    """
    require_known_names(names, known, what, where=where, error=CommandError, code="name-unknown")


def parameter_values(eom: EquationsOfMotion, texts: Iterable[str] | None) -> dict[str, float]:
    """Values of parameters by name.

    Raises:
        CommandError: for names that are not those of parameters, and for values that are not numbers.
    """
    given = {
        name: listed(value, partial(number, where=f"--parameter {name}"))
        for name, value in pairs(texts, "--parameter").items()
    }
    with on_command_line("--parameter"):
        values = eom.model.parameters_by_element(given)
    require_parameters(eom, values)
    return values


def require_parameters(eom: EquationsOfMotion, names: Iterable[str]) -> None:
    """An error for names that are not those of parameters."""
    known = [symbol.name for symbol in eom.model.parameter_symbols]
    require_known(names, known, "parameter", f"--parameter, system '{eom.model.name}'")


def require_quantities(eom: EquationsOfMotion, names: Iterable[str], option: str) -> None:
    """An error before anything is computed, if a run will not have a quantity, or an element of one, of this name."""
    from multibody.simulation.results.quantities import quantities
    from multibody.simulation.results.recording import split, unknown

    known = quantities(eom)
    for name in names:
        owner, place = split(name, known)
        shape = np.shape(eom.outputs[owner]) if owner in known and known[owner].kind == "sensor" else ()
        elements = [element_name(owner, place) for place in np.ndindex(shape)]
        if owner not in known or (place and name not in elements):
            listed = elements if owner in known and shape else known
            with on_command_line(option):
                raise unknown(name, listed, f"system '{eom.model.name}'")


def input_laws(eom: EquationsOfMotion, texts: Iterable[str] | None) -> dict[str, str]:
    """Expressions that inputs follow, by name.

    Raises:
        CommandError: for names that are not those of inputs, and for expressions that cannot be read.
    """
    from multibody.simulation.problem.inputs import read_inputs

    given = {name: listed(value, str) for name, value in pairs(texts, "--input").items()}
    with on_command_line("--input"):
        laws = eom.model.inputs_by_element(given)
        if laws:
            read_inputs(eom, laws)
    return laws


def at_values(eom: EquationsOfMotion, texts: Iterable[str] | None) -> dict[str, float]:
    """Values of coordinates, speeds and inputs at an operating point, by name."""
    values = numbers(texts, "--at")
    known = [symbol.name for symbol in (*eom.coordinates, *eom.speeds, *eom.inputs)]
    require_known(values, known, "coordinate, speed or input", f"--at, system '{eom.model.name}'")
    return values


def state_values(eom: EquationsOfMotion, given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Start values, as coordinates and as speeds.

    Raises:
        CommandError: for a name that is neither.
    """
    coordinates, speeds = [coordinate.name for coordinate in eom.coordinates], [speed.name for speed in eom.speeds]
    where = f"--start, system '{eom.model.name}'"
    require_known(given, [*coordinates, *speeds], "coordinate or speed", where)
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
        return [number(word, where) for word in text.split(",")]
    return number(text, where)


def _distribution(kind: str, first: float, second: float) -> Any:
    from multibody.simulation import Normal, Uniform

    return Uniform(first, second) if kind == "uniform" else Normal(first, second)


def _range(text: str, where: str) -> list[float]:
    parts = text.split(":")
    count = parts[2].strip() if len(parts) == 3 else ""
    if not count.isdecimal() or not count.strip("0"):
        raise CommandError(
            f"'{text}' is not a range.",
            where=where,
            remedy="Write FROM:TO:COUNT, such as 0:1:11.",
            code="range-invalid",
            value=text,
        )
    if len(count) > 9 or int(count) > MAX_VALUES:
        raise CommandError(
            f"'{text}' has too many values.",
            where=where,
            remedy=f"Give at most {MAX_VALUES}.",
            code="range-invalid",
            value=text,
        )
    first, last = number(parts[0], where), number(parts[1], where)
    if not math.isfinite(last - first):
        raise CommandError(
            f"'{text}' has ends that are too far apart.",
            where=where,
            remedy="Give smaller numbers.",
            code="range-invalid",
            value=text,
        )
    return [float(value) for value in np.linspace(first, last, int(count))]
