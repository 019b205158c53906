"""Declarations: names that Modelica allows, and variables with units, start values and meanings."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from multibody.codegen.quantities import ScalarVariable
from multibody.codegen.targets.modelica.syntax import string
from multibody.codegen.targets.modelica.units import modelica_unit
from multibody.graph.names import escape


def spelled(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Names that Modelica allows, all different from each other and from those taken."""
    used, found = set(taken), []
    for name in names:
        new = escape(name, "modelica")
        while new in used:
            new += "_"
        used.add(new)
        found.append(new)
    return found


def section(title: str, lines: Sequence[str]) -> list[str]:
    """Declarations below a title; nothing if there are none."""
    return [f"  // {title}", *(f"  {line}" for line in lines)] if lines else []


def declared(
    kind: str, name: str, one: ScalarVariable, more: Sequence[str] = (), *, start: float | None = None,
    value: str = "",
) -> str:  # fmt: skip
    """A variable with its unit, its start value or its value, and what it means."""
    unit = modelica_unit(one.unit)
    attributes = [f'unit="{unit}"'] if unit else []
    ends = zip(("min", "max"), one.limits or (), strict=False)
    attributes += [f"{end}={limit!r}" for end, limit in ends if isfinite(limit)]
    attributes += [*([] if start is None else [f"start={start!r}"]), *more]
    text = f"{kind} {name}" + (f"({', '.join(attributes)})" if attributes else "")
    text += f" = {value}" if value else ""
    meaning = one.description if unit or one.limits else one.meaning
    meaning = meaning if name == one.name else f"{one.name} {meaning}".strip()
    return f"{text} {string(meaning)};" if meaning else f"{text};"
