"""``couple`` and ``subsystem``: from what a user writes down to eqs. (1) and (3) of Orsino 2015."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from multibody.errors import ModelError
from multibody.graph.names import require_known_names
from multibody.graph.workspace import alone
from multibody.subsystems.arguments.groups import (
    Clock,
    KnownMotion,
    KnownRelations,
    OwnEquations,
    Progress,
    require_groups,
)
from multibody.subsystems.arguments.level_draft import LevelDraft, known_words, with_foreign_symbols, with_rates
from multibody.subsystems.arguments.named_values import (
    by_variable,
    named_energy,
    named_groups,
    named_identities,
    named_independent,
    start_number,
    start_values,
)
from multibody.subsystems.arguments.naming import (
    by_order,
    require_distinct,
    require_no_input,
    require_no_rate,
    shared_inputs,
    shared_parameters,
)
from multibody.subsystems.arguments.origin import OfParts
from multibody.subsystems.arguments.vocabulary import LevelVocabulary
from multibody.subsystems.constraints.identity_checks import require_identities
from multibody.subsystems.constraints.invariant import completed, require_same_orders
from multibody.subsystems.constraints.redundancy import require_independent
from multibody.subsystems.reduction import reduction
from multibody.subsystems.renaming import names_in
from multibody.subsystems.subsystem import Subsystem

_ARGUMENTS = (
    "label", "subsystems", "constraints", "variables", "independent", "parameters", "inputs", "own", "motion",
    "relations", "rename", "description", "progress",
)  # fmt: skip
"""Of ``couple``."""


def subsystem(
    label: str, variables: Any, dynamics: Any = (), *, kinematics: Any = (), constraints: Any = (),
    independent: Any = None, parameters: Any = (), inputs: Any = (), reference: Mapping[str, Any] | None = None,
    start: Mapping[str, Any] | None = None, identities: Any = (), energy: tuple[Any, Any] | None = None,
    quaternions: Sequence[Sequence[str]] = (), description: str = "", progress: Progress | None = None,
) -> Subsystem:  # fmt: skip
    """A subsystem from its own equations, Orsino 2015, eq. (1). Expressions may be text, SymPy's, or this library's.

    Args:
        label: its name.
        variables: names by order, ``{0: coordinates, 1: quasi-velocities}``; a list means coordinates. The rate of
            ``x`` is called ``x_dot``; where a variable has this name, it is the rate without saying so.
        dynamics: d̄, for each variable of the highest order (or by their names): applied forces minus inertia forces,
            such as ``"F - m*v_dot"``; together with its variable each has the meaning of a power.
        kinematics: the rates of all other variables, by name; or equations in which these rates appear.
        constraints: invariants: what must vanish, of any order, by name or as a list; ``"a = b"`` is understood.
        independent: names of variables that the others shall follow from; without it, a choice is made.
        parameters: values by name, numbers or formulas such as ``"m*a**2/12"``, None where there is none yet; or just
            names.
        inputs: names of inputs.
        reference: a reference motion, by the names of variables, expressions of time and parameters; by default zero.
        start: values at the beginning of a run; by default those of the reference motion.
        identities: pairs of expressions that are equal, such as ``("x**2 + y**2", "l**2")``, to shorten results; they
            are tested by numbers where the constraints are kept, and refused where they are false.
        energy: kinetic and potential energy; without them, runs have no energy balance. Forces at rest, without inputs,
            must be minus the slope of the potential; those that store nothing are written at a level of their own, by
            ``couple``.
        quaternions: groups of four coordinates that have unit length.
        description: what it is.
        progress: receives the label, the finished stage, and the seconds that it took.

    Example:
        >>> cart = subsystem("cart", {0: "x", 1: "v"}, {"v": "F - m*v_dot"}, kinematics={"x": "v"},
        ...                  parameters={"m": 2.0}, inputs="F")
        >>> dict(cart.explicit())
        {'x_dot': v, 'v_dot': F/m}
    """  # fmt: skip
    return couple(
        label, (), constraints, variables=variables, independent=independent, parameters=parameters, inputs=inputs,
        own=OwnEquations(kinematics, dynamics, energy, quaternions), motion=KnownMotion(start, reference),
        relations=KnownRelations(identities), description=description, progress=progress,
    )  # fmt: skip


@alone
def couple(
    label: str, subsystems: Iterable[Subsystem], constraints: Any = (), *, variables: Any = (), independent: Any = None,
    parameters: Any = (), inputs: Any = (), own: OwnEquations | None = None, motion: KnownMotion | None = None,
    relations: KnownRelations | None = None, rename: Mapping[str, str] | None = None, description: str = "",
    progress: Progress | None = None, **unknown: Any,
) -> Subsystem:  # fmt: skip
    """One system from subsystems and the constraints among them, Orsino 2015, eqs. (2) and (3).

    Args:
        label: its name.
        subsystems: what it consists of; coupled systems are subsystems again.
        constraints: what must vanish, of any order, by name or as a list; completed by differentiation.
        variables: new variables of this level, by order; a list means coordinates, whose rates are added.
        independent: names of variables that the others shall follow from, quasi-velocities and, for linearization,
            coordinates; without it, a choice is made.
        parameters: values by name, as for ``subsystem``; or just names. Equal names mean the same parameter.
        inputs: names of inputs.
        own: what this level adds: kinematics and dynamics, their energy, quaternions.
        motion: start values and a reference motion.
        relations: identities, and constraints that follow from others.
        rename: new names by old ones, for everything in the subsystems.
        description: what it is.
        progress: receives the label, the finished stage, and the seconds that it took.
        unknown: other names are refused, with the group that they belong to.

    Example:
        >>> import multibody as mb
        >>> ball = mb.modular.newton_euler("B", "position", gravity="-z")
        >>> pendulum = couple(
        ...     "S",
        ...     [ball],
        ...     {"sphere": "p_B_x**2 + p_B_y**2 + p_B_z**2 - a**2"},
        ...     parameters="a",
        ...     independent="v_B_x v_B_y w_B_x w_B_y w_B_z",
        ... )
        >>> pendulum.S["v_B_z", "v_B_x"]
        -p_B_x/p_B_z
    """
    groups = {"own": own, "motion": motion, "relations": relations}
    require_groups(label, groups, unknown, _ARGUMENTS)
    own, motion, relations = own or OwnEquations(), motion or KnownMotion(), relations or KnownRelations()
    clock = Clock(label, progress)
    parts = _renamed_parts(label, subsystems, rename or {})
    new_variables = by_order(variables)
    require_distinct(label, parts, [name for names in new_variables.values() for name in names])
    orders = with_rates(new_variables, parts, own.kinematics, own.dynamics)
    everything = {**{variable: k for part in parts for variable, k in part.orders.items()}, **orders}
    names = {variable.name: variable for variable in everything}
    quantities = shared_parameters(label, parts, parameters, names), shared_inputs(label, parts, inputs, names)
    require_no_input(label, *quantities)
    words = known_words(parts, names, *quantities)
    clock("names")
    draft = LevelDraft(label, parts, orders, names, words, own.kinematics, own.dynamics, constraints)
    require_no_rate(label, draft.top, [name for name in names if name not in draft.aliases])
    quantities = with_foreign_symbols(draft, *quantities)
    flow = draft.flow(quantities[1])
    invariants = completed(label, draft.equations, flow, draft.top)
    require_same_orders(invariants, everything, draft.top)
    clock("invariants")
    chosen, wanted = named_independent(label, independent, draft, names)
    starts = {symbol: value for part in parts for symbol, value in part.start.items()}
    new = {
        variable: start_number(value, variable, label)
        for variable, value in by_variable(motion.start, names, "start", label).items()
    }
    starts |= new
    references = {variable: value for part in parts for variable, value in part.reference.items()}
    constants = LevelVocabulary(label, {symbol.name: symbol for p in quantities[0] for symbol in p.default})
    references |= by_variable(motion.reference, names, "reference", label, constants)
    values = start_values(everything, starts, references, quantities[0])
    units = (*(group for part in parts for group in part.quaternions), *named_groups(label, own.quaternions, draft))
    following = set(relations.redundant)
    _require_constraints(label, following, [invariant.name for invariant in invariants])
    solved = [invariant for invariant in invariants if invariant.name not in following]
    found = reduction(label, parts, draft.own, solved, draft.rows, wanted, values, clock, quaternions=units)
    essential = tuple(solved[k] for k in found.essential)
    require_independent(label, chosen, draft.rates, [*(i for p in parts for i in p.all_invariants()), *essential])
    made = Subsystem(
        label, description, parts, everything, draft.top, draft.rates, draft.aliases, draft.own, draft.rows, essential,
        tuple(invariant for invariant in invariants if invariant not in essential), found, *quantities, starts,
        references, chosen,
        named_identities(draft.vocabulary, relations.identities, parts), None, units,
        frozenset(guess for part in parts for guess in part.guesses) - set(new), timings=clock.seconds,
        origin=OfParts(
            parts, new_variables, constraints, independent, parameters, inputs, own, motion, relations,
        ),
    )  # fmt: skip
    require_identities(made, made.identities[sum(len(part.identities) for part in parts) :])
    return replace(made, energy=named_energy(made, own.energy, draft.vocabulary))


def _require_constraints(label: str, redundant: Iterable[str], constraints: Sequence[str]) -> None:
    require_known_names(
        redundant, constraints, "constraint", remedy="The constraints of this level are", code="constraint-unknown",
        where=f"redundant constraints of subsystem '{label}'",
    )  # fmt: skip


def _renamed_parts(label: str, subsystems: Any, rename: Mapping[str, str]) -> tuple[Subsystem, ...]:
    """What is coupled; every rule is for those parts that have the name."""
    parts = tuple(subsystems) if isinstance(subsystems, Iterable) and not isinstance(subsystems, str) else (subsystems,)
    others = [part for part in parts if not isinstance(part, Subsystem)]
    if others:
        raise ModelError(
            f"{others[0]!r:.80} is not a subsystem.",
            where=f"subsystem '{label}'",
            remedy="Give a list of subsystems; from_system makes one from a System or a Model.",
            code="subsystem-expected",
        )
    known = {name for part in parts for name in names_in(part)}
    require_known_names(rename, known, purpose="to rename", code="renamed-name-unknown", where=f"subsystem '{label}'")
    own = [{name: new for name, new in rename.items() if name in names_in(part)} for part in parts]
    return tuple(part.renamed(part.label, names) if names else part for part, names in zip(parts, own, strict=True))
