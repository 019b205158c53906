"""Long bodies are split into several functions that pass values, conditions and outputs through a workspace."""

import random

import numpy as np
import pytest

from multibody.compiler import Function, emit
from multibody.graph import cos, evaluate, sin, sqrt, symbols, where

x, y = symbols("x y")
m = symbols("m", "parameter")[0]


@pytest.fixture(params=[3, 7, 50])
def short_chunks(request, monkeypatch):
    """Many functions from small bodies; the number of operations in each is odd on purpose."""
    monkeypatch.setattr(emit, "CHUNK", request.param)
    return request.param


def _long(rng, operations):
    """Values and conditions that live for a short or a long time, all of moderate size."""
    nodes, conditions = [x, y, sqrt(m), x * y], [x < y, (x < m) | ~(y < 0)]
    for _ in range(operations):
        a, b = rng.choice(nodes), rng.choice(nodes[-5:])
        nodes.append(
            rng.choice([sin(a + b), cos(a) * b, (a - b) / 2, where(rng.choice(conditions), a, b), a * 0.5 - m])
        )
        if rng.random() < 0.2:
            conditions.append(rng.choice([a < b, a <= b]) & rng.choice(conditions) if a is not b else x < 0)
    return nodes


@pytest.mark.parametrize("seed", range(3))
def test_values_and_conditions_cross_from_function_to_function(short_chunks, seed):
    rng = random.Random(seed)
    nodes = _long(rng, 120)
    outputs = rng.sample(nodes, 10) + nodes[-5:]
    f = Function(f"f{short_chunks}", {"x": x, "y": y, "m": m}, {"out": outputs})
    assert f.llvm.count("define internal void @body_") > 100 // short_chunks // 2
    points = [(0.3, -1.2, 0.7), (-0.4, 2.2, 1.9), (1.5, 0.1, 0.2)]
    for at in points:
        expected = evaluate(outputs, dict(zip((x, y, m), at, strict=True))).astype(float)
        assert f(*at) == pytest.approx(expected, rel=1e-11, abs=1e-12)
        assert f.fix(m=at[2])(*at[:2]) == pytest.approx(expected, rel=1e-11, abs=1e-12)
    together = f.batch(*np.array(points).T, threads=1)
    assert together == pytest.approx(np.array([f(*at) for at in points]), rel=1e-12, abs=1e-12)


def test_places_in_the_workspace_are_used_again():
    chain = x
    for k in range(6 * emit.CHUNK):
        chain = chain * y + k % 7
    f = Function("f", {"x": x, "y": y}, {"z": chain})
    assert f._module.workspace <= 2
    assert f(0.5, 0.25) == pytest.approx(evaluate(chain, {x: 0.5, y: 0.25}), rel=1e-13)


def test_parts_without_connection_are_computed_one_after_the_other(monkeypatch):
    monkeypatch.setattr(emit, "CHUNK", 40)
    starts = symbols(" ".join(f"x{k}" for k in range(30)))
    parts = list(starts)
    for k in range(39):  # layer by layer, as a formalism goes through a row of mechanisms
        parts = [part * y + k % 3 for part in parts]
    f = Function("f", {"x": starts, "y": y}, {"z": parts})
    at = np.linspace(-0.9, 0.9, 30)
    assert f._module.workspace <= 2  # in the order in which they were made, 30 values would be kept
    expected = evaluate(parts, dict(zip(starts, at, strict=True)) | {y: 0.25}).astype(float)
    assert f(at, 0.25) == pytest.approx(expected, rel=1e-13)


def test_a_workspace_too_large_for_the_stack(monkeypatch):
    monkeypatch.setattr(emit, "STACK", 10)
    monkeypatch.setattr(emit, "CHUNK", 20)
    early = [sin(x * k) for k in range(1, 41)]
    hoisted = [sqrt(m + k) for k in range(40)]
    total = x
    for a, b in zip(early, reversed(hoisted), strict=True):
        total = total + a * b
    f = Function("f", {"x": x, "m": m}, {"z": total, "early": early})
    expected = evaluate(total, {x: 0.3, m: 2.0})
    for _ in range(3):
        assert f(0.3, 2.0).z == pytest.approx(expected, rel=1e-13)
    assert f.batch([0.3] * 11, 2.0).z == pytest.approx([expected] * 11, rel=1e-13)


def test_a_body_of_many_functions_in_batches(monkeypatch):
    monkeypatch.setattr(emit, "CHUNK", 40)
    nodes = _long(random.Random(5), 300)
    f = Function("f", {"x": x, "y": y, "m": m}, {"out": nodes[-20:], "all": nodes})
    rng = np.random.default_rng(0)
    at = rng.uniform(-1, 1, (2, 37))
    expected = np.array([f(a, b, 0.5).out for a, b in at.T])
    for threads in (1, 3):
        assert f.batch(*at, 0.5, threads=threads).out == pytest.approx(expected, rel=1e-9, abs=1e-11)


def test_thousands_of_constant_outputs_compile_quickly_and_are_right():
    """A large matrix of which most entries are zero: its stores are spread over functions, as operations are."""
    matrix = np.full((90, 90), 0.0, dtype=object)
    matrix[3, 5], matrix[89, 89], matrix[0, 0] = x, x * x, 2.0
    function = Function("sparse", {"x": x}, {"matrix": matrix})
    expected = np.zeros((90, 90))
    expected[3, 5], expected[89, 89], expected[0, 0] = 3.0, 9.0, 2.0
    np.testing.assert_array_equal(function(3.0), expected)
    np.testing.assert_array_equal(function.batch(x=[3.0, 3.0, 3.0])[2], expected)
    assert function.llvm.count("define internal void @body_") > 5
