"""The viewer without a browser: loops that stay closed, forces, runs, ports, and who may look."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusal import refused

import multibody as mb
from multibody.errors import ModelError, MultibodyError
from multibody.view import scene
from multibody.view.scenes.placement import rotation_matrices
from multibody.view.viewer import show
from multibody.view.viewer.closing import Closing
from multibody.view.viewer.freedoms import rotation_vector, unit_quaternion
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.panels.arrows import load_forces, reaction_forces
from multibody.view.viewer.server import free_port, is_loopback, welcome

pytest.importorskip("viser", reason="viser is not installed")

CRANK, COUPLER, ROCKER, BASE = 1.0, 3.0, 2.5, 3.5  # Grashof: 1 + 3.5 < 3 + 2.5, the crank turns all the way


def four_bar(name: str = "linkage") -> mb.System:
    """A crank that can turn all the way, in the plane x, y."""
    system = mb.System(name, gravity=(0, -9.81, 0), recognise_loops=False)
    lengths = system.parameters(crank_length=CRANK, coupler_length=COUPLER, rocker_length=ROCKER)
    bodies = [
        system.body(part, 1.0, (length / 2, 0, 0), (0.01, 0.1, 0.1))
        for part, length in zip(("crank", "coupler", "rocker"), lengths, strict=True)
    ]
    ends = [body.frame(f"{body.name}_end", (l, 0, 0)) for body, l in zip(bodies, lengths, strict=True)]
    system.joint("drive", system.world, bodies[0], "Rz", q=0.5)
    system.joint("knee", ends[0], bodies[1], "Rz", q=0.3)
    system.joint("rock", system.frame("pivot", (BASE, 0, 0)), bodies[2], "Rz", q=1.6)
    system.joint("pin", ends[1], ends[2], "Rz", cut=True)
    return system


def pendulum(name: str = "pendulum") -> mb.System:
    """A point mass on a massless rod."""
    system = mb.System(name, gravity=(0, 0, -9.81))
    length = system.parameter("l", 1.0, unit="m", description="of the rod")
    bob = system.body("bob", 2.0, (0, 0, -length))
    system.joint("angle", system.world, bob, "Ry", q=0.3)
    system.draw(bob, mb.Sphere(0.1), position=(0, 0, -length), name="ball")
    system.load(mb.Force(bob, (system.input("push", unit="N"), 0, 0)), name="push_load")
    system.sensor("speed", mb.JointSensor(system["angle"]))
    return system


def rocker_angles(crank: float) -> list[float]:
    """The two solutions of the four-bar in closed form: Freudenstein's equation K1·cosψ - K2·cosφ + K3 = cos(φ - ψ)."""
    k1, k2 = BASE / CRANK, BASE / ROCKER
    k3 = (CRANK**2 - COUPLER**2 + ROCKER**2 + BASE**2) / (2 * CRANK * ROCKER)
    a, b, c = np.sin(crank), np.cos(crank) - k1, k3 - k2 * np.cos(crank)
    return [float(np.arctan2(a, b) + sign * np.arccos(c / np.hypot(a, b))) for sign in (1, -1)]


# loops ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def linkage() -> Closing:
    model = four_bar().freeze()
    seen = scene(model)
    return Closing(model, seen.parameters, seen.size)


def test_independent_is_the_crank(linkage: Closing) -> None:
    assert [one.name for one in linkage.independent(linkage.start())] == ["drive"]


def test_the_crank_goes_round_and_the_rest_follows(linkage: Closing) -> None:
    """All the way round the rocker keeps to one branch of the closed solution."""
    q = linkage.start()
    (drive,) = linkage.independent(q)
    names = [one.name for one in linkage.model.coordinates]
    branches = set()
    for angle in np.linspace(0.5, 0.5 + 2 * np.pi, 40):
        reached = linkage.moved(q, drive, np.array([angle]))
        q = reached.q
        assert reached.open == []
        assert linkage.residual(q) < 1e-11
        assert np.cos(q[names.index("drive")] - angle) == pytest.approx(1.0, abs=1e-15)
        gaps = [abs(np.exp(1j * q[names.index("rock")]) - np.exp(1j * one)) for one in rocker_angles(angle)]
        assert min(gaps) < 1e-9
        branches.add(int(np.argmin(gaps)))
    assert len(branches) == 1


