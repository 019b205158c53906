"""Calls bound to arrays, and functions with their parameters fixed."""

import math

import numpy as np
import pytest
from tests.refusal import refused

from multibody.compiler import Function
from multibody.errors import PortError, ShapeError
from multibody.graph import sin, sqrt, symbols

x, y, z = symbols("x y z")
m, k = symbols("mass stiffness", "parameter")


@pytest.fixture(scope="module")
def f():
    return Function("f", {"q": [x, y], "z": z, "mass": m}, {"a": [x * m, y + z], "b": sqrt(m) * z})


@pytest.fixture(scope="module")
def square():
    return Function("square", {"x": x}, {"y": x * x})


def test_a_bound_call_works_in_place(f):
    arrays = {
        "q": np.array([1.0, 2.0]),
        "z": np.array(3.0),
        "mass": np.array(4.0),
        "a": np.zeros(2),
        "b": np.array(0.0),
    }
    step = f.bind(**arrays)
    step()
    assert (arrays["a"].tolist(), arrays["b"].item()) == ([4.0, 5.0], 6.0)
    arrays["q"][0], arrays["mass"][...] = 10.0, 9.0
    step()
    assert (arrays["a"].tolist(), arrays["b"].item()) == ([90.0, 5.0], 9.0)


def _bad_arrays():
    good = np.zeros(4)
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    yield {"x": np.zeros(2), "y": np.zeros(3)}, "wrong shape"
    yield {"x": np.zeros(4)[::2], "y": np.zeros(2)}, "not contiguous"
    yield {"x": [1.0, 2.0], "y": np.zeros(2)}, "a list"
    yield {"x": np.zeros(2, dtype=np.float32), "y": np.zeros(2)}, "single precision"
    yield {"x": np.zeros(2, dtype=int), "y": np.zeros(2)}, "integers"
    yield {"x": np.zeros(2), "y": read_only}, "read-only"
    yield {"x": good[:2], "y": good[1:3]}, "overlap"
    yield {"x": good[:2], "y": good[:2]}, "the same"
    yield {"x": np.zeros(2, dtype=">f8"), "y": np.zeros(2)}, "foreign byte order"
    yield {"x": np.frombuffer(b"\0" * 25, dtype=np.uint8)[1:17].view(np.float64), "y": np.zeros(2)}, "not aligned"


@pytest.mark.parametrize(
    ("arrays", "what"), list(_bad_arrays()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_arrays_that_cannot_be_bound_are_refused(arrays, what):
    g = Function("g", {"x": [x, y]}, {"y": [y, x]})
    if what == "not aligned" and arrays["x"].flags.aligned:
        pytest.skip("this NumPy aligned the bytes")
    with pytest.raises(ShapeError):
        g.bind(**arrays)


def test_inputs_may_be_read_only_and_missing_arrays_are_named(square):
    inside = np.array(3.0)
    inside.flags.writeable = False
    out = np.array(0.0)
    square.bind(x=inside, y=out)()
    assert out == 9.0
    with refused("port-arguments-wrong"):
        square.bind(x=inside)
    with refused("port-arguments-wrong"):
        square.bind(x=inside, y=out, w=out)


@pytest.fixture(scope="module")
def spring():
    return Function("spring", {"x": x, "mass": m, "stiffness": k}, {"w": sqrt(k / m), "a": -k / m * x + sin(x)})


def _expected(x_, m_, k_):
    return pytest.approx((math.sqrt(k_ / m_), -k_ / m_ * x_ + math.sin(x_)), rel=1e-15)


def test_a_fixed_function_gives_the_same_values(spring):
    fixed = spring.fix(mass=2.0, stiffness=8.0)
    assert [port.name for port in fixed.inputs] == ["x"]
    assert tuple(fixed(0.5)) == tuple(spring(0.5, 2.0, 8.0)) == _expected(0.5, 2.0, 8.0)
    assert "mass" in repr(fixed)


def test_a_fixed_function_in_batches(spring):
    fixed = spring.fix(mass=2.0, stiffness=8.0)
    at = np.linspace(-1, 1, 7)
    assert fixed.batch(at).a == pytest.approx(spring.batch(at, 2.0, 8.0).a, rel=1e-15)
    assert fixed.batch(x=at).w == pytest.approx([2.0] * 7)


def test_a_fixed_function_bound_to_arrays(spring):
    at, w, a = np.array(0.5), np.array(0.0), np.array(0.0)
    step = spring.fix(mass=2.0, stiffness=8.0).bind(x=at, w=w, a=a)
    step()
    assert (w.item(), a.item()) == _expected(0.5, 2.0, 8.0)


def test_a_fixed_function_keeps_its_parameters(spring):
    mass = np.array(2.0)
    fixed = spring.fix(mass=mass, stiffness=8.0)
    mass[...] = 100.0
    assert tuple(fixed(0.5)) == _expected(0.5, 2.0, 8.0)


def test_fixing_asks_for_all_parameters_and_nothing_else(spring):
    with refused("port-arguments-wrong"):
        spring.fix(mass=2.0)
    with refused("port-arguments-wrong"):
        spring.fix(mass=2.0, stiffness=8.0, x=1.0)
    with pytest.raises(PortError):
        spring.fix(mass=2.0, stiffness=8.0)(0.5, mass=3.0)


def test_a_fixed_parameter_cannot_be_replaced_when_binding():
    """What was computed from the old one would stay."""
    fixed = Function("g", {"x": x, "p": [m, k]}, {"y": m * k * x}).fix(p=[2.0, 3.0])
    with pytest.raises(PortError):
        fixed.bind(x=np.array(0.5), p=np.array([5.0, 7.0]), y=np.array(0.0))


def test_vector_parameters_are_fixed_too():
    g = Function("g", {"x": x, "p": [m, k]}, {"y": m * k * x})
    fixed = g.fix(p=[2.0, 3.0])
    assert fixed(5.0) == 30.0
    assert fixed.batch([1.0, 2.0]).tolist() == [6.0, 12.0]
    out = np.array(0.0)
    fixed.bind(x=np.array(1.0), y=out)()
    assert out == 6.0
