"""Long functions in C and C++: split into pieces, and solved by loops, without a change of the results."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.codegen import C, Cpp, Program
from multibody.codegen.targets.c.mass_solve import _LOOPS
from multibody.library import n_link_chain

from .conftest import named_case
from .driving import Drive, run, tool, written
from .models import Case
from .test_c import C_DRIVER, CPP_DRIVER, driver

EXACT = ("-O0", "-ffp-contract=off")
"""Without fused operations, which a compiler may choose differently in each function."""


def chain(n: int) -> Case:
    """Links with a motor in every other joint."""
    system = n_link_chain(n, inertia=0.3)
    for joint in list(system.all(mb.Joint))[::2]:
        system.load(mb.JointLoad(joint, system.input(f"{joint.name}_motor")))
    return Case(f"chain of {n}", mb.derive(system))


def branches() -> Case:
    """A base that flies, with three legs of two joints each, named against the order of the tree."""
    system = mb.System("branches", gravity=(0, 0, -9.81))
    base = system.body("base", 5.0, (0, 0, 0.1), (1.0, 1.2, 0.8))
    system.joint("flight", system.world, base, mb.Free("xyz"))
    for leg in range(3):
        end = base.frame(f"hip{leg}", (0.3 * (-1) ** leg, 0.2 * (-1) ** (leg // 2), 0))
        for k, kind in enumerate(("Rx", "Ty" if leg == 2 else "Ry")):
            link = system.body(f"link{leg}{k}", 1.0, (0, 0.1, -0.2), (0.1, 0.1, 0.05))
            joint = system.joint(f"joint{1 - k}{leg}", end, link, kind, q=0.2)
            system.load(mb.JointLoad(joint, system.input(f"motor{leg}{k}")))
            end = link.frame(f"end{leg}{k}", (0, 0, -0.4))
    return Case("branches", mb.derive(system))


MODELS = {
    "chain": lambda: chain(10), "branches": branches, "loop": lambda: named_case("four_bar_multipliers"),
}  # fmt: skip


def results(case: Case, target: C | Cpp, folder: Path, options: tuple[str, ...] = EXACT) -> bytes:
    """What a compiled program makes of random states, as bytes."""
    folder.mkdir()
    written(case, target, folder)
    drive, name = Drive.of(case, jacobian=True), case.eom.model.name
    if isinstance(target, Cpp):
        (folder / "driver.cpp").write_text(driver(CPP_DRIVER, drive, "model.{routine}(in[0], q, u, r, {results});"))
        run(tool("g++"), "-std=c++11", *options, "driver.cpp", "-o", "driver", folder=folder)
    else:
        form = name + "_{routine}(in[0], q, u, r, &p, {results});"
        (folder / "driver.c").write_text(driver(C_DRIVER, drive, form))
        run(tool("gcc"), "-std=c99", *options, "driver.c", f"{name}.c", "-lm", "-o", "driver", folder=folder)
    return run(folder / "driver", folder=folder, stdin=drive.written())


@pytest.mark.parametrize("name", list(MODELS))
def test_split_and_whole_functions_give_the_same_bits(name: str, tmp_path: Path) -> None:
    case = MODELS[name]()
    whole = results(case, C(jacobians=True, limit=1_000_000), tmp_path / "whole")
    split = results(case, C(jacobians=True, limit=40), tmp_path / "split")
    in_cpp = results(case, Cpp(jacobians=True, limit=70), tmp_path / "cpp")
    assert "_state_rate_1(" not in (tmp_path / "whole" / f"{case.eom.model.name}.c").read_text()
    assert "_state_rate_2(" in (tmp_path / "split" / f"{case.eom.model.name}.c").read_text() or name == "loop"
    assert np.isfinite(np.frombuffer(whole)).all()
    assert whole == split == in_cpp
    Drive.of(case, jacobian=True).check(whole)  # derivatives of the graph, compiled by LLVM


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("M[i * n + j] -= low * M[j * n + k];", "M[i * n + j] -= low * M[i * n + k];"),
        ("for (i = n - 1; i > k; --i)", "for (i = k + 1; i < n; ++i)"),
        ("if (L[j * n + i] != 0.0)", "if (L[i * n + j] != 0.0)"),
    ],
)
def test_a_wrong_solve_is_noticed(right: str, wrong: str, tmp_path: Path) -> None:
    case = branches()
    files = C(jacobians=True).files(case.program)
    assert right in _LOOPS

    class Changed(C):
        def files(self, program: Program) -> dict[str, str]:
            return {name: text.replace(right, wrong) for name, text in files.items()}

    with pytest.raises(AssertionError, match="differs by"):
        Drive.of(case, jacobian=True).check(results(case, Changed(jacobians=True), tmp_path / "wrong"))


def test_derivatives_of_long_chains_grow_with_the_square_of_their_length() -> None:
    lines, longest = [], 0
    for n in (12, 24):
        text = C(jacobians=True).files(chain(n).program)["n_link_chain.c"]
        pieces = re.findall(r"^static void n_link_chain_unsolved_jacobian_\d+.*?^}", text, re.MULTILINE | re.DOTALL)
        lines.append(sum(piece.count("\n") for piece in pieces))
        longest = max(longest, *(piece.count("\n") for piece in pieces))
    assert lines[1] < 5 * lines[0]  # 8 times as many if solves were written out
    assert longest < 5 * C().limit  # loads and stores of the workspace included
