"""Mutants: wrong signs, lost terms and exchanged frames in a copy of the tree, and which test notices each of them.

A copy of the last commit gets one mistake at a time, drawn by chance (``--seed``) from the formulas of each formalism,
joint, load, constraint, sensor and loop, of the algebra, of the derivatives and of the simulation. The tests that stand
nearest run first, then those of packages that import the file. A test that takes longer than a minute has noticed.
The table goes to ``benchmarks/mutants.md``. Run with ``./dev bench mutants``; the tests' own needs must be installed.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from signal import SIGTERM
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from _mutations import Mutant, sample

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 60
"""Seconds for one test."""

PACKAGE = "src/multibody/__init__.py"
"""Always collected first, or pytest would load a file that it is given a second time."""


class Group(NamedTuple):
    """Files under ``src/multibody`` with the number of mistakes in each, the nearest tests, and those of the rest."""

    files: dict[str, int]
    near: str
    rest: str


MODEL = "tests/model tests/testing tests/formalisms"
GROUPS = [
    Group({"formalisms/articulated_inertia.py": 2, "formalisms/auxiliary.py": 2, "formalisms/[nakl]*.py": 4},
         "tests/formalisms/test_agreement.py tests/formalisms/test_comparison.py tests/formalisms/test_kane_speeds.py",
         "tests/formalisms tests/testing tests/model"),
    Group({"formalisms/wittenburg/[hmr]*.py": 2}, "tests/formalisms/test_wittenburg.py", MODEL),
    Group({"mechanics/recursion.py": 3, "mechanics/composite_inertia.py": 2, "equations/kinetics.py": 3,
          "equations/solution.py": 2},
         "tests/formalisms/test_agreement.py tests/formalisms/test_comparison.py", "tests/formalisms tests/model"),
    Group({"model/joints/locks.py": 4, "model/joints/[ers]*.py": 2, "model/joints/[acfpu]*.py": 1},
         "tests/model/test_joints.py tests/model/test_locks.py", MODEL),
    Group({"model/loads/contract.py": 0, "model/loads/*.py": 2}, "tests/model/test_loads.py", MODEL),
    Group({"model/constraints/contract.py": 0, "model/constraints/[cgfr]*.py": 2, "model/constraints/[bdep]*.py": 1},
         "tests/model/test_points.py tests/model/test_gears.py tests/model/test_rolling.py"
         " tests/model/test_constraints.py", MODEL),
    Group({"model/loops/[jlmpw]*.py": 1, "model/loops/reduction.py": 1}, "tests/model/test_explicit_loops.py", MODEL),
    Group({"model/sensors/[mw]*.py": 2, "model/sensors/[djp]*.py": 1}, "tests/model/test_sensors.py", MODEL),
    Group({"model/kinematics.py": 2, "model/energy.py": 2, "model/speeds.py": 1,
          "mechanics/constraints/equations.py": 1, "mechanics/constraints/independence.py": 1},
         "tests/model/test_kinematics.py tests/model/test_energy.py tests/model/test_constraints.py", MODEL),
    Group({"algebra/[mi]*or.py": 2, "algebra/[miv]*3.py": 1, "algebra/inertia.py": 3, "algebra/[reqtds]*.py": 1},
         "tests/algebra", "tests/model tests/testing tests/formalisms"),
    Group({"formalisms/comparison.py": 4, "formalisms/quantities.py": 4, "graph/identity.py": 3, "graph/field.py": 2},
         "tests/formalisms/test_verdict.py tests/graph/test_collisions.py tests/graph/test_fingerprint.py",
         "tests/formalisms tests/graph"),
    Group({"graph/derivative.py": 7}, "tests/graph/test_derivative.py tests/graph/test_derivative_form.py",
         "tests/graph tests/algebra"),
    Group({"graph/linear_algebra.py": 5, "graph/functions.py": 1},
         "tests/graph/test_linear_algebra.py tests/graph/test_functions.py tests/graph/test_complement.py",
         "tests/graph tests/algebra tests/formalisms"),
    Group({"simulation/kernel/step_control.py": 2, "simulation/kernel/event_location.py": 2,
          "simulation/kernel/dense_output.py": 1,
          "simulation/integrators/stabilized_index_2.py": 1, "simulation/events/impacts.py": 1,
          "equations/projection.py": 2, "equations/power.py": 2},
         "tests/simulation/test_integrators.py tests/simulation/test_integrator_steps.py"
         " tests/simulation/test_constraint_strategies.py tests/simulation/test_events_located.py"
         " tests/simulation/test_work.py", "tests/simulation"),
]  # fmt: skip

EQUIVALENT = {
    "planar.py locks: [*translation_locks": "equations in another order, each with its own name and force",
    "derivative.py _reverse_cost: 0 → 1": "an estimate that decides between two sweeps with the same derivatives",
    "vec3.py cross: difference_of_products(self.y, b.z, self.z, b.y)": "a product with its factors exchanged",
}
"""Why the computed values stay the same, by file, function and beginning of the change."""


class Verdict(NamedTuple):
    """What the tests said to a mutant: the first that failed and its error, or nothing."""

    mutant: Mutant
    test: str
    error: str

    @property
    def answer(self) -> str:
        """Noticed, and by which test; equivalent, and why; or survived."""
        if self.test:
            return f"{self.test.removeprefix('tests/')} ({self.error})"
        name = f"{Path(self.mutant.path).name} {self.mutant.function}: {self.mutant.change}"
        return next((f"equivalent: {why}" for one, why in EQUIVALENT.items() if name.startswith(one)), "SURVIVED")

    @property
    def row(self) -> str:
        """A row of the table."""
        place = f"{self.mutant.path.removeprefix('src/multibody/')}:{self.mutant.line} {self.mutant.function}"
        return " | ".join(one.replace("|", "\\|") for one in (place, f"`{self.mutant.change}`", self.answer))


class Copy:
    """The last commit in a folder of its own, with a cache of machine code that all its tests share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "tree"
        commit = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(commit)) as archive:
            archive.extractall(self.folder, filter="data")
        (folder / "cache").mkdir(mode=0o700)
        conftest = self.folder / "conftest.py"
        conftest.write_text(conftest.read_text().replace("str(folder)", repr(str(folder / "cache"))))

    def mutants(self, group: Group, seed: int) -> Iterator[Mutant]:
        """Those of a group; the first pattern that fits a file counts."""
        home = self.folder / "src" / "multibody"
        for path in sorted(home.rglob("*.py")):
            counts = [count for files, count in group.files.items() if fnmatch(str(path.relative_to(home)), files)]
            if counts:
                yield from sample(str(path.relative_to(self.folder)), path.read_bytes(), counts[0], seed)

    def verdict(self, mutant: Mutant, group: Group) -> Verdict:
        """What the nearest tests, then the others, say to the tree with a mistake in it."""
        source = self.folder / mutant.path
        original = source.read_bytes()
        _write(source, mutant.applied(original))
        try:
            found = self.failure([mutant.path, *group.near.split()]) or self.failure(group.rest.split())
        finally:
            _write(source, original)
        return Verdict(mutant, *(found or ("", "")))

    def failure(self, tests: list[str]) -> tuple[str, str] | None:
        """The first test that fails, and its error; nothing if all pass."""
        limits = [f"-ofaulthandler_timeout={PATIENCE}", "-ofaulthandler_exit_on_timeout=true"]
        argv = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *limits, PACKAGE, *tests]
        own = {**os.environ, "PYTHONPATH": str(self.folder / "src"), "COLUMNS": "500"}
        done = subprocess.run(argv, cwd=self.folder, env=own, capture_output=True, text=True, check=False)
        assert done.returncode not in (4, 5), f"no such tests: {tests}"
        if done.returncode == -SIGTERM:  # ended from outside, which says nothing
            return self.failure(tests)
        if done.returncode == 0:
            return None
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - (\w*).*)?$", done.stdout, re.MULTILINE)
        return (failed[1], failed[2] or "wrong") if failed else (tests[0], "no end, or no Python any more")


