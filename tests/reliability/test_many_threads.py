"""Eight threads derive, compile, evaluate, simulate and linearize at once, and find what one thread finds."""

import gc
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import multibody as mb

from .small_models import FORMALISMS, crane, numbers

THREADS = 8


@pytest.fixture(autouse=True)
def _threads_take_turns_often():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    yield
    sys.setswitchinterval(before)


def at_once(work):
    barrier = Barrier(THREADS, timeout=120)

    def started(k):
        barrier.wait()
        return work(k)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(started, range(THREADS)))


def one_by_one(work):
    for k in range(THREADS):
        yield work(k)
        gc.collect()  # what was made before must not be found again


def found(system, formalism):
    """Text and numbers; constants in a text may be rounded as another model has rounded them."""
    eom = mb.derive(system, formalism)
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.12g}", str(eom)), numbers(eom)


def test_models_of_their_own():
    def work(k):
        return found(crane(f"crane{k}", links=1), FORMALISMS[k % len(FORMALISMS)])

    alone = list(one_by_one(work))
    assert at_once(work) == alone


def test_one_model_in_all_threads():
    def work(k):
        return found(crane("common", links=1), mb.Kane())

    alone = set(one_by_one(work))
    assert set(at_once(work)) == alone
    assert len(alone) == 1


def test_one_function_in_all_threads():
    eom = mb.derive(crane("evaluated"))
    states = [[0.1 * k, 0.2, -0.3] for k in range(THREADS)]

    def work(k):
        return [eom.forward_dynamics(0.0, states[k], [j, 0.0, 1.0], [k], [0.7]).tobytes() for j in range(200)]

    assert at_once(work) == [work(k) for k in range(THREADS)]
