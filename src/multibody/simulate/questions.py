"""What a user may ask for: equations that can move, an integrator, values by name; anything else is told at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.errors import ConversionError, ModelError
from multibody.graph import Expr, Symbol, as_expr, free_symbols
from multibody.model import Model, System
from multibody.model.concerning import concerning
from multibody.model.sensors.signal import resolved
from multibody.simulate.contract import Integrator


def require_question(where: str, eom: Any, integrator: Any = None, **by_name: Any) -> None:
    """An error unless a run is asked of equations, with an integrator if any, and with values by name.

    Args:
        where: the verb that the user called.
        eom: equations of motion.
        integrator: an integrator, or None.
        by_name: arguments that are mappings, or None.
    """
    if not isinstance(eom, EquationsOfMotion):
        found = isinstance(eom, System | Model)
        raise ModelError(
            f"A {type(eom).__name__} stands where equations of motion are needed.",
            where=where,
            cause="They have not been derived yet." if found else "Arguments are in another order.",
            remedy=f"Write {where}(mb.derive(system), …).",
        )
    if integrator is not None and not isinstance(integrator, Integrator):
        kind = integrator if isinstance(integrator, type) else type(integrator)
        made = isinstance(integrator, type) and issubclass(integrator, Integrator)
        raise ModelError(
            f"{integrator!r} is no integrator." if not made else f"{kind.__name__} is a class of integrators, not one.",
            where=where,
            remedy=f"Write integrator={kind.__name__ if made else 'DormandPrince8'}(), with brackets.",
        )
    for what, given in by_name.items():
        if given is not None and not isinstance(given, Mapping):
            raise ModelError(
                f"{given!r:.200} is no mapping from names to values.",
                where=f"{what} of {where}",
                remedy=f"Write {what}={{'name': value}}.",
            )
    _require_distinct(eom.model)
    _require_values(eom)


def _require_distinct(model: Model) -> None:
    """What is asked for by name must be one thing."""
    symbols = (model.time, *model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols)
    count = Counter([*(one.name for one in (*symbols, *model.accelerations)), *model.sensors])
    twice = [name for name, times in count.items() if times > 1]
    if twice:
        raise ModelError(
            f"Several quantities are called {', '.join(map(repr, twice))}.",
            where=f"system '{model.name}'",
            cause="Rates are called like what they are the rate of, with _dot; entries of arrays with _1, _2.",
            remedy="Rename one of them; system.check() tells what they are.",
        )


def _require_values(eom: EquationsOfMotion) -> None:
    """All symbols of the equations have values in a run; looked for once."""

    def require() -> bool:
        bodies = eom.model.expressions()  # also what cancels in the accelerations counts, for the energies
        require_known([*eom.rates, *eom.acceleration, *bodies], eom, f"system '{eom.model.name}'")
        return True

    eom.once("values for all symbols", require)


def require_known(expressions: list[Expr], eom: EquationsOfMotion, where: str) -> None:
    """An error if expressions contain symbols that have no value in a run of these equations."""
    known = {eom.model.time, *eom.coordinates, *eom.speeds, *eom.inputs, *eom.parameters, *eom.model.accelerations}
    strange = [one for one in free_symbols(expressions) if one not in known]
    if strange:
        raise ModelError(
            f"Nobody gives a value to {', '.join(_told(one, eom) for one in strange)}.",
            where=where,
            cause="It comes from another system, or from symbol(…).",
            remedy="Use parameters, inputs, coordinates and speeds of this system; system.check() says where it is.",
        )


def _told(one: Symbol, eom: EquationsOfMotion) -> str:
    foreign = one.scope and one.scope != eom.model.name
    return f"'{one.name}' of system '{one.scope}'" if foreign else f"'{one.name}'"


def expression_of(thing: Any, eom: EquationsOfMotion, where: str, remedy: str) -> Expr:
    """What the user gave as an expression, with sensors and dependent coordinates put in.

    Args:
        thing: an expression or a number.
        eom: the equations of the run.
        where: what it is for.
        remedy: what to write instead of something else.
    """
    try:
        with concerning(where):
            found = as_expr(resolved(as_expr(thing), eom.kinetics))
    except ConversionError as error:
        raise ModelError(f"{thing!r:.200} is no expression.", where=where, remedy=remedy) from error
    require_known([found], eom, where)
    return found
