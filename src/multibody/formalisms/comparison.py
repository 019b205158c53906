"""One model, several formalisms, and a proof that they agree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion, Handling
from multibody.equations.table import Table
from multibody.errors import ModelError, MultibodyError
from multibody.formalisms.articulated_body import ArticulatedBody
from multibody.formalisms.choice import derive, frozen, required_formalism
from multibody.formalisms.contract import Formalism
from multibody.formalisms.kane import Kane
from multibody.formalisms.lagrange import Lagrange
from multibody.formalisms.modular import Modular
from multibody.formalisms.newton_euler import NewtonEuler
from multibody.formalisms.recursive import Recursive
from multibody.formalisms.wittenburg import Wittenburg
from multibody.graph import ZERO, Expr, all_same, array, evaluate, jacobian, product, solve, substitute
from multibody.model import Kinematics, Model, System
from multibody.model.constraint_equations import Constraints
from multibody.model.start_state import consistent

_ALL = (Recursive(), ArticulatedBody(), NewtonEuler(), Kane(), Lagrange(), Wittenburg(), Modular())
STATES = 20
"""How many random states are tried where equality is not proved."""
NEAR = 0.1
"""How far they are from the start, in rad and m, where loops must be closed."""


@dataclass(frozen=True)
class Derivation:
    """One formalism's result: equations, time in seconds, operations of forward dynamics; or why there is none."""

    name: str
    equations: EquationsOfMotion | None
    seconds: float
    operations: int
    refusal: str = ""


@dataclass(frozen=True)
class Agreement:
    """What is known about two derivations.

    Attributes:
        first: name of one.
        second: name of the other.
        proved: the accelerations and the constraint forces are the same functions of all symbols.
        difference: otherwise the largest difference of accelerations at random states, relative to the largest one;
            for a mechanism that moves because of special lengths or directions only (Bennett, Bricard), at states in
            which its loops are closed: elsewhere its equations contradict each other.
    """

    first: str
    second: str
    proved: bool
    difference: float


@dataclass(frozen=True)
class Comparison(Table):
    """All derivations of one model, and every pair of them. Printed, or shown in a notebook, it is a table."""

    model: Model
    derivations: tuple[Derivation, ...]
    pairs: tuple[Agreement, ...]

    @property
    def proved(self) -> bool:
        """Whether there are pairs, and every one of them is proved equal."""
        return bool(self.pairs) and all(pair.proved for pair in self.pairs)

    def agree(self, tolerance: float = 1e-10) -> bool:
        """Whether every pair is proved equal, or at least within a relative tolerance."""
        return bool(self.pairs) and all(pair.proved or pair.difference <= tolerance for pair in self.pairs)

    def rows(self) -> list[list[str]]:
        """The table: a row for each derivation, a column for each one that it is compared with."""
        names = [one.name for one in self.derivations]
        found = {(p.first, p.second): _verdict(p) for p in self.pairs}
        table = [["formalism", "time / s", "operations", *names]]
        for one in self.derivations:
            verdicts = [found.get((one.name, name)) or found.get((name, one.name)) or "" for name in names]
            known = one.equations is not None
            figures = [f"{one.seconds:.3g}", str(one.operations)] if known else ["refused", one.refusal]
            table.append([one.name, *figures, *verdicts])
        return table

    def __str__(self) -> str:
        return f"{self.model.name}: {len(self.model.speeds)} speeds\n{super().__str__()}"


def _verdict(pair: Agreement) -> str:
    return "proved equal" if pair.proved else f"differ by {pair.difference:.1e}"


def compare(
    system: System | Model, formalisms: Sequence[Formalism] | None = None, *, constraints: Handling | None = None
) -> Comparison:
    """Derive one model by several formalisms, and prove that the results are the same.

    Args:
        system: a system or a model.
        formalisms: those to compare; by default all.
        constraints: how each of them is to handle constraints; by default as it does by itself.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> compare(pendulum, [mb.Kane(), mb.Lagrange()]).proved
        True
    """
    model = frozen(system, "compare")
    chosen = _chosen(formalisms)
    names = _distinct([repr(one) for one in chosen])
    derivations = [_derived(model, one, name, constraints) for one, name in zip(chosen, names, strict=True)]
    known = [one for one in derivations if one.equations is not None]
    pairs = tuple(_agreement(first, second, model) for first, second in combinations(known, 2))
    return Comparison(model, tuple(derivations), pairs)


