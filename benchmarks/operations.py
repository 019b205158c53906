"""Operation counts of generated code for classical arms, beside counts of straight-line programs.

Every link has all ten inertial parameters, as symbols; work on parameters alone is done once per parameter set and not
counted, nor are sines and cosines. The counts beside ours, ``REFERENCE``, are those of a program of straight-line code
for each arm: Newton-Euler recursion with the pseudo-inertia form of N = J·ω̇ + ω×J·ω, rotations in two stages, equal
operations shared, constants folded, signs normalized, dead code removed; M by composite bodies, then LDLᵀ. They are no
lower bounds: with the inertial parameters regrouped to a minimal set (Khalil and Dombre 2002, chapter 9), which changes
what the parameters mean and which we do not do, the PUMA 560 needs 528 operations for inverse and 903 for forward
dynamics (``REGROUPED``). Run with ``./dev bench operations``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from _lines import claim

from multibody.algebra import Rotation
from multibody.compiler import Function
from multibody.formalisms import Recursive, derive
from multibody.graph import pi
from multibody.model import System

QUARTER = pi / 2

# (multiplications, additions) of inverse dynamics, M, M and h, and (with divisions) forward dynamics
REFERENCE = {
    "general 6R": ((476, 396), (394, 347), (859, 726), (945, 797, 6)),
    "general 7R": ((575, 480), (543, 464), (1107, 926), (1233, 1031, 7)),
    "general 12R": ((1070, 900), (1618, 1259), (2677, 2136), (3173, 2566, 12)),
    "PUMA 560": ((333, 302), (173, 173), (490, 445), (576, 516, 6)),
    "Stanford arm": ((293, 267), (106, 114), (379, 349), (465, 419, 6)),
}

REGROUPED = {"PUMA 560": {"inverse": 528, "forward": 903}}
"""All operations with base parameters, where such a count is known."""


def arm(name: str, joints: Sequence[tuple[str, Any, Any, Any]]) -> System:
    """A serial arm in Craig's convention: link i turns by α about x, is a along x and d along z away, then moves."""
    system = System(name)
    g = system.parameter("g", 9.81)
    system.gravity = (0, 0, -g)
    inner = system.world
    for k, (kind, alpha, a, d) in enumerate(joints, 1):
        mass = system.parameter(f"m{k}", 1.0)
        com = system.parameter(f"c{k}", [0.1, 0.2, 0.3])
        tensor = system.parameter(f"I{k}", [1.0, 0.1, 2.0, 0.2, 0.3, 3.0])
        link = system.body(f"link{k}", mass, com, tensor, about="origin")
        twisted = inner.frame(f"twist{k}", (_length(system, a, f"a{k}"), 0, 0), _twist(system, alpha, k))
        system.joint(f"q{k}", twisted.frame(f"offset{k}", (0, 0, _length(system, d, f"d{k}"))), link, kind)
        inner = link
    return system


def _length(system: System, value: Any, name: str) -> Any:
    return system.parameter(name, 0.5) if value == "free" else value


def _twist(system: System, value: Any, k: int) -> Rotation | None:
    if value == 0:
        return None
    return Rotation.about_x(system.parameter(f"alpha{k}", 0.3) if value == "free" else value)


def arms() -> dict[str, System]:
    """The arms of the table; the first joint's offsets do not matter and are left out."""
    general = ("Rz", "free", "free", "free")
    first = ("Rz", 0, 0, 0)
    puma = [
        first, ("Rz", -QUARTER, 0, 0), ("Rz", 0, "free", "free"), ("Rz", -QUARTER, "free", "free"),
        ("Rz", QUARTER, 0, 0), ("Rz", -QUARTER, 0, 0),
    ]  # fmt: skip
    stanford = [
        first, ("Rz", -QUARTER, 0, "free"), ("Tz", QUARTER, 0, 0), ("Rz", 0, 0, 0), ("Rz", -QUARTER, 0, 0),
        ("Rz", QUARTER, 0, 0),
    ]  # fmt: skip
    chains = {f"general {n}R": [first, *[general] * (n - 1)] for n in (6, 7, 12)}
    return {name: arm("arm", joints) for name, joints in {**chains, "PUMA 560": puma, "Stanford arm": stanford}.items()}


def counts(function: Function, kinds: Sequence[str]) -> tuple[int, ...]:
    """Operations of the given kinds."""
    return tuple(function.operations.get(kind, 0) for kind in kinds)


def main() -> None:
    """Count, print a table, then the line of key figures."""
    print(f"{'':14} {'inverse dynamics':>22} {'M':>20} {'M and h':>22} {'forward dynamics':>28}")
    figures = {}
    for name, system in arms().items():
        eom = derive(system, Recursive())
        found = [
            counts(eom.inverse_dynamics, ("mul", "add")),
            counts(eom.mass_matrix, ("mul", "add")),
            counts(eom.function("both", {"M": eom.M, "h": eom.h}), ("mul", "add")),
            counts(eom.forward_dynamics, ("mul", "add", "div")),
        ]
        for title, rows in ((name, found), ("  reference", REFERENCE[name])):
            texts = ["+".join(map(str, row)) for row in rows]
            print(f"{title:14} {texts[0]:>22} {texts[1]:>20} {texts[2]:>22} {texts[3]:>28}")
        key = name.lower().replace(" ", "_").removeprefix("general_")
        for part, index in (("inverse", 0), ("forward", 3)):
            own, reference = sum(found[index]), sum(REFERENCE[name][index])
            figures[f"{key}_{part}"] = own / reference
            known = {"multibody": own, "reference program": reference}
            if name in REGROUPED:
                known["base parameters"] = REGROUPED[name][part]
            claim("operations", f"{name}, {part}", "operations", known)
    print("BAR " + " ".join(f"{key}={value:.4f}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
