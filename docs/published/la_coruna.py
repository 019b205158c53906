"""Benchmarks A01 and A02 of the La Coruña library."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from published.problem import Computation, Problem, Quantity, rows, tested

import multibody as mb
from multibody import library

NUMBERS = tested("simulation.published_numbers")
LIM, EXACT = "solution file of the library", "elliptic functions, 16 digits"
MPMATH, EXUDYN = "mpmath, 22 digits, one degree of freedom", "Exudyn, h = 1.25e-4"
TIGHT = mb.DormandPrince8(rtol=1e-13, atol=1e-14)

# A01 -----------------------------------------------------------------------------------------------------------------

PENDULUM = rows("""
    0.5   -0.3910487915505464  -0.9203699487851922
    1      0.9862917511318753  -0.1650108531255412
    2     -0.7935661953433217  -0.6084839304437915
    5     -0.9423054350437573  -0.3347543384140006
    9.99  -0.3164364699130323  -0.9486137045757765
    10    -0.2750874625761169  -0.9614192050991251
    100   -0.1815133514270314  -0.9833884803340575
    2000   0.8146030685890322  -0.5800188278369355
""")
A01 = [
    *(Quantity(f"x, y at t = {t:g} s [m]", xy, EXACT, 5e-12 if t < 50 else 1e-7) for t, *xy in PENDULUM),
    *(Quantity(f"x, y at t = {t:g} s [m]", xy, LIM, 1e-6) for t, *xy in NUMBERS.PENDULUM),
]


def pendulum() -> list[np.ndarray]:
    """Places at all times, by one run."""
    run = mb.simulate(mb.derive(library.pendulum()), times=[0.0, *(row[0] for row in PENDULUM)], integrator=TIGHT)
    places = dict(zip(run.t.tolist(), run["place"][:, :2], strict=True))
    return [places[float(row[0])] for row in [*PENDULUM, *NUMBERS.PENDULUM]]


def period() -> list[float]:
    """From one passage to the next but one."""
    eom = mb.derive(library.pendulum())
    below = mb.Event(eom.coordinates[0], direction=1, name="below")
    run = mb.simulate(eom, duration=10.0, events=[below], integrator=TIGHT)
    return [float(np.diff([one.t for one in run.occurrences]).mean())]


# A02 -----------------------------------------------------------------------------------------------------------------

TWO = rows("""
    0.05  0.050217618290204  0.99873829946251   1.0130575923642 -0.050937607486084   1.5205575779748 -1.0143373823848
    0.5   0.6952866331644    0.71873256343574   1.9602054253718 -1.8962611405866     0.80197769923969 -2.7273084942771
    1    -0.19502030194944  -0.98079920566217  -6.6766780368812  1.3275783251605    -1.7670744763102 -6.8073852408694
    2     0.057815795768011  0.99832726786346   1.0172601366204 -0.058912248713446  -4.7702370345174 -1.0189645914385
    5    -0.81131046100511  -0.58461554534898  -3.5691173971932  4.9531051713133    -15.083557159859 -6.1050675535196
    10    0.32845811154082   0.9445185381786    1.4230514702069 -0.49486884548704   -30.179800860191 -1.5066421808418
""")
BY_EXUDYN = [0.3284573768, 0.9445187937, 1.423050003, -0.4948670827]
FORTY = rows("""
    0.05  0.050209567244695  0.99873870424506
    4.95 -0.23917911963487  -0.97097546247611
    10    0.18051222668673   0.98357274058231   1.1484412774694 -0.21077006677942
    20    0.41090115376295   0.91167990097198   1.5667853719091 -0.70616223559384
""")
OF_B0 = {2: "x, y of B0", 4: "x, y, vx, vy of B0", 6: "x, y, vx, vy of B0, θ, θ'"}
A02_TWO = [
    *(Quantity(f"N = 2: {OF_B0[6]} at t = {t:g} s", values, MPMATH, 1e-7) for t, *values in TWO),
    Quantity(f"N = 2: {OF_B0[4]} at t = 10 s", BY_EXUDYN, EXUDYN, 3e-6),
]
A02_FORTY = [
    *(Quantity(f"N = 40: {OF_B0[len(values)]} at t = {t:g} s", values, MPMATH, 1e-5) for t, *values in FORTY),
    *(Quantity(f"N = 40: {OF_B0[2]} at t = {t:g} s", xy, LIM, 1e-5) for t, *xy in NUMBERS.FORTY_FOUR_BARS_OF_LIM),
]


def bars(count: int, times: Sequence[float], rtol: float, gap: float) -> dict[float, list[float]]:
    """x, y, vx, vy of B0, the angle of the verticals and its rate, at some times."""
    run = mb.simulate(
        mb.derive(library.n_four_bar(count)), times=[0.0, *times],
        integrator=mb.DormandPrince8(rtol=rtol, atol=0.1 * rtol, gap=gap),
    )  # fmt: skip
    angle, rate = run["pivot0"], run["pivot0_dot"]
    columns = [np.cos(angle), np.sin(angle), -np.sin(angle) * rate, np.cos(angle) * rate, angle, rate]
    return {t: list(values) for t, *values in np.column_stack([run.t, *columns]).tolist()}


def two() -> list[list[float]]:
    """Two linkages."""
    found = bars(2, [row[0] for row in TWO], 1e-12, 1e-10)
    return [*(found[row[0]] for row in TWO), found[10.0][:4]]


def forty() -> list[list[float]]:
    """Forty linkages."""
    table = [*FORTY, *NUMBERS.FORTY_FOUR_BARS_OF_LIM.tolist()]
    found = bars(40, sorted({row[0] for row in table}), 1e-9, 1e-9)  # where all lie flat, rounding leaves a gap
    return [found[row[0]][: len(row) - 1] for row in table]


PROBLEMS = [
    Problem(
        "A01, simple pendulum",
        "1 kg on a rod of 1 m, let go from (-1, 0). The text of the benchmark says (1, 0), its data begin at (-1, 0).",
        [
            Computation([Quantity("period [s]", 2.3678419475762374493, EXACT, 1e-11)], period),
            Computation(A01, pendulum),
        ],
    ),
    Problem(
        "A02, row of N four-bar linkages",
        "2·N + 1 bars of 1 m and 1 kg, upright at the start, with the tops moving at 1 m/s. Each time all bars lie "
        "flat, the row has N + 1 freedoms instead of one.",
        [Computation(A02_TWO, two), Computation(A02_FORTY, forty)],
    ),
]
