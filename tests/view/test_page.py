"""The page as a file: what is in it, what can never be in it, and what is refused."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from dataclasses import replace
from hashlib import sha256
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest
from tests.refusal import refused

import multibody as mb
from multibody.errors import MissingLibraryError
from multibody.view.page import motions, page_html, sweeps, tables, write_page
from multibody.view.page.geometry import merged
from multibody.view.page.write import embedded
from multibody.view.scenes.placement import rotation_matrices
from multibody.view.scenes.triangles import Surface, box

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>{{script}}\u2028&amp;"


def pendulum(description: str = "length of the rod", unit: str = "m") -> mb.System:
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    length = system.parameter("l", 1.0, unit=unit, description=description)
    bob = system.body("bob", 1.0, (0, 0, -length))
    system.joint("angle", system.world, bob, "Ry", q=1.0)
    system.sensor("tip", mb.Position(bob))
    return system


@pytest.fixture(scope="module")
def run() -> mb.Trajectory:
    return mb.simulate(mb.derive(pendulum()), duration=2.0)


@pytest.fixture(scope="module")
def html(run: mb.Trajectory) -> str:
    return page_html(run)


def data_of(page: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def numbers(text: str, kind: str = "<f4") -> np.ndarray:
    return np.frombuffer(b64decode(text), kind).astype(float)


def places(data: dict, number: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The axis of a motion, and the seven numbers of each of all places along it."""
    motion = data["motions"][number]
    axis = numbers(motion["axis"], "<f8")
    rows = np.tile(numbers(data["rest"]).reshape(1, -1, 7), (len(axis), 1, 1))
    rows[:, motion["moving"]] = numbers(motion["frames"]).reshape(len(axis), -1, 7)
    return axis, rows


# what is in it -------------------------------------------------------------------------------------------------------


def test_a_pendulum_turns_in_the_file_as_in_the_run(run: mb.Trajectory, html: str) -> None:
    data = data_of(html)
    times, rows = places(data)
    half = run.at(times).q[:, 0] / 2
    expected = np.stack([np.cos(half), 0 * half, np.sin(half), 0 * half], axis=1)
    found = rows[:, data["places"].index("bob"), 3:]
    np.testing.assert_allclose(found * np.sign(found[:, :1]) * np.sign(expected[:, :1]), expected, atol=1e-6)
    assert data["motions"][0]["moving"] == [k for k, name in enumerate(data["places"]) if name != "world"]


def test_signals_are_the_samples_of_the_run(run: mb.Trajectory, html: str) -> None:
    signals = data_of(html)["run"]
    curves = {one["name"]: numbers(one["values"]) for one in signals["curves"]}
    np.testing.assert_array_equal(numbers(signals["time"], "<f8"), run.t)
    np.testing.assert_array_equal(curves["angle"], run["angle"].astype(np.float32))
    np.testing.assert_array_equal(curves["tip_3"], run["tip"][:, 2].astype(np.float32))
    titles = [(one["title"], one["unit"]) for one in signals["panels"]]
    assert titles[:2] == [("coordinates", "rad"), ("energies", "J")]


def test_plots_are_chosen_by_name(run: mb.Trajectory) -> None:
    signals = data_of(page_html(run, plots=["tip", "angle_dot"]))["run"]
    names = [[signals["curves"][k]["name"] for k in panel["curves"]] for panel in signals["panels"]]
    assert names == [["tip_1", "tip_2", "tip_3"], ["angle_dot"]]
    assert [panel["unit"] for panel in signals["panels"]] == ["m", "rad/s"]


def test_parameters_equations_and_statistics_are_readable_without_a_script(html: str) -> None:
    assert "length of the rod" in html
    assert "DormandPrince8" in html
    assert "<math" in html
    assert "<mi>angle</mi>" in html  # one word, not five letters
    assert "<math" not in page_html(pendulum())
    assert "Equations of motion" not in page_html(mb.derive(pendulum()), equations=False)


def test_equations_are_text_without_the_library_for_formulas(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(module: str, extra: str) -> None:
        raise MissingLibraryError(f"no {module}")

    monkeypatch.setattr(tables, "require_library", missing)
    text = tables.formulas(mb.derive(pendulum()))
    assert "<math" not in text
    assert "<pre>d/dt angle_dot = -9.81*sin(angle)/l</pre>" in text


def test_equations_that_nobody_can_read_are_counted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "HUGE", 3)
    assert re.fullmatch(r"<p>The accelerations have \d+ parts, .*</p>", tables.formulas(mb.derive(pendulum())))


