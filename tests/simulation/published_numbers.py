"""Motions that others have published, and what independent programs found for the same mechanisms.

``RECOMPUTED`` numbers come from programs that share nothing with this one: 34-digit extrapolation, mpmath's Taylor
series, or SciPy at 1e-11 and below; they reproduce what is published, to the digits that are good there.
"""

import math
from typing import NamedTuple

import numpy as np


class Table(NamedTuple):
    """Values of some quantities at some times.

    Attributes:
        names: of the columns after the time.
        recomputed: rows of time and values.
        published: the same for those that were published; None if there are none.
        error: of the published values.
    """

    names: tuple[str, ...]
    recomputed: np.ndarray
    published: np.ndarray | None = None
    error: float = math.nan

    @property
    def times(self) -> np.ndarray:
        """The times of the recomputed rows, after a start at 0."""
        return np.array([0.0, *self.recomputed[:, 0]])


def rows(text: str) -> np.ndarray:
    """Numbers, line by line."""
    return np.array([[float(number) for number in line.split()] for line in text.strip().splitlines()])


# A01, simple pendulum ------------------------------------------------------------------------------------------------

PENDULUM = rows("""
    0.5    -0.391049 -0.920370
    1       0.986292 -0.165011
    10     -0.275087 -0.961419
    2000    0.814603 -0.580019
""")
"""t, x, y of the solution file of the La Coruña library (LIM), six digits."""

# A02, N-four-bar: t, x and y of B0 -----------------------------------------------------------------------------------

TWO_FOUR_BARS = rows("""
    0.05  0.050217618290204  0.99873829946251
    0.5   0.6952866331644    0.71873256343574
    1    -0.19502030194944  -0.98079920566217
    2     0.057815795768011  0.99832726786346
    5    -0.81131046100511  -0.58461554534898
    10    0.32845811154082   0.9445185381786
""")
"""Recomputed by mpmath from the reduction to one degree of freedom."""

TWO_FOUR_BARS_BY_EXUDYN = (0.3284573768, 0.9445187937)
"""At t = 10 with a step of 1.25e-4; its energy is off by 1.8e-5 J."""

FORTY_FOUR_BARS = rows("""
    0.05  0.050209567244695  0.99873870424506
    4.95 -0.23917911963487  -0.97097546247611
    10    0.18051222668673   0.98357274058231
    20    0.41090115376295   0.91167990097198
""")
"""Recomputed by mpmath."""

FORTY_FOUR_BARS_OF_LIM = rows("""
    4.95  -0.239180 -0.970975
    9.95   0.125034  0.992152
    10     0.180513  0.983573
    19.95  0.336165  0.941803
    20     0.410902  0.911679
""")
"""Of the solution file of the La Coruña library."""

# Andrews' squeezing mechanism ----------------------------------------------------------------------------------------

ANDREWS = {
    0.03: {
        "beta": 15.810771195153707097, "Theta": -15.75637105841183947, "gamma": 0.040822240119645804858,
        "Phi": -0.53473011634207959377, "delta": 0.52440996587995406937, "Omega": 0.53473011634207959377,
        "epsilon": 1.0480807410419378731,
    },
    0.05: {
        "beta": 33.8258677669545173, "Theta": -33.5834315174638685, "gamma": 0.113395073812599015,
        "Phi": -0.407852865601884442, "delta": 0.526060444916995827, "Omega": 0.407852865601884442,
        "epsilon": 1.05690242943496283,
    },
}  # fmt: skip
"""Recomputed with 34 digits; the table of the test set for initial value problems is good to 1e-9 only."""

ANDREWS_SPEEDS = {
    0.03: {
        "beta": 1139.9203022591060642, "Theta": -1424.3792951775400732, "gamma": 11.032911910618593745,
        "Phi": 19.293374105032040832, "delta": 0.57356991482950245382, "Omega": -19.293374105032040832,
        "epsilon": 0.32317914924913087499,
    },
    0.05: {
        "beta": 1144.5355026538475, "Theta": -1336.0337226511925, "gamma": -190.93706860429462,
        "Phi": -334.31706087086465, "delta": 0.87586508294301516, "Omega": 334.31706087086465,
        "epsilon": -39.617288978352995,
    },
}  # fmt: skip
"""Recomputed with them."""

ANDREWS_ACCELERATIONS = {
    "beta": -24631.76312287463447, "Theta": 51850.319636464231534, "gamma": 324102.60070757860581,
    "Phi": 566749.42200099532649, "delta": 16743.63541834544461, "Omega": -566749.42200099532649,
    "epsilon": 9826.5078015441626885,
}  # fmt: skip
"""At t = 0.03, recomputed with them."""

