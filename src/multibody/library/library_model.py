"""A library model: its name, its description, and the numbers that it must reproduce.

The colors, options and parameter tables that models share are here, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from multibody.errors import UnknownNameError
from multibody.formalisms import Formalism, derive
from multibody.graph.names import require_known_names, suggestion
from multibody.library.check import Check, CheckResult
from multibody.model import System
from multibody.support.text_tables import html_table


@dataclass(frozen=True)
class LibraryModel:
    """A ready model.

    Attributes:
        name: by which it is found.
        title: what people call it.
        description: a sentence or two on what it is and how it starts.
        source: where it comes from.
        build: the function that builds it, with its options.
        checks: numbers that it must reproduce, with the options left as they are.

    Example:
        >>> from multibody import library
        >>> model = library.find("pendulum")
        >>> model.title, model.build(length=2.0).name
        ('Simple pendulum', 'pendulum')
        >>> all(one.ok for one in model.check())
        True
    """

    name: str
    title: str
    description: str
    source: str
    build: Callable[..., System] = field(repr=False)
    checks: tuple[Check, ...] = field(repr=False)

    def _repr_html_(self) -> str:
        facts = [["what", self.title], ["about", self.description], ["source", self.source]]
        numbers = [
            ["number", f"{check.what}: {check.reference:.9g} {check.unit}, {check.source}"] for check in self.checks
        ]
        return html_table([["", f"library.{self.name}()"], *facts, *numbers])

    def check(self, system: System | None = None, formalism: Formalism | None = None) -> tuple[CheckResult, ...]:
        """Compute every number, and compare it.

        Args:
            system: one that ``build`` made; by default with the options as they are, which the numbers belong to.
            formalism: by which the equations are derived; ``Recursive()`` by default.
        """
        eom = derive(self.build() if system is None else system, formalism)
        return tuple(check.run(eom) for check in self.checks)


BLUE = (0.27, 0.51, 0.71, 1.0)
ORANGE = (1.0, 0.6, 0.1, 1.0)
GREY = (0.5, 0.5, 0.5, 1.0)
PALE = (0.85, 0.85, 0.85, 1.0)
WHITE = (1.0, 1.0, 1.0, 1.0)
BLACK = (0.0, 0.0, 0.0, 1.0)


def one_of(choices: Iterable[str], given: str, option: str, model: str) -> str:
    """The given word, if it is one of the choices.

    Raises:
        UnknownNameError: if not; it says what may be meant.

    Example:
        >>> one_of(["hinges", "equations"], "hinge", "closed_by", "andrews")
        Traceback (most recent call last):
            ...
        multibody.errors.UnknownNameError: closed_by cannot be 'hinge'. [name-unknown]
          where: andrews
          cause: Did you mean 'hinges'?
          fix: Choose one of hinges, equations.
    """
    known = list(choices)
    if given not in known:
        raise UnknownNameError(
            f"{option} cannot be {given!r:.80}.",
            where=model,
            cause=suggestion([given], known),
            remedy=f"Choose one of {', '.join(known)}.",
        )
    return given


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
