"""Short texts that tell whether two results belong to the same question, also in another process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.equations import EquationsOfMotion
from multibody.simulation.results.model_identity import DEFAULT, START, equation_parts, object_digest

digest = object_digest


def equations_digest(eom: EquationsOfMotion) -> str:
    """A digest of the model and the equations, without start values and defaults of parameters."""
    return digest({name: part for name, part in equation_parts(eom).items() if not name.startswith((DEFAULT, START))})


def different(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The names whose values are not the same in two mappings, or that only one of them has."""
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]
