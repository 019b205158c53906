import re

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from multibody.errors import InvalidNameError
from multibody.graph import (
    Table,
    absolute,
    atan2,
    constant,
    cos,
    exp,
    log,
    pi,
    power,
    sin,
    sqrt,
    symbol,
    where,
    without_sharing,
)
from multibody.graph.names import GREEK, check
from multibody.graph.text.latex import to_latex
from multibody.graph.text.latex_names import latex_name, literal, symbol_latex
from multibody.graph.text.plain_text import symbol_texts

from .strategies import SYMBOLS, conditions, expressions, graphs

x, y, z, q1 = SYMBOLS[:4]


def alone(make):
    """An expression that is not found among others of the same value, such as cos(pi/4)."""
    with without_sharing():
        return make()


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("x", "x"),
        ("q_1", "q_{1}"),
        ("q12", "q_{12}"),
        ("theta", r"\theta"),
        ("theta1", r"\theta_{1}"),
        ("Omega_2", r"\Omega_{2}"),
        ("φ", r"\varphi"),
        ("phi", r"\phi"),
        ("m_crab", r"m_{\mathrm{crab}}"),
        ("m_crab_2", r"m_{\mathrm{crab},2}"),
        ("crab", r"\mathrm{crab}"),
        ("q_dot", r"\dot{q}"),
        ("q_1_ddot", r"\ddot{q}_{1}"),
        ("theta1_dot", r"\dot{\theta}_{1}"),
        ("w_alpha", r"w_{\alpha}"),
        ("Alpha", r"\mathrm{Alpha}"),
        ("größe", r"\text{größe}"),
        ("_", r"\mathtt{\_}"),
        ("a__b", r"\mathtt{a\_\_b}"),
        ("lambda", r"\lambda"),
        ("end", r"\mathrm{end}"),
    ],
)
def test_names_are_mathematics(name, latex):
    assert latex_name(name) == latex


@pytest.mark.parametrize(
    ("expr", "latex"),
    [
        (x + y - z, "x + y - z"),
        (-x, "-x"),
        (2 * x / 3, r"\frac{2 x}{3}"),
        (x / (y * z), r"\frac{x}{y z}"),
        ((x + y) / z, r"\frac{x + y}{z}"),
        (x**2, "x^{2}"),
        (q1**2, "q_{1}^{2}"),
        ((x + y) ** 2, r"\left(x + y\right)^{2}"),
        (x * (y + z), r"x \left(y + z\right)"),
        (sin(x) ** 2, r"\sin^{2}\left(x\right)"),
        (log(x) ** 2, r"\ln\left(x\right)^{2}"),
        (sqrt(x + 1), r"\sqrt{x + 1}"),
        (absolute(x), r"\left|x\right|"),
        (exp(-x), "e^{-x}"),
        (exp(x) ** 2, r"\left(e^{x}\right)^{2}"),
        (power(x, y + 1), "x^{y + 1}"),
        (atan2(y, x), r"\operatorname{atan2}\left(y, x\right)"),
        (constant(1) / 3, r"\frac{1}{3}"),
        (pi / 2, r"\frac{\pi}{2}"),
        (alone(lambda: sqrt(2) * x / 2), r"\frac{\sqrt{2} x}{2}"),
        (constant(1.5e-7) * x, r"1.5 \cdot 10^{-7} x"),
        (constant(9.81) * x, "9.81 x"),
        (constant(-2.5), "-2.5"),
        (x <= y, r"x \le y"),
        ((x < y) & ~(y < z), r"x < y \land \lnot \left(y < z\right)"),
        (
            2 * where(x < 0, -x, y),
            r"2 \left(\begin{cases} -x & \text{if } x < 0 \\ y & \text{otherwise} \end{cases}\right)",
        ),
        (Table("my_spring", [0, 1], [0, 1])(x), r"\operatorname{my\_spring}\left(x\right)"),
        ([x, y**2], r"\begin{bmatrix} x \\ y^{2} \end{bmatrix}"),
        (np.array([[x, 0], [1, y]]), r"\begin{bmatrix} x & 0 \\ 1 & y \end{bmatrix}"),
    ],
)
def test_expressions_are_mathematics(expr, latex):
    assert to_latex(expr) == latex


