"""Checks of units: numbers that are so far from each other that millimetres, grams or tonnes were meant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.errors import MultibodyError
from multibody.graph import as_expr, evaluate
from multibody.model.body import Body, Frame
from multibody.model.report import Finding

if TYPE_CHECKING:
    from multibody.model.system import System

HEAVY = 300.0
"""Gravity in m/s² that there is nowhere to stand on; on the Sun it is 274."""

FAR = 100.0
"""How many times larger than the whole system the body would have to be that has such an inertia."""

UNITS = "Units are metre, kilogram, second and radian, and nothing is converted."


def unit_findings(system: System, values: Mapping[Any, float] | None) -> Iterator[Finding]:
    """Gravity and inertias that look as if units were mixed; ``values`` are those of parameters, if known."""
    if values is None:
        return
    g = _length(system.gravity, values)
    if g > HEAVY:
        yield Finding(
            "warning", f"Gravity is {g:g} m/s².", f"system '{system.name}'", "It is given in mm/s².", UNITS,
            code="gravity-unit-doubtful",
        )  # fmt: skip
    bodies = [body for body in system.all(Body) if body is not system.world]
    places = [body.com for body in bodies] + [frame.pose.position for frame in system.all(Frame)]
    size = max((_length(place, values) for place in places), default=0.0)
    for body in bodies:
        radius = _gyration(body, values)
        if size and radius > FAR * size:
            yield Finding(
                "warning",
                f"The inertia is that of a body {radius:.3g} m in size, and the whole system spans {size:.3g} m.",
                f"body '{body.name}'", "It is given in kg·mm², or lengths are given in km.", UNITS,
                code="inertia-unit-doubtful",
            )  # fmt: skip


def _gyration(body: Body, values: Mapping[Any, float]) -> float:
    """The largest radius of gyration, √(I/m)."""
    mass, *moments = _numbers([body.mass, body.inertia.xx, body.inertia.yy, body.inertia.zz], values)
    return sqrt(max(moments) / mass) if mass > 0 and max(moments) > 0 else 0.0


def _length(vector: Any, values: Mapping[Any, float]) -> float:
    return float(np.linalg.norm(_numbers(list(vector), values)))


def _numbers(parts: list[Any], values: Mapping[Any, float]) -> list[float]:
    """Numbers, or zeros where they depend on more than parameters, which is reported elsewhere."""
    try:
        return [float(number) for number in evaluate([as_expr(part) for part in parts], values)]
    except MultibodyError:
        return [0.0] * len(parts)
