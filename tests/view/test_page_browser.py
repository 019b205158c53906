"""The page in a real browser, opened from disk with the network off."""

from __future__ import annotations

import io
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multibody as mb
from multibody.view import scene
from multibody.view.page import write_page
from multibody.view.page.motions import frame_times

from .browser import browser, page_of  # noqa: F401 - a fixture

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"


def crane() -> mb.System:
    system = mb.System("crane_crab", gravity=(0, 0, -9.81))
    length = system.parameter("l", 1.0, unit=HOSTILE, description=HOSTILE)
    crab, load = system.body("crab", mass=10.0), system.body("load", 1.0, inertia=mb.diag(0, 1 / 12, 0))
    hook = load.frame("hook", (0, 0, length))
    system.joint("slide", system.world, crab, "Tx", q=1.0)
    system.joint("swing", crab, hook, "Ry", q=-1.0)
    system.sensor("reach", mb.Position(load))
    system.draw(crab, mb.Box(0.4, 0.3, 0.2, colour="red"))
    system.draw(load, mb.Sphere(0.15, colour=(0.1, 0.5, 0.9, 0.6)))
    system.draw(crab, mb.Cylinder(0.02, colour="black"), to=load)
    return system


@pytest.fixture(scope="module")
def run() -> mb.Trajectory:
    return mb.simulate(mb.derive(crane()), duration=4.0)


@pytest.fixture(scope="module")
def path(run: mb.Trajectory, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(run, tmp_path_factory.mktemp("pages") / "crane.html", title=f"Crane {HOSTILE}")


@pytest.fixture
def page(browser: Any, path: Path) -> Iterator[Any]:  # noqa: F811
    with page_of(browser) as one:
        yield opened(one, path)


def opened(page: Any, path: Path) -> Any:
    """A page from disk; whatever it asks for beside itself counts as an error."""
    page.context.set_offline(True)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(path.as_uri())
    page.asked = asked
    return page


def wait_until(page: Any, condition: str) -> None:
    """Asks again and again from outside: the page's policy forbids the waiting of Playwright, which evaluates text."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(condition)


def slide(slider: Any, value: float) -> None:
    slider.evaluate("(one, value) => { one.value = value; one.dispatchEvent(new Event('input')); }", value)


def picture(page: Any, of: str = "#canvas") -> np.ndarray:
    """The pixels of an element, after everything was drawn."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return np.asarray(image.open(io.BytesIO(page.locator(of).screenshot())).convert("RGB")).astype(int)


def different(a: np.ndarray, b: np.ndarray) -> int:
    """How many pixels changed visibly."""
    return int((np.abs(a - b).max(axis=-1) > 24).sum())


def pose(page: Any, name: str) -> tuple[np.ndarray, np.ndarray]:
    found = page.evaluate(f"multibody.pose({name!r})")
    return np.array(found["position"]), np.array(found["quaternion"])


def assert_posed(page: Any, run: mb.Trajectory, t: float, tolerance: float) -> None:
    """All bodies are where the run says."""
    seen = scene(run, run.parameters)
    expected = seen.poses(t, run.at(t).q)
    for number, place in enumerate(seen.places):
        position, quaternion = pose(page, place.name)
        np.testing.assert_allclose(position, expected.position[number], atol=tolerance)
        assert abs(quaternion @ expected.quaternion[number]) == pytest.approx(1.0, abs=tolerance)


def test_it_opens_without_network_and_runs_no_text_of_users(page: Any, path: Path) -> None:
    assert page.asked == [path.as_uri()]
    assert page.title() == f"Crane {HOSTILE}"
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert HOSTILE in page.locator("details").first.inner_text()


def test_there_is_a_picture_and_layers_can_be_hidden(page: Any) -> None:
    whole = picture(page)
    red = (whole[..., 0] > 120) & (whole[..., 1] < 90) & (whole[..., 2] < 90)
    assert red.sum() > 300  # the crab
    page.get_by_label("drawings").uncheck()
    without = picture(page)
    assert different(whole, without) > 1000
    page.get_by_label("frames").check()
    page.locator(".label:visible").first.wait_for(timeout=30_000)
    assert page.locator(".label:visible").all_inner_texts() == ["world", "crab", "load", "hook"]
    page.get_by_label("frames").uncheck()
    page.get_by_label("drawings").check()
    assert different(picture(page), whole) == 0
    assert page.evaluate("multibody.shown()").count("frames") == 0


def test_the_slider_moves_bodies_to_where_the_run_says(page: Any, run: mb.Trajectory) -> None:
    times = frame_times(run, 5)
    before = picture(page)
    for t in times[[0, 77, 150, -1]]:
        slide(page.locator("#time"), float(t))
        assert page.evaluate("multibody.time()") == pytest.approx(t, abs=1e-9)
        assert_posed(page, run, float(t), 1e-5)
    assert different(picture(page), before) > 300
    between = float(times[60] + times[61]) / 2  # straight between frames: h²·a/8 with some 20 m/s²
    page.evaluate(f"multibody.setTime({between!r})")
    assert_posed(page, run, between, 20 * (times[1] - times[0]) ** 2 / 8)


def test_keys_play_pause_and_step(page: Any, run: mb.Trajectory) -> None:
    times = frame_times(run, 5)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("multibody.time()") == pytest.approx(times[2])
    page.keyboard.press("ArrowLeft")
    assert page.locator("#clock").inner_text() == f"{times[1]:.2f} s"
    page.keyboard.press("Space")
    assert page.get_by_role("button", name="Pause").is_visible()
    wait_until(page, f"multibody.time() > {times[20]}")
    page.keyboard.press("Space")
    stopped = page.evaluate("multibody.time()")
    page.wait_for_timeout(100)
    assert page.evaluate("[multibody.time(), multibody.playing()]") == [stopped, False]


def test_play_ends_at_the_end_unless_it_loops(page: Any) -> None:
    page.get_by_label("loop").uncheck()
    page.get_by_label("speed").select_option("4")
    page.evaluate("multibody.setTime(3.9)")
    page.get_by_role("button", name="Play").click()
    wait_until(page, "!multibody.playing()")
    assert page.evaluate("multibody.time()") == 4.0
    page.get_by_label("loop").check()
    page.evaluate("multibody.setTime(3.9)")
    page.get_by_role("button", name="Play").click()
    wait_until(page, "multibody.time() < 3")
    assert page.evaluate("multibody.playing()")


def test_plots_follow_the_time_and_lead_to_it(page: Any, run: mb.Trajectory) -> None:
    page.evaluate("multibody.setTime(1.0)")
    first = page.locator(".panel").first
    cursor = first.locator(".cursor")
    place = float(cursor.get_attribute("x1"))
    shown = float(first.locator("output").first.inner_text().replace("−", "-"))
    assert shown == pytest.approx(float(run.at(1.0).q[0]), abs=2e-3)
    tip = page.locator("#sensors output").nth(2).inner_text().replace("−", "-")
    assert float(tip) == pytest.approx(np.interp(1.0, run.t, run["reach"][:, 2]), abs=2e-3)
    first.scroll_into_view_if_needed()
    box = first.locator("svg").first.bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.75, box["y"] + box["height"] / 2)
    later = page.evaluate("multibody.time()")
    assert 2.0 < later < 4.0
    assert float(cursor.get_attribute("x1")) - place == pytest.approx((later - 1.0) * 492 / 4.0, abs=0.1)


