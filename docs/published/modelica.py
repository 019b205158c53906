"""Examples of the Modelica Standard Library, MultiBody."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from published.problem import Computation, Problem, Quantity, tested

import multibody as mb
from multibody import library
from multibody.graph import evaluate

NUMBERS, MODELS = tested("simulation.published_numbers"), tested("simulation.published_models")
SCIPY, DYMOLA, TEXT = "SciPy at 1e-11", "reference results, Dymola, DASSL at 1e-6", "text of the model"
CRANK = {"u": {"j1_dot": math.radians(300)}, "fixed": ["j1", "j1_dot"]}
TIGHT = mb.DormandPrince8(rtol=1e-13, atol=1e-14)
SLIDER2 = {0.25: (-0.3539988157, -1.1095932069), 1.0: (-0.3206726982, -1.0683467292)}
DYMOLA2 = {1.0: (7.7882258156, 9.2920772188), 5.0: (40.2412576161, 11.6339894362)}


def tabled(table: Any, tolerance: float) -> list[Quantity]:
    """One quantity for each row: recomputed ones first, then the published ones."""
    names = ", ".join(table.names)
    found = [Quantity(f"{names} at t = {t:g} s", values, SCIPY, tolerance) for t, *values in table.recomputed]
    if table.published is not None:
        names = ", ".join(table.names[: table.published.shape[1] - 1])
        found += [Quantity(f"{names} at t = {t:g} s", values, DYMOLA, table.error) for t, *values in table.published]
    return found


def run(build: Callable[[], mb.System], table: Any, start: Mapping[str, Any]) -> mb.Trajectory:
    """Through all times of a table."""
    return mb.simulate(mb.derive(build()), times=table.times, integrator=TIGHT, **start)


def values(build: Callable[[], mb.System], table: Any, start: Mapping[str, Any]) -> list[np.ndarray]:
    """Of the columns, at the times of the rows, as ``tabled`` has them."""
    moved = run(build, table, start)
    columns = np.column_stack([moved[name] for name in table.names])[1:]
    published = () if table.published is None else columns[:, : table.published.shape[1] - 1]
    return [*columns, *published]


def fourbar2() -> list[Any]:
    """With a rod in place of the coupler; slider and Dymola's numbers besides."""
    table, build = NUMBERS.FOURBAR2, partial(library.spatial_four_bar, coupler="rod")
    moved = run(build, table, CRANK)
    at = {float(t): k for k, t in enumerate(moved.t)}
    crank, slider = (np.column_stack([moved[name], moved[name + "_dot"]]) for name in ("j1", "j2"))
    return [*crank[1:], *(slider[at[t]] for t in SLIDER2), *(crank[at[t]] for t in DYMOLA2)]


def start() -> list[Any]:
    """Speeds of dependent joints, and masses."""
    eom = mb.derive(library.spatial_four_bar())
    state = eom.consistent(**CRANK)
    masses = [float(evaluate(body.mass, eom.model.parameter_values())) for body in eom.model.bodies[:3]]
    return [[state[name] for name in ("j2_dot", "rev_dot", "rev1_dot")], masses]


def motion(build: Callable[[], mb.System], table: Any, given: Mapping[str, Any], tolerance: float) -> Computation:
    """A table with the run that yields it."""
    return Computation(tabled(table, tolerance), partial(values, build, table, given))


START: Sequence[Quantity] = [
    Quantity("speeds of j2, rev, rev1 at the start", (-0.10471976, 2.61799388, 0.52359878), TEXT, 4e-9),
    Quantity("masses of b1, b2, b3 [kg]", (7.7091640801242844, 3.0237829290801765, 15.856851454825735), TEXT, 1e-14),
]
FOURBAR2 = [
    *tabled(NUMBERS.FOURBAR2, 1e-10),
    *(Quantity(f"j2, j2_dot at t = {t:g} s", pair, SCIPY, 1e-9) for t, pair in SLIDER2.items()),
    *(Quantity(f"j1, j1_dot at t = {t:g} s", pair, DYMOLA, 5e-5) for t, pair in DYMOLA2.items()),
]
PROBLEMS = [
    Problem(
        "Modelica, Elementary.Pendulum",
        "1 kg at 0.5 m with a damper, from the horizontal; angle and rate.",
        [motion(MODELS.modelica_pendulum, NUMBERS.MODELICA_PENDULUM, {}, 1e-11)],
    ),
    Problem(
        "Modelica, Elementary.DoublePendulum",
        "Two steel bars, a damper in the upper hinge; angles and rates.",
        [motion(library.double_pendulum, NUMBERS.MODELICA_DOUBLE_PENDULUM, {}, 1e-10)],
    ),
    Problem(
        "Modelica, Loops.Fourbar1",
        "Six hinges and a slider in space. The errors of the reference results grow to 1e-3.",
        [Computation(START, start), motion(library.spatial_four_bar, NUMBERS.FOURBAR1, CRANK, 1e-10)],
    ),
    Problem(
        "Modelica, Loops.Fourbar2",
        "The same with a massless rod as coupler.",
        [Computation(FOURBAR2, fourbar2)],
    ),
]
