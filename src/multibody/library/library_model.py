"""A ready model with its name, what it is, and the numbers that it must reproduce."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from multibody.formalisms import Formalism, derive
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
