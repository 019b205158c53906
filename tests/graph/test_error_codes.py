"""Errors of expressions, quantities and functions have codes, and the names and values that they are about."""

import math

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.algebra import Rotation, Vec3
from multibody.compiler import Function
from multibody.errors import MultibodyError, ParseError
from multibody.graph import Table, constant, evaluate, log, parse, product, symbols, where

x, y = symbols("x y")


@pytest.mark.parametrize(
    ("code", "make", "fields"),
    [
        ("number-not-finite", lambda: constant(math.inf), {"value": math.inf}),
        ("value-not-an-expression", lambda: constant("text"), {"value": "str"}),
        ("expression-without-value", lambda: log(0), {"name": "log"}),
        ("expression-not-a-number", lambda: float(x), {}),
        ("division-by-zero", lambda: 1 / (x - x), {}),
        ("value-missing", lambda: evaluate(x + y, {x: 1.0}), {"names": ["y"]}),
        ("array-wrong-shape", lambda: product([[x, y]], [[x, y]]), {"shape": (1, 2), "expected": (2,)}),
        ("table-invalid", lambda: Table("t", [0, 0], [1, 2]), {"name": "t"}),
        ("argument-outside-table", lambda: Table("t", [0, 1], [1, 2])(3.0), {"name": "t", "value": 3.0}),
        ("option-unknown", lambda: Table("t", [0, 1], [1, 2], "cubical"), {"name": "t", "value": "'cubical'"}),
        ("condition-not-a-comparison", lambda: where(x, 1, 2), {}),
        ("name-invalid", lambda: symbols("2x"), {"name": "2x"}),
        ("matrix-not-a-rotation", lambda: Rotation.matrix(2 * np.eye(3)), {}),
        ("operands-incompatible", lambda: Vec3(1, 0, 0) + Rotation.about("x", 1), {}),
        ("symbol-without-port", lambda: Function("f", {"a": [x]}, {"b": x + y}), {"names": ["y"]}),
        ("value-not-a-formalism", lambda: mb.compare(mb.System("s"), "Kane"), {"value": "str"}),
        ("value-not-a-system", lambda: mb.derive(3), {"value": "int"}),
    ],
)
def test_codes_and_fields(code, make, fields):
    with refused(code) as caught:
        make()
    for name, value in fields.items():
        assert caught.value.fields[name] == value


@pytest.mark.parametrize(
    ("text", "code"),
    [("1/0", "division-by-zero"), ("log(0)", "expression-without-value"), ("x +", "text-not-an-expression"),
     ("x < 1", "text-not-an-expression"), ("unknown_function(x)", "name-unknown")],
)  # fmt: skip
def test_text_keeps_the_code_of_what_is_wrong_with_it(text, code):
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert caught.value.code == code
    assert isinstance(caught.value, MultibodyError)
    assert 0 <= caught.value.position <= len(text)
