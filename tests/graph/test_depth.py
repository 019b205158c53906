"""Expressions many thousand operations deep: nothing recurses, nothing grows faster than it must."""

import gc
import subprocess
import sys

import numpy as np
import pytest

from multibody.compiler import Function
from multibody.graph import (
    directional,
    evaluate,
    gradient,
    live_nodes,
    sin,
    sqrt,
    substitute,
    symbols,
    topological,
    where,
)

DEPTH = 40_000
DROPPED = 100_000  # here it would be the stack of C that overflows
x, y = symbols("x y")


def _chain(depth, x=x, y=y):
    """x ← x·y + c, with a sine and a choice now and then, as Python makes it of floats or expressions alike."""
    sine = sin if not isinstance(x, float) else np.sin
    result = x
    for k in range(depth // 2):
        if k % 1000 == 500:
            result = sine(result) + x
        elif k % 1000 == 700 and not isinstance(x, float):
            result = where(result < 100, result, y) + x
        else:
            result = result * y + x
    return result


@pytest.fixture(scope="module")
def alive_before():
    """How many nodes others hold in this process."""
    gc.collect()
    return live_nodes()


@pytest.fixture(scope="module")
def deep(alive_before):
    return _chain(DEPTH)


def test_a_deep_chain_is_built_and_walked(deep):
    order = topological([deep])
    assert len(order) >= DEPTH
    place = {node: k for k, node in enumerate(order)}
    assert all(place[arg] < place[node] for node in order for arg in node.args)


def test_a_deep_chain_is_evaluated(deep):
    assert evaluate(deep, {x: 0.3, y: 0.4}) == pytest.approx(_chain(DEPTH, 0.3, 0.4), rel=1e-12)


def test_a_deep_chain_is_substituted(deep):
    other = substitute(deep, {x: y, y: x})
    assert evaluate(other, {y: 0.3, x: 0.4}) == evaluate(deep, {x: 0.3, y: 0.4})


def test_a_deep_chain_is_differentiated(deep):
    forward = directional(deep, {x: 1})
    reverse = gradient(deep, [x])[0]
    step = evaluate(deep, {x: 0.3 + 1e-200j, y: 0.4}).imag / 1e-200
    assert evaluate(forward, {x: 0.3, y: 0.4}) == pytest.approx(step, rel=1e-12)
    assert evaluate(reverse, {x: 0.3, y: 0.4}) == pytest.approx(step, rel=1e-12)
    assert len(topological([forward])) < 6 * DEPTH
    assert len(topological([reverse])) < 6 * DEPTH


def test_a_deep_chain_is_compiled(deep):
    function = Function("deep", {"x": x, "y": y}, {"z": deep})
    assert sum(function.operations.values()) > DEPTH * 0.99
    assert function(0.3, 0.4) == pytest.approx(evaluate(deep, {x: 0.3, y: 0.4}), rel=1e-12)


def test_a_deep_chain_is_dropped_without_a_crash():
    code = f"""
from multibody.graph import symbols, live_nodes
x, y = symbols("x y")
e = x
for k in range({DROPPED}): e = e * y + k
assert live_nodes() > {DROPPED}
del e
assert live_nodes() < 1000, live_nodes()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.parametrize(
    "step",
    [
        lambda e: sqrt(e + 1),
        lambda e: abs(e - 1),
        lambda e: sqrt(e * e + y),
        lambda e: 1 / (1 + sqrt(e * e + 2)),
        lambda e: 1 / (1 + e),
        lambda e: -sin(-e),
        lambda e: where(e < 1, -e, e / 2),
    ],
)
def test_nesting_of_any_operation_has_no_limit(step):
    node = x
    for _ in range(1200):
        node = step(node)
    assert evaluate(node, {x: 0.5, y: 0.25}) == evaluate(node, {x: 0.5, y: 0.25})
    assert live_nodes() > 1200


@pytest.mark.parametrize("number", range(8))
def test_reciprocals_of_nested_roots(number):
    """Whichever root comes first in the order of elimination, which the symbols' names decide."""
    a, b, c = symbols(f"a{number} b{number} c{number}")
    node = 1 / (c + sqrt(a + sqrt(b)) + sqrt(b))
    assert evaluate(node, {a: 3.0, b: 1.0, c: 2.0}) == pytest.approx(0.2)


def test_sine_of_a_sum_with_many_paths_is_quick():
    """A Fibonacci sequence of sums: n nodes, but some 1.6ⁿ ways from top to bottom."""
    code = """
from multibody.graph import sin, symbols
a, b = symbols("a b")
for _ in range(60): a, b = b, a + b
sin(b)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=10)


def test_all_is_freed_in_the_end(alive_before, deep):
    gc.collect()
    assert live_nodes() < alive_before + len(topological([deep])) + 1_000
