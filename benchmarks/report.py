"""Every benchmark in one go, each figure beside what is expected of it: writes ``benchmarks/report.md``.

Figures come from the line ``BAR key=value …`` that each benchmark ends with; ratios are times faster than the peer
in the key. ``./dev bench report`` runs all of them, ``./dev bench report graph loops`` some, and keeps the others.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
REPORT = HERE / "report.md"
KEPT = re.compile(r"<!-- (\{.*\}) -->")
PEERS = ("sympy", "casadi", "pin", "mujoco", "scipy", "pydy", "exudyn", "numpy", "llvmlite", "numba")


class Expected(NamedTuple):
    """What a figure should be: at least, or at most, a number."""

    what: str
    least: float = -math.inf
    most: float = math.inf

    def met(self, figure: float) -> bool:
        """Whether it is."""
        return self.least <= figure <= self.most

    def __str__(self) -> str:
        return f"≥ {self.least:g}" if self.least > -math.inf else f"≤ {self.most:g}" if self.most < math.inf else ""


FLOOR = "operations over those of the best published count"
EXPECTED: dict[str, dict[str, Expected]] = {
    "graph": {
        "derive_vs_sympy": Expected("building and differentiating a chain of 30 links, beside SymPy", 100),
        "derive_vs_casadi": Expected("the same beside CasADi's SX", 5),
        "eval_vs_lambdify": Expected("evaluating, beside SymPy's lambdify", 200),
        "eval_vs_casadi": Expected("evaluating, beside CasADi's virtual machine", 10),
        "batch_gain": Expected("a state in a batch, beside single calls in a compiled loop", 3),
    },
    "operations": {
        f"{robot}_{way}": Expected(f"{FLOOR}, {robot.replace('_', ' ')}, {way} dynamics", most=1.0)
        for robot in ("6r", "7r", "puma_560", "stanford_arm")
        for way in ("inverse", "forward")
    },
    "robots": {
        "panda_vs_pin": Expected("Panda, single states, beside Pinocchio's ABA in C++", 6),
        "ur5_vs_pin": Expected("UR5, single states, beside Pinocchio's ABA in C++", 6),
        "talos_vs_pin": Expected("Talos, single states, beside Pinocchio's ABA in C++", 4),
        "panda_batch_vs_pin": Expected("Panda, batches on one core", 15),
        "talos_batch_vs_pin": Expected("Talos, batches on one core", 15),
        "panda_ready_s": Expected("Panda, seconds from URDF to a callable function", most=1.0),
        "talos_ready_s": Expected("Talos, seconds from URDF to a callable function", most=3.0),
        "panda_cached_s": Expected("Panda, the same from the cache", most=0.1),
        "derive7_vs_sympy": Expected("derivation of a chain of 7 links, beside SymPy's Kane", 500),
    },
    "formalisms": {
        "kane_vs_sympy_n5": Expected("Kane's equations of five spatial links, beside SymPy", 100),
        "lagrange_vs_sympy_n5": Expected("Lagrange's equations of five spatial links, beside SymPy", 100),
        "pairs_proved": Expected("pairs of formalisms proved equal, of 315", 315),
    },
    "loops": {
        "bicycle_derive_vs_sympy": Expected("the bicycle, beside SymPy", 100),
        "nfourbar_growth": Expected("time for twice as many four-bars (2 is linear)", most=2.2),
    },
    "simulate": {
        "dp_vs_scipy": Expected("double pendulum, beside the best method of SciPy on our own compiled equations", 50),
        "dp_vs_pydy": Expected("double pendulum, beside PyDy with its fastest generator", 100),
        "fourbar_vs_exudyn": Expected("four-bars, beside Exudyn", 1),
        "batch_gain": Expected("1,000 double pendulums at once, beside one by one", 5),
    },
    "modular": {
        "reuse_gain_6": Expected("a platform on six legs: one derived and five renamed, beside six derived", 2),
    },
    "linearize": {
        "ops_n5": Expected("operations of the linearized pendulum of five links on a cart", most=2000),
        "vs_sympy_n5": Expected("the same, model to matrices, beside SymPy's linearizer", 50),
        "n50_s": Expected("fifty links, seconds from model to matrices", most=5.0),
    },
}

LIMITS = {
    "graph.derive_vs_casadi": "A new node of the graph takes 2 µs in CPython, and derivatives make most of them; "
    "CasADi differentiates in C++. Building alone is about 6 times faster than CasADi's.",
    "graph.batch_gain": "Memory: 1.25 kB go in and out for each state, and blocks are transposed in registers; with "
    "numbers of all states side by side, as the loops of `simulate` keep them, nothing is transposed.",
    "loops.bicycle_derive_vs_sympy": "3,500 new nodes at 2 µs, and building the system itself. SymPy is timed with its "
    "quickest solver, Cramer's rule; its default gave wrong numbers.",
    "loops.nfourbar_growth": "Deciding which equations are independent is a dense elimination, N³, from N = 40 on.",
    "simulate.batch_gain": "Registers hold four doubles here, and both cores had other work: 3 to 6 in seven "
    "measurements. Weighted sums of stages take as long as the equations of so small a system.",
    "simulate.dp_vs_scipy": "Half of the time is the right-hand side itself, which SciPy calls too; SciPy's best is "
    "LSODA, in compiled code, which needs fewer evaluations than its DOP853.",
    "simulate.dp_vs_pydy": "With Cython, PyDy's right-hand side is compiled and its solver is LSODA: evaluations alone "
    "take us 0.09 ms a run, and 100 times faster would be 0.11 ms. With its default generator PyDy takes 4 to 5 times "
    "longer.",
}
"""Why a figure falls short of what is expected, and what would be needed."""


def measured(name: str) -> dict[str, float]:
    """The figures of one benchmark."""
    print(f"--- {name}", flush=True)
    run = subprocess.run([sys.executable, str(HERE / f"{name}.py")], stdout=subprocess.PIPE, text=True, check=True)
    print(run.stdout, flush=True)
    line = next(one for one in reversed(run.stdout.splitlines()) if one.startswith("BAR "))
    return {key: float(value) for key, _, value in (pair.partition("=") for pair in line.split()[1:])}


def rows(name: str, figures: dict[str, float]) -> list[str]:
    """The table of one benchmark: what something is expected of first."""
    lines = ["| figure | measured | expected | |", "| --- | ---: | ---: | --- |"]
    known = EXPECTED.get(name, {})
    for key in [*known, *(key for key in figures if key not in known)]:
        expected, figure = known.get(key, Expected("")), figures.get(key, math.nan)
        verdict = expected.what if expected.met(figure) else f"**falls short**: {expected.what}"
        lines.append(f"| `{key}` | {figure:.4g} | {expected} | {verdict} |")
    return lines


def report(figures: dict[str, dict[str, float]]) -> str:
    """The page."""
    lines = ["# Figures", "", f"Made by `./dev bench report` on {machine()}.", ""]
    lines += ["Ratios say how many times faster we are than the peer, at equal accuracy where that matters. The best",
              "of several runs counts; on machines that others use as well, ratios vary by a fifth.", ""]  # fmt: skip
    short = []
    for name, found in figures.items():
        lines += [f"## {name}", "", *rows(name, found), ""]
        short += [
            f"{name}.{key}" for key, one in EXPECTED.get(name, {}).items() if not one.met(found.get(key, math.nan))
        ]
    lines += ["## What falls short, and why", ""]
    lines += [f"- `{key}`: {LIMITS.get(key, 'not explained yet.')}" for key in short] or ["Nothing."]
    return "\n".join([*lines, "", f"<!-- {json.dumps(figures)} -->", ""])


def machine() -> str:
    """Processor and versions."""
    cpu = (
        re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else None
    )
    name = cpu.group(1).strip() if cpu else platform.processor() or platform.machine()
    versions = ", ".join(f"{one} {_version(one)}" for one in PEERS)
    return f"{os.cpu_count()} cores of {name}, Python {platform.python_version()}, {versions}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(missing)"


def main(*names: str) -> None:
    """Measure what is asked for, keep what is known, and write the report."""
    kept = KEPT.search(REPORT.read_text(encoding="utf-8")) if REPORT.exists() else None
    known = json.loads(kept.group(1)) if kept else {}
    for name in names or EXPECTED:
        known[name] = measured(name)
        REPORT.write_text(report({one: known[one] for one in EXPECTED if one in known}), encoding="utf-8")
    figures = [(one, known[name].get(key, math.nan)) for name in known for key, one in EXPECTED.get(name, {}).items()]
    print(f"BAR figures={len(figures)} met={sum(one.met(figure) for one, figure in figures)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
