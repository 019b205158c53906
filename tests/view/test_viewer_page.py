"""The viewer's page, driven in a real browser."""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.view.viewer import Viewer, show

from .browser import browser, page_of  # noqa: F401 - a fixture

pytest.importorskip("viser", reason="viser is not installed")
image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

pytestmark = pytest.mark.slow
SMALL = 640, 480  # software draws slowly
NASTY = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>'


def pendulum() -> mb.System:
    """Texts of all kinds try to become part of the page."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    length = system.parameter("l", 1.0, unit="m", description=NASTY)
    bob = system.body("bob", 2.0, (0, 0, -length))
    system.joint("angle", system.world, bob, "Ry", q=0.3)
    system.draw(bob, mb.Box(0.2, 0.2, 0.4), position=(0, 0, -length))
    system.draw(bob, mb.Mesh(f"{NASTY}.stl".replace("/", "")))
    system.load(mb.Force(bob, (system.input("push", unit=NASTY, description=NASTY), 0, 0)))
    system.sensor("height", mb.Position(bob))
    return system


def four_bar() -> mb.System:
    """A parallelogram whose crank is at an angle of 1."""
    system = mb.System("linkage", recognise_loops=False)
    bodies = [system.body(name, 1.0, (l / 2, 0, 0), (0.1, 0.1, 0.1)) for name, l in (("a", 1), ("b", 2), ("c", 1))]
    system.joint("crank", system.world, bodies[0], "Rz", q=1.0)
    system.joint("knee", bodies[0].frame("a_end", (1, 0, 0)), bodies[1], "Rz", q=-1.0)
    system.joint("rock", system.frame("pivot", (2, 0, 0)), bodies[2], "Rz", q=1.0)
    system.joint("pin", bodies[1].frame("b_end", (2, 0, 0)), bodies[2].frame("c_end", (1, 0, 0)), "Rz", cut=True)
    return system


@pytest.fixture(scope="module")
def one_page(browser: Any) -> Iterator[tuple[Viewer, Any]]:  # noqa: F811
    """A run of the pendulum, and its page."""
    run = mb.simulate(mb.derive(pendulum()), duration=4.0)
    with show(run, port=0, browser=False, block=False) as viewer, page_of(browser, *SMALL) as page:
        opened(viewer, page, "angle")
        page.locator(".mantine-Notification-closeButton").first.evaluate("element => element.click()")
        page.wait_for_timeout(1000)
        yield viewer, page


@pytest.fixture
def shown(one_page: tuple[Viewer, Any]) -> tuple[Viewer, Any]:
    """The same page for all tests, at rest and with the first length: a run that was made anew is played."""
    viewer, page = one_page
    if viewer._playback.playing:
        click(page, "Pause")
    assert until(lambda: not viewer._playback.playing)
    if viewer._exhibit.scene.parameters[0] != 1.0:  # what hangs on a longer rod is below the picture
        write(page, "l [m]", "1")
        assert until(lambda: viewer._exhibit.scene.parameters[0] == 1.0)
    return viewer, page


def opened(viewer: Viewer, page: Any, name: str) -> None:
    """Open the page, without shadows and reflections, which software takes long to draw, and wait for a slider."""
    viewer._server.viser.scene.configure_default_lights(cast_shadow=False)
    viewer._server.viser.scene.configure_environment_map(None)
    page.set_default_timeout(120_000)
    page.goto(viewer.url)
    field(page, name).wait_for()


def field(page: Any, name: str) -> Any:
    """The field with the number beside a slider."""
    label = page.locator("label", has_text=name).first
    return label.locator("xpath=ancestor::div[.//input][1]").locator("input").last


def write(page: Any, name: str, value: str) -> None:
    one = field(page, name)
    one.fill(value, force=True)
    page.keyboard.press("Enter")


def click(page: Any, name: str, role: str = "button") -> None:
    """Without waiting for the page to stand still, which takes long where all is drawn by software."""
    found = page.get_by_role(role, name=name, exact=True) if role == "button" else page.get_by_label(name, exact=True)
    found.first.evaluate("element => element.click()")


def until(true: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return true()


def picture(page: Any) -> np.ndarray:
    """The part of the page beside the panel."""
    data = page.screenshot(clip={"x": 0, "y": 0, "width": 300, "height": 480})
    return np.asarray(image.open(io.BytesIO(data)).convert("L"), dtype=float)


def changed(page: Any, before: np.ndarray) -> bool:
    """Whether many pixels look different, soon."""
    return until(lambda: int((np.abs(picture(page) - before) > 20).sum()) > 50)


def test_dragging_a_crank_keeps_the_loop_closed(browser: Any) -> None:  # noqa: F811
    with show(four_bar(), port=0, browser=False, block=False) as viewer, page_of(browser, *SMALL) as page:
        opened(viewer, page, "crank")
        write(page, "crank", "2")
        assert until(lambda: viewer.moment.q[0] == pytest.approx(2.0))
        assert viewer._exhibit.closing.residual(viewer.moment.q) < 1e-9
        names = [one.name for one in viewer._exhibit.scene.model.coordinates]
        found = dict(zip(names, viewer.moment.q, strict=True))
        assert found == pytest.approx({"crank": 2.0, "knee": -2.0, "rock": 2.0})  # opposite bars are parallel
        assert until(lambda: float(field(page, "knee").input_value()) == pytest.approx(-2.0, abs=1e-3))


def test_a_slider_moves_the_body(shown: tuple[Viewer, Any]) -> None:
    viewer, page = shown
    before = picture(page)
    write(page, "angle", "-0.3")
    assert until(lambda: viewer.moment.q[0] == pytest.approx(-0.3))
    bob = viewer._exhibit.stage.frames[1]
    assert bob.name == "/bob"
    assert bob.wxyz == pytest.approx([np.cos(0.15), 0, -np.sin(0.15), 0], abs=1e-6)
    assert changed(page, before)


def test_time_advances(shown: tuple[Viewer, Any]) -> None:
    viewer, page = shown
    run = viewer._exhibit.motion.run
    click(page, "Play")
    times = []
    assert until(lambda: times.append(viewer.moment.t) or times[-1] > 0.3)
    assert until(lambda: float(field(page, "time").input_value()) > 0.3)
    before = picture(page)
    assert changed(page, before)
    click(page, "Pause")
    assert until(lambda: not viewer._playback.playing)
    assert viewer.moment.q == pytest.approx(run.at(viewer.moment.t).q)
    write(page, "time", "2")
    assert until(lambda: viewer.moment.t == pytest.approx(2.0, abs=0.004))
    assert viewer.moment.q == pytest.approx(run.at(viewer.moment.t).q)


def test_layers(shown: tuple[Viewer, Any]) -> None:
    viewer, page = shown
    before = picture(page)
    click(page, "frames", "checkbox")
    assert until(lambda: "frames" in viewer._exhibit.stage.visible)
    assert changed(page, before)
    shows = picture(page)
    click(page, "forces", "checkbox")
    assert changed(page, shows)
    assert viewer._layers.arrows["forces"].scale.typical == pytest.approx(2 * 9.81)
    click(page, "drawings", "checkbox")
    assert until(lambda: "drawings" not in viewer._exhibit.stage.visible)


def test_a_parameter_and_another_run(shown: tuple[Viewer, Any]) -> None:
    viewer, page = shown
    first = viewer._exhibit.motion.run
    write(page, "l [m]", "1.5")
    assert until(lambda: viewer._exhibit.scene.parameters[0] == 1.5)
    click(page, "Run again")
    assert until(lambda: viewer._exhibit.motion.run is not first, 60)
    run = viewer._exhibit.motion.run
    assert run.parameters["l"] == 1.5
    assert np.abs(run["angle"][-1] - first["angle"][-1]) > 0.01
    assert run["angle"][0] == first["angle"][0]


def test_texts_stay_texts(shown: tuple[Viewer, Any]) -> None:
    """Names, units, descriptions and messages are shown as they are, and never run."""
    viewer, page = shown
    assert any("onerror" in text for text in viewer.messages)
    assert "onerror" in page.content()
    page.wait_for_timeout(300)
    assert page.evaluate("window.broken") is None
    assert page.locator("img[src=x]").count() == 0
