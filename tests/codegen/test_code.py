"""Straight-line code: only what is needed, each value once, one text for one model, names that never clash."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.codegen import (
    C,
    Casadi,
    Cpp,
    JavaScript,
    Jax,
    Julia,
    Program,
    Python,
    Routine,
    Rust,
    Syntax,
)
from multibody.codegen.code import Code
from multibody.codegen.live import casadi, jax
from multibody.codegen.statements import LARGE
from multibody.codegen.syntax import ARITHMETIC, FUNCTIONS, one_line, quoted
from multibody.codegen.targets import javascript, julia, rust
from multibody.codegen.targets.c import c, cpp
from multibody.codegen.targets.python import python
from multibody.graph import cos, evaluate, sin, symbols
from multibody.graph.functions import FLOAT_FUNCTIONS
from multibody.graph.text.languages import language

from .conftest import named_case
from .models import crane_crab

SYNTAXES = [module.SYNTAX for module in (c, casadi, cpp, javascript, jax, julia, python, rust)]
TARGETS = [C(), Casadi(), Cpp(), JavaScript(), Jax(), Julia(), Python(), Rust()]


def statements(code: Code) -> list[str]:
    """All lines in Python."""
    return [line for body in code.bodies for part in body.parts for line in python.SYNTAX.lines(part)]


def pendulum() -> Program:
    system = mb.System("pendulum")
    m, l, g, _ = system.parameters(m=2.0, l=1.5, g=9.81, unused=1.0)
    system.gravity = (0, 0, -g)
    system.joint("angle", system.world, system.body("bob", m, (0, 0, -l), (0, m * l**2, 0)), "Ry")
    system.sensor("height", mb.Expression(-l * cos(system["angle"].coordinate)))
    return Program.of(mb.derive(system))


# every operation -------------------------------------------------------------------------------------------------


def test_every_operation_of_the_graph_is_known() -> None:
    conditions = {"where", "lt", "le", "eq", "and", "or", "not", "table"}
    assert FLOAT_FUNCTIONS.keys() | conditions == FUNCTIONS
    assert not FUNCTIONS & ARITHMETIC


@pytest.mark.parametrize("syntax", SYNTAXES, ids=lambda syntax: syntax.language)
def test_every_language_writes_every_operation(syntax: Syntax) -> None:
    """The model that needs all of them is written without an error; other tests run what is written."""
    program = named_case("every_operation").program
    code = program.code(["sensors"], syntax)
    assert syntax.helpers.keys() <= FUNCTIONS
    assert len(code.tables) == 2


def test_a_syntax_without_an_operation_is_refused() -> None:
    words = {op: op for op in FUNCTIONS if op != "atan2"}
    with refused("syntax-incomplete"):
        Syntax("c", words, {})


# what is computed --------------------------------------------------------------------------------------------------


def test_only_what_the_results_need_is_written() -> None:
    code = pendulum().code(["sensors"], python.SYNTAX)
    assert statements(code) == ["angle = q[0]", "l = p[1]", "cos_angle = np.cos(angle)", "outputs[0] = -cos_angle*l"]
    assert code.constants == ()


def test_what_follows_from_parameters_is_computed_apart() -> None:
    program = pendulum()
    apart, together = (program.code(["state_rate"], python.SYNTAX, apart=flag) for flag in (True, False))
    lines = statements(apart)
    assert not [line for line in lines if re.search(r"\bm\b", line)]
    assert [line for line in statements(together) if re.search(r"\bm\b", line)]
    assert apart.constants == ("l_m", "c1")
    assert together.constants == ()


def test_shared_values_are_computed_once() -> None:
    program = named_case("panda").program
    lines = statements(program.code(["state_rate"], python.SYNTAX))
    values = [line.partition(" = ")[2] for line in lines]
    assert len(set(values)) == len(values)
    trigonometry = [value for value in values if value.startswith(("np.sin", "np.cos"))]
    assert len(trigonometry) == 12  # seven hinges, the first of which stands upright and does not count


def test_expressions_stay_short(case: object) -> None:
    code = case.program.code(["state_rate"], python.SYNTAX)  # type: ignore[attr-defined]
    for line in statements(code):
        assert len(re.findall(r" [+-] |[*/]", line)) <= LARGE + 1, line


def test_long_routines_are_split_and_values_pass_through_the_workspace() -> None:
    program = named_case("panda").program
    (whole,) = program.code(["state_rate"], python.SYNTAX).bodies
    (split,) = program.code(["state_rate"], python.SYNTAX, limit=50).bodies
    assert len(whole.parts) == 1
    assert whole.workspace == 0
    assert all(len(part.items) <= 50 for part in split.parts)
    assert sum(len(part.items) for part in split.parts) == len(whole.parts[0].items)
    assert 0 < split.workspace < len(whole.parts[0].items)


# names -------------------------------------------------------------------------------------------------------------


def test_intermediates_have_names_that_mean_something() -> None:
    crane = statements(named_case("crane_crab").program.code(["sensors"], python.SYNTAX))
    assert {"sin_swing", "cos_swing", "swing_ddot"} <= {line.partition(" = ")[0] for line in crane}
    tree = statements(named_case("tree").program.code(["state_rate"], python.SYNTAX))
    names = {line.partition(" = ")[0] for line in tree}
    assert {"R_W_b_revolute_11", "w_b_table_x"} <= names


def test_short_names_are_numbers() -> None:
    program = named_case("panda").program
    code = program.code(["state_rate"], python.SYNTAX, names="short")
    own = {one.name for group in program.arguments.values() for one in group}
    made = {name for name in (line.partition(" = ")[0] for line in statements(code)) if "[" not in name} - own
    assert made
    assert all(re.fullmatch(r"[vc]\d+", name) for name in made)
    assert len(statements(code)) < len(statements(program.code(["state_rate"], python.SYNTAX)))


@pytest.mark.parametrize("syntax", SYNTAXES, ids=lambda syntax: syntax.language)
def test_names_are_valid_unique_and_not_reserved(syntax: Syntax) -> None:
    system = mb.System("names")
    words = "v1 v2 sin_q q u r p c w int lambda fn end const np q_ φ phi M".split()
    for name in words:
        body = system.body(f"body_{name}", system.parameter(f"m_{name}", 1.0), (0.1, 0.2, 0.3), (1, 1, 1))
        system.joint(name, system.world, body, "Rx")
    names = Program.of(mb.derive(system)).code(["state_rate", "mass_matrix"], syntax).names
    spelled = list(names.values())
    assert len(set(spelled)) == len(spelled)
    rules = language(syntax.language)
    assert not [name for name in spelled if name in rules.reserved or not name.isidentifier()]
    own = {"q", "u", "r", "q_dot", "u_dot", "state_rate", *(["p"] if syntax.language != "cpp" else ["p_"])}
    assert not own & set(spelled)


# the same text ------------------------------------------------------------------------------------------------------

SCRIPT = """
import sys, hashlib
sys.path.insert(0, {folder!r})
from codegen.models import four_bar_multipliers
import multibody as mb
from multibody.codegen import C, Program
kept = []
if sys.argv[1] == "busy":
    other = four_bar_multipliers()
    kept = [mb.derive(other.model, way) for way in (mb.Kane(), mb.Lagrange())]
    kept += [one.explicit_form() for one in kept] + [other.M, other.kinetic_energy]
    kept.append(Program.of(other).routine("jacobian"))
