"""What tests and doctests share: reproducible random examples, and a cache of machine code that is theirs alone."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "reproducible", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("reproducible")

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # matrices are small here: threads would only wait
    os.environ.setdefault(variable, "1")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started by nohup or in the background: the signal is ignored here, too, but not by the programs that tests start.
    # A new program inherits what is ignored, and forgets a handler.
    signal.signal(signal.SIGINT, lambda number, frame: None)

gc.set_threshold(50_000, 20, 20)  # expressions are trees without cycles: looking for these is time lost


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first, so that at the end no process waits for another one."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(scope="module", autouse=True)
def only_what_is_new() -> None:
    """What files before this one left alive is not looked through for cycles again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The user's cache of machine code stays out of it; all processes that test share one, also with later runs.

    Nothing stale can come out of it: machine code is found by the whole text that it was made from.
    """
    cache = getattr(request.config, "cache", None)  # pytest's own; it may be switched off
    folder = Path(cache.mkdir("machine_code")) if cache else tmp_path_factory.mktemp("machine_code")
    folder.chmod(0o700)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MULTIBODY_CACHE", str(folder))
        yield
