"""Several threads build expressions at once: equal nodes are still one object, with the right value."""

import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from multibody.graph import cos, evaluate, gradient, sin, symbols, without_sharing
from multibody.graph.field import P

THREADS = 4
xs = symbols(" ".join(f"x{k}" for k in range(90)))


@pytest.fixture(autouse=True)
def _threads_take_turns_very_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def _at_once(work):
    """work(k) in THREADS threads that start together."""
    barrier = threading.Barrier(THREADS, timeout=120)

    def started(k):
        barrier.wait()
        return work(k)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


def _repeated(work, check, times=4):
    for _ in range(times):
        results = _at_once(work)
        for others in results[1:]:
            for one, other in zip(results[0], others, strict=True):
                check(one, other)


def _pairs():
    return [(a, b) for i, a in enumerate(xs) for b in xs[:i]]


def test_equal_sums_are_one_object():
    def check(one, other):
        assert one is other

    _repeated(lambda k: [a + b for a, b in _pairs()], check)


def test_differences_keep_their_sign():
    """One thread makes a - b while another makes b - a: each must get its own, not the other's."""
    pairs = _pairs()
    for _ in range(25):
        results = _at_once(lambda k: [a - b if k % 2 else b - a for a, b in pairs])
        for (a, b), (backward, forward, *_) in zip(pairs, zip(*results, strict=True), strict=True):
            assert (forward.fp, backward.fp) == ((a.fp - b.fp) % P, (b.fp - a.fp) % P)
            assert forward is -backward
        del results, forward, backward


def test_functions_products_and_derivatives_of_many_threads():
    def work(k):
        made = []
        for a, b in _pairs()[:400]:
            made.append(sin(a * b) / (cos(a) + 3))
            made += gradient(made[-1], [a])
        return made

    def check(one, other):
        assert one is other

    _repeated(work, check, times=2)


def test_a_node_that_was_dropped_is_made_again_only_once():
    def work(k):
        return [a * b + 7 for a, b in _pairs()[:1500]]

    for _ in range(6):  # from the second time on, the table holds the dead entries of the time before
        results = _at_once(work)
        assert all(len({id(node) for node in nodes}) == 1 for nodes in zip(*results, strict=True))
        del results


def test_different_expressions_in_different_threads():
    def work(k):
        total = xs[k]
        for j in range(1500):
            total = total * xs[k + 1] + j
        return evaluate(total, {xs[k]: 1.0, xs[k + 1]: 0.5})

    assert len(set(_at_once(work))) == 1


def test_sharing_is_switched_off_for_one_thread_only():
    def work(k):
        if k % 2:
            return [sin(a) ** 2 + cos(a) ** 2 for a in xs]
        with without_sharing():
            return [sin(a) ** 2 + cos(a) ** 2 for a in xs]

    for k, made in enumerate(_at_once(work)):
        assert all((node == 1) == bool(k % 2) for node in made)


def test_nothing_is_left_behind():
    results = _at_once(lambda k: [weakref.ref(a * b + 1000.25) for a, b in _pairs()])
    gc.collect()
    assert [ref() for refs in results for ref in refs if ref() is not None] == []