text = "".join(C(jacobians=True).files(Program.of(four_bar_multipliers())).values())
print(hashlib.sha256(text.encode()).hexdigest())
"""


def test_the_text_depends_on_the_model_alone() -> None:
    """Not on other expressions in memory, nor on the random numbers behind Python's sets."""
    script = SCRIPT.format(folder=str(Path(__file__).parents[1]))
    found = set()
    for seed, way in (("1", "idle"), ("2", "busy")):
        command = [sys.executable, "-c", script, way]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run(command, env=environment, capture_output=True, check=True, timeout=300)
        found.add(run.stdout)
    assert len(found) == 1


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: type(target).__name__)
def test_two_exports_are_equal(target: object) -> None:
    first, second = (target.files(Program.of(crane_crab())) for _ in range(2))  # type: ignore[attr-defined]
    assert first == second


# the user's texts and numbers -------------------------------------------------------------------------------------


TEXTS = ["a */ b", "/* x", '"""', "line\nline", "\u2028x", "end\\", "=# x", "\x00\r\t", "*/*/ /*/*"]


@pytest.mark.parametrize("text", TEXTS)
def test_comments_cannot_be_left(text: str) -> None:
    shown = one_line(text)
    assert not [bad for bad in ("*/", "/*", '"""', "\n", "\u2028", "\r", "=#", "\x00") if bad in shown]
    assert not shown.endswith("\\")
    assert not [bad for bad in ("\n", "\u2028", "\r") if bad in quoted(text)]


