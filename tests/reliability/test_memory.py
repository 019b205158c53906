"""Memory stays flat, whatever is made and dropped again."""

import sys

import pytest

from .children import said

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system says in another way how much is in use")

MEASURED = """
import gc, sys
from pathlib import Path
import multibody as mb
from multibody.graph import live_nodes, sin, symbol
from small_models import FORMALISMS, crane, moved

def used():
    gc.collect()
    size = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(size.split()[1]), live_nodes(), len(Path("/proc/self/maps").read_text().splitlines())

def print_growth(cycle, warm_up, cycles):
    for k in range(10_000):  # fills all that is remembered of symbols and angles, within bounds
        sin(symbol(f"w{k}"))
    for k in range(warm_up):
        cycle(k)
    before = used()
    for k in range(warm_up, warm_up + cycles):
        cycle(k)
    print(*(b - a for a, b in zip(before, used())))
"""
DERIVED = """
def cycle(k):
    system = mb.System(f"model{k}", gravity=(0, 0, -9.81))
    mass, length = system.parameters(**{f"m{k}": 1.0 + k, f"l{k}": 0.5 + k / 7})
    system.joint(f"angle{k}", system.world, system.body(f"bob{k}", mass, (0, 0, -length)), "Ry", q=0.1)
    return mb.derive(system, FORMALISMS[k % len(FORMALISMS)])

print_growth(cycle, 1_500, 10_000)
"""
COMPILED = """
from multibody.compiler import Function

x = symbol("x")
def cycle(k):
    return Function("f", {"x": x}, {"y": sin(x) * (k + 1.5) + x})(0.5)

print_growth(cycle, 40, 300)
"""
SIMULATED = """
def cycle(k):
    eom = mb.derive(crane(f"crane{k}", links=1), FORMALISMS[k % len(FORMALISMS)])
    return moved(eom, 0.01)["tip"]

print_growth(cycle, 40, 120)
"""


def test_memory_is_flat_over_ten_thousand_derivations():
    kilobytes, nodes, _ = map(int, said(MEASURED + DERIVED).split())
    assert nodes == 0
    assert kilobytes < 3000  # 0.3 of them for each derivation would be a leak


def test_machine_code_that_nobody_holds_is_freed():
    """Each function differs from all others, and is compiled."""
    kilobytes, nodes, maps = map(int, said(MEASURED + COMPILED, MULTIBODY_CACHE="off").split())
    assert nodes < 10
    assert maps < 10, "memory for machine code is not given back"
    assert kilobytes < 400  # what was lost once was 1.7 for each, 510 in all


def test_runs_that_nobody_holds_are_freed():
    kilobytes, nodes, maps = map(int, said(MEASURED + SIMULATED).split())
    assert nodes < 200  # those of the last few models
    assert maps < 10
    assert kilobytes < 8000  # tables of nodes grow up to a limit; a run that stays would be 50 of them, or more
