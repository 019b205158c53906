"""Tables of the parts of systems and models for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.support.text_tables import html_table


def parts_html(
    title: str, parts: Sequence[Iterable[Any]], registers: Sequence[Mapping[str, Any]],
    states: Sequence[Iterable[Any]] = (),
) -> str:  # fmt: skip
    """A table of all parts by name.

    Args:
        title: of the table.
        parts: bodies, joints, parameters and inputs.
        registers: constraints, loops, loads and sensors by name.
        states: coordinates and speeds, once they are known.
    """
    last = [[name, "", _listed(symbols)] for name, symbols in zip(("coordinates", "speeds"), states, strict=False)]
    return html_table([["part", "name", "description"], *_rows(parts, registers), *last], title)


def _listed(symbols: Iterable[Any]) -> str:
    return ", ".join(map(str, symbols))


def _rows(parts: Sequence[Iterable[Any]], others: Sequence[Any]) -> Iterator[list[str]]:
    bodies, joints, parameters, inputs = parts
    for body in bodies:
        yield ["body", body.name, f"mass {body.mass}, center of mass {_listed(body.com)}"]
    for joint in joints:
        yield ["joint", joint.name, f"{joint.kind!r} from {joint.parent.name} to {joint.child.name}"]
    for parameter in parameters:
        values = [value for value in parameter.default.values() if value is not None]
        yield [
            "parameter",
            parameter.name,
            " ".join([_listed(values) or "no value", parameter.unit, parameter.description]).strip(),
        ]
    for input_ in inputs:
        size = "×".join(map(str, np.shape(input_.symbols)))
        yield ["input", input_.name, " ".join([size, input_.unit, input_.description]).strip()]
    for kind, register in zip(("constraint", "loop", "load", "sensor"), others, strict=True):
        yield from ([kind, name, repr(element)] for name, element in register.items())
