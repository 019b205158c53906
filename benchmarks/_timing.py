"""How everything here is timed: the best of several runs, since noise only ever adds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any, NamedTuple


def best(run: Callable[[], Any], repeats: int = 7) -> tuple[float, Any]:
    """The shortest of several runs in seconds, and what the last one returned."""
    shortest, result = float("inf"), None
    for _ in range(repeats):
        result = None  # drop the previous one first: nothing is found that should be made
        start = perf_counter()
        result = run()
        shortest = min(shortest, perf_counter() - start)
    return shortest, result


def per_call(call: Callable[[], Any], seconds: float = 0.3) -> float:
    """Seconds per call, the best of several rounds of many calls."""
    call()
    rounds = max(1, int(seconds / 7 / max(1e-7, best(call, 3)[0])))

    def run() -> None:
        for _ in range(rounds):
            call()

    return best(run)[0] / rounds


class Run(NamedTuple):
    """What is timed beside others, and how many states it works on."""

    call: Callable[[], Any]
    states: int


def in_turn(runs: Mapping[str, Run], rounds: int) -> dict[str, float]:
    """Seconds per state of each, the best of some rounds; all of them in turn, for noise hits all."""
    times = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for name, run in runs.items():
            times[name] = min(times[name], best(run.call, 1)[0] / run.states)
    return times
