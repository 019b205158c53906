"""Bodies that move in space, besides ``newton_euler``, the rigid body. Values are given as in ``planar``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.errors import ModelError
from multibody.graph import Expr
from multibody.subsystems.arguments.groups import KnownMotion
from multibody.subsystems.coupling import couple
from multibody.subsystems.library.part_draft import PartDraft, with_names
from multibody.subsystems.library.quantities import Value
from multibody.subsystems.rigid_body.newton_euler import newton_euler
from multibody.subsystems.subsystem import Subsystem

Places = Mapping[str, tuple[Value, Value, Value]]


def point_mass(label: str, mass: Value = None, *, gravity: Any = "-z") -> Subsystem:
    """A point with mass, at (x, y, z).

    Args:
        label: its name.
        mass: m.
        gravity: "none", "-z" and the like, with the parameter g; or three components of an acceleration.

    Example:
        >>> point_mass("P").explicit()["z_P_ddot"]
        -g
    """
    draft = PartDraft(label)
    moving = [draft.coordinate(axis) for axis in "xyz"]
    m, g = draft.amount("m", mass), draft.gravity(gravity, "xyz")
    V = -m * sum(field * x for (x, _), field in zip(moving, g, strict=True))
    return draft.made(m * sum(v**2 for _, v in moving) / 2, V, "a point mass in space")


def rod(label: str, mass: Value = None, length: Value = None, *, gravity: Any = "-z") -> Subsystem:
    """A uniform slender rod from A to B, described by the positions of its ends, whose distance stays the same.

    With T = m(v_A² + v_A·v_B + v_B²)/6 its mass matrix is constant (García de Jalón and Bayo, 1994). A turn about its
    own axis is not described. At the start it lies along x, with A in the origin.

    Args:
        label: its name.
        mass: m.
        length: l.
        gravity: as for ``point_mass``.

    Example:
        >>> from multibody.subsystems import couple
        >>> swing = couple("swing", [rod("R")], ["x_A_R", "y_A_R", "z_A_R"])
        >>> len(swing.independent)
        2
    """
    draft = PartDraft(label)
    ends = [[draft.coordinate(f"{axis}_{end}") for axis in "xyz"] for end in "AB"]
    m, L, g = draft.amount("m", mass), draft.amount("l", length), draft.gravity(gravity, "xyz")
    pairs = list(zip(*ends, strict=True))
    T = m / 6 * sum(va**2 + va * vb + vb**2 for (_, va), (_, vb) in pairs)
    V = -m / 2 * sum(field * (a + b) for ((a, _), (b, _)), field in zip(pairs, g, strict=True))
    distance = sum((b - a) ** 2 for (a, _), (b, _) in pairs) - L**2
    reference = {ends[1][0][0]: L}
    return draft.made(T, V, "a uniform rod in space", constraints={"length": distance}, reference=reference)


def platform(
    label: str, points: Places, mass: Value = None, inertia: tuple[Value, Value, Value] = (None, None, None), *,
    orientation: str = "quaternion", gravity: Any = "-z", as_variables: bool = False,
) -> Subsystem:  # fmt: skip
    """A rigid body with attachment points for legs; its variables are those of ``newton_euler``.

    Args:
        label: its name.
        points: places to couple at, by name, with three coordinates in axes of the body through its center of mass;
            the position of A is (x_A_P, y_A_P, z_A_P) for the platform P.
        mass: m.
        inertia: I_P_x, I_P_y, I_P_z, about axes of the body through its center of mass.
        orientation: "quaternion", or a sequence of Euler angles such as "xyz".
        gravity: as for ``newton_euler``.
        as_variables: whether positions of points become variables; without it, they are names for expressions.

    Example:
        >>> table = platform("P", {"A": (0.5, 0, 0)}, orientation="zyx")
        >>> table.aliases["z_A_P"]
        p_P_z - a_A_P*sin(phi_P)
    """
    if "none" in orientation.lower() or "position" in orientation.lower():
        raise ModelError(
            f"With {orientation!r} the points of a platform have no places.",
            where=f"subsystem '{label}'",
            remedy="Give 'quaternion' or a sequence of Euler angles such as 'xyz'.",
            code="orientation-missing",
        )
    draft = PartDraft(label)
    for name, value in zip(("m_{}", "I_{}_x", "I_{}_y", "I_{}_z"), (mass, *inertia), strict=True):
        draft.value(name.format(label), value)
    places = {name: draft.quantities([f"{letter}_{name}" for letter in "abc"], place) for name, place in points.items()}
    body = newton_euler(label, orientation, gravity, parameters=draft.parameters, description="a platform")
    named: dict[str, Expr] = {}
    rest: dict[str, Expr] = {}
    for name, place in places.items():
        named |= draft.named(name, [_component(body, axis, place) for axis in "xyz"])
        rest |= draft.named(name, place)
    if not as_variables:
        return with_names(body, named)
    inner = body.renamed(f"{label}_body")
    return couple(
        label, [inner], {name: f"{name} = {expression}" for name, expression in named.items()}, variables=list(named),
        independent=[variable.name for variable in inner.independent], motion=KnownMotion(reference=rest),
        description=body.description,
    )  # fmt: skip


def _component(body: Subsystem, axis: str, place: tuple[Expr, ...]) -> Expr:
    """One component of p + R·r."""
    label = body.label
    turned = sum(
        body.aliases[f"R_{label}_{axis}{other}"] * component for other, component in zip("xyz", place, strict=True)
    )
    center = next(variable for variable in body.orders if variable.name == f"p_{label}_{axis}")
    return center + turned