def _chosen(formalisms: object) -> Sequence[Formalism]:
    """All formalisms, or those that were given."""
    if formalisms is None:
        return _ALL
    if isinstance(formalisms, str) or not isinstance(formalisms, Iterable):
        raise ModelError(
            f"{formalisms!r:.80} is no list of formalisms.",
            where="compare",
            remedy="Give a list such as [Kane(), Lagrange()]; without it, all formalisms are compared.",
        )
    return [required_formalism(one, "compare") for one in formalisms]


def _distinct(names: Sequence[str]) -> list[str]:
    short = [name.removesuffix("()") for name in names]
    return [name if short.count(name) == 1 else f"{name} #{k + 1}" for k, name in enumerate(short)]


def _derived(model: Model, formalism: Formalism, name: str, constraints: Handling | None) -> Derivation:
    start = perf_counter()
    try:
        eom = derive(model, formalism, constraints=constraints)
    except MultibodyError as error:
        return Derivation(name, None, 0.0, 0, error.what)
    seconds = perf_counter() - start
    return Derivation(name, eom, seconds, sum(eom.forward_dynamics.operations.values()))


def _agreement(first: Derivation, second: Derivation, model: Model) -> Agreement:
    one, other = in_joint_speeds(first.equations, model), in_joint_speeds(second.equations, model)
    if all_same(one, other, points=2):
        return Agreement(first.name, second.name, True, 0.0)
    return Agreement(first.name, second.name, False, _difference(model, one, other))


def in_joint_speeds(eom: EquationsOfMotion | None, model: Model) -> list[Expr]:
    """u̇ and Bᵀ·λ in the speeds u of the model, also if the equations are written in other speeds w.

    The old speeds are known as u = J·w + u₀, so w follows from u, and generalized forces Q_w = Jᵀ·Q_u.
    """
    assert eom is not None
    forces = product(eom.B.T, array(list(eom.multiplier_values))) if len(eom.constraints) else array([])
    if eom.model.speeds == model.speeds:
        return [*eom.acceleration, *forces]
    u = [eom.model.values.get(one, one) for one in model.speeds]
    rates = [eom.model.values.get(one, one) for one in model.accelerations]
    known: dict[Expr, Any] = dict(zip(eom.model.accelerations, eom.acceleration, strict=True))
    J = jacobian(u, eom.speeds)
    offset = array(substitute(u, dict.fromkeys(eom.speeds, ZERO)))
    w = solve(J, array(list(model.speeds)) - offset)
    result = [*substitute(rates, known), *(solve(J.T, forces) if len(forces) else [])]
    return substitute(result, dict(zip(eom.speeds, w, strict=True)))


def _difference(model: Model, one: Sequence[Expr], other: Sequence[Expr]) -> float:
    """The largest difference at random states, relative to the largest value of each state.

    States for which neither has a value say nothing; where only one has, and where there are no others, they differ.
    """
    known = _random_states(model) | model.parameter_values()
    both = (evaluate(list(part), known) for part in (one, other))
    first, second = (np.array([np.broadcast_to(value, STATES) for value in part]) for part in both)
    telling = np.isfinite(first).all(axis=0) | np.isfinite(second).all(axis=0)
    with np.errstate(invalid="ignore"):
        scale = np.maximum(np.abs(first).max(axis=0), np.finfo(float).tiny)
        gaps = (np.abs(first - second).max(axis=0) / scale)[telling]
    return float(np.nan_to_num(gaps, nan=np.inf, posinf=np.inf).max()) if len(gaps) else np.inf


def _random_states(model: Model) -> dict[Any, Any]:
    """Values for time, coordinates, speeds and inputs; of closed loops where equations have a meaning only there."""
    rng = np.random.default_rng(0)
    states = (model.time, *model.coordinates, *model.speeds, *model.input_symbols)
    constraints = Constraints.of(Kinematics(model))
    if len(constraints.acting) == len(constraints.independent):
        return {symbol: rng.normal(size=STATES) for symbol in states}
    closed = np.array([_closed(constraints, rng) for _ in range(STATES)]).T
    return dict.fromkeys(states, np.zeros(STATES)) | dict(zip((*model.coordinates, *model.speeds), closed, strict=True))


def _closed(constraints: Constraints, rng: np.random.Generator) -> list[float]:
    """Coordinates and speeds near the start that keep all constraints."""
    model = constraints.model
    q = [model.start[one] + NEAR * rng.normal() for one in model.coordinates]
    state = consistent(constraints, q, rng.normal(size=len(model.speeds)))
    return [*state.q, *state.u]
