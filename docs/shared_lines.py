"""Lines of code that all formalisms share: what a proof of their agreement does not test.

Two models are derived by every formalism, a tree with a spring and a force, and a closed loop. The lines of the package
that run are recorded, and sorted by the part of the program that they belong to. ``docs/formalisms.md`` quotes the
result; run ``python docs/shared_lines.py`` to get it anew.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import multibody as mb

PACKAGE = Path(mb.__file__).resolve().parent
PARTS = {
    "description and checks": ("model/", "mechanics/validation", "support/", "errors.py", "algebra/direction.py"),
    "joints, loads and loops": ("model/joints", "model/loads", "model/loops", "model/constraints", "model/sensors"),
    "kinematics and constraint equations": ("model/kinematics", "model/energy", "mechanics/", "equations/"),
    "vectors, rotations, motors, inertias": ("algebra/",),
    "expressions and linear algebra": ("graph/",),
    "formalisms": ("formalisms/",),
}
"""Parts of the program by the beginnings of their paths; the longest one that fits counts."""

Lines = set[tuple[str, int]]
FORMALISMS = (
    mb.Recursive(), mb.ArticulatedBody(), mb.NewtonEuler(), mb.Kane(), mb.Lagrange(), mb.Wittenburg(), mb.Modular(),
)  # fmt: skip


def tree() -> mb.System:
    """Three bodies in a row, with a spring and a force."""
    system = mb.System("tree", gravity=(0, 0, -9.81))
    first, second, third = (system.body(name, 2.0, (0, 0, -0.5), (0.1, 0.2, 0.3)) for name in ("a", "b", "c"))
    system.joint("slide", system.world, first, "Tx")
    swing = system.joint("swing", first, second, "Ry")
    system.joint("ball", second.frame("end", (0, 0, -1)), third, mb.Spherical())
    system.load(mb.JointSpring(swing, 30.0))
    system.load(mb.PointToPointForce(system.world, third, system.input("F")))
    return system


def loop() -> mb.System:
    """A closed loop of four hinges, which is closed by constraints."""
    system = mb.System("loop", gravity=(0, 0, -9.81))
    crank, bar, rod = (system.body(name, 1.0, (0.5, 0, 0), (0.1, 0.1, 0.1)) for name in ("crank", "bar", "rod"))
    system.joint("a", system.world, crank, "Ry", q=-1.0)
    system.joint("b", crank.frame("pin", (1, 0, 0)), bar, "Ry", q=0.9)
    system.joint("d", system.world.frame("base", (2, 0, 0)), rod, "Ry", q=-1.4)
    system.joint("c", bar.frame("end", (2, 0, 0)), rod.frame("tail", (1.2, 0, 0)), "Ry")
    return system


def recorded(run: Callable[[], Any]) -> Lines:
    """The lines of the package that run, as paths in it and line numbers."""
    lines: Lines = set()
    root = f"{PACKAGE}/"

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        path = frame.f_code.co_filename
        if not path.startswith(root):
            return None
        if event == "line":
            lines.add((path[len(root) :], frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines


def derivations() -> dict[str, Lines]:
    """The lines of each formalism, from a frozen model to accelerations and constraint forces."""
    result = {}
    for formalism in FORMALISMS:

        def run(models: list[mb.Model], formalism: mb.Formalism = formalism) -> None:
            for model, handling in zip(models, (None, mb.Multipliers()), strict=True):
                mb.derive(model, formalism, constraints=handling)

        run(models())  # what is imported, or remembered for good, does not count
        fresh = models()
        result[repr(formalism)] = recorded(lambda run=run, fresh=fresh: run(fresh))
    return result


def models() -> list[mb.Model]:
    """The tree and the loop, with nothing derived from them yet."""
    return [tree().freeze(), loop().freeze()]


def part_of(path: str) -> str:
    """The part of the program that a file belongs to."""
    fits = {start: part for part, starts in PARTS.items() for start in starts if path.startswith(start)}
    return fits[max(fits, key=len)] if fits else "other"


def shared(found: dict[str, Lines]) -> Lines:
    """The lines that all of them run."""
    return set.intersection(*found.values())


def table(found: dict[str, Lines]) -> str:
    """What is shared, and by which parts; then the share of each formalism's derivation."""
    common = shared(found)
    rows = [f"{len(common)} lines run in all {len(found)} derivations:"]
    counts = {part: sum(part_of(path) == part for path, _ in common) for part in (*PARTS, "other")}
    rows += [f"  {count:5d}  {part}" for part, count in sorted(counts.items(), key=lambda item: -item[1]) if count]
    rows += [f"{name:18} {len(lines):5d} lines, {len(common) / len(lines):.0%} shared" for name, lines in found.items()]
    mean = sum(len(common) / len(lines) for lines in found.values()) / len(found)
    whole = len(common) / len(set.union(*found.values()))
    rows.append(f"{mean:.0%} of the lines of a derivation, in the mean, and {whole:.0%} of the lines of any")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.stdout.write(f"{table(derivations())}\n")
