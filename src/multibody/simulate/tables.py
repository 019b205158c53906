"""Recordings as tables of pandas and data sets of xarray."""

from __future__ import annotations

from typing import Any

from multibody.simulate.optional import library
from multibody.simulate.recording import Recording


def dataframe(recording: Recording) -> Any:
    """A pandas table with the time as its index; units by name, and what is known of the run, are in its ``attrs``."""
    columns = recording.columns()
    index = library("pandas", "data").Index(columns.pop("t"), name="t")
    table = library("pandas", "data").DataFrame(columns, index=index)
    table.attrs = {**recording.about, "units": dict(recording.units)}
    return table


def dataset(recording: Recording) -> Any:
    """An xarray data set; the axes of an array ``tip`` after the first are the dimensions ``tip_0``, ``tip_1`` …."""
    variables = {
        name: (
            ("t", *(f"{name}_{axis}" for axis in range(values.ndim - 1))),
            values,
            {"units": recording.units.get(name, "")},
        )
        for name, values in recording.items()
    }
    time = {"t": variables.pop("t")}
    return library("xarray", "data").Dataset(variables, coords=time, attrs=_plain(recording))


def _plain(recording: Recording) -> dict[str, Any]:
    """What can be written to NetCDF: texts and numbers."""
    about = recording.about
    parameters = {f"parameter_{name}": value for name, value in about.get("parameters", {}).items()}
    return {key: about[key] for key in ("system", "formalism", "status", "message") if key in about} | parameters
