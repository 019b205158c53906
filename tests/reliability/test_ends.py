"""Programs that end while something is under way: at once, without a word, and with nothing left behind.

Runs that are stopped by Ctrl-C keep what was computed: ``tests/simulation/test_interrupted.py``.
"""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from .children import begun, ended, said

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are others there")

ROOT = Path(__file__).resolve().parents[2]
SOON = 60  # seconds; the work would take hours, and machines may be busy

PREPARED = """
import os, signal, sys, threading, time
import multibody as mb
from small_models import crane, pendulum

eom = mb.derive(pendulum())
patient = mb.DormandPrince8(max_steps=10**12)
mb.simulate(eom, 0.1, integrator=patient)  # what is compiled is there

def run():
    mb.simulate(eom, 1e8, integrator=patient)

def run_with_a_law():
    mb.simulate(mb.derive(crane()), 1e8, inputs={"F": lambda t: 0.0}, integrator=patient)

def sweep():
    mb.sweep(eom, 1e7, initial={"angle": [0.1 * k for k in range(1, 50)]}, workers=4, integrator=patient)

def derivation():
    while True:
        mb.derive(crane(links=6), mb.Kane())

def compilation():
    while True:
        mb.derive(crane(links=6)).forward_dynamics(0.0, [0.1] * 7, [0.0] * 7, [0.0], [0.7])

def viewer():
    mb.show(crane(), mb.simulate(mb.derive(crane()), 1.0), browser=False, block=False, port=0)
    time.sleep(1e4)

def film():
    mb.animate(mb.simulate(eom, 1e3, samples=10_001), sys.argv[1], fps=60)
"""
# Not by print: what is printed while the viewer starts is not shown.
IN_A_THREAD = """
os.environ["MULTIBODY_CACHE"] = "off"
threading.Thread(target={work}, daemon=True).start()
time.sleep(0.4)
os.write(1, b"begun\\n")
"""
IN_FRONT = """
os.environ["MULTIBODY_CACHE"] = "off"
threading.Timer(0.4, os.write, [1, b"begun\\n"]).start()
{work}()
"""
WORK = ["run", "run_with_a_law", "sweep", "derivation", "compilation"]


@pytest.mark.parametrize("work", WORK)
def test_the_program_ends_while_a_thread_works(work):
    child = begun(PREPARED + IN_A_THREAD.format(work=work) + "sys.exit(5)")
    start = time.monotonic()
    assert ended(child) == (5, "")
    assert time.monotonic() - start < SOON


@pytest.mark.parametrize("work", [*WORK, "viewer"])
def test_a_program_is_told_to_end(work, tmp_path):
    child = begun(PREPARED + IN_FRONT.format(work=work))
    child.send_signal(signal.SIGTERM)
    start = time.monotonic()
    assert ended(child) == (-signal.SIGTERM, "")
    assert time.monotonic() - start < SOON


def test_a_film_that_is_not_finished_leaves_no_process_and_no_file(tmp_path):
    child = begun(PREPARED + IN_FRONT.format(work="film"), tmp_path / "long.mp4", TMPDIR=tmp_path)
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    code, complaint = ended(child)
    assert "KeyboardInterrupt" in complaint
    assert code != 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("work", ["derivation", "compilation"])
def test_ctrl_c_ends_what_is_not_a_run(work):
    """Python ignores what is raised in a finalizer: an interrupt that falls into one of llvmlite's is sent again."""
    child = begun(PREPARED + IN_FRONT.format(work=work))
    start, interrupts = time.monotonic(), 0
    while child.poll() is None and interrupts < 5:
        child.send_signal(signal.SIGINT)
        interrupts += 1
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=SOON)
    code, complaint = ended(child)
    assert code != 0
    assert complaint.rstrip().endswith("KeyboardInterrupt")
    assert complaint.count("ObjectRef.__del__") == complaint.count("ignored") == interrupts - 1
    assert time.monotonic() - start < SOON * interrupts


def test_another_thread_that_exits_does_not_disturb_a_run():
    code = """
threading.Timer(0.2, sys.exit).start()
print("begun", flush=True)
assert mb.simulate(eom, 2000.0, integrator=patient).status.name == "DONE"
"""
    assert ended(begun(PREPARED + code)) == (0, "")


@pytest.mark.parametrize("inputs", ["{}", '{"F": lambda t: 0.0}'], ids=["compiled", "with_a_law"])
def test_a_program_that_ignores_ctrl_c_goes_on(inputs):
    """As one does that a shell has started in the background."""
    code = f"""
signal.signal(signal.SIGINT, signal.SIG_IGN)
os.write(1, b"begun\\n")
threading.Timer(0.1, os.kill, [os.getpid(), signal.SIGINT]).start()
start, runs = time.monotonic(), 0
while time.monotonic() < start + 1.0:
    assert mb.simulate(mb.derive(crane()), 20.0, inputs={inputs}).status.name == "DONE"
assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
"""
    child = begun(PREPARED + code)
    child.send_signal(signal.SIGINT)
    assert ended(child) == (0, "")


def test_programs_that_tests_start_do_not_inherit_an_ignored_ctrl_c(tmp_path):
    """The tests pass in the background, where shells let programs ignore it."""
    test = tmp_path / "test_child.py"
    test.write_text(
        "import subprocess, sys\n"
        "def test():\n"
        "    code = 'import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)'\n"
        "    done = subprocess.run([sys.executable, '-c', code], capture_output=True, timeout=60)\n"
        "    assert done.stdout.strip() == b'True'\n"
    )
    code = """
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", sys.argv[1], sys.argv[2]]
done = subprocess.run([*words, "--confcutdir", sys.argv[3]], cwd=sys.argv[4], capture_output=True, timeout=200)
print(done.returncode, done.stdout.decode() if done.returncode else "")
"""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text((ROOT / "conftest.py").read_text(encoding="utf-8"), encoding="utf-8")
    assert said(code, tmp_path / "pytest.ini", test, tmp_path, tmp_path, PYTHONWARNINGS=None).split() == ["0"]
