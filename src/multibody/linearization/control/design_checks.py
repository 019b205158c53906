"""Checks of regulators and observers: the operating point, modes beyond reach, and the gains themselves."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from multibody.errors import ModelError
from multibody.linearization.control.riccati import UnverifiedError, solve_riccati, verify_gains
from multibody.linearization.operating_points.point import Matrix
from multibody.linearization.spectra.controllability import NO, UNDECIDED, Reach, reach
from multibody.linearization.state_space.linearized_system import LinearizedSystem

MODES_NAMED = 4
"""Most modes that a message names."""


class Design(NamedTuple):
    """Words of messages about a regulator or an observer.

    Attributes:
        kind: what is designed.
        verb: what signals do not do with a mode that is beyond them.
        signals: inputs or outputs.
        demand: what modes that do not decay need.
        remedy: what to do.
        weights: the argument that has to contain what moves in a marginal mode.
        without_weight: why.
    """

    kind: str
    verb: str
    signals: str
    demand: str
    remedy: str
    weights: str
    without_weight: str


REGULATOR = Design(
    "regulator", "reach", "inputs", "be reached by the inputs",
    "Add an input that acts on these states, damp them, or leave out states that do not matter by ``states=``.",
    "deviations", "A regulator leaves motions alone that neither decay nor grow, if they cost nothing.",
)  # fmt: skip
OBSERVER = Design(
    "observer", "show", "outputs", "be seen in the outputs",
    "Measure more of these states, or damp them.", "disturbances",
    "An observer does not correct motions that neither decay nor grow, if nothing disturbs them.",
)  # fmt: skip


class DesignProblem(NamedTuple):
    """Riccati's equation of a regulator; that of an observer is the one of the transposed system.

    Attributes:
        A: state matrix.
        B: input matrix.
        Q: weights of states.
        R: weights of inputs.
        A_terms: sizes of the terms in the entries of A.
        states: names.
    """

    A: Matrix
    B: Matrix
    Q: Matrix
    R: Matrix
    A_terms: Matrix
    states: tuple[str, ...]


def require_linearized(system: Any, signals: str, where: str) -> None:
    """An error unless there is something to be designed."""
    if not isinstance(system, LinearizedSystem) or not system.states or not getattr(system, signals):
        raise ModelError(
            f"There is nothing to design for {system!r:.200}.",
            code="nothing-to-design",
            where=where,
            remedy=f"Give a system from linearize(eom, …) that has states and {signals}.",
        )


def require_reach(system: LinearizedSystem, reached: Reach, design: Design) -> None:
    """An error if modes that do not surely decay by themselves are not surely reached."""
    for verdict in (NO, UNDECIDED):
        places = _beyond(reached, [word == verdict for word in reached.verdicts] & ~reached.decaying)
        if places:
            raise _refusal(system, reached, design, verdict, places)


def _beyond(reached: Reach, chosen: Any) -> list[int]:
    """Places of the chosen poles, without the second one of conjugate pairs."""
    return [int(k) for k in np.flatnonzero(chosen) if reached.poles[k].imag >= 0]


def _mode_texts(reached: Reach, places: list[int]) -> str:
    """Modes by poles and states; those that read the same once."""
    texts = list(dict.fromkeys(reached.mode_text(k) for k in places))
    return "; ".join(texts[:MODES_NAMED]) + ("; …" if len(texts) > MODES_NAMED else "")


def _refusal(system: LinearizedSystem, reached: Reach, design: Design, verdict: str, places: list[int]) -> ModelError:
    names = ", ".join(getattr(system, design.signals)) or "none"
    modes = _mode_texts(reached, places)
    margin = max(reached.margins[k] for k in places)
    if verdict == NO:
        what = f"There is no {design.kind} for this system."
        cause = f"The {design.signals} do not {design.verb} {modes}."
    else:
        what = f"Whether there is a {design.kind} for this system is undecided."
        cause = (
            f"Errors of the numbers leave it open whether the {design.signals} {design.verb} {modes}. "
            f"A relative change of the matrices by {margin:.2g} makes it impossible."
        )
    return ModelError(
        what,
        code="mode-not-reached" if verdict == NO else "mode-undecided",
        where=f"linear system '{system.name}'",
        cause=f"{cause} Motions that do not decay by themselves must {design.demand} ({names}).",
        remedy=f"{design.remedy} ``controllability`` and ``observability`` of the linear system list all modes.",
        name=system.name,
    )


def verified_gains(system: LinearizedSystem, problem: DesignProblem, design: Design) -> Matrix:
    """The gains of a problem, after they have been verified.

    Raises:
        ModelError: if a marginal mode has no weight, if Riccati's equation is not solved, or if gains do not pass.
    """
    _require_weights(system, problem, design)
    data = problem.A, problem.B, problem.Q, problem.R
    try:
        gains = solve_riccati(*data)
        verify_gains(*data, gains)
    except (UnverifiedError, ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
        raise ModelError(
            f"The {design.kind} for this system cannot be computed reliably.",
            code="design-not-verified",
            where=f"linear system '{system.name}'",
            cause=str(error),
            remedy=f"Give weights of which the {design.kind} depends less extremely, or leave out parts of the model "
            "that are much faster or much slower than the others.",
            name=system.name,
        ) from error
    return gains


def _require_weights(system: LinearizedSystem, problem: DesignProblem, design: Design) -> None:
    """An error if a mode on the imaginary axis has no weight: then no solution moves it away from there."""
    Q = problem.Q[:, problem.Q.any(axis=0)]
    seen = reach(problem.A.T, Q, "weighted", terms=(problem.A_terms.T, np.abs(Q)), states=problem.states)
    places = _beyond(seen, [word == NO for word in seen.verdicts] & seen.marginal)
    if places:
        modes = _mode_texts(seen, places)
        raise ModelError(
            f"There is no {design.kind} for this system.",
            code="weights-miss-mode",
            where=f"linear system '{system.name}'",
            cause=f"The {design.weights} do not contain {modes}. {design.without_weight}",
            remedy=f"Name one of these states in ``{design.weights}``.",
            name=system.name,
        )
