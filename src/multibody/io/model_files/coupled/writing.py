"""From a subsystem to the section ``subsystems`` of a model file: what it was made from, with arguments as texts.

A subsystem that was written is read again and compared with the original.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from multibody.errors import ModelFileError
from multibody.graph import Expr, evaluate, free_symbols, same, to_text
from multibody.io.model_files.vocabulary import VERSION
from multibody.model import Input, Parameter, System
from multibody.subsystems import Subsystem
from multibody.subsystems.arguments.naming import by_order, split_names
from multibody.subsystems.arguments.origin import Made, OfCopy, OfParts, OfSystem
from multibody.subsystems.arguments.vocabulary import several, without_sympy
from multibody.subsystems.content import SubsystemContent
from multibody.subsystems.energy import PartialEnergy

SystemDocument = Callable[[System], dict[str, Any]]
"""A system as sections of a model file."""


def coupled_document(whole: Subsystem, of_system: SystemDocument) -> dict[str, Any]:
    """All that is to be written about a subsystem, in the order of the format.

    Raises:
        ModelFileError: for a part that was not made from what a file can hold.
    """
    writer = _PartWriter(whole, of_system)
    writer.key(whole)
    return {"multibody": VERSION, "name": whole.label, "subsystems": writer.entries}


class _PartWriter:
    def __init__(self, whole: Subsystem, of_system: SystemDocument) -> None:
        self.entries: dict[str, dict[str, Any]] = {}
        self._whole, self._of_system = whole, of_system
        self._keys: dict[Made, str] = {}

    def key(self, made: Made) -> str:
        """The name of a subsystem in the file; it is written, after what it is made from."""
        if made not in self._keys:
            entry = self._entry(made)
            self._keys[made] = key = self._free(made)
            self.entries[key] = ({} if key == made.label else {"label": made.label}) | entry
        return self._keys[made]

    def _free(self, made: Made) -> str:
        """A name that no other one has; the whole is called by its label."""
        if made is self._whole:
            return made.label
        key, number = made.label, 1
        while key in self.entries or key == self._whole.label:
            number += 1
            key = f"{made.label}_{number}"
        return key

    def _entry(self, made: Made) -> dict[str, Any]:
        origin = made.origin
        if isinstance(origin, OfSystem):
            return self._from_system(made, origin)
        if isinstance(origin, OfParts):
            return self._coupled(made, origin)
        if isinstance(origin, OfCopy):
            entry = {"copy": self.key(origin.source), "names": dict(origin.names), "suffix": origin.suffix}
            return _present(entry | {"shared": list(origin.shared), "start": _plain(origin.start, made, "start")})
        raise refusal(made, "It was linearized, or changed after it was made.")

    def _from_system(self, made: Made, origin: OfSystem) -> dict[str, Any]:
        if not isinstance(origin.system, System):
            raise refusal(made, "It comes from a frozen model.", "Give the System to from_system, not system.freeze().")
        entry: dict[str, Any] = {"system": self._of_system(origin.system), "variables": _orders(origin.variables)}
        entry |= {"kinematics": _plain(origin.kinematics, made, "kinematics")}
        entry |= {"constraints": _plain(origin.constraints, made, "constraints")}
        return _present(entry | {"independent": _names(origin.independent)})

    def _coupled(self, made: Made, origin: OfParts) -> dict[str, Any]:
        if isinstance(origin.own.energy, PartialEnergy):
            raise refusal(made, "It comes from newton_euler or from mb.modular.library.")
        plain = {
            "kinematics": origin.own.kinematics, "dynamics": origin.own.dynamics, "constraints": origin.constraints,
            "parameters": _words(origin.parameters), "inputs": _words(origin.inputs), "energy": origin.own.energy,
            "quaternions": origin.own.quaternions, "start": origin.motion.start, "reference": origin.motion.reference,
            "identities": _pairs(origin.relations.identities), "redundant": origin.relations.redundant,
        }  # fmt: skip
        entry: dict[str, Any] = {"description": made.description, "subsystems": list(map(self.key, origin.parts))}
        entry |= {"variables": _orders(origin.variables), "independent": _names(origin.independent)}
        return _present(entry | {key: _plain(value, made, key) for key, value in plain.items()})


def refusal(made: Made, cause: str, remedy: str = "") -> ModelFileError:
    """The error for a subsystem that a file cannot hold."""
    return ModelFileError(
        f"The subsystem '{made.label}' cannot be written to a model file.",
        where=f"subsystem '{made.label}'",
        cause=cause,
        remedy=remedy
        or "Files have subsystems made by from_system, couple and subsystem, and renamed ones. Or export the "
        "equations: mb.export(coupled.equations(), mb.C(), folder).",
        code="value-not-writable",
        name=made.label,
    )


def _present(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if value not in (None, "", [], {})}


def _orders(variables: Mapping[int, Iterable[str]]) -> list[Any]:
    """Coordinates alone as one list, otherwise a list for each order from 0."""
    lists = [list(variables.get(order, ())) for order in range(max(variables, default=-1) + 1)]
    return lists[0] if len(lists) == 1 else lists if any(lists) else []


def _names(independent: Any) -> list[str] | None:
    return None if independent is None else [name for group in by_order(independent).values() for name in group]


def _words(names: Any) -> Any:
    """Names that were given as one text, as a list."""
    return split_names(names) if isinstance(names, str) else names


def _pairs(identities: Any) -> Any:
    return [list(pair) for pair in identities.items()] if isinstance(identities, Mapping) else identities


def _plain(value: Any, made: Made, what: str) -> Any:
    """Numbers, texts, and lists and dictionaries of these; expressions become texts."""
    value = without_sympy(value) if not hasattr(value, "__len__") else value
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Expr):
        return to_text(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item, made, what) for key, item in value.items()}
    if isinstance(value, Parameter | Input) or not hasattr(value, "__len__"):
        raise refusal(
            made, f"Its '{what}' has {value!r:.80}.", "Give numbers, texts such as 'm*l**2/12', or expressions."
        )
    return [_plain(item, made, what) for item in several(value)]


STATES = 4
TOLERANCE = 1e-9
"""Of values at random states, relative; for numbers that were rounded inside an expression."""


def difference(one: SubsystemContent, other: SubsystemContent) -> str:
    """The first level and property in which two subsystems differ; empty if they are the same.

    Names, values and all expressions are compared: by fingerprint, or by values at random states.
    """
    levels, others = one.levels(), other.levels()
    if len(levels) != len(others):
        return "the number of parts"
    for level, again in zip(levels, others, strict=True):
        for (what, value), (_, read) in zip(_properties(level), _properties(again), strict=True):
            if value != read:
                return f"{what} of '{level.label}'"
        if not _equal(list(level.expressions()), list(again.expressions())):
            return f"the equations of '{level.label}'"
    return ""


def _properties(level: SubsystemContent) -> Iterator[tuple[str, Any]]:
    """All that is not an expression, by what it is called in an error."""
    seen = level.appearance
    yield "the label", level.label
    yield "the description", level.description
    yield (
        "the variables",
        (
            [(variable.name, order) for variable, order in level.orders.items()],
            [variable.name for variable in level.top],
        ),
    )
    yield "the rates", [rate.name for rate in level.rates]
    yield "other names", sorted(level.aliases)
    yield "the rows", [row.name for row in level.rows]
    yield "the independent variables", [symbol.name for symbol in (*level.independent, *level.chosen)]
    yield (
        "the constraints",
        [(invariant.name, invariant.unit, invariant.owner) for invariant in (*level.invariants, *level.redundant)],
    )
    yield (
        "the parameters",
        [
            (
                parameter.name,
                parameter.unit,
                parameter.description,
                [value is None for value in parameter.default.values()],
            )
            for parameter in level.parameters
        ],
    )
    yield (
        "the inputs",
        [
            (
                quantity.name,
                quantity.unit,
                quantity.description,
                quantity.limits,
                quantity.slider,
                np.shape(quantity.symbols),
            )
            for quantity in level.inputs
        ],
    )
    yield (
        "the start",
        ({variable.name: value for variable, value in level.start.items()}, {guess.name for guess in level.guesses}),
    )
    yield "the reference", [variable.name for variable in level.reference]
    yield "the quaternions", [[variable.name for variable in group] for group in level.quaternions]
    yield "the energy", level.energy is None
    yield "the bodies", ([body.name for body in seen.bodies], [inertia.bodies for inertia in seen.inertias])
    yield "the drawings", [(drawing.name, drawing.body, type(drawing.shape), drawing.to) for drawing in seen.drawings]
    yield "the sensors", ([(name, s.unit, s.value.shape) for name, s in seen.sensors.items()], seen.reactions)
    yield "the joints", ([*seen.values], [(limit.joint, str(limit.coordinate), limit.limits) for limit in seen.limits])


def _equal(some: Sequence[Expr], others: Sequence[Expr]) -> bool:
    if len(some) != len(others):
        return False
    open_ = [pair for pair in zip(some, others, strict=True) if not same(*pair)]
    if not open_:
        return True
    rng = np.random.default_rng(0)
    pairs = [list(side) for side in zip(*open_, strict=True)]
    known: dict[Any, Any] = {
        symbol: rng.uniform(0.3, 1.2, STATES) for symbol in free_symbols([part for side in pairs for part in side])
    }
    with np.errstate(all="ignore"):
        a, b = ([np.broadcast_to(value, STATES) for value in evaluate(side, known)] for side in pairs)
    return bool(np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True))
