"""One model, several formalisms, and a proof that they agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from time import perf_counter
from typing import Any

import numpy as np

from multibody.equations import EquationsOfMotion, Handling, Multipliers
from multibody.errors import ModelError, MultibodyError
from multibody.formalisms.articulated_body import ArticulatedBody
from multibody.formalisms.choice import derived, frozen, require_derivable, required_formalism
from multibody.formalisms.contract import Formalism
from multibody.formalisms.kane import Kane
from multibody.formalisms.lagrange import Lagrange
from multibody.formalisms.modular import Modular
from multibody.formalisms.newton_euler import NewtonEuler
from multibody.formalisms.quantities import DerivationResults, results
from multibody.formalisms.recursive import Recursive
from multibody.formalisms.wittenburg import Wittenburg
from multibody.graph import Expr, all_same, evaluate
from multibody.graph.workspace import alone
from multibody.mechanics.assembly.start_state import consistent
from multibody.mechanics.constraints.independence import Constraints
from multibody.model import Kinematics, Model, System
from multibody.support.text_tables import TextTable, counted

_ALL = (Recursive(), ArticulatedBody(), NewtonEuler(), Kane(), Lagrange(), Wittenburg(), Modular())
STATES = 20
"""How many random states are tried where equality is not proved."""
NEAR = 0.1
"""How far they are from the start, in rad and m, where loops must be closed."""
HANDLED = 1e-6
"""The largest relative difference at closed states that different ways to handle constraints may make."""


@dataclass(frozen=True)
class Derivation:
    """One formalism's result: equations, time in seconds, operations of forward dynamics; or why there is none."""

    name: str
    equations: EquationsOfMotion | None
    seconds: float
    operations: int
    refusal: str = ""
    model: Model | None = field(default=None, repr=False)

    @cached_property
    def results(self) -> DerivationResults:
        """What is compared, in the speeds of the model."""
        assert self.equations is not None
        return results(self.equations, self.model or self.equations.model)


@dataclass(frozen=True)
class Agreement:
    """What is known about two derivations.

    Attributes:
        first: name of one.
        second: name of the other.
        proved: all quantities are the same functions of all symbols: rates q̇, accelerations u̇, constraint forces
            Bᵀ·λ, energies, and, as functions of the motion, of u̇ and of λ, sensors and reactions.
        difference: otherwise the largest difference at random states of those that are not proved, relative to the
            largest one of its kind; for a mechanism that moves because of special lengths or directions only
            (Bennett, Bricard), at states in which its loops are closed: elsewhere its equations contradict each other.
        unproved: the names of the quantities that are not proved equal.
        reason: why a proof is not possible, although both are proved equal if they handle constraints in one way;
            empty if they are proved equal as they are, or differ.
    """

    first: str
    second: str
    proved: bool
    difference: float
    unproved: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """Whether all derivations agree, and what that does not cover. It is true or false as a truth value.

    Attributes:
        holds: there are pairs, and every one of them is proved equal.
        refused: why formalisms did not take the model, by their names; the proof says nothing about them.
        unproved: the names of the quantities that are not proved equal for some pair.

    Example:
        >>> import multibody as mb
        >>> gears = mb.System("gears")
        >>> a, b = (gears.joint(n, gears.world, gears.body(n + "_wheel", 1, (0, 0, 0), (1, 1, 1)), "Rz") for n in "ab")
        >>> gear = gears.loop(mb.Transmission(a, b, 2))
        >>> proof = mb.compare(gears, [mb.Kane(), mb.Lagrange(), mb.ArticulatedBody()]).proved
        >>> bool(proof), list(proof.refused)
        (True, ['ArticulatedBody'])
    """

    holds: bool
    refused: Mapping[str, str]
    unproved: tuple[str, ...]

    def __bool__(self) -> bool:
        return self.holds

    def __eq__(self, other: object) -> bool:
        if isinstance(other, bool | Proof):
            return self.holds == bool(other)
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self.holds)

    def __repr__(self) -> str:
        refused = "; ".join(f"{name}: {why}" for name, why in self.refused.items())
        return f"{self.holds}, refused by {refused}" if refused else str(self.holds)


