"""Why a run ended before its time, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.singularity import dependent_equations
from multibody.errors import ExpressionError, MultibodyError
from multibody.graph import evaluate
from multibody.mechanics.constraints.rank import is_singular, without_inertia
from multibody.simulation.contract import Explanation, Status, Vector
from multibody.simulation.problem.run_functions import WORKS
from multibody.simulation.run import Record

if TYPE_CHECKING:
    from multibody.simulation.results.trajectory import Trajectory

EXPLODED = 1e15
"""A coordinate or speed that no mechanism has."""

SINGULAR = (
    "The mechanism is in, or next to, a singular configuration: links lie on one line, a dead point or a branching; or "
    "a given motion leads beyond what it can reach.",
    "Look at eom.margin(q) there; start a little away, check given motions, or use other tolerances.",
)
"""For constraints that are not independent of each other."""

REASONS: dict[Status, tuple[str, str]] = {
    Status.STEP_TOO_SMALL: (
        "The equations are stiff there, or a singular configuration or an endless series of events was met.",
        "Try another integrator, such as Rodas5P() or Cvode(); look at eom.margin(q) and at the loads in this state.",
    ),
    Status.NOT_FINITE: (
        "A singular configuration, an argument outside a function's domain, or a loop that cannot close any further.",
        "Look at this state and at the loads there; if there are loops, use Multipliers() instead of independent "
        "speeds or explicit loops.",
    ),
    Status.TOO_MANY_STEPS: (
        "The equations are stiff, events pile up, or a loop that is solved in closed form is at a dead point.",
        "Try Rodas5P() or Cvode(), a larger max_steps, an impact with rest > 0, or System(…, recognise_loops=False).",
    ),
    Status.DIVERGED: (
        "The step is too long for the fastest motion of the mechanism, or the motion grows without bound.",
        "Use a shorter step, or an integrator that chooses its steps, such as DormandPrince8() or Rodas5P(); look for "
        "springs, dampers and feedbacks with the wrong sign.",
    ),
    Status.EVENTS_ACCUMULATE: (
        "Events accumulate: each comes sooner after the one before it, without end; or a reset does not send its "
        "expression back from zero.",
        "Use mb.Impact(…) for a contact, an impact with rest > 0, a terminal event, or a reset that reverses the "
        "motion; if the expression is meant to pass through zero after the reset, write Event(…, passes=True).",
    ),
    Status.STOP_PASSED: (
        "A gap became negative without an impact: the contact must not rest (rest=0) and is pressed, two stops leave "
        "no space, a reset or an input moved the stop, or steps were too long to see it.",
        "Give the impact rest > 0; check the limits of stops; use a smaller max_step, or smaller tolerances.",
    ),
    Status.CONSTRAINTS_LOST: SINGULAR,
    Status.SINGULAR: SINGULAR,
    Status.SOLVER_FAILED: (
        "The iterations of a step do not converge: the step is too long for the dampers there, or the mechanism is "
        "next to a singular configuration.",
        "Use a shorter step, other tolerances, or another integrator, such as DormandPrince8(); if there are loops, "
        "look at eom.margin(q) there.",
    ),
    Status.SWITCHING: (
        "A force jumps there, and either of its values leads back to the other one: dry friction at rest, or a "
        "switch without hysteresis.",
        "Use a regularized law, such as Friction(…) or tanh(v/v0); give the switch a hysteresis; or mark the "
        "expression with mb.smooth(…) and choose max_step.",
    ),
    Status.INTERRUPTED: ("You stopped it.", "What was computed is kept; run on from its last state."),
}
"""The likely cause of a failure, and what to do about it."""

SPECIAL = (
    "The mechanism can move only with special lengths or directions, and these are others.",
    "Check parameters and geometry; eom.constraints.redundant lists the equations that should follow from the others.",
)
"""The same for constraints that are lost where more equations act than are independent."""


def explained(eom: EquationsOfMotion, record: Record, p: Vector, end: float) -> Explanation | None:
    """When, in which state, why, and what to do; None for a run that came to its end.

    Args:
        eom: equations of motion.
        record: what was computed, and how it ended.
        p: values of the parameters.
        end: the time that the run was to reach.
    """
    if record.failed_at is None or record.status.ok:
        return None
    said = record.said or (record.segments[-1].message if record.segments else "")
    cause, remedy = REASONS.get(record.status, ("It is not known.", "Look at the state where the run ended."))
    if record.status is Status.CONSTRAINTS_LOST and not eom.constraints.regular_at_start:
        cause, remedy = f"{SPECIAL[0]} Or: {cause}", SPECIAL[1]
    elif record.status in (Status.STEP_TOO_SMALL, Status.NOT_FINITE, Status.TOO_MANY_STEPS) or (
        record.status is Status.DIVERGED and not said
    ):
        cause, remedy = next(_particular(eom, *record.failed_at, p), (cause, remedy))
    near_singular = record.status in (Status.CONSTRAINTS_LOST, Status.SINGULAR, Status.SOLVER_FAILED)
    if near_singular and eom.constraints.acting:
        said = "; ".join(part for part in (said, _critical_constraints(eom, *record.failed_at, p)) if part)
    return told(eom, record.status, *record.failed_at, said, cause, remedy, end)


def _critical_constraints(eom: EquationsOfMotion, t: float, y: Vector, p: Vector) -> str:
    """The names of constraint equations that are not independent in a state; of all that act if that is not known."""
    try:
        names = dependent_equations(eom, t, y[: len(eom.coordinates)], np.zeros(len(eom.inputs)), p)
    except (MultibodyError, np.linalg.LinAlgError):
        names = ()
    if names:
        return f"the equations {', '.join(names)} are not independent there"
    return f"constraints {', '.join(dict.fromkeys(eom.constraints.owners[row] for row in eom.constraints.acting))}"


def _particular(eom: EquationsOfMotion, t: float, y: Vector, p: Vector) -> Iterator[tuple[str, str]]:
    """Causes and remedies that follow from the state in which a run ended."""
    state = dict(zip((*eom.coordinates, *eom.speeds, *eom.parameters), (*y[: -len(WORKS)], *p), strict=True))
    known: dict[Any, float] = {eom.model.time: t, **dict.fromkeys(eom.inputs, 0.0), **state}
    if np.abs(y[: -len(WORKS)]).max(initial=0.0) > EXPLODED:
        yield (
            "The motion grows without bound: a spring, a damper or a feedback has the wrong sign, or units are mixed.",
            "Look for a negative stiffness or damping, and at the signs of forces; give SI units.",
        )
    undefined = _without_value(eom, known)
    if undefined:
        yield (
            f"No finite force there from {', '.join(undefined)}: the ends of a load are at one point, or an argument "
            "is outside of a function's domain.",
            "Start elsewhere, or change the load; along a coordinate, use JointLoad, JointSpring or JointDamper.",
        )
    if _without_rank(eom, known):
        yield SINGULAR
    stuck = _without_inertia(eom, known)
    if stuck:
        yield (
            f"Nothing resists a motion of {' and '.join(stuck)} there: a body without mass, or gimbal lock.",
            "Give small bodies some mass and inertia, or use Spherical() or Free(), which have no such positions.",
        )


def _without_value(eom: EquationsOfMotion, known: Mapping[Any, float]) -> list[str]:
    """The loads whose forces have no finite value; inputs do not matter for that."""
    found = []
    for name, load in eom.model.loads.items():
        try:
            forces = [part for force in load.forces(eom.kinetics) for part in force.force.components()]
            values = evaluate([*forces, *load.generalized(eom.kinetics).values()], known)
        except ExpressionError:
            found.append(f"load '{name}'")
        except MultibodyError:
            continue
        else:
            found += [] if np.isfinite(np.asarray(values, dtype=float)).all() else [f"load '{name}'"]
    return found


def _without_inertia(eom: EquationsOfMotion, known: Mapping[Any, float]) -> list[str]:
    """The speeds of a motion that nothing resists there."""
    if not eom.speeds:
        return []
    try:
        M = np.asarray(evaluate([list(row) for row in eom.M], known), dtype=np.float64)
    except MultibodyError:
        return []
    return [eom.speeds[k].name for k in without_inertia(M)]


def _without_rank(eom: EquationsOfMotion, known: Mapping[Any, float]) -> bool:
    """Whether the constraint equations that count are not independent of each other there."""
    rows = list(eom.constraints.independent)
    try:
        B = np.asarray(evaluate([list(eom.B[row]) for row in rows], known), dtype=np.float64)
    except MultibodyError:
        return False
    return bool(rows) and bool(np.isfinite(B).all()) and is_singular(B)


def failed_run(run: Trajectory, status: Status, said: str, cause: str, remedy: str) -> Trajectory:
    """A run that came to its end, with the status of a failure; all of it is kept."""
    end = float(run.t[-1])
    explanation = told(run.eom, status, end, run.y[-1], said, cause, remedy, end)
    return replace(run, status=status, explanation=explanation, message=str(explanation))


def told(
    eom: EquationsOfMotion, status: Status, t: float, y: Vector, said: str, cause: str, remedy: str, end: float
) -> Explanation:  # fmt: skip
    """The explanation of a run that ended before its time.

    Args:
        eom: equations of motion.
        status: how it ended.
        t: when it ended.
        y: the state then.
        said: details, such as the message of a solver.
        cause: the likely cause.
        remedy: what to do.
        end: the time that the run was to reach.
    """
    names = [symbol.name for symbol in (*eom.coordinates, *eom.speeds)]
    state = ", ".join(f"{name}={value:.6g}" for name, value in zip(names, y, strict=False))
    detail = f" ({said})" if said else ""
    what = f"The run ended at t = {t:.9g} s of {end:.9g} s: {status.value}{detail}."
    return Explanation(what, f"system '{eom.model.name}', {state}", cause, remedy)
