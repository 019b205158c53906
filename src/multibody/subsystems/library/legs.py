"""Legs of parallel robots: from a base to an end point E, whose position and velocity are variables to couple at.

Values are given as in ``planar``; of pairs, the first belongs to the link at the base. All legs may have either the
rates of their joints or velocities of E as independent variables; the equations of a whole robot are the same.
"""

from __future__ import annotations

from typing import Any, Literal

from multibody.errors import ModelError
from multibody.graph import Expr, Symbol, cos, sin
from multibody.model.quantity import rate_name
from multibody.subsystems.library.part_draft import PartDraft
from multibody.subsystems.library.quantities import Value
from multibody.subsystems.subsystem import Subsystem

Pair = tuple[Value, Value]
Independent = Literal["joints", "end"]
OPEN: Pair = (None, None)


def rr_leg(
    label: str, lengths: Pair = OPEN, masses: Pair = OPEN, centres: Pair = OPEN, inertias: Pair = OPEN, *,
    base: Pair = (0, 0), gravity: Any = "-y", drive: str | None = None, independent: Independent = "joints",
) -> Subsystem:  # fmt: skip
    """Two links in a plane, revolute-revolute: theta_1 from the axis x to the first link, theta_2 from there on.

    Args:
        label: its name.
        lengths: l_1 and l_2.
        masses: m_1 and m_2.
        centres: c_1 and c_2, the distance of each link's center of mass from its joint on the side of the base.
        inertias: I_1 and I_2, about the centers of mass.
        base: the place (x_0, y_0) of the first joint.
        gravity: "none", "-y" and the like, with the parameter g; or two components of an acceleration.
        drive: the name of an input, such as "tau", which becomes tau_L for the leg L: a torque in the first joint.
        independent: "joints" or "end".

    Example:
        >>> leg = rr_leg("L", independent="end")
        >>> [one.name for one in leg.independent]
        ['x_E_L_dot', 'y_E_L_dot']
        >>> leg.S.closed()["theta_1_L_dot", "x_E_L_dot"]
        cos(theta_1_L + theta_2_L)/(l_1_L*sin(theta_2_L))
    """
    draft = PartDraft(label)
    links = _LegLinks(draft, lengths, masses, centres, inertias)
    end = links.end(draft.quantities(("x_0", "y_0"), base))
    V = links.potential(draft.gravity(gravity, "xy"), (0, 0))
    return _leg(draft, links.kinetic(), V, {links.first: draft.input(drive)}, end, independent, "an RR leg")


def prr_leg(
    label: str, lengths: Pair = OPEN, masses: Pair = OPEN, centres: Pair = OPEN, inertias: Pair = OPEN, *,
    slider: Value = None, direction: Value = 0, base: Pair = (0, 0), gravity: Any = "-y", drive: str | None = None,
    independent: Independent | tuple[str, ...] = "joints",
) -> Subsystem:  # fmt: skip
    """A slider that moves along a line by s, and carries two links, revolute-revolute.

    Args:
        label: its name.
        lengths: as for ``rr_leg``, like all that is not explained here.
        masses: m_1 and m_2.
        centres: c_1 and c_2.
        inertias: I_1 and I_2.
        slider: m_0, its mass.
        direction: delta, the angle from the axis x to the line.
        base: the place (x_0, y_0) of the slider for s = 0.
        gravity: as for ``rr_leg``.
        drive: the name of an input: a force on the slider along the line.
        independent: "joints"; or names of three rates, because E has but two velocities: ``("s", "x_E", "y_E")``.

    Example:
        >>> leg = prr_leg("L", drive="F", independent=("s", "x_E", "y_E"))
        >>> [one.name for one in leg.independent]
        ['s_L_dot', 'x_E_L_dot', 'y_E_L_dot']
    """
    draft = PartDraft(label)
    s, v = draft.coordinate("s")
    links = _LegLinks(draft, lengths, masses, centres, inertias)
    m_0, delta = draft.amount("m_0", slider), draft.quantity("delta", direction)
    dx, dy = cos(delta), sin(delta)
    gx, gy = draft.gravity(gravity, "xy")
    x_0, y_0 = draft.quantities(("x_0", "y_0"), base)
    T = links.kinetic() + m_0 * v**2 / 2 + links.carried(v, delta)
    V = links.potential((gx, gy), (s * dx, s * dy)) - m_0 * s * (gx * dx + gy * dy)
    return _leg(draft, T, V, {v: draft.input(drive)}, links.end((x_0 + s * dx, y_0 + s * dy)), independent, "a PRR leg")


