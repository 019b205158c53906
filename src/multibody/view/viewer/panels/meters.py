"""Panels for sensor values and energies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multibody.compiler import Function
from multibody.errors import MultibodyError
from multibody.graph import array, free_symbols
from multibody.model import Model
from multibody.model.kinematics import Kinematics
from multibody.simulation.checks.energies import Energies
from multibody.view.viewer.exhibit import Exhibit
from multibody.view.viewer.moment import Moment, PlayedRun, between
from multibody.view.viewer.notices import escaped

Vector = NDArray[np.float64]

CELL = "padding:.05em .5em;font-size:.8em;vertical-align:top"
SHOWN = ("kinetic", "potential", "total", "work_of_inputs", "dissipated", "work_of_drives")


class SensorTable:
    """The folder ``Sensors``.

    Args:
        exhibit: what is measured.
    """

    def __init__(self, exhibit: Exhibit) -> None:
        self._exhibit = exhibit
        gui = exhibit.server.gui
        with gui.add_folder("Sensors", expand_by_default=len(exhibit.scene.model.sensors) <= 8):
            self.table = gui.add_html("")
        self._by_place = None if exhibit.shown.eom is not None else KinematicSensors(exhibit.scene.model)
        exhibit.readers.append(self.follow)

    def follow(self, moment: Moment) -> None:
        """Show what is measured now."""
        rows = "".join(self._row(name, value) for name, value in self._values(moment).items())
        self.table.content = f'<table style="margin:0 .5em">{rows}</table>'

    def _values(self, moment: Moment) -> Mapping[str, Any]:
        sample = self._exhibit.sample
        if sample is not None:
            return {name: value[0] for name, value in sample.sensors.items()}
        assert self._by_place is not None
        return self._by_place(moment, self._exhibit.scene.parameters)

    def _row(self, name: str, value: Any) -> str:
        unit = self._exhibit.scene.model.sensors[name].unit
        text = "needs the equations" if value is None else _number(np.asarray(value))
        cells = "".join(f'<td style="{CELL}">{escaped(cell)}</td>' for cell in (name, text, unit))
        return f"<tr>{cells}</tr>"


class KinematicSensors:
    """What can be measured without equations: positions, velocities, and what follows from them.

    Args:
        model: whose sensors they are.
    """

    def __init__(self, model: Model) -> None:
        known = {model.time, *model.coordinates, *model.speeds, *model.input_symbols, *model.parameter_symbols}
        kinematics = Kinematics(model)
        self._functions: dict[str, Function | None] = dict.fromkeys(model.sensors)
        ports = {"t": model.time, "q": model.coordinates, "u": model.speeds, "r": model.input_symbols}
        ports |= {"p": model.parameter_symbols}
        for k, (name, sensor) in enumerate(model.sensors.items()):
            try:
                value = array(sensor.measure(kinematics))
            except MultibodyError:  # it measures forces
                continue
            if set(free_symbols(value)) <= known:
                self._functions[name] = Function(f"{model.name}_sensor_{k}", ports, {"value": value})

    def __call__(self, moment: Moment, parameters: Vector) -> dict[str, Any]:
        """The values; None for those that need equations."""
        return {
            name: None if function is None else function(*moment, parameters)
            for name, function in self._functions.items()
        }


class EnergyBars:
    """The folder ``Energies``.

    Args:
        exhibit: whose energies they are; its equations must be known.
    """

    def __init__(self, exhibit: Exhibit) -> None:
        self._exhibit = exhibit
        gui = exhibit.server.gui
        with gui.add_folder("Energies"):
            self.bars = gui.add_html("")
        self._scale = 0.0
        exhibit.readers.append(self.follow)

    def renew(self) -> None:
        """There is another run: bars are measured by its largest energy."""
        self._scale = 0.0

    def follow(self, moment: Moment) -> None:
        """Show the energies now."""
        values = self._values(moment)
        self._scale = max(self._scale, *(abs(value) for value in values.values()), 1e-300)
        self.bars.content = "".join(self._bar(name, value) for name, value in values.items())

    def _values(self, moment: Moment) -> dict[str, float]:
        """Kinetic and potential energy, and in a run the works."""
        motion, sample = self._exhibit.motion, self._exhibit.sample
        assert sample is not None
        works = np.zeros((1, 3))
        played = isinstance(motion, PlayedRun) and np.allclose(motion.at(moment.t).q, moment.q)
        if isinstance(motion, PlayedRun) and played:
            works = between(motion.run.t, motion.run.works, moment.t)[None]
        found = Energies.of(sample.energies.kinetic, sample.energies.potential, works)
        names = SHOWN if played else SHOWN[:3]
        values = {name: float(getattr(found, name)[0]) for name in names}
        return {name: value for name, value in values.items() if np.isfinite(value)}

    def _bar(self, name: str, value: float) -> str:
        """A bar to the right, or to the left of the middle for what is negative."""
        width = 50 * abs(value) / self._scale
        left = 50 if value >= 0 else 50 - width
        colour = "#0072b2" if value >= 0 else "#d55e00"
        bar = f'<div style="position:absolute;left:{left:.2f}%;width:{width:.2f}%;height:100%;background:{colour}">'
        return (
            f'<div style="font-size:.8em;margin:.1em .8em">{escaped(name.replace("_", " "))}: {value:.5g} J'
            f'<div style="position:relative;height:.5em;background:#e8e8e8">{bar}</div></div></div>'
        )


def _number(value: NDArray[np.float64]) -> str:
    """A number, or rows of them."""
    rows: Iterator[Any] = iter(np.atleast_2d(value))
    return "\n".join("  ".join(f"{float(entry):.5g}" for entry in row) for row in rows)
