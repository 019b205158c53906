"""Runge–Kutta methods as numbers.

The methods of Dormand & Prince with the error estimates and the dense output of Hairer, Nørsett & Wanner, *Solving
Ordinary Differential Equations I* (2nd edition 1993, sections II.4 to II.6), and the classical method of order 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from multibody.simulation.contract import Vector

EXPLICIT, SEMI_IMPLICIT, LEAPFROG, ROSENBROCK, OTHERS = range(5)
"""Kinds of methods: explicit Runge–Kutta, two that treat positions and speeds differently, linearly implicit, and those
of libraries, whose steps are not made in compiled loops."""


@dataclass(frozen=True, eq=False)
class Tableau:
    """A method; of an explicit Runge–Kutta method these are all its numbers.

    Row k of A and c make stage k. Row ``stages`` makes the end of the step, and the rate there is the first of the next
    step. Rows after that are for dense output alone.

    Attributes:
        kind: how a step is made.
        stages: number of rates that make the end of the step.
        order: of the method.
        c: when each stage is evaluated, in steps.
        A: what each stage is made of; like E and D, a column for each stage.
        E: estimates of the error, a row for each; a method without any has steps of fixed length.
        D: rows of the dense output beyond the cubic that fits states and rates at both ends.
        beta: how much the last error matters for the next step (PI control, Gustafsson).
        stability: where the stability region ends on the negative real axis; 0 where it is not needed.
        C: what the right-hand side of each stage is made of, in Rosenbrock methods; see ``rosenbrock_steps``.
        d: how much the change of rates with time counts in each stage.
        gamma: the factor of the Jacobian, in steps.
    """

    kind: int
    stages: int
    order: int
    c: Vector
    A: Vector
    E: Vector
    D: Vector
    beta: float = 0.0
    stability: float = 0.0
    C: Vector = field(default_factory=lambda: np.zeros((0, 0)))
    d: Vector = field(default_factory=lambda: np.zeros(0))
    gamma: float = 0.0


def _matrix(columns: int, rows: Sequence[Mapping[int, float]]) -> Vector:
    matrix = np.zeros((len(rows), columns))
    for k, row in enumerate(rows):
        for j, number in row.items():
            matrix[k, j] = number
    return matrix


def _rows(columns: int, rows: Sequence[Sequence[float]]) -> Vector:
    return _matrix(columns, [dict(enumerate(row)) for row in rows])


def _split(kind: int, order: int) -> Tableau:
    """A method that needs no numbers: the rates at both ends of the step are all it keeps."""
    return Tableau(kind, 1, order, np.array([0.0, 1.0]), np.zeros((2, 2)), np.zeros((0, 2)), np.zeros((0, 2)))


SEMI_IMPLICIT_EULER = _split(SEMI_IMPLICIT, 1)
STOERMER_VERLET = _split(LEAPFROG, 2)

CLASSICAL = Tableau(  # table 1.2 of section II.1
    EXPLICIT, stages=4, order=4, c=np.array([0, 1 / 2, 1 / 2, 1, 1]),
    A=_rows(5, [[], [1 / 2], [0, 1 / 2], [0, 0, 1], [1 / 6, 1 / 3, 1 / 3, 1 / 6]]),
    E=np.zeros((0, 5)), D=np.zeros((0, 5)),
)  # fmt: skip

DORMAND_PRINCE_5 = Tableau(  # table 5.2 of section II.5, dense output (6.12) in the form of the code DOPRI5
    EXPLICIT, stages=6, order=5, c=np.array([0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1]),
    A=_rows(7, [
        [],
        [1 / 5],
        [3 / 40, 9 / 40],
        [44 / 45, -56 / 15, 32 / 9],
        [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
        [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656],
        [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84],
    ]),
    E=_rows(7, [[71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40]]),
    D=_rows(7, [[
        -12715105075 / 11282082432, 0, 87487479700 / 32700410799, -10690763975 / 1880347072,
        701980252875 / 199316789632, -1453857185 / 822651844, 69997945 / 29380423,
    ]]),
    beta=0.04, stability=3.25,
)  # fmt: skip

_DOP853_A: tuple[Mapping[int, float], ...] = (
    {},
    {0: 0.05260015195876773},
    {0: 0.0197250569845379, 1: 0.0591751709536137},
    {0: 0.02958758547680685, 2: 0.08876275643042054},
    {0: 0.2413651341592667, 2: -0.8845494793282861, 3: 0.924834003261792},
    {0: 1 / 27, 3: 0.17082860872947386, 4: 0.12546768756682242},
    {0: 3.7109375e-2, 3: 0.17025221101954405, 4: 0.06021653898045596, 5: -1.7578125e-2},
    {0: 0.03709200011850479, 3: 0.17038392571223998, 4: 0.10726203044637328, 5: -0.015319437748624402, 6:
     0.008273789163814023},
    {0: 0.6241109587160757, 3: -3.3608926294469414, 4: -0.868219346841726, 5: 27.59209969944671, 6:
     20.154067550477894, 7: -43.48988418106996},
    {0: 0.47766253643826434, 3: -2.4881146199716677, 4: -0.590290826836843, 5: 21.230051448181193, 6:
     15.279233632882423, 7: -33.28821096898486, 8: -0.020331201708508627},
    {0: -0.9371424300859873, 3: 5.186372428844064, 4: 1.0914373489967295, 5: -8.149787010746927, 6:
     -18.52006565999696, 7: 22.739487099350505, 8: 2.4936055526796523, 9: -3.0467644718982196},
    {0: 2.273310147516538, 3: -10.53449546673725, 4: -2.0008720582248625, 5: -17.9589318631188, 6: 27.94888452941996,
     7: -2.8589982771350235, 8: -8.87285693353063, 9: 12.360567175794303, 10: 0.6433927460157636},
    {0: 0.054293734116568765, 5: 4.450312892752409, 6: 1.8915178993145003, 7: -5.801203960010585, 8:
     0.3111643669578199, 9: -0.1521609496625161, 10: 0.20136540080403034, 11: 0.04471061572777259},
    {0: 0.056167502283047954, 6: 0.25350021021662483, 7: -0.2462390374708025, 8: -0.12419142326381637, 9:
     0.15329179827876568, 10: 0.00820105229563469, 11: 0.007567897660545699, 12: -8.298e-3},
    {0: 0.03183464816350214, 5: 0.028300909672366776, 6: 0.053541988307438566, 7: -0.05492374857139099, 10:
     -0.00010834732869724932, 11: 0.0003825710908356584, 12: -0.00034046500868740456, 13: 0.1413124436746325},
    {0: -0.42889630158379194, 5: -4.697621415361164, 6: 7.683421196062599, 7: 4.06898981839711, 8:
     0.3567271874552811, 12: -0.0013990241651590145, 13: 2.9475147891527724, 14: -9.15095847217987},
)  # fmt: skip

_DOP853_E5: Mapping[int, float] = {
    0: 0.01312004499419488, 5: -1.2251564463762044, 6: -0.4957589496572502,
    7: 1.6643771824549864, 8: -0.35032884874997366, 9: 0.3341791187130175,
    10: 0.08192320648511571, 11: -0.022355307863886294,
}  # fmt: skip

_DOP853_E3: Mapping[int, float] = {  # the result of order 8 less one of order 3
    **_DOP853_A[12],
    0: _DOP853_A[12][0] - 0.2440944881889764,
    8: _DOP853_A[12][8] - 0.7338466882816118,
    11: _DOP853_A[12][11] - 0.022058823529411766,
}

_DOP853_D: tuple[Mapping[int, float], ...] = (
    {0: -8.428938276109013, 5: 0.5667149535193777, 6: -3.0689499459498917, 7: 2.38466765651207, 8: 2.117034582445028,
     9: -0.871391583777973, 10: 2.2404374302607883, 11: 0.6315787787694688, 12: -0.08899033645133331, 13:
     18.148505520854727, 14: -9.194632392478356, 15: -4.436036387594894},
    {0: 10.427508642579134, 5: 242.28349177525817, 6: 165.20045171727028, 7: -374.5467547226902, 8:
     -22.113666853125306, 9: 7.733432668472264, 10: -30.674084731089398, 11: -9.332130526430229, 12:
     15.697238121770845, 13: -31.139403219565178, 14: -9.35292435884448, 15: 35.81684148639408},
    {0: 19.985053242002433, 5: -387.0373087493518, 6: -189.17813819516758, 7: 527.8081592054236, 8:
     -11.57390253995963, 9: 6.8812326946963, 10: -1.0006050966910838, 11: 0.7777137798053443, 12: -2.778205752353508,
     13: -60.19669523126412, 14: 84.32040550667716, 15: 11.99229113618279},
    {0: -25.69393346270375, 5: -154.18974869023643, 6: -231.5293791760455, 7: 357.6391179106141, 8:
     93.40532418362432, 9: -37.45832313645163, 10: 104.0996495089623, 11: 29.8402934266605, 12: -43.53345659001114,
     13: 96.32455395918828, 14: -39.17726167561544, 15: -149.72683625798564},
)  # fmt: skip

DORMAND_PRINCE_8 = Tableau(  # section II.10, the code DOP853
    EXPLICIT, stages=12, order=8,
    c=np.array([
        0, 0.05260015195876773, 0.0789002279381516, 0.1183503419072274, 0.2816496580927726, 1 / 3, 1 / 4, 4 / 13,
        0.6512820512820513, 3 / 5, 6 / 7, 1, 1, 1 / 10, 1 / 5, 7 / 9,
    ]),
    A=_matrix(16, _DOP853_A), E=_matrix(16, [_DOP853_E5, _DOP853_E3]), D=_matrix(16, _DOP853_D), stability=6.1,
)  # fmt: skip

STEPS_OF_OTHERS = Tableau(OTHERS, 1, 1, np.zeros(2), np.zeros((2, 2)), np.zeros((0, 2)), np.zeros((4, 2)))
"""No method: the rows of a dense output of degree 7, for steps that are made elsewhere."""
