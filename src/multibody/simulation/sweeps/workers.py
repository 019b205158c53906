"""Workers: threads of this process, or those of a Dask cluster; groups of cases go out, outcomes come back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import Any

from multibody.errors import ModelError, MultibodyError
from multibody.simulation.sweeps.cases import Case
from multibody.simulation.sweeps.runner import Outcome, Runner
from multibody.simulation.sweeps.shipping import packed, unpacked

MOMENT = 0.1  # seconds that a group should take: results flow, and handing out costs next to nothing
AHEAD = 2  # groups for each worker that are handed out: one to work on, one to go on with
LARGEST = 1024  # cases in a group

Group = list[Case]
Promise = Future[list[Outcome]]


class WorkerError(MultibodyError, RuntimeError):
    """A worker was lost, or failed beside its runs."""

    code = "worker-lost"


class Pool:
    """Workers that take groups of cases.

    Args:
        submit: hands out a group.
        workers: how many work at the same time.
        stop: makes workers leave their groups after the run that they are at, where that is possible.
    """

    def __init__(
        self, submit: Callable[[Group], Promise], workers: int, stop: Callable[[], None] = lambda: None
    ) -> None:
        self._submit, self._workers, self._stop = submit, workers, stop
        self._size = 1
        self._under_way: set[Promise] = set()

    def outcomes(self, cases: Iterable[Case], count: int) -> Iterator[list[Outcome]]:
        """The outcomes of all cases, group by group, as they come; a bounded number of groups is on its way."""
        waiting = iter(cases)
        while True:
            while len(self._under_way) < AHEAD * self._workers and (group := self._group(waiting, count)):
                self._under_way.add(self._submit(group))
                count -= len(group)
            if not self._under_way:
                return
            for promise in wait(self._under_way, return_when=FIRST_COMPLETED).done:
                found = _result(promise)
                self._adapt(found)
                yield found
                self._under_way.discard(promise)  # only now: an interruption may have come before it was stored

    def rest(self) -> list[list[Outcome]]:
        """Hand out no more; the outcomes of what cannot be called back."""
        self._stop()
        for promise in self._under_way:
            promise.cancel()
        return [task.result() for task in self._under_way if not task.cancelled() and task.exception() is None]

    def _group(self, cases: Iterator[Case], left: int) -> Group:
        """The next cases; towards the end groups become smaller, so that all workers end at the same time."""
        fair = -(-left // (AHEAD * self._workers))
        return list(islice(cases, max(1, min(self._size, fair))))

    def _adapt(self, found: list[Outcome]) -> None:
        """Groups that take a moment."""
        seconds = sum(outcome.seconds for outcome in found) / max(1, len(found))
        self._size = int(max(1, min(LARGEST, 4 * self._size, MOMENT / max(seconds, 1e-6))))


def _result(promise: Promise) -> list[Outcome]:
    try:
        return promise.result()
    except Exception as error:
        raise WorkerError(
            "A worker did not come back with its runs.",
            cause=f"{type(error).__name__}: {error}",
            remedy="What was done before is kept if the sweep has a path; start it again to go on from there.",
        ) from error


@contextmanager
def pool(runner: Runner, workers: int | None, client: Any) -> Iterator[Pool]:
    """Threads here, or the workers of a Dask client."""
    if client is None:
        with _threads(runner, workers or os.cpu_count() or 1) as found:
            yield found
    elif workers is None:
        recipe = client.scatter(packed(runner), hash=False, broadcast=True)  # a worker may be lost
        executor = client.get_executor(pure=False)
        yield Pool(partial(executor.submit, run_elsewhere, recipe), sum(client.nthreads().values()) or 1)
    else:
        raise ModelError(
            "Both workers and a client.",
            code="workers-and-client",
            where="sweep",
            remedy="A client brings its own workers.",
        )


@contextmanager
def _threads(runner: Runner, workers: int) -> Iterator[Pool]:
    """Threads; the compiled loops release the interpreter's lock. On the way out they end the run that they are at."""
    stop = Event()
    crew = _Crew(partial(runner.run, stopped=stop.is_set), workers)
    try:
        yield Pool(crew.submit, workers, stop.set)
    finally:
        stop.set()
        crew.dismiss()


class _Crew:
    """Threads that do nothing but run groups of cases.

    The interpreter does not wait for them when it ends, as it would for those of ``ThreadPoolExecutor``: a sweep in
    another thread must not hold up the end of a program for as long as its runs take.
    """

    def __init__(self, work: Callable[[Group], list[Outcome]], count: int) -> None:
        self._work = work
        self._waiting: SimpleQueue[tuple[Promise, Group] | None] = SimpleQueue()
        self._threads = [Thread(target=self._serve, name=f"multibody-sweep-{k}", daemon=True) for k in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(self, group: Group) -> Promise:
        promise: Promise = Future()
        self._waiting.put((promise, group))
        return promise

    def dismiss(self) -> None:
        """Call back what was not begun, and wait for the rest."""
        while not self._waiting.empty():
            with suppress(Empty):
                task = self._waiting.get_nowait()
                assert task is not None, "the crew is dismissed once"
                task[0].cancel()
        for _ in self._threads:
            self._waiting.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        while (task := self._waiting.get()) is not None:
            promise, group = task
            if not promise.set_running_or_notify_cancel():
                continue
            try:
                promise.set_result(self._work(group))
            except BaseException as error:  # noqa: BLE001 - whoever waits for the group receives it
                promise.set_exception(error)


def run_elsewhere(recipe: bytes, cases: Group) -> list[Outcome]:
    """What a worker of Dask does with a group."""
    return _arrived(recipe).run(cases)


@lru_cache(maxsize=2)
def _arrived(recipe: bytes) -> Runner:
    """The runner of a sweep, unpacked once in each process."""
    runner = unpacked(recipe)
    assert isinstance(runner, Runner)
    return runner
