"""The same model gives the same text, the same fingerprints, the same machine code and the same numbers.

In every process, with every seed of Python's hashes, after whatever was made before, and in a thread.
"""

from concurrent.futures import ThreadPoolExecutor

import pytest

from .children import said

MADE = """
import hashlib, sys, threading
from pathlib import Path
from tempfile import TemporaryDirectory
import multibody as mb
from multibody.compiler import engine
from multibody.simulation.results.digests import equations_digest
from small_models import FORMALISMS, crane, numbers

def digest(*parts):
    return hashlib.sha256("\\0".join(map(str, parts)).encode()).hexdigest()[:16]

def railed():
    system = mb.System("railed", gravity=(0, 0, -9.81))
    crank, rod = (system.body(name, 1.0, (0.5, 0, 0), mb.diag(0, 0.1, 0.1)) for name in ("crank", "rod"))
    system.joint("a", system.world, crank, "Ry", q=0.3)
    system.joint("b", crank.frame("end", (1, 0, 0)), rod, "Ry", q=-0.6)
    system.constraint(system.world, rod.frame("tip", (1, 0, 0)), translation="z", name="rail")
    return system

TARGETS = [mb.C(), mb.Cpp(), mb.Python(), mb.Matlab(), mb.Modelica(), mb.Fmi(), mb.Jax(), mb.Casadi(), mb.Julia(),
           mb.Rust(), mb.JavaScript(), mb.Latex(seconds=1.0), mb.Markdown(seconds=1.0)]

def files(folder):
    return [(path.name, path.read_bytes()) for path in sorted(Path(folder).rglob("*")) if path.is_file()]

def print_facts():
    programs, build = [], engine.build
    engine.build = lambda *given: programs.append(given[0]) or build(*given)
    for formalism in FORMALISMS:
        eom = mb.derive(crane(f"by_{formalism}".strip("()"), links=1), formalism)
        print("text", formalism, digest(eom, eom.to_latex()))
        print("fingerprints", formalism, digest([a.fp for a in eom.acceleration], equations_digest(eom)))
        print("numbers", formalism, digest(numbers(eom)))
    engine.build = build
    short = [program for program in programs if len(program) < 30_000]
    print("machine code", len(short), digest(*short, *(engine._compiled(program, engine.CAREFUL) for program in short)))
    eom = mb.derive(crane())
    for target in TARGETS:
        with TemporaryDirectory() as folder:
            mb.export(eom, target, folder)
            print("export", type(target).__name__, digest(files(folder)))
    loop = mb.derive(railed())
    run = mb.simulate(loop, 0.3, samples=7)
    print("loop", digest(loop, run.y.tobytes()))
    print("model file", digest(mb.model_text(crane())))
    with TemporaryDirectory() as folder:
        mb.write_page(crane(), f"{folder}/page.html")
        mb.picture(crane(), f"{folder}/picture.png", size=(80, 60))
        run.save(f"{folder}/run.csv")
        for name, content in files(folder):
            print(name, digest(content))
"""
PLAIN = "print_facts()"
AFTER_OTHERS = """
held = [mb.derive(crane(f"before{k}", links=1 + k % 2), FORMALISMS[k % 6]) for k in range(8)]
texts = [str(one) for one in held[::2]]
12.25 * held[0].coordinates[0] * 5.333333333333333
print_facts()
"""
IN_A_THREAD = """
thread = threading.Thread(target=print_facts)
thread.start()
thread.join()
"""


@pytest.fixture(scope="module")
def plain():
    return said(MADE + PLAIN, PYTHONHASHSEED="0").splitlines()


@pytest.mark.parametrize(("way", "seed"), [(AFTER_OTHERS, "1"), (IN_A_THREAD, "random")], ids=["history", "thread"])
def test_everything_is_the_same(plain, way, seed):
    assert said(MADE + way, PYTHONHASHSEED=seed).splitlines() == plain


def test_a_busy_machine_finds_the_same_text():
    """The search for short forms counts its steps, and reads no clock."""
    code = (
        "import multibody as mb; from small_models import *\n"
        "print(mb.derive(crane(links=2), mb.Kane()).readable(seconds=0.2))"
    )
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(lambda _: said(code), range(4)))) == 1