def _write(source: Path, text: bytes) -> None:
    """Write a module, and forget its byte code, which Python knows by size and second alone."""
    source.write_bytes(text)
    for old in source.parent.glob(f"__pycache__/{source.stem}.*"):
        old.unlink()


def main() -> None:
    """Try all mutants, print a row for each, write the table, then print the line of key figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="*", nargs="+", help="files under src/multibody, such as 'model/joints/*'")
    options = parser.parse_args()
    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        for group in GROUPS:
            for mutant in copy.mutants(group, options.seed):
                if any(fnmatch(mutant.path.removeprefix("src/multibody/"), one) for one in options.only):
                    verdicts.append(copy.verdict(mutant, group))
                    print(verdicts[-1].row, flush=True)
        guilty = sorted({verdict.test.partition("[")[0] for verdict in verdicts if verdict.test})
        assert copy.failure(guilty) is None, "a test fails without any mistake"
    print(figures(verdicts))
    if options.only == "*":
        (ROOT / "benchmarks" / "mutants.md").write_text(table(verdicts, options.seed), encoding="utf-8")


def figures(verdicts: list[Verdict]) -> str:
    """The line of key figures."""
    answers = [verdict.answer.partition(":")[0] for verdict in verdicts if not verdict.test]
    equivalent, survived = answers.count("equivalent"), answers.count("SURVIVED")
    noticed = len(verdicts) - equivalent - survived
    return f"BAR mutants={len(verdicts)} noticed={noticed} equivalent={equivalent} survived={survived}"


def table(verdicts: list[Verdict], seed: int) -> str:
    """The page of the table; those that no test noticed come first."""
    rows = sorted(verdicts, key=lambda verdict: bool(verdict.test))
    return "\n".join([
        f"# Mutants\n\nMade by `./dev bench mutants --seed {seed}`: one mistake at a time in a copy of the tree.\n",
        figures(verdicts).removeprefix("BAR ").replace(" ", ", "),
        "\nplace | mistake | noticed by\n--- | --- | ---",
        *(verdict.row for verdict in rows), "",
    ])  # fmt: skip


if __name__ == "__main__":
    main()
