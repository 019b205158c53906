"""Equilibria and steady motions: states in which a mechanism stays as it is, or goes on as it goes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from multibody.equations import EquationsOfMotion
from multibody.equations.validation.argument_checks import require_equations
from multibody.errors import EquilibriumError
from multibody.graph import Symbol
from multibody.linearization.operating_points.point import (
    At,
    beyond_limits,
    known_point,
    require_names_of,
)
from multibody.linearization.tolerances import UNKNOWN_ERROR
from multibody.linearization.trim.equilibrium_point import Equilibria, Equilibrium
from multibody.linearization.trim.limits import limits_passed, within_limits, within_turns
from multibody.linearization.trim.newton import Trim
from multibody.linearization.trim.other_assemblies import dependent_values, has_other_assemblies, solved_elsewhere
from multibody.linearization.trim.random_starts import all_solved, distance
from multibody.linearization.trim.steady_equations import steady_equations
from multibody.mechanics.assembly.assembly import Vector
from multibody.model.freeze.inertia_checks import possible_values
from multibody.model.quantity import finite_value

Names = Iterable[str]

TRIES = 24


def equilibrium(
    eom: EquationsOfMotion, fixed: Mapping[str, float] | Names = (), free: Names = (), *, at: At = None,
    moving: Names = (), parameters: Mapping[str, float] | None = None, t: float | None = None,
) -> Equilibrium:  # fmt: skip
    """The equilibrium or steady motion that Newton's method reaches from a guess.

    Coordinates and speeds are unknown unless they are fixed; inputs and parameters are known unless they are free. In
    an equilibrium all rates vanish. In a steady motion those of ``moving`` need not: a wheel goes on turning, at a
    speed that does not change.

    Args:
        eom: equations of motion.
        fixed: values by name that must stay; or names alone, which stay at their start values.
        free: names of inputs and parameters that are looked for as well; inputs and joints are kept within their
            limits, masses are not negative.
        at: a guess by name, a state, an instant of a run, or another equilibrium; the start values where nothing is
            given. Values of inputs and parameters that are not free are taken as they are.
        moving: names of coordinates that may change (a rolling angle, a distance gone), and of speeds that may (those
            of a place on a circle).
        parameters: values by name, where they are not the defaults.
        t: time; zero, unless an instant or another equilibrium says otherwise.

    Raises:
        EquilibriumError: if none is found: what came closest, and which equations stay open; or if an input or a
            joint would have to be beyond its limits.

    Example:
        >>> import multibody as mb
        >>> arm = mb.System("arm", gravity=(0, 0, -9.81))
        >>> hinge = arm.joint("angle", arm.world, arm.body("bob", 2.0, (0, 0, -0.5)), "Ry")
        >>> drive = arm.load(mb.JointLoad(hinge, arm.input("M")))
        >>> eom = mb.derive(arm)
        >>> held = equilibrium(eom, fixed={"angle": 0.3}, free=["M"])
        >>> round(held["M"], 6), bool(abs(held["M"] - 2 * 9.81 * 0.5 * np.sin(0.3)) < 1e-12)
        (2.899053, True)
        >>> print(equilibrium(eom, at={"angle": 2.0}))
        arm: equilibrium, unstable
          angle      3.14159265
          angle_dot  0
    """
    search = _search(eom, fixed, free, at, moving, parameters, t)
    w, error = search.solved(search.start)
    w = within_turns(search, w)
    if error > UNKNOWN_ERROR or limits_passed(search, w):
        several, closest = all_solved(search, TRIES, seed=0)
        if not several:
            raise _none_found(search, closest)
        w = within_limits(search, several)[0]
    return _equilibrium(search, w)


def equilibria(
    eom: EquationsOfMotion, fixed: Mapping[str, float] | Names = (), free: Names = (), *, at: At = None,
    moving: Names = (), parameters: Mapping[str, float] | None = None, t: float | None = None, tries: int = 60,
    seed: int = 0,
) -> Equilibria:  # fmt: skip
    """All equilibria or steady motions that are found from random starts, the nearest to the guess first.

    Loops that are solved in closed form are assembled in one way. Equilibria in the other ways are found too, and come
    last; they belong to the equations with all loops as constraints, ``found.eom``, which is ``eom.unreduced``. Steady
    motions (``moving``), equilibria that are not isolated, and mechanisms with more than 20 coordinates are looked at
    in the assembly of the closed form alone.

    Args:
        eom: equations of motion.
        fixed: see ``equilibrium``, also for all others.
        free: names of inputs and parameters that are looked for.
        at: a guess.
        moving: names of coordinates and speeds whose rates need not vanish.
        parameters: values by name.
        t: time; see ``equilibrium``.
        tries: how many starts.
        seed: of the random numbers.

    Raises:
        EquilibriumError: if none is found within the limits of inputs and joints; others are left out.

    Example:
        >>> import multibody as mb
        >>> arm = mb.System("arm", gravity=(0, 0, -9.81))
        >>> hinge = arm.joint("angle", arm.world, arm.body("bob", 2.0, (0, 0, -0.5)), "Ry")
        >>> friction = arm.load(mb.JointDamper(hinge, 0.1))
        >>> print(equilibria(mb.derive(arm)))
        angle    stability  growth [1/s]
        0        stable     -0.1
        3.14159  unstable   4.33058
    """
    if tries < 1:
        raise EquilibriumError(
            f"tries must be at least 1, got {tries}.",
            code="count-too-small",
            where="equilibria",
            remedy="Give a positive number.",
            value=tries,
        )
    search = _search(eom, fixed, free, at, moving, parameters, t)
    several, closest = all_solved(search, tries, seed)
    others: list[Equilibrium] = []
    isolated = not any(search.freedom(w).shape[1] for w in several)
    if isolated and not search.equations.moving and has_other_assemblies(eom):
        whole = _search_of_all_assemblies(search, fixed, free, at, parameters)
        more, elsewhere = solved_elsewhere(search, whole, several, tries, seed)
        several = sorted([*several, *more], key=lambda w: distance(search, w, search.start))
        others = [_equilibrium(whole, w) for w in within_limits(whole, elsewhere, required=False)]
    if not several and not others:
        raise _none_found(search, closest)
    several = within_limits(search, several, required=not others)
    return Equilibria((*(_equilibrium(search, w) for w in several), *others))


# how they are found --------------------------------------------------------------------------------------------------


def _search(
    eom: EquationsOfMotion, fixed: Mapping[str, float] | Names, free: Names, at: At, moving: Names,
    parameters: Mapping[str, float] | None, t: float | None,
) -> Trim:  # fmt: skip
    require_equations(eom, "equilibrium")
    parameters = eom.model.parameters_by_element(parameters)
    held = fixed if isinstance(fixed, Mapping) else dict.fromkeys(_several(fixed))
    states = (*eom.coordinates, *eom.speeds)
    others = (*eom.inputs, *eom.parameters)
    given = {
        name: value for name, value in parameters.items() if name in {parameter.name for parameter in eom.parameters}
    }
    start, then = _guess(eom, at)
    guess = {**start, **given, **{name: value for name, value in held.items() if value is not None}}
    _require_known(eom, [*held, *guess], (*states, *others), "coordinate, speed, input or parameter")
    wanted = set(_several(free))
    _require_known(eom, wanted, (*states, *others), "coordinate, speed, input or parameter")
    both = wanted & {*held}
    if both:
        raise EquilibriumError(
            f"{', '.join(sorted(both))} cannot be both fixed and free.",
            code="name-fixed-and-free",
            where=f"system '{eom.model.name}'",
            names=tuple(sorted(both)),
        )
    moves = set(_several(moving))
    _require_known(eom, moves, states, "coordinate or speed")
    numbers = {
        **parameters,
        **{parameter.name: guess[parameter.name] for parameter in eom.parameters if parameter.name in guess},
    }
    unknown = [
        *(state for state in states if state.name not in held),
        *(other for other in others if other.name in wanted),
    ]
    equations = steady_equations(eom, unknown, [state for state in states if state.name in moves], numbers)
    now = finite_value(then if t is None else t, "time of the equilibrium")
    known: dict[Symbol, float] = {eom.model.time: now, **eom.model.start, **possible_values(eom.model, numbers)}
    known |= {
        state: finite_value(guess[state.name], f"'{state.name}'") for state in (*states, *others) if state.name in guess
    }
    _require_within(eom, {quantity: known.get(quantity, 0.0) for quantity in eom.inputs if quantity.name not in wanted})
    return Trim(equations, np.array([known.get(symbol, 0.0) for symbol in equations.symbols], dtype=float))


def _search_of_all_assemblies(
    search: Trim, fixed: Mapping[str, float] | Names, free: Names, at: At, parameters: Mapping[str, float] | None
) -> Trim:
    """The same search with all loops as constraints, from the same start."""
    eom, known = search.equations.eom, dict(zip(search.equations.symbols, search.start.tolist(), strict=True))
    assert eom.unreduced is not None
    values = {symbol.name: known[symbol] for symbol in (*eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters)}
    names = {parameter.name for parameter in eom.parameters}
    start = {name: value for name, value in values.items() if name not in names}
    start |= dependent_values(eom.model, values, known[eom.model.time])
    start |= {name: value for name, value in _guess(eom, at)[0].items() if name in names}
    held = {name: values[name] for name in (fixed if isinstance(fixed, Mapping) else _several(fixed))}
    return _search(eom.unreduced, held, free, start, (), parameters, known[eom.model.time])


def _require_within(eom: EquationsOfMotion, inputs: Mapping[Symbol, float]) -> None:
    """An error if inputs that are not free are beyond their limits."""
    beyond = beyond_limits(eom.model, inputs)
    if beyond:
        raise EquilibriumError(
            f"No run can have this equilibrium: {'; '.join(beyond)}.",
            code="input-beyond-limits",
            where=f"system '{eom.model.name}'",
            cause="Runs hold an input within its limits.",
            remedy="Give an input within its limits, or give the input wider ones: system.input(…, limits=…).",
            name=eom.model.name,
        )


def _several(names: Names) -> list[str]:
    """Names as a list; one name alone is meant as a list of one."""
    return [names] if isinstance(names, str) else list(names)


def _guess(eom: EquationsOfMotion, at: At) -> tuple[dict[str, float], float]:
    """Values by name, and the time; zero unless an instant, an operating point or an equilibrium has one."""
    if at is None or isinstance(at, Mapping):
        return {key.name if isinstance(key, Symbol) else key: value for key, value in (at or {}).items()}, 0.0
    state, numbers, t = known_point(eom, at)
    return {**state, **numbers}, 0.0 if t is None else float(t)


def _require_known(eom: EquationsOfMotion, names: Iterable[str], known: Iterable[Symbol], kind: str) -> None:
    require_names_of(eom.model, kind, dict.fromkeys(names), [symbol.name for symbol in known])


def _equilibrium(search: Trim, w: Vector) -> Equilibrium:
    residual = np.abs(np.asarray(search.equations.residual(w))).max(initial=0.0)
    freedom = search.freedom(w).shape[1]
    symbols = (search.equations.symbols[k] for k in search.free)
    doubt = {symbol: float(x) for symbol, x in zip(symbols, search.doubt(w), strict=True) if x}
    return Equilibrium(search.equations, w, float(residual), freedom, doubt)


def _none_found(search: Trim, w: Vector) -> EquilibriumError:
    """The equations that stay open where it came closest, the worst first."""
    equations, rows = search.equations, search.rows(w)
    residual = np.asarray(equations.residual(w)).reshape(-1)
    open_rows = ~(np.abs(rows) <= 1e-6 * np.abs(rows).max(initial=0.0)) & (rows != 0)
    worst = sorted(np.flatnonzero(open_rows), key=lambda k: -abs(rows[k]))
    still = [f"{equations.rows[k][0]} is {residual[k]:.6g}" for k in worst[:3]]
    said = f"{'; '.join(still)} instead of zero" if still else _without_slopes(search, w)
    reached = ", ".join(
        f"{symbol}={w[k]:.6g}" for k, symbol in enumerate(equations.symbols) if symbol in equations.unknown
    )
    rates = [equations.rows[k][0] for k in worst if equations.rows[k][0].startswith("the rate")]
    return EquilibriumError(
        f"No {'steady motion' if equations.moving else 'equilibrium'} was found: {said}.",
        code="equilibrium-not-found",
        where=f"system '{equations.eom.model.name}'",
        cause=f"The closest state had {reached}." if reached else "Nothing is left to look for.",
        remedy="Fix less, free an input or a parameter, or guess nearer to a solution."
        + (" Name coordinates that go on changing in ``moving``." if rates else ""),
        name=equations.eom.model.name,
    )


def _without_slopes(search: Trim, w: Vector) -> str:
    """The equations that are zero at w, but have no slope there: no statement about small motions is possible."""
    steep = ~np.isfinite(search.equations.slopes.dense(w)).all(axis=1)
    names = [search.equations.rows[k][0] for k in np.flatnonzero(steep)]
    if not names:
        return "the terms of the equations do not balance to their last digits"
    return f"{'; '.join(names[:3])} {'is' if len(names) == 1 else 'are'} zero, without a finite slope"
