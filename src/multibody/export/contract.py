"""The contract of all targets: a frozen configuration that turns a program into files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from multibody.export.code import Code
from multibody.export.options import check_options
from multibody.export.program import Program
from multibody.export.routines import UNSOLVED_JACOBIAN
from multibody.export.syntax import Syntax

Names = Literal["readable", "short"]
"""Whether intermediates have names that mean something, or the shortest ones."""


def routine_names(*, jacobians: bool, closure: bool = False, loops: bool = False) -> list[str]:
    """The routines that most targets write; those without results for a model are left out by ``Program.code``.

    Args:
        jacobians: whether derivatives by states and inputs are among them.
        closure: whether the code finds start values by itself.
        loops: whether the language solves with the mass matrix by loops.
    """
    names = "state_rate mass_matrix bias sensors multipliers residuals projection assembly energy".split()
    names += ["closure"] if closure else []
    return [*names, UNSOLVED_JACOBIAN if loops else "jacobian", "sensor_jacobian"] if jacobians else names


class Target(ABC):
    """A language or a tool that equations of motion are written for.

    A target is a small frozen configuration, a ``Syntax`` and the templates of its files; see "Add a target" in the
    documentation. It keeps no state between calls, and the same program gives the same text.
    """

    @abstractmethod
    def files(self, program: Program) -> Mapping[str, str]:
        """The text of each file, by its path below the folder that the user names."""

    def superseded(self) -> Iterable[str]:
        """Paths that the same target writes with other options: what is left there of an earlier export is removed."""
        return ()


@dataclass(frozen=True)
class SourceTarget(Target):
    """A language in which every routine is a function.

    Args:
        jacobians: whether derivatives by states and inputs are written, too.
        names: ``"readable"`` intermediates, or ``"short"`` ones.
        limit: how many statements a function may have; compilers need more than twice the time for twice the length.
    """

    jacobians: bool = False
    names: Names = "readable"
    limit: int = 500

    def __post_init__(self) -> None:
        check_options(self, "jacobians", "names", "limit")

    def code(
        self, program: Program, syntax: Syntax, taken: Iterable[str] = (), *, closure: bool = False, loops: bool = False
    ) -> Code:  # fmt: skip
        """All routines in the language; see ``routine_names``."""
        wanted = routine_names(jacobians=self.jacobians, closure=closure, loops=loops)
        return program.code(wanted, syntax, taken=taken, names=self.names, limit=self.limit)