def _faults(latex):
    """What a LaTeX compiler would complain about: braces, delimiters, environments, scripts, stray characters."""
    depth = 0
    for token in re.findall(r"\\[a-zA-Z]+|\\.|[{}]", latex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return "a brace too many"
    nested = []
    for kind, name in re.findall(r"\\(left|right|begin|end)(?![a-z])(?:\{(\w+)\})?", latex):
        if kind in ("left", "begin"):
            nested.append((kind, name))
        elif not nested or nested.pop() != ({"right": "left", "end": "begin"}[kind], name):
            return "delimiters do not match"
    if re.search(r"(\^|_)\{[^{}]*\}\s*\1", latex):
        return "double script"
    if re.search(r"[#$%~`\"'@;?]", latex):
        return "stray character"
    return "unclosed" if depth or nested else ""


@settings(max_examples=150)
@given(expressions())
def test_every_expression_is_well_formed(expr):
    assert not _faults(to_latex(expr))


@given(graphs())
def test_every_shared_graph_is_well_formed(expr):
    assert not _faults(to_latex(expr))


@given(conditions(expressions(size=4)).filter(lambda condition: not isinstance(condition, bool)))
def test_every_condition_is_well_formed(condition):
    assert not _faults(to_latex(condition))


def _usable(name):
    try:
        return check(name) == name
    except InvalidNameError:
        return False


usable_names = st.one_of(
    st.text("ab12_φθ", min_size=1, max_size=8).filter(_usable),
    st.sampled_from("theta theta1 theta_1 q_dot q_1_dot dot _dot a_ text frac left input immediate".split()),
    st.text(st.characters(categories=("L", "Nd", "Mn", "Pc")), min_size=1, max_size=6).filter(_usable),
)


@given(usable_names)
def test_no_name_can_break_out(name):
    latex = latex_name(name)
    assert not _faults(latex)
    commands = set(re.findall(r"\\([a-zA-Z]+)", latex))
    allowed = {"mathrm", "mathtt", "text", "dot", "ddot", "hat", "bar", "tilde", "varphi", *GREEK.values()}
    assert commands <= allowed


@given(st.lists(usable_names, max_size=8, unique=True))
def test_different_symbols_look_different(names):
    nodes = [symbol(name) for name in names]
    shown = symbol_latex(nodes, symbol_texts(nodes), ["v_{1}"])
    assert len({*shown.values(), "v_{1}"}) == len(names) + 1


def test_symbols_that_would_look_alike_are_spelled_out():
    assert to_latex(symbol("theta1") + symbol("theta_1")) == r"\mathtt{theta1} + \mathtt{theta\_1}"
    assert to_latex(x * symbol("x", scope="arm")) == r"\mathtt{x} \mathtt{arm.x}"


def test_literal_text_is_harmless():
    assert literal(r"\input{a}$%^~") == r"\mathtt{input\{a\}\$\%}"


def _doubling(depth):
    expr = x
    for _ in range(depth):
        expr = sin(expr) + cos(expr) * y
    return expr


def test_a_large_expression_is_aligned_with_intermediates():
    latex = to_latex(_doubling(40))
    assert latex.startswith("\\begin{aligned}\n& ")
    assert r"v_{1} &= " in latex
    assert not _faults(latex)
    assert len(latex) < 10_000


def test_intermediates_do_not_look_like_symbols():
    latex = to_latex(_doubling(40) * symbol("v_1"))
    assert r"\mathtt{v\_1}" in latex


def test_a_long_printout_can_be_shortened():
    latex = to_latex(_doubling(40), max_lines=3)
    assert latex.count("&=") == 3
    assert r"\vdots" in latex


def test_a_large_matrix_shares_its_intermediates():
    latex = to_latex([[_doubling(40)], [_doubling(41)]])
    assert r"\begin{bmatrix}" in latex.splitlines()[1]
    assert not _faults(latex)


def test_a_huge_whole_number_can_be_printed():
    assert to_latex(constant(1 << 20_000) * x).startswith(r"\mathtt{0x1000")
