"""Mobility of a mechanism by counting and by rank, redundant equations, singular configurations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from multibody.mechanics.constraints.independence import NO_NUMBERS, Constraints, at_start
from multibody.mechanics.constraints.rank import is_singular, pivoted_columns
from multibody.model.kinematics import Kinematics
from multibody.model.model import Model
from multibody.support.text_tables import html_text


@dataclass(frozen=True)
class Analysis:
    """The result of ``system.analyse()``.

    Attributes:
        system: its name.
        bodies: how many there are.
        loops: joints that close loops, by name.
        explicit: loops that are solved in closed form, by name.
        grubler: degrees of freedom by counting (Grübler and Kutzbach): 6 for each body, less what joints and
            constraints forbid. Redundant equations make it too small.
        generic: degrees of freedom by exact rank, for almost all positions, closed or not.
        mobility: degrees of freedom near the start, with all loops closed: what the mechanism really has. None if it
            cannot be assembled, or parameters have no values.
        redundant: equations that follow from others, by name.
        independent: speeds from which all others follow well at the start.
        singular: whether the start itself is a singular configuration, in which the mechanism has more freedom.
        trouble: why the mechanism could not be assembled; empty if it could.
    """

    system: str
    bodies: int
    loops: tuple[str, ...]
    explicit: tuple[str, ...]
    grubler: int
    generic: int
    mobility: int | None
    redundant: tuple[str, ...]
    independent: tuple[str, ...]
    singular: bool
    trouble: str = ""

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        lines = [
            f"system '{self.system}': {self.bodies} {'body' if self.bodies == 1 else 'bodies'}",
            f"  loops closed by: {', '.join(self.loops) or 'none'}",
            f"  solved in closed form: {', '.join(self.explicit) or 'none'}",
            f"  degrees of freedom: {'unknown' if self.mobility is None else self.mobility} near the start, "
            f"{self.generic} in general, {self.grubler} by counting",
            f"  redundant equations: {', '.join(self.redundant) or 'none'}",
            f"  independent speeds: {', '.join(self.independent) or 'none'}",
        ]
        if self.singular:
            lines.append("  the start is a singular configuration: the mechanism can move in more ways there")
        return "\n".join(lines + ([f"  {self.trouble}"] if self.trouble else []))


def analyse(model: Model) -> Analysis:
    """All that constraints say about the freedom of a mechanism.

    Example:
        >>> from multibody.model import System
        >>> bar = System("bar")
        >>> one, two = (bar.body(name, 1, (0.5, 0, 0), (0, 0, 1)) for name in ("one", "two"))
        >>> joints = [bar.joint("a", bar.world, one, "Rz"), bar.joint("b", one.frame("end", (1, 0, 0)), two, "Rz")]
        >>> slider = bar.body("slider", 1)
        >>> joints += [
        ...     bar.joint("c", two.frame("tip", (2, 0, 0)), slider, "Rz"),
        ...     bar.joint("d", bar.world, slider, "Tx", q=3),
        ... ]
        >>> found = analyse(bar.freeze())
        >>> found.mobility, found.grubler, len(found.redundant)
        (1, -2, 3)
    """
    full = model.unreduced or model
    constraints = Constraints.of(Kinematics(full))
    generic = len(full.speeds) - len(constraints.generic)
    common: dict[str, Any] = {
        "system": model.name,
        "bodies": len(model.bodies),
        "loops": tuple(joint.name for joint in model.cuts),
        "explicit": tuple(name for name in full.constraints if name not in model.constraints),
        "grubler": _counted(full, constraints),
        "generic": generic,
    }
    try:
        everything = at_start(constraints)[2]
    except NO_NUMBERS as error:
        names = tuple(n for k, n in enumerate(constraints.names) if k not in constraints.generic)
        return Analysis(**common, mobility=None, redundant=names, independent=(), singular=False, trouble=error.what)
    rows = list(constraints.independent)
    B = everything[rows]
    return Analysis(
        **common,
        mobility=len(full.speeds) - len(rows),
        redundant=constraints.redundant,
        independent=tuple(full.speeds[k].name for k in pivoted_columns(B)[0]),
        singular=is_singular(B),
    )


def _counted(model: Model, constraints: Constraints) -> int:
    """6 for each body, less what joints of the tree, closing joints and other constraints forbid."""
    moving = sum(len(joint.speeds) for joint in model.joints if joint.prescribed is None)
    forbidden = sum(6 for _ in model.joints) - moving
    return 6 * len(model.bodies) - forbidden - len(constraints)
