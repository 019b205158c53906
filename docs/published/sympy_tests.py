"""Numbers of SymPy's own tests and tutorials."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from published.problem import Computation, Problem, Quantity

import multibody as mb
from multibody import library

KANE5, JOINTS, TUTORIAL = "test_kane5", "test_jointsmethod", "tutorial on the four-bar linkage"
LINEARIZE = "test_linearize, test_kane"

# rolling disc --------------------------------------------------------------------------------------------------------

CASES = [
    ((0.3, 0.1, 1.97, -0.35, 2.27), (-0.2, 1.3, 0.15),
     (0.126603940595934, 0.215942571601660, 1.28736069604936, 0.319764288376543, 0.0989146857254898),
     (-0.925848952664489, -0.0181350656532944, 2.91695398184589, -0.00992793421754526, 0.0412861634829171)),
    ((3.97, -0.28, 8.2, -0.35, 2.27), (-0.25, -2.2, 0.62),
     (0.0259159090798597, 0.668041660387416, -2.19283799213811, 0.385441810852219, 0.420109283790573),
     (1.45030568179066, -0.0110924422400793, -8.35617840186040, -0.154098542632173, -0.146102664410010)),
]  # fmt: skip
"""q1 … q5, the angular velocity in the disc's own axes, and the rates of q1 … q5 and u1 … u5."""


def contact_disc() -> mb.System:
    """A disc from its contact point up: place, yaw, lean, spin; its slip is zero."""
    system = mb.System("disc")
    r, m, g = system.parameters(r=0.26, m=3.43, g=9.81)
    system.gravity = (0, 0, -g)
    contact, yaw, lean = (system.body(name) for name in ("contact", "yaw", "lean"))
    wheel = system.body("wheel", m, inertia=mb.diag(m * r**2 / 4, m * r**2 / 2, m * r**2 / 4))
    place = system.joint("p", system.world, contact, ["Tx", "Ty", "Tz"])
    system.joint("q1", contact, yaw, "Rz")
    system.joint("q2", yaw, lean, "Rx")
    system.joint("q3", lean.frame("centre", (0, 0, r)), wheel, "Ry")
    system.sensor("w", mb.AngularVelocity(wheel, expressed_in=wheel))
    system.sensor("w_yaw", mb.AngularVelocity(wheel, expressed_in=yaw))
    system.sensor("v", mb.Velocity(wheel, expressed_in=yaw))
    system.sensor("arm", mb.Position(wheel, relative_to=contact, expressed_in=yaw))
    slip = system.measured("v") - np.cross(system.measured("w_yaw"), system.measured("arm"))
    system.constraint(slip[0], name="forward")
    system.constraint(slip[1], name="sideways")
    system.constraint(place.coordinates[2], name="ground")
    return system


def disc() -> list[Any]:
    """Kane's method with the speeds of the test, in both states."""
    system, found = contact_disc(), []
    speeds = dict(zip(("w1", "w2", "w3"), system.measured("w"), strict=True))
    eom = mb.derive(system, mb.Kane(speeds, dependent=["p_tx_dot", "p_ty_dot", "p_tz_dot"]))
    matrix = eom.function("constraint", {"B": eom.B})
    for (yaw, lean, spin, x, y), w, *_ in CASES:
        q, p = [x, y, 0, yaw, lean, spin], [0.26, 3.43, 9.81]
        B = matrix(0.0, q, np.zeros(6), [], p)
        u = np.concatenate([w, np.linalg.solve(B[:, 3:], -B[:, :3] @ w)])
        rate = eom.state_rate(0.0, q, u, [], p)
        found += [rate.q_dot[[3, 4, 5, 0, 1]], rate.u_dot[:5]]
    return found