def test_missing_numbers_are_named_where_they_are_needed() -> None:
    system = mb.System("unknown")
    m = system.parameter("m")
    system.joint("x", system.world, system.body("b", m), "Tx")
    eom = mb.derive(system)
    with refused("value-missing"):
        Program.of(eom).require_values("Fmi")
    assert Program.of(eom).parameters[0].is_open
    assert Program.of(eom, {"m": 3.0}).parameters[0].value == 3.0


def test_unknown_routines_are_named() -> None:
    with refused("name-unknown"):
        pendulum().routine("state_rates")


def test_own_routines_may_contain_accelerations() -> None:
    program = named_case("crane_crab").program
    a = program.eom.model.accelerations[1]
    own = program.own_routine("twice", {"twice": [2 * a, sin(a)]})
    assert isinstance(own, Routine)
    lines = statements(program.code([own], python.SYNTAX))
    assert lines[-2:] == ["twice[0] = 2.0*swing_ddot", "twice[1] = np.sin(swing_ddot)"]


def test_start_values_keep_the_constraints() -> None:
    program = named_case("four_bar_multipliers").program
    q, u = ([one.value for one in group] for group in (program.coordinates, program.speeds))
    gaps = program.eom.constraint_residuals(0.0, q, u, [0.0], [one.value for one in program.parameters])
    assert max(map(abs, gaps.position)) < 1e-12


def test_expressions_without_names_need_no_model() -> None:
    (x,) = symbols("x")
    with pytest.raises(KeyError):
        pendulum().code([pendulum().own_routine("stranger", {"y": x + 1})], python.SYNTAX)


# derivatives -------------------------------------------------------------------------------------------------------


def test_the_jacobian_of_a_tree_with_every_joint_by_complex_steps() -> None:
    """It comes from the inverse dynamics with u̇ held; here the accelerations themselves are differentiated."""
    case = named_case("tree")
    eom, program = case.eom, case.program
    t, q, u, r, p = case.states[0]
    groups = zip((eom.coordinates, eom.speeds, eom.inputs, eom.parameters), (q, u, r, p), strict=True)
    values = {symbol: float(x) for symbols, numbers in groups for symbol, x in zip(symbols, numbers, strict=True)}
    values[eom.model.time] = t
    held = values | dict(zip(eom.model.accelerations, map(float, eom.forward_dynamics(*case.states[0])), strict=True))
    by_states, by_inputs = (
        np.array(evaluate(list(result.values), held), dtype=float).reshape(result.shape)
        for result in program.routine("jacobian").results
    )
    found = np.hstack([by_states, by_inputs])
    rates = [*eom.rates, *eom.acceleration]
    for k, symbol in enumerate([*eom.coordinates, *eom.speeds, *eom.inputs]):
        moved = evaluate(rates, values | {symbol: values[symbol] + 1e-30j})
        column = np.array(moved, dtype=complex).imag / 1e-30
        assert np.abs(found[:, k] - column).max() < 1e-12 * max(1.0, np.abs(column).max()), symbol.name
