"""Sliders for parameters and inputs, and new runs with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from multibody.graph import Symbol, Table
from multibody.simulation import Trajectory, simulate
from multibody.simulation.problem.run_settings import RunSettings, before_the_run
from multibody.view.scenes.subject import Subject
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.loop import PageLoop
from multibody.view.viewer.moment import PlayedRun

DURATION, SHORTEST = 10.0, 1e-6
SAMPLES = 2001
"""At most, of a run that is made here."""

FROM_RUN, FROM_HERE = "start of the run", "what is shown, at rest"


class Rerun:
    """The folder ``Parameters and inputs``.

    Args:
        exhibit: what is shown.
        loop: does what is asked for.
        given: values of parameters by name that are not the defaults.
        renew: called when there is another run.
        laws: what inputs do, by name, as for ``simulate``; by default what they do in the run that is shown.
    """

    def __init__(
        self, exhibit: Exhibit, loop: PageLoop, given: dict[str, float], renew: Callable[[], None],
        laws: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:  # fmt: skip
        self._exhibit, self._loop, self._renew = exhibit, loop, renew
        self.given, self.laws = dict(given), dict(laws)
        self.driven: dict[str, float] = {}
        self._missing: list[str] = []  # stays: runs that follow repeat what this one repeats
        self.sliders: dict[str, Any] = {}
        self.inputs: dict[str, Any] = {}
        gui, model = exhibit.server.gui, exhibit.scene.model
        with gui.add_folder("Parameters and inputs", expand_by_default=len(model.parameter_symbols) <= 12):
            for parameter in model.parameters:
                for symbol in parameter.default:
                    self._parameter(symbol, parameter.unit, parameter.description)
            for source in model.inputs:
                for symbol in source.flat:
                    self._input(symbol, source.unit, source.description, source.slider_range)
            self._buttons(gui)

    def _buttons(self, gui: Any) -> None:
        if self._exhibit.shown.eom is None:
            gui.add_markdown("*To simulate, show the equations:* `mb.show(mb.derive(system))`.")
            return
        motion = self._exhibit.motion
        length = motion.span[1] - motion.span[0] if isinstance(motion, PlayedRun) else 0.0
        self.duration = gui.add_number("duration [s]", length if length > SHORTEST else DURATION, min=SHORTEST)
        self.start = gui.add_dropdown("from", (FROM_RUN, FROM_HERE))
        self.button = gui.add_button("Run again" if isinstance(motion, PlayedRun) else "Run")
        self.button.on_click(self._loop.asking("run", self.run))

    def _parameter(self, symbol: Symbol, unit: str, description: str) -> None:
        value = self._values[symbol.name]
        reach = abs(value) or 1.0
        low = 0.0 if value > 0 else value - reach
        high = 2 * reach if value > 0 else value + reach
        slider = self._slider(symbol.name, unit, description, (low, high), value)
        slider.on_update(self._loop.taking(f"p {symbol.name}", partial(self.change, symbol.name)))
        self.sliders[symbol.name] = slider

    def _input(self, symbol: Symbol, unit: str, description: str, reach: tuple[float, float]) -> None:
        place = [other.name for other in self._exhibit.scene.model.input_symbols].index(symbol.name)
        value = float(self._exhibit.moment.r[place])
        low, high = reach
        slider = self._slider(symbol.name, unit, description, (min(low, value), max(high, value)), value)
        slider.on_update(self._loop.taking(f"r {symbol.name}", partial(self.drive, symbol.name)))
        self.inputs[symbol.name] = slider

    def _slider(self, name: str, unit: str, description: str, reach: tuple[float, float], value: float) -> Any:
        low, high = reach
        label = f"{name} [{unit}]" if unit else name
        step = 10.0 ** (np.floor(np.log10(high - low)) - 3)
        return self._exhibit.server.gui.add_slider(label, low, high, float(step), value, hint=description or None)

    @property
    def _values(self) -> dict[str, float]:
        scene = self._exhibit.scene
        names = (symbol.name for symbol in scene.model.parameter_symbols)
        return dict(zip(names, map(float, scene.parameters), strict=True))

    # what the page asks for --------------------------------------------------------------------------------------

    def change(self, name: str, value: float) -> None:
        """Another value of a parameter: the geometry changes at once, the motion with the next run."""
        self.given[name] = value
        self._exhibit.change(self.given)
        for other, number in self._values.items():  # formulas of it follow
            slider = self.sliders[other]
            if other != name:
                slider.min, slider.max = min(slider.min, number), max(slider.max, number)
                slider.value = number

    def drive(self, name: str, value: float) -> None:
        """Another value of an input: motions that follow it do so at once, everything else with the next run."""
        self.driven[name] = value
        exhibit = self._exhibit
        r = exhibit.moment.r.copy()
        r[[symbol.name for symbol in exhibit.scene.model.input_symbols].index(name)] = value
        exhibit.go(exhibit.moment._replace(r=r))

    def run(self) -> None:
        """Simulate with these parameters and inputs."""
        self.button.disabled, self.button.label = True, "running …"
        try:
            made = self._simulated()
        finally:
            self.button.disabled, self.button.label = False, "Run again"
        exhibit = self._exhibit
        exhibit.shown = Subject(made.eom.model, made.eom)
        exhibit.motion = PlayedRun(made)
        self._renew()

    def _simulated(self) -> Trajectory:
        exhibit, motion = self._exhibit, self._exhibit.motion
        settings = self._settings
        self._missing = self._not_kept(settings) or self._missing
        exhibit.notices.tell("rerun", *self._missing)
        if isinstance(motion, PlayedRun) and self.start.value == FROM_RUN:
            begin, q, u = motion.span[0], motion.run.q[0], motion.run.u[0]
        else:
            begin, q, u = 0.0, exhibit.moment.q, exhibit.moment.u * (self.start.value == FROM_RUN)
        return simulate(
            settings.eom, duration=float(self.duration.value), q=q, u=u, parameters=self.given,
            inputs=before_the_run(settings.inputs) | self._recorded(settings) | self.laws | self.driven,
            events=settings.events, integrator=settings.integrator, t0=begin, samples=SAMPLES, progress=lambda _: None,
            on_failure="return",
        )  # fmt: skip

    @property
    def _settings(self) -> RunSettings:
        """Equations, controllers, events and integrator of the run that is shown."""
        motion, eom = self._exhibit.motion, self._exhibit.shown.eom
        assert eom is not None
        if not isinstance(motion, PlayedRun):
            return RunSettings(eom)
        return motion.run.settings or RunSettings(eom, unknown="The run was not made by simulate.")

    def _recorded(self, settings: RunSettings) -> dict[str, Any]:
        """What inputs did in the run before, as tables, where the controllers are not known."""
        laws: dict[str, Any] = {}
        motion = self._exhibit.motion
        if settings.unknown and isinstance(motion, PlayedRun):
            names = {symbol.name for symbol in settings.eom.inputs}
            t, first = np.unique(motion.run.t, return_index=True)
            for symbol, values in zip(motion.run.eom.inputs, motion.run.r[first].T, strict=True):
                if symbol.name in names:
                    varies = np.ptp(values) > 0 and len(t) > 1
                    laws[symbol.name] = Table(f"{symbol.name}_before", t, values) if varies else float(values[0])
        return laws

    def _not_kept(self, settings: RunSettings) -> list[str]:
        """What the new run does not share with the one that is shown, beside what was changed in the page."""
        if not settings.unknown:
            return []
        names = [symbol.name for symbol in settings.eom.inputs if symbol.name not in {**self.laws, **self.driven}]
        laws = f" Inputs ({', '.join(names)}) repeat their recorded values: controllers are not known." if names else ""
        events = "" if settings.events else " Events are not known."
        return [f"{settings.unknown}{laws}{events} The integrator is chosen."]
