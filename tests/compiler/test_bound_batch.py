"""Many states in arrays that stay in place."""

import numpy as np
import pytest
from tests.refusal import refused

from multibody.compiler import Function
from multibody.graph import sqrt, symbol, symbols

X, (U, V), M = symbol("x"), symbols("u v"), symbol("m", "parameter")
POWER = Function("power", {"x": X, "w": [U, V], "m": M}, {"P": X * U * sqrt(M), "pair": [U + V, U - V]})


def memory(states=7):
    """Arrays for POWER whose rows are parts of longer ones."""
    rows = np.random.default_rng(3).normal(size=(states, 5))
    return {
        "x": rows[:, 0],
        "w": rows[:, 2:4],
        "m": np.array(4.0),
        "P": np.zeros(states),
        "pair": np.zeros((states, 2)),
    }


def test_rows_may_be_parts_of_longer_rows():
    arrays = memory()
    POWER.bind_batch(**arrays)(7)
    x, (u, v) = arrays["x"], arrays["w"].T
    assert arrays["P"] == pytest.approx(2 * x * u, rel=1e-15)
    assert np.array_equal(arrays["pair"], np.stack([u + v, u - v], axis=1))


def test_only_the_first_states_are_evaluated_again_with_new_numbers():
    arrays = memory()
    call = POWER.bind_batch(**arrays)
    call(7)
    before = arrays["P"].copy()
    arrays["x"][:] *= 3
    call(5)
    assert arrays["P"] == pytest.approx(np.where(np.arange(7) < 5, 3, 1) * before, rel=1e-15)


@pytest.mark.parametrize("states", [-1, 8])
def test_there_is_no_memory_for_more_states(states):
    with refused("states-count-too-large"):
        POWER.bind_batch(**memory())(states)


@pytest.mark.parametrize(
    ("name", "array"),
    [
        ("x", np.zeros((7, 1))),
        ("w", np.zeros((7, 3))),
        ("w", np.zeros((2, 7)).T),  # the numbers of a state are not side by side
        ("w", np.zeros((7, 2), dtype=np.float32)),
        ("P", np.zeros(())),  # an output is not shared
        ("x", [1.0] * 7),
    ],
)
def test_arrays_that_do_not_fit(name, array):
    with refused("array-not-usable") as error:
        POWER.bind_batch(**(memory() | {name: array}))
    assert f"port '{name}'" in str(error.value)


def test_outputs_that_overlap_or_cannot_be_written():
    arrays = memory()
    with refused("array-not-usable", "P"):
        POWER.bind_batch(**(arrays | {"P": arrays["x"]}))
    arrays["P"].flags.writeable = False
    with refused("array-not-usable", "P"):
        POWER.bind_batch(**arrays)


def test_all_ports_need_arrays():
    with refused("port-arguments-wrong"):
        POWER.bind_batch(**{name: array for name, array in memory().items() if name != "pair"})
