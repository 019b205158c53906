"""Outputs of every kind, names of every kind, counts of operations, and the address for C."""

import ctypes
import math

import numpy as np
import pytest

from multibody.compiler import Function
from multibody.graph import (
    Table,
    cos,
    evaluate,
    exp,
    functions as f,
    sin,
    sqrt,
    symbol,
    symbols,
    where,
)

x, y, z = symbols("x y z")
m, k = symbols("m k", "parameter")
TABLE = Table("f", [-2, -1, 0.5, 1, 3], [1, 3, -1, 0, 2], "cubic")


def test_outputs_that_need_no_computation():
    outputs = {
        "c": 2.5,
        "x": x * 1,
        "m": [m, -m],
        "hoisted": sqrt(m),
        "twice": [x * y, x * y],
        "minus": -(x * y),
        "zero": x - x,
        "pi": f.pi,
    }
    g = Function("g", {"a": x, "b": y, "p": m}, outputs)
    got = g(3.0, 5.0, 4.0)
    expected = {
        "c": 2.5,
        "x": 3.0,
        "m": [4.0, -4.0],
        "hoisted": 2.0,
        "twice": [15.0, 15.0],
        "minus": -15.0,
        "zero": 0.0,
        "pi": math.pi,
    }
    assert {name: np.asarray(value).tolist() for name, value in got.as_dict().items()} == expected
    fixed = g.fix(p=4.0)(3.0, 5.0)
    assert {name: np.asarray(value).tolist() for name, value in fixed.as_dict().items()} == expected


def test_a_port_that_is_output_as_it_came():
    g = Function("g", {"a": [x, y, z]}, {"b": [z, x], "c": [[y]]})
    assert [value.tolist() for value in g([1.0, 2.0, 3.0])] == [[3.0, 1.0], [[2.0]]]


@pytest.mark.parametrize(
    "name", ["sin", "exp", "prepare", "body_0", "malloc", "free", "φ", "main", "no_strides", "f_ports", "table", "x"]
)
def test_any_identifier_can_name_a_function(name):
    g = Function(name, {"x": x, "m": m}, {"y": sin(x) + exp(m) + TABLE(x)})
    expected = evaluate(sin(x) + exp(m) + TABLE(x), {x: 0.5, m: 0.25})
    assert g(0.5, 0.25) == pytest.approx(expected)
    assert g.batch([0.5] * 3, 0.25) == pytest.approx([expected] * 3)


def test_a_condition_on_parameters_is_decided_once():
    g = Function("g", {"x": x, "m": m}, {"y": where((m > 0) & (m < 9), x, -x), "z": where(m > 1, m, 1)})
    assert tuple(g(3.0, 2.0)) == (3.0, 2.0)
    assert tuple(g(3.0, -2.0)) == (-3.0, 1.0)
    assert tuple(g.fix(m=-2.0)(3.0)) == (-3.0, 1.0)
    assert g.batch([3.0, 4.0], -2.0).y.tolist() == [-3.0, -4.0]
    assert g.batch([3.0, 4.0], [2.0, -2.0]).y.tolist() == [3.0, -4.0]


def test_parameters_are_worked_on_once():
    g = Function("g", {"x": x, "m": m, "k": k}, {"y": sqrt(m) * sin(k) * x + cos(x)})
    assert g.operations == {"add": 1, "cos": 1, "mul": 1}
    assert g.parameter_operations == {"mul": 1, "sin": 1, "sqrt": 1}


def test_operation_counts_of_known_examples():
    assert Function("g", {"x": x, "y": y}, {"a": x / y, "b": x - y}).operations == {"add": 1, "div": 1}
    assert Function("g", {"x": x, "y": y}, {"a": 1 / y, "b": x / y}).operations == {"div": 1, "mul": 1}
    assert Function("g", {"x": x}, {"a": x**8}).operations == {"mul": 3}
    assert Function("g", {"x": x}, {"a": sin(x) ** 2 + cos(x) ** 2}).operations == {}
    assert "per call: 2 operations (1 cos, 1 sin)" in Function("g", {"x": x}, {"a": [sin(x), cos(x)]}).report()


def test_a_huge_constant_is_refused_or_infinite():
    with pytest.raises((ValueError, RuntimeError, OverflowError)) as caught:
        Function("g", {"x": x}, {"y": x * 10**400})(1.0)
    assert "multibody" in type(caught.value).__module__


def test_the_address_can_be_called_from_c():
    g = Function("g", {"q": [x, y], "m": m}, {"a": [m * x, x * y], "b": sqrt(m)})
    double = ctypes.POINTER(ctypes.c_double)
    call = ctypes.CFUNCTYPE(None, double, double, double, double)(g.address)
    q, p, a, b = (ctypes.c_double * 2)(3.0, 5.0), ctypes.c_double(4.0), (ctypes.c_double * 2)(), ctypes.c_double()
    call(q, ctypes.byref(p), a, ctypes.byref(b))
    assert (list(a), b.value) == ([12.0, 15.0], 2.0)


def test_symbol_kinds_make_ports_fixed():
    t = symbol("t", "time")
    g = Function("g", {"m": [m, k], "t": t, "mixed": [symbol("c", "parameter"), x], "empty": []}, {"y": m * t + x})
    assert [port.fixed for port in g.inputs] == [True, False, False, False]
