"""Many states at once give what single calls give, for every size, with every number of threads."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.refusal import refused

from multibody.compiler import Function
from multibody.errors import ShapeError
from multibody.graph import Table, atan2, cos, exp, maximum, sin, sqrt, symbols, tan, where

q = symbols("q1 q2 q3", "coordinate")
x = symbols("x")[0]
m, k = symbols("m k", "parameter")
TABLE = Table("t", [-1, 0, 2], [1, 0, 3], "cubic")


@pytest.fixture(scope="module")
def arm():
    """All that differs between one lane and many: calls to the library, tables, choices, tangents, hoisted values."""
    outputs = {
        "position": [m * cos(q[0] + q[1]), m * sin(q[0]) + k, tan(q[2] / 3)],
        "matrix": [[sqrt(m) * q[0], 0], [atan2(q[1], m), TABLE(q[2])]],
        "choice": where((q[0] < q[1]) & (x < m), exp(x), maximum(q[2], x)),
        "passed": x,
        "constant": [1.5, k],
    }
    return Function("arm", {"q": q, "x": x, "m": m, "k": k}, outputs)


def _states(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.uniform(-2, 2, (n, 3)), rng.uniform(-2, 2, n), rng.uniform(0.1, 2, n)


def _one_by_one(function, qs, xs, ms, ks):
    ms, ks = np.broadcast_to(ms, len(qs)), np.broadcast_to(ks, len(qs))
    results = [function(*state) for state in zip(qs, xs, ms, ks, strict=True)]
    return [np.array([result[k] for result in results]) for k in range(len(function.outputs))]


def _check(batch, expected):
    for got, want in zip(batch, expected, strict=True):
        assert got.shape == want.shape
        np.testing.assert_array_max_ulp(got, want, maxulp=4)


@pytest.mark.parametrize("n", [*range(1, 10), 15, 16, 17, 1000])
def test_every_size_with_shared_parameters(arm, n):
    qs, xs, _ = _states(n)
    _check(arm.batch(qs, xs, 1.25, 0.5), _one_by_one(arm, qs, xs, 1.25, 0.5))


@pytest.mark.parametrize("n", [1, 3, 8, 13])
def test_parameters_that_differ_from_state_to_state(arm, n):
    qs, xs, ms = _states(n, seed=1)
    _check(arm.batch(qs, xs, ms, ms / 3), _one_by_one(arm, qs, xs, ms, ms / 3))
    _check(arm.batch(qs, xs, ms, 0.25), _one_by_one(arm, qs, xs, ms, 0.25))


def test_inputs_that_all_states_share(arm):
    qs, _, _ = _states(11)
    _check(arm.batch(qs, 0.75, 1.0, 2.0), _one_by_one(arm, qs, np.full(11, 0.75), 1.0, 2.0))
    xs = np.linspace(-1, 1, 11)
    _check(arm.batch([0.1, 0.2, 0.3], xs, 1.0, 2.0), _one_by_one(arm, np.tile([0.1, 0.2, 0.3], (11, 1)), xs, 1.0, 2.0))


@pytest.mark.parametrize("threads", [None, 0, 1, 2, 3, 8, 100])
@pytest.mark.parametrize("n", [1, 7, 129])
def test_any_number_of_threads(arm, threads, n):
    qs, xs, ms = _states(n, seed=2)
    _check(arm.batch(qs, xs, ms, 0.5, threads=threads), _one_by_one(arm, qs, xs, ms, 0.5))


def test_threads_are_started_when_there_is_enough_to_do(arm, monkeypatch):
    from multibody.compiler import batch

    started = []
    monkeypatch.setattr(batch, "WORTH_A_THREAD", 100)
    monkeypatch.setattr(batch.os, "cpu_count", lambda: 3)
    monkeypatch.setattr(batch, "ThreadPoolExecutor", lambda n: started.append(n) or ThreadPoolExecutor(n))
    qs, xs, ms = _states(300)
    _check(arm.batch(qs, xs, ms, 0.5), _one_by_one(arm, qs, xs, ms, 0.5))
    assert started == [3]


@pytest.mark.parametrize("threads", [None, 1, 4])
def test_no_states_give_no_results(arm, threads):
    results = arm.batch(np.zeros((0, 3)), np.zeros(0), 1.0, 2.0, threads=threads)
    assert [result.shape for result in results] == [(0, 3), (0, 2, 2), (0,), (0,), (0, 2)]
    assert Function("f", {"x": x}, {"y": x * 2}).batch([]).shape == (0,)


def test_not_a_number_in_one_state_stays_there(arm):
    qs, xs, ms = _states(9)
    clean = arm.batch(qs, xs, ms, 0.5)
    qs[4], xs[4] = np.nan, np.nan
    spoiled = arm.batch(qs, xs, ms, 0.5)
    others = np.arange(9) != 4
    for a, b in zip(clean, spoiled, strict=True):
        np.testing.assert_array_max_ulp(a[others], b[others], maxulp=4)
    assert np.isnan(spoiled.position[4, [0, 1, 2]]).all()
    assert np.isnan(spoiled.choice[4])


def test_a_result_does_not_depend_on_the_states_beside_it():
    """Bit for bit: a batch is reproducible however it is cut into pieces."""
    f = Function("f", {"x": x}, {"y": sin(x) * 3 + cos(x)})
    angles = np.random.default_rng(0).uniform(-100, 100, 4000)
    beside_large = np.repeat(angles, 2)
    beside_large[1::2] = 1e6
    assert np.array_equal(f.batch(angles), f.batch(beside_large)[::2])


def test_large_angles_in_one_state_do_not_disturb_its_neighbours():
    f = Function("f", {"x": x}, {"s": sin(x), "c": cos(x)})
    angles = np.array([0.1, 1e5 + 1, 0.2, 1e22, -3.0, 1e300, 0.3, np.inf, 0.4])
    s, c = f.batch(angles)
    for k, angle in enumerate(angles):
        assert (s[k], c[k]) == pytest.approx(tuple(f(angle)), rel=5e-16, nan_ok=True)


def test_several_python_threads_start_batches_at_once(arm):
    qs, xs, ms = _states(64)
    expected = arm.batch(qs, xs, ms, 0.5, threads=1)
    barrier = threading.Barrier(6, timeout=120)

    def work(number):
        barrier.wait()
        for _ in range(30):
            _check(arm.batch(qs, xs, ms, 0.5, threads=1 + number % 3), expected)
        return True

    with ThreadPoolExecutor(6) as pool:
        assert all(pool.map(work, range(6)))


def test_layouts_and_types_of_arguments(arm):
    qs, xs, ms = _states(12)
    expected = arm.batch(qs, xs, ms, 0.5)
    wide = np.zeros((12, 6))
    wide[:, ::2] = qs
    _check(arm.batch(wide[:, ::2], xs[::-1][::-1], ms.tolist(), np.float32(0.5)), expected)
    _check(arm.batch(np.asfortranarray(qs), xs, ms, 0.5), expected)
    assert arm.batch(np.zeros((2, 3), dtype=int), [1, 2], 1, 1).passed.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda f: f.batch([0.1, 0.2, 0.3], 1.0, 1.0, 1.0),
        lambda f: f.batch(np.zeros((4, 3)), np.zeros(5), 1.0, 1.0),
        lambda f: f.batch(np.zeros((4, 2)), np.zeros(4), 1.0, 1.0),
        lambda f: f.batch(np.zeros((2, 4, 3)), np.zeros(4), 1.0, 1.0),
        lambda f: f.batch(np.zeros((4, 3)), ["a"] * 4, 1.0, 1.0),
    ],
)
def test_batches_that_do_not_fit_are_refused(arm, call):
    with pytest.raises(ShapeError):
        call(arm)


def test_missing_arguments_are_named(arm):
    with refused("port-arguments-wrong"):
        arm.batch(np.zeros((4, 3)), np.zeros(4), 1.0)
