"""The heavy symmetric top."""

from __future__ import annotations

import math
from typing import Literal

from multibody.algebra import Rotation
from multibody.equations import EquationsOfMotion
from multibody.formalisms import derive
from multibody.graph import pi
from multibody.library.check import Check
from multibody.library.library_model import BLACK, ORANGE, LibraryModel, one_of
from multibody.library.observe import accelerations, at_state, poles
from multibody.linearization import LinearSystem, critical_values, linearize
from multibody.model import AngularMomentum, Cone, Position, Sphere, System


def heavy_top(
    *, angles: Literal["zxz", "xyz"] = "zxz", mass: float = 15.0, length: float = 1.0, across: float = 0.234375,
    along: float = 0.46875, g: float = 9.81, tilt: float = math.pi / 2, precession: float = -4.61538,
    spin: float = 150.0,
) -> System:  # fmt: skip
    """A symmetric body that turns about a fixed point; gravity acts along -z, its axis is its own z.

    Args:
        angles: axes of the three rotations: ``"zxz"`` are Euler's precession, nutation and spin; ``"xyz"`` are regular
            where the top stands upright.
        mass: in kg.
        length: from the fixed point to the centre of mass, in m.
        across: moment of inertia about an axis through the centre of mass, across the top's own axis, in kg·m².
        along: moment of inertia about its own axis, in kg·m².
        g: gravity, in m/s².
        tilt: of its axis from the vertical at the start, by the second angle of ``"zxz"``, or the first of ``"xyz"``.
        precession: of its axis about the vertical at the start, in rad/s.
        spin: component of the angular velocity along its axis at the start, in rad/s.
    """
    system = System("heavy_top")
    one_of(("zxz", "xyz"), angles, "angles", system.name)
    m = system.parameter("mass", mass, unit="kg", description="mass")
    L = system.parameter("length", length, unit="m", description="from the fixed point to the centre of mass")
    A = system.parameter("across", across, unit="kg*m^2", description="central moment of inertia across the axis")
    C = system.parameter("along", along, unit="kg*m^2", description="moment of inertia about the axis")
    system.gravity = (0, 0, -system.parameter("g", g, unit="m/s^2", description="gravity"))
    top = system.body("top", m, (0, 0, L), (A, A, C))
    euler = angles == "zxz"
    q = (0, tilt, 0) if euler else (tilt, 0, 0)
    u = (precession, 0, spin - precession * math.cos(tilt)) if euler else (0, precession * math.sin(tilt), spin)
    system.joint("turn", system.world, top, [f"R{axis}" for axis in angles], q=q, u=u)
    centre = top.frame("centre", (0, 0, L))
    system.sensor("place", Position(centre))
    system.sensor("momentum", AngularMomentum(system.world))
    system.draw(
        top, Cone(L / 4, L, colour=ORANGE), position=(0, 0, L / 2), rotation=Rotation.about_x(pi), name="body_shape"
    )
    system.draw(centre, Sphere(L / 20, colour=BLACK), name="mark")
    return system


# numbers: moments of inertia about the fixed point, m·g·l ------------------------------------------------------------

A, C, MGL = 0.234375 + 15.0, 0.46875, 15.0 * 9.81
TILT, SPIN = 1.0, 250.0
"""A steady precession."""

SLOW = (C * SPIN - math.sqrt((C * SPIN) ** 2 - 4 * A * MGL * math.cos(TILT))) / (2 * A * math.cos(TILT))


def _names(eom: EquationsOfMotion) -> tuple[list[str], list[str]]:
    return [coordinate.name for coordinate in eom.coordinates], [speed.name for speed in eom.speeds]


def _state(eom: EquationsOfMotion, rate: float) -> tuple[dict[str, float], dict[str, float]]:
    """Precession at a rate, with the tilt and the spin of the steady motion."""
    q, u = _names(eom)
    values = (0.0, TILT, 0.0), (rate, 0.0, SPIN - rate * math.cos(TILT))
    return dict(zip(q, values[0], strict=True)), dict(zip(u, values[1], strict=True))


def _precession(eom: EquationsOfMotion) -> float:
    """The slow rate at which the tilt does not accelerate: Newton's method, from zero."""
    nutation = _names(eom)[1][1]

    def pull(rate: float) -> float:
        return accelerations(eom, at_state(eom, *_state(eom, rate)))[nutation]

    rate, step = 0.0, 1e-4
    for _ in range(20):
        rate -= pull(rate) * 2 * step / (pull(rate + step) - pull(rate - step))
    return rate


def _nutation(eom: EquationsOfMotion) -> float:
    """The frequency of small swings of the tilt about the steady precession."""
    q, u = _state(eom, SLOW)
    return float(poles(eom, q | u)[-1].imag)


def _sleeping(eom: EquationsOfMotion) -> float:
    """The spin below which the upright top falls, in angles that are regular there."""
    upright = derive(heavy_top(angles="xyz"))
    values = {symbol.name: value for symbol, value in eom.model.parameter_values().items()}
    (x, y, _), (x_dot, y_dot, z_dot) = _names(upright)

    def family(spin: float) -> LinearSystem:
        at = {x: 0.0, y: 0.0, x_dot: 0.0, y_dot: 0.0, z_dot: spin}
        return linearize(upright, at, parameters=values).part(x, y, x_dot, y_dot)

    return critical_values(family, 50.0, 400.0, points=8)[0].value


TEXTBOOK = "Goldstein, Classical Mechanics, section 5.7"

HEAVY_TOP = LibraryModel(
    "heavy_top",
    "Heavy top",
    "A fast symmetric top on a fixed point, which starts with its axis level.",
    "Géradin and Cardona, Flexible Multibody Dynamics (2001); Brüls and Cardona, J. Comput. Nonlin. Dyn. 5 (2010)",
    heavy_top,
    (
        Check("slow steady precession at 1 rad and 250 rad/s", SLOW,
              f"{TEXTBOOK}: A·cos θ·Ω² - C·ω₃·Ω + m·g·l = 0", 1e-10, _precession, "rad/s"),
        Check("nutation about it", math.sqrt((C * SPIN - 2 * A * SLOW * math.cos(TILT)) ** 2
                                             + (A * SLOW * math.sin(TILT)) ** 2) / A,
              "A²·ν² = (C·ω₃ - 2·A·Ω·cos θ)² + (A·Ω·sin θ)²", 1e-10, _nutation, "rad/s"),
        Check("spin below which it does not sleep upright", 2 * math.sqrt(A * MGL) / C,
              f"{TEXTBOOK}: C²·ω₃² = 4·A·m·g·l", 1e-9, _sleeping, "rad/s"),
    ),
)  # fmt: skip