def test_a_far_drag_stays_on_its_branch(linkage: Closing) -> None:
    start = linkage.start()
    (drive,) = linkage.independent(start)
    far = linkage.moved(start, drive, np.array([3.0])).q
    steps = start
    for angle in np.linspace(0.5, 3.0, 60):
        steps = linkage.moved(steps, drive, np.array([angle])).q
    assert far == pytest.approx(steps, abs=1e-9)


def test_a_follower_can_be_dragged_too(linkage: Closing) -> None:
    q = linkage.start()
    rock = next(one for one in linkage.freedoms if one.name == "rock")
    moved = linkage.moved(q, rock, rock.read(q) + 0.1)
    assert rock.read(moved.q) == pytest.approx(rock.read(q) + 0.1)
    assert linkage.residual(moved.q) < 1e-11


def test_what_cannot_close_stays_where_it_could(linkage: Closing) -> None:
    """The rocker swings between the two positions in which crank and coupler are in line."""
    q = linkage.start()
    rock = next(one for one in linkage.freedoms if one.name == "rock")
    reached = linkage.moved(q, rock, np.array([-1.0]))
    assert reached.open == ["pin"]
    assert linkage.residual(reached.q) < 1e-11
    shortest, longest = COUPLER - CRANK, COUPLER + CRANK  # from the pivot of the crank to the pin, by the cosine rule
    least, most = (np.arccos((BASE**2 + ROCKER**2 - d**2) / (2 * BASE * ROCKER)) for d in (shortest, longest))
    assert np.pi - most - 0.11 <= float(rock.read(reached.q)[0]) <= np.pi - least + 0.11


@given(st.lists(st.floats(-1.7, 1.7), min_size=3, max_size=3))
def test_rotation_vectors(values: list[float]) -> None:
    vector = np.array(values)
    assert rotation_vector(unit_quaternion(vector)) == pytest.approx(vector, abs=1e-9)
    turn = rotation_matrices(unit_quaternion(vector))
    assert turn @ vector == pytest.approx(vector, abs=1e-12)  # the axis stays
    assert np.trace(turn) == pytest.approx(1 + 2 * np.cos(np.linalg.norm(vector)))


def test_a_ball_joint_has_three_sliders() -> None:
    system = mb.System("top")
    system.joint("ball", system.world, system.body("body", 1.0, (0, 0, 1), (1, 1, 1)), mb.Spherical())
    with show(system, port=0, browser=False, block=False) as viewer:
        sliders = viewer._sliders
        (one,) = viewer._exhibit.closing.freedoms
        assert len(sliders.handles["ball"]) == 3
        viewer._loop.ask("drag", partial(sliders.drag, one, np.array([0.0, np.pi / 2, 0.0])))
        assert viewer._loop.settle()
        assert viewer.moment.q == pytest.approx(np.array([1, 0, 1, 0]) / np.sqrt(2))


# forces --------------------------------------------------------------------------------------------------------------


def test_forces_of_a_pendulum() -> None:
    """The rod pulls with m·g·cos φ + m·l·φ̇² along itself; weight and push are what they are."""
    run = mb.simulate(mb.derive(pendulum()), duration=2.0, inputs={"push": 3.0}, samples=50)
    angle, speed = run["angle"], run["angle_dot"]
    bob = np.stack([-np.sin(angle), 0 * angle, -np.cos(angle)], axis=1)
    loads, joints = load_forces(run), reaction_forces(run)
    assert loads.names == ("bob", "push_load")
    assert loads.points[:, 0] == pytest.approx(bob, abs=1e-12)
    assert loads.vectors[:, 0] == pytest.approx(np.tile([0, 0, -2 * 9.81], (50, 1)))
    push = loads.vectors[:, 1]
    assert np.linalg.norm(push, axis=1) == pytest.approx(np.full(50, 3.0))
    total = joints.vectors[:, 0] + loads.vectors[:, 0] + push
    centripetal = np.einsum("ti,ti->t", total, -bob)
    assert centripetal == pytest.approx(2.0 * speed**2, abs=1e-9)  # m·v²/l toward the hinge


# the viewer ----------------------------------------------------------------------------------------------------------


def test_places_are_where_the_scene_says() -> None:
    system = four_bar()
    with show(system, port=0, browser=False, block=False) as viewer:
        exhibit, (drive,) = viewer._exhibit, viewer._exhibit.closing.independent(viewer.moment.q)
        viewer._loop.ask("drag", partial(viewer._sliders.drag, drive, np.array([2.0])))
        assert viewer._loop.settle()
        assert exhibit.closing.residual(viewer.moment.q) < 1e-9
        seen = scene(system)
        poses = seen.poses(0.0, viewer.moment.q)
        for k, place in enumerate(seen.places):
            if place.body:
                assert exhibit.stage.frames[k].position == pytest.approx(poses.position[k], abs=1e-6)
                assert exhibit.stage.frames[k].wxyz == pytest.approx(poses.quaternion[k], abs=1e-6)
        rock = viewer._sliders.handles["rock"][0].value
        assert min(abs(np.exp(1j * rock) - np.exp(1j * one)) for one in rocker_angles(2.0)) < 2e-3  # a slider's step


