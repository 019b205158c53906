"""``show`` and the viewer that it returns: a page in the browser that is open until it is closed."""

from __future__ import annotations

import logging
import os
import sys
import threading
import webbrowser
from collections.abc import Mapping
from functools import partial
from time import monotonic
from types import MappingProxyType, TracebackType
from typing import Any, Self

from multibody.errors import ModelError
from multibody.linearization import LinearizedSystem
from multibody.simulation import Trajectory
from multibody.view.scenes.subject import Subject, values_for, with_run
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.moment import Moment, Playable, PlayedRun
from multibody.view.viewer.notices import Notices, escaped
from multibody.view.viewer.panels.curves import Curves
from multibody.view.viewer.panels.layers import Layers
from multibody.view.viewer.panels.meters import EnergyBars, SensorTable
from multibody.view.viewer.panels.playback import ModePanel, Playback
from multibody.view.viewer.panels.rerun import Rerun
from multibody.view.viewer.panels.sliders import Sliders
from multibody.view.viewer.server import Server

PATIENCE = 0.2
"""Seconds after which Ctrl-C is heard at the latest, where waiting itself does not hear it."""


class Viewer:
    """A page in the browser that shows a system; made by ``show``.

    It ends with ``close``, at the end of a ``with`` block, or with the program.

    Attributes:
        url: the address of the page.
    """

    def __init__(
        self, server: Server, shown: Subject, motion: Playable | None, parameters: Mapping[str, float],
        linear: LinearizedSystem | None = None, inputs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self._server = server
        self.url = server.url
        self._ended = threading.Event()
        gui = server.viser.gui
        self._notices = Notices(gui)
        start = None if linear is None else Moment(linear.point.t, linear.point.q, linear.point.u, linear.point.r)
        self._exhibit = Exhibit(server.viser, shown, motion, parameters, self._notices, start)
        self._loop = PageLoop(partial(self._notices.tell, "error"))
        self._playback = Playback(self._exhibit, self._loop)
        self._sliders = Sliders(self._exhibit, self._loop, self._playback.pause)
        self._layers = Layers(self._exhibit, self._loop)
        if linear is not None:
            self._modes = ModePanel(self._exhibit, linear, self._loop, self._swing)
        self._sensors = SensorTable(self._exhibit) if shown.model.sensors else None
        self._bars = EnergyBars(self._exhibit) if shown.eom is not None and shown.eom.energy_known else None
        self._curves = Curves(self._exhibit, self._loop)
        self._rerun = Rerun(self._exhibit, self._loop, dict(parameters), self._renew, dict(inputs))
        self._report()
        self._loop.ask("first", self._exhibit.stay)  # numbers follow when they are known
        if linear is not None:
            self._loop.ask("mode", self._modes.choose)
        self._loop.start(self._playback.tick)

    # what happens ------------------------------------------------------------------------------------------------

    def _renew(self) -> None:
        """There is another run: show it from its start."""
        self._report()
        self._playback.pause()
        self._playback.renew()
        self._curves.renew()
        self._layers.renew()
        if self._bars is not None:
            self._bars.renew()
        motion = self._exhibit.motion
        assert motion is not None
        self._exhibit.go(motion.at(motion.span[0]))
        self._playback.play()

    def _report(self) -> None:
        """Say why a run has ended too early, if it has."""
        motion = self._exhibit.motion
        message = motion.run.message if isinstance(motion, PlayedRun) else ""
        self._notices.tell("run", *([message] if message else []))

    def _swing(self, speed: float) -> None:
        """There is another mode: it begins to move at once."""
        self._playback.renew()
        self._playback.speed.value = speed
        self._playback.play()

    # what users do -----------------------------------------------------------------------------------------------

    @property
    def moment(self) -> Moment:
        """Time, coordinates, speeds and inputs of what the page shows now."""
        return self._exhibit.moment

    @property
    def messages(self) -> tuple[str, ...]:
        """What the page has to say."""
        return self._notices.texts

    def wait(self, seconds: float | None = None) -> None:
        """Keep the page open until Ctrl-C, or until it is closed from elsewhere, or for some time.

        Args:
            seconds: at most; by default there is no limit.
        """
        end = None if seconds is None else monotonic() + seconds
        try:
            while not self._ended.wait(PATIENCE) and (end is None or monotonic() < end):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End: the page does not answer any more, and its port is free again."""
        self._ended.set()
        self._loop.stop()
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        state = "closed" if self._ended.is_set() else self.url
        return f"Viewer('{self._exhibit.scene.model.name}', {state})"

    def _repr_html_(self) -> str:
        """The page within a notebook."""
        if self._ended.is_set():
            return f"<p>{escaped(repr(self))}</p>"
        return f'<iframe src="{escaped(self.url)}" style="width:100%;height:600px;border:0"></iframe>'


_log = logging.getLogger("multibody")


def show(
    thing: Any, run: Trajectory | None = None, *, parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None, title: str = "",
    host: str = "127.0.0.1", port: int = 8080, browser: bool = True, block: bool | None = None,
) -> Viewer:  # fmt: skip
    """Show a system in the browser: sliders, play button, plots, forces.

    Args:
        thing: a ``System``, a robot from ``read_urdf``, equations from ``derive`` (then forces and energies are shown,
            and the page can simulate), a run from ``simulate``, or a linear system from ``linearize``, whose modes are
            shown.
        run: a run of it, to be played.
        parameters: values by name, where they are not the defaults; a run brings its own.
        inputs: laws by name, as for ``simulate``, for runs that the page makes; without them, inputs, events and
            integrator are those of the run before. Where these are not known, because the run was read from a file,
            inputs repeat their recorded values, and the page says so. Those that are moved by a slider are constant.
        title: of the page; by default the name of the system.
        host: the address to listen at. With another one than this machine's own, others can see the page.
        port: the first one to try; if it is in use, the next ones are.
        browser: whether to open the page; if there is no browser, its address is logged.
        block: whether to wait until Ctrl-C. By default a script waits, since its end would be the end of the page, and
            a notebook or an interactive session goes on.

    Returns:
        The viewer, which can be closed.

    Raises:
        ModelError: if there is nothing to show in it, or if the run is that of another system.

    Example:
        >>> import multibody as mb
        >>> pendulum = mb.System("pendulum", gravity=(0, 0, -9.81))
        >>> hinge = pendulum.joint("angle", pendulum.world, pendulum.body("bob", 1, (0, 0, -1)), "Ry")
        >>> with show(pendulum, port=0, browser=False, block=False) as viewer:
        ...     viewer.url.rpartition(":")[0]
        'http://127.0.0.1'
    """
    linear = thing if isinstance(thing, LinearizedSystem) else None
    run = thing if isinstance(thing, Trajectory) and run is None else run
    shown = with_run(thing, run)
    values = _parameters(run, linear, parameters)
    motion: Playable | None = None if run is None else PlayedRun(run)
    server = Server(host, port, title or shown.model.name)
    try:
        if browser:  # now: it loads the page while the scene is built
            _open(server.url)
        viewer = Viewer(server, shown, motion, values, linear, inputs or {})
    except BaseException:
        server.close()
        raise
    if block or (block is None and not interactive()):
        if not browser:  # otherwise the address is unknown
            _log.warning("The viewer is at %s, until Ctrl-C.", server.url)
        viewer.wait()
    return viewer


def _parameters(
    run: Trajectory | None, linear: LinearizedSystem | None, given: Mapping[str, float] | None
) -> dict[str, float]:
    """Values by name: those of the run or of the operating point, or what was given."""
    values = dict(values_for(run, given) or {})
    if linear is not None:
        if values:
            raise ModelError(
                "A linear system brings its own parameters.", code="parameters-given-twice", where="show",
                remedy="Leave out 'parameters'; linearize with others first.", names=sorted(values),
            )  # fmt: skip
        names = (symbol.name for symbol in linear.point.model.parameter_symbols)
        return dict(zip(names, map(float, linear.point.p), strict=True))
    return values


def interactive() -> bool:
    """Whether the session is interactive: in a notebook, in IPython, or after ``python -i``."""
    ipython = sys.modules.get("IPython")
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or bool(ipython and ipython.get_ipython())


def in_notebook() -> bool:
    """Whether there is a page already in which the viewer can be."""
    ipython = sys.modules.get("IPython")
    return bool(ipython and ipython.get_ipython() and "ipykernel" in sys.modules)


def _open(url: str) -> None:
    """Open a page; without a screen or a browser say where it is."""
    if in_notebook():
        return
    screen = sys.platform in {"win32", "darwin"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
    try:
        opened = bool(screen) and webbrowser.open(url)
    except (webbrowser.Error, OSError):
        opened = False
    if opened:
        _log.info("The viewer is at %s", url)
    else:
        _log.warning("No browser was found; the viewer is at %s", url)
