"""Andrews' squeezing mechanism (Hairer and Wanner, section VII.7; test set for initial value problems)."""

from __future__ import annotations

import numpy as np
from published.problem import Computation, Problem, Quantity, rows, tested

import multibody as mb
from multibody import library

NUMBERS = tested("simulation.published_numbers")
BOOK = "test set for initial value problems, start values"
PSIDE = "test set, PSIDE on a Cray C90, good to 1e-9"
EXTRAPOLATED = "extrapolation with 34 digits"
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")

START = (14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0)
START_FORCES = (98.5668703962410896057654982170, -6.12268834425566265503114393122, 0, 0, 0, 0)
PUBLISHED_RATES = (
    0.1139920302151208e4, -0.1424379294994111e4, 0.1103291221937134e2, 0.1929337464421385e2, 0.5735699284790808,
    -0.1929337464421385e2, 0.3231791658026955,
)  # fmt: skip
PUBLISHED_ACCELERATIONS = (
    -0.2463176316945196e5, 0.5185037701610329e5, 0.3241025686413781e6, 0.5667493645176213e6, 0.1674362929479361e5,
    -0.5667493645176222e6, 0.9826520791458422e4,
)  # fmt: skip
ALONG = rows("""
0.005  0.211076385903266679 -0.201587170934080118  0.449115190011514392  0.210250797930014472  0.48874376546193519  -0.210250797930014472 1.22586679403490725  151.010701269234346
0.010  2.16011313153152651  -1.88336423110704432   0.158516758001226693 -0.328641075174670307  0.525154774797729461  0.328641075174670307 1.06842720463240115  711.923152831103979
0.015  5.65542974999179409  -5.83379676510883211   0.425891925752377935  0.164012837572605296  0.493676526968644414 -0.164012837572605296 1.20871254190919504  441.701993255252353
0.020  8.18490588966167554  -7.89050536373044951   0.209536913384697558 -0.238325596595851248  0.522536917155996372  0.238325596595851248 1.08627510859987324  726.558342609127709
0.025 12.1071492344476587  -12.2570301035754863    0.440973355583011913  0.193945166054456044  0.490519544681589762 -0.193945166054456044 1.21976677181042928  587.459789077802871
0.035 19.7615034144513496  -19.5729578364865003    0.384602315580163143  0.0836887192809320297 0.501485523815295036 -0.0836887192809320297 1.18007069910551727 748.347310589047571
0.040 24.3753049720133554  -24.5711612227430829    0.410629176265118287  0.134057330089663836  0.496702149673183815 -0.134057330089663836 1.1978483112192631   783.085004485347814
0.045 29.1625493120574531  -29.2845534902035472    0.118636600880904856 -0.398673124319567626  0.526026714079446188  0.398673124319567626 1.0580201929366652  1083.81391337425218
0.050 33.8258677669545173  -33.5834315174638685    0.113395073812599015 -0.407852865601884442  0.526060444916995827  0.407852865601884442 1.05690242943496283 1144.53550265384747
""")  # noqa: E501
POINT_F = rows("""
    0.01  -0.0038905523886  0.0058192441185
    0.03  -0.0069630394270 -0.0007183884307
    0.05  -0.0052085047223  0.0046766952603
""")


def of(table: dict[str, float]) -> list[float]:
    """Values of the seven angles, in the order of the book."""
    return [table[name] for name in ANGLES]


NAMES = "β, Θ, γ, Φ, δ, Ω, ε"
AT_START = [
    Quantity("accelerations at the start [rad/s²]", START, BOOK, 1e-13),
    Quantity("multipliers at the start", START_FORCES, BOOK, 1e-12),
]
RUN = [
    *(Quantity(f"{NAMES} at t = {t:g} s [rad]", values[:7], EXTRAPOLATED, 1e-12) for t, *values in ALONG),
    *(Quantity(f"β' at t = {t:g} s [rad/s]", values[7], EXTRAPOLATED, 1e-11) for t, *values in ALONG),
    *(Quantity(f"x, y of F (A03) at t = {t:g} s [m]", xy, EXTRAPOLATED, 1e-9) for t, *xy in POINT_F),
    Quantity(f"{NAMES} at t = 0.03 s [rad]", of(NUMBERS.ANDREWS[0.03]), EXTRAPOLATED, 1e-12),
    Quantity("their rates [rad/s]", of(NUMBERS.ANDREWS_SPEEDS[0.03]), EXTRAPOLATED, 1e-11),
    Quantity("their accelerations [rad/s²]", of(NUMBERS.ANDREWS_ACCELERATIONS), EXTRAPOLATED, 1e-11),
    Quantity(f"{NAMES} at t = 0.03 s [rad]", of(NUMBERS.ANDREWS_PUBLISHED), PSIDE, 1e-9),
    Quantity("their rates [rad/s]", PUBLISHED_RATES, PSIDE, 5e-9),
    Quantity("their accelerations [rad/s²]", PUBLISHED_ACCELERATIONS, PSIDE, 5e-7),
    Quantity("multipliers at t = 0.03 s", NUMBERS.ANDREWS_MULTIPLIERS, PSIDE, 5e-7),
    Quantity("rates at t = 0.05 s [rad/s]", of(NUMBERS.ANDREWS_SPEEDS[0.05]), EXTRAPOLATED, 1e-11),
]


def at_start() -> list[np.ndarray]:
    """Accelerations and multipliers of the book's equations; the book counts the latter with the other sign."""
    eom = mb.derive(library.andrews(closed_by="equations"))
    state, p = eom.consistent(), list(eom.model.parameter_values().values())
    found = dict(
        zip([one.name for one in eom.coordinates], eom.forward_dynamics(0.0, state.q, state.u, [], p), strict=True)
    )
    return [np.array(of(found)), -np.ravel(eom.constraint_forces(0.0, state.q, state.u, [], p))]


def moved() -> list[np.ndarray]:
    """One run through all times."""
    times = sorted({0.03, *(row[0] for row in ALONG)})
    eom = mb.derive(library.andrews(closed_by="equations"))
    run = mb.simulate(eom, times=[0.0, *times], integrator=mb.DormandPrince8(rtol=1e-13, atol=1e-13))
    q, u, a = (np.column_stack([run[name + dots] for name in ANGLES]) for dots in ("", "_dot", "_ddot"))
    at = {t: k for k, t in enumerate([0.0, *times])}
    F = 0.007 * np.column_stack([np.cos(q[:, 0]), np.sin(q[:, 0])])  # the crank is 7 mm long
    k = at[0.03]
    return [
        *(q[at[row[0]]] for row in ALONG), *(u[at[row[0]], 0] for row in ALONG), *(F[at[row[0]]] for row in POINT_F),
        q[k], u[k], a[k], q[k], u[k], a[k], -run.multipliers[k], u[at[0.05]],
    ]  # fmt: skip


PROBLEMS = [
    Problem(
        "A03, Andrews' squeezing mechanism",
        "Seven bodies in three loops, closed by the equations of the book, so that its multipliers can be compared. "
        "The published table belongs to a time that is 1e-12 s off, as its energy balance shows: it is good to 1e-9.",
        [Computation(AT_START, at_start), Computation(RUN, moved)],
    )
]
