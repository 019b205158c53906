"""Impacts that are passed on at once from contact to contact: against momentum and restitution by hand."""

import pytest

import multibody as mb
from multibody.graph import sin
from multibody.simulation import Cvode


def row(masses=(1.0, 1.0, 1.0)):
    """A ball at 2 m/s, and two at rest that touch, all 0.5 m wide; and the gaps between them."""
    system = mb.System("row")
    start = zip(masses, (0.0, 1.0, 1.5), (2.0, 0.0, 0.0), strict=True)
    bodies = [(system.body(f"ball{k}", m), q, u) for k, (m, q, u) in enumerate(start)]
    x = [system.joint(f"x{k}", system.world, ball, "Tx", q=q, u=u).coordinate for k, (ball, q, u) in enumerate(bodies)]
    return mb.derive(system), [x[1] - x[0] - 0.5, x[2] - x[1] - 0.5]


@pytest.mark.parametrize("integrator", [None, Cvode()])
def test_a_blow_goes_through_balls_that_touch(integrator):
    """Newton's cradle: of equal balls the last one goes on with the speed of the first."""
    eom, gaps = row()
    contacts = [mb.Impact(gap, 1.0, rest=0.0, name=f"c{k}") for k, gap in enumerate(gaps)]
    run = mb.simulate(eom, 1.0, events=contacts, samples=11, integrator=integrator)
    assert [(one.name, round(one.t, 9)) for one in run.occurrences if one.t > 0] == [("c0", 0.25), ("c1", 0.25)]
    assert run.u[-1] == pytest.approx([0, 0, 2], abs=1e-9)
    assert run.q[-1] == pytest.approx([0.5, 1.0, 3.0], abs=1e-7)
    assert run.energy_drift < 1e-9


def test_balls_that_do_not_bounce_go_on_together():
    """Blows go back and forth until all have the speed of the centre of mass, 3·2/6."""
    eom, gaps = row([3.0, 2.0, 1.0])
    contacts = [mb.Impact(gap, 0.0, rest=0.0, name=f"c{k}") for k, gap in enumerate(gaps)]
    run = mb.simulate(eom, 1.0, events=contacts, samples=11)
    assert run.status.ok
    assert run.u[-1] == pytest.approx([1, 1, 1], abs=1e-9)
    assert run["dissipated"][-1] == pytest.approx(3.0)


def test_a_bar_that_lands_on_both_ends_rises_as_it_fell():
    """The ends are struck one after the other: blows of m·v/2, m·v and m·v/2 turn it and turn it back."""
    system = mb.System("bar", gravity=(0, 0, -10))
    bar = system.body("bar", 2.0, inertia=mb.diag(0, 1 / 6, 1 / 6))
    z = system.joint("z", system.world, hub := system.body("hub", 0.0), "Tz", q=0.45).coordinate
    tilt = system.joint("tilt", hub, bar, "Ry").coordinate
    ends = [mb.Impact(z + side * sin(tilt) / 2, 1.0, rest=0.0, name=f"end{side + 1}") for side in (-1, 1)]
    run = mb.simulate(mb.derive(system), 0.5, samples=6, events=ends)
    assert [one.name for one in run.occurrences] == ["end0", "end2", "end0"]
    assert run.y[-1, :4] == pytest.approx([0.4, 0, 1, 0], abs=1e-8)  # 3 m/s up at 0.3 s


@pytest.mark.parametrize(("restitution", "rebound"), [(1.0, 2.0), (0.5, 1.0), (0.0, 0.0)])
def test_a_blow_on_a_ball_that_rests_reaches_the_floor(restitution, rebound):
    """It falls at 2 m/s, and the other hands its speed on to the floor, takes back what is left, and rests."""
    system = mb.System("pile", gravity=(0, 0, -10))
    low = system.joint("low", system.world, system.body("a", 1.0), "Tz").coordinate
    high = system.joint("high", system.world, system.body("b", 1.0), "Tz", q=0.2).coordinate
    contacts = [mb.Impact(low, restitution, name="floor"), mb.Impact(high - low, 1.0, rest=0.0, name="between")]
    run = mb.simulate(mb.derive(system), times=[0.0, 0.1, 0.2 + 1e-9], events=contacts)
    assert run["high_dot"][-1] == pytest.approx(rebound, abs=1e-6)
    assert [run["low"][-1], run["low_dot"][-1]] == pytest.approx([0, 0], abs=1e-9)
    assert run["floor_rests"][-1] == 1.0
