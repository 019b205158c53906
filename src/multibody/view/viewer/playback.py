"""Play, pause, speed, timeline."""

from __future__ import annotations

from time import perf_counter

from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import Loop
from multibody.view.viewer.moment import Moment, Motion


class Playback:
    """The folder ``Playback``. Time goes on by the clock on the wall: pictures that are late are left out.

    Args:
        exhibit: what is played.
        loop: ticks while it plays.
    """

    def __init__(self, exhibit: Exhibit, loop: Loop) -> None:
        self._exhibit = exhibit
        self.playing = False
        self._since, self._from = 0.0, 0.0
        gui = exhibit.server.gui
        self.folder = gui.add_folder("Playback")
        with self.folder:
            self.button = gui.add_button("Play")
            self.time = gui.add_slider("time [s]", 0.0, 1.0, 0.001, 0.0)
            self.speed = gui.add_number("speed", 1.0, min=0.001, max=1000.0, step=0.05)
            self.again = gui.add_checkbox("loop", initial_value=True)
        self.button.on_click(loop.asking("play", self.toggle))
        self.time.on_update(loop.taking("scrub", self.scrub))
        self.speed.on_update(loop.asking("speed", self._restart))
        exhibit.readers.append(self._follow)
        self.renew()

    def renew(self) -> None:
        """There is another motion, or none."""
        motion = self._exhibit.motion
        self.folder.visible = motion is not None
        if motion is not None:
            low, high = motion.span
            self.time.min, self.time.max = min(low, self.time.value), max(high, self.time.value)
            self.time.step = max((high - low) / 1000, 1e-9)
            self.time.value = low
            self.time.min, self.time.max = low, high

    @property
    def _motion(self) -> Motion:
        assert self._exhibit.motion is not None
        return self._exhibit.motion

    def toggle(self) -> None:
        """Play, or pause."""
        self.pause() if self.playing else self.play()

    def play(self) -> None:
        """Go on from where the timeline is; from the start, if it is at its end."""
        low, high = self._motion.span
        here = self._exhibit.moment.t
        self._from = here if low <= here < high - 1e-9 * (high - low) else low
        self._since, self.playing = perf_counter(), True
        self.button.label = "Pause"

    def pause(self) -> None:
        """Stay here."""
        self.playing = False
        self.button.label = "Play"

    def _restart(self) -> None:
        """Another speed counts from here on."""
        self._from, self._since = self._exhibit.moment.t, perf_counter()

    def tick(self) -> bool:
        """The next picture; whether there are more."""
        if not self.playing or self._exhibit.motion is None:
            return False
        low, high = self._motion.span
        t = self._from + self.speed.value * (perf_counter() - self._since)
        if t > high and self.again.value and high > low:
            t = low + (t - low) % (high - low)
            self._from, self._since = t, perf_counter()
        if t >= high:
            self.pause()
        self._exhibit.go(self._motion.at(min(t, high)), playing=self.playing)
        return self.playing

    def scrub(self, t: float) -> None:
        """Show what the timeline points at."""
        self.pause()
        low, high = self._motion.span
        self._held = True
        self._exhibit.go(self._motion.at(min(max(t, low), high)))
        self._held = False

    _held = False

    def _follow(self, moment: Moment) -> None:
        if not self._held and self._exhibit.motion is not None:
            self.time.value = min(max(moment.t, self.time.min), self.time.max)
