"""Bodies that a track or a pivot guides, in the plane. Names, axes and values are those of ``planar``."""

from __future__ import annotations

from typing import Any, Literal

from multibody.errors import ModelError
from multibody.graph import Expr, cos, sin
from multibody.graph.number import is_number
from multibody.subsystems.library.part_draft import PartDraft
from multibody.subsystems.library.quantities import Value
from multibody.subsystems.subsystem import Subsystem


def cart(label: str, mass: Value = None, *, damping: Value = 0, drive: str | None = None) -> Subsystem:
    """A cart on a straight track along x.

    Args:
        label: its name.
        mass: m.
        damping: c, of a force against its velocity.
        drive: the name of an input, such as "F", which becomes F_P for the cart P: a force along x.

    Example:
        >>> dict(cart("C", drive="F").explicit())
        {'x_C_dot': x_C_dot, 'x_C_ddot': F_C/m_C}
    """
    draft = PartDraft(label)
    _, v = draft.coordinate("x")
    m, c, F = draft.amount("m", mass), draft.quantity("c", damping), draft.input(drive)
    return draft.made(m * v**2 / 2, 0, "a cart on a straight track", forces={v: F - c * v})


def pendulum(
    label: str, mass: Value = None, length: Value = None, *, pivot: tuple[Value, Value] = (0, 0), gravity: Any = "-y",
    as_variables: bool = False,
) -> Subsystem:  # fmt: skip
    """A uniform rod that swings about a fixed pivot, with theta = 0 where it points to -y.

    Args:
        label: its name.
        mass: m.
        length: l, from the pivot to the free end B.
        pivot: its place (x_O, y_O).
        gravity: as for ``rigid_body``.
        as_variables: whether the position of B becomes variables; see ``rigid_body``.

    Example:
        >>> pendulum("P").explicit()["theta_P_ddot"]
        -3*g*sin(theta_P)/(2*l_P)
    """
    draft = PartDraft(label)
    theta, w = draft.coordinate("theta")
    m, L = draft.amount("m", mass), draft.amount("l", length)
    (gx, gy), (x, y) = draft.gravity(gravity, "xy"), draft.quantities(("x_O", "y_O"), pivot)
    s, c = L * sin(theta), L * cos(theta)
    return draft.made(
        m * L**2 * w**2 / 6, -m * (gx * s - gy * c) / 2, "a rod on a fixed pivot",
        points=draft.named("B", (x + s, y - c)), as_variables=as_variables, independent=[w.name],
    )  # fmt: skip


def rolling_cylinder(
    label: str, mass: Value = None, radius: Value = None, inertia: Value = None, *,
    track: Literal["line", "circle"] = "line", slope: Value = 0, track_radius: Value = None, gravity: Any = "-y",
    as_variables: bool = False,
) -> Subsystem:  # fmt: skip
    """A cylinder that rolls without slipping, on a line or inside a circle; phi is how far it has turned.

    Args:
        label: its name.
        mass: m.
        radius: r.
        inertia: I, about its axis; ``"m_P*r_P**2/2"`` for a solid cylinder P.
        track: "line" through the origin, along which it has rolled by s; or a "circle" about the origin, on whose
            inner side it is by the angle psi away from the direction -y.
        slope: alpha, of the line.
        track_radius: R, of the circle.
        gravity: as for ``rigid_body``.
        as_variables: whether the position (x, y) of the center becomes variables; see ``rigid_body``.

    Example:
        >>> ball = rolling_cylinder("P", inertia="m_P*r_P**2/2", track="circle")
        >>> ball.explicit()["psi_P_ddot"]
        2/3*g*sin(psi_P)/(r_P - R_P)
    """
    if track not in ("line", "circle"):
        raise ModelError(
            f"{track!r} is no track.",
            where=f"subsystem '{label}'",
            remedy="Give 'line' or 'circle'.",
            code="track-invalid",
        )
    draft = PartDraft(label)
    m, r, J = draft.amount("m", mass), draft.amount("r", radius), draft.amount("I", inertia)
    gx, gy = draft.gravity(gravity, "xy")
    along, rate = draft.coordinate("s" if track == "line" else "psi")
    phi, w = draft.coordinate("phi")
    way: Expr
    speed: Expr
    if track == "line":
        alpha = draft.quantity("alpha", slope)
        way, speed = along, rate
        center = along * cos(alpha) - r * sin(alpha), along * sin(alpha) + r * cos(alpha)
    else:
        gap = draft.amount("R", track_radius) - r
        if is_number(radius) and is_number(track_radius) and not float(radius) < float(track_radius):
            raise ModelError(
                f"A cylinder of radius {radius} does not fit into a track of radius {track_radius}.",
                where=f"subsystem '{label}'",
                remedy="Give a larger track_radius.",
                code="cylinder-larger-than-track",
            )
        way, speed = gap * along, gap * rate
        center = gap * sin(along), -gap * cos(along)
    return draft.made(
        m * speed**2 / 2 + J * w**2 / 2, -m * (gx * center[0] + gy * center[1]), f"a cylinder rolling on a {track}",
        constraints={"rolling": way + r * phi}, points=draft.named("", center), as_variables=as_variables,
        independent=[rate.name],
    )  # fmt: skip
