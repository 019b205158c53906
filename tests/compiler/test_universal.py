"""Plain calls broadcast over leading dimensions, as NumPy's functions do, with the results of single calls."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from tests.refusal import refused

from multibody.compiler import Function
from multibody.compiler.ufunc import MOST_PORTS
from multibody.graph import Table, atan2, cos, exp, sin, sqrt, symbol, symbols, where

q = symbols("q1 q2 q3", "coordinate")
x = symbol("x")
m, k = symbols("m k", "parameter")
TABLE = Table("t", [-1, 0, 2], [1, 0, 3], "cubic")


@pytest.fixture(scope="module")
def arm():
    """Vectors, matrices and scalars, hoisted values, tables, branches; and a port without numbers."""
    outputs = {
        "position": [m * cos(q[0] + q[1]), m * sin(q[0]) + k, exp(q[2])],
        "matrix": [[sqrt(m) * q[0], 0], [atan2(q[1], m), TABLE(q[2])]],
        "choice": where(q[0] < x, 1 / x, q[2] + k),
    }
    return Function("arm", {"q": q, "x": x, "none": [], "p": [m, k]}, outputs)


def values(*states, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, (*states, 3)), rng.uniform(-2, 2, states), [], rng.uniform(0.1, 2, (*states, 2))


def one_by_one(function, given, states):
    """The outputs of single calls, in arrays with the dimensions for states."""
    arrays = [np.asarray(one, dtype=float) for one in given]
    full = [np.broadcast_to(a, states + p.shape) for a, p in zip(arrays, function.inputs, strict=True)]
    results = [function(*(a[index] for a in full)) for index in np.ndindex(states)]
    return [np.reshape([one[j] for one in results], states + p.shape) for j, p in enumerate(function.outputs)]


def same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


@pytest.mark.parametrize("states", [(1,), (2,), (7,), (8,), (50,), (3, 4), (2, 1, 5)])
@pytest.mark.parametrize("share", ["parameters", "position", "nothing"])
def test_calls_with_many_states_give_what_single_calls_give(arm, states, share):
    given = list(values(*states))
    if share != "nothing":
        changed = 3 if share == "parameters" else 0
        given[changed] = given[changed][(0,) * len(states)]
    for _ in range(2):  # the first call with many states goes through them one by one
        assert same(arm(*given), one_by_one(arm, given, states))


def test_dimensions_are_broadcast(arm):
    positions, numbers = values(4, 1)[0], np.linspace(-1, 1, 3)
    parameters = [1.3, 0.7]
    found = arm(positions, numbers, [], parameters)
    assert found.matrix.shape == (4, 3, 2, 2)
    assert same(found, one_by_one(arm, (positions, numbers, np.zeros((4, 3, 0)), parameters), (4, 3)))


STRIDES = {
    "reversed": lambda a: a[::-1].copy()[::-1],
    "every other": lambda a: np.repeat(a, 2, axis=0)[::2],
    "columns first": lambda a: np.array(a, order="F"),
    "entries apart": lambda a: np.repeat(a, 3, axis=-1)[..., ::3],
    "not aligned": lambda a: np.frombuffer(b"x" + a.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(a.shape),
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "other byte order": lambda a: a.astype(">f8"),
    "lists": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", STRIDES)
def test_any_layout_of_memory_is_read(arm, layout):
    positions, numbers, none, parameters = values(9)
    changed = STRIDES[layout]
    given = changed(positions), changed(numbers), none, changed(parameters)
    plain = [np.array(one, dtype=float) for one in given]
    for _ in range(2):
        assert same(arm(*given), arm(*plain))
    assert same(arm(*given), one_by_one(arm, [*plain[:2], np.zeros((9, 0)), plain[3]], (9,)))


def test_outputs_are_written_into_arrays(arm):
    given = values(6)
    expected = arm(*given)
    wide = np.zeros((6, 6))
    position, matrix = wide[:, ::2], np.empty((6, 2, 2), order="F")
    found = arm(*given, out={"position": position, "matrix": matrix})
    assert found.position is position
    assert found.matrix is matrix
    assert same(found, expected)
    assert not wide[:, 1::2].any()


def test_an_output_may_overlap_an_input():
    swap = Function("swap", {"q": q}, {"r": [q[2], q[0], q[1] + q[0]]})
    state = np.array([1.0, 2.0, 4.0])
    swap(state, out=state)
    assert state.tolist() == [4.0, 1.0, 3.0]


def test_arrays_that_cannot_take_the_output_are_refused(arm):
    given = values(3)
    for out in (np.zeros(3), {"position": np.zeros((3, 3), dtype=np.float32)}, {"speed": np.zeros((3, 3))}, [1.0]):
        with refused("array-not-usable"):
            arm(*given, out=out)


def test_a_scalar_is_a_float_and_many_are_an_array():
    square = Function("square", {"x": x}, {"y": x * x})
    assert type(square(3)) is float
    assert type(square(np.float32(3))) is float
    assert square([[1], [2]]).tolist() == [[1.0], [4.0]]
    assert square(np.zeros((0,))).shape == (0,)


def test_unused_branches_and_infinities_are_not_warned_of(arm):
    """NumPy would look at the flags of the processor, which unused branches set too; warnings are errors here."""
    assert np.isfinite(arm([0.0, 1.0, 2.0], 0.0, [], [1.0, 1.0]).choice)
    inverse = Function("inverse", {"x": x}, {"y": 1 / x})
    assert inverse(0.0) == np.inf
    assert np.isnan(Function("root", {"x": x}, {"y": sqrt(x)})(-1.0))


WRONG = {
    "three numbers for two": ([0, 0, 0], 1.0, [], [1, 2, 3]),
    "states differ": (np.zeros((3, 3)), np.zeros(2), [], [1, 2]),
    "states last": (np.zeros((3, 5)), 1.0, [], [1, 2]),
    "a number for a vector": (1.0, 1.0, [], [1, 2]),
    "numbers where there are none": ([0, 0, 0], 1.0, [1.0], [1, 2]),
    "text": ("abc", 1.0, [], [1, 2]),
    "complex": ([0, 0, 1j], 1.0, [], [1, 2]),
    "nothing": (None, 1.0, [], [1, 2]),
    "objects": (np.array([x, x, x]), 1.0, [], [1, 2]),
}


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_named_as_before(arm, case):
    code = {"states differ": "states-count-ambiguous"}.get(
        case, "value-not-numeric" if case in {"text", "complex", "nothing", "objects"} else "array-wrong-shape"
    )
    with refused(code):
        arm(*WRONG[case])


def test_functions_with_many_ports_broadcast_as_well():
    symbols_ = symbols(" ".join(f"x{j}" for j in range(MOST_PORTS)))
    total = Function("total", {s.name: s for s in symbols_}, {"sum": sum(symbols_), "pair": [symbols_[0], symbols_[1]]})
    found = total(*[np.arange(4.0)] + [1.0] * (MOST_PORTS - 1))
    assert found.sum.tolist() == [59.0, 60.0, 61.0, 62.0]
    assert found.pair.shape == (4, 2)
    assert total(*[1.0] * MOST_PORTS).sum == 60.0


def test_the_signature_names_the_ports(arm):
    assert list(inspect.signature(arm).parameters) == ["q", "x", "none", "p", "out"]


FREED = """
import gc, weakref
import numpy as np
from multibody.compiler import Function
from multibody.graph import symbol
gc.disable()
x = symbol("x")
f = Function("f", {"x": x}, {"y": x * x})
f(2.0), f(np.ones(3)), f(np.ones(3))
library = weakref.ref(f._library)
del f
print(library() is None)
"""


def test_machine_code_is_freed_with_the_function():
    done = subprocess.run([sys.executable, "-c", FREED], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout.strip() == "True"
