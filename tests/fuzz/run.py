"""Looks for inputs that a reader does not stand, guided by what they reach in its code: atheris, on libFuzzer.

  python -m tests.fuzz.run NAME [SECONDS] [--keep | --merge]

begins with what is in ``corpus/NAME``, takes SECONDS of new attempts (3 unless told), and ends with 0 if there were no
findings. A finding is left as ``out/fuzz/NAME-…``. With ``--keep``, inputs that reach something new are kept in
``out/fuzz/corpus/NAME``, from which the next such run goes on; ``--merge`` takes the shortest ones that reach all that
these and the corpus reach, and makes them the corpus.
"""

from __future__ import annotations

import gc
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import NoReturn

from .parsers import PARSERS, attempt
from .watch import playground, watched

HERE = Path(__file__).resolve().parent
CORPUS = HERE / "corpus"
OUT = HERE.parents[1] / "out" / "fuzz"
MEGABYTES = 2048
"""Of memory, for the whole process."""


def follow(modules: tuple[str, ...]) -> None:
    """Let the fuzzer see which ways are taken in these modules."""
    import atheris

    for one in gc.get_objects():
        if isinstance(one, FunctionType) and f"{one.__module__}.".startswith(tuple(f"{name}." for name in modules)):
            atheris.instrument_func(one)


def dictionary(words: str, folder: Path) -> Path:
    """Words for the fuzzer, in a file of its own format."""
    path = folder / "words.dict"
    coded = ("".join(f"\\x{byte:02x}" for byte in word.encode("utf-8", "surrogatepass")) for word in words.split())
    path.write_text("".join(f'"{one}"\n' for one in coded))
    return path


def prepared(name: str, folder: Path) -> Callable[[bytes], None]:
    """What is to be tried: the reader, with all that it imports late, under observation."""
    parser = PARSERS[name]
    for path in sorted((CORPUS / name).iterdir())[:50]:
        with suppress(Exception):
            attempt(parser, path.read_bytes(), folder)
    follow(parser.followed)

    def one(data: bytes) -> None:
        with watched(folder):
            attempt(parser, data, folder)

    return one


def fuzz(name: str, program: Path, *options: str) -> NoReturn:
    """Hand this process over to the fuzzer, with options of its own."""
    import atheris

    atheris.Setup([str(program), *options], prepared(name, program.parent))
    atheris.Fuzz()
    raise AssertionError  # it ends the process


LONGEST = 24 * 3600
"""Seconds; no campaign runs longer."""


def fuzzed(name: str, folder: Path, *options: str) -> int:
    """The fuzzer in a process of its own, which it may end as it likes, or start anew; its exit code."""
    again = folder / "again"
    again.write_text(f'#!/bin/sh\nexec {sys.executable} -m tests.fuzz.run {name} "$0" "$@"\n')
    again.chmod(0o700)
    return subprocess.run(
        [again, f"-max_len={PARSERS[name].longest}", *options], check=False, timeout=LONGEST
    ).returncode


def attempts(name: str, seconds: str, folder: Path, fresh: Path) -> int:
    """New attempts, from the corpus on; what reaches something new goes into ``fresh``."""
    for made in (OUT, fresh):
        made.mkdir(parents=True, exist_ok=True)
    words = [f"-dict={dictionary(PARSERS[name].words, folder)}"] if PARSERS[name].words else []
    return fuzzed(
        name, folder, f"-max_total_time={seconds}", "-seed=1", "-timeout=30", f"-rss_limit_mb={MEGABYTES}",
        f"-artifact_prefix={OUT}/{name}-", "-print_final_stats=1", *words, str(fresh), str(CORPUS / name),
    )  # fmt: skip


def merge(name: str, folder: Path, kept: Path) -> int:
    """Make the shortest inputs that reach every place the corpus; those with names that tell stay as they are."""
    found, corpus = folder / "found", CORPUS / name
    for made in (found, kept):
        made.mkdir(parents=True, exist_ok=True)
    named = [path for path in corpus.iterdir() if len(path.name) != 40]  # the fuzzer's names have 40 letters
    code = fuzzed(name, folder, "-set_cover_merge=1", "-use_counters=0", str(found), str(corpus), str(kept))
    if code == 0:
        known = {path.read_bytes() for path in named}
        for old in {*corpus.iterdir()} - {*named}:
            old.unlink()
        for new in found.iterdir():
            if new.read_bytes() not in known:
                shutil.copy(new, corpus)
    return code


def main(name: str, seconds: str = "3", *options: str) -> int:
    """Fuzz one reader, or tidy up after that."""
    if find_spec("atheris") is None:
        print("There is no atheris for this platform: nothing was tried.", file=sys.stderr)
        return 0
    if seconds.startswith("/"):  # the fuzzer itself
        fuzz(name, Path(seconds), *options)
    kept = OUT / "corpus" / name
    with playground() as given:
        folder = Path(given)
        if options == ("--merge",):
            return merge(name, folder, kept)
        return attempts(name, seconds, folder, kept if options == ("--keep",) else folder / "fresh")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
