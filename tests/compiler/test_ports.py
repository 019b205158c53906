"""How functions are called, and what is said when they are called wrongly."""

import numpy as np
import pytest
from tests.refusal import refused

from multibody.compiler import Function
from multibody.errors import InvalidNameError, PortError, ShapeError
from multibody.graph import sqrt, symbols

x, y, z = symbols("x y z")
m, k = symbols("mass stiffness", "parameter")


@pytest.fixture(scope="module")
def f():
    return Function("f", {"q": [x, y], "z": z, "mass": m}, {"a": [x * m, y + z], "b": sqrt(m) * z})


@pytest.fixture(scope="module")
def square():
    return Function("square", {"x": x}, {"y": x * x})


# --- plain calls -----------------------------------------------------------------------------------------------------


def test_positional_and_named_arguments(f):
    for results in (f([1, 2], 3, 4), f([1, 2], mass=4, z=3), f(q=(1, 2), z=np.float32(3), mass=np.int64(4)),
                    f({"q": (1, 2), "z": 3, "mass": 4}), f({"q": (1, 2), "z": 3}, mass=4)):  # fmt: skip
        assert results.a.tolist() == [4.0, 5.0]
        assert results.b == 6.0


def test_one_output_comes_alone_and_several_by_name(f, square):
    assert square(3) == 9.0
    assert type(square(3)) is float
    a, b = results = f([1, 2], 3, 4)
    assert results.a is a
    assert results["b"] == b == results[1]
    assert list(results.as_dict()) == ["a", "b"]
    with pytest.raises(AttributeError, match="a, b"):
        results.c
    assert "b=6.0" in repr(results)


@pytest.mark.parametrize("name", ["count", "index", "as_dict"])
def test_an_output_may_have_any_name(name):
    results = Function("g", {"x": x}, {"first": x, name: 2 * x})(1.0)
    assert results[1] == 2.0
    assert results[name] == 2.0


@pytest.mark.parametrize("name", ["self", "threads", "args", "named", "function"])
def test_an_input_may_have_any_name(name):
    g = Function("g", {name: x}, {"y": 2 * x})
    assert g(**{name: 3.0}) == 6.0
    assert g.batch(np.array([3.0, 4.0])).tolist() == [6.0, 8.0]


def test_results_do_not_share_memory_with_each_other_or_the_arguments(f):
    q = np.array([1.0, 2.0])
    first = f(q, 3, 4)
    second = f(q, 3, 4)
    first.a[:] = 0
    assert second.a.tolist() == [4.0, 5.0]
    assert q.tolist() == [1.0, 2.0]


def test_arrays_in_any_layout_are_taken(f):
    strided = np.arange(6.0)[::3]
    for q in (
        strided,
        strided[::-1][::-1],
        [0, 3],
        np.array([0, 3], dtype=np.int32),
        np.array([0.0, 3.0], dtype=">f8"),
    ):
        assert f(q, 1, 4).a.tolist() == [0.0, 4.0]
    matrix = Function("g", {"A": [[x, y], [z, m]]}, {"b": [[x, z], [y, m]]})
    assert matrix(np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_a_scalar_fits_a_port_with_one_entry():
    g = Function("g", {"x": [x]}, {"y": [2 * x]})
    assert g(3.0).tolist() == [6.0]
    assert g([3.0]).tolist() == [6.0]
    assert Function("g", {"x": x}, {"y": 2 * x})([3.0]) == 6.0


def test_functions_without_inputs_or_with_empty_ports():
    assert Function("g", {}, {"y": [1, 2.5]})().tolist() == [1.0, 2.5]
    results = Function("g", {"e": [], "x": x}, {"none": [], "y": x})([], 2.0)
    assert results.none.shape == (0,)
    assert results.y == 2.0


# --- complaints ------------------------------------------------------------------------------------------------------


def test_missing_and_unknown_arguments_are_named(f):
    with refused("port-arguments-wrong"):
        f([1, 2], 3)
    with refused("port-arguments-wrong", "mas", "mass"):
        f([1, 2], 3, mas=4)
    with refused("port-arguments-wrong"):
        f(1, 2, 3, 4)
    with refused("port-given-twice"):
        f([1, 2], 3, q=[1, 2], mass=4)


@pytest.mark.parametrize(
    ("code", "values"),
    [
        ("array-wrong-shape", [1.0, [1], [1, 2, 3], [[1, 2, 3]], [[1], [2]], []]),
        ("value-not-numeric", [None, "12", ["a", "b"], [1j, 2], [[1], [2, 3]], [x, y]]),
    ],
)
def test_wrong_shapes_and_types_are_refused(f, code, values):
    for q in values:
        with refused(code, "port 'q' of function 'f'", kind=ShapeError):
            f(q, 3, 4)


@pytest.mark.parametrize(
    ("inputs", "outputs", "code", "fields"),
    [
        ({"x": x}, {"y": x * y}, "symbol-without-port", {"names": ["y"]}),
        ({"x": x, "v": [y, x]}, {"o": x}, "ports-invalid", {"names": ["x", "v"]}),
        ({"v": [x, x]}, {"o": x}, "ports-invalid", {"names": ["v", "v"]}),
        ({"x": x + y}, {"o": x}, "ports-invalid", {"name": "x"}),
        ({"x": 3}, {"o": 1}, "ports-invalid", {"name": "x"}),
        ({"x": x}, {"x": x}, "ports-invalid", {}),
        ({"x": x}, {}, "ports-invalid", {}),
    ],
)
def test_ports_that_do_not_fit_are_refused(inputs, outputs, code, fields):
    with refused(code, kind=PortError) as caught:
        Function("f", inputs, outputs)
    assert caught.value.fields == fields


@pytest.mark.parametrize("name", ["", "1f", "my function", "f;", 'f"', "f\n"])
def test_bad_names_are_refused(name):
    with pytest.raises(InvalidNameError):
        Function(name, {"x": x}, {"y": x})
    with pytest.raises(InvalidNameError):
        Function("f", {name: x}, {"y": x})


@pytest.mark.parametrize("value", [{"a": 1.0, "b": 2.0}, None, [1.0, 10**400], [1.0, "b"], [1.0, 2j], [1.0, 2.0, 3.0]])
def test_what_does_not_fit_is_refused_with_the_names_in_their_order(value):
    a, b = symbols("a b")
    with pytest.raises(ShapeError, match="Give 2 numbers in this order: a, b") as caught:
        Function("pair", {"x": [a, b]}, {"out": a - b})(x=value)
    assert caught.value.code in ("value-not-numeric", "array-wrong-shape")


def test_a_port_for_one_number_asks_for_one_number():
    a = symbols("a")
    with pytest.raises(ShapeError, match="Give 1 number: a"):
        Function("one", {"x": [a]}, {"out": a})(x={"a": 1.0})
