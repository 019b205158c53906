"""Models that stay written in SymPy can be looked at, if it is known where their bodies are."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from tests.refusal import refused

import multibody as mb
from multibody.view import scene

VALUES = {"m": 1.5, "l": 2.0, "g": 9.81}


def kane() -> me.KanesMethod:
    """A rod that hangs from the origin and turns about y, by its middle."""
    m, l, g = sm.symbols("m l g")
    q, u = me.dynamicsymbols("q u")
    N, A, origin = me.ReferenceFrame("N"), me.ReferenceFrame("A"), me.Point("O")
    A.orient_axis(N, N.y, q)
    A.set_ang_vel(N, u * N.y)
    middle = origin.locatenew("P", -l * A.z)
    origin.set_vel(N, 0)
    middle.v2pt_theory(origin, N, A)
    rod = me.RigidBody("rod", middle, A, m, (me.inertia(A, 0, m * l**2 / 12, 0), middle))
    method = me.KanesMethod(N, [q], [u], [q.diff() - u])
    method.kanes_equations([rod], [(middle, -m * g * N.z)])
    return method


@pytest.fixture(scope="module")
def run() -> mb.Trajectory:
    eom = mb.from_sympy(kane(), parameters=VALUES, start={"q": 1.0}, name="hanging")
    return mb.simulate(eom, duration=1.0, samples=11)


def test_bodies_are_where_sympy_has_them(run):
    seen = scene(run.eom)
    assert [place.name for place in seen.places] == ["world", "rod"]
    q = np.array([[0.0], [0.4], [-2.5]])
    poses = seen.poses(np.zeros(3), q)
    angle, still = q[:, 0], np.zeros(3)
    assert poses.position[:, 1] == pytest.approx(np.stack([-2 * np.sin(angle), still, -2 * np.cos(angle)], axis=1))
    turn = np.stack([np.cos(angle / 2), still, np.sin(angle / 2), still], axis=1)
    assert poses.quaternion[:, 1] == pytest.approx(turn)
    assert {solid.place for solid in seen.solids} == {1}


def test_parameters_change_what_is_seen(run):
    assert scene(run.eom, {"l": 5.0}).poses(0.0, [0.0]).position[1] == pytest.approx([0, 0, -5])


def test_the_viewer_a_page_and_a_picture_take_it(run, tmp_path):
    with mb.show(run, port=0, browser=False, block=False) as viewer:
        assert viewer.messages == ()
        assert viewer.moment.q == pytest.approx(run.q[0])
    assert mb.write_page(run, tmp_path / "hanging.html").stat().st_size > 10_000
    bright = mb.picture(run.eom, run=run, t=0.5, size=(160, 120))
    assert bright.shape == (120, 160, 3)
    assert np.ptp(bright) > 50


def test_without_places_there_is_nothing_to_see(run):
    symbolic = mb.from_sympy(mb.to_sympy(run.eom), parameters=VALUES)
    with refused("body-places-unknown"):
        scene(symbolic)
