"""A thin disc that rolls."""

from __future__ import annotations

import math
from functools import partial

from multibody.algebra import Rotation
from multibody.equations import EquationsOfMotion
from multibody.graph import pi
from multibody.library.check import Check
from multibody.library.library_model import BLUE, PALE, WHITE, LibraryModel
from multibody.library.observe import at_state, measured, moved, poles
from multibody.model import AngularAcceleration, AngularVelocity, Cylinder, Line, Plane, RollingDisc, System


def rolling_disc(
    *, mass: float = 3.43, radius: float = 0.26, g: float = 9.81, yaw: float = 0.3, lean: float = 0.1,
    rates: tuple[float, float, float] = (0.126603940595934, 0.215942571601660, 1.28736069604936),
) -> System:  # fmt: skip
    """A thin uniform disc that rolls on the plane z = 0 without slip; its axis is y, it turns by yaw, lean and spin.

    Args:
        mass: in kg.
        radius: in m.
        g: gravity along -z, in m/s².
        yaw: the direction of its rim at the start, about z.
        lean: at the start, about x after the yaw; zero is upright.
        rates: of yaw, lean and spin at the start, in rad/s.
    """
    system = System("rolling_disc")
    m = system.parameter("mass", mass, unit="kg", description="mass")
    r = system.parameter("radius", radius, unit="m", description="radius")
    system.gravity = (0, 0, -system.parameter("g", g, unit="m/s^2", description="gravity"))
    disc = system.body("disc", m, inertia=(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
    system.joint(
        "disc_place", system.world, disc, ["Tx", "Ty", "Tz", "Rz", "Rx", "Ry"],
        q=(0, 0, radius * math.cos(lean), yaw, lean, 0),
    )  # fmt: skip
    system.start(**dict(zip(("disc_place_rz_dot", "disc_place_rx_dot", "disc_place_ry_dot"), rates, strict=True)))
    system.constraint(RollingDisc(system.world, disc, r), name="grip")
    system.sensor("w", AngularVelocity(disc, expressed_in=disc))
    system.sensor("a", AngularAcceleration(disc, expressed_in=disc))
    system.draw(system.world, Plane(4, 4, colour=PALE), name="floor")
    system.draw(disc, Cylinder(r, 0.02, colour=BLUE), rotation=Rotation.about_x(pi / 2), name="rim")
    system.draw(disc, Line(r, colour=WHITE), position=(0, 0.011, 0), name="spoke")
    return system


YAW, LEAN, SPIN = (f"disc_place_{turn}" for turn in ("rz", "rx", "ry"))
RATES = f"{YAW}_dot", f"{LEAN}_dot", f"{SPIN}_dot"

CASES = (
    ((0.3, 0.1, 1.97), (0.126603940595934, 0.215942571601660, 1.28736069604936),
     (-0.925848952664489, -0.0181350656532944, 2.91695398184589)),
    ((3.97, -0.28, 8.2), (0.0259159090798597, 0.668041660387416, -2.19283799213811),
     (1.45030568179066, -0.0110924422400793, -8.35617840186040)),
)  # fmt: skip
"""Yaw, lean and spin, their rates, and the rates of the angular velocity's components along the disc's axes."""


def _turning(eom: EquationsOfMotion, case: int, axis: int) -> float:
    place, rates, _ = CASES[case]
    state = at_state(eom, dict(zip((YAW, LEAN, SPIN), place, strict=True)), dict(zip(RATES, rates, strict=True)))
    return float(measured(eom, state, "a")[axis])


TILT, CIRCLE = 1.1, 0.8
"""A steady motion: the angle between disc and floor, and the radius of its centre's circle, in m."""

STEADY = math.sqrt(9.81 / math.tan(TILT) / (0.26 * math.cos(TILT) / 4 + 1.5 * CIRCLE))


def _circled(eom: EquationsOfMotion) -> float:
    """How far it has turned in five seconds."""
    spin = -STEADY * CIRCLE / 0.26 - STEADY * math.cos(TILT)
    start = dict(zip(RATES, (STEADY, 0.0, spin), strict=True))
    return float(moved(eom, 5.0, q={YAW: 0.0, LEAN: math.pi / 2 - TILT}, u=start)[YAW][-1])


def _upright(eom: EquationsOfMotion, spin: float) -> complex:
    at = {LEAN: 0.0, **dict(zip(RATES, (0.0, 0.0, spin), strict=True))}
    return max(poles(eom, at), key=abs)


SYMPY = "SymPy, test_kane5"
SMALL = "λ² = 4·g/(5·r) - 12·w²/5 (Neimark and Fufaev; SymPy, test_linearize_rolling_disc_kane)"

ROLLING_DISC = LibraryModel(
    "rolling_disc",
    "Rolling disc",
    "A thin disc, a coin, that rolls on a floor without slip: it circles, and stays upright if it is fast enough.",
    "Kane and Levinson, Dynamics (1985); SymPy, test_kane5",
    rolling_disc,
    (
        *(
            Check(f"ω{axis}' in state {case + 1}", CASES[case][2][k], SYMPY, 1e-12,
                  partial(_turning, case=case, axis=k), "rad/s^2")
            for case in (0, 1) for k, axis in enumerate("xyz")
        ),
        Check("angle turned in 5 s of steady circling", 5 * STEADY, "Ω² = g·cot α/(r·cos α/4 + 3·b/2)", 1e-9,
              _circled, "rad"),
        Check("unstable pole, upright at rest", math.sqrt(0.8 * 9.81 / 0.26), SMALL, 1e-11,
              lambda eom: abs(_upright(eom, 0.0).real), "1/s"),
        Check("frequency of wobbling at w = 5 rad/s", math.sqrt(2.4 * 25 - 0.8 * 9.81 / 0.26), SMALL, 1e-11,
              lambda eom: abs(_upright(eom, 5.0).imag), "rad/s"),
    ),
)  # fmt: skip