def ups_leg(
    label: str, masses: Pair = OPEN, centres: Pair = OPEN, inertias: Pair = OPEN, spins: Pair = (0, 0), *,
    base: tuple[Value, Value, Value] = (0, 0, 0), heading: Value = 0, length: Value = 0,
    gravity: Any = "-z", drive: str | None = "f", independent: Independent = "joints",
) -> Subsystem:  # fmt: skip
    """A leg of a Stewart platform, universal-prismatic-spherical: a tube on the base, and in it a piston up to E.

    The leg has the length s, in the direction that is z for alpha = beta = 0, where alpha turns about the first axis of
    the universal joint, which is fixed, and beta about the second. Both bodies are symmetric about the leg.

    Args:
        label: its name.
        masses: m_1 of the tube and m_2 of the piston.
        centres: c_1, from the base to the tube's center of mass, and c_2, from E back to the piston's.
        inertias: I_1 and I_2, about axes across the leg through the centers of mass.
        spins: J_1 and J_2, about the leg; zero for slender bodies.
        base: the place (x_0, y_0, z_0) of the universal joint.
        heading: gamma, from the axis x to the first axis of the universal joint, about z.
        length: s in the reference motion, where a run begins if nothing else is said; a leg without length is singular.
        gravity: "none", "-z" and the like, with the parameter g; or three components of an acceleration.
        drive: the name of an input, "f", which becomes f_L for the leg L: a force that lengthens the leg.
        independent: "joints" or "end".

    Example:
        >>> leg = ups_leg("L")
        >>> leg.M.closed()["s_L_dot", "s_L_dot"], leg.S.closed()["z_E_L_dot", "s_L_dot"]
        (m_2_L, cos(alpha_L)*cos(beta_L))
    """
    draft = PartDraft(label)
    (alpha, a), (beta, b), (s, v) = (draft.coordinate(stem) for stem in ("alpha", "beta", "s"))
    (m1, m2), (c1, c2), (I1, I2), (J1, J2) = (
        _pair(draft, stem, pair) for stem, pair in zip("mcIJ", (masses, centres, inertias, spins), strict=True)
    )
    gamma = draft.quantity("gamma", heading)
    ex, ey, ez = sin(beta), -sin(alpha) * cos(beta), cos(alpha) * cos(beta)
    e = cos(gamma) * ex - sin(gamma) * ey, sin(gamma) * ex + cos(gamma) * ey, ez
    across, along = (a * cos(beta)) ** 2 + b**2, (a * sin(beta)) ** 2  # the angular velocity's components, squared
    T = (I1 + m1 * c1**2 + I2 + m2 * (s - c2) ** 2) * across / 2 + (J1 + J2) * along / 2 + m2 * v**2 / 2
    g = draft.gravity(gravity, "xyz")
    V = -(m1 * c1 + m2 * (s - c2)) * sum(component * field for component, field in zip(e, g, strict=True))
    start = draft.quantities(("x_0", "y_0", "z_0"), base)
    end = tuple(o + s * component for o, component in zip(start, e, strict=True))
    rest = {s: draft.quantity("s_0", length)}
    return _leg(draft, T, V, {v: draft.input(drive)}, end, independent, "a UPS leg", rest)


