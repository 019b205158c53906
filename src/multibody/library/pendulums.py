"""The simple pendulum and the double pendulum."""

from __future__ import annotations

import math

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.library.check import Check
from multibody.library.library_model import BLUE, GREY, LibraryModel
from multibody.library.observe import moved, passages, poles
from multibody.model import Box, Cylinder, Frame, JointDamper, JointLoad, Position, Sphere, System

# one -----------------------------------------------------------------------------------------------------------------


def pendulum(
    *, length: float = 1.0, mass: float = 1.0, damping: float = 0.0, g: float = 9.81, angle: float = -math.pi / 2
) -> System:
    """A point mass on a massless rod that turns about z (benchmark A01 of the La Coruña library).

    Args:
        length: of the rod, in m.
        mass: in kg.
        damping: in the hinge, in N·m·s.
        g: gravity along -y, in m/s².
        angle: at the start, from the vertical below; the benchmark starts at the left, at (-1, 0).

    Example:
        >>> import multibody as mb
        >>> mb.derive(pendulum()).acceleration
        (-(angle_dot*damping + g*length*mass*sin(angle) - torque)/(length**2*mass),)
    """
    system = System("pendulum")
    L = system.parameter("length", length, unit="m", description="length of the rod")
    m = system.parameter("mass", mass, unit="kg", description="mass of the bob")
    d = system.parameter("damping", damping, unit="N*m*s", description="viscous friction in the hinge")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    bob = system.body("bob", m, (0, -L, 0))
    tip = bob.frame("tip", (0, -L, 0))
    hinge = system.joint("angle", system.world, bob, "Rz", q=angle, limits=(-math.pi, math.pi))
    torque = system.input("torque", unit="N*m", description="drive of the hinge", slider=(-20.0, 20.0))
    system.load(JointLoad(hinge, torque), name="drive")
    system.load(JointDamper(hinge, d), name="friction")
    system.sensor("place", Position(tip))
    system.draw(bob, Cylinder(0.01, colour=GREY), to=tip, name="rod")
    system.draw(tip, Sphere(0.08, colour=BLUE), name="ball")
    return system


def _mean(a: float, b: float) -> float:
    """The arithmetic-geometric mean of Gauss."""
    while abs(a - b) > 1e-15 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return a


def _period(eom: EquationsOfMotion) -> float:
    first, *_, last = found = passages(eom, "angle", 6.0)
    return float(2 * (last - first) / (len(found) - 1))


LA_CORUNA = "La Coruña library of multibody benchmarks, A01"

PENDULUM = LibraryModel(
    "pendulum",
    "Simple pendulum",
    "A point mass on a rod, let go from the horizontal.",
    LA_CORUNA,
    pendulum,
    (
        Check(
            "period of the swing from 90°", 2 * math.pi / math.sqrt(9.81) / _mean(1.0, math.cos(math.pi / 4)),
            "T = 2·π·√(l/g)/agm(1, cos(θ/2)) (Gauss)", 1e-12, _period, "s",
        ),
        Check("x at t = 10 s", -0.275087, LA_CORUNA, 2e-6, lambda eom: moved(eom, 10.0)["place"][-1, 0], "m"),
        Check("y at t = 10 s", -0.961419, LA_CORUNA, 6e-7, lambda eom: moved(eom, 10.0)["place"][-1, 1], "m"),
        Check(
            "frequency of small swings", math.sqrt(9.81), "ω = √(g/l)", 1e-12,
            lambda eom: poles(eom, {"angle": 0.0})[-1].imag, "rad/s",
        ),
    ),
)  # fmt: skip

# two -----------------------------------------------------------------------------------------------------------------


def double_pendulum(
    *, length: float = 0.5, mass: float = 13.86, inertia: float = 0.292908, damping: float = 0.1, g: float = 9.80665,
    angles: tuple[float, float] = (0.0, 0.0),
) -> System:  # fmt: skip
    """Two equal bars that turn about z, a damper in the upper hinge; DoublePendulum of the Modelica Standard Library.

    Args:
        length: of each bar, in m; their centres of mass are in the middle.
        mass: of each bar, in kg.
        inertia: of each bar about its centre of mass, in kg·m².
        damping: in the upper hinge, in N·m·s.
        g: gravity along -y, in m/s².
        angles: at the start: of the upper bar from the x axis, and of the lower bar from the upper one.
    """
    system = System("double_pendulum")
    L = system.parameter("length", length, unit="m", description="length of a bar")
    m = system.parameter("mass", mass, unit="kg", description="mass of a bar")
    J = system.parameter("inertia", inertia, unit="kg*m^2", description="about the centre of mass, across the bar")
    d = system.parameter("damping", damping, unit="N*m*s", description="viscous friction in the upper hinge")
    system.gravity = (0, -system.parameter("g", g, unit="m/s^2", description="gravity"), 0)
    end: Frame = system.world
    for k, angle in enumerate(angles, 1):
        bar = system.body(f"box{k}", m, (L / 2, 0, 0), (0, J, J))
        joint = system.joint(f"phi{k}", end, bar, "Rz", q=angle, limits=(-math.pi, math.pi))
        system.draw(bar, Box(L, 0.06, 0.06), position=(L / 2, 0, 0), name=f"bar{k}")
        end = bar.frame(f"end{k}", (L, 0, 0))
        if k == 1:
            system.load(JointDamper(joint, d), name="friction")
    system.sensor("tip", Position(end))
    return system


def _normal_frequencies() -> tuple[float, float]:
    """Of the hanging pendulum without friction: det(K - ω²·M) = 0 in the angles of both bars from the vertical."""
    m, L, J, g = 13.86, 0.5, 0.292908, 9.80665
    M = np.array([[J + m * L**2 * 5 / 4, m * L**2 / 2], [m * L**2 / 2, J + m * L**2 / 4]])
    K = np.diag([1.5 * m * g * L, 0.5 * m * g * L])
    low, high = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real))
    return float(low), float(high)


def _hanging(eom: EquationsOfMotion, which: int) -> float:
    below = {"phi1": -math.pi / 2, "phi2": 0.0}
    return float(poles(eom, below, parameters={"damping": 0.0})[which].imag)


MODELICA = "Modelica Standard Library, MultiBody.Examples.Elementary.DoublePendulum, reference results (Dymola, 1e-6)"
LAGRANGE = "det(K - ω²·M) = 0 in absolute angles"

DOUBLE_PENDULUM = LibraryModel(
    "double_pendulum",
    "Double pendulum",
    "Two steel bars, let go from the horizontal: chaos, with a little friction in the upper hinge.",
    "Modelica Standard Library, MultiBody.Examples.Elementary.DoublePendulum",
    double_pendulum,
    (
        Check("upper angle at t = 3 s", -2.3179285616, MODELICA, 3e-5, lambda eom: moved(eom, 3.0)["phi1"][-1], "rad"),
        Check("lower angle at t = 3 s", -1.7364916692, MODELICA, 3e-5, lambda eom: moved(eom, 3.0)["phi2"][-1], "rad"),
        Check("slow frequency without friction", _normal_frequencies()[0], LAGRANGE, 1e-10,
              lambda eom: _hanging(eom, 2), "rad/s"),
        Check("fast frequency without friction", _normal_frequencies()[1], LAGRANGE, 1e-10,
              lambda eom: _hanging(eom, 3), "rad/s"),
    ),
)  # fmt: skip
