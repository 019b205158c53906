"""Sliders for all degrees of freedom; dependent coordinates follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.errors import SingularMatrixError
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.freedoms import Freedom
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.moment import Moment

Vector = NDArray[np.float64]


class Sliders:
    """The folder ``Motion``.

    Args:
        exhibit: what is moved.
        loop: does what is asked for.
        pause: ends what is being played.
    """

    def __init__(self, exhibit: Exhibit, loop: PageLoop, pause: Callable[[], None]) -> None:
        self._exhibit, self._loop, self._pause = exhibit, loop, pause
        self.handles: dict[str, tuple[Any, ...]] = {}
        freedoms = exhibit.closing.freedoms
        free = self._free()
        gui = exhibit.server.gui
        with gui.add_folder("Motion"):
            if not freedoms:
                gui.add_markdown("Nothing in this system can be moved by hand.")
            for freedom in (*free, *(freedom for freedom in freedoms if freedom not in free)):
                self.handles[freedom.name] = self._sliders(gui, freedom, follows=freedom not in free)
        exhibit.readers.append(self.follow)

    def _free(self) -> list[Freedom]:
        """The independent freedoms; all of them where they are not known."""
        try:
            return self._exhibit.closing.independent(self._exhibit.moment.q)
        except (SingularMatrixError, ValueError, np.linalg.LinAlgError):
            return list(self._exhibit.closing.freedoms)

    def _sliders(self, gui: Any, freedom: Freedom, *, follows: bool) -> tuple[Any, ...]:
        made = []
        for label, value in zip(freedom.labels, freedom.read(self._exhibit.moment.q), strict=True):
            low, high, step = self._range(freedom, float(value))
            unit = f" [{freedom.unit}]" if freedom.unit else ""
            hint = "it follows from the others; they follow if it is moved" if follows else None
            slider = gui.add_slider(label + unit, low, high, step, rounded(float(value), low, high, step), hint=hint)
            slider.on_update(partial(self._touched, freedom))
            made.append(slider)
        return tuple(made)

    def _range(self, freedom: Freedom, value: float) -> tuple[float, float, float]:
        """Lowest and highest value, and the step: what the joint allows, a turn, or twice the size both ways."""
        size = self._exhibit.scene.size
        reach = np.pi if freedom.unit == "rad" else 2 * size
        low, high = freedom.limits or (-reach, reach)
        if not (np.isfinite(low) and np.isfinite(high)) or low >= high:
            low, high = -reach, reach
        step = 1e-3 if freedom.unit == "rad" else 10.0 ** (np.floor(np.log10(size)) - 3)
        return min(low, value), max(high, value), float(step)

    # from the page -----------------------------------------------------------------------------------------------

    def _touched(self, freedom: Freedom, event: Any) -> None:
        values = np.array([slider.value for slider in self.handles[freedom.name]], dtype=float)
        if event.client is not None and np.isfinite(values).all():
            self._loop.ask(f"drag {freedom.name}", partial(self.drag, freedom, values))

    def drag(self, freedom: Freedom, values: Vector) -> None:
        """Bring a freedom to where its sliders are, and everything else along."""
        self._pause()
        exhibit = self._exhibit
        now, closing = exhibit.moment, exhibit.closing
        closing.at(now.t, now.r)
        kept = [other for other in self._free() if other is not freedom]
        reached = closing.moved(now.q, freedom, values, kept)
        there = Moment(now.t, reached.q, np.zeros_like(now.u), now.r)
        self._dragged = freedom
        closed = exhibit.go(there) and not reached.open
        loops = ", ".join(f"'{name}'" for name in reached.open) or "of this mechanism"
        exhibit.notices.tell("drag", *([] if closed else [f"The loop {loops} cannot close here: {freedom.name}."]))
        self._dragged = None

    # to the page -------------------------------------------------------------------------------------------------

    _dragged: Freedom | None = None

    def follow(self, moment: Moment) -> None:
        """Bring all sliders to where things are, but for the one that is held."""
        for freedom in self._exhibit.closing.freedoms:
            if self._dragged is not None and freedom.name == self._dragged.name:
                continue
            for slider, value in zip(self.handles[freedom.name], freedom.read(moment.q), strict=True):
                slider.value = rounded(float(value), slider.min, slider.max, slider.step)


def rounded(value: float, low: float, high: float, step: float) -> float:
    """The nearest value that a slider can show."""
    return float(min(max(round(value / step) * step, low), high))
