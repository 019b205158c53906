"""Results of a check of a system: findings, printed for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from multibody.errors import LABELS, ModelError, MultibodyError
from multibody.support.text_tables import counted, html_table, html_text

Severity = Literal["error", "warning"]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, or looks as if it were.

    Attributes:
        severity: ``"error"`` if the equations cannot be right, ``"warning"`` if they may not be what was meant.
        what: the plain statement.
        where: the thing it is about, by the user's own name.
        cause: the likely reason.
        remedy: what to do now.
        code: stable identifier, as of errors.
    """

    severity: Severity
    what: str
    where: str = ""
    cause: str = ""
    remedy: str = ""
    code: str = ""

    @classmethod
    def of(cls, error: MultibodyError, where: str = "") -> Finding:
        """An error that was raised, as a finding."""
        place = f"{where}: {error.where}" if where and error.where else where or error.where
        return cls("error", error.what, place, error.cause, error.remedy, error.code)

    def error(self, kind: type[MultibodyError] = MultibodyError) -> MultibodyError:
        """The same as an error to raise."""
        return kind(self.what, code=self.code, where=self.where, cause=self.cause, remedy=self.remedy)

    def __str__(self) -> str:
        return f"{self.severity}: {self.error()}"


def require_no_error(findings: Sequence[Finding]) -> None:
    """An error for the first finding that is one.

    Raises:
        ModelError: with its code and its text.
    """
    for finding in findings:
        if finding.severity == "error":
            raise finding.error(ModelError)


@dataclass(frozen=True)
class Report:
    """The result of ``system.check()``.

    Attributes:
        system: its name.
        bodies: how many there are, without the world.
        joints: how many there are.
        loops: how many joints close kinematic loops; None if that cannot be said.
        degrees_of_freedom: how many speeds can be chosen freely, for almost all positions; None if that cannot be said.
        findings: errors first.
        given: how many movements are prescribed.
    """

    system: str
    bodies: int
    joints: int
    loops: int | None
    degrees_of_freedom: int | None
    findings: tuple[Finding, ...]
    given: int = 0

    @property
    def errors(self) -> tuple[Finding, ...]:
        """What must be put right."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """What may be put right."""
        return tuple(finding for finding in self.findings if finding.severity == "warning")

    @property
    def ok(self) -> bool:
        """Whether there are no errors."""
        return not self.errors

    def raise_if_bad(self) -> None:
        """Raise what was found, if there is an error."""
        if self.errors:
            raise ModelError(
                f"{counted(len(self.errors), 'error')} in the model.",
                code="model-invalid",
                codes=tuple(finding.code for finding in self.errors),
                where=f"system '{self.system}'",
                cause="\n".join(str(finding) for finding in self.errors),
                remedy="Put each of these right; print(system.check()) shows them with all warnings.",
            )

    def _repr_html_(self) -> str:
        head, *_ = str(self).splitlines()
        if not self.findings:
            return html_text(str(self))
        rows = [
            [finding.severity, finding.what, finding.where, finding.cause, finding.remedy] for finding in self.findings
        ]
        return html_table([["", "what", *LABELS.values()], *rows], head)

    def __str__(self) -> str:
        freedom = self.degrees_of_freedom
        counts = [
            counted(self.bodies, "body", "bodies"),
            counted(self.joints, "joint"),
            "" if self.loops is None else counted(self.loops, "loop"),
            "" if freedom is None else counted(freedom, "degree of freedom", "degrees of freedom"),
        ]
        if freedom == 0 and self.given:
            counts[-1] += f" beside {counted(self.given, 'given motion')}"
        elif self.loops and freedom == 0:
            counts[-1] += " in general (some loops move all the same: see analyse)"
        head = f"system '{self.system}': {', '.join(filter(None, counts))}"
        return "\n".join([head, *map(str, self.findings)] if self.findings else [head, "No problems found."])