def test_a_drag_too_far_is_told() -> None:
    with show(four_bar(), port=0, browser=False, block=False) as viewer:
        rock = next(one for one in viewer._exhibit.closing.freedoms if one.name == "rock")
        assert viewer._loop.settle()
        viewer._sliders.handles["rock"][0].value = -1.0
        viewer._loop.ask("drag", partial(viewer._sliders.drag, rock, np.array([-1.0])))
        assert viewer._loop.settle()
        assert any("'pin' cannot close here" in text for text in viewer.messages)
        assert viewer._sliders.handles["rock"][0].value == -1.0
        assert viewer._exhibit.closing.residual(viewer.moment.q) < 1e-9


def test_other_parameters_give_another_run() -> None:
    """The period of small swings is 2π·√(l/g)."""
    eom = mb.derive(pendulum())
    run = mb.simulate(eom, duration=1.0, q={"angle": 0.01})
    with show(eom, run, port=0, browser=False, block=False) as viewer:
        rerun = viewer._rerun
        viewer._loop.ask("l", partial(rerun.change, "l", 2.0))
        assert viewer._loop.settle()
        ball = next(solid for solid in viewer._exhibit.scene.solids if solid.name == "ball")
        assert ball.pose.position == pytest.approx([0, 0, -2.0])  # the geometry follows at once
        rerun.duration.value = float(np.pi / 2 * np.sqrt(2.0 / 9.81))  # a quarter of a period
        viewer._loop.ask("run", rerun.run)
        assert viewer._loop.settle(60)
        made = viewer._exhibit.motion.run
        assert made.parameters["l"] == 2.0
        assert made["angle"][0] == pytest.approx(0.01)
        assert made["angle"][-1] == pytest.approx(0.0, abs=1e-6)
        assert viewer._curves.run is made
        assert viewer._playback.time.max == pytest.approx(made.t[-1])


def test_inputs_go_on_as_before_or_by_their_laws_unless_they_are_moved() -> None:
    eom = mb.derive(pendulum())
    run = mb.simulate(eom, duration=1.0, inputs={"push": lambda t: 5 * np.sin(3 * t)}, samples=301)
    with show(eom, run, port=0, browser=False, block=False) as viewer:
        rerun = viewer._rerun
        viewer._loop.ask("run", rerun.run)
        assert viewer._loop.settle(60)
        assert viewer._exhibit.motion.run["angle"][-1] == pytest.approx(run["angle"][-1], abs=1e-4)
        viewer._loop.ask("push", partial(rerun.drive, "push", 1.0))
        viewer._loop.ask("run", rerun.run)
        assert viewer._loop.settle(60)
        assert (viewer._exhibit.motion.run["push"] == 1.0).all()

    with show(eom, inputs={"push": lambda t: 5 * np.sin(3 * t)}, port=0, browser=False, block=False) as viewer:
        viewer._rerun.duration.value = 1.0
        viewer._loop.ask("run", viewer._rerun.run)
        assert viewer._loop.settle(60)
        assert viewer._exhibit.motion.run["angle"][-1] == pytest.approx(run["angle"][-1], abs=1e-6)


def test_sensors_without_equations() -> None:
    system = pendulum()
    system.sensor("force", mb.ConstraintForce(system["angle"]))
    system.sensor("place", mb.Position(system["bob"]))
    with show(system, port=0, browser=False, block=False) as viewer:
        assert viewer._loop.settle()
        table = viewer._sensors.table.content
        assert "needs the equations" in table
        assert "0.3" in table  # the angle


