"""The viewer as a whole: a page that is open, until it is closed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from time import monotonic
from types import MappingProxyType, TracebackType
from typing import Any, Self

from multibody.linear import LinearizedSystem
from multibody.view.subject import Subject
from multibody.view.viewer.curves import Curves
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.layers import Layers
from multibody.view.viewer.loop import Loop
from multibody.view.viewer.meters import EnergyBars, SensorTable
from multibody.view.viewer.modes import Modes
from multibody.view.viewer.moment import Moment, Motion, Run
from multibody.view.viewer.notices import Notices, escaped
from multibody.view.viewer.playback import Playback
from multibody.view.viewer.rerun import Rerun
from multibody.view.viewer.server import Server
from multibody.view.viewer.sliders import Sliders

PATIENCE = 0.2
"""Seconds after which Ctrl-C is heard at the latest, where waiting itself does not hear it."""


class Viewer:
    """A page in the browser that shows a system; made by ``show``.

    It ends with ``close``, at the end of a ``with`` block, or with the program.

    Attributes:
        url: the address of the page.
    """

    def __init__(
        self, server: Server, shown: Subject, motion: Motion | None, parameters: Mapping[str, float],
        linear: LinearizedSystem | None = None, inputs: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self._server = server
        self.url = server.url
        self._ended = threading.Event()
        gui = server.viser.gui
        self._notices = Notices(gui)
        start = None if linear is None else Moment(linear.point.t, linear.point.q, linear.point.u, linear.point.r)
        self._exhibit = Exhibit(server.viser, shown, motion, parameters, self._notices, start)
        self._loop = Loop(partial(self._notices.tell, "error"))
        self._playback = Playback(self._exhibit, self._loop)
        self._sliders = Sliders(self._exhibit, self._loop, self._playback.pause)
        self._layers = Layers(self._exhibit, self._loop)
        if linear is not None:
            self._modes = Modes(self._exhibit, linear, self._loop, self._swing)
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
        message = motion.run.message if isinstance(motion, Run) else ""
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
