"""Rosenbrock methods: implicit integration in compiled loops, for stiff equations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multibody.simulation.contract import Segment, Vector, Watch
from multibody.simulation.integrators.butcher_tableaus import ROSENBROCK, Tableau
from multibody.simulation.integrators.runge_kutta import Adaptive
from multibody.simulation.problem.problem import Problem

STAGES = 8


def _lower(rows: list[list[float]]) -> Vector:
    """Numbers of the stages, with a row and a column before them for the rate at the beginning of the step."""
    matrix = np.zeros((STAGES + 2, STAGES + 2))
    for k, numbers in enumerate(rows, start=1):
        matrix[k, 1 : 1 + len(numbers)] = numbers
    return matrix


def _row(numbers: list[float]) -> Vector:
    """The same for one number of each stage."""
    return np.array([0.0, *numbers, 0.0])


_A6 = [-7.502846399306121, 2.561846144803919, -11.627539656261098, -0.18268767659942256, 0.030198172008377946]

_DENSE = np.array([
    [25.948786856663858, -2.5579724845846235, 10.433815404888879, -2.3679251022685204, 0.524948541321073,
     1.1241088310450404, 0.4272876194431874, -0.17202221070155493],
    [-9.91568850695171, -0.9689944594115154, 3.0438037242978453, -24.495224566215796, 20.176138334709044,
     15.98066361424651, -6.789040303419874, -6.710236069923372],
    [11.419903575922262, 2.8879645146136994, 72.92137995996029, 80.12511834622643, -52.072871366152654,
     -59.78993625266729, -0.15582684282751913, 4.883087185713722],
])  # fmt: skip
"""y(θ) = (1-θ)·y₀ + θ·(y₁ + (1-θ)·(H₁ + θ·(H₂ + θ·H₃))) with h·H_i from these rows."""

RODAS5P = Tableau(
    ROSENBROCK, stages=STAGES + 1, order=5,
    c=_row([0.0, 0.6358126895828704, 0.4095798393397535, 0.9769306725060716, 0.4288403609558664, 1.0, 1.0, 1.0]),
    A=_lower([
        [],
        [3.0],
        [2.849394379747939, 0.45842242204463923],
        [-6.954028509809101, 2.489845061869568, -10.358996098473584],
        [2.8029986275628964, 0.5072464736228206, -0.3988312541770524, -0.04721187230404641],
        _A6,
        [*_A6, 1.0],
        [*_A6, 1.0, 1.0],
        [*_A6, 1.0, 1.0, 1.0],
    ]),
    E=_row([0.0] * (STAGES - 1) + [1.0])[None],
    D=np.array([_row(list(row)) for row in (_DENSE[0], _DENSE[1] + _DENSE[2], -_DENSE[2])]),
    C=_lower([
        [],
        [-14.155112264123755],
        [-17.97296035885952, -2.859693295451294],
        [147.12150275711716, -1.41221402718213, 71.68940251302358],
        [165.43517024871676, -0.4592823456491126, 42.90938336958603, -5.961986721573306],
        [24.854864614690072, -3.0009227002832186, 47.4931110020768, 5.5814197821558125, -0.6610691825249471],
        [30.91273214028599, -3.1208243349937974, 77.79954646070892, 34.28646028294783, -19.097331116725623,
         -28.087943162872662],
        [37.80277123390563, -3.2571969029072276, 112.26918849496327, 66.9347231244047, -40.06618937091002,
         -54.66780262877968, -9.48861652309627],
    ]),
    d=_row([0.21193756319429014, -0.42387512638858027, -0.3384627126235924, 1.8046452872882734, 2.325825639765069,
            0.0, 0.0, 0.0]),
    gamma=0.21193756319429014,
)  # fmt: skip
"""Steinebach, Construction of Rosenbrock–Wanner method Rodas5P, BIT Numerical Mathematics 63 (2023) 27, table 3."""


@dataclass(frozen=True, kw_only=True)
class Rodas5P(Adaptive):
    """Order 5 with eight stages, for stiff equations: compiled, with the exact Jacobian once in each step.

    The method is linearly implicit: each stage solves linear equations, without iterations. It is stable for all
    motions that die out, however fast (L-stable), stiffly accurate, and has dense output of order 4. Equations with
    functions of Python as inputs get their Jacobian by differences. The arguments are those of ``DormandPrince5``.

    Example:
        >>> import multibody as mb
        >>> stiff = mb.System("stiff")
        >>> slide = stiff.joint("x", stiff.world, stiff.body("mass", mass=1.0), "Tx", q=1.0)
        >>> pull = stiff.load(mb.JointSpring(slide, 1e6))
        >>> brake = stiff.load(mb.JointDamper(slide, 1e6))
        >>> run = mb.simulate(mb.derive(stiff), duration=1.0, integrator=mb.Rodas5P())
        >>> run.status.name, bool(abs(run["x"][-1] - np.exp(-1)) < 1e-6), run.statistics.steps < 400
        ('DONE', True, True)
    """

    @property
    def method(self) -> Tableau:
        """Steinebach 2023."""
        return RODAS5P

    def run(self, problem: Problem, t0: float, y0: Vector, times: Vector, step: float, watch: Watch) -> Segment:
        """From (t0, y0) to the last of the times; see ``Integrator``."""
        problem.regularize(for_good=True)  # the Jacobian belongs to one form of the equations
        return super().run(problem, t0, y0, times, step, watch)
