"""A sample of the control half of the battery of linear studies, and that it notices what is wrong."""

import dataclasses

import pytest

from multibody.errors import ModelError
from multibody.linearization.spectra.controllability import NO, YES
from multibody.linearization.state_space.linear_system import LinearSystem

from . import linear_control
from .case import REFUSED, RIGHT, WRONG
from .linear_control import case

SAMPLE = range(12)


@pytest.mark.parametrize("seed", SAMPLE)
def test_a_design_is_right(seed):
    found = case(seed)
    assert found.verdict == RIGHT, f"{found.what}\n{found.detail}"


@pytest.mark.parametrize(("design", "gains"), [("lqr", "K"), ("kalman", "L")])
def test_the_battery_notices_other_gains(monkeypatch, design, gains):
    original = getattr(linear_control, design)

    def changed(*args):
        law = original(*args)
        return dataclasses.replace(law, **{gains: getattr(law, gains) * (1 + 1e-4)})

    monkeypatch.setattr(linear_control, design, changed)
    assert WRONG in {case(seed).verdict for seed in range(6)}


@pytest.mark.parametrize("word", [YES, NO])
def test_the_battery_notices_other_verdicts(monkeypatch, word):
    original = LinearSystem.controllability.func

    def changed(system):
        judged = original(system)
        return dataclasses.replace(judged, verdicts=(word,) * len(judged.verdicts))

    monkeypatch.setattr(LinearSystem, "controllability", property(changed))
    assert WRONG in {case(seed).verdict for seed in range(6)}


def test_the_battery_notices_a_design_that_is_not_possible(monkeypatch):
    monkeypatch.setattr(linear_control, "holds", lambda *_: False)
    assert WRONG in {case(seed).verdict for seed in range(3)}


@pytest.mark.parametrize(("code", "verdict"), [("mode-not-reached", WRONG), ("mode-undecided", REFUSED)])
def test_the_battery_notices_a_possible_design_that_is_refused(code, verdict, monkeypatch):
    def refuse(*_):
        raise ModelError("There is no regulator for this system.", code=code)

    monkeypatch.setattr(linear_control, "lqr", refuse)
    monkeypatch.setattr(linear_control, "holds", lambda *_: True)
    assert {case(seed).verdict for seed in range(3)} == {verdict}
