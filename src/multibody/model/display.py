"""How things look in a notebook: tables and texts as HTML, with everything that a user wrote escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from multibody.model.model import Model
    from multibody.model.system import System


def escape(text: str) -> str:
    """Text with what HTML would read as a mark written out."""
    import html  # late: only notebooks need it

    return html.escape(text)


def html_text(text: str) -> str:
    """Text as it stands, with its lines.

    Example:
        >>> html_text("1 < 2")
        '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(text)}</pre>"


def html_table(rows: Iterable[Sequence[str]], title: str = "") -> str:
    """A table; the first row is its head.

    Example:
        >>> html_table([["name"], ["<crab>"]], "bodies")
        '<table><caption>bodies</caption><tr><th>name</th></tr><tr><td>&lt;crab&gt;</td></tr></table>'
    """
    head, *body = rows
    caption = f"<caption>{escape(title)}</caption>" if title else ""
    return f"<table>{caption}{_line('th', head)}{''.join(_line('td', row) for row in body)}</table>"


def _line(kind: str, cells: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<{kind}>{escape(cell)}</{kind}>' for cell in cells)}</tr>"


def system_html(system: System) -> str:
    """A system in the making: all its parts, by name."""
    from multibody.model.body import Body
    from multibody.model.joint import Joint
    from multibody.model.quantity import Input, Parameter

    bodies = [one for one in system.all(Body) if one is not system.world]
    parts = (bodies, list(system.all(Joint)), list(system.all(Parameter)), list(system.all(Input)))
    others = (system.constraints, system.loops, system.loads, system.sensors)
    return html_table([["part", "name", "what it is"], *_rows(parts, others)], f"system '{system.name}'")


def model_html(model: Model) -> str:
    """A frozen model: all its parts, by name."""
    parts = (model.bodies, [*model.joints, *model.cuts], model.parameters, model.inputs)
    others: tuple[Any, ...] = (model.constraints, {}, model.loads, model.sensors)
    states = [["coordinates", "", _listed(model.coordinates)], ["speeds", "", _listed(model.speeds)]]
    return html_table([["part", "name", "what it is"], *_rows(parts, others), *states], f"model '{model.name}'")


def _listed(symbols: Iterable[Any]) -> str:
    return ", ".join(map(str, symbols))


def _rows(parts: Sequence[Iterable[Any]], others: Sequence[Any]) -> Iterator[list[str]]:
    bodies, joints, parameters, inputs = parts
    for body in bodies:
        yield ["body", body.name, f"mass {body.mass}, centre of mass {_listed(body.com)}"]
    for joint in joints:
        yield ["joint", joint.name, f"{joint.kind!r} from {joint.parent.name} to {joint.child.name}"]
    for one in parameters:
        values = [value for value in one.default.values() if value is not None]
        yield ["parameter", one.name, " ".join([_listed(values) or "no value", one.unit, one.description]).strip()]
    for one in inputs:
        size = "×".join(map(str, np.shape(one.symbols)))
        yield ["input", one.name, " ".join([size, one.unit, one.description]).strip()]
    for kind, register in zip(("constraint", "loop", "load", "sensor"), others, strict=True):
        yield from ([kind, name, repr(thing)] for name, thing in register.items())
