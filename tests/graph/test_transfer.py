"""Nodes taken apart and put together again are the same nodes; elsewhere, exactly such nodes."""

import gc
import os
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given

from multibody.graph import Table, constant, evaluate, isolated, pi, sin, sqrt, symbol, symbols, to_text, where
from multibody.graph.identity import same
from multibody.graph.transfer import assembled, dismantled

from .strategies import expressions

x, y = symbols("x y")


def sent(*nodes):
    """The nodes as they arrive from a process that has another name than this one."""
    made = assembled(dismantled(nodes)._replace(process="elsewhere"))
    return tuple(made[node.serial] for node in nodes)


@given(expressions())
def test_what_comes_home_is_what_was_sent(node):
    assert assembled(dismantled([node]))[node.serial] is node


@given(expressions())
def test_a_node_that_is_known_here_is_taken(node):
    (arrived,) = sent(node)
    assert arrived is node


@given(expressions(size=12))
def test_a_node_that_is_not_known_here_is_made_exactly(node):
    """Nodes that were made in isolation are known to nobody; the copies differ in nothing but identity."""
    with isolated():
        alone = sin(node * x + 3) * y + node
    parts = dismantled([alone])
    (arrived,) = sent(alone)
    assert (arrived.fp, arrived.guards, arrived.op) == (alone.fp, alone.guards, alone.op)
    assert to_text(arrived) == to_text(alone)
    assert same(arrived, alone, points=2)
    again = dismantled([arrived])
    assert [row.op for row in again.rows] == [row.op for row in parts.rows]
    assert len({row.serial for row in again.rows}) == len(parts.rows)


def test_two_packages_share_what_they_have_in_common():
    with isolated():
        inner = x * y + 7
        one, other = inner * x, inner * y
    (first,), (second,) = sent(one), sent(other)
    assert first is not one
    assert set(first.args) & set(second.args)


def test_a_copy_that_is_sent_on_is_known_where_it_comes_from():
    with isolated():
        alone = x * y + 11
    (copy,) = sent(alone)
    assert copy is not alone
    back = assembled(dismantled([copy]))  # its birth is elsewhere, and here it is the copy that was born there
    assert back[copy.serial] is copy


@pytest.mark.parametrize(
    "number",
    [0, 1, -1, 0.1, -0.1, Fraction(1, 3), -Fraction(22, 7), 2**70, 5e-324, -1.7e308, pi, -pi / 3, sqrt(2) / 2,
     -sqrt(3) / 5, constant(0.1) + constant(0.2), sqrt(2) + pi, 1 / constant(3.0)],
    ids=str,
)  # fmt: skip
def test_constants_keep_every_digit_and_their_formula(number):
    node = constant(number) if not hasattr(number, "fp") else number
    (arrived,) = sent(node)
    assert arrived is node
    assert -sent(-node)[0] is node


def test_constants_of_one_value_and_different_digits_stay_two():
    """Where another constant, rounded in another way, stands for the number, the one that arrives keeps its digits."""
    here = constant(0.7) + constant(0.1)
    parts = dismantled([here])
    serial, birth, op, operands, (value, *more) = parts.rows[-1]
    other = value + 2**-53
    arrived = assembled(parts._replace(process="abroad", rows=[(serial, birth, op, operands, (other, *more))]))[serial]
    assert (arrived.value, here.value) == (other, value)
    assert other != value


def test_symbols_are_told_apart_by_scope_and_kind():
    kinds = [symbol("m", "parameter", "one"), symbol("m", "parameter", "two"), symbol("m", "input", "one")]
    arrived = sent(*kinds)
    assert list(arrived) == kinds
    assert len(set(arrived)) == 3


def test_tables_and_conditions():
    spring = Table("spring", [0.0, 1.0, 3.0], [0.0, 2.0, 9.0], "cubic")
    with isolated():
        law = where((x > 0) & ~(y < 2), spring(x * y), spring.derivative()(y) - x)
    (arrived,) = sent(law)
    assert arrived is not law
    for at in ({x: 1.0, y: 2.5}, {x: -1.0, y: 2.5}, {x: 0.3, y: 1.0}):
        assert evaluate(arrived, at) == evaluate(law, at)


def test_a_very_deep_graph_after_the_original_is_gone():
    node = x
    for k in range(10_000):
        node = sin(node) + y if k % 2 else node * y
    value, parts, serial = evaluate(node, {x: 0.3, y: 0.7}), dismantled([node]), node.serial
    del node
    gc.collect()
    assert evaluate(assembled(parts)[serial], {x: 0.3, y: 0.7}) == value


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks on this system")
def test_nodes_made_after_a_fork_are_not_mixed_up():
    """Both processes count on from the same serial; what the one makes is not what the other makes."""
    code = """
import os, pickle
from multibody.graph import symbols, to_text
from multibody.graph.transfer import assembled, dismantled
x, y = symbols("x y")
source, target = os.pipe()
if os.fork() == 0:
    theirs = x * y
    os.write(target, pickle.dumps((theirs.serial, dismantled([theirs]))))
    os._exit(0)
ours = x + y
dismantled([ours])
serial, parts = pickle.loads(os.read(source, 10000))
assert serial == ours.serial
assert to_text(assembled(parts)[serial]) == "x*y"
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