def test_time_goes_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a picture takes, the time shown is that of the clock, and nothing is made up for."""
    clock = [100.0]
    run = mb.simulate(mb.derive(pendulum()), duration=2.0)
    with show(run, port=0, browser=False, block=False) as viewer:
        viewer._loop.settle()
        monkeypatch.setattr("multibody.view.viewer.panels.playback.perf_counter", lambda: clock[0])
        player = viewer._playback
        viewer._loop._tick = bool  # only we tick
        player.play()
        for seconds, shown in ((0.1, 0.1), (0.75, 0.85), (1.0, 1.85), (0.25, 0.1)):  # the last one is past the end
            clock[0] += seconds
            assert player.tick()
            assert viewer.moment.t == pytest.approx(shown)
            assert viewer.moment.q == pytest.approx(run.at(shown).q)
        player.again.value = False
        clock[0] += 10.0
        assert not player.tick()
        assert viewer.moment.t == 2.0
        assert not player.playing


def test_modes_swing_about_the_operating_point() -> None:
    linear = mb.linearize(mb.derive(pendulum()), at={"angle": 0.0})
    with show(linear, port=0, browser=False, block=False) as viewer:
        assert viewer._loop.settle()
        motion = viewer._exhibit.motion
        expected = np.sqrt(9.81)
        assert viewer._modes.choice.value.startswith(f"1: {expected / (2 * np.pi):.4g} Hz")
        angles = [motion.at(t).q[0] for t in np.linspace(0, 2 * np.pi / expected, 5)]
        assert angles == pytest.approx([0.3, 0.0, -0.3, 0.0, 0.3], abs=1e-3)


def test_modes_keep_loops_closed() -> None:
    eom = mb.derive(four_bar())
    linear = mb.linearize(eom, at=mb.equilibrium(eom))
    with show(linear, port=0, browser=False, block=False) as viewer:
        assert viewer._loop.settle()
        motion = viewer._exhibit.motion
        gaps = [viewer._exhibit.closing.residual(motion.at(t).q) for t in np.linspace(*motion.span, 9)]
        assert max(gaps) < 1e-9


def test_a_run_of_another_system() -> None:
    run = mb.simulate(mb.derive(pendulum()), duration=0.1)
    with refused("run-of-another-system"):
        show(four_bar(), run, port=0, browser=False, block=False)
    with refused("parameters-given-twice"):
        show(pendulum(), run, parameters={"l": 2.0}, port=0, browser=False, block=False)


def test_a_mesh_that_is_missing_is_told(caplog: pytest.LogCaptureFixture) -> None:
    system = pendulum()
    system.draw(system["bob"], mb.Mesh("nowhere.stl"))
    with caplog.at_level(logging.WARNING, "multibody"), show(system, port=0, browser=False, block=False) as viewer:
        assert "nowhere.stl" in "".join(viewer.messages)
    assert "nowhere.stl" in caplog.text


def test_many_messages_are_folded(caplog: pytest.LogCaptureFixture) -> None:
    system = pendulum()
    for k in range(9):
        system.draw(system["bob"], mb.Mesh(f"nowhere{k}.stl"))
    with caplog.at_level(logging.WARNING, "multibody"), show(system, port=0, browser=False, block=False) as viewer:
        assert len(viewer.messages) == 9
        assert viewer._notices._handle.content.startswith("<details")
    assert "6 more messages" in caplog.text
    assert "nowhere8.stl" not in caplog.text


@pytest.mark.parametrize("edge", [0.5, -1.0])
def test_a_run_that_failed_says_so(edge: float) -> None:
    """Beyond the edge the force is not a number; the run ends there, or does not even begin."""
    system = mb.System("edge")
    body = system.body("block", 1.0)
    joint = system.joint("x", system.world, body, "Tx", u=1.0)
    system.load(mb.Force(body, (mb.graph.sqrt(edge - joint.coordinates[0]), 0, 0)))
    run = mb.simulate(mb.derive(system), duration=2.0, on_failure="return")
    assert not run.status.ok
    with show(run, port=0, browser=False, block=False) as viewer:
        assert viewer.messages == (run.message,)
        assert viewer._rerun.duration.value == pytest.approx(run.t[-1] if edge > 0 else 10.0)
        viewer._playback.toggle()
        viewer.wait(0.1)
        assert viewer.moment.q[0] <= max(edge, 0.0)


# who is listening ----------------------------------------------------------------------------------------------------


def test_on_this_machine_alone_and_closed_at_the_end() -> None:
    viewer = show(pendulum(), port=0, browser=False, block=False)
    port = viewer._server.port
    assert viewer.url == f"http://127.0.0.1:{port}"
    listening = viewer._server.viser._websock_server
    assert listening._host == "127.0.0.1"
    with urllib.request.urlopen(viewer.url, timeout=10) as answer:
        assert answer.status == 200
    for path in ("/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/etc/passwd"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(viewer.url + path, timeout=10)
    assert viewer.url in viewer._repr_html_()
    viewer.close()
    viewer.close()
    assert "closed" in repr(viewer)
    assert free_port("127.0.0.1", port) == port


def test_a_port_in_use() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with show(pendulum(), port=port, browser=False, block=False) as viewer:
            assert viewer._server.port > port


@pytest.mark.parametrize(
    ("host", "port"), [("no.such.host.invalid", 8080), ("192.0.2.1", 8080), ("127.0.0.1", -1), (5, 8080)]
)
def test_where_one_cannot_listen(host: str, port: int) -> None:
    with pytest.raises(ModelError):
        show(pendulum(), host=host, port=port, browser=False, block=False)


def test_strangers_are_turned_away() -> None:
    """A page from elsewhere that the user looks at must not reach the viewer."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    viser = pytest.importorskip("viser")
    protocols = [f"viser-v{viser.__version__}"]
    with show(pendulum(), port=0, browser=False, block=False) as viewer:
        address = viewer.url.replace("http", "ws")
        with connect(address, subprotocols=protocols, origin=viewer.url, max_size=None) as own:
            assert own.recv(timeout=10)
        other = connect(address, subprotocols=protocols, origin="https://example.org", max_size=None)
        with other, pytest.raises(ConnectionClosed):
            other.recv(timeout=10)
        assert not viewer._server.viser._websock_server._incoming_handlers.keys() & {
            viser._messages.ShareUrlRequest, viser._messages.ShareUrlDisconnect
        }  # fmt: skip


