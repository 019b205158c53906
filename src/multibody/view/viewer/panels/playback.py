"""Panels for playing a run or a mode, and for choosing a mode."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from multibody.linearization import LinearizedSystem
from multibody.linearization.spectra.modes import Mode
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.moment import Moment, Playable, PlayedMode


class Playback:
    """The folder ``Playback``. Time goes on by the clock on the wall: pictures that are late are left out.

    Args:
        exhibit: what is played.
        loop: ticks while it plays.
    """

    def __init__(self, exhibit: Exhibit, loop: PageLoop) -> None:
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
    def _motion(self) -> Playable:
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


SAMPLES = 241

CYCLE = 2.0
"""Seconds that a cycle of a mode takes on the screen."""


class ModePanel:
    """The folder ``Modes``.

    Args:
        exhibit: what moves.
        linear: whose modes they are.
        loop: does what is asked for.
        renew: called when there is another motion, with a speed at which it can be seen.
    """

    def __init__(
        self, exhibit: Exhibit, linear: LinearizedSystem, loop: PageLoop, renew: Callable[[float], None]
    ) -> None:
        self._exhibit, self._linear, self._renew = exhibit, linear, renew
        self._modes = {_title(k, mode): mode for k, mode in enumerate(linear.modes, 1)}
        gui = exhibit.server.gui
        with gui.add_folder("Modes"):
            self.choice = gui.add_dropdown("mode", tuple(self._modes))
            self.amplitude = gui.add_slider("amplitude [m or rad]", 0.0, 1.0, 0.01, 0.3)
        for handle in (self.choice, self.amplitude):
            handle.on_update(loop.asking("mode", self.choose))

    def choose(self) -> None:
        """Play the mode that was chosen."""
        mode = self._modes[self.choice.value]
        exhibit = self._exhibit
        free = exhibit.closing.independent(self._linear.point.q)
        motion = self._linear.motion(mode, amplitude=self.amplitude.value, samples=SAMPLES)
        exhibit.motion = PlayedMode(motion, exhibit.closing, free)
        low, high = exhibit.motion.span
        self._renew(mode.period / CYCLE if mode.oscillates else (high - low) / (2 * CYCLE))


def _title(number: int, mode: Mode) -> str:
    """Such as ``1: 0.528 Hz, damping 0.02``."""
    hertz = mode.frequency / 6.283185307179586
    if mode.oscillates:
        return f"{number}: {hertz:.4g} Hz, damping {mode.damping:.3g}"
    return f"{number}: {mode.pole.real:.4g} 1/s, {'decays' if mode.stable else 'grows or stays'}"