class _LegLinks:
    """Two links, whose angles theta_1 and theta_1 + theta_2 count from the axis x."""

    def __init__(self, draft: PartDraft, lengths: Pair, masses: Pair, centres: Pair, inertias: Pair) -> None:
        (theta_1, self.first), (theta_2, second) = draft.coordinate("theta_1"), draft.coordinate("theta_2")
        self.angles = theta_1, theta_1 + theta_2
        self.spins = self.first, self.first + second
        self.bend = theta_2
        self.l, self.m, self.c, self.I = (
            _pair(draft, stem, pair) for stem, pair in zip("lmcI", (lengths, masses, centres, inertias), strict=True)
        )
        self.moments = self.m[0] * self.c[0] + self.m[1] * self.l[0], self.m[1] * self.c[1]

    def end(self, start: tuple[Expr, ...]) -> tuple[Expr, Expr]:
        """The position of E, from that of the first joint."""
        (one, two), (l1, l2) = self.angles, self.l
        return start[0] + l1 * cos(one) + l2 * cos(two), start[1] + l1 * sin(one) + l2 * sin(two)

    def kinetic(self) -> Expr:
        """T, if the first joint does not move."""
        (w1, w2), (l1, _), (m1, m2), (c1, c2), (I1, I2) = self.spins, self.l, self.m, self.c, self.I
        alone = (I1 + m1 * c1**2 + m2 * l1**2) * w1**2 / 2 + (I2 + m2 * c2**2) * w2**2 / 2
        return alone + m2 * l1 * c2 * cos(self.bend) * w1 * w2

    def carried(self, v: Expr, delta: Expr) -> Expr:
        """What T is more, if the first joint moves with the velocity v in the direction delta."""
        together = zip(self.moments, self.spins, self.angles, strict=True)
        return (self.m[0] + self.m[1]) * v**2 / 2 + sum(
            moment * w * v * sin(delta - angle) for moment, w, angle in together
        )

    def potential(self, g: tuple[Expr, ...], start: tuple[Any, Any]) -> Expr:
        """V, with the first joint displaced to start."""
        (gx, gy), (one, two), (b1, b2) = g, self.angles, self.moments
        carried = (self.m[0] + self.m[1]) * (gx * start[0] + gy * start[1])
        return -carried - gx * (b1 * cos(one) + b2 * cos(two)) - gy * (b1 * sin(one) + b2 * sin(two))


def _pair(draft: PartDraft, stem: str, pair: Pair) -> tuple[Expr, Expr]:
    """Values for both links; centers of mass may lie on either side of a joint."""
    read = draft.quantities if stem == "c" else draft.amounts
    first, second = read((f"{stem}_1", f"{stem}_2"), pair)
    return first, second


def _leg(
    draft: PartDraft, T: Expr, V: Expr, forces: dict[Symbol, Expr], end: tuple[Expr, ...], independent: Any, about: str,
    reference: dict[Symbol, Expr] | None = None,
) -> Subsystem:  # fmt: skip
    """A leg with the position of E among its variables."""
    points = draft.named("E", end)
    joints, ends = [speed.name for speed in draft.speeds], [rate_name(name) for name in points]
    if isinstance(independent, tuple | list):
        chosen = [rate_name(f"{stem}_{draft.label}") for stem in independent]
    elif independent in ("joints", "end") and (independent == "joints" or len(ends) == len(joints)):
        chosen = joints if independent == "joints" else ends
    else:
        raise ModelError(
            f"{independent!r} cannot be the independent variables.",
            where=f"subsystem '{draft.label}'",
            remedy="Give 'joints', or "
            + ("'end'." if len(ends) == len(joints) else f"{len(joints)} names such as ('s', 'x_E', 'y_E')."),
            code="independent-variables-invalid",
        )
    return draft.made(
        T, V, about, forces=forces, points=points, as_variables=True, independent=chosen, reference=reference
    )  # fmt: skip