@pytest.mark.parametrize(
    ("origin", "asked", "host", "fine"),
    [
        (None, "", "127.0.0.1", True),
        ("http://127.0.0.1:9000", "127.0.0.1:8080", "127.0.0.1", True),  # a port that was forwarded
        ("null", "127.0.0.1:8080", "127.0.0.1", False),  # a page in a sandbox
        ("http://evil.example:8080", "evil.example:8080", "127.0.0.1", False),  # a name that was bent to this machine
        ("http://lab:8080", "lab:8080", "0.0.0.0", True),
        ("http://evil.example", "lab:8080", "0.0.0.0", False),
    ],
)
def test_origins(origin: str | None, asked: str, host: str, fine: bool) -> None:
    assert welcome(origin, asked, host) is fine


def test_loopback() -> None:
    assert is_loopback("127.0.0.1")
    assert is_loopback("::1")
    assert is_loopback("localhost")
    assert not is_loopback("0.0.0.0")
    assert not is_loopback("localhost.example.org")


def test_another_host_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "multibody"):
        show(pendulum(), host="0.0.0.0", port=0, browser=False, block=False).close()
    assert "can be seen and used by everybody" in caplog.text


def test_without_a_browser_the_address_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    with caplog.at_level(logging.WARNING, "multibody"), show(pendulum(), port=0, block=False) as viewer:
        assert viewer.url in caplog.text


SCRIPT = """
import multibody as mb
from multibody.view.viewer import Viewer, show
wait = Viewer.wait
Viewer.wait = lambda self: (print("waits", flush=True), wait(self))
system = mb.System("pendulum")
system.joint("angle", system.world, system.body("bob", 1.0, (0, 0, -1)), "Ry")
show(system, port=0, browser=False)
print("after", flush=True)
"""


def test_a_script_waits_until_it_is_interrupted() -> None:
    import signal
    from time import sleep

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", SCRIPT], text=True, **pipes) as script:
        limit = threading.Timer(120, script.kill)  # a script that hangs ends, and what it prints with it
        limit.start()
        try:
            assert script.stdout is not None
            assert script.stdout.readline() == "waits\n"
            sleep(0.5)
            assert script.poll() is None
            script.send_signal(signal.SIGINT)
            rest, told = script.communicate(timeout=120)
        finally:
            limit.cancel()
            script.kill()
        assert rest == "after\n"
        assert "The viewer is at http://127.0.0.1:" in told
        assert script.returncode == 0


# the thread ----------------------------------------------------------------------------------------------------------


def test_the_newest_request_counts_and_errors_are_told() -> None:
    told: list[str] = []
    done: list[int] = []
    loop = PageLoop(lambda *texts: told.extend(texts))
    gate = threading.Event()
    loop.start(bool)
    loop.ask("wait", lambda: gate.wait(10))
    for k in range(5):
        loop.ask("drag", partial(done.append, k))

    def fail() -> None:
        raise MultibodyError("It does not work.")

    loop.ask("fail", fail)
    gate.set()
    assert loop.settle()
    assert done == [4]
    assert told == ["It does not work."]
    loop.stop()
