"""The benchmark bicycle (Meijaard, Papadopoulos, Ruina and Schwab 2007)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from published.problem import Computation, Problem, Quantity, rows, tested

import multibody as mb
from multibody import library

TESTED = tested("linearization.test_bicycle_linear")
PAPER, TABLE_2 = "the paper, section 5", "the paper, Table 2"
EXACT, SYMPY = "recomputed with 20 digits from the parameters", "SymPy, test_kane3"
STATES = TESTED.STATES

PUBLISHED = {  # M, C1, K0, K2, row by row
    "M": (80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686),
    "C1": (0, 33.86641391492494, -0.85035641456978, 1.68540397397560),
    "K0": (-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618),
    "K2": (0, 76.59734589573222, 0, 2.65431523794604),
}
ROWS = [  # of the state matrix: at rest, times v, times v²
    (9.48977444677355, -0.571523173729245, 0, 0, 11.7194768719633, 30.9087533932407, 0, 0),
    (0, 0, -0.105522449805691, -0.330515398992311, 0, 0, 3.67680523332152, -3.08486552743311),
    (0, -0.891197738059089, 0, 0, 0, -1.97171508499972, 0, 0),
]
TABLE = rows("""
    1  -7.11008014637442    -3.13423125066578    3.52696170990070   0.80774027519930
    2  -8.67387984831735    -3.07158645641514    2.68234517512745   1.68066296590675
    3  -10.35101467245920   -2.63366137253667    1.70675605663975   2.31582447384325
    4  -12.15861426576447   -1.42944427361326    0.41325331521125   3.07910818603206
    5  -14.07838969279822   -0.32286642900409   -0.77534188219585   4.46486771378823
    6  -16.08537123098030   -0.00406690076970   -1.52644486584142   5.87673060598709
    7  -18.15788466125262    0.10268170574766   -2.13875644258362   7.19525913329805
    8  -20.27940894394569    0.14327879765713   -2.69348683581097   8.46037971396931
    9  -22.43788559040858    0.15790184030917   -3.21675402252485   9.69377351531791
    10 -24.62459635017404    0.16105338653172   -3.72016840437287  10.90681139476287
""")
STANDING = (-5.530943717653934639, -3.1316432479065556678, 3.1316432479065556678, 5.530943717653934639)
STANDING_PUBLISHED = (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393)
CRITICAL = (4.2923825363411039587, 3.4350338486614363036, 6.0242620153883588899)
CRITICAL_PUBLISHED = (4.29238253634111, 3.43503384866144, 6.02426201538837)
DOUBLE, DOUBLE_PUBLISHED = 0.684283078892455796, (0.68428307889246, 3.78290405129320)


@cache
def eom() -> mb.EquationsOfMotion:
    """Of the bicycle of the library."""
    return mb.derive(library.bicycle())


def rolling(v: float) -> mb.LinearSystem:
    """Straight upright running, at a speed in m/s."""
    at = {"lean_rx": 0.0, "steer": 0.0, "lean_rx_dot": 0.0, "steer_dot": 0.0, "rear_dot": -v / 0.3}
    return mb.linearize(eom(), at, independent=(*STATES, "rear_dot"))


def canonical() -> list[Any]:
    """M, C1, K0, K2 from two speeds; three rows of numbers from the state matrix at three."""
    standing, walking = (rolling(v).second_order("lean_rx", "steer") for v in (0.0, 1.0))
    found = [standing.M, walking.C, standing.K / 9.81, walking.K - standing.K]
    A0, A1, A2 = (rolling(v).part(*STATES).A[2:] for v in (0.0, 1.0, 2.0))
    square = (A2 - 2 * A1 + A0) / 2
    return [*found, *found, A0, A1 - A0 - square, square]


def sorted_poles(v: float) -> np.ndarray:
    """Castering, capsize, and the real and imaginary part of the weave; four real ones at rest."""
    poles = rolling(v).part(*STATES).poles
    real, weave = np.sort(poles[poles.imag == 0].real), poles[poles.imag > 0]
    return np.array([*real, *weave.real, *weave.imag])


def eigenvalues() -> list[np.ndarray]:
    """At all speeds, twice: for the table, and for more digits."""
    found = [sorted_poles(float(v)) for v in range(11)]
    return [*found, *found]


def critical() -> list[Any]:
    """Weave and capsize by a search, and the speed at which two real poles become a pair."""
    from scipy.optimize import brentq

    def squared_distance(v: float) -> float:
        first, second = sorted(rolling(v).part(*STATES).poles, key=lambda pole: -pole.real)[:2]
        return float(((first - second) ** 2).real)

    weave, capsize = mb.critical_values(lambda v: rolling(v).part(*STATES), 1.0, 10.0)
    speeds = [weave.value, weave.pole.imag, capsize.value]
    double = brentq(squared_distance, 0.5, 0.8, xtol=1e-15)
    pair = sorted(rolling(double).part(*STATES).poles.real)[-2:]
    return [speeds, speeds, [double, sum(pair) / 2], double]


EIGENVALUES = "castering, capsize, weave at {} m/s [1/s]"
MATRICES = [
    *(Quantity(f"matrix {name}", values, PAPER, 1e-12) for name, values in PUBLISHED.items()),
    *(Quantity(f"matrix {name}", getattr(TESTED, name), EXACT, 1e-12) for name in PUBLISHED),
    Quantity("A, rows 3 and 4, without v", ROWS[0], SYMPY, 1e-12),
    Quantity("A, rows 3 and 4, factors of v", ROWS[1], SYMPY, 1e-12),
    Quantity("A, rows 3 and 4, factors of v²", ROWS[2], SYMPY, 1e-12),
]
POLES = [
    Quantity("four real poles at rest [1/s]", STANDING_PUBLISHED, TABLE_2, 1e-12),
    *(Quantity(EIGENVALUES.format(int(v)), values, TABLE_2, 1e-12) for v, *values in TABLE),
    Quantity("four real poles at rest [1/s]", STANDING, EXACT, 1e-12),
    *(Quantity(EIGENVALUES.format(v), values, EXACT, 1e-12) for v, values in TESTED.EIGENVALUES.items()),
]
SPEEDS = [
    Quantity("weave speed, its frequency, capsize speed", CRITICAL_PUBLISHED, TABLE_2, 1e-12),
    Quantity("weave speed, its frequency, capsize speed", CRITICAL, EXACT, 1e-12),
    Quantity("speed of the double root, and its pole", DOUBLE_PUBLISHED, TABLE_2, 1e-8),
    Quantity("speed of the double root [m/s]", DOUBLE, EXACT, 1e-8),
]
PROBLEMS = [
    Problem(
        "Carvallo–Whipple bicycle",
        "The nonlinear model in space, linearized by numbers: M·q'' + v·C1·q' + (g·K0 + v²·K2)·q = 0 for lean and "
        "steer. Table 2 has the castering pole at 7 m/s with an error of 6e-13.",
        [Computation(MATRICES, canonical), Computation(POLES, eigenvalues), Computation(SPEEDS, critical)],
    )
]
