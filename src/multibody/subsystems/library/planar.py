"""Bodies that move in a plane: x to the right, y upwards, angles counter-clockwise.

Names end with the label: ``x_P``, ``theta_P`` are coordinates of the part P, ``x_P_dot`` their rates, ``m_P`` its mass,
``x_A_P`` belongs to its point A. For every quantity there may be given None, so that it is a parameter without a value;
a number, the value of this parameter, and zero to leave it out; or an expression of other parameters, such as
``"rho*l_P"``. Other forces are added where parts are coupled:
``couple(…, own=OwnEquations(dynamics={"theta_P_dot": "tau"}))``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from multibody.errors import ModelError
from multibody.graph import Expr, cos, pi, sin
from multibody.graph.number import is_number
from multibody.subsystems.library.part_draft import PartDraft
from multibody.subsystems.library.quantities import Value
from multibody.subsystems.subsystem import Subsystem

__all__ = ["cart", "pendulum", "platform", "point_mass", "rigid_body", "rod", "rolling_cylinder"]

Points = Mapping[str, tuple[Value, Value]]


def point_mass(label: str, mass: Value = None, *, gravity: Any = "-y") -> Subsystem:
    """A point with mass, at (x, y).

    Args:
        label: its name.
        mass: m.
        gravity: "none", "-y" and the like, with the parameter g; or two components of an acceleration.

    Example:
        >>> dict(point_mass("P").explicit())
        {'x_P_dot': x_P_dot, 'y_P_dot': y_P_dot, 'x_P_ddot': 0, 'y_P_ddot': -g}
    """
    draft = PartDraft(label)
    (x, vx), (y, vy) = draft.coordinate("x"), draft.coordinate("y")
    m, (gx, gy) = draft.amount("m", mass), draft.gravity(gravity, "xy")
    return draft.made(m * (vx**2 + vy**2) / 2, -m * (gx * x + gy * y), "a point mass in the plane")


def rigid_body(
    label: str, mass: Value = None, inertia: Value = None, *, points: Points | None = None, gravity: Any = "-y",
    as_variables: bool = False,
) -> Subsystem:  # fmt: skip
    """A rigid body with the center of mass at (x, y), turned by theta.

    Args:
        label: its name.
        mass: m.
        inertia: I, about the center of mass.
        points: places to couple at, by name, with the two coordinates in axes of the body through its center of mass;
            the position of A is (x_A_P, y_A_P) for the body P, and where None is given, its place is (a_A_P, b_A_P).
        gravity: "none", "-y" and the like, with the parameter g; or two components of an acceleration.
        as_variables: whether positions of points become variables; without it, they are names for expressions, and
            there are fewer variables.

    Example:
        >>> body = rigid_body("P", 2.0, points={"A": (0.5, 0)})
        >>> body.aliases["x_A_P"], body.aliases["x_A_P_dot"]
        (a_A_P*cos(theta_P) + x_P, x_P_dot - a_A_P*theta_P_dot*sin(theta_P))
    """
    draft = PartDraft(label)
    m, J = draft.amount("m", mass), draft.amount("I", inertia)
    places = {name: draft.quantities((f"a_{name}", f"b_{name}"), place) for name, place in (points or {}).items()}
    return _body(draft, m, J, places, gravity, as_variables, "a rigid body in the plane")


def rod(
    label: str, mass: Value = None, length: Value = None, *, gravity: Any = "-y", as_variables: bool = False
) -> Subsystem:
    """A uniform rod from A to B, with its center at (x, y) and the direction theta from A to B.

    Args:
        label: its name.
        mass: m.
        length: l.
        gravity: as for ``rigid_body``.
        as_variables: whether the positions of both ends become variables; see ``rigid_body``.

    Example:
        >>> from multibody.subsystems import couple
        >>> swing = couple("swing", [rod("R")], {"x": "x_A_R", "y": "y_A_R"}, independent="theta_R_dot")
        >>> swing.M.closed()["theta_R_dot", "theta_R_dot"]
        l_R**2*m_R/3
    """
    draft = PartDraft(label)
    m, L = draft.amount("m", mass), draft.amount("l", length)
    ends = {"A": (-L / 2, 0), "B": (L / 2, 0)}
    return _body(draft, m, m * L**2 / 12, ends, gravity, as_variables, "a uniform rod in the plane")


def platform(
    label: str, points: int | Points, mass: Value = None, inertia: Value = None, *, radius: Value = None,
    gravity: Any = "none", as_variables: bool = False,
) -> Subsystem:  # fmt: skip
    """A body with attachment points for legs.

    Args:
        label: its name.
        points: how many, called 1, 2, …, evenly on a circle about the center of mass, the first on the axis x of the
            body; or places by name, as for ``rigid_body``.
        mass: m.
        inertia: I, about the center of mass.
        radius: r, of that circle.
        gravity: as for ``rigid_body``; none by default, because such platforms often lie flat.
        as_variables: see ``rigid_body``.

    Example:
        >>> platform("P", 2).aliases["x_2_P"]
        x_P - r_P*cos(theta_P)
    """
    if not isinstance(points, int):
        return rigid_body(label, mass, inertia, points=points, gravity=gravity, as_variables=as_variables)
    if points < 1:
        raise ModelError(
            "A platform has at least one point.",
            where=f"subsystem '{label}'",
            remedy="Give points=3.",
            code="platform-without-points",
        )
    draft = PartDraft(label)
    m, J, r = draft.amount("m", mass), draft.amount("I", inertia), draft.amount("r", radius)
    angles = [2 * pi * k / points for k in range(points)]
    places = {str(k): (r * cos(angle), r * sin(angle)) for k, angle in enumerate(angles, 1)}
    return _body(draft, m, J, places, gravity, as_variables, f"a platform with {points} points")


def _body(
    draft: PartDraft,
    m: Expr,
    J: Expr,
    places: Mapping[str, tuple[Any, ...]],
    gravity: Any,
    as_variables: bool,
    about: str,
) -> Subsystem:
    """A rigid body with points in given places."""
    (x, vx), (y, vy), (theta, w) = (draft.coordinate(stem) for stem in ("x", "y", "theta"))
    gx, gy = draft.gravity(gravity, "xy")
    c, s = cos(theta), sin(theta)
    points: dict[str, Expr] = {}
    for name, (a, b) in places.items():
        points |= draft.named(name, (x + a * c - b * s, y + a * s + b * c))
    return draft.made(
        m * (vx**2 + vy**2) / 2 + J * w**2 / 2, -m * (gx * x + gy * y), about, points=points,
        as_variables=as_variables, independent=[vx.name, vy.name, w.name],
    )  # fmt: skip


# bodies that a track or a pivot guides -------------------------------------------------------------------------------


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
            f"{track!r} is not a track.",
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
