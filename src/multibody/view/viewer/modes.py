"""Modes of a linear system: which, how large, and how it looks."""

from __future__ import annotations

from collections.abc import Callable

from multibody.linear import LinearizedSystem
from multibody.linear.modes import Mode
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import Loop
from multibody.view.viewer.moment import Swing

SAMPLES = 241

CYCLE = 2.0
"""Seconds that a cycle of a mode takes on the screen."""


class Modes:
    """The folder ``Modes``.

    Args:
        exhibit: what moves.
        linear: whose modes they are.
        loop: does what is asked for.
        renew: called when there is another motion, with a speed at which it can be seen.
    """

    def __init__(self, exhibit: Exhibit, linear: LinearizedSystem, loop: Loop, renew: Callable[[float], None]) -> None:
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
        exhibit.motion = Swing(motion, exhibit.closing, free)
        low, high = exhibit.motion.span
        self._renew(mode.period / CYCLE if mode.oscillates else (high - low) / (2 * CYCLE))


def _title(number: int, mode: Mode) -> str:
    """Such as ``1: 0.528 Hz, damping 0.02``."""
    hertz = mode.frequency / 6.283185307179586
    if mode.oscillates:
        return f"{number}: {hertz:.4g} Hz, damping {mode.damping:.3g}"
    return f"{number}: {mode.pole.real:.4g} 1/s, {'decays' if mode.stable else 'grows or stays'}"
