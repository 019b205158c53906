"""The viewer: how soon the first picture is there, and how many poses reach a page while a run is played.

The first picture: from the call of ``show``, the first in its process, until Chromium has drawn the ball of a pendulum;
it runs already, and opens the page when it is told to, as the user's own browser would. Poses: the positions and
orientations of bodies that all move and turn, as they arrive at a client of the websocket in a process of its own,
which unpacks every message as the page does. Sixty pictures a second are played; what is late is left out. Run with
``./dev bench view``.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
import webbrowser
from typing import Any

import numpy as np
from _lines import claim

import multibody as mb
from multibody.view.viewer import show

BODIES = (10, 50, 200)
SECONDS = 5.0
BALL = 900  # corners of triangles: nothing but a sphere has more
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader", "--use-gl=angle", "--use-angle=swiftshader",
    "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
WATCH = """
for (const name of ["drawElements", "drawElementsInstanced"]) {
  const draw = WebGL2RenderingContext.prototype[name];
  WebGL2RenderingContext.prototype[name] = function (mode, count, ...rest) {
    if (count >= %d && !window.drawn) window.drawn = Date.now() / 1000;
    return draw.call(this, mode, count, ...rest);
  };
}
"""


# the first picture ---------------------------------------------------------------------------------------------------


def pendulum() -> mb.EquationsOfMotion:
    """A ball on a rod."""
    system = mb.System("pendulum", gravity=(0, 0, -9.81))
    bob = system.body("bob", 1.0, (0, 0, -1))
    system.joint("angle", system.world, bob, "Ry", q=1.0)
    system.draw(bob, mb.Sphere(0.1), position=(0, 0, -1))
    system.draw(bob, mb.Cylinder(0.02), to=system.world)
    return mb.derive(system)


def first_frame() -> float:
    """Seconds from the call of ``show`` to the first picture with the ball in it; NaN without Chromium."""
    if shutil.which("chromium") is None:
        return float("nan")
    asked: queue.Queue[str] = queue.Queue()
    ready, drawn = threading.Event(), queue.Queue[float]()
    thread = threading.Thread(target=browse, args=(asked, ready, drawn))
    thread.start()
    run = mb.simulate(pendulum(), duration=2.0)
    ready.wait()
    os.environ["BROWSER"] = "chromium"
    webbrowser.open = lambda url, *_: asked.put(url) or True  # type: ignore[assignment,func-returns-value]
    begin = time.time()
    with show(run, port=8300, block=False):
        found = drawn.get(timeout=120)
    thread.join()
    return found - begin


def browse(asked: queue.Queue[str], ready: threading.Event, drawn: queue.Queue[float]) -> None:
    """Open the page that is asked for, and tell when the ball was drawn."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.add_init_script(WATCH % BALL)
        ready.set()
        page.goto(asked.get())
        page.wait_for_function("window.drawn", timeout=120_000)
        drawn.put(page.evaluate("window.drawn"))
        browser.close()


# poses ---------------------------------------------------------------------------------------------------------------


def dancers(n: int) -> mb.Trajectory:
    """Bodies side by side that slide and turn, each at its own pace."""
    system = mb.System("dancers")
    for k in range(n):
        body = system.body(f"body{k}", 1.0, inertia=(1.0, 1.0, 1.0))
        place = system.frame(f"place{k}", (0.0, 1.0 * k, 0.0))
        system.joint(f"joint{k}", place, body, ["Tx", "Ry"])
        system.draw(body, mb.Box(0.5, 0.5, 0.5))
    eom = mb.derive(system)
    t = np.linspace(0.0, 10.0, 1001)
    pace = 1.0 + 0.5 * np.arange(2 * n) / n
    angle = t[:, None] * pace
    y = np.hstack([np.sin(angle), pace * np.cos(angle), np.zeros((len(t), 3))])
    return mb.Trajectory(eom, t, y, np.zeros((len(t), 0)), [])


def poses_per_second(n: int) -> float:
    """How many poses of n bodies arrive at a client of the page."""
    with show(dancers(n), port=8310, browser=False, block=False) as viewer:
        viewer._loop.ask("play", viewer._playback.play)
        command = [sys.executable, __file__, "--listen", viewer.url.replace("http", "ws")]
        return float(json.loads(subprocess.run(command, capture_output=True, check=True).stdout))


def listen(address: str) -> None:
    """Count bodies in each message for some seconds, after a second to warm up; print how many came in a second."""
    import msgspec
    import viser
    import zstandard
    from websockets.sync.client import connect

    unpacker, counted = zstandard.ZstdDecompressor(), 0
    with connect(address, subprotocols=[f"viser-v{viser.__version__}"], max_size=None) as socket:  # type: ignore[list-item]
        socket.recv()
        begin = time.perf_counter() + 1.0
        while (now := time.perf_counter()) < begin + SECONDS:
            data: Any = socket.recv()
            size, packed = (int.from_bytes(data[k : k + 8], "little") for k in (0, 8))
            messages = msgspec.msgpack.decode(unpacker.decompress(data[16 : 16 + packed], max_output_size=size))
            turned = sum(one["type"] == "SetOrientationMessage" for one in messages["messages"])
            counted += turned if now >= begin else 0
    print(counted / SECONDS)


def main() -> None:
    """Measure, print a table, then the line of key figures."""
    first = first_frame()
    print(f"first picture after {first:.2f} s")
    found = {n: poses_per_second(n) for n in BODIES}
    for n, rate in found.items():
        print(f"{n:4d} bodies: {rate:7.0f} poses/s, {rate / n:5.1f} pictures/s")
        claim("poses", f"{n} bodies", "poses/s", {"multibody": rate})
    claim("first picture", "pendulum", "s", {"multibody": first})
    rates = " ".join(f"poses_per_s_{n}={rate:.0f}" for n, rate in found.items())
    print(f"BAR first_frame_s={first:.2f} {rates}")


if __name__ == "__main__":
    listen(sys.argv[2]) if "--listen" in sys.argv else main()
