"""Parameters from a table: symbols, values, units and meanings as a publication lists them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multibody.errors import UnknownNameError
from multibody.graph.names import require_known_names
from multibody.model import System

Row = tuple[float, str, str]
"""Value, unit, meaning."""


def tabled_parameters(system: System, table: Mapping[str, Row], given: Mapping[str, float]) -> dict[str, Any]:
    """The symbols of all parameters of a table, by name.

    Args:
        system: that gets the parameters.
        table: value, unit and meaning of each.
        given: other values by name.

    Raises:
        UnknownNameError: for a value that the table has no parameter for.
    """
    require_known_names(given, table, "parameter", where=f"system '{system.name}'", error=UnknownNameError)
    return {
        name: system.parameter(name, given.get(name, value), unit=unit, description=meaning)
        for name, (value, unit, meaning) in table.items()
    }
