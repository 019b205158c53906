"""The compiled loop as machine code: threads, interruptions, later processes."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.simulation.contract import Status
from multibody.simulation.integrators import compiled_integrator as compiled_run
from multibody.simulation.integrators.fixed_step import RungeKutta4
from multibody.simulation.integrators.runge_kutta import DormandPrince5
from multibody.simulation.kernel import machine_code

from .motions import move, oscillator, start


def test_threads_run_at_once_each_with_a_problem_of_its_own():
    """With Python in the right-hand side: the lock is released by the loop, and taken where it is needed."""

    def one(k):
        system = mb.System("driven")
        joint = system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", q=1.0)
        system.load(mb.JointLoad(joint, system.input("force")))
        problem, y0 = start(mb.derive(system))
        problem.follow(lambda: problem.r.__setitem__(0, -k * problem.y[0]))
        return move(DormandPrince5(), problem, y0, 2.0).last_y[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, range(1, 9)))
    assert found == pytest.approx(np.cos(2 * np.sqrt(np.arange(1, 9))), abs=1e-6)


def test_an_interrupted_run_keeps_what_it_has():
    """Control-C arrives between two calls of the loop."""
    problem, y0 = start(oscillator())
    times, real = [], compiled_run.advance

    def advance(loop, run):
        real(loop, run)
        times.append(run.t)
        if len(times) == 3:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_run, "advance", advance)
        segment = move(RungeKutta4(step=1e-3, every_step=True), problem, y0, 100.0)
    assert segment.status is Status.INTERRUPTED
    assert segment.last_t == segment.t[-1] == pytest.approx(3.0)
    assert len(segment.t) == segment.steps == 3000


SCRIPT = """
import sys, numpy as np, multibody as mb
from multibody.simulation.contract import Watch
from multibody.simulation.problem.problem import Problem
from multibody.simulation.integrators.runge_kutta import DormandPrince8
system = mb.System("rail")
system.joint("x", system.world, system.body("mass", mass=1.0), "Tx", u=1.0)
problem, y0 = Problem(mb.derive(system), []), np.array([0, 1, 0, 0, 0.0])
segment = DormandPrince8().run(problem, 0.0, y0, np.ones(1), 0.0, Watch())
print(round(segment.last_y[0], 12), "numba" in sys.modules)
"""


def test_later_processes_need_no_numba(tmp_path):
    """The first process keeps the loop's machine code beside all other machine code, and the second one finds it."""
    env = os.environ | {"MULTIBODY_CACHE": str(tmp_path / "cache")}
    for imported in ("True", "False"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=300, env=env
        )
        assert done.stdout.split() == ["1.0", imported]


@pytest.mark.parametrize("loop", [machine_code.ONE_RUN, machine_code.MANY_RUNS], ids=lambda one: one.module)
def test_all_sources_of_a_loop_are_part_of_its_key(loop):
    """A file that the loop is made of and that is not in the list would leave old machine code in use."""
    folder = Path(machine_code.__file__).parents[1]
    listed, seen = set(loop.sources), {loop.module.replace(".", "/")}
    while True:
        text = "\n".join((folder / f"{name}.py").read_text(encoding="utf-8") for name in sorted(seen))
        found = re.findall(r"^from multibody\.simulation\.([\w.]+) import", text, re.MULTILINE)
        files = {name.replace(".", "/") for name in found}
        if files <= seen:
            break
        seen |= files
    assert len(seen) > 8
    assert seen - {"contract"} <= listed
