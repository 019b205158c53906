"""The S-function, compiled by gcc against a small stand-in for Simulink, which checks what may be called when.

The stand-in, ``simulink/simstruc.h``, is written for these tests from the documented interface; Simulink is not needed.
"""

from __future__ import annotations

import re
import subprocess
from functools import cached_property
from pathlib import Path

import numpy as np

from multibody.codegen import SFunction, export
from multibody.codegen.targets.matlab.language import stem

from .driving import run, tool
from .models import STATES, Case, four_bar_multipliers, still
from .test_matlab import wicked

STAND_IN = Path(__file__).with_name("simulink")
STRICT = ["-std=c99", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic"]
SHIFT = 0.01
"""Of start values that are given to the block, against the defaults."""

SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def called(case: Case, folder: Path) -> tuple[np.ndarray, np.ndarray, str]:
    """Two start states, by default and given; the numbers at all states; and what the block says of itself."""
    gcc = tool("gcc")
    export(case.eom, SFunction(limit=500), folder)
    own = folder / f"{stem(case.eom.model.name)}_sfun.c"
    (model,) = (path for path in folder.glob("*.c") if path != own)
    large = case.name == "tree"  # which takes long with sanitizers; the C target is tested with them
    run(gcc, *STRICT, *([] if large else SANITIZERS), "-c", model, "-o", "model.o", folder=folder)
    include = [f"-I{STAND_IN}", "-DMATLAB_MEX_FILE"]
    run(gcc, *STRICT, *SANITIZERS, *include, own, "model.o", "-lm", "-o", "block", folder=folder)
    given = b"".join(np.concatenate([[t], *rest]).tobytes() for t, *rest in case.states)
    command = [str(folder / "block"), str(len(case.program.parameters)), str(SHIFT)]
    done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    numbers = np.frombuffer(done.stdout)
    states = len(case.program.states)
    start, rest = np.split(numbers, [2 * states])
    return start.reshape(2, states), rest.reshape(STATES, -1), done.stderr.decode()


def test_numbers(case: Case, tmp_path: Path) -> None:
    start, table, said = called(case, tmp_path)
    program = case.program
    n, k, outputs = len(program.coordinates), len(program.inputs), len(program.outputs)
    states = n + len(program.speeds)

    values = np.array([one.value for one in program.states])
    np.testing.assert_allclose(start[0], values, atol=1e-12)
    if program.has("projection"):
        p = [one.value for one in program.parameters]
        assert 0 < np.abs(start[1] - values).max() < 10 * SHIFT
        if len(case.eom.constraints):
            assert largest(case.eom.constraint_residuals(0.0, start[1][:n], start[1][n:], np.zeros(k), p)) < 1e-9
        for quaternion in case.eom.model.quaternions:
            np.testing.assert_allclose(np.linalg.norm(start[1][quaternion]), 1, atol=1e-14)
    else:
        np.testing.assert_allclose(start[1], values + SHIFT, atol=1e-12)
    found = {"q_dot": table[:, :n], "u_dot": table[:, n:states], "outputs": table[:, states : states + outputs]}
    case.agrees(found, expected={name: case.expected[name] for name in found if name in case.expected})
    given = np.array([np.concatenate([q, u]) for _, q, u, _, _ in case.states])
    np.testing.assert_array_equal(table[:, states + outputs : 2 * states + outputs], given)

    ports = [outputs, states] if outputs else [states, 0]
    widths = re.search(r"states=(\d+) inputs=(\d+) feedthrough=(\d) outputs=(\d+) (\d+)", said)
    assert widths
    assert [int(x) for x in widths.groups()] == [states, k, int(sees_inputs(case)), *ports]
    assert said.count("error: The first parameter must be empty, or a vector of") == 2
    assert said.count("error: The second parameter must be empty, or a vector of") == 1


def sees_inputs(case: Case) -> bool:
    """Whether any output changes with the inputs, found by changing them."""
    if not case.eom.outputs or not case.eom.inputs:
        return False
    t, q, u, r, p = case.states[0]
    here, there = (np.concatenate([np.ravel(x) for x in case.eom.sensors(t, q, u, s, p)]) for s in (r, r + 1.0))
    return not np.array_equal(here, there)


class Beside(Case):
    """States beside the constraints."""

    @cached_property
    def states(self) -> list[tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """By a thousandth."""
        rng = np.random.default_rng(1)
        start = self.eom.consistent()
        p = np.array([one.value for one in self.program.parameters])
        q, u, r = (np.asarray(x) for x in (start.q, start.u, [0.0] * len(self.program.inputs)))
        noise = 1e-3 * rng.uniform(-1, 1, size=(STATES, len(q) + len(u)))
        return [(0.5, q + one[: len(q)], u + one[len(q) :], r, p) for one in noise]


def test_projection(tmp_path: Path) -> None:
    """States beside the constraints come closer, as Newton's method promises: a thousandth becomes a millionth."""
    case = Beside("beside", four_bar_multipliers())
    _, table, _ = called(case, tmp_path)
    n, m = len(case.program.coordinates), len(case.program.speeds)
    for (t, q, u, r, p), row in zip(case.states, table[:, -n - m :], strict=True):
        before, after = (largest(case.eom.constraint_residuals(t, *x, r, p)) for x in ((q, u), (row[:n], row[n:])))
        assert after < 3e-2 * before < 1e-3


def largest(residuals: object) -> float:
    return max(float(np.abs(x).max()) for x in residuals)


def test_names_and_texts_do_no_harm(tmp_path: Path) -> None:
    """Keywords, letters beyond ASCII, a name that is too long, and texts that would end a comment."""
    case = Case("wicked", wicked())
    _, table, _ = called(case, tmp_path)
    q, u = len(case.program.coordinates), len(case.program.states)
    case.agrees({"q_dot": table[:, :q], "u_dot": table[:, q:u], **case.expected})
    own = next(path.stem for path in tmp_path.glob("*_sfun.c"))
    assert len(own) <= 63
    assert f"function {own}_make()" in (tmp_path / f"{own}_make.m").read_text()
    assert len(f"{own}_make") <= 63


def test_a_block_without_states(tmp_path: Path) -> None:
    """A given motion alone: no derivatives, and no port for the state."""
    case = Case("still", still())
    start, table, said = called(case, tmp_path)
    assert start.size == 0
    case.agrees({"outputs": table}, expected={"outputs": case.expected["outputs"]})
    assert "states=0 inputs=0 feedthrough=0 outputs=1 0" in said
