"""Programs in other languages that read states and write results, as plain doubles."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from multibody.codegen import Target
from multibody.codegen.writing import write

from .models import STATES, Case

ROUTINES = ("state_rate", "mass_matrix", "bias", "sensors", "multipliers", "jacobian")


def tool(name: str) -> str:
    """The path of a program; without it, the test is skipped."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def written(case: Case, target: Target, folder: Path) -> list[Path]:
    """The files of a target for a model, whose program is made only once."""
    return list(write(folder, target.files(case.program)).written)


def run(*command: str | Path, folder: Path, stdin: bytes | None = None) -> bytes:
    """What a program writes; its complaints are shown if it fails."""
    done = subprocess.run([*map(str, command)], cwd=folder, input=stdin, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-4000:]
    return done.stdout


@dataclass(frozen=True)
class Drive:
    """States in, results out.

    Attributes:
        case: the model.
        routines: those that are called.
    """

    case: Case
    routines: tuple[str, ...]

    @staticmethod
    def of(case: Case, *, jacobian: bool) -> Drive:
        """All routines that the model has."""
        names = [name for name in ROUTINES if case.program.has(name) and (jacobian or name != "jacobian")]
        return Drive(case, tuple(names))

    @property
    def sizes(self) -> dict[str, int]:
        """How many numbers each result has."""
        results = [result for name in self.routines for result in self.case.program.routine(name).results]
        return {result.name: result.size for result in results}

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """How many coordinates, speeds, inputs and parameters there are."""
        n, m, k, p = (len(group) for group in self.case.program.arguments.values())
        return n, m, k, p

    def written(self) -> bytes:
        """All states, one after the other: t, q, u, r, p."""
        return np.concatenate([np.concatenate([[t], *rest]) for t, *rest in self.case.states]).tobytes()

    def check(self, output: bytes) -> None:
        """The numbers are ours."""
        table = np.frombuffer(output).reshape(STATES, sum(self.sizes.values()))
        ends = np.cumsum([0, *self.sizes.values()])
        found = {name: table[:, a:b] for name, a, b in zip(self.sizes, ends, ends[1:], strict=False)}
        self.case.agrees(found)
        if "A" in found:
            self.case.agrees(found, 1e-11, {name: rows for name, rows in self.case.slopes.items() if name in found})
