"""Systems whose motion is published or known exactly, beside those of ``mechanisms`` and ``motions``."""

import math

import numpy as np
from scipy.special import ellipj

import multibody as mb

from ..formalisms.mechanisms import slender  # noqa: TID252


def modelica_pendulum() -> mb.System:
    """Elementary.Pendulum of the Modelica Standard Library: 1 kg at 0.5 m and a damper, from the horizontal."""
    system = mb.System("pendulum", gravity=(0, -9.80665, 0))
    body = system.body("body", 1.0, (0.5, 0, 0), (0.001, 0.001, 0.001))
    joint = system.joint("phi", system.world, body, "Rz")
    system.load(mb.JointDamper(joint, 0.1))
    return system


def movable_double_pendulum() -> mb.System:
    """Section 4.1 of Zaiczek and Enge-Rosenblatt: two bodies below a trolley, with viscous friction in every joint.

    The paper prints the angles at the start, 90 and 0 degrees, but no masses and lengths: these are as in
    ``library.fourfold_pendulum``.
    """
    system = mb.System("movable_double_pendulum", gravity=(0, -9.81, 0))
    trolley = system.body("trolley", 2.0, inertia=(0.01, 0.01, 0.01))
    upper, lower = (slender(system, name, 1.0, 1.0) for name in ("upper", "lower"))
    system.joint("s", system.world, trolley, "Tx")
    system.joint("phi1", trolley, upper, "Rz", q=math.radians(90) - math.pi / 2)  # from the vertical
    system.joint("phi2", upper.frame("end", (1, 0, 0)), lower, "Rz")
    for name in ("s", "phi1", "phi2"):
        system.load(mb.JointDamper(system[name], 0.1), name=f"friction_{name}")
    return system


# a body that turns freely --------------------------------------------------------------------------------------------

MOMENTS = (0.1, 0.2, 0.3)
SPIN = (3.0, 0.0, 2.0)


def gyroscope() -> mb.System:
    """A body that flies and turns freely, near to the unstable turning about its middle axis."""
    system = mb.System("gyroscope", gravity=(0, 0, 0))
    rotor = system.body("rotor", 2.0, inertia=MOMENTS)
    system.joint("flight", system.world, rotor, mb.Free(), u=(*SPIN, 1, 2, 3))
    return system


def gyroscope_at(t: np.ndarray) -> np.ndarray:
    """Its exact angular velocity, for M² > 2·E·I2: Landau and Lifshitz, Mechanics, section 37."""
    I1, I2, I3 = MOMENTS
    energy, momentum = (sum(I**power * w**2 for I, w in zip(MOMENTS, SPIN, strict=True)) for power in (1, 2))  # 2·E, M²
    low, high = energy * I3 - momentum, momentum - energy * I1
    tau = np.sqrt((I3 - I2) * high / (I1 * I2 * I3)) * np.asarray(t)
    sn, cn, dn, _ = ellipj(tau, (I2 - I1) * low / ((I3 - I2) * high))
    sizes = low / (I1 * (I3 - I1)), low / (I2 * (I3 - I2)), high / (I3 * (I3 - I1))
    return np.sqrt(np.array(sizes))[:, None] * [cn, sn, dn]


# rolling -------------------------------------------------------------------------------------------------------------


def rolling_disc() -> mb.System:
    """A disc that rolls on the plane z = 0 without slip, leaning by 0.3 rad."""
    system = mb.System("rolling_disc")
    m, r, lean = 2.0, 0.3, 0.3
    disc = system.body("disc", m, inertia=(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
    place = (0, 0, r * math.cos(lean), math.cos(lean / 2), math.sin(lean / 2), 0, 0)
    system.joint("flight", system.world, disc, mb.Free(), q=place, u=(0.3, 8.0, 0.5, 0, 0, 0))
    system.constraint(mb.RollingDisc(system.world, disc, r, axis="y"), name="contact")
    return system
