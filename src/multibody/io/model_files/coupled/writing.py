"""From a subsystem to the section ``subsystems`` of a model file: what it was made from, with arguments as texts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from multibody.errors import ModelFileError
from multibody.graph import Expr, to_text
from multibody.io.model_files.vocabulary import VERSION
from multibody.model import Input, Parameter, System
from multibody.subsystems import Subsystem
from multibody.subsystems.arguments.naming import by_order
from multibody.subsystems.arguments.origin import Made, OfCopy, OfParts, OfSystem
from multibody.subsystems.arguments.vocabulary import several, without_sympy
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


def _words(given: Any) -> Any:
    """Names that were given as one text, as a list."""
    return given.replace(",", " ").split() if isinstance(given, str) else given


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
        return {str(key): _plain(one, made, what) for key, one in value.items()}
    if isinstance(value, Parameter | Input) or not hasattr(value, "__len__"):
        raise refusal(
            made, f"Its '{what}' has {value!r:.80}.", "Give numbers, texts such as 'm*l**2/12', or expressions."
        )
    return [_plain(one, made, what) for one in several(value)]
