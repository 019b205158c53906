"""Failure of a run whose energy balance does not hold, or in which a damper gives energy."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.power import errors_of_potentials
from multibody.errors import MultibodyError
from multibody.graph import evaluate
from multibody.simulation.checks.failure_reasons import failed_run
from multibody.simulation.contract import Status, Vector
from multibody.simulation.problem.sample_functions import probe
from multibody.simulation.results.statistics import DOUBTFUL_NOTE
from multibody.simulation.results.trajectory import Trajectory
from multibody.simulation.tolerances import (
    COORDINATE_ROUNDING,
    DOUBTFUL_DRIFT,
    ENERGY_UNDERFLOW,
    FORCE_MISMATCH,
    GENERATED_ENERGY,
    SMALLEST_CONTACT_ENERGY,
)

_log = logging.getLogger("multibody")

LOST = 0.1
"""The drift, relative to the energies that are exchanged, from which on a run fails."""


def with_energy_checked(run: Trajectory) -> Trajectory:
    """The run; one whose energies do not balance, or in which a damper gives energy, has failed."""
    if not run.status.ok or not run.eom.energy_known:
        return run
    scale = run.checks.energy_scale or run.energies.scale
    given = {name: energy for name, energy in run.checks.generated.items() if energy > GENERATED_ENERGY * scale}
    drift = run.energy_drift
    if (drift <= LOST and not given) or _is_rounding(run, scale):
        return run
    if given:
        said = ", ".join(f"load '{name}' gives {energy:.3g} J" for name, energy in given.items())
        return failed_run(
            run, Status.ENERGY_GENERATED, said, "The damping is negative, or the force has the wrong sign.",
            "Correct the sign; write a force that may drive as JointLoad, Force or PointToPointForce.",
        )  # fmt: skip
    return failed_run(run, Status.ENERGY_LOST, f"drift {drift:.2g}", *_reason(run))


def report_drift(run: Trajectory) -> None:
    """One message in the log for a complete run whose energy drift is doubtful."""
    if not (run.checks.is_doubtful and run.status.ok and run.eom.energy_known):
        return
    if run.energy_drift > DOUBTFUL_DRIFT and not _is_rounding(run, run.checks.energy_scale):
        said = f"drift {run.energy_drift:.1e}, {DOUBTFUL_NOTE}"
        _log.warning("The energies of a run of system '%s' do not balance: %s.", run.eom.model.name, said)


def _is_rounding(run: Trajectory, scale: float) -> bool:
    """Whether energies of this size are rounding errors, and nothing moves."""
    if run.settings is not None and run.settings.impacts:
        return scale < SMALLEST_CONTACT_ENERGY
    return scale < _rounding(run)


def _rounding(run: Trajectory) -> float:
    """The change of the potential energy of a run by rounding errors of its coordinates."""
    loops = len(run.eom.constraints) or run.eom.model.closed_form_coordinates
    shift = COORDINATE_ROUNDING * (np.abs(run.q) + (1.0 if loops else 0.0))
    potentials = [
        np.asarray(probe(run.eom, "energies").batch(run.t, run.q + way * shift, run.u, run.r, run.p).potential)
        for way in (-1.0, 0.0, 1.0)
    ]
    return float(np.nan_to_num(np.ptp(potentials, axis=0)).max(initial=ENERGY_UNDERFLOW))


def _reason(run: Trajectory) -> tuple[str, str]:
    """The likely cause of a drift, and what to do about it."""
    loads = list(_wrong_potentials(run.eom, run))
    if loads:
        return (
            f"The potential of {', '.join(loads)} does not belong to its force.",
            "Correct potential(), whose slope is minus the force at rest; or let ``conservative`` be False.",
        )
    return (
        "The steps are too long for the motion; or the kinetic energy, the potential or the power of a force does not "
        "belong to the equations.",
        "Use shorter steps or a smaller rtol; look at run.energies for the part that changes.",
    )


def _wrong_potentials(eom: EquationsOfMotion, run: Trajectory) -> Iterator[str]:
    """The loads whose potentials do not belong to their forces, in the states of a run."""
    rows = np.unique(np.linspace(0, len(run.t) - 1, 25).astype(int))
    symbols = (eom.model.time, *eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters)
    columns: list[Vector] = [run.t[rows], *run.q[rows].T, *run.u[rows].T, *run.r[rows].T, *run.p]
    known: dict[Any, Any] = dict(zip(symbols, columns, strict=True))
    for name, (power, rate) in errors_of_potentials(eom).items():
        try:
            force, slope = (np.asarray(evaluate(expression, known), dtype=np.float64) for expression in (power, rate))
        except MultibodyError:
            continue
        size = max(np.abs(force).max(), np.abs(slope).max())
        if np.abs(force + slope).max() > FORCE_MISMATCH * size:
            yield f"load '{name}'"
