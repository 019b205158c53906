"""Ctrl-C between any two lines of a run: what is kept goes on to the same end, with each event once."""

import random
import sys
from pathlib import Path

import numpy as np
import pytest

import multibody as mb
from multibody.graph import where

SOURCES = str(Path(mb.simulation.__file__).parent)
DURATION = 1.2  # five impacts or levels, some of them between two samples
LINES = 30  # at which runs are interrupted


class Interruption:
    """Ctrl-C before the line of this number, of all that are executed in the package; they are counted."""

    def __init__(self, line=None):
        self.line, self.count = line, 0

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)

    def _trace(self, frame, event, _):
        if not frame.f_code.co_filename.startswith(SOURCES):
            return None
        if event == "line":
            self.count += 1
            if self.count == self.line:
                raise KeyboardInterrupt
        return self._trace


def ball():
    """A ball that loses a fifth of its speed at every impact, written as a reset, and an event between two impacts."""
    system = mb.System("ball", gravity=(0, 0, -9.81))
    joint = system.joint("z", system.world, system.body("ball", 1.0), "Tz", q=1.0)
    z, z_dot = joint.coordinate, joint.speed
    impact = mb.Event(z, direction=-1, reset={"z_dot": -0.8 * z_dot}, name="impact")
    return mb.derive(system), {"events": [impact, mb.Event(z - 0.5, name="level")]}


def driven():
    """A pendulum with a controller, a switching force and a terminal event after the end."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    torque = system.input("M")
    hinge = system.joint("angle", system.world, system.body("bob", 2.0, (0, 0, -1.5)), "Ry", q=1.0)
    angle, speed = hinge.coordinate, hinge.speed
    system.load(mb.JointLoad(hinge, torque - where(angle > 0.5, 4.0, 0.0)))
    law = mb.Sampled(lambda t, q, u: -3 * u[0], 0.1)
    return mb.derive(system), {"inputs": {"M": law}, "events": [mb.Event(speed, name="turn")]}


CASES = {
    "loop": (ball, mb.DormandPrince8()),
    "independent": (ball, mb.IndependentCoordinates()),
    "library": (ball, mb.ScipySolver()),
    "fixed": (driven, mb.RungeKutta4(step=0.01)),
    "controlled": (driven, mb.DormandPrince5()),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_what_is_kept_goes_on_to_the_same_end(name):
    make, integrator = CASES[name]
    eom, options = make()
    options |= {"integrator": integrator, "samples": 25}
    whole = mb.simulate(eom, DURATION, **options)
    with Interruption() as counted:
        mb.simulate(eom, DURATION, **options)
    stopped = 0
    for line in sorted(random.Random(name).sample(range(1, counted.count + 1), LINES)):
        try:
            with Interruption(line):
                run = mb.simulate(eom, DURATION, on_failure="return", **options)
        except KeyboardInterrupt:
            continue  # before the run had begun, or after its end
        if run.status.ok:
            continue  # with fewer lines than before
        stopped += 1
        assert run.status is mb.Status.INTERRUPTED
        assert len(run.t) == len(run.y) == len(run.r)
        assert (np.diff(run.t) >= 0).all()
        later = mb.simulate(eom, times=[run.t[-1], DURATION], start=run, **options | {"samples": 501})
        assert later.y[-1] == pytest.approx(whole.y[-1], abs=1e-5), (line, run.t[-1])
        names = [one.name for one in (*run.occurrences, *later.occurrences)]
        assert names == [one.name for one in whole.occurrences], (line, run.t[-1])
    assert stopped > LINES / 3