def test_curves_can_be_chosen(page: Any) -> None:
    energies = page.locator(".panel", has_text="kinetic_energy").first
    curves = energies.locator("path.curve")
    assert curves.count() == 3
    energies.get_by_role("checkbox", name="potential_energy").uncheck()
    assert curves.count() == 2


def test_the_view_turns_by_mouse_and_keys_and_comes_back(page: Any) -> None:
    start = picture(page)
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 220, steps=2)
    page.mouse.up()
    assert different(picture(page), start) > 1000
    page.get_by_role("button", name="Reset the view").click()
    page.mouse.move(0, 0)
    page.locator("#canvas").focus()
    page.keyboard.press("+")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("multibody.time()") == 0.0  # these keys are the picture's now
    page.keyboard.press("Home")
    page.locator("#canvas").blur()
    assert different(picture(page), start) < 200  # but for the button, which had the focus


def test_without_a_run_a_slider_moves_a_joint(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    path = write_page(crane(), tmp_path / "system.html")
    with page_of(browser) as page:
        opened(page, path)
        assert not page.locator(".transport").is_visible()
        slide(page.get_by_label("swing"), 0.5)
        np.testing.assert_allclose(pose(page, "load")[0], [1 - np.sin(0.5), 0.0, -np.cos(0.5)], atol=2e-3)
        slide(page.get_by_label("slide"), 1.2)
        expected = [1.2 - np.sin(-1.0), 0.0, -np.cos(1.0)]  # the other one is back at its start
        np.testing.assert_allclose(pose(page, "load")[0], expected, atol=2e-3)


def test_it_is_dark_where_the_reader_likes_it(browser: Any, path: Path) -> None:  # noqa: F811
    with page_of(browser) as page:
        page.emulate_media(color_scheme="dark")
        opened(page, path)
        assert picture(page, "header").mean() < 60
        page.emulate_media(color_scheme="light")
        assert picture(page, "header").mean() > 200


def test_it_works_inside_a_notebook(browser: Any, path: Path) -> None:  # noqa: F811
    with page_of(browser) as page:
        page.set_content(f'<iframe sandbox="allow-scripts" srcdoc="{escape(path.read_text())}"></iframe>')
        assert page.frames[1].evaluate("multibody.names().slice(0, 3)") == ["world", "crab", "load"]
