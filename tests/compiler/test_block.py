"""Functions for several states side by side."""

import numpy as np
import pytest
from tests.refusal import refused

from multibody.compiler import Function
from multibody.formalisms import derive
from multibody.graph import atan2, exp, sin, symbol, symbols, where
from multibody.testing import random_arguments, random_system


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("seed", range(3))
def test_every_lane_is_what_a_single_call_gives(seed, lanes):
    """Nothing passes from one lane to another: not states, not inputs, not parameters."""
    eom = derive(random_system(seed, 4))
    function = eom.forward_dynamics
    drawn = [random_arguments(eom.model, 100 * seed + k) for k in range(lanes)]
    states = [(*values[:-1], values[-1] * (1 + 0.1 * k)) for k, values in enumerate(drawn)]
    ports = [port.name for port in function.inputs]
    arrays = {
        name: np.stack([np.asarray(state[k], float) for state in states], axis=-1) for k, name in enumerate(ports)
    }
    out = {port.name: np.full((*port.shape, lanes), np.nan) for port in function.outputs}
    bound = function.block(lanes).bind(**{name: np.ascontiguousarray(one) for name, one in arrays.items()}, **out)
    bound.prepare()
    bound()
    expected = np.stack([function(*state) for state in states], axis=-1)
    np.testing.assert_allclose(next(iter(out.values())), expected, rtol=1e-12, atol=1e-12)


def test_functions_that_are_called_number_by_number_and_conditions():
    x, m = symbols("x y"), symbol("m", "parameter")
    outputs = {"z": [where(x[0] < m, exp(x[1]), sin(x[0])), atan2(x[0], x[1]), m * m, x[0]]}
    function = Function("mixed", {"x": x, "m": m}, outputs)
    states, weights, result = np.random.default_rng(1).normal(size=(2, 8)), np.linspace(-1, 1, 8), np.zeros((4, 8))
    bound = function.block(8).bind(x=states, m=weights, z=result)
    bound.prepare()
    bound()
    expected = [
        np.where(states[0] < weights, np.exp(states[1]), np.sin(states[0])), np.arctan2(*states), weights**2, states[0]
    ]  # fmt: skip
    np.testing.assert_allclose(result, expected, rtol=1e-14)


def test_arrays_need_a_dimension_for_the_lanes():
    x = symbol("x")
    function = Function("same", {"x": x}, {"y": x})
    with refused("array-not-usable"):
        function.block(4).bind(x=np.zeros(3), y=np.zeros(4))
