"""Check that constraint equations which follow from others, and are not solved for, hold.

A mechanism may move only because of special lengths or directions (Bennett, three parallel cranks). Which equations
follow from others is then decided near the start, with the default values of the parameters; with other values, or far
from there, they may not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.graph import evaluate
from multibody.simulation.checks.failure_reasons import SPECIAL, told
from multibody.simulation.contract import Status, Vector
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.tolerances import OPEN_GAP

WORSE = 100.0
"""So many times the gaps of the equations that are solved for; these drift as far as the user lets them."""


def checked(run: Trajectory) -> Trajectory:
    """The run, if all equations hold; or else up to where one that was left out does not, with CONSTRAINTS_LOST."""
    spare = _spare(run.eom)
    if not run.status.ok or not spare:
        return run
    sizes = _sizes(run)
    gaps = _gaps(run) / sizes
    kept = [row for row in range(gaps.shape[1]) if row not in spare]
    allowed = np.maximum(OPEN_GAP, WORSE * gaps[:, kept].max(axis=1, initial=0.0))
    lost = (gaps[:, spare] > allowed[:, None]).any(axis=1)
    return _ended(run, int(np.argmax(lost)), gaps, sizes, spare) if lost.any() else run


def _ended(run: Trajectory, last: int, gaps: Vector, sizes: Vector, spare: list[int]) -> Trajectory:
    """The run up to a sample in which constraints are lost."""
    t, names = float(run.t[last]), run.eom.constraints.names
    said = ", ".join(
        f"{names[row]} is open by {gaps[last, row] * sizes[row]:.2g}" for row in spare if gaps[last, row] > OPEN_GAP
    )
    end = float(run.t[-1])
    explanation = told(run.eom, Status.CONSTRAINTS_LOST, t, run.y[last], said, *SPECIAL, end)
    return replace(
        run,
        t=run.t[: last + 1],
        y=run.y[: last + 1],
        r=run.r[: last + 1],
        status=Status.CONSTRAINTS_LOST,
        occurrences=[occurrence for occurrence in run.occurrences if occurrence.t <= t],
        explanation=explanation,
        message=str(explanation),
    )


def _spare(eom: EquationsOfMotion) -> list[int]:
    """The rows that are left out and are not zero by themselves, as those across the plane of a planar loop are."""
    kept = set(eom.constraints.independent)
    return [
        row
        for row, equation in enumerate(eom.constraints.equations)
        if row not in kept
        and (equation.velocity.fp != 0 or (equation.position is not None and equation.position.fp != 0))
    ]


def _sizes(run: Trajectory) -> Vector:
    """The size of each equation, with the parameters of the run."""
    known: dict[Any, float] = dict(zip(run.eom.parameters, map(float, run.p), strict=True))
    return np.array(evaluate(run.eom.constraints.sizes.equations, known), dtype=float)


def _gaps(run: Trajectory) -> Vector:
    """For each sample and row the larger one of |φ| and |B·u + β|."""
    position, velocity = probe(run.eom, "residuals").batch(run.t, run.q, run.u, run.r, run.p)
    gaps = np.abs(velocity)
    rows = list(run.eom.constraints.holonomic)
    gaps[:, rows] = np.maximum(gaps[:, rows], np.abs(position[:, : len(rows)]))  # lengths of quaternions come after
    return gaps