def test_a_run_that_failed_says_so(run: mb.Trajectory) -> None:
    failed = replace(run, status=mb.Status.NOT_FINITE, message=f"At 2 s {HOSTILE}")
    notice = re.search(r'<p class="notice">(.*?)</p>', page_html(failed), re.DOTALL)[1]
    assert unescape(notice) == f"At 2 s {HOSTILE}"


def test_many_samples_are_thinned_from_end_to_end(run: mb.Trajectory) -> None:
    t = np.linspace(0.0, 2.0, 10_000)
    fine = replace(run, t=t, y=np.stack([t] + [0 * t] * 4, axis=1), r=np.zeros((len(t), 0)))
    signals = data_of(page_html(fine, equations=False))["run"]
    kept = numbers(signals["time"], "<f8")
    assert (len(kept), kept[0], kept[-1]) == (3000, 0.0, 2.0)
    np.testing.assert_allclose(numbers(signals["curves"][0]["values"]), kept, rtol=1e-6)


def test_a_crane_crab_is_small() -> None:
    crane = mb.System("crane_crab", gravity=(0, 0, -9.81))
    crab, load = crane.body("crab", mass=10.0), crane.body("load", 1.0, inertia=mb.diag(0, 1 / 12, 0))
    crane.joint("slide", crane.world, crab, "Tx", q=1.0)
    crane.joint("swing", crab, load.frame("hook", (0, 0, 1)), "Ry", q=-1.0)
    assert len(page_html(mb.simulate(mb.derive(crane), duration=10.0)).encode()) < 300_000


@pytest.mark.parametrize(("duration", "expected"), [(0.01, 301), (10.0, 601), (1000.0, 3000)])
def test_frames_are_sixty_in_a_second_within_limits(run: mb.Trajectory, duration: float, expected: int) -> None:
    t = np.linspace(0.0, duration, 5)
    longer = mb.Trajectory(run.eom, t, np.zeros((5, run.y.shape[1])), np.zeros((5, 0)), run.p)
    times = motions.frame_times(longer, places=3)
    assert (len(times), times[0], times[-1]) == (expected, 0.0, duration)
    assert len(motions.frame_times(longer, places=100_000)) == 301


def test_merging_keeps_the_surface() -> None:
    soup = box(1.0, 2.0, 3.0)
    apart = Surface(soup.vertices[soup.faces].reshape(-1, 3), np.arange(36).reshape(12, 3))
    apart = Surface(np.vstack([apart.vertices, np.zeros((1, 3))]), np.vstack([apart.faces, [[0, 0, 36]]]))
    vertices, faces = merged(apart)
    assert (len(vertices), len(faces)) == (8, 12)
    assert np.linalg.det(vertices[faces].astype(float)).sum() / 6 == pytest.approx(6.0)  # the volume inside


# without a run -------------------------------------------------------------------------------------------------------


def four_bar() -> mb.System:
    """Cranks of 1 m and 2.2 m at pivots 2 m from each other, with a coupler of 2 m."""
    system = mb.System("four_bar", gravity=(0, 0, -9.81))
    end = system.frame("right", (1, 0, 0))
    for name, length, angle in (("crank", 1.0, -1.2), ("coupler", 2.0, -1.8), ("rocker", 2.2, -1.5)):
        bar = system.body(name, 1.0, (length / 2, 0, 0), (0.01, 0.1, 0.1))
        system.joint(f"q_{name}", end, bar, "Ry", q=angle)
        end = bar.frame(f"end_{name}", (length, 0, 0))
    system.joint("closing", end, system.frame("left", (-1, 0, 0)), "Ry")
    return system


def test_a_closed_loop_follows_the_coordinate_that_is_moved() -> None:
    data = data_of(page_html(four_bar()))
    assert len(data["motions"]) == 1  # of three coordinates only one is free
    axis, rows = places(data)
    assert axis[-1] - axis[0] > 0.5
    names = data["places"]
    ends = []
    for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 2.2)):
        pose = rows[:, names.index(name)]
        ends.append((pose[:, :3], pose[:, :3] + length * rotation_matrices(pose[:, 3:])[:, :, 0]))
    np.testing.assert_allclose(ends[0][0], np.tile([1.0, 0, 0], (len(axis), 1)), atol=1e-6)
    for (_, tip), (foot, _) in pairwise(ends):
        np.testing.assert_allclose(tip, foot, atol=1e-6)
    np.testing.assert_allclose(ends[2][1], np.tile([-1.0, 0, 0], (len(axis), 1)), atol=1e-6)


def test_limits_of_joints_are_those_of_the_sliders() -> None:
    system = mb.System("table")
    system.joint("slide", system.world, system.body("plate", 1.0), "Tx", q=0.519, limits=(0.25, 1.0))
    data = data_of(page_html(system))
    axis, rows = places(data)
    assert (axis[0], axis[-1], data["motions"][0]["start"]) == pytest.approx((0.25, 1.0, 0.519))
    np.testing.assert_allclose(rows[:, data["places"].index("plate"), 0], axis, atol=1e-7)


