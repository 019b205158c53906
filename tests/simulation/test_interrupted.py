"""Runs that are stopped by Ctrl-C: a real signal in a process of its own, and a real key in a terminal."""

import os
import select
import subprocess
import sys
import time

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and terminals are others there"),
]

BEFORE = """
import os, signal, sys, threading
import multibody as mb
from multibody.simulation import *

system = mb.System("pendulum", gravity=(0, 0, -9.81))
torque = system.input("M")
hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -1.5)), "Ry", q=1.0)
system.load(mb.JointLoad(hinge, torque))
eom = mb.derive(system)
integrator = {integrator}
mb.simulate(eom, 0.1, integrator=integrator, inputs={inputs})  # what is compiled is there
"""
AFTER = """
run = mb.simulate(eom, {duration}, samples=10_001, integrator=integrator, inputs={inputs}, on_failure="return")
assert run.status is Status.INTERRUPTED, run
assert "run on from its last state" in run.message
assert 2 < len(run.t) == len(run.y) < 10_001, run
assert run.energy_drift < 1e-2
later = mb.simulate(eom, 0.1, start=run, integrator=integrator, inputs={inputs})
assert later.status is Status.DONE
assert (run + later).t[-1] == later.t[-1]
os.write(int(sys.argv[1]), b"done")
"""
SIGNAL = """
import time

def interrupt(begin=time.process_time()):  # the run has had its share, however busy the machine is
    while time.process_time() < begin + 0.4:
        time.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
"""
TERMINAL = """
import fcntl, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.write(2, b"begun")
"""
FAMILIES = {
    "compiled": ("DormandPrince8(max_steps=10**12)", 1e6),
    "compiled_with_fixed_steps": ("RungeKutta4(step=1e-3, max_steps=10**12)", 1e6),
    "cvode": ("Cvode(max_steps=10**9)", 1e4),
    "ida": ("Ida(max_steps=10**9)", 1e4),
    "scipy": ("ScipySolver(max_steps=10**9)", 1e4),
    "independent": ("IndependentCoordinates(max_steps=10**9)", 1e4),
}


def script(integrator, duration, stop, inputs="{}"):
    """A long run, and what starts the clock for its end."""
    return "".join(
        part.format(integrator=integrator, duration=duration, inputs=inputs) for part in (BEFORE, stop, AFTER)
    )


def run(code, **options):
    """Whether a process came to the end of a script, and what it said otherwise."""
    source, target = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, str(target)],
            pass_fds=[target], capture_output=True, text=True, timeout=300, check=False, **options,
        )  # fmt: skip
        os.write(target, b".")
        return os.read(source, 100) == b"done.", done.stderr
    finally:
        os.close(source)
        os.close(target)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_was_computed_is_kept(family):
    finished, said = run(script(*FAMILIES[family], SIGNAL))
    assert finished, said


@pytest.mark.parametrize("family", ["compiled", "cvode", "scipy"])
def test_within_a_function_of_the_user(family):
    integrator, _ = FAMILIES[family]
    finished, said = run(script(integrator, 1e4, SIGNAL, inputs='{"M": lambda t: 0.0}'))
    assert finished, said


OFTEN = """
for k in range(25):
    timer = threading.Timer(0.001 * k, os.kill, [os.getpid(), signal.SIGINT])

    def law(t):
        if t > 0 and not timer.is_alive() and not timer.finished.is_set():
            timer.start()  # the run is on its way, however long it took to prepare it
        return 0.0

    run = mb.simulate(eom, 200.0, integrator=integrator, inputs={{"M": law}}, on_failure="return")
    assert run.status is Status.INTERRUPTED, (k, run)
os.write(int(sys.argv[1]), b"done")
"""
HANGING = """
def law(t):
    while t > 1:
        pass
    return 0.0

for seconds in (0.3, 0.6):
    threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT]).start()
run = mb.simulate(eom, 10.0, integrator=integrator, inputs={{"M": law}}, on_failure="return")
assert run.status is Status.INTERRUPTED, run
assert 2 < len(run.t) and run.t[-1] <= 1.0
os.write(int(sys.argv[1]), b"done")
"""


@pytest.mark.parametrize("what", [OFTEN, HANGING], ids=["often", "hanging"])
def test_no_interruption_is_lost_between_compiled_code_and_python(what):
    """Also where it comes up just as a function of Python is entered, or while that function does not come back."""
    options = {"integrator": FAMILIES["compiled"][0], "inputs": '{"M": lambda t: 0.0}'}
    finished, said = run((BEFORE + what).format(**options))
    assert finished, said
    assert "ignored" not in said


def test_a_key_in_a_terminal():
    """With the bar that a terminal shows."""
    master, slave = os.openpty()
    source, target = os.pipe()
    code = script(*FAMILIES["compiled"], TERMINAL)
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(target)],
        stdin=slave, stdout=slave, stderr=slave, pass_fds=[target], start_new_session=True,
    )  # fmt: skip
    try:
        seen, pressed, end = b"", False, time.monotonic() + 300
        while child.poll() is None and time.monotonic() < end:
            if select.select([master], [], [], 2.0)[0]:
                seen += os.read(master, 10_000)
            elif b"begun" in seen and not pressed:  # nothing has been shown for a while, or there is no bar
                pressed = True
                os.write(master, b"\x03")
            if not pressed and seen.count(b"\r") > 20:
                pressed = True
                os.write(master, b"\x03")
        os.write(target, b".")
        assert os.read(source, 100) == b"done.", seen.decode()
    finally:
        child.kill()
        child.wait(timeout=60)
        for one in (master, slave, source, target):
            os.close(one)