def critical_spin() -> list[float]:
    """The rate of spin at which the upright disc with r = g = m = 1 begins to stay upright."""
    eom = mb.derive(library.rolling_disc(mass=1.0, radius=1.0, g=1.0))
    names = "disc_place_rx", "disc_place_rx_dot", "disc_place_rz_dot"

    def upright(spin: float) -> mb.LinearSystem:
        at = {"disc_place_rx": 0.0, "disc_place_rz_dot": 0.0, "disc_place_rx_dot": 0.0, "disc_place_ry_dot": spin}
        return mb.linearize(eom, at, independent=(*names, "disc_place_ry_dot")).part(*names)

    def squared(spin: float) -> float:
        return float(max(upright(spin).poles ** 2, key=abs).real)

    from scipy.optimize import brentq

    return [brentq(squared, 0.3, 1.0, xtol=1e-15)]


# four bars -----------------------------------------------------------------------------------------------------------

STATE = [2.1, 0.6655470375077588, 2.527408138024188], [0.2, -0.17963733938852067, 0.1309060540601612]
MASS = [[34.52709815256506, 7.003948798374735, -4.939690970641498],
        [-2.2e-14, 0.2071702479957077, 0.2842917573033711],
        [-0.1300000000000123, -0.008836934896046506, 0.1864891330060847]]  # fmt: skip
FORCING = [-0.031211821321648, -0.00066022608181, 0.001813559741243]


def four_bar() -> list[Any]:
    """[Cᵀ·M; B] and (Cᵀ·(f - h), -γ) with the orthogonal complement C, which is how SymPy writes it."""
    system, lengths, rho = mb.System("four_bar", gravity=(0, 0, 0)), (0.13, 0.24, 0.21, 0.34), 997.0
    inner = system.frame("right", (lengths[0] / 2, 0, 0))
    for k, length in enumerate(lengths[1:], 1):
        link = system.body(f"link{k}", rho * length, (length / 2, 0, 0), (0, 0, rho * length**3 / 12))
        system.joint(f"q{k}", inner, link, "Rz")
        inner = link.frame(f"end{k}", (length, 0, 0))
    system.constraint(system.frame("left", (-lengths[0] / 2, 0, 0)), inner, translation="xy", name="loop")
    eom = mb.derive(system, mb.Kane(dependent=["q2_dot", "q3_dot"]))
    found = eom.function("forms", {"M": eom.M, "h": eom.h - eom.f, "B": eom.B})(0.0, *STATE, [], [])
    C = np.concatenate([[1], np.linalg.solve(found.B[:, 1:], -found.B[:, 0])])
    turning = found.B @ eom.forward_dynamics(0.0, *STATE, [], [])  # -γ, since B·u̇ + γ = 0
    return [np.vstack([C @ found.M, found.B]), [-C @ found.h, *turning]]


def reaction() -> list[Any]:
    """At the joint that closes the loop, upright and at rest."""
    eom = mb.derive(library.four_bar())
    state = eom.consistent({"q1": math.pi / 2}, {"q1_dot": 0.0}, ["q1", "q1_dot"])
    return [eom.sensors(0.0, state.q, state.u, [0.0], list(eom.model.parameter_values().values()))[:2]]


DISC = [
    Quantity(f"{what} in state {k}", numbers, KANE5, 1e-13)
    for k, (_, _, *pair) in enumerate(CASES, 1)
    for what, numbers in zip(("q1' … q5'", "u1' … u5'"), pair, strict=True)
]
PROBLEMS = [
    Problem(
        "SymPy, rolling disc",
        "Speeds are the angular velocity in the disc's own axes and the velocity of the contact point. At the critical "
        "spin, with r = g = m = 1, all poles of the upright disc are zero.",
        [
            Computation(DISC, disc),
            Computation([Quantity("critical spin [rad/s]", 1 / math.sqrt(3), LINEARIZE, 1e-12)], critical_spin),
        ],
    ),
    Problem(
        "SymPy, four-bar linkage",
        "Mass matrix and forcing by Kane with the dependent speeds q2' and q3'; the force that closes the loop.",
        [
            Computation(
                [
                    Quantity("mass matrix", MASS, f"{JOINTS}, four_bar_linkage_with_manual_constraints", 1e-11),
                    Quantity("forcing", FORCING, f"{JOINTS}, four_bar_linkage_with_manual_constraints", 1e-9),
                ],
                four_bar,
            ),
            Computation([Quantity("force at the closing joint [N]", (0, -98.1), TUTORIAL, 1e-12)], reaction),
        ],
    ),
]