def test_a_loop_that_cannot_be_closed_is_told() -> None:
    system = mb.System("broken")
    bar = system.body("bar", 1.0, (0.5, 0, 0), (1, 1, 1))
    system.joint("hinge", system.world, bar, "Ry")
    system.joint("far", bar.frame("end", (1, 0, 0)), system.frame("wall", (5, 0, 0)), "Ry")
    html = page_html(system)
    assert "The mechanism is shown as it was described" in html
    assert "cannot be assembled" in html


# what can never be in it ---------------------------------------------------------------------------------------------


class Tags(HTMLParser):
    """Collects elements and event attributes, as a browser would see them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def test_texts_of_users_stay_texts() -> None:
    system = pendulum(description=HOSTILE, unit=HOSTILE)
    run = mb.simulate(mb.derive(system), duration=0.1)
    clean, hostile = Tags(page_html(run)), Tags(page_html(run, title=HOSTILE))
    assert hostile.tags.count("script") == 2
    assert hostile.tags == clean.tags
    assert "img" not in hostile.tags
    assert not [name for name, _ in hostile.attributes if name.startswith("on") or name in {"style", "href", "src"}]


def test_data_cannot_leave_its_element() -> None:
    text = embedded({"name": HOSTILE})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"name": HOSTILE}


def test_the_policy_allows_one_script_and_one_style_and_no_network(html: str) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1].replace("&#x27;", "'")
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    script, style = (re.search(rf"<{tag}>(.*?)</{tag}>", html, re.DOTALL)[1] for tag in ("script", "style"))
    for rule, text in (("script-src", script), ("style-src", style)):
        assert rules[rule] == f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
    assert rules["default-src"] == "'none'"
    assert rules["img-src"] == "data:"
    assert not re.search(r"https?://(?!www\.w3\.org/(2000/svg|1998/Math/MathML))", html)


# files ---------------------------------------------------------------------------------------------------------------


def test_the_same_run_is_the_same_file(run: mb.Trajectory, tmp_path) -> None:
    first, second = (write_page(run, tmp_path / name) for name in ("first.html", "second.html"))
    assert first.read_bytes() == second.read_bytes()
    assert first == tmp_path / "first.html"


def test_no_file_is_replaced_unless_asked(run: mb.Trajectory, tmp_path) -> None:
    path = tmp_path / "page.html"
    path.write_text("precious")
    with refused("file-exists"):
        write_page(run, path)
    assert path.read_text() == "precious"
    assert write_page(run, path, overwrite=True).stat().st_size > 10_000
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_mistakes_are_named(run: mb.Trajectory) -> None:
    with refused("run-of-another-system"):
        page_html(four_bar(), run)
    with refused("name-unknown", "angel"):
        page_html(run, plots=["angel"])
    with refused("run-missing"):
        page_html(pendulum(), plots=["angle"])
    for wrong in (5, [5]):
        with refused("plot-names-invalid"):
            page_html(run, plots=wrong)
    for path, thing in ((run, "page.html"), (None, run), ("", run)):
        with refused("file-name-invalid", "write_page(system, 'page.html', run)"):
            write_page(thing, path)


def test_a_page_with_other_parameters() -> None:
    """The bob is a body whose frame is at the hinge: its mass is seen farther down."""
    low, far = (
        min(surface["pose"]["position"][2] for surface in data_of(page_html(pendulum(), parameters=values))["things"])
        for values in (None, {"l": 3.0})
    )
    assert far == pytest.approx(3 * low)


def test_a_page_does_not_grow_with_the_square_of_a_chain(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, most = mb.System("chain"), 40_000
    monkeypatch.setattr(sweeps, "NUMBERS", most)
    end, length = chain.world, 12
    for k in range(length):
        link = chain.body(f"link{k}", 1.0, (0.5, 0, 0))
        chain.joint(f"q{k}", end, link, "Rz", q=0.01)
        end = link.frame(f"end{k}", (1, 0, 0))
    data = data_of(page_html(chain))
    assert len(data["motions"]) == length
    last, count = data["motions"][-1], len(data["places"])
    axis = numbers(last["axis"], "<f8")
    assert len(axis) * length * count * 7 < 1.2 * most
    assert np.diff(axis).max() < 2 * np.pi / 14  # enough to be told from a straight line
    assert (axis[0], axis[-1]) == pytest.approx((0.01 - np.pi, 0.01 + np.pi))
    assert np.abs(axis - last["start"]).min() < 1e-12