@dataclass(frozen=True)
class Comparison(TextTable):
    """All derivations of one model, and every pair of them. Printed, or shown in a notebook, it is a table.

    Attributes:
        model: the frozen model.
        derivations: one for each formalism, also for those that refused the model.
        pairs: what is known about each pair of those that did not.
    """

    model: Model
    derivations: tuple[Derivation, ...]
    pairs: tuple[Agreement, ...]

    @property
    def proved(self) -> Proof:
        """Whether there are pairs, and every one of them is proved equal; and which formalisms refused the model."""
        unproved = dict.fromkeys(name for pair in self.pairs for name in pair.unproved)
        return Proof(bool(self.pairs) and all(pair.proved for pair in self.pairs), self.refused, tuple(unproved))

    @property
    def refused(self) -> dict[str, str]:
        """Why formalisms did not take the model, by their names."""
        return {derivation.name: derivation.refusal for derivation in self.derivations if derivation.equations is None}

    @property
    def compared(self) -> tuple[str, ...]:
        """The names of all quantities that are compared; none where there is nothing to compare with."""
        known = (
            [derivation for derivation in self.derivations if derivation.equations is not None] if self.pairs else []
        )
        return tuple(quantity.name for derivation in known[:1] for quantity in derivation.results.quantities)

    def agree(self, tolerance: float = 1e-10) -> bool:
        """Whether every pair is proved equal, or at least within a relative tolerance."""
        return bool(self.pairs) and all(pair.proved or pair.difference <= tolerance for pair in self.pairs)

    def rows(self) -> list[list[str]]:
        """The table: a row for each derivation, a column for each one that it is compared with."""
        names = [derivation.name for derivation in self.derivations]
        found = {(p.first, p.second): _verdict(p) for p in self.pairs}
        table = [["formalism", "time / s", "operations", *names]]
        for derivation in self.derivations:
            verdicts = [
                found.get((derivation.name, name)) or found.get((name, derivation.name)) or "" for name in names
            ]
            known = derivation.equations is not None
            figures = (
                [f"{derivation.seconds:.3g}", str(derivation.operations)] if known else ["refused", derivation.refusal]
            )
            table.append([derivation.name, *figures, *verdicts])
        return table

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why pairs are not proved equal, although they are with one way to handle constraints; each reason once."""
        return tuple(dict.fromkeys(pair.reason for pair in self.pairs if pair.reason))

    def __str__(self) -> str:
        lines = [f"{self.model.name}: {counted(len(self.model.speeds), 'speed')}", super().__str__()]
        if self.pairs:
            lines.append(f"compared: {self._counted()}")
        lines += [f"not proved equal: {', '.join(self.proved.unproved)}"] if self.proved.unproved else []
        lines += [f"refused by {name}: {why}" for name, why in self.refused.items()]
        lines += [f"closed: {reason}" for reason in self.reasons]
        return "\n".join(lines)

    def _counted(self) -> str:
        """What is compared, by kinds."""
        known = next(
            derivation for derivation in self.derivations if derivation.equations is not None
        ).results.quantities
        kinds = [quantity.kind.partition(" '")[0] for quantity in known]
        counts = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
        return ", ".join(kind if kind.endswith("energy") else _plural(n, kind) for kind, n in counts.items())


def _plural(count: int, kind: str) -> str:
    """A number of things; kinds of quantities are named in the plural, sensors are not."""
    return f"{count} {kind.removesuffix('s')}{'' if count == 1 else 's'}"


def _verdict(pair: Agreement) -> str:
    if pair.proved:
        return "proved equal"
    return f"closed: {pair.difference:.1e}" if pair.reason else f"differ by {pair.difference:.1e}"


@alone
def compare(
    system: System | Model, formalisms: Sequence[Formalism] | None = None, *, constraints: Handling | None = None
) -> Comparison:
    """Derive one model by several formalisms, and prove that the results are the same.

    Compared are rates q̇, accelerations u̇, constraint forces Bᵀ·λ, energies, sensors and the reactions of all joints.
    A proof says that the derivations agree about inertia, kinematics and projection, not that the model is right: all
    formalisms take the laws of joints and loads from the model. Before, the potential of each load is compared with its
    force.

    Args:
        system: a system or a model.
        formalisms: those to compare; by default all.
        constraints: how each of them is to handle constraints, with all loops as constraints; by default as it does by
            itself.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 2, (0, 0, -1)), "Ry")
        >>> compare(pendulum, [mb.Kane(), mb.Lagrange()]).proved
        True
    """
    model = frozen(system, "compare")
    require_derivable(model)
    if constraints is not None and model.unreduced is not None:
        model = model.unreduced  # as ``derive`` does: whoever says how to handle constraints wants to see them
    chosen = _chosen(formalisms)
    names = _distinct([repr(formalism) for formalism in chosen])
    derivations = [_derived(model, formalism, name, constraints) for formalism, name in zip(chosen, names, strict=True)]
    known = [derivation for derivation in derivations if derivation.equations is not None]
    states = _RandomStates(model)
    pairs = tuple(_agreement(first, second, states) for first, second in combinations(known, 2))
    return Comparison(model, tuple(derivations), _explained(states, dict(zip(names, chosen, strict=True)), pairs))


def _chosen(formalisms: object) -> Sequence[Formalism]:
    """All formalisms, or those that were given."""
    if formalisms is None:
        return _ALL
    if isinstance(formalisms, str) or not isinstance(formalisms, Iterable):
        raise ModelError(
            f"{formalisms!r:.80} is not a list of formalisms.",
            code="value-not-a-formalism",
            where="compare",
            remedy="Give a list such as [Kane(), Lagrange()]; without it, all formalisms are compared.",
            value=type(formalisms).__name__,
        )
    chosen = [required_formalism(formalism, "compare") for formalism in formalisms]
    for first, other in combinations(chosen, 2):
        if type(first) is type(other) and repr(vars(first)) == repr(vars(other)):
            raise ModelError(
                f"The formalism {first!r:.80} is given twice.",
                code="formalism-twice",
                where="compare",
                cause="A derivation always agrees with itself.",
                remedy="Give different formalisms, or the same with different options.",
                name=repr(first),
            )
    return chosen


def _distinct(names: Sequence[str]) -> list[str]:
    short = [name.removesuffix("()") for name in names]
    return [name if short.count(name) == 1 else f"{name} #{k + 1}" for k, name in enumerate(short)]


def _derived(model: Model, formalism: Formalism, name: str, constraints: Handling | None) -> Derivation:
    start = perf_counter()
    try:
        eom = derived(model, formalism, constraints)
    except MultibodyError as error:
        return Derivation(name, None, 0.0, 0, error.what)
    seconds = perf_counter() - start
    return Derivation(name, eom, seconds, sum(eom.forward_dynamics.operations.values()), model=model)


def _agreement(first: Derivation, second: Derivation, states: _RandomStates) -> Agreement:
    one, other = first.results, second.results
    prints = zip(one.quantities, one.fingerprints, other.quantities, other.fingerprints, strict=True)
    unlike = [(a, b) for a, at_a, b, at_b in prints if at_a != at_b]
    unlike = [(a, b) for a, b in unlike if not all_same(one.solved(a), other.solved(b), points=2)]
    if not unlike:
        return Agreement(first.name, second.name, True, 0.0)
    kinds = {a.kind for a, _ in unlike}
    differences = [_difference(states, *(_of_kind(kind, results) for results in (one, other))) for kind in kinds]
    return Agreement(first.name, second.name, False, max(differences), tuple(a.name for a, _ in unlike))


def _of_kind(kind: str, found: DerivationResults) -> list[Expr]:
    """All quantities of a kind, as functions of (t, q, u, r, p)."""
    return [entry for quantity in found.quantities if quantity.kind == kind for entry in found.solved(quantity)]


def _explained(
    states: _RandomStates, formalisms: Mapping[str, Formalism], pairs: tuple[Agreement, ...]
) -> tuple[Agreement, ...]:
    """The pairs, with the reason where a proof is not possible.

    Of a mechanism that moves because of special lengths or directions only, some equations follow from others where its
    loops are closed, and contradict them elsewhere. Each way to handle constraints makes something else of that: the
    accelerations are different functions, with the same values where loops are closed. Formalisms that handle
    constraints in one way are proved equal; so M, h, f, B and γ are the same, and the rest is handling.
    """
    model, open_pairs = states.model, [pair for pair in pairs if not pair.proved]
    constraints = Constraints.of(Kinematics(model))
    if not open_pairs or len(constraints.acting) == len(constraints.independent):
        return pairs
    wanted = dict.fromkeys(name for pair in open_pairs for name in (pair.first, pair.second))
    alike = {name: _derived(model, formalisms[name], name, Multipliers()) for name in wanted}
    reason = _WHY.format(name=model.name, states=STATES)

    def explained(pair: Agreement) -> Agreement:
        if pair.proved or not pair.difference < HANDLED:
            return pair
        first, second = alike[pair.first], alike[pair.second]
        known = first.equations is not None and second.equations is not None
        return replace(pair, reason=reason) if known and _agreement(first, second, states).proved else pair

    return tuple(map(explained, pairs))


_WHY = (
    "The loops of '{name}' move only because of special lengths or directions. Away from closed positions their "
    "equations contradict each other, and Multipliers and IndependentSpeeds give different accelerations there: these "
    "are not the same functions of all symbols, so that they cannot be proved equal. With Multipliers() for both "
    "formalisms they are proved equal. The number is the largest relative difference at {states} states in which the "
    "loops are closed."
)


def _difference(states: _RandomStates, one: Sequence[Expr], other: Sequence[Expr]) -> float:
    """The largest difference at random states, relative to the largest value of each state.

    States for which neither has a value say nothing; where only one has, and where there are no others, they differ.
    """
    known = states.values
    both = (evaluate(list(part), known) for part in (one, other))
    first, second = (np.array([np.broadcast_to(value, STATES) for value in part]) for part in both)
    telling = np.isfinite(first).all(axis=0) | np.isfinite(second).all(axis=0)
    with np.errstate(invalid="ignore"):
        scale = np.maximum(np.abs(first).max(axis=0), np.finfo(float).tiny)
        gaps = (np.abs(first - second).max(axis=0) / scale)[telling]
    return float(np.nan_to_num(gaps, nan=np.inf, posinf=np.inf).max()) if len(gaps) else np.inf


@dataclass(frozen=True, eq=False)
class _RandomStates:
    """States of one model at which all pairs are compared; loops are closed once, which takes most of the time."""

    model: Model

    @cached_property
    def values(self) -> dict[Any, Any]:
        """With the values of parameters."""
        return _random_states(self.model) | self.model.parameter_values()


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
    q = [model.start[coordinate] + NEAR * rng.normal() for coordinate in model.coordinates]
    state = consistent(constraints, q, rng.normal(size=len(model.speeds)))
    return [*state.q, *state.u]