ANDREWS_PUBLISHED = {
    "beta": 0.1581077119629904e2, "Theta": -0.1575637105984298e2, "gamma": 0.4082224013073101e-1,
    "Phi": -0.5347301163226948, "delta": 0.5244099658805304, "Omega": 0.5347301163226948,
    "epsilon": 0.1048080741042263e1,
}  # fmt: skip
"""At t = 0.03 in the test set for initial value problems, by PSIDE on a Cray C90."""

ANDREWS_MULTIPLIERS = (
    0.1991753333731910e3, -0.2975531228015052e2, 0.2306654119098399e2, 0.3145271365475927e2, 0.2264249232082739e2,
    0.1161740700019673e2,
)  # fmt: skip
"""There, too: λ of g1 … g6, with the opposite sign of ours, good to about 1e-6."""

# Modelica Standard Library: recomputed, and published as reference results of Dymola with DASSL at 1e-6 --------------

MODELICA_PENDULUM = Table(
    ("phi", "phi_dot"),
    rows("""
        0.5 -1.946927993078649  -5.381722519863236
        1   -2.580710968569199   3.1741425660492153
        2   -1.576185973676977  -4.292343069399414
        3   -0.8538259812013381  1.5587575931204414
        4   -2.127220890756969   1.7188228685454914
        5   -1.6796315650787217 -2.318170232992383
    """),
    rows("""
        0.5 -1.946930014121353  -5.381712878422969
        1   -2.5807106529288384  3.174144551185202
        2   -1.576188265893815  -4.292337296167352
        3   -0.8538272354948845  1.5587461603343757
        4   -2.1272177717414884  1.7188289920334532
        5   -1.6796346418362238 -2.3181470285553574
    """),
    3e-5,
)
"""MultiBody.Examples.Elementary.Pendulum."""

MODELICA_DOUBLE_PENDULUM = Table(
    ("phi1", "phi1_dot", "phi2", "phi2_dot"),
    rows("""
        0.3 -0.9065824193 -4.3398547263  0.7341226310  -0.6442200784
        0.6 -2.0930522764 -6.7813018326 -0.3647519108   6.5455368193
        1.2 -2.1064918884  5.0705206182 -1.5163188773  -1.1694281354
        1.8 -0.1137694373  3.3398938632  0.0307239901  -9.0078032456
        2.4 -2.1116185822  0.1460833289  0.0973106271 -14.3858110875
        3.0 -2.3179156754  4.0941647322 -1.7365345730  -0.0503945317
    """),
    rows("""
        0.3 -0.9065821426 -4.3398571251  0.7341218657  -0.6442164208
        0.6 -2.0930526405 -6.7812963591 -0.3647517228   6.5455209491
        1.2 -2.1064903499  5.0705278951 -1.5163239021  -1.1694121164
        1.8 -0.1137704044  3.3398894612  0.0307327703  -9.0077914545
        2.4 -2.1116130947  0.1460720704  0.0972950823 -14.3858078953
        3.0 -2.3179285616  4.0941101973 -1.7364916692  -0.0503767046
    """),
    6e-5,
)
"""MultiBody.Examples.Elementary.DoublePendulum."""

FOURBAR1 = Table(
    ("j1", "j1_dot", "j2", "j2_dot"),
    rows("""
        0.25  1.8037594048 10.1490812306 -0.3544775449 -1.1124853618
        0.5   4.5338125692  8.8747755214 -0.3034297899  1.0092827074
        1     7.8021634255  9.3617082513 -0.3222684380 -1.0761969562
        2    16.5361225067 10.4417788998 -0.3668007926  1.0927214597
        3    24.5207581412  5.5686261297 -0.2066814495  0.2302921076
        4    32.0160361675  6.5376028405 -0.2291934161 -0.4914534143
        5    40.3291654622 11.7404428023 -0.4215266380 -0.4752461941
    """),
    rows("""
        0.25  1.8037536221 10.1490275042
        0.5   4.5338033646  8.8747847305
        1     7.8021338307  9.3615884176
        2    16.5359902998 10.4420407240
        3    24.5205934715  5.5687707388
        4    32.0156753281  6.5363601852
        5    40.3282362223 11.7394219039
    """),
    1.3e-3,
)
"""MultiBody.Examples.Loops.Fourbar1; the published columns are those of j1."""

FOURBAR2 = Table(
    ("j1", "j1_dot"),
    rows("""
        0.25  1.7993951332 10.1082728200
        1     7.7882833349  9.2923014166
        2    16.5049132792 10.4907116776
        3    24.4950818116  5.6182949896
        4    31.9784841745  6.4204954987
        5    40.2420250650 11.6350069102
    """),
)
"""MultiBody.Examples.Loops.Fourbar2."""
